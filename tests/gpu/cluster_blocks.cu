/* SPDX-License-Identifier: MIT */
/*
 * cluster_blocks.cu: the experiment behind model/FINDINGS.md, 2: remote additions whose lanes name
 * several blocks of a cluster of 16. Prints of how many random requests the counter agrees with the
 * model. Exits 77 where there is no GPU.
 */
#include <cstdio>
#include <vector>

#include <cuda_runtime.h>

#include "smp_probes.h"

namespace {

constexpr unsigned blocks = SMP_CLUSTER_BLOCKS_MAX, shared_bytes = 65536;

/* Block 0 adds, in one request; offsets name the blocks. */
__global__ void add_remote(smp_access access) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
    extern __shared__ uint32_t memory[];
    uint32_t rank;
    asm volatile("barrier.cluster.arrive.aligned;\n\tbarrier.cluster.wait.aligned;" ::: "memory");
    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    const uint32_t place = access.offset_bytes[threadIdx.x];
    const uint32_t own = (uint32_t)__cvta_generic_to_shared(memory) + (place & 0xffffff);
    if (rank == 0 && (access.active_mask >> threadIdx.x & 1))
        asm volatile("{\n\t.reg .u32 there;\n\tmapa.shared::cluster.u32 there, %0, %1;\n\t"
                     "red.relaxed.cluster.shared::cluster.add.u32 [there], 1;\n\t}" ::"r"(own),
                     "r"(place >> SMP_BLOCK_SHIFT)
                     : "memory");
    asm volatile("barrier.cluster.arrive.aligned;\n\tbarrier.cluster.wait.aligned;" ::: "memory");
#endif
}

smp_status launch(void *user, size_t index, smp_error *error) {
    const auto &accesses = *static_cast<std::vector<smp_access> *>(user);
    cudaLaunchAttribute cluster = {};
    cluster.id = cudaLaunchAttributeClusterDimension;
    cluster.val.clusterDim.x = blocks;
    cluster.val.clusterDim.y = cluster.val.clusterDim.z = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(blocks);
    config.blockDim = dim3(SMP_LANES);
    config.dynamicSmemBytes = shared_bytes;
    config.attrs = &cluster;
    config.numAttrs = 1;
    cudaError_t code =
        cudaFuncSetAttribute(add_remote, cudaFuncAttributeNonPortableClusterSizeAllowed, 1);
    if (code == cudaSuccess)
        code = cudaFuncSetAttribute(add_remote, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                    (int)shared_bytes);
    if (code == cudaSuccess)
        code = cudaLaunchKernelEx(&config, add_remote, accesses[index]);
    if (code == cudaSuccess)
        return SMP_OK;
    return smp_error_set(error, SMP_E_CUDA, -1, "launch: %s", cudaGetErrorString(code));
}

/* xorshift64, by Marsaglia. */
uint64_t noise() {
    static uint64_t state = UINT64_C(88172645463325252);
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state >> 11;
}

/* Lanes in one, two or all blocks but the sender's, on few or many words. */
smp_access remote_access(int i) {
    smp_access access = {};
    const uint32_t words = i % 3 == 0 ? 32 : i % 3 == 1 ? 512 : shared_bytes / 4;
    const uint32_t pair[2] = {(uint32_t)(1 + noise() % 15), (uint32_t)(1 + noise() % 15)};
    access.op = SMP_ATOM_CLUSTER;
    access.width_bytes = sizeof(uint32_t);
    access.active_mask = i % 4 == 3 ? (uint32_t)noise() | 1 : SMP_ALL_LANES;
    for (uint32_t &offset : access.offset_bytes) {
        const uint32_t any = (uint32_t)(1 + noise() % 15);
        const uint32_t block = i % 5 == 0 ? pair[0] : i % 5 == 1 ? pair[noise() % 2] : any;
        offset = block << SMP_BLOCK_SHIFT | (uint32_t)(noise() % words) * 4;
    }
    return access;
}

bool report(smp_probe *probe, const smp_arch *arch, std::vector<smp_access> &accesses) {
    const char *metric = smp_counter_of(SMP_ATOM_CLUSTER)->metric;
    std::vector<double> values(accesses.size());
    smp_error error = {};
    size_t done = 0, agree = 0;
    if (smp_probe_ranges(probe, &metric, 1, launch, &accesses, accesses.size(), values.data(),
                         nullptr, nullptr, &done, &error) != SMP_OK) {
        fprintf(stderr, "%s\n", error.message);
        return false;
    }
    for (size_t i = 0; i < accesses.size(); i++) {
        smp_counts counts;
        agree += smp_predict(arch, &accesses[i], &counts) == SMP_OK &&
                 counts.transactions == (uint64_t)(values[i] + 0.5);
    }
    printf("several blocks of a cluster: %zu of %zu agree\n", agree, accesses.size());
    return agree == accesses.size();
}

} // namespace

int main() {
    constexpr int count = 3000;
    smp_probe *probe = nullptr;
    smp_error error = {};
    const smp_status status = smp_probe_open(0, &probe, &error);
    if (status != SMP_OK) {
        fprintf(stderr, "skipped: %s\n", error.message);
        return smp_status_exit(status);
    }
    const smp_device *device = smp_probe_device(probe);
    const smp_arch *arch = smp_arch_of_cc(device->cc_major, device->cc_minor);
    std::vector<smp_access> accesses;
    for (int i = 0; i < count; i++)
        accesses.push_back(remote_access(i));
    const bool good = arch && device->cc_major >= 9 && report(probe, arch, accesses);
    smp_probe_close(probe);
    return good ? 0 : 1;
}
