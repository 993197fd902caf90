/* SPDX-License-Identifier: MIT */
/*
 * printed_code.hpp: what CUDA C needs to run on the host, for the code that `fix` prints. Threads
 * run one after the other, and each tells which address it makes. The compiler's checks of array
 * bounds end in a record of their own.
 */
#ifndef PRINTED_CODE_HPP
#define PRINTED_CODE_HPP

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <type_traits>

#include "code_record.h"

#define __shared__
#define __align__(bytes) __attribute__((aligned(bytes)))

/* ---- Types --------------------------------------------------------------------------- */

typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned uint;
typedef unsigned long ulong;

#define VECTORS(name, of, bytes)                                                                  \
    struct name##1 { of x; };                                                                     \
    struct alignas(2 * bytes) name##2 { of x, y; };                                               \
    struct name##3 { of x, y, z; };                                                               \
    struct alignas(4 * bytes < 16 ? 4 * bytes : 16) name##4 { of x, y, z, w; };
VECTORS(char, signed char, 1)
VECTORS(uchar, unsigned char, 1)
VECTORS(short, short, 2)
VECTORS(ushort, unsigned short, 2)
VECTORS(int, int, 4)
VECTORS(uint, unsigned, 4)
VECTORS(long, long, 8)
VECTORS(ulong, unsigned long, 8)
VECTORS(longlong, long long, 8)
VECTORS(ulonglong, unsigned long long, 8)
VECTORS(float, float, 4)
VECTORS(double, double, 8)

struct __half { uint16_t bits; };
struct __nv_bfloat16 { uint16_t bits; };
struct __nv_fp8_e4m3 { uint8_t bits; };
struct __nv_fp8_e5m2 { uint8_t bits; };
struct alignas(4) __half2 { __half x, y; };
struct alignas(4) __nv_bfloat162 { __nv_bfloat16 x, y; };
struct alignas(2) __nv_fp8x2_e4m3 { uint16_t bits; };
struct alignas(4) __nv_fp8x4_e4m3 { uint32_t bits; };
struct alignas(2) __nv_fp8x2_e5m2 { uint16_t bits; };
struct alignas(4) __nv_fp8x4_e5m2 { uint32_t bits; };
typedef __half half;
typedef __half2 half2;
typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;

/* ---- Records ------------------------------------------------------------------------- */

static FILE *record_file;
static code_record record;
static uint32_t record_lane;

static inline void record_begin(uint32_t kind, uint32_t layout, uint32_t number) {
    memset(&record, 0, sizeof record);
    record.kind = kind;
    record.layout = layout;
    record.number = number;
    record_lane = 0;
}

static inline void record_end() {
    if (record.mask != 0)
        fwrite(&record, sizeof record, 1, record_file);
    record_begin(record.kind, record.layout, record.number);
}

static inline uint64_t bytes_from(const volatile void *base, const volatile void *at) {
    return (uint64_t)((const volatile char *)at - (const volatile char *)base);
}

static void note(const volatile void *before_base, const volatile void *before, size_t before_size,
                 const volatile void *base, const volatile void *at, size_t size, size_t align) {
    record.mask |= UINT32_C(1) << record_lane;
    record.before[record_lane] = bytes_from(before_base, before);
    record.after[record_lane] = bytes_from(base, at);
    record.before_size = (uint32_t)before_size;
    record.size = (uint32_t)size;
    record.align = (uint32_t)align;
}

static void note_array(uint32_t layout, uint32_t number, const volatile void *base,
                       const volatile void *at, size_t size, bool is_same) {
    record_begin(CODE_ARRAY, layout, number);
    record.mask = 1;
    record.after[0] = bytes_from(base, at);
    record.size = (uint32_t)size;
    record.is_same = is_same;
    record_end();
}

/* The compiler calls this where an index is not below its dimension. */
extern "C" void __ubsan_handle_out_of_bounds(void *, uintptr_t) {
    code_record outside = record;
    outside.kind = CODE_OUTSIDE;
    fwrite(&outside, sizeof outside, 1, record_file);
}

/* ---- Threads ------------------------------------------------------------------------- */

static struct { unsigned x, y, z; } threadIdx, blockIdx, blockDim, gridDim;
static unsigned laneid, warpid;
static const int warpSize = 32;
static uint32_t next_thread, thread_count;

static void threads_begin(unsigned x, unsigned y, unsigned z) {
    blockDim = {x, y, z};
    gridDim = {1, 1, 1};
    next_thread = 0;
    thread_count = x * y * z;
}

static bool thread_next() {
    if (next_thread > 0 && (next_thread % 32 == 0 || next_thread == thread_count))
        record_end();
    if (next_thread == thread_count)
        return false;
    laneid = record_lane = next_thread % 32;
    warpid = next_thread / 32;
    threadIdx = {next_thread % blockDim.x, next_thread / blockDim.x % blockDim.y,
                 next_thread / blockDim.x / blockDim.y};
    next_thread++;
    return true;
}

/* One place of the index space after the other. */
static void walk_next() {
    if (++record_lane == 32)
        record_end();
}

/* ---- Calls --------------------------------------------------------------------------- */

static const volatile void *called_with;
static size_t called_size;

static void call(const volatile void *at, size_t size) {
    called_with = at;
    called_size = size;
}

template <class T, class U> static void atomicAdd(volatile T *at, U) { call(at, sizeof(T)); }
template <class T, class U> static void atomicMax(volatile T *at, U) { call(at, sizeof(T)); }
template <class T, class U> static void atomicExch(volatile T *at, U) { call(at, sizeof(T)); }
template <class T, class U, class V> static void atomicCAS(volatile T *at, U, V) {
    call(at, sizeof(T));
}

static const void *copied_from;

static void __pipeline_memcpy_async(void *to, const void *from, size_t size) {
    copied_from = from;
    call(to, size);
}

#endif
