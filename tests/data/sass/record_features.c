/* SPDX-License-Identifier: MIT */
/*
 * record_features.c: runs kernels of features.*.cubin or hopper.cubin on the GPU and writes what
 * they leave.
 *     cc -O1 record_features.c -ldl -o record_features
 *     record_features features.90.cubin KERNEL:WORDS:BLOCKS... > features.90.bin
 * Of each kernel WORDS words, one kernel after the other; its input is that of test_features.c.
 */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORDS = 4096, OUT_WORDS = 65536, THREADS = 128 };

#define CALL(name, ...)                                      \
    do {                                                     \
        int (*fn)() = (int (*)())dlsym(driver, name);        \
        int result = fn ? fn(__VA_ARGS__) : -1;              \
        if (result != 0) {                                   \
            fprintf(stderr, "%s: error %d\n", name, result); \
            return 1;                                        \
        }                                                    \
    } while (0)

int main(int argc, char **argv) {
    void *driver = dlopen("libcuda.so.1", RTLD_NOW), *context, *module, *function;
    static uint32_t in[WORDS], out[OUT_WORDS];
    uint64_t in_at, out_at;
    int device, version;
    char name[256];
    CALL("cuInit", 0);
    CALL("cuDeviceGet", &device, 0);
    CALL("cuDeviceGetName", name, 256, device);
    CALL("cuDriverGetVersion", &version);
    fprintf(stderr, "%s, driver API %d\n", name, version);
    CALL("cuCtxCreate_v2", &context, 0, device);
    CALL("cuModuleLoad", &module, argv[1]);
    CALL("cuMemAlloc_v2", &in_at, sizeof in);
    CALL("cuMemAlloc_v2", &out_at, sizeof out);
    for (int i = 2; i < argc; i++) {
        char kernel[128];
        unsigned words = 0, blocks = 0;
        if (sscanf(argv[i], "%127[^:]:%u:%u", kernel, &words, &blocks) != 3 || words > OUT_WORDS)
            return 2;
        for (uint32_t word = 0; word < WORDS; word++)
            in[word] = word * 2654435761u ^ word << 20;
        memset(out, 0, sizeof out);
        void *parameters[] = {&out_at, &in_at};
        CALL("cuMemcpyHtoD_v2", in_at, in, sizeof in);
        CALL("cuMemcpyHtoD_v2", out_at, out, sizeof out);
        CALL("cuModuleGetFunction", &function, module, kernel);
        CALL("cuLaunchKernel", function, blocks, 1, 1, THREADS, 1, 1, 0, NULL, parameters, NULL);
        CALL("cuCtxSynchronize");
        CALL("cuMemcpyDtoH_v2", out, out_at, sizeof out);
        fwrite(out, 4, words, stdout);
    }
    return 0;
}
