/* SPDX-License-Identifier: MIT */
/* The tables that the program is built from, with sources and evidence, cell by cell. */
#include "fact_tables.h"

#include <string.h>

#include "plot.h"
#include "text_buffer.h"
#include "write_format.h"

#define PUT SMP_CELL_PUT

/* The number of rows of a list in the model, the probes or the charts. */
#define COUNT_OF(name, list)   \
    static size_t name(void) { \
        size_t count;          \
        (void)list(&count);    \
        return count;          \
    }

static const char *const arch_columns[] = {"arch",     "family", "banks",     "modes",
                                           "request",  "KiB/SM", "KiB/block", "carve-outs",
                                           "evidence", "chips",  "source"};

COUNT_OF(count_archs, smp_archs)

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

COUNT_OF(count_ops, smp_ops)

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

/* One column per generation: the evidence for up to 4, for 8 and for 16 bytes. */
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
    const smp_kernel_shape shape = smp_kernel_shape_of(variant, &(*family)->standard);
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

COUNT_OF(count_counters, smp_counters)

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

/* All commands of the program (fact_tables_begin). */
static const command_row *const *commands;
static size_t command_count;

static const char *const format_columns[] = {"format", "commands"};

/* The commands that have a format, separated by commas; fix prints code with --emit. */
static void put_commands(smp_format format, char text[SMP_CELL_SIZE]) {
    text_buffer out = text_buffer_over(text, SMP_CELL_SIZE);
    for (size_t i = 0; i < command_count; i++)
        if (commands[i]->formats &&
            smp_format_find(commands[i]->formats, smp_format_name(format)) != SMP_FORMAT_COUNT)
            text_join(&out, ", ", "%s", commands[i]->name);
    if (smp_format_find(SMP_CODE_FORMATS, smp_format_name(format)) != SMP_FORMAT_COUNT)
        text_join(&out, ", ", "fix --emit");
}

/* The first format of row `index`, or SMP_FORMAT_COUNT. Formats of the same commands share a
 * row. */
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

COUNT_OF(count_plots, plot_kinds)

static void fill_plot(size_t index, smp_cells *out) {
    size_t count;
    const plot_kind *kind = plot_kinds(&count)[index];
    PUT(out, 0, "%s", kind->name);
    PUT(out, 1, "%s", kind->operands);
    PUT(out, 2, "%s", kind->summary);
}

#define COLUMNS(names) names, sizeof(names) / sizeof((names)[0])

const smp_table fact_tables[FACT_TABLES] = {
    {"archs", "architectures", NULL, COLUMNS(arch_columns), "ccccc##bcbn", "ss#N###NsWs", NULL,
     count_archs, fill_arch},
    {"ops", "operations", "operations; list coverage shows how each is known", COLUMNS(op_columns),
     "cccc---bn", "sNssEEEss", generations, count_ops, fill_op},
    {"coverage", "how each operation is known on each generation",
     "evidence by generation, for up to 4, 8 and 16 bytes per lane:\n"
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

void fact_tables_begin(const command_row *const *rows, size_t count) {
    commands = rows;
    command_count = count;
}
