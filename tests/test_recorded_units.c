/* SPDX-License-Identifier: MIT */
/*
 * test_recorded_units.c: what was counted on a GPU of loads inside L1, of operands that the tensor
 * cores read by themselves and of bulk copies, against the model. Files of tests/gpu/l1_global and
 * tests/gpu/tensor_operands in probes/recorded/random and probes/recorded/h100.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "smp_model.h"
#include "suite.h"

enum { LINE_BYTES = 8192, FIELDS_MAX = 32 };

typedef struct csv_file {
    FILE *file;
    char line[LINE_BYTES];
    char *names[FIELDS_MAX], *fields[FIELDS_MAX];
    char header[LINE_BYTES];
    size_t count;
    uint64_t base; /* "# base: N", where the addresses begin */
} csv_file;

static size_t split(char *line, char **fields, char separator) {
    size_t count = 0;
    line[strcspn(line, "\r\n")] = '\0';
    for (char *at = line; at && count < FIELDS_MAX; count++) {
        fields[count] = at;
        at = strchr(at, separator);
        if (at)
            *at++ = '\0';
    }
    return count;
}

/* The next row; false at the end. */
static bool next_row(csv_file *csv) {
    while (fgets(csv->line, sizeof csv->line, csv->file)) {
        if (sscanf(csv->line, "# base: %" SCNu64, &csv->base) == 1 || csv->line[0] == '#')
            continue;
        if (csv->count == 0) {
            memcpy(csv->header, csv->line, sizeof csv->header);
            csv->count = split(csv->header, csv->names, ',');
            continue;
        }
        ck_assert_uint_eq(split(csv->line, csv->fields, ','), csv->count);
        return true;
    }
    return false;
}

/* Of the H200, and of an H100. */
static const char *const folders[] = {"random", "h100"};

static csv_file *open_csv(const char *folder, const char *name) {
    static csv_file csv;
    char path[1024];
    memset(&csv, 0, sizeof csv);
    snprintf(path, sizeof path, "%s/%s/%s", SMP_RECORDED_FOLDER, folder, name);
    csv.file = fopen(path, "r");
    ck_assert_msg(csv.file != NULL, "%s: cannot be read", path);
    return &csv;
}

static const char *field(const csv_file *csv, const char *name) {
    for (size_t i = 0; i < csv->count; i++)
        if (strcmp(csv->names[i], name) == 0)
            return csv->fields[i];
    ck_abort_msg("no column %s", name);
    return NULL;
}

static double number(const csv_file *csv, const char *name) {
    return strtod(field(csv, name), NULL);
}

#define WAVES "l1tex__data_pipe_lsu_wavefronts_mem_lgds.sum"
#define TAGS "l1tex__t_output_wavefronts_pipe_lsu.sum"
#define SECTORS "l1tex__t_sectors_pipe_lsu.sum"

START_TEST(loads_inside_l1) {
    csv_file *csv = open_csv(folders[_i], "l1-sm90.csv");
    const smp_arch *arch = smp_arch_find("sm_90");
    size_t rows = 0;
    for (; next_row(csv); rows++) {
        smp_access access = {.op = SMP_LD_GLOBAL};
        smp_counts counts;
        smp_l1_counts l1;
        char *lanes[FIELDS_MAX + 1];
        char addresses[LINE_BYTES];
        snprintf(addresses, sizeof addresses, "%s", field(csv, "addresses"));
        access.width_bytes = (uint32_t)number(csv, "width");
        access.active_mask = (uint32_t)strtoul(field(csv, "mask"), NULL, 16);
        ck_assert_uint_eq(split(addresses, lanes, ' '), SMP_LANES);
        for (unsigned lane = 0; lane < SMP_LANES; lane++)
            access.address_bytes[lane] = csv->base + strtoull(lanes[lane], NULL, 10);
        ck_assert_int_eq(smp_predict(arch, &access, &counts), SMP_OK);
        ck_assert_int_eq(smp_l1_predict(arch, &access, &l1), SMP_OK);
        ck_assert_double_eq(number(csv, SECTORS " x1"), counts.transactions);
        ck_assert_double_eq(number(csv, TAGS " x1"), l1.tag_wavefronts);
        ck_assert_double_eq(number(csv, WAVES " x1"), l1.miss_wavefronts);
        ck_assert_double_eq(number(csv, WAVES " x2") - number(csv, WAVES " x1"), l1.hit_wavefronts);
        ck_assert_double_eq(number(csv, WAVES " x3") - number(csv, WAVES " x2"), l1.hit_wavefronts);
    }
    fclose(csv->file);
    ck_assert_uint_eq(rows, 500);
}
END_TEST

START_TEST(other_chips_and_operations_are_refused) {
    smp_access access = {.op = SMP_ST_GLOBAL, .width_bytes = 4, .active_mask = SMP_ALL_LANES};
    smp_l1_counts l1;
    uint32_t wavefronts;
    ck_assert_int_eq(smp_l1_predict(smp_arch_find("sm_90"), &access, &l1), SMP_E_NOT_MODELLED);
    access.op = SMP_LD_GLOBAL;
    ck_assert_int_eq(smp_l1_predict(smp_arch_find("sm_80"), &access, &l1), SMP_E_NOT_MODELLED);
    access.address_bytes[3] = UINT64_C(1) << 36;
    ck_assert_int_eq(smp_l1_predict(smp_arch_find("sm_90"), &access, &l1), SMP_E_NOT_MODELLED);
    access.address_bytes[3] = 2;
    ck_assert_int_eq(smp_l1_predict(smp_arch_find("sm_90"), &access, &l1),
                     smp_access_check(smp_arch_find("sm_90"), &access, NULL));
    ck_assert_int_eq(smp_wgmma_wavefronts(smp_arch_find("sm_80"), 64, true, &wavefronts),
                     SMP_E_OP_UNAVAILABLE);
    const uint32_t not_columns[] = {0, 4, 60, 264};
    for (size_t i = 0; i < sizeof not_columns / sizeof not_columns[0]; i++)
        ck_assert_int_eq(
            smp_wgmma_wavefronts(smp_arch_find("sm_90"), not_columns[i], true, &wavefronts),
            SMP_E_NOT_MODELLED);
}
END_TEST

START_TEST(operands_of_wgmma) {
    csv_file *csv = open_csv(folders[_i], "wgmma-sm90.csv");
    size_t rows = 0;
    for (; next_row(csv); rows++) {
        uint32_t wavefronts;
        ck_assert_int_eq(smp_wgmma_wavefronts(smp_arch_find("sm_90"),
                                              (uint32_t)number(csv, "columns"),
                                              strcmp(field(csv, "a"), "shared") == 0, &wavefronts),
                         SMP_OK);
        ck_assert_double_eq(number(csv, "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_gmma.sum"),
                            wavefronts);
        ck_assert_double_eq(
            number(csv, "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_gmma.sum"), 0);
        ck_assert_double_eq(number(csv, "l1tex__data_bank_reads.sum"), 32.0 * wavefronts);
    }
    fclose(csv->file);
    ck_assert_uint_ge(rows, 290);
}
END_TEST

/* Each bank is touched once for 4 bytes, whatever the swizzle. */
START_TEST(copies_in_bulk) {
    static const char *const names[] = {"tensor-copies-sm90.csv", "bulk-copies-sm90.csv"};
    csv_file *csv = open_csv(folders[_i / 2], names[_i % 2]);
    size_t rows = 0;
    for (; next_row(csv); rows++) {
        const bool is_in = strcmp(field(csv, "way"), "in") == 0;
        const double words = number(csv, "bytes") / 4;
        ck_assert_double_eq(number(csv, "l1tex__data_bank_writes.sum"), is_in ? words : 0);
        ck_assert_double_eq(number(csv, "l1tex__data_bank_reads.sum"), is_in ? 0 : words);
        ck_assert_double_eq(number(csv, "l1tex__data_bank_conflicts_pipe_lsu.sum"), 0);
        ck_assert_double_eq(number(csv, "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum"), 0);
    }
    fclose(csv->file);
    ck_assert_uint_ge(rows, 280);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("recorded_units");
    TCase *cases = tcase_create("units");
    tcase_add_loop_test(cases, loads_inside_l1, 0, 2);
    tcase_add_test(cases, other_chips_and_operations_are_refused);
    tcase_add_loop_test(cases, operands_of_wgmma, 0, 2);
    tcase_add_loop_test(cases, copies_in_bulk, 0, 4);
    suite_add_tcase(suite, cases);
    return suite_run(suite);
}
