/* SPDX-License-Identifier: MIT */
/*
 * What the rule of another simulator makes of the requests of its own traces, beside ours.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "profile_write.h"

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
    for (uint32_t i = 0; i < sums->site_count; i++) {
        const smp_accel_site *site = &sums->sites[i];
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
