// SPDX-License-Identifier: MIT
// Textbook kernels as other projects write them: scratch memory that is used again, one buffer
// where two are needed, overlapping arrays, halves of a word, tickets, flags and locks between
// blocks.
#include <cooperative_groups.h>
#include <cuda/atomic>
#include <cuda_fp16.h>
namespace cg = cooperative_groups;
#define FULL 0xffffffffu

// A sum by shuffles; its scratch memory is used again by the next call.
template <bool PRE> __device__ float block_sum(float v) {
    static __shared__ float partial[32];
    const int lane = threadIdx.x & 31, wid = threadIdx.x >> 5;
    for (int o = 16; o; o >>= 1)
        v += __shfl_down_sync(FULL, v, o);
    if (PRE)
        __syncthreads();
    if (lane == 0)
        partial[wid] = v; // bs_put
    __syncthreads();
    v = threadIdx.x < blockDim.x / 32 ? partial[lane] : 0.f; // bs_get
    if (wid == 0)
        for (int o = 16; o; o >>= 1)
            v += __shfl_down_sync(FULL, v, o);
    return v;
}
__global__ void idiom_bsum_twice_right(int *to, const int *from) {
    float a = block_sum<true>((float)from[threadIdx.x]);
    float b = block_sum<true>((float)from[threadIdx.x + 256] * a);
    if (threadIdx.x == 0)
        to[0] = (int)b;
}
__global__ void idiom_bsum_twice_wrong(int *to, const int *from) {
    float a = block_sum<false>((float)from[threadIdx.x]);
    float b = block_sum<false>((float)from[threadIdx.x + 256] * a);
    if (threadIdx.x == 0)
        to[0] = (int)b;
}
// A scan in steps, in one buffer or two.
template <bool DOUBLE> __device__ void hillis(int *to, const int *from) {
    __shared__ int s[2][128];
    int in = 0, out = DOUBLE ? 1 : 0, t = threadIdx.x;
    s[0][t] = from[t];
    __syncthreads();
    for (int d = 1; d < 128; d *= 2) {
        int v = s[in][t];
        if (t >= d)
            v += s[in][t - d]; // hs_read
        s[out][t] = v;         // hs_write
        if (DOUBLE) {
            in ^= 1;
            out ^= 1;
        }
        __syncthreads();
    }
    to[t] = s[in][t];
}
__global__ void idiom_hillis_right(int *to, const int *from) {
    hillis<true>(to, from);
}
__global__ void idiom_hillis_wrong(int *to, const int *from) {
    hillis<false>(to, from);
}

// Splits by one bit at a time.
__global__ void idiom_radix(int *to, const int *from) {
    __shared__ int key[256], pre[8], zeros;
    const int t = threadIdx.x, lane = t & 31, w = t >> 5;
    key[t] = from[t];
    __syncthreads();
    for (int bit = 0; bit < 4; bit++) {
        const int k = key[t];
        const unsigned z = __ballot_sync(FULL, !(k >> bit & 1));
        if (lane == 0)
            pre[w] = __popc(z);
        __syncthreads();
        if (t == 0) {
            int s = 0;
            for (int i = 0; i < 8; i++) {
                int c = pre[i];
                pre[i] = s;
                s += c;
            }
            zeros = s;
        }
        __syncthreads();
        const int at = pre[w] + __popc(z & ((1u << lane) - 1));
        const int to_at = k >> bit & 1 ? zeros + t - at : at;
        __syncthreads();
        key[to_at] = k;
        __syncthreads();
    }
    __syncthreads();
    to[t] = key[t];
}

// Two arrays in dynamic shared memory, with and without a common word.
template <int OFF> __device__ void carve(int *to, const int *from) {
    extern __shared__ int pool[];
    int *left = pool, *right = pool + 128 - OFF;
    left[threadIdx.x] = from[threadIdx.x];        // cv_left
    right[threadIdx.x] = from[threadIdx.x + 128]; // cv_right
    __syncthreads();
    to[threadIdx.x] = left[127 - threadIdx.x] + right[threadIdx.x ^ 1];
}
__global__ void idiom_carve_right(int *to, const int *from) {
    carve<0>(to, from);
}
__global__ void idiom_carve_wrong(int *to, const int *from) {
    carve<1>(to, from);
}

// Halves of one word.
__global__ void idiom_halves_right(int *to, const int *from) {
    __shared__ __half s[256];
    s[threadIdx.x ^ 1] = __int2half_rn(from[threadIdx.x]);
    __syncthreads();
    to[threadIdx.x] = __half2int_rn(s[255 - threadIdx.x]);
}
__global__ void idiom_halves_wrong(int *to, const int *from) {
    __shared__ __half s[256];
    s[threadIdx.x] = __int2half_rn(from[threadIdx.x]);        // hv_put
    __half2 v = ((__half2 *)s)[(threadIdx.x / 2 + 64) & 127]; // hv_get
    to[threadIdx.x] = __half2int_rn(v.x) + __half2int_rn(v.y);
}
// A loop that all leave together.
__global__ void idiom_sync_while(int *to, const int *from) {
    __shared__ int s[128];
    int v = from[threadIdx.x] & 7;
    s[threadIdx.x] = v;
    while (__syncthreads_or(v > 0)) {
        v = s[(threadIdx.x + 1) & 127] / 2;
        __syncthreads();
        s[threadIdx.x] = v;
    }
    to[threadIdx.x] = v;
}
// A thread takes the next item for all.
template <bool S> __device__ void work(int *to, const int *from) {
    __shared__ int item;
    for (int k = 0; k < 3; k++) {
        if (threadIdx.x == 0)
            item = atomicAdd(to + 60000, 1); // wk_put
        __syncthreads();
        const int i = item; // wk_get
        if (S)
            __syncthreads();
        if (i >= 100)
            break;
        to[(i * 64 + threadIdx.x) & 16383] = from[threadIdx.x];
    }
}
__global__ void idiom_work_right(int *to, const int *from) {
    work<true>(to, from);
}
__global__ void idiom_work_wrong(int *to, const int *from) {
    work<false>(to, from);
}
// Tiles of two warps.
template <int SIZE> __device__ void cg_tile64(int *to, const int *from) {
    __shared__ cg::block_tile_memory<128> mem;
    __shared__ int s[128];
    auto b = cg::this_thread_block(mem);
    auto t = cg::tiled_partition<SIZE>(b);
    s[b.thread_rank()] = from[b.thread_rank()]; // ct6_put
    t.sync();
    to[b.thread_rank()] = s[b.thread_rank() ^ 63]; // ct6_get
}
__global__ void idiom_cg_multi_right(int *to, const int *from) {
    cg_tile64<64>(to, from);
}

/* ---- Between blocks ---- */

__device__ int idiom_words[16], idiom_list[64], idiom_flag[8];

// The last block adds up, by a ticket of this order and scope.
template <cuda::memory_order M, cuda::thread_scope S>
__device__ void by_ticket(int *to, const int *from, int *ticket) {
    __shared__ int last;
    if (threadIdx.x == 0) {
        to[blockIdx.x] = from[blockIdx.x] * 3; // rt_put
        cuda::atomic_ref<int, S> r(*ticket);
        last = r.fetch_add(1, M) == (int)gridDim.x - 1; // rt_add
        if (last) {
            int v = 0;
            for (int i = 0; i < gridDim.x; i++)
                v += to[i]; // rt_get
            to[64] = v;
        }
    }
}
__global__ void idiom_ticket_right(int *to, const int *from) {
    by_ticket<cuda::memory_order_acq_rel, cuda::thread_scope_device>(to, from, idiom_words);
}
__global__ void idiom_ticket_relaxed(int *to, const int *from) {
    by_ticket<cuda::memory_order_relaxed, cuda::thread_scope_device>(to, from, idiom_words + 1);
}
__global__ void idiom_ticket_block(int *to, const int *from) {
    by_ticket<cuda::memory_order_acq_rel, cuda::thread_scope_block>(to, from, idiom_words + 2);
}
__global__ void idiom_ticket_release(int *to, const int *from) {
    by_ticket<cuda::memory_order_release, cuda::thread_scope_device>(to, from, idiom_words + 3);
}
// A barrier of all blocks, by hand.
template <int BUG> __device__ void handbar(int *to, const int *from) {
    unsigned *bar = (unsigned *)idiom_words + 4 + BUG;
    for (int k = 0; k < 2; k++) {
        to[1000 * k + blockIdx.x * 64 + threadIdx.x] = from[threadIdx.x] + k; // hb_put
        if (BUG != 1)
            __threadfence();
        __syncthreads();
        if (threadIdx.x == 0) {
            atomicAdd(bar, 1);
            while (atomicAdd(bar, 0) < (k + 1) * gridDim.x)
                ;
            if (BUG != 2)
                __threadfence();
        }
        if (BUG != 3)
            __syncthreads();
        to[20000 + blockIdx.x * 64 + threadIdx.x] +=
            to[1000 * k + (blockIdx.x ^ 1) * 64 + threadIdx.x]; // hb_get
    }
}
__global__ void idiom_handbar_right(int *to, const int *from) {
    handbar<0>(to, from);
}
__global__ void idiom_handbar_nofence(int *to, const int *from) {
    handbar<1>(to, from);
}
__global__ void idiom_handbar_nosync(int *to, const int *from) {
    handbar<3>(to, from);
}
// A list behind a lock.
template <int BUG> __device__ void spin(int *to, const int *from) {
    int *lock = idiom_words + 8 + 2 * BUG, *length = lock + 1;
    if (threadIdx.x == 0) {
        while (atomicCAS(lock, 0, 1) != 0)
            __nanosleep(10);
        __threadfence();
        const int n = *length;      // sp_get
        idiom_list[n] = blockIdx.x; // sp_put
        *length = n + 1;            // sp_inc
        if (BUG != 1)
            __threadfence();
        atomicExch(lock, 0);
    }
}
__global__ void idiom_spin_right(int *to, const int *from) {
    spin<0>(to, from);
}
__global__ void idiom_spin_nofence(int *to, const int *from) {
    spin<1>(to, from);
}
// A flag by PTX: its scope, its acquire, the barrier behind it.
template <int BUG> __device__ void ptxflag(int *to, const int *from) {
    int *flag = idiom_flag + BUG;
    if (blockIdx.x == 0) {
        to[threadIdx.x] = from[threadIdx.x]; // pf_put
        __syncthreads();
        if (threadIdx.x == 0) {
            if (BUG == 2)
                asm volatile("st.release.cta.global.u32 [%0], 1;" ::"l"(flag) : "memory"); // pf_set
            else
                asm volatile("st.release.gpu.global.u32 [%0], 1;" ::"l"(flag) : "memory");
        }
    } else {
        if (threadIdx.x == 0) {
            int v;
            do {
                if (BUG == 3)
                    asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];"
                                 : "=r"(v)
                                 : "l"(flag)
                                 : "memory");
                else
                    asm volatile("ld.acquire.gpu.global.u32 %0, [%1];"
                                 : "=r"(v)
                                 : "l"(flag)
                                 : "memory"); // pf_see
            } while (v == 0);
        }
        if (BUG != 4)
            __syncthreads();
        to[1000 + threadIdx.x] = to[63 - threadIdx.x]; // pf_get
    }
}
__global__ void idiom_ptxflag_right(int *to, const int *from) {
    ptxflag<0>(to, from);
}
__global__ void idiom_ptxflag_narrow(int *to, const int *from) {
    ptxflag<2>(to, from);
}
__global__ void idiom_ptxflag_noacq(int *to, const int *from) {
    ptxflag<3>(to, from);
}
__global__ void idiom_ptxflag_nosync(int *to, const int *from) {
    ptxflag<4>(to, from);
}

void launch_idioms(int *to, const int *from) {
    idiom_bsum_twice_right<<<1, 256>>>(to, from);  // silent
    idiom_bsum_twice_wrong<<<1, 256>>>(to, from);  // bs_put bs_get (__syncthreads() before)
    idiom_hillis_right<<<1, 128>>>(to, from);      // silent
    idiom_hillis_wrong<<<1, 128>>>(to, from);      // hs_write hs_read
    idiom_radix<<<1, 256>>>(to, from);             // silent
    idiom_carve_right<<<1, 128, 1024>>>(to, from); // silent
    idiom_carve_wrong<<<1, 128, 1024>>>(to, from); // cv_right cv_left
    idiom_halves_right<<<1, 256>>>(to, from);      // silent
    idiom_halves_wrong<<<1, 256>>>(to, from);      // hv_get hv_put
    idiom_sync_while<<<1, 128>>>(to, from);        // silent
    idiom_work_right<<<1, 64>>>(to, from);         // silent
    idiom_work_wrong<<<1, 64>>>(to, from);         // wk_put wk_get
    idiom_cg_multi_right<<<1, 128>>>(to, from);    // silent
    idiom_ticket_right<<<8, 32>>>(to, from);       // silent
    idiom_ticket_relaxed<<<8, 32>>>(to, from);     // rt_get rt_put
    idiom_ticket_block<<<8, 32>>>(to, from);       // rt_get rt_put, rt_add rt_add (scope)
    idiom_ticket_release<<<8, 32>>>(to, from);     // note rt_get rt_put
    idiom_handbar_right<<<4, 64>>>(to, from);      // silent
    idiom_handbar_nofence<<<4, 64>>>(to, from);    // hb_get hb_put
    idiom_handbar_nosync<<<4, 64>>>(to, from);     // hb_get hb_put
    idiom_spin_right<<<8, 64>>>(to, from);         // silent
    idiom_spin_nofence<<<8, 64>>>(to, from);       // sp_get sp_inc, sp_inc sp_inc
    idiom_ptxflag_right<<<2, 64>>>(to, from);      // silent
    idiom_ptxflag_narrow<<<2, 64>>>(to, from);     // pf_get pf_put, pf_see pf_set
    idiom_ptxflag_noacq<<<2, 64>>>(to, from);      // pf_get pf_put
    idiom_ptxflag_nosync<<<2, 64>>>(to, from);     // pf_get pf_put
}
