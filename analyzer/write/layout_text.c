/* SPDX-License-Identifier: MIT */
/*
 * The report of a layout as text: for each access its cost over the whole block and the reason,
 * then the bank map of the worst request.
 */
#include <string.h>

#include "put.h"
#include "text_buffer.h"
#include "write_format.h"

#define MAP_ROWS 8u

/* Adds the ideal if transactions are sectors, as the totals do. */
static void put_moved(FILE *out, const smp_totals *totals, const smp_arch *arch, smp_style style) {
    bool is_sectors = arch->global_rule == SMP_GLOBAL_SECTORS;
    bool is_copy = totals->valid & SMP_HAS_WAVEFRONTS;
    bool is_ideal = totals->transactions == totals->ideal_sectors;
    if (!is_sectors || is_copy) {
        fprintf(out, "  %s %s%s, %s bytes moved\n", count_text(totals->transactions),
                smp_moved_word(arch), plural(totals->transactions), count_text(totals->bytes));
        return;
    }
    char text[200];
    (void)snprintf(text, sizeof text, "%s %s%s, ideal %s, excess %s; %s bytes moved",
                   count_text(totals->transactions), smp_moved_word(arch),
                   plural(totals->transactions), count_text(totals->ideal_sectors),
                   count_text(totals->transactions - totals->ideal_sectors),
                   count_text(totals->bytes));
    smp_painted_put(out, style, is_ideal, is_ideal ? "coalesced" : "not coalesced", text);
}

static void put_cost(FILE *out, const smp_totals *totals, const smp_arch *arch, smp_style style) {
    if (totals->status != SMP_OK) {
        fprintf(out, "  %snot modelled%s\n", smp_paint(style, "\033[1;33m"),
                smp_paint(style, "\033[0m"));
        return;
    }
    if (totals->valid & SMP_HAS_WAVEFRONTS)
        smp_conflict_put(out, style, totals);
    if (totals->valid & SMP_HAS_TRANSACTIONS)
        put_moved(out, totals, arch, style);
    if (totals->evidence == SMP_ASSUMED)
        fputs("  (assumed: carried over from a neighbouring generation)\n", out);
}

/* Writes the number of requests and the place of the worst one. */
static void put_requests(FILE *out, const smp_layout_prediction *report, size_t index,
                         uint64_t requests) {
    const smp_totals *totals = &report->totals[index];
    smp_layout_access access;
    char where[200];
    smp_layout_access_at(report->layout, index, &access);
    smp_request_place_format(report->layout, &totals->worst_place, where, sizeof where);
    fprintf(out, "  %s request%s of %u warp%s", count_text(requests), plural(requests),
            totals->active_warps, plural(totals->active_warps));
    if (access.parts > 1)
        fprintf(out, ", %u instructions of %u bytes each time", access.parts, access.width_bytes);
    if (totals->active_warps > 1)
        fprintf(out, totals->warps_alike ? ", all alike" : ", of different shapes");
    if (requests > 1)
        fprintf(out, "; worst: %s", where);
    fputc('\n', out);
}

/* Writes the measured cost of the worst request. */
static void put_measured(FILE *out, const smp_layout_prediction *report, size_t index) {
    char count[96];
    smp_prediction worst;
    if (report->totals[index].status != SMP_OK)
        return;
    smp_layout_prediction_worst(report, index, &worst);
    const smp_measured *measured = &worst.measured;
    if (measured->origin == SMP_NOT_MEASURED)
        return;
    bool waves = worst.counts.valid & SMP_HAS_WAVEFRONTS;
    (void)smp_measured_words(measured, count, sizeof count);
    put_wrapped(out, "  measured   ", "%s: %s %s%s, %s (%s on %s, driver %s%s%s)",
                report->totals[index].requests > 1 ? "worst request" : "this request", count,
                waves ? "wavefront" : smp_moved_word(&report->arch), plural(measured->count),
                smp_prediction_differs(&worst) ? "NOT AS PREDICTED" : "as predicted",
                measured->origin == SMP_LIVE ? "now" : "recorded", measured->device,
                measured->driver, measured->date[0] ? ", " : "", measured->date);
}

/* Writes the range of costs of a request that depends on data. */
static void put_spread(FILE *out, const smp_totals *totals) {
    char draws[80] = "";
    double mean, deviation;
    const smp_request_spread *spread = &totals->spread;
    if (!smp_layout_spread(totals, &mean, &deviation))
        return;
    if (spread->draws > 1)
        (void)snprintf(draws, sizeof draws, "; figures are the mean of %u draws of the random data",
                       spread->draws);
    if (spread->least == spread->most && spread->draws <= 1)
        return;
    put_wrapped(out, "  data       ",
                "%.2f %s per request on average, standard deviation %.2f, %u to %u%s", mean,
                totals->valid & SMP_HAS_WAVEFRONTS ? "wavefronts" : "transactions", deviation,
                spread->least, spread->most, draws);
}

static void put_access(FILE *out, const smp_layout_prediction *report, size_t index,
                       smp_style style) {
    const smp_totals *totals = &report->totals[index];
    smp_layout_access access;
    smp_prediction worst;
    char why[1024];
    smp_layout_access_at(report->layout, index, &access);
    if (report->file)
        put_visible(out, "%s:%u: ", report->file, access.line);
    fprintf(out, "%s%s%s%.*s%s\n", smp_paint(style, "\033[1m"),
            access.is_implied ? smp_ops(NULL)[access.op].name : "", access.is_implied ? " " : "",
            (int)access.length, access.text, smp_paint(style, "\033[0m"));
    const smp_totals launch = smp_totals_of_launch(totals);
    put_cost(out, &launch, &report->arch, style);
    put_requests(out, report, index, launch.requests);
    put_spread(out, totals);
    smp_layout_prediction_worst(report, index, &worst);
    if (totals->note)
        smp_wrapped_print(out, "  why        ", totals->note);
    else if (smp_prediction_why(&worst, why, sizeof why) > 0)
        smp_wrapped_print(out, "  why        ", why);
    put_measured(out, report, index);
    fputc('\n', out);
}

/* Finds the access whose map to show: the first with the most ways. */
static size_t find_worst(const smp_layout_prediction *report) {
    size_t worst = 0;
    for (size_t i = 1; i < report->count; i++) {
        const smp_totals *a = &report->totals[i], *b = &report->totals[worst];
        bool gains_map = (b->valid & SMP_HAS_WAVEFRONTS) == 0 && (a->valid & SMP_HAS_WAVEFRONTS);
        if (gains_map || a->ways > b->ways)
            worst = i;
    }
    return worst;
}

static void put_map(FILE *out, const smp_layout_prediction *report, size_t index, smp_style style,
                    unsigned rows) {
    const smp_totals *totals = &report->totals[index];
    smp_layout_access access;
    smp_prediction worst;
    char where[200];
    if (totals->status != SMP_OK || totals->worst_counts.group_count == 0 ||
        (totals->valid & SMP_HAS_WAVEFRONTS) == 0)
        return;
    smp_layout_access_at(report->layout, index, &access);
    smp_request_place_format(report->layout, &totals->worst_place, where, sizeof where);
    smp_layout_prediction_worst(report, index, &worst);
    put_wrapped(out, "", "banks of '%.*s' in %s:", TEXT_CUT(access.text, access.length, 380),
                where);
    smp_bankmap_print(out, &worst, style, rows);
}

static void put_title(FILE *out, const smp_layout_prediction *report) {
    uint32_t block[3];
    smp_layout_block(report->layout, block);
    uint32_t warps = (block[0] * block[1] * block[2] + SMP_LANES - 1) / SMP_LANES;
    fprintf(out, "%s (%s%s), block %ux%u", report->arch.name, report->arch.family,
            report->arch.bank_bytes == 8 ? ", 8-byte banks" : "", block[0], block[1]);
    if (block[2] > 1)
        fprintf(out, "x%u", block[2]);
    fprintf(out, " = %u warp%s, %s bytes of shared memory\n\n", warps, plural(warps),
            count_text(smp_layout_shared_bytes(report->layout)));
}

/* With `explains`, writes the whole bank map of each access and the maps of the arrays. */
static void put_one(FILE *out, const smp_layout_prediction *report, smp_style style,
                    bool explains) {
    put_title(out, report);
    for (size_t i = 0; i < report->count; i++) {
        put_access(out, report, i, style);
        if (!explains)
            continue;
        put_map(out, report, i, style, UINT32_MAX);
        fputc('\n', out);
    }
    if (explains)
        smp_array_map_print(out, report->layout, &report->arch);
    else
        put_map(out, report, find_worst(report), style, MAP_ROWS);
}

/* ---- The same on several architectures ---- */

static void put_table_row(FILE *out, const smp_layout_prediction *first,
                          const smp_layout_prediction *last, size_t index) {
    const smp_totals *t = &first->totals[index];
    bool waves = t->valid & SMP_HAS_WAVEFRONTS, moved = t->valid & SMP_HAS_TRANSACTIONS;
    char range[48], families[48];
    text_buffer names = TEXT_BUFFER(range);
    text_add(&names, "%s", first->arch.name);
    if (first != last)
        text_add(&names, " - %s", last->arch.name);
    bool mixed = strcmp(first->arch.family, last->arch.family) != 0;
    (void)snprintf(families, sizeof families, "%s%s%s", first->arch.family, mixed ? " - " : "",
                   mixed ? last->arch.family : "");
    fprintf(out, "  %-15s %-17s", range, families);
    put_range(out, 5, waves, t->ways, t->ways);
    put_range(out, 11, waves, t->wavefronts_min, t->wavefronts_max);
    put_range(out, 7, waves, t->ideal, t->ideal);
    put_range(out, 9, moved, t->transactions, t->transactions);
    fprintf(out, " %s\n", smp_evidence_name(t->evidence));
}

/* Writes a table for each access; architectures with equal figures share a row. */
static void put_table(FILE *out, const smp_layout_prediction *reports, size_t count) {
    for (size_t i = 0; count > 0 && i < reports[0].count; i++) {
        smp_layout_access access;
        smp_layout_access_at(reports[0].layout, i, &access);
        fprintf(out, "%s%.*s\n  %-33s%5s%11s%7s%9s %s\n", i > 0 ? "\n" : "", (int)access.length,
                access.text, "", "ways", "wavefronts", "ideal", "transact", "evidence");
        for (size_t first = 0; first < count;) {
            size_t next = first + 1;
            while (next < count &&
                   smp_totals_alike(&reports[first].totals[i], &reports[next].totals[i]))
                next++;
            put_table_row(out, &reports[first], &reports[next - 1], i);
            first = next;
        }
    }
}

void smp_layout_text(FILE *out, const smp_layout_prediction *reports, size_t count,
                     const smp_layout_show *show) {
    if (!show->is_table)
        put_one(out, &reports[0], show->style, show->explains);
    if (!show->is_table && count > 1)
        fputs("\nOn all architectures of the file:\n", out);
    if (show->is_table || count > 1)
        put_table(out, reports, count);
}
