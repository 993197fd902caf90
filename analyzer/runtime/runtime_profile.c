/* SPDX-License-Identifier: MIT */
/*
 * Writes PROCESS.smprof into the folder SMP_RUNTIME_FOLDER: what the launches cost and what was
 * found. It is written at the end of the process, and before that from time to time and at each new
 * finding, since some programs never reach their end; a profile from before the end says so.
 */
#define _GNU_SOURCE /* program_invocation_name */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "profile_file.h"
#include "runtime.h"
#include "seconds.h"

enum { PATH_BYTES = 4096, COMMAND_BYTES = 4096 };

static smp_profile profile;
static bool is_changed, is_sampled;

/* ---- The profile ---- */

/* The command line of the program, with blanks between its words. */
static char *command_line(void) {
    char text[COMMAND_BYTES];
    FILE *file = fopen("/proc/self/cmdline", "r");
    size_t length = file ? fread(text, 1, sizeof text - 1, file) : 0;
    if (file)
        (void)fclose(file);
    while (length > 0 && text[length - 1] == '\0')
        length--;
    for (size_t i = 0; i < length; i++)
        if (text[i] == '\0' || text[i] == '\n')
            text[i] = ' ';
    text[length] = '\0';
    return strdup(length > 0 ? text : program_invocation_name);
}

static void describe_run(void) {
    char text[256], *command = command_line();
    smp_run *run = smp_profile_begin_run(&profile, SMP_ENGINE_EMULATED, command ? command : "",
                                         rt_arch()->name);
    free(command);
    if (!run)
        return;
    if (gethostname(text, sizeof text - 1) == 0)
        run->host = strdup(text);
    run->process = (uint64_t)getpid();
}

/* After fork() the parent reports what was inherited. */
static void forget_parent(void) {
    static pid_t owner;
    const pid_t self = getpid();
    if (owner != 0 && owner != self) {
        smp_profile_clear(&profile);
        rt_repeat_forget();
        is_changed = false;
        rt_note("a process that was forked after CUDA's first call launches kernels: on a GPU, its "
                "calls return cudaErrorInitializationError");
    }
    owner = self;
}

/* Before the end, at most a twentieth of the time goes into writing, except for what must not be
 * lost (`must`). */
static void write_sometimes(bool must) {
    static double next;
    const double start = seconds_now();
    if (start < next && !must)
        return;
    rt_profile_write();
    const double end = seconds_now();
    next = end + 1 + 20 * (end - start);
}

void rt_profile_merge(smp_profile *one) {
    smp_error error;
    forget_parent();
    if (smp_profile_merge(&profile, one, &error) != SMP_OK)
        rt_note("out of memory for the profile; figures are missing");
}

static void take_repeats(void) {
    smp_profile one = {0};
    forget_parent();
    while (rt_repeat_take(&one))
        rt_profile_merge(&one);
}

void rt_profile_changed(void) {
    static uint32_t known;
    const bool is_new = profile.finding_count > known;
    known = profile.finding_count;
    is_changed = true;
    rt_live_show(&profile);
    write_sometimes(is_new);
}

void rt_profile_add(const smp_function *function, const smp_emulation *done,
                    smp_kernel_profile *kernel, rt_repeat *repeat) {
    smp_error error;
    smp_profile one = {0};
    smp_kernel_profile *place = smp_profile_add_kernel(&one);
    if (!place) {
        smp_kernel_clear(kernel);
        return;
    }
    *place = *kernel;
    memset(kernel, 0, sizeof *kernel);
    if (smp_emulate_findings(function, done, &one, 0, &error) != SMP_OK ||
        smp_emulate_called(function, &one, 0, &error) != SMP_OK)
        rt_note("out of memory for the profile; figures are missing");
    rt_repeat_took(repeat, done, &one);
    rt_profile_merge(&one);
    rt_profile_changed();
}

static void say_race(const smp_beside_race *race, bool writes, smp_profile_finding *out) {
    char text[300];
    (void)snprintf(text, sizeof text,
                   "a thread %s byte %llu of %.100s, which a copy %s at the same time (%s after "
                   "%s); nothing orders the two",
                   race->is_write ? "writes" : "reads", (unsigned long long)race->offset,
                   race->array->name, writes ? "writes" : "reads", writes ? "write" : "read",
                   race->is_write ? "write" : "read");
    out->message = strdup(text);
    out->missing = strdup("an order of the two streams; cudaStreamWaitEvent() for an event after "
                          "the first, one stream for both, or a wait of the host, would order "
                          "them");
}

void rt_profile_race(const smp_beside_race *race, bool writes) {
    smp_profile one = {0};
    smp_profile_finding *out = smp_profile_add_finding(&one);
    if (!out) {
        rt_note("out of memory for the profile; figures are missing");
        return;
    }
    *out = (smp_profile_finding){
        .kind = SMP_FINDING_RACE,
        .count = 1,
        .kernel = strdup(race->kernel),
        .array = strdup(race->array->name),
        .has_address = true,
        .address = race->array->address + race->offset,
        .at = {.line = race->place->line, .offset_bytes = race->place->offset_bytes}};
    out->at.file = race->place->file ? strdup(race->place->file) : NULL;
    out->at.instruction = strdup(race->place->instruction);
    say_race(race, writes, out);
    rt_profile_merge(&one);
    rt_profile_changed();
}

/* `why`: why the run ended early, or NULL. */
static void set_ended(smp_run *run, const char *why) {
    free(run->ended);
    run->ended = why ? strdup(why) : NULL;
}

/* Writes a temporary file and renames it, so that readers always see a complete one. */
static void write_file(const char *why) {
    static char path[PATH_BYTES];
    static pid_t named;
    char draft[PATH_BYTES];
    smp_error error;
    take_repeats();
    if (named != getpid())
        rt_own_path("smprof", path, sizeof path);
    named = getpid();
    if (profile.run_count == 0)
        describe_run();
    if (profile.run_count > 0)
        set_ended(&profile.runs[0], why);
    (void)snprintf(draft, sizeof draft, "%.4000s/.%ld.smprof", rt_folder(), (long)getpid());
    FILE *file = fopen(draft, "wb");
    const bool is_written = file && smp_profile_write(file, &profile, &error) == SMP_OK;
    if (file && fclose(file) == 0 && is_written)
        (void)rename(draft, path);
    is_changed = false;
}

void rt_profile_write(void) {
    forget_parent();
    if (rt_folder() && is_changed)
        write_file("it ended early (_exit, exec or a signal) or still runs: later launches, if "
                   "any, are missing");
}

void rt_leave_all(const char *why) {
    forget_parent();
    if (rt_folder() && profile.kernel_count > 0)
        write_file(why);
    rt_trace_end();
}

void rt_profile_sampled(void) {
    if (!is_sampled)
        rt_leave_line("sampled", "");
    is_sampled = true;
}

__attribute__((destructor)) static void write_at_end(void) {
    rt_enter();
    rt_leave_all(is_sampled ? "after three quarters of its time limit, launches were only counted"
                            : NULL);
    (void)rt_leave(cudaSuccess);
}
