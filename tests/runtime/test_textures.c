/* SPDX-License-Identifier: MIT */
/*
 * Texture reads, surface reads and surface stores on the driver that stands in for a GPU, by code
 * for 9.0 and for 12.0, compared with the results of an H200 (tests/data/sass/texture.bin, from
 * record_texture.c, which runs here again). Usage: test_textures RECORDER RUNTIME; 77 without
 * nvdisasm.
 */
#define _XOPEN_SOURCE 700 /* setenv */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data/sass/texture_cases.h"
#include "tool.h"

typedef struct record {
    char *bytes;
    size_t size, at;
} record;

static const char *take(record *r, size_t bytes) {
    const char *here = r->bytes + r->at;
    if (bytes > r->size - r->at) {
        puts("a record ends early");
        exit(1);
    }
    r->at += bytes;
    return here;
}

static uint32_t take_word(record *r) {
    uint32_t word;
    memcpy(&word, take(r, 4), 4);
    return word;
}

/* How far a filtered number may be off, where the weights were not found out wholly: 2/256 of the
 * largest texel. */
static float tolerance(const texture_case *c) {
    const int is_space = strchr(c->kernel, '3') && c->kernel[0] != 'g' && !c->is_surface;
    if (!c->filter || c->is_surface)
        return 0;
    if (is_space)
        return c->format == 32 ? 4 : c->format == 16 ? 2.0f / 256 * 2 : 2.5f / 256;
    return c->format == 8 ? 2.5f / 256 : 0;
}

/* Two threads whose layers are one, the last, store other words there: the GPU's order. */
static int races(const texture_case *c, uint32_t number) {
    return (number == 335 || number == 359) && strcmp(c->kernel, "writel_16_clamp") == 0;
}

static unsigned differing(const texture_case *c, const char *gpu, const char *here,
                          uint32_t bytes) {
    const float allowed = tolerance(c);
    unsigned count = 0;
    for (uint32_t i = 0; i + 4 <= bytes && allowed > 0; i += 4) {
        float a, b;
        memcpy(&a, gpu + i, 4);
        memcpy(&b, here + i, 4);
        count += !(fabsf(a - b) <= allowed);
    }
    return allowed > 0 ? count : memcmp(gpu, here, bytes) != 0;
}

static int compare(record *gpu, record *here) {
    unsigned exact = 0, near_by = 0, wrong = 0;
    for (uint32_t i = 0; i < TEXTURE_CASES; i++) {
        texture_case c;
        texture_make(i, &c);
        const uint32_t answer = take_word(gpu), own = take_word(here);
        const uint32_t bytes = answer == 0 ? texture_record_bytes(&c, TEXTURE_PLACES) : 0;
        const uint32_t own_bytes = own == 0 ? texture_record_bytes(&c, TEXTURE_PLACES) : 0;
        const char *a = take(gpu, bytes), *b = take(here, own_bytes);
        const unsigned differ = answer != own || differing(&c, a, b, bytes);
        if (differ && !races(&c, i)) {
            printf("case %u, %s of format %u: answers %u and %u, the GPU has other words\n", i,
                   c.kernel, c.format, answer, own);
            wrong++;
        } else if (answer == 0 && memcmp(a, b, bytes) == 0) {
            exact++;
        } else {
            near_by++;
        }
    }
    printf("%u cases are the GPU's, %u nearly, %u are not\n", exact, near_by, wrong);
    return wrong > 0 || exact < 390;
}

static int read_record(const char *path, record *out) {
    memset(out, 0, sizeof *out);
    return smp_tool_read(path, &out->bytes, &out->size, NULL) == SMP_OK;
}

static int run(const char *recorder, const char *cubin, const record *gpu) {
    char command[3 * 4096 + 64];
    record here, recorded = *gpu;
    (void)snprintf(command, sizeof command, "%s %s/sass/%s >texture.here", recorder, SMP_DATA,
                   cubin);
    if (system(command) != 0 || !read_record("texture.here", &here))
        return 1;
    printf("%s: ", cubin);
    const int status = compare(&recorded, &here);
    free(here.bytes);
    (void)remove("texture.here");
    return status;
}

int main(int argc, char **argv) {
    char tool[4096];
    record gpu;
    smp_error error;
    if (argc != 3)
        return 2;
    if (smp_tool_find("nvdisasm", tool, sizeof tool, &error) != SMP_OK) {
        puts("skipped: no nvdisasm");
        return 77;
    }
    (void)setenv("LD_LIBRARY_PATH", argv[2], 1);
    if (!read_record(SMP_DATA "/sass/texture.bin", &gpu))
        return 1;
    const int status =
        run(argv[1], "texture.cubin", &gpu) | run(argv[1], "texture.120.cubin", &gpu);
    free(gpu.bytes);
    return status;
}
