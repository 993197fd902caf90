/* SPDX-License-Identifier: MIT */
/*
 * launch_only.cu: launches what smemprobe launches, without its profiler, for tools that want the
 * profiler to themselves or look over a kernel's shoulder: Nsight Compute and compute-sanitizer.
 *   launch_only access COUNT [SEED]     COUNT random accesses of every operation and width; matrix
 *                                       operations by whole warps, and no two lanes write one byte
 *   launch_only stride STRIDE WIDTH     one load of shared memory
 *   launch_only kernels SIZE [FAMILY]   every variant and type once, of SIZE x SIZE elements
 * Results of kernels are verified. Exits 77 where no GPU is.
 */
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include <cuda_runtime.h>

#include "smp_analyzer.h"

namespace {

bool check(cudaError_t code, const char *what) {
    if (code != cudaSuccess)
        fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(code));
    return code == cudaSuccess;
}

bool check(smp_status status, const char *what, const smp_error &error) {
    if (status != SMP_OK)
        fprintf(stderr, "%s: %s\n", what, error.message);
    return status == SMP_OK;
}

/* Device memory of zeros. */
struct Memory {
    void *address = nullptr;
    explicit Memory(size_t bytes) {
        if (!check(cudaMalloc(&address, bytes ? bytes : 1), "cudaMalloc") ||
            !check(cudaMemset(address, 0, bytes ? bytes : 1), "cudaMemset"))
            exit(5);
    }
    ~Memory() {
        cudaFree(address);
    }
    Memory(const Memory &) = delete;
    Memory &operator=(const Memory &) = delete;
};

bool launch_access(const smp_access &access, void *scratch) {
    smp_error error = {};
    const char *name = smp_ops(nullptr)[access.op].name;
    smp_status status = smp_access_launch(&access, 1, false, scratch, &error);
    return check(status, name, error) && check(cudaDeviceSynchronize(), name);
}

/* True if lanes write their addresses without taking turns. */
bool writes(smp_op op) {
    const smp_op_row *row = &smp_ops(nullptr)[op];
    return !row->is_load && row->lanes_merge;
}

/* What the tools call an error, and smemprobe measures on purpose, is left out: matrix operations
 * by part of a warp, and lanes that write one word. */
void make_sound(smp_random *random, smp_access *access) {
    if (smp_ops(nullptr)[access->op].fixed_group != 0)
        access->active_mask = SMP_ALL_LANES;
    if (smp_ops(nullptr)[access->op].fixed_group == 0 && !writes(access->op))
        return;
    const uint32_t stride = 16 * (1 + 2 * smp_random_below(random, 8));
    for (uint32_t lane = 0; lane < SMP_LANES; lane++) {
        access->offset_bytes[lane] = lane * stride;
        access->address_bytes[lane] = lane * stride;
    }
}

bool run_access(size_t count, uint64_t seed) {
    Memory scratch(smp_access_scratch_bytes());
    smp_random random = {seed};
    size_t launched = 0;
    bool good = true;
    for (int op = 0; op < SMP_OP_COUNT; op++)
        for (unsigned width = 1; width <= 16; width *= 2) {
            const bool exists = smp_ops(nullptr)[op].widths & width;
            const bool no_instruction = op == SMP_RED_SHARED && width == 8;
            for (size_t i = 0; i < count && exists && !no_instruction; i++, launched++) {
                smp_access access;
                smp_random_access_within(&random, (smp_op)op, width, 32768, 1u << 20, &access);
                make_sound(&random, &access);
                good &= launch_access(access, scratch.address);
            }
        }
    printf("%zu accesses launched\n", launched);
    return good;
}

bool run_stride(uint32_t stride, uint32_t width) {
    Memory scratch(smp_access_scratch_bytes());
    smp_access access = {};
    access.op = SMP_LD_SHARED;
    access.width_bytes = width;
    access.active_mask = SMP_ALL_LANES;
    for (uint32_t lane = 0; lane < SMP_LANES; lane++)
        access.offset_bytes[lane] = lane * stride * width;
    return launch_access(access, scratch.address);
}

bool run_variant(const smp_kernel_family *family, const smp_kernel_variant *variant,
                 const smp_kernel_case &problem) {
    const smp_kernel_bytes bytes = family->bytes(&problem);
    Memory in(bytes.in), out(bytes.out), work(bytes.work);
    std::vector<char> host_in(bytes.in), host_out(bytes.out);
    smp_error error = {};
    smp_kernel_launch launch = {};
    launch.problem = &problem;
    launch.in = in.address;
    launch.out = out.address;
    launch.work = work.address;
    family->fill(&problem, host_in.data());
    if (!check(cudaMemcpy(in.address, host_in.data(), bytes.in, cudaMemcpyHostToDevice), "copy"))
        return false;
    if (variant->prepare && !check(variant->prepare(&launch, &error), variant->name, error))
        return false;
    if (!check(variant->launch(&launch, &error), variant->name, error) ||
        !check(cudaMemcpy(host_out.data(), out.address, bytes.out, cudaMemcpyDeviceToHost),
               variant->name))
        return false;
    printf("%s %s %s\n", family->name, variant->name, smp_element_info(problem.element)->name);
    return check(family->verify(&problem, host_in.data(), host_out.data(), &error), variant->name,
                 error);
}

/* Every variant of a family, with every type that it takes. */
bool run_family(const smp_kernel_family *family, uint64_t size) {
    bool good = true;
    for (int element = 0; element < SMP_ELEMENT_COUNT; element++)
        for (size_t v = 0; v < family->variant_count; v++) {
            const smp_kernel_variant *variant = &family->variants[v];
            smp_kernel_case problem = family->standard;
            problem.element = (smp_element)element;
            problem.rows = family->is_matrix ? size : 1;
            problem.columns = family->is_matrix ? size : size * size;
            if (variant->launch && smp_kernel_check(family, variant, &problem, nullptr) == SMP_OK)
                good &= run_variant(family, variant, problem);
        }
    return good;
}

bool run_kernels(uint64_t size, const char *wanted) {
    size_t count;
    const smp_kernel_family *const *families = smp_kernel_families(&count);
    bool good = true;
    for (size_t f = 0; f < count; f++)
        if (!wanted || strcmp(wanted, families[f]->name) == 0)
            good &= run_family(families[f], size);
    return good;
}

} // namespace

int main(int argc, char **argv) {
    const uint64_t first = argc > 2 ? strtoull(argv[2], nullptr, 10) : 0;
    const uint64_t second = argc > 3 ? strtoull(argv[3], nullptr, 10) : 4;
    if (argc < 3) {
        fputs("usage: launch_only access COUNT [SEED] | stride STRIDE WIDTH | kernels SIZE "
              "[FAMILY]\n",
              stderr);
        return 2;
    }
    if (cudaSetDevice(0) != cudaSuccess) {
        fputs("skipped: no GPU\n", stderr);
        return 77;
    }
    if (strcmp(argv[1], "access") == 0)
        return run_access(first, second) ? 0 : 1;
    if (strcmp(argv[1], "stride") == 0)
        return run_stride((uint32_t)first, (uint32_t)second) ? 0 : 1;
    return run_kernels(first, argc > 3 ? argv[3] : nullptr) ? 0 : 1;
}
