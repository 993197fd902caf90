/* SPDX-License-Identifier: MIT */
/*
 * Tests the model against measurements of older GPUs that others published: the
 * rows of tests/data/published.tsv.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "smp_accesses.h"
#include "suite.h"

enum { LINE_BYTES = 2048, FIELDS = 5 };

/* arch, wavefronts, access, what, source. */
static void check_row(char *line) {
    char *field[FIELDS] = {line};
    size_t count = 1;
    for (char *at = line; count < FIELDS && (at = strchr(at, '\t')); count++) {
        *at++ = '\0';
        field[count] = at;
    }
    ck_assert_uint_eq(count, FIELDS);
    const smp_arch *arch = smp_arch_find(field[0]);
    smp_access access;
    smp_counts counts;
    smp_error error;
    bool is_empty;
    ck_assert_msg(arch, "%s: no such row", field[0]);
    ck_assert_msg(smp_batch_parse(field[2], strlen(field[2]), &access, &is_empty, &error) == SMP_OK,
                  "%s: %s", field[2], error.message);
    ck_assert_int_eq(smp_predict(arch, &access, &counts), SMP_OK);
    ck_assert_msg(counts.wavefronts_max == strtoul(field[1], NULL, 10),
                  "%s, %s: %s measured, %u predicted", field[0], field[3], field[1],
                  (unsigned)counts.wavefronts_max);
    ck_assert_msg(strncmp(field[4], "https://", 8) == 0, "%s: no source", field[3]);
    ck_assert_msg(smp_op_evidence(arch, access.op, access.width_bytes) <= SMP_PUBLISHED,
                  "%s: published, and called less", field[3]);
}

START_TEST(published_measurements_are_predicted) {
    char line[LINE_BYTES];
    FILE *file = fopen(SMP_DATA "/published.tsv", "r");
    size_t rows = 0;
    ck_assert_ptr_nonnull(file);
    while (fgets(line, sizeof line, file))
        if (line[0] != '#') {
            check_row(line);
            rows++;
        }
    (void)fclose(file);
    ck_assert_uint_ge(rows, 6);
}
END_TEST

int main(void) {
    return SUITE("published", TEST(published_measurements_are_predicted));
}
