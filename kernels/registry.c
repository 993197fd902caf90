/* SPDX-License-Identifier: MIT */
/* All kernel families in display order, and the table of traffic kinds. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "families.h"

static const smp_kernel_family *const families[] = {
    &smp_transpose_family, &smp_occupancy_family,     &smp_reduce_family,
    &smp_sumsq_family,     &smp_histogram_family,     &smp_scan_family,
    &smp_gemm_tile_family, &smp_convolve_rows_family, &smp_convolve_columns_family,
    &smp_lookup_family,
};

const smp_kernel_family *const *smp_kernel_families(size_t *count) {
    *count = sizeof families / sizeof families[0];
    return families;
}

const smp_kernel_family *smp_kernel_family_find(const char *name) {
    for (size_t i = 0; i < sizeof families / sizeof families[0]; i++)
        if (strcmp(families[i]->name, name) == 0)
            return families[i];
    return NULL;
}

const smp_kernel_variant *smp_kernel_variant_find(const smp_kernel_family *family,
                                                  const char *name) {
    for (size_t i = 0; i < family->variant_count; i++)
        if (strcmp(family->variants[i].name, name) == 0)
            return &family->variants[i];
    return NULL;
}

const char *smp_kernel_case_format(const smp_kernel_case *problem, bool is_matrix,
                                   char text[SMP_CASE_TEXT_MAX]) {
    char rows[32] = "", cluster[32] = "";
    if (is_matrix)
        (void)snprintf(rows, sizeof rows, "%" PRIu64 "x", problem->rows);
    if (problem->cluster > 0)
        (void)snprintf(cluster, sizeof cluster, ", cluster %" PRIu32, problem->cluster);
    (void)snprintf(text, SMP_CASE_TEXT_MAX, "%s%" PRIu64 " %s%s", rows, problem->columns,
                   smp_element_info(problem->element)->name, cluster);
    return text;
}

static smp_status refuse_element(const char *what, uint32_t known, smp_element element,
                                 smp_error *error) {
    char names[96] = "";
    size_t length = 0;
    for (unsigned e = 0; e < SMP_ELEMENT_COUNT; e++)
        if (known >> e & 1)
            length += (size_t)snprintf(names + length, sizeof names - length, "%s%s",
                                       length ? ", " : "", smp_element_info((smp_element)e)->name);
    return smp_error_set(error, SMP_E_USAGE, -1, "%s has no %s, only %s", what,
                         smp_element_info(element)[0].name, names);
}

static smp_status refuse_size(const smp_kernel_family *family, smp_error *error) {
    char elements[40] = "";
    if (!family->is_matrix)
        return smp_error_set(error, SMP_E_OVERFLOW, -1, "%s: at most %" PRIu64 " elements",
                             family->name, family->most_columns);
    if (family->most_elements != 0)
        (void)snprintf(elements, sizeof elements, ", %" PRIu64 " elements", family->most_elements);
    return smp_error_set(error, SMP_E_OVERFLOW, -1, "%s: at most %" PRIu64 " %s, %" PRIu64 " %s%s",
                         family->name, family->most_rows,
                         family->row_name ? family->row_name : "rows", family->most_columns,
                         family->column_name ? family->column_name : "columns", elements);
}

smp_status smp_kernel_check(const smp_kernel_family *family, const smp_kernel_variant *variant,
                            const smp_kernel_case *problem, smp_error *error) {
    if (!(family->elements >> problem->element & 1))
        return refuse_element(family->name, family->elements, problem->element, error);
    if (variant && variant->elements && !(variant->elements >> problem->element & 1))
        return refuse_element(variant->name, variant->elements, problem->element, error);
    if (problem->rows == 0 || problem->columns == 0)
        return smp_error_set(error, SMP_E_USAGE, -1,
                             "%s: nothing to do for a size of 0; give at least one element",
                             family->name);
    if (!family->is_matrix && problem->rows != 1)
        return smp_error_set(error, SMP_E_USAGE, -1,
                             "%s works on a row: give the number of elements, not rows x columns",
                             family->name);
    if (!family->has_clusters && problem->cluster != 0)
        return smp_error_set(error, SMP_E_USAGE, -1, "%s launches no clusters", family->name);
    if ((family->most_rows != 0 && problem->rows > family->most_rows) ||
        (family->most_columns != 0 && problem->columns > family->most_columns) ||
        (family->most_elements != 0 && problem->rows > family->most_elements / problem->columns))
        return refuse_size(family, error);
    const smp_status status = family->check ? family->check(problem, error) : SMP_OK;
    return status == SMP_OK && variant && variant->check ? variant->check(problem, error) : status;
}

smp_kernel_shape smp_kernel_shape_of(const smp_kernel_variant *variant,
                                     const smp_kernel_case *problem) {
    smp_kernel_shape shape = {0};
    smp_kernel_script *script =
        variant->script && !variant->shape ? calloc(1, sizeof *script) : NULL;
    if (variant->shape)
        shape = variant->shape(problem);
    else if (script && variant->script(problem, 0, script))
        shape = script->shape;
    free(script);
    return shape;
}

const char *smp_kernel_not_predicted(const smp_kernel_variant *variant,
                                     const smp_kernel_case *problem) {
    return variant->not_predicted ? variant->not_predicted(problem) : NULL;
}

static const smp_traffic_row traffic[SMP_TRAFFIC_COUNT] = {
#define TRAFFIC_ROW(id, name, op) [id] = {name, op},
    SMP_TRAFFIC_LIST(TRAFFIC_ROW)
#undef TRAFFIC_ROW
};

const smp_traffic_row *smp_traffic_rows(void) {
    return traffic;
}
