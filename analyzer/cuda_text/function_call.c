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
static bool parse_result(ct_parser *parser, const ct_definition *f, ct_callee *out) {
    const ct_token *tokens = parser->tokens;
    uint32_t first = f->is_lambda ? f->result : f->head;
    const uint32_t end = f->is_lambda ? f->body : f->name;
    if (ct_token_is(&tokens[first], "template"))
        first = ct_behind_bracket(tokens, first + 1, '<', '>');
    if (f->is_lambda && first == 0) {
        first = end;
        out->use = (ct_type_use){.is_auto = true};
    }
    ct_parser_return(parser, first);
    while (ct_function_qualifier(&parser->token))
        ct_parser_next(parser);
    if (first < end && !ct_type_use_parse(parser, &out->use))
        return false;
    while (ct_function_qualifier(&parser->token))
        ct_parser_next(parser);
    out->is_pointer = ct_parser_accept(parser, '*');
    out->is_reference = ct_parser_accept(parser, '&');
    out->is_known = !out->use.is_auto;
    if (parser->at != end)
        return ct_parser_fail(parser, SMP_E_SYNTAX, parser->token.position,
                              "what this function returns is not understood");
    out->result = (ct_symbol){.name = out->name.text,
                              .length = out->name.length,
                              .meaning = CT_MEANS_LOCAL,
                              .array = CT_ARRAY_NONE,
                              .shape = {.type = out->use.type}};
    return true;
}

/* A variable for the result, once its type is known. */
static bool open_result(ct_parser *parser, ct_callee *callee, size_t position) {
    ct_symbol *result = &callee->result;
    if (result->meaning != CT_MEANS_LOCAL)
        return true;
    if (callee->is_pointer || callee->is_reference) {
        result->meaning = CT_MEANS_POINTER;
    } else if (smp_type_is_integer(callee->use.type)) {
        result->meaning = CT_MEANS_INTEGER;
        result->shape = (smp_shape){.type = callee->use.type};
        result->kind = ct_type_kind(callee->use.type);
    } else {
        return true;
    }
    return ct_slot_new(parser, position, &result->slot);
}

static void take_auto(ct_callee *callee, const ct_operand *value) {
    if (callee->is_known)
        return;
    callee->is_known = true;
    callee->is_pointer = value->form == CT_FORM_POINTER;
    callee->use =
        (ct_type_use){.type = callee->is_pointer ? value->shape.type : ct_operand_type(value)};
    if (!callee->is_pointer)
        callee->result.shape.type = callee->use.type;
}

static bool set_result(ct_parser *parser, ct_callee *callee, ct_operand *value) {
    size_t position = value->position;
    bool is_place = value->form == CT_FORM_OBJECT;
    bool sound = callee->is_reference && is_place ? ct_place_address(parser, value, position)
                                                  : ct_operand_value(parser, value);
    if (!sound)
        return false;
    take_auto(callee, value);
    return open_result(parser, callee, position) &&
           (callee->result.meaning == CT_MEANS_LOCAL ||
            ct_operand_set(parser, &callee->result, value, position));
}

bool ct_function_return(ct_parser *parser) {
    ct_program program;
    ct_operand value;
    if (!ct_parser_at_end(parser)) {
        ct_program_begin(parser, &program);
        if (!ct_expr_parse(parser, &value) || !set_result(parser, parser->callee, &value))
            return false;
        ct_program_end(parser, CT_DATA, &program);
        if (!ct_program_add(parser, &program))
            return false;
    }
    return ct_statement_add(parser, CT_DO_RETURN) != NULL && ct_parser_expect_end(parser);
}

/* The result, as a value on the stack. */
static bool push_result(ct_parser *parser, ct_callee *callee, size_t position, ct_operand *out) {
    ct_symbol *result = &callee->result;
    *out = (ct_operand){.form = CT_FORM_VALUE, .kind = CT_DATA, .position = position};
    parser->is_varying |= result->varies;
    out->type = result->meaning == CT_MEANS_POINTER ? NULL : result->shape.type;
    if (result->meaning == CT_MEANS_LOCAL)
        return ct_emit_unknown(parser, CT_REASON_CALL, result->name, result->length, position);
    if (result->meaning == CT_MEANS_POINTER) {
        out->form = callee->is_reference ? CT_FORM_OBJECT : CT_FORM_POINTER;
        out->array = result->array;
        out->shape = result->shape;
        out->is_loose = out->is_hidden = true;
    }
    out->kind = result->meaning == CT_MEANS_POINTER ? CT_I64 : result->kind;
    return ct_emit_slot(parser, result->slot, position);
}

/* ---- Bodies ---------------------------------------------------------------------------- */

/* The block hangs on the statement of the program that is being read, once that is there. */
static uint32_t open_block(ct_parser *parser, size_t position) {
    smp_layout *layout = parser->layout;
    if (layout->kernel.statement_count == CT_STATEMENTS_MAX) {
        (void)ct_parser_fail(parser, SMP_E_OVERFLOW, position, "more than %d statements",
                             CT_STATEMENTS_MAX - 1);
        return 0;
    }
    uint32_t block = layout->kernel.statement_count++;
    layout->kernel.statements[block] = (ct_statement){.kind = CT_DO_CALL, .is_unclaimed = true};
    return block;
}

/* What the statements of a body set of those who call. */
static void add_writes(ct_parser *parser, uint32_t block, uint32_t slots) {
    const smp_layout *layout = parser->layout;
    for (uint32_t i = block; i < layout->kernel.statement_count; i++) {
        const ct_statement *s = &layout->kernel.statements[i];
        for (unsigned slot = 0; slot < slots; slot++) {
            if (ct_slots_has(&s->program.writes, slot) || ct_slots_has(&s->step.writes, slot))
                ct_slots_add(&parser->writes, slot);
        }
    }
}

/* Reads the body with a parser that is as at a statement's start. */
static bool read_body(ct_parser *parser, const ct_definition *f, ct_callee *callee,
                      uint32_t block) {
    smp_layout *layout = parser->layout;
    ct_parser outer = *parser;
    const uint32_t open = layout->open, slots = layout->kernel.slot_count;
    layout->open = block;
    parser->callee = callee;
    parser->call_depth++;
    parser->depth = parser->in_index = parser->switches = 0;
    parser->goes_on = parser->in_template = parser->is_expanded = false;
    parser->first_claim = layout->kernel.access_count;
    parser->first_call = layout->kernel.statement_count;
    ct_parser_return(parser, f->body);
    bool sound = ct_statement_parse(parser);
    layout->open = open;
    outer.status = parser->status;
    outer.error_line = parser->error_line;
    *parser = outer;
    add_writes(parser, block, slots);
    return sound;
}

static bool put_body(ct_parser *parser, const ct_definition *f, ct_callee *callee,
                     size_t position) {
    uint32_t block = open_block(parser, position), at = parser->code->count;
    ct_expr_instruction call = {.op = CT_CODE_CALL, .value = block};
    if (block == 0 || !ct_emit(parser, call, position, 0))
        return false;
    parser->stack--;
    if (!read_body(parser, f, callee, block))
        return false;
    parser->code->items[at].limit = parser->code->count - at - 1;
    return true;
}

static bool check_call(ct_parser *parser, const ct_token *name) {
    if (parser->call_depth == CALLS_NESTED_MAX)
        return ct_parser_fail(parser, SMP_E_OVERFLOW, name->position,
                              "'%.*s' calls itself, or calls are nested too deeply here; "
                              "'emulate' runs the machine code",
                              CT_TOKEN_TEXT(*name));
    return true;
}

/* Everything behind the arguments, with the caller's names out of sight. */
static bool call(ct_parser *parser, const ct_definition *f, ct_callee *callee,
                 const ct_given_part *parts, unsigned part_count, ct_operand *arguments,
                 unsigned count) {
    smp_layout *layout = parser->layout;
    ct_scope *scope = &layout->scope;
    size_t mark = ct_scope_begin(layout), from = scope->hidden_from, to = scope->hidden_to;
    const size_t later_from = scope->later_from, later_to = scope->later_to;
    uint32_t aliases = layout->types.alias_count;
    if (f->is_lambda) {
        scope->later_from = f->later;
        scope->later_to = scope->count;
    } else {
        scope->hidden_from = layout->has_kernel ? layout->kernel_names : scope->count;
        scope->hidden_to = scope->count;
    }
    bool is_template = ct_token_is(&parser->tokens[f->head], "template");
    bool sound = (!callee->self || ct_method_bind(parser, f, callee->self)) &&
                 (!is_template || ct_function_bind_given(parser, f->head, parts, part_count)) &&
                 ct_function_bind_all(parser, f, arguments, count) &&
                 parse_result(parser, f, callee) &&
                 put_body(parser, f, callee, callee->name.position);
    scope->hidden_from = from;
    scope->hidden_to = to;
    scope->later_from = later_from;
    scope->later_to = later_to;
    layout->types.alias_count = aliases;
    ct_scope_end(layout, mark);
    return sound;
}

/* ---- Calls that are constants ---------------------------------------------------------- */

/* Where things were before a call. */
typedef struct before {
    uint32_t code, slots, statements, accesses, arrays, loops;
    unsigned stack;
    bool has_barrier;
    ct_slot_set reads, writes;
} before;

static before look(const ct_parser *parser) {
    const smp_layout *layout = parser->layout;
    return (before){.code = parser->code->count,
                    .slots = layout->kernel.slot_count,
                    .statements = layout->kernel.statement_count,
                    .accesses = layout->kernel.access_count,
                    .arrays = layout->kernel.array_count,
                    .loops = layout->kernel.loop_count,
                    .stack = parser->stack,
                    .has_barrier = parser->has_barrier,
                    .reads = parser->reads,
                    .writes = parser->writes};
}

/* True if the call, its body included, can neither see nor change anything but its own. */
static bool is_pure(const ct_parser *parser, const before *was) {
    const smp_layout *layout = parser->layout;
    if (layout->kernel.access_count != was->accesses || layout->kernel.array_count != was->arrays)
        return false;
    for (uint32_t i = was->code; i < parser->code->count; i++) {
        const ct_expr_instruction *in = &parser->code->items[i];
        bool is_variable = in->op == CT_CODE_SLOT || in->op == CT_CODE_SET ||
                           in->op == CT_CODE_ELEMENT || in->op == CT_CODE_SET_ELEMENT;
        if (in->op == CT_CODE_SHUFFLE || in->op == CT_CODE_VOTE || in->op == CT_CODE_BARRIER ||
            (is_variable && in->slot < was->slots))
            return false;
    }
    return true;
}

/* A call of which nothing but constants decides the value is that constant: constexpr. */
static bool fold_call(ct_parser *parser, const before *was, ct_operand *out) {
    smp_layout *layout = parser->layout;
    int64_t value;
    const ct_program program = {.start = was->code, .count = parser->code->count - was->code};
    if (out->form != CT_FORM_VALUE || out->kind == CT_DATA || !is_pure(parser, was) ||
        !ct_walk_constant(&layout->kernel, &program, &value))
        return true;
    parser->code->count = was->code;
    layout->kernel.slot_count = was->slots;
    layout->kernel.statement_count = was->statements;
    layout->kernel.loop_count = was->loops;
    parser->stack = was->stack;
    parser->has_barrier = was->has_barrier;
    parser->reads = was->reads;
    parser->writes = was->writes;
    return ct_emit_constant(parser, value, out->position);
}

/* The call of one that is known, behind its template's values. */
static bool call_known(ct_parser *parser, const ct_token *name, const ct_definition *f,
                       const ct_given_part *parts, unsigned part_count, const before *was,
                       const ct_self *self, ct_operand *out) {
    ct_operand arguments[CT_ARGUMENTS_MAX];
    ct_callee callee = {.name = *name, .self = self};
    unsigned count;
    if (!check_call(parser, name) || !ct_function_parse_arguments(parser, f, arguments, &count))
        return false;
    uint32_t end = parser->at;
    size_t last_end = parser->last_end;
    if (!call(parser, f, &callee, parts, part_count, arguments, count))
        return false;
    ct_parser_return(parser, end);
    parser->last_end = last_end;
    parser->has_effect = parser->has_known = true;
    return push_result(parser, &callee, name->position, out) && fold_call(parser, was, out);
}

static bool call_any(ct_parser *parser, const ct_token *name, const ct_self *self, ct_operand *out,
                     bool *is_one) {
    ct_definition f;
    ct_given_part parts[CT_ARGUMENTS_MAX];
    unsigned part_count = 0;
    const before was = look(parser);
    *is_one = false;
    if (!ct_function_parse_given(parser, parts, &part_count) ||
        !ct_function_choose(parser, name, self ? self->type : NULL, &f, is_one))
        return false;
    return !*is_one || call_known(parser, name, &f, parts, part_count, &was, self, out);
}

bool ct_function_call_method(ct_parser *parser, const ct_token *name, const ct_self *self,
                             ct_operand *out, bool *is_one) {
    return call_any(parser, name, self, out, is_one);
}

/* In a method, its class's come first. */
bool ct_function_call(ct_parser *parser, const ct_token *name, ct_operand *out, bool *is_one) {
    const ct_self *self = parser->callee ? parser->callee->self : NULL;
    const uint32_t at = parser->at;
    *is_one = false;
    if (self && !call_any(parser, name, self, out, is_one))
        return false;
    if (*is_one)
        return true;
    if (self)
        ct_parser_return(parser, at);
    return call_any(parser, name, NULL, out, is_one);
}

bool ct_function_call_lambda(ct_parser *parser, const ct_token *name, const ct_definition *f,
                             ct_operand *out) {
    const before was = look(parser);
    return call_known(parser, name, f, NULL, 0, &was, NULL, out);
}
