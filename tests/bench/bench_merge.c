/* SPDX-License-Identifier: MIT */
/*
 * bench_merge FILE.smprof [COUNT]: COUNT files (10,000), a process each, in a folder of TMPDIR;
 * then a tenth of them and all of them merged, with the time and the memory of each. Time a file
 * must not grow with the files, and memory by no more than its name, its run and its spread. One of
 * them ran everything twice: it has to be found.
 *
 * transpose.smprof, two cores with much other work on them, 2026-11-23: 1,000 files in 1.2 s
 * and 4.2 MiB, 10,000 in 16 s and 7.0 MiB; 320 bytes more a file.
 */
#define _DEFAULT_SOURCE /* wait3, mkdtemp */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "profile_many.h"

enum { PATH_BYTES = 256, BYTES_A_FILE_MAX = 512, TIMES_A_FILE_MAX = 2 };

static void fail(const char *what, const smp_error *error) {
    fprintf(stderr, "bench_merge: %s: %s\n", what, error ? error->message : "failed");
    exit(1);
}

static void read_one(const char *path, smp_profile *out) {
    smp_profile_loss loss;
    smp_error error;
    FILE *in = fopen(path, "rb");
    if (!in || smp_profile_read(in, out, &loss, &error) != SMP_OK)
        fail(path, in ? &error : NULL);
    (void)fclose(in);
}

static void write_one(const char *path, const smp_profile *profile) {
    smp_error error;
    FILE *out = fopen(path, "wb");
    if (!out || smp_profile_write(out, profile, &error) != SMP_OK || fclose(out) != 0)
        fail(path, NULL);
}

/* A process each; file number `odd` holds everything twice. */
static char **make_files(const char *from, const char *folder, size_t count, size_t odd) {
    smp_profile one = {0}, twice = {0}, again = {0};
    smp_error error;
    char **paths = calloc(count, sizeof *paths);
    read_one(from, &one);
    read_one(from, &twice);
    read_one(from, &again);
    if (!paths || smp_profile_merge(&twice, &again, &error) != SMP_OK)
        fail(from, NULL);
    for (size_t i = 0; i < count; i++) {
        smp_profile *profile = i == odd ? &twice : &one;
        char path[PATH_BYTES];
        (void)snprintf(path, sizeof path, "%s/%zu.smprof", folder, i);
        paths[i] = strdup(path);
        if (!paths[i])
            fail(from, NULL);
        profile->runs[0].process = i + 1;
        write_one(paths[i], profile);
    }
    smp_profile_clear(&one);
    smp_profile_clear(&twice);
    return paths;
}

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void no_loss(const char *path, const smp_profile_loss *loss) {
    (void)loss;
    fail(path, NULL);
}

static void no_bad(const char *path, const smp_error *error) {
    (void)path;
    fail("merge", error);
}

static const smp_profile_told told = {no_loss, no_bad};

/* In a process of its own, whose memory is its own; its peak in KiB. */
static long merge(char **paths, size_t count, size_t odd, double *seconds_a_file) {
    smp_profile all = {0};
    smp_profile_filter everything = {0};
    smp_profile_part *parts = calloc(count, sizeof *parts);
    smp_spread spread;
    smp_error error;
    struct rusage used;
    const double start = now();
    (void)fflush(stdout);
    if (fork() == 0) {
        if (smp_profile_read_many((const char *const *)paths, count, &everything, &all, parts,
                                  &told, &error) != SMP_OK ||
            smp_spread_make(parts, count, &spread, &error) != SMP_OK)
            fail("merge", &error);
        if (spread.odd != odd || all.run_count < count)
            fail("the odd one out was not found", NULL);
        _exit(0);
    }
    int status;
    free(parts);
    if (wait3(&status, 0, &used) < 0 || status != 0)
        exit(1);
    const double seconds = now() - start;
    printf("%6zu files in %7.2f s, %6.0f a second, at most %ld KiB of memory\n", count, seconds,
           (double)count / seconds, used.ru_maxrss);
    *seconds_a_file = seconds / (double)count;
    return used.ru_maxrss;
}

int main(int argc, char **argv) {
    char folder[] = "/tmp/bench-merge-XXXXXX", command[64];
    const size_t count = argc > 2 ? strtoul(argv[2], NULL, 10) : 10000, odd = count / 20;
    if (argc < 2 || count < 100 || !mkdtemp(folder))
        fail("usage: bench_merge FILE.smprof [COUNT, at least 100]", NULL);
    char **paths = make_files(argv[1], folder, count, odd);
    double few, many;
    const long tenth = merge(paths, count / 10, odd, &few);
    const long whole = merge(paths, count, odd, &many);
    for (size_t i = 0; i < count; i++)
        free(paths[i]);
    free(paths);
    (void)snprintf(command, sizeof command, "rm -rf '%s'", folder);
    if (system(command) != 0)
        fail(folder, NULL);
    const double a_file = 1024.0 * (double)(whole - tenth) / (double)(count - count / 10);
    printf("%.0f bytes more a file: its name, run and cost; %.2f times the time a file\n", a_file,
           many / few);
    return a_file > BYTES_A_FILE_MAX || many > TIMES_A_FILE_MAX * few ? 1 : 0;
}
