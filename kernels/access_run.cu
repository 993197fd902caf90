/* SPDX-License-Identifier: MIT */
/*
 * Launches the generic access kernels: checks that the hardware would execute the accesses (a trap
 * would end the process's use of the GPU), packs them into kernel parameters, and starts one warp,
 * or a cluster of two blocks. Every launch asks for the same amount of shared memory, so that the
 * multiprocessor is not reconfigured between two of them.
 */
#include <cstring>

#include <cuda_runtime.h>

#include "access_launch.h"
#include "smp_kernels.h"

namespace {

constexpr size_t sink_bytes = 4096;
/* Accesses are moved by a multiple of this into an aligned block of this size: the address bits
 * below stay, and the bits above are equal in all lanes, so they cancel out (model/tag.c). */
constexpr uint64_t block_bytes = (uint64_t)64 << 20;

smp_status cuda_failed(cudaError_t code, const char *what, smp_error *error) {
    return smp_error_set(error, SMP_E_CUDA, -1, "%s: %s", what, cudaGetErrorString(code));
}

struct Limits {
    int cc, shared_bytes;
};

smp_status read_limits(Limits *out, smp_error *error) {
    int device = 0, major = 0, minor = 0;
    cudaError_t code = cudaGetDevice(&device);
    if (code == cudaSuccess)
        code = cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device);
    if (code == cudaSuccess)
        code = cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device);
    if (code == cudaSuccess)
        code = cudaDeviceGetAttribute(&out->shared_bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin,
                                      device);
    out->cc = 10 * major + minor;
    return code == cudaSuccess ? SMP_OK : cuda_failed(code, "device limits", error);
}

uint64_t data_start(const void *scratch) {
    return ((uint64_t)(uintptr_t)scratch + sink_bytes + block_bytes - 1) / block_bytes *
           block_bytes;
}

/* The start of the addresses, which is mapped to the start of the data area. */
uint64_t move_from(const smp_access *access) {
    uint64_t lowest = UINT64_MAX;
    for (int lane = 0; lane < SMP_LANES; lane++)
        if (access->active_mask >> lane & 1u && access->address_bytes[lane] < lowest)
            lowest = access->address_bytes[lane];
    return lowest / block_bytes * block_bytes;
}

smp_status check_lane(const smp_access *access, int lane, uint32_t width, const Limits *limits,
                      smp_error *error) {
    uint64_t address = access->address_bytes[lane] - move_from(access);
    uint32_t offset = access->offset_bytes[lane];
    if (offset % width || address % width)
        return smp_error_set(error, SMP_E_MISALIGNED, lane, "lane %d is not aligned to %u bytes",
                             lane, width);
    if ((uint64_t)offset + width > (uint64_t)limits->shared_bytes)
        return smp_error_set(error, SMP_E_RANGE, lane,
                             "lane %d ends at byte %llu of shared memory; a block has %d", lane,
                             (unsigned long long)offset + width, limits->shared_bytes);
    if (address > block_bytes - width)
        return smp_error_set(error, SMP_E_RANGE, lane,
                             "lane %d lies outside the lowest lane's aligned block of %llu MiB, "
                             "which is what can be "
                             "run",
                             lane, (unsigned long long)(block_bytes >> 20));
    return SMP_OK;
}

/* Lanes without an address get the first byte, which is always valid. */
smp_status pack(const smp_access *access, uint32_t width, const Limits *limits, void *scratch,
                smp_access_args *args, uint32_t slot, smp_error *error) {
    const uint64_t data = data_start(scratch);
    const uint32_t lanes = smp_access_lanes(access);
    args->mask[slot] = access->active_mask;
    for (int lane = 0; lane < SMP_LANES; lane++) {
        args->offset[slot][lane] = 0;
        args->address[slot][lane] = data;
        if (!(lanes >> lane & 1u))
            continue;
        smp_status status = check_lane(access, lane, width, limits, error);
        if (status != SMP_OK)
            return status;
        args->offset[slot][lane] = access->offset_bytes[lane];
        args->address[slot][lane] = data + access->address_bytes[lane] - move_from(access);
    }
    return SMP_OK;
}

smp_status launch(const smp_access_row *row, const void *kernel, unsigned threads,
                  const Limits *limits, smp_access_args *args, smp_error *error) {
    cudaLaunchAttribute cluster = {};
    cluster.id = cudaLaunchAttributeClusterDimension;
    cluster.val.clusterDim.x = 2;
    cluster.val.clusterDim.y = cluster.val.clusterDim.z = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(row->cluster ? 2 : 1);
    config.blockDim = dim3(threads);
    config.dynamicSmemBytes = (size_t)limits->shared_bytes;
    config.attrs = &cluster;
    config.numAttrs = row->cluster ? 1 : 0;
    void *parameters[] = {args};
    cudaError_t code = cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                            limits->shared_bytes);
    if (code == cudaSuccess)
        code = cudaLaunchKernelExC(&config, kernel, parameters);
    return code == cudaSuccess ? SMP_OK : cuda_failed(code, "launch of the access kernel", error);
}

smp_status check_row(const smp_access_row *row, Limits *limits, smp_error *error) {
    smp_status status = read_limits(limits, error);
    if (status != SMP_OK || limits->cc >= row->first_cc)
        return status;
    return smp_error_set(error, SMP_E_OP_UNAVAILABLE, -1,
                         "the instruction needs compute capability %d.%d, this GPU has %d.%d",
                         row->first_cc / 10, row->first_cc % 10, limits->cc / 10, limits->cc % 10);
}

/* The cycles of the slowest warp. */
smp_status clock_once(const smp_access_row *row, const Limits *limits, smp_access_args *args,
                      uint32_t repeats, uint32_t *cycles, smp_error *error) {
    uint32_t elapsed[SMP_CLOCK_WARPS] = {0};
    args->count = repeats;
    smp_status status =
        launch(row, row->clock_kernel, SMP_LANES * SMP_CLOCK_WARPS, limits, args, error);
    if (status != SMP_OK)
        return status;
    cudaError_t code = cudaMemcpy(elapsed, args->sink, sizeof elapsed, cudaMemcpyDeviceToHost);
    if (code != cudaSuccess)
        return cuda_failed(code, "clock kernel", error);
    for (uint32_t warp = 0; warp < SMP_CLOCK_WARPS; warp++)
        if (elapsed[warp] > *cycles)
            *cycles = elapsed[warp];
    return SMP_OK;
}

} // namespace

bool smp_kernels_built(void) {
    return true;
}

size_t smp_access_scratch_bytes(void) {
    return sink_bytes + 2 * (size_t)block_bytes;
}

smp_status smp_access_run(const smp_access_row *row, const smp_access *accesses, size_t count,
                          bool dry, void *scratch, smp_error *error) {
    Limits limits;
    smp_status status = check_row(row, &limits, error);
    for (size_t first = 0; first < count && status == SMP_OK; first += SMP_ACCESS_BATCH) {
        smp_access_args args = {};
        args.dry = dry;
        while (args.count < SMP_ACCESS_BATCH && first + args.count < count && status == SMP_OK) {
            status = pack(&accesses[first + args.count], row->width_bytes, &limits, scratch, &args,
                          args.count, error);
            args.count++;
        }
        if (status == SMP_OK)
            status = launch(row, row->access_kernel, SMP_LANES, &limits, &args, error);
    }
    return status;
}

smp_status smp_access_run_clock(const smp_access_row *row, const smp_access *access, void *scratch,
                                double *cycles, smp_error *error) {
    const uint32_t few = 4, many = 12, runs = 5;
    Limits limits;
    smp_access_args args = {};
    smp_status status = check_row(row, &limits, error);
    if (status == SMP_OK)
        status = pack(access, row->width_bytes, &limits, scratch, &args, 0, error);
    args.sink = (uint32_t *)scratch;
    uint32_t best_few = UINT32_MAX, best_many = UINT32_MAX;
    for (uint32_t run = 0; run < runs && status == SMP_OK; run++) {
        uint32_t cycles_few = 0, cycles_many = 0;
        status = clock_once(row, &limits, &args, few, &cycles_few, error);
        if (status == SMP_OK)
            status = clock_once(row, &limits, &args, many, &cycles_many, error);
        best_few = cycles_few < best_few ? cycles_few : best_few;
        best_many = cycles_many < best_many ? cycles_many : best_many;
    }
    *cycles = ((double)best_many - (double)best_few) / (4.0 * (many - few) * SMP_CLOCK_WARPS);
    return status;
}
