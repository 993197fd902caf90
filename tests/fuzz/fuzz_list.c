/* SPDX-License-Identifier: MIT */
/* Any bytes as the candidates of `judge -`. All that is accepted must be readable to its end. */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "judged.h"
#include "write_judged.h"

static volatile size_t sink;

static void read_one(const judged_candidate *of) {
    sink += strlen(of->path) + (of->launch ? strlen(of->launch) : 0);
    for (uint32_t i = 0; i < of->flag_count; i++)
        sink += strlen(of->flags[i]);
    sink += strlen(smp_judged_name(of));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    judged_list list = {0};
    smp_error error;
    FILE *in = size > 0 ? fmemopen((void *)(uintptr_t)data, size, "r") : NULL;
    if (in && judged_list_read(in, &list, &error) == SMP_OK) {
        for (size_t i = 0; i < list.count; i++)
            read_one(&list.candidates[i]);
        if (list.reference.path)
            read_one(&list.reference);
    }
    judged_list_clear(&list);
    if (in)
        (void)fclose(in);
    return 0;
}
