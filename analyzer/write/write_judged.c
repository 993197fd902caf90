/* SPDX-License-Identifier: MIT */
/* Judged candidates: a line of JSON each, or a table of all, best first. */
#include "write_judged.h"

#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "json_text.h"
#include "profile_json.h"
#include "put.h"

static json_t *number_or_null(double value) {
    return isfinite(value) ? json_real(value) : json_null();
}

static json_t *first_json(const judged_results *of) {
    return !of->has_first
               ? json_null()
               : json_pack("{s:o, s:I, s:I, s:o, s:o}", "kernel", json_text_of(of->kernel),
                           "argument", (json_int_t)of->argument, "index", (json_int_t)of->index,
                           "is", number_or_null(of->is), "should", number_or_null(of->should));
}

static json_t *results_json(const judged *of) {
    const judged_results *found = &of->results;
    const bool is_compared = found->why_not[0] == '\0';
    return json_pack("{s:b, s:I, s:o, s:o, s:o, s:o, s:o}", "equal",
                     is_compared && found->differ == 0, "values", (json_int_t)found->values,
                     "differ", json_count(is_compared, found->differ), "unwritten",
                     json_count(is_compared, found->unwritten), "max_error",
                     is_compared ? number_or_null(found->max_error) : json_null(), "tolerance",
                     number_or_null(found->tolerance), "first", first_json(found));
}

static json_t *kernel_json(const judged_kernel *of) {
    return json_pack("{s:o, s:o, s:o, s:I, s:I, s:I, s:o, s:I}", "name", json_text_of(of->ran.name),
                     "launch", json_text_of(of->ran.launch), "assumed",
                     json_text_or_null(of->assumed[0] ? of->assumed : NULL), "registers",
                     (json_int_t)of->ran.registers, "shared_bytes",
                     (json_int_t)of->ran.shared_bytes, "local_bytes",
                     (json_int_t)of->ran.local_bytes, "resident_blocks",
                     json_count(of->ran.resident > 0, of->ran.resident), "instructions",
                     (json_int_t)of->instructions);
}

/* Figures of a candidate that did not run are null. */
static void set_figures(json_t *out, const judged *of) {
    const judged_figures *all = &of->figures;
    const smp_profile_sums *sums = &all->sums;
    const struct {
        const char *name;
        uint64_t value;
    } rows[] = {
        {"ways", sums->ways},
        {"wavefronts", sums->wavefronts},
        {"ideal", sums->ideal},
        {"excess", smp_sums_excess(sums)},
        {"sectors", sums->sectors},
        {"ideal_sectors", sums->ideal_sectors},
        {"requests", sums->requests},
        {"not_modelled", sums->not_modelled},
        {"registers", all->registers},
        {"shared_bytes", all->shared_bytes},
        {"local_bytes", all->local_bytes},
        {"instructions", all->instructions},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        json_set(out, rows[i].name, json_count(of->has_run, rows[i].value));
    json_set(out, "resident_blocks", json_count(of->has_run && all->resident > 0, all->resident));
    json_set(out, "cost", of->has_run ? json_real(round(all->cost)) : json_null());
}

const char *smp_judged_name(const judged_candidate *of) {
    return of->name ? of->name : of->path;
}

void smp_judged_jsonl(FILE *out, const judged *of) {
    json_t *all = json_object(), *kernels = json_array(), *findings = json_array(),
           *notes = json_array();
    for (uint32_t i = 0; i < of->count; i++)
        json_push(kernels, kernel_json(&of->kernels[i]));
    for (uint32_t i = 0; i < of->profile.finding_count; i++)
        json_push(findings, smp_finding_to_json(&of->profile.findings[i]));
    for (unsigned i = 0; i < of->note_count; i++)
        json_push(notes, json_text_or_null(of->notes[i]));
    json_set(all, "schema_version", json_integer(SMP_SCHEMA_VERSION));
    json_set(all, "candidate", json_text_of(smp_judged_name(of->candidate)));
    json_set(all, "file", json_text_of(of->candidate->path));
    json_set(all, "arch", of->arch ? json_string(of->arch->name) : json_null());
    json_set(all, "verdict", json_string(judged_verdict_name(of->verdict)));
    json_set(all, "why", of->why[0] ? json_text_of(of->why) : json_null());
    json_set(all, "compiled", json_boolean(of->is_compiled));
    json_set(all, "results", of->has_results ? results_json(of) : json_null());
    json_set(all, "races", json_count(of->has_run && of->looks_for_races, of->figures.races));
    set_figures(all, of);
    json_set(all, "kernels", kernels);
    json_set(all, "findings", findings);
    json_set(all, "notes", notes);
    (void)json_dumpf(all, out, JSON_COMPACT | JSON_REAL_PRECISION(15));
    fputc('\n', out);
    json_decref(all);
}

/* ---- The table ---- */

/* Orders correct candidates by cost, then others that ran; equal ones keep their order. */
static int compare(const void *left, const void *right) {
    const smp_judged_row *a = left, *b = right;
    const bool is_a = a->summary.verdict == JUDGED_OK, is_b = b->summary.verdict == JUDGED_OK;
    if (is_a != is_b)
        return is_a ? -1 : 1;
    if (a->summary.has_run != b->summary.has_run)
        return a->summary.has_run ? -1 : 1;
    if (is_a && a->summary.figures.cost != b->summary.figures.cost)
        return a->summary.figures.cost < b->summary.figures.cost ? -1 : 1;
    return a->index < b->index ? -1 : 1;
}

static void put_row(FILE *out, unsigned rank, const smp_judged_row *row) {
    const judged_figures *of = &row->summary.figures;
    if (row->summary.verdict == JUDGED_OK)
        fprintf(out, "%4u  ", rank);
    else
        fprintf(out, "%4s  ", "-");
    if (row->summary.has_run)
        fprintf(out, "%12s %5" PRIu32 " %12s %12s %12s %5" PRIu32 " %7" PRIu32 "  ",
                count_text((uint64_t)of->cost), of->sums.ways, count_text(of->sums.wavefronts),
                count_text(of->sums.sectors), count_text(of->instructions), of->registers,
                of->shared_bytes);
    else
        fprintf(out, "%12s %5s %12s %12s %12s %5s %7s  ", "-", "-", "-", "-", "-", "-", "-");
    put_visible(out, "%s\n", row->name);
    if (row->summary.verdict != JUDGED_OK)
        put_wrapped(out, "        ", "%s: %s", judged_verdict_name(row->summary.verdict),
                    row->summary.why);
}

void smp_judged_text(FILE *out, smp_judged_row *rows, size_t count, smp_style style) {
    unsigned rank = 0;
    qsort(rows, count, sizeof *rows, compare);
    fprintf(out, "%s%4s  %12s %5s %12s %12s %12s %5s %7s  %s%s\n", smp_paint(style, "\033[1m"),
            "rank", "cost", "ways", "wavefronts", "sectors", "instructions", "regs", "shared",
            "candidate", smp_paint(style, "\033[0m"));
    for (size_t i = 0; i < count; i++)
        put_row(out, ++rank, &rows[i]);
}
