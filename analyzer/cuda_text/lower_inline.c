/* SPDX-License-Identifier: MIT */
/*
 * Calls of device functions. A function that can neither reach an array nor return an integer is
 * not followed and returns data. Otherwise each call lowers the body again, as a block of
 * statements under the calling statement. The block's code follows the instruction that runs it;
 * the calling expression skips it.
 */

#include "lower.h"

enum { CALLS_NESTED_MAX = 12 };

/* ---- Which functions are followed ---- */

static bool reaches_memory(ct_lower *l, ct_function *f);

static bool gives_integer(ct_lower *l, ct_function *f) {
    ct_type_use use;
    const ct_node *result = f->result;
    if (!result || result->kind != CT_N_CAST_TYPE || !result->child)
        return false;
    if (result->flags & (CT_IS_POINTER | CT_IS_REFERENCE) || result->child->flags & CT_IS_AUTO ||
        ct_function_names(l->unit, f, &l->tokens[result->child->at]))
        return true;
    return ct_lower_type_use(l, result->child, &use) && smp_type_is_integer(use.type);
}

/* True for PTX with an address: "st.shared.u32 [%0], %1;". */
static bool is_memory_asm(const ct_token *token) {
    if (!ct_token_is(token, "asm __asm__ __asm"))
        return false;
    for (; token->kind != CT_TOKEN_END && token->code != ';'; token++)
        if (token->kind == CT_TOKEN_STRING && memchr(token->text, '[', token->length))
            return true;
    return false;
}

/* True if the token names a function that reaches memory, or shared memory, or an array, or begins
 * PTX that accesses memory. */
static bool is_of_memory(ct_lower *l, const ct_token *token) {
    ct_function *called = NULL;
    if (token->kind != CT_TOKEN_NAME)
        return false;
    if (ct_token_is(token, "__shared__ __syncthreads") || is_memory_asm(token) ||
        smp_array_find(&l->layout->kernel, token->text, token->length) >= 0)
        return true;
    if (ct_token_is_one_of(token + 1, "(<"))
        while ((called = ct_function_next(l->unit, token, called)))
            if (reaches_memory(l, called))
                return true;
    return false;
}

/* True at a statement that calls a function that is neither known nor in the text. */
static bool is_unknown_call(const ct_lower *l, const ct_token *token) {
    const ct_token *before = token - 1, *list = token + 1;
    while (before->code == CT_PUNCT2(':', ':'))
        before -= 2;
    while (token[1].code == '<' && !ct_token_is_one_of(list, "({;}"))
        list++;
    return token->kind == CT_TOKEN_NAME && list->code == '(' &&
           (list == token + 1 || list[-1].code == '>') &&
           (ct_token_is_one_of(before, ";{})") || ct_token_is(before, "else do")) &&
           !ct_token_is(token, "if for while switch return sizeof asm __asm__ __asm") &&
           !ct_call_is_known(token) && !ct_function_next(l->unit, token, NULL);
}

/* True if the function, or one that it calls, can reach memory that counts. False if this search
 * has looked at it before. */
static bool reaches_memory(ct_lower *l, ct_function *f) {
    const ct_token *tokens = l->tokens;
    bool reaches = f->reaching == l->unit->asked;
    if (reaches || f->search == l->unit->search)
        return reaches;
    f->search = l->unit->search;
    ct_function_read_head(l->unit, f, l->unit->known);
    for (uint32_t i = f->list; i < f->body && !reaches; i++)
        reaches = ct_token_is_one_of(&tokens[i], "*&[") || ct_token_is(&tokens[i], "auto") ||
                  ct_function_names(l->unit, f, &tokens[i]);
    for (uint32_t i = f->body; i < f->end && !reaches; i++)
        reaches = is_of_memory(l, &tokens[i]) || is_unknown_call(l, &tokens[i]);
    if (reaches)
        f->reaching = l->unit->asked;
    return reaches;
}

/* True if the function can reach memory that counts, or decide an address. What was found holds
 * until an array is declared. */
static bool is_followed(ct_lower *l, ct_function *f) {
    const uint32_t asked = l->layout->kernel.array_count + 1;
    l->unit->search += l->unit->asked != asked;
    l->unit->asked = asked;
    const bool reaches = reaches_memory(l, f);
    l->unit->search += reaches; /* otherwise nothing that it has looked at reaches any */
    return reaches || gives_integer(l, f);
}

/* ---- The function of a call ---- */

/* True if the function accepts this many arguments. Faults in its head are reported by the call. */
static bool takes(ct_lower *l, ct_function *f, unsigned given) {
    unsigned least = 0, most = 0;
    ct_function_read_head(l->unit, f, l->unit->known);
    for (const ct_node *part = f->result ? f->parameters->child : NULL; part; part = part->next) {
        most++;
        least += part->last->kind != CT_N_INIT;
    }
    return f->head_fault || (given >= least && given <= most);
}

/* True if the text has "template <> ... name<2>(...)". */
static bool is_specialized(const ct_token *tokens, const ct_token *name) {
    for (uint32_t at = 0; tokens[at].kind != CT_TOKEN_END; at++) {
        if (!ct_token_same(&tokens[at], name) || tokens[at + 1].code != '<' ||
            tokens[ct_behind(tokens, at + 1, "<")].code != '(')
            continue;
        for (uint32_t i = at; i > 0 && !ct_token_is_one_of(&tokens[i], ";{}"); i--)
            if (ct_token_is(&tokens[i - 1], "template") && tokens[i + 1].code == '>')
                return true;
    }
    return false;
}

/* The function to follow; NULL if the call returns data, or on failure. Overloads with the same
 * number of arguments, whatever their namespaces and types, and specializations are refused. */
static ct_function *choose_function(ct_lower *l, const ct_node *call, const ct_token *name) {
    ct_function *f = NULL, *found = NULL;
    unsigned given = 0, count = 0;
    bool is_wanted = false;
    for (const ct_node *arg = call->child->next; arg; arg = arg->next)
        given++;
    while ((f = ct_function_next(l->unit, name, f))) {
        if (!takes(l, f, given))
            continue;
        found = count++ > 0 ? found : f;
        is_wanted |= is_followed(l, f);
    }
    if (is_wanted && count > 1)
        ct_refuse_name(l, name, "overloads of '%.*s' with as many arguments" CT_COMPILER_KNOWS);
    if (is_wanted && is_specialized(l->tokens, name))
        ct_refuse_name(l, name, "specializations of '%.*s'" CT_COMPILER_KNOWS);
    return is_wanted && l->status == SMP_OK ? found : NULL;
}

/* ---- Results ---- */

/* "float", "int *", "T &" before the function's name. */
static void lower_result(ct_lower *l, const ct_node *node, ct_callee *out) {
    ct_type_use use = {.is_auto = true};
    if (node->child)
        ct_lower_type_use(l, node->child, &use);
    out->is_pointer = node->flags & CT_IS_POINTER;
    out->is_reference = node->flags & CT_IS_REFERENCE;
    out->is_known = !use.is_auto;
    out->result = ct_symbol_of(&out->name, CT_MEANS_LOCAL, use.type);
}

/* Adds a variable for a result that is followed. The first 'return' decides the type of 'auto'. */
static bool open_result(ct_lower *l, ct_callee *callee, const ct_operand *value) {
    ct_symbol *result = &callee->result;
    if (!callee->is_known) {
        callee->is_known = true;
        callee->is_pointer = value->form == CT_FORM_POINTER;
        result->shape.type = callee->is_pointer ? NULL : ct_operand_type(value);
    }
    if (callee->is_pointer || callee->is_reference)
        result->meaning = CT_MEANS_POINTER;
    else if (!smp_type_is_integer(result->shape.type))
        return true;
    else
        result->meaning = CT_MEANS_INTEGER;
    result->kind = ct_type_kind(result->shape.type);
    return ct_slot_new(l, &result->slot);
}

static bool set_result(ct_lower *l, ct_callee *callee, ct_operand *value) {
    l->position = value->position;
    if (callee->is_reference && value->form == CT_FORM_OBJECT)
        ct_place_address(l, value);
    else
        ct_operand_value(l, value);
    if (l->status == SMP_OK && callee->result.meaning == CT_MEANS_LOCAL)
        open_result(l, callee, value);
    return l->status == SMP_OK &&
           (callee->result.meaning == CT_MEANS_LOCAL || ct_operand_set(l, &callee->result, value));
}

bool ct_function_return(ct_lower *l, const ct_node *node) {
    ct_operand value;
    if (node->child) {
        l->end = ct_end(l, node->child);
        ct_program_open(l);
        ct_lower_expression(l, node->child, &value);
        set_result(l, l->callee, &value);
        ct_program_put(l);
    }
    return ct_statement_add(l, CT_DO_RETURN, ct_begin(l, node));
}

/* Pushes the result. */
static bool push_result(ct_lower *l, ct_callee *callee, ct_operand *out) {
    ct_symbol *result = &callee->result;
    l->position = callee->name.position;
    l->is_varying |= result->varies;
    if (result->meaning == CT_MEANS_LOCAL)
        return ct_push_unknown(l, result->shape.type, CT_REASON_CALL, result->name, out);
    *out = result->meaning == CT_MEANS_POINTER
               ? ct_place_pointer(l, result)
               : ct_value_of(result->kind, result->shape.type, l->position);
    out->symbol = NULL;
    if (callee->is_reference && result->meaning == CT_MEANS_POINTER)
        out->form = CT_FORM_OBJECT;
    return ct_emit_slot(l, result->slot);
}

/* ---- Bodies ---- */

/* Lowers the body behind the instruction that runs it. */
static void put_body(ct_lower *l, ct_callee *callee) {
    const size_t position = callee->name.position;
    const uint32_t at = l->code->count, open = l->layout->open;
    const ct_statement *added = ct_statement_add(l, CT_DO_CALL, position);
    const uint32_t block = added ? (uint32_t)(added - l->layout->kernel.statements) : 0;
    const ct_expr_instruction call = {.op = CT_CODE_CALL, .value = block};
    if (!added || !ct_emit(l, call, position, 0))
        return;
    l->stack--;
    ct_lower outer = *l;
    l->layout->open = block;
    l->callee = callee;
    l->call_depth++;
    l->in_index = 0;
    ct_lower_statement(l, callee->function->statement);
    l->layout->open = open;
    outer.status = l->status;
    outer.error_line = l->error_line;
    *l = outer;
    l->code->items[at].limit = l->code->count - at - 1;
}

static void find_instance(const ct_lower *l, ct_callee *out) {
    for (const ct_node *part = out->function->given->child; part; part = part->next) {
        const ct_symbol *bound = ct_name_find(l, &l->tokens[part->at]);
        const bool is_type = bound && bound->meaning == CT_MEANS_TYPE;
        const uint64_t given = is_type ? (uintptr_t)bound->shape.type
                               : bound ? (uint64_t)bound->value
                                       : 0;
        out->is_vague |= is_type ? !bound->shape.type : !bound;
        out->instance = (out->instance ^ given) * UINT64_C(0x100000001b3);
    }
}

/* ---- Calls ---- */

/* Parses head and body at the first call. */
static bool read_function(ct_lower *l, ct_function *f) {
    ct_function_read_head(l->unit, f, l->unit->known);
    if (f->result)
        ct_function_read_body(l->unit, f, l->unit->known);
    if (!f->result || !f->statement)
        return ct_fail_memory(l);
    if (f->head_fault)
        return ct_fail_fault(l, f->head_fault);
    return f->result->kind != CT_N_FAULT || ct_fail_fault(l, f->result->fault);
}

static bool call_known(ct_lower *l, ct_callee *callee, ct_operand *out) {
    ct_function *f = callee->function;
    if (l->call_depth == CALLS_NESTED_MAX)
        return ct_fail(l, SMP_E_OVERFLOW, callee->name.position,
                       "'%.*s' is recursive, or calls are nested too deeply; 'emulate' runs "
                       "the machine code",
                       CT_TOKEN_TEXT(callee->name));
    if (!read_function(l, f) || !ct_lower_arguments(l, callee))
        return false;
    const ct_view outer = ct_scope_hide(l->layout);
    ct_bind_all(l, callee);
    lower_result(l, f->result, callee);
    find_instance(l, callee);
    put_body(l, callee);
    ct_scope_end(l->layout, outer);
    if (f->fault) /* in a branch of 'if constexpr' that is left out: the body is not complete */
        return ct_fail_fault(l, f->fault);
    l->has_effect = l->has_known = true;
    return push_result(l, callee, out);
}

bool ct_function_call(ct_lower *l, const ct_node *call, const ct_token *name, ct_operand *out) {
    ct_callee callee;
    memset(&callee, 0, offsetof(ct_callee, given));
    callee.name = *name;
    callee.call = call;
    ct_lower_given(l, &callee);
    callee.function = choose_function(l, call, name);
    if (callee.function)
        call_known(l, &callee, out);
    return callee.function || l->status != SMP_OK;
}
