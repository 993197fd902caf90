/* SPDX-License-Identifier: MIT */
/*
 * Runs gnuplot on a chart's data. Script, data, chart and messages are unnamed files, so nothing
 * remains however the run ends. The chart is copied only if gnuplot succeeds.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "embedded.h"
#include "leftover.h"
#include "list.h"
#include "plot.h"
#include "progress.h"
#include "visible_text.h"

/* Files of one run. */
typedef struct job {
    FILE *theme, *script, *chart, *messages;
} job;

static FILE *keep_script(const char *name) {
    char file[64];
    (void)snprintf(file, sizeof file, "%.50s.gp", name);
    EACH(const struct smp_embedded, script, smp_plot_files, smp_plot_file_count) {
        if (strcmp(script->name, file) != 0)
            continue;
        FILE *copy = tmpfile();
        if (!copy ||
            (fwrite(script->text, 1, script->length, copy) == script->length && fflush(copy) == 0))
            return copy;
        (void)fclose(copy);
        return NULL;
    }
    return NULL;
}

static void close_file(FILE *file) {
    if (file)
        (void)fclose(file);
}

static void job_close(job *work) {
    close_file(work->theme);
    close_file(work->script);
    close_file(work->chart);
    close_file(work->messages);
}

static smp_status job_open(job *work, const char *name, smp_error *error) {
    *work = (job){keep_script("theme"), keep_script(name), tmpfile(), tmpfile()};
    if (work->theme && work->script && work->chart && work->messages)
        return SMP_OK;
    return smp_error_set(error, SMP_E_WRITE, -1, "no temporary file for gnuplot: %s",
                         strerror(errno));
}

/* Runs in the child and never returns. */
static void become_gnuplot(const job *work, const char *setup, pid_t parent) {
    char theme[32], script[32];
    leftover_tie(parent, SIGTERM);
    (void)setpgid(0, 0);
    int null = open("/dev/null", O_RDONLY);
    (void)snprintf(theme, sizeof theme, "/dev/fd/%d", fileno(work->theme));
    (void)snprintf(script, sizeof script, "/dev/fd/%d", fileno(work->script));
    (void)dup2(null, STDIN_FILENO);
    (void)dup2(fileno(work->chart), STDOUT_FILENO);
    (void)dup2(fileno(work->messages), STDERR_FILENO);
    (void)setenv("LC_ALL", "C.UTF-8", 1);
    (void)execlp("gnuplot", "gnuplot", "-d", "-e", setup, theme, script, (char *)NULL);
    _exit(127);
}

/* Reports gnuplot's last message. */
static smp_status gnuplot_failed(FILE *messages, smp_error *error) {
    char line[256], last[200] = "it gave no reason";
    rewind(messages);
    while (fgets(line, sizeof line, messages)) {
        line[strcspn(line, "\n")] = '\0';
        if (line[strspn(line, " ^")] != '\0')
            (void)snprintf(last, sizeof last, "%.199s", line);
    }
    return smp_error_set(error, SMP_E_INTERNAL, -1, "gnuplot failed: %s", last);
}

static smp_status job_run(const job *work, const char *setup, smp_error *error) {
    int status = -1;
    (void)fflush(NULL);
    const pid_t parent = getpid();
    pid_t child = fork();
    if (child == 0)
        become_gnuplot(work, setup, parent);
    if (child > 0)
        leftover_add_group(child);
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
        if (!progress_goes_on())
            (void)kill(child, SIGTERM);
    leftover_drop_group(child);
    if (!progress_goes_on())
        return smp_error_set(error, SMP_E_INTERRUPTED, -1, "interrupted; this chart is not drawn");
    if (child > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return SMP_OK;
    if (child > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 127)
        return smp_error_set(
            error, SMP_E_NO_GNUPLOT, -1,
            "gnuplot not found; install it: apt-get install gnuplot-nox; in a terminal, and for "
            "the numbers (--format csv), none is needed");
    return gnuplot_failed(work->messages, error);
}

/* Copies the chart. An SVG's title, which browsers and screen readers show, replaces gnuplot's
 * name. Returns false if there is no chart or it cannot be written. */
static bool copy_chart(FILE *from, FILE *to, const char *svg_title) {
    static const char own[] = "<title>Gnuplot</title>";
    char *line = NULL;
    size_t room = 0;
    ssize_t length;
    bool is_there = false, is_sound = true;
    rewind(from);
    while (is_sound && (length = getline(&line, &room, from)) > 0) {
        is_there = true;
        if (svg_title && strncmp(line, own, sizeof own - 1) == 0) {
            fputs("<title>", to);
            xml_put(to, svg_title, strlen(svg_title));
            fputs("</title>\n", to);
        } else {
            is_sound = fwrite(line, 1, (size_t)length, to) == (size_t)length;
        }
    }
    free(line);
    return is_there && is_sound;
}

smp_status plot_draw(const plot *what, const char *name, const plot_target *target, FILE *out,
                     smp_error *error) {
    plot *all = malloc(sizeof *all);
    job work = {NULL, NULL, NULL, NULL};
    if (!all)
        return smp_error_memory(error);
    *all = *what;
    bool is_svg = strcmp(target->ending, "svg") == 0;
    plot_set(all, "title", "%s", what->title);
    plot_set(all, "subtitle", "%s", what->subtitle);
    plot_set(all, "provenance", "%s", what->provenance);
    plot_set(all, "data", "/dev/fd/%d", fileno(what->data));
    plot_set(all, "ending", "%s", target->ending);
    plot_set(all, "theme", "%s", target->theme);
    smp_status status = job_open(&work, name, error);
    if (status == SMP_OK)
        status = job_run(&work, all->variables, error);
    if (status == SMP_OK && !copy_chart(work.chart, out, is_svg ? what->title : NULL))
        status = smp_error_set(error, SMP_E_INTERNAL, -1, "gnuplot drew nothing");
    if (status == SMP_OK && fflush(out) != 0)
        status = smp_error_set(error, SMP_E_WRITE, -1, "temporary file for the chart: %s",
                               strerror(errno));
    job_close(&work);
    free(all);
    return status;
}
