/* SPDX-License-Identifier: MIT */
/*
 * access_ops.cuh: one type per machine instruction that the generic kernels can execute. Each has
 *     run(shared, global, value, active)
 * whose inline assembly holds exactly one memory instruction: `shared` is an address in shared
 * memory (of the other block of a cluster where `cluster` is set), `global` a global address,
 * `value` what a lane stores or adds. `active` only matters where `converged` is set: there the
 * whole warp arrives and the instruction itself is predicated; elsewhere only active lanes arrive.
 * Plain ld.shared was seen to be merged into wider loads, hence ld.volatile. tests/gpu disassembles
 * the kernels and counts.
 */
#ifndef SMP_ACCESS_OPS_CUH
#define SMP_ACCESS_OPS_CUH

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

/* Operand lists: the address is %N in shared ("r") or global ("l") memory. */
#define SMP_LOAD_32(Name, Base, Since, Letter, Address, Text) \
    struct Name : Base {                                      \
        SMP_RUN {                                             \
            uint32_t a = 0;                                   \
            SMP_UNUSED;                                       \
            Since(asm volatile(Text " %0, [%1];"              \
                               : "=r"(a)                      \
                               : Letter(Address)              \
                               : "memory");) return a;        \
        }                                                     \
    };
#define SMP_LOAD_64(Name, Base, Since, Letter, Address, Text)     \
    struct Name : Base {                                          \
        SMP_RUN {                                                 \
            uint64_t a = 0;                                       \
            SMP_UNUSED;                                           \
            Since(asm volatile(Text " %0, [%1];"                  \
                               : "=l"(a)                          \
                               : Letter(Address)                  \
                               : "memory");) return (uint32_t)a ^ \
                (uint32_t)(a >> 32);                              \
        }                                                         \
    };
#define SMP_LOAD_128(Name, Base, Since, Letter, Address, Text)      \
    struct Name : Base {                                            \
        SMP_RUN {                                                   \
            uint32_t a = 0, b = 0, c = 0, d = 0;                    \
            SMP_UNUSED;                                             \
            Since(asm volatile(Text " {%0, %1, %2, %3}, [%4];"      \
                               : "=r"(a), "=r"(b), "=r"(c), "=r"(d) \
                               : Letter(Address)                    \
                               : "memory");) return a ^             \
                b ^ c ^ d;                                          \
        }                                                           \
    };
#define SMP_STORE_32(Name, Base, Since, Letter, Address, Text)                 \
    struct Name : Base {                                                       \
        SMP_RUN {                                                              \
            SMP_UNUSED;                                                        \
            Since(asm volatile(Text " [%0], %1;" ::Letter(Address), "r"(value) \
                               : "memory");) return 0;                         \
        }                                                                      \
    };
#define SMP_STORE_64(Name, Base, Since, Letter, Address, Text)      \
    struct Name : Base {                                            \
        SMP_RUN {                                                   \
            SMP_UNUSED;                                             \
            Since(asm volatile(Text " [%0], %1;" ::Letter(Address), \
                               "l"((uint64_t)value << 32 | value)   \
                               : "memory");) return 0;              \
        }                                                           \
    };
#define SMP_STORE_128(Name, Base, Since, Letter, Address, Text)                              \
    struct Name : Base {                                                                     \
        SMP_RUN {                                                                            \
            SMP_UNUSED;                                                                      \
            Since(asm volatile(Text " [%0], {%1, %1, %1, %1};" ::Letter(Address), "r"(value) \
                               : "memory");) return 0;                                       \
        }                                                                                    \
    };
/* Atomics that return the old value, so that they can't become reductions. */
#define SMP_ATOM_32(Name, Base, Since, Text)             \
    struct Name : Base {                                 \
        SMP_RUN {                                        \
            uint32_t a = 0;                              \
            SMP_UNUSED;                                  \
            Since(asm volatile(Text " %0, [%1], %2;"     \
                               : "=r"(a)                 \
                               : "r"(shared), "r"(value) \
                               : "memory");) return a;   \
        }                                                \
    };
#define SMP_ATOM_64(Name, Base, Since, Text)                                     \
    struct Name : Base {                                                         \
        SMP_RUN {                                                                \
            uint64_t a = 0;                                                      \
            SMP_UNUSED;                                                          \
            Since(asm volatile(Text " %0, [%1], %2;"                             \
                               : "=l"(a)                                         \
                               : "r"(shared), "l"((uint64_t)value << 32 | value) \
                               : "memory");) return (uint32_t)a ^                \
                (uint32_t)(a >> 32);                                             \
        }                                                                        \
    };
#define SMP_COPY(Name, Text)                                                        \
    struct Name : Copying {                                                         \
        SMP_RUN {                                                                   \
            SMP_UNUSED;                                                             \
            SMP_SINCE_80(asm volatile(Text ::"r"(shared), "l"(global) : "memory");) \
            return 0;                                                               \
        }                                                                           \
    };

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

/* The constant 1 makes it ATOMS.POPC.INC, which combines lanes on one word. */
struct RedSharedInc4 : OwnBlock {
    SMP_RUN {
        SMP_UNUSED;
        asm volatile("red.shared.add.u32 [%0], 1;" ::"r"(shared) : "memory");
        return 0;
    }
};
SMP_ATOM_32(AtomCluster4, OtherBlock, SMP_SINCE_90, "atom.shared::cluster.add.u32")
SMP_ATOM_64(AtomCluster8, OtherBlock, SMP_SINCE_90, "atom.shared::cluster.exch.b64")

/* Of 16 bytes there is only the vector form. */
struct RedGlobal16 : OwnBlock {
    SMP_RUN {
        SMP_UNUSED;
        SMP_SINCE_90(asm volatile("red.global.add.v4.f32 [%0], {%1, %1, %1, %1};" ::"l"(global),
                                  "f"(__uint_as_float(value))
                                  : "memory");)
        return 0;
    }
};

struct CasShared4 : OwnBlock {
    SMP_RUN {
        uint32_t a;
        SMP_UNUSED;
        asm volatile("atom.shared.cas.b32 %0, [%1], %2, %3;"
                     : "=r"(a)
                     : "r"(shared), "r"(value ^ 1u), "r"(value)
                     : "memory");
        return a;
    }
};
struct CasShared8 : OwnBlock {
    SMP_RUN {
        uint64_t a;
        SMP_UNUSED;
        asm volatile("atom.shared.cas.b64 %0, [%1], %2, %3;"
                     : "=l"(a)
                     : "r"(shared), "l"((uint64_t)value ^ 1u), "l"((uint64_t)value << 32 | value)
                     : "memory");
        return (uint32_t)a ^ (uint32_t)(a >> 32);
    }
};

SMP_COPY(CopyCa4, "cp.async.ca.shared.global [%0], [%1], 4;")
SMP_COPY(CopyCa8, "cp.async.ca.shared.global [%0], [%1], 8;")
SMP_COPY(CopyCa16, "cp.async.ca.shared.global [%0], [%1], 16;")
SMP_COPY(CopyCg16, "cp.async.cg.shared.global [%0], [%1], 16;")

#define SMP_IF_ACTIVE(Text, n) "{ .reg .pred p; setp.ne.u32 p, %" #n ", 0; @p " Text "; }"
#define SMP_LDMATRIX_1(Name, Text)                            \
    struct Name : WholeWarp {                                 \
        SMP_RUN {                                             \
            uint32_t a = 0;                                   \
            SMP_UNUSED;                                       \
            asm volatile(SMP_IF_ACTIVE(Text " {%0}, [%1]", 2) \
                         : "+r"(a)                            \
                         : "r"(shared), "r"(active)           \
                         : "memory");                         \
            return a;                                         \
        }                                                     \
    };
#define SMP_LDMATRIX_2(Name, Text)                                \
    struct Name : WholeWarp {                                     \
        SMP_RUN {                                                 \
            uint32_t a = 0, b = 0;                                \
            SMP_UNUSED;                                           \
            asm volatile(SMP_IF_ACTIVE(Text " {%0, %1}, [%2]", 3) \
                         : "+r"(a), "+r"(b)                       \
                         : "r"(shared), "r"(active)               \
                         : "memory");                             \
            return a ^ b;                                         \
        }                                                         \
    };
#define SMP_LDMATRIX_4(Name, Text)                                        \
    struct Name : WholeWarp {                                             \
        SMP_RUN {                                                         \
            uint32_t a = 0, b = 0, c = 0, d = 0;                          \
            SMP_UNUSED;                                                   \
            asm volatile(SMP_IF_ACTIVE(Text " {%0, %1, %2, %3}, [%4]", 5) \
                         : "+r"(a), "+r"(b), "+r"(c), "+r"(d)             \
                         : "r"(shared), "r"(active)                       \
                         : "memory");                                     \
            return a ^ b ^ c ^ d;                                         \
        }                                                                 \
    };
#define SMP_STMATRIX(Name, Text)                                                                   \
    struct Name : WholeWarp {                                                                      \
        SMP_RUN {                                                                                  \
            SMP_UNUSED;                                                                            \
            SMP_SINCE_90(asm volatile(SMP_IF_ACTIVE(Text, 2)::"r"(shared), "r"(value), "r"(active) \
                                      : "memory");)                                                \
            return 0;                                                                              \
        }                                                                                          \
    };
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
#endif
