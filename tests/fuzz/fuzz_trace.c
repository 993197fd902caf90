/* SPDX-License-Identifier: MIT */
/*
 * Any bytes as a trace: behind its header, or, if the first byte is odd, as the content of a block
 * that is packed as it should be. Rows that come out are predicted.
 */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "fuzz.h"
#include "smp_trace.h"

enum { FRAME = 24, ROOM = 1 << 20 };
static const uint8_t header[FRAME] = {0x50, 0x2a, 0x4d, 0x18, 16,  0,   0,   0, 's',
                                      'm',  'p',  't',  'r',  'a', 'c', 'e', 1};

/* A whole block around the content; returns its bytes, 0: it has no room. */
static size_t wrap(const uint8_t *data, size_t size, uint8_t *out) {
    static const uint8_t frame[16] = {0x51, 0x2a, 0x4d, 0x18, 16,  0,   0,   0,
                                      's',  'm',  'p',  'b',  'l', 'o', 'c', 'k'};
    const size_t packed = ZSTD_compress(out + FRAME, ROOM - 2 * FRAME, data, size, 1);
    if (ZSTD_isError(packed))
        return 0;
    memcpy(out, frame, sizeof frame);
    for (unsigned i = 0; i < 4; i++) {
        out[16 + i] = (uint8_t)(packed >> 8 * i);
        out[20 + i] = (uint8_t)(size >> 8 * i);
    }
    return FRAME + packed;
}

static void read_all(FILE *in) {
    static smp_row_counts counts[SMP_TRACE_ROWS_MAX];
    smp_trace_reader *reader;
    smp_trace_block block;
    smp_trace_loss loss;
    if (smp_trace_open(in, &reader, NULL) != SMP_OK)
        abort();
    for (uint64_t next = 0; smp_trace_next(reader, &block, &loss, NULL) == SMP_OK;) {
        smp_access access;
        if (block.first_row < next || block.first_row - next != loss.rows)
            abort();
        if (block.rows == 0)
            break;
        next = block.first_row + block.rows;
        (void)smp_predict_many(smp_arch_find("sm_90"), &block.many, 0, block.rows, counts, NULL,
                               NULL);
        smp_trace_access(&block, block.rows - 1, &access);
    }
    smp_trace_reader_free(reader);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static uint8_t bytes[ROOM];
    if (size == 0 || size > ROOM / 2)
        return 0;
    memcpy(bytes, header, FRAME);
    size_t length = size - 1;
    if (data[0] & 1)
        length = wrap(data + 1, size - 1, bytes + FRAME);
    else
        memcpy(bytes + FRAME, data + 1, length);
    FILE *in = fmemopen(bytes, FRAME + length, "rb");
    if (!in)
        return 0;
    read_all(in);
    fclose(in);
    return 0;
}
