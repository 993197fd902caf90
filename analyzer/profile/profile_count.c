/* SPDX-License-Identifier: MIT */
/*
 * A profile's program under hardware counters.
 */
#include "profile_count.h"

#include <stdlib.h>
#include <string.h>

#include "child.h"
#include "profile_verify.h"
#include "tool.h"

/* Counted COUNTS times if a sum is not equal: arbitration gives another number each time. */
enum { WORDS_BEFORE = 15, COUNTS = 3 };

/* ncu's own words, then the program's. */
static smp_status count(char *const argv[], const char *ncu, const char *log, smp_error *error) {
    const char *const words[WORDS_BEFORE] = {ncu,
                                             "--csv",
                                             "--page",
                                             "raw",
                                             "--print-units",
                                             "base",
                                             "--print-kernel-base",
                                             "mangled",
                                             "--target-processes",
                                             "all",
                                             "--force-overwrite",
                                             "--log-file",
                                             log,
                                             "--metrics",
                                             smp_verify_metrics()};
    child_end end;
    size_t program = 0;
    while (argv[program])
        program++;
    char **all = calloc(WORDS_BEFORE + program + 1, sizeof *all);
    if (!all)
        return smp_error_memory(error);
    for (size_t i = 0; i < WORDS_BEFORE; i++)
        all[i] = (char *)(uintptr_t)words[i];
    memcpy(all + WORDS_BEFORE, argv, program * sizeof *all);
    smp_status status = child_run(all, NULL, true, &end, error);
    free(all);
    return status;
}

/* What ncu says instead of counting: "==ERROR== ERR_NVGPUCTRPERM - ..." where the counters are
 * locked (developer.nvidia.com/ERR_NVGPUCTRPERM), or why it did not start. */
static smp_status check_log(const char *log, smp_error *error) {
    const char *wrong = strstr(log, "==ERROR==");
    if (strstr(log, "ERR_NVGPUCTRPERM"))
        return smp_error_set(
            error, SMP_E_COUNTERS_LOCKED, -1,
            "--verify: the GPU's counters are locked for this user: be root, give the container "
            "--cap-add SYS_ADMIN, or load the nvidia module with "
            "NVreg_RestrictProfilingToAdminUsers=0; the profile itself needed none of them");
    if (wrong && !strstr(log, "\"ID\"")) {
        wrong += strspn(wrong + strlen("==ERROR=="), " ") + strlen("==ERROR==");
        return smp_error_set(error, SMP_E_READ, -1, "--verify: ncu: %.*s",
                             (int)(strcspn(wrong, "\n") < 160 ? strcspn(wrong, "\n") : 160), wrong);
    }
    return SMP_OK;
}

/* One run under the counters, into `log`. */
static smp_status count_once(char *const argv[], const char *ncu, const char *log,
                             const smp_profile *profile, smp_verification *out, smp_error *error) {
    char *csv = NULL;
    size_t length = 0;
    smp_status status = count(argv, ncu, log, error);
    if (status == SMP_OK)
        status = smp_tool_read(log, &csv, &length, error);
    if (status == SMP_OK)
        status = check_log(csv, error);
    if (status == SMP_OK)
        status = smp_profile_verify(profile, csv, length, out, error);
    free(csv);
    return status;
}

smp_status profile_count(char *const argv[], const smp_profile *profile, smp_verification *out,
                         unsigned *counts, smp_error *error) {
    char ncu[4096], log[4096] = "";
    smp_status status = smp_tool_find("ncu", ncu, sizeof ncu, error);
    if (status == SMP_OK)
        status = smp_tool_file("", 0, ".csv", log, sizeof log, error);
    if (status == SMP_OK)
        status = count_once(argv, ncu, log, profile, out, error);
    for (*counts = 1; status == SMP_OK && smp_verification_is_open(out) && *counts < COUNTS;
         ++*counts) {
        smp_verification again = {0};
        status = count_once(argv, ncu, log, profile, &again, error);
        if (status == SMP_OK)
            smp_verification_join(out, &again);
        smp_verification_clear(&again);
    }
    if (log[0] != '\0')
        smp_tool_file_remove(log);
    return status;
}
