// SPDX-License-Identifier: MIT
// instrument_kernels.cu: one small kernel for each operation, with address patterns that conflict;
// what the attached library counts in them is held against hardware counters.
//   instrument_kernels [all | shared | others [KERNEL] | cluster | graph | streams | sgemm | fault
//   |
//                   exit]
#include <cooperative_groups.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <unistd.h>

#include "check_cuda.cuh"

namespace cg = cooperative_groups;

enum { BLOCKS = 64, THREADS = 128, BYTES = 16384, ROUNDS = 8 };

__device__ unsigned scramble(unsigned x) {
    x ^= x >> 16;
    x *= 0x7feb352du;
    x ^= x >> 15;
    x *= 0x846ca68bu;
    return x ^ x >> 16;
}

// A place in a tile: strides at first, then anywhere, then pairs of lanes together.
__device__ unsigned place(unsigned round, unsigned width) {
    unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32, units = BYTES / width;
    unsigned unit = lane * (round + 1) + warp * 7;
    if (round >= 4)
        unit = scramble(round * 977 + threadIdx.x + blockIdx.x % 4 * 131);
    if (round >= 6)
        unit = scramble(round * 977 + threadIdx.x / 2);
    return unit % units * width;
}

// What to do at a shared address. `v` goes in and out.
#define OPERATION(name, bytes, code)                                                 \
    struct name {                                                                    \
        static constexpr unsigned width = bytes;                                     \
        __device__ static void run(unsigned at, unsigned &v) {                       \
            asm volatile("{.reg .b16 h; .reg .b32 a, b, c; .reg .b64 w, x;" code "}" \
                         : "+r"(v)                                                   \
                         : "r"(at)                                                   \
                         : "memory");                                                \
        }                                                                            \
    };
OPERATION(ld1, 1, "ld.volatile.shared.u8 %0,[%1];")
OPERATION(ld2, 2, "ld.volatile.shared.u16 h,[%1]; cvt.u32.u16 %0,h;")
OPERATION(ld4, 4, "ld.volatile.shared.u32 %0,[%1];")
OPERATION(ld8, 8, "ld.volatile.shared.v2.u32 {%0,a},[%1]; add.u32 %0,%0,a;")
OPERATION(
    ld16, 16,
    "ld.volatile.shared.v4.u32 {%0,a,b,c},[%1]; add.u32 %0,%0,a; add.u32 b,b,c; add.u32 %0,%0,b;")
OPERATION(st1, 1, "st.volatile.shared.u8 [%1],%0;")
OPERATION(st2, 2, "cvt.u16.u32 h,%0; st.volatile.shared.u16 [%1],h;")
OPERATION(st4, 4, "st.volatile.shared.u32 [%1],%0;")
OPERATION(st8, 8, "st.volatile.shared.v2.u32 [%1],{%0,%0};")
OPERATION(st16, 16, "st.volatile.shared.v4.u32 [%1],{%0,%0,%0,%0};")
OPERATION(ldmatrix1, 16, "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0},[%1];")
OPERATION(ldmatrix2, 16, "ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,a},[%1]; add.u32 %0,%0,a;")
OPERATION(ldmatrix4, 16,
          "ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,a,b,c},[%1]; add.u32 %0,%0,a; "
          "add.u32 b,b,c; add.u32 %0,%0,b;")
OPERATION(stmatrix1, 16, "stmatrix.sync.aligned.m8n8.x1.shared.b16 [%1],{%0};")
OPERATION(stmatrix4, 16, "stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [%1],{%0,%0,%0,%0};")
OPERATION(atom_add, 4, "atom.shared.add.u32 %0,[%1],3;")
OPERATION(atom_exch, 4, "atom.shared.exch.b32 %0,[%1],%0;")
OPERATION(atom_exch8, 8, "cvt.u64.u32 w,%0; atom.shared.exch.b64 x,[%1],w; cvt.u32.u64 %0,x;")
OPERATION(atom_cas, 4, "atom.shared.cas.b32 %0,[%1],%0,7;")
OPERATION(red_inc, 4, "red.shared.add.u32 [%1],1;")
OPERATION(red_max, 4, "red.shared.max.u32 [%1],%0;")
#undef OPERATION

template <typename Operation> __global__ void shared_op(unsigned *out) {
    __shared__ __align__(128) unsigned char tile[BYTES];
    unsigned base = (unsigned)__cvta_generic_to_shared(tile), value = threadIdx.x;
    for (unsigned round = 0; round < ROUNDS; round++)
        Operation::run(base + place(round, Operation::width), value);
    if (value == 0x12345678)
        out[threadIdx.x] = value;
}

// Parts of warps, one inside the other.
template <typename Operation> __global__ void divergent(unsigned *out) {
    __shared__ __align__(128) unsigned char tile[BYTES];
    unsigned base = (unsigned)__cvta_generic_to_shared(tile), value = threadIdx.x;
    for (unsigned round = 0; round < ROUNDS; round++) {
        unsigned at = base + place(round, Operation::width);
        if (scramble(threadIdx.x + round) % 3 == 0) {
            Operation::run(at, value);
            if (threadIdx.x % 2)
                Operation::run(at ^ Operation::width, value);
        } else if (threadIdx.x % 32 > round) {
            Operation::run(at ^ Operation::width, value);
        }
        for (unsigned turn = 0; turn < threadIdx.x % 5; turn++)
            Operation::run(at, value);
    }
    if (value == 0x12345678)
        out[threadIdx.x] = value;
}

__global__ void float_add(float *out) {
    __shared__ float bins[64];
    if (threadIdx.x < 64)
        bins[threadIdx.x] = 0;
    __syncthreads();
    for (unsigned round = 0; round < ROUNDS; round++)
        atomicAdd(&bins[scramble(threadIdx.x + round) % 64], 1.0f);
    __syncthreads();
    if (threadIdx.x < 64)
        atomicAdd(&out[threadIdx.x], bins[threadIdx.x]);
}

template <unsigned Width> __global__ void copy(const unsigned char *from, unsigned *out) {
    __shared__ __align__(128) unsigned char tile[BYTES];
    unsigned base = (unsigned)__cvta_generic_to_shared(tile);
    for (unsigned round = 0; round < ROUNDS; round++) {
        const unsigned char *at = from + place(round, Width) + blockIdx.x % 8 * BYTES;
        unsigned to = base + place((round + 3) % ROUNDS, Width);
        if (Width == 16)
            asm volatile("cp.async.cg.shared.global [%0],[%1],16;" ::"r"(to), "l"(at) : "memory");
        else
            asm volatile("cp.async.ca.shared.global [%0],[%1],%2;" ::"r"(to), "l"(at), "n"(Width)
                         : "memory");
    }
    asm volatile("cp.async.wait_all;" ::: "memory");
    if (tile[threadIdx.x] == 250)
        out[threadIdx.x] = 1;
}

// Copies of which some lanes, or all of a warp, read nothing and write zeros, and some read a part.
template <unsigned Width> __global__ void copy_part(const unsigned char *from, unsigned *out) {
    __shared__ __align__(128) unsigned char tile[BYTES];
    unsigned base = (unsigned)__cvta_generic_to_shared(tile);
    for (unsigned round = 0; round < ROUNDS; round++) {
        const unsigned char *at = from + place(round, Width) + blockIdx.x % 8 * BYTES;
        unsigned to = base + place((round + 3) % ROUNDS, Width);
        unsigned which = scramble(threadIdx.x + round) % 4, warp = threadIdx.x / 32;
        unsigned bytes = warp == round % 8 || which == 0 ? 0 : which == 1 ? Width / 2 : Width;
        asm volatile("cp.async.ca.shared.global [%0],[%1],%2,%3;" ::"r"(to), "l"(at), "n"(Width),
                     "r"(bytes)
                     : "memory");
    }
    asm volatile("cp.async.wait_all;" ::: "memory");
    if (tile[threadIdx.x] == 250)
        out[threadIdx.x] = 1;
}

// To the other block of the cluster: loads, stores, atomics, each also by a generic address.
__global__ void __cluster_dims__(2) cluster_op(unsigned *out, int mode) {
    __shared__ __align__(128) unsigned tile[BYTES / 4];
    cg::cluster_group cluster = cg::this_cluster();
    for (unsigned i = threadIdx.x; i < BYTES / 4; i += THREADS)
        tile[i] = i;
    cluster.sync();
    unsigned *other = cluster.map_shared_rank(tile, cluster.block_rank() ^ 1), sum = 0;
    unsigned *own = cluster.map_shared_rank(tile, cluster.block_rank());
    for (unsigned round = 0; round < ROUNDS; round++) {
        unsigned at = place(round, 4) / 4;
        unsigned *where = mode < 3 ? other : scramble(threadIdx.x * 3 + round) % 2 ? own : other;
        if (mode == 6 && threadIdx.x % 3 == 0)
            continue;
        if (mode % 3 == 0)
            sum += *(volatile unsigned *)(where + at);
        else if (mode % 3 == 1)
            *(volatile unsigned *)(where + at) = round;
        else
            sum += atomicAdd(where + at, 3);
    }
    cluster.sync();
    if (sum == 0x12345678)
        out[threadIdx.x] = sum;
}

// One machine instruction, shared memory in some lanes and global memory in the others.
__global__ void generic_op(unsigned *out, unsigned *memory) {
    __shared__ unsigned tile[BYTES / 4];
    unsigned sum = 0;
    for (unsigned round = 0; round < ROUNDS; round++) {
        unsigned at = place(round, 4) / 4;
        unsigned *where = scramble(threadIdx.x + round * 7) % 3 ? tile : memory;
        sum += *(volatile unsigned *)(where + at);
        *(volatile unsigned *)(where + at) = round;
        sum += atomicAdd(where + at, 2);
    }
    if (sum == 0x12345678)
        out[threadIdx.x] = sum;
}

// An array that does not fit into registers.
__global__ void local_op(unsigned *out) {
    volatile unsigned own[40];
    unsigned long long sum = 0;
    for (unsigned i = 0; i < 40; i++)
        own[i] = i * threadIdx.x;
    for (unsigned round = 0; round < ROUNDS; round++)
        sum += own[scramble(threadIdx.x / (1 + 4 * round) + round) % 40];
    if (sum == 0x12345678)
        out[threadIdx.x] = 1;
}

template <typename T> __global__ void global_op(T *memory, unsigned *out) {
    T sum = {};
    for (unsigned round = 0; round < ROUNDS; round++) {
        unsigned at = place(round, sizeof(T)) / sizeof(T) + blockIdx.x * (BYTES / sizeof(T));
        sum = memory[at];
        memory[at ^ 1] = sum;
        __threadfence();
    }
    if (*(unsigned char *)&sum == 77)
        out[threadIdx.x] = 1;
}

__global__ void global_far(unsigned *memory, size_t words, unsigned *out) {
    unsigned sum = 0;
    for (unsigned round = 0; round < ROUNDS; round++)
        sum +=
            __ldcg(memory + (size_t)scramble(threadIdx.x + round * 131 + blockIdx.x) * 97 % words);
    if (sum == 0x12345678)
        out[threadIdx.x] = sum;
}

__global__ void global_atomics(unsigned *memory, unsigned *out) {
    unsigned sum = 0;
    for (unsigned round = 0; round < ROUNDS; round++) {
        unsigned at = place(round, 4) / 4;
        atomicAdd(memory + at, 5);
        sum += atomicExch(memory + (at ^ 3), 5);
    }
    if (sum == 0x12345678)
        out[threadIdx.x] = sum;
}

__device__ __noinline__ unsigned called(const unsigned *tile, unsigned at) {
    return tile[at] + tile[at ^ 32];
}

__global__ void calls(unsigned *out) {
    __shared__ unsigned tile[BYTES / 4];
    unsigned sum = 0;
    tile[threadIdx.x] = threadIdx.x;
    __syncthreads();
    for (unsigned round = 0; round < ROUNDS; round++)
        sum += called(tile, place(round, 4) / 4);
    if (sum == 0x12345678)
        out[threadIdx.x] = sum;
}

__global__ void reduce(const float *in, float *out) {
    extern __shared__ float part[];
    part[threadIdx.x] = in[blockIdx.x * THREADS + threadIdx.x];
    for (unsigned step = 1; step < THREADS; step *= 2) {
        __syncthreads();
        if (threadIdx.x % (2 * step) == 0)
            part[threadIdx.x] += part[threadIdx.x + step];
    }
    if (threadIdx.x == 0)
        atomicAdd(out, part[0]);
}

// Each step of the sum reads a word of two tiles: nothing but loads of shared memory.
__global__ void sgemm(const float *a, const float *b, float *c, unsigned n) {
    __shared__ float x[32][32], y[32][32];
    unsigned column = blockIdx.x * 32 + threadIdx.x, row = blockIdx.y * 32 + threadIdx.y;
    float sum = 0;
    for (unsigned first = 0; first < n; first += 32) {
        x[threadIdx.y][threadIdx.x] = a[row * n + first + threadIdx.x];
        y[threadIdx.y][threadIdx.x] = b[(first + threadIdx.y) * n + column];
        __syncthreads();
        for (unsigned k = 0; k < 32; k++)
            sum += x[threadIdx.y][k] * y[k][threadIdx.x];
        __syncthreads();
    }
    c[row * n + column] = sum;
}

static unsigned *out, *memory;
static size_t memory_bytes = 1 << 26;

static void run_shared() {
    shared_op<ld1><<<BLOCKS, THREADS>>>(out);
    shared_op<ld2><<<BLOCKS, THREADS>>>(out);
    shared_op<ld4><<<BLOCKS, THREADS>>>(out);
    shared_op<ld8><<<BLOCKS, THREADS>>>(out);
    shared_op<ld16><<<BLOCKS, THREADS>>>(out);
    shared_op<st1><<<BLOCKS, THREADS>>>(out);
    shared_op<st2><<<BLOCKS, THREADS>>>(out);
    shared_op<st4><<<BLOCKS, THREADS>>>(out);
    shared_op<st8><<<BLOCKS, THREADS>>>(out);
    shared_op<st16><<<BLOCKS, THREADS>>>(out);
    shared_op<ldmatrix1><<<BLOCKS, THREADS>>>(out);
    shared_op<ldmatrix2><<<BLOCKS, THREADS>>>(out);
    shared_op<ldmatrix4><<<BLOCKS, THREADS>>>(out);
    shared_op<stmatrix1><<<BLOCKS, THREADS>>>(out);
    shared_op<stmatrix4><<<BLOCKS, THREADS>>>(out);
    shared_op<atom_add><<<BLOCKS, THREADS>>>(out);
    shared_op<atom_exch><<<BLOCKS, THREADS>>>(out);
    shared_op<atom_exch8><<<BLOCKS, THREADS>>>(out);
    shared_op<atom_cas><<<BLOCKS, THREADS>>>(out);
    shared_op<red_inc><<<BLOCKS, THREADS>>>(out);
    shared_op<red_max><<<BLOCKS, THREADS>>>(out);
    divergent<ld4><<<BLOCKS, THREADS>>>(out);
    divergent<ld16><<<BLOCKS, THREADS>>>(out);
    divergent<st8><<<BLOCKS, THREADS>>>(out);
    divergent<atom_add><<<BLOCKS, THREADS>>>(out);
    CHECK(cudaDeviceSynchronize());
}

// What was asked for on the command line: NULL is all.
static const char *wanted;

static bool is_wanted(const char *name) {
    return wanted == nullptr || strcmp(wanted, name) == 0;
}

static void run_others() {
    auto *bytes = (unsigned char *)memory;
    if (is_wanted("float_add"))
        float_add<<<BLOCKS, THREADS>>>((float *)memory);
    if (is_wanted("copy4"))
        copy<4><<<BLOCKS, THREADS>>>(bytes, out);
    if (is_wanted("copy8"))
        copy<8><<<BLOCKS, THREADS>>>(bytes, out);
    if (is_wanted("copy16"))
        copy<16><<<BLOCKS, THREADS>>>(bytes, out);
    if (is_wanted("copy4_part"))
        copy_part<4><<<BLOCKS, THREADS>>>(bytes, out);
    if (is_wanted("copy8_part"))
        copy_part<8><<<BLOCKS, THREADS>>>(bytes, out);
    if (is_wanted("generic"))
        generic_op<<<BLOCKS, THREADS>>>(out, memory);
    if (is_wanted("local"))
        local_op<<<BLOCKS, THREADS>>>(out);
    if (is_wanted("global")) {
        global_op<unsigned char><<<BLOCKS, THREADS>>>(bytes, out);
        global_op<unsigned short><<<BLOCKS, THREADS>>>((unsigned short *)memory, out);
        global_op<unsigned><<<BLOCKS, THREADS>>>(memory, out);
        global_op<uint2><<<BLOCKS, THREADS>>>((uint2 *)memory, out);
        global_op<uint4><<<BLOCKS, THREADS>>>((uint4 *)memory, out);
    }
    if (is_wanted("far"))
        global_far<<<BLOCKS, THREADS>>>(memory, memory_bytes / 4, out);
    if (is_wanted("atomics"))
        global_atomics<<<BLOCKS, THREADS>>>(memory, out);
    if (is_wanted("calls"))
        calls<<<BLOCKS, THREADS>>>(out);
    if (is_wanted("reduce"))
        reduce<<<BLOCKS, THREADS, THREADS * 4>>>((float *)memory, (float *)out);
    CHECK(cudaDeviceSynchronize());
}

static void run_cluster() {
    for (int mode = 0; mode < 6; mode++)
        cluster_op<<<BLOCKS, THREADS>>>(out, mode);
    CHECK(cudaDeviceSynchronize());
}

static void run_graph() {
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    shared_op<ld4><<<BLOCKS, THREADS, 0, stream>>>(out);
    shared_op<st8><<<BLOCKS, THREADS, 0, stream>>>(out);
    CHECK(cudaStreamEndCapture(stream, &graph));
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    for (int i = 0; i < 5; i++)
        CHECK(cudaGraphLaunch(exec, stream));
    CHECK(cudaStreamSynchronize(stream));
}

static void run_streams() {
    cudaStream_t streams[4];
    for (int i = 0; i < 4; i++)
        CHECK(cudaStreamCreateWithFlags(&streams[i], cudaStreamNonBlocking));
    for (int i = 0; i < 40; i++) {
        shared_op<ld4><<<BLOCKS, THREADS, 0, streams[i % 4]>>>(out);
        if (i % 8 == 7)
            CHECK(cudaStreamSynchronize(streams[i % 4]));
    }
    CHECK(cudaDeviceSynchronize());
}

static void run_sgemm() {
    unsigned n = 2048;
    float *a, milliseconds;
    cudaEvent_t before, after;
    CHECK(cudaMalloc(&a, 3ull * n * n * sizeof(float)));
    CHECK(cudaMemset(a, 0, 3ull * n * n * sizeof(float)));
    CHECK(cudaEventCreate(&before));
    CHECK(cudaEventCreate(&after));
    sgemm<<<1, dim3(32, 32)>>>(a, a, a, 32);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaEventRecord(before));
    sgemm<<<dim3(n / 32, n / 32), dim3(32, 32)>>>(a, a + n * n, a + 2 * n * n, n);
    CHECK(cudaEventRecord(after));
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaEventElapsedTime(&milliseconds, before, after));
    printf("sgemm %.3f ms\n", milliseconds);
}

__global__ void faulty(unsigned *out) {
    __shared__ unsigned tile[64];
    tile[threadIdx.x % 64] = 1;
    *(volatile unsigned *)(out + (1ull << 40)) = tile[threadIdx.x % 32];
}

int main(int count, char **arguments) {
    const char *what = count > 1 ? arguments[1] : "all";
    bool all = strcmp(what, "all") == 0;
    CHECK(cudaMalloc(&out, BYTES));
    CHECK(cudaMalloc(&memory, memory_bytes));
    CHECK(cudaMemset(memory, 0, memory_bytes));
    if (all || strcmp(what, "shared") == 0 || strcmp(what, "fault") == 0)
        run_shared();
    if (count > 2)
        wanted = arguments[2];
    if (all || strcmp(what, "others") == 0)
        run_others();
    if (strcmp(what, "cluster") == 0)
        run_cluster();
    if (strcmp(what, "graph") == 0)
        run_graph();
    if (strcmp(what, "streams") == 0)
        run_streams();
    if (strcmp(what, "sgemm") == 0)
        run_sgemm();
    if (strcmp(what, "exit") == 0) {
        run_others();
        _exit(3);
    }
    if (strcmp(what, "fault") == 0) {
        faulty<<<1, 32>>>(out);
        cudaError_t status = cudaDeviceSynchronize();
        fprintf(stderr, "%s\n", cudaGetErrorString(status));
        return 4;
    }
    printf("done\n");
    return 0;
}
