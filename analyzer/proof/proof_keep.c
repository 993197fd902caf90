/* SPDX-License-Identifier: MIT */
/*
 * Launches of single kernels are made again from their text; those of a program are recorded by
 * its runtime.
 */
#define _POSIX_C_SOURCE 200809L
#include "proof.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>

#include "launch_text.h"

enum { PATH_BYTES = 4096 + 300, MARGIN_BYTES = 1 << 24 };

/* ---- Kernels alone ---- */

static const smp_function *function_named(const smp_code *code, const char *name) {
    size_t count;
    const smp_function *all = smp_code_functions(code, &count);
    return FIND(one, all, count, one->is_kernel && strcmp(smp_function_full_name(one), name) == 0);
}

/* Cuts growing arrays after the last byte touched. If only some blocks ran, which include the
 * first and the last, leaves some room. */
static void trim(smp_emu_memory *memory, const proof_kernel *kernel) {
    const smp_emu_memory *left = &kernel->memory;
    const bool is_whole = kernel->blocks_run == kernel->blocks;
    for (uint32_t i = 0; i < memory->count && i < left->count; i++) {
        smp_emu_array *array = &memory->arrays[i];
        const uint64_t touched = proof_touched_bytes(&left->arrays[i]);
        const uint64_t used = is_whole ? touched : 2 * touched + MARGIN_BYTES;
        if (array->address == left->arrays[i].address && used < array->size_bytes)
            array->size_bytes = used;
    }
}

static smp_status make_launch(const proof_run *run, const smp_function *function,
                              const proof_kernel *kernel, smp_kept_launch *out, smp_error *error) {
    smp_launch_text text = {0};
    smp_launch_arguments arguments = {0};
    smp_emu_memory memory = {0};
    smp_status status = smp_launch_parse(kernel->launch, &text, error);
    if (status == SMP_OK)
        status = smp_launch_arguments_make(&text, function, &memory, &arguments, error);
    smp_launch launch = {.dynamic_shared_bytes = kernel->shared_bytes - function->shared_bytes,
                         .parameters = arguments.bytes};
    memcpy(launch.grid, text.grid, sizeof launch.grid);
    memcpy(launch.block, text.block, sizeof launch.block);
    for (unsigned i = 0; i < 3; i++)
        launch.cluster[i] = function->cluster[i] > 0 ? function->cluster[i] : 1;
    trim(&memory, kernel);
    if (status == SMP_OK)
        status = smp_kept_take(run->code, function, &launch, &memory, true, out, error);
    smp_launch_arguments_clear(&arguments);
    smp_emu_memory_clear(&memory);
    smp_launch_clear(&text);
    return status;
}

/* ---- Programs ---- */

static smp_status read_kept(const char *folder, const char *name, smp_kept_launch *out,
                            smp_error *error) {
    DIR *list = opendir(folder);
    bool is_found = false;
    for (const struct dirent *one; list && !is_found && (one = readdir(list));) {
        char path[PATH_BYTES];
        smp_error ignored;
        (void)snprintf(path, sizeof path, "%s/%s", folder, one->d_name);
        if (one->d_name[0] == '.' || smp_kept_read(path, out, &ignored) != SMP_OK)
            continue;
        is_found = strcmp(out->demangled ? out->demangled : out->kernel, name) == 0;
        if (!is_found)
            smp_kept_clear(out);
    }
    if (list)
        (void)closedir(list);
    return is_found
               ? SMP_OK
               : smp_error_set(error, SMP_E_READ, -1, "%.100s: no launch of it was kept", name);
}

smp_status proof_keep(const proof_job *job, proof_run *run, const char *name, smp_kept_launch *out,
                      smp_error *error) {
    if (job->has_main) {
        const smp_status status = run->kept ? SMP_OK : proof_keep_program(job, run, error);
        return status == SMP_OK ? read_kept(run->kept, name, out, error) : status;
    }
    const proof_kernel *kernel = proof_kernel_find(run, name);
    const smp_function *function = run->code ? function_named(run->code, name) : NULL;
    return kernel && function ? make_launch(run, function, kernel, out, error)
                              : smp_error_set(error, SMP_E_READ, -1, "%.100s is not there", name);
}
