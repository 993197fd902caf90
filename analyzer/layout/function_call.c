/* SPDX-License-Identifier: MIT */
/*
 * Calls of functions of the device. The body is read once more for each call, as a block of
 * statements that hangs on the statement which calls. Its code stands behind the instruction that
 * runs the block, and is passed over where the calling expression goes on.
 */
#include <string.h>

#include "function.h"
#include "layout.h"

enum { CALLS_NESTED_MAX = 12 };

/* ---- Results --------------------------------------------------------------------------- */

/* "float", "int *", "T &" before the function's name. */
static bool parse_result(smp_parser *parser, const smp_definition *f, smp_callee *out) {
    const smp_token *tokens = parser->tokens;
    uint32_t first = f->is_lambda ? f->result : f->head;
    const uint32_t end = f->is_lambda ? f->body : f->name;
    if (smp_token_is(&tokens[first], "template"))
        first = smp_behind_bracket(tokens, first + 1, '<', '>');
    if (f->is_lambda && first == 0) {
        first = end;
        out->use = (smp_type_use){.is_auto = true};
    }
    smp_parser_return(parser, first);
    while (smp_function_qualifier(&parser->token))
        smp_parser_next(parser);
    if (first < end && !smp_type_use_parse(parser, &out->use))
        return false;
    while (smp_function_qualifier(&parser->token))
        smp_parser_next(parser);
    out->is_pointer = smp_parser_accept(parser, '*');
    out->is_reference = smp_parser_accept(parser, '&');
    out->is_known = !out->use.is_auto;
    if (parser->at != end)
        return smp_parser_fail(parser, SMP_E_SYNTAX, parser->token.position,
                               "what this function returns is not understood");
    out->result = (smp_symbol){.name = out->name.text,
                               .length = out->name.length,
                               .meaning = SMP_MEANS_LOCAL,
                               .array = SMP_ARRAY_NONE,
                               .shape = {.type = out->use.type}};
    return true;
}

/* A variable for the result, once its type is known. */
static bool open_result(smp_parser *parser, smp_callee *callee, size_t position) {
    smp_symbol *result = &callee->result;
    if (result->meaning != SMP_MEANS_LOCAL)
        return true;
    if (callee->is_pointer || callee->is_reference) {
        result->meaning = SMP_MEANS_POINTER;
    } else if (smp_type_is_integer(callee->use.type)) {
        result->meaning = SMP_MEANS_INTEGER;
        result->shape = (smp_shape){.type = callee->use.type};
        result->kind = smp_type_kind(callee->use.type);
    } else {
        return true;
    }
    return smp_slot_new(parser, position, &result->slot);
}

static void take_auto(smp_callee *callee, const smp_operand *value) {
    if (callee->is_known)
        return;
    callee->is_known = true;
    callee->is_pointer = value->form == SMP_FORM_POINTER;
    callee->use =
        (smp_type_use){.type = callee->is_pointer ? value->shape.type : smp_operand_type(value)};
    if (!callee->is_pointer)
        callee->result.shape.type = callee->use.type;
}

static bool set_result(smp_parser *parser, smp_callee *callee, smp_operand *value) {
    size_t position = value->position;
    bool is_place = value->form == SMP_FORM_OBJECT;
    bool sound = callee->is_reference && is_place ? smp_place_address(parser, value, position)
                                                  : smp_operand_value(parser, value);
    if (!sound)
        return false;
    take_auto(callee, value);
    return open_result(parser, callee, position) &&
           (callee->result.meaning == SMP_MEANS_LOCAL ||
            smp_operand_set(parser, &callee->result, value, position));
}

bool smp_function_return(smp_parser *parser) {
    smp_program program;
    smp_operand value;
    if (!smp_parser_at_end(parser)) {
        smp_program_begin(parser, &program);
        if (!smp_expr_parse(parser, &value) || !set_result(parser, parser->callee, &value))
            return false;
        smp_program_end(parser, SMP_DATA, &program);
        if (!smp_program_add(parser, &program))
            return false;
    }
    return smp_statement_add(parser, SMP_DO_RETURN) != NULL && smp_parser_expect_end(parser);
}

/* The result, as a value on the stack. */
static bool push_result(smp_parser *parser, smp_callee *callee, size_t position, smp_operand *out) {
    smp_symbol *result = &callee->result;
    *out = (smp_operand){.form = SMP_FORM_VALUE, .kind = SMP_DATA, .position = position};
    parser->is_varying |= result->varies;
    out->type = result->meaning == SMP_MEANS_POINTER ? NULL : result->shape.type;
    if (result->meaning == SMP_MEANS_LOCAL)
        return smp_emit_unknown(parser, SMP_REASON_CALL, result->name, result->length, position);
    if (result->meaning == SMP_MEANS_POINTER) {
        out->form = callee->is_reference ? SMP_FORM_OBJECT : SMP_FORM_POINTER;
        out->array = result->array;
        out->shape = result->shape;
        out->is_loose = out->is_hidden = true;
    }
    out->kind = result->meaning == SMP_MEANS_POINTER ? SMP_I64 : result->kind;
    return smp_emit_slot(parser, result->slot, position);
}

/* ---- Bodies ---------------------------------------------------------------------------- */

/* The block hangs on the statement of the program that is being read, once that is there. */
static uint32_t open_block(smp_parser *parser, size_t position) {
    smp_layout *layout = parser->layout;
    if (layout->statement_count == SMP_STATEMENTS_MAX) {
        (void)smp_parser_fail(parser, SMP_E_OVERFLOW, position, "more than %d statements",
                              SMP_STATEMENTS_MAX - 1);
        return 0;
    }
    uint32_t block = layout->statement_count++;
    layout->statements[block] = (smp_statement){.kind = SMP_DO_CALL, .is_unclaimed = true};
    return block;
}

/* What the statements of a body set of those who call. */
static void add_writes(smp_parser *parser, uint32_t block, uint32_t slots) {
    const smp_layout *layout = parser->layout;
    for (uint32_t i = block; i < layout->statement_count; i++) {
        const smp_statement *s = &layout->statements[i];
        for (unsigned slot = 0; slot < slots; slot++) {
            if (smp_slots_has(&s->program.writes, slot) || smp_slots_has(&s->step.writes, slot))
                smp_slots_add(&parser->writes, slot);
        }
    }
}

/* Reads the body with a parser that is as at a statement's start. */
static bool read_body(smp_parser *parser, const smp_definition *f, smp_callee *callee,
                      uint32_t block) {
    smp_layout *layout = parser->layout;
    smp_parser outer = *parser;
    const uint32_t open = layout->open, slots = layout->slot_count;
    layout->open = block;
    parser->callee = callee;
    parser->call_depth++;
    parser->depth = parser->in_index = parser->switches = 0;
    parser->goes_on = parser->in_template = parser->is_expanded = false;
    parser->first_claim = layout->access_count;
    parser->first_call = layout->statement_count;
    smp_parser_return(parser, f->body);
    bool sound = smp_statement_parse(parser);
    layout->open = open;
    outer.status = parser->status;
    outer.error_line = parser->error_line;
    *parser = outer;
    add_writes(parser, block, slots);
    return sound;
}

static bool put_body(smp_parser *parser, const smp_definition *f, smp_callee *callee,
                     size_t position) {
    uint32_t block = open_block(parser, position), at = parser->code->count;
    smp_expr_instruction call = {.op = SMP_CODE_CALL, .value = block};
    if (block == 0 || !smp_emit(parser, call, position, 0))
        return false;
    parser->stack--;
    if (!read_body(parser, f, callee, block))
        return false;
    parser->code->items[at].limit = parser->code->count - at - 1;
    return true;
}

static bool check_call(smp_parser *parser, const smp_token *name) {
    if (parser->call_depth == CALLS_NESTED_MAX)
        return smp_parser_fail(parser, SMP_E_OVERFLOW, name->position,
                               "'%.*s' calls itself, or calls are nested too deeply here; "
                               "'emulate' runs the machine code",
                               SMP_TOKEN_TEXT(*name));
    return true;
}

/* Everything behind the arguments, with the caller's names out of sight. */
static bool call(smp_parser *parser, const smp_definition *f, smp_callee *callee,
                 const smp_given_part *parts, unsigned part_count, smp_operand *arguments,
                 unsigned count) {
    smp_layout *layout = parser->layout;
    smp_scope *scope = &layout->scope;
    size_t mark = smp_scope_begin(layout), from = scope->hidden_from, to = scope->hidden_to;
    const size_t later_from = scope->later_from, later_to = scope->later_to;
    uint32_t aliases = layout->types.alias_count;
    if (f->is_lambda) {
        scope->later_from = f->later;
        scope->later_to = scope->count;
    } else {
        scope->hidden_from = layout->has_kernel ? layout->kernel_names : scope->count;
        scope->hidden_to = scope->count;
    }
    bool is_template = smp_token_is(&parser->tokens[f->head], "template");
    bool sound = (!callee->self || smp_method_bind(parser, f, callee->self)) &&
                 (!is_template || smp_function_bind_given(parser, f->head, parts, part_count)) &&
                 smp_function_bind_all(parser, f, arguments, count) &&
                 parse_result(parser, f, callee) &&
                 put_body(parser, f, callee, callee->name.position);
    scope->hidden_from = from;
    scope->hidden_to = to;
    scope->later_from = later_from;
    scope->later_to = later_to;
    layout->types.alias_count = aliases;
    smp_scope_end(layout, mark);
    return sound;
}

/* ---- Calls that are constants ---------------------------------------------------------- */

/* Where things were before a call. */
typedef struct before {
    uint32_t code, slots, statements, accesses, arrays, loops;
    unsigned stack;
    bool has_barrier;
    smp_slot_set reads, writes;
} before;

static before look(const smp_parser *parser) {
    const smp_layout *layout = parser->layout;
    return (before){.code = parser->code->count,
                    .slots = layout->slot_count,
                    .statements = layout->statement_count,
                    .accesses = layout->access_count,
                    .arrays = layout->array_count,
                    .loops = layout->loop_count,
                    .stack = parser->stack,
                    .has_barrier = parser->has_barrier,
                    .reads = parser->reads,
                    .writes = parser->writes};
}

/* True if the call, its body included, can neither see nor change anything but its own. */
static bool is_pure(const smp_parser *parser, const before *was) {
    const smp_layout *layout = parser->layout;
    if (layout->access_count != was->accesses || layout->array_count != was->arrays)
        return false;
    for (uint32_t i = was->code; i < parser->code->count; i++) {
        const smp_expr_instruction *in = &parser->code->items[i];
        bool is_variable = in->op == SMP_CODE_SLOT || in->op == SMP_CODE_SET ||
                           in->op == SMP_CODE_ELEMENT || in->op == SMP_CODE_SET_ELEMENT;
        if (in->op == SMP_CODE_SHUFFLE || in->op == SMP_CODE_VOTE || in->op == SMP_CODE_BARRIER ||
            (is_variable && in->slot < was->slots))
            return false;
    }
    return true;
}

/* A call of which nothing but constants decides the value is that constant: constexpr. */
static bool fold_call(smp_parser *parser, const before *was, smp_operand *out) {
    smp_layout *layout = parser->layout;
    int64_t value;
    const smp_program program = {.start = was->code, .count = parser->code->count - was->code};
    if (out->form != SMP_FORM_VALUE || out->kind == SMP_DATA || !is_pure(parser, was) ||
        !smp_walk_constant(layout, &program, &value))
        return true;
    parser->code->count = was->code;
    layout->slot_count = was->slots;
    layout->statement_count = was->statements;
    layout->loop_count = was->loops;
    parser->stack = was->stack;
    parser->has_barrier = was->has_barrier;
    parser->reads = was->reads;
    parser->writes = was->writes;
    return smp_emit_constant(parser, value, out->position);
}

/* The call of one that is known, behind its template's values. */
static bool call_known(smp_parser *parser, const smp_token *name, const smp_definition *f,
                       const smp_given_part *parts, unsigned part_count, const before *was,
                       const smp_self *self, smp_operand *out) {
    smp_operand arguments[SMP_ARGUMENTS_MAX];
    smp_callee callee = {.name = *name, .self = self};
    unsigned count;
    if (!check_call(parser, name) || !smp_function_parse_arguments(parser, f, arguments, &count))
        return false;
    uint32_t end = parser->at;
    size_t last_end = parser->last_end;
    if (!call(parser, f, &callee, parts, part_count, arguments, count))
        return false;
    smp_parser_return(parser, end);
    parser->last_end = last_end;
    parser->has_effect = parser->has_known = true;
    return push_result(parser, &callee, name->position, out) && fold_call(parser, was, out);
}

static bool call_any(smp_parser *parser, const smp_token *name, const smp_self *self,
                     smp_operand *out, bool *is_one) {
    smp_definition f;
    smp_given_part parts[SMP_ARGUMENTS_MAX];
    unsigned part_count = 0;
    const before was = look(parser);
    *is_one = false;
    if (!smp_function_parse_given(parser, parts, &part_count) ||
        !smp_function_choose(parser, name, self ? self->type : NULL, &f, is_one))
        return false;
    return !*is_one || call_known(parser, name, &f, parts, part_count, &was, self, out);
}

bool smp_function_call_method(smp_parser *parser, const smp_token *name, const smp_self *self,
                              smp_operand *out, bool *is_one) {
    return call_any(parser, name, self, out, is_one);
}

/* In a method, its class's come first. */
bool smp_function_call(smp_parser *parser, const smp_token *name, smp_operand *out, bool *is_one) {
    const smp_self *self = parser->callee ? parser->callee->self : NULL;
    const uint32_t at = parser->at;
    *is_one = false;
    if (self && !call_any(parser, name, self, out, is_one))
        return false;
    if (*is_one)
        return true;
    if (self)
        smp_parser_return(parser, at);
    return call_any(parser, name, NULL, out, is_one);
}

bool smp_function_call_lambda(smp_parser *parser, const smp_token *name, const smp_definition *f,
                              smp_operand *out) {
    const before was = look(parser);
    return call_known(parser, name, f, NULL, 0, &was, NULL, out);
}
