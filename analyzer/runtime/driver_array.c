/* SPDX-License-Identifier: MIT */
/*
 * Arrays, textures and surfaces of the driver's interface. They are the runtime's objects; only the
 * structs that describe them differ.
 */
#include <string.h>

#include "interface.h"

typedef struct CUDA_ARRAY_DESCRIPTOR {
    size_t Width, Height;
    int Format;
    unsigned NumChannels;
} CUDA_ARRAY_DESCRIPTOR;

typedef struct CUDA_ARRAY3D_DESCRIPTOR {
    size_t Width, Height, Depth;
    int Format;
    unsigned NumChannels, Flags;
} CUDA_ARRAY3D_DESCRIPTOR;

/* CUarray_format: 1, 2, 3 unsigned of 1, 2, 4 bytes; 8, 9, 10 signed; 16 half, 32 float. */
static bool take_format(int format, unsigned channels, rt_array *out) {
    const bool is_float = format == 0x10 || format == 0x20;
    if (channels > 4 ||
        !(is_float || (format >= 1 && format <= 3) || (format >= 8 && format <= 10)))
        return false;
    out->kind = is_float ? CHANNEL_FLOAT : format >= 8 ? CHANNEL_SIGNED : CHANNEL_UNSIGNED;
    out->channel_bytes = (uint8_t)(format == 0x10   ? 2
                                   : format == 0x20 ? 4
                                                    : 1 << ((format & 7) - (format < 8)));
    out->channels = (uint8_t)channels;
    return true;
}

static int format_of(const rt_array *a) {
    const int log = a->channel_bytes == 1 ? 0 : a->channel_bytes == 2 ? 1 : 2;
    return a->kind == CHANNEL_FLOAT    ? (log == 1 ? 0x10 : 0x20)
           : a->kind == CHANNEL_SIGNED ? 8 + log
                                       : 1 + log;
}

static cudaError_t create(rt_array **out, const CUDA_ARRAY3D_DESCRIPTOR *p) {
    if (!p)
        return cudaErrorInvalidValue;
    rt_array wanted = {
        .width = p->Width, .height = p->Height, .depth = p->Depth, .flags = p->Flags};
    if (!take_format(p->Format, p->NumChannels, &wanted))
        return rt_refuse("cuArray3DCreate", "another format than integers and floats of 1 to 4 "
                                            "channels");
    return rt_array_make(&wanted, out);
}

DRV_FORWARD(cuArray3DCreate_v2, create, rt_array **, const CUDA_ARRAY3D_DESCRIPTOR *);

static cudaError_t create_plane(rt_array **out, const CUDA_ARRAY_DESCRIPTOR *p) {
    if (!p)
        return cudaErrorInvalidValue;
    const CUDA_ARRAY3D_DESCRIPTOR wide = {
        .Width = p->Width, .Height = p->Height, .Format = p->Format, .NumChannels = p->NumChannels};
    return create(out, &wide);
}

DRV_FORWARD(cuArrayCreate_v2, create_plane, rt_array **, const CUDA_ARRAY_DESCRIPTOR *);
DRV_CALL(cuArrayDestroy(void *array),
         array ? rt_array_free(array) : cudaErrorInvalidResourceHandle);

static cudaError_t describe(CUDA_ARRAY3D_DESCRIPTOR *out, void *array) {
    const rt_array *a = rt_array_of(array);
    if (!out || !a)
        return out ? cudaErrorInvalidResourceHandle : cudaErrorInvalidValue;
    *out = (CUDA_ARRAY3D_DESCRIPTOR){a->width,     a->height,   a->depth,
                                     format_of(a), a->channels, a->flags};
    return cudaSuccess;
}

DRV_FORWARD(cuArray3DGetDescriptor_v2, describe, CUDA_ARRAY3D_DESCRIPTOR *, void *);

static cudaError_t describe_plane(CUDA_ARRAY_DESCRIPTOR *out, void *array) {
    CUDA_ARRAY3D_DESCRIPTOR wide;
    const cudaError_t result = describe(&wide, array);
    if (!out || result != cudaSuccess)
        return out ? result : cudaErrorInvalidValue;
    *out = (CUDA_ARRAY_DESCRIPTOR){wide.Width, wide.Height, wide.Format, wide.NumChannels};
    return cudaSuccess;
}

DRV_FORWARD(cuArrayGetDescriptor_v2, describe_plane, CUDA_ARRAY_DESCRIPTOR *, void *);

/* ---- Textures and surfaces ---- */

enum { READS_INTEGERS = 1, NORMALIZED = 2, SRGB = 16 };

/* From cuda.h. */
typedef struct CUDA_RESOURCE_DESC {
    int resType;
    void *at; /* or the array */
    int format;
    unsigned channels;
    size_t width, height, pitch;
    int reserved[22];
    unsigned flags;
} CUDA_RESOURCE_DESC;

_Static_assert(sizeof(CUDA_RESOURCE_DESC) == 144, "its size in CUDA");

typedef struct CUDA_TEXTURE_DESC {
    int addressMode[3], filterMode;
    unsigned flags, maxAnisotropy;
    int mipmapFilterMode;
    float bias, least, most, borderColor[4];
    int reserved[12];
} CUDA_TEXTURE_DESC;

static cudaError_t create_texture(unsigned long long *out, const CUDA_RESOURCE_DESC *from,
                                  const CUDA_TEXTURE_DESC *how, const void *view) {
    if (!out || !from || !how)
        return cudaErrorInvalidValue;
    if (view || how->flags & SRGB)
        return rt_refuse("cuTexObjectCreate",
                         view ? "another view of an array's texels" : "colours by the sRGB curve");
    if (from->resType == RT_RESOURCE_MIPMAPPED)
        return rt_refuse("cuTexObjectCreate", "mipmapped arrays");
    rt_resource of = {from->resType, from->at, {NULL}, from->width, from->height, from->pitch};
    if (from->resType != RT_RESOURCE_ARRAY &&
        !take_format(from->format, from->channels, &of.format))
        return cudaErrorInvalidValue;
    emu_texture wanted = {.is_linear = how->filterMode == 1,
                          .is_normalized = how->flags & NORMALIZED,
                          .reads_integers = how->flags & READS_INTEGERS};
    for (unsigned i = 0; i < TEXTURE_AXES; i++)
        wanted.mode[i] = (uint8_t)how->addressMode[i];
    memcpy(wanted.border, how->borderColor, sizeof wanted.border);
    const cudaError_t result =
        rt_texture_create(&of, &wanted, &(rt_described){from, sizeof *from, how, sizeof *how}, out);
    return result == cudaErrorInvalidChannelDescriptor ? cudaErrorInvalidValue : result;
}

DRV_FORWARD(cuTexObjectCreate, create_texture, unsigned long long *, const CUDA_RESOURCE_DESC *,
            const CUDA_TEXTURE_DESC *, const void *);
DRV_CALL(cuSurfObjectCreate(unsigned long long *out, const CUDA_RESOURCE_DESC *from),
         rt_surface_create(from, sizeof *from, out));
DRV_CALL(cuTexObjectGetResourceDesc(CUDA_RESOURCE_DESC *out, unsigned long long handle),
         rt_object_describe(handle, false, false, out, sizeof *out));
DRV_CALL(cuTexObjectGetTextureDesc(CUDA_TEXTURE_DESC *out, unsigned long long handle),
         rt_object_describe(handle, false, true, out, sizeof *out));
DRV_CALL(cuSurfObjectGetResourceDesc(CUDA_RESOURCE_DESC *out, unsigned long long handle),
         rt_object_describe(handle, true, false, out, sizeof *out));
