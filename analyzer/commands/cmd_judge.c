/* SPDX-License-Identifier: MIT */
/* judge: one line of JSON per candidate of a kernel, for autotuners and agents. */
#include <stdlib.h>
#include <string.h>

#include "ask.h"
#include "output.h"
#include "say.h"
#include "write_judged.h"

enum { USUAL_SECONDS = 60, USUAL_MIB = 4096, MOST_SECONDS = 1000000 };

static const smp_option options[] = {
    OPTION_LAUNCH, OPTION_REFERENCE, OPTION_TOLERANCE,  OPTION_ARCH,   OPTION_RACES,
    OPTION_DEFINE, OPTION_BLOCK,     OPTION_GRID,       OPTION_JOBS,   OPTION_SECONDS,
    OPTION_LIMIT,  OPTION_STACK,     OPTION_MAX_MEMORY, OUTPUT_OPTIONS};

static const option_words words[] = {
    {OPTION_LAUNCH, "the launch of candidates that name none: 'k<<<grid, block>>>(arguments)'"},
    {OPTION_TOLERANCE,
     "relative error allowed (default: float 1e-5, half 2e-3, bf16 2e-2, double 1e-12)"},
    {OPTION_SECONDS, "stop a candidate after this time (default 60; 0: no limit)"},
    LAUNCH_WORDS,
    {OPTION_ARCH, "the architecture to compile and judge for (default sm_90)"},
    {OPTION_LIMIT,
     "N[:M]: limit on warp instructions of a block (default 10^9), and of all blocks (10^11)"},
    {0}};

typedef struct judging {
    judge_job job;
    judged_list list;                        /* of standard input */
    judged_candidate *candidates, reference; /* of the command line */
    smp_arch arch;
    output out;
    smp_judged_row *rows;
    size_t wrong;
} judging;

static smp_status ask_tolerance(const arguments *args, double *out, smp_error *error) {
    const char *text = last_value(args, OPTION_TOLERANCE);
    char *end;
    *out = -1;
    if (!text)
        return SMP_OK;
    *out = strtod(text, &end);
    return end != text && *end == '\0' && *out >= 0 && *out <= 1e300
               ? SMP_OK
               : usage_error(error, "--tolerance %.60s: expected a number such as 1e-4", text);
}

static smp_status ask_limits_of(const arguments *args, judge_job *job, smp_error *error) {
    uint64_t seconds = USUAL_SECONDS, mib = USUAL_MIB, jobs = 0;
    if (ask_number(args, OPTION_SECONDS, MOST_SECONDS, &seconds, error) ||
        ask_number(args, OPTION_MAX_MEMORY, UINT32_MAX, &mib, error) ||
        ask_number(args, OPTION_JOBS, 256, &jobs, error) || ask_run(args, &job->run, error))
        return error->status;
    job->seconds = seconds;
    job->memory_bytes = mib << 20;
    job->at_once = (uint32_t)jobs;
    return SMP_OK;
}

/* Takes files by name; "-" is a list on standard input. */
static smp_status ask_candidates(const arguments *args, judging *of, smp_error *error) {
    const unsigned count = args->before_dashes;
    if (count == 0)
        return usage_error(error, "judge needs candidates: smemprobe judge FILE..., or - to "
                                  "read JSON lines from standard input");
    of->candidates = calloc(count, sizeof *of->candidates);
    if (!of->candidates)
        return smp_error_memory(error);
    for (unsigned i = 0; i < count; i++) {
        of->candidates[i].path = args->positional[i];
        if (strcmp(args->positional[i], "-") == 0 && count > 1)
            return usage_error(error, "- reads the whole list from standard input: give no "
                                      "files with it");
    }
    of->job.candidates = of->candidates;
    of->job.count = count;
    if (strcmp(args->positional[0], "-") != 0)
        return SMP_OK;
    const smp_status status = judged_list_read(stdin, &of->list, error);
    of->job.candidates = of->list.candidates;
    of->job.count = of->list.count;
    if (status == SMP_OK && of->list.reference.path && of->job.reference)
        return usage_error(error, "--reference: the list on standard input also has one");
    if (of->list.reference.path)
        of->job.reference = &of->list.reference;
    return status == SMP_OK && of->list.count == 0
               ? smp_error_set(error, SMP_E_SYNTAX, -1, "no candidates on standard input")
               : status;
}

static void told(void *user, size_t index, const judged_summary *summary, const char *text) {
    judging *of = user;
    of->wrong += summary->verdict != JUDGED_OK;
    of->rows[index] =
        (smp_judged_row){index, smp_judged_name(&of->job.candidates[index]), *summary};
    if (of->out.format != SMP_FORMAT_JSONL)
        return;
    fputs(text, of->out.stream);
    (void)fflush(of->out.stream);
}

static smp_status ask(const arguments *args, judging *of, smp_error *error) {
    judge_job *job = &of->job;
    of->reference.path = last_value(args, OPTION_REFERENCE);
    job->reference = of->reference.path ? &of->reference : NULL;
    job->flags = args->positional + args->before_dashes;
    job->flag_count = args->positional_count - args->before_dashes;
    job->write = smp_judged_jsonl;
    job->told = told;
    job->user = of;
    job->wish.has_seeds = true;
    if (has(args, OPTION_ARCH)) {
        if (ask_one_arch(args, "judge needs one architecture", &of->arch, error))
            return error->status;
        job->arch = &of->arch;
    }
    if (ask_tolerance(args, &job->tolerance, error) || ask_limits_of(args, job, error) ||
        ask_launch(args, &job->launch, &job->wish, error) || ask_candidates(args, of, error))
        return error->status;
    return has(args, OPTION_TOLERANCE) && !job->reference
               ? usage_error(error, "--tolerance needs --reference FILE")
               : SMP_OK;
}

static int judge(const arguments *args, judging *of) {
    smp_error error;
    smp_status status = ask(args, of, &error);
    if (status == SMP_OK)
        status = judge_files_find(&of->job, &error);
    if (status == SMP_OK && !(of->rows = calloc(of->job.count, sizeof *of->rows)))
        status = smp_error_memory(&error);
    if (status == SMP_OK)
        status = output_open(args, &of->out, &error);
    if (status != SMP_OK)
        return complain_launch(args, &error);
    status = judge_all(&of->job, &error);
    if (status == SMP_OK && of->out.format == SMP_FORMAT_TEXT)
        smp_judged_text(of->out.stream, of->rows, of->job.count, of->out.style);
    return output_end(&of->out, status, &error, of->wrong > 0);
}

static int run(const arguments *args) {
    judging of = {.wrong = 0};
    const int exit_status = judge(args, &of);
    judged_list_clear(&of.list);
    free(of.candidates);
    free(of.rows);
    return exit_status;
}

const command_row command_judge = {
    .name = "judge",
    .summary = "compile, run and rank candidates of a kernel on the CPU",
    .usage = "[OPTIONS] FILE...|- [-- COMPILER FLAGS]",
    COMMAND_OPTIONS(options),
    .words = words,
    .formats = "jsonl text",
    .run = run,
};
