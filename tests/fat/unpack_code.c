/* SPDX-License-Identifier: MIT */
/*
 * `unpack_code FILE FOLDER` writes the machine code and the PTX for GPUs inside FILE into FOLDER,
 * in the order of the file: 1.sm_90.cubin, 2.sm_90.ptx. Exit status 1: FILE is damaged or a file
 * cannot be written.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fat_binary.h"
#include "tool.h"

static int fail(const char *path, const char *what) {
    (void)fprintf(stderr, "unpack_code: %s: %s\n", path, what);
    return 1;
}

static int write_code(const char *folder, size_t place, const smp_fat_code *code) {
    char path[4096], *bytes;
    smp_error error;
    if (code->kind != SMP_FAT_PTX && code->kind != SMP_FAT_CUBIN)
        return 0;
    if (smp_fat_unpack(code, &bytes, &error) != SMP_OK)
        return fail(folder, error.message);
    (void)snprintf(path, sizeof path, "%s/%zu.sm_%" PRIu32 ".%s", folder, place + 1, code->cc,
                   code->kind == SMP_FAT_PTX ? "ptx" : "cubin");
    const size_t size = code->kind == SMP_FAT_PTX ? strlen(bytes) : code->bytes;
    FILE *file = fopen(path, "wb");
    const bool is_written = file && fwrite(bytes, 1, size, file) == size;
    free(bytes);
    return file && fclose(file) == 0 && is_written ? 0 : fail(path, "cannot be written");
}

int main(int argc, char **argv) {
    char *bytes;
    size_t size;
    smp_error error;
    smp_fat_list list;
    if (argc != 3)
        return fail("usage", "unpack_code FILE FOLDER");
    if (smp_tool_read(argv[1], &bytes, &size, &error) != SMP_OK ||
        smp_fat_read(bytes, size, &list, &error) != SMP_OK)
        return fail(argv[1], error.message);
    int failed = 0;
    for (size_t i = 0; i < list.count && !failed; i++)
        failed = write_code(argv[2], i, &list.codes[i]);
    smp_fat_free(&list);
    free(bytes);
    return failed;
}
