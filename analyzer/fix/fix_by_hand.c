/* SPDX-License-Identifier: MIT */
/*
 * Padding for arrays that are accessed through pointers, references or macros: it is known which
 * element an access means, but not how to rewrite the access. So the padding is described, not
 * written.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "fix.h"
#include "fix_seen.h"

/* False: its cost is not known, or it is not counted in wavefronts. */
static bool take(const smp_fix *fix, const fix_array *array, const fix_pattern *pattern,
                 smp_seen_request *out) {
    const uint32_t base = (uint32_t)smp_array_base(fix->layout, array->array);
    smp_counts counts;
    *out = (smp_seen_request){.access = pattern->access, .count = pattern->times};
    for (unsigned lane = 0; lane < SMP_LANES; lane++)
        out->access.offset_bytes[lane] -= pattern->access.active_mask >> lane & 1 ? base : 0;
    return !pattern->is_open && smp_predict(&fix->archs[0], &pattern->access, &counts) == SMP_OK &&
           (counts.valid & SMP_HAS_WAVEFRONTS) != 0;
}

static void tell(const fix_array *array, const smp_seen_fix *found, fix_notes *out) {
    const uint32_t bytes = array->keep.element_bytes;
    if (found->kind == SMP_SEEN_PAD && found->row_bytes % bytes == 0 &&
        found->pad_bytes % bytes == 0)
        fix_note_add(out, "fixed",
                     "%.*s by hand: rows of %" PRIu32 " elements instead of %" PRIu32
                     ", in its declaration, its indices and each pointer into it, leave %" PRIu64
                     " of %" PRIu64 " wavefronts",
                     (int)array->array->length, array->array->name,
                     (found->row_bytes + found->pad_bytes) / bytes, found->row_bytes / bytes,
                     found->after, found->before);
}

void fix_by_hand(const smp_fix *fix, const fix_array *array, fix_notes *out) {
    const smp_array *of = array->array;
    const uint64_t used = fix->result.bytes_before;
    smp_seen_request *requests = calloc(array->pattern_count + 1, sizeof *requests);
    smp_seen_fix padding, swizzle;
    size_t count = 0;
    for (uint32_t i = 0; requests && i < array->pattern_count; i++)
        count += take(fix, array, &array->patterns[i], &requests[count]);
    const smp_seen_array seen = {
        (uint32_t)smp_array_base(fix->layout, of), of->is_unsized ? 0 : (uint32_t)of->size_bytes,
        fix->limit_bytes > used ? (uint32_t)(fix->limit_bytes - used) : 0, array->unit_bytes};
    if (requests && !array->is_kept && !array->is_remote && count > 0 &&
        smp_fix_seen(&fix->archs[0], requests, count, &seen, &padding, &swizzle) == SMP_OK)
        tell(array, &padding, out);
    free(requests);
}
