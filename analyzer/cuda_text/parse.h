/* SPDX-License-Identifier: MIT */
/*
 * The parser of the layout language and of CUDA: one recursive descent over tokens, for expressions
 * and statements alike, that appends code while it reads. Internal to the analyzer.
 * The first error sticks: `status` is set, and everything after it fails.
 */
#ifndef CT_PARSE_H
#define CT_PARSE_H

#include "code.h"
#include "lex.h"
#include "type.h"

struct smp_layout;

enum { CT_SYMBOLS_MAX = 256 };

/* ---- Names ----------------------------------------------------------------------------- */

typedef enum ct_meaning {
    CT_MEANS_CONSTANT,
    CT_MEANS_INTEGER, /* a variable in a slot */
    CT_MEANS_POINTER, /* a byte offset in a slot */
    CT_MEANS_REFERENCE,
    CT_MEANS_LOCAL, /* an object whose values are not followed */
    CT_MEANS_TYPE,
    CT_MEANS_GIVEN,  /* a parameter that needs a value */
    CT_MEANS_ARRAY,  /* `array`, which a function declares */
    CT_MEANS_LAMBDA, /* a function of the block; `value`: the token that it begins with */
    CT_MEANS_GROUP,  /* of threads; `value`: of how many, 0: the block */
    CT_MEANS_TEXT,   /* of a template or a parameter: has no use here */
} ct_meaning;

enum { CT_ARRAY_NONE = -1, CT_ARRAY_LOCAL = -2 };

typedef struct ct_symbol {
    const char *name; /* in the caller's text */
    size_t length;
    ct_meaning meaning;
    ct_kind kind;
    int64_t value;    /* of a constant; of a local array whose elements are in slots: how many */
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
    size_t later_from, later_to;   /* those behind a lambda whose body is read */
    ct_symbol symbols[CT_SYMBOLS_MAX];
} ct_scope;

ct_symbol *ct_scope_find(const ct_scope *scope, const char *name, size_t length);

/* ---- Parser ---------------------------------------------------------------------------- */

struct ct_parser {
    const char *text;
    size_t length;
    unsigned line;  /* of the text's start */
    ct_token token; /* the next one, not yet taken */
    const ct_token *tokens;
    uint32_t at;
    size_t last_end; /* of the token taken last */
    struct smp_layout *layout;
    ct_expr_code *code;
    smp_error *error; /* may be NULL */
    unsigned error_line;
    smp_status status;
    unsigned depth, stack, statement_depth;
    unsigned in_index;        /* within this many brackets */
    unsigned choices;         /* within this many of && || ?: */
    unsigned trials;          /* arguments are read for their types, nested so deep */
    unsigned switches;        /* within this many of them */
    unsigned varying_ifs;     /* within this many conditions that differ between threads */
    size_t access_start;      /* of the statement, its condition included */
    bool goes_on;             /* + and - at a line's start go on with the expression */
    bool is_expanded;         /* a token of a longer macro was taken */
    bool is_varying;          /* what differs between threads was read */
    bool has_effect;          /* a variable or memory was changed, or a function called */
    bool has_known;           /* a name that something declares, or a call */
    bool has_stray;           /* a name of data that nothing declares */
    bool has_new;             /* a name that nothing declares is set */
    bool in_template;         /* '>' ends the expression */
    bool has_barrier;         /* that is to be checked, since the latest statement */
    bool in_arguments;        /* of a call: a list in braces is an object */
    bool is_unrun;            /* only the size of what is read is asked for */
    bool is_option;           /* the text is one statement of the command line */
    struct ct_callee *callee; /* whose body is read, or NULL */
    unsigned call_depth, namespaces;
    uint32_t first_claim, first_call; /* from these on, accesses and calls may have no statement */
    uint32_t block_open;              /* statement that the block began in */
    ct_slot_set reads, writes;
    /* Lines are found from the latest place that was asked for. */
    size_t line_position, line_start;
    unsigned line_number;
};

bool ct_parser_init(ct_parser *parser, struct smp_layout *layout, const char *text, size_t length,
                    unsigned line, smp_error *error);
void ct_parser_clear(ct_parser *parser);
/* Takes the current token. */
void ct_parser_next(ct_parser *parser);
/* Goes back to a token that was taken. */
void ct_parser_return(ct_parser *parser, uint32_t at);
/* The token `ahead` behind the current one, or END. */
ct_token ct_parser_peek(const ct_parser *parser, unsigned ahead);
bool ct_parser_is(const ct_parser *parser, uint32_t punct);
bool ct_parser_is_name(const ct_parser *parser, const char *name);
/* Takes the token if it is that one. */
bool ct_parser_accept(ct_parser *parser, uint32_t punct);
bool ct_parser_accept_name(ct_parser *parser, const char *name);
/* Takes it, or fails with "expected 'what'". */
bool ct_parser_expect(ct_parser *parser, uint32_t punct);
/* True at ';', at the end of the line or text, and at '}'. */
bool ct_parser_at_end(const ct_parser *parser);
/* Fails unless the statement ends here; a final ';' is taken. */
bool ct_parser_expect_end(ct_parser *parser);
/* Fails at `position`; always false. */
bool ct_parser_fail(ct_parser *parser, smp_status status, size_t position, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* Fails with "expected `what` instead of" the current token, or that the line or the text ends
 * before it; always false. */
bool ct_parser_fail_expected(ct_parser *parser, const char *what);
/* Line of a position, and where in it. */
unsigned ct_parser_line(ct_parser *parser, size_t position, int32_t *column);

/* ---- Operands -------------------------------------------------------------------------- */

typedef enum ct_operand_form {
    CT_FORM_VALUE,   /* on the stack */
    CT_FORM_SLOT,    /* the same, just read from a variable */
    CT_FORM_OBJECT,  /* its offset is on the stack */
    CT_FORM_POINTER, /* the offset it points to is on the stack */
    CT_FORM_VOID,    /* a value that is of no use */
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
    int array;      /* of the layout; CT_ARRAY_LOCAL: none, CT_ARRAY_NONE: a pointer not set */
    bool is_root;   /* still the declared array; `used` of its dimensions are indexed */
    bool is_loose;  /* moved by a cast or by arithmetic: check the range at the end */
    bool is_hidden; /* the text does not name the array's element as such */
    uint32_t used;
    smp_shape shape; /* else; type NULL: not known */
    size_t text_start, text_end;
} ct_operand;

/* expr_parse.c: an expression with commas; without; one that is a value afterwards. */
bool ct_expr_parse(ct_parser *parser, ct_operand *out);
bool ct_expr_assignment(ct_parser *parser, ct_operand *out);
bool ct_expr_value(ct_parser *parser, ct_operand *out);
/* A cast's operand. */
bool ct_expr_unary(ct_parser *parser, ct_operand *out);
/* Goes on behind an operand that was read: operators, but no assignment. */
bool ct_expr_operators(ct_parser *parser, ct_operand *left, bool is_condition);
/* A value as a whole program. */
bool ct_expr_program(ct_parser *parser, ct_program *out);
/* Begins and ends a program by hand. */
void ct_program_begin(ct_parser *parser, ct_program *out);
void ct_program_end(ct_parser *parser, ct_kind kind, ct_program *out);
/* An expression that must be constant; leaves no code. */
bool ct_expr_constant(ct_parser *parser, int64_t *value, ct_kind *kind);
/* The same, within [least, most]; `what` names it in the message. */
bool ct_expr_constant_in(ct_parser *parser, const char *what, int64_t least, int64_t most,
                         int64_t *value);
/* Turns a variable, an object, or a pointer into a value; an object is loaded. */
bool ct_operand_value(ct_parser *parser, ct_operand *operand);
/* The same, of a condition. */
bool ct_operand_truth(ct_parser *parser, ct_operand *operand);
/* The same, where a pointer becomes an unknown number. */
bool ct_operand_number(ct_parser *parser, ct_operand *operand);
/* The C++ type of a value, variable or element; NULL: a pointer, an array, or not known. */
const smp_type *ct_operand_type(const ct_operand *operand);
/* left op right, both on the stack, and the type of what comes out. */
bool ct_operand_combine(ct_parser *parser, ct_code_op op, ct_kind left, ct_kind right,
                        size_t position, ct_kind *out);
/* expr_assign.c: "= value" and its like behind an operand whose code begins at `start`, if that is
 * what follows; ++ and --, where `is_after` means behind. */
bool ct_expr_assign(ct_parser *parser, ct_operand *out, uint32_t start);
bool ct_operand_step(ct_parser *parser, ct_operand *operand, bool is_up, bool is_after,
                     size_t position);
/* Sets a variable to the value on top, converted to its type. */
bool ct_operand_set(ct_parser *parser, ct_symbol *symbol, ct_operand *value, size_t position);
ct_kind ct_integer_kind(smp_integer_type type);

/* expr_primary.c: names, literals, casts, calls, and what follows them. */
bool ct_expr_postfix(ct_parser *parser, ct_operand *out);
/* The rest of "float4{a, b}" and "(a, b)": its parts are read for nothing but their accesses.
 * `type` is what they construct, or NULL. */
bool ct_expr_parts(ct_parser *parser, const smp_type *type, uint32_t close, size_t position);
/* expr_symbol.c: a name that is neither a type nor a cast, which is still the current token. */
bool ct_expr_name(ct_parser *parser, ct_operand *out);
/* expr_call.c: a call of the function `name`, the parenthesis being the current token. */
bool ct_expr_call(ct_parser *parser, const ct_token *name, ct_operand *out);
/* True if the name is a function that is known. */
bool ct_call_is_known(const ct_token *name);

/* expr_emit.c: appends one instruction; folds constants. `operands` are taken from the stack, one
 * is left. */
bool ct_emit(ct_parser *parser, ct_expr_instruction instruction, size_t position,
             unsigned operands);
bool ct_emit_op(ct_parser *parser, ct_code_op op, ct_kind kind, size_t position, unsigned operands);
bool ct_emit_constant(ct_parser *parser, int64_t value, size_t position);
bool ct_emit_slot(ct_parser *parser, uint16_t slot, size_t position);
/* A value that is not known, for a reason; `operands` are merged into it. */
bool ct_emit_unknown(ct_parser *parser, ct_reason reason, const char *name, size_t length,
                     size_t position);
bool ct_emit_merge(ct_parser *parser, unsigned operands, size_t position);
bool ct_emit_cast(ct_parser *parser, smp_integer_type type, size_t position, ct_kind *kind);
bool ct_emit_drop(ct_parser *parser, size_t position);
/* A barrier of the block; checked only where a condition may keep threads from it. */
bool ct_emit_barrier(ct_parser *parser, size_t position);
/* Puts the code from `second` on before that from `first` on. */
bool ct_code_rotate(ct_parser *parser, uint32_t first, uint32_t second);

/* group.c: a declaration of a cooperative group; its use, the name being taken. */
bool ct_group_starts(const ct_parser *parser);
bool ct_group_parse(ct_parser *parser);
bool ct_group_use(ct_parser *parser, const ct_symbol *group, ct_operand *out);

/* local_array.c: true if the elements of the local array can be followed: integers, each mention
 * of which is an element that is read or set; the current token is behind its dimensions. */
bool ct_local_array_is_followed(const ct_parser *parser, const ct_token *name, smp_shape shape);
/* Declares it, with its values if they are there. */
bool ct_local_array_declare(ct_parser *parser, ct_symbol *symbol, size_t position);
/* True if the mention at token `at` may change it. */
bool ct_local_array_changes(const ct_parser *parser, const ct_symbol *array, uint32_t at);
/* One more index, which is on the stack. */
bool ct_local_array_index(ct_parser *parser, ct_operand *p, ct_kind kind, size_t position);
/* True of an element of such an array, whose place among them is on the stack. */
bool ct_local_array_is_element(const ct_operand *p);
/* Reads it; value and place -> the value that is set; a value and its place -> the value of
 * "element op value", op= being meant; ++ and --. */
bool ct_local_array_read(ct_parser *parser, ct_operand *p, size_t position);
bool ct_local_array_set(ct_parser *parser, ct_symbol *array, size_t position);
bool ct_local_array_change(ct_parser *parser, const ct_operand *element, ct_code_op op,
                           ct_kind kind, size_t position);
bool ct_local_array_step(ct_parser *parser, ct_operand *element, bool is_up, bool is_after,
                         size_t position);
/* Elements of the list in braces that begins at token `at`. */
uint32_t ct_list_count(const ct_token *tokens, uint32_t at);

/* place.c: objects in memory. What a variable that is a pointer says, its offset being on the
 * stack; an array by its name, the current token being behind it; one more index; a member; what a
 * pointer points to; where an object lies; a cast of the pointer; +- index.
 */
ct_operand ct_place_pointer(ct_symbol *symbol, size_t position);
bool ct_place_array(ct_parser *parser, int array, const ct_token *name, ct_operand *out);
bool ct_place_index(ct_parser *parser, ct_operand *p, uint32_t close);
bool ct_place_member(ct_parser *parser, ct_operand *p);
bool ct_place_follow(ct_parser *parser, ct_operand *p, size_t position);
bool ct_place_address(ct_parser *parser, ct_operand *p, size_t position);
bool ct_place_cast(ct_parser *parser, ct_operand *p, smp_shape shape, size_t position);
bool ct_place_move(ct_parser *parser, ct_operand *p, ct_kind kind, bool subtract, size_t position);
/* A pointer to the first element of what is an array. */
bool ct_place_decay(ct_parser *parser, ct_operand *p, size_t position);
/* Indexed to the last dimension, thus a scalar, vector or struct. */
bool ct_place_is_whole(const struct smp_layout *layout, const ct_operand *p);

/* swizzle_parse.c: "Swizzle<3,3,3>", the name being the current token. */
bool ct_swizzle_parse(ct_parser *parser, smp_swizzle *out);
/* "(64,(8,2)):(1,(64,512))". Fills dims and dim_count. */
bool ct_mode_table_parse(ct_parser *parser, smp_mode_table *out);

#endif
