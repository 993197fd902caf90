/* SPDX-License-Identifier: MIT */
/*
 * plot agreement: predicts every recorded access again and counts the accesses by operation, width,
 * predicted and measured value. It reads the built-in records and any given files.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "list.h"
#include "plot.h"
#include "put.h"
#include "text_buffer.h"

#define NOT_MODELLED UINT64_MAX

enum { ORIGINS_MAX = 4 };

/* Accesses with equal operation, width and values. */
typedef struct bin {
    smp_op op;
    uint32_t width_bytes;
    uint64_t predicted, measured, count;
} bin;

typedef struct bins {
    bin *rows; /* owned */
    size_t count;
    uint64_t accesses, differing;
    size_t origin_count;
    char origins[ORIGINS_MAX][160]; /* "NVIDIA H200, driver ..., CUDA ..., date" */
    bool has_failed;                /* out of memory */
} bins;

static bool is_same(const bin *a, const bin *b) {
    return a->op == b->op && a->width_bytes == b->width_bytes && a->predicted == b->predicted &&
           a->measured == b->measured;
}

static void count_bin(bins *all, bin next) {
    all->accesses++;
    all->differing += next.predicted != NOT_MODELLED && next.predicted != next.measured;
    for (size_t i = all->count; i-- > 0;) {
        if (is_same(&all->rows[i], &next)) {
            all->rows[i].count++;
            return;
        }
    }
    if (!LIST_ROOM(all->rows, all->count)) {
        all->has_failed = true;
        return;
    }
    next.count = 1;
    all->rows[all->count++] = next;
}

/* Returns true if `key` names one access: options of a pattern, or a batch line. */
static bool find_access(const char *key, smp_access *out) {
    bool is_empty = false;
    smp_pattern pattern;
    if (strncmp(key, "--op ", 5) == 0)
        return smp_pattern_parse(key, &pattern, NULL) == SMP_OK &&
               smp_pattern_access(&pattern, out, NULL) == SMP_OK;
    return smp_batch_parse(key, strlen(key), out, &is_empty, NULL) == SMP_OK && !is_empty;
}

static void add(bins *all, const char *key, const char *field, double value, const char *cc) {
    smp_access access;
    smp_counts counts;
    const smp_arch *arch = smp_arch_find(cc);
    bool is_waves = strcmp(field, "wavefronts") == 0;
    if ((!is_waves && strcmp(field, "transactions") != 0) || !arch || !find_access(key, &access))
        return;
    smp_status status = smp_predict(arch, &access, &counts);
    uint64_t predicted = is_waves ? counts.wavefronts_max : counts.transactions;
    count_bin(all, (bin){access.op, access.width_bytes, status == SMP_OK ? predicted : NOT_MODELLED,
                         (uint64_t)value, 0});
}

/* Keeps each GPU, driver and date once. */
static void add_origin(bins *all, const smp_record *record) {
    char text[160];
    size_t i = 0;
    (void)snprintf(text, sizeof text, "%.60s, driver %.30s, CUDA %.20s, %.20s", record->gpu,
                   record->driver, record->cuda, record->date);
    while (i < all->origin_count && strcmp(all->origins[i], text) != 0)
        i++;
    if (i == all->origin_count && i < ORIGINS_MAX)
        (void)snprintf(all->origins[all->origin_count++], sizeof all->origins[0], "%s", text);
}

static bool visit(void *user, const smp_record *record, const char *field) {
    bins *all = user;
    size_t before = all->accesses;
    add(all, record->key, field, record->value, record->cc);
    if (all->accesses > before)
        add_origin(all, record);
    return !all->has_failed;
}

static void put_bin(FILE *out, const bin *row) {
    fprintf(out, "%s,%" PRIu32 ",", smp_ops(NULL)[row->op].name, row->width_bytes);
    if (row->predicted != NOT_MODELLED)
        fprintf(out, "%" PRIu64, row->predicted);
    fprintf(out, ",%" PRIu64 ",%" PRIu64 "\n", row->measured, row->count);
}

/* Orders by operation, width, predicted and measured value. */
static int by_row(const void *a, const void *b) {
    const bin *x = a, *y = b;
    const uint64_t left[] = {x->op, x->width_bytes, x->predicted, x->measured};
    const uint64_t right[] = {y->op, y->width_bytes, y->predicted, y->measured};
    for (size_t i = 0; i < 4; i++)
        if (left[i] != right[i])
            return left[i] < right[i] ? -1 : 1;
    return 0;
}

/* Sets the names of the operations that occur, in order. */
static void set_names(plot *out, const bins *all) {
    char names[SMP_OP_COUNT * 24];
    text_buffer list = TEXT_BUFFER(names);
    for (size_t i = 0; i < all->count; i++)
        if (i == 0 || all->rows[i].op != all->rows[i - 1].op)
            text_join(&list, " ", "%s", smp_ops(NULL)[all->rows[i].op].name);
    plot_set(out, "names", "%s", names);
}

static void describe(plot *out, const bins *all) {
    PLOT_TEXT(out->title, "Predicted against measured: %s recorded accesses, %" PRIu64 " differ",
              count_text(all->accesses), all->differing);
    PLOT_TEXT(out->subtitle,
              "wavefronts or 32-byte sectors of one request; on the diagonal they agree");
    text_buffer list = TEXT_BUFFER(out->provenance);
    for (size_t i = 0; i < all->origin_count; i++)
        text_add(&list, "%s%s", i ? "; " : "measured on ", all->origins[i]);
    set_names(out, all);
}

/* Uses no field of plot_ask. */
static smp_status fill(plot *out, smp_error *error) {
    bins all = {0};
    smp_status status = smp_recorded_ready(error);
    smp_recorded_each(visit, &all);
    if (status != SMP_OK || all.has_failed || all.count == 0)
        status = smp_error_memory(error);
    if (status == SMP_OK) {
        qsort(all.rows, all.count, sizeof *all.rows, by_row);
        describe(out, &all);
        fputs("op,width_bytes,predicted,measured,accesses\n", out->data);
        for (size_t i = 0; i < all.count; i++)
            put_bin(out->data, &all.rows[i]);
    }
    free(all.rows);
    return status;
}

static const plot_panel panels[] = {{.form = PLOT_COLUMNS,
                                     .heading = "measured",
                                     .x = "predicted",
                                     .x_name = "predicted",
                                     .log_x = true,
                                     .log_y = true,
                                     .series = {{.name = "agree",
                                                 .value = "measured",
                                                 .is_point = true,
                                                 .keep = PLOT_SAME,
                                                 .column = "predicted",
                                                 .with = "measured"},
                                                {.name = "differ",
                                                 .value = "measured",
                                                 .is_point = true,
                                                 .is_exceptions = true,
                                                 .keep = PLOT_OTHER,
                                                 .column = "predicted",
                                                 .with = "measured"}}},
                                    {.form = PLOT_BARS,
                                     .x = "op",
                                     .series = {{.name = "recorded accesses", .value = "accesses"},
                                                {.name = "differ",
                                                 .value = "accesses",
                                                 .is_exceptions = true,
                                                 .none = "",
                                                 .keep = PLOT_OTHER,
                                                 .column = "predicted",
                                                 .with = "measured"}}},
                                    {.form = PLOT_END}};

const plot_kind plot_agreement = {
    .name = "agreement",
    .summary = "predicted against measured, every recorded access",
    .operands = "[FILE]...",
    .operands_max = PLOT_FILES,
    .fill = fill,
    .panels = panels,
};
