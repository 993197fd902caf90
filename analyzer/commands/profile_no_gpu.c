/* SPDX-License-Identifier: MIT */
/*
 * profile --no-gpu: what its options mean, and what is said of a program that ran so.
 */
#include "profile_no_gpu.h"

#include <string.h>

#include "ask.h"
#include "budget.h"
#include "kept_replay.h"
#include "profile_emulated.h"
#include "say.h"

enum { STATUS_STOPPED = 124 /* of a process whose time was over */ };

static smp_status check_options(const arguments *args, smp_error *error) {
    static const smp_option alien[] = {OPTION_VERIFY, OPTION_TIMED};
    for (unsigned i = 0; i < sizeof alien / sizeof alien[0]; i++)
        if (has(args, alien[i]))
            return smp_error_set(error, SMP_E_USAGE, -1, "--%s is about a GPU: not with --no-gpu",
                                 option_rows[alien[i]].name);
    const char *memory = last_value(args, OPTION_MEMORY);
    return !memory || strcmp(memory, "all") == 0
               ? SMP_OK
               : smp_error_set(error, SMP_E_USAGE, -1,
                               "--memory %.20s: --no-gpu sees all kinds of memory in one run",
                               memory);
}

static void say(const char *line) {
    say_line("%s%s", line[0] == ' ' ? "" : "smemprobe: ", line);
}

/* `arch` is room for --arch. */
static smp_status ask(const arguments *args, char *const argv[], smp_arch *arch, emulated_job *out,
                      smp_error *error) {
    bool all = false;
    *out = (emulated_job){.argv = argv,
                          .launches = last_value(args, OPTION_LAUNCHES),
                          .has_limit = has(args, OPTION_LIMIT),
                          .has_budget = has(args, OPTION_BUDGET),
                          .capture = last_value(args, OPTION_CAPTURE),
                          .kernels = last_value(args, OPTION_KERNEL),
                          .lost = profile_show_loss,
                          .say = say};
    smp_status status = check_options(args, error);
    if (status == SMP_OK && has(args, OPTION_ARCH))
        status = ask_arch(args, arch, &all, error);
    if (status == SMP_OK && all)
        status = smp_error_set(error, SMP_E_USAGE, -1,
                               "--arch all: a program runs on one GPU; name one");
    if (status == SMP_OK)
        status = ask_limits(args, &out->block_limit, &out->launch_limit, error);
    if (status == SMP_OK)
        status = ask_number(args, OPTION_BUDGET, EMULATE_SECONDS_MOST, &out->budget_seconds, error);
    out->arch = has(args, OPTION_ARCH) ? arch->name : NULL;
    return status;
}

static int show(const arguments *args, const profile_show *how, emulated_program *left) {
    if (left->profile.kernel_count == 0 && !left->has_lines)
        say_line(
            "smemprobe: no kernel was launched through the shared CUDA runtime or the driver (a "
            "program that has the runtime inside, or one without kernels?)");
    const int status = profile_show_run(args, how, &left->profile, stderr);
    return left->refused > 0 ? STATUS_REFUSED : status;
}

int profile_no_gpu(const arguments *args, const profile_show *how, char *const argv[]) {
    smp_error error;
    smp_arch arch;
    trace_file trace = {.writer = NULL};
    emulated_job job;
    emulated_program left = {.refused = 0};
    smp_status status = ask(args, argv, &arch, &job, &error);
    job.trace = &trace;
    if (status == SMP_OK)
        status = profile_trace_open(args, &trace, &error);
    if (status == SMP_OK)
        status = profile_emulated_run(&job, &left, &error);
    status = profile_trace_end(&trace, status, &error);
    const int shown = status == SMP_OK ? show(args, how, &left) : complain(&error);
    smp_profile_clear(&left.profile);
    const bool is_asked = left.is_stopped && left.end.exit_status == STATUS_STOPPED;
    return left.end.exit_status != 0 && !is_asked ? left.end.exit_status : shown;
}
