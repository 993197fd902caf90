/* SPDX-License-Identifier: MIT */
/*
 * Verification. Rows take turns, so that a short run covers all of them. Each has its own seed,
 * so that the draws depend only on the job's seed and count.
 */
#include <stdlib.h>

#include "seconds.h"
#include "smp_prediction.h"
#include "smp_verify.h"
#include "stream.h"

#include <stdlib.h>
#include <string.h>

enum {
    ROUND_ACCESSES = 8192, /* accesses of one row per turn */
    TRIES = 64,            /* draws before giving up on an access */
    SLICE_ACCESSES = 1024, /* initial accesses per measurement */
};

/* Limit of kernels/access_run.cu. */
#define SPAN_BYTES ((uint64_t)64 << 20)

typedef struct verification {
    smp_verify_job *job;
    smp_verify_result *result;
    smp_access *accesses;
    uint64_t *sums;
    size_t slice; /* accesses per measurement: whole groups */
    double start;
} verification;

bool smp_verify_predict(const smp_arch *arch, const smp_access *access, uint64_t *out) {
    smp_counts counts;
    bool waves = smp_op_counts_wavefronts(access->op);
    if (smp_predict(arch, access, &counts) != SMP_OK)
        return false;
    *out = waves ? counts.wavefronts_max : counts.transactions;
    return (counts.valid & (waves ? SMP_HAS_WAVEFRONTS : SMP_HAS_TRANSACTIONS)) != 0;
}

static bool is_predicted(const smp_arch *arch, smp_op op, uint32_t width_bytes) {
    return (smp_ops(NULL)[op].widths & width_bytes) != 0 && smp_counter_sees(op, width_bytes) &&
           smp_op_evidence(arch, op, width_bytes) <= SMP_ASSUMED;
}

void smp_verify_rows(const smp_arch *arch, uint32_t ops, uint32_t widths, smp_verify_job *job) {
    job->row_count = 0;
    for (unsigned op = 0; op < SMP_OP_COUNT; op++) {
        for (uint32_t width = 1; width <= 16; width *= 2) {
            bool wanted = (ops == 0 || ops >> op & 1) && (widths == 0 || widths & width);
            if (wanted && is_predicted(arch, (smp_op)op, width))
                job->rows[job->row_count++] = (smp_verify_row){(smp_op)op, width, 0, 0};
        }
    }
}

typedef struct drawing {
    const smp_arch *arch;
    smp_verify_row *row;
    smp_access *out;
    size_t drawn, wanted;
    unsigned misses; /* since the last draw */
} drawing;

/* Keeps accesses with a prediction. SMP_E_INTERRUPTED after enough accesses or too many misses in a
 * row. */
static smp_status keep_predicted(void *user, const smp_occurrence *seen, smp_error *error) {
    drawing *d = user;
    uint64_t predicted;
    (void)error;
    if (smp_verify_predict(d->arch, seen->access, &predicted)) {
        d->out[d->drawn++] = *seen->access;
        d->misses = 0;
    } else {
        d->row->not_modelled++;
        d->misses++;
    }
    return d->drawn < d->wanted && d->misses < TRIES ? SMP_OK : SMP_E_INTERRUPTED;
}

static size_t draw_many(const verification *v, smp_verify_row *row, smp_random *random,
                        size_t count) {
    drawing d = {.arch = v->job->arch, .row = row, .out = v->accesses, .wanted = count};
    const smp_random_stream stream = {.random = random,
                                      .op = row->op,
                                      .width_bytes = row->width_bytes,
                                      .limit_bytes = d.arch->shared_block_kib * 1024u,
                                      .span_bytes = SPAN_BYTES,
                                      .count = count > 0 ? UINT64_MAX : 0};
    smp_error unused;
    (void)smp_stream_random.visit(&stream, keep_predicted, &d, &unused);
    return d.drawn;
}

static uint64_t predicted_sum(const smp_arch *arch, const smp_access *accesses, size_t count) {
    uint64_t sum = 0, one = 0;
    for (size_t i = 0; i < count; i++)
        sum += smp_verify_predict(arch, &accesses[i], &one) ? one : 0;
    return sum;
}

/* ---- After a sum that differs ---- */

typedef struct suspicion {
    verification *v;
    uint64_t sums[SMP_SHRINK_CANDIDATES_MAX];
    smp_error error;
} suspicion;

/* An smp_shrink_fn: the first access whose own cost differs. */
static size_t first_that_differs(void *user, const smp_access *accesses, size_t count) {
    suspicion *s = user;
    const smp_verify_job *job = s->v->job;
    smp_access known[SMP_SHRINK_CANDIDATES_MAX];
    size_t index[SMP_SHRINK_CANDIDATES_MAX], known_count = 0, done = 0;
    uint64_t predicted;
    for (size_t i = 0; i < count; i++) {
        if (smp_verify_predict(job->arch, &accesses[i], &predicted)) {
            index[known_count] = i;
            known[known_count++] = accesses[i];
        }
    }
    (void)job->measure(job->user, known, known_count, 1, s->sums, &done, &s->error);
    for (size_t i = 0; i < done; i++)
        if (smp_verify_predict(job->arch, &known[i], &predicted) && predicted != s->sums[i])
            return index[i];
    return count;
}

/* Finds the access that makes the sum of `accesses` differ; false if each agrees. */
static bool find_access(verification *v, const smp_access *accesses, size_t count) {
    suspicion s = {.v = v};
    smp_verify_result *result = v->result;
    size_t done = 0;
    for (size_t first = 0; first < count; first += SMP_SHRINK_CANDIDATES_MAX) {
        size_t left = count - first;
        size_t here = left < SMP_SHRINK_CANDIDATES_MAX ? left : SMP_SHRINK_CANDIDATES_MAX;
        size_t i = first_that_differs(&s, &accesses[first], here);
        if (i == here)
            continue;
        result->found = result->smallest = accesses[first + i];
        smp_access_shrink(&result->smallest, first_that_differs, &s);
        (void)smp_verify_predict(v->job->arch, &result->smallest, &result->predicted);
        (void)v->job->measure(v->job->user, &result->smallest, 1, 1, &result->measured, &done,
                              &s.error);
        result->differs = true;
        return true;
    }
    return false;
}

static smp_status judge_group(verification *v, const smp_access *accesses, size_t count,
                              uint64_t measured, smp_error *error) {
    uint64_t predicted = predicted_sum(v->job->arch, accesses, count), again = predicted;
    size_t done = 0;
    v->result->groups++;
    if (predicted == measured || find_access(v, accesses, count))
        return SMP_OK;
    smp_status status = v->job->measure(v->job->user, accesses, count, count, &again, &done, error);
    if (status != SMP_OK || again == predicted || count == 1) {
        v->result->unconfirmed++;
        return status;
    }
    v->result->differs = v->result->only_in_group = true;
    v->result->found = v->result->smallest = accesses[0];
    v->result->predicted = predicted;
    v->result->measured = again;
    return SMP_OK;
}

/* ---- The run ---- */

/* Ctrl-C takes effect between slices: long enough to hide their start, short enough to react. */
static void fit_slice(verification *v, double seconds) {
    const double much = 0.4, little = 0.1;
    const size_t least = v->job->group > 32 ? v->job->group : 32;
    if (seconds < little && v->slice < ROUND_ACCESSES)
        v->slice *= 2;
    else if (seconds > much && v->slice >= 2 * least)
        v->slice /= 2;
}

/* Measures the first `count` accesses; *done is the number of sums. */
static smp_status measure_slices(verification *v, size_t count, size_t *done, smp_error *error) {
    const smp_verify_job *job = v->job;
    smp_status status = SMP_OK;
    for (size_t first = 0; first < count && status == SMP_OK;) {
        const size_t here = count - first < v->slice ? count - first : v->slice;
        const double start = seconds_now();
        size_t got = 0;
        status = job->measure(job->user, &v->accesses[first], here, job->group,
                              &v->sums[first / job->group], &got, error);
        *done += got;
        first += here;
        fit_slice(v, seconds_now() - start);
        if (status == SMP_OK && job->progress &&
            !job->progress(job->progress_user, v->result->accesses + first))
            status = smp_error_set(error, SMP_E_INTERRUPTED, -1, "interrupted");
    }
    return status;
}

/* One turn of one row. */
static smp_status run_turn(verification *v, smp_verify_row *row, smp_random *random, size_t count,
                           smp_error *error) {
    const smp_verify_job *job = v->job;
    size_t drawn = draw_many(v, row, random, count), done = 0;
    smp_status status = measure_slices(v, drawn, &done, error);
    for (size_t i = 0; i < done && !v->result->differs; i++) {
        size_t first = i * job->group, left = drawn - first;
        size_t here = left < job->group ? left : job->group;
        smp_error failed;
        smp_status judged = judge_group(v, &v->accesses[first], here, v->sums[i], &failed);
        if (judged != SMP_OK && status == SMP_OK) {
            *error = failed;
            status = judged;
        }
        row->accesses += here;
        v->result->accesses += here;
    }
    return status;
}

/* Number of accesses for a row; 0 for no limit. */
static uint64_t share_of(const smp_verify_job *job, size_t row) {
    return job->count / job->row_count + (row < job->count % job->row_count);
}

static size_t turn_size(const smp_verify_job *job, size_t row) {
    uint64_t left = job->count == 0 ? ROUND_ACCESSES : share_of(job, row) - job->rows[row].accesses;
    return left < ROUND_ACCESSES ? (size_t)left : ROUND_ACCESSES;
}

static bool is_over(const verification *v) {
    const smp_verify_job *job = v->job;
    return v->result->differs || (job->count != 0 && v->result->accesses >= job->count) ||
           (job->seconds > 0 && seconds_now() - v->start >= job->seconds);
}

static smp_status run_rounds(verification *v, smp_error *error) {
    smp_verify_job *job = v->job;
    smp_random random[SMP_VERIFY_ROWS_MAX];
    smp_status status = SMP_OK;
    for (size_t row = 0; row < job->row_count; row++) {
        random[row].state =
            job->seed + 1000 * (uint64_t)job->rows[row].op + job->rows[row].width_bytes;
        (void)smp_random_next(&random[row]);
    }
    for (size_t row = 0; !is_over(v) && status == SMP_OK; row = (row + 1) % job->row_count) {
        uint64_t before = v->result->accesses;
        size_t count = turn_size(job, row);
        if (count > 0)
            status = run_turn(v, &job->rows[row], &random[row], count, error);
        if (count > 0 && v->result->accesses == before && status == SMP_OK)
            return smp_error_set(error, SMP_E_INTERNAL, -1, "%s: no access could be drawn",
                                 smp_ops(NULL)[job->rows[row].op].name);
    }
    return status;
}

smp_status smp_verify_run(smp_verify_job *job, smp_verify_result *result, smp_error *error) {
    verification v = {
        .job = job, .result = result, .slice = SLICE_ACCESSES, .start = seconds_now()};
    memset(result, 0, sizeof *result);
    v.accesses = malloc(ROUND_ACCESSES * sizeof *v.accesses);
    v.sums = malloc(ROUND_ACCESSES * sizeof *v.sums);
    smp_status status = v.accesses && v.sums ? run_rounds(&v, error) : smp_error_memory(error);
    free(v.accesses);
    free(v.sums);
    result->seconds = seconds_now() - v.start;
    return status;
}
