/* SPDX-License-Identifier: MIT */
/*
 * switch: its value is a program, its body a list of statements in which labels stand. A label's
 * value is a constant of one instruction, "default" has none.
 */
#include "layout.h"

static const ct_statement *find_label(const smp_layout *layout, const ct_statement *of,
                                      const int64_t *value) {
    for (uint32_t i = of->first; i != 0; i = layout->kernel.statements[i].next) {
        const ct_statement *s = &layout->kernel.statements[i];
        bool is_default = s->program.count == 0;
        if (s->kind == CT_DO_CASE && is_default == (value == NULL) &&
            (is_default || layout->kernel.code.items[s->program.start].value == *value))
            return s;
    }
    return NULL;
}

/* "case 3:" or "default:". */
bool ct_label_parse(ct_parser *parser) {
    smp_layout *layout = parser->layout;
    const ct_statement *of = &layout->kernel.statements[layout->open];
    const size_t position = parser->token.position;
    const bool is_default = ct_parser_is_name(parser, "default");
    int64_t value = 0;
    ct_kind ignored;
    if (of->kind != CT_DO_SWITCH)
        return ct_parser_fail(parser, SMP_E_SYNTAX, position,
                              layout->open == 0 || parser->switches == 0
                                  ? "no switch is open here"
                                  : "a label inside of another statement is not understood");
    ct_parser_next(parser);
    if (!is_default && !ct_expr_constant(parser, &value, &ignored))
        return false;
    const smp_type *type = ct_type_of_kind(of->program.kind);
    value = ct_integer_cast(value, type->integer.bits, type->integer.is_signed);
    if (find_label(layout, of, is_default ? NULL : &value))
        return ct_parser_fail(parser, SMP_E_SYNTAX, position, "this label stands here twice");
    ct_program program;
    ct_program_begin(parser, &program);
    if (!is_default && !ct_emit_constant(parser, value, position))
        return false;
    ct_program_end(parser, of->program.kind, &program);
    ct_statement *added = ct_statement_add(parser, CT_DO_CASE);
    if (!added)
        return false;
    added->program = program;
    return ct_parser_expect(parser, ':');
}

/* Labels and statements up to '}'. */
static bool parse_body(ct_parser *parser) {
    const size_t position = parser->token.position;
    const size_t mark = ct_scope_begin(parser->layout);
    if (!ct_parser_expect(parser, '{'))
        return false;
    while (!ct_parser_is(parser, '}')) {
        if (parser->token.kind == CT_TOKEN_END)
            return ct_parser_fail(parser, SMP_E_SYNTAX, position, "the '}' of this is missing");
        parser->access_start = parser->token.position;
        if (!ct_statement_parse(parser))
            return false;
    }
    ct_scope_end(parser->layout, mark);
    ct_parser_next(parser);
    return parser->status == SMP_OK;
}

bool ct_switch_parse(ct_parser *parser) {
    ct_program program;
    ct_operand value;
    ct_parser_next(parser);
    ct_program_begin(parser, &program);
    if (!ct_parser_expect(parser, '(') || !ct_expr_parse(parser, &value) ||
        !ct_operand_number(parser, &value))
        return false;
    if (value.kind == CT_DATA)
        value.kind = CT_I32;
    ct_program_end(parser, value.kind, &program);
    const bool varies = parser->is_varying;
    ct_statement *added = ct_statement_add(parser, CT_DO_SWITCH);
    if (!added)
        return false;
    added->program = program;
    ct_statement_claim(parser, added);
    if (!ct_parser_expect(parser, ')'))
        return false;
    ct_statement_open(parser->layout, added);
    const unsigned depth = parser->varying_ifs;
    parser->varying_ifs += varies;
    parser->switches++;
    const bool sound = parse_body(parser);
    parser->switches--;
    parser->varying_ifs = depth;
    ct_statement_close(parser->layout);
    return sound;
}
