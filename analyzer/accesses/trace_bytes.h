/* SPDX-License-Identifier: MIT */
/*
 * The frames of a trace (smp_trace.h) as numbers. Internal to accesses/.
 */
#pragma once

#include <stdint.h>
#include <string.h>

#include "smp_trace.h"

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

/* Bytes of the content of a block. */
static inline uint64_t trace_content_bytes(uint64_t rows, uint64_t shapes, unsigned lists,
                                           unsigned bytes) {
    return TRACE_HEAD + rows * (1 + 1 + 4 + 12 * lists) + shapes * SMP_LANES * bytes;
}
