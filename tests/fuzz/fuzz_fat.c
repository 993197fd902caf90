/* SPDX-License-Identifier: MIT */
/*
 * Any bytes as fat binaries, as a program that holds them or as a static library. What is accepted
 * is unpacked and read to its end.
 */
#include <stdlib.h>

#include "fat_binary.h"
#include "fuzz.h"

static volatile size_t sink;

/* Packed code says how long it is; megabytes of it only take time here. */
enum { WORTH_UNPACKING = 1 << 20 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    smp_fat_list list;
    sink += smp_fat_known(data, size);
    if (smp_fat_read(data, size, &list, NULL) != SMP_OK)
        return 0;
    for (size_t i = 0; i < list.count; i++) {
        char *code;
        if (list.codes[i].bytes > WORTH_UNPACKING ||
            smp_fat_unpack(&list.codes[i], &code, NULL) != SMP_OK)
            continue;
        for (size_t j = 0; j <= list.codes[i].bytes; j++)
            sink += (unsigned char)code[j];
        free(code);
    }
    smp_fat_free(&list);
    return 0;
}
