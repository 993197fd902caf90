/* SPDX-License-Identifier: MIT */
/*
 * scan_look_back.cu: exclusive prefix sums in one pass over memory. A block scans its tile in
 * registers and by shuffles, publishes the sum of the tile, and looks back over what earlier
 * blocks have published until it finds one that knows the sum of all before it (Merrill and
 * Garland, "Single-pass Parallel Prefix Scan with Decoupled Look-back", 2016). Blocks wait for
 * blocks with a lower number. GPUs start those first, but CUDA does not promise it (the baseline's
 * library also relies on it).
 */
#include "launch.cuh"
#include "scan.h"

namespace {

constexpr unsigned threads = SMP_LOOK_BACK_THREADS, vectors = SMP_LOOK_BACK_VECTORS;
constexpr unsigned warps = threads / SMP_LANES, all_lanes = 0xffffffff;

/* What a block has published: nothing yet, the sum of its tile, or the sum of all tiles up to it.
 */
enum Said : unsigned { NOTHING, OF_TILE, OF_ALL };

__device__ __forceinline__ unsigned bits_of(unsigned value) {
    return value;
}

__device__ __forceinline__ unsigned bits_of(float value) {
    return __float_as_uint(value);
}

__device__ __forceinline__ void from_bits(unsigned bits, unsigned *value) {
    *value = bits;
}

__device__ __forceinline__ void from_bits(unsigned bits, float *value) {
    *value = __uint_as_float(bits);
}

template <class T>
__device__ __forceinline__ void say(unsigned long long *where, Said what, T value) {
    asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(where),
                 "l"((unsigned long long)what << 32 | bits_of(value))
                 : "memory");
}

__device__ __forceinline__ unsigned long long hear(const unsigned long long *where) {
    unsigned long long said;
    asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(said) : "l"(where) : "memory");
    return said;
}

/* Sum of the lanes up to this one. */
template <class T> __device__ __forceinline__ T sum_to(T value) {
    const unsigned lane = threadIdx.x % SMP_LANES;
#pragma unroll
    for (unsigned step = 1; step < SMP_LANES; step *= 2) {
        const T other = __shfl_up_sync(all_lanes, value, step);
        value += lane >= step ? other : T(0);
    }
    return value;
}

/* Called by the first warp: the sum of all tiles before `tile`, 32 at a time. */
template <class T>
__device__ __forceinline__ T look_back(const unsigned long long *said, unsigned tile) {
    const unsigned lane = threadIdx.x % SMP_LANES;
    T sum = 0;
    for (int before = (int)tile - 1 - (int)lane;; before -= SMP_LANES) {
        unsigned long long heard;
        do
            heard = before >= 0 ? hear(&said[before]) : (unsigned long long)OF_ALL << 32;
        while (__any_sync(all_lanes, heard >> 32 == NOTHING));
        const unsigned all = __ballot_sync(all_lanes, heard >> 32 == OF_ALL);
        T part = 0;
        if (all == 0 || lane < (unsigned)__ffs((int)all))
            from_bits((unsigned)heard, &part);
        sum += __shfl_sync(all_lanes, sum_to(part), SMP_LANES - 1);
        if (all != 0)
            return sum;
    }
}

template <class T> struct alignas(16) Four { T at[4]; };

/* Inline PTX, since the compiler may otherwise split the vector for what both branches share. */
template <class T>
__device__ __forceinline__ void write(T *out, size_t i, size_t count, bool is_whole, T a, T b, T c,
                                      T d) {
    if (is_whole) {
        asm volatile("st.global.v4.b32 [%0], {%1, %2, %3, %4};" ::"l"(&out[i]), "r"(bits_of(a)),
                     "r"(bits_of(b)), "r"(bits_of(c)), "r"(bits_of(d))
                     : "memory");
        return;
    }
    const T all[4] = {a, b, c, d};
#pragma unroll
    for (unsigned e = 0; e < 4; e++)
        if (i + e < count)
            out[i + e] = all[e];
}

template <class T>
__global__ void __launch_bounds__(threads) scan_once(const T *__restrict__ in, T *__restrict__ out,
                                                     size_t count, unsigned long long *said) {
    __shared__ T sums[warps], before;
    const unsigned tile = blockIdx.x, warp = threadIdx.x / SMP_LANES;
    const unsigned lane = threadIdx.x % SMP_LANES;
    const size_t first =
        (size_t)tile * SMP_LOOK_BACK_TILE + warp * (vectors * 4 * SMP_LANES) + lane * 4;
    const bool is_whole = (size_t)(tile + 1) * SMP_LOOK_BACK_TILE <= count;
    Four<T> v[vectors];
    T ahead[vectors], sum = 0; /* sum of the warp before a vector; sum of its vectors so far */
#pragma unroll
    for (unsigned k = 0; k < vectors; k++) {
        const size_t i = first + k * (4 * SMP_LANES);
        if (is_whole)
            v[k] = *reinterpret_cast<const Four<T> *>(&in[i]);
        else
#pragma unroll
            for (unsigned e = 0; e < 4; e++)
                v[k].at[e] = i + e < count ? in[i + e] : T(0);
    }
#pragma unroll
    for (unsigned k = 0; k < vectors; k++) {
        const T own = v[k].at[0] + v[k].at[1] + v[k].at[2] + v[k].at[3], to = sum_to(own);
        ahead[k] = sum + (to - own);
        sum += __shfl_sync(all_lanes, to, SMP_LANES - 1);
    }
    if (lane == 0)
        sums[warp] = sum;
    __syncthreads();
    if (warp == 0) {
        const T own = lane < warps ? sums[lane] : T(0), to = sum_to(own);
        const T all = __shfl_sync(all_lanes, to, SMP_LANES - 1);
        if (lane == 0)
            say(&said[tile], tile == 0 ? OF_ALL : OF_TILE, all);
        if (lane < warps)
            sums[lane] = to - own;
        const T earlier = tile == 0 ? T(0) : look_back<T>(said, tile);
        if (lane == 0 && tile > 0)
            say(&said[tile], OF_ALL, earlier + all);
        if (lane == 0)
            before = earlier;
    }
    __syncthreads();
    const T base = before + sums[warp];
#pragma unroll
    for (unsigned k = 0; k < vectors; k++) {
        const T a = base + ahead[k], b = a + v[k].at[0], c = b + v[k].at[1], d = c + v[k].at[2];
        write<T>(out, first + k * (4 * SMP_LANES), count, is_whole, a, b, c, d);
    }
}

template <class T> smp_status scan(const smp_kernel_launch *run, smp_error *error) {
    const uint64_t count = run->problem->columns;
    const uint64_t blocks = count > 0 ? smp_divide_up(count, SMP_LOOK_BACK_TILE) : 1;
    unsigned long long *said = static_cast<unsigned long long *>(run->work);
    if (!run->residency) {
        const cudaError_t code = cudaMemsetAsync(said, 0, blocks * sizeof *said);
        if (code != cudaSuccess)
            return smp_error_set(error, SMP_E_CUDA, -1, "look-back: %s", cudaGetErrorString(code));
    }
    return smp::launch(run, "look-back", scan_once<T>, {blocks, threads}, error,
                       static_cast<const T *>(run->in), static_cast<T *>(run->out), (size_t)count,
                       said);
}

} // namespace

smp_status smp_scan_launch_look_back(const smp_kernel_launch *run, smp_error *error) {
    return run->problem->element == SMP_FLOAT ? scan<float>(run, error)
                                              : scan<uint32_t>(run, error);
}
