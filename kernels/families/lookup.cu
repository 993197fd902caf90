/* SPDX-License-Identifier: MIT */
/*
 * Values between 0 and 1 looked up in a table of cubics. Each block copies the table to shared
 * memory, in one of several layouts. Products and sums are rounded like the CPU's. The table is
 * volatile where it is read by words, since the assembler would otherwise read four of them at
 * once.
 */
#include "launch.cuh"
#include "lookup.h"

namespace {

constexpr uint32_t FIELDS = SMP_LOOKUP_FIELDS, COPIES = SMP_LOOKUP_COPIES;

struct Values {
    const float *table;
    const float4 *in;
    float4 *out;
    uint32_t records;
    uint64_t vectors;
};

/* The place of field `field` of record `record`. */
template <uint32_t Pitch, bool IsSwizzled> struct Layout {
    static constexpr uint32_t PITCH = Pitch;
    static __device__ __forceinline__ uint32_t place(uint32_t record, uint32_t field) {
        return record * Pitch + (IsSwizzled ? field ^ record / 8 % FIELDS : field);
    }
};
struct Plain : Layout<FIELDS, false> {};
struct Padded : Layout<SMP_LOOKUP_PADDED, false> {};
struct Swizzled : Layout<FIELDS, true> {};

struct Where {
    uint32_t record;
    float rest;
};

__device__ __forceinline__ Where where_of(float value, uint32_t records) {
    const float scaled = __fmul_rn(value, (float)records);
    const uint32_t record = min((uint32_t)scaled, records - 1);
    return {record, __fsub_rn(scaled, (float)record)};
}

__device__ __forceinline__ float cubic(float a, float b, float c, float d, float x) {
    return __fmaf_rn(__fmaf_rn(__fmaf_rn(d, x, c), x, b), x, a);
}

template <class Get> __device__ __forceinline__ void each_value(const Values &values, Get get) {
    const uint64_t step = (uint64_t)gridDim.x * SMP_LOOKUP_THREADS;
    for (uint64_t i = (uint64_t)blockIdx.x * SMP_LOOKUP_THREADS + threadIdx.x; i < values.vectors;
         i += step) {
        const float4 in = values.in[i];
        values.out[i] = make_float4(get(in.x), get(in.y), get(in.z), get(in.w));
    }
}

__global__ void __launch_bounds__(SMP_LOOKUP_THREADS) from_global(Values values) {
    const float4 *table = reinterpret_cast<const float4 *>(values.table);
    each_value(values, [&](float value) {
        const Where at = where_of(value, values.records);
        const float4 r = __ldg(&table[at.record]);
        return cubic(r.x, r.y, r.z, r.w, at.rest);
    });
}

template <class Layout>
__global__ void __launch_bounds__(SMP_LOOKUP_THREADS) from_words(Values values) {
    extern __shared__ float4 memory[];
    volatile float *table = reinterpret_cast<volatile float *>(memory);
#pragma unroll 1
    for (uint32_t w = threadIdx.x; w < values.records * FIELDS; w += SMP_LOOKUP_THREADS)
        table[Layout::place(w / FIELDS, w % FIELDS)] = values.table[w];
    __syncthreads();
    each_value(values, [&](float value) {
        const Where at = where_of(value, values.records);
        const float a = table[Layout::place(at.record, 0)], b = table[Layout::place(at.record, 1)];
        const float c = table[Layout::place(at.record, 2)], d = table[Layout::place(at.record, 3)];
        return cubic(a, b, c, d, at.rest);
    });
}

/* Reads 16 bytes per record; with copies, lanes that are served together read one copy each. */
template <uint32_t Copies>
__global__ void __launch_bounds__(SMP_LOOKUP_THREADS) from_vectors(Values values) {
    extern __shared__ float4 memory[];
    float *table = reinterpret_cast<float *>(memory);
    const uint32_t copy = threadIdx.x % Copies;
#pragma unroll 1
    for (uint32_t w = threadIdx.x; w < values.records * FIELDS * Copies; w += SMP_LOOKUP_THREADS)
        table[w] = values.table[w / (FIELDS * Copies) * FIELDS + w % FIELDS];
    __syncthreads();
    each_value(values, [&](float value) {
        const Where at = where_of(value, values.records);
        const float4 r = memory[at.record * Copies + copy];
        return cubic(r.x, r.y, r.z, r.w, at.rest);
    });
}

smp_status launch(const smp_kernel_launch *run, const char *name, void (*kernel)(Values),
                  uint32_t record_bytes, smp_error *error) {
    const smp_kernel_case *problem = run->problem;
    const char *in = static_cast<const char *>(run->in);
    smp::Grid grid = {smp_lookup_blocks(problem), SMP_LOOKUP_THREADS};
    grid.dynamic_bytes = (size_t)problem->rows * record_bytes;
    const Values values = {
        reinterpret_cast<const float *>(in),
        reinterpret_cast<const float4 *>(in + smp_lookup_table_bytes(problem->rows)),
        static_cast<float4 *>(run->out), (uint32_t)problem->rows, smp_lookup_vectors(problem)};
    return smp::launch(run, name, kernel, grid, error, values);
}

} // namespace

SMP_LAUNCHED(smp_lookup_launch_global, launch(run, "global", from_global, 0, error))
SMP_LAUNCHED(smp_lookup_launch_shared,
             launch(run, "shared", from_words<Plain>, 4 * Plain::PITCH, error))
SMP_LAUNCHED(smp_lookup_launch_padded,
             launch(run, "padded", from_words<Padded>, 4 * Padded::PITCH, error))
SMP_LAUNCHED(smp_lookup_launch_swizzled,
             launch(run, "swizzled", from_words<Swizzled>, 4 * Swizzled::PITCH, error))
SMP_LAUNCHED(smp_lookup_launch_vector, launch(run, "vector", from_vectors<1>, 16, error))
SMP_LAUNCHED(smp_lookup_launch_copies,
             launch(run, "copies", from_vectors<COPIES>, 16 * COPIES, error))
