/* SPDX-License-Identifier: MIT */
/* Instructions beyond smp_op, for experiments (findings.c). */
#pragma once

#include "smp_kernels.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The same access by another instruction, or by
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
