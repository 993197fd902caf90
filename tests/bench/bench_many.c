/* SPDX-License-Identifier: MIT */
/*
 * What the C library alone takes for rows of 32 int64 offsets in a file: one call of
 * smp_predict_many a thread. Prints the seconds, the CPU's seconds and the sum of the wavefronts;
 * bench_python.py holds predict_many of the Python package against it.
 *
 * Usage: bench_many FILE ROWS THREADS
 */
#define _DEFAULT_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "smp_model.h"

enum { THREADS_MAX = 64, HUGE_PAGE = 1 << 21 };

typedef struct slice {
    pthread_t thread;
    const int64_t (*rows)[SMP_LANES];
    size_t count;
    smp_row_counts *out; /* room that has not been touched yet, as predict_many's */
    size_t bad;
} slice;

static void *predict_slice(void *argument) {
    slice *s = argument;
    const smp_many many = {
        .op = SMP_LD_SHARED,
        .width_bytes = 4,
        .active_mask = SMP_ALL_LANES,
        .offsets = {s->rows, sizeof s->rows[0], sizeof s->rows[0][0], SMP_NUMBER_I64}};
    s->bad = smp_predict_many(smp_arch_find("sm_90"), &many, 0, s->count, s->out, NULL, NULL);
    return NULL;
}

int main(int argc, char **argv) {
    static slice slices[THREADS_MAX];
    const size_t rows = argc == 4 ? strtoull(argv[2], NULL, 10) : 0;
    const size_t threads = argc == 4 ? strtoull(argv[3], NULL, 10) : 0;
    const size_t bytes = rows * SMP_LANES * sizeof(int64_t);
    const int file = rows > 0 ? open(argv[1], O_RDONLY) : -1;
    if (file < 0 || threads < 1 || threads > THREADS_MAX) {
        fprintf(stderr, "usage: bench_many FILE ROWS THREADS\n");
        return 2;
    }
    const void *data = mmap(NULL, bytes, PROT_READ, MAP_SHARED | MAP_POPULATE, file, 0);
    const size_t room = (rows * sizeof(smp_row_counts) + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE;
    smp_row_counts *out = aligned_alloc(HUGE_PAGE, room);
    if (data == MAP_FAILED || !out)
        return EXIT_FAILURE;
    (void)madvise(out, room, MADV_HUGEPAGE); /* as NumPy does */
    struct timespec start, end;
    const clock_t cpu = clock();
    clock_gettime(CLOCK_MONOTONIC, &start);
    for (size_t t = 0; t < threads; t++) {
        const size_t first = rows * t / threads;
        slices[t].rows = (const int64_t(*)[SMP_LANES])data + first;
        slices[t].out = out + first;
        slices[t].count = rows * (t + 1) / threads - first;
        if (pthread_create(&slices[t].thread, NULL, predict_slice, &slices[t]) != 0)
            return EXIT_FAILURE;
    }
    size_t bad = 0;
    for (size_t t = 0; t < threads; t++) {
        pthread_join(slices[t].thread, NULL);
        bad += slices[t].bad;
    }
    clock_gettime(CLOCK_MONOTONIC, &end);
    const clock_t used = clock() - cpu;
    uint64_t wavefronts = 0;
    for (size_t i = 0; i < rows; i++)
        wavefronts += out[i].wavefronts_max;
    free(out);
    if (bad > 0)
        return EXIT_FAILURE;
    printf("%.6f %.6f %llu\n",
           (double)(end.tv_sec - start.tv_sec) + (double)(end.tv_nsec - start.tv_nsec) * 1e-9,
           (double)used / CLOCKS_PER_SEC, (unsigned long long)wavefronts);
    return EXIT_SUCCESS;
}
