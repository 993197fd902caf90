/* SPDX-License-Identifier: MIT */
/*
 * A profile beside hardware counters: how many kernels agree, and those that do not.
 */
#include <inttypes.h>

#include "profile_write.h"
#include "put.h"

enum { ROWS_SHOWN = 40 };

static void put_row(FILE *out, const smp_verified *row) {
    char words[160];
    const char *name = row->kernel->demangled ? row->kernel->demangled : row->kernel->name;
    (void)smp_verified_words(row, words, sizeof words);
    fprintf(out, "  %-18s %13" PRIu64 " %13" PRIu64 "  %s\n", row->what, row->predicted,
            row->counted, words);
    put_visible(out, "    of %s\n", name);
}

void smp_verification_text(FILE *out, const smp_verification *found, unsigned counts) {
    uint32_t shown = 0;
    fprintf(out,
            "\npredicted against counted, kernel by kernel (%s of the program%s):\n"
            "  %" PRIu32 " equal, %" PRIu32 " above by arbitration, %" PRIu32 " differ, %" PRIu32
            " not compared\n",
            counts == 1 ? "another run" : "three other runs",
            counts == 1 ? "" : ", since a sum was not equal", found->count[SMP_AGREES],
            found->count[SMP_ABOVE], found->count[SMP_DIFFERS],
            found->count[SMP_OTHER_RUN] + found->count[SMP_INCOMPLETE]);
    if (found->kernels_not_counted > 0)
        fprintf(out, "  %" PRIu32 " kernels were not counted\n", found->kernels_not_counted);
    for (uint32_t i = 0; i < found->row_count && shown < ROWS_SHOWN; i++) {
        if (found->rows[i].agreement != SMP_AGREES) {
            put_row(out, &found->rows[i]);
            shown++;
        }
    }
}
