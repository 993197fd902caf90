/* SPDX-License-Identifier: MIT */
/*
 * Tokens as they are read, and macros: replaced as text, as the C preprocessor does, with # and ##.
 */
#include <stdlib.h>
#include <string.h>

#include "lex.h"
#include "list.h"

enum { TOKENS_MAX = 1 << 18, NESTED_MAX = 32 };

static bool expand_all(ct_token_stream *s, ct_token_source *from);
static const ct_word *find_argument(const ct_surroundings *in, const ct_token *token);

/* ---- Tokens ---- */

void ct_token_put(ct_token_stream *s, ct_token token) {
    if (!LIST_ROOM(s->tokens, s->count)) {
        s->is_short_of_memory = s->is_full = true;
        return;
    }
    if (s->count == TOKENS_MAX - 1 && token.kind != CT_TOKEN_END) {
        token.kind = CT_TOKEN_BAD;
        token.message = "the text has too many words from here on";
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

/* Behind blanks and comments. Newlines are passed over only inside of macros' arguments, where
 * `crosses` is set. False at a comment that does not end. */
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

/* True if the body is one token, or stands in parentheses: then it can't come apart. */
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

/* ---- # and ## ---- */

/* "#x": some text. */
static void put_string(ct_token_stream *s, ct_token_source *from) {
    from->at++;
    (void)ct_skip_blanks(from, true);
    ct_token token = ct_token_read(from->text, from->length, from->at);
    from->at = token.end;
    token.kind = CT_TOKEN_STRING;
    token.position = from->position;
    token.end = from->end;
    ct_token_put(s, token);
}

static bool pastes(const ct_token_source *from) {
    ct_token_source ahead = *from;
    return from->is_body && ct_skip_blanks(&ahead, true) && ahead.at + 1 < ahead.length &&
           ahead.text[ahead.at] == '#' && ahead.text[ahead.at + 1] == '#';
}

static ct_word trimmed(ct_word out) {
    while (out.length > 0 && strchr(" \t\r\n", out.text[0]))
        out = (ct_word){out.text + 1, out.length - 1};
    while (out.length > 0 && strchr(" \t\r\n", out.text[out.length - 1]))
        out.length--;
    return out;
}

/* What stands there without being replaced further; an argument may be one of the macro around. */
static ct_word span_of(const ct_token_source *from, ct_token token) {
    ct_word out = token.word;
    for (const ct_surroundings *in = from->in; in; in = in->of_arguments) {
        const ct_word *argument = find_argument(in, &token);
        if (!argument)
            break;
        out = trimmed(*argument);
        token = ct_token_read(out.text, out.length, 0);
        if (token.length != out.length)
            break;
    }
    return out;
}

/* "a ## b ## c": one text, which is read again. */
static bool paste(ct_token_stream *s, ct_token_source *from, ct_token token) {
    static const ct_macro no_macro;
    char text[256];
    size_t length = 0;
    for (bool more = true; more;) {
        ct_word part = span_of(from, token);
        if (length + part.length >= sizeof text)
            part.length = sizeof text - length;
        memcpy(text + length, part.text, part.length);
        length += part.length;
        more = pastes(from);
        if (!more)
            break;
        (void)ct_skip_blanks(from, true);
        from->at += 2;
        (void)ct_skip_blanks(from, true);
        token = ct_token_read(from->text, from->length, from->at);
        from->at = token.end;
    }
    const char *kept = ct_source_keep(s->source, text, length);
    if (!kept || length == sizeof text) {
        s->is_short_of_memory |= !kept;
        ct_token_put_error(s, from, 0, "## makes too long a word here");
        return false;
    }
    const ct_surroundings in = {.macro = &no_macro, .outer = from->in};
    ct_token_source whole = {.text = kept,
                             .length = length,
                             .in = &in,
                             .position = from->position,
                             .end = from->end,
                             .is_longer = from->is_longer,
                             .depth = from->depth + 1};
    return expand_all(s, &whole);
}

/* All tokens of a source. */
static bool expand_all(ct_token_stream *s, ct_token_source *from) {
    while (!s->is_full && ct_skip_blanks(from, true) && from->at < from->length) {
        if (from->is_body && from->text[from->at] == '#') {
            put_string(s, from);
            continue;
        }
        ct_token token = ct_token_read(from->text, from->length, from->at);
        from->at = token.end;
        if (!(pastes(from) ? paste(s, from, token) : ct_token_expand(s, from, token)))
            return false;
    }
    return !s->is_full;
}

/* Takes "(a, b)", the source being before the parenthesis. False if it is not sound. */
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
                           "this macro is used with other arguments than it has");
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

/* What a parameter stands for; NULL if the token is none. */
static const ct_word *find_argument(const ct_surroundings *in, const ct_token *token) {
    for (uint32_t i = 0; in && token->kind == CT_TOKEN_NAME && i < in->macro->parameter_count;
         i++) {
        if (ct_word_is(token->word, in->macro->parameter[i]))
            return &in->argument[i];
    }
    return NULL;
}

/* Appends what the token stands for. */
bool ct_token_expand(ct_token_stream *s, ct_token_source *from, ct_token token) {
    const ct_word *argument = find_argument(from->in, &token);
    if (from->depth > NESTED_MAX) {
        ct_token_put_error(s, from, 0, "macros are nested too deeply here");
        return false;
    }
    if (argument) {
        static const ct_macro no_macro;
        const ct_surroundings none = {.macro = &no_macro}; /* still at the place of the use */
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

/* ---- What is kept from text to text ---- */

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
