/* SPDX-License-Identifier: MIT */
/*
 * Calls of functions of the device: which one is meant, and whether it is worth a look (one that
 * can neither reach an array nor give an integer gives data). The body is lowered once more for
 * each call, as a block of statements that hangs on the statement which calls. Its code stands
 * behind the instruction that runs the block, and is passed over where the calling expression goes
 * on.
 */
#include <stdlib.h>

#include "lower.h"

/* ---- By the types of the arguments ---- */

/* Of several functions that take so many arguments: the one whose parameters have the very types of
 * all of them, a template only where no other has. It is C++'s choice, too ([over.match.best]);
 * where an argument would be converted, or two fit, none is made. */

/* Each level looks at its arguments twice. */
enum { TRIALS_NESTED_MAX = 4, OVERLOADS_MAX = 16 };

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
    bool decays = operand.form == CT_FORM_OBJECT && !ct_place_is_whole(&operand);
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
    for (const ct_node *arg = call->first; arg && *count < CT_ARGUMENTS_MAX; arg = arg->next)
        if (!look_at(l, arg, &out[(*count)++]))
            return false;
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

/* ---- The choice ---- */

/* A value of 64 bits is taken for each of the types of C++ that have so many. */
static bool is_same(const smp_type *a, const smp_type *b) {
    return a == b || (smp_type_is_integer(a) && smp_type_is_integer(b) && a->integer.bits == 64 &&
                      b->integer.bits == 64 && a->integer.is_signed == b->integer.is_signed);
}

static bool is_exact(const wanted_type *wanted, const given_type *given) {
    if (wanted->is_of_template)
        return given->is_pointer || !wanted->is_pointer;
    return wanted->is_pointer == given->is_pointer && is_same(wanted->use.type, given->type) &&
           (wanted->is_pointer || !wanted->is_reference || given->is_place);
}

static bool takes_exactly(ct_lower *l, const ct_function *f, const given_type *given,
                          unsigned count) {
    wanted_type wanted[CT_ARGUMENTS_MAX];
    for (unsigned i = 0; i < count; i++) {
        if (!read_wanted(l, f, i, &wanted[i]) || !is_exact(&wanted[i], &given[i]))
            return false;
        /* One T of a template is one type. */
        for (unsigned k = 0; k < i && wanted[i].is_of_template; k++) {
            if (wanted[k].is_of_template && given[k].type != given[i].type &&
                ct_token_same(wanted[k].name, wanted[i].name))
                return false;
        }
    }
    return true;
}

/* Which of `count` a call means by the types of its arguments; NULL: it does not follow. */
static ct_function *choose_overload(ct_lower *l, const ct_call *call, ct_function *const *all,
                                    unsigned count) {
    given_type given[CT_ARGUMENTS_MAX];
    ct_function *found[2] = {NULL, NULL}; /* a function, a template */
    unsigned arguments, fitting[2] = {0, 0};
    if (l->trials == TRIALS_NESTED_MAX || !look_at_all(l, call, given, &arguments))
        return NULL;
    for (unsigned i = 0; i < arguments; i++)
        if (!given[i].type)
            return NULL;
    for (unsigned i = 0; i < count; i++) {
        const bool is_template = ct_function_is_template(l->unit, all[i]);
        ct_function_read_head(l->unit, all[i], l->unit->known);
        if (takes_exactly(l, all[i], given, arguments)) {
            found[is_template] = all[i];
            fitting[is_template]++;
        }
    }
    const bool is_template = fitting[0] == 0;
    return fitting[is_template] == 1 ? found[is_template] : NULL;
}

/* ---- What is worth a look ---- */

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
    for (unsigned i = 0; i < *count && i < OVERLOADS_MAX; i++)
        if (is_same_list(l->tokens, all[i], f))
            return;
    if (*count < OVERLOADS_MAX)
        all[*count] = f;
    ++*count;
}

/* True if so many arguments can be given; what is wrong in the head, the call tells. */
static bool takes(ct_lower *l, ct_function *f, unsigned given) {
    unsigned least = 0, most = 0;
    ct_function_read_head(l->unit, f, l->unit->known);
    for (const ct_node *part = f->parts ? f->parts->child : NULL; part; part = part->next) {
        if (part->kind == CT_N_FAULT)
            return true;
        most += part->kind == CT_N_PARAM;
        least += part->kind == CT_N_PARAM && part->last->kind != CT_N_INIT;
    }
    return given >= least && given <= most;
}

static unsigned count_arguments(const ct_call *call) {
    unsigned count = 0;
    for (const ct_node *arg = call->first; arg; arg = arg->next)
        count++;
    return count;
}

/* The function that a call means; NULL: none that must be followed, or it fails. */
static ct_function *choose_function(ct_lower *l, const ct_call *call) {
    ct_function *f, *all[OVERLOADS_MAX];
    unsigned count = 0;
    const unsigned given = count_arguments(call);
    bool has = false;
    for (uint32_t at = 0; (f = ct_function_next(l->unit, &call->name, &at)) != NULL;)
        if (takes(l, f, given))
            add_fitting(l, f, all, &count);
    for (unsigned i = 0; i < count && i < OVERLOADS_MAX; i++)
        has |= is_followed(l, all[i]);
    if (!has)
        return NULL;
    f = count == 1 ? all[0] : count <= OVERLOADS_MAX ? choose_overload(l, call, all, count) : NULL;
    if (!f)
        ct_refuse(l, call->name.position,
                  "more than one function '%.*s' takes %u argument%s, and which is meant is not "
                  "followed; 'emulate' runs the machine code",
                  CT_TOKEN_TEXT(call->name), given, given == 1 ? "" : "s");
    return l->status == SMP_OK && is_followed(l, f) ? f : NULL;
}

enum { CALLS_NESTED_MAX = 12 };

/* ---- Results ---- */

/* "float", "int *", "T &" before the function's name. */
static bool lower_result(ct_lower *l, const ct_node *node, ct_callee *out) {
    ct_type_use use = {.is_auto = true};
    if (node->child && !ct_lower_type_use(l, node->child, &use))
        return false;
    out->is_pointer = node->flags & CT_IS_POINTER;
    out->is_reference = node->flags & CT_IS_REFERENCE;
    out->is_known = !use.is_auto;
    out->result = (ct_symbol){.name = out->name.word,
                              .meaning = CT_MEANS_LOCAL,
                              .array = CT_ARRAY_NONE,
                              .shape = {.type = use.type}};
    return true;
}

/* A variable for the result, if it is followed; the type of 'auto' is that of the first one. */
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
    return ct_slot_new(l, value->position, &result->slot);
}

static bool set_result(ct_lower *l, ct_callee *callee, ct_operand *value) {
    const size_t position = value->position;
    const bool is_place = value->form == CT_FORM_OBJECT;
    if (!(callee->is_reference && is_place ? ct_place_address(l, value, position)
                                           : ct_operand_value(l, value)))
        return false;
    if (callee->result.meaning == CT_MEANS_LOCAL && !open_result(l, callee, value))
        return false;
    return callee->result.meaning == CT_MEANS_LOCAL ||
           ct_operand_set(l, &callee->result, value, position);
}

bool ct_function_return(ct_lower *l, const ct_node *node) {
    ct_program program;
    ct_operand value;
    if (node->child) {
        ct_program_begin(l, &program);
        ct_lower_expression(l, node->child, &value);
        set_result(l, l->callee, &value);
        ct_program_end(l, CT_DATA, &program);
        l->last_end = ct_end(l, node->child);
        ct_program_add(l, &program);
    }
    return ct_statement_add(l, CT_DO_RETURN, ct_begin(l, node)) != NULL;
}

/* The result, as a value on the stack. */
static bool push_result(ct_lower *l, ct_callee *callee, size_t position, ct_operand *out) {
    ct_symbol *result = &callee->result;
    *out = ct_value_of(CT_DATA, NULL, position);
    l->is_varying |= result->varies;
    out->type = result->meaning == CT_MEANS_POINTER ? NULL : result->shape.type;
    if (result->meaning == CT_MEANS_LOCAL)
        return ct_emit_unknown(l, CT_REASON_CALL, result->name, position);
    if (result->meaning == CT_MEANS_POINTER) {
        out->form = callee->is_reference ? CT_FORM_OBJECT : CT_FORM_POINTER;
        out->array = result->array;
        out->shape = result->shape;
        out->is_loose = out->is_hidden = true;
    }
    out->kind = result->meaning == CT_MEANS_POINTER ? CT_I64 : result->kind;
    return ct_emit_slot(l, result->slot, position);
}

/* ---- Bodies ---- */

/* The block hangs on the statement of the program that is lowered, once that is there. */
static uint32_t open_block(ct_lower *l, size_t position) {
    ct_draft *layout = l->layout;
    if (layout->kernel.statement_count == CT_STATEMENTS_MAX) {
        (void)ct_fail(l, SMP_E_OVERFLOW, position, "more than %d statements",
                      CT_STATEMENTS_MAX - 1);
        return 0;
    }
    uint32_t block = layout->kernel.statement_count++;
    layout->kernel.statements[block] = (ct_statement){.kind = CT_DO_CALL, .is_unclaimed = true};
    return block;
}

/* What the statements of a body set of those who call. */
static void add_writes(ct_lower *l, uint32_t block, uint32_t slots) {
    const ct_draft *layout = l->layout;
    for (uint32_t i = block; i < layout->kernel.statement_count; i++) {
        const ct_statement *s = &layout->kernel.statements[i];
        for (unsigned slot = 0; slot < slots; slot++)
            if (ct_slots_has(&s->program.writes, slot) || ct_slots_has(&s->step.writes, slot))
                ct_slots_add(&l->writes, slot);
    }
}

/* Lowers the body as at a statement's start. */
static bool lower_body(ct_lower *l, ct_function *f, ct_callee *callee, uint32_t block) {
    ct_draft *layout = l->layout;
    ct_lower outer = *l;
    const uint32_t open = layout->open, slots = layout->kernel.slot_count;
    layout->open = block;
    l->callee = callee;
    l->call_depth++;
    l->in_index = 0;
    l->first_claim = layout->kernel.access_count;
    l->first_call = layout->kernel.statement_count;
    bool sound = ct_lower_statement(l, f->statement);
    layout->open = open;
    outer.status = l->status;
    outer.error_line = l->error_line;
    *l = outer;
    add_writes(l, block, slots);
    return sound;
}

static bool put_body(ct_lower *l, ct_function *f, ct_callee *callee, size_t position) {
    uint32_t block = open_block(l, position), at = l->code->count;
    ct_expr_instruction call = {.op = CT_CODE_CALL, .value = block};
    if (block == 0 || !ct_emit(l, call, position, 0))
        return false;
    l->stack--;
    lower_body(l, f, callee, block);
    l->code->items[at].limit = l->code->count - at - 1;
    return l->status == SMP_OK;
}

/* Everything behind the arguments, with the caller's names out of sight. */
static bool call_bound(ct_lower *l, ct_function *f, ct_callee *callee, const ct_given_part *parts,
                       unsigned part_count, ct_operand *arguments, unsigned count) {
    const ct_hidden callers = ct_scope_hide(l->layout);
    bool sound = ct_bind_given(l, f->parts->child, parts, part_count) &&
                 ct_bind_all(l, f, arguments, count) && lower_result(l, f->result, callee) &&
                 put_body(l, f, callee, callee->name.position);
    ct_scope_show(l->layout, callers);
    return sound;
}

/* ---- Calls ---- */

/* Head and body, which are read when the first call asks for them. */
static bool read_function(ct_lower *l, ct_function *f) {
    ct_function_read_head(l->unit, f, l->unit->known);
    if (f->has_head)
        ct_function_read_body(l->unit, f, l->unit->known);
    if (!f->result || !f->statement)
        return ct_fail_memory(l);
    const ct_node *last = f->parts->last;
    if (last && last->kind == CT_N_FAULT)
        return ct_fail_fault(l, last);
    return f->result->kind != CT_N_FAULT || ct_fail_fault(l, f->result);
}

/* The call of one that is known, behind its template's values. */
static bool call_known(ct_lower *l, const ct_call *call, ct_function *f, const ct_given_part *parts,
                       unsigned part_count, ct_operand *out) {
    ct_operand arguments[CT_ARGUMENTS_MAX];
    ct_callee callee = {.name = call->name};
    unsigned count;
    if (l->call_depth == CALLS_NESTED_MAX)
        return ct_fail(l, SMP_E_OVERFLOW, call->name.position,
                       "'%.*s' calls itself, or calls are nested too deeply here; 'emulate' runs "
                       "the machine code",
                       CT_TOKEN_TEXT(call->name));
    if (!read_function(l, f) || !ct_lower_arguments(l, call, f, arguments, &count))
        return false;
    const size_t last_end = l->last_end;
    l->last_end = ct_end(l, call->node);
    if (!call_bound(l, f, &callee, parts, part_count, arguments, count))
        return false;
    l->last_end = last_end;
    l->has_effect = l->has_known = true;
    return push_result(l, &callee, call->name.position, out);
}

bool ct_function_call(ct_lower *l, const ct_call *call, ct_operand *out) {
    ct_given_part parts[CT_ARGUMENTS_MAX];
    unsigned part_count = 0;
    ct_lower_given(l, call->given, parts, &part_count);
    ct_function *f = choose_function(l, call);
    if (f)
        call_known(l, call, f, parts, part_count, out);
    return f || l->status != SMP_OK;
}
