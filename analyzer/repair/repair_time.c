/* SPDX-License-Identifier: MIT */
/* Decides which kernels are timed, with which launches, and what the times mean. */
#define _GNU_SOURCE /* flock, O_NOFOLLOW */
#include "search.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "gpu_launch.h"
#include "proof.h"

enum {
    FASTER_PER_MILLE = 990, /* a smaller gain is noise */
    BLOCKS_EACH = 32,       /* blocks per multiprocessor when a single kernel is timed */
    GRID_Z_MOST = 65535
};

/* The time of a very short launch varies by this much. */
#define FASTER_US 0.1

/* ---- The GPU ---- */

/* Whether a GPU can run the code. Notes once if it has another architecture. */
static bool has_gpu(search *s) {
    smp_error error;
    const smp_arch *arch = s->job->proof.arch;
    if (s->gpu_state != GPU_UNKNOWN)
        return s->gpu_state == GPU_OPEN;
    s->gpu_state = GPU_NONE;
    if (gpu_driver_open(&s->gpu, &error) != SMP_OK) {
        gpu_driver_close(&s->gpu);
        return false;
    }
    const int cc = s->gpu.cc;
    if (cc / 10 == arch->cc_major && cc % 10 >= arch->cc_minor) {
        s->gpu_state = GPU_OPEN;
    } else {
        (void)snprintf(s->out->untimed, sizeof s->out->untimed,
                       "the GPU, %s, is of %d.%d: --arch sm_%d", s->gpu.name, cc / 10, cc % 10, cc);
        gpu_driver_close(&s->gpu);
    }
    return s->gpu_state == GPU_OPEN;
}

/* ---- One kernel ---- */

/* Whether an instruction would behave differently in several copies of the grid. */
static bool knows_its_grid(const smp_function *f) {
    uint32_t count;
    const smp_instruction *all = smp_function_code(f, &count);
    return !all ||
           ANY(one, all, count,
               (one->operands && strstr(one->operands, "SR_CTAID.Z")) ||
                   strncmp(one->opcode, "ATOMG", 5) == 0 || strcmp(one->opcode, "ATOM") == 0 ||
                   strncmp(one->opcode, "ATOM.", 5) == 0 || strncmp(one->opcode, "RED", 3) == 0);
}

/* Number of copies of a single kernel's grid that fill the GPU. */
static uint32_t copies_of(const search *s, const proof_run *run, const smp_kept_launch *kept) {
    const smp_function *function = run->code ? smp_code_find(run->code, kept->kernel) : NULL;
    const uint64_t blocks = (uint64_t)kept->grid[0] * kept->grid[1] * kept->grid[2];
    const uint64_t wanted = (uint64_t)s->gpu.multiprocessors * BLOCKS_EACH;
    if (!function || blocks >= wanted || knows_its_grid(function))
        return 1;
    const uint64_t copies = (wanted + blocks - 1) / blocks, most = GRID_Z_MOST / kept->grid[2];
    return (uint32_t)(copies < most ? copies : most);
}

/* Whether the kernel may print in each launch. */
static bool prints(const smp_kept_launch *kept) {
    static const char name[] = "vprintf";
    for (size_t i = 0; i + sizeof name <= kept->code_bytes; i++)
        if (kept->code[i] == 'v' && memcmp(kept->code + i, name, sizeof name) == 0)
            return true;
    return false;
}

/* Waits until no other `fix` on this machine times a kernel. -1 if there is no lock, which is no
 * error. */
static int lock_gpu(void) {
    const int file = open("/tmp/smemprobe-timing.lock", O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC,
                          0666); /* closing it releases the lock */
    if (file >= 0)
        (void)flock(file, LOCK_EX);
    return file;
}

static smp_status time_launches(search *s, const smp_kept_launch *before,
                                const smp_kept_launch *after, uint32_t copies, gpu_turns *out,
                                smp_error *error) {
    gpu_launch old = {.module = NULL}, new = {.module = NULL};
    if (prints(before))
        return smp_error_set(error, SMP_E_READ, -1, "%.120s may print in each launch",
                             before->demangled ? before->demangled : before->kernel);
    smp_status status = gpu_launch_make(&s->gpu, before, &old, error);
    if (status == SMP_OK)
        status = gpu_launch_make(&s->gpu, after, &new, error);
    old.copies = new.copies = copies;
    const int lock = lock_gpu();
    if (status == SMP_OK)
        status = gpu_turns_take(&old, &new, out, error);
    if (lock >= 0)
        (void)close(lock);
    gpu_launch_clear(&new);
    gpu_launch_clear(&old);
    return status;
}

/* Makes growing arrays of both launches equally long, as each run's length may be known only by
 * page. */
static void equalise(smp_kept_launch *a, smp_kept_launch *b) {
    for (uint32_t i = 0; i < a->array_count && i < b->array_count; i++) {
        smp_kept_array *x = &a->arrays[i], *y = &b->arrays[i];
        const uint64_t least = x->size_bytes < y->size_bytes ? x->size_bytes : y->size_bytes;
        if (x->address == y->address)
            x->size_bytes = y->size_bytes = least;
    }
}

static smp_status time_kernel(search *s, proof_run *run, const char *name, gpu_turns *out,
                              smp_error *error) {
    const proof_job *job = &s->job->proof;
    smp_kept_launch before,
        after; /* recorded with the run, so not through s->now, which is const */
    smp_status status =
        proof_keep(job, s->now == &s->first ? &s->first : &s->best, name, &before, error);
    if (status != SMP_OK)
        return status;
    status = proof_keep(job, run, name, &after, error);
    if (status == SMP_OK) {
        const uint32_t copies = job->has_main ? 1 : copies_of(s, s->now, &before);
        if (!job->has_main)
            equalise(&before, &after);
        status = time_launches(s, &before, &after, copies, out, error);
        smp_kept_clear(&after);
    }
    smp_kept_clear(&before);
    return status;
}

/* ---- A repair ---- */

/* Sums the times of the kernels whose code changes. */
static smp_status time_kernels(search *s, proof_run *run, repair_try *tried, smp_error *error) {
    smp_status status = SMP_OK;
    double before_us = 0, after_us = 0;
    for (uint32_t i = 0; i < s->now->profile.kernel_count && status == SMP_OK; i++) {
        const smp_kernel_profile *one = &s->now->profile.kernels[i];
        const smp_kernel_profile *other = repair_kernel_named(run, smp_kernel_full_name(one));
        gpu_turns turns = {.grouped = s->job->proof.grouped};
        if (!other || other->code_hash == one->code_hash)
            continue;
        status = time_kernel(s, run, smp_kernel_full_name(one), &turns, error);
        if (status == SMP_OK && !turns.is_equal) {
            const bool has_run = turns.failed.status == SMP_OK;
            (void)snprintf(tried->why, PROOF_WHY, "on the GPU %.150s%s",
                           has_run ? smp_kernel_full_name(one) : turns.failed.message,
                           has_run ? " leaves different values" : "");
            return turns.failed.status;
        }
        before_us += status == SMP_OK ? turns.before_us : 0;
        after_us += status == SMP_OK ? turns.after_us : 0;
    }
    if (status == SMP_OK) {
        tried->before_us = before_us;
        tried->after_us = after_us;
    }
    return status;
}

static bool is_faster(const repair_try *tried) {
    return tried->after_us * 1000 <= tried->before_us * FASTER_PER_MILLE &&
           tried->after_us + FASTER_US <= tried->before_us;
}

void repair_time(search *s, proof_run *run, repair_try *tried) {
    smp_error error;
    if (!has_gpu(s))
        return;
    const smp_status status = time_kernels(s, run, tried, &error);
    if (status == SMP_OK)
        (void)snprintf(s->out->gpu, sizeof s->out->gpu, "%s", s->gpu.name);
    else
        (void)snprintf(s->out->untimed, sizeof s->out->untimed, "%.190s",
                       tried->why[0] == '\0' ? error.message : tried->why);
    tried->is_slower = tried->before_us > 0 && !is_faster(tried);
    if (tried->is_slower && !s->job->keeps_slower)
        (void)snprintf(tried->why, PROOF_WHY, "it is not faster and was reverted");
    if (status == SMP_E_CUDA) { /* a failed context cannot be used again */
        gpu_driver_close(&s->gpu);
        s->gpu_state = GPU_NONE;
    }
}
