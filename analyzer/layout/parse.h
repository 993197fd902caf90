/* SPDX-License-Identifier: MIT */
/*
 * The parser of the layout language and of CUDA: one recursive descent over tokens, for expressions
 * and statements alike, that appends code while it reads. Internal to the analyzer.
 *
 * Tokens of a whole text are made first: comments, line continuations, #if and macros are resolved
 * there, so that nothing behind it looks at characters. The first error sticks: `status` is set,
 * and everything after it fails.
 */
#ifndef SMP_PARSE_H
#define SMP_PARSE_H

#include "expr.h"
#include "type.h"

struct smp_layout;

enum { SMP_SYMBOLS_MAX = 256, SMP_MACROS_MAX = 128, SMP_MACRO_PARAMETERS_MAX = 12 };

/* ---- Tokens ---------------------------------------------------------------------------- */

typedef enum smp_token_kind {
    SMP_TOKEN_END,
    SMP_TOKEN_NUMBER,
    SMP_TOKEN_FLOAT,
    SMP_TOKEN_STRING,
    SMP_TOKEN_NAME,
    SMP_TOKEN_PUNCT, /* code: its characters, first one in the low byte */
    SMP_TOKEN_BAD,   /* message: why, or NULL */
} smp_token_kind;

typedef struct smp_token {
    smp_token_kind kind;
    uint32_t code;
    const char *text; /* of a macro: where its replacement stands */
    size_t length;
    size_t position, end; /* in the parser's text, of a macro: of its use */
    uint64_t value;       /* of a number */
    smp_kind number_kind; /* by C's rules for literals */
    const char *message;  /* static */
    bool starts_line;     /* the first one of a line, outside of brackets */
    bool is_expanded;     /* from a macro that is more than one token */
} smp_token;

#define SMP_PUNCT1(a) ((uint32_t)(a))
#define SMP_PUNCT2(a, b) ((uint32_t)(a) | (uint32_t)(b) << 8)
#define SMP_PUNCT3(a, b, c) (SMP_PUNCT2(a, b) | (uint32_t)(c) << 16)

/* "#define NAME(parameters) body"; texts are the caller's. */
typedef struct smp_macro {
    const char *name, *body;
    size_t length, body_length;
    bool is_function;
    const char *problem; /* why it can't be used, or NULL; static */
    uint32_t parameter_count;
    const char *parameter[SMP_MACRO_PARAMETERS_MAX];
    size_t parameter_length[SMP_MACRO_PARAMETERS_MAX];
} smp_macro;

/* expr_lex.c: the token at or after `position` of a text; position and end are relative to it. A
 * line's end and a comment are none of its business. */
smp_token smp_token_read(const char *text, size_t length, size_t position);
bool smp_token_is(const smp_token *token, const char *name);
bool smp_token_is_punct(const smp_token *token, uint32_t code);

/* preprocess.c: all tokens of the parser's text, with an END behind them. The caller frees. */
smp_token *smp_preprocess(struct smp_layout *layout, const char *text, size_t length);

/* ---- Names ----------------------------------------------------------------------------- */

typedef enum smp_meaning {
    SMP_MEANS_CONSTANT,
    SMP_MEANS_INTEGER, /* a variable in a slot */
    SMP_MEANS_POINTER, /* a byte offset in a slot */
    SMP_MEANS_REFERENCE,
    SMP_MEANS_LOCAL, /* an object whose values are not followed */
    SMP_MEANS_TYPE,
    SMP_MEANS_GIVEN,  /* a parameter that needs a value */
    SMP_MEANS_ARRAY,  /* `array`, which a function declares */
    SMP_MEANS_LAMBDA, /* a function of the block; `value`: the token that it begins with */
    SMP_MEANS_GROUP,  /* of threads; `value`: of how many, 0: the block */
    SMP_MEANS_TEXT,   /* of a template or a parameter: has no use here */
} smp_meaning;

enum { SMP_ARRAY_NONE = -1, SMP_ARRAY_LOCAL = -2 };

typedef struct smp_symbol {
    const char *name; /* in the caller's text */
    size_t length;
    smp_meaning meaning;
    smp_kind kind;
    int64_t value;    /* of a constant; of a local array whose elements are in slots: how many */
    uint16_t slot;    /* of what is in one */
    int array;        /* of a pointer, reference or local; SMP_ARRAY_NONE: not set yet */
    smp_shape shape;  /* of what it points to, or is; type NULL: of no known type, or of
                         a constant, that of its kind */
    bool is_expanded; /* reaches its array through a macro */
    bool varies;      /* between threads */
    bool is_const;
    uint32_t open; /* the statement that it is declared in */
} smp_symbol;

typedef struct smp_scope {
    size_t count, first;           /* first: of the innermost block */
    size_t hidden_from, hidden_to; /* names of those who called, which a function does not see */
    size_t later_from, later_to;   /* those behind a lambda whose body is read */
    smp_symbol symbols[SMP_SYMBOLS_MAX];
} smp_scope;

smp_symbol *smp_scope_find(smp_scope *scope, const char *name, size_t length);

/* ---- Parser ---------------------------------------------------------------------------- */

struct smp_parser {
    const char *text;
    size_t length;
    unsigned line;   /* of the text's start */
    smp_token token; /* the next one, not yet taken */
    const smp_token *tokens;
    uint32_t at;
    size_t last_end; /* of the token taken last */
    struct smp_layout *layout;
    smp_expr_code *code;
    smp_error *error; /* may be NULL */
    unsigned error_line;
    smp_status status;
    unsigned depth, stack, statement_depth;
    unsigned in_index;         /* within this many brackets */
    unsigned choices;          /* within this many of && || ?: */
    unsigned trials;           /* arguments are read for their types, nested so deep */
    unsigned switches;         /* within this many of them */
    unsigned varying_ifs;      /* within this many conditions that differ between threads */
    size_t access_start;       /* of the statement, its condition included */
    bool goes_on;              /* + and - at a line's start go on with the expression */
    bool is_expanded;          /* a token of a longer macro was taken */
    bool is_varying;           /* what differs between threads was read */
    bool has_effect;           /* a variable or memory was changed, or a function called */
    bool has_known;            /* a name that something declares, or a call */
    bool has_stray;            /* a name of data that nothing declares */
    bool has_new;              /* a name that nothing declares is set */
    bool in_template;          /* '>' ends the expression */
    bool has_barrier;          /* that is to be checked, since the latest statement */
    bool in_arguments;         /* of a call: a list in braces is an object */
    bool is_unrun;             /* only the size of what is read is asked for */
    bool is_option;            /* the text is one statement of the command line */
    struct smp_callee *callee; /* whose body is read, or NULL */
    unsigned call_depth, namespaces;
    uint32_t first_claim, first_call; /* from these on, accesses and calls may have no statement */
    uint32_t block_open;              /* statement that the block began in */
    smp_slot_set reads, writes;
    /* Lines are found from the latest place that was asked for. */
    size_t line_position, line_start;
    unsigned line_number;
};

bool smp_parser_init(smp_parser *parser, struct smp_layout *layout, const char *text, size_t length,
                     unsigned line, smp_error *error);
void smp_parser_clear(smp_parser *parser);
/* Takes the current token. */
void smp_parser_next(smp_parser *parser);
/* Goes back to a token that was taken. */
void smp_parser_return(smp_parser *parser, uint32_t at);
/* The token `ahead` behind the current one, or END. */
smp_token smp_parser_peek(const smp_parser *parser, unsigned ahead);
bool smp_parser_is(const smp_parser *parser, uint32_t punct);
bool smp_parser_is_name(const smp_parser *parser, const char *name);
/* Takes the token if it is that one. */
bool smp_parser_accept(smp_parser *parser, uint32_t punct);
bool smp_parser_accept_name(smp_parser *parser, const char *name);
/* Takes it, or fails with "expected 'what'". */
bool smp_parser_expect(smp_parser *parser, uint32_t punct);
/* True at ';', at the end of the line or text, and at '}'. */
bool smp_parser_at_end(const smp_parser *parser);
/* Fails unless the statement ends here; a final ';' is taken. */
bool smp_parser_expect_end(smp_parser *parser);
/* Fails at `position`; always false. */
bool smp_parser_fail(smp_parser *parser, smp_status status, size_t position, const char *format,
                     ...) __attribute__((format(printf, 4, 5)));
/* Fails with "expected `what` instead of" the current token, or that the line or the text ends
 * before it; always false. */
bool smp_parser_fail_expected(smp_parser *parser, const char *what);
/* Line of a position, and where in it. */
unsigned smp_parser_line(smp_parser *parser, size_t position, int32_t *column);
/* The text of a token, for messages: "%.*s". */
#define SMP_TOKEN_TEXT(token) (int)((token).length < 40 ? (token).length : 40), (token).text

/* ---- Operands -------------------------------------------------------------------------- */

typedef enum smp_operand_form {
    SMP_FORM_VALUE,   /* on the stack */
    SMP_FORM_SLOT,    /* the same, just read from a variable */
    SMP_FORM_OBJECT,  /* its offset is on the stack */
    SMP_FORM_POINTER, /* the offset it points to is on the stack */
    SMP_FORM_VOID,    /* a value that is of no use */
} smp_operand_form;

/* What an expression has left on the stack. */
typedef struct smp_operand {
    smp_operand_form form;
    smp_kind kind;        /* of a value */
    const smp_type *type; /* of a value before C promotes it; NULL: that of the kind, of data none
                             that is known */
    smp_symbol *symbol;   /* of a slot */
    size_t position;
    uint32_t atomic;   /* instruction of the atomic whose result this is, plus 1; else 0 */
    bool is_reduction; /* the atomic may be one without result */
    /* Of an object or a pointer: */
    int array;      /* of the layout; SMP_ARRAY_LOCAL: none, SMP_ARRAY_NONE: a pointer not set */
    bool is_root;   /* still the declared array; `used` of its dimensions are indexed */
    bool is_loose;  /* moved by a cast or by arithmetic: check the range at the end */
    bool is_hidden; /* the text does not name the array's element as such */
    uint32_t used;
    smp_shape shape; /* else; type NULL: not known */
    size_t text_start, text_end;
} smp_operand;

/* expr_parse.c: an expression with commas; without; one that is a value afterwards. */
bool smp_expr_parse(smp_parser *parser, smp_operand *out);
bool smp_expr_assignment(smp_parser *parser, smp_operand *out);
bool smp_expr_value(smp_parser *parser, smp_operand *out);
/* A cast's operand. */
bool smp_expr_unary(smp_parser *parser, smp_operand *out);
/* Goes on behind an operand that was read: operators, but no assignment. */
bool smp_expr_operators(smp_parser *parser, smp_operand *left, bool is_condition);
/* A value as a whole program. */
bool smp_expr_program(smp_parser *parser, smp_program *out);
/* Begins and ends a program by hand. */
void smp_program_begin(smp_parser *parser, smp_program *out);
void smp_program_end(smp_parser *parser, smp_kind kind, smp_program *out);
/* An expression that must be constant; leaves no code. */
bool smp_expr_constant(smp_parser *parser, int64_t *value, smp_kind *kind);
/* The same, within [least, most]; `what` names it in the message. */
bool smp_expr_constant_in(smp_parser *parser, const char *what, int64_t least, int64_t most,
                          int64_t *value);
/* Turns a variable, an object, or a pointer into a value; an object is loaded. */
bool smp_operand_value(smp_parser *parser, smp_operand *operand);
/* The same, of a condition. */
bool smp_operand_truth(smp_parser *parser, smp_operand *operand);
/* The same, where a pointer becomes an unknown number. */
bool smp_operand_number(smp_parser *parser, smp_operand *operand);
/* The C++ type of a value, variable or element; NULL: a pointer, an array, or not known. */
const smp_type *smp_operand_type(const smp_operand *operand);
/* left op right, both on the stack, and the type of what comes out. */
bool smp_operand_combine(smp_parser *parser, smp_code_op op, smp_kind left, smp_kind right,
                         size_t position, smp_kind *out);
/* expr_assign.c: "= value" and its like behind an operand whose code begins at `start`, if that is
 * what follows; ++ and --, where `is_after` means behind. */
bool smp_expr_assign(smp_parser *parser, smp_operand *out, uint32_t start);
bool smp_operand_step(smp_parser *parser, smp_operand *operand, bool is_up, bool is_after,
                      size_t position);
/* Sets a variable to the value on top, converted to its type. */
bool smp_operand_set(smp_parser *parser, smp_symbol *symbol, smp_operand *value, size_t position);
smp_kind smp_integer_kind(smp_integer_type type);

/* expr_primary.c: names, literals, casts, calls, and what follows them. */
bool smp_expr_postfix(smp_parser *parser, smp_operand *out);
/* The rest of "float4{a, b}" and "(a, b)": its parts are read for nothing but their accesses.
 * `type` is what they construct, or NULL. */
bool smp_expr_parts(smp_parser *parser, const smp_type *type, uint32_t close, size_t position);
/* expr_symbol.c: a name that is neither a type nor a cast, which is still the current token. */
bool smp_expr_name(smp_parser *parser, smp_operand *out);
/* True of an operator that gives the operand before it a value. */
bool smp_token_sets(const smp_token *token);
/* expr_call.c: a call of the function `name`, the parenthesis being the current token. */
bool smp_expr_call(smp_parser *parser, const smp_token *name, smp_operand *out);
/* True if the name is a function that is known. */
bool smp_call_is_known(const smp_token *name);

/* expr_emit.c: appends one instruction; folds constants. `operands` are taken from the stack, one
 * is left. */
bool smp_emit(smp_parser *parser, smp_expr_instruction instruction, size_t position,
              unsigned operands);
bool smp_emit_op(smp_parser *parser, smp_code_op op, smp_kind kind, size_t position,
                 unsigned operands);
bool smp_emit_constant(smp_parser *parser, int64_t value, size_t position);
bool smp_emit_slot(smp_parser *parser, uint16_t slot, size_t position);
/* A value that is not known, for a reason; `operands` are merged into it. */
bool smp_emit_unknown(smp_parser *parser, smp_reason reason, const char *name, size_t length,
                      size_t position);
bool smp_emit_merge(smp_parser *parser, unsigned operands, size_t position);
bool smp_emit_cast(smp_parser *parser, smp_integer_type type, size_t position, smp_kind *kind);
bool smp_emit_drop(smp_parser *parser, size_t position);
/* A barrier of the block; checked only where a condition may keep threads from it. */
bool smp_emit_barrier(smp_parser *parser, size_t position);
/* Puts the code from `second` on before that from `first` on. */
bool smp_code_rotate(smp_parser *parser, uint32_t first, uint32_t second);

/* group.c: a declaration of a cooperative group; its use, the name being taken. */
bool smp_group_starts(const smp_parser *parser);
bool smp_group_parse(smp_parser *parser);
bool smp_group_use(smp_parser *parser, const smp_symbol *group, smp_operand *out);

/* local_array.c: true if the elements of the local array can be followed: integers, each mention
 * of which is an element that is read or set; the current token is behind its dimensions. */
bool smp_local_array_is_followed(const smp_parser *parser, const smp_token *name, smp_shape shape);
/* Declares it, with its values if they are there. */
bool smp_local_array_declare(smp_parser *parser, smp_symbol *symbol, size_t position);
/* True if the mention at token `at` may change it. */
bool smp_local_array_changes(const smp_parser *parser, const smp_symbol *array, uint32_t at);
/* One more index, which is on the stack. */
bool smp_local_array_index(smp_parser *parser, smp_operand *p, smp_kind kind, size_t position);
/* True of an element of such an array, whose place among them is on the stack. */
bool smp_local_array_is_element(const smp_operand *p);
/* Reads it; value and place -> the value that is set; a value and its place -> the value of
 * "element op value", op= being meant; ++ and --. */
bool smp_local_array_read(smp_parser *parser, smp_operand *p, size_t position);
bool smp_local_array_set(smp_parser *parser, smp_symbol *array, size_t position);
bool smp_local_array_change(smp_parser *parser, const smp_operand *element, smp_code_op op,
                            smp_kind kind, size_t position);
bool smp_local_array_step(smp_parser *parser, smp_operand *element, bool is_up, bool is_after,
                          size_t position);
/* Elements of the list in braces that begins at token `at`. */
uint32_t smp_list_count(const smp_token *tokens, uint32_t at);

/* place.c: objects in memory. What a variable that is a pointer says, its offset being on the
 * stack; an array by its name, the current token being behind it; one more index; a member; what a
 * pointer points to; where an object lies; a cast of the pointer; +- index.
 */
smp_operand smp_place_pointer(smp_symbol *symbol, size_t position);
bool smp_place_array(smp_parser *parser, int array, const smp_token *name, smp_operand *out);
bool smp_place_index(smp_parser *parser, smp_operand *p, uint32_t close);
bool smp_place_member(smp_parser *parser, smp_operand *p);
bool smp_place_follow(smp_parser *parser, smp_operand *p, size_t position);
bool smp_place_address(smp_parser *parser, smp_operand *p, size_t position);
bool smp_place_cast(smp_parser *parser, smp_operand *p, smp_shape shape, size_t position);
bool smp_place_move(smp_parser *parser, smp_operand *p, smp_kind kind, bool subtract,
                    size_t position);
/* A pointer to the first element of what is an array. */
bool smp_place_decay(smp_parser *parser, smp_operand *p, size_t position);
/* Indexed to the last dimension, thus a scalar, vector or struct. */
bool smp_place_is_whole(const struct smp_layout *layout, const smp_operand *p);

#endif
