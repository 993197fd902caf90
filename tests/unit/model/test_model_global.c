/* SPDX-License-Identifier: MIT */
/*
 * One or more named rows for every rule of global memory and of distributed
 * shared memory: transactions and bytes moved, worked out by hand.
 */
#include <stdio.h>
#include <string.h>

#include "arch_lists.h"
#include "offset_text.h"
#include "smp_model.h"
#include "suite.h"

#define ALL SMP_ALL_LANES
#define LD SMP_LD_GLOBAL
#define ST SMP_ST_GLOBAL

typedef struct global_row {
    const char *name;
    const char *archs;
    smp_op op;
    unsigned width_bytes;
    uint32_t mask;
    const char *addresses; /* offset_text.h */
    unsigned transactions, bytes;
} global_row;

/* clang-format off */
static const global_row rows[] = {
    /* CC 1.0 and 1.1: all or nothing */
    {"1.0 floats in line", ARCHS_1_0, LD, 4, ALL, "0+4*32", 2, 128},
    {"1.0 halves in segments apart", ARCHS_1_0, LD, 4, ALL, "4096+4*16 64+4*16", 2, 128},
    {"1.0 floats shifted by one", ARCHS_1_0, LD, 4, ALL, "4+4*32", 32, 1024},
    {"1.0 floats shifted by half a segment", ARCHS_1_0, LD, 4, ALL, "32+4*32", 32, 1024},
    {"1.0 two lanes swapped", ARCHS_1_0, LD, 4, 0xffff, "4 0 8+4*14", 16, 512},
    {"1.0 inactive lanes allowed", ARCHS_1_0, LD, 4, 0x0000fffe, "7 4+4*15", 1, 64},
    {"1.0 only the last lane", ARCHS_1_0, LD, 4, 0x8000, "0+4*32", 1, 64},
    {"1.0 the last lane out of place", ARCHS_1_0, LD, 4, 0xffff, "0+4*15 64", 16, 512},
    {"1.0 idle half-warps cost nothing", ARCHS_1_0, LD, 4, 0xffff0000, "0+4*32", 1, 64},
    {"1.0 one word for all", ARCHS_1_0, LD, 4, ALL, "0*32", 32, 1024},
    {"1.0 doubles", ARCHS_1_0, LD, 8, ALL, "0+8*32", 2, 256},
    {"1.0 doubles at half a segment", ARCHS_1_0, LD, 8, ALL, "64+8*32", 32, 1024},
    {"1.0 16 bytes are two segments", ARCHS_1_0, LD, 16, ALL, "0+16*32", 4, 512},
    {"1.0 16 bytes from any segment", ARCHS_1_0, LD, 16, ALL, "128+16*32", 4, 512},
    {"1.0 16 bytes at half a segment", ARCHS_1_0, LD, 16, ALL, "64+16*32", 32, 1024},
    {"1.0 16 bytes, lane 8 at address 0", ARCHS_1_0, LD, 16, 0x100, "0*32", 16, 512},
    {"1.0 chars never coalesce", ARCHS_1_0, LD, 1, ALL, "0+1*32", 32, 1024},
    {"1.0 shorts never coalesce", ARCHS_1_0, LD, 2, 0xffff, "0+2*32", 16, 512},
    {"1.0 writes in line", ARCHS_1_0, ST, 4, ALL, "0+4*32", 2, 128},
    {"1.0 writes out of line", ARCHS_1_0, ST, 4, ALL, "4+4*32", 32, 1024},

    /* CC 1.2 and 1.3: shrinking segments */
    {"1.2 floats in line", ARCHS_1_2, LD, 4, ALL, "0+4*32", 2, 128},
    {"1.2 floats shifted by one", ARCHS_1_2, LD, 4, ALL, "4+4*32", 3, 224},
    {"1.2 a half-warp inside 128 bytes is one", ARCHS_1_2, LD, 4, 0xffff, "32+4*32", 1, 128},
    {"1.2 a half-warp over an edge is two", ARCHS_1_2, LD, 4, 0xffff, "96+4*16", 2, 64},
    {"1.2 any order", ARCHS_1_2, LD, 4, 0xffff, "60 56 52 48 44 40 36 32 28 24 20 16 12 8 4 0", 1, 64},
    {"1.2 stride 2", ARCHS_1_2, LD, 4, ALL, "0+8*32", 2, 256},
    {"1.2 one word for all shrinks to 32", ARCHS_1_2, LD, 4, ALL, "100*32", 2, 64},
    {"1.2 upper half of 64 bytes", ARCHS_1_2, LD, 4, 0xff, "96+4*8", 1, 32},
    {"1.2 lower half of 64 bytes", ARCHS_1_2, LD, 4, 0xff, "64+4*8", 1, 32},
    {"1.2 middle of 128 bytes does not shrink", ARCHS_1_2, LD, 4, 0x3, "60 64", 1, 128},
    {"1.2 middle of 64 bytes shrinks once", ARCHS_1_2, LD, 4, 0x3, "28 32", 1, 64},
    {"1.2 the lowest lane goes first", ARCHS_1_2, LD, 4, 0x7, "256 0 260", 2, 64},
    {"1.2 chars in segments of 32", ARCHS_1_2, LD, 1, ALL, "0+1*32", 2, 64},
    {"1.2 chars over an edge of 32", ARCHS_1_2, LD, 1, 0xffff, "24+1*32", 2, 64},
    {"1.2 shorts in segments of 64", ARCHS_1_2, LD, 2, ALL, "0+2*32", 2, 64},
    {"1.2 shorts that need all 64", ARCHS_1_2, LD, 2, 0xffff, "16+2*32", 1, 64},
    {"1.2 shorts over an edge of 64", ARCHS_1_2, LD, 2, 0xffff, "48+2*32", 2, 64},
    {"1.2 doubles", ARCHS_1_2, LD, 8, ALL, "0+8*32", 2, 256},
    {"1.2 16 bytes", ARCHS_1_2, LD, 16, ALL, "0+16*32", 4, 512},
    {"1.2 one 16-byte word", ARCHS_1_2, LD, 16, ALL, "16*32", 2, 64},
    {"1.2 writes", ARCHS_1_2, ST, 4, ALL, "4+4*32", 3, 224},
    {"1.2 halves do not share a segment", ARCHS_1_2, LD, 4, ALL, "0+4*32|4", 2, 64},

    /* CC 2.x: lines for loads, segments else */
    {"2.x floats in line", ARCHS_2, LD, 4, ALL, "0+4*32", 1, 128},
    {"2.x floats shifted by one", ARCHS_2, LD, 4, ALL, "4+4*32", 2, 256},
    {"2.x chars", ARCHS_2, LD, 1, ALL, "120+1*32", 2, 256},
    {"2.x scattered", ARCHS_2, LD, 4, ALL, "0+128*32", 32, 4096},
    {"2.x doubles as two half-warps", ARCHS_2, LD, 8, ALL, "0+8*32", 2, 256},
    {"2.x one double for both half-warps", ARCHS_2, LD, 8, ALL, "0*32", 2, 256},
    {"2.x doubles of one half-warp", ARCHS_2, LD, 8, 0xffff0000, "0*32", 1, 128},
    {"2.x 16 bytes as four quarter-warps", ARCHS_2, LD, 16, ALL, "0+16*32", 4, 512},
    {"2.x one 16-byte word for four quarter-warps", ARCHS_2, LD, 16, ALL, "0*32", 4, 512},
    {"2.x writes of floats", ARCHS_2, ST, 4, ALL, "0+4*32", 4, 128},
    {"2.x writes shifted by one", ARCHS_2, ST, 4, ALL, "4+4*32", 5, 160},
    {"2.x writes of doubles", ARCHS_2, ST, 8, ALL, "0+8*32", 8, 256},
    {"2.x writes of one double", ARCHS_2, ST, 8, ALL, "0*32", 2, 64},
    {"2.x writes of one 16-byte word", ARCHS_2, ST, 16, ALL, "0*32", 4, 128},

    /* CC 3.x and later: 32-byte sectors over the warp */
    {"3+ floats in line", ARCHS_3_UP, LD, 4, ALL, "0+4*32", 4, 128},
    {"3+ floats shifted by one", ARCHS_3_UP, LD, 4, ALL, "4+4*32", 5, 160},
    {"3+ stride 2", ARCHS_3_UP, LD, 4, ALL, "0+8*32", 8, 256},
    {"3+ stride 8", ARCHS_3_UP, LD, 4, ALL, "0+32*32", 32, 1024},
    {"3+ one word for all", ARCHS_3_UP, LD, 4, ALL, "0*32", 1, 32},
    {"3+ chars", ARCHS_3_UP, LD, 1, ALL, "0+1*32", 1, 32},
    {"3+ shorts", ARCHS_3_UP, LD, 2, ALL, "0+2*32", 2, 64},
    {"3+ doubles", ARCHS_3_UP, LD, 8, ALL, "0+8*32", 8, 256},
    {"3+ one double for both halves", ARCHS_3_UP, LD, 8, ALL, "0*32", 1, 32},
    {"3+ 16 bytes", ARCHS_3_UP, LD, 16, ALL, "0+16*32", 16, 512},
    {"3+ one 16-byte word for all", ARCHS_3_UP, LD, 16, ALL, "16*32", 1, 32},
    {"3+ inactive lanes", ARCHS_3_UP, LD, 4, 0xff, "0+4*8 4096+64*24", 1, 32},
    {"3+ lanes meet again", ARCHS_3_UP, LD, 4, ALL, "0+32*32|2", 2, 64},
    {"3+ far addresses", ARCHS_3_UP, LD, 4, 3, "0 0x100000000", 2, 64},
    {"3+ writes", ARCHS_3_UP, ST, 4, ALL, "0+4*32", 4, 128},
    {"3+ writes of 16 bytes", ARCHS_3_UP, ST, 16, ALL, "0+16*32", 16, 512},

    /* Atomics: a packet to a sector carries one operation a word */
    {"red in line", ARCHS_3_UP, SMP_RED_GLOBAL, 4, ALL, "0+4*32", 4, 128},
    {"red to one word", ARCHS_3_UP, SMP_RED_GLOBAL, 4, ALL, "64*32", 32, 1024},
    {"red in pairs", ARCHS_3_UP, SMP_RED_GLOBAL, 4, ALL, "0+4*32/2", 4, 128},
    {"red, a word that three lanes want", "9.0", SMP_RED_GLOBAL, 4, 0xf, "0 0 4 0", 3, 96},
    {"red, two such words of a sector", "9.0", SMP_RED_GLOBAL, 4, 0x1f, "0 0 4 4 4", 3, 96},
    {"red, two such sectors", "9.0", SMP_RED_GLOBAL, 4, 0x1f, "0 0 32 32 32", 5, 160},
    {"red of 8 bytes", "9.0", SMP_RED_GLOBAL, 8, ALL, "0+8*32", 8, 256},
    {"red of 16 bytes", "9.0", SMP_RED_GLOBAL, 16, ALL, "512+16*32", 16, 512},
    {"cluster atomics in line", "9.0", SMP_ATOM_CLUSTER, 4, ALL, "0+4*32", 4, 128},
    {"cluster atomics to one word", "9.0", SMP_ATOM_CLUSTER, 4, ALL, "512*32", 32, 1024},
    {"cluster atomics of 8 bytes in pairs", "9.0", SMP_ATOM_CLUSTER, 8, ALL, "0+8*32/2", 8, 256},

    /* Atomics to several blocks of a cluster (bits 24 to 27), as counted */
    {"cluster atomics to four blocks", "9.0", SMP_ATOM_CLUSTER, 4, 0x1fff,
     "16777328 67108972 67108892 50331752 67108904 33554444 67108896 67108984 16777244 67108956 "
     "67108976 33554492 16777324",
     10, 320},
    {"cluster atomics to three blocks", "9.0", SMP_ATOM_CLUSTER, 4, 0x3fff,
     "50331740 16777228 50331728 16777224 50331704 67108972 16777300 67108884 16777236 67108936 "
     "16777216 50331728 16777304 16777340",
     10, 320},
    {"cluster loads from two blocks", "9.0", SMP_LD_CLUSTER, 4, ALL, "0+4*16 16777216+4*16", 4, 128},

    /* Distributed shared memory: 32-byte sectors */
    {"cluster floats in line", "9.0", SMP_LD_CLUSTER, 4, ALL, "0+4*32", 4, 128},
    {"cluster padded row is not sector-aligned", "9.0", SMP_LD_CLUSTER, 4, ALL, "132+4*32", 5, 160},
    {"cluster column", "9.0", SMP_LD_CLUSTER, 4, ALL, "0+128*32", 32, 1024},
    {"cluster padded column", "9.0", SMP_LD_CLUSTER, 4, ALL, "0+132*32", 32, 1024},
    {"cluster stride 4", "9.0", SMP_LD_CLUSTER, 4, ALL, "0+16*32", 16, 512},
    {"cluster doubles", "9.0", SMP_LD_CLUSTER, 8, ALL, "0+8*32", 8, 256},
    {"cluster 16 bytes", "9.0", SMP_LD_CLUSTER, 16, ALL, "0+16*32", 16, 512},
    {"cluster 16 bytes in pairs", "9.0", SMP_LD_CLUSTER, 16, ALL, "0+16*32/2", 8, 256},
    {"cluster one word for all", "9.0", SMP_LD_CLUSTER, 4, ALL, "64*32", 1, 32},
    {"cluster writes", "9.0", SMP_ST_CLUSTER, 4, ALL, "0+4*32", 4, 128},
    {"cluster writes of 16 bytes", "9.0", SMP_ST_CLUSTER, 16, ALL, "0+16*32", 16, 512},
    {"cluster writes of 8 bytes, one lane", "9.0", SMP_ST_CLUSTER, 8, 0x10000, "0+8*32", 1, 32},
};
/* clang-format on */

enum { ROWS = sizeof rows / sizeof rows[0] };

static void check_row(const global_row *row, const char *arch_name) {
    smp_access access = {.op = row->op, .width_bytes = row->width_bytes, .active_mask = row->mask};
    smp_counts got;
    ck_assert_msg(offset_text_read(row->addresses, &access) > 0, "%s: bad addresses", row->name);
    smp_status status = smp_predict(smp_arch_find(arch_name), &access, &got);
    ck_assert_msg(status == SMP_OK, "%s, %s: %s", row->name, arch_name, smp_status_name(status));
    ck_assert_msg(got.valid == SMP_HAS_TRANSACTIONS, "%s, %s: valid", row->name, arch_name);
    ck_assert_msg(got.transactions == row->transactions && got.bytes == row->bytes,
                  "%s, %s: %u transactions, %u bytes; expected %u, %u", row->name, arch_name,
                  got.transactions, got.bytes, row->transactions, row->bytes);
}

START_TEST(row_holds) {
    const global_row *row = &rows[_i];
    char archs[512];
    snprintf(archs, sizeof archs, "%s", row->archs);
    for (char *name = strtok(archs, " "); name; name = strtok(NULL, " "))
        check_row(row, name);
}
END_TEST

/* ---- Copies ---- */

typedef struct copy_row {
    const char *name;
    unsigned width_bytes;
    uint32_t mask;
    const char *offsets, *addresses; /* offset_text.h */
    unsigned wavefronts, ideal, ways, transactions;
} copy_row;

/* clang-format off */
static const copy_row copy_rows[] = {
    {"a row to a row", 4, ALL, "0+4*32", "0+4*32", 1, 1, 1, 4},
    {"to one word", 4, ALL, "0*32", "0+4*32", 32, 1, 32, 4},
    {"from one word", 4, ALL, "0+4*32", "64*32", 32, 1, 32, 1},
    {"to a column", 4, ALL, "0+128*32", "0+4*32", 32, 1, 32, 4},
    {"to a padded column", 4, ALL, "0+132*32", "0+4*32", 1, 1, 1, 4},
    {"to every second word", 4, ALL, "0+8*32", "0+4*32", 2, 1, 2, 4},
    {"from every second word", 4, ALL, "0+4*32", "256+8*32", 2, 1, 2, 8},
    {"from one bank of four lines", 4, 0xf, "0+4*4", "0+128*4", 4, 1, 4, 4},
    {"the choices are made apart", 4, 0x7, "0 4 4", "0 0 8", 3, 1, 3, 1},
    {"the order of lanes matters", 4, 0x7, "0 4 4", "0 8 0", 2, 1, 2, 1},
    {"from a padded column, four lines a wavefront", 4, ALL, "0+4*32", "0+132*32", 8, 1, 8, 32},
    {"from a column", 4, ALL, "0+4*32", "0+128*32", 32, 1, 32, 32},
    {"from a column of four bytes every 512", 4, 0xff, "0+4*8", "0+512*8", 8, 1, 8, 8},
    {"lines 8 MiB apart are in two tag banks", 4, 0x3, "0 4", "0 8388612", 1, 1, 1, 2},
    {"lines 0 and 5 are in one tag bank", 4, 0x3, "0 4", "0 644", 2, 1, 2, 2},
    {"one lane", 4, 0x100, "0+4*32", "0+4*32", 1, 1, 1, 1},
    {"doubles by half-warps", 8, ALL, "0+8*32", "0+8*32", 2, 2, 1, 8},
    {"doubles to one place", 8, ALL, "8*32", "0+8*32", 32, 2, 16, 8},
    {"doubles, halves do not meet", 8, ALL, "0+8*32|16", "0+8*32|16", 2, 2, 1, 4},
    {"doubles of one half-warp", 8, 0xffff0000, "0+16*32", "0+8*32", 2, 1, 2, 4},
    {"16 bytes by quarters", 16, ALL, "0+16*32", "0+16*32", 4, 4, 1, 16},
    {"16 bytes to one place", 16, ALL, "16*32", "0+16*32", 32, 4, 8, 16},
    {"16 bytes, quarters do not meet", 16, ALL, "0+16*32|16", "0+16*32|16", 4, 4, 1, 8},
    {"16 bytes of a quarter", 16, 0xff0000, "0+32*32", "0+16*32", 2, 1, 2, 4},
};
/* clang-format on */

static smp_access copy_of(const copy_row *row) {
    smp_access access = {.op = row->width_bytes == 16 ? SMP_CP_ASYNC_CA : SMP_CP_ASYNC,
                         .width_bytes = row->width_bytes};
    smp_access source = {0};
    access.active_mask = row->mask;
    ck_assert_msg(offset_text_read(row->offsets, &access) > 0, "%s: bad offsets", row->name);
    ck_assert_msg(offset_text_read(row->addresses, &source) > 0, "%s: bad addresses", row->name);
    memcpy(access.address_bytes, source.address_bytes, sizeof access.address_bytes);
    return access;
}

START_TEST(copy_counts_both_sides) {
    const copy_row *row = &copy_rows[_i];
    smp_access access = copy_of(row);
    smp_counts got;
    smp_status status = smp_predict(smp_arch_find("9.0"), &access, &got);
    ck_assert_msg(status == SMP_OK, "%s: %s", row->name, smp_status_name(status));
    ck_assert_msg(got.valid == (SMP_HAS_WAVEFRONTS | SMP_HAS_TRANSACTIONS), "%s: valid", row->name);
    ck_assert_msg(got.evidence == SMP_MEASURED, "%s: evidence", row->name);
    ck_assert_msg(got.wavefronts_min == row->wavefronts && got.wavefronts_max == row->wavefronts &&
                      got.ideal == row->ideal && got.ways == row->ways,
                  "%s: wavefronts %u..%u ideal %u ways %u; expected %u, %u, %u", row->name,
                  got.wavefronts_min, got.wavefronts_max, got.ideal, got.ways, row->wavefronts,
                  row->ideal, row->ways);
    ck_assert_msg(got.transactions == row->transactions && got.bytes == 32 * row->transactions,
                  "%s: %u transactions, %u bytes; expected %u", row->name, got.transactions,
                  got.bytes, row->transactions);
}
END_TEST

/* Address bits 12 to 34 as measured (probes/recorded/random/tag-bits-sm90.txt): beside which other
 * difference, of 0 to 3 tag banks, a line that differs in the bit meets the first in its bank. */
static const uint8_t meets_beside[] = {3, 2, 1, 2, 3, 2, 3, 1, 3, 1, 2, 3,
                                       1, 3, 1, 2, 1, 3, 1, 3, 2, 1, 2};

START_TEST(tag_bank_takes_each_address_bit_as_measured) {
    static const uint64_t beside[4] = {5 << 7, 1 << 11, 1 << 8, 1 << 7};
    const uint64_t start = UINT64_C(1000) << 12, bit = UINT64_C(1) << (12 + _i);
    for (unsigned banks = 0; banks < 4; banks++) {
        smp_access access = {.op = SMP_CP_ASYNC, .width_bytes = 4, .active_mask = 3};
        smp_counts got;
        access.offset_bytes[1] = 4;
        access.address_bytes[0] = start;
        access.address_bytes[1] = (start ^ bit ^ beside[banks]) + 4;
        ck_assert_int_eq(smp_predict(smp_arch_find("9.0"), &access, &got), SMP_OK);
        ck_assert_msg(got.wavefronts_max == (banks == meets_beside[_i] ? 2 : 1),
                      "bit %d beside %u banks: %u wavefronts", 12 + _i, banks, got.wavefronts_max);
    }
}
END_TEST

/* From lines more than 32 GiB apart the shared side is open; the sectors are not. */
START_TEST(copies_from_far_apart_count_their_global_side) {
    smp_access access = {.op = SMP_CP_ASYNC, .width_bytes = 4, .active_mask = ALL};
    smp_counts got;
    for (unsigned lane = 0; lane < SMP_LANES; lane++) {
        access.offset_bytes[lane] = lane * 4;
        access.address_bytes[lane] = 32 + lane * (UINT64_C(1) << 35);
    }
    ck_assert_int_eq(smp_predict(smp_arch_find("9.0"), &access, &got), SMP_OK);
    ck_assert_uint_eq(got.valid, SMP_HAS_TRANSACTIONS);
    ck_assert_int_eq(got.evidence, SMP_OPEN);
    ck_assert_ptr_nonnull(got.note);
    ck_assert_uint_eq(got.transactions, 32);
    ck_assert_uint_eq(got.bytes, 1024);
}
END_TEST

static void expect_packets(const smp_access *access, uint32_t packets) {
    smp_counts got;
    ck_assert_int_eq(smp_predict(smp_arch_find("9.0"), access, &got), SMP_OK);
    ck_assert_uint_eq(got.transactions, packets);
}

/* Three lanes: one word of line X, another word of line Y, and that word of X. In one tag bank, Y's
 * lane keeps the last one waiting, and three packets go; else two. Lines that differ in one high
 * bit of the address are in two banks, and in one if a low bit makes up for it. */
START_TEST(high_address_bits_choose_the_tag_bank) {
    static const uint16_t makes_up[] = {2048, 128, 2048, 256, 2048, 128, 2048, 128, 256, 2048, 256};
    const uint64_t y = UINT64_C(1) << (24 + _i);
    smp_access access = {.op = SMP_RED_GLOBAL, .width_bytes = 4, .active_mask = 7};
    access.address_bytes[2] = 4;
    access.address_bytes[1] = y + 4;
    expect_packets(&access, 2);
    access.address_bytes[1] = y + makes_up[_i] + 4;
    expect_packets(&access, 3);
}
END_TEST

/* The same with Y in another block of the cluster: bits 0 to 3 of its number turn the first parity,
 * bits 0 and 2 the second (model/FINDINGS.md, measured with all 16 blocks). */
START_TEST(blocks_of_a_cluster_choose_the_tag_bank) {
    static const uint16_t makes_up[] = {128, 2048, 128, 2048};
    const uint32_t y = 1u << (24 + _i);
    smp_access access = {.op = SMP_ATOM_CLUSTER, .width_bytes = 4, .active_mask = 7};
    access.offset_bytes[2] = 4;
    access.offset_bytes[1] = y + 4;
    expect_packets(&access, 2);
    access.offset_bytes[1] = y + makes_up[_i] + 4;
    expect_packets(&access, 3);
}
END_TEST

START_TEST(clusters_have_sixteen_blocks) {
    smp_access access = {.op = SMP_ATOM_CLUSTER, .width_bytes = 4, .active_mask = 1};
    access.offset_bytes[0] = 15u << 24;
    ck_assert_int_eq(smp_access_check(smp_arch_find("9.0"), &access, NULL), SMP_OK);
    access.offset_bytes[0] = 16u << 24;
    ck_assert_int_eq(smp_access_check(smp_arch_find("9.0"), &access, NULL), SMP_E_RANGE);
    access.offset_bytes[0] = (1u << 24) + 232448;
    ck_assert_int_eq(smp_access_check(smp_arch_find("9.0"), &access, NULL), SMP_E_RANGE);
    access.op = SMP_ATOM_SHARED;
    access.offset_bytes[0] = 1u << 24;
    ck_assert_int_eq(smp_access_check(smp_arch_find("9.0"), &access, NULL), SMP_E_RANGE);
}
END_TEST

int main(void) {
    return SUITE("model_global", TEST_EACH(row_holds, ROWS),
                 TEST_EACH(copy_counts_both_sides, COUNT_OF(copy_rows)),
                 TEST_EACH(tag_bank_takes_each_address_bit_as_measured, COUNT_OF(meets_beside)),
                 TEST(copies_from_far_apart_count_their_global_side),
                 TEST_EACH(high_address_bits_choose_the_tag_bank, 11),
                 TEST(clusters_have_sixteen_blocks),
                 TEST_EACH(blocks_of_a_cluster_choose_the_tag_bank, 4));
}
