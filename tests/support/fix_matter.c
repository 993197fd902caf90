/* SPDX-License-Identifier: MIT */
/* Costs of one array's forms, and the sentences on why none is free. */
#include "fix_matter.h"

#include <string.h>

bool matter_is_text(const claim_slot *slot, const char *text) {
    return slot->length == strlen(text) && memcmp(slot->text, text, slot->length) == 0;
}

const problem_access *matter_access(const matter *m, const claim_slot *slot) {
    for (uint32_t i = 0; i < m->p->access_count; i++)
        if (matter_is_text(slot, m->p->access[i].name))
            return &m->p->access[i];
    return NULL;
}

bool matter_form(const matter *m, const claim_slot *slot, smp_fix_form *out) {
    return fix_problem_form(m->p, slot->text, slot->length, out);
}

uint32_t matter_place(const matter *m, const smp_fix_form *form, uint32_t number) {
    return m->p->rows > 0
               ? fix_problem_place(m->p, form, number / m->p->columns, number % m->p->columns)
               : fix_problem_place(m->p, form, 0, number);
}

problem_cost matter_cost(const matter *m, const problem_access *a, const smp_fix_form *form) {
    return fix_problem_cost(m->p, a, form, &m->p->arch);
}

/* No layout would do better: one way, or no pass beyond those of its bytes; on 2.x 16 bytes take
 * one more. On 1.x a half-warp may take several steps for words that no bank conflict parts. */
static bool is_free(const smp_arch *arch, const problem_access *a, const problem_cost *cost) {
    if (arch->cc_major == 1)
        return cost->fits && cost->excess <= cost->floor;
    const bool added = arch->cc_major == 2 && a->width == 16 && cost->ways <= 2;
    return cost->fits && (cost->ways <= 1 || cost->excess == 0 || added);
}

bool matter_frees(const matter *m, const problem_access *a, const smp_fix_form *form) {
    const problem_cost cost = matter_cost(m, a, form);
    return is_free(&m->p->arch, a, &cost);
}

bool matter_frees_all(const matter *m, const smp_fix_form *form, const smp_arch *arch) {
    bool all = true;
    for (uint32_t i = 0; i < m->p->access_count; i++) {
        const problem_access *a = &m->p->access[i];
        const problem_cost cost = fix_problem_cost(m->p, a, form, arch);
        all &= is_free(arch, a, &cost);
    }
    return all;
}

uint64_t matter_excess(const matter *m, const smp_fix_form *form) {
    uint64_t sum = 0;
    for (uint32_t i = 0; i < m->p->access_count; i++)
        sum += matter_cost(m, &m->p->access[i], form).excess;
    return sum;
}

/* ---- Obstacles ---- */

/* No form that is listed here may be better than what was chosen: test_fix_random.c has brute force
 * for the rest. */
bool judge_without(const matter *m, const claim_slot *s) {
    const problem_access *left_out = matter_access(m, &s[0]);
    smp_fix_form form;
    if (!left_out || !matter_form(m, &s[1], &form))
        return false;
    for (uint32_t i = 0; i < m->p->access_count; i++)
        if (&m->p->access[i] != left_out && !matter_frees(m, &m->p->access[i], &form))
            return false;
    return !matter_frees_all(m, &m->chosen, &m->p->arch);
}

bool judge_never_free(const matter *m, const claim_slot *s) {
    const problem_access *narrow = matter_access(m, &s[0]), *wide = matter_access(m, &s[2]);
    return narrow && wide && wide->width == s[1].number && narrow->width < wide->width &&
           matter_is_text(&s[3], s[1].number == 8 ? "second" : "fourth") &&
           !matter_frees(m, narrow, &m->keep) && !matter_frees(m, narrow, &m->chosen);
}

bool judge_spaces(const matter *m, const claim_slot *s) {
    (void)s;
    return !matter_frees_all(m, &m->chosen, &m->p->arch);
}

/* Most lanes on one element in one request. */
static uint32_t most_together(const matter *m, const problem_access *a, uint32_t first_lane,
                              uint32_t lanes, uint32_t *words) {
    uint32_t most = 0;
    *words = 0;
    for (uint32_t warp = 0; warp < m->p->warps; warp++) {
        smp_access request;
        uint32_t shared = 0;
        (void)fix_problem_request(m->p, a, warp, &m->keep, &request);
        for (uint32_t l = first_lane; l < first_lane + lanes; l++) {
            uint32_t same = 0, before = 0;
            for (uint32_t k = first_lane; k < first_lane + lanes; k++) {
                same += request.offset_bytes[k] == request.offset_bytes[l];
                before += k < l && request.offset_bytes[k] == request.offset_bytes[l];
            }
            most = same > most ? same : most;
            shared += same > 1 && before == 0;
        }
        *words = shared > *words ? shared : *words;
    }
    return most;
}

bool judge_together(const matter *m, const claim_slot *s) {
    const problem_access *a = matter_access(m, &s[0]);
    uint32_t words;
    return a && a->op == SMP_ATOM_SHARED && s[1].number > 1 &&
           most_together(m, a, 0, SMP_LANES, &words) == s[1].number;
}

bool judge_steps(const matter *m, const claim_slot *s) {
    const problem_access *a = matter_access(m, &s[0]);
    uint32_t low = 0, high = 0;
    if (!a || m->p->arch.cc_major != 1 || a->op != SMP_LD_SHARED)
        return false;
    (void)most_together(m, a, 0, 16, &low);
    (void)most_together(m, a, 16, 16, &high);
    return (low > 1 || high > 1) && !matter_frees(m, a, &m->keep) &&
           !matter_frees(m, a, &m->chosen);
}

/* Bytes up to the end of the last element in a form. */
static uint64_t used_bytes(const matter *m, const smp_fix_form *form) {
    uint64_t last = 0;
    for (uint32_t n = 0; n < m->numbers; n++) {
        const uint64_t end = matter_place(m, form, n) + 1;
        last = end > last ? end : last;
    }
    return last * fix_problem_bytes(m->p, form);
}

static uint64_t unused_at_most(const matter *m, const smp_fix_form *form) {
    /* A swizzle's array is as long as what its bits may reach. */
    const uint64_t reached = form->term_count > 0 ? used_bytes(m, form) : 0;
    return 512 + reached + (form->pad[0] + form->pad[1] + 1) * 64 * m->p->element;
}

bool judge_memory(const matter *m, const claim_slot *s) {
    smp_fix_form form;
    const uint64_t limit =
        matter_is_text(&s[3], "allowed by max-bytes")   ? m->max_bytes
        : matter_is_text(&s[3], "available to a block") ? m->p->arch.shared_block_kib * 1024u
        : matter_is_text(&s[3], "available to static arrays (max-bytes allows more)") ? 48 * 1024u
                                                                                      : 0;
    if (!matter_form(m, &s[0], &form))
        return false;
    const uint64_t others = m->other ? used_bytes(m->other, &m->other->chosen) : 0;
    const uint64_t least = used_bytes(m, &form) + others;
    const uint64_t most = least + unused_at_most(m, &form) +
                          (m->other ? unused_at_most(m->other, &m->other->chosen) : 0);
    return limit > 0 && s[2].number == limit && s[1].number > limit && s[1].number >= least &&
           s[1].number <= most && matter_excess(m, &form) < matter_excess(m, &m->chosen);
}

/* Only the index behind it is in the way. */
bool judge_placed(const matter *m, const claim_slot *s) {
    smp_fix_form form;
    if (!m->p->is_placed || !matter_form(m, &s[0], &form) || !m->other)
        return false;
    const uint64_t behind = m->other->p->place_bytes;
    const uint64_t declared = (uint64_t)(m->p->rows > 0 ? m->p->rows + form.pad[0] : 1) *
                              (m->p->columns + form.pad[form.dim_count - 1]) *
                              fix_problem_bytes(m->p, &form);
    /* A swizzle's array is as long as its bits may reach. */
    uint64_t reached = fix_problem_bytes(m->p, &form);
    const uint64_t used = used_bytes(m, &form), least = used > declared ? used : declared;
    while (form.term_count > 0 && reached < least)
        reached *= 2;
    const uint64_t bytes = form.term_count > 0 ? reached : least;
    return behind > m->p->place_bytes && m->p->place_bytes + bytes > behind &&
           matter_excess(m, &form) < matter_excess(m, &m->chosen);
}

/* Structs of {n} bytes, {n} more, leave an excess of {n}; the other array has that struct, too. */
bool judge_type(const matter *m, const claim_slot *s) {
    smp_fix_form form = m->keep;
    form.element_extra = (uint32_t)s[1].number;
    return m->other && m->p->members > 0 && m->other->p->members == m->p->members &&
           m->p->element + s[1].number == s[0].number && matter_excess(m, &form) == s[2].number &&
           matter_excess(m, &form) < matter_excess(m, &m->chosen);
}

bool judge_stride(const matter *m, const claim_slot *s) {
    const problem_access *a = matter_access(m, &s[0]);
    return a && a->is_flat && a->column.x == s[1].number && m->p->columns == s[2].number &&
           s[1].number != s[2].number;
}

bool judge_fixed(const matter *m, const claim_slot *s) {
    bool any = false;
    for (uint32_t i = 0; i < m->p->access_count; i++)
        any |= m->p->access[i].is_flat;
    return any && s[0].length > 0 && m->chosen.kind == SMP_FIX_KEEP;
}
