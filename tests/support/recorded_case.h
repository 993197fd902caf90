/* SPDX-License-Identifier: MIT */
/* Which kernel and case the key of a recorded measurement names. */
#pragma once

#include "smp_kernels.h"

/* "transpose padded 4096x4096 float, cluster 8". Fails the test that calls it on any other text. */
void recorded_case_parse(const char *key, const smp_kernel_family **family,
                         const smp_kernel_variant **variant, smp_kernel_case *problem);
