/* SPDX-License-Identifier: MIT */
/* Creates, grows and frees the lists of a profile. */
#define _POSIX_C_SOURCE 200809L
#include "profile.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "list.h"
#include "memory_opcode.h"
#include "request_hash.h"

/* Returns the new zeroed element of a list, or NULL. */
#define LIST_ADD(owner, list, count) \
    (LIST_ROOM((owner)->list, (owner)->count) ? &(owner)->list[(owner)->count++] : NULL)

smp_run *smp_profile_add_run(smp_profile *profile) {
    return LIST_ADD(profile, runs, run_count);
}

const char *smp_engine_name(smp_engine engine) {
    static const char *const names[SMP_ENGINES] = {"gpu", "emulated", "source"};
    return names[engine];
}

smp_run *smp_profile_begin_run(smp_profile *profile, smp_engine engine, const char *command,
                               const char *device) {
    char date[32];
    struct tm utc;
    const time_t now = time(NULL);
    smp_run *run = smp_profile_add_run(profile);
    if (!run)
        return NULL;
    (void)strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &utc));
    run->engine = engine;
    run->command = strdup(command);
    run->device = device ? strdup(device) : NULL;
    run->date = strdup(date);
    return run->command && run->date && (run->device || !device) ? run : NULL;
}

void smp_profile_note_end(smp_profile *profile, uint64_t process, int signal, bool keeps) {
    char text[600];
    for (uint32_t i = 0; signal != 0 && i < profile->run_count; i++) {
        smp_run *run = &profile->runs[i];
        const char *before = keeps && run->ended ? run->ended : "";
        if (run->process != process)
            continue;
        (void)snprintf(text, sizeof text, "killed by signal %d (%s)%s%s", signal, strsignal(signal),
                       before[0] ? "; " : "", before);
        char *copy = strdup(text);
        if (copy) {
            free(run->ended);
            run->ended = copy;
        }
    }
}

smp_kernel_profile *smp_profile_add_kernel(smp_profile *profile) {
    return LIST_ADD(profile, kernels, kernel_count);
}

smp_profile_finding *smp_profile_add_finding(smp_profile *profile) {
    return LIST_ADD(profile, findings, finding_count);
}

smp_profile_site *smp_kernel_add_site(smp_kernel_profile *kernel) {
    smp_profile_site *site = LIST_ADD(kernel, sites, site_count);
    if (site)
        site->op = SMP_OP_COUNT;
    return site;
}

smp_shared_array *smp_kernel_add_array(smp_kernel_profile *kernel) {
    return LIST_ADD(kernel, arrays, array_count);
}

smp_frame *smp_site_add_frame(smp_profile_site *site) {
    return LIST_ADD(site, frames, frame_count);
}

static int compare_lines(const char *file, uint32_t line, const smp_frame *other) {
    const int order = strcmp(file, other->file);
    return order != 0 ? order : (line > other->line) - (line < other->line);
}

smp_status smp_kernel_add_caller(smp_kernel_profile *kernel, const char *file, uint32_t line) {
    smp_frame *callers = kernel->callers;
    uint32_t at = 0;
    while (at < kernel->caller_count && compare_lines(file, line, &callers[at]) > 0)
        at++;
    if (at == SMP_CALLERS_MAX ||
        (at < kernel->caller_count && compare_lines(file, line, &callers[at]) == 0))
        return SMP_OK;
    char *copy = strdup(file);
    if (!copy)
        return SMP_E_MEMORY;
    if (kernel->caller_count == SMP_CALLERS_MAX)
        free(callers[--kernel->caller_count].file);
    memmove(&callers[at + 1], &callers[at], (kernel->caller_count - at) * sizeof *callers);
    callers[at] = (smp_frame){.file = copy, .line = line};
    kernel->caller_count++;
    return SMP_OK;
}

/* Inserts a text in order, once; of too many, the last one is dropped. */
static smp_status add_text(char **list, uint32_t *count, uint32_t most, const char *text) {
    uint32_t at = 0;
    while (at < *count && strcmp(text, list[at]) > 0)
        at++;
    if (at == most || (at < *count && strcmp(text, list[at]) == 0))
        return SMP_OK;
    char *copy = strdup(text);
    if (!copy)
        return SMP_E_MEMORY;
    if (*count == most)
        free(list[--*count]);
    memmove(&list[at + 1], &list[at], (*count - at) * sizeof *list);
    list[at] = copy;
    ++*count;
    return SMP_OK;
}

smp_status smp_kernel_add_described(smp_kernel_profile *kernel, const char *form) {
    return add_text(kernel->described, &kernel->described_count, SMP_DESCRIBED_MAX, form);
}

smp_status smp_kernel_add_range(smp_kernel_profile *kernel, const char *path) {
    return add_text(kernel->ranges, &kernel->range_count, SMP_RANGES_MAX, path);
}

void smp_run_clear(smp_run *run) {
    free(run->command);
    free(run->device);
    free(run->driver);
    free(run->date);
    free(run->host);
    free(run->memory);
    free(run->ended);
    memset(run, 0, sizeof *run);
}

void smp_site_clear(smp_profile_site *site) {
    for (uint32_t i = 0; i < site->frame_count; i++)
        free(site->frames[i].file);
    free(site->frames);
    free(site->opcode);
    free(site->operands);
    free(site->not_modelled);
    free(site->distinct);
    memset(site, 0, sizeof *site);
}

void smp_kernel_clear(smp_kernel_profile *kernel) {
    for (uint32_t i = 0; i < kernel->site_count; i++)
        smp_site_clear(&kernel->sites[i]);
    for (uint32_t i = 0; i < kernel->array_count; i++) {
        free(kernel->arrays[i].name);
        free(kernel->arrays[i].type);
    }
    for (uint32_t i = 0; i < kernel->caller_count; i++)
        free(kernel->callers[i].file);
    for (uint32_t i = 0; i < kernel->described_count; i++)
        free(kernel->described[i]);
    for (uint32_t i = 0; i < kernel->range_count; i++)
        free(kernel->ranges[i]);
    free(kernel->sites);
    free(kernel->arrays);
    free(kernel->name);
    free(kernel->demangled);
    free(kernel->not_seen);
    free(kernel->barriers);
    free(kernel->calls);
    free(kernel->kind_blocks);
    memset(kernel, 0, sizeof *kernel);
}

void smp_profile_clear(smp_profile *profile) {
    for (uint32_t i = 0; i < profile->run_count; i++)
        smp_run_clear(&profile->runs[i]);
    for (uint32_t i = 0; i < profile->kernel_count; i++)
        smp_kernel_clear(&profile->kernels[i]);
    for (uint32_t i = 0; i < profile->finding_count; i++)
        smp_finding_clear(&profile->findings[i]);
    free(profile->findings);
    free(profile->runs);
    free(profile->kernels);
    memset(profile, 0, sizeof *profile);
}

/* Shortens a long name to its end, "...cunn_SoftMaxBackward<8, c1...poch>": kernels of a library
 * differ there, not in their namespaces. */
static void cut_name(const char *first, const char *last, const char *end, char *text,
                     size_t size) {
    static const char dots[] = "...";
    const char *before = last > first ? dots : "";
    const size_t length = (size_t)(end - last), room = size - 1 - strlen(before);
    const size_t tail = room / 4, head = room > tail + 3 ? room - tail - 3 : 0;
    if (length <= room)
        (void)snprintf(text, size, "%s%.*s", before, (int)length, last);
    else
        (void)snprintf(text, size, "%s%.*s%s%.*s", before, (int)head, last, dots, (int)tail,
                       end - tail);
}

enum { TAG_KEPT = 8, UNTAGGED_BYTES = 1024 };

/* Removes "[abi:cw51cXTLSUwv1sDUaKthqaNgo...]", Numba's record of how it compiled a kernel.
 * "[abi:v2]", the second of a name, stays. `room` is used if there is such a tag. */
static const char *untagged(const char *name, char room[UNTAGGED_BYTES]) {
    static const char begin[] = "[abi:";
    size_t length = 0;
    if (!strstr(name, begin) || strlen(name) >= UNTAGGED_BYTES)
        return name;
    for (const char *at = name; *at != '\0';) {
        const size_t tag = strncmp(at, begin, sizeof begin - 1) == 0 ? strcspn(at, "]") : 0;
        if (tag > sizeof begin - 1 + TAG_KEPT && at[tag] == ']')
            at += tag + 1;
        else
            room[length++] = *at++;
    }
    room[length] = '\0';
    return room;
}

void smp_kernel_short_name(const smp_kernel_profile *kernel, char *text, size_t size) {
    char room[UNTAGGED_BYTES];
    const char *name = untagged(smp_kernel_full_name(kernel), room);
    size_t length = 0, start = 0, last = 0;
    int depth = 0;
    static const char unnamed[] = "(anonymous namespace)";
    for (; name[length] != '\0'; length++) {
        if (strncmp(name + length, unnamed, sizeof unnamed - 1) == 0)
            length += sizeof unnamed - 1; /* part of a name that contains a blank */
        const char c = name[length];
        depth += (c == '<' || c == '[') - (c == '>' || c == ']');
        if (depth == 0 && c == ' ')
            start = length + 1;
        if (depth == 0 && c == ':')
            last = length + 1;
        if (depth == 0 && c == '(' && length > start)
            break;
    }
    if (length - start < size)
        (void)snprintf(text, size, "%.*s", (int)(length - start), name + start);
    else
        cut_name(name + start, name + (last > start ? last : start), name + length, text, size);
}

uint64_t smp_profile_requests(const smp_profile *profile) {
    uint64_t requests = 0;
    EACH_SITE(kernel, site, profile)
        requests += site->requests;
    return requests;
}

uint32_t smp_profile_unobserved(const smp_profile *profile) {
    uint32_t count = 0;
    EACH(const smp_kernel_profile, kernel, profile->kernels, profile->kernel_count)
        count += kernel->launches == 0 && kernel->launches_skipped > 0 && kernel->blocks == 0 &&
                 kernel->site_count == 0 && !kernel->not_seen;
    return count;
}

static const char *const space_names[] = {[SMP_SPACE_SHARED] = "shared",
                                          [SMP_SPACE_COPY] = "copy",
                                          [SMP_SPACE_GLOBAL] = "global",
                                          [SMP_SPACE_CLUSTER] = "cluster"};

const char *smp_site_space_name(const smp_profile_site *site) {
    return site->is_local ? "local" : space_names[site->space];
}

uint32_t smp_request_hash(const smp_profile_request *request) {
    uint32_t hash = 0;
    for (uint32_t lane = 0; lane < SMP_LANES; lane++) {
        if (request->mask >> lane & 1)
            hash += smp_lane_hash(lane, request->offset_bytes[lane]);
    }
    return hash;
}

int smp_request_compare(const smp_profile_request *a, const smp_profile_request *b) {
    const uint32_t hash_a = smp_request_hash(a), hash_b = smp_request_hash(b);
    if (hash_a != hash_b)
        return hash_a < hash_b ? -1 : 1;
    if (a->mask != b->mask)
        return a->mask < b->mask ? -1 : 1;
    const int order = memcmp(a->offset_bytes, b->offset_bytes, sizeof a->offset_bytes);
    if (order != 0)
        return order;
    if (a->has_source != b->has_source)
        return a->has_source ? 1 : -1;
    return memcmp(a->source_bytes, b->source_bytes, sizeof a->source_bytes);
}

/* Only sectors of 16-byte copies are known. */
static uint32_t cost_of(const smp_profile_site *site, const smp_profile_request *request) {
    const bool passes_l1 = smp_op_bypasses_l1(site->op, site->width_bytes);
    return smp_space_has_banks(site->space) && !passes_l1 ? request->wavefronts : request->sectors;
}

void smp_site_offer_worst(smp_profile_site *site, const smp_profile_request *request) {
    const smp_profile_request *now = &site->worst;
    if (request->mask == 0)
        return;
    if (now->mask != 0) {
        const uint32_t cost = cost_of(site, request), least = cost_of(site, now);
        if (cost < least || (cost == least && smp_request_compare(request, now) <= 0))
            return;
    }
    site->worst = *request;
}

const smp_kernel_profile *smp_finding_kernel_of(const smp_profile *profile,
                                                const smp_profile_finding *finding) {
    return FIND(one, profile->kernels, profile->kernel_count,
                finding->kernel && strcmp(one->name, finding->kernel) == 0);
}

/* Returns the place of `request` among the distinct ones, or where to insert it. */
static uint32_t find_distinct(const smp_profile_site *site, const smp_profile_request *request,
                              bool *found) {
    uint32_t low = 0, high = site->distinct_count;
    *found = false;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        const int order = smp_request_compare(request, &site->distinct[middle]);
        if (order == 0) {
            *found = true;
            return middle;
        }
        if (order > 0)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

/* Keeps those with the largest hashes, in whatever order they arrive. A dropped request never
 * returns, since the whole list stays ahead of it, so the counts of the kept ones are complete. */
smp_status smp_site_add_distinct(smp_profile_site *site, const smp_profile_request *request) {
    bool found;
    const uint32_t at = find_distinct(site, request, &found);
    if (found) {
        site->distinct[at].count += request->count;
        return SMP_OK;
    }
    if (at == SMP_SITE_REQUESTS_MAX) {
        site->requests_lost += request->count;
        return SMP_OK;
    }
    if (site->distinct_count == SMP_SITE_REQUESTS_MAX)
        site->requests_lost += site->distinct[--site->distinct_count].count;
    else if (!LIST_ROOM(site->distinct, site->distinct_count))
        return SMP_E_MEMORY;
    memmove(&site->distinct[at + 1], &site->distinct[at],
            (site->distinct_count - at) * sizeof *site->distinct);
    site->distinct[at] = *request;
    site->distinct_count++;
    return SMP_OK;
}

double smp_kernel_scale(const smp_kernel_profile *kernel) {
    const bool has_blocks = kernel->blocks > 0;
    const double seen = (double)(has_blocks ? kernel->blocks : kernel->launches);
    const double more = (double)(has_blocks ? kernel->blocks_skipped : kernel->launches_skipped);
    return seen > 0 ? 1 + more / seen : 0;
}

void smp_scaled_add(smp_scaled_sums *sums, const smp_profile_site *site, double weight) {
    sums->wavefronts += weight * (double)site->wavefronts;
    sums->ideal += weight * (double)site->ideal;
    sums->sectors += weight * (double)site->sectors;
    sums->ideal_sectors += weight * (double)site->ideal_sectors;
}

smp_scaled_sums smp_scaled_times(const smp_scaled_sums *sums, double times) {
    return (smp_scaled_sums){sums->blocks * times, sums->wavefronts * times, sums->ideal * times,
                             sums->sectors * times, sums->ideal_sectors * times};
}

smp_scaled_sums smp_kernel_scaled(const smp_kernel_profile *kernel) {
    smp_scaled_sums all = kernel->scaled;
    const double blocks = (double)kernel->blocks + (double)kernel->blocks_skipped;
    if (all.blocks <= 0) {
        all = (smp_scaled_sums){.blocks = kernel->blocks > 0 ? blocks : 0};
        for (uint32_t i = 0; i < kernel->site_count; i++)
            smp_scaled_add(&all, &kernel->sites[i], smp_kernel_scale(kernel));
        return all;
    }
    return smp_scaled_times(&all, blocks / all.blocks);
}

bool smp_site_set_fixed(smp_profile_site *site, const smp_arch *arch) {
    smp_fixed_cost cost;
    if (!site->opcode || !smp_opcode_fixed_cost(arch, site->opcode, site->operands, &cost))
        return false;
    site->space = SMP_SPACE_SHARED;
    site->wavefronts = site->ideal = site->requests * cost.wavefronts / cost.requests;
    site->ways = cost.wavefronts > 0 ? 1 : 0;
    return true;
}

smp_status smp_site_add(smp_profile_site *site, const smp_profile_request *request, uint32_t ways) {
    site->requests += request->count;
    site->lanes += request->count * (uint32_t)__builtin_popcount(request->mask);
    site->wavefronts += request->count * request->wavefronts;
    site->ideal += request->count * request->ideal;
    site->sectors += request->count * request->sectors;
    site->ideal_sectors += request->count * request->ideal_sectors;
    site->ways = ways > site->ways ? ways : site->ways;
    smp_site_offer_worst(site, request);
    if (site->worst.mask != 0)
        site->worst.count = 1;
    return smp_space_has_banks(site->space) ? smp_site_add_distinct(site, request) : SMP_OK;
}

/* Results were recorded on compute capability 9.0 (tests/data/sass). */
const char *smp_run_evidence(const smp_run *run, char text[SMP_EVIDENCE_BYTES]) {
    const smp_arch *arch = run->device ? smp_arch_find(run->device) : NULL;
    if (run->engine != SMP_ENGINE_EMULATED || !arch)
        return NULL;
    if (arch == smp_arch_find("sm_90"))
        snprintf(text, SMP_EVIDENCE_BYTES, "instructions as an H200 computes them");
    else
        snprintf(text, SMP_EVIDENCE_BYTES,
                 "instructions of %d.%d computed as an H200 (9.0) computes those of the same name; "
                 "not confirmed on a GPU of %d.%d",
                 arch->cc_major, arch->cc_minor, arch->cc_major, arch->cc_minor);
    return text;
}
