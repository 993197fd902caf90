/* SPDX-License-Identifier: MIT */
/*
 * Which function of the device a call means, and whether it is worth a look. One that can neither
 * reach an array nor give an integer gives data.
 */
#include <stdlib.h>
#include <string.h>

#include "lower.h"

/* ---- By the types of the arguments ---- */

/* An argument of the parameter's very type is better than one that is promoted, and that than one
 * that is converted. One function must be as good as each other for every argument, and better for
 * one; else, a function is better than a template. Source: C++17, [over.match.best],
 * [over.ics.rank]. */

/* Each level looks at its arguments twice. */
enum { TRIALS_NESTED_MAX = 4, OVERLOADS_MAX = 16 };

typedef enum rank { EXACT, PROMOTED, CONVERTED, NONE } rank;

typedef struct given_type {
    const smp_type *type; /* of a pointer: what it points to */
    bool is_pointer, is_place;
} given_type;

/* A parameter as it is declared. */
typedef struct wanted_type {
    ct_type_use use;
    bool is_pointer, is_reference, is_of_template;
    const ct_token *name; /* of its type */
} wanted_type;

/* ---- Arguments ---- */

static bool look_at(ct_lower *l, const ct_node *arg, given_type *out) {
    ct_operand operand;
    ct_lower_expression(l, arg, &operand);
    *out = (given_type){.is_place = operand.form == CT_FORM_OBJECT || operand.form == CT_FORM_SLOT};
    bool decays = operand.form == CT_FORM_OBJECT && !ct_place_is_whole(l, &operand);
    if (!decays && operand.form != CT_FORM_POINTER) {
        out->type = ct_operand_type(&operand);
        return l->status == SMP_OK;
    }
    ct_operand_value(l, &operand);
    out->is_pointer = true;
    out->type = operand.shape.dim_count == 0 ? operand.shape.type : NULL;
    return l->status == SMP_OK;
}

/* The arguments for nothing but their types. */
static bool look_at_all(ct_lower *l, const ct_call *call, given_type *out, unsigned *count) {
    const ct_lower before = *l;
    const ct_mark mark = ct_look(l);
    *count = 0;
    l->trials++;
    for (const ct_node *arg = call->first; arg && *count < CT_ARGUMENTS_MAX; arg = arg->next) {
        if (!look_at(l, arg, &out[(*count)++]))
            return false;
    }
    *l = before;
    ct_take_back(l, &mark);
    return true;
}

/* ---- Parameters ---- */

/* Parameter `index`; false: it is none of the plain ones. */
static bool read_wanted(ct_lower *l, const ct_function *f, unsigned index, wanted_type *out) {
    const ct_node *node = f->parts ? f->parts->child : NULL,
                  *last = f->parts ? f->parts->last : NULL;
    while (node && (node->kind != CT_N_PARAM || index-- > 0))
        node = node->next;
    if (!node || last->kind == CT_N_FAULT)
        return false;
    const ct_node *type = node->child;
    const bool has_dims = type->next && type->next->kind == CT_N_DIM;
    *out = (wanted_type){.name = &l->tokens[type->at]};
    out->is_of_template = ct_function_names(l->unit, f, out->name);
    if (!out->is_of_template && !ct_lower_type_use(l, type, &out->use))
        return false;
    const bool is_const = out->use.is_const || type->flags & CT_IS_CONST;
    out->is_pointer = node->flags & CT_IS_POINTER || has_dims;
    out->is_reference = node->flags & CT_IS_REFERENCE && !is_const;
    return !(node->flags & CT_IS_NESTED) && !out->use.is_auto;
}

/* ---- Ranks ---- */

static bool is_arithmetic(const smp_type *type) {
    return smp_type_is_integer(type) || type == &ct_type_float || type == &ct_type_double;
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
        (to == &ct_type_double && from == &ct_type_float);
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
static bool rank_all(ct_lower *l, const ct_function *f, const given_type *given, unsigned count,
                     rank *out, bool *fits) {
    wanted_type wanted[CT_ARGUMENTS_MAX];
    *fits = true;
    for (unsigned i = 0; i < count; i++) {
        if (!read_wanted(l, f, i, &wanted[i]))
            return false;
        out[i] = rank_of(&wanted[i], &given[i]);
        *fits &= out[i] != NONE;
        /* One T of a template is one type. */
        for (unsigned k = 0; k < i && wanted[i].is_of_template; k++)
            *fits &= !wanted[k].is_of_template || given[k].type == given[i].type ||
                     !ct_token_same(wanted[k].name, wanted[i].name);
    }
    return true;
}

static bool choose_overload(ct_lower *l, const ct_call *call, ct_function *const *all,
                            unsigned count, unsigned *chosen) {
    given_type given[CT_ARGUMENTS_MAX];
    rank ranks[OVERLOADS_MAX][CT_ARGUMENTS_MAX];
    bool fits[OVERLOADS_MAX], is_template[OVERLOADS_MAX];
    unsigned arguments;
    *chosen = count;
    if (l->trials == TRIALS_NESTED_MAX)
        return true;
    if (!look_at_all(l, call, given, &arguments))
        return false;
    for (unsigned i = 0; i < arguments; i++) {
        if (!given[i].type)
            return true;
    }
    for (unsigned i = 0; i < count; i++) {
        is_template[i] = ct_function_is_template(l->unit, all[i]);
        ct_function_read_head(l->unit, all[i], l->unit->known);
        if (!rank_all(l, all[i], given, arguments, ranks[i], &fits[i]))
            return l->status == SMP_OK;
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

ct_known *ct_function_known(ct_lower *l, const smp_type *type) {
    const ct_class *of = type ? type->class_of : NULL;
    ct_known *known = of ? malloc(sizeof *known) : NULL;
    if (!known)
        return NULL;
    *known = *l->unit->known;
    for (uint32_t i = 0; i < type->member_count; i++)
        ct_known_add_word(known, (ct_word){type->members[i].name, type->members[i].length}, false);
    for (unsigned i = 0; i < of->static_count; i++)
        ct_known_add_word(known, of->statics[i].name, false);
    for (const ct_node *param = of->params; param; param = param->next) {
        if (param->kind == CT_N_TYPE_PARAM || param->kind == CT_N_VALUE_PARAM)
            ct_known_add(known, &l->tokens[param->at], param->kind == CT_N_TYPE_PARAM);
    }
    if (type->length > 0)
        ct_known_add_word(known, (ct_word){type->name, type->length}, true);
    return known;
}

/* ---- What is worth a look ---- */

static bool gives_integer(ct_lower *l, ct_function *f) {
    ct_type_use use;
    ct_function_read_head(l->unit, f, l->unit->known);
    const ct_node *result = f->result;
    if (!result || result->kind != CT_N_CAST_TYPE || !result->child)
        return false;
    if (result->flags & (CT_IS_POINTER | CT_IS_REFERENCE) || result->child->flags & CT_IS_AUTO ||
        ct_function_names(l->unit, f, &l->tokens[result->child->at]))
        return true;
    return ct_lower_type_use(l, result->child, &use) && smp_type_is_integer(use.type);
}

/* True if the function can reach memory that counts, or decide an address. */
static bool is_followed(ct_lower *l, ct_function *f) {
    const ct_token *tokens = l->tokens;
    for (uint32_t i = f->list; i < f->body; i++) {
        if (ct_token_is_one_of(&tokens[i], "*&[") || ct_token_is(&tokens[i], "auto") ||
            ct_function_names(l->unit, f, &tokens[i]))
            return true;
    }
    for (uint32_t i = f->body; i < f->end; i++) {
        bool is_name = tokens[i].kind == CT_TOKEN_NAME;
        if (is_name && (ct_token_is_any(&tokens[i], "__shared__ __syncthreads") ||
                        smp_array_find(&l->layout->kernel, tokens[i].text, tokens[i].length) >= 0))
            return true;
    }
    return gives_integer(l, f);
}

/* ---- Which one ---- */

/* True if the parameters of both are the same but for 'const'. */
static bool is_same_list(const ct_token *tokens, const ct_function *a, const ct_function *b) {
    uint32_t i = a->list, j = b->list;
    for (;; i++, j++) {
        while (i < a->body && ct_token_is(&tokens[i], "const"))
            i++;
        while (j < b->body && ct_token_is(&tokens[j], "const"))
            j++;
        if (i == a->body || j == b->body)
            return i == a->body && j == b->body;
        if (!ct_word_is(tokens[i].word, tokens[j].word))
            return false;
    }
}

/* Adds it, unless it is there already. */
static void add_fitting(const ct_lower *l, ct_function *f, ct_function **all, unsigned *count) {
    for (unsigned i = 0; i < *count && i < OVERLOADS_MAX; i++) {
        if (is_same_list(l->tokens, all[i], f))
            return;
    }
    if (*count < OVERLOADS_MAX)
        all[*count] = f;
    ++*count;
}

static unsigned count_arguments(const ct_call *call) {
    unsigned count = 0;
    for (const ct_node *arg = call->first; arg; arg = arg->next)
        count++;
    return count;
}

static ct_function *find_next(const ct_lower *l, const ct_call *call, const smp_type *type,
                              uint32_t *at) {
    const ct_class *of = type ? type->class_of : NULL;
    if (!type)
        return ct_function_next(l->unit, &call->name, at);
    if (!of || of->text != l->unit->text)
        return NULL;
    return ct_method_next(l->unit, &call->name, of->body, of->end, at);
}

ct_function *ct_function_choose(ct_lower *l, const ct_call *call, const smp_type *type) {
    ct_function *f, *all[OVERLOADS_MAX];
    unsigned count = 0, chosen = 0;
    const unsigned given = count_arguments(call);
    bool has = false;
    for (uint32_t at = 0; (f = find_next(l, call, type, &at)) != NULL;) {
        unsigned least, most = ct_count_list(l->tokens, f->list, &least);
        if (given >= least && given <= most)
            add_fitting(l, f, all, &count);
    }
    for (unsigned i = 0; i < count && i < OVERLOADS_MAX; i++)
        has |= type || is_followed(l, all[i]);
    if (!has)
        return NULL;
    if (count > OVERLOADS_MAX)
        chosen = count;
    else if (count > 1 && !choose_overload(l, call, all, count, &chosen))
        return NULL;
    if (chosen == count)
        ct_refuse(l, call->name.position,
                  "more than one function '%.*s' takes %u argument%s, and which is meant is not "
                  "followed; 'emulate' runs the machine code",
                  CT_TOKEN_TEXT(call->name), given, given == 1 ? "" : "s");
    return l->status == SMP_OK && (type || is_followed(l, all[chosen])) ? all[chosen] : NULL;
}
