/* SPDX-License-Identifier: MIT */
/*
 * Many accesses that lie in arrays of another program. Rows of one operation and width whose
 * numbers lie side by side go through vector registers together (rows.h), where the rule is the
 * common one; each other row becomes an smp_access and goes through smp_predict. Nothing is decided
 * here.
 */
#include <string.h>

#include "mask.h"
#include "op.h"
#include "rows.h"
#include "rule.h"

#define LOAD(type)                                                 \
    for (unsigned lane = 0; lane < SMP_LANES; lane++) {            \
        type value;                                                \
        memcpy(&value, at + (ptrdiff_t)lane * step, sizeof value); \
        out[lane] = (int64_t)value;                                \
    }

/* The bits of a row's numbers; of an unsigned one that has no sign, too. */
static void load_row(const smp_lane_array *from, size_t row, int64_t out[SMP_LANES]) {
    const char *at = (const char *)from->data + (ptrdiff_t)row * from->row_stride_bytes;
    const ptrdiff_t step = from->lane_stride_bytes;
    if (from->number == SMP_NUMBER_U32)
        LOAD(uint32_t)
    else if (from->number == SMP_NUMBER_I32)
        LOAD(int32_t)
    else if (step == sizeof *out)
        memcpy(out, at, SMP_LANES * sizeof *out);
    else
        LOAD(int64_t)
}

/* The first lane of `mask` whose number has one of `bits`, or -1. */
static int first_with(const int64_t values[SMP_LANES], uint32_t mask, uint64_t bits) {
    for (int lane = 0; lane < SMP_LANES; lane++)
        if (mask >> lane & 1 && ((uint64_t)values[lane] & bits) != 0)
            return lane;
    return -1;
}

/* Offsets in shared memory: a number below 0 or above 32 bits is not one. */
static int fill_offsets(const smp_lane_array *from, size_t row, uint32_t mask,
                        uint32_t out[SMP_LANES]) {
    const char *at = (const char *)from->data + (ptrdiff_t)row * from->row_stride_bytes;
    if (from->number == SMP_NUMBER_U32 && from->lane_stride_bytes == sizeof *out) {
        memcpy(out, at, SMP_LANES * sizeof *out);
        return -1;
    }
    int64_t values[SMP_LANES];
    uint64_t any = 0;
    if (from->lane_stride_bytes == sizeof *values && from->number >= SMP_NUMBER_U64) {
        for (unsigned lane = 0; lane < SMP_LANES; lane++) {
            uint64_t value;
            memcpy(&value, at + lane * sizeof value, sizeof value);
            out[lane] = (uint32_t)value;
            any |= value;
        }
        if (any <= UINT32_MAX)
            return -1;
    }
    load_row(from, row, values);
    for (unsigned lane = 0; lane < SMP_LANES; lane++) {
        out[lane] = (uint32_t)values[lane];
        any |= (uint64_t)values[lane];
    }
    return any > UINT32_MAX ? first_with(values, mask, ~(uint64_t)UINT32_MAX) : -1;
}

/* Addresses in global memory: a signed number below 0 is not one. */
static int fill_addresses(const smp_lane_array *from, size_t row, uint32_t mask,
                          uint64_t out[SMP_LANES]) {
    const bool is_signed = from->number == SMP_NUMBER_I32 || from->number == SMP_NUMBER_I64;
    int64_t values[SMP_LANES];
    load_row(from, row, values);
    memcpy(out, values, sizeof values);
    return is_signed ? first_with(values, mask, UINT64_C(1) << 63) : -1;
}

static smp_status fill(const smp_many *many, size_t row, smp_access *out, int *lane) {
    out->op = many->ops ? (smp_op)many->ops[row] : many->op;
    out->width_bytes = many->widths ? many->widths[row] : many->width_bytes;
    out->active_mask = many->masks ? many->masks[row] : many->active_mask;
    *lane = -1;
    if ((unsigned)out->op >= SMP_OP_COUNT)
        return SMP_E_UNKNOWN_OP;
    const smp_op_row *op = &smp_op_table[out->op];
    const uint32_t mask = out->active_mask & op_lanes(op);
    if (op->space == SMP_SPACE_GLOBAL) {
        *lane = fill_addresses(&many->offsets, row, mask, out->address_bytes);
    } else {
        *lane = fill_offsets(&many->offsets, row, mask, out->offset_bytes);
        if (*lane < 0 && op->space == SMP_SPACE_COPY) {
            if (!many->addresses.data)
                return SMP_E_USAGE;
            *lane = fill_addresses(&many->addresses, row, mask, out->address_bytes);
        }
    }
    return *lane < 0 ? SMP_OK : SMP_E_RANGE;
}

static void keep(const smp_counts *counts, smp_status status, smp_row_counts *out) {
    const bool is_known = status == SMP_OK || status == SMP_E_NOT_MODELLED;
    const uint32_t valid = is_known ? counts->valid : 0;
    *out = (smp_row_counts){.status = (uint8_t)status, .valid = (uint8_t)valid};
    if (is_known) {
        out->evidence = (uint8_t)counts->evidence;
        out->active_lanes = (uint8_t)counts->active_lanes;
    }
    if (valid & SMP_HAS_WAVEFRONTS) {
        out->wavefronts_min = (uint16_t)counts->wavefronts_min;
        out->wavefronts_max = (uint16_t)counts->wavefronts_max;
        out->ideal = (uint16_t)counts->ideal;
        out->excess = (uint16_t)counts->excess;
        out->ways = (uint16_t)counts->ways;
    }
    if (valid & SMP_HAS_TRANSACTIONS) {
        out->transactions = counts->transactions;
        out->bytes = counts->bytes;
    }
    if (valid & SMP_HAS_BOUNDS) {
        out->transactions_min = (uint16_t)counts->transactions_min;
        out->transactions_max = (uint16_t)counts->transactions_max;
    }
}

static smp_status say(const smp_arch *arch, const smp_access *access, smp_status status, int lane,
                      smp_error *error) {
    if (status == SMP_E_RANGE && lane >= 0)
        return smp_error_set(error, status, lane,
                             "lane %d: the offset is below 0 or beyond what its memory has", lane);
    if (status == SMP_E_UNKNOWN_OP || status == SMP_E_USAGE)
        return smp_error_set(error, status, -1, "%s",
                             status == SMP_E_USAGE ? "a copy also needs the addresses of its source"
                                                   : smp_status_message(status));
    return smp_access_check(arch, access, error);
}

smp_status smp_many_access(const smp_many *many, size_t row, smp_access *out, smp_error *error) {
    int lane;
    memset(out, 0, sizeof *out);
    const smp_status status = fill(many, row, out, &lane);
    return status == SMP_OK ? SMP_OK : say(NULL, out, status, lane, error);
}

/* ---- Blocks of rows ---- */

/* Properties that all rows of a block share. */
typedef struct block_kind {
    const smp_op_row *op;
    uint32_t width_bytes;
    smp_evidence evidence;
} block_kind;

static bool is_alike(const uint8_t *column, size_t row, unsigned count) {
    return !column || memcmp(column + row, column + row + 1, count - 1) == 0;
}

/* False if no engine knows the rule or the operation, or if two rows differ in it. */
static bool find_kind(const smp_arch *arch, const smp_many *many, size_t row, unsigned count,
                      block_kind *out) {
    if (!is_alike(many->ops, row, count) || !is_alike(many->widths, row, count))
        return false;
    const unsigned op = many->ops ? many->ops[row] : (unsigned)many->op;
    if (op >= SMP_OP_COUNT)
        return false;
    out->op = &smp_op_table[op];
    out->width_bytes = many->widths ? many->widths[row] : many->width_bytes;
    if (!smp_has_width(out->op, out->width_bytes))
        return false;
    out->evidence = op_evidence(arch, out->op, out->width_bytes);
    const bool is_shared =
        out->op->space == SMP_SPACE_SHARED && smp_rule_is_plain(arch->shared_rule);
    const bool is_global = out->op->space == SMP_SPACE_GLOBAL && out->op->lanes_merge &&
                           arch->global_rule == SMP_GLOBAL_SECTORS;
    return (is_shared || is_global) && out->evidence < SMP_OPEN;
}

/* False if numbers have gaps, a row has no lane, or a matrix operation lacks some. */
static bool find_rows(const smp_many *many, size_t row, unsigned count, const smp_op_row *op,
                      block_rows *out) {
    const smp_lane_array *from = &many->offsets;
    const ptrdiff_t bytes = from->number >= SMP_NUMBER_U64 ? 8 : 4;
    uint32_t common = many->masks ? SMP_ALL_LANES : many->active_mask;
    bool has_empty = false;
    if (from->lane_stride_bytes != bytes)
        return false;
    for (unsigned i = 0; many->masks && i < count; i++)
        common &= many->masks[row + i];
    if (op->fixed_group != 0 && common != SMP_ALL_LANES)
        return false;
    out->is_whole = (common & op_lanes(op)) == SMP_ALL_LANES;
    for (unsigned i = 0; !out->is_whole && i < count; i++) {
        out->lanes[i] = (many->masks ? many->masks[row + i] : many->active_mask) & op_lanes(op);
        has_empty |= out->lanes[i] == 0;
    }
    out->data = (const char *)from->data + (ptrdiff_t)row * from->row_stride_bytes;
    out->row_stride_bytes = from->row_stride_bytes;
    out->number = from->number;
    return !has_empty;
}

static uint32_t lanes_of(const block_rows *rows, unsigned i) {
    return rows->is_whole ? SMP_ALL_LANES : rows->lanes[i];
}

/* Fills the fields that all rows of a block share; every byte is set, padding included. */
static void start_rows(const block_kind *kind, unsigned valid, smp_row_counts *out) {
    memset(out, 0, sizeof *out);
    out->valid = (uint8_t)valid;
    out->evidence = (uint8_t)kind->evidence;
    out->status = SMP_OK;
}

/* The rows that have their counts, one bit each. */
static uint32_t count_shared(const block_engine *engine, const smp_arch *arch,
                             const block_kind *kind, const block_rows *rows, smp_row_counts *out) {
    block_banks banks;
    block_ways ways;
    smp_row_counts same;
    start_rows(kind, SMP_HAS_WAVEFRONTS, &same);
    smp_bank_shape(arch, kind->op, kind->width_bytes, &banks.shape, &banks.rule,
                   &banks.has_pair_rule);
    if (!engine->count_ways(rows, &banks, &ways))
        return 0;
    for (unsigned i = 0; i < engine->rows; i++) {
        const uint32_t active = count_lanes(lanes_of(rows, i));
        const uint32_t wavefronts = (uint32_t)ways.sum[i] * kind->op->passes;
        const uint32_t bound = op_ideal(kind->op, active, kind->width_bytes);
        const uint32_t ideal = bound < wavefronts ? bound : wavefronts;
        out[i] = same;
        out[i].wavefronts_min = out[i].wavefronts_max = (uint16_t)wavefronts;
        out[i].ideal = (uint16_t)ideal;
        out[i].excess = (uint16_t)(wavefronts - ideal);
        out[i].ways = ways.worst[i];
        out[i].active_lanes = (uint8_t)active;
    }
    return ~ways.alone;
}

static uint32_t count_global(const block_engine *engine, const block_kind *kind,
                             const block_rows *rows, smp_row_counts *out) {
    uint16_t sectors[SMP_BLOCK_ROWS_MAX];
    smp_row_counts same;
    start_rows(kind, SMP_HAS_TRANSACTIONS, &same);
    if (!engine->count_sectors(rows, kind->width_bytes, sectors))
        return 0;
    for (unsigned i = 0; i < engine->rows; i++) {
        out[i] = same;
        out[i].transactions = sectors[i];
        out[i].bytes = 32u * sectors[i];
        out[i].active_lanes = (uint8_t)count_lanes(lanes_of(rows, i));
    }
    return UINT32_MAX;
}

static uint32_t count_block(const block_engine *engine, const smp_arch *arch, const smp_many *many,
                            size_t row, smp_row_counts *out) {
    block_kind kind;
    block_rows rows;
    if (!find_kind(arch, many, row, engine->rows, &kind) ||
        !find_rows(many, row, engine->rows, kind.op, &rows))
        return 0;
    return kind.op->space == SMP_SPACE_SHARED ? count_shared(engine, arch, &kind, &rows, out)
                                              : count_global(engine, &kind, &rows, out);
}

/* Predicts each row that is not yet known by itself; returns how many are wrong. `bad`: one was
 * found before. */
static size_t count_alone(const smp_arch *arch, const smp_many *many, size_t first, size_t count,
                          uint32_t known, smp_row_counts *out, size_t bad, size_t *first_bad,
                          smp_error *error) {
    smp_access access;
    size_t more = 0;
    for (size_t i = 0; i < count; i++) {
        smp_counts counts;
        int lane;
        if (i < SMP_BLOCK_ROWS_MAX && known >> i & 1)
            continue;
        smp_status status = fill(many, first + i, &access, &lane);
        if (status == SMP_OK)
            status = smp_predict(arch, &access, &counts);
        keep(&counts, status, &out[i]);
        if (status == SMP_OK || status == SMP_E_NOT_MODELLED || bad + more++ > 0)
            continue;
        if (first_bad)
            *first_bad = first + i;
        (void)say(arch, &access, status, lane, error);
    }
    return more;
}

size_t smp_predict_many_by(const block_engine *engine, const smp_arch *arch, const smp_many *many,
                           size_t first, size_t count, smp_row_counts *out, size_t *first_bad,
                           smp_error *error) {
    size_t bad = 0, done = 0;
    for (; engine && count - done >= engine->rows; done += engine->rows) {
        const uint32_t known = count_block(engine, arch, many, first + done, &out[done]);
        if (known != UINT32_MAX)
            bad += count_alone(arch, many, first + done, engine->rows, known, &out[done], bad,
                               first_bad, error);
    }
    return bad + count_alone(arch, many, first + done, count - done, 0, &out[done], bad, first_bad,
                             error);
}

size_t smp_predict_many(const smp_arch *arch, const smp_many *many, size_t first, size_t count,
                        smp_row_counts *out, size_t *first_bad, smp_error *error) {
    return smp_predict_many_by(smp_block_engine(), arch, many, first, count, out, first_bad, error);
}
