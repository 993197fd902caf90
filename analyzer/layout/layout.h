/* SPDX-License-Identifier: MIT */
/*
 * What a layout holds: arrays, names, statements as a tree, accesses, and the code of their
 * expressions. One allocation of fixed size; texts are the caller's. Internal to the analyzer.
 */
#ifndef LAYOUT_H
#define LAYOUT_H

#include "data.h"
#include "parse.h"
#include "smp_layout.h"
#include "stream.h"
#include "swizzle.h"

enum {
    SMP_ARRAYS_MAX = 32,
    SMP_ACCESSES_MAX = 256,
    SMP_STATEMENTS_MAX = 2048,
    SMP_EXPECTS_MAX = 12288, /* three of every access on every architecture, as fix writes them */
    SMP_LAYOUT_ARCHS_MAX = 32,
};

/* A file that the text includes. */
typedef struct smp_header {
    struct smp_header *next;
    char *text; /* owned */
    size_t length;
    char name[]; /* as a path */
} smp_header;

typedef struct smp_array {
    const char *name; /* in the caller's text */
    size_t length;
    smp_space space; /* SMP_SPACE_SHARED or SMP_SPACE_GLOBAL */
    const smp_type *type;
    const char *type_text; /* as it was written, with its qualifiers: "volatile unsigned char" */
    size_t type_length;
    smp_mode_table table;
    bool is_dynamic; /* extern: behind all others */
    bool is_unsized; /* the first dimension is open */
    bool is_placed;  /* base_bytes was given by '@' */
    uint32_t align;
    uint64_t size_bytes; /* 0 if unsized */
    uint64_t base_bytes; /* from the start of its memory; of a dynamic one, of the dynamic part */
    unsigned line;
} smp_array;

/* ---- Statements ------------------------------------------------------------------------ */

typedef enum smp_statement_kind {
    SMP_DO_BLOCK,
    SMP_DO_PROGRAM,
    SMP_DO_IF,   /* program: the condition; one or two blocks */
    SMP_DO_LOOP, /* program: the condition; step; the body's statements */
    SMP_DO_BREAK,
    SMP_DO_CONTINUE,
    SMP_DO_RETURN,
    SMP_DO_SWITCH, /* program: the value; labels among the statements in it */
    SMP_DO_CASE,   /* program: one constant; of "default" none */
    SMP_DO_CALL,   /* a function's body; its parent is the statement that calls */
} smp_statement_kind;

/* Statements are numbered in the order of the text; 0 is the block that holds all, and as a link
 * means none. */
typedef struct smp_statement {
    uint8_t kind;
    bool tests_last;   /* do ... while */
    bool has_barrier;  /* under a condition that differs between threads */
    bool is_unclaimed; /* a call whose statement is still being read */
    bool is_open;      /* a loop around all that follows */
    uint32_t loop;
    uint32_t parent, next, first, last; /* first and last statement in it */
    smp_program program, step;          /* a condition of no instructions is true */
} smp_statement;

typedef struct smp_loop {
    const char *name; /* of the variable that counts, NULL: there is none */
    size_t length;
    uint16_t slot;
    uint64_t passes; /* if they are known from the text; else 0 */
    size_t mark;     /* of the names that end with it, for smp_scope_end */
    unsigned line;
} smp_loop;

/* ---- Accesses -------------------------------------------------------------------------- */

/* One address of an access: where, in which array. */
typedef struct smp_target {
    uint32_t array;
    size_t position; /* in its line */
    uint32_t size_bytes, align;
    bool is_float;
    bool checks_range; /* the indices alone do not keep it inside the array */
} smp_target;

typedef struct smp_request {
    const char *text;
    size_t length;
    unsigned line, end_line; /* end_line: where its statement ends */
    uint32_t statement;
    smp_op op;
    uint32_t width_bytes, parts; /* parts: instructions that one object takes */
    bool is_implied;             /* from an assignment: the text is only the object */
    bool is_hidden;              /* the text does not show the element: a pointer, a macro */
    const char *not_modelled;    /* why, or NULL; static */
    bool has_rank, has_source;
    smp_target target, source; /* source: the global side of a copy */
    uint64_t loops;            /* bit i: runs in loop i */
} smp_request;

typedef struct smp_expectation {
    uint32_t first, access; /* all accesses of one line */
    uint8_t field, relation;
    int64_t value;
    const smp_arch *arch; /* NULL: all */
    const char *text;
    size_t length;
    unsigned line;
} smp_expectation;

struct smp_layout {
    smp_scope scope;
    smp_type_table types;
    uint32_t slot_count, macro_count;
    uint32_t array_count, loop_count, access_count, arch_count, statement_count;
    uint32_t expect_count, data_count;
    uint64_t open_loops; /* bit i: loop i has not ended */
    uint32_t open;       /* the statement that the next one belongs to */
    uint32_t block[3], grid[3], block_index[3];
    bool has_block, has_grid, has_block_index, has_kernel, has_barrier;
    const char *kernel_name; /* the one that is asked for, in the caller's text; else length 0 */
    size_t kernel_length;
    char other_kernels[200]; /* those passed over */
    size_t kernel_names;     /* names from here on are the kernel's */
    unsigned block_index_line;
    int32_t block_index_column;
    smp_array arrays[SMP_ARRAYS_MAX];
    smp_data data[SMP_DATA_MAX];
    smp_loop loops[SMP_LAYOUT_LOOPS_MAX];
    smp_expectation *expects;   /* owned */
    struct smp_kept_text *kept; /* owned */
    smp_header *headers;        /* owned */
    const char *beside;         /* the file that headers lie beside; NULL: none is read */
    const smp_arch *archs[SMP_LAYOUT_ARCHS_MAX];
    smp_expr_code code;
    /* Last: what is of no value from its count on. */
    smp_statement statements[SMP_STATEMENTS_MAX];
    smp_request accesses[SMP_ACCESSES_MAX];
    smp_macro macros[SMP_MACROS_MAX];
};

/* declaration.c: declarators after "shared" or "global" up to the end of the statement. */
bool smp_declaration_parse(smp_parser *parser, smp_space space);
/* One parameter or variable that is an array in global memory: "name" with what follows. */
bool smp_declarator_parse(smp_parser *parser, const smp_array *form, bool is_pointer);
/* Start of an array from the start of its memory: dynamic ones lie behind the static ones. */
uint64_t smp_array_base(const smp_layout *layout, const smp_array *array);
/* Where dynamic memory begins behind so many bytes of static arrays. */
uint64_t smp_dynamic_base(const smp_layout *layout, uint64_t static_bytes);
/* Shared memory that the arrays take, without open dynamic ones. */
uint64_t smp_layout_shared_size(const smp_layout *layout);
/* The latest array of that name, or -1. */
int smp_array_find(const smp_layout *layout, const char *name, size_t length);
/* A copy of a text that lives as long as the layout; NULL: no memory. */
const char *smp_layout_keep(smp_layout *layout, const char *text, size_t length);
/* True if an array, constant, variable or loop of that name exists. */
bool smp_layout_knows(smp_layout *layout, const char *name, size_t length);

/* array_map.c: bytes from the array's start to element `index`, counted with the last dimension
 * fastest; digits[d] is its index in dimension d. */
int64_t smp_array_element(const smp_array *array, uint64_t index, uint32_t digits[SMP_DIMS_MAX]);

/* access_text.c: "ld tile[i]", "ldmatrix.x4 ...", "cp.async ...". */
bool smp_access_starts(const smp_parser *parser);
bool smp_access_parse(smp_parser *parser);
/* An access of the object whose offset is on the stack: a load or a store. */
bool smp_access_load(smp_parser *parser, const smp_operand *object, smp_access_form form);
bool smp_access_store(smp_parser *parser, const smp_operand *object, smp_access_form form);
/* The atomic function of that name; false if there is none. `is_used`: its result matters. */
typedef struct smp_atomic {
    smp_op used, unused; /* in shared memory */
    bool keeps_bits;     /* exchange and compare: the type does not matter */
} smp_atomic;
bool smp_atomic_find(const smp_token *name, smp_atomic *out);
bool smp_access_atomic(smp_parser *parser, const smp_operand *object, const smp_atomic *atomic);
bool smp_access_copy(smp_parser *parser, const smp_operand *target, const smp_operand *source,
                     uint32_t bytes);
/* The result of that atomic is not used. */
smp_request *smp_access_reduce(smp_parser *parser, const smp_operand *result);

/* range_loop.c: "j = 0:32:8", behind "for". */
bool smp_range_loop_parse(smp_parser *parser);

/* statement.c: one statement of a kernel or of the layout language. */
bool smp_statement_parse(smp_parser *parser);
/* What follows "for". */
bool smp_loop_parse(smp_parser *parser);
/* The accesses that its programs make belong to the statement. */
void smp_statement_claim(smp_parser *parser, const smp_statement *statement);
/* Appends a statement, and makes it the one that the next belong to. NULL: there is no room. */
smp_statement *smp_statement_add(smp_parser *parser, smp_statement_kind kind);
void smp_statement_open(smp_layout *layout, smp_statement *statement);
void smp_statement_close(smp_layout *layout);
/* A new loop, as a statement that is open. `symbol` counts its passes, or is NULL. */
smp_statement *smp_loop_add(smp_parser *parser, const smp_symbol *symbol, size_t position);
void smp_loop_end(smp_layout *layout);
/* A block of names begins; ends at what smp_scope_begin returned. */
size_t smp_scope_begin(smp_layout *layout);
void smp_scope_end(smp_layout *layout, size_t mark);
/* Adds the statements of an expression, where there are any. */
bool smp_program_add(smp_parser *parser, const smp_program *program);

/* layout.c: from now on, '#include "x.h"' is read where the file lies beside the file `name`, once
 * each; it is passed over where it does not, and always before this is called. Errors in such a
 * file have the place of the #include. */
void smp_layout_read_headers(smp_layout *layout, const char *name);

/* file_scope.c: what stands outside of functions in a whole .cu and is not understood is the
 * host's, unless something asks for it: a statement is tried, and passed over if it fails. *has: it
 * was such a statement. */
bool smp_file_scope_parse(smp_parser *parser, bool *has);

/* switch.c: a switch, its word being the current token; a label in one. */
bool smp_switch_parse(smp_parser *parser);
bool smp_label_parse(smp_parser *parser);

/* kernel.c: "__global__ void k(float *A, int n) {", templates before it. */
bool smp_kernel_starts(const smp_parser *parser);
bool smp_kernel_parse(smp_parser *parser);
/* The name behind "kernel": of several, that one. */
bool smp_kernel_choose(smp_parser *parser);
/* Passes over a function of the host, if one begins here outside of everything. */
bool smp_host_function_skip(smp_parser *parser);

/* variable.c: "const int i = ..., *p = &s[0];" and its like. */
bool smp_variables_parse(smp_parser *parser);
/* A pointer variable to the start of an array, as a kernel's parameter is. */
bool smp_pointer_declare(smp_parser *parser, const smp_token *name, int array, bool is_const);
/* A typed variable without declaration: "let k = ...". */
bool smp_let_parse(smp_parser *parser);
/* Adds a name; a slot for it. */
smp_symbol *smp_symbol_add(smp_parser *parser, const smp_symbol *symbol, size_t position);
bool smp_constant_add(smp_parser *parser, const smp_token *name, int64_t value, smp_kind kind);
/* The same, brought to an integer type; any other type: to that of the kind. */
bool smp_constant_add_as(smp_parser *parser, const smp_token *name, int64_t value, smp_kind kind,
                         const smp_type *type);
bool smp_slot_new(smp_parser *parser, size_t position, uint16_t *slot);
/* Takes a name that the innermost block has not yet. */
bool smp_new_name_parse(smp_parser *parser, smp_token *name);

/* layout.c: takes an architecture's name. */
bool smp_arch_parse(smp_parser *parser, const smp_arch **out);
/* A keyword of the layout language; false and nothing is taken if there is none. */
typedef bool (*smp_keyword_fn)(smp_parser *parser);
smp_keyword_fn smp_keyword_find(const smp_parser *parser, bool *keeps_keyword);

/* layout_run.c: the accesses of one warp in their order, of those statements that matter for access
 * `index`. `place` is where the run is. */
#define SMP_WALK_ALL SIZE_MAX        /* all statements, all accesses */
#define SMP_WALK_NONE (SIZE_MAX - 1) /* no access */
typedef struct smp_walk smp_walk;
struct smp_walk {
    const smp_layout *layout;
    smp_status (*visit)(smp_walk *run, const smp_request *request, uint32_t mask,
                        const smp_lanes_value offset, const smp_lanes_value source,
                        const smp_lanes_value ranks);
    void *user;
    smp_error *error;
    unsigned line; /* of the error */
    uint32_t threads;
    uint32_t arrivals; /* at barriers, of the current warp */
    uint32_t warp;     /* the current one */
    size_t index;
    uint64_t passes;
    bool (*goes_on)(void *user); /* asked now and then in long loops; NULL: always */
    void *going_user;
    uint32_t draw;      /* of random data */
    bool has_read;      /* data that are given */
    bool has_drawn;     /* at random */
    bool is_first_pass; /* open loops run once: values are asked for, no accesses */
    smp_request_place place;
    uint64_t needed[SMP_STATEMENTS_MAX / 64];
    smp_lanes_state state;
    uint32_t returned, gone_unsure; /* lanes that have returned; perhaps */
    smp_unknown unknown[SMP_SLOTS_MAX];
    smp_lanes_value slots[SMP_SLOTS_MAX];
};
void smp_walk_init(smp_walk *run, const smp_layout *layout, size_t index, smp_error *error);
/* layout_need.c: statements that matter for that access; whether one does. */
void smp_walk_need_access(smp_walk *run, size_t index);
bool smp_walk_needs(const smp_walk *run, uint32_t statement);
bool smp_statement_is_inside(const smp_layout *layout, uint32_t statement, uint32_t outer);
/* Statements that decide what is read by `wanted`, besides those of `index`. */
void smp_walk_need(smp_walk *run, const smp_slot_set *wanted);
/* Statements that decide who gets to which barrier. */
void smp_walk_need_barriers(smp_walk *run);
smp_status smp_walk_warp(smp_walk *run, uint32_t warp);
/* The value of a program that reads no variable but its own; false: it has none, or takes long. */
bool smp_walk_constant(const smp_layout *layout, const smp_program *program, int64_t *value);
/* layout.c: smp_layout_add_lines without a look at barriers. */
smp_status smp_layout_parse_lines(smp_layout *layout, const char *text, size_t length,
                                  unsigned *line, smp_error *error);
/* Fails with the message of `inner`, and the warp and iteration behind it. */
smp_status smp_walk_fail(smp_walk *run, smp_status status, const smp_error *inner, int position,
                         unsigned line);

/* layout_eval.c: shows every request of access `index` with its place and ranks, and predicts none.
 * On failure as smp_layout_evaluate. */
smp_status smp_layout_visit(const smp_layout *layout, size_t index, smp_visit_fn visit, void *user,
                            unsigned *line, smp_error *error);

/* Puts the blocks of the cluster that the lanes address into their offsets. */
void smp_access_place_in_blocks(smp_access *access, const int64_t *ranks);

typedef struct smp_layout_stream {
    const smp_layout *layout;
    unsigned *line; /* set on failure, as above */
} smp_layout_stream;

/* layout_stream.c: every request of every access (`index`), from an smp_layout_stream. */
extern const smp_stream smp_stream_layout;

/* Asked before every request; false ends an evaluation with SMP_E_INTERRUPTED. */
typedef bool (*smp_going_fn)(void *user);
/* smp_layout_evaluate, for as long as `goes_on` says; it may be NULL. */
smp_status smp_layout_evaluate_while(const smp_layout *layout, const smp_arch *arch, size_t index,
                                     smp_going_fn goes_on, void *user, smp_totals *out,
                                     unsigned *line, smp_error *error);

/* expectation.c: "ways <= 1 [on sm_90]". */
bool smp_expectation_parse(smp_parser *parser);

#endif
