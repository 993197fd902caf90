/* SPDX-License-Identifier: MIT */
/*
 * tag_bits.cu: which address bits choose the tag bank of L1 (model/tag.c, model/FINDINGS.md, 1).
 * Two lanes copy from lines that differ in one bit, and beside it by a known number of banks 0 to
 * 3: two wavefronts instead of one show that they met. Then random lines over ever larger areas,
 * against the model. `tag_bits [BITS]`: the area is 2^BITS bytes, and twice as much is taken. Exits
 * with 77 where there is no GPU, with 1 where a bit or a launch is not as the model has it.
 */
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <cuda_runtime.h>

#include "smp_probes.h"

namespace {

constexpr int first_bit = 7, pairs = 5, launches = 3000;
const char *const metrics[] = {"l1tex__data_pipe_lsu_wavefronts_mem_shared.sum",
                               "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_misc.sum"};

struct Copies {
    uint64_t address[SMP_LANES];
    uint32_t mask;
};

/* Lane l copies to the l-th word, and from the l-th word of a line: no two lanes share a bank. */
__global__ void copy(const __grid_constant__ Copies copies) {
    extern __shared__ __align__(128) unsigned char shared[];
    const uint32_t lane = threadIdx.x;
    const uint32_t to = (uint32_t)__cvta_generic_to_shared(shared) + 4 * lane;
#if __CUDA_ARCH__ >= 800
    if (copies.mask >> lane & 1u)
        asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(to), "l"(copies.address[lane])
                     : "memory");
    asm volatile("cp.async.wait_all;" ::: "memory");
#endif
}

Copies jobs[launches];
double values[2 * launches];

smp_status launch(void *, size_t index, smp_error *error) {
    copy<<<1, SMP_LANES, 4 * SMP_LANES>>>(jobs[index]);
    const cudaError_t code = cudaGetLastError();
    if (code == cudaSuccess)
        return SMP_OK;
    return smp_error_set(error, SMP_E_CUDA, -1, "launch: %s", cudaGetErrorString(code));
}

bool measure(smp_probe *probe, size_t count) {
    smp_error error;
    size_t done;
    if (smp_probe_ranges(probe, metrics, 2, launch, nullptr, count, values, nullptr, nullptr, &done,
                         &error) == SMP_OK)
        return true;
    std::fprintf(stderr, "tag_bits: %s\n", error.message);
    return false;
}

unsigned wavefronts(size_t i) {
    return (unsigned)(values[2 * i] - values[2 * i + 1] + 0.5);
}

uint64_t next_random() {
    static uint64_t state = UINT64_C(88172645463325252);
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
}

unsigned predict(const smp_arch *arch, const Copies &copies) {
    smp_access access = {};
    smp_counts counts;
    access.op = SMP_CP_ASYNC;
    access.width_bytes = 4;
    access.active_mask = copies.mask;
    for (uint32_t lane = 0; lane < SMP_LANES; lane++) {
        access.offset_bytes[lane] = 4 * lane;
        access.address_bytes[lane] = copies.address[lane];
    }
    return smp_predict(arch, &access, &counts) == SMP_OK ? counts.wavefronts_max : 0;
}

/* Asks one bit; false if it is not as the model has it. */
bool ask_bit(smp_probe *probe, const smp_arch *arch, uint64_t base, int bit) {
    /* Lines whose banks differ by 0, 1, 2, 3 in what bits 7 to 11 choose. */
    const uint64_t beside[4] = {5, 1 << 4, 1 << 1, 1 << 0};
    for (int i = 0; i < 4 * pairs; i++) {
        const uint64_t start = base + (next_random() % 1000 << 12);
        jobs[i].mask = 3;
        jobs[i].address[0] = start;
        jobs[i].address[1] = (start ^ (UINT64_C(1) << bit) ^ beside[i / pairs] << first_bit) + 4;
    }
    if (!measure(probe, 4 * pairs))
        return false;
    bool agrees = true;
    std::printf("bit %2d:", bit);
    for (int i = 0; i < 4 * pairs; i++) {
        agrees = agrees && wavefronts((size_t)i) == predict(arch, jobs[i]);
        if (i % pairs == 0)
            std::printf(" %u", wavefronts((size_t)i));
    }
    std::printf(" wavefronts beside 0, 1, 2, 3 banks%s\n", agrees ? "" : ": NOT AS PREDICTED");
    return agrees;
}

bool ask_random(smp_probe *probe, const smp_arch *arch, uint64_t base, int bits) {
    unsigned differ = 0;
    for (Copies &copies : jobs) {
        uint64_t line[SMP_LANES];
        const uint64_t lines = 1 + next_random() % SMP_LANES;
        copies.mask = next_random() % 3 ? SMP_ALL_LANES : (uint32_t)next_random() | 1u;
        for (uint64_t i = 0; i < lines; i++)
            line[i] = base + next_random() % (UINT64_C(1) << bits) / 128 * 128;
        for (uint32_t lane = 0; lane < SMP_LANES; lane++)
            copies.address[lane] = line[next_random() % lines] + 4 * lane;
    }
    if (!measure(probe, launches))
        return false;
    for (size_t i = 0; i < launches; i++)
        differ += wavefronts(i) != predict(arch, jobs[i]);
    std::printf("lines over 2^%d bytes: %d launches, %u differ\n", bits, launches, differ);
    return differ == 0;
}

} // namespace

int main(int argc, char **argv) {
    const int bits = argc > 1 ? std::atoi(argv[1]) : 35;
    const size_t area = (size_t)1 << bits;
    smp_probe *probe = nullptr;
    smp_error error;
    const smp_status status = smp_probe_open(0, &probe, &error);
    if (status != SMP_OK) {
        std::fprintf(stderr, "tag_bits: %s\n", error.message);
        return smp_status_exit(status);
    }
    const smp_device *device = smp_probe_device(probe);
    const smp_arch *arch = smp_arch_of_cc(device->cc_major, device->cc_minor);
    char *memory = nullptr;
    bool good = arch && cudaMalloc(&memory, 2 * area) == cudaSuccess;
    if (!good)
        std::fprintf(stderr, "tag_bits: no model row, or no %zu bytes on the GPU\n", 2 * area);
    const uint64_t base = ((uint64_t)(uintptr_t)memory + area - 1) / area * area;
    std::printf("%s, driver %s, CUDA %s\n", device->name, device->driver, device->cuda);
    for (int bit = 12; good && bit < bits; bit++)
        good = ask_bit(probe, arch, base, bit);
    for (int span = 24; good && span < bits; span += 2)
        good = ask_random(probe, arch, base, span);
    cudaFree(memory);
    smp_probe_close(probe);
    return good ? 0 : 1;
}
