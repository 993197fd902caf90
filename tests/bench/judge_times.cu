// SPDX-License-Identifier: MIT
/*
 * Times the variants of judge_variants.py on a GPU, compiled to NAME.cubin beside variants.csv:
 *     judge_times FOLDER [N...] >times.csv    name, microseconds for each size N (2048)
 */
#include <cuda.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

static void check(CUresult status, const char *what) {
    const char *text = "";
    if (status == CUDA_SUCCESS)
        return;
    cuGetErrorString(status, &text);
    std::fprintf(stderr, "%s: %s\n", what, text);
    std::exit(1);
}

struct variant {
    char name[16];
    int columns, rows, threads;
};

/* The median of nine launches, each with cold events around it. */
static double time_of(CUfunction kernel, const variant &of, CUdeviceptr a, CUdeviceptr b,
                      CUdeviceptr c, int n) {
    void *arguments[] = {&a, &b, &c, &n};
    std::vector<double> found;
    CUevent from, to;
    check(cuEventCreate(&from, 0), "event");
    check(cuEventCreate(&to, 0), "event");
    for (int i = 0; i < 12; i++) {
        float milliseconds;
        check(cuEventRecord(from, 0), "record");
        check(cuLaunchKernel(kernel, n / of.columns, n / of.rows, 1, of.threads, 1, 1, 0, 0,
                             arguments, nullptr),
              of.name);
        check(cuEventRecord(to, 0), "record");
        check(cuEventSynchronize(to), of.name);
        check(cuEventElapsedTime(&milliseconds, from, to), "time");
        if (i >= 3)
            found.push_back(1e3 * milliseconds);
    }
    std::sort(found.begin(), found.end());
    return found[found.size() / 2];
}

int main(int argc, char **argv) {
    const std::string folder = argc > 1 ? argv[1] : ".";
    std::vector<int> sizes;
    for (int i = 2; i < argc; i++)
        sizes.push_back(std::atoi(argv[i]));
    if (sizes.empty())
        sizes.push_back(2048);
    const int most = *std::max_element(sizes.begin(), sizes.end());
    CUdevice device;
    CUcontext context;
    CUdeviceptr a, b, c;
    check(cuInit(0), "init");
    check(cuDeviceGet(&device, 0), "device");
    check(cuDevicePrimaryCtxRetain(&context, device), "context");
    check(cuCtxSetCurrent(context), "context");
    std::vector<float> values(size_t(most) * most);
    for (size_t i = 0; i < values.size(); i++)
        values[i] = float(int(i * 2654435761u >> 16) % 2001 - 1000) / 1000;
    for (CUdeviceptr *to : {&a, &b, &c}) {
        check(cuMemAlloc(to, values.size() * 4), "memory");
        check(cuMemcpyHtoD(*to, values.data(), values.size() * 4), "copy");
    }
    FILE *list = std::fopen((folder + "/variants.csv").c_str(), "r");
    variant of;
    while (list && std::fscanf(list, "%15[^,],%d,%d,%d\n", of.name, &of.columns, &of.rows,
                               &of.threads) == 4) {
        CUmodule module;
        CUfunction kernel;
        check(cuModuleLoad(&module, (folder + "/" + of.name + ".cubin").c_str()), of.name);
        check(cuModuleGetFunction(&kernel, module, "_Z7productPKfS0_Pfi"), of.name);
        std::printf("%s", of.name);
        for (int n : sizes)
            std::printf(",%.3f", time_of(kernel, of, a, b, c, n));
        std::printf("\n");
        std::fflush(stdout);
        check(cuModuleUnload(module), of.name);
    }
    return list ? std::fclose(list) : 1;
}
