/* SPDX-License-Identifier: MIT */
/*
 * predict with source text: accesses as arguments and their surroundings as options, or a layout
 * file. Both go through the same statements.
 */
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "layout_report.h"

enum { REPORTS_MAX = 64 };

/* What a command line gave: the layout, and the text of the file it may come from. */
typedef struct source {
    smp_layout *layout;
    const char *file;
    char *text;
} source;

typedef struct keyword_row {
    smp_option option;
    const char *keyword;
} keyword_row;

/* In the order in which they are needed: constants before what uses them. */
static const keyword_row keywords[] = {
    {OPTION_DEFINE, "define"}, {OPTION_BLOCK, "block"},   {OPTION_GRID, "grid"},
    {OPTION_SHARED, "shared"}, {OPTION_GLOBAL, "global"}, {OPTION_FOR, "for"},
};

/* "smemprobe: --shared: message", the text, and a caret below the place. */
static int complain_at(const char *where, const char *text, size_t length, const smp_error *error) {
    fflush(stdout);
    fprintf(stderr, "smemprobe: %s%s%s\n", where, where[0] ? ": " : "", error->message);
    smp_caret_print(stderr, text, length, error->position);
    return smp_status_exit(error->status);
}

static bool is_file(const char *word) {
    size_t length = strlen(word);
    return strchr(word, '[') == NULL && length > 4 && strcmp(word + length - 4, ".smp") == 0;
}

static int add_options(const arguments *args, source *from) {
    smp_error error;
    for (size_t i = 0; i < sizeof keywords / sizeof keywords[0]; i++) {
        smp_option option = keywords[i].option;
        for (unsigned k = 0; k < args->count[option]; k++) {
            const char *text = args->value[option][k];
            char where[32];
            (void)snprintf(where, sizeof where, "--%s", option_rows[option].name);
            smp_status status =
                smp_layout_add(from->layout, keywords[i].keyword, text, strlen(text), 0, &error);
            if (status != SMP_OK)
                return complain_at(where, text, strlen(text), &error);
        }
    }
    return 0;
}

/* The text of line `number`, counted from 1. */
static const char *find_line(const char *text, size_t length, unsigned number, size_t *size) {
    const char *end = text + length, *at = text;
    while (number > 1 && at < end) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        at = newline ? newline + 1 : end;
        number--;
    }
    const char *newline = memchr(at, '\n', (size_t)(end - at));
    *size = (size_t)((newline ? newline : end) - at);
    return at;
}

static int complain_in_file(const source *from, size_t length, unsigned line,
                            const smp_error *error) {
    char where[300];
    size_t size;
    smp_error nowhere = *error;
    nowhere.position = -1;
    if (line == 0 || !from->text)
        (void)snprintf(where, sizeof where, "%.250s", from->file);
    else
        (void)snprintf(where, sizeof where, "%.250s:%u:%d", from->file, line, error->position + 1);
    if (line == 0 || !from->text)
        return complain_at(where, "", 0, &nowhere);
    const char *text = find_line(from->text, length, line, &size);
    return complain_at(where, text, size, error);
}

static int add_file(const arguments *args, source *from, size_t *length) {
    smp_error error;
    unsigned line = 0;
    if (args->positional_count > 1) {
        (void)smp_error_set(&error, SMP_E_USAGE, -1, "give one layout file, or accesses, not both");
        return complain(&error);
    }
    from->file = args->positional[0];
    smp_status status = smp_text_read(from->file, &from->text, length, &error);
    if (status != SMP_OK)
        return complain_at(from->file, "", 0, &error);
    status = smp_layout_add_lines(from->layout, from->text, *length, &line, &error);
    return status == SMP_OK ? 0 : complain_in_file(from, *length, line, &error);
}

static int add_accesses(const arguments *args, source *from) {
    smp_error error;
    for (unsigned i = 0; i < args->positional_count; i++) {
        const char *text = args->positional[i];
        smp_status status = smp_layout_add(from->layout, NULL, text, strlen(text), i + 1, &error);
        if (status != SMP_OK)
            return complain_at("", text, strlen(text), &error);
    }
    return 0;
}

/* Which architectures: those asked for, else those of the file, else the one of the options. */
static size_t choose_archs(const arguments *args, const source *from, const smp_arch *one, bool all,
                           smp_arch out[REPORTS_MAX]) {
    size_t count = 0, own = smp_layout_arch_count(from->layout);
    if (all) {
        const smp_arch *rows = smp_archs(&count);
        memcpy(out, rows, count * sizeof *rows);
        return count;
    }
    out[0] = *one;
    if (has(args, OPTION_ARCH) || own == 0)
        return 1;
    for (; count < own && count < REPORTS_MAX; count++)
        out[count] = *smp_layout_arch(from->layout, count);
    return count;
}

static void write_text(FILE *out, const smp_layout_report *reports, size_t count, bool is_table,
                       bool explains, smp_style style) {
    if (is_table) {
        smp_layout_report_table(out, reports, count);
        return;
    }
    smp_layout_report_text(out, &reports[0], style, explains);
    if (count > 1) {
        fputs("\nOn all architectures of the file:\n", out);
        smp_layout_report_table(out, reports, count);
    }
}

static int write_reports(const arguments *args, const smp_layout_report *reports, size_t count,
                         bool is_table) {
    output out;
    smp_error error;
    if (output_open(args, &out, &error) != SMP_OK)
        return complain(&error);
    if (out.format == FORMAT_JSON)
        smp_layout_report_json(out.stream, reports, count);
    else if (out.format == FORMAT_CSV)
        smp_layout_report_csv(out.stream, reports, count);
    else
        write_text(out.stream, reports, count, is_table, has(args, OPTION_EXPLAIN), out.style);
    return output_close(&out, true, &error) == SMP_OK ? 0 : complain(&error);
}

/* Where an evaluation failed: in a line of the file, or in one of the accesses. */
static int complain_evaluation(const arguments *args, const source *from, size_t length,
                               unsigned line, const smp_error *error) {
    if (from->file)
        return complain_in_file(from, length, line, error);
    if (line == 0 || line > args->positional_count)
        return complain(error);
    const char *text = args->positional[line - 1];
    return complain_at("", text, strlen(text), error);
}

/* Opens the GPU if there is one; its architecture is the default. */
static int open_probe(const arguments *args, bool is_default, smp_arch *arch, smp_probe **probe) {
    uint64_t device = 0;
    smp_error error;
    const char *text = last_value(args, OPTION_DEVICE);
    smp_status status = text ? number_parse(text, "device", 1023, &device, &error) : SMP_OK;
    if (status != SMP_OK)
        return complain(&error);
    if (smp_probe_open((int)device, probe, NULL) != SMP_OK)
        return 0;
    const smp_device *found = smp_probe_device(*probe);
    const smp_arch *own = smp_arch_of_cc(found->cc_major, found->cc_minor);
    if (own && is_default && !has(args, OPTION_BANK_MODE))
        *arch = *own;
    return 0;
}

static int report_all(const arguments *args, const source *from, size_t length,
                      const smp_arch *archs, size_t count, bool all, smp_probe *probe) {
    smp_layout_report reports[REPORTS_MAX];
    smp_error error;
    size_t done = 0;
    unsigned line = 0;
    int exit_status = 0;
    for (size_t i = 0; i < count && exit_status == 0; i++) {
        smp_status status = smp_layout_report_fill(&reports[done], from->file, from->layout,
                                                   &archs[i], &line, &error);
        bool is_absent = all && status != SMP_OK && status != SMP_E_MEMORY && i + 1 < count;
        if (status == SMP_OK) {
            reports[done].probe = probe;
            done++;
            continue;
        }
        smp_layout_report_clear(&reports[done]);
        if (!is_absent)
            exit_status = complain_evaluation(args, from, length, line, &error);
    }
    if (exit_status == 0)
        exit_status = write_reports(args, reports, done, all);
    while (done > 0)
        smp_layout_report_clear(&reports[--done]);
    return exit_status;
}

int run_layout(const arguments *args) {
    smp_arch one, archs[REPORTS_MAX];
    smp_error error;
    bool all;
    size_t length = 0;
    smp_probe *probe = NULL;
    source from = {.layout = smp_layout_new()};
    if (arguments_arch(args, &one, &all, &error) != SMP_OK) {
        smp_layout_free(from.layout);
        return complain(&error);
    }
    if (!from.layout) {
        (void)smp_error_set(&error, SMP_E_MEMORY, -1, "out of memory");
        return complain(&error);
    }
    int exit_status = add_options(args, &from);
    if (exit_status == 0 && is_file(args->positional[0]))
        exit_status = add_file(args, &from, &length);
    else if (exit_status == 0)
        exit_status = add_accesses(args, &from);
    bool is_default = !has(args, OPTION_ARCH) && smp_layout_arch_count(from.layout) == 0;
    if (exit_status == 0 && !all)
        exit_status = open_probe(args, is_default, &one, &probe);
    if (exit_status == 0) {
        size_t count = choose_archs(args, &from, &one, all, archs);
        exit_status = report_all(args, &from, length, archs, count, all, probe);
    }
    smp_probe_close(probe);
    free(from.text);
    smp_layout_free(from.layout);
    return exit_status;
}
