/* SPDX-License-Identifier: MIT */
/* Macros, replaced as text as by the C preprocessor, and the list of tokens. */
#include <stdlib.h>
#include <string.h>

#include "lex.h"
#include "list.h"

enum { TOKENS_MAX = 1 << 18, NESTED_MAX = 32 };

static bool expand_all(ct_token_stream *s, ct_token_source *from);

/* ---- Tokens ---- */

void ct_token_put(ct_token_stream *s, ct_token token) {
    if (!LIST_ROOM(s->tokens, s->count)) {
        s->is_short_of_memory = s->is_full = true;
        return;
    }
    if (s->count == TOKENS_MAX - 1 && token.kind != CT_TOKEN_END) {
        token.kind = CT_TOKEN_BAD;
        token.message = "the text has too many tokens";
        s->is_full = true;
    }
    token.starts_line = s->starts_line && s->brackets == 0;
    s->brackets += ct_token_is_one_of(&token, "([");
    s->brackets -= ct_token_is_one_of(&token, ")]") && s->brackets > 0;
    s->starts_line = false;
    s->tokens[s->count++] = token;
}

void ct_token_put_error(ct_token_stream *s, const ct_token_source *from, size_t position,
                        const char *message) {
    ct_token_put(s, (ct_token){.kind = CT_TOKEN_BAD,
                               .text = from->text + position,
                               .position = from->in ? from->position : position,
                               .end = position,
                               .message = message});
}

bool ct_is_newline(const ct_token_source *from, size_t at) {
    return from->text[at] == '\n' ||
           (from->text[at] == '\r' && (at + 1 == from->length || from->text[at + 1] == '\n'));
}

bool ct_skip_blanks(ct_token_source *from, bool crosses) {
    const char *text = from->text;
    while (from->at < from->length) {
        char c = text[from->at], next = from->at + 1 < from->length ? text[from->at + 1] : '\0';
        if (c == ' ' || c == '\t' || (crosses && ct_is_newline(from, from->at))) {
            from->at++;
        } else if (c == '\\' && from->at + 1 < from->length && ct_is_newline(from, from->at + 1)) {
            from->at += next == '\r' ? 3 : 2;
        } else if ((c == '#' && !from->is_body) || (c == '/' && next == '/')) {
            while (from->at < from->length && text[from->at] != '\n')
                from->at++;
        } else if (c == '/' && next == '*') {
            size_t at = from->at + 2;
            while (at + 1 < from->length && (text[at] != '*' || text[at + 1] != '/'))
                at++;
            if (at + 1 >= from->length)
                return false;
            from->at = at + 2;
        } else {
            break;
        }
    }
    return true;
}

/* ---- Macros ---- */

const ct_macro *ct_macro_find(const ct_source *source, const ct_token *token) {
    for (uint32_t i = source->macro_count; i-- > 0;) {
        const ct_macro *macro = &source->macros[i];
        if (ct_word_is(token->word, macro->name))
            return macro;
    }
    return NULL;
}

static bool is_being_replaced(const ct_surroundings *in, const ct_macro *macro) {
    for (; in; in = in->outer)
        if (in->macro == macro)
            return true;
    return false;
}

/* True if the body is one token or parenthesised, so it stays together. */
static bool is_closed(const ct_macro *macro) {
    ct_token_source body = {
        .is_body = macro->is_function, .text = macro->body.text, .length = macro->body.length};
    unsigned tokens = 0, depth = 0;
    bool parts = false;
    while (ct_skip_blanks(&body, true) && body.at < body.length) {
        ct_token token = ct_token_read(body.text, body.length, body.at);
        parts |= tokens > 0 && depth == 0;
        depth += ct_token_is_punct(&token, '(');
        depth -= ct_token_is_punct(&token, ')') && depth > 0;
        tokens++;
        body.at = token.end;
    }
    return tokens <= 1 || !parts;
}

/* "#x" becomes a string; "##" an error token. */
static void put_hash(ct_token_stream *s, ct_token_source *from) {
    from->at++;
    if (from->at < from->length && from->text[from->at] == '#') {
        from->at++;
        ct_token_put_error(s, from, 0, "words made by ##" CT_COMPILER_KNOWS);
        return;
    }
    (void)ct_skip_blanks(from, true);
    ct_token token = ct_token_read(from->text, from->length, from->at);
    from->at = token.end;
    token.kind = CT_TOKEN_STRING;
    token.position = from->position;
    token.end = from->end;
    ct_token_put(s, token);
}

/* Appends all tokens of a source. */
static bool expand_all(ct_token_stream *s, ct_token_source *from) {
    while (!s->is_full && ct_skip_blanks(from, true) && from->at < from->length) {
        if (from->is_body && from->text[from->at] == '#') {
            put_hash(s, from);
            continue;
        }
        ct_token token = ct_token_read(from->text, from->length, from->at);
        from->at = token.end;
        if (!ct_token_expand(s, from, token))
            return false;
    }
    return !s->is_full;
}

/* Parses the arguments "(a, b)"; false if they do not match the macro. */
static bool take_arguments(ct_token_source *from, const ct_macro *macro, ct_surroundings *out,
                           size_t *end) {
    unsigned depth = 0, count = 0;
    size_t start = 0;
    for (;;) {
        if (!ct_skip_blanks(from, true) || from->at >= from->length)
            return false;
        ct_token token = ct_token_read(from->text, from->length, from->at);
        bool opens = ct_token_is_one_of(&token, "([{"), closes = ct_token_is_one_of(&token, ")]}");
        size_t at = token.position;
        from->at = token.end;
        depth += opens;
        depth -= closes;
        if (opens && depth == 1) {
            start = token.end;
        } else if ((closes && depth == 0) || (ct_token_is_punct(&token, ',') && depth == 1)) {
            if (count == macro->parameter_count && (count > 0 || at > start))
                return macro->parameter_count == 0 && count == 0 && depth == 0;
            if (count < CT_MACRO_PARAMETERS_MAX)
                out->argument[count] = (ct_word){from->text + start, at - start};
            count += macro->parameter_count > 0;
            start = token.end;
        }
        *end = token.end;
        if (depth == 0)
            return count == macro->parameter_count;
    }
}

static bool expand_macro(ct_token_stream *s, ct_token_source *from, const ct_macro *macro,
                         ct_token token) {
    if (macro->problem) {
        ct_token_put_error(s, from, from->in ? 0 : token.position, macro->problem);
        return false;
    }
    ct_surroundings in = {.macro = macro, .of_arguments = from->in, .outer = from->in};
    size_t end = token.end;
    if (macro->is_function && !take_arguments(from, macro, &in, &end)) {
        ct_token_put_error(s, from, from->in ? 0 : token.position,
                           "this macro takes another number of arguments");
        return false;
    }
    ct_token_source body = {.text = macro->body.text,
                            .length = macro->body.length,
                            .in = &in,
                            .position = from->in ? from->position : token.position,
                            .end = from->in ? from->end : end,
                            .is_longer = from->is_longer || !is_closed(macro),
                            .is_body = macro->is_function,
                            .depth = from->depth + 1};
    return expand_all(s, &body);
}

/* The argument of a parameter, or NULL. */
static const ct_word *find_argument(const ct_surroundings *in, const ct_token *token) {
    for (uint32_t i = 0; in && token->kind == CT_TOKEN_NAME && i < in->macro->parameter_count;
         i++) {
        if (ct_word_is(token->word, in->macro->parameter[i]))
            return &in->argument[i];
    }
    return NULL;
}

bool ct_token_expand(ct_token_stream *s, ct_token_source *from, ct_token token) {
    const ct_word *argument = find_argument(from->in, &token);
    if (from->depth > NESTED_MAX) {
        ct_token_put_error(s, from, 0, "macros are nested too deeply");
        return false;
    }
    if (argument) {
        static const ct_macro no_macro;
        const ct_surroundings none = {.macro =
                                          &no_macro}; /* keeps the position of the macro's use */
        ct_token_source inner = *from;
        inner.text = argument->text;
        inner.length = argument->length;
        inner.at = 0;
        inner.in = from->in->of_arguments ? from->in->of_arguments : &none;
        inner.depth++;
        inner.is_body = false;
        return expand_all(s, &inner);
    }
    const ct_macro *macro = token.kind == CT_TOKEN_NAME ? ct_macro_find(s->source, &token) : NULL;
    if (macro && macro->is_function) {
        ct_token_source ahead = *from;
        bool is_call =
            ct_skip_blanks(&ahead, true) && ahead.at < ahead.length && ahead.text[ahead.at] == '(';
        macro = is_call ? macro : NULL;
    }
    if (macro && !is_being_replaced(from->in, macro))
        return expand_macro(s, from, macro, token);
    if (from->in) {
        token.position = from->position;
        token.end = from->end;
        token.is_expanded = from->is_longer;
    }
    ct_token_put(s, token);
    return !s->is_full;
}

/* ---- Kept texts ---- */

typedef struct ct_kept_text {
    struct ct_kept_text *next;
    char text[];
} ct_kept_text;

const char *ct_source_keep(ct_source *source, const char *text, size_t length) {
    ct_kept_text *kept = malloc(sizeof *kept + length + 1);
    if (!kept)
        return NULL;
    memcpy(kept->text, text, length);
    kept->text[length] = '\0';
    kept->next = source->kept;
    source->kept = kept;
    return kept->text;
}

void ct_source_init(ct_source *source, ct_outside_fn fn, const void *user) {
    memset(source, 0, offsetof(ct_source, macros));
    source->outside = fn;
    source->user = user;
}

void ct_source_clear(ct_source *source) {
    for (ct_kept_text *at = source->kept, *next; at; at = next) {
        next = at->next;
        free(at);
    }
}
