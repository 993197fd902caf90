/* SPDX-License-Identifier: MIT */
/*
 * test_runtime.c: the runtime that stands in for a GPU, called as programs call it, with the
 * kernels of kernels.cu. Skipped (77) where nvdisasm is not installed.
 */
#define _XOPEN_SOURCE 700 /* mkstemp */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "host.h"
#include "suite.h"
#include "tool.h"

#define OK(call) ck_assert_msg((last = (call)) == cudaSuccess, #call ": %s", cudaGetErrorName(last))
#define GIVES(code, call)                                                                       \
    ck_assert_msg((last = (call)) == (code), #call ": %s, expected %s", cudaGetErrorName(last), \
                  cudaGetErrorName(code))

enum { N = 1000, BLOCK = 128 };

static cudaError_t last;
static cudaLibrary_t library;
static float values[N];

static const char cubin[] = SMP_DATA "/programs/runtime.cubin";

static const void *kernel_of(const char *name) {
    cudaKernel_t kernel;
    OK(cudaLibraryGetKernel(&kernel, library, name));
    return kernel;
}

static dim3 grid_of(int n) {
    return (dim3){(unsigned)(n + BLOCK - 1) / BLOCK, 1, 1};
}

static const dim3 block = {BLOCK, 1, 1};

static cudaError_t scale(float *x, float factor, int n, cudaStream_t stream) {
    void *arguments[] = {&x, &factor, &n};
    return cudaLaunchKernel(kernel_of("scale"), grid_of(n), block, arguments, 0, stream);
}

static cudaError_t add_to(float *x, const float *y, int n, cudaStream_t stream) {
    void *arguments[] = {&x, &y, &n};
    return cudaLaunchKernel(kernel_of("add_to"), grid_of(n), block, arguments, 0, stream);
}

static float *on_device(void) {
    float *x;
    for (int i = 0; i < N; i++)
        values[i] = (float)i;
    OK(cudaMalloc((void **)&x, sizeof values));
    OK(cudaMemcpy(x, values, sizeof values, cudaMemcpyHostToDevice));
    return x;
}

static void expect_scaled(const float *x, float factor, float plus) {
    OK(cudaMemcpy(values, x, sizeof values, cudaMemcpyDeviceToHost));
    for (int i = 0; i < N; i++)
        ck_assert_msg(values[i] == (float)i * factor + plus, "[%d] %g", i, (double)values[i]);
}

/* ---- Launches and memory ---- */

START_TEST(launches_compute) {
    float *x = on_device();
    OK(scale(x, 3, N, NULL));
    OK(cudaDeviceSynchronize());
    expect_scaled(x, 3, 0);
    OK(cudaFree(x));
    GIVES(cudaErrorInvalidValue, cudaFree(x));
}
END_TEST

START_TEST(what_a_gpu_would_refuse_is_refused) {
    float *x = on_device();
    int n = N;
    float factor = 1;
    void *arguments[] = {&x, &factor, &n};
    const void *kernel = kernel_of("scale");
    const dim3 one = {1, 1, 1}, none = {0, 1, 1}, large = {2048, 1, 1};
    GIVES(cudaErrorInvalidConfiguration, cudaLaunchKernel(kernel, none, one, arguments, 0, NULL));
    GIVES(cudaErrorInvalidConfiguration, cudaLaunchKernel(kernel, one, large, arguments, 0, NULL));
    GIVES(cudaErrorInvalidValue, cudaLaunchKernel(kernel, one, one, arguments, 49153, NULL));
    GIVES(cudaErrorInvalidDeviceFunction, cudaLaunchKernel(&n, one, one, arguments, 0, NULL));
    GIVES(cudaErrorInvalidResourceHandle,
          cudaLaunchKernel(kernel, one, one, arguments, 0, (cudaStream_t)(void *)&n));
    GIVES(cudaErrorInvalidResourceHandle, cudaPeekAtLastError());
    GIVES(cudaErrorInvalidResourceHandle, cudaGetLastError());
    GIVES(cudaSuccess, cudaGetLastError());
}
END_TEST

START_TEST(wrong_memory_breaks_the_context) {
    float *x = on_device();
    OK(cudaFree(x));
    GIVES(cudaErrorIllegalAddress, scale(x, 3, N, NULL));
    GIVES(cudaErrorIllegalAddress, cudaDeviceSynchronize());
    GIVES(cudaErrorIllegalAddress, cudaMalloc((void **)&x, 4));
}
END_TEST

START_TEST(copies_know_their_sides) {
    float *x = on_device(), host[4];
    GIVES(cudaErrorInvalidMemcpyDirection, cudaMemcpy(host, x, 16, 9));
    GIVES(cudaErrorInvalidValue, cudaMemcpy(host, x, 16, cudaMemcpyHostToDevice));
    GIVES(cudaErrorInvalidValue, cudaMemcpy(host, x, 16, cudaMemcpyHostToHost));
    GIVES(cudaErrorInvalidValue, cudaMemcpy(host, x + N, 4, cudaMemcpyDeviceToHost));
    OK(cudaMemcpy(host, x + N - 4, 16, cudaMemcpyDefault));
    ck_assert(host[3] == N - 1);
}
END_TEST

START_TEST(rows_and_boxes_are_copied) {
    enum { WIDTH = 10, ROWS = 5 };
    uint8_t from[ROWS][WIDTH], to[ROWS][WIDTH] = {{0}};
    void *x;
    size_t pitch;
    for (int i = 0; i < ROWS * WIDTH; i++)
        from[i / WIDTH][i % WIDTH] = (uint8_t)i;
    OK(cudaMallocPitch(&x, &pitch, WIDTH, ROWS));
    ck_assert_uint_eq(pitch % 512, 0);
    OK(cudaMemset2D(x, pitch, 0xee, WIDTH, ROWS));
    OK(cudaMemcpy2D(x, pitch, from, WIDTH, WIDTH, ROWS, cudaMemcpyHostToDevice));
    GIVES(cudaErrorInvalidPitchValue,
          cudaMemcpy2D(x, 4, from, WIDTH, WIDTH, ROWS, cudaMemcpyHostToDevice));
    struct cudaMemcpy3DParms p = {.srcPtr = {x, pitch, WIDTH, ROWS},
                                  .srcPos = {2, 1, 0},
                                  .dstPtr = {to, WIDTH, WIDTH, ROWS},
                                  .extent = {3, 2, 1},
                                  .kind = cudaMemcpyDeviceToHost};
    OK(cudaMemcpy3D(&p));
    ck_assert_uint_eq(to[0][0], WIDTH + 2);
    ck_assert_uint_eq(to[1][2], 2 * WIDTH + 4);
    ck_assert_uint_eq(to[2][0] + to[0][3], 0);
}
END_TEST

START_TEST(host_and_managed_memory_are_shared_with_kernels) {
    static float registered[N];
    float *pinned, *managed;
    struct cudaPointerAttributes about;
    OK(cudaMallocHost((void **)&pinned, sizeof values));
    OK(cudaMallocManaged((void **)&managed, sizeof values, 1));
    OK(cudaHostRegister(registered, sizeof registered, 0));
    for (int i = 0; i < N; i++)
        pinned[i] = managed[i] = registered[i] = (float)i;
    OK(scale(pinned, 2, N, NULL));
    OK(scale(managed, 3, N, NULL));
    OK(scale(registered, 4, N, NULL));
    OK(cudaDeviceSynchronize());
    ck_assert(pinned[7] == 14 && managed[7] == 21 && registered[7] == 28);
    OK(cudaPointerGetAttributes(&about, managed + 3));
    ck_assert_int_eq(about.type, cudaMemoryTypeManaged);
    OK(cudaPointerGetAttributes(&about, values));
    ck_assert_int_eq(about.type, cudaMemoryTypeUnregistered);
    OK(cudaHostUnregister(registered));
    GIVES(cudaErrorHostMemoryNotRegistered, cudaHostUnregister(registered));
    GIVES(cudaErrorInvalidValue, cudaFree(pinned));
    OK(cudaFreeHost(pinned));
    OK(cudaFree(managed));
}
END_TEST

START_TEST(structures_are_arguments) {
    struct {
        float *out;
        const float *in;
        int first, count;
    } job = {on_device(), on_device(), 10, 20};
    void *arguments[] = {&job};
    OK(cudaMemset(job.out, 0, sizeof values));
    OK(cudaLaunchKernel(kernel_of("work_on"), grid_of(20), block, arguments, 0, NULL));
    OK(cudaMemcpy(values, job.out, sizeof values, cudaMemcpyDeviceToHost));
    ck_assert(values[9] == 0 && values[10] == 11 && values[29] == 30 && values[30] == 0);
}
END_TEST

START_TEST(dynamic_shared_memory_has_its_size) {
    enum { COUNT = 100 };
    int numbers[COUNT], *x, n = COUNT;
    for (int i = 0; i < COUNT; i++)
        numbers[i] = i;
    OK(cudaMalloc((void **)&x, sizeof numbers));
    OK(cudaMemcpy(x, numbers, sizeof numbers, cudaMemcpyHostToDevice));
    void *arguments[] = {&x, &n};
    const dim3 one = {1, 1, 1}, threads = {COUNT, 1, 1};
    OK(cudaLaunchKernel(kernel_of("reverse"), one, threads, arguments, sizeof numbers, NULL));
    OK(cudaMemcpy(numbers, x, sizeof numbers, cudaMemcpyDeviceToHost));
    ck_assert_int_eq(numbers[0], COUNT - 1);
    const size_t large = 100 << 10;
    GIVES(cudaErrorInvalidValue,
          cudaLaunchKernel(kernel_of("reverse"), one, threads, arguments, large, NULL));
    OK(cudaFuncSetAttribute(kernel_of("reverse"), cudaFuncAttributeMaxDynamicSharedMemorySize,
                            (int)large));
    OK(cudaLaunchKernel(kernel_of("reverse"), one, threads, arguments, large, NULL));
    OK(cudaMemcpy(numbers, x, sizeof numbers, cudaMemcpyDeviceToHost));
    ck_assert_int_eq(numbers[0], 0);
}
END_TEST

START_TEST(clusters_have_ranks) {
    unsigned ranks[8 * BLOCK], *x;
    OK(cudaMalloc((void **)&x, sizeof ranks));
    void *arguments[] = {&x};
    cudaLaunchAttribute shape = {.id = cudaLaunchAttributeClusterDimension,
                                 .val = {.clusterDim = {4, 1, 1}}};
    const cudaLaunchConfig_t config = {
        .gridDim = {8, 1, 1}, .blockDim = block, .attrs = &shape, .numAttrs = 1};
    OK(cudaLaunchKernelExC(&config, kernel_of("ranks"), arguments));
    OK(cudaMemcpy(ranks, x, sizeof ranks, cudaMemcpyDeviceToHost));
    ck_assert_uint_eq(ranks[3 * BLOCK], 3);
    ck_assert_uint_eq(ranks[5 * BLOCK], 1);
}
END_TEST

static void launch_one_warp(const char *name, void **arguments) {
    const dim3 one = {1, 1, 1}, warp = {2, 1, 1};
    OK(cudaLaunchKernel(kernel_of(name), one, warp, arguments, 0, NULL));
}

START_TEST(calls_go_where_registers_say) {
    int *out, is_square = 1;
    OK(cudaMallocManaged((void **)&out, 2 * sizeof *out, 1));
    void *arguments[] = {&out, &is_square};
    launch_one_warp("indirect", arguments);
    ck_assert_int_eq(out[0], 4);
    ck_assert_int_eq(out[1], 42);
}
END_TEST

START_TEST(swaps_have_wide_addresses) {
    int *x;
    unsigned long long *y;
    OK(cudaMallocManaged((void **)&x, 16, 1));
    OK(cudaMallocManaged((void **)&y, 16, 1));
    x[3] = 31;
    y[1] = 1ull << 40;
    void *arguments[] = {&x, &y};
    launch_one_warp("swap", arguments);
    ck_assert_int_eq(x[3], 50);
    ck_assert(y[1] == 7ull << 40);
}
END_TEST

/* WARPSYNC.EXCLUSIVE: lanes of one label reduce among themselves. */
START_TEST(lanes_of_one_label_are_alone) {
    int *x, *label;
    OK(cudaMallocManaged((void **)&x, 128, 1));
    OK(cudaMallocManaged((void **)&label, 128, 1));
    for (int i = 0; i < 32; i++) {
        x[i] = i;
        label[i] = i % 3;
    }
    void *arguments[] = {&x, &label};
    const dim3 one = {1, 1, 1}, warp = {32, 1, 1};
    OK(cudaLaunchKernel(kernel_of("largest"), one, warp, arguments, 0, NULL));
    ck_assert(x[0] == 30 && x[30] == 30 && x[1] == 31 && x[2] == 29 && x[29] == 29);
}
END_TEST

START_TEST(kernels_print) {
    int n = 3;
    char path[] = "/tmp/smemprobe-test-XXXXXX", text[256] = "";
    void *arguments[] = {&n};
    const int file = mkstemp(path);
    ck_assert(file >= 0 && freopen(path, "w", stdout) != NULL);
    launch_one_warp("speak", arguments);
    (void)fflush(stdout);
    ck_assert(read(file, text, sizeof text - 1) > 0);
    (void)unlink(path);
    ck_assert_str_eq(text, "0 of   3: text  4.50 c 10000000000 %\n"
                           "1 of   3: text  4.50 c 10000000000 %\n");
}
END_TEST

START_TEST(assertions_break_the_context) {
    int n = 2;
    void *arguments[] = {&n};
    launch_one_warp("hold", arguments);
    n = 1;
    GIVES(cudaErrorAssert, cudaLaunchKernel(kernel_of("hold"), (dim3){1, 1, 1}, (dim3){2, 1, 1},
                                            arguments, 0, NULL));
    GIVES(cudaErrorAssert, cudaDeviceSynchronize());
}
END_TEST

/* ---- Variables of device code ---- */

static void *read_cubin(void) {
    char *bytes;
    size_t size;
    smp_error error;
    ck_assert(smp_tool_read(SMP_DATA "/programs/runtime.cubin", &bytes, &size, &error) == SMP_OK);
    return bytes;
}

static void polynomial(void) {
}

static void count_up(void) {
}

static char coefficients[16], counter[4], table[256];
static int *answer;

static void register_all(void) {
    static rt_fat_wrapper wrapper = {RT_FAT_WRAPPER_MAGIC, 1, NULL, NULL};
    static char names[6][16] = {"polynomial", "count_up", "coefficients",
                                "counter",    "table",    "answer"};
    wrapper.data = read_cubin();
    void **handle = __cudaRegisterFatBinary(&wrapper);
    __cudaRegisterFunction(handle, (const char *)(size_t)polynomial, names[0], names[0], -1, NULL,
                           NULL, NULL, NULL, NULL);
    __cudaRegisterFunction(handle, (const char *)(size_t)count_up, names[1], names[1], -1, NULL,
                           NULL, NULL, NULL, NULL);
    __cudaRegisterVar(handle, coefficients, names[2], names[2], 0, 16, 1, 0);
    __cudaRegisterVar(handle, counter, names[3], names[3], 0, 4, 0, 0);
    __cudaRegisterVar(handle, table, names[4], names[4], 0, 256, 0, 0);
    __cudaRegisterManagedVar(handle, (void **)&answer, names[5], names[5], 0, 4, 0, 0);
    __cudaRegisterFatBinaryEnd(handle);
    ck_assert(__cudaInitModule(handle));
}

static float polynomial_of_two(void) {
    float x = 2, *on, n = 0;
    int one = 1;
    OK(cudaMalloc((void **)&on, sizeof x));
    OK(cudaMemcpy(on, &x, sizeof x, cudaMemcpyHostToDevice));
    void *arguments[] = {&on, &one};
    OK(cudaLaunchKernel((const void *)(size_t)polynomial, grid_of(1), block, arguments, 0, NULL));
    OK(cudaMemcpy(&n, on, sizeof n, cudaMemcpyDeviceToHost));
    return n;
}

START_TEST(constants_can_be_changed) {
    const float others[2] = {10, 20};
    float back[4];
    register_all();
    ck_assert(polynomial_of_two() == 1 + 4 + 12 + 32);
    OK(cudaMemcpyToSymbol(coefficients, others, sizeof others, 8, cudaMemcpyHostToDevice));
    ck_assert(polynomial_of_two() == 1 + 4 + 40 + 160);
    OK(cudaMemcpyFromSymbol(back, coefficients, sizeof back, 0, cudaMemcpyDeviceToHost));
    ck_assert(back[1] == 2 && back[3] == 20);
    GIVES(cudaErrorInvalidValue,
          cudaMemcpyToSymbol(coefficients, others, 8, 12, cudaMemcpyHostToDevice));
    GIVES(cudaErrorInvalidSymbol, cudaMemcpyToSymbol(values, others, 4, 0, cudaMemcpyHostToDevice));
}
END_TEST

START_TEST(variables_live_from_launch_to_launch) {
    int count;
    void *address;
    register_all();
    ck_assert_int_eq(*answer, 41);
    for (int i = 0; i < 3; i++)
        OK(cudaLaunchKernel((const void *)(size_t)count_up, grid_of(BLOCK), block, NULL, 0, NULL));
    OK(cudaMemcpyFromSymbol(&count, counter, 4, 0, cudaMemcpyDeviceToHost));
    ck_assert_int_eq(count, 5 + 3 * BLOCK);
    ck_assert_int_eq(*answer, 44);
    OK(cudaGetSymbolAddress(&address, counter));
    OK(cudaMemset(address, 0, 4));
    OK(cudaMemcpyFromSymbol(&count, counter, 4, 0, cudaMemcpyDeviceToHost));
    ck_assert_int_eq(count, 0);
}
END_TEST

START_TEST(libraries_have_kernels_and_variables) {
    unsigned count;
    size_t bytes;
    void *address;
    cudaKernel_t kernel;
    (void)kernel_of("scale");
    OK(cudaLibraryGetKernelCount(&count, library));
    ck_assert_uint_eq(count, 12);
    OK(cudaLibraryGetGlobal(&address, &bytes, library, "table"));
    ck_assert_uint_eq(bytes, 256);
    GIVES(cudaErrorSymbolNotFound, cudaLibraryGetKernel(&kernel, library, "nothing"));
    GIVES(cudaErrorFileNotFound,
          cudaLibraryLoadFromFile(&library, "/nowhere", NULL, NULL, 0, NULL, NULL, 0));
}
END_TEST

/* ---- Streams, events, graphs ---- */

static void note_call(void *user) {
    ++*(int *)user;
}

START_TEST(streams_and_events_keep_their_order) {
    float *x = on_device(), ms = -1;
    cudaStream_t first, second;
    cudaEvent_t start, end;
    int calls = 0;
    OK(cudaStreamCreate(&first));
    OK(cudaStreamCreate(&second));
    OK(cudaEventCreate(&start));
    OK(cudaEventCreate(&end));
    GIVES(cudaErrorInvalidResourceHandle, cudaEventElapsedTime(&ms, start, end));
    OK(cudaEventRecord(start, first));
    OK(scale(x, 2, N, first));
    OK(cudaEventRecord(end, first));
    OK(cudaStreamWaitEvent(second, end, 0));
    OK(scale(x, 5, N, second));
    OK(cudaLaunchHostFunc(second, note_call, &calls));
    OK(cudaStreamSynchronize(second));
    ck_assert_int_eq(calls, 1);
    OK(cudaEventElapsedTime(&ms, start, end));
    ck_assert(ms > 0);
    expect_scaled(x, 10, 0);
    OK(cudaStreamDestroy(first));
    GIVES(cudaErrorInvalidResourceHandle, cudaStreamSynchronize(first));
}
END_TEST

START_TEST(captured_streams_run_when_their_graph_does) {
    float *x = on_device(), *y = on_device();
    cudaStream_t stream, beside;
    cudaEvent_t fork, join;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    int calls = 0, status;
    size_t nodes = 0;
    OK(cudaStreamCreate(&stream));
    OK(cudaStreamCreate(&beside));
    OK(cudaEventCreate(&fork));
    OK(cudaEventCreate(&join));
    OK(cudaStreamBeginCapture(stream, 0));
    GIVES(cudaErrorStreamCaptureImplicit, scale(x, 2, N, NULL));
    GIVES(cudaErrorStreamCaptureInvalidated, cudaStreamEndCapture(stream, &graph));
    OK(cudaStreamBeginCapture(stream, 0));
    OK(scale(x, 2, N, stream));
    OK(cudaEventRecord(fork, stream));
    OK(cudaStreamWaitEvent(beside, fork, 0));
    OK(cudaMemsetAsync(y, 0, sizeof values, beside));
    OK(cudaStreamIsCapturing(beside, &status));
    ck_assert_int_eq(status, cudaStreamCaptureStatusActive);
    OK(cudaEventRecord(join, beside));
    OK(cudaLaunchHostFunc(stream, note_call, &calls));
    OK(cudaStreamWaitEvent(stream, join, 0));
    OK(add_to(x, y, N, stream));
    OK(cudaStreamEndCapture(stream, &graph));
    OK(cudaGraphGetNodes(graph, NULL, &nodes));
    ck_assert_uint_eq(nodes, 4);
    OK(cudaGraphInstantiate(&exec, graph, 0));
    OK(cudaGraphDestroy(graph));
    ck_assert_int_eq(calls, 0);
    expect_scaled(x, 1, 0);
    OK(cudaGraphLaunch(exec, stream));
    OK(cudaGraphLaunch(exec, stream));
    OK(cudaStreamSynchronize(stream));
    ck_assert_int_eq(calls, 2);
    expect_scaled(x, 4, 0);
    OK(cudaGraphExecDestroy(exec));
    GIVES(cudaErrorInvalidValue, cudaGraphLaunch(exec, stream));
}
END_TEST

START_TEST(a_branch_that_is_not_joined_is_an_error) {
    float *x = on_device();
    cudaStream_t stream, beside;
    cudaEvent_t fork;
    cudaGraph_t graph;
    OK(cudaStreamCreate(&stream));
    OK(cudaStreamCreate(&beside));
    OK(cudaEventCreate(&fork));
    OK(cudaStreamBeginCapture(stream, 0));
    OK(cudaEventRecord(fork, stream));
    OK(cudaStreamWaitEvent(beside, fork, 0));
    OK(scale(x, 2, N, beside));
    GIVES(cudaErrorStreamCaptureUnjoined, cudaStreamEndCapture(stream, &graph));
    OK(scale(x, 2, N, beside));
    expect_scaled(x, 2, 0);
}
END_TEST

START_TEST(graphs_are_built_and_changed) {
    float *x = on_device(), factor = 2;
    int n = N;
    void *arguments[] = {&x, &factor, &n};
    struct cudaKernelNodeParams launch = {.func = (void *)(size_t)kernel_of("scale"),
                                          .gridDim = grid_of(N),
                                          .blockDim = block,
                                          .kernelParams = arguments};
    const struct cudaMemsetParams zero = {x, 0, 0, 4, 1, 1};
    cudaGraph_t graph;
    cudaGraphNode_t scaled, cleared;
    cudaGraphExec_t exec;
    OK(cudaGraphCreate(&graph, 0));
    OK(cudaGraphAddKernelNode(&scaled, graph, NULL, 0, &launch));
    OK(cudaGraphAddMemsetNode(&cleared, graph, NULL, 0, &zero));
    OK(cudaGraphAddDependencies(graph, &cleared, &scaled, NULL, 1));
    GIVES(cudaErrorInvalidValue, cudaGraphAddDependencies(graph, &scaled, &cleared, NULL, 1));
    OK(cudaGraphInstantiate(&exec, graph, 0));
    factor = 100; /* arguments were copied */
    OK(cudaGraphLaunch(exec, NULL));
    expect_scaled(x, 2, 0);
    factor = 3;
    OK(cudaGraphExecKernelNodeSetParams(exec, scaled, &launch));
    OK(cudaGraphLaunch(exec, NULL));
    expect_scaled(x, 6, 0);
}
END_TEST

START_TEST(memory_in_the_order_of_streams) {
    float *x, *y = on_device();
    cudaStream_t stream;
    OK(cudaStreamCreate(&stream));
    OK(cudaMallocAsync((void **)&x, sizeof values, stream));
    OK(cudaMemcpyAsync(x, y, sizeof values, cudaMemcpyDeviceToDevice, stream));
    OK(scale(x, 2, N, stream));
    expect_scaled(x, 2, 0);
    OK(cudaFreeAsync(x, stream));
    GIVES(cudaErrorInvalidValue, cudaFreeAsync(x, stream));
}
END_TEST

/* ---- Questions ---- */

START_TEST(the_device_is_a_row_of_the_model) {
    struct {
        char name[1008];
    } properties;
    int value, blocks;
    size_t unused, total, memory;
    struct cudaFuncAttributes about;
    OK(cudaGetDeviceProperties(&properties, 0));
    ck_assert_str_eq(properties.name, "NVIDIA H200");
    memcpy(&memory, properties.name + 288, sizeof memory);
    OK(cudaMemGetInfo(&unused, &total));
    ck_assert_uint_eq(total, memory);
    ck_assert(unused > 0 && unused <= total);
    memcpy(&value, properties.name + 384, sizeof value);
    ck_assert_int_eq(value, 132);
    OK(cudaDeviceGetAttribute(&value, 97, 0));
    ck_assert_int_eq(value, 227 << 10);
    GIVES(cudaErrorInvalidDevice, cudaDeviceGetAttribute(&value, 97, 1));
    OK(cudaFuncGetAttributes(&about, kernel_of("ranks")));
    ck_assert_int_eq(about.maxThreadsPerBlock, 128);
    ck_assert_int_eq(about.binaryVersion, 90);
    ck_assert_uint_eq(about.constSizeBytes, 16);
    OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel_of("scale"), 256, 0));
    ck_assert_int_eq(blocks, 8);
    OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel_of("scale"), 32, 100 << 10));
    ck_assert_int_eq(blocks, 2);
}
END_TEST

START_TEST(what_is_not_there_says_so) {
    void *array;
    GIVES(cudaErrorNotSupported, cudaMallocArray(&array, NULL, 4, 4, 0));
    ck_assert_str_eq(cudaGetErrorString(cudaErrorNotSupported), "operation not supported");
}
END_TEST

static bool has_disassembler(void) {
    char path[4096];
    smp_error error;
    return smp_tool_find("nvdisasm", path, sizeof path, &error) == SMP_OK;
}

static Suite *make_suite(void) {
    Suite *suite = suite_create("runtime");
    TCase *launches = tcase_create("launches"), *variables = tcase_create("variables");
    TCase *streams = tcase_create("streams"), *questions = tcase_create("questions");
    tcase_add_test(launches, launches_compute);
    tcase_add_test(launches, what_a_gpu_would_refuse_is_refused);
    tcase_add_test(launches, wrong_memory_breaks_the_context);
    tcase_add_test(launches, copies_know_their_sides);
    tcase_add_test(launches, rows_and_boxes_are_copied);
    tcase_add_test(launches, host_and_managed_memory_are_shared_with_kernels);
    tcase_add_test(launches, structures_are_arguments);
    tcase_add_test(launches, dynamic_shared_memory_has_its_size);
    tcase_add_test(launches, clusters_have_ranks);
    tcase_add_test(launches, calls_go_where_registers_say);
    tcase_add_test(launches, swaps_have_wide_addresses);
    tcase_add_test(launches, lanes_of_one_label_are_alone);
    tcase_add_test(launches, kernels_print);
    tcase_add_test(launches, assertions_break_the_context);
    tcase_add_test(variables, constants_can_be_changed);
    tcase_add_test(variables, variables_live_from_launch_to_launch);
    tcase_add_test(variables, libraries_have_kernels_and_variables);
    tcase_add_test(streams, streams_and_events_keep_their_order);
    tcase_add_test(streams, captured_streams_run_when_their_graph_does);
    tcase_add_test(streams, a_branch_that_is_not_joined_is_an_error);
    tcase_add_test(streams, graphs_are_built_and_changed);
    tcase_add_test(streams, memory_in_the_order_of_streams);
    tcase_add_test(questions, the_device_is_a_row_of_the_model);
    tcase_add_test(questions, what_is_not_there_says_so);
    suite_add_tcase(suite, launches);
    suite_add_tcase(suite, variables);
    suite_add_tcase(suite, streams);
    suite_add_tcase(suite, questions);
    return suite;
}

/* What is disassembled here is there in the process of each test. */
static void warm_up(void) {
    static const char *const names[] = {"scale", "add_to", "work_on", "reverse", "ranks"};
    struct cudaFuncAttributes about;
    cudaKernel_t kernel;
    if (cudaLibraryLoadFromFile(&library, cubin, NULL, NULL, 0, NULL, NULL, 0) != cudaSuccess)
        return; /* the tests will say why */
    for (unsigned i = 0; i < sizeof names / sizeof names[0]; i++)
        if (cudaLibraryGetKernel(&kernel, library, names[i]) == cudaSuccess)
            (void)cudaFuncGetAttributes(&about, kernel);
}

int main(void) {
    if (!has_disassembler()) {
        puts("skipped: no nvdisasm");
        return 77;
    }
    warm_up();
    return suite_run(make_suite());
}
