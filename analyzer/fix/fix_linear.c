/* SPDX-License-Identifier: MIT */
/*
 * General linear swizzles: each bank bit of the index is exclusive-ored with a sum of row bits.
 * The map is a matrix over GF(2) with one column of bank bits per row bit. One and two diagonals
 * of that matrix are searched completely, since each costs a shift and an exclusive-or. If all
 * accesses are linear, the columns are then set one by one, and a branch is pruned as soon as
 * linear algebra shows that it cannot win.
 *
 * The algebra: lanes that are served together and whose indices form an affine space of
 * dimension n are spread over 2^r banks, where r is the rank of the space's image in the bank
 * bits, so 2^(n-r) words meet on each. Vectors without a bit in an unset column already have an
 * image; words among these that meet will meet for any choice of the other columns.
 */
#include <stdlib.h>
#include <string.h>

#include "fix.h"

enum {
    ROW_BYTES = 128, /* row of banks covered by the algebra */
    TERMS_MAX = 512,
    COLUMNS_MAX = 18,
    GROUPS_MAX = 1024,
    NODES_MAX = 3000000,
    BASIS_MAX = 5,
};

/* Lanes of one pattern that are served together, as an affine space. */
typedef struct space {
    uint32_t pattern, class;
    uint32_t drop; /* low bits of the index within one access or word */
    uint64_t times;
    uint32_t groups;               /* number of equal spaces of the pattern */
    uint8_t dims[COLUMNS_MAX + 1]; /* dimension of the part known after that many columns */
    uint32_t basis[COLUMNS_MAX + 1][BASIS_MAX];
} space;

typedef struct search {
    smp_fix *fix;
    fix_array *array;
    smp_fix_form form;
    uint32_t low, cap, high, size; /* targets [low, cap), sources [high, size) */
    uint32_t space_count;
    space *spaces;
    uint32_t column[COLUMNS_MAX];
    uint32_t nodes;
    uint64_t more_bytes; /* cost of the targets: the array grows to a multiple of them */
} search;

/* ---- One and two diagonals ---- */

static uint32_t list_terms(const search *s, smp_fix_term out[TERMS_MAX]) {
    uint32_t count = 0;
    for (uint32_t shift = 1; shift < s->size; shift++) {
        uint32_t first = s->high > s->low + shift ? s->high : s->low + shift;
        uint32_t end = s->size < s->cap + shift ? s->size : s->cap + shift;
        for (uint32_t subset = 1; first < end && subset < 1u << (end - first); subset++) {
            if (count < TERMS_MAX)
                out[count++] = (smp_fix_term){subset << first, (int32_t)shift};
        }
    }
    return count;
}

/* True for a run of bits, which is a Swizzle and belongs to another family. */
static bool is_run(uint32_t mask) {
    return fix_is_power((mask >> __builtin_ctz(mask)) + 1);
}

static void weigh_diagonals(search *s) {
    smp_fix_term terms[TERMS_MAX];
    uint32_t count = list_terms(s, terms);
    s->form.term_count = 1;
    for (uint32_t i = 0; i < count; i++) {
        s->form.term[0] = terms[i];
        if (!is_run(terms[i].mask))
            fix_weigh(s->fix, s->array, &s->form, &s->array->mirrored);
    }
    s->form.term_count = 2;
    for (uint32_t i = 0; i < count && !fix_is_settled(s->array) && fix_is_wanted(s->fix); i++) {
        s->form.term[0] = terms[i];
        for (uint32_t k = i + 1; k < count && fix_is_wanted(s->fix); k++) {
            s->form.term[1] = terms[k];
            if (terms[k].shift != terms[i].shift)
                fix_weigh(s->fix, s->array, &s->form, &s->array->mirrored);
        }
    }
}

/* ---- Spaces ---- */

/* Reduces `vectors` so that no two have the same leading bit, smallest last; returns the rank. */
static uint32_t reduce(uint32_t *vectors, uint32_t count) {
    uint32_t rank = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t v = vectors[i];
        for (uint32_t k = 0; k < rank; k++) {
            uint32_t smaller = v ^ vectors[k];
            v = smaller < v ? smaller : v;
        }
        if (v == 0)
            continue;
        uint32_t at = rank++;
        for (; at > 0 && vectors[at - 1] < v; at--)
            vectors[at] = vectors[at - 1];
        vectors[at] = v;
    }
    return rank;
}

/* Indices of the lanes relative to the first, without the bits within one access. Equal ones count
 * once; for atomics, which serve each lane separately, that makes the bound too low, which is safe.
 */
static uint32_t collect_keys(const fix_pattern *p, uint32_t lanes, uint32_t drop,
                             uint32_t keys[SMP_LANES]) {
    uint32_t count = 0, first = p->flat[__builtin_ctz(lanes)] >> drop;
    for (unsigned l = 0; l < SMP_LANES; l++) {
        uint32_t key = (p->flat[l] >> drop) ^ first, at = 0;
        if (!(lanes >> l & 1))
            continue;
        while (at < count && keys[at] != key)
            at++;
        if (at == count)
            keys[count++] = key;
    }
    return count;
}

static bool is_uniform(const fix_pattern *p, uint32_t lanes) {
    uint32_t first = p->rest[__builtin_ctz(lanes)];
    for (unsigned l = 0; l < SMP_LANES; l++) {
        if ((lanes >> l & 1) && p->rest[l] != first)
            return false;
    }
    return true;
}

/* Fills *out; false if the lanes do not form an affine space covered by the algebra. */
static bool make_space(const search *s, const fix_pattern *p, uint32_t lanes, space *out) {
    uint32_t bytes = s->array->keep.element_bytes, width = p->access.width_bytes;
    uint32_t slot = width > 4 ? width : 4, keys[SMP_LANES], basis[SMP_LANES];
    if (!is_uniform(p, lanes))
        return false;
    out->drop = slot > bytes ? fix_log2(slot / bytes) : 0;
    uint32_t count = collect_keys(p, lanes, out->drop, keys);
    memcpy(basis, keys, count * sizeof *keys);
    uint32_t rank = reduce(basis, count);
    if (count != 1u << rank || rank > BASIS_MAX)
        return false;
    for (uint32_t set = 0; set <= s->size - s->high; set++) {
        uint32_t limit = 1u << (s->high + set - out->drop), known = 0;
        for (uint32_t i = 0; i < rank; i++) {
            if (basis[i] < limit)
                out->basis[set][known++] = basis[i];
        }
        out->dims[set] = (uint8_t)known;
    }
    return true;
}

/* Adds the groups of pattern `i` on a class; false if the algebra does not cover one. */
static bool add_spaces(search *s, uint32_t i, uint32_t class) {
    const fix_sample *sample = &s->array->mirrored;
    const fix_pattern *p = &s->array->patterns[sample->pattern[i]];
    const smp_arch *arch = &s->fix->classes[class].arch;
    smp_counts counts;
    if (p->is_open)
        return true;
    bool is_plain = arch->shared_rule->period_bytes == ROW_BYTES;
    bool is_shared = smp_ops(NULL)[p->access.op].space == SMP_SPACE_SHARED;
    if (!is_plain || !is_shared || smp_predict(arch, &p->access, &counts) != SMP_OK ||
        s->space_count + counts.group_count > GROUPS_MAX)
        return false;
    for (unsigned g = 0; g < counts.group_count; g++) {
        space *added = &s->spaces[s->space_count];
        *added = (space){.pattern = i,
                         .class = class,
                         .times = sample->times[i] * s->fix->classes[class].weight};
        if (counts.groups[g].lanes == 0)
            continue;
        if (!make_space(s, p, counts.groups[g].lanes, added))
            return false;
        s->space_count++;
    }
    return true;
}

/* ---- Columns ---- */

/* Words that meet on the fullest bank, known after `set` columns. */
static uint32_t meeting(const search *s, const space *of, uint32_t set) {
    uint32_t image[BASIS_MAX], dims = of->dims[set];
    for (uint32_t i = 0; i < dims; i++) {
        uint32_t index = of->basis[set][i] << of->drop, bits = index & ((1u << s->high) - 1);
        for (uint32_t rows = index >> s->high; rows != 0; rows &= rows - 1)
            bits ^= s->column[__builtin_ctz(rows)];
        image[i] = bits >> of->drop;
    }
    return 1u << (dims - reduce(image, dims));
}

/* The least excess of any completion. */
static uint64_t bound_after(const search *s, uint32_t set) {
    uint64_t sum = 0;
    for (uint32_t i = 0; i < s->space_count;) {
        const space *of = &s->spaces[i];
        const fix_pattern *p = &s->array->patterns[s->array->mirrored.pattern[of->pattern]];
        const smp_op_row *op = &smp_ops(NULL)[p->access.op];
        uint32_t lanes = (uint32_t)__builtin_popcount(smp_access_lanes(&p->access)), passes = 0;
        uint32_t ideal = smp_op_ideal(op->op, lanes, p->access.width_bytes);
        for (; i < s->space_count && s->spaces[i].pattern == of->pattern &&
               s->spaces[i].class == of->class;
             i++)
            passes += op->passes * meeting(s, &s->spaces[i], set);
        sum += passes > ideal ? of->times * (passes - ideal) : 0;
    }
    return sum;
}

/* Evaluates the matrix: one term per diagonal. */
static void weigh_matrix(search *s) {
    smp_fix_form *form = &s->form;
    form->term_count = 0;
    for (uint32_t shift = 1; shift < s->size && form->term_count < SMP_FIX_TERMS_MAX; shift++) {
        uint32_t mask = 0;
        for (uint32_t row = 0; row < s->size - s->high; row++) {
            uint32_t source = s->high + row;
            if (source >= shift && (s->column[row] >> (source - shift) & 1))
                mask |= 1u << source;
        }
        if (mask != 0)
            form->term[form->term_count++] = (smp_fix_term){mask, (int32_t)shift};
    }
    if (form->term_count > 2)
        fix_weigh(s->fix, s->array, form, &s->array->mirrored);
}

/* The least known excess with no more bytes than a matrix with these targets. */
static uint64_t least_known(const search *s) {
    const fix_candidate *best = fix_best(s->array, SMP_FIX_KIND_COUNT, s->more_bytes);
    return best ? best->price.cost.excess : UINT64_MAX;
}

static void set_columns(search *s, uint32_t set) {
    if (s->nodes++ > NODES_MAX || !fix_goes_on(s->fix, s->space_count)) {
        s->fix->is_cut_short = true;
        return;
    }
    if (set == s->size - s->high) {
        weigh_matrix(s);
        return;
    }
    for (uint32_t value = 0; value < 1u << (s->cap - s->low); value++) {
        s->column[set] = value << s->low;
        if (bound_after(s, set + 1) < least_known(s))
            set_columns(s, set + 1);
        if (least_known(s) <= s->array->bound)
            return;
    }
}

static uint64_t more_bytes(const search *s, uint32_t cap) {
    uint32_t multiple = 1u << cap, filled = (s->array->reach + multiple - 1) / multiple * multiple;
    uint64_t bytes = (uint64_t)filled * s->array->keep.element_bytes;
    return bytes > s->array->before.bytes ? bytes - s->array->before.bytes : 0;
}

/* Tries fewer targets first if they need fewer bytes. */
static void search_targets(search *s) {
    uint32_t most = s->cap;
    for (s->cap = s->low + 1; s->cap <= most; s->cap++) {
        s->more_bytes = more_bytes(s, s->cap);
        if (s->cap == most || s->more_bytes < more_bytes(s, s->cap + 1))
            set_columns(s, 0);
    }
}

static void search_matrices(search *s) {
    bool is_linear = true;
    s->spaces = calloc(GROUPS_MAX, sizeof *s->spaces);
    if (!s->spaces) {
        s->fix->is_cut_short = true;
        return;
    }
    for (uint32_t i = 0; i < s->array->mirrored.count && is_linear; i++) {
        for (uint32_t class = 0; class < s->fix->class_count && is_linear; class ++)
            is_linear = add_spaces(s, i, class);
    }
    if (is_linear)
        search_targets(s);
    free(s->spaces);
}

void fix_search_linear(smp_fix *fix, fix_array *array) {
    search s = {.fix = fix, .array = array, .form = array->keep};
    uint32_t last = array->keep.dim_count - 1, columns = array->keep.extent[last];
    s.form.kind = SMP_FIX_LINEAR;
    if (!fix_is_power(array->keep.element_bytes) || array->reach < 2)
        return;
    fix_bank_bits(fix, array, &s.low, &s.high);
    s.cap = s.high;
    s.size = fix_log2(array->reach - 1) + 1;
    if (last > 0 && (uint32_t)__builtin_ctz(columns) < s.cap)
        s.cap = (uint32_t)__builtin_ctz(columns);
    bool is_empty = s.cap <= s.low || s.size <= s.high;
    if (is_empty || s.size - s.high > COLUMNS_MAX)
        return;
    weigh_diagonals(&s);
    if (!fix_is_settled(array))
        search_matrices(&s);
}
