/* SPDX-License-Identifier: MIT */
/*
 * The rows outside the model: counters, kernel variants, further instructions,
 * built-in files and recordings. Each is complete, unique and refers to things that exist. (The
 * rows of the model have test_model_tables.c.)
 */
#include <stdio.h>
#include <string.h>

#include "embedded.h"
#include "smp_kernels.h"
#include "smp_probes.h"
#include "suite.h"

static bool is_text(const char *text) {
    return text && *text && text[strlen(text) - 1] != '.' && !strchr(text, '\n');
}

/* ---- Counters ---- */

static size_t counter_count(void) {
    size_t count;
    smp_counters(&count);
    return count;
}

START_TEST(counter_row_is_complete) {
    size_t count;
    const smp_counter *row = &smp_counters(&count)[_i];
    const smp_op_row *op = &smp_ops(NULL)[row->op];
    bool is_global = op->space == SMP_SPACE_GLOBAL || op->space == SMP_SPACE_CLUSTER;
    ck_assert_msg(strchr(row->metric, '.'), "%s: no roll-up", row->metric);
    ck_assert_str_eq(row->unit, is_global ? "sectors" : "wavefronts");
    ck_assert_msg(is_text(row->counts), "%s: what it counts", row->metric);
    ck_assert_msg(row->pollution, "%s: what pollutes it", row->metric);
    ck_assert_msg(smp_arch_of_cc(row->first_cc / 10, row->first_cc % 10), "%s: first CC %u",
                  row->metric, row->first_cc);
    ck_assert_msg(row->first_cc >= 70, "%s: CUPTI's range profiler starts at 7.0", row->metric);
}
END_TEST

START_TEST(counter_of_an_op_is_its_only_row) {
    size_t count;
    const smp_counter *rows = smp_counters(&count);
    ck_assert_msg(smp_counter_of(rows[_i].op) == &rows[_i], "%s has two rows",
                  smp_ops(NULL)[rows[_i].op].name);
}
END_TEST

/* A number that is called measured must have come from a counter. */
START_TEST(measured_ops_have_a_counter) {
    const smp_op_row *op = &smp_ops(NULL)[_i];
    const smp_arch *hopper = smp_arch_of_cc(9, 0);
    bool is_measured = false;
    for (unsigned width = 1; width <= 16; width *= 2)
        is_measured |= smp_op_evidence(hopper, op->op, width) == SMP_MEASURED;
    ck_assert_msg(!is_measured || op->space == SMP_SPACE_COPY || smp_counter_of(op->op),
                  "%s is measured by no counter", op->name);
}
END_TEST

/* ---- Instructions ---- */

START_TEST(machine_instruction_is_named) {
    const smp_op_row *op = &smp_ops(NULL)[_i];
    size_t letters = strspn(op->sass, "ABCDEFGHIJKLMNOPQRSTUVWXYZ");
    ck_assert_msg(letters >= 2 &&
                      strspn(op->sass + letters, ".ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789") ==
                          strlen(op->sass + letters),
                  "%s: machine instruction '%s'", op->name, op->sass);
}
END_TEST

/* ---- Kernels ---- */

static size_t family_count(void) {
    size_t count;
    smp_kernel_families(&count);
    return count;
}

static void check_variant(const smp_kernel_family *family, size_t index) {
    const smp_kernel_variant *row = &family->variants[index];
    ck_assert_msg(is_text(row->name) && is_text(row->summary), "%s: variant %zu", family->name,
                  index);
    ck_assert_msg(row->launch || row->host, "%s %s: nothing runs it", family->name, row->name);
    ck_assert_msg(!row->launch || (row->script || (row->shape && row->trace)),
                  "%s %s: shape, script or trace is missing", family->name, row->name);
    ck_assert_msg((row->elements & ~family->elements) == 0, "%s %s: types", family->name,
                  row->name);
    for (size_t other = 0; other < index; other++)
        ck_assert_msg(strcmp(family->variants[other].name, row->name), "%s %s is listed twice",
                      family->name, row->name);
    if (!row->launch)
        return;
    const smp_kernel_shape shape = smp_kernel_shape_of(row, &family->standard);
    ck_assert_msg(shape.blocks >= 1 && shape.threads >= 1 && shape.threads <= 1024,
                  "%s %s: %llu blocks of %u threads", family->name, row->name,
                  (unsigned long long)shape.blocks, shape.threads);
    ck_assert_msg(shape.shared_bytes <= 227 * 1024, "%s %s: shared memory", family->name,
                  row->name);
}

START_TEST(family_row_is_complete) {
    size_t count;
    const smp_kernel_family *const *rows = smp_kernel_families(&count), *row = rows[_i];
    ck_assert(is_text(row->name) && is_text(row->summary) && is_text(row->baseline_name));
    ck_assert_msg(row->bytes && row->fill && row->solve && row->verify, "%s: functions", row->name);
    ck_assert_msg(row->check || row->most_columns > 0, "%s: nothing limits its size", row->name);
    ck_assert_msg(row->elements >> row->standard.element & 1, "%s: standard type", row->name);
    ck_assert_msg(smp_kernel_check(row, NULL, &row->standard, NULL) == SMP_OK, "%s: standard case",
                  row->name);
    ck_assert_ptr_eq(smp_kernel_family_find(row->name), row);
    for (size_t i = 0; i < row->variant_count; i++)
        check_variant(row, i);
    for (size_t i = 0; i < row->claim_count; i++)
        ck_assert_msg(smp_kernel_variant_find(row, row->claims[i].base) &&
                          smp_kernel_variant_find(row, row->claims[i].better) &&
                          is_text(row->claims[i].what),
                      "%s: claim %zu", row->name, i);
}
END_TEST

/* ---- Files that are compiled in ---- */

static void check_file(const struct smp_embedded *files, size_t index, const char *ending) {
    const struct smp_embedded *file = &files[index];
    size_t length = strlen(file->name);
    ck_assert_msg(length > strlen(ending) && !strcmp(file->name + length - strlen(ending), ending),
                  "%s does not end in %s", file->name, ending);
    ck_assert_msg(!strchr(file->name, '/'), "%s: a folder", file->name);
    ck_assert_uint_eq(strlen(file->text), file->length);
    ck_assert_msg(file->length > 0 && file->text[file->length - 1] == '\n', "%s: last line",
                  file->name);
    for (size_t other = 0; other < index; other++)
        ck_assert_str_ne(files[other].name, file->name);
}

START_TEST(compiled_in_files_are_whole) {
    for (size_t i = 0; i < smp_recorded_file_count; i++)
        check_file(smp_recorded_files, i, ".txt");
    for (size_t i = 0; i < smp_plot_file_count; i++)
        check_file(smp_plot_files, i, ".gp");
}
END_TEST

/* ---- Records ---- */

/* Every recorded number says which GPU, software, counter and command gave it, and when. */
static bool check_record(void *user, const smp_record *record, const char *field) {
    int major, minor, year, month, day;
    char more;
    size_t *count = user;
    *count += 1;
    ck_assert_msg(is_text(record->key) && is_text(field), "record %zu", *count);
    ck_assert_msg(is_text(record->gpu) && is_text(record->driver) && is_text(record->cuda) &&
                      is_text(record->tool) && is_text(record->command) && is_text(record->counter),
                  "%s: gpu, driver, cuda, tool, command or counter is missing", record->key);
    ck_assert_msg(sscanf(record->cc, "%d.%d%c", &major, &minor, &more) == 2 &&
                      smp_arch_of_cc(major, minor),
                  "%s: compute capability '%s'", record->key, record->cc);
    ck_assert_msg(sscanf(record->date, "%4d-%2d-%2d%c", &year, &month, &day, &more) == 3 &&
                      year >= 2025 && month >= 1 && month <= 12 && day >= 1 && day <= 31,
                  "%s: date '%s'", record->key, record->date);
    ck_assert_msg(record->value >= 0, "%s: %s", record->key, field);
    return true;
}

START_TEST(records_say_where_they_come_from) {
    size_t count = 0;
    smp_recorded_each(check_record, &count);
    ck_assert_msg(smp_recorded_file_count == 0 || count > 0, "no record in the files");
}
END_TEST

int main(void) {
    return SUITE("tables", TEST_EACH(counter_row_is_complete, counter_count()),
                 TEST_EACH(counter_of_an_op_is_its_only_row, counter_count()),
                 TEST_EACH(measured_ops_have_a_counter, SMP_OP_COUNT),
                 TEST_EACH(machine_instruction_is_named, SMP_OP_COUNT),
                 TEST_EACH(family_row_is_complete, family_count()),
                 TEST(compiled_in_files_are_whole), TEST(records_say_where_they_come_from));
}
