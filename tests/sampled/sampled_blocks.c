/* SPDX-License-Identifier: MIT */
/*
 * What sixteen blocks of kept launches say: sampled_blocks FOLDER OUT.smprof [CODE_BYTES].
 * tests/sampled/check holds it against all blocks.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "kept_replay.h"
#include "profile_file.h"

static bool wants(void *user, const char *kernel) {
    (void)user;
    (void)kernel;
    return true;
}

int main(int argc, char **argv) {
    const kept_sample how = {.wants = wants,
                             .limit = 2000000000,
                             .code_bytes = argc == 4 ? strtoull(argv[3], NULL, 10) : 0};
    smp_profile profile = {0};
    smp_error error;
    FILE *out = argc >= 3 ? fopen(argv[2], "wb") : NULL;
    if (!out) {
        fprintf(stderr, "usage: sampled_blocks FOLDER OUT.smprof [CODE_BYTES]\n");
        return 2;
    }
    smp_status status = emulate_kept_sample(argv[1], &how, &profile, &error);
    if (status == SMP_OK)
        status = smp_profile_write(out, &profile, &error);
    if (status != SMP_OK)
        fprintf(stderr, "%s\n", error.message);
    smp_profile_clear(&profile);
    (void)fclose(out);
    return status == SMP_OK ? 0 : 1;
}
