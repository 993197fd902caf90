/* SPDX-License-Identifier: MIT */
/*
 * Opcodes of matrix products, of a warp and of four.
 */
#include <stdio.h>
#include <string.h>

#include "convert.h"
#include "decode.h"
#include "judge.h"

/* "R20.ROW": how the matrix lies, of which only one way is there. */
static void cut_layout(decoder *d) {
    static const char *const layouts[] = {".ROW", ".COL"};
    for (unsigned i = 0; i < 2 && i + 1 < d->operand_count; i++) {
        char *at = strstr(d->operands[i + 1], layouts[i]);
        if (at != NULL && at[4] == '\0')
            *at = '\0';
    }
}

static void want_fragments(decoder *d, unsigned rows_a, unsigned rows_b, unsigned rows_c) {
    cut_layout(d);
    want_destination(d, rows_c);
    want_bits(d, &d->u->a, rows_a);
    want_bits(d, &d->u->b, rows_b);
    want_bits(d, &d->u->c, rows_c);
}

static void decode_hmma(decoder *d) {
    static const char *const shapes[] = {"16816", "1688", "1684", NULL};
    static const uint8_t depth[] = {16, 8, 4};
    unsigned shape = take_one(d, shapes, 3);
    d->is_unknown |= shape == 3;
    unsigned k = depth[shape % 3], type = CONVERT_F16;
    bool is_half = !take(d, "F32") && take(d, "F16");
    if (take(d, "BF16"))
        type = CONVERT_BF16;
    else if (take(d, "TF32"))
        type = CONVERT_F32;
    decode_as_lanes(d, smp_lanes_hmma);
    d->u->imm = k | type << 8;
    d->u->imm2 = is_half;
    unsigned half = type == CONVERT_F32 ? 4 : 8;
    want_fragments(d, 2 * k / half, k / half, is_half ? 2 : 4);
}

/* "S8.U8": of A and of B. */
static uint32_t take_signs(decoder *d) {
    static const char *const types[] = {"U8", "S8", NULL};
    uint32_t is_signed[2] = {0, 0};
    unsigned found = 0;
    for (unsigned i = 0; i < d->modifier_count && found < 2; i++)
        if (strcmp(d->modifiers[i], "U8") == 0 || strcmp(d->modifiers[i], "S8") == 0)
            is_signed[found++] = d->modifiers[i][0] == 'S';
    d->is_unknown |= found != 2;
    take_one(d, types, 0);
    take_one(d, types, 0);
    return is_signed[0] | is_signed[1] << 1;
}

static void decode_imma(decoder *d) {
    static const char *const shapes[] = {"16816", "16832", "8816", NULL};
    unsigned shape = take_one(d, shapes, 3);
    d->is_unknown |= shape == 3;
    unsigned k = shape == 1 ? 32 : 16, halves = shape == 2 ? 1 : 2;
    decode_as_lanes(d, smp_lanes_imma);
    d->u->imm = k | take_signs(d) << 8 | (shape == 2 ? 1u << 10 : 0);
    d->u->imm2 = take(d, "SAT");
    want_fragments(d, k / 16 * halves, k / 16, 2 * halves);
}

static void decode_bmma(decoder *d) {
    static const char *const shapes[] = {"88128", "168128", "168256", NULL};
    unsigned shape = take_one(d, shapes, 3);
    d->is_unknown |= shape == 3 || !take(d, "AND") || !take(d, "POPC");
    unsigned k = shape == 2 ? 256 : 128, halves = shape == 0 ? 1 : 2;
    decode_as_lanes(d, smp_lanes_bmma);
    d->u->imm = k | (shape == 0 ? 1u << 16 : 0);
    want_fragments(d, k / 128 * halves, k / 128, 2 * halves);
}

static void decode_dmma(decoder *d) {
    d->is_unknown |= !take(d, "884") && !take(d, "8x8x4");
    decode_as_lanes(d, smp_lanes_dmma);
    want_fragments(d, 2, 2, 4);
}

static void decode_movm(decoder *d) {
    d->is_unknown |= !take(d, "16") || !take(d, "MT88");
    decode_as_lanes(d, smp_lanes_movm);
    want_destination(d, 1);
    want_bits(d, &d->u->a, 1);
}

/* ---- Of four warps ---- */

/* "64x128x16": 64 rows, columns, depth: 32 bytes. */
static void take_shape(decoder *d, uop_memory *m) {
    static const uint16_t depths[] = {16, 16, 8, 32, 32, 32, 32, 256}; /* by warpgroup_type */
    for (unsigned i = 0; i < d->modifier_count; i++) {
        unsigned rows = 0, columns = 0, k = 0;
        int end = 0;
        if (sscanf(d->modifiers[i], "%ux%ux%u%n", &rows, &columns, &k, &end) != 3)
            continue;
        bool is_shape = rows == 64 && columns >= 8 && columns <= 256 && columns % 8 == 0 &&
                        k == depths[m->type] && d->modifiers[i][end] == '\0';
        m->columns = (uint16_t)(is_shape ? columns : 0);
        take(d, d->modifiers[i]);
    }
    d->is_unknown |= m->columns == 0;
}

/* "gdesc[UR8].negA.tnspB": descriptors of A and B. */
static void want_descriptors(decoder *d, uop_memory *m) {
    static const struct {
        const char *name;
        uint8_t flag;
    } suffixes[] = {{".negA", WARPGROUP_NEGATES_A},
                    {".negB", WARPGROUP_NEGATES_B},
                    {".tnspA", WARPGROUP_TRANSPOSES_A},
                    {".tnspB", WARPGROUP_TRANSPOSES_B}};
    register_file file;
    const char *text = next_operand(d), *rest = "";
    int index = strncmp(text, "gdesc[", 6) == 0 ? parse_register(text + 6, &file, &rest) : -1;
    if (index < 0 || file != FILE_UNIFORM || rest[0] != ']') {
        d->is_unknown = true;
        return;
    }
    rest++;
    for (size_t i = 0; i < sizeof(suffixes) / sizeof(*suffixes); i++) {
        size_t length = strlen(suffixes[i].name);
        if (strncmp(rest, suffixes[i].name, length) == 0) {
            m->flags |= suffixes[i].flag;
            rest += length;
        }
    }
    d->is_unknown |= *rest != '\0';
    m->at.uniform = register_operand(d, file, index, 4);
}

/* "HGMMA.64x8x16.F32 R24, gdesc[UR8], R24, !UPT, gsb0": descriptors of A and B at UR8 and UR10, or
 * A in registers before them, whose sign is A's. */
static void decode_warpgroup(decoder *d, uop_memory *m) {
    take_shape(d, m);
    unsigned rows = m->columns / 8u * (m->is_half ? 2 : 4);
    want_destination(d, rows);
    if (peek_operand(d)[0] == 'R' || strncmp(peek_operand(d), "-R", 2) == 0) {
        char *text = d->operands[d->operand_next];
        if (text[0] == '-') {
            memmove(text, text + 1, strlen(text));
            m->flags |= WARPGROUP_NEGATES_A;
        }
        want_bits(d, &d->u->a, 4);
    }
    want_descriptors(d, m);
    d->u->p = PREDICATE_TRUE;
    if (strcmp(peek_operand(d), "RZ") == 0) {
        want_zeros(d, &d->u->c, 1);
        next_operand(d);
    } else {
        want_bits(d, &d->u->c, rows);
    }
    if (has_operand(d) && is_predicate(peek_operand(d)))
        want_predicate(d, &d->u->p);
    if (d->u->c.rows == 1) /* zeros, of which there is one row */
        d->u->p = PREDICATE_TRUE | PREDICATE_NOT;
    if (has_operand(d))
        d->is_unknown |= strncmp(next_operand(d), "gsb", 3) != 0;
}

static uop_memory *warpgroup(decoder *d) {
    d->u->kind = UOP_MEMORY;
    d->u->memory = (int32_t)d->program->memory_count++;
    uop_memory *m = &d->program->memory[d->u->memory];
    *m = (uop_memory){.kind = MEMORY_WARPGROUP, .space = SPACE_SHARED, .width_bytes = 8};
    m->sites = (uint32_t)d->u->memory * SLOTS;
    return m;
}

static void decode_hgmma(decoder *d) {
    uop_memory *m = warpgroup(d);
    m->is_half = !take(d, "F32") && take(d, "F16");
    m->type = take(d, "BF16") ? WARPGROUP_BF16 : take(d, "TF32") ? WARPGROUP_TF32 : WARPGROUP_F16;
    m->type_b = m->type;
    decode_warpgroup(d, m);
}

/* "QGMMA.64x8x32.F32.E4M3.E5M2": of A, of B. */
static void decode_qgmma(decoder *d) {
    static const char *const types[] = {"E4M3", "E5M2", NULL};
    uop_memory *m = warpgroup(d);
    uint8_t found[2] = {WARPGROUP_E4M3, WARPGROUP_E4M3};
    unsigned count = 0;
    m->is_half = !take(d, "F32") && take(d, "F16");
    for (unsigned i = 0; i < d->modifier_count && count < 2; i++)
        if (strcmp(d->modifiers[i], "E4M3") == 0 || strcmp(d->modifiers[i], "E5M2") == 0)
            found[count++] = d->modifiers[i][1] == '4' ? WARPGROUP_E4M3 : WARPGROUP_E5M2;
    d->is_unknown |= count != 2;
    take_one(d, types, 0);
    take_one(d, types, 0);
    m->type = found[0];
    m->type_b = found[1];
    decode_warpgroup(d, m);
}

static void decode_igmma(decoder *d) {
    uop_memory *m = warpgroup(d);
    uint32_t is_signed = take_signs(d);
    m->type = is_signed & 1 ? WARPGROUP_S8 : WARPGROUP_U8;
    m->type_b = is_signed & 2 ? WARPGROUP_S8 : WARPGROUP_U8;
    m->flags = take(d, "SAT") ? WARPGROUP_SATURATES : 0;
    decode_warpgroup(d, m);
}

static void decode_bgmma(decoder *d) {
    uop_memory *m = warpgroup(d);
    m->type = m->type_b = WARPGROUP_B1;
    d->is_unknown |= !take(d, "AND") || !take(d, "POPC");
    decode_warpgroup(d, m);
}

const opcode_row opcodes_matrix[] = {
    {"HMMA", decode_hmma},   {"IMMA", decode_imma},
    {"BMMA", decode_bmma},   {"DMMA", decode_dmma},
    {"MOVM", decode_movm},   {"HGMMA", decode_hgmma},
    {"QGMMA", decode_qgmma}, {"IGMMA", decode_igmma},
    {"BGMMA", decode_bgmma}, {NULL, NULL},
};
