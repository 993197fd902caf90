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
     * device memory of rows x columns floats. With `alone` each block asks for all the shared
     * memory of a multiprocessor, so that no two of them share one: slower, but the counters of
     * shared memory then see no arbitration between blocks. SMP_E_NOT_BUILT without the toolkit. */
    smp_status (*launch)(const float *in, float *out, smp_kernel_size size, bool alone,
                         smp_error *error);
    /* What the kernel must compute; host memory. */
    void (*reference)(const float *in, float *out, smp_kernel_size size);
} smp_kernel_variant;

/* All variants of all families, in display order; *count is set. */
const smp_kernel_variant *smp_kernel_variants(size_t *count);

/* ---- The generic access kernel ----------------------------------------------------------- */

/* True where launches exist in this build. */
bool smp_kernels_built(void);

/* Runs accesses[0 .. count-1], all of one operation and width, on the current device and the
 * default stream: one warp in one block (a cluster of two, whose second block owns the memory, for
 * cluster operations) executes each exactly once, in order, eight of them a launch. With
 * `dry` the kernel does everything but the accesses. Tables come as kernel parameters, so that no
 * counter of shared or global memory sees them. Global addresses are moved, by a whole number of
 * 16 MiB, which keeps all bits that a count depends on, into the data area of `scratch`: device
 * memory of smp_access_scratch_bytes() bytes. Waits for nothing. Operations for which no single
 * machine instruction exists (red.shared of 8 bytes) are refused with SMP_E_WIDTH, lanes too far
 * apart for `scratch` with SMP_E_RANGE. */
smp_status smp_access_launch(const smp_access *accesses, size_t count, bool dry, void *scratch,
                             smp_error *error);
size_t smp_access_scratch_bytes(void);

/* Times `access` with the clocks of the multiprocessor, for where counters are locked or in doubt:
 * *cycles is what one execution adds when eight warps repeat it side by side, the best of
 * five runs. Waits for the result. */
smp_status smp_access_clock(const smp_access *access, void *scratch, double *cycles,
                            smp_error *error);

/* ---- Instructions beyond smp_op --------------------------------------------------------- */

/* Variants for experiments (tests/gpu/findings.c): the same access by another instruction, or by
 * what the compiler makes of an expression. Width as the row says; smp_access.op is not looked at,
 * offsets or addresses are taken as the row's space needs. */
#define SMP_EXTRA_LIST(X)                                                  \
    X(SMP_EXTRA_ATOMIC_ADD_ONE, "atomicAdd(p, 1), result unused", 4)       \
    X(SMP_EXTRA_ATOMIC_ADD_VALUE, "atomicAdd(p, value), result unused", 4) \
    X(SMP_EXTRA_ATOMIC_ADD_ONE_USED, "atomicAdd(p, 1), result used", 4)    \
    X(SMP_EXTRA_ATOMIC_ADD_FLOAT, "atomicAdd(float)", 4)                   \
    X(SMP_EXTRA_ATOMIC_ADD_DOUBLE, "atomicAdd(double)", 8)                 \
    X(SMP_EXTRA_ATOM_ADD_U64, "atom.shared.add.u64", 8)                    \
    X(SMP_EXTRA_RED_ADD_U64, "red.shared.add.u64", 8)                      \
    X(SMP_EXTRA_ATOM_ADD_F16X2, "atom.shared.add.noftz.f16x2", 4)          \
    X(SMP_EXTRA_ATOM_ADD_BF16X2, "atom.shared.add.noftz.bf16x2", 4)        \
    X(SMP_EXTRA_ATOM_MIN, "atom.shared.min.u32", 4)                        \
    X(SMP_EXTRA_ATOM_AND, "atom.shared.and.b32", 4)                        \
    X(SMP_EXTRA_ATOM_INC, "atom.shared.inc.u32", 4)                        \
    X(SMP_EXTRA_ATOM_EXCH, "atom.shared.exch.b32", 4)                      \
    X(SMP_EXTRA_CP_ASYNC_CA_16, "cp.async.ca 16 bytes", 16)                \
    X(SMP_EXTRA_RED_GLOBAL_F32, "red.global.add.f32", 4)                   \
    X(SMP_EXTRA_RED_GLOBAL_V2_F32, "red.global.add.v2.f32", 8)             \
    X(SMP_EXTRA_RED_GLOBAL_V4_F32, "red.global.add.v4.f32", 16)            \
    X(SMP_EXTRA_RED_GLOBAL_V4_F16X2, "red.global.add.noftz.v4.f16x2", 16)  \
    X(SMP_EXTRA_ATOM_GLOBAL_ADD, "atom.global.add.u32", 4)                 \
    X(SMP_EXTRA_RED_CLUSTER_ADD, "red.shared::cluster.add.u32", 4)         \
    X(SMP_EXTRA_CAS_CLUSTER, "atom.shared::cluster.cas.b32", 4)

typedef enum smp_extra {
#define SMP_EXTRA_ENUM(name, text, width_bytes) name,
    SMP_EXTRA_LIST(SMP_EXTRA_ENUM)
#undef SMP_EXTRA_ENUM
        SMP_EXTRA_COUNT
} smp_extra;

/* What it is, in PTX or CUDA C; static. */
const char *smp_extra_name(smp_extra extra);
uint32_t smp_extra_width(smp_extra extra);
/* As smp_access_launch and smp_access_clock, by the instruction of `extra`. */
smp_status smp_extra_launch(smp_extra extra, const smp_access *accesses, size_t count,
                            void *scratch, smp_error *error);
smp_status smp_extra_clock(smp_extra extra, const smp_access *access, void *scratch, double *cycles,
                           smp_error *error);

#ifdef __cplusplus
}
#endif
#endif
