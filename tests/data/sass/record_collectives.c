/* SPDX-License-Identifier: MIT */
/*
 * record_collectives.c: runs kernels of collectives.*.cubin or of random_collectives on the GPU and
 * writes what they leave: of each kernel WORDS words.
 *     cc -O1 record_collectives.c -ldl -o record_collectives
 *     record_collectives FILE.cubin WORDS KERNEL:THREADS[:BLOCKS]... > RESULTS
 */
#include <stdlib.h>
#include <string.h>

#include "collective_input.h"
#include "record_driver.h"

int main(int argc, char **argv) {
    void *driver = dlopen("libcuda.so.1", RTLD_NOW), *module, *function;
    static uint32_t in[COLLECTIVE_IN], out[COLLECTIVE_TRACED];
    uint64_t in_at, out_at;
    if (!driver || argc < 3 || record_begin(driver, argv[1], &module) != 0)
        return 1;
    const size_t words = strtoul(argv[2], NULL, 10);
    collective_input(in);
    CALL("cuMemAlloc_v2", &in_at, sizeof in);
    CALL("cuMemAlloc_v2", &out_at, sizeof out);
    CALL("cuMemcpyHtoD_v2", in_at, in, sizeof in);
    for (int i = 3; i < argc; i++) {
        char kernel[128];
        unsigned threads = 0, blocks = 1;
        if (sscanf(argv[i], "%127[^:]:%u:%u", kernel, &threads, &blocks) < 2 ||
            words > COLLECTIVE_TRACED)
            return 2;
        memset(out, 0, sizeof out);
        void *parameters[] = {&out_at, &in_at};
        CALL("cuMemcpyHtoD_v2", out_at, out, sizeof out);
        CALL("cuModuleGetFunction", &function, module, kernel);
        CALL("cuLaunchKernel", function, blocks, 1, 1, threads, 1, 1, COLLECTIVE_SHARED, NULL,
             parameters, NULL);
        CALL("cuCtxSynchronize");
        CALL("cuMemcpyDtoH_v2", out, out_at, sizeof out);
        fwrite(out, 4, words, stdout);
    }
    return 0;
}
