/* SPDX-License-Identifier: MIT */
/* Opcodes of matrix products of a warp and of a warpgroup. */
#include <stdio.h>
#include <string.h>

#include "decode.h"

static void want_fragments(decoder *d, unsigned rows_a, unsigned rows_b, unsigned rows_c) {
    want_destination(d, rows_c);
    take_suffix(peek_operand(d), SASS_ROW); /* the only layout there is */
    want_bits(d, &d->u->a, rows_a);
    take_suffix(peek_operand(d), SASS_COL);
    want_bits(d, &d->u->b, rows_b);
    want_bits(d, &d->u->c, rows_c);
}

/* Registers that this many times eight rows take in a fragment. */
static void want_product(decoder *d, unsigned bytes, matrix_type a, matrix_type b,
                         unsigned blocks) {
    d->u->imm = MATRIX_SHAPE(bytes, a, b, blocks);
    want_fragments(d, bytes / 16 * blocks, bytes / 16,
                   blocks * (d->u->imm2 && a < MATRIX_S8 ? 1 : 2));
}

/* imm, before decode_hmma: the depth and element type. */
static const modifier_row half_depths[] = {{SASS_1684, .imm = 4},
                                           {SASS_1688, .imm = 8},
                                           {SASS_16816, .imm = 16},
                                           {SASS_NONE, .is_needed = true}};
static const modifier_row half_sums[] = {NAME(F32), {SASS_F16, .imm2 = 1}, NAME(NONE)};
static const modifier_row factors[] = {{SASS_BF16, .imm = MATRIX_BF16 << 8},
                                       {SASS_TF32, .imm = MATRIX_TF32 << 8},
                                       {SASS_NONE, .imm = MATRIX_F16 << 8}};

static void decode_hmma(decoder *d) {
    const matrix_type type = d->u->imm >> 8;
    want_product(d, (d->u->imm & 0xff) * (type == MATRIX_TF32 ? 4 : 2), type, type, 2);
}

/* The types of A and B, as in "S8.U8" and "E4M3.E5M2". */
static void take_types(decoder *d, matrix_type types[2]) {
    static const uint16_t integers[] = {SASS_S8, SASS_U8, SASS_NONE},
                          floats[] = {SASS_E4M3, SASS_E5M2, SASS_NONE};
    const bool is_float = d->words.opcode == SASS_QMMA || d->words.opcode == SASS_QGMMA;
    unsigned found[2] = {0, 0};
    need_two(d, is_float ? floats : integers, found);
    for (unsigned i = 0; i < 2; i++)
        types[i] = (is_float ? MATRIX_E4M3 : MATRIX_S8) + found[i];
}

static const modifier_row saturated[] = {{SASS_SAT, .imm2 = 1}, NAME(NONE)};

/* "QMMA.16832.F32.E4M3.E5M2", "IMMA.8816.U8.S8" */
static void decode_bytes(decoder *d) {
    static const uint16_t shapes[] = {SASS_16816, SASS_16832, SASS_8816, SASS_NONE};
    const unsigned shape = need_one(d, shapes);
    matrix_type types[2];
    take_types(d, types);
    want_product(d, shape == 1 ? 32 : 16, types[0], types[1], shape == 2 ? 1 : 2);
}

static void decode_bmma(decoder *d) {
    static const uint16_t shapes[] = {SASS_88128, SASS_168128, SASS_168256, SASS_NONE};
    const unsigned shape = need_one(d, shapes);
    want_product(d, shape == 2 ? 32 : 16, MATRIX_B1, MATRIX_B1, shape == 0 ? 1 : 2);
}

/* imm of a product of doubles: its depth, and its rows of A / 8. */
static const modifier_row double_shapes[] = {
    {SASS_884, .imm = 4 | 1 << 8},      {SASS_8x8x4, .imm = 4 | 1 << 8},
    {SASS_16x8x4, .imm = 4 | 2 << 8},   {SASS_16x8x8, .imm = 8 | 2 << 8},
    {SASS_16x8x16, .imm = 16 | 2 << 8}, {SASS_NONE, .is_needed = true}};

static void decode_dmma(decoder *d) {
    const unsigned steps = (d->u->imm & 0xff) / 4, halves = d->u->imm >> 8;
    want_fragments(d, 2 * steps * halves, 2 * steps, 4 * halves);
}

/* ---- Of four warps ---- */

/* "64x128x16": 64 rows, columns, depth; the depth is 32 bytes. */
static void take_shape(decoder *d, uop_memory *m) {
    static const uint16_t depths[] = {16, 16, 8, 32, 32, 32, 32, 256}; /* by matrix_type */
    const char *text = strchr(d->instruction->opcode, '.');
    unsigned rows = 0, columns = 0, k = 0;
    int end = 0;
    if (text && sscanf(text, ".%ux%ux%u%n", &rows, &columns, &k, &end) == 3 &&
        (text[end] == '.' || text[end] == '\0') && rows == 64 && columns >= 8 && columns <= 256 &&
        columns % 8 == 0 && k == depths[m->type])
        m->columns = (uint16_t)columns;
    d->is_unknown |= m->columns == 0;
    d->modifiers_taken |= 1; /* the first modifier */
}

/* "gdesc[UR8].negA.tnspB": descriptors of A and B. */
static void want_descriptors(decoder *d, uop_memory *m) {
    static const struct {
        uint16_t name;
        uint8_t flag;
    } suffixes[] = {{SASS_negA, MATRIX_NEGATES_A},
                    {SASS_negB, MATRIX_NEGATES_B},
                    {SASS_tnspA, MATRIX_TRANSPOSES_A},
                    {SASS_tnspB, MATRIX_TRANSPOSES_B}};
    const sass_operand *from = next_operand(d);
    unsigned known = 0;
    for (unsigned i = 0; i < from->suffix_count; i++)
        for (size_t j = 0; j < sizeof(suffixes) / sizeof(*suffixes); j++)
            if (from->suffix[i] == suffixes[j].name) {
                m->flags |= suffixes[j].flag;
                known++;
            }
    d->is_unknown |= from->kind != OPERAND_MATRICES || known != from->suffix_count;
    m->at.uniform = register_operand(d, OPERAND_UNIFORM, from->index, 4);
}

/* "HGMMA.64x8x16.F32 R24, gdesc[UR8], R24, !UPT, gsb0": descriptors of A and B at UR8 and UR10. A
 * may be in registers before them, which then carry its sign. */
static void decode_warpgroup(decoder *d) {
    uop_memory *m = memory_of(d);
    take_shape(d, m);
    const unsigned rows = m->columns / 8u * (m->is_half ? 2 : 4);
    want_destination(d, rows);
    if (next_is(d, OPERAND_REGISTER)) {
        m->flags |= take_minus(peek_operand(d)) ? MATRIX_NEGATES_A : 0;
        want_bits(d, &d->u->a, 4);
    }
    want_descriptors(d, m);
    const bool is_zero = next_is(d, OPERAND_REGISTER) && peek_operand(d)->index == SASS_ZERO;
    want_bits(d, &d->u->c, is_zero ? 1 : rows); /* zeros take one row */
    want(d, next_is(d, OPERAND_PREDICATE) ? "p" : "");
    if (is_zero)
        d->u->p = PREDICATE_TRUE | PREDICATE_NOT;
    if (has_operand(d)) {
        d->is_unknown |= !is_name(next_operand(d), SASS_gsb0);
        m->flags |= MATRIX_COMMITS;
    }
}

static const modifier_row sums[] = {NAME(F32), {SASS_F16, 1, .to = IN_MEMORY(is_half)}, NAME(NONE)};

#define TYPES(name) MATRIX_##name, MATRIX_##name, .to = IN_MEMORY(type), .to2 = IN_MEMORY(type_b)
static const modifier_row half_types[] = {
    {SASS_BF16, TYPES(BF16)}, {SASS_TF32, TYPES(TF32)}, {SASS_NONE, TYPES(F16)}};

/* "QGMMA.64x8x32.F32.E4M3.E5M2" */
static void decode_warpgroup_bytes(decoder *d) {
    uop_memory *m = memory_of(d);
    matrix_type types[2];
    take_types(d, types);
    m->type = types[0];
    m->type_b = types[1];
    decode_warpgroup(d);
}

static const modifier_row saturations[] = {{SASS_SAT, MATRIX_SATURATES, .to = IN_MEMORY(flags)},
                                           NAME(NONE)};

#define OF_FOUR_WARPS(...) .memory = MEMORY(WARPGROUP, SHARED, .width_bytes = 8, __VA_ARGS__)

const opcode_row opcodes_matrix[] = {
    {SASS_HMMA, .fn = smp_lanes_mma, .modifiers = {half_depths, half_sums, factors},
     .decode = decode_hmma},
    {SASS_IMMA, .fn = smp_lanes_mma, .modifiers = {saturated}, .decode = decode_bytes},
    {SASS_QMMA, .fn = smp_lanes_mma, .modifiers = {half_sums}, .decode = decode_bytes},
    {SASS_BMMA, SASS_POPC, .fn = smp_lanes_mma, .needs = {SASS_AND}, .decode = decode_bmma},
    {SASS_DMMA, .fn = smp_lanes_dmma, .modifiers = {double_shapes}, .decode = decode_dmma},
    {SASS_MOVM, SASS_MT88, .fn = smp_lanes_movm, .needs = {SASS_16}, .operands = "db"},
    {SASS_HGMMA, OF_FOUR_WARPS(.type = 0), .modifiers = {sums, half_types},
     .decode = decode_warpgroup},
    {SASS_QGMMA, OF_FOUR_WARPS(.type = 0), .modifiers = {sums}, .decode = decode_warpgroup_bytes},
    {SASS_IGMMA, OF_FOUR_WARPS(.type = 0), .modifiers = {sums, saturations},
     .decode = decode_warpgroup_bytes},
    {SASS_BGMMA, SASS_POPC, OF_FOUR_WARPS(.type = MATRIX_B1, .type_b = MATRIX_B1),
     .needs = {SASS_AND}, .modifiers = {sums}, .decode = decode_warpgroup},
    {.opcode = SASS_NONE},
};
