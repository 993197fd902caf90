/* SPDX-License-Identifier: MIT */
/*
 * record_opcodes.c: runs the kernels of opcodes.cubin on the GPU and writes what they leave.
 *     cc -O1 record_opcodes.c -ldl -o record_opcodes
 *     record_opcodes opcodes.cubin KERNEL... > opcodes.bin     (kernels in the order of
 * opcodes.txt) Of each kernel: as many words as it has rows of 64 threads, which its name is
 * followed by: NAME:ROWS.
 */
#include <string.h>

#include "opcode_input.h"
#include "record_driver.h"

int main(int argc, char **argv) {
    void *driver = dlopen("libcuda.so.1", RTLD_NOW), *module, *function;
    static uint32_t in[OPCODE_INPUTS], out[OPCODE_OUTPUTS];
    uint64_t in_at, out_at;
    if (!driver || argc < 2 || record_begin(driver, argv[1], &module) != 0)
        return 1;
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
