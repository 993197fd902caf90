/* SPDX-License-Identifier: MIT */
/*
 * switch: its value is a program, its body a list of statements in which labels stand. A label's
 * value is a constant of one instruction, "default" has none.
 */
#include "layout.h"

static const smp_statement *find_label(const smp_layout *layout, const smp_statement *of,
                                       const int64_t *value) {
    for (uint32_t i = of->first; i != 0; i = layout->statements[i].next) {
        const smp_statement *s = &layout->statements[i];
        bool is_default = s->program.count == 0;
        if (s->kind == SMP_DO_CASE && is_default == (value == NULL) &&
            (is_default || layout->code.items[s->program.start].value == *value))
            return s;
    }
    return NULL;
}

/* "case 3:" or "default:". */
bool smp_label_parse(smp_parser *parser) {
    smp_layout *layout = parser->layout;
    const smp_statement *of = &layout->statements[layout->open];
    const size_t position = parser->token.position;
    const bool is_default = smp_parser_is_name(parser, "default");
    int64_t value = 0;
    smp_kind ignored;
    if (of->kind != SMP_DO_SWITCH)
        return smp_parser_fail(parser, SMP_E_SYNTAX, position,
                               layout->open == 0 || parser->switches == 0
                                   ? "no switch is open here"
                                   : "a label inside of another statement is not understood");
    smp_parser_next(parser);
    if (!is_default && !smp_expr_constant(parser, &value, &ignored))
        return false;
    const smp_type *type = smp_type_of_kind(of->program.kind);
    value = smp_integer_cast(value, type->integer.bits, type->integer.is_signed);
    if (find_label(layout, of, is_default ? NULL : &value))
        return smp_parser_fail(parser, SMP_E_SYNTAX, position, "this label stands here twice");
    smp_program program;
    smp_program_begin(parser, &program);
    if (!is_default && !smp_emit_constant(parser, value, position))
        return false;
    smp_program_end(parser, of->program.kind, &program);
    smp_statement *added = smp_statement_add(parser, SMP_DO_CASE);
    if (!added)
        return false;
    added->program = program;
    return smp_parser_expect(parser, ':');
}

/* Labels and statements up to '}'. */
static bool parse_body(smp_parser *parser) {
    const size_t position = parser->token.position;
    const size_t mark = smp_scope_begin(parser->layout);
    if (!smp_parser_expect(parser, '{'))
        return false;
    while (!smp_parser_is(parser, '}')) {
        if (parser->token.kind == SMP_TOKEN_END)
            return smp_parser_fail(parser, SMP_E_SYNTAX, position, "the '}' of this is missing");
        parser->access_start = parser->token.position;
        if (!smp_statement_parse(parser))
            return false;
    }
    smp_scope_end(parser->layout, mark);
    smp_parser_next(parser);
    return parser->status == SMP_OK;
}

bool smp_switch_parse(smp_parser *parser) {
    smp_program program;
    smp_operand value;
    smp_parser_next(parser);
    smp_program_begin(parser, &program);
    if (!smp_parser_expect(parser, '(') || !smp_expr_parse(parser, &value) ||
        !smp_operand_number(parser, &value))
        return false;
    if (value.kind == SMP_DATA)
        value.kind = SMP_I32;
    smp_program_end(parser, value.kind, &program);
    const bool varies = parser->is_varying;
    smp_statement *added = smp_statement_add(parser, SMP_DO_SWITCH);
    if (!added)
        return false;
    added->program = program;
    smp_statement_claim(parser, added);
    if (!smp_parser_expect(parser, ')'))
        return false;
    smp_statement_open(parser->layout, added);
    const unsigned depth = parser->varying_ifs;
    parser->varying_ifs += varies;
    parser->switches++;
    const bool sound = parse_body(parser);
    parser->switches--;
    parser->varying_ifs = depth;
    smp_statement_close(parser->layout);
    return sound;
}
