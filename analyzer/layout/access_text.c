/* SPDX-License-Identifier: MIT */
/*
 * Accesses as text: an optional guard, the operation, and the object. Operations are those of PTX
 * (ld st ldmatrix stmatrix cp.async, with .shared .global .cluster) and CUDA's atomic functions,
 * one row each. An object that is wider than one instruction, or not aligned well enough for it
 * (float3, a struct), takes several, as the compiler makes them.
 */
#include <string.h>

#include "layout.h"

enum { VECTOR_BYTES = 16 };

static const char float_note[] =
    "atomics on floating-point values in shared memory are compiled to a compare-and-swap loop: "
    "the count depends on the data";

typedef struct verb_row {
    const char *name;
    smp_op shared, global, cluster; /* SMP_OP_COUNT: there is none */
} verb_row;

static const verb_row verbs[] = {
    {"ld", SMP_LD_SHARED, SMP_LD_GLOBAL, SMP_LD_CLUSTER},
    {"st", SMP_ST_SHARED, SMP_ST_GLOBAL, SMP_ST_CLUSTER},
    {"atom", SMP_ATOM_SHARED, SMP_RED_GLOBAL, SMP_ATOM_CLUSTER},
    {"red", SMP_RED_SHARED, SMP_RED_GLOBAL, SMP_ATOM_CLUSTER},
};

typedef struct atomic_row {
    const char *name;
    smp_op shared;
    bool keeps_bits; /* exchange and compare: the type does not matter */
} atomic_row;

static const atomic_row atomics[] = {
    {"atomicAdd", SMP_RED_SHARED, false},     {"atomicSub", SMP_RED_SHARED, false},
    {"atomicMin", SMP_RED_SHARED, false},     {"atomicMax", SMP_RED_SHARED, false},
    {"atomicInc", SMP_RED_SHARED, false},     {"atomicDec", SMP_RED_SHARED, false},
    {"atomicAnd", SMP_RED_SHARED, false},     {"atomicOr", SMP_RED_SHARED, false},
    {"atomicXor", SMP_RED_SHARED, false},     {"atomicExch", SMP_ATOM_SHARED, true},
    {"atomicCAS", SMP_ATOM_SHARED_CAS, true},
};

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

static const verb_row *find_verb(const smp_parser *parser) {
    for (size_t i = 0; i < COUNT(verbs); i++) {
        if (smp_parser_is_name(parser, verbs[i].name))
            return &verbs[i];
    }
    return NULL;
}

static const atomic_row *find_atomic(const smp_parser *parser) {
    for (size_t i = 0; i < COUNT(atomics); i++) {
        if (smp_parser_is_name(parser, atomics[i].name))
            return &atomics[i];
    }
    return NULL;
}

bool smp_request_starts(const smp_parser *parser) {
    return smp_parser_is_name(parser, "if") || smp_parser_is_name(parser, "ldmatrix") ||
           smp_parser_is_name(parser, "stmatrix") || smp_parser_is_name(parser, "cp") ||
           find_verb(parser) != NULL || find_atomic(parser) != NULL;
}

/* ---- Pieces ---------------------------------------------------------------------------- */

static bool parse_target(smp_parser *parser, const smp_layout *layout, smp_space space,
                         smp_target *out) {
    if (!smp_place_parse(parser, layout, out))
        return false;
    if (layout->arrays[out->array].space == space)
        return true;
    return smp_parser_fail(parser, SMP_E_SYNTAX, out->position, "this must lie in %s memory",
                           space == SMP_SPACE_SHARED ? "shared" : "global");
}

/* "(rank)" behind ".cluster". */
static bool parse_rank(smp_parser *parser, smp_request *out) {
    out->has_rank = true;
    return smp_parser_expect(parser, '(') && smp_expr_program(parser, &out->rank) &&
           smp_parser_expect(parser, ')');
}

/* Skips the other arguments of an atomic function, which are data, to its closing parenthesis. */
static bool skip_arguments(smp_parser *parser) {
    size_t at = parser->token.position;
    int depth = 1;
    for (; at < parser->length && depth > 0; at++) {
        depth += parser->text[at] == '(';
        depth -= parser->text[at] == ')';
    }
    if (depth > 0)
        return smp_parser_fail(parser, SMP_E_SYNTAX, parser->length,
                               "expected ')', but the text "
                               "ends here");
    smp_parser_seek(parser, at);
    return parser->status == SMP_OK;
}

/* ---- Operations ------------------------------------------------------------------------ */

/* ".shared", ".global", ".cluster(rank)", "::cluster(rank)", or nothing. */
static bool parse_space(smp_parser *parser, smp_request *out, smp_space *space) {
    *space = SMP_SPACE_COPY;
    while (smp_parser_is(parser, '.') || smp_parser_is(parser, SMP_PUNCT2(':', ':'))) {
        smp_parser_next(parser);
        if (smp_parser_accept_name(parser, "shared"))
            *space = SMP_SPACE_SHARED;
        else if (smp_parser_accept_name(parser, "global"))
            *space = SMP_SPACE_GLOBAL;
        else if (smp_parser_accept_name(parser, "cluster"))
            *space = SMP_SPACE_CLUSTER;
        else
            return smp_parser_fail(parser, SMP_E_UNKNOWN_OP, parser->token.position,
                                   "expected shared, global or cluster");
    }
    return *space != SMP_SPACE_CLUSTER || parse_rank(parser, out);
}

static bool parse_verb(smp_parser *parser, const smp_layout *layout, const verb_row *row,
                       smp_request *out) {
    smp_space space;
    smp_parser_next(parser);
    if (!parse_space(parser, out, &space) || !smp_place_parse(parser, layout, &out->target))
        return false;
    smp_space actual = layout->arrays[out->target.array].space;
    smp_space wanted = space == SMP_SPACE_CLUSTER ? SMP_SPACE_SHARED : space;
    if (wanted != SMP_SPACE_COPY && wanted != actual)
        return smp_parser_fail(parser, SMP_E_SYNTAX, out->target.position, "this lies in %s memory",
                               actual == SMP_SPACE_SHARED ? "shared" : "global");
    out->op = space == SMP_SPACE_CLUSTER   ? row->cluster
              : actual == SMP_SPACE_SHARED ? row->shared
                                           : row->global;
    return smp_request_split(parser, out);
}

static bool parse_atomic(smp_parser *parser, const smp_layout *layout, const atomic_row *row,
                         smp_request *out) {
    smp_parser_next(parser);
    if (!smp_parser_expect(parser, '(') || !smp_place_parse(parser, layout, &out->target) ||
        !skip_arguments(parser))
        return false;
    bool is_shared = layout->arrays[out->target.array].space == SMP_SPACE_SHARED;
    out->op = is_shared ? row->shared : SMP_RED_GLOBAL;
    if (is_shared && out->target.is_float && !row->keeps_bits)
        out->not_modelled = float_note;
    return smp_request_split(parser, out);
}

/* "ldmatrix.x4.trans", with PTX's other modifiers allowed in between. */
static bool parse_matrix(smp_parser *parser, const smp_layout *layout, smp_request *out) {
    static const char *const counts[] = {"x1", "x2", "x4"};
    static const char *const ignored[] = {"sync", "aligned", "m8n8", "shared", "b16"};
    bool is_load = smp_parser_is_name(parser, "ldmatrix"), is_transposed = false;
    int matrices = -1;
    smp_parser_next(parser);
    while (smp_parser_accept(parser, '.')) {
        bool known = smp_parser_accept_name(parser, "trans");
        is_transposed |= known;
        for (int i = 0; i < 3 && !known; i++) {
            known = smp_parser_accept_name(parser, counts[i]);
            matrices = known ? i : matrices;
        }
        for (size_t i = 0; i < COUNT(ignored) && !known; i++)
            known = smp_parser_accept_name(parser, ignored[i]);
        if (!known)
            return smp_parser_fail(parser, SMP_E_UNKNOWN_OP, parser->token.position,
                                   "expected x1, x2, x4 or trans");
    }
    if (matrices < 0)
        return smp_parser_fail(parser, SMP_E_UNKNOWN_OP, parser->token.position,
                               "the number of matrices is missing: .x1, .x2 or .x4");
    smp_op first = is_load ? (is_transposed ? SMP_LDMATRIX_X1_TRANS : SMP_LDMATRIX_X1)
                           : (is_transposed ? SMP_STMATRIX_X1_TRANS : SMP_STMATRIX_X1);
    out->op = (smp_op)((int)first + matrices);
    out->width_bytes = VECTOR_BYTES;
    out->parts = 1;
    return parse_target(parser, layout, SMP_SPACE_SHARED, &out->target);
}

/* "cp.async &s[...], &g[...] [, bytes]". */
static bool parse_copy(smp_parser *parser, const smp_layout *layout, smp_request *out) {
    smp_parser_next(parser);
    bool is_async = smp_parser_accept(parser, '.') && smp_parser_accept_name(parser, "async");
    if (!is_async)
        return smp_parser_fail(parser, SMP_E_UNKNOWN_OP, parser->token.position,
                               "expected cp.async");
    static const char *const ignored[] = {"ca", "cg", "shared", "global"};
    while (smp_parser_accept(parser, '.')) {
        bool known = false;
        for (size_t i = 0; i < COUNT(ignored) && !known; i++)
            known = smp_parser_accept_name(parser, ignored[i]);
        if (!known)
            return smp_parser_fail(parser, SMP_E_UNKNOWN_OP, parser->token.position,
                                   "expected ca, cg, shared or global");
    }
    int64_t bytes = 0;
    out->has_source = true;
    out->op = SMP_CP_ASYNC;
    if (!parse_target(parser, layout, SMP_SPACE_SHARED, &out->target) ||
        !smp_parser_expect(parser, ',') ||
        !parse_target(parser, layout, SMP_SPACE_GLOBAL, &out->source))
        return false;
    if (smp_parser_accept(parser, ',') &&
        !smp_expr_constant_in(parser, "the size", 4, VECTOR_BYTES, &bytes))
        return false;
    out->width_bytes = bytes > 0 ? (uint32_t)bytes : out->target.size_bytes;
    out->parts = 1;
    bool sound = out->width_bytes == 4 || out->width_bytes == 8 || out->width_bytes == 16;
    return sound || smp_parser_fail(parser, SMP_E_WIDTH, out->target.position,
                                    "cp.async copies 4, 8 or 16 bytes, not %u", out->width_bytes);
}

static bool parse_operation(smp_parser *parser, const smp_layout *layout, smp_request *out) {
    const verb_row *verb = find_verb(parser);
    if (verb)
        return parse_verb(parser, layout, verb, out);
    const atomic_row *atomic = find_atomic(parser);
    if (atomic)
        return parse_atomic(parser, layout, atomic, out);
    if (smp_parser_is_name(parser, "ldmatrix") || smp_parser_is_name(parser, "stmatrix"))
        return parse_matrix(parser, layout, out);
    if (smp_parser_is_name(parser, "cp"))
        return parse_copy(parser, layout, out);
    return smp_parser_fail(parser, SMP_E_UNKNOWN_OP, parser->token.position,
                           "expected an access such as 'ld tile[threadIdx.x]'");
}

bool smp_request_parse(smp_parser *parser, smp_layout *layout, unsigned line) {
    smp_request request = {.text = parser->text + parser->token.position,
                           .length = parser->length - parser->token.position,
                           .line = line,
                           .loops = layout->open_loops,
                           .variable_count = layout->variable_count};
    if (smp_parser_accept_name(parser, "if")) {
        request.has_guard = true;
        if (!smp_expr_program(parser, &request.guard))
            return false;
        if (smp_parser_is_name(parser, "__syncthreads"))
            return smp_parser_fail(parser, SMP_E_SYNTAX, parser->token.position,
                                   "__syncthreads() under a condition: where only some threads of "
                                   "a block get here, they may wait forever");
        if (smp_assignment_starts(parser, layout))
            return smp_assignment_parse(parser, layout, &request);
    }
    if (layout->access_count == SMP_ACCESSES_MAX)
        return smp_parser_fail(parser, SMP_E_OVERFLOW, parser->token.position,
                               "more than %d accesses", SMP_ACCESSES_MAX);
    if (!parse_operation(parser, layout, &request) || !smp_parser_expect_end(parser))
        return false;
    while (request.length > 0 && strchr("; \t", request.text[request.length - 1]))
        request.length--;
    layout->accesses[layout->access_count++] = request;
    return true;
}
