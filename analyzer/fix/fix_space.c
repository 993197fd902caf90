/* SPDX-License-Identifier: MIT */
/*
 * The families of forms, each searched completely within bounds that suffice. Banks repeat after
 * a period of 128 bytes (256 for 8-byte banks), so padding by a whole period changes no cost. An
 * exclusive-or that reads whole words and writes bits above the period only exchanges rows of
 * banks. One that reads bits above the array reads zeros. One that writes below a unit tears
 * vectors. Kepler's 4-byte mode pairs words of one 256-byte segment, so there the bits above
 * matter, too, and padding beyond the period could still change something.
 */
#include "fix.h"

enum { STEPS_MAX = 64, DIVIDE_MAX = 16, STRIDES_MAX = 8 };

uint32_t fix_period_bytes(const smp_fix *fix) {
    uint32_t bytes = 128;
    for (uint32_t c = 0; c < fix->class_count; c++) {
        uint32_t period = fix->classes[c].arch.shared_rule->period_bytes;
        bytes = period > bytes ? period : bytes;
    }
    return bytes;
}

/* Period of the banks in elements: a power of two. */
static uint32_t period_elements(const smp_fix *fix, uint32_t bytes) {
    uint32_t period = fix_period_bytes(fix);
    return period / smp_gcd(bytes, period);
}

/* Elements in a unit. */
static uint32_t unit_elements(const fix_array *array) {
    uint32_t bytes = array->keep.element_bytes;
    return array->unit_bytes > bytes ? array->unit_bytes / bytes : 1;
}

void fix_bank_bits(const smp_fix *fix, const fix_array *array, uint32_t *low, uint32_t *high) {
    uint32_t bytes = array->keep.element_bytes;
    bool tears = array->unit_bytes > bytes && array->unit_bytes % bytes != 0;
    uint32_t unit = unit_elements(array);
    uint32_t word = bytes < 4 && 4 % bytes == 0 ? 4 / bytes : 1;
    *high = fix_log2(period_elements(fix, bytes));
    *low = fix_log2(unit > word ? unit : word);
    if (tears || *low > *high)
        *low = *high;
}

/* ---- Padding ---- */

/* True if the form differs from the array's own. */
static bool is_new(const fix_array *array, const smp_fix_form *form) {
    bool pads = false;
    for (uint32_t d = 0; d < form->dim_count; d++)
        pads |= form->pad[d] > 0;
    return pads || !array->array->table.is_row_major || array->array->table.swizzle.present;
}

/* Pads dimension `d` and the inner ones, innermost first. */
static void pad_from(smp_fix *fix, fix_array *array, smp_fix_form *form, uint32_t d,
                     uint32_t stride) {
    uint32_t last = form->dim_count - 1;
    if (d == 0) {
        if (is_new(array, form))
            fix_weigh(fix, array, form, &array->shifted);
        return;
    }
    uint32_t ways = period_elements(fix, stride * form->element_bytes);
    if (d == last && array->crosses_rows)
        ways = 1;
    for (uint32_t pad = 0; pad < ways && fix_is_wanted(fix); pad++) {
        form->pad[d] = pad;
        pad_from(fix, array, form, d - 1, stride * (form->extent[d] + pad));
    }
    form->pad[d] = 0;
}

/* Distances of neighbouring lanes that are not powers of two: rows of a flat matrix. */
static uint32_t find_strides(const fix_array *array, uint32_t unit, uint32_t out[STRIDES_MAX]) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < array->pattern_count && count < STRIDES_MAX; i++) {
        const fix_pattern *p = &array->patterns[i];
        uint32_t stride = p->flat[1] - p->flat[0], known = 0;
        bool fits = (p->access.active_mask & 3) == 3 && stride < array->reach && stride > 2 &&
                    !fix_is_power(stride) && stride % unit == 0;
        while (known < count && out[known] != stride)
            known++;
        if (fits && known == count)
            out[count++] = stride;
    }
    return count;
}

static void space_every(smp_fix *fix, fix_array *array, uint32_t every) {
    smp_fix_form form = array->keep;
    uint32_t ways = period_elements(fix, form.element_bytes);
    form.kind = SMP_FIX_PAD;
    form.every = every;
    for (form.insert = 1; form.insert < ways && fix_is_wanted(fix); form.insert++)
        fix_weigh(fix, array, &form, &array->all);
}

/* True if an access moves whole structs, which would include the padding. */
static bool moves_structs(const smp_fix *fix, const fix_array *array) {
    for (uint32_t i = 0; i < smp_layout_access_count(fix->layout); i++) {
        const smp_target *target = &smp_layout_request(fix->layout, i)->target;
        if (smp_layout_array(fix->layout, target->array) == array->array &&
            target->size_bytes == array->keep.element_bytes &&
            target->align == array->array->type->align)
            return true;
    }
    return false;
}

bool fix_is_widenable(const smp_fix *fix, const fix_array *array) {
    const smp_type *type = array->array->type;
    return type->member_count > 0 && !type->element &&
           array->unit_bytes <= array->keep.element_bytes && type->member_count < SMP_MEMBERS_MAX &&
           !moves_structs(fix, array);
}

const smp_array *fix_type_sharer(const smp_fix *fix, const fix_array *array) {
    for (uint32_t i = 0; i < smp_layout_array_count(fix->layout); i++) {
        const smp_array *other = smp_layout_array(fix->layout, i);
        if (other != array->array && other->type == array->array->type)
            return other;
    }
    return NULL;
}

/* Pads structs in steps that keep their alignment. */
static void widen(smp_fix *fix, fix_array *array) {
    smp_fix_form form = array->keep;
    const smp_type *type = array->array->type;
    if (!fix_is_widenable(fix, array) || fix_type_sharer(fix, array))
        return;
    form.kind = SMP_FIX_PAD;
    for (form.element_extra = type->align; form.element_extra < fix_period_bytes(fix);
         form.element_extra += type->align)
        fix_weigh(fix, array, &form, &array->all);
}

void fix_search_pads(smp_fix *fix, fix_array *array) {
    smp_fix_form form = array->keep;
    uint32_t strides[STRIDES_MAX], unit = unit_elements(array);
    form.kind = SMP_FIX_PAD;
    pad_from(fix, array, &form, form.dim_count - 1, 1);
    widen(fix, array);
    if (form.dim_count > 1)
        return;
    for (uint32_t every = unit; every < array->reach; every *= 2)
        space_every(fix, array, every);
    uint32_t count = find_strides(array, unit, strides);
    for (uint32_t i = 0; i < count; i++)
        space_every(fix, array, strides[i]);
}

/* ---- Swizzles ---- */

static uint32_t index_bits(const smp_fix_form *form, uint32_t reach) {
    smp_fix_form plain = *form;
    plain.term_count = 0;
    uint64_t count = fix_form_elements(&plain, reach);
    return count > 1 ? fix_log2((uint32_t)count - 1) + 1 : 0;
}

static void weigh_swizzle(smp_fix *fix, fix_array *array, smp_fix_form *form, uint32_t bits,
                          uint32_t base, int32_t shift, const fix_sample *sample) {
    uint32_t low = ((1u << bits) - 1) << base;
    form->bits = bits;
    form->base = base;
    form->shift = shift;
    form->term_count = 1;
    form->term[0] = (smp_fix_term){shift < 0 ? low : low << shift, shift};
    fix_weigh(fix, array, form, sample);
}

/* Bits of the index within one word of some bank. */
static uint32_t word_bits(const smp_fix *fix, const fix_array *array) {
    uint32_t widest = 4, bytes = array->keep.element_bytes;
    for (uint32_t c = 0; c < fix->class_count; c++)
        widest =
            fix->classes[c].arch.bank_bytes > widest ? fix->classes[c].arch.bank_bytes : widest;
    return bytes < widest && widest % bytes == 0 ? fix_log2(widest / bytes) : 0;
}

/* Every Swizzle<B,M,S> on top of the padding of `form`. */
static void each_swizzle(smp_fix *fix, fix_array *array, smp_fix_form *form,
                         const fix_sample *sample) {
    uint32_t low, high, size = index_bits(form, array->reach), unit;
    fix_bank_bits(fix, array, &low, &high);
    unit = fix_log2(unit_elements(array));
    uint32_t words = word_bits(fix, array), above = size > high ? size : high;
    const bool pairs_words =
        ANY(one, fix->classes, fix->class_count, smp_bank_pairs_words(&one->arch));
    uint32_t top = pairs_words ? above : high;
    for (uint32_t bits = 1; bits <= top - low && fix_is_wanted(fix); bits++) {
        for (uint32_t base = low; base + bits <= top; base++) {
            for (uint32_t shift = bits; base + shift + bits <= size; shift++)
                weigh_swizzle(fix, array, form, bits, base, (int32_t)shift, sample);
        }
        for (uint32_t base = unit; base + 2 * bits <= above; base++) {
            uint32_t end = base < words ? above : top;
            for (uint32_t shift = bits; base + shift + bits <= end; shift++)
                weigh_swizzle(fix, array, form, bits, base, -(int32_t)shift, sample);
        }
    }
}

void fix_search_swizzles(smp_fix *fix, fix_array *array) {
    smp_fix_form form = array->keep;
    form.kind = SMP_FIX_XOR;
    each_swizzle(fix, array, &form, &array->mirrored);
}

/* True if a padded form cannot be the best, since a known free one is no larger. */
static bool is_hopeless(const fix_array *array, const smp_fix_form *form) {
    const fix_candidate *best = fix_best(array, SMP_FIX_KIND_COUNT, UINT64_MAX / 2);
    if (!best || best->price.cost.excess > array->bound || array->is_remote)
        return false;
    return fix_form_bytes(form, array->reach) > best->price.bytes ||
           (best->price.instructions == 0 && best->price.bytes <= array->before.bytes);
}

/* Swizzles on top of one padding. */
static void swizzle_padded(smp_fix *fix, fix_array *array, smp_fix_form *form) {
    form->term_count = 0;
    if (fix_is_wanted(fix) && !is_hopeless(array, form))
        each_swizzle(fix, array, form, &array->all);
}

void fix_search_padded_swizzles(smp_fix *fix, fix_array *array) {
    smp_fix_form form = array->keep;
    uint32_t last = form.dim_count - 1, ways = period_elements(fix, form.element_bytes);
    form.kind = SMP_FIX_PAD_XOR;
    for (uint32_t pad = 1; pad < ways && last > 0 && !array->crosses_rows; pad++) {
        form.pad[last] = pad;
        swizzle_padded(fix, array, &form);
    }
    form.every = last > 0 ? array->reach : unit_elements(array);
    for (; form.every < array->reach; form.every *= 2) {
        for (form.insert = 1; form.insert < ways; form.insert++)
            swizzle_padded(fix, array, &form);
    }
}

/* ---- Rotations ---- */

void fix_search_rotations(smp_fix *fix, fix_array *array) {
    smp_fix_form form = array->keep;
    uint32_t unit = unit_elements(array), last = form.dim_count - 1;
    form.kind = SMP_FIX_ROTATE;
    if (form.dim_count == 1 || form.extent[last] % unit != 0)
        return;
    for (form.divide = 1; form.divide <= DIVIDE_MAX; form.divide *= 2) {
        for (uint32_t k = 1; k <= STEPS_MAX && k * unit < form.extent[last]; k++) {
            form.step = k * unit;
            if (fix_is_wanted(fix))
                fix_weigh(fix, array, &form, &array->all);
        }
    }
}
