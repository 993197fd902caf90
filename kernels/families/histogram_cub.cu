/* SPDX-License-Identifier: MIT */
/*
 * histogram_cub.cu: the histogram of the CUB library, with which those of histogram.cu are
 * compared. It leaves out what lies outside the bins, so it is given values that are moved to the
 * first and the last. Compiled as reduce_cub.cu is.
 */
#include "histogram.h"

#if __has_include(<cub/device/device_histogram.cuh>)
#include <cub/device/device_histogram.cuh>
#include <thrust/iterator/transform_iterator.h>

namespace {

struct Bin {
    int bins;
    __host__ __device__ int operator()(int32_t value) const { /* as smp_histogram_bin */
        return value < 0 ? 0 : value < bins ? value : bins - 1;
    }
};

} // namespace

smp_status smp_histogram_launch_cub(const smp_kernel_launch *run, smp_error *error) {
    const smp_kernel_case *problem = run->problem;
    const int bins = (int)problem->rows;
    const auto values =
        thrust::make_transform_iterator(static_cast<const int32_t *>(run->in), Bin{bins});
    uint32_t *out = static_cast<uint32_t *>(run->out);
    size_t needed = 0;
    cudaError_t code = cub::DeviceHistogram::HistogramEven(nullptr, needed, values, out, bins + 1,
                                                           0, bins, (int64_t)problem->columns);
    if (code == cudaSuccess && needed > smp_histogram_work_bytes(problem))
        return smp_error_set(error, SMP_E_NOT_BUILT, -1,
                             "CUB asks for %zu bytes to work in, so there is no baseline", needed);
    if (code == cudaSuccess)
        code = cub::DeviceHistogram::HistogramEven(run->work, needed, values, out, bins + 1, 0,
                                                   bins, (int64_t)problem->columns);
    if (code != cudaSuccess)
        return smp_error_set(error, SMP_E_CUDA, -1, "CUB DeviceHistogram: %s",
                             cudaGetErrorString(code));
    return SMP_OK;
}

#else

smp_status smp_histogram_launch_cub(const smp_kernel_launch *run, smp_error *error) {
    (void)run;
    return smp_error_set(error, SMP_E_NOT_BUILT, -1,
                         "this CUDA toolkit has no CUB, so there is no baseline");
}

#endif
