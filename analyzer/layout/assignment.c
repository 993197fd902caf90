/* SPDX-License-Identifier: MIT */
/*
 * Assignments as they stand in a kernel: "tile[i][j] = a[k];", "sum += tile[i][j];",
 * "float v = tile[i][j];". What they load from declared arrays becomes one load each, in the order
 * of the text, and what they store one store; everything else in them is data.
 */
#include "layout.h"

/* Takes "float v =" up to and with '='; false, and nothing is taken, if that is not there. */
static bool accept_declarator(smp_parser *parser, const smp_layout *layout) {
    smp_parser copy = *parser;
    const smp_type *type;
    copy.error = NULL;
    if (!smp_type_starts(&copy, &layout->types) || !smp_type_parse(&copy, &layout->types, &type) ||
        copy.token.kind != SMP_TOKEN_NAME)
        return false;
    smp_parser_next(&copy);
    if (!smp_parser_accept(&copy, '=') || copy.status != SMP_OK)
        return false;
    copy.error = parser->error;
    *parser = copy;
    return true;
}

static bool names_array(const smp_parser *parser, const smp_layout *layout) {
    const smp_token *token = &parser->token;
    return token->kind == SMP_TOKEN_NAME &&
           smp_array_find(layout, parser->text + token->position, token->length) >= 0;
}

/* A cast to a pointer begins: "(T *" or "reinterpret_cast". */
static bool casts_pointer(const smp_parser *parser, const smp_layout *layout) {
    smp_parser copy = *parser;
    const smp_type *type;
    copy.error = NULL;
    if (smp_parser_is_name(&copy, "reinterpret_cast"))
        return true;
    while (smp_parser_accept(&copy, '('))
        continue;
    return smp_type_starts(&copy, &layout->types) && smp_type_parse(&copy, &layout->types, &type) &&
           smp_parser_is(&copy, '*');
}

static bool object_starts(const smp_parser *parser, const smp_layout *layout) {
    if (names_array(parser, layout) || smp_parser_is_name(parser, "reinterpret_cast"))
        return true;
    smp_parser copy = *parser;
    copy.error = NULL;
    bool follows = smp_parser_accept(&copy, '*');
    bool is_open = smp_parser_is(&copy, '(');
    smp_parser inner = copy;
    while (follows && smp_parser_accept(&inner, '('))
        continue;
    return (follows && names_array(&inner, layout)) ||
           ((follows || is_open) && casts_pointer(&copy, layout));
}

static bool is_name(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/* End of the number or name at `at`. Numbers may be of floating point, which are no tokens here. */
static size_t skip_word(const smp_parser *parser, size_t at) {
    bool is_number = parser->text[at] >= '0' && parser->text[at] <= '9';
    while (at < parser->length &&
           (is_name(parser->text[at]) || (is_number && parser->text[at] == '.')))
        at++;
    return at;
}

/* True if what stands before `at` is an operand, so that a '*' there multiplies. */
static bool ends_operand(const smp_parser *parser, size_t at) {
    while (at > 0 && (parser->text[at - 1] == ' ' || parser->text[at - 1] == '\t'))
        at--;
    char c = at > 0 ? parser->text[at - 1] : '=';
    return is_name(c) || c == ')' || c == ']';
}

/* Goes to the next object at or after the current token; false if there is none. The text between
 * is data. A '*' behind an operand multiplies. */
static bool find_object(smp_parser *parser, const smp_layout *layout) {
    bool after_operand = ends_operand(parser, parser->token.position);
    for (size_t at = parser->token.position; at < parser->length;) {
        char c = parser->text[at];
        bool may_start =
            (is_name(c) && !(c >= '0' && c <= '9')) || (!after_operand && (c == '*' || c == '('));
        smp_parser copy = *parser;
        copy.error = NULL;
        if (may_start)
            smp_parser_seek(&copy, at);
        if (may_start && copy.status == SMP_OK && object_starts(&copy, layout)) {
            smp_parser_seek(parser, at);
            return true;
        }
        if (c != ' ' && c != '\t')
            after_operand = is_name(c) || c == ')' || c == ']';
        at = is_name(c) ? skip_word(parser, at) : at + 1;
    }
    return false;
}

bool smp_assignment_starts(const smp_parser *parser, const smp_layout *layout) {
    smp_parser copy = *parser;
    copy.error = NULL;
    if (object_starts(parser, layout))
        return true;
    return accept_declarator(&copy, layout) && find_object(&copy, layout);
}

/* Appends a load or store of `target`, whose text goes from `start` to the current token. */
static bool add(smp_parser *parser, smp_layout *layout, const smp_request *form,
                const smp_target *target, bool is_load, size_t end) {
    if (layout->access_count == SMP_ACCESSES_MAX)
        return smp_parser_fail(parser, SMP_E_OVERFLOW, target->position, "more than %d accesses",
                               SMP_ACCESSES_MAX);
    bool is_shared = layout->arrays[target->array].space == SMP_SPACE_SHARED;
    smp_request *request = &layout->accesses[layout->access_count];
    *request = *form;
    request->is_implied = true;
    request->target = *target;
    request->text = parser->text + target->position;
    request->length = end - target->position;
    while (request->length > 0 && request->text[request->length - 1] == ' ')
        request->length--;
    request->op = is_shared ? (is_load ? SMP_LD_SHARED : SMP_ST_SHARED)
                            : (is_load ? SMP_LD_GLOBAL : SMP_ST_GLOBAL);
    if (!smp_request_split(parser, request))
        return false;
    layout->access_count++;
    return true;
}

/* Every object of the rest of the text is loaded. */
static bool parse_values(smp_parser *parser, smp_layout *layout, const smp_request *form) {
    while (find_object(parser, layout)) {
        smp_target target;
        if (!smp_object_parse(parser, layout, &target) ||
            !add(parser, layout, form, &target, true, parser->token.position))
            return false;
    }
    return parser->status == SMP_OK;
}

/* "=", or "+=" and its like, or "++": *reads if the old value is needed. */
static bool parse_operator(smp_parser *parser, bool *reads, bool *ends) {
    *ends = false;
    *reads = false;
    if (smp_parser_accept(parser, '='))
        return true;
    *reads = true;
    uint32_t code = parser->token.kind == SMP_TOKEN_PUNCT ? parser->token.code : 0;
    smp_parser_next(parser);
    *ends = (code == '+' || code == '-') && smp_parser_accept(parser, code);
    return *ends || smp_parser_expect(parser, '=');
}

bool smp_assignment_parse(smp_parser *parser, smp_layout *layout, const smp_request *form) {
    smp_target target;
    bool reads, ends;
    if (accept_declarator(parser, layout))
        return parse_values(parser, layout, form);
    if (!smp_object_parse(parser, layout, &target))
        return false;
    size_t end = parser->token.position;
    if (!parse_operator(parser, &reads, &ends))
        return false;
    if (reads && !add(parser, layout, form, &target, true, end))
        return false;
    if (ends ? !smp_parser_expect_end(parser) : !parse_values(parser, layout, form))
        return false;
    return add(parser, layout, form, &target, false, end);
}
