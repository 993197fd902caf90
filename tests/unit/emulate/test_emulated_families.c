/* SPDX-License-Identifier: MIT */
/*
 * Kernels of the families, emulated from their machine code: their
 * results equal the CPU reference's, and the emulated accesses add up to the counters recorded for
 * the same run on a GPU (probes/recorded). Skipped (77) without nvdisasm.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "emulate.h"
#include "nvdisasm.h"
#include "recorded_case.h"
#include "smp_probes.h"
#include "suite.h"

/* For float, double, half and byte; under a sanitizer each takes ten times as long. */
#ifdef __SANITIZE_ADDRESS__
enum { ELEMENTS = 1 };
#else
enum { ELEMENTS = 4 };
#endif

typedef struct kernel_row {
    const char *variant, *name; /* in the demangled name; %s: the type */
    uint32_t x, y, dynamic_shared_bytes;
} kernel_row;

static const kernel_row transposes[] = {
    {"naive-read", "naive_read<%s>", 32, 8, 0},
    {"naive-write", "naive_write<%s>", 32, 8, 0},
    {"tiled16", "through_tile<%s, 16u, 16u, 16u, false>", 16, 16, 0},
    {"tiled32", "through_tile<%s, 32u, 8u, 32u, false>", 32, 8, 0},
    {"padded", "through_tile<%s, 32u, 8u, 33u, false>", 32, 8, 0},
    {"swizzled", "through_tile<%s, 32u, 8u, 32u, true>", 32, 8, 0},
};

static const kernel_row sums[] = {
    {"atomic-each", "add_each(", 0, 1, 0},
    {"atomic", "add_global(", 0, 1, 0},
    {"shared", "add_shared(", 0, 1, 4},
};

typedef struct family_run {
    const char *key;
    const smp_kernel_family *family;
    const smp_kernel_variant *variant;
    smp_kernel_case problem;
    const smp_code *code;
    const kernel_row *row;
} family_run;

static const smp_function *function_of(const family_run *run) {
    static const char *const types[] = {
        [1] = "unsigned char", [2] = "unsigned short", [4] = "unsigned int", [8] = "unsigned long"};
    char name[128];
    size_t count;
    (void)snprintf(name, sizeof name, run->row->name,
                   types[smp_element_info(run->problem.element)->bytes]);
    const smp_function *functions = smp_code_functions(run->code, &count);
    for (size_t i = 0; i < count; i++)
        if (functions[i].demangled && strstr(functions[i].demangled, name))
            return &functions[i];
    ck_abort_msg("%s: no %s", run->key, name);
    return NULL;
}

static int traffic_of(const smp_profile_site *site) {
    bool reads = site->op == SMP_LD_SHARED || site->op == SMP_LD_GLOBAL;
    bool writes = site->op == SMP_ST_SHARED || site->op == SMP_ST_GLOBAL;
    if (site->space == SMP_SPACE_SHARED)
        return reads ? SMP_WAVEFRONTS_LD : writes ? SMP_WAVEFRONTS_ST : SMP_WAVEFRONTS_ATOM;
    return reads ? SMP_SECTORS_LD : writes ? SMP_SECTORS_ST : SMP_SECTORS_RED;
}

static void check_counters(const family_run *run, const smp_kernel_profile *profile) {
    uint64_t got[SMP_TRAFFIC_COUNT] = {0};
    for (uint32_t i = 0; i < profile->site_count; i++) {
        const smp_profile_site *site = &profile->sites[i];
        ck_assert_msg(!site->not_modelled, "%s: %s", run->key, site->not_modelled);
        got[traffic_of(site)] += site->space == SMP_SPACE_SHARED ? site->wavefronts : site->sectors;
    }
    for (int i = 0; i < SMP_TRAFFIC_COUNT; i++) {
        smp_record record;
        const char *name = smp_traffic_rows()[i].name;
        ck_assert_msg(smp_recorded_find(run->key, name, "9.0", &record), "%s: no %s", run->key,
                      name);
        ck_assert_msg((double)got[i] == record.value, "%s: %s emulated %" PRIu64 ", a GPU has %.0f",
                      run->key, name, got[i], record.value);
    }
}

/* Arguments: transposes take in, out, {rows, columns}; sums in, count, out (and a mask of 0). */
static void put_arguments(const family_run *run, uint64_t in, uint64_t out, uint8_t *bytes) {
    bool is_matrix = run->family->is_matrix;
    uint32_t size[2] = {(uint32_t)run->problem.rows, (uint32_t)run->problem.columns};
    memcpy(bytes, &in, 8);
    memcpy(bytes + (is_matrix ? 8 : 16), &out, 8);
    if (is_matrix)
        memcpy(bytes + 16, size, 8);
    else
        memcpy(bytes + 8, &run->problem.columns, 8);
}

static void check_run(const family_run *run) {
    const smp_kernel_bytes bytes = run->family->bytes(&run->problem);
    const smp_kernel_shape shape = smp_kernel_shape_of(run->variant, &run->problem);
    const smp_function *function = function_of(run);
    smp_emu_memory memory = {0};
    smp_kernel_profile profile = {0};
    smp_emulation done;
    smp_error error;
    uint8_t arguments[256] = {0};
    uint64_t in = smp_emu_memory_add(&memory, "in", bytes.in)->address;
    uint64_t out = smp_emu_memory_add(&memory, "out", bytes.out)->address;
    run->family->fill(&run->problem, memory.arrays[0].bytes);
    put_arguments(run, in, out, arguments);
    uint32_t width = run->row->x != 0 ? run->row->x : shape.threads;
    smp_launch launch = {.grid = {(uint32_t)shape.blocks, 1, 1},
                         .block = {width, run->row->y, 1},
                         .cluster = {1, 1, 1},
                         .dynamic_shared_bytes = run->row->dynamic_shared_bytes * width,
                         .parameters = arguments,
                         .arch = smp_arch_of_cc(9, 0)};
    smp_status status = smp_emulate(run->code, function, &memory, &launch, &profile, &done, &error);
    ck_assert_msg(status == SMP_OK, "%s: %s", run->key, error.message);
    for (uint32_t i = 0; i < done.finding_count; i++)
        ck_abort_msg("%s: %s", run->key, done.findings[i].message);
    status =
        run->family->verify(&run->problem, memory.arrays[0].bytes, memory.arrays[1].bytes, &error);
    ck_assert_msg(status == SMP_OK, "%s: %s", run->key, error.message);
    check_counters(run, &profile);
    smp_emu_memory_clear(&memory);
    smp_kernel_clear(&profile);
}

static smp_code *opened(const char *path) {
    smp_error error;
    smp_code *code;
    ck_assert_msg(smp_code_open_file(path, &code, &error) == SMP_OK, "%s", error.message);
    ck_assert_msg(smp_code_disassemble(code, NULL, 0, &error) == SMP_OK, "%s", error.message);
    return code;
}

static void check_key(const char *key, const smp_code *code, const kernel_row *row) {
    family_run run = {.key = key, .code = code, .row = row};
    recorded_case_parse(key, &run.family, &run.variant, &run.problem);
    check_run(&run);
}

START_TEST(transposes_as_recorded) {
    static const char *const elements[4] = {"float", "double", "half", "byte"};
    smp_code *code = opened(SMP_DATA "/families/transpose.cubin");
    char key[96];
    for (size_t i = 0; i < sizeof(transposes) / sizeof(*transposes); i++) {
        (void)snprintf(key, sizeof key, "transpose %s 1000x777 %s", transposes[i].variant,
                       elements[_i]);
        check_key(key, code, &transposes[i]);
    }
    smp_code_close(code);
}
END_TEST

START_TEST(sums_as_recorded) {
    smp_code *code = opened(SMP_DATA "/families/sumsq.cubin");
    char key[96];
    for (size_t i = 0; i < sizeof(sums) / sizeof(*sums); i++) {
        (void)snprintf(key, sizeof key, "sumsq %s 1048576 int", sums[i].variant);
        check_key(key, code, &sums[i]);
    }
    smp_code_close(code);
}
END_TEST

int main(void) {
    if (suite_lacks_nvdisasm())
        return SUITE_SKIPPED;
    return SUITE("emulated families", TEST_EACH(transposes_as_recorded, ELEMENTS),
                 TEST(sums_as_recorded));
}
