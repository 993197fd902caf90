/* SPDX-License-Identifier: MIT */
/*
 * The cost of one request of st.async, red.async, and plain stores and atomics to
 * other blocks, emulated (tests/data/sass/async.cubin) and compared with an H200's counts
 * (async.txt). Skipped (77) without nvdisasm.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "emulate.h"
#include "nvdisasm.h"
#include "suite.h"
#include "tool.h"

enum { SHARED_BYTES = 65536, BLOCKS = 8 };

/* The kernel's parameters: struct Access of async.cu, and the bytes per lane. */
typedef struct parameters {
    uint32_t kind, mask, offset[SMP_LANES], bytes;
} parameters;

static uint32_t bytes_of(const char *kernel) {
    return strstr(kernel, "16") ? 16 : strchr(kernel, '8') ? 8 : 4;
}

/* The sectors of all requests to other blocks; 0 for requests without figures. */
static uint64_t sectors_of(const smp_code *code, const char *kernel, const parameters *values) {
    smp_emu_memory memory = {0};
    smp_kernel_profile profile = {0};
    smp_emulation done;
    smp_error error;
    uint64_t sectors = 0;
    const smp_launch launch = {.grid = {BLOCKS, 1, 1},
                               .block = {SMP_LANES, 1, 1},
                               .cluster = {BLOCKS, 1, 1},
                               .dynamic_shared_bytes = SHARED_BYTES,
                               .parameters = (const uint8_t *)values,
                               .arch = smp_arch_of_cc(9, 0),
                               .threads = 1};
    const smp_status status =
        smp_emulate(code, smp_code_find(code, kernel), &memory, &launch, &profile, &done, &error);
    ck_assert_msg(status == SMP_OK, "%s: %s", kernel, error.message);
    ck_assert_msg(done.is_whole, "%s did not end", kernel);
    for (uint32_t i = 0; i < profile.site_count; i++)
        if (profile.sites[i].space == SMP_SPACE_CLUSTER && !profile.sites[i].not_modelled)
            sectors += profile.sites[i].sectors;
    smp_kernel_clear(&profile);
    smp_emu_memory_clear(&memory);
    return sectors;
}

/* Returns false if the line is not a row. */
static bool read_row(const char *line, char kernel[32], parameters *out, unsigned *sectors) {
    int at = 0;
    if (*line == '#' || sscanf(line, "%31s %x %u%n", kernel, &out->mask, sectors, &at) != 3)
        return false;
    char *rest = (char *)(uintptr_t)line + at;
    for (unsigned l = 0; l < SMP_LANES; l++)
        out->offset[l] = (uint32_t)strtoul(rest, &rest, 10);
    out->bytes = bytes_of(kernel);
    return true;
}

START_TEST(sectors_are_as_counted) {
    char *text, kernel[32];
    size_t length;
    unsigned rows = 0, wanted = 0, differ = 0;
    smp_code *code;
    smp_error error;
    parameters values = {0};
    ck_assert_int_eq(smp_tool_read(SMP_DATA "/sass/async.txt", &text, &length, &error), SMP_OK);
    ck_assert_int_eq(smp_code_open_file(SMP_DATA "/sass/async.cubin", &code, &error), SMP_OK);
    ck_assert_int_eq(smp_code_disassemble(code, NULL, 0, &error), SMP_OK);
    for (char *line = text; line && *line != '\0'; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (!read_row(line, kernel, &values, &wanted))
            continue;
        const uint64_t is = sectors_of(code, kernel, &values);
        rows++;
        if (is != wanted && differ++ < 10)
            printf("%s %08x: %llu sectors, %u counted\n", kernel, values.mask,
                   (unsigned long long)is, wanted);
    }
    ck_assert_uint_gt(rows, 200);
    ck_assert_msg(differ == 0, "%u of %u requests differ", differ, rows);
    smp_code_close(code);
    free(text);
}
END_TEST

int main(void) {
    if (suite_lacks_nvdisasm())
        return SUITE_SKIPPED;
    return SUITE("async", TEST(sectors_are_as_counted));
}
