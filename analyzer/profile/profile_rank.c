/* SPDX-License-Identifier: MIT */
/* Adds up a profile and sorts it, costliest first. */
#include "profile_rank.h"

#include "gain.h"
#include "profile_time.h"

#include <stdlib.h>
#include <string.h>

uint64_t smp_sums_excess(const smp_profile_sums *sums) {
    return sums->wavefronts - sums->ideal;
}

uint64_t smp_sums_excess_sectors(const smp_profile_sums *sums) {
    return sums->sectors - sums->ideal_sectors;
}

uint64_t smp_sums_loss(const smp_profile_sums *sums) {
    return smp_sums_excess(sums) + smp_sums_excess_sectors(sums);
}

static uint64_t excess_of_site(const smp_profile_site *site) {
    smp_profile_sums sums = {0};
    smp_sums_add_site(&sums, site);
    return smp_sums_loss(&sums);
}

void smp_sums_add_site(smp_profile_sums *sums, const smp_profile_site *site) {
    sums->requests += site->requests;
    if (site->not_modelled)
        sums->not_modelled += site->requests;
    if (smp_site_has_sectors(site)) {
        sums->sectors += site->sectors;
        sums->ideal_sectors += site->ideal_sectors;
    }
    if (site->not_modelled)
        return;
    sums->wavefronts += site->wavefronts;
    sums->ideal += site->ideal;
    if (smp_space_has_banks(site->space) && site->ways > sums->ways)
        sums->ways = site->ways;
}

void smp_sums_add(smp_profile_sums *into, const smp_profile_sums *from) {
    into->requests += from->requests;
    into->wavefronts += from->wavefronts;
    into->ideal += from->ideal;
    into->sectors += from->sectors;
    into->ideal_sectors += from->ideal_sectors;
    into->not_modelled += from->not_modelled;
    into->ways = from->ways > into->ways ? from->ways : into->ways;
}

smp_profile_sums smp_sums_times(const smp_profile_sums *sums, double times) {
    smp_profile_sums all = *sums;
    uint64_t *const figures[] = {&all.requests, &all.wavefronts,    &all.ideal,
                                 &all.sectors,  &all.ideal_sectors, &all.not_modelled};
    for (size_t i = 0; i < sizeof figures / sizeof *figures && times != 1; i++)
        *figures[i] = (uint64_t)((double)*figures[i] * times + 0.5);
    return all;
}

/* From a kernel's sums to those of all its launches. */
static double scale_of(const smp_kernel_profile *kernel, const smp_profile_sums *sums) {
    const smp_scaled_sums all = smp_kernel_scaled(kernel);
    const double seen = (double)(sums->wavefronts + sums->sectors),
                 times = seen > 0 ? (all.wavefronts + all.sectors) / seen : 1;
    return smp_kernel_scale(kernel) > 1 && times > 1 ? times : 1;
}

static bool is_of_system(const char *file) {
    static const char *const parts[] = {"/usr/include/",
                                        "/usr/lib/",
                                        "/cuda/include/",
                                        "/include/cub/",
                                        "/include/cccl/",
                                        "/cuda_runtime",
                                        "/crt/",
                                        "/include/cuda/",
                                        "/include/thrust/",
                                        "/include/cute/",
                                        "/include/cooperative_",
                                        "/include/cutlass/",
                                        "/triton/language/",
                                        "/site-packages/",
                                        "/dist-packages/"};
    for (size_t i = 0; file && i < sizeof parts / sizeof parts[0]; i++) {
        if (strstr(file, parts[i]))
            return true;
    }
    return !file || strstr(file, "/targets/x86_64-linux/include/") ||
           (strstr(file, "/cuda-") && strstr(file, "/include/"));
}

bool smp_frame_is_of_system(const smp_frame *frame) {
    return is_of_system(frame->file);
}

const smp_frame *smp_site_user_frame(const smp_profile_site *site) {
    for (uint32_t i = 0; i < site->frame_count; i++) {
        if (!is_of_system(site->frames[i].file))
            return &site->frames[i];
    }
    return site->frame_count > 0 ? &site->frames[site->frame_count - 1] : NULL;
}

static int order_frames(const smp_frame *a, const smp_frame *b) {
    if (!a || !b)
        return !!a - !!b;
    const int order = strcmp(a->file ? a->file : "", b->file ? b->file : "");
    return order != 0 ? order : (a->line > b->line) - (a->line < b->line);
}

static int descending(uint64_t a, uint64_t b) {
    return (a < b) - (a > b);
}

/* Groups sites of one line; without lines each is alone. */
static int by_line(const void *left, const void *right) {
    const smp_profile_site *a = *(const smp_profile_site *const *)left;
    const smp_profile_site *b = *(const smp_profile_site *const *)right;
    const int order = order_frames(smp_site_user_frame(a), smp_site_user_frame(b));
    if (order != 0)
        return order;
    const int by_excess = descending(excess_of_site(a), excess_of_site(b));
    if (by_excess != 0 && a->frame_count > 0)
        return by_excess;
    return a->offset_bytes != b->offset_bytes ? (a->offset_bytes < b->offset_bytes ? -1 : 1)
                                              : (a < b ? -1 : a > b);
}

/* By excess, then by cost, most first; then by address. */
static int by_sums(const smp_profile_sums *seen_a, double scale_a, const smp_profile_sums *seen_b,
                   double scale_b, const void *at_a, const void *at_b) {
    const smp_profile_sums of_a = smp_sums_times(seen_a, scale_a), *a = &of_a,
                           of_b = smp_sums_times(seen_b, scale_b), *b = &of_b;
    int order = descending(smp_sums_loss(a), smp_sums_loss(b));
    if (order == 0)
        order = descending(a->wavefronts + a->sectors, b->wavefronts + b->sectors);
    return order != 0 ? order : (at_a > at_b) - (at_a < at_b);
}

static int by_excess(const void *left, const void *right) {
    const smp_profile_line *a = left, *b = right;
    return by_sums(&a->sums, a->scale, &b->sums, b->scale, a->sites, b->sites);
}

static int kernels_by_excess(const void *left, const void *right) {
    const smp_profile_kernel_rank *a = left, *b = right;
    return by_sums(&a->sums, a->scale, &b->sums, b->scale, a->kernel, b->kernel);
}

static bool same_line(const smp_profile_site *a, const smp_profile_site *b) {
    const smp_frame *left = smp_site_user_frame(a), *right = smp_site_user_frame(b);
    if (!left || !right)
        return a->offset_bytes == b->offset_bytes && !left && !right;
    return order_frames(left, right) == 0;
}

/* Appends the lines of a kernel with its sites at `sites`. */
static void add_lines(smp_ranking *out, smp_profile_kernel_rank *rank,
                      const smp_profile_site **sites) {
    const smp_kernel_profile *kernel = rank->kernel;
    rank->first_line = out->line_count;
    for (uint32_t i = 0; i < kernel->site_count; i++)
        sites[i] = &kernel->sites[i];
    if (kernel->site_count > 1)
        qsort(sites, kernel->site_count, sizeof(*sites), by_line);
    for (uint32_t i = 0; i < kernel->site_count; i++) {
        if (i == 0 || !same_line(sites[i - 1], sites[i])) {
            out->lines[out->line_count++] =
                (smp_profile_line){.kernel = kernel,
                                   .frame = smp_site_user_frame(sites[i]),
                                   .sites = &sites[i],
                                   .scale = rank->scale};
        }
        smp_profile_line *line = &out->lines[out->line_count - 1];
        smp_sums_add_site(&line->sums, sites[i]);
        line->site_count++;
    }
    rank->line_count = out->line_count - rank->first_line;
    if (rank->line_count > 1)
        qsort(&out->lines[rank->first_line], rank->line_count, sizeof *out->lines, by_excess);
}

/* The worst instruction without a line represents all of them. */
static void add_together(smp_ranking *out, const smp_profile_kernel_rank *rank) {
    smp_profile_line *first = NULL;
    for (uint32_t i = 0; i < rank->line_count; i++) {
        smp_profile_line *line = &out->lines[rank->first_line + i];
        if (line->frame || smp_sums_loss(&line->sums) == 0)
            continue;
        first = first ? first : line;
        first->together_count++;
        for (uint32_t j = 0; j < line->site_count; j++)
            smp_sums_add_site(&first->together, line->sites[j]);
    }
}

/* The most that excess wavefronts take if each is one cycle and all multiprocessors are busy. */
static double bound_us(const smp_kernel_profile *kernel, uint64_t excess) {
    const double cycles = (double)kernel->multiprocessors * kernel->clock_khz * 1e-3;
    const smp_scaled_sums all = smp_kernel_scaled(kernel);
    const double seen = (double)smp_kernel_excess(kernel);
    return cycles > 0 && seen > 0
               ? SMP_GAIN_MOST * (double)excess * (all.wavefronts - all.ideal) / seen / cycles
               : 0;
}

/* True if some line wastes sectors of global memory, whose worth is unknown. */
static bool wastes_sectors(const smp_ranking *out) {
    for (uint32_t i = 0; i < out->line_count; i++)
        for (uint32_t k = 0; k < out->lines[i].site_count; k++) {
            const smp_profile_site *site = out->lines[i].sites[k];
            if (site->space == SMP_SPACE_GLOBAL && site->sectors > site->ideal_sectors)
                return true;
        }
    return false;
}

static void set_worth(smp_ranking *out) {
    for (uint32_t i = 0; i < out->kernel_count; i++) {
        out->time_us += out->kernels[i].kernel->time_us;
        out->is_by_time |= out->kernels[i].kernel->stage_us > 0;
    }
    out->is_by_time = out->is_by_time && !wastes_sectors(out);
    EACH(smp_profile_line, line, out->lines, out->line_count) {
        const smp_kernel_profile *kernel = line->kernel;
        const uint64_t excess =
            smp_sums_excess(line->together_count > 0 ? &line->together : &line->sums);
        if (kernel->stage_us > 0)
            line->worth_us = smp_gain_of(kernel, excess);
        else if (out->is_by_time)
            line->worth_us = bound_us(kernel, excess);
    }
}

static double weight_of(const smp_profile_line *line) {
    if (line->together_count > 0)
        return line->scale * (double)smp_sums_loss(&line->together);
    return line->frame ? line->scale * (double)smp_sums_loss(&line->sums) : 0;
}

/* ---- Architectures ---- */

static int order_archs(const smp_arch *a, const smp_arch *b) {
    if (!a || !b)
        return !!a - !!b;
    return 16 * (a->cc_major - b->cc_major) + a->cc_minor - b->cc_minor;
}

const smp_arch_rank *smp_ranking_arch(const smp_ranking *ranking,
                                      const smp_kernel_profile *kernel) {
    return FIND(one, ranking->archs, ranking->arch_count,
                order_archs(one->arch, kernel->arch) == 0);
}

/* Returns its row; there is room for it. */
static smp_arch_rank *arch_of(smp_ranking *out, const smp_kernel_profile *kernel) {
    uint32_t at = 0;
    while (at < out->arch_count && order_archs(out->archs[at].arch, kernel->arch) < 0)
        at++;
    smp_arch_rank *rank = &out->archs[at];
    if (at == out->arch_count || order_archs(rank->arch, kernel->arch) != 0) {
        memmove(rank + 1, rank, (out->arch_count++ - at) * sizeof *rank);
        *rank = (smp_arch_rank){.arch = kernel->arch};
    }
    return rank;
}

static void rank_kernels(const smp_profile *profile, smp_ranking *out) {
    for (uint32_t i = 0; i < profile->kernel_count; i++) {
        smp_profile_kernel_rank *rank = &out->kernels[i];
        rank->kernel = &profile->kernels[i];
        for (uint32_t j = 0; j < rank->kernel->site_count; j++)
            smp_sums_add_site(&rank->sums, &rank->kernel->sites[j]);
        rank->scale = scale_of(rank->kernel, &rank->sums);
        const smp_profile_sums scaled = smp_sums_times(&rank->sums, rank->scale);
        smp_arch_rank *arch = arch_of(out, rank->kernel);
        smp_sums_add(&arch->scaled, &scaled);
        smp_sums_add(&out->scaled, &scaled);
        smp_sums_add(&arch->sums, &rank->sums);
        smp_sums_add(&out->sums, &rank->sums);
        arch->kernel_count += !smp_kernel_is_called(rank->kernel);
        arch->function_count += smp_kernel_is_called(rank->kernel);
    }
    out->kernel_count = profile->kernel_count;
    if (out->kernel_count > 1)
        qsort(out->kernels, out->kernel_count, sizeof *out->kernels, kernels_by_excess);
}

static bool is_worse(const smp_ranking *out, const smp_profile_line *a, const smp_profile_line *b) {
    if (out->is_by_time && a->worth_us != b->worth_us)
        return a->worth_us > b->worth_us;
    return weight_of(a) > weight_of(b);
}

/* Returns the place of the same line on another architecture among the worst, or their end. */
static uint32_t find_twin(const smp_ranking *out, const smp_profile_line *line) {
    uint32_t at = 0;
    for (; at < out->worst_count && out->arch_count > 1; at++) {
        const smp_profile_line *other = &out->lines[out->worst[at]];
        if (order_archs(other->kernel->arch, line->kernel->arch) != 0 &&
            order_frames(other->frame, line->frame) == 0 &&
            strcmp(other->kernel->name, line->kernel->name) == 0)
            break;
    }
    return out->arch_count > 1 ? at : out->worst_count;
}

/* Sorts only the first hundred: no more are shown. */
static double excess_at(const smp_ranking *of, uint32_t number) {
    const smp_profile_line *line = smp_ranking_worst(of, number);
    return line->scale * (double)smp_sums_excess(&line->sums);
}

/* Moves the line with the most excess wavefronts to the last place of those that reports explain,
 * if wasted sectors would push it out. */
static void keep_conflict(smp_ranking *out) {
    enum { EXPLAINED = 3 };
    uint32_t most = 0;
    for (uint32_t i = 1; i < out->worst_count && i < 100; i++)
        if (excess_at(out, i) > excess_at(out, most))
            most = i;
    if (most < EXPLAINED || out->is_by_time)
        return;
    const uint32_t moved = out->worst[most];
    memmove(&out->worst[EXPLAINED], &out->worst[EXPLAINED - 1],
            (most - EXPLAINED + 1) * sizeof *out->worst);
    out->worst[EXPLAINED - 1] = moved;
}

static void rank_worst(smp_ranking *out) {
    for (uint32_t i = 0; i < out->line_count; i++) {
        smp_profile_line *line = &out->lines[i];
        if (weight_of(line) <= 0)
            continue;
        const uint32_t at = find_twin(out, line);
        if (at == out->worst_count) {
            out->worst[out->worst_count++] = i;
            continue;
        }
        smp_profile_line *twin = &out->lines[out->worst[at]];
        const uint32_t others = twin->others + 1;
        if (is_worse(out, line, twin))
            out->worst[at] = i;
        out->lines[out->worst[at]].others = others;
    }
    for (uint32_t i = 0; i + 1 < out->worst_count && i < 100; i++) {
        uint32_t most = i;
        for (uint32_t j = i + 1; j < out->worst_count; j++) {
            if (is_worse(out, &out->lines[out->worst[j]], &out->lines[out->worst[most]]))
                most = j;
        }
        const uint32_t swapped = out->worst[i];
        out->worst[i] = out->worst[most];
        out->worst[most] = swapped;
    }
    keep_conflict(out);
}

smp_status smp_ranking_make(const smp_profile *profile, smp_ranking *out, smp_error *error) {
    size_t sites = 0;
    memset(out, 0, sizeof *out);
    for (uint32_t i = 0; i < profile->kernel_count; i++)
        sites += profile->kernels[i].site_count;
    out->kernels = calloc(profile->kernel_count + 1, sizeof *out->kernels);
    out->archs = calloc(profile->kernel_count + 1, sizeof *out->archs);
    out->lines = calloc(sites + 1, sizeof *out->lines);
    out->worst = calloc(sites + 1, sizeof *out->worst);
    out->all_sites = calloc(sites + 1, sizeof *out->all_sites);
    if (!out->kernels || !out->archs || !out->lines || !out->worst || !out->all_sites) {
        smp_ranking_clear(out);
        return smp_error_memory(error);
    }
    rank_kernels(profile, out);
    const smp_profile_site **at = out->all_sites;
    for (uint32_t i = 0; i < out->kernel_count; i++) {
        add_lines(out, &out->kernels[i], at);
        add_together(out, &out->kernels[i]);
        at += out->kernels[i].kernel->site_count;
    }
    set_worth(out);
    rank_worst(out);
    return SMP_OK;
}

void smp_ranking_clear(smp_ranking *ranking) {
    free(ranking->kernels);
    free(ranking->archs);
    free(ranking->lines);
    free(ranking->worst);
    free(ranking->all_sites);
    memset(ranking, 0, sizeof *ranking);
}

/* Returns the place of a byte of a thread's local memory in its warp's: word w of lane l is word 32
 * w + l (model/FINDINGS.md, 9). */
static uint64_t local_address(uint64_t own_bytes, unsigned lane) {
    return (own_bytes / 4 * SMP_LANES + lane) * 4 + own_bytes % 4;
}

bool smp_request_report(const smp_kernel_profile *kernel, const smp_profile_site *site,
                        const smp_profile_request *request, smp_prediction *out) {
    if (!kernel->arch || site->op >= SMP_OP_COUNT || request->mask == 0 || site->not_modelled)
        return false;
    if (site->is_local && site->width_bytes > 4) /* a lane's words are not adjacent */
        return false;
    if (site->space == SMP_SPACE_COPY && !request->has_source)
        return false;
    memset(out, 0, sizeof *out);
    out->arch = *kernel->arch;
    out->access.op = site->op;
    out->access.width_bytes = site->width_bytes;
    out->access.active_mask = request->mask;
    for (unsigned lane = 0; lane < SMP_LANES; lane++) {
        if (site->is_local)
            out->access.address_bytes[lane] = local_address(request->offset_bytes[lane], lane);
        else if (site->space == SMP_SPACE_GLOBAL)
            out->access.address_bytes[lane] = request->offset_bytes[lane];
        else
            out->access.offset_bytes[lane] = (uint32_t)request->offset_bytes[lane];
        if (request->has_source)
            out->access.address_bytes[lane] = request->source_bytes[lane];
    }
    out->status = smp_predict(&out->arch, &out->access, &out->counts);
    return out->status == SMP_OK;
}

bool smp_site_report(const smp_kernel_profile *kernel, const smp_profile_site *site,
                     smp_prediction *out) {
    return smp_request_report(kernel, site, &site->worst, out);
}

const smp_shared_array *smp_kernel_array_at(const smp_kernel_profile *kernel, uint64_t offset) {
    return FIND(one, kernel->arrays, kernel->array_count,
                offset >= one->offset_bytes &&
                    (one->size_bytes == 0 || offset - one->offset_bytes < one->size_bytes));
}

const smp_shared_array *smp_site_array(const smp_kernel_profile *kernel,
                                       const smp_profile_site *site) {
    if (!smp_space_has_banks(site->space) || site->worst.mask == 0)
        return NULL;
    return smp_kernel_array_at(kernel, site->worst.offset_bytes[__builtin_ctz(site->worst.mask)]);
}

/* ---- Shapes: each request is compared with the first of each shape before ---- */

static bool same_shape(const smp_profile_request *a, const smp_profile_request *b) {
    const unsigned first = a->mask != 0 ? (unsigned)__builtin_ctz(a->mask) : SMP_LANES;
    if (a->mask != b->mask || a->wavefronts != b->wavefronts || a->ideal != b->ideal ||
        a->has_source != b->has_source)
        return false;
    for (unsigned lane = first; lane < SMP_LANES; lane++) {
        if ((a->mask >> lane & 1) == 0)
            continue;
        if (a->offset_bytes[lane] - a->offset_bytes[first] !=
                b->offset_bytes[lane] - b->offset_bytes[first] ||
            a->source_bytes[lane] - a->source_bytes[first] !=
                b->source_bytes[lane] - b->source_bytes[first])
            return false;
    }
    return true;
}

static bool is_before(const smp_profile_site *site, const smp_request_shape *a,
                      const smp_request_shape *b) {
    if (a->request->wavefronts != b->request->wavefronts)
        return a->request->wavefronts > b->request->wavefronts;
    const bool has_worst[2] = {same_shape(a->request, &site->worst),
                               same_shape(b->request, &site->worst)};
    if (has_worst[0] != has_worst[1])
        return has_worst[0];
    return a->count != b->count ? a->count > b->count
                                : smp_request_compare(a->request, b->request) > 0;
}

static void insert(const smp_profile_site *site, const smp_request_shape *shape, uint32_t known,
                   smp_request_shape *out) {
    uint32_t at = known < SMP_SITE_SHAPES_MAX ? known : SMP_SITE_SHAPES_MAX;
    while (at > 0 && is_before(site, shape, &out[at - 1])) {
        if (at < SMP_SITE_SHAPES_MAX)
            out[at] = out[at - 1];
        at--;
    }
    if (at < SMP_SITE_SHAPES_MAX)
        out[at] = *shape;
}

uint32_t smp_site_shapes(const smp_profile_site *site, smp_request_shape *out) {
    bool is_taken[SMP_SITE_REQUESTS_MAX] = {false};
    uint32_t known = 0;
    for (uint32_t i = 0; i < site->distinct_count && i < SMP_SITE_REQUESTS_MAX; i++) {
        smp_request_shape shape = {.request = &site->distinct[i]};
        if (is_taken[i])
            continue;
        for (uint32_t j = i; j < site->distinct_count && j < SMP_SITE_REQUESTS_MAX; j++) {
            if (is_taken[j] || !same_shape(shape.request, &site->distinct[j]))
                continue;
            is_taken[j] = true;
            shape.count += site->distinct[j].count;
            shape.places++;
        }
        if (same_shape(shape.request, &site->worst))
            shape.request = &site->worst;
        insert(site, &shape, known++, out);
    }
    if (known == 0 && site->worst.mask != 0) {
        out[0] = (smp_request_shape){.request = &site->worst, .places = 1};
        return 1;
    }
    return known;
}
