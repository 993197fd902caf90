// SPDX-License-Identifier: MIT
// What differs between versions 11, 12 and 13 of the runtime's interface, called as each version's
// headers have it: structs are followed by bytes that must stay as they are. Prints "N wrong".
#include <cstdio>
#include <cstring>

__global__ void add(float *out, const float *in, float what) {
    out[threadIdx.x] = in[threadIdx.x] + what;
}

template <typename T> struct guarded {
    T value;
    unsigned char behind[256];
    guarded() {
        memset(this, 0x5a, sizeof *this);
    }
    bool is_whole() const {
        for (unsigned char byte : behind)
            if (byte != 0x5a)
                return false;
        return true;
    }
};

static int wrong;
#define CHECK(condition) \
    ((condition) ? (void)0 : (void)(++wrong, printf("%d: not: %s\n", __LINE__, #condition)))
#define CALL(...) CHECK((__VA_ARGS__) == cudaSuccess)

static int attribute(cudaDeviceAttr which) {
    int value = -1;
    CALL(cudaDeviceGetAttribute(&value, which, 0));
    return value;
}

static void properties() {
    guarded<cudaDeviceProp> p;
    CALL(cudaGetDeviceProperties(&p.value, 0));
    CHECK(p.is_whole());
    CHECK(p.value.major == attribute(cudaDevAttrComputeCapabilityMajor));
    CHECK(p.value.multiProcessorCount == attribute(cudaDevAttrMultiProcessorCount));
    CHECK(p.value.l2CacheSize == attribute(cudaDevAttrL2CacheSize));
    CHECK((int)p.value.sharedMemPerBlockOptin ==
          attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin));
    CHECK((int)p.value.reservedSharedMemPerBlock ==
          attribute(cudaDevAttrReservedSharedMemoryPerBlock));
    CHECK(p.value.maxBlocksPerMultiProcessor == attribute(cudaDevAttrMaxBlocksPerMultiprocessor));
    guarded<cudaFuncAttributes> f;
    CALL(cudaFuncGetAttributes(&f.value, add));
    CHECK(f.is_whole() && f.value.numRegs > 0 && f.value.binaryVersion == 90);
    int version = 0;
    CALL(cudaRuntimeGetVersion(&version));
    CHECK(version / 1000 == CUDART_VERSION / 1000);
}

static void textures(float *data) {
    cudaResourceDesc from = {};
    from.resType = cudaResourceTypeLinear;
    from.res.linear.devPtr = data;
    from.res.linear.desc = cudaCreateChannelDesc<float>();
    from.res.linear.sizeInBytes = 32 * sizeof *data;
    guarded<cudaTextureDesc> how, back;
    memset(&how.value, 0, sizeof how.value);
    how.value.maxAnisotropy = 3;
    cudaTextureObject_t texture;
    CALL(cudaCreateTextureObject(&texture, &from, &how.value, nullptr));
    CALL(cudaGetTextureObjectTextureDesc(&back.value, texture));
    CHECK(back.is_whole() && back.value.maxAnisotropy == 3);
    CALL(cudaDestroyTextureObject(texture));
}

static cudaGraph_t captured(cudaStream_t stream, float *data, float what) {
    cudaGraph_t graph = nullptr;
    cudaStreamCaptureStatus status;
    unsigned long long id = 0;
    CALL(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    add<<<1, 32, 0, stream>>>(data, data, what);
#if CUDART_VERSION >= 13000
    CALL(cudaStreamGetCaptureInfo(stream, &status, &id, nullptr, nullptr, nullptr, nullptr));
#else
    CALL(cudaStreamGetCaptureInfo(stream, &status, &id));
#endif
    CHECK(status == cudaStreamCaptureStatusActive && id != 0);
    CALL(cudaStreamEndCapture(stream, &graph));
    return graph;
}

static void graphs(float *data) {
    cudaStream_t stream;
    cudaGraphExec_t exec;
    CALL(cudaStreamCreate(&stream));
    cudaGraph_t first = captured(stream, data, 1), second = captured(stream, data, 10);
#if CUDART_VERSION >= 12000
    cudaGraphExecUpdateResultInfo info;
    CALL(cudaGraphInstantiate(&exec, first, 0));
    CALL(cudaGraphLaunch(exec, stream));
    CALL(cudaGraphExecUpdate(exec, second, &info));
    CHECK(info.result == cudaGraphExecUpdateSuccess);
#else
    cudaGraphNode_t node;
    cudaGraphExecUpdateResult result;
    char log[8] = "?";
    CALL(cudaGraphInstantiate(&exec, first, &node, log, sizeof log));
    CHECK(log[0] == '\0');
    CALL(cudaGraphLaunch(exec, stream));
    CALL(cudaGraphExecUpdate(exec, second, &node, &result));
    CHECK(result == cudaGraphExecUpdateSuccess);
#endif
    CALL(cudaGraphLaunch(exec, stream));
    CALL(cudaStreamSynchronize(stream));
    float host[32];
    CALL(cudaMemcpy(host, data, sizeof host, cudaMemcpyDeviceToHost));
    CHECK(host[0] == 11 && host[31] == 11);
}

static void memory(float *data) {
#if CUDART_VERSION >= 13000
    cudaMemLocation where = {};
    where.type = cudaMemLocationTypeDevice;
    CALL(cudaMemAdvise(data, 4, cudaMemAdviseSetReadMostly, where));
    CALL(cudaMemPrefetchAsync(data, 4, where, 0, nullptr));
#else
    CALL(cudaMemAdvise(data, 4, cudaMemAdviseSetReadMostly, 0));
    CALL(cudaMemPrefetchAsync(data, 4, 0, nullptr));
#endif
    void *entry = nullptr;
#if CUDART_VERSION >= 13000
    CALL(cudaGetDriverEntryPointByVersion("cuMemAlloc", &entry, CUDART_VERSION, 0));
#else
    CALL(cudaGetDriverEntryPoint("cuMemAlloc", &entry, 0));
#endif
    CHECK(entry != nullptr);
}

int main() {
    float *data;
    CALL(cudaMallocManaged(&data, 32 * sizeof *data));
    CALL(cudaMemset(data, 0, 32 * sizeof *data));
    properties();
    textures(data);
    graphs(data);
    memory(data);
    printf("%d wrong\n", wrong);
    return wrong != 0;
}
