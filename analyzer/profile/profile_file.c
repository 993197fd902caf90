/* SPDX-License-Identifier: MIT */
/* Reads and writes profile files block by block. */
#define _POSIX_C_SOURCE 200809L
#include "profile_file.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zstd.h>

#include "profile_json.h"

enum {
    MAGIC_HEADER = 0x184d2a50,
    MAGIC_BLOCK = 0x184d2a51,
    FRAME_BYTES = 8,
    HEADER_BYTES = FRAME_BYTES + 8,
    BLOCK_BYTES = FRAME_BYTES + 8,
    LEVEL = 6,
    VERSION_BEFORE = 1, /* without findings */
    THREADS_MAX = 8,
};

static const char signature[7] = "smprof";

static void put_u32(unsigned char *at, uint32_t value) {
    for (unsigned i = 0; i < 4; i++)
        at[i] = (unsigned char)(value >> 8 * i);
}

static uint32_t get_u32(const unsigned char *at) {
    return at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

/* ---- Writing ---- */

/* A block's text, compressed. */
typedef struct packed_block {
    void *bytes; /* NULL: out of memory */
    size_t size, length;
} packed_block;

/* Kernels take longest and are independent: threads pack them, one at a time. */
typedef struct packing {
    const smp_profile *profile;
    packed_block *blocks; /* number of kernels */
    atomic_uint next;
} packing;

static ZSTD_CCtx *make_context(void) {
    ZSTD_CCtx *zstd = ZSTD_createCCtx();
    if (zstd) {
        (void)ZSTD_CCtx_setParameter(zstd, ZSTD_c_checksumFlag, 1);
        (void)ZSTD_CCtx_setParameter(zstd, ZSTD_c_compressionLevel, LEVEL);
    }
    return zstd;
}

static packed_block pack_text(ZSTD_CCtx *zstd, const char *text, size_t length) {
    const size_t room = ZSTD_compressBound(length);
    packed_block out = {.bytes = malloc(room), .length = length};
    if (out.bytes)
        out.size = ZSTD_compress2(zstd, out.bytes, room, text, length);
    return out;
}

/* Takes ownership of `content`. */
static packed_block pack(ZSTD_CCtx *zstd, const char *name, json_t *content) {
    json_t *line = json_object();
    char *text = NULL;
    if (zstd && content && line && json_object_set_new(line, name, content) == 0)
        text = json_dumps(line, JSON_COMPACT | JSON_ENSURE_ASCII);
    json_decref(line);
    if (!text)
        return (packed_block){0};
    const size_t length = strlen(text);
    text[length] = '\n'; /* replaces the terminator */
    const packed_block out = pack_text(zstd, text, length + 1);
    free(text);
    return out;
}

static void *pack_kernels(void *user) {
    packing *all = user;
    ZSTD_CCtx *zstd = make_context();
    for (;;) {
        const unsigned i = atomic_fetch_add(&all->next, 1);
        if (i >= all->profile->kernel_count)
            break;
        all->blocks[i] =
            pack(zstd, "kernel", smp_kernel_to_json(&all->profile->kernels[i], SMP_PROFILE_WHOLE));
    }
    (void)ZSTD_freeCCtx(zstd);
    return NULL;
}

static void pack_all_kernels(packing *all) {
    pthread_t threads[THREADS_MAX];
    const long processors = sysconf(_SC_NPROCESSORS_ONLN);
    unsigned started = 0;
    while (started + 1 < THREADS_MAX && started + 1 < processors &&
           started + 1 < all->profile->kernel_count &&
           pthread_create(&threads[started], NULL, pack_kernels, all) == 0)
        started++;
    (void)pack_kernels(all);
    for (unsigned i = 0; i < started; i++)
        (void)pthread_join(threads[i], NULL);
}

static smp_status put_block(FILE *out, const packed_block *block, smp_error *error) {
    unsigned char head[BLOCK_BYTES];
    if (!block->bytes)
        return smp_error_memory(error);
    bool ok = !ZSTD_isError(block->size) && block->length <= SMP_PROFILE_BLOCK_MAX;
    if (ok) {
        put_u32(head, MAGIC_BLOCK);
        put_u32(head + 4, BLOCK_BYTES - FRAME_BYTES);
        put_u32(head + 8, (uint32_t)block->size);
        put_u32(head + 12, (uint32_t)block->length);
        ok = fwrite(head, sizeof head, 1, out) == 1 &&
             fwrite(block->bytes, block->size, 1, out) == 1;
    }
    return ok ? SMP_OK : smp_error_set(error, SMP_E_WRITE, -1, "could not be written");
}

static smp_status write_block(FILE *out, ZSTD_CCtx *zstd, const char *name, json_t *content,
                              smp_error *error) {
    const packed_block block = pack(zstd, name, content);
    const smp_status status = put_block(out, &block, error);
    free(block.bytes);
    return status;
}

static smp_status write_kernels(FILE *out, const smp_profile *profile, smp_error *error) {
    packing all = {profile, calloc(profile->kernel_count + 1, sizeof(packed_block)), 0};
    if (!all.blocks)
        return smp_error_memory(error);
    pack_all_kernels(&all);
    smp_status status = SMP_OK;
    for (uint32_t i = 0; i < profile->kernel_count; i++) {
        if (status == SMP_OK)
            status = put_block(out, &all.blocks[i], error);
        free(all.blocks[i].bytes);
    }
    free(all.blocks);
    return status;
}

static smp_status write_blocks(FILE *out, ZSTD_CCtx *zstd, const smp_profile *profile,
                               smp_error *error) {
    const json_int_t blocks =
        (json_int_t)profile->run_count + profile->finding_count + profile->kernel_count;
    smp_status status = SMP_OK;
    for (uint32_t i = 0; status == SMP_OK && i < profile->run_count; i++)
        status = write_block(out, zstd, "run", smp_run_to_json(&profile->runs[i]), error);
    for (uint32_t i = 0; status == SMP_OK && i < profile->finding_count; i++)
        status =
            write_block(out, zstd, "finding", smp_finding_to_json(&profile->findings[i]), error);
    if (status == SMP_OK)
        status = write_kernels(out, profile, error);
    if (status == SMP_OK)
        status = write_block(out, zstd, "end", json_pack("{sI}", "blocks", blocks), error);
    return status;
}

smp_status smp_profile_write(FILE *out, const smp_profile *profile, smp_error *error) {
    unsigned char head[HEADER_BYTES] = {0};
    ZSTD_CCtx *zstd = make_context();
    if (!zstd)
        return smp_error_memory(error);
    put_u32(head, MAGIC_HEADER);
    put_u32(head + 4, HEADER_BYTES - FRAME_BYTES);
    memcpy(head + FRAME_BYTES, signature, sizeof signature);
    head[HEADER_BYTES - 1] = profile->finding_count > 0 ? SMP_PROFILE_VERSION : VERSION_BEFORE;
    smp_status status = fwrite(head, sizeof head, 1, out) == 1
                            ? write_blocks(out, zstd, profile, error)
                            : smp_error_set(error, SMP_E_WRITE, -1, "could not be written");
    (void)ZSTD_freeCCtx(zstd);
    return status;
}

/* ---- Reading ---- */

typedef enum block_end { BLOCK_READ, BLOCK_BAD, BLOCK_LAST, BLOCK_CUT, BLOCK_NO_MEMORY } block_end;

/* Kinds of lines: an element is appended to a list of the profile and read; if it is wrong, it is
 * cleared and removed again. */
#define ELEMENT(name, type, list_count)                                        \
    static block_end add_##name(smp_profile *out, const json_t *from) {        \
        smp_error error;                                                       \
        type *added = smp_profile_add_##name(out);                             \
        if (!added)                                                            \
            return BLOCK_NO_MEMORY;                                            \
        const smp_status status = smp_##name##_from_json(from, added, &error); \
        if (status == SMP_OK)                                                  \
            return BLOCK_READ;                                                 \
        smp_##name##_clear(added);                                             \
        out->list_count--;                                                     \
        return status == SMP_E_MEMORY ? BLOCK_NO_MEMORY : BLOCK_BAD;           \
    }

ELEMENT(run, smp_run, run_count)
ELEMENT(kernel, smp_kernel_profile, kernel_count)
ELEMENT(finding, smp_profile_finding, finding_count)

static block_end add_line(smp_profile *out, const char *text, size_t length) {
    static const struct {
        const char *name;
        block_end (*add)(smp_profile *out, const json_t *from);
    } elements[] = {{"run", add_run}, {"kernel", add_kernel}, {"finding", add_finding}};
    json_t *line = json_loadb(text, length, JSON_REJECT_DUPLICATES, NULL);
    block_end end = json_object_get(line, "end") ? BLOCK_LAST : BLOCK_BAD;
    for (size_t i = 0; i < sizeof elements / sizeof elements[0]; i++) {
        const json_t *from = json_object_get(line, elements[i].name);
        if (from) {
            end = elements[i].add(out, from);
            break;
        }
    }
    json_decref(line);
    return end;
}

/* Limits of a block's size by its packed bytes: repeated text packs well, but each JSON value takes
 * over a hundred bytes of memory. Any number of instructions that differ only by offset expand to
 * 560 bytes and 53 values per packed byte. */
enum {
    FREE_BYTES = 4 << 20,
    BYTES_A_BYTE = 1500,
    FREE_VALUES = 1 << 18,
    VALUES_A_BYTE = 128,
};

static bool is_bomb(const char *text, size_t size, size_t packed_size) {
    size_t values = 0;
    for (size_t i = 0; i < size; i++)
        values += text[i] == ',' || text[i] == '[' || text[i] == '{';
    return values > FREE_VALUES + VALUES_A_BYTE * packed_size;
}

static block_end unpack(smp_profile *out, const void *packed, size_t packed_size, size_t size) {
    if (size > FREE_BYTES + BYTES_A_BYTE * packed_size)
        return BLOCK_BAD;
    char *text = malloc(size + 1);
    if (!text)
        return BLOCK_NO_MEMORY;
    const size_t got = ZSTD_decompress(text, size, packed, packed_size);
    const bool is_sound = !ZSTD_isError(got) && got == size && !is_bomb(text, size, packed_size);
    block_end end = is_sound ? add_line(out, text, size) : BLOCK_BAD;
    free(text);
    return end;
}

static block_end read_block(FILE *in, smp_profile *out) {
    unsigned char head[BLOCK_BYTES];
    if (fread(head, sizeof head, 1, in) != 1 || get_u32(head) != MAGIC_BLOCK ||
        get_u32(head + 4) != BLOCK_BYTES - FRAME_BYTES)
        return BLOCK_CUT;
    const size_t packed_size = get_u32(head + 8), size = get_u32(head + 12);
    if (size > SMP_PROFILE_BLOCK_MAX || packed_size > ZSTD_compressBound(SMP_PROFILE_BLOCK_MAX))
        return BLOCK_CUT;
    void *packed = malloc(packed_size + 1);
    if (!packed)
        return BLOCK_NO_MEMORY;
    block_end end = fread(packed, 1, packed_size, in) == packed_size
                        ? unpack(out, packed, packed_size, size)
                        : BLOCK_CUT;
    free(packed);
    return end;
}

static smp_status read_header(FILE *in, smp_error *error) {
    unsigned char head[HEADER_BYTES];
    if (fread(head, sizeof head, 1, in) != 1 || get_u32(head) != MAGIC_HEADER ||
        get_u32(head + 4) != HEADER_BYTES - FRAME_BYTES ||
        memcmp(head + FRAME_BYTES, signature, sizeof signature) != 0)
        return smp_error_set(error, SMP_E_SYNTAX, -1, "not a profile of smemprobe");
    if (head[HEADER_BYTES - 1] != SMP_PROFILE_VERSION && head[HEADER_BYTES - 1] != VERSION_BEFORE)
        return smp_error_set(error, SMP_E_SYNTAX, -1,
                             "is a profile of version %u; this smemprobe reads versions up to %u",
                             head[HEADER_BYTES - 1], SMP_PROFILE_VERSION);
    return SMP_OK;
}

smp_status smp_profile_read(FILE *in, smp_profile *out, smp_profile_loss *loss, smp_error *error) {
    *loss = (smp_profile_loss){0};
    smp_status status = read_header(in, error);
    while (status == SMP_OK) {
        const block_end end = read_block(in, out);
        loss->blocks += end == BLOCK_BAD;
        loss->cut = end == BLOCK_CUT;
        if (end == BLOCK_NO_MEMORY)
            return smp_error_memory(error);
        if (end == BLOCK_LAST || end == BLOCK_CUT)
            break;
    }
    return status;
}
