/* SPDX-License-Identifier: MIT */
/* Textures and surfaces of a launch. A kernel names one by its handle, a number. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum { TEXTURE_CHANNELS = 4, TEXTURE_AXES = 3 };
/* The high part of a handle; its low bits are the index in the launch's list. */
#define EMU_TEXTURE_HANDLE 0x54580000u

typedef enum emu_channel_kind { CHANNEL_SIGNED, CHANNEL_UNSIGNED, CHANNEL_FLOAT } emu_channel_kind;

/* The values of cudaTextureAddressMode. */
typedef enum emu_texture_mode {
    TEXTURE_WRAP,
    TEXTURE_CLAMP,
    TEXTURE_MIRROR,
    TEXTURE_BORDER,
} emu_texture_mode;

typedef struct emu_texture {
    uint8_t *bytes;               /* for an array; NULL: device memory */
    uint64_t address, size_bytes; /* in device memory */
    uint32_t size[TEXTURE_AXES];  /* in texels; 1 for missing axes */
    uint64_t pitch_bytes, layer_bytes;
    uint32_t layers; /* also the faces of a cube; 0: not layered */
    uint8_t axes;    /* 1 to 3, without layers */
    uint8_t channels, channel_bytes;
    emu_channel_kind kind;
    bool is_cube, is_surface;
    bool reads_integers, is_normalized, is_linear;
    uint8_t mode[TEXTURE_AXES]; /* emu_texture_mode */
    float border[TEXTURE_CHANNELS];
    bool is_used; /* false: the object was destroyed */
} emu_texture;

typedef struct emu_texture_list {
    emu_texture *list;
    uint32_t count;
} emu_texture_list;

/* The coordinates of a thread, as in registers. */
typedef struct emu_texture_place {
    float at[TEXTURE_AXES];
    int32_t whole; /* for linear memory */
    uint32_t layer;
} emu_texture_place;

/* Returns the four words that a texture instruction produces; `bytes`: start of the texture's
 * memory. */
void emu_texture_fetch(const emu_texture *texture, const uint8_t *bytes, int32_t at,
                       uint32_t out[TEXTURE_CHANNELS]);
void emu_texture_sample(const emu_texture *texture, const uint8_t *bytes,
                        const emu_texture_place *place, uint32_t out[TEXTURE_CHANNELS]);
/* For a cube: `at` is a direction. */
void emu_texture_sample_cube(const emu_texture *texture, const uint8_t *bytes,
                             const emu_texture_place *place, uint32_t out[TEXTURE_CHANNELS]);
/* One channel of the four texels that filtering would use. */
void emu_texture_gather(const emu_texture *texture, const uint8_t *bytes,
                        const emu_texture_place *place, unsigned channel,
                        uint32_t out[TEXTURE_CHANNELS]);
/* Offset of a surface element; false if outside. `x_bytes` as in the kernel. */
typedef enum emu_surface_mode { SURFACE_CLAMP, SURFACE_ZERO, SURFACE_TRAP } emu_surface_mode;
bool emu_surface_place(const emu_texture *surface, const int32_t at[TEXTURE_AXES],
                       uint32_t width_bytes, emu_surface_mode mode, uint64_t *offset);
