/* SPDX-License-Identifier: MIT */
/*
 * What the parts of the parser give each other. Internal to the second stage.
 */
#pragma once

#include "syntax.h"

/* ---- Tokens ---- */

void ct_take(ct_parser *p);
/* The token `ahead` behind the current one, or END. */
const ct_token *ct_peek(const ct_parser *p, unsigned ahead);
bool ct_is(const ct_parser *p, uint32_t punct);
bool ct_is_word(const ct_parser *p, const char *word);
/* Takes the token if it is that one. */
bool ct_accept(ct_parser *p, uint32_t punct);
bool ct_accept_word(ct_parser *p, const char *word);
/* Takes it, or fails with "expected 'what'". */
bool ct_expect(ct_parser *p, uint32_t punct);
/* True at ';', at the end of the line or text, and at '}'. */
bool ct_at_end(const ct_parser *p);
/* Fails unless the statement ends here; a final ';' is taken. */
bool ct_expect_end(ct_parser *p);

/* Takes a name, or fails with that message; NULL: "expected a name". */
bool ct_expect_name(ct_parser *p, const char *otherwise);
/* Takes const, volatile and __restrict__; true if const was among them. */
bool ct_skip_qualifiers(ct_parser *p);

/* Takes "a::b::". */
void ct_skip_scope(ct_parser *p);

/* ---- Faults and nodes ---- */

/* The first fault sticks: nothing is taken behind it. Always false. */
bool ct_fail_at(ct_parser *p, smp_status status, size_t position, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* The same of a text that is wrong, at a place of it or at the current token. */
#define ct_refuse_at(p, ...) ct_fail_at(p, SMP_E_SYNTAX, __VA_ARGS__)
/* Behind what a message names. */
#define CT_COMPILER_KNOWS \
    " are known to the compiler only: 'smemprobe FILE.cu' with nvcc, or 'emulate', answers"
#define ct_refuse_here(p, ...) ct_refuse_at(p, (p)->token->position, __VA_ARGS__)
bool ct_fail_expected(ct_parser *p, const char *what);
/* The same as a node; the latest fault as one, once. */
ct_node *ct_fault_node(ct_parser *p);
/* A node about the current token; one that begins at `first`. */
ct_node *ct_node_new(ct_parser *p, ct_node_kind kind);
ct_node *ct_node_from(ct_parser *p, ct_node_kind kind, uint32_t first);
/* The same about the current token, which is taken. */
ct_node *ct_node_taken(ct_parser *p, ct_node_kind kind);
/* Appends a child. */
void ct_add(ct_node *parent, ct_node *child);
/* The node ends before the current token. */
ct_node *ct_close(ct_parser *p, ct_node *node);
/* The same of a statement, whose end is expected: a fault there is its last child. */
ct_node *ct_close_statement(ct_parser *p, ct_node *node);
/* A node about the current token, which is taken, with what stands before it as its first child. */
ct_node *ct_node_behind(ct_parser *p, ct_node_kind kind, ct_node *left);
/* Memory that lives as long as the unit; NULL: none. */
void *ct_unit_take(ct_unit *unit, size_t size);

/* ---- Names ---- */

const ct_known_name *ct_known_find(const ct_known *known, const ct_token *name);

/* ---- Parts ---- */

/* An expression with commas; without; what goes on behind a condition's parenthesis. */
ct_node *ct_parse_expression(ct_parser *p);
ct_node *ct_parse_assignment(ct_parser *p);
ct_node *ct_parse_operators(ct_parser *p, ct_node *left);
/* Parts up to the bracket, which is taken; lists in braces where they may be nested. */
void ct_parse_parts(ct_parser *p, ct_node *into, uint32_t close, bool nests);
/* True if a type begins here. */
bool ct_type_starts(const ct_parser *p);
/* A type of one or more words, with qualifiers before and behind it. */
ct_node *ct_parse_type(ct_parser *p);
/* "<4, float>" */
ct_node *ct_parse_given(ct_parser *p);
ct_node *ct_parse_cast_type(ct_parser *p);
void ct_parse_dims(ct_parser *p, ct_node *into);
void ct_parse_aligns(ct_parser *p, ct_node *into);
bool ct_struct_starts(const ct_parser *p);
/* True if the text has a struct or another name of one so called, understood or not. */
bool ct_text_has_type(const ct_token *tokens, const ct_token *name);
ct_node *ct_parse_struct(ct_parser *p);
/* Parameters between "template <" and '>'; names of them are known from there on. */
void ct_parse_template(ct_parser *p, ct_node *into);

/* "*p", "(*rows)[33]", "&x", "a[4][2]": what stands behind a type, up to its dimensions; its name
 * is known from here on. */
void ct_parse_declared(ct_parser *p, ct_node *d, bool needs_name);
/* One parameter with its default. */
ct_node *ct_parse_parameter(ct_parser *p);
ct_node *ct_parse_variables(ct_parser *p);
/* "let k = ...", behind the word. */
ct_node *ct_parse_let(ct_parser *p);
/* In global memory, unless the flag CT_IS_SHARED is added. */
ct_node *ct_parse_arrays(ct_parser *p);

/* syntax_find.c: a word in front of a function's type. */
bool ct_function_qualifies(const ct_token *token);
/* Passes over a function that is defined or declared outside of everything. */
bool ct_skip_function(ct_parser *p);

/* A statement that a keyword begins; NULL: there is none. */
ct_node *ct_parse_layout_word(ct_parser *p);
bool ct_access_starts(const ct_parser *p);
ct_node *ct_parse_access(ct_parser *p);
ct_node *ct_parse_expect(ct_parser *p);
/* What follows "for" in the layout language. */
#define CT_RANGE_WANTED "a loop around all accesses is written j=0:32:8"
ct_node *ct_parse_range(ct_parser *p);
ct_node *ct_parse_range_end(ct_parser *p);
