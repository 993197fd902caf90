/* SPDX-License-Identifier: MIT */
/* Writes traces: collects rows, stores lists of the same shape once, and compresses blocks. */
#include <errno.h>
#include <stdlib.h>
#include <zstd.h>

#include "file_stream.h"

enum { ROWS = SMP_TRACE_BLOCK_ROWS, SHAPES_MAX = 2 * ROWS, SLOTS = 4 * ROWS };
enum { LEVEL = 1, LEVEL_PLAIN = -300 }; /* LEVEL_PLAIN: for numbers that do not compress */

struct smp_trace_writer {
    FILE *out;
    ZSTD_CCtx *zstd;
    uint64_t first_row;
    uint32_t rows, shapes;
    unsigned lists;
    uint64_t bits; /* union of the bits of all numbers */
    uint8_t ops[ROWS], widths[ROWS];
    uint32_t masks[ROWS], shape[2][ROWS], slots[SLOTS]; /* slots: index of a shape + 1 */
    uint64_t base[2][ROWS], numbers[SHAPES_MAX][SMP_LANES];
    uint8_t content[TRACE_HEAD + ROWS * 30 + SHAPES_MAX * SMP_LANES * 8];
    uint8_t packed[];
};

static smp_status write_error(smp_error *error) {
    return smp_error_set(error, SMP_E_WRITE, -1, "the trace could not be written: %s",
                         strerror(errno));
}

smp_trace_writer *smp_trace_writer_new(FILE *out) {
    uint8_t frame[TRACE_FRAME];
    smp_trace_writer *writer;
    writer = malloc(sizeof *writer + ZSTD_compressBound(sizeof writer->content));
    if (!writer)
        return NULL;
    memset(writer, 0, offsetof(smp_trace_writer, ops));
    memset(writer->slots, 0, sizeof writer->slots);
    writer->out = out;
    writer->lists = 1;
    writer->zstd = ZSTD_createCCtx();
    trace_put_frame(frame, TRACE_MAGIC_HEADER, TRACE_TAG_HEADER, SMP_TRACE_VERSION, 0);
    if (!writer->zstd || fwrite(frame, sizeof frame, 1, out) != 1) {
        smp_trace_writer_free(writer);
        return NULL;
    }
    (void)ZSTD_CCtx_setParameter(writer->zstd, ZSTD_c_checksumFlag, 1);
    return writer;
}

void smp_trace_writer_free(smp_trace_writer *writer) {
    if (!writer)
        return;
    (void)ZSTD_freeCCtx(writer->zstd);
    free(writer);
}

/* Index of the shape in the block; adds it if new. */
static uint32_t shape_of(smp_trace_writer *writer, const uint64_t numbers[SMP_LANES]) {
    uint64_t hash = 0;
    for (unsigned lane = 0; lane < SMP_LANES; lane++)
        hash = (hash ^ numbers[lane]) * UINT64_C(0x9e3779b97f4a7c15) + (hash >> 29);
    for (uint32_t at = (uint32_t)(hash >> 40) % SLOTS;; at = (at + 1) % SLOTS) {
        const uint32_t slot = writer->slots[at];
        if (slot != 0 && memcmp(writer->numbers[slot - 1], numbers, SMP_LANES * 8) != 0)
            continue;
        if (slot != 0)
            return slot - 1;
        for (unsigned lane = 0; lane < SMP_LANES; lane++)
            writer->bits |= numbers[lane];
        memcpy(writer->numbers[writer->shapes], numbers, SMP_LANES * 8);
        writer->slots[at] = ++writer->shapes;
        return writer->shapes - 1;
    }
}

static void put_list(smp_trace_writer *writer, unsigned list, const uint64_t values[SMP_LANES],
                     uint32_t mask) {
    uint64_t least = UINT64_MAX, numbers[SMP_LANES];
    for (unsigned lane = 0; lane < SMP_LANES; lane++)
        if (mask >> lane & 1 && values[lane] < least)
            least = values[lane];
    least = mask == 0 ? 0 : least;
    for (unsigned lane = 0; lane < SMP_LANES; lane++)
        numbers[lane] = mask >> lane & 1 ? values[lane] - least : 0;
    writer->base[list][writer->rows] = least;
    writer->shape[list][writer->rows] = shape_of(writer, numbers);
}

static uint8_t *put_column(uint8_t *at, const void *values, size_t count, unsigned bytes) {
    for (size_t i = 0; i < count; i++, at += bytes)
        trace_put(at,
                  bytes == 1   ? ((const uint8_t *)values)[i]
                  : bytes == 4 ? ((const uint32_t *)values)[i]
                               : ((const uint64_t *)values)[i],
                  bytes);
    return at;
}

/* Fills `content` and returns its size. */
static size_t lay_out(smp_trace_writer *writer) {
    const unsigned zeros = writer->bits == 0 ? 0 : (unsigned)__builtin_ctzll(writer->bits);
    const unsigned shift = zeros < 4 ? zeros : 4;
    const uint64_t most = writer->bits >> shift;
    const unsigned bytes = most >> 32 ? 8 : most >> 16 ? 4 : most >> 8 ? 2 : 1;
    const uint32_t rows = writer->rows;
    uint8_t *at = writer->content;
    memset(at, 0, TRACE_HEAD);
    trace_put(at, writer->first_row, 8);
    trace_put(at + 8, rows, 4);
    trace_put(at + 12, writer->shapes, 4);
    at[16] = (uint8_t)writer->lists;
    at[17] = (uint8_t)bytes;
    at[18] = (uint8_t)shift;
    at = put_column(at + TRACE_HEAD, writer->ops, rows, 1);
    at = put_column(at, writer->widths, rows, 1);
    at = put_column(at, writer->masks, rows, 4);
    for (unsigned list = 0; list < writer->lists; list++) {
        at = put_column(at, writer->base[list], rows, 8);
        at = put_column(at, writer->shape[list], rows, 4);
    }
    for (unsigned byte = 0; byte < bytes; byte++)
        for (uint32_t s = 0; s < writer->shapes; s++)
            for (unsigned lane = 0; lane < SMP_LANES; lane++)
                *at++ = (uint8_t)(writer->numbers[s][lane] >> shift >> 8 * byte);
    return (size_t)(at - writer->content);
}

static size_t pack(smp_trace_writer *writer, size_t length, int level) {
    (void)ZSTD_CCtx_setParameter(writer->zstd, ZSTD_c_compressionLevel, level);
    return ZSTD_compress2(writer->zstd, writer->packed, ZSTD_compressBound(length), writer->content,
                          length);
}

static smp_status flush_block(smp_trace_writer *writer, smp_error *error) {
    uint8_t frame[TRACE_FRAME];
    if (writer->rows == 0)
        return SMP_OK;
    const size_t length = lay_out(writer);
    size_t size = pack(writer, length, LEVEL);
    if (!ZSTD_isError(size) && size > length / 10 * 4)
        size = pack(writer, length, LEVEL_PLAIN);
    if (ZSTD_isError(size))
        return smp_error_memory(error);
    trace_put_frame(frame, TRACE_MAGIC_BLOCK, TRACE_TAG_BLOCK, (uint32_t)size, (uint32_t)length);
    if (fwrite(frame, sizeof frame, 1, writer->out) != 1 ||
        fwrite(writer->packed, size, 1, writer->out) != 1)
        return write_error(error);
    writer->first_row += writer->rows;
    writer->rows = writer->shapes = 0;
    writer->lists = 1;
    writer->bits = 0;
    memset(writer->slots, 0, sizeof writer->slots);
    return SMP_OK;
}

smp_status smp_trace_put(smp_trace_writer *writer, const smp_access *access, smp_error *error) {
    static const uint64_t none[SMP_LANES];
    const smp_space space = smp_ops(NULL)[access->op].space;
    const bool is_copy = space == SMP_SPACE_COPY;
    uint64_t offsets[SMP_LANES];
    for (unsigned lane = 0; lane < SMP_LANES; lane++)
        offsets[lane] =
            space == SMP_SPACE_GLOBAL ? access->address_bytes[lane] : access->offset_bytes[lane];
    put_list(writer, 0, offsets, access->active_mask);
    put_list(writer, 1, is_copy ? access->address_bytes : none, is_copy ? access->active_mask : 0);
    writer->lists = is_copy ? 2 : writer->lists;
    writer->ops[writer->rows] = (uint8_t)access->op;
    writer->widths[writer->rows] = (uint8_t)access->width_bytes;
    writer->masks[writer->rows] = access->active_mask;
    return ++writer->rows == ROWS ? flush_block(writer, error) : SMP_OK;
}

smp_status smp_trace_put_many(smp_trace_writer *writer, const smp_many *many, size_t first,
                              size_t count, size_t *bad_row, smp_error *error) {
    for (size_t i = 0; i < count; i++) {
        smp_access access;
        smp_status status = smp_many_access(many, first + i, &access, error);
        if (status != SMP_OK && bad_row)
            *bad_row = first + i;
        if (status == SMP_OK)
            status = smp_trace_put(writer, &access, error);
        if (status != SMP_OK)
            return status;
    }
    return SMP_OK;
}

smp_status smp_trace_finish(smp_trace_writer *writer, smp_error *error) {
    uint8_t frame[TRACE_FRAME];
    smp_status status = flush_block(writer, error);
    if (status != SMP_OK)
        return status;
    trace_put_frame(frame, TRACE_MAGIC_END, TRACE_TAG_END, (uint32_t)writer->first_row,
                    (uint32_t)(writer->first_row >> 32));
    return fwrite(frame, sizeof frame, 1, writer->out) == 1 ? SMP_OK : write_error(error);
}
