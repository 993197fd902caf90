/* SPDX-License-Identifier: MIT */
/*
 * copy_banks.cu: what the shared side of cp.async of 16 bytes costs (model/FINDINGS.md, 1). Three
 * witnesses for each copy: `alone`, the cycles of one where eight warps copy; `stolen`, the cycles
 * by which one delays eight other warps whose loads keep the banks of shared memory busy all the
 * time; and the counters of one copy. Designed copies come in sets that differ in nothing but the
 * banks they write: the same global lines, shared lines and blocks of 32 bytes. Copies through L1
 * and loads, which have rules, are measured alike, so that the witnesses are known to see what
 * there is. `copy_banks FOLDER [COUNT[+SEED]]` writes FOLDER/copy-clocks.csv and
 * FOLDER/copy-counters.csv. Exits with 77 where there is no GPU.
 */
#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include <cuda_runtime.h>

extern "C" {
#include "gpu_designed.h"
}
#include "smp_probes.h"

namespace {

constexpr uint32_t own_bytes = 4096, slots = 3, warps = 8, area_bytes = 1 << 17;
constexpr uint32_t ring_bytes = own_bytes * warps, load_base = ring_bytes * slots;
constexpr uint32_t shared_bytes = load_base + warps * 512, loads_at_once = 8;

enum What { BYPASS, COPY_4, COPY_8, COPY_16, LOAD_4 };

struct Work {
    uint64_t address[SMP_LANES];
    uint32_t offset[SMP_LANES];
    uint32_t mask, copies, loads; /* of a warp; copies a multiple of `slots` */
    uint32_t *sink;
    long long *times; /* of each warp: begin, end */
};

template <What what>
__device__ __forceinline__ uint32_t once(uint32_t shared, uint64_t address, uint32_t active) {
    uint32_t word = 0;
    if constexpr (what == BYPASS)
        asm volatile("{.reg .pred p; setp.ne.u32 p, %2, 0;\n"
                     "@p cp.async.cg.shared.global [%0], [%1], 16;}" ::"r"(shared),
                     "l"(address), "r"(active)
                     : "memory");
    if constexpr (what == COPY_4 || what == COPY_8 || what == COPY_16)
        asm volatile("{.reg .pred p; setp.ne.u32 p, %2, 0;\n"
                     "@p cp.async.ca.shared.global [%0], [%1], %3;}" ::"r"(shared),
                     "l"(address), "r"(active),
                     "n"(what == COPY_4   ? 4
                         : what == COPY_8 ? 8
                                          : 16)
                     : "memory");
    if constexpr (what == LOAD_4)
        asm volatile("{.reg .pred p; setp.ne.u32 p, %2, 0;\n"
                     "@p ld.volatile.shared.u32 %0, [%1];}"
                     : "+r"(word)
                     : "r"(shared), "r"(active)
                     : "memory");
    return word;
}

/* Warps 0 to 7 copy, 8 to 15 load without conflicts. A place is written again only when the copy
 * before has arrived: one on its way is not fetched twice. */
template <What what> __global__ void run(const __grid_constant__ Work work) {
    extern __shared__ unsigned char bytes[];
    const uint32_t lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const uint32_t base = (uint32_t)__cvta_generic_to_shared(bytes);
    const uint32_t active = work.mask >> lane & 1u;
    const uint32_t to = base + work.offset[lane] + warp % warps * own_bytes;
    const uint32_t from = base + load_base + warp % warps * 512 + lane * 16;
    const uint64_t address = work.address[lane];
    uint32_t sum = 0;
    for (uint32_t i = threadIdx.x; i < shared_bytes / 4; i += blockDim.x)
        reinterpret_cast<uint32_t *>(bytes)[i] = 0;
    __syncthreads();
    const long long begin = clock64();
    if (warp < warps) {
#pragma unroll 1
        for (uint32_t i = 0; i < work.copies; i += slots) {
#pragma unroll
            for (uint32_t slot = 0; slot < slots; slot++) {
                sum += once<what>(to + slot * ring_bytes, address, active);
                asm volatile("cp.async.commit_group;\ncp.async.wait_group 2;" ::: "memory");
            }
        }
        asm volatile("cp.async.wait_all;" ::: "memory");
    } else {
#pragma unroll 1
        for (uint32_t i = 0; i < work.loads; i += loads_at_once) {
#pragma unroll
            for (uint32_t n = 0; n < loads_at_once; n++) {
                uint32_t x, y, z, w;
                asm volatile("ld.volatile.shared.v4.u32 {%0,%1,%2,%3}, [%4];"
                             : "=r"(x), "=r"(y), "=r"(z), "=r"(w)
                             : "r"(from)
                             : "memory");
                sum ^= x ^ y ^ z ^ w;
            }
        }
    }
    if (sum == 0x12345678u)
        work.sink[threadIdx.x] = sum;
    const long long end = clock64();
    if (lane == 0 && work.times) {
        work.times[2 * warp] = begin;
        work.times[2 * warp + 1] = end;
    }
}

struct Kind {
    What what;
    const char *name;
    uint32_t width;
    void (*kernel)(Work);
};
const Kind kinds[] = {{BYPASS, "cp.async.cg", 16, run<BYPASS>},
                      {COPY_16, "cp.async.ca", 16, run<COPY_16>},
                      {COPY_8, "cp.async.ca", 8, run<COPY_8>},
                      {COPY_4, "cp.async.ca", 4, run<COPY_4>},
                      {LOAD_4, "ld.shared", 4, run<LOAD_4>}};

/* ---- What is copied ----------------------------------------------------------------------------
 */

struct Item {
    std::string name;
    smp_access access;
};

void shuffle(gpu_random *random, uint32_t *values, uint32_t count) {
    for (uint32_t i = count - 1; i > 0; i--)
        std::swap(values[i], values[gpu_random_below(random, i + 1)]);
}

/* Units of 16 bytes: `side` lanes lie side by side in each of 32 / side shared lines, at a place
 * of the line that `turn` chooses: the same for all, turned by the line's number, or drawn. */
enum Turn { SAME, TURNED, DRAWN };
const char *const turns[] = {"same", "turned", "drawn"};

smp_access columns(gpu_random *random, uint32_t side, Turn turn, const uint32_t line[SMP_LANES],
                   uint32_t global_step) {
    smp_access access = {};
    access.op = SMP_CP_ASYNC;
    access.width_bytes = 16;
    access.active_mask = SMP_ALL_LANES;
    const uint32_t places = 8 / side, same = gpu_random_below(random, places);
    for (uint32_t lane = 0; lane < SMP_LANES; lane++) {
        const uint32_t row = lane / side;
        uint32_t place = same;
        if (turn == TURNED)
            place = row % places;
        access.offset_bytes[lane] = line[row] * 128 + (place * side + lane % side) * 16;
        access.address_bytes[lane] = (uint64_t)lane * global_step;
    }
    for (uint32_t row = 0; turn == DRAWN && row < SMP_LANES / side; row++) {
        const uint32_t place = gpu_random_below(random, places);
        for (uint32_t i = 0; i < side; i++)
            access.offset_bytes[row * side + i] = line[row] * 128 + (place * side + i) * 16;
    }
    return access;
}

/* Sets that differ in the banks alone. */
void add_designed(std::vector<Item> *items, gpu_random *random, uint32_t sets) {
    static const uint32_t steps[] = {16, 32, 128, 272, 0};
    uint32_t line[SMP_LANES];
    for (uint32_t set = 0; set < sets; set++)
        for (uint32_t side = 1; side <= 8; side *= 2)
            for (uint32_t step : steps) {
                for (uint32_t i = 0; i < SMP_LANES; i++)
                    line[i] = i;
                if (set > 0)
                    shuffle(random, line, SMP_LANES);
                for (Turn turn : {SAME, TURNED, DRAWN})
                    items->push_back({std::string(turns[turn]) + " side=" + std::to_string(side) +
                                          " step=" + std::to_string(step) +
                                          " set=" + std::to_string(set),
                                      columns(random, side, turn, line, step)});
            }
}

void add_drawn(std::vector<Item> *items, gpu_random *random, const Kind &kind, size_t count) {
    for (size_t i = 0; i < count; i++) {
        smp_access access;
        const char *name = "random";
        if (i % 4 == 0)
            access = gpu_random_access(random, SMP_CP_ASYNC, kind.width);
        if (i % 4 == 1) {
            access = gpu_random_lines(random, SMP_CP_ASYNC, kind.width, area_bytes);
            name = "lines";
        }
        if (i % 4 == 2) {
            access = gpu_rows(random, SMP_CP_ASYNC, kind.width);
            name = "rows";
        }
        if (i % 4 == 3) {
            access = gpu_few(random, SMP_CP_ASYNC, kind.width, SMP_LANES);
            name = "few";
        }
        for (uint32_t lane = 0; lane < SMP_LANES; lane++) {
            access.offset_bytes[lane] %= own_bytes;
            access.address_bytes[lane] %= area_bytes;
        }
        items->push_back({name, access});
    }
}

/* ---- Clocks ------------------------------------------------------------------------------------
 */

struct Machine {
    uint64_t base;
    uint32_t *sink;
    long long *times;
};

struct Cycles {
    double copies, loads; /* until the last warp of each was done */
};

Work work_of(const Machine &machine, const smp_access &access) {
    Work work = {};
    work.mask = access.active_mask;
    work.sink = machine.sink;
    for (uint32_t lane = 0; lane < SMP_LANES; lane++) {
        work.address[lane] = machine.base + access.address_bytes[lane];
        work.offset[lane] = access.offset_bytes[lane];
    }
    return work;
}

/* The least of some launches. */
Cycles clocked(const Kind &kind, const Machine &machine, const smp_access &access, uint32_t copies,
               uint32_t loads, int tries) {
    Work work = work_of(machine, access);
    work.copies = copies;
    work.loads = loads;
    work.times = machine.times;
    Cycles least = {1e30, 1e30};
    for (int i = 0; i < tries; i++) {
        long long times[4 * warps];
        kind.kernel<<<1, 2 * warps * SMP_LANES, shared_bytes>>>(work);
        cudaMemcpy(times, machine.times, sizeof times, cudaMemcpyDeviceToHost);
        long long begin = times[0], ends[2] = {0, 0};
        for (uint32_t warp = 0; warp < 2 * warps; warp++) {
            begin = std::min(begin, times[2 * warp]);
            ends[warp / warps] = std::max(ends[warp / warps], times[2 * warp + 1]);
        }
        least.copies = std::min(least.copies, (double)(ends[0] - begin));
        least.loads = std::min(least.loads, (double)(ends[1] - begin));
    }
    return least;
}

constexpr uint32_t few_copies = 96, many_copies = 288, some_loads = 8192;

bool clock_all(FILE *out, const Kind &kind, const Machine &machine,
               const std::vector<Item> &items) {
    for (const Item &item : items) {
        const Cycles few = clocked(kind, machine, item.access, few_copies, 0, 4),
                     many = clocked(kind, machine, item.access, many_copies, 0, 4),
                     none = clocked(kind, machine, item.access, 0, some_loads, 3),
                     both = clocked(kind, machine, item.access, many_copies, some_loads, 4);
        std::fprintf(out, "%s,%u,%s,", kind.name, kind.width, item.name.c_str());
        gpu_access_print(out, &item.access);
        std::fprintf(out, ",%.3f,%.3f,%.0f,%.0f,%.0f\n",
                     (many.copies - few.copies) / (double)((many_copies - few_copies) * warps),
                     (both.loads - none.loads) / (double)(many_copies * warps), none.loads,
                     both.loads, both.copies);
    }
    std::fflush(out);
    return cudaGetLastError() == cudaSuccess;
}

/* ---- Counters ----------------------------------------------------------------------------------
 */

#define WAVES "l1tex__data_pipe_lsu_wavefronts"
#define CONFLICTS "l1tex__data_bank_conflicts"
const char *const metrics[] = {WAVES ".sum",
                               WAVES "_mem_shared.sum",
                               WAVES "_mem_shared_op_misc.sum",
                               WAVES "_mem_shared_cmd_write.sum",
                               WAVES "_mem_lgds.sum",
                               CONFLICTS "_pipe_lsu.sum",
                               CONFLICTS "_pipe_lsu_mem_shared_op_ldgsts.sum",
                               CONFLICTS "_type_arbitration.sum",
                               "l1tex__data_bank_writes.sum",
                               "l1tex__data_bank_reads.sum",
                               "l1tex__lsu_writeback_active.sum",
                               "l1tex__lsuin_requests.sum",
                               "l1tex__t_output_wavefronts_pipe_lsu.sum",
                               "l1tex__t_sectors_pipe_lsu.sum",
                               "l1tex__m_xbar2l1tex_read_sectors_pipe_lsu.sum",
                               "smsp__inst_executed_op_ldgsts.sum"};
constexpr size_t metric_count = sizeof metrics / sizeof *metrics;

struct Counting {
    const Kind *kind;
    const Machine *machine;
    const std::vector<Item> *items;
};

/* Launches of one warp that copies three and six times: each to another place. */
smp_status launch(void *user, size_t index, smp_error *error) {
    const Counting *c = static_cast<const Counting *>(user);
    Work work = work_of(*c->machine, (*c->items)[index / 2].access);
    work.copies = slots * (1 + (uint32_t)(index % 2));
    c->kind->kernel<<<1, SMP_LANES, shared_bytes>>>(work);
    const cudaError_t code = cudaGetLastError();
    if (code == cudaSuccess)
        return SMP_OK;
    return smp_error_set(error, SMP_E_CUDA, -1, "launch: %s", cudaGetErrorString(code));
}

bool count_all(smp_probe *probe, FILE *out, const Kind &kind, const Machine &machine,
               const std::vector<Item> &items) {
    Counting counting = {&kind, &machine, &items};
    std::vector<double> values(2 * items.size() * metric_count);
    smp_error error = {};
    size_t done = 0;
    const smp_status status =
        smp_probe_ranges(probe, metrics, metric_count, launch, &counting, 2 * items.size(),
                         values.data(), nullptr, nullptr, &done, &error);
    if (status != SMP_OK)
        std::fprintf(stderr, "copy_banks: %s %u: %s\n", kind.name, kind.width, error.message);
    for (size_t i = 0; i < done / 2; i++) {
        std::fprintf(out, "%s,%u,%s,", kind.name, kind.width, items[i].name.c_str());
        gpu_access_print(out, &items[i].access);
        for (size_t m = 0; m < 2 * metric_count; m++)
            std::fprintf(out, ",%.0f", values[i * 2 * metric_count + m]);
        std::fprintf(out, "\n");
    }
    std::fflush(out);
    return status == SMP_OK;
}

/* ---- Both --------------------------------------------------------------------------------------
 */

FILE *open_csv(const std::string &path, const smp_device *device, const Machine &machine,
               const char *const *columns, size_t count) {
    FILE *out = std::fopen(path.c_str(), "w");
    if (!out)
        return nullptr;
    std::fprintf(out, "# gpu: %s\n# driver: %s\n# cuda: %s\n# base: %" PRIu64 "\n", device->name,
                 device->driver, device->cuda, machine.base);
    std::fprintf(out, "instruction,width,name,mask,offsets,addresses");
    for (size_t i = 0; i < count; i++)
        std::fprintf(out, ",%s", columns[i]);
    std::fprintf(out, "\n");
    return out;
}

std::vector<Item> items_of(const Kind &kind, size_t count, uint64_t seed, bool is_counted) {
    gpu_random random = {99991u + 17u * kind.width + 1000u * (uint32_t)kind.what + seed * 1000003u};
    std::vector<Item> items;
    if (kind.what == BYPASS)
        add_designed(&items, &random, is_counted ? 1 : 6);
    add_drawn(&items, &random, kind, kind.what == BYPASS ? count : count / 4);
    return items;
}

bool measure(smp_probe *probe, const std::string &folder, size_t count, uint64_t seed,
             const Machine &machine) {
    static const char *const clocks[] = {"alone", "stolen", "loads alone", "loads beside",
                                         "copies beside"};
    std::vector<std::string> names;
    for (int times : {3, 6})
        for (const char *metric : metrics)
            names.push_back(std::string(metric) + " x" + std::to_string(times));
    std::vector<const char *> columns;
    for (const std::string &name : names)
        columns.push_back(name.c_str());
    const smp_device *device = smp_probe_device(probe);
    FILE *clock_file = open_csv(folder + "/copy-clocks.csv", device, machine, clocks, 5);
    FILE *counter_file =
        open_csv(folder + "/copy-counters.csv", device, machine, columns.data(), columns.size());
    bool good = clock_file && counter_file;
    for (const Kind &kind : kinds) {
        cudaFuncSetAttribute(kind.kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                             shared_bytes);
        good = good && clock_all(clock_file, kind, machine, items_of(kind, count, seed, false));
    }
    for (const Kind &kind : kinds)
        good = good &&
               count_all(probe, counter_file, kind, machine, items_of(kind, count / 4, seed, true));
    if (clock_file)
        good = std::fclose(clock_file) == 0 && good;
    if (counter_file)
        good = std::fclose(counter_file) == 0 && good;
    return good;
}

} // namespace

int main(int argc, char **argv) {
    if (argc < 2) {
        std::fprintf(stderr, "usage: copy_banks FOLDER [COUNT[+SEED]]\n");
        return 2;
    }
    char *end = nullptr;
    const size_t count = argc > 2 ? std::strtoul(argv[2], &end, 10) : 1200;
    const uint64_t seed = end && *end == '+' ? std::strtoul(end + 1, nullptr, 10) : 0;
    smp_probe *probe = nullptr;
    smp_error error = {};
    const smp_status status = smp_probe_open(0, &probe, &error);
    if (status != SMP_OK) {
        std::fprintf(stderr, "copy_banks: %s\n", error.message);
        return smp_status_exit(status);
    }
    char *memory = nullptr;
    Machine machine = {};
    bool good = cudaMalloc(&memory, 2 * area_bytes) == cudaSuccess &&
                cudaMemset(memory, 0, 2 * area_bytes) == cudaSuccess &&
                cudaMalloc(&machine.sink, 4096) == cudaSuccess &&
                cudaMalloc(&machine.times, 4 * warps * sizeof(long long)) == cudaSuccess;
    machine.base = (uint64_t)(uintptr_t)memory;
    good = good && measure(probe, argv[1], count, seed, machine);
    if (!good)
        std::fprintf(stderr, "copy_banks: failed: %s\n", cudaGetErrorString(cudaGetLastError()));
    smp_probe_close(probe);
    return good ? 0 : 1;
}
