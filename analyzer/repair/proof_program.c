/* SPDX-License-Identifier: MIT */
/*
 * A source with a main: linked, run under our CUDA runtime, and each kernel's first launch kept
 * with the memory that it left.
 */
#define _POSIX_C_SOURCE 200809L
#include <dirent.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kept_launch.h"
#include "list.h"
#include "profile_emulated.h"
#include "proof.h"
#include "scratch_folder.h"
#include "tool.h"

enum { PATH_BYTES = 4096 };

static void ignore_loss(const char *path, const smp_profile_loss *loss) {
    (void)path;
    (void)loss;
}

static void ignore_line(const char *line) {
    (void)line;
}

/* The memory behind the launch, whose bytes move. */
static bool take_memory(smp_kept_launch *kept, smp_emu_memory *out) {
    for (uint32_t i = 0; i < kept->array_count; i++) {
        smp_kept_array *from = &kept->arrays[i];
        if (!LIST_ROOM(out->arrays, out->count))
            return false;
        out->arrays[out->count++] =
            (smp_emu_array){.name = from->name,
                            .address = from->address,
                            .size_bytes = from->size_bytes,
                            .bytes = from->after ? from->after : from->before};
        if (from->after)
            from->after = NULL;
        else
            from->before = NULL;
        from->name = NULL;
    }
    return true;
}

static smp_status take_kept(const proof_job *job, const char *folder, proof_run *out,
                            smp_error *error) {
    smp_kept_launch kept = {0};
    smp_code *code = NULL;
    smp_status status = smp_kept_read(folder, &kept, error);
    if (status == SMP_OK)
        status = smp_code_open(kept.code, kept.code_bytes, &code, error);
    const smp_function *function = status == SMP_OK ? smp_code_find(code, kept.kernel) : NULL;
    if (status == SMP_OK && (!function || !LIST_ROOM(out->kernels, out->count)))
        status = smp_error_memory(error);
    if (status == SMP_OK) {
        proof_kernel *to = &out->kernels[out->count++];
        *to = (proof_kernel){.name = strdup(kept.demangled ? kept.demangled : kept.kernel)};
        proof_kernel_describe(to, function, job->arch,
                              kept.block[0] * kept.block[1] * kept.block[2],
                              kept.dynamic_shared_bytes);
        to->blocks_run = to->blocks = (uint64_t)kept.grid[0] * kept.grid[1] * kept.grid[2];
        if (!to->name || !take_memory(&kept, &to->memory))
            status = smp_error_memory(error);
    }
    smp_code_close(code);
    smp_kept_clear(&kept);
    return status;
}

static int is_entry(const struct dirent *entry) {
    return entry->d_name[0] != '.';
}

/* In the order of their names, which begin with their numbers; each goes when it was read. */
static smp_status take_all_kept(const proof_job *job, const char *folder, proof_run *out,
                                smp_error *error) {
    struct dirent **entries = NULL;
    char path[SCRATCH_PATH_BYTES + 300];
    smp_status status = SMP_OK;
    const int count = scandir(folder, &entries, is_entry, alphasort);
    for (int i = 0; i < count; i++) {
        (void)snprintf(path, sizeof path, "%s/%s", folder, entries[i]->d_name);
        if (status == SMP_OK)
            status = take_kept(job, path, out, error);
        scratch_folder_remove(path);
        free(entries[i]);
    }
    free(entries);
    return status;
}

static smp_status run(const proof_job *job, const char *program, const char *folder, proof_run *out,
                      smp_error *error) {
    const smp_program_file *file = &job->file;
    const char **argv = calloc((size_t)file->argument_count + 2, sizeof *argv);
    trace_file trace = {.writer = NULL};
    if (!argv)
        return smp_error_memory(error);
    argv[0] = program;
    for (uint32_t i = 0; i < file->argument_count; i++)
        argv[i + 1] = file->arguments[i];
    const emulated_job how = {.argv = (char **)(uintptr_t)argv,
                              .arch = job->arch->name,
                              .is_quiet = true,
                              .has_limit = job->block_limit > 0,
                              .block_limit = job->block_limit,
                              .launch_limit = job->launch_limit,
                              .has_budget = job->seconds > 0,
                              .budget_seconds = job->seconds,
                              .capture = folder,
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
                               "the program did not end in %" PRIu64 " s (--time)", job->seconds);
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
        status = run(job, program ? program : out->program, folder, out, error);
    if (status == SMP_OK)
        status = take_all_kept(job, folder, out, error);
    scratch_folder_remove(folder);
    return status;
}
