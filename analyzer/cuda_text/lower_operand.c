/* SPDX-License-Identifier: MIT */
/*
 * Code: instructions are appended, and operations on constants folded, so a constant expression is
 * one instruction. Operands and their conversion to values; constant expressions; assignments, ++
 * and --. The right side of an assignment is evaluated first, as in C++17.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "list.h"
#include "lower.h"

/* ---- Code ---- */

static bool foldable(const ct_lower *l, const ct_expr_instruction *instruction, unsigned operands) {
    const ct_expr_code *code = l->code;
    const bool computes = instruction->op > CT_CODE_SLOT && instruction->op <= CT_CODE_LAST_BINARY;
    return computes && code->count >= operands &&
           EVERY(one, code->items + code->count - operands, operands, one->op == CT_CODE_CONST);
}

/* Replaces the last operation and its constant operands by the result. One that fails stays: it
 * matters only if a lane reaches it. */
static void fold(ct_lower *l, unsigned operands) {
    ct_expr_code *code = l->code;
    const ct_program program = {.start = code->count - operands - 1, .count = operands + 1};
    ct_lanes_state state = {.active.mask = 1};
    ct_lanes_value value;
    ct_unknown unused;
    if (ct_program_run(code, &program, &state, value, &unused) != SMP_OK)
        return;
    code->count = program.start;
    code->items[code->count++] = (ct_expr_instruction){.op = CT_CODE_CONST, .value = value[0]};
}

bool ct_emit(ct_lower *l, ct_expr_instruction instruction, size_t position, unsigned operands) {
    if (!ct_has_room(l, position, l->code->count, CT_EXPR_CODE_MAX,
                     "operations in all expressions"))
        return false;
    l->stack = l->stack - operands + 1;
    if (l->stack >= CT_EXPR_STACK_MAX)
        return ct_fail(l, SMP_E_OVERFLOW, position, "expression nested too deeply");
    if (!LIST_ROOM(l->code->items, l->code->count))
        return ct_fail_memory(l);
    bool folds = operands > 0 && foldable(l, &instruction, operands);
    instruction.line = ct_unit_line(l->unit, position, &instruction.position);
    l->code->items[l->code->count++] = instruction;
    if (folds)
        fold(l, operands);
    return true;
}

bool ct_emit_op(ct_lower *l, ct_code_op op, ct_kind kind, unsigned operands) {
    return ct_emit(l, (ct_expr_instruction){.op = (uint8_t)op, .kind = (uint8_t)kind}, l->position,
                   operands);
}

bool ct_emit_constant(ct_lower *l, int64_t value) {
    return ct_emit(l, (ct_expr_instruction){.op = CT_CODE_CONST, .value = value}, l->position, 0);
}

bool ct_emit_slot(ct_lower *l, uint16_t slot) {
    ct_slots_add(&l->program.reads, slot);
    return ct_emit(l, (ct_expr_instruction){.op = CT_CODE_SLOT, .slot = slot}, l->position, 0);
}

bool ct_emit_unknown(ct_lower *l, ct_reason reason, ct_word name) {
    return ct_emit(l,
                   (ct_expr_instruction){.op = CT_CODE_UNKNOWN,
                                         .value = reason,
                                         .limit = (int64_t)name.length,
                                         .name = name.text},
                   l->position, 0);
}

bool ct_push_unknown(ct_lower *l, const smp_type *type, ct_reason reason, ct_word name,
                     ct_operand *out) {
    *out = ct_value_of(CT_DATA, type, l->position);
    return ct_emit_unknown(l, reason, name);
}

bool ct_push_constant(ct_lower *l, ct_kind kind, const smp_type *type, int64_t value,
                      ct_operand *out) {
    *out = ct_value_of(kind, type, l->position);
    return ct_emit_constant(l, value);
}

bool ct_emit_set(ct_lower *l, uint16_t slot, const smp_type *type) {
    ct_expr_instruction set = {.op = CT_CODE_SET, .slot = slot};
    if (type) {
        set.kind = type->integer.is_signed ? CT_I64 : CT_U64;
        set.limit = type->integer.bits;
    }
    ct_slots_add(&l->program.writes, slot);
    return ct_emit(l, set, l->position, 1);
}

bool ct_slot_new(ct_lower *l, uint16_t *slot) {
    smp_layout *kernel = &l->layout->kernel;
    *slot = CT_SLOT_FREE;
    if (!ct_has_room(l, l->position, kernel->slot_count - CT_SLOT_FREE, CT_SLOTS_MAX - CT_SLOT_FREE,
                     "variables"))
        return false;
    *slot = (uint16_t)kernel->slot_count++;
    return l->status == SMP_OK;
}

bool ct_emit_merge(ct_lower *l, unsigned operands) {
    return ct_emit(l, (ct_expr_instruction){.op = CT_CODE_MERGE, .slot = (uint16_t)operands},
                   l->position, operands);
}

bool ct_emit_drop(ct_lower *l) {
    ct_emit_op(l, CT_CODE_DROP, CT_I32, 1);
    l->stack--;
    return l->status == SMP_OK;
}

void ct_program_begin(ct_lower *l) {
    l->program = (ct_program){.start = l->code->count};
    l->stack = 0;
    l->is_varying = false;
}

void ct_program_end(ct_lower *l, ct_program *out) {
    *out = l->program;
    out->count = l->code->count - out->start;
}

/* ---- Undo ---- */

/* What counts the parts of a layout. */
static void counters(ct_draft *of, uint32_t *out[CT_COUNTERS]) {
    smp_layout *kernel = &of->kernel;
    uint32_t *const all[CT_COUNTERS] = {&kernel->code.count,      &kernel->slot_count,
                                        &kernel->statement_count, &kernel->access_count,
                                        &kernel->array_count,     &kernel->loop_count,
                                        &of->struct_count,        &of->known.count,
                                        &of->known.range_count,   &of->scope.count};
    memcpy(out, all, sizeof all);
}

ct_mark ct_look(const ct_lower *l) {
    ct_mark mark = {.stack = l->stack, .program = l->program};
    uint32_t *from[CT_COUNTERS];
    counters(l->layout, from);
    for (unsigned i = 0; i < CT_COUNTERS; i++)
        mark.counts[i] = *from[i];
    return mark;
}

void ct_take_back(ct_lower *l, const ct_mark *to) {
    uint32_t *back[CT_COUNTERS];
    counters(l->layout, back);
    for (unsigned i = 0; i < CT_COUNTERS; i++)
        *back[i] = to->counts[i];
    l->stack = to->stack;
    l->program = to->program;
}

/* ---- Errors ---- */

bool ct_fail(ct_lower *l, smp_status status, size_t position, const char *format, ...) {
    char message[sizeof l->error->message];
    int32_t column;
    va_list arguments;
    if (l->status != SMP_OK)
        return false;
    va_start(arguments, format);
    (void)vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    l->error_line = ct_unit_line(l->unit, position, &column);
    l->status = smp_error_set(l->error, status, column, "%s", message);
    return false;
}

bool ct_fail_memory(ct_lower *l) {
    if (l->status == SMP_OK)
        l->status = smp_error_memory(l->error);
    return false;
}

bool ct_has_room(ct_lower *l, size_t position, size_t count, int most, const char *what) {
    if (count >= (size_t)most)
        ct_fail(l, SMP_E_OVERFLOW, position, "more than %d %s", most, what);
    return l->status == SMP_OK;
}

bool ct_fail_fault(ct_lower *l, const ct_fault *fault) {
    if (fault->status == SMP_E_MEMORY)
        return ct_fail_memory(l);
    return ct_fail(l, fault->status, fault->position, "%s", fault->message);
}

const ct_node *ct_behind_kind(const ct_node *node, ct_node_kind kind) {
    while (node && node->kind == kind)
        node = node->next;
    return node;
}

/* ---- Operands ---- */

ct_operand ct_value_of(ct_kind kind, const smp_type *type, size_t position) {
    return (ct_operand){.form = CT_FORM_VALUE, .kind = kind, .type = type, .position = position};
}

const smp_type *ct_operand_type(const ct_operand *operand) {
    if (operand->form == CT_FORM_OBJECT)
        return operand->shape.dim_count > 0 ? NULL : operand->shape.type;
    if (operand->form == CT_FORM_POINTER)
        return NULL;
    return operand->type ? operand->type : ct_type_of_kind(operand->kind);
}

/* True if the object is an integer element of an array whose data are given. */
static bool is_given(const ct_lower *l, const ct_operand *object) {
    const smp_array *array = ct_place_array_of(l, object);
    return smp_type_is_integer(array->type) && object->shape.type == array->type &&
           object->shape.dim_count == 0 &&
           ct_data_find(&l->layout->kernel, (ct_word){array->name, array->length});
}

/* Puts an unknown value, made by the operand, in place of the value on top. */
static bool forget(ct_lower *l, const ct_operand *operand, ct_reason reason, ct_word name) {
    const size_t outer = l->position;
    l->position = operand->position;
    const bool sound = ct_emit_drop(l) && ct_emit_unknown(l, reason, name);
    l->position = outer;
    return sound;
}

static bool load(ct_lower *l, ct_operand *operand) {
    const smp_type *type = operand->shape.type;
    const bool sound =
        operand->array == CT_ARRAY_LOCAL
            ? forget(l, operand, CT_REASON_LOCAL,
                     ct_token_read(l->unit->text, l->unit->length, operand->text_start).word)
            : ct_access_plain(l, operand, is_given(l, operand) ? CT_READS_VALUE : CT_TAKES_OFFSET,
                              false);
    *operand = ct_value_of(ct_type_kind(type), type, operand->position);
    return sound;
}

bool ct_operand_value(ct_lower *l, ct_operand *operand) {
    if (l->status != SMP_OK)
        return false;
    if (operand->form == CT_FORM_SLOT)
        operand->form = CT_FORM_VALUE;
    if (operand->form != CT_FORM_OBJECT)
        return true;
    if (operand->shape.dim_count == 0)
        return load(l, operand);
    return ct_place_decay(l, operand, operand->position);
}

bool ct_operand_number(ct_lower *l, ct_operand *operand) {
    if (!ct_operand_value(l, operand) || operand->form != CT_FORM_POINTER)
        return l->status == SMP_OK;
    *operand = ct_value_of(CT_U64, NULL, operand->position);
    return forget(l, operand, CT_REASON_ADDRESS, (ct_word){0});
}

/* A pointer into an array is not null. */
bool ct_operand_truth(ct_lower *l, ct_operand *operand) {
    ct_operand_value(l, operand);
    if (operand->form != CT_FORM_POINTER || operand->array < 0)
        return ct_operand_number(l, operand);
    *operand = ct_value_of(CT_I32, &ct_type_bool, operand->position);
    return ct_emit_drop(l) && ct_emit_constant(l, 1);
}

bool ct_operand_combine(ct_lower *l, ct_code_op op, ct_kind left, ct_kind right, ct_kind *out) {
    bool shifts = op == CT_CODE_SHL || op == CT_CODE_SHR;
    bool compares = ct_op_compares(op);
    ct_kind computed = (shifts && right != CT_DATA) || left > right ? left : right;
    *out = compares ? CT_I32 : computed;
    return computed == CT_DATA ? ct_emit_merge(l, 2) : ct_emit_op(l, op, computed, 2);
}

bool ct_lower_value(ct_lower *l, const ct_node *node, ct_operand *out) {
    return ct_lower_expression(l, node, out) && ct_operand_value(l, out);
}

bool ct_lower_number(ct_lower *l, const ct_node *node, ct_operand *out) {
    return ct_lower_expression(l, node, out) && ct_operand_number(l, out);
}

bool ct_lower_watched(ct_lower *l, const ct_node *node, ct_operand *out,
                      bool (*lower)(ct_lower *, const ct_node *, ct_operand *), bool *varies) {
    const bool varied = l->is_varying;
    l->is_varying = false;
    const bool sound = lower(l, node, out);
    *varies |= l->is_varying;
    l->is_varying |= varied;
    return sound;
}

/* ---- Constants ---- */

/* The instruction that keeps code from being constant, looking through the initial values of
 * variables; NULL for values known only at run time. */
static const ct_expr_instruction *find_cause(const ct_expr_code *code, uint32_t from, uint32_t to) {
    const ct_expr_instruction *cause = NULL;
    for (; from < to && !cause; from++) {
        const ct_expr_instruction *in = &code->items[from];
        uint32_t first = 0, set = 0; /* start of the variable's initial value */
        if (in->op == CT_CODE_ACCESS || in->op == CT_CODE_CALL ||
            (in->op == CT_CODE_UNKNOWN && in->value != CT_REASON_UNSET) ||
            (in->op == CT_CODE_SLOT && in->slot < CT_SLOT_FREE))
            return in;
        for (; in->op == CT_CODE_SLOT && set < from; set++) {
            const ct_expr_instruction *other = &code->items[set];
            if (other->op == CT_CODE_SET && other->slot == in->slot)
                break;
            if (other->op == CT_CODE_SET || other->op == CT_CODE_DROP)
                first = set + 1; /* after another statement */
        }
        if (in->op == CT_CODE_SLOT && set < from)
            cause = find_cause(code, first, set);
    }
    return cause;
}

/* Reports why the code from `start` on is not constant. */
static bool fail_constant_of(ct_lower *l, uint32_t start, size_t position) {
    const ct_expr_instruction *cause = find_cause(l->code, start, l->code->count);
    char text[200] = "variables";
    const char *what = text;
    if (cause && ct_origin_is(cause, CT_REASON_NAME))
        return ct_refuse(l, position, CT_NAME_UNKNOWN, CT_ORIGIN_NAME(cause));
    if (cause && cause->op == CT_CODE_CALL)
        what = "the result of a function: write the value";
    else if (cause && cause->op == CT_CODE_SLOT)
        what = cause->slot < CT_SLOT_BLOCK || cause->slot >= CT_SLOT_LANE
                   ? "what differs between threads"
               : cause->slot < CT_SLOT_BLOCK_DIM ? "what differs between blocks"
                                                 : "the size of the block or grid: write a number";
    else if (cause)
        ct_origin_describe(cause, text, sizeof text);
    return ct_refuse(l, position, "this must be a constant, but depends on %s", what);
}

int64_t ct_lower_constant(ct_lower *l, const ct_node *node, ct_kind *kind) {
    const size_t position = ct_begin(l, node);
    const ct_mark before = ct_look(l);
    ct_operand operand;
    ct_program program;
    ct_lanes_state state = {.active.mask = 1, .error = l->error};
    ct_lanes_value value;
    ct_unknown unknown;
    l->program = (ct_program){.start = l->code->count};
    if (!ct_lower_number(l, node, &operand))
        return 0;
    if (kind)
        *kind = operand.kind;
    ct_program_end(l, &program);
    if (ANY(one, l->code->items + program.start, program.count,
            one->op == CT_CODE_SLOT || one->op == CT_CODE_SET || one->op == CT_CODE_ACCESS))
        return fail_constant_of(l, program.start, position);
    l->status = ct_program_run(l->code, &program, &state, value, &unknown);
    if (l->status != SMP_OK)
        l->error_line = state.error_line;
    else if (unknown.lanes != 0)
        fail_constant_of(l, program.start, position);
    else if (operand.kind == CT_DATA)
        ct_refuse(l, position, "this must be an integer");
    ct_take_back(l, &before);
    return l->status == SMP_OK ? value[0] : 0;
}

int64_t ct_lower_constant_in(ct_lower *l, const ct_node *node, const char *what, int64_t least,
                             int64_t most) {
    ct_kind kind = CT_I32;
    const int64_t value = ct_lower_constant(l, node, &kind);
    if (kind == CT_U64 && value < 0)
        ct_fail(l, SMP_E_OVERFLOW, ct_begin(l, node), "%s is too large (at most %lld)", what,
                (long long)most);
    if (l->status == SMP_OK && value >= least && value <= most)
        return value;
    ct_fail(l, SMP_E_OVERFLOW, ct_begin(l, node), "%s is %lld, but must be %lld to %lld", what,
            (long long)value, (long long)least, (long long)most);
    return least;
}

/* ---- Assignment ---- */

static bool bind_pointer(ct_lower *l, ct_symbol *symbol, const ct_operand *value) {
    const bool is_unset = symbol->array == CT_ARRAY_NONE;
    if (value->form == CT_FORM_VALUE) { /* null */
        if (!is_unset)
            return ct_refuse_here(l, "'%.*s' points to an array and cannot be set to another value",
                                  CT_WORD(symbol->name));
        return ct_emit_drop(l) && ct_emit_unknown(l, CT_REASON_UNSET, symbol->name);
    }
    const bool is_always = symbol->open == l->layout->open && l->choices == 0;
    if (!is_unset && symbol->array != value->array && !is_always)
        return ct_refuse_here(
            l,
            "'%.*s' points to different arrays, depending on a condition or loop, "
            "which is not supported",
            CT_WORD(symbol->name));
    symbol->array = value->array;
    symbol->is_expanded |= value->is_hidden;
    if (!symbol->shape.type)
        symbol->shape = value->shape;
    return true;
}

bool ct_operand_set(ct_lower *l, ct_symbol *symbol, ct_operand *value) {
    const bool is_pointer = symbol->meaning == CT_MEANS_POINTER;
    if (!(is_pointer ? bind_pointer(l, symbol, value) : ct_operand_number(l, value)))
        return false;
    symbol->varies |= l->is_varying;
    l->has_effect = true;
    return ct_emit_set(l, symbol->slot, is_pointer ? NULL : symbol->shape.type);
}

/* The value of an assigned variable. */
static ct_operand result_of(const ct_lower *l, ct_symbol *symbol) {
    if (symbol->meaning == CT_MEANS_POINTER)
        return ct_place_pointer(l, symbol);
    ct_operand result = ct_value_of(symbol->kind, symbol->shape.type, l->position);
    result.symbol = symbol;
    return result;
}

static bool fail_constant(ct_lower *l, const ct_symbol *symbol) {
    return ct_refuse_here(l, "'%.*s' is constant", CT_WORD(symbol->name));
}

/* Removes the instruction that read the variable. */
static void unread(ct_lower *l) {
    l->code->count--;
    l->stack--;
}

/* variable op= the number on top of the stack; reads the variable again. */
static bool change_variable(ct_lower *l, ct_code_op op, ct_symbol *symbol, ct_kind kind) {
    ct_operand changed = result_of(l, symbol);
    const bool is_pointer = changed.form == CT_FORM_POINTER;
    if (is_pointer && op != CT_CODE_ADD && op != CT_CODE_SUB)
        return ct_refuse_here(l, "pointers support only += and -=");
    ct_emit_slot(l, symbol->slot);
    ct_emit_op(l, CT_CODE_SWAP, CT_I64, 1);
    const bool sound = is_pointer ? ct_place_move(l, &changed, kind, op == CT_CODE_SUB)
                                  : ct_operand_combine(l, op, symbol->kind, kind, &changed.kind);
    return sound && ct_operand_set(l, symbol, &changed);
}

/* True if an expression may set variables read by the left side of an assignment. */
static bool may_set(const ct_lower *l, const ct_node *node) {
    for (uint32_t i = node->first; i < node->end; i++) {
        const ct_token *token = &l->tokens[i];
        const bool is_member =
            i > 0 && (token[-1].code == '.' || token[-1].code == CT_PUNCT2('-', '>'));
        const bool is_call = token->kind == CT_TOKEN_NAME && ct_token_is_one_of(token + 1, "(<");
        if (ct_token_steps(token) || ct_token_assigns(token) ||
            (is_call && (is_member || ct_function_next(l->unit, token, NULL))))
            return true;
    }
    return false;
}

/* "left op= right" reads the old value before evaluating the right side if that makes no
 * difference. */
bool ct_lower_assign(ct_lower *l, const ct_node *node, ct_operand *out) {
    const ct_code_op op = ct_operator_op(&l->tokens[node->at]);
    const ct_node *value = node->child->next;
    const bool is_plain = op == CT_CODE_CONST, is_first = is_plain || may_set(l, value);
    ct_operand right;
    if (is_first &&
        !(is_plain ? ct_lower_value(l, value, &right) : ct_lower_number(l, value, &right)))
        return false;
    ct_lower_expression(l, node->child, out);
    ct_symbol *symbol =
        out->form == CT_FORM_SLOT || out->form == CT_FORM_POINTER ? out->symbol : NULL;
    if (symbol) {
        if (symbol->is_const)
            return fail_constant(l, symbol);
        unread(l);
        if (!is_first)
            ct_lower_number(l, value, &right);
        const bool sound = is_plain ? ct_operand_set(l, symbol, &right)
                                    : change_variable(l, op, symbol, right.kind);
        *out = result_of(l, symbol);
        return sound;
    }
    if (out->form != CT_FORM_OBJECT)
        return ct_refuse(l, out->position, "this cannot be assigned to");
    if (out->shape.dim_count > 0)
        return ct_refuse_here(l, "an array cannot be assigned to");
    const bool is_local = out->array == CT_ARRAY_LOCAL;
    const smp_type *type = out->shape.type;
    if (!is_plain && !is_local)
        ct_access_plain(l, out, CT_KEEPS_OFFSET, false);
    if (!is_first && ct_lower_number(l, value, &right))
        ct_emit_op(l, CT_CODE_SWAP, CT_I64, 1);
    l->has_effect = true;
    const bool sound = is_local ? ct_emit_drop(l) : ct_access_plain(l, out, CT_STORES_VALUE, true);
    *out = ct_value_of(ct_type_kind(type), type, l->position);
    return sound && ((is_plain && right.form != CT_FORM_POINTER) || ct_emit_merge(l, 1));
}

/* ++x, --x, x++ and x--; the value read is on the stack. */
bool ct_operand_step(ct_lower *l, ct_operand *operand, bool is_up, bool is_after) {
    ct_symbol *symbol = operand->symbol;
    l->has_effect = true;
    if (operand->form == CT_FORM_OBJECT && operand->shape.dim_count == 0) {
        const smp_type *type = operand->shape.type;
        const bool sound = operand->array == CT_ARRAY_LOCAL
                               ? ct_emit_merge(l, 1)
                               : ct_access_plain(l, operand, CT_KEEPS_OFFSET, false) &&
                                     ct_access_plain(l, operand, CT_TAKES_OFFSET, true);
        *operand = ct_value_of(ct_type_kind(type), type, l->position);
        return sound;
    }
    if (!symbol || operand->form == CT_FORM_VALUE || operand->form == CT_FORM_OBJECT)
        return ct_refuse_here(l, "++ and -- need a variable or an element");
    if (symbol->is_const)
        return fail_constant(l, symbol);
    if (!is_after)
        unread(l);
    const bool sound = ct_emit_constant(l, 1) &&
                       change_variable(l, is_up ? CT_CODE_ADD : CT_CODE_SUB, symbol, CT_I32) &&
                       (!is_after || ct_emit_drop(l));
    *operand = result_of(l, symbol);
    operand->symbol = NULL;
    return sound;
}
