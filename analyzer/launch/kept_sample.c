/* SPDX-License-Identifier: MIT */
/*
 * Runs some blocks of launches that are too heavy to instrument: one drawn from each sixteenth of
 * the grid, for the sums, and the first, middle and last block, for the worst request only. Each
 * block runs by itself, to measure how much blocks differ and how large the error of scaling may
 * be.
 *
 * Blocks of a cluster run together.
 *
 * Memory that was not read is zeros in one run and noise in another. Instructions that do not make
 * the same requests in both depend on it, and get no figures.
 */
#define _GNU_SOURCE /* sched_getaffinity */

#include <dirent.h>
#include <inttypes.h>
#include <math.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "budget.h"
#include "kept_launch.h"
#include "kept_replay.h"
#include "list.h"
#include "memory_opcode.h"
#include "profile_file.h"
#include "seconds.h"
#include "text_buffer.h"
#include "text_file.h"

enum { PATH_BYTES = 4096, BORDERS = 3, FIGURES = 3 };

/* If the error of scaling may be larger, figures are not scaled. */
#define SCALED_WITHIN 0.25
/* If fewer drawn blocks are at the grid's borders, the borders count as not sampled. */
#define BORDERS_DRAWN 3
/* Twice the standard error of a mean of EMULATED_SAMPLE blocks, by Student's t. */
#define T_OF_SAMPLE 2.13

/* Sampled blocks of one launch, and their cost. */
typedef struct sample {
    uint64_t only[EMULATED_SAMPLE]; /* blocks for the sums */
    uint32_t count;
    uint64_t border[BORDERS]; /* blocks for the worst request only */
    uint32_t border_count;
    uint64_t blocks;    /* of the launch */
    uint32_t each;      /* blocks of a cluster, which counts as one block here */
    double border_part; /* share of the grid's blocks at its borders */
    uint32_t accesses,
        unreached;         /* instructions that access memory, and those that no block reached */
    uint64_t unread_bytes; /* memory that was not read */
    uint32_t dependent;    /* instructions whose requests depend on it */
    uint64_t of_kind;      /* blocks of all launches of its kind; 0 if unknown */
    /* Requests, wavefronts and sectors of each block. */
    double cost[EMULATED_SAMPLE][FIGURES], border_cost[BORDERS][FIGURES];
} sample;

/* ---- Which blocks ---- */

static bool is_chosen(const sample *s, uint64_t block) {
    return ANY(one, s->only, s->count, *one == block);
}

static void choose_blocks(const smp_launch *launch, sample *s) {
    double inner = 1;
    s->blocks = s->each = 1;
    for (unsigned i = 0; i < 3; i++) {
        const uint32_t size = launch->cluster[i] > 1 ? launch->cluster[i] : 1;
        const uint32_t count = launch->grid[i] / size;
        s->each *= size;
        s->blocks *= count;
        inner *= count > 1 ? (count > 2 ? count - 2.0 : 0) / count : 1;
    }
    s->border_part = s->blocks > EMULATED_SAMPLE ? 1 - inner : 0;
    for (uint64_t i = 0; i < EMULATED_SAMPLE; i++) {
        const uint64_t first = s->blocks * i / EMULATED_SAMPLE,
                       size = s->blocks * (i + 1) / EMULATED_SAMPLE - first;
        const uint64_t any =
            ((i + 1) * 0x9e3779b97f4a7c15u ^ s->blocks * 0xc2b2ae3d27d4eb4fu) >> 20;
        if (size > 0)
            s->only[s->count++] = first + any % size;
    }
    const uint64_t border[BORDERS] = {0, s->blocks / 2, s->blocks - 1};
    for (unsigned i = 0; i < BORDERS && s->blocks > EMULATED_SAMPLE; i++)
        if (!is_chosen(s, border[i]))
            s->border[s->border_count++] = border[i];
}

/* ---- What they cost ---- */

static void take_cost(const smp_kernel_profile *kernel, double cost[FIGURES]) {
    for (uint32_t i = 0; i < kernel->site_count; i++) {
        cost[0] += (double)kernel->sites[i].requests;
        cost[1] += (double)kernel->sites[i].wavefronts;
        cost[2] += (double)kernel->sites[i].sectors;
    }
}

/* Keeps only the worst requests. */
static void keep_worst(smp_kernel_profile *kernel) {
    EACH(smp_profile_site, site, kernel->sites, kernel->site_count) {
        site->requests = site->lanes = site->wavefronts = site->ideal = 0;
        site->sectors = site->ideal_sectors = site->requests_lost = 0;
        site->distinct_count = 0;
    }
}

/* By block; the profile has a kernel for each. Of border blocks only the worst requests stay. */
static void take_costs(sample *s, smp_profile *profile) {
    for (uint32_t i = 0; i < s->count; i++) {
        take_cost(&profile->kernels[i], s->cost[i]);
        profile->kernels[i].blocks = s->each;
    }
    for (uint32_t i = 0; i < s->border_count; i++) {
        take_cost(&profile->kernels[s->count + i], s->border_cost[i]);
        keep_worst(&profile->kernels[s->count + i]);
    }
}

/* Runs one block; false if it did not end normally. */
static bool run_block(kept_open *r, smp_launch *launch, uint64_t block, smp_profile *profile) {
    smp_emulation done;
    smp_error error;
    smp_kernel_profile *kernel = smp_profile_add_kernel(profile);
    launch->only = &block;
    launch->only_count = 1;
    if (!kernel ||
        smp_emulate(r->code, r->function, &r->memory, launch, kernel, &done, &error) != SMP_OK)
        return false;
    kernel->launches = 0;
    return done.is_whole;
}

static bool run_blocks(kept_open *r, const smp_arch *arch, uint64_t limit, sample *s,
                       smp_profile *profile) {
    smp_launch launch = kept_open_launch(r, arch);
    launch.threads = 1;
    launch.run.block_limit = launch.run.launch_limit = limit / EMULATED_SAMPLE;
    choose_blocks(&launch, s);
    return EVERY(one, s->only, s->count, run_block(r, &launch, *one, profile)) &&
           EVERY(one, s->border, s->border_count, run_block(r, &launch, *one, profile));
}

/* ---- How far it may be off ---- */

/* For one figure: the spread of the most expensive block, and the error of the scaled sum by chance
 * and by border blocks. */
static void find_spread(const sample *s, unsigned figure, double *spread, double *error) {
    double sum = 0, squares = 0, least = INFINITY, most = 0, border = 0;
    for (uint32_t i = 0; i < s->count; i++) {
        const double cost = s->cost[i][figure];
        sum += cost;
        squares += cost * cost;
        least = cost < least ? cost : least;
        most = cost > most ? cost : most;
    }
    const double n = s->count, mean = sum / n;
    for (uint32_t i = 0; i < s->border_count; i++) {
        const double cost = s->border_cost[i][figure];
        border = fabs(cost - mean) > border ? fabs(cost - mean) : border;
        least = cost < least ? cost : least;
        most = cost > most ? cost : most;
    }
    if (mean <= 0 || s->blocks <= s->count)
        return;
    const double variance = n > 1 ? fmax(squares - sum * mean, 0) / (n - 1) : 0;
    const double missed = s->border_part * n < BORDERS_DRAWN ? s->border_part * border : 0;
    const double off = (T_OF_SAMPLE * sqrt(variance / n) + missed) / mean;
    *spread = fmax(*spread, (most - least) / most);
    *error = fmax(*error, off);
}

/* Scales the figures to all launches of their kind, if their number is known. */
static void scale(const sample *s, smp_profile *profile) {
    const double weight = (double)s->of_kind / ((double)s->count * s->each);
    for (uint32_t k = 0; k < profile->kernel_count && s->of_kind > 0; k++) {
        smp_kernel_profile *kernel = &profile->kernels[k];
        kernel->scaled.blocks = weight * (double)kernel->blocks;
        for (uint32_t i = 0; i < kernel->site_count; i++)
            smp_scaled_add(&kernel->scaled, &kernel->sites[i], weight);
    }
}

/* Describes the figures; false if blocks differ too much to scale. */
static bool describe(const sample *s, smp_profile *profile) {
    char text[400];
    text_buffer out = TEXT_BUFFER(text);
    double spread = 0, error = 0;
    for (unsigned f = 0; f < FIGURES; f++)
        find_spread(s, f, &spread, &error);
    text_add(&out,
             "%" PRIu32 " of %" PRIu64
             " blocks of one launch, run on the CPU; they differ by up to "
             "%.0f %%, ",
             s->count * s->each, s->blocks * s->each, 100 * spread);
    const bool is_nothing = s->accesses > 0 && s->unreached == s->accesses;
    const bool is_scaled = error <= SCALED_WITHIN && !is_nothing;
    if (is_nothing)
        text_add(&out, "but none reached an instruction that accesses memory");
    else if (is_scaled)
        text_add(&out, "and scaled figures may be off by %.2g %%", 100 * error);
    else
        text_add(&out, "too much to be scaled");
    if (s->unreached > 0 && !is_nothing)
        text_add(&out,
                 "; they did not reach %" PRIu32 " of %" PRIu32 " instructions that access memory",
                 s->unreached, s->accesses);
    if (s->unread_bytes > 0)
        text_add(&out, "; %" PRIu64 " MiB of memory were not read, and ",
                 (s->unread_bytes >> 20) + 1);
    if (s->dependent > 0)
        text_add(&out, "%" PRIu32 " instruction%s on it %s no figures", s->dependent,
                 s->dependent == 1 ? " that depends" : "s that depend",
                 s->dependent == 1 ? "has" : "have");
    else if (s->unread_bytes > 0)
        text_add(&out, "nothing depends on it");
    smp_kernel_profile *last = &profile->kernels[profile->kernel_count - 1];
    free(last->not_seen);
    last->not_seen = strdup(text);
    if (is_scaled)
        scale(s, profile);
    for (uint32_t i = 0; i < profile->kernel_count && !is_scaled; i++)
        profile->kernels[i].blocks = 0;
    return last->not_seen;
}

/* ---- What was not reached ---- */

static bool is_access(const smp_instruction *instruction) {
    for (int space = 0; space <= SMP_SPACE_CLUSTER; space++)
        if (smp_opcode_op(instruction->opcode, (smp_space)space) != SMP_OP_COUNT)
            return true;
    return false;
}

static bool is_reached(const smp_profile *profile, uint32_t offset_bytes) {
    EACH_SITE(kernel, site, profile)
        if (site->offset_bytes == offset_bytes)
            return true;
    return false;
}

/* Counts instructions that no sampled block reached: other blocks may reach them. */
static void find_unreached(const smp_function *function, const smp_profile *profile, sample *s) {
    for (uint32_t i = 0; i < function->linked_count; i++) {
        if (!is_access(&function->linked[i]))
            continue;
        s->accesses++;
        s->unreached += !is_reached(profile, function->linked[i].offset_bytes);
    }
}

/* ---- A launch ---- */

static uint64_t unread_bytes(const smp_kept_launch *kept) {
    uint64_t sum = 0;
    for (uint32_t i = 0; i < kept->array_count; i++)
        sum += kept->arrays[i].is_unread ? kept->arrays[i].size_bytes : 0;
    return sum;
}

static bool run_launch(const char *folder, const kept_sample *how, bool is_noise, sample *s,
                       smp_profile *profile) {
    kept_open r = {.code_most = how->code_bytes};
    smp_error ignored;
    const smp_arch *arch = how->arch;
    memset(s, 0, sizeof *s);
    const bool is_open = kept_open_read(folder, is_noise, &r, &ignored) == SMP_OK;
    s->unread_bytes = unread_bytes(&r.kept);
    const bool is_done = is_open && how->wants(how->user, r.kept.kernel) &&
                         !r.kept.is_cooperative && /* its blocks wait for each other */
                         kept_open_arch(&r, &arch, &ignored) == SMP_OK &&
                         run_blocks(&r, arch, how->limit, s, profile);
    if (is_done)
        find_unreached(r.function, profile, s);
    if (is_done && how->blocks_of)
        s->of_kind = how->blocks_of(how->user, profile, r.kept.kind);
    kept_open_clear(&r);
    return is_done;
}

static bool is_same_site(const smp_profile_site *a, const smp_profile_site *b) {
    return a->offset_bytes == b->offset_bytes && a->space == b->space &&
           a->requests == b->requests && a->lanes == b->lanes && a->wavefronts == b->wavefronts &&
           a->sectors == b->sectors && a->ways == b->ways && a->is_local == b->is_local;
}

/* Instructions, by their offset. */
typedef struct offset_list {
    uint32_t *offset_bytes;
    uint32_t count;
} offset_list;

static bool has_offset(const offset_list *list, uint32_t offset_bytes) {
    return ANY(one, list->offset_bytes, list->count, *one == offset_bytes);
}

/* Adds the instructions of `a` whose requests `b` does not have. */
static bool add_unlike(const smp_kernel_profile *a, const smp_kernel_profile *b,
                       offset_list *list) {
    for (uint32_t i = 0; i < a->site_count; i++) {
        bool is_like = has_offset(list, a->sites[i].offset_bytes);
        for (uint32_t n = 0; n < b->site_count && !is_like; n++)
            is_like = is_same_site(&a->sites[i], &b->sites[n]);
        if (is_like)
            continue;
        if (!LIST_ROOM(list->offset_bytes, list->count))
            return false;
        list->offset_bytes[list->count++] = a->sites[i].offset_bytes;
    }
    return true;
}

/* Leaves the instruction without figures. */
static bool withhold(smp_profile_site *site) {
    site->requests = site->lanes = site->wavefronts = site->ideal = 0;
    site->sectors = site->ideal_sectors = site->requests_lost = 0;
    site->ways = site->distinct_count = 0;
    site->worst = (smp_profile_request){0};
    if (!site->not_modelled)
        site->not_modelled = strdup("depends on memory that was not read");
    return site->not_modelled;
}

/* Moves the unlike instructions of `from` to `kernel`. */
static bool move_unlike(smp_kernel_profile *from, const offset_list *unlike,
                        smp_kernel_profile *kernel) {
    for (uint32_t i = 0; i < from->site_count; i++) {
        if (!has_offset(unlike, from->sites[i].offset_bytes))
            continue;
        if (!LIST_ROOM(kernel->sites, kernel->site_count))
            return false;
        kernel->sites[kernel->site_count++] = from->sites[i];
        from->sites[i] = (smp_profile_site){0};
    }
    return true;
}

/* Runs each block again with noise in memory that was not read, and withholds the figures of
 * instructions that depend on it. False if that is all of them, or a run did not end. */
static bool withhold_dependent(const char *folder, const kept_sample *how, sample *s,
                               smp_profile *own) {
    sample again;
    smp_profile other = {0};
    offset_list unlike = {0};
    bool is_done = run_launch(folder, how, true, &again, &other) &&
                   own->kernel_count == other.kernel_count,
         has_some = false;
    for (uint32_t k = 0; k < own->kernel_count && is_done; k++)
        is_done = add_unlike(&own->kernels[k], &other.kernels[k], &unlike) &&
                  add_unlike(&other.kernels[k], &own->kernels[k], &unlike);
    for (uint32_t k = 0; k < own->kernel_count && is_done; k++) {
        smp_kernel_profile *kernel = &own->kernels[k];
        is_done = move_unlike(&other.kernels[k], &unlike, kernel);
        for (uint32_t i = 0; i < kernel->site_count && is_done; i++) {
            if (has_offset(&unlike, kernel->sites[i].offset_bytes))
                is_done = withhold(&kernel->sites[i]);
            else
                has_some = true;
        }
    }
    s->dependent = unlike.count;
    s->unreached = again.unreached < s->unreached ? again.unreached : s->unreached;
    free(unlike.offset_bytes);
    smp_profile_clear(&other);
    return is_done && has_some;
}

static smp_status sample_one(const char *folder, const kept_sample *how, smp_profile *profile,
                             smp_error *error) {
    sample s;
    smp_profile own = {0};
    smp_status status = SMP_OK;
    if (run_launch(folder, how, false, &s, &own) &&
        (s.unread_bytes == 0 || withhold_dependent(folder, how, &s, &own))) {
        take_costs(&s, &own);
        if (describe(&s, &own))
            status = smp_profile_merge(profile, &own, error);
    }
    smp_profile_clear(&own);
    return status;
}

/* ---- Several launches at once, each in a process of its own ---- */

enum { WORKERS_MAX = 16 };

typedef struct worker {
    pid_t process; /* 0 if there is none */
    FILE *result;
} worker;

static int count_workers(void) {
    cpu_set_t set;
    const int count = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
    return count < WORKERS_MAX ? count : WORKERS_MAX;
}

static void work(const char *folder, const kept_sample *how, FILE *result) {
    smp_profile own = {0};
    smp_error ignored;
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    smp_status status = sample_one(folder, how, &own, &ignored);
    if (status == SMP_OK && own.kernel_count > 0)
        status = smp_profile_sort(&own, &ignored);
    if (status == SMP_OK && own.kernel_count > 0)
        status = smp_profile_write(result, &own, &ignored);
    _exit(status == SMP_OK && fflush(result) == 0 ? 0 : 1);
}

static void start_worker(const char *folder, const kept_sample *how, worker *out) {
    out->result = tmpfile();
    out->process = out->result ? fork() : -1;
    if (out->process == 0)
        work(folder, how, out->result);
}

/* Waits for the worker and adds what it found. */
static smp_status end_worker(worker *one, smp_profile *profile, smp_error *error) {
    int ended = 1;
    smp_status status = SMP_OK;
    smp_profile_loss loss;
    if (one->process > 0 && waitpid(one->process, &ended, 0) == one->process && ended == 0 &&
        ftell(one->result) > 0) {
        rewind(one->result);
        status = smp_profile_read(one->result, profile, &loss, error);
    }
    if (one->result)
        (void)fclose(one->result);
    *one = (worker){0};
    return status;
}

smp_status emulate_kept_sample(const char *folder, const kept_sample *how, smp_profile *profile,
                               smp_error *error) {
    char path[PATH_BYTES];
    struct dirent **entries;
    worker workers[WORKERS_MAX] = {{0}};
    const int at_once = count_workers();
    smp_status status = SMP_OK;
    const double start = seconds_now();
    const int count = scandir(folder, &entries, smp_is_visible, alphasort);
    for (int i = 0; i < count + at_once; i++) {
        const bool is_late =
            *emulate_budget_stop() || (how->seconds > 0 && seconds_now() > start + how->seconds);
        worker *one = &workers[i % at_once];
        const smp_status ended = end_worker(one, profile, error);
        status = status == SMP_OK ? ended : status;
        if (i >= count)
            continue;
        (void)snprintf(path, sizeof path, "%.3700s/%s", folder, entries[i]->d_name);
        if (status == SMP_OK && !is_late)
            start_worker(path, how, one);
        free(entries[i]);
    }
    if (count >= 0)
        free(entries);
    return status == SMP_OK ? smp_profile_sort(profile, error) : status;
}
