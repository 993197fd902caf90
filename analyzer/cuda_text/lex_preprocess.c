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

/* ---- Directives ---- */

/* Appends several END tokens, so that the parser can look ahead. */
static void put_ends(ct_token_stream *s, ct_token end) {
    enum { ENDS = 8 };
    for (unsigned i = 0; i < ENDS; i++)
        ct_token_put(s, end);
}

static bool is_active(const ct_token_stream *s) {
    return s->condition_count == 0 || s->conditions[s->condition_count - 1].is_taken;
}

/* End of the line, including its continuations. */
static size_t end_of_directive(const ct_token_source *from) {
    size_t at = from->at;
    while (at < from->length && from->text[at] != '\n') {
        bool continues =
            from->text[at] == '\\' && at + 1 < from->length && ct_is_newline(from, at + 1);
        at += continues ? (from->text[at + 1] == '\r' ? 3 : 2) : 1;
    }
    return at < from->length ? at : from->length;
}

static ct_token next_of(ct_token_source *line) {
    (void)ct_skip_blanks(line, false);
    if (line->at < line->length && ct_is_newline(line, line->at))
        return (ct_token){.text = line->text};
    ct_token token = ct_token_read(line->text, line->length, line->at);
    line->at = token.end;
    return token;
}

static const char *read_parameters(ct_token_source *line, ct_macro *macro) {
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

static const char *undefine(ct_source *source, ct_token_source *line) {
    const ct_token name = next_of(line);
    const ct_macro *macro = ct_macro_find(source, &name);
    if (macro)
        source->macros[macro - source->macros] = source->macros[--source->macro_count];
    return NULL;
}

/* The meaning of a name declared outside the preprocessor, and its value. */
static ct_outside find_outside(const ct_token_stream *s, const ct_token *name, int64_t *value) {
    return s->source->outside(s->source->user, name->word, value);
}

static const char *define(ct_token_stream *s, ct_token_source *line) {
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
    (void)ct_skip_blanks(line, false);
    macro.body.text = line->text + line->at;
    for (ct_token token; line->at < line->length && (token = next_of(line)).kind != CT_TOKEN_END;)
        macro.body.length = (size_t)(token.text + token.length - macro.body.text);
    const ct_macro *before = ct_macro_find(s->source, &name);
    if (before)
        return ct_word_is(before->body, macro.body) ? NULL
                                                    : "this macro is already defined differently";
    if (s->source->macro_count == CT_MACROS_MAX)
        return "more than 128 macros";
    s->source->macros[s->source->macro_count++] = macro;
    return NULL;
}

static bool is_declared(const ct_token_stream *s, const ct_token *name) {
    int64_t unused;
    const ct_outside is = find_outside(s, name, &unused);
    return is == CT_IS_NAME || is == CT_IS_VALUE;
}

static bool is_defined(const ct_token_stream *s, const ct_token *name) {
    static const char of_compiler[] = "__CUDA_ARCH__ __CUDACC__ __NVCC__ __cplusplus"; /* unknown */
    return ct_token_is_any(name, of_compiler) || ct_macro_find(s->source, name) ||
           is_declared(s, name);
}

/* Replaces "defined(NAME)" or "defined NAME" by 0 or 1. */
static void put_defined(ct_token_stream *s, ct_token_source *line) {
    ct_token name = next_of(line);
    if (name.code == '(') {
        name = next_of(line);
        (void)next_of(line);
    }
    ct_token_put(s, (ct_token){.kind = CT_TOKEN_NUMBER,
                               .text = name.text,
                               .length = name.length,
                               .value = is_defined(s, &name)});
}

/* A message that asks for the compiler's value a condition needs, or NULL. */
static const char *ask(ct_token_stream *s, const ct_token_stream *asked) {
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
static bool resolve(const ct_token_stream *s, ct_token *token) {
    int64_t value = 0;
    for (; token->kind != CT_TOKEN_END; token++) {
        const bool is_word = ct_token_is_any(token, "true false");
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
static const char *evaluate(ct_token_stream *s, ct_token_source *line, bool *out) {
    ct_token_stream inner = {.source = s->source};
    ct_token token;
    while ((token = next_of(line)).kind != CT_TOKEN_END && !inner.is_full) {
        if (ct_token_is(&token, "defined"))
            put_defined(&inner, line);
        else if (!ct_token_expand(&inner, line, token))
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

static const char *begin_condition(ct_token_stream *s, ct_token_source *line,
                                   const ct_token *word) {
    bool value = false, runs = is_active(s);
    const char *problem = NULL;
    if (s->condition_count == CT_CONDITIONS_MAX)
        return "#if nested too deeply";
    if (runs && ct_token_is(word, "if")) {
        problem = evaluate(s, line, &value);
    } else if (runs) {
        ct_token name = next_of(line);
        value = is_defined(s, &name) == ct_token_is(word, "ifdef");
        problem = name.kind == CT_TOKEN_NAME ? NULL : "expected a name here";
    }
    s->conditions[s->condition_count++] = (ct_if_state){value || !runs, value, false};
    return problem;
}

static const char *change_condition(ct_token_stream *s, ct_token_source *line,
                                    const ct_token *word) {
    if (s->condition_count == 0)
        return "there is no #if before this (begin comments with //)";
    ct_if_state *c = &s->conditions[s->condition_count - 1];
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
static bool run_directive(ct_token_stream *s, ct_token_source *from) {
    ct_token_source line = *from;
    line.at++;
    line.length = end_of_directive(&line);
    ct_token word = ct_token_read(line.text, line.length, line.at);
    const char *problem = NULL;
    line.at = word.end;
    if (ct_token_is_any(&word, "if ifdef ifndef"))
        problem = begin_condition(s, &line, &word);
    else if (ct_token_is_any(&word, "elif else endif"))
        problem = change_condition(s, &line, &word);
    else if (ct_token_is(&word, "define"))
        problem = is_active(s) ? define(s, &line) : NULL;
    else if (ct_token_is(&word, "undef"))
        problem = is_active(s) ? undefine(s->source, &line) : NULL;
    else if (ct_token_is(&word, "error") && word.position == from->at + 1)
        problem = is_active(s) ? "an #error is reached" : NULL;
    else if (!ct_token_is_any(&word, "include pragma line warning") ||
             word.position != from->at + 1)
        return false;
    if (problem)
        ct_token_put_error(s, from, from->at, problem);
    from->at = line.length;
    return true;
}

/* ---- The text ---- */

static void read_all(ct_token_stream *s, ct_token_source *from) {
    bool is_first = true;
    while (!s->is_full && from->at < from->length) {
        from->at = ct_behind_blanks(from->text, from->length, from->at);
        bool is_directive = is_first && from->at < from->length && from->text[from->at] == '#' &&
                            run_directive(s, from);
        if (!is_directive && !ct_skip_blanks(from, false)) {
            ct_token_put_error(s, from, from->at, "this comment does not end");
            return;
        }
        if (from->at >= from->length)
            return;
        is_first = ct_is_newline(from, from->at);
        if (is_first || !is_active(s)) {
            s->starts_line |= is_first;
            from->at = is_first ? from->at + 1 : end_of_directive(from);
            continue;
        }
        ct_token token = ct_token_read(from->text, from->length, from->at);
        from->at = token.end;
        (void)ct_token_expand(s, from, token);
    }
}

ct_token *ct_source_read(ct_source *source, const char *text, size_t length) {
    ct_token_stream s = {.source = source, .starts_line = true};
    ct_token_source from = {.text = text, .length = length};
    read_all(&s, &from);
    if (s.condition_count > 0)
        ct_token_put_error(&s, &from, length, "#endif is missing");
    s.brackets = 0;
    s.starts_line = true;
    put_ends(&s, (ct_token){.text = text + length, .position = length, .end = length});
    if (!s.is_short_of_memory)
        return s.tokens;
    free(s.tokens);
    return NULL;
}
