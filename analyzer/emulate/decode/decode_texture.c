/* SPDX-License-Identifier: MIT */
/*
 * Opcodes of textures and surfaces.
 *
 * From 9.0 on the object is in a uniform register: "TEX.LL R10, R8, R2, R4, UR4, 0x0, 2D, 0x7" puts
 * two words into R8 and the others into R10, for the coordinates from R2 on; R4 is the level of
 * detail, 0x7 the channel mask. Before 9.0 the object is a constant: "..., 0x0, 0x5a, ..." (bank,
 * word), with two coordinates in the first operand and the others in the second, before the level.
 */
#include <string.h>

#include "decode.h"
#include "texture.h"

/* "UR4, 0x0", from 10.0 on "UR4"; before 9.0 "0x0, 0x5a", of a surface also "R4". */
static void want_object(decoder *d, emu_operand *out) {
    if (is_register(peek_operand(d))) {
        want_bits(d, out, 1);
        d->is_unknown |= next_is(d, OPERAND_NUMBER) && want_number(d) != 0;
        return;
    }
    const uint32_t bank = want_number(d), at = 4 * want_number(d);
    uint32_t value = 0;
    if (bank >= EMU_BANKS || at + 4ull > d->program->banks[bank].size_bytes) {
        d->is_unknown = true;
        return;
    }
    memcpy(&value, d->program->banks[bank].bytes + at, sizeof value);
    *out = constant_operand(d, &value, 1);
}

static int want_register(decoder *d) {
    const sass_operand *from = next_operand(d);
    d->is_unknown |= from->kind != OPERAND_REGISTER || from->suffix_count != 0;
    return from->index;
}

/* The shape, and how many words its coordinates have. */
#define SHAPE(kind, words) SHAPE_##kind, words, .to = IN_MEMORY(type), .to2 = IN_MEMORY(depth)
static const modifier_row shapes[] = {
    {SASS_1D, SHAPE(LINE, 1)},        {SASS_2D, SHAPE(PLANE, 2)},
    {SASS_3D, SHAPE(SPACE, 3)},       {SASS_CUBE, SHAPE(CUBE, 3)},
    {SASS_ARRAY_1D, SHAPE(LINES, 2)}, {SASS_ARRAY_2D, SHAPE(PLANES, 3)},
    {SASS_1D_ARRAY, SHAPE(LINES, 2)}, {SASS_2D_ARRAY, SHAPE(PLANES, 3)},
    {SASS_NONE, .is_needed = true}};

/* One word for each requested channel: two in the second destination, the others in the first. */
static void place_results(decoder *d, uop_memory *m, int low, int high) {
    const unsigned count = (unsigned)__builtin_popcount(m->flags);
    const unsigned in_low = count < 2 ? count : 2;
    d->is_unknown |= (low < SASS_ZERO && low + (int)in_low > SASS_ZERO) ||
                     (high < SASS_ZERO && high + (int)(count - in_low) > SASS_ZERO);
    d->u->d = (low == SASS_ZERO ? ROW_SINK : low) * ROW_BYTES;
    d->u->d_rows = (uint8_t)in_low;
    d->u->imm = (uint32_t)(high == SASS_ZERO ? ROW_SINK : high) * ROW_BYTES;
}

static emu_operand registers(decoder *d, int first, unsigned rows) {
    return register_operand(d, OPERAND_REGISTER, first, rows);
}

/* imm: words after the coordinates, which are ignored, as there is only one level. */
static void decode_texture(decoder *d) {
    const unsigned extra = d->u->imm;
    uop_memory *m = memory_of(d);
    int registers_named[4], count = 0;
    const bool is_old = take(d, SASS_SCR);
    const bool is_in_register = take(d, SASS_B); /* the second operand begins with the object */
    const int high = want_register(d), low = want_register(d);
    while (count < 4 && next_is(d, OPERAND_REGISTER))
        registers_named[count++] = want_register(d);
    d->is_unknown |= count == 0;
    if (!is_in_register && has_operand(d))
        want_object(d, &d->u->c);
    want_name(d, shapes);
    m->flags = 15;
    if (has_operand(d))
        m->flags = (uint8_t)want_number(d);
    d->is_unknown |= m->flags == 0 || m->flags > 15;
    place_results(d, m, low, high);
    if (d->is_unknown)
        return;
    const unsigned first = is_old && m->depth > 2 ? 2 : m->depth, more = m->depth - first;
    d->u->a = registers(d, registers_named[0], first);
    d->is_unknown |= more + extra > 0 && count < 2;
    d->is_unknown |= is_in_register && (more > 0 || count < 2);
    if (count < 2)
        return;
    d->u->b = registers(d, registers_named[1], more > 0 ? more : 1);
    if (is_in_register) { /* followed by the level */
        d->u->c = d->u->b;
        d->u->b = (emu_operand){.rows = 0, .offset = 1};
    }
}

static const modifier_row levels[] = {NAME(LZ), NAME(NONE)};
/* "TLD4.G": one channel of four texels. */
static const modifier_row channels[] = {{SASS_R, .imm2 = 0},
                                        {SASS_G, .imm2 = 1},
                                        {SASS_B, .imm2 = 2},
                                        {SASS_A, .imm2 = 3},
                                        {SASS_NONE, .is_needed = true}};

/* ---- Surfaces: "SULD.D.BA.2D.64.STRONG.SM.TRAP R6, [R8], UR6, 0x0" ---- */

#define BYTES(count) count, .to = IN_MEMORY(width_bytes)
static const modifier_row widths[] = {{SASS_U8, BYTES(1)},
                                      {SASS_U16, BYTES(2)},
                                      {SASS_64, BYTES(8)},
                                      {SASS_128, BYTES(16)},
                                      {SASS_NONE, BYTES(4)}};
#define OUTSIDE(mode) SURFACE_##mode, .to = IN_MEMORY(bulk)
static const modifier_row modes[] = {
    {SASS_TRAP, OUTSIDE(TRAP)}, {SASS_IGN, OUTSIDE(ZERO)}, {SASS_NONE, OUTSIDE(CLAMP)}};

static void want_place(decoder *d) {
    const sass_operand *from = next_operand(d);
    d->is_unknown |= from->kind != OPERAND_ADDRESS || from->at.base < 0 || from->at.is_wide ||
                     from->at.uniform >= 0 || from->number != 0;
    if (!d->is_unknown)
        d->u->a = registers(d, from->at.base, memory_of(d)->depth);
}

static void decode_suld(decoder *d) {
    want(d, "L");
    want_place(d);
    want_object(d, &d->u->c);
}

static void decode_sust(decoder *d) {
    want_place(d);
    d->sources = 1;
    want(d, "S");
    want_object(d, &d->u->c);
}

#define TEXTURE(does) .memory = MEMORY(TEXTURE, GLOBAL, .width_bytes = 4, .act = does)
#define SURFACE .needs = {SASS_BA}, .modifiers = {shapes, widths, memory_hints, modes}

const opcode_row opcodes_texture[] = {
    {SASS_TEX, SASS_LL, TEXTURE(TEXTURE_SAMPLES), .imm = 1, .decode = decode_texture},
    {SASS_TEX, TEXTURE(TEXTURE_SAMPLES), .modifiers = {levels}, .decode = decode_texture},
    {SASS_TLD, SASS_LZ, TEXTURE(TEXTURE_FETCHES), .decode = decode_texture},
    {SASS_TLD4, TEXTURE(TEXTURE_GATHERS), .modifiers = {channels}, .decode = decode_texture},
    {SASS_TXD, TEXTURE(TEXTURE_SAMPLES), .imm = 1,
     .decode = decode_texture}, /* with derivatives, which choose the level */
    {SASS_SULD, SASS_D, TEXTURE(SURFACE_LOADS), SURFACE, .decode = decode_suld},
    {SASS_SUST, SASS_D, TEXTURE(SURFACE_STORES), SURFACE, .decode = decode_sust},
    {.opcode = SASS_NONE},
};

const char *smp_emu_object_of(const smp_instruction *instruction) {
    sass_instruction words;
    (void)smp_sass_parse_opcode(instruction->opcode, &words);
    for (const opcode_row *row = opcodes_texture; row->opcode != SASS_NONE; row++)
        if (row->opcode == words.opcode)
            return words.opcode == SASS_SULD || words.opcode == SASS_SUST ? "surface" : "texture";
    return NULL;
}
