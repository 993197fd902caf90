/* SPDX-License-Identifier: MIT */
/*
 * list: the tables that everything else is made of, with sources and evidence.
 */
#include <stdio.h>
#include <string.h>

#include "output.h"
#include "plot.h"
#include "say.h"
#include "suggest.h"
#include "text_buffer.h"
#include "write_format.h"

static const smp_option options[] = {OPTION_FORMAT, OPTION_OUTPUT, OPTION_FORCE, OPTION_COLOR,
                                     OPTION_HELP};

#define PUT SMP_CELL_PUT

static const char *const arch_columns[] = {"arch",     "family", "banks",     "modes",
                                           "request",  "KiB/SM", "KiB/block", "carve-outs",
                                           "evidence", "chips",  "source"};

static size_t count_archs(void) {
    size_t count;
    (void)smp_archs(&count);
    return count;
}

static void fill_arch(size_t index, smp_cells *out) {
    size_t count;
    const smp_arch *arch = &smp_archs(&count)[index];
    PUT(out, 0, "%s", arch->name);
    PUT(out, 1, "%s", arch->family);
    PUT(out, 2, "%ux%u", arch->banks, arch->bank_bytes);
    PUT(out, 3, arch->bank_bytes_alt ? "%u|%u" : "%u", arch->bank_bytes, arch->bank_bytes_alt);
    PUT(out, 4, "%u lanes", arch->request_lanes);
    PUT(out, 5, "%u", arch->shared_sm_kib);
    PUT(out, 6, "%u", arch->shared_block_kib);
    PUT(out, 7, "%s", arch->carveouts_kib);
    PUT(out, 8, "%s", smp_evidence_name(arch->evidence));
    PUT(out, 9, "%s", arch->chips);
    PUT(out, 10, "%s", arch->source);
}

static const char *const op_columns[] = {"op",      "bytes",    "SASS",    "since", "<=4 bytes",
                                         "8 bytes", "16 bytes", "summary", "source"};

static size_t count_ops(void) {
    size_t count;
    (void)smp_ops(&count);
    return count;
}

static void fill_op(size_t index, smp_cells *out) {
    const smp_op_row *op = &smp_ops(NULL)[index];
    size_t length = 0;
    out->text[1][0] = '\0';
    for (unsigned width = 1; width <= 16; width *= 2) {
        if (op->widths & width)
            length += (size_t)snprintf(out->text[1] + length, SMP_CELL_SIZE - length, "%s%u",
                                       length ? "," : "", width);
    }
    PUT(out, 0, "%s", op->name);
    PUT(out, 2, "%s", op->sass);
    PUT(out, 3, "%u.%u", op->first_cc / 10, op->first_cc % 10);
    for (unsigned i = 0; i < 3; i++)
        PUT(out, 4 + i, "%s", op->evidence[i]);
    PUT(out, 7, "%s", op->summary);
    PUT(out, 8, "%s", op->source);
}

static const char *const generations[] = {"1.x", "2.x", "3.x", "5.x", "6.x", "7.0",
                                          "7.5", "8.x", "8.9", "9.0", "10+", NULL};
static const char *const widths[] = {"<=4 bytes", "8 bytes", "16 bytes", NULL};

/* One column a generation: evidence of up to 4, of 8 and of 16 bytes. */
static const char *const coverage_columns[] = {"op",  "1.x", "2.x", "3.x", "5.x", "6.x",
                                               "7.0", "7.5", "8.x", "8.9", "9.0", "10+"};

static void fill_coverage(size_t index, smp_cells *out) {
    const smp_op_row *op = &smp_ops(NULL)[index];
    PUT(out, 0, "%s", op->name);
    for (int generation = 0; generation < SMP_GENERATION_COUNT; generation++)
        PUT(out, 1 + generation, "%c%c%c", op->evidence[0][generation], op->evidence[1][generation],
            op->evidence[2][generation]);
}

static const char *const kernel_columns[] = {"family", "variant", "threads", "shared", "summary"};

static size_t count_kernels(void) {
    size_t families, count = 0;
    const smp_kernel_family *const *rows = smp_kernel_families(&families);
    for (size_t i = 0; i < families; i++)
        count += rows[i]->variant_count;
    return count;
}

static void fill_kernel(size_t index, smp_cells *out) {
    size_t families;
    const smp_kernel_family *const *family = smp_kernel_families(&families);
    for (; index >= (*family)->variant_count; family++)
        index -= (*family)->variant_count;
    const smp_kernel_variant *variant = &(*family)->variants[index];
    const smp_kernel_shape shape =
        variant->shape ? variant->shape(&(*family)->standard) : (smp_kernel_shape){0};
    PUT(out, 0, "%s", (*family)->name);
    PUT(out, 1, "%s", variant->name);
    if (shape.threads > 0)
        PUT(out, 2, "%u", shape.threads);
    else
        PUT(out, 2, "host");
    PUT(out, 3, "%u B", shape.shared_bytes);
    PUT(out, 4, "%s", variant->summary);
}

static const char *const counter_columns[] = {"op",    "metric", "unit",
                                              "since", "counts", "pollution"};

static size_t count_counters(void) {
    size_t count;
    (void)smp_counters(&count);
    return count;
}

static void fill_counter(size_t index, smp_cells *out) {
    size_t count;
    const smp_counter *counter = &smp_counters(&count)[index];
    PUT(out, 0, "%s", smp_ops(NULL)[counter->op].name);
    PUT(out, 1, "%s", counter->metric);
    PUT(out, 2, "%s", counter->unit);
    PUT(out, 3, "%u.%u", counter->first_cc / 10, counter->first_cc % 10);
    PUT(out, 4, "%s", counter->counts);
    PUT(out, 5, "%s", counter->pollution[0] ? counter->pollution : "none known");
}

static const char *const format_columns[] = {"format", "commands"};

/* The commands that have a format, separated by commas; those that print code have --emit for it.
 */
static void put_commands(smp_format format, char text[SMP_CELL_SIZE]) {
    size_t count;
    const command_row *const *commands = command_rows(&count);
    text_buffer out = text_buffer_over(text, SMP_CELL_SIZE);
    for (size_t i = 0; i < count; i++)
        if (commands[i]->formats &&
            smp_format_find(commands[i]->formats, smp_format_name(format)) != SMP_FORMAT_COUNT)
            text_join(&out, ", ", "%s", commands[i]->name);
    if (smp_format_find(SMP_CODE_FORMATS, smp_format_name(format)) != SMP_FORMAT_COUNT)
        text_join(&out, ", ", "%s --emit", command_fix.name);
}

/* Formats of the same commands share a row: the first format of row `index`, or
 * SMP_FORMAT_COUNT. */
static smp_format first_of_row(size_t index) {
    char before[SMP_CELL_SIZE] = "", now[SMP_CELL_SIZE];
    for (smp_format format = 0; format < SMP_FORMAT_COUNT; format++) {
        put_commands(format, now);
        if (strcmp(before, now) != 0 && index-- == 0)
            return format;
        memcpy(before, now, sizeof before);
    }
    return SMP_FORMAT_COUNT;
}

static size_t count_formats(void) {
    size_t count = 0;
    while (first_of_row(count) != SMP_FORMAT_COUNT)
        count++;
    return count;
}

static void fill_format(size_t index, smp_cells *out) {
    const smp_format end = first_of_row(index + 1);
    text_buffer names = text_buffer_over(out->text[0], SMP_CELL_SIZE);
    smp_format format = first_of_row(index);
    put_commands(format, out->text[1]);
    for (; format < end; format++)
        text_join(&names, " ", "%s", smp_format_name(format));
}

static const char *const plot_columns[] = {"plot", "operands", "shows"};

static size_t count_plots(void) {
    size_t count;
    (void)plot_kinds(&count);
    return count;
}

static void fill_plot(size_t index, smp_cells *out) {
    size_t count;
    const plot_kind *kind = plot_kinds(&count)[index];
    PUT(out, 0, "%s", kind->name);
    PUT(out, 1, "%s", kind->operands);
    PUT(out, 2, "%s", kind->summary);
}

#define COLUMNS(names) names, sizeof(names) / sizeof((names)[0])

static const smp_table tables[] = {
    {"archs", "architectures", NULL, COLUMNS(arch_columns), "ccccc##bcbn", "ss#N###NsWs", NULL,
     count_archs, fill_arch},
    {"ops", "operations", "operations; list coverage shows how well each is known",
     COLUMNS(op_columns), "cccc---bn", "sNssEEEss", generations, count_ops, fill_op},
    {"coverage", "how well each operation is known on each generation",
     "evidence by generation, for up to 4, 8 and 16 bytes a lane:\n"
     "M measured, D documented, P published, A assumed, ? open, - absent",
     COLUMNS(coverage_columns), "cccccccccccc", "sEEEEEEEEEEE", widths, count_ops, fill_coverage},
    {"kernels", "kernels of compare", NULL, COLUMNS(kernel_columns), "cc##w", "ss##s", NULL,
     count_kernels, fill_kernel},
    {"counters", "hardware counters of probe", NULL, COLUMNS(counter_columns), "cbccnn", "ssssss",
     NULL, count_counters, fill_counter},
    {"formats", "output formats", NULL, COLUMNS(format_columns), "cw", "WL", NULL, count_formats,
     fill_format},
    {"plots", "charts of plot", NULL, COLUMNS(plot_columns), "ccw", "sss", NULL, count_plots,
     fill_plot},
};

enum { TABLE_COUNT = sizeof tables / sizeof tables[0] };

static const char *word(size_t index, const char **summary) {
    if (index >= TABLE_COUNT)
        return NULL;
    *summary = tables[index].about;
    return tables[index].name;
}

static smp_status find_table(const arguments *args, const smp_table **out, smp_error *error) {
    const char *names[TABLE_COUNT];
    const char *name = args->positional_count ? args->positional[0] : "";
    for (unsigned i = 0; i < TABLE_COUNT; i++) {
        names[i] = tables[i].name;
        if (strcmp(name, tables[i].name) == 0) {
            *out = &tables[i];
            return SMP_OK;
        }
    }
    char known[120], guess[SUGGEST_TEXT_MAX];
    text_buffer list = TEXT_BUFFER(known);
    for (unsigned i = 0; i < TABLE_COUNT; i++)
        text_join(&list, i + 1 < TABLE_COUNT ? ", " : " or ", "%s", names[i]);
    return smp_error_set(error, SMP_E_USAGE, -1, "list what? %s%s", known,
                         suggest_text(name, names, TABLE_COUNT, "", guess));
}

static int run(const arguments *args) {
    const smp_table *table = NULL;
    smp_error error;
    output out;
    smp_status status = find_table(args, &table, &error);
    if (status == SMP_OK && args->positional_count > 1)
        status =
            smp_error_set(&error, SMP_E_USAGE, -1, "list shows one table at a time, not also %.40s",
                          args->positional[1]);
    if (status == SMP_OK)
        status = output_open(args, &out, &error);
    if (status != SMP_OK)
        return complain(&error);
    smp_format_row_of(out.format)->table(out.stream, table);
    return output_end(&out, SMP_OK, NULL, 0);
}

const command_row command_list = {
    .name = "list",
    .summary = "tables of architectures, operations, counters and more",
    .usage = "TABLE [OPTIONS]",
    COMMAND_OPTIONS(options),
    .formats = SMP_TABLE_FORMATS,
    .examples = "  smemprobe list archs\n  smemprobe list ops --format csv\n",
    .word = word,
    .run = run,
};
