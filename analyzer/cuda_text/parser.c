/* SPDX-License-Identifier: MIT */
/*
 * The parser's face: what the next token is, taking it, and where a position is.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "layout.h"

unsigned ct_parser_line(ct_parser *parser, size_t position, int32_t *column) {
    if (position > parser->length)
        position = parser->length;
    if (position < parser->line_position) {
        parser->line_position = parser->line_start = 0;
        parser->line_number = parser->line;
    }
    for (; parser->line_position < position; parser->line_position++) {
        if (parser->text[parser->line_position] != '\n')
            continue;
        parser->line_number++;
        parser->line_start = parser->line_position + 1;
    }
    *column = (int32_t)(position - parser->line_start);
    return parser->line_number;
}

/* " (types.h, line 3)" where the current token stands in a header. */
static void add_header(const ct_parser *parser, char *message, size_t size) {
    const uintptr_t at = (uintptr_t)parser->token.text;
    const size_t length = strlen(message);
    for (const ct_header *header = parser->layout->source.headers; header; header = header->next) {
        const uintptr_t begin = (uintptr_t)header->text;
        unsigned line = 1;
        if (at < begin || at >= begin + header->length)
            continue;
        for (size_t i = 0; i < at - begin; i++)
            line += header->text[i] == '\n';
        (void)snprintf(message + length, size - length, " (%.80s, line %u)", header->name, line);
        return;
    }
}

bool ct_parser_fail(ct_parser *parser, smp_status status, size_t position, const char *format,
                    ...) {
    if (parser->status != SMP_OK)
        return false;
    char message[sizeof parser->error->message];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    add_header(parser, message, sizeof message);
    int32_t column;
    parser->error_line = ct_parser_line(parser, position, &column);
    parser->status = smp_error_set(parser->error, status, column, "%s", message);
    return false;
}

/* Turns a token that cannot be read into the error that says so. */
static void refuse(ct_parser *parser) {
    const ct_token *token = &parser->token;
    unsigned char c = token->length > 0 ? (unsigned char)token->text[0] : 0;
    if (token->message)
        ct_parser_fail(parser, strstr(token->message, "64 bits") ? SMP_E_OVERFLOW : SMP_E_SYNTAX,
                       token->position, "%s", token->message);
    else if (c >= '0' && c <= '9')
        ct_parser_fail(parser, SMP_E_SYNTAX, token->position, "'%.*s' is not an integer",
                       CT_TOKEN_TEXT(*token));
    else if (c < 32 || c > 126)
        ct_parser_fail(parser, SMP_E_SYNTAX, token->position, "byte 0x%02x does not belong here",
                       c);
    else
        ct_parser_fail(parser, SMP_E_SYNTAX, token->position, "'%c' does not belong here", c);
}

void ct_parser_return(ct_parser *parser, uint32_t at) {
    parser->at = at;
    parser->token = parser->tokens[at];
    parser->last_end = at > 0 ? parser->tokens[at - 1].end : 0;
    if (parser->token.kind == CT_TOKEN_BAD)
        refuse(parser);
    if (parser->status != SMP_OK)
        parser->token = (ct_token){.position = parser->token.position, .text = parser->text};
}

void ct_parser_next(ct_parser *parser) {
    if (parser->token.kind == CT_TOKEN_END)
        return;
    parser->is_expanded |= parser->token.is_expanded;
    ct_parser_return(parser, parser->at + 1);
}

bool ct_parser_init(ct_parser *parser, struct smp_layout *layout, const char *text, size_t length,
                    unsigned line, smp_error *error) {
    *parser = (ct_parser){.text = text,
                          .length = length,
                          .line = line,
                          .line_number = line,
                          .error_line = line,
                          .layout = layout,
                          .code = &layout->kernel.code,
                          .error = error};
    parser->tokens = ct_source_read(&layout->source, text, length);
    if (!parser->tokens) {
        parser->status = smp_error_memory(error);
        return false;
    }
    ct_parser_return(parser, 0);
    return parser->status == SMP_OK;
}

void ct_parser_clear(ct_parser *parser) {
    free((void *)(uintptr_t)parser->tokens);
    parser->tokens = NULL;
}

ct_token ct_parser_peek(const ct_parser *parser, unsigned ahead) {
    const ct_token *token = &parser->tokens[parser->at];
    while (ahead-- > 0 && token->kind != CT_TOKEN_END)
        token++;
    return *token;
}

bool ct_parser_is(const ct_parser *parser, uint32_t punct) {
    return parser->token.kind == CT_TOKEN_PUNCT && parser->token.code == punct;
}

bool ct_parser_is_name(const ct_parser *parser, const char *name) {
    return ct_token_is(&parser->token, name);
}

bool ct_parser_accept(ct_parser *parser, uint32_t punct) {
    if (!ct_parser_is(parser, punct))
        return false;
    ct_parser_next(parser);
    return true;
}

bool ct_parser_accept_name(ct_parser *parser, const char *name) {
    if (!ct_parser_is_name(parser, name))
        return false;
    ct_parser_next(parser);
    return true;
}

bool ct_parser_fail_expected(ct_parser *parser, const char *what) {
    const ct_token *token = &parser->token;
    int32_t column;
    bool is_below =
        token->position > parser->last_end && ct_parser_line(parser, token->position, &column) !=
                                                  ct_parser_line(parser, parser->last_end, &column);
    if (token->kind == CT_TOKEN_END)
        return ct_parser_fail(parser, SMP_E_SYNTAX,
                              parser->last_end > 0 ? parser->last_end : token->position,
                              "expected %s, but the text ends here", what);
    if (is_below)
        return ct_parser_fail(parser, SMP_E_SYNTAX, parser->last_end,
                              "expected %s, but the line ends here", what);
    return ct_parser_fail(parser, SMP_E_SYNTAX, token->position, "expected %s instead of '%.*s'",
                          what, CT_TOKEN_TEXT(*token));
}

bool ct_parser_expect(ct_parser *parser, uint32_t punct) {
    if (ct_parser_accept(parser, punct))
        return parser->status == SMP_OK;
    char what[8];
    snprintf(what, sizeof what, "'%c%.1s'", (char)(punct & 0xff), (char[]){(char)(punct >> 8), 0});
    return ct_parser_fail_expected(parser, what);
}

bool ct_parser_at_end(const ct_parser *parser) {
    return parser->token.kind == CT_TOKEN_END || parser->token.starts_line ||
           ct_parser_is(parser, ';') || ct_parser_is(parser, '}');
}

bool ct_parser_expect_end(ct_parser *parser) {
    if (parser->status == SMP_OK && parser->token.starts_line)
        return true;
    if (ct_parser_accept(parser, ';') || ct_parser_at_end(parser))
        return parser->status == SMP_OK;
    return ct_parser_fail_expected(parser, "an operator or the end of the line");
}
