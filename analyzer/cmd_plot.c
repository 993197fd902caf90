/* SPDX-License-Identifier: MIT */
/*
 * plot: charts by gnuplot, from scripts that are written by hand (plots/) and a data file that is
 * written here. Nothing of the chart is decided in C but its size and where it goes.
 */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli.h"
#include "embedded.h"

static const smp_option options[] = {OPTION_OUTPUT, OPTION_FORCE, OPTION_ARCH, OPTION_HELP};

typedef struct terminal_row {
    const char *ending, *terminal;
} terminal_row;

static const terminal_row terminals[] = {
    {"png", "pngcairo size 1600,900 font 'DejaVu Sans,20'"},
    {"svg", "svg size 1600,900 dynamic font 'DejaVu Sans,20'"},
    {"pdf", "pdfcairo size 16cm,9cm font 'DejaVu Sans,9'"},
};

static const char *find_terminal(const char *path) {
    const char *dot = strrchr(path, '.');
    for (size_t i = 0; dot && i < sizeof terminals / sizeof terminals[0]; i++) {
        if (strcmp(dot + 1, terminals[i].ending) == 0)
            return terminals[i].terminal;
    }
    return NULL;
}

static const struct smp_embedded *find_script(const char *name) {
    char file[64];
    (void)snprintf(file, sizeof file, "%.50s.gp", name);
    for (size_t i = 0; i < smp_plot_file_count; i++) {
        if (strcmp(smp_plot_files[i].name, file) == 0)
            return &smp_plot_files[i];
    }
    return NULL;
}

/* stride, then for each width predicted and measured wavefronts (NaN: none) */
static void write_stride_data(FILE *out, const smp_arch *arch, char *provenance, size_t size) {
    (void)snprintf(provenance, size, "no measurements recorded for %s", arch->name);
    for (uint32_t stride = 0; stride <= 64; stride++) {
        fprintf(out, "%" PRIu32, stride);
        for (uint32_t width = 4; width <= 16; width *= 2) {
            smp_report report;
            memset(&report, 0, sizeof report);
            report.arch = *arch;
            report.has_pattern = true;
            report.pattern = smp_pattern_default();
            report.pattern.width_bytes = width;
            report.pattern.stride = stride;
            (void)smp_pattern_access(&report.pattern, &report.access, NULL);
            smp_report_fill(&report, NULL, NULL);
            const smp_measured *m = &report.measured;
            bool recorded = m->source == SMP_RECORDED;
            fprintf(out, " %" PRIu32, report.counts.wavefronts_max);
            if (recorded)
                fprintf(out, " %" PRIu64, m->count);
            else
                fputs(" NaN", out);
            if (recorded)
                (void)snprintf(provenance, size, "measured on %s, driver %s, CUDA %s, %s",
                               m->device, m->driver, m->cuda, m->date);
        }
        fputc('\n', out);
    }
}

static void terminal_size(unsigned *columns, unsigned *rows) {
    struct winsize window = {0};
    bool known = isatty(STDOUT_FILENO) && ioctl(STDOUT_FILENO, TIOCGWINSZ, &window) == 0;
    *columns = known && window.ws_col >= 40 ? window.ws_col : 79;
    *rows = known && window.ws_row >= 12 ? window.ws_row - 1u : 24;
}

/* Runs gnuplot with `setup` before the script on its standard input. */
static smp_status run_gnuplot(const char *setup, const struct smp_embedded *script,
                              smp_error *error) {
    int pipe_ends[2];
    if (pipe(pipe_ends) != 0)
        return smp_error_set(error, SMP_E_INTERNAL, -1, "pipe: %s", strerror(errno));
    (void)fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        (void)dup2(pipe_ends[0], STDIN_FILENO);
        (void)close(pipe_ends[0]);
        (void)close(pipe_ends[1]);
        (void)setenv("LC_ALL", "C.UTF-8", 1);
        (void)execlp("gnuplot", "gnuplot", "-e", setup, "/dev/stdin", (char *)NULL);
        _exit(127);
    }
    (void)close(pipe_ends[0]);
    struct sigaction ignore = {.sa_handler = SIG_IGN}, before;
    (void)sigaction(SIGPIPE, &ignore, &before);
    size_t sent = 0;
    while (child > 0 && sent < script->length) {
        ssize_t part = write(pipe_ends[1], script->text + sent, script->length - sent);
        if (part < 0)
            break;
        sent += (size_t)part;
    }
    (void)close(pipe_ends[1]);
    (void)sigaction(SIGPIPE, &before, NULL);
    int status = -1;
    if (child > 0)
        (void)waitpid(child, &status, 0);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 127)
        return smp_error_set(error, SMP_E_NO_GNUPLOT, -1,
                             "gnuplot not found; install it: apt-get install gnuplot-nox");
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
        return smp_error_set(error, SMP_E_INTERNAL, -1, "gnuplot failed (status %d)", status);
    return SMP_OK;
}

static smp_status draw(const arguments *args, const char *terminal, const char *target,
                       const struct smp_embedded *script, smp_error *error) {
    char data[] = "/tmp/smemprobe.XXXXXX", provenance[256], setup[1024];
    smp_arch arch;
    bool all;
    smp_status status = arguments_arch(args, &arch, &all, error);
    if (status == SMP_OK && all)
        return smp_error_set(error, SMP_E_USAGE, -1, "--arch all: plot needs one architecture");
    if (status != SMP_OK)
        return status;
    int file = mkstemp(data);
    FILE *out = file >= 0 ? fdopen(file, "w") : NULL;
    if (!out)
        return smp_error_set(error, SMP_E_WRITE, -1, "%s: %s", data, strerror(errno));
    write_stride_data(out, &arch, provenance, sizeof provenance);
    bool written = fclose(out) == 0;
    (void)snprintf(setup, sizeof setup,
                   "set terminal %s; %s%s%sdata='%s'; arch='%s (%s)'; provenance='%s'; plain=%d",
                   terminal, target ? "set output '" : "", target ? target : "",
                   target ? "'; " : "", data, arch.name, arch.family, provenance, target == NULL);
    status = written ? run_gnuplot(setup, script, error)
                     : smp_error_set(error, SMP_E_WRITE, -1, "%s: writing failed", data);
    (void)remove(data);
    return status;
}

static smp_status draw_on_terminal(const arguments *args, const struct smp_embedded *script,
                                   smp_error *error) {
    char terminal[64];
    unsigned columns, rows;
    terminal_size(&columns, &rows);
    (void)snprintf(terminal, sizeof terminal, "dumb size %u,%u noenhanced", columns, rows);
    return draw(args, terminal, NULL, script, error);
}

static smp_status draw_to_file(const arguments *args, const char *path,
                               const struct smp_embedded *script, smp_error *error) {
    char temporary[4096];
    const char *terminal = find_terminal(path);
    if (!terminal)
        return smp_error_set(error, SMP_E_USAGE, -1,
                             "-o %.80s: the name must end with .png, .svg or .pdf", path);
    if (strchr(path, '\''))
        return smp_error_set(error, SMP_E_USAGE, -1, "-o %.80s: a quote in the name", path);
    smp_status status = output_reserve(args, path, temporary, sizeof temporary, error);
    if (status != SMP_OK)
        return status;
    status = draw(args, terminal, temporary, script, error);
    if (status == SMP_OK && rename(temporary, path) != 0)
        status = smp_error_set(error, SMP_E_WRITE, -1, "%s: %s", path, strerror(errno));
    if (status != SMP_OK)
        (void)remove(temporary);
    return status;
}

static int run(const arguments *args) {
    smp_error error;
    const char *path = last_value(args, OPTION_OUTPUT);
    const char *name = args->positional_count ? args->positional[0] : "";
    const struct smp_embedded *script = find_script(name);
    smp_status status;
    if (!script)
        status = smp_error_set(&error, SMP_E_USAGE, -1,
                               "plot what? known: stride (smemprobe list plots)");
    else if (path)
        status = draw_to_file(args, path, script, &error);
    else
        status = draw_on_terminal(args, script, &error);
    return status == SMP_OK ? 0 : complain(&error);
}

const command_row command_plot = {
    .name = "plot",
    .summary = "charts: PNG, SVG, PDF or in the terminal",
    .usage = "stride [OPTIONS]",
    COMMAND_OPTIONS(options),
    .examples = "  smemprobe plot stride                 in the terminal\n"
                "  smemprobe plot stride -o stride.png   or .svg, .pdf\n",
    .run = run,
};
