/* SPDX-License-Identifier: MIT */
/*
 * cub.cu: sums, prefix sums and histograms by the CUB library, the baselines of these families.
 * Its headers come with the CUDA toolkit. They are compiled without exceptions and without the
 * static objects of <iostream> (CMakeLists.txt), so that a program in C links without the C++
 * runtime.
 */
#include "histogram.h"
#include "reduce.h"
#include "scan.h"

#if __has_include(<cub/device/device_reduce.cuh>)
#include <cub/device/device_histogram.cuh>
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_scan.cuh>
#include <thrust/iterator/transform_iterator.h>

namespace {

/* Calls `f` once for the number of bytes that it needs, then with that much of run->work. If
 * `room` is smaller, there is no baseline. */
template <class F>
smp_status run_cub(const smp_kernel_launch *run, const char *name, uint64_t room, F f,
                   smp_error *error) {
    size_t needed = 0;
    cudaError_t code = f(nullptr, needed);
    if (code == cudaSuccess && needed > room)
        return smp_error_set(error, SMP_E_NOT_BUILT, -1,
                             "CUB asks for %zu bytes to work in, so there is no baseline", needed);
    if (code == cudaSuccess)
        code = f(run->work, needed);
    if (code != cudaSuccess)
        return smp_error_set(error, SMP_E_CUDA, -1, "CUB %s: %s", name, cudaGetErrorString(code));
    return SMP_OK;
}

/* The library ignores values outside the bins, so they are moved to the first and the last bin. */
struct Bin {
    int bins;
    __host__ __device__ int operator()(int32_t value) const { /* like smp_histogram_bin */
        return value < 0 ? 0 : value < bins ? value : bins - 1;
    }
};

template <class T> smp_status reduce(const smp_kernel_launch *run, smp_error *error) {
    const auto f = [run](void *work, size_t &bytes) {
        return cub::DeviceReduce::Sum(work, bytes, static_cast<const T *>(run->in),
                                      static_cast<T *>(run->out), (int64_t)run->problem->columns);
    };
    return run_cub(run, "DeviceReduce", smp_reduce_plan_of(run->problem, SMP_REDUCE_SMALL).bytes, f,
                   error);
}

template <class T> smp_status scan(const smp_kernel_launch *run, smp_error *error) {
    const auto f = [run](void *work, size_t &bytes) {
        return cub::DeviceScan::ExclusiveSum(work, bytes, static_cast<const T *>(run->in),
                                             static_cast<T *>(run->out),
                                             (int64_t)run->problem->columns);
    };
    return run_cub(run, "DeviceScan", smp_scan_plan_of(run->problem).bytes, f, error);
}

smp_status histogram(const smp_kernel_launch *run, smp_error *error) {
    const int bins = (int)run->problem->rows;
    const auto f = [run, bins](void *work, size_t &bytes) {
        return cub::DeviceHistogram::HistogramEven(
            work, bytes,
            thrust::make_transform_iterator(static_cast<const int32_t *>(run->in), Bin{bins}),
            static_cast<uint32_t *>(run->out), bins + 1, 0, bins, (int64_t)run->problem->columns);
    };
    return run_cub(run, "DeviceHistogram", smp_histogram_work_bytes(run->problem), f, error);
}

} // namespace

#define CUB(name, call)                                               \
    smp_status name(const smp_kernel_launch *run, smp_error *error) { \
        return call;                                                  \
    }

#else

#define CUB(name, call)                                                                \
    smp_status name(const smp_kernel_launch *, smp_error *error) {                     \
        return smp_error_set(error, SMP_E_NOT_BUILT, -1,                               \
                             "this CUDA toolkit has no CUB, so there is no baseline"); \
    }

#endif

CUB(smp_reduce_launch_cub,
    run->problem->element == SMP_DOUBLE ? reduce<double>(run, error) : reduce<float>(run, error))
CUB(smp_scan_launch_cub,
    run->problem->element == SMP_FLOAT ? scan<float>(run, error) : scan<uint32_t>(run, error))
CUB(smp_histogram_launch_cub, histogram(run, error))
