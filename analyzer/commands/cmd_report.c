/* SPDX-License-Identifier: MIT */
/* report: shows, merges, filters and compares profiles. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ask.h"
#include "command.h"
#include "profile_many.h"
#include "profile_show.h"
#include "say.h"

static const smp_option options[] = {OPTION_AGAINST, OPTION_ARCH, OPTION_MEMORY, OPTION_NVTX,
                                     PROFILE_SHOW_OPTIONS};

static const option_words words[] = {
    {OPTION_ARCH, "only runs on these: sm_80,sm_90 or all (default)"},
    {OPTION_MEMORY, "shared, global, local or all (default), if the profile has it"},
    {OPTION_NVTX, "only kernels launched in a matching range, with all of their launches"},
    PROFILE_SHOW_WORDS,
    {OPTION_HELP, NULL}};

static const option_words refused[] = {
    {OPTION_BUDGET, "report runs nothing; give it to the command that makes the profile"}, {0}};

/* The profiles that were read and, for several files, how they differ. */
typedef struct report_job {
    profile_show how;
    smp_profile all, earlier, odd;
    smp_profile_part *parts;
    smp_spread spread;
} report_job;

static void clear(report_job *job) {
    profile_show_clear(&job->how);
    smp_profile_clear(&job->all);
    smp_profile_clear(&job->earlier);
    smp_profile_clear(&job->odd);
    free(job->parts);
}

static smp_status find_spread(report_job *job, size_t count, smp_error *error) {
    smp_status status = smp_spread_make(job->parts, count, &job->spread, error);
    if (status != SMP_OK || count < 2)
        return status;
    job->how.spread = &job->spread;
    if (job->spread.odd == count || strcmp(job->parts[job->spread.odd].path, "-") == 0)
        return SMP_OK;
    job->how.odd = &job->odd;
    return profile_show_read(job->parts[job->spread.odd].path, &job->odd, error);
}

/* Keeps the parts of files that could be read. Returns their number. */
static size_t keep_parts(smp_profile_part *parts, size_t count) {
    DROP_IF(one, parts, count, !one->path);
    return count;
}

static bool is_named_twice(const arguments *args, const char *path) {
    unsigned count = 0;
    for (unsigned i = 0; i < args->positional_count; i++)
        count += strcmp(args->positional[i], path) == 0;
    return count > 1;
}

static smp_status read_all(const arguments *args, report_job *job, smp_error *error) {
    const size_t count = args->positional_count;
    const char *before = last_value(args, OPTION_AGAINST);
    if (count == 0)
        return usage_error(error,
                           "report needs a profile: smemprobe profile -o FILE.smprof -- COMMAND");
    if (is_named_twice(args, "-"))
        return usage_error(error, "report: standard input can only be read once");
    job->parts = calloc(count, sizeof *job->parts);
    if (!job->parts)
        return smp_error_memory(error);
    smp_status status = smp_profile_read_many(args->positional, count, &job->how.filter, &job->all,
                                              job->parts, &profile_show_told, error);
    if (status == SMP_OK && before)
        return profile_show_read(before, &job->earlier, error);
    return status == SMP_OK ? find_spread(job, keep_parts(job->parts, count), error) : status;
}

static int run(const arguments *args) {
    smp_error error;
    report_job job = {0};
    arch_list archs;
    smp_status status = profile_show_ask(args, &job.how, &error);
    if (status == SMP_OK)
        status = profile_show_memory(args, &job.how, &error);
    if (status == SMP_OK)
        status = ask_arch_list(args, &archs, &error);
    if (status == SMP_OK && !archs.all) {
        job.how.filter.archs = archs.rows;
        job.how.filter.arch_count = archs.count;
    }
    if (status == SMP_OK)
        status = read_all(args, &job, &error);
    const int exit_status = status != SMP_OK ? complain(&error)
                            : has(args, OPTION_AGAINST)
                                ? profile_show_against(args, &job.how, &job.earlier, &job.all)
                                : profile_show_run(args, &job.how, &job.all, stdout);
    clear(&job);
    return profile_show_exit(exit_status);
}

const command_row command_report = {
    .name = "report",
    .summary = "show, merge, filter and compare profiles",
    .usage = "[OPTIONS] FILE.smprof...",
    COMMAND_OPTIONS(options),
    .words = words,
    .refused = refused,
    .formats = PROFILE_SHOW_FORMATS,
    .many_words = true,
    .run = run,
};
