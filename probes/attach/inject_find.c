/* SPDX-License-Identifier: MIT */
/*
 * inject_find.c: what is known of contexts and modules by their handles, and what of them is
 * wanted.
 */
#define _GNU_SOURCE
#include "inject.h"

#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

enum { FINGERPRINT_BYTES = 4096 };

inject_context *inject_find_context(const void *handle) {
    for (inject_context *c = attach.contexts; c != NULL && handle != NULL; c = c->next) {
        if (c->handle == handle)
            return c;
    }
    return NULL;
}

inject_module *inject_find_module(inject_context *context, const void *handle) {
    for (size_t i = context->module_count; i-- > 0;) {
        if (context->modules[i].handle == handle)
            return &context->modules[i];
    }
    return NULL;
}

uint64_t inject_fingerprint(const char *bytes, size_t count) {
    count = count < FINGERPRINT_BYTES ? count : FINGERPRINT_BYTES;
    uint64_t hash = UINT64_C(0xcbf29ce484222325) ^ count;
    for (size_t i = 0; i < count; i++)
        hash = (hash ^ (uint8_t)bytes[i]) * UINT64_C(0x100000001b3);
    return hash;
}

bool inject_is_still_there(const inject_module *module) {
    char head[FINGERPRINT_BYTES];
    size_t count = module->cubin_bytes < sizeof head ? module->cubin_bytes : sizeof head;
    struct iovec to = {head, count}, from = {(void *)(uintptr_t)module->cubin, count};
    return count > 0 && process_vm_readv(getpid(), &to, 1, &from, 1, 0) == (ssize_t)count &&
           inject_fingerprint(head, count) == module->fingerprint;
}

bool inject_is_wanted(const char *name) {
    const inject_settings *settings = &attach.settings;
    return !settings->has_kernels || regexec(&settings->kernels, name, 0, NULL, 0) == 0;
}
