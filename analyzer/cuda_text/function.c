/* SPDX-License-Identifier: MIT */
/*
 * Functions of the device: where they stand in a text, which of them a call means, and whether it
 * is worth a look. One that can neither reach an array nor give an integer gives data.
 */
#include <string.h>

#include "function.h"
#include "layout.h"

enum { HEAD_MAX = 64 };

/* ---- Where it stands ------------------------------------------------------------------- */

bool ct_function_qualifier(const ct_token *token) {
    static const char *const words[] = {"__device__", "__host__",     "__forceinline__",
                                        "__inline__", "__noinline__", "static",
                                        "inline",     "constexpr",    "extern"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (ct_token_is(token, words[i]))
            return true;
    }
    return false;
}

/* A name with a list and a body behind it, on the device: that is a definition. */
static bool is_definition(const ct_token *tokens, uint32_t at, ct_definition *out) {
    static const char ends[] = ";{}:";
    const uint32_t list = at + 1 + (ct_token_is(&tokens[at], "operator") ? 2 : 0);
    if (at == 0 || !ct_token_is_punct(&tokens[list], '('))
        return false;
    *out = (ct_definition){.head = at, .name = at, .list = list};
    out->body = ct_behind_bracket(tokens, list, '(', ')');
    while (ct_token_is(&tokens[out->body], "const") || ct_token_is(&tokens[out->body], "noexcept"))
        out->body++;
    if (!ct_token_is_punct(&tokens[out->body], '{'))
        return false;
    out->end = ct_behind_bracket(tokens, out->body, '{', '}');
    bool is_device = false;
    for (uint32_t i = at; i-- > 0;) {
        bool is_end = tokens[i].kind == CT_TOKEN_PUNCT && tokens[i].code < 128 &&
                      strchr(ends, (int)tokens[i].code) != NULL;
        if (is_end || ct_token_is(&tokens[i], "__global__"))
            break;
        is_device |= ct_token_is(&tokens[i], "__device__");
        if (ct_function_qualifier(&tokens[i]) || ct_token_is(&tokens[i], "template"))
            out->head = i;
    }
    return is_device;
}

/* Behind the body of a struct that begins at `at`, else `at`. */
static uint32_t behind_struct(const ct_token *tokens, uint32_t at) {
    static const char ends[] = ";()=}";
    uint32_t i = at + 1;
    if (!ct_token_is(&tokens[at], "struct") && !ct_token_is(&tokens[at], "class"))
        return at;
    while (ct_token_is(&tokens[i], "__align__") || ct_token_is(&tokens[i], "alignas"))
        i = ct_behind_bracket(tokens, i + 1, '(', ')');
    for (; tokens[i].kind != CT_TOKEN_END && !ct_token_is_punct(&tokens[i], '{'); i++) {
        if (tokens[i].kind == CT_TOKEN_PUNCT && tokens[i].code < 128 &&
            strchr(ends, (int)tokens[i].code))
            return at;
    }
    return ct_behind_bracket(tokens, i, '{', '}');
}

/* The next one of that name from token *at on, which goes behind it; methods are none. */
static bool find_next(const ct_parser *parser, const ct_token *name, uint32_t *at,
                      ct_definition *out) {
    const ct_token *tokens = parser->tokens;
    for (; tokens[*at].kind != CT_TOKEN_END; ++*at) {
        *at = behind_struct(tokens, *at);
        bool is_same = tokens[*at].kind == CT_TOKEN_NAME && tokens[*at].length == name->length &&
                       memcmp(tokens[*at].text, name->text, name->length) == 0;
        if (is_same && is_definition(tokens, *at, out)) {
            ++*at;
            return true;
        }
    }
    return false;
}

/* The same of methods of a struct. */
static bool find_method(const ct_parser *parser, const ct_token *name, const smp_type *type,
                        uint32_t *at, ct_definition *out) {
    const ct_token *tokens = parser->tokens;
    const ct_class *of = type->class_of;
    if (!of || of->tokens != parser->text)
        return false;
    for (*at = *at > of->body ? *at : of->body + 1; *at < of->end; ++*at) {
        const bool is_operator = ct_token_is(name, "operator");
        bool is_same = tokens[*at].kind == CT_TOKEN_NAME && tokens[*at].length == name->length &&
                       memcmp(tokens[*at].text, name->text, name->length) == 0;
        if (is_operator)
            is_same &= ct_token_is_punct(&tokens[*at + 1], name->code);
        if (is_same && is_definition(tokens, *at, out)) {
            *at = out->end;
            return true;
        }
        if (ct_token_is_punct(&tokens[*at], '{'))
            *at = ct_behind_bracket(tokens, *at, '{', '}') - 1;
    }
    return false;
}

bool ct_function_is_template(const ct_parser *parser, const ct_token *name) {
    ct_definition f;
    for (uint32_t at = 0; find_next(parser, name, &at, &f);) {
        if (ct_token_is(&parser->tokens[f.head], "template"))
            return true;
    }
    return false;
}

bool ct_function_takes_reference(const ct_parser *parser, const ct_token *name) {
    ct_definition f;
    for (uint32_t at = 0; find_next(parser, name, &at, &f);) {
        for (uint32_t i = f.list; i < f.body; i++) {
            if (ct_token_is_punct(&parser->tokens[i], '&') ||
                ct_token_is_punct(&parser->tokens[i], CT_PUNCT2('&', '&')))
                return true;
        }
    }
    return false;
}

/* Behind "<int, 3>" of a call at `at`, or `at` if it is none. */
static uint32_t behind_template(const ct_token *tokens, uint32_t at) {
    uint32_t end = ct_behind_bracket(tokens, at, '<', '>');
    for (uint32_t i = at + 1; i + 1 < end; i++) {
        bool is_part = tokens[i].kind == CT_TOKEN_NAME || tokens[i].kind == CT_TOKEN_NUMBER ||
                       ct_token_is_punct(&tokens[i], ',') ||
                       ct_token_is_punct(&tokens[i], CT_PUNCT2(':', ':'));
        if (!is_part)
            return at;
    }
    return ct_token_is_punct(&tokens[end], '(') ? end : at;
}

/* Parameters or arguments between the parentheses at `list`; `least`: those without default. */
static unsigned count_list(const ct_token *tokens, uint32_t list, unsigned *least) {
    unsigned depth = 0, count = 0, defaults = 0;
    uint32_t end = ct_behind_bracket(tokens, list, '(', ')');
    for (uint32_t at = list; at < end; at++) {
        if (ct_token_is_punct(&tokens[at], '<'))
            at = behind_template(tokens, at);
        const ct_token *token = &tokens[at];
        if (token->kind != CT_TOKEN_PUNCT)
            continue;
        bool opens = token->code == '(' || token->code == '[' || token->code == '{';
        bool closes = token->code == ')' || token->code == ']' || token->code == '}';
        depth += opens;
        depth -= closes;
        count += token->code == ',' && depth == 1;
        defaults += token->code == '=' && depth == 1;
    }
    count += end > list + 2;
    bool is_void = end == list + 3 && ct_token_is(&tokens[list + 1], "void");
    *least = is_void ? 0 : count - defaults;
    return is_void ? 0 : count;
}

/* The same of a call: "[3]" is one, too. */
static unsigned count_arguments(const ct_token *tokens, uint32_t list, unsigned *least) {
    *least = 1;
    return ct_token_is_punct(&tokens[list], '[') ? 1 : count_list(tokens, list, least);
}

/* A head up to the first of these, behind "template <...>"; what it holds. */
typedef struct head {
    uint32_t end;
    bool is_template, is_device, is_kernel, is_struct;
} head;

static head read_head(const ct_token *tokens, uint32_t at) {
    static const char ends[] = "({;=[}";
    head out = {.is_template = ct_token_is(&tokens[at], "template")};
    while (ct_token_is(&tokens[at], "template") && ct_token_is_punct(&tokens[at + 1], '<'))
        at = ct_behind_bracket(tokens, at + 1, '<', '>');
    for (uint32_t last = at + HEAD_MAX; at < last && tokens[at].kind != CT_TOKEN_END; at++) {
        const ct_token *token = &tokens[at];
        bool is_end = token->kind == CT_TOKEN_PUNCT && token->code < 128 &&
                      strchr(ends, (int)token->code) != NULL;
        if (is_end)
            break;
        if (ct_token_is(token, "alignas") || ct_token_is(token, "__align__"))
            at = ct_behind_bracket(tokens, at + 1, '(', ')') - 1;
        out.is_device |= ct_token_is(token, "__device__");
        out.is_kernel |= ct_token_is(token, "__global__") || ct_token_is(token, "__shared__");
        out.is_struct |= ct_token_is(token, "struct") || ct_token_is(token, "class");
    }
    out.end = at;
    return out;
}

/* Behind a body or a ';' at `at`, or 0. */
static uint32_t behind_body(const ct_token *tokens, uint32_t at) {
    while (ct_token_is(&tokens[at], "const") || ct_token_is(&tokens[at], "noexcept"))
        at++;
    if (ct_token_is_punct(&tokens[at], '{'))
        return ct_behind_bracket(tokens, at, '{', '}');
    return ct_token_is_punct(&tokens[at], ';') ? at + 1 : 0;
}

bool ct_function_skip(ct_parser *parser, bool *has) {
    const ct_token *tokens = parser->tokens;
    *has = false;
    if (parser->layout->open != 0 || parser->token.kind != CT_TOKEN_NAME)
        return true;
    head h = read_head(tokens, parser->at);
    if (h.is_kernel || (!h.is_device && !h.is_template))
        return true;
    uint32_t end = 0;
    if (ct_token_is_punct(&tokens[h.end], '('))
        end = behind_body(tokens, ct_behind_bracket(tokens, h.end, '(', ')'));
    else if (h.is_struct && ct_token_is_punct(&tokens[h.end], '{'))
        end = ct_behind_bracket(tokens, h.end, '{', '}');
    else if (h.is_struct && ct_token_is_punct(&tokens[h.end], ';'))
        end = h.end;
    *has = end > 0;
    if (*has)
        ct_parser_return(parser, end);
    return parser->status == SMP_OK;
}

bool ct_function_names(const ct_parser *parser, const ct_definition *f, const ct_token *name) {
    const ct_token *tokens = parser->tokens;
    if (!ct_token_is(&tokens[f->head], "template") || name->kind != CT_TOKEN_NAME)
        return false;
    uint32_t end = ct_behind_bracket(tokens, f->head + 1, '<', '>');
    for (uint32_t i = f->head + 1; i < end; i++) {
        bool is_same = tokens[i].kind == CT_TOKEN_NAME && tokens[i].length == name->length &&
                       memcmp(tokens[i].text, name->text, name->length) == 0;
        if (is_same)
            return true;
    }
    return false;
}

/* ---- What is worth a look -------------------------------------------------------------- */

static bool gives_integer(ct_parser *parser, const ct_definition *f) {
    bool is_result = false;
    uint32_t at = parser->at, first = f->head;
    if (ct_token_is(&parser->tokens[first], "template"))
        first = ct_behind_bracket(parser->tokens, first + 1, '<', '>');
    while (ct_function_qualifier(&parser->tokens[first]))
        first++;
    for (uint32_t i = first; i < f->name; i++)
        is_result |= ct_token_is_punct(&parser->tokens[i], '*') ||
                     ct_token_is_punct(&parser->tokens[i], '&');
    ct_parser_return(parser, first);
    is_result |= ct_function_names(parser, f, &parser->token);
    if (ct_type_starts(parser)) {
        ct_type_use use;
        is_result |=
            ct_type_use_parse(parser, &use) && (smp_type_is_integer(use.type) || use.is_auto);
    }
    ct_parser_return(parser, at);
    return is_result;
}

/* True if the function can reach memory that counts, or decide an address. */
static bool is_followed(ct_parser *parser, const ct_definition *f) {
    const ct_token *tokens = parser->tokens;
    for (uint32_t i = f->list; i < f->body; i++) {
        if (ct_token_is_punct(&tokens[i], '*') || ct_token_is_punct(&tokens[i], '&') ||
            ct_token_is_punct(&tokens[i], '[') || ct_token_is(&tokens[i], "auto") ||
            ct_function_names(parser, f, &tokens[i]))
            return true;
    }
    for (uint32_t i = f->body; i < f->end; i++) {
        bool is_name = tokens[i].kind == CT_TOKEN_NAME;
        if (is_name &&
            (ct_token_is(&tokens[i], "__shared__") || ct_token_is(&tokens[i], "__syncthreads") ||
             smp_array_find(parser->layout, tokens[i].text, tokens[i].length) >= 0))
            return true;
    }
    return gives_integer(parser, f);
}

/* True if the parameters of both are the same but for 'const'. */
static bool is_same_list(const ct_token *tokens, const ct_definition *a, const ct_definition *b) {
    uint32_t i = a->list, j = b->list;
    for (;; i++, j++) {
        while (i < a->body && ct_token_is(&tokens[i], "const"))
            i++;
        while (j < b->body && ct_token_is(&tokens[j], "const"))
            j++;
        if (i == a->body || j == b->body)
            return i == a->body && j == b->body;
        if (tokens[i].length != tokens[j].length ||
            memcmp(tokens[i].text, tokens[j].text, tokens[i].length) != 0)
            return false;
    }
}

/* Adds it, unless it is there already. */
static void add_fitting(const ct_parser *parser, const ct_definition *f, ct_definition *all,
                        unsigned *count) {
    for (unsigned i = 0; i < *count; i++) {
        if (is_same_list(parser->tokens, &all[i], f))
            return;
    }
    if (*count < CT_OVERLOADS_MAX)
        all[*count] = *f;
    ++*count;
}

/* The one that is called; *has: there is one that has to be followed. */
bool ct_function_choose(ct_parser *parser, const ct_token *name, const smp_type *type,
                        ct_definition *out, bool *has) {
    ct_definition f, all[CT_OVERLOADS_MAX];
    unsigned ignored, count = 0, chosen = 0;
    const unsigned given = count_arguments(parser->tokens, parser->at, &ignored);
    *has = false;
    for (uint32_t at = 0;
         type ? find_method(parser, name, type, &at, &f) : find_next(parser, name, &at, &f);) {
        unsigned least, most = count_list(parser->tokens, f.list, &least);
        if (given >= least && given <= most)
            add_fitting(parser, &f, all, &count);
    }
    for (unsigned i = 0; i < count && i < CT_OVERLOADS_MAX; i++)
        *has |= type || is_followed(parser, &all[i]);
    if (!*has)
        return true;
    if (count > CT_OVERLOADS_MAX)
        chosen = count;
    else if (count > 1 && !ct_function_overload(parser, all, count, &chosen))
        return false;
    if (chosen == count)
        return ct_parser_fail(parser, SMP_E_SYNTAX, name->position,
                              "more than one function '%.*s' takes %u argument%s, and which is "
                              "meant is not followed; 'emulate' runs the machine code",
                              CT_TOKEN_TEXT(*name), given, given == 1 ? "" : "s");
    *out = all[chosen];
    *has = type || is_followed(parser, out);
    return true;
}
