/* SPDX-License-Identifier: MIT */
/*
 * Searches for kernels whose threads access global memory in a poor order. Changes which thread
 * does what, and keeps what is proven to need fewer sectors. The rest is advice, if a change of
 * layout could remove much of it.
 */
#include <inttypes.h>
#include <string.h>

#include "grouped_bytes.h"
#include "list.h"
#include "search.h"
#include "thread_edit.h"

/* Moved sectors as a percentage of the ideal above which the rest is reported, if it is at least a
 * share of all sectors that the file moves. */
enum {
    SAID_PER_CENT = 200,
    SHARE_PER_CENT = 5,
    STRUCT_MOST = 128 /* bytes */
};

static bool wastes(const proof_run *run, const smp_kernel_profile *kernel, unsigned per_cent) {
    const repair_figures sums = repair_figures_of(run, kernel);
    return sums.sectors * 100 >= per_cent * sums.ideal_sectors && sums.ideal_sectors > 0;
}

static bool was_tried(const search *s, const char *kernel, const char *change) {
    return ANY(one, s->out->tries, s->out->try_count,
               strcmp(one->kernel, kernel) == 0 && strcmp(one->change, change) == 0);
}

/* Returns the instruction that wastes the most sectors of global memory. */
static const smp_profile_site *worst_site(const smp_kernel_profile *kernel) {
    const smp_profile_site *worst = NULL;
    uint64_t most = 0;
    EACH(const smp_profile_site, site, kernel->sites, kernel->site_count)
        if (site->space == SMP_SPACE_GLOBAL && !site->is_local &&
            site->sectors > site->ideal_sectors + most) {
            most = site->sectors - site->ideal_sectors;
            worst = site;
        }
    return worst;
}

/* Distance in bytes between the addresses of neighbouring active lanes; 0 if it varies. */
static uint64_t stride_of(const smp_profile_site *site) {
    const smp_profile_request *worst = &site->worst;
    int64_t stride = 0;
    for (unsigned l = 1; l < SMP_LANES; l++) {
        const int64_t here = (int64_t)(worst->offset_bytes[l] - worst->offset_bytes[l - 1]);
        if ((worst->mask >> (l - 1) & 3) != 3)
            continue;
        if (stride != 0 && here != stride)
            return 0;
        stride = here;
    }
    return (uint64_t)(stride < 0 ? -stride : stride);
}

/* Notes the members, and sizes of arrays that get a whole last group. */
static void set_grouped(search *s, const char *sizes) {
    const proof_left *left = &s->first.left;
    char word[24];
    text_buffer out = TEXT_BUFFER(s->grouped);
    text_add(&out, "%s", sizes);
    for (uint32_t i = 0; i < left->array_count; i++) {
        (void)snprintf(word, sizeof word, ";%" PRIu64, left->arrays[i].size_bytes);
        if (grouped_bytes_is_part(sizes, left->arrays[i].size_bytes) && !strstr(s->grouped, word) &&
            out.length + strlen(word) < sizeof s->grouped)
            text_add(&out, "%s", word);
    }
}

/* Keeps the change if it is proven. */
static smp_status try_one(search *s, const smp_kernel_profile *kernel, const char *name,
                          thread_change *change, bool *is_taken) {
    proof_run run = {.count = 0};
    size_t length = 0;
    repair_try *tried = search_begin_try(s, name, change->words, search_line(s, change->line));
    if (!tried)
        return smp_error_memory(s->error);
    tried->before = repair_figures_of(s->now, kernel);
    (void)snprintf(tried->why, sizeof tried->why, "%s",
                   change->grouped[0] && s->grouped[0] ? "other structs lie in groups already"
                                                       : change->why);
    search_correct(s, tried->why, sizeof tried->why);
    if (tried->why[0] != '\0')
        return SMP_OK;
    if (change->grouped[0])
        set_grouped(s, change->grouped);
    char *text = text_edits_apply(&change->edits, s->text, s->length, &length);
    if (!text)
        return smp_error_memory(s->error);
    const repair_bench bench = {
        .job = s->job, .first = &s->first, .now = s->now, .kernel = kernel, .of_sectors = true};
    smp_status status = search_prove(s, &bench, text, length, NULL, tried, &run);
    status = search_end_try(s, status, tried, &run, text, length);
    *is_taken = tried->is_kept;
    if (!*is_taken && change->grouped[0])
        s->grouped[0] = '\0';
    if (*is_taken && change->grouped[0])
        (void)snprintf(s->out->undrawn, sizeof s->out->undrawn,
                       "structs that the program keeps in groups are in another order");
    return status;
}

/* After *is_taken, `kernel` is no longer valid. */
static smp_status try_kernel(search *s, const smp_kernel_profile *kernel, bool *is_taken) {
    thread_change list[THREAD_CHANGES_MAX];
    host_kernel body;
    host_scope scope;
    char name[80];
    smp_status status = SMP_OK;
    smp_kernel_short_name(kernel, name, sizeof name);
    if (!smp_launch_scope(smp_kernel_full_name(kernel), s->blank, &body, &scope))
        return SMP_OK;
    const smp_profile_site *site = worst_site(kernel);
    const unsigned count =
        thread_changes_find(s->blank, &body, kernel->block, site ? stride_of(site) : 0, list);
    for (unsigned i = 0; i < count && status == SMP_OK && !*is_taken; i++)
        if (!was_tried(s, name, list[i].words) && search_goes_on(s, list[i].words))
            status = try_one(s, kernel, name, &list[i], is_taken);
    thread_changes_clear(list, count);
    return status;
}

/* ---- Advice ---- */

/* Writes advice for neighbouring threads that are `stride` bytes apart. */
static void name_way(const search *s, const smp_kernel_profile *kernel, uint64_t stride,
                     repair_advice *to) {
    host_kernel body;
    host_scope scope;
    struct_definition found;
    if (smp_launch_scope(smp_kernel_full_name(kernel), s->blank, &body, &scope) &&
        stride <= STRUCT_MOST && struct_of_kernel(s->blank, &body, &found))
        (void)snprintf(to->text, sizeof to->text,
                       "neighbouring threads are %" PRIu64
                       " bytes apart: an array for each member in place of %.*s moves less",
                       stride, TEXT_CUT(found.name.text, found.name.length, 60));
    else
        (void)snprintf(to->text, sizeof to->text,
                       "neighbouring threads are %" PRIu64
                       " bytes apart: another order of the array's indices or of the threads, one "
                       "wider access, or a tile in shared memory moves less",
                       stride);
}

static bool is_said(const search *s, unsigned line) {
    return ANY(one, s->out->advice, s->out->advice_count, one->is_global && one->line == line);
}

static uint32_t line_of(const smp_profile_site *site) {
    return site->frame_count > 0 ? site->frames[site->frame_count - 1].line : 0;
}

/* Sectors of global memory that all instructions of a line waste, as of an unrolled loop. */
static uint64_t wasted_by(const smp_kernel_profile *kernel, uint32_t line) {
    uint64_t sum = 0;
    EACH(const smp_profile_site, site, kernel->sites, kernel->site_count)
        if (site->space == SMP_SPACE_GLOBAL && !site->is_local && line_of(site) == line)
            sum += site->sectors - site->ideal_sectors;
    return sum;
}

static smp_status advise(search *s, const smp_kernel_profile *kernel) {
    const smp_profile_site *site = worst_site(kernel);
    const uint64_t stride = site ? stride_of(site) : 0;
    if (!site || stride <= site->width_bytes)
        return SMP_OK; /* the addresses depend on data, or are neighbours */
    const uint64_t wasted = wasted_by(kernel, line_of(site));
    const unsigned line = search_line(s, line_of(site));
    if (wasted * 100 < repair_figures_of(s->now, NULL).sectors * SHARE_PER_CENT || is_said(s, line))
        return SMP_OK;
    if (!LIST_ROOM(s->out->advice, s->out->advice_count))
        return smp_error_memory(s->error);
    repair_advice *to = &s->out->advice[s->out->advice_count++];
    *to = (repair_advice){.is_global = true, .excess = wasted, .line = line};
    smp_kernel_short_name(kernel, to->kernel, sizeof to->kernel);
    name_way(s, kernel, stride, to);
    return SMP_OK;
}

smp_status repair_global(search *s) {
    smp_status status = SMP_OK;
    bool is_taken = true;
    while (is_taken && status == SMP_OK && s->out->end == REPAIR_DONE) {
        is_taken = false;
        for (uint32_t i = 0; i < s->now->profile.kernel_count && !is_taken && status == SMP_OK; i++)
            if (wastes(s->now, &s->now->profile.kernels[i], REPAIR_TRIED_PER_CENT))
                status = try_kernel(s, &s->now->profile.kernels[i], &is_taken);
    }
    for (uint32_t i = 0; i < s->now->profile.kernel_count && status == SMP_OK; i++)
        if (s->out->end == REPAIR_DONE &&
            wastes(s->now, &s->now->profile.kernels[i], SAID_PER_CENT))
            status = advise(s, &s->now->profile.kernels[i]);
    return status;
}
