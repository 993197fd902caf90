/* SPDX-License-Identifier: MIT */
/*
 * Kept launches, run again: memory as it was, and compared with what it became.
 */
#include "kept_replay.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "budget.h"
#include "kept_launch.h"
#include "profile_time.h"
#include "text_buffer.h"

enum { PATH_BYTES = 4096 };

bool emulate_is_kept(const char *path) {
    struct stat info;
    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

static const char *printable(const smp_kept_launch *kept) {
    return kept->demangled ? kept->demangled : kept->kernel;
}

/* The word that the first wrong byte is in, as it is and as it should be. */
static void note_difference(const note_sink *notes, const smp_kept_launch *kept,
                            const smp_emu_memory *memory, uint32_t array, uint64_t byte) {
    const smp_kept_array *of = &kept->arrays[array];
    const uint8_t *wanted = of->after ? of->after : of->before;
    const uint64_t start = byte / 4 * 4,
                   size = of->size_bytes - start < 4 ? of->size_bytes - start : 4;
    uint32_t is = 0, was = 0;
    memcpy(&is, smp_emu_memory_find(memory, of->address)->bytes + start, size);
    if (wanted)
        memcpy(&was, wanted + start, size);
    float is_number, was_number;
    memcpy(&is_number, &is, 4);
    memcpy(&was_number, &was, 4);
    note_add(notes,
             "%.200s: memory differs from what was kept: %.80s (memory-%u), byte %llu: "
             "0x%08x (%g), kept 0x%08x (%g)",
             printable(kept), of->name, array, (unsigned long long)start, is, (double)is_number,
             was, (double)was_number);
}

typedef struct replay {
    smp_kept_launch kept;
    smp_code *code;
    const smp_function *function;
    smp_emu_memory memory;
    smp_emu_module module;
} replay;

static void replay_clear(replay *r) {
    smp_code_close(r->code);
    smp_emu_memory_clear(&r->memory);
    free(r->module.address);
    smp_kept_clear(&r->kept);
}

static smp_status replay_open(const char *folder, replay *out, smp_error *error) {
    smp_status status = smp_kept_read(folder, &out->kept, error);
    if (status == SMP_OK)
        status = smp_code_open(out->kept.code, out->kept.code_bytes, &out->code, error);
    if (status != SMP_OK)
        return status;
    out->function = smp_code_find(out->code, out->kept.kernel);
    if (!out->function)
        return smp_error_set(error, SMP_E_SYNTAX, -1, "%.120s: no kernel %.100s in its code",
                             folder, out->kept.kernel);
    if (out->function->parameter_bytes != out->kept.parameter_bytes)
        return smp_error_set(error, SMP_E_SYNTAX, -1,
                             "%.120s: %u bytes of parameters, but the kernel takes %u", folder,
                             out->kept.parameter_bytes, out->function->parameter_bytes);
    if (!out->kept.demangled && out->function->demangled)
        out->kept.demangled = strdup(out->function->demangled);
    status = smp_code_disassemble(out->code, &out->function->name, 1, error);
    if (status == SMP_OK)
        status = smp_kept_place(&out->kept, out->code, &out->memory, &out->module, error);
    return status;
}

static smp_status choose_arch(const replay *r, const smp_arch **arch, smp_error *error) {
    const uint32_t cc = smp_code_cc(r->code);
    if (!*arch)
        *arch = smp_arch_of_cc((int)cc / 10, (int)cc % 10);
    return *arch ? SMP_OK
                 : smp_error_set(error, SMP_E_UNKNOWN_ARCH, -1,
                                 "code for compute capability %u.%u, which has no rules here: "
                                 "--arch NAME judges it by another's",
                                 cc / 10, cc % 10);
}

static smp_status run_one(const char *folder, const kept_replay *how, smp_profile *profile,
                          kept_sums *sums, smp_error *error) {
    replay r = {.code = NULL};
    const smp_arch *arch = how->arch;
    smp_emulation done;
    uint32_t array;
    uint64_t byte;
    smp_status status = replay_open(folder, &r, error);
    if (status == SMP_OK) {
        sums->cc = smp_code_cc(r.code);
        status = choose_arch(&r, &arch, error);
    }
    smp_kernel_profile *kernel = status == SMP_OK ? smp_profile_add_kernel(profile) : NULL;
    if (status == SMP_OK && !kernel)
        status = smp_error_memory(error);
    smp_launch launch = {.is_cooperative = r.kept.is_cooperative,
                         .dynamic_shared_bytes = r.kept.dynamic_shared_bytes,
                         .parameters = r.kept.parameters,
                         .arch = arch,
                         .limit = how->block_limit,
                         .launch_limit = how->launch_limit,
                         .stack_bytes = how->stack_bytes,
                         .races = how->races,
                         .output = stderr,
                         .stop = emulate_budget_stop(),
                         .module = &r.module,
                         .trace = how->trace};
    memcpy(launch.grid, r.kept.grid, sizeof launch.grid);
    memcpy(launch.block, r.kept.block, sizeof launch.block);
    memcpy(launch.cluster, r.kept.cluster, sizeof launch.cluster);
    if (status == SMP_OK)
        status = smp_emulate(r.code, r.function, &r.memory, &launch, kernel, &done, error);
    if (status == SMP_OK) {
        sums->trace_rows += done.trace_rows;
        sums->trace_left_out += done.trace_left_out;
    }
    char of[512] = "";
    emulate_end end = {.of = of,
                       .why = "a capture does not keep",
                       .not_seen = "which was not kept",
                       .is_judged_before = how->is_judged_again,
                       .notes = how->notes};
    if (status == SMP_OK) {
        (void)snprintf(of, sizeof of, "%.200s: launch of %.200s", folder, printable(&r.kept));
        status = emulate_take_end(&end, r.function, &done, profile, error);
    }
    sums->refused += end.is_refused;
    sums->stopped += end.is_stopped;
    if (status == SMP_OK && done.is_whole && smp_kept_differs(&r.kept, &r.memory, &array, &byte)) {
        note_difference(how->notes, &r.kept, &r.memory, array, byte);
        sums->differ++;
    }
    replay_clear(&r);
    return status;
}

static int is_launch(const struct dirent *entry) {
    return entry->d_name[0] != '.';
}

smp_status emulate_kept(const char *folder, const kept_replay *how, smp_profile *profile,
                        kept_sums *sums, smp_error *error) {
    char path[PATH_BYTES];
    struct dirent **entries;
    smp_status status = SMP_OK;
    unsigned ran = 0;
    (void)snprintf(path, sizeof path, "%.3900s/launch.json", folder);
    if (access(path, F_OK) == 0)
        return run_one(folder, how, profile, sums, error);
    const int count = scandir(folder, &entries, is_launch, alphasort);
    for (int i = 0; i < count; i++) {
        (void)snprintf(path, sizeof path, "%.3700s/%s/launch.json", folder, entries[i]->d_name);
        if (status == SMP_OK && access(path, F_OK) == 0) {
            *strrchr(path, '/') = '\0';
            status = run_one(path, how, profile, sums, error);
            ran++;
        }
        free(entries[i]);
    }
    if (count >= 0)
        free(entries);
    if (status == SMP_OK && ran == 0)
        status = smp_error_set(
            error, SMP_E_READ, -1,
            "%.160s: no launch in it (launch.json, as profile --capture leaves it)", folder);
    return status;
}

/* ---- Some blocks of each ---- */

enum {
    SAMPLE_LIMIT = 200000000, /* warp instructions of a launch's blocks: seconds of one core */
    SAMPLE_PARTS = 4          /* between which blocks are compared */
};

/* The first of each part of the grid, the last, and any between; rising, each once. */
static uint32_t choose_blocks(uint64_t blocks, uint64_t out[EMULATED_SAMPLE]) {
    uint32_t count = 0;
    for (uint64_t i = 0; i < EMULATED_SAMPLE; i++) {
        const uint64_t first = blocks * i / EMULATED_SAMPLE,
                       size = blocks * (i + 1) / EMULATED_SAMPLE - first;
        const uint64_t any = (i * 0x9e3779b97f4a7c15u ^ blocks) >> 32;
        if (size == 0)
            continue;
        out[count++] = i == 0 ? 0 : i + 1 == EMULATED_SAMPLE ? blocks - 1 : first + any % size;
    }
    return count;
}

static uint64_t cost_of(const smp_kernel_profile *kernel) {
    uint64_t sum = 0;
    for (uint32_t i = 0; i < kernel->site_count; i++)
        sum += kernel->sites[i].wavefronts + kernel->sites[i].sectors;
    return sum;
}

/* `count` blocks become a kernel of the profile; false: they did not all end as they should. */
static bool run_part(replay *r, smp_launch *launch, const uint64_t *only, uint32_t count,
                     smp_profile *profile, uint64_t *cost) {
    smp_emulation done;
    smp_error error;
    smp_kernel_profile *kernel = smp_profile_add_kernel(profile);
    launch->only = only;
    launch->only_count = count;
    if (!kernel ||
        smp_emulate(r->code, r->function, &r->memory, launch, kernel, &done, &error) != SMP_OK)
        return false;
    kernel->launches = 0;
    kernel->blocks = count;
    *cost = cost_of(kernel) / count;
    return done.is_whole;
}

static bool run_parts(replay *r, const smp_arch *arch, smp_profile *profile) {
    uint64_t only[EMULATED_SAMPLE], least = UINT64_MAX, most = 0, blocks = 1;
    smp_launch launch = {.dynamic_shared_bytes = r->kept.dynamic_shared_bytes,
                         .parameters = r->kept.parameters,
                         .arch = arch,
                         .launch_limit = SAMPLE_LIMIT / SAMPLE_PARTS,
                         .limit = SAMPLE_LIMIT / SAMPLE_PARTS,
                         .module = &r->module};
    memcpy(launch.grid, r->kept.grid, sizeof launch.grid);
    memcpy(launch.block, r->kept.block, sizeof launch.block);
    memcpy(launch.cluster, r->kept.cluster, sizeof launch.cluster);
    for (unsigned i = 0; i < 3; i++)
        blocks *= launch.grid[i];
    const uint32_t count = choose_blocks(blocks, only);
    for (uint32_t part = 0; part < SAMPLE_PARTS; part++) {
        const uint32_t first = count * part / SAMPLE_PARTS,
                       size = count * (part + 1) / SAMPLE_PARTS - first;
        uint64_t cost = 0;
        if (size == 0)
            continue;
        if (!run_part(r, &launch, &only[first], size, profile, &cost))
            return false;
        least = cost < least ? cost : least;
        most = cost > most ? cost : most;
    }
    char text[200];
    (void)snprintf(text, sizeof text,
                   "%u of %llu blocks of one launch, run on the CPU; parts of these differ by up "
                   "to %.0f %%",
                   count, (unsigned long long)blocks,
                   most > 0 ? 100 * (double)(most - least) / (double)most : 0.0);
    smp_kernel_profile *last = &profile->kernels[profile->kernel_count - 1];
    free(last->not_seen);
    last->not_seen = strdup(text);
    return last->not_seen != NULL;
}

/* Blocks that wait for each other cannot be run by themselves. */
static bool can_sample(const smp_kept_launch *kept) {
    return !kept->is_cooperative && kept->cluster[0] * kept->cluster[1] * kept->cluster[2] <= 1;
}

static smp_kernel_profile *find_unseen(smp_profile *profile, const char *name) {
    for (uint32_t i = 0; i < profile->kernel_count; i++) {
        smp_kernel_profile *kernel = &profile->kernels[i];
        if (kernel->launches == 0 && kernel->launches_skipped > 0 && kernel->blocks == 0 &&
            strcmp(kernel->name, name) == 0)
            return kernel;
    }
    return NULL;
}

/* Into *sampled, if it is of a kernel that *profile has not seen. */
static smp_status sample_one(const char *folder, smp_profile *profile, smp_profile *sampled,
                             smp_error *error) {
    replay r = {.code = NULL};
    smp_profile own = {0};
    smp_error ignored;
    const smp_arch *arch = NULL;
    smp_status status = SMP_OK;
    if (replay_open(folder, &r, &ignored) == SMP_OK && find_unseen(profile, r.kept.kernel) &&
        can_sample(&r.kept) && choose_arch(&r, &arch, &ignored) == SMP_OK &&
        run_parts(&r, arch, &own))
        status = smp_profile_merge(sampled, &own, error);
    smp_profile_clear(&own);
    replay_clear(&r);
    return status;
}

/* What ran on the CPU is none of what was not seen. */
static void settle(smp_profile *profile, const smp_kernel_profile *added) {
    smp_kernel_profile *kernel = find_unseen(profile, added->name);
    if (kernel && kernel->code_hash == added->code_hash)
        kernel->blocks_skipped -=
            added->blocks < kernel->blocks_skipped ? added->blocks : kernel->blocks_skipped;
}

static void set_bounds(smp_profile *profile) {
    for (uint32_t i = 0; i < profile->kernel_count; i++) {
        smp_kernel_profile *kernel = &profile->kernels[i];
        if (kernel->launches == 0 && kernel->blocks > 0 && kernel->time_us > 0)
            smp_kernel_set_time(kernel, kernel->time_us, smp_kernel_scale(kernel));
    }
}

smp_status emulate_kept_sample(const char *folder, smp_profile *profile, smp_error *error) {
    char path[PATH_BYTES];
    struct dirent **entries;
    smp_profile sampled = {0};
    smp_status status = SMP_OK;
    const int count = scandir(folder, &entries, is_launch, alphasort);
    for (int i = 0; i < count; i++) {
        (void)snprintf(path, sizeof path, "%.3700s/%s", folder, entries[i]->d_name);
        if (status == SMP_OK)
            status = sample_one(path, profile, &sampled, error);
        free(entries[i]);
    }
    if (count >= 0)
        free(entries);
    for (uint32_t i = 0; i < sampled.kernel_count; i++)
        settle(profile, &sampled.kernels[i]);
    if (status == SMP_OK)
        status = smp_profile_merge(profile, &sampled, error);
    smp_profile_clear(&sampled);
    set_bounds(profile);
    return status;
}
