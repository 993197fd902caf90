/* SPDX-License-Identifier: MIT */
/*
 * The transpose of examples/programs/transpose.cu by a program of the CUDA driver, linked with
 * -lcuda: a file of device code (argument 1) is loaded, a kernel launched by its name, the result
 * checked. A word behind it says how: `buffer`: arguments in one buffer; `link`: code through the
 * driver's linker; `early`: without cuInit; `table`: as the static runtime begins; `refused`: a
 * function is called that is not there without a GPU.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "driver_host.h"

enum { WIDTH = 2048, HEIGHT = 1024, TILE = 32, ROWS = 8, FAILED = 3 };

static void check(const char *what, CUresult result) {
    const char *name = "no such code", *text = "";
    if (result == 0)
        return;
    (void)cuGetErrorName(result, &name);
    (void)cuGetErrorString(result, &text);
    fprintf(stderr, "%s: %s (%s)\n", what, name, text);
    exit(FAILED);
}
#define OK(call) check(#call, call)

static cudaLibrary_t linked(const char *path) {
    cudaLibrary_t module;
    void *state, *cubin;
    size_t size;
    OK(cuLinkCreate_v2(0, NULL, NULL, &state));
    OK(cuLinkAddFile_v2(state, 0, path, 0, NULL, NULL));
    OK(cuLinkComplete(state, &cubin, &size));
    OK(cuModuleLoadData(&module, cubin));
    OK(cuLinkDestroy(state));
    return module;
}

static void launch(cudaKernel_t kernel, CUdeviceptr out, CUdeviceptr in, bool by_buffer) {
    int width = WIDTH, height = HEIGHT;
    struct {
        CUdeviceptr out, in;
        int width, height;
    } packed = {out, in, width, height};
    size_t bytes = sizeof packed;
    void *arguments[] = {&out, &in, &width, &height};
    void *extra[] = {(void *)1, &packed, (void *)2, &bytes, (void *)0};
    OK(cuLaunchKernel(kernel, WIDTH / TILE, HEIGHT / TILE, 1, TILE, ROWS, 1, 0, NULL,
                      by_buffer ? NULL : arguments, by_buffer ? extra : NULL));
}

static int run(const char *path, const char *how) {
    const size_t bytes = sizeof(float) * WIDTH * HEIGHT;
    float *back = malloc(bytes);
    CUdeviceptr in, out;
    CUcontext context;
    cudaLibrary_t module;
    cudaKernel_t kernel;
    int wrong = 0;
    OK(cuCtxCreate_v2(&context, 0, 0));
    if (strcmp(how, "link") == 0)
        module = linked(path);
    else
        OK(cuModuleLoad(&module, path));
    OK(cuModuleGetFunction(&kernel, module, "_Z9transposePfPKfii"));
    for (int i = 0; i < WIDTH * HEIGHT; i++)
        back[i] = (float)i;
    OK(cuMemAlloc_v2(&in, bytes));
    OK(cuMemAlloc_v2(&out, bytes));
    OK(cuMemcpyHtoD_v2(in, back, bytes));
    launch(kernel, out, in, strcmp(how, "buffer") == 0);
    OK(cuCtxSynchronize());
    OK(cuMemcpyDtoH_v2(back, out, bytes));
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++)
            wrong += back[x * HEIGHT + y] != (float)(y * WIDTH + x);
    printf("%d of %d elements wrong\n", wrong, WIDTH * HEIGHT);
    free(back);
    OK(cuMemFree_v2(in));
    OK(cuMemFree_v2(out));
    OK(cuModuleUnload(module));
    OK(cuCtxDestroy_v2(context));
    return wrong != 0;
}

int main(int argc, char **argv) {
    const char *how = argc > 2 ? argv[2] : "";
    if (argc < 2)
        return 2;
    if (strcmp(how, "early") != 0)
        OK(cuInit(0));
    if (strcmp(how, "table") == 0) {
        const void *table;
        OK(cuGetExportTable(&table, "0123456789abcdef"));
    }
    if (strcmp(how, "refused") == 0)
        OK(cuMulticastCreate(NULL, NULL));
    return run(argv[1], how);
}
