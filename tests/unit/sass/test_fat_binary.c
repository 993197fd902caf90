/* SPDX-License-Identifier: MIT */
/*
 * One kernel in fat binaries of nvcc 13.0, packed in each way, alone and in a
 * static library: all contain the same code. Then each with damaged bytes: an error, or code inside
 * the file. They were made by `nvcc --compress-mode=none|speed|size -fatbin` for sm_80 and sm_90.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fat_binary.h"
#include "suite.h"
#include "tool.h"

enum { CODES_EACH = 3, DAMAGES = 4000 };

static const char *const files[] = {"none.fatbin", "lz4.fatbin", "zstd.fatbin", "library.a"};
static const unsigned repeats[] = {1, 1, 1, 2};
static char *bytes[4];
static size_t sizes[4];

static void load(void) {
    for (size_t i = 0; i < 4; i++) {
        char path[4096];
        smp_error error;
        (void)snprintf(path, sizeof path, SMP_FAT "/%s", files[i]);
        ck_assert_msg(smp_tool_read(path, &bytes[i], &sizes[i], &error) == SMP_OK, "%s",
                      error.message);
    }
}

static void unload(void) {
    for (size_t i = 0; i < 4; i++)
        free(bytes[i]);
}

/* Uncompressed PTX has more NULs at its end. */
static void check_same(const smp_fat_code *row, const smp_fat_code *plain, const char *file) {
    char *got, *wanted;
    smp_error error;
    ck_assert_uint_eq(row->kind, plain->kind);
    ck_assert_uint_eq(row->cc, plain->cc);
    ck_assert_msg(smp_fat_unpack(row, &got, &error) == SMP_OK, "%s: %s", file, error.message);
    ck_assert_int_eq(smp_fat_unpack(plain, &wanted, &error), SMP_OK);
    if (row->kind == SMP_FAT_PTX) {
        ck_assert_str_eq(got, wanted);
    } else {
        ck_assert_uint_eq(row->bytes, plain->bytes);
        ck_assert_msg(memcmp(got, wanted, row->bytes) == 0, "%s", file);
    }
    free(got);
    free(wanted);
}

START_TEST(same_code) {
    smp_fat_list plain, list;
    smp_error error;
    ck_assert_int_eq(smp_fat_read(bytes[0], sizes[0], &plain, &error), SMP_OK);
    ck_assert_uint_eq(plain.count, CODES_EACH);
    ck_assert_msg(smp_fat_read(bytes[_i], sizes[_i], &list, &error) == SMP_OK, "%s: %s", files[_i],
                  error.message);
    ck_assert_uint_eq(list.count, (size_t)CODES_EACH * repeats[_i]);
    for (size_t i = 0; i < list.count; i++)
        check_same(&list.codes[i], &plain.codes[i % CODES_EACH], files[_i]);
    smp_fat_free(&list);
    smp_fat_free(&plain);
}
END_TEST

START_TEST(opened) {
    static const uint32_t ccs[] = {80, 90};
    smp_fat_list list;
    smp_code *code;
    smp_error error;
    ck_assert_int_eq(smp_fat_read(bytes[_i], sizes[_i], &list, &error), SMP_OK);
    for (size_t i = 0; i < 2; i++) {
        ck_assert_int_eq(smp_fat_open(&list.codes[i], &code, &error), SMP_OK);
        ck_assert_uint_eq(smp_code_cc(code), ccs[i]);
        ck_assert_ptr_nonnull(smp_code_find(code, "k"));
        smp_code_close(code);
    }
    ck_assert_int_eq(smp_fat_open(&list.codes[2], &code, &error), SMP_E_READ); /* PTX */
    smp_fat_free(&list);
}
END_TEST

static void unpack_all(const smp_fat_list *list, const char *begin, size_t size) {
    for (size_t i = 0; i < list->count; i++) {
        char *code;
        const uint8_t *stored = list->codes[i].stored;
        ck_assert(stored >= (const uint8_t *)begin &&
                  list->codes[i].stored_bytes <= (size_t)((const uint8_t *)begin + size - stored));
        if (smp_fat_unpack(&list->codes[i], &code, NULL) == SMP_OK)
            free(code);
    }
}

/* Damages headers more often than code, because they decide what is read where. */
START_TEST(damaged) {
    char *copy = malloc(sizes[_i]);
    uint32_t random = 12345;
    ck_assert_ptr_nonnull(copy);
    for (unsigned i = 0; i < DAMAGES; i++) {
        smp_fat_list list;
        memcpy(copy, bytes[_i], sizes[_i]);
        for (unsigned j = 0; j <= i % 3; j++) {
            random = random * 1664525 + 1013904223;
            const size_t limit = j == 0 && sizes[_i] > 160 ? 160 : sizes[_i];
            copy[random / 256 % limit] = (char)(random >> 24);
        }
        const size_t size = i % 5 == 0 ? random % sizes[_i] : sizes[_i];
        if (smp_fat_read(copy, size, &list, NULL) == SMP_OK)
            unpack_all(&list, copy, size);
        smp_fat_free(&list);
    }
    free(copy);
}
END_TEST

static const struct {
    const char *name, *bytes, *message;
    size_t size;
} wrong[] = {
    {"a short header", "\x50\xed\x55\xba\1\0\x10\0", "a container does not begin as one", 8},
    {"more than there is", "\x50\xed\x55\xba\1\0\x10\0\xff\0\0\0\0\0\0\0\0",
     "a container is longer than its section", 17},
    {"no magic", "abcdefghijklmnopqrstuvwxyz", "a container does not begin as one", 26},
    {"half an entry", "\x50\xed\x55\xba\1\0\x10\0\4\0\0\0\0\0\0\0\2\0\1\1", "an entry is cut short",
     20},
    {"an ELF file", "\177ELF\2\1", "damaged ELF file", 6},
    {"a library", "!<arch>\nmember", "damaged static library", 14},
};

START_TEST(refused) {
    smp_fat_list list;
    smp_error error;
    ck_assert_int_eq(smp_fat_read(wrong[_i].bytes, wrong[_i].size, &list, &error), SMP_E_READ);
    ck_assert_msg(strstr(error.message, wrong[_i].message), "%s: %s", wrong[_i].name,
                  error.message);
    ck_assert_ptr_null(list.codes);
}
END_TEST

int main(void) {
    return SUITE_IN(load, unload, "fat binaries", TEST_EACH(same_code, 4), TEST_EACH(opened, 4),
                    TEST_EACH(damaged, 4), TEST_EACH(refused, COUNT_OF(wrong)));
}
