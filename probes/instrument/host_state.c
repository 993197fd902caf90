/* SPDX-License-Identifier: MIT */
/* The library's shared state, its lock, and its notes. */
#define _GNU_SOURCE
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "host_part.h"

enum { NOTE_BYTES = 4096 };

inject attach = {.lock = PTHREAD_MUTEX_INITIALIZER, .writer = {.file = -1}};

void host_note(const char *format, ...) {
    char text[NOTE_BYTES];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    (void)instrument_write_text(&attach.writer, INSTRUMENT_NOTE, text);
}

void host_outside(void) {
    pthread_mutex_unlock(&attach.lock);
}

void host_inside(void) {
    pthread_mutex_lock(&attach.lock);
}

double host_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

double host_age(void) {
    char text[1024];
    FILE *file = fopen("/proc/self/stat", "r");
    const size_t length = file ? fread(text, 1, sizeof text - 1, file) : 0;
    if (file)
        fclose(file);
    text[length] = '\0';
    const char *at = strrchr(text, ')'); /* after the name, which may contain anything */
    for (int field = 2; at && field < 22; field++)
        at = strchr(at + 1, ' ');
    struct timespec up;
    if (!at || clock_gettime(CLOCK_BOOTTIME, &up) != 0)
        return 0;
    const double begun = strtod(at, NULL) / (double)sysconf(_SC_CLK_TCK);
    const double seconds = (double)up.tv_sec + (double)up.tv_nsec * 1e-9 - begun;
    return seconds > 0 ? seconds : 0;
}

void *host_grow(void **list, size_t *count, size_t bytes) {
    void *grown = realloc(*list, (*count + 1) * bytes);
    if (!grown)
        return NULL;
    *list = grown;
    return memset((char *)grown + (*count)++ * bytes, 0, bytes);
}

const char *host_result(int result) {
    const char *text = NULL;
    if (!attach.san.GetResultString || attach.san.GetResultString(result, &text) != 0)
        text = NULL;
    return text ? text : "unknown error";
}

/* ---- Contexts and modules by their handles, and what of them is wanted ---- */

enum { FINGERPRINT_BYTES = 4096 };

host_context *host_find_context(const void *handle) {
    for (host_context *c = attach.contexts; c && handle; c = c->next) {
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

bool host_is_budgeted(void) {
    return attach.settings.overhead > 0;
}

bool host_only_counts(void) {
    return attach.settings.launches_max == 0;
}

bool host_is_limited(void) {
    return host_is_budgeted() ||
           (attach.settings.launches_max != UINT64_MAX && !host_only_counts());
}

void host_enable(bool is_enabled, int domain, uint32_t id) {
    (void)attach.san.EnableCallback(is_enabled, attach.subscriber, domain, id);
}

bool host_is_wanted(const char *name) {
    const host_settings *settings = &attach.settings;
    return !settings->has_kernels || regexec(&settings->kernels, name, 0, NULL, 0) == 0;
}
