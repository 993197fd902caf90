/* SPDX-License-Identifier: MIT */
/*
 * Compares counts of other GPUs of one generation with the built-in
 * recordings, which other tests predict: every count that is predicted must be equal.
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "recorded_case.h"
#include "smp_accesses.h"
#include "smp_probes.h"
#include "suite.h"

enum { LINE_BYTES = 4096 };

static const char *const roots[] = {
    SMP_RECORDED_FOLDER,
#ifdef SMP_BENCHMARKS
    SMP_RECORDED_FOLDER "/../../benchmarks/recorded",
#endif
};

/* Folders of probes/recorded that are of no other GPU. */
static const char *const not_gpus[] = {".", "..", "programs", "random"};

/* Fields that count, not those that time. */
static bool is_count(const char *field) {
    static const char *const names[] = {"wavefronts", "transactions"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(field, names[i]) == 0)
            return true;
    for (int i = 0; i < SMP_TRAFFIC_COUNT; i++)
        if (strcmp(field, smp_traffic_rows()[i].name) == 0)
            return true;
    return false;
}

static bool is_predicted(const char *key) {
    const smp_kernel_family *family;
    const smp_kernel_variant *variant;
    smp_kernel_case problem;
    if (strncmp(key, "--", 2) == 0)
        return true;
    recorded_case_parse(key, &family, &variant, &problem);
    return !smp_kernel_not_predicted(variant, &problem);
}

/* The value of a field from the model or from the built-in records; false if neither has it. */
static bool expect(const char *key, const char *field, const char *cc, double *value) {
    smp_record record;
    smp_pattern pattern;
    smp_access access;
    smp_counts counts;
    smp_error error;
    int major = 0, minor = 0;
    if (strncmp(key, "--", 2) != 0) {
        const bool is_found = smp_recorded_find(key, field, cc, &record);
        *value = is_found ? record.value : 0;
        return is_found;
    }
    ck_assert_int_eq(sscanf(cc, "%d.%d", &major, &minor), 2);
    ck_assert_msg(smp_pattern_parse(key, &pattern, &error) == SMP_OK, "%s: %s", key, error.message);
    ck_assert_int_eq(smp_pattern_access(&pattern, &access, &error), SMP_OK);
    ck_assert_int_eq(smp_predict(smp_arch_of_cc(major, minor), &access, &counts), SMP_OK);
    *value = strcmp(field, "wavefronts") == 0 ? counts.wavefronts_max : counts.transactions;
    return true;
}

/* "KEY<TAB>field=value<TAB>...": how many counts were compared. */
static size_t compare_row(char *line, const char *cc) {
    size_t compared = 0;
    char *at = strchr(line, '\t'), *save = NULL;
    if (!at)
        return 0;
    *at++ = '\0';
    if (!is_predicted(line))
        return 0;
    for (char *field = strtok_r(at, "\t\n", &save); field; field = strtok_r(NULL, "\t\n", &save)) {
        double expected;
        char *equals = strchr(field, '=');
        ck_assert_msg(equals, "%s: %s", line, field);
        *equals = '\0';
        if (!is_count(field) || !expect(line, field, cc, &expected))
            continue;
        ck_assert_msg(strtod(equals + 1, NULL) == expected, "%s: %s %s recorded, %.0f expected",
                      line, field, equals + 1, expected);
        compared++;
    }
    return compared;
}

static size_t compare_file(const char *folder, const char *name) {
    char path[1024], line[LINE_BYTES], cc[8] = "";
    size_t compared = 0;
    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "r");
    ck_assert_msg(file, "%s: cannot be read", path);
    while (fgets(line, sizeof line, file)) {
        (void)sscanf(line, "# cc: %7s", cc);
        if (line[0] != '#')
            compared += compare_row(line, cc);
    }
    (void)fclose(file);
    return compared;
}

static bool is_gpu(const char *name) {
    for (size_t i = 0; i < sizeof not_gpus / sizeof not_gpus[0]; i++)
        if (strcmp(name, not_gpus[i]) == 0)
            return false;
    return !strchr(name, '.');
}

/* All records of one GPU. */
static size_t compare_gpu(const char *root, const char *name) {
    char folder[512];
    size_t compared = 0;
    (void)snprintf(folder, sizeof folder, "%s/%s", root, name);
    DIR *files = opendir(folder);
    ck_assert_msg(files, "%s: cannot be read", folder);
    for (struct dirent *entry; (entry = readdir(files));)
        if (strncmp(entry->d_name, "sm", 2) == 0)
            compared += compare_file(folder, entry->d_name);
    (void)closedir(files);
    printf("%s: %zu counts as expected\n", name, compared);
    return compared;
}

START_TEST(other_gpus_count_what_is_predicted) {
    size_t gpus = 0;
    DIR *folders = opendir(roots[_i]);
    ck_assert_msg(folders, "%s: cannot be read", roots[_i]);
    for (struct dirent *entry; (entry = readdir(folders));)
        if (is_gpu(entry->d_name)) {
            ck_assert_msg(compare_gpu(roots[_i], entry->d_name) > 0, "%s: nothing to compare",
                          entry->d_name);
            gpus++;
        }
    (void)closedir(folders);
    ck_assert_uint_ge(gpus, 1);
}
END_TEST

int main(void) {
    return SUITE("recorded_gpus", TEST_EACH(other_gpus_count_what_is_predicted, COUNT_OF(roots)));
}
