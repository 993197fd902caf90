/* SPDX-License-Identifier: MIT */
/*
 * Operands are recognized by their first characters. ".reuse" concerns only the register cache and
 * is skipped.
 */
#include "sass_parse.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Names ---- */

typedef struct name_row {
    const char *text;
    size_t length;
} name_row;

/* In strcmp order. */
static const name_row names[] = {
#define SASS_NAME_ROW(name) {#name, sizeof(#name) - 1},
    SASS_NAMES(SASS_NAME_ROW)
#undef SASS_NAME_ROW
};

const char *smp_sass_name_text(sass_name name) {
    return name == SASS_NONE ? "?" : names[name - 1].text;
}

static int by_text(const void *wanted, const void *row) {
    const name_row *a = wanted, *b = row;
    const size_t shorter = a->length < b->length ? a->length : b->length;
    const int order = memcmp(a->text, b->text, shorter);
    return order != 0 ? order : (a->length > b->length) - (a->length < b->length);
}

static uint16_t name_of(const char *text, size_t length) {
    const name_row wanted = {text, length};
    const name_row *found =
        bsearch(&wanted, names, sizeof(names) / sizeof(*names), sizeof(*names), by_text);
    return found ? (uint16_t)(found - names + 1) : SASS_NONE;
}

/* ---- Operands ---- */

typedef struct reader {
    const char *at, *end;
} reader;

static bool skip(reader *r, const char *text) {
    const size_t length = strlen(text);
    if ((size_t)(r->end - r->at) < length || memcmp(r->at, text, length) != 0)
        return false;
    r->at += length;
    return true;
}

static bool is_of_name(char c) {
    return isalnum((unsigned char)c) || c == '_' || c == '$';
}

static uint16_t read_name(reader *r) {
    const char *begin = r->at;
    while (r->at < r->end && is_of_name(*r->at))
        r->at++;
    return name_of(begin, (size_t)(r->at - begin));
}

/* "R4", "URZ", "P0", "UPT". */
static bool read_register(reader *r, sass_operand *out) {
    const char *at = r->at;
    const bool is_uniform = *at == 'U';
    at += is_uniform;
    const bool is_predicate = *at == 'P';
    const unsigned last = is_predicate ? SASS_TRUE : SASS_ZERO;
    unsigned long index = last;
    char *end = (char *)at + 2;
    if (*at != 'R' && *at != 'P')
        return false;
    if (isdigit((unsigned char)at[1]))
        index = strtoul(at + 1, &end, 10);
    else if (at[1] != (is_predicate ? 'T' : 'Z'))
        return false;
    if (index > last || (index == last && isdigit((unsigned char)at[1])) ||
        (end < r->end && is_of_name(*end)))
        return false;
    out->index = (uint8_t)(index + (is_predicate && is_uniform ? SASS_TRUE + 1 : 0));
    out->kind = is_predicate ? OPERAND_PREDICATE : is_uniform ? OPERAND_UNIFORM : OPERAND_REGISTER;
    r->at = end;
    return true;
}

/* False if there are too many. */
static bool read_suffixes(reader *r, sass_operand *out) {
    while (r->at < r->end && *r->at == '.') {
        r->at++;
        const uint16_t name = read_name(r);
        if (name == SASS_reuse)
            continue;
        if (out->suffix_count == SASS_SUFFIXES_MAX)
            return false;
        out->suffix[out->suffix_count++] = name;
    }
    return true;
}

static bool read_number(reader *r, sass_operand *out) {
    const bool is_negative = *r->at == '-';
    const char *digits = r->at + is_negative;
    char *end;
    if (r->at == r->end || !isdigit((unsigned char)*digits))
        return false;
    errno = 0;
    const uint64_t value = strtoull(digits, &end, 0);
    out->number = (int64_t)(is_negative ? 0 - value : value);
    r->at = end;
    return errno == 0;
}

/* "1.5", "-INF", "+QNAN". */
static bool read_real(reader *r, sass_operand *out) {
    char *end;
    const bool has_sign = *r->at == '-' || *r->at == '+';
    if (!isdigit((unsigned char)r->at[has_sign]) && !has_sign)
        return false;
    out->real = strtod(r->at, &end);
    if (r->end - r->at == 5 && memcmp(r->at + 2, "NAN", 3) == 0) {
        out->real = NAN;
        end = (char *)r->end;
    }
    const bool is_read = end != r->at;
    r->at = end;
    return is_read;
}

/* ".64", ".X4", ".U32" after a register of an address. */
static bool take_scale(const sass_operand *term, sass_address *to) {
    for (unsigned i = 0; i < term->suffix_count; i++) {
        const uint16_t suffix = term->suffix[i];
        if (suffix == SASS_64)
            *(term->kind == OPERAND_UNIFORM ? &to->is_uniform_wide : &to->is_wide) = true;
        else if (suffix == SASS_U32)
            to->is_base_unsigned = true;
        else if (suffix == SASS_X4 || suffix == SASS_X8 || suffix == SASS_X16)
            to->scale = suffix == SASS_X4 ? 2 : suffix == SASS_X8 ? 3 : 4;
        else
            return false;
    }
    return true;
}

static bool read_term(reader *r, sass_operand *out) {
    sass_operand term = {.kind = OPERAND_OTHER};
    if (read_number(r, &term)) {
        out->number += term.number;
        return true;
    }
    if (!read_register(r, &term) || term.kind == OPERAND_PREDICATE || !read_suffixes(r, &term))
        return false;
    int16_t *to = term.kind == OPERAND_UNIFORM ? &out->at.uniform : &out->at.base;
    if (*to >= 0)
        return false;
    *to = term.index;
    return take_scale(&term, &out->at);
}

/* "R2.64+UR4+-0x8]", after its bracket. */
static bool read_address(reader *r, sass_operand *out) {
    do {
        if (!read_term(r, out))
            return false;
    } while (skip(r, "+"));
    return skip(r, "]");
}

/* "c[0x0][0x160]", "c[0x0] [0x160]", "c[0x3][R4+0x10]", after its first bracket. */
static bool read_bank(reader *r, sass_operand *out) {
    sass_operand bank = {.kind = OPERAND_OTHER};
    if (!read_number(r, &bank) || bank.number > UINT8_MAX || !skip(r, "]"))
        return false;
    out->bank = (uint8_t)bank.number;
    (void)skip(r, " ");
    if (!skip(r, "[") || !read_address(r, out))
        return false;
    const bool is_number = out->at.base < 0 && out->at.uniform < 0;
    out->kind = is_number ? OPERAND_BANK : OPERAND_BANK_ADDRESS;
    return true;
}

static bool read_descriptor(reader *r, sass_operand *out, sass_kind kind) {
    const bool is_read = read_register(r, out) && out->kind == OPERAND_UNIFORM &&
                         read_suffixes(r, out) && skip(r, "]");
    out->kind = (uint8_t)kind;
    return is_read;
}

static void read_marks(reader *r, sass_operand *out) {
    const char next = r->end - r->at > 1 ? r->at[1] : '\0';
    /* the sign of -INF and -QNAN is in their bits */
    if (!isdigit((unsigned char)next) && !strchr("IQS", next))
        out->is_negated = skip(r, "-");
    out->is_inverted = skip(r, "~") || skip(r, "!");
    out->is_absolute = skip(r, "|");
}

/* Anything with brackets. */
static bool read_brackets(reader *r, sass_operand *out) {
    if (skip(r, "c["))
        return read_bank(r, out);
    if (skip(r, "cx[")) {
        out->kind = OPERAND_BANK_HANDLE;
        r->at = r->end - out->is_absolute;
        return true;
    }
    if (skip(r, "gdesc["))
        return read_descriptor(r, out, OPERAND_MATRICES);
    if (skip(r, "desc[")) {
        if (!read_descriptor(r, out, OPERAND_DESCRIPTOR))
            return false;
        out->suffix_count = 0;
        if (r->at == r->end)
            return true;
    }
    out->kind = OPERAND_ADDRESS;
    return skip(r, "[") && read_address(r, out);
}

/* A number, or a name that may begin with digits. */
static bool read_value(reader *r, sass_operand *out) {
    const reader begin = *r;
    reader real = begin;
    const bool is_real = read_real(&real, out) && real.at == real.end;
    out->kind = is_real ? OPERAND_REAL : OPERAND_NAME;
    if (read_number(r, out) && r->at == r->end)
        out->kind = OPERAND_NUMBER;
    if (out->kind != OPERAND_NAME) {
        r->at = r->end;
        return true;
    }
    *r = begin;
    out->number = 0;
    out->name = read_name(r);
    return r->at > begin.at;
}

static bool read_operand(reader *r, sass_operand *out) {
    if (skip(r, "32@") || skip(r, "`(")) {
        out->kind = OPERAND_SYMBOL;
        r->at = r->end;
        return true;
    }
    const bool is_not = *r->at == '!';
    read_marks(r, out);
    const char *bracket = memchr(r->at, '[', (size_t)(r->end - r->at));
    if (*r->at == 'B' && isdigit((unsigned char)r->at[1]) && out->kind == OPERAND_OTHER) {
        char *end;
        out->index = (uint8_t)strtoul(r->at + 1, &end, 10);
        out->kind = OPERAND_BARRIER;
        r->at = end;
        return true;
    }
    const bool is_read = bracket                 ? read_brackets(r, out)
                         : read_register(r, out) ? true
                                                 : read_value(r, out);
    if (!is_read || !read_suffixes(r, out) || (out->is_absolute && !skip(r, "|")) ||
        !read_suffixes(r, out))
        return false;
    const bool is_predicate = out->kind == OPERAND_PREDICATE;
    if ((is_not != is_predicate && (out->is_negated || out->is_inverted || out->is_absolute)) ||
        (out->suffix_count > 0 && (is_predicate || out->kind == OPERAND_ADDRESS)))
        return false;
    if ((out->kind == OPERAND_REGISTER || out->kind == OPERAND_UNIFORM) && skip(r, " ")) {
        *(out->kind == OPERAND_REGISTER ? &out->at.base : &out->at.uniform) = out->index;
        out->kind = OPERAND_PLACE;
        return read_number(r, out) && out->suffix_count == 0;
    }
    return true;
}

void smp_sass_parse_operand(const char *text, size_t length, sass_operand *out) {
    reader r = {text, text + length};
    *out =
        (sass_operand){.at = {.base = -1, .uniform = -1}, .text = text, .length = (unsigned)length};
    if (!read_operand(&r, out) || r.at != r.end)
        out->kind = OPERAND_OTHER;
}

/* ---- Instructions ---- */

bool smp_sass_parse_opcode(const char *text, sass_instruction *out) {
    reader r = {text, text + strlen(text)};
    *out = (sass_instruction){.opcode = read_name(&r)};
    if (out->opcode == SASS_NONE && *text == 'U') { /* "UIADD3" is IADD3 on uniform registers */
        out->opcode = name_of(text + 1, (size_t)(r.at - text - 1));
        out->is_uniform = out->opcode != SASS_NONE;
    }
    while (skip(&r, ".")) {
        if (out->modifier_count == SASS_WORDS_MAX)
            return false;
        out->modifiers[out->modifier_count++] = read_name(&r);
    }
    return r.at == r.end;
}

/* Length up to the next comma outside brackets. */
static size_t operand_length(const char *text) {
    unsigned depth = 0;
    size_t length = 0;
    for (; text[length] != '\0' && (text[length] != ',' || depth > 0); length++) {
        if (text[length] == '(')
            depth++;
        else if (text[length] == ')' && depth > 0)
            depth--;
    }
    return length;
}

bool smp_sass_parse(const smp_instruction *instruction, sass_instruction *out) {
    if (!smp_sass_parse_opcode(instruction->opcode, out))
        return false;
    for (const char *text = instruction->operands + strspn(instruction->operands, " ,");
         *text != '\0'; text += strspn(text, " ,")) {
        const size_t length = operand_length(text);
        size_t used = length;
        while (used > 0 && text[used - 1] == ' ')
            used--;
        if (out->operand_count == SASS_WORDS_MAX)
            return false;
        smp_sass_parse_operand(text, used, &out->operands[out->operand_count++]);
        text += length;
    }
    return true;
}
