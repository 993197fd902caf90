/* SPDX-License-Identifier: MIT */
/*
 * Verification against hardware that is played by the model: right, wrong in one rule, wrong
 * once, wrong only for several accesses together.
 */
#include <check.h>
#include <stdlib.h>

#include "smp_verify.h"
#include "suite.h"

/* Hardware with a fault. */
typedef struct machine {
    const smp_arch *arch;
    bool (*is_faulty)(const smp_access *access); /* costs one more, or NULL */
    size_t faulty_sum;   /* this measured sum is one too high, once; 0: none */
    bool adds_in_groups; /* every sum of several is one more */
    size_t sums, stop_at;
    uint64_t progress;
} machine;

static smp_status measure(void *user, const smp_access *accesses, size_t count, size_t group,
                          uint64_t *sums, size_t *done, smp_error *error) {
    machine *m = user;
    *done = 0;
    for (size_t first = 0; first < count; first += group, (*done)++) {
        if (m->stop_at > 0 && m->sums == m->stop_at)
            return smp_error_set(error, SMP_E_CUDA, -1, "gone");
        uint64_t sum = ++m->sums == m->faulty_sum, one = 0;
        size_t last = first + group < count ? first + group : count;
        for (size_t i = first; i < last; i++) {
            ck_assert(smp_verify_predict(m->arch, &accesses[i], &one));
            sum += one + (m->is_faulty && m->is_faulty(&accesses[i]));
        }
        sums[*done] = sum + (m->adds_in_groups && last - first > 1);
    }
    return SMP_OK;
}

static smp_verify_job *job_new(machine *m, uint64_t count) {
    smp_verify_job *job = calloc(1, sizeof *job);
    ck_assert_ptr_nonnull(job);
    m->arch = smp_arch_find("sm_90");
    *job = (smp_verify_job){
        .arch = m->arch, .count = count, .seed = 7, .group = 64, .measure = measure, .user = m};
    smp_verify_rows(m->arch, 0, 0, job);
    return job;
}

START_TEST(right_hardware_has_no_mismatch) {
    machine m = {0};
    smp_verify_job *job = job_new(&m, 54321);
    smp_verify_result result;
    smp_error error;
    ck_assert_int_eq(smp_verify_run(job, &result, &error), SMP_OK);
    ck_assert(!result.differs);
    ck_assert_uint_eq(result.accesses, 54321);
    ck_assert_uint_eq(result.unconfirmed, 0);
    uint64_t sum = 0;
    for (size_t i = 0; i < job->row_count; i++) {
        ck_assert_uint_ge(job->rows[i].accesses, 54321 / job->row_count);
        sum += job->rows[i].accesses;
    }
    ck_assert_uint_eq(sum, 54321);
    free(job);
}
END_TEST

/* Lanes 2 and 5 both active, and in different rows. */
static bool dislikes_two_lanes(const smp_access *access) {
    bool both = (access->active_mask & 0x24) == 0x24;
    return access->op == SMP_ST_SHARED && access->width_bytes == 8 && both &&
           access->offset_bytes[2] / 128 != access->offset_bytes[5] / 128;
}

START_TEST(wrong_rule_is_found_and_shrunk) {
    machine m = {.is_faulty = dislikes_two_lanes};
    smp_verify_job *job = job_new(&m, 0);
    smp_verify_result result;
    smp_error error;
    ck_assert_int_eq(smp_verify_run(job, &result, &error), SMP_OK);
    ck_assert(result.differs && !result.only_in_group);
    ck_assert_uint_eq(result.smallest.op, SMP_ST_SHARED);
    ck_assert_uint_eq(result.smallest.width_bytes, 8);
    ck_assert_uint_eq(result.smallest.active_mask, 0x24);
    uint32_t one = result.smallest.offset_bytes[2], other = result.smallest.offset_bytes[5];
    ck_assert_uint_eq(one + other, 128);
    ck_assert_uint_eq(result.measured, result.predicted + 1);
    ck_assert(dislikes_two_lanes(&result.found));
    free(job);
}
END_TEST

START_TEST(reading_that_does_not_repeat_is_counted) {
    machine m = {.faulty_sum = 3};
    smp_verify_job *job = job_new(&m, 20000);
    smp_verify_result result;
    smp_error error;
    ck_assert_int_eq(smp_verify_run(job, &result, &error), SMP_OK);
    ck_assert(!result.differs);
    ck_assert_uint_eq(result.unconfirmed, 1);
    ck_assert_uint_eq(result.accesses, 20000);
    free(job);
}
END_TEST

START_TEST(sums_that_always_differ_are_a_mismatch) {
    machine m = {.adds_in_groups = true};
    smp_verify_job *job = job_new(&m, 20000);
    smp_verify_result result;
    smp_error error;
    ck_assert_int_eq(smp_verify_run(job, &result, &error), SMP_OK);
    ck_assert(result.differs && result.only_in_group);
    ck_assert_uint_eq(result.measured, result.predicted + 1);
    free(job);
}
END_TEST

START_TEST(error_in_the_middle_keeps_what_was_compared) {
    machine m = {.stop_at = 10};
    smp_verify_job *job = job_new(&m, 20000);
    smp_verify_result result;
    smp_error error;
    ck_assert_int_eq(smp_verify_run(job, &result, &error), SMP_E_CUDA);
    ck_assert_str_eq(error.message, "gone");
    ck_assert_uint_eq(result.groups, 10);
    ck_assert(result.accesses > 0 && result.accesses < 20000);
    free(job);
}
END_TEST

static bool stop_after_first(void *user, uint64_t done) {
    machine *m = user;
    m->progress = done;
    return false;
}

START_TEST(stops_when_told) {
    machine m = {0};
    smp_verify_job *job = job_new(&m, 0);
    smp_verify_result result;
    smp_error error;
    job->progress = stop_after_first;
    job->progress_user = &m;
    ck_assert_int_eq(smp_verify_run(job, &result, &error), SMP_E_INTERRUPTED);
    ck_assert_uint_gt(m.progress, 0);
    ck_assert_uint_eq(m.progress, result.accesses);
    job->progress = NULL;
    job->seconds = 1e-9;
    ck_assert_int_eq(smp_verify_run(job, &result, &error), SMP_OK);
    ck_assert(!result.differs);
    free(job);
}
END_TEST

/* Random accesses depend on the seed, and cover every exact row of the architecture. */
START_TEST(rows_are_those_that_can_be_measured) {
    static smp_verify_job job;
    smp_verify_rows(smp_arch_find("sm_90"), 0, 0, &job);
    ck_assert_uint_eq(job.row_count, 56);
    for (size_t i = 0; i < job.row_count; i++)
        ck_assert(!smp_op_bypasses_l1(job.rows[i].op, job.rows[i].width_bytes));
    smp_verify_rows(smp_arch_find("sm_90"), 1u << SMP_LD_SHARED, 4 | 16, &job);
    ck_assert_uint_eq(job.row_count, 2);
    ck_assert_uint_eq(job.rows[1].width_bytes, 16);
    smp_verify_rows(smp_arch_find("sm_90"), 1u << SMP_LDMATRIX_X1, 4, &job);
    ck_assert_uint_eq(job.row_count, 0);
}
END_TEST

int main(void) {
    return SUITE(
        "verify", TEST(right_hardware_has_no_mismatch), TEST(wrong_rule_is_found_and_shrunk),
        TEST(reading_that_does_not_repeat_is_counted), TEST(sums_that_always_differ_are_a_mismatch),
        TEST(error_in_the_middle_keeps_what_was_compared), TEST(stops_when_told),
        TEST(rows_are_those_that_can_be_measured));
}
