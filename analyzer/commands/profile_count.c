/* SPDX-License-Identifier: MIT */
/*
 * A profile's program under hardware counters.
 */
#include "profile_count.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "child.h"
#include "profile_verify.h"
#include "say.h"
#include "text_file.h"
#include "tool.h"
#include "visible_text.h"

/* Counted COUNTS times if a sum is not equal: arbitration gives another number each time. */
enum { WORDS_BEFORE = 15, ROWS_SHOWN = 40, COUNTS = 3 };

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
    const char *const environment[] = {NULL};
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
    smp_status status = child_run(all, environment, true, &end, error);
    free(all);
    return status;
}

static void put_row(FILE *out, const smp_verified *row) {
    char words[160];
    const char *name = row->kernel->demangled ? row->kernel->demangled : row->kernel->name;
    (void)smp_verified_words(row, words, sizeof words);
    fprintf(out, "  %-18s %13" PRIu64 " %13" PRIu64 "  %s\n    of ", row->what, row->predicted,
            row->counted, words);
    smp_visible_put(out, name, strlen(name));
    fputc('\n', out);
}

static int put_verification(const smp_verification *found, unsigned counts) {
    uint32_t shown = 0;
    FILE *out = say_open();
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
    say_close(out);
    return found->count[SMP_DIFFERS] > 0;
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

int profile_count(char *const argv[], const smp_profile *profile) {
    char ncu[4096], log[4096] = "";
    smp_verification found = {0};
    smp_error error;
    unsigned counts = 1;
    smp_status status = smp_tool_find("ncu", ncu, sizeof ncu, &error);
    if (status == SMP_OK)
        status = smp_tool_file("", 0, ".csv", log, sizeof log, &error);
    if (status == SMP_OK)
        status = count_once(argv, ncu, log, profile, &found, &error);
    while (status == SMP_OK && smp_verification_is_open(&found) && counts < COUNTS) {
        smp_verification again = {0};
        status = count_once(argv, ncu, log, profile, &again, &error);
        if (status == SMP_OK)
            smp_verification_join(&found, &again);
        smp_verification_clear(&again);
        counts++;
    }
    const int exit_status = status == SMP_OK ? put_verification(&found, counts) : complain(&error);
    if (log[0] != '\0')
        smp_tool_file_remove(log);
    smp_verification_clear(&found);
    return exit_status;
}
