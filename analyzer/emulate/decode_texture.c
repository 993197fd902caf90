/* SPDX-License-Identifier: MIT */
/*
 * Opcodes of textures and surfaces.
 *
 * From 9.0 on the object is in a uniform register: "TEX.LL R10, R8, R2, R4, UR4, 0x0, 2D, 0x7"
 * leaves two words in R8 and what is more in R10, from the place in R2 on; R4: the level of detail;
 * 0x7: which channels. Before, it is a constant: "..., 0x0, 0x5a, ..." (bank, word) and a place has
 * two registers in the first operand and the others in the second, before the level.
 */
#include <stdlib.h>
#include <string.h>

#include "decode.h"
#include "judge.h"
#include "texture.h"

static uop_memory *memory(decoder *d, memory_kind kind) {
    d->u->kind = UOP_MEMORY;
    d->u->memory = (int32_t)d->program->memory_count++;
    uop_memory *m = &d->program->memory[d->u->memory];
    *m = (uop_memory){.kind = kind, .space = SPACE_GLOBAL, .width_bytes = 4};
    m->sites = (uint32_t)d->u->memory * SLOTS;
    return m;
}

/* "UR4, 0x0", or "0x0, 0x5a". */
static void want_object(decoder *d, emu_operand *out) {
    if (strncmp(peek_operand(d), "UR", 2) == 0) {
        want_bits(d, out, 1);
        d->is_unknown |= strcmp(next_operand(d), "0x0") != 0;
        return;
    }
    const unsigned long bank = strtoul(next_operand(d), NULL, 0);
    const unsigned long at = 4 * strtoul(next_operand(d), NULL, 0);
    uint32_t value = 0;
    if (bank >= EMU_BANKS || at + 4 > d->program->banks[bank].size_bytes) {
        d->is_unknown = true;
        return;
    }
    memcpy(&value, d->program->banks[bank].bytes + at, sizeof value);
    const int32_t offset = emu_constant(d->program, &value, 1);
    d->is_out_of_memory |= offset < 0;
    *out = (emu_operand){.offset = offset | 1, .rows = 1};
}

static int want_register(decoder *d) {
    register_file file;
    const char *rest = "";
    const int index = parse_register(next_operand(d), &file, &rest);
    d->is_unknown |= index < 0 || *rest != '\0' || file != FILE_REGISTER;
    return index;
}

static bool is_register(const decoder *d) {
    const char *text = peek_operand(d);
    return text[0] == 'R' && text[1] != '\0';
}

typedef struct texture_shape {
    const char *name;
    uint8_t words; /* of a place */
    uint8_t shape; /* texture_shape_kind */
} texture_shape;

static const texture_shape shapes[] = {
    {"1D", 1, SHAPE_LINE},   {"2D", 2, SHAPE_PLANE},       {"3D", 3, SHAPE_SPACE},
    {"CUBE", 3, SHAPE_CUBE}, {"ARRAY_1D", 2, SHAPE_LINES}, {"ARRAY_2D", 3, SHAPE_PLANES},
};

static const texture_shape *want_shape(decoder *d) {
    const char *text = has_operand(d) ? next_operand(d) : "";
    for (size_t i = 0; i < sizeof(shapes) / sizeof(*shapes); i++)
        if (strcmp(shapes[i].name, text) == 0)
            return &shapes[i];
    d->is_unknown = true;
    return &shapes[0];
}

/* As many words as channels are asked for: two in the second register named, the others in the
 * first. */
static void place_results(decoder *d, uop_memory *m, int low, int high) {
    const unsigned count = (unsigned)__builtin_popcount(m->flags);
    const unsigned in_low = count < 2 ? count : 2;
    d->is_unknown |= low < 0 || high < 0 || (low < 255 && low + (int)in_low > 255) ||
                     (high < 255 && high + (int)(count - in_low) > 255);
    d->u->d = (low == REGISTER_ZERO ? ROW_SINK : low) * ROW_BYTES;
    d->u->d_rows = (uint8_t)in_low;
    d->u->imm = (uint32_t)(high == REGISTER_ZERO ? ROW_SINK : high) * ROW_BYTES;
}

static emu_operand registers(decoder *d, int first, unsigned rows) {
    return register_operand(d, FILE_REGISTER, first, rows);
}

/* `extra`: words behind the place that are not looked at, as there is one level only. */
static void decode_texture(decoder *d, texture_act act, unsigned extra) {
    uop_memory *m = memory(d, MEMORY_TEXTURE);
    int registers_named[4], count = 0;
    const bool is_old = take(d, "SCR");
    const bool is_in_register = take(d, "B"); /* the object is where the second operand begins */
    m->atomic = (uint8_t)act;
    const int high = want_register(d), low = want_register(d);
    while (count < 4 && is_register(d))
        registers_named[count++] = want_register(d);
    d->is_unknown |= count == 0;
    if (!is_in_register && has_operand(d))
        want_object(d, &d->u->c);
    const texture_shape *shape = want_shape(d);
    m->type = shape->shape;
    m->flags = 15;
    if (has_operand(d))
        m->flags = (uint8_t)strtoul(next_operand(d), NULL, 0);
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
    static const char *const levels[] = {"LL", "LZ", NULL};
    const unsigned level = take_one(d, levels, 2);
    decode_texture(d, TEXTURE_SAMPLES, level == 0);
}

static void decode_tld(decoder *d) {
    d->is_unknown |= !take(d, "LZ");
    decode_texture(d, TEXTURE_FETCHES, 0);
}

/* "TLD4.G": that channel of four texels. */
static void decode_tld4(decoder *d) {
    static const char *const channels[] = {"R", "G", "B", "A", NULL};
    const unsigned channel = take_one(d, channels, 4);
    decode_texture(d, TEXTURE_GATHERS, 0);
    d->program->memory[d->u->memory].columns = (uint16_t)channel;
    d->is_unknown |= channel == 4;
}

/* With derivatives, which choose a level. */
static void decode_txd(decoder *d) {
    decode_texture(d, TEXTURE_SAMPLES, 1);
}

/* ---- Surfaces: "SULD.D.BA.2D.64.STRONG.SM.TRAP R6, [R8], UR6, 0x0" ---- */

static const texture_shape *take_shape(decoder *d) {
    for (size_t i = 0; i < sizeof(shapes) / sizeof(*shapes); i++)
        if (take(d, shapes[i].name) || (strncmp(shapes[i].name, "ARRAY_", 6) == 0 &&
                                        take(d, i == 4 ? "1D_ARRAY" : "2D_ARRAY")))
            return &shapes[i];
    d->is_unknown = true;
    return &shapes[0];
}

static uop_memory *begin_surface(decoder *d, texture_act act) {
    static const struct {
        const char *name;
        uint8_t bytes;
    } widths[] = {{"U8", 1}, {"U16", 2}, {"64", 8}, {"128", 16}};
    uop_memory *m = memory(d, MEMORY_TEXTURE);
    m->atomic = (uint8_t)act;
    d->is_unknown |= !take(d, "D") || !take(d, "BA");
    const texture_shape *shape = take_shape(d);
    m->type = shape->shape;
    m->depth = shape->words;
    for (size_t i = 0; i < sizeof(widths) / sizeof(*widths); i++)
        if (take(d, widths[i].name))
            m->width_bytes = widths[i].bytes;
    take(d, "STRONG");
    take(d, "SM");
    take(d, "GPU");
    take(d, "SYS");
    m->bulk = (uint8_t)(take(d, "TRAP")  ? SURFACE_TRAP
                        : take(d, "IGN") ? SURFACE_ZERO
                                         : SURFACE_CLAMP);
    return m;
}

static void want_place(decoder *d, const uop_memory *m) {
    memory_address at;
    want_address(d, &at);
    d->is_unknown |= at.base.rows != 1 || at.uniform.rows != 0 || at.offset_bytes != 0;
    if (!d->is_unknown)
        d->u->a = registers(d, at.base.offset & 1 ? 255 : at.base.offset / ROW_BYTES, m->depth);
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
    {"TEX", decode_tex},   {"TLD", decode_tld},   {"TLD4", decode_tld4}, {"TXD", decode_txd},
    {"SULD", decode_suld}, {"SUST", decode_sust}, {NULL, NULL},
};

const char *smp_emu_object_of(const smp_instruction *instruction) {
    const size_t length = strcspn(instruction->opcode, ".");
    for (const opcode_row *row = opcodes_texture; row->name != NULL; row++)
        if (strlen(row->name) == length && memcmp(row->name, instruction->opcode, length) == 0)
            return row->name[0] == 'S' ? "surface" : "texture";
    return NULL;
}
