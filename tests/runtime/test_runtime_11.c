/* SPDX-License-Identifier: MIT */
/*
 * What programs of version 11 call in another way than host.h says. The bytes behind their structs
 * stay as they are.
 */
#define _GNU_SOURCE /* RTLD_DEFAULT */
#include <dlfcn.h>

#include "runtime_case.h"

#define FUNCTION(name, ...)                              \
    cudaError_t (*name)(__VA_ARGS__);                    \
    {                                                    \
        void *found = dlsym(RTLD_DEFAULT, "cuda" #name); \
        ck_assert_msg(found, "no cuda" #name);           \
        memcpy(&(name), &found, sizeof found);           \
    }

enum { GUARD = 0x5a };

/* `size` bytes were written, and none behind them. */
static void expect_size(const unsigned char *bytes, size_t size, size_t all) {
    for (size_t i = size; i < all; i++)
        ck_assert_msg(bytes[i] == GUARD, "byte %zu of %zu was written", i, size);
}

START_TEST(structs_end_where_they_ended) {
    unsigned char bytes[1100];
    int multiprocessors, version, registers;
    FUNCTION(GetDeviceProperties, void *, int)
    memset(bytes, GUARD, sizeof bytes);
    OK(GetDeviceProperties(bytes, 0));
    expect_size(bytes, 728, sizeof bytes);
    memcpy(&multiprocessors, bytes + 388, sizeof multiprocessors);
    ck_assert_int_eq(multiprocessors, 132);
    FUNCTION(FuncGetAttributes, void *, const void *)
    memset(bytes, GUARD, sizeof bytes);
    OK(FuncGetAttributes(bytes, kernel_of("scale")));
    expect_size(bytes, 56, sizeof bytes);
    memcpy(&registers, bytes + 28, sizeof registers);
    ck_assert_int_gt(registers, 0);
    FUNCTION(RuntimeGetVersion, int *)
    OK(RuntimeGetVersion(&version));
    ck_assert_int_eq(version, 11080);
}
END_TEST

START_TEST(graphs_have_their_older_calls) {
    float *x = on_device();
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaGraphNode_t node;
    char log[4] = "?";
    int status, result = -1;
    unsigned long long id = 0;
    FUNCTION(GraphInstantiate, cudaGraphExec_t *, cudaGraph_t, cudaGraphNode_t *, char *, size_t)
    FUNCTION(GraphExecUpdate, cudaGraphExec_t, cudaGraph_t, cudaGraphNode_t *, int *)
    FUNCTION(StreamGetCaptureInfo, cudaStream_t, int *, unsigned long long *)
    OK(cudaStreamCreate(&stream));
    OK(cudaStreamBeginCapture(stream, 0));
    OK(scale(x, 3, N, stream));
    OK(StreamGetCaptureInfo(stream, &status, &id));
    ck_assert_int_eq(status, cudaStreamCaptureStatusActive);
    OK(cudaStreamEndCapture(stream, &graph));
    OK(GraphInstantiate(&exec, graph, &node, log, sizeof log));
    ck_assert_str_eq(log, "");
    OK(GraphExecUpdate(exec, graph, &node, &result));
    ck_assert_int_eq(result, 0);
    OK(cudaGraphLaunch(exec, stream));
    OK(cudaStreamSynchronize(stream));
    expect_scaled(x, 3, 0);
}
END_TEST

START_TEST(references_to_textures_are_refused) {
    FUNCTION(BindTexture, void)
    GIVES(cudaErrorNotSupported, BindTexture());
    void *entry = NULL;
    FUNCTION(GetDriverEntryPoint, const char *, void **, unsigned long long)
    OK(GetDriverEntryPoint("cuMemAlloc", &entry, 0));
    ck_assert_ptr_nonnull(entry);
}
END_TEST

int main(void) {
    if (!is_ready())
        return SUITE_SKIPPED;
    return SUITE("runtime 11", TEST(structs_end_where_they_ended),
                 TEST(graphs_have_their_older_calls), TEST(references_to_textures_are_refused));
}
