/* SPDX-License-Identifier: MIT */
/*
 * The kernels of tests/data/sass/{opcodes,forms,programs,benchmarks,control}.cu,
 * emulated and compared with a GPU's results (*.bin, by record_opcodes.c; *.txt name the GPU), bit
 * by bit, except for kernels named approx_..., whose single-precision results may differ in their
 * last places. SMP_OPCODES_SHOW=1 prints every difference. Skipped (77) without nvdisasm.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "emulate.h"
#include "nvdisasm.h"
#include "opcode_input.h"
#include "suite.h"

enum { KERNELS_MAX = 32, WARP_INSTRUCTIONS = 100000000 };

typedef struct recorded {
    char name[64];
    unsigned rows;
    size_t at; /* word in opcodes.bin */
} recorded;

static recorded kernels[KERNELS_MAX];
static unsigned kernel_count;
static uint32_t *words;
static size_t word_count;

/* Code of another architecture is compared with the same record. */
static const struct {
    const char *record, *code;
} sets[] = {
    {"opcodes", "opcodes"},         {"forms", "forms"},           {"forms", "forms.75"},
    {"forms", "forms.80"},          {"forms", "forms.86"},        {"forms", "forms.89"},
    {"forms", "forms.100"},         {"forms", "forms.120"},       {"programs", "programs"},
    {"programs", "programs.80"},    {"programs", "programs.87"},  {"programs", "programs.103"},
    {"programs", "programs.110"},   {"programs", "programs.120"}, {"programs", "programs.121"},
    {"opcodes", "opcodes.120"},     {"benchmarks", "benchmarks"}, {"opcodes", "opcodes.o0"},
    {"programs", "programs.o0"},    {"opcodes.o0", "opcodes.o0"}, {"forms.o0", "forms.o0"},
    {"programs.o0", "programs.o0"}, {"control", "control"}};

static const char *path_of(const char *set, const char *ending) {
    static char path[4096];
    snprintf(path, sizeof path, "%s/sass/%s.%s", SMP_DATA, set, ending);
    return path;
}

static void read_recorded(const char *set) {
    char *text, *bytes;
    size_t length, size, at = 0;
    smp_error error;
    ck_assert_msg(smp_tool_read(path_of(set, "txt"), &text, &length, &error) == SMP_OK, "%s",
                  error.message);
    ck_assert_msg(smp_tool_read(path_of(set, "bin"), &bytes, &size, &error) == SMP_OK, "%s",
                  error.message);
    for (char *line = text; line && *line != '\0'; line = strchr(line, '\n')) {
        line += *line == '\n';
        recorded *k = &kernels[kernel_count];
        if (*line == '#' || sscanf(line, "%63s %u", k->name, &k->rows) != 2)
            continue;
        k->at = at;
        at += (size_t)k->rows * OPCODE_THREADS;
        kernel_count++;
    }
    words = (uint32_t *)(void *)bytes;
    word_count = size / 4;
    free(text);
}

/* Runs one kernel; its output is copied to `out`. */
static void run_kernel(const smp_code *code, const char *name, uint32_t out[OPCODE_OUTPUTS]) {
    smp_emu_memory memory = {0};
    smp_kernel_profile profile = {0};
    smp_emulation done;
    smp_error error;
    uint32_t in[OPCODE_INPUTS];
    uint64_t parameters[2];
    const smp_function *function = smp_code_find(code, name);
    ck_assert_msg(function, "%s is not there", name);
    parameters[0] = smp_emu_memory_add(&memory, "out", 4 * OPCODE_OUTPUTS)->address;
    parameters[1] = smp_emu_memory_add(&memory, "in", sizeof in)->address;
    opcode_fill_input(name, in);
    memcpy(memory.arrays[1].bytes, in, sizeof in);
    smp_launch launch = {
        .grid = {1, 1, 1},
        .block = {OPCODE_THREADS, 1, 1},
        .cluster = {1, 1, 1},
        .parameters = (const uint8_t *)parameters,
        .arch = smp_arch_of_cc((int)smp_code_cc(code) / 10, (int)smp_code_cc(code) % 10),
        .threads = 1,
        .run.block_limit = WARP_INSTRUCTIONS};
    smp_status status = smp_emulate(code, function, &memory, &launch, &profile, &done, &error);
    ck_assert_msg(status == SMP_OK, "%s: %s", name, error.message);
    for (uint32_t i = 0; i < done.finding_count; i++)
        ck_abort_msg("%s: %s at %s %s", name, done.findings[i].message,
                     function->instructions[done.findings[i].instruction].opcode,
                     function->instructions[done.findings[i].instruction].operands);
    memcpy(out, memory.arrays[0].bytes, 4 * OPCODE_OUTPUTS);
    smp_emu_memory_clear(&memory);
    smp_kernel_clear(&profile);
}

/* The special functions' own error; that of tanh.approx is 2^-11 (PTX ISA). */
static float error_of(const recorded *kernel, unsigned word) {
    bool is_tanh = strcmp(kernel->name, "approx_s_programs") == 0 && word / OPCODE_THREADS == 5;
    return is_tanh ? 1.0f / 2048 : 4e-6f;
}

static bool is_near(uint32_t got, uint32_t want, float error) {
    float a, b;
    memcpy(&a, &got, 4);
    memcpy(&b, &want, 4);
    if (isnan(a) || isnan(b) || isinf(a) || isinf(b))
        return isnan(a) == isnan(b) && (isnan(a) || a == b);
    return fabsf(a - b) <= error * fmaxf(fabsf(a), fabsf(b)) + 1e-6f;
}

static bool is_nan(uint32_t word) {
    return (word & 0x7fffffff) > 0x7f800000;
}

/* Allowed differences between architectures: NaNs from other instructions, and 1.0 - a * b with one
 * or two roundings. */
static bool is_compiled_otherwise(const recorded *kernel, unsigned word, uint32_t got,
                                  uint32_t want) {
    unsigned row = word / OPCODE_THREADS;
    return (is_nan(got) && is_nan(want)) ||
           (strcmp(kernel->name, "double_last") == 0 && (row == 24 || row == 25));
}

static unsigned compare(const recorded *kernel, const uint32_t *got, bool is_other) {
    bool is_approximate =
        strncmp(kernel->name, "approx", 6) == 0 && strcmp(kernel->name, "approx_matrix") != 0;
    unsigned differ = 0;
    for (unsigned i = 0; i < kernel->rows * OPCODE_THREADS; i++) {
        uint32_t want = words[kernel->at + i];
        if (got[i] == want || (is_approximate && is_near(got[i], want, error_of(kernel, i))))
            continue;
        if (is_other && is_compiled_otherwise(kernel, i, got[i], want))
            continue;
        uint32_t in[OPCODE_INPUTS];
        opcode_fill_input(kernel->name, in);
        const uint32_t *operands = &in[4 * (size_t)(i % OPCODE_THREADS)];
        if (differ++ == 0 || getenv("SMP_OPCODES_SHOW"))
            printf("%s row %u thread %u: %08x, but the GPU has %08x; of %08x %08x %08x %08x\n",
                   kernel->name, i / OPCODE_THREADS, i % OPCODE_THREADS, got[i], want, operands[0],
                   operands[1], operands[2], operands[3]);
    }
    return differ;
}

START_TEST(results_are_the_gpus) {
    static uint32_t out[OPCODE_OUTPUTS];
    smp_code *code;
    smp_error error;
    read_recorded(sets[_i].record);
    ck_assert_msg(smp_code_open_file(path_of(sets[_i].code, "cubin"), &code, &error) == SMP_OK,
                  "%s", error.message);
    ck_assert_msg(smp_code_disassemble(code, NULL, 0, &error) == SMP_OK, "%s", error.message);
    unsigned differ = 0;
    for (unsigned k = 0; k < kernel_count; k++) {
        run_kernel(code, kernels[k].name, out);
        ck_assert(kernels[k].at + (size_t)kernels[k].rows * OPCODE_THREADS <= word_count);
        differ += compare(&kernels[k], out, strcmp(sets[_i].record, sets[_i].code) != 0);
    }
    ck_assert_msg(differ == 0, "%u results differ", differ);
    smp_code_close(code);
    free(words);
}
END_TEST

int main(void) {
    if (suite_lacks_nvdisasm())
        return SUITE_SKIPPED;
    return SUITE("opcodes", TEST_EACH(results_are_the_gpus, COUNT_OF(sets)));
}
