/* SPDX-License-Identifier: MIT */
/*
 * Predicts random accesses, and accesses of layouts that fix compares, that were measured on a GPU.
 * The files are too large to build into the program; they are read from probes/recorded/random.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "smp_accesses.h"
#include "suite.h"

enum { LINE_BYTES = 4096 };

typedef struct file_row {
    const char *name, *arch;
    size_t accesses; /* that it must hold at least */
} file_row;

static const file_row files[] = {{"sm90.txt", "sm_90", 13000}, {"fix-sm90.txt", "sm_90", 2200}};

/* "ACCESS<TAB>field=value": what the counter said of the access, and which field it is. */
static bool split_row(char *line, char **field, uint64_t *value) {
    char *tab = strchr(line, '\t'), *equals = tab ? strchr(tab, '=') : NULL;
    if (line[0] == '#' || !equals)
        return false;
    *tab = *equals = '\0';
    *field = tab + 1;
    *value = strtoull(equals + 1, NULL, 10);
    return true;
}

static void check_row(const smp_arch *arch, const char *line, const char *field, uint64_t value) {
    smp_access access;
    smp_counts counts;
    smp_error error;
    bool is_empty;
    ck_assert_msg(smp_batch_parse(line, strlen(line), &access, &is_empty, &error) == SMP_OK,
                  "%s: %s", line, error.message);
    ck_assert_msg(smp_predict(arch, &access, &counts) == SMP_OK, "%s: not predicted", line);
    bool waves = strcmp(field, "wavefronts") == 0;
    uint64_t predicted = waves ? counts.wavefronts_max : counts.transactions;
    ck_assert_msg(predicted == value, "%s: predicted %" PRIu64 " %s, measured %" PRIu64, line,
                  predicted, field, value);
}

START_TEST(recorded_accesses_are_predicted) {
    const file_row *row = &files[_i];
    char path[1024], line[LINE_BYTES];
    snprintf(path, sizeof path, "%s/random/%s", SMP_RECORDED_FOLDER, row->name);
    FILE *file = fopen(path, "r");
    ck_assert_msg(file, "%s: cannot be read", path);
    size_t count = 0;
    while (fgets(line, sizeof line, file)) {
        char *field = NULL;
        uint64_t value = 0;
        if (!split_row(line, &field, &value))
            continue;
        check_row(smp_arch_find(row->arch), line, field, value);
        count++;
    }
    fclose(file);
    ck_assert_msg(count >= row->accesses, "%s: only %zu accesses", row->name, count);
}
END_TEST

int main(void) {
    return SUITE_FOR(120, "recorded_random",
                     TEST_EACH(recorded_accesses_are_predicted, COUNT_OF(files)));
}
