/* SPDX-License-Identifier: MIT */
/* Markdown tables for issues, pull requests and wikis. Unknown numbers are dashes. */
#include <inttypes.h>
#include <string.h>

#include "put.h"
#include "write_format.h"

/* Writes a cell; characters that would end it or begin a tag are escaped. */
static void put_cell(FILE *out, const char *text, size_t length) {
    fputs(" ", out);
    for (size_t i = 0; i < length && text[i] != '\0'; i++) {
        if (text[i] == '|' || text[i] == '<' || text[i] == '*' || text[i] == '_' || text[i] == '\\')
            fputc('\\', out);
        fputc(text[i] == '\n' ? ' ' : text[i], out);
    }
    fputs(" |", out);
}

static void put_number(FILE *out, bool is_known, uint64_t low, uint64_t high) {
    fputc(' ', out);
    put_range(out, 0, is_known, low, high);
    fputs(" |", out);
}

static void put_costs(FILE *out, const smp_totals *t) {
    const bool waves = t->valid & SMP_HAS_WAVEFRONTS, moved = t->valid & SMP_HAS_TRANSACTIONS;
    put_number(out, waves, t->wavefronts_min, t->wavefronts_max);
    put_number(out, waves, t->ideal, t->ideal);
    put_number(out, waves, t->ways, t->ways);
    put_number(out, moved, t->transactions, t->transactions);
    put_number(out, moved, t->bytes, t->bytes);
}

static void put_report(FILE *out, const smp_prediction *report) {
    const smp_totals totals = smp_totals_of_one(report);
    const smp_measured *m = &report->measured;
    fprintf(out, "| %s (%s%s) |", report->arch.name, report->arch.family,
            report->arch.bank_bytes == 8 ? ", 8-byte banks" : "");
    put_costs(out, &totals);
    put_number(out, m->origin != SMP_NOT_MEASURED && !m->is_at_most && m->count != SMP_NOT_COUNTED,
               m->count, m->count);
    fprintf(out, " %s |\n",
            report->status == SMP_OK || report->status == SMP_E_NOT_MODELLED
                ? smp_evidence_name(totals.evidence)
                : smp_status_message(report->status));
}

void smp_prediction_md(FILE *out, const smp_prediction *reports, size_t count, smp_style style) {
    char text[SMP_BATCH_TEXT_MAX + 16];
    (void)style;
    (void)smp_prediction_words(&reports[0], text, sizeof text);
    fprintf(out, "`%s`: %s\n\n", smp_ops(NULL)[reports[0].access.op].name, text);
    fputs("| architecture | wavefronts | ideal | ways | transactions | bytes | measured | evidence "
          "|\n|---|---:|---:|---:|---:|---:|---:|---|\n",
          out);
    for (size_t i = 0; i < count; i++)
        put_report(out, &reports[i]);
    if (count == 1 && smp_prediction_why(&reports[0], text, sizeof text) > 0)
        fprintf(out, "\n%s\n", text);
    (void)smp_prediction_pattern(&reports[0], text, sizeof text);
    fprintf(out, "\n`smemprobe %s`\n", text);
}

static void put_access(FILE *out, const smp_layout_prediction *report, size_t index) {
    const smp_totals *t = &report->totals[index];
    smp_layout_access access;
    smp_layout_access_at(report->layout, index, &access);
    fprintf(out, "| %s |", report->arch.name);
    put_cell(out, access.text, access.length);
    put_number(out, true, t->requests, t->requests);
    put_costs(out, t);
    fprintf(out, " %s |\n", smp_evidence_name(t->evidence));
}

void smp_layout_md(FILE *out, const smp_layout_prediction *reports, size_t count,
                   const smp_layout_show *show) {
    (void)show;
    fputs("| architecture | access | requests | wavefronts | ideal | ways | transactions | bytes | "
          "evidence |\n|---|---|---:|---:|---:|---:|---:|---:|---|\n",
          out);
    for (size_t r = 0; r < count; r++) {
        for (size_t i = 0; i < reports[r].count; i++)
            put_access(out, &reports[r], i);
    }
}

static void put_variant(FILE *out, const comparison *c, const compare_row *row) {
    const smp_forecast *f = &row->forecast;
    const smp_kernel_result *m = &row->measured;
    const uint64_t waves = compare_counted_wavefronts(row);
    fputs("|", out);
    put_cell(out, row->variant->name, strlen(row->variant->name));
    put_number(out, true, f->shared.ways, f->shared.ways);
    put_number(out, true, f->shared.wavefronts_max, f->shared.wavefronts_max);
    put_number(out, m->is_counted, waves, waves);
    put_number(out, true, f->shared.ideal, f->shared.ideal);
    put_number(out, true, f->global.transactions, f->global.transactions);
    if (m->is_timed)
        fprintf(out, " %.1f | %.0f |\n", m->time_us, compare_gb_per_s(c, row));
    else
        fputs(" - | - |\n", out);
}

void smp_compare_md(FILE *out, const comparison *cases, size_t count) {
    for (const comparison *c = cases; c < cases + count; c++) {
        fprintf(out,
                "%s`%s`, %" PRIu64 " x %" PRIu64 " %s on %s\n\n"
                "| variant | ways | wavefronts | measured | ideal | sectors | us | GB/s |\n"
                "|---|---:|---:|---:|---:|---:|---:|---:|\n",
                c == cases ? "" : "\n", c->family->name, c->problem.rows, c->problem.columns,
                smp_element_info(c->problem.element)->name, c->arch->name);
        for (size_t i = 0; i < c->count; i++)
            put_variant(out, c, &c->rows[i]);
    }
}

void smp_table_md(FILE *out, const smp_table *table) {
    smp_cells row;
    fputs("|", out);
    for (unsigned c = 0; c < table->column_count; c++)
        put_cell(out, table->columns[c], SMP_CELL_SIZE);
    fputs("\n|", out);
    for (unsigned c = 0; c < table->column_count; c++)
        fputs(table->shows[c] == '#' ? "---:|" : "---|", out);
    fputc('\n', out);
    for (size_t i = 0; i < table->count(); i++) {
        table->fill(i, &row);
        fputs("|", out);
        for (unsigned c = 0; c < table->column_count; c++)
            put_cell(out, row.text[c], SMP_CELL_SIZE);
        fputc('\n', out);
    }
}
