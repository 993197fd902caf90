/* SPDX-License-Identifier: MIT */
/*
 * tensor_cases.h: tensors, boxes and places, by number, the same on the GPU (record_tensor.c) and
 * in the test (test_tensor.c). Some are refused by the driver, some by the GPU: that is recorded.
 */
#pragma once

#include <stdint.h>
#include <string.h>

enum {
    TENSOR_BYTES = 65536,
    TENSOR_CASES = 150,
    TENSOR_WORDS = 4096, /* of `out` */
    TENSOR_ENCODED = 300,
    TENSOR_BEYOND = 32 /* words behind the box that are recorded, too */
};
#define TENSOR_ENCODED_ADDRESS 0x7f1234567000ull

/* In the order and with the types of cuTensorMapEncodeTiled's arguments. */
typedef struct tensor_case {
    char kernel[16];
    uint32_t type, rank;
    uint64_t size[5], stride_bytes[4];
    uint32_t box[5], step[5], interleave, swizzle, promotion, fill;
    int32_t at[5];
    uint32_t words, held; /* of the box; with what a swizzle leaves between its rows */
} tensor_case;

static inline uint32_t tensor_random(uint64_t *state, uint32_t below) {
    uint64_t x = *state += 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return (uint32_t)((x ^ x >> 31) >> 16) % below;
}

static inline uint32_t tensor_element(uint32_t type) {
    static const uint8_t bytes[] = {1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4, 4};
    return bytes[type];
}

/* The tensor's bytes before the kernel: for loads with denormals, infinities and NaNs. */
static inline void tensor_fill(const tensor_case *c, uint8_t *bytes) {
    static const uint32_t special[] = {0x00000001, 0x807fffff, 0x7f800000, 0x7fc00001,
                                       0x3f800fff, 0x3f801000, 0x3f803000, 0x7f7fffff};
    for (uint32_t i = 0; i < TENSOR_BYTES; i++)
        bytes[i] = (uint8_t)(i * 7 + (i >> 8) * 31 + 1) & 0xbf;
    for (uint32_t i = 0; i < TENSOR_BYTES / 4 && c->kernel[0] == 'l'; i += 5)
        memcpy(bytes + 4 * i, &special[i % 8], 4);
}

static inline uint32_t tensor_out_words(const tensor_case *c) {
    return c->kernel[0] == 'l' ? c->held + TENSOR_BEYOND : 1;
}

static inline uint64_t tensor_hash(const uint8_t *bytes) {
    uint64_t hash = 0xcbf29ce484222325u;
    for (uint32_t i = 0; i < TENSOR_BYTES; i++)
        hash = (hash ^ bytes[i]) * 0x100000001b3u;
    return hash;
}

static inline void tensor_shape(uint64_t *state, tensor_case *c, uint32_t most_bytes) {
    static const uint32_t inner[] = {16, 32, 64, 128};
    uint32_t element = tensor_element(c->type), rows;
    do { /* a box that is small enough */
        uint32_t most = c->swizzle ? c->swizzle : 3;
        c->box[0] = inner[tensor_random(state, most + 1)] / element;
        rows = 1;
        for (uint32_t i = 1; i < c->rank; i++)
            rows *= c->box[i] = 1 + tensor_random(state, c->rank > 3 ? 4 : 9);
    } while (rows * 128 > most_bytes);
    for (uint32_t i = 0; i < c->rank; i++)
        c->step[i] = 1;
    c->size[0] = c->box[0] + tensor_random(state, 2 * c->box[0]) + 1;
    uint64_t stride = (c->size[0] * element + 15) / 16 * 16 + 16 * tensor_random(state, 3);
    for (uint32_t i = 1; i < c->rank; i++) {
        c->stride_bytes[i - 1] = stride;
        c->size[i] = c->box[i] / 2 + 1 + tensor_random(state, c->rank > 3 ? 3 : 6);
        stride *= c->size[i];
    }
}

static inline void tensor_reduction(uint32_t number, tensor_case *c) {
    static const char *const names[] = {"add", "min", "max", "inc", "dec", "and", "or", "xor"};
    static const uint8_t of_add[] = {2, 3, 4, 6, 7, 8, 9, 10}, of_extremes[] = {2, 3, 4, 5, 6, 9};
    static const uint8_t of_bits[] = {2, 4};
    uint32_t op = number % 8, round = number / 8;
    c->rank = 2;
    c->type = op == 0  ? of_add[round % 8]
              : op < 3 ? of_extremes[round % 6]
              : op > 4 ? of_bits[round % 2]
                       : 2;
    strcpy(c->kernel, "reduce2_");
    strcat(c->kernel, names[op]);
}

static inline void tensor_make(uint32_t number, tensor_case *c) {
    uint64_t state = 5000 + number;
    memset(c, 0, sizeof *c);
    c->rank = 1 + number % 5;
    c->type = tensor_random(&state, 13);
    strcpy(c->kernel, number % 4 == 3 ? "store1" : "load1");
    c->kernel[strlen(c->kernel) - 1] = (char)('0' + c->rank);
    if (number >= 90 && number < 90 + 48)
        tensor_reduction(number - 90, c);
    c->swizzle = tensor_random(&state, 4);
    c->promotion = tensor_random(&state, 4);
    c->fill = c->type >= 6 && tensor_random(&state, 2);
    tensor_shape(&state, c, 8192);
    for (uint32_t i = 0; i < c->rank; i++)
        if (tensor_random(&state, 3) == 0)
            c->at[i] = (int32_t)tensor_random(&state, (uint32_t)c->size[i] + 2) - 2;
    int32_t of_chunk = (int32_t)(16 / tensor_element(c->type));
    if (number % 25 != 24) /* these begin at any element */
        c->at[0] = c->at[0] / of_chunk * of_chunk;
    uint32_t element = tensor_element(c->type), row = c->box[0] * element, rows = 1;
    uint32_t pitch = c->swizzle && row < 16u << c->swizzle ? 16u << c->swizzle : row;
    if (number % 6 == 5) /* every step-th element: the box is what it spans */
        c->step[tensor_random(&state, c->rank)] = 1 + tensor_random(&state, 4);
    for (uint32_t i = 1; i < c->rank; i++)
        rows *= (c->box[i] + c->step[i] - 1) / c->step[i];
    c->words = row * rows / 4;
    c->held = pitch * rows / 4;
}

/* Larger shapes, to be encoded only. */
static inline void tensor_make_encoded(uint32_t number, tensor_case *c) {
    uint64_t state = 77000 + number;
    tensor_make(number % TENSOR_CASES, c);
    if (c->rank >= 3 && number % 4 == 0) {
        c->interleave = 1 + tensor_random(&state, 2);
        c->swizzle = c->interleave - 1;
        c->box[0] = 32 / tensor_element(c->type);
    }
    for (uint32_t i = 0; i < c->rank; i++) {
        uint32_t bits = tensor_random(&state, 31);
        if (number % 7 == i)
            c->size[i] = 1 + tensor_random(&state, 1u << bits);
        if (i > 0)
            c->stride_bytes[i - 1] = (c->stride_bytes[i - 1] + 31) / 32 * 32;
        if (i > 0 && number % 5 == i % 5)
            c->stride_bytes[i - 1] =
                32ull * (1 + tensor_random(&state, 1u << bits)) * (number % 2 ? 1 : 37);
        if (number % 11 == i)
            c->step[i] = 1 + tensor_random(&state, 8);
        if (i > 0 && number % 3 == i % 3)
            c->box[i] = 1 + tensor_random(&state, 64);
    }
}
