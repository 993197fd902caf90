/* SPDX-License-Identifier: MIT */
/*
 * record_opcodes.c: runs the kernels of opcodes.cubin on the GPU and writes what they leave.
 *     cc -O1 record_opcodes.c -ldl -o record_opcodes
 *     record_opcodes opcodes.cubin KERNEL... > opcodes.bin     (kernels in the order of
 * opcodes.txt) Of each kernel: as many words as it has rows of 64 threads, which its name is
 * followed by: NAME:ROWS.
 */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "opcode_input.h"

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
    static uint32_t in[OPCODE_INPUTS], out[OPCODE_OUTPUTS];
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
        unsigned rows = 0;
        if (sscanf(argv[i], "%127[^:]:%u", kernel, &rows) != 2)
            return 2;
        opcode_fill_input(kernel, in);
        memset(out, 0, sizeof out);
        void *parameters[] = {&out_at, &in_at};
        CALL("cuMemcpyHtoD_v2", in_at, in, sizeof in);
        CALL("cuMemcpyHtoD_v2", out_at, out, sizeof out);
        CALL("cuModuleGetFunction", &function, module, kernel);
        CALL("cuLaunchKernel", function, 1, 1, 1, 64, 1, 1, 0, NULL, parameters, NULL);
        CALL("cuCtxSynchronize");
        CALL("cuMemcpyDtoH_v2", out, out_at, sizeof out);
        fwrite(out, 256, rows, stdout);
    }
    return 0;
}
