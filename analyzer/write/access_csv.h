/* SPDX-License-Identifier: MIT */
/*
 * Single accesses, and those of source text, as rows of one CSV document. Its first ten columns are
 * those of the batch command (batch_rows.c).
 */
#ifndef ACCESS_CSV_H
#define ACCESS_CSV_H

#include "smp_layout.h"
#include "smp_prediction.h"

typedef struct smp_csv_access {
    const smp_prediction *worst; /* the access, or of all its requests the one that costs most */
    const smp_totals *totals;    /* of all its requests; NULL: it is one */
    uint32_t line;               /* in source text; 0: there is none */
    const char *text;            /* of the access, not terminated; NULL: there is none */
    size_t length;
} smp_csv_access;

void smp_access_csv_head(FILE *out);
void smp_access_csv_row(FILE *out, const smp_csv_access *row);

#endif
