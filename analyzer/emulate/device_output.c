/* SPDX-License-Identifier: MIT */
/*
 * What kernels print.
 */
#define _POSIX_C_SOURCE 200809L
#include "device_output.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "visible_text.h"

enum { PENDING_BYTES = 1 << 16, MOST_USUAL = 1 << 20 };

struct emu_output {
    FILE *to;
    bool is_terminal, is_counted; /* is_counted: the call at work is among the dropped */
    uint64_t used, most, dropped;
    size_t pending;
    char bytes[PENDING_BYTES];
};

struct emu_output *emu_output_new(FILE *to, uint64_t most) {
    struct emu_output *out = calloc(1, sizeof(*out));
    if (out == NULL)
        return NULL;
    out->to = to;
    out->most = most > 0 ? most : MOST_USUAL;
    const int number = fileno(to);
    out->is_terminal = number >= 0 && isatty(number) != 0;
    return out;
}

/* Lines end, and tabs stay: the rest of what is not to be seen could steer a terminal. */
static void put_visible(FILE *to, const char *bytes, size_t size) {
    for (size_t start = 0; start < size;) {
        size_t end = start;
        while (end < size && bytes[end] != '\n' && bytes[end] != '\t')
            end++;
        smp_visible_put(to, bytes + start, end - start);
        if (end < size)
            (void)fputc(bytes[end++], to);
        start = end;
    }
}

static void flush(struct emu_output *out) {
    if (out->is_terminal)
        put_visible(out->to, out->bytes, out->pending);
    else
        (void)fwrite(out->bytes, 1, out->pending, out->to);
    out->pending = 0;
}

void emu_output_begin(struct emu_output *out) {
    out->is_counted = false;
}

void emu_output_put(struct emu_output *out, const char *bytes, size_t size) {
    if (size > out->most - out->used) {
        size = (size_t)(out->most - out->used);
        out->dropped += !out->is_counted;
        out->is_counted = true;
    }
    out->used += size;
    while (size > 0) {
        const size_t room = PENDING_BYTES - out->pending, part = size < room ? size : room;
        memcpy(out->bytes + out->pending, bytes, part);
        out->pending += part;
        bytes += part;
        size -= part;
        if (out->pending == PENDING_BYTES)
            flush(out);
    }
}

uint64_t emu_output_free(struct emu_output *out) {
    if (out == NULL)
        return 0;
    flush(out);
    const uint64_t dropped = out->dropped;
    free(out);
    return dropped;
}
