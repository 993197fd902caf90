// SPDX-License-Identifier: MIT
// instrument_many.cu: the ways in which programs come to run kernels, each with a kernel of which
// the cost is known. Prints "expect LAUNCHES REQUESTS WAVEFRONTS" for each process that ran some.
//   instrument_many plain | async | threads | contexts | devices | graph | conditional |
//               cooperative | nvrtc | children | spawn | hang | busy | again
// busy and again are for --launches: they say how long what comes after the first launches takes.
// 77: this machine has not what it takes.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <cuda.h>
#include <cuda_runtime.h>
#include <dlfcn.h>
#include <spawn.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include "check_cuda.cuh"

extern char **environ;

enum { BLOCKS = 16, ROUNDS = 32, WORDS = 1024, SKIPPED = 77 };

#define WALK                                                          \
    extern "C" __global__ void walk(unsigned *out, unsigned stride) { \
        __shared__ volatile unsigned tile[1024];                      \
        unsigned sum = 0;                                             \
        for (unsigned round = 0; round < 32; round++)                 \
            sum += tile[threadIdx.x * stride + round];                \
        if (sum == 0x12345678)                                        \
            out[threadIdx.x] = sum;                                   \
    }
#define TEXT(...) #__VA_ARGS__
#define TEXT_OF(...) TEXT(__VA_ARGS__)

WALK

    // Strides are powers of two up to 32, so each of the ROUNDS requests is stride-way.
    struct expected {
    unsigned long long launches, requests, wavefronts;
};

static std::vector<expected> counted(16);

static void count(unsigned who, unsigned stride) {
    expected &sum = counted[who];
    sum.launches++;
    sum.requests += BLOCKS * ROUNDS;
    sum.wavefronts += BLOCKS * ROUNDS * stride;
}

static void tell() {
    expected sum = {};
    for (const expected &one : counted) {
        sum.launches += one.launches;
        sum.requests += one.requests;
        sum.wavefronts += one.wavefronts;
    }
    printf("expect %llu %llu %llu\n", sum.launches, sum.requests, sum.wavefronts);
    fflush(stdout);
}

static unsigned *memory() {
    unsigned *out;
    CHECK(cudaMalloc(&out, WORDS * sizeof *out));
    return out;
}

static void launch(unsigned who, unsigned *out, unsigned stride, cudaStream_t stream = 0) {
    walk<<<BLOCKS, 32, 0, stream>>>(out, stride);
    CHECK(cudaGetLastError());
    count(who, stride);
}

static void plain() {
    unsigned *out = memory();
    for (unsigned stride = 1; stride <= 32; stride *= 2)
        launch(0, out, stride);
    CHECK(cudaDeviceSynchronize());
}

// Launches faster than they run; nothing waits before the end.
static void async() {
    unsigned *out = memory();
    for (unsigned i = 0; i < 200; i++)
        launch(0, out, 1u << i % 6);
    CHECK(cudaDeviceSynchronize());
}

static void threads() {
    unsigned *out = memory();
    std::vector<std::thread> running;
    for (unsigned who = 0; who < 8; who++)
        running.emplace_back([=] {
            cudaStream_t stream;
            CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
            for (unsigned i = 0; i < 20; i++) {
                launch(who, out, 1u << (who + i) % 6, stream);
                if (i % 7 == who % 7)
                    CHECK(cudaStreamSynchronize(stream));
            }
            CHECK(cudaStreamSynchronize(stream));
            CHECK(cudaStreamDestroy(stream));
        });
    for (std::thread &one : running)
        one.join();
}

// ---- The driver's own calls, found at run time ----

template <typename Function> static Function driver(const char *name) {
    void *function = nullptr;
    cudaDriverEntryPointQueryResult found;
    CHECK(
        cudaGetDriverEntryPointByVersion(name, &function, CUDA_VERSION, cudaEnableDefault, &found));
    if (found != cudaDriverEntryPointSuccess)
        exit(SKIPPED);
    return (Function)function;
}

#define DRIVER(name) driver<decltype(&name)>(#name)

static void need(CUresult status, const char *what) {
    if (status != CUDA_SUCCESS) {
        fprintf(stderr, "%s: %d\n", what, (int)status);
        exit(1);
    }
}

// Several contexts on one GPU, one after the other and in turn; each is destroyed.
static void contexts() {
    CHECK(cudaFree(0));
    // By their names in the library: which version cuCtxCreate means depends on the toolkit.
    void *library = dlopen("libcuda.so.1", RTLD_NOW);
    void *created = library ? dlsym(library, "cuCtxCreate_v2") : nullptr;
    void *destroyed = library ? dlsym(library, "cuCtxDestroy_v2") : nullptr;
    if (created == nullptr || destroyed == nullptr)
        exit(SKIPPED);
    auto create = (CUresult(*)(CUcontext *, unsigned, CUdevice))created;
    auto destroy = (CUresult(*)(CUcontext))destroyed;
    auto current = DRIVER(cuCtxSetCurrent);
    for (unsigned turn = 0; turn < 2; turn++) {
        CUcontext both[2];
        for (unsigned i = 0; i < 2; i++) {
            need(create(&both[i], 0, 0), "cuCtxCreate");
            launch(0, memory(), 4);
        }
        for (unsigned i = 0; i < 6; i++) {
            need(current(both[i % 2]), "cuCtxSetCurrent");
            launch(0, memory(), 1u << i);
            CHECK(cudaDeviceSynchronize());
        }
        for (unsigned i = 0; i < 2; i++)
            need(destroy(both[i]), "cuCtxDestroy");
    }
}

static void devices() {
    int gpus = 0;
    CHECK(cudaGetDeviceCount(&gpus));
    if (gpus < 2)
        exit(SKIPPED);
    for (int turn = 0; turn < 3; turn++) {
        for (int gpu = 0; gpu < gpus; gpu++) {
            CHECK(cudaSetDevice(gpu));
            launch(0, memory(), 2u << gpu % 5);
        }
    }
    for (int gpu = 0; gpu < gpus; gpu++) {
        CHECK(cudaSetDevice(gpu));
        CHECK(cudaDeviceSynchronize());
    }
}

// Captured from two streams; then a node's arguments change, and the graph is made anew.
static void graph() {
    unsigned *out = memory(), stride = 32;
    cudaStream_t one, two;
    cudaEvent_t parts, meet;
    cudaGraph_t captured;
    cudaGraphExec_t ready;
    CHECK(cudaStreamCreate(&one));
    CHECK(cudaStreamCreate(&two));
    CHECK(cudaEventCreate(&parts));
    CHECK(cudaEventCreate(&meet));
    CHECK(cudaStreamBeginCapture(one, cudaStreamCaptureModeGlobal));
    walk<<<BLOCKS, 32, 0, one>>>(out, 2);
    CHECK(cudaEventRecord(parts, one));
    CHECK(cudaStreamWaitEvent(two, parts, 0));
    walk<<<BLOCKS, 32, 0, two>>>(out, 4);
    walk<<<BLOCKS, 32, 0, one>>>(out, 8);
    CHECK(cudaEventRecord(meet, two));
    CHECK(cudaStreamWaitEvent(one, meet, 0));
    CHECK(cudaStreamEndCapture(one, &captured));
    CHECK(cudaGraphInstantiate(&ready, captured, 0));
    for (unsigned i = 0; i < 5; i++) {
        CHECK(cudaGraphLaunch(ready, one));
        count(0, 2), count(0, 4), count(0, 8);
    }
    cudaGraphNode_t nodes[8];
    size_t node_count = 8;
    CHECK(cudaGraphGetNodes(captured, nodes, &node_count));
    for (size_t i = 0; i < node_count; i++) {
        cudaGraphNodeType type;
        cudaKernelNodeParams wanted = {};
        void *arguments[] = {&out, &stride};
        CHECK(cudaGraphNodeGetType(nodes[i], &type));
        if (type != cudaGraphNodeTypeKernel)
            continue;
        CHECK(cudaGraphKernelNodeGetParams(nodes[i], &wanted));
        wanted.kernelParams = arguments;
        CHECK(cudaGraphExecKernelNodeSetParams(ready, nodes[i], &wanted));
    }
    CHECK(cudaGraphLaunch(ready, one));
    count(0, 32), count(0, 32), count(0, 32);
    CHECK(cudaStreamSynchronize(one));
    CHECK(cudaGraphExecDestroy(ready));
}

#if CUDART_VERSION >= 13000
// Ends or repeats the loop's body.
__global__ void decide(cudaGraphConditionalHandle loop, unsigned *left) {
    cudaGraphSetConditional(loop, --*left > 0);
}

static void add_kernel(cudaGraph_t to, void *kernel, dim3 blocks, unsigned threads, void **values,
                       const cudaGraphNode_t *behind, cudaGraphNode_t *node) {
    cudaKernelNodeParams wanted = {};
    wanted.func = kernel;
    wanted.gridDim = blocks;
    wanted.blockDim = threads;
    wanted.kernelParams = values;
    CHECK(cudaGraphAddKernelNode(node, to, behind, behind ? 1 : 0, &wanted));
}

// A graph whose body runs several times, and one that never does.
static void conditional() {
    enum { TIMES = 7 };
    unsigned *out = memory(), *left = memory(), stride = 8;
    const unsigned times = TIMES;
    CHECK(cudaMemcpy(left, &times, sizeof times, cudaMemcpyHostToDevice));
    for (const unsigned runs : {unsigned{TIMES}, 0u}) {
        cudaGraph_t whole;
        cudaGraphExec_t ready;
        cudaGraphNode_t node, first, second;
        cudaGraphConditionalHandle loop;
        CHECK(cudaGraphCreate(&whole, 0));
        CHECK(cudaGraphConditionalHandleCreate(&loop, whole, runs > 0, cudaGraphCondAssignDefault));
        cudaGraphNodeParams wanted = {cudaGraphNodeTypeConditional};
        wanted.conditional.handle = loop;
        wanted.conditional.type = cudaGraphCondTypeWhile;
        wanted.conditional.size = 1;
        CHECK(cudaGraphAddNode(&node, whole, nullptr, nullptr, 0, &wanted));
        const cudaGraph_t body = wanted.conditional.phGraph_out[0];
        void *values[] = {&out, &stride}, *ends[] = {&loop, &left};
        add_kernel(body, (void *)walk, BLOCKS, 32, values, nullptr, &first);
        add_kernel(body, (void *)decide, 1, 1, ends, &first, &second);
        CHECK(cudaGraphInstantiate(&ready, whole, 0));
        CHECK(cudaGraphLaunch(ready, 0));
        CHECK(cudaDeviceSynchronize());
        for (unsigned i = 0; i < runs; i++)
            count(0, stride);
    }
}
#else
static void conditional() {
    exit(SKIPPED);
}
#endif

static void cooperative() {
    unsigned *out = memory(), stride = 8;
    void *arguments[] = {&out, &stride};
    CHECK(cudaLaunchCooperativeKernel((void *)walk, dim3(BLOCKS), dim3(32), arguments, 0, 0));
    count(0, stride);
    CHECK(cudaDeviceSynchronize());
}

// ---- Compiled at run time ----

typedef struct _nvrtcProgram *nvrtc_program;

template <typename Function> static Function find(void *library, const char *name) {
    void *function = dlsym(library, name);
    if (function == nullptr)
        exit(SKIPPED);
    return (Function)function;
}

static std::vector<char> compile() {
    void *library = dlopen("libnvrtc.so.13", RTLD_NOW);
    library = library ? library : dlopen("libnvrtc.so.12", RTLD_NOW);
    library = library ? library : dlopen("libnvrtc.so", RTLD_NOW);
    if (library == nullptr) {
        fprintf(stderr, "%s\n", dlerror());
        exit(SKIPPED);
    }
    auto create =
        find<int (*)(nvrtc_program *, const char *, const char *, int, const char *const *,
                     const char *const *)>(library, "nvrtcCreateProgram");
    auto build =
        find<int (*)(nvrtc_program, int, const char *const *)>(library, "nvrtcCompileProgram");
    auto size = find<int (*)(nvrtc_program, size_t *)>(library, "nvrtcGetCUBINSize");
    auto get = find<int (*)(nvrtc_program, char *)>(library, "nvrtcGetCUBIN");
    cudaDeviceProp gpu;
    CHECK(cudaGetDeviceProperties(&gpu, 0));
    char option[64];
    snprintf(option, sizeof option, "-arch=sm_%d%d", gpu.major, gpu.minor);
    const char *options[] = {option, "-lineinfo"};
    nvrtc_program program;
    size_t bytes = 0;
    if (create(&program, TEXT_OF(WALK), "walk.cu", 0, nullptr, nullptr) != 0 ||
        build(program, 2, options) != 0 || size(program, &bytes) != 0)
        exit(1);
    std::vector<char> code(bytes);
    if (get(program, code.data()) != 0)
        exit(1);
    return code;
}

// Loaded and unloaded: the next module may come to lie where this one was.
static void nvrtc() {
    std::vector<char> code = compile();
    CHECK(cudaFree(0));
    auto load = DRIVER(cuModuleLoadData);
    auto unload = DRIVER(cuModuleUnload);
    auto get = DRIVER(cuModuleGetFunction);
    auto start = DRIVER(cuLaunchKernel);
    unsigned *out = memory();
    for (unsigned stride = 1; stride <= 32; stride *= 2) {
        CUmodule module;
        CUfunction function;
        void *arguments[] = {&out, &stride};
        need(load(&module, code.data()), "cuModuleLoadData");
        need(get(&function, module, "walk"), "cuModuleGetFunction");
        need(start(function, BLOCKS, 1, 1, 32, 1, 1, 0, 0, arguments, nullptr), "cuLaunchKernel");
        count(0, stride);
        CHECK(cudaDeviceSynchronize());
        need(unload(module), "cuModuleUnload");
    }
}

// ---- After the first launches ----

// So much shared memory is read that patches are noticed.
extern "C" __global__ void heavy(unsigned *out, unsigned rounds) {
    __shared__ volatile unsigned tile[1024];
    unsigned sum = 0;
    for (unsigned round = 0; round < rounds; round++)
        sum += tile[(threadIdx.x + round) % 1024];
    if (sum == 0x12345678)
        out[threadIdx.x] = sum;
}

static double now() {
    timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

// Threads with streams of their own that wait for nothing until the end.
static void busy() {
    unsigned *out = memory();
    std::vector<std::thread> running;
    CHECK(cudaDeviceSynchronize());
    double start = now();
    for (unsigned who = 0; who < 4; who++)
        running.emplace_back([=] {
            cudaStream_t stream;
            CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
            for (unsigned i = 0; i < 50; i++)
                heavy<<<132, 256, 0, stream>>>(out, 2000);
            CHECK(cudaGetLastError());
            CHECK(cudaStreamDestroy(stream));
        });
    for (std::thread &one : running)
        one.join();
    CHECK(cudaDeviceSynchronize());
    printf("busy %.4f s\n", now() - start);
}

// Runs until it is let go, and counts its rounds rightly or not.
extern "C" __global__ void spins(volatile unsigned *flag, unsigned *wrong) {
    __shared__ volatile unsigned tile[256];
    unsigned rounds = 0;
    tile[threadIdx.x] = 0;
    do {
        rounds++;
        tile[threadIdx.x] = tile[threadIdx.x] + 1;
        if (tile[threadIdx.x] != rounds)
            atomicAdd(wrong, 1);
    } while (*flag == 0);
}

// A kernel that was left alone runs while another one of its module is launched for the first time,
// which brings the patches back.
static void again() {
    unsigned *flag, *wrong, *out = memory();
    cudaStream_t one, two;
    CHECK(cudaHostAlloc(&flag, 2 * sizeof *flag, cudaHostAllocMapped));
    wrong = flag + 1;
    *wrong = 0;
    CHECK(cudaStreamCreateWithFlags(&one, cudaStreamNonBlocking));
    CHECK(cudaStreamCreateWithFlags(&two, cudaStreamNonBlocking));
    *(volatile unsigned *)flag = 1;
    for (unsigned i = 0; i < 3; i++) {
        spins<<<8, 256, 0, one>>>(flag, wrong);
        CHECK(cudaStreamSynchronize(one));
    }
    *(volatile unsigned *)flag = 0;
    std::thread help([=] {
        sleep(1); // as long as the library waits, at most twice
        *(volatile unsigned *)flag = 1;
    });
    double start = now();
    spins<<<8, 256, 0, one>>>(flag, wrong);
    launch(0, out, 4, two);
    printf("launched after %.4f s\n", now() - start);
    CHECK(cudaStreamSynchronize(two));
    printf("ended after %.4f s\n", now() - start);
    heavy<<<132, 256, 0, two>>>(out, 2000);
    heavy<<<132, 256, 0, two>>>(out, 2000);
    CHECK(cudaStreamSynchronize(two));
    help.join();
    CHECK(cudaDeviceSynchronize());
    printf("%u wrong\n", *(volatile unsigned *)wrong);
    if (*(volatile unsigned *)wrong != 0)
        exit(1);
}

// ---- Processes ----

static void children() {
    pid_t child = fork();
    plain();
    tell();
    if (child == 0)
        _exit(0);
    int status = 1;
    waitpid(child, &status, 0);
    exit(WEXITSTATUS(status));
}

static void spawn(char *self) {
    char mode[] = "plain", *const arguments[] = {self, mode, nullptr};
    pid_t child[2];
    for (pid_t &one : child) {
        if (posix_spawn(&one, self, nullptr, nullptr, arguments, environ) != 0)
            exit(1);
    }
    for (pid_t one : child) {
        int status = 1;
        waitpid(one, &status, 0);
        if (status != 0)
            exit(1);
    }
    exit(0);
}

// ---- What does not end by itself ----

__global__ void waits_for_ever(volatile unsigned *flag) {
    __shared__ volatile unsigned tile[32];
    while (*flag == 0)
        tile[threadIdx.x] = 1;
}

// SECONDS later somebody lets it go.
static void hang(const char *seconds) {
    unsigned *flag;
    CHECK(cudaHostAlloc(&flag, sizeof *flag, cudaHostAllocMapped));
    *flag = 0;
    plain();
    waits_for_ever<<<1, 32>>>(flag);
    std::thread help([=] {
        sleep(seconds ? atoi(seconds) : 5);
        *(volatile unsigned *)flag = 1;
    });
    CHECK(cudaDeviceSynchronize());
    help.join();
}

int main(int argc, char **argv) {
    static const struct {
        const char *name;
        void (*run)();
    } modes[] = {
        {"plain", plain},
        {"async", async},
        {"threads", threads},
        {"contexts", contexts},
        {"devices", devices},
        {"graph", graph},
        {"conditional", conditional},
        {"cooperative", cooperative},
        {"nvrtc", nvrtc},
        {"children", children},
        {"busy", busy},
        {"again", again},
    };
    int gpus = 0;
    const char *mode = argc > 1 ? argv[1] : "plain";
    if (strcmp(mode, "spawn") == 0)
        spawn(argv[0]);
    if (strcmp(mode, "children") == 0)
        children();
    if (cudaGetDeviceCount(&gpus) != cudaSuccess || gpus == 0)
        return SKIPPED;
    if (strcmp(mode, "hang") == 0)
        hang(argc > 2 ? argv[2] : nullptr);
    bool is_known = strcmp(mode, "hang") == 0;
    for (const auto &row : modes) {
        if (strcmp(row.name, mode) != 0)
            continue;
        is_known = true;
        row.run();
    }
    if (!is_known)
        return 2;
    tell();
    return 0;
}
