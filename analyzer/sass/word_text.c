/* SPDX-License-Identifier: MIT */
/*
 * The table of word_forms.inc, looked up.
 *
 * An opcode (the low 12 bits) has bits that are the same in all code that was seen, and a table
 * that says which form a word has: its operands, by kind.
 * A form has a table for the opcode's name with its modifiers and one for each operand. A table
 * looks at some variables, bits of the word or features (a field that is all ones, zero, a power of
 * two), and has a row for each value of them that is known: a text with places for numbers,
 *     <R24:8> <U32:6>      registers: bit, width; all ones: RZ, URZ
 *     <P81:3> <V81:3>      predicates, and uniform ones; small letters: stored inverted
 *     <B16:4> <S44:3>      barriers B0, SB0
 *     <x40:14:2>           unsigned number: bit, width, shift; <s40:24:0> signed
 *     <t200:56:2>          target, relative to the next instruction
 *     <ff32> <ff64> <fh32> <fh48> <fb32> <fb48>   floating-point: kind, bit
 * Fields 200 and 201 are those in two pieces.
 */
#include "word_text.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct word_feature {
    uint8_t low, width;
    bool is_power; /* of two, as IMAD.SHL has it; else: is `value` */
    uint64_t value;
} word_feature;

typedef struct word_row {
    uint32_t key; /* its table's variables, the first lowest; rows are in order */
    uint16_t is;  /* a text, or the number of a form */
} word_row;

typedef struct word_table {
    uint16_t first_variable, variable_count, first_row, row_count;
} word_table;

typedef struct word_form {
    smp_word fixed, value; /* bits that are always so */
    uint16_t first_part, part_count;
} word_form;

typedef struct word_opcode {
    uint16_t opcode;
    char guard; /* 'P', 'U' for uniform predicates, '-' for none */
    uint16_t table;
    uint64_t fixed, value; /* bits of the high half that are the same in all code that was seen */
} word_opcode;

#include "word_forms.inc"

enum {
    FIRST_FEATURE = 128,
    GUARD_BIT = 12,
    GUARD_NONE = 7,
    CONTROL_BIT = 105, /* cycles to stall and whether to yield: 5 bits */
    REUSE_BIT = 122,
    TARGET_FIELD = 200,
    LOOKUP_FIELD = 201,
};

typedef struct printer {
    char *out;
    size_t length, size;
    uint64_t next; /* address of the next instruction */
    smp_word word;
    bool is_full;
} printer;

bool smp_word_knows(uint32_t cc) {
    return cc == 90;
}

/* ---- Bits ---- */

static uint64_t bits(smp_word word, unsigned low, unsigned width) {
    uint64_t value;
    if (low >= 64)
        value = word.high >> (low - 64);
    else
        value = word.low >> low | (low > 0 ? word.high << (64 - low) : 0);
    return width >= 64 ? value : value & (((uint64_t)1 << width) - 1);
}

static uint64_t field(smp_word word, unsigned low, unsigned width) {
    if (low == TARGET_FIELD)
        return bits(word, 16, 8) | bits(word, 34, 48) << 8;
    if (low == LOOKUP_FIELD)
        return bits(word, 64, 3) | bits(word, 72, 5) << 3;
    return bits(word, low, width);
}

static bool variable(smp_word word, unsigned number) {
    if (number < FIRST_FEATURE)
        return bits(word, number, 1) != 0;
    const word_feature *feature = &word_features[number - FIRST_FEATURE];
    const uint64_t value = bits(word, feature->low, feature->width);
    if (!feature->is_power)
        return value == feature->value;
    return value != 0 && (value & (value - 1)) == 0 && value != 1u << 16 && value != 1u << 31;
}

/* Registers are kept for reuse only by instructions that do not yield: others that say so have
 * other texts. nvdisasm refuses the rest of what is refused here. */
static bool has_control(smp_word word) {
    const uint64_t control = bits(word, CONTROL_BIT, 5), reuse = bits(word, REUSE_BIT, 3);
    return control != 16 && control <= 27 && (control > 16 || reuse == 0);
}

/* ---- Tables ---- */

static int by_key(const void *key, const void *row) {
    const uint32_t wanted = *(const uint32_t *)key, there = ((const word_row *)row)->key;
    return wanted < there ? -1 : wanted > there;
}

static const word_row *row_of(smp_word word, const word_table *table) {
    uint32_t key = 0;
    for (unsigned i = 0; i < table->variable_count; i++)
        key |= (uint32_t)variable(word, word_variables[table->first_variable + i]) << i;
    return bsearch(&key, word_rows + table->first_row, table->row_count, sizeof(word_row), by_key);
}

static int by_opcode(const void *key, const void *row) {
    return *(const int *)key - ((const word_opcode *)row)->opcode;
}

static const word_opcode *opcode_of(smp_word word) {
    const int opcode = (int)bits(word, 0, 12);
    return bsearch(&opcode, word_opcodes, sizeof(word_opcodes) / sizeof(*word_opcodes),
                   sizeof(*word_opcodes), by_opcode);
}

/* ---- Text ---- */

static void add(printer *to, const char *text, size_t length) {
    if (to->length + length >= to->size) {
        to->is_full = true;
        return;
    }
    memcpy(to->out + to->length, text, length);
    to->length += length;
    to->out[to->length] = '\0';
}

static void add_text(printer *to, const char *text) {
    add(to, text, strlen(text));
}

static void add_number(printer *to, const char *before, uint64_t value) {
    char text[32];
    (void)snprintf(text, sizeof(text), "%s%" PRIu64, before, value);
    add_text(to, text);
}

static void add_hex(printer *to, int64_t value) {
    char text[32];
    (void)snprintf(text, sizeof(text), "%s0x%" PRIx64, value < 0 ? "-" : "",
                   value < 0 ? 0 - (uint64_t)value : (uint64_t)value);
    add_text(to, text);
}

static int64_t extended(uint64_t value, unsigned width) {
    return width < 64 && value >> (width - 1) ? (int64_t)(value - ((uint64_t)1 << width))
                                              : (int64_t)value;
}

/* A number of `exponent_bits` and `fraction_bits`; what is no plain number has a blank behind it.
 */
static void add_float(printer *to, uint64_t value, unsigned exponent_bits, unsigned fraction_bits) {
    const uint64_t fraction = value & (((uint64_t)1 << fraction_bits) - 1);
    const uint64_t most = ((uint64_t)1 << exponent_bits) - 1;
    const uint64_t exponent = value >> fraction_bits & most;
    const bool is_negative = value >> (fraction_bits + exponent_bits) != 0;
    char text[64];
    if (exponent == most) {
        const bool is_quiet = fraction >> (fraction_bits - 1) != 0;
        (void)snprintf(text, sizeof(text), "%c%s ", is_negative ? '-' : '+',
                       fraction == 0 ? "INF"
                       : is_quiet    ? "QNAN"
                                     : "SNAN");
        add_text(to, text);
        return;
    }
    const double scale = ldexp(1, -(int)fraction_bits);
    const int bias = (int)(most >> 1);
    const double number = exponent == 0 ? ldexp((double)fraction * scale, 1 - bias)
                                        : ldexp(1 + (double)fraction * scale, (int)exponent - bias);
    if (number == 0)
        (void)snprintf(text, sizeof(text), is_negative ? "-0.0 " : "0");
    else
        (void)snprintf(text, sizeof(text), number >= 1e9 ? "%.20e" : "%.20g",
                       is_negative ? -number : number);
    add_text(to, text);
}

static void add_float_of(printer *to, const char *kind) {
    const unsigned low = (unsigned)strtoul(kind + 1, NULL, 10);
    if (kind[0] == 'f' && low == 32)
        add_float(to, bits(to->word, 32, 32), 8, 23);
    else if (kind[0] == 'f') /* the high half of a double */
        add_float(to, bits(to->word, 32, 32), 11, 20);
    else if (kind[0] == 'h')
        add_float(to, bits(to->word, low, 16), 5, 10);
    else
        add_float(to, bits(to->word, low, 16), 8, 7);
}

/* A register or predicate, whose last number has a letter. */
static void add_named(printer *to, const char *name, uint64_t value, unsigned width,
                      const char *last) {
    if (value == ((uint64_t)1 << width) - 1) {
        add_text(to, name);
        add_text(to, last);
    } else {
        add_number(to, name, value);
    }
}

/* "R24:8", without its brackets. */
static void add_place(printer *to, const char *place) {
    char *end;
    if (place[0] == 'f') {
        add_float_of(to, place + 1);
        return;
    }
    const unsigned low = (unsigned)strtoul(place + 1, &end, 10);
    const unsigned width = (unsigned)strtoul(end + 1, &end, 10);
    const unsigned shift = *end == ':' ? (unsigned)strtoul(end + 1, NULL, 10) : 0;
    const uint64_t value = field(to->word, low, width), ones = ((uint64_t)1 << width) - 1;
    const int64_t is_signed = (int64_t)((uint64_t)extended(value, width) << shift);
    switch (place[0]) {
    case 'R':
        add_named(to, "R", value, width, "Z");
        break;
    case 'U':
        add_named(to, "UR", value, width, "Z");
        break;
    case 'P':
    case 'p':
        add_named(to, "P", place[0] == 'p' ? value ^ ones : value, width, "T");
        break;
    case 'V':
    case 'v':
        add_named(to, "UP", place[0] == 'v' ? value ^ ones : value, width, "T");
        break;
    case 'B':
        add_number(to, "B", value);
        break;
    case 'S':
        add_number(to, "SB", value);
        break;
    case 's':
        add_hex(to, is_signed);
        break;
    case 't':
        add_hex(to, (int64_t)(to->next + (uint64_t)is_signed));
        break;
    default:
        add_hex(to, (int64_t)(value << shift));
    }
}

static void add_row(printer *to, const char *text) {
    while (*text != '\0') {
        const size_t plain = strcspn(text, "<");
        add(to, text, plain);
        text += plain;
        if (*text == '<') {
            add_place(to, text + 1);
            text = strchr(text, '>') + 1;
        }
    }
}

static bool add_guard(printer *to, char kind) {
    const unsigned guard = (unsigned)bits(to->word, GUARD_BIT, 4);
    if (guard == GUARD_NONE)
        return true;
    add_text(to, guard & 8 ? "@!" : "@");
    add_named(to, kind == 'U' ? "UP" : "P", guard & 7, 3, "T");
    add_text(to, " ");
    return kind != '-';
}

/* Whether each register that is kept for reuse is shown so: other names of an opcode (IMAD.MOV) are
 * not printed where one is not. */
static bool shows_reuse(const char *text, smp_word word) {
    unsigned kept = 0, shown = 0;
    for (unsigned i = 0; i < 3; i++)
        kept += bits(word, REUSE_BIT + i, 1) != 0;
    for (; (text = strstr(text, ".reuse")) != NULL; text++)
        shown++;
    return kept == shown;
}

bool smp_word_text(uint32_t cc, smp_word word, uint32_t offset_bytes, char *out, size_t size) {
    printer to = {.out = out, .size = size, .next = (uint64_t)offset_bytes + 16};
    const word_opcode *opcode = smp_word_knows(cc) && has_control(word) ? opcode_of(word) : NULL;
    const word_row *row = opcode == NULL || ((word.high ^ opcode->value) & opcode->fixed) != 0
                              ? NULL
                              : row_of(word, &word_tables[opcode->table]);
    if (row == NULL)
        return false;
    const word_form *form = &word_forms[row->is];
    to.word = word;
    if (((word.low ^ form->value.low) & form->fixed.low) != 0 ||
        ((word.high ^ form->value.high) & form->fixed.high) != 0 || !add_guard(&to, opcode->guard))
        return false;
    for (unsigned i = 0; i < form->part_count; i++) {
        row = row_of(word, &word_tables[word_parts[form->first_part + i]]);
        if (row == NULL)
            return false;
        add_text(&to, i == 0 ? "" : i == 1 ? " " : ", ");
        add_row(&to, word_texts[row->is]);
    }
    while (to.length > 0 && out[to.length - 1] == ' ')
        out[--to.length] = '\0';
    return !to.is_full && shows_reuse(out, word);
}
