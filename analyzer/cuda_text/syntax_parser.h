/* SPDX-License-Identifier: MIT */
/* Functions shared by the parser's files. Internal to the second stage. */
#pragma once

#include "syntax.h"

/* ---- Tokens ---- */

void ct_take(ct_parser *p);
/* The token `ahead` positions after the current one, or END. */
const ct_token *ct_peek(const ct_parser *p, unsigned ahead);
bool ct_is(const ct_parser *p, uint32_t punct);
/* Takes the token if it matches. */
bool ct_accept(ct_parser *p, uint32_t punct);
bool ct_accept_word(ct_parser *p, const char *word);
/* Takes the token or fails with "expected 'x'". */
bool ct_expect(ct_parser *p, uint32_t punct);
/* True at ';', '}' and the end of the line or text. */
bool ct_at_end(const ct_parser *p);
/* Takes a final ';'; fails unless the statement ends here. */
bool ct_expect_end(ct_parser *p);

/* Takes a name and returns it, or fails with message `otherwise`; NULL: "expected a name". */
const ct_token *ct_expect_name(ct_parser *p, const char *otherwise);
/* ---- Faults and nodes ---- */

/* Records the first fault; the parser takes no more tokens. Always false. */
bool ct_fail_at(ct_parser *p, smp_status status, size_t position, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* The same for wrong text, at a position or at the current token. */
#define ct_refuse_at(p, ...) ct_fail_at(p, SMP_E_SYNTAX, __VA_ARGS__)
#define ct_refuse_here(p, ...) ct_refuse_at(p, (p)->token->position, __VA_ARGS__)
bool ct_fail_expected(ct_parser *p, const char *what);
/* A node for the fault. */
ct_node *ct_fault_node(ct_parser *p);
/* A node at the current token; `first`: its first token. */
ct_node *ct_node_new(ct_parser *p, ct_node_kind kind);
ct_node *ct_node_from(ct_parser *p, ct_node_kind kind, uint32_t first);
/* The same; takes the token. */
ct_node *ct_node_taken(ct_parser *p, ct_node_kind kind);
void ct_add(ct_node *parent, ct_node *child);
/* Ends the node before the current token. */
ct_node *ct_close(ct_parser *p, ct_node *node);
/* The same for a statement, which must end here: a fault becomes its last child. */
ct_node *ct_close_statement(ct_parser *p, ct_node *node);
/* A node at the current token, which is taken; `left` is its first child. */
ct_node *ct_node_behind(ct_parser *p, ct_node_kind kind, ct_node *left);
/* Zeroed memory with the lifetime of the unit; NULL if there is none. */
void *ct_unit_take(ct_unit *unit, size_t size);

/* ---- Names ---- */

const ct_known_name *ct_known_find(const ct_known *known, const ct_token *name);

/* ---- Parts ---- */

/* An expression with commas; without; the rest of a condition after its parenthesis. */
ct_node *ct_parse_expression(ct_parser *p);
ct_node *ct_parse_assignment(ct_parser *p);
ct_node *ct_parse_operators(ct_parser *p, ct_node *left);
/* Parts with commas between them, up to and including the bracket `close`, each parsed by `one`. */
void ct_parse_parts(ct_parser *p, ct_node *into, uint32_t close, ct_node *(*one)(ct_parser *p));
/* An expression or "{...}", which may be nested. */
ct_node *ct_parse_nested(ct_parser *p);
/* True if a type begins here. */
bool ct_type_starts(const ct_parser *p);
/* A type with its qualifiers. */
ct_node *ct_parse_type(ct_parser *p);
/* "<4, float>" */
ct_node *ct_parse_given(ct_parser *p);
ct_node *ct_parse_cast_type(ct_parser *p);
bool ct_struct_starts(const ct_parser *p);
/* True if the text declares a type called `name`, understood or not. */
bool ct_text_has_type(const ct_token *tokens, const ct_token *name);
ct_node *ct_parse_struct(ct_parser *p);
/* The parameters of "template <...>"; adds their names. */
void ct_parse_template(ct_parser *p, ct_node *into);

/* One parameter with its default. */
ct_node *ct_parse_parameter(ct_parser *p);
ct_node *ct_parse_variables(ct_parser *p);
/* "let k = ...", after the word. */
ct_node *ct_parse_let(ct_parser *p);
/* Arrays in global memory, unless the caller adds CT_IS_SHARED. */
ct_node *ct_parse_arrays(ct_parser *p);

/* syntax_find.c: true for a word that may precede a function's type. */
bool ct_function_qualifies(const ct_token *token);
/* Skips a function declaration or definition at file scope. */
bool ct_skip_function(ct_parser *p);

/* A statement of the layout language; NULL if none comes next. */
ct_node *ct_parse_layout_word(ct_parser *p);
ct_node *ct_parse_expect(ct_parser *p);
/* "j = 0:32:8", after "for". */
ct_node *ct_parse_range(ct_parser *p);
