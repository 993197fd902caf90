/* SPDX-License-Identifier: MIT */
/*
 * many_warps.cu: shared memory under several warps (model/FINDINGS.md, 4 and 7). `contention`:
 * atomics that are loops, by the number of warps and of the places that they meet at. `beyond`:
 * ordinary accesses near the beginning and the end of a block's shared memory, alone and beside
 * global traffic, in clusters and not, against what was executed. `many_warps FOLDER [ROUNDS]`
 * writes both as CSV. Exits with 77 where there is no GPU.
 */
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include "smp_probes.h"

namespace {

#define WAVES "l1tex__data_pipe_lsu_wavefronts"
constexpr uint32_t repeats = 16, accesses = 64, stream_words = 1 << 24;

const char *const metrics[] = {WAVES "_mem_shared_op_ld.sum",
                               WAVES "_mem_shared_op_st.sum",
                               WAVES "_mem_shared_op_atom.sum",
                               "smsp__inst_executed_op_shared_ld.sum",
                               "smsp__inst_executed_op_shared_atom.sum",
                               "l1tex__data_bank_conflicts_type_arbitration.sum"};
constexpr size_t metric_count = sizeof metrics / sizeof *metrics;

/* ---- Atomics that are loops --------------------------------------------------------------------
 */

enum Kind { F32, F64, U64, F16X2, U32 };
const char *const kinds[] = {"f32", "f64", "u64", "f16x2", "u32"};
enum Shape { SAME, UNIT, OWN, RANDOM };
const char *const shapes[] = {"same", "unit", "own", "random"};

struct Meeting {
    Kind kind;
    Shape shape;
    uint32_t warps, places, seed;
};

__device__ uint32_t mixed(uint32_t x) {
    x ^= x >> 16;
    x *= 0x7feb352du;
    x ^= x >> 15;
    x *= 0x846ca68bu;
    return x ^ x >> 16;
}

template <int What> __global__ void meet(Meeting m) {
    extern __shared__ unsigned char bytes[];
    const uint32_t lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    for (uint32_t i = 0; i < repeats; i++) {
        uint32_t place = 0;
        if (m.shape == UNIT)
            place = lane;
        if (m.shape == OWN)
            place = threadIdx.x;
        if (m.shape == RANDOM)
            place = mixed(m.seed + (i * 32 + warp) * 32 + lane) % m.places;
        if constexpr (What == F32)
            atomicAdd(reinterpret_cast<float *>(bytes) + place, 1.0f);
        if constexpr (What == F64)
            atomicAdd(reinterpret_cast<double *>(bytes) + place, 1.0);
        if constexpr (What == U64)
            atomicAdd(reinterpret_cast<unsigned long long *>(bytes) + place, 3ull + lane);
        if constexpr (What == F16X2)
            atomicAdd(reinterpret_cast<__half2 *>(bytes) + place, __half2(1.0f, 1.0f));
        if constexpr (What == U32)
            atomicAdd(reinterpret_cast<unsigned *>(bytes) + place, 3u + lane);
        __syncwarp();
    }
}

void (*const meetings[])(Meeting) = {meet<F32>, meet<F64>, meet<U64>, meet<F16X2>, meet<U32>};

/* ---- Far from the beginning --------------------------------------------------------------------
 */

enum Beside { NOTHING, HITS, LOADS, STORES };
const char *const besides[] = {"nothing", "hits", "loads", "stores"};
const char *const ops[] = {"ld", "st", "atom"};

struct Far {
    uint32_t op, beside, shared_bytes, offset, warps, cluster;
    uint32_t *stream;
};

__global__ void far(Far f) {
    extern __shared__ unsigned char bytes[];
    const uint32_t base =
        (uint32_t)__cvta_generic_to_shared(bytes) + f.offset + threadIdx.x % 32 * 4;
    uint32_t sum = 0;
    for (uint32_t i = 0; i < accesses; i++) {
        const uint32_t at = base + i % 32 * 128, one = threadIdx.x + 2;
        uint32_t word = 0;
        if (f.op == 0)
            asm volatile("ld.volatile.shared.u32 %0, [%1];" : "=r"(word) : "r"(at) : "memory");
        if (f.op == 1)
            asm volatile("st.volatile.shared.u32 [%0], %1;" ::"r"(at), "r"(one) : "memory");
        if (f.op == 2)
            asm volatile("atom.shared.add.u32 %0, [%1], %2;"
                         : "=r"(word)
                         : "r"(at), "r"(one)
                         : "memory");
        const uint32_t thread = blockIdx.x * blockDim.x + threadIdx.x;
        if (f.beside == HITS)
            asm volatile("ld.global.u32 %0, [%1];"
                         : "=r"(word)
                         : "l"(f.stream + (thread + i * 32) % 2048)
                         : "memory");
        if (f.beside == LOADS)
            asm volatile(
                "ld.global.u32 %0, [%1];"
                : "=r"(word)
                : "l"(f.stream + (thread + (size_t)i * blockDim.x * gridDim.x) % stream_words)
                : "memory");
        if (f.beside == STORES)
            f.stream[(thread + (size_t)i * blockDim.x * gridDim.x) % stream_words] = i;
        sum += word;
    }
    if (sum == 0x12345678u)
        f.stream[threadIdx.x] = sum;
}

/* ---- Running -----------------------------------------------------------------------------------
 */

struct Job {
    std::vector<Meeting> meetings;
    std::vector<Far> fars;
    uint32_t blocks;
};

smp_status launch_meeting(void *user, size_t index, smp_error *error) {
    const Meeting &m = static_cast<const Job *>(user)->meetings[index];
    meetings[m.kind]<<<1, m.warps * 32, 32768>>>(m);
    const cudaError_t code = cudaGetLastError();
    if (code == cudaSuccess)
        return SMP_OK;
    return smp_error_set(error, SMP_E_CUDA, -1, "contention: %s", cudaGetErrorString(code));
}

smp_status launch_far(void *user, size_t index, smp_error *error) {
    const Job *job = static_cast<const Job *>(user);
    const Far &f = job->fars[index];
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(job->blocks);
    config.blockDim = dim3(f.warps * 32);
    config.dynamicSmemBytes = f.shared_bytes;
    cudaLaunchAttribute attribute = {};
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim = {f.cluster, 1, 1};
    config.attrs = &attribute;
    config.numAttrs = f.cluster > 1 ? 1 : 0;
    const cudaError_t code = cudaLaunchKernelEx(&config, far, f);
    if (code == cudaSuccess)
        return SMP_OK;
    return smp_error_set(error, SMP_E_CUDA, -1, "beyond: %s", cudaGetErrorString(code));
}

void plan(Job *job, uint32_t rounds, uint32_t *stream) {
    for (uint32_t round = 0; round < rounds; round++)
        for (int kind = F32; kind <= U32; kind++)
            for (uint32_t warps = 1; warps <= 32; warps *= 2) {
                for (Shape shape : {SAME, UNIT, OWN})
                    job->meetings.push_back({(Kind)kind, shape, warps, 0, round});
                for (uint32_t places = 2; places <= 2048; places *= 4)
                    job->meetings.push_back({(Kind)kind, RANDOM, warps, places, round * 77777});
            }
    for (uint32_t round = 0; round < rounds; round++)
        for (uint32_t kib : {32, 96, 120, 127, 128, 160, 200, 226})
            for (uint32_t warps : {1, 8, 32})
                for (uint32_t beside = NOTHING; beside <= STORES; beside++)
                    for (uint32_t op = 0; op < 3; op++)
                        for (uint32_t place = 0; place < 3; place++) {
                            /* in a cluster at the end, too */
                            const uint32_t bytes = kib << 10;
                            job->fars.push_back({op, beside, bytes, place ? bytes - 4096 : 0, warps,
                                                 place == 2 ? 2u : 1u, stream});
                        }
}

bool write(smp_probe *probe, const std::string &folder, const char *name, const char *columns,
           smp_launch_fn launch, Job *job, size_t count,
           void (*print)(FILE *, const Job &, size_t)) {
    std::vector<double> values(count * metric_count);
    smp_error error = {};
    size_t done = 0;
    const smp_status status = smp_probe_ranges(probe, metrics, metric_count, launch, job, count,
                                               values.data(), nullptr, nullptr, &done, &error);
    if (status != SMP_OK)
        std::fprintf(stderr, "many_warps: %s\n", error.message);
    FILE *out = std::fopen((folder + "/" + name + ".csv").c_str(), "w");
    if (!out)
        return false;
    const smp_device *device = smp_probe_device(probe);
    std::fprintf(out, "# gpu: %s\n# driver: %s\n# cuda: %s\n%s", device->name, device->driver,
                 device->cuda, columns);
    for (const char *metric : metrics)
        std::fprintf(out, ",%s", metric);
    std::fprintf(out, "\n");
    for (size_t i = 0; i < done; i++) {
        print(out, *job, i);
        for (size_t m = 0; m < metric_count; m++)
            std::fprintf(out, ",%.0f", values[i * metric_count + m]);
        std::fprintf(out, "\n");
    }
    return std::fclose(out) == 0 && status == SMP_OK;
}

void print_meeting(FILE *out, const Job &job, size_t i) {
    const Meeting &m = job.meetings[i];
    std::fprintf(out, "%s,%s,%u,%u,%u,%u", kinds[m.kind], shapes[m.shape], m.warps, m.places,
                 m.seed, repeats);
}

void print_far(FILE *out, const Job &job, size_t i) {
    const Far &f = job.fars[i];
    std::fprintf(out, "%s,%s,%u,%u,%u,%u,%u", ops[f.op], besides[f.beside], f.shared_bytes,
                 f.offset, f.warps, f.cluster, job.blocks * f.warps * accesses);
}

} // namespace

int main(int argc, char **argv) {
    if (argc < 2) {
        std::fprintf(stderr, "usage: many_warps FOLDER [ROUNDS]\n");
        return 2;
    }
    smp_probe *probe = nullptr;
    smp_error error = {};
    const smp_status status = smp_probe_open(0, &probe, &error);
    if (status != SMP_OK) {
        std::fprintf(stderr, "many_warps: %s\n", error.message);
        return smp_status_exit(status);
    }
    uint32_t *stream = nullptr;
    cudaMalloc(&stream, (size_t)stream_words * 4);
    cudaMemset(stream, 0, (size_t)stream_words * 4);
    cudaFuncSetAttribute(far, cudaFuncAttributeMaxDynamicSharedMemorySize, 227 << 10);
    Job job = {};
    job.blocks = (uint32_t)smp_probe_device(probe)->multiprocessors;
    plan(&job, argc > 2 ? (uint32_t)std::strtoul(argv[2], nullptr, 10) : 2, stream);
    bool good = write(probe, argv[1], "contention", "kind,shape,warps,places,seed,repeats",
                      launch_meeting, &job, job.meetings.size(), print_meeting);
    good = write(probe, argv[1], "beyond", "op,beside,bytes,offset,warps,cluster,expected",
                 launch_far, &job, job.fars.size(), print_far) &&
           good;
    smp_probe_close(probe);
    return good ? 0 : 1;
}
