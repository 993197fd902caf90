/* SPDX-License-Identifier: MIT */
/*
 * Runs a file's code: compiled for each architecture, or compiled once and judged by several rules.
 */
#include "emulated_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "budget.h"
#include "kept_launch.h"
#include "kept_replay.h"
#include "left_out.h"
#include "leftover.h"
#include "progress.h"
#include "target_run.h"

static smp_status add_run(const emulated_file *job, smp_profile *profile, smp_error *error) {
    char device[16];
    (void)snprintf(device, sizeof device, "sm_%u", job->code ? smp_code_cc(job->code) : 0);
    return smp_profile_begin_run(profile, SMP_ENGINE_EMULATED, job->command,
                                 job->code ? device : NULL)
               ? SMP_OK
               : smp_error_memory(error);
}

static smp_status take_end(emulated_file *job, const smp_emulation *done, smp_profile *profile,
                           smp_error *error) {
    emulate_end end = {.of = job->text.name,
                       .why = "--launch cannot make; run a program that makes one: smemprobe "
                              "profile --no-gpu -- ./PROGRAM",
                       .not_seen = "which --launch cannot make",
                       .is_judged_before = job->is_judged_again,
                       .notes = job->notes};
    const smp_status status = emulate_take_end(&end, job->function, done, profile, error);
    job->exit_status = end.is_stopped ? 1 : end.is_refused ? STATUS_REFUSED : job->exit_status;
    if (done->is_whole && done->unknown_executed > 0)
        note_add(job->notes,
                 "%llu executed instructions are not emulated; no stored value and no branch "
                 "depended on them",
                 (unsigned long long)done->unknown_executed);
    return status;
}

/* Compares with the values of --compare, and reports each difference. */
static smp_status compare(emulated_file *job, const smp_launch_arguments *made,
                          const smp_emu_memory *memory, smp_error *error) {
    smp_status status = SMP_OK;
    smp_difference differ;
    for (unsigned i = 0; i < job->compare_count && status == SMP_OK; i++) {
        status = smp_launch_compare(job->compare[i], made, memory, &differ, error);
        if (status != SMP_OK || differ.count == 0)
            continue;
        note_add(job->notes,
                 "argument %u differs in %llu of %llu elements; the first is [%llu]: "
                 "%.17g, expected %.17g",
                 differ.argument, (unsigned long long)differ.count, (unsigned long long)differ.of,
                 (unsigned long long)differ.first, differ.is, differ.should);
        job->exit_status = 1;
    }
    return status;
}

/* Runs the launch, and records it once if requested. */
static smp_status launch_it(emulated_file *job, const smp_launch *launch, smp_emu_memory *memory,
                            smp_kernel_profile *kernel, smp_emulation *done, smp_error *error) {
    smp_kept_launch kept = {0};
    const char *folder = job->capture;
    const bool has_failed =
        (folder && smp_kept_take(job->code, job->function, launch, memory, true, &kept, error)) ||
        smp_emulate(job->code, job->function, memory, launch, kernel, done, error) ||
        (folder &&
         (smp_kept_take_after(memory, &kept, error) || smp_kept_write(&kept, folder, error)));
    job->capture = NULL;
    smp_kept_clear(&kept);
    return has_failed ? error->status : SMP_OK;
}

/* Runs once, judged by the rules of `arch`. */
static smp_status emulate(emulated_file *job, const smp_arch *arch, smp_profile *profile,
                          smp_error *error) {
    smp_emu_memory memory = {0};
    smp_launch_arguments made = {0};
    smp_emulation done;
    smp_launch launch = {
        .cluster = {job->cluster, 1, 1}, .arch = arch, .run = job->run, .output = stderr};
    memcpy(launch.grid, job->text.grid, sizeof launch.grid);
    memcpy(launch.block, job->text.block, sizeof launch.block);
    launch.dynamic_shared_bytes = job->text.dynamic_shared_bytes;
    launch.is_cooperative = job->is_cooperative;
    launch.trace = job->trace;
    launch.told = job->told;
    launch.stop = emulate_budget_stop();
    smp_kernel_profile *kernel = smp_profile_add_kernel(profile);
    smp_status status =
        kernel ? smp_launch_arguments_make(&job->text, job->function, &memory, &made, error)
               : smp_error_memory(error);
    launch.parameters = made.bytes;
    if (status == SMP_OK)
        status = launch_it(job, &launch, &memory, kernel, &done, error);
    progress_clear();
    if (status == SMP_OK) {
        job->trace_rows += done.trace_rows;
        job->trace_left_out += done.trace_left_out;
        status = take_end(job, &done, profile, error);
        if (status == SMP_OK)
            status = smp_launch_save(&made, &memory, error);
        if (status == SMP_OK && done.is_whole)
            status = compare(job, &made, &memory, error);
    }
    smp_launch_arguments_clear(&made);
    smp_emu_memory_clear(&memory);
    return status;
}

static smp_status replay(emulated_file *job, const smp_arch *arch, smp_profile *profile,
                         smp_error *error) {
    kept_sums sums = {0};
    char device[16];
    const kept_replay how = {.arch = arch,
                             .run = job->run,
                             .is_judged_again = job->is_judged_again,
                             .trace = job->trace,
                             .notes = job->notes_once};
    const smp_status status = emulate_kept(job->file.path, &how, profile, &sums, error);
    (void)snprintf(device, sizeof device, "sm_%u", sums.cc);
    if (sums.cc > 0 && !profile->runs[0].device)
        profile->runs[0].device = strdup(device);
    if (sums.differ + sums.stopped > 0)
        job->exit_status = 1;
    if (sums.refused > 0)
        job->exit_status = STATUS_REFUSED;
    job->trace_rows += sums.trace_rows;
    job->trace_left_out += sums.trace_left_out;
    return status;
}

static smp_status run_target(emulated_file *job, const smp_arch *arch, smp_profile *profile,
                             smp_error *error) {
    const smp_target_job target = {.path = job->file.path,
                                   .code = job->code,
                                   .arch = arch,
                                   .wish = job->wish,
                                   .flags = job->file.flags,
                                   .flag_count = job->file.flag_count,
                                   .run = job->run,
                                   .notes = job->notes_once};
    return smp_target_run(&target, profile, error);
}

static smp_status emulate_by(emulated_file *job, const smp_arch *arch, smp_profile *profile,
                             smp_error *error) {
    return job->is_kept         ? replay(job, arch, profile, error)
           : job->is_whole_file ? run_target(job, arch, profile, error)
                                : emulate(job, arch, profile, error);
}

/* ---- Architectures ---- */

static smp_status open_code(emulated_file *job, smp_error *error) {
    if (job->is_kept || job->code)
        return SMP_OK;
    if (job->is_whole_file)
        return smp_target_open(&job->file, &job->code, error);
    if (smp_program_open(&job->file, &job->code, error) ||
        smp_launch_kernel(job->code, job->text.name, &job->function, error))
        return error->status;
    return smp_code_disassemble(job->code, &job->function->name, 1, error);
}

/* Chooses the rules: the requested ones, else those of the code. */
static const smp_arch *choose_judge(const emulated_file *job, smp_error *error) {
    const uint32_t cc = job->code ? smp_code_cc(job->code) : 0;
    const smp_arch *asked = job->file.arch;
    if (asked && job->code && !job->all_archs && asked->cc_major * 10u + asked->cc_minor != cc)
        note_add(job->notes,
                 "%s: this code is for sm_%u and runs as such; --arch %s applies the rules of %s",
                 job->file.path, cc, asked->name, asked->name);
    return asked || !job->code ? asked : smp_code_arch(job->code, error);
}

/* Runs the open code by the rules of file.arch. */
static smp_status run_code(emulated_file *job, smp_profile *profile, smp_error *error) {
    const smp_arch *judge = choose_judge(job, error);
    if (!judge && !job->is_kept)
        return error->status;
    if (!progress_goes_on())
        return smp_error_set(error, SMP_E_INTERRUPTED, -1, "interrupted");
    if (profile->run_count == 0) /* compiling does not count */
        emulate_budget_start(job->seconds, job->is_budget_asked ? "--budget" : NULL);
    smp_status status = job->is_judged_again ? SMP_OK : add_run(job, profile, error);
    if (status == SMP_OK)
        status = emulate_by(job, judge, profile, error);
    job->is_judged_again = job->is_fixed;
    if (job->is_fixed)
        return status;
    smp_code_close(job->code);
    job->code = NULL;
    return status;
}

/* Whether --arch all includes this one: it can be emulated, or its rules apply to the fixed code.
 */
static bool is_wanted(const emulated_file *job, const smp_arch *arch) {
    return !job->all_archs ||
           (job->is_fixed ? smp_op_evidence(arch, SMP_CP_ASYNC, 4) != SMP_ABSENT
                          : arch->cc_major * 10u + arch->cc_minor >= EMULATED_CC_LEAST);
}

/* Runs all requested architectures; --arch all skips those that the compiler or the file lacks. */
static smp_status run_archs(emulated_file *job, smp_profile *profile, smp_error *error) {
    left_out left = {0};
    const note_sink *notes = job->file.notes;
    smp_status status = SMP_OK;
    job->file.notes = job->all_archs ? NULL : notes;
    for (size_t i = 0; i < job->arch_count && status == SMP_OK && progress_goes_on(); i++) {
        const smp_arch *arch = &job->archs[i];
        if (!is_wanted(job, arch))
            continue;
        job->file.arch = arch;
        status = *emulate_budget_stop() ? smp_error_set(error, SMP_E_READ, -1,
                                                        "the time limit of --budget was reached")
                                        : open_code(job, error);
        if (status == SMP_OK)
            status = run_code(job, profile, error);
        else if (status == SMP_E_READ && progress_goes_on() &&
                 (job->all_archs || *emulate_budget_stop()))
            status = left_out_add(&left, arch, error);
    }
    job->file.notes = notes;
    if (status != SMP_OK || profile->run_count > 0) {
        left_out_note(&left, job->notes);
        return status;
    }
    job->file.arch = NULL; /* none, so the error is that of the default */
    return open_code(job, error) ? error->status : run_code(job, profile, error);
}

static smp_status split_words(smp_program_file *file, smp_error *error) {
    const smp_status status = smp_program_split_words(file, error);
    return status != SMP_OK || file->argument_count == 0
               ? status
               : smp_error_set(
                     error, SMP_E_USAGE, -1,
                     "%.160s: no main is run, so nothing takes the arguments after the second --",
                     file->path);
}

static smp_status run_file(emulated_file *job, smp_profile *profile, smp_error *error) {
    if (!job->is_kept &&
        (split_words(&job->file, error) || compile_database_use(&job->file, &job->flags, error)))
        return error->status;
    job->is_fixed = job->is_kept || smp_program_is_cubin(job->file.path);
    if (job->arch_count > 0)
        return run_archs(job, profile, error);
    return open_code(job, error) ? error->status : run_code(job, profile, error);
}

/* After Ctrl-C compilers and emulations end at once. */
static void stop(void) {
    emulate_budget_end();
    leftover_stop_groups();
}

/* What ran is reported. */
static smp_status take_interrupt(emulated_file *job, smp_profile *profile, smp_error *error) {
    if (profile->kernel_count == 0)
        return smp_error_set(error, SMP_E_INTERRUPTED, -1, "interrupted before a kernel ran");
    char **ended = &profile->runs[profile->run_count - 1].ended;
    free(*ended);
    *ended = strdup("interrupted");
    note_add(job->notes, "interrupted; the report covers what ran");
    job->exit_status = smp_status_exit(SMP_E_INTERRUPTED);
    return SMP_OK;
}

smp_status emulated_file_run(emulated_file *job, smp_profile *profile, smp_error *error) {
    progress_line line;
    progress_on_interrupt(stop);
    progress_begin(&line, NULL, 0);
    smp_status status = run_file(job, profile, error);
    if (!progress_goes_on() &&
        (status == SMP_OK || status == SMP_E_READ || status == SMP_E_INTERRUPTED))
        status = take_interrupt(job, profile, error);
    progress_end(&line);
    progress_on_interrupt(NULL);
    return status;
}

void emulated_file_clear(emulated_file *job) {
    smp_launch_clear(&job->text);
    smp_code_close(job->code);
    compile_flags_clear(&job->flags);
}
