/* SPDX-License-Identifier: MIT */
/* Measurements as a table of text. Their JSON and CSV are those of predict. */
#include <inttypes.h>

#include "write_format.h"

static void put_count(FILE *out, const smp_measured *measured) {
    char number[32] = "-";
    if (measured->count != SMP_NOT_COUNTED)
        (void)snprintf(number, sizeof number, "%s%" PRIu64, measured->is_at_most ? "<= " : "",
                       measured->count);
    fprintf(out, " %9s", number);
    if (measured->has_cycles)
        fprintf(out, " %9.2f", measured->cycles);
}

/* Writes one table: "--op ld --width 4 --stride 33 1 1 yes". */
static void put_text(FILE *out, const sweep *all, smp_style style) {
    const size_t done = all->count;
    const char *bad = style.color ? "\033[1;31m" : "", *plain = style.color ? "\033[0m" : "";
    size_t differ = 0, open = 0;
    const bool timed = done > 0 && all->reports[0].measured.has_cycles;
    const int wide = all->labels ? 66 : 47;
    fprintf(out, "%-*s %9s %9s%s  %s\n", wide, "access", "predicted", "measured",
            timed ? "    cycles" : "", "agree");
    for (size_t i = 0; i < done; i++) {
        const smp_prediction *report = &all->reports[i];
        char name[SMP_BATCH_TEXT_MAX], number[24] = "open";
        if (all->labels)
            (void)snprintf(name, sizeof name, "%s", all->labels[i]);
        else
            probe_row_name(report, name);
        if (report->status == SMP_OK)
            (void)snprintf(number, sizeof number, "%" PRIu64, smp_prediction_count(report));
        /* Unknown, and no witness can tell: clocks say nothing about this operation. */
        const bool is_open = report->status != SMP_OK || report->measured.count == SMP_NOT_COUNTED;
        const bool equal = !is_open && !smp_prediction_differs(report);
        differ += !is_open && !equal;
        open += is_open;
        fprintf(out, "%-*.*s %9s", wide, wide, name, number);
        put_count(out, &report->measured);
        fprintf(out, "  %s%s%s\n", is_open || equal ? "" : bad,
                is_open ? "-"
                : equal ? "yes"
                        : "NO",
                plain);
    }
    fprintf(out, "\n%zu measured, %zu differ", done, differ);
    if (open > 0)
        fprintf(out, ", %zu open", open);
    fputc('\n', out);
}

static void put_provenance(FILE *out, const smp_prediction *report) {
    const smp_measured *m = &report->measured;
    fprintf(out, "%s%s, driver %s, CUDA %s%s%s\n", m->origin == SMP_RECORDED ? "recorded on " : "",
            m->device, m->driver, m->cuda, m->date[0] ? ", " : "", m->date);
}

void smp_sweep_text(FILE *out, const sweep *all, smp_style style) {
    if (all->count == 0)
        return;
    put_provenance(out, &all->reports[0]);
    put_text(out, all, style);
}

void smp_sweep_json(FILE *out, const sweep *all, smp_style style) {
    (void)style;
    smp_prediction_json_array(out, all->reports, all->count);
}

void smp_sweep_csv(FILE *out, const sweep *all, smp_style style) {
    smp_prediction_csv(out, all->reports, all->count, style);
}
