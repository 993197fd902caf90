/* SPDX-License-Identifier: MIT */
/*
 * Sorts and merges profiles. Where parts disagree (on a launch's grid, say) the value decides,
 * never which came first, so any order gives the same result.
 */
#define _GNU_SOURCE /* qsort_r */
#include <stdlib.h>
#include <string.h>

#include "list.h"
#include "profile.h"

/* ---- Orders ---- */

/* Sort keys: the first that differs decides; a key of size 0 ends the list. */
typedef struct key {
    size_t place, bytes;
    enum { OF_NUMBER, OF_TEXT, OF_ARCH } kind;
} key;

#define NUMBER(type, member) \
    { offsetof(type, member), sizeof(((type *)0)->member), OF_NUMBER }
#define TEXT(type, member) \
    { offsetof(type, member), sizeof(char *), OF_TEXT }
#define ARCH(type, member) \
    { offsetof(type, member), sizeof(smp_arch *), OF_ARCH }
#define END \
    { 0, 0, OF_NUMBER }

static uint64_t number_at(const char *at, size_t bytes) {
    uint8_t one;
    uint32_t four;
    uint64_t eight;
    if (bytes == sizeof one)
        return *(const uint8_t *)at;
    if (bytes == sizeof four)
        return memcpy(&four, at, sizeof four), four;
    return memcpy(&eight, at, sizeof eight), eight;
}

/* NULL sorts before any text. */
static int compare_texts(const char *a, const char *b) {
    return a && b ? strcmp(a, b) : !!a - !!b;
}

static const char *text_at(const char *at, bool is_arch) {
    const smp_arch *arch = is_arch ? *(const smp_arch *const *)at : NULL;
    return is_arch ? (arch ? arch->name : NULL) : *(char *const *)at;
}

static int compare_by(const key *keys, const void *left, const void *right) {
    int order = 0;
    for (const key *k = keys; k->bytes > 0 && order == 0; k++) {
        const char *a = (const char *)left + k->place, *b = (const char *)right + k->place;
        if (k->kind == OF_NUMBER) {
            const uint64_t x = number_at(a, k->bytes), y = number_at(b, k->bytes);
            order = (x > y) - (x < y);
        } else {
            order = compare_texts(text_at(a, k->kind == OF_ARCH), text_at(b, k->kind == OF_ARCH));
        }
    }
    return order;
}

static int by_keys(const void *left, const void *right, void *keys) {
    return compare_by(keys, left, right);
}

static void sort(void *list, uint32_t count, size_t bytes, const key *keys) {
    if (count > 1)
        qsort_r(list, count, bytes, by_keys, (void *)(uintptr_t)keys);
}

static const key run_keys[] = {TEXT(smp_run, date),      TEXT(smp_run, host),
                               NUMBER(smp_run, process), NUMBER(smp_run, engine),
                               TEXT(smp_run, memory),    TEXT(smp_run, command),
                               TEXT(smp_run, device),    TEXT(smp_run, driver),
                               TEXT(smp_run, ended),     END};
static const key site_keys[] = {
    NUMBER(smp_profile_site, offset_bytes), NUMBER(smp_profile_site, space),
    NUMBER(smp_profile_site, is_local),     NUMBER(smp_profile_site, op),
    NUMBER(smp_profile_site, width_bytes),  END};
static const key kernel_keys[] = {TEXT(smp_kernel_profile, name),
                                  NUMBER(smp_kernel_profile, code_hash),
                                  ARCH(smp_kernel_profile, arch), END};
static const key array_keys[] = {NUMBER(smp_shared_array, offset_bytes),
                                 TEXT(smp_shared_array, name), END};
static const key frame_keys[] = {TEXT(smp_frame, file), NUMBER(smp_frame, line), END};

#define PLACE(which)                                                                          \
    NUMBER(smp_profile_finding, which.offset_bytes), NUMBER(smp_profile_finding, which.line), \
        TEXT(smp_profile_finding, which.file), TEXT(smp_profile_finding, which.instruction)
#define TRIPLE(which)                                                             \
    NUMBER(smp_profile_finding, which[2]), NUMBER(smp_profile_finding, which[1]), \
        NUMBER(smp_profile_finding, which[0])
#define THREAD(which) \
    NUMBER(smp_profile_finding, which.has_thread), TRIPLE(which.block), TRIPLE(which.thread)

static const key finding_keys[] = {NUMBER(smp_profile_finding, is_note),
                                   TEXT(smp_profile_finding, kernel),
                                   PLACE(at),
                                   NUMBER(smp_profile_finding, kind),
                                   NUMBER(smp_profile_finding, has_other),
                                   PLACE(other),
                                   END};
/* Orders equal findings by which is the better example. */
static const key example_keys[] = {THREAD(at),
                                   THREAD(other),
                                   TEXT(smp_profile_finding, message),
                                   TEXT(smp_profile_finding, array),
                                   TEXT(smp_profile_finding, missing),
                                   NUMBER(smp_profile_finding, has_address),
                                   NUMBER(smp_profile_finding, address),
                                   END};

int smp_finding_compare(const smp_profile_finding *a, const smp_profile_finding *b) {
    return compare_by(finding_keys, a, b);
}

static int compare_frames(const smp_profile_site *a, const smp_profile_site *b) {
    int order = (a->frame_count > b->frame_count) - (a->frame_count < b->frame_count);
    for (uint32_t i = 0; i < a->frame_count && order == 0; i++)
        order = compare_by(frame_keys, &a->frames[i], &b->frames[i]);
    return order;
}

/* ---- Equal ones, folded into one ---- */

/* Appends a list to another; false if out of memory. */
static bool move_all(void *into, uint32_t *count, void *from, uint32_t from_count, size_t bytes) {
    for (char *at = from; from_count > 0; from_count--, at += bytes, ++*count) {
        char *items;
        if (!list_room(into, *count, bytes))
            return false;
        memcpy(&items, into, sizeof items);
        memcpy(items + *count * bytes, at, bytes);
        memset(at, 0, bytes);
    }
    return true;
}

#define MOVE(into, from, list, count) \
    move_all(&(into)->list, &(into)->count, (from)->list, (from)->count, sizeof *(into)->list)

/* Sorts a list and folds equal neighbours, until folding fails. */
static smp_status sort_and_fold(void *list, uint32_t *count, size_t bytes, const key *keys,
                                smp_status (*fold)(void *into, void *from)) {
    char *items = list;
    uint32_t kept = 0;
    smp_status status = SMP_OK;
    sort(list, *count, bytes, keys);
    for (uint32_t i = 0; i < *count; i++) {
        char *item = items + i * bytes, *last = kept > 0 ? items + (kept - 1) * bytes : NULL;
        if (last && status == SMP_OK && compare_by(keys, last, item) == 0)
            status = fold(last, item);
        else
            memmove(items + kept++ * bytes, item, bytes);
    }
    *count = kept;
    return status;
}

/* Moves a text that `into` lacks; of two, keeps the one that sorts first. */
static void fold_text(char **into, char **from) {
    if (!*into || (*from && strcmp(*from, *into) < 0)) {
        char *swapped = *into;
        *into = *from;
        *from = swapped;
    }
}

static void fold_frames(smp_profile_site *into, smp_profile_site *from) {
    if (compare_frames(into, from) >= 0)
        return;
    const smp_profile_site swapped = *into;
    into->frames = from->frames;
    into->frame_count = from->frame_count;
    from->frames = swapped.frames;
    from->frame_count = swapped.frame_count;
}

/* True for copies whose sectors are not all known. */
static bool lacks_sectors(const smp_profile_site *site) {
    return site->op == SMP_CP_ASYNC && site->requests > 0 && !smp_site_has_sectors(site);
}

static smp_status fold_site(void *left, void *right) {
    smp_profile_site *into = left, *from = right;
    into->lacks_sectors = lacks_sectors(into) || lacks_sectors(from);
    into->requests += from->requests;
    into->lanes += from->lanes;
    into->wavefronts += from->wavefronts;
    into->ideal += from->ideal;
    into->sectors += from->sectors;
    into->ideal_sectors += from->ideal_sectors;
    into->requests_lost += from->requests_lost;
    into->ways = from->ways > into->ways ? from->ways : into->ways;
    smp_site_offer_worst(into, &from->worst);
    fold_text(&into->opcode, &from->opcode);
    fold_text(&into->operands, &from->operands);
    fold_text(&into->not_modelled, &from->not_modelled);
    fold_frames(into, from);
    smp_status status = SMP_OK;
    for (uint32_t i = 0; status == SMP_OK && i < from->distinct_count; i++)
        status = smp_site_add_distinct(into, &from->distinct[i]);
    smp_site_clear(from);
    return status;
}

static smp_status fold_array(void *left, void *right) {
    smp_shared_array *into = left, *from = right;
    if (from->size_bytes > into->size_bytes)
        into->size_bytes = from->size_bytes;
    free(from->name);
    free(from->type);
    return SMP_OK;
}

static smp_status fold_finding(void *left, void *right) {
    smp_profile_finding *into = left, *from = right;
    const uint64_t count = into->count + from->count;
    if (compare_by(example_keys, from, into) < 0) {
        const smp_profile_finding swapped = *into;
        *into = *from;
        *from = swapped;
    }
    into->count = count;
    smp_finding_clear(from);
    return SMP_OK;
}

static void fold_launch(smp_kernel_profile *into, const smp_kernel_profile *from) {
    uint32_t a[7], b[7];
    memcpy(a, into->grid, sizeof into->grid);
    memcpy(a + 3, into->block, sizeof into->block);
    memcpy(b, from->grid, sizeof from->grid);
    memcpy(b + 3, from->block, sizeof from->block);
    a[6] = into->shared_bytes;
    b[6] = from->shared_bytes;
    for (unsigned i = 0; i < 7; i++) {
        if (a[i] > b[i])
            return;
        if (a[i] < b[i])
            break;
    }
    memcpy(into->grid, from->grid, sizeof into->grid);
    memcpy(into->block, from->block, sizeof into->block);
    into->shared_bytes = from->shared_bytes;
}

/* The smaller of two known values; 0 is unknown. */
static void fold_smaller(uint32_t *into, uint32_t from) {
    if (*into == 0 || (from != 0 && from < *into))
        *into = from;
}

static bool is_unobserved(const smp_kernel_profile *kernel) {
    return kernel->scaled.blocks <= 0 && smp_kernel_scale(kernel) <= 0;
}

/* An estimate is kept if both have one, or one has no figures. */
static void fold_scaled(smp_kernel_profile *into, const smp_kernel_profile *from) {
    const smp_scaled_sums *a = &into->scaled, *b = &from->scaled;
    if (is_unobserved(from))
        return;
    if (is_unobserved(into))
        into->scaled = *b;
    else if (a->blocks <= 0 || b->blocks <= 0)
        into->scaled = (smp_scaled_sums){.blocks = 0};
    else
        into->scaled = (smp_scaled_sums){a->blocks + b->blocks, a->wavefronts + b->wavefronts,
                                         a->ideal + b->ideal, a->sectors + b->sectors,
                                         a->ideal_sectors + b->ideal_sectors};
}

static smp_status fold_kernel(void *left, void *right) {
    smp_kernel_profile *into = left, *from = right;
    fold_scaled(into, from);
    into->launches += from->launches;
    into->launches_skipped += from->launches_skipped;
    into->blocks += from->blocks;
    into->blocks_skipped += from->blocks_skipped;
    into->rounds += from->rounds;
    into->has_unlike |= from->has_unlike;
    into->has_unlike |= into->kind_blocks && from->kind_blocks;
    free(into->kind_blocks); /* contexts and processes number kinds differently */
    into->kind_blocks = NULL;
    into->time_us += from->time_us;
    into->stage_us += from->stage_us;
    into->gain_us += from->gain_us;
    fold_smaller(&into->multiprocessors, from->multiprocessors);
    fold_smaller(&into->clock_khz, from->clock_khz);
    fold_launch(into, from);
    fold_text(&into->demangled, &from->demangled);
    fold_text(&into->not_seen, &from->not_seen);
    fold_text(&into->barriers, &from->barriers);
    fold_text(&into->calls, &from->calls);
    smp_status status = SMP_OK;
    for (uint32_t i = 0; status == SMP_OK && i < from->caller_count; i++)
        status = smp_kernel_add_caller(into, from->callers[i].file, from->callers[i].line);
    for (uint32_t i = 0; status == SMP_OK && i < from->described_count; i++)
        status = smp_kernel_add_described(into, from->described[i]);
    for (uint32_t i = 0; status == SMP_OK && i < from->range_count; i++)
        status = smp_kernel_add_range(into, from->ranges[i]);
    if (status == SMP_OK &&
        (!MOVE(into, from, sites, site_count) || !MOVE(into, from, arrays, array_count)))
        status = SMP_E_MEMORY;
    smp_kernel_clear(from);
    return status;
}

/* ---- Profiles ---- */

smp_status smp_profile_sort(smp_profile *profile, smp_error *error) {
    sort(profile->runs, profile->run_count, sizeof *profile->runs, run_keys);
    (void)sort_and_fold(profile->findings, &profile->finding_count, sizeof *profile->findings,
                        finding_keys, fold_finding);
    smp_status status = sort_and_fold(profile->kernels, &profile->kernel_count,
                                      sizeof *profile->kernels, kernel_keys, fold_kernel);
    for (uint32_t i = 0; status == SMP_OK && i < profile->kernel_count; i++) {
        smp_kernel_profile *kernel = &profile->kernels[i];
        status = sort_and_fold(kernel->sites, &kernel->site_count, sizeof *kernel->sites, site_keys,
                               fold_site);
        (void)sort_and_fold(kernel->arrays, &kernel->array_count, sizeof *kernel->arrays,
                            array_keys, fold_array);
    }
    return status == SMP_OK ? SMP_OK : smp_error_memory(error);
}

smp_status smp_profile_merge(smp_profile *into, smp_profile *from, smp_error *error) {
    const bool ok = MOVE(into, from, runs, run_count) && MOVE(into, from, kernels, kernel_count) &&
                    MOVE(into, from, findings, finding_count);
    into->findings_hidden += from->findings_hidden;
    smp_profile_clear(from);
    return ok ? smp_profile_sort(into, error) : smp_error_memory(error);
}

static void multiply_site(smp_profile_site *site, uint64_t times) {
    uint64_t *const sums[] = {&site->requests,     &site->lanes,   &site->wavefronts,
                              &site->ideal,        &site->sectors, &site->ideal_sectors,
                              &site->requests_lost};
    for (unsigned i = 0; i < sizeof sums / sizeof sums[0]; i++)
        *sums[i] *= times;
    for (uint32_t i = 0; i < site->distinct_count; i++)
        site->distinct[i].count *= times;
}

void smp_profile_multiply(smp_profile *profile, uint64_t times) {
    EACH(smp_kernel_profile, kernel, profile->kernels, profile->kernel_count) {
        kernel->launches *= times;
        kernel->launches_skipped *= times;
        kernel->blocks *= times;
        kernel->blocks_skipped *= times;
        kernel->rounds *= times;
        kernel->time_us *= (double)times;
        kernel->stage_us *= (double)times;
        kernel->gain_us *= (double)times;
        kernel->scaled = smp_scaled_times(&kernel->scaled, (double)times);
        for (uint32_t k = 0; k < kernel->site_count; k++)
            multiply_site(&kernel->sites[k], times);
    }
}
