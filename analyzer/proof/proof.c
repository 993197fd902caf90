/* SPDX-License-Identifier: MIT */
/* Compiles and runs one version of a source. */
#define _POSIX_C_SOURCE 200809L
#include "proof.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "launch_text.h"
#include "list.h"
#include "tool.h"

enum { PATH_BYTES = 4096, FLAGS_MORE = 2 };

typedef struct taker {
    const proof_job *job;
    const proof_run *like;
    proof_run *out;
} taker;

/* Gives a kernel the shape, the dynamic bytes and the values of its first launch in a run of the
 * program. */
static void take_shape(void *user, const smp_function *function, smp_launch_wish *wish) {
    const taker *t = user;
    const proof_left *from = t->job->shaped;
    const char *name = smp_function_full_name(function);
    for (uint32_t i = 0; from && i < from->launch_count; i++) {
        const proof_launch *one = &from->launches[i];
        if (strcmp(one->kernel, name) != 0)
            continue;
        memcpy(wish->grid, one->grid, sizeof wish->grid);
        memcpy(wish->block, one->block, sizeof wish->block);
        wish->is_try = false;
        wish->has_dynamic = true;
        wish->dynamic_bytes = one->dynamic_bytes;
        wish->parameters = one->parameters;
        wish->parameter_bytes = one->parameter_bytes;
        return;
    }
}

static const char *launch_before(void *user, const smp_function *function) {
    const taker *t = user;
    const proof_kernel *kernel =
        t->like ? proof_kernel_find(t->like, smp_function_full_name(function)) : NULL;
    return kernel ? kernel->launch : NULL;
}

uint32_t proof_kernel_take(proof_kernel *to, const smp_arch *arch, const smp_target_left *left,
                           const char *launch) {
    smp_launch_text text = {0}, said = {0};
    smp_error ignored;
    const smp_function *function = left->function;
    const bool is_read = smp_launch_parse(launch, &text, &ignored) == SMP_OK &&
                         smp_launch_parse(left->launch, &said, &ignored) == SMP_OK;
    const uint32_t threads = is_read ? text.block[0] * text.block[1] * text.block[2] : 0;
    *to = (proof_kernel){.name = strdup(smp_function_full_name(function)),
                         .launch = strdup(launch),
                         .memory = *left->memory,
                         .registers = function->registers,
                         .local_bytes = function->local_bytes,
                         .shared_bytes = function->shared_bytes + said.dynamic_shared_bytes,
                         .blocks_run = left->done->is_whole ? left->done->cluster_count : 0,
                         .blocks = left->blocks};
    *left->memory = (smp_emu_memory){.count = 0};
    proof_kernel_fit(to, arch, threads);
    smp_launch_clear(&text);
    smp_launch_clear(&said);
    return to->name && to->launch ? threads : 0;
}

static void take_left(void *user, const smp_target_left *left) {
    taker *t = user;
    const char *before = launch_before(t, left->function);
    const bool is_taken = LIST_ROOM(t->out->kernels, t->out->count) &&
                          proof_kernel_take(&t->out->kernels[t->out->count++], t->job->arch, left,
                                            before ? before : left->launch) > 0;
    t->out->has_failed |= !is_taken;
}

/* `code` is the machine code of the same text, or NULL. */
static smp_status run_kernels(const proof_job *job, const smp_program_file *copy,
                              const proof_run *like, smp_code *code, proof_run *out,
                              smp_error *error) {
    taker t = {job, like, out};
    smp_target_job target = {.path = copy->path,
                             .arch = job->arch,
                             .wish = job->wish,
                             .launch = job->launch,
                             .flags = copy->flags,
                             .flag_count = copy->flag_count,
                             .run = {.block_limit = job->block_limit,
                                     .launch_limit = job->launch_limit,
                                     .races = job->races},
                             .notes = like ? NULL : job->notes,
                             .is_quiet = true,
                             .wish_of = take_shape,
                             .launch_of = like ? launch_before : NULL,
                             .left = take_left,
                             .user = &t};
    smp_status status = code ? SMP_OK : smp_target_open(copy, &out->code, error);
    target.code = code ? code : out->code;
    if (status == SMP_OK)
        status = smp_target_run(&target, &out->profile, error);
    return status == SMP_OK && out->has_failed ? smp_error_memory(error) : status;
}

/* Looks for headers where those of the file are. */
static smp_status run_copy(const proof_job *job, const char *path, const proof_run *like,
                           bool is_same, proof_run *out, smp_error *error) {
    static const note_sink nobody; /* without a sink, missing headers are not recognized */
    char folder[PATH_BYTES];
    const char *slash = strrchr(job->file.path, '/');
    const uint32_t count = job->file.flag_count;
    const char **flags = calloc((size_t)count + FLAGS_MORE, sizeof *flags);
    if (!flags)
        return smp_error_memory(error);
    (void)snprintf(folder, sizeof folder, "-I%.*s", slash ? (int)(slash - job->file.path) : 1,
                   slash ? job->file.path : ".");
    flags[0] = folder;
    for (uint32_t i = 0; i < count; i++)
        flags[i + 1] = job->file.flags[i];
    smp_program_file copy = job->file;
    copy.path = path;
    copy.original = job->file.path;
    copy.flags = flags;
    flags[count + 1] = "-G";
    copy.flag_count = count + (job->is_plain ? 2 : 1);
    copy.notes = like ? &nobody : job->file.notes;
    const smp_status status =
        job->has_main ? proof_make_program(job, &copy, is_same ? like->program : NULL, out, error)
                      : run_kernels(job, &copy, like, is_same ? like->code : NULL, out, error);
    free(flags);
    return status;
}

/* Replaces the name of the temporary copy in a compiler message by that of the user's file. */
static void name_source(const char *path, const char *copy, smp_error *error) {
    char text[sizeof error->message];
    const char *at = strstr(error->message, copy);
    if (!at)
        return;
    (void)snprintf(text, sizeof text, "%.*s%s%s", (int)(at - error->message), error->message, path,
                   at + strlen(copy));
    memcpy(error->message, text, sizeof text);
}

smp_status proof_make(const proof_job *job, const char *text, size_t length, const proof_run *like,
                      bool is_same, proof_run *out, smp_error *error) {
    char path[PATH_BYTES];
    memset(out, 0, sizeof *out);
    if ((!like || is_same) && !job->is_joined)
        return run_copy(job, job->file.path, like, is_same, out, error);
    smp_status status = smp_tool_file(text, length, ".cu", path, sizeof path, error);
    if (status != SMP_OK)
        return status;
    status = run_copy(job, path, like, is_same, out, error);
    smp_tool_file_remove(path);
    if (status == SMP_OK && !(out->copy = strdup(path)))
        status = smp_error_memory(error);
    if (status != SMP_OK)
        name_source(job->file.path, path, error);
    return status;
}
