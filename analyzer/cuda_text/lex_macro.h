/* SPDX-License-Identifier: MIT */
/*
 * Texts that tokens are read from, and macros, which are replaced on the way. Internal to the
 * first stage.
 */
#pragma once

#include "lex.h"

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
