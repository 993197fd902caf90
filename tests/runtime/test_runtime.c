/* SPDX-License-Identifier: MIT */
/*
 * The runtime that stands in for a GPU, called as programs call it: launches, memory, variables of
 * device code.
 */
#define _XOPEN_SOURCE 700 /* mkstemp, mkdtemp */
#include <stdlib.h>
#include <unistd.h>

#include "runtime_case.h"

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
    const cudaChannelFormatDesc floats = {32, 0, 0, 0, 2};
    void *array;
    OK(cudaMallocArray(&array, &floats, 4, 0, 0));
    GIVES(cudaErrorInvalidValue, cudaMemcpy(array, host, 16, cudaMemcpyHostToDevice));
    GIVES(cudaErrorInvalidValue, cudaMemset(array, 0, 16));
    OK(cudaFreeArray(array));
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

/* __cluster_dims__(2, 1, 1), and a launch that says nothing of it. */
START_TEST(clusters_are_the_kernels_own) {
    unsigned numbers[1024] = {0}, seen[64], *x, *y;
    cudaLibrary_t warps;
    cudaKernel_t pairs;
    struct cudaFuncAttributes about;
    const dim3 three = {3, 1, 1}, four = {4, 1, 1}, threads = {32, 1, 1};
    OK(cudaLibraryLoadFromFile(&warps, SMP_DATA "/sass/warps.90.O3.cubin", NULL, NULL, 0, NULL,
                               NULL, 0));
    OK(cudaLibraryGetKernel(&pairs, warps, "pairs"));
    OK(cudaFuncGetAttributes(&about, pairs));
    ck_assert_int_eq(about.requiredClusterWidth, 2);
    ck_assert_int_eq(about.requiredClusterDepth, 1);
    OK(cudaMalloc((void **)&x, sizeof seen));
    OK(cudaMalloc((void **)&y, sizeof numbers));
    OK(cudaMemcpy(y, numbers, sizeof numbers, cudaMemcpyHostToDevice));
    void *arguments[] = {&x, &y};
    OK(cudaLaunchKernel(pairs, four, threads, arguments, 0, NULL));
    OK(cudaMemcpy(seen, x, sizeof seen, cudaMemcpyDeviceToHost));
    for (unsigned i = 0; i < 64; i++)
        ck_assert_uint_eq(seen[i], (i / 16 ^ 1) + 2 * 1000 + i / 16 % 2 * 100);
    GIVES(cudaErrorInvalidConfiguration,
          cudaLaunchKernel(pairs, three, threads, arguments, 0, NULL));
}
END_TEST

static void launch_one_warp(const char *name, void **arguments) {
    const dim3 one = {1, 1, 1}, warp = {2, 1, 1};
    OK(cudaLaunchKernel(kernel_of(name), one, warp, arguments, 0, NULL));
}

START_TEST(blocks_meet_in_cooperative_launches) {
    enum { BLOCKS = 20 };
    int *parts, *sums, seen[BLOCKS];
    OK(cudaMalloc((void **)&parts, sizeof seen));
    OK(cudaMalloc((void **)&sums, sizeof seen));
    void *arguments[] = {&parts, &sums};
    const void *kernel = kernel_of("meet");
    const dim3 grid = {BLOCKS, 1, 1}, threads = {64, 1, 1}, many = {1 << 20, 1, 1};
    OK(cudaLaunchCooperativeKernel(kernel, grid, threads, arguments, 0, NULL));
    OK(cudaMemcpy(seen, sums, sizeof seen, cudaMemcpyDeviceToHost));
    for (int i = 0; i < BLOCKS; i++)
        ck_assert_int_eq(seen[i], BLOCKS * (BLOCKS + 1) / 2);
    GIVES(cudaErrorCooperativeLaunchTooLarge,
          cudaLaunchCooperativeKernel(kernel, many, threads, arguments, 0, NULL));
    GIVES(cudaErrorLaunchFailure, cudaLaunchKernel(kernel, grid, threads, arguments, 0, NULL));
}
END_TEST

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

/* Blocks of 100 KB: 32 threads get what the heap has room for; the limit stands from the first
 * launch that uses it on. */
static unsigned blocks_of_heap(size_t limit) {
    enum { THREADS = 32, HEAP = 2 };
    cudaLibrary_t linked;
    cudaKernel_t kernel;
    int host[THREADS], *out, n = 1, frees = 0;
    unsigned long long bytes = 100000;
    unsigned given = 0;
    OK(cudaLibraryLoadFromFile(&linked, SMP_DATA "/sass/linked.cubin", NULL, NULL, 0, NULL, NULL,
                               0));
    OK(cudaLibraryGetKernel(&kernel, linked, "_Z4heapPiiyi"));
    OK(cudaMalloc((void **)&out, sizeof host));
    if (limit != 0)
        OK(cudaDeviceSetLimit(HEAP, limit));
    void *arguments[] = {&out, &n, &bytes, &frees};
    OK(cudaLaunchKernel(kernel, (dim3){1, 1, 1}, (dim3){THREADS, 1, 1}, arguments, 0, NULL));
    OK(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
    for (unsigned i = 0; i < THREADS; i++)
        given += host[i] != -1;
    GIVES(cudaErrorInvalidValue, cudaDeviceSetLimit(HEAP, 1 << 20));
    return given;
}

START_TEST(the_heap_has_its_limit) {
    ck_assert_uint_eq(blocks_of_heap(0), 32);
}
END_TEST

START_TEST(the_heap_has_another_limit) {
    ck_assert_uint_eq(blocks_of_heap(1 << 20), 10);
}
END_TEST

START_TEST(kernels_print) {
    int n = 3;
    char path[] = "/tmp/smemprobe-test-XXXXXX", text[256] = "";
    void *arguments[] = {&n};
    const int file = mkstemp(path);
    ck_assert(file >= 0 && freopen(path, "w", stdout));
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
    ck_assert_uint_eq(count, 13);
    OK(cudaLibraryGetGlobal(&address, &bytes, library, "table"));
    ck_assert_uint_eq(bytes, 256);
    GIVES(cudaErrorSymbolNotFound, cudaLibraryGetKernel(&kernel, library, "nothing"));
    GIVES(cudaErrorFileNotFound,
          cudaLibraryLoadFromFile(&library, "/nowhere", NULL, NULL, 0, NULL, NULL, 0));
}
END_TEST

/* ---- Tensor maps ---- */

typedef int encode_fn(void *map, int type, unsigned rank, void *address, const uint64_t *size,
                      const uint64_t *stride_bytes, const unsigned *box, const unsigned *step,
                      int interleave, int swizzle, int promotion, int fill);

enum { FLOAT32 = 7, ENTRY_NOT_FOUND = 1, WIDTH = 64, HEIGHT = 16, BOX_WORDS = 32 };

static encode_fn *encoder(void) {
    void *function;
    int found;
    encode_fn *encode;
    OK(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &function, 12000, 0, &found));
    ck_assert_int_eq(found, 0);
    memcpy(&encode, &function, sizeof encode);
    return encode;
}

/* A box of 8 times 4 numbers from (4, 13) on: its last row is beyond the tensor. */
static void load_box(const void *map, unsigned *out) {
    cudaLibrary_t tensors;
    cudaKernel_t kernel;
    int place[7] = {4, 13, 0, 0, 0, BOX_WORDS, BOX_WORDS};
    void *arguments[] = {&out, (void *)(uintptr_t)map, place};
    const dim3 one = {1, 1, 1}, threads = {128, 1, 1};
    OK(cudaLibraryLoadFromFile(&tensors, SMP_DATA "/sass/tensor.cubin", NULL, NULL, 0, NULL, NULL,
                               0));
    OK(cudaLibraryGetKernel(&kernel, tensors, "load2"));
    OK(cudaLaunchKernel(kernel, one, threads, arguments, 4096, NULL));
    OK(cudaDeviceSynchronize());
}

START_TEST(boxes_are_copied_by_tensor_maps) {
    _Alignas(64) unsigned char map[128];
    const uint64_t size[] = {WIDTH, HEIGHT}, stride_bytes[] = {4 * WIDTH};
    const unsigned box[] = {8, 4}, step[] = {1, 1};
    unsigned numbers[WIDTH * HEIGHT], got[BOX_WORDS], *out;
    void *tensor, *function;
    int found;
    (void)kernel_of("scale");
    encode_fn *encode = encoder();
    OK(cudaMalloc(&tensor, sizeof numbers));
    OK(cudaMalloc((void **)&out, 4096));
    for (unsigned i = 0; i < WIDTH * HEIGHT; i++)
        numbers[i] = i;
    OK(cudaMemcpy(tensor, numbers, sizeof numbers, cudaMemcpyHostToDevice));
    ck_assert_int_eq(encode(map, FLOAT32, 0, tensor, size, stride_bytes, box, step, 0, 0, 0, 0), 1);
    ck_assert_int_eq(encode(map, FLOAT32, 2, tensor, size, size, box, step, 0, 1, 0, 0), 0);
    ck_assert_int_eq(encode(map, FLOAT32, 2, tensor, size, stride_bytes, box, step, 0, 0, 0, 0), 0);
    load_box(map, out);
    OK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    for (unsigned i = 0; i < BOX_WORDS; i++)
        ck_assert_uint_eq(got[i], i < 24 ? (13 + i / 8) * WIDTH + 4 + i % 8 : 0);
    GIVES(cudaErrorNotSupported,
          cudaGetDriverEntryPointByVersion("cuNotThere", &function, 12000, 0, &found));
    ck_assert_int_eq(found, ENTRY_NOT_FOUND);
    ck_assert_ptr_null(function);
}
END_TEST

int main(void) {
    if (!is_ready())
        return SUITE_SKIPPED;
    return SUITE(
        "runtime", TEST(launches_compute), TEST(what_a_gpu_would_refuse_is_refused),
        TEST(wrong_memory_breaks_the_context), TEST(copies_know_their_sides),
        TEST(rows_and_boxes_are_copied), TEST(host_and_managed_memory_are_shared_with_kernels),
        TEST(structures_are_arguments), TEST(dynamic_shared_memory_has_its_size),
        TEST(clusters_have_ranks), TEST(clusters_are_the_kernels_own),
        TEST(blocks_meet_in_cooperative_launches), TEST(calls_go_where_registers_say),
        TEST(swaps_have_wide_addresses), TEST(lanes_of_one_label_are_alone),
        TEST(the_heap_has_its_limit), TEST(the_heap_has_another_limit), TEST(kernels_print),
        TEST(assertions_break_the_context), TEST(boxes_are_copied_by_tensor_maps),
        TEST(constants_can_be_changed), TEST(variables_live_from_launch_to_launch),
        TEST(libraries_have_kernels_and_variables));
}
