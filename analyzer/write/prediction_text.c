/* SPDX-License-Identifier: MIT */
/* The prediction as text: one screen of 80 columns and 24 lines. */
#include <inttypes.h>
#include <string.h>

#include "put.h"
#include "text_buffer.h"
#include "write_format.h"

#define MAP_ROWS 8

static void put_title(FILE *out, const smp_prediction *report, smp_style style) {
    char words[160], mode[40] = "", text[300];
    const smp_arch *arch = &report->arch;
    const char *name = smp_ops(NULL)[report->access.op].name;
    (void)smp_prediction_words(report, words, sizeof words);
    if (arch->bank_bytes_alt != 0)
        (void)snprintf(mode, sizeof mode, ", %u-byte bank mode", arch->bank_bytes);
    (void)snprintf(text, sizeof text, "on %s (%s%s): %s", arch->name, arch->family, mode, words);
    fprintf(out, "%s%s%s ", smp_paint(style, "\033[1m"), name, smp_paint(style, "\033[0m"));
    smp_wrapped_hang(out, (int)strlen(name) + 1, 4, text);
    fputc('\n', out);
}

void smp_painted_put(FILE *out, smp_style style, bool is_good, const char *verdict,
                     const char *text) {
    fprintf(out, "  %s%s%s   ", smp_paint(style, is_good ? "\033[1;32m" : "\033[1;31m"), verdict,
            smp_paint(style, "\033[0m"));
    smp_wrapped_hang(out, (int)strlen(verdict) + 5, 4, text);
}

void smp_conflict_put(FILE *out, smp_style style, const smp_totals *totals) {
    const bool is_free = totals->ways <= 1 && !totals->takes_steps;
    char verdict[40] = "conflict-free", words[160];
    text_buffer text = TEXT_BUFFER(words);
    if (totals->ways > 1)
        (void)snprintf(verdict, sizeof verdict, "%u-way bank conflict", totals->ways);
    else if (!is_free)
        (void)snprintf(verdict, sizeof verdict, "bank conflict");
    if (totals->wavefronts_min != totals->wavefronts_max)
        text_add(&text, "%s to ", count_text(totals->wavefronts_min));
    text_add(&text, "%s wavefront%s, ideal %s, excess %s", count_text(totals->wavefronts_max),
             plural(totals->wavefronts_max), count_text(totals->ideal), count_text(totals->excess));
    smp_painted_put(out, style, is_free, verdict, words);
}

static void put_verdict(FILE *out, const smp_prediction *report, smp_style style) {
    const smp_counts *counts = &report->counts;
    const smp_totals totals = smp_totals_of_one(report);
    char text[120];
    smp_conflict_put(out, style, &totals);
    if (report->arch.shared_rule->period_bytes < 128)
        (void)snprintf(text, sizeof text,
                       "(ideal is in passes of 128 bytes; a pass of this generation moves %u)",
                       report->arch.shared_rule->period_bytes);
    else if (counts->wavefronts_max != counts->ways &&
             counts->wavefronts_min == counts->wavefronts_max)
        (void)snprintf(text, sizeof text, "(profilers call it \"%u-way\", wavefronts / requests%s)",
                       counts->wavefronts_max,
                       counts->excess == 0 ? ": the width, no conflict" : "");
    else
        text[0] = '\0';
    if (text[0] != '\0')
        smp_wrapped_print(out, "  ", text);
    fputc('\n', out);
}

static void put_transactions(FILE *out, const smp_prediction *report, smp_style style) {
    const smp_counts *counts = &report->counts;
    uint32_t asked = counts->active_lanes * report->access.width_bytes;
    uint32_t ideal = smp_prediction_ideal_transactions(report);
    bool is_ideal = counts->transactions == ideal;
    char text[160];
    (void)snprintf(text, sizeof text, "%u %s%s, ideal %u, excess %u; %s bytes moved, %s used",
                   counts->transactions, smp_moved_word(&report->arch),
                   plural(counts->transactions), ideal, counts->transactions - ideal,
                   count_text(counts->bytes), count_text(asked));
    smp_painted_put(out, style, is_ideal, is_ideal ? "coalesced" : "not coalesced", text);
    fputc('\n', out);
}

static void put_l1(FILE *out, const smp_prediction *report) {
    const smp_l1_counts *l1 = &report->l1;
    put_wrapped(out, "  inside L1  ",
                "%u tag-stage wavefront%s; in the data stage %u if all lines are in L1, %u if "
                "none is",
                l1->tag_wavefronts, plural(l1->tag_wavefronts), l1->hit_wavefronts,
                l1->miss_wavefronts);
}

static void put_unknown(FILE *out, const smp_prediction *report, smp_style style) {
    const smp_counts *counts = &report->counts;
    fprintf(out, "  %snot modelled%s", smp_paint(style, "\033[1;33m"), smp_paint(style, "\033[0m"));
    if (counts->valid & SMP_HAS_BOUNDS)
        fprintf(out, "   between %u and %u transactions", counts->transactions_min,
                counts->transactions_max);
    fputs("\n\n", out);
}

/* The map shows words. It would show too few wavefronts where lanes count (1.x) or hardware may
 * take more (2.x). */
static bool map_is_true(const smp_prediction *report) {
    const smp_counts *counts = &report->counts;
    if (smp_ops(NULL)[report->access.op].space != SMP_SPACE_SHARED)
        return false;
    if (counts->wavefronts_min != counts->wavefronts_max)
        return false;
    for (unsigned i = 0; i < counts->group_count; i++) {
        uint32_t passes = smp_ops(NULL)[report->access.op].passes;
        if (counts->groups[i].ways * passes != counts->groups[i].wavefronts_max)
            return false;
    }
    return true;
}

static void put_measured(FILE *out, const smp_prediction *report, smp_style style) {
    const smp_measured *measured = &report->measured;
    char text[512], count[96];
    if (measured->origin == SMP_NOT_MEASURED) {
        put_wrapped(out, "  measured   ", "not measured: %s", measured->reason);
        return;
    }
    const bool differs = smp_prediction_differs(report);
    const bool is_open = report->status != SMP_OK;
    const bool is_known = !is_open && measured->count != SMP_NOT_COUNTED;
    const char *verdict = !is_known ? "" : differs ? ", DISAGREES" : ", agrees";
    (void)smp_measured_words(measured, count, sizeof count);
    (void)snprintf(text, sizeof text, "%s%s (%s on %s, driver %s, CUDA %s%s%s)", count, verdict,
                   measured->origin == SMP_LIVE ? "now" : "recorded", measured->device,
                   measured->driver, measured->cuda, measured->date[0] ? ", " : "", measured->date);
    smp_wrapped_paint(out, "  measured   ", text,
                      smp_paint(style, is_open   ? ""
                                       : differs ? "\033[1;31m"
                                                 : "\033[32m"));
}

static void put_evidence(FILE *out, const smp_prediction *report) {
    static const char *const meaning[SMP_EVIDENCE_COUNT] = {
        [SMP_MEASURED] = "measured on this generation",
        [SMP_DOCUMENTED] = "documented by NVIDIA",
        [SMP_PUBLISHED] = "measured and published by others",
        [SMP_ASSUMED] = "assumed: carried over from a neighbouring generation",
        [SMP_OPEN] = "open: no rule is known here",
        [SMP_ABSENT] = "the operation does not exist here",
    };
    smp_wrapped_print(out, "  evidence   ", meaning[report->counts.evidence]);
}

static void put_one(FILE *out, const smp_prediction *report, smp_style style) {
    char why[1024];
    const smp_counts *counts = &report->counts;
    put_title(out, report, style);
    if (report->status != SMP_OK)
        put_unknown(out, report, style);
    if (counts->valid & SMP_HAS_WAVEFRONTS)
        put_verdict(out, report, style);
    if ((counts->valid & SMP_HAS_WAVEFRONTS) && map_is_true(report)) {
        smp_bankmap_print(out, report, style, MAP_ROWS);
        fputc('\n', out);
    }
    if (counts->valid & SMP_HAS_TRANSACTIONS)
        put_transactions(out, report, style);
    (void)smp_prediction_why(report, why, sizeof why);
    smp_wrapped_print(out, "  why        ", why);
    if (report->has_l1)
        put_l1(out, report);
    put_measured(out, report, style);
    put_evidence(out, report);
}

/* ---- One access on many architectures ---- */

static bool same_behaviour(const smp_prediction *a, const smp_prediction *b) {
    const smp_totals x = smp_totals_of_one(a), y = smp_totals_of_one(b);
    return smp_totals_alike(&x, &y) && a->arch.banks == b->arch.banks &&
           a->counts.note == b->counts.note;
}

/* Writes "Maxwell - Ada", with the bank mode where a family has two modes. The 8-byte mode follows
 * the 4-byte mode in the table. */
static int name_families(const smp_prediction *first, const smp_prediction *last, char *text,
                         size_t size) {
    bool is_one = strcmp(first->arch.family, last->arch.family) == 0;
    bool lacks_4 = first->arch.bank_bytes == 8;
    bool lacks_8 = last->arch.bank_bytes == 4 && last->arch.bank_bytes_alt == 8;
    return snprintf(text, size, "%s%s%s%s%s", first->arch.family, lacks_4 ? ", 8-byte banks" : "",
                    is_one ? "" : " - ", is_one ? "" : last->arch.family,
                    lacks_8 ? ", 4-byte banks" : "");
}

static void put_table_row(FILE *out, const smp_prediction *first, const smp_prediction *last,
                          int width) {
    const smp_counts *c = &first->counts;
    bool waves = c->valid & SMP_HAS_WAVEFRONTS, moved = c->valid & SMP_HAS_TRANSACTIONS;
    bool has_evidence = first->status == SMP_OK || first->status == SMP_E_NOT_MODELLED ||
                        first->status == SMP_E_OP_UNAVAILABLE;
    char range[32], families[64];
    text_buffer ccs = TEXT_BUFFER(range);
    text_add(&ccs, "%u.%u", first->arch.cc_major, first->arch.cc_minor);
    (void)name_families(first, last, families, sizeof families);
    if (first != last)
        text_add(&ccs, " - %u.%u", last->arch.cc_major, last->arch.cc_minor);
    fprintf(out, "%-11s %-*s", range, width, families);
    put_range(out, 6, waves, c->wavefronts_min, c->wavefronts_max);
    put_range(out, 5, waves, c->ways, c->ways);
    put_range(out, 6, waves, c->ideal, c->ideal);
    put_range(out, 10, moved, c->transactions, c->transactions);
    put_range(out, 6, moved, c->bytes, c->bytes);
    fprintf(out, "  %s\n",
            has_evidence ? smp_evidence_name(c->evidence) : smp_status_message(first->status));
}

/* Returns the end of the reports that share a row with `first`. */
static size_t end_of_row(const smp_prediction *reports, size_t count, size_t first) {
    size_t next = first + 1;
    while (next < count && same_behaviour(&reports[first], &reports[next]))
        next++;
    return next;
}

static void put_table(FILE *out, const smp_prediction *reports, size_t count) {
    char words[160], families[64];
    int width = 20;
    (void)smp_prediction_words(&reports[0], words, sizeof words);
    for (size_t first = 0, next; first < count; first = next) {
        next = end_of_row(reports, count, first);
        int length = name_families(&reports[first], &reports[next - 1], families, sizeof families);
        width = length > width ? length : width;
    }
    fprintf(out, "%s: %s\n\n", smp_ops(NULL)[reports[0].access.op].name, words);
    fprintf(out, "%-11s %-*s%6s%5s%6s%10s%6s  %s\n", "CC", width, "generation", "waves", "ways",
            "ideal", "transact.", "bytes", "evidence");
    for (size_t first = 0, next; first < count; first = next) {
        next = end_of_row(reports, count, first);
        put_table_row(out, &reports[first], &reports[next - 1], width);
    }
}

void smp_prediction_text(FILE *out, const smp_prediction *reports, size_t count, smp_style style) {
    if (count == 1)
        put_one(out, reports, style);
    else
        put_table(out, reports, count);
}

/* ---- Measurements ---- */

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
