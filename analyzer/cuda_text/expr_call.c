/* SPDX-License-Identifier: MIT */
/*
 * Calls: CUDA's integer functions, atomics, loads and stores with a cache hint, what the lanes of a
 * warp exchange, and barriers. Any other function returns data; its arguments are read, and a
 * pointer to an array as argument is refused, since what happens to the array is not known.
 */
#include <string.h>

#include "function.h"
#include "layout.h"
#include "suggest.h"

typedef bool (*call_fn)(ct_parser *parser, const ct_token *name, unsigned variant, ct_operand *out);

typedef struct call_row {
    const char *name;
    call_fn parse;
    unsigned variant;
} call_row;

static ct_operand value_of(ct_kind kind, size_t position) {
    return (ct_operand){.form = CT_FORM_VALUE, .kind = kind, .position = position};
}

/* "std::min", the parenthesis being the current token. */
static bool is_of_std(const ct_parser *parser) {
    return parser->at >= 3 && ct_token_is(&parser->tokens[parser->at - 3], "std") &&
           ct_token_is_punct(&parser->tokens[parser->at - 2], CT_PUNCT2(':', ':'));
}

/* ---- Arguments ------------------------------------------------------------------------- */

static bool parse_separator(ct_parser *parser, bool is_first) {
    return ct_parser_expect(parser, is_first ? '(' : ',');
}

static bool parse_pointer(ct_parser *parser, ct_operand *out) {
    size_t position = parser->token.position;
    if (!ct_expr_assignment(parser, out) || !ct_operand_value(parser, out))
        return false;
    return out->form == CT_FORM_POINTER ||
           ct_parser_fail(parser, SMP_E_SYNTAX, position, "expected a pointer such as &tile[i]");
}

/* Reads what is left of the arguments as one value. */
static bool parse_rest(ct_parser *parser, size_t position) {
    unsigned count = 0;
    while (ct_parser_accept(parser, ',')) {
        ct_operand argument;
        if (!ct_expr_value(parser, &argument))
            return false;
        count++;
    }
    if (!ct_parser_expect(parser, ')'))
        return false;
    return count > 0 ? ct_emit_merge(parser, count, position)
                     : ct_emit_constant(parser, 0, position);
}

/* ---- Known functions ------------------------------------------------------------------- */

static bool parse_integer(ct_parser *parser, const ct_token *name, const ct_expr_function *function,
                          ct_operand *out) {
    ct_kind computed = CT_I32;
    const smp_type *type = NULL;
    const bool is_template = is_of_std(parser) && function->arguments == 2;
    for (unsigned i = 0; i < function->arguments; i++) {
        ct_operand argument;
        if (!parse_separator(parser, i == 0) || !ct_expr_value(parser, &argument))
            return false;
        computed = argument.kind > computed ? argument.kind : computed;
        const smp_type *of = ct_operand_type(&argument);
        type = i == 0 || of == type ? of : ct_type_common(type, of);
    }
    if (!ct_parser_expect(parser, ')'))
        return false;
    bool is_data = computed == CT_DATA;
    if (function->bits != 0)
        computed = function->bits == 64 ? CT_U64 : function->bits == 33 ? CT_I32 : CT_U32;
    bool counts = function->bits != 0 && function->op >= CT_CODE_POPC &&
                  function->op <= CT_CODE_CLZ && function->op != CT_CODE_BREV;
    *out = value_of(counts ? CT_I32 : computed, name->position);
    /* CUDA's own functions promote; of std::min, the type is that of both arguments. */
    if (function->bits == 0 && (is_data || is_template))
        out->type = type;
    if (is_data)
        return ct_emit_merge(parser, function->arguments, name->position);
    return ct_emit_op(parser, function->op, computed, name->position, function->arguments);
}

static bool parse_atomic(ct_parser *parser, const ct_token *name, const ct_atomic *atomic,
                         ct_operand *out) {
    ct_operand object;
    if (!parse_separator(parser, true) || !parse_pointer(parser, &object) ||
        !ct_place_follow(parser, &object, name->position) || !parse_rest(parser, name->position))
        return false;
    object.text_start = name->position;
    object.text_end = parser->last_end;
    *out = value_of(ct_type_kind(object.shape.type), name->position);
    out->type = object.shape.type;
    if (object.array < 0)
        return ct_emit_merge(parser, 2, name->position);
    out->atomic = parser->code->count + 1;
    out->is_reduction = atomic->used != atomic->unused;
    return ct_access_atomic(parser, &object, atomic);
}

/* __ldg(&a[i]) and its like read global memory. */
static bool parse_load(ct_parser *parser, const ct_token *name, unsigned variant, ct_operand *out) {
    (void)variant;
    if (!parse_separator(parser, true) || !parse_pointer(parser, out) ||
        !ct_place_follow(parser, out, name->position))
        return false;
    bool is_shared =
        out->array >= 0 && parser->layout->kernel.arrays[out->array].space == SMP_SPACE_SHARED;
    if (is_shared)
        return ct_parser_fail(parser, SMP_E_SYNTAX, out->text_start,
                              "%.*s reads global memory, but this lies in shared memory",
                              CT_TOKEN_TEXT(*name));
    return ct_parser_expect(parser, ')') && ct_operand_value(parser, out);
}

/* __stcs(&a[i], v) and its like write global memory. */
static bool parse_store(ct_parser *parser, const ct_token *name, unsigned variant,
                        ct_operand *out) {
    (void)variant;
    ct_operand object, value;
    if (!parse_separator(parser, true) || !parse_pointer(parser, &object) ||
        !ct_place_follow(parser, &object, name->position) || !parse_separator(parser, false) ||
        !ct_expr_value(parser, &value) || !ct_parser_expect(parser, ')'))
        return false;
    if (object.array >= 0 && parser->layout->kernel.arrays[object.array].space == SMP_SPACE_SHARED)
        return ct_parser_fail(parser, SMP_E_SYNTAX, object.text_start,
                              "%.*s writes global memory, but this lies in shared memory",
                              CT_TOKEN_TEXT(*name));
    *out = value_of(CT_DATA, name->position);
    if (object.array < 0)
        return ct_emit_merge(parser, 2, name->position);
    return ct_emit_op(parser, CT_CODE_SWAP, CT_I64, name->position, 1) &&
           ct_access_store(parser, &object, CT_STORES_VALUE);
}

/* __shfl_sync(mask, value, lane [, width]) */
static bool parse_shuffle(ct_parser *parser, const ct_token *name, unsigned variant,
                          ct_operand *out) {
    ct_operand mask, lane, width;
    if (!parse_separator(parser, true) || !ct_expr_value(parser, &mask) ||
        !ct_emit_drop(parser, name->position) || !parse_separator(parser, false) ||
        !ct_expr_value(parser, out) || !parse_separator(parser, false) ||
        !ct_expr_value(parser, &lane))
        return false;
    bool sound = ct_parser_accept(parser, ',')
                     ? ct_expr_value(parser, &width)
                     : ct_emit_constant(parser, SMP_LANES, name->position);
    if (!sound || !ct_parser_expect(parser, ')'))
        return false;
    ct_expr_instruction instruction = {.op = CT_CODE_SHUFFLE, .slot = (uint16_t)variant};
    const smp_type *type = out->kind == CT_DATA ? out->type : NULL;
    *out = value_of(out->kind, name->position);
    out->type = type;
    parser->is_varying = true;
    return ct_emit(parser, instruction, name->position, 3);
}

/* __ballot_sync(mask, predicate), __any_sync, __all_sync, __activemask() */
static bool parse_vote(ct_parser *parser, const ct_token *name, unsigned variant, ct_operand *out) {
    ct_operand operand;
    bool is_active = variant == CT_VOTE_ACTIVE;
    if (!parse_separator(parser, true))
        return false;
    if (is_active ? !ct_emit_constant(parser, 1, name->position)
                  : !ct_expr_value(parser, &operand) || !ct_emit_drop(parser, name->position) ||
                        !parse_separator(parser, false) || !ct_expr_value(parser, &operand))
        return false;
    ct_expr_instruction instruction = {.op = CT_CODE_VOTE, .slot = (uint16_t)variant};
    bool is_mask = is_active || variant == CT_VOTE_BALLOT;
    *out = value_of(is_mask ? CT_U32 : CT_I32, name->position);
    return ct_parser_expect(parser, ')') && ct_emit(parser, instruction, name->position, 1);
}

/* A barrier accesses nothing; one of the block must be reached by all of its threads. */
static bool parse_barrier(ct_parser *parser, const ct_token *name, unsigned variant,
                          ct_operand *out) {
    if (variant == 1 && !ct_emit_barrier(parser, name->position))
        return false;
    *out = value_of(CT_DATA, name->position);
    if (!ct_parser_expect(parser, '('))
        return false;
    ct_operand argument;
    while (!ct_parser_is(parser, ')')) {
        if (!ct_expr_value(parser, &argument) || !ct_emit_drop(parser, name->position))
            return false;
        if (!ct_parser_accept(parser, ','))
            break;
    }
    return ct_parser_expect(parser, ')') &&
           ct_emit_unknown(parser, CT_REASON_CALL, name->text, name->length, name->position);
}

/* An address as a number: __cvta_generic_to_shared(&a[i]). Nothing is read. */
static bool parse_address(ct_parser *parser, const ct_token *name, unsigned variant,
                          ct_operand *out) {
    (void)variant;
    if (!parse_separator(parser, true) || !parse_pointer(parser, out) ||
        !ct_parser_expect(parser, ')') || !ct_emit_drop(parser, name->position))
        return false;
    *out = value_of(CT_U64, name->position);
    return ct_emit_unknown(parser, CT_REASON_ADDRESS, "", 0, name->position);
}

/* __pipeline_memcpy_async(&s[i], &g[j], 16) */
static bool parse_copy(ct_parser *parser, const ct_token *name, unsigned variant, ct_operand *out) {
    (void)variant;
    ct_operand target, source;
    int64_t bytes;
    if (!parse_separator(parser, true) || !parse_pointer(parser, &target) ||
        !ct_place_follow(parser, &target, name->position) || !parse_separator(parser, false) ||
        !parse_pointer(parser, &source) || !ct_place_follow(parser, &source, name->position) ||
        !parse_separator(parser, false) ||
        !ct_expr_constant_in(parser, "the size", 4, 16, &bytes) || !ct_parser_expect(parser, ')'))
        return false;
    *out = value_of(CT_DATA, name->position);
    target.text_start = name->position;
    target.text_end = parser->last_end;
    return ct_access_copy(parser, &target, &source, (uint32_t)bytes);
}

static const call_row calls[] = {
    {"__ldg", parse_load, 0},
    {"__ldca", parse_load, 0},
    {"__ldcg", parse_load, 0},
    {"__ldcs", parse_load, 0},
    {"__ldlu", parse_load, 0},
    {"__ldcv", parse_load, 0},
    {"__stwb", parse_store, 0},
    {"__stcg", parse_store, 0},
    {"__stcs", parse_store, 0},
    {"__stwt", parse_store, 0},
    {"__shfl_sync", parse_shuffle, CT_SHUFFLE_IDX},
    {"__shfl_up_sync", parse_shuffle, CT_SHUFFLE_UP},
    {"__shfl_down_sync", parse_shuffle, CT_SHUFFLE_DOWN},
    {"__shfl_xor_sync", parse_shuffle, CT_SHUFFLE_XOR},
    {"__ballot_sync", parse_vote, CT_VOTE_BALLOT},
    {"__any_sync", parse_vote, CT_VOTE_ANY},
    {"__all_sync", parse_vote, CT_VOTE_ALL},
    {"__activemask", parse_vote, CT_VOTE_ACTIVE},
    {"__syncthreads", parse_barrier, 1},
    {"__syncthreads_count", parse_barrier, 1},
    {"__syncthreads_and", parse_barrier, 1},
    {"__syncthreads_or", parse_barrier, 1},
    {"__syncwarp", parse_barrier, 0},
    {"__threadfence", parse_barrier, 0},
    {"__threadfence_block", parse_barrier, 0},
    {"__threadfence_system", parse_barrier, 0},
    {"__nanosleep", parse_barrier, 0},
    {"__pipeline_commit", parse_barrier, 0},
    {"__pipeline_wait_prior", parse_barrier, 0},
    {"printf", parse_barrier, 0},
    {"assert", parse_barrier, 0},
    {"__trap", parse_barrier, 0},
    {"__cvta_generic_to_shared", parse_address, 0},
    {"__cvta_generic_to_global", parse_address, 0},
    {"__pipeline_memcpy_async", parse_copy, 0},
};

static const call_row *find_call(const ct_token *name) {
    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++) {
        if (ct_token_is(name, calls[i].name))
            return &calls[i];
    }
    return NULL;
}

bool ct_call_is_known(const ct_token *name) {
    ct_atomic atomic;
    return find_call(name) || ct_function_find(name->text, name->length) ||
           ct_atomic_find(name, &atomic);
}

/* ---- Functions that are not known ------------------------------------------------------ */

/* A slip in CUDA's own name must not pass for a function that does nothing: "__syncthread()". */
static const char *find_meant(const ct_token *name) {
    const char *names[sizeof calls / sizeof calls[0]];
    char text[40];
    if (name->length < 10 || name->length >= sizeof text || memcmp(name->text, "__", 2) != 0)
        return NULL;
    memcpy(text, name->text, name->length);
    text[name->length] = '\0';
    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++)
        names[i] = calls[i].name;
    return suggest(text, names, sizeof names / sizeof names[0]);
}

static bool parse_unknown(ct_parser *parser, const ct_token *name, ct_operand *out) {
    *out = value_of(CT_DATA, name->position);
    const char *meant = find_meant(name);
    if (meant)
        return ct_parser_fail(parser, SMP_E_SYNTAX, name->position,
                              "unknown function '%.*s'; did you mean '%s'?", CT_TOKEN_TEXT(*name),
                              meant);
    bool was_in = parser->in_arguments;
    ct_parser_next(parser);
    parser->in_arguments = true;
    while (!ct_parser_is(parser, ')')) {
        size_t position = parser->token.position;
        ct_operand argument;
        if (!ct_expr_assignment(parser, &argument) || !ct_operand_value(parser, &argument))
            return false;
        if (argument.form == CT_FORM_POINTER && argument.array != CT_ARRAY_LOCAL)
            return ct_parser_fail(parser, SMP_E_SYNTAX, position,
                                  "what '%.*s' does with this is not known here",
                                  CT_TOKEN_TEXT(*name));
        if (!ct_emit_drop(parser, name->position))
            return false;
        if (!ct_parser_accept(parser, ','))
            break;
    }
    parser->in_arguments = was_in;
    return ct_parser_expect(parser, ')') &&
           ct_emit_unknown(parser, CT_REASON_CALL, name->text, name->length, name->position);
}

bool ct_expr_call(ct_parser *parser, const ct_token *name, ct_operand *out) {
    const ct_expr_function *function = ct_function_find(name->text, name->length);
    const call_row *row = find_call(name);
    ct_atomic atomic;
    parser->has_effect |= function == NULL;
    if (function)
        return parse_integer(parser, name, function, out);
    if (row)
        return row->parse(parser, name, row->variant, out);
    if (ct_atomic_find(name, &atomic))
        return parse_atomic(parser, name, &atomic, out);
    bool is_function = false;
    if (!parser->is_unrun && !ct_function_call(parser, name, out, &is_function))
        return false;
    return is_function || parse_unknown(parser, name, out);
}
