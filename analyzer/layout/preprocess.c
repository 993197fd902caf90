/* SPDX-License-Identifier: MIT */
/*
 * From text to tokens: comments, line continuations, #if and its like, and macros. Macros are
 * replaced as text, as the C preprocessor does: "#define W 4 + 4" makes 'W * 2' 12. Tokens of a
 * macro have the place of its use. A '#' that begins no directive begins a comment. What is wrong
 * becomes a token that the parser refuses when it gets there.
 */
#include <stdlib.h>
#include <string.h>

#include "layout.h"
#include "list.h"

enum { TOKENS_MAX = 1 << 18, NESTED_MAX = 32, CONDITIONS_MAX = 32 };

typedef struct span {
    const char *text;
    size_t length;
} span;

/* What a macro's parameters stand for, and in which surroundings. */
typedef struct surroundings {
    const smp_macro *macro;
    span argument[SMP_MACRO_PARAMETERS_MAX];
    const struct surroundings *of_arguments;
    const struct surroundings *outer; /* macros that are being replaced */
} surroundings;

typedef struct source {
    const char *text;
    size_t length, at;
    const surroundings *in; /* NULL: the text itself */
    size_t position, end;   /* of a macro's use */
    bool is_longer;         /* a macro of more than one token */
    unsigned depth;
} source;

/* One #if: whether a branch was taken, and whether this one is. */
typedef struct condition {
    bool was_taken, is_taken, had_else;
} condition;

typedef struct stream {
    smp_layout *layout;
    smp_token *tokens;
    uint32_t count;
    bool is_short_of_memory, starts_line, is_full;
    unsigned brackets, condition_count;
    condition conditions[CONDITIONS_MAX];
} stream;

static bool expand(stream *s, source *from, smp_token token);

/* ---- Tokens ---------------------------------------------------------------------------- */

static void put(stream *s, smp_token token) {
    if (!LIST_ROOM(s->tokens, s->count)) {
        s->is_short_of_memory = s->is_full = true;
        return;
    }
    if (s->count == TOKENS_MAX - 1 && token.kind != SMP_TOKEN_END) {
        token.kind = SMP_TOKEN_BAD;
        token.message = "the text has too many words from here on";
        s->is_full = true;
    }
    token.starts_line = s->starts_line && s->brackets == 0;
    bool opens = token.kind == SMP_TOKEN_PUNCT && (token.code == '(' || token.code == '[');
    bool closes = token.kind == SMP_TOKEN_PUNCT && (token.code == ')' || token.code == ']');
    s->brackets += opens;
    s->brackets -= closes && s->brackets > 0;
    s->starts_line = false;
    s->tokens[s->count++] = token;
}

static void put_error(stream *s, const char *text, size_t position, const char *message) {
    put(s, (smp_token){.kind = SMP_TOKEN_BAD,
                       .text = text + position,
                       .position = position,
                       .end = position,
                       .message = message});
}

static bool is_newline(const source *from, size_t at) {
    return from->text[at] == '\n' ||
           (from->text[at] == '\r' && (at + 1 == from->length || from->text[at + 1] == '\n'));
}

/* Behind blanks and comments. Newlines are passed over only inside of macros' arguments, where
 * `crosses` is set. False at a comment that does not end. */
static bool skip_blanks(source *from, bool crosses) {
    const char *text = from->text;
    while (from->at < from->length) {
        char c = text[from->at], next = from->at + 1 < from->length ? text[from->at + 1] : '\0';
        if (c == ' ' || c == '\t' || (crosses && is_newline(from, from->at))) {
            from->at++;
        } else if (c == '\\' && from->at + 1 < from->length && is_newline(from, from->at + 1)) {
            from->at += next == '\r' ? 3 : 2;
        } else if (c == '#' || (c == '/' && next == '/')) {
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

/* ---- Macros ---------------------------------------------------------------------------- */

static bool is_same(const smp_token *token, const char *name, size_t length) {
    return token->length == length && memcmp(token->text, name, length) == 0;
}

static const smp_macro *find_macro(const smp_layout *layout, const smp_token *token) {
    for (uint32_t i = layout->macro_count; i-- > 0;) {
        const smp_macro *macro = &layout->macros[i];
        if (is_same(token, macro->name, macro->length))
            return macro;
    }
    return NULL;
}

static bool is_being_replaced(const surroundings *in, const smp_macro *macro) {
    for (; in; in = in->outer) {
        if (in->macro == macro)
            return true;
    }
    return false;
}

/* True if the body is one token, or stands in parentheses: then it can't come apart. */
static bool is_closed(const smp_macro *macro) {
    source body = {.text = macro->body, .length = macro->body_length};
    unsigned tokens = 0, depth = 0;
    bool parts = false;
    while (skip_blanks(&body, true) && body.at < body.length) {
        smp_token token = smp_token_read(body.text, body.length, body.at);
        parts |= tokens > 0 && depth == 0;
        depth += token.kind == SMP_TOKEN_PUNCT && token.code == '(';
        depth -= token.kind == SMP_TOKEN_PUNCT && token.code == ')' && depth > 0;
        tokens++;
        body.at = token.end;
    }
    return tokens <= 1 || !parts;
}

/* All tokens of a source. */
static bool expand_all(stream *s, source *from) {
    while (!s->is_full && skip_blanks(from, true) && from->at < from->length) {
        smp_token token = smp_token_read(from->text, from->length, from->at);
        from->at = token.end;
        if (!expand(s, from, token))
            return false;
    }
    return !s->is_full;
}

/* Takes "(a, b)", the source being before the parenthesis. False if it is not sound. */
static bool take_arguments(source *from, const smp_macro *macro, surroundings *out, size_t *end) {
    unsigned depth = 0, count = 0;
    size_t start = 0;
    for (;;) {
        if (!skip_blanks(from, true) || from->at >= from->length)
            return false;
        smp_token token = smp_token_read(from->text, from->length, from->at);
        bool is_punct = token.kind == SMP_TOKEN_PUNCT;
        bool opens = is_punct && (token.code == '(' || token.code == '[' || token.code == '{');
        bool closes = is_punct && (token.code == ')' || token.code == ']' || token.code == '}');
        size_t at = token.position;
        from->at = token.end;
        depth += opens;
        depth -= closes;
        if (opens && depth == 1) {
            start = token.end;
        } else if ((closes && depth == 0) || (is_punct && token.code == ',' && depth == 1)) {
            if (count == macro->parameter_count && (count > 0 || at > start))
                return macro->parameter_count == 0 && count == 0 && depth == 0;
            if (count < SMP_MACRO_PARAMETERS_MAX)
                out->argument[count] = (span){from->text + start, at - start};
            count += macro->parameter_count > 0;
            start = token.end;
        }
        *end = token.end;
        if (depth == 0)
            return count == macro->parameter_count;
    }
}

static bool expand_macro(stream *s, source *from, const smp_macro *macro, smp_token token) {
    surroundings in = {.macro = macro, .of_arguments = from->in, .outer = from->in};
    size_t end = token.end;
    if (macro->is_function && !take_arguments(from, macro, &in, &end)) {
        put_error(s, from->text, from->in ? 0 : token.position,
                  "this macro is used with other arguments than it has");
        s->tokens[s->count - 1].position = from->in ? from->position : token.position;
        return false;
    }
    source body = {.text = macro->body,
                   .length = macro->body_length,
                   .in = &in,
                   .position = from->in ? from->position : token.position,
                   .end = from->in ? from->end : end,
                   .is_longer = from->is_longer || !is_closed(macro),
                   .depth = from->depth + 1};
    return expand_all(s, &body);
}

/* What a parameter stands for; NULL if the token is none. */
static const span *find_argument(const surroundings *in, const smp_token *token) {
    for (uint32_t i = 0; in && token->kind == SMP_TOKEN_NAME && i < in->macro->parameter_count;
         i++) {
        if (is_same(token, in->macro->parameter[i], in->macro->parameter_length[i]))
            return &in->argument[i];
    }
    return NULL;
}

/* Appends what the token stands for. */
static bool expand(stream *s, source *from, smp_token token) {
    const span *argument = find_argument(from->in, &token);
    if (from->depth > NESTED_MAX) {
        put_error(s, from->text, 0, "macros are nested too deeply here");
        s->tokens[s->count - 1].position = from->position;
        return false;
    }
    if (argument) {
        static const smp_macro no_macro;
        const surroundings none = {.macro = &no_macro}; /* still at the place of the use */
        source inner = *from;
        inner.text = argument->text;
        inner.length = argument->length;
        inner.at = 0;
        inner.in = from->in->of_arguments ? from->in->of_arguments : &none;
        inner.depth++;
        return expand_all(s, &inner);
    }
    const smp_macro *macro = token.kind == SMP_TOKEN_NAME ? find_macro(s->layout, &token) : NULL;
    if (macro && macro->is_function) {
        source ahead = *from;
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

/* ---- Directives ------------------------------------------------------------------------ */

static bool is_active(const stream *s) {
    return s->condition_count == 0 || s->conditions[s->condition_count - 1].is_taken;
}

/* To the end of the line, with its continuations. */
static size_t end_of_directive(const source *from) {
    size_t at = from->at;
    while (at < from->length && from->text[at] != '\n') {
        bool continues =
            from->text[at] == '\\' && at + 1 < from->length && is_newline(from, at + 1);
        at += continues ? (from->text[at + 1] == '\r' ? 3 : 2) : 1;
    }
    return at < from->length ? at : from->length;
}

static smp_token next_of(source *line) {
    (void)skip_blanks(line, false);
    if (line->at < line->length && is_newline(line, line->at))
        return (smp_token){.text = line->text};
    smp_token token = smp_token_read(line->text, line->length, line->at);
    line->at = token.end;
    return token;
}

static const char *read_parameters(source *line, smp_macro *macro) {
    macro->is_function = true;
    smp_token token = next_of(line);
    token = next_of(line);
    while (token.kind == SMP_TOKEN_NAME) {
        if (macro->parameter_count == SMP_MACRO_PARAMETERS_MAX)
            return "a macro has at most 12 parameters here";
        macro->parameter[macro->parameter_count] = token.text;
        macro->parameter_length[macro->parameter_count++] = token.length;
        token = next_of(line);
        if (token.code == ',')
            token = next_of(line);
    }
    return token.code == ')' ? NULL : "only plain parameters of macros are understood here";
}

/* A '#' behind a macro's text is a comment, but in a function-like macro it makes a string. */
static const char *check_body(const smp_macro *macro, const source *line) {
    const char *at = macro->body, *end = line->text + line->length;
    for (; at < end; at++) {
        bool pastes = at + 1 < end && at[0] == '#' && at[1] == '#';
        if (pastes || (*at == '#' && macro->is_function))
            return "# and ## in macros are not understood here";
    }
    return NULL;
}

static void remove_macro(smp_layout *layout, const smp_token *name) {
    const smp_macro *macro = find_macro(layout, name);
    if (macro)
        layout->macros[macro - layout->macros] = layout->macros[--layout->macro_count];
}

static const char *define(stream *s, source *line) {
    smp_token name = next_of(line);
    smp_macro macro = {.name = name.text, .length = name.length};
    if (name.kind != SMP_TOKEN_NAME)
        return "expected a name behind #define";
    if (smp_layout_knows(s->layout, name.text, name.length))
        return "the name behind #define already has a meaning";
    if (line->at < line->length && line->text[line->at] == '(') {
        const char *problem = read_parameters(line, &macro);
        if (problem)
            return problem;
    }
    (void)skip_blanks(line, false);
    macro.body = line->text + line->at;
    for (size_t at = line->at; at < line->length; at = line->at) {
        smp_token token = next_of(line);
        if (token.kind == SMP_TOKEN_END)
            break;
        macro.body_length = (size_t)(token.text + token.length - macro.body);
    }
    const smp_macro *before = find_macro(s->layout, &name);
    if (before && (before->body_length != macro.body_length ||
                   memcmp(before->body, macro.body, macro.body_length) != 0))
        return "this macro is already defined otherwise";
    if (before)
        return NULL;
    if (s->layout->macro_count == SMP_MACROS_MAX)
        return "more macros than there is room for (128)";
    s->layout->macros[s->layout->macro_count++] = macro;
    return check_body(&macro, line);
}

static bool is_defined(const stream *s, const smp_token *name) {
    return find_macro(s->layout, name) != NULL ||
           smp_scope_find(&s->layout->scope, name->text, name->length) != NULL;
}

/* "defined(NAME)" or "defined NAME" becomes 0 or 1. */
static void put_defined(stream *s, source *line) {
    smp_token name = next_of(line);
    bool is_list = name.code == '(' && name.kind == SMP_TOKEN_PUNCT;
    if (is_list)
        name = next_of(line);
    if (is_list)
        (void)next_of(line);
    put(s, (smp_token){.kind = SMP_TOKEN_NUMBER,
                       .text = name.text,
                       .length = name.length,
                       .value = is_defined(s, &name)});
}

/* The value of what follows #if. */
static const char *evaluate(stream *s, source *line, bool *out) {
    stream inner = {.layout = s->layout};
    smp_token token;
    while ((token = next_of(line)).kind != SMP_TOKEN_END && !inner.is_full) {
        if (smp_token_is(&token, "defined"))
            put_defined(&inner, line);
        else if (!expand(&inner, line, token))
            break;
    }
    put(&inner, (smp_token){.kind = SMP_TOKEN_END, .text = line->text});
    int64_t value = 0;
    smp_kind kind;
    smp_parser parser = {.text = line->text,
                         .length = line->length,
                         .tokens = inner.tokens,
                         .layout = s->layout,
                         .code = &s->layout->code};
    bool sound = !inner.is_short_of_memory && inner.count > 0;
    if (sound)
        smp_parser_return(&parser, 0);
    sound =
        sound && smp_expr_constant(&parser, &value, &kind) && parser.token.kind == SMP_TOKEN_END;
    free(inner.tokens);
    *out = value != 0;
    return sound ? NULL
                 : "this condition is not understood: a name in it is not defined here, or it is "
                   "no integer (a comment that begins like this needs //)";
}

static const char *begin_condition(stream *s, source *line, const smp_token *word) {
    bool value = false, runs = is_active(s);
    const char *problem = NULL;
    if (s->condition_count == CONDITIONS_MAX)
        return "#if nested too deeply";
    if (runs && smp_token_is(word, "if")) {
        problem = evaluate(s, line, &value);
    } else if (runs) {
        smp_token name = next_of(line);
        value = is_defined(s, &name) == smp_token_is(word, "ifdef");
        problem = name.kind == SMP_TOKEN_NAME ? NULL : "expected a name here";
    }
    s->conditions[s->condition_count++] = (condition){value || !runs, value, false};
    return problem;
}

static const char *change_condition(stream *s, source *line, const smp_token *word) {
    if (s->condition_count == 0)
        return "there is no #if before this (a comment that begins like this needs //)";
    condition *c = &s->conditions[s->condition_count - 1];
    if (smp_token_is(word, "endif")) {
        s->condition_count--;
        return NULL;
    }
    if (c->had_else)
        return "there was an #else already";
    bool value = !c->was_taken;
    const char *problem = NULL;
    c->had_else = smp_token_is(word, "else");
    if (value && !c->had_else)
        problem = evaluate(s, line, &value);
    c->is_taken = value;
    c->was_taken |= value;
    return problem;
}

static bool is_one_of(const smp_token *word, const char *const *list, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (smp_token_is(word, list[i]))
            return true;
    }
    return false;
}

/* The source is at '#'. False if a comment begins there. */
static bool run_directive(stream *s, source *from) {
    static const char *const begins[] = {"if", "ifdef", "ifndef"};
    static const char *const changes[] = {"elif", "else", "endif"};
    static const char *const ignored[] = {"include", "pragma", "line", "warning"};
    source line = *from;
    line.at++;
    line.length = end_of_directive(&line);
    smp_token word = smp_token_read(line.text, line.length, line.at);
    const char *problem = NULL;
    line.at = word.end;
    if (is_one_of(&word, begins, 3))
        problem = begin_condition(s, &line, &word);
    else if (is_one_of(&word, changes, 3))
        problem = change_condition(s, &line, &word);
    else if (smp_token_is(&word, "define"))
        problem = is_active(s) ? define(s, &line) : NULL;
    else if (smp_token_is(&word, "undef")) {
        smp_token name = next_of(&line);
        if (is_active(s))
            remove_macro(s->layout, &name);
    } else if (smp_token_is(&word, "error") && word.position == from->at + 1)
        problem = is_active(s) ? "an #error is reached" : NULL;
    else if (!is_one_of(&word, ignored, 4) || word.position != from->at + 1)
        return false;
    if (problem)
        put_error(s, from->text, from->at, problem);
    from->at = line.length;
    return true;
}

/* ---- The text -------------------------------------------------------------------------- */

static void read_all(stream *s, source *from) {
    bool is_first = true;
    while (!s->is_full && from->at < from->length) {
        while (from->at < from->length &&
               (from->text[from->at] == ' ' || from->text[from->at] == '\t'))
            from->at++;
        bool is_directive = is_first && from->at < from->length && from->text[from->at] == '#' &&
                            run_directive(s, from);
        if (!is_directive && !skip_blanks(from, false)) {
            put_error(s, from->text, from->at, "this comment does not end");
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
        smp_token token = smp_token_read(from->text, from->length, from->at);
        from->at = token.end;
        (void)expand(s, from, token);
    }
}

smp_token *smp_preprocess(smp_layout *layout, const char *text, size_t length) {
    stream s = {.layout = layout, .starts_line = true};
    source from = {.text = text, .length = length};
    read_all(&s, &from);
    if (s.condition_count > 0)
        put_error(&s, text, length, "#endif is missing");
    s.brackets = 0;
    s.starts_line = true;
    put(&s, (smp_token){
                .kind = SMP_TOKEN_END, .text = text + length, .position = length, .end = length});
    if (!s.is_short_of_memory)
        return s.tokens;
    free(s.tokens);
    return NULL;
}
