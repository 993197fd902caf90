/* SPDX-License-Identifier: MIT */
/*
 * Explains why a form works: the worst request before the change, how the form moves elements,
 * and the banks in use before and after.
 */
#include <stdio.h>
#include <string.h>

#include "fix_report.h"
#include "smp_prediction.h"

/* The array's worst access before the change, on the first architecture. */
static int worst_access(const smp_fix *fix, const fix_array *array) {
    int worst = -1;
    for (uint32_t i = 0; i < smp_layout_access_count(fix->layout); i++) {
        if (smp_layout_target(fix->layout, i) != array->array)
            continue;
        if (worst < 0 || fix_before(fix, 0, i)->excess > fix_before(fix, 0, (size_t)worst)->excess)
            worst = (int)i;
    }
    return worst;
}

static void sentence(const smp_fix *fix, const smp_totals *totals, char *text, size_t size) {
    smp_prediction report;
    memset(&report, 0, sizeof report);
    report.arch = fix->archs[0];
    report.access = totals->worst;
    report.counts = totals->worst_counts;
    report.status = totals->status;
    text[0] = '\0';
    (void)smp_prediction_why(&report, text, size);
}

/* "bits 5 to 9", "bit 4". */
static const char *bits_text(uint32_t first, uint32_t count, char text[40]) {
    if (count == 1)
        (void)snprintf(text, 40, "bit %u", first);
    else
        (void)snprintf(text, 40, "bits %u to %u", first, first + count - 1);
    return text;
}

/* Describes a padding. */
static void put_padding(const smp_fix_form *form, char *text, size_t size) {
    uint32_t last = form->dim_count - 1;
    uint32_t before = form->extent[last], after = before + form->pad[last];
    if (form->every != 0)
        (void)snprintf(text, size, "%u element%s stay%s unused after each %u. ", form->insert,
                       form->insert == 1 ? "" : "s", form->insert == 1 ? "s" : "", form->every);
    else if (form->element_extra != 0)
        (void)snprintf(text, size, "elements begin %u bytes apart, not %u. ",
                       form->element_bytes + form->element_extra, form->element_bytes);
    else if (after != before)
        (void)snprintf(text, size, "rows begin %u elements apart, not %u. ", after, before);
    else
        (void)snprintf(text, size, "the outer dimensions are further apart. ");
}

/* Describes how the form moves elements. */
static void put_motion(const smp_fix_form *form, char *text, size_t size) {
    uint32_t last = form->dim_count - 1, columns = form->extent[last] + form->pad[last];
    char from_text[40], to_text[40];
    text[0] = '\0';
    if (form->bits != 0 && form->shift > 0) {
        uint32_t from = form->base + (uint32_t)form->shift;
        bool is_row = last > 0 && fix_is_power(columns) && from >= fix_log2(columns);
        (void)snprintf(text, size,
                       "%s of the element's number%s %s exclusive-ored into %s, so elements that "
                       "differ only there no longer share a bank, while those of one %s only swap "
                       "places. ",
                       bits_text(from, form->bits, from_text), is_row ? ", of its row," : "",
                       form->bits == 1 ? "is" : "are", bits_text(form->base, form->bits, to_text),
                       is_row ? "row" : "run");
    } else if (form->bits != 0) {
        (void)snprintf(text, size, "%s of the element's number %s exclusive-ored into %s. ",
                       bits_text(form->base, form->bits, from_text), form->bits == 1 ? "is" : "are",
                       bits_text(form->base + (uint32_t)-form->shift, form->bits, to_text));
    } else if (form->term_count > 0) {
        (void)snprintf(text, size,
                       "bank bits are exclusive-ored with bits of the element's number that "
                       "they did not depend on. ");
    } else if (form->step > 0) {
        char rows[32] = "each row begins";
        const bool is_one = form->divide <= 1;
        if (!is_one)
            (void)snprintf(rows, sizeof rows, "every %u rows begin", form->divide);
        (void)snprintf(text, size, "%s %u element%s further on and wrap%s around. ", rows,
                       form->step, form->step == 1 ? "" : "s", is_one ? "s" : "");
    } else {
        put_padding(form, text, size);
    }
}

/* Number of banks used by the first group of lanes. */
static uint32_t count_banks(const smp_arch *arch, const smp_access *access) {
    smp_counts counts;
    smp_lane lanes[SMP_LANES];
    uint32_t banks = 0;
    if (smp_predict(arch, access, &counts) != SMP_OK || counts.group_count == 0 ||
        smp_lanes(arch, access, lanes) != SMP_OK)
        return 0;
    for (unsigned l = 0; l < SMP_LANES; l++)
        banks |= counts.groups[0].lanes >> l & 1 ? 1u << lanes[l].bank : 0;
    return (uint32_t)__builtin_popcount(banks);
}

/* The most expensive request of `source` before the change. */
static const fix_pattern *worst_pattern(const smp_fix *fix, const fix_array *array,
                                        uint32_t source) {
    const fix_pattern *worst = NULL;
    uint32_t most = 0;
    for (uint32_t i = 0; i < array->pattern_count; i++) {
        smp_counts counts;
        const fix_pattern *p = &array->patterns[i];
        bool is_known =
            p->source == source && fix_predict(&fix->archs[0], p, &p->access, &counts) == SMP_OK;
        if (is_known && (!worst || counts.wavefronts_max > most)) {
            worst = p;
            most = counts.wavefronts_max;
        }
    }
    return worst;
}

size_t fix_why(const smp_fix *fix, const fix_array *array, char *text, size_t size) {
    char before[700], motion[400], banks[160] = "";
    int worst = worst_access(fix, array);
    const fix_pattern *p = worst < 0 ? NULL : worst_pattern(fix, array, (uint32_t)worst);
    if (!p)
        return 0;
    sentence(fix, fix_before(fix, 0, (size_t)worst), before, sizeof before);
    put_motion(&array->chosen.form, motion, sizeof motion);
    fix_map map;
    smp_access moved = p->access;
    fix_map_init(&map, &array->chosen.form);
    fix_map_lanes(&map, p, moved.offset_bytes);
    uint32_t old = count_banks(&fix->archs[0], &p->access),
             now = count_banks(&fix->archs[0], &moved);
    if (old > 0 && now > 0)
        (void)snprintf(
            banks, sizeof banks,
            "In its worst request, the lanes served first began on %u bank%s and now begin on %u.",
            old, old == 1 ? "" : "s", now);
    int length = snprintf(text, size, "%.*s unchanged: %s With the fix: %s%s",
                          (int)array->array->length, array->array->name, before, motion, banks);
    return length > 0 ? (size_t)length : 0;
}
