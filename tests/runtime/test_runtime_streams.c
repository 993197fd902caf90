/* SPDX-License-Identifier: MIT */
/*
 * Streams, events and graphs of the runtime that stands in for a GPU, and what it says of the
 * device.
 */
#include "runtime_case.h"

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

/* As driver_types.h has it. */
typedef struct node_memory {
    int type, handles, location, device;
    void *attributes;
    size_t most, others[7];
    const void *access;
    size_t access_count, bytes;
    float *address;
} node_memory;

START_TEST(nodes_of_graphs_have_memory) {
    float factor = 3, *x = on_device(), *freed;
    int n = N;
    node_memory memory = {.type = 1, .location = 1, .bytes = sizeof values}, told;
    cudaGraph_t graph;
    cudaGraphNode_t made, copied, scaled, gone;
    cudaGraphExec_t exec;
    ck_assert_uint_eq(sizeof memory, 120);
    OK(cudaGraphCreate(&graph, 0));
    OK(cudaGraphAddMemAllocNode(&made, graph, NULL, 0, &memory));
    ck_assert_ptr_nonnull(memory.address);
    void *arguments[] = {&memory.address, &factor, &n};
    struct cudaKernelNodeParams launch = {.func = (void *)(size_t)kernel_of("scale"),
                                          .gridDim = grid_of(N),
                                          .blockDim = block,
                                          .kernelParams = arguments};
    OK(cudaGraphAddMemcpyNode1D(&copied, graph, &made, 1, memory.address, x, sizeof values,
                                cudaMemcpyDeviceToDevice));
    OK(cudaGraphAddKernelNode(&scaled, graph, &copied, 1, &launch));
    OK(cudaGraphAddMemcpyNode1D(&copied, graph, &scaled, 1, x, memory.address, sizeof values,
                                cudaMemcpyDeviceToDevice));
    OK(cudaGraphAddMemFreeNode(&gone, graph, &copied, 1, memory.address));
    GIVES(cudaErrorInvalidValue, cudaGraphAddMemFreeNode(&gone, graph, &copied, 1, values));
    OK(cudaGraphMemAllocNodeGetParams(made, &told));
    ck_assert(told.address == memory.address && told.bytes == sizeof values);
    OK(cudaGraphMemFreeNodeGetParams(gone, &freed));
    ck_assert(freed == memory.address);
    GIVES(cudaErrorInvalidValue, cudaGraphMemFreeNodeGetParams(made, &freed));
    OK(cudaGraphInstantiate(&exec, graph, 0));
    OK(cudaGraphLaunch(exec, NULL));
    OK(cudaGraphLaunch(exec, NULL));
    expect_scaled(x, 9, 0);
    GIVES(cudaErrorInvalidValue, cudaFree(memory.address)); /* its node has */
    OK(cudaGraphAddMemFreeNode(&gone, graph, &copied, 1, memory.address));
    OK(cudaDeviceGraphMemTrim(0));
    GIVES(cudaErrorNotSupported, cudaDeviceGetGraphMemAttribute(0, 0, &told));
    memory.bytes = 0;
    GIVES(cudaErrorInvalidValue, cudaGraphAddMemAllocNode(&made, graph, NULL, 0, &memory));
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

START_TEST(pools_of_a_place) {
    static const int device[] = {1, 0}, host[] = {2, 0}; /* cudaMemLocation */
    cudaMemPool_t pool, made, other;
    int flags = -1;
    OK(cudaMemGetDefaultMemPool(&pool, device, 1));
    OK(cudaMemPoolGetAccess(&flags, pool, device));
    ck_assert_int_eq(flags, 3);
    OK(cudaMemPoolGetAccess(&flags, pool, host));
    ck_assert_int_eq(flags, 0);
    OK(cudaMemPoolCreate(&made, device));
    OK(cudaMemSetMemPool(device, 1, made));
    OK(cudaMemGetMemPool(&other, device, 1));
    ck_assert_ptr_eq(other, made);
    OK(cudaMemPoolDestroy(made));
    GIVES(cudaErrorInvalidValue, cudaMemPoolGetAccess(&flags, made, device));
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
    GIVES(cudaErrorNotSupported, cudaMallocMipmappedArray(&array));
    ck_assert_str_eq(cudaGetErrorString(cudaErrorNotSupported), "operation not supported");
}
END_TEST

int main(void) {
    if (!is_ready())
        return SUITE_SKIPPED;
    return SUITE("runtime streams", TEST(streams_and_events_keep_their_order),
                 TEST(captured_streams_run_when_their_graph_does),
                 TEST(a_branch_that_is_not_joined_is_an_error), TEST(graphs_are_built_and_changed),
                 TEST(nodes_of_graphs_have_memory), TEST(memory_in_the_order_of_streams),
                 TEST(pools_of_a_place), TEST(the_device_is_a_row_of_the_model),
                 TEST(what_is_not_there_says_so));
}
