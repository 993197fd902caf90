/* SPDX-License-Identifier: MIT */
/*
 * The stage between the tree and the kernel: names, types and calls are resolved, and code is
 * appended for what threads do. A call lowers the nodes of its function once more, with other
 * names. The first error sticks: `status` is set, and everything after it fails.
 */
#pragma once

#include "kernel.h"
#include "syntax.h"
#include "type.h"

enum {
    CT_SYMBOLS_MAX = 256,
    CT_STRUCTS_MAX = 24,
    CT_ALIASES_MAX = 48,
    CT_ARGUMENTS_MAX = 24,
    CT_EXPECTS_MAX = 12288, /* three of every access on every architecture, as fix writes them */
};

/* ---- Types ---- */

/* A type as it stands in a declaration. */
typedef struct ct_type_use {
    bool is_auto, is_void, is_const;
    const smp_type *type; /* NULL for auto and void, and where a template's type is not known */
} ct_type_use;

/* One of "<4, float>". */
typedef struct ct_given_part {
    bool is_type;
    ct_type_use use;
    int64_t value;
    ct_kind kind;
} ct_given_part;

/* ---- Names ---- */

typedef enum ct_meaning {
    CT_MEANS_CONSTANT,
    CT_MEANS_INTEGER, /* a variable in a slot */
    CT_MEANS_POINTER, /* a byte offset in a slot */
    CT_MEANS_REFERENCE,
    CT_MEANS_LOCAL, /* an object whose values are not followed */
    CT_MEANS_ARRAY, /* `array`, which a function declares */
    CT_MEANS_GROUP, /* of threads; `value`: of how many, 0: the block */
} ct_meaning;

enum { CT_ARRAY_NONE = -1, CT_ARRAY_LOCAL = -2 };

typedef struct ct_symbol {
    ct_word name; /* in the caller's text */
    ct_meaning meaning;
    ct_kind kind;
    int64_t value;    /* of a constant */
    uint16_t slot;    /* of what is in one */
    int array;        /* of a pointer, reference or local; CT_ARRAY_NONE: not set yet */
    smp_shape shape;  /* of what it points to, or is; type NULL: of no known type, or of
                        a constant, that of its kind */
    bool is_expanded; /* reaches its array through a macro */
    bool varies;      /* between threads */
    bool is_const;
    uint32_t open; /* the statement that it is declared in */
} ct_symbol;

typedef struct ct_scope {
    size_t count, first;           /* first: of the innermost block */
    size_t hidden_from, hidden_to; /* names of those who called, which a function does not see */
    ct_symbol symbols[CT_SYMBOLS_MAX];
} ct_scope;

ct_symbol *ct_scope_find(const ct_scope *scope, ct_word name);

/* ---- Classes ---- */

/* "typedef TYPE NAME;" */
typedef struct ct_alias {
    ct_word name;
    ct_type_use use;
} ct_alias;

/* Types that one layout declares. */
typedef struct ct_type_table {
    uint32_t count, alias_count;
    smp_type structs[CT_STRUCTS_MAX];
    ct_alias aliases[CT_ALIASES_MAX];
} ct_type_table;

/* ---- The layout ---- */

/* A layout that texts are added to, with the names that these declare. */
typedef struct ct_draft {
    ct_scope scope;
    ct_type_table types;
    uint64_t open_loops; /* bit i: loop i has not ended */
    uint32_t open;       /* the statement that the next one belongs to */
    bool has_block, has_grid, has_block_index;
    size_t kernel_names;                     /* names from here on are the kernel's */
    size_t loop_marks[SMP_LAYOUT_LOOPS_MAX]; /* of the names that end with a loop to the end */
    unsigned block_index_line;
    int32_t block_index_column;
    ct_known known;
    /* Last: these begin themselves. */
    ct_source source;
    smp_layout kernel;
} ct_draft;

/* ---- Lowering ---- */

typedef struct ct_lower {
    ct_unit *unit;
    const ct_token *tokens;
    ct_draft *layout;
    ct_expr_code *code;
    smp_error *error; /* may be NULL */
    unsigned error_line;
    smp_status status;
    uint32_t at;     /* a token of what is lowered, for messages */
    size_t last_end; /* where what was lowered last ends */
    unsigned stack;
    unsigned in_index;        /* within this many brackets */
    unsigned choices;         /* within this many of && || ?: */
    unsigned trials;          /* arguments are looked at for their types, nested so deep */
    unsigned varying_ifs;     /* within this many conditions that differ between threads */
    size_t access_start;      /* of the statement, its condition included */
    bool is_varying;          /* what differs between threads was read */
    bool has_effect;          /* a variable or memory was changed, or a function called */
    bool has_known;           /* a name that something declares, or a call */
    bool has_stray;           /* a name of data that nothing declares */
    bool has_new;             /* a name that nothing declares is set */
    bool has_barrier;         /* that is to be checked, since the latest statement */
    bool is_unrun;            /* only the size of what is lowered is asked for */
    struct ct_callee *callee; /* whose body is lowered, or NULL */
    unsigned call_depth;
    uint32_t first_claim, first_call; /* from these on, accesses and calls may have no statement */
    uint32_t block_open;              /* statement that the block began in */
    ct_slot_set reads, writes;
} ct_lower;

/* Fails at `position`; always false. */
bool ct_fail(ct_lower *l, smp_status status, size_t position, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* The same of a text that is wrong, or that is not followed. */
#define ct_refuse(l, ...) ct_fail(l, SMP_E_SYNTAX, __VA_ARGS__)
bool ct_fail_memory(ct_lower *l);
/* Fails as the parser did; always false. */
bool ct_fail_fault(ct_lower *l, const ct_node *fault);
/* The line of a position; *column, which may be NULL: where in it. */
unsigned ct_line(ct_lower *l, size_t position, int32_t *column);
static inline size_t ct_position(const ct_lower *l, uint32_t at) {
    return l->tokens[at].position;
}
/* Of a node: where it begins and ends in the text. */
static inline size_t ct_begin(const ct_lower *l, const ct_node *node) {
    return l->tokens[node->first].position;
}
static inline size_t ct_end(const ct_lower *l, const ct_node *node) {
    return node->end > 0 ? l->tokens[node->end - 1].end : 0;
}
/* The node's children that are of that kind come first; the first behind them. */
const ct_node *ct_behind_kind(const ct_node *node, ct_node_kind kind);

/* What a part that is taken back may have added. */
typedef struct ct_mark {
    uint32_t code, slots, statements, accesses, arrays, loops;
    unsigned stack;
    bool has_barrier;
    ct_slot_set reads, writes;
} ct_mark;
ct_mark ct_look(const ct_lower *l);
void ct_take_back(ct_lower *l, const ct_mark *to);

/* ---- Code ---- */

/* Appends one instruction; folds constants. `operands` are taken from the stack, one is left. */
bool ct_emit(ct_lower *l, ct_expr_instruction instruction, size_t position, unsigned operands);
bool ct_emit_op(ct_lower *l, ct_code_op op, ct_kind kind, size_t position, unsigned operands);
bool ct_emit_constant(ct_lower *l, int64_t value, size_t position);
bool ct_emit_slot(ct_lower *l, uint16_t slot, size_t position);
/* A value that is not known, for a reason; `operands` are merged into it. */
bool ct_emit_unknown(ct_lower *l, ct_reason reason, ct_word name, size_t position);
/* A variable of the kernel that nothing has set yet. */
bool ct_slot_new(ct_lower *l, size_t position, uint16_t *slot);
/* The value on top, which stays there, into a slot; cast to an integer type, or NULL. */
bool ct_emit_set(ct_lower *l, uint16_t slot, const smp_type *type, size_t position);
bool ct_emit_merge(ct_lower *l, unsigned operands, size_t position);
bool ct_emit_cast(ct_lower *l, smp_integer_type type, size_t position, ct_kind *kind);
bool ct_emit_drop(ct_lower *l, size_t position);
/* A barrier of the block; checked only where a condition may keep threads from it. */
bool ct_emit_barrier(ct_lower *l, size_t position);
void ct_program_begin(ct_lower *l, ct_program *out);
void ct_program_end(ct_lower *l, ct_kind kind, ct_program *out);
/* The same, and it becomes a statement. */
bool ct_program_put(ct_lower *l, ct_kind kind, ct_program *program);

/* ---- Operands ---- */

typedef enum ct_operand_form {
    CT_FORM_VALUE,   /* on the stack */
    CT_FORM_SLOT,    /* the same, just read from a variable */
    CT_FORM_OBJECT,  /* its offset is on the stack */
    CT_FORM_POINTER, /* the offset it points to is on the stack */
} ct_operand_form;

/* What an expression has left on the stack. */
typedef struct ct_operand {
    ct_operand_form form;
    ct_kind kind;         /* of a value */
    const smp_type *type; /* of a value before C promotes it; NULL: that of the kind, of data none
                         that is known */
    ct_symbol *symbol;    /* of a slot */
    size_t position;
    uint32_t atomic;   /* instruction of the atomic whose result this is, plus 1; else 0 */
    bool is_reduction; /* the atomic may be one without result */
    /* Of an object or a pointer: */
    int array;       /* of the layout; CT_ARRAY_LOCAL: none, CT_ARRAY_NONE: a pointer not set */
    bool has_layout; /* which is not C's, and has not all of its indices */
    bool is_loose;   /* moved by a cast or by arithmetic: check the range at the end */
    bool is_hidden;  /* the text does not name the array's element as such */
    smp_shape shape; /* what it is, or points to; type NULL: not known */
    size_t text_start, text_end;
} ct_operand;

ct_operand ct_value_of(ct_kind kind, const smp_type *type, size_t position);
/* Turns a variable, an object, or a pointer into a value; an object is loaded. */
bool ct_operand_value(ct_lower *l, ct_operand *operand);
/* The same, of a condition. */
bool ct_operand_truth(ct_lower *l, ct_operand *operand);
/* The same, where a pointer becomes an unknown number. */
bool ct_operand_number(ct_lower *l, ct_operand *operand);
/* The C++ type of a value, variable or element; NULL: a pointer, an array, or not known. */
const smp_type *ct_operand_type(const ct_operand *operand);
/* left op right, both on the stack, and the type of what comes out. */
bool ct_operand_combine(ct_lower *l, ct_code_op op, ct_kind left, ct_kind right, size_t position,
                        ct_kind *out);
/* ++ and --, where `is_after` means behind. */
bool ct_operand_step(ct_lower *l, ct_operand *operand, bool is_up, bool is_after, size_t position);
/* Sets a variable to the value on top, converted to its type. */
bool ct_operand_set(ct_lower *l, ct_symbol *symbol, ct_operand *value, size_t position);

/* ---- Expressions ---- */

bool ct_lower_expression(ct_lower *l, const ct_node *node, ct_operand *out);
/* The same, as a value or as one that is a number. */
bool ct_lower_value(ct_lower *l, const ct_node *node, ct_operand *out);
bool ct_lower_number(ct_lower *l, const ct_node *node, ct_operand *out);
/* The value of an expression that must be constant; leaves no code. `kind` may be NULL. 0 where it
 * fails. */
int64_t ct_lower_constant(ct_lower *l, const ct_node *node, ct_kind *kind);
/* The same, within [least, most]; `what` names it in the message. `least` where it fails. */
int64_t ct_lower_constant_in(ct_lower *l, const ct_node *node, const char *what, int64_t least,
                             int64_t most);
/* Parts that are lowered for nothing but their accesses. */
bool ct_lower_parts(ct_lower *l, const ct_node *first, size_t position);
/* Expressions of one kind. */
typedef bool ct_expression_fn(ct_lower *l, const ct_node *node, ct_operand *out);
ct_expression_fn ct_lower_assign, ct_lower_name, ct_lower_member, ct_lower_call;
/* A call of that name, whatever else has it. */
bool ct_call_name(ct_lower *l, const ct_node *node, const ct_token *name, ct_operand *out);
/* True if the name is a function that is known; one that computes with integers. */
bool ct_call_is_known(const ct_token *name);
bool ct_call_is_integer(const ct_token *name);
/* True of the value of a group of threads; declares the group by that name. */
bool ct_group_is_value(const ct_lower *l, const ct_node *node);
bool ct_group_declare(ct_lower *l, const ct_node *value, const ct_token *name);
/* True if the call or member belongs to a group of threads, which it is lowered as. */
bool ct_lower_group_use(ct_lower *l, const ct_node *node, ct_operand *out);
/* The tokens of a name that a node is; NULL: it is another one. */
const ct_token *ct_plain_name(const ct_lower *l, const ct_node *node);

/* ---- Places ---- */

/* Objects in memory. What a variable that is a pointer says, its offset being on the stack; an
 * array by its name; one more index; a member; what a pointer points to; where an object lies; a
 * cast of the pointer; +- index. */
ct_operand ct_place_pointer(ct_symbol *symbol, size_t position);
bool ct_place_array(ct_lower *l, int array, const ct_token *name, ct_operand *out);
/* `is_alone`: "a(i)", of all dimensions. */
bool ct_place_index(ct_lower *l, ct_operand *p, const ct_node *index, bool is_alone);
bool ct_place_member(ct_lower *l, ct_operand *p, const ct_node *node);
bool ct_place_follow(ct_lower *l, ct_operand *p, size_t position);
bool ct_place_address(ct_lower *l, ct_operand *p, size_t position);
bool ct_place_cast(ct_lower *l, ct_operand *p, smp_shape shape, size_t position);
bool ct_place_move(ct_lower *l, ct_operand *p, ct_kind kind, bool subtract, size_t position);
/* A pointer to the first element of what is an array. */
bool ct_place_decay(ct_lower *l, ct_operand *p, size_t position);
/* The shape of one element of the outermost dimension. */
static inline smp_shape ct_shape_element(smp_shape shape) {
    shape.dim_count--;
    for (uint32_t d = 0; d < shape.dim_count; d++)
        shape.dims[d] = shape.dims[d + 1];
    return shape;
}
/* The array that an object or pointer lies in; true if that is in shared memory. */
const smp_array *ct_place_array_of(const ct_lower *l, const ct_operand *p);
bool ct_place_is_shared(const ct_lower *l, const ct_operand *p);
/* Indexed to the last dimension, thus a scalar, vector or struct. */
bool ct_place_is_whole(const ct_operand *p);

/* ---- Accesses ---- */

/* An access of the object whose offset is on the stack: a load or a store. */
bool ct_access_load(ct_lower *l, const ct_operand *object, ct_access_form form);
bool ct_access_store(ct_lower *l, const ct_operand *object, ct_access_form form);
/* `op`: in shared memory; `keeps_bits`: exchange and compare, of which the type does not matter. */
bool ct_access_atomic(ct_lower *l, const ct_operand *object, smp_op op, bool keeps_bits);
bool ct_access_copy(ct_lower *l, const ct_operand *target, const ct_operand *source,
                    uint32_t bytes);
/* The result of that atomic is not used. */
smp_request *ct_access_reduce(ct_lower *l, const ct_operand *result);

/* ---- Types and names ---- */

/* What a node CT_N_TYPE means here; the same, of a type that has a size. */
bool ct_lower_type_use(ct_lower *l, const ct_node *node, ct_type_use *out);
bool ct_lower_type(ct_lower *l, const ct_node *node, ct_type_use *out);
/* CT_N_STRUCT: adds it to the table. */
bool ct_lower_struct(ct_lower *l, const ct_node *node, const smp_type **out);
/* The type of that name; NULL: none. */
const smp_type *ct_type_find(const ct_lower *l, const ct_token *name);
const ct_alias *ct_alias_find(const ct_lower *l, const ct_token *name);
/* Another name of a plain type; of any, as templates take it. */
bool ct_alias_add(ct_lower *l, const ct_token *name, const ct_type_use *use);
bool ct_type_bind(ct_lower *l, const ct_token *name, const ct_type_use *use);
/* CT_N_ALIGN: *align is raised. */
bool ct_lower_align(ct_lower *l, const ct_node *node, uint32_t *align);
/* CT_N_DIM, from that node on: appends them to the shape. */
bool ct_lower_dims(ct_lower *l, const ct_node *dim, int64_t most, smp_shape *shape);

/* A name of that type, which may be NULL; no array is reached. */
ct_symbol ct_symbol_of(const ct_token *name, ct_meaning meaning, const smp_type *type);
/* What the name means here, or NULL. */
ct_symbol *ct_name_find(const ct_lower *l, const ct_token *name);
ct_symbol *ct_symbol_add(ct_lower *l, const ct_symbol *symbol, size_t position);
/* A constant, brought to an integer type; any other type, or NULL: of that kind. */
bool ct_constant_add(ct_lower *l, const ct_token *name, int64_t value, ct_kind kind,
                     const smp_type *type);
/* Fails if the innermost block has the name already. */
bool ct_new_name(ct_lower *l, const ct_token *name);
/* A block of names begins; ends at what ct_scope_begin returned. */
size_t ct_scope_begin(ct_draft *layout);
void ct_scope_end(ct_draft *layout, size_t mark);
/* The same, the names of those who call being out of sight. */
typedef struct ct_hidden {
    size_t mark, from, to;
    uint32_t aliases;
} ct_hidden;
ct_hidden ct_scope_hide(ct_draft *layout);
void ct_scope_show(ct_draft *layout, ct_hidden to);
/* threadIdx and the like: *slot is that of .x, *dimensions 3, or 1 if it has no members. */
bool ct_builtin_find(ct_word name, uint16_t *slot, unsigned *dimensions);
/* True if an array, constant, variable or loop of that name exists. */
bool ct_layout_knows(const ct_draft *layout, ct_word name);

/* ---- Functions ---- */

/* The function whose body is lowered. */
typedef struct ct_callee {
    ct_token name;
    bool is_pointer, is_reference;
    bool is_known; /* result is what the first 'return' made of it */
    ct_symbol result;
} ct_callee;

/* A call that is lowered: its arguments are the node's children behind `before`. */
typedef struct ct_call {
    const ct_node *node;  /* CT_N_CALL */
    const ct_node *first; /* argument, or NULL */
    const ct_node *given; /* CT_N_GIVEN, or NULL */
    ct_token name;
} ct_call;

/* What a call with the callee `name`, a name or a member, gives. */
ct_call ct_call_of(const ct_lower *l, const ct_node *name, const ct_node *call);
/* True of a call of a function of the device that must be followed, which it is lowered as, or
 * fails. */
bool ct_function_call(ct_lower *l, const ct_call *call, ct_operand *out);
/* "return value;" in a function's body. */
bool ct_function_return(ct_lower *l, const ct_node *node);
bool ct_lower_given(ct_lower *l, const ct_node *given, ct_given_part *parts, unsigned *count);
/* Binds the parameters of a template, from `param` on, that are given or have a default. */
bool ct_bind_given(ct_lower *l, const ct_node *param, const ct_given_part *parts, unsigned count);
/* All arguments, each as one value on the stack; a reference as what it is. */
bool ct_lower_arguments(ct_lower *l, const ct_call *call, const ct_function *f, ct_operand *out,
                        unsigned *count);
/* Takes them from the stack as variables. */
bool ct_bind_all(ct_lower *l, const ct_function *f, ct_operand *arguments, unsigned count);

/* ---- Statements ---- */

bool ct_lower_statement(ct_lower *l, const ct_node *node);
/* Statements of one kind. */
typedef bool ct_statement_fn(ct_lower *l, const ct_node *node);
ct_statement_fn ct_lower_while, ct_lower_do, ct_lower_for, ct_lower_variables, ct_lower_arrays,
    ct_lower_kernel, ct_lower_enum, ct_lower_alias, ct_lower_access;
/* The accesses that its programs make belong to the statement. */
void ct_statement_claim(ct_lower *l, const ct_statement *statement);
/* Appends a statement; NULL: there is no room. The next ones belong to it until it is closed. */
ct_statement *ct_statement_add(ct_lower *l, ct_statement_kind kind, size_t position);
void ct_statement_open(ct_draft *layout, const ct_statement *statement);
void ct_statement_close(ct_draft *layout);
void ct_loop_end(ct_draft *layout);
/* Adds the statements of an expression, where there are any. */
bool ct_program_add(ct_lower *l, const ct_program *program);
bool ct_lower_branch(ct_lower *l, const ct_node *branch);
bool ct_lower_condition(ct_lower *l, const ct_node *node, ct_program *out);

/* A variable for the value on top of the stack, which stays there; `meaning`: an integer, a
 * pointer, or a reference, whose value is where it lies. */
bool ct_variable_add(ct_lower *l, ct_symbol *symbol, ct_meaning meaning, ct_operand *value);
/* A variable or a parameter, as it is declared. */
typedef struct ct_declared {
    ct_word name;    /* of no length: none */
    size_t position; /* for messages */
    ct_type_use use;
    bool is_pointer, is_reference, is_const;
    smp_shape shape; /* of what it is, or points to */
} ct_declared;

/* Declares it for the value on top of the stack, which stays there: a variable, or, of a reference
 * to a variable or an object, another name for it. */
bool ct_declare(ct_lower *l, const ct_declared *d, ct_operand *value);
/* A pointer variable to the start of an array, as a kernel's parameter is. */
bool ct_pointer_declare(ct_lower *l, const ct_token *name, int array);
/* One parameter that is an array in global memory. */
bool ct_array_declare(ct_lower *l, const smp_array *form, const ct_node *node, bool is_pointer);

/* What is of the layout language alone. */
ct_statement_fn ct_lower_range, ct_lower_define, ct_lower_dim_statement, ct_lower_archs,
    ct_lower_expect, ct_lower_data;
/* Fails for data of a name that no array has, once all of a text was read. */
smp_status ct_data_check(const smp_layout *kernel, unsigned *line, smp_error *error);
