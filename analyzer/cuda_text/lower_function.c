/* SPDX-License-Identifier: MIT */
/*
 * Which function of the device a call means, and whether it is worth a look. One that can neither
 * reach an array nor give an integer gives data.
 */
#include <stdlib.h>
#include <string.h>

#include "lower.h"

enum { OVERLOADS_MAX = 16 };

ct_known *ct_function_known(ct_lower *l, const smp_type *type) {
    const ct_class *of = type ? type->class_of : NULL;
    ct_known *known = of ? malloc(sizeof *known) : NULL;
    if (!known)
        return NULL;
    *known = *l->unit->known;
    for (uint32_t i = 0; i < type->member_count; i++)
        ct_known_add_text(known, type->members[i].name, type->members[i].length, false);
    for (unsigned i = 0; i < of->static_count; i++)
        ct_known_add_text(known, of->statics[i].name, of->statics[i].length, false);
    for (const ct_node *param = of->params; param; param = param->next) {
        if (param->kind == CT_N_TYPE_PARAM || param->kind == CT_N_VALUE_PARAM)
            ct_known_add(known, &l->tokens[param->at], param->kind == CT_N_TYPE_PARAM);
    }
    if (type->length > 0)
        ct_known_add_text(known, type->name, type->length, true);
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
        if (tokens[i].length != tokens[j].length ||
            memcmp(tokens[i].text, tokens[j].text, tokens[i].length) != 0)
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

bool ct_function_choose(ct_lower *l, const ct_call *call, const smp_type *type, ct_function **out,
                        bool *has) {
    ct_function *f, *all[OVERLOADS_MAX];
    unsigned count = 0, chosen = 0;
    const unsigned given = count_arguments(call);
    *has = false;
    for (uint32_t at = 0; (f = find_next(l, call, type, &at)) != NULL;) {
        unsigned least, most = ct_count_list(l->tokens, f->list, &least);
        if (given >= least && given <= most)
            add_fitting(l, f, all, &count);
    }
    for (unsigned i = 0; i < count && i < OVERLOADS_MAX; i++)
        *has |= type || is_followed(l, all[i]);
    if (!*has)
        return l->status == SMP_OK;
    if (count > OVERLOADS_MAX)
        chosen = count;
    else if (count > 1 && !ct_function_overload(l, call, all, count, &chosen))
        return false;
    if (chosen == count)
        return ct_refuse(l, call->name.position,
                         "more than one function '%.*s' takes %u argument%s, and which is meant is "
                         "not followed; 'emulate' runs the machine code",
                         CT_TOKEN_TEXT(call->name), given, given == 1 ? "" : "s");
    *out = all[chosen];
    *has = type || is_followed(l, *out);
    return l->status == SMP_OK;
}
