/* SPDX-License-Identifier: MIT */
/*
 * l1_global.cu: what global and local memory cost inside L1 (model/FINDINGS.md, 9). One warp
 * executes a random access once, twice and three times; the second and third find their lines in
 * L1 where the instruction lets them, and the differences between launches are what a hit costs.
 * `l1_global COUNT [METRIC...]` writes a CSV to stdout: COUNT accesses of every instruction and
 * width, each with the counters of the three launches. Exits with 77 where there is no GPU.
 */
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include <cuda_runtime.h>

extern "C" {
#include "gpu_access.h"
}
#include "smp_probes.h"

namespace {

constexpr uint64_t area_bytes = 1 << 22;
constexpr uint32_t local_bytes = 2048, times = 3;

#define WAVES "l1tex__data_pipe_lsu_wavefronts"
const char *const usual_metrics[] = {
    WAVES ".sum",
    WAVES "_mem_lgds.sum",
    WAVES "_mem_lgds_cmd_read.sum",
    WAVES "_mem_lgds_cmd_write.sum",
    "l1tex__data_bank_conflicts_pipe_lsu.sum",
    "l1tex__t_output_wavefronts_pipe_lsu.sum",
    "l1tex__t_sectors_pipe_lsu.sum",
    "l1tex__t_sectors_pipe_lsu_lookup_hit.sum",
    "l1tex__t_requests_pipe_lsu.sum",
    "l1tex__t_set_accesses_pipe_lsu.sum",
    "l1tex__t_set_conflicts_pipe_lsu.sum",
};

/* LOAD_MIXED: some lanes have loaded before, one after the other, what they load again now. */
enum Instruction { LOAD, LOAD_MIXED, LOAD_NC, STORE, REDUCE, LOCAL_LOAD, LOCAL_STORE };

struct Work {
    uint64_t address[SMP_LANES]; /* of local memory: the byte in the thread's own array */
    uint32_t mask, warm, count;
    uint32_t *sink;
};

template <int Width> struct Unit;
template <> struct Unit<1> { using type = uint8_t; };
template <> struct Unit<2> { using type = uint16_t; };
template <> struct Unit<4> { using type = uint32_t; };
template <> struct Unit<8> { using type = uint2; };
template <> struct Unit<16> { using type = uint4; };

__device__ uint32_t fold(uint8_t x) {
    return x;
}
__device__ uint32_t fold(uint16_t x) {
    return x;
}
__device__ uint32_t fold(uint32_t x) {
    return x;
}
__device__ uint32_t fold(uint2 x) {
    return x.x ^ x.y;
}
__device__ uint32_t fold(uint4 x) {
    return x.x ^ x.y ^ x.z ^ x.w;
}

template <int What, int Width> __global__ void run(const __grid_constant__ Work work) {
    using T = typename Unit<Width>::type;
    const uint32_t lane = threadIdx.x;
    const uint64_t address = work.address[lane];
    T *const global = reinterpret_cast<T *>(address);
    uint32_t sum = 0;
    alignas(16) unsigned char own[What >= LOCAL_LOAD ? local_bytes : 16];
    uint32_t word = 0;
    uint64_t local = (uint64_t)(uintptr_t)own;
    if (What >= LOCAL_LOAD)
        asm volatile("cvta.to.local.u64 %0, %1;" : "=l"(local) : "l"(own + address));
    T value = {};
    for (uint32_t i = 0; What == LOAD_MIXED && i < SMP_LANES; i++) {
        if (work.warm >> i & 1u && lane == i)
            sum += fold(*const_cast<const T *>(global));
        asm volatile("" : "+r"(sum)::"memory");
        if (sum == 0x12345678u)
            work.sink[lane] = sum;
        __syncwarp();
    }
    if (work.mask >> lane & 1u) {
#pragma unroll 1
        for (uint32_t i = 0; i < work.count; i++) {
            if constexpr (What == LOAD || What == LOAD_MIXED)
                sum += fold(*const_cast<const T *>(global));
            if constexpr (What == LOAD_NC)
                asm volatile("ld.global.nc.u32 %0, [%1];" : "=r"(word) : "l"(address) : "memory");
            if constexpr (What == STORE)
                *global = value;
            if constexpr (What == REDUCE)
                asm volatile("red.global.add.u32 [%0], 1;" ::"l"(address) : "memory");
            if constexpr (What == LOCAL_LOAD)
                asm volatile("ld.local.u32 %0, [%1];" : "=r"(word) : "l"(local) : "memory");
            if constexpr (What == LOCAL_STORE)
                asm volatile("st.local.u32 [%0], %1;" ::"l"(local), "r"(sum) : "memory");
            sum += word;
            asm volatile("" : "+r"(sum)::"memory");
            if (sum == 0x12345678u) /* waits for the load before the next one begins */
                work.sink[lane] = sum;
        }
    }
    if (What >= LOCAL_LOAD && sum == 0x87654321u)
        work.sink[lane] = own[sum % local_bytes];
}

struct Row {
    Instruction what;
    uint32_t width;
    const char *name;
    void (*kernel)(Work);
};

const Row rows[] = {
    {LOAD, 16, "ld.global", run<LOAD, 16>},
    {LOAD, 8, "ld.global", run<LOAD, 8>},
    {LOAD_MIXED, 4, "ld.global mixed", run<LOAD_MIXED, 4>},
    {STORE, 4, "st.global", run<STORE, 4>},
    {STORE, 16, "st.global", run<STORE, 16>},
    {LOCAL_LOAD, 4, "ld.local", run<LOCAL_LOAD, 4>},
    {LOCAL_STORE, 4, "st.local", run<LOCAL_STORE, 4>},
    {REDUCE, 4, "red.global", run<REDUCE, 4>},
    {STORE, 8, "st.global", run<STORE, 8>},
    {STORE, 1, "st.global", run<STORE, 1>},
    {LOAD_NC, 4, "ld.global.nc", run<LOAD_NC, 4>},
    {LOAD, 4, "ld.global", run<LOAD, 4>},
    {LOAD, 2, "ld.global", run<LOAD, 2>},
    {LOAD, 1, "ld.global", run<LOAD, 1>},
};

/* Half of them as the tests draw them; half with few lines, far apart. */
smp_access draw(gpu_random *random, uint32_t width, bool is_far) {
    return is_far ? gpu_random_lines(random, SMP_LD_GLOBAL, width, area_bytes)
                  : gpu_random_access(random, SMP_LD_GLOBAL, width);
}

struct Run {
    const Row *row;
    const smp_access *items;
    uint64_t base;
    uint32_t *sink;
};

smp_status launch(void *user, size_t index, smp_error *error) {
    const Run *r = static_cast<const Run *>(user);
    const smp_access &access = r->items[index / times];
    Work work = {};
    work.mask = access.active_mask;
    work.count = (r->row->what == LOAD_MIXED ? 0 : 1) + (uint32_t)(index % times);
    work.warm = access.active_mask & access.offset_bytes[0] * 2654435761u;
    work.sink = r->sink;
    for (uint32_t lane = 0; lane < SMP_LANES; lane++)
        work.address[lane] = r->row->what >= LOCAL_LOAD ? access.address_bytes[lane] % local_bytes
                                                        : r->base + access.address_bytes[lane];
    r->row->kernel<<<1, SMP_LANES>>>(work);
    const cudaError_t code = cudaGetLastError();
    if (code == cudaSuccess)
        return SMP_OK;
    return smp_error_set(error, SMP_E_CUDA, -1, "launch: %s", cudaGetErrorString(code));
}

bool measure(smp_probe *probe, const Row &row, size_t count,
             const std::vector<const char *> &metrics, uint64_t base, uint32_t *sink) {
    gpu_random random = {12345u + row.width + 100u * row.what};
    std::vector<smp_access> items;
    for (size_t i = 0; i < count; i++)
        items.push_back(draw(&random, row.width, i % 2 != 0));
    std::vector<double> values(count * times * metrics.size());
    Run r = {&row, items.data(), base, sink};
    smp_error error = {};
    size_t done = 0;
    const smp_status status =
        smp_probe_ranges(probe, metrics.data(), metrics.size(), launch, &r, count * times,
                         values.data(), nullptr, nullptr, &done, &error);
    if (status != SMP_OK)
        std::fprintf(stderr, "l1_global: %s %u: %s\n", row.name, row.width, error.message);
    for (size_t i = 0; i < done / times; i++) {
        std::printf("%s,%u,", row.name, row.width);
        gpu_access_print(stdout, &items[i]);
        for (size_t v = 0; v < times * metrics.size(); v++)
            std::printf(",%.0f", values[i * times * metrics.size() + v]);
        std::printf("\n");
    }
    return status == SMP_OK;
}

} // namespace

int main(int argc, char **argv) {
    const size_t count = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 100;
    std::vector<const char *> metrics;
    for (int i = 2; i < argc; i++)
        metrics.push_back(argv[i]);
    if (metrics.empty())
        metrics.assign(usual_metrics, usual_metrics + sizeof usual_metrics / sizeof *usual_metrics);
    smp_probe *probe = nullptr;
    smp_error error = {};
    const smp_status status = smp_probe_open(0, &probe, &error);
    if (status != SMP_OK) {
        std::fprintf(stderr, "l1_global: %s\n", error.message);
        return smp_status_exit(status);
    }
    char *memory = nullptr;
    uint32_t *sink = nullptr;
    bool good = cudaMalloc(&memory, 2 * area_bytes) == cudaSuccess &&
                cudaMalloc(&sink, 4096) == cudaSuccess &&
                cudaMemset(memory, 0, 2 * area_bytes) == cudaSuccess;
    const smp_device *device = smp_probe_device(probe);
    std::printf("# gpu: %s\n# driver: %s\n# cuda: %s\n# base: %" PRIuPTR "\n", device->name,
                device->driver, device->cuda, (uintptr_t)memory);
    std::printf("instruction,width,mask,offsets,addresses");
    for (uint32_t n = 1; n <= times; n++)
        for (const char *metric : metrics)
            std::printf(",%s x%u", metric, n);
    std::printf("\n");
    for (const Row &row : rows)
        good = good && measure(probe, row, count, metrics, (uint64_t)(uintptr_t)memory, sink);
    cudaFree(memory);
    cudaFree(sink);
    smp_probe_close(probe);
    return good ? 0 : 1;
}
