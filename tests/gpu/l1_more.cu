/* SPDX-License-Identifier: MIT */
/*
 * l1_more.cu: the questions that l1_global.cu left open (model/FINDINGS.md, 9 and 12): loads of
 * which L1 has some lines, ld.global.nc, local memory of every width, constant memory and textures
 * with several addresses in a warp, reductions in the data stage, cp.async of 16 bytes, and
 * cp.async of what L1 has already. One warp executes a random access 0, 1, 2 and 3 times, a
 * designed one once and twice, a launch each; the differences are what one execution costs.
 * `l1_more FOLDER [COUNT[+SEED] [NAME...]]` writes FOLDER/NAME.csv for every experiment, or those
 * named. Exits with 77 where there is no GPU.
 */
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include <cuda_runtime.h>

extern "C" {
#include "gpu_designed.h"
}
#include "smp_probes.h"

#include "l1_instructions.cuh"

namespace {

constexpr uint64_t area_bytes = 1 << 22;
constexpr uint32_t local_bytes = 2048, times = 4, shared_bytes = 48 << 10, square = 256;

#define WAVES "l1tex__data_pipe_lsu_wavefronts"

struct Work {
    uint64_t address[SMP_LANES]; /* of local memory and tables: the byte within it */
    uint32_t offset[SMP_LANES];  /* of shared memory */
    uint32_t mask, warm, count, zero;
    uint32_t *sink, *cycles, *place; /* place: the multiprocessor and warp of a launch */
    cudaTextureObject_t texture;
};

/* One execution. All memory is zero, which nobody has told the compiler: what is returned is added
 * to the address of the next one. */
template <int What, int Width>
__device__ __forceinline__ uint32_t once(const Work &work, uint64_t address, uint32_t shared) {
    using T = typename Unit<Width>::type;
    uint32_t word = 0;
    if constexpr (What == LOAD)
        word = load<Width>(address);
    if constexpr (What == LOAD_NC)
        word = fold(__ldg(reinterpret_cast<const T *>(address)));
    if constexpr (What == CONSTANT)
        word = load_constant<Width>(address);
    if constexpr (What == TEXTURE)
        word = fold(tex1Dfetch<T>(work.texture, (int)(address / Width)));
    if constexpr (What == TEXTURE_2D)
        word = tex2D<unsigned int>(work.texture, (float)(address / 4 % square) + 0.5f,
                                   (float)(address / 4 / square % square) + 0.5f);
    if constexpr (What == REDUCE && Width == 4)
        asm volatile("red.global.add.u32 [%0], 1;" ::"l"(address) : "memory");
    if constexpr (What == REDUCE && Width == 8)
        asm volatile("red.global.add.u64 [%0], 1;" ::"l"(address) : "memory");
    if constexpr (What == ATOMIC)
        asm volatile("atom.global.and.b32 %0, [%1], 0;" : "=r"(word) : "l"(address) : "memory");
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
    if constexpr (What == COPY)
        asm volatile("cp.async.ca.shared.global [%0], [%1], %2;\n cp.async.wait_all;" ::"r"(shared),
                     "l"(address), "n"(Width)
                     : "memory");
    if constexpr (What == COPY_BYPASS)
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;\n cp.async.wait_all;" ::"r"(shared),
                     "l"(address)
                     : "memory");
    if constexpr (What == COPY_TWICE || What == COPY_APART) { /* the second behind the first */
        const uint32_t apart = What == COPY_APART ? (uint32_t)(address / Width % 2) * 64u : 0;
        asm volatile("cp.async.ca.shared.global [%0], [%1], %2;\n"
                     "cp.async.ca.shared.global [%3], [%1], %2;\n"
                     "cp.async.wait_all;" ::"r"(shared),
                     "l"(address), "n"(Width), "r"(shared ^ apart)
                     : "memory");
    }
#else
    if constexpr (What == COPY || What == COPY_BYPASS || What == COPY_TWICE || What == COPY_APART)
        __trap(); // there is no such instruction
#endif
    return word;
}

__device__ uint32_t place() {
    uint32_t multiprocessor = 0, warp = 0;
    asm volatile("mov.u32 %0, %%smid; mov.u32 %1, %%warpid;" : "=r"(multiprocessor), "=r"(warp));
    return multiprocessor << 8 | warp;
}

template <int What, int Width>
__global__ void run(const __grid_constant__ Work work, uint32_t index) {
    extern __shared__ unsigned char own_shared[];
    const uint32_t lane = threadIdx.x;
    uint64_t address = work.address[lane];
    const uint32_t shared =
        (uint32_t)__cvta_generic_to_shared(own_shared) + work.offset[lane] % shared_bytes;
#pragma unroll 1
    for (uint32_t i = 0; work.warm != 0 && i < SMP_LANES; i++) {
        if (work.warm >> i & 1u && lane == i)
            address += load<Width>(address);
        __syncwarp();
    }
    const uint32_t count = work.mask >> lane & 1u ? work.count : 0;
    const long long start = clock64();
#pragma unroll 1
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t word = once<What, Width>(work, address, shared);
        address += word;
        if (word == 0x12345678u) /* waits before the next one begins */
            work.sink[lane] = word;
        asm volatile("" : "+l"(address)::"memory");
    }
    if (lane == __ffs((int)work.mask) - 1)
        work.cycles[index] = (uint32_t)(clock64() - start) + (uint32_t)(address >> 62);
}

/* Local memory; work.address is the byte in the thread's own array. */
template <int What, int Width>
__global__ void run_local(const __grid_constant__ Work work, uint32_t index) {
    alignas(16) unsigned char own[local_bytes];
    const uint32_t lane = threadIdx.x;
    uint64_t at = 0;
    asm volatile("cvta.to.local.u64 %0, %1;" : "=l"(at) : "l"(own + work.address[lane]));
    const uint32_t count = work.mask >> lane & 1u ? work.count : 0;
    const long long start = clock64();
#pragma unroll 1
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t word = once_local<What, Width>(at);
        at += word & work.zero; /* waits before the next one begins */
        asm volatile("" : "+l"(at)::"memory");
    }
    if (lane == __ffs((int)work.mask) - 1)
        work.cycles[index] = (uint32_t)(clock64() - start);
    if (lane == __ffs((int)work.mask) - 1)
        work.place[index] = place();
    if (count == 0x7fffffffu)
        work.sink[lane] = (uint32_t)at + own[work.offset[lane] % local_bytes];
}

const char *const memory_metrics[] = {
    WAVES "_mem_lgds.sum", "l1tex__t_output_wavefronts_pipe_lsu.sum",
    "l1tex__t_sectors_pipe_lsu.sum", "l1tex__data_bank_conflicts_pipe_lsu.sum", nullptr};
const char *const copy_metrics[] = {WAVES "_mem_shared.sum",
                                    WAVES "_mem_shared_op_misc.sum",
                                    WAVES "_mem_lgds.sum",
                                    "l1tex__t_output_wavefronts_pipe_lsu.sum",
                                    "l1tex__t_sectors_pipe_lsu.sum",
                                    "l1tex__t_sectors_pipe_lsu_lookup_hit.sum",
                                    "l1tex__m_xbar2l1tex_read_sectors_pipe_lsu.sum",
                                    nullptr};
const char *const bypass_metrics[] = {"l1tex__t_output_wavefronts_pipe_lsu.sum",
                                      "l1tex__t_sectors_pipe_lsu.sum",
                                      "l1tex__t_requests_pipe_lsu.sum",
                                      "l1tex__t_set_accesses_pipe_lsu.sum",
                                      "l1tex__t_set_conflicts_pipe_lsu.sum",
                                      "l1tex__m_xbar2l1tex_read_sectors_pipe_lsu.sum",
                                      "l1tex__data_bank_writes.sum",
                                      nullptr};
const char *const atomic_metrics[] = {WAVES "_mem_lgds.sum",
                                      WAVES "_mem_lgds_cmd_read.sum",
                                      WAVES "_mem_lgds_cmd_write.sum",
                                      "l1tex__t_output_wavefronts_pipe_lsu.sum",
                                      "l1tex__t_sectors_pipe_lsu.sum",
                                      "l1tex__t_set_accesses_pipe_lsu.sum",
                                      "l1tex__data_bank_reads.sum",
                                      "l1tex__data_bank_writes.sum",
                                      "l1tex__m_l1tex2xbar_write_sectors_pipe_lsu.sum",
                                      nullptr};
const char *const constant_metrics[] = {"idc__requests.sum",
                                        "idc__requests_lookup_hit.sum",
                                        "idc__requests_lookup_miss.sum",
                                        "idc__request_cycles_active.sum",
                                        "smsp__inst_executed.sum",
                                        nullptr};
const char *const texture_metrics[] = {"l1tex__data_pipe_tex_wavefronts.sum",
                                       "l1tex__t_output_wavefronts_pipe_tex.sum",
                                       "l1tex__t_sectors_pipe_tex.sum",
                                       "l1tex__t_requests_pipe_tex.sum",
                                       "l1tex__t_set_accesses_pipe_tex.sum",
                                       "l1tex__texin_requests.sum",
                                       "l1tex__f_wavefronts.sum",
                                       "l1tex__data_bank_reads.sum",
                                       nullptr};

enum Shape { RANDOM, FEW, ROWS }; /* gpu_designed.h */

struct Row {
    const char *name; /* of the file */
    Instruction what;
    uint32_t width;
    bool warms;
    const char *const *metrics;
    void (*kernel)(Work, uint32_t);
    Shape shape;
};

const Row rows[] = {
    {"mixed", LOAD, 4, true, memory_metrics, run<LOAD, 4>},
    {"mixed", LOAD, 16, true, memory_metrics, run<LOAD, 16>},
    {"mixed", LOAD, 8, true, memory_metrics, run<LOAD, 8>},
    {"mixed", LOAD, 1, true, memory_metrics, run<LOAD, 1>},
    {"mixed", LOAD, 2, true, memory_metrics, run<LOAD, 2>},
    {"bypass", COPY_BYPASS, 16, false, bypass_metrics, run<COPY_BYPASS, 16>},
    {"bypass-few", COPY_BYPASS, 16, false, bypass_metrics, run<COPY_BYPASS, 16>, FEW},
    {"bypass-rows", COPY_BYPASS, 16, false, bypass_metrics, run<COPY_BYPASS, 16>, ROWS},
    {"copied", COPY, 4, true, copy_metrics, run<COPY, 4>},
    {"copied", COPY, 8, true, copy_metrics, run<COPY, 8>},
    {"copied", COPY, 16, true, copy_metrics, run<COPY, 16>},
    {"twice", COPY_TWICE, 4, true, copy_metrics, run<COPY_TWICE, 4>},
    {"twice", COPY_TWICE, 8, true, copy_metrics, run<COPY_TWICE, 8>},
    {"apart", COPY_APART, 4, true, copy_metrics, run<COPY_APART, 4>},
    {"apart", COPY_APART, 8, true, copy_metrics, run<COPY_APART, 8>},
    {"nc", LOAD_NC, 4, false, memory_metrics, run<LOAD_NC, 4>},
    {"nc", LOAD_NC, 16, false, memory_metrics, run<LOAD_NC, 16>},
    {"nc", LOAD_NC, 8, false, memory_metrics, run<LOAD_NC, 8>},
    {"local", LOCAL_LOAD, 4, false, memory_metrics, run_local<LOCAL_LOAD, 4>},
    {"local", LOCAL_LOAD, 16, false, memory_metrics, run_local<LOCAL_LOAD, 16>},
    {"local", LOCAL_LOAD, 8, false, memory_metrics, run_local<LOCAL_LOAD, 8>},
    {"local", LOCAL_LOAD, 1, false, memory_metrics, run_local<LOCAL_LOAD, 1>},
    {"local-store", LOCAL_STORE, 4, false, memory_metrics, run_local<LOCAL_STORE, 4>},
    {"local-store", LOCAL_STORE, 16, false, memory_metrics, run_local<LOCAL_STORE, 16>},
    {"local-store", LOCAL_STORE, 8, false, memory_metrics, run_local<LOCAL_STORE, 8>},
    {"constant", CONSTANT, 4, false, constant_metrics, run<CONSTANT, 4>},
    {"constant", CONSTANT, 8, false, constant_metrics, run<CONSTANT, 8>},
    {"constant", CONSTANT, 1, false, constant_metrics, run<CONSTANT, 1>},
    {"texture", TEXTURE, 4, false, texture_metrics, run<TEXTURE, 4>},
    {"texture", TEXTURE, 16, false, texture_metrics, run<TEXTURE, 16>},
    {"texture", TEXTURE, 8, false, texture_metrics, run<TEXTURE, 8>},
    {"texture", TEXTURE, 1, false, texture_metrics, run<TEXTURE, 1>},
    {"texture", TEXTURE, 2, false, texture_metrics, run<TEXTURE, 2>},
    {"texture-few", TEXTURE, 4, false, texture_metrics, run<TEXTURE, 4>, FEW},
    {"texture-few", TEXTURE, 8, false, texture_metrics, run<TEXTURE, 8>, FEW},
    {"texture-2d", TEXTURE_2D, 4, false, texture_metrics, run<TEXTURE_2D, 4>},
    {"red", REDUCE, 4, false, atomic_metrics, run<REDUCE, 4>},
    {"red", REDUCE, 8, false, atomic_metrics, run<REDUCE, 8>},
    {"red-few", REDUCE, 4, false, atomic_metrics, run<REDUCE, 4>, FEW},
    {"red-few", REDUCE, 8, false, atomic_metrics, run<REDUCE, 8>, FEW},
    {"atom", ATOMIC, 4, false, atomic_metrics, run<ATOMIC, 4>},
    {"atom-few", ATOMIC, 4, false, atomic_metrics, run<ATOMIC, 4>, FEW},
};

/* Of random ones half as the tests draw them, half with few lines, far apart. */
smp_access draw(gpu_random *random, const Row &row, size_t index) {
    switch (row.shape) {
    case FEW: /* textures go by groups of lanes */
        return gpu_few(random, SMP_CP_ASYNC, row.width, row.what == TEXTURE ? 8 : SMP_LANES);
    case ROWS:
        return gpu_rows(random, SMP_CP_ASYNC, row.width);
    default:
        return index % 2 != 0 ? gpu_random_lines(random, SMP_CP_ASYNC, row.width, area_bytes)
                              : gpu_random_access(random, SMP_CP_ASYNC, row.width);
    }
}

/* Where local memory begins depends on where a warp runs. */
bool is_local(const Row &row) {
    return row.what == LOCAL_LOAD || row.what == LOCAL_STORE;
}

/* Executions in the launches of an access: of designed ones the second alone is of interest. */
struct Launches {
    uint32_t first, count;
};

Launches launches_of(const Row &row) {
    return row.shape == RANDOM ? Launches{0, times} : Launches{1, 2};
}

struct Machine {
    uint64_t base;
    uint32_t *sink, *cycles, *place;
    cudaTextureObject_t texture[5], texture_2d; /* by the logarithm of the width */
};

struct Run {
    const Row *row;
    const Machine *machine;
    std::vector<smp_access> items;
    std::vector<uint32_t> warm;
};

uint64_t place_of(const Row &row, const Machine &machine, uint64_t address) {
    switch (row.what) {
    case LOCAL_LOAD:
    case LOCAL_STORE:
        return address % local_bytes;
    case CONSTANT:
        return address % sizeof table;
    case TEXTURE:
        return address;
    case TEXTURE_2D:
        return address % (square * square * 4);
    default:
        return machine.base + address;
    }
}

smp_status launch(void *user, size_t index, smp_error *error) {
    const Run *r = static_cast<const Run *>(user);
    const Launches launches = launches_of(*r->row);
    const smp_access &access = r->items[index / launches.count];
    Work work = {};
    work.mask = access.active_mask;
    work.count = launches.first + (uint32_t)(index % launches.count);
    work.warm = r->warm[index / launches.count];
    work.sink = r->machine->sink;
    work.cycles = r->machine->cycles;
    work.place = r->machine->place;
    work.texture = r->row->what == TEXTURE_2D ? r->machine->texture_2d
                                              : r->machine->texture[__builtin_ctz(r->row->width)];
    for (uint32_t lane = 0; lane < SMP_LANES; lane++) {
        work.address[lane] = place_of(*r->row, *r->machine, access.address_bytes[lane]);
        work.offset[lane] = access.offset_bytes[lane];
    }
    r->row->kernel<<<1, SMP_LANES, shared_bytes>>>(work, (uint32_t)index);
    const cudaError_t code = cudaGetLastError();
    if (code == cudaSuccess)
        return SMP_OK;
    return smp_error_set(error, SMP_E_CUDA, -1, "launch: %s", cudaGetErrorString(code));
}

void draw_all(Run *r, size_t count, uint64_t seed) {
    gpu_random random = {4321u + r->row->width + 100u * (uint32_t)r->row->what + seed * 1000003u};
    for (size_t i = 0; i < count; i++) {
        r->items.push_back(draw(&random, *r->row, i));
        smp_access &access = r->items.back();
        for (uint64_t &address : access.address_bytes)
            if (is_local(*r->row))
                address %= local_bytes;
        uint32_t warm = gpu_random_below(&random, 0xffffffffu);
        if (i % 8 == 0)
            warm = 0xffffffffu; /* everything is there */
        if (i % 8 == 1)
            warm = 0;
        if (i % 8 == 2)
            warm &= gpu_random_below(&random, 0xffffffffu);
        r->warm.push_back(r->row->warms ? warm & access.active_mask : 0);
    }
}

/* The launches once more without the profiler, for their clocks; of the second round, when code
 * and constants are in their caches. */
std::vector<uint32_t> clock_all(Run *r) {
    std::vector<uint32_t> cycles(r->items.size() * launches_of(*r->row).count);
    for (int round = 0; round < 2; round++)
        for (size_t i = 0; i < cycles.size(); i++)
            launch(r, i, nullptr);
    cudaMemcpy(cycles.data(), r->machine->cycles, cycles.size() * sizeof cycles[0],
               cudaMemcpyDeviceToHost);
    return cycles;
}

bool measure(smp_probe *probe, FILE *out, const Row &row, size_t count, uint64_t seed,
             const Machine &machine) {
    Run r = {&row, &machine, {}, {}};
    const uint32_t launches = launches_of(row).count;
    draw_all(&r, count, seed);
    size_t metrics = 0;
    while (row.metrics[metrics])
        metrics++;
    std::vector<double> values(count * launches * metrics);
    smp_error error = {};
    size_t done = 0;
    const smp_status status =
        smp_probe_ranges(probe, row.metrics, metrics, launch, &r, count * launches, values.data(),
                         nullptr, nullptr, &done, &error);
    if (status != SMP_OK)
        std::fprintf(stderr, "l1_more: %s %u: %s\n", row.name, row.width, error.message);
    std::vector<uint32_t> places(count * launches);
    cudaMemcpy(places.data(), machine.place, places.size() * sizeof places[0],
               cudaMemcpyDeviceToHost);
    const std::vector<uint32_t> cycles = clock_all(&r);
    for (size_t i = 0; i < done / launches; i++) {
        std::fprintf(out, "%s,%u,%08x,", row.name, row.width, r.warm[i]);
        gpu_access_print(out, &r.items[i]);
        for (size_t n = 0; n < launches; n++) {
            for (size_t v = 0; v < metrics; v++)
                std::fprintf(out, ",%.0f", values[(i * launches + n) * metrics + v]);
            std::fprintf(out, ",%u", cycles[i * launches + n]);
            if (is_local(row))
                std::fprintf(out, ",%u", places[i * launches + n]);
        }
        std::fprintf(out, "\n");
    }
    std::fflush(out);
    return status == SMP_OK;
}

void head(FILE *out, const smp_device *device, const Row &row, const Machine &machine) {
    std::fprintf(out, "# gpu: %s\n# driver: %s\n# cuda: %s\n# base: %" PRIu64 "\n", device->name,
                 device->driver, device->cuda, machine.base);
    std::fprintf(out, "experiment,width,warm,mask,offsets,addresses");
    const Launches launches = launches_of(row);
    for (uint32_t n = launches.first; n < launches.first + launches.count; n++) {
        for (size_t m = 0; row.metrics[m]; m++)
            std::fprintf(out, ",%s x%u", row.metrics[m], n);
        std::fprintf(out, is_local(row) ? ",cycles x%u,place x%u" : ",cycles x%u", n, n);
    }
    std::fprintf(out, "\n");
}

template <class T> cudaError_t linear(void *memory, cudaTextureObject_t *out) {
    cudaResourceDesc from = {};
    from.resType = cudaResourceTypeLinear;
    from.res.linear.devPtr = memory;
    from.res.linear.desc = cudaCreateChannelDesc<T>();
    from.res.linear.sizeInBytes = 2 * area_bytes;
    cudaTextureDesc how = {};
    how.readMode = cudaReadModeElementType;
    return cudaCreateTextureObject(out, &from, &how, nullptr);
}

cudaError_t plane(cudaTextureObject_t *out) {
    cudaArray_t array = nullptr;
    const cudaChannelFormatDesc format = cudaCreateChannelDesc<unsigned int>();
    const cudaError_t code = cudaMallocArray(&array, &format, square, square);
    if (code != cudaSuccess)
        return code;
    const std::vector<uint32_t> zeros(square * square);
    cudaMemcpy2DToArray(array, 0, 0, zeros.data(), square * 4, square * 4, square,
                        cudaMemcpyHostToDevice);
    cudaResourceDesc from = {};
    from.resType = cudaResourceTypeArray;
    from.res.array.array = array;
    cudaTextureDesc how = {};
    how.readMode = cudaReadModeElementType;
    return cudaCreateTextureObject(out, &from, &how, nullptr);
}

bool ready(size_t count, Machine *machine, char **memory) {
    if (cudaMalloc(memory, 2 * area_bytes) != cudaSuccess ||
        cudaMalloc(&machine->sink, 4096) != cudaSuccess ||
        cudaMalloc(&machine->cycles, count * times * sizeof(uint32_t)) != cudaSuccess ||
        cudaMalloc(&machine->place, count * times * sizeof(uint32_t)) != cudaSuccess ||
        cudaMemset(machine->place, 0, count * times * sizeof(uint32_t)) != cudaSuccess ||
        cudaMemset(*memory, 0, 2 * area_bytes) != cudaSuccess)
        return false;
    machine->base = (uint64_t)(uintptr_t)*memory;
    return linear<unsigned char>(*memory, &machine->texture[0]) == cudaSuccess &&
           linear<unsigned short>(*memory, &machine->texture[1]) == cudaSuccess &&
           linear<unsigned int>(*memory, &machine->texture[2]) == cudaSuccess &&
           linear<uint2>(*memory, &machine->texture[3]) == cudaSuccess &&
           linear<uint4>(*memory, &machine->texture[4]) == cudaSuccess &&
           plane(&machine->texture_2d) == cudaSuccess;
}

bool is_named(int argc, char **argv, const char *name) {
    for (int i = 3; i < argc; i++)
        if (std::strcmp(argv[i], name) == 0)
            return true;
    return argc <= 3;
}

bool run_rows(int argc, char **argv, smp_probe *probe, size_t count, uint64_t seed, char *memory,
              const Machine &machine) {
    FILE *out = nullptr;
    const char *open = "";
    bool good = true;
    for (const Row &row : rows) {
        if (!is_named(argc, argv, row.name))
            continue;
        if (std::strcmp(open, row.name) != 0) {
            if (out)
                std::fclose(out);
            out = std::fopen((std::string(argv[1]) + "/" + row.name + ".csv").c_str(), "w");
            if (!out)
                return false;
            head(out, smp_probe_device(probe), row, machine);
            open = row.name;
        }
        cudaMemset(memory, 0, 2 * area_bytes); /* reductions have written */
        good = measure(probe, out, row, count, seed, machine) && good;
    }
    if (out)
        std::fclose(out);
    return good;
}

} // namespace

int main(int argc, char **argv) {
    if (argc < 2) {
        std::fprintf(stderr, "usage: l1_more FOLDER [COUNT[+SEED] [NAME...]]\n");
        return 2;
    }
    char *end = nullptr;
    const size_t count = argc > 2 ? std::strtoul(argv[2], &end, 10) : 400;
    const uint64_t seed = end && *end == '+' ? std::strtoul(end + 1, nullptr, 10) : 0;
    smp_probe *probe = nullptr;
    smp_error error = {};
    const smp_status status = smp_probe_open(0, &probe, &error);
    if (status != SMP_OK) {
        std::fprintf(stderr, "l1_more: %s\n", error.message);
        return smp_status_exit(status);
    }
    Machine machine = {};
    char *memory = nullptr;
    bool good = ready(count, &machine, &memory);
    if (!good)
        std::fprintf(stderr, "l1_more: %s\n", cudaGetErrorString(cudaGetLastError()));
    good = good && run_rows(argc, argv, probe, count, seed, memory, machine);
    smp_probe_close(probe);
    return good ? 0 : 1;
}
