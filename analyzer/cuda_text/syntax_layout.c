/* SPDX-License-Identifier: MIT */
/*
 * Statements that the layout language has in addition to CUDA's: declarations such as "shared
 * float tile[32][33]", "block 32x8", "blockIdx 1,2", "define N = 32", "let k = 2 * threadIdx.x",
 * "data A = random:0:255", "kernel NAME", "arch sm_70, sm_90", "expect ways <= 1"; loops "for j
 * = 0:32:8 ... end"; and accesses by name, as in PTX: ld st atom red ldmatrix stmatrix cp.async,
 * with suffixes such as .shared, .global and .cluster.
 *
 * Comments begin with '#' or '//'. A statement ends with its line or with ';'.
 */
#include <string.h>

#include "random_form.h"
#include "syntax_parser.h"

/* ---- Names ---- */

/* "N = 32", "N 32", or "T = float". */
static ct_node *parse_define(ct_parser *p) {
    ct_node *define = ct_node_new(p, CT_N_DEFINE);
    const ct_token *name = ct_expect_name(p, NULL);
    ct_accept(p, '=');
    const bool is_type = ct_type_starts(p);
    ct_add(define, is_type ? ct_parse_type(p) : ct_parse_assignment(p));
    ct_known_add(p->known, name, is_type);
    return define;
}

/* "enum E { A, B = 4 };" */
static ct_node *parse_enum(ct_parser *p) {
    ct_node *node = ct_node_new(p, CT_N_ENUM);
    const ct_token *name = p->token;
    if (name->kind == CT_TOKEN_NAME)
        ct_take(p);
    if (!ct_is(p, '{'))
        ct_refuse_here(p, "scoped and typed enumerations" CT_COMPILER_KNOWS);
    do {
        ct_take(p);
        ct_node *one = ct_node_new(p, CT_N_ENUMERATOR);
        if (ct_is(p, '}'))
            break;
        const ct_token *word = ct_expect_name(p, NULL);
        if (ct_accept(p, '='))
            ct_add(one, ct_parse_assignment(p));
        ct_known_add(p->known, word, false);
        ct_add(node, ct_close(p, one));
    } while (ct_is(p, ','));
    ct_expect(p, '}');
    if (!p->fault)
        ct_known_add(p->known, name, true);
    return node;
}

static ct_node *skip_to_end(ct_parser *p) {
    ct_node *none = ct_node_new(p, CT_N_NONE);
    while (!ct_at_end(p))
        ct_take(p);
    return none;
}

static ct_node *parse_using(ct_parser *p) {
    if (ct_accept_word(p, "namespace") ||
        ct_peek(p, 1)->code == CT_PUNCT2(':', ':')) /* "using std::min;" */
        return skip_to_end(p);
    ct_node *alias = ct_node_new(p, CT_N_ALIAS);
    const ct_token *name = ct_expect_name(p, NULL);
    ct_expect(p, '=');
    ct_add(alias, ct_parse_type(p));
    ct_known_add(p->known, name, true);
    return alias;
}

static ct_node *parse_typedef(ct_parser *p) {
    ct_node *alias = ct_node_new(p, CT_N_ALIAS);
    ct_add(alias, ct_struct_starts(p) ? ct_parse_struct(p) : ct_parse_type(p));
    alias->at = p->at;
    const ct_token *name = ct_expect_name(p, "expected the name of a plain type");
    ct_known_add(p->known, name, true);
    return alias;
}

/* "namespace cg = cooperative_groups;", "namespace a::b {": prefixes of names are ignored. */
static ct_node *parse_namespace(ct_parser *p) {
    ct_node *none = ct_node_new(p, CT_N_NONE);
    while (p->token->kind == CT_TOKEN_NAME || ct_is(p, CT_PUNCT2(':', ':')))
        ct_take(p);
    if (ct_accept(p, '{')) {
        p->namespaces++;
        return ct_close(p, none);
    }
    if (ct_expect(p, '='))
        skip_to_end(p);
    ct_expect_end(p);
    return ct_close(p, none);
}

bool ct_parse_namespace_end(ct_parser *p) {
    if (p->namespaces == 0 || !ct_accept(p, '}'))
        return false;
    p->namespaces--;
    return true;
}

/* "struct P { ... };", or a declaration of a variable. */
static ct_node *parse_struct(ct_parser *p) {
    if (!ct_struct_starts(p))
        return ct_parse_variables(p);
    ct_node *node = ct_parse_struct(p);
    ct_expect_end(p);
    return node;
}

/* ---- Arrays ---- */

/* "__device__ float table[256];" is in global memory. Accesses to constant memory are not counted.
 */
static ct_node *parse_device_variable(ct_parser *p) {
    const bool is_constant = ct_accept_word(p, "__constant__");
    ct_node *node = is_constant ? ct_parse_variables(p) : ct_parse_arrays(p);
    node->flags |= is_constant ? CT_IS_CONSTANT : 0;
    return node;
}

/* ---- Block, grid, architectures ---- */

/* "32x8", "32, 8", "(32, 8)" or "dim3(32, 8)"; `at` is the keyword. */
static ct_node *parse_dims(ct_parser *p) {
    ct_node *dims = ct_node_new(p, CT_N_DIMS);
    dims->at = p->at > 0 ? p->at - 1 : 0;
    const bool is_call = ct_accept_word(p, "dim3");
    const bool is_list = ct_accept(p, '(') || is_call;
    unsigned count = 0;
    do {
        ct_add(dims, ct_parse_assignment(p));
    } while (++count < 3 && (ct_accept(p, ',') || ct_accept(p, 'x')));
    if (is_list)
        ct_expect(p, ')');
    return dims;
}

/* An architecture's name, up to a comma, as it may contain a point ("9.0"). */
static ct_node *parse_arch(ct_parser *p) {
    ct_node *arch = ct_node_new(p, CT_N_ARCH);
    size_t end = p->token->position;
    if (ct_at_end(p))
        ct_fail_expected(p, "an architecture");
    for (; !ct_at_end(p) && !ct_is(p, ',') && p->token->position == end; ct_take(p))
        end = p->token->end;
    return ct_close(p, arch);
}

static ct_node *parse_archs(ct_parser *p) {
    ct_node *archs = ct_node_new(p, CT_N_ARCHS);
    do {
        ct_add(archs, parse_arch(p));
    } while (!p->fault && ct_accept(p, ','));
    return ct_close_statement(p, archs);
}

/* The name after "kernel". */
static ct_node *parse_kernel_name(ct_parser *p) {
    if (p->token->kind == CT_TOKEN_NAME)
        p->known->kernel = p->token->word;
    else
        ct_fail_at(p, p->is_option ? SMP_E_USAGE : SMP_E_SYNTAX, p->token->position,
                   "expected the name of a kernel");
    return ct_node_taken(p, CT_N_NONE);
}

/* ---- Promises and data ---- */

/* "ways <= 1 [on sm_90]", after "expect": `at` is the field. */
ct_node *ct_parse_expect(ct_parser *p) {
    ct_node *expect = ct_node_new(p, CT_N_EXPECT);
    if (!ct_token_is(p->token, "ways wavefronts ideal excess transactions bytes requests"))
        ct_fail_expected(p, "ways, wavefronts, ideal, excess, transactions, bytes or requests");
    ct_take(p);
    const ct_operator *row = ct_operator_find(p->token->code);
    const bool has_relation =
        ct_accept(p, '=') || (row && strchr("<>=!", (int)(row->code & 0xff)) && row->power < 9);
    if (row && has_relation)
        ct_take(p);
    if (!has_relation || ct_at_end(p))
        ct_fail_expected(p, has_relation ? "a number" : "<=, >=, ==, !=, < or >");
    ct_add(expect, ct_parse_assignment(p));
    if (!p->fault && ct_accept_word(p, "on"))
        ct_add(expect, parse_arch(p));
    return ct_close_statement(p, expect);
}

size_t ct_file_name_length(const ct_unit *unit, size_t position) {
    size_t length = 0;
    while (position + length < unit->length && !strchr(" \t\r\n;", unit->text[position + length]))
        length++;
    return length;
}

/* "NAME = random:LOW:HIGH[:SEED]", "NAME = zipf:COUNT" or "NAME = @FILE": `mark` follows '='. */
static ct_node *parse_data(ct_parser *p) {
    static const char forms[] = SMP_RANDOM_FORM " (both included), zipf:COUNT or @FILE";
    ct_node *data = ct_node_new(p, CT_N_DATA);
    const ct_token *tokens = p->tokens;
    ct_expect_name(p, "expected an array's name");
    if (!ct_expect(p, '='))
        return data;
    data->mark = p->at;
    const bool is_zipf = ct_token_is(p->token, "zipf");
    if (ct_is(p, '@')) {
        const size_t behind = p->token->end + ct_file_name_length(p->unit, p->token->end);
        uint32_t next = p->at;
        while (tokens[next].kind != CT_TOKEN_END && tokens[next].position < behind)
            next++;
        ct_go_to(p, next);
    } else if (!ct_accept_word(p, "zipf") && !ct_accept_word(p, "random")) {
        ct_refuse_here(p, "expected %s", forms);
    } else if (ct_expect(p, ':')) {
        ct_add(data, ct_parse_assignment(p));
        if (!is_zipf && ct_expect(p, ':'))
            ct_add(data, ct_parse_assignment(p));
        if (!is_zipf && ct_accept(p, ':'))
            ct_add(data, ct_parse_assignment(p));
    }
    return data;
}

/* ---- Loops ---- */

/* "j = 0:32:8", after "for"; `mark` is '*' or '/' before the step, or 0. */
ct_node *ct_parse_range(ct_parser *p) {
    ct_node *range = ct_node_new(p, CT_N_RANGE);
    if (p->is_option && ct_is(p, '('))
        ct_refuse_here(p, "write a loop around all accesses as j=0:32:8");
    const ct_token *name = ct_expect_name(p, NULL);
    ct_expect(p, '=');
    ct_add(range, ct_parse_assignment(p));
    ct_expect(p, ':');
    ct_add(range, ct_parse_assignment(p));
    if (ct_accept(p, ':')) {
        range->mark = ct_is(p, '*') || ct_is(p, '/') ? p->token->code : 0;
        if (range->mark != 0)
            ct_take(p);
        ct_add(range, ct_parse_assignment(p));
    }
    ct_expect_end(p);
    if (p->fault)
        return range;
    p->known->range_count++;
    ct_known_add(p->known, name, false);
    return ct_close(p, range);
}

static ct_node *parse_range_end(ct_parser *p) {
    ct_node *end = ct_node_taken(p, CT_N_END);
    ct_expect_end(p);
    p->known->range_count -= p->known->range_count > 0;
    return ct_close(p, end);
}

/* ---- Keywords ---- */

typedef struct keyword_row {
    const char *keyword;
    bool keeps_keyword; /* `parse` takes the keyword */
    bool ends;          /* the statement must end behind it */
    ct_node *(*parse)(ct_parser *p);
    uint32_t flags; /* flags of the node */
} keyword_row;

static const keyword_row keywords[] = {
    {"shared", false, false, ct_parse_arrays, CT_IS_SHARED},
    {"__shared__", false, false, ct_parse_arrays, CT_IS_SHARED},
    {"extern", true, false, ct_parse_arrays, CT_IS_SHARED},
    {"global", false, false, ct_parse_arrays, 0},
    {"block", false, true, parse_dims, CT_IS_PLAIN},
    {"blockDim", false, true, parse_dims, CT_IS_PLAIN},
    {"grid", false, true, parse_dims, CT_IS_CALL},
    {"gridDim", false, true, parse_dims, CT_IS_CALL},
    {"blockIdx", false, true, parse_dims, 0},
    {"define", false, true, parse_define, 0},
    {"kernel", false, true, parse_kernel_name, 0},
    {"__constant__", false, false, ct_parse_variables, CT_IS_CONSTANT},
    {"__device__", false, false, parse_device_variable, 0},
    {"data", false, true, parse_data, 0},
    {"let", false, false, ct_parse_let, 0},
    {"arch", false, false, parse_archs, 0},
    {"expect", false, false, ct_parse_expect, 0},
    {"struct", true, false, parse_struct, 0},
    {"enum", false, true, parse_enum, 0},
    {"using", false, true, parse_using, 0},
    {"typedef", false, true, parse_typedef, 0},
    {"namespace", false, false, parse_namespace, 0},
    {"for", false, false, ct_parse_range, 0},
};

/* True if a keyword's name is used as a variable. */
static bool is_expression(const ct_parser *p) {
    const ct_token *next = ct_peek(p, 1);
    bool is_punct = next->kind == CT_TOKEN_PUNCT && !next->starts_line;
    bool opens = next->code == '{' || next->code == '(' || next->code == '*';
    return is_punct && !opens && next->code != CT_PUNCT2(':', ':');
}

static ct_node *parse_row(ct_parser *p, const keyword_row *row) {
    ct_node *node = row->parse(p);
    node->flags |= row->flags;
    if (row->ends && ct_expect_end(p))
        ct_close(p, node);
    return node;
}

static ct_node *parse_keyword_statement(ct_parser *p) {
    if (p->token->kind != CT_TOKEN_NAME || is_expression(p) || ct_known_find(p->known, p->token))
        return NULL;
    uint32_t at = p->at;
    while (ct_token_is(&p->tokens[at], "static volatile const"))
        at++;
    if (ct_token_is(&p->tokens[at], "__shared__ __device__ __constant__ extern"))
        ct_go_to(p, at);
    if (ct_token_is(p->token, "alignas __align__")) {
        static const keyword_row aligned = {"alignas", true, false, ct_parse_arrays, CT_IS_SHARED};
        at = ct_behind(p->tokens, p->at + 1, "(");
        return ct_token_is(&p->tokens[at], "__shared__ extern") ? parse_row(p, &aligned) : NULL;
    }
    const keyword_row *row =
        FIND(one, keywords, CT_COUNT(keywords),
             ct_token_is(p->token, one->keyword) && one->parse != ct_parse_range);
    if (row && !row->keeps_keyword)
        ct_take(p);
    return row ? parse_row(p, row) : NULL;
}

ct_node *ct_parse_keyword(ct_parser *p, const char *keyword) {
    p->is_option = true;
    const keyword_row *row = ROWS_FIND(keywords, keyword);
    if (!row)
        ct_fail_at(p, SMP_E_USAGE, 0, "unknown statement '%s'", keyword);
    ct_node *node = row ? parse_row(p, row) : NULL;
    return p->fault && !p->is_placed ? ct_fault_node(p) : node;
}

/* ---- Accesses by name ---- */

/* Verbs, the suffixes of PTX they accept, and the error for any other. Most suffixes do not affect
 * the bytes accessed. */
typedef struct verb_row {
    const char *verbs, *words, *otherwise;
} verb_row;

static const verb_row verbs[] = {
    {"ld st atom red",
     "shared global cluster v2 v4 b8 b16 b32 b64 b128 u8 u16 u32 u64 s8 s16 s32 s64 f16 f32 f64 "
     "volatile weak relaxed acquire release cta gpu sys ca cg cs lu cv wb wt nc",
     "expected shared, global or cluster, or a width such as v4.f32"},
    {"ldmatrix stmatrix", "x1 x2 x4 trans sync aligned m8n8 shared b16",
     "expected x1, x2, x4 or trans"},
    {"cp", "ca cg shared global", "expected ca, cg, shared or global"},
};

static const verb_row *find_verb(const ct_token *word) {
    return FIND(one, verbs, CT_COUNT(verbs), ct_token_is(word, one->verbs));
}

static bool access_starts(const ct_parser *p) {
    const ct_token *next = ct_peek(p, 1);
    bool assigns = next->kind == CT_TOKEN_PUNCT && next->code != '.' && next->code != '*' &&
                   next->code != '&' && next->code != '(' && next->code != CT_PUNCT2(':', ':');
    return find_verb(p->token) && !assigns && !ct_known_find(p->known, p->token);
}

/* ".shared", ".v4.f32", ".x4.trans": space, count and width. */
static void read_word(const ct_token *word, struct ct_access_words *out) {
    unsigned number = 0;
    for (size_t i = 1; i < word->length && word->text[i] >= '0' && word->text[i] <= '9'; i++)
        number = number * 10 + (unsigned)(word->text[i] - '0');
    if (ct_token_is(word, "shared global"))
        out->space = word->text[0] == 's' ? SMP_SPACE_SHARED : SMP_SPACE_GLOBAL;
    else if (ct_token_is(word, "v2 v4 x1 x2 x4"))
        out->count = (uint8_t)number;
    else if (number > 0) /* of bits */
        out->bytes = (uint8_t)(number / 8);
    out->is_transposed |= ct_token_is(word, "trans");
    if (ct_token_is(word, "ca cg"))
        out->cache = word->text[1];
}

/* The suffixes of a verb. After "cluster" the block's rank, in parentheses, is a child. */
static void parse_words(ct_parser *p, const verb_row *verb, ct_node *access) {
    bool is_remote = false;
    access->words.space = SMP_SPACE_COPY;
    while (!p->fault && (ct_accept(p, '.') || ct_accept(p, CT_PUNCT2(':', ':')))) {
        if (!ct_token_is(p->token, verb->words))
            ct_fail_at(p, SMP_E_UNKNOWN_OP, p->token->position, "%s", verb->otherwise);
        else
            read_word(p->token, &access->words);
        is_remote = ct_token_is(p->token, "cluster") ||
                    (is_remote && !ct_token_is(p->token, "shared global"));
        ct_take(p);
    }
    if (is_remote && ct_expect(p, '(')) {
        access->flags |= CT_IS_REMOTE;
        access->words.space = SMP_SPACE_SHARED;
        ct_add(access, ct_parse_assignment(p));
        ct_expect(p, ')');
    }
}

static ct_node *parse_access(ct_parser *p) {
    ct_node *access = ct_node_new(p, CT_N_ACCESS);
    const verb_row *verb = find_verb(p->token);
    const bool is_copy = verb == &verbs[2], is_matrix = verb == &verbs[1];
    ct_take(p);
    if (is_copy && (!ct_accept(p, '.') || !ct_accept_word(p, "async")))
        ct_fail_at(p, SMP_E_UNKNOWN_OP, p->token->position, "expected cp.async");
    parse_words(p, verb, access);
    if (is_matrix && access->words.count == 0)
        ct_fail_at(p, SMP_E_UNKNOWN_OP, p->token->position,
                   "the number of matrices is missing: .x1, .x2 or .x4");
    if (!p->fault)
        ct_add(access, ct_parse_assignment(p));
    if (is_copy && ct_expect(p, ','))
        ct_add(access, ct_parse_assignment(p));
    if (is_copy && !p->fault && ct_accept(p, ','))
        ct_add(access, ct_parse_assignment(p));
    return ct_close_statement(p, access);
}

ct_node *ct_parse_layout_word(ct_parser *p) {
    ct_node *node = parse_keyword_statement(p);
    if (node)
        return node;
    return ct_token_is(p->token, "end") ? parse_range_end(p)
           : access_starts(p)           ? parse_access(p)
                                        : NULL;
}
