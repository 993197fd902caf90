/* SPDX-License-Identifier: MIT */
/*
 * import: shows NVBit traces of other tools like a profile, beside what the rule of their simulator
 * gives.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "ask.h"
#include "output.h"
#include "profile_accel.h"
#include "profile_show.h"
#include "say.h"
#include "text_file.h"

static const smp_option options[] = {OPTION_ARCH, OPTION_TRACE, PROFILE_SHOW_OPTIONS};

static const option_words words[] = {
    {OPTION_ARCH, "rules to apply (default: those of the traced GPU)"},
    {OPTION_TRACE, "write every access to a new FILE (.smptrace), for batch and Python"},
    PROFILE_SHOW_WORDS,
    {OPTION_HELP, NULL}};

enum { MESSAGES_MAX = 20 };

typedef struct bad_lines {
    const char *path;
    uint64_t count;
} bad_lines;

static void say_bad_line(void *user, uint64_t line, const char *what) {
    bad_lines *bad = user;
    if (++bad->count <= MESSAGES_MAX)
        say_line("%s:%" PRIu64 ": %s", bad->path, line, what);
}

/* `trace` is the file name of sums->trace. */
static smp_status read_file(const char *path, const char *trace, const smp_arch *arch,
                            smp_profile *profile, smp_accel_sums *sums, smp_error *error) {
    const bool is_input = strcmp(path, "-") == 0;
    bad_lines bad = {.path = is_input ? "<stdin>" : path};
    smp_error bare;
    FILE *in = is_input ? stdin : smp_open_to_read(path);
    if (!in)
        return smp_error_set(error, SMP_E_READ, -1, "%.160s: %s", path, strerror(errno));
    const smp_status status =
        smp_profile_read_accel(in, arch, profile, sums, say_bad_line, &bad, &bare);
    if (!is_input)
        (void)fclose(in);
    if (bad.count > MESSAGES_MAX)
        say_line("%s: %" PRIu64 " more lines are wrong", bad.path, bad.count - MESSAGES_MAX);
    const char *name = status == SMP_E_WRITE ? trace : bad.path;
    return status == SMP_OK
               ? SMP_OK
               : smp_error_set(error, status, -1, "%.100s: %.150s", name, bare.message);
}

static smp_status add_run(const arguments *args, smp_profile *profile, smp_error *error) {
    char text[1024] = "smemprobe import";
    for (unsigned i = 0; i < args->positional_count && strlen(text) < sizeof text / 2; i++)
        (void)snprintf(text + strlen(text), sizeof text / 2, " %.500s", args->positional[i]);
    return smp_profile_begin_run(profile, SMP_ENGINE_GPU, text, "a GPU under NVBit")
               ? SMP_OK
               : smp_error_memory(error);
}

/* `arch` holds the row of --arch; the profile points to it. */
static smp_status read_all(const arguments *args, smp_arch *arch, smp_profile *profile,
                           smp_accel_sums *sums, smp_error *error) {
    const bool is_asked = has(args, OPTION_ARCH);
    smp_status status =
        ask_one_arch(args, "a trace is judged by the rules of one architecture", arch, error);
    if (status == SMP_OK && args->positional_count == 0)
        status = usage_error(error, "import needs a trace of Accel-Sim's tracer: kernel-1.traceg");
    if (status == SMP_OK)
        status = add_run(args, profile, error);
    for (unsigned i = 0; i < args->positional_count && status == SMP_OK; i++)
        status = read_file(args->positional[i], last_value(args, OPTION_TRACE),
                           is_asked ? arch : NULL, profile, sums, error);
    return status;
}

/* Reads all files, and writes the trace of --trace completely or not at all. */
static smp_status read_and_trace(const arguments *args, smp_arch *arch, smp_profile *profile,
                                 smp_accel_sums *sums, smp_error *error) {
    trace_file trace;
    if (profile_trace_open(args, &trace, error))
        return error->status;
    sums->trace = trace.writer;
    const smp_status status = read_all(args, arch, profile, sums, error);
    trace.rows = sums->trace_rows;
    trace.left_out = sums->trace_left_out;
    return profile_trace_end(&trace, status, error);
}

static int run(const arguments *args) {
    smp_error error;
    profile_show how = {0};
    smp_arch arch;
    smp_profile profile = {0};
    smp_accel_sums sums = {0};
    /* Check the output options now, not after all is read. */
    const bool is_read = !(profile_show_ask(args, &how, &error) ||
                           output_words_check(args, &error) || profile_trace_check(args, &error) ||
                           read_and_trace(args, &arch, &profile, &sums, &error));
    int exit_status = is_read ? profile_show_run(args, &how, &profile, stdout) : complain(&error);
    if (is_read) {
        (void)fflush(stdout);
        FILE *beside = say_open(); /* standard output holds the report */
        smp_accel_text(beside, &sums);
        say_close(beside);
    }
    if (exit_status == 0 && sums.bad_lines > 0)
        exit_status = smp_status_exit(SMP_E_SYNTAX);
    free(sums.sites);
    profile_show_clear(&how);
    smp_profile_clear(&profile);
    return exit_status;
}

const command_row command_import = {
    .name = "import",
    .summary = "show traces of Accel-Sim's tracer like a profile",
    .usage = "[OPTIONS] FILE...",
    COMMAND_OPTIONS(options),
    .many_words = true,
    .formats = PROFILE_SHOW_FORMATS,
    .words = words,
    .run = run,
};
