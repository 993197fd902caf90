/* SPDX-License-Identifier: MIT */
/*
 * Textures and surfaces of a launch: a kernel names one by a number, its handle.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum { TEXTURE_CHANNELS = 4, TEXTURE_AXES = 3 };
/* The low 32 bits of a handle: this and the number in the launch's list. */
#define EMU_TEXTURE_HANDLE 0x54580000u

typedef enum emu_channel_kind { CHANNEL_SIGNED, CHANNEL_UNSIGNED, CHANNEL_FLOAT } emu_channel_kind;

/* As cudaTextureAddressMode numbers them. */
typedef enum emu_texture_mode {
    TEXTURE_WRAP,
    TEXTURE_CLAMP,
    TEXTURE_MIRROR,
    TEXTURE_BORDER,
} emu_texture_mode;

typedef struct emu_texture {
    uint8_t *bytes;               /* of an array; NULL: device memory */
    uint64_t address, size_bytes; /* of device memory */
    uint32_t size[TEXTURE_AXES];  /* texels; 1 where there is no such axis */
    uint64_t pitch_bytes, layer_bytes;
    uint32_t layers; /* also faces of a cube; 0: none */
    uint8_t axes;    /* 1 to 3, without layers */
    uint8_t channels, channel_bytes;
    emu_channel_kind kind;
    bool is_cube, is_surface;
    bool is_linear_memory; /* read by whole numbers */
    bool reads_integers, is_normalized, is_linear;
    uint8_t mode[TEXTURE_AXES]; /* emu_texture_mode */
    float border[TEXTURE_CHANNELS];
    bool is_used; /* false: the handle's object is gone */
} emu_texture;

typedef struct emu_texture_list {
    emu_texture *list;
    uint32_t count;
} emu_texture_list;

/* Where a thread reads: coordinates as they are in registers. */
typedef struct emu_texture_place {
    float at[TEXTURE_AXES];
    int32_t whole; /* of linear memory */
    uint32_t layer;
} emu_texture_place;

/* Four words as a texture instruction leaves them; `bytes`: where the texture's begin. */
void emu_texture_fetch(const emu_texture *texture, const uint8_t *bytes, int32_t at,
                       uint32_t out[TEXTURE_CHANNELS]);
void emu_texture_sample(const emu_texture *texture, const uint8_t *bytes,
                        const emu_texture_place *place, uint32_t out[TEXTURE_CHANNELS]);
/* Of a cube: `at` is a direction. */
void emu_texture_sample_cube(const emu_texture *texture, const uint8_t *bytes,
                             const emu_texture_place *place, uint32_t out[TEXTURE_CHANNELS]);
/* One channel of the four texels that filtering would take. */
void emu_texture_gather(const emu_texture *texture, const uint8_t *bytes,
                        const emu_texture_place *place, unsigned channel,
                        uint32_t out[TEXTURE_CHANNELS]);
/* The offset of a place of a surface; false: outside of it. `x_bytes` as the kernel gives it. */
typedef enum emu_surface_mode { SURFACE_CLAMP, SURFACE_ZERO, SURFACE_TRAP } emu_surface_mode;
bool emu_surface_place(const emu_texture *surface, const int32_t at[TEXTURE_AXES],
                       uint32_t width_bytes, emu_surface_mode mode, uint64_t *offset);
