/* SPDX-License-Identifier: MIT */
/* A comparison as tables and in words. */
#include <string.h>

#include "put.h"
#include "style.h"
#include "text_buffer.h"
#include "write_format.h"

/* ---- Memory ---- */

/* Writes a number, or "-" if it is unknown. */
static void put_number(FILE *out, int width, int digits, bool is_known, double value) {
    if (is_known && digits == 0)
        fprintf(out, " %*s", width, count_text((uint64_t)(value + 0.5)));
    else if (is_known)
        fprintf(out, " %*.*f", width, digits, value);
    else
        fprintf(out, " %*s", width, "-");
}

static void put_memory_row(FILE *out, const compare_row *row) {
    const smp_forecast *f = &row->forecast;
    const bool is_counted = row->measured.is_counted;
    const double sectors = (double)f->global.transactions, ideal = (double)f->global.ideal_sectors;
    fprintf(out, "%-13s", row->variant->name);
    put_number(out, 4, 0, f->shared.ways > 0, f->shared.ways);
    put_number(out, 10, 0, true, (double)f->shared.wavefronts_max);
    put_number(out, 10, 0, is_counted, (double)compare_counted_wavefronts(row));
    put_number(out, 10, 0, true, (double)f->shared.excess);
    put_number(out, 10, 0, true, sectors);
    put_number(out, 10, 0, is_counted, (double)compare_counted_sectors(row));
    put_number(out, 5, 2, ideal > 0, sectors / ideal);
    fputc('\n', out);
}

static void put_memory(FILE *out, const comparison *c) {
    fprintf(out, "%-13s %4s %21s %10s %21s %5s\n", "", "", "shared memory", "", "global memory",
            "times");
    fprintf(out, "%-13s %4s %10s %10s %10s %10s %10s %5s\n", "variant", "ways", "wavefronts",
            "measured", "excess", "sectors", "measured", "ideal");
    for (size_t i = 0; i < c->count; i++)
        put_memory_row(out, &c->rows[i]);
}

/* ---- Sites ---- */

/* Sets `verb` to "ld" or "st" if a load and a store share a name, else to "". */
static void verb_of(const smp_forecast *forecast, const smp_site *site, char verb[16]) {
    const char *name = smp_ops(NULL)[site->op].name;
    verb[0] = '\0';
    for (size_t i = 0; i < forecast->site_count; i++)
        if (&forecast->sites[i] != site && strcmp(forecast->sites[i].name, site->name) == 0)
            (void)snprintf(verb, 16, " %.*s", (int)strcspn(name, "."), name);
}

static void describe_site(const smp_forecast *forecast, const smp_site *site, char *text,
                          size_t size) {
    char verb[16];
    verb_of(forecast, site, verb);
    if (smp_ops(NULL)[site->op].space == SMP_SPACE_SHARED)
        (void)snprintf(text, size, "%s%s %u-way", site->name, verb, site->sum.ways);
    else
        (void)snprintf(text, size, "%s%s %.3g of %.3g", site->name, verb,
                       (double)site->sum.transactions / (double)site->sum.requests,
                       (double)site->sum.ideal_sectors / (double)site->sum.requests);
}

static void put_sites(FILE *out, const comparison *c) {
    const int columns = smp_columns(out);
    fputs("\nby site (global and cluster memory: sectors per request, actual of ideal)\n", out);
    for (size_t i = 0; i < c->count; i++) {
        const smp_forecast *f = &c->rows[i].forecast;
        int column = fprintf(out, "%-13s ", c->rows[i].variant->name);
        for (size_t s = 0; s < f->site_count; s++) {
            char text[80];
            describe_site(f, &f->sites[s], text, sizeof text);
            if (s > 0 && column + 2 + (int)strlen(text) >= columns)
                column = fprintf(out, ",\n%-13s ", "") - 2;
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

/* ---- Time ---- */

/* Resources of a block: from the runtime if it was asked, else from the variant's row. */
static smp_residency block_of(const comparison *c, const compare_row *row) {
    if (row->measured.residency.blocks > 0)
        return row->measured.residency;
    const smp_kernel_shape shape = smp_kernel_shape_of(row->variant, &c->problem);
    return (smp_residency){.threads = shape.threads, .shared_bytes = shape.shared_bytes};
}

uint32_t compare_predicted_blocks(const comparison *c, const compare_row *row) {
    const smp_residency block = block_of(c, row);
    if (block.threads == 0)
        return 0;
    return smp_resident_blocks(c->arch, block.threads, block.shared_bytes,
                               (uint32_t)block.registers);
}

static void put_time_row(FILE *out, const comparison *c, const compare_row *row) {
    const smp_kernel_result *m = &row->measured;
    const smp_residency block = block_of(c, row);
    fprintf(out, "%-13s", row->variant->name);
    put_number(out, 7, 1, m->is_timed, m->time_us);
    put_number(out, 6, 1, m->is_timed, m->time_spread_us);
    put_number(out, 6, 0, m->is_timed, compare_gb_per_s(c, row));
    put_number(out, 5, 1, m->baseline_us > 0, 100.0 * m->baseline_us / m->time_us);
    put_number(out, 7, 0, block.threads > 0, block.threads);
    put_number(out, 6, 0, block.threads > 0, block.shared_bytes);
    put_number(out, 4, 0, block.registers > 0, block.registers);
    put_number(out, 7, 0, block.threads > 0, compare_predicted_blocks(c, row));
    put_number(out, 8, 0, block.blocks > 0, block.blocks);
    fputc('\n', out);
}

static void put_copies(FILE *out, const comparison *c) {
    char text[600];
    text_buffer list = TEXT_BUFFER(text);
    for (size_t i = 0; i < c->count; i++)
        if (c->rows[i].measured.copies_us > 0)
            text_join(&list, ", ", "%s %.0f", c->rows[i].variant->name,
                      c->rows[i].measured.copies_us);
    if (list.length > 0)
        smp_wrapped_print(out, "us with copies: ", text);
}

/* Writes the time that each variant's conflicts cost, where its timing shows that. */
static void put_gains(FILE *out, const comparison *c) {
    char text[1200];
    text_buffer list = TEXT_BUFFER(text);
    for (size_t i = 0; i < c->count; i++) {
        const smp_gain gain = compare_gain(c, &c->rows[i]);
        if (gain.most_us >= 0.05)
            text_join(&list, ", ", "%s %.1f us of %.1f (about %.1f)", c->rows[i].variant->name,
                      gain.most_us, c->rows[i].measured.time_us, gain.about_us);
    }
    if (list.length > 0)
        smp_wrapped_print(out, "removing all conflicts saves at most: ", text);
}

static void put_time(FILE *out, const comparison *c) {
    fprintf(out, "\n%-13s %7s %6s %6s %5s %7s %6s %4s %7s\n", "", "", "", "", "", "", "shared", "",
            "blocks");
    fprintf(out, "%-13s %7s %6s %6s %5s %7s %6s %4s %7s %8s\n", "variant", "us", "+-", "GB/s", "%",
            "threads", "bytes", "regs", "at once", "measured");
    for (size_t i = 0; i < c->count; i++)
        put_time_row(out, c, &c->rows[i]);
    if (c->family->times_copies)
        put_copies(out, c);
    put_gains(out, c);
    put_wrapped(out, "", "%%: speed relative to %s%s in the same run; at once: per multiprocessor",
                c->family->baseline ? "" : "a ", c->family->baseline_name);
}

/* ---- Words ---- */

/* Returns the site where `better` saves the most wavefronts per request over `base`; NULL if it
 * saves none. */
static const smp_site *most_saved(const smp_forecast *base, const smp_forecast *better,
                                  const smp_site **there) {
    const smp_site *best = NULL;
    for (size_t i = 0; i < base->site_count; i++)
        for (size_t k = 0; k < better->site_count; k++) {
            const smp_site *a = &base->sites[i], *b = &better->sites[k];
            bool same =
                strcmp(a->name, b->name) == 0 && a->op == b->op && a->sum.ways > b->sum.ways;
            if (same && (!best || a->sum.excess > best->sum.excess)) {
                best = a;
                *there = b;
            }
        }
    return best;
}

/* Formats how much larger b is than a. */
static void say_more(uint64_t a, uint64_t b, const char *what, char text[64]) {
    if (a == 0)
        (void)snprintf(text, 64, "%s %s, not 0", count_text(b), what);
    else
        (void)snprintf(text, 64, "%+.0f%% %s", 100.0 * ((double)b / (double)a - 1), what);
}

/* The share of `base` that `better` saves, from 0 to 1. */
static double saved(uint64_t base, uint64_t better) {
    return better < base ? (double)(base - better) / (double)base : 0;
}

/* Returns true if `better` moves more memory than `base`. */
static bool say_traffic(text_buffer *out, const smp_forecast *base, const smp_forecast *better) {
    const smp_site *there = NULL, *site = most_saved(base, better, &there);
    const double saved_wavefronts =
        saved(base->shared.wavefronts_max, better->shared.wavefronts_max);
    const double saved_sectors = saved(base->global.transactions, better->global.transactions);
    char wavefronts[64], sectors[64];
    if (site && saved_wavefronts > 0) {
        const double before = (double)site->sum.wavefronts_max / (double)site->sum.requests;
        const double after = (double)there->sum.wavefronts_max / (double)there->sum.requests;
        text_add(out, "removes %.3g of %.3g wavefronts of each %s", before - after, before,
                 site->name);
        return false;
    }
    const bool is_same = better->shared.wavefronts_max == base->shared.wavefronts_max &&
                         better->global.transactions == base->global.transactions;
    if (saved_wavefronts > saved_sectors)
        text_add(out, "removes %.0f%% of the wavefronts", 100 * saved_wavefronts);
    else if (saved_sectors > 0)
        text_add(out, "removes %.0f%% of the sectors", 100 * saved_sectors);
    else if (is_same)
        text_add(out, "moves as much memory");
    if (saved_wavefronts > saved_sectors || saved_sectors > 0 || is_same)
        return false;
    say_more(base->shared.wavefronts_max, better->shared.wavefronts_max, "wavefronts", wavefronts);
    say_more(base->global.transactions, better->global.transactions, "sectors", sectors);
    if (better->global.transactions == base->global.transactions)
        text_add(out, "moves more memory (%s)", wavefronts);
    else if (better->shared.wavefronts_max == base->shared.wavefronts_max)
        text_add(out, "moves more memory (%s)", sectors);
    else
        text_add(out, "moves more memory (%s, %s)", wavefronts, sectors);
    return true;
}

/* Sectors that blocks read from each other's shared memory. */
static uint64_t remote_sectors(const smp_forecast *f) {
    const uint64_t *count = f->traffic.count;
    return count[SMP_CLUSTER_LD] + count[SMP_CLUSTER_ST] + count[SMP_CLUSTER_ATOM];
}

/* Adds what a cluster costs a base without one; `is_more`: it also moves more global memory. */
static void say_remote(text_buffer *out, const smp_forecast *base, const smp_forecast *better,
                       bool is_more) {
    const uint64_t before = remote_sectors(base), after = remote_sectors(better);
    if (after > before)
        text_add(out, "%s %s sectors between blocks%s", is_more ? ", with" : " at the price of",
                 count_text(after - before), is_more ? "," : "");
}

/* Adds what the clock says; `is_more`: the variant moves more memory. */
static void say_time(text_buffer *out, const compare_row *base, const compare_row *better,
                     bool is_more) {
    const double ratio = base->measured.time_us / better->measured.time_us;
    if (ratio >= 1.005)
        text_add(out, "%s is %.*f times faster", is_more ? ", yet" : " and", ratio < 10 ? 2 : 0,
                 ratio);
    else if (ratio <= 0.995)
        text_add(out, "%s is %.2f times slower", is_more ? " and" : ", yet", 1 / ratio);
    else
        text_add(out, "%s is as fast, within 0.5 %%", is_more ? ", yet" : " and");
}

static void put_claim(FILE *out, const comparison *c, const smp_kernel_claim *claim) {
    const compare_row *base = compare_find(c, claim->base);
    const compare_row *better = compare_find(c, claim->better);
    char text[512];
    if (!base || !better)
        return;
    text_buffer said = TEXT_BUFFER(text);
    text_add(&said, "%s ", claim->what);
    const bool is_more = say_traffic(&said, &base->forecast, &better->forecast);
    say_remote(&said, &base->forecast, &better->forecast, is_more);
    if (base->measured.is_timed && better->measured.is_timed)
        say_time(&said, base, better, is_more);
    const uint32_t before = compare_predicted_blocks(c, base);
    const uint32_t after = compare_predicted_blocks(c, better);
    if (before > 0 && after > 0 && before != after)
        text_add(&said, "; a multiprocessor holds %u block%s instead of %u", after, plural(after),
                 before);
    text_add(&said, " (%s, after %s).", claim->better, claim->base);
    smp_wrapped_print(out, "  ", text);
}

static const compare_row *quickest(const comparison *c) {
    const compare_row *best = NULL;
    EACH(const compare_row, row, c->rows, c->count)
        if (row->measured.is_timed && (!best || row->measured.time_us < best->measured.time_us))
            best = row;
    return best;
}

/* Writes the remaining gain. */
static void put_rest(FILE *out, const comparison *c) {
    const compare_row *best = quickest(c);
    char text[512];
    if (!best || best->measured.baseline_us <= 0)
        return;
    const smp_forecast *f = &best->forecast;
    text_buffer rest = TEXT_BUFFER(text);
    text_add(&rest, "what remains: %s runs at %.1f %% of the speed of %s%s", best->variant->name,
             100 * best->measured.baseline_us / best->measured.time_us,
             c->family->baseline ? "" : "a ", c->family->baseline_name);
    if (f->shared.excess > 0)
        text_add(&rest, "; %.0f %% of its wavefronts are excess",
                 100 * (double)f->shared.excess / (double)f->shared.wavefronts_max);
    else if (f->shared.wavefronts_max > 0)
        text_add(&rest, "; none of its wavefronts is excess");
    if (f->global.ideal_sectors > 0)
        text_add(&rest, ", and it moves %.2f times the sectors that it needs",
                 (double)f->global.transactions / (double)f->global.ideal_sectors);
    text_add(&rest, ".");
    smp_wrapped_print(out, "  ", text);
}

/* Writes each counter that differs from the prediction. */
static void put_differences(FILE *out, const compare_row *row) {
    for (int i = 0; i < SMP_TRAFFIC_COUNT; i++) {
        const uint64_t predicted = row->forecast.traffic.count[i];
        const uint64_t found = row->measured.counted.count[i];
        if (predicted != found)
            fprintf(out, "%s: %s: predicted %s, counted %s\n", row->variant->name,
                    smp_traffic_rows()[i].name, count_text(predicted), count_text(found));
    }
}

/* Returns why the counters of a row were inexact and may be; NULL otherwise. */
static const char *why_inexact(const comparison *c, const compare_row *row) {
    return row->measured.is_counted && !compare_is_exact(row)
               ? smp_kernel_not_predicted(row->variant, &c->problem)
               : NULL;
}

/* Writes the reason of row `first` once, with all rows that share it. */
static void put_inexact(FILE *out, const comparison *c, size_t first) {
    char text[600];
    text_buffer list = TEXT_BUFFER(text);
    const char *why = why_inexact(c, &c->rows[first]);
    for (size_t i = 0; i < first; i++)
        if (why_inexact(c, &c->rows[i]) == why)
            return;
    for (size_t i = first; i < c->count; i++)
        if (why_inexact(c, &c->rows[i]) == why)
            text_join(&list, ", ", "%s", c->rows[i].variant->name);
    text_add(&list, ": %s", why);
    smp_wrapped_print(out, "", text);
}

/* Writes whether the counters match the prediction, and if not, why. */
static void put_agreement(FILE *out, const comparison *c) {
    size_t timed = 0, all = 0, exact = 0;
    EACH(const compare_row, row, c->rows, c->count) {
        timed += row->measured.is_timed;
        all += row->measured.is_counted;
        exact += compare_is_exact(row);
    }
    if (all > 0)
        fprintf(out, "\nresults checked; all counters as predicted in %zu of %zu variants\n", exact,
                all);
    else if (timed > 0)
        fputs("\nresults checked; no counter was read\n", out);
    for (size_t i = 0; i < c->count; i++) {
        const compare_row *row = &c->rows[i];
        if (row->variant
                ->wrong) /* a deliberately wrong variant: what it found, or why it did not run */
            put_wrapped(out, "", "%s: %s%s%.200s", row->variant->name, row->measured.wrong,
                        row->measured.wrong[0] != '\0' ? ": " : "", row->variant->wrong);
        else if (row->forecast.status == SMP_E_NOT_MODELLED)
            put_wrapped(out, "", "%s: not predicted: %s", row->variant->name, row->forecast.why);
        else if (compare_differs(c, row))
            put_differences(out, row);
        else if (why_inexact(c, row))
            put_inexact(out, c, i);
    }
}

static void put_case(FILE *out, const comparison *c) {
    char problem[SMP_CASE_TEXT_MAX];
    fprintf(out, "%s of %s, whole launch on %s\n", c->family->name,
            smp_kernel_case_format(&c->problem, c->family->is_matrix, problem), c->arch->name);
    smp_wrapped_print(out, "", c->provenance);
    fputc('\n', out);
    put_memory(out, c);
    put_sites(out, c);
    put_time(out, c);
    put_agreement(out, c);
    fputc('\n', out);
    for (size_t i = 0; i < c->family->claim_count; i++)
        put_claim(out, c, &c->family->claims[i]);
    put_rest(out, c);
}

void smp_compare_text(FILE *out, const comparison *cases, size_t count) {
    for (size_t i = 0; i < count; i++) {
        fputs(i ? "\n" : "", out);
        put_case(out, &cases[i]);
    }
}
