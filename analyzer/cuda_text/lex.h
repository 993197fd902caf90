/* SPDX-License-Identifier: MIT */
/*
 * The first stage: from text to tokens. Comments, line continuations, #include, #if and macros are
 * resolved here, so that nothing behind it looks at characters. What is wrong becomes a token that
 * says so; the next stage refuses it when it gets there.
 */
#pragma once

#include "code.h"
#include "smp_model.h"

enum { CT_MACROS_MAX = 128, CT_MACRO_PARAMETERS_MAX = 12 };

/* ---- Tokens ---- */

typedef enum ct_token_kind {
    CT_TOKEN_END,
    CT_TOKEN_NUMBER,
    CT_TOKEN_FLOAT,
    CT_TOKEN_STRING,
    CT_TOKEN_NAME,
    CT_TOKEN_PUNCT, /* code: its characters, first one in the low byte */
    CT_TOKEN_BAD,   /* message: why, or NULL */
} ct_token_kind;

typedef struct ct_token {
    ct_token_kind kind;
    uint32_t code;
    union {
        struct {
            const char *text; /* of a macro: where its replacement stands */
            size_t length;
        };
        ct_word word;
    };
    size_t position, end; /* in the text that is read, of a macro: of its use */
    uint64_t value;       /* of a number */
    ct_kind number_kind;  /* by C's rules for literals */
    const char *message;  /* static */
    bool starts_line;     /* the first one of a line, outside of brackets */
    bool is_expanded;     /* from a macro that is more than one token */
} ct_token;

#define CT_PUNCT1(a) ((uint32_t)(a))
#define CT_PUNCT2(a, b) ((uint32_t)(a) | (uint32_t)(b) << 8)

/* The text of a token, for messages: "%.*s". */
#define CT_TOKEN_TEXT(token) (int)((token).length < 40 ? (token).length : 40), (token).text

/* The token at or after `position` of a text; position and end are relative to it. A line's end and
 * a comment are none of its business. */
ct_token ct_token_read(const char *text, size_t length, size_t position);
bool ct_token_is(const ct_token *token, const char *name);
/* True of one of these words, which blanks part. */
bool ct_token_is_any(const ct_token *token, const char *words);
bool ct_token_is_punct(const ct_token *token, uint32_t code);
/* True of one of these marks, each of one character. */
bool ct_token_is_one_of(const ct_token *token, const char *marks);
/* The word that the token is most like; NULL: it is like none. */
const char *ct_token_suggest(const ct_token *token, const char *const *words, size_t count);
/* True if both are the same name. */
bool ct_token_same(const ct_token *a, const ct_token *b);
/* An operator between two operands, but for "," and the assignments. */
typedef struct ct_operator {
    uint32_t code;
    uint8_t power; /* binds stronger than all smaller ones */
    uint8_t op;    /* ct_code_op: what it computes */
} ct_operator;
enum { CT_POWER_CHOICE = 1, CT_POWER_OR, CT_POWER_AND };
/* NULL: it is none. */
const ct_operator *ct_operator_find(const ct_token *token);
/* What the operator at a token computes; of "+=", what "+" does; of "=", CT_CODE_CONST. */
ct_code_op ct_operator_op(const ct_token *token);
/* True of ++ and --. */
bool ct_token_steps(const ct_token *token);
/* True of "=" and its like. */
bool ct_token_assigns(const ct_token *token);
/* True of an operator that gives the operand before it a value. */
bool ct_token_sets(const ct_token *token);
/* Tokens of "std::", "a::b::" from `at` on. */
uint32_t ct_scope_length(const ct_token *tokens, uint32_t at);
/* The token behind the bracket that closes the one at `at`; END if there is none. */
uint32_t ct_behind_bracket(const ct_token *tokens, uint32_t at, char open, char close);
/* The same where a '(', '[' or '{' of `marks` stands at `at`; else the next token. */
uint32_t ct_behind_any(const ct_token *tokens, uint32_t at, const char *marks);

/* ---- Sources ---- */

/* "#define NAME(parameters) body"; texts are the caller's. */
typedef struct ct_macro {
    ct_word name, body;
    bool is_function;
    const char *problem; /* why it can't be used, or NULL; static */
    uint32_t parameter_count;
    ct_word parameter[CT_MACRO_PARAMETERS_MAX];
} ct_macro;

/* What a name is that is declared outside of the preprocessor. */
typedef enum ct_outside { CT_IS_NOTHING, CT_IS_NAME, CT_IS_ARRAY, CT_IS_VALUE } ct_outside;
typedef ct_outside (*ct_outside_fn)(const void *user, ct_word name, int64_t *value);

/* What is kept from text to text: macros, and texts that were made. */
typedef struct ct_source {
    ct_outside_fn outside; /* set by who makes it */
    const void *user;
    struct ct_kept_text *kept; /* owned */
    uint32_t macro_count;
    ct_macro macros[CT_MACROS_MAX]; /* of no value from the count on */
} ct_source;

void ct_source_init(ct_source *source, ct_outside_fn outside, const void *user);
void ct_source_clear(ct_source *source);
/* A copy of a text that lives as long as the source; NULL: no memory. */
const char *ct_source_keep(ct_source *source, const char *text, size_t length);
/* All tokens of a text, with an END behind them; NULL: no memory. The caller frees. */
ct_token *ct_source_read(ct_source *source, const char *text, size_t length);

/* ---- lex_macro.c ---- */

enum { CT_CONDITIONS_MAX = 32 };

/* What a macro's parameters stand for, and in which surroundings. */
typedef struct ct_surroundings {
    const ct_macro *macro;
    ct_word argument[CT_MACRO_PARAMETERS_MAX];
    const struct ct_surroundings *of_arguments;
    const struct ct_surroundings *outer; /* macros that are being replaced */
} ct_surroundings;

typedef struct ct_token_source {
    const char *text;
    size_t length, at;
    const ct_surroundings *in; /* NULL: the text itself */
    size_t position, end;      /* of a macro's use */
    bool is_longer;            /* a macro of more than one token */
    bool is_body;              /* of a macro with parameters: # and ## are operators */
    unsigned depth;
} ct_token_source;

/* One #if: whether a branch was taken, and whether this one is. */
typedef struct ct_if_state {
    bool was_taken, is_taken, had_else;
} ct_if_state;

typedef struct ct_token_stream {
    ct_source *source;
    ct_token *tokens;
    uint32_t count;
    bool is_short_of_memory, starts_line, is_full;
    unsigned brackets, condition_count;
    ct_if_state conditions[CT_CONDITIONS_MAX];
} ct_token_stream;

/* Appends a token; one that says what is wrong at a place of the source, of a macro or header at
 * its use. */
void ct_token_put(ct_token_stream *s, ct_token token);
void ct_token_put_error(ct_token_stream *s, const ct_token_source *from, size_t position,
                        const char *message);
bool ct_is_newline(const ct_token_source *from, size_t at);
/* Behind blanks and comments. Newlines are passed over only inside of macros' arguments, where
 * `crosses` is set. False at a comment that does not end. */
bool ct_skip_blanks(ct_token_source *from, bool crosses);
/* The macro of that name, or NULL. */
const ct_macro *ct_macro_find(const ct_source *source, const ct_token *token);
/* Appends what the token stands for. */
bool ct_token_expand(ct_token_stream *s, ct_token_source *from, ct_token token);
