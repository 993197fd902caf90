/* SPDX-License-Identifier: MIT */
/*
 * Why nothing frees all accesses: what can't be changed, what no layout can save, and which access
 * stands against the others.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fix_report.h"
#include "text_buffer.h"

/* Asking what would be without an access takes a search each. */
enum { TEXT_MAX = 600, ASKED_MAX = 8, SCORED_MAX = 40000 };

typedef struct telling {
    const smp_fix *fix;
    smp_fix *own; /* the same */
    fix_line_fn add;
    void *user;
} telling;

static void tell_fixed(const telling *t, const fix_array *array) {
    char text[TEXT_MAX];
    bool by_pointer = strstr(array->reason, "pointer") != NULL;
    (void)snprintf(text, sizeof text, "%.*s stays as it is: %s%s", (int)array->array->length,
                   array->array->name, array->reason,
                   by_pointer ? "; index it in all its dimensions" : "");
    t->add(t->user, "fixed", text);
    if (fix_by_hand(t->fix, array, text, sizeof text))
        t->add(t->user, "fixed", text);
}

/* ---- What no layout can save ---- */

/* Most lanes on one element in a request of access `source`. */
static uint32_t most_together(const fix_array *array, uint32_t source) {
    uint32_t most = 0;
    for (uint32_t i = 0; i < array->pattern_count; i++) {
        const fix_pattern *p = &array->patterns[i];
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
    for (uint32_t i = 0; i < array->pattern_count; i++) {
        const fix_pattern *p = &array->patterns[i];
        for (uint32_t c = 0; c < fix->class_count && p->source == source; c++)
            sum += p->times * fix->classes[c].weight * (bound ? p->bound[c] : p->floor[c]);
    }
    return sum;
}

/* The access with the widest vectors of an array. */
static uint32_t widest_access(const smp_fix *fix, const fix_array *array) {
    uint32_t widest = 0, width = 0;
    for (uint32_t i = 0; i < array->pattern_count; i++) {
        uint32_t source = array->patterns[i].source;
        if (smp_layout_request(fix->layout, source)->width_bytes > width) {
            width = smp_layout_request(fix->layout, source)->width_bytes;
            widest = source;
        }
    }
    return widest;
}

/* True if only on CC 1.x more is unavoidable than the passes of each half-warp. */
static bool is_bound_by_steps(const smp_fix *fix, const fix_array *array, uint32_t source) {
    for (uint32_t i = 0; i < array->pattern_count; i++) {
        const fix_pattern *p = &array->patterns[i];
        for (uint32_t c = 0; c < fix->class_count && p->source == source; c++)
            if (p->bound[c] > p->floor[c] && !fix->classes[c].arch.shared_rule->half_warps)
                return false;
    }
    return true;
}

static void tell_bound(const telling *t, const fix_array *array, uint32_t source) {
    char text[TEXT_MAX], name[80], vector[80];
    const smp_request *request = smp_layout_request(t->fix->layout, source);
    bool merges = smp_ops(NULL)[request->op].lanes_merge;
    uint32_t together = most_together(array, source);
    (void)fix_access_name(t->fix, source, name, sizeof name);
    (void)fix_access_name(t->fix, widest_access(t->fix, array), vector, sizeof vector);
    if (!merges && together > 1)
        (void)snprintf(
            text, sizeof text,
            "%s: %u lanes go to one word, one after the other wherever it lies; no layout "
            "helps, but copies for each lane or warp do",
            name, together);
    else if (is_bound_by_steps(t->fix, array, source))
        (void)snprintf(
            text, sizeof text,
            "%s: in a half-warp several words are each wanted by several lanes, and only "
            "one is broadcast a step, wherever they lie; no layout helps",
            name);
    else
        (void)snprintf(
            text, sizeof text,
            "%s can't be free in any layout: the %u-byte vectors of %s hold its words in "
            "every %s bank",
            name, array->unit_bytes, vector, array->unit_bytes == 8 ? "second" : "fourth");
    t->add(t->user, "bound", text);
}

static bool tell_bounds(const telling *t, const fix_array *array) {
    bool told = false;
    for (uint32_t i = 0; i < smp_layout_access_count(t->fix->layout); i++) {
        if (avoidable(t->fix, array, i, true) <= avoidable(t->fix, array, i, false))
            continue;
        tell_bound(t, array, i);
        told = true;
    }
    return told;
}

/* ---- Which access stands against the others ---- */

/* The same array in another solution, which may have been read from the same text. */
static const fix_array *same_array(const smp_fix *other, const fix_array *array) {
    for (uint32_t i = 0; i < other->array_count; i++) {
        if (other->arrays[i].array->name == array->array->name)
            return &other->arrays[i];
    }
    return NULL;
}

static bool uses(const smp_fix *fix, size_t access, const fix_array *array) {
    return smp_layout_target(fix->layout, access) == array->array;
}

static uint32_t count_uses(const smp_fix *fix, const fix_array *array) {
    uint32_t count = 0;
    for (size_t i = 0; i < smp_layout_access_count(fix->layout); i++)
        count += uses(fix, i, array);
    return count;
}

/* What would be possible without one of the accesses. */
static void tell_without(const telling *t, const fix_array *array) {
    uint32_t asked = 0;
    for (size_t i = 0; i < smp_layout_access_count(t->fix->layout) && asked < ASKED_MAX; i++) {
        char text[TEXT_MAX], name[80], form[160];
        if (!uses(t->fix, i, array))
            continue;
        asked++;
        smp_fix *other = fix_solve_without(t->fix, array, i);
        const fix_array *same = other ? same_array(other, array) : NULL;
        bool is_free = same && same->chosen.price.cost.excess <= same->floor &&
                       same->before.cost.excess > same->floor;
        if (is_free) {
            (void)fix_access_name(t->fix, i, name, sizeof name);
            (void)smp_fix_form_text(&same->chosen.form, form, sizeof form);
            (void)snprintf(text, sizeof text, "without %s the rest is free with %s", name, form);
            t->add(t->user, "against", text);
        }
        smp_fix_free(other);
    }
}

/* ---- What was searched ---- */

static bool is_asked(const smp_fix *fix, smp_fix_kind kind) {
    return fix->options.kinds == 0 || (fix->options.kinds >> kind & 1);
}

static void spaces_text(const smp_fix *fix, const fix_array *array, char *text, size_t size) {
    uint32_t period = fix_period_bytes(fix), bytes = array->keep.element_bytes;
    uint32_t most = period / smp_gcd(bytes, period) - 1;
    bool has_rows = array->keep.dim_count > 1;
    const char *names[SMP_FIX_KIND_COUNT] = {
        "", "", "every Swizzle<B,M,S>", "bank bits ^= sums of row bits", "", ""};
    char pads[96], rotations[64], both[96];
    (void)snprintf(pads, sizeof pads, "paddings by up to %u elements%s", most,
                   has_rows ? " a dimension" : " after every 2^k");
    (void)snprintf(rotations, sizeof rotations, "rotations by up to 64 units a row");
    (void)snprintf(both, sizeof both, "%s with every swizzle",
                   has_rows ? "all of these rows" : "all of these");
    names[SMP_FIX_PAD] = pads;
    names[SMP_FIX_ROTATE] = has_rows ? rotations : "";
    names[SMP_FIX_PAD_XOR] = both;
    text_buffer list = text_buffer_over(text, size);
    for (uint32_t k = 0; k < SMP_FIX_KIND_COUNT; k++) {
        if (names[k][0] != '\0' && is_asked(fix, (smp_fix_kind)k))
            text_join(&list, ", ", "%s", names[k]);
    }
    if (fix->is_cut_short)
        text_add(&list, " (not all of them: the search was cut short)");
    else
        text_add(&list, " (banks repeat every %u bytes)", period);
}

/* ---- Memory, and the spaces ---- */

/* Shared memory of all arrays, were `array` in another form; false if that form can't be placed. */
static bool bytes_with(const telling *t, const fix_array *array, const fix_candidate *other,
                       uint64_t *bytes) {
    fix_array *changed = &t->own->arrays[array - t->fix->arrays];
    const fix_candidate chosen = changed->chosen;
    uint64_t unused;
    changed->chosen = *other;
    const bool is_placed = fix_place_all(t->own, bytes);
    changed->chosen = chosen;
    (void)fix_place_all(t->own, &unused);
    return is_placed;
}

/* A form that would be better, but is too large. */
static bool tell_memory(const telling *t, const fix_array *array) {
    const fix_candidate *best = fix_best(array, SMP_FIX_KIND_COUNT, UINT64_MAX / 2);
    char text[TEXT_MAX], form[160];
    if (best->price.cost.excess >= array->chosen.price.cost.excess)
        return false;
    (void)smp_fix_form_text(&best->form, form, sizeof form);
    uint64_t bytes;
    const bool has_room = bytes_with(t, array, best, &bytes);
    if (!has_room && array->array->is_placed) {
        (void)snprintf(text, sizeof text,
                       "%.*s: %s would be better, but would lie on what '@' has placed behind it",
                       (int)array->array->length, array->array->name, form);
        t->add(t->user, "memory", text);
        return true;
    }
    if (!has_room)
        return false;
    if (array->array->is_unsized)
        bytes += best->price.bytes;
    if (bytes <= t->fix->limit_bytes)
        return false;
    (void)snprintf(text, sizeof text,
                   "%.*s: %s would be better, but needs %" PRIu64
                   " bytes of shared memory; at most %" PRIu64 " are %s",
                   (int)array->array->length, array->array->name, form, bytes, t->fix->limit_bytes,
                   t->fix->options.max_bytes == t->fix->limit_bytes ? "allowed by max-bytes"
                   : t->fix->is_static_limit ? "there for static arrays (max-bytes allows more)"
                                             : "there for a block");
    t->add(t->user, "memory", text);
    return true;
}

/* Bytes at the end of each struct would help, but another array has that struct, too. */
static void tell_type(const telling *t, const fix_array *array) {
    const smp_array *other = fix_type_sharer(t->fix, array);
    smp_fix_form form = array->keep;
    fix_price least = array->chosen.price, price;
    uint32_t extra = 0, align = array->array->type->align;
    char text[TEXT_MAX];
    if (!other || !fix_is_widenable(t->fix, array))
        return;
    form.kind = SMP_FIX_PAD;
    for (form.element_extra = align; form.element_extra < fix_period_bytes(t->fix);
         form.element_extra += align) {
        if (!fix_score(t->fix, array, &form, &array->all, UINT64_MAX, &price) ||
            price.cost.excess >= least.cost.excess)
            continue;
        least = price;
        extra = form.element_extra;
    }
    if (extra == 0)
        return;
    (void)snprintf(text, sizeof text,
                   "%.*s: structs of %u bytes, %u more, leave it an excess of %" PRIu64
                   ", but %.*s has the same struct; give %.*s one of its own",
                   (int)array->array->length, array->array->name, form.element_bytes + extra, extra,
                   least.cost.excess, (int)other->length, other->name, (int)array->array->length,
                   array->array->name);
    t->add(t->user, "type", text);
}

static void tell_spaces(const telling *t, const fix_array *array) {
    char text[TEXT_MAX];
    size_t length = (size_t)snprintf(text, sizeof text, "%.*s: none is free among ",
                                     (int)array->array->length, array->array->name);
    spaces_text(t->fix, array, text + length, sizeof text - length);
    t->add(t->user, "spaces", text);
}

/* A line that finds no room is left out. */
static void keep_note(void *user, const char *kind, const char *text) {
    smp_fix *fix = user;
    char *copy = fix->note_count < FIX_NOTES_MAX ? malloc(strlen(text) + 1) : NULL;
    if (!copy)
        return;
    strcpy(copy, text);
    fix->notes[fix->note_count++] = (fix_note){kind, copy};
}

void fix_obstacles(const smp_fix *fix, fix_line_fn add, void *user) {
    for (uint32_t i = 0; i < fix->note_count; i++)
        add(user, fix->notes[i].kind, fix->notes[i].text);
}

void fix_obstacles_find(smp_fix *fix) {
    bool asks = fix->scored <= SCORED_MAX && fix->result.ended_by == SMP_FIX_GO_ON;
    telling t = {fix, fix, keep_note, fix};
    for (uint32_t i = 0; i < fix->array_count; i++) {
        const fix_array *array = &fix->arrays[i];
        if (array->chosen.price.cost.excess <= array->floor)
            continue;
        if (array->is_fixed) {
            tell_fixed(&t, array);
            continue;
        }
        if (tell_memory(&t, array))
            continue;
        tell_type(&t, array);
        bool told = tell_bounds(&t, array);
        if (asks && count_uses(fix, array) > 1)
            tell_without(&t, array);
        if (!told || array->chosen.price.cost.excess > array->bound)
            tell_spaces(&t, array);
    }
}
