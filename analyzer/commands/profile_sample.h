/* SPDX-License-Identifier: MIT */
/*
 * profile_sample.h: kernels that were too heavy to be looked at on the GPU: of a launch of each,
 * which the program's run kept, some blocks are run on the CPU.
 */
#pragma once

#include "profile.h"

/* Adds to kernels of *profile of which no launch was seen what those of `folder` say. */
smp_status profile_sample_add(const char *folder, smp_profile *profile, smp_error *error);
