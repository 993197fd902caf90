/* SPDX-License-Identifier: MIT */
/* Expressions: an operator-precedence (Pratt) parser. The first fault ends it. */
#include "syntax_parser.h"

enum {
    DEPTH_MAX = 100,  /* nesting of parentheses, operators and calls */
    POSTFIX_MAX = 200 /* postfix operators of one operand */
};

static ct_node *parse_unary(ct_parser *p);
static ct_node *parse_binary(ct_parser *p, unsigned power);

/* Limits the nesting, so that no text can exhaust the stack. */
static bool enter(ct_parser *p) {
    if (!p->fault && p->depth >= DEPTH_MAX)
        ct_fail_at(p, SMP_E_OVERFLOW, p->token->position, "expression nested too deeply");
    if (p->fault)
        return false;
    p->depth++;
    return true;
}

/* ---- Operands ---- */

void ct_parse_parts(ct_parser *p, ct_node *into, uint32_t close, ct_node *(*one)(ct_parser *p)) {
    while (!ct_is(p, close) && !p->fault) {
        ct_node *part = one(p);
        if (!p->fault) /* keeps incomplete nodes out of the tree */
            ct_add(into, part);
        if (!ct_accept(p, ','))
            break;
    }
    ct_expect(p, close);
}

ct_node *ct_parse_nested(ct_parser *p) {
    if (!ct_is(p, '{') || !enter(p))
        return ct_parse_assignment(p);
    ct_node *list = ct_node_taken(p, CT_N_LIST);
    ct_parse_parts(p, list, '}', ct_parse_nested);
    p->depth--;
    return ct_close(p, list);
}

/* static_cast<int>(x) and the like. */
static ct_node *parse_named_cast(ct_parser *p) {
    ct_node *cast = ct_node_taken(p, CT_N_CAST);
    ct_expect(p, '<');
    ct_add(cast, ct_parse_cast_type(p));
    ct_expect(p, '>');
    ct_expect(p, '(');
    ct_add(cast, ct_parse_expression(p));
    ct_expect(p, ')');
    return ct_close(p, cast);
}

/* int(x), float4{...} */
static ct_node *parse_construct(ct_parser *p) {
    ct_node *made = ct_node_new(p, CT_N_CONSTRUCT);
    ct_add(made, ct_parse_type(p));
    const bool is_list = ct_is(p, '{');
    if (!is_list && !ct_is(p, '('))
        ct_refuse_here(p, "expected '(' after a type");
    ct_take(p);
    ct_parse_parts(p, made, is_list ? '}' : ')', ct_parse_assignment);
    return ct_close(p, made);
}

/* "( ... )": a cast or a nested expression. */
static ct_node *parse_parenthesis(ct_parser *p) {
    const uint32_t first = p->at;
    ct_take(p);
    if (ct_type_starts(p)) {
        ct_node *cast = ct_node_from(p, CT_N_CAST, first);
        cast->at = first;
        ct_add(cast, ct_parse_cast_type(p));
        if (p->fault)
            return cast;
        if (ct_accept(p, ')')) {
            ct_add(cast, parse_unary(p));
            return ct_close(p, cast);
        }
        ct_go_to(p, first + 1);
    }
    ct_node *nested = ct_node_from(p, CT_N_PAREN, first);
    const bool in_template = p->in_template;
    nested->at = first;
    p->in_template = false;
    ct_add(nested, ct_parse_expression(p));
    p->in_template = in_template;
    ct_expect(p, ')');
    return ct_close(p, nested);
}

static ct_node *parse_sizeof(ct_parser *p) {
    ct_node *size = ct_node_taken(p, CT_N_SIZEOF);
    const uint32_t at = p->at;
    if (ct_accept(p, '(') && ct_type_starts(p)) {
        ct_add(size, ct_parse_cast_type(p));
        ct_expect(p, ')');
    } else {
        ct_go_to(p, at);
        ct_add(size, parse_unary(p));
    }
    return ct_close(p, size);
}

/* ---- Names ---- */

static bool is_function_template(const ct_parser *p, const ct_token *name) {
    ct_function *f = NULL;
    while ((f = ct_function_next(p->unit, name, f)))
        if (ct_function_is_template(p->unit, f))
            return true;
    return false;
}

/* After "a::b": "<float>{...}" and "<float>()" make an object. */
static bool is_object(const ct_parser *p) {
    if (!ct_is(p, '<'))
        return false;
    const uint32_t behind = ct_behind(p->tokens, p->at, "<");
    return p->tokens[behind].code == '{' ||
           (p->tokens[behind].code == '(' && p->tokens[behind + 1].code == ')');
}

static ct_node *parse_object(ct_parser *p, ct_node *name) {
    name->kind = CT_N_OBJECT;
    ct_go_to(p, ct_behind(p->tokens, p->at, "<"));
    const uint32_t close = ct_is(p, '(') ? ')' : '}';
    ct_take(p);
    ct_parse_parts(p, name, close, ct_parse_assignment);
    return ct_close(p, name);
}

/* True at "<float, ...": template arguments of a function that the text does not define. */
static bool is_type_list(ct_parser *p) {
    const uint32_t at = p->at;
    ct_take(p);
    const bool is_type = ct_type_starts(p);
    ct_go_to(p, at);
    return is_type;
}

/* A name that is neither a type nor a cast. */
static ct_node *parse_name(ct_parser *p) {
    ct_node *name = ct_node_new(p, CT_N_NAME);
    name->flags |= ct_scope_length(p->tokens, p->at) > 0 ? CT_IS_SCOPED : 0;
    ct_go_to(p, p->at + ct_scope_length(p->tokens, p->at));
    const ct_token *token = p->token;
    name->at = p->at;
    ct_expect_name(p, NULL);
    if (p->fault)
        return name;
    const ct_token *before = name->flags & CT_IS_SCOPED ? token - 2 : NULL;
    if (before && !ct_known_find(p->known, before) && ct_text_has_type(p->tokens, before))
        ct_refuse_at(p, before->position, "types such as '%.*s'" CT_COMPILER_KNOWS,
                     CT_TOKEN_TEXT(*before));
    if (ct_is(p, CT_PUNCT2('<', '<')) && ct_peek(p, 1)->code == '<')
        ct_refuse_here(p, "launches inside kernels" CT_COMPILER_KNOWS);
    if (!ct_is(p, '<') || p->token->starts_line)
        return ct_close(p, name);
    const ct_known_name *known = name->flags & CT_IS_SCOPED ? NULL : ct_known_find(p->known, token);
    const uint32_t behind = ct_behind(p->tokens, p->at, "<");
    const bool is_template =
        !known && (ct_token_is(token, "tiled_partition") || is_function_template(p, token));
    if (!is_template && (name->flags & CT_IS_SCOPED) && is_object(p))
        return parse_object(p, name);
    if (is_template || (!known && p->tokens[behind].code == '(' && is_type_list(p))) {
        ct_add(name, ct_parse_given(p));
        return ct_close(p, name);
    }
    const bool is_class =
        p->tokens[behind].kind == CT_TOKEN_NAME || p->tokens[behind].code == CT_PUNCT2(':', ':');
    if (!known && is_class && !p->tokens[behind].starts_line)
        ct_refuse_at(p, token->position, "class templates such as '%.*s'" CT_COMPILER_KNOWS,
                     CT_TOKEN_TEXT(*token));
    return ct_close(p, name);
}

static ct_node *fail_value(ct_parser *p) {
    const ct_token *token = p->token;
    if (ct_is(p, '['))
        ct_refuse_here(p, "lambdas" CT_COMPILER_KNOWS);
    else if (token->kind == CT_TOKEN_END)
        ct_fail_expected(p, "a value");
    else
        ct_refuse_here(p, "expected a value before '%.*s'", CT_TOKEN_TEXT(*token));
    return ct_node_new(p, CT_N_NONE);
}

static ct_node *parse_primary(ct_parser *p) {
    const ct_token *token = p->token;
    const bool is_number = token->kind == CT_TOKEN_NUMBER;
    if (is_number || token->kind == CT_TOKEN_FLOAT || token->kind == CT_TOKEN_STRING) {
        ct_node *literal = ct_node_taken(p, is_number ? CT_N_NUMBER : CT_N_FLOAT);
        while (token->kind == CT_TOKEN_STRING && p->token->kind == CT_TOKEN_STRING)
            ct_take(p); /* "a" "b" */
        return ct_close(p, literal);
    }
    if (ct_is(p, '('))
        return parse_parenthesis(p);
    if (p->in_arguments && ct_is(p, '{'))
        return ct_parse_nested(p);
    if (ct_token_is(p->token, "sizeof"))
        return parse_sizeof(p);
    if (ct_token_is(token, "static_cast reinterpret_cast const_cast"))
        return parse_named_cast(p);
    if (ct_type_starts(p))
        return parse_construct(p);
    return token->kind == CT_TOKEN_NAME ? parse_name(p) : fail_value(p);
}

/* ---- Postfix operators ---- */

static ct_node *parse_member(ct_parser *p, ct_node *object) {
    ct_node *member = ct_node_from(p, CT_N_MEMBER, object->first);
    member->mark = p->at;
    member->flags |= ct_is(p, '.') ? 0 : CT_IS_ARROW;
    ct_take(p);
    member->at = p->at;
    ct_add(member, object);
    const ct_token *name = p->token;
    if (name->kind != CT_TOKEN_NAME || name->starts_line)
        ct_fail_expected(p, "a member's name after '.' or '->'");
    ct_take(p);
    return ct_close(p, member);
}

static ct_node *parse_index(ct_parser *p, ct_node *object) {
    ct_node *index = ct_node_behind(p, CT_N_INDEX, object);
    ct_add(index, ct_parse_assignment(p));
    ct_expect(p, ']');
    return ct_close(p, index);
}

static ct_node *parse_call(ct_parser *p, ct_node *callee) {
    ct_node *call = ct_node_behind(p, CT_N_CALL, callee);
    const bool was_in = p->in_arguments;
    p->in_arguments = true;
    ct_parse_parts(p, call, ')', ct_parse_assignment);
    if (!p->fault && p->tokens[p->at - 2].code == ',')
        call->flags |= CT_IS_EMPTY; /* "f(x, )" */
    p->in_arguments = was_in;
    return ct_close(p, call);
}

/* Indices, calls and members bind before ++ and --. */
static ct_node *parse_postfix(ct_parser *p) {
    ct_node *node = parse_primary(p);
    bool has_step = false;
    for (unsigned count = 0; !p->fault; count++) {
        const bool is_new = p->token->starts_line, is_below = is_new && !p->goes_on;
        if (count == POSTFIX_MAX)
            ct_fail_at(p, SMP_E_OVERFLOW, p->token->position, "expression nested too deeply");
        else if (!has_step && !is_new && ct_is(p, '['))
            node = parse_index(p, node);
        else if (!has_step && !is_new && ct_is(p, '('))
            node = parse_call(p, node);
        else if (!has_step && !is_below && (ct_is(p, '.') || ct_is(p, CT_PUNCT2('-', '>'))))
            node = parse_member(p, node);
        else if (!is_new && ct_token_steps(p->token))
            node = ct_close(p, ct_node_behind(p, CT_N_STEP, node));
        else
            break;
        has_step |= node->kind == CT_N_STEP;
    }
    return node;
}

static ct_node *parse_unary(ct_parser *p) {
    const bool is_prefix = ct_token_is_one_of(p->token, "-+~!&*") || ct_token_steps(p->token);
    if (!enter(p))
        return ct_node_new(p, CT_N_NONE);
    ct_node *node = is_prefix ? ct_node_taken(p, CT_N_UNARY) : parse_postfix(p);
    if (is_prefix) {
        ct_add(node, parse_unary(p));
        ct_close(p, node);
    }
    node->flags |= CT_IS_UNARY;
    p->depth--;
    return node;
}

/* ---- Operators between operands ---- */

/* True at an operator that may start a new statement. */
static bool is_blocked(ct_parser *p) {
    uint32_t code = p->token->code;
    if (!p->token->starts_line)
        return false;
    if (!p->goes_on || p->is_body)
        return !p->goes_on;
    if (code == '*' || code == '&')
        ct_refuse_here(p, "ambiguous: end the line before with ';' to begin a statement, or put "
                          "the operator there to continue it");
    return code == '*' || code == '&';
}

static ct_node *parse_infix(ct_parser *p, const ct_operator *row, ct_node *left) {
    const ct_node_kind kind = row->power == CT_POWER_CHOICE ? CT_N_CHOICE
                              : row->power <= CT_POWER_AND  ? CT_N_LOGIC
                                                            : CT_N_BINARY;
    ct_node *node = ct_node_behind(p, kind, left);
    if (kind == CT_N_CHOICE) {
        ct_add(node, ct_parse_expression(p));
        ct_expect(p, ':');
        ct_add(node, ct_parse_assignment(p));
    } else {
        ct_add(node, parse_binary(p, row->power + 1u));
    }
    return ct_close(p, node);
}

static ct_node *go_on(ct_parser *p, unsigned power, ct_node *left) {
    while (!p->fault) {
        const bool ends = p->in_template && (p->token->code & 0xff) == '>';
        const ct_operator *row = ends ? NULL : ct_operator_find(p->token->code);
        if (!row || is_blocked(p) || row->power < power)
            break;
        left = parse_infix(p, row, left);
    }
    return left;
}

static ct_node *parse_binary(ct_parser *p, unsigned power) {
    if (!enter(p))
        return ct_node_new(p, CT_N_NONE);
    ct_node *node = go_on(p, power, parse_unary(p));
    p->depth--;
    return node;
}

ct_node *ct_parse_operators(ct_parser *p, ct_node *left) {
    uint32_t code = p->token->kind == CT_TOKEN_PUNCT ? p->token->code : 0;
    bool begins = code == '*' || code == '&' || code == '+' || code == '-';
    return begins || p->token->starts_line ? left : go_on(p, CT_POWER_CHOICE, left);
}

/* ---- Whole expressions ---- */

ct_node *ct_parse_assignment(ct_parser *p) {
    if (!enter(p))
        return ct_node_new(p, CT_N_NONE);
    ct_node *node = parse_binary(p, CT_POWER_CHOICE);
    const bool is_new = p->token->starts_line && !p->goes_on;
    if (!p->fault && !is_new && ct_token_assigns(p->token)) {
        node = ct_node_behind(p, CT_N_ASSIGN, node);
        ct_add(node, ct_parse_nested(p));
        ct_close(p, node);
    }
    p->depth--;
    return node;
}

ct_node *ct_parse_expression(ct_parser *p) {
    ct_node *node = ct_parse_assignment(p);
    while (!p->fault && ct_is(p, ',')) {
        node = ct_node_behind(p, CT_N_COMMA, node);
        ct_add(node, ct_parse_assignment(p));
        ct_close(p, node);
    }
    return node;
}

ct_node *ct_parse_value(ct_parser *p) {
    ct_node *node = ct_parse_assignment(p);
    ct_expect_end(p);
    return node;
}
