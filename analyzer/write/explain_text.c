/* SPDX-License-Identifier: MIT */
/* Explained hardware counters as text, CSV and JSON. */
#include <jansson.h>
#include <math.h>
#include <string.h>

#include "json_text.h"
#include "put.h"
#include "write_format.h"

static const char *const how_to_export =
    "ncu --section MemoryWorkloadAnalysis_Tables --section SourceCounters "
    "--page raw --csv --log-file counters.csv ./program";

/* Finds "tile_read<float, 33>" in "void <unnamed>::tile_read<float, 33>(const T1 *, ...)". */
static int short_name(const char *name, const char **start) {
    int depth = 0, length = 0;
    *start = strncmp(name, "void ", 5) == 0 ? name + 5 : name;
    if (strncmp(*start, "<unnamed>::", 11) == 0)
        *start += 11;
    for (const char *at = *start; *at != '\0' && !(*at == '(' && depth == 0); at++, length++)
        depth += *at == '<' ? 1 : *at == '>' ? -1 : 0;
    return length;
}

static void put_number(FILE *out, int width, double value) {
    if (isnan(value))
        fprintf(out, " %*s", width, "?");
    else
        fprintf(out, " %*.0f", width, value);
}

static void put_counted(FILE *out, const char *name, const ncu_counted *c) {
    const double degree = c->wavefronts / c->requests;
    fprintf(out, "  %-10s", name);
    put_number(out, 12, c->requests);
    put_number(out, 12, c->wavefronts);
    if (isfinite(degree))
        fprintf(out, " %7.1f", degree);
    else
        fprintf(out, " %7s", "-");
    put_number(out, 12, c->conflicts);
    fputc('\n', out);
}

/* A table of one row would repeat the text above it, so it is omitted. */
static void put_table(FILE *out, const ncu_explanation *e) {
    unsigned rows = 0;
    fprintf(out, "  %-10s %12s %12s %7s %12s\n", "", "requests", "wavefronts", "n-way",
            "conflicts");
    for (int i = 0; i < COUNTED_KINDS; i++) {
        const ncu_counted *c = &e->kinds[i];
        if (!(c->requests > 0 || c->wavefronts > 0 || c->conflicts > 0))
            continue;
        put_counted(out, counted_names[i], c);
        rows++;
    }
    if (rows != 1)
        put_counted(out, "all", &e->all);
    fprintf(out, "  %-10s %12s", "ideal", "");
    put_number(out, 12, e->ideal);
    fprintf(out, "\n  %-10s %12s", "excess", "");
    put_number(out, 12, e->excess);
    fprintf(out, " %7s", "");
    put_number(out, 12, e->by_address);
    fprintf(out, " by addresses\n  %-10s %33s", "", "");
    put_number(out, 12, e->other);
    fputs(" not by addresses\n", out);
}

static void put_kernel(FILE *out, const ncu_kernel *kernel, const ncu_explanation *e,
                       smp_style style) {
    const char *name;
    const int whole = short_name(kernel->name, &name), length = whole < 60 ? whole : 60;
    const size_t shape = strlen(kernel->grid) + strlen(kernel->block) + strlen("  grid , block ");
    const size_t width = strlen(kernel->id) + 2 + (size_t)length + shape;
    fprintf(out, "%s%s  %.*s%s", style.color ? "\033[1m" : "", kernel->id, length, name,
            style.color ? "\033[0m" : "");
    if (kernel->grid[0] && kernel->block[0])
        fprintf(out, "%s  grid %s, block %s", width > (size_t)smp_columns(out) ? "\n" : "",
                kernel->grid, kernel->block);
    fputc('\n', out);
    if (isnan(e->all.requests) && isnan(e->all.wavefronts) && isnan(e->ideal))
        fputs("  no counter of shared memory\n", out);
    else if (e->all.requests != 0)
        put_table(out, e);
    for (unsigned i = 0; i < e->remark_count; i++)
        smp_wrapped_print(out, "  - ", e->remarks[i]);
    fputc('\n', out);
}

static void put_missing(FILE *out, uint32_t missing) {
    fputs("Not in this export:\n", out);
    for (int m = 0; m < NCU_METRIC_COUNT; m++)
        if (missing >> m & 1u)
            fprintf(out, "  %s\n", ncu_metric_names[m]);
    fprintf(out, "This collects them:\n  %s\n", how_to_export);
}

void smp_explain_text(FILE *out, const ncu_export *export_, smp_style style) {
    uint32_t missing = 0;
    bool misleads = false;
    for (size_t i = 0; i < export_->count; i++) {
        ncu_explanation e;
        ncu_explain(&export_->kernels[i], &e);
        put_kernel(out, &export_->kernels[i], &e, style);
        missing |= e.missing;
        misleads = misleads || e.misleads;
    }
    if (misleads)
        smp_wrapped_print(out, "note: ",
                          "derived__memory_l1_conflicts_shared_nway is a sum over the "
                          "instructions of the source, not the degree of any one of them.");
    if (missing != 0)
        put_missing(out, missing);
    if (export_->passed_over > 0)
        fprintf(out, "skipped %zu line%s outside any table.\n", export_->passed_over,
                plural(export_->passed_over));
}

/* ---- CSV ---- */

static void put_csv_number(FILE *out, double value) {
    if (isnan(value))
        fputc(',', out);
    else
        fprintf(out, ",%.0f", value);
}

void smp_explain_csv(FILE *out, const ncu_export *export_, smp_style style) {
    (void)style;
    fputs("id,kernel,grid,block", out);
    for (int i = 0; i < COUNTED_KINDS; i++)
        fprintf(out, ",%s_requests,%s_wavefronts,%s_conflicts", counted_names[i], counted_names[i],
                counted_names[i]);
    fputs(",ideal,excess,conflicts,conflicts_by_address,conflicts_other,other_traffic\n", out);
    EACH(const ncu_kernel, kernel, export_->kernels, export_->count) {
        ncu_explanation e;
        ncu_explain(kernel, &e);
        fputs(kernel->id, out);
        put_csv_field(out, kernel->name);
        put_csv_field(out, kernel->grid);
        put_csv_field(out, kernel->block);
        for (int i = 0; i < COUNTED_KINDS; i++) {
            put_csv_number(out, e.kinds[i].requests);
            put_csv_number(out, e.kinds[i].wavefronts);
            put_csv_number(out, e.kinds[i].conflicts);
        }
        const double rest[] = {e.ideal,      e.excess, e.all.conflicts,
                               e.by_address, e.other,  e.other_traffic};
        for (size_t i = 0; i < sizeof rest / sizeof rest[0]; i++)
            put_csv_number(out, rest[i]);
        fputc('\n', out);
    }
}

/* ---- JSON ---- */

static json_t *json_number(double value) {
    return isnan(value) ? json_null() : json_integer((json_int_t)value);
}

static json_t *json_counted(const ncu_counted *c) {
    return json_pack("{s:o, s:o, s:o}", "requests", json_number(c->requests), "wavefronts",
                     json_number(c->wavefronts), "conflicts", json_number(c->conflicts));
}

static json_t *json_kernel(const ncu_kernel *kernel) {
    ncu_explanation e;
    json_t *remarks = json_array(), *missing = json_array();
    ncu_explain(kernel, &e);
    for (unsigned i = 0; i < e.remark_count; i++)
        json_push(remarks, json_string(e.remarks[i]));
    for (int m = 0; m < NCU_METRIC_COUNT; m++)
        if (e.missing >> m & 1u)
            json_push(missing, json_string(ncu_metric_names[m]));
    json_t *item =
        json_pack("{s:i, s:o, s:o, s:o, s:o}", "schema_version", SMP_SCHEMA_VERSION, "id",
                  json_text_of(kernel->id), "kernel", json_text_of(kernel->name), "grid",
                  json_text_of(kernel->grid), "block", json_text_of(kernel->block));
    for (int i = 0; i < COUNTED_KINDS; i++)
        json_set(item, counted_names[i], json_counted(&e.kinds[i]));
    json_set(item, "all", json_counted(&e.all));
    json_set(item, "ideal", json_number(e.ideal));
    json_set(item, "excess", json_number(e.excess));
    json_set(item, "conflicts_by_address", json_number(e.by_address));
    json_set(item, "conflicts_other", json_number(e.other));
    json_set(item, "other_traffic", json_number(e.other_traffic));
    json_set(item, "remarks", remarks);
    json_set(item, "missing", missing);
    return item;
}

void smp_explain_json(FILE *out, const ncu_export *export_, smp_style style) {
    (void)style;
    json_t *all = json_array();
    for (size_t i = 0; i < export_->count; i++)
        json_push(all, json_kernel(&export_->kernels[i]));
    json_put(out, all, 0);
}
