/* SPDX-License-Identifier: MIT */
/*
 * Texture sampling: addressing, filtering and conversion as an H200 does them
 * (tests/data/sass/record_texture.c; CUDA C++ Programming Guide 13.0, "Texture Fetching", specifies
 * them: filtering weights have 8 fractional bits).
 */
#include "texture.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#include "lanes.h"

/* ---- Texels ---- */

typedef struct texel_at {
    int64_t at[TEXTURE_AXES];
    uint32_t layer;
    bool is_border;
} texel_at;

static uint32_t texel_bytes(const emu_texture *t) {
    return (uint32_t)t->channels * t->channel_bytes;
}

/* A channel in memory, sign-extended. */
static int32_t raw(const emu_texture *t, const uint8_t *texel, unsigned channel) {
    const uint8_t *at = texel + (size_t)channel * t->channel_bytes;
    uint32_t word = 0;
    memcpy(&word, at, t->channel_bytes);
    const unsigned unused = 32 - 8u * t->channel_bytes;
    if (t->kind == CHANNEL_SIGNED)
        return (int32_t)(word << unused) >> unused;
    return (int32_t)word;
}

static float normalized(const emu_texture *t, int32_t value) {
    const int32_t most = t->kind == CHANNEL_SIGNED ? (1 << (8 * t->channel_bytes - 1)) - 1
                                                   : (1 << 8 * t->channel_bytes) - 1;
    const float result = (float)((double)value / most);
    return result < -1 ? -1 : result;
}

static bool gives_integers(const emu_texture *t) {
    return t->kind != CHANNEL_FLOAT && (t->reads_integers || t->channel_bytes == 4);
}

static uint32_t channel_of(const emu_texture *t, const uint8_t *texel, unsigned channel) {
    if (channel >= t->channels)
        return 0;
    const int32_t value = raw(t, texel, channel);
    if (t->kind == CHANNEL_FLOAT)
        return t->channel_bytes == 2 ? lanes_bits(smp_half_to_float((uint16_t)value))
                                     : (uint32_t)value;
    return gives_integers(t) ? (uint32_t)value : lanes_bits(normalized(t, value));
}

static const uint8_t *texel_of(const emu_texture *t, const uint8_t *bytes, const texel_at *p) {
    return bytes + (uint64_t)p->at[0] * texel_bytes(t) + (uint64_t)p->at[1] * t->pitch_bytes +
           ((uint64_t)p->at[2] + p->layer) * t->layer_bytes;
}

static void read_texel(const emu_texture *t, const uint8_t *bytes, const texel_at *p,
                       uint32_t out[TEXTURE_CHANNELS]) {
    const uint8_t *texel = texel_of(t, bytes, p);
    for (unsigned c = 0; c < TEXTURE_CHANNELS; c++)
        out[c] = p->is_border ? (gives_integers(t) ? 0 : lanes_bits(t->border[c]))
                              : channel_of(t, texel, c);
}

/* ---- Addressing ---- */

enum { FRACTION = 256, NORMALIZED_STEPS = 1 << 21, FARTHEST = 1 << 24 };

/* The index of a texel inside the texture; false in the border. */
static bool settle(const emu_texture *t, unsigned axis, int64_t *index) {
    const int64_t size = t->size[axis];
    const int64_t i = *index;
    switch (t->mode[axis]) {
    case TEXTURE_WRAP:
        *index = ((i % size) + size) % size;
        return true;
    case TEXTURE_MIRROR: {
        const int64_t two = ((i % (2 * size)) + 2 * size) % (2 * size);
        *index = two < size ? two : 2 * size - 1 - two;
        return true;
    }
    case TEXTURE_BORDER:
        if (i >= 0 && i < size)
            return true;
        *index = 0;
        return false;
    default:
        *index = i < 0 ? 0 : i >= size ? size - 1 : i;
        return true;
    }
}

/* A coordinate along an axis in texels: normalized coordinates have 21 fractional bits, the rest is
 * truncated. */
static double in_texels(const emu_texture *t, unsigned axis, float at) {
    const double x = at != at ? 0 : at < -FARTHEST ? -FARTHEST : at > FARTHEST ? FARTHEST : at;
    return t->is_normalized ? floor(x * NORMALIZED_STEPS) / NORMALIZED_STEPS * t->size[axis] : x;
}

typedef struct axis_place {
    int64_t first;
    uint32_t weight; /* of the next texel, in 256ths */
} axis_place;

static axis_place place_on(const emu_texture *t, unsigned axis, float at, bool filters) {
    const double x = in_texels(t, axis, at);
    if (!filters)
        return (axis_place){(int64_t)floor(x), 0};
    const int64_t fixed = (int64_t)floor((x - 0.5) * FRACTION + 0.5);
    const int64_t first = fixed >= 0 ? fixed / FRACTION : -((-fixed + FRACTION - 1) / FRACTION);
    return (axis_place){first, (uint32_t)(fixed - first * FRACTION)};
}

void emu_texture_fetch(const emu_texture *t, const uint8_t *bytes, int32_t at,
                       uint32_t out[TEXTURE_CHANNELS]) {
    texel_at p = {.at = {at}, .is_border = at < 0 || (uint32_t)at >= t->size[0]};
    read_texel(t, bytes, &p, out);
}

static uint32_t layer_of(const emu_texture *t, uint32_t layer) {
    return t->layers == 0 ? 0 : layer >= t->layers ? t->layers - 1 : layer;
}

/* ---- Filtering ---- */

enum {
    CORNERS_MAX = 1 << TEXTURE_AXES,
    SINGLE_BITS = 24,
    HALF_BITS = 11,
    GUARD_BITS = 4,
    WEIGHT_BITS = 8
};

/* A texel and its weight in 256ths. */
typedef struct corner {
    texel_at at;
    uint32_t weight;
} corner;

/* Rounds to a type of this many bits, halves away from zero. */
static float rounded_to(int bits_wanted, int64_t sum, int exponent) {
    uint64_t size = (uint64_t)(sum < 0 ? -sum : sum);
    const int bits = size == 0 ? 0 : 64 - __builtin_clzll(size);
    const int cut = bits > bits_wanted ? bits - bits_wanted : 0;
    if (cut > 0)
        size = (size + (1ull << (cut - 1))) >> cut;
    const double value = ldexp((double)size, exponent + cut);
    return (float)(sum < 0 ? -value : value);
}

/* Aligns numbers to the largest exponent with four extra bits and truncates below. Then the sum is
 * exact; for halves it is rounded to one. */
static uint32_t blend_floats(const emu_texture *t, const float *values, const corner *corners,
                             unsigned count) {
    int most = INT_MIN;
    int64_t sum = 0;
    for (unsigned i = 0; i < count; i++) {
        int exponent;
        if (isnan(values[i]) || isinf(values[i]))
            return lanes_bits(values[i]);
        (void)frexpf(values[i], &exponent);
        if (values[i] != 0 && exponent > most)
            most = exponent;
    }
    if (most == INT_MIN) /* only zeros */
        return lanes_bits(0);
    const int unit = most - SINGLE_BITS - GUARD_BITS;
    for (unsigned i = 0; i < count; i++)
        sum += (int64_t)trunc(ldexp((double)values[i], -unit)) * corners[i].weight;
    return lanes_bits(
        rounded_to(t->channel_bytes == 2 ? HALF_BITS : SINGLE_BITS, sum, unit - WEIGHT_BITS));
}

/* 8-bit integers are widened to 16 bits by repetition; the sum has 16 bits. */
static int32_t widened(const emu_texture *t, int32_t value) {
    if (t->kind == CHANNEL_UNSIGNED)
        return t->channel_bytes == 1 ? value * 257 : value;
    const int32_t most = t->channel_bytes == 1 ? 127 : 32767;
    const int32_t size = value < 0 ? (-value > most ? most : -value) : value;
    const int32_t wide = t->channel_bytes == 1 ? size << 8 | size << 1 | size >> 6 : size;
    return value < 0 ? -wide : wide;
}

static uint32_t blend_integers(const emu_texture *t, const int32_t *values, const corner *corners,
                               unsigned count) {
    int64_t sum = 0;
    for (unsigned i = 0; i < count; i++)
        sum += (int64_t)widened(t, values[i]) * corners[i].weight;
    const int64_t rounded = (sum + (1ll << (WEIGHT_BITS - 1))) >> WEIGHT_BITS;
    return lanes_bits((float)((double)rounded / (t->kind == CHANNEL_SIGNED ? 32767 : 65535)));
}

static void blend(const emu_texture *t, const uint8_t *bytes, const corner *corners, unsigned count,
                  uint32_t out[TEXTURE_CHANNELS]) {
    for (unsigned c = 0; c < TEXTURE_CHANNELS; c++) {
        float singles[CORNERS_MAX];
        int32_t integers[CORNERS_MAX];
        for (unsigned i = 0; i < count; i++) {
            const texel_at *at = &corners[i].at;
            const uint8_t *texel = texel_of(t, bytes, at);
            const bool is_there = !at->is_border && c < t->channels;
            integers[i] = is_there ? raw(t, texel, c) : 0;
            singles[i] = is_there ? lanes_float(channel_of(t, texel, c)) : 0;
        }
        out[c] = t->kind == CHANNEL_FLOAT ? blend_floats(t, singles, corners, count)
                                          : blend_integers(t, integers, corners, count);
    }
}

/* The weights of four texels in a plane, eight bits each: the last is rounded, the others are the
 * remainders along each axis. */
static void plane_weights(uint32_t x, uint32_t y, uint32_t out[4]) {
    out[3] = (x * y + FRACTION / 2) / FRACTION;
    out[1] = x - out[3];
    out[2] = y - out[3];
    out[0] = FRACTION - x - y + out[3];
}

static void corner_weights(const axis_place *axis, unsigned axes, uint32_t out[CORNERS_MAX]) {
    plane_weights(axis[0].weight, axes > 1 ? axis[1].weight : 0, out);
    if (axes < 3)
        return;
    /* The planes of columns and layers, each split between two rows. */
    uint32_t plane[4], seconds = 0;
    plane_weights(axis[0].weight, axis[2].weight, plane);
    for (unsigned i = 4; i-- > 0;) {
        const unsigned first = (i & 1) | (i >> 1) << 2;
        const uint32_t rounded = (plane[i] * axis[1].weight + FRACTION / 2) / FRACTION;
        const uint32_t left = axis[1].weight > seconds ? axis[1].weight - seconds : 0;
        const uint32_t second = i > 0 ? rounded : left < plane[0] ? left : plane[0];
        seconds += second;
        out[first | 2] = second;
        out[first] = plane[i] - second;
    }
}

/* ---- Sampling ---- */

static void sample(const emu_texture *t, const uint8_t *bytes, const float at[TEXTURE_AXES],
                   uint32_t layer, uint32_t out[TEXTURE_CHANNELS]) {
    const bool filters = t->is_linear && !gives_integers(t);
    axis_place axis[TEXTURE_AXES] = {{0}};
    corner corners[CORNERS_MAX];
    const unsigned axes =
        t->axes < 2 && t->layers == 0 ? 2 : t->axes; /* a line is read as a plane */
    unsigned count = 0;
    for (unsigned a = 0; a < axes; a++)
        axis[a] = place_on(t, a, a < t->axes ? at[a] : 0, filters);
    uint32_t weights[CORNERS_MAX];
    corner_weights(axis, axes, weights);
    for (unsigned i = 0; i < 1u << (filters ? axes : 0); i++) {
        corner *c = &corners[count];
        *c = (corner){{.layer = layer}, 1};
        for (unsigned a = 0; a < axes; a++) {
            const uint32_t is_next = i >> a & 1;
            c->at.at[a] = axis[a].first + is_next;
            c->at.is_border |= !settle(t, a, &c->at.at[a]);
        }
        c->weight = filters ? weights[i] : 1;
        count += c->weight > 0;
    }
    if (filters)
        blend(t, bytes, corners, count, out);
    else
        read_texel(t, bytes, &corners[0].at, out);
}

void emu_texture_sample(const emu_texture *t, const uint8_t *bytes, const emu_texture_place *place,
                        uint32_t out[TEXTURE_CHANNELS]) {
    sample(t, bytes, place->at, layer_of(t, place->layer), out);
}

/* The cube face that a direction hits, and the position on it from 0 to 1. */
static uint32_t face_of(const float at[TEXTURE_AXES], float where[TEXTURE_AXES]) {
    const float x = at[0], y = at[1], z = at[2];
    const float ax = fabsf(x), ay = fabsf(y), az = fabsf(z);
    uint32_t face;
    float s, t, most;
    if (ax >= ay && ax >= az) {
        face = x < 0 ? 1 : 0;
        s = x < 0 ? z : -z;
        t = -y;
        most = ax;
    } else if (ay >= az) {
        face = y < 0 ? 3 : 2;
        s = x;
        t = y < 0 ? -z : z;
        most = ay;
    } else {
        face = z < 0 ? 5 : 4;
        s = z < 0 ? -x : x;
        t = -y;
        most = az;
    }
    where[0] = most > 0 ? (s / most + 1) / 2 : 0.5f;
    where[1] = most > 0 ? (t / most + 1) / 2 : 0.5f;
    where[2] = 0;
    return face;
}

void emu_texture_sample_cube(const emu_texture *t, const uint8_t *bytes,
                             const emu_texture_place *place, uint32_t out[TEXTURE_CHANNELS]) {
    float where[TEXTURE_AXES];
    const uint32_t face = face_of(place->at, where);
    sample(t, bytes, where, face + 6 * place->layer < t->layers ? face + 6 * place->layer : face,
           out);
}

void emu_texture_gather(const emu_texture *t, const uint8_t *bytes, const emu_texture_place *place,
                        unsigned channel, uint32_t out[TEXTURE_CHANNELS]) {
    static const uint8_t column[] = {0, 1, 1, 0}, row[] = {1, 1, 0, 0};
    const axis_place x = place_on(t, 0, place->at[0], true), y = place_on(t, 1, place->at[1], true);
    for (unsigned i = 0; i < TEXTURE_CHANNELS; i++) {
        uint32_t texel[TEXTURE_CHANNELS];
        texel_at p = {.at = {x.first + column[i], y.first + row[i]}};
        for (unsigned a = 0; a < 2; a++)
            p.is_border |= !settle(t, a, &p.at[a]);
        read_texel(t, bytes, &p, texel);
        out[i] = texel[channel];
    }
}

bool emu_surface_place(const emu_texture *t, const int32_t at[TEXTURE_AXES], uint32_t width_bytes,
                       emu_surface_mode mode, uint64_t *offset) {
    const int64_t sizes[] = {(int64_t)t->size[0] * texel_bytes(t), t->size[1],
                             t->layers > 0 ? t->layers : t->size[2]};
    int64_t place[TEXTURE_AXES];
    for (unsigned a = 0; a < TEXTURE_AXES; a++) {
        const int64_t last = sizes[a] - (a == 0 ? (int64_t)width_bytes : 1);
        place[a] = at[a];
        const bool is_layer = a == 2 && t->layers > 0; /* an unsigned number */
        if (mode == SURFACE_CLAMP && (place[a] > last || (is_layer && place[a] < 0)))
            place[a] = last;
        if (mode == SURFACE_CLAMP && place[a] < 0)
            place[a] = 0;
        if (place[a] < 0 || place[a] > last)
            return false;
    }
    *offset = (uint64_t)place[0] + (uint64_t)place[1] * t->pitch_bytes +
              (uint64_t)place[2] * t->layer_bytes;
    return true;
}
