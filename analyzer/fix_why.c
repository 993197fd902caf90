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

/* ---- What was searched --------------------------------------------------------------- */

static bool is_asked(const smp_fix *fix, smp_fix_kind kind) {
    return fix->options.kinds == 0 || (fix->options.kinds >> kind & 1);
}

void fix_spaces_text(const smp_fix *fix, const fix_array *array, char *text, size_t size) {
    uint32_t period = fix_period_bytes(fix), bytes = array->keep.element_bytes;
    uint32_t most = period / smp_gcd(bytes, period) - 1;
    bool has_rows = array->keep.dim_count > 1;
    const char *names[SMP_FIX_KIND_COUNT] = {
        "", "", "every Swizzle<B,M,S>", "bank bits ^= sums of row bits", "", ""};
    char pads[96], rotations[64], both[96];
    (void)snprintf(pads, sizeof pads, "paddings by up to %u elements%s", most,
                   has_rows ? " a dimension" : " after every 2^k");
    (void)snprintf(rotations, sizeof rotations, "rotations by up to 64 units a row");
    (void)snprintf(both, sizeof both, "%s with every swizzle",
                   has_rows ? "all of these rows" : "all of these");
    names[SMP_FIX_PAD] = pads;
    names[SMP_FIX_ROTATE] = has_rows ? rotations : "";
    names[SMP_FIX_PAD_XOR] = both;
    size_t length = 0;
    text[0] = '\0';
    for (uint32_t k = 0; k < SMP_FIX_KIND_COUNT && length < size; k++) {
        if (names[k][0] != '\0' && is_asked(fix, (smp_fix_kind)k))
            length += (size_t)snprintf(text + length, size - length, "%s%s", length > 0 ? ", " : "",
                                       names[k]);
    }
    if (length < size && fix->is_cut_short)
        (void)snprintf(text + length, size - length,
                       " (not all of them: the search was cut short)");
    else if (length < size)
        (void)snprintf(text + length, size - length, " (banks repeat every %u bytes)", period);
}
