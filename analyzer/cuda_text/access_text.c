/* SPDX-License-Identifier: MIT */
/*
 * Accesses: those that an expression makes by itself, and those that are said by name, as in PTX
 * (ld st ldmatrix stmatrix cp.async, with .shared .global .cluster). CUDA's atomic functions are
 * one row each. An object that is wider than one instruction, or not aligned well enough for it
 * (float3, a struct), takes several, as the compiler makes them.
 */
#include <string.h>

#include "layout.h"

enum { PARTS_MAX = 64, VECTOR_BYTES = 16 };

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
    ct_atomic atomic;
} atomic_row;

#define REDUCES \
    { SMP_ATOM_SHARED, SMP_RED_SHARED, false }

static const atomic_row atomics[] = {
    {"atomicAdd", REDUCES},
    {"atomicSub", REDUCES},
    {"atomicMin", REDUCES},
    {"atomicMax", REDUCES},
    {"atomicInc", REDUCES},
    {"atomicDec", REDUCES},
    {"atomicAnd", REDUCES},
    {"atomicOr", REDUCES},
    {"atomicXor", REDUCES},
    {"atomicExch", {SMP_ATOM_SHARED, SMP_ATOM_SHARED, true}},
    {"atomicCAS", {SMP_ATOM_SHARED_CAS, SMP_ATOM_SHARED_CAS, true}},
};

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

static const verb_row *find_verb(const ct_parser *parser) {
    for (size_t i = 0; i < COUNT(verbs); i++) {
        if (ct_parser_is_name(parser, verbs[i].name))
            return &verbs[i];
    }
    return NULL;
}

bool ct_atomic_find(const ct_token *name, ct_atomic *out) {
    static const char *const scopes[] = {"", "_block", "_system"};
    for (size_t i = 0; i < COUNT(atomics) * COUNT(scopes); i++) {
        const atomic_row *row = &atomics[i / COUNT(scopes)];
        const char *scope = scopes[i % COUNT(scopes)];
        size_t length = strlen(row->name);
        bool same = name->kind == CT_TOKEN_NAME && name->length == length + strlen(scope) &&
                    memcmp(name->text, row->name, length) == 0 &&
                    memcmp(name->text + length, scope, strlen(scope)) == 0;
        if (!same)
            continue;
        *out = row->atomic;
        return true;
    }
    return false;
}

/* ---- One more access ------------------------------------------------------------------- */

static bool split(ct_parser *parser, smp_request *request, size_t position) {
    const smp_target *target = &request->target;
    uint32_t width = target->align < VECTOR_BYTES ? target->align : VECTOR_BYTES;
    request->width_bytes = width;
    request->parts = target->size_bytes / width;
    if (request->parts <= PARTS_MAX)
        return true;
    return ct_parser_fail(parser, SMP_E_WIDTH, position,
                          "an object of %u bytes takes more than %d instructions: access a member",
                          target->size_bytes, PARTS_MAX);
}

static smp_target target_of(ct_parser *parser, const ct_operand *object) {
    int32_t column;
    const smp_type *type = object->shape.type;
    const smp_type *element = type->element ? type->element : type;
    (void)ct_parser_line(parser, object->text_start, &column);
    return (smp_target){.array = (uint32_t)object->array,
                        .position = (size_t)column,
                        .size_bytes = (uint32_t)smp_shape_size(object->shape),
                        .align = type->align,
                        .is_float = element->is_float,
                        .checks_range = object->is_loose};
}

/* The access that the instructions up to here prepared; the last one makes it. */
static smp_request *add(ct_parser *parser, const ct_operand *object, ct_access_form form,
                        bool has_rank) {
    smp_layout *layout = parser->layout;
    size_t start = object->text_start;
    const smp_array *array = &layout->kernel.arrays[object->array];
    bool has_one = form == CT_TAKES_OFFSET || form == CT_KEEPS_OFFSET || form == CT_READS_VALUE;
    unsigned operands = has_one ? 1 : 2;
    unsigned kind =
        (has_rank ? CT_ACCESS_HAS_RANK : 0) |
        (form == CT_TAKES_OFFSET && smp_type_is_integer(array->type) ? CT_ACCESS_HAS_DATA : 0);
    ct_expr_instruction instruction = {.op = CT_CODE_ACCESS,
                                       .kind = (uint8_t)kind,
                                       .slot = (uint16_t)layout->kernel.access_count,
                                       .value = form,
                                       .limit = (int64_t)array->length,
                                       .name = array->name};
    if (layout->kernel.access_count == CT_ACCESSES_MAX) {
        (void)ct_parser_fail(parser, SMP_E_OVERFLOW, start, "more than %d accesses",
                             CT_ACCESSES_MAX);
        return NULL;
    }
    if (!ct_emit(parser, instruction, start, operands + has_rank))
        return NULL;
    int32_t column;
    smp_request *request = &layout->kernel.accesses[layout->kernel.access_count];
    *request = (smp_request){.text = parser->text + start,
                             .length = object->text_end - start,
                             .line = ct_parser_line(parser, start, &column),
                             .is_implied = true,
                             .is_hidden = object->is_hidden,
                             .has_rank = has_rank,
                             .target = target_of(parser, object)};
    request->end_line = request->line;
    if (!split(parser, request, start))
        return NULL;
    parser->has_effect |= form != CT_TAKES_OFFSET && form != CT_READS_VALUE;
    layout->kernel.access_count++;
    return request;
}

static bool is_shared(const ct_parser *parser, const ct_operand *object) {
    return parser->layout->kernel.arrays[object->array].space == SMP_SPACE_SHARED;
}

bool ct_access_load(ct_parser *parser, const ct_operand *object, ct_access_form form) {
    smp_request *request = add(parser, object, form, false);
    if (request)
        request->op = is_shared(parser, object) ? SMP_LD_SHARED : SMP_LD_GLOBAL;
    return request != NULL;
}

bool ct_access_store(ct_parser *parser, const ct_operand *object, ct_access_form form) {
    smp_request *request = add(parser, object, form, false);
    if (request)
        request->op = is_shared(parser, object) ? SMP_ST_SHARED : SMP_ST_GLOBAL;
    parser->has_effect = true;
    return request != NULL;
}

bool ct_access_atomic(ct_parser *parser, const ct_operand *object, const ct_atomic *atomic) {
    smp_request *request = add(parser, object, CT_TAKES_OPERAND, false);
    if (!request)
        return false;
    request->op = is_shared(parser, object) ? atomic->used : SMP_RED_GLOBAL;
    request->is_implied = false;
    if (is_shared(parser, object) && request->target.is_float && !atomic->keeps_bits)
        request->not_modelled = float_note;
    return true;
}

smp_request *ct_access_reduce(ct_parser *parser, const ct_operand *result) {
    const ct_expr_instruction *made = &parser->code->items[result->atomic - 1];
    smp_request *request = &parser->layout->kernel.accesses[made->slot];
    if (result->is_reduction && request->op == SMP_ATOM_SHARED)
        request->op = SMP_RED_SHARED;
    return request;
}

bool ct_access_copy(ct_parser *parser, const ct_operand *target, const ct_operand *source,
                    uint32_t bytes) {
    bool sound = target->array >= 0 && source->array >= 0 && is_shared(parser, target) &&
                 !is_shared(parser, source);
    if (!sound)
        return ct_parser_fail(parser, SMP_E_SYNTAX, target->text_start,
                              "a copy goes from global to shared memory");
    smp_request *request = add(parser, target, CT_TAKES_SOURCE, false);
    if (!request)
        return false;
    request->source = target_of(parser, source);
    request->has_source = true;
    request->is_implied = false;
    request->op = SMP_CP_ASYNC;
    request->width_bytes = bytes > 0 ? bytes : request->target.size_bytes;
    request->parts = 1;
    sound = request->width_bytes == 4 || request->width_bytes == 8 || request->width_bytes == 16;
    return sound ||
           ct_parser_fail(parser, SMP_E_WIDTH, target->text_start,
                          "cp.async copies 4, 8 or 16 bytes, not %u", request->width_bytes);
}

/* ---- Accesses by name ------------------------------------------------------------------ */

bool ct_access_starts(const ct_parser *parser) {
    static const char *const others[] = {"ldmatrix", "stmatrix", "cp"};
    bool is_word = find_verb(parser) != NULL;
    for (size_t i = 0; i < COUNT(others); i++)
        is_word |= ct_parser_is_name(parser, others[i]);
    ct_token next = ct_parser_peek(parser, 1);
    bool is_punct = next.kind == CT_TOKEN_PUNCT;
    bool assigns = is_punct && next.code != '.' && next.code != '*' && next.code != '&' &&
                   next.code != '(' && next.code != CT_PUNCT2(':', ':');
    return is_word && !assigns &&
           !ct_scope_find(&parser->layout->scope, parser->token.text, parser->token.length);
}

static bool fail_unfinished(ct_parser *parser, const ct_operand *p) {
    const smp_array *array = &parser->layout->kernel.arrays[p->array];
    return ct_parser_fail(parser, SMP_E_SYNTAX, p->position,
                          "this is a whole array, not an element: '%.*s' has %u dimension%s",
                          (int)array->length, array->name, array->table.dim_count,
                          array->table.dim_count == 1 ? "" : "s");
}

/* An object, or a pointer to it. */
static bool parse_object(ct_parser *parser, ct_operand *out) {
    size_t start = parser->token.position;
    if (!ct_expr_assignment(parser, out))
        return false;
    bool is_place = out->form == CT_FORM_OBJECT || out->form == CT_FORM_POINTER;
    if (!is_place || out->array == CT_ARRAY_LOCAL)
        return ct_parser_fail(parser, SMP_E_SYNTAX, start,
                              "expected an array element such as tile[threadIdx.x]");
    if (out->form == CT_FORM_OBJECT && !ct_place_is_whole(parser->layout, out))
        return fail_unfinished(parser, out);
    if (out->form == CT_FORM_POINTER && !ct_place_follow(parser, out, start))
        return false;
    out->text_start = start;
    return out->shape.type && out->shape.dim_count == 0
               ? true
               : ct_parser_fail(parser, SMP_E_SYNTAX, start,
                                "this is a whole array, not an element");
}

static bool parse_object_in(ct_parser *parser, smp_space space, ct_operand *out) {
    if (!parse_object(parser, out))
        return false;
    if (parser->layout->kernel.arrays[out->array].space == space)
        return true;
    return ct_parser_fail(parser, SMP_E_SYNTAX, out->text_start, "this must lie in %s memory",
                          space == SMP_SPACE_SHARED ? "shared" : "global");
}

/* "(rank)" behind ".cluster". */
static bool parse_rank(ct_parser *parser) {
    ct_operand rank;
    return ct_parser_expect(parser, '(') && ct_expr_value(parser, &rank) &&
           ct_parser_expect(parser, ')');
}

/* "v2", "f32": how many, of how many bytes, as in PTX; false: it is neither. */
static bool take_width(ct_parser *parser, uint32_t *count, uint32_t *bytes) {
    static const char *const counts[] = {"v2", "v4"};
    static const char types[] = "bufs", *const bits[] = {"8", "16", "32", "64", "128"};
    const ct_token *token = &parser->token;
    for (unsigned i = 0; i < COUNT(counts); i++) {
        if (ct_token_is(token, counts[i]))
            *count = 2 << i;
    }
    for (unsigned i = 0; i < COUNT(bits) && token->kind == CT_TOKEN_NAME; i++) {
        const size_t length = strlen(bits[i]);
        if (token->length == length + 1 && memcmp(token->text + 1, bits[i], length) == 0 &&
            memchr(types, token->text[0], sizeof types - 1))
            *bytes = 1u << i;
    }
    const bool is_one = ct_token_is(token, "v2") || ct_token_is(token, "v4") ||
                        (token->kind == CT_TOKEN_NAME && token->length > 1 && *bytes > 0 &&
                         memchr(types, token->text[0], sizeof types - 1) && token->text[1] >= '0' &&
                         token->text[1] <= '9');
    if (is_one)
        ct_parser_next(parser);
    return is_one;
}

/* Words of PTX that say nothing about which bytes are accessed. */
static bool take_order(ct_parser *parser) {
    static const char *const words[] = {"volatile", "weak", "relaxed", "acquire", "release", "cta",
                                        "gpu",      "sys",  "ca",      "cg",      "cs",      "lu",
                                        "cv",       "wb",   "wt",      "nc"};
    for (size_t i = 0; i < COUNT(words); i++) {
        if (ct_parser_accept_name(parser, words[i]))
            return true;
    }
    return false;
}

/* What stands behind "ld" and "st". */
typedef struct access_words {
    smp_space space;       /* SMP_SPACE_COPY: not said */
    uint32_t count, bytes; /* 0: as the object is */
} access_words;

/* ".shared", ".global", ".cluster(rank)", "::cluster(rank)", ".volatile", ".v4.f32", or nothing. */
static bool parse_words(ct_parser *parser, access_words *out) {
    *out = (access_words){.space = SMP_SPACE_COPY};
    while (ct_parser_is(parser, '.') || ct_parser_is(parser, CT_PUNCT2(':', ':'))) {
        ct_parser_next(parser);
        if (ct_parser_accept_name(parser, "shared"))
            out->space = SMP_SPACE_SHARED;
        else if (ct_parser_accept_name(parser, "global"))
            out->space = SMP_SPACE_GLOBAL;
        else if (ct_parser_accept_name(parser, "cluster"))
            out->space = SMP_SPACE_CLUSTER;
        else if (!take_order(parser) && !take_width(parser, &out->count, &out->bytes))
            return ct_parser_fail(parser, SMP_E_UNKNOWN_OP, parser->token.position,
                                  "expected shared, global or cluster, or a width such as "
                                  "v4.f32");
    }
    return out->space != SMP_SPACE_CLUSTER || parse_rank(parser);
}

/* ".v4.f32": so many bytes at the object's address, whatever it is. */
static bool apply_width(ct_parser *parser, const access_words *words, ct_operand *object) {
    const uint32_t count = words->count > 0 ? words->count : 1;
    const smp_type *type = ct_type_of_bytes(count * words->bytes);
    if (words->count == 0 && words->bytes == 0)
        return true;
    if (words->bytes == 0 || !type)
        return ct_parser_fail(parser, SMP_E_WIDTH, object->text_start,
                              "one instruction moves 1, 2, 4, 8 or 16 bytes of a thread: .v4 needs "
                              "a type, such as .v4.f32");
    object->is_loose |= object->shape.type->size != type->size;
    object->shape = (smp_shape){.type = type};
    return true;
}

/* From here on it is an access by name, of the whole statement's text. */
static smp_request *name_access(smp_request *request, smp_op op) {
    if (!request)
        return NULL;
    request->op = op;
    request->is_implied = false;
    return request;
}

static bool parse_verb(ct_parser *parser, const verb_row *row) {
    access_words words;
    ct_operand object;
    ct_parser_next(parser);
    if (!parse_words(parser, &words) || !parse_object(parser, &object) ||
        !apply_width(parser, &words, &object))
        return false;
    const smp_space space = words.space;
    smp_space actual = parser->layout->kernel.arrays[object.array].space;
    bool is_remote = space == SMP_SPACE_CLUSTER;
    smp_space wanted = is_remote ? SMP_SPACE_SHARED : space;
    if (wanted != SMP_SPACE_COPY && wanted != actual)
        return ct_parser_fail(parser, SMP_E_SYNTAX, object.text_start, "this lies in %s memory",
                              actual == SMP_SPACE_SHARED ? "shared" : "global");
    smp_op op = is_remote ? row->cluster : actual == SMP_SPACE_SHARED ? row->shared : row->global;
    return name_access(add(parser, &object, CT_TAKES_OFFSET, is_remote), op) != NULL;
}

/* "ldmatrix.x4.trans", with PTX's other modifiers allowed in between. */
static bool parse_matrix(ct_parser *parser) {
    static const char *const counts[] = {"x1", "x2", "x4"};
    static const char *const ignored[] = {"sync", "aligned", "m8n8", "shared", "b16"};
    bool is_load = ct_parser_is_name(parser, "ldmatrix"), is_transposed = false;
    int matrices = -1;
    ct_operand object;
    ct_parser_next(parser);
    while (ct_parser_accept(parser, '.')) {
        bool known = ct_parser_accept_name(parser, "trans");
        is_transposed |= known;
        for (int i = 0; i < 3 && !known; i++) {
            known = ct_parser_accept_name(parser, counts[i]);
            matrices = known ? i : matrices;
        }
        for (size_t i = 0; i < COUNT(ignored) && !known; i++)
            known = ct_parser_accept_name(parser, ignored[i]);
        if (!known)
            return ct_parser_fail(parser, SMP_E_UNKNOWN_OP, parser->token.position,
                                  "expected x1, x2, x4 or trans");
    }
    if (matrices < 0)
        return ct_parser_fail(parser, SMP_E_UNKNOWN_OP, parser->token.position,
                              "the number of matrices is missing: .x1, .x2 or .x4");
    smp_op first = is_load ? (is_transposed ? SMP_LDMATRIX_X1_TRANS : SMP_LDMATRIX_X1)
                           : (is_transposed ? SMP_STMATRIX_X1_TRANS : SMP_STMATRIX_X1);
    if (!parse_object_in(parser, SMP_SPACE_SHARED, &object))
        return false;
    smp_request *request =
        name_access(add(parser, &object, CT_TAKES_OFFSET, false), (smp_op)((int)first + matrices));
    if (!request)
        return false;
    request->width_bytes = VECTOR_BYTES;
    request->parts = 1;
    return true;
}

/* "cp.async &s[...], &g[...] [, bytes]". */
static bool parse_copy(ct_parser *parser) {
    ct_parser_next(parser);
    bool is_async = ct_parser_accept(parser, '.') && ct_parser_accept_name(parser, "async");
    if (!is_async)
        return ct_parser_fail(parser, SMP_E_UNKNOWN_OP, parser->token.position,
                              "expected cp.async");
    static const char *const ignored[] = {"ca", "cg", "shared", "global"};
    while (ct_parser_accept(parser, '.')) {
        bool known = false;
        for (size_t i = 0; i < COUNT(ignored) && !known; i++)
            known = ct_parser_accept_name(parser, ignored[i]);
        if (!known)
            return ct_parser_fail(parser, SMP_E_UNKNOWN_OP, parser->token.position,
                                  "expected ca, cg, shared or global");
    }
    int64_t bytes = 0;
    ct_operand target, source;
    if (!parse_object_in(parser, SMP_SPACE_SHARED, &target) || !ct_parser_expect(parser, ',') ||
        !parse_object_in(parser, SMP_SPACE_GLOBAL, &source))
        return false;
    if (ct_parser_accept(parser, ',') &&
        !ct_expr_constant_in(parser, "the size", 4, VECTOR_BYTES, &bytes))
        return false;
    return ct_access_copy(parser, &target, &source, (uint32_t)bytes);
}

bool ct_access_parse(ct_parser *parser) {
    ct_program program;
    const verb_row *verb = find_verb(parser);
    bool is_matrix = ct_parser_is_name(parser, "ldmatrix") || ct_parser_is_name(parser, "stmatrix");
    ct_program_begin(parser, &program);
    bool sound = verb        ? parse_verb(parser, verb)
                 : is_matrix ? parse_matrix(parser)
                             : parse_copy(parser);
    if (!sound)
        return false;
    smp_request *request =
        &parser->layout->kernel.accesses[parser->layout->kernel.access_count - 1];
    request->text = parser->text + parser->access_start;
    request->length = parser->last_end - parser->access_start;
    ct_program_end(parser, CT_DATA, &program);
    return ct_parser_expect_end(parser) && ct_program_add(parser, &program);
}
