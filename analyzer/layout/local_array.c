/* SPDX-License-Identifier: MIT */
/*
 * Arrays of a thread's own whose elements decide addresses: "const int o[4] = {0, 8, 16, 24};".
 * Each element is in a slot. Only those are followed that get their values where they are declared
 * and that nothing can change: every mention is an element that is read.
 */
#include <string.h>

#include "layout.h"

enum { ELEMENTS_MAX = 64 };

uint32_t smp_list_count(const smp_token *tokens, uint32_t at) {
    unsigned depth = 0;
    uint32_t count = 0;
    for (; tokens[at].kind != SMP_TOKEN_END; at++) {
        const uint32_t code = tokens[at].kind == SMP_TOKEN_PUNCT ? tokens[at].code : 0;
        const bool opens = code == '{' || code == '(' || code == '[';
        const bool closes = code == '}' || code == ')' || code == ']';
        if (closes && --depth == 0)
            break;
        /* The first token of an element. */
        const uint32_t before = at > 0 && depth == 1 ? tokens[at - 1].code : 0;
        const bool is_first = depth == 1 && tokens[at - 1].kind == SMP_TOKEN_PUNCT &&
                              (before == '{' || before == ',');
        count += is_first;
        depth += opens;
    }
    return count;
}

/* ---- Mentions ------------------------------------------------------------------------------- */

static bool is_same(const smp_token *a, const smp_token *b) {
    return a->kind == SMP_TOKEN_NAME && a->length == b->length &&
           memcmp(a->text, b->text, a->length) == 0;
}

/* Behind the brackets that begin at `at`, or `at`. */
static uint32_t behind_index(const smp_token *tokens, uint32_t at) {
    unsigned depth = 0;
    for (; tokens[at].kind != SMP_TOKEN_END; at++) {
        depth += smp_token_is_punct(&tokens[at], '[');
        depth -= smp_token_is_punct(&tokens[at], ']') && depth > 0;
        if (depth == 0)
            return at + smp_token_is_punct(&tokens[at], ']');
    }
    return at;
}

static bool is_operand_end(const smp_token *token) {
    return token->kind == SMP_TOKEN_NAME || token->kind == SMP_TOKEN_NUMBER ||
           smp_token_is_punct(token, ')') || smp_token_is_punct(token, ']');
}

/* True if the mention at `at` can do nothing but read an element. */
static bool only_reads(const smp_token *tokens, uint32_t at) {
    const uint32_t behind = behind_index(tokens, at + 1);
    const smp_token *before = &tokens[at - 1], *next = &tokens[behind];
    const uint32_t first = at - 1 - smp_token_is_punct(before, '(');
    if (smp_token_is(&tokens[first], "sizeof")) /* nothing is read, but its size */
        return true;
    if (behind == at + 1 || smp_token_is_punct(next, '[') || smp_token_is_punct(next, '.') ||
        smp_token_sets(next))
        return false;
    const bool steps = smp_token_is_punct(before, SMP_PUNCT2('+', '+')) ||
                       smp_token_is_punct(before, SMP_PUNCT2('-', '-'));
    const bool is_address = smp_token_is_punct(before, '&') && !is_operand_end(&tokens[at - 2]);
    const bool is_reference =
        smp_token_is_punct(before, '=') && smp_token_is_punct(&tokens[at - 3], '&');
    /* "f(o[1])" may take it by reference. */
    const bool is_condition = smp_token_is(&tokens[at - 2], "if") ||
                              smp_token_is(&tokens[at - 2], "while") ||
                              smp_token_is(&tokens[at - 2], "switch");
    const bool is_argument = !is_condition &&
                             (smp_token_is_punct(before, '(') || smp_token_is_punct(before, ',')) &&
                             (smp_token_is_punct(next, ')') || smp_token_is_punct(next, ','));
    return !steps && !is_address && !is_reference && !is_argument;
}

/* True if the host may set what is declared here. */
static bool is_of_the_host(const smp_token *tokens, uint32_t at) {
    for (; at > 0 && !smp_token_is_punct(&tokens[at], ';') &&
           !smp_token_is_punct(&tokens[at], '}') && !smp_token_is_punct(&tokens[at], '{');
         at--) {
        if (smp_token_is(&tokens[at], "__constant__"))
            return true;
    }
    return smp_token_is(&tokens[at], "__constant__");
}

bool smp_local_array_is_followed(const smp_parser *parser, const smp_token *name, smp_shape shape) {
    const smp_token *tokens = parser->tokens;
    uint32_t at = parser->at + smp_parser_is(parser, '=');
    if (shape.dim_count != 1 || !smp_type_is_integer(shape.type) || shape.dims[0] > ELEMENTS_MAX ||
        !smp_token_is_punct(&tokens[at], '{') || smp_list_count(tokens, at) > shape.dims[0])
        return false;
    for (uint32_t i = at + 1; !smp_token_is_punct(&tokens[i], '}'); i++) {
        if (tokens[i].kind == SMP_TOKEN_END || smp_token_is_punct(&tokens[i], '{'))
            return false;
    }
    unsigned depth = 1;
    if (is_of_the_host(tokens, parser->at - 1))
        return false;
    for (; tokens[at].kind != SMP_TOKEN_END && depth > 0; at++) {
        depth += smp_token_is_punct(&tokens[at], '{');
        depth -= smp_token_is_punct(&tokens[at], '}');
        if (is_same(&tokens[at], name) && !only_reads(tokens, at))
            return false;
    }
    return true;
}

/* ---- Elements ------------------------------------------------------------------------------- */

/* One element: a value, or none. */
static bool set_element(smp_parser *parser, smp_symbol *element, bool is_given, size_t position) {
    smp_program program;
    smp_operand value = {.form = SMP_FORM_VALUE, .kind = SMP_I32, .position = position};
    smp_program_begin(parser, &program);
    if (!(is_given ? smp_expr_value(parser, &value) : smp_emit_constant(parser, 0, position)) ||
        !smp_operand_set(parser, element, &value, position))
        return false;
    smp_program_end(parser, element->kind, &program);
    return smp_program_add(parser, &program);
}

bool smp_local_array_declare(smp_parser *parser, smp_symbol *symbol, size_t position) {
    const uint32_t count = symbol->shape.dims[0];
    uint16_t slot;
    symbol->meaning = SMP_MEANS_LOCAL;
    symbol->value = count;
    for (uint32_t i = 0; i < count; i++) {
        if (!smp_slot_new(parser, position, i == 0 ? &symbol->slot : &slot))
            return false;
    }
    smp_parser_accept(parser, '=');
    smp_parser_next(parser);
    for (uint32_t i = 0; i < count; i++) {
        smp_symbol element = {.name = symbol->name,
                              .length = symbol->length,
                              .meaning = SMP_MEANS_INTEGER,
                              .kind = smp_type_kind(symbol->shape.type),
                              .slot = (uint16_t)(symbol->slot + i),
                              .shape = {.type = symbol->shape.type}};
        const bool is_given = !smp_parser_is(parser, '}');
        if (!set_element(parser, &element, is_given, position))
            return false;
        symbol->varies |= element.varies;
        if (is_given && !smp_parser_accept(parser, ',') && !smp_parser_is(parser, '}'))
            return smp_parser_expect(parser, '}');
    }
    return smp_parser_expect(parser, '}') && smp_symbol_add(parser, symbol, position) != NULL;
}

bool smp_local_array_index(smp_parser *parser, smp_operand *p, smp_kind kind, size_t position) {
    const smp_symbol *array = p->symbol;
    const smp_expr_instruction element = {
        .op = SMP_CODE_ELEMENT, .kind = (uint8_t)kind, .slot = array->slot, .limit = array->value};
    for (unsigned i = 0; i < (unsigned)array->value; i++)
        smp_slots_add(&parser->reads, array->slot + i);
    parser->is_varying |= array->varies;
    *p = (smp_operand){.form = SMP_FORM_VALUE,
                       .kind = smp_type_kind(array->shape.type),
                       .type = array->shape.type,
                       .position = p->position};
    return smp_emit(parser, element, position, 2);
}
