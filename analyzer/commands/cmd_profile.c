/* SPDX-License-Identifier: MIT */
/*
 * profile: runs a program and shows what its accesses cost, for all its processes together or one
 * file per process. --no-gpu runs it on the CPU.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ask.h"
#include "assumed_launch.h"
#include "budget.h"
#include "kept_replay.h"
#include "leftover.h"
#include "output.h"
#include "profile_emulated.h"
#include "profile_instrumented.h"
#include "profile_show.h"
#include "profile_verify.h"
#include "program_file.h"
#include "say.h"
#include "seconds.h"
#include "source_line.h"
#include "target.h"

static const smp_option options[] = {
    OPTION_MEMORY, OPTION_LAUNCHES,     OPTION_CHILDREN, OPTION_VERIFY,   OPTION_TIMED,
    OPTION_NO_GPU, OPTION_CAPTURE,      OPTION_TRACE,    OPTION_ARCH,     OPTION_LIMIT,
    OPTION_BUDGET, OPTION_STACK,        OPTION_RACES,    OPTION_OVERHEAD, OPTION_EXACT,
    OPTION_NVTX,   PROFILE_SHOW_OPTIONS};

static const option_words words[] = {
    {OPTION_ARCH,
     "with --no-gpu: GPUs to emulate, one run each: sm_80,sm_90 (default: the code's)"},
    {OPTION_MEMORY, "shared (default), global, local or all (default with --no-gpu)"},
    {OPTION_LAUNCHES,
     "only the first N launches of each kernel; marked: only those that the program marks"},
    {OPTION_LIMIT,
     "with --no-gpu, N[:M]: limit on warp instructions of a block (10^9), and a launch (10^11)"},
    {OPTION_STACK, "with --no-gpu: stack per thread, unless cudaDeviceSetLimit sets more"},
    {OPTION_BUDGET,
     "with --no-gpu: stop after this time, and report what ran so far (0: no limit)"},
    {OPTION_RACES, "with --no-gpu: also find races: accesses that nothing orders"},
    PROFILE_SHOW_WORDS,
    {OPTION_HELP, NULL}};

static const option_words refused[] = {
    {OPTION_DEFINE, "the program has its own values; nvcc takes -DNAME=VALUE after --"},
    {OPTION_LAUNCH, "the program makes its own launches; smemprobe emulate FILE --launch runs one"},
    {0}};

#define OVERHEAD_DEFAULT 1.2
enum { OVERHEAD_MOST = 1000 };
/* Nobody asked for samples, so they must be short: later kernels have none. */
#define SAMPLE_SECONDS 20.0
/* Arrays and code of kept launches (host_capture.c) stay below. */
#define SAMPLE_BYTES_MOST (4ull << 30)
/* Up to so many launches --verify compares all: Nsight Compute counts several a second. */
enum { VERIFIED_WHOLE = 200 };

/* The options of the command line, except those that instrumented runs read themselves. */
typedef struct profile_job {
    arguments args; /* with the name of -o expanded, except for %p */
    char output[OUTPUT_NAME_MAX], trace[OUTPUT_NAME_MAX];
    const char *pattern; /* the name of -o if it has %p (one file per process), else NULL */
    profile_show how;
    const char *memory;
    const char *launches;    /* "marked", or how many of each kernel; NULL for all */
    uint64_t first_launches; /* if a number; else 0 */
    bool is_first_only;      /* by default, because they are to be counted */
    double overhead;         /* times the program's own time; 0 to observe all launches */
    bool own_only;
    double begun, ran, spent,
        sampled; /* seconds: start time; time of the program, of observation, of sampled blocks */
    char **argv; /* the program and its arguments, NULL-terminated */
} profile_job;

/* Reads --memory (default shared) and --children (default all). */
static smp_status ask_what(profile_job *job, smp_error *error) {
    static const char *const memories[] = {"shared", "global", "local", "all"};
    unsigned word = 0, children = 0;
    if (ask_word(&job->args, OPTION_MEMORY, &word, error) ||
        ask_word(&job->args, OPTION_CHILDREN, &children, error))
        return error->status;
    job->memory = memories[word];
    job->own_only = children == 1; /* none */
    return SMP_OK;
}

static void set_output(arguments *args, const char *path) {
    args->value[OPTION_OUTPUT][args->count[OPTION_OUTPUT] - 1] = path;
}

static smp_status ask_output(profile_job *job, smp_error *error) {
    const char *given = last_value(&job->args, OPTION_OUTPUT);
    if (!given)
        return SMP_OK;
    if (output_name_expand(given, 0, job->output, error))
        return error->status;
    if (output_name_has_process(given))
        job->pattern = given;
    set_output(&job->args, job->output);
    if (job->pattern && has(&job->args, OPTION_NO_GPU))
        return usage_error(error, "-o %.80s: %%p does not work with --no-gpu; %%h and %%q{VAR} do",
                           given);
    if (job->pattern && (has(&job->args, OPTION_VERIFY) || has(&job->args, OPTION_TIMED)))
        return usage_error(error,
                           "--%s runs the program again, with other process numbers, so the name "
                           "must not have %%p",
                           has(&job->args, OPTION_VERIFY) ? "verify" : "time");
    return SMP_OK;
}

static smp_status ask_trace(profile_job *job, smp_error *error) {
    const char *given = last_value(&job->args, OPTION_TRACE);
    if (!given)
        return SMP_OK;
    if (output_name_expand(given, 0, job->trace, error))
        return error->status;
    if (output_name_has_process(given))
        return usage_error(error,
                           "--trace %.80s: all processes share one file, so %%p does not work; "
                           "%%h and %%q{VAR} do",
                           given);
    job->args.value[OPTION_TRACE][job->args.count[OPTION_TRACE] - 1] = job->trace;
    return profile_trace_check(&job->args, error);
}

bool profile_needs_cpu(const arguments *args) {
    return has(args, OPTION_ARCH) || has(args, OPTION_LIMIT) || has(args, OPTION_BUDGET) ||
           has(args, OPTION_STACK) || has(args, OPTION_RACES);
}

static smp_status check_options(const profile_job *job, smp_error *error) {
    const arguments *args = &job->args;
    if (args->positional_count == 0)
        return usage_error(error, "profile needs a program: smemprobe profile -- COMMAND [ARGS]");
    if (has(args, OPTION_VERIFY) && (job->how.filter.file || job->how.filter.first_line > 0))
        return usage_error(error, "--verify compares whole kernels, so it does not go with "
                                  "--file or --line");
    if (!has(args, OPTION_NO_GPU) && profile_needs_cpu(args))
        return usage_error(error, "--arch, --limit, --budget, --stack and --races need --no-gpu");
    return SMP_OK;
}

/* Reads --overhead, which applies unless another option asks for all launches. */
static smp_status ask_overhead(profile_job *job, smp_error *error) {
    const char *given = last_value(&job->args, OPTION_OVERHEAD);
    const bool is_all = has(&job->args, OPTION_EXACT) || has(&job->args, OPTION_LAUNCHES) ||
                        has(&job->args, OPTION_VERIFY) || has(&job->args, OPTION_TIMED) ||
                        has(&job->args, OPTION_TRACE) || has(&job->args, OPTION_CAPTURE);
    char *end = NULL;
    const double number = given ? strtod(given, &end) : OVERHEAD_DEFAULT;
    if (given && (end == given || *end != '\0' || !(number > 1 && number <= OVERHEAD_MOST)))
        return usage_error(
            error, "--overhead %.40s: expected a number above 1 and at most %d, such as 1.2", given,
            OVERHEAD_MOST);
    if (given && is_all)
        return usage_error(error, "--overhead limits which launches are observed, so it does "
                                  "not go with --exact, --launches, --verify, --time, --trace "
                                  "or --capture");
    job->overhead = is_all ? 0 : number;
    return SMP_OK;
}

/* Reads --launches. Nsight Compute runs a kernel several times to count it, which takes minutes for
 * thousands of launches: by default --verify compares the first of each kernel, or all of a program
 * that makes few. */
static smp_status ask_launches(profile_job *job, smp_error *error) {
    const arguments *args = &job->args;
    const char *launches = last_value(args, OPTION_LAUNCHES);
    job->is_first_only = !launches && has(args, OPTION_VERIFY) && !has(args, OPTION_EXACT);
    if (job->is_first_only)
        launches = "1";
    job->launches = launches;
    if (!launches)
        return SMP_OK;
    if (strcmp(launches, "marked") != 0)
        return number_parse(launches, "launches", INT64_MAX, &job->first_launches, error);
    return has(args, OPTION_TIMED) || has(args, OPTION_VERIFY)
               ? usage_error(error, "--launches marked does not go with --time and --verify, "
                                    "which measure whole programs")
               : SMP_OK;
}

static smp_status ask(profile_job *job, smp_error *error) {
    for (unsigned i = 0; i < job->args.positional_count; i++)
        job->argv[i] = (char *)(uintptr_t)job->args.positional[i];
    /* Check the output options now, not after the program has run. */
    if (profile_show_ask(&job->args, &job->how, error) || ask_what(job, error) ||
        ask_launches(job, error) || ask_overhead(job, error) || check_options(job, error) ||
        ask_output(job, error) || ask_trace(job, error) || output_words_check(&job->args, error))
        return error->status;
    return has(&job->args, OPTION_NO_GPU) ? profile_show_memory(&job->args, &job->how, error)
                                          : SMP_OK;
}

/* Runs the program again under hardware counters. */
static int verify(const profile_job *job, const smp_profile *profile) {
    smp_verification found = {0};
    unsigned counts = 0;
    smp_error error;
    const smp_status status =
        profile_count(job->argv, profile, job->first_launches, &found, &counts, &error);
    if (status == SMP_OK) {
        FILE *out = say_open();
        smp_verification_text(out, &found, job->first_launches, counts);
        say_close(out);
    }
    const bool differs = found.count[SMP_DIFFERS] > 0;
    smp_verification_clear(&found);
    return status == SMP_OK ? differs : complain(&error);
}

static int show(const profile_job *job, smp_profile *profile) {
    const int status = profile_show_run(&job->args, &job->how, profile, stderr);
    if (!has(&job->args, OPTION_VERIFY) || profile->kernel_count == 0)
        return status;
    const int verified = verify(job, profile);
    return status != 0 ? status : verified;
}

/* Shows one file per process. Returns the first exit status that is not 0. */
static int show_each(profile_job *job, instrumented_processes *seen) {
    int status = 0;
    uint64_t requests = 0;
    job->how.is_part = true;
    for (size_t i = 0; i < seen->count; i++) {
        smp_error error;
        char name[OUTPUT_NAME_MAX];
        int shown;
        if (output_name_expand(job->pattern, seen->list[i].process, name, &error) != SMP_OK) {
            shown = complain(&error);
        } else {
            set_output(&job->args, name);
            requests += smp_profile_requests(&seen->list[i].profile);
            shown = show(job, &seen->list[i].profile);
        }
        status = status != 0 ? status : shown;
    }
    set_output(&job->args, job->output);
    job->how.is_part = false;
    return status != 0 || requests > 0 ? status : profile_show_nothing(&job->how);
}

static instrumented_job instrumented(const profile_job *job) {
    return (instrumented_job){.argv = job->argv,
                              .launches = job->launches,
                              .kernels = last_value(&job->args, OPTION_KERNEL),
                              .nvtx = last_value(&job->args, OPTION_NVTX),
                              .capture = last_value(&job->args, OPTION_CAPTURE),
                              .memory = job->memory,
                              .overhead = job->overhead,
                              .own_only = job->own_only,
                              .notes = &say_notes};
}

/* Runs the program, once more with its output discarded if `is_again`, and adds its figures to
 * *profile, or shows them and sets *shown to the exit status. */
static smp_status run_patched(profile_job *job, const char *sample, bool is_again,
                              smp_profile *profile, child_end *end, int *shown, smp_error *error) {
    trace_file trace;
    if (profile_trace_open(&job->args, &trace, error))
        return error->status;
    instrumented_job attached = instrumented(job);
    attached.trace = trace.writer ? &trace : NULL;
    attached.is_again = is_again;
    attached.sample = sample[0] != '\0' ? sample : NULL;
    instrumented_processes seen;
    smp_status status = profile_instrumented_run(&attached, &seen, error);
    status = profile_trace_end(&trace, status, error);
    if (status == SMP_OK)
        *end = seen.end;
    job->ran = seen.ran;
    job->spent = seen.spent;
    if (status == SMP_OK && job->pattern)
        *shown = show_each(job, &seen);
    for (size_t i = 0; status == SMP_OK && !job->pattern && i < seen.count; i++)
        status = smp_profile_merge(profile, &seen.list[i].profile, error);
    const double begun = seconds_now();
    if (status == SMP_OK && !job->pattern && attached.sample)
        status = emulate_kept_unseen(sample, NULL, SAMPLE_SECONDS, profile, error);
    job->sampled = seconds_now() - begun;
    profile_instrumented_clear(&seen);
    return status;
}

/* Observes all launches of a program that makes few, if only the first were observed. */
static smp_status run_whole(profile_job *job, smp_profile *profile, child_end *end, int *shown,
                            smp_error *error) {
    const bool may_repeat = !has(&job->args, OPTION_TRACE) && !has(&job->args, OPTION_CAPTURE);
    uint64_t seen = 0, skipped = 0;
    for (uint32_t i = 0; i < profile->kernel_count; i++) {
        seen += profile->kernels[i].launches;
        skipped += profile->kernels[i].launches_skipped;
    }
    if (!job->is_first_only || seen + skipped > VERIFIED_WHOLE || (skipped > 0 && !may_repeat))
        return SMP_OK;
    job->launches = NULL;
    job->first_launches = 0;
    if (skipped == 0)
        return SMP_OK;
    smp_profile_clear(profile);
    return run_patched(job, "", true, profile, end, shown, error);
}

/* Says how many kernels were not observed: a gate has not judged them. */
static void say_unseen(const profile_job *job, const smp_profile *profile) {
    const uint32_t count = smp_profile_unobserved(profile);
    if (job->overhead > 0 && count > 0)
        say_line("smemprobe: %" PRIu32 " kernel%s not observed within "
                 "--overhead %.6g; --exact observes all",
                 count, count == 1 ? " was" : "s were", job->overhead);
}

/* Says how long the program took, and the report after it. */
static void say_times(const profile_job *job) {
    if (job->overhead > 0 && job->ran > 0)
        say_line("smemprobe: the program took %.3g s, %.2g s of that for observation; this "
                 "report took %.2g s, %.2g s of that for blocks on the CPU",
                 job->ran, job->spent, seconds_now() - job->begun - job->ran, job->sampled);
}

static void say_untimed(uint32_t count, const char *why) {
    if (count > 0)
        say_line("smemprobe: %" PRIu32 " kernel%s no time: %s", count,
                 count == 1 ? " has" : "s have", why);
}

/* Runs the program again without patches and times each kernel. */
static smp_status run_timed(const profile_job *job, smp_profile *profile, smp_error *error) {
    instrumented_job attached = instrumented(job);
    attached.is_timed = true;
    instrumented_processes seen;
    smp_status status = profile_instrumented_run(&attached, &seen, error);
    if (status == SMP_OK) {
        const smp_untimed without = smp_profile_set_times(profile, &seen.times);
        say_untimed(without.twins, "several kernels have one name and shape");
        say_untimed(without.unlaunched,
                    "the timed run did not launch them (some programs try a kernel only until "
                    "a cache knows it)");
    }
    profile_instrumented_clear(&seen);
    return status;
}

static int run_instrumented(profile_job *job) {
    smp_error error;
    smp_profile profile = {0};
    child_end end = {0};
    int shown = 0;
    char sample[SCRATCH_PATH_BYTES] = "";
    job->begun = seconds_now();
    smp_status status = job->overhead > 0 && !job->pattern
                            ? scratch_folder_make_for(SAMPLE_BYTES_MOST, sample, &error)
                            : SMP_OK;
    if (status == SMP_OK)
        status = run_patched(job, sample, false, &profile, &end, &shown, &error);
    if (status == SMP_OK)
        status = run_whole(job, &profile, &end, &shown, &error);
    scratch_folder_remove(sample);
    if (status == SMP_OK && has(&job->args, OPTION_TIMED) && profile.kernel_count > 0)
        status = run_timed(job, &profile, &error);
    if (status == SMP_OK)
        say_unseen(job, &profile);
    if (status != SMP_OK)
        shown = complain(&error);
    else if (!job->pattern)
        shown = show(job, &profile);
    if (status == SMP_OK)
        say_times(job);
    smp_profile_clear(&profile);
    return end.exit_status != 0 ? end.exit_status : shown;
}

/* ---- Without a GPU ---- */

enum { STATUS_STOPPED = 124 /* of a process stopped by --budget */ };

static smp_status check_emulated(const arguments *args, smp_error *error) {
    static const smp_option alien[] = {OPTION_VERIFY, OPTION_TIMED, OPTION_OVERHEAD};
    return refuse_options(args, alien, sizeof alien / sizeof *alien,
                          "needs a GPU, so it does not go with --no-gpu", error);
}

static void say(const char *line) {
    say_line("%s%s", line[0] == ' ' ? "" : "smemprobe: ", line);
}

/* Reads --arch: the GPUs to emulate; by default that of the code. */
static smp_status ask_played(const arguments *args, arch_list *out, smp_error *error) {
    static const smp_option of_one[] = {OPTION_TRACE, OPTION_CAPTURE};
    if (ask_arch_list(args, out, error))
        return error->status;
    if (out->all)
        return usage_error(error, "--arch all: a program has code for some architectures only; "
                                  "name them, as in --arch sm_80,sm_90");
    for (size_t i = 0; i < out->count; i++)
        if (out->rows[i].cc_major * 10u + out->rows[i].cc_minor < EMULATED_CC_LEAST)
            return usage_error(error, "--arch %s: machine code below 7.5 is not supported",
                               out->rows[i].name);
    return out->count < 2 ? SMP_OK
                          : refuse_options(args, of_one, sizeof of_one / sizeof *of_one,
                                           "needs one architecture: name it with --arch", error);
}

static smp_status ask_emulated(const arguments *args, char *const argv[], emulated_job *out,
                               smp_error *error) {
    *out = (emulated_job){.argv = argv,
                          .launches = last_value(args, OPTION_LAUNCHES),
                          .capture = last_value(args, OPTION_CAPTURE),
                          .kernels = last_value(args, OPTION_KERNEL),
                          .nvtx = last_value(args, OPTION_NVTX),
                          .lost = profile_show_loss,
                          .say = say};
    if (check_emulated(args, error) || ask_run(args, &out->run, error) ||
        ask_number(args, OPTION_BUDGET, EMULATE_SECONDS_MOST, &out->budget_seconds, error))
        return error->status;
    out->has_budget = out->budget_seconds > 0;
    return SMP_OK;
}

static void say_no_launch(const emulated_program *left) {
    const char *file = profile_shown_as(); /* with arguments; perhaps it lacks some */
    if (left->is_stopped)
        say_line("smemprobe: the time ran out before the program launched a kernel");
    else if (file && !strstr(file, " -- "))
        say_line("smemprobe: no kernel was launched; if its main needs arguments, give them "
                 "after a second --: %s -- -- ARGUMENTS",
                 file);
    else
        say_line("smemprobe: no kernel was launched through the CUDA runtime or the driver "
                 "(does the program launch any?)");
}

static int show_emulated(const arguments *args, const profile_show *how, uint64_t seconds,
                         emulated_program *left) {
    if (left->profile.kernel_count == 0 && !left->has_lines && !how->filter.nvtx)
        say_no_launch(left);
    const int status = profile_show_run(args, how, &left->profile, stderr);
    if (left->is_sampled)
        say_line("smemprobe: after %llu s launches were not run as a whole, so the program's own "
                 "results, and what it decides by them, are not real from there on; --budget "
                 "SECONDS sets another limit, 0 none",
                 (unsigned long long)(seconds * 3 / 4));
    else if (left->is_stopped)
        say_line("smemprobe: the program was stopped after %llu s; --budget SECONDS sets another "
                 "limit, 0 none",
                 (unsigned long long)seconds);
    return left->refused > 0 ? STATUS_REFUSED : status;
}

/* Whether launches behind the time for whole ones may be sampled: not if each request, all of
 * memory, or a sum for a gate is wanted. */
static bool may_sample(const arguments *args, const arch_list *archs) {
    static const smp_option whole[] = {OPTION_RACES,    OPTION_TRACE,      OPTION_CAPTURE,
                                       OPTION_LAUNCHES, OPTION_MAX_EXCESS, OPTION_GATE};
    return archs->count <= 1 && !ANY(one, whole, sizeof whole / sizeof *whole, has(args, *one));
}

/* Seconds for samples, which begin when the program has ended. */
static double sample_seconds(const emulated_job *job) {
    const double quarter = (double)job->budget_seconds / 4;
    return quarter < SAMPLE_SECONDS ? quarter : SAMPLE_SECONDS;
}

static int run_emulated(const arguments *args, const profile_show *how, char *const argv[]) {
    char sample[SCRATCH_PATH_BYTES] = "";
    smp_error error;
    arch_list archs;
    trace_file trace = {.writer = NULL};
    emulated_job job;
    emulated_program left = {.refused = 0};
    smp_status status = ask_emulated(args, argv, &job, &error);
    job.trace = &trace;
    if (status == SMP_OK)
        status = ask_played(args, &archs, &error);
    if (status == SMP_OK)
        status = profile_trace_open(args, &trace, &error);
    if (status == SMP_OK && job.has_budget && may_sample(args, &archs))
        status = scratch_folder_make(sample, &error);
    job.sample = sample[0] != '\0' ? sample : NULL;
    if (status == SMP_OK)
        status = profile_emulated_run_archs(&job, archs.rows, archs.count, &left, &error);
    if (status == SMP_OK && left.is_sampled)
        status = emulate_kept_unseen(sample, archs.count > 0 ? archs.rows : NULL,
                                     sample_seconds(&job), &left.profile, &error);
    scratch_folder_remove(sample);
    launch_findings_name(&left.profile);
    status = profile_trace_end(&trace, status, &error);
    const int shown =
        status == SMP_OK ? show_emulated(args, how, job.budget_seconds, &left) : complain(&error);
    smp_profile_clear(&left.profile);
    const bool is_asked =
        left.is_sampled || (left.is_stopped && left.end.exit_status == STATUS_STOPPED);
    return left.end.exit_status != 0 && !is_asked ? left.end.exit_status : shown;
}

/* ---- The command ---- */

static bool start(const arguments *args, profile_job *job, smp_error *error) {
    smp_source_allow_all();
    job->args = *args;
    job->argv = calloc(args->positional_count + 1, sizeof *job->argv);
    return job->argv ? ask(job, error) == SMP_OK : smp_error_memory(error) == SMP_OK;
}

static void end(profile_job *job) {
    profile_show_clear(&job->how);
    free(job->argv);
}

bool profile_check(const arguments *args, int *status) {
    static profile_job job;
    smp_error error;
    emulated_job unused;
    if (command_tells(args, status))
        return false;
    const bool is_right =
        start(args, &job, &error) &&
        (!has(args, OPTION_NO_GPU) || ask_emulated(args, job.argv, &unused, &error) == SMP_OK);
    if (!is_right)
        *status = complain(&error);
    end(&job);
    return is_right;
}

static int run(const arguments *args) {
    smp_error error;
    static profile_job job;
    const bool is_emulated = has(args, OPTION_NO_GPU);
    failure_is_beside();
    const int exit_status =
        !start(args, &job, &error) || (!is_emulated && profile_instrumented_check(job.argv, &error))
            ? complain(&error)
        : is_emulated ? run_emulated(&job.args, &job.how, job.argv)
                      : run_instrumented(&job);
    end(&job);
    return exit_status;
}

const command_row command_profile = {
    .name = "profile",
    .summary = "show what a program's memory accesses cost, by source line",
    .usage = "[OPTIONS] -- COMMAND [ARGS]",
    COMMAND_OPTIONS(options),
    .words = words,
    .refused = refused,
    .formats = PROFILE_SHOW_FORMATS,
    .run = run,
};
