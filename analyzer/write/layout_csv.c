/* SPDX-License-Identifier: MIT */
/*
 * What a layout costs, as CSV: one line an access and architecture.
 */
#include "access_csv.h"
#include "write_format.h"

static void put_row(FILE *out, const smp_layout_prediction *report, size_t index) {
    smp_layout_access access;
    smp_prediction worst;
    smp_layout_access_at(report->layout, index, &access);
    smp_layout_prediction_worst(report, index, &worst);
    smp_access_csv_row(out, &(smp_csv_access){.worst = &worst,
                                              .totals = &report->totals[index],
                                              .line = access.line,
                                              .text = access.text,
                                              .length = access.length});
}

void smp_layout_csv(FILE *out, const smp_layout_prediction *reports, size_t count,
                    const smp_layout_show *show) {
    (void)show;
    smp_access_csv_head(out);
    for (size_t r = 0; r < count; r++) {
        for (size_t i = 0; i < reports[r].count; i++)
            put_row(out, &reports[r], i);
    }
}
