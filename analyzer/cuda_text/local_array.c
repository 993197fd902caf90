/* SPDX-License-Identifier: MIT */
/*
 * Arrays of a thread's own whose elements decide addresses: "int o[2][4] = {{0, 8}};". Each element
 * is in a slot. Only those are followed whose every mention is an element that is read or set: a
 * pointer to one, or a reference, could change what its name does not show.
 */
#include <string.h>

#include "function.h"
#include "layout.h"

enum { ELEMENTS_MAX = 64, ARRAY_SLOTS_MAX = CT_SLOTS_MAX / 2 };

uint32_t ct_list_count(const ct_token *tokens, uint32_t at) {
    unsigned depth = 0;
    uint32_t count = 0;
    for (; tokens[at].kind != CT_TOKEN_END; at++) {
        const uint32_t code = tokens[at].kind == CT_TOKEN_PUNCT ? tokens[at].code : 0;
        const bool opens = code == '{' || code == '(' || code == '[';
        const bool closes = code == '}' || code == ')' || code == ']';
        if (closes && --depth == 0)
            break;
        /* The first token of an element. */
        const uint32_t before = at > 0 && depth == 1 ? tokens[at - 1].code : 0;
        const bool is_first =
            depth == 1 && tokens[at - 1].kind == CT_TOKEN_PUNCT && (before == '{' || before == ',');
        count += is_first;
        depth += opens;
    }
    return count;
}

/* ---- Mentions ------------------------------------------------------------------------------- */

static bool is_same(const ct_token *a, const ct_token *b) {
    return a->kind == CT_TOKEN_NAME && a->length == b->length &&
           memcmp(a->text, b->text, a->length) == 0;
}

/* Behind the brackets that begin at `at`, or `at`. */
static uint32_t behind_index(const ct_token *tokens, uint32_t at) {
    unsigned depth = 0;
    for (; tokens[at].kind != CT_TOKEN_END; at++) {
        depth += ct_token_is_punct(&tokens[at], '[');
        depth -= ct_token_is_punct(&tokens[at], ']') && depth > 0;
        if (depth == 0)
            return at + ct_token_is_punct(&tokens[at], ']');
    }
    return at;
}

static bool is_operand_end(const ct_token *token) {
    return token->kind == CT_TOKEN_NAME || token->kind == CT_TOKEN_NUMBER ||
           ct_token_is_punct(token, ')') || ct_token_is_punct(token, ']');
}

/* The function whose argument begins or ends at `at`, or NULL: what is there is none. */
static const ct_token *callee_of(const ct_token *tokens, uint32_t at) {
    unsigned depth = 1;
    while (at > 0 && depth > 0) {
        at--;
        depth += ct_token_is_punct(&tokens[at], ')');
        depth -= ct_token_is_punct(&tokens[at], '(');
        if (ct_token_is_punct(&tokens[at], ';') || ct_token_is_punct(&tokens[at], '{'))
            return NULL;
    }
    return at > 0 && tokens[at - 1].kind == CT_TOKEN_NAME ? &tokens[at - 1] : NULL;
}

/* "f = [" somewhere: its parameters are not looked at. */
static bool is_lambda(const ct_token *tokens, const ct_token *name) {
    for (; tokens->kind != CT_TOKEN_END; tokens++) {
        if (is_same(tokens, name) && ct_token_is_punct(tokens + 1, '=') &&
            ct_token_is_punct(tokens + 2, '['))
            return true;
    }
    return false;
}

/* "f(o[1])", `next` being behind it, may take it by reference. */
static bool may_refer(const ct_parser *parser, uint32_t at, const ct_token *next) {
    const ct_token *tokens = parser->tokens, *before = &tokens[at - 1];
    const bool begins = ct_token_is_punct(before, '(') || ct_token_is_punct(before, ',');
    const bool ends = ct_token_is_punct(next, ')') || ct_token_is_punct(next, ',');
    const ct_token *callee = begins && ends ? callee_of(tokens, at) : NULL;
    return callee && (ct_function_takes_reference(parser, callee) || is_lambda(tokens, callee));
}

/* What the mention at `at`, of an array of so many dimensions, does. */
typedef enum ct_mention { READS_ELEMENT, SETS_ELEMENT, SHOWS_MORE } ct_mention;

static ct_mention read_mention(const ct_parser *parser, uint32_t at, unsigned dims) {
    const ct_token *tokens = parser->tokens;
    uint32_t behind = at + 1;
    unsigned indices = 0;
    for (; ct_token_is_punct(&tokens[behind], '['); indices++)
        behind = behind_index(tokens, behind);
    const ct_token *before = &tokens[at - 1], *next = &tokens[behind];
    const uint32_t first = at - 1 - ct_token_is_punct(before, '(');
    if (ct_token_is(&tokens[first], "sizeof")) /* nothing is read, but its size */
        return READS_ELEMENT;
    const bool steps = ct_token_is_punct(before, CT_PUNCT2('+', '+')) ||
                       ct_token_is_punct(before, CT_PUNCT2('-', '-'));
    const bool is_address = ct_token_is_punct(before, '&') && !is_operand_end(&tokens[at - 2]);
    const bool is_member = ct_token_is_punct(before, '.') ||
                           ct_token_is_punct(before, CT_PUNCT2('-', '>')) ||
                           ct_token_is_punct(before, CT_PUNCT2(':', ':'));
    const bool is_reference = (ct_token_is_punct(before, '=') || ct_token_is_punct(before, '{')) &&
                              ct_token_is_punct(&tokens[at - 3], '&');
    if (indices != dims || is_address || is_member || is_reference ||
        ct_token_is_punct(next, '.') || may_refer(parser, at, next))
        return SHOWS_MORE;
    return steps || ct_token_sets(next) ? SETS_ELEMENT : READS_ELEMENT;
}

bool ct_local_array_changes(const ct_parser *parser, const ct_symbol *array, uint32_t at) {
    return read_mention(parser, at, array->shape.dim_count) != READS_ELEMENT;
}

/* True if the host may set what is declared before `at`. */
static bool is_of_the_host(const ct_token *tokens, uint32_t at) {
    while (at > 0 && !ct_token_is_punct(&tokens[at - 1], ';') &&
           !ct_token_is_punct(&tokens[at - 1], '}') && !ct_token_is_punct(&tokens[at - 1], '{'))
        if (ct_token_is(&tokens[--at], "__constant__"))
            return true;
    return false;
}

/* True if each mention up to the end of the block is an element. */
static bool shows_elements(const ct_parser *parser, const ct_token *name, uint32_t at,
                           unsigned dims) {
    const ct_token *tokens = parser->tokens;
    unsigned depth = 1;
    for (; tokens[at].kind != CT_TOKEN_END && depth > 0; at++) {
        depth += ct_token_is_punct(&tokens[at], '{');
        depth -= ct_token_is_punct(&tokens[at], '}');
        if (is_same(&tokens[at], name) && read_mention(parser, at, dims) == SHOWS_MORE)
            return false;
    }
    return true;
}

bool ct_local_array_is_followed(const ct_parser *parser, const ct_token *name, smp_shape shape) {
    const ct_token *next = &parser->tokens[parser->at];
    const bool has_list = ct_token_is_punct(next, '{') ||
                          (ct_token_is_punct(next, '=') && ct_token_is_punct(next + 1, '{'));
    const bool has_none = ct_token_is_punct(next, ';') || ct_token_is_punct(next, ',');
    uint64_t count = 1;
    for (uint32_t d = 0; d < shape.dim_count; d++)
        count *= shape.dims[d];
    const bool fits =
        count <= ELEMENTS_MAX && parser->layout->kernel.slot_count + count <= ARRAY_SLOTS_MAX;
    return (has_list || (has_none && !is_of_the_host(parser->tokens, parser->at))) &&
           shape.dim_count > 0 && smp_type_is_integer(shape.type) && fits &&
           shows_elements(parser, name, parser->at, shape.dim_count);
}

/* ---- Declarations --------------------------------------------------------------------------- */

/* An array while its list is read. */
typedef struct array_list {
    ct_symbol *array;
    uint32_t at, count; /* the next element */
} array_list;

static ct_expr_instruction set_of(const ct_symbol *array, uint32_t element) {
    const smp_integer_type type = array->shape.type->integer;
    return (ct_expr_instruction){.op = CT_CODE_SET,
                                 .kind = type.is_signed ? CT_I64 : CT_U64,
                                 .slot = (uint16_t)(array->slot + element),
                                 .limit = type.bits};
}

/* Sets one element to the value on top. */
static bool set_next(ct_parser *parser, array_list *list, size_t position) {
    const ct_expr_instruction set = set_of(list->array, list->at);
    ct_slots_add(&parser->writes, set.slot);
    list->at++;
    return ct_emit(parser, set, position, 1) && ct_emit_drop(parser, position);
}

static bool parse_element(ct_parser *parser, array_list *list) {
    const size_t position = parser->token.position;
    ct_operand value;
    if (list->at == list->count)
        return ct_parser_fail(parser, SMP_E_SYNTAX, position, "more values than elements");
    if (!ct_expr_value(parser, &value) || !ct_operand_number(parser, &value))
        return false;
    list->array->varies |= parser->is_varying || parser->varying_ifs > 0;
    return set_next(parser, list, position);
}

/* "1, {2, 3}, 4" up to the bracket: lists in it are those of the rows at depth `d`. */
static bool parse_elements(ct_parser *parser, array_list *list, uint32_t d) {
    const smp_shape *shape = &list->array->shape;
    uint32_t row = 1; /* elements that one inner list stands for */
    for (uint32_t i = d + 1; i < shape->dim_count; i++)
        row *= shape->dims[i];
    const uint32_t first = list->at;
    while (!ct_parser_is(parser, '}')) {
        const uint32_t begin = list->at;
        const bool is_list = ct_parser_is(parser, '{');
        if (is_list && (d + 1 >= shape->dim_count || (begin - first) % row != 0))
            return ct_parser_fail(parser, SMP_E_SYNTAX, parser->token.position,
                                  "expected a value instead of this list");
        if (is_list) {
            ct_parser_next(parser);
            if (!parse_elements(parser, list, d + 1) || !ct_parser_expect(parser, '}'))
                return false;
            if (list->at > begin + row)
                return ct_parser_fail(parser, SMP_E_SYNTAX, parser->token.position,
                                      "more values than elements");
            for (; list->at < begin + row;) /* the rest of the row is 0 */
                if (!ct_emit_constant(parser, 0, parser->token.position) ||
                    !set_next(parser, list, parser->token.position))
                    return false;
        } else if (!parse_element(parser, list)) {
            return false;
        }
        if (!ct_parser_accept(parser, ','))
            break;
    }
    return parser->status == SMP_OK;
}

bool ct_local_array_declare(ct_parser *parser, ct_symbol *symbol, size_t position) {
    array_list list = {.array = symbol, .count = 1};
    ct_program program;
    uint16_t slot;
    for (uint32_t d = 0; d < symbol->shape.dim_count; d++)
        list.count *= symbol->shape.dims[d];
    symbol->meaning = CT_MEANS_LOCAL;
    symbol->value = list.count;
    for (uint32_t i = 0; i < list.count; i++) {
        if (!ct_slot_new(parser, position, i == 0 ? &symbol->slot : &slot))
            return false;
    }
    ct_program_begin(parser, &program);
    ct_parser_accept(parser, '=');
    const bool has_list = ct_parser_accept(parser, '{');
    if (has_list && (!parse_elements(parser, &list, 0) || !ct_parser_expect(parser, '}')))
        return false;
    while (list.at < list.count) { /* 0 behind a list, else nothing that is known */
        if (!(has_list ? ct_emit_constant(parser, 0, position)
                       : ct_emit_unknown(parser, CT_REASON_UNSET, symbol->name, symbol->length,
                                         position)) ||
            !set_next(parser, &list, position))
            return false;
    }
    if (!ct_emit_constant(parser, 0, position))
        return false;
    ct_program_end(parser, CT_I32, &program);
    return ct_program_add(parser, &program) && ct_symbol_add(parser, symbol, position) != NULL;
}

/* ---- Elements ------------------------------------------------------------------------------- */

bool ct_local_array_is_element(const ct_operand *p) {
    return p->form == CT_FORM_OBJECT && p->array == CT_ARRAY_LOCAL && p->symbol &&
           p->symbol->value > 0 && p->shape.dim_count == 0;
}

bool ct_local_array_index(ct_parser *parser, ct_operand *p, ct_kind kind, size_t position) {
    ct_expr_instruction index = {
        .op = CT_CODE_POSITION, .kind = (uint8_t)kind, .value = 1, .limit = p->shape.dims[0]};
    p->shape.dim_count--;
    for (uint32_t d = 0; d < p->shape.dim_count; d++) {
        p->shape.dims[d] = p->shape.dims[d + 1];
        index.value *= p->shape.dims[d];
    }
    return ct_emit(parser, index, position, 2);
}

/* Adds the elements to a set. */
static void add_slots(const ct_symbol *array, ct_slot_set *to) {
    for (unsigned i = 0; i < (unsigned)array->value; i++)
        ct_slots_add(to, array->slot + i);
}

bool ct_local_array_read(ct_parser *parser, ct_operand *p, size_t position) {
    const ct_symbol *array = p->symbol;
    const ct_expr_instruction element = {
        .op = CT_CODE_ELEMENT, .slot = array->slot, .limit = array->value};
    add_slots(array, &parser->reads);
    parser->is_varying |= array->varies;
    *p = (ct_operand){.form = CT_FORM_VALUE,
                      .kind = ct_type_kind(array->shape.type),
                      .type = array->shape.type,
                      .position = p->position};
    return ct_emit(parser, element, position, 1);
}

bool ct_local_array_set(ct_parser *parser, ct_symbol *array, size_t position) {
    const smp_integer_type type = array->shape.type->integer;
    const ct_expr_instruction set = {.op = CT_CODE_SET_ELEMENT,
                                     .kind = type.is_signed ? CT_I64 : CT_U64,
                                     .slot = array->slot,
                                     .value = array->value,
                                     .limit = type.bits};
    add_slots(array, &parser->writes);
    array->varies |= parser->is_varying || parser->varying_ifs > 0;
    parser->has_effect = true;
    return ct_emit(parser, set, position, 2);
}

/* Keeps the position on top in a slot of its own, too. */
static bool keep(ct_parser *parser, uint16_t *slot, size_t position) {
    ct_expr_instruction set = {.op = CT_CODE_SET};
    if (!ct_slot_new(parser, position, slot))
        return false;
    set.slot = *slot;
    ct_slots_add(&parser->writes, *slot);
    return ct_emit(parser, set, position, 1);
}

bool ct_local_array_change(ct_parser *parser, const ct_operand *element, ct_code_op op,
                           ct_kind kind, size_t position) {
    ct_operand old = *element;
    uint16_t slot;
    return keep(parser, &slot, position) && ct_local_array_read(parser, &old, position) &&
           ct_emit_op(parser, CT_CODE_SWAP, CT_I64, position, 1) &&
           ct_operand_combine(parser, op, old.kind, kind, position, &kind) &&
           ct_emit_slot(parser, slot, position) &&
           ct_local_array_set(parser, element->symbol, position);
}

bool ct_local_array_step(ct_parser *parser, ct_operand *element, bool is_up, bool is_after,
                         size_t position) {
    ct_symbol *array = element->symbol;
    ct_operand old = *element, again = *element;
    uint16_t slot;
    ct_kind kind = ct_type_kind(array->shape.type);
    bool sound = keep(parser, &slot, position) && ct_local_array_read(parser, &old, position);
    if (is_after)
        sound = sound && ct_emit_slot(parser, slot, position) &&
                ct_local_array_read(parser, &again, position);
    sound = sound && ct_emit_constant(parser, 1, position) &&
            ct_operand_combine(parser, is_up ? CT_CODE_ADD : CT_CODE_SUB, kind, CT_I32, position,
                               &kind) &&
            ct_emit_slot(parser, slot, position) && ct_local_array_set(parser, array, position) &&
            (!is_after || ct_emit_drop(parser, position));
    *element = old;
    return sound;
}
