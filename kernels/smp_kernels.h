/* SPDX-License-Identifier: MIT */
/*
 * smp_kernels.h: the kernels that smemprobe runs, and what each of them does to memory.
 *
 * Two kinds: the generic access kernel, which executes any smp_access as exactly the machine
 * instruction that it names, and the families that `smemprobe compare` shows side by side. A
 * family says the same thing twice: as a CUDA kernel, and as the list of accesses that its
 * warps make (`trace`), from which the model predicts a whole launch without a GPU.
 *
 * Descriptors, traces and CPU references are plain C and always built. Launches exist only where
 * the CUDA toolkit was found; elsewhere they return SMP_E_NOT_BUILT. CUDA errors are returned as
 * SMP_E_CUDA with CUDA's own words in *error. All device pointers belong to the caller.
 */
#ifndef SMP_KERNELS_H
#define SMP_KERNELS_H

#include "smp_model.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Families -------------------------------------------------------------------------- */

typedef struct smp_kernel_size {
    uint32_t rows, columns; /* of the input matrix; any values >= 1 */
} smp_kernel_size;

/* Called once for each distinct access of a launch; `times` warps make it. `site` is a static
 * string that names the place in the source ("tile read"). Returning false stops the trace. */
typedef bool (*smp_trace_fn)(void *user, const char *site, const smp_access *access,
                             uint64_t times);

typedef struct smp_kernel_variant {
    const char *family;  /* "transpose" */
    const char *name;    /* "padded" */
    const char *summary; /* one line */
    uint32_t shared_bytes_per_block;
    uint32_t threads_per_block;
    /* Every shared- and global-memory access of one launch. SMP_OK, or SMP_E_INTERRUPTED if `visit`
     * said so. */
    smp_status (*trace)(smp_kernel_size size, smp_trace_fn visit, void *user);
    /* Launches on the current device and the default stream; does not wait. `in` and `out` are
     * device memory of rows x columns floats. SMP_E_NOT_BUILT without the toolkit. */
    smp_status (*launch)(const float *in, float *out, smp_kernel_size size, smp_error *error);
    /* What the kernel must compute; host memory. */
    void (*reference)(const float *in, float *out, smp_kernel_size size);
} smp_kernel_variant;

/* All variants of all families, in display order; *count is set. */
const smp_kernel_variant *smp_kernel_variants(size_t *count);

/* ---- The generic access kernel ----------------------------------------------------------- */

/* True where launches exist in this build. */
bool smp_kernels_built(void);

/* Runs accesses[0 .. count-1], all of one operation and width, on the current device: one warp in
 * one block (a cluster of two for cluster operations) executes each exactly once, in order. With
 * `dry` the kernel does everything but the accesses, which gives the baseline to subtract where a
 * counter also sees the kernel's own table reads. `scratch` is device memory that
 * smp_access_scratch_bytes() sized; global operations add their address_bytes to its data area.
 * Waits for nothing. *sass (may be NULL) receives the name of the instruction. */
smp_status smp_access_launch(const smp_access *accesses, size_t count, bool dry, void *scratch,
                             smp_error *error);
size_t smp_access_scratch_bytes(size_t count);

#ifdef __cplusplus
}
#endif
#endif
