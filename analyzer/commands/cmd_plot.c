/* SPDX-License-Identifier: MIT */
/*
 * plot: charts by gnuplot, from scripts that are written by hand (plots/) and data that are
 * written here. Nothing of how a chart looks is decided in C.
 */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "gallery.h"
#include "new_file.h"
#include "style.h"
#include "suggest.h"
#include "text_buffer.h"

/* What may follow `plot`: the kinds, and all of them. */
static const char *word(size_t index, const char **summary) {
    size_t count;
    const plot_kind *const *kinds = plot_kinds(&count);
    if (index > count)
        return NULL;
    *summary = index < count ? kinds[index]->summary
                             : "every chart, or the kinds named, and an index, into -o DIR";
    return index < count ? kinds[index]->name : "all";
}

/* ---- How it comes out ---------------------------------------------------------------------- */

static const char *const pictures[] = {"png", "svg", "pdf"};
static const char *const themes[] = {"light", "dark", "auto"};

static const char *find_word(const char *const *words, size_t count, const char *text) {
    for (size_t i = 0; i < count; i++) {
        if (strcmp(words[i], text) == 0)
            return words[i];
    }
    return NULL;
}

static unsigned terminal_columns(void) {
    struct winsize window = {0};
    bool known = isatty(STDOUT_FILENO) && ioctl(STDOUT_FILENO, TIOCGWINSZ, &window) == 0;
    return !known || window.ws_col < 60 ? 80 : window.ws_col > 160 ? 160 : window.ws_col;
}

/* What --format or the ending of -o names; a chart in the terminal if neither is there. */
static const char *name_format(const arguments *args) {
    char from[FORMAT_FROM_MAX];
    const char *name = output_format_name(args, from);
    return name ? name : "txt";
}

smp_status plot_choose_target(const arguments *args, const char *name, plot_target *out,
                              smp_error *error) {
    const char *theme = last_value(args, OPTION_THEME);
    const char *picture = find_word(pictures, 3, name);
    *out = (plot_target){.ending = picture ? picture : "txt",
                         .theme = find_word(themes, 3, theme ? theme : "light"),
                         .columns = terminal_columns()};
    if (!out->theme)
        return smp_error_set(error, SMP_E_USAGE, -1, "--theme %.40s: expected light, dark or auto",
                             theme);
    if (picture || strcmp(name, "csv") == 0 || strcmp(name, "txt") == 0 ||
        strcmp(name, "text") == 0)
        return SMP_OK;
    if (has(args, OPTION_FORMAT))
        return smp_error_set(error, SMP_E_USAGE, -1,
                             "--format %.40s: plot has png, svg, pdf, csv and text", name);
    return smp_error_set(error, SMP_E_USAGE, -1,
                         "-o %.80s: the name must end with .png, .svg, .pdf, .csv or .txt",
                         last_value(args, OPTION_OUTPUT));
}

/* ---- One chart ---------------------------------------------------------------------------- */

static bool copy_all(FILE *to, const void *user) {
    char buffer[4096];
    size_t length;
    FILE *from = *(FILE *const *)user;
    rewind(from);
    while ((length = fread(buffer, 1, sizeof buffer, from)) > 0) {
        if (fwrite(buffer, 1, length, to) != length)
            return false;
    }
    return true;
}

static smp_status write_picture(const arguments *args, const plot *what, const char *name,
                                const plot_target *target, const char *path, smp_error *error) {
    bool is_shown = !path && isatty(STDOUT_FILENO) && strcmp(target->ending, "svg") != 0;
    if (is_shown)
        return smp_error_set(error, SMP_E_USAGE, -1, "a terminal cannot show %s; give -o FILE",
                             target->ending);
    FILE *picture = tmpfile();
    if (!picture)
        return smp_error_set(error, SMP_E_WRITE, -1, "no temporary file for the chart");
    smp_status status = plot_draw(what, name, target, picture, error);
    if (status == SMP_OK && path)
        status = new_file_write(path, has(args, OPTION_FORCE), copy_all, &picture, error);
    else if (status == SMP_OK) {
        (void)copy_all(stdout, &picture);
        status = output_finish(error);
    }
    (void)fclose(picture);
    return status;
}

static smp_status put_chart(FILE *out, const plot *what, const char *name,
                            const plot_target *target, smp_error *error) {
    FILE *chart = tmpfile();
    if (!chart)
        return smp_error_set(error, SMP_E_WRITE, -1, "no temporary file for the chart");
    smp_status status = plot_draw(what, name, target, chart, error);
    if (status == SMP_OK) {
        smp_wrapped_print(out, "", what->title);
        smp_wrapped_print(out, "", what->subtitle);
        fputc('\n', out);
        (void)copy_all(out, &chart);
        smp_wrapped_print(out, "", what->provenance);
    }
    (void)fclose(chart);
    return status;
}

/* In the terminal or as its data. */
static smp_status write_text(const arguments *args, const plot *what, const char *name,
                             plot_target target, smp_error *error) {
    output out;
    FILE *data = what->data;
    smp_error closing;
    smp_status status = output_open(args, &out, error);
    if (status != SMP_OK)
        return status;
    target.color = out.style.color;
    if (out.format == SMP_FORMAT_CSV)
        (void)copy_all(out.stream, &data);
    else
        status = put_chart(out.stream, what, name, &target, error);
    smp_status closed = output_close(&out, status == SMP_OK, &closing);
    if (status == SMP_OK && closed != SMP_OK)
        *error = closing;
    return status == SMP_OK ? closed : status;
}

/* Shows why the data could not be written, with its place in the layout if it has one. */
static int complain_of_data(const chart_ask *ask, const plot *what, const smp_error *error) {
    return what->line > 0 ? layout_source_complain(&ask->from, what->line, error) : complain(error);
}

static smp_status write_chart(const plot_kind *kind, const arguments *args, const plot *what,
                              const plot_target *target, const char *path, smp_error *error) {
    errno = 0;
    if (fflush(what->data) != 0 || ferror(what->data))
        return smp_error_set(error, SMP_E_WRITE, -1, "temporary file for the data: %s",
                             errno ? strerror(errno) : "writing failed");
    if (strcmp(target->ending, "txt") == 0)
        return write_text(args, what, kind->name, *target, error);
    return write_picture(args, what, kind->name, target, path, error);
}

int plot_one(const plot_kind *kind, const arguments *args, const plot_operands *operands,
             const plot_target *target, const char *path, plot *what) {
    static chart_ask ask;
    smp_error error;
    memset(what, 0, sizeof *what);
    what->ask = &ask.plain;
    what->data = tmpfile();
    smp_status status = path ? output_check(args, path, &error) : SMP_OK;
    if (status == SMP_OK && !what->data)
        status = smp_error_set(&error, SMP_E_WRITE, -1, "no temporary file for the data");
    int exit_status = status != SMP_OK
                          ? complain(&error)
                          : ask_chart(kind, args, operands->words, operands->count, &ask);
    if (exit_status == 0 && kind->fill(what, &error) != SMP_OK)
        exit_status = complain_of_data(&ask, what, &error);
    if (exit_status == 0 && write_chart(kind, args, what, target, path, &error) != SMP_OK)
        exit_status = complain(&error);
    chart_ask_clear(&ask);
    if (what->data)
        (void)fclose(what->data);
    return exit_status;
}

/* ---- The command -------------------------------------------------------------------------- */

static const smp_option options[] = {
    OPTION_OUTPUT,   OPTION_FORMAT, OPTION_FORCE,     OPTION_THEME,   OPTION_COLOR,  OPTION_ARCH,
    OPTION_RECORDED, OPTION_STRIDE, OPTION_WIDTH,     OPTION_OP,      OPTION_OFFSET, OPTION_LANES,
    OPTION_ACCESS,   OPTION_SHARED, OPTION_BANK_MODE, OPTION_BLOCK,   OPTION_DEFINE, OPTION_FOR,
    OPTION_VARIANTS, OPTION_TYPE,   OPTION_SIZE,      OPTION_CLUSTER, OPTION_DEVICE, OPTION_HELP};

static smp_status find_kind(const char *name, const plot_kind **out, smp_error *error) {
    enum { NAMES_MAX = 32 };
    const char *names[NAMES_MAX], *summary;
    char known[200];
    text_buffer list = TEXT_BUFFER(known);
    size_t count;
    const plot_kind *const *kinds = plot_kinds(&count);
    *out = NULL;
    for (size_t i = 0; i <= count && i < NAMES_MAX; i++) {
        names[i] = word(i, &summary);
        text_join(&list, ", ", "%s", names[i]);
        if (i < count && strcmp(name, names[i]) == 0)
            *out = kinds[i];
    }
    if (*out || strcmp(name, "all") == 0)
        return SMP_OK;
    const char *guess = suggest(name, names, count + 1);
    if (guess)
        return smp_error_set(error, SMP_E_USAGE, -1, "plot has no '%.40s'; did you mean '%s'?",
                             name, guess);
    return smp_error_set(error, SMP_E_USAGE, -1, "plot what? %s", known);
}

/* An option that the kind does not look at must not seem to have worked. */
static smp_status check_options(const plot_kind *kind, const arguments *args,
                                const plot_operands *operands, smp_error *error) {
    static const smp_option always[] = {OPTION_OUTPUT, OPTION_FORMAT, OPTION_FORCE, OPTION_THEME,
                                        OPTION_COLOR};
    uint64_t allowed = kind ? chart_options(kind) : 0;
    for (size_t i = 0; i < sizeof always / sizeof always[0]; i++)
        allowed |= OPTION_BIT(always[i]);
    uint64_t left = args->given & ~allowed;
    if (left != 0)
        return smp_error_set(error, SMP_E_USAGE, -1, "plot %s does not take --%s",
                             kind ? kind->name : "all", option_rows[__builtin_ctzll(left)].name);
    if (kind && operands->count > kind->operands_max)
        return smp_error_set(error, SMP_E_USAGE, -1, "plot %s: '%.60s' is one argument too many",
                             kind->name, operands->words[kind->operands_max]);
    return SMP_OK;
}

static int run(const arguments *args) {
    static plot what;
    const plot_kind *kind;
    plot_target target;
    smp_error error;
    smp_status status = find_kind(args->positional_count ? args->positional[0] : "", &kind, &error);
    if (status != SMP_OK)
        return complain(&error);
    const plot_operands operands = {args->positional + 1, args->positional_count - 1};
    status = check_options(kind, args, &operands, &error);
    if (status == SMP_OK && !kind)
        return plot_gallery(args, &operands);
    if (status == SMP_OK)
        status = plot_choose_target(args, name_format(args), &target, &error);
    if (status != SMP_OK)
        return complain(&error);
    return plot_one(kind, args, &operands, &target, last_value(args, OPTION_OUTPUT), &what);
}

const command_row command_plot = {
    .name = "plot",
    .summary = "charts: PNG, SVG, PDF or in the terminal",
    .usage = "KIND [OPTIONS]",
    COMMAND_OPTIONS(options),
    .formats = "text csv png svg pdf",
    .examples = "  smemprobe plot stride                 in the terminal\n"
                "  smemprobe plot stride -o stride.png   or .svg, .pdf; .csv: the numbers\n"
                "  smemprobe plot bankmap --shared 'float tile[32][33]' 'ld tile[threadIdx.x][0]'\n"
                "  smemprobe plot all -o gallery\n",
    .word = word,
    .run = run,
};
