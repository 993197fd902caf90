/* SPDX-License-Identifier: MIT */
/*
 * record_texture.c: runs the kernels of texture.cubin on the GPU, or on what stands in for it, and
 * writes what they leave. texture.bin: NVIDIA H200, driver 580.159.04, CUDA 13.0, 2026-11-22.
 *     cc -O1 record_texture.c -ldl -o record_texture
 *     record_texture texture.cubin [PLACES [CASE]] > texture.bin
 * Of each case of texture_cases.h: a word (0: done; another one: what making the texture answered;
 * 99999: the kernel failed), the words that each place got, or, of stores, the array afterwards.
 */
#define _GNU_SOURCE /* MAP_ANONYMOUS */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "record_driver.h"
#include "texture_cases.h"

enum { PLACES_MAX = 1024 };

/* ---- As cuda.h has them ---- */

typedef unsigned long long CUdeviceptr;
typedef struct array *CUarray;
enum { CU_MEMORYTYPE_HOST = 1, CU_MEMORYTYPE_ARRAY = 3 };

typedef struct CUDA_MEMCPY3D {
    size_t srcXInBytes, srcY, srcZ, srcLOD;
    int srcMemoryType;
    const void *srcHost;
    CUdeviceptr srcDevice;
    CUarray srcArray;
    void *reserved0;
    size_t srcPitch, srcHeight, dstXInBytes, dstY, dstZ, dstLOD;
    int dstMemoryType;
    void *dstHost;
    CUdeviceptr dstDevice;
    CUarray dstArray;
    void *reserved1;
    size_t dstPitch, dstHeight, WidthInBytes, Height, Depth;
} CUDA_MEMCPY3D;

typedef struct CUDA_ARRAY3D_DESCRIPTOR {
    size_t Width, Height, Depth;
    int Format;
    unsigned NumChannels, Flags;
} CUDA_ARRAY3D_DESCRIPTOR;

typedef struct CUDA_RESOURCE_DESC {
    int resType;
    union {
        struct {
            CUarray hArray;
        } array;
        struct {
            CUdeviceptr devPtr;
            int format;
            unsigned numChannels;
            size_t sizeInBytes;
        } linear;
        struct {
            CUdeviceptr devPtr;
            int format;
            unsigned numChannels;
            size_t width, height, pitchInBytes;
        } pitch2D;
        int reserved[32];
    } res;
    unsigned flags;
} CUDA_RESOURCE_DESC;

typedef struct CUDA_TEXTURE_DESC {
    int addressMode[3], filterMode;
    unsigned flags, maxAnisotropy;
    int mipmapFilterMode;
    float bias, least, most, borderColor[4];
    int reserved[12];
} CUDA_TEXTURE_DESC;

/* ---- The work ---- */

typedef struct session {
    void *driver, *module;
    CUdeviceptr linear, out, at;
} session;

static uint8_t bytes[TEXTURE_BYTES];
static float places[PLACES_MAX][4];

static int copy_array(const session *s, const texture_case *c, CUarray array, int is_out) {
    void *driver = s->driver;
    CUDA_MEMCPY3D copy;
    memset(&copy, 0, sizeof copy);
    copy.WidthInBytes = (size_t)c->width * c->element_bytes;
    copy.Height = c->height ? c->height : 1;
    copy.Depth = c->depth ? c->depth : 1;
    if (is_out) {
        copy.srcMemoryType = CU_MEMORYTYPE_ARRAY;
        copy.srcArray = array;
        copy.dstMemoryType = CU_MEMORYTYPE_HOST;
        copy.dstHost = bytes;
        copy.dstPitch = copy.WidthInBytes;
        copy.dstHeight = copy.Height;
    } else {
        copy.dstMemoryType = CU_MEMORYTYPE_ARRAY;
        copy.dstArray = array;
        copy.srcMemoryType = CU_MEMORYTYPE_HOST;
        copy.srcHost = bytes;
        copy.srcPitch = copy.WidthInBytes;
        copy.srcHeight = copy.Height;
    }
    CALL("cuMemcpy3D_v2", &copy);
    return 0;
}

/* 0, *array and *resource: filled. */
static int make_resource(const session *s, const texture_case *c, CUarray *array,
                         CUDA_RESOURCE_DESC *resource, uint32_t *answer) {
    void *driver = s->driver;
    *array = NULL;
    memset(resource, 0, sizeof *resource);
    resource->resType = (int)c->source;
    if (c->source == 0) {
        CUDA_ARRAY3D_DESCRIPTOR shape = {.Width = c->width,
                                         .Height = c->height,
                                         .Depth = c->depth,
                                         .Format = (int)c->format,
                                         .NumChannels = c->channels,
                                         .Flags = c->array_flags};
        int (*create)(CUarray *, const void *) =
            (int (*)(CUarray *, const void *))dlsym(driver, "cuArray3DCreate_v2");
        *answer = (uint32_t)create(array, &shape);
        if (*answer != 0)
            return 0;
        resource->res.array.hArray = *array;
        return copy_array(s, c, *array, 0);
    }
    CALL("cuMemcpyHtoD_v2", s->linear, bytes, sizeof bytes);
    if (c->source == 2) {
        resource->res.linear.devPtr = s->linear;
        resource->res.linear.format = (int)c->format;
        resource->res.linear.numChannels = c->channels;
        resource->res.linear.sizeInBytes = (size_t)c->width * c->element_bytes;
    } else {
        resource->res.pitch2D.devPtr = s->linear;
        resource->res.pitch2D.format = (int)c->format;
        resource->res.pitch2D.numChannels = c->channels;
        resource->res.pitch2D.width = c->width;
        resource->res.pitch2D.height = c->height;
        resource->res.pitch2D.pitchInBytes = c->pitch;
    }
    return 0;
}

static uint32_t make_object(const session *s, const texture_case *c,
                            const CUDA_RESOURCE_DESC *resource, unsigned long long *out) {
    CUDA_TEXTURE_DESC how;
    memset(&how, 0, sizeof how);
    for (unsigned i = 0; i < 3; i++)
        how.addressMode[i] = (int)c->address[i];
    how.filterMode = (int)c->filter;
    how.flags = c->flags;
    int (*texture)(unsigned long long *, const void *, const void *, const void *) =
        (int (*)(unsigned long long *, const void *, const void *, const void *))dlsym(
            s->driver, "cuTexObjectCreate");
    int (*surface)(unsigned long long *, const void *) =
        (int (*)(unsigned long long *, const void *))dlsym(s->driver, "cuSurfObjectCreate");
    return (uint32_t)(c->is_surface ? surface(out, resource) : texture(out, resource, &how, NULL));
}

/* Of stores what each thread stores, packed as its elements are; else zeros. */
static void fill_input(const texture_case *c, uint32_t count, uint32_t *out) {
    memset(out, 0, sizeof(uint32_t) * PLACES_MAX * 4);
    for (uint32_t i = 0; i < count && c->writes; i++) {
        uint32_t words[4];
        texture_stored(c, places[i], words);
        memcpy((char *)out + (size_t)i * c->element_bytes, words, c->element_bytes);
    }
}

static int write_case(const session *s, uint32_t number, uint32_t count) {
    static uint32_t out[PLACES_MAX * 4];
    void *driver = s->driver, *function;
    unsigned long long object = 0;
    texture_case c;
    uint32_t answer = 0;
    CUarray array;
    CUDA_RESOURCE_DESC resource;
    texture_make(number, &c);
    texture_fill(number, &c, bytes);
    texture_places(number, &c, count, places);
    if (make_resource(s, &c, &array, &resource, &answer) != 0)
        return 1;
    if (answer == 0)
        answer = make_object(s, &c, &resource, &object);
    if (answer == 0) {
        fill_input(&c, count, out);
        CUdeviceptr out_at = s->out, at = s->at;
        void *parameters[] = {&out_at, &object, &at};
        CALL("cuMemcpyHtoD_v2", s->out, out, sizeof out);
        CALL("cuMemcpyHtoD_v2", s->at, places, sizeof places);
        CALL("cuModuleGetFunction", &function, s->module, c.kernel);
        CALL("cuLaunchKernel", function, 1, 1, 1, count, 1, 1, 0, NULL, parameters, NULL);
        CALL("cuCtxSynchronize");
        CALL("cuMemcpyDtoH_v2", out, s->out, sizeof out);
    }
    memset(bytes, 0, sizeof bytes);
    if (answer == 0 && c.writes && copy_array(s, &c, array, 1) != 0)
        return 1;
    fwrite(&answer, 4, 1, stdout);
    if (answer == 0)
        fwrite(c.writes ? (void *)bytes : (void *)out, 1, texture_record_bytes(&c, count), stdout);
    fflush(stdout);
    if (array)
        CALL("cuArrayDestroy", array);
    return 0;
}

/* From case *next on, until one fails. */
static int record(const char *cubin, uint32_t count, uint32_t last, volatile uint32_t *next) {
    session s = {.driver = dlopen("libcuda.so.1", RTLD_NOW)};
    void *driver = s.driver;
    if (!s.driver || record_begin(driver, cubin, &s.module) != 0)
        return 2;
    CALL("cuMemAlloc_v2", &s.linear, (size_t)TEXTURE_BYTES);
    CALL("cuMemAlloc_v2", &s.out, (size_t)PLACES_MAX * 16);
    CALL("cuMemAlloc_v2", &s.at, (size_t)PLACES_MAX * 16);
    for (; *next < last; ++*next)
        if (write_case(&s, *next, count) != 0)
            return 1;
    return 0;
}

/* A case that fails leaves its process without a GPU: another one goes on after it. */
int main(int argc, char **argv) {
    const uint32_t failed = 99999, count = argc > 2 ? (uint32_t)atoi(argv[2]) : TEXTURE_PLACES;
    const uint32_t first = argc > 3 ? (uint32_t)atoi(argv[3]) : 0;
    const uint32_t last = argc > 3 ? first + 1 : TEXTURE_CASES;
    volatile uint32_t *next =
        mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (argc < 2 || count > PLACES_MAX || next == MAP_FAILED)
        return 2;
    for (*next = first; *next < last;) {
        int status;
        pid_t child = fork();
        if (child == 0)
            _exit(record(argv[1], count, last, next));
        waitpid(child, &status, 0);
        if (WIFEXITED(status) && WEXITSTATUS(status) == 2)
            return 2; /* no GPU at all */
        if (*next == last)
            break;
        fprintf(stderr, "case %u fails\n", *next);
        fwrite(&failed, 4, 1, stdout);
        fflush(stdout);
        ++*next;
    }
    return 0;
}
