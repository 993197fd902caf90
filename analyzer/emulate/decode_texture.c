/* SPDX-License-Identifier: MIT */
/*
 * Opcodes of textures and surfaces.
 *
 * From 9.0 on the object is in a uniform register: "TEX.LL R10, R8, R2, R4, UR4, 0x0, 2D, 0x7"
 * leaves two words in R8 and what is more in R10, from the place in R2 on; R4: the level of detail;
 * 0x7: which channels. Before, it is a constant: "..., 0x0, 0x5a, ..." (bank, word) and a place has
 * two registers in the first operand and the others in the second, before the level.
 */
#include <string.h>

#include "decode.h"
#include "texture.h"

/* "UR4, 0x0", or "0x0, 0x5a". */
static void want_object(decoder *d, emu_operand *out) {
    if (next_is(d, OPERAND_UNIFORM)) {
        want_bits(d, out, 1);
        d->is_unknown |= want_number(d) != 0;
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

typedef struct texture_shape {
    uint16_t name, surface_name; /* sass_name */
    uint8_t words;               /* of a place */
    uint8_t shape;               /* texture_shape_kind */
} texture_shape;

static const texture_shape shapes[] = {
    {SASS_1D, SASS_1D, 1, SHAPE_LINE},
    {SASS_2D, SASS_2D, 2, SHAPE_PLANE},
    {SASS_3D, SASS_3D, 3, SHAPE_SPACE},
    {SASS_CUBE, SASS_CUBE, 3, SHAPE_CUBE},
    {SASS_ARRAY_1D, SASS_1D_ARRAY, 2, SHAPE_LINES},
    {SASS_ARRAY_2D, SASS_2D_ARRAY, 3, SHAPE_PLANES},
};
enum { SHAPES = sizeof(shapes) / sizeof(*shapes) };

static const texture_shape *want_shape(decoder *d) {
    const sass_operand *from = next_operand(d);
    for (size_t i = 0; i < SHAPES; i++)
        if (is_name(from, shapes[i].name))
            return &shapes[i];
    d->is_unknown = true;
    return &shapes[0];
}

/* As many words as channels are asked for: two in the second register named, the others in the
 * first. */
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

/* `extra`: words behind the place that are not looked at, as there is one level only. */
static void decode_texture(decoder *d, texture_act act, unsigned extra) {
    uop_memory *m = begin_memory(d, MEMORY_TEXTURE, SPACE_GLOBAL, 4);
    int registers_named[4], count = 0;
    const bool is_old = take(d, SASS_SCR);
    const bool is_in_register = take(d, SASS_B); /* the object is where the second operand begins */
    m->atomic = (uint8_t)act;
    const int high = want_register(d), low = want_register(d);
    while (count < 4 && next_is(d, OPERAND_REGISTER))
        registers_named[count++] = want_register(d);
    d->is_unknown |= count == 0;
    if (!is_in_register && has_operand(d))
        want_object(d, &d->u->c);
    const texture_shape *shape = want_shape(d);
    m->type = shape->shape;
    m->flags = 15;
    if (has_operand(d))
        m->flags = (uint8_t)want_number(d);
    d->is_unknown |= m->flags == 0 || m->flags > 15;
    place_results(d, m, low, high);
    if (d->is_unknown)
        return;
    const unsigned first = is_old && shape->words > 2 ? 2 : shape->words;
    const unsigned more = shape->words - first;
    d->u->a = registers(d, registers_named[0], first);
    d->is_unknown |= more + extra > 0 && count < 2;
    d->is_unknown |= is_in_register && (more > 0 || count < 2);
    if (count < 2)
        return;
    d->u->b = registers(d, registers_named[1], more > 0 ? more : 1);
    if (is_in_register) { /* then the level */
        d->u->c = d->u->b;
        d->u->b = (emu_operand){.rows = 0, .offset = 1};
    }
}

static void decode_tex(decoder *d) {
    static const uint16_t levels[] = {SASS_LL, SASS_LZ, SASS_NONE};
    decode_texture(d, TEXTURE_SAMPLES, take_one(d, levels, 2) == 0);
}

static void decode_tld(decoder *d) {
    decode_texture(d, TEXTURE_FETCHES, 0);
}

/* "TLD4.G": that channel of four texels. */
static void decode_tld4(decoder *d) {
    static const uint16_t channels[] = {SASS_R, SASS_G, SASS_B, SASS_A, SASS_NONE};
    const unsigned channel = need_one(d, channels);
    decode_texture(d, TEXTURE_GATHERS, 0);
    d->program->memory[d->u->memory].columns = (uint16_t)channel;
}

/* With derivatives, which choose a level. */
static void decode_txd(decoder *d) {
    decode_texture(d, TEXTURE_SAMPLES, 1);
}

/* ---- Surfaces: "SULD.D.BA.2D.64.STRONG.SM.TRAP R6, [R8], UR6, 0x0" ---- */

static const texture_shape *take_shape(decoder *d) {
    for (size_t i = 0; i < SHAPES; i++)
        if (take(d, shapes[i].name) || take(d, shapes[i].surface_name))
            return &shapes[i];
    d->is_unknown = true;
    return &shapes[0];
}

static uop_memory *begin_surface(decoder *d, texture_act act) {
    static const uint16_t scopes[] = {SASS_STRONG, SASS_SM, SASS_GPU, SASS_SYS};
    static const struct {
        uint16_t name;
        uint8_t bytes;
    } widths[] = {{SASS_U8, 1}, {SASS_U16, 2}, {SASS_64, 8}, {SASS_128, 16}};
    uop_memory *m = begin_memory(d, MEMORY_TEXTURE, SPACE_GLOBAL, 4);
    m->atomic = (uint8_t)act;
    need(d, SASS_BA);
    const texture_shape *shape = take_shape(d);
    m->type = shape->shape;
    m->depth = shape->words;
    for (size_t i = 0; i < sizeof(widths) / sizeof(*widths); i++)
        if (take(d, widths[i].name))
            m->width_bytes = widths[i].bytes;
    for (size_t i = 0; i < sizeof(scopes) / sizeof(*scopes); i++)
        take(d, scopes[i]);
    m->bulk = (uint8_t)(take(d, SASS_TRAP)  ? SURFACE_TRAP
                        : take(d, SASS_IGN) ? SURFACE_ZERO
                                            : SURFACE_CLAMP);
    return m;
}

static void want_place(decoder *d, const uop_memory *m) {
    const sass_operand *from = next_operand(d);
    d->is_unknown |= from->kind != OPERAND_ADDRESS || from->at.base < 0 || from->at.is_wide ||
                     from->at.uniform >= 0 || from->number != 0;
    if (!d->is_unknown)
        d->u->a = registers(d, from->at.base, m->depth);
}

static void decode_suld(decoder *d) {
    uop_memory *m = begin_surface(d, SURFACE_LOADS);
    want_destination(d, m->width_bytes < 4 ? 1 : m->width_bytes / 4u);
    want_place(d, m);
    want_object(d, &d->u->c);
}

static void decode_sust(decoder *d) {
    uop_memory *m = begin_surface(d, SURFACE_STORES);
    want_place(d, m);
    want_bits(d, &d->u->b, m->width_bytes < 4 ? 1 : m->width_bytes / 4u);
    want_object(d, &d->u->c);
}

const opcode_row opcodes_texture[] = {
    {SASS_TEX, .decode = decode_tex},
    {SASS_TLD, SASS_LZ, .decode = decode_tld},
    {SASS_TLD4, .decode = decode_tld4},
    {SASS_TXD, .decode = decode_txd},
    {SASS_SULD, SASS_D, .decode = decode_suld},
    {SASS_SUST, SASS_D, .decode = decode_sust},
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
