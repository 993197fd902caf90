/* SPDX-License-Identifier: MIT */
/*
 * Ranks the parts of a profile: sums per source line and kernel, sorted, and the reasons of the
 * worst lines. Plain results for the writers.
 *
 * Sorted by excess: wavefronts of shared memory and sectors of global memory above the ideal, each
 * counted as one cycle of a multiprocessor, scaled to all launches. If times of kernels are known
 * and no sectors of global memory are wasted (their worth is unknown), the worst lines are those
 * worth most of that time. Otherwise the line with the most excess wavefronts is among the first
 * three.
 *
 * Everything points into the profile, which must not change; smp_ranking_clear frees the rest.
 */
#pragma once

#include "profile.h"
#include "smp_prediction.h"

/* Sums over sites. Sites without a rule add to `requests`, `not_modelled`, and any sectors that are
 * known. */
typedef struct smp_profile_sums {
    uint64_t requests;
    uint64_t wavefronts, ideal;
    uint64_t sectors, ideal_sectors;
    uint64_t not_modelled; /* requests */
    uint32_t ways;
} smp_profile_sums;

uint64_t smp_sums_excess(const smp_profile_sums *sums);         /* wavefronts */
uint64_t smp_sums_excess_sectors(const smp_profile_sums *sums); /* sectors */
uint64_t smp_sums_loss(const smp_profile_sums *sums);           /* both */
void smp_sums_add(smp_profile_sums *into, const smp_profile_sums *from);
void smp_sums_add_site(smp_profile_sums *sums, const smp_profile_site *site);
smp_profile_sums smp_sums_times(const smp_profile_sums *sums, double times);

/* One source line of one kernel, or one instruction without line information. */
typedef struct smp_profile_line {
    const smp_kernel_profile *kernel;
    const smp_frame *frame; /* from smp_site_user_frame; NULL without line information */
    smp_profile_sums sums;
    double scale; /* of the kernel's sums to all launches: smp_kernel_scaled; 1 if all were seen */
    const smp_profile_site **sites; /* most excess first */
    uint32_t site_count;
    /* For the kernel's worst instruction without line information: sums of it and all others
     * without. */
    smp_profile_sums together;
    uint32_t together_count; /* instructions with excess; else 0 */
    double worth_us; /* the most that its excess wavefronts (of `together` if set) are worth; 0 if
                        unknown */
    uint32_t others; /* other architectures on which it costs something, but not more */
} smp_profile_line;

typedef struct smp_profile_kernel_rank {
    const smp_kernel_profile *kernel;
    smp_profile_sums sums;
    double scale;                    /* as of its lines */
    uint32_t first_line, line_count; /* in `lines` */
} smp_profile_kernel_rank;

/* What ran on one architecture. */
typedef struct smp_arch_rank {
    const smp_arch *arch; /* NULL if unknown */
    smp_profile_sums sums, scaled;
    uint32_t kernel_count, function_count; /* function: smp_kernel_is_called */
} smp_arch_rank;

typedef struct smp_ranking {
    smp_profile_sums sums, scaled;
    smp_arch_rank *archs; /* sorted by compute capability */
    uint32_t arch_count;
    smp_profile_kernel_rank *kernels; /* most excess first */
    uint32_t kernel_count;
    smp_profile_line *lines; /* kernel by kernel in that order, each sorted by excess */
    uint32_t line_count;
    /* Indices of lines with excess; the first 100 are the worst, in order. A kernel without line
     * information is represented by its worst instruction, a line on several architectures by the
     * one where it costs most. */
    uint32_t *worst;
    uint32_t worst_count;
    bool is_by_time;                    /* the worst are sorted by worth_us */
    double time_us, worth_us;           /* sums over all kernels and lines with a known time */
    const smp_profile_site **all_sites; /* those of the lines, line by line */
} smp_ranking;

/* SMP_E_MEMORY or SMP_OK. */
smp_status smp_ranking_make(const smp_profile *profile, smp_ranking *out, smp_error *error);
void smp_ranking_clear(smp_ranking *ranking);
/* Returns the worst line number `number`, from 0. */
static inline const smp_profile_line *smp_ranking_worst(const smp_ranking *ranking,
                                                        uint32_t number) {
    return &ranking->lines[ranking->worst[number]];
}
/* Returns the kernel's architecture. */
const smp_arch_rank *smp_ranking_arch(const smp_ranking *ranking, const smp_kernel_profile *kernel);

/* Returns the innermost frame outside headers of the toolkit and the system, which the user wrote;
 * else the outermost. NULL without line information. */
const smp_frame *smp_site_user_frame(const smp_profile_site *site);
/* True if the frame is in a header of the toolkit or the system. */
bool smp_frame_is_of_system(const smp_frame *frame);

/* Predicts a request of the site; false if it has no rule or none was kept. */
bool smp_request_report(const smp_kernel_profile *kernel, const smp_profile_site *site,
                        const smp_profile_request *request, smp_prediction *out);
/* The same for its worst request. */
bool smp_site_report(const smp_kernel_profile *kernel, const smp_profile_site *site,
                     smp_prediction *out);

/* Returns the array at an offset in shared memory, or NULL. */
const smp_shared_array *smp_kernel_array_at(const smp_kernel_profile *kernel, uint64_t offset);
/* Returns the array that the site's worst request accesses, or NULL. */
const smp_shared_array *smp_site_array(const smp_kernel_profile *kernel,
                                       const smp_profile_site *site);

/* ---- Shapes ----
 *
 * The different requests of a machine instruction. Those that cost the same and differ only by a
 * shift of all addresses are one shape: what people look at is the pattern. */

enum { SMP_SITE_SHAPES_MAX = 8 }; /* the most that are shown */

typedef struct smp_request_shape {
    const smp_profile_request *request; /* one of them, owned by the site */
    uint64_t count;                     /* their total count; 0 if unknown */
    uint32_t places;                    /* number of kept requests */
} smp_request_shape;

/* Stores up to SMP_SITE_SHAPES_MAX shapes of the requests kept by `site`, most wavefronts first
 * (ties: the one with its worst request, then the most frequent), and returns their total number.
 * If only the worst request was kept (global memory), it is the only shape; 0 if none was. */
uint32_t smp_site_shapes(const smp_profile_site *site, smp_request_shape *out);
