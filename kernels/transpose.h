/* SPDX-License-Identifier: MIT */
/*
 * transpose.h: the variants of the family `transpose` and their launches. Internal to kernels/.
 */
#ifndef SMP_TRANSPOSE_H
#define SMP_TRANSPOSE_H

#include "smp_kernels.h"

#ifdef __cplusplus
extern "C" {
#endif

#define SMP_TILE 32      /* rows and columns of a tile, one a block */
#define SMP_TILE_WARPS 8 /* warps of a block; each moves every eighth row of the tile */

/* As smp_kernel_variant.trace, .reference and .launch. */
smp_status smp_transpose_trace_naive(smp_kernel_size size, smp_trace_fn visit, void *user);
smp_status smp_transpose_trace_tiled(smp_kernel_size size, smp_trace_fn visit, void *user);
smp_status smp_transpose_trace_padded(smp_kernel_size size, smp_trace_fn visit, void *user);
void smp_transpose_reference(const float *in, float *out, smp_kernel_size size);

smp_status smp_transpose_launch_naive(const float *in, float *out, smp_kernel_size size, bool alone,
                                      smp_error *error);
smp_status smp_transpose_launch_tiled(const float *in, float *out, smp_kernel_size size, bool alone,
                                      smp_error *error);
smp_status smp_transpose_launch_padded(const float *in, float *out, smp_kernel_size size,
                                       bool alone, smp_error *error);

#ifdef __cplusplus
}
#endif
#endif
