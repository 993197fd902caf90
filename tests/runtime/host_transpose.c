/* SPDX-License-Identifier: MIT */
/*
 * The host code of examples/programs/transpose.cu as nvcc would make it, in C: a container of
 * device code (argument 1) is registered before anything else, a kernel is launched by the address
 * of a host function, the result is checked. A word behind it makes the matrix smaller, and says
 * what is spoiled: `small`: nothing; `freed`: the kernel reads memory that was freed; `outside`: it
 * reads rows behind the array's end; `refused`: a function is called that is not there without a
 * GPU; `often`: eight times the rows of `small`, six launches, before the fourth the input changes;
 * `long`: the same as `small`, 65,535 times in one launch; `kill`: a signal ends the process;
 * `status`: it ends with exit status 7; `leave`: it leaves by _exit(); `exec`: it becomes itself
 * with `small`; `ranges`: three launches of `small`, the second and third in NVTX ranges.
 */
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "host.h"
#include "nvtx_user.h"

enum { WIDTH = 2048, TILE = 32, ROWS = 8 };

static int height;

static void transpose(void) {
}

static void check(cudaError_t status) {
    if (status != cudaSuccess) {
        fprintf(stderr, "transpose: %s\n", cudaGetErrorString(status));
        exit(1);
    }
}

static void *read_file(const char *path) {
    FILE *file = fopen(path, "rb");
    char *bytes = malloc(1 << 20);
    if (!file || !bytes || fread(bytes, 1, 1 << 20, file) == 0) {
        fprintf(stderr, "%s cannot be read\n", path);
        exit(2);
    }
    (void)fclose(file);
    return bytes;
}

static void launch(float *out, const float *in, unsigned rows, unsigned times) {
    int width = WIDTH;
    void *arguments[] = {&out, &in, &width, &height};
    const dim3 grid = {WIDTH / TILE, rows / TILE, times}, block = {TILE, ROWS, 1};
    check(cudaLaunchKernel((const void *)(size_t)transpose, grid, block, arguments, 0, NULL));
}

static void launch_in_ranges(float *out, const float *in) {
    if (!nvtx_load(getenv("NVTX_INJECTION64_PATH")))
        return;
    nvtx.push("step");
    launch(out, in, (unsigned)height, 1);
    nvtx.push("forward");
    launch(out, in, (unsigned)height, 1);
    nvtx.pop();
    nvtx.pop();
}

static int run(const char *how) {
    const bool is_often = strcmp(how, "often") == 0;
    height = is_often ? 512 : how[0] ? 64 : 1024;
    const size_t bytes = sizeof(float) * WIDTH * (size_t)height;
    float *in, *out, *back = malloc(bytes);
    int wrong = 0;
    for (int i = 0; i < WIDTH * height; i++)
        back[i] = (float)i;
    check(cudaMalloc((void **)&in, bytes));
    check(cudaMalloc((void **)&out, bytes));
    check(cudaMemcpy(in, back, bytes, cudaMemcpyHostToDevice));
    if (strcmp(how, "freed") == 0)
        check(cudaFree(in));
    if (strcmp(how, "refused") == 0) {
        void *array;
        check(cudaMallocMipmappedArray(&array));
    }
    launch(out, in, strcmp(how, "outside") == 0 ? (unsigned)(height + TILE) : (unsigned)height,
           strcmp(how, "long") == 0 ? 65535 : 1);
    for (int i = 1; is_often && i < 6; i++) {
        for (int k = 0; k < WIDTH * height && i == 3; k++)
            back[k] = (float)(k + 1);
        if (i == 3)
            check(cudaMemcpy(in, back, bytes, cudaMemcpyHostToDevice));
        launch(out, in, (unsigned)height, 1);
    }
    if (strcmp(how, "ranges") == 0)
        launch_in_ranges(out, in);
    check(cudaGetLastError());
    check(cudaMemcpy(back, out, bytes, cudaMemcpyDeviceToHost));
    for (int y = 0; y < height; y++)
        for (int x = 0; x < WIDTH; x++)
            wrong += back[x * height + y] != (float)(y * WIDTH + x + is_often);
    printf("%d of %d elements wrong\n", wrong, WIDTH * height);
    free(back);
    return strcmp(how, "status") == 0 ? 7 : wrong != 0;
}

int main(int argc, char **argv) {
    if (argc < 2)
        return 2;
    rt_fat_wrapper wrapper = {RT_FAT_WRAPPER_MAGIC, 1, read_file(argv[1]), NULL};
    void **handle = __cudaRegisterFatBinary(&wrapper);
    char name[] = "_Z9transposePfPKfii";
    __cudaRegisterFunction(handle, (const char *)(size_t)transpose, name, name, -1, NULL, NULL,
                           NULL, NULL, NULL);
    __cudaRegisterFatBinaryEnd(handle);
    const char *how = argc > 2 ? argv[2] : "";
    const int status = run(how);
    (void)fflush(stdout);
    if (strcmp(how, "kill") == 0)
        (void)raise(SIGKILL);
    if (strcmp(how, "leave") == 0)
        _exit(0);
    if (strcmp(how, "exec") == 0)
        (void)execl("/proc/self/exe", argv[0], argv[1], "small", (char *)NULL);
    __cudaUnregisterFatBinary(handle);
    return status;
}
