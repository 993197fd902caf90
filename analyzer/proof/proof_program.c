/* SPDX-License-Identifier: MIT */
/*
 * Links a source with a main and runs it under our CUDA runtime, which reports what each launch
 * left in memory.
 */
#define _POSIX_C_SOURCE 200809L
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "leftover.h"
#include "list.h"
#include "profile_emulated.h"
#include "proof.h"
#include "tool.h"

enum { PATH_BYTES = 4096 };
#define PRINTED "printed"
#define LEFT "left"

static void ignore_loss(const char *path, const smp_profile_loss *loss) {
    (void)path;
    (void)loss;
}

static void ignore_line(const char *line) {
    (void)line;
}

/* Takes the figures of each kernel from its first launch. */
static bool take_kernels(const proof_job *job, proof_run *out) {
    EACH(const proof_launch, from, out->left.launches, out->left.launch_count) {
        if (proof_kernel_find(out, from->kernel))
            continue;
        if (!LIST_ROOM(out->kernels, out->count))
            return false;
        const uint64_t blocks = (uint64_t)from->grid[0] * from->grid[1] * from->grid[2];
        proof_kernel *to = &out->kernels[out->count++];
        *to = (proof_kernel){.name = strdup(from->kernel),
                             .registers = from->registers,
                             .local_bytes = from->local_bytes,
                             .shared_bytes = from->shared_bytes + from->dynamic_bytes,
                             .blocks_run = blocks,
                             .blocks = blocks};
        if (!to->name)
            return false;
        proof_kernel_fit(to, job->arch, from->block[0] * from->block[1] * from->block[2]);
    }
    return true;
}

/* Takes what the program printed and what its launches left. */
static smp_status take_left(const proof_job *job, const char *folder, proof_run *out,
                            smp_error *error) {
    char path[SCRATCH_PATH_BYTES + 16];
    (void)snprintf(path, sizeof path, "%s/" PRINTED, folder);
    const smp_status status =
        smp_tool_read(path, &out->left.printed, &out->left.printed_length, error);
    (void)snprintf(path, sizeof path, "%s/" LEFT, folder);
    if (status != SMP_OK)
        return status;
    return proof_left_read(path, &out->left) && take_kernels(job, out) ? SMP_OK
                                                                       : smp_error_memory(error);
}

/* `keeps` records the launches in the folder instead of what they left. */
static smp_status run(const proof_job *job, const char *program, const char *folder, bool keeps,
                      proof_run *out, smp_error *error) {
    const smp_program_file *source = &job->file;
    const uint64_t seconds = (job->seconds + 1) / 2; /* a change must run once more */
    const char **argv = calloc((size_t)source->argument_count + 2, sizeof *argv);
    char printed[SCRATCH_PATH_BYTES + 16], file[SCRATCH_PATH_BYTES + 16];
    (void)snprintf(printed, sizeof printed, "%s/" PRINTED, folder);
    (void)snprintf(file, sizeof file, "%s/" LEFT, folder);
    trace_file trace = {.writer = NULL};
    if (!argv)
        return smp_error_memory(error);
    argv[0] = program;
    for (uint32_t i = 0; i < source->argument_count; i++)
        argv[i + 1] = source->arguments[i];
    const emulated_job how = {.argv = (char **)(uintptr_t)argv,
                              .arch = job->arch->name,
                              .output = printed,
                              .left = keeps ? NULL : file,
                              .grouped = job->grouped,
                              .capture = keeps ? folder : NULL,
                              .run = {.block_limit = job->block_limit,
                                      .launch_limit = job->launch_limit,
                                      .races = job->races && !keeps},
                              .has_budget = job->seconds > 0,
                              .budget_seconds = seconds,
                              .trace = &trace,
                              .lost = ignore_loss,
                              .say = ignore_line};
    emulated_program left;
    smp_status status = profile_emulated_run(&how, &left, error);
    free(argv);
    out->profile = left.profile;
    out->exit_status = left.end.exit_status;
    if (status == SMP_OK && (left.end.signal == SIGINT || left.end.exit_status == 128 + SIGINT))
        status = smp_error_set(error, SMP_E_INTERRUPTED, -1, "interrupted");
    if (status == SMP_OK && left.is_stopped)
        status = smp_error_set(error, SMP_E_READ, -1,
                               "the program did not end in %" PRIu64 " s, half of --time", seconds);
    if (status == SMP_OK && left.refused > 0)
        status = smp_error_set(error, SMP_E_READ, -1,
                               "the program asks for what only a GPU has (smemprobe %.100s says "
                               "what)",
                               job->file.path);
    return status;
}

smp_status proof_make_program(const proof_job *job, const smp_program_file *copy,
                              const char *program, proof_run *out, smp_error *error) {
    char made[PATH_BYTES], folder[SCRATCH_PATH_BYTES] = "";
    smp_status status =
        program ? SMP_OK : smp_program_link(copy, NULL, 0, made, sizeof made, error);
    if (status == SMP_OK && !program && !(out->program = strdup(made)))
        status = smp_error_memory(error);
    if (status == SMP_OK)
        status = scratch_folder_make(folder, error);
    if (status == SMP_OK)
        status = run(job, program ? program : out->program, folder, false, out, error);
    if (status == SMP_OK)
        status = take_left(job, folder, out, error);
    scratch_folder_remove(folder);
    return status;
}

smp_status proof_keep_program(const proof_job *job, proof_run *of, smp_error *error) {
    char folder[SCRATCH_PATH_BYTES] = "";
    proof_run again = {.count = 0};
    smp_status status = scratch_folder_make(folder, error);
    if (status == SMP_OK)
        status = run(job, of->program, folder, true, &again, error);
    if (status == SMP_OK && !(of->kept = strdup(folder)))
        status = smp_error_memory(error);
    if (status != SMP_OK)
        scratch_folder_remove(folder);
    proof_clear(&again);
    return status;
}
