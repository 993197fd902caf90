/* SPDX-License-Identifier: MIT */
/*
 * record_tensor.c: runs the kernels of tensor.cubin on the GPU, writes what they leave, and tensor
 * maps as the driver encodes them.
 *     cc -O1 record_tensor.c -ldl -o record_tensor
 *     record_tensor tensor.cubin > tensor.bin
 * Of each case of tensor_cases.h: what cuTensorMapEncodeTiled answered (a word; 0: made; 99999: the
 * kernel failed, what follows its map is zero), the map (32 words), what the kernel left in `out`
 * (of loads the box and TENSOR_BEYOND words), the sum of the tensor's bytes (tensor_hash, 2 words);
 * then of each shape to be encoded the answer and the map.
 */
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "record_driver.h"
#include "tensor_cases.h"

typedef struct map {
    _Alignas(64) uint32_t words[32];
} map;

typedef int (*encode_fn)(map *, int, uint32_t, void *, const uint64_t *, const uint64_t *,
                         const uint32_t *, const uint32_t *, int, int, int, int);

static int encode(encode_fn fn, const tensor_case *c, uint64_t address, map *out) {
    memset(out, 0, sizeof *out);
    return fn(out, (int)c->type, c->rank, (void *)(uintptr_t)address, c->size, c->stride_bytes,
              c->box, c->step, (int)c->interleave, (int)c->swizzle, (int)c->promotion,
              (int)c->fill);
}

enum { REACHED_BYTES = 1 << 24 }; /* boxes may reach beyond the tensor's bytes */

static int write_case(void *driver, void *module, encode_fn fn, uint64_t tensor_at, uint64_t out_at,
                      uint32_t number, map *copy) {
    static uint32_t out[TENSOR_WORDS];
    static uint8_t tensor[TENSOR_BYTES];
    void *function;
    tensor_case c;
    map made;
    tensor_make(number, &c);
    int answer = encode(fn, &c, tensor_at, &made);
    *copy = made;
    memset(out, 0, sizeof out);
    tensor_fill(&c, tensor);
    if (answer == 0) {
        struct {
            int32_t at[5];
            uint32_t words, held;
        } where = {{c.at[0], c.at[1], c.at[2], c.at[3], c.at[4]}, c.words, c.held};
        void *parameters[] = {&out_at, &made, &where};
        CALL("cuMemsetD8_v2", tensor_at, 0, (size_t)REACHED_BYTES);
        CALL("cuMemcpyHtoD_v2", tensor_at, tensor, sizeof tensor);
        CALL("cuMemcpyHtoD_v2", out_at, out, sizeof out);
        CALL("cuModuleGetFunction", &function, module, c.kernel);
        CALL("cuLaunchKernel", function, 1, 1, 1, 128, 1, 1, 16384, NULL, parameters, NULL);
        CALL("cuCtxSynchronize");
        CALL("cuMemcpyDtoH_v2", out, out_at, sizeof out);
        CALL("cuMemcpyDtoH_v2", tensor, tensor_at, sizeof tensor);
    }
    uint64_t hash = tensor_hash(tensor);
    fwrite(&answer, 4, 1, stdout);
    fwrite(&made, 4, 32, stdout);
    fwrite(out, 4, tensor_out_words(&c), stdout);
    fwrite(&hash, 8, 1, stdout);
    fflush(stdout);
    return 0;
}

/* From case *next on, until one fails. */
static int record(const char *path, volatile uint32_t *next, map *copy) {
    void *driver = dlopen("libcuda.so.1", RTLD_NOW), *context, *module;
    uint64_t tensor_at, out_at;
    int device, version;
    char name[256];
    tensor_case c;
    map made;
    CALL("cuInit", 0);
    CALL("cuDeviceGet", &device, 0);
    CALL("cuDeviceGetName", name, 256, device);
    CALL("cuDriverGetVersion", &version);
    fprintf(stderr, "%s, driver API %d\n", name, version);
    CALL("cuCtxCreate_v2", &context, 0, device);
    CALL("cuModuleLoad", &module, path);
    CALL("cuMemAlloc_v2", &tensor_at, (size_t)REACHED_BYTES);
    CALL("cuMemAlloc_v2", &out_at, (size_t)4 * TENSOR_WORDS);
    encode_fn fn = (encode_fn)dlsym(driver, "cuTensorMapEncodeTiled");
    for (; *next < TENSOR_CASES; ++*next)
        if (write_case(driver, module, fn, tensor_at, out_at, *next, copy) != 0)
            return 1;
    for (uint32_t i = 0; i < TENSOR_ENCODED; i++) {
        tensor_make_encoded(i, &c);
        int answer = encode(fn, &c, TENSOR_ENCODED_ADDRESS, &made);
        fwrite(&answer, 4, 1, stdout);
        fwrite(&made, 4, 32, stdout);
    }
    fflush(stdout);
    ++*next;
    return 0;
}

/* A case that fails leaves its process without a GPU: another one goes on after it. */
int main(int argc, char **argv) {
    static const uint32_t nothing[TENSOR_WORDS + 2];
    volatile uint32_t *next =
        mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (argc != 2 || next == MAP_FAILED)
        return 2;
    map *copy = (map *)(uintptr_t)next + 1; /* of the case at work */
    while (*next <= TENSOR_CASES) {
        uint32_t answer = 99999, first = *next;
        tensor_case c;
        fflush(stdout);
        pid_t child = fork();
        if (child == 0)
            return record(argv[1], next, copy);
        waitpid(child, NULL, 0);
        if (*next > TENSOR_CASES)
            break;
        fprintf(stderr, "case %u fails\n", *next);
        tensor_make(*next, &c);
        fwrite(&answer, 4, 1, stdout);
        fwrite(copy, 4, 32, stdout);
        fwrite(nothing, 4, tensor_out_words(&c) + 2, stdout);
        ++*next;
        if (*next == first + 1 && first == 0)
            return 1; /* no GPU at all */
    }
    return 0;
}
