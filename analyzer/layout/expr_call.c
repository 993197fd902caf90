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

typedef bool (*call_fn)(smp_parser *parser, const smp_token *name, unsigned variant,
                        smp_operand *out);

typedef struct call_row {
    const char *name;
    call_fn parse;
    unsigned variant;
} call_row;

static smp_operand value_of(smp_kind kind, size_t position) {
    return (smp_operand){.form = SMP_FORM_VALUE, .kind = kind, .position = position};
}

/* "std::min", the parenthesis being the current token. */
static bool is_of_std(const smp_parser *parser) {
    return parser->at >= 3 && smp_token_is(&parser->tokens[parser->at - 3], "std") &&
           smp_token_is_punct(&parser->tokens[parser->at - 2], SMP_PUNCT2(':', ':'));
}

/* ---- Arguments ------------------------------------------------------------------------- */

static bool parse_separator(smp_parser *parser, bool is_first) {
    return smp_parser_expect(parser, is_first ? '(' : ',');
}

static bool parse_pointer(smp_parser *parser, smp_operand *out) {
    size_t position = parser->token.position;
    if (!smp_expr_assignment(parser, out) || !smp_operand_value(parser, out))
        return false;
    return out->form == SMP_FORM_POINTER ||
           smp_parser_fail(parser, SMP_E_SYNTAX, position, "expected a pointer such as &tile[i]");
}

/* Reads what is left of the arguments as one value. */
static bool parse_rest(smp_parser *parser, size_t position) {
    unsigned count = 0;
    while (smp_parser_accept(parser, ',')) {
        smp_operand argument;
        if (!smp_expr_value(parser, &argument))
            return false;
        count++;
    }
    if (!smp_parser_expect(parser, ')'))
        return false;
    return count > 0 ? smp_emit_merge(parser, count, position)
                     : smp_emit_constant(parser, 0, position);
}

/* ---- Known functions ------------------------------------------------------------------- */

static bool parse_integer(smp_parser *parser, const smp_token *name,
                          const smp_expr_function *function, smp_operand *out) {
    smp_kind computed = SMP_I32;
    const smp_type *type = NULL;
    const bool is_template = is_of_std(parser) && function->arguments == 2;
    for (unsigned i = 0; i < function->arguments; i++) {
        smp_operand argument;
        if (!parse_separator(parser, i == 0) || !smp_expr_value(parser, &argument))
            return false;
        computed = argument.kind > computed ? argument.kind : computed;
        const smp_type *of = smp_operand_type(&argument);
        type = i == 0 || of == type ? of : smp_type_common(type, of);
    }
    if (!smp_parser_expect(parser, ')'))
        return false;
    bool is_data = computed == SMP_DATA;
    if (function->bits != 0)
        computed = function->bits == 64 ? SMP_U64 : function->bits == 33 ? SMP_I32 : SMP_U32;
    bool counts = function->bits != 0 && function->op >= SMP_CODE_POPC &&
                  function->op <= SMP_CODE_CLZ && function->op != SMP_CODE_BREV;
    *out = value_of(counts ? SMP_I32 : computed, name->position);
    /* CUDA's own functions promote; of std::min, the type is that of both arguments. */
    if (function->bits == 0 && (is_data || is_template))
        out->type = type;
    if (is_data)
        return smp_emit_merge(parser, function->arguments, name->position);
    return smp_emit_op(parser, function->op, computed, name->position, function->arguments);
}

static bool parse_atomic(smp_parser *parser, const smp_token *name, const smp_atomic *atomic,
                         smp_operand *out) {
    smp_operand object;
    if (!parse_separator(parser, true) || !parse_pointer(parser, &object) ||
        !smp_place_follow(parser, &object, name->position) || !parse_rest(parser, name->position))
        return false;
    object.text_start = name->position;
    object.text_end = parser->last_end;
    *out = value_of(smp_type_kind(object.shape.type), name->position);
    out->type = object.shape.type;
    if (object.array < 0)
        return smp_emit_merge(parser, 2, name->position);
    out->atomic = parser->code->count + 1;
    out->is_reduction = atomic->used != atomic->unused;
    return smp_access_atomic(parser, &object, atomic);
}

/* __ldg(&a[i]) and its like read global memory. */
static bool parse_load(smp_parser *parser, const smp_token *name, unsigned variant,
                       smp_operand *out) {
    (void)variant;
    if (!parse_separator(parser, true) || !parse_pointer(parser, out) ||
        !smp_place_follow(parser, out, name->position))
        return false;
    bool is_shared =
        out->array >= 0 && parser->layout->arrays[out->array].space == SMP_SPACE_SHARED;
    if (is_shared)
        return smp_parser_fail(parser, SMP_E_SYNTAX, out->text_start,
                               "%.*s reads global memory, but this lies in shared memory",
                               SMP_TOKEN_TEXT(*name));
    return smp_parser_expect(parser, ')') && smp_operand_value(parser, out);
}

/* __stcs(&a[i], v) and its like write global memory. */
static bool parse_store(smp_parser *parser, const smp_token *name, unsigned variant,
                        smp_operand *out) {
    (void)variant;
    smp_operand object, value;
    if (!parse_separator(parser, true) || !parse_pointer(parser, &object) ||
        !smp_place_follow(parser, &object, name->position) || !parse_separator(parser, false) ||
        !smp_expr_value(parser, &value) || !smp_parser_expect(parser, ')'))
        return false;
    if (object.array >= 0 && parser->layout->arrays[object.array].space == SMP_SPACE_SHARED)
        return smp_parser_fail(parser, SMP_E_SYNTAX, object.text_start,
                               "%.*s writes global memory, but this lies in shared memory",
                               SMP_TOKEN_TEXT(*name));
    *out = value_of(SMP_DATA, name->position);
    if (object.array < 0)
        return smp_emit_merge(parser, 2, name->position);
    return smp_emit_op(parser, SMP_CODE_SWAP, SMP_I64, name->position, 1) &&
           smp_access_store(parser, &object, SMP_STORES_VALUE);
}

/* __shfl_sync(mask, value, lane [, width]) */
static bool parse_shuffle(smp_parser *parser, const smp_token *name, unsigned variant,
                          smp_operand *out) {
    smp_operand mask, lane, width;
    if (!parse_separator(parser, true) || !smp_expr_value(parser, &mask) ||
        !smp_emit_drop(parser, name->position) || !parse_separator(parser, false) ||
        !smp_expr_value(parser, out) || !parse_separator(parser, false) ||
        !smp_expr_value(parser, &lane))
        return false;
    bool sound = smp_parser_accept(parser, ',')
                     ? smp_expr_value(parser, &width)
                     : smp_emit_constant(parser, SMP_LANES, name->position);
    if (!sound || !smp_parser_expect(parser, ')'))
        return false;
    smp_expr_instruction instruction = {.op = SMP_CODE_SHUFFLE, .slot = (uint16_t)variant};
    const smp_type *type = out->kind == SMP_DATA ? out->type : NULL;
    *out = value_of(out->kind, name->position);
    out->type = type;
    parser->is_varying = true;
    return smp_emit(parser, instruction, name->position, 3);
}

/* __ballot_sync(mask, predicate), __any_sync, __all_sync, __activemask() */
static bool parse_vote(smp_parser *parser, const smp_token *name, unsigned variant,
                       smp_operand *out) {
    smp_operand operand;
    bool is_active = variant == SMP_VOTE_ACTIVE;
    if (!parse_separator(parser, true))
        return false;
    if (is_active ? !smp_emit_constant(parser, 1, name->position)
                  : !smp_expr_value(parser, &operand) || !smp_emit_drop(parser, name->position) ||
                        !parse_separator(parser, false) || !smp_expr_value(parser, &operand))
        return false;
    smp_expr_instruction instruction = {.op = SMP_CODE_VOTE, .slot = (uint16_t)variant};
    bool is_mask = is_active || variant == SMP_VOTE_BALLOT;
    *out = value_of(is_mask ? SMP_U32 : SMP_I32, name->position);
    return smp_parser_expect(parser, ')') && smp_emit(parser, instruction, name->position, 1);
}

/* A barrier accesses nothing; one of the block must be reached by all of its threads. */
static bool parse_barrier(smp_parser *parser, const smp_token *name, unsigned variant,
                          smp_operand *out) {
    if (variant == 1 && !smp_emit_barrier(parser, name->position))
        return false;
    *out = value_of(SMP_DATA, name->position);
    if (!smp_parser_expect(parser, '('))
        return false;
    smp_operand argument;
    while (!smp_parser_is(parser, ')')) {
        if (!smp_expr_value(parser, &argument) || !smp_emit_drop(parser, name->position))
            return false;
        if (!smp_parser_accept(parser, ','))
            break;
    }
    return smp_parser_expect(parser, ')') &&
           smp_emit_unknown(parser, SMP_REASON_CALL, name->text, name->length, name->position);
}

/* An address as a number: __cvta_generic_to_shared(&a[i]). Nothing is read. */
static bool parse_address(smp_parser *parser, const smp_token *name, unsigned variant,
                          smp_operand *out) {
    (void)variant;
    if (!parse_separator(parser, true) || !parse_pointer(parser, out) ||
        !smp_parser_expect(parser, ')') || !smp_emit_drop(parser, name->position))
        return false;
    *out = value_of(SMP_U64, name->position);
    return smp_emit_unknown(parser, SMP_REASON_ADDRESS, "", 0, name->position);
}

/* __pipeline_memcpy_async(&s[i], &g[j], 16) */
static bool parse_copy(smp_parser *parser, const smp_token *name, unsigned variant,
                       smp_operand *out) {
    (void)variant;
    smp_operand target, source;
    int64_t bytes;
    if (!parse_separator(parser, true) || !parse_pointer(parser, &target) ||
        !smp_place_follow(parser, &target, name->position) || !parse_separator(parser, false) ||
        !parse_pointer(parser, &source) || !smp_place_follow(parser, &source, name->position) ||
        !parse_separator(parser, false) ||
        !smp_expr_constant_in(parser, "the size", 4, 16, &bytes) || !smp_parser_expect(parser, ')'))
        return false;
    *out = value_of(SMP_DATA, name->position);
    target.text_start = name->position;
    target.text_end = parser->last_end;
    return smp_access_copy(parser, &target, &source, (uint32_t)bytes);
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
    {"__shfl_sync", parse_shuffle, SMP_SHUFFLE_IDX},
    {"__shfl_up_sync", parse_shuffle, SMP_SHUFFLE_UP},
    {"__shfl_down_sync", parse_shuffle, SMP_SHUFFLE_DOWN},
    {"__shfl_xor_sync", parse_shuffle, SMP_SHUFFLE_XOR},
    {"__ballot_sync", parse_vote, SMP_VOTE_BALLOT},
    {"__any_sync", parse_vote, SMP_VOTE_ANY},
    {"__all_sync", parse_vote, SMP_VOTE_ALL},
    {"__activemask", parse_vote, SMP_VOTE_ACTIVE},
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

static const call_row *find_call(const smp_token *name) {
    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++) {
        if (smp_token_is(name, calls[i].name))
            return &calls[i];
    }
    return NULL;
}

bool smp_call_is_known(const smp_token *name) {
    smp_atomic atomic;
    return find_call(name) || smp_function_find(name->text, name->length) ||
           smp_atomic_find(name, &atomic);
}

/* ---- Functions that are not known ------------------------------------------------------ */

/* A slip in CUDA's own name must not pass for a function that does nothing: "__syncthread()". */
static const char *find_meant(const smp_token *name) {
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

static bool parse_unknown(smp_parser *parser, const smp_token *name, smp_operand *out) {
    *out = value_of(SMP_DATA, name->position);
    const char *meant = find_meant(name);
    if (meant)
        return smp_parser_fail(parser, SMP_E_SYNTAX, name->position,
                               "unknown function '%.*s'; did you mean '%s'?", SMP_TOKEN_TEXT(*name),
                               meant);
    bool was_in = parser->in_arguments;
    smp_parser_next(parser);
    parser->in_arguments = true;
    while (!smp_parser_is(parser, ')')) {
        size_t position = parser->token.position;
        smp_operand argument;
        if (!smp_expr_assignment(parser, &argument) || !smp_operand_value(parser, &argument))
            return false;
        if (argument.form == SMP_FORM_POINTER && argument.array != SMP_ARRAY_LOCAL)
            return smp_parser_fail(parser, SMP_E_SYNTAX, position,
                                   "what '%.*s' does with this is not known here",
                                   SMP_TOKEN_TEXT(*name));
        if (!smp_emit_drop(parser, name->position))
            return false;
        if (!smp_parser_accept(parser, ','))
            break;
    }
    parser->in_arguments = was_in;
    return smp_parser_expect(parser, ')') &&
           smp_emit_unknown(parser, SMP_REASON_CALL, name->text, name->length, name->position);
}

bool smp_expr_call(smp_parser *parser, const smp_token *name, smp_operand *out) {
    const smp_expr_function *function = smp_function_find(name->text, name->length);
    const call_row *row = find_call(name);
    smp_atomic atomic;
    parser->has_effect |= function == NULL;
    if (function)
        return parse_integer(parser, name, function, out);
    if (row)
        return row->parse(parser, name, row->variant, out);
    if (smp_atomic_find(name, &atomic))
        return parse_atomic(parser, name, &atomic, out);
    bool is_function = false;
    if (!parser->is_unrun && !smp_function_call(parser, name, out, &is_function))
        return false;
    return is_function || parse_unknown(parser, name, out);
}
