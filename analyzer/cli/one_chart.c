/* SPDX-License-Identifier: MIT */
/* Writes a chart as a picture, in the terminal, or as data. */
#include <string.h>
#include <unistd.h>

#include "ask_chart.h"
#include "output.h"
#include "say.h"

/* ---- How it comes out ---- */

static const char *const themes[] = {"light", "dark", "auto"};

/* more columns would not improve a chart */
static unsigned chart_columns(void) {
    const int columns = smp_columns(stdout);
    return columns > 160 ? 160 : (unsigned)columns;
}

smp_status plot_choose_target(const arguments *args, smp_format format, plot_target *out,
                              smp_error *error) {
    const char *name = smp_format_name(format);
    unsigned theme = 0; /* light */
    const bool is_picture = smp_format_find(SMP_PICTURE_FORMATS, name) == format;
    const smp_status status = ask_word(args, OPTION_THEME, &theme, error);
    *out = (plot_target){.format = format,
                         .ending = is_picture ? name : "txt",
                         .theme = themes[theme],
                         .columns = chart_columns()};
    return status;
}

/* ---- One chart ---- */

static bool copy_all(FILE *to, const void *user) {
    char buffer[4096];
    size_t length;
    FILE *from = *(FILE *const *)user;
    rewind(from);
    while ((length = fread(buffer, 1, sizeof buffer, from)) > 0)
        if (fwrite(buffer, 1, length, to) != length)
            return false;
    return true;
}

static smp_status write_picture(const arguments *args, const plot *what, const char *name,
                                const plot_target *target, const char *path, smp_error *error) {
    if (!path && isatty(STDOUT_FILENO) && strcmp(target->ending, "svg") != 0)
        return usage_error(error, "a terminal cannot show %s; write it with -o FILE",
                           target->ending);
    FILE *picture = tmpfile();
    if (!picture)
        return smp_error_set(error, SMP_E_WRITE, -1,
                             "cannot create a temporary file for the "
                             "chart");
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

static smp_status put_chart(FILE *out, const plot *what, const plot_kind *kind,
                            const plot_target *target, smp_error *error) {
    smp_wrapped_print(out, "", what->title);
    smp_wrapped_print(out, "", what->subtitle);
    fputc('\n', out);
    smp_status status = plot_print(what, kind->panels, target, out, error);
    if (status == SMP_OK)
        smp_wrapped_print(out, "", what->provenance);
    return status;
}

/* Draws in the terminal, or writes the data. */
static smp_status write_text(const arguments *args, const plot *what, const plot_kind *kind,
                             plot_target target, smp_error *error) {
    output out;
    FILE *data = what->data;
    smp_status status = SMP_OK;
    if (output_open(args, &out, error))
        return error->status;
    target.style = out.style;
    if (out.format == SMP_FORMAT_CSV)
        (void)copy_all(out.stream, &data);
    else
        status = put_chart(out.stream, what, kind, &target, error);
    return output_close_after(&out, status, error);
}

static smp_status write_chart(const plot_kind *kind, const arguments *args, const plot *what,
                              const plot_target *target, const char *path, smp_error *error) {
    int cause;
    if (!smp_stream_flush(what->data, &cause))
        return smp_error_set(error, SMP_E_WRITE, -1, "temporary file for the data: %s",
                             cause ? strerror(cause) : "writing failed");
    if (strcmp(target->ending, "txt") == 0)
        return write_text(args, what, kind, *target, error);
    return write_picture(args, what, kind->name, target, path, error);
}

int plot_one(const plot_kind *kind, const arguments *args, const plot_operands *operands,
             const plot_target *target, const char *path, plot *what) {
    static chart_ask ask;
    smp_error error;
    memset(what, 0, sizeof *what);
    what->ask = &ask.plain;
    what->data = tmpfile();
    int exit_status = output_check(args, path, &error) ? complain(&error)
                      : !what->data ? complain_of(SMP_E_WRITE, "cannot create a temporary file "
                                                               "for the data")
                                    : ask_chart(kind, args, operands->words, operands->count, &ask);
    if (exit_status == 0 && kind->fill(what, &error) != SMP_OK)
        exit_status = what->line > 0 ? layout_source_complain(&ask.from, what->line, &error)
                                     : complain(&error);
    if (exit_status == 0 && write_chart(kind, args, what, target, path, &error) != SMP_OK)
        exit_status = complain(&error);
    chart_ask_clear(&ask);
    if (what->data)
        (void)fclose(what->data);
    return exit_status;
}
