/* SPDX-License-Identifier: MIT */
/*
 * Emulates kernels of random_collectives and writes what they leave.
 *     run_collectives FILE.cubin WORDS KERNEL:THREADS[:BLOCKS]... > RESULTS
 * Of each kernel WORDS words. A kernel with findings is told on stderr, and its words are -1.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collective_input.h"
#include "emulate.h"

static int told(const char *kernel, const char *what) {
    fprintf(stderr, "%s: %s\n", kernel, what);
    return 1;
}

/* Shared memory that is read too early is a fault of ptxas, not of the emulator: at -O1 it may
 * leave out a __syncwarp() behind WARPSYNC.EXCLUSIVE (docs/evidence/tests.md, Long runs). */
static int tell(const smp_function *function, const smp_emulation *done) {
    unsigned count = 0;
    for (uint32_t i = 0; i < done->finding_count; i++) {
        const smp_finding *finding = &done->findings[i];
        if (finding->kind == SMP_FINDING_UNINITIALISED)
            continue;
        count++;
        const smp_instruction *at = &function->instructions[finding->instruction];
        if (finding->instruction < function->instruction_count)
            fprintf(stderr, "%s: %s at +0x%x %s %s (thread %u)\n", function->name, finding->message,
                    at->offset_bytes, at->opcode, at->operands, finding->thread[0]);
        else
            fprintf(stderr, "%s: %s (thread %u)\n", function->name, finding->message,
                    finding->thread[0]);
    }
    return !done->is_whole || count > 0 || done->unknown_executed > 0;
}

static int run(const smp_code *code, const char *name, uint32_t threads, uint32_t blocks,
               uint32_t *out) {
    smp_emu_memory memory = {0};
    smp_kernel_profile profile = {0};
    smp_emulation done;
    smp_error error;
    const smp_function *function = smp_code_find(code, name);
    if (!function)
        return told(name, "no such kernel");
    uint64_t parameters[2];
    parameters[0] = smp_emu_memory_add(&memory, "out", 4 * COLLECTIVE_TRACED)->address;
    parameters[1] = smp_emu_memory_add(&memory, "in", 4 * COLLECTIVE_IN)->address;
    collective_input((uint32_t *)memory.arrays[1].bytes);
    const int cc = (int)smp_code_cc(code);
    smp_launch launch = {.grid = {blocks, 1, 1},
                         .block = {threads, 1, 1},
                         .cluster = {1, 1, 1},
                         .dynamic_shared_bytes = COLLECTIVE_SHARED,
                         .parameters = (const uint8_t *)parameters,
                         .arch = smp_arch_of_cc(cc / 10, cc % 10),
                         .threads = 1,
                         .run.block_limit = 10000000};
    smp_status status = smp_emulate(code, function, &memory, &launch, &profile, &done, &error);
    const int failed = status != SMP_OK ? told(name, error.message) : tell(function, &done);
    memcpy(out, memory.arrays[0].bytes, 4 * COLLECTIVE_TRACED);
    smp_emu_memory_clear(&memory);
    smp_kernel_clear(&profile);
    return failed;
}

int main(int argc, char **argv) {
    static uint32_t out[COLLECTIVE_TRACED];
    smp_code *code;
    smp_error error;
    const size_t words = argc > 2 ? strtoul(argv[2], NULL, 10) : 0;
    if (words == 0 || words > COLLECTIVE_TRACED)
        return 2;
    if (smp_code_open_file(argv[1], &code, &error) != SMP_OK ||
        smp_code_disassemble(code, NULL, 0, &error) != SMP_OK)
        return told(argv[1], error.message);
    for (int i = 3; i < argc; i++) {
        char name[128];
        unsigned threads, blocks = 1;
        if (sscanf(argv[i], "%127[^:]:%u:%u", name, &threads, &blocks) < 2)
            return 2;
        if (run(code, name, threads, blocks, out) != 0)
            memset(out, 0xff, sizeof(out));
        if (fwrite(out, 4, words, stdout) != words)
            return 1;
    }
    smp_code_close(code);
    return 0;
}
