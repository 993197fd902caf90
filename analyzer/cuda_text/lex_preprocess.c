/* SPDX-License-Identifier: MIT */
/*
 * Text to tokens: comments, line continuations, directives and macros. Macros are replaced as
 * text: "#define W 4 + 4" makes 'W * 2' 12. Tokens of a macro have the position of its use. A
 * '#' that starts no directive starts a comment. An error becomes a token that the parser
 * refuses when it reaches it.
 *
 * Conditions follow the rules of the C preprocessor: integers have 64 bits; a name has the value
 * of a constant declared outside. A name without a value is fine where it does not matter. The
 * owner of the source evaluates them.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lex.h"

enum { CONDITIONS_MAX = 32 };

/* Arguments of a macro and the context they come from. */
typedef struct surroundings {
    const ct_macro *macro;
    ct_word argument[CT_MACRO_PARAMETERS_MAX];
    const struct surroundings *outer; /* the expansion that its arguments are in */
} surroundings;

typedef struct token_source {
    const char *text;
    size_t length, at;
    const surroundings *in; /* NULL for the text itself */
    size_t position, end;   /* of the macro's use */
    bool is_longer;         /* from a macro of more than one token */
    bool is_body;           /* body of a macro with parameters: # is an operator */
    unsigned depth;
} token_source;

/* State of one #if. */
typedef struct if_state {
    bool was_taken, is_taken, had_else;
} if_state;

typedef struct token_stream {
    ct_source *source;
    ct_token *tokens;
    uint32_t count;
    bool is_short_of_memory, starts_line, is_full;
    ct_word asked; /* a name that a condition needs */
    unsigned brackets, condition_count;
    if_state conditions[CONDITIONS_MAX];
} token_stream;

enum { TOKENS_MAX = 1 << 18, NESTED_MAX = 32 };

static bool expand(token_stream *s, token_source *from, ct_token token);

/* ---- Tokens ---- */

static void put(token_stream *s, ct_token token) {
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

static void put_error(token_stream *s, const token_source *from, size_t position,
                      const char *message) {
    put(s, (ct_token){.kind = CT_TOKEN_BAD,
                      .word = s->asked.text ? s->asked : (ct_word){from->text + position, 0},
                      .position = from->in ? from->position : position,
                      .end = position,
                      .message = message});
}

static bool is_newline(const token_source *from, size_t at) {
    return from->text[at] == '\n' ||
           (from->text[at] == '\r' && (at + 1 == from->length || from->text[at + 1] == '\n'));
}

static bool skip_blanks(token_source *from, bool crosses) {
    const char *text = from->text;
    while (from->at < from->length) {
        char c = text[from->at], next = from->at + 1 < from->length ? text[from->at + 1] : '\0';
        if (c == ' ' || c == '\t' || (crosses && is_newline(from, from->at))) {
            from->at++;
        } else if (c == '\\' && from->at + 1 < from->length && is_newline(from, from->at + 1)) {
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

static const ct_macro *find_macro(const ct_source *source, const ct_token *token) {
    return FIND(one, source->macros, source->macro_count, ct_word_is(token->word, one->name));
}

static bool is_being_replaced(const surroundings *in, const ct_macro *macro) {
    while (in && in->macro != macro)
        in = in->outer;
    return in;
}

/* The next token; false if there is none. */
static bool take_token(token_source *from, ct_token *out) {
    if (!skip_blanks(from, true) || from->at >= from->length)
        return false;
    *out = ct_token_read(from->text, from->length, from->at);
    from->at = out->end;
    return true;
}

/* True if the body is one token or parenthesised, so it stays together. */
static bool is_closed(const ct_macro *macro) {
    token_source body = {
        .is_body = macro->is_function, .text = macro->body.text, .length = macro->body.length};
    unsigned depth = 0;
    bool is_first = true, has_parts = false;
    for (ct_token token; take_token(&body, &token); is_first = false) {
        has_parts |= !is_first && depth == 0;
        depth += token.code == '(';
        depth -= token.code == ')' && depth > 0;
    }
    return !has_parts;
}

/* "#x" becomes a string; "##" an error token. */
static void put_hash(token_stream *s, token_source *from) {
    ct_token token = {0};
    if (from->at < from->length && from->text[from->at] == '#') {
        from->at++;
        put_error(s, from, 0, "words made by ##" CT_COMPILER_KNOWS);
        return;
    }
    (void)take_token(from, &token);
    token.kind = CT_TOKEN_STRING;
    token.code = 0;
    token.position = from->position;
    token.end = from->end;
    put(s, token);
}

/* Appends all tokens of a source. */
static bool expand_all(token_stream *s, token_source *from) {
    for (ct_token token; !s->is_full && take_token(from, &token);) {
        if (from->is_body && token.code == '#')
            put_hash(s, from);
        else if (!expand(s, from, token))
            return false;
    }
    return !s->is_full;
}

/* Parses the arguments "(a, b)"; false if they do not match the macro. */
static bool take_arguments(token_source *from, const ct_macro *macro, surroundings *out,
                           size_t *end) {
    unsigned depth = 0, count = 0;
    size_t start = 0;
    for (ct_token token; take_token(from, &token);) {
        bool opens = ct_token_is_one_of(&token, "([{"), closes = ct_token_is_one_of(&token, ")]}");
        size_t at = token.position;
        depth += opens;
        depth -= closes;
        if (opens && depth == 1) {
            start = token.end;
        } else if ((closes && depth == 0) || (token.code == ',' && depth == 1)) {
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
    return false;
}

static bool expand_macro(token_stream *s, token_source *from, const ct_macro *macro,
                         ct_token token) {
    surroundings in = {.macro = macro, .outer = from->in};
    size_t end = token.end;
    const char *problem = macro->problem;
    if (!problem && macro->is_function && !take_arguments(from, macro, &in, &end))
        problem = "this macro takes another number of arguments";
    if (problem) {
        put_error(s, from, from->in ? 0 : token.position, problem);
        return false;
    }
    token_source body = {.text = macro->body.text,
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
static const ct_word *find_argument(const surroundings *in, const ct_token *token) {
    const uint32_t count = in && token->kind == CT_TOKEN_NAME ? in->macro->parameter_count : 0;
    for (uint32_t i = 0; i < count; i++)
        if (ct_word_is(token->word, in->macro->parameter[i]))
            return &in->argument[i];
    return NULL;
}

static bool expand(token_stream *s, token_source *from, ct_token token) {
    const ct_word *argument = find_argument(from->in, &token);
    if (from->depth > NESTED_MAX) {
        put_error(s, from, 0, "macros are nested too deeply");
        return false;
    }
    if (argument) {
        static const ct_macro no_macro;
        const surroundings none = {.macro = &no_macro}; /* keeps the position of the macro's use */
        token_source inner = *from;
        inner.text = argument->text;
        inner.length = argument->length;
        inner.at = 0;
        inner.in = from->in->outer ? from->in->outer : &none;
        inner.depth++;
        inner.is_body = false;
        return expand_all(s, &inner);
    }
    const ct_macro *macro = token.kind == CT_TOKEN_NAME ? find_macro(s->source, &token) : NULL;
    if (macro && macro->is_function) {
        token_source ahead = *from;
        bool is_call =
            skip_blanks(&ahead, true) && ahead.at < ahead.length && ahead.text[ahead.at] == '(';
        macro = is_call ? macro : NULL;
    }
    if (macro && !is_being_replaced(from->in, macro))
        return expand_macro(s, from, macro, token);
    if (from->in) {
        token.position = from->position;
        token.end = from->end;
        token.is_expanded = from->is_longer;
    }
    put(s, token);
    return !s->is_full;
}

/* ---- Directives ---- */

/* Appends several END tokens, so that the parser can look ahead. */
static void put_ends(token_stream *s, ct_token end) {
    enum { ENDS = 8 };
    for (unsigned i = 0; i < ENDS; i++)
        put(s, end);
}

static bool is_active(const token_stream *s) {
    return s->condition_count == 0 || s->conditions[s->condition_count - 1].is_taken;
}

/* End of the line, including its continuations. */
static size_t end_of_directive(const token_source *from) {
    size_t at = from->at;
    while (at < from->length && from->text[at] != '\n') {
        bool continues =
            from->text[at] == '\\' && at + 1 < from->length && is_newline(from, at + 1);
        at += continues ? (from->text[at + 1] == '\r' ? 3 : 2) : 1;
    }
    return at < from->length ? at : from->length;
}

static ct_token next_of(token_source *line) {
    (void)skip_blanks(line, false);
    if (line->at < line->length && is_newline(line, line->at))
        return (ct_token){.text = line->text};
    ct_token token = ct_token_read(line->text, line->length, line->at);
    line->at = token.end;
    return token;
}

static const char *read_parameters(token_source *line, ct_macro *macro) {
    macro->is_function = true;
    (void)next_of(line); /* '(' */
    ct_token token = next_of(line);
    for (; token.kind == CT_TOKEN_NAME; token = token.code == ',' ? next_of(line) : token) {
        if (macro->parameter_count == CT_MACRO_PARAMETERS_MAX)
            return "a macro has at most 12 parameters here";
        macro->parameter[macro->parameter_count++] = token.word;
        token = next_of(line);
    }
    return token.code == ')' ? NULL : "only plain macro parameters are supported";
}

static const char *undefine(ct_source *source, token_source *line) {
    const ct_token name = next_of(line);
    const ct_macro *macro = find_macro(source, &name);
    if (macro)
        source->macros[macro - source->macros] = source->macros[--source->macro_count];
    return NULL;
}

/* The meaning of a name declared outside the preprocessor, and its value. */
static ct_outside find_outside(const token_stream *s, const ct_token *name, int64_t *value) {
    return s->source->outside(s->source->user, name->word, value);
}

static const char *define(token_stream *s, token_source *line) {
    int64_t unused;
    ct_token name = next_of(line);
    ct_macro macro = {.name = name.word};
    if (name.kind != CT_TOKEN_NAME)
        return "expected a name after #define";
    if (find_outside(s, &name, &unused) != CT_IS_NOTHING)
        return "the name after #define already has a meaning";
    if (line->at < line->length && line->text[line->at] == '(') {
        macro.problem = read_parameters(line, &macro);
        line->is_body = true;
    }
    (void)skip_blanks(line, false);
    macro.body.text = line->text + line->at;
    for (ct_token token; line->at < line->length && (token = next_of(line)).kind != CT_TOKEN_END;)
        macro.body.length = (size_t)(token.text + token.length - macro.body.text);
    const ct_macro *before = find_macro(s->source, &name);
    if (before)
        return ct_word_is(before->body, macro.body) ? NULL
                                                    : "this macro is already defined differently";
    if (s->source->macro_count == CT_MACROS_MAX)
        return "more than 128 macros";
    s->source->macros[s->source->macro_count++] = macro;
    return NULL;
}

static bool is_declared(const token_stream *s, const ct_token *name) {
    int64_t unused;
    const ct_outside is = find_outside(s, name, &unused);
    return is == CT_IS_NAME || is == CT_IS_VALUE;
}

static bool is_defined(const token_stream *s, const ct_token *name) {
    static const char of_compiler[] = "__CUDA_ARCH__ __CUDACC__ __NVCC__ __cplusplus"; /* unknown */
    return ct_token_is(name, of_compiler) || find_macro(s->source, name) || is_declared(s, name);
}

/* Replaces "defined(NAME)" or "defined NAME" by 0 or 1. */
static void put_defined(token_stream *s, token_source *line) {
    ct_token name = next_of(line);
    if (name.code == '(') {
        name = next_of(line);
        (void)next_of(line);
    }
    put(s, (ct_token){.kind = CT_TOKEN_NUMBER,
                      .text = name.text,
                      .length = name.length,
                      .value = is_defined(s, &name)});
}

/* A message that asks for the compiler's value a condition needs, or NULL. */
static const char *ask(token_stream *s, const token_stream *asked) {
    EACH(const ct_token, name, asked->tokens, asked->count) {
        if (name->kind != CT_TOKEN_NAME || name->length < 3 || memcmp(name->text, "__", 2) != 0 ||
            is_declared(s, name))
            continue;
        s->asked = name->word;
        return ct_token_is(name, "__CUDA_ARCH__")
                   ? "the value of %.*s is unknown: define %.*s = 900"
                   : "the value of %.*s is unknown: define %.*s = ...";
    }
    return NULL;
}

/* Prepares the tokens of a condition: integers of 64 bits, the values of names, and "?" for names
 * without one. False if a token has no place in a condition. */
static bool resolve(const token_stream *s, ct_token *token) {
    int64_t value = 0;
    for (; token->kind != CT_TOKEN_END; token++) {
        const bool is_word = ct_token_is(token, "true false");
        if (token->kind != CT_TOKEN_NAME && token->kind != CT_TOKEN_NUMBER &&
            !ct_operator_find(token->code) && !ct_token_is_one_of(token, "()!~:"))
            return false;
        if (token->kind != CT_TOKEN_NAME) {
            token->number_kind |= CT_I64; /* or CT_U64 */
        } else if (is_word || find_outside(s, token, &value) == CT_IS_VALUE) {
            token->kind = CT_TOKEN_NUMBER;
            token->value = is_word ? token->length == 4 : (uint64_t)value;
            token->number_kind = CT_I64;
        } else {
            token->word = (ct_word){"?", 1};
        }
    }
    return true;
}

/* Evaluates the condition after #if. */
static const char *evaluate(token_stream *s, token_source *line, bool *out) {
    token_stream inner = {.source = s->source};
    ct_token token;
    while ((token = next_of(line)).kind != CT_TOKEN_END && !inner.is_full) {
        if (ct_token_is(&token, "defined"))
            put_defined(&inner, line);
        else if (!expand(&inner, line, token))
            break;
    }
    put_ends(&inner, (ct_token){0});
    const char *asked = inner.is_full ? NULL : ask(s, &inner);
    int64_t value = 0;
    const bool sound = !inner.is_full && resolve(s, inner.tokens) &&
                       s->source->condition(s->source->user, inner.tokens, &value);
    free(inner.tokens);
    *out = value != 0;
    return sound   ? NULL
           : asked ? asked
                   : "this condition cannot be evaluated: a name in it is undefined or not "
                     "an integer; set it with #define (begin comments with //)";
}

static const char *begin_condition(token_stream *s, token_source *line, const ct_token *word) {
    bool value = false, runs = is_active(s);
    const char *problem = NULL;
    if (s->condition_count == CONDITIONS_MAX)
        return "#if nested too deeply";
    if (runs && ct_token_is(word, "if")) {
        problem = evaluate(s, line, &value);
    } else if (runs) {
        ct_token name = next_of(line);
        value = is_defined(s, &name) == ct_token_is(word, "ifdef");
        problem = name.kind == CT_TOKEN_NAME ? NULL : "expected a name here";
    }
    s->conditions[s->condition_count++] = (if_state){value || !runs, value, false};
    return problem;
}

static const char *change_condition(token_stream *s, token_source *line, const ct_token *word) {
    if (s->condition_count == 0)
        return "there is no #if before this (begin comments with //)";
    if_state *c = &s->conditions[s->condition_count - 1];
    s->condition_count -= ct_token_is(word, "endif");
    if (ct_token_is(word, "endif"))
        return NULL;
    if (c->had_else)
        return "there was an #else already";
    bool value = !c->was_taken;
    c->had_else = ct_token_is(word, "else");
    const char *problem = value && !c->had_else ? evaluate(s, line, &value) : NULL;
    c->is_taken = value;
    c->was_taken |= value;
    return problem;
}

/* Runs the directive at '#'; false if it is a comment. */
static bool run_directive(token_stream *s, token_source *from) {
    token_source line = *from;
    line.at++;
    line.length = end_of_directive(&line);
    ct_token word = ct_token_read(line.text, line.length, line.at);
    const char *problem = NULL;
    line.at = word.end;
    if (ct_token_is(&word, "if ifdef ifndef"))
        problem = begin_condition(s, &line, &word);
    else if (ct_token_is(&word, "elif else endif"))
        problem = change_condition(s, &line, &word);
    else if (ct_token_is(&word, "define"))
        problem = is_active(s) ? define(s, &line) : NULL;
    else if (ct_token_is(&word, "undef"))
        problem = is_active(s) ? undefine(s->source, &line) : NULL;
    else if (ct_token_is(&word, "error") && word.position == from->at + 1)
        problem = is_active(s) ? "an #error is reached" : NULL;
    else if (!ct_token_is(&word, "include pragma line warning") || word.position != from->at + 1)
        return false;
    if (problem)
        put_error(s, from, from->at, problem);
    from->at = line.length;
    return true;
}

/* ---- The text ---- */

static void read_all(token_stream *s, token_source *from) {
    bool is_first = true;
    while (!s->is_full && from->at < from->length) {
        from->at = ct_behind_blanks(from->text, from->length, from->at);
        bool is_directive = is_first && from->at < from->length && from->text[from->at] == '#' &&
                            run_directive(s, from);
        if (!is_directive && !skip_blanks(from, false)) {
            put_error(s, from, from->at, "this comment does not end");
            return;
        }
        if (from->at >= from->length)
            return;
        is_first = is_newline(from, from->at);
        if (is_first || !is_active(s)) {
            s->starts_line |= is_first;
            from->at = is_first ? from->at + 1 : end_of_directive(from);
            continue;
        }
        ct_token token = ct_token_read(from->text, from->length, from->at);
        from->at = token.end;
        (void)expand(s, from, token);
    }
}

ct_token *ct_source_read(ct_source *source, const char *text, size_t length) {
    token_stream s = {.source = source, .starts_line = true};
    token_source from = {.text = text, .length = length};
    read_all(&s, &from);
    if (s.condition_count > 0)
        put_error(&s, &from, length, "#endif is missing");
    s.brackets = 0;
    s.starts_line = true;
    put_ends(&s, (ct_token){.text = text + length, .position = length, .end = length});
    if (!s.is_short_of_memory)
        return s.tokens;
    free(s.tokens);
    return NULL;
}
