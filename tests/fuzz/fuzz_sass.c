/* SPDX-License-Identifier: MIT */
/*
 * Any bytes as what nvdisasm prints of tests/data/sass/two.cubin. What is accepted is decoded and
 * run for a while.
 */
#include "cubin.h"
#include "emulate.h"
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

enum { WORDS = 256, PARAMETERS_MAX = 4096 };

__asm__(".section .rodata\n"
        ".global fuzz_two, fuzz_two_end\n"
        "fuzz_two: .incbin \"" SMP_DATA "/sass/two.cubin\"\n"
        "fuzz_two_end: .byte 0\n"
        ".previous\n");
extern const uint8_t fuzz_two[], fuzz_two_end[];

static void run(const smp_code *code, const smp_function *function) {
    smp_emu_memory memory = {0};
    smp_kernel_profile profile = {0};
    smp_emulation done;
    smp_error error;
    uint8_t *parameters = calloc(1, PARAMETERS_MAX + 64);
    if (!parameters || function->parameter_bytes > PARAMETERS_MAX)
        abort();
    const uint64_t arrays[2] = {smp_emu_memory_add(&memory, "out", 4 * WORDS)->address,
                                smp_emu_memory_add(&memory, "in", 4 * WORDS)->address};
    memcpy(parameters, arrays, sizeof arrays);
    const smp_launch launch = {.grid = {1, 1, 1},
                               .block = {32, 2, 1},
                               .cluster = {1, 1, 1},
                               .dynamic_shared_bytes = 1024,
                               .parameters = parameters,
                               .arch = smp_arch_of_cc(9, 0),
                               .threads = 1,
                               .run.block_limit = 2000};
    (void)smp_emulate(code, function, &memory, &launch, &profile, &done, &error);
    smp_emu_memory_clear(&memory);
    smp_kernel_clear(&profile);
    free(parameters);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    smp_code *code;
    char *text = malloc(size + 1);
    if (!text || smp_code_open(fuzz_two, (size_t)(fuzz_two_end - fuzz_two), &code, NULL) != SMP_OK)
        abort();
    memcpy(text, data, size);
    text[size] = '\0';
    if (smp_sass_text_read(code, text, NULL) == SMP_OK)
        for (size_t i = 0; i < code->function_count; i++)
            if (smp_cubin_link(code, &code->functions[i], NULL) == SMP_OK &&
                code->functions[i].linked)
                run(code, &code->functions[i]);
    smp_code_close(code);
    free(text);
    return 0;
}
