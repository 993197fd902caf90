/* SPDX-License-Identifier: MIT */
/* Figures beside a profile: hardware counters, and GPGPU-Sim's rule applied to its own traces. */
#include <inttypes.h>
#include <stdlib.h>

#include "profile_write.h"
#include "put.h"

enum { ROWS_SHOWN = 40 };

static void put_row(FILE *out, const smp_verified *row) {
    char words[256];
    const char *name = smp_kernel_full_name(row->kernel);
    (void)smp_verified_words(row, words, sizeof words);
    fprintf(out, "  %-18s %13" PRIu64 " %13" PRIu64 "  %s\n", row->what, row->predicted,
            row->counted, words);
    put_visible(out, "    of %s\n", name);
}

void smp_verification_text(FILE *out, const smp_verification *found, uint64_t launches,
                           unsigned counts) {
    static const char *const runs[] = {"another run", "two other runs", "three other runs"};
    char which[64] = "";
    uint32_t shown = 0;
    if (launches == 1)
        (void)snprintf(which, sizeof which, "the first launch of each in ");
    else if (launches > 1)
        (void)snprintf(which, sizeof which, "the first %" PRIu64 " launches of each in ", launches);
    fprintf(out,
            "\npredicted against counted, kernel by kernel (%s%s of the program%s):\n"
            "  %" PRIu32 " equal, %" PRIu32 " above by arbitration, %" PRIu32 " differ, %" PRIu32
            " not compared\n",
            which, runs[counts - 1], counts == 1 ? "" : ", since a sum was not equal",
            found->count[SMP_AGREES], found->count[SMP_ABOVE], found->count[SMP_DIFFERS],
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

enum { SITES_SHOWN = 8 };

static uint64_t distance(const smp_accel_site *site) {
    return site->theirs > site->ours ? site->theirs - site->ours : site->ours - site->theirs;
}

static int by_distance(const void *a, const void *b) {
    const smp_accel_site *left = a, *right = b;
    const uint64_t l = distance(left), r = distance(right);
    return l != r ? (l < r ? 1 : -1) : left->pc < right->pc ? -1 : left->pc > right->pc;
}

void smp_accel_text(FILE *out, smp_accel_sums *sums) {
    uint32_t shown = 0;
    if (sums->requests == 0)
        return;
    fprintf(out,
            "smemprobe: GPGPU-Sim's rule (Accel-Sim): %" PRIu64 " cycles for %" PRIu64
            " requests of shared memory, here %" PRIu64 " wavefronts; %" PRIu64
            " requests differ\n",
            sums->theirs, sums->requests, sums->ours, sums->differ);
    qsort(sums->sites, sums->site_count, sizeof *sums->sites, by_distance);
    EACH(const smp_accel_site, site, sums->sites, sums->site_count) {
        if (site->differ == 0 || shown++ >= SITES_SHOWN)
            continue;
        fprintf(out,
                "  %.40s 0x%04" PRIx32 " %s: %" PRIu64 " of %" PRIu64 " requests, %" PRIu64
                " cycles, here %" PRIu64 " wavefronts\n",
                site->kernel, site->pc, site->opcode, site->differ, site->requests, site->theirs,
                site->ours);
    }
    if (shown > SITES_SHOWN)
        fprintf(out, "  and %" PRIu32 " more instructions\n", shown - SITES_SHOWN);
}
