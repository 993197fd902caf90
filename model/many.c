/* SPDX-License-Identifier: MIT */
/*
 * Many accesses that lie in arrays of another program: each row becomes an smp_access and goes
 * through smp_predict. Nothing is decided here.
 */
#include <string.h>

#include "mask.h"
#include "op.h"

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
    for (int lane = 0; lane < SMP_LANES; lane++) {
        if (mask >> lane & 1 && ((uint64_t)values[lane] & bits) != 0)
            return lane;
    }
    return -1;
}

/* Into shared memory: what is below 0 or beyond 32 bits is no offset. */
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

/* Of global memory: of a signed number, what is below 0 is no address. */
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

size_t smp_predict_many(const smp_arch *arch, const smp_many *many, size_t first, size_t count,
                        smp_row_counts *out, size_t *first_bad, smp_error *error) {
    smp_access access;
    size_t bad = 0;
    for (size_t i = 0; i < count; i++) {
        smp_counts counts;
        int lane;
        smp_status status = fill(many, first + i, &access, &lane);
        if (status == SMP_OK)
            status = smp_predict(arch, &access, &counts);
        keep(&counts, status, &out[i]);
        if (status == SMP_OK || status == SMP_E_NOT_MODELLED || bad++ > 0)
            continue;
        if (first_bad)
            *first_bad = first + i;
        (void)say(arch, &access, status, lane, error);
    }
    return bad;
}
