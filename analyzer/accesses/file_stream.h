/* SPDX-License-Identifier: MIT */
/* Shared by both forms of a file of accesses (stream.h). Internal to accesses/. */
#pragma once

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "smp_trace.h"
#include "stream.h"

typedef struct file_reading {
    const smp_file *from;
    smp_visit_fn visit;
    void *user;
    uint64_t index; /* current line or row */
} file_reading;

/* file_reading.c */

/* Waits for input, calling goes_on meanwhile, since a blocking read may never return. False if the
 * caller wants to stop. */
bool file_waits(const smp_file *from);
/* SMP_E_INTERRUPTED if the caller wants to stop. */
smp_status file_goes_on(const smp_file *from, smp_error *error);
/* Reports an error, or ends the stream with it. `index` and `column` as in smp_file.wrong. */
smp_status file_wrong(const file_reading *r, uint64_t index, int column, const char *what,
                      smp_error *error);
/* True if a visitor that returns this status must not be called again. */
bool file_is_over(smp_status status);

/* lines.c: a text whose first bytes, at most 16, have been read already. */
smp_status file_visit_lines(file_reading *r, const char *head, size_t head_bytes, smp_error *error);
/* A trace, from its first byte. */
smp_status file_visit_trace(file_reading *r, FILE *in, smp_error *error);

/* ---- The bytes of a trace ---- */

enum { TRACE_FRAME = 24, TRACE_TAG = 8, TRACE_HEAD = 24, TRACE_BODY = 16 };
#define TRACE_MAGIC_HEADER 0x184D2A50u
#define TRACE_MAGIC_BLOCK 0x184D2A51u
#define TRACE_MAGIC_END 0x184D2A52u
#define TRACE_TAG_HEADER "smptrace"
#define TRACE_TAG_BLOCK "smpblock"
#define TRACE_TAG_END "smptrend"

static inline void trace_put(uint8_t *at, uint64_t value, unsigned bytes) {
    for (unsigned i = 0; i < bytes; i++)
        at[i] = (uint8_t)(value >> 8 * i);
}

static inline uint64_t trace_get(const uint8_t *at, unsigned bytes) {
    uint64_t value = 0;
    for (unsigned i = 0; i < bytes; i++)
        value |= (uint64_t)at[i] << 8 * i;
    return value;
}

/* A skippable frame of zstd: magic, length, tag, two numbers. */
static inline void trace_put_frame(uint8_t at[TRACE_FRAME], uint32_t magic, const char *tag,
                                   uint32_t first, uint32_t second) {
    trace_put(at, magic, 4);
    trace_put(at + 4, TRACE_BODY, 4);
    memcpy(at + 8, tag, TRACE_TAG);
    trace_put(at + 16, first, 4);
    trace_put(at + 20, second, 4);
}

static inline bool trace_is_frame(const uint8_t at[TRACE_FRAME], uint32_t magic, const char *tag) {
    return trace_get(at, 4) == magic && trace_get(at + 4, 4) == TRACE_BODY &&
           memcmp(at + 8, tag, TRACE_TAG) == 0;
}

/* Size of a block's content in bytes. */
static inline uint64_t trace_content_bytes(uint64_t rows, uint64_t shapes, unsigned lists,
                                           unsigned bytes) {
    return TRACE_HEAD + rows * (1 + 1 + 4 + 12 * lists) + shapes * SMP_LANES * bytes;
}
