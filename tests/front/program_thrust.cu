// SPDX-License-Identifier: MIT
// A complete program that sorts by Thrust.
#include <cstdio>
#include <thrust/device_vector.h>
#include <thrust/host_vector.h>
#include <thrust/sort.h>

int main() {
    thrust::host_vector<int> host(3000);
    for (size_t i = 0; i < host.size(); i++)
        host[i] = (int)(i * 7919 % 3001);
    thrust::device_vector<int> device = host;
    thrust::sort(device.begin(), device.end());
    cudaError_t error = cudaDeviceSynchronize();
    if (error != cudaSuccess) {
        printf("%s\n", cudaGetErrorString(error));
        return 1;
    }
    thrust::copy(device.begin(), device.end(), host.begin());
    printf("%d\n", host[0]);
    return 0;
}
