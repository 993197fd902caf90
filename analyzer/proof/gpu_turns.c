/* SPDX-License-Identifier: MIT */
/*
 * A launch that leaves memory unchanged is repeated between two events, so that launch overhead
 * does not count. For any other launch, memory is restored each time.
 */
#include "gpu_launch.h"

#include <stdlib.h>
#include <string.h>

#include "grouped_bytes.h"

enum {
    ROUNDS_LEAST = 5,
    ROUNDS_MOST = 101,
    ROUNDS_RESET = 21,
    REPEATS_MOST = 20,
    SAMPLE_US = 200,      /* duration of one sample */
    ALL_US = 1000 * 1000, /* total for one kernel */
    SECONDS_MOST = 20     /* limit for one sample */
};

typedef struct clock_events {
    gpu_driver *gpu;
    void *from, *to;
} clock_events;

/* Waits until all launches of the sample have ended. */
static smp_status end_sample(const clock_events *by, const gpu_launch *of, smp_error *error) {
    const smp_status status = gpu_status(by->gpu->record(by->to, NULL), "an event", error);
    return status == SMP_OK
               ? gpu_driver_wait(by->gpu, by->to, SECONDS_MOST, gpu_launch_name(of), error)
               : status;
}

/* ---- What they leave ---- */

static uint64_t bytes_of(const smp_kept_launch *kept) {
    uint64_t sum = 0;
    for (uint32_t i = 0; i < kept->array_count; i++)
        sum += kept->arrays[i].size_bytes;
    return sum;
}

/* Runs one copy of the grid once and reads back all its memory. */
static smp_status run_once(const clock_events *by, gpu_launch *of, uint8_t *left,
                           smp_error *error) {
    const uint32_t copies = of->copies;
    of->copies = 1;
    smp_status status = gpu_launch_run(of, error);
    of->copies = copies;
    if (status == SMP_OK)
        status = end_sample(by, of, error);
    for (uint32_t i = 0; i < of->kept->array_count && status == SMP_OK; i++) {
        status = gpu_launch_get(of, i, left, error);
        left += of->kept->arrays[i].size_bytes;
    }
    return status;
}

/* Whether the bytes are equal, or hold the same structs, which `after` keeps in groups. */
static bool is_same(const gpu_launch *of, const uint8_t *a, const uint8_t *b, const char *grouped) {
    bool out = true;
    for (uint32_t i = 0; i < of->kept->array_count && out; i++) {
        const size_t bytes = of->kept->arrays[i].size_bytes;
        uint8_t *ordered = grouped && grouped[0] ? malloc(bytes + 1) : NULL;
        out = memcmp(a, b, bytes) == 0 ||
              (ordered && grouped_bytes_order(grouped, b, ordered, bytes) &&
               memcmp(a, ordered, bytes) == 0);
        free(ordered);
        a += bytes;
        b += bytes;
    }
    return out;
}

/* Stores in `a` what the first launch of `before` leaves; `b` is a buffer. Sets *is_still if a
 * second launch on that memory changes nothing. */
static smp_status compare(const clock_events *by, gpu_launch *before, gpu_launch *after, uint8_t *a,
                          uint8_t *b, gpu_turns *out, bool *is_still, smp_error *error) {
    const uint64_t bytes = bytes_of(before->kept);
    smp_status status = run_once(by, before, a, error);
    if (status != SMP_OK || run_once(by, after, b, &out->failed) != SMP_OK)
        return status;
    out->is_equal = is_same(before, a, b, out->grouped);
    if (!out->is_equal && gpu_launch_reset(before, error) == SMP_OK &&
        run_once(by, before, b, error) == SMP_OK)
        out->is_equal = memcmp(a, b, bytes) != 0; /* its result varies from run to run */
    status = run_once(by, before, b, error);
    *is_still = status == SMP_OK && memcmp(a, b, bytes) == 0;
    return status;
}

/* ---- How long they take ---- */

static smp_status sample(const clock_events *by, gpu_launch *of, uint32_t repeats, bool is_still,
                         double *microseconds, smp_error *error) {
    float milliseconds = 0;
    smp_status status = is_still ? SMP_OK : gpu_launch_reset(of, error);
    if (status == SMP_OK)
        status = gpu_status(by->gpu->record(by->from, NULL), "an event", error);
    for (uint32_t i = 0; i < repeats && status == SMP_OK; i++)
        status = gpu_launch_run(of, error);
    if (status == SMP_OK)
        status = end_sample(by, of, error);
    if (status == SMP_OK)
        status = gpu_status(by->gpu->elapsed(&milliseconds, by->from, by->to), gpu_launch_name(of),
                            error);
    *microseconds = 1e3 * (double)milliseconds / repeats;
    return status;
}

static int by_size(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static uint32_t within(double value, uint32_t least, uint32_t most) {
    return value < least ? least : value > most ? most : (uint32_t)value;
}

static smp_status take_times(const clock_events *by, gpu_launch *of[2], bool is_still,
                             gpu_turns *out, smp_error *error) {
    double times[2][ROUNDS_MOST], first[2] = {0};
    smp_status status = SMP_OK;
    for (unsigned v = 0; v < 2 && status == SMP_OK; v++)
        status = sample(by, of[v], 1, is_still, &first[v], error);
    const double both = first[0] + first[1] + 1e-3;
    const uint32_t repeats = is_still ? within(2 * SAMPLE_US / both, 1, REPEATS_MOST) : 1;
    out->rounds = is_still ? within(ALL_US / (both * repeats), ROUNDS_LEAST, ROUNDS_MOST)
                           : (uint32_t)ROUNDS_RESET;
    for (uint32_t r = 0; r < out->rounds; r++)
        for (unsigned v = 0; v < 2 && status == SMP_OK; v++)
            status = sample(by, of[v], repeats, is_still, &times[v][r], error);
    if (status != SMP_OK)
        return status;
    for (unsigned v = 0; v < 2; v++)
        qsort(times[v], out->rounds, sizeof times[v][0], by_size);
    out->before_us = times[0][out->rounds / 2];
    out->after_us = times[1][out->rounds / 2];
    return SMP_OK;
}

static smp_status take(gpu_launch *before, gpu_launch *after, uint8_t *a, uint8_t *b,
                       gpu_turns *out, smp_error *error) {
    bool is_still = false;
    gpu_launch *both[2] = {before, after};
    clock_events by = {.gpu = before->driver};
    smp_status status = gpu_status(by.gpu->event(&by.from, 0), "an event", error);
    if (status == SMP_OK)
        status = gpu_status(by.gpu->event(&by.to, 0), "an event", error);
    if (status == SMP_OK)
        status = compare(&by, before, after, a, b, out, &is_still, error);
    if (status == SMP_OK && out->is_equal)
        status = take_times(&by, both, is_still, out, error);
    if (by.from && !by.gpu->is_stuck)
        (void)by.gpu->event_end(by.from);
    if (by.to && !by.gpu->is_stuck)
        (void)by.gpu->event_end(by.to);
    return status;
}

smp_status gpu_turns_take(gpu_launch *before, gpu_launch *after, gpu_turns *out, smp_error *error) {
    *out = (gpu_turns){.grouped = out->grouped};
    const uint64_t bytes = bytes_of(before->kept);
    if (bytes != bytes_of(after->kept))
        return smp_error_set(error, SMP_E_RESULT, -1, "their arrays differ in size");
    uint8_t *a = malloc(bytes + 1), *b = malloc(bytes + 1);
    const smp_status status =
        a && b ? take(before, after, a, b, out, error) : smp_error_memory(error);
    free(a);
    free(b);
    return status;
}
