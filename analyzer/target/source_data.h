/* SPDX-License-Identifier: MIT */
/*
 * Files of numbers for arrays of integers, the numbers that a launch fills them with.
 */
#pragma once

#include "smp_model.h"

enum { SOURCE_DATA_MAX = 4 };

typedef struct source_data {
    int64_t last[SOURCE_DATA_MAX];
    char path[SOURCE_DATA_MAX][4096];
    unsigned count;
} source_data;

/* The file of random:0:`last` (at most 65,535), which is made when it is first asked for. */
smp_status source_data_file(source_data *data, int64_t last, const char **path, smp_error *error);
/* Removes the files. */
void source_data_clear(source_data *data);
