/* SPDX-License-Identifier: MIT */
/*
 * l1_instructions.cuh: one load of every width from each memory, for l1_more.cu.
 */
#ifndef L1_INSTRUCTIONS_CUH
#define L1_INSTRUCTIONS_CUH

#include <cstdint>

#include <cuda_runtime.h>

namespace {

enum Instruction {
    LOAD,
    LOAD_NC,
    LOCAL_LOAD,
    LOCAL_STORE,
    REDUCE,
    ATOMIC,
    COPY,
    COPY_BYPASS,
    COPY_TWICE,
    COPY_APART,
    CONSTANT,
    TEXTURE,
    TEXTURE_2D
};

template <int Width> struct Unit;
template <> struct Unit<1> { using type = unsigned char; };
template <> struct Unit<2> { using type = unsigned short; };
template <> struct Unit<4> { using type = unsigned int; };
template <> struct Unit<8> { using type = uint2; };
template <> struct Unit<16> { using type = uint4; };

__device__ uint32_t fold(unsigned char x) {
    return x;
}
__device__ uint32_t fold(unsigned short x) {
    return x;
}
__device__ uint32_t fold(unsigned int x) {
    return x;
}
__device__ uint32_t fold(uint2 x) {
    return x.x ^ x.y;
}
__device__ uint32_t fold(uint4 x) {
    return x.x ^ x.y ^ x.z ^ x.w;
}

__constant__ unsigned char table[1 << 16];

/* A plain load; `volatile` would pass L1 by. */
template <int Width> __device__ __forceinline__ uint32_t load(uint64_t address) {
    uint32_t x = 0, y = 0, z = 0, w = 0;
    if constexpr (Width == 1)
        asm volatile("ld.global.u8 %0, [%1];" : "=r"(x) : "l"(address) : "memory");
    if constexpr (Width == 2)
        asm volatile("{.reg .u16 h; ld.global.u16 h, [%1]; cvt.u32.u16 %0, h;}"
                     : "=r"(x)
                     : "l"(address)
                     : "memory");
    if constexpr (Width == 4)
        asm volatile("ld.global.u32 %0, [%1];" : "=r"(x) : "l"(address) : "memory");
    if constexpr (Width == 8)
        asm volatile("ld.global.v2.u32 {%0,%1}, [%2];"
                     : "=r"(x), "=r"(y)
                     : "l"(address)
                     : "memory");
    if constexpr (Width == 16)
        asm volatile("ld.global.v4.u32 {%0,%1,%2,%3}, [%4];"
                     : "=r"(x), "=r"(y), "=r"(z), "=r"(w)
                     : "l"(address)
                     : "memory");
    return x ^ y ^ z ^ w;
}

template <int Width> __device__ __forceinline__ uint32_t load_constant(uint64_t address) {
    uint64_t from = 0, wide = 0;
    uint32_t x = 0;
    asm volatile("cvta.to.const.u64 %0, %1;" : "=l"(from) : "l"(table + address));
    if constexpr (Width == 1)
        asm volatile("ld.const.u8 %0, [%1];" : "=r"(x) : "l"(from) : "memory");
    if constexpr (Width == 4)
        asm volatile("ld.const.u32 %0, [%1];" : "=r"(x) : "l"(from) : "memory");
    if constexpr (Width == 8)
        asm volatile("ld.const.u64 %0, [%1];" : "=l"(wide) : "l"(from) : "memory");
    return x ^ (uint32_t)wide ^ (uint32_t)(wide >> 32);
}

/* One execution of LOCAL_LOAD or LOCAL_STORE. */
template <int What, int Width> __device__ __forceinline__ uint32_t once_local(uint64_t at) {
    uint32_t x = 0, y = 0, z = 0, w = 0;
    if constexpr (What == LOCAL_LOAD && Width == 1)
        asm volatile("ld.local.u8 %0, [%1];" : "=r"(x) : "l"(at) : "memory");
    if constexpr (What == LOCAL_LOAD && Width == 4)
        asm volatile("ld.local.u32 %0, [%1];" : "=r"(x) : "l"(at) : "memory");
    if constexpr (What == LOCAL_LOAD && Width == 8)
        asm volatile("ld.local.v2.u32 {%0,%1}, [%2];" : "=r"(x), "=r"(y) : "l"(at) : "memory");
    if constexpr (What == LOCAL_LOAD && Width == 16)
        asm volatile("ld.local.v4.u32 {%0,%1,%2,%3}, [%4];"
                     : "=r"(x), "=r"(y), "=r"(z), "=r"(w)
                     : "l"(at)
                     : "memory");
    if constexpr (What == LOCAL_STORE && Width == 4)
        asm volatile("st.local.u32 [%0], %1;" ::"l"(at), "r"(x) : "memory");
    if constexpr (What == LOCAL_STORE && Width == 8)
        asm volatile("st.local.v2.u32 [%0], {%1,%1};" ::"l"(at), "r"(x) : "memory");
    if constexpr (What == LOCAL_STORE && Width == 16)
        asm volatile("st.local.v4.u32 [%0], {%1,%1,%1,%1};" ::"l"(at), "r"(x) : "memory");
    return x ^ y ^ z ^ w;
}

} // namespace

#endif
