/* SPDX-License-Identifier: MIT */
/*
 * Stride patterns: the access that people describe in a few words.
 */
#include <inttypes.h>
#include <stdio.h>

#include "smp_accesses.h"
#include "text_buffer.h"

smp_pattern smp_pattern_default(void) {
    return (smp_pattern){
        .op = SMP_LD_SHARED, .width_bytes = 4, .stride = 1, .active_mask = SMP_ALL_LANES};
}

smp_status smp_pattern_access(const smp_pattern *pattern, smp_access *out, smp_error *error) {
    smp_access access = {.op = pattern->op,
                         .width_bytes = pattern->width_bytes,
                         .active_mask = pattern->active_mask};
    for (unsigned lane = 0; lane < SMP_LANES; lane++) {
        uint64_t step = (uint64_t)pattern->stride * pattern->width_bytes;
        uint64_t offset = pattern->offset_bytes + lane * step;
        bool counts = pattern->active_mask >> lane & 1;
        if (counts && offset > UINT32_MAX)
            return smp_error_set(
                error, SMP_E_OVERFLOW, (int)lane,
                "stride %u puts lane %u at offset %" PRIu64
                "; a stride ends at 4294967295, a line of the batch format goes on",
                pattern->stride, lane, offset);
        access.offset_bytes[lane] = counts ? (uint32_t)offset : 0;
        access.address_bytes[lane] = counts ? offset : 0;
    }
    *out = access;
    return SMP_OK;
}

/* The shared operations go by their short names. */
static const char *short_op_name(smp_op op) {
    static const char *const names[] = {"ld", "st", "atom", "red", "cas"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (smp_op_find(names[i])->op == op)
            return names[i];
    }
    return smp_ops(NULL)[op].name;
}

size_t smp_pattern_format(const smp_pattern *pattern, char text[SMP_PATTERN_TEXT_MAX]) {
    text_buffer out = text_buffer_over(text, SMP_PATTERN_TEXT_MAX);
    text_add(&out, "--op %s --width %u --stride %u", short_op_name(pattern->op),
             pattern->width_bytes, pattern->stride);
    if (pattern->offset_bytes != 0)
        text_add(&out, " --offset %u", pattern->offset_bytes);
    if (pattern->active_mask != SMP_ALL_LANES)
        text_add(&out, " --lanes 0x%08" PRIx32, pattern->active_mask);
    return out.length;
}
