/* SPDX-License-Identifier: MIT */
/*
 * What a layout holds: arrays, names, statements as a tree, accesses, and the code of their
 * expressions. One allocation of fixed size; texts are the caller's. Internal to the analyzer.
 */
#ifndef LAYOUT_H
#define LAYOUT_H

#include "data.h"
#include "kernel.h"
#include "layout_view.h"
#include "parse.h"

enum {
    CT_EXPECTS_MAX = 12288, /* three of every access on every architecture, as fix writes them */
    CT_LAYOUT_ARCHS_MAX = 32,
};

/* ---- Accesses -------------------------------------------------------------------------- */

typedef struct ct_expectation {
    uint32_t first, access; /* all accesses of one line */
    uint8_t field, relation;
    int64_t value;
    const smp_arch *arch; /* NULL: all */
    const char *text;
    size_t length;
    unsigned line;
} ct_expectation;

struct smp_layout {
    ct_scope scope;
    ct_type_table types;
    uint32_t arch_count, expect_count;
    uint64_t open_loops; /* bit i: loop i has not ended */
    uint32_t open;       /* the statement that the next one belongs to */
    bool has_block, has_grid, has_block_index, has_kernel;
    const char *kernel_name; /* the one that is asked for, in the caller's text; else length 0 */
    size_t kernel_length;
    char other_kernels[200]; /* those passed over */
    size_t kernel_names;     /* names from here on are the kernel's */
    unsigned block_index_line;
    int32_t block_index_column;
    ct_expectation *expects; /* owned */
    const smp_arch *archs[CT_LAYOUT_ARCHS_MAX];
    /* Last: these begin themselves. */
    ct_source source;
    ct_kernel kernel;
};

/* declaration.c: declarators after "shared" or "global" up to the end of the statement. */
bool ct_declaration_parse(ct_parser *parser, smp_space space);
/* One parameter or variable that is an array in global memory: "name" with what follows. */
bool ct_declarator_parse(ct_parser *parser, const smp_array *form, bool is_pointer);
/* True if an array, constant, variable or loop of that name exists. */
bool smp_layout_knows(smp_layout *layout, const char *name, size_t length);

/* access_text.c: "ld tile[i]", "ldmatrix.x4 ...", "cp.async ...". */
bool ct_access_starts(const ct_parser *parser);
bool ct_access_parse(ct_parser *parser);
/* An access of the object whose offset is on the stack: a load or a store. */
bool ct_access_load(ct_parser *parser, const ct_operand *object, ct_access_form form);
bool ct_access_store(ct_parser *parser, const ct_operand *object, ct_access_form form);
/* The atomic function of that name; false if there is none. `is_used`: its result matters. */
typedef struct ct_atomic {
    smp_op used, unused; /* in shared memory */
    bool keeps_bits;     /* exchange and compare: the type does not matter */
} ct_atomic;
bool ct_atomic_find(const ct_token *name, ct_atomic *out);
bool ct_access_atomic(ct_parser *parser, const ct_operand *object, const ct_atomic *atomic);
bool ct_access_copy(ct_parser *parser, const ct_operand *target, const ct_operand *source,
                    uint32_t bytes);
/* The result of that atomic is not used. */
smp_request *ct_access_reduce(ct_parser *parser, const ct_operand *result);

/* range_loop.c: "j = 0:32:8", behind "for". */
bool ct_range_loop_parse(ct_parser *parser);

/* statement.c: one statement of a kernel or of the layout language. */
bool ct_statement_parse(ct_parser *parser);
/* What follows "for". */
bool ct_loop_parse(ct_parser *parser);
/* The accesses that its programs make belong to the statement. */
void ct_statement_claim(ct_parser *parser, const ct_statement *statement);
/* Appends a statement, and makes it the one that the next belong to. NULL: there is no room. */
ct_statement *ct_statement_add(ct_parser *parser, ct_statement_kind kind);
void ct_statement_open(smp_layout *layout, ct_statement *statement);
void ct_statement_close(smp_layout *layout);
/* A new loop, as a statement that is open. `symbol` counts its passes, or is NULL. */
ct_statement *ct_loop_add(ct_parser *parser, const ct_symbol *symbol, size_t position);
void ct_loop_end(smp_layout *layout);
/* A block of names begins; ends at what ct_scope_begin returned. */
size_t ct_scope_begin(smp_layout *layout);
void ct_scope_end(smp_layout *layout, size_t mark);
/* Adds the statements of an expression, where there are any. */
bool ct_program_add(ct_parser *parser, const ct_program *program);

/* file_scope.c: what stands outside of functions in a whole .cu and is not understood is the
 * host's, unless something asks for it: a statement is tried, and passed over if it fails. *has: it
 * was such a statement. */
bool ct_file_scope_parse(ct_parser *parser, bool *has);

/* switch.c: a switch, its word being the current token; a label in one. */
bool ct_switch_parse(ct_parser *parser);
bool ct_label_parse(ct_parser *parser);

/* kernel.c: "__global__ void k(float *A, int n) {", templates before it. */
bool ct_kernel_starts(const ct_parser *parser);
bool ct_kernel_parse(ct_parser *parser);
/* The name behind "kernel": of several, that one. */
bool ct_kernel_choose(ct_parser *parser);
/* Passes over a function of the host, if one begins here outside of everything. */
bool ct_host_function_skip(ct_parser *parser);

/* variable.c: "const int i = ..., *p = &s[0];" and its like. */
bool ct_variables_parse(ct_parser *parser);
/* A pointer variable to the start of an array, as a kernel's parameter is. */
bool ct_pointer_declare(ct_parser *parser, const ct_token *name, int array, bool is_const);
/* A typed variable without declaration: "let k = ...". */
bool ct_let_parse(ct_parser *parser);
/* Adds a name; a slot for it. */
ct_symbol *ct_symbol_add(ct_parser *parser, const ct_symbol *symbol, size_t position);
bool ct_constant_add(ct_parser *parser, const ct_token *name, int64_t value, ct_kind kind);
/* The same, brought to an integer type; any other type: to that of the kind. */
bool ct_constant_add_as(ct_parser *parser, const ct_token *name, int64_t value, ct_kind kind,
                        const smp_type *type);
bool ct_slot_new(ct_parser *parser, size_t position, uint16_t *slot);
/* Takes a name that the innermost block has not yet. */
bool ct_new_name_parse(ct_parser *parser, ct_token *name);

/* layout.c: takes an architecture's name. */
bool ct_arch_parse(ct_parser *parser, const smp_arch **out);
/* A keyword of the layout language; false and nothing is taken if there is none. */
typedef bool (*ct_keyword_fn)(ct_parser *parser);
ct_keyword_fn ct_keyword_find(const ct_parser *parser, bool *keeps_keyword);

/* expectation.c: "ways <= 1 [on sm_90]". */
bool ct_expectation_parse(ct_parser *parser);

#endif
