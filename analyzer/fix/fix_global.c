/* SPDX-License-Identifier: MIT */
/*
 * Global memory: the sectors moved by other orders of an array's elements: members in separate
 * arrays, dimensions in another order, rows that begin at lines, another start. Each order maps
 * addresses, and the model predicts every request again. Also counts the distinct sectors of all
 * accesses, which L1 may hold.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "fix.h"
#include "text_buffer.h"

enum { LINE_BYTES = 128, SECTOR_BYTES = 32, REGION_SHIFT = 36, CHANGES_MAX = 48 };

/* ---- Sets of sectors ---- */

/* A hash set of numbers with open addressing and a limit. */
typedef struct sector_set {
    uint64_t *keys; /* number + 1; owned */
    size_t room, count;
    bool is_full; /* too many numbers, or out of memory */
} sector_set;

enum { FIRST_ROOM = 1 << 10, ROOM_MAX = 1 << 22 };

static void put_number(uint64_t *keys, size_t room, uint64_t key, size_t *count) {
    size_t at = (size_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> 32) & (room - 1);
    while (keys[at] != 0 && keys[at] != key)
        at = (at + 1) & (room - 1);
    *count += keys[at] == 0;
    keys[at] = key;
}

static void grow(sector_set *set) {
    const size_t room = set->room > 0 ? 2 * set->room : FIRST_ROOM;
    uint64_t *keys = room <= ROOM_MAX ? calloc(room, sizeof *keys) : NULL;
    size_t count = 0;
    set->is_full = !keys;
    for (size_t i = 0; keys && i < set->room; i++) {
        if (set->keys[i] != 0)
            put_number(keys, room, set->keys[i], &count);
    }
    if (!keys)
        return;
    free(set->keys);
    set->keys = keys;
    set->room = room;
}

static void sector_set_add(sector_set *set, uint64_t number) {
    if (!set->is_full && 2 * set->count >= set->room)
        grow(set);
    if (!set->is_full)
        put_number(set->keys, set->room, number + 1, &set->count);
}

static void sector_set_clear(sector_set *set) {
    free(set->keys);
    *set = (sector_set){0};
}

/* ---- One change ---- */

/* Predicts one array's accesses again, under one change. */
typedef struct pass {
    const smp_fix *fix;
    const smp_array *array;
    const fix_change *change;
    uint64_t base, sectors;
    sector_set *seen; /* sectors of all accesses; may be NULL */
    bool fits;        /* every access stays within one element or member */
} pass;

/* ---- New positions of elements ---- */

/* The row-major number of an element after reordering the dimensions. */
static uint64_t permute(const smp_array *array, const uint32_t order[], uint64_t number) {
    uint32_t digit[SMP_DIMS_MAX], count = array->table.dim_count;
    uint64_t out = 0;
    for (uint32_t d = count; d-- > 0;) {
        const uint32_t extent = array->table.dims[d].extent;
        digit[d] = (uint32_t)(extent > 0 ? number % extent : number);
        number = extent > 0 ? number / extent : 0;
    }
    for (uint32_t i = 0; i < count; i++)
        out = out * array->table.dims[order[i]].extent + digit[order[i]];
    return out;
}

bool fix_member_of(const smp_type *type, uint32_t index, const char **name, size_t *length,
                   smp_shape *shape) {
    if (index >= (type->lanes > 0 ? type->lanes : type->member_count))
        return false;
    *name = type->lanes > 0 ? &"xyzw"[index] : type->members[index].name;
    *length = type->lanes > 0 ? 1 : type->members[index].length;
    *shape = type->lanes > 0 ? (smp_shape){.type = type->element} : type->members[index].shape;
    return true;
}

/* The member that contains `width` bytes at `rest`; false if none does. */
static bool find_member(const smp_type *type, uint32_t rest, uint32_t width, uint32_t *index,
                        uint32_t *offset, uint32_t *size) {
    const char *name;
    size_t length;
    smp_shape shape;
    for (*index = 0; fix_member_of(type, *index, &name, &length, &shape); ++*index) {
        *size = (uint32_t)smp_shape_size(shape);
        *offset = type->lanes > 0 ? *index * *size : type->members[*index].offset;
        if (rest >= *offset && rest + width <= *offset + *size)
            return true;
    }
    return false;
}

bool fix_change_place(const smp_array *array, const fix_change *change, uint64_t byte,
                      uint32_t width, uint32_t *part, uint64_t *out) {
    const uint32_t size = array->type->size, dims = array->table.dim_count;
    const uint64_t number = byte / size;
    const uint32_t rest = (uint32_t)(byte % size);
    uint32_t offset, member;
    *part = 0;
    switch (change->kind) {
    case FIX_MEMBERS:
        if (!find_member(array->type, rest, width, part, &offset, &member))
            return false;
        *out = number * member + (rest - offset);
        return true;
    case FIX_PERMUTED:
        *out = permute(array, change->order, number) * size + rest;
        return rest + width <= size;
    case FIX_PITCH: {
        const uint64_t row = (uint64_t)array->table.dims[dims - 1].extent * size;
        *out = byte / row * change->bytes + byte % row;
        return byte % row + width <= row;
    }
    case FIX_SHIFT:
        *out = byte + change->bytes;
        return true;
    default:
        *out = byte;
        return true;
    }
}

static smp_status visit(void *user, const smp_occurrence *seen, smp_error *error) {
    pass *p = user;
    smp_access access = *seen->access;
    (void)error;
    for (unsigned l = 0; l < SMP_LANES && p->fits; l++) {
        uint64_t to = 0;
        uint32_t part = 0;
        if (!(access.active_mask >> l & 1))
            continue;
        p->fits &= fix_change_place(p->array, p->change, access.address_bytes[l] - p->base,
                                    access.width_bytes, &part, &to);
        access.address_bytes[l] = p->base + ((uint64_t)part << REGION_SHIFT) + to;
        for (uint32_t b = 0; p->seen && b < access.width_bytes; b += 4)
            sector_set_add(p->seen, (access.address_bytes[l] + b) / SECTOR_BYTES);
    }
    for (uint32_t a = 0; a < p->fix->arch_count && p->fits; a++) {
        smp_counts counts;
        const smp_status status = smp_predict(&p->fix->archs[a], &access, &counts);
        p->fits = status == SMP_OK || status == SMP_E_NOT_MODELLED;
        p->sectors += p->fits ? counts.transactions * seen->times : 0;
    }
    if (!fix_goes_on(p->fix, p->fix->arch_count))
        p->fits = false;
    return p->fits ? SMP_OK : SMP_E_RESULT;
}

static bool reaches(const smp_fix *fix, size_t index, const smp_array *array) {
    const smp_request *request = smp_layout_request(fix->layout, index);
    return smp_layout_array(fix->layout, request->target.array) == array && !request->has_source &&
           !request->not_modelled;
}

/* Computes the sectors of all accesses to the array on all architectures; false if an access does
 * not fit the change. */
static bool weigh(const smp_fix *fix, const smp_array *array, fix_change *c, sector_set *seen) {
    pass p = {.fix = fix,
              .array = array,
              .change = c,
              .base = smp_array_base(fix->layout, array),
              .seen = seen,
              .fits = true};
    for (size_t i = 0; i < smp_layout_access_count(fix->layout) && p.fits; i++) {
        unsigned line;
        smp_error error;
        if (reaches(fix, i, array) &&
            smp_layout_visit(fix->layout, i, visit, &p, &line, &error) != SMP_OK)
            p.fits = false;
    }
    c->sectors = p.sectors;
    return p.fits;
}

/* ---- Candidates ---- */

typedef struct changes {
    uint32_t count;
    fix_change item[CHANGES_MAX];
} changes;

static void try(const smp_fix *fix, const smp_array *array, changes *list, fix_change c) {
    if (list->count < CHANGES_MAX && weigh(fix, array, &c, NULL))
        list->item[list->count++] = c;
}

static void try_orders(const smp_fix *fix, const smp_array *array, changes *list) {
    const uint32_t count = array->table.dim_count;
    for (uint32_t i = 0; i + 1 < count; i++) {
        for (uint32_t k = i + 1; k < count; k++) {
            fix_change c = {.kind = FIX_PERMUTED, .order = {0, 1, 2, 3}};
            c.order[i] = k;
            c.order[k] = i;
            try(fix, array, list, c);
        }
    }
}

/* Tries rows that begin at lines, and the best start shifted by whole elements. */
static void try_starts(const smp_fix *fix, const smp_array *array, changes *list) {
    const uint32_t size = array->type->size, dims = array->table.dim_count;
    const uint32_t row = dims > 1 ? array->table.dims[dims - 1].extent * size : LINE_BYTES;
    fix_change best = {.sectors = UINT64_MAX};
    if (row % LINE_BYTES != 0)
        try(fix, array, list,
            (fix_change){.kind = FIX_PITCH, .bytes = row + LINE_BYTES - row % LINE_BYTES});
    for (uint32_t by = array->type->align; by < LINE_BYTES; by += array->type->align) {
        fix_change c = {.kind = FIX_SHIFT, .bytes = by};
        if (by % size == 0 && weigh(fix, array, &c, NULL) && c.sectors < best.sectors)
            best = c;
    }
    if (best.sectors < UINT64_MAX && list->count < CHANGES_MAX)
        list->item[list->count++] = best;
}

static int by_sectors(const void *a, const void *b) {
    const fix_change *x = a, *y = b;
    if (x->sectors != y->sectors)
        return x->sectors < y->sectors ? -1 : 1;
    return (int)x->kind - (int)y->kind;
}

/* ---- Texts ---- */

static void put_members(text_buffer *out, const smp_array *array) {
    const char *name;
    size_t length;
    smp_shape shape;
    uint32_t i = 0;
    text_add(out, "an array for each member instead of structs (");
    for (; i < 4 && fix_member_of(array->type, i, &name, &length, &shape); i++)
        text_add(out, "%s%.*s_%.*s", i > 0 ? ", " : "", (int)array->length, array->name,
                 (int)length, name);
    text_add(out, fix_member_of(array->type, i, &name, &length, &shape) ? ", ...)" : ")");
}

static void put_order(text_buffer *out, const smp_array *array, const uint32_t order[]) {
    static const char names[] = "ijkl";
    text_add(out, "its dimensions in another order, %.*s", (int)array->length, array->name);
    for (uint32_t d = 0; d < array->table.dim_count; d++)
        text_add(out, "[%c]", names[order[d]]);
    text_add(out, " for ");
    for (uint32_t d = 0; d < array->table.dim_count; d++)
        text_add(out, "[%c]", names[d]);
}

void fix_change_text(text_buffer *out, const smp_array *array, const fix_change *c) {
    const uint32_t size = array->type->size;
    if (c->kind == FIX_MEMBERS)
        put_members(out, array);
    else if (c->kind == FIX_PERMUTED)
        put_order(out, array, c->order);
    else if (c->kind == FIX_PITCH)
        text_add(out, "rows of %u instead of %u elements, so that each begins at a line",
                 c->bytes / size, array->table.dims[array->table.dim_count - 1].extent);
    else
        text_add(out, "%u element%s before the first one, so that the accesses begin at lines",
                 c->bytes / size, c->bytes / size == 1 ? "" : "s");
    text_add(out, ": %" PRIu64, c->sectors);
}

/* The best change of each kind that saves something. */
static void choose(const changes *list, fix_global *out) {
    for (uint32_t i = 0; i < list->count && out->count < FIX_CHANGES_TRIED; i++) {
        const bool again = i > 0 && list->item[i].kind == list->item[i - 1].kind;
        if (list->item[i].sectors < out->sectors && !again)
            out->change[out->count++] = list->item[i];
    }
}

/* Describes the current cost of the array and that of each change. */
static void put_array(const smp_fix *fix, const fix_global *global, uint64_t ideal,
                      const sector_set *seen, text_buffer *out) {
    const smp_array *array = global->array;
    text_add(out,
             "%.*s: %" PRIu64 " sectors of 32 bytes are moved, %" PRIu64
             " would suffice (%.0f %%).",
             (int)array->length, array->name, global->sectors, ideal,
             100.0 * (double)ideal / (double)global->sectors);
    for (uint32_t i = 0; i < global->count; i++) {
        text_add(out, i == 0 ? " Better: " : "; or ");
        fix_change_text(out, array, &global->change[i]);
    }
    if (global->count > 0 && fix->arch_count > 1)
        text_add(out, ", over %u architectures", fix->arch_count);
    text_add(out, global->count > 0 ? "." : " None of the orders tried moves fewer.");
    const uint64_t once = (seen->is_full ? 0 : seen->count) * fix->arch_count;
    if (once > 0 && once < global->sectors)
        text_add(out,
                 " All accesses of the block together touch %" PRIu64
                 " different sectors; repeated requests hit L1 if they are still there.",
                 once);
}

static void find_one(smp_fix *fix, const smp_array *array) {
    changes list = {0};
    fix_change now = {.kind = FIX_AS_IT_IS};
    sector_set seen = {0};
    uint64_t ideal = 0;
    char text[1024];
    text_buffer out = TEXT_BUFFER(text);
    for (size_t i = 0; i < smp_layout_access_count(fix->layout); i++) {
        for (uint32_t a = 0; a < fix->arch_count && reaches(fix, i, array); a++)
            ideal += fix_before(fix, a, i)->ideal_sectors;
    }
    const bool is_plain = array->table.is_row_major && !array->table.swizzle.present;
    if (is_plain && weigh(fix, array, &now, &seen) && now.sectors > ideal && ideal > 0) {
        if (array->type->lanes > 1 || array->type->member_count > 1)
            try(fix, array, &list, (fix_change){.kind = FIX_MEMBERS});
        try_orders(fix, array, &list);
        try_starts(fix, array, &list);
        qsort(list.item, list.count, sizeof list.item[0], by_sectors);
        fix_global *global = &fix->globals[fix->global_count++];
        *global = (fix_global){.array = array, .advice = fix->advice.count, .sectors = now.sectors};
        choose(&list, global);
        put_array(fix, global, ideal, &seen, &out);
        fix_note_add(&fix->advice, "global", "%s", text);
    }
    sector_set_clear(&seen);
}

void fix_globals_find(smp_fix *fix) {
    for (uint32_t a = 0; a < fix->arch_count; a++) {
        if (fix->archs[a].global_rule != SMP_GLOBAL_SECTORS)
            return; /* the ideal is defined for sectors only */
    }
    for (uint32_t i = 0; i < smp_layout_array_count(fix->layout); i++) {
        if (smp_layout_array(fix->layout, i)->space == SMP_SPACE_GLOBAL)
            find_one(fix, smp_layout_array(fix->layout, i));
    }
}
