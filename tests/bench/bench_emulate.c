/* SPDX-License-Identifier: MIT */
/*
 * bench_emulate FILE.cubin LAUNCH: thread-instructions a second on one core, every access judged.
 */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "launch_text.h"

static int fail(const smp_error *error) {
    fprintf(stderr, "bench_emulate: %s\n", error->message);
    return 1;
}

int main(int argc, char **argv) {
    smp_error error;
    smp_code *code;
    smp_launch_text text;
    const smp_function *function;
    smp_launch_arguments made;
    smp_emu_memory memory = {0};
    smp_kernel_profile profile = {0};
    smp_emulation done;
    if (argc != 3) {
        fprintf(stderr, "bench_emulate FILE.cubin 'kernel<<<grid, block>>>(arguments)'\n");
        return 2;
    }
    if (smp_code_open_file(argv[1], &code, &error) != SMP_OK ||
        smp_launch_parse(argv[2], &text, &error) != SMP_OK ||
        smp_launch_kernel(code, text.name, &function, &error) != SMP_OK ||
        smp_code_disassemble(code, &function->name, 1, &error) != SMP_OK ||
        smp_launch_arguments_make(&text, function, &memory, &made, &error) != SMP_OK)
        return fail(&error);
    uint32_t cc = smp_code_cc(code);
    smp_launch launch = {.cluster = {1, 1, 1},
                         .parameters = made.bytes,
                         .arch = smp_arch_of_cc((int)cc / 10, (int)cc % 10),
                         .threads = 1};
    memcpy(launch.grid, text.grid, sizeof launch.grid);
    memcpy(launch.block, text.block, sizeof launch.block);
    launch.dynamic_shared_bytes = text.dynamic_shared_bytes;
    clock_t start = clock(); /* of the CPU: others may be using it, too */
    if (smp_emulate(code, function, &memory, &launch, &profile, &done, &error) != SMP_OK)
        return fail(&error);
    double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
    printf("%-24s %12llu thread-instructions in %.3f s: %.2f billion a second on one core%s\n",
           text.name, (unsigned long long)done.thread_instructions, seconds,
           1e-9 * (double)done.thread_instructions / seconds, done.is_whole ? "" : ", not whole");
    smp_kernel_clear(&profile);
    smp_launch_arguments_clear(&made);
    smp_launch_clear(&text);
    smp_emu_memory_clear(&memory);
    smp_code_close(code);
    return done.is_whole ? 0 : 1;
}
