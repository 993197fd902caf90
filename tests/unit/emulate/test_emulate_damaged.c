/* SPDX-License-Identifier: MIT */
/*
 * Tests/data/sass/two.cubin with changed bytes, and with changed words of
 * its disassembly: files that still open are run; they may be refused or give wrong results, but
 * must end and stay inside their memory (checked by sanitizers). SMP_DAMAGED=N tries N instead of
 * 400. Last long run, with sanitizers, 2026-11-22: 30,000 files, 26,148 opened, 38,601 kernels ran.
 * One of the first requested a terabyte of local memory, which is now refused.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cubin.h"
#include "emulate.h"
#include "suite.h"
#include "tool.h"

enum { TRIALS = 400, WORDS = 4096 };

static uint64_t state = 88172645463325252u;

static uint32_t draw(void) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (uint32_t)(state >> 16);
}

/* Changes bytes: any in the file, digits and letters of operands in the text. */
static void damage(char *bytes, size_t size, unsigned changes, bool is_text) {
    for (unsigned i = 0; i < changes; i++) {
        size_t at = draw() % size;
        if (!is_text)
            bytes[at] = (char)draw();
        else if (bytes[at] >= '0' && bytes[at] <= '9')
            bytes[at] = (char)('0' + draw() % 10);
        else if (bytes[at] >= 'A' && bytes[at] <= 'Z')
            bytes[at] = (char)('A' + draw() % 26);
    }
}

static bool run(const smp_code *code, const smp_function *function) {
    smp_emu_memory memory = {0};
    smp_kernel_profile profile = {0};
    smp_emulation done;
    smp_error error;
    uint8_t *parameters = calloc(1, (size_t)function->parameter_bytes + 64);
    uint64_t arrays[2];
    arrays[0] = smp_emu_memory_add(&memory, "out", 4 * WORDS)->address;
    arrays[1] = smp_emu_memory_add(&memory, "in", 4 * WORDS)->address;
    memcpy(parameters, arrays, sizeof(arrays));
    smp_launch launch = {.grid = {2, 2, 1},
                         .block = {32, 8, 1},
                         .cluster = {1, 1, 1},
                         .dynamic_shared_bytes = 1024,
                         .parameters = parameters,
                         .arch = smp_arch_of_cc(9, 0),
                         .threads = 1,
                         .run.block_limit = 20000};
    bool ran = function->parameter_bytes < 4096 &&
               smp_emulate(code, function, &memory, &launch, &profile, &done, &error) == SMP_OK;
    smp_emu_memory_clear(&memory);
    smp_kernel_clear(&profile);
    free(parameters);
    return ran;
}

START_TEST(ends_inside_of_its_memory) {
    const char *asked = getenv("SMP_DAMAGED");
    long trials = asked ? strtol(asked, NULL, 10) : TRIALS;
    char *cubin, *text;
    size_t cubin_size, text_size;
    unsigned opened = 0, ran = 0;
    ck_assert_int_eq(smp_tool_read(SMP_DATA "/sass/two.cubin", &cubin, &cubin_size, NULL), SMP_OK);
    ck_assert_int_eq(smp_tool_read(SMP_DATA "/sass/two.sass", &text, &text_size, NULL), SMP_OK);
    char *bytes = malloc(cubin_size), *words = malloc(text_size + 1);
    for (long trial = 0; trial < trials; trial++) {
        smp_code *code;
        memcpy(bytes, cubin, cubin_size);
        memcpy(words, text, text_size);
        words[text_size] = '\0';
        damage(bytes, cubin_size, draw() % 8, false);
        damage(words, text_size, draw() % 16, true);
        if (smp_code_open(bytes, cubin_size, &code, NULL) != SMP_OK)
            continue;
        opened++;
        if (smp_sass_text_read(code, words, NULL) == SMP_OK)
            for (size_t i = 0; i < code->function_count; i++)
                ran += smp_cubin_link(code, &code->functions[i], NULL) == SMP_OK &&
                       code->functions[i].linked && run(code, &code->functions[i]);
        smp_code_close(code);
    }
    if (asked)
        printf("%ld damaged files: %u opened, %u kernels ran\n", trials, opened, ran);
    ck_assert_msg(ran > trials / 4, "only %u kernels of %ld files ran", ran, trials);
    free(bytes);
    free(words);
    free(cubin);
    free(text);
}
END_TEST

int main(void) {
    return SUITE("damaged", TEST(ends_inside_of_its_memory));
}
