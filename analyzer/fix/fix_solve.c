/* SPDX-License-Identifier: MIT */
/*
 * From a text to its fixed version: read, evaluate, search each array that conflicts, choose,
 * and verify.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "fix_report.h"

/* ---- Architectures ---- */

/* Totals of every access on one architecture, unchanged. */
static smp_status evaluate(smp_fix *fix, const smp_arch *arch, smp_totals *out, unsigned *line,
                           smp_error *error) {
    smp_status status = SMP_OK;
    for (size_t i = 0; i < smp_layout_access_count(fix->layout) && status == SMP_OK; i++)
        status = smp_layout_evaluate_while(fix->layout, arch, i, fix_request_goes_on, fix, &out[i],
                                           line, error);
    return status;
}

static uint64_t block_bytes(const smp_arch *arch) {
    return (uint64_t)arch->shared_block_kib * 1024;
}

static void add_class(smp_fix *fix, const smp_arch *arch) {
    EACH(fix_class, known, fix->classes, fix->class_count) {
        if (known->arch.shared_rule != arch->shared_rule || known->arch.banks != arch->banks ||
            known->arch.bank_bytes != arch->bank_bytes)
            continue;
        known->weight++;
        if (arch->shared_block_kib > known->arch.shared_block_kib)
            known->arch = *arch;
        return;
    }
    if (fix->class_count == FIX_CLASSES_MAX)
        return;
    /* CC 1.x takes the longest to predict, so it comes last. */
    uint32_t at = arch->shared_rule->half_warps ? fix->class_count : 0;
    memmove(&fix->classes[at + 1], &fix->classes[at],
            (fix->class_count - at) * sizeof fix->classes[0]);
    fix->classes[at] = (fix_class){.arch = *arch, .weight = 1};
    fix->class_count++;
}

/* Keeps the architectures that can run all accesses. */
static smp_status take_archs(smp_fix *fix, unsigned *line, smp_error *error) {
    size_t count = smp_layout_access_count(fix->layout);
    smp_totals *totals = calloc(count, sizeof *totals);
    fix->before = calloc(count * fix->options.arch_count, sizeof *fix->before);
    smp_status status = totals && fix->before ? SMP_OK : smp_error_memory(error), last = SMP_OK;
    for (size_t i = 0; i < fix->options.arch_count && status == SMP_OK; i++) {
        const smp_arch *arch = &fix->options.archs[i];
        *line = 0;
        last = smp_layout_check_memory(fix->layout, arch, error);
        if (last == SMP_OK)
            last = evaluate(fix, arch, totals, line, error);
        if (last == SMP_OK && fix->arch_count < FIX_ARCHS_MAX) {
            memcpy(&fix->before[fix->arch_count * count], totals, count * sizeof *totals);
            fix->archs[fix->arch_count++] = *arch;
            add_class(fix, arch);
        } else if (!fix->options.skips_archs || last == SMP_E_INTERRUPTED) {
            status = last;
        }
    }
    free(totals);
    return status == SMP_OK && fix->arch_count == 0 ? last : status;
}

/* ---- Limits ---- */

static void set_limit(smp_fix *fix) {
    uint64_t bytes = smp_layout_shared_bytes(fix->layout), fixed = UINT64_MAX, block = UINT64_MAX;
    bool is_static = true;
    for (uint32_t i = 0; i < fix->arch_count; i++) {
        uint64_t least = (uint64_t)fix->archs[i].shared_static_kib * 1024;
        fixed = least < fixed ? least : fixed;
        block = block_bytes(&fix->archs[i]) < block ? block_bytes(&fix->archs[i]) : block;
    }
    for (uint32_t i = 0; i < smp_layout_array_count(fix->layout); i++)
        is_static &= !smp_layout_array(fix->layout, i)->is_dynamic;
    fix->is_static_limit = is_static && bytes <= fixed && fixed < block;
    fix->limit_bytes = fix->is_static_limit ? fixed : block;
    if (fix->options.max_bytes == 0)
        return;
    fix->is_static_limit = false;
    fix->limit_bytes = fix->options.max_bytes < block ? fix->options.max_bytes : block;
}

static smp_status check_options(const smp_fix *fix, smp_error *error) {
    uint64_t bytes = smp_layout_shared_bytes(fix->layout);
    if (fix->options.max_bytes > 0 && fix->options.max_bytes < bytes)
        return smp_error_set(error, SMP_E_USAGE, -1,
                             "the unchanged arrays take %" PRIu64 " bytes, but only %" PRIu64
                             " are allowed",
                             bytes, fix->options.max_bytes);
    for (size_t i = 0; i < fix->options.keep_count; i++) {
        const char *name = fix->options.keep[i];
        int array = smp_array_find(fix->layout, name, strlen(name));
        if (array < 0 || smp_layout_array(fix->layout, (size_t)array)->space != SMP_SPACE_SHARED)
            return smp_error_set(error, SMP_E_USAGE, -1,
                                 "'%.40s' must not change, but no shared array has that name",
                                 name);
    }
    return SMP_OK;
}

/* ---- Search ---- */

static void set_align(const smp_fix *fix, fix_array *array) {
    uint32_t align = array->unit_bytes > 4 ? array->unit_bytes : 4;
    for (uint32_t c = 0; c < fix->class_count; c++) {
        uint32_t needed = smp_bank_grain_bytes(&fix->classes[c].arch);
        align = needed > align ? needed : align;
    }
    array->align_bytes = array->is_remote && align < 128 ? 128 : align;
}

typedef struct family_row {
    smp_fix_kind kind;
    void (*search)(smp_fix *fix, fix_array *array);
} family_row;

/* Cheap and common families come first, since their results bound the others. */
static const family_row families[] = {
    {SMP_FIX_PAD, fix_search_pads},
    {SMP_FIX_XOR, fix_search_swizzles},
    {SMP_FIX_LINEAR, fix_search_linear},
    {SMP_FIX_ROTATE, fix_search_rotations},
    {SMP_FIX_PAD_XOR, fix_search_padded_swizzles},
};

/* Computes the array's current cost and its lower bounds. */
static smp_status judge_array(smp_fix *fix, fix_array *array, smp_error *error) {
    set_align(fix, array);
    smp_status status = fix_judge(fix, array);
    if (status != SMP_OK)
        return status == SMP_E_INTERRUPTED ? fix_interrupted(error) : smp_error_memory(error);
    fix_candidate as_is = {.form = array->keep, .price = array->before};
    array->fronts = calloc(SMP_FIX_KIND_COUNT, sizeof *array->fronts);
    if (!array->fronts)
        return smp_error_memory(error);
    array->fronts[SMP_FIX_KEEP] = (fix_front){.count = 1, .item = {as_is}};
    array->chosen = as_is;
    return SMP_OK;
}

static smp_status search_array(smp_fix *fix, fix_array *array, smp_error *error) {
    bool is_asked = !fix->only || fix->only == array->array->name;
    if (array->is_fixed || array->before.cost.excess <= array->floor || !is_asked)
        return SMP_OK;
    if (!fix_sample_all(fix, array))
        return smp_error_memory(error);
    for (size_t i = 0; i < sizeof families / sizeof families[0]; i++) {
        if (fix_searches(fix, families[i].kind))
            families[i].search(fix, array);
    }
    return SMP_OK;
}

/* ---- Result ---- */

/* Partly modelled accesses count with their known part. */
static uint64_t sum_excess(const smp_fix *fix, const smp_totals *totals) {
    uint64_t sum = 0;
    for (size_t i = 0; i < smp_layout_access_count(fix->layout) * fix->arch_count; i++)
        sum += totals[i].excess;
    return sum;
}

static void fill_result(smp_fix *fix) {
    smp_fix_result *r = &fix->result;
    uint64_t floor = 0;
    r->excess_bound = 0;
    EACH(const fix_array, array, fix->arrays, fix->array_count) {
        floor += array->floor;
        r->excess_bound += array->bound;
        r->is_better |= array->chosen.form.kind != SMP_FIX_KEEP;
    }
    r->is_needed = r->excess_before > floor;
    r->is_free = r->excess_after <= floor;
    r->ended_by = fix->progress->wish;
    fix->is_cut_short |= r->ended_by != SMP_FIX_GO_ON;
    r->is_proven = !fix->is_cut_short;
    r->candidates = fix->scored;
}

static smp_status conclude(smp_fix *fix, smp_error *error) {
    smp_fix_result *r = &fix->result;
    r->excess_before = r->excess_after = sum_excess(fix, fix->before);
    r->bytes_before = r->bytes_after = smp_layout_shared_bytes(fix->layout);
    for (uint32_t i = 0; i < fix->array_count; i++)
        r->excess_after = r->excess_after - fix->arrays[i].before.cost.excess +
                          fix->arrays[i].chosen.price.cost.excess;
    if (fix_place_all(fix, &r->bytes_after) && r->bytes_after < r->bytes_before)
        r->bytes_after = r->bytes_before;
    fill_result(fix);
    if (fix->skipped >= 0)
        return SMP_OK;
    uint64_t promised = r->excess_after;
    smp_status status = fix_verify(fix, error);
    if (status == SMP_OK && sum_excess(fix, fix->after) != promised)
        status = smp_error_set(error, SMP_E_INTERNAL, -1,
                               "the fixed layout has %" PRIu64 " excess wavefronts, not %" PRIu64,
                               sum_excess(fix, fix->after), promised);
    return status;
}

/* ---- Entry points ---- */

smp_status fix_solve(smp_fix *fix, unsigned *line, smp_error *error) {
    smp_status status = SMP_OK;
    *line = 0;
    fix_phase_begin(fix, SMP_FIX_READING);
    if (smp_layout_access_count(fix->layout) == 0)
        status = smp_error_set(error, SMP_E_SYNTAX, -1,
                               "no access is given: add one such as 'ld tile[threadIdx.x][0]'");
    if (status == SMP_OK)
        status = check_options(fix, error);
    if (status == SMP_OK)
        status = take_archs(fix, line, error);
    if (status == SMP_OK) {
        set_limit(fix);
        status = fix_collect(fix, line, error);
    }
    if (status != SMP_OK)
        return status;
    *line = 0;
    for (uint32_t i = 0; i < fix->array_count && status == SMP_OK; i++)
        status = judge_array(fix, &fix->arrays[i], error);
    fix_phase_begin(fix, SMP_FIX_SEARCHING);
    for (uint32_t i = 0; i < fix->array_count && status == SMP_OK; i++)
        status = search_array(fix, &fix->arrays[i], error);
    if (status == SMP_OK && !fix_choose(fix))
        status = smp_error_set(error, SMP_E_INTERNAL, -1,
                               "no choice fits, not even the unchanged arrays");
    return status == SMP_OK ? conclude(fix, error) : status;
}

smp_fix *fix_solve_without(const smp_fix *fix, const fix_array *array, size_t access) {
    smp_fix *other = calloc(1, sizeof *other);
    unsigned line;
    smp_error error;
    if (!other)
        return NULL;
    *other = (smp_fix){.text = fix->text,
                       .length = fix->length,
                       .options = fix->options,
                       .progress = fix->progress,
                       .skipped = (int64_t)access,
                       .only = array->array->name};
    if (fix_read(fix->text, fix->length, &other->layout, &line, &error) == SMP_OK &&
        fix_solve(other, &line, &error) == SMP_OK && !other->is_cut_short)
        return other;
    smp_fix_free(other);
    return NULL;
}

void smp_fix_free(smp_fix *fix) {
    if (!fix)
        return;
    for (uint32_t i = 0; i < fix->array_count; i++)
        fix_array_clear(&fix->arrays[i]);
    smp_layout_free(fix->layout);
    smp_layout_free(fix->fixed);
    fix_notes_clear(&fix->obstacles);
    fix_notes_clear(&fix->advice);
    free(fix->fixed_text);
    free(fix->before);
    free(fix->after);
    free(fix);
}
