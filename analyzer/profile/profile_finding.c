/* SPDX-License-Identifier: MIT */
/*
 * Lists of findings: their order, and equal ones folded into one.
 */
#include "profile_finding.h"

#include <stdlib.h>
#include <string.h>

#include "profile_order.h"

static const char *const names[SMP_FINDING_KINDS] = {
#define NAME_ROW(id, name, rule, what, help) name,
    SMP_FINDING_KIND_ROWS(NAME_ROW)
#undef NAME_ROW
};

const char *smp_finding_kind_name(smp_finding_kind kind) {
    return kind < SMP_FINDING_KINDS ? names[kind] : "unknown";
}

bool smp_finding_kind_find(const char *name, smp_finding_kind *out) {
    for (unsigned i = 0; name && i < SMP_FINDING_KINDS; i++) {
        if (strcmp(name, names[i]) == 0) {
            *out = (smp_finding_kind)i;
            return true;
        }
    }
    return false;
}

static void clear_place(smp_finding_place *place) {
    free(place->file);
    free(place->instruction);
}

void smp_finding_clear(smp_profile_finding *finding) {
    clear_place(&finding->at);
    clear_place(&finding->other);
    free(finding->message);
    free(finding->kernel);
    free(finding->array);
    free(finding->missing);
    memset(finding, 0, sizeof *finding);
}

void smp_findings_clear(smp_profile_finding *list, uint32_t count) {
    for (uint32_t i = 0; i < count; i++)
        smp_finding_clear(&list[i]);
    free(list);
}

static int compare_places(const smp_finding_place *a, const smp_finding_place *b) {
    COMPARE_NUMBERS(a->offset_bytes, b->offset_bytes);
    COMPARE_NUMBERS(a->line, b->line);
    const int order = text_compare(a->file, b->file);
    return order != 0 ? order : text_compare(a->instruction, b->instruction);
}

int smp_finding_compare(const smp_profile_finding *a, const smp_profile_finding *b) {
    COMPARE_NUMBERS(a->is_note, b->is_note);
    int order = text_compare(a->kernel, b->kernel);
    if (order == 0)
        order = compare_places(&a->at, &b->at);
    if (order != 0)
        return order;
    COMPARE_NUMBERS(a->kind, b->kind);
    COMPARE_NUMBERS(a->has_other, b->has_other);
    return compare_places(&a->other, &b->other);
}

static int compare_threads(const smp_finding_place *a, const smp_finding_place *b) {
    COMPARE_NUMBERS(a->has_thread, b->has_thread);
    for (unsigned i = 3; i-- > 0;)
        COMPARE_NUMBERS(a->block[i], b->block[i]);
    for (unsigned i = 3; i-- > 0;)
        COMPARE_NUMBERS(a->thread[i], b->thread[i]);
    return 0;
}

static int compare_examples(const smp_profile_finding *a, const smp_profile_finding *b) {
    int order = compare_threads(&a->at, &b->at);
    if (order == 0)
        order = compare_threads(&a->other, &b->other);
    if (order == 0)
        order = text_compare(a->message, b->message);
    if (order == 0)
        order = text_compare(a->array, b->array);
    if (order == 0)
        order = text_compare(a->missing, b->missing);
    if (order != 0)
        return order;
    COMPARE_NUMBERS(a->has_address, b->has_address);
    COMPARE_NUMBERS(a->address, b->address);
    return 0;
}

static void fold(smp_profile_finding *into, smp_profile_finding *from) {
    const uint64_t count = into->count + from->count;
    if (compare_examples(from, into) < 0) {
        const smp_profile_finding swapped = *into;
        *into = *from;
        *from = swapped;
    }
    into->count = count;
    smp_finding_clear(from);
}

static int compare(const void *left, const void *right) {
    return smp_finding_compare(left, right);
}

uint32_t smp_findings_sort(smp_profile_finding *list, uint32_t count) {
    uint32_t kept = 0;
    if (count > 1)
        qsort(list, count, sizeof *list, compare);
    for (uint32_t i = 0; i < count; i++) {
        if (kept > 0 && smp_finding_compare(&list[kept - 1], &list[i]) == 0)
            fold(&list[kept - 1], &list[i]);
        else
            list[kept++] = list[i];
    }
    return kept;
}

uint32_t smp_findings_errors(const smp_profile_finding *list, uint32_t count) {
    uint32_t errors = 0;
    for (uint32_t i = 0; i < count; i++)
        errors += !list[i].is_note;
    return errors;
}
