/* SPDX-License-Identifier: MIT */
/*
 * compare_text.c: a comparison as tables and in words.
 */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "compare.h"
#include "layout_report.h"

static bool any_measured(const comparison *c) {
    for (size_t i = 0; i < c->count; i++)
        if (c->rows[i].source != SMP_NOT_MEASURED)
            return true;
    return false;
}

/* ---- Memory ---------------------------------------------------------------------------- */

static void put_counted(FILE *out, const compare_row *row, uint64_t value) {
    if (row->measured.is_counted)
        fprintf(out, " %14" PRIu64, value);
    else
        fprintf(out, " %14s", "-");
}

static void put_memory_row(FILE *out, const compare_row *row) {
    const smp_forecast *f = &row->forecast;
    char ways[16] = "-", ratio[16] = "-";
    if (f->ways > 0)
        (void)snprintf(ways, sizeof ways, "%u", f->ways);
    if (f->ideal_sectors > 0)
        (void)snprintf(ratio, sizeof ratio, "%.2f", (double)f->sectors / (double)f->ideal_sectors);
    fprintf(out, "%-14s %4s %14" PRIu64, row->variant->name, ways, f->wavefronts);
    put_counted(out, row, compare_counted_wavefronts(row));
    fprintf(out, " %12" PRIu64 " %14" PRIu64, f->excess, f->sectors);
    put_counted(out, row, compare_counted_sectors(row));
    fprintf(out, " %6s\n", ratio);
}

static void put_memory(FILE *out, const comparison *c) {
    fprintf(out, "%-14s %4s %14s %14s %12s %14s %14s %6s\n", "", "", "shared memory", "", "",
            "global memory", "", "times");
    fprintf(out, "%-14s %4s %14s %14s %12s %14s %14s %6s\n", "variant", "ways", "wavefronts",
            "measured", "excess", "sectors", "measured", "ideal");
    for (size_t i = 0; i < c->count; i++)
        put_memory_row(out, &c->rows[i]);
}

/* ---- Sites ----------------------------------------------------------------------------- */

static void describe_site(const smp_site *site, char *text, size_t size) {
    if (smp_ops(NULL)[site->op].space == SMP_SPACE_SHARED)
        (void)snprintf(text, size, "%s %u-way", site->name, site->ways);
    else
        (void)snprintf(text, size, "%s %.3g of %.3g", site->name,
                       (double)site->sectors / (double)site->requests,
                       (double)site->ideal_sectors / (double)site->requests);
}

static void put_sites(FILE *out, const comparison *c) {
    fputs("\nway by way (global and cluster memory: sectors a request, of how many at best)\n",
          out);
    for (size_t i = 0; i < c->count; i++) {
        const smp_forecast *f = &c->rows[i].forecast;
        int column = fprintf(out, "%-14s ", c->rows[i].variant->name);
        for (size_t s = 0; s < f->site_count; s++) {
            char text[80];
            describe_site(&f->sites[s], text, sizeof text);
            if (s > 0 && column + 2 + (int)strlen(text) > 99)
                column = fprintf(out, ",\n%-14s ", "") - 2;
            else if (s > 0)
                column += fprintf(out, ", ");
            column += fprintf(out, "%s", text);
        }
        fprintf(out, "%s\n",
                f->site_count                ? ""
                : c->rows[i].variant->launch ? "none"
                                             : "runs on the host");
    }
}

/* ---- Time ------------------------------------------------------------------------------ */

static void put_time_row(FILE *out, const comparison *c, const compare_row *row) {
    const smp_kernel_result *m = &row->measured;
    fprintf(out, "%-14s", row->variant->name);
    if (row->source == SMP_NOT_MEASURED) {
        fprintf(out, "  not measured: %.80s\n", row->why);
        return;
    }
    fprintf(out, " %10.1f %7.1f %7.0f", m->time_us, m->time_spread_us, compare_gb_per_s(c, row));
    if (m->baseline_us > 0)
        fprintf(out, " %6.1f%%", 100.0 * m->baseline_us / m->time_us);
    else
        fprintf(out, " %7s", "-");
    if (m->residency.blocks > 0)
        fprintf(out, " %7d %7d %9u %9u", m->residency.blocks, m->residency.registers,
                m->residency.threads, m->residency.shared_bytes);
    else
        fprintf(out, " %7s %7s %9s %9s", "-", "-", "-", "-");
    if (m->copies_us > 0)
        fprintf(out, " %12.1f", m->copies_us);
    fputc('\n', out);
}

static void put_time(FILE *out, const comparison *c) {
    fprintf(out, "\n%-14s %10s %7s %7s %7s %7s %7s %9s %9s%s\n", "variant", "us", "+-", "GB/s",
            "share", "blocks", "regs", "threads", "shared",
            c->family->times_copies ? "  with copies" : "");
    for (size_t i = 0; i < c->count; i++)
        put_time_row(out, c, &c->rows[i]);
    fprintf(
        out,
        "share: of the speed of the %s, in the same run. blocks: at once on a multiprocessor.\n",
        c->family->baseline_name);
}

/* ---- Words ----------------------------------------------------------------------------- */

/* The site of `base` where `better` saves most wavefronts a request, if there is one. */
static const smp_site *most_saved(const smp_forecast *base, const smp_forecast *better,
                                  const smp_site **there) {
    const smp_site *best = NULL;
    for (size_t i = 0; i < base->site_count; i++)
        for (size_t k = 0; k < better->site_count; k++) {
            const smp_site *a = &base->sites[i], *b = &better->sites[k];
            bool same = strcmp(a->name, b->name) == 0 && a->op == b->op && a->ways > b->ways;
            if (same && (!best || a->excess > best->excess)) {
                best = a;
                *there = b;
            }
        }
    return best;
}

static size_t say_traffic(const smp_forecast *base, const smp_forecast *better, char *text,
                          size_t size) {
    const smp_site *there = NULL, *site = most_saved(base, better, &there);
    if (site && better->wavefronts < base->wavefronts) {
        const double before = (double)site->wavefronts / (double)site->requests;
        const double after = (double)there->wavefronts / (double)there->requests;
        return (size_t)snprintf(text, size, "removes %.3g of %.3g wavefronts a %s", before - after,
                                before, site->name);
    }
    if (better->sectors < base->sectors)
        return (size_t)snprintf(text, size, "removes %.0f%% of the sectors",
                                100.0 * (double)(base->sectors - better->sectors) /
                                    (double)base->sectors);
    if (better->wavefronts < base->wavefronts)
        return (size_t)snprintf(text, size, "removes %.0f%% of the wavefronts",
                                100.0 * (double)(base->wavefronts - better->wavefronts) /
                                    (double)base->wavefronts);
    if (better->wavefronts == base->wavefronts && better->sectors == base->sectors)
        return (size_t)snprintf(text, size, "asks the same of memory");
    return (size_t)snprintf(
        text, size, "asks more of memory (%+.0f%% wavefronts, %+.0f%% sectors)",
        base->wavefronts ? 100.0 * ((double)better->wavefronts / (double)base->wavefronts - 1)
                         : 0.0,
        base->sectors ? 100.0 * ((double)better->sectors / (double)base->sectors - 1) : 0.0);
}

static void put_claim(FILE *out, const comparison *c, const smp_kernel_claim *claim) {
    const compare_row *base = compare_find(c, claim->base);
    const compare_row *better = compare_find(c, claim->better);
    char text[512];
    if (!base || !better)
        return;
    size_t length = (size_t)snprintf(text, sizeof text, "%s ", claim->what);
    length += say_traffic(&base->forecast, &better->forecast, text + length, sizeof text - length);
    if (base->measured.is_timed && better->measured.is_timed) {
        const double ratio = base->measured.time_us / better->measured.time_us;
        if (ratio >= 1.005)
            length += (size_t)snprintf(text + length, sizeof text - length,
                                       " and is %.*f times faster", ratio < 10 ? 2 : 0, ratio);
        else if (ratio <= 0.995)
            length += (size_t)snprintf(text + length, sizeof text - length,
                                       ", yet is %.2f times slower", 1 / ratio);
        else
            length += (size_t)snprintf(text + length, sizeof text - length,
                                       " and is as fast, within 0.5 %%");
    }
    (void)snprintf(text + length, sizeof text - length, " (%s, after %s).", claim->better,
                   claim->base);
    smp_wrapped_print(out, "  ", text);
}

static const compare_row *quickest(const comparison *c) {
    const compare_row *best = NULL;
    for (size_t i = 0; i < c->count; i++) {
        const compare_row *row = &c->rows[i];
        if (row->measured.is_timed && (!best || row->measured.time_us < best->measured.time_us))
            best = row;
    }
    return best;
}

/* What is left to gain. */
static void put_rest(FILE *out, const comparison *c) {
    const compare_row *best = quickest(c);
    char text[512];
    if (!best || best->measured.baseline_us <= 0)
        return;
    const smp_forecast *f = &best->forecast;
    size_t length = (size_t)snprintf(
        text, sizeof text, "what remains: %s runs at %.1f %% of the %s", best->variant->name,
        100 * best->measured.baseline_us / best->measured.time_us, c->family->baseline_name);
    if (f->excess > 0)
        length += (size_t)snprintf(text + length, sizeof text - length,
                                   "; %.0f %% of its wavefronts are excess",
                                   100 * (double)f->excess / (double)f->wavefronts);
    else if (f->wavefronts > 0)
        length +=
            (size_t)snprintf(text + length, sizeof text - length, "; no wavefront of it is excess");
    if (f->ideal_sectors > 0)
        length += (size_t)snprintf(text + length, sizeof text - length,
                                   ", and it moves %.2f times the sectors that it needs",
                                   (double)f->sectors / (double)f->ideal_sectors);
    (void)snprintf(text + length, sizeof text - length, ".");
    smp_wrapped_print(out, "  ", text);
}

/* Whether what was counted is what was predicted, and why not. */
static void put_agreement(FILE *out, const comparison *c) {
    size_t counted = 0, exact = 0;
    for (size_t i = 0; i < c->count; i++) {
        const compare_row *row = &c->rows[i];
        if (!row->measured.is_counted)
            continue;
        counted++;
        exact += compare_is_exact(row);
        if (row->forecast.status == SMP_E_NOT_MODELLED)
            fprintf(out, "%s: not predicted: %s\n", row->variant->name, row->forecast.why);
        else if (!compare_is_exact(row) && row->variant->not_predicted)
            fprintf(out, "%s: %s\n", row->variant->name, row->variant->not_predicted);
    }
    if (counted > 0)
        fprintf(out, "\nresults checked; all counters as predicted in %zu of %zu variants\n", exact,
                counted);
}

void compare_put_text(FILE *out, const comparison *c) {
    char problem[SMP_CASE_TEXT_MAX];
    fprintf(out, "%s of %s, whole launch on %s\n%s\n\n", c->family->name,
            smp_kernel_case_format(&c->problem, c->family->is_matrix, problem), c->arch->name,
            c->provenance);
    put_memory(out, c);
    put_sites(out, c);
    if (any_measured(c))
        put_time(out, c);
    put_agreement(out, c);
    fputc('\n', out);
    for (size_t i = 0; i < c->family->claim_count; i++)
        put_claim(out, c, &c->family->claims[i]);
    put_rest(out, c);
}
