/* SPDX-License-Identifier: MIT */
/*
 * scan_cub.cu: the exclusive prefix sum of the CUB library, with which those of scan.cu are
 * compared. Compiled as reduce_cub.cu is.
 */
#include "scan.h"

#if __has_include(<cub/device/device_scan.cuh>)
#include <cub/device/device_scan.cuh>

template <class T> static smp_status scan(const smp_kernel_launch *run, smp_error *error) {
    const smp_kernel_case *problem = run->problem;
    size_t needed = 0;
    cudaError_t code =
        cub::DeviceScan::ExclusiveSum(nullptr, needed, static_cast<const T *>(run->in),
                                      static_cast<T *>(run->out), (int64_t)problem->columns);
    if (code == cudaSuccess && needed > smp_scan_plan_of(problem).bytes)
        return smp_error_set(error, SMP_E_MEMORY, -1, "CUB asks for %zu bytes to work in", needed);
    if (code == cudaSuccess)
        code = cub::DeviceScan::ExclusiveSum(run->work, needed, static_cast<const T *>(run->in),
                                             static_cast<T *>(run->out), (int64_t)problem->columns);
    if (code != cudaSuccess)
        return smp_error_set(error, SMP_E_CUDA, -1, "CUB DeviceScan: %s", cudaGetErrorString(code));
    return SMP_OK;
}

smp_status smp_scan_launch_cub(const smp_kernel_launch *run, smp_error *error) {
    return run->problem->element == SMP_FLOAT ? scan<float>(run, error)
                                              : scan<uint32_t>(run, error);
}

#else

smp_status smp_scan_launch_cub(const smp_kernel_launch *run, smp_error *error) {
    (void)run;
    return smp_error_set(error, SMP_E_NOT_BUILT, -1,
                         "this CUDA toolkit has no CUB, so there is no baseline");
}

#endif
