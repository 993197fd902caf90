/* SPDX-License-Identifier: MIT */
/* fix: finds a layout in which none of the given accesses conflicts. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ask_measure.h"
#include "fix.h"
#include "fix_measure.h"
#include "fix_patch.h"
#include "fix_watch.h"
#include "layout_source.h"
#include "new_file.h"
#include "output.h"
#include "profile_show.h"
#include "progress.h"
#include "put.h"
#include "say.h"
#include "suggest.h"
#include "target.h"
#include "text_file.h"
#include "tool.h"
#include "write_format.h"

enum { SEARCH_SECONDS = 30 };

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

/* ---- What is asked ---- */

/* Parses "pad,xor" into one bit per kind. */
static smp_status parse_spaces(const char *text, uint32_t *kinds, smp_error *error) {
    static const char *const names[] = {"pad", "xor", "linear", "rotate", "pad+xor"};
    enum { COUNT = sizeof names / sizeof names[0] };
    char word[LIST_WORD_MAX], guess[SUGGEST_TEXT_MAX];
    *kinds = 0;
    while (list_word(&text, word)) {
        unsigned at = 0;
        while (at < COUNT && strcmp(names[at], word) != 0)
            at++;
        if (at == COUNT)
            return usage_error(
                error, "--space %.20s: unknown; expected pad, xor, linear, rotate or pad+xor%s",
                word, suggest_text(word, names, COUNT, "", guess));
        *kinds |= 1u << (SMP_FIX_PAD + at); /* in the order of smp_fix_kind */
    }
    return SMP_OK;
}

/* The architectures of --arch, else of the file, else sm_90. */
static smp_status choose_archs(const arguments *args, const smp_layout *layout, arch_list *out,
                               smp_fix_options *ask, smp_error *error) {
    const size_t own = has(args, OPTION_ARCH) ? 0 : smp_layout_arch_count(layout);
    if (ask_arch_list(args, out, error))
        return error->status;
    for (size_t i = 0; i < own; i++)
        if (ask_arch_more(args, smp_layout_arch(layout, i)->name, out, error))
            return error->status;
    if (out->count == 0 && ask_arch_more(args, "sm_90", out, error))
        return error->status;
    ask->archs = out->rows;
    ask->arch_count = out->count;
    ask->skips_archs = out->all;
    return SMP_OK;
}

static smp_status parse_options(const arguments *args, smp_fix_options *ask, smp_error *error) {
    ask->keep = args->value[OPTION_KEEP];
    ask->keep_count = args->count[OPTION_KEEP];
    if (has(args, OPTION_SPACE) && parse_spaces(last_value(args, OPTION_SPACE), &ask->kinds, error))
        return error->status;
    return ask_max_bytes(args, &ask->max_bytes, error);
}

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

/* The code format of --emit or of the output file's extension; SMP_FORMAT_COUNT for a report. */
static smp_status choose_emit(const arguments *args, smp_format *out, smp_error *error) {
    char from[FORMAT_FROM_MAX], list[SMP_FORMATS_TEXT_MAX];
    const char *name = last_value(args, OPTION_EMIT);
    const char *ending = has(args, OPTION_FORMAT) ? NULL : output_format_name(args, from);
    *out = name     ? smp_format_find(SMP_CODE_FORMATS, name)
           : ending ? smp_format_of_ending(SMP_CODE_FORMATS, ending)
                    : SMP_FORMAT_COUNT;
    if (name && *out == SMP_FORMAT_COUNT)
        return usage_error(error, "--emit %.40s: unknown; known are %s", name,
                           smp_formats_text(SMP_CODE_FORMATS, " and ", list));
    if (name && has(args, OPTION_FORMAT))
        return usage_error(error, "--emit prints code and --format a report: give one of them");
    return SMP_OK;
}

/* Writes a report, or code if `emit` is a code format. */
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

typedef struct recording {
    const fix_trials *trials;
    const char *command;
} recording;

static bool write_recording(FILE *file, const void *user) {
    const recording *r = user;
    return fix_trials_record(file, r->trials, r->command);
}

/* Measures every layout in the tables, and records the measurements if asked to. */
static smp_status measure(const arguments *args, const record_target *to, const smp_fix *fix,
                          fix_trials *trials, smp_error *error) {
    int device;
    smp_probe *probe = NULL;
    progress_line line;
    if (ask_device(args, &device, error) || smp_probe_open(device, &probe, error))
        return error->status;
    progress_begin(&line, "measured", 0);
    const smp_status status = fix_measure(fix, probe, progress_step_of, &line, trials, error);
    progress_end(&line);
    smp_probe_close(probe);
    if (trials->done == 0 || !to->path)
        return status;
    smp_error second; /* the first failure is reported */
    const recording r = {trials, to->command};
    const smp_status recorded = new_file_write(to->path, to->overwrites, write_recording, &r,
                                               status == SMP_OK ? error : &second);
    return status == SMP_OK ? recorded : status;
}

/* Reads kernel times from the profile of --profile. */
static smp_status find_worth(const arguments *args, const smp_fix *fix, fix_worth *out,
                             smp_error *error) {
    const char *path = last_value(args, OPTION_TIMES_FROM);
    smp_profile profile = {0};
    smp_status status = profile_show_read(path, &profile, error);
    if (status == SMP_OK)
        status =
            fix_worth_find(&profile, path, last_value(args, OPTION_KERNEL_NAME), fix, out, error);
    smp_profile_clear(&profile);
    return status;
}

/* Writes the answer, with measurements if asked to. It reports failed measurements after the
 * answer. */
static int answer_all(const arguments *args, const smp_fix *fix, const char *file,
                      smp_format emit) {
    static const option_set nothing_more;
    const bool wants_worth = has(args, OPTION_TIMES_FROM);
    fix_trials trials = {0};
    record_target to = {0};
    fix_worth worth;
    smp_error error, unworthy;
    const bool has_failed =
        has(args, OPTION_PROBE) &&
        (ask_record(args, "fix --probe", POSITIONALS_MAX, nothing_more, &to, &error) ||
         measure(args, &to, fix, &trials, &error));
    const bool is_unworthy = wants_worth && find_worth(args, fix, &worth, &unworthy);
    fix_shown shown = {.fix = fix,
                       .file = file,
                       .trials = trials.done > 0 ? &trials : NULL,
                       .worth = wants_worth && !is_unworthy ? &worth : NULL,
                       .explains = has(args, OPTION_EXPLAIN)};
    const int exit_status = write_answer(args, emit, &shown);
    fix_trials_clear(&trials);
    if (is_unworthy)
        return complain(&unworthy);
    const int measured = has_failed ? complain(&error) : 0;
    return profile_show_exit(exit_status > 1 || measured == 0 ? exit_status : measured);
}

/* ---- The search ---- */

/* Shows only layouts that were checked. */
static int fail_to_solve(const arguments *args, const layout_source *from, unsigned line,
                         smp_error *error) {
    if (error->status == SMP_E_INTERRUPTED)
        (void)smp_error_set(error, SMP_E_INTERRUPTED, -1,
                            "interrupted before a layout was found and checked");
    const unsigned skipped = layout_options_given(args);
    return layout_source_complain(from, line > skipped ? line - skipped : 0, error);
}

static int solve_source(const arguments *args, const layout_source *from,
                        const smp_fix_options *ask, double budget, smp_format emit) {
    smp_error error;
    unsigned line = 0;
    smp_fix *fix = NULL;
    size_t length = 0;
    char *text = layout_source_text(args, from, &length);
    fix_watch w;
    smp_fix_options watched = *ask;
    watched.lines_before = layout_options_given(args);
    fix_watch_begin(&w, budget, &watched);
    const smp_status status = text ? smp_fix_solve(text, length, &watched, &fix, &line, &error)
                                   : smp_error_memory(&error);
    fix_watch_end(&w);
    int exit_status = status == SMP_OK ? answer_all(args, fix, from->file, emit)
                                       : fail_to_solve(args, from, line, &error);
    if (status == SMP_OK)
        exit_status = tell_end(&w, fix, exit_status);
    smp_fix_free(fix);
    free(text);
    return exit_status;
}

/* Options about measuring need --probe. */
static smp_status check_probe_options(const arguments *args, smp_error *error) {
    static const smp_option measuring[] = {OPTION_DEVICE, OPTION_RECORD};
    int device;
    return has(args, OPTION_PROBE)
               ? ask_device(args, &device, error)
               : refuse_options(args, measuring, sizeof measuring / sizeof *measuring,
                                "needs --probe", error);
}

static int run_source_model(const arguments *args) {
    smp_error error;
    arch_list archs;
    smp_fix_options ask = {.explains = true};
    smp_format emit;
    layout_source from = {0};
    uint64_t seconds = SEARCH_SECONDS;
    if (parse_options(args, &ask, &error) || choose_emit(args, &emit, &error) ||
        check_probe_options(args, &error) ||
        ask_number(args, OPTION_SECONDS, 1000000, &seconds, &error) ||
        output_check(args, last_value(args, OPTION_RECORD), &error) ||
        output_check(args, last_value(args, OPTION_OUTPUT), &error))
        return complain(&error);
    if (args->positional_count == 0)
        return complain_of(SMP_E_USAGE,
                           "fix needs accesses: a layout file, or 'ld tile[...]' with --shared");
    int exit_status = layout_source_read(args, args->positional, args->positional_count, &from);
    if (exit_status == 0)
        exit_status = choose_archs(args, from.layout, &archs, &ask, &error)
                          ? complain(&error)
                          : solve_source(args, &from, &ask, (double)seconds, emit);
    layout_source_clear(&from);
    return exit_status;
}

/* Formats that only a proven patch has. */
static bool is_of_patches(const char *format) {
    return strcmp(format, "patch") == 0 || strcmp(format, "sarif") == 0 ||
           strcmp(format, "github") == 0;
}

/* Only a change that was run is called a patch. */
static int refuse_patch(void) {
    return complain_of(SMP_E_USAGE, "a patch needs nvcc and one .cu file, without options for "
                                    "accesses (--shared, --block, --emit ...)");
}

/* Refuses a program, or code without its source. */
static bool is_without_source(const char *word) {
    static const char *const endings[] = {".cubin", ".ptx", ".py"};
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
        if (smp_name_ends(word, endings[i]))
            return access(word, F_OK) == 0;
    return target_is_program(word);
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

/* Whether nvcc and nvdisasm are there; else `missing` says which is not. */
static bool can_prove(bool *compiles, smp_error *missing) {
    char path[4096];
    *compiles = smp_tool_find("nvcc", path, sizeof path, missing) == SMP_OK;
    return *compiles && smp_tool_find("nvdisasm", path, sizeof path, missing) == SMP_OK;
}

static int run(const arguments *args) {
    char from[FORMAT_FROM_MAX];
    smp_error missing;
    bool compiles = true;
    int exit_status;
    const char *format = output_format_name(args, from);
    const bool is_asked = fix_patch_is_asked(args);
    if (fix_program_is_asked(args) && can_prove(&compiles, &missing))
        return fix_program_run(args);
    if (is_asked && can_prove(&compiles, &missing)) {
        arguments advised = *args;
        if (fix_patch_run(args, &exit_status))
            return exit_status;
        advised.positional_count = 1; /* without the compiler's flags */
        return run_source_model(&advised);
    } else if (args->positional_count > 0 && !is_asked && is_without_source(args->positional[0])) {
        return refuse_program(args->positional[0]);
    } else if (has(args, OPTION_APPLY) || has(args, OPTION_RACES) || has(args, OPTION_LAUNCH) ||
               has(args, OPTION_KEEP_ANYWAY) || (format && is_of_patches(format))) {
        return is_asked && compiles ? complain_of(missing.status, "%s", missing.message)
                                    : refuse_patch();
    } else if (is_asked && compiles) {
        fix_say_advice(missing.message);
    } else if (is_asked) {
        say_line("smemprobe: without nvcc nothing is compiled or tested; this is advice from "
                 "the source");
    }
    return run_source_model(args);
}

const command_row command_fix = {
    .name = "fix",
    .summary = "find a repair: padding or swizzle; for kernel.cu a tested patch",
    .description = "For a .cu file: compiles it, runs it on the CPU, and looks for paddings "
                   "and swizzles that cause fewer conflicts. It keeps a change only if the "
                   "changed file, compiled and run, leaves the same bytes in memory. The "
                   "result is a patch. For accesses or a layout file: searches for a layout in "
                   "which no access of an array conflicts, checks every lane, and prints the code.",
    .usage = "[OPTIONS] ACCESS... | FILE.smp | FILE.cu [-- COMPILER FLAGS [-- ARGUMENTS]] | "
             "FILE.smprof | ./app | -- ./app ARGUMENTS | -",
    COMMAND_OPTIONS(options),
    .formats = SMP_FIX_FORMS(SMP_FORM_NAME, ) " patch sarif github" + 1,
    .words = words,
    .examples = "  smemprobe fix kernel.cu -o kernel.patch         a tested patch, for patch -p1\n"
                "  smemprobe fix app.cu -- -O3 -- 64 input.txt     with the program's arguments\n"
                "  smemprobe fix examples/transpose-32x32.smp      the best layout and its code\n"
                "  smemprobe fix kernel.smp -o fixed.smp           the repaired file, for check\n"
                "  smemprobe fix --emit cuda kernel.smp            only the code to paste\n"
                "  smemprobe fix --arch sm_70,sm_90 --space pad k.smp   padding for both\n"
                "  smemprobe fix 'ld p[threadIdx.x].x' --global 'float4 p[4096]'  global memory\n"
                "  smemprobe fix 'ld tile[threadIdx.x][threadIdx.y]' --block 32x8 \\\n"
                "            --shared 'float tile[32][32]'         as in the kernel\n"
                "\n"
                "The exit status is 0 if a repair was found or none is needed, and 1 if\n"
                "conflicts remain.\n",
    .run = run,
};
