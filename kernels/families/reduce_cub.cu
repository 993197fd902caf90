/* SPDX-License-Identifier: MIT */
/*
 * reduce_cub.cu: the sum of the CUB library, with which those of reduce.cu are compared. Its
 * headers come with the CUDA toolkit. They are compiled without exceptions and without the static
 * objects of <iostream> (CMakeLists.txt), so that a program in C links without the C++ runtime.
 */
#include "reduce.h"

#if __has_include(<cub/device/device_reduce.cuh>)
#include <cub/device/device_reduce.cuh>

template <class T> static smp_status add(const smp_kernel_launch *run, smp_error *error) {
    const smp_kernel_case *problem = run->problem;
    size_t needed = 0;
    cudaError_t code =
        cub::DeviceReduce::Sum(nullptr, needed, static_cast<const T *>(run->in),
                               static_cast<T *>(run->out), (int64_t)problem->columns);
    if (code == cudaSuccess && needed > smp_reduce_plan_of(problem, SMP_REDUCE_SMALL).bytes)
        return smp_error_set(error, SMP_E_MEMORY, -1, "CUB asks for %zu bytes to work in", needed);
    if (code == cudaSuccess)
        code = cub::DeviceReduce::Sum(run->work, needed, static_cast<const T *>(run->in),
                                      static_cast<T *>(run->out), (int64_t)problem->columns);
    if (code != cudaSuccess)
        return smp_error_set(error, SMP_E_CUDA, -1, "CUB DeviceReduce: %s",
                             cudaGetErrorString(code));
    return SMP_OK;
}

smp_status smp_reduce_launch_cub(const smp_kernel_launch *run, smp_error *error) {
    return run->problem->element == SMP_DOUBLE ? add<double>(run, error) : add<float>(run, error);
}

#else

smp_status smp_reduce_launch_cub(const smp_kernel_launch *run, smp_error *error) {
    (void)run;
    return smp_error_set(error, SMP_E_NOT_BUILT, -1,
                         "this CUDA toolkit has no CUB, so there is no baseline");
}

#endif
