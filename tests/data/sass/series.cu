// SPDX-License-Identifier: MIT
// Loads through one register in straight code (analyzer/emulate/load_chains.h), where that is not
// simple: tests/programs/load_chains holds what is counted of them together against what is counted
// one by one. nvcc -arch=sm_90 -cubin -o series.cubin series.cu

// A barrier is asked between the loads, and the warp gives way where it is not open.
extern "C" __global__ void polls(unsigned *out) {
    __shared__ unsigned words[256];
    __shared__ unsigned long long barrier;
    const unsigned at = (unsigned)__cvta_generic_to_shared(&barrier);
    const unsigned from = (unsigned)__cvta_generic_to_shared(&words[threadIdx.x % 128]);
    words[threadIdx.x] = threadIdx.x;
    if (threadIdx.x == 0)
        asm volatile("mbarrier.init.shared.b64 [%0], 8;" ::"r"(at));
    __syncthreads();
    unsigned sum = 0, is_open = 0;
#pragma unroll 1
    for (unsigned warp = 0; warp < 8; warp++) { /* all know what the loads ask for, then wait */
        unsigned a, b, c;
        asm volatile("ld.volatile.shared.u32 %0, [%1];" : "=r"(a) : "r"(from));
        asm volatile("ld.volatile.shared.u32 %0, [%1+4];" : "=r"(b) : "r"(from));
        asm volatile("ld.volatile.shared.u32 %0, [%1+256];" : "=r"(c) : "r"(from));
        sum += a + 3 * b + 5 * c;
    }
    if (threadIdx.x % 32 == 0)
        asm volatile("{ .reg .b64 s; mbarrier.arrive.shared.b64 s, [%0]; }" ::"r"(at));
    while (!is_open) {
        unsigned a, b, c;
        asm volatile("ld.volatile.shared.u32 %0, [%1];" : "=r"(a) : "r"(from));
        asm volatile("{ .reg .pred p; mbarrier.test_wait.parity.shared.b64 p, [%1], 0;"
                     " selp.u32 %0, 1, 0, p; }"
                     : "=r"(is_open)
                     : "r"(at));
        asm volatile("ld.volatile.shared.u32 %0, [%1+4];" : "=r"(b) : "r"(from));
        asm volatile("ld.volatile.shared.u32 %0, [%1+256];" : "=r"(c) : "r"(from));
        sum += a + 7 * b + 11 * c;
    }
    out[blockIdx.x * 256 + threadIdx.x] = sum;
}

// More requests than a table keeps, and than have followers.
extern "C" __global__ void many(unsigned *out) {
    __shared__ unsigned words[4096 + 32];
#pragma unroll 1
    for (unsigned i = threadIdx.x; i < 4096 + 32; i += 64)
        words[i] = i * i;
    __syncthreads();
    unsigned sum = 0;
#pragma unroll 1
    for (unsigned turn = 0; turn < 3; turn++)
#pragma unroll 1
        for (unsigned i = 0; i < 700; i++) {
            const unsigned *at = &words[i * 5 + threadIdx.x % 32 * (i % 7)];
            sum += at[0] * 3 + at[5] * 5 + at[17] * 7 + (turn > 1 && threadIdx.x == i % 64);
        }
    out[blockIdx.x * 64 + threadIdx.x] = sum;
}

// Every second block reads what it has not written, after others did so rightly.
extern "C" __global__ void unwritten(unsigned *out) {
    __shared__ unsigned words[512];
    const unsigned count = blockIdx.x % 2 == 0 ? 512 : 300;
#pragma unroll 1
    for (unsigned i = threadIdx.x; i < count - 100; i += 32)
        words[i] = i;
    __syncthreads();
    unsigned sum = 0;
#pragma unroll 1
    for (unsigned turn = 0; turn < 8; turn++) {
        const volatile unsigned *at = &words[threadIdx.x + turn % 2];
        sum += at[0] + 2 * at[130] + 3 * at[200];
    }
    out[blockIdx.x * 32 + threadIdx.x] = sum;
}

// Some lanes take part in some turns; pairs and fours; a load overwrites the register of its
// address.
extern "C" __global__ void lanes(unsigned *out) {
    __shared__ __align__(16) uint4 fours[160];
#pragma unroll 1
    for (unsigned i = threadIdx.x; i < 160; i += 64)
        fours[i] = make_uint4(i, 2 * i, 3 * i, (i * 7 + 16) % 128 * 16);
    __syncthreads();
    const unsigned base = (unsigned)__cvta_generic_to_shared(fours);
    unsigned sum = 0, at = base + threadIdx.x % 32 * 16;
#pragma unroll 1
    for (unsigned turn = 0; turn < 12; turn++) {
        if (turn % 3 == 0 && threadIdx.x % 32 > 20)
            continue;
        unsigned a, b, c, d, e, f;
        asm volatile("ld.volatile.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
                     : "=r"(a), "=r"(b), "=r"(c), "=r"(d)
                     : "r"(at));
        asm volatile("ld.volatile.shared.v2.u32 {%0, %1}, [%2+32];" : "=r"(e), "=r"(f) : "r"(at));
        sum += a + b * 3 + c * 5 + e * 7 + f;
        asm volatile("ld.volatile.shared.v2.u32 {%0, %1}, [%2+48];" : "=r"(e), "=r"(f) : "r"(at));
        asm volatile("ld.volatile.shared.v4.u32 {%0, %1, %2, %3}, [%4+64];"
                     : "=r"(a), "=r"(b), "=r"(c), "=r"(d)
                     : "r"(at));
        sum += a * 11 + b + c + e + f * 13;
        at = base + d;
        asm volatile("ld.volatile.shared.u32 %0, [%1];" : "=r"(a) : "r"(at));
        asm volatile("ld.volatile.shared.u32 %0, [%1+12];" : "=r"(at) : "r"(at));
        at += base;
        sum += a;
    }
    out[blockIdx.x * 64 + threadIdx.x] = sum;
}

// What the register says changes between the loads, but not at first.
extern "C" __global__ void moves(unsigned *out) {
    __shared__ unsigned words[256];
    for (unsigned i = threadIdx.x; i < 256; i += 32)
        words[i] = i * 3;
    __syncthreads();
    const unsigned base = (unsigned)__cvta_generic_to_shared(words) + threadIdx.x * 4;
    unsigned sum = 0, from = 0;
#pragma unroll 1
    for (unsigned turn = 0; turn < 9; turn++) {
        unsigned at = base + from, a, b, c;
        asm volatile("ld.volatile.shared.u32 %0, [%1];" : "=r"(a) : "r"(at));
        asm volatile("ld.volatile.shared.u32 %0, [%1+8];" : "=r"(c) : "r"(at));
        from = (from + (turn > 3 ? 64 : 0)) & 64;
        at += from - (at - base);
        asm volatile("ld.volatile.shared.u32 %0, [%1+4];" : "=r"(b) : "r"(at));
        sum += a + 3 * b + 5 * c;
    }
    out[blockIdx.x * 32 + threadIdx.x] = sum;
}
