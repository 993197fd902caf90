/* SPDX-License-Identifier: MIT */
/*
 * Layouts that may free an array of its conflicts, by the requests that the machine code made of
 * it. An access that is wide in the machine code may be several in the source, which the compiler
 * has joined: so paddings that tear it apart are tried, too, and the run decides.
 */
#include <string.h>

#include "profile_fix.h"
#include "repair.h"

enum { WIDEST_BYTES = 16, BANK_BYTES = 128 };

/* Bytes of an element, by its type or by the array's size; 0: unknown. */
static uint32_t element_bytes(const smp_shared_array *array, const shared_declaration *of,
                              host_scope *scope) {
    uint64_t count = 1;
    int64_t extent;
    const uint32_t written = shared_element_bytes(of->type);
    if (written > 0)
        return written;
    if (array->type)
        return shared_element_bytes((host_span){array->type, strlen(array->type)});
    for (unsigned i = 0; i < of->dims; i++) {
        if (!host_value(scope, of->extent[i], &extent) || extent <= 0 || scope->assumed_count > 0)
            return 0;
        count *= (uint64_t)extent;
    }
    return array->size_bytes % count == 0 ? (uint32_t)(array->size_bytes / count) : 0;
}

/* The value of an extent; 0: not known. */
static uint32_t extent_of(host_span text, host_scope *scope) {
    int64_t value;
    const unsigned before = scope->assumed_count;
    const bool is_known =
        host_value(scope, text, &value) && scope->assumed_count == before && value > 0;
    scope->assumed_count = before;
    return is_known && value < UINT32_MAX ? (uint32_t)value : 0;
}

static void add(candidates *out, layout_change change) {
    for (unsigned i = 0; i < out->count; i++)
        if (out->list[i].kind == change.kind && out->list[i].pad == change.pad &&
            out->list[i].mask == change.mask && out->list[i].row == change.row)
            return;
    if (out->count < CANDIDATES_MAX)
        out->list[out->count++] = change;
}

/* Not priced: no request was seen that could be. */
static void add_pad(candidates *out, const layout_change *like, uint32_t pad, uint32_t element) {
    layout_change change = *like;
    change.kind = LAYOUT_PAD;
    change.pad = pad;
    change.more_bytes = like->rows * pad * element;
    change.predicted = 0;
    add(out, change);
}

static void add_seen(candidates *out, const layout_change *like, const smp_seen_fix *seen,
                     uint32_t element) {
    layout_change change = *like;
    if (seen->kind == SMP_SEEN_NONE || seen->row_bytes % element != 0)
        return;
    change.row = seen->row_bytes / element;
    change.more_bytes = seen->more_bytes;
    change.predicted = seen->after;
    if (seen->kind == SMP_SEEN_PAD && seen->pad_bytes % element == 0) {
        change.kind = LAYOUT_PAD;
        change.pad = seen->pad_bytes / element;
        add(out, change);
    } else if (seen->kind == SMP_SEEN_XOR && seen->unit_bytes % element == 0) {
        change.kind = LAYOUT_XOR;
        change.mask = seen->xor_mask;
        change.unit = seen->unit_bytes / element;
        add(out, change);
    }
}

/* Element by element, where the best that is priced keeps wider accesses whole. */
static void add_single_xor(candidates *out, const layout_change *like, const smp_seen_fix *seen,
                           uint32_t element) {
    layout_change change = *like;
    if (seen->kind != SMP_SEEN_XOR || seen->unit_bytes <= element || seen->row_bytes % element != 0)
        return;
    const uint32_t row = seen->row_bytes / element, all = BANK_BYTES / element;
    change.kind = LAYOUT_XOR;
    change.row = row;
    change.unit = 1;
    change.mask = (row < all ? row : all) - 1;
    change.more_bytes = 0;
    change.predicted = 0;
    add(out, change);
}

/* Of several dimensions: padding is one place, a swizzle every use. */
static void take_rows(const smp_profile_fix *found, const layout_change *like, uint32_t element,
                      candidates *out) {
    const bool is_priced = found->obstacle[0] == '\0';
    const uint32_t best = found->padding.kind == SMP_SEEN_PAD ? found->padding.pad_bytes : 0;
    if (best > element || !is_priced)
        add_pad(out, like, 1, element);
    add_seen(out, like, &found->padding, element);
    if (!is_priced && element < WIDEST_BYTES)
        add_pad(out, like, WIDEST_BYTES / element, element);
    if (like->row > 0) {
        add_single_xor(out, like, &found->swizzle, element);
        add_seen(out, like, &found->swizzle, element);
    }
}

smp_status candidates_find(const smp_kernel_profile *kernel, const smp_shared_array *array,
                           const shared_declaration *of, host_scope *scope, candidates *out,
                           smp_error *error) {
    smp_profile_fix found = {.array = NULL};
    const uint32_t element = element_bytes(array, of, scope);
    layout_change like = {.element_bytes = element};
    memset(out, 0, sizeof *out);
    if (element == 0) {
        (void)snprintf(out->why, sizeof out->why, "the size of %.60s's elements is not known here",
                       array->name);
        return SMP_OK;
    }
    if (of->dims > 1) {
        like.row = extent_of(of->extent[of->dims - 1], scope);
        like.rows = like.row > 0 ? array->size_bytes / element / like.row : 0;
    }
    const smp_status status =
        smp_profile_fix_array(kernel, array, like.row * element, &found, error);
    if (status != SMP_OK)
        return status;
    if (of->dims > 1) {
        take_rows(&found, &like, element, out);
    } else {
        add_single_xor(out, &like, &found.swizzle, element);
        add_seen(out, &like, &found.swizzle, element);
        like.row = found.padding.row_bytes / element;
        if (found.padding.kind == SMP_SEEN_PAD && found.padding.pad_bytes > element)
            add_pad(out, &like, 1, element);
        add_seen(out, &like, &found.padding, element);
    }
    if (out->count == 0)
        (void)snprintf(out->why, sizeof out->why, "%s",
                       found.obstacle[0] ? found.obstacle
                                         : "no padding and no swizzle saves enough");
    return SMP_OK;
}

void candidates_guess(const shared_declaration *of, host_scope *scope, candidates *out) {
    const uint32_t element = shared_element_bytes(of->type);
    layout_change like = {.element_bytes = element, .unit = 1};
    memset(out, 0, sizeof *out);
    if (element == 0 || of->is_extern || element > WIDEST_BYTES)
        return;
    const uint32_t all = BANK_BYTES / element;
    if (of->dims > 1) {
        like.row = extent_of(of->extent[of->dims - 1], scope);
        add_pad(out, &like, 1, element);
        if (element < WIDEST_BYTES)
            add_pad(out, &like, WIDEST_BYTES / element, element);
        if (like.row > 0) /* for blocks whose warps are two rows of 16 */
            add_pad(out, &like, (all + all / 2 - like.row % all) % all, element);
    } else {
        like.row = all;
    }
    like.kind = LAYOUT_XOR;
    like.mask = (like.row < all ? like.row : all) - 1;
    if (like.row > 1 && (like.row & (like.row - 1)) == 0 && like.mask > 0)
        add(out, like);
}
