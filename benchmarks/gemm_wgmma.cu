/* SPDX-License-Identifier: MIT */
/*
 * gemm_wgmma.cu: matrix products whose operands the tensor cores read from shared memory
 * themselves (wgmma). That reading never conflicts (model/FINDINGS.md, 10); writing the tile may.
 * Threads write it 16 bytes at a time from registers that hold the next tile: as plain core
 * matrices of 8 rows x 16 bytes, with 16 bytes between them, or swizzled. Or the copy engine (TMA)
 * writes it: one warp requests tiles four steps ahead of the warps that multiply.
 *
 * Compiled for 9.0a only, since no other generation has the instruction. Tiles of C at an edge are
 * cut: rows and columns behind it are read as zeros and not written.
 */
#include <cuda.h>
#include <cuda_fp16.h>

#include "gemm_tile.h"
#include "launch.cuh"

#if CUDART_VERSION >= 12000

#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
#define HAS_WGMMA 1
#else
#define HAS_WGMMA 0
#endif

namespace {

constexpr unsigned tile = SMP_WGMMA_TILE, deep = SMP_GEMM_DEEP, threads = SMP_GEMM_THREADS;
constexpr unsigned piece = 8; /* halves per move: 16 bytes */

struct Sizes {
    unsigned side, depth; /* padded */
};

/* ---- Instructions ---- */

/* An operand's descriptor, in bytes. `leading`: the step from one core matrix to the next along k
 * (A) or from one k to the next (B); `stride`: the step in the other direction. Swizzled: 8 rows
 * of 128 bytes. */
struct Layout {
    unsigned leading, stride;
    bool swizzled;
};

__device__ __forceinline__ uint64_t descriptor(uint32_t start, Layout layout) {
    return (uint64_t)(start >> 4 & 0x3fff) | (uint64_t)(layout.leading >> 4 & 0x3fff) << 16 |
           (uint64_t)(layout.stride >> 4 & 0x3fff) << 32 | (uint64_t)layout.swizzled << 62;
}

#define F4(i) "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3])
#define F16(i) F4(i), F4(i + 4), F4(i + 8), F4(i + 12)
#define F64(i) F16(i), F16(i + 16), F16(i + 32), F16(i + 48)
#define D64                                                                                    \
    "%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,%16,%17,%18,%19,%20,%21,%22,%23,"   \
    "%24,%25,%26,%27,%28,%29,%30,%31,%32,%33,%34,%35,%36,%37,%38,%39,%40,%41,%42,%43,%44,%45," \
    "%46,%47,%48,%49,%50,%51,%52,%53,%54,%55,%56,%57,%58,%59,%60,%61,%62,%63"
#define D128                                                                                    \
    D64 ",%64,%65,%66,%67,%68,%69,%70,%71,%72,%73,%74,%75,%76,%77,%78,%79,%80,%81,%82,%83,%84," \
        "%85,%86,%87,%88,%89,%90,%91,%92,%93,%94,%95,%96,%97,%98,%99,%100,%101,%102,%103,%104," \
        "%105,%106,%107,%108,%109,%110,%111,%112,%113,%114,%115,%116,%117,%118,%119,%120,%121," \
        "%122,%123,%124,%125,%126,%127"

/* 64 x 128 of C, or 64 x 256; A along k, B along its columns. */
__device__ __forceinline__ void multiply(float (&d)[64], uint64_t a, uint64_t b) {
#if HAS_WGMMA
    asm volatile("wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16 {" D64
                 "}, %64, %65, 1, 1, 1, 0, 1;"
                 : F64(0)
                 : "l"(a), "l"(b));
#endif
}

__device__ __forceinline__ void multiply(float (&d)[128], uint64_t a, uint64_t b) {
#if HAS_WGMMA
    asm volatile("wgmma.mma_async.sync.aligned.m64n256k16.f32.f16.f16 {" D128
                 "}, %128, %129, 1, 1, 1, 0, 1;"
                 : F64(0), F64(64)
                 : "l"(a), "l"(b));
#endif
}

__device__ __forceinline__ void begin_products() {
#if HAS_WGMMA
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#endif
}

__device__ __forceinline__ void commit_products() {
#if HAS_WGMMA
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
#endif
}

/* Waits until at most `Left` groups are in flight. */
template <int Left, int N> __device__ __forceinline__ void wait_products(float (&d)[N]) {
#if HAS_WGMMA
#pragma unroll
    for (int i = 0; i < N; i++)
        asm volatile("" : "+f"(d[i])::"memory");
    asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(Left) : "memory");
#pragma unroll
    for (int i = 0; i < N; i++)
        asm volatile("" : "+f"(d[i])::"memory");
#endif
}

/* Makes the threads' stores visible to the tensor cores. */
__device__ __forceinline__ void publish() {
#if HAS_WGMMA
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
#endif
}

/* The rows of a warpgroup's product. Element i of a thread: column i / 4 * 8 + lane % 4 * 2 + i %
 * 2, row lane / 4 + i / 2 % 2 * 8 of the warp's 16. */
template <int N>
__device__ __forceinline__ void write(float *c, const float (&d)[N], unsigned row0,
                                      unsigned column0, Sizes sizes) {
    const unsigned lane = threadIdx.x % SMP_LANES, warp = threadIdx.x / SMP_LANES % 4;
#pragma unroll
    for (unsigned i = 0; i < N / 2; i++) {
        const unsigned row = row0 + warp * 16 + lane / 4 + i % 2 * 8;
        const unsigned column = column0 + i / 2 * 8 + lane % 4 * 2;
        if (row < sizes.side && column < sizes.side)
            *reinterpret_cast<float2 *>(&c[(size_t)row * sizes.side + column]) =
                make_float2(d[2 * i], d[2 * i + 1]);
    }
}

/* ---- Threads write the tiles ---- */

/* The byte offset of the 16 bytes that begin with column `at` of row `row`. A has 64 columns, B
 * 128. Plain core matrices are adjacent down the rows; columns of them are `Pad` bytes apart. */
enum Kind { A, B };

template <Kind K, bool Swizzled, unsigned Pad>
__device__ __forceinline__ unsigned place(unsigned row, unsigned at) {
    constexpr unsigned rows = K == A ? tile : deep;
    if constexpr (Swizzled) /* pieces of 64 columns: rows of 128 bytes */
        return (at / deep * rows + row) * 128 + (at % deep / piece ^ row % 8) * 16;
    else
        return at / piece * (rows * 16 + Pad) + row * 16;
}

template <bool Swizzled, unsigned Pad> __host__ __device__ constexpr Layout layout_of(Kind kind) {
    if (Swizzled)
        return {kind == A ? 16u : deep * 128, 1024, true};
    if (kind == A)
        return {tile * 16 + Pad, 128, false};
    return {128, deep * 16 + Pad, false};
}

/* One operand's tile in registers: 4 pieces per thread. */
template <Kind K> struct Piece {
    uint4 at[4];
    static constexpr unsigned wide = (K == A ? deep : tile) / piece;

    static __device__ __forceinline__ unsigned row(unsigned i) {
        return (threadIdx.x + i * threads) / wide;
    }
    static __device__ __forceinline__ unsigned column(unsigned i) {
        return (threadIdx.x + i * threads) % wide * piece;
    }
    /* `from` is the tile's corner; `rows` and `columns` are its sizes inside the matrix. */
    __device__ __forceinline__ void load(const __half *from, size_t pitch, unsigned rows,
                                         unsigned columns) {
#pragma unroll
        for (unsigned i = 0; i < 4; i++) {
            at[i] = make_uint4(0, 0, 0, 0);
            if (row(i) < rows && column(i) < columns)
                at[i] = *reinterpret_cast<const uint4 *>(&from[row(i) * pitch + column(i)]);
        }
    }
    template <bool Swizzled, unsigned Pad>
    __device__ __forceinline__ void store(unsigned char *to) const {
#pragma unroll
        for (unsigned i = 0; i < 4; i++)
            *reinterpret_cast<uint4 *>(&to[place<K, Swizzled, Pad>(row(i), column(i))]) = at[i];
    }
};

template <bool Swizzled, unsigned Pad>
__global__ void __launch_bounds__(threads)
    by_warpgroups(const __half *__restrict__ a, const __half *__restrict__ b, float *__restrict__ c,
                  Sizes sizes) {
    constexpr unsigned half = SMP_WGMMA_BYTES(Pad) / 2; /* in shared memory: A, then B */
    constexpr Layout of_a = layout_of<Swizzled, Pad>(A), of_b = layout_of<Swizzled, Pad>(B);
    extern __shared__ __align__(1024) unsigned char shared[];
    const unsigned across = (sizes.side + tile - 1) / tile;
    const unsigned row0 = blockIdx.x / across * tile, column0 = blockIdx.x % across * tile;
    const unsigned group = threadIdx.x / 128;
    float sum[64] = {};
    Piece<A> next_a;
    Piece<B> next_b;
    a += (size_t)row0 * sizes.depth;
    b += column0;
    next_a.load(a, sizes.depth, sizes.side - row0, deep);
    next_b.load(b, sizes.side, deep, sizes.side - column0);
#pragma unroll 1
    for (unsigned k = 0; k < sizes.depth; k += deep) {
        unsigned char *to = shared + k / deep % 2 * (2 * half);
        next_a.template store<Swizzled, Pad>(to);
        next_b.template store<Swizzled, Pad>(to + half);
        publish();
        wait_products<0>(sum); /* of the previous tile, whose place is written next */
        __syncthreads();
        begin_products();
        const uint32_t at = (uint32_t)__cvta_generic_to_shared(to);
#pragma unroll
        for (unsigned kk = 0; kk < deep; kk += 16) {
            const uint32_t from_a = Swizzled ? at + group * 64 * 128 + kk * 2
                                             : at + place<A, false, Pad>(group * 64, kk);
            multiply(sum, descriptor(from_a, of_a),
                     descriptor(at + half + place<B, Swizzled, Pad>(kk, 0), of_b));
        }
        commit_products();
        if (k + deep < sizes.depth) {
            next_a.load(a + k + deep, sizes.depth, sizes.side - row0, deep);
            next_b.load(b + (size_t)(k + deep) * sizes.side, sizes.side, deep,
                        sizes.side - column0);
        }
    }
    wait_products<0>(sum);
    write(c, sum, row0 + group * 64, column0, sizes);
}

/* ---- The copy engine writes the tiles ---- */

constexpr unsigned wide = SMP_WGMMA_WIDE, stages = SMP_WGMMA_STAGES;
constexpr unsigned a_bytes = tile * deep * 2, stage_bytes = SMP_WGMMA_STAGE;
constexpr unsigned multipliers = 2 * 128; /* threads */

__device__ __forceinline__ void prepare(uint32_t barrier, unsigned count) {
#if HAS_WGMMA
    asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(barrier), "r"(count) : "memory");
#endif
}

__device__ __forceinline__ void expect(uint32_t barrier, unsigned bytes) {
#if HAS_WGMMA
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes)
                 : "memory");
#endif
}

__device__ __forceinline__ void arrive(uint32_t barrier) {
#if HAS_WGMMA
    asm volatile("mbarrier.arrive.shared.b64 _, [%0];" ::"r"(barrier) : "memory");
#endif
}

__device__ __forceinline__ void wait(uint32_t barrier, unsigned parity) {
#if HAS_WGMMA
    asm volatile("{\n\t.reg .pred done;\nagain:\n\t"
                 "mbarrier.try_wait.parity.shared.b64 done, [%0], %1;\n\t"
                 "@!done bra again;\n\t}" ::"r"(barrier),
                 "r"(parity)
                 : "memory");
#endif
}

__device__ __forceinline__ void copy(uint32_t to, const CUtensorMap &map, unsigned x, unsigned y,
                                     uint32_t barrier) {
#if HAS_WGMMA
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes "
                 "[%0], [%1, {%2, %3}], [%4];" ::"r"(to),
                 "l"(&map), "r"(x), "r"(y), "r"(barrier)
                 : "memory");
#endif
}

template <int Registers> __device__ __forceinline__ void take_registers() {
#if HAS_WGMMA
    if constexpr (Registers > 168)
        asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(Registers));
    else
        asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(Registers));
#endif
}

/* Barriers: `stages` for tiles that have arrived, then `stages` for tiles that may be overwritten.
 */
__device__ void fetch_tiles(uint32_t at, uint32_t barriers, const CUtensorMap &a,
                            const CUtensorMap &b, unsigned row0, unsigned column0, unsigned depth) {
    for (unsigned k = 0, step = 0; k < depth; k += deep, step++) {
        const unsigned stage = step % stages, round = step / stages;
        const uint32_t full = barriers + stage * 8, to = at + stage * stage_bytes;
        wait(full + stages * 8, round % 2 ^ 1);
        expect(full, stage_bytes);
        copy(to, a, k, row0, full);
#pragma unroll
        for (unsigned n = 0; n < wide; n += deep)
            copy(to + a_bytes + n * deep * 2, b, column0 + n, k, full);
    }
}

__device__ __forceinline__ void multiply_tiles(float (&sum)[128], uint32_t at, uint32_t barriers,
                                               unsigned group, unsigned depth) {
    constexpr Layout of_a = {16, 1024, true}, of_b = {deep * 128, 1024, true};
#pragma unroll 1
    for (unsigned k = 0, step = 0; k < depth; k += deep, step++) {
        const unsigned stage = step % stages;
        const uint32_t full = barriers + stage * 8, from = at + stage * stage_bytes;
        wait(full, step / stages % 2);
        begin_products();
#pragma unroll
        for (unsigned kk = 0; kk < deep; kk += 16)
            multiply(sum, descriptor(from + group * 64 * 128 + kk * 2, of_a),
                     descriptor(from + a_bytes + kk * 128, of_b));
        commit_products();
        wait_products<1>(sum); /* of the previous tile */
        if (step > 0 && threadIdx.x % 128 == 0)
            arrive(barriers + (stages + (step - 1) % stages) * 8);
    }
    wait_products<0>(sum);
}

__global__ void __launch_bounds__(SMP_WGMMA_THREADS)
    by_copies(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b,
              float *__restrict__ c, Sizes sizes) {
    extern __shared__ __align__(1024) unsigned char shared[];
    const uint32_t at = (uint32_t)__cvta_generic_to_shared(shared);
    const uint32_t barriers = at + stages * stage_bytes;
    const unsigned across = (sizes.side + wide - 1) / wide;
    const unsigned row0 = blockIdx.x / across * tile, column0 = blockIdx.x % across * wide;
    if (threadIdx.x == 0) {
        for (unsigned i = 0; i < 2 * stages; i++)
            prepare(barriers + i * 8, i < stages ? 1 : 2);
        publish();
    }
    __syncthreads();
    if (threadIdx.x >= multipliers) {
        take_registers<40>();
        if (threadIdx.x == multipliers)
            fetch_tiles(at, barriers, a, b, row0, column0, sizes.depth);
        return;
    }
    take_registers<232>();
    const unsigned group = threadIdx.x / 128;
    float sum[128] = {};
    multiply_tiles(sum, at, barriers, group, sizes.depth);
    write(c, sum, row0 + group * 64, column0, sizes);
}

/* ---- Launches ---- */

smp_status needs_9_0(smp_error *error) {
    int device = 0, major = 0;
    if (cudaGetDevice(&device) == cudaSuccess &&
        cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device) == cudaSuccess &&
        major == 9)
        return SMP_OK;
    return smp_error_set(error, SMP_E_NOT_BUILT, -1, "wgmma is an instruction of 9.0 only");
}

template <bool Swizzled, unsigned Pad>
smp_status start(const smp_kernel_launch *run, const char *name, smp_error *error) {
    const smp_gemm_plan plan = smp_gemm_plan_of(run->problem);
    const __half *a = static_cast<const __half *>(run->in);
    const uint64_t across = smp_divide_up(plan.side, tile);
    const smp_status status = needs_9_0(error);
    if (status != SMP_OK)
        return status;
    return smp::launch(run, name, by_warpgroups<Swizzled, Pad>,
                       {across * across, threads, 2 * SMP_WGMMA_BYTES(Pad)}, error, a,
                       a + plan.side * plan.depth, static_cast<float *>(run->out),
                       Sizes{(unsigned)plan.side, (unsigned)plan.depth});
}

/* Boxes of 64 halves x `rows`, swizzled, of a matrix of whole rows. */
smp_status encode(CUtensorMap *out, const __half *matrix, uint64_t columns, uint64_t rows,
                  uint32_t box_rows, smp_error *error) {
    void *symbol = nullptr;
    cudaDriverEntryPointQueryResult found;
    const cuuint64_t sizes[2] = {columns, rows}, pitch[1] = {columns * sizeof(__half)};
    const cuuint32_t box[2] = {deep, box_rows}, step[2] = {1, 1};
#if CUDART_VERSION >= 12050
    const cudaError_t code = cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &symbol,
                                                              12000, cudaEnableDefault, &found);
#else
    const cudaError_t code =
        cudaGetDriverEntryPoint("cuTensorMapEncodeTiled", &symbol, cudaEnableDefault, &found);
#endif
    if (code != cudaSuccess || !symbol)
        return smp_error_set(error, SMP_E_CUDA, -1, "the driver has no cuTensorMapEncodeTiled");
    const CUresult result = reinterpret_cast<decltype(&cuTensorMapEncodeTiled)>(symbol)(
        out, CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 2, const_cast<__half *>(matrix), sizes, pitch, box,
        step, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
        CU_TENSOR_MAP_L2_PROMOTION_L2_256B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    if (result != CUDA_SUCCESS)
        return smp_error_set(error, SMP_E_CUDA, -1, "cuTensorMapEncodeTiled: error %d",
                             (int)result);
    return SMP_OK;
}

} // namespace

smp_status smp_gemm_launch_wgmma(const smp_kernel_launch *run, smp_error *error) {
    return start<false, 0>(run, "wgmma", error);
}

smp_status smp_gemm_launch_wgmma_padded(const smp_kernel_launch *run, smp_error *error) {
    return start<false, SMP_WGMMA_PAD>(run, "wgmma-pad", error);
}

smp_status smp_gemm_launch_wgmma_swizzled(const smp_kernel_launch *run, smp_error *error) {
    return start<true, 0>(run, "wgmma-xor", error);
}

smp_status smp_gemm_launch_wgmma_tma(const smp_kernel_launch *run, smp_error *error) {
    const smp_gemm_plan plan = smp_gemm_plan_of(run->problem);
    const __half *a = static_cast<const __half *>(run->in);
    CUtensorMap map_a = {}, map_b = {};
    smp_status status = needs_9_0(error);
    if (status == SMP_OK)
        status = encode(&map_a, a, plan.depth, plan.side, tile, error);
    if (status == SMP_OK)
        status = encode(&map_b, a + plan.side * plan.depth, plan.side, plan.depth, deep, error);
    if (status != SMP_OK)
        return status;
    return smp::launch(run, "wgmma-tma", by_copies,
                       {smp_divide_up(plan.side, tile) * smp_divide_up(plan.side, wide),
                        SMP_WGMMA_THREADS, SMP_WGMMA_TMA_BYTES},
                       error, map_a, map_b, static_cast<float *>(run->out),
                       Sizes{(unsigned)plan.side, (unsigned)plan.depth});
}

#else /* the toolkit does not have the instruction */

static smp_status too_old(smp_error *error) {
    return smp_error_set(error, SMP_E_NOT_BUILT, -1, "wgmma needs CUDA 12 or later to be built");
}

smp_status smp_gemm_launch_wgmma(const smp_kernel_launch *, smp_error *error) {
    return too_old(error);
}

smp_status smp_gemm_launch_wgmma_padded(const smp_kernel_launch *, smp_error *error) {
    return too_old(error);
}

smp_status smp_gemm_launch_wgmma_swizzled(const smp_kernel_launch *, smp_error *error) {
    return too_old(error);
}

smp_status smp_gemm_launch_wgmma_tma(const smp_kernel_launch *, smp_error *error) {
    return too_old(error);
}

#endif
