/* SPDX-License-Identifier: MIT */
/*
 * gpu_extra.cu: the generic access kernel for instructions and expressions that are no row of
 * smp_op: what experiments compare with those.
 */
#include "access_kernel.cuh"
#include "gpu_extra.h"

using namespace smp;

namespace {

/* What the compiler makes of CUDA C on the same address. */
template <class T> __device__ __forceinline__ T *pointer(uint32_t shared) {
    return (T *)__cvta_shared_to_generic(shared);
}

#define SMP_EXPRESSION(Name, statement) \
    struct Name : OwnBlock {            \
        SMP_RUN {                       \
            uint32_t a = 0;             \
            SMP_UNUSED;                 \
            statement;                  \
            return a;                   \
        }                               \
    };
SMP_EXPRESSION(AddOne, atomicAdd(pointer<unsigned>(shared), 1u))
SMP_EXPRESSION(AddValue, atomicAdd(pointer<unsigned>(shared), value))
SMP_EXPRESSION(AddOneUsed, a = atomicAdd(pointer<unsigned>(shared), 1u))
SMP_EXPRESSION(AddFloat, atomicAdd(pointer<float>(shared), (float)value))
SMP_EXPRESSION(AddDouble, atomicAdd(pointer<double>(shared), (double)value))

SMP_STORE_64(RedAdd64, OwnBlock, SMP_ALWAYS, "r", shared, "red.shared.add.u64")
SMP_ATOM_64(AtomAdd64, OwnBlock, SMP_ALWAYS, "atom.shared.add.u64")
SMP_ATOM_32(AtomHalf2, OwnBlock, SMP_ALWAYS, "atom.shared.add.noftz.f16x2")
SMP_ATOM_32(AtomBfloat2, OwnBlock, SMP_SINCE_90, "atom.shared.add.noftz.bf16x2")
SMP_ATOM_32(AtomMin, OwnBlock, SMP_ALWAYS, "atom.shared.min.u32")
SMP_ATOM_32(AtomAnd, OwnBlock, SMP_ALWAYS, "atom.shared.and.b32")
SMP_ATOM_32(AtomInc, OwnBlock, SMP_ALWAYS, "atom.shared.inc.u32")
SMP_ATOM_32(AtomExch, OwnBlock, SMP_ALWAYS, "atom.shared.exch.b32")
SMP_STORE_32(RedCluster, OtherBlock, SMP_SINCE_90, "r", shared, "red.shared::cluster.add.u32")

#define SMP_RED_FLOAT(Name, Since, Text, Values)                                          \
    struct Name : OwnBlock {                                                              \
        SMP_RUN {                                                                         \
            SMP_UNUSED;                                                                   \
            Since(asm volatile(Text " [%0], " Values ";" ::"l"(global), "f"((float)value) \
                               : "memory");) return 0;                                    \
        }                                                                                 \
    };
SMP_RED_FLOAT(RedFloat, SMP_ALWAYS, "red.global.add.f32", "%1")
SMP_RED_FLOAT(RedFloat2, SMP_SINCE_90, "red.global.add.v2.f32", "{%1, %1}")
SMP_RED_FLOAT(RedFloat4, SMP_SINCE_90, "red.global.add.v4.f32", "{%1, %1, %1, %1}")
SMP_STORE_128(RedHalf8, OwnBlock, SMP_SINCE_90, "l", global, "red.global.add.noftz.v4.f16x2")

struct AtomGlobal : OwnBlock {
    SMP_RUN {
        uint32_t a;
        SMP_UNUSED;
        asm volatile("atom.global.add.u32 %0, [%1], %2;"
                     : "=r"(a)
                     : "l"(global), "r"(value)
                     : "memory");
        return a;
    }
};

struct CasCluster : OtherBlock {
    SMP_RUN {
        uint32_t a = 0;
        SMP_UNUSED;
        SMP_SINCE_90(asm volatile("atom.shared::cluster.cas.b32 %0, [%1], %2, %3;"
                                  : "=r"(a)
                                  : "r"(shared), "r"(value ^ 1u), "r"(value)
                                  : "memory");)
        return a;
    }
};

/* In the order of smp_extra. */
const smp_access_row rows[SMP_EXTRA_COUNT] = {
    row<AddOne>(SMP_EXTRA_ATOMIC_ADD_ONE, 4, 20),
    row<AddValue>(SMP_EXTRA_ATOMIC_ADD_VALUE, 4, 20),
    row<AddOneUsed>(SMP_EXTRA_ATOMIC_ADD_ONE_USED, 4, 20),
    row<AddFloat>(SMP_EXTRA_ATOMIC_ADD_FLOAT, 4, 20),
    row<AddDouble>(SMP_EXTRA_ATOMIC_ADD_DOUBLE, 8, 60),
    row<AtomAdd64>(SMP_EXTRA_ATOM_ADD_U64, 8, 20),
    row<RedAdd64>(SMP_EXTRA_RED_ADD_U64, 8, 20),
    row<AtomHalf2>(SMP_EXTRA_ATOM_ADD_F16X2, 4, 70),
    row<AtomBfloat2>(SMP_EXTRA_ATOM_ADD_BF16X2, 4, 90),
    row<AtomMin>(SMP_EXTRA_ATOM_MIN, 4, 20),
    row<AtomAnd>(SMP_EXTRA_ATOM_AND, 4, 20),
    row<AtomInc>(SMP_EXTRA_ATOM_INC, 4, 20),
    row<AtomExch>(SMP_EXTRA_ATOM_EXCH, 4, 20),
    row<RedFloat>(SMP_EXTRA_RED_GLOBAL_F32, 4, 20),
    row<RedFloat2>(SMP_EXTRA_RED_GLOBAL_V2_F32, 8, 90),
    row<RedFloat4>(SMP_EXTRA_RED_GLOBAL_V4_F32, 16, 90),
    row<RedHalf8>(SMP_EXTRA_RED_GLOBAL_V4_F16X2, 16, 90),
    row<AtomGlobal>(SMP_EXTRA_ATOM_GLOBAL_ADD, 4, 20),
    row<RedCluster>(SMP_EXTRA_RED_CLUSTER_ADD, 4, 90),
    row<CasCluster>(SMP_EXTRA_CAS_CLUSTER, 4, 90),
};

} // namespace

smp_status smp_extra_launch(smp_extra extra, const smp_access *accesses, size_t count,
                            void *scratch, smp_error *error) {
    return smp_access_run(&rows[extra], accesses, count, false, scratch, error);
}

smp_status smp_extra_clock(smp_extra extra, const smp_access *access, void *scratch, double *cycles,
                           smp_error *error) {
    return smp_access_run_clock(&rows[extra], access, scratch, cycles, error);
}
