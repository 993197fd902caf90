/* SPDX-License-Identifier: MIT */
/*
 * switch: its value is a program, its body a list of statements in which labels stand. A label's
 * value is a constant of one instruction, "default" has none.
 */
#include "lower.h"

static const ct_statement *find_label(const ct_draft *layout, const ct_statement *of,
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
bool ct_lower_label(ct_lower *l, const ct_node *node) {
    ct_draft *layout = l->layout;
    const ct_statement *of = &layout->kernel.statements[layout->open];
    const size_t position = ct_begin(l, node);
    const bool is_default = !node->child;
    int64_t value = 0;
    ct_kind ignored;
    ct_program program;
    if (of->kind != CT_DO_SWITCH)
        return ct_refuse(l, position,
                         layout->open == 0 || l->switches == 0
                             ? "no switch is open here"
                             : "a label inside of another statement is not understood");
    if (!is_default && !ct_lower_constant(l, node->child, &value, &ignored))
        return false;
    const smp_type *type = ct_type_of_kind(of->program.kind);
    value = ct_integer_cast(value, type->integer.bits, type->integer.is_signed);
    if (find_label(layout, of, is_default ? NULL : &value))
        return ct_refuse(l, position, "this label stands here twice");
    ct_program_begin(l, &program);
    if (!is_default && !ct_emit_constant(l, value, position))
        return false;
    ct_program_end(l, of->program.kind, &program);
    ct_statement *added = ct_statement_add(l, CT_DO_CASE, position);
    if (added)
        added->program = program;
    return added != NULL;
}

bool ct_lower_switch(ct_lower *l, const ct_node *node) {
    ct_program program;
    ct_operand value;
    ct_program_begin(l, &program);
    if (!ct_lower_number(l, node->child, &value))
        return false;
    if (value.kind == CT_DATA)
        value.kind = CT_I32;
    ct_program_end(l, value.kind, &program);
    const bool varies = l->is_varying;
    l->last_end = ct_end(l, node->child);
    const ct_statement *added = ct_statement_put(l, CT_DO_SWITCH, &program, ct_begin(l, node));
    if (!added)
        return false;
    ct_statement_open(l->layout, added);
    const unsigned depth = l->varying_ifs;
    const size_t mark = ct_scope_begin(l->layout);
    l->varying_ifs += varies;
    l->switches++;
    for (const ct_node *one = node->child->next; one; one = one->next) {
        l->access_start = ct_begin(l, one);
        if (!ct_lower_statement(l, one))
            return false;
    }
    l->switches--;
    l->varying_ifs = depth;
    ct_scope_end(l->layout, mark);
    ct_statement_close(l->layout);
    return true;
}
