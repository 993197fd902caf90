/* SPDX-License-Identifier: MIT */
/*
 * report: profile files, shown, merged, filtered.
 */
#include <stdio.h>

#include "cli.h"
#include "profile_show.h"

static const smp_option options[] = {OPTION_AGAINST, PROFILE_SHOW_OPTIONS};

static const option_words words[] = {PROFILE_SHOW_WORDS, {OPTION_HELP, NULL}};

static int run(const arguments *args) {
    smp_error error;
    profile_show how = {0};
    smp_profile profile = {0}, earlier = {0};
    smp_status status = profile_show_ask(args, &how, &error);
    if (status == SMP_OK && args->positional_count == 0)
        status =
            smp_error_set(&error, SMP_E_USAGE, -1,
                          "report needs a profile: smemprobe profile -o FILE.smprof -- COMMAND");
    for (unsigned i = 0; status == SMP_OK && i < args->positional_count; i++)
        status = profile_show_read(args->positional[i], &profile, &error);
    const char *before = last_value(args, OPTION_AGAINST);
    if (status == SMP_OK && before)
        status = profile_show_read(before, &earlier, &error);
    int exit_status = status != SMP_OK ? complain(&error)
                      : before         ? profile_show_against(args, &how, &earlier, &profile)
                                       : profile_show_run(args, &how, &profile, stdout);
    smp_profile_clear(&earlier);
    profile_show_clear(&how);
    smp_profile_clear(&profile);
    return exit_status;
}

const command_row command_report = {
    .name = "report",
    .summary = "profile files: shown, merged, filtered",
    .usage = "[OPTIONS] FILE.smprof...",
    COMMAND_OPTIONS(options),
    .words = words,
    .formats = PROFILE_SHOW_FORMATS,
    .examples =
        "  smemprobe report run.smprof                    the lines to look at\n"
        "  smemprobe report -o run.html run.smprof        a page to look at, alone in its file\n"
        "  smemprobe report --kernel sgemm --instructions run.smprof\n"
        "  smemprobe report -o all.smprof rank.*.smprof   one of many\n"
        "  smemprobe report --max-ways 2 run.smprof       a gate: exit status 1\n"
        "  smemprobe report after.smprof --against before.smprof\n",
    .run = run,
};
