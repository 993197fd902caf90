/* SPDX-License-Identifier: MIT */
/*
 * The rows of a stream of accesses.
 */
#ifndef WRITE_BATCH_H
#define WRITE_BATCH_H

#include "smp_model.h"

enum { SMP_BATCH_ROW_MAX = 256 };

typedef struct smp_batch_form {
    const char *header; /* what comes first, or "" */
    /* Writes the row of input line `line`, with its end, and returns where it ends; at most
     * SMP_BATCH_ROW_MAX bytes. */
    char *(*row)(char *at, uint64_t line, const smp_access *access, const smp_counts *counts);
} smp_batch_form;

extern const smp_batch_form smp_batch_csv, smp_batch_jsonl;

#endif
