/* SPDX-License-Identifier: MIT */
/* The shared side of cp.async. Internal to model/. */
#pragma once

#include "tag.h"

/* The number of lanes served together in a copy of this width. */
unsigned smp_copy_group_lanes(uint32_t width_bytes);

/* Passes of the data stage over `lanes`, if all of their lines are looked up together. */
unsigned smp_copy_passes(const smp_access *access, uint32_t lanes);

/* Wavefronts, ways and groups. */
void smp_copy_count(const smp_access *access, const smp_tags *tags, uint32_t lanes,
                    smp_counts *out);

/* Sets the lanes of `group` that each of its wavefronts serves in a copy of `lanes`; returns the
 * number of wavefronts. */
unsigned smp_copy_served(const smp_access *access, uint32_t lanes, uint32_t group,
                         uint32_t served[SMP_LANES]);
