/* SPDX-License-Identifier: MIT */
/*
 * How fast one core reads a trace, of strides as kernels make them and of random offsets, from
 * memory; and how long the same rows take to predict.
 */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "smp_accesses.h"
#include "smp_trace.h"

enum { ROWS = 1000000, ROUNDS = 5 };

static double cpu_seconds(void) {
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static char *make(bool random, size_t *size) {
    smp_random from = {1};
    smp_error error;
    char *bytes;
    FILE *out = open_memstream(&bytes, size);
    smp_trace_writer *writer = out ? smp_trace_writer_new(out) : NULL;
    if (!writer)
        exit(EXIT_FAILURE);
    for (uint32_t i = 0; i < ROWS; i++) {
        smp_access access = {.width_bytes = 4, .active_mask = SMP_ALL_LANES};
        for (uint32_t lane = 0; lane < SMP_LANES; lane++)
            access.offset_bytes[lane] =
                random ? smp_random_below(&from, 12288) * 4 : i % 997 * 32 + lane * (i % 33) * 4;
        if (smp_trace_put(writer, &access, &error) != SMP_OK)
            exit(EXIT_FAILURE);
    }
    if (smp_trace_finish(writer, &error) != SMP_OK)
        exit(EXIT_FAILURE);
    smp_trace_writer_free(writer);
    fclose(out);
    return bytes;
}

static void measure(const char *name, bool random, bool predicts) {
    static smp_row_counts counts[SMP_TRACE_ROWS_MAX];
    size_t size;
    char *bytes = make(random, &size);
    double best = 1e30;
    uint64_t rows = 0;
    for (unsigned round = 0; round < ROUNDS; round++) {
        smp_trace_reader *reader;
        smp_trace_block block;
        smp_trace_loss loss;
        FILE *in = fmemopen(bytes, size, "rb");
        const double start = cpu_seconds();
        if (!in || smp_trace_open(in, &reader, NULL) != SMP_OK)
            exit(EXIT_FAILURE);
        for (rows = 0; smp_trace_next(reader, &block, &loss, NULL) == SMP_OK && block.rows > 0;
             rows += block.rows) {
            if (predicts)
                (void)smp_predict_many(smp_arch_find("sm_90"), &block.many, 0, block.rows, counts,
                                       NULL, NULL);
        }
        const double seconds = cpu_seconds() - start;
        best = seconds < best ? seconds : best;
        smp_trace_reader_free(reader);
        fclose(in);
    }
    printf("%-32s %6.1f million a second, %5.1f bytes a row\n", name, (double)rows / best * 1e-6,
           (double)size / ROWS);
    free(bytes);
}

int main(void) {
    measure("trace of strides, read", false, false);
    measure("trace of random offsets, read", true, false);
    measure("strides, read and predicted", false, true);
    measure("random, read and predicted", true, true);
    return EXIT_SUCCESS;
}
