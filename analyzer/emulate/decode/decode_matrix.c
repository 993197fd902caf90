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

/* imm of a product of halves: its depth and element type. */
static const modifier_row half_depths[] = {{SASS_1684, .imm = 4},
                                           {SASS_1688, .imm = 8},
                                           {SASS_16816, .imm = 16},
                                           {SASS_NONE, .is_needed = true}};
static const modifier_row half_sums[] = {NAME(F32), {SASS_F16, .imm2 = 1}, NAME(NONE)};
static const modifier_row factors[] = {{SASS_BF16, .imm = CONVERT_BF16 << 8},
                                       {SASS_TF32, .imm = CONVERT_F32 << 8},
                                       {SASS_NONE, .imm = CONVERT_F16 << 8}};

static void decode_hmma(decoder *d) {
    const unsigned k = d->u->imm & 0xff, half = d->u->imm >> 8 == CONVERT_F32 ? 4 : 8;
    want_fragments(d, 2 * k / half, k / half, d->u->imm2 ? 2 : 4);
}

/* Takes two of these modifiers, as in "S8.U8" for A and B, and stores their indices. */
static void take_two(decoder *d, const uint16_t *names, unsigned found[2]) {
    unsigned count = 0;
    for (unsigned i = 0; i < d->words.modifier_count && count < 2; i++)
        for (unsigned which = 0; names[which] != SASS_NONE && count < 2; which++)
            if (d->words.modifiers[i] == names[which] && take(d, names[which]))
                found[count++] = which;
    d->is_unknown |= count != 2;
}

/* Bit 0: A is signed; bit 1: B is signed. */
static uint32_t take_signs(decoder *d) {
    static const uint16_t types[] = {SASS_U8, SASS_S8, SASS_NONE};
    unsigned found[2] = {0, 0};
    take_two(d, types, found);
    return found[0] | found[1] << 1;
}

static void decode_imma(decoder *d) {
    static const uint16_t shapes[] = {SASS_16816, SASS_16832, SASS_8816, SASS_NONE};
    const unsigned shape = need_one(d, shapes);
    const unsigned k = shape == 1 ? 32 : 16, halves = shape == 2 ? 1 : 2;
    d->u->imm = k | take_signs(d) << 8 | (shape == 2 ? 1u << 10 : 0);
    d->u->imm2 = take(d, SASS_SAT);
    want_fragments(d, k / 16 * halves, k / 16, 2 * halves);
}

static const uint16_t fp8_types[] = {SASS_E4M3, SASS_E5M2, SASS_NONE};

/* "QMMA.16832.F32.E4M3.E5M2": types of A and B. */
static void decode_qmma(decoder *d) {
    static const uint16_t shapes[] = {SASS_16816, SASS_16832, SASS_NONE};
    const unsigned k = need_one(d, shapes) == 1 ? 32 : 16;
    unsigned is_e5m2[2] = {0, 0};
    take_two(d, fp8_types, is_e5m2);
    d->u->imm = k | is_e5m2[0] << 8 | is_e5m2[1] << 9;
    want_fragments(d, k / 8, k / 16, d->u->imm2 ? 2 : 4);
}

static const modifier_row bits[] = {NAME(AND), {SASS_NONE, .is_needed = true}};

static void decode_bmma(decoder *d) {
    static const uint16_t shapes[] = {SASS_88128, SASS_168128, SASS_168256, SASS_NONE};
    const unsigned shape = need_one(d, shapes);
    const unsigned k = shape == 2 ? 256 : 128, halves = shape == 0 ? 1 : 2;
    d->u->imm = k | (shape == 0 ? 1u << 16 : 0);
    want_fragments(d, k / 128 * halves, k / 128, 2 * halves);
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

static const modifier_row transposed[] = {{.name = SASS_16}, {SASS_NONE, .is_needed = true}};

/* ---- Of four warps ---- */

/* "64x128x16": 64 rows, columns, depth; the depth is 32 bytes. */
static void take_shape(decoder *d, uop_memory *m) {
    static const uint16_t depths[] = {16, 16, 8, 32, 32, 32, 32, 256}; /* by warpgroup_type */
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
    } suffixes[] = {{SASS_negA, WARPGROUP_NEGATES_A},
                    {SASS_negB, WARPGROUP_NEGATES_B},
                    {SASS_tnspA, WARPGROUP_TRANSPOSES_A},
                    {SASS_tnspB, WARPGROUP_TRANSPOSES_B}};
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
        m->flags |= take_minus(peek_operand(d)) ? WARPGROUP_NEGATES_A : 0;
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
        m->flags |= WARPGROUP_COMMITS;
    }
}

static const modifier_row sums[] = {NAME(F32), {SASS_F16, 1, .to = IN_MEMORY(is_half)}, NAME(NONE)};

#define TYPES(name) \
    WARPGROUP_##name, WARPGROUP_##name, .to = IN_MEMORY(type), .to2 = IN_MEMORY(type_b)
static const modifier_row half_types[] = {
    {SASS_BF16, TYPES(BF16)}, {SASS_TF32, TYPES(TF32)}, {SASS_NONE, TYPES(F16)}};

/* "QGMMA.64x8x32.F32.E4M3.E5M2": types of A and B. */
static void decode_qgmma(decoder *d) {
    uop_memory *m = memory_of(d);
    unsigned found[2] = {0, 0};
    take_two(d, fp8_types, found);
    m->type = found[0] ? WARPGROUP_E5M2 : WARPGROUP_E4M3;
    m->type_b = found[1] ? WARPGROUP_E5M2 : WARPGROUP_E4M3;
    decode_warpgroup(d);
}

static void decode_igmma(decoder *d) {
    uop_memory *m = memory_of(d);
    const uint32_t is_signed = take_signs(d);
    m->type = is_signed & 1 ? WARPGROUP_S8 : WARPGROUP_U8;
    m->type_b = is_signed & 2 ? WARPGROUP_S8 : WARPGROUP_U8;
    decode_warpgroup(d);
}

static const modifier_row saturations[] = {{SASS_SAT, WARPGROUP_SATURATES, .to = IN_MEMORY(flags)},
                                           NAME(NONE)};

#define OF_FOUR_WARPS(...) .memory = MEMORY(WARPGROUP, SHARED, .width_bytes = 8, __VA_ARGS__)

const opcode_row opcodes_matrix[] = {
    {SASS_HMMA, .fn = smp_lanes_hmma, .modifiers = {half_depths, half_sums, factors},
     .decode = decode_hmma},
    {SASS_IMMA, .fn = smp_lanes_imma, .decode = decode_imma},
    {SASS_QMMA, .fn = smp_lanes_qmma, .modifiers = {half_sums}, .decode = decode_qmma},
    {SASS_BMMA, SASS_POPC, .fn = smp_lanes_bmma, .modifiers = {bits}, .decode = decode_bmma},
    {SASS_DMMA, .fn = smp_lanes_dmma, .modifiers = {double_shapes}, .decode = decode_dmma},
    {SASS_MOVM, SASS_MT88, .fn = smp_lanes_movm, .modifiers = {transposed}, .operands = "db"},
    {SASS_HGMMA, OF_FOUR_WARPS(.type = 0), .modifiers = {sums, half_types},
     .decode = decode_warpgroup},
    {SASS_QGMMA, OF_FOUR_WARPS(.type = 0), .modifiers = {sums}, .decode = decode_qgmma},
    {SASS_IGMMA, OF_FOUR_WARPS(.type = 0), .modifiers = {sums, saturations},
     .decode = decode_igmma},
    {SASS_BGMMA, SASS_POPC, OF_FOUR_WARPS(.type = WARPGROUP_B1, .type_b = WARPGROUP_B1),
     .modifiers = {sums, bits}, .decode = decode_warpgroup},
    {.opcode = SASS_NONE},
};
