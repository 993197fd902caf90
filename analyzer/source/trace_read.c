/* SPDX-License-Identifier: MIT */
/*
 * Traces, read: from block to block, over what is damaged to the next one that is sound.
 */
#include <stdlib.h>
#include <zstd.h>

#include "trace_bytes.h"

enum { INPUT_BYTES = 1 << 18 };
#define CONTENT_MAX trace_content_bytes(SMP_TRACE_ROWS_MAX, 2 * SMP_TRACE_ROWS_MAX, 2, 8)

struct smp_trace_reader {
    FILE *in;
    ZSTD_DCtx *zstd;
    uint8_t *input; /* bytes start .. end - 1 have been read and not been taken */
    size_t start, end, room;
    uint64_t offset; /* in the file, of `start` */
    uint64_t next_row;
    uint8_t *content;
    size_t content_room;
    /* The columns of the block that was read last. */
    uint32_t rows_room, shapes_room;
    uint8_t *ops, *widths;
    uint32_t *masks;
    uint64_t (*values[2])[SMP_LANES];
    uint64_t (*shapes)[SMP_LANES];
};

typedef enum frame_end { FRAME_READ, FRAME_BAD, FRAME_LAST, FRAME_CUT, FRAME_NO_MEMORY } frame_end;

bool smp_trace_is_one(const void *bytes, size_t size) {
    return size >= 16 && trace_get(bytes, 4) == TRACE_MAGIC_HEADER &&
           memcmp((const uint8_t *)bytes + 8, TRACE_TAG_HEADER, TRACE_TAG) == 0;
}

/* False: there is no memory. Less than `count` bytes may be there at the end of the file. */
static bool need(smp_trace_reader *r, size_t count) {
    if (r->end - r->start >= count)
        return true;
    const size_t room = count > r->room ? count + INPUT_BYTES : r->room;
    uint8_t *input = room > r->room ? malloc(room) : r->input;
    if (!input)
        return false;
    if (r->end > r->start)
        memmove(input, r->input + r->start, r->end - r->start);
    if (input != r->input)
        free(r->input);
    r->input = input;
    r->room = room;
    r->end -= r->start;
    r->start = 0;
    r->end += fread(r->input + r->end, 1, r->room - r->end, r->in);
    return true;
}

static void take(smp_trace_reader *r, size_t count) {
    r->start += count;
    r->offset += count;
}

smp_status smp_trace_open(FILE *in, smp_trace_reader **out, smp_error *error) {
    smp_trace_reader *r = calloc(1, sizeof *r);
    *out = NULL;
    if (r)
        r->zstd = ZSTD_createDCtx();
    if (!r || !r->zstd || (r->in = in, !need(r, TRACE_FRAME))) {
        smp_trace_reader_free(r);
        return smp_error_memory(error);
    }
    const uint64_t version = r->end >= TRACE_FRAME ? trace_get(r->input + 16, 4) : 0;
    if (!smp_trace_is_one(r->input, r->end) || version != SMP_TRACE_VERSION) {
        const bool is_newer = smp_trace_is_one(r->input, r->end) && version > SMP_TRACE_VERSION;
        smp_trace_reader_free(r);
        return smp_error_set(error, SMP_E_SYNTAX, -1,
                             is_newer ? "the trace has version %u, this program reads %u: a newer "
                                        "smemprobe reads it"
                                      : "this is no trace",
                             (unsigned)version, (unsigned)SMP_TRACE_VERSION);
    }
    take(r, TRACE_FRAME);
    *out = r;
    return SMP_OK;
}

void smp_trace_reader_free(smp_trace_reader *r) {
    if (!r)
        return;
    (void)ZSTD_freeDCtx(r->zstd);
    free(r->input);
    free(r->content);
    free(r->ops);
    free(r->widths);
    free(r->masks);
    free(r->values[0]);
    free(r->values[1]);
    free(r->shapes);
    free(r);
}

static bool make_room(smp_trace_reader *r, uint32_t rows, uint32_t shapes) {
    if (rows > r->rows_room) {
        free(r->ops);
        free(r->widths);
        free(r->masks);
        free(r->values[0]);
        free(r->values[1]);
        r->ops = malloc(rows);
        r->widths = malloc(rows);
        r->masks = malloc(rows * sizeof *r->masks);
        r->values[0] = malloc(rows * sizeof *r->values[0]);
        r->values[1] = malloc(rows * sizeof *r->values[1]);
        r->rows_room = r->ops && r->widths && r->masks && r->values[0] && r->values[1] ? rows : 0;
    }
    if (shapes > r->shapes_room) {
        free(r->shapes);
        r->shapes = malloc(shapes * sizeof *r->shapes);
        r->shapes_room = r->shapes ? shapes : 0;
    }
    return r->rows_room >= rows && r->shapes_room >= shapes;
}

/* Numbers from their bytes: the lowest of all, then the next of all. */
static void expand_shapes(smp_trace_reader *r, const uint8_t *at, size_t numbers, unsigned bytes,
                          unsigned shift) {
    uint64_t *out = r->shapes[0];
    if (bytes == 1) {
        for (size_t i = 0; i < numbers; i++)
            out[i] = (uint64_t)at[i] << shift;
    } else if (bytes == 2) {
        const uint8_t *high = at + numbers;
        for (size_t i = 0; i < numbers; i++)
            out[i] = (uint64_t)(uint32_t)(at[i] | (uint32_t)high[i] << 8) << shift;
    } else if (bytes == 4) {
        const uint8_t *b = at + numbers, *c = b + numbers, *d = c + numbers;
        for (size_t i = 0; i < numbers; i++)
            out[i] = (uint64_t)(at[i] | (uint32_t)b[i] << 8 | (uint32_t)c[i] << 16 |
                                (uint32_t)d[i] << 24)
                     << shift;
    } else {
        for (size_t i = 0; i < numbers; i++)
            out[i] = 0;
        for (unsigned byte = 0; byte < bytes; byte++)
            for (size_t i = 0; i < numbers; i++)
                out[i] |= (uint64_t)at[byte * numbers + i] << 8 * byte << shift;
    }
}

/* False: an index is outside. */
static bool fill_list(smp_trace_reader *r, unsigned list, const uint8_t *at, uint32_t rows,
                      uint32_t shapes) {
    const uint8_t *index = at + (size_t)rows * 8;
    for (uint32_t i = 0; i < rows; i++) {
        uint32_t shape;
        uint64_t base;
        memcpy(&base, at + (size_t)i * 8, sizeof base);
        memcpy(&shape, index + (size_t)i * 4, sizeof shape);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
        base = __builtin_bswap64(base);
        shape = __builtin_bswap32(shape);
#endif
        if (shape >= shapes)
            return false;
        for (unsigned lane = 0; lane < SMP_LANES; lane++)
            r->values[list][i][lane] = base + r->shapes[shape][lane];
    }
    return true;
}

static smp_lane_array lanes_of(const smp_trace_reader *r, unsigned list) {
    return (smp_lane_array){.data = r->values[list],
                            .row_stride_bytes = sizeof r->values[list][0],
                            .lane_stride_bytes = sizeof r->values[list][0][0],
                            .number = SMP_NUMBER_U64};
}

static frame_end decode(smp_trace_reader *r, size_t length, smp_trace_block *out) {
    const uint8_t *at = r->content;
    if (length < TRACE_HEAD)
        return FRAME_BAD;
    const uint64_t rows = trace_get(at + 8, 4), shapes = trace_get(at + 12, 4);
    const unsigned lists = at[16], bytes = at[17], shift = at[18];
    const bool is_sound = rows > 0 && rows <= SMP_TRACE_ROWS_MAX && shapes > 0 &&
                          shapes <= 2 * SMP_TRACE_ROWS_MAX && (lists == 1 || lists == 2) &&
                          (bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8) && shift <= 4 &&
                          length == trace_content_bytes(rows, shapes, lists, bytes);
    *out = (smp_trace_block){.first_row = trace_get(at, 8), .rows = (uint32_t)rows};
    if (!is_sound || out->first_row < r->next_row || out->first_row > UINT64_MAX / 2)
        return FRAME_BAD;
    if (!make_room(r, (uint32_t)rows, (uint32_t)shapes))
        return FRAME_NO_MEMORY;
    at += TRACE_HEAD;
    memcpy(r->ops, at, rows);
    memcpy(r->widths, at + rows, rows);
    for (size_t i = 0; i < rows; i++)
        r->masks[i] = (uint32_t)trace_get(at + 2 * rows + 4 * i, 4);
    at += 6 * rows;
    expand_shapes(r, at + lists * 12 * rows, (size_t)shapes * SMP_LANES, bytes, shift);
    for (unsigned list = 0; list < lists; list++, at += 12 * rows)
        if (!fill_list(r, list, at, (uint32_t)rows, (uint32_t)shapes))
            return FRAME_BAD;
    out->many = (smp_many){
        .ops = r->ops, .widths = r->widths, .masks = r->masks, .offsets = lanes_of(r, 0)};
    if (lists == 2)
        out->many.addresses = lanes_of(r, 1);
    return FRAME_READ;
}

/* At a frame; takes it if it is sound. */
static frame_end read_frame(smp_trace_reader *r, smp_trace_block *out) {
    if (!need(r, TRACE_FRAME))
        return FRAME_NO_MEMORY;
    if (r->end - r->start < TRACE_FRAME)
        return FRAME_CUT;
    const uint8_t *frame = r->input + r->start;
    if (trace_is_frame(frame, TRACE_MAGIC_END, TRACE_TAG_END)) {
        *out = (smp_trace_block){.first_row = trace_get(frame + 16, 8)};
        return FRAME_LAST;
    }
    if (!trace_is_frame(frame, TRACE_MAGIC_BLOCK, TRACE_TAG_BLOCK))
        return FRAME_BAD;
    const size_t packed = trace_get(frame + 16, 4), plain = trace_get(frame + 20, 4);
    if (plain > CONTENT_MAX || packed > ZSTD_compressBound(plain))
        return FRAME_BAD;
    if (!need(r, TRACE_FRAME + packed))
        return FRAME_NO_MEMORY;
    if (r->end - r->start < TRACE_FRAME + packed)
        return FRAME_BAD; /* cut, or its size is wrong and others follow */
    if (plain > r->content_room) {
        free(r->content);
        r->content = malloc(plain);
        r->content_room = r->content ? plain : 0;
        if (!r->content)
            return FRAME_NO_MEMORY;
    }
    const size_t got =
        ZSTD_decompressDCtx(r->zstd, r->content, plain, r->input + r->start + TRACE_FRAME, packed);
    if (ZSTD_isError(got) || got != plain)
        return FRAME_BAD;
    const frame_end end = decode(r, got, out);
    if (end == FRAME_READ)
        take(r, TRACE_FRAME + packed);
    return end;
}

/* Goes to the next place where a frame may begin, behind this one. */
static bool skip_to_frame(smp_trace_reader *r) {
    take(r, 1);
    for (;;) {
        if (!need(r, TRACE_FRAME))
            return false;
        if (r->end - r->start < TRACE_FRAME)
            return true;
        for (; r->end - r->start >= TRACE_FRAME; take(r, 1)) {
            const uint8_t *at = r->input + r->start;
            if (at[0] >= 0x51 && at[0] <= 0x52 &&
                (trace_is_frame(at, TRACE_MAGIC_BLOCK, TRACE_TAG_BLOCK) ||
                 trace_is_frame(at, TRACE_MAGIC_END, TRACE_TAG_END)))
                return true;
        }
    }
}

smp_status smp_trace_next(smp_trace_reader *r, smp_trace_block *out, smp_trace_loss *loss,
                          smp_error *error) {
    *loss = (smp_trace_loss){.offset = UINT64_MAX, .first_row = r->next_row};
    for (;;) {
        const uint64_t offset = r->offset;
        const frame_end end = read_frame(r, out);
        if (end == FRAME_NO_MEMORY)
            return smp_error_memory(error);
        if (end == FRAME_BAD || (end == FRAME_LAST && out->first_row < r->next_row)) {
            loss->offset = loss->offset == UINT64_MAX ? offset : loss->offset;
            if (!skip_to_frame(r))
                return smp_error_memory(error);
            continue;
        }
        if (ferror(r->in))
            return smp_error_set(error, SMP_E_READ, -1, "the trace could not be read");
        if (end == FRAME_CUT)
            *out = (smp_trace_block){.first_row = r->next_row};
        loss->is_cut = end == FRAME_CUT;
        loss->rows = out->first_row - r->next_row;
        if ((loss->rows > 0 || loss->is_cut) && loss->offset == UINT64_MAX)
            loss->offset = offset;
        r->next_row = out->first_row + out->rows;
        return SMP_OK;
    }
}

void smp_trace_access(const smp_trace_block *block, uint32_t row, smp_access *out) {
    const smp_many *many = &block->many;
    *out = (smp_access){.op = (smp_op)many->ops[row],
                        .width_bytes = many->widths[row],
                        .active_mask = many->masks[row]};
    const uint64_t *first = (const uint64_t *)many->offsets.data + (size_t)row * SMP_LANES;
    const uint64_t *second = (const uint64_t *)many->addresses.data;
    const bool is_known = (unsigned)out->op < SMP_OP_COUNT;
    const bool is_global = is_known && smp_ops(NULL)[out->op].space == SMP_SPACE_GLOBAL;
    for (unsigned lane = 0; lane < SMP_LANES; lane++) {
        if (is_global)
            out->address_bytes[lane] = first[lane];
        else
            out->offset_bytes[lane] = (uint32_t)first[lane];
        if (second && !is_global)
            out->address_bytes[lane] = second[(size_t)row * SMP_LANES + lane];
    }
}
