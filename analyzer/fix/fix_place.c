/* SPDX-License-Identifier: MIT */
/*
 * All arrays together: places the chosen forms in memory and finds the best choice that fits
 * into a block's memory.
 */
#include <string.h>

#include "fix.h"

enum {
    OPTIONS_MAX = SMP_FIX_KIND_COUNT * FIX_FRONT_MAX,
    VISITS_MAX = 200000,
};

static uint64_t round_up(uint64_t value, uint64_t align) {
    return (value + align - 1) / align * align;
}

static uint64_t size_of(const fix_array *array) {
    bool is_new = array->chosen.form.kind != SMP_FIX_KEEP;
    if (array->array->is_unsized)
        return 0;
    return is_new ? fix_form_bytes(&array->chosen.form, array->reach) : array->array->size_bytes;
}

/* The alignment that an array needs at `base`; 0 if that of its type suffices. */
static uint32_t needed_align(const fix_array *array, uint64_t base) {
    uint32_t align = array->align_bytes;
    bool is_new = array->chosen.form.kind != SMP_FIX_KEEP;
    bool was_aligned = array->array->base_bytes % align == 0;
    if (base % align == 0 || (!is_new && (!was_aligned || base == array->array->base_bytes)))
        return 0;
    return align;
}

static bool overlap(uint64_t a, uint64_t a_end, uint64_t b, uint64_t b_end) {
    return a < b_end && b < a_end;
}

/* Arrays placed with '@' may overlap only if they did before. */
static bool collides(const smp_fix *fix, uint32_t index, const uint64_t base[SMP_ARRAYS_MAX]) {
    const fix_array *a = &fix->arrays[index];
    for (uint32_t i = 0; i < index; i++) {
        const fix_array *b = &fix->arrays[i];
        if (a->array->is_dynamic || b->array->is_dynamic)
            continue;
        bool before = overlap(a->array->base_bytes, a->array->base_bytes + a->array->size_bytes,
                              b->array->base_bytes, b->array->base_bytes + b->array->size_bytes);
        if (!before &&
            overlap(base[index], base[index] + size_of(a), base[i], base[i] + size_of(b)))
            return true;
    }
    return false;
}

/* True if the dynamic arrays, which follow the static ones, keep their alignment. */
static bool dynamic_fits(const smp_fix *fix, uint64_t base) {
    EACH(const fix_array, array, fix->arrays, fix->array_count) {
        uint64_t before = smp_array_base(fix->layout, array->array);
        uint64_t now = base + array->array->base_bytes;
        bool is_new = array->chosen.form.kind != SMP_FIX_KEEP;
        uint64_t moved = is_new ? now : now > before ? now - before : before - now;
        if (array->array->is_dynamic && array->pattern_count > 0 && moved % array->align_bytes != 0)
            return false;
    }
    return true;
}

/* An unchanged array costs the same only if it moves by a multiple of align_bytes. */
static bool changes_cost(const fix_array *array, uint64_t base) {
    uint64_t before = array->array->base_bytes;
    uint64_t moved = base > before ? base - before : before - base;
    bool is_kept = array->chosen.form.kind == SMP_FIX_KEEP && array->pattern_count > 0;
    return is_kept && moved % array->align_bytes != 0;
}

/* Places every array, aligned to at least `least`; false if they overlap. */
static bool place_once(smp_fix *fix, const uint32_t least[SMP_ARRAYS_MAX], uint64_t *static_end,
                       uint64_t *dynamic_end) {
    uint64_t base[SMP_ARRAYS_MAX], end = 0;
    *dynamic_end = 0;
    for (uint32_t i = 0; i < fix->array_count; i++) {
        fix_array *array = &fix->arrays[i];
        const smp_array *of = array->array;
        array->align_as = 0;
        base[i] = of->base_bytes;
        if (of->is_dynamic) {
            uint64_t own_end = of->base_bytes + size_of(array);
            *dynamic_end = own_end > *dynamic_end ? own_end : *dynamic_end;
            continue;
        }
        if (!of->is_placed) {
            base[i] = round_up(end, of->align);
            array->align_as = needed_align(array, base[i]);
            if (least[i] > array->align_as)
                array->align_as = least[i];
            if (array->align_as > 0)
                base[i] = round_up(end, array->align_as);
        }
        if (collides(fix, i, base) || changes_cost(array, base[i]))
            return false;
        end = base[i] + size_of(array) > end ? base[i] + size_of(array) : end;
    }
    *static_end = end;
    return true;
}

/* An alignment applies to a whole declaration: raises it for all its arrays; true if any was lower.
 */
static bool share_alignments(const smp_fix *fix, uint32_t least[SMP_ARRAYS_MAX]) {
    bool raised = false;
    for (uint32_t i = 0; i < fix->array_count; i++) {
        for (uint32_t k = 0; k < fix->array_count; k++) {
            const smp_array *a = fix->arrays[i].array, *b = fix->arrays[k].array;
            bool is_less = least[k] < fix->arrays[i].align_as;
            if (a->type_text != b->type_text || !is_less || (i == k && least[k] == 0))
                continue;
            least[k] = fix->arrays[i].align_as;
            raised = true;
        }
    }
    return raised;
}

/* True if the limit leaves room for the larger arrays of unknown size, which begin after `base`
 * bytes. */
static bool launch_fits(const smp_fix *fix, uint64_t base) {
    EACH(const fix_array, array, fix->arrays, fix->array_count) {
        const uint64_t size = fix_form_bytes(&array->chosen.form, array->reach);
        const bool grows = array->chosen.form.kind != SMP_FIX_KEEP && size > array->before.bytes;
        if (array->array->is_unsized && grows &&
            base + array->array->base_bytes + size > fix->limit_bytes)
            return false;
    }
    return true;
}

bool fix_place_all(smp_fix *fix, uint64_t *bytes) {
    uint32_t least[SMP_ARRAYS_MAX] = {0};
    uint64_t end, dynamic_end;
    do {
        if (!place_once(fix, least, &end, &dynamic_end))
            return false;
    } while (share_alignments(fix, least));
    const uint64_t base = smp_dynamic_base(fix->layout, end);
    *bytes = dynamic_end > 0 ? base + dynamic_end : end;
    return dynamic_fits(fix, base) && launch_fits(fix, base);
}

/* ---- Choosing ---- */

typedef struct choice {
    smp_fix *fix;
    uint32_t count[SMP_ARRAYS_MAX];
    const fix_candidate *option[SMP_ARRAYS_MAX][OPTIONS_MAX]; /* best first */
    uint64_t rest[SMP_ARRAYS_MAX + 1]; /* least excess of this array and the following ones */
    bool any;
    fix_price best;
    const fix_candidate *picked[SMP_ARRAYS_MAX], *best_picked[SMP_ARRAYS_MAX];
    uint32_t visits;
} choice;

static void add_price(fix_price *sum, const fix_price *price) {
    smp_tally_add(&sum->cost, &price->cost, 1);
    sum->bytes += price->bytes;
    sum->instructions += price->instructions;
}

/* A layout that leaves conflicts must halve the excess if it takes more than twice the array's
 * bytes: many times the memory for a few wavefronts is no repair. */
static bool is_worth_its_bytes(const fix_array *array, const fix_price *price) {
    return price->cost.excess <= array->floor || price->bytes <= 2 * array->before.bytes ||
           price->cost.excess <= array->before.cost.excess / 2;
}

static void list_options(choice *c, uint32_t index) {
    const fix_array *array = &c->fix->arrays[index];
    for (uint32_t k = 0; k < SMP_FIX_KIND_COUNT; k++) {
        EACH(const fix_candidate, added, array->fronts[k].item, array->fronts[k].count) {
            if (!is_worth_its_bytes(array, &added->price))
                continue;
            uint32_t at = c->count[index]++;
            for (; at > 0 && fix_price_compare(&c->option[index][at - 1]->price, &added->price) > 0;
                 at--)
                c->option[index][at] = c->option[index][at - 1];
            c->option[index][at] = added;
        }
    }
}

/* Chooses the picked forms; false if they do not fit together. */
static bool choose_picked(choice *c) {
    uint64_t bytes;
    for (uint32_t i = 0; i < c->fix->array_count; i++)
        c->fix->arrays[i].chosen = *c->picked[i];
    return fix_place_all(c->fix, &bytes) && bytes <= c->fix->limit_bytes;
}

static void take(choice *c, const fix_price *sum) {
    if (!choose_picked(c) || (c->any && fix_price_compare(sum, &c->best) >= 0))
        return;
    c->any = true;
    c->best = *sum;
    memcpy(c->best_picked, c->picked, sizeof c->picked);
}

static void pick_from(choice *c, uint32_t index, fix_price sum) {
    if (index == c->fix->array_count) {
        take(c, &sum);
        return;
    }
    for (uint32_t i = 0; i < c->count[index]; i++) {
        fix_price next = sum;
        if (c->visits++ > VISITS_MAX) {
            c->fix->is_cut_short = true;
            return;
        }
        c->picked[index] = c->option[index][i];
        add_price(&next, &c->picked[index]->price);
        if (c->any && next.cost.excess + c->rest[index + 1] > c->best.cost.excess)
            return; /* options are sorted by excess */
        pick_from(c, index + 1, next);
    }
}

bool fix_choose(smp_fix *fix) {
    choice c = {.fix = fix};
    uint64_t bytes;
    for (uint32_t i = 0; i < fix->array_count; i++)
        list_options(&c, i);
    for (uint32_t i = fix->array_count; i-- > 0;) {
        c.picked[i] = c.option[i][0];
        c.rest[i] = c.rest[i + 1] + c.picked[i]->price.cost.excess;
    }
    if (choose_picked(&c)) /* the best of each: costs add up */
        return true;
    pick_from(&c, 0, (fix_price){0});
    for (uint32_t i = 0; i < fix->array_count && c.any; i++)
        fix->arrays[i].chosen = *c.best_picked[i];
    return c.any && fix_place_all(fix, &bytes);
}
