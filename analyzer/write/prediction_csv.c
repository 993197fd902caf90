/* SPDX-License-Identifier: MIT */
/*
 * The report as CSV: one row an architecture, empty fields where nothing is known.
 */
#include <stdio.h>

#include "access_csv.h"
#include "write_format.h"
#include "write_prediction.h"

void smp_prediction_csv(FILE *out, const smp_prediction *reports, size_t count, smp_style style) {
    (void)style;
    smp_access_csv_head(out);
    for (size_t i = 0; i < count; i++)
        smp_access_csv_row(out, &(smp_csv_access){.worst = &reports[i]});
}
