/* SPDX-License-Identifier: MIT */
/*
 * compare_case.c: what is to be compared: families, sizes, types and cluster sizes, and all
 * combinations of them.
 */
#include <stdlib.h>
#include <string.h>

#include "compare.h"

static void set_size(const compare_size *size, comparison *c) {
    c->problem.rows = size->rows;
    c->problem.columns = size->columns;
    if (size->is_one_number)
        c->problem.columns = size->rows;
    if (size->is_one_number && !c->family->is_matrix)
        c->problem.rows = 1;
}

static bool is_wanted(const compare_ask *ask, const char *name) {
    for (size_t i = 0; i < ask->variant_count; i++)
        if (strcmp(ask->variants[i], name) == 0)
            return true;
    return !ask->is_picked;
}

static smp_status choose_rows(const compare_ask *ask, comparison *c, smp_error *error) {
    c->is_picked = ask->is_picked;
    for (size_t i = 0; i < c->family->variant_count && c->count < COMPARE_ROWS_MAX; i++) {
        const smp_kernel_variant *variant = &c->family->variants[i];
        smp_error cause;
        if (!is_wanted(ask, variant->name))
            continue;
        if (smp_kernel_check(c->family, variant, &c->problem, &cause) == SMP_OK)
            c->rows[c->count++].variant = variant;
        else if (ask->is_picked)
            return smp_error_set(error, cause.status, -1, "%s", cause.message);
        else
            note_add(ask->notes, "left out: %s: %s", variant->name, cause.message);
    }
    return SMP_OK;
}

/* Combination `index` of size, type and cluster, the last one fastest. */
static smp_status fill_case(const compare_ask *ask, size_t index, comparison *c, smp_error *error) {
    const size_t clusters = ask->cluster_count ? ask->cluster_count : 1;
    const size_t elements = ask->element_count ? ask->element_count : 1;
    c->problem = c->family->standard;
    if (ask->cluster_count)
        c->problem.cluster = ask->clusters[index % clusters];
    if (ask->element_count)
        c->problem.element = ask->elements[index / clusters % elements];
    if (ask->size_count)
        set_size(&ask->sizes[index / clusters / elements], c);
    smp_status status = smp_kernel_check(c->family, NULL, &c->problem, error);
    return status == SMP_OK ? choose_rows(ask, c, error) : status;
}

static size_t at_least_one(size_t count) {
    return count > 0 ? count : 1;
}

smp_status compare_cases(const compare_ask *ask, comparison **out, size_t *count,
                         smp_error *error) {
    const size_t each = at_least_one(ask->size_count) * at_least_one(ask->element_count) *
                        at_least_one(ask->cluster_count);
    smp_status status = SMP_OK;
    *count = 0;
    *out = NULL;
    if (each > COMPARE_CASES_MAX / ask->family_count)
        return smp_error_set(error, SMP_E_USAGE, -1, "compare: more than %d cases at once",
                             COMPARE_CASES_MAX);
    *out = calloc(each * ask->family_count, sizeof **out);
    if (!*out)
        return smp_error_memory(error);
    for (size_t i = 0; i < each * ask->family_count && status == SMP_OK; i++) {
        comparison *c = &(*out)[(*count)++];
        c->family = ask->families[i / each];
        status = fill_case(ask, i % each, c, error);
    }
    return status;
}
