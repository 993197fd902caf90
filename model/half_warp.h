/* SPDX-License-Identifier: MIT */
/* Banks of compute capability 1.x. Internal to model/. */
#pragma once

#include "smp_model.h"

/* Lanes of a request. */
#define SMP_HALF_WARP_LANES 16

/* The number of requests that each half-warp makes for an access of this width. */
unsigned smp_half_warp_requests(uint32_t width_bytes);

/* Wavefronts, ways and groups, as a range over every choice that the hardware may make. */
void smp_half_warp_count(const smp_access *access, uint32_t lanes, smp_counts *out);
