/* SPDX-License-Identifier: MIT */
/* Launches of the sums of squares, and their shape. Internal to kernels/. */
#pragma once

#include "families.h"

SMP_C_BEGIN

#define SMP_SUMSQ_THREADS 256

/* Sets the sum to 0. */
smp_launch_function smp_sumsq_prepare, smp_sumsq_launch_each, smp_sumsq_launch_global,
    smp_sumsq_launch_shared;
SMP_C_END
