/* SPDX-License-Identifier: MIT */
/*
 * Why conflicts remain: arrays that cannot change, costs that no layout can avoid, and accesses
 * that conflict with the others.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fix_report.h"
#include "fix_seen.h"
#include "text_buffer.h"

/* Each access to leave out takes a search. */
enum { ASKED_MAX = 8, SCORED_MAX = 40000 };

/* ---- Arrays that cannot change ---- */

/* False if its cost is unknown or not counted in wavefronts. */
static bool take_request(const smp_fix *fix, const fix_array *array, const fix_pattern *pattern,
                         smp_seen_request *out) {
    const uint32_t base = (uint32_t)smp_array_base(fix->layout, array->array);
    smp_counts counts;
    *out = (smp_seen_request){.access = pattern->access, .count = pattern->times};
    for (unsigned lane = 0; lane < SMP_LANES; lane++)
        out->access.offset_bytes[lane] -= pattern->access.active_mask >> lane & 1 ? base : 0;
    return !pattern->is_open && smp_predict(&fix->archs[0], &pattern->access, &counts) == SMP_OK &&
           (counts.valid & SMP_HAS_WAVEFRONTS) != 0;
}

static void tell_padding(const fix_array *array, const smp_seen_fix *found, fix_notes *out) {
    const uint32_t bytes = array->keep.element_bytes;
    if (found->kind == SMP_SEEN_PAD && found->row_bytes % bytes == 0 &&
        found->pad_bytes % bytes == 0)
        fix_note_add(out, "fixed",
                     "%.*s by hand: rows of %" PRIu32 " elements instead of %" PRIu32
                     " (in its declaration, its indices and each pointer into it) leave %" PRIu64
                     " of %" PRIu64 " wavefronts",
                     (int)array->array->length, array->array->name,
                     (found->row_bytes + found->pad_bytes) / bytes, found->row_bytes / bytes,
                     found->after, found->before);
}

/* For an array accessed through pointers, references or macros the accessed elements are known, but
 * not how to rewrite the accesses. So the effect of padding is described, if it saves enough and is
 * a whole number of elements. */
static void tell_by_hand(const smp_fix *fix, const fix_array *array, fix_notes *out) {
    const smp_array *of = array->array;
    const uint64_t used = fix->result.bytes_before;
    smp_seen_request *requests = calloc(array->pattern_count + 1, sizeof *requests);
    smp_seen_fix padding, swizzle;
    size_t count = 0;
    for (uint32_t i = 0; requests && i < array->pattern_count; i++)
        count += take_request(fix, array, &array->patterns[i], &requests[count]);
    const smp_seen_array seen = {
        (uint32_t)smp_array_base(fix->layout, of), of->is_unsized ? 0 : (uint32_t)of->size_bytes,
        fix->limit_bytes > used ? (uint32_t)(fix->limit_bytes - used) : 0, array->unit_bytes, 0};
    if (requests && !array->is_kept && !array->is_remote && count > 0 &&
        smp_fix_seen(&fix->archs[0], requests, count, &seen, &padding, &swizzle) == SMP_OK)
        tell_padding(array, &padding, out);
    free(requests);
}

static void tell_fixed(smp_fix *fix, const fix_array *array) {
    bool by_pointer = strstr(array->reason, "pointer");
    fix_note_add(&fix->obstacles, "fixed", "%.*s is unchanged: %s%s", (int)array->array->length,
                 array->array->name, array->reason,
                 by_pointer ? "; index it in all its dimensions" : "");
    tell_by_hand(fix, array, &fix->obstacles);
}

/* ---- Costs that no layout can avoid ---- */

/* The maximum number of lanes on one element in a request of access `source`. */
static uint32_t most_together(const fix_array *array, uint32_t source) {
    uint32_t most = 0;
    EACH(const fix_pattern, p, array->patterns, array->pattern_count) {
        uint32_t lanes = smp_access_lanes(&p->access);
        for (unsigned l = 0; l < SMP_LANES && p->source == source; l++) {
            uint32_t same = 0;
            for (unsigned k = 0; k < SMP_LANES && (lanes >> l & 1); k++)
                same += (lanes >> k & 1) && p->flat[k] == p->flat[l] && p->rest[k] == p->rest[l];
            most = same > most ? same : most;
        }
    }
    return most;
}

static uint64_t avoidable(const smp_fix *fix, const fix_array *array, uint32_t source, bool bound) {
    uint64_t sum = 0;
    EACH(const fix_pattern, p, array->patterns, array->pattern_count)
        for (uint32_t c = 0; c < fix->class_count && p->source == source; c++)
            sum += p->times * fix->classes[c].weight * (bound ? p->bound[c] : p->floor[c]);
    return sum;
}

/* True if only CC 1.x has unavoidable passes beyond those of each half-warp. */
static bool is_bound_by_steps(const smp_fix *fix, const fix_array *array, uint32_t source) {
    EACH(const fix_pattern, p, array->patterns, array->pattern_count)
        for (uint32_t c = 0; c < fix->class_count && p->source == source; c++)
            if (p->bound[c] > p->floor[c] && !fix->classes[c].arch.shared_rule->half_warps)
                return false;
    return true;
}

static void tell_bound(smp_fix *fix, const fix_array *array, uint32_t source) {
    char name[FIX_NAME_BYTES], vector[FIX_NAME_BYTES];
    bool merges = smp_ops(NULL)[smp_layout_request(fix->layout, source)->op].lanes_merge;
    uint32_t together = most_together(array, source);
    (void)fix_access_name(fix, source, name);
    if (!merges && together > 1)
        fix_note_add(&fix->obstacles, "bound",
                     "%s: %u lanes update one word, one after the other; no layout helps, but a "
                     "copy per lane or warp does",
                     name, together);
    else if (is_bound_by_steps(fix, array, source))
        fix_note_add(&fix->obstacles, "bound",
                     "%s: several lanes of a half-warp use each of several words, but a step "
                     "broadcasts only one word; no layout helps",
                     name);
    else
        fix_note_add(&fix->obstacles, "bound",
                     "%s cannot be free of conflicts in any layout: the %u-byte vectors of %s keep "
                     "its words in every %s bank",
                     name, array->unit_bytes,
                     fix_access_name(fix, (size_t)fix_widest_access(fix, array, 0), vector),
                     array->unit_bytes == 8 ? "second" : "fourth");
}

static bool tell_bounds(smp_fix *fix, const fix_array *array) {
    bool told = false;
    for (uint32_t i = 0; i < smp_layout_access_count(fix->layout); i++) {
        if (avoidable(fix, array, i, true) <= avoidable(fix, array, i, false))
            continue;
        tell_bound(fix, array, i);
        told = true;
    }
    return told;
}

/* ---- Accesses that conflict with the others ---- */

static uint32_t count_uses(const smp_fix *fix, const fix_array *array) {
    uint32_t count = 0;
    for (size_t i = 0; i < smp_layout_access_count(fix->layout); i++)
        count += fix_reaches(fix, i, array);
    return count;
}

/* Reports solutions without one of the accesses. */
static void tell_without(smp_fix *fix, const fix_array *array) {
    uint32_t asked = 0;
    for (size_t i = 0; i < smp_layout_access_count(fix->layout) && asked < ASKED_MAX; i++) {
        char name[FIX_NAME_BYTES], form[FIX_FORM_BYTES];
        if (!fix_reaches(fix, i, array))
            continue;
        asked++;
        smp_fix *other = fix_solve_without(fix, array, i);
        const fix_array *same = other ? FIND(one, other->arrays, other->array_count,
                                             one->array->name == array->array->name)
                                      : NULL;
        bool is_free = same && same->chosen.price.cost.excess <= same->floor &&
                       same->before.cost.excess > same->floor;
        if (is_free)
            fix_note_add(&fix->obstacles, "against", "without %s the others are free with %s",
                         fix_access_name(fix, i, name), fix_form_name(&same->chosen.form, form));
        smp_fix_free(other);
    }
}

/* ---- Searched spaces ---- */

static void spaces_text(const smp_fix *fix, const fix_array *array, char *text, size_t size) {
    uint32_t period = fix_period_bytes(fix), bytes = array->keep.element_bytes;
    uint32_t most = period / smp_gcd(bytes, period) - 1;
    bool has_rows = array->keep.dim_count > 1;
    const char *names[SMP_FIX_KIND_COUNT] = {
        "", "", "every Swizzle<B,M,S>", "bank bits ^= sums of row bits", "", ""};
    char pads[96], rotations[64], both[96];
    (void)snprintf(pads, sizeof pads, "paddings by up to %u elements%s", most,
                   has_rows ? " per dimension" : " after every 2^k");
    (void)snprintf(rotations, sizeof rotations, "rotations by up to 64 units per row");
    (void)snprintf(both, sizeof both, "%s with every swizzle",
                   has_rows ? "all of these rows" : "all of these");
    names[SMP_FIX_PAD] = pads;
    names[SMP_FIX_ROTATE] = has_rows ? rotations : "";
    names[SMP_FIX_PAD_XOR] = both;
    text_buffer list = text_buffer_over(text, size);
    for (uint32_t k = 0; k < SMP_FIX_KIND_COUNT; k++) {
        if (names[k][0] != '\0' && fix_searches(fix, (smp_fix_kind)k))
            text_join(&list, ", ", "%s", names[k]);
    }
    if (fix->is_cut_short)
        text_add(&list, " (incomplete: the search was cut short)");
    else
        text_add(&list, " (banks repeat every %u bytes)", period);
}

/* ---- Memory, and the spaces ---- */

/* The shared memory of all arrays if `array` had another form; false if that cannot be placed. */
static bool bytes_with(smp_fix *fix, const fix_array *array, const fix_candidate *other,
                       uint64_t *bytes) {
    fix_array *changed = &fix->arrays[array - fix->arrays];
    const fix_candidate chosen = changed->chosen;
    uint64_t unused;
    changed->chosen = *other;
    const bool is_placed = fix_place_all(fix, bytes);
    changed->chosen = chosen;
    (void)fix_place_all(fix, &unused);
    return is_placed;
}

/* Reports a form that is better but too large. */
static bool tell_memory(smp_fix *fix, const fix_array *array) {
    const fix_candidate *best = fix_best(array, SMP_FIX_KIND_COUNT, UINT64_MAX / 2);
    char form[FIX_FORM_BYTES];
    uint64_t bytes;
    if (best->price.cost.excess >= array->chosen.price.cost.excess)
        return false;
    (void)fix_form_name(&best->form, form);
    const bool has_room = bytes_with(fix, array, best, &bytes);
    if (!has_room && array->array->is_placed) {
        fix_note_add(&fix->obstacles, "memory",
                     "%.*s: %s would be better, but would overlap an array placed by '@'",
                     (int)array->array->length, array->array->name, form);
        return true;
    }
    if (!has_room)
        return false;
    if (array->array->is_unsized)
        bytes += best->price.bytes;
    if (bytes <= fix->limit_bytes)
        return false;
    fix_note_add(&fix->obstacles, "memory",
                 "%.*s: %s would be better, but needs %" PRIu64
                 " bytes of shared memory; at most %" PRIu64 " are %s",
                 (int)array->array->length, array->array->name, form, bytes, fix->limit_bytes,
                 fix->options.max_bytes == fix->limit_bytes ? "allowed by max-bytes"
                 : fix->is_static_limit ? "available to static arrays (max-bytes allows more)"
                                        : "available to a block");
    return true;
}

/* Reports padding of a struct that another array shares. */
static void tell_type(smp_fix *fix, const fix_array *array) {
    const smp_array *other = fix_type_sharer(fix, array);
    smp_fix_form form = array->keep;
    fix_price least = array->chosen.price, price;
    uint32_t extra = 0, align = array->array->type->align;
    if (!other || !fix_is_widenable(fix, array))
        return;
    form.kind = SMP_FIX_PAD;
    for (form.element_extra = align; form.element_extra < fix_period_bytes(fix);
         form.element_extra += align) {
        if (!fix_score(fix, array, &form, &array->all, UINT64_MAX, &price) ||
            price.cost.excess >= least.cost.excess)
            continue;
        least = price;
        extra = form.element_extra;
    }
    if (extra == 0)
        return;
    fix_note_add(&fix->obstacles, "type",
                 "%.*s: structs of %u bytes (%u more) leave it an excess of %" PRIu64
                 ", but %.*s has the same struct; give %.*s a struct of its own",
                 (int)array->array->length, array->array->name, form.element_bytes + extra, extra,
                 least.cost.excess, (int)other->length, other->name, (int)array->array->length,
                 array->array->name);
}

static void tell_spaces(smp_fix *fix, const fix_array *array) {
    char spaces[512];
    spaces_text(fix, array, spaces, sizeof spaces);
    fix_note_add(&fix->obstacles, "spaces", "%.*s: no layout is free of conflicts among %s",
                 (int)array->array->length, array->array->name, spaces);
}

void fix_obstacles_find(smp_fix *fix) {
    bool asks = fix->scored <= SCORED_MAX && fix->result.ended_by == SMP_FIX_GO_ON;
    EACH(const fix_array, array, fix->arrays, fix->array_count) {
        if (array->chosen.price.cost.excess <= array->floor)
            continue;
        if (array->is_fixed) {
            tell_fixed(fix, array);
            continue;
        }
        if (tell_memory(fix, array))
            continue;
        tell_type(fix, array);
        bool told = tell_bounds(fix, array);
        if (asks && count_uses(fix, array) > 1)
            tell_without(fix, array);
        if (!told || array->chosen.price.cost.excess > array->bound)
            tell_spaces(fix, array);
    }
}
