/* SPDX-License-Identifier: MIT */
/* Forms as rows of a table, with the figures for a choice, over all requests. */
#include <string.h>

#include "fix_report.h"

uint32_t fix_blocks(const smp_fix *fix, uint64_t bytes) {
    uint32_t block[3];
    smp_layout_block(fix->layout, block);
    uint32_t threads = block[0] * block[1] * block[2];
    return smp_resident_blocks(&fix->archs[0], threads, (uint32_t)bytes, 0);
}

fix_row fix_row_of(const smp_fix *fix, const fix_array *array, const smp_fix_form *form) {
    fix_row row = {.array = array, .form = *form, .price = array->before, .fits = true};
    if (form->kind != SMP_FIX_KEEP)
        row.fits = fix_score(fix, array, form, &array->all, UINT64_MAX, &row.price);
    if (!row.fits)
        return row;
    row.is_chosen = memcmp(form, &array->chosen.form, sizeof *form) == 0;
    uint64_t others = fix->result.bytes_before - array->before.bytes;
    row.blocks = fix_blocks(fix, others + row.price.bytes);
    return row;
}

/* True for a linear form that is no better than a plain swizzle. */
static bool is_idle(const fix_array *array, const fix_candidate *candidate) {
    const fix_candidate *plain = fix_best(array, SMP_FIX_XOR, UINT64_MAX / 2);
    return candidate->form.kind == SMP_FIX_LINEAR && plain && candidate != &array->chosen &&
           fix_price_compare(&plain->price, &candidate->price) <= 0;
}

uint32_t fix_rows(const smp_fix *fix, const fix_array *array, fix_row out[FIX_ROWS_MAX]) {
    uint32_t count = 0;
    uint64_t bytes =
        fix->result.bytes_before + (array->array->is_unsized ? array->before.bytes : 0);
    uint64_t room = fix->limit_bytes > bytes ? fix->limit_bytes - bytes : 0;
    for (uint32_t k = 0; k < SMP_FIX_KIND_COUNT; k++) {
        const fix_candidate *best = fix_best(array, (smp_fix_kind)k, room);
        if (array->chosen.form.kind == (smp_fix_kind)k)
            best = &array->chosen;
        if (!best || is_idle(array, best))
            continue;
        fix_row row = fix_row_of(fix, array, &best->form);
        uint32_t at = count++;
        for (; at > 0 && fix_price_compare(&row.price, &out[at - 1].price) < 0; at--)
            out[at] = out[at - 1];
        out[at] = row;
    }
    return count;
}

bool fix_is_shown(const fix_array *array) {
    return array->pattern_count > 0 && array->before.cost.excess > array->floor;
}
