// SPDX-License-Identifier: MIT
// Launches and copies of two streams, what orders them or not, and launches that begin before the
// one in front has ended. Each case runs alone: behind it stands `silent`, or the lines that race,
// by words in the comments of the kernels; a copy has no line.
#include <cuda_runtime.h>

#include <cstdio>
#include <cstring>

static int *a, *b, *host;
static cudaStream_t s, t;
static cudaEvent_t ready, done;

__device__ int here() {
    return blockIdx.x * blockDim.x + threadIdx.x;
}

__global__ void fill(int *to, int x) {
    to[here()] = x; // fill
}

__global__ void sum(int *to, const int *from) {
    to[here()] += from[here()]; // sum
}

__global__ void count(int *to) {
    atomicAdd(&to[here()], 1); // count
}

__global__ void put_flag(int *to) {
    to[threadIdx.x] = threadIdx.x;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0)
        atomicExch(to + 512, 1);
}

__global__ void take_flag(int *to, int *from) {
    while (atomicAdd(from + 512, 0) == 0)
        continue;
    __threadfence();
    to[threadIdx.x] = from[threadIdx.x];
}

__global__ void first(int *to) {
    cudaTriggerProgrammaticLaunchCompletion();
    to[here()] = here(); // first
}

template <bool WAITS> __global__ void second(int *to, const int *from) {
    if (WAITS)
        cudaGridDependencySynchronize();
    to[here()] = from[here()]; // second
}

// One thread waits for its block.
__global__ void second_elected(int *to, const int *from) {
    if (threadIdx.x == 0)
        cudaGridDependencySynchronize();
    __syncthreads();
    to[here()] = from[here()];
}

#define FILL(stream, to) fill<<<4, 64, 0, stream>>>(to, 1)
#define SUM(stream, to, from) sum<<<4, 64, 0, stream>>>(to, from)

template <typename KERNEL> static void launch_early(KERNEL kernel, int *to, const int *from) {
    cudaLaunchConfig_t config = {};
    cudaLaunchAttribute attribute;
    config.gridDim = 4;
    config.blockDim = 64;
    config.stream = s;
    attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attribute.val.programmaticStreamSerializationAllowed = 1;
    config.attrs = &attribute;
    config.numAttrs = 1;
    cudaLaunchKernelEx(&config, kernel, to, from);
}

static void pass(cudaEvent_t event, cudaStream_t from, cudaStream_t to) {
    cudaEventRecord(event, from);
    cudaStreamWaitEvent(to, event, 0);
}

// Two branches, which meet again.
static void run_graph(int *to) {
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
    pass(ready, s, t);
    FILL(s, a);
    FILL(t, to);
    pass(done, t, s);
    SUM(s, b, a);
    cudaStreamEndCapture(s, &graph);
    cudaGraphInstantiate(&exec, graph, 0);
    cudaGraphLaunch(exec, s);
    cudaGraphLaunch(exec, s);
}

static bool is(const char *name, const char *wanted) {
    return std::strcmp(name, wanted) == 0;
}

#define CASE(case_name, ...)    \
    if (is(name, #case_name)) { \
        __VA_ARGS__;            \
    }

static void run(const char *name) {
    const int bytes = 1024;
    CASE(one_stream, FILL(s, a), SUM(s, b, a));                                         // silent
    CASE(two_streams, FILL(s, a), SUM(t, b, a));                                        // sum fill
    CASE(event, FILL(s, a), pass(ready, s, t), SUM(t, b, a));                           // silent
    CASE(event_early, pass(ready, s, t), FILL(s, a), SUM(t, b, a));                     // sum fill
    CASE(event_back, FILL(s, a), pass(ready, s, t), SUM(t, b, a), FILL(s, a));          // fill sum
    CASE(event_others, FILL(s, a), pass(ready, t, s), SUM(t, b, a));                    // sum fill
    CASE(host_waits, FILL(s, a), cudaStreamSynchronize(s), SUM(t, b, a));               // silent
    CASE(host_waits_late, FILL(s, a), SUM(t, b, a), cudaStreamSynchronize(s));          // sum fill
    CASE(host_waits_other, FILL(s, a), cudaStreamSynchronize(t), SUM(t, b, a));         // sum fill
    CASE(host_waits_all, FILL(s, a), cudaDeviceSynchronize(), SUM(t, b, a));            // silent
    CASE(host_event, FILL(s, a), cudaEventRecord(ready, s),                             //
         cudaEventSynchronize(ready), SUM(t, b, a));                                    // silent
    CASE(legacy, FILL(s, a), SUM(0, b, a), FILL(t, a));                                 // silent
    CASE(legacy_other, FILL(s, a), SUM(t, b, a), SUM(0, b, a));                         // sum fill
    CASE(default_no_wait, FILL(s, a), SUM(0, b, a));                                    // sum fill
    CASE(copy, FILL(s, a), cudaMemcpyAsync(host, a, bytes, cudaMemcpyDefault, s));      // silent
    CASE(copy_out, FILL(s, a), cudaMemcpyAsync(host, a, bytes, cudaMemcpyDefault, t));  // fill
    CASE(copy_in, cudaMemcpyAsync(a, host, bytes, cudaMemcpyDefault, t), SUM(s, b, a)); // sum
    CASE(set, cudaMemsetAsync(a, 0, bytes, t), SUM(s, b, a));                           // sum
    CASE(apart, FILL(s, a), FILL(t, a + 256));                                          // silent
    CASE(readers, SUM(s, b, a), SUM(t, b + 256, a));                                    // silent
    CASE(reader_behind, SUM(s, b, a), SUM(t, b + 256, a),                               //
         cudaStreamSynchronize(t), FILL(t, a));                                         // fill sum
    CASE(adds, count<<<4, 64, 0, s>>>(a), count<<<4, 64, 0, t>>>(a));                   // silent
    CASE(add_fill, count<<<4, 64, 0, s>>>(a), FILL(t, a));                      // fill count
    CASE(flag, put_flag<<<1, 64, 0, s>>>(a), take_flag<<<1, 64, 0, t>>>(b, a)); // silent
    CASE(early, first<<<4, 64, 0, s>>>(a), launch_early(second<true>, b, a));   // silent
    CASE(early_no_wait, first<<<4, 64, 0, s>>>(a),
         launch_early(second<false>, b, a)); // second first
    CASE(early_elected, first<<<4, 64, 0, s>>>(a), launch_early(second_elected, b, a)); // silent
    CASE(early_not_let, FILL(s, a), launch_early(second<false>, b, a));                 // silent
    CASE(early_plain, first<<<4, 64, 0, s>>>(a), second<false><<<4, 64, 0, s>>>(b, a)); // silent
    CASE(graph, run_graph(b));                                                          // silent
    CASE(graph_one, run_graph(a));                                                      // fill fill
}

int main(int argc, char **argv) {
    const char *name = argc > 1 ? argv[1] : "";
    const unsigned flags =
        is(name, "legacy") || is(name, "legacy_other") ? 0 : cudaStreamNonBlocking;
    cudaMalloc(&a, 4096);
    cudaMalloc(&b, 4096);
    cudaMallocHost(&host, 4096);
    cudaMemset(a, 0, 4096);
    cudaStreamCreateWithFlags(&s, flags);
    cudaStreamCreateWithFlags(&t, flags);
    cudaEventCreate(&ready);
    cudaEventCreate(&done);
    run(name);
    cudaDeviceSynchronize();
    std::puts(cudaGetErrorString(cudaGetLastError()));
    return cudaGetLastError() != cudaSuccess;
}
