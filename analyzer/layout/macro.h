/* SPDX-License-Identifier: MIT */
/*
 * Texts that tokens are read from, and macros, which are replaced on the way. Internal to the
 * analyzer.
 */
#ifndef SMP_MACRO_H
#define SMP_MACRO_H

#include "layout.h"

enum { SMP_CONDITIONS_MAX = 32 };

typedef struct smp_span {
    const char *text;
    size_t length;
} smp_span;

/* What a macro's parameters stand for, and in which surroundings. */
typedef struct smp_surroundings {
    const smp_macro *macro;
    smp_span argument[SMP_MACRO_PARAMETERS_MAX];
    const struct smp_surroundings *of_arguments;
    const struct smp_surroundings *outer; /* macros that are being replaced */
} smp_surroundings;

typedef struct smp_token_source {
    const char *text;
    size_t length, at;
    const smp_surroundings *in; /* NULL: the text itself */
    const char *header;         /* the path of what is read; NULL: no header */
    size_t position, end;       /* of a macro's use */
    bool is_longer;             /* a macro of more than one token */
    bool is_body;               /* of a macro with parameters: # and ## are operators */
    unsigned depth;
} smp_token_source;

/* One #if: whether a branch was taken, and whether this one is. */
typedef struct smp_if_state {
    bool was_taken, is_taken, had_else;
} smp_if_state;

typedef struct smp_token_stream {
    smp_layout *layout;
    smp_token *tokens;
    uint32_t count;
    bool is_short_of_memory, starts_line, is_full;
    unsigned brackets, condition_count;
    smp_if_state conditions[SMP_CONDITIONS_MAX];
} smp_token_stream;

/* Appends a token; one that says what is wrong at a place of `text`. */
void smp_token_put(smp_token_stream *s, smp_token token);
void smp_token_put_error(smp_token_stream *s, const char *text, size_t position,
                         const char *message);
bool smp_is_newline(const smp_token_source *from, size_t at);
/* Behind blanks and comments. Newlines are passed over only inside of macros' arguments, where
 * `crosses` is set. False at a comment that does not end. */
bool smp_skip_blanks(smp_token_source *from, bool crosses);
/* The macro of that name, or NULL. */
const smp_macro *smp_macro_find(const smp_layout *layout, const smp_token *token);
/* Appends what the token stands for. */
bool smp_token_expand(smp_token_stream *s, smp_token_source *from, smp_token token);

#endif
