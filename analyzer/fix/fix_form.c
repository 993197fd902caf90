/* SPDX-License-Identifier: MIT */
/*
 * Forms: the positions of an array's elements, their memory, and the cost of an index. The order
 * is fixed: a rotation changes the column, the indices give a padded row-major number, and
 * exclusive-or terms change that number.
 */
#include <stdio.h>
#include <string.h>

#include "fix.h"
#include "text_buffer.h"

/* ---- Addresses ---- */

void fix_map_init(fix_map *map, const smp_fix_form *form) {
    uint32_t stride = 1;
    *map = (fix_map){.form = form, .every_shift = -1};
    for (uint32_t d = form->dim_count; d-- > 0;) {
        map->stride[d] = stride;
        stride *= form->extent[d] + form->pad[d];
    }
    map->element_bytes = form->element_bytes + form->element_extra;
    map->columns = form->dim_count > 0 ? form->extent[form->dim_count - 1] : 1;
    map->column_mask = fix_is_power(map->columns) ? map->columns - 1 : 0;
    if (fix_is_power(form->every))
        map->every_shift = (int)fix_log2(form->every);
}

static inline uint32_t rotate(const fix_map *map, uint32_t row, uint32_t column) {
    uint32_t sum = column + map->form->step * (row / map->form->divide);
    return map->column_mask != 0 ? sum & map->column_mask : sum % map->columns;
}

static inline uint32_t spread(const fix_map *map, uint32_t flat) {
    uint32_t whole = map->every_shift >= 0 ? flat >> map->every_shift : flat / map->form->every;
    return flat + whole * map->form->insert;
}

/* Computes padded element numbers, before any exclusive-or. */
static void number_lanes(const fix_map *map, const fix_pattern *p, uint32_t out[SMP_LANES]) {
    const smp_fix_form *form = map->form;
    uint32_t last = form->dim_count - 1;
    if (form->every != 0) {
        for (unsigned l = 0; l < SMP_LANES; l++)
            out[l] = spread(map, p->flat[l]);
        return;
    }
    if (form->step != 0) {
        for (unsigned l = 0; l < SMP_LANES; l++)
            out[l] = rotate(map, p->index[last - 1][l], p->index[last][l]);
    } else {
        memcpy(out, p->index[last], sizeof p->index[last]);
    }
    for (uint32_t d = 0; d < last; d++) {
        for (unsigned l = 0; l < SMP_LANES; l++)
            out[l] += p->index[d][l] * map->stride[d];
    }
}

void fix_map_lanes(const fix_map *map, const fix_pattern *pattern, uint32_t out[SMP_LANES]) {
    const smp_fix_form *form = map->form;
    uint32_t number[SMP_LANES];
    number_lanes(map, pattern, number);
    memcpy(out, number, sizeof number);
    for (uint32_t i = 0; i < form->term_count; i++) {
        uint32_t mask = form->term[i].mask;
        int32_t shift = form->term[i].shift;
        if (shift < 0) {
            for (unsigned l = 0; l < SMP_LANES; l++)
                out[l] ^= (number[l] & mask) << -shift;
        } else {
            for (unsigned l = 0; l < SMP_LANES; l++)
                out[l] ^= (number[l] & mask) >> shift;
        }
    }
    for (unsigned l = 0; l < SMP_LANES; l++)
        out[l] = out[l] * map->element_bytes + pattern->rest[l];
}

void fix_map_elements(const fix_map *map, uint32_t first, uint32_t out[SMP_LANES]) {
    const smp_fix_form *form = map->form;
    fix_pattern elements = {.source = 0};
    for (unsigned l = 0; l < SMP_LANES; l++) {
        uint32_t rest = elements.flat[l] = first + l;
        for (uint32_t d = form->dim_count; d-- > 1; rest /= form->extent[d])
            elements.index[d][l] = rest % form->extent[d];
        elements.index[0][l] = rest;
    }
    fix_map_lanes(map, &elements, out);
}

uint64_t smp_fix_form_offset(const smp_fix_form *form, uint64_t offset) {
    fix_map map;
    uint32_t to[SMP_LANES];
    if (form->dim_count == 0) /* a single object */
        return offset;
    fix_map_init(&map, form);
    fix_map_elements(&map, (uint32_t)(offset / form->element_bytes), to);
    return to[0] + offset % form->element_bytes;
}

/* ---- Memory ---- */

/* An exclusive-or changes only bits below this power of two. */
static uint32_t atom_of(const smp_fix_form *form) {
    uint32_t written = 0;
    for (uint32_t i = 0; i < form->term_count; i++)
        written |= form->term[i].shift < 0 ? form->term[i].mask << -form->term[i].shift
                                           : form->term[i].mask >> form->term[i].shift;
    return written == 0 ? 1 : 2u << fix_log2(written);
}

bool fix_form_stays_in_row(const smp_fix_form *form) {
    uint32_t last = form->dim_count - 1;
    return form->dim_count == 1 || (form->extent[last] + form->pad[last]) % atom_of(form) == 0;
}

bool fix_form_is_flat(const smp_fix_form *form) {
    return form->term_count > 0 && !fix_form_stays_in_row(form);
}

uint64_t fix_form_elements(const smp_fix_form *form, uint32_t reach) {
    uint32_t row = 1;
    uint64_t count = 1;
    if (reach == 0)
        return 0;
    for (uint32_t d = 1; d < form->dim_count; d++) {
        row *= form->extent[d];
        count *= form->extent[d] + form->pad[d];
    }
    count *= (reach + row - 1) / row + form->pad[0];
    if (form->every != 0)
        count += (uint64_t)((reach - 1) / form->every) * form->insert;
    uint32_t atom = atom_of(form);
    return (count + atom - 1) / atom * atom;
}

uint64_t fix_form_bytes(const smp_fix_form *form, uint32_t reach) {
    return fix_form_elements(form, reach) * (form->element_bytes + form->element_extra);
}

/* ---- Index cost ---- */

/* True if row and column bits align without a shift. */
static bool is_aligned_term(const smp_fix_form *form, const smp_fix_term *term) {
    uint32_t last = form->dim_count - 1;
    uint32_t columns = form->extent[last] + form->pad[last];
    return form->dim_count > 1 && fix_is_power(columns) && term->shift > 0 &&
           (uint32_t)term->shift == fix_log2(columns) && term->mask >= columns;
}

uint32_t fix_form_instructions(const smp_fix_form *form) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < form->term_count; i++)
        count += is_aligned_term(form, &form->term[i]) ? 1 : 2;
    if (form->term_count > 0 && !fix_form_stays_in_row(form))
        count++;
    if (form->step != 0)
        count += (fix_is_power(form->extent[form->dim_count - 1]) ? 2u : 4u) + (form->divide > 1);
    if (form->every != 0)
        count += form->every == 1 ? 1u : fix_is_power(form->every) ? 2u : 4u;
    return count;
}

/* ---- Names ---- */

static void put_extents(const smp_fix_form *form, text_buffer *out) {
    for (uint32_t d = 0; d < form->dim_count; d++) {
        if (form->extent[d] == 0)
            text_add(out, "[]");
        else
            text_add(out, "[%u]", form->extent[d] + form->pad[d]);
    }
}

static void put_term(const smp_fix_form *form, text_buffer *out) {
    if (form->bits != 0) {
        text_add(out, "Swizzle<%u,%u,%d>", form->bits, form->base, form->shift);
        return;
    }
    text_add(out, "i");
    for (uint32_t i = 0; i < form->term_count; i++) {
        const smp_fix_term *term = &form->term[i];
        text_add(out, " ^ (i>>%d & 0x%x)", term->shift, term->mask >> term->shift);
    }
}

static void put_spread(const smp_fix_form *form, text_buffer *out) {
    if (form->every == 1)
        text_add(out, "i * %u", 1 + form->insert);
    else if (form->insert == 1)
        text_add(out, "i + i / %u", form->every);
    else
        text_add(out, "i + i / %u * %u", form->every, form->insert);
}

static void put_rotation(const smp_fix_form *form, text_buffer *out) {
    char divide[16] = "", step[16] = "";
    if (form->divide > 1)
        (void)snprintf(divide, sizeof divide, " / %u", form->divide);
    if (form->step > 1)
        (void)snprintf(step, sizeof step, " * %u", form->step);
    text_add(out, "(c + r%s%s) %% %u", divide, step, form->extent[form->dim_count - 1]);
}

size_t smp_fix_form_text(const smp_fix_form *form, char *text, size_t size) {
    text_buffer out = text_buffer_over(text, size);
    if (form->kind == SMP_FIX_KEEP)
        text_add(&out, "unchanged");
    else if (form->kind == SMP_FIX_XOR || form->kind == SMP_FIX_LINEAR)
        put_term(form, &out);
    else if (form->kind == SMP_FIX_ROTATE)
        put_rotation(form, &out);
    else if (form->element_extra != 0)
        text_add(&out, "%u bytes per element", form->element_bytes + form->element_extra);
    else {
        (form->every != 0 ? put_spread : put_extents)(form, &out);
        if (form->term_count > 0) {
            text_add(&out, " ");
            put_term(form, &out);
        }
    }
    return out.length;
}
