/* SPDX-License-Identifier: MIT */
/*
 * The first stage: text to tokens. It resolves comments, line continuations, #include, #if and
 * macros, so later stages never look at characters. An error becomes a token with a message,
 * which the parser refuses when it reaches it.
 */
#pragma once

#include "code.h"
#include "smp_model.h"
#include "text_buffer.h" /* TEXT_CUT */

enum { CT_MACROS_MAX = 128, CT_MACRO_PARAMETERS_MAX = 12 };

/* ---- Tokens ---- */

typedef enum ct_token_kind {
    CT_TOKEN_END,
    CT_TOKEN_NUMBER,
    CT_TOKEN_FLOAT,
    CT_TOKEN_STRING,
    CT_TOKEN_NAME,
    CT_TOKEN_PUNCT,
    CT_TOKEN_BAD, /* message: the reason, or NULL */
} ct_token_kind;

typedef struct ct_token {
    ct_token_kind kind;
    uint32_t code; /* of punctuation: its characters, the first in the low byte; otherwise 0 */
    union {
        struct {
            const char *text; /* for a macro: in its replacement */
            size_t length;
        };
        ct_word word;
    };
    size_t position, end; /* in the text; for a macro: of its use */
    uint64_t value;       /* value of a number */
    ct_kind number_kind;  /* by C's rules for literals */
    const char *message;  /* static; "%.*s" stands for the token's text, up to twice */
    bool starts_line;     /* first token of a line, outside brackets */
    bool is_expanded;     /* from a macro of more than one token */
} ct_token;

#define CT_PUNCT1(a) ((uint32_t)(a))
#define CT_PUNCT2(a, b) ((uint32_t)(a) | (uint32_t)(b) << 8)

/* Text of a token for messages: "%.*s". */
#define CT_TOKEN_TEXT(token) TEXT_CUT((token).text, (token).length, 40)

/* The token at or after `position` in a text. Does not handle newlines or comments. */
ct_token ct_token_read(const char *text, size_t length, size_t position);
size_t ct_behind_blanks(const char *text, size_t length, size_t at);
/* True if the token is one of `words`, which are separated by blanks. */
bool ct_token_is(const ct_token *token, const char *words);
/* True if the token is one of the characters in `marks`. */
bool ct_token_is_one_of(const ct_token *token, const char *marks);
/* The word most similar to the token, or NULL. */
const char *ct_token_suggest(const ct_token *token, const char *const *words, size_t count);
/* True if both tokens are the same name. */
bool ct_token_same(const ct_token *a, const ct_token *b);
/* A binary operator other than "," and assignments. */
typedef struct ct_operator {
    uint32_t code;
    uint8_t power; /* precedence; larger binds tighter */
    uint8_t op;    /* ct_code_op */
} ct_operator;
enum { CT_POWER_CHOICE = 1, CT_POWER_OR, CT_POWER_AND };
/* NULL if the code is not that of an operator. */
const ct_operator *ct_operator_find(uint32_t code);
/* Operation of an operator token; "+=" gives that of "+", "=" gives CT_CODE_CONST. */
ct_code_op ct_operator_op(const ct_token *token);
/* True for ++ and --. */
bool ct_token_steps(const ct_token *token);
/* True for "=", "+=" and the like. */
bool ct_token_assigns(const ct_token *token);
/* Number of tokens in a prefix such as "std::" or "a::b::" at `at`. */
uint32_t ct_scope_length(const ct_token *tokens, uint32_t at);
/* If the token at `at` is a bracket in `marks`, the token after the one that closes it, or END if
 * there is none; otherwise the next token. */
uint32_t ct_behind(const ct_token *tokens, uint32_t at, const char *marks);

/* ---- Sources ---- */

/* Follows what a message names. */
#define CT_COMPILER_KNOWS " are not supported here: use 'smemprobe FILE.cu' with nvcc, or 'emulate'"

/* "#define NAME(parameters) body". The caller owns the texts. */
typedef struct ct_macro {
    ct_word name, body;
    bool is_function;
    const char *problem; /* static: why it cannot be used; may be NULL */
    uint32_t parameter_count;
    ct_word parameter[CT_MACRO_PARAMETERS_MAX];
} ct_macro;

/* Meaning of a name declared outside the preprocessor. */
typedef enum ct_outside { CT_IS_NOTHING, CT_IS_NAME, CT_IS_ARRAY, CT_IS_VALUE } ct_outside;
typedef ct_outside (*ct_outside_fn)(void *user, ct_word name, int64_t *value);
/* Evaluates a condition of integers; false if it has no value. */
typedef bool (*ct_condition_fn)(void *user, const ct_token *tokens, int64_t *value);

/* State kept between texts. */
typedef struct ct_source {
    ct_outside_fn outside;     /* set by the creator */
    ct_condition_fn condition; /* the same */
    void *user;
    uint32_t macro_count;
    ct_macro macros[CT_MACROS_MAX]; /* uninitialised from macro_count on */
} ct_source;

/* All tokens of a text, followed by END; NULL if out of memory. The caller frees them. */
ct_token *ct_source_read(ct_source *source, const char *text, size_t length);
