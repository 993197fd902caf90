/* SPDX-License-Identifier: MIT */
/*
 * The parts of a profile that matter: sums for each source line and kernel, sorted, and the reasons
 * of the worst lines. Plain results for the writers.
 *
 * Sorted by excess: wavefronts of shared memory and sectors of global memory above the ideal, each
 * taken as one cycle of a multiprocessor. Where times of kernels are known, and no sectors of
 * global memory are wasted (of which it is not known what they are worth), the worst lines are
 * those that are worth most of that time.
 *
 * Everything points into the profile, which must stay as it is; smp_ranking_clear frees the rest.
 */
#pragma once

#include "profile.h"
#include "smp_prediction.h"

/* Sums over sites. Those without a rule count as requests, in `not_modelled`, and with the sectors
 * that are known of them all the same. */
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

/* One source line of one kernel, or without line information one instruction. */
typedef struct smp_profile_line {
    const smp_kernel_profile *kernel;
    const smp_frame *frame; /* that of smp_site_user_frame; NULL: no line information */
    smp_profile_sums sums;
    const smp_profile_site **sites; /* by excess, most first */
    uint32_t site_count;
    /* Without line information, of the kernel's worst instruction: it and all others without. */
    smp_profile_sums together;
    uint32_t together_count; /* instructions with excess; else 0 */
    double
        worth_us; /* its excess wavefronts, `together` if there are such, at most; 0: not known */
    uint32_t others; /* architectures on which it costs something, too, but not more */
} smp_profile_line;

typedef struct smp_profile_kernel_rank {
    const smp_kernel_profile *kernel;
    smp_profile_sums sums;
    uint32_t first_line, line_count; /* in `lines` */
} smp_profile_kernel_rank;

/* What ran on one architecture. */
typedef struct smp_arch_rank {
    const smp_arch *arch; /* NULL: unknown */
    smp_profile_sums sums;
    uint32_t kernel_count, function_count; /* function: smp_kernel_is_called */
} smp_arch_rank;

typedef struct smp_ranking {
    smp_profile_sums sums;
    smp_arch_rank *archs; /* by compute capability */
    uint32_t arch_count;
    smp_profile_kernel_rank *kernels; /* by excess, most first */
    uint32_t kernel_count;
    smp_profile_line *lines; /* kernel by kernel in that order, each by excess */
    uint32_t line_count;
    /* Indices of lines with excess; the first 100 are the worst, most first. Of a kernel without
     * line information only its worst instruction, which represents all of them; of one line on
     * several architectures only where it costs most. */
    uint32_t *worst;
    uint32_t worst_count;
    bool is_by_time;                    /* the worst are by worth_us */
    double time_us, worth_us;           /* of all kernels and lines whose time is known */
    const smp_profile_site **all_sites; /* those of the lines, line by line */
} smp_ranking;

/* SMP_E_MEMORY or SMP_OK. */
smp_status smp_ranking_make(const smp_profile *profile, smp_ranking *out, smp_error *error);
void smp_ranking_clear(smp_ranking *ranking);
/* The kernel's architecture. */
const smp_arch_rank *smp_ranking_arch(const smp_ranking *ranking, const smp_kernel_profile *kernel);

/* The innermost frame that is not in a header of the toolkit or the system: what the user wrote;
 * else the outermost. NULL: no line information. */
const smp_frame *smp_site_user_frame(const smp_profile_site *site);
/* In a header of the toolkit or the system. */
bool smp_frame_is_of_system(const smp_frame *frame);

/* A request of the site as a report of the model: false where it has no rule or none was kept. */
bool smp_request_report(const smp_kernel_profile *kernel, const smp_profile_site *site,
                        const smp_profile_request *request, smp_prediction *out);
/* The same of its worst request. */
bool smp_site_report(const smp_kernel_profile *kernel, const smp_profile_site *site,
                     smp_prediction *out);

/* The array that the site's worst request falls into, or NULL. */
const smp_shared_array *smp_site_array(const smp_kernel_profile *kernel,
                                       const smp_profile_site *site);

/* ---- Shapes ----
 *
 * The different requests of a machine instruction. Those that cost the same and differ only by a
 * shift of all addresses are one shape: what people look at is the pattern. */

enum { SMP_SITE_SHAPES_MAX = 8 }; /* that people are shown */

typedef struct smp_request_shape {
    const smp_profile_request *request; /* one of them, the site's */
    uint64_t count;                     /* how often they were made, all together; 0: unknown */
    uint32_t places;                    /* how many of them were kept */
} smp_request_shape;

/* Writes up to SMP_SITE_SHAPES_MAX shapes of the requests that `site` kept, most wavefronts first
 * (the one with its worst request before others of as many, then the one that was made most often),
 * and returns how many there are in all. Where only the worst request was kept (global memory),
 * that is the one shape; 0: none was. */
uint32_t smp_site_shapes(const smp_profile_site *site, smp_request_shape *out);
