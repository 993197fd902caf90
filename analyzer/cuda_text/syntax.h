/* SPDX-License-Identifier: MIT */
/*
 * The second stage: tokens to a tree. It knows which names are types, nothing else about them. A
 * text is parsed statement by statement. A function's body is parsed once, at its first call;
 * functions never called are not parsed.
 *
 * A syntax error becomes a CT_N_FAULT node at its position, so that everything before it is
 * lowered first. It is the last node of its statement.
 */
#pragma once

#include "lex.h"

/* ---- The tree ---- */

/* Comments list the children in order; "..." means any number. */
typedef enum ct_node_kind {
    CT_N_FAULT,
    CT_N_NONE, /* an omitted part */
    /* Expressions; `at` is the operator or the name. */
    CT_N_NUMBER,
    CT_N_FLOAT,     /* or a string */
    CT_N_NAME,      /* [CT_N_GIVEN] */
    CT_N_OBJECT,    /* "a::b<c>{...}": part... */
    CT_N_PAREN,     /* expression */
    CT_N_CAST,      /* CT_N_CAST_TYPE expression */
    CT_N_CONSTRUCT, /* "int(x)": CT_N_TYPE part... */
    CT_N_SIZEOF,    /* expression or CT_N_CAST_TYPE */
    CT_N_UNARY,     /* expression */
    CT_N_STEP,      /* "x++": expression */
    CT_N_BINARY,    /* expression expression */
    CT_N_LOGIC,     /* expression expression */
    CT_N_CHOICE,    /* expression expression expression */
    CT_N_ASSIGN,    /* expression expression */
    CT_N_COMMA,     /* expression expression */
    CT_N_INDEX,     /* expression expression */
    CT_N_CALL,      /* expression argument... */
    CT_N_MEMBER,    /* expression */
    CT_N_LIST,      /* "{...}": part... */
    CT_N_GIVEN,     /* "<...>": CT_N_TYPE or expression... */
    /* Types and declarations; `at` is the name. */
    CT_N_TYPE,
    CT_N_CAST_TYPE,   /* CT_N_TYPE CT_N_DIM... */
    CT_N_DIM,         /* [expression] */
    CT_N_ALIGN,       /* expression */
    CT_N_DECLARATOR,  /* CT_N_DIM... [CT_N_INIT] */
    CT_N_INIT,        /* part... */
    CT_N_ARRAY,       /* CT_N_DIM... [CT_N_SWIZZLE] [CT_N_MODES] [CT_N_PLACE] */
    CT_N_SWIZZLE,     /* number: bits, base, shift */
    CT_N_MODES,       /* shape stride: expressions, or CT_N_LIST of these */
    CT_N_PLACE,       /* expression */
    CT_N_STRUCT,      /* CT_N_ALIGN... CT_N_FIELDS... */
    CT_N_FIELDS,      /* CT_N_ALIGN... CT_N_TYPE CT_N_FIELD... */
    CT_N_FIELD,       /* CT_N_DIM... */
    CT_N_TYPE_PARAM,  /* [CT_N_TYPE] */
    CT_N_VALUE_PARAM, /* CT_N_TYPE [expression] */
    CT_N_PARAM,       /* CT_N_TYPE CT_N_DIM... [CT_N_INIT] */
    /* Statements. */
    CT_N_BLOCK,       /* statement... */
    CT_N_BRANCH,      /* CT_N_EXPECT... statement CT_N_EXPECT...: names of its own */
    CT_N_EXPRESSION,  /* expression */
    CT_N_IF,          /* condition CT_N_BRANCH [CT_N_BRANCH] */
    CT_N_IF_CONSTANT, /* expression CT_N_BRANCH [CT_N_BRANCH] */
    CT_N_DO,          /* CT_N_BRANCH condition */
    CT_N_FOR,         /* or while: statement or expression, condition, expression, CT_N_BRANCH */
    CT_N_JUMP,        /* break, continue, return: [expression] */
    CT_N_VARIABLES,   /* CT_N_ALIGN... CT_N_TYPE CT_N_DECLARATOR... */
    CT_N_ARRAYS,      /* CT_N_ALIGN... CT_N_TYPE or CT_N_STRUCT, CT_N_ARRAY... */
    CT_N_ENUM,        /* CT_N_ENUMERATOR... */
    CT_N_ENUMERATOR,  /* [expression] */
    CT_N_ALIAS,       /* CT_N_TYPE or CT_N_STRUCT */
    CT_N_KERNEL,      /* template parameter... CT_N_PARAM... [CT_N_BLOCK] */
    /* The layout language. */
    CT_N_RANGE,  /* "for j = 0:32:8": start stop [step] */
    CT_N_END,    /* of such a loop */
    CT_N_DEFINE, /* expression or CT_N_TYPE */
    CT_N_DIMS,   /* "block 32x8": expression... */
    CT_N_ARCHS,  /* CT_N_ARCH... */
    CT_N_ARCH,
    CT_N_EXPECT, /* expression [CT_N_ARCH] */
    CT_N_DATA,   /* expression... */
    CT_N_ACCESS, /* [rank] expression [expression [expression]] */
} ct_node_kind;

/* Flags of a node. */
enum {
    CT_IS_UNARY = 1 << 0,  /* a unary expression */
    CT_IS_SCOPED = 1 << 1, /* a name after "::" */
    CT_IS_ARROW = 1 << 2,
    CT_IS_POINTER = 1 << 3,
    CT_IS_REFERENCE = 1 << 4,
    CT_IS_CONST = 1 << 5,
    CT_IS_AUTO = 1 << 6,
    CT_IS_VOID = 1 << 7,
    CT_IS_WORDS = 1 << 8,   /* "unsigned long" */
    CT_IS_NESTED = 1 << 9,  /* "(*p)[33]" */
    CT_IS_PLAIN = 1 << 10,  /* "= value" */
    CT_IS_CALL = 1 << 11,   /* "(...)" */
    CT_IS_BRACED = 1 << 12, /* "{...}" */
    CT_IS_SHARED = 1 << 13, /* otherwise in global memory */
    CT_IS_EXTERN = 1 << 14,
    CT_IS_EMPTY = 1 << 15,    /* a call that ends with a comma */
    CT_IS_REMOTE = 1 << 16,   /* an access to another block: its rank is the first child */
    CT_IS_VOLATILE = 1 << 17, /* arrays with "volatile" before "__shared__" */
    CT_IS_CONSTANT = 1 << 18, /* variables in constant memory */
};

/* A syntax error. */
typedef struct ct_fault {
    smp_status status;
    size_t position;
    char message[];
} ct_fault;

typedef struct ct_node {
    uint8_t kind; /* ct_node_kind */
    uint32_t flags;
    uint32_t at;         /* its main token */
    uint32_t first, end; /* its tokens; end is exclusive */
    struct ct_node *child, *last, *next;
    union {
        uint32_t mark; /* another token or number; depends on the kind */
        int8_t number[3];
        struct ct_access_words {
            uint8_t space;        /* smp_space; SMP_SPACE_COPY if not given */
            uint8_t count, bytes; /* "v4.f32"; 0: the object's. "x4" of a matrix */
            bool is_transposed;
            char cache; /* 'a' of "ca", 'g' of "cg"; 0: not given */
        } words;
        const ct_fault *fault;
    };
} ct_node;

/* ---- A text ---- */

/* Known names, and which are types; kept between texts. */
typedef struct ct_known_name {
    ct_word name;
    bool is_type;
} ct_known_name;

enum { CT_KNOWN_MAX = 1024 };

typedef struct ct_known {
    uint32_t count;          /* names beyond the limit are dropped */
    uint32_t range_count;    /* loops that are open to the end */
    ct_word kernel;          /* the requested one; empty: any */
    char other_kernels[200]; /* kernels that were skipped */
    ct_known_name names[CT_KNOWN_MAX];
} ct_known;

/* A device function: its parts as token indices, and what has been parsed. */
typedef struct ct_function {
    struct ct_function *next;
    uint32_t head, name, list, body, end; /* first token, name, parameters, body, end */
    /* NULL until they are parsed: */
    ct_node *given;             /* template parameters */
    ct_node *parameters;        /* CT_N_PARAM... */
    ct_node *result;            /* CT_N_CAST_TYPE */
    ct_node *statement;         /* the body */
    uint32_t search, reaching;  /* lower_inline.c: whether it reaches memory */
    const ct_fault *head_fault; /* of the parameters; NULL if there is none */
    const ct_fault *fault;      /* of the body, which ends there; the same */
} ct_function;

typedef struct ct_unit {
    const char *text;
    size_t length;
    const ct_token *tokens;
    ct_known *known;
    ct_function *functions; /* in order, once one is asked for */
    bool has_functions;
    struct ct_block *blocks; /* memory for nodes */
    uint32_t search, asked;  /* the present search; number of arrays, plus 1, when it began */
    /* Cache: the position of the latest line lookup. */
    size_t line_position, line_start;
    unsigned line_number;
} ct_unit;

/* False if out of memory. */
bool ct_unit_init(ct_unit *unit, ct_source *source, ct_known *known, const char *text,
                  size_t length, unsigned line);
void ct_unit_clear(ct_unit *unit);
/* Line and column of a position; `column` may be NULL. */
unsigned ct_unit_line(ct_unit *unit, size_t position, int32_t *column);
/* Length of the file name at a position, which ends at a blank or ';'. */
size_t ct_file_name_length(const ct_unit *unit, size_t position);
void ct_known_add(ct_known *known, const ct_token *name, bool is_type);

/* ---- The parser ---- */

typedef struct ct_parser {
    ct_unit *unit;
    ct_known *known;
    const ct_token *tokens, *token; /* token: the next one */
    uint32_t at;
    size_t last_end; /* of the last token taken */
    const ct_fault *fault;
    bool is_placed; /* the fault is in the tree */
    bool goes_on;   /* + and - at the start of a line continue the expression */
    bool in_template, in_arguments;
    bool is_option;  /* the text is a command line option */
    bool is_outside; /* at file or namespace scope */
    bool is_body;    /* in the body of a kernel or function: every expression ends with ';' */
    unsigned depth, statement_depth, namespaces;
    ct_token stop; /* the next token after a fault */
    ct_node spare; /* used when out of memory */
} ct_parser;

void ct_parser_init(ct_parser *p, ct_unit *unit, ct_known *known, uint32_t at);
/* Parses one statement, including its end. */
ct_node *ct_parse_statement(ct_parser *p);
/* Parses what follows a keyword of the layout language. */
ct_node *ct_parse_keyword(ct_parser *p, const char *keyword);
/* Parses a text that is one expression without commas. */
ct_node *ct_parse_value(ct_parser *p);
/* Takes the '}' of a namespace. */
bool ct_parse_namespace_end(ct_parser *p);
/* True if the next declaration may be host code; *end is the token after it. */
bool ct_parse_is_of_host(ct_parser *p, uint32_t *end);
void ct_go_to(ct_parser *p, uint32_t at);

/* ---- Functions ---- */

/* The first function called `name` behind `f`, or of all if that is NULL; NULL if there is none.
 * Ignores methods. */
ct_function *ct_function_next(ct_unit *unit, const ct_token *name, ct_function *f);
/* True if `name` is a template parameter of `f`, whose head has been parsed. */
bool ct_function_names(const ct_unit *unit, const ct_function *f, const ct_token *name);
bool ct_function_is_template(const ct_unit *unit, const ct_function *f);
/* Parse parameters and result, or the body. `names` are the names it sees. Faults are in the tree.
 */
void ct_function_read_head(ct_unit *unit, ct_function *f, const ct_known *names);
void ct_function_read_body(ct_unit *unit, ct_function *f, const ct_known *names);
