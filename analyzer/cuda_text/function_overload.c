/* SPDX-License-Identifier: MIT */
/*
 * Which of several functions of one name a call means, by the types of its arguments: an argument
 * of the parameter's very type is better than one that is promoted, and that than one that is
 * converted. One function must be as good as each other for every argument, and better for one;
 * else, a function is better than a template. Source: C++17, [over.match.best], [over.ics.rank].
 */
#include <string.h>

#include "function.h"
#include "layout.h"

/* Each level reads its arguments twice. */
enum { TRIALS_NESTED_MAX = 4 };

typedef enum rank { EXACT, PROMOTED, CONVERTED, NONE } rank;

typedef struct given_type {
    const smp_type *type; /* of a pointer: what it points to */
    bool is_pointer, is_place;
} given_type;

/* A parameter as it is declared. */
typedef struct wanted_type {
    ct_type_use use;
    bool is_pointer, is_reference, is_of_template;
    ct_token name; /* of its type */
} wanted_type;

/* ---- Arguments ------------------------------------------------------------------------- */

/* Reads the arguments for nothing but their types; the current token is the parenthesis again. */
static bool read_given(ct_parser *parser, given_type *out, unsigned *count) {
    const uint32_t start = parser->at;
    const ct_parser before = *parser;
    smp_layout *layout = parser->layout;
    const uint32_t code = parser->code->count, accesses = layout->kernel.access_count;
    const uint32_t statements = layout->kernel.statement_count, slots = layout->kernel.slot_count;
    const uint32_t loops = layout->kernel.loop_count, arrays = layout->kernel.array_count;
    bool sound = ct_parser_expect(parser, '(');
    *count = 0;
    parser->in_arguments = true;
    parser->trials++;
    while (sound && !ct_parser_is(parser, ')') && *count < CT_ARGUMENTS_MAX) {
        ct_operand operand;
        given_type *to = &out[(*count)++];
        sound = ct_expr_assignment(parser, &operand);
        *to = (given_type){.is_place =
                               operand.form == CT_FORM_OBJECT || operand.form == CT_FORM_SLOT};
        bool decays = operand.form == CT_FORM_OBJECT && !ct_place_is_whole(layout, &operand);
        if (sound && (decays || operand.form == CT_FORM_POINTER)) {
            sound = ct_operand_value(parser, &operand);
            to->is_pointer = true;
            to->type = operand.shape.dim_count == 0 ? operand.shape.type : NULL;
        } else if (sound) {
            to->type = ct_operand_type(&operand);
        }
        if (!ct_parser_accept(parser, ','))
            break;
    }
    if (!sound)
        return false;
    *parser = before;
    parser->code->count = code;
    layout->kernel.access_count = accesses;
    layout->kernel.statement_count = statements;
    layout->kernel.slot_count = slots;
    layout->kernel.loop_count = loops;
    layout->kernel.array_count = arrays;
    ct_parser_return(parser, start);
    return true;
}

/* ---- Parameters ------------------------------------------------------------------------ */

static bool take_words(ct_parser *parser) {
    bool is_const = false;
    for (;;) {
        if (ct_parser_accept_name(parser, "const"))
            is_const = true;
        else if (!ct_parser_accept_name(parser, "volatile") &&
                 !ct_parser_accept_name(parser, "__restrict__") &&
                 !ct_parser_accept_name(parser, "__restrict"))
            return is_const;
    }
}

/* Parameter `index`; false: it is none of the plain ones. */
static bool read_wanted(ct_parser *parser, const ct_definition *f, unsigned index,
                        wanted_type *out) {
    const ct_token *tokens = parser->tokens;
    const uint32_t back = parser->at;
    uint32_t at = f->list + 1;
    for (unsigned depth = 0; index > 0 && at < f->body; at++) {
        depth += ct_token_is_punct(&tokens[at], '(') || ct_token_is_punct(&tokens[at], '{');
        depth -= ct_token_is_punct(&tokens[at], ')') || ct_token_is_punct(&tokens[at], '}');
        index -= depth == 0 && ct_token_is_punct(&tokens[at], ',');
    }
    *out = (wanted_type){.is_of_template = false};
    ct_parser_return(parser, at);
    bool is_const = take_words(parser), sound = true;
    out->name = parser->token;
    out->is_of_template = ct_function_names(parser, f, &parser->token);
    if (out->is_of_template)
        ct_parser_next(parser);
    else
        sound = ct_type_starts(parser) && ct_type_use_parse(parser, &out->use);
    is_const |= out->use.is_const | take_words(parser);
    out->is_pointer = ct_parser_accept(parser, '*');
    (void)take_words(parser);
    out->is_reference = ct_parser_accept(parser, '&') && !is_const;
    if (parser->token.kind == CT_TOKEN_NAME)
        ct_parser_next(parser);
    if (ct_parser_is(parser, '['))
        out->is_pointer = true;
    sound = sound && !ct_parser_is(parser, '(') && !out->use.is_auto;
    ct_parser_return(parser, back);
    return sound && parser->status == SMP_OK;
}

/* ---- Ranks ----------------------------------------------------------------------------- */

static bool is_arithmetic(const smp_type *type) {
    return smp_type_is_integer(type) || type == ct_type_float(false) || type == ct_type_float(true);
}

/* A value of 64 bits is taken for each of the types of C++ that have so many. */
static bool is_same(const smp_type *a, const smp_type *b) {
    return a == b || (smp_type_is_integer(a) && smp_type_is_integer(b) && a->integer.bits == 64 &&
                      b->integer.bits == 64 && a->integer.is_signed == b->integer.is_signed);
}

static rank rank_of(const wanted_type *wanted, const given_type *given) {
    const smp_type *to = wanted->use.type, *from = given->type;
    if (wanted->is_of_template)
        return wanted->is_pointer && !given->is_pointer ? NONE : EXACT;
    if (wanted->is_pointer != given->is_pointer)
        return NONE;
    if (wanted->is_pointer)
        return wanted->use.is_void ? CONVERTED : to == from ? EXACT : NONE;
    if (is_same(to, from))
        return wanted->is_reference && !given->is_place ? NONE : EXACT;
    if (wanted->is_reference || !is_arithmetic(to) || !is_arithmetic(from))
        return NONE;
    const bool is_promoted =
        (to == ct_type_of_kind(CT_I32) && smp_type_is_integer(from) && from->integer.bits < 32) ||
        (to == ct_type_float(true) && from == ct_type_float(false));
    return is_promoted ? PROMOTED : CONVERTED;
}

/* True if `a` is at least as good for each argument, and better for one or no template. */
static bool is_better(const rank *a, const rank *b, unsigned count, bool a_is_template,
                      bool b_is_template) {
    bool is_better_once = !a_is_template && b_is_template;
    for (unsigned i = 0; i < count; i++) {
        if (a[i] > b[i])
            return false;
        is_better_once |= a[i] < b[i];
    }
    return is_better_once;
}

/* Ranks of all arguments; *fits: the function can be called with them. */
static bool rank_all(ct_parser *parser, const ct_definition *f, const given_type *given,
                     unsigned count, rank *out, bool *fits) {
    wanted_type wanted[CT_ARGUMENTS_MAX];
    *fits = true;
    for (unsigned i = 0; i < count; i++) {
        if (!read_wanted(parser, f, i, &wanted[i]))
            return false;
        out[i] = rank_of(&wanted[i], &given[i]);
        *fits &= out[i] != NONE;
        /* One T of a template is one type. */
        for (unsigned k = 0; k < i && wanted[i].is_of_template; k++)
            *fits &= !wanted[k].is_of_template || given[k].type == given[i].type ||
                     wanted[k].name.length != wanted[i].name.length ||
                     memcmp(wanted[k].name.text, wanted[i].name.text, wanted[i].name.length) != 0;
    }
    return true;
}

bool ct_function_overload(ct_parser *parser, const ct_definition *all, unsigned count,
                          unsigned *chosen) {
    given_type given[CT_ARGUMENTS_MAX];
    rank ranks[CT_OVERLOADS_MAX][CT_ARGUMENTS_MAX];
    bool fits[CT_OVERLOADS_MAX], is_template[CT_OVERLOADS_MAX];
    unsigned arguments;
    *chosen = count;
    if (parser->trials == TRIALS_NESTED_MAX)
        return true;
    if (!read_given(parser, given, &arguments))
        return false;
    for (unsigned i = 0; i < arguments; i++) {
        if (!given[i].type)
            return true;
    }
    for (unsigned i = 0; i < count; i++) {
        is_template[i] = ct_token_is(&parser->tokens[all[i].head], "template");
        if (!rank_all(parser, &all[i], given, arguments, ranks[i], &fits[i]))
            return parser->status == SMP_OK;
    }
    for (unsigned i = 0; i < count; i++) {
        bool is_best = fits[i];
        for (unsigned k = 0; k < count && is_best; k++)
            is_best = k == i || !fits[k] ||
                      is_better(ranks[i], ranks[k], arguments, is_template[i], is_template[k]);
        if (is_best)
            *chosen = i;
    }
    return true;
}
