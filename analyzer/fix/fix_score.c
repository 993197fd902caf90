/* SPDX-License-Identifier: MIT */
/*
 * The cost of a form: the model's prediction for every pattern on every class of architectures.
 * And the costs that no form can avoid: atomic lanes on one word, and words kept on few banks by
 * a vector access.
 */
#include <stdlib.h>
#include <string.h>

#include "fix.h"
#include "fix_text.h"

/* ---- Bounds ---- */

static uint32_t excess_over(uint32_t wavefronts, uint32_t ideal) {
    return wavefronts > ideal ? wavefronts - ideal : 0;
}

/* The banks available to a word: any, or every second or fourth one if it is part of a vector of 8
 * or 16 bytes. Last, parts of words, several of which may share a word. */
enum { FREE_WORD, HALF_WORD, QUARTER_WORD = 3, WORD_PART = 7, WORD_KINDS };

/* Distinct words of one kind accessed by a group, with the number of lanes for each. */
typedef struct word_set {
    uint32_t count, word[SMP_LANES * 4];
    uint8_t lanes[SMP_LANES * 4];
} word_set;

static void add_word(word_set *set, uint32_t word) {
    uint32_t i = 0;
    while (i < set->count && set->word[i] != word)
        i++;
    if (i == set->count) {
        set->word[set->count++] = word;
        set->lanes[i] = 0;
    }
    set->lanes[i]++;
}

static void add_lane(const fix_array *array, uint32_t at, uint32_t width,
                     word_set sets[WORD_KINDS]) {
    if (width < 4 && array->vectors[at / 4] < 4) {
        add_word(&sets[WORD_PART], at);
        return;
    }
    for (uint32_t word = at / 4; word <= (at + width - 1) / 4; word++) {
        uint32_t vector = array->vectors[word];
        uint32_t kind = vector == 16  ? QUARTER_WORD + word % 4
                        : vector == 8 ? HALF_WORD + word % 2
                                      : FREE_WORD;
        add_word(&sets[kind], word);
    }
}

/* The fewest passes of a group on `banks` banks of 4 bytes, over all layouts that keep vectors
 * whole. */
static uint32_t bound_of_group(const fix_array *array, const fix_pattern *p, uint32_t lanes,
                               uint32_t banks) {
    const smp_op_row *op = &smp_ops(NULL)[p->access.op];
    uint32_t width = p->access.width_bytes, most = 1, total = 0;
    word_set sets[WORD_KINDS];
    for (uint32_t k = 0; k < WORD_KINDS; k++)
        sets[k].count = 0;
    for (unsigned l = 0; l < SMP_LANES; l++) {
        if (lanes >> l & 1)
            add_lane(array, p->flat[l] * array->keep.element_bytes + p->rest[l], width, sets);
    }
    for (uint32_t k = 0; k < WORD_KINDS; k++) {
        uint32_t wanted = 0, columns = k == FREE_WORD || k == WORD_PART ? banks
                                       : k < QUARTER_WORD               ? banks / 2
                                                                        : banks / 4;
        for (uint32_t i = 0; i < sets[k].count; i++) {
            wanted += op->lanes_merge ? 1 : sets[k].lanes[i];
            most = !op->lanes_merge && sets[k].lanes[i] > most ? sets[k].lanes[i] : most;
        }
        if (k == WORD_PART)
            wanted = (wanted * width + 3) / 4;
        total += wanted;
        most = (wanted + columns - 1) / columns > most ? (wanted + columns - 1) / columns : most;
    }
    return (total + banks - 1) / banks > most ? (total + banks - 1) / banks : most;
}

/* The fewest steps of a half-warp of CC 1.x, over all layouts. A step serves all lanes of one word
 * and at most one lane of each other word. After s steps, at most s words with more than s lanes
 * are served. If several elements may share a word, one step may suffice. */
static uint32_t bound_of_half(const fix_pattern *p, uint32_t lanes) {
    uint32_t count[SMP_LANES] = {0}, steps = 0, fuller;
    if (!smp_ops(NULL)[p->access.op].is_load || p->access.width_bytes < 4)
        return 1;
    for (unsigned l = 0; l < SMP_LANES; l++) {
        unsigned first = 0;
        while (first < l && (!(lanes >> first & 1) || p->flat[first] != p->flat[l] ||
                             p->rest[first] != p->rest[l]))
            first++;
        count[first] += lanes >> l & 1;
    }
    do {
        steps++;
        fuller = 0;
        for (unsigned l = 0; l < SMP_LANES; l++)
            fuller += count[l] > steps;
    } while (fuller > steps);
    return steps;
}

/* Finds the widest access to each word of the array; false if out of memory. */
static bool find_vectors(fix_array *array) {
    size_t words = ((size_t)array->reach * array->keep.element_bytes + 3) / 4;
    array->vectors = calloc(words + 4, 1);
    for (uint32_t i = 0; i < array->pattern_count && array->vectors; i++) {
        const fix_pattern *p = &array->patterns[i];
        uint32_t lanes = smp_access_lanes(&p->access), width = p->access.width_bytes;
        for (unsigned l = 0; l < SMP_LANES; l++) {
            uint32_t at = p->flat[l] * array->keep.element_bytes + p->rest[l];
            for (uint32_t w = at / 4; (lanes >> l & 1) && w <= (at + width - 1) / 4; w++) {
                if (width > array->vectors[w])
                    array->vectors[w] = (uint8_t)width;
            }
        }
    }
    return array->vectors;
}

smp_status fix_predict(const smp_arch *arch, const fix_pattern *pattern, const smp_access *access,
                       smp_counts *out) {
    smp_status status = smp_predict(arch, access, out);
    if (!pattern->is_open || status != SMP_OK)
        return status;
    out->valid = 0;
    return SMP_E_NOT_MODELLED;
}

uint32_t fix_passes_beyond_words(const smp_arch *arch, const smp_counts *counts, unsigned group) {
    const smp_group *served = &counts->groups[group];
    return arch->shared_rule->half_warps ? 0 : served->wavefronts_max - served->wavefronts_min;
}

/* Computes floor and bound of a pattern on one class from the hardware's groups of lanes. */
static void judge_pattern(const fix_array *array, fix_pattern *p, const smp_arch *arch,
                          uint32_t class) {
    smp_counts counts;
    smp_access apart = p->access;
    const smp_op_row *op = &smp_ops(NULL)[p->access.op];
    p->floor[class] = p->bound[class] = 0;
    if (op->space == SMP_SPACE_COPY) {
        for (unsigned l = 0; l < SMP_LANES; l++)
            apart.offset_bytes[l] = l * apart.width_bytes;
    }
    smp_status status = fix_predict(arch, p, &apart, &counts);
    if (status != SMP_OK || (counts.valid & SMP_HAS_WAVEFRONTS) == 0)
        return;
    uint32_t all = (uint32_t)__builtin_popcount(smp_access_lanes(&p->access));
    uint32_t ideal = smp_op_ideal(op->op, all, p->access.width_bytes);
    if (op->space == SMP_SPACE_COPY) {
        p->floor[class] = p->bound[class] = counts.excess;
        return;
    }
    uint32_t bound = 0, floor = 0;
    uint32_t words = arch->shared_rule->period_bytes / 4u;
    for (unsigned g = 0; g < counts.group_count; g++) {
        uint32_t lanes = counts.groups[g].lanes;
        if (lanes == 0)
            continue;
        uint32_t more = fix_passes_beyond_words(arch, &counts, g);
        floor += op->passes + more;
        bound += more + op->passes * (arch->shared_rule->half_warps
                                          ? bound_of_half(p, lanes)
                                          : bound_of_group(array, p, lanes, words));
    }
    p->floor[class] = excess_over(floor, ideal);
    p->bound[class] = excess_over(bound, ideal);
}

smp_status fix_judge(const smp_fix *fix, fix_array *array) {
    array->bound = array->floor = 0;
    if (!find_vectors(array))
        return SMP_E_MEMORY;
    array->before = (fix_price){.bytes = fix_form_bytes(&array->keep, array->reach)};
    for (uint32_t i = 0; i < array->pattern_count; i++) {
        if (!fix_goes_on(fix, 2 * fix->class_count))
            return SMP_E_INTERRUPTED;
        fix_pattern *p = &array->patterns[i];
        for (uint32_t c = 0; c < fix->class_count; c++) {
            smp_counts counts;
            judge_pattern(array, p, &fix->classes[c].arch, c);
            uint64_t times = p->times * fix->classes[c].weight;
            array->bound += times * p->bound[c];
            array->floor += times * p->floor[c];
            smp_status status = fix_predict(&fix->classes[c].arch, p, &p->access, &counts);
            if (status == SMP_OK)
                smp_tally_take(&array->before.cost, &counts, p->access.width_bytes, times);
        }
    }
    return SMP_OK;
}

/* ---- Prices ---- */

/* A fast check; the model also rejects misaligned vectors, but takes longer. */
static bool is_aligned(const smp_access *access, uint32_t lanes) {
    uint32_t all = 0;
    for (unsigned l = 0; l < SMP_LANES; l++)
        all |= lanes >> l & 1 ? access->offset_bytes[l] : 0;
    return (all & (access->width_bytes - 1)) == 0;
}

/* Adds all patterns on one class; false if the hardware rejects one or the limit is exceeded. */
static bool add_class(const smp_fix *fix, const fix_array *array, const fix_map *map,
                      const fix_sample *sample, uint32_t class, uint64_t limit, fix_price *out) {
    const uint64_t *rest = sample->rest ? &sample->rest[class * (sample->count + 1)] : NULL;
    const fix_class *of = &fix->classes[class];
    smp_access access;
    smp_counts counts;
    for (uint32_t i = 0; i < sample->count; i++) {
        const fix_pattern *p = &array->patterns[sample->pattern[i]];
        if (!fix_goes_on(fix, 1))
            return false;
        access.op = p->access.op;
        access.width_bytes = p->access.width_bytes;
        access.active_mask = p->access.active_mask;
        fix_map_lanes(map, p, access.offset_bytes);
        if (smp_ops(NULL)[access.op].space == SMP_SPACE_COPY)
            memcpy(access.address_bytes, p->access.address_bytes, sizeof access.address_bytes);
        if (!is_aligned(&access, smp_access_lanes(&access)))
            return false;
        const smp_status status = fix_predict(&of->arch, p, &access, &counts);
        if (status == SMP_OK)
            smp_tally_take(&out->cost, &counts, access.width_bytes, sample->times[i] * of->weight);
        else if (status != SMP_E_NOT_MODELLED)
            return false;
        if (out->cost.excess + (rest ? rest[i + 1] : 0) > limit)
            return false;
    }
    return true;
}

bool fix_score(const smp_fix *fix, const fix_array *array, const smp_fix_form *form,
               const fix_sample *sample, uint64_t limit, fix_price *out) {
    fix_map map;
    fix_map_init(&map, form);
    *out = (fix_price){.bytes = fix_form_bytes(form, array->reach),
                       .instructions = fix_form_instructions(form)};
    for (uint32_t c = 0; c < fix->class_count; c++) {
        if (!add_class(fix, array, &map, sample, c, limit, out))
            return false;
    }
    return true;
}

int fix_price_compare(const fix_price *a, const fix_price *b) {
    if (a->cost.excess != b->cost.excess)
        return a->cost.excess < b->cost.excess ? -1 : 1;
    if (a->cost.transactions != b->cost.transactions)
        return a->cost.transactions < b->cost.transactions ? -1 : 1;
    if (a->bytes != b->bytes)
        return a->bytes < b->bytes ? -1 : 1;
    if (a->instructions != b->instructions)
        return a->instructions < b->instructions ? -1 : 1;
    return 0;
}

/* ---- The best forms ---- */

/* The least known excess with at most `bytes`, or UINT64_MAX. */
static uint64_t least_excess(const fix_front *front, uint64_t bytes) {
    uint64_t least = UINT64_MAX;
    for (uint32_t i = 0; i < front->count && front->item[i].price.bytes <= bytes; i++)
        least = front->item[i].price.cost.excess < least ? front->item[i].price.cost.excess : least;
    return least;
}

/* Keeps `added` unless a known form is at least as good in everything; drops the forms it beats. */
static void keep(fix_front *front, const fix_candidate *added) {
    uint32_t at = 0;
    if (ANY(known, front->item, front->count,
            known->price.bytes <= added->price.bytes &&
                fix_price_compare(&known->price, &added->price) <= 0))
        return;
    DROP_IF(known, front->item, front->count,
            known->price.bytes >= added->price.bytes &&
                fix_price_compare(&known->price, &added->price) > 0);
    if (front->count == FIX_FRONT_MAX)
        front->count--; /* drop the one with the most bytes */
    while (at < front->count && front->item[at].price.bytes <= added->price.bytes)
        at++;
    memmove(&front->item[at + 1], &front->item[at], (front->count - at) * sizeof front->item[0]);
    front->item[at] = *added;
    front->count++;
}

void fix_weigh(smp_fix *fix, fix_array *array, const smp_fix_form *form, const fix_sample *sample) {
    if (!fix_is_wanted(fix))
        return;
    fix_front *front = &array->fronts[form->kind];
    fix_candidate candidate = {.form = *form};
    uint64_t bytes = fix_form_bytes(form, array->reach), limit = least_excess(front, bytes);
    fix->scored++;
    fix->progress->done++;
    /* An array of unknown size declares no swizzle, and its element must remain assignable. */
    bool leaves_row = array->array->is_unsized && !fix_form_stays_in_row(form);
    bool reads_twice = array->reads_data && fix_form_rewrites(form, false);
    if (reads_twice || leaves_row || bytes > array->before.bytes + fix->limit_bytes)
        return;
    for (uint32_t k = 0; k < SMP_FIX_KIND_COUNT && form->kind == SMP_FIX_PAD_XOR; k++) {
        uint64_t known = least_excess(&array->fronts[k], bytes);
        limit = known < limit ? known : limit; /* the largest space needs only its best */
    }
    if (fix_score(fix, array, form, sample, limit, &candidate.price))
        keep(front, &candidate);
}

const fix_candidate *fix_best(const fix_array *array, smp_fix_kind kind, uint64_t bytes) {
    const fix_candidate *best = NULL;
    for (uint32_t k = 0; k < SMP_FIX_KIND_COUNT; k++) {
        const fix_front *front = &array->fronts[k];
        if (kind != SMP_FIX_KIND_COUNT && k != kind)
            continue;
        EACH(const fix_candidate, c, front->item, front->count) {
            bool fits = c->price.bytes <= array->before.bytes + bytes;
            if (fits && (!best || fix_price_compare(&c->price, &best->price) < 0))
                best = c;
        }
    }
    return best;
}

bool fix_is_settled(const fix_array *array) {
    const fix_candidate *best = fix_best(array, SMP_FIX_KIND_COUNT, UINT64_MAX / 2);
    return best && best->price.cost.excess <= array->bound &&
           best->price.bytes <= array->before.bytes;
}
