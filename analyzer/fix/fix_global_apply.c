/* SPDX-License-Identifier: MIT */
/*
 * Writes changes of arrays in global memory into the fixed text, one by one. After each change
 * the text is parsed, and every lane of every request is compared with its expected address. A
 * change that the text does not allow becomes a comment with the reason.
 */
#include <stdlib.h>
#include <string.h>

#include "fix_global.h"
#include "fix_text.h"

/* ---- Requests of one array ---- */

/* A hash of all requests of its accesses, in order. */
typedef struct trail {
    const smp_array *array;   /* in the original text */
    const fix_change *change; /* NULL: the text already has it */
    uint64_t base, hash;
    uint32_t part; /* new text: the member in the array */
    bool fits;
} trail;

static void mix(trail *t, uint64_t value) {
    t->hash = (t->hash ^ value) * UINT64_C(0x9e3779b97f4a7c15);
    t->hash ^= t->hash >> 29;
}

static smp_status follow(void *user, const smp_occurrence *seen, smp_error *error) {
    trail *t = user;
    const smp_access *access = seen->access;
    (void)error;
    mix(t, access->active_mask);
    mix(t, (uint64_t)access->op << 32 | access->width_bytes);
    mix(t, seen->times);
    for (unsigned l = 0; l < SMP_LANES; l++) {
        uint32_t part = t->part;
        uint64_t at;
        if (!(access->active_mask >> l & 1))
            continue;
        at = access->address_bytes[l] - t->base;
        if (t->change)
            t->fits &= fix_change_place(t->array, t->change, at, access->width_bytes, &part, &at);
        mix(t, at);
        mix(t, part);
    }
    return SMP_OK;
}

static bool is_named(const smp_array *array, const smp_array *of, const char *member,
                     size_t length) {
    return array->length == of->length + 1 + length &&
           memcmp(array->name, of->name, of->length) == 0 && array->name[of->length] == '_' &&
           memcmp(array->name + of->length + 1, member, length) == 0;
}

/* The member in an array of the new text; false if there is none. */
static bool find_part(const smp_array *array, const fix_global *global, uint32_t *part) {
    const smp_array *of = global->array;
    const char *name;
    size_t length;
    smp_shape shape;
    *part = 0;
    if (global->written->kind != FIX_MEMBERS)
        return array->length == of->length && memcmp(array->name, of->name, of->length) == 0;
    for (; fix_member_of(of->type, *part, &name, &length, &shape); ++*part) {
        if (is_named(array, of, name, length))
            return true;
    }
    return false;
}

/* True if access `index` is equal in both texts, apart from the change. */
static bool is_same_access(const smp_fix *fix, const fix_global *global, size_t index) {
    const smp_layout *now = fix->fixed;
    const smp_array *array = smp_layout_target(now, index);
    trail before = {.array = global->array,
                    .change = global->written,
                    .base = smp_array_base(fix->layout, global->array),
                    .fits = true};
    trail after = {.array = array, .base = smp_array_base(now, array), .fits = true};
    unsigned line;
    smp_error error;
    return find_part(array, global, &after.part) &&
           smp_layout_visit(fix->layout, index, follow, &before, &line, &error) == SMP_OK &&
           smp_layout_visit(now, index, follow, &after, &line, &error) == SMP_OK && before.fits &&
           before.hash == after.hash;
}

/* True if the fixed text has exactly this change. */
static bool is_kept(const smp_fix *fix, const fix_global *global) {
    uint64_t sectors = 0;
    if (smp_layout_access_count(fix->fixed) != smp_layout_access_count(fix->layout))
        return false;
    for (size_t i = 0; i < smp_layout_access_count(fix->layout); i++) {
        if (smp_layout_target(fix->layout, i) != global->array)
            continue;
        if (!is_same_access(fix, global, i))
            return false;
        for (uint32_t a = 0; a < fix->arch_count; a++)
            sectors += fix_after(fix, a, i)->transactions;
    }
    return sectors == global->written->sectors;
}

/* ---- One change ---- */

static const char *obstacle_of(const smp_fix *fix, const fix_global *global) {
    const smp_layout *layout = fix->layout;
    if (smp_layout_has_kernel(layout))
        return "the kernel's parameters would change, too";
    for (uint32_t i = 0; i < smp_layout_data_count(layout); i++) {
        if (smp_layout_data_array(layout, i) == global->array)
            return "its data are given in the present order";
    }
    for (size_t i = 0; i < smp_layout_access_count(layout); i++) {
        const smp_request *request = smp_layout_request(layout, i);
        const bool copies =
            request->has_source && smp_layout_array(layout, request->source.array) == global->array;
        if (copies || (smp_layout_array(layout, request->target.array) == global->array &&
                       (request->has_source || request->not_modelled)))
            return "an asynchronous copy or an access that is not modelled uses it";
    }
    return fix_global_obstacle(global, fix_declaration_line(fix, global->array));
}

/* Rewrites the text, with or without the change. */
static smp_status write_again(smp_fix *fix, smp_error *error) {
    smp_layout_free(fix->fixed);
    free(fix->after);
    fix->fixed = NULL;
    fix->after = NULL;
    return fix_verify(fix, error);
}

static smp_status apply(smp_fix *fix, fix_global *global, smp_error *error) {
    static const char not_plain[] = "not every access names an element by its indices";
    smp_status status = SMP_OK;
    global->why_not = global->count > 0 ? obstacle_of(fix, global) : "nothing is gained";
    for (uint32_t i = 0; !global->why_not && i < global->count && status == SMP_OK; i++) {
        global->written = &global->change[i];
        status = write_again(fix, error);
        if (status == SMP_OK && is_kept(fix, global))
            return SMP_OK;
        global->written = NULL;
        if (status == SMP_E_INTERNAL) /* the new text cannot be parsed or behaves differently */
            status = SMP_OK;
        if (status == SMP_OK)
            status = write_again(fix, error);
    }
    if (!global->why_not)
        global->why_not = not_plain;
    return status;
}

smp_status fix_globals_apply(smp_fix *fix, smp_error *error) {
    smp_status status = SMP_OK;
    for (uint32_t i = 0; i < fix->global_count && status == SMP_OK; i++)
        status = apply(fix, &fix->globals[i], error);
    return status;
}
