/* SPDX-License-Identifier: MIT */
/*
 * The third stage: the tree to a kernel. It resolves names, types and calls and emits code. Each
 * call lowers its function's body again, with its own names. The first error sets `status`;
 * everything after it fails.
 */
#pragma once

#include "kernel.h"
#include "syntax.h"
#include "type.h"

enum {
    CT_SYMBOLS_MAX = 384,
    CT_STRUCTS_MAX = 24,
    CT_ARGUMENTS_MAX = 24,
    CT_EXPECTS_MAX = 12288, /* three per access and architecture, as fix writes them */
};

/* ---- Types ---- */

/* A type in a declaration. */
typedef struct ct_type_use {
    bool is_auto, is_void, is_const;
    const smp_type *type; /* NULL for auto, void and unknown template types */
} ct_type_use;

/* ---- Names ---- */

typedef enum ct_meaning {
    CT_MEANS_TYPE, /* shape.type; if that is NULL, `value` is 1 for void */
    CT_MEANS_CONSTANT,
    CT_MEANS_INTEGER, /* a variable in a slot */
    CT_MEANS_POINTER, /* a byte offset in a slot */
    CT_MEANS_REFERENCE,
    CT_MEANS_LOCAL, /* an object whose values are not tracked */
    CT_MEANS_ARRAY, /* `array` */
    CT_MEANS_GROUP, /* a thread group of `value` threads; 0: the block */
} ct_meaning;

enum { CT_ARRAY_NONE = -1, CT_ARRAY_LOCAL = -2 };

typedef struct ct_symbol {
    ct_word name;
    ct_meaning meaning;
    ct_kind kind;
    int64_t value; /* value of a constant */
    uint16_t slot;
    int array;        /* array pointed to; CT_ARRAY_NONE: not set yet */
    smp_shape shape;  /* of the object or the target; type NULL: unknown, or for a constant, that of
                         its kind */
    bool is_expanded; /* refers to its array through a macro */
    bool varies;      /* differs between threads */
    bool is_const;
    bool is_constant; /* in constant memory, or points there */
    uint32_t open;    /* the statement that declares it */
} ct_symbol;

/* Which names are visible in a block. */
typedef struct ct_view {
    uint32_t first;                  /* start of the innermost block */
    uint32_t hidden_from, hidden_to; /* names of the callers, invisible here */
} ct_view;

typedef struct ct_scope {
    uint32_t count;
    ct_view view;
    ct_symbol symbols[CT_SYMBOLS_MAX];
} ct_scope;

ct_symbol *ct_scope_find(const ct_scope *scope, ct_word name);

/* ---- The layout ---- */

/* A layout under construction, with its names. */
typedef struct ct_draft {
    ct_scope scope;
    uint32_t struct_count;
    smp_type structs[CT_STRUCTS_MAX];
    uint64_t open_loops; /* bit i: loop i is open */
    uint32_t open;       /* parent of the next statement */
    bool has_block, has_grid, has_block_index;
    uint32_t kernel_names;                    /* index of the first name of the kernel */
    ct_view loop_views[SMP_LAYOUT_LOOPS_MAX]; /* around the names of open loops */
    unsigned block_index_line;
    int32_t block_index_column;
    ct_known known;
    /* Last: these initialise themselves. */
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
    size_t position; /* of the expression being lowered, for the code that it emits */
    size_t end;      /* of the statement, up to its body */
    unsigned stack;
    unsigned in_index;        /* nesting depth of [ ] */
    unsigned choices;         /* nesting depth of && || ?: */
    size_t access_start;      /* start of the statement, including its condition */
    const ct_node *statement; /* expression of the statement, whose value is not used */
    bool is_varying;          /* a value that differs between threads was read */
    bool has_effect;          /* a variable or memory changed, or a function was called */
    bool has_known;           /* a declared name or a call was used */
    bool has_stray;           /* an undeclared name was used */
    bool has_new;             /* an undeclared name was set */
    bool is_unrun;            /* inside sizeof */
    struct ct_callee *callee; /* function being lowered, or NULL */
    unsigned call_depth;
    uint32_t owner;      /* the statement that has accesses and calls from here on */
    uint32_t block_open; /* statement that contains the block */
    ct_program program;  /* the one that code is added to */
} ct_lower;

/* Fails at `position`. Always false. */
bool ct_fail(ct_lower *l, smp_status status, size_t position, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* The same for text that is wrong or not supported. */
#define ct_refuse(l, ...) ct_fail(l, SMP_E_SYNTAX, __VA_ARGS__)
/* At the current expression; at a token, which the format names once. */
#define ct_refuse_here(l, ...) ct_refuse(l, (l)->position, __VA_ARGS__)
#define ct_refuse_name(l, name, format) \
    ct_refuse(l, (name)->position, format, CT_TOKEN_TEXT(*(name)))
bool ct_fail_memory(ct_lower *l);
/* Fails unless `count` is less than `most`; `what` is the plural of what is counted. False after
 * an error. */
bool ct_has_room(ct_lower *l, size_t position, size_t count, int most, const char *what);
/* Fails with a fault of the parser. Always false. */
bool ct_fail_fault(ct_lower *l, const ct_fault *fault);
static inline size_t ct_position(const ct_lower *l, uint32_t at) {
    return l->tokens[at].position;
}
/* Start and end of a node in the text. */
static inline size_t ct_begin(const ct_lower *l, const ct_node *node) {
    return l->tokens[node->first].position;
}
static inline size_t ct_end(const ct_lower *l, const ct_node *node) {
    return node->end > 0 ? l->tokens[node->end - 1].end : 0;
}
/* The first of `node` and its siblings that is not of kind `kind`. */
const ct_node *ct_behind_kind(const ct_node *node, ct_node_kind kind);

/* State restored when a part is undone. */
enum { CT_COUNTERS = 10 };
typedef struct ct_mark {
    uint32_t counts[CT_COUNTERS];
    unsigned stack;
    ct_program program;
} ct_mark;
ct_mark ct_look(const ct_lower *l);
void ct_take_back(ct_lower *l, const ct_mark *to);

/* ---- Code ---- */

/* Appends an instruction that takes `operands` values from the stack and leaves one. Folds
 * constants. */
bool ct_emit(ct_lower *l, ct_expr_instruction instruction, size_t position, unsigned operands);
bool ct_emit_op(ct_lower *l, ct_code_op op, ct_kind kind, unsigned operands);
bool ct_emit_constant(ct_lower *l, int64_t value);
bool ct_emit_slot(ct_lower *l, uint16_t slot);
/* Pushes an unknown value. */
bool ct_emit_unknown(ct_lower *l, ct_reason reason, ct_word name);
/* A new variable of the kernel. */
bool ct_slot_new(ct_lower *l, uint16_t *slot);
/* Stores the value on top, which stays, converted to `type` unless that is NULL. */
bool ct_emit_set(ct_lower *l, uint16_t slot, const smp_type *type);
bool ct_emit_merge(ct_lower *l, unsigned operands);
bool ct_emit_drop(ct_lower *l);
void ct_program_begin(ct_lower *l);
void ct_program_end(ct_lower *l, ct_program *out);
/* The same as a statement, which begins before the accesses and calls that it has. */
void ct_program_open(ct_lower *l);
bool ct_program_put(ct_lower *l);

/* ---- Operands ---- */

typedef enum ct_operand_form {
    CT_FORM_VALUE,   /* on the stack */
    CT_FORM_SLOT,    /* on the stack, just read from a variable */
    CT_FORM_OBJECT,  /* its offset is on the stack */
    CT_FORM_POINTER, /* the offset of its target is on the stack */
} ct_operand_form;

/* The result of an expression. */
typedef struct ct_operand {
    ct_operand_form form;
    ct_kind kind; /* kind of a value */
    const smp_type
        *type; /* type of a value before promotion; NULL: that of the kind; unknown for data */
    ct_symbol *symbol; /* variable of a slot */
    size_t position;
    uint32_t atomic;   /* index + 1 of the atomic's instruction, if this is its result */
    bool is_reduction; /* the atomic may become a reduction */
    bool is_increment; /* of a word by 1 */
    bool merges;       /* nvcc combines the lanes of the reduction first */
    bool is_group;     /* a thread group of `group` threads; 0: the block */
    int64_t group;
    /* For objects and pointers: */
    int array;        /* index of the array; CT_ARRAY_LOCAL: a local object; CT_ARRAY_NONE: an unset
                         pointer */
    bool has_layout;  /* the array has a CuTe layout and lacks indices */
    bool is_loose;    /* moved by a cast or arithmetic: check its range at the end */
    bool is_hidden;   /* the text does not name the element */
    bool is_constant; /* in constant memory */
    smp_shape shape;  /* of the object or target; type NULL: unknown */
    size_t text_start, text_end;
} ct_operand;

ct_operand ct_value_of(ct_kind kind, const smp_type *type, size_t position);
/* Push an unknown value, data, or a constant; `type` may be NULL. */
bool ct_push_unknown(ct_lower *l, const smp_type *type, ct_reason reason, ct_word name,
                     ct_operand *out);
bool ct_push_constant(ct_lower *l, ct_kind kind, const smp_type *type, int64_t value,
                      ct_operand *out);
/* Turns an operand into a value: loads objects; arrays become pointers. */
bool ct_operand_value(ct_lower *l, ct_operand *operand);
/* The same for a condition. */
bool ct_operand_truth(ct_lower *l, ct_operand *operand);
/* The same; a pointer becomes an unknown number. */
bool ct_operand_number(ct_lower *l, ct_operand *operand);
/* The C++ type of a value, variable or element; NULL for pointers, arrays and unknown types. */
const smp_type *ct_operand_type(const ct_operand *operand);
/* left op right, both on the stack; *out is the kind of the result. */
bool ct_operand_combine(ct_lower *l, ct_code_op op, ct_kind left, ct_kind right, ct_kind *out);
/* ++ and --; `is_after`: postfix. */
bool ct_operand_step(ct_lower *l, ct_operand *operand, bool is_up, bool is_after);
/* Sets a variable to the value on top. */
bool ct_operand_set(ct_lower *l, ct_symbol *symbol, ct_operand *value);

/* ---- Expressions ---- */

bool ct_lower_expression(ct_lower *l, const ct_node *node, ct_operand *out);
/* The same as a value or a number. */
bool ct_lower_value(ct_lower *l, const ct_node *node, ct_operand *out);
bool ct_lower_number(ct_lower *l, const ct_node *node, ct_operand *out);
/* Evaluates a constant expression; leaves no code. `kind` may be NULL. 0 on failure. */
int64_t ct_lower_constant(ct_lower *l, const ct_node *node, ct_kind *kind);
/* The same within [least, most]; `what` names it in messages. `least` on failure. */
int64_t ct_lower_constant_in(ct_lower *l, const ct_node *node, const char *what, int64_t least,
                             int64_t most);
/* Lowers parts for their accesses only. */
bool ct_lower_parts(ct_lower *l, const ct_node *first);
typedef bool ct_expression_fn(ct_lower *l, const ct_node *node, ct_operand *out);
ct_expression_fn ct_lower_assign, ct_lower_use;
/* Lowers a call of the function `name`. */
bool ct_call_name(ct_lower *l, const ct_node *node, const ct_token *name, ct_operand *out);
/* True for a known CUDA function. */
bool ct_call_is_known(const ct_token *name);
/* Refuses a call of an unknown function for its effect, as it may access memory. */
bool ct_call_check(ct_lower *l, const ct_node *node, const ct_token *name);
/* Lowers an expression, and sets *varies if it differs between threads. */
bool ct_lower_watched(ct_lower *l, const ct_node *node, ct_operand *out,
                      bool (*lower)(ct_lower *, const ct_node *, ct_operand *), bool *varies);
/* "threadIdx" for block.thread_index(); the name itself for a plain one; else empty. */
ct_word ct_group_index(const ct_lower *l, const ct_node *node);
/* Lowers a call or member of a thread group; false if it is not one. */
bool ct_lower_group_use(ct_lower *l, const ct_node *node, ct_operand *out);
/* The name, if the node is a plain name; otherwise NULL. */
const ct_token *ct_plain_name(const ct_lower *l, const ct_node *node);

/* ---- Places ---- */

/* Objects in memory: a pointer variable, whose offset is on the stack; an array; an index; a
 * member; dereference; address-of; a pointer cast; pointer arithmetic. */
ct_operand ct_place_pointer(const ct_lower *l, ct_symbol *symbol);
bool ct_place_array(ct_lower *l, int array, const ct_token *name, ct_operand *out);
/* `is_alone`: a linear index over all dimensions, "a(i)". */
bool ct_place_index(ct_lower *l, ct_operand *p, const ct_node *index, bool is_alone);
bool ct_place_member(ct_lower *l, ct_operand *p, const ct_node *node);
bool ct_place_follow(ct_lower *l, ct_operand *p, size_t position);
bool ct_place_address(ct_lower *l, ct_operand *p);
bool ct_place_cast(ct_lower *l, ct_operand *p, smp_shape shape);
bool ct_place_move(ct_lower *l, ct_operand *p, ct_kind kind, bool subtract);
/* Converts an array to a pointer to its first element. */
bool ct_place_decay(ct_lower *l, ct_operand *p, size_t position);
/* The array of an object or pointer; whether it is in shared memory. */
const smp_array *ct_place_array_of(const ct_lower *l, const ct_operand *p);
bool ct_place_is_shared(const ct_lower *l, const ct_operand *p);

/* ---- Accesses ---- */

/* Emit a load, store or atomic of the object whose offset is on the stack. */
bool ct_access_plain(ct_lower *l, const ct_operand *object, ct_access_form form, bool stores);
/* `op` is for shared memory; `keeps_bits`: exchange and compare, independent of the type. */
smp_request *ct_access_atomic(ct_lower *l, const ct_operand *object, smp_op op, bool keeps_bits);
smp_request *ct_access_copy(ct_lower *l, const ct_operand *target, const ct_operand *source,
                            uint32_t bytes);
/* Turns an atomic with unused result into a reduction. */
smp_request *ct_access_reduce(ct_lower *l, const ct_operand *result);

/* ---- Types and names ---- */

/* The type of a CT_N_TYPE node. */
bool ct_lower_type_use(ct_lower *l, const ct_node *node, ct_type_use *out);
/* Adds a struct to the table. */
bool ct_lower_struct(ct_lower *l, const ct_node *node, const smp_type **out);
/* What the name of a type means. */
ct_symbol ct_type_symbol(ct_word name, const ct_type_use *use);
/* Adds a name for a type. */
bool ct_type_bind(ct_lower *l, const ct_token *name, const ct_type_use *use);
/* Appends the CT_N_DIM nodes from `dim` on to the shape. */
bool ct_lower_dims(ct_lower *l, const ct_node *dim, int64_t most, smp_shape *shape);

/* A symbol that refers to no array; `type` may be NULL. */
ct_symbol ct_symbol_of(const ct_token *name, ct_meaning meaning, const smp_type *type);
/* The visible symbol called `name`, or NULL. */
ct_symbol *ct_name_find(const ct_lower *l, const ct_token *name);
ct_symbol *ct_symbol_add(ct_lower *l, const ct_symbol *symbol, size_t position);
/* Adds a constant, converted to `type` if that is an integer type, else of kind `kind`. */
bool ct_constant_add(ct_lower *l, const ct_token *name, int64_t value, ct_kind kind,
                     const smp_type *type);
/* Fails if the innermost block already has the name. */
bool ct_new_name(ct_lower *l, const ct_token *name);
/* Opens a block; the same for a function's body, which does not see its callers' names. Closes it.
 */
ct_view ct_scope_begin(ct_draft *layout);
ct_view ct_scope_hide(ct_draft *layout);
void ct_scope_end(ct_draft *layout, ct_view outer);
/* threadIdx and the like. */
typedef struct ct_builtin {
    const char *name;
    uint16_t slot;      /* of .x */
    uint8_t dimensions; /* 3, or 1 without members */
} ct_builtin;
const ct_builtin *ct_builtin_find(ct_word name);
/* True if `name` is declared; if the innermost block declares it. */
bool ct_layout_knows(const ct_draft *layout, ct_word name);
bool ct_scope_has(const ct_scope *scope, ct_word name);

/* ---- Functions ---- */

/* The function being lowered. */
typedef struct ct_callee {
    ct_token name;
    const ct_node *call;
    ct_function *function;
    unsigned given_count, argument_count;
    bool is_pointer, is_reference;
    bool is_known; /* the type of `result` is known */
    ct_symbol result;
    uint64_t instance; /* of a template: differs if an argument does */
    bool is_vague;     /* an argument of the template is not known */
    /* Last: uninitialised from their counts on. */
    ct_symbol given[CT_ARGUMENTS_MAX];
    ct_operand arguments[CT_ARGUMENTS_MAX];
} ct_callee;

/* The template arguments of a call, CT_N_GIVEN, or NULL. */
const ct_node *ct_call_given(const ct_node *call);
/* Lowers a call of a device function that must be followed; false if there is none. */
bool ct_function_call(ct_lower *l, const ct_node *call, const ct_token *name, ct_operand *out);
bool ct_function_return(ct_lower *l, const ct_node *node);
/* Lowers the template arguments of a call. */
bool ct_lower_given(ct_lower *l, ct_callee *callee);
/* Pushes all arguments as values; references stay objects. */
bool ct_lower_arguments(ct_lower *l, ct_callee *callee);
/* Binds the template parameters that have an argument or a default, and pops the arguments into the
 * parameters. */
bool ct_bind_all(ct_lower *l, ct_callee *callee);

/* ---- Statements ---- */

bool ct_lower_statement(ct_lower *l, const ct_node *node);
typedef bool ct_statement_fn(ct_lower *l, const ct_node *node);
ct_statement_fn ct_lower_variables, ct_lower_arrays, ct_lower_kernel, ct_lower_enum, ct_lower_alias,
    ct_lower_access;
/* Adds a statement, a program without its place among the others; NULL if there is no room. */
ct_statement *ct_statement_add(ct_lower *l, ct_statement_kind kind, size_t position);

/* Adds a variable for the value on top of the stack, which stays; `meaning` is an integer, pointer
 * or reference. */
bool ct_variable_add(ct_lower *l, ct_symbol *symbol, ct_meaning meaning, ct_operand *value);
/* A declared variable or parameter. */
typedef struct ct_declared {
    ct_word name; /* may be empty */
    size_t position;
    ct_type_use use;
    bool is_pointer, is_reference, is_const, is_constant;
    smp_shape shape; /* of the object or target */
} ct_declared;

/* Declares a variable with the value on top of the stack, which stays. A reference becomes another
 * name for its variable or object. */
bool ct_declare(ct_lower *l, const ct_declared *d, ct_operand *value);
/* Declares an array. */
bool ct_array_declare(ct_lower *l, const smp_array *form, const ct_node *node, bool is_pointer);

/* Statements of the layout language. */
ct_statement_fn ct_lower_define, ct_lower_dim_statement, ct_lower_archs, ct_lower_expect,
    ct_lower_data;
