/* SPDX-License-Identifier: MIT */
/* emulate: runs one launch of a kernel's machine code on the CPU and reports like profile. */
#include <stdio.h>
#include <time.h>

#include "ask.h"
#include "budget.h"
#include "emulated_file.h"
#include "kept_replay.h"
#include "output.h"
#include "profile_filter.h"
#include "profile_show.h"
#include "progress.h"
#include "put.h"
#include "say.h"
#include "source_line.h"
#include "text_buffer.h"

static const smp_option options[] = {
    OPTION_LAUNCH, OPTION_COMPARE,      OPTION_ARCH,        OPTION_CLUSTER, OPTION_LIMIT,
    OPTION_BUDGET, OPTION_STACK,        OPTION_DEFINE,      OPTION_BLOCK,   OPTION_GRID,
    OPTION_TRACE,  OPTION_CAPTURE,      OPTION_COOPERATIVE, OPTION_RACES,   OPTION_NO_NOTES,
    OPTION_MEMORY, PROFILE_SHOW_OPTIONS};

static const option_words words[] = {
    LAUNCH_WORDS,
    {OPTION_ARCH, "sm_80,sm_90 or all: compile, run and judge for each"},
    {OPTION_CAPTURE,
     "keep the launch in a new folder DIR: code, arguments, memory before and after"},
    {OPTION_LIMIT,
     "N[:M]: limit on warp instructions of a block (default 10^9), and of all blocks (10^11)"},
    {OPTION_BUDGET, "stop after this time, and report what ran so far (default 600; 0: no limit)"},
    {OPTION_MEMORY, "shared, global, local or all (default)"},
    PROFILE_SHOW_WORDS,
    {OPTION_HELP, NULL}};

/* Shown on a terminal after the first second. */
static void say_step(void *user, const smp_emulation_step *step) {
    static time_t last;
    const time_t now = time(NULL);
    (void)user;
    if (last == 0 || now == last) {
        last = now;
        return;
    }
    last = now;
    progress_say("block %llu of %llu, %s of at most %s warp instructions (--limit)",
                 (unsigned long long)step->clusters, (unsigned long long)step->cluster_count,
                 count_text(step->steps), count_text(step->limit));
}

/* Reports every mistake in the launch and in --compare before compiling anything. */
static smp_status ask_compared(const arguments *args, smp_launch_text *launch, smp_error *error) {
    smp_status status = smp_launch_check(last_value(args, OPTION_LAUNCH), launch, error);
    for (unsigned i = 0; i < args->count[OPTION_COMPARE] && status == SMP_OK; i++)
        status = smp_launch_compare_check(args->value[OPTION_COMPARE][i], error);
    return status;
}

static void name_run(const arguments *args, const emulated_file *job, char *out, size_t size) {
    const char *launch = last_value(args, OPTION_LAUNCH);
    text_buffer name = text_buffer_over(out, size);
    text_add(&name, job->is_whole_file ? "smemprobe" : "smemprobe emulate");
    text_add_word(&name, job->file.path);
    if (launch) {
        text_add(&name, " --launch");
        text_add_word(&name, launch);
    }
}

/* Every kernel of a file: refuses what is for one launch, and code that cannot be emulated. */
static smp_status ask_whole_file(const arguments *args, const arch_list *archs, smp_error *error) {
    static const smp_option of_launch[] = {OPTION_COMPARE, OPTION_CAPTURE, OPTION_TRACE,
                                           OPTION_CLUSTER, OPTION_COOPERATIVE};
    for (size_t i = 0; i < archs->count && !archs->all; i++)
        if (archs->rows[i].cc_major * 10u + archs->rows[i].cc_minor < EMULATED_CC_LEAST &&
            !smp_program_is_cubin(args->positional[0]))
            return usage_error(error,
                               "--arch %s: machine code below 7.5 is not supported; smemprobe "
                               "predict FILE.cu --arch %s reads the source",
                               archs->rows[i].name, archs->rows[i].name);
    return refuse_options(args, of_launch, sizeof of_launch / sizeof *of_launch, "needs --launch",
                          error);
}

static smp_status ask(const arguments *args, emulated_file *out, arch_list *archs,
                      smp_error *error) {
    const char *launch = last_value(args, OPTION_LAUNCH);
    uint64_t blocks = 1;
    out->is_kept = args->positional_count == 1 && emulate_is_kept(args->positional[0]);
    if (out->is_kept && (launch || has(args, OPTION_CLUSTER) || has(args, OPTION_COMPARE) ||
                         has(args, OPTION_CAPTURE) || has(args, OPTION_COOPERATIVE)))
        return usage_error(
            error,
            "%.120s: a folder holds kept launches, so --launch, --cluster, --cooperative, "
            "--compare and --capture do not apply",
            args->positional[0]);
    if (args->positional_count == 0)
        return usage_error(error, "emulate needs a file: smemprobe emulate FILE.cu [--launch "
                                  "'kernel<<<grid, block>>>(arguments)']");
    out->is_whole_file = !launch && !out->is_kept;
    if (ask_launch_wish(args, &out->wish, error))
        return error->status;
    if ((!out->is_whole_file && refuse_launch_wish(args, &out->wish, error)) ||
        ask_arch_list(args, archs, error))
        return error->status;
    if (out->is_whole_file && ask_whole_file(args, archs, error))
        return error->status;
    if (archs->count > 1 && (has(args, OPTION_TRACE) || has(args, OPTION_CAPTURE)))
        return usage_error(error, "--%s needs one architecture: name it with --arch",
                           has(args, OPTION_TRACE) ? "trace" : "capture");
    /* Check the output options now, not after the kernel has run. */
    if (profile_trace_check(args, error) ||
        ask_number(args, OPTION_CLUSTER, SMP_CLUSTER_BLOCKS_MAX, &blocks, error) ||
        ask_run(args, &out->run, error) || output_words_check(args, error) ||
        (launch && ask_compared(args, &out->text, error)))
        return error->status;
    out->archs = archs->rows;
    out->arch_count = archs->count;
    out->all_archs = archs->all;
    out->cluster = (uint32_t)blocks;
    out->is_cooperative = has(args, OPTION_COOPERATIVE);
    out->capture = last_value(args, OPTION_CAPTURE);
    out->compare = args->value[OPTION_COMPARE];
    out->compare_count = args->count[OPTION_COMPARE];
    out->file.path = args->positional[0];
    out->file.flags = args->positional + 1;
    out->file.flag_count = args->positional_count - 1;
    out->file.kernel = out->text.name ? out->text.name : "";
    out->notes = &say_notes;
    out->file.notes = out->notes_once = &say_notes_once;
    out->told = say_step;
    out->is_budget_asked = has(args, OPTION_BUDGET);
    return ask_number(args, OPTION_BUDGET, EMULATE_SECONDS_MOST, &out->seconds, error);
}

static int run(const arguments *args) {
    smp_error error;
    profile_show how = {0};
    arch_list archs;
    char command[1024];
    trace_file trace = {.writer = NULL};
    emulated_file job = {.cluster = 1, .seconds = EMULATE_SECONDS_USUAL, .command = command};
    smp_profile profile = {0};
    smp_source_allow_all();
    smp_status status = SMP_OK;
    if (profile_show_ask(args, &how, &error) || profile_show_memory(args, &how, &error) ||
        ask(args, &job, &archs, &error) || profile_trace_open(args, &trace, &error)) {
        status = error.status;
    } else {
        job.trace = trace.writer;
        name_run(args, &job, command, sizeof command);
        status = emulated_file_run(&job, &profile, &error);
        if (has(args, OPTION_NO_NOTES))
            smp_profile_drop_notes(&profile);
        trace.rows = job.trace_rows;
        trace.left_out = job.trace_left_out;
    }
    status = profile_trace_end(&trace, status, &error);
    int exit_status = status == SMP_OK ? profile_show_run(args, &how, &profile, stdout)
                                       : complain_launch(args, &error);
    if (exit_status == 0 || job.exit_status > 1)
        exit_status = job.exit_status;
    profile_show_clear(&how);
    smp_profile_clear(&profile);
    emulated_file_clear(&job);
    return exit_status;
}

const command_row command_emulate = {
    .name = "emulate",
    .summary = "run one launch of a kernel's machine code on the CPU",
    .usage = "FILE|FOLDER [--launch LAUNCH] [OPTIONS] [-- COMPILER FLAGS]",
    COMMAND_OPTIONS(options),
    .words = words,
    .formats = PROFILE_SHOW_FORMATS,
    .run = run,
};
