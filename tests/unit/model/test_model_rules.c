/* SPDX-License-Identifier: MIT */
/* One or more named rows for every rule of shared memory, worked out by hand from the documents. */
#include <stdio.h>
#include <string.h>

#include "arch_lists.h"
#include "offset_text.h"
#include "smp_model.h"
#include "suite.h"

#define ALL SMP_ALL_LANES
#define LD SMP_LD_SHARED
#define ST SMP_ST_SHARED
#define ATOM SMP_ATOM_SHARED
#define CAS SMP_ATOM_SHARED_CAS
#define RED SMP_RED_SHARED

/* Lanes i and i^2 at one address: 16 neighbouring doubles, or quarters of 16-byte words. */
#define PAIRS_2_OF_8 "0+8*4|2 16+8*4|2 32+8*4|2 48+8*4|2 64+8*4|2 80+8*4|2 96+8*4|2 112+8*4|2"
#define PAIRS_2_OF_16 \
    "0+16*4|2 32+16*4|2 64+16*4|2 96+16*4|2 128+16*4|2 160+16*4|2 192+16*4|2 224+16*4|2"

typedef struct rule_row {
    const char *name;
    const char *archs;
    unsigned bank_bytes;
    smp_op op;
    unsigned width_bytes;
    uint32_t mask;
    const char *offsets; /* offset_text.h */
    unsigned min, max, ideal, ways;
    bool paired;
} rule_row;

/* clang-format off */
static const rule_row rows[] = {
    /* CC 1.x: two half-warps, 16 banks */
    {"1.x half-warps are requests of their own", ARCHS_1, 4, LD, 4, ALL, "0+4*32", 2, 2, 1, 1, 0},
    {"1.x one half-warp is one request", ARCHS_1, 4, LD, 4, 0x0000ffff, "0+4*32", 1, 1, 1, 1, 0},
    {"1.x the other half-warp is one request", ARCHS_1, 4, LD, 4, 0xffff0000, "0+4*32", 1, 1, 1, 1, 0},
    {"1.x halves never conflict with each other", ARCHS_1, 4, LD, 4, ALL, "0+4*16 1024+4*16", 2, 2, 1, 1, 0},
    {"1.x stride 2", ARCHS_1, 4, LD, 4, ALL, "0+8*32", 4, 4, 1, 2, 0},
    {"1.x stride 3", ARCHS_1, 4, LD, 4, ALL, "0+12*32", 2, 2, 1, 1, 0},
    {"1.x stride 8", ARCHS_1, 4, LD, 4, ALL, "0+32*32", 16, 16, 1, 8, 0},
    {"1.x stride 16", ARCHS_1, 4, LD, 4, ALL, "0+64*32", 32, 32, 1, 16, 0},
    {"1.x stride 17", ARCHS_1, 4, LD, 4, ALL, "0+68*32", 2, 2, 1, 1, 0},
    {"1.x one word for all is a broadcast", ARCHS_1, 4, LD, 4, ALL, "64*32", 2, 2, 1, 1, 0},
    {"1.x one word broadcasts in a step", ARCHS_1, 4, LD, 4, 0xffff, "0*8 4*8", 2, 2, 1, 1, 0},
    {"1.x five lanes on bank 5", ARCHS_1, 4, LD, 4, 0xffff,
     "0 4 8 20 20 12 20 20 16 20 24 28 32 36 40 44", 1, 2, 1, 1, 0},
    {"1.x only one address of the broadcast's rivals", ARCHS_1, 4, LD, 4, 0x7, "0 0 64", 2, 2, 1, 2, 0},
    {"1.x a wasted broadcast costs a step", ARCHS_1, 4, LD, 4, 0xf, "0 0 0 4", 1, 2, 1, 1, 0},
    {"1.x a broadcast of one rival of two", ARCHS_1, 4, LD, 4, 0xf, "0 0 4 68", 2, 2, 1, 2, 0},
    {"1.x two wasted broadcasts cost a step", ARCHS_1, 4, LD, 4, 0x1f, "0 0 0 4 68", 2, 3, 1, 2, 0},
    {"1.x 16 chars", ARCHS_1, 4, LD, 1, 0xffff, "0+1*32", 4, 4, 1, 1, 0},
    {"1.x 32 chars", ARCHS_1, 4, LD, 1, ALL, "0+1*32", 8, 8, 1, 1, 0},
    {"1.x 16 shorts", ARCHS_1, 4, LD, 2, 0xffff, "0+2*32", 2, 2, 1, 1, 0},
    {"1.x chars a word apart", ARCHS_1, 4, LD, 1, 0xffff, "0+4*32", 1, 1, 1, 1, 0},
    {"1.x a double is two requests of stride 2", ARCHS_1, 4, LD, 8, 0xffff, "0+8*32", 4, 4, 1, 2, 0},
    {"1.x doubles of a warp", ARCHS_1, 4, LD, 8, ALL, "0+8*32", 8, 8, 2, 2, 0},
    {"1.x 16 bytes are four requests of stride 4", ARCHS_1, 4, LD, 16, 0xffff, "0+16*32", 16, 16, 2, 4, 0},
    {"1.x one double for all", ARCHS_1, 4, LD, 8, ALL, "0*32", 4, 4, 2, 1, 0},
    {"1.x writes to one location", ARCHS_1, 4, ST, 4, ALL, "64*32", 2, 2, 1, 1, 0},
    {"1.x writes to one bank", ARCHS_1, 4, ST, 4, 0xffff, "0+64*32", 16, 16, 1, 16, 0},
    {"1.x writes of chars", ARCHS_1, 4, ST, 1, 0xffff, "0+1*32", 4, 4, 1, 1, 0},
    {"1.x writes of shorts", ARCHS_1, 4, ST, 2, 0xffff, "0+2*32", 2, 2, 1, 1, 0},
    {"1.x writes of doubles", ARCHS_1, 4, ST, 8, 0xffff, "0+8*32", 4, 4, 1, 2, 0},
    {"1.x writes in pairs to one location", ARCHS_1, 4, ST, 4, 0xffff, "0+4*32/2", 1, 1, 1, 1, 0},

    /* CC 2.x: one request, several words at once; half- and quarter-warps for wide ones */
    {"2.x unit stride", ARCHS_2, 4, LD, 4, ALL, "0+4*32", 1, 1, 1, 1, 0},
    {"2.x lanes 0 and 16 are in one request", ARCHS_2, 4, LD, 4, ALL, "0+4*16 128+4*16", 2, 2, 1, 2, 0},
    {"2.x several words broadcast at once", ARCHS_2, 4, LD, 4, ALL, "0+4*32|5", 1, 1, 1, 1, 0},
    {"2.x chars", ARCHS_2, 4, LD, 1, ALL, "0+1*32", 1, 1, 1, 1, 0},
    {"2.x shorts", ARCHS_2, 4, LD, 2, ALL, "0+2*32", 1, 1, 1, 1, 0},
    {"2.x column of float[32][32]", ARCHS_2, 4, LD, 4, ALL, "0+128*32", 32, 32, 1, 32, 0},
    {"2.x doubles in half-warps", ARCHS_2, 4, LD, 8, ALL, "0+8*32", 2, 2, 2, 1, 0},
    {"2.x doubles, halves apart by rows", ARCHS_2, 4, LD, 8, ALL, "0+8*16 1024+8*16", 2, 2, 2, 1, 0},
    {"2.x doubles stride 2", ARCHS_2, 4, LD, 8, ALL, "0+16*32", 4, 4, 2, 2, 0},
    {"2.x one double for all, no pair rule", ARCHS_2, 4, LD, 8, ALL, "0*32", 2, 2, 2, 1, 0},
    {"2.x 16 bytes in quarter-warps", ARCHS_2, 4, LD, 16, ALL, "0+16*32", 4, 8, 4, 2, 0},
    {"2.x 16 bytes stride 2", ARCHS_2, 4, LD, 16, ALL, "0+32*32", 8, 12, 4, 3, 0},
    {"2.x one 16-byte word for all, no pair rule", ARCHS_2, 4, LD, 16, ALL, "0*32", 4, 8, 4, 2, 0},
    {"2.x 16 bytes, a quarter-warp without lanes costs nothing", ARCHS_2, 4, LD, 16, 0x1, "0", 1, 2, 1, 2, 0},
    {"2.x writes of 16 bytes", ARCHS_2, 4, ST, 16, ALL, "0+16*32", 4, 8, 4, 2, 0},
    {"2.x writes to one word", ARCHS_2, 4, ST, 4, ALL, "8*32", 1, 1, 1, 1, 0},
    {"2.x writes of doubles", ARCHS_2, 4, ST, 8, ALL, "0+8*32", 2, 2, 2, 1, 0},

    /* CC 3.x, banks of 8 bytes */
    {"3.x/8 unit stride", ARCHS_3, 8, LD, 4, ALL, "0+4*32", 1, 1, 1, 1, 0},
    {"3.x/8 column of float[32][32]", ARCHS_3, 8, LD, 4, ALL, "0+128*32", 16, 16, 1, 16, 0},
    {"3.x/8 two floats of one 8-byte word", ARCHS_3, 8, LD, 4, 3, "0 4", 1, 1, 1, 1, 0},
    {"3.x/8 bank 0 again after 256 bytes", ARCHS_3, 8, LD, 4, 3, "0 256", 2, 2, 1, 2, 0},
    {"3.x/8 not after 128 bytes", ARCHS_3, 8, LD, 4, 3, "0 128", 1, 1, 1, 1, 0},
    {"3.x/8 stride 2", ARCHS_3, 8, LD, 4, ALL, "0+8*32", 1, 1, 1, 1, 0},
    {"3.x/8 stride 3", ARCHS_3, 8, LD, 4, ALL, "0+12*32", 2, 2, 1, 2, 0},
    {"3.x/8 doubles", ARCHS_3, 8, LD, 8, ALL, "0+8*32", 1, 1, 1, 1, 0},
    {"3.x/8 column of double[32][32]", ARCHS_3, 8, LD, 8, ALL, "0+256*32", 32, 32, 2, 32, 0},
    {"3.x/8 doubles stride 2", ARCHS_3, 8, LD, 8, ALL, "0+16*32", 2, 2, 2, 2, 0},
    {"3.x/8 16 bytes in half-warps", ARCHS_3, 8, LD, 16, ALL, "0+16*32", 2, 2, 2, 1, 0},
    {"3.x/8 one 16-byte word for all, no pair rule", ARCHS_3, 8, LD, 16, ALL, "0*32", 2, 2, 2, 1, 0},
    {"3.x/8 writes to one word", ARCHS_3, 8, ST, 4, ALL, "0+4*32|2", 1, 1, 1, 1, 0},

    /* CC 3.x, banks of 4 bytes */
    {"3.x/4 unit stride", ARCHS_3, 4, LD, 4, ALL, "0+4*32", 1, 1, 1, 1, 0},
    {"3.x/4 column of float[32][32]", ARCHS_3, 4, LD, 4, ALL, "0+128*32", 16, 16, 1, 16, 0},
    {"3.x/4 words i and i+32 of a segment", ARCHS_3, 4, LD, 4, 3, "0 128", 1, 1, 1, 1, 0},
    {"3.x/4 words 32 and 64 are two segments", ARCHS_3, 4, LD, 4, 3, "128 256", 2, 2, 1, 2, 0},
    {"3.x/4 words i and i+64", ARCHS_3, 4, LD, 4, 3, "0 256", 2, 2, 1, 2, 0},
    {"3.x/4 stride 2", ARCHS_3, 4, LD, 4, ALL, "0+8*32", 1, 1, 1, 1, 0},
    {"3.x/4 stride 2 across segments", ARCHS_3, 4, LD, 4, ALL, "128+8*32", 2, 2, 1, 2, 0},
    {"3.x/4 stride 3", ARCHS_3, 4, LD, 4, ALL, "0+12*32", 1, 1, 1, 1, 0},
    {"3.x/4 doubles", ARCHS_3, 4, LD, 8, ALL, "0+8*32", 1, 1, 1, 1, 0},
    {"3.x/4 doubles stride 2", ARCHS_3, 4, LD, 8, ALL, "0+16*32", 2, 2, 2, 2, 0},
    {"3.x/4 16 bytes in half-warps", ARCHS_3, 4, LD, 16, ALL, "0+16*32", 2, 2, 2, 1, 0},
    {"3.x/4 writes to one word", ARCHS_3, 4, ST, 4, ALL, "4*32", 1, 1, 1, 1, 0},
    {"3.x/4 writes to a column", ARCHS_3, 4, ST, 4, ALL, "0+128*32", 16, 16, 1, 16, 0},

    /* CC 5.0 and later, up to 4 bytes */
    {"5+ unit stride", ARCHS_5_UP, 4, LD, 4, ALL, "0+4*32", 1, 1, 1, 1, 0},
    {"5+ reversed", ARCHS_5_UP, 4, LD, 4, ALL, "124 120 116 112 108 104 100 96 92 88 84 80 76 72 68 64 "
     "60 56 52 48 44 40 36 32 28 24 20 16 12 8 4 0", 1, 1, 1, 1, 0},
    {"5+ off a row's start", ARCHS_5_UP, 4, LD, 4, ALL, "68+4*32", 1, 1, 1, 1, 0},
    {"5+ stride 2", ARCHS_5_UP, 4, LD, 4, ALL, "0+8*32", 2, 2, 1, 2, 0},
    {"5+ stride 3", ARCHS_5_UP, 4, LD, 4, ALL, "0+12*32", 1, 1, 1, 1, 0},
    {"5+ column of float[32][32]", ARCHS_5_UP, 4, LD, 4, ALL, "0+128*32", 32, 32, 1, 32, 0},
    {"5+ column of float[32][33]", ARCHS_5_UP, 4, LD, 4, ALL, "0+132*32", 1, 1, 1, 1, 0},
    {"5+ one word for all", ARCHS_5_UP, 4, LD, 4, ALL, "512*32", 1, 1, 1, 1, 0},
    {"5+ several words multicast", ARCHS_5_UP, 4, LD, 4, ALL, "0+4*32|3", 1, 1, 1, 1, 0},
    {"5+ two words of one bank", ARCHS_5_UP, 4, LD, 4, ALL, "0+128*32|2", 2, 2, 1, 2, 0},
    {"5+ chars", ARCHS_5_UP, 4, LD, 1, ALL, "0+1*32", 1, 1, 1, 1, 0},
    {"5+ shorts", ARCHS_5_UP, 4, LD, 2, ALL, "0+2*32", 1, 1, 1, 1, 0},
    {"5+ column of chars", ARCHS_5_UP, 4, LD, 1, ALL, "3+128*32", 32, 32, 1, 32, 0},
    {"5+ column of half the lanes", ARCHS_5_UP, 4, LD, 4, 0x0ff0, "0+128*32", 8, 8, 1, 8, 0},
    {"5+ one lane", ARCHS_5_UP, 4, LD, 4, 0x80000000, "0+4*32", 1, 1, 1, 1, 0},
    {"5+ writes to one word", ARCHS_5_UP, 4, ST, 4, ALL, "512*32", 1, 1, 1, 1, 0},
    {"5+ writes of chars to one word", ARCHS_5_UP, 4, ST, 1, ALL, "0+1*32|4", 1, 1, 1, 1, 0},
    {"5+ writes to a column", ARCHS_5_UP, 4, ST, 4, ALL, "0+128*32", 32, 32, 1, 32, 0},

    /* CC 5.0 and later, loads of 8 and 16 bytes: the pair rule */
    {"5+ doubles in groups of 16", ARCHS_5_UP, 4, LD, 8, ALL, "0+8*32", 2, 2, 2, 1, 0},
    {"5+ doubles, groups never conflict", ARCHS_5_UP, 4, LD, 8, ALL, "0+8*16 2048+8*16", 2, 2, 2, 1, 0},
    {"5+ column of double[32][32]", ARCHS_5_UP, 4, LD, 8, ALL, "0+256*32", 32, 32, 2, 16, 0},
    {"5+ doubles in pairs 1 apart", ARCHS_5_UP, 4, LD, 8, ALL, "0+8*32/2", 1, 1, 1, 1, 1},
    {"5+ doubles in pairs 2 apart", ARCHS_5_UP, 4, LD, 8, ALL, PAIRS_2_OF_8, 1, 1, 1, 1, 1},
    {"5+ one double for all", ARCHS_5_UP, 4, LD, 8, ALL, "8*32", 1, 1, 1, 1, 1},
    {"5+ a column in pairs", ARCHS_5_UP, 4, LD, 8, ALL, "0+128*32/2", 16, 16, 2, 16, 1},
    {"5+ doubles in pairs 4 apart are no pairs", ARCHS_5_UP, 4, LD, 8, ALL,
     "0+8*8|4 32+8*8|4 64+8*8|4 96+8*8|4", 2, 2, 2, 1, 0},
    {"5+ doubles in pairs 16 apart are no pairs", ARCHS_5_UP, 4, LD, 8, ALL, "0+8*32|16", 2, 2, 2, 1, 0},
    {"5+ pairs 1 apart, then 2 apart: no pairs", ARCHS_5_UP, 4, LD, 8, ALL,
     "0+8*16/2 64+8*4|2 80+8*4|2 96+8*4|2 112+8*4|2", 2, 2, 2, 1, 0},
    {"5+ one lane of the last pair differs", ARCHS_5_UP, 4, LD, 8, ALL, "0+8*31/2 128", 2, 2, 2, 1, 0},
    {"5+ one lane of the first pair differs", ARCHS_5_UP, 4, LD, 8, ALL, "120 0 8+8*30/2", 2, 2, 2, 1, 0},
    {"5+ an inactive partner is a pair", ARCHS_5_UP, 4, LD, 8, 0x7fffffff, "0+8*31/2 128", 1, 1, 1, 1, 1},
    {"5+ every second lane alone", ARCHS_5_UP, 4, LD, 8, 0x55555555, "0+4*32", 1, 1, 1, 1, 1},
    {"5+ every second pair of lanes alone", ARCHS_5_UP, 4, LD, 8, 0x33333333, "0+8*4|2 16+8*4|2 32+8*4|2 "
     "48+8*4|2 64+8*4|2 80+8*4|2 96+8*4|2 112+8*4|2", 1, 1, 1, 1, 1},
    {"5+ the first group alone", ARCHS_5_UP, 4, LD, 8, 0xffff, "0+8*32", 1, 1, 1, 1, 0},
    {"5+ the second group alone", ARCHS_5_UP, 4, LD, 8, 0xffff0000, "0+8*32", 1, 1, 1, 1, 0},
    {"5+ 16 bytes in groups of 8", ARCHS_5_UP, 4, LD, 16, ALL, "0+16*32", 4, 4, 4, 1, 0},
    {"5+ 16 bytes in pairs 1 apart", ARCHS_5_UP, 4, LD, 16, ALL, "0+16*32/2", 2, 2, 2, 1, 1},
    {"5+ 16 bytes in pairs 2 apart", ARCHS_5_UP, 4, LD, 16, ALL, PAIRS_2_OF_16, 2, 2, 2, 1, 1},
    {"5+ 16 bytes never in a group of 32", ARCHS_5_UP, 4, LD, 16, ALL, "0*32", 2, 2, 2, 1, 1},
    {"5+ 16 bytes in fours still groups of 16", ARCHS_5_UP, 4, LD, 16, ALL, "0+16*32/4", 2, 2, 2, 1, 1},
    {"5+ 16 bytes, one pair differs", ARCHS_5_UP, 4, LD, 16, ALL, "0+16*31/2 256", 4, 4, 4, 1, 0},
    {"5+ 16 bytes stride 2", ARCHS_5_UP, 4, LD, 16, ALL, "0+32*32", 8, 8, 4, 2, 0},
    {"5+ 16 bytes stride 8", ARCHS_5_UP, 4, LD, 16, ALL, "0+128*32", 32, 32, 4, 8, 0},

    /* CC 5.0 and later, stores of 8 and 16 bytes: no pair rule */
    {"5+ writes of doubles", ARCHS_5_UP, 4, ST, 8, ALL, "0+8*32", 2, 2, 2, 1, 0},
    {"5+ writes of doubles in pairs", ARCHS_5_UP, 4, ST, 8, ALL, "0+8*32/2", 2, 2, 2, 1, 0},
    {"5+ writes of 16 bytes", ARCHS_5_UP, 4, ST, 16, ALL, "0+16*32", 4, 4, 4, 1, 0},
    {"5+ writes of 16 bytes in pairs", ARCHS_5_UP, 4, ST, 16, ALL, "0+16*32/2", 4, 4, 4, 1, 0},
    {"5+ writes of 16 bytes to one place", ARCHS_5_UP, 4, ST, 16, ALL, "0*32", 4, 4, 4, 1, 0},

    /* Matrix operations: 8 rows of 16 bytes a group */
    {"ldmatrix.x1 dense", "7.5 " ARCHS_8_UP, 4, SMP_LDMATRIX_X1, 16, ALL, "0+16*32", 1, 1, 1, 1, 0},
    {"ldmatrix.x1, only 8 lanes count", "7.5 9.0", 4, SMP_LDMATRIX_X1, 16, ALL, "0+16*8 0+128*24", 1, 1, 1, 1, 0},
    {"ldmatrix.x2, only 16 lanes count", "7.5 9.0", 4, SMP_LDMATRIX_X2, 16, ALL, "0+16*16 0+128*16", 2, 2, 2, 1, 0},
    {"ldmatrix.x4 dense", "7.5 9.0", 4, SMP_LDMATRIX_X4, 16, ALL, "0+16*32", 4, 4, 4, 1, 0},
    {"ldmatrix.x4 pitch 32", "9.0", 4, SMP_LDMATRIX_X4, 16, ALL, "0+32*32", 8, 8, 4, 2, 0},
    {"ldmatrix.x4 pitch 128", "9.0", 4, SMP_LDMATRIX_X4, 16, ALL, "0+128*32", 32, 32, 4, 8, 0},
    {"ldmatrix.x4 padded pitch 144", "9.0", 4, SMP_LDMATRIX_X4, 16, ALL, "0+144*32", 4, 4, 4, 1, 0},
    {"ldmatrix.x4 one row for all, no pair rule", "9.0", 4, SMP_LDMATRIX_X4, 16, ALL, "0*32", 4, 4, 4, 1, 0},
    {"ldmatrix.x4 a group of its own for lanes 8-15", "9.0", 4, SMP_LDMATRIX_X4, 16, ALL, "0+16*8 0+128*8 0+16*16",
     11, 11, 4, 8, 0},
    {"ldmatrix.x1.trans pitch 128", "9.0", 4, SMP_LDMATRIX_X1_TRANS, 16, ALL, "0+128*32", 8, 8, 1, 8, 0},
    {"ldmatrix.x2.trans pitch 128", "9.0", 4, SMP_LDMATRIX_X2_TRANS, 16, ALL, "0+128*32", 16, 16, 2, 8, 0},
    {"ldmatrix.x4.trans dense", "9.0", 4, SMP_LDMATRIX_X4_TRANS, 16, ALL, "0+16*32", 4, 4, 4, 1, 0},
    {"stmatrix.x1 pitch 64", "9.0", 4, SMP_STMATRIX_X1, 16, ALL, "0+64*32", 4, 4, 1, 4, 0},
    {"stmatrix.x2 dense", "9.0", 4, SMP_STMATRIX_X2, 16, ALL, "0+16*32", 2, 2, 2, 1, 0},
    {"stmatrix.x4 pitch 128", "9.0", 4, SMP_STMATRIX_X4, 16, ALL, "0+128*32", 32, 32, 4, 8, 0},
    {"stmatrix.x1.trans dense", "9.0", 4, SMP_STMATRIX_X1_TRANS, 16, ALL, "0+16*32", 1, 1, 1, 1, 0},
    {"stmatrix.x2.trans pitch 32", "9.0", 4, SMP_STMATRIX_X2_TRANS, 16, ALL, "0+32*32", 4, 4, 2, 2, 0},
    {"stmatrix.x4.trans rows in pairs", "9.0", 4, SMP_STMATRIX_X4_TRANS, 16, ALL, "0+16*32/2", 4, 4, 4, 1, 0},

    /* Atomics: lanes on one word do not combine */
    {"atom unit stride", "9.0", 4, ATOM, 4, ALL, "0+4*32", 1, 1, 1, 1, 0},
    {"atom one word for all", "9.0", 4, ATOM, 4, ALL, "0*32", 32, 32, 1, 32, 0},
    {"atom pairs on a word", "9.0", 4, ATOM, 4, ALL, "0+4*32/2", 2, 2, 1, 2, 0},
    {"atom lanes on a bank, words mixed", "9.0", 4, ATOM, 4, ALL, "0+128*32|4", 32, 32, 1, 32, 0},
    {"atom 8 bytes in groups of 16", "9.0", 4, ATOM, 8, ALL, "0+8*32", 2, 2, 2, 1, 0},
    {"atom 8 bytes, one word for all", "9.0", 4, ATOM, 8, ALL, "0*32", 32, 32, 2, 16, 0},
    {"atom 8 bytes, no pair rule", "9.0", 4, ATOM, 8, ALL, "0+8*32/2", 4, 4, 2, 2, 0},
    {"red unit stride", "9.0", 4, RED, 4, ALL, "0+4*32", 1, 1, 1, 1, 0},
    {"red one word for all", "9.0", 4, RED, 4, ALL, "0*32", 32, 32, 1, 32, 0},
    {"cas unit stride, twice", "9.0", 4, CAS, 4, ALL, "0+4*32", 2, 2, 2, 1, 0},
    {"cas one word for all, twice", "9.0", 4, CAS, 4, ALL, "0*32", 64, 64, 2, 32, 0},
    {"cas one lane, twice", "9.0", 4, CAS, 4, 1, "0*32", 2, 2, 2, 1, 0},
    {"cas 8 bytes, twice", "9.0", 4, CAS, 8, ALL, "0+8*32", 4, 4, 4, 1, 0},
    {"cas 8 bytes, one word for all", "9.0", 4, CAS, 8, ALL, "0*32", 64, 64, 4, 16, 0},
};
/* clang-format on */

enum { ROWS = sizeof rows / sizeof rows[0] };

static void fill_access(const rule_row *row, smp_access *access) {
    memset(access, 0, sizeof *access);
    access->op = row->op;
    access->width_bytes = row->width_bytes;
    access->active_mask = row->mask;
    ck_assert_msg(offset_text_read(row->offsets, access) > 0, "%s: bad offsets", row->name);
}

static void check_row(const rule_row *row, const char *arch_name) {
    smp_arch arch;
    smp_access access;
    smp_counts got;
    const smp_arch *found = smp_arch_find(arch_name);
    ck_assert_msg(found, "%s: no %s", row->name, arch_name);
    ck_assert_msg(smp_arch_with_bank_bytes(found, row->bank_bytes, &arch) == SMP_OK,
                  "%s: %s has no bank mode %u", row->name, arch_name, row->bank_bytes);
    fill_access(row, &access);
    smp_status status = smp_predict(&arch, &access, &got);
    ck_assert_msg(status == SMP_OK, "%s, %s: %s", row->name, arch_name, smp_status_name(status));
    ck_assert_msg(got.valid == SMP_HAS_WAVEFRONTS, "%s, %s: valid", row->name, arch_name);
    ck_assert_msg(got.wavefronts_min == row->min && got.wavefronts_max == row->max &&
                      got.ideal == row->ideal && got.ways == row->ways &&
                      got.paired == row->paired && got.excess == row->max - row->ideal,
                  "%s, %s: wavefronts %u..%u ideal %u ways %u paired %d excess %u; expected "
                  "%u..%u ideal %u ways %u paired %d",
                  row->name, arch_name, got.wavefronts_min, got.wavefronts_max, got.ideal, got.ways,
                  got.paired, got.excess, row->min, row->max, row->ideal, row->ways, row->paired);
}

START_TEST(row_holds) {
    const rule_row *row = &rows[_i];
    char archs[512];
    snprintf(archs, sizeof archs, "%s", row->archs);
    for (char *name = strtok(archs, " "); name; name = strtok(NULL, " "))
        check_row(row, name);
}
END_TEST

/* ---- Rules that hold for every stride ---- */

static unsigned wavefronts_of_stride(const char *arch, smp_op op, unsigned width_bytes,
                                     unsigned stride) {
    smp_access access = {.op = op, .width_bytes = width_bytes, .active_mask = ALL};
    smp_counts got;
    for (unsigned lane = 0; lane < SMP_LANES; lane++)
        access.offset_bytes[lane] = lane * stride * width_bytes;
    ck_assert_int_eq(smp_predict(smp_arch_find(arch), &access, &got), SMP_OK);
    ck_assert_uint_eq(got.wavefronts_min, got.wavefronts_max);
    return got.wavefronts_min;
}

START_TEST(word_strides_cost_their_gcd_with_the_banks) {
    for (unsigned stride = 1; stride <= 128; stride++) {
        ck_assert_uint_eq(wavefronts_of_stride("1.0", LD, 4, stride), 2 * smp_gcd(16, stride));
        ck_assert_uint_eq(wavefronts_of_stride("2.0", LD, 4, stride), smp_gcd(32, stride));
        ck_assert_uint_eq(wavefronts_of_stride("9.0", LD, 4, stride), smp_gcd(32, stride));
        ck_assert_uint_eq(wavefronts_of_stride("9.0", ST, 4, stride), smp_gcd(32, stride));
        ck_assert_uint_eq(wavefronts_of_stride("9.0", ATOM, 4, stride), smp_gcd(32, stride));
        ck_assert_uint_eq(wavefronts_of_stride("9.0", CAS, 4, stride), 2 * smp_gcd(32, stride));
    }
}
END_TEST

START_TEST(wide_strides_cost_their_gcd_in_each_group) {
    for (unsigned stride = 1; stride <= 40; stride++) {
        ck_assert_uint_eq(wavefronts_of_stride("9.0", LD, 8, stride), 2 * smp_gcd(16, stride));
        ck_assert_uint_eq(wavefronts_of_stride("9.0", ST, 8, stride), 2 * smp_gcd(16, stride));
        ck_assert_uint_eq(wavefronts_of_stride("9.0", LD, 16, stride), 4 * smp_gcd(8, stride));
        ck_assert_uint_eq(wavefronts_of_stride("9.0", ST, 16, stride), 4 * smp_gcd(8, stride));
    }
}
END_TEST

START_TEST(gcd_counts_zero_as_a_multiple_of_everything) {
    ck_assert_uint_eq(smp_gcd(0, 32), 32);
    ck_assert_uint_eq(smp_gcd(32, 0), 32);
    ck_assert_uint_eq(smp_gcd(0, 0), 0);
    ck_assert_uint_eq(smp_gcd(12, 18), 6);
    ck_assert_uint_eq(smp_gcd(18, 12), 6);
    ck_assert_uint_eq(smp_gcd(17, 32), 1);
}
END_TEST

int main(void) {
    return SUITE("model_rules", TEST_EACH(row_holds, ROWS),
                 TEST(word_strides_cost_their_gcd_with_the_banks),
                 TEST(wide_strides_cost_their_gcd_in_each_group),
                 TEST(gcd_counts_zero_as_a_multiple_of_everything));
}
