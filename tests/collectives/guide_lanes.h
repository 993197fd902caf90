/* SPDX-License-Identifier: MIT */
/*
 * Warp functions of CUDA C++ as the Programming Guide defines them, for a C++ compiler of the CPU.
 * Each thread of a block is a coroutine that runs until it calls such a function; there it waits
 * until all threads of its mask that have not ended call the same function with the same mask.
 * Nothing here knows machine code. Kernels of random_collectives are compiled with it and by nvcc.
 */
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ucontext.h>

typedef uint32_t u32;
typedef uint64_t u64;

#define __global__
#define __device__
#define __noinline__ __attribute__((noinline))
#define __shared__ static
#define __launch_bounds__(n)

namespace lanes {

enum { THREADS = 128, STACK = 1 << 16, BLOCK = -1 };

/* The operands of the threads in a mask. */
struct meeting {
    u32 mask; /* of those who came */
    u64 value[32];
};

struct thread {
    ucontext_t context;
    char *stack;
    bool has_ended, waits;
    int function; /* where it waits */
    u32 mask;
    u64 value;
    meeting met;
};

struct place {
    u32 x;
};

inline thread threads[THREADS];
inline int count, current;
inline ucontext_t scheduler;
inline void (*kernel)(u32 *, const u32 *);
inline u32 *out;
inline const u32 *in;

inline u32 lane() {
    return (u32)current % 32;
}

inline const meeting &meet(int function, u32 mask, u64 value) {
    thread &t = threads[current];
    if (function != BLOCK && !(mask >> lane() & 1)) {
        fprintf(stderr, "thread %d calls function %d with mask %08x\n", current, function, mask);
        exit(3);
    }
    t.waits = true, t.function = function, t.mask = mask, t.value = value;
    swapcontext(&t.context, &scheduler);
    return t.met;
}

inline void start() {
    kernel(out, in);
    threads[current].has_ended = true;
}

/* The threads that this one waits for are there: they go on. */
inline bool release(int first) {
    const thread waiter = threads[first];
    const int begin = waiter.function == BLOCK ? 0 : first / 32 * 32;
    const int end = waiter.function == BLOCK || begin + 32 > count ? count : begin + 32;
    meeting met = {};
    for (int i = begin; i < end; i++) {
        const thread &t = threads[i];
        if (t.has_ended || (waiter.function != BLOCK && !(waiter.mask >> i % 32 & 1)))
            continue;
        if (!t.waits || t.function != waiter.function || t.mask != waiter.mask)
            return false;
        met.mask |= 1u << i % 32;
        met.value[i % 32] = waiter.function == BLOCK ? met.value[i % 32] + t.value : t.value;
    }
    for (int i = begin; i < end; i++)
        if (waiter.function == BLOCK || met.mask >> i % 32 & 1)
            threads[i].met = met, threads[i].waits = false;
    return true;
}

/* One block. */
inline void run(const char *name, void (*function)(u32 *, const u32 *), int threads_of_block,
                u32 *results, const u32 *input) {
    kernel = function, out = results, in = input, count = threads_of_block;
    for (int i = 0; i < count; i++) {
        thread &t = threads[i];
        char *stack = t.stack ? t.stack : (char *)malloc(STACK);
        t = thread();
        t.stack = stack;
        getcontext(&t.context);
        t.context.uc_stack.ss_sp = stack;
        t.context.uc_stack.ss_size = STACK;
        t.context.uc_link = &scheduler;
        makecontext(&t.context, start, 0);
    }
    for (int left = count; left > 0;) {
        bool moved = false;
        left = 0;
        for (current = 0; current < count; current++)
            if (!threads[current].has_ended && !threads[current].waits)
                swapcontext(&scheduler, &threads[current].context), moved = true;
        for (int i = 0; i < count; i++)
            if (!threads[i].has_ended && threads[i].waits)
                moved |= release(i);
        for (int i = 0; i < count; i++)
            left += !threads[i].has_ended;
        if (!moved && left > 0) {
            fprintf(stderr, "%s: threads wait for each other\n", name);
            exit(3);
        }
    }
}

enum { VOTE_ANY, VOTE_ALL, VOTE_BALLOT, MATCH_ANY, MATCH_ALL, SHUFFLE, SYNC, REDUCE };

template <class T> inline u64 bits_of(T v) {
    u64 bits = 0;
    memcpy(&bits, &v, sizeof v);
    return bits;
}

template <class T> inline T value_of(u64 bits) {
    T v;
    memcpy(&v, &bits, sizeof v);
    return v;
}

/* Undefined, and so a fault of the test: a value of a thread that is not there. */
template <class T> inline T value_at(const meeting &met, u32 from) {
    if (!(met.mask >> from & 1)) {
        fprintf(stderr, "a shuffle takes lane %u, which is not in %08x\n", from, met.mask);
        exit(3);
    }
    return value_of<T>(met.value[from]);
}

template <class T, class F> inline T fold(u32 mask, T v, int which, F f) {
    const meeting &met = meet(REDUCE + which, mask, bits_of(v));
    T sum = 0;
    bool is_first = true;
    for (int l = 0; l < 32; l++)
        if (met.mask >> l & 1) {
            sum = is_first ? value_of<T>(met.value[l]) : f(sum, value_of<T>(met.value[l]));
            is_first = false;
        }
    return sum;
}

} // namespace lanes

#define threadIdx (lanes::place{(u32)lanes::current})

static inline u32 __popc(u32 x) {
    return (u32)__builtin_popcount(x);
}
static inline int __ffs(u32 x) {
    return __builtin_ffs((int)x);
}
static inline u32 atomicAdd(u32 *at, u32 v) {
    u32 old = *at;
    *at += v;
    return old;
}
static inline void __syncwarp(u32 mask = 0xffffffff) {
    lanes::meet(lanes::SYNC, mask, 0);
}
static inline void __syncthreads() {
    lanes::meet(lanes::BLOCK, 0, 0);
}
static inline int __syncthreads_count(int p) {
    const lanes::meeting &met = lanes::meet(lanes::BLOCK, 1, p != 0);
    int sum = 0;
    for (int l = 0; l < 32; l++)
        sum += (int)met.value[l];
    return sum;
}
static inline u32 __ballot_sync(u32 mask, int p) {
    const lanes::meeting &met = lanes::meet(lanes::VOTE_BALLOT, mask, p != 0);
    u32 votes = 0;
    for (int l = 0; l < 32; l++)
        votes |= (u32)(met.mask >> l & 1 && met.value[l]) << l;
    return votes;
}
static inline int __any_sync(u32 mask, int p) {
    const lanes::meeting &met = lanes::meet(lanes::VOTE_ANY, mask, p != 0);
    for (int l = 0; l < 32; l++)
        if (met.mask >> l & 1 && met.value[l])
            return 1;
    return 0;
}
static inline int __all_sync(u32 mask, int p) {
    const lanes::meeting &met = lanes::meet(lanes::VOTE_ALL, mask, p != 0);
    for (int l = 0; l < 32; l++)
        if (met.mask >> l & 1 && !met.value[l])
            return 0;
    return 1;
}
template <class T> static inline u32 __match_any_sync(u32 mask, T v) {
    const lanes::meeting &met = lanes::meet(lanes::MATCH_ANY, mask, lanes::bits_of(v));
    u32 same = 0;
    for (int l = 0; l < 32; l++)
        same |= (u32)(met.mask >> l & 1 && met.value[l] == lanes::bits_of(v)) << l;
    return same;
}
template <class T> static inline u32 __match_all_sync(u32 mask, T v, int *all) {
    const lanes::meeting &met = lanes::meet(lanes::MATCH_ALL, mask, lanes::bits_of(v));
    *all = 1;
    for (int l = 0; l < 32; l++)
        if (met.mask >> l & 1 && met.value[l] != lanes::bits_of(v))
            *all = 0;
    return *all ? met.mask : 0;
}
template <class T> static inline T __shfl_sync(u32 mask, T v, int from, int width = 32) {
    const lanes::meeting &met = lanes::meet(lanes::SHUFFLE, mask, lanes::bits_of(v));
    const u32 segment = lanes::lane() & ~((u32)width - 1);
    return lanes::value_at<T>(met, segment | ((u32)from & ((u32)width - 1)));
}
/* `from`, if it is in the lane's segment. */
template <class T> static inline T shuffled(u32 mask, T v, int from, int width) {
    const lanes::meeting &met = lanes::meet(lanes::SHUFFLE, mask, lanes::bits_of(v));
    const int segment = (int)(lanes::lane() & ~((u32)width - 1));
    return from < segment || from >= segment + width ? v : lanes::value_at<T>(met, (u32)from);
}
template <class T> static inline T __shfl_up_sync(u32 mask, T v, u32 by, int width = 32) {
    return shuffled(mask, v, (int)lanes::lane() - (int)by, width);
}
template <class T> static inline T __shfl_down_sync(u32 mask, T v, u32 by, int width = 32) {
    return shuffled(mask, v, (int)(lanes::lane() + by), width);
}
template <class T> static inline T __shfl_xor_sync(u32 mask, T v, int by, int width = 32) {
    return shuffled(mask, v, (int)(lanes::lane() ^ (u32)by), width);
}
static inline u32 __reduce_add_sync(u32 mask, u32 v) {
    return lanes::fold(mask, v, 0, [](u32 a, u32 b) { return a + b; });
}
static inline u32 __reduce_and_sync(u32 mask, u32 v) {
    return lanes::fold(mask, v, 1, [](u32 a, u32 b) { return a & b; });
}
static inline u32 __reduce_or_sync(u32 mask, u32 v) {
    return lanes::fold(mask, v, 2, [](u32 a, u32 b) { return a | b; });
}
static inline u32 __reduce_xor_sync(u32 mask, u32 v) {
    return lanes::fold(mask, v, 3, [](u32 a, u32 b) { return a ^ b; });
}
static inline u32 __reduce_min_sync(u32 mask, u32 v) {
    return lanes::fold(mask, v, 4, [](u32 a, u32 b) { return a < b ? a : b; });
}
static inline u32 __reduce_max_sync(u32 mask, u32 v) {
    return lanes::fold(mask, v, 5, [](u32 a, u32 b) { return a > b ? a : b; });
}
static inline int __reduce_min_sync(u32 mask, int v) {
    return lanes::fold(mask, v, 6, [](int a, int b) { return a < b ? a : b; });
}
static inline int __reduce_max_sync(u32 mask, int v) {
    return lanes::fold(mask, v, 7, [](int a, int b) { return a > b ? a : b; });
}

namespace cooperative_groups {

struct thread_block {
    void sync() const {
        __syncthreads();
    }
    u32 thread_rank() const {
        return (u32)lanes::current;
    }
};

static inline thread_block this_thread_block() {
    return thread_block();
}

/* Threads of `mask` in the order of their lanes: any group but a block. */
struct group {
    u32 mask;
    u32 thread_rank() const {
        return __popc(mask & ((1u << lanes::lane()) - 1));
    }
    u32 size() const {
        return __popc(mask);
    }
    u32 num_threads() const {
        return size();
    }
    void sync() const {
        __syncwarp(mask);
    }
    int any(int p) const {
        return __any_sync(mask, p);
    }
    int all(int p) const {
        return __all_sync(mask, p);
    }
    /* Bits by lane become bits by rank. */
    u32 packed(u32 lanes) const {
        u32 ranks = 0;
        for (u32 l = 0, rank = 0; l < 32; l++)
            if (mask >> l & 1)
                ranks |= (lanes >> l & 1) << rank++;
        return ranks;
    }
    u32 ballot(int p) const {
        return packed(__ballot_sync(mask, p));
    }
    template <class T> u32 match_any(T v) const {
        return packed(__match_any_sync(mask, v));
    }
    template <class T> u32 match_all(T v, int &all) const {
        return packed(__match_all_sync(mask, v, &all));
    }
    u32 lane_of(u32 rank) const {
        u32 rest = mask;
        for (; rank > 0; rank--)
            rest &= rest - 1;
        return (u32)__builtin_ctz(rest);
    }
    template <class T> T from_rank(T v, int rank) const {
        const lanes::meeting &met = lanes::meet(lanes::SHUFFLE, mask, lanes::bits_of(v));
        return rank < 0 || rank >= (int)size() ? v : lanes::value_at<T>(met, lane_of((u32)rank));
    }
    template <class T> T shfl(T v, u32 rank) const {
        return from_rank(v, (int)rank);
    }
    template <class T> T shfl_up(T v, u32 by) const {
        return from_rank(v, (int)thread_rank() - (int)by);
    }
    template <class T> T shfl_down(T v, u32 by) const {
        return from_rank(v, (int)(thread_rank() + by));
    }
};

struct coalesced_group : group {};

template <int SIZE> struct thread_block_tile : group {
    u32 rank; /* of the tile in what it was made of */
    u32 meta_group_rank() const {
        return rank;
    }
    template <class T> T shfl_xor(T v, u32 by) const {
        return from_rank(v, (int)(thread_rank() ^ by));
    }
};

template <int SIZE, class PARENT>
static inline thread_block_tile<SIZE> tiled_partition(const PARENT &parent) {
    thread_block_tile<SIZE> tile;
    tile.mask = (u32)(((u64)1 << SIZE) - 1) << (lanes::lane() & ~(SIZE - 1u));
    tile.rank = parent.thread_rank() / SIZE;
    return tile;
}

template <class T> static inline coalesced_group labeled_partition(const group &parent, T label) {
    coalesced_group part;
    part.mask = __match_any_sync(parent.mask, label);
    return part;
}

static inline coalesced_group binary_partition(const group &parent, bool p) {
    return labeled_partition(parent, (u32)p);
}

/* The active threads; a single thread is a valid answer. */
static inline coalesced_group coalesced_threads() {
    coalesced_group alone;
    alone.mask = 1u << lanes::lane();
    return alone;
}

#define LANES_OPERATION(name, expression) \
    template <class T> struct name {      \
        T operator()(T a, T b) const {    \
            return expression;            \
        }                                 \
    };
LANES_OPERATION(plus, a + b)
LANES_OPERATION(less, b < a ? b : a)
LANES_OPERATION(greater, a < b ? b : a)
LANES_OPERATION(bit_and, a &b)
LANES_OPERATION(bit_or, a | b)
LANES_OPERATION(bit_xor, a ^ b)

/* Reduces the values of ranks [0, end). */
template <class T, class F>
static inline T folded(const group &g, const lanes::meeting &met, u32 end, T none, F f) {
    T sum = none;
    for (u32 rank = 0; rank < end; rank++) {
        T v = lanes::value_at<T>(met, g.lane_of(rank));
        sum = rank == 0 ? v : f(sum, v);
    }
    return sum;
}

template <class T, class F> static inline T reduce(const group &g, T v, F f) {
    const lanes::meeting &met = lanes::meet(lanes::REDUCE + 8, g.mask, lanes::bits_of(v));
    return folded(g, met, g.size(), T(), f);
}

template <class T, class F> static inline T inclusive_scan(const group &g, T v, F f) {
    const lanes::meeting &met = lanes::meet(lanes::REDUCE + 9, g.mask, lanes::bits_of(v));
    return folded(g, met, g.thread_rank() + 1, T(), f);
}

/* For rank 0: the neutral value of plus. */
template <class T> static inline T exclusive_scan(const group &g, T v, plus<T> f) {
    const lanes::meeting &met = lanes::meet(lanes::REDUCE + 9, g.mask, lanes::bits_of(v));
    return folded(g, met, g.thread_rank(), T(), f);
}

} // namespace cooperative_groups
