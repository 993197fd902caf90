/* SPDX-License-Identifier: MIT */
/*
 * Why a form works: the sentence that the worst request before and after deserves, and for swizzles
 * which bits now choose the bank.
 */
#include <stdio.h>
#include <string.h>

#include "fix_report.h"

/* The access of an array that was worst before, on the first architecture. */
static int worst_access(const smp_fix *fix, const fix_array *array) {
    int worst = -1;
    for (uint32_t i = 0; i < fix->layout->access_count; i++) {
        if (&fix->layout->arrays[fix->layout->accesses[i].target.array] != array->array)
            continue;
        if (worst < 0 || fix_before(fix, 0, i)->excess > fix_before(fix, 0, (size_t)worst)->excess)
            worst = (int)i;
    }
    return worst;
}

static void sentence(const smp_fix *fix, const smp_totals *totals, char *text, size_t size) {
    smp_report report;
    memset(&report, 0, sizeof report);
    report.arch = fix->archs[0];
    report.access = totals->worst;
    report.counts = totals->worst_counts;
    report.status = totals->status;
    text[0] = '\0';
    (void)smp_report_why(&report, text, size);
}

size_t fix_why(const smp_fix *fix, const fix_array *array, char *text, size_t size) {
    char before[700], after[700];
    int worst = worst_access(fix, array);
    if (worst < 0)
        return 0;
    sentence(fix, fix_before(fix, 0, (size_t)worst), before, sizeof before);
    sentence(fix, fix_after(fix, 0, (size_t)worst), after, sizeof after);
    int length = snprintf(text, size, "%.*s, before: %s Now: %s", (int)array->array->length,
                          array->array->name, before, after);
    return length > 0 ? (size_t)length : 0;
}
