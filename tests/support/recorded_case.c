/* SPDX-License-Identifier: MIT */
#include "recorded_case.h"

#include <check.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* "padded 4096x4096 float, cluster 8" -> the case. */
static void parse_problem(const char *key, const char *text, smp_kernel_case *out) {
    char type[24] = "";
    int end = 0;
    out->rows = 1;
    if (sscanf(text, "%" SCNu64 "x%" SCNu64 " %23[a-z]%n", &out->rows, &out->columns, type, &end) <
        3) {
        out->rows = 1;
        ck_assert_msg(sscanf(text, "%" SCNu64 " %23[a-z]%n", &out->columns, type, &end) == 2,
                      "%s: no case", key);
    }
    out->cluster = 0;
    (void)sscanf(text + end, ", cluster %" SCNu32, &out->cluster);
    int element = 0;
    while (element < SMP_ELEMENT_COUNT &&
           strcmp(smp_element_info((smp_element)element)->name, type) != 0)
        element++;
    ck_assert_msg(element < SMP_ELEMENT_COUNT, "%s: type %s", key, type);
    out->element = (smp_element)element;
}

void recorded_case_parse(const char *key, const smp_kernel_family **family,
                         const smp_kernel_variant **variant, smp_kernel_case *problem) {
    char family_name[32], variant_name[32];
    int end = 0;
    ck_assert_msg(sscanf(key, "%31s %31s %n", family_name, variant_name, &end) == 2, "%s", key);
    *family = smp_kernel_family_find(family_name);
    ck_assert_msg(*family, "%s: no such family", key);
    *variant = smp_kernel_variant_find(*family, variant_name);
    ck_assert_msg(*variant, "%s: no such variant", key);
    *problem = (*family)->standard;
    parse_problem(key, key + end, problem);
}
