/* SPDX-License-Identifier: MIT */
/*
 * Sums of floats or doubles. Each variant begins with a kernel that leaves one sum per block; a
 * second kind of kernel adds these in double precision until one is left. Elements behind the end
 * count as 0, and all threads reach every barrier. Loops over the steps of a tree are not unrolled,
 * so that the compiler cannot merge neighbouring loads into wider ones: the machine then does what
 * reduce.c describes.
 */
#include "block_sum.cuh"
#include "launch.cuh"
#include "reduce.h"

namespace {

template <class T> __device__ __forceinline__ T value_at(const T *in, size_t i, size_t count) {
    return i < count ? in[i] : T(0);
}

/* ---- First kernels ---- */

/* Halves the block's slice of global memory, which it destroys. */
template <class T>
__global__ void __launch_bounds__(SMP_REDUCE_SMALL) in_global(T *values, T *sums) {
    T *slice = values + (size_t)blockIdx.x * SMP_REDUCE_SMALL;
    smp::add_halves(slice, SMP_REDUCE_SMALL);
    if (threadIdx.x == 0)
        sums[blockIdx.x] = slice[0];
}

template <class T> struct Halving {
    static __device__ __forceinline__ void add(T *values) {
        smp::add_halves(values, blockDim.x);
    }
};

/* Every second thread works, then every fourth, ... */
template <class T> struct Modulo {
    static __device__ __forceinline__ void add(T *values) {
#pragma unroll 1
        for (unsigned step = 1; step < blockDim.x; step *= 2) {
            if (threadIdx.x % (2 * step) == 0)
                values[threadIdx.x] += values[threadIdx.x + step];
            __syncthreads();
        }
    }
};

/* The same elements, by the first threads. */
template <class T> struct Strided {
    static __device__ __forceinline__ void add(T *values) {
#pragma unroll 1
        for (unsigned step = 1; step < blockDim.x; step *= 2) {
            unsigned i = 2 * step * threadIdx.x;
            if (i < blockDim.x)
                values[i] += values[i + step];
            __syncthreads();
        }
    }
};

/* Adds `value` of each thread and stores the block's sum. */
template <class Tree, class T>
__device__ __forceinline__ void add_block(T *values, T value, T *sums) {
    values[threadIdx.x] = value;
    __syncthreads();
    Tree::add(values);
    if (threadIdx.x == 0)
        sums[blockIdx.x] = values[0];
}

template <class T, unsigned Threads, class Tree>
__global__ void __launch_bounds__(Threads)
    in_shared(const T *__restrict__ in, size_t count, T *__restrict__ sums) {
    __shared__ T values[Threads];
    add_block<Tree>(values, value_at(in, (size_t)blockIdx.x * Threads + threadIdx.x, count), sums);
}

template <class T>
__global__ void __launch_bounds__(SMP_REDUCE_SMALL)
    in_dynamic(const T *__restrict__ in, size_t count, T *__restrict__ sums) {
    extern __shared__ double dynamic[];
    add_block<Halving<T>>(reinterpret_cast<T *>(dynamic),
                          value_at(in, (size_t)blockIdx.x * SMP_REDUCE_SMALL + threadIdx.x, count),
                          sums);
}

template <class T>
__global__ void __launch_bounds__(SMP_REDUCE_LARGE)
    first_add(const T *__restrict__ in, size_t count, T *__restrict__ sums) {
    __shared__ T values[SMP_REDUCE_LARGE];
    size_t i = (size_t)blockIdx.x * (2 * SMP_REDUCE_LARGE) + threadIdx.x;
    T value = value_at(in, i, count) + value_at(in, i + SMP_REDUCE_LARGE, count);
    add_block<Halving<T>>(values, value, sums);
}

template <class T>
__global__ void __launch_bounds__(SMP_REDUCE_LARGE)
    shuffled(const T *__restrict__ in, size_t count, T *__restrict__ sums) {
    size_t i = (size_t)blockIdx.x * (2 * SMP_REDUCE_LARGE) + threadIdx.x;
    T value = value_at(in, i, count) + value_at(in, i + SMP_REDUCE_LARGE, count);
    value = smp::block_sum<SMP_REDUCE_LARGE>(value);
    if (threadIdx.x == 0)
        sums[blockIdx.x] = value;
}

/* The four floats of a vector are added as floats, everything else as doubles. */
__device__ __forceinline__ double sum_of(float4 v) {
    return (double)((v.x + v.y) + (v.z + v.w));
}

__device__ __forceinline__ double sum_of(double2 v) {
    return v.x + v.y;
}

template <class Vector, class T, int Unroll>
__global__ void __launch_bounds__(SMP_REDUCE_FAST_THREADS)
    by_vectors(const T *__restrict__ in, size_t count, double *__restrict__ sums) {
    constexpr unsigned each = sizeof(Vector) / sizeof(T);
    const Vector *vectors = reinterpret_cast<const Vector *>(in);
    const size_t stride = (size_t)gridDim.x * SMP_REDUCE_FAST_THREADS;
    size_t i = (size_t)blockIdx.x * SMP_REDUCE_FAST_THREADS + threadIdx.x;
    double sum = 0;
    smp::let_later_start();
    /* Runs while the last lane also has all of its vectors, so that a warp never splits a load. */
    for (; (i | (SMP_LANES - 1)) + (Unroll - 1) * stride < count / each; i += Unroll * stride) {
        Vector v[Unroll];
#pragma unroll
        for (int k = 0; k < Unroll; k++)
            v[k] = __ldcs(&vectors[i + k * stride]);
#pragma unroll
        for (int k = 0; k < Unroll; k++)
            sum += sum_of(v[k]);
    }
    /* The rest is also loaded at once: it is most of an array that fits in L2. */
    Vector rest[Unroll] = {};
#pragma unroll
    for (int k = 0; k < Unroll; k++)
        if (i + k * stride < count / each)
            rest[k] = __ldcs(&vectors[i + k * stride]);
#pragma unroll
    for (int k = 0; k < Unroll; k++)
        sum += sum_of(rest[k]);
    if (blockIdx.x == 0 && threadIdx.x < count % each)
        sum += (double)in[count / each * each + threadIdx.x];
    sum = smp::block_sum<SMP_REDUCE_FAST_THREADS>(sum);
    if (threadIdx.x == 0)
        sums[blockIdx.x] = sum;
}

/* ---- The sums of the blocks ---- */

template <class In, class Out>
__global__ void __launch_bounds__(SMP_REDUCE_FINISH_THREADS)
    finish(const In *__restrict__ in, size_t count, Out *__restrict__ out) {
    size_t first = (size_t)blockIdx.x * SMP_REDUCE_FINISH_TILE + threadIdx.x;
    double sum = 0;
    smp::wait_for_earlier();
#pragma unroll
    for (unsigned k = 0; k < SMP_REDUCE_FINISH_TILE; k += SMP_REDUCE_FINISH_THREADS)
        sum += first + k < count ? (double)__ldcg(&in[first + k]) : 0;
    sum = smp::block_sum<SMP_REDUCE_FINISH_THREADS>(sum);
    if (threadIdx.x == 0)
        out[blockIdx.x] = (Out)sum;
}

/* ---- Launches ---- */

char *place(const smp_kernel_launch *run, uint64_t offset_bytes) {
    return static_cast<char *>(run->work) + offset_bytes;
}

template <class In, class Out>
smp_status finish_step(const smp_kernel_launch *run, const void *in, uint64_t count, void *out,
                       smp_error *error) {
    smp::Grid grid = {smp_divide_up(count, SMP_REDUCE_FINISH_TILE), SMP_REDUCE_FINISH_THREADS};
    grid.early = true;
    return smp::launch(run, "sum of sums", finish<In, Out>, grid, error,
                       static_cast<const In *>(in), (size_t)count, static_cast<Out *>(out));
}

/* Adds plan.blocks sums of type Sum to one number of type T. */
template <class Sum, class T>
smp_status finish_all(const smp_kernel_launch *run, const smp_reduce_plan &plan, smp_error *error) {
    const uint64_t tile = SMP_REDUCE_FINISH_TILE;
    const void *in = place(run, plan.sums);
    uint64_t count = plan.blocks;
    if (count <= tile)
        return finish_step<Sum, T>(run, in, count, run->out, error);
    smp_status status = finish_step<Sum, double>(run, in, count, place(run, plan.finish[0]), error);
    unsigned turn = 0;
    for (count = smp_divide_up(count, tile); count > tile && status == SMP_OK; turn ^= 1) {
        status = finish_step<double, double>(run, place(run, plan.finish[turn]), count,
                                             place(run, plan.finish[turn ^ 1]), error);
        count = smp_divide_up(count, tile);
    }
    if (status != SMP_OK)
        return status;
    return finish_step<double, T>(run, place(run, plan.finish[turn]), count, run->out, error);
}

template <class T, class... Parameters>
smp_status run_all(const smp_kernel_launch *run, const char *name, void (*kernel)(Parameters...),
                   unsigned threads, unsigned tile, size_t dynamic_bytes, smp_error *error) {
    const smp_reduce_plan plan = smp_reduce_plan_of(run->problem, tile);
    T *sums = reinterpret_cast<T *>(place(run, plan.sums));
    smp::Grid grid = {plan.blocks, threads, dynamic_bytes};
    smp_status status;
    if constexpr (sizeof...(Parameters) == 2)
        status = smp::launch(run, name, kernel, grid, error,
                             reinterpret_cast<T *>(place(run, plan.copy)), sums);
    else
        status = smp::launch(run, name, kernel, grid, error, static_cast<const T *>(run->in),
                             (size_t)run->problem->columns, sums);
    return status != SMP_OK || run->residency ? status : finish_all<T, T>(run, plan, error);
}

template <class T> smp_status run_fast(const smp_kernel_launch *run, smp_error *error) {
    using Vector = typename std::conditional<sizeof(T) == 4, float4, double2>::type;
    const smp_reduce_plan plan = smp_reduce_plan_of(run->problem, 0);
    smp::Grid grid = {plan.blocks, SMP_REDUCE_FAST_THREADS};
    smp_status status = smp::launch(run, "fast", by_vectors<Vector, T, 4>, grid, error,
                                    static_cast<const T *>(run->in), (size_t)run->problem->columns,
                                    reinterpret_cast<double *>(place(run, plan.sums)));
    return status != SMP_OK || run->residency ? status : finish_all<double, T>(run, plan, error);
}

/* Calls f with a value of the element's type. */
template <class F> smp_status by_type(const smp_kernel_launch *run, F f) {
    return run->problem->element == SMP_DOUBLE ? f(double{}) : f(float{});
}

template <class T, class Tree>
smp_status run_large(const smp_kernel_launch *run, const char *name, smp_error *error) {
    return run_all<T>(run, name, in_shared<T, SMP_REDUCE_LARGE, Tree>, SMP_REDUCE_LARGE,
                      SMP_REDUCE_LARGE, 0, error);
}

} // namespace

/* Copies the input and pads it with zeros to a whole slice. */
smp_status smp_reduce_prepare_global(const smp_kernel_launch *run, smp_error *error) {
    const smp_reduce_plan plan = smp_reduce_plan_of(run->problem, SMP_REDUCE_SMALL);
    const uint64_t bytes = smp_element_info(run->problem->element)->bytes;
    const uint64_t given = run->problem->columns * bytes;
    const uint64_t padded = plan.blocks * SMP_REDUCE_SMALL * bytes;
    cudaError_t code =
        cudaMemcpyAsync(place(run, plan.copy), run->in, given, cudaMemcpyDeviceToDevice, nullptr);
    if (code == cudaSuccess)
        code = cudaMemsetAsync(place(run, plan.copy + given), 0, padded - given, nullptr);
    if (code != cudaSuccess)
        return smp_error_set(error, SMP_E_CUDA, -1, "copy of the input: %s",
                             cudaGetErrorString(code));
    return SMP_OK;
}

#define BY_TYPE(name, ...)                                               \
    SMP_LAUNCHED(smp_reduce_launch_##name, by_type(run, [&](auto zero) { \
                     using T = decltype(zero);                           \
                     return __VA_ARGS__;                                 \
                 }))
BY_TYPE(global,
        run_all<T>(run, "global", in_global<T>, SMP_REDUCE_SMALL, SMP_REDUCE_SMALL, 0, error))
BY_TYPE(static, run_all<T>(run, "static", in_shared<T, SMP_REDUCE_SMALL, Halving<T>>,
                           SMP_REDUCE_SMALL, SMP_REDUCE_SMALL, 0, error))
BY_TYPE(dynamic, run_all<T>(run, "dynamic", in_dynamic<T>, SMP_REDUCE_SMALL, SMP_REDUCE_SMALL,
                            SMP_REDUCE_SMALL * sizeof(T), error))
BY_TYPE(modulo, run_large<T, Modulo<T>>(run, "modulo", error))
BY_TYPE(strided, run_large<T, Strided<T>>(run, "strided", error))
BY_TYPE(sequential, run_large<T, Halving<T>>(run, "sequential", error))
BY_TYPE(first_add, run_all<T>(run, "first-add", first_add<T>, SMP_REDUCE_LARGE,
                              2 * SMP_REDUCE_LARGE, 0, error))
BY_TYPE(shuffle,
        run_all<T>(run, "shuffle", shuffled<T>, SMP_REDUCE_LARGE, 2 * SMP_REDUCE_LARGE, 0, error))
BY_TYPE(fast, run_fast<T>(run, error))
