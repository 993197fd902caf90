/* SPDX-License-Identifier: MIT */
/*
 * Variables of a thread: "const int i = threadIdx.x, *p = &s[i];", "float acc[8];", "auto &row =
 * tile[i];", "let k = 2 * i". Integers and pointers into arrays are followed; what else a thread
 * has of its own is in registers, is never accessed, and decides nothing. But of arrays whose
 * elements decide addresses, "int o[2][4] = {{0, 8}};", each element is in a slot.
 */
#include "lower.h"

/* ---- Mentions of local arrays ---- */

/* A pointer to such an array, or a reference, could change what its name does not show: each
 * mention must be an element that is read or set. */

enum { ELEMENTS_MAX = 64, ARRAY_SLOTS_MAX = CT_SLOTS_MAX / 2 };

static bool is_operand_end(const ct_token *token) {
    return token->kind == CT_TOKEN_NAME || token->kind == CT_TOKEN_NUMBER ||
           ct_token_is_one_of(token, ")]");
}

/* The function whose argument begins or ends at `at`, or NULL: what is there is none. */
static const ct_token *callee_of(const ct_token *tokens, uint32_t at) {
    unsigned depth = 1;
    while (at > 0 && depth > 0) {
        at--;
        depth += ct_token_is_punct(&tokens[at], ')');
        depth -= ct_token_is_punct(&tokens[at], '(');
        if (ct_token_is_one_of(&tokens[at], ";{"))
            return NULL;
    }
    return at > 0 && tokens[at - 1].kind == CT_TOKEN_NAME ? &tokens[at - 1] : NULL;
}

/* "f = [" somewhere: its parameters are not looked at. */
static bool is_lambda(const ct_token *tokens, const ct_token *name) {
    for (; tokens->kind != CT_TOKEN_END; tokens++) {
        if (ct_token_same(tokens, name) && ct_token_is_punct(tokens + 1, '=') &&
            ct_token_is_punct(tokens + 2, '['))
            return true;
    }
    return false;
}

/* "f(o[1])", `next` being behind it, may take it by reference. */
static bool may_refer(const ct_lower *l, uint32_t at, const ct_token *next) {
    const ct_token *tokens = l->tokens, *before = &tokens[at - 1];
    const bool is_argument = ct_token_is_one_of(before, "(,") && ct_token_is_one_of(next, "),");
    const ct_token *callee = is_argument ? callee_of(tokens, at) : NULL;
    return callee && (ct_function_takes_reference(l->unit, callee) || is_lambda(tokens, callee));
}

/* What the mention at `at`, of an array of so many dimensions, does. */
typedef enum ct_mention { READS_ELEMENT, SETS_ELEMENT, SHOWS_MORE } ct_mention;

static ct_mention read_mention(const ct_lower *l, uint32_t at, unsigned dims) {
    const ct_token *tokens = l->tokens;
    uint32_t behind = at + 1;
    unsigned indices = 0;
    for (; ct_token_is_punct(&tokens[behind], '['); indices++)
        behind = ct_behind_bracket(tokens, behind, '[', ']');
    const ct_token *before = &tokens[at - 1], *next = &tokens[behind];
    const uint32_t first = at - 1 - ct_token_is_punct(before, '(');
    if (ct_token_is(&tokens[first], "sizeof")) /* nothing is read, but its size */
        return READS_ELEMENT;
    const bool is_address = ct_token_is_punct(before, '&') && !is_operand_end(&tokens[at - 2]);
    const bool is_member = ct_token_is_punct(before, '.') ||
                           ct_token_is_punct(before, CT_PUNCT2('-', '>')) ||
                           ct_token_is_punct(before, CT_PUNCT2(':', ':'));
    const bool is_reference =
        ct_token_is_one_of(before, "={") && ct_token_is_punct(&tokens[at - 3], '&');
    if (indices != dims || is_address || is_member || is_reference ||
        ct_token_is_punct(next, '.') || may_refer(l, at, next))
        return SHOWS_MORE;
    return ct_token_steps(before) || ct_token_sets(next) ? SETS_ELEMENT : READS_ELEMENT;
}

bool ct_local_array_changes(const ct_lower *l, const ct_symbol *array, uint32_t at) {
    return read_mention(l, at, array->shape.dim_count) != READS_ELEMENT;
}

/* True if the host may set what is declared before `at`. */
static bool is_of_the_host(const ct_token *tokens, uint32_t at) {
    while (at > 0 && !ct_token_is_one_of(&tokens[at - 1], ";}{"))
        if (ct_token_is(&tokens[--at], "__constant__"))
            return true;
    return false;
}

/* True if each mention up to the end of the block is an element. */
static bool shows_elements(const ct_lower *l, const ct_token *name, uint32_t at, unsigned dims) {
    const ct_token *tokens = l->tokens;
    unsigned depth = 1;
    for (; tokens[at].kind != CT_TOKEN_END && depth > 0; at++) {
        depth += ct_token_is_punct(&tokens[at], '{');
        depth -= ct_token_is_punct(&tokens[at], '}');
        if (ct_token_same(&tokens[at], name) && read_mention(l, at, dims) == SHOWS_MORE)
            return false;
    }
    return true;
}

/* True if the elements of the local array can be followed: integers, each mention of which up to
 * the end of the block is an element that is read or set. */
static bool is_local_followed(const ct_lower *l, const ct_node *d, smp_shape shape) {
    const ct_node *initial = ct_behind_kind(d->child, CT_N_DIM);
    const bool has_list = initial && initial->kind == CT_N_INIT && initial->flags & CT_IS_BRACED;
    const uint32_t behind = initial ? initial->first : d->end;
    const ct_token *next = &l->tokens[behind];
    const bool has_none = !initial && ct_token_is_one_of(next, ";,");
    uint64_t count = 1;
    for (uint32_t i = 0; i < shape.dim_count; i++)
        count *= shape.dims[i];
    const bool fits =
        count <= ELEMENTS_MAX && l->layout->kernel.slot_count + count <= ARRAY_SLOTS_MAX;
    return (has_list || (has_none && !is_of_the_host(l->tokens, behind))) && shape.dim_count > 0 &&
           smp_type_is_integer(shape.type) && fits &&
           shows_elements(l, &l->tokens[d->at], behind, shape.dim_count);
}

/* ---- Declarations of local arrays ---- */

/* An array while its list is read. */
typedef struct array_list {
    ct_symbol *array;
    uint32_t at, count; /* the next element */
} array_list;

/* Sets one element to the value on top. */
static bool set_next(ct_lower *l, array_list *list, size_t position) {
    const uint16_t slot = (uint16_t)(list->array->slot + list->at++);
    return ct_emit_set(l, slot, list->array->shape.type, position) && ct_emit_drop(l, position);
}

static bool set_element(ct_lower *l, array_list *list, const ct_node *node) {
    const size_t position = ct_begin(l, node);
    ct_operand value;
    if (list->at == list->count)
        return ct_refuse(l, position, "more values than elements");
    ct_lower_number(l, node, &value);
    list->array->varies |= l->is_varying || l->varying_ifs > 0;
    return set_next(l, list, position);
}

/* "1, {2, 3}, 4": lists in it are those of the rows at depth `d`. */
static bool set_elements(ct_lower *l, array_list *list, const ct_node *of, uint32_t d) {
    const smp_shape *shape = &list->array->shape;
    uint32_t row = 1; /* elements that one inner list stands for */
    for (uint32_t i = d + 1; i < shape->dim_count; i++)
        row *= shape->dims[i];
    const uint32_t first = list->at;
    for (const ct_node *node = of->child; node; node = node->next) {
        const uint32_t begin = list->at;
        const size_t position = ct_begin(l, node), behind = ct_position(l, node->end);
        if (node->kind != CT_N_LIST) {
            set_element(l, list, node);
            continue;
        }
        if (d + 1 >= shape->dim_count || (begin - first) % row != 0)
            return ct_refuse(l, position, "expected a value instead of this list");
        set_elements(l, list, node, d + 1);
        if (list->at > begin + row)
            return ct_refuse(l, behind, "more values than elements");
        while (list->at < begin + row) { /* the rest of the row is 0 */
            ct_emit_constant(l, 0, behind);
            set_next(l, list, behind);
        }
    }
    return l->status == SMP_OK;
}

/* Declares it, with its values if they are there. */
static bool declare_local_array(ct_lower *l, ct_symbol *symbol, const ct_node *declarator) {
    array_list list = {.array = symbol, .count = 1};
    const ct_node *initial = ct_behind_kind(declarator->child, CT_N_DIM);
    const size_t position = ct_position(l, declarator->at);
    ct_program program;
    uint16_t slot;
    for (uint32_t d = 0; d < symbol->shape.dim_count; d++)
        list.count *= symbol->shape.dims[d];
    symbol->meaning = CT_MEANS_LOCAL;
    symbol->value = list.count;
    for (uint32_t i = 0; i < list.count; i++) {
        ct_slot_new(l, position, i == 0 ? &symbol->slot : &slot);
    }
    ct_program_begin(l, &program);
    if (initial && !set_elements(l, &list, initial, 0))
        return false;
    while (list.at < list.count) { /* 0 behind a list, else nothing that is known */
        if (!(initial ? ct_emit_constant(l, 0, position)
                      : ct_emit_unknown(l, CT_REASON_UNSET, symbol->name, position)) ||
            !set_next(l, &list, position))
            return false;
    }
    ct_emit_constant(l, 0, position);
    return ct_program_put(l, CT_I32, &program) && ct_symbol_add(l, symbol, position) != NULL;
}

/* ---- Their elements ---- */

bool ct_local_array_is_element(const ct_operand *p) {
    return p->form == CT_FORM_OBJECT && p->array == CT_ARRAY_LOCAL && p->symbol &&
           p->symbol->value > 0 && p->shape.dim_count == 0;
}

bool ct_local_array_index(ct_lower *l, ct_operand *p, ct_kind kind, size_t position) {
    ct_expr_instruction index = {
        .op = CT_CODE_POSITION, .kind = (uint8_t)kind, .value = 1, .limit = p->shape.dims[0]};
    p->shape = ct_shape_element(p->shape);
    for (uint32_t d = 0; d < p->shape.dim_count; d++)
        index.value *= p->shape.dims[d];
    return ct_emit(l, index, position, 2);
}

/* Adds the elements to a set. */
static void add_slots(const ct_symbol *array, ct_slot_set *to) {
    for (unsigned i = 0; i < (unsigned)array->value; i++)
        ct_slots_add(to, array->slot + i);
}

bool ct_local_array_read(ct_lower *l, ct_operand *p, size_t position) {
    const ct_symbol *array = p->symbol;
    const ct_expr_instruction element = {
        .op = CT_CODE_ELEMENT, .slot = array->slot, .limit = array->value};
    add_slots(array, &l->reads);
    l->is_varying |= array->varies;
    *p = ct_value_of(ct_type_kind(array->shape.type), array->shape.type, p->position);
    return ct_emit(l, element, position, 1);
}

bool ct_local_array_set(ct_lower *l, ct_symbol *array, size_t position) {
    const smp_integer_type type = array->shape.type->integer;
    const ct_expr_instruction set = {.op = CT_CODE_SET_ELEMENT,
                                     .kind = type.is_signed ? CT_I64 : CT_U64,
                                     .slot = array->slot,
                                     .value = array->value,
                                     .limit = type.bits};
    add_slots(array, &l->writes);
    array->varies |= l->is_varying || l->varying_ifs > 0;
    l->has_effect = true;
    return ct_emit(l, set, position, 2);
}

bool ct_local_array_change(ct_lower *l, const ct_operand *element, ct_code_op op, ct_kind kind,
                           size_t position) {
    ct_operand old = *element;
    uint16_t slot;
    return ct_emit_keep(l, &slot, position) && ct_local_array_read(l, &old, position) &&
           ct_emit_op(l, CT_CODE_SWAP, CT_I64, position, 1) &&
           ct_operand_combine(l, op, old.kind, kind, position, &kind) &&
           ct_emit_slot(l, slot, position) && ct_local_array_set(l, element->symbol, position);
}

bool ct_local_array_step(ct_lower *l, ct_operand *element, bool is_up, bool is_after,
                         size_t position) {
    const smp_type *type = element->symbol->shape.type;
    ct_operand old = *element;
    uint16_t slot = 0;
    if (is_after) {
        ct_emit_keep(l, &slot, position);
        ct_local_array_read(l, &old, position);
    }
    ct_emit_constant(l, 1, position);
    if (is_after)
        ct_emit_slot(l, slot, position);
    else
        ct_emit_op(l, CT_CODE_SWAP, CT_I64, position, 1);
    ct_local_array_change(l, element, is_up ? CT_CODE_ADD : CT_CODE_SUB, CT_I32, position);
    if (is_after)
        ct_emit_drop(l, position);
    *element = ct_value_of(ct_type_kind(type), type, element->position);
    return l->status == SMP_OK;
}

/* A declarator, and its value: the program. */
typedef struct declarator {
    const ct_node *node, *initial; /* initial: NULL, there is none */
    const ct_token *name;
    ct_type_use use;
    bool is_pointer, is_reference;
    smp_shape shape;
} declarator;

/* "int o[] = {1, 2, 3};" */
static void count_elements(const declarator *d, smp_shape *shape) {
    if (!d->initial || !(d->initial->flags & CT_IS_BRACED))
        return; /* a parameter's, or a text */
    const ct_node *first = d->initial->child;
    const bool is_nested = first && first->kind == CT_N_LIST;
    uint32_t row = 1, count = 0;
    for (uint32_t i = 1; i < shape->dim_count && !is_nested; i++)
        row *= shape->dims[i];
    for (; first; first = first->next)
        count++;
    shape->dims[0] = (count + row - 1) / row;
}

static bool lower_declarator(ct_lower *l, const ct_node *node, const ct_type_use *use,
                             declarator *out) {
    const ct_node *dim = node->child;
    *out = (declarator){.node = node,
                        .initial = ct_behind_kind(dim, CT_N_DIM),
                        .name = &l->tokens[node->at],
                        .use = *use,
                        .is_pointer = node->flags & CT_IS_POINTER,
                        .is_reference = node->flags & CT_IS_REFERENCE,
                        .shape = {.type = use->type}};
    ct_new_name(l, out->name);
    ct_lower_dims(l, dim, INT64_C(1) << 24, &out->shape);
    if (dim && dim->kind == CT_N_DIM && !dim->child)
        count_elements(out, &out->shape);
    return l->status == SMP_OK;
}

/* ---- Values ---- */

/* "(x)" and "{x}" of what takes one value. */
static bool lower_one(ct_lower *l, const declarator *d, bool takes_many, ct_operand *out) {
    const ct_node *part = d->initial->child;
    const size_t position = ct_begin(l, d->initial);
    const bool is_braced = d->initial->flags & CT_IS_BRACED;
    if (!part && is_braced && smp_type_is_integer(d->use.type)) {
        *out = ct_value_of(CT_I32, NULL, position);
        return ct_emit_constant(l, 0, position);
    }
    if (!part || part->kind == CT_N_LIST)
        return ct_refuse(l, ct_position(l, part ? part->first : d->initial->end - 1),
                         "expected a value before '%c'",
                         part        ? '{'
                         : is_braced ? '}'
                                     : ')');
    for (; part; part = part->next) {
        ct_lower_expression(l, part, out);
        if (part->next && !takes_many)
            return ct_refuse(l, ct_position(l, part->end), "expected '%c' instead of ','",
                             is_braced ? '}' : ')');
        if (part->next && (!ct_operand_value(l, out) || !ct_emit_drop(l, position)))
            return false;
    }
    return l->status == SMP_OK;
}

/* What follows the name: a value, or none. */
static bool lower_initial(ct_lower *l, const declarator *d, ct_operand *out) {
    const ct_node *initial = d->initial;
    const size_t position = ct_position(l, initial ? initial->first : d->node->end);
    *out = ct_value_of(CT_DATA, NULL, position);
    if (!initial && !d->is_pointer &&
        !ct_class_check_constructor(l, d->use.type, false, d->name->position))
        return false;
    if (!initial)
        return ct_emit_unknown(l, CT_REASON_UNSET, d->name->word, d->name->position);
    const bool is_braced = initial->flags & CT_IS_BRACED, is_call = initial->flags & CT_IS_CALL;
    const bool is_scalar =
        (smp_type_is_integer(d->use.type) || d->use.is_auto) && d->shape.dim_count == 0;
    const bool is_object = d->use.type && d->use.type->class_of && !d->is_pointer &&
                           !d->is_reference && d->shape.dim_count == 0;
    if ((is_braced && !is_scalar) || (is_call && is_object))
        return ct_lower_parts(l, initial->child, d->use.type, position) &&
               ct_emit_unknown(l, CT_REASON_LOCAL, d->name->word, position);
    if (is_braced || is_call)
        return lower_one(l, d, is_call && !is_scalar, out);
    return ct_lower_expression(l, initial->child, out);
}

bool ct_variable_add(ct_lower *l, ct_symbol *symbol, ct_meaning meaning, ct_operand *value) {
    symbol->meaning = meaning == CT_MEANS_REFERENCE ? CT_MEANS_POINTER : meaning;
    ct_slot_new(l, value->position, &symbol->slot);
    ct_operand_set(l, symbol, value, value->position);
    symbol->meaning = meaning;
    return ct_symbol_add(l, symbol, value->position) != NULL;
}

bool ct_reference_add(ct_lower *l, ct_symbol *symbol, ct_operand *value, size_t position) {
    if (value->form == CT_FORM_SLOT) {
        ct_symbol same = *value->symbol;
        same.name = symbol->name;
        return ct_symbol_add(l, &same, value->position) != NULL;
    }
    if (!ct_place_address(l, value, position))
        return false;
    symbol->shape = value->shape;
    symbol->array = value->array;
    symbol->meaning = CT_MEANS_LOCAL;
    if (value->array == CT_ARRAY_LOCAL)
        return ct_symbol_add(l, symbol, value->position) != NULL;
    return ct_variable_add(l, symbol, CT_MEANS_REFERENCE, value);
}

static bool declare_integer(ct_lower *l, ct_symbol *symbol, const smp_type *type, ct_operand *value,
                            bool has, ct_program *program) {
    const ct_expr_code *code = l->code;
    bool is_constant = symbol->is_const && has && program->start + 1 == code->count &&
                       code->items[program->start].op == CT_CODE_CONST && value->kind != CT_DATA;
    symbol->kind = ct_type_kind(type);
    symbol->shape = (smp_shape){.type = type};
    if (!is_constant)
        return ct_variable_add(l, symbol, CT_MEANS_INTEGER, value) &&
               ct_program_put(l, symbol->kind, program);
    symbol->meaning = CT_MEANS_CONSTANT;
    symbol->value = ct_integer_cast(code->items[--l->code->count].value, type->integer.bits,
                                    type->integer.is_signed);
    return ct_symbol_add(l, symbol, value->position) != NULL;
}

static bool declare_pointer(ct_lower *l, ct_symbol *symbol, ct_operand *value,
                            ct_program *program) {
    return ct_operand_value(l, value) && ct_variable_add(l, symbol, CT_MEANS_POINTER, value) &&
           ct_program_put(l, CT_I64, program);
}

bool ct_pointer_declare(ct_lower *l, const ct_token *name, int array) {
    ct_symbol symbol = {.name = name->word, .array = CT_ARRAY_NONE};
    ct_program program;
    ct_operand start;
    ct_program_begin(l, &program);
    return ct_place_array(l, array, name, &start) && declare_pointer(l, &symbol, &start, &program);
}

static bool declare_reference(ct_lower *l, size_t named, ct_symbol *symbol, ct_operand *value,
                              ct_program *program) {
    if (value->form != CT_FORM_SLOT && value->form != CT_FORM_OBJECT)
        return ct_refuse(l, value->position, "a reference needs a variable or an element");
    const bool has_code = value->form == CT_FORM_OBJECT && value->array != CT_ARRAY_LOCAL;
    return ct_reference_add(l, symbol, value, named) &&
           (!has_code || ct_program_put(l, CT_I64, program));
}

/* An object of the thread's own: only what its value reads counts. */
static bool declare_local(ct_lower *l, ct_symbol *symbol, ct_operand *value, ct_program *program) {
    symbol->meaning = CT_MEANS_LOCAL;
    return ct_operand_value(l, value) && ct_symbol_add(l, symbol, value->position) &&
           ct_program_put(l, CT_DATA, program);
}

static bool declare_auto(ct_lower *l, ct_symbol *symbol, ct_operand *value, bool has,
                         ct_program *program) {
    if (!has)
        return ct_refuse(l, value->position, "auto needs a value");
    ct_operand_value(l, value);
    if (value->form == CT_FORM_POINTER)
        return declare_pointer(l, symbol, value, program);
    symbol->shape.type = ct_operand_type(value);
    if (value->kind == CT_DATA)
        return declare_local(l, symbol, value, program);
    return declare_integer(l, symbol, symbol->shape.type, value, has, program);
}

/* ---- Declarators ---- */

static bool declare_as(ct_lower *l, const declarator *d, ct_symbol *symbol) {
    ct_operand value;
    ct_program program;
    const bool has = d->initial != NULL;
    ct_program_begin(l, &program);
    if (!lower_initial(l, d, &value))
        return false;
    if (d->is_reference)
        return declare_reference(l, d->name->position, symbol, &value, &program);
    if (d->is_pointer)
        return declare_pointer(l, symbol, &value, &program);
    if (d->use.is_auto)
        return declare_auto(l, symbol, &value, has, &program);
    if (d->use.is_void)
        return ct_refuse(l, d->name->position, "a variable can't be void");
    if (!smp_type_is_integer(d->use.type) || d->shape.dim_count > 0)
        return declare_local(l, symbol, &value, &program);
    return ct_operand_value(l, &value) &&
           declare_integer(l, symbol, d->use.type, &value, has, &program);
}

static bool declare(ct_lower *l, const ct_node *node, const ct_type_use *use) {
    declarator d;
    if (!lower_declarator(l, node, use, &d))
        return false;
    l->last_end = ct_end(l, node);
    ct_symbol symbol = {.name = d.name->word,
                        .shape = d.shape,
                        .array = CT_ARRAY_NONE,
                        .is_const = node->flags & CT_IS_CONST || (use->is_const && !d.is_pointer)};
    if (d.initial && d.initial->kind == CT_N_LAMBDA)
        return ct_lambda_declare(l, d.initial, d.name);
    const bool is_plain = !use->is_auto && !use->is_void && !d.is_pointer && !d.is_reference;
    if (is_plain && is_local_followed(l, node, d.shape))
        return declare_local_array(l, &symbol, node);
    return declare_as(l, &d, &symbol);
}

bool ct_lower_variables(ct_lower *l, const ct_node *node) {
    ct_type_use use;
    uint32_t ignored = 1;
    const ct_node *part = node->child;
    for (; part->kind == CT_N_ALIGN; part = part->next) {
        ct_lower_align(l, part, &ignored);
    }
    if (!ct_lower_type_use(l, part, &use))
        return false;
    for (part = part->next; part; part = part->next) {
        const bool sound = part->kind == CT_N_FAULT   ? ct_fail_fault(l, part)
                           : part->kind == CT_N_ALIGN ? ct_lower_align(l, part, &ignored)
                                                      : declare(l, part, &use);
        if (!sound)
            return false;
    }
    return l->status == SMP_OK;
}
