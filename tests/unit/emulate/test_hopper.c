/* SPDX-License-Identifier: MIT */
/*
 * The kernels of tests/data/sass/hopper.cu, warpgroup.cu and sums.cu, emulated, and compared with
 * an H200's results (hopper.txt: sums of record_features.c's words). SMP_HOPPER_RECORDED=FOLDER,
 * with these words in files KERNEL.bin, prints which words differ. Skipped (77) without nvdisasm.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "emulate.h"
#include "nvdisasm.h"
#include "suite.h"
#include "tool.h"

enum { WORDS = 4096, OUT_WORDS = 65536, THREADS = 128, KERNELS_MAX = 64 };

typedef struct recorded {
    char name[64];
    unsigned words, blocks, cluster;
    unsigned long long sum;
} recorded;

static recorded kernels[KERNELS_MAX];
static unsigned kernel_count;

static void read_recorded(void) {
    char *text;
    size_t length;
    smp_error error;
    ck_assert_msg(smp_tool_read(SMP_DATA "/sass/hopper.txt", &text, &length, &error) == SMP_OK,
                  "%s", error.message);
    for (char *line = text; line && *line != '\0'; line = strchr(line, '\n')) {
        line += *line == '\n';
        recorded *k = &kernels[kernel_count];
        if (*line != '#' && kernel_count < KERNELS_MAX &&
            sscanf(line, "%63s %u %u %u %llx", k->name, &k->words, &k->blocks, &k->cluster,
                   &k->sum) == 5)
            kernel_count++;
    }
    free(text);
}

static unsigned long long sum_of(const uint32_t *words, unsigned count) {
    unsigned long long sum = 0xcbf29ce484222325u;
    for (unsigned i = 0; i < 4 * count; i++)
        sum = (sum ^ ((const uint8_t *)words)[i]) * 0x100000001b3u;
    return sum;
}

static void emulate(const smp_code *code, const recorded *k, uint32_t *out) {
    smp_emu_memory memory = {0};
    smp_kernel_profile profile = {0};
    smp_emulation done;
    smp_error error;
    uint64_t parameters[2];
    const smp_function *function = smp_code_find(code, k->name);
    parameters[0] = smp_emu_memory_add(&memory, "out", 4 * OUT_WORDS)->address;
    parameters[1] = smp_emu_memory_add(&memory, "in", 4 * WORDS)->address;
    uint32_t *in = (uint32_t *)(void *)memory.arrays[1].bytes;
    for (uint32_t i = 0; i < WORDS; i++)
        in[i] = i * 2654435761u ^ i << 20;
    smp_launch launch = {.grid = {k->blocks, 1, 1},
                         .block = {THREADS, 1, 1},
                         .cluster = {k->cluster, 1, 1},
                         .parameters = (const uint8_t *)parameters,
                         .arch = smp_arch_of_cc(9, 0),
                         .threads = 1,
                         .run.block_limit = 30000000};
    smp_status status = smp_emulate(code, function, &memory, &launch, &profile, &done, &error);
    ck_assert_msg(status == SMP_OK, "%s: %s", k->name, error.message);
    for (uint32_t i = 0; i < done.finding_count; i++)
        printf("%s: %s at %s %s\n", k->name, done.findings[i].message,
               function->instructions[done.findings[i].instruction].opcode,
               function->instructions[done.findings[i].instruction].operands);
    memcpy(out, memory.arrays[0].bytes, 4 * OUT_WORDS);
    smp_emu_memory_clear(&memory);
    smp_kernel_clear(&profile);
}

static void show(const recorded *k, const uint32_t *out) {
    const char *folder = getenv("SMP_HOPPER_RECORDED");
    char path[4096], *bytes;
    size_t size;
    smp_error error;
    unsigned shown = 0, differ = 0;
    snprintf(path, sizeof path, "%.3000s/%.200s.bin", folder ? folder : "", k->name);
    if (!folder || smp_tool_read(path, &bytes, &size, &error) != SMP_OK)
        return;
    const uint32_t *want = (const uint32_t *)(const void *)bytes;
    for (unsigned i = 0; i < k->words && i < size / 4; i++)
        if (out[i] != want[i] && ++differ && shown++ < 12)
            printf("%s word %u: %08x, but the GPU has %08x\n", k->name, i, out[i], want[i]);
    printf("%s: %u of %u differ\n", k->name, differ, k->words);
    free(bytes);
}

static unsigned compare(const char *file, unsigned *compared) {
    static uint32_t out[OUT_WORDS];
    char path[4096];
    smp_code *code;
    smp_error error;
    unsigned differ = 0;
    snprintf(path, sizeof path, "%s/sass/%s", SMP_DATA, file);
    ck_assert_msg(smp_code_open_file(path, &code, &error) == SMP_OK, "%s", error.message);
    ck_assert_msg(smp_code_disassemble(code, NULL, 0, &error) == SMP_OK, "%s", error.message);
    for (unsigned i = 0; i < kernel_count; i++) {
        if (!smp_code_find(code, kernels[i].name))
            continue;
        emulate(code, &kernels[i], out);
        ++*compared;
        if (sum_of(out, kernels[i].words) == kernels[i].sum)
            continue;
        printf("%s is not what the GPU has\n", kernels[i].name);
        show(&kernels[i], out);
        differ++;
    }
    smp_code_close(code);
    return differ;
}

START_TEST(results_are_the_gpus) {
    unsigned compared = 0;
    read_recorded();
    unsigned differ = compare("hopper.cubin", &compared) + compare("warpgroup.cubin", &compared) +
                      compare("sums.cubin", &compared);
    ck_assert_uint_eq(compared, kernel_count);
    ck_assert_uint_gt(compared, 30);
    ck_assert_msg(differ == 0, "%u of %u kernels differ", differ, compared);
}
END_TEST

int main(void) {
    if (suite_lacks_nvdisasm())
        return SUITE_SKIPPED;
    return SUITE("hopper", TEST(results_are_the_gpus));
}
