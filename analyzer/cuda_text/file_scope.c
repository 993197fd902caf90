/* SPDX-License-Identifier: MIT */
/*
 * What stands outside of functions in a whole .cu: types, constants and variables, of the device
 * and of the host. What is not understood there is passed over, as if it were not in the text: a
 * kernel that needs it meets a name that nothing declares.
 */
#include <string.h>

#include "function.h"
#include "layout.h"
#include "suggest.h"

/* What a statement that fails may have changed. */
typedef struct place {
    ct_parser parser;
    uint32_t code, statements, accesses, arrays, loops, types, aliases;
    unsigned slots;
    ct_scope scope;
    ct_statement root;
} place;

static void look(const ct_parser *parser, place *out) {
    const smp_layout *layout = parser->layout;
    out->parser = *parser;
    out->code = layout->kernel.code.count;
    out->statements = layout->kernel.statement_count;
    out->accesses = layout->kernel.access_count;
    out->arrays = layout->kernel.array_count;
    out->loops = layout->kernel.loop_count;
    out->types = layout->types.count;
    out->aliases = layout->types.alias_count;
    out->slots = layout->kernel.slot_count;
    out->scope = layout->scope;
    out->root = layout->kernel.statements[0];
}

static void go_back(ct_parser *parser, const place *to) {
    smp_layout *layout = parser->layout;
    *parser = to->parser;
    layout->kernel.code.count = to->code;
    layout->kernel.statement_count = to->statements;
    layout->kernel.access_count = to->accesses;
    layout->kernel.array_count = to->arrays;
    layout->kernel.loop_count = to->loops;
    layout->types.count = to->types;
    layout->types.alias_count = to->aliases;
    layout->kernel.slot_count = (uint16_t)to->slots;
    layout->scope = to->scope;
    layout->kernel.statements[0] = to->root;
    if (to->root.last != 0)
        layout->kernel.statements[to->root.last].next = 0;
}

/* Behind the ';' or the body that ends what begins at `at`; 0: it does not end. */
static uint32_t behind(const ct_token *tokens, uint32_t at, bool has_body) {
    for (; tokens[at].kind != CT_TOKEN_END; at++) {
        if (ct_token_is_punct(&tokens[at], ';'))
            return at + 1;
        if (ct_token_is_punct(&tokens[at], '(') || ct_token_is_punct(&tokens[at], '[')) {
            const char open = (char)tokens[at].code;
            at = ct_behind_bracket(tokens, at, open, open == '(' ? ')' : ']') - 1;
        } else if (ct_token_is_punct(&tokens[at], '{')) {
            at = ct_behind_bracket(tokens, at, '{', '}') - 1;
            if (!has_body && !ct_token_is_punct(&tokens[at + 1], ';') &&
                !ct_token_is_punct(&tokens[at + 1], ','))
                return at + 1;
        }
    }
    return 0;
}

static bool has_kernel(const ct_token *tokens) {
    for (; tokens->kind != CT_TOKEN_END; tokens++) {
        if (ct_token_is(tokens, "__global__"))
            return true;
    }
    return false;
}

/* A slip in a word of the layout language is no type of the host. */
static bool is_like_word(const ct_token *name) {
    static const char *const words[] = {"expect", "shared", "global", "block",  "blockIdx", "grid",
                                        "define", "data",   "arch",   "kernel", "let",      "end"};
    char text[40];
    const size_t length = name->length < sizeof text ? name->length : sizeof text - 1;
    memcpy(text, name->text, length);
    text[length] = '\0';
    return suggest(text, words, sizeof words / sizeof words[0]) != NULL;
}

/* True of what may be the host's: a declaration that ends in ';' or with a body. */
static bool may_be_of_host(const ct_parser *parser) {
    static const char *const words[] = {"struct", "class",  "union",        "typedef",
                                        "using",  "enum",   "const",        "constexpr",
                                        "static", "extern", "static_assert"};
    const ct_token *token = &parser->token, *next = &parser->tokens[parser->at + 1];
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (ct_token_is(token, words[i]))
            return true;
    }
    const bool is_declared = next->kind == CT_TOKEN_NAME || ct_token_is_punct(next, '<') ||
                             ct_token_is_punct(next, '*') || ct_token_is_punct(next, '&') ||
                             ct_token_is_punct(next, CT_PUNCT2(':', ':'));
    if (ct_token_is(token, "template"))
        return true;
    return token->kind == CT_TOKEN_NAME && is_declared && !next->starts_line &&
           !ct_type_starts(parser) && !is_like_word(token);
}

/* The device's own are asked for where they fail. */
static bool is_of_device(const ct_token *tokens, uint32_t at, uint32_t end) {
    static const char *const words[] = {"__global__",   "__device__", "__shared__",
                                        "__constant__", "shared",     "global"};
    for (; at < end && !ct_token_is_punct(&tokens[at], '{'); at++) {
        for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
            if (ct_token_is(&tokens[at], words[i]))
                return true;
        }
    }
    return false;
}

bool ct_file_scope_parse(ct_parser *parser, bool *has) {
    static const char *const bodies[] = {"struct", "class", "union", "enum", "typedef"};
    const ct_token *tokens = parser->tokens;
    const uint32_t at = parser->at;
    bool has_body = false;
    for (size_t i = 0; i < sizeof bodies / sizeof bodies[0]; i++)
        has_body |= ct_parser_is_name(parser, bodies[i]);
    *has = false;
    if (parser->layout->open != 0 || !may_be_of_host(parser))
        return true;
    const uint32_t end = behind(tokens, at, has_body);
    if (end == 0 || is_of_device(tokens, at, end) || !has_kernel(tokens))
        return true;
    place start;
    smp_error error, *const told = parser->error;
    look(parser, &start);
    *has = true;
    parser->error = &error;
    if (ct_statement_parse(parser)) {
        parser->error = told;
        return true;
    }
    const smp_status status = parser->status;
    go_back(parser, &start);
    if (status == SMP_E_MEMORY) {
        *has = false;
        return true; /* fails once more */
    }
    ct_parser_return(parser, end);
    return parser->status == SMP_OK;
}
