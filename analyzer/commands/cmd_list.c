/* SPDX-License-Identifier: MIT */
/*
 * list: the tables that everything else is made of, with sources and evidence.
 */
#include <stdio.h>
#include <string.h>

#include "cli.h"
#include "plot.h"
#include "suggest.h"

static const smp_option options[] = {OPTION_FORMAT, OPTION_OUTPUT, OPTION_FORCE, OPTION_COLOR,
                                     OPTION_HELP};

enum { CELLS_MAX = 12, CELL_SIZE = 200 };

/* One line of a table, as text. */
typedef struct cells {
    char text[CELLS_MAX][CELL_SIZE];
} cells;

typedef struct table_row {
    const char *name, *about; /* for the help; what stands above the table, NULL: the same */
    const char *title;
    const char *const *columns; /* names */
    unsigned column_count;
    /* How text shows each column: 'c' a cell, 'w' the last cell, wrapped, 'b' in lines below the
     * row, 'n' the number of a note below the table, '-' not at all. */
    const char *shows;
    size_t (*count)(void);
    void (*fill)(size_t index, cells *out);
} table_row;

#define PUT(out, cell, ...) (void)snprintf((out)->text[cell], CELL_SIZE, __VA_ARGS__)

static const char *const arch_columns[] = {"arch",     "family", "banks",     "modes",
                                           "request",  "KiB/SM", "KiB/block", "carve-outs",
                                           "evidence", "chips",  "source"};

static size_t count_archs(void) {
    size_t count;
    (void)smp_archs(&count);
    return count;
}

static void fill_arch(size_t index, cells *out) {
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

static void fill_op(size_t index, cells *out) {
    const smp_op_row *op = &smp_ops(NULL)[index];
    size_t length = 0;
    out->text[1][0] = '\0';
    for (unsigned width = 1; width <= 16; width *= 2) {
        if (op->widths & width)
            length += (size_t)snprintf(out->text[1] + length, CELL_SIZE - length, "%s%u",
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

/* One column a generation: evidence of up to 4, of 8 and of 16 bytes. */
static const char *const coverage_columns[] = {"op",  "1.x", "2.x", "3.x", "5.x", "6.x",
                                               "7.0", "7.5", "8.x", "8.9", "9.0", "10+"};

static void fill_coverage(size_t index, cells *out) {
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

static void fill_kernel(size_t index, cells *out) {
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

static void fill_counter(size_t index, cells *out) {
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
/* Formats of the same commands, and which these are; NULL: those whose rows have the first. */
static const char *const format_rows[][2] = {
    {"text", NULL},       {"json", NULL},         {"csv", NULL},
    {"jsonl", NULL},      {"github junit", NULL}, {"smp cuda cute", "fix --emit"},
    {"png svg pdf", NULL}};

static size_t count_formats(void) {
    return sizeof format_rows / sizeof format_rows[0];
}

/* True if the first of `wanted` is in `formats`; both are separated by blanks. */
static bool has_format(const char *formats, const char *wanted) {
    const size_t length = strcspn(wanted, " ");
    for (const char *at = formats; at && *at != '\0'; at += strspn(at, " ")) {
        const size_t word = strcspn(at, " ");
        if (word == length && memcmp(at, wanted, length) == 0)
            return true;
        at += word;
    }
    return false;
}

static void fill_format(size_t index, cells *out) {
    size_t count, length = 0;
    const command_row *const *commands = command_rows(&count);
    PUT(out, 0, "%s", format_rows[index][0]);
    PUT(out, 1, "%s", format_rows[index][1] ? format_rows[index][1] : "");
    for (size_t i = 0; !format_rows[index][1] && i < count; i++) {
        if (has_format(commands[i]->formats, format_rows[index][0]))
            length += (size_t)snprintf(out->text[1] + length, CELL_SIZE - length, "%s%s",
                                       length ? ", " : "", commands[i]->name);
    }
}

static const char *const plot_columns[] = {"plot", "operands", "shows"};

static size_t count_plots(void) {
    size_t count;
    (void)plot_kinds(&count);
    return count;
}

static void fill_plot(size_t index, cells *out) {
    size_t count;
    const plot_kind *kind = plot_kinds(&count)[index];
    PUT(out, 0, "%s", kind->name);
    PUT(out, 1, "%s", kind->operands);
    PUT(out, 2, "%s", kind->summary);
}

#define COLUMNS(names) names, sizeof(names) / sizeof((names)[0])

static const table_row tables[] = {
    {"archs", "architectures", NULL, COLUMNS(arch_columns), "cccccccbcbn", count_archs, fill_arch},
    {"ops", "operations", "operations; list coverage shows how well each is known",
     COLUMNS(op_columns), "cccc---bn", count_ops, fill_op},
    {"coverage", "how well each operation is known on each generation",
     "evidence by generation, for up to 4, 8 and 16 bytes a lane:\n"
     "M measured, D documented, P published, A assumed, ? open, - absent",
     COLUMNS(coverage_columns), "cccccccccccc", count_ops, fill_coverage},
    {"kernels", "kernels of compare", NULL, COLUMNS(kernel_columns), "ccccw", count_kernels,
     fill_kernel},
    {"counters", "hardware counters of probe", NULL, COLUMNS(counter_columns), "cbccnn",
     count_counters, fill_counter},
    {"formats", "output formats", NULL, COLUMNS(format_columns), "cw", count_formats, fill_format},
    {"plots", "charts of plot", NULL, COLUMNS(plot_columns), "ccw", count_plots, fill_plot},
};

enum { TABLE_COUNT = sizeof tables / sizeof tables[0] };

enum { NOTES_MAX = 64, LINE_SIZE = 1024 };

/* Texts that many rows share, each printed once below the table. */
typedef struct notes {
    size_t count;
    char text[NOTES_MAX][CELL_SIZE];
} notes;

/* The number of a note, from 1; a new one if `text` is not there yet. */
static unsigned note_number(notes *all, const char *text) {
    size_t i = 0;
    while (i < all->count && strcmp(all->text[i], text) != 0)
        i++;
    if (i == all->count && all->count < NOTES_MAX)
        (void)snprintf(all->text[all->count++], CELL_SIZE, "%s", text);
    return (unsigned)i + 1;
}

static void find_widths(const table_row *table, int widths[CELLS_MAX]) {
    cells row;
    for (unsigned c = 0; c < table->column_count; c++)
        widths[c] = (int)strlen(table->columns[c]);
    for (size_t i = 0; i < table->count(); i++) {
        table->fill(i, &row);
        for (unsigned c = 0; c < table->column_count; c++)
            if (table->shows[c] == 'c' && (int)strlen(row.text[c]) > widths[c])
                widths[c] = (int)strlen(row.text[c]);
    }
}

/* One line of the table; `numbers` is NULL for the names of the columns. */
static void put_line(FILE *out, const table_row *table, const int widths[CELLS_MAX],
                     const cells *row, notes *numbers) {
    char line[LINE_SIZE] = "";
    size_t length = 0;
    const char *last = NULL;
    for (unsigned c = 0; c < table->column_count; c++) {
        const char *text = row->text[c];
        char note[16];
        (void)snprintf(note, sizeof note, "[%u]",
                       table->shows[c] == 'n' && numbers ? note_number(numbers, text) : 0);
        if (table->shows[c] == 'n')
            text = numbers ? note : text;
        if (table->shows[c] == 'w')
            last = text;
        if (table->shows[c] == 'c' || table->shows[c] == 'n')
            length +=
                (size_t)snprintf(line + length, sizeof line - length, "%-*s  ", widths[c], text);
    }
    while (!last && length > 0 && line[length - 1] == ' ')
        line[--length] = '\0';
    smp_wrapped_print(out, line, last ? last : "");
}

/* What is below a row: "carve-outs: 0 8 16; chips: GH100"; one text alone needs no name. */
static void put_below(FILE *out, const table_row *table, const cells *row) {
    char text[LINE_SIZE] = "";
    size_t length = 0;
    bool is_alone = strchr(table->shows, 'b') == strrchr(table->shows, 'b');
    for (unsigned c = 0; c < table->column_count; c++) {
        if (table->shows[c] == 'b')
            length += (size_t)snprintf(text + length, sizeof text - length, "%s%s%s%s",
                                       length ? "; " : "", is_alone ? "" : table->columns[c],
                                       is_alone ? "" : ": ", row->text[c]);
    }
    if (length > 0)
        smp_wrapped_print(out, "    ", text);
}

static void put_text(FILE *out, const table_row *table) {
    int widths[CELLS_MAX];
    cells row;
    notes numbers = {0};
    find_widths(table, widths);
    fprintf(out, "%s\n\n", table->title ? table->title : table->about);
    for (unsigned c = 0; c < table->column_count; c++)
        PUT(&row, c, "%s", table->columns[c]);
    put_line(out, table, widths, &row, NULL);
    for (size_t i = 0; i < table->count(); i++) {
        table->fill(i, &row);
        put_line(out, table, widths, &row, &numbers);
        put_below(out, table, &row);
    }
    if (numbers.count > 0)
        fputc('\n', out);
    for (size_t i = 0; i < numbers.count; i++) {
        char label[32];
        (void)snprintf(label, sizeof label, "[%zu] ", i + 1);
        smp_wrapped_print(out, label, numbers.text[i]);
    }
}

static void put_quoted(FILE *out, const char *text, char escape) {
    fputc('"', out);
    for (; *text != '\0'; text++) {
        if (*text == '"')
            fputc(escape, out);
        fputc(*text, out);
    }
    fputc('"', out);
}

static void put_csv(FILE *out, const table_row *table) {
    cells row;
    for (unsigned c = 0; c < table->column_count; c++)
        fprintf(out, "%s%s", c ? "," : "", table->columns[c]);
    fputc('\n', out);
    for (size_t i = 0; i < table->count(); i++) {
        table->fill(i, &row);
        for (unsigned c = 0; c < table->column_count; c++) {
            fputs(c ? "," : "", out);
            put_quoted(out, row.text[c], '"');
        }
        fputc('\n', out);
    }
}

static void put_json(FILE *out, const table_row *table) {
    cells row;
    fputs("[", out);
    for (size_t i = 0; i < table->count(); i++) {
        table->fill(i, &row);
        fputs(i ? ",\n {" : "\n {", out);
        for (unsigned c = 0; c < table->column_count; c++) {
            fputs(c ? ", " : "", out);
            put_quoted(out, table->columns[c], '\\');
            fputs(": ", out);
            put_quoted(out, row.text[c], '\\');
        }
        fputs("}", out);
    }
    fputs("\n]\n", out);
}

static const char *word(size_t index, const char **summary) {
    if (index >= TABLE_COUNT)
        return NULL;
    *summary = tables[index].about;
    return tables[index].name;
}

static smp_status find_table(const arguments *args, const table_row **out, smp_error *error) {
    const char *names[TABLE_COUNT];
    const char *name = args->positional_count ? args->positional[0] : "";
    for (unsigned i = 0; i < TABLE_COUNT; i++) {
        names[i] = tables[i].name;
        if (strcmp(name, tables[i].name) == 0) {
            *out = &tables[i];
            return SMP_OK;
        }
    }
    const char *guess = suggest(name, names, TABLE_COUNT);
    size_t length = 0;
    char known[120] = "";
    for (unsigned i = 0; i < TABLE_COUNT; i++)
        length += (size_t)snprintf(known + length, sizeof known - length, "%s%s",
                                   i == 0                ? ""
                                   : i + 1 < TABLE_COUNT ? ", "
                                                         : " or ",
                                   names[i]);
    return smp_error_set(error, SMP_E_USAGE, -1, "list what? %s%s%s%s", known,
                         guess ? "; did you mean '" : "", guess ? guess : "", guess ? "'?" : "");
}

static int run(const arguments *args) {
    const table_row *table = NULL;
    smp_error error;
    output out;
    smp_status status = find_table(args, &table, &error);
    if (status == SMP_OK)
        status = output_open(args, &out, &error);
    if (status != SMP_OK)
        return complain(&error);
    if (out.format == FORMAT_JSON)
        put_json(out.stream, table);
    else if (out.format == FORMAT_CSV)
        put_csv(out.stream, table);
    else
        put_text(out.stream, table);
    return output_close(&out, true, &error) == SMP_OK ? 0 : complain(&error);
}

const command_row command_list = {
    .name = "list",
    .summary = "tables of architectures, operations, counters, charts and more",
    .usage = "TABLE [OPTIONS]",
    COMMAND_OPTIONS(options),
    .formats = "text json csv",
    .examples = "  smemprobe list archs\n  smemprobe list ops --format csv\n",
    .word = word,
    .run = run,
};
