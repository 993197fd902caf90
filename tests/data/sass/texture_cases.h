/* SPDX-License-Identifier: MIT */
/*
 * texture_cases.h: textures, surfaces and the places that are read, by number (record_texture.c).
 */
#pragma once

#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum {
    TEXTURE_CASES = 420,
    TEXTURE_BYTES = 131072, /* of the largest */
    TEXTURE_PLACES = 64,
};

/* Types and modes with the numbers of cuda.h. */
typedef struct texture_case {
    char kernel[32];
    uint32_t format, channels, width, height, depth, array_flags;
    uint32_t source; /* 0: an array; 2: linear memory; 3: rows of `pitch` bytes */
    uint32_t pitch, address[3], filter, flags;
    uint32_t is_surface, writes, element_bytes;
} texture_case;

static inline uint32_t texture_random(uint64_t *state, uint32_t below) {
    uint64_t x = *state += 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return (uint32_t)((x ^ x >> 31) >> 16) % below;
}

static inline uint32_t texture_channel_bytes(uint32_t format) {
    return format == 1 || format == 8 ? 1 : format == 2 || format == 9 || format == 16 ? 2 : 4;
}

static inline void texture_make_surface(uint64_t *state, texture_case *c) {
    static const char *const modes[] = {"clamp", "zero", "trap"};
    static const char dims[] = "123l";
    static const uint8_t only[] = {2, 9, 3, 4}; /* of 2: any */
    const uint32_t dim = texture_random(state, 4), any = texture_random(state, 5);
    const uint32_t log = dim == 1 ? any : only[dim];
    c->is_surface = 1;
    c->writes = texture_random(state, 2);
    c->element_bytes = 1u << log;
    snprintf(c->kernel, sizeof c->kernel, "%s%c_%u_%s", c->writes ? "write" : "read", dims[dim],
             c->element_bytes, modes[texture_random(state, 3)]);
    c->format = log == 0 ? 1 : log == 1 ? 2 : 3;
    c->channels = log < 3 ? 1 : log == 3 ? 2 : 4;
    c->width = 1 + texture_random(state, 40);
    c->height = dim == 0 ? 0 : 1 + texture_random(state, 20);
    c->depth = dim < 2 ? 0 : 1 + texture_random(state, 6);
    c->array_flags = 2u | (dim == 3);
}

static inline void texture_make(uint32_t number, texture_case *c) {
    static const char *const kernels[] = {
        "tex2",    "tex2",    "tex2",    "tex1",    "fetch1", "tex3", "layer1",
        "layer2",  "cube",    "lod2",    "two2",    "one2",   "one3", "bytes2",
        "gather0", "gather1", "gather2", "gather3", "tex2",   "tex1", "grad2",
    };
    static const uint8_t formats[] = {32, 32, 32, 1, 2, 3, 8, 9, 10, 16};
    uint64_t state = number * 1000003ull + 17;
    memset(c, 0, sizeof *c);
    if (number % 4 == 3) {
        texture_make_surface(&state, c);
        return;
    }
    snprintf(c->kernel, sizeof c->kernel, "%s", kernels[texture_random(&state, 21)]);
    const char *k = c->kernel;
    const int is_3d = k[3] == '3', is_1d = strchr(k, '1') && k[0] != 'g' && k[0] != 'o';
    const int is_cube = k[0] == 'c', is_layered = k[0] == 'l' && k[1] == 'a';
    c->format = formats[texture_random(&state, 10)];
    c->channels = 1u << texture_random(&state, 3);
    c->width = 1 + texture_random(&state, 33);
    c->height = is_1d ? 0 : is_cube ? c->width : 1 + texture_random(&state, 17);
    c->depth = is_cube ? 6 : is_3d || is_layered ? 1 + texture_random(&state, 7) : 0;
    c->array_flags = is_cube ? 4u : is_layered ? 1u : 0u;
    if (k[0] == 'g' && k[1] == 'a')
        c->array_flags = 8;
    c->element_bytes = c->channels * texture_channel_bytes(c->format);
    if (k[0] == 'f') {
        c->source = 2;
    } else if (!is_1d && c->array_flags == 0 && !is_3d && texture_random(&state, 3) == 0) {
        c->source = 3;
        c->pitch = 512;
        c->width = 1 + texture_random(&state, 32);
    }
    const int is_float = c->format == 32 || c->format == 16;
    const int is_narrow = c->format == 1 || c->format == 2 || c->format == 8 || c->format == 9;
    if (!is_float && (!is_narrow || texture_random(&state, 2)))
        c->flags |= 1; /* read as integers */
    if (k[0] == 'b') {
        c->format = 1;
        c->element_bytes = c->channels;
        c->flags = 1;
    }
    if (texture_random(&state, 3) == 0 || is_cube)
        c->flags |= 2; /* normalized */
    if (k[0] == 'f')
        c->flags &= ~2u;
    for (unsigned i = 0; i < 3; i++)
        c->address[i] = texture_random(&state, c->flags & 2 ? 4 : 2) * (c->flags & 2 ? 1 : 2) +
                        (c->flags & 2 ? 0 : 1); /* wrap and mirror want normalized coordinates */
    if (is_cube)
        c->address[0] = c->address[1] = c->address[2] = 1;
    c->filter = !(c->flags & 1) && k[0] != 'f' && texture_random(&state, 3) != 0;
}

/* Whole numbers, halves, 1/512, anything, and what is far outside. */
static inline float texture_place(uint64_t *state, float size) {
    static const float odd[] = {1e9f, -1e9f, 3e38f, -3e38f, 1e-30f, -0.0f, 65536.5f, -70000.25f};
    const float range = 2 * size + 4;
    const float any = (float)texture_random(state, 1u << 24) / 16777216.0f * range - size / 2 - 2;
    const uint32_t kind = texture_random(state, 16);
    if (kind == 0)
        return odd[texture_random(state, 8)];
    if (kind < 4)
        return (float)(int)any;
    if (kind < 6)
        return (float)(int)any + 0.5f;
    if (kind < 9)
        return (float)(int)(any * 512) / 512;
    if (kind < 12) /* inside */
        return (float)texture_random(state, 1u << 24) / 16777216.0f * size;
    return any;
}

static inline float texture_whole(uint64_t *state, uint32_t size, int is_inside) {
    return (float)(is_inside ? (int)texture_random(state, size)
                             : (int)texture_random(state, 2 * size + 4) - (int)size / 2 - 2);
}

static inline void texture_places(uint32_t number, const texture_case *c, uint32_t count,
                                  float (*out)[4]) {
    uint64_t state = number * 7777777ull + 5;
    const uint32_t sizes[] = {c->width, c->height ? c->height : 1, c->depth ? c->depth : 1,
                              c->depth ? c->depth : 1};
    const int traps = !!strstr(c->kernel, "trap");
    for (uint32_t i = 0; i < count; i++)
        for (unsigned k = 0; k < 4; k++) {
            if (c->is_surface || k == 3 || (c->source == 2 && k == 0))
                out[i][k] = texture_whole(&state, sizes[k], traps);
            else if (c->array_flags == 4)
                out[i][k] = (float)texture_random(&state, 1u << 24) / 8388608.0f - 1;
            else
                out[i][k] =
                    texture_place(&state, (float)sizes[k]) / (c->flags & 2 ? (float)sizes[k] : 1);
        }
}

/* What a thread stores: threads that store to one place store the same there. */
static inline void texture_stored(const texture_case *c, const float place[4], uint32_t words[4]) {
    const uint32_t sizes[] = {c->width, c->height ? c->height : 1, c->depth ? c->depth : 1,
                              c->depth ? c->depth : 1};
    const int is_clamped = !!strstr(c->kernel, "clamp");
    uint32_t hash = 0x811c9dc5;
    for (unsigned k = 0; k < 4; k++) {
        const int last = (int)sizes[k] - 1, at = (int)place[k];
        if (c->kernel[5] == "123l"[k] || k < (c->kernel[5] == '1'   ? 1u
                                              : c->kernel[5] == '3' ? 3u
                                                                    : 2u))
            hash = (hash ^ (uint32_t)(!is_clamped ? at
                                      : at < 0    ? 0
                                      : at > last ? last
                                                  : at)) *
                   0x01000193u;
    }
    for (unsigned k = 0; k < 4; k++)
        words[k] = hash ^ k * 0x9e3779b9u;
}

/* Moderate numbers, integers of all bits. */
static inline void texture_fill(uint32_t number, const texture_case *c, uint8_t *bytes) {
    uint64_t state = number * 31337ull + 1;
    for (uint32_t i = 0; i < TEXTURE_BYTES / 4; i++) {
        uint32_t word = texture_random(&state, 1u << 16) << 16 | texture_random(&state, 1u << 16);
        if (c->format == 32 && !c->is_surface)
            word = (word & 0x807fffff) | (120 + (word >> 23 & 15)) << 23;
        if (c->format == 16 && !c->is_surface)
            word = (word & 0x8fff8fff) | 0x30003000;
        memcpy(bytes + 4 * i, &word, 4);
    }
}

/* Words that the kernel leaves for each place. */
static inline uint32_t texture_out_words(const texture_case *c) {
    if (c->is_surface)
        return c->element_bytes < 4 ? 1 : c->element_bytes / 4;
    return c->kernel[0] == 'o' || c->kernel[0] == 'b'   ? 1
           : c->kernel[0] == 't' && c->kernel[1] == 'w' ? 2
                                                        : 4;
}

/* Bytes of a case's record behind its answer. */
static inline uint32_t texture_record_bytes(const texture_case *c, uint32_t count) {
    const uint32_t rows = (c->height ? c->height : 1) * (c->depth ? c->depth : 1);
    if (c->writes)
        return c->width * c->element_bytes * rows;
    return count * (c->is_surface ? c->element_bytes : 4 * texture_out_words(c));
}
