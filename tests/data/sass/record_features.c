/* SPDX-License-Identifier: MIT */
/*
 * record_features.c: runs kernels of features.*.cubin or hopper.cubin on the GPU and writes what
 * they leave.
 *     cc -O1 record_features.c -ldl -o record_features
 *     record_features features.90.cubin KERNEL:WORDS:BLOCKS... > features.90.bin
 * Of each kernel WORDS words, one kernel after the other; its input is that of test_features.c.
 */
#include <string.h>

#include "record_driver.h"

enum { WORDS = 4096, OUT_WORDS = 65536, THREADS = 128 };

int main(int argc, char **argv) {
    void *driver = dlopen("libcuda.so.1", RTLD_NOW), *module, *function;
    static uint32_t in[WORDS], out[OUT_WORDS];
    uint64_t in_at, out_at;
    if (!driver || argc < 2 || record_begin(driver, argv[1], &module) != 0)
        return 1;
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
