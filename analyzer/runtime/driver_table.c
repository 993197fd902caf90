/* SPDX-License-Identifier: MIT */
/*
 * Tables of undocumented functions, which NVIDIA's libraries ask for by 16 bytes. What is here is
 * what several open implementations of the driver describe alike: the current context of the
 * thread, a number for it, and a function that may fail. Each other function of these tables is
 * refused when it is called.
 */
#define _GNU_SOURCE /* dladdr */
#include <dlfcn.h>
#include <string.h>

#include "interface.h"

enum { SLOTS = 94 };

typedef void (*slot)(void);

/* It starts with its size in bytes. */
typedef struct table {
    size_t size;
    slot slots[SLOTS];
} table;

static CUresult refuse_slot(void) {
    return rt_refuse("a function of a table of cuGetExportTable",
                     "undocumented (a library of NVIDIA's asks for it)");
}

RT_EXPORT CUresult cuCtxGetCurrent(CUcontext *out); /* driver_context.c */

static CUresult number_of(CUcontext context, uint64_t *out) {
    *out = !!context;
    return 0;
}

/* The driver's own handle of a stream, and a number for that. */
static CUresult stream_of(CUcontext context, cudaStream_t stream, cudaStream_t *out) {
    *out = stream ? stream : cudaStreamLegacy;
    return 0;
}

static CUresult stream_number(CUcontext context, cudaStream_t stream, uint64_t *out) {
    *out = (uintptr_t)stream;
    return 0;
}

/* The placement of multiprocessors; cuBLASLt works without it. */
static CUresult place_of_multiprocessors(const uint8_t **places, const uint8_t **more) {
    return cudaErrorNotSupported;
}

static const struct known {
    uint8_t id[16];
    uint8_t slots; /* without the size */
    struct {
        uint8_t at;
        slot function;
    } has[3];
} known[] = {
    {{0x42, 0xd8, 0x5a, 0x81, 0x23, 0xf6, 0xcb, 0x47, 0x82, 0x98, 0xf6, 0xe7, 0x8a, 0x3a, 0xec,
      0xdc},
     3,
     {{2, (slot)cuCtxGetCurrent}}},
    {{0x21, 0x31, 0x8c, 0x60, 0x97, 0x14, 0x32, 0x48, 0x8c, 0xa6, 0x41, 0xff, 0x73, 0x24, 0xc8,
      0xf2},
     SLOTS,
     {{4, (slot)number_of}, {39, (slot)stream_number}, {51, (slot)stream_of}}},
    {{0x17, 0x34, 0xdc, 0x26, 0x80, 0x0d, 0x47, 0x45, 0x87, 0x26, 0xc0, 0xf1, 0xe7, 0xdd, 0x8b,
      0xca},
     8,
     {{4, (slot)place_of_multiprocessors}}},
};

enum { TABLES = sizeof known / sizeof known[0] };

/* The static runtime asks for another table first and fails without it; NVRTC, for one, does not.
 * So the report mentions the call of others, but does not count it as a fault. */
static void note_caller(const void *caller) {
    Dl_info from;
    const char *path = dladdr(caller, &from) && from.dli_fname ? from.dli_fname : "", *slash;
    slash = strrchr(path, '/');
    path = slash ? slash + 1 : path;
    if (strncmp(path, "libnvrtc", 8) == 0 || strncmp(path, "libnvJitLink", 12) == 0)
        return; /* they contain no runtime and work without these functions */
    if (strstr(path, ".so"))
        rt_note("cuGetExportTable: %.80s asks for undocumented functions; if it fails now, it "
                "contains a CUDA runtime of another version than every libcudart_static.a here: "
                "pip install nvidia-cuda-runtime==VERSION in the program's Python environment, or "
                "set CUDA_HOME to that version's toolkit",
                path);
    else
        rt_note("cuGetExportTable: undocumented functions are not supported; if the program fails "
                "now, it contains the static CUDA runtime: link it with nvcc -cudart shared");
}

static cudaError_t find_table(const void **out, const void *id, const void *caller) {
    static table made[TABLES];
    if (!out || !id)
        return cudaErrorInvalidValue;
    for (unsigned k = 0; k < TABLES; k++) {
        if (memcmp(id, known[k].id, sizeof known[k].id) != 0)
            continue;
        made[k].size = (known[k].slots + 1u) * sizeof(slot);
        for (unsigned i = 0; i < known[k].slots; i++)
            made[k].slots[i] = (slot)refuse_slot;
        for (unsigned i = 0; i < 3 && known[k].has[i].at; i++)
            made[k].slots[known[k].has[i].at - 1] = known[k].has[i].function;
        *out = &made[k];
        return cudaSuccess;
    }
    *out = NULL;
    note_caller(caller);
    return cudaErrorNotSupported;
}

DRV_CALL_ALWAYS(cuGetExportTable(const void **out, const void *id),
                find_table(out, id, __builtin_return_address(0)));
RT_CALL(cudaGetExportTable(const void **out, const void *id),
        find_table(out, id, __builtin_return_address(0)));
