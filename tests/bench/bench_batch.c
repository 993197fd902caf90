/* SPDX-License-Identifier: MIT */
/*
 * `smemprobe batch` on a file of random 32-lane accesses, against a loop that only reads the
 * integers of the same file, in the same run; and the peak memory of the program.
 *
 * Usage: bench_batch SMEMPROBE [LINES]
 */
#define _DEFAULT_SOURCE
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { LINES = 500000, ROUNDS = 5, LANES = 32, BLOCK_BYTES = 1 << 16 };

typedef struct child_cost {
    double seconds;
    long peak_kib;
} child_cost;

static double now_seconds(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static int write_lines(FILE *file, long lines) {
    uint64_t state = 12345;
    for (long i = 0; i < lines; i++) {
        fputs("ld.shared 4 ffffffff", file);
        for (unsigned lane = 0; lane < LANES; lane++) {
            state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
            fprintf(file, " %u", (unsigned)(state >> 33) % 12288 * 4);
        }
        fputc('\n', file);
    }
    return ferror(file) ? -1 : 0;
}

/* Reads every run of digits of the file as a number; returns how many, and adds to *sum. */
static uint64_t read_integers(int file, uint64_t *sum) {
    static char block[BLOCK_BYTES];
    uint64_t count = 0, value = 0;
    int inside = 0;
    for (ssize_t length; (length = read(file, block, sizeof block)) > 0;) {
        for (ssize_t i = 0; i < length; i++) {
            unsigned digit = (unsigned char)block[i] - (unsigned)'0';
            if (digit <= 9) {
                value = value * 10 + digit;
                inside = 1;
            } else if (inside) {
                *sum += value;
                count++;
                value = 0;
                inside = 0;
            }
        }
    }
    return count + (uint64_t)inside;
}

static double time_integers(const char *path, uint64_t *count) {
    double best = 1e30;
    for (unsigned round = 0; round < ROUNDS; round++) {
        uint64_t sum = 0;
        int file = open(path, O_RDONLY);
        double start = now_seconds();
        *count = read_integers(file, &sum);
        double taken = now_seconds() - start;
        close(file);
        best = taken < best ? taken : best;
        *count += sum == 0;
    }
    return best;
}

static int run_child(const char *program, const char *path, child_cost *cost) {
    double start = now_seconds();
    pid_t child = fork();
    if (child == 0) {
        int null = open("/dev/null", O_WRONLY);
        dup2(null, STDOUT_FILENO);
        execl(program, program, "batch", "--format", "csv", path, (char *)NULL);
        _exit(127);
    }
    struct rusage usage;
    int status = 0;
    if (child < 0 || wait4(child, &status, 0, &usage) != child)
        return -1;
    cost->seconds = now_seconds() - start;
    cost->peak_kib = usage.ru_maxrss;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static int compare(const char *program, const char *path, long lines) {
    struct stat file;
    uint64_t integers = 0;
    child_cost best = {.seconds = 1e30}, cost;
    for (unsigned round = 0; round < ROUNDS; round++) {
        int status = run_child(program, path, &cost);
        if (status != 0) {
            fprintf(stderr, "bench_batch: %s batch exits with %d\n", program, status);
            return EXIT_FAILURE;
        }
        best.seconds = cost.seconds < best.seconds ? cost.seconds : best.seconds;
        best.peak_kib = cost.peak_kib > best.peak_kib ? cost.peak_kib : best.peak_kib;
    }
    double alone = time_integers(path, &integers);
    double mib = stat(path, &file) == 0 ? (double)file.st_size / (1 << 20) : 0;
    printf("%ld lines, %.1f MiB, %" PRIu64 " integers\n", lines, mib, integers);
    printf("batch          %8.0f ns a line  %10.0f lines/s\n", best.seconds / (double)lines * 1e9,
           (double)lines / best.seconds);
    printf("integers alone %8.0f ns a line  %10.0f lines/s\n", alone / (double)lines * 1e9,
           (double)lines / alone);
    printf("ratio          %8.2f\n", best.seconds / alone);
    printf("peak memory    %8ld KiB\n", best.peak_kib);
    return EXIT_SUCCESS;
}

int main(int argc, char **argv) {
    char path[] = "/tmp/bench_batch_XXXXXX";
    long lines = argc > 2 ? strtol(argv[2], NULL, 10) : LINES;
    if (argc < 2 || lines < 1) {
        fprintf(stderr, "usage: bench_batch SMEMPROBE [LINES]\n");
        return 2;
    }
    int descriptor = mkstemp(path);
    FILE *file = descriptor < 0 ? NULL : fdopen(descriptor, "w");
    if (!file) {
        perror("bench_batch");
        return EXIT_FAILURE;
    }
    int written = write_lines(file, lines);
    int closed = fclose(file);
    int status = written == 0 && closed == 0 ? compare(argv[1], path, lines) : EXIT_FAILURE;
    unlink(path);
    return status;
}
