/* SPDX-License-Identifier: MIT */
/*
 * Kernels of tests/data/sass/warps.*.cubin (masks that differ by lane,
 * barriers, clusters, special registers) are emulated and compared with results computed here;
 * these and the random ones of collectives.90.*.cubin are compared with a GPU's results
 * (collectives.bin, by record_collectives.sh). Skipped (77) without nvdisasm.
 */
#include <stdio.h>
#include <string.h>

#include "collective_input.h"
#include "emulate.h"
#include "nvdisasm.h"
#include "suite.h"

static uint32_t in[COLLECTIVE_IN], out[COLLECTIVE_OUT], want[COLLECTIVE_OUT];

static smp_code *opened(const char *name) {
    char path[4096];
    smp_code *code;
    smp_error error;
    snprintf(path, sizeof(path), "%s/sass/%s", SMP_DATA, name);
    ck_assert_msg(smp_code_open_file(path, &code, &error) == SMP_OK, "%s", error.message);
    ck_assert_msg(smp_code_disassemble(code, NULL, 0, &error) == SMP_OK, "%s", error.message);
    return code;
}

/* Parses a launch KERNEL:THREADS[:BLOCKS]. */
static smp_status launched(const smp_code *code, const char *what, const uint32_t cluster[3],
                           smp_emulation *done, smp_error *error) {
    smp_emu_memory memory = {0};
    smp_kernel_profile profile = {0};
    char name[64];
    unsigned threads, blocks = 1;
    ck_assert(sscanf(what, "%63[^:]:%u:%u", name, &threads, &blocks) >= 2);
    const smp_function *function = smp_code_find(code, name);
    ck_assert_msg(function, "%s", name);
    uint64_t parameters[2];
    parameters[0] = smp_emu_memory_add(&memory, "out", 4 * COLLECTIVE_TRACED)->address;
    parameters[1] = smp_emu_memory_add(&memory, "in", 4 * COLLECTIVE_IN)->address;
    memcpy(memory.arrays[1].bytes, in, sizeof(in));
    const int cc = (int)smp_code_cc(code);
    smp_launch launch = {.grid = {blocks, 1, 1},
                         .block = {threads, 1, 1},
                         .dynamic_shared_bytes = COLLECTIVE_SHARED,
                         .parameters = (const uint8_t *)parameters,
                         .arch = smp_arch_of_cc(cc / 10, cc % 10),
                         .threads = 1,
                         .run.block_limit = 10000000};
    memcpy(launch.cluster, cluster, sizeof(launch.cluster));
    smp_status status = smp_emulate(code, function, &memory, &launch, &profile, done, error);
    memcpy(out, memory.arrays[0].bytes, sizeof(out));
    smp_emu_memory_clear(&memory);
    smp_kernel_clear(&profile);
    return status;
}

static void run(const smp_code *code, const char *file, const char *what) {
    static const uint32_t none[3] = {1, 1, 1};
    smp_emulation done;
    smp_error error;
    ck_assert_msg(launched(code, what, none, &done, &error) == SMP_OK, "%s, %s: %s", file, what,
                  error.message);
    ck_assert_msg(done.is_whole && done.finding_count == 0, "%s, %s: %s", file, what,
                  done.findings[0].message);
}

/* ---- The reference, thread by thread ---- */

static void by_mask(uint32_t (*of)(unsigned t, uint32_t mask)) {
    for (unsigned t = 0; t < 32; t++) {
        uint32_t mask = 0;
        for (unsigned l = 0; l < 32; l++)
            mask |= (uint32_t)((in[l] & 3) == (in[t] & 3)) << l;
        want[t] = of(t, mask);
    }
}

static uint32_t odd(unsigned t) {
    uint32_t votes = 0;
    for (unsigned l = t & 24; l < (t & 24) + 8; l++)
        votes |= (in[l] & 1) << l;
    return votes;
}

static void tile_ballot(void) {
    for (unsigned t = 0; t < 32; t++)
        want[t] = odd(t) >> (t & 24);
}

static void ballot_by_lane(void) {
    for (unsigned t = 0; t < 32; t++)
        want[t] = odd(t);
}

static uint32_t matched(unsigned t, uint32_t mask) {
    uint32_t same = 0;
    for (unsigned l = 0; l < 32; l++)
        same |= (uint32_t)(mask >> l & 1 && (in[l] & 12) == (in[t] & 12)) << l;
    return same;
}

static void match_of_match(void) {
    by_mask(matched);
}

static uint32_t sum(unsigned t, uint32_t mask) {
    uint32_t all = 0;
    (void)t;
    for (unsigned l = 0; l < 32; l++)
        all += mask >> l & 1 ? in[l] : 0;
    return all;
}

static void sum_of_match(void) {
    by_mask(sum);
}

static void two_places(void) {
    for (unsigned t = 0; t < 32; t++) {
        const unsigned from = in[t] & 1 ? t ^ 5 : t ^ 7;
        const uint32_t value = in[from] + (in[from] & 1 ? 0 : 1);
        want[t] = in[t] & 1 ? value * 3 : value;
    }
}

static void barriers(void) {
    uint32_t count = 0, x[128];
    for (unsigned t = 0; t < 128; t++)
        x[t] = in[t ^ 32] + (t < 64 ? in[t ^ 33 ^ 32] + 1 : in[t ^ 34 ^ 32] + 2);
    for (unsigned t = 0; t < 128; t++)
        count += x[t] & 1;
    for (unsigned t = 0; t < 128; t++)
        want[t] = x[t] + count;
}

static void pairs(void) {
    for (unsigned block = 0; block < 4; block++)
        for (unsigned t = 0; t < 16; t++)
            want[16 * block + t] = in[t] + (block ^ 1) + 2 * 1000 + block % 2 * 100;
}

static const struct {
    const char *what;
    void (*reference)(void);
    int first_cc;
    bool has_groups;
} kernels[] = {
    {"tile_ballot:32", tile_ballot, 0, true},
    {"ballot_by_lane:32", ballot_by_lane, 0, false},
    {"match_of_match:32", match_of_match, 0, false},
    {"sum_of_match:32", sum_of_match, 0, false},
    {"two_places:32", two_places, 0, false},
    {"barriers:128", barriers, 0, false},
    {"pairs:32:4", pairs, 90, false},
};

static const char *const files[] = {"90.O3", "90.O1", "90.O0", "90.G", "80.O3", "100.O3", "120.O3"};

START_TEST(results_are_the_references) {
    char file[64];
    snprintf(file, sizeof(file), "warps.%s.cubin", files[_i]);
    smp_code *code = opened(file);
    for (size_t i = 0; i < sizeof(kernels) / sizeof(*kernels); i++) {
        if ((int)smp_code_cc(code) < kernels[i].first_cc ||
            (kernels[i].has_groups && strstr(file, ".G.")))
            continue;
        memset(want, 0, sizeof(want));
        kernels[i].reference();
        run(code, file, kernels[i].what);
        for (unsigned w = 0; w < COLLECTIVE_OUT; w++)
            ck_assert_msg(out[w] == want[w], "%s, %s: word %u is %08x, not %08x", file,
                          kernels[i].what, w, out[w], want[w]);
    }
    smp_code_close(code);
}
END_TEST

/* ---- Special registers ---- */

enum { WARPID, NWARPID, SMID, NSMID, GRIDID, DYNAMIC_SMEM, TOTAL_SMEM, GRAPH = 22, CLUSTERS = 23 };

/* Four words each, one per warp. */
static void check_register(const char *file, unsigned which, uint32_t first, uint32_t step) {
    for (unsigned warp = 0; warp < 4; warp++)
        ck_assert_msg(out[4 * which + warp] == first + step * warp,
                      "%s: register %u of warp %u is %u, not %u", file, which, warp,
                      out[4 * which + warp], first + step * warp);
}

START_TEST(special_registers_have_values) {
    char file[64];
    snprintf(file, sizeof(file), "warps.%s.cubin", files[_i]);
    smp_code *code = opened(file);
    run(code, file, "special:128");
    check_register(file, WARPID, 0, 1);
    check_register(file, NWARPID, smp_code_cc(code) == 120 ? 48 : 64, 0);
    check_register(file, SMID, 0, 0);
    check_register(file, NSMID, 1, 0);
    check_register(file, GRIDID, 0, 0);
    check_register(file, DYNAMIC_SMEM, COLLECTIVE_SHARED, 0);
    check_register(file, TOTAL_SMEM, 1024, 0); /* 912 in units of 128 */
    check_register(file, GRAPH, 0, 0);
    static const uint32_t clusters[] = {1024 + 400 + COLLECTIVE_SHARED, 0, 1, 0, 1, 0, 1};
    for (unsigned i = 0; smp_code_cc(code) >= 90 && i < sizeof(clusters) / sizeof(*clusters); i++)
        check_register(file, CLUSTERS + i, clusters[i], 0);
    smp_code_close(code);
}
END_TEST

/* ---- Groups of several warps ---- */

START_TEST(tiles_of_two_warps_have_room) {
    static const char *const tiles[] = {"warp_tiles.80.cubin", "warp_tiles.90.cubin",
                                        "warp_tiles.100.cubin"};
    smp_code *code = opened(tiles[_i]);
    run(code, tiles[_i], "two_warps:128");
    for (unsigned t = 0; t < 128; t++) {
        const unsigned first = t & 64;
        uint32_t all = in[first + 3] + (first == 0 ? 1000 : 0);
        for (unsigned i = first; i < first + 64; i++)
            all += in[i];
        ck_assert_msg(out[t] == all, "%s: thread %u: %08x, not %08x", tiles[_i], t, out[t], all);
    }
    smp_code_close(code);
}
END_TEST

/* ---- Clusters ---- */

START_TEST(clusters_are_the_kernels) {
    static const struct {
        const char *what;
        uint32_t cluster[3];
        const char *refused;
    } rows[] = {
        {"pairs:32:4", {1, 1, 1}, NULL},
        {"pairs:32:4", {2, 1, 1}, NULL},
        {"pairs:32:3", {1, 1, 1}, "a grid of 3 blocks is not a multiple of its clusters of 2"},
        {"pairs:32:4", {4, 1, 1}, "a cluster of 4 blocks along one axis: the kernel has 2"},
        {"at_most_two:32:4", {2, 1, 1}, NULL},
        {"at_most_two:32:4",
         {4, 1, 1},
         "a cluster of 4 blocks: the kernel is compiled for at most 2"},
    };
    smp_code *code = opened("warps.90.O3.cubin");
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        smp_emulation done;
        smp_error error;
        const smp_status status = launched(code, rows[i].what, rows[i].cluster, &done, &error);
        if (!rows[i].refused)
            ck_assert_msg(status == SMP_OK && done.is_whole, "%s: %s", rows[i].what, error.message);
        else
            ck_assert_msg(status == SMP_E_RANGE && strcmp(error.message, rows[i].refused) == 0,
                          "%s: %s", rows[i].what, status == SMP_OK ? "runs" : error.message);
    }
    smp_code_close(code);
}
END_TEST

/* ---- A GPU's results ---- */

/* Registers whose value depends on the launch only, not on the GPU. */
static void check_special(const smp_code *code, const char *file, const char *what) {
    static const unsigned same[] = {NWARPID, DYNAMIC_SMEM, TOTAL_SMEM, 15, 16, 17, 18, 19, 20, 21,
                                    GRAPH,   CLUSTERS,     24,         25, 26, 27, 28, 29, 30};
    unsigned warps = 0;
    run(code, file, what);
    for (unsigned i = 0; i < sizeof(same) / sizeof(*same); i++)
        for (unsigned w = 4 * same[i]; w < 4 * same[i] + 4; w++)
            ck_assert_msg(out[w] == want[w], "%s, %s: register %u is %u, on the GPU %u", file, what,
                          same[i], out[w], want[w]);
    for (unsigned warp = 0; warp < 4; warp++)
        warps |= 1u << want[4 * WARPID + warp];
    ck_assert_msg(warps == 0xf, "%s: %%warpid of the GPU", file);
}

/* One line of the record, "warps.90.O3.cubin tile_ballot:32 ..."; its words are in this order. */
static void check_line(char *line, FILE *words) {
    char *rest;
    const char *file = strtok_r(line, " \n", &rest);
    smp_code *code = opened(file);
    for (const char *what; (what = strtok_r(NULL, " \n", &rest));) {
        ck_assert_uint_eq(fread(want, 4, COLLECTIVE_OUT, words), COLLECTIVE_OUT);
        if (strncmp(what, "special:", 8) == 0)
            check_special(code, file, what);
        if (strncmp(what, "special:", 8) == 0 || strncmp(what, "environment:", 12) == 0)
            continue;
        run(code, file, what);
        for (unsigned w = 0; w < COLLECTIVE_OUT; w++)
            ck_assert_msg(out[w] == want[w], "%s, %s: word %u is %08x, on the GPU %08x", file, what,
                          w, out[w], want[w]);
    }
    smp_code_close(code);
}

START_TEST(results_are_the_gpus) {
    char line[2048];
    FILE *list = fopen(SMP_DATA "/sass/collectives.txt", "r");
    FILE *words = fopen(SMP_DATA "/sass/collectives.bin", "rb");
    if (!list || !words)
        ck_abort_msg("no record: run tests/data/sass/record_collectives.sh on a GPU");
    while (fgets(line, sizeof(line), list))
        if (line[0] != '#')
            check_line(line, words);
    ck_assert(fgetc(words) == EOF);
    fclose(list);
    fclose(words);
}
END_TEST

int main(void) {
    if (suite_lacks_nvdisasm())
        return SUITE_SKIPPED;
    collective_input(in);
    return SUITE("collectives", TEST_EACH(results_are_the_references, COUNT_OF(files)),
                 TEST_EACH(special_registers_have_values, COUNT_OF(files)),
                 TEST_EACH(tiles_of_two_warps_have_room, 3), TEST(clusters_are_the_kernels),
                 TEST(results_are_the_gpus));
}
