/* SPDX-License-Identifier: MIT */
/*
 * The driver that stands in for a GPU, called as programs call it, and beside the runtime, with
 * which it shares memory and kernels.
 */
#include <string.h>

#include "driver_host.h"
#include "runtime_case.h"

enum {
    INVALID_VALUE = 1,
    NOT_INITIALIZED = 3,
    INVALID_DEVICE = 101,
    INVALID_CONTEXT = 201,
    INVALID_HANDLE = 400,
    NOT_FOUND = 500,
    ILLEGAL_ADDRESS = 700,
    NOT_SUPPORTED = 801,
};

static const char *name_of_code(CUresult code) {
    const char *name = "no such code";
    (void)cuGetErrorName(code, &name);
    return name;
}

#define DRV(code, call)                                                            \
    do {                                                                           \
        const CUresult got = (call);                                               \
        ck_assert_msg(got == (code), #call ": %s, expected %s", name_of_code(got), \
                      name_of_code(code));                                         \
    } while (0)

static cudaLibrary_t module;

static CUcontext begin(void) {
    CUcontext context;
    DRV(0, cuInit(0));
    DRV(0, cuCtxCreate_v2(&context, 0, 0));
    DRV(0, cuModuleLoad(&module, cubin));
    return context;
}

static CUresult launch_scale(CUdeviceptr x, float factor, int n, cudaStream_t stream) {
    cudaKernel_t kernel;
    void *arguments[] = {&x, &factor, &n};
    DRV(0, cuModuleGetFunction(&kernel, module, "scale"));
    return cuLaunchKernel(kernel, grid_of(n).x, 1, 1, BLOCK, 1, 1, 0, stream, arguments, NULL);
}

static CUdeviceptr numbers_on_device(void) {
    CUdeviceptr x;
    for (int i = 0; i < N; i++)
        values[i] = (float)i;
    DRV(0, cuMemAlloc_v2(&x, sizeof values));
    DRV(0, cuMemcpyHtoD_v2(x, values, sizeof values));
    return x;
}

START_TEST(nothing_works_before_it_begins) {
    CUdeviceptr x;
    CUdevice device;
    int count = 0;
    DRV(NOT_INITIALIZED, cuDeviceGet(&device, 0));
    DRV(NOT_INITIALIZED, cuMemAlloc_v2(&x, 4));
    DRV(INVALID_VALUE, cuInit(1));
    DRV(0, cuInit(0));
    DRV(0, cuDeviceGet(&device, 0));
    DRV(INVALID_DEVICE, cuDeviceGet(&device, 1));
    DRV(INVALID_CONTEXT, cuMemAlloc_v2(&x, 4));
    DRV(0, cuDeviceGetAttribute(&count, 75, 0));
    ck_assert_int_gt(count, 7);
}
END_TEST

START_TEST(contexts_are_a_stack) {
    CUcontext first = begin(), second, at;
    CUdeviceptr x;
    DRV(0, cuCtxCreate_v2(&second, 0, 0));
    DRV(0, cuCtxGetCurrent(&at));
    ck_assert_ptr_eq(at, second);
    DRV(0, cuCtxPopCurrent_v2(&at));
    DRV(0, cuCtxGetCurrent(&at));
    ck_assert_ptr_eq(at, first);
    DRV(0, cuCtxDestroy_v2(second));
    DRV(INVALID_CONTEXT, cuCtxPushCurrent_v2(second));
    DRV(INVALID_CONTEXT, cuCtxDestroy_v2(second));
    DRV(0, cuCtxSetCurrent(NULL));
    DRV(INVALID_CONTEXT, cuMemAlloc_v2(&x, 4));
    DRV(0, cuDevicePrimaryCtxRetain(&at, 0));
    DRV(0, cuCtxSetCurrent(at));
    DRV(0, cuMemAlloc_v2(&x, 4));
    DRV(0, cuDevicePrimaryCtxRelease_v2(0));
    DRV(INVALID_CONTEXT, cuDevicePrimaryCtxRelease_v2(0));
}
END_TEST

START_TEST(kernels_compute) {
    (void)begin();
    CUdeviceptr x = numbers_on_device();
    DRV(0, launch_scale(x, 3, N, NULL));
    DRV(0, cuCtxSynchronize());
    DRV(0, cuMemcpyDtoH_v2(values, x, sizeof values));
    for (int i = 0; i < N; i++)
        ck_assert(values[i] == (float)i * 3);
    DRV(0, cuMemFree_v2(x));
    DRV(INVALID_VALUE, cuMemFree_v2(x));
    DRV(ILLEGAL_ADDRESS, launch_scale(x, 3, N, NULL));
    DRV(ILLEGAL_ADDRESS, cuCtxSynchronize());
}
END_TEST

/* Two blocks of memory side by side, the first of them mapped a second time behind them: a kernel
 * and copies go over the border, and what is written at one address is read at the other. */
START_TEST(memory_is_mapped_where_the_program_says) {
    const CUmemAllocationProp p = {.type = 1, .location_type = 1};
    const CUmemAccessDesc both = {1, 0, 3}, none = {1, 0, 0};
    unsigned long long first, second, again, flags;
    CUmemAllocationProp told = {0};
    CUdeviceptr x;
    size_t step;
    int can = 0;
    (void)begin();
    DRV(0, cuDeviceGetAttribute(&can, 102, 0));
    ck_assert_int_eq(can, 1);
    DRV(0, cuMemGetAllocationGranularity(&step, &p, 0));
    DRV(INVALID_VALUE, cuMemCreate(&first, step - 1, &p, 0));
    DRV(0, cuMemCreate(&first, step, &p, 0));
    DRV(0, cuMemCreate(&second, step, &p, 0));
    DRV(0, cuMemAddressReserve(&x, 3 * step, 0, 0, 0));
    ck_assert_uint_eq(x % step, 0);
    const CUdeviceptr border = x + step - sizeof values / 2;
    DRV(INVALID_VALUE, cuMemSetAccess(x, 3 * step, &both, 1)); /* nothing is mapped */
    DRV(0, cuMemMap(x, step, 0, first, 0));
    DRV(INVALID_VALUE, cuMemMap(x, step, 0, second, 0));
    DRV(INVALID_VALUE, cuMemMap(x + 3 * step, step, 0, second, 0));
    DRV(0, cuMemMap(x + step, step, 0, second, 0));
    DRV(0, cuMemMap(x + 2 * step, step, 0, first, 0));
    DRV(INVALID_VALUE, cuMemcpyHtoD_v2(border, values, sizeof values)); /* no access yet */
    DRV(0, cuMemSetAccess(x, 3 * step, &both, 1));
    DRV(0, cuMemGetAccess(&flags, &p.location_type, x + step));
    ck_assert_uint_eq(flags, 3);
    for (int i = 0; i < N; i++)
        values[i] = (float)i;
    DRV(0, cuMemcpyHtoD_v2(border, values, sizeof values));
    DRV(0, launch_scale(border, 2, N, NULL));
    DRV(0, cuCtxSynchronize());
    expect_scaled((const float *)(uintptr_t)border, 2, 0);
    DRV(0, cuMemcpyDtoH_v2(values, x + 3 * step - sizeof values / 2, sizeof values / 2));
    for (int i = 0; i < N / 2; i++)
        ck_assert_msg(values[i] == 2 * (float)i, "[%d] %g at the other address", i,
                      (double)values[i]);
    DRV(INVALID_VALUE, cuMemFree_v2(x));
    DRV(INVALID_VALUE, cuMemAddressFree(x, 3 * step)); /* still mapped */
    DRV(INVALID_VALUE, cuMemUnmap(x, step / 2));
    DRV(0, cuMemRetainAllocationHandle(&again, (void *)(uintptr_t)(x + 5)));
    ck_assert_uint_eq(again, first);
    DRV(0, cuMemRelease(first));
    DRV(0, cuMemRelease(first)); /* it stays as long as it is mapped */
    DRV(INVALID_VALUE, cuMemRelease(first));
    DRV(0, cuMemGetAllocationPropertiesFromHandle(&told, second));
    ck_assert_int_eq(told.type, 1);
    DRV(0, cuMemUnmap(x, step));
    DRV(0, cuMemcpyDtoH_v2(values, x + 2 * step, 4));
    DRV(0, cuMemSetAccess(x + step, step, &none, 1));
    DRV(INVALID_VALUE, cuMemcpyDtoH_v2(values, x + step, 4));
    DRV(ILLEGAL_ADDRESS, launch_scale(x, 2, N, NULL));
}
END_TEST

START_TEST(wrong_calls_have_the_drivers_codes) {
    cudaKernel_t kernel;
    CUdeviceptr x;
    size_t bytes;
    (void)begin();
    DRV(NOT_FOUND, cuModuleGetFunction(&kernel, module, "nothing"));
    DRV(NOT_FOUND, cuModuleGetGlobal_v2(&x, &bytes, module, "nothing"));
    DRV(301, cuModuleLoad(&module, "/nowhere.cubin"));
    DRV(INVALID_VALUE,
        cuLaunchKernel(NULL, 0, 1, 1, 1, 1, 1, 0, NULL, (void *[]){NULL}, (void *[]){NULL}));
    DRV(INVALID_HANDLE, cuLaunchKernel(NULL, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL));
    DRV(INVALID_VALUE, launch_scale(0, 1, 0, NULL)); /* no blocks */
    DRV(NOT_SUPPORTED, cuMulticastCreate(NULL, NULL));
    DRV(INVALID_VALUE, cuGetExportTable(NULL, NULL));
    /* cuBLASLt calls the fourth function without a look at the answer, and goes on if it fails. */
    static const uint8_t places[] = {0x17, 0x34, 0xdc, 0x26, 0x80, 0x0d, 0x47, 0x45,
                                     0x87, 0x26, 0xc0, 0xf1, 0xe7, 0xdd, 0x8b, 0xca};
    const void *table;
    DRV(0, cuGetExportTable(&table, places));
    DRV(NOT_SUPPORTED, ((CUresult(*const *)(void **, void **))table)[4](NULL, NULL));
    ck_assert_str_eq(name_of_code(700), "CUDA_ERROR_ILLEGAL_ADDRESS");
    ck_assert_ptr_null(name_of_code(12345));
}
END_TEST

START_TEST(fills_and_addresses) {
    CUdeviceptr x, base;
    unsigned short halves[8] = {0};
    unsigned words[6] = {0};
    size_t bytes;
    int type;
    (void)begin();
    DRV(0, cuMemAlloc_v2(&x, 64));
    DRV(0, cuMemsetD16_v2(x, 0x1234, 6));
    DRV(0, cuMemcpyDtoH_v2(halves, x, sizeof halves));
    ck_assert_uint_eq(halves[5], 0x1234);
    ck_assert_uint_eq(halves[6], 0);
    DRV(0, cuMemsetD2D32_v2(x, 12, 7, 2, 2));
    DRV(0, cuMemcpyDtoH_v2(words, x, sizeof words));
    ck_assert_uint_eq(words[1], 7);
    ck_assert_uint_eq(words[2], 0x12341234);
    ck_assert_uint_eq(words[4], 7);
    ck_assert_uint_eq(words[5], 0);
    DRV(0, cuMemGetAddressRange_v2(&base, &bytes, x + 20));
    ck_assert_uint_eq(base, x);
    ck_assert_uint_eq(bytes, 64);
    DRV(0, cuPointerGetAttribute(&type, 2, x + 4));
    ck_assert_int_eq(type, 2);
    DRV(INVALID_VALUE, cuPointerGetAttribute(&type, 2, (CUdeviceptr)(uintptr_t)words));
}
END_TEST

START_TEST(graphs_and_words_in_memory) {
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    (void)begin();
    CUdeviceptr x = numbers_on_device();
    DRV(0, cuStreamCreate(&stream, 1));
    DRV(0, cuStreamBeginCapture_v2(stream, 0));
    DRV(0, launch_scale(x, 2, N, stream));
    DRV(0, cuStreamEndCapture(stream, &graph));
    DRV(0, cuGraphInstantiateWithFlags(&exec, graph, 0));
    DRV(0, cuGraphLaunch(exec, stream));
    DRV(0, cuGraphLaunch(exec, stream));
    DRV(0, cuMemcpyDtoH_v2(values, x, sizeof values));
    ck_assert(values[5] == 20);
    DRV(0, cuStreamWriteValue32_v2(stream, x, 5, 0));
    DRV(0, cuStreamWaitValue32_v2(stream, x, 5, 1));
    DRV(NOT_SUPPORTED, cuStreamWaitValue32_v2(stream, x, 6, 0));
    DRV(0, cuStreamDestroy_v2(stream));
}
END_TEST

/* Nobody looks at their arguments. */
CUresult cuTensorMapEncodeIm2col(void);
CUresult cuTensorMapEncodeIm2colWide(void);
CUresult cuGraphConditionalHandleCreate(void);

START_TEST(im2col_and_conditional_nodes_are_refused) {
    static CUresult (*const refused[])(void) = {
        cuTensorMapEncodeIm2col, cuTensorMapEncodeIm2colWide, cuGraphConditionalHandleCreate};
    for (unsigned i = 0; i < sizeof refused / sizeof refused[0]; i++)
        ck_assert_msg(refused[i]() == NOT_SUPPORTED, "function %u", i);
}
END_TEST

START_TEST(kernels_say_what_they_are) {
    cudaKernel_t kernel;
    int registers, most, grid, block_size;
    (void)begin();
    DRV(0, cuModuleGetFunction(&kernel, module, "scale"));
    DRV(0, cuFuncGetAttribute(&registers, 4, kernel));
    DRV(0, cuFuncGetAttribute(&most, 0, kernel));
    ck_assert_int_gt(registers, 0);
    ck_assert_int_eq(most, 1024);
    DRV(INVALID_VALUE, cuFuncGetAttribute(&most, 16, kernel));
    DRV(0, cuOccupancyMaxPotentialBlockSize(&grid, &block_size, kernel, NULL, 0, 0));
    ck_assert_int_eq(block_size, 1024);
    DRV(0, cuOccupancyMaxPotentialBlockSize(&grid, &block_size, kernel, NULL, 0, 96));
    ck_assert_int_le(block_size, 96);
}
END_TEST

START_TEST(functions_are_found_by_version) {
    void *old, *newer, *create;
    int found;
    (void)begin();
    DRV(0, cuGetProcAddress_v2("cuStreamGetCaptureInfo", &newer, 12030, 0, &found));
    ck_assert_int_eq(found, 0);
    DRV(0, cuGetProcAddress_v2("cuStreamGetCaptureInfo", &old, 11030, 0, &found));
    ck_assert_ptr_ne(old, newer);
    DRV(0, cuGetProcAddress_v2("cuMemAlloc", &create, 13000, 0, &found));
    CUresult (*allocate)(CUdeviceptr *, size_t) = cuMemAlloc_v2;
    ck_assert(memcmp(&create, &allocate, sizeof create) == 0);
    DRV(NOT_FOUND, cuGetProcAddress_v2("cuNotThere", &old, 13000, 0, &found));
    ck_assert_int_eq(found, 1);
    DRV(NOT_FOUND, cuGetProcAddress_v2("cudaMalloc", &old, 13000, 0, &found));
}
END_TEST

/* A program of both: what the runtime began is current, and each keeps its own errors. */
START_TEST(the_runtime_is_beside_it) {
    float *x = on_device();
    CUdeviceptr base;
    CUcontext context;
    DRV(0, cuMemGetAddressRange_v2(&base, NULL, (CUdeviceptr)(uintptr_t)x));
    DRV(0, cuCtxGetCurrent(&context));
    ck_assert_ptr_nonnull(context);
    DRV(NOT_FOUND, cuMemGetAddressRange_v2(&base, NULL, 64));
    DRV(INVALID_VALUE, cuMemFree_v2(base + 4));
    GIVES(cudaSuccess, cudaGetLastError());
    DRV(0, cuModuleLoad(&module, cubin));
    DRV(0, launch_scale(base, 3, N, NULL));
    expect_scaled(x, 3, 0);
}
END_TEST

int main(void) {
    if (suite_lacks_nvdisasm())
        return SUITE_SKIPPED;
    return SUITE_FOR(
        120, "driver", TEST(nothing_works_before_it_begins), TEST(contexts_are_a_stack),
        TEST(kernels_compute), TEST(memory_is_mapped_where_the_program_says),
        TEST(wrong_calls_have_the_drivers_codes), TEST(fills_and_addresses),
        TEST(graphs_and_words_in_memory), TEST(im2col_and_conditional_nodes_are_refused),
        TEST(kernels_say_what_they_are), TEST(functions_are_found_by_version),
        TEST(the_runtime_is_beside_it));
}
