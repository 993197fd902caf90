/* SPDX-License-Identifier: MIT */
/*
 * Kept launches (kept_writer.h) on a GPU: memory as it was, the same machine code and parameters,
 * and what memory becomes against what was kept. Under `smemprobe profile` it counts what `emulate`
 * of the same folder says. Usage: replay_kept FOLDER...; 77 without a GPU.
 *
 * Arrays lie in one piece of address space, where they were if the driver grants it; if not, words
 * of parameters and memory that point into them are moved along.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kept_launch.h"

enum { SKIPPED = 77, PIECE = 2 << 20, DYNAMIC_SHARED = 8, CLUSTER_ANY = 14, LAUNCH_CLUSTER = 4 };

/* Of cuda.h, documented in the CUDA Driver API 13.0. */
typedef struct location {
    int type, id;
} location;
typedef struct allocation {
    int type, handle_types;
    location at;
    void *security;
    unsigned char flags[8];
} allocation;
typedef struct access_rights {
    location at;
    int flags;
} access_rights;
typedef struct launch_attribute {
    int id;
    char pad[4];
    unsigned cluster[3];
    char rest[52];
} launch_attribute;
typedef struct launch_config {
    unsigned grid[3], block[3], shared_bytes;
    void *stream;
    launch_attribute *attributes;
    unsigned attribute_count;
} launch_config;

static void *driver;

static void *symbol(const char *name) {
    void *found = dlsym(driver, name);
    if (found == NULL) {
        fprintf(stderr, "replay_kept: the driver has no %s\n", name);
        exit(1);
    }
    return found;
}

static void must(const char *what, int result) {
    if (result == 0)
        return;
    fprintf(stderr, "replay_kept: %s: CUDA error %d\n", what, result);
    exit(1);
}

/* Functions of the driver take integers and pointers: one shape each is enough. */
#define CALL(name, types, ...)                                          \
    do {                                                                \
        int(*function) types;                                           \
        void *found = symbol(#name);                                    \
        memcpy((void *)&function, (const void *)&found, sizeof(found)); \
        must(#name, function(__VA_ARGS__));                             \
    } while (0)

typedef struct replay {
    smp_kept_launch kept;
    void *module, *kernel;
    uint64_t first, end; /* of the arrays, as they were */
    uint64_t moved;      /* where they are, less where they were */
} replay;

/* ---- Memory ---- */

static const smp_kept_variable *variable_at(const smp_kept_launch *kept, uint64_t address) {
    for (uint32_t i = 0; i < kept->variable_count; i++)
        if (kept->variables[i].address == address)
            return &kept->variables[i];
    return NULL;
}

static bool is_own(const replay *r, const smp_kept_array *array) {
    return array->address != r->kept.constants && variable_at(&r->kept, array->address) == NULL;
}

static void find_range(replay *r) {
    r->first = UINT64_MAX;
    for (uint32_t i = 0; i < r->kept.array_count; i++) {
        const smp_kept_array *array = &r->kept.arrays[i];
        if (!is_own(r, array))
            continue;
        r->first = array->address < r->first ? array->address : r->first;
        if (array->address + array->size_bytes > r->end)
            r->end = array->address + array->size_bytes;
    }
    r->first = r->first / PIECE * PIECE;
    r->end = (r->end + PIECE - 1) / PIECE * PIECE;
}

static void map_range(replay *r) {
    const size_t size = r->end - r->first;
    uint64_t at = 0, handle = 0;
    allocation how = {.type = 1, .at = {1, 0}};
    access_rights rights = {{1, 0}, 3};
    CALL(cuMemAddressReserve, (uint64_t *, size_t, size_t, uint64_t, uint64_t), &at, size, PIECE,
         r->first, 0);
    CALL(cuMemCreate, (uint64_t *, size_t, const allocation *, uint64_t), &handle, size, &how, 0);
    CALL(cuMemMap, (uint64_t, size_t, size_t, uint64_t, uint64_t), at, size, 0, handle, 0);
    CALL(cuMemSetAccess, (uint64_t, size_t, const access_rights *, size_t), at, size, &rights, 1);
    CALL(cuMemsetD8_v2, (uint64_t, unsigned char, size_t), at, 0, size);
    r->moved = at - r->first;
}

/* Words that point into the arrays of `r`, moved by `distance`. */
static void move_words(const replay *r, uint64_t from, uint8_t *bytes, uint64_t size,
                       uint64_t distance) {
    for (uint64_t i = 0; distance != 0 && i + 8 <= size; i += 8) {
        uint64_t word;
        memcpy(&word, bytes + i, 8);
        if (word >= from && word < from + (r->end - r->first)) {
            word += distance;
            memcpy(bytes + i, &word, 8);
        }
    }
}

static uint64_t address_of(const replay *r, const smp_kept_array *array) {
    const smp_kept_variable *variable = variable_at(&r->kept, array->address);
    uint64_t address = array->address + r->moved;
    size_t size;
    if (variable != NULL)
        CALL(cuModuleGetGlobal_v2, (uint64_t *, size_t *, void *, const char *), &address, &size,
             r->module, variable->name);
    return address;
}

static void put_constants(const replay *r, const smp_kept_array *array) {
    for (uint32_t i = 0; i < r->kept.variable_count && array->before != NULL; i++) {
        const smp_kept_variable *variable = &r->kept.variables[i];
        const uint64_t offset = variable->address - array->address;
        uint64_t address;
        size_t size;
        if (variable->address < array->address || offset >= array->size_bytes)
            continue;
        CALL(cuModuleGetGlobal_v2, (uint64_t *, size_t *, void *, const char *), &address, &size,
             r->module, variable->name);
        if (size <= array->size_bytes - offset)
            CALL(cuMemcpyHtoD_v2, (uint64_t, const void *, size_t), address, array->before + offset,
                 size);
    }
}

static void put_arrays(replay *r) {
    for (uint32_t i = 0; i < r->kept.array_count; i++) {
        const smp_kept_array *array = &r->kept.arrays[i];
        if (array->address == r->kept.constants) {
            put_constants(r, array);
        } else if (array->before != NULL) {
            move_words(r, r->first, array->before, array->size_bytes, r->moved);
            CALL(cuMemcpyHtoD_v2, (uint64_t, const void *, size_t), address_of(r, array),
                 array->before, array->size_bytes);
            move_words(r, r->first + r->moved, array->before, array->size_bytes, -r->moved);
        }
    }
}

/* ---- The launch ---- */

static void launch(const replay *r) {
    const smp_kept_launch *kept = &r->kept;
    uint8_t parameters[65536];
    size_t size = kept->parameter_bytes;
    memcpy(parameters, kept->parameters, size);
    move_words(r, r->first, parameters, size, r->moved);
    void *extra[] = {(void *)1, parameters, (void *)2, &size, NULL};
    launch_attribute cluster = {.id = LAUNCH_CLUSTER};
    launch_config config = {.shared_bytes = kept->dynamic_shared_bytes, .attributes = &cluster};
    memcpy(config.grid, kept->grid, sizeof(config.grid));
    memcpy(config.block, kept->block, sizeof(config.block));
    memcpy(cluster.cluster, kept->cluster, sizeof(cluster.cluster));
    const uint32_t blocks = kept->cluster[0] * kept->cluster[1] * kept->cluster[2];
    config.attribute_count = blocks > 1;
    if (blocks > 8)
        CALL(cuFuncSetAttribute, (void *, int, int), r->kernel, CLUSTER_ANY, 1);
    if (kept->dynamic_shared_bytes > 0)
        CALL(cuFuncSetAttribute, (void *, int, int), r->kernel, DYNAMIC_SHARED,
             (int)kept->dynamic_shared_bytes);
    CALL(cuLaunchKernelEx, (const launch_config *, void *, void **, void **), &config, r->kernel,
         NULL, extra);
    CALL(cuCtxSynchronize, (void));
}

/* Bytes of an array that are not as kept. */
static uint64_t count_wrong(const replay *r, const smp_kept_array *array, uint64_t *first) {
    const uint8_t *wanted = array->after != NULL ? array->after : array->before;
    uint8_t *is = malloc(array->size_bytes + 1);
    uint64_t wrong = 0;
    if (is == NULL)
        exit(1);
    CALL(cuMemcpyDtoH_v2, (void *, uint64_t, size_t), is, address_of(r, array), array->size_bytes);
    move_words(r, r->first + r->moved, is, array->size_bytes, -r->moved);
    for (uint64_t i = array->size_bytes; i-- > 0;)
        if (is[i] != (wanted == NULL ? 0 : wanted[i])) {
            wrong++;
            *first = i;
        }
    free(is);
    return wrong;
}

static bool run(const char *folder) {
    replay r = {.module = NULL};
    smp_error error;
    uint64_t first = 0;
    bool is_equal = true;
    if (smp_kept_read(folder, &r.kept, &error) != SMP_OK) {
        fprintf(stderr, "replay_kept: %s\n", error.message);
        return false;
    }
    CALL(cuModuleLoadData, (void **, const void *), &r.module, r.kept.code);
    CALL(cuModuleGetFunction, (void **, void *, const char *), &r.kernel, r.module, r.kept.kernel);
    find_range(&r);
    if (r.first < r.end)
        map_range(&r);
    put_arrays(&r);
    launch(&r);
    for (uint32_t i = 0; i < r.kept.array_count; i++) {
        const smp_kept_array *array = &r.kept.arrays[i];
        const uint64_t wrong =
            array->address == r.kept.constants ? 0 : count_wrong(&r, array, &first);
        if (wrong > 0)
            printf("%s: %llu of %llu bytes of %s differ, the first at %llu\n", folder,
                   (unsigned long long)wrong, (unsigned long long)array->size_bytes, array->name,
                   (unsigned long long)first);
        is_equal = is_equal && wrong == 0;
    }
    if (is_equal)
        printf("%s: memory as kept%s\n", folder, r.moved != 0 ? " (at other addresses)" : "");
    smp_kept_clear(&r.kept);
    return is_equal;
}

int main(int argc, char **argv) {
    int device = 0, (*init)(unsigned);
    void *context = NULL;
    driver = dlopen("libcuda.so.1", RTLD_NOW);
    if (driver == NULL) {
        puts("skipped: no GPU");
        return SKIPPED;
    }
    void *start = symbol("cuInit");
    memcpy((void *)&init, (const void *)&start, sizeof(start));
    if (init(0) != 0) {
        puts("skipped: no GPU");
        return SKIPPED;
    }
    CALL(cuDeviceGet, (int *, int), &device, 0);
    CALL(cuDevicePrimaryCtxRetain, (void **, int), &context, device);
    CALL(cuCtxSetCurrent, (void *), context);
    int failed = 0;
    for (int i = 1; i < argc; i++)
        failed += !run(argv[i]);
    return failed > 0;
}
