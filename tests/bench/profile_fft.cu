// SPDX-License-Identifier: MIT
// profile_fft.cu: as many pairs of small FFTs of cuFFT, there and back, as the argument says, after
// one that loads code: prints the seconds of these.
#include <cstdio>
#include <cstdlib>
#include <ctime>

#include <cufft.h>

enum { SIZE = 4096, BATCH = 16 };

static double now() {
    timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec + time.tv_nsec * 1e-9;
}

int main(int argc, char **argv) {
    const int pairs = argc > 1 ? atoi(argv[1]) : 15000;
    cufftComplex *data;
    cufftHandle plan;
    if (cudaMalloc(&data, sizeof *data * SIZE * BATCH) != cudaSuccess ||
        cudaMemset(data, 0, sizeof *data * SIZE * BATCH) != cudaSuccess ||
        cufftPlan1d(&plan, SIZE, CUFFT_C2C, BATCH) != CUFFT_SUCCESS)
        return 77;
    cufftExecC2C(plan, data, data, CUFFT_FORWARD);
    cudaDeviceSynchronize();
    const double start = now();
    for (int i = 0; i < pairs; i++) {
        cufftExecC2C(plan, data, data, CUFFT_FORWARD);
        cufftExecC2C(plan, data, data, CUFFT_INVERSE);
    }
    const bool is_fine = cudaDeviceSynchronize() == cudaSuccess;
    printf("steps %.6f\n", now() - start);
    return is_fine ? 0 : 1;
}
