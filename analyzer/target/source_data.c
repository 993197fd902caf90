/* SPDX-License-Identifier: MIT */
/* Writes the arrays in NumPy's format (NEP 1, version 1). */
#include "source_layout.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "launch_text.h"
#include "random_form.h"
#include "smp_accesses.h"
#include "tool.h"

enum { MAGIC_BYTES = 10, HEAD_BYTES = 128 };

static smp_status write_file(int64_t last, char *path, size_t size, smp_error *error) {
    const size_t length = HEAD_BYTES + 2 * (size_t)SMP_LAUNCH_FILLED;
    char *bytes = malloc(length);
    if (!bytes)
        return smp_error_memory(error);
    memcpy(bytes, "\x93NUMPY\x01\0v\0", MAGIC_BYTES); /* 'v': 118 bytes follow */
    memset(bytes + MAGIC_BYTES, ' ', HEAD_BYTES - MAGIC_BYTES);
    const int used =
        snprintf(bytes + MAGIC_BYTES, HEAD_BYTES - MAGIC_BYTES,
                 "{'descr': '<u2', 'fortran_order': False, 'shape': (%d,)}", SMP_LAUNCH_FILLED);
    bytes[MAGIC_BYTES + used] = ' ';
    bytes[HEAD_BYTES - 1] = '\n';
    smp_random random = {SMP_RANDOM_SEED};
    for (uint64_t i = 0; i < SMP_LAUNCH_FILLED; i++) {
        const int64_t value = smp_random_between(smp_random_next(&random), 0, last);
        bytes[HEAD_BYTES + 2 * i] = (char)(value & 255);
        bytes[HEAD_BYTES + 2 * i + 1] = (char)(value >> 8);
    }
    const smp_status status = smp_tool_file(bytes, length, ".npy", path, size, error);
    free(bytes);
    return status;
}

smp_status source_data_file(source_data *data, int64_t last, const char **path, smp_error *error) {
    unsigned i = 0;
    while (i < data->count && data->last[i] != last)
        i++;
    if (i == SOURCE_DATA_MAX)
        return smp_error_set(error, SMP_E_OVERFLOW, -1, "more than %d kinds of data",
                             SOURCE_DATA_MAX);
    *path = data->path[i];
    if (i < data->count)
        return SMP_OK;
    const smp_status status = write_file(last, data->path[i], sizeof data->path[i], error);
    data->last[i] = last;
    data->count += status == SMP_OK;
    return status;
}

void source_data_clear(source_data *data) {
    while (data->count > 0)
        smp_tool_file_remove(data->path[--data->count]);
}
