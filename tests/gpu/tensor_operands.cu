/* SPDX-License-Identifier: MIT */
/*
 * tensor_operands.cu: does wgmma wait for shared memory, and do bulk copies conflict there
 * (model/FINDINGS.md, 10 and 11)? `tensor_operands wgmma|tma|bulk COUNT [METRIC...]` writes a CSV
 * to stdout: designed operands first, then COUNT random ones, each with clocks and with the
 * counters named. CC 9.0 only; exits with 77 where there is no GPU.
 */
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include <cuda.h>
#include <cuda_runtime.h>

extern "C" {
#include "gpu_access.h"
}
#include "smp_probes.h"

namespace {

constexpr uint32_t shared_bytes = 200 * 1024, warpgroup = 128, repeats = 32;

/* ---- wgmma ---- */

/* What a descriptor says of one operand, in bytes; swizzle 0, 32, 64, 128. */
struct Operand {
    uint32_t start, leading, stride, swizzle;
};

struct Product {
    uint32_t columns; /* N: 8, 64, 128, 256 */
    bool a_in_registers, a_turned, b_turned;
    Operand a, b;
};

uint64_t descriptor(const Operand &o) {
    const uint64_t mode = o.swizzle == 128 ? 1 : o.swizzle == 64 ? 2 : o.swizzle == 32 ? 3 : 0;
    return (uint64_t)(o.start >> 4 & 0x3fff) | (uint64_t)(o.leading >> 4 & 0x3fff) << 16 |
           (uint64_t)(o.stride >> 4 & 0x3fff) << 32 | mode << 62;
}

struct WgmmaWork {
    uint64_t a, b;
    uint32_t count;
    long long *cycles;
    float *sink;
};

#define F4(i) "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3])
#define F16(i) F4(i), F4(i + 4), F4(i + 8), F4(i + 12)
#define F32(i) F16(i), F16(i + 16)
#define F64(i) F32(i), F32(i + 32)
#define F128(i) F32(i), F32(i + 32), F32(i + 64), F32(i + 96)
#define D4 "%0,%1,%2,%3"
#define D32                                                                                      \
    D4 ",%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26," \
       "%27,%28,%29,%30,%31"
#define D64                                                                                     \
    D32 ",%32,%33,%34,%35,%36,%37,%38,%39,%40,%41,%42,%43,%44,%45,%46,%47,%48,%49,%50,%51,%52," \
        "%53,%54,%55,%56,%57,%58,%59,%60,%61,%62,%63"
#define D128                                                                                    \
    D64 ",%64,%65,%66,%67,%68,%69,%70,%71,%72,%73,%74,%75,%76,%77,%78,%79,%80,%81,%82,%83,%84," \
        "%85,%86,%87,%88,%89,%90,%91,%92,%93,%94,%95,%96,%97,%98,%99,%100,%101,%102,%103,%104," \
        "%105,%106,%107,%108,%109,%110,%111,%112,%113,%114,%115,%116,%117,%118,%119,%120,%121," \
        "%122,%123,%124,%125,%126,%127"

#define WGMMA_SS(N, DS, FS, A, B, TA, TB)                                                     \
    asm volatile("wgmma.mma_async.sync.aligned.m64n" #N "k16.f32.f16.f16 {" DS "}, " A ", " B \
                 ", 1, 1, 1, " TA ", " TB ";"                                                 \
                 : FS                                                                         \
                 : "l"(work.a), "l"(work.b), "n"(TurnA), "n"(TurnB))
#define WGMMA_RS(N, DS, FS, A0, A1, A2, A3, B, TB)                                              \
    asm volatile("wgmma.mma_async.sync.aligned.m64n" #N "k16.f32.f16.f16 {" DS "}, {" A0 "," A1 \
                 "," A2 "," A3 "}, " B ", 1, 1, 1, " TB ";"                                     \
                 : FS                                                                           \
                 : "r"(fragment[0]), "r"(fragment[1]), "r"(fragment[2]), "r"(fragment[3]),      \
                   "l"(work.b), "n"(TurnB))

template <int N, bool Registers, int TurnA, int TurnB>
__global__ void __launch_bounds__(warpgroup) wgmma(const __grid_constant__ WgmmaWork work) {
    extern __shared__ __align__(1024) unsigned char shared[];
    for (uint32_t i = threadIdx.x; i < shared_bytes / 4; i += warpgroup)
        reinterpret_cast<uint32_t *>(shared)[i] = 0;
    asm volatile("fence.proxy.async;" ::: "memory");
    __syncthreads();
    float d[N / 2] = {};
    uint32_t fragment[4] = {};
    const long long start = clock64();
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll 1
    for (uint32_t i = 0; i < work.count; i++) {
        if constexpr (Registers) {
            if constexpr (N == 8)
                WGMMA_RS(8, D4, F4(0), "%4", "%5", "%6", "%7", "%8", "%9");
            if constexpr (N == 64)
                WGMMA_RS(64, D32, F32(0), "%32", "%33", "%34", "%35", "%36", "%37");
            if constexpr (N == 128)
                WGMMA_RS(128, D64, F64(0), "%64", "%65", "%66", "%67", "%68", "%69");
            if constexpr (N == 256)
                WGMMA_RS(256, D128, F128(0), "%128", "%129", "%130", "%131", "%132", "%133");
        } else {
            if constexpr (N == 8)
                WGMMA_SS(8, D4, F4(0), "%4", "%5", "%6", "%7");
            if constexpr (N == 64)
                WGMMA_SS(64, D32, F32(0), "%32", "%33", "%34", "%35");
            if constexpr (N == 128)
                WGMMA_SS(128, D64, F64(0), "%64", "%65", "%66", "%67");
            if constexpr (N == 256)
                WGMMA_SS(256, D128, F128(0), "%128", "%129", "%130", "%131");
        }
    }
    asm volatile("wgmma.commit_group.sync.aligned;\n\twgmma.wait_group.sync.aligned 0;" ::
                     : "memory");
    const long long stop = clock64();
    float sum = 0;
    for (int i = 0; i < N / 2; i++)
        sum += d[i];
    if (threadIdx.x == 0)
        *work.cycles = stop - start;
    if (sum == 1)
        *work.sink = sum;
}

template <int N> auto kernel_of_columns(const Product &p) -> void (*)(WgmmaWork) {
    if (p.a_in_registers)
        return p.b_turned ? wgmma<N, true, 0, 1> : wgmma<N, true, 0, 0>;
    if (p.a_turned)
        return p.b_turned ? wgmma<N, false, 1, 1> : wgmma<N, false, 1, 0>;
    return p.b_turned ? wgmma<N, false, 0, 1> : wgmma<N, false, 0, 0>;
}

auto kernel_of(const Product &p) -> void (*)(WgmmaWork) {
    switch (p.columns) {
    case 8:
        return kernel_of_columns<8>(p);
    case 64:
        return kernel_of_columns<64>(p);
    case 128:
        return kernel_of_columns<128>(p);
    default:
        return kernel_of_columns<256>(p);
    }
}

/* ---- Copies in bulk ---- */

struct Copy {
    bool to_global;
    uint32_t bytes;                  /* of one copy */
    uint32_t box[2];                 /* elements of 2 bytes, rows; 0: no tensor */
    uint32_t swizzle;                /* 0, 32, 64, 128 */
    uint32_t start, step, from_step; /* bytes between copies, in shared and in global memory */
};

struct CopyWork {
    CUtensorMap map;
    Copy copy;
    uint32_t count;
    unsigned char *global;
    long long *cycles;
};

__device__ void copy_in(const CopyWork &work, uint32_t i, uint32_t to, uint32_t barrier) {
    if (work.copy.box[0])
        asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::"
                     "bytes [%0], [%1, {%2, %3}], [%4];" ::"r"(to),
                     "l"(&work.map), "r"(0), "r"(i % 8 * work.copy.box[1]), "r"(barrier)
                     : "memory");
    else
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], "
                     "[%1], %2, [%3];" ::"r"(to),
                     "l"(work.global + i % 8 * work.copy.from_step), "r"(work.copy.bytes),
                     "r"(barrier)
                     : "memory");
}

__device__ void copy_out(const CopyWork &work, uint32_t i, uint32_t from) {
    if (work.copy.box[0])
        asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%0, {%1, %2}], "
                     "[%3];" ::"l"(&work.map),
                     "r"(0), "r"(i % 8 * work.copy.box[1]), "r"(from)
                     : "memory");
    else
        asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(
                         work.global + i % 8 * work.copy.from_step),
                     "r"(from), "r"(work.copy.bytes)
                     : "memory");
}

__global__ void __launch_bounds__(32) bulk(const __grid_constant__ CopyWork work) {
    extern __shared__ __align__(1024) unsigned char shared[];
    __shared__ __align__(8) uint64_t ready;
    const uint32_t barrier = (uint32_t)__cvta_generic_to_shared(&ready);
    const uint32_t base = (uint32_t)__cvta_generic_to_shared(shared) + work.copy.start;
    if (threadIdx.x != 0)
        return;
    asm volatile("mbarrier.init.shared.b64 [%0], 1;\n\tfence.proxy.async;" ::"r"(barrier)
                 : "memory");
    for (uint32_t round = 0; round < 2; round++) { /* the first brings everything into L2 */
        const uint32_t count = round ? work.count : work.count < 8 ? work.count : 8;
        const long long start = clock64();
        if (work.copy.to_global) {
            for (uint32_t i = 0; i < count; i++)
                copy_out(work, i, base + i % 8 * work.copy.step);
            asm volatile("cp.async.bulk.commit_group;\n\tcp.async.bulk.wait_group 0;" ::: "memory");
        } else {
            asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(barrier),
                         "r"(count * work.copy.bytes)
                         : "memory");
            for (uint32_t i = 0; i < count; i++)
                copy_in(work, i, base + i % 8 * work.copy.step, barrier);
            uint32_t done = 0;
            while (!done)
                asm volatile("{\n\t.reg .pred p;\n\tmbarrier.try_wait.parity.shared.b64 p, [%1], "
                             "%2;\n\tselp.u32 %0, 1, 0, p;\n\t}"
                             : "=r"(done)
                             : "r"(barrier), "r"(round)
                             : "memory");
        }
        *work.cycles = clock64() - start;
    }
}

/* ---- Running ---- */

struct Run {
    std::vector<Product> products;
    std::vector<Copy> copies;
    std::vector<CopyWork> copy_work;
    unsigned char *memory;
    long long *cycles;
    float *sink;
};

cudaError_t launch_product(const Run &r, const Product &p, uint32_t count) {
    const auto kernel = kernel_of(p);
    WgmmaWork work = {descriptor(p.a), descriptor(p.b), count, r.cycles, r.sink};
    cudaFuncSetAttribute((const void *)kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                         shared_bytes);
    kernel<<<1, warpgroup, shared_bytes>>>(work);
    return cudaGetLastError();
}

cudaError_t launch_copy(const CopyWork &work) {
    cudaFuncSetAttribute((const void *)bulk, cudaFuncAttributeMaxDynamicSharedMemorySize,
                         shared_bytes);
    bulk<<<1, 32, shared_bytes>>>(work);
    return cudaGetLastError();
}

/* Ranges 2 i and 2 i + 1: `repeats` and twice as many of item i. */
smp_status launch(void *user, size_t index, smp_error *error) {
    const Run &r = *static_cast<const Run *>(user);
    cudaError_t code;
    const uint32_t count = repeats * (1 + (uint32_t)(index % 2));
    if (!r.products.empty()) {
        code = launch_product(r, r.products[index / 2], count);
    } else {
        CopyWork work = r.copy_work[index / 2];
        work.count = count;
        code = launch_copy(work);
    }
    if (code == cudaSuccess)
        return SMP_OK;
    return smp_error_set(error, SMP_E_CUDA, -1, "launch: %s", cudaGetErrorString(code));
}

/* Clocks of one more: the difference of two launches, the least of several. */
double cycles_of(Run &r, size_t item) {
    long long best[2] = {INT64_MAX, INT64_MAX};
    for (int i = 0; i < 10; i++) {
        long long cycles = 0;
        launch(&r, 2 * item + (size_t)(i % 2), nullptr);
        if (cudaDeviceSynchronize() != cudaSuccess)
            return -1;
        cudaMemcpy(&cycles, r.cycles, sizeof cycles, cudaMemcpyDeviceToHost);
        best[i % 2] = cycles < best[i % 2] ? cycles : best[i % 2];
    }
    return (double)(best[1] - best[0]) / repeats;
}

void add_products(std::vector<Product> &out, size_t random_count) {
    const uint32_t columns[] = {8, 64, 128, 256}, swizzles[] = {0, 32, 64, 128};
    for (uint32_t n : columns)
        for (uint32_t s : swizzles)
            for (uint32_t turned = 0; turned < 4; turned++)
                for (int registers = 0; registers < 2; registers++) {
                    const Operand a = {0, s ? 16u : 128u, s ? 8 * s : 256u, s};
                    Operand b = a;
                    b.start = 16384;
                    if (registers && turned & 1)
                        continue;
                    out.push_back({n, registers != 0, (turned & 1) != 0, (turned & 2) != 0, a, b});
                }
    gpu_random random = {2026};
    for (size_t i = 0; i < random_count; i++) {
        Product p = {};
        p.columns = columns[gpu_random_below(&random, 4)];
        p.a_in_registers = gpu_random_below(&random, 3) == 0;
        p.a_turned = !p.a_in_registers && gpu_random_below(&random, 2);
        p.b_turned = gpu_random_below(&random, 2);
        for (Operand *o : {&p.a, &p.b}) {
            o->swizzle = swizzles[gpu_random_below(&random, 4)];
            o->start = gpu_random_below(&random, 512) * 16;
            o->leading = gpu_random_below(&random, 128) * 16;
            o->stride = gpu_random_below(&random, 128) * 16;
        }
        out.push_back(p);
    }
}

void add_tensors(std::vector<Copy> &out, size_t random_count) {
    const uint32_t swizzles[] = {0, 32, 64, 128};
    for (int to_global = 0; to_global < 2; to_global++)
        for (uint32_t s : swizzles)
            for (uint32_t width = 8; width <= (s ? s / 2 : 256u); width *= 2)
                for (uint32_t rows = 8; rows <= 128 && width * rows <= 4096; rows *= 4)
                    out.push_back(
                        {to_global != 0, 2 * width * rows, {width, rows}, s, 0, 16384, 0});
    gpu_random random = {2027};
    for (size_t i = 0; i < random_count; i++) {
        Copy c = {};
        c.to_global = gpu_random_below(&random, 2);
        c.swizzle = swizzles[gpu_random_below(&random, 4)];
        c.box[0] = 8 * (1 + gpu_random_below(&random, c.swizzle ? c.swizzle / 16 : 16));
        c.box[1] = 1 + gpu_random_below(&random, 4096 / c.box[0] < 64 ? 4096 / c.box[0] : 64);
        c.bytes = 2 * c.box[0] * c.box[1];
        c.start = gpu_random_below(&random, 2) * 1024;
        c.step = 20 * 1024;
        out.push_back(c);
    }
}

void add_bulk(std::vector<Copy> &out, size_t random_count) {
    for (int to_global = 0; to_global < 2; to_global++)
        for (uint32_t bytes = 16; bytes <= 8192; bytes *= 2)
            for (uint32_t start = 0; start <= 64; start = start ? 2 * start : 16)
                for (uint32_t step : {1024u, 1040u, 16384u})
                    out.push_back({to_global != 0, bytes, {0, 0}, 0, start, step, 8192});
    gpu_random random = {2028};
    for (size_t i = 0; i < random_count; i++) {
        Copy c = {};
        c.to_global = gpu_random_below(&random, 2);
        c.bytes = 16 * (1 + gpu_random_below(&random, 256));
        c.start = 16 * gpu_random_below(&random, 64);
        c.step = 16 * gpu_random_below(&random, 1024);
        c.from_step = 16 * gpu_random_below(&random, 1024);
        out.push_back(c);
    }
}

typedef CUresult (*encode_fn)(CUtensorMap *, CUtensorMapDataType, cuuint32_t, void *,
                              const cuuint64_t *, const cuuint64_t *, const cuuint32_t *,
                              const cuuint32_t *, CUtensorMapInterleave, CUtensorMapSwizzle,
                              CUtensorMapL2promotion, CUtensorMapFloatOOBfill);

/* A tensor of 512 columns of 2 bytes. */
bool encode(CopyWork *work, void *memory) {
    void *entry = nullptr;
    cudaDriverEntryPointQueryResult found;
    if (cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &entry, 12000, cudaEnableDefault,
                                         &found) != cudaSuccess ||
        !entry)
        return false;
    const uint32_t s = work->copy.swizzle;
    const cuuint64_t size[2] = {512, 4096}, pitch[1] = {1024};
    const cuuint32_t step[2] = {1, 1};
    const CUtensorMapSwizzle swizzle = s == 128  ? CU_TENSOR_MAP_SWIZZLE_128B
                                       : s == 64 ? CU_TENSOR_MAP_SWIZZLE_64B
                                       : s == 32 ? CU_TENSOR_MAP_SWIZZLE_32B
                                                 : CU_TENSOR_MAP_SWIZZLE_NONE;
    return reinterpret_cast<encode_fn>(entry)(
               &work->map, CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 2, memory, size, pitch, work->copy.box,
               step, CU_TENSOR_MAP_INTERLEAVE_NONE, swizzle, CU_TENSOR_MAP_L2_PROMOTION_NONE,
               CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) == CUDA_SUCCESS;
}

void print_item(const Run &r, size_t i) {
    if (!r.products.empty()) {
        const Product &p = r.products[i];
        std::printf("wgmma,%u,%s,%d,%d", p.columns, p.a_in_registers ? "registers" : "shared",
                    p.a_turned, p.b_turned);
        for (const Operand *o : {&p.a, &p.b})
            std::printf(",%u,%u,%u,%u", o->start, o->leading, o->stride, o->swizzle);
    } else {
        const Copy &c = r.copies[i];
        std::printf("%s,%s,%u,%u,%u,%u,%u,%u,%u", c.box[0] ? "tensor" : "bulk",
                    c.to_global ? "out" : "in", c.bytes, c.box[0] * 2, c.box[1], c.swizzle, c.start,
                    c.step, c.from_step);
    }
}

bool measure(smp_probe *probe, Run &r, const std::vector<const char *> &metrics) {
    const size_t count = r.products.empty() ? r.copies.size() : r.products.size();
    std::vector<double> values(count * 2 * metrics.size());
    smp_error error = {};
    size_t done = 2 * count;
    std::vector<double> cycles;
    for (size_t i = 0; i < count; i++)
        cycles.push_back(cycles_of(r, i));
    smp_status status = SMP_OK;
    if (!metrics.empty())
        status = smp_probe_ranges(probe, metrics.data(), metrics.size(), launch, &r, 2 * count,
                                  values.data(), nullptr, nullptr, &done, &error);
    if (status != SMP_OK)
        std::fprintf(stderr, "tensor_operands: %s\n", error.message);
    for (size_t i = 0; i < count; i++) {
        print_item(r, i);
        std::printf(",%.3f", cycles[i]);
        for (size_t m = 0; m < metrics.size() && 2 * i + 1 < done; m++)
            std::printf(",%.4f", (values[(2 * i + 1) * metrics.size() + m] -
                                  values[2 * i * metrics.size() + m]) /
                                     repeats);
        std::printf("\n");
    }
    return status == SMP_OK;
}

} // namespace

int main(int argc, char **argv) {
    const std::string what = argc > 1 ? argv[1] : "";
    const size_t count = argc > 2 ? std::strtoul(argv[2], nullptr, 10) : 100;
    const std::vector<const char *> metrics(argv + (argc > 3 ? 3 : argc), argv + argc);
    if (what != "wgmma" && what != "tma" && what != "bulk") {
        std::fprintf(stderr, "usage: tensor_operands wgmma|tma|bulk [COUNT [METRIC...]]\n");
        return 2;
    }
    smp_probe *probe = nullptr;
    smp_error error = {};
    const smp_status status = smp_probe_open(0, &probe, &error);
    if (status != SMP_OK) {
        std::fprintf(stderr, "tensor_operands: %s\n", error.message);
        return smp_status_exit(status);
    }
    Run r = {};
    bool good = cudaMalloc(&r.memory, 1 << 23) == cudaSuccess &&
                cudaMalloc(&r.cycles, 4096) == cudaSuccess &&
                cudaMalloc(&r.sink, 4096) == cudaSuccess &&
                cudaMemset(r.memory, 0, 1 << 23) == cudaSuccess;
    if (what == "wgmma")
        add_products(r.products, count);
    else if (what == "tma")
        add_tensors(r.copies, count);
    else
        add_bulk(r.copies, count);
    for (const Copy &c : r.copies) {
        CopyWork work = {};
        work.copy = c;
        work.global = r.memory;
        work.cycles = r.cycles;
        good = good && (!c.box[0] || encode(&work, r.memory));
        r.copy_work.push_back(work);
    }
    const smp_device *device = smp_probe_device(probe);
    std::printf("# gpu: %s\n# driver: %s\n# cuda: %s\n", device->name, device->driver,
                device->cuda);
    std::printf(what == "wgmma"
                    ? "what,columns,a,a_turned,b_turned,a_start,a_leading,a_stride,"
                      "a_swizzle,b_start,b_leading,b_stride,b_swizzle,cycles"
                    : "what,way,bytes,row_bytes,rows,swizzle,start,step,from_step,cycles");
    for (const char *metric : metrics)
        std::printf(",%s", metric);
    std::printf("\n");
    good = good && measure(probe, r, metrics);
    smp_probe_close(probe);
    return good ? 0 : 1;
}
