/* SPDX-License-Identifier: MIT */
/*
 * The second stage: from tokens to a tree. It knows which names are types, and no more of what they
 * mean. A text is read statement by statement; the body of a function is read once, when it is
 * first called; what nothing asks for is not read.
 *
 * What can't be read becomes a node CT_N_FAULT where it stands, so that what stands before it is
 * looked at first; nothing of the same statement follows it.
 */
#pragma once

#include "lex.h"

/* ---- The tree ---- */

/* What a node is made of: its children in their order, "..." any number. */
typedef enum ct_node_kind {
    CT_N_FAULT,
    CT_N_NONE, /* a part that is left out */
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
    CT_N_WHILE,       /* condition CT_N_BRANCH */
    CT_N_DO,          /* CT_N_BRANCH condition */
    CT_N_FOR,         /* statement or expression, condition, expression, CT_N_BRANCH */
    CT_N_BREAK,
    CT_N_CONTINUE,
    CT_N_RETURN,         /* [expression] */
    CT_N_VARIABLES,      /* CT_N_ALIGN... CT_N_TYPE CT_N_DECLARATOR... */
    CT_N_ARRAYS,         /* CT_N_ALIGN... CT_N_TYPE or CT_N_STRUCT, CT_N_ARRAY... */
    CT_N_DECLARE_STRUCT, /* CT_N_STRUCT */
    CT_N_ENUM,           /* CT_N_ENUMERATOR... */
    CT_N_ENUMERATOR,     /* [expression] */
    CT_N_ALIAS,          /* CT_N_TYPE or CT_N_STRUCT */
    CT_N_KERNEL,         /* template parameter... CT_N_PARAM... [CT_N_BLOCK] */
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

/* What else is said of a node. */
enum {
    CT_IS_UNARY = 1 << 0,  /* an operand with all that belongs to it */
    CT_IS_SCOPED = 1 << 1, /* a name behind "::" */
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
    CT_IS_SHARED = 1 << 13, /* else in global memory */
    CT_IS_EXTERN = 1 << 14,
    CT_IS_EMPTY = 1 << 15,  /* a call with nothing behind a comma */
    CT_IS_REMOTE = 1 << 16, /* an access of another block: its rank comes first */
};

/* Why something can't be read. */
typedef struct ct_fault {
    smp_status status;
    size_t position;
    uint32_t at; /* the token */
    char message[];
} ct_fault;

typedef struct ct_node {
    uint8_t kind; /* ct_node_kind */
    uint32_t flags;
    uint32_t at;         /* the token that it is about */
    uint32_t first, end; /* its tokens; end: the one behind it */
    struct ct_node *child, *last, *next;
    union {
        uint32_t mark; /* another token or number, as the kind says */
        int8_t number[3];
        struct ct_access_words {
            uint8_t space;        /* smp_space; SMP_SPACE_COPY: not said */
            uint8_t count, bytes; /* "v4.f32"; 0: as the object is. Of a matrix, "x4" */
            bool is_transposed;
        } words;
        const ct_fault *fault;
    };
} ct_node;

/* ---- A text ---- */

/* Names that are known, and which of them are types. They go from text to text. */
typedef struct ct_known_name {
    ct_word name;
    bool is_type;
} ct_known_name;

enum { CT_KNOWN_MAX = 1024, CT_RANGES_MAX = 64 };

typedef struct ct_known {
    uint32_t count, range_count;        /* names that do not fit are forgotten */
    uint32_t range_mark[CT_RANGES_MAX]; /* names before each loop that is open to the end */
    ct_word kernel;                     /* the one that is asked for; of no length: any */
    char other_kernels[200];            /* those passed over */
    ct_known_name names[CT_KNOWN_MAX];
} ct_known;

/* A function of the device: where its parts stand, in tokens, and what was read of it. */
typedef struct ct_function {
    struct ct_function *next;
    uint32_t head, name, list, body, end; /* first word, name, parameters, body, what follows */
    bool has_head, is_read;               /* what is below was read; the body was */
    ct_node *parts;                       /* parameters of its template, then its own */
    ct_node *result;                      /* CT_N_CAST_TYPE */
    ct_node *statement;                   /* the body */
} ct_function;

typedef struct ct_unit {
    const char *text;
    size_t length;
    unsigned line; /* of the text's start */
    const ct_token *tokens;
    ct_known *known;
    ct_function *functions;
    struct ct_block *blocks; /* of memory for nodes */
    /* Lines are found from the latest place that was asked for. */
    size_t line_position, line_start;
    unsigned line_number;
} ct_unit;

/* False: no memory. */
bool ct_unit_init(ct_unit *unit, ct_source *source, ct_known *known, const char *text,
                  size_t length, unsigned line);
void ct_unit_clear(ct_unit *unit);
/* Line of a position; *column, which may be NULL: where in it. */
unsigned ct_unit_line(ct_unit *unit, size_t position, int32_t *column);
void ct_known_add(ct_known *known, const ct_token *name, bool is_type);

/* ---- The parser ---- */

typedef struct ct_parser {
    ct_unit *unit;
    ct_known *known;
    const ct_token *tokens, *token; /* token: the next one, not yet taken */
    uint32_t at;
    size_t last_end; /* of the token taken last */
    const ct_fault *fault;
    bool is_placed; /* it is in the tree */
    bool goes_on;   /* + and - at a line's start go on with the expression */
    bool in_template, in_arguments;
    bool is_option;  /* the text is one statement of the command line */
    bool is_outside; /* of everything, but namespaces */
    unsigned depth, statement_depth, namespaces;
    ct_token stop; /* what follows a fault */
    ct_node spare; /* where there is no memory */
} ct_parser;

void ct_parser_init(ct_parser *p, ct_unit *unit, ct_known *known, uint32_t at);
/* One statement, with what follows it up to the next. */
ct_node *ct_parse_statement(ct_parser *p);
/* What stands behind that keyword of the layout language. */
ct_node *ct_parse_keyword(ct_parser *p, const char *keyword);
/* One expression without commas, and nothing behind it. */
ct_node *ct_parse_value(ct_parser *p);
/* Takes the '}' of a namespace; "end" of a statement of the command line. */
bool ct_parse_namespace_end(ct_parser *p);
/* True if what stands here may be the host's; *end: the token behind it. */
bool ct_parse_is_of_host(ct_parser *p, uint32_t *end);
void ct_go_to(ct_parser *p, uint32_t at);

/* ---- Functions ---- */

/* The next function of that name from token *at on, which goes behind it. Methods are none. NULL:
 * there is none. */
ct_function *ct_function_next(ct_unit *unit, const ct_token *name, uint32_t *at);
/* True if the token is a parameter of that function's template, its head being read. */
bool ct_function_names(const ct_unit *unit, const ct_function *f, const ct_token *name);
bool ct_function_is_template(const ct_unit *unit, const ct_function *f);
/* Reads parameters and result; the body. `names`: what it sees. A fault is in the tree. */
void ct_function_read_head(ct_unit *unit, ct_function *f, const ct_known *names);
void ct_function_read_body(ct_unit *unit, ct_function *f, const ct_known *names);
