/* SPDX-License-Identifier: MIT */
/*
 * Objects in memory, as C writes them: an array, indices, members, address-of, dereference,
 * pointer arithmetic, and casts that reinterpret ("*(float4 *)&tile[i][j]"). The code that comes
 * out leaves the byte offset from the start of the array. Each index is checked against its own
 * dimension; where a cast or pointer arithmetic makes that impossible, the whole array is the
 * bound.
 */
#include "layout.h"

/* What has been read so far: an object, or a pointer to one. */
typedef struct place {
    int array; /* -1: none yet */
    bool is_pointer;
    bool is_root;  /* still the declared array; `used` of its dimensions are indexed */
    bool is_loose; /* moved by a cast or by arithmetic: check the range at the end */
    uint32_t used;
    smp_shape shape; /* else */
    size_t position;
} place;

static bool parse_unary_place(smp_parser *parser, const smp_layout *layout, place *out);
static bool parse_sum(smp_parser *parser, const smp_layout *layout, place *out);

static const smp_array *array_of(const smp_layout *layout, const place *p) {
    return &layout->arrays[p->array];
}

/* Indexed to the last dimension, thus a scalar, vector or struct. */
static bool is_whole(const smp_layout *layout, const place *p) {
    if (p->is_root)
        return p->used == array_of(layout, p)->table.dim_count;
    return p->shape.dim_count == 0;
}

static bool is_plain(const smp_array *array) {
    return array->table.is_row_major && !array->table.swizzle.present;
}

/* Bytes from one element to the next along the next dimension of an unfinished root. */
static int64_t root_stride(const smp_array *array, uint32_t used) {
    return array->table.dims[used].stride[0] * array->table.element_bytes;
}

static bool emit_index(smp_parser *parser, smp_kind kind, size_t position, int64_t stride,
                       int64_t limit) {
    smp_instruction instruction = {.op = SMP_CODE_INDEX,
                                   .kind = (uint8_t)kind,
                                   .position = (int32_t)position,
                                   .value = stride,
                                   .limit = limit};
    return smp_emit(parser, instruction, 2);
}

/* The last index of a root has been read: from here on it is an object of the element type. */
static bool finish_root(smp_parser *parser, const smp_layout *layout, place *p) {
    const smp_array *array = array_of(layout, p);
    p->is_root = false;
    p->shape = (smp_shape){.type = array->type};
    if (!array->table.swizzle.present)
        return true;
    smp_instruction instruction = {
        .op = SMP_CODE_SWIZZLE, .position = (int32_t)p->position, .mode = &array->table};
    return smp_emit(parser, instruction, 1);
}

static bool index_root(smp_parser *parser, const smp_layout *layout, place *p, smp_kind kind,
                       size_t position) {
    const smp_array *array = array_of(layout, p);
    const smp_mode_table *table = &array->table;
    const smp_mode *mode = &table->dims[p->used];
    smp_instruction instruction = {.op = table->is_row_major ? SMP_CODE_INDEX : SMP_CODE_MODE,
                                   .kind = (uint8_t)kind,
                                   .slot = (uint16_t)p->used,
                                   .position = (int32_t)position,
                                   .value = root_stride(array, p->used),
                                   .limit = mode->extent,
                                   .mode = table};
    if (!table->is_row_major)
        instruction.value = table->element_bytes;
    p->used++;
    if (!smp_emit(parser, instruction, 2))
        return false;
    return p->used < table->dim_count || finish_root(parser, layout, p);
}

/* A pointer to the first element of what is an array. */
static bool decay(smp_parser *parser, const smp_layout *layout, place *p, size_t position) {
    if (p->is_pointer)
        return true;
    if (is_whole(layout, p))
        return smp_parser_fail(parser, SMP_E_SYNTAX, position, "this is neither array nor pointer");
    if (!p->is_root) {
        for (uint32_t d = 1; d < p->shape.dim_count; d++)
            p->shape.dims[d - 1] = p->shape.dims[d];
        p->shape.dim_count--;
        p->is_pointer = true;
        return true;
    }
    const smp_array *array = array_of(layout, p);
    bool one_left = p->used + 1 == array->table.dim_count;
    if (!is_plain(array) || !one_left)
        return smp_parser_fail(parser, SMP_E_SYNTAX, position,
                               "index '%.*s' in all its dimensions first", (int)array->length,
                               array->name);
    p->is_root = false;
    p->is_pointer = true;
    p->shape = (smp_shape){.type = array->type};
    return true;
}

/* p + index, for a pointer. */
static bool emit_pointer_index(smp_parser *parser, place *p, smp_kind kind, size_t position,
                               bool subtract) {
    int64_t stride = (int64_t)smp_shape_size(p->shape);
    p->is_loose = true;
    return emit_index(parser, kind, position, subtract ? -stride : stride, 0);
}

static bool fail_too_many(smp_parser *parser, const smp_layout *layout, const place *p,
                          size_t position) {
    const smp_array *array = array_of(layout, p);
    return smp_parser_fail(parser, SMP_E_SYNTAX, position, "too many indices for '%.*s'",
                           (int)(array->length < 40 ? array->length : 40), array->name);
}

static bool parse_index(smp_parser *parser, const smp_layout *layout, place *p, uint32_t close) {
    size_t position = parser->token.position;
    smp_kind kind;
    bool is_root = p->is_root && !p->is_pointer;
    if (is_whole(layout, p) && !p->is_pointer)
        return fail_too_many(parser, layout, p, position);
    bool is_member_array = !is_root && !p->is_pointer;
    int64_t limit = is_member_array ? p->shape.dims[0] : 0;
    if (!is_root && !decay(parser, layout, p, position))
        return false;
    if (!smp_expr_parse(parser, &kind))
        return false;
    bool more = close == ')' && smp_parser_is(parser, ',');
    if (!more && !smp_parser_expect(parser, close))
        return false;
    if (is_root)
        return index_root(parser, layout, p, kind, position);
    p->is_pointer = false;
    int64_t stride = (int64_t)smp_shape_size(p->shape);
    p->is_loose |= limit == 0;
    return emit_index(parser, kind, position, stride, limit);
}

static bool parse_member(smp_parser *parser, const smp_layout *layout, place *p) {
    smp_token name = parser->token;
    smp_member member;
    bool has_members = is_whole(layout, p) && !p->is_root;
    if (!has_members || name.kind != SMP_TOKEN_NAME ||
        !smp_type_member(p->shape.type, parser->text + name.position, name.length, &member))
        return smp_parser_fail(parser, SMP_E_SYNTAX, name.position, "no member '%.*s' here",
                               SMP_TOKEN_TEXT(parser, name));
    smp_parser_next(parser);
    smp_instruction offset = {
        .op = SMP_CODE_CONST, .position = (int32_t)name.position, .value = member.offset};
    smp_instruction add = {.op = SMP_CODE_ADD, .kind = SMP_I64, .position = (int32_t)name.position};
    p->shape = member.shape;
    return smp_emit(parser, offset, 0) && smp_emit(parser, add, 2);
}

static bool parse_postfix(smp_parser *parser, const smp_layout *layout, place *p) {
    for (;;) {
        if (smp_parser_accept(parser, '[')) {
            if (!parse_index(parser, layout, p, ']'))
                return false;
        } else if (p->is_root && p->used == 0 && smp_parser_accept(parser, '(')) {
            bool sound = parse_index(parser, layout, p, ')');
            while (sound && smp_parser_accept(parser, ','))
                sound = parse_index(parser, layout, p, ')');
            if (!sound)
                return false;
        } else if (smp_parser_is(parser, SMP_PUNCT2('-', '>')) && p->is_pointer) {
            p->is_pointer = false;
            smp_parser_next(parser);
            if (!parse_member(parser, layout, p))
                return false;
        } else if (!p->is_pointer && smp_parser_accept(parser, '.')) {
            if (!parse_member(parser, layout, p))
                return false;
        } else {
            return parser->status == SMP_OK;
        }
    }
}

static bool parse_name(smp_parser *parser, const smp_layout *layout, place *out) {
    smp_token name = parser->token;
    if (name.kind != SMP_TOKEN_NAME)
        return smp_parser_fail(parser, SMP_E_SYNTAX, name.position,
                               "expected an array element such as tile[threadIdx.x]");
    out->array = smp_array_find(layout, parser->text + name.position, name.length);
    if (out->array < 0)
        return smp_parser_fail(parser, SMP_E_SYNTAX, name.position, "no array '%.*s' is declared",
                               SMP_TOKEN_TEXT(parser, name));
    smp_parser_next(parser);
    out->position = name.position;
    const smp_array *array = array_of(layout, out);
    out->is_root = true;
    smp_instruction zero = {.op = SMP_CODE_CONST, .position = (int32_t)name.position};
    if (!smp_emit(parser, zero, 0))
        return false;
    return array->table.dim_count > 0 || finish_root(parser, layout, out);
}

/* Makes a pointer to `type` of a pointer to anything. */
static bool reinterpret(smp_parser *parser, const smp_layout *layout, const smp_type *type,
                        size_t position, place *p) {
    if (p->is_root && is_plain(array_of(layout, p)))
        p->is_root = false;
    else if (!p->is_pointer && !decay(parser, layout, p, position))
        return false;
    p->is_pointer = true;
    p->shape = (smp_shape){.type = type};
    p->is_loose = true;
    return true;
}

/* "float4 *" of a cast, up to and with `close`. */
static bool parse_pointer_type(smp_parser *parser, const smp_layout *layout, uint32_t close,
                               const smp_type **type) {
    return smp_type_parse(parser, &layout->types, type) && smp_parser_expect(parser, '*') &&
           smp_parser_expect(parser, close);
}

static bool parse_reinterpret_cast(smp_parser *parser, const smp_layout *layout, place *out) {
    size_t position = parser->token.position;
    const smp_type *type;
    smp_parser_next(parser);
    return smp_parser_expect(parser, '<') && parse_pointer_type(parser, layout, '>', &type) &&
           smp_parser_expect(parser, '(') && parse_sum(parser, layout, out) &&
           smp_parser_expect(parser, ')') && reinterpret(parser, layout, type, position, out);
}

static bool parse_primary(smp_parser *parser, const smp_layout *layout, place *out) {
    size_t position = parser->token.position;
    if (smp_parser_is_name(parser, "reinterpret_cast"))
        return parse_reinterpret_cast(parser, layout, out) && parse_postfix(parser, layout, out);
    if (!smp_parser_accept(parser, '('))
        return parse_name(parser, layout, out) && parse_postfix(parser, layout, out);
    if (smp_type_starts(parser, &layout->types)) {
        const smp_type *type;
        return parse_pointer_type(parser, layout, ')', &type) &&
               parse_unary_place(parser, layout, out) &&
               reinterpret(parser, layout, type, position, out);
    }
    return parse_sum(parser, layout, out) && smp_parser_expect(parser, ')') &&
           parse_postfix(parser, layout, out);
}

static bool take_address(smp_parser *parser, const smp_layout *layout, place *p, size_t position) {
    if (p->is_pointer)
        return smp_parser_fail(parser, SMP_E_SYNTAX, position, "this has no address");
    if (!is_whole(layout, p))
        return decay(parser, layout, p, position);
    p->is_pointer = true;
    return true;
}

static bool parse_prefix_place(smp_parser *parser, const smp_layout *layout, place *out) {
    size_t position = parser->token.position;
    bool address = smp_parser_is(parser, '&'), follows = smp_parser_is(parser, '*');
    if (!address && !follows)
        return parse_primary(parser, layout, out);
    smp_parser_next(parser);
    if (!parse_unary_place(parser, layout, out))
        return false;
    if (address)
        return take_address(parser, layout, out, position);
    if (!decay(parser, layout, out, position))
        return false;
    out->is_pointer = false;
    return true;
}

static bool parse_unary_place(smp_parser *parser, const smp_layout *layout, place *out) {
    if (parser->depth >= SMP_EXPR_DEPTH_MAX)
        return smp_parser_fail(parser, SMP_E_OVERFLOW, parser->token.position,
                               "expression nested too deeply");
    parser->depth++;
    bool sound = parse_prefix_place(parser, layout, out);
    parser->depth--;
    return sound && parser->status == SMP_OK;
}

/* pointer + index - index ... : each summand is read up to the next sum operator. */
static bool parse_sum(smp_parser *parser, const smp_layout *layout, place *out) {
    if (!parse_unary_place(parser, layout, out))
        return false;
    while (smp_parser_is(parser, '+') || smp_parser_is(parser, '-')) {
        size_t position = parser->token.position;
        bool subtract = smp_parser_is(parser, '-');
        smp_kind kind;
        smp_parser_next(parser);
        if (!decay(parser, layout, out, position) || !smp_expr_term(parser, &kind) ||
            !emit_pointer_index(parser, out, kind, position, subtract))
            return false;
    }
    return parser->status == SMP_OK;
}

static bool fail_unfinished(smp_parser *parser, const smp_layout *layout, const place *p) {
    const smp_array *array = array_of(layout, p);
    return smp_parser_fail(parser, SMP_E_SYNTAX, p->position,
                           "this is a whole array, not an element: '%.*s' has %u dimension%s",
                           (int)array->length, array->name, array->table.dim_count,
                           array->table.dim_count == 1 ? "" : "s");
}

static bool parse_target(smp_parser *parser, const smp_layout *layout, bool sums, smp_target *out) {
    place p = {.array = -1};
    *out = (smp_target){.position = parser->token.position};
    out->program.start = parser->code->count;
    parser->stack = 0;
    parser->slots = 0;
    bool sound = sums ? parse_sum(parser, layout, &p) : parse_unary_place(parser, layout, &p);
    if (!sound)
        return false;
    if (!is_whole(layout, &p) && !p.is_pointer)
        return fail_unfinished(parser, layout, &p);
    out->array = (uint32_t)p.array;
    out->program.count = parser->code->count - out->program.start;
    out->program.kind = SMP_I64;
    out->program.slots = parser->slots;
    out->size_bytes = (uint32_t)smp_shape_size(p.shape);
    out->align = p.shape.type->align;
    const smp_type *element = p.shape.type->element ? p.shape.type->element : p.shape.type;
    out->is_float = element->is_float;
    out->checks_range = p.is_loose;
    return true;
}

bool smp_place_parse(smp_parser *parser, const smp_layout *layout, smp_target *out) {
    return parse_target(parser, layout, true, out);
}

bool smp_object_parse(smp_parser *parser, const smp_layout *layout, smp_target *out) {
    return parse_target(parser, layout, false, out);
}
