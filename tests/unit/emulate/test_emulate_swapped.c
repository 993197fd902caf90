/* SPDX-License-Identifier: MIT */
/*
 * Kernels of tests/data/sass with instructions whose opcode, predicate or
 * operands are replaced by others', or have a changed letter or digit. They may be refused or give
 * wrong results, but must end and stay inside their memory (checked by sanitizers). SMP_SWAPPED=N
 * tries N instead of 300, SMP_SWAPPED_SEED changes the seed. The first runs of 10,000 with
 * sanitizers, 2026-11-22, found a number as wide as a matrix, code that ran on behind its end, and
 * a negative shift. Skipped (77) without nvdisasm.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "emulate.h"
#include "nvdisasm.h"
#include "suite.h"

enum { TRIALS = 300, WORDS = 65536, CHANGES_MOST = 6, TEXT_BYTES = 512, PARAMETERS_MOST = 4096 };

static uint64_t state = 88172645463325252u;

static uint32_t draw(uint32_t below) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (uint32_t)(state >> 16) % below;
}

/* The arguments are two arrays, then numbers that may be sizes, places or addresses. */
static bool run(const smp_code *code, const smp_function *function, uint32_t blocks) {
    smp_emu_memory memory = {0};
    smp_kernel_profile profile = {0};
    smp_emulation done;
    smp_error error;
    uint8_t parameters[PARAMETERS_MOST + 64] = {0};
    uint64_t arrays[2];
    arrays[0] = smp_emu_memory_add(&memory, "out", 4 * WORDS)->address;
    arrays[1] = smp_emu_memory_add(&memory, "in", 4 * WORDS)->address;
    for (uint32_t i = 0; i < 4 * WORDS; i++)
        memory.arrays[1].bytes[i] = (uint8_t)(i * 7 + (i >> 8));
    for (uint32_t i = 16; i < sizeof parameters; i++)
        parameters[i] = (uint8_t)draw(3);
    memcpy(parameters, arrays, sizeof(arrays));
    if (function->parameter_count > 1 && function->parameters[1].size_bytes == 128)
        memcpy(parameters + function->parameters[1].offset_bytes, &arrays[1], 8);
    smp_launch launch = {.grid = {blocks, 1, 1},
                         .block = {128, 1, 1},
                         .cluster = {blocks, 1, 1},
                         .dynamic_shared_bytes = 4096,
                         .parameters = parameters,
                         .arch = smp_arch_of_cc(9, 0),
                         .threads = 1,
                         .run.block_limit = 20000};
    bool ran = function->parameter_bytes < PARAMETERS_MOST &&
               smp_emulate(code, function, &memory, &launch, &profile, &done, &error) == SMP_OK;
    smp_emu_memory_clear(&memory);
    smp_kernel_clear(&profile);
    return ran;
}

static void change_letter(char *text) {
    size_t length = strlen(text);
    if (length == 0)
        return;
    char *at = &text[draw((uint32_t)length)];
    if (*at >= '0' && *at <= '9')
        *at = (char)('0' + draw(10));
    else if (*at >= 'A' && *at <= 'Z')
        *at = (char)('A' + draw(26));
    else if (draw(4) == 0)
        *at = "[]+-.,|~! RU"[draw(12)];
}

/* Replaces some words of an instruction by those of another, from any function. */
static void change(const smp_function *functions, size_t count, smp_instruction *instruction,
                   char texts[3][TEXT_BYTES]) {
    const smp_function *other = &functions[draw((uint32_t)count)];
    const smp_instruction *from = instruction;
    if (other->instruction_count > 0)
        from = &other->instructions[draw(other->instruction_count)];
    uint32_t what = draw(8);
    snprintf(texts[0], TEXT_BYTES, "%s", (what & 1 ? from : instruction)->opcode);
    snprintf(texts[1], TEXT_BYTES, "%s", (what & 2 ? from : instruction)->operands);
    snprintf(texts[2], TEXT_BYTES, "%s", (what & 4 ? from : instruction)->predicate);
    if (what == 0 || draw(3) == 0)
        change_letter(texts[draw(3)]);
    instruction->opcode = texts[0];
    instruction->operands = texts[1];
    instruction->predicate = texts[2];
}

static bool trial(const smp_code *code) {
    static char texts[CHANGES_MOST][3][TEXT_BYTES];
    size_t count;
    const smp_function *functions = smp_code_functions(code, &count);
    smp_function function = functions[draw((uint32_t)count)];
    if (!function.is_kernel || function.instruction_count == 0)
        return false;
    size_t bytes = function.instruction_count * sizeof(*function.instructions);
    smp_instruction *changed = malloc(bytes);
    ck_assert_ptr_nonnull(changed);
    memcpy(changed, function.instructions, bytes);
    function.instructions = changed;
    for (uint32_t i = 0, changes = 1 + draw(CHANGES_MOST); i < changes; i++)
        change(functions, count, &changed[draw(function.instruction_count)], texts[i]);
    bool ran = run(code, &function, 1 + draw(2));
    free(changed);
    return ran;
}

START_TEST(ends_inside_of_its_memory) {
    static const char *const files[] = {"opcodes",  "forms", "hopper",    "warpgroup",   "tensor",
                                        "forms.80", "two",   "forms.100", "features.90a"};
    enum { FILES = sizeof(files) / sizeof(*files) };
    const char *asked = getenv("SMP_SWAPPED"), *seed = getenv("SMP_SWAPPED_SEED");
    long trials = asked ? strtol(asked, NULL, 10) : TRIALS;
    smp_code *codes[FILES];
    smp_error error;
    unsigned ran = 0;
    state += seed ? strtoul(seed, NULL, 10) : 0;
    for (unsigned i = 0; i < FILES; i++) {
        char path[4096];
        snprintf(path, sizeof path, "%s/sass/%s.cubin", SMP_DATA, files[i]);
        ck_assert_msg(smp_code_open_file(path, &codes[i], &error) == SMP_OK, "%s", error.message);
        ck_assert_msg(smp_code_disassemble(codes[i], NULL, 0, &error) == SMP_OK, "%s",
                      error.message);
    }
    for (long i = 0; i < trials; i++)
        ran += trial(codes[draw(FILES)]);
    printf("%u of %ld ran\n", ran, trials);
    ck_assert_uint_gt(ran, (unsigned)trials / 3);
    for (unsigned i = 0; i < FILES; i++)
        smp_code_close(codes[i]);
}
END_TEST

int main(void) {
    if (suite_lacks_nvdisasm())
        return SUITE_SKIPPED;
    return SUITE_FOR(0, "swapped", TEST(ends_inside_of_its_memory));
}
