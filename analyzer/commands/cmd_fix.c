/* SPDX-License-Identifier: MIT */
/* fix: finds a layout in which none of the given accesses conflicts. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ask_fix.h"
#include "fix_measure.h"
#include "fix_patch.h"
#include "fix_watch.h"
#include "new_file.h"
#include "output.h"
#include "profile_show.h"
#include "progress.h"
#include "put.h"
#include "say.h"
#include "tool.h"
#include "write_format.h"

static const smp_option options[] = {
    OPTION_SHARED,      OPTION_GLOBAL,     OPTION_BLOCK,       OPTION_GRID,    OPTION_DEFINE,
    OPTION_KERNEL_NAME, OPTION_DATA,       OPTION_FOR,         OPTION_ARCH,    OPTION_BANK_MODE,
    OPTION_SPACE,       OPTION_KEEP,       OPTION_MAX_BYTES,   OPTION_SECONDS, OPTION_EMIT,
    OPTION_EXPLAIN,     OPTION_TIMES_FROM, OPTION_PROBE,       OPTION_DEVICE,  OPTION_RECORD,
    OPTION_APPLY,       OPTION_RACES,      OPTION_KEEP_ANYWAY, OPTION_LAUNCH,  OUTPUT_OPTIONS};

static const option_words words[] = {
    {OPTION_ARCH, "sm_90, 9.0, hopper, GH100 ..., several or all"},
    {OPTION_RACES, "for kernel.cu: repair races instead of layouts"},
    {OPTION_LAUNCH, "for kernel.cu: run this launch instead of the file's: 'k<<<grid, "
                    "block>>>(arguments)'"},
    {OPTION_EXPLAIN, "also explain what conflicts, and what the fix changes"},
    {OPTION_SECONDS, "stop the search after this time, with the best result so far (default "
                     "30; 300 for a patch)"},
    {0}};

/* Says on standard error that Ctrl-C or the time limit ended the search. Returns 130 after
 * Ctrl-C. */
static int tell_end(const fix_watch *w, const smp_fix *fix, int exit_status) {
    smp_fix_result result = smp_fix_result_of(fix);
    const char *count = count_text(result.candidates);
    if (result.ended_by == SMP_FIX_OUT_OF_TIME)
        say_line("smemprobe: the search stopped after %.0f s with the best of %s layouts; "
                 "--time allows more",
                 w->budget, count);
    if (w->interrupted == 0)
        return exit_status;
    if (result.ended_by == SMP_FIX_INTERRUPT)
        say_line("smemprobe: interrupted: this is the best of %s layouts tried", count);
    else
        say_line("smemprobe: interrupted after the search; its result is complete");
    return smp_status_exit(SMP_E_INTERRUPTED);
}

/* ---- The answer ---- */

/* Writes a report, or code. */
static int write_answer(const arguments *args, smp_format emit, fix_shown *shown) {
    smp_error error;
    output out;
    bool sound = true;
    const bool is_code = emit != SMP_FORMAT_COUNT;
    if (is_code ? output_open_as(args, emit, &out, &error) : output_open(args, &out, &error))
        return complain(&error);
    shown->style = out.style;
    if (is_code)
        sound = smp_format_row_of(emit)->code(out.stream, shown->fix);
    else
        smp_format_row_of(out.format)->fix(out.stream, shown);
    if (output_close(&out, sound, &error) != SMP_OK)
        return complain(&error);
    bool agrees = !shown->trials || shown->trials->differing == 0;
    return smp_fix_result_of(shown->fix).is_free && agrees ? 0 : 1;
}

/* ---- On the GPU ---- */

/* Measures every layout in the tables, and records the measurements if asked to. */
static smp_status measure(const fix_asked *asked, const smp_fix *fix, fix_trials *trials,
                          smp_error *error) {
    const record_target *to = &asked->record;
    smp_probe *probe = NULL;
    progress_line line;
    if (smp_probe_open(asked->device, &probe, error))
        return error->status;
    progress_begin(&line, "measured", 0);
    const smp_status status = fix_measure(fix, probe, progress_step_of, &line, trials, error);
    progress_end(&line);
    smp_probe_close(probe);
    if (trials->done == 0 || !to->path)
        return status;
    smp_error second; /* the first failure is reported */
    trials->command = to->command;
    const smp_status recorded = new_file_write(to->path, to->overwrites, fix_trials_record, trials,
                                               status == SMP_OK ? error : &second);
    return status == SMP_OK ? recorded : status;
}

/* Reads kernel times from the profile of --profile. */
static smp_status find_worth(const fix_asked *asked, const smp_fix *fix, fix_worth *out,
                             smp_error *error) {
    smp_profile profile = {0};
    smp_status status = profile_show_read(asked->times_from, &profile, error);
    if (status == SMP_OK)
        status = fix_worth_find(&profile, asked->times_from, asked->kernel, fix, out, error);
    smp_profile_clear(&profile);
    return status;
}

/* Writes the answer, with measurements if asked to. It reports failed measurements after the
 * answer. */
static int answer_all(const arguments *args, const fix_asked *asked, const smp_fix *fix) {
    fix_trials trials = {0};
    fix_worth worth;
    smp_error error, unworthy;
    const bool has_failed = asked->is_measured && measure(asked, fix, &trials, &error);
    const bool is_unworthy = asked->times_from && find_worth(asked, fix, &worth, &unworthy);
    fix_shown shown = {.fix = fix,
                       .file = asked->from.file,
                       .trials = trials.done > 0 ? &trials : NULL,
                       .worth = asked->times_from && !is_unworthy ? &worth : NULL,
                       .explains = asked->explains};
    const int exit_status = write_answer(args, asked->emit, &shown);
    fix_trials_clear(&trials);
    if (is_unworthy)
        return complain(&unworthy);
    const int measured = has_failed ? complain(&error) : 0;
    return profile_show_exit(exit_status > 1 || measured == 0 ? exit_status : measured);
}

/* ---- The search ---- */

/* Shows only layouts that were checked. */
static int fail_to_solve(const fix_asked *asked, unsigned line, smp_error *error) {
    if (error->status == SMP_E_INTERRUPTED)
        (void)smp_error_set(error, SMP_E_INTERRUPTED, -1,
                            "interrupted before a layout was found and checked");
    const unsigned skipped = asked->options.lines_before;
    return layout_source_complain(&asked->from, line > skipped ? line - skipped : 0, error);
}

static int solve(const arguments *args, const fix_asked *asked) {
    smp_error error;
    unsigned line = 0;
    smp_fix *fix = NULL;
    fix_watch w;
    smp_fix_options watched = asked->options;
    fix_watch_begin(&w, asked->seconds, &watched);
    const smp_status status =
        smp_fix_solve(asked->text, asked->length, &watched, &fix, &line, &error);
    fix_watch_end(&w);
    const int exit_status = status == SMP_OK ? tell_end(&w, fix, answer_all(args, asked, fix))
                                             : fail_to_solve(asked, line, &error);
    smp_fix_free(fix);
    return exit_status;
}

static int run_source_model(const arguments *args) {
    fix_asked asked;
    int exit_status = ask_fix(args, &asked);
    if (exit_status == 0)
        exit_status = solve(args, &asked);
    fix_asked_clear(&asked);
    return exit_status;
}

/* ---- Which of the ways ---- */

/* Only a change that was run is called a patch. */
static int refuse_patch(void) {
    return complain_of(SMP_E_USAGE, "a patch needs nvcc and one .cu file, without options for "
                                    "accesses (--shared, --block, --emit ...)");
}

static int refuse_program(const char *word) {
    const char *ending = strrchr(word, '.');
    if (ending && strcmp(ending, ".py") == 0)
        return complain_of(SMP_E_READ,
                           "fix tries configurations of a script's Triton kernels from the Python "
                           "package: python3 -m smemprobe fix %.120s",
                           word);
    return complain_of(
        SMP_E_READ,
        "fix changes source files, and %.120s is not one: smemprobe profile -o app.smprof -- "
        "%.120s, then smemprobe fix app.smprof [-- COMPILER FLAGS]",
        word, word);
}

/* Whether a source can be compiled and run here; else `missing` says what is not there. */
static bool can_prove(bool *compiles, smp_error *missing) {
    char path[4096];
    *compiles = smp_tool_find("nvcc", path, sizeof path, missing) == SMP_OK;
    return *compiles && smp_tools_find(true, missing) == SMP_OK;
}

/* If the source cannot be compiled, there is only advice. */
static int run_patch(const arguments *args) {
    arguments advised = *args;
    int exit_status;
    if (fix_patch_run(args, &exit_status))
        return exit_status;
    advised.positional_count = 1; /* without the compiler's flags */
    return run_source_model(&advised);
}

static int run(const arguments *args) {
    const fix_way way = fix_way_of(args);
    smp_error missing;
    bool compiles = false;
    const bool is_tested =
        (way == FIX_PROGRAM || way == FIX_PATCH) && can_prove(&compiles, &missing);
    if (way == FIX_REFUSED || (way == FIX_PROGRAM && !is_tested))
        return refuse_program(args->positional[0]);
    if (is_tested)
        return way == FIX_PROGRAM ? fix_program_run(args) : run_patch(args);
    if (fix_needs_proof(args))
        return compiles ? complain_of(missing.status, "%s", missing.message) : refuse_patch();
    if (way == FIX_PATCH)
        fix_say_advice(compiles ? &missing : NULL);
    return run_source_model(args);
}

const command_row command_fix = {
    .name = "fix",
    .summary = "find a repair: padding or swizzle; for kernel.cu a tested patch",
    .usage = "[OPTIONS] ACCESS... | FILE.smp | FILE.cu [-- COMPILER FLAGS [-- ARGUMENTS]] | "
             "FILE.smprof | ./app | -- ./app ARGUMENTS | -",
    COMMAND_OPTIONS(options),
    .formats = SMP_FIX_FORMS(SMP_FORM_NAME, ) " patch sarif github" + 1,
    .words = words,
    .run = run,
};
