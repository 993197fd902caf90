/* SPDX-License-Identifier: MIT */
/*
 * bench_emulate [-t THREADS | -r] FILE.cubin LAUNCH...: thread-instructions a second, every access
 * judged, and how that compares with the naive loop of bench_naive.c on the same core in the same
 * run. On one core, or with -t on so many, and so is the loop: what is lost to shared caches and
 * paired cores is lost to both. With -r each launch runs again with --races, on one core, and its
 * rate is given as a part of that without.
 */
#define _POSIX_C_SOURCE 200809L /* clock_gettime */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bench_naive.h"
#include "launch_text.h"

static int fail(const smp_error *error) {
    fprintf(stderr, "bench_emulate: %s\n", error->message);
    return 1;
}

/* CPU time on one core, which others may share; wall time on several. */
static double seconds_now(unsigned threads) {
    struct timespec time;
    clock_gettime(threads == 1 ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* *against: what its rate is compared with, and then the rate. */
static int bench(smp_code *code, const char *launch_text, unsigned threads, bool races,
                 double *against) {
    smp_error error;
    smp_launch_text text;
    const smp_function *function;
    smp_launch_arguments made;
    smp_emu_memory memory = {0};
    smp_kernel_profile profile = {0};
    smp_emulation done;
    if (smp_launch_parse(launch_text, &text, &error) != SMP_OK ||
        smp_launch_kernel(code, text.name, &function, &error) != SMP_OK ||
        smp_launch_arguments_make(&text, function, &memory, &made, &error) != SMP_OK)
        return fail(&error);
    uint32_t cc = smp_code_cc(code);
    smp_launch launch = {.cluster = {1, 1, 1},
                         .parameters = made.bytes,
                         .arch = smp_arch_of_cc((int)cc / 10, (int)cc % 10),
                         .threads = threads,
                         .run.races = races};
    memcpy(launch.grid, text.grid, sizeof launch.grid);
    memcpy(launch.block, text.block, sizeof launch.block);
    launch.dynamic_shared_bytes = text.dynamic_shared_bytes;
    double start = seconds_now(threads);
    if (smp_emulate(code, function, &memory, &launch, &profile, &done, &error) != SMP_OK)
        return fail(&error);
    double seconds = seconds_now(threads) - start;
    double rate = 1e-9 * (double)done.thread_instructions / seconds;
    printf("%-20s %11llu thread-instructions in %.3f s: %6.2f billion a second, %5.2f of %s%s\n",
           text.name, (unsigned long long)done.thread_instructions, seconds, rate, rate / *against,
           races ? "that without --races" : "the naive loop", done.is_whole ? "" : ", not whole");
    *against = rate;
    smp_kernel_clear(&profile);
    smp_launch_arguments_clear(&made);
    smp_launch_clear(&text);
    smp_emu_memory_clear(&memory);
    return done.is_whole ? 0 : 1;
}

int main(int argc, char **argv) {
    smp_error error;
    smp_code *code;
    unsigned threads = 1;
    bool races = false;
    int at = 1, failed = 0;
    if (argc > 2 && strcmp(argv[1], "-t") == 0) {
        threads = (unsigned)strtoul(argv[2], NULL, 10);
        at = 3;
    } else if (argc > 1 && strcmp(argv[1], "-r") == 0) {
        races = true;
        at = 2;
    }
    if (argc < at + 2 || threads == 0) {
        fprintf(
            stderr,
            "bench_emulate [-t THREADS | -r] FILE.cubin 'kernel<<<grid, block>>>(arguments)'...\n");
        return 2;
    }
    if (smp_code_open_file(argv[at], &code, &error) != SMP_OK ||
        smp_code_disassemble(code, NULL, 0, &error) != SMP_OK)
        return fail(&error);
    double naive = bench_naive(threads);
    printf("%-20s %57.2f billion a second\n", "naive loop", naive);
    for (int i = at + 1; i < argc; i++) {
        double against = naive;
        failed |= bench(code, argv[i], threads, false, &against);
        if (races)
            failed |= bench(code, argv[i], threads, true, &against);
    }
    smp_code_close(code);
    return failed;
}
