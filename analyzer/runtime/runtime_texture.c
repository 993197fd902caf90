/* SPDX-License-Identifier: MIT */
/* Texture and surface objects. A kernel has a handle; the emulator reads the object (texture.h). */
#include <stddef.h>
#include <string.h>

#include "interface.h"
#include "list.h"

enum { DESCRIPTION_BYTES = 256 };

/* For each texture of the emulator: the program's descriptions, which it may query. */
typedef struct object {
    const rt_array *array;
    uint8_t resource[DESCRIPTION_BYTES], texture[DESCRIPTION_BYTES];
} object;

static emu_texture *textures;
static object *objects;
static size_t texture_count, object_count;
static emu_texture_list all;

const emu_texture_list *rt_textures(void) {
    all = (emu_texture_list){textures, (uint32_t)texture_count};
    return texture_count > 0 ? &all : NULL;
}

void rt_objects_forget(const rt_array *array) {
    for (size_t i = 0; i < object_count; i++)
        if (objects[i].array == array)
            textures[i].is_used = false;
}

static void texture_of_array(const rt_array *a, emu_texture *out) {
    const bool has_layers = a->flags & (RT_ARRAY_LAYERED | RT_ARRAY_CUBE);
    out->bytes = a->bytes;
    out->size[0] = (uint32_t)a->width;
    out->size[1] = a->height ? (uint32_t)a->height : 1;
    out->size[2] = a->depth && !has_layers ? (uint32_t)a->depth : 1;
    out->layers = has_layers ? (uint32_t)a->depth : 0;
    out->axes = a->height == 0 ? 1 : a->depth > 0 && !has_layers ? 3 : 2;
    out->pitch_bytes = a->pitch;
    out->layer_bytes = a->layer;
    out->channels = a->channels;
    out->channel_bytes = a->channel_bytes;
    out->kind = a->kind;
    out->is_cube = a->flags & RT_ARRAY_CUBE;
}

/* Rows of `pitch` bytes; height 0: one line. */
static cudaError_t texture_of_memory(const void *address, const rt_array *format, size_t width,
                                     size_t height, size_t pitch, emu_texture *out) {
    const size_t texel = (size_t)format->channels * format->channel_bytes;
    const size_t bytes = height > 0 ? (height - 1) * pitch + width * texel : width * texel;
    if (texel == 0 || width == 0 || !rt_bytes(address, bytes))
        return cudaErrorInvalidValue;
    out->address = (uintptr_t)address;
    out->size_bytes = bytes;
    out->size[0] = (uint32_t)width;
    out->size[1] = height ? (uint32_t)height : 1;
    out->size[2] = 1;
    out->axes = height > 0 ? 2 : 1;
    out->pitch_bytes = height > 0 ? pitch : bytes;
    out->layer_bytes = out->pitch_bytes * out->size[1];
    out->channels = format->channels;
    out->channel_bytes = format->channel_bytes;
    out->kind = format->kind;
    return cudaSuccess;
}

/* The weights of these filters are not known exactly (texture_sample.c). */
static void note_inexact(const emu_texture *t) {
    if (!t->is_linear || (t->kind != CHANNEL_FLOAT && t->reads_integers))
        return;
    if (t->axes == 3 || (t->kind == CHANNEL_SIGNED && t->channel_bytes == 1))
        rt_note("linear filtering of a texture of three dimensions or of signed bytes: normalized "
                "texels differed from an H200's by up to 1.5/256");
}

static cudaError_t make_object(const emu_texture *wanted, const rt_array *array,
                               const rt_described *by, unsigned long long *out) {
    size_t i = 0;
    while (i < texture_count && textures[i].is_used)
        i++;
    if (i == texture_count) {
        if (!LIST_ROOM(textures, texture_count) || !LIST_ROOM(objects, object_count))
            return cudaErrorMemoryAllocation;
        texture_count++;
        object_count++;
    }
    textures[i] = *wanted;
    textures[i].is_used = true;
    objects[i] = (object){.array = array};
    memcpy(objects[i].resource, by->resource, by->resource_bytes);
    if (by->texture)
        memcpy(objects[i].texture, by->texture, by->texture_bytes);
    note_inexact(wanted);
    *out = EMU_TEXTURE_HANDLE + i;
    return cudaSuccess;
}

static emu_texture *object_of(unsigned long long handle, bool is_surface) {
    const unsigned long long i = handle - EMU_TEXTURE_HANDLE;
    return i < texture_count && textures[i].is_used && textures[i].is_surface == is_surface
               ? &textures[i]
               : NULL;
}

static cudaError_t destroy(unsigned long long handle, bool is_surface) {
    emu_texture *found = object_of(handle, is_surface);
    return RT_IF(found, found->is_used = false);
}

cudaError_t rt_object_describe(unsigned long long handle, bool is_surface, bool wants_texture,
                               void *out, size_t bytes) {
    const emu_texture *found = object_of(handle, is_surface);
    const object *given = found ? &objects[found - textures] : NULL;
    return RT_IF(given && out,
                 memcpy(out, wants_texture ? given->texture : given->resource, bytes));
}

/* Adapts the request to what a GPU does: integers are not filtered, and only normalized coordinates
 * wrap. False if a GPU would refuse it. */
static bool settle(emu_texture *wanted) {
    if (wanted->kind == CHANNEL_FLOAT)
        wanted->reads_integers = false;
    for (unsigned i = 0; i < TEXTURE_AXES; i++) {
        if (wanted->mode[i] > TEXTURE_BORDER)
            return false;
        if (!wanted->is_normalized && wanted->mode[i] != TEXTURE_BORDER)
            wanted->mode[i] = TEXTURE_CLAMP;
    }
    return !(wanted->is_linear && wanted->kind != CHANNEL_FLOAT &&
             (wanted->reads_integers || wanted->channel_bytes == 4));
}

static cudaError_t take_resource(const rt_resource *of, emu_texture *out, const rt_array **array) {
    *array = NULL;
    switch (of->type) {
    case RT_RESOURCE_ARRAY:
        *array = rt_array_of(of->at);
        if (!*array)
            return cudaErrorInvalidResourceHandle;
        texture_of_array(*array, out);
        return cudaSuccess;
    case RT_RESOURCE_LINEAR:
        if (of->format.channels == 0)
            return cudaErrorInvalidChannelDescriptor;
        return texture_of_memory(of->at, &of->format,
                                 of->width / of->format.channels / of->format.channel_bytes, 0, 0,
                                 out);
    case RT_RESOURCE_PITCH:
        return texture_of_memory(of->at, &of->format, of->width, of->height, of->pitch, out);
    default:
        return rt_refuse("cudaCreateTextureObject", "mipmapped arrays");
    }
}

cudaError_t rt_texture_create(const rt_resource *of, emu_texture *wanted, const rt_described *by,
                              unsigned long long *out) {
    const rt_array *array;
    const cudaError_t result = take_resource(of, wanted, &array);
    if (result != cudaSuccess)
        return result;
    return settle(wanted) ? make_object(wanted, array, by, out) : cudaErrorInvalidValue;
}

cudaError_t rt_surface_create(const void *from, size_t bytes, unsigned long long *out) {
    emu_texture wanted = {.is_surface = true};
    rt_resource of;
    if (!out || !from)
        return cudaErrorInvalidValue;
    memcpy(&of, from, offsetof(rt_resource, format));
    const rt_array *array = of.type == RT_RESOURCE_ARRAY ? rt_array_of(of.at) : NULL;
    if (!array || !(array->flags & RT_ARRAY_SURFACE))
        return cudaErrorInvalidValue;
    texture_of_array(array, &wanted);
    return make_object(&wanted, array, &(rt_described){from, bytes, NULL, 0}, out);
}

/* ---- The interface ---- */

/* From driver_types.h, without the reserved fields at the end of version 13's. */
typedef struct resource {
    int type;
    void *at;
    int format[5];
    size_t width, height, pitch;
} resource;

typedef struct texture_how {
    int address_mode[3], filter, reads_normalized, srgb;
    float border[4];
    int is_normalized;
    unsigned anisotropy;
    int mipmap_filter;
    float bias, least, most;
    int disables, is_seamless;
} texture_how;

static cudaError_t create_texture(unsigned long long *out, const resource *from,
                                  const texture_how *how, const void *view) {
    if (!out || !from || !how)
        return cudaErrorInvalidValue;
    if (view || how->srgb)
        return rt_refuse("cudaCreateTextureObject",
                         view ? "another view of an array's texels" : "colours by the sRGB curve");
    rt_resource of = {from->type, from->at, {NULL}, from->width, from->height, from->pitch};
    const bool has_format = from->type == RT_RESOURCE_LINEAR || from->type == RT_RESOURCE_PITCH;
    cudaError_t result = has_format ? rt_array_format(from->format, &of.format) : cudaSuccess;
    if (result != cudaSuccess)
        return result;
    emu_texture wanted = {.is_linear = how->filter == 1,
                          .is_normalized = how->is_normalized != 0,
                          .reads_integers = !how->reads_normalized};
    for (unsigned i = 0; i < TEXTURE_AXES; i++)
        wanted.mode[i] = (uint8_t)how->address_mode[i];
    memcpy(wanted.border, how->border, sizeof wanted.border);
    result =
        rt_texture_create(&of, &wanted, &(rt_described){from, sizeof *from, how, sizeof *how}, out);
    return result == cudaErrorInvalidResourceHandle ? cudaErrorInvalidValue : result;
}

RT_FORWARD(cudaCreateTextureObject, create_texture, unsigned long long *, const resource *,
           const texture_how *, const void *);
RT_CALL(cudaCreateSurfaceObject(unsigned long long *out, const resource *from),
        rt_surface_create(from, sizeof *from, out));
SAME_CALL(cudaDestroyTextureObject, cuTexObjectDestroy, (unsigned long long handle),
          destroy(handle, false));
SAME_CALL(cudaDestroySurfaceObject, cuSurfObjectDestroy, (unsigned long long handle),
          destroy(handle, true));
RT_CALL(cudaGetTextureObjectResourceDesc(resource *out, unsigned long long handle),
        rt_object_describe(handle, false, false, out, sizeof *out));
RT_CALL(cudaGetTextureObjectTextureDesc(texture_how *out, unsigned long long handle),
        rt_object_describe(handle, false, true, out, sizeof *out));
RT_CALL(cudaGetSurfaceObjectResourceDesc(resource *out, unsigned long long handle),
        rt_object_describe(handle, true, false, out, sizeof *out));
