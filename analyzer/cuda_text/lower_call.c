/* SPDX-License-Identifier: MIT */
/*
 * Calls: min, max and abs, atomics, loads and stores with a cache hint, barriers. Any other
 * function returns data. An array as its argument is refused, since what happens to the array is
 * unknown.
 *
 * Cooperative groups: "cg::thread_block cta = cg::this_thread_block()", "auto tile =
 * cg::tiled_partition<32>(cta)", with their ranks, sizes and sync(). Other members (shuffles,
 * reductions) return data. Source: CUDA C++ Programming Guide, "Cooperative Groups": ranks count
 * threads x first; a tile is N threads of consecutive rank.
 */
#include <string.h>

#include "lower.h"

/* A call of a known function. */
typedef struct known_call {
    const ct_node *node, *first; /* first: argument */
    const ct_token *name;
    const struct call_row *row;
} known_call;
typedef bool (*call_fn)(ct_lower *l, const known_call *call, ct_operand *out);

enum { ANY = 255 };

/* Functions of CUDA that are known by their names. */
typedef struct call_row {
    const char *names; /* separated by blanks */
    call_fn lower;
    int variant;         /* for lower_integer, a ct_code_op; otherwise depends on `lower` */
    uint8_t least, most; /* arguments */
} call_row;

/* ---- Arguments ---- */

/* Checks the number of arguments. */
static bool check_count(ct_lower *l, const ct_node *node, const call_row *row) {
    unsigned count = 0;
    if (row->most == ANY)
        return true;
    for (const ct_node *arg = node->child->next; arg; arg = arg->next)
        if (count++ == row->most)
            return ct_refuse(l, ct_position(l, arg->first - 1), "expected ')' instead of ','");
    const bool is_empty = node->flags & CT_IS_EMPTY;
    return (count >= row->least && !is_empty) ||
           ct_refuse(l, ct_position(l, node->end - 1),
                     count == 0 || is_empty ? "expected a value before ')'"
                                            : "expected ',' instead of ')'");
}

/* Lowers an argument that must be a pointer. */
static bool lower_pointer(ct_lower *l, const ct_node *arg, ct_operand *out) {
    return (ct_lower_value(l, arg, out) && out->form == CT_FORM_POINTER) ||
           ct_refuse(l, ct_begin(l, arg), "expected a pointer such as &tile[i]");
}

static bool lower_object(ct_lower *l, const ct_node *arg, ct_operand *out) {
    return lower_pointer(l, arg, out) && ct_place_follow(l, out, l->position);
}

/* ---- Known functions ---- */

/* "std::min" */
static bool is_of_std(const ct_lower *l, const ct_node *node) {
    const ct_node *callee = node->child;
    return callee->kind == CT_N_NAME && callee->flags & CT_IS_SCOPED && callee->at >= 2 &&
           ct_token_is(&l->tokens[callee->at - 2], "std");
}

static bool lower_integer(ct_lower *l, const known_call *call, ct_operand *out) {
    const uint8_t count = call->row->least;
    ct_kind computed = CT_I32;
    const smp_type *type = NULL;
    for (const ct_node *arg = call->first; arg; arg = arg->next) {
        ct_operand argument;
        ct_lower_number(l, arg, &argument);
        computed = argument.kind > computed ? argument.kind : computed;
        const smp_type *of = ct_operand_type(&argument);
        type = arg == call->first || of == type ? of : ct_type_common(type, of);
    }
    /* CUDA's own functions promote; std::min keeps the type of its arguments. */
    const bool keeps = computed == CT_DATA || (is_of_std(l, call->node) && count == 2);
    *out = ct_value_of(computed, keeps ? type : NULL, l->position);
    return computed == CT_DATA ? ct_emit_merge(l, count)
                               : ct_emit_op(l, (ct_code_op)call->row->variant, computed, count);
}

/* Variants of lower_atomic. */
enum { ADDS, COMBINES, COUNTS, EXCHANGES, COMPARES };

/* nvcc 13 combines the lanes of a warp before an atomic of integers if their addresses are equal by
 * the text: with 32 bits, sums always and other operations if no result is used; with 64 bits, sums
 * of one value. */
static bool lower_atomic(ct_lower *l, const known_call *call, ct_operand *out) {
    const int variant = call->row->variant;
    ct_operand object, argument;
    unsigned count = 0;
    bool place_varies = false, value_varies = false; /* between threads */
    ct_lower_watched(l, call->first, &object, lower_object, &place_varies);
    for (const ct_node *arg = call->first->next; arg; arg = arg->next, count++)
        ct_lower_watched(l, arg, &argument, ct_lower_number, &value_varies);
    const ct_expr_instruction *last =
        count == 1 && l->status == SMP_OK ? &l->code->items[l->code->count - 1] : NULL;
    const bool is_one = last && last->op == CT_CODE_CONST && last->value == 1;
    const smp_type *type = object.shape.type;
    const bool is_integer = smp_type_is_integer(type), is_word = is_integer && type->size == 4;
    (void)(count > 0 ? ct_emit_merge(l, count) : ct_emit_constant(l, 0));
    object.text_start = call->name->position;
    object.text_end = ct_end(l, call->node);
    *out = ct_value_of(ct_type_kind(type), type, object.text_start);
    if (object.array < 0)
        return ct_emit_merge(l, 2);
    out->atomic = l->code->count + 1;
    out->is_reduction = variant <= COUNTS;
    out->is_increment =
        is_one && is_word && variant == ADDS && call->name->text[sizeof "atomic" - 1] == 'A';
    out->merges = is_word && variant == COMBINES && !place_varies;
    smp_request *request = ct_access_atomic(
        l, &object, variant == COMPARES ? SMP_ATOM_SHARED_CAS : SMP_ATOM_SHARED, variant > COUNTS);
    if (request)
        request->is_merged =
            is_integer && variant == ADDS && !place_varies && (is_word || !value_varies);
    return request;
}

/* __ldg(&a[i]) and, with `variant` 1, __stcs(&a[i], v): global memory only. */
static bool lower_hinted(ct_lower *l, const known_call *call, ct_operand *out) {
    const bool stores = call->row->variant == 1;
    ct_operand object, value;
    if (!lower_object(l, call->first, &object) ||
        (stores && !ct_lower_number(l, call->first->next, &value)))
        return false;
    if (ct_place_is_shared(l, &object))
        return ct_refuse(l, object.text_start,
                         "%.*s %s global memory, but this is in shared memory",
                         CT_TOKEN_TEXT(*call->name), stores ? "writes" : "reads");
    *out = stores ? ct_value_of(CT_DATA, NULL, call->name->position) : object;
    if (!stores)
        return ct_operand_value(l, out);
    if (object.array < 0)
        return ct_emit_merge(l, 2);
    return ct_emit_op(l, CT_CODE_SWAP, CT_I64, 1) &&
           ct_access_plain(l, &object, CT_STORES_VALUE, true);
}

/* Barriers, fences and the like access nothing. */
static bool lower_barrier(ct_lower *l, const known_call *call, ct_operand *out) {
    return ct_lower_parts(l, call->first) &&
           ct_push_unknown(l, NULL, CT_REASON_CALL, call->name->word, out);
}

/* __cvta_generic_to_shared(&a[i]): an address as a number; reads nothing. */
static bool lower_address(ct_lower *l, const known_call *call, ct_operand *out) {
    return lower_pointer(l, call->first, out) && ct_operand_number(l, out);
}

/* __pipeline_memcpy_async(&s[i], &g[j], 16) */
static bool lower_copy(ct_lower *l, const known_call *call, ct_operand *out) {
    const ct_node *second = call->first->next;
    ct_operand target, source;
    lower_object(l, call->first, &target);
    lower_object(l, second, &source);
    const int64_t bytes = ct_lower_constant_in(l, second->next, "the size", 4, 16);
    *out = ct_value_of(CT_DATA, NULL, call->name->position);
    target.text_start = call->name->position;
    target.text_end = ct_end(l, call->node);
    return ct_access_copy(l, &target, &source, (uint32_t)bytes);
}

/* "this_thread_block()" or, with `variant` 1, "tiled_partition<32>(block)" or
 * "tiled_partition(block, 16)". */
static bool lower_group(ct_lower *l, const known_call *call, ct_operand *out) {
    const ct_node *parent = call->first, *callee = call->node->child;
    const ct_node *given = ct_call_given(call->node);
    const ct_node *size = call->row->variant == 1 && parent ? parent->next : NULL;
    ct_operand of;
    if (given)
        size = given->child;
    ct_push_unknown(l, NULL, CT_REASON_CALL, call->name->word, out);
    out->is_group = true;
    if (!size)
        return l->status == SMP_OK;
    out->group = ct_lower_constant_in(l, size, "the tile's size", 1, 1024);
    if ((out->group & (out->group - 1)) != 0)
        ct_refuse(l, ct_begin(l, size), "the size of a tile must be a power of two, not %lld",
                  (long long)out->group);
    if (!parent || !ct_lower_value(l, parent, &of) || !of.is_group)
        return ct_refuse(l, ct_position(l, callee->end), "expected a thread group");
    if (of.group != 0)
        ct_refuse(l, ct_begin(l, callee), "tiles of tiles are not supported: partition the block");
    return ct_emit_drop(l);
}

static const call_row calls[] = {
    {"min", lower_integer, CT_CODE_MIN, 2, 2},
    {"max", lower_integer, CT_CODE_MAX, 2, 2},
    {"abs", lower_integer, CT_CODE_ABS, 1, 1},
    {"__ldg __ldca __ldcg __ldcs __ldlu __ldcv", lower_hinted, 0, 1, 1},
    {"__stwb __stcg __stcs __stwt", lower_hinted, 1, 2, 2},
    {"__syncthreads __syncthreads_count __syncthreads_and __syncthreads_or __syncwarp "
     "__threadfence __threadfence_block __threadfence_system __nanosleep "
     "__pipeline_commit __pipeline_wait_prior printf assert __trap",
     lower_barrier, 0, 0, ANY},
    {"__cvta_generic_to_shared __cvta_generic_to_global", lower_address, 0, 1, 1},
    {"__pipeline_memcpy_async", lower_copy, 0, 3, 3},
    {"this_thread_block", lower_group, 0, 0, ANY},
    {"tiled_partition", lower_group, 1, 0, ANY},
    {"atomicAdd atomicSub", lower_atomic, ADDS, 1, CT_ARGUMENTS_MAX},
    {"atomicMin atomicMax atomicAnd atomicOr atomicXor", lower_atomic, COMBINES, 1,
     CT_ARGUMENTS_MAX},
    {"atomicInc atomicDec", lower_atomic, COUNTS, 1, CT_ARGUMENTS_MAX},
    {"atomicExch", lower_atomic, EXCHANGES, 1, CT_ARGUMENTS_MAX},
    {"atomicCAS", lower_atomic, COMPARES, 1, CT_ARGUMENTS_MAX},
};

/* An atomic may have a scope: "atomicAdd_block". */
static const call_row *find_call(const ct_token *name) {
    static const char *const scopes[] = {"_block", "_system"};
    ct_token plain = *name;
    for (size_t i = 0; i < CT_COUNT(scopes) && name->kind == CT_TOKEN_NAME; i++) {
        const ct_word scope = ct_word_of(scopes[i]);
        if (name->length > scope.length + 6 && memcmp(name->text, "atomic", 6) == 0 &&
            memcmp(name->text + name->length - scope.length, scope.text, scope.length) == 0)
            plain.length -= scope.length;
    }
    return FIND(one, calls, CT_COUNT(calls), ct_token_is(&plain, one->names));
}

bool ct_call_is_known(const ct_token *name) {
    return find_call(name);
}

/* ---- Unknown functions ---- */

/* True if the expression `at` contains `call` and drops its value. */
static bool is_unused(const ct_node *at, const ct_node *call) {
    bool found = at == call;
    if (at->kind == CT_N_PAREN || at->kind == CT_N_CAST || at->kind == CT_N_COMMA ||
        at->kind == CT_N_LOGIC || at->kind == CT_N_CHOICE)
        for (const ct_node *part = at->child; part && !found; part = part->next)
            found = is_unused(part, call);
    return found;
}

bool ct_call_check(ct_lower *l, const ct_node *node, const ct_token *name) {
    /* Functions and methods whose effect is not on arrays. */
    static const char harmless[] =
        "static_assert __brkpt __prof_trigger __builtin_assume __builtin_unreachable "
        "cudaGridDependencySynchronize cudaTriggerProgrammaticLaunchCompletion sync wait arrive "
        "arrive_and_wait arrive_and_drop barrier_arrive barrier_wait producer_acquire "
        "producer_commit consumer_wait consumer_release quit sincos sincosf __sincosf sincospi "
        "sincospif modf modff frexp frexpf remquo remquof surf1Dwrite surf2Dwrite surf3Dwrite "
        "surf1DLayeredwrite surf2DLayeredwrite surfCubemapwrite surfCubemapLayeredwrite";
    return !l->statement || l->is_unrun || ct_token_is(name, harmless) ||
           !is_unused(l->statement, node) || ct_function_next(l->unit, name, NULL) ||
           ct_refuse_name(l, name, "calls of unknown functions such as '%.*s'" CT_COMPILER_KNOWS);
}

static bool lower_unknown(ct_lower *l, const ct_node *node, const ct_token *name, ct_operand *out) {
    for (const ct_node *arg = node->child->next; arg; arg = arg->next) {
        ct_operand argument;
        ct_lower_value(l, arg, &argument);
        if (argument.form == CT_FORM_POINTER && argument.array != CT_ARRAY_LOCAL)
            return ct_refuse(l, ct_begin(l, arg), "what '%.*s' does with this array is unknown",
                             CT_TOKEN_TEXT(*name));
        ct_emit_drop(l);
    }
    return ct_call_check(l, node, name) &&
           ct_push_unknown(l, NULL, CT_REASON_CALL, name->word, out);
}

const ct_node *ct_call_given(const ct_node *call) {
    const ct_node *last = call->child->last;
    return last && last->kind == CT_N_GIVEN ? last : NULL;
}

bool ct_call_name(ct_lower *l, const ct_node *node, const ct_token *name, ct_operand *out) {
    const call_row *row = find_call(name);
    l->position = name->position;
    l->has_effect |= !row || row->lower != lower_integer;
    if (row && row->lower != lower_integer && ct_function_next(l->unit, name, NULL))
        return ct_refuse_name(l, name, "overloads of '%.*s'" CT_COMPILER_KNOWS);
    if (row && row->lower != lower_group && ct_call_given(node))
        return ct_refuse_name(l, name, "template arguments of '%.*s'" CT_COMPILER_KNOWS);
    const known_call call = {node, node->child->next, name, row};
    if (row)
        return check_count(l, node, row) && row->lower(l, &call, out);
    if (!l->is_unrun && ct_function_call(l, node, name, out))
        return l->status == SMP_OK;
    return lower_unknown(l, node, name, out);
}

/* ---- Members of groups ---- */

/* Numbers of a block and of a tile (or NULL) in reverse Polish notation: w warp, l lane, X Y Z
 * block size, n threads per tile, s threads per warp, 1. */
typedef struct number_row {
    const char *names, *of_block, *of_tile;
} number_row;

static const number_row numbers[] = {
    {"thread_rank", "ws*l+", "ws*l+n%"},
    {"size num_threads", "XY*Z*", "n"},
    {"meta_group_rank", NULL, "ws*l+n/"},
    {"meta_group_size", NULL, "XY*Z*n+1-n/"},
};

static bool emit_number(ct_lower *l, const char *steps, int64_t threads) {
    static const char operators[] = "+-*/%", slots[] = "xyzabcXYZABClw";
    for (; *steps != '\0'; steps++) {
        const char *op = strchr(operators, *steps), *read = strchr(slots, *steps);
        l->is_varying |= *steps == 'l';
        if (op)
            ct_emit_op(l, (ct_code_op)(CT_CODE_ADD + (op - operators)), CT_U32, 2);
        else if (read)
            ct_emit_slot(l, (uint16_t)(read - slots));
        else
            ct_emit_constant(l, *steps == 'n' ? threads : *steps == 's' ? SMP_LANES : 1);
    }
    return l->status == SMP_OK;
}

/* "group.name()" */
static bool lower_group_call(ct_lower *l, const ct_node *call, const ct_symbol *group,
                             ct_operand *out) {
    ct_token name = l->tokens[call->child->at];
    l->position = ct_position(l, call->child->mark);
    *out = ct_value_of(CT_U32, NULL, l->position);
    for (size_t i = 0; i < CT_COUNT(numbers); i++) {
        const char *steps = group->value != 0 ? numbers[i].of_tile : numbers[i].of_block;
        if (steps && ct_token_is(&name, numbers[i].names))
            return emit_number(l, steps, group->value);
    }
    if (ct_token_is(&name, "sync")) {
        name.word = ct_word_of(group->value == 0 ? "__syncthreads" : "__syncwarp");
    } else if (ct_call_is_known(&name)) {
        return ct_refuse_name(l, &name, "a group has no '%.*s'");
    }
    return ct_call_name(l, call, &name, out);
}

/* The group of a member, or NULL. */
static const ct_symbol *group_of(const ct_lower *l, const ct_node *member) {
    const ct_token *name = member->kind == CT_N_MEMBER ? ct_plain_name(l, member->child) : NULL;
    const ct_symbol *found = name ? ct_name_find(l, name) : NULL;
    return found && found->meaning == CT_MEANS_GROUP ? found : NULL;
}

ct_word ct_group_index(const ct_lower *l, const ct_node *node) {
    static const char *const rows[][2] = {{"thread_index", "threadIdx"},
                                          {"group_index block_index", "blockIdx"},
                                          {"group_dim dim_threads", "blockDim"}};
    const ct_token *plain = ct_plain_name(l, node);
    const ct_symbol *group = node->kind == CT_N_CALL ? group_of(l, node->child) : NULL;
    for (size_t i = 0; i < CT_COUNT(rows) && group && group->value == 0; i++)
        if (ct_token_is(&l->tokens[node->child->at], rows[i][0]))
            return ct_word_of(rows[i][1]);
    return plain ? plain->word : (ct_word){"", 0};
}

bool ct_lower_group_use(ct_lower *l, const ct_node *node, ct_operand *out) {
    const bool is_call = node->kind == CT_N_CALL;
    const ct_symbol *group = group_of(l, is_call ? node->child : node);
    if (!group)
        return false;
    if (!is_call)
        return !ct_refuse_name(l, &l->tokens[node->end], "expected '(' instead of '%.*s'");
    l->has_known = true;
    l->is_varying |= group->varies;
    lower_group_call(l, node, group, out);
    return true;
}
