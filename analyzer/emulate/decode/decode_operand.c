/* SPDX-License-Identifier: MIT */
/*
 * Modifiers and operands: registers, numbers, constants, predicates and addresses. An immediate is
 * taken from the instruction's bits (32 of them, from bit 32, in every form that has one); if the
 * text disagrees, the instruction is unknown.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "decode.h"
#include "judge.h"

static void unknown(decoder *d) {
    d->is_unknown = true;
}

/* ---- Modifiers ---- */

/* Index of the modifier if it is present and not taken, else the number of modifiers. */
static unsigned find_modifier(const decoder *d, sass_name name) {
    unsigned i = 0;
    while (i < d->words.modifier_count &&
           (d->words.modifiers[i] != name || d->modifiers_taken >> i & 1))
        i++;
    return i;
}

bool has_modifier(const decoder *d, sass_name name) {
    return find_modifier(d, name) < d->words.modifier_count;
}

bool take(decoder *d, sass_name name) {
    const unsigned i = find_modifier(d, name);
    if (i == d->words.modifier_count)
        return false;
    d->modifiers_taken |= 1u << i;
    return true;
}

void need(decoder *d, sass_name name) {
    if (!take(d, name))
        unknown(d);
}

unsigned take_one(decoder *d, const uint16_t *names, unsigned fallback) {
    for (unsigned i = 0; names[i] != SASS_NONE; i++)
        if (take(d, names[i]))
            return i;
    return fallback;
}

unsigned need_one(decoder *d, const uint16_t *names) {
    unsigned count = 0;
    while (names[count] != SASS_NONE)
        count++;
    const unsigned found = take_one(d, names, count);
    if (found == count)
        unknown(d);
    return found;
}

void need_two(decoder *d, const uint16_t *names, unsigned found[2]) {
    unsigned count = 0;
    for (unsigned i = 0; i < d->words.modifier_count && count < 2; i++)
        for (unsigned which = 0; names[which] != SASS_NONE && count < 2; which++)
            if (d->words.modifiers[i] == names[which] && take(d, names[which]))
                found[count++] = which;
    d->is_unknown |= count != 2;
}

static void put(decoder *d, uint8_t to, uint32_t *own, uint32_t value) {
    if (to != 0)
        ((uint8_t *)memory_of(d))[to - 1] = (uint8_t)value;
    else
        *own |= value;
}

static void put_row(decoder *d, const modifier_row *row) {
    put(d, row->to, &d->u->imm, row->imm);
    put(d, row->to2, &d->u->imm2, row->imm2);
}

void take_modifiers(decoder *d, const modifier_row *rows) {
    bool is_there = false;
    for (; rows->name != SASS_NONE; rows++)
        if (take(d, rows->name)) {
            is_there = true;
            put_row(d, rows);
        }
    if (!is_there)
        put_row(d, rows);
    d->is_unknown |= rows->is_needed && !is_there;
}

void want_name(decoder *d, const modifier_row *rows) {
    const sass_operand *from = next_operand(d);
    while (rows->name != SASS_NONE && !is_name(from, rows->name))
        rows++;
    put_row(d, rows);
    d->is_unknown |= rows->name == SASS_NONE;
}

/* ---- Operands ---- */

bool has_operand(const decoder *d) {
    return d->operand_next < d->words.operand_count;
}

sass_operand *peek_operand(decoder *d) {
    static const sass_operand none = {.kind = OPERAND_OTHER, .text = ""};
    if (has_operand(d))
        return &d->words.operands[d->operand_next];
    sass_operand *spare = &d->words.operands[SASS_WORDS_MAX - 1];
    *spare = none;
    return spare;
}

sass_operand *next_operand(decoder *d) {
    sass_operand *operand = peek_operand(d);
    if (has_operand(d))
        d->operand_next++;
    else
        unknown(d);
    return operand;
}

bool next_is(decoder *d, sass_kind kind) {
    return has_operand(d) && peek_operand(d)->kind == kind;
}

bool is_register(const sass_operand *operand) {
    return operand->kind == OPERAND_REGISTER || operand->kind == OPERAND_UNIFORM;
}

bool is_name(const sass_operand *operand, sass_name name) {
    return operand->kind == OPERAND_NAME && operand->name == name && operand->suffix_count == 0;
}

bool take_suffix(sass_operand *operand, sass_name suffix) {
    if (operand->suffix_count != 1 || operand->suffix[0] != suffix)
        return false;
    operand->suffix_count = 0;
    return true;
}

bool take_minus(sass_operand *operand) {
    const bool is_negated = operand->is_negated;
    operand->is_negated = false;
    return is_negated;
}

emu_operand register_operand(decoder *d, sass_kind kind, int index, unsigned rows) {
    const bool is_uniform = kind == OPERAND_UNIFORM;
    const int limit = is_uniform ? ROW_SINK - ROW_UNIFORM : SASS_ZERO;
    if (index == SASS_ZERO ? rows > ROWS_ZERO : index + (int)rows > limit)
        unknown(d);
    return (emu_operand){
        .offset = index == SASS_ZERO ? 1 : ((is_uniform ? ROW_UNIFORM : 0) + index) * ROW_BYTES,
        .rows = (uint8_t)rows};
}

void want_destination(decoder *d, unsigned rows) {
    const sass_operand *to = next_operand(d);
    d->u->d_rows = (uint8_t)rows;
    d->u->d = ROW_SINK * ROW_BYTES;
    if (!is_register(to) || to->suffix_count != 0 || to->is_negated || to->is_absolute ||
        to->is_inverted)
        unknown(d);
    else if (to->index != SASS_ZERO)
        d->u->d = register_operand(d, to->kind, to->index, rows).offset;
}

emu_operand constant_operand(decoder *d, const uint32_t *values, unsigned rows) {
    const int32_t offset = emu_constant(d->program, values, rows);
    d->is_out_of_memory |= offset < 0;
    return (emu_operand){.offset = offset | 1, .rows = (uint8_t)rows};
}

/* Bytes of bank 0 that only the driver knows are unknown. */
static bool bank_words(const decoder *d, const sass_operand *at, uint32_t *values, unsigned rows) {
    if (at->kind != OPERAND_BANK || at->bank >= EMU_BANKS || at->suffix_count != 0)
        return false;
    const emu_bank *from = &d->program->banks[at->bank];
    /* 16 bits: "[-0x7e00]" is 0x8200 */
    const uint32_t offset = (uint32_t)at->number & (at->number < 0 ? 0xffffu : UINT32_MAX);
    if (offset > from->size_bytes || from->size_bytes - offset < 4 * rows)
        return false;
    const uint8_t *known = from->bytes + from->size_bytes;
    for (unsigned i = 0; i < 4 * rows; i++)
        if (!known[offset + i])
            return false;
    memcpy(values, from->bytes + offset, (size_t)4 * rows);
    return true;
}

/* A register or constant bank, `rows` of it, ignoring marks. False for anything else. */
static bool plain_operand(decoder *d, sass_operand *from, emu_operand *out, unsigned rows) {
    uint32_t values[OPERANDS_CHANGED_ROWS];
    if (is_register(from)) {
        *out = register_operand(d, from->kind, from->index, rows);
        return from->suffix_count == 0 || (rows == 2 && take_suffix(from, SASS_64));
    }
    if (rows > OPERANDS_CHANGED_ROWS || !bank_words(d, from, values, rows))
        return false;
    *out = constant_operand(d, values, rows);
    return true;
}

static bool is_number(const sass_operand *from) {
    return (from->kind == OPERAND_NUMBER || from->kind == OPERAND_REAL) && from->suffix_count == 0;
}

/* ---- Integers ---- */

/* The caller handles its marks. */
static const sass_operand *want_integer(decoder *d, emu_operand *out, unsigned rows) {
    sass_operand *from = next_operand(d);
    if (plain_operand(d, from, out, rows))
        return from;
    /* 64-bit operations sign-extend immediates; none is wider */
    const uint32_t low = d->own_bits, values[2] = {low, (int32_t)low < 0 ? UINT32_MAX : 0};
    if (rows > 2 || from->kind != OPERAND_NUMBER || (uint32_t)from->number != low)
        unknown(d);
    else
        *out = constant_operand(d, values, rows);
    return from;
}

void want_bits(decoder *d, emu_operand *out, unsigned rows) {
    const sass_operand *from = want_integer(d, out, rows);
    d->is_unknown |= from->is_negated || from->is_inverted || from->is_absolute;
}

/* The letters "i", "~" and "M" of `want`. */
static void want_signed(decoder *d, emu_operand *out, char letter) {
    const sass_operand *from = want_integer(d, out, letter == 'M' ? 2 : 1);
    d->is_unknown |= from->is_absolute || (letter == 'M' && from->is_inverted);
    d->negated += letter != 'i' && from->is_negated;
    if (letter != 'M' && (from->is_inverted || from->is_negated))
        out->modifier = from->is_inverted || letter == '~' ? MODIFIER_NOT : MODIFIER_NEGATE;
}

uint32_t want_number(decoder *d) {
    const sass_operand *from = next_operand(d);
    d->is_unknown |= from->kind != OPERAND_NUMBER;
    return (uint32_t)from->number;
}

static void want_bits_or_number(decoder *d, emu_operand *out) {
    if (is_register(peek_operand(d))) {
        want_bits(d, out, 1);
        return;
    }
    const uint32_t value = want_number(d);
    *out = constant_operand(d, &value, 1);
}

/* A pair, or an immediate whose text has all 64 bits. */
static void want_pair(decoder *d, emu_operand *out) {
    const sass_operand *from = peek_operand(d);
    if (!next_is(d, OPERAND_NUMBER)) {
        want_bits(d, out, 2);
        return;
    }
    const uint32_t values[2] = {(uint32_t)from->number, (uint32_t)(from->number >> 32)};
    *out = constant_operand(d, values, 2);
    d->is_unknown |= from->is_inverted;
    next_operand(d);
}

/* ---- Floating point ---- */

/* The text of a number, rounded as far as `rounding`, must match its bits, except a NaN, whose text
 * is incomplete. */
static void check_real(decoder *d, const sass_operand *from, double value, double rounding) {
    const double said = from->real;
    const bool is_same =
        isnan(said)
            ? isnan(value)
            : said == value || (isfinite(value) && fabs(said - value) <= fabs(value) * rounding);
    d->is_unknown |= !is_number(from) || !is_same;
}

static void set_sign(decoder *d, const sass_operand *from, emu_operand *out, emu_modifier how) {
    d->is_unknown |= from->is_inverted;
    out->sign =
        (uint8_t)((from->is_absolute ? SIGN_ABSOLUTE : 0) | (from->is_negated ? SIGN_NEGATE : 0));
    out->modifier = out->sign != 0 ? (uint8_t)how : MODIFIER_NONE;
}

/* The immediate of a double is its high word. */
static void want_real(decoder *d, emu_operand *out, bool is_double, unsigned rows) {
    sass_operand *from = next_operand(d);
    if (!plain_operand(d, from, out, rows)) {
        const uint32_t bits = d->own_bits, pair[2] = {0, bits};
        const uint64_t whole = (uint64_t)bits << 32;
        float single;
        double value;
        memcpy(&single, &bits, 4);
        memcpy(&value, &whole, 8);
        check_real(d, from, is_double ? value : (double)single, 1e-7);
        *out = constant_operand(d, rows == 2 ? pair : &bits, rows);
    }
    set_sign(d, from, out, rows == 2 ? MODIFIER_DOUBLE : MODIFIER_FLOAT);
}

/* The text has two numbers, high half first; the bits have one pair of halves. */
static void half_number(decoder *d, const sass_operand *from, emu_operand *out, bool is_bf16) {
    const uint32_t bits = d->own_bits;
    for (unsigned i = 0; i < 2; i++) {
        const uint16_t half = (uint16_t)(bits >> (i == 0 ? 16 : 0));
        check_real(d, from, is_bf16 ? smp_bf16_to_float(half) : smp_half_to_float(half), 1e-3);
        if (i == 0)
            from = next_operand(d);
    }
    *out = constant_operand(d, &bits, 1);
}

/* imm or imm2 selects the type. */
static void want_half(decoder *d, emu_operand *out) {
    const bool is_bf16 = ((d->u->imm | d->u->imm2) & HALF_IS_BF16) != 0;
    sass_operand *from = next_operand(d);
    const uint8_t half = take_suffix(from, SASS_H0_H0)   ? HALF_LOW
                         : take_suffix(from, SASS_H1_H1) ? HALF_HIGH
                                                         : HALF_BOTH;
    (void)take_suffix(from, SASS_H1_H0);
    if (!plain_operand(d, from, out, 1))
        half_number(d, from, out, is_bf16);
    set_sign(d, from, out, MODIFIER_HALF);
    out->half = half;
    if (half != HALF_BOTH)
        out->modifier = MODIFIER_HALF;
}

/* ---- Predicates ---- */

static void want_predicate(decoder *d, uint8_t *out) {
    const sass_operand *from = next_operand(d);
    d->is_unknown |= from->kind != OPERAND_PREDICATE;
    *out = from->kind != OPERAND_PREDICATE
               ? PREDICATE_TRUE
               : (uint8_t)(from->index | (from->is_inverted ? PREDICATE_NOT : 0));
}

static void want_predicate_out(decoder *d, uint8_t *out) {
    want_predicate(d, out);
    d->is_unknown |= (*out & PREDICATE_NOT) != 0;
    *out &= PREDICATES - 1;
}

/* Two unused predicates: carries, which 64-bit operations seldom need. */
static void want_no_predicates(decoder *d) {
    for (unsigned i = 0; i < 2 && next_is(d, OPERAND_PREDICATE); i++) {
        const sass_operand *from = next_operand(d);
        d->is_unknown |= from->is_inverted || from->index % (SASS_TRUE + 1) != SASS_TRUE;
    }
}

/* ---- Addresses ---- */

void read_address(decoder *d, const sass_operand *from, memory_address *out) {
    const sass_address *at = &from->at;
    /* "[R6.64+UR4]" in cuBLAS: a pointer in UR4 and UR5, a 64-bit offset in R6. */
    const bool is_uniform_wide = at->is_uniform_wide || (at->is_wide && at->uniform >= 0);
    *out = (memory_address){.base = {.offset = 1}, /* zeros */
                            .uniform = {.offset = 1},
                            .offset_bytes = from->number,
                            .scale = at->scale,
                            .is_wide = at->is_wide,
                            .is_uniform_wide = is_uniform_wide,
                            .is_base_unsigned = at->is_base_unsigned};
    if (at->base >= 0)
        out->base = register_operand(d, OPERAND_REGISTER, at->base, at->is_wide ? 2 : 1);
    if (at->uniform >= 0)
        out->uniform = register_operand(d, OPERAND_UNIFORM, at->uniform, is_uniform_wide ? 2 : 1);
}

void want_address(decoder *d, memory_address *out) {
    const sass_operand *from = next_operand(d);
    d->is_unknown |= from->kind != OPERAND_ADDRESS;
    read_address(d, from, out);
}

void widen_address(decoder *d, memory_address *at) {
    d->is_unknown |= at->uniform.rows == 1 && at->base.rows == 1 && !at->is_base_unsigned;
    if (at->uniform.rows == 1) {
        at->is_uniform_wide = true;
        at->uniform.rows = 2;
    } else if (at->base.rows == 1) {
        at->is_wide = true;
        at->base.rows = 2;
    }
}

/* Before 8.0, ".E" says that the address is a pair. Later its register does, unless it stands alone
 * without a descriptor: "[R6+0x18]". */
static void want_global_address(decoder *d, memory_address *at) {
    bool is_extended = false;
    for (unsigned i = 0; i < d->words.modifier_count; i++)
        is_extended |= d->words.modifiers[i] == SASS_E;
    want_address(d, at);
    bool is_alone = at->base.rows == 1 && at->uniform.rows == 0 && !at->is_base_unsigned;
    if (is_extended && (d->program->cc < 80 || is_alone))
        widen_address(d, at);
}

uop_memory *memory_of(const decoder *d) {
    return &d->program->memory[d->u->memory];
}

uop_memory *begin_memory(decoder *d, const uop_memory *like) {
    d->u->kind = UOP_MEMORY;
    d->u->memory = (int32_t)d->program->memory_count++;
    uop_memory *m = memory_of(d);
    *m = *like;
    m->is_strong = has_modifier(d, SASS_STRONG);
    m->is_narrow = has_modifier(d, SASS_SM) || has_modifier(d, SASS_CTA);
    m->sites = (uint32_t)d->u->memory * SLOTS;
    return m;
}

/* Number of registers that a lane moves. */
static unsigned moved_rows(const decoder *d) {
    const uop_memory *m = memory_of(d);
    return m->matrices > 0 ? m->matrices : m->width_bytes <= 4 ? 1 : m->width_bytes / 4;
}

/* ---- Places in the code ---- */

uint32_t want_barrier_register(decoder *d) {
    const sass_operand *from = next_operand(d);
    d->is_unknown |= from->kind != OPERAND_BARRIER || from->index >= BARRIER_REGISTERS;
    return from->index % BARRIER_REGISTERS;
}

static void want_target(decoder *d) {
    const uint32_t offset = want_number(d) + (d->is_target ? 0 : d->from_bytes);
    d->u->target = offset / INSTRUCTION_BYTES;
    d->is_unknown |= offset % INSTRUCTION_BYTES != 0 || d->u->target >= d->program->count;
}

/* ---- By letters ---- */

static void want_source_of(decoder *d, char letter, unsigned place, emu_operand *out) {
    const uint32_t bit = 1u << place;
    switch (letter) {
    case 'i':
    case '~':
    case 'M':
        want_signed(d, out, letter);
        break;
    case 'H':
        want_half(d, out);
        break;
    case 'n':
        want_bits_or_number(d, out);
        break;
    case 'f':
    case 'F':
        want_real(d, out, letter == 'F', letter == 'F' ? 2 : 1);
        break;
    case 'h':
        want_real(d, out, true, 1);
        break;
    case 'z':
    case 'Z':
        *out = (emu_operand){.offset = 1, .rows = letter == 'Z' ? 2 : 1};
        break;
    case 'W':
        d->u->imm |= is_register(peek_operand(d)) && take_minus(peek_operand(d)) ? bit : 0;
        want_pair(d, out);
        break;
    case 'V':
        d->u->imm |= peek_operand(d)->is_inverted ? bit : 0;
        peek_operand(d)->is_inverted = false;
        want_pair(d, out);
        break;
    case 'w':
        want_pair(d, out);
        break;
    case 'S':
        want_bits(d, out, moved_rows(d));
        break;
    case 's':
        d->u->imm |= next_is(d, OPERAND_REGISTER) && take_minus(peek_operand(d)) ? bit : 0;
        want_bits(d, out, 1);
        break;
    default: /* b, B */
        want_bits(d, out, letter == 'B' ? 2 : 1);
    }
}

/* RZ. */
static void want_zero(decoder *d) {
    const sass_operand *from = next_operand(d);
    d->is_unknown |=
        from->kind != OPERAND_REGISTER || from->index != SASS_ZERO || from->suffix_count != 0;
}

static void want_one(decoder *d, char letter) {
    uop *u = d->u;
    uint8_t *const predicates[] = {&u->p, &u->q, &u->r}, *const written[] = {&u->p_out, &u->q_out};
    switch (letter) {
    case 'd':
    case 'D':
    case 'e':
        if (letter != 'e' || is_register(peek_operand(d)))
            want_destination(d, letter == 'D' ? 2 : 1);
        break;
    case 'o':
    case 'O':
        if (letter == 'o' || next_is(d, OPERAND_PREDICATE))
            want_predicate_out(d, written[d->predicates_out++]);
        break;
    case 'p':
    case 'P':
        if (letter == 'p' || next_is(d, OPERAND_PREDICATE))
            want_predicate(d, predicates[d->predicates++]);
        break;
    case '-':
        want_no_predicates(d);
        break;
    case '0':
        want_zero(d);
        break;
    case '@':
    case 'A':
        want_address(d, letter == '@' ? &memory_of(d)->at : &memory_of(d)->from);
        break;
    case 'g':
        want_global_address(d, &memory_of(d)->at);
        break;
    case 'L':
        want_destination(d, moved_rows(d));
        break;
    case 'r':
        u->imm = want_barrier_register(d);
        break;
    case '#':
        u->imm = want_number(d) & 0xff;
        break;
    case 't':
        want_target(d);
        break;
    case '*':
        d->modifiers_taken = (1u << d->words.modifier_count) - 1;
        d->operand_next = d->words.operand_count;
        break;
    default:
        want_source_of(d, letter, d->sources, &u->sources[d->sources]);
        d->sources++;
    }
}

void want(decoder *d, const char *operands) {
    for (; *operands != '\0'; operands++)
        want_one(d, *operands);
}

/* ---- Constants, a row for all lanes each ---- */

int32_t emu_constant(emu_program *program, const uint32_t *values, unsigned rows) {
    if (program->constant_rows + rows > program->constant_room) {
        uint32_t room = 2 * program->constant_room + 64;
        uint32_t *grown = aligned_alloc(EMU_ALIGN, (size_t)room * ROW_BYTES);
        if (!grown)
            return -1;
        if (program->constants)
            memcpy(grown, program->constants, (size_t)program->constant_rows * ROW_BYTES);
        free(program->constants);
        program->constants = grown;
        program->constant_room = room;
    }
    int32_t offset = (int32_t)(program->constant_rows * ROW_BYTES);
    for (unsigned i = 0; i < rows; i++)
        for (unsigned l = 0; l < ROW; l++)
            program->constants[(program->constant_rows + i) * ROW + l] = values[i];
    program->constant_rows += rows;
    return offset;
}
