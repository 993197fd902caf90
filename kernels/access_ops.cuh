/* SPDX-License-Identifier: MIT */
/*
 * One type per machine instruction that the generic kernels can execute. Each has
 *     run(shared, global, value, active)
 * whose inline assembly holds exactly one memory instruction: `shared` is an address in shared
 * memory (of the other block of a cluster where `cluster` is set), `global` a global address,
 * `value` what a lane stores or adds. `active` only matters where `converged` is set: there the
 * whole warp arrives and the instruction itself is predicated; elsewhere only active lanes arrive.
 * Plain ld.shared was seen to be merged into wider loads, hence ld.volatile. tests/gpu disassembles
 * the kernels and counts.
 */
#pragma once

#include <cstdint>

namespace smp {

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
#define SMP_SINCE_80(...) __VA_ARGS__
#else
#define SMP_SINCE_80(...)
#endif
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
#define SMP_SINCE_90(...) __VA_ARGS__
#else
#define SMP_SINCE_90(...)
#endif
#define SMP_ALWAYS(...) __VA_ARGS__

struct OwnBlock {
    static constexpr bool cluster = false, converged = false, copy = false;
};
struct OtherBlock {
    static constexpr bool cluster = true, converged = false, copy = false;
};
struct WholeWarp {
    static constexpr bool cluster = false, converged = true, copy = false;
};
struct Copying {
    static constexpr bool cluster = false, converged = false, copy = true;
};

#define SMP_RUN                                                                      \
    static __device__ __forceinline__ uint32_t run(uint32_t shared, uint64_t global, \
                                                   uint32_t value, uint32_t active)
#define SMP_UNUSED (void)shared, (void)global, (void)value, (void)active

/* One operation: its declarations, its result, and the operands of its one instruction. */
#define SMP_OP(Name, Base, Since, Declared, Result, ...)                \
    struct Name : Base {                                                \
        SMP_RUN {                                                       \
            Declared;                                                   \
            SMP_UNUSED;                                                 \
            Since(asm volatile(__VA_ARGS__ : "memory");) return Result; \
        }                                                               \
    };
#define SMP_ONE uint32_t a = 0
#define SMP_TWO uint32_t a = 0, b = 0
#define SMP_FOUR uint32_t a = 0, b = 0, c = 0, d = 0
#define SMP_LONG uint64_t a = 0
#define SMP_HALVES (uint32_t) a ^ (uint32_t)(a >> 32)
#define SMP_TWICE ((uint64_t)value << 32 | value)

/* The address operand for shared ("r") or global ("l") memory. */
#define SMP_LOAD_32(Name, Base, Since, Letter, Address, Text) \
    SMP_OP(Name, Base, Since, SMP_ONE, a, Text " %0, [%1];" : "=r"(a) : Letter(Address))
#define SMP_LOAD_64(Name, Base, Since, Letter, Address, Text) \
    SMP_OP(Name, Base, Since, SMP_LONG, SMP_HALVES, Text " %0, [%1];" : "=l"(a) : Letter(Address))
#define SMP_LOAD_128(Name, Base, Since, Letter, Address, Text)                         \
    SMP_OP(Name, Base, Since, SMP_FOUR, a ^ b ^ c ^ d, Text " {%0, %1, %2, %3}, [%4];" \
           : "=r"(a), "=r"(b), "=r"(c), "=r"(d)                                        \
           : Letter(Address))
#define SMP_STORE_32(Name, Base, Since, Letter, Address, Text) \
    SMP_OP(Name, Base, Since, , 0, Text " [%0], %1;" ::Letter(Address), "r"(value))
#define SMP_STORE_64(Name, Base, Since, Letter, Address, Text) \
    SMP_OP(Name, Base, Since, , 0, Text " [%0], %1;" ::Letter(Address), "l"(SMP_TWICE))
#define SMP_STORE_128(Name, Base, Since, Letter, Address, Text) \
    SMP_OP(Name, Base, Since, , 0, Text " [%0], {%1, %1, %1, %1};" ::Letter(Address), "r"(value))
/* Atomics that return the old value, so that the compiler cannot turn them into reductions. */
#define SMP_ATOM_32(Name, Base, Since, Text) \
    SMP_OP(Name, Base, Since, SMP_ONE, a, Text " %0, [%1], %2;" : "=r"(a) : "r"(shared), "r"(value))
#define SMP_ATOM_64(Name, Base, Since, Text)                              \
    SMP_OP(Name, Base, Since, SMP_LONG, SMP_HALVES, Text " %0, [%1], %2;" \
           : "=l"(a)                                                      \
           : "r"(shared), "l"(SMP_TWICE))
#define SMP_COPY(Name, Text) \
    SMP_OP(Name, Copying, SMP_SINCE_80, , 0, Text ::"r"(shared), "l"(global))

/* The five widths of a load or store: 1, 2, 4, 8 and 16 bytes. */
#define SMP_LOADS(Name, Base, Since, Letter, Address, Text)         \
    SMP_LOAD_32(Name##1, Base, Since, Letter, Address, Text ".u8")  \
    SMP_LOAD_32(Name##2, Base, Since, Letter, Address, Text ".u16") \
    SMP_LOAD_32(Name##4, Base, Since, Letter, Address, Text ".u32") \
    SMP_LOAD_64(Name##8, Base, Since, Letter, Address, Text ".u64") \
    SMP_LOAD_128(Name##16, Base, Since, Letter, Address, Text ".v4.u32")
#define SMP_STORES(Name, Base, Since, Letter, Address, Text)         \
    SMP_STORE_32(Name##1, Base, Since, Letter, Address, Text ".u8")  \
    SMP_STORE_32(Name##2, Base, Since, Letter, Address, Text ".u16") \
    SMP_STORE_32(Name##4, Base, Since, Letter, Address, Text ".u32") \
    SMP_STORE_64(Name##8, Base, Since, Letter, Address, Text ".u64") \
    SMP_STORE_128(Name##16, Base, Since, Letter, Address, Text ".v4.u32")

SMP_LOADS(LdShared, OwnBlock, SMP_ALWAYS, "r", shared, "ld.volatile.shared")
SMP_STORES(StShared, OwnBlock, SMP_ALWAYS, "r", shared, "st.volatile.shared")
SMP_LOADS(LdCluster, OtherBlock, SMP_SINCE_90, "r", shared, "ld.volatile.shared::cluster")
SMP_STORES(StCluster, OtherBlock, SMP_SINCE_90, "r", shared, "st.volatile.shared::cluster")
SMP_LOADS(LdGlobal, OwnBlock, SMP_ALWAYS, "l", global, "ld.global")
SMP_STORES(StGlobal, OwnBlock, SMP_ALWAYS, "l", global, "st.global")
SMP_STORE_32(RedGlobal4, OwnBlock, SMP_ALWAYS, "l", global, "red.global.add.u32")
SMP_STORE_64(RedGlobal8, OwnBlock, SMP_ALWAYS, "l", global, "red.global.add.u64")

SMP_ATOM_32(AtomShared4, OwnBlock, SMP_ALWAYS, "atom.shared.add.u32")
SMP_ATOM_64(AtomShared8, OwnBlock, SMP_ALWAYS, "atom.shared.exch.b64")
SMP_STORE_32(RedShared4, OwnBlock, SMP_ALWAYS, "r", shared, "red.shared.add.u32")

/* With the constant 1 it becomes ATOMS.POPC.INC, which combines lanes on one word. */
SMP_OP(RedSharedInc4, OwnBlock, SMP_ALWAYS, , 0, "red.shared.add.u32 [%0], 1;" ::"r"(shared))
SMP_ATOM_32(AtomCluster4, OtherBlock, SMP_SINCE_90, "atom.shared::cluster.add.u32")
SMP_ATOM_64(AtomCluster8, OtherBlock, SMP_SINCE_90, "atom.shared::cluster.exch.b64")

/* For 16 bytes only the vector form exists. */
SMP_OP(RedGlobal16, OwnBlock, SMP_SINCE_90, , 0,
       "red.global.add.v4.f32 [%0], {%1, %1, %1, %1};" ::"l"(global), "f"(__uint_as_float(value)))
SMP_OP(CasShared4, OwnBlock, SMP_ALWAYS, SMP_ONE, a, "atom.shared.cas.b32 %0, [%1], %2, %3;"
       : "=r"(a)
       : "r"(shared), "r"(value ^ 1u), "r"(value))
SMP_OP(CasShared8, OwnBlock, SMP_ALWAYS, SMP_LONG, SMP_HALVES,
       "atom.shared.cas.b64 %0, [%1], %2, %3;"
       : "=l"(a)
       : "r"(shared), "l"((uint64_t)value ^ 1u), "l"(SMP_TWICE))

SMP_COPY(CopyCa4, "cp.async.ca.shared.global [%0], [%1], 4;")
SMP_COPY(CopyCa8, "cp.async.ca.shared.global [%0], [%1], 8;")
SMP_COPY(CopyCa16, "cp.async.ca.shared.global [%0], [%1], 16;")
SMP_COPY(CopyCg16, "cp.async.cg.shared.global [%0], [%1], 16;")

#define SMP_IF_ACTIVE(Text, n) "{ .reg .pred p; setp.ne.u32 p, %" #n ", 0; @p " Text "; }"
#define SMP_LDMATRIX_1(Name, Text)                                                       \
    SMP_OP(Name, WholeWarp, SMP_ALWAYS, SMP_ONE, a, SMP_IF_ACTIVE(Text " {%0}, [%1]", 2) \
           : "+r"(a)                                                                     \
           : "r"(shared), "r"(active))
#define SMP_LDMATRIX_2(Name, Text)                                                               \
    SMP_OP(Name, WholeWarp, SMP_ALWAYS, SMP_TWO, a ^ b, SMP_IF_ACTIVE(Text " {%0, %1}, [%2]", 3) \
           : "+r"(a), "+r"(b)                                                                    \
           : "r"(shared), "r"(active))
#define SMP_LDMATRIX_4(Name, Text)                               \
    SMP_OP(Name, WholeWarp, SMP_ALWAYS, SMP_FOUR, a ^ b ^ c ^ d, \
           SMP_IF_ACTIVE(Text " {%0, %1, %2, %3}, [%4]", 5)      \
           : "+r"(a), "+r"(b), "+r"(c), "+r"(d)                  \
           : "r"(shared), "r"(active))
#define SMP_STMATRIX(Name, Text)                                                                \
    SMP_OP(Name, WholeWarp, SMP_SINCE_90, , 0, SMP_IF_ACTIVE(Text, 2)::"r"(shared), "r"(value), \
           "r"(active))
SMP_LDMATRIX_1(LdMatrix1, "ldmatrix.sync.aligned.m8n8.x1.shared.b16")
SMP_LDMATRIX_2(LdMatrix2, "ldmatrix.sync.aligned.m8n8.x2.shared.b16")
SMP_LDMATRIX_4(LdMatrix4, "ldmatrix.sync.aligned.m8n8.x4.shared.b16")
SMP_LDMATRIX_1(LdMatrix1Trans, "ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16")
SMP_LDMATRIX_2(LdMatrix2Trans, "ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16")
SMP_LDMATRIX_4(LdMatrix4Trans, "ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16")
SMP_STMATRIX(StMatrix1, "stmatrix.sync.aligned.m8n8.x1.shared.b16 [%0], {%1}")
SMP_STMATRIX(StMatrix2, "stmatrix.sync.aligned.m8n8.x2.shared.b16 [%0], {%1, %1}")
SMP_STMATRIX(StMatrix4, "stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %1, %1, %1}")
SMP_STMATRIX(StMatrix1Trans, "stmatrix.sync.aligned.m8n8.x1.trans.shared.b16 [%0], {%1}")
SMP_STMATRIX(StMatrix2Trans, "stmatrix.sync.aligned.m8n8.x2.trans.shared.b16 [%0], {%1, %1}")
SMP_STMATRIX(StMatrix4Trans,
             "stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [%0], {%1, %1, %1, %1}")

} // namespace smp
