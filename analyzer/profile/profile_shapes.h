/* SPDX-License-Identifier: MIT */
/*
 * profile_shapes.h: the different requests of a machine instruction. Those that cost the same and
 * differ only by a shift of all addresses are one shape: what people look at is the pattern.
 */
#ifndef SMP_PROFILE_SHAPES_H
#define SMP_PROFILE_SHAPES_H

#include "profile.h"

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

#endif
