/* SPDX-License-Identifier: MIT */
/* Fat binaries. Every size and offset is checked against the available bytes before it is used. */
#include "fat_binary.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "cubin.h"
#include "list.h"

/* A container: magic, version (2 bytes), size of this header (2), size of its entries (8). An
 * entry: kind (2), version (2), size of its header (4), size after it (8), packed size of the code
 * (4), at 28 the architecture (4), at 40 flags (8), at 56 the unpacked size (8). */
enum { CONTAINER_BYTES = 16, ENTRY_BYTES = 64, CONTAINERS_ALIGN = 8 };
enum { PACKED_LZ4 = 0x2000, PACKED_ZSTD = 0x8000 }; /* flags */
enum { UNPACKED_MAX = 1 << 30 };
enum { ARCHIVE_HEADER = 8, MEMBER_HEADER = 60, MEMBER_SIZE_AT = 48, MEMBER_SIZE_DIGITS = 10 };

static const uint8_t container_magic[4] = {0x50, 0xed, 0x55, 0xba};
static const uint8_t elf_magic[4] = {0x7f, 'E', 'L', 'F'};

static bool begins(const void *bytes, size_t size, const void *magic, size_t length) {
    return size >= length && memcmp(bytes, magic, length) == 0;
}

static bool is_archive(const void *bytes, size_t size) {
    return begins(bytes, size, "!<arch>\n", ARCHIVE_HEADER);
}

bool smp_fat_known(const void *bytes, size_t size) {
    return begins(bytes, size, container_magic, sizeof(container_magic)) ||
           begins(bytes, size, elf_magic, sizeof(elf_magic)) || is_archive(bytes, size);
}

size_t smp_fat_size(const void *container) {
    const uint8_t *bytes = container;
    return memcmp(bytes, container_magic, sizeof(container_magic)) == 0
               ? cubin_number(bytes + 6, 2) + cubin_number(bytes + 8, 8)
               : 0;
}

/* ---- Containers ---- */

static smp_status damaged(smp_error *error, const char *what) {
    return smp_error_set(error, SMP_E_READ, -1, "damaged fat binary: %s", what);
}

static smp_status add_entry(smp_fat_list *out, const uint8_t *at, size_t header, size_t behind,
                            smp_error *error) {
    if (!LIST_ROOM(out->codes, out->count))
        return smp_error_memory(error);
    smp_fat_code *code = &out->codes[out->count];
    code->kind = (uint32_t)cubin_number(at, 2);
    code->cc = (uint32_t)cubin_number(at + 28, 4);
    code->flags = (uint32_t)cubin_number(at + 40, 4);
    code->stored = at + header;
    code->stored_bytes = code->bytes = behind;
    if (cubin_number(at + 56, 8) > 0) {
        code->bytes = cubin_number(at + 56, 8);
        code->stored_bytes = cubin_number(at + 16, 4);
    }
    if (code->stored_bytes > behind)
        return damaged(error, "packed code is longer than its entry");
    out->count++;
    return SMP_OK;
}

static smp_status read_entries(const uint8_t *at, size_t size, smp_fat_list *out,
                               smp_error *error) {
    smp_status status = SMP_OK;
    while (size > 0 && status == SMP_OK) {
        if (size < ENTRY_BYTES)
            return damaged(error, "an entry is cut short");
        const uint64_t header = cubin_number(at + 4, 4), behind = cubin_number(at + 8, 8);
        if (header < ENTRY_BYTES || header > size || behind > size - header)
            return damaged(error, "an entry is longer than its container");
        status = add_entry(out, at, header, behind, error);
        at += header + behind;
        size -= header + behind;
    }
    return status;
}

/* Containers are separated by zeros up to a multiple of CONTAINERS_ALIGN. */
static smp_status read_containers(const uint8_t *bytes, size_t size, smp_fat_list *out,
                                  smp_error *error) {
    smp_status status = SMP_OK;
    size_t at = 0;
    while (at < size && status == SMP_OK) {
        const uint8_t *header = bytes + at;
        const size_t left = size - at;
        if (*header == 0) {
            at += left < CONTAINERS_ALIGN ? left : CONTAINERS_ALIGN;
            continue;
        }
        if (left < CONTAINER_BYTES || smp_fat_size(header) == 0)
            return damaged(error, "a container does not begin as one");
        const uint64_t skip = cubin_number(header + 6, 2), entries = cubin_number(header + 8, 8);
        if (skip < CONTAINER_BYTES || skip > left || entries > left - skip)
            return damaged(error, "a container is longer than its section");
        status = read_entries(header + skip, entries, out, error);
        at += skip + entries;
    }
    return status;
}

/* ---- Files that hold them ---- */

/* Relocatable objects keep device code in a section of its own; the linked result is in .nv_fatbin
 * of the program, which also keeps the section of its objects. */
static bool is_of_code(const cubin_section *section, bool is_object) {
    return section->bytes && (strcmp(section->name, ".nv_fatbin") == 0 ||
                              (is_object && strcmp(section->name, "__nv_relfatbin") == 0));
}

static smp_status read_elf(const uint8_t *bytes, size_t size, smp_fat_list *out, smp_error *error) {
    smp_code *elf = calloc(1, sizeof(*elf));
    if (!elf)
        return smp_error_memory(error);
    elf->bytes = bytes;
    elf->size = size;
    smp_status status = smp_elf_sections(elf, error);
    if (status == SMP_E_READ)
        smp_error_set(error, status, -1, "damaged ELF file");
    for (uint32_t i = 0; i < elf->section_count && status == SMP_OK; i++)
        if (is_of_code(&elf->sections[i], cubin_number(bytes + 16, 2) == 1))
            status =
                read_containers(elf->sections[i].bytes, elf->sections[i].size_bytes, out, error);
    smp_code_close(elf);
    return status;
}

/* Iterates over the members of a static library; false if a header is damaged. */
static bool next_member(const uint8_t *bytes, size_t size, size_t *at, size_t *length) {
    if (size - *at < MEMBER_HEADER)
        return false;
    const uint8_t *digits = bytes + *at + MEMBER_SIZE_AT;
    *length = 0;
    for (int i = 0; i < MEMBER_SIZE_DIGITS && digits[i] >= '0' && digits[i] <= '9'; i++)
        *length = *length * 10 + digits[i] - '0';
    *at += MEMBER_HEADER;
    return *length <= size - *at;
}

static smp_status read_archive(const uint8_t *bytes, size_t size, smp_fat_list *out,
                               smp_error *error) {
    smp_status status = SMP_OK;
    size_t length;
    for (size_t at = ARCHIVE_HEADER; at < size && status == SMP_OK; at += length + length % 2) {
        if (!next_member(bytes, size, &at, &length))
            return smp_error_set(error, SMP_E_READ, -1, "damaged static library");
        if (begins(bytes + at, length, elf_magic, sizeof(elf_magic)))
            status = read_elf(bytes + at, length, out, error);
    }
    return status;
}

smp_status smp_fat_read(const void *bytes, size_t size, smp_fat_list *out, smp_error *error) {
    *out = (smp_fat_list){NULL, 0};
    const smp_status status = is_archive(bytes, size) ? read_archive(bytes, size, out, error)
                              : begins(bytes, size, elf_magic, sizeof(elf_magic))
                                  ? read_elf(bytes, size, out, error)
                                  : read_containers(bytes, size, out, error);
    if (status != SMP_OK)
        smp_fat_free(out);
    return status;
}

void smp_fat_free(smp_fat_list *list) {
    free(list->codes);
    *list = (smp_fat_list){NULL, 0};
}

/* ---- Packed code ---- */

/* Adds the extra bytes of a length of 15, up to the first that is not 255. */
static bool add_length(const uint8_t **in, const uint8_t *end, size_t *length) {
    if (*length < 15)
        return true;
    for (uint8_t more = 255; more == 255; *length += more) {
        if (*in == end)
            return false;
        more = *(*in)++;
    }
    return true;
}

/* LZ4's block format: literals and a copy of earlier bytes, `back` bytes before, in alternation;
 * the last literals end the block. */
static bool unpack_lz4(const uint8_t *in, size_t in_bytes, uint8_t *out, size_t out_bytes) {
    const uint8_t *const in_end = in + in_bytes, *const begin = out, *const end = out + out_bytes;
    while (in < in_end) {
        const uint8_t token = *in++;
        size_t literals = token >> 4, copied = token & 15;
        if (!add_length(&in, in_end, &literals) || literals > (size_t)(in_end - in) ||
            literals > (size_t)(end - out))
            return false;
        memcpy(out, in, literals);
        in += literals;
        out += literals;
        if (in == in_end)
            break;
        if (in_end - in < 2)
            return false;
        const size_t back = cubin_number(in, 2);
        in += 2;
        if (!add_length(&in, in_end, &copied) || back == 0 || back > (size_t)(out - begin) ||
            copied + 4 > (size_t)(end - out))
            return false;
        for (copied += 4; copied > 0; copied--, out++)
            *out = *(out - back);
    }
    return out == end;
}

static bool unpack(const smp_fat_code *code, char *out) {
    if (code->flags & PACKED_ZSTD)
        return ZSTD_decompress(out, code->bytes, code->stored, code->stored_bytes) == code->bytes;
    if (code->flags & PACKED_LZ4)
        return unpack_lz4(code->stored, code->stored_bytes, (uint8_t *)out, code->bytes);
    memcpy(out, code->stored, code->bytes);
    return true;
}

smp_status smp_fat_unpack(const smp_fat_code *code, char **out, smp_error *error) {
    *out = NULL;
    if (code->bytes != code->stored_bytes && !(code->flags & (PACKED_LZ4 | PACKED_ZSTD)))
        return smp_error_set(error, SMP_E_READ, -1,
                             "a fat binary is packed by neither LZ4 nor zstd (flags 0x%" PRIx32
                             "); compile it with nvcc --no-compress",
                             code->flags);
    if (code->bytes > UNPACKED_MAX)
        return damaged(error, "code of over 1 GiB");
    *out = malloc(code->bytes + 1);
    if (!*out)
        return smp_error_memory(error);
    (*out)[code->bytes] = '\0';
    if (unpack(code, *out))
        return SMP_OK;
    free(*out);
    *out = NULL;
    return damaged(error, "packed code cannot be unpacked");
}

smp_status smp_fat_open(const smp_fat_code *code, smp_code **out, smp_error *error) {
    char *bytes;
    *out = NULL;
    const smp_status status = smp_fat_unpack(code, &bytes, error);
    return status == SMP_OK ? smp_code_open_owned(bytes, code->bytes, out, error) : status;
}
