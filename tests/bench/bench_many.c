/* SPDX-License-Identifier: MIT */
/*
 * bench_many.c: what the C library alone takes for rows of 32 int64 offsets in a file: each thread
 * fills an smp_access from each of its rows, calls smp_predict and keeps what it costs. Prints the
 * seconds and the sum of the wavefronts; bench_python.py holds predict_many against it.
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

enum { THREADS_MAX = 64 };

typedef struct slice {
    pthread_t thread;
    const int64_t (*rows)[SMP_LANES];
    size_t count;
    smp_row_counts *out; /* room that has not been touched yet, as predict_many's */
    uint64_t wavefronts;
} slice;

static void *predict_slice(void *argument) {
    slice *s = argument;
    const smp_arch *arch = smp_arch_find("sm_90");
    smp_access access = {.op = SMP_LD_SHARED, .width_bytes = 4, .active_mask = SMP_ALL_LANES};
    for (size_t i = 0; i < s->count; i++) {
        smp_counts counts;
        for (unsigned lane = 0; lane < SMP_LANES; lane++)
            access.offset_bytes[lane] = (uint32_t)s->rows[i][lane];
        if (smp_predict(arch, &access, &counts) == SMP_OK)
            s->wavefronts += counts.wavefronts_max;
        s->out[i] = (smp_row_counts){
            .wavefronts_min = (uint16_t)counts.wavefronts_min,
            .wavefronts_max = (uint16_t)counts.wavefronts_max,
            .ideal = (uint16_t)counts.ideal,
            .excess = (uint16_t)counts.excess,
            .ways = (uint16_t)counts.ways,
            .active_lanes = (uint8_t)counts.active_lanes,
            .valid = (uint8_t)counts.valid,
        };
    }
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
    smp_row_counts *out = malloc(rows * sizeof *out);
    if (data == MAP_FAILED || !out)
        return EXIT_FAILURE;
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
    uint64_t wavefronts = 0;
    for (size_t t = 0; t < threads; t++) {
        pthread_join(slices[t].thread, NULL);
        wavefronts += slices[t].wavefronts;
    }
    clock_gettime(CLOCK_MONOTONIC, &end);
    free(out);
    printf("%.6f %.6f %llu\n",
           (double)(end.tv_sec - start.tv_sec) + (double)(end.tv_nsec - start.tv_nsec) * 1e-9,
           (double)(clock() - cpu) / CLOCKS_PER_SEC, (unsigned long long)wavefronts);
    return EXIT_SUCCESS;
}
