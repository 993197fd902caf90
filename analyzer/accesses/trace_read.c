/* SPDX-License-Identifier: MIT */
/* Reads traces block by block, skipping damaged ones. */
#include <stdlib.h>
#include <zstd.h>

#include "cloned.h"
#include "file_stream.h"

enum { INPUT_BYTES = 1 << 18 };
#define CONTENT_MAX trace_content_bytes(SMP_TRACE_ROWS_MAX, 2 * SMP_TRACE_ROWS_MAX, 2, 8)

struct smp_trace_reader {
    FILE *in;
    ZSTD_DCtx *zstd;
    uint8_t *input; /* bytes start .. end - 1 are buffered */
    size_t start, end, room;
    uint64_t offset; /* of `start` in the file */
    uint64_t next_row;
    uint8_t *content;
    size_t content_room;
    /* Columns of the current block. */
    uint32_t rows_room;
    uint8_t *ops, *widths;
    uint32_t *masks;
    uint64_t (*values[2])[SMP_LANES]; /* or as many 32-bit numbers */
};

typedef enum frame_end { FRAME_READ, FRAME_BAD, FRAME_LAST, FRAME_CUT, FRAME_NO_MEMORY } frame_end;

bool smp_trace_is_one(const void *bytes, size_t size) {
    return size >= 16 && trace_get(bytes, 4) == TRACE_MAGIC_HEADER &&
           memcmp((const uint8_t *)bytes + 8, TRACE_TAG_HEADER, TRACE_TAG) == 0;
}

/* Buffers `count` bytes, or fewer at the end of the file; false if out of memory. For blocks larger
 * than INPUT_BYTES, reads ahead no further than the next frame, since those bytes would have to be
 * moved. */
static bool need(smp_trace_reader *r, size_t count) {
    if (r->end - r->start >= count)
        return true;
    const size_t ahead = count + TRACE_FRAME > INPUT_BYTES ? count + TRACE_FRAME : INPUT_BYTES;
    const size_t room = ahead > r->room ? ahead + ahead / 8 : r->room;
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
    r->end += fread(r->input + r->end, 1, ahead - r->end, r->in);
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
                                      : "this is not a trace",
                             (unsigned)version, (unsigned)SMP_TRACE_VERSION);
    }
    take(r, TRACE_FRAME);
    *out = r;
    return SMP_OK;
}

static void free_columns(smp_trace_reader *r) {
    free(r->ops);
    free(r->widths);
    free(r->masks);
    free(r->values[0]);
    free(r->values[1]);
}

void smp_trace_reader_free(smp_trace_reader *r) {
    if (!r)
        return;
    (void)ZSTD_freeDCtx(r->zstd);
    free(r->input);
    free(r->content);
    free_columns(r);
    free(r);
}

static bool make_room(smp_trace_reader *r, uint32_t rows) {
    if (rows <= r->rows_room)
        return true;
    free_columns(r);
    r->ops = malloc(rows);
    r->widths = malloc(rows);
    r->masks = malloc(rows * sizeof *r->masks);
    r->values[0] = malloc(rows * sizeof *r->values[0]);
    r->values[1] = malloc(rows * sizeof *r->values[1]);
    r->rows_room = r->ops && r->widths && r->masks && r->values[0] && r->values[1] ? rows : 0;
    return r->rows_room > 0;
}

/* The shapes of a block: the lowest byte of all lanes, then the next byte, and so on. */
typedef struct shape_planes {
    const uint8_t *at;
    size_t numbers;
    uint32_t shapes;
    unsigned bytes, shift;
} shape_planes;

static inline __attribute__((always_inline)) uint64_t number_of(const uint8_t *at, size_t numbers,
                                                                unsigned bytes, unsigned lane) {
    uint64_t number = 0;
    for (unsigned byte = 0; byte < bytes; byte++)
        number |= (uint64_t)at[byte * numbers + lane] << 8 * byte;
    return number;
}

/* Fills rows directly from the bytes, since most shapes occur once. False if an index is out of
 * range. */
static inline __attribute__((always_inline)) bool fill_rows(void *out, const uint8_t *at,
                                                            uint32_t rows,
                                                            const shape_planes *shapes,
                                                            unsigned bytes, bool is_narrow) {
    const uint8_t *index = at + (size_t)rows * 8;
    const unsigned shift = shapes->shift;
    for (uint32_t i = 0; i < rows; i++) {
        const uint32_t shape = (uint32_t)trace_get(index + (size_t)i * 4, 4);
        const uint64_t base = trace_get(at + (size_t)i * 8, 8);
        if (shape >= shapes->shapes)
            return false;
        const uint8_t *lanes = shapes->at + (size_t)shape * SMP_LANES;
        if (is_narrow) {
            uint32_t *restrict row = (uint32_t *)out + (size_t)i * SMP_LANES;
            for (unsigned lane = 0; lane < SMP_LANES; lane++)
                row[lane] = (uint32_t)base +
                            ((uint32_t)number_of(lanes, shapes->numbers, bytes, lane) << shift);
        } else {
            uint64_t *restrict row = (uint64_t *)out + (size_t)i * SMP_LANES;
            for (unsigned lane = 0; lane < SMP_LANES; lane++)
                row[lane] = base + (number_of(lanes, shapes->numbers, bytes, lane) << shift);
        }
    }
    return true;
}

/* True if every lane of the rows fits 32 bits, as shared memory offsets do. */
static bool fits_narrow(const uint8_t *at, uint32_t rows, const shape_planes *shapes) {
    uint64_t highest = 0;
    for (uint32_t i = 0; i < rows; i++) {
        const uint64_t base = trace_get(at + (size_t)i * 8, 8);
        highest = base > highest ? base : highest;
    }
    return shapes->bytes <= 2 && highest <= UINT32_MAX - (UINT64_C(0xffff) << shapes->shift);
}

LANES_CLONED static bool fill_list(void *out, const uint8_t *at, uint32_t rows,
                                   const shape_planes *shapes, bool is_narrow) {
    switch (shapes->bytes) {
    case 1:
        return is_narrow ? fill_rows(out, at, rows, shapes, 1, true)
                         : fill_rows(out, at, rows, shapes, 1, false);
    case 2:
        return is_narrow ? fill_rows(out, at, rows, shapes, 2, true)
                         : fill_rows(out, at, rows, shapes, 2, false);
    case 4:
        return fill_rows(out, at, rows, shapes, 4, false);
    default:
        return fill_rows(out, at, rows, shapes, 8, false);
    }
}

/* The lanes of one list of the block; data is NULL if an index is out of range. */
static smp_lane_array read_list(void *room, const uint8_t *at, uint32_t rows,
                                const shape_planes *shapes) {
    const bool is_narrow = fits_narrow(at, rows, shapes);
    const ptrdiff_t bytes = is_narrow ? 4 : 8;
    const bool is_sound = fill_list(room, at, rows, shapes, is_narrow);
    return (smp_lane_array){.data = is_sound ? room : NULL,
                            .row_stride_bytes = SMP_LANES * bytes,
                            .lane_stride_bytes = bytes,
                            .number = is_narrow ? SMP_NUMBER_U32 : SMP_NUMBER_U64};
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
    if (!make_room(r, (uint32_t)rows))
        return FRAME_NO_MEMORY;
    at += TRACE_HEAD;
    memcpy(r->ops, at, rows);
    memcpy(r->widths, at + rows, rows);
    for (size_t i = 0; i < rows; i++)
        r->masks[i] = (uint32_t)trace_get(at + 2 * rows + 4 * i, 4);
    at += 6 * rows;
    const shape_planes planes = {.at = at + lists * 12 * rows,
                                 .numbers = (size_t)shapes * SMP_LANES,
                                 .shapes = (uint32_t)shapes,
                                 .bytes = bytes,
                                 .shift = shift};
    smp_lane_array read[2] = {{.data = NULL}};
    for (unsigned list = 0; list < lists; list++, at += 12 * rows) {
        read[list] = read_list(r->values[list], at, (uint32_t)rows, &planes);
        if (!read[list].data)
            return FRAME_BAD;
    }
    out->many = (smp_many){.ops = r->ops,
                           .widths = r->widths,
                           .masks = r->masks,
                           .offsets = read[0],
                           .addresses = read[1]};
    return FRAME_READ;
}

/* Reads the frame at the current position and takes it if it is valid. */
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
        return FRAME_BAD; /* truncated, or its size is wrong and others follow */
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

/* Skips to the next possible start of a frame. */
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

static uint64_t lane_at(const smp_lane_array *from, uint32_t row, unsigned lane) {
    const size_t at = (size_t)row * SMP_LANES + lane;
    return from->number == SMP_NUMBER_U32 ? ((const uint32_t *)from->data)[at]
                                          : ((const uint64_t *)from->data)[at];
}

void smp_trace_access(const smp_trace_block *block, uint32_t row, smp_access *out) {
    const smp_many *many = &block->many;
    *out = (smp_access){.op = (smp_op)many->ops[row],
                        .width_bytes = many->widths[row],
                        .active_mask = many->masks[row]};
    const bool is_known = (unsigned)out->op < SMP_OP_COUNT;
    const bool is_global = is_known && smp_ops(NULL)[out->op].space == SMP_SPACE_GLOBAL;
    for (unsigned lane = 0; lane < SMP_LANES; lane++) {
        const uint64_t first = lane_at(&many->offsets, row, lane);
        if (is_global)
            out->address_bytes[lane] = first;
        else
            out->offset_bytes[lane] = (uint32_t)first;
        if (many->addresses.data && !is_global)
            out->address_bytes[lane] = lane_at(&many->addresses, row, lane);
    }
}
