/* SPDX-License-Identifier: MIT */
/*
 * Merges many profiles. The result does not depend on the order, so each thread merges the files
 * that it gets, and the sums are merged at the end.
 */
#define _GNU_SOURCE /* sched_getaffinity */
#include "profile_many.h"
#include "list.h"
#include "text_file.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS_MAX = 256 };

typedef struct reading {
    const char *const *paths;
    size_t count;
    const smp_profile_filter *filter;
    smp_profile_part *parts;
    const smp_profile_told *told;
    atomic_size_t next;
} reading;

/* A file that is left out, and the reason. */
typedef struct bad_file {
    size_t index;
    smp_error error;
} bad_file;

typedef struct worker {
    reading *all;
    smp_profile runs; /* without kernels, unordered: sorted once at the end */
    smp_profile sum;  /* without runs */
    bad_file *bad;
    size_t bad_count;
    bool has_no_memory;
} worker;

static uint64_t cost_of(const smp_profile_sums *sums) {
    return sums->wavefronts + sums->sectors;
}

static uint64_t cost_of_all(const smp_profile *profile) {
    smp_profile_sums sums = {0};
    EACH_SITE(kernel, site, profile)
        smp_sums_add_site(&sums, site);
    return cost_of(&sums);
}

/* `part` may be NULL. */
static smp_status read_file(const reading *all, size_t index, smp_profile *out,
                            smp_profile_part *part, smp_error *error) {
    const char *path = all->paths[index];
    smp_profile_loss loss;
    smp_error inner;
    FILE *in = strcmp(path, "-") == 0 ? stdin : smp_open_to_read(path);
    if (!in)
        return smp_error_set(error, SMP_E_READ, -1, "%.180s: cannot be opened: %s", path,
                             strerror(errno));
    smp_status status = smp_profile_read(in, out, &loss, &inner);
    if (in != stdin)
        (void)fclose(in);
    const bool is_whole = status == SMP_OK && loss.blocks == 0 && !loss.cut;
    if (status == SMP_OK && !is_whole)
        all->told->lost(path, &loss);
    if (status == SMP_OK && part)
        *part = (smp_profile_part){.path = path, .is_idle = is_whole && out->kernel_count == 0};
    if (status == SMP_OK)
        status = smp_profile_keep(out, all->filter, &inner);
    if (status == SMP_OK && part)
        part->cost = cost_of_all(out);
    return status == SMP_OK ? SMP_OK
                            : smp_error_set(error, status, -1, "%.120s: %s", path, inner.message);
}

/* Moves the runs of `from`, the last one first. */
static smp_status move_runs(smp_profile *into, smp_profile *from, smp_error *error) {
    for (; from->run_count > 0; from->run_count--) {
        smp_run *run = smp_profile_add_run(into);
        if (!run)
            return smp_error_memory(error);
        *run = from->runs[from->run_count - 1];
    }
    return SMP_OK;
}

static smp_status take(worker *self, size_t index, smp_error *error) {
    smp_profile one = {0};
    smp_profile_part *part = self->all->parts ? &self->all->parts[index] : NULL;
    const bool has_failed = read_file(self->all, index, &one, part, error) ||
                            move_runs(&self->runs, &one, error) ||
                            smp_profile_merge(&self->sum, &one, error);
    smp_profile_clear(&one);
    return has_failed ? error->status : SMP_OK;
}

static void *work(void *user) {
    worker *self = user;
    smp_error error;
    for (size_t i; (i = atomic_fetch_add(&self->all->next, 1)) < self->all->count;) {
        const smp_status status = take(self, i, &error);
        if (status == SMP_OK)
            continue;
        if (status == SMP_E_MEMORY || !LIST_ROOM(self->bad, self->bad_count)) {
            self->has_no_memory = true;
            break;
        }
        self->bad[self->bad_count++] = (bad_file){i, error};
    }
    return NULL;
}

static size_t thread_count(size_t files) {
    cpu_set_t set;
    size_t count = sched_getaffinity(0, sizeof set, &set) == 0 ? (size_t)CPU_COUNT(&set) : 1;
    count = count > THREADS_MAX ? THREADS_MAX : count;
    return count > files / 2 + 1 ? files / 2 + 1 : count;
}

static int by_index(const void *left, const void *right) {
    const size_t a = ((const bad_file *)left)->index, b = ((const bad_file *)right)->index;
    return (a > b) - (a < b);
}

/* Reports bad files in order; fails if no other is left. */
static smp_status tell_bad(const reading *all, const worker *bad, smp_error *error) {
    if (bad->bad_count > 0)
        qsort(bad->bad, bad->bad_count, sizeof *bad->bad, by_index);
    if (bad->bad_count == all->count && all->count > 0) {
        *error = bad->bad[0].error;
        return error->status;
    }
    for (size_t i = 0; i < bad->bad_count; i++) {
        if (all->parts)
            all->parts[bad->bad[i].index] = (smp_profile_part){.path = NULL};
        all->told->bad(all->paths[bad->bad[i].index], &bad->bad[i].error);
    }
    return SMP_OK;
}

/* Merges the worker's profile into the first worker's, or into *out. */
static smp_status collect(worker *from, worker *first, smp_profile *out, smp_error *error) {
    for (size_t i = 0; from != first && i < from->bad_count; i++) {
        if (!LIST_ROOM(first->bad, first->bad_count))
            return smp_error_memory(error);
        first->bad[first->bad_count++] = from->bad[i];
    }
    return from->has_no_memory                  ? smp_error_memory(error)
           : move_runs(out, &from->runs, error) ? error->status
                                                : smp_profile_merge(out, &from->sum, error);
}

static smp_status merge_all(worker *workers, size_t count, reading *all, smp_profile *out,
                            smp_error *error) {
    smp_status status = SMP_OK;
    for (size_t i = 0; i < count && status == SMP_OK; i++)
        status = collect(&workers[i], &workers[0], out, error);
    if (status == SMP_OK)
        status = tell_bad(all, &workers[0], error);
    for (size_t i = 0; i < count; i++) {
        smp_profile_clear(&workers[i].runs);
        smp_profile_clear(&workers[i].sum);
        free(workers[i].bad);
    }
    return status;
}

smp_status smp_profile_read_many(const char *const *paths, size_t count,
                                 const smp_profile_filter *filter, smp_profile *out,
                                 smp_profile_part *parts, const smp_profile_told *told,
                                 smp_error *error) {
    reading all = {.paths = paths, .count = count, .filter = filter, .parts = parts, .told = told};
    worker workers[THREADS_MAX];
    pthread_t threads[THREADS_MAX];
    const size_t wanted = thread_count(count);
    size_t started = 0;
    for (size_t i = 0; i < wanted; i++)
        workers[i] = (worker){.all = &all};
    while (started + 1 < wanted &&
           pthread_create(&threads[started], NULL, work, &workers[started + 1]) == 0)
        started++;
    (void)work(&workers[0]);
    for (size_t i = 0; i < started; i++)
        (void)pthread_join(threads[i], NULL);
    return merge_all(workers, wanted, &all, out, error);
}

/* ---- The spread ---- */

static int ascending(const void *left, const void *right) {
    const uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return (a > b) - (a < b);
}

static uint64_t distance(uint64_t a, uint64_t b) {
    return a > b ? a - b : b - a;
}

/* Returns the median, the lower of two; sorts them. */
static uint64_t median_of(uint64_t *values, size_t count) {
    qsort(values, count, sizeof *values, ascending);
    return values[(count - 1) / 2];
}

static void find_odd(smp_spread *spread, uint64_t *room) {
    uint64_t furthest = 0;
    size_t odd = 0;
    size_t ranks = 0;
    for (size_t i = 0; i < spread->count; i++) {
        if (spread->parts[i].is_idle)
            continue;
        const uint64_t far = distance(spread->parts[i].cost, spread->median);
        odd = far > furthest ? i : odd;
        furthest = far > furthest ? far : furthest;
        room[ranks++] = far;
    }
    const uint64_t usual = median_of(room, ranks);
    if (ranks >= 3 && furthest > 5 * usual && furthest > spread->median / 100)
        spread->odd = odd;
}

smp_status smp_spread_make(const smp_profile_part *parts, size_t count, smp_spread *out,
                           smp_error *error) {
    uint64_t *room = calloc(count + 1, sizeof *room);
    *out = (smp_spread){.parts = parts, .count = count, .odd = count};
    if (!room)
        return smp_error_memory(error);
    size_t ranks = 0;
    for (size_t i = 0; i < count; i++) {
        if (parts[i].is_idle)
            continue;
        const uint64_t cost = parts[i].cost;
        out->least = ranks == 0 || cost < parts[out->least].cost ? i : out->least;
        out->most = ranks == 0 || cost > parts[out->most].cost ? i : out->most;
        room[ranks++] = cost;
    }
    out->idle = count - ranks;
    if (ranks > 0) {
        out->median = median_of(room, ranks);
        find_odd(out, room);
    }
    free(room);
    return SMP_OK;
}

static bool same_line(const smp_profile_line *a, const smp_profile_line *b) {
    if (strcmp(a->kernel->name, b->kernel->name) != 0 ||
        a->kernel->code_hash != b->kernel->code_hash || !a->frame != !b->frame)
        return false;
    if (!a->frame)
        return a->sites[0]->offset_bytes == b->sites[0]->offset_bytes;
    return a->frame->line == b->frame->line &&
           strcmp(a->frame->file ? a->frame->file : "", b->frame->file ? b->frame->file : "") == 0;
}

void smp_spread_find_line(smp_spread *spread, const smp_ranking *all, const smp_ranking *odd) {
    const size_t ranks = spread->count - spread->idle;
    uint64_t largest = 0;
    for (uint32_t i = 0; i < all->line_count && ranks > 1; i++) {
        const smp_profile_line *line = &all->lines[i];
        uint64_t own = 0;
        for (uint32_t j = 0; j < odd->line_count && own == 0; j++)
            own = same_line(line, &odd->lines[j]) ? cost_of(&odd->lines[j].sums) : 0;
        const uint64_t others = (cost_of(&line->sums) - own) / (ranks - 1);
        if (distance(own, others) <= largest)
            continue;
        largest = distance(own, others);
        spread->odd_line = line;
        spread->odd_difference = own > others ? (int64_t)largest : -(int64_t)largest;
    }
}
