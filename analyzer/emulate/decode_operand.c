/* SPDX-License-Identifier: MIT */
/*
 * Operands: registers, numbers, constants, predicates and addresses. A number is taken from the
 * instruction's own bits (32 of them, from bit 32 on, in every form that has one); the text must
 * say the same, or the instruction is unknown.
 */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "decode.h"

static void unknown(decoder *d) {
    d->is_unknown = true;
}

static uint32_t raw_number(const decoder *d) {
    uint32_t value;
    memcpy(&value, d->raw + 4, 4);
    return value;
}

/* "R12" -> 12, "URZ" -> REGISTER_ZERO; -1: none. *rest is what follows. */
int parse_register(const char *text, register_file *file, const char **rest) {
    *file = FILE_REGISTER;
    if (text[0] == 'U' && text[1] == 'R') {
        *file = FILE_UNIFORM;
        text++;
    }
    if (text[0] != 'R')
        return -1;
    if (text[1] == 'Z') {
        *rest = text + 2;
        return REGISTER_ZERO;
    }
    if (!isdigit((unsigned char)text[1]))
        return -1;
    char *end;
    long index = strtol(text + 1, &end, 10);
    *rest = end;
    return index < register_count(*file) ? (int)index : -1;
}

emu_operand register_operand(decoder *d, register_file file, int index, unsigned rows) {
    emu_operand out = {.rows = (uint8_t)rows};
    if (index == REGISTER_ZERO) {
        out.offset = 1;
        if (rows > ROWS_ZERO)
            unknown(d);
        return out;
    }
    if (index + (int)rows > register_count(file))
        unknown(d);
    out.offset = ((file == FILE_UNIFORM ? ROW_UNIFORM : 0) + index) * ROW_BYTES;
    return out;
}

void want_destination(decoder *d, unsigned rows) {
    register_file file;
    const char *text = next_operand(d), *rest = "";
    int index = parse_register(text, &file, &rest);
    d->u->d_rows = (uint8_t)rows;
    d->u->d = ROW_SINK * ROW_BYTES;
    if (index < 0 || *rest != '\0') {
        unknown(d);
        return;
    }
    if (index == REGISTER_ZERO)
        return;
    if (index + (int)rows > register_count(file)) {
        unknown(d);
        return;
    }
    d->u->d = ((file == FILE_UNIFORM ? ROW_UNIFORM : 0) + index) * ROW_BYTES;
}

static emu_operand constant_operand(decoder *d, const uint32_t *values, unsigned rows) {
    emu_operand out = {.rows = (uint8_t)rows};
    int32_t offset = emu_constant(d->program, values, rows);
    if (offset < 0)
        d->is_out_of_memory = true;
    else
        out.offset = offset | 1;
    return out;
}

void want_zeros(decoder *d, emu_operand *out, unsigned rows) {
    (void)d;
    *out = (emu_operand){.offset = 1, .rows = (uint8_t)rows};
}

bool read_bank(const char *text, unsigned *bank, uint32_t *offset) {
    char *end;
    if (strncmp(text, "c[", 2) != 0)
        return false;
    unsigned long which = strtoul(text + 2, &end, 16);
    const char *at = end + 1 + (end[0] != '\0' && end[1] == ' '); /* "c[0x0] [0x160]" */
    const bool is_high = at[0] == '[' && at[1] == '-'; /* 16 bits: "[-0x7e00]" is 0x8200 */
    if (end[0] != ']' || at[0] != '[' || !isdigit((unsigned char)at[1 + is_high]) ||
        which >= EMU_BANKS)
        return false;
    *bank = (unsigned)which;
    *offset = (uint32_t)strtol(at + 1, &end, 16) & (is_high ? 0xffffu : UINT32_MAX);
    return end[0] == ']' && end[1] == '\0';
}

/* What the driver keeps in bank 0, but nobody has described, is unknown. */
static bool bank_words(decoder *d, const char *text, uint32_t *values, unsigned rows) {
    unsigned bank;
    uint32_t offset;
    if (!read_bank(text, &bank, &offset))
        return false;
    const emu_bank *from = &d->program->banks[bank];
    if (offset > from->size_bytes || from->size_bytes - offset < 4 * rows)
        return false;
    const uint8_t *known = from->bytes + from->size_bytes;
    for (unsigned i = 0; i < 4 * rows; i++)
        if (!known[offset + i])
            return false;
    memcpy(values, from->bytes + offset, (size_t)4 * rows);
    return true;
}

/* The sign marks before an operand: "-|R2|", "~R2". */
typedef struct marks {
    bool negated, absolute, inverted;
} marks;

static marks take_marks(char *text) {
    marks out = {false, false, false};
    char *at = text;
    bool is_number = isdigit((unsigned char)at[1]) || at[1] == 'I' || at[1] == 'Q' || at[1] == 'S';
    if (*at == '-' && !is_number) { /* -INF and -QNAN have their sign in their bits */
        out.negated = true;
        at++;
    }
    if (*at == '~') {
        out.inverted = true;
        at++;
    }
    if (*at == '|') {
        out.absolute = true;
        at++;
        char *end = strchr(at, '|');
        if (end != NULL)
            memmove(end, end + 1, strlen(end + 1) + 1);
    }
    memmove(text, at, strlen(at) + 1);
    return out;
}

static bool is_integer_text(const char *text, uint32_t value) {
    char *end;
    long long number = strtoll(text, &end, 0);
    return end != text && *end == '\0' && (uint32_t)number == value;
}

/* A register or a constant bank, `rows` of it, without its marks. False: something else. */
static bool plain_operand(decoder *d, const char *text, emu_operand *out, unsigned rows) {
    register_file file;
    const char *rest = "";
    uint32_t values[OPERANDS_CHANGED_ROWS];
    int index = parse_register(text, &file, &rest);
    if (index >= 0) {
        *out = register_operand(d, file, index, rows);
        return *rest == '\0' || (rows == 2 && strcmp(rest, ".64") == 0);
    }
    if (rows > OPERANDS_CHANGED_ROWS || !bank_words(d, text, values, rows))
        return false;
    *out = constant_operand(d, values, rows);
    return true;
}

static void integer_operand(decoder *d, emu_operand *out, unsigned rows, marks *found) {
    char text[WORD_BYTES];
    strcpy(text, next_operand(d));
    *found = take_marks(text);
    if (plain_operand(d, text, out, rows))
        return;
    if (rows > OPERANDS_CHANGED_ROWS) { /* no number is that wide */
        unknown(d);
        return;
    }
    uint32_t values[OPERANDS_CHANGED_ROWS] = {raw_number(d)};
    if (!is_integer_text(text, values[0]))
        unknown(d);
    if (rows == 2) /* a number of a 64-bit operation is extended by its sign */
        values[1] = (int32_t)values[0] < 0 ? 0xffffffffu : 0;
    *out = constant_operand(d, values, rows);
}

void want_source(decoder *d, emu_operand *out, unsigned rows) {
    marks found;
    integer_operand(d, out, rows, &found);
    if (found.absolute || ((found.negated || found.inverted) && rows != 1))
        unknown(d);
    if (found.negated)
        out->modifier = MODIFIER_NEGATE;
    if (found.inverted)
        out->modifier = MODIFIER_NOT;
}

void want_complement(decoder *d, emu_operand *out, uint32_t *negated) {
    marks found;
    integer_operand(d, out, 1, &found);
    if (found.absolute)
        unknown(d);
    if (found.negated || found.inverted)
        out->modifier = MODIFIER_NOT;
    *negated += found.negated;
}

void want_negatable(decoder *d, emu_operand *out, unsigned rows, uint32_t *negated) {
    marks found;
    integer_operand(d, out, rows, &found);
    if (found.inverted || found.absolute)
        unknown(d);
    *negated += found.negated;
}

void want_bits(decoder *d, emu_operand *out, unsigned rows) {
    marks found;
    integer_operand(d, out, rows, &found);
    if (found.negated || found.inverted || found.absolute)
        unknown(d);
}

void want_bits_or_number(decoder *d, emu_operand *out) {
    register_file file;
    const char *rest;
    if (parse_register(peek_operand(d), &file, &rest) >= 0) {
        want_bits(d, out, 1);
        return;
    }
    uint32_t value = want_number(d);
    *out = constant_operand(d, &value, 1);
}

/* The number's text must be what the bits say, but for NaN, whose text does not say all. */
static void check_float(decoder *d, const char *text, double value) {
    char *end;
    if (strstr(text, "QNAN") != NULL || strstr(text, "SNAN") != NULL) {
        if (!isnan(value))
            unknown(d);
        return;
    }
    double said = strtod(text, &end);
    if (end == text || *end != '\0' ||
        !(said == value || (isfinite(value) && fabs(said - value) <= fabs(value) * 1e-7)))
        unknown(d);
}

static uint8_t signs(marks found) {
    return (uint8_t)((found.absolute ? SIGN_ABSOLUTE : 0) | (found.negated ? SIGN_NEGATE : 0));
}

void want_float(decoder *d, emu_operand *out) {
    char text[WORD_BYTES];
    strcpy(text, next_operand(d));
    marks found = take_marks(text);
    if (!plain_operand(d, text, out, 1)) {
        uint32_t bits = raw_number(d);
        float value;
        memcpy(&value, &bits, 4);
        check_float(d, text, value);
        *out = constant_operand(d, &bits, 1);
    }
    if (found.inverted)
        unknown(d);
    out->sign = signs(found);
    out->modifier = out->sign != 0 ? MODIFIER_FLOAT : MODIFIER_NONE;
}

void want_double(decoder *d, emu_operand *out) {
    char text[WORD_BYTES];
    strcpy(text, next_operand(d));
    marks found = take_marks(text);
    if (!plain_operand(d, text, out, 2)) {
        uint32_t bits[2] = {0, raw_number(d)};
        uint64_t whole = (uint64_t)bits[1] << 32;
        double value;
        memcpy(&value, &whole, 8);
        check_float(d, text, value);
        *out = constant_operand(d, bits, 2);
    }
    if (found.inverted)
        unknown(d);
    out->sign = signs(found);
    out->modifier = out->sign != 0 ? MODIFIER_DOUBLE : MODIFIER_NONE;
}

void want_double_high(decoder *d, emu_operand *out) {
    char text[WORD_BYTES];
    strcpy(text, next_operand(d));
    marks found = take_marks(text);
    if (!plain_operand(d, text, out, 1)) {
        uint32_t bits = raw_number(d);
        uint64_t whole = (uint64_t)bits << 32;
        double value;
        memcpy(&value, &whole, 8);
        check_float(d, text, value);
        *out = constant_operand(d, &bits, 1);
    }
    if (found.inverted)
        unknown(d);
    out->sign = signs(found);
    out->modifier = out->sign != 0 ? MODIFIER_FLOAT : MODIFIER_NONE;
}

/* ".H0_H0" and the like, cut off. */
static uint8_t take_swizzle(decoder *d, char *text) {
    static const char *const names[] = {".H1_H0", ".H0_H0", ".H1_H1", ".F32"};
    char *at = strchr(text, '.');
    if (at == NULL || strncmp(text, "c[", 2) == 0)
        at = strrchr(text, ']') != NULL ? strrchr(text, ']') + 1 : at;
    if (at == NULL || *at == '\0' || isdigit((unsigned char)text[0]) || text[0] == '-')
        return HALF_BOTH;
    for (uint8_t i = 0; i < 3; i++)
        if (strcmp(at, names[i]) == 0) {
            *at = '\0';
            return i;
        }
    unknown(d);
    return HALF_BOTH;
}

/* Two numbers in the text, the high half first; one pair of halves in the bits. */
static void half_number(decoder *d, const char *text, emu_operand *out, bool is_bf16) {
    uint32_t bits = raw_number(d);
    for (unsigned i = 0; i < 2; i++) {
        uint16_t half = (uint16_t)(bits >> (i == 0 ? 16 : 0));
        double value = is_bf16 ? smp_bf16_to_float(half) : smp_half_to_float(half);
        char *end;
        double said = strtod(text, &end);
        bool is_same = isnan(value) ? strstr(text, "NAN") != NULL
                                    : end != text && fabs(said - value) <= fabs(value) * 1e-3;
        if (!is_same)
            unknown(d);
        if (i == 0)
            text = next_operand(d);
    }
    *out = constant_operand(d, &bits, 1);
}

void want_half(decoder *d, emu_operand *out, bool is_bf16) {
    char text[WORD_BYTES];
    strcpy(text, next_operand(d));
    marks found = take_marks(text);
    uint8_t swizzle = take_swizzle(d, text);
    if (!plain_operand(d, text, out, 1))
        half_number(d, text, out, is_bf16);
    if (found.inverted)
        unknown(d);
    out->sign = signs(found);
    out->half = swizzle;
    out->modifier = out->sign != 0 || swizzle != HALF_BOTH ? MODIFIER_HALF : MODIFIER_NONE;
}

/* "!UP2" -> 10 | PREDICATE_NOT; -1: none. */
static int parse_predicate(const char *text) {
    int flag = 0, first = 0;
    if (*text == '!') {
        flag = PREDICATE_NOT;
        text++;
    }
    if (*text == 'U') {
        first = 8;
        text++;
    }
    if (text[0] != 'P' || text[1] == '\0' || text[2] != '\0')
        return -1;
    if (text[1] == 'T')
        return (first + PREDICATE_TRUE) | flag;
    return text[1] >= '0' && text[1] <= '6' ? (first + text[1] - '0') | flag : -1;
}

bool is_predicate(const char *operand) {
    return parse_predicate(operand) >= 0;
}

void want_predicate(decoder *d, uint8_t *out) {
    int index = parse_predicate(next_operand(d));
    if (index < 0)
        unknown(d);
    *out = (uint8_t)(index < 0 ? PREDICATE_TRUE : index);
}

void want_predicate_out(decoder *d, uint8_t *out) {
    want_predicate(d, out);
    if (*out & PREDICATE_NOT)
        unknown(d);
    *out &= PREDICATES - 1;
}

uint32_t want_number(decoder *d) {
    char *end;
    const char *text = next_operand(d);
    long long value = strtoll(text, &end, 0);
    if (end == text || *end != '\0')
        unknown(d);
    return (uint32_t)value;
}
