/* SPDX-License-Identifier: MIT */
/*
 * The kernels of tests/data/sass/features.cu, as ptxas assembled them for several
 * architectures, emulated and compared with results computed here; and these compared with an
 * H200's results (features.90.bin, features.90a.bin, by record_features.c, 2026-11-22, driver
 * 580.159.04). Skipped (77) without nvdisasm.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "emulate.h"
#include "nvdisasm.h"
#include "suite.h"
#include "tool.h"

enum { WORDS = 4096, THREADS = 128 };

typedef void (*reference_fn)(uint32_t *out, const uint32_t *in);

static void filled(uint32_t *out, const uint32_t *in) {
    uint32_t tile[4 * THREADS];
    for (unsigned t = 0; t < THREADS; t++)
        for (unsigned i = 0; i < 4; i++)
            tile[4 * t + i] = t < 50 ? in[4 * t + i] : 0;
    for (unsigned t = 0; t < THREADS; t++)
        memcpy(&out[4 * (size_t)t], &tile[4 * (127 - (size_t)t)], 16);
    for (unsigned t = 0; t < THREADS; t++)
        out[512 + 127 - t] = t % 5 == 4 ? in[t] : in[t] & ((1u << 8 * (t % 5)) - 1);
}

static void arrivals(uint32_t *out, const uint32_t *in) {
    for (unsigned t = 0; t < THREADS; t++)
        out[t] = in[127 - (t ^ 1)] + 1;
}

static void handed_over(uint32_t *out, const uint32_t *in) {
    for (unsigned round = 0; round < 3; round++)
        for (unsigned t = 0; t < 64; t++)
            out[64 * round + t] = in[63 - t] * (round + 1);
}

static void called(uint32_t *out, const uint32_t *in) {
    for (unsigned t = 0; t < THREADS; t++) {
        uint32_t x = in[128 + t] % 1000, digits = 0;
        for (uint32_t rest = x; rest != 0; rest /= 10)
            digits++;
        out[t] = in[t] % 3 == 0 ? x + 1 : in[t] % 3 == 1 ? x * x : digits;
    }
}

static uint32_t whole(double value) {
    return (uint32_t)(int32_t)value;
}

static void rounded(uint32_t *out, const uint32_t *in) {
    for (unsigned t = 0; t < THREADS; t++) {
        double low = (double)(int)(in[t] % 2000) / 8 - 100;
        double high = (double)(int)(in[t + 128] % 2000) / 8 - 100;
        out[t] = whole(nearbyint(low));
        out[128 + t] = whole(trunc(high));
        out[256 + t] = high < 0 ? 0 : whole(trunc(high));
        out[384 + t] = whole(nearbyint(low));
        out[512 + t] = whole(floor(high));
    }
}

static uint32_t fibonacci(uint32_t n) {
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

static uint32_t reversed(uint32_t x) {
    uint32_t r = 0;
    for (unsigned i = 0; i < 32; i++)
        r |= (x >> i & 1) << (31 - i);
    return r;
}

static uint32_t wandered(uint32_t x, const uint32_t *in) {
    switch (x % 9) {
    case 0:
        return x * 3;
    case 1:
        return x / 7;
    case 2:
        return in[x & 63];
    case 3:
        return (uint32_t)__builtin_popcount(x);
    case 4:
        return reversed(x);
    case 5:
        return x ^ 0x5555;
    case 6:
        return x == 0 ? 32 : (uint32_t)__builtin_clz(x);
    case 7:
        return fibonacci(x % 10);
    default:
        return 1;
    }
}

static void wandering(uint32_t *out, const uint32_t *in) {
    for (unsigned t = 0; t < THREADS; t++) {
        uint32_t x = in[t], local[16];
        for (unsigned i = 0; i < 16; i++)
            local[i] = in[i] + i;
        for (unsigned i = 0; i < 16; i++)
            local[(x >> (i & 7)) & 15] += local[(x + i) & 15];
        out[t] = wandered(x, in);
        out[128 + t] = local[x & 15];
    }
}

/* ---- Features of 9.0 ---- */

static void bulk(uint32_t *out, const uint32_t *in) {
    for (unsigned block = 0; block < 2; block++)
        for (unsigned t = 0; t < THREADS; t++)
            out[THREADS * block + t] = in[511 - 4 * t] + block;
}

static int32_t half_of(uint32_t word, unsigned i, bool is_signed) {
    uint16_t half = (uint16_t)(word >> 16 * i);
    return is_signed ? (int16_t)half : half;
}

static int32_t extreme(int32_t a, int32_t b, bool is_minimum) {
    return (a < b) == is_minimum ? a : b;
}

static void packed(uint32_t *out, const uint32_t *in) {
    for (unsigned t = 0; t < THREADS; t++) {
        uint32_t a = in[t], b = in[t + 128], c = in[t + 256], r[7] = {0};
        for (unsigned i = 0; i < 2; i++) {
            int32_t sa = half_of(a, i, true), sb = half_of(b, i, true), sc = half_of(c, i, true);
            int32_t ua = half_of(a, i, false), ub = half_of(b, i, false), uc = half_of(c, i, false);
            int32_t low = extreme(extreme(sa, sb, true), sc, true);
            int32_t halves[7] = {extreme((int16_t)(sa + sb), sc, false),
                                 extreme((uint16_t)(ua + ub), uc, true),
                                 0,
                                 low < 0 ? 0 : low,
                                 extreme(sa, sb, false),
                                 sa - sb,
                                 extreme(extreme(ua, ub, false), uc, false)};
            for (unsigned j = 0; j < 7; j++)
                r[j] |= ((uint32_t)halves[j] & 0xffff) << 16 * i;
        }
        r[2] = (uint32_t)extreme(extreme((int32_t)a, (int32_t)b, false), (int32_t)c, false);
        for (unsigned j = 0; j < 7; j++)
            out[128 * j + t] = r[j];
    }
}

static double fp8_number(uint32_t bits, unsigned mantissa, int bias) {
    int exponent = (int)(bits >> mantissa);
    double fraction = (double)(bits & ((1u << mantissa) - 1)) / (1u << mantissa);
    return exponent == 0 ? ldexp(fraction, 1 - bias) : ldexp(1 + fraction, exponent - bias);
}

/* Rounds to the nearest number of the type, ties to even; never a NaN. */
static uint32_t fp8_nearest(double value, unsigned mantissa, int bias, uint32_t largest) {
    uint32_t best = 0;
    for (uint32_t bits = 1; bits <= largest; bits++) {
        double old = fabs(fp8_number(best, mantissa, bias) - fabs(value));
        double now = fabs(fp8_number(bits, mantissa, bias) - fabs(value));
        if (now < old || (now == old && bits % 2 == 0))
            best = bits;
    }
    return best | (signbit(value) ? 0x80 : 0);
}

static uint32_t float_bits(double value) {
    float single = (float)value;
    uint32_t bits;
    memcpy(&bits, &single, 4);
    return bits;
}

static void eight_bits(uint32_t *out, const uint32_t *in) {
    for (unsigned t = 0; t < THREADS; t++) {
        const double v[2] = {(double)((int32_t)in[t] % 4000) / 16,
                             (double)((int32_t)in[t + 128] % 4000) / 4096};
        out[t] = out[128 + t] = 0;
        for (unsigned i = 0; i < 2; i++) {
            uint32_t e4 = fp8_nearest(v[i], 3, 7, 0x7e), e5 = fp8_nearest(v[i], 2, 15, 0x7b);
            out[t] |= e4 << 8 * i;
            out[128 + t] |= e5 << 8 * i;
            double sign = signbit(v[i]) ? -1 : 1;
            out[256 + 128 * i + t] = float_bits(sign * fp8_number(e4 & 0x7f, 3, 7));
            out[512 + 128 * i + t] = float_bits(sign * fp8_number(e5 & 0x7f, 2, 15));
        }
    }
}

/* All products are integers that single precision represents exactly. */
static void warpgroup(uint32_t *out, const uint32_t *in) {
    for (unsigned row = 0; row < 64; row++)
        for (unsigned column = 0; column < 16; column++) {
            int sum = 0, first = 0;
            for (unsigned k = 0; k < 64; k++) {
                int a = (int)(in[row * 64 + k] % 17) - 8, b = (int)(in[column * 64 + k] % 17) - 7;
                sum += a * b;
                first += k < 16 ? a * b : 0;
            }
            out[row * 16 + column] = out[1024 + row * 16 + column] = float_bits(sum);
            out[2048 + row * 16 + column] = float_bits(first);
        }
}

static void places(uint32_t *out, const uint32_t *in) {
    (void)in;
    for (unsigned block = 0; block < 8; block++) {
        const uint32_t v[6] = {2, block % 2, block / 2, 4, 2, block % 2};
        memcpy(&out[8 * (size_t)block], v, sizeof(v));
    }
}

/* ---- All features ---- */

typedef struct feature {
    const char *name;
    reference_fn reference;
    unsigned words, blocks, cluster;
} feature;

static const feature features[] = {
    {"filled", filled, 640, 1, 1},
    {"arrivals", arrivals, 128, 1, 1},
    {"handed_over", handed_over, 192, 1, 1},
    {"called", called, 128, 1, 1},
    {"rounded", rounded, 640, 1, 1},
    {"wandering", wandering, 256, 1, 1},
    {"bulk", bulk, 256, 2, 2},
    {"packed", packed, 896, 1, 1},
    {"eight_bits", eight_bits, 768, 1, 1},
    {"places", places, 64, 8, 2},
    {"warpgroup", warpgroup, 3072, 1, 1},
};

enum { FEATURES_OF_ALL = 6 }; /* before those of 9.0 */

static const char *const files[] = {"75", "80", "86", "89", "90", "90a", "100", "120"};

static void emulate(const smp_code *code, const feature *what, uint32_t *out, const uint32_t *in,
                    smp_emulation *done) {
    smp_emu_memory memory = {0};
    smp_kernel_profile profile = {0};
    smp_error error;
    uint64_t parameters[2];
    const smp_function *function = smp_code_find(code, what->name);
    uint32_t cc = smp_code_cc(code);
    parameters[0] = smp_emu_memory_add(&memory, "out", 4 * WORDS)->address;
    parameters[1] = smp_emu_memory_add(&memory, "in", 4 * WORDS)->address;
    memcpy(memory.arrays[1].bytes, in, 4 * WORDS);
    smp_launch launch = {.grid = {what->blocks, 1, 1},
                         .block = {THREADS, 1, 1},
                         .cluster = {what->cluster, 1, 1},
                         .parameters = (const uint8_t *)parameters,
                         .arch = smp_arch_of_cc((int)cc / 10, (int)cc % 10),
                         .threads = 1,
                         .run.block_limit = 3000000};
    smp_status status = smp_emulate(code, function, &memory, &launch, &profile, done, &error);
    ck_assert_msg(status == SMP_OK, "%s, %u: %s", what->name, cc, error.message);
    memcpy(out, memory.arrays[0].bytes, 4 * WORDS);
    smp_emu_memory_clear(&memory);
    smp_kernel_clear(&profile);
}

static void run(const smp_code *code, const feature *what, uint32_t *out, const uint32_t *in) {
    smp_emulation done;
    const smp_function *function = smp_code_find(code, what->name);
    emulate(code, what, out, in, &done);
    for (uint32_t i = 0; i < done.finding_count; i++)
        ck_abort_msg("%s: %s at %s %s", what->name, done.findings[i].message,
                     function->instructions[done.findings[i].instruction].opcode,
                     function->instructions[done.findings[i].instruction].operands);
    ck_assert_msg(done.is_whole && done.unknown_executed == 0, "%s", what->name);
}

START_TEST(results_are_the_references) {
    static uint32_t in[WORDS], out[WORDS], want[WORDS];
    char path[4096];
    smp_code *code;
    smp_error error;
    unsigned checked = 0;
    snprintf(path, sizeof(path), "%s/sass/features.%s.cubin", SMP_DATA, files[_i]);
    for (unsigned i = 0; i < WORDS; i++)
        in[i] = i * 2654435761u ^ i << 20;
    ck_assert_msg(smp_code_open_file(path, &code, &error) == SMP_OK, "%s", error.message);
    ck_assert_msg(smp_code_disassemble(code, NULL, 0, &error) == SMP_OK, "%s", error.message);
    for (size_t k = 0; k < sizeof(features) / sizeof(*features); k++) {
        const feature *what = &features[k];
        if (!smp_code_find(code, what->name))
            continue;
        memset(want, 0, sizeof(want));
        what->reference(want, in);
        run(code, what, out, in);
        for (unsigned i = 0; i < what->words; i++)
            if (out[i] != want[i])
                ck_abort_msg("%s of %s: word %u is %08x, not %08x", what->name, files[_i], i,
                             out[i], want[i]);
        checked++;
    }
    ck_assert_uint_ge(checked, 4);
    smp_code_close(code);
}
END_TEST

/* Runs the kernels of one file, in the order of `features`. */
START_TEST(references_are_the_gpus) {
    static const char *const recorded[] = {"90", "90a"};
    static uint32_t in[WORDS], want[WORDS];
    char path[4096], *bytes;
    size_t size, at = 0;
    smp_error error;
    for (unsigned i = 0; i < WORDS; i++)
        in[i] = i * 2654435761u ^ i << 20;
    snprintf(path, sizeof(path), "%s/sass/features.%s.bin", SMP_DATA, recorded[_i]);
    ck_assert_msg(smp_tool_read(path, &bytes, &size, &error) == SMP_OK, "%s", error.message);
    for (size_t k = 0; k < sizeof(features) / sizeof(*features); k++) {
        const feature *what = &features[k];
        if ((k >= FEATURES_OF_ALL) != (_i == 1))
            continue;
        memset(want, 0, sizeof(want));
        what->reference(want, in);
        ck_assert_uint_ge(size, at + 4 * (size_t)what->words);
        for (unsigned i = 0; i < what->words; i++, at += 4) {
            uint32_t word;
            memcpy(&word, bytes + at, 4);
            ck_assert_msg(word == want[i], "%s: word %u of the GPU is %08x, not %08x", what->name,
                          i, word, want[i]);
        }
    }
    ck_assert_uint_eq(at, size);
    free(bytes);
}
END_TEST

/* Results of kernels named order_... depend on the order of blocks, those of ordered_... do not. */
START_TEST(order_of_blocks_is_named) {
    static const feature kernels[] = {{"order_shifted", NULL, 0, 4, 1},
                                      {"order_last", NULL, 0, 4, 1},
                                      {"ordered_flag", NULL, 0, 4, 1},
                                      {"ordered_last_block", NULL, 0, 4, 1}};
    static uint32_t in[WORDS], out[WORDS];
    smp_code *code;
    smp_error error;
    smp_emulation done;
    for (unsigned i = 0; i < WORDS; i++)
        in[i] = i + 1;
    ck_assert_msg(smp_code_open_file(SMP_DATA "/sass/features.90.cubin", &code, &error) == SMP_OK,
                  "%s", error.message);
    ck_assert_msg(smp_code_disassemble(code, NULL, 0, &error) == SMP_OK, "%s", error.message);
    for (size_t k = 0; k < sizeof(kernels) / sizeof(*kernels); k++) {
        bool depends = strncmp(kernels[k].name, "order_", 6) == 0;
        emulate(code, &kernels[k], out, in, &done);
        ck_assert_msg(done.is_whole, "%s", kernels[k].name);
        ck_assert_msg(done.finding_count == (depends ? 1 : 0), "%s: %u findings", kernels[k].name,
                      done.finding_count);
        if (depends)
            ck_assert_int_eq(done.findings[0].kind, SMP_FINDING_ORDER);
    }
    ck_assert_uint_eq(out[1], 4 * THREADS * (4 * THREADS + 1) / 2);
    smp_code_close(code);
}
END_TEST

/* Kernels named unwritten_... read unwritten memory, once; the others do not. */
START_TEST(unwritten_memory_is_found) {
    static const feature kernels[] = {
        {"unwritten_shared", NULL, 0, 1, 1},  {"unwritten_local", NULL, 0, 1, 1},
        {"written_local", NULL, 0, 4, 1},     {"written_parts", NULL, 0, 1, 1},
        {"written_moved", NULL, 0, 1, 1},     {"unwritten_branch", NULL, 0, 1, 1},
        {"unwritten_address", NULL, 0, 1, 1}, {"unwritten_moved", NULL, 0, 1, 1},
        {"unwritten_byte", NULL, 0, 1, 1},    {"unwritten_sum", NULL, 0, 1, 1},
        {"unwritten_rows", NULL, 0, 1, 1}};
    static uint32_t in[WORDS], out[WORDS];
    smp_code *code;
    smp_error error;
    smp_emulation done;
    ck_assert_msg(smp_code_open_file(SMP_DATA "/sass/unwritten.cubin", &code, &error) == SMP_OK,
                  "%s", error.message);
    ck_assert_msg(smp_code_disassemble(code, NULL, 0, &error) == SMP_OK, "%s", error.message);
    for (size_t k = 0; k < sizeof(kernels) / sizeof(*kernels); k++) {
        bool is_found = strncmp(kernels[k].name, "unwritten", 9) == 0;
        emulate(code, &kernels[k], out, in, &done);
        ck_assert_msg(done.is_whole && done.finding_count == is_found, "%s: %u findings",
                      kernels[k].name, done.finding_count);
        if (is_found)
            ck_assert_int_eq(done.findings[0].kind, SMP_FINDING_UNINITIALISED);
        if (k == 1)
            ck_assert_uint_eq(done.findings[0].thread[0], 5);
        if (strcmp(kernels[k].name, "unwritten_rows") == 0) { /* once in each of the four warps */
            char said[64];
            (void)snprintf(said, sizeof(said), "12 bytes at byte %u of",
                           16 * done.findings[0].thread[0] + 4);
            ck_assert_uint_eq(done.findings[0].count, 4);
            ck_assert_msg(strncmp(done.findings[0].message, said, strlen(said)) == 0, "%s: %s",
                          said, done.findings[0].message);
        }
    }
    smp_code_close(code);
}
END_TEST

int main(void) {
    if (suite_lacks_nvdisasm())
        return SUITE_SKIPPED;
    return SUITE("features", TEST_EACH(results_are_the_references, COUNT_OF(files)),
                 TEST_EACH(references_are_the_gpus, 2), TEST(order_of_blocks_is_named),
                 TEST(unwritten_memory_is_found));
}
