/* SPDX-License-Identifier: MIT */
/*
 * From CUDA source text and the layout language to costs, in stages that know only the earlier
 * ones: lex_* turns text into tokens (comments, #if, macros); type.c holds CUDA's types;
 * syntax_* turns tokens into a tree; lower_* resolves names, types and calls, and turns the tree
 * into a kernel; eval_* runs a kernel for 32 lanes at once. This file runs a text through the
 * stages; layout_view.c gives other rooms access to the result.
 */
#include <stdlib.h>
#include <string.h>

#include "lower.h"

#define LINE_MAX_BYTES 65536

/* The meaning of a name for the preprocessor. */
static ct_outside find_outside(void *user, ct_word name, int64_t *value) {
    const ct_draft *layout = user;
    const ct_symbol *symbol = ct_scope_find(&layout->scope, name);
    if (!symbol || symbol->meaning == CT_MEANS_TYPE)
        return CT_IS_NOTHING;
    *value = symbol->value;
    return symbol->meaning == CT_MEANS_CONSTANT ? CT_IS_VALUE
           : symbol->meaning == CT_MEANS_ARRAY  ? CT_IS_ARRAY
                                                : CT_IS_NAME;
}

/* The value of the condition of an #if. */
static bool evaluate(void *user, const ct_token *tokens, int64_t *value) {
    ct_draft *layout = user;
    ct_unit unit = {.text = "", .tokens = tokens, .known = &layout->known};
    ct_lower l = {.unit = &unit, .tokens = tokens, .layout = layout, .code = &layout->kernel.code};
    ct_parser p;
    ct_parser_init(&p, &unit, &layout->known, 0);
    const ct_node *node = ct_parse_value(&p);
    const ct_mark before = ct_look(&l);
    *value = p.fault ? 0 : ct_lower_constant(&l, node, NULL);
    const bool sound = !p.fault && l.status == SMP_OK && p.token->kind == CT_TOKEN_END;
    ct_take_back(&l, &before);
    unit.tokens = NULL; /* of the caller */
    ct_unit_clear(&unit);
    return sound;
}

static ct_draft *draft_of(smp_layout *layout) {
    return (ct_draft *)(void *)((char *)layout - offsetof(ct_draft, kernel));
}

smp_layout *smp_layout_new(void) {
    ct_draft *layout = malloc(sizeof *layout);
    if (!layout)
        return NULL;
    memset(layout, 0, offsetof(ct_draft, source.macros));
    memset(&layout->kernel, 0, offsetof(smp_layout, statements[1]));
    layout->source.outside = find_outside;
    layout->source.condition = evaluate;
    layout->source.user = layout;
    layout->kernel.slot_count = CT_SLOT_FREE;
    layout->kernel.statement_count = 1; /* the outermost block */
    for (int i = 0; i < 3; i++)
        layout->kernel.block[i] = layout->kernel.grid[i] = 1;
    layout->kernel.block[0] = SMP_LANES;
    return &layout->kernel;
}

void smp_layout_free(smp_layout *layout) {
    if (!layout)
        return;
    for (uint32_t i = 0; i < layout->data_count; i++)
        ct_data_clear(&layout->data[i]);
    free(layout->expects);
    free(layout->code.items);
    free(draft_of(layout));
}

/* ---- Texts ---- */

/* Checks that need the whole text, as its statements may come in any order. */
static void check_launch(ct_lower *l) {
    const ct_draft *layout = l->layout;
    const ct_known *known = &layout->known;
    if (known->kernel.length > 0 && !layout->kernel.has_kernel && known->other_kernels[0]) {
        l->error_line = 0; /* the whole text */
        l->status =
            smp_error_set(l->error, SMP_E_SYNTAX, -1, "no kernel '%.*s' here; there %s %s",
                          CT_WORD(known->kernel), strchr(known->other_kernels, ',') ? "are" : "is",
                          known->other_kernels);
        return;
    }
    for (int i = 0; i < 3 && layout->has_block_index && layout->has_grid; i++) {
        if (layout->kernel.block_index[i] < layout->kernel.grid[i])
            continue;
        l->error_line = layout->block_index_line;
        l->status = smp_error_set(l->error, SMP_E_RANGE, layout->block_index_column,
                                  "block %u is not in a grid of %u in %c",
                                  layout->kernel.block_index[i], layout->kernel.grid[i], "xyz"[i]);
        return;
    }
}

/* Tries a statement that may be host code, and skips it on failure. */
static void try_statement(ct_lower *l, ct_parser *p, uint32_t end) {
    const ct_lower before = *l;
    const ct_mark mark = ct_look(l);
    ct_statement *statements = l->layout->kernel.statements, root = statements[0];
    smp_error unused;
    l->error = &unused;
    const bool sound = ct_lower_statement(l, ct_parse_statement(p));
    l->error = before.error;
    if (sound)
        return;
    const smp_status status = l->status;
    *l = before;
    ct_take_back(l, &mark);
    statements[0] = root;
    statements[root.last].next = 0;
    p->fault = NULL;
    ct_go_to(p, end);
    if (status == SMP_E_MEMORY)
        ct_fail_memory(l);
}

static void run_statement(ct_lower *l, ct_parser *p, bool is_option) {
    uint32_t end;
    l->access_start = p->token->position;
    if (ct_parse_namespace_end(p))
        return;
    if (!is_option && ct_parse_is_of_host(p, &end))
        try_statement(l, p, end);
    else
        ct_lower_statement(l, ct_parse_statement(p));
}

static void run_text(ct_lower *l, ct_parser *p, const char *keyword) {
    if (keyword && !p->fault)
        (void)ct_lower_statement(l, ct_parse_keyword(p, keyword));
    while (l->status == SMP_OK && !p->fault && p->token->kind != CT_TOKEN_END)
        run_statement(l, p, keyword);
    if (l->status == SMP_OK && p->fault)
        (void)ct_fail_fault(l, p->fault);
    if (l->status == SMP_OK)
        check_launch(l);
}

static bool begin(ct_lower *l, ct_unit *unit, ct_parser *p, ct_draft *layout, const char *text,
                  size_t length, unsigned line, smp_error *error) {
    *l = (ct_lower){.unit = unit,
                    .layout = layout,
                    .code = &layout->kernel.code,
                    .error = error,
                    .error_line = line};
    if (!ct_unit_init(unit, &layout->source, &layout->known, text, length, line))
        return ct_fail_memory(l);
    l->tokens = unit->tokens;
    ct_parser_init(p, unit, &layout->known, 0);
    return true;
}

/* The first line that is too long, or 0. */
static unsigned find_long_line(const char *text, size_t length) {
    const char *end = text + length;
    for (unsigned line = 1; text < end; line++) {
        const char *newline = memchr(text, '\n', (size_t)(end - text));
        if ((newline ? newline : end) - text > LINE_MAX_BYTES)
            return line;
        text = newline ? newline + 1 : end;
    }
    return 0;
}

static smp_status add_text(ct_draft *layout, const char *keyword, const char *text, size_t length,
                           unsigned *line, smp_error *error) {
    ct_unit unit;
    ct_parser p;
    ct_lower l;
    const unsigned long_line = find_long_line(text, length);
    if (long_line != 0) {
        *line = long_line;
        return smp_error_set(error, SMP_E_SYNTAX, LINE_MAX_BYTES, "line longer than %d bytes",
                             LINE_MAX_BYTES);
    }
    if (begin(&l, &unit, &p, layout, text, length, *line, error)) {
        run_text(&l, &p, keyword);
        ct_unit_clear(&unit);
    }
    if (l.status != SMP_OK)
        *line = l.error_line;
    return l.status;
}

smp_status smp_layout_add(smp_layout *layout, const char *keyword, const char *text, size_t length,
                          unsigned line, smp_error *error) {
    return add_text(draft_of(layout), keyword, text, length, &line, error);
}

smp_status smp_layout_add_data(smp_layout *layout, const char *name, int64_t *values, size_t count,
                               smp_error *error) {
    if (layout->data_count < CT_DATA_MAX) {
        layout->data[layout->data_count++] =
            (ct_data){.name = {name, strlen(name)}, .values = values, .count = count};
        return SMP_OK;
    }
    free(values);
    return smp_error_set(error, SMP_E_OVERFLOW, -1, "data for more than %d arrays", CT_DATA_MAX);
}

/* Fails for data without an array. */
static smp_status check_data(const smp_layout *kernel, unsigned *line, smp_error *error) {
    EACH(const ct_data, data, kernel->data, kernel->data_count) {
        if (smp_array_find(kernel, data->name.text, data->name.length) >= 0)
            continue;
        *line = data->line;
        return smp_error_set(error, SMP_E_SYNTAX, data->line > 0 ? data->column : -1,
                             "no array has the name '%.*s' that data are given for",
                             TEXT_CUT(data->name.text, data->name.length, 40));
    }
    return SMP_OK;
}

smp_status smp_layout_add_lines(smp_layout *layout, const char *text, size_t length, unsigned *line,
                                smp_error *error) {
    bool has_mark = length >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0;
    *line = 1;
    smp_status status =
        add_text(draft_of(layout), NULL, text + 3 * has_mark, length - 3 * has_mark, line, error);
    return status == SMP_OK ? check_data(layout, line, error) : status;
}

/* Lowers a text that is one expression. */
static bool lower_text(ct_lower *l, ct_parser *p, ct_program *program, ct_operand *value) {
    const ct_node *node = ct_parse_value(p);
    ct_program_begin(l);
    if (p->fault)
        return ct_fail_fault(l, p->fault);
    if (!ct_lower_number(l, node, value))
        return false;
    ct_program_end(l, program);
    return p->token->kind == CT_TOKEN_END ||
           ct_refuse(l, p->token->position, "expected one expression");
}

smp_status smp_layout_value(smp_layout *layout, uint32_t warp, const char *text, size_t length,
                            int64_t values[SMP_LANES], const char **type, smp_error *error) {
    ct_unit unit;
    ct_parser p;
    ct_lower l;
    ct_program program;
    ct_operand value;
    ct_draft *draft = draft_of(layout);
    const uint32_t *block = layout->block;
    if (warp * SMP_LANES >= block[0] * block[1] * block[2])
        return smp_error_set(error, SMP_E_RANGE, -1, "the block has no warp %u", warp);
    if (!begin(&l, &unit, &p, draft, text, length, 1, error))
        return l.status;
    const ct_mark before = ct_look(&l);
    smp_status status = lower_text(&l, &p, &program, &value)
                            ? ct_program_value(layout, warp, &program, values, error)
                            : l.status;
    if (status == SMP_OK)
        *type = ct_kind_names[value.kind];
    ct_take_back(&l, &before);
    ct_unit_clear(&unit);
    return status;
}
