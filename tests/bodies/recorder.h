/* SPDX-License-Identifier: MIT */
/*
 * Surroundings for bodies of kernels as host C++: the compiler marks every load and store for its
 * race detector (-fsanitize=thread), and the functions that it calls are defined here. They print
 * each access of a declared array: kind, array, offset, bytes.
 */
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>

#define __device__
#define __global__ static
#define __forceinline__ inline

struct dim3 {
    unsigned x, y, z;
};
static dim3 threadIdx, blockIdx, blockDim, gridDim;
static unsigned laneid, warpid;
static const int warpSize = 32;
using std::size_t;
struct alignas(8) float2 {
    float x, y;
};
struct alignas(16) float4 {
    float x, y, z, w;
};
struct alignas(8) int2 {
    int x, y;
};
struct float3 {
    float x, y, z;
};

struct known_array {
    const char *name;
    const void *begin;
    size_t bytes;
};
static known_array known[16];
static int known_count;
static std::string line; /* of the thread that runs */

#define RECORDED extern "C" __attribute__((no_sanitize_thread, used)) inline void

__attribute__((no_sanitize_thread)) static void record(char kind, const void *at, size_t bytes) {
    for (int i = 0; i < known_count; i++) {
        size_t offset = (size_t)((const char *)at - (const char *)known[i].begin);
        if (offset < known[i].bytes)
            line += std::string(" ") + kind + known[i].name + '+' + std::to_string(offset) + '/' +
                    std::to_string(bytes);
    }
}

RECORDED __tsan_init() {
}
RECORDED __tsan_func_entry(void *) {
}
RECORDED __tsan_func_exit() {
}
#define SIZED(bytes)                                   \
    RECORDED __tsan_read##bytes(void *at) {            \
        record('L', at, bytes);                        \
    }                                                  \
    RECORDED __tsan_write##bytes(void *at) {           \
        record('S', at, bytes);                        \
    }                                                  \
    RECORDED __tsan_unaligned_read##bytes(void *at) {  \
        record('L', at, bytes);                        \
    }                                                  \
    RECORDED __tsan_unaligned_write##bytes(void *at) { \
        record('S', at, bytes);                        \
    }
SIZED(1)
SIZED(2)
SIZED(4)
SIZED(8)
SIZED(16)
RECORDED __tsan_read_range(void *at, size_t bytes) {
    record('L', at, bytes);
}
RECORDED __tsan_write_range(void *at, size_t bytes) {
    record('S', at, bytes);
}

/* The result of an atomic function, which is a reduction unless its value is used. */
template <class T> struct old_value {
    size_t at; /* of its kind in the line */
    __attribute__((no_sanitize_thread)) operator T() const {
        line[at] = 'A';
        return T();
    }
};
#define ATOMIC(name, kind)                                                         \
    template <class T, class... V>                                                 \
    __attribute__((no_sanitize_thread)) static old_value<T> name(T *place, V...) { \
        const size_t at = line.size() + 1;                                         \
        record(kind, place, sizeof *place);                                        \
        return {at};                                                               \
    }
ATOMIC(atomicAdd, 'R')
ATOMIC(atomicMax, 'R')
ATOMIC(atomicOr, 'R')
ATOMIC(atomicExch, 'A')
ATOMIC(atomicCAS, 'A')
template <class T> __attribute__((no_sanitize_thread)) static T __ldg(const T *at) {
    record('L', at, sizeof *at);
    return T();
}
static void __syncthreads() {
}
static void __syncwarp(unsigned = 0) {
}
template <class A, class B> static auto min(A a, B b) -> decltype(a + b) {
    decltype(a + b) x = a, y = b;
    return y < x ? y : x;
}
template <class A, class B> static auto max(A a, B b) -> decltype(a + b) {
    decltype(a + b) x = a, y = b;
    return x < y ? y : x;
}
static size_t __cvta_generic_to_shared(const void *at) {
    return (size_t)at;
}

template <class T> static void know(const char *name, const T &array) {
    known[known_count++] = {name, (const void *)&array, sizeof array};
}

template <class F> static void run_body(int number, F body) {
    for (unsigned thread = 0; thread < blockDim.x * blockDim.y; thread++) {
        threadIdx = {thread % blockDim.x, thread / blockDim.x, 0};
        laneid = thread % 32;
        warpid = thread / 32;
        line.clear();
        body();
        std::printf("%d.%u:%s\n", number, thread, line.c_str());
    }
}
