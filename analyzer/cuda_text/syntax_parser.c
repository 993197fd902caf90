/* SPDX-License-Identifier: MIT */
/* The parser's basics: tokens, nodes, faults, and the memory of a text. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "syntax_parser.h"

/* ---- A text ---- */

enum { BLOCK_BYTES = 64 * 1024 - 64 };

typedef struct ct_block {
    struct ct_block *next;
    size_t used, size;
    _Alignas(16) char bytes[];
} ct_block;

bool ct_unit_init(ct_unit *unit, ct_source *source, ct_known *known, const char *text,
                  size_t length, unsigned line) {
    *unit = (ct_unit){.text = text, .length = length, .line_number = line, .known = known};
    unit->tokens = ct_source_read(source, text, length);
    return unit->tokens;
}

void ct_unit_clear(ct_unit *unit) {
    for (ct_block *at = unit->blocks, *next; at; at = next) {
        next = at->next;
        free(at);
    }
    free((void *)(uintptr_t)unit->tokens);
}

void *ct_unit_take(ct_unit *unit, size_t size) {
    size = (size + 15) & ~(size_t)15;
    if (!unit->blocks || unit->blocks->size - unit->blocks->used < size) {
        const size_t room = size > BLOCK_BYTES ? size : BLOCK_BYTES;
        ct_block *block = malloc(sizeof *block + room);
        if (!block)
            return NULL;
        *block = (ct_block){.next = unit->blocks, .size = room};
        unit->blocks = block;
    }
    void *taken = unit->blocks->bytes + unit->blocks->used;
    unit->blocks->used += size;
    return memset(taken, 0, size);
}

unsigned ct_unit_line(ct_unit *unit, size_t position, int32_t *column) {
    if (position > unit->length)
        position = unit->length;
    while (unit->line_start > position) { /* to the line before */
        unit->line_number--;
        do
            unit->line_start--;
        while (unit->line_start > 0 && unit->text[unit->line_start - 1] != '\n');
        unit->line_position = unit->line_start;
    }
    for (; unit->line_position < position; unit->line_position++) {
        if (unit->text[unit->line_position] != '\n')
            continue;
        unit->line_number++;
        unit->line_start = unit->line_position + 1;
    }
    if (column)
        *column = (int32_t)(position - unit->line_start);
    return unit->line_number;
}

/* ---- Names ---- */

void ct_known_add(ct_known *known, const ct_token *name, bool is_type) {
    if (name->kind == CT_TOKEN_NAME && known->count < CT_KNOWN_MAX)
        known->names[known->count++] = (ct_known_name){name->word, is_type};
}

const ct_known_name *ct_known_find(const ct_known *known, const ct_token *name) {
    for (uint32_t i = known->count; i-- > 0;)
        if (ct_word_is(known->names[i].name, name->word))
            return &known->names[i];
    return NULL;
}

/* ---- Faults ---- */

bool ct_fail_at(ct_parser *p, smp_status status, size_t position, const char *format, ...) {
    static const ct_fault no_memory = {.status = SMP_E_MEMORY};
    if (p->fault)
        return false;
    char message[sizeof((smp_error *)0)->message];
    va_list arguments;
    va_start(arguments, format);
    const int length = vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    const size_t size = (size_t)length < sizeof message ? (size_t)length : sizeof message - 1;
    ct_fault *fault = ct_unit_take(p->unit, sizeof *fault + size + 1);
    if (fault) {
        *fault = (ct_fault){.status = status, .position = position};
        memcpy(fault->message, message, size + 1);
    }
    p->fault = fault ? fault : &no_memory;
    p->is_placed = false;
    p->stop = (ct_token){.position = p->tokens[p->at].position, .text = p->unit->text};
    p->token = &p->stop;
    return false;
}

/* Turns a bad token into a fault. */
static void refuse(ct_parser *p) {
    const ct_token *token = p->token;
    unsigned char c = token->length > 0 ? (unsigned char)token->text[0] : 0;
    if (token->message)
        ct_fail_at(p, strstr(token->message, "64 bits") ? SMP_E_OVERFLOW : SMP_E_SYNTAX,
                   token->position, token->message, CT_TOKEN_TEXT(*token), CT_TOKEN_TEXT(*token));
    else if (c >= '0' && c <= '9')
        ct_refuse_at(p, token->position, "'%.*s' is not an integer", CT_TOKEN_TEXT(*token));
    else if (c < 32 || c > 126)
        ct_refuse_at(p, token->position, "byte 0x%02x does not belong here", c);
    else
        ct_refuse_at(p, token->position, "'%c' does not belong here", c);
}

bool ct_fail_expected(ct_parser *p, const char *what) {
    const ct_token *token = p->token;
    const bool is_below =
        token->position > p->last_end &&
        ct_unit_line(p->unit, token->position, NULL) != ct_unit_line(p->unit, p->last_end, NULL);
    if (token->kind == CT_TOKEN_END)
        return ct_fail_at(p, SMP_E_SYNTAX, p->last_end > 0 ? p->last_end : token->position,
                          "expected %s, but the text ends here", what);
    if (is_below)
        return ct_refuse_at(p, p->last_end, "expected %s, but the line ends here", what);
    return ct_refuse_at(p, token->position, "expected %s instead of '%.*s'", what,
                        CT_TOKEN_TEXT(*token));
}

/* ---- Tokens ---- */

void ct_parser_init(ct_parser *p, ct_unit *unit, ct_known *known, uint32_t at) {
    *p = (ct_parser){.unit = unit, .known = known, .tokens = unit->tokens, .is_outside = true};
    ct_go_to(p, at);
}

void ct_go_to(ct_parser *p, uint32_t at) {
    p->at = at;
    if (p->fault)
        return;
    p->token = &p->tokens[at];
    p->last_end = at > 0 ? p->tokens[at - 1].end : 0;
    if (p->token->kind == CT_TOKEN_BAD)
        refuse(p);
}

void ct_take(ct_parser *p) {
    if (p->token->kind != CT_TOKEN_END)
        ct_go_to(p, p->at + 1);
}

const ct_token *ct_peek(const ct_parser *p, unsigned ahead) {
    const ct_token *token = &p->tokens[p->at];
    while (ahead-- > 0 && token->kind != CT_TOKEN_END)
        token++;
    return token;
}

bool ct_is(const ct_parser *p, uint32_t punct) {
    return p->token->code == punct;
}

bool ct_accept(ct_parser *p, uint32_t punct) {
    if (!ct_is(p, punct))
        return false;
    ct_take(p);
    return true;
}

bool ct_accept_word(ct_parser *p, const char *word) {
    if (!ct_token_is(p->token, word))
        return false;
    ct_take(p);
    return true;
}

bool ct_expect(ct_parser *p, uint32_t punct) {
    if (ct_accept(p, punct))
        return !p->fault;
    char what[8];
    (void)snprintf(what, sizeof what, "'%c%.1s'", (char)(punct & 0xff),
                   (char[]){(char)(punct >> 8), 0});
    return ct_fail_expected(p, what);
}

const ct_token *ct_expect_name(ct_parser *p, const char *otherwise) {
    const ct_token *name = p->token;
    if (name->kind == CT_TOKEN_NAME)
        ct_take(p);
    else
        ct_refuse_here(p, "%s", otherwise ? otherwise : "expected a name");
    return name;
}

bool ct_at_end(const ct_parser *p) {
    return p->token->kind == CT_TOKEN_END || p->token->starts_line || ct_is(p, ';') ||
           ct_is(p, '}');
}

bool ct_expect_end(ct_parser *p) {
    if (!p->fault && p->token->starts_line)
        return true;
    if (ct_accept(p, ';') || ct_at_end(p))
        return !p->fault;
    return ct_fail_expected(p, "an operator or the end of the line");
}

/* ---- Nodes ---- */

ct_node *ct_node_from(ct_parser *p, ct_node_kind kind, uint32_t first) {
    ct_node *node = ct_unit_take(p->unit, sizeof *node);
    if (!node) {
        ct_fail_at(p, SMP_E_MEMORY, 0, "%s", "");
        node = &p->spare;
    }
    *node = (ct_node){.kind = (uint8_t)kind, .at = p->at, .first = first, .end = p->at};
    return node;
}

ct_node *ct_node_new(ct_parser *p, ct_node_kind kind) {
    return ct_node_from(p, kind, p->at);
}

ct_node *ct_node_taken(ct_parser *p, ct_node_kind kind) {
    ct_node *node = ct_node_new(p, kind);
    ct_take(p);
    return node;
}

void ct_add(ct_node *parent, ct_node *child) {
    if (parent == child)
        return; /* both are the spare node: out of memory */
    if (parent->last)
        parent->last->next = child;
    else
        parent->child = child;
    parent->last = child;
}

ct_node *ct_close(ct_parser *p, ct_node *node) {
    node->end = p->at;
    return node;
}

ct_node *ct_fault_node(ct_parser *p) {
    ct_node *node = ct_node_new(p, CT_N_FAULT);
    node->fault = p->fault;
    p->is_placed = true;
    return node;
}

ct_node *ct_close_statement(ct_parser *p, ct_node *node) {
    ct_close(p, node);
    if (!p->fault && !ct_expect_end(p))
        ct_add(node, ct_fault_node(p));
    return node;
}

ct_node *ct_node_behind(ct_parser *p, ct_node_kind kind, ct_node *left) {
    ct_node *node = ct_node_from(p, kind, left->first);
    ct_add(node, left);
    ct_take(p);
    return node;
}
