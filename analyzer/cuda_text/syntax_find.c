/* SPDX-License-Identifier: MIT */
/*
 * Finds device functions in the tokens of a text, and skips functions at file scope. A kernel
 * that needs something skipped meets an undeclared name.
 */
#include <string.h>

#include "syntax_parser.h"

enum { HEAD_MAX = 64 };

/* ---- Definitions ---- */

bool ct_function_qualifies(const ct_token *token) {
    return ct_token_is(token, "__device__ __host__ __forceinline__ __inline__ __noinline__ "
                              "static inline constexpr extern");
}

/* Adds the function that is defined at token `at`, if one is; false if out of memory. */
static bool find_definition(ct_unit *unit, uint32_t at, ct_function ***end) {
    const ct_token *tokens = unit->tokens;
    ct_function f = {.head = at, .name = at, .list = at + 1};
    bool is_device = false;
    if (at == 0 || tokens[at].kind != CT_TOKEN_NAME || tokens[f.list].code != '(')
        return true;
    f.body = ct_behind(tokens, f.list, "(");
    while (ct_token_is(&tokens[f.body], "const noexcept"))
        f.body++;
    if (tokens[f.body].code != '{')
        return true;
    for (uint32_t i = at; i-- > 0;) {
        if (ct_token_is_one_of(&tokens[i], ";{}:") || ct_token_is(&tokens[i], "__global__"))
            break;
        is_device |= ct_token_is(&tokens[i], "__device__");
        if (ct_function_qualifies(&tokens[i]) || ct_token_is(&tokens[i], "template"))
            f.head = i;
    }
    if (!is_device)
        return true;
    f.end = ct_behind(tokens, f.body, "{");
    ct_function *kept = **end = ct_unit_take(unit, sizeof *kept);
    if (!kept)
        return false;
    *kept = f;
    *end = &kept->next;
    return true;
}

/* The end of a struct that begins at `at`; otherwise `at`. */
static uint32_t behind_struct(const ct_token *tokens, uint32_t at) {
    uint32_t i = at + 1;
    if (!ct_token_is(&tokens[at], "struct class"))
        return at;
    while (ct_token_is(&tokens[i], "__align__ alignas"))
        i = ct_behind(tokens, i + 1, "(");
    while (tokens[i].kind != CT_TOKEN_END && !ct_token_is_one_of(&tokens[i], ";()=}{"))
        i++;
    return tokens[i].code == '{' ? ct_behind(tokens, i, "{") : at;
}

ct_function *ct_function_next(ct_unit *unit, const ct_token *name, ct_function *f) {
    const ct_token *tokens = unit->tokens;
    ct_function **end = &unit->functions;
    for (uint32_t at = 0; !unit->has_functions && tokens[at].kind != CT_TOKEN_END; at++) {
        at = behind_struct(tokens, at);
        if (tokens[at].kind == CT_TOKEN_END || !find_definition(unit, at, &end))
            break;
    }
    unit->has_functions = true;
    for (f = f ? f->next : unit->functions; f && !ct_token_same(&tokens[f->name], name);)
        f = f->next;
    return f;
}

bool ct_function_is_template(const ct_unit *unit, const ct_function *f) {
    return ct_token_is(&unit->tokens[f->head], "template");
}

bool ct_function_names(const ct_unit *unit, const ct_function *f, const ct_token *name) {
    for (const ct_node *part = f->given ? f->given->child : NULL; part; part = part->next)
        if (ct_token_same(&unit->tokens[part->at], name))
            return true;
    return false;
}

/* ---- Skipping ---- */

/* The tokens after "template <...>" up to the first of "({;=[}". */
typedef struct head {
    uint32_t end;
    unsigned names;
    bool is_template, is_device, is_kernel, is_struct;
    bool is_other; /* not the start of a host function */
} head;

/* A name, or one that a macro makes by ##. */
static bool is_word(const ct_token *token) {
    return token->kind == CT_TOKEN_NAME || (token->kind == CT_TOKEN_BAD && token->message);
}

static head read_head(const ct_token *tokens, uint32_t at) {
    head out = {.is_template = ct_token_is(&tokens[at], "template")};
    while (ct_token_is(&tokens[at], "template") && tokens[at + 1].code == '<')
        at = ct_behind(tokens, at + 1, "<");
    for (uint32_t last = at + HEAD_MAX; at < last && tokens[at].kind != CT_TOKEN_END; at++) {
        const ct_token *token = &tokens[at];
        const bool is_name = is_word(token);
        if (ct_token_is_one_of(token, "({;=[}"))
            break;
        if (ct_token_is(token, "alignas __align__"))
            at = ct_behind(tokens, at + 1, "(") - 1;
        out.names += is_name;
        out.is_device |= ct_token_is(token, "__device__");
        out.is_kernel |= ct_token_is(token, "__global__ __shared__");
        out.is_struct |= ct_token_is(token, "struct class");
        out.is_other |=
            is_name ? ct_token_is(token, "shared global struct class union enum alignas "
                                         "__align__ else switch goto asm")
                    : token->kind != CT_TOKEN_PUNCT || !strchr("<>,*&:", (int)token->code & 0x7f);
    }
    out.end = at;
    return out;
}

/* True if the tokens after '(' look like the parameters of a declaration: "int, char **argv)". */
static bool are_parameters(const ct_token *tokens, uint32_t at) {
    const ct_token *next = &tokens[at + 1];
    return tokens[at].code == ')' ||
           ct_token_is(&tokens[at], "const struct unsigned signed char short int long float "
                                    "double bool void size_t") ||
           (tokens[at].kind == CT_TOKEN_NAME &&
            (next->kind == CT_TOKEN_NAME || ct_token_is_one_of(next, "*&")));
}

/* The end of a function or class template declared here: "int main(int argc, char **argv) {",
 * "MODULE(name, m) {", "extern int f(int);". 0 for anything else, such as a line of the layout
 * language, which has no ';', before a function. */
static uint32_t behind_skipped(const ct_parser *p) {
    const ct_token *tokens = p->tokens;
    const head h = read_head(tokens, p->at);
    const bool is_of_host = !h.is_device && !h.is_template;
    const bool is_named = h.names > 0 && is_word(&tokens[h.end - 1]);
    const bool is_list = tokens[h.end].code == '(';
    uint32_t at = is_list ? ct_behind(tokens, h.end, "(") : h.end;
    const bool is_choice = ct_token_is(&tokens[p->at], "kernel") && tokens[p->at + 2].starts_line;
    if (h.is_kernel || is_choice ||
        ct_token_is(&tokens[p->at], "expect block blockIdx grid arch let") ||
        !(is_list || (h.is_struct && !is_of_host)) || (is_of_host && (h.is_other || !is_named)))
        return 0;
    while (!is_of_host && ct_token_is(&tokens[at], "const noexcept"))
        at++;
    if (tokens[at].code == '{')
        return ct_behind(tokens, at, "{");
    const bool is_declared =
        !is_of_host || (h.names > 1 && (ct_token_is(&tokens[p->at], "void extern") ||
                                        are_parameters(tokens, h.end + 1)));
    return is_declared && tokens[at].code == ';' ? at + 1 : 0;
}

bool ct_skip_function(ct_parser *p) {
    const bool may = p->is_outside && p->token->kind == CT_TOKEN_NAME;
    const uint32_t end = may ? behind_skipped(p) : 0;
    if (end > 0)
        ct_go_to(p, end);
    return end > 0;
}
