/* SPDX-License-Identifier: MIT */
/*
 * Mistakes close to a solution. Each is tried on the given accesses and reported only if it does
 * harm.
 */
#include <stdarg.h>

#include "fix_report.h"

enum { NAME_MAX_CHARS = 56, NEAR_ROW = 16 };

typedef struct telling {
    const smp_fix *fix;
    const fix_array *array;
    fix_line_fn add;
    void *user;
} telling;

__attribute__((format(printf, 3, 4))) static void tell(const telling *t, const char *kind,
                                                       const char *format, ...) {
    char text[600];
    va_list values;
    va_start(values, format);
    (void)vsnprintf(text, sizeof text, format, values);
    va_end(values);
    t->add(t->user, kind, text);
}

/* ---- One access in one form ---- */

/* Cost of one access in one form on one architecture. */
typedef struct fix_cost {
    bool fits, is_misaligned;
    bool is_open;     /* partly not modelled */
    bool takes_steps; /* CC 1.x: steps without conflicts */
    smp_tally sum;
} fix_cost;

static fix_cost cost_of(const fix_array *array, const smp_fix_form *form, const smp_arch *arch,
                        size_t source) {
    fix_map map;
    fix_cost cost = {.fits = true};
    fix_map_init(&map, form);
    for (uint32_t i = 0; i < array->pattern_count && cost.fits; i++) {
        smp_access access = array->patterns[i].access;
        smp_counts counts;
        if (array->patterns[i].source != source)
            continue;
        if (form->kind != SMP_FIX_KEEP)
            fix_map_lanes(&map, &array->patterns[i], access.offset_bytes);
        smp_status status = fix_predict(arch, &array->patterns[i], &access, &counts);
        cost.is_misaligned |= status == SMP_E_MISALIGNED;
        cost.fits = status == SMP_OK || status == SMP_E_NOT_MODELLED;
        cost.is_open |= status != SMP_OK || !(counts.valid & SMP_HAS_WAVEFRONTS);
        if (status != SMP_OK)
            continue;
        smp_tally_take(&cost.sum, &counts, access.width_bytes, array->patterns[i].times);
        cost.takes_steps |=
            (counts.valid & SMP_HAS_WAVEFRONTS) && smp_counts_take_steps(arch, &counts);
    }
    return cost;
}

static uint32_t width_of(const telling *t, size_t access) {
    return smp_layout_request(t->fix->layout, access)->width_bytes;
}

const char *fix_access_name(const smp_fix *fix, size_t access, char text[FIX_NAME_BYTES]) {
    const smp_request *request = smp_layout_request(fix->layout, access);
    int length = (int)request->length;
    (void)snprintf(text, FIX_NAME_BYTES, "'%.*s%s'",
                   length < NAME_MAX_CHARS ? length : NAME_MAX_CHARS - 3, request->text,
                   length < NAME_MAX_CHARS ? "" : "...");
    return text;
}

const char *fix_form_name(const smp_fix_form *form, char text[FIX_FORM_BYTES]) {
    (void)smp_fix_form_text(form, text, FIX_FORM_BYTES);
    return text;
}

/* ---- Padding ---- */

int fix_widest_access(const smp_fix *fix, const fix_array *array, uint32_t width) {
    int found = -1;
    for (size_t i = 0; i < smp_layout_access_count(fix->layout); i++) {
        const uint32_t own = smp_layout_request(fix->layout, i)->width_bytes;
        if (!fix_reaches(fix, i, array) || own <= width)
            continue;
        width = own;
        found = (int)i;
    }
    return found;
}

/* The narrow access with the most conflicts, or -1. */
static int find_conflict(const telling *t, uint32_t width) {
    int found = -1;
    uint64_t most = 0;
    for (size_t i = 0; i < smp_layout_access_count(t->fix->layout); i++) {
        const smp_totals *before = fix_before(t->fix, 0, i);
        const bool counts =
            fix_reaches(t->fix, i, t->array) && width_of(t, i) <= width && before->ways > 1;
        if (counts && before->excess > most) {
            most = before->excess;
            found = (int)i;
        }
    }
    return found;
}

/* A padding that frees a narrow access but breaks a wide one or leaves it with conflicts. */
static void tell_vector_trap(const telling *t) {
    const smp_fix_form *keep = &t->array->keep;
    uint32_t last = keep->dim_count - 1;
    char pad[FIX_FORM_BYTES], narrow[FIX_NAME_BYTES], wide[FIX_NAME_BYTES];
    int vector = fix_widest_access(t->fix, t->array, keep->element_bytes),
        scalar = find_conflict(t, keep->element_bytes);
    if (keep->dim_count < 2 || vector < 0 || scalar < 0)
        return;
    smp_fix_form form = *keep;
    form.kind = SMP_FIX_PAD;
    for (form.pad[last] = 1; form.pad[last] < 64; form.pad[last]++) {
        fix_cost freed = cost_of(t->array, &form, t->fix->archs, (size_t)scalar);
        fix_cost left = cost_of(t->array, &form, t->fix->archs, (size_t)vector);
        const smp_totals *now = fix_before(t->fix, 0, (size_t)vector);
        uint32_t before = now->ways;
        uint32_t free_ways = 1 + fix_passes_beyond_words(t->fix->archs, &now->worst_counts, 0);
        bool bites = left.is_misaligned || left.sum.ways > free_ways;
        if (!freed.fits || freed.sum.ways > 1 || freed.takes_steps || !bites)
            continue;
        (void)fix_form_name(&form, pad);
        (void)fix_access_name(t->fix, (size_t)scalar, narrow);
        (void)fix_access_name(t->fix, (size_t)vector, wide);
        if (left.is_misaligned)
            tell(t, "alignment",
                 "%s frees %s, but breaks the %u-byte alignment of %s: misaligned address", pad,
                 narrow, width_of(t, (size_t)vector), wide);
        else
            tell(t, "vector", "%s frees %s, but then %s is %u-way (%u-way now)", pad, narrow, wide,
                 left.sum.ways, before);
        return;
    }
}

/* Padding of a dimension along which no lane steps, without effect. */
static void tell_dimension_trap(const telling *t) {
    const fix_candidate *pad = fix_best(t->array, SMP_FIX_PAD, UINT64_MAX / 2);
    uint32_t padded = 0;
    char bad[FIX_FORM_BYTES], good[FIX_FORM_BYTES];
    if (t->array->keep.dim_count < 2 || !pad || pad->price.cost.excess > t->array->floor ||
        t->array->keep.extent[0] == 0 || pad->form.element_extra != 0)
        return;
    while (padded + 1 < pad->form.dim_count && pad->form.pad[padded] == 0)
        padded++;
    smp_fix_form form = t->array->keep;
    form.kind = SMP_FIX_PAD;
    uint32_t wrong = padded > 0 ? padded - 1 : 1;
    form.pad[wrong] = pad->form.pad[padded];
    fix_row row = fix_row_of(t->fix, t->array, &form);
    /* On 1.x a half-warp without conflicts may take one more step. */
    if (!row.fits || row.price.cost.excess <= t->array->floor || row.price.cost.ways < 2)
        return;
    tell(t, "dimension", "%s pads the wrong dimension and stays %u-way; %s helps",
         fix_form_name(&form, bad), row.price.cost.ways, fix_form_name(&pad->form, good));
}

/* ---- Swizzles ---- */

static void tell_shift_trap(const telling *t) {
    const fix_candidate *best = fix_best(t->array, SMP_FIX_XOR, UINT64_MAX / 2);
    char bad[FIX_FORM_BYTES], good[FIX_FORM_BYTES];
    if (!best || best->price.cost.excess > t->array->floor || best->form.shift <= 0)
        return;
    for (int32_t off = -1; off <= 1; off += 2) {
        smp_fix_form form = best->form;
        form.shift += off;
        form.term[0].shift = form.shift;
        form.term[0].mask = ((1u << form.bits) - 1) << (form.base + (uint32_t)form.shift);
        fix_row row = fix_row_of(t->fix, t->array, &form);
        bool bites = form.shift > 0 && row.fits && row.price.cost.excess > best->price.cost.excess;
        if (!bites)
            continue;
        tell(t, "shift", "%s instead of %s, a shift off by one, is still %u-way",
             fix_form_name(&form, bad), fix_form_name(&best->form, good), row.price.cost.ways);
        return;
    }
}

/* ---- Other chips ---- */

static bool is_covered(const smp_fix *fix, const smp_arch *arch) {
    return ANY(one, fix->classes, fix->class_count,
               one->arch.shared_rule == arch->shared_rule &&
                   one->arch.bank_bytes == arch->bank_bytes);
}

/* The ways of the array's worst access in one form; 0 if it cannot run there. *is_free: no access
 * conflicts. */
static uint32_t ways_on(const telling *t, const smp_fix_form *form, const smp_arch *arch,
                        size_t *worst, bool *is_free) {
    uint32_t most = 1;
    *worst = 0;
    *is_free = true;
    for (size_t i = 0; i < smp_layout_access_count(t->fix->layout); i++) {
        fix_cost cost = cost_of(t->array, form, arch, i);
        if (!cost.fits)
            return 0;
        *is_free &= cost.sum.ways <= 1 && !cost.takes_steps && !cost.is_open;
        if (cost.sum.ways > most) {
            most = cost.sum.ways;
            *worst = i;
        }
    }
    return most;
}

/* Checks the chosen form on another architecture; true if it wrote a line. */
static bool tell_chip(const telling *t, const smp_arch *arch, const char *name) {
    char chosen[FIX_FORM_BYTES], other[FIX_FORM_BYTES] = "", access[FIX_NAME_BYTES];
    const smp_fix_form *form = &t->array->chosen.form;
    fix_row rows[FIX_ROWS_MAX];
    size_t worst, ignored;
    bool is_free, serves;
    uint32_t ways = ways_on(t, form, arch, &worst, &is_free),
             count = fix_rows(t->fix, t->array, rows);
    if (ways < 2)
        return false;
    for (uint32_t i = 0; i < count && other[0] == '\0'; i++) {
        serves = rows[i].fits && rows[i].form.kind != SMP_FIX_KEEP &&
                 rows[i].price.cost.excess <= t->array->floor &&
                 ways_on(t, &rows[i].form, arch, &ignored, &is_free) == 1 && is_free;
        if (serves)
            (void)fix_form_name(&rows[i].form, other);
    }
    if (other[0] == '\0' && ways <= ways_on(t, &t->array->keep, arch, &ignored, &is_free))
        return false;
    tell(t, "architecture", "on %s %s leaves %s %u-way%s%s%s", name, fix_form_name(form, chosen),
         fix_access_name(t->fix, worst, access), ways, other[0] ? "; " : "", other,
         other[0] ? " is free there, too" : "");
    return true;
}

static void tell_chips(const telling *t) {
    const smp_arch *kepler = smp_arch_find("sm_35"), *tesla = smp_arch_find("sm_13");
    smp_arch wide;
    bool told = false;
    if (t->array->chosen.form.kind == SMP_FIX_KEEP ||
        t->array->chosen.price.cost.excess > t->array->floor)
        return;
    if (!is_covered(t->fix, kepler))
        told = tell_chip(t, kepler, "Kepler");
    if (!told && smp_arch_with_bank_bytes(kepler, 8, &wide) == SMP_OK && !is_covered(t->fix, &wide))
        told = tell_chip(t, &wide, "Kepler with 8-byte banks");
    if (!told && !is_covered(t->fix, tesla))
        (void)tell_chip(t, tesla, "compute capability 1.x");
}

/* ---- Remote memory, strides ---- */

/* Finds the remote access that costs most in a padded form; false if padding helps all remote
 * accesses, or there is none. */
static bool find_remote(const telling *t, const smp_fix_form *form, size_t *access,
                        uint64_t *before, uint64_t *after) {
    bool found = false;
    for (size_t i = 0; i < smp_layout_access_count(t->fix->layout); i++) {
        if (!fix_reaches(t->fix, i, t->array) || !smp_layout_request(t->fix->layout, i)->has_rank)
            continue;
        fix_cost now = cost_of(t->array, &t->array->keep, t->fix->archs, i);
        fix_cost then = cost_of(t->array, form, t->fix->archs, i);
        bool is_worse = !found || then.sum.transactions - now.sum.transactions > *after - *before;
        if (!then.fits || then.sum.transactions < now.sum.transactions || !is_worse)
            continue;
        *access = i;
        *before = now.sum.transactions;
        *after = then.sum.transactions;
        found = true;
    }
    return found;
}

static void tell_remote_trap(const telling *t) {
    const fix_candidate *pad = fix_best(t->array, SMP_FIX_PAD, UINT64_MAX / 2);
    smp_fix_form form = t->array->keep;
    char padded[FIX_FORM_BYTES], name[FIX_NAME_BYTES];
    uint64_t before, after;
    size_t access;
    if (!t->array->is_remote || form.dim_count < 2)
        return;
    form.kind = SMP_FIX_PAD;
    form.pad[form.dim_count - 1] = 1;
    if (pad)
        form = pad->form;
    if (!find_remote(t, &form, &access, &before, &after))
        return;
    tell(t, "remote",
         "padding does not help in another block's memory, where sectors count, not "
         "banks: with %s %s takes %llu sectors (%llu now)",
         fix_form_name(&form, padded), fix_access_name(t->fix, access, name),
         (unsigned long long)after, (unsigned long long)before);
}

/* The constant distance between lanes in elements, or 0. */
static uint32_t lane_stride(const fix_pattern *p) {
    uint32_t lanes = smp_access_lanes(&p->access), stride = p->flat[1] - p->flat[0];
    for (unsigned l = 1; l < SMP_LANES; l++) {
        if (lanes != SMP_ALL_LANES || p->flat[l] - p->flat[l - 1] != stride)
            return 0;
    }
    return stride;
}

/* Rows of 33 elements that are indexed as if they had 32. */
static void tell_stride_trap(const telling *t) {
    const smp_fix_form *keep = &t->array->keep;
    uint32_t columns = keep->dim_count > 1 ? keep->extent[keep->dim_count - 1] : 0;
    char name[FIX_NAME_BYTES];
    for (uint32_t i = 0; i < t->array->pattern_count && columns > 1; i++) {
        const fix_pattern *p = &t->array->patterns[i];
        const smp_request *request = smp_layout_request(t->fix->layout, p->source);
        uint32_t stride = lane_stride(p);
        uint32_t apart = stride > columns ? stride - columns : columns - stride;
        if (fix_is_indexed(request->text, request->length, t->array->array) || stride < 2 ||
            apart == 0 || apart > NEAR_ROW)
            continue;
        tell(t, "stride",
             "%s steps by %u elements, but rows of %.*s have %u: the declared and the "
             "indexed stride differ, so padding in the declaration has no effect on it",
             fix_access_name(t->fix, p->source, name), stride, (int)t->array->array->length,
             t->array->array->name, columns);
        return;
    }
}

void fix_pitfalls(const smp_fix *fix, fix_line_fn add, void *user) {
    for (uint32_t i = 0; i < fix->array_count; i++) {
        telling t = {fix, &fix->arrays[i], add, user};
        if (t.array->pattern_count == 0)
            continue;
        tell_stride_trap(&t);
        tell_remote_trap(&t);
        if (!fix_is_shown(t.array) || t.array->is_fixed)
            continue;
        tell_vector_trap(&t);
        tell_dimension_trap(&t);
        tell_shift_trap(&t);
        tell_chips(&t);
    }
}
