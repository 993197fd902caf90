/* SPDX-License-Identifier: MIT */
/*
 * host_find.c: what is known of contexts and modules by their handles, and what of them is
 * wanted.
 */
#define _GNU_SOURCE
#include "host_part.h"

#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

enum { FINGERPRINT_BYTES = 4096 };

host_context *host_find_context(const void *handle) {
    for (host_context *c = attach.contexts; c != NULL && handle != NULL; c = c->next) {
        if (c->handle == handle)
            return c;
    }
    return NULL;
}

host_module *host_find_module(host_context *context, const void *handle) {
    for (size_t i = context->module_count; i-- > 0;) {
        if (context->modules[i].handle == handle)
            return &context->modules[i];
    }
    return NULL;
}

uint64_t host_fingerprint(const char *bytes, size_t count) {
    count = count < FINGERPRINT_BYTES ? count : FINGERPRINT_BYTES;
    uint64_t hash = UINT64_C(0xcbf29ce484222325) ^ count;
    for (size_t i = 0; i < count; i++)
        hash = (hash ^ (uint8_t)bytes[i]) * UINT64_C(0x100000001b3);
    return hash;
}

bool host_is_still_there(const host_module *module) {
    char head[FINGERPRINT_BYTES];
    size_t count = module->cubin_bytes < sizeof head ? module->cubin_bytes : sizeof head;
    struct iovec to = {head, count}, from = {(void *)(uintptr_t)module->cubin, count};
    return count > 0 && process_vm_readv(getpid(), &to, 1, &from, 1, 0) == (ssize_t)count &&
           host_fingerprint(head, count) == module->fingerprint;
}

bool host_is_wanted(const char *name) {
    const host_settings *settings = &attach.settings;
    return !settings->has_kernels || regexec(&settings->kernels, name, 0, NULL, 0) == 0;
}
