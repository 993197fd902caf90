/* SPDX-License-Identifier: MIT */
/*
 * Objects in memory: arrays, indices, members, address-of, dereference, pointer arithmetic and
 * reinterpreting casts ("*(float4 *)&tile[i][j]"). The code computes the byte offset from the
 * start of the array. Each index is checked against its dimension; after a cast or pointer
 * arithmetic, the offset is checked against the whole array. Local arrays and structs have no
 * offset, and their values are not tracked.
 *
 * Accesses to objects, made by expressions or by name, as in PTX (ld st ldmatrix stmatrix
 * cp.async, with .shared .global .cluster). An object too wide or not aligned enough for one
 * instruction (float3, a struct) takes several, as with a compiler.
 */
#include <string.h>

#include "lower.h"
#include "text_buffer.h"

const smp_array *ct_place_array_of(const ct_lower *l, const ct_operand *p) {
    return &l->layout->kernel.arrays[p->array];
}

bool ct_place_is_shared(const ct_lower *l, const ct_operand *p) {
    return p->array >= 0 && ct_place_array_of(l, p)->space == SMP_SPACE_SHARED;
}

static bool emit_index(ct_lower *l, ct_kind kind, int64_t stride, int64_t limit) {
    ct_expr_instruction instruction = {
        .op = CT_CODE_INDEX, .kind = (uint8_t)kind, .value = stride, .limit = limit};
    return ct_emit(l, instruction, l->position, 2);
}

/* ---- Arrays ---- */

ct_operand ct_place_pointer(const ct_lower *l, ct_symbol *symbol) {
    return (ct_operand){.form = CT_FORM_POINTER,
                        .kind = CT_I64,
                        .symbol = symbol,
                        .position = l->position,
                        .array = symbol->array,
                        .is_loose = true,
                        .is_hidden = true,
                        .is_constant = symbol->is_constant,
                        .shape = symbol->shape};
}

bool ct_place_array(ct_lower *l, int array, const ct_token *name, ct_operand *out) {
    const smp_array *of = &l->layout->kernel.arrays[array];
    const smp_mode_table *table = &of->table;
    *out = (ct_operand){.form = CT_FORM_OBJECT,
                        .array = array,
                        .shape = {.type = of->type, .dim_count = table->dim_count},
                        .is_hidden = name->is_expanded,
                        .position = name->position};
    for (uint32_t d = 0; d < table->dim_count; d++)
        out->shape.dims[d] = table->dims[d].extent;
    out->has_layout = table->dim_count > 0 && (!table->is_row_major || table->swizzle.present);
    return ct_emit_constant(l, 0);
}

static smp_shape shape_element(smp_shape shape) {
    shape.dim_count--;
    for (uint32_t d = 0; d < shape.dim_count; d++)
        shape.dims[d] = shape.dims[d + 1];
    return shape;
}

/* ---- CuTe layouts ---- */

/* Applies one index; `is_of_all`: a linear index, "a(i)". */
static bool index_layout(ct_lower *l, ct_operand *p, ct_kind kind, bool is_of_all) {
    const smp_mode_table *table = &ct_place_array_of(l, p)->table;
    const uint32_t dim = table->dim_count - p->shape.dim_count;
    const bool is_plain = table->is_row_major; /* apart from the swizzle */
    ct_expr_instruction index = {.op = is_plain ? CT_CODE_INDEX : CT_CODE_MODE,
                                 .kind = (uint8_t)kind,
                                 .slot = (uint16_t)(is_of_all ? SMP_DIMS_MAX : dim),
                                 .value = table->element_bytes *
                                          (is_plain ? table->dims[dim].stride[0] : 1),
                                 .limit = 1,
                                 .mode = table};
    do {
        index.limit *= p->shape.dims[0];
        p->shape = shape_element(p->shape);
    } while (is_of_all && p->shape.dim_count > 0);
    p->has_layout = p->shape.dim_count > 0;
    const ct_expr_instruction swizzle = {.op = CT_CODE_SWIZZLE, .mode = table};
    return ct_emit(l, index, l->position, 2) &&
           (p->has_layout || !table->swizzle.present || ct_emit(l, swizzle, p->position, 1));
}

/* Fails if the array has a CuTe layout and lacks indices. */
static bool check_layout(ct_lower *l, const ct_operand *p, size_t position) {
    const smp_array *array = p->has_layout ? ct_place_array_of(l, p) : NULL;
    return !array || ct_refuse(l, position, "index '%.*s' in all its dimensions first",
                               (int)array->length, array->name);
}

/* ---- Pointers ---- */

/* It no longer is a variable. Always true. */
static bool become(ct_operand *p, ct_operand_form form) {
    p->form = form;
    p->symbol = NULL;
    return true;
}

bool ct_place_decay(ct_lower *l, ct_operand *p, size_t position) {
    if (p->form == CT_FORM_POINTER)
        return true;
    if (p->form != CT_FORM_OBJECT || p->shape.dim_count == 0)
        return ct_refuse(l, position, "this is neither an array nor a pointer");
    if (!check_layout(l, p, position))
        return false;
    p->shape = shape_element(p->shape);
    return become(p, CT_FORM_POINTER);
}

bool ct_place_move(ct_lower *l, ct_operand *p, ct_kind kind, bool subtract) {
    p->is_loose = true;
    p->symbol = NULL;
    if (p->array < 0)
        return ct_emit_merge(l, 2);
    if (!p->shape.type)
        return ct_refuse_here(l, "what this points to has an unknown size");
    int64_t stride = (int64_t)smp_shape_size(p->shape);
    return emit_index(l, kind, subtract ? -stride : stride, 0);
}

bool ct_place_address(ct_lower *l, ct_operand *p) {
    if (p->form == CT_FORM_SLOT)
        return ct_refuse_here(l, "the address of a variable is not supported");
    if (p->form != CT_FORM_OBJECT)
        return ct_refuse_here(l, "this has no address");
    return check_layout(l, p, l->position) && become(p, CT_FORM_POINTER);
}

bool ct_place_follow(ct_lower *l, ct_operand *p, size_t position) {
    if (!ct_place_decay(l, p, position))
        return false;
    if (p->array == CT_ARRAY_NONE)
        return ct_refuse(l, position, "the target of this pointer is unknown");
    if (p->array >= 0 && !p->shape.type)
        return ct_refuse(l, position, "what this points to has an unknown size");
    return become(p, CT_FORM_OBJECT);
}

bool ct_place_cast(ct_lower *l, ct_operand *p, smp_shape shape) {
    if (!check_layout(l, p, l->position))
        return false;
    if (p->form == CT_FORM_OBJECT && p->shape.dim_count == 0)
        return ct_refuse_here(l,
                              "this is neither an array nor a pointer; did you mean its address?");
    p->is_loose = true;
    if (shape.type)
        p->shape = shape;
    return become(p, CT_FORM_POINTER);
}

/* ---- Indices and members ---- */

static bool fail_too_many(ct_lower *l, const ct_operand *p) {
    const bool is_place = p->form == CT_FORM_OBJECT || p->form == CT_FORM_POINTER;
    if (is_place && p->shape.type == &ct_type_pointer)
        return ct_refuse_here(
            l, "pointers in structs are not tracked; 'emulate' runs the machine code");
    if (!is_place || p->array < 0)
        return ct_refuse_here(l, "too many indices: this is neither an array nor a pointer");
    const smp_array *array = ct_place_array_of(l, p);
    return ct_refuse_here(l, "too many indices for '%.*s'",
                          TEXT_CUT(array->name, array->length, 40));
}

/* Keeps the load of a constant at an address for each lane, once for all its indices. */
static void keep_constant(ct_lower *l, const ct_operand *p, size_t end) {
    smp_constant *constants = l->layout->kernel.constants;
    uint32_t *count = &l->layout->kernel.constant_count;
    const char *text = l->unit->text + p->position;
    *count -= *count > 0 && constants[*count - 1].text == text;
    if (*count < CT_CONSTANTS_MAX)
        constants[(*count)++] =
            (smp_constant){text, end - p->position, ct_unit_line(l->unit, p->position, NULL)};
}

/* An index of a local object. */
static bool index_local(ct_lower *l, ct_operand *p) {
    if (p->form == CT_FORM_OBJECT && p->shape.dim_count == 0 && p->shape.type)
        return fail_too_many(l, p);
    if (p->form == CT_FORM_OBJECT && p->shape.dim_count > 0)
        p->shape = shape_element(p->shape);
    return become(p, CT_FORM_OBJECT) && ct_emit_merge(l, 2);
}

static bool index_pointer(ct_lower *l, ct_operand *p, ct_kind kind) {
    bool is_member = p->form == CT_FORM_OBJECT;
    int64_t limit = is_member ? p->shape.dims[0] : 0;
    ct_place_decay(l, p, l->position);
    if (!p->shape.type)
        return ct_refuse_here(l, "what this points to has an unknown size");
    p->is_loose |= !is_member;
    return become(p, CT_FORM_OBJECT) &&
           emit_index(l, kind, (int64_t)smp_shape_size(p->shape), limit);
}

bool ct_place_index(ct_lower *l, ct_operand *p, const ct_node *node, bool is_alone) {
    ct_operand index;
    bool varies = false;
    bool is_array = p->form == CT_FORM_OBJECT || p->form == CT_FORM_POINTER;
    l->position = ct_begin(l, node);
    if (p->array == CT_ARRAY_NONE && p->form == CT_FORM_POINTER)
        return ct_place_follow(l, p, l->position);
    if (!is_array || (p->array >= 0 && p->form == CT_FORM_OBJECT && p->shape.dim_count == 0))
        return fail_too_many(l, p);
    l->in_index++;
    bool sound = ct_lower_watched(l, node, &index, ct_lower_number, &varies);
    l->in_index--;
    if (!sound)
        return false;
    if (p->is_constant && varies)
        keep_constant(l, p, ct_end(l, node) + 1);
    if (p->array < 0)
        return index_local(l, p);
    if (p->has_layout)
        return index_layout(l, p, index.kind,
                            is_alone && !ct_place_array_of(l, p)->table.is_row_major);
    return index_pointer(l, p, index.kind);
}

bool ct_place_member(ct_lower *l, ct_operand *p, const ct_node *node) {
    const ct_token *name = &l->tokens[node->at];
    smp_member member;
    if (p->array == CT_ARRAY_LOCAL && !p->shape.type)
        return l->status == SMP_OK;
    bool has_members = p->form == CT_FORM_OBJECT && p->shape.dim_count == 0;
    if (!has_members || !ct_type_member(p->shape.type, name->word, &member))
        return ct_refuse(l, name->position, "no member '%.*s' here%s%.*s", CT_TOKEN_TEXT(*name),
                         has_members ? ": this is a " : "",
                         has_members ? (int)p->shape.type->length : 0,
                         has_members ? p->shape.type->name : "");
    p->shape = member.shape;
    if (p->array < 0)
        return l->status == SMP_OK;
    l->position = name->position;
    return ct_emit_constant(l, member.offset) && ct_emit_op(l, CT_CODE_ADD, CT_I64, 2);
}

/* ---- One more access ---- */

enum { PARTS_MAX = 64, VECTOR_BYTES = 16 };

static const char float_note[] = "atomics on floating-point values in shared memory are compiled "
                                 "to a compare-and-swap loop: the count depends on the data";

typedef struct verb_row {
    const char *name;
    smp_op shared, global, cluster;
} verb_row;

static const verb_row verbs[] = {
    {"ld", SMP_LD_SHARED, SMP_LD_GLOBAL, SMP_LD_CLUSTER},
    {"st", SMP_ST_SHARED, SMP_ST_GLOBAL, SMP_ST_CLUSTER},
    {"atom", SMP_ATOM_SHARED, SMP_RED_GLOBAL, SMP_ATOM_CLUSTER},
    {"red", SMP_RED_SHARED, SMP_RED_GLOBAL, SMP_ATOM_CLUSTER},
};

static smp_target target_of(ct_lower *l, const ct_operand *object) {
    int32_t column;
    const smp_type *type = object->shape.type;
    const smp_type *element = type->element ? type->element : type;
    (void)ct_unit_line(l->unit, object->text_start, &column);
    return (smp_target){.array = (uint32_t)object->array,
                        .position = (size_t)column,
                        .size_bytes = (uint32_t)smp_shape_size(object->shape),
                        .align = type->align,
                        .is_float = element->is_float,
                        .checks_range = object->is_loose};
}

/* Emits an access whose operands are on the stack. */
static smp_request *add(ct_lower *l, const ct_operand *object, ct_access_form form, bool has_rank) {
    ct_draft *layout = l->layout;
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
    if (!ct_has_room(l, start, layout->kernel.access_count, CT_ACCESSES_MAX, "accesses") ||
        !ct_emit(l, instruction, start, operands + has_rank))
        return NULL;
    smp_request *request = &layout->kernel.accesses[layout->kernel.access_count];
    *request = (smp_request){.text = l->unit->text + start,
                             .length = object->text_end - start,
                             .line = ct_unit_line(l->unit, start, NULL),
                             .end_line = ct_unit_line(l->unit, l->end, NULL),
                             .statement = l->owner,
                             .loops = layout->open_loops,
                             .is_implied = true,
                             .is_hidden = object->is_hidden,
                             .has_rank = has_rank,
                             .target = target_of(l, object)};
    const smp_target *target = &request->target;
    request->width_bytes = target->align < VECTOR_BYTES ? target->align : VECTOR_BYTES;
    request->parts = target->size_bytes / request->width_bytes;
    if (request->parts > PARTS_MAX) {
        ct_fail(l, SMP_E_WIDTH, start,
                "an object of %u bytes takes more than %d instructions: access a member",
                target->size_bytes, PARTS_MAX);
        return NULL;
    }
    layout->kernel.access_count++;
    return request;
}

bool ct_access_plain(ct_lower *l, const ct_operand *object, ct_access_form form, bool stores) {
    const bool is_shared = ct_place_is_shared(l, object);
    smp_request *request = add(l, object, form, false);
    if (request)
        request->op = is_shared ? (stores ? SMP_ST_SHARED : SMP_LD_SHARED)
                                : (stores ? SMP_ST_GLOBAL : SMP_LD_GLOBAL);
    return request;
}

smp_request *ct_access_atomic(ct_lower *l, const ct_operand *object, smp_op op, bool keeps_bits) {
    smp_request *request = add(l, object, CT_TAKES_OPERAND, false);
    if (!request)
        return NULL;
    request->op = ct_place_is_shared(l, object) ? op : SMP_RED_GLOBAL;
    request->is_implied = false;
    if (ct_place_is_shared(l, object) && request->target.is_float && !keeps_bits)
        request->not_modelled = float_note;
    return request;
}

smp_request *ct_access_reduce(ct_lower *l, const ct_operand *result) {
    const ct_expr_instruction *made = &l->code->items[result->atomic - 1];
    smp_request *request = &l->layout->kernel.accesses[made->slot];
    if (result->is_reduction && request->op == SMP_ATOM_SHARED)
        request->op = SMP_RED_SHARED;
    request->is_increment = result->is_increment;
    request->is_merged |= result->merges;
    return request;
}

smp_request *ct_access_copy(ct_lower *l, const ct_operand *target, const ct_operand *source,
                            uint32_t bytes) {
    const bool sound =
        ct_place_is_shared(l, target) && source->array >= 0 && !ct_place_is_shared(l, source);
    smp_request *request = sound ? add(l, target, CT_TAKES_SOURCE, false) : NULL;
    if (!sound)
        ct_refuse(l, target->text_start, "a copy goes from global to shared memory");
    if (!request)
        return NULL;
    request->source = target_of(l, source);
    request->has_source = true;
    request->is_implied = false;
    request->op = SMP_CP_ASYNC;
    request->width_bytes = bytes > 0 ? bytes : request->target.size_bytes;
    request->parts = 1;
    if (request->width_bytes != 4 && request->width_bytes != 8 && request->width_bytes != 16)
        ct_fail(l, SMP_E_WIDTH, target->text_start, "cp.async copies 4, 8 or 16 bytes, not %u",
                request->width_bytes);
    return request;
}

/* ---- Accesses by name ---- */

/* Lowers an object or a pointer to one. */
static bool lower_object(ct_lower *l, const ct_node *node, ct_operand *out) {
    const size_t start = ct_begin(l, node);
    ct_lower_expression(l, node, out);
    if ((out->form != CT_FORM_OBJECT && out->form != CT_FORM_POINTER) ||
        out->array == CT_ARRAY_LOCAL)
        return ct_refuse(l, start, "expected an array element such as tile[threadIdx.x]");
    if (out->form == CT_FORM_OBJECT && out->shape.dim_count > 0) {
        const smp_array *array = ct_place_array_of(l, out);
        return ct_refuse(l, out->position,
                         "this is a whole array, not an element: '%.*s' has %u dimension%s",
                         (int)array->length, array->name, array->table.dim_count,
                         array->table.dim_count == 1 ? "" : "s");
    }
    if (out->form == CT_FORM_POINTER && !ct_place_follow(l, out, start))
        return false;
    out->text_start = start;
    return (out->shape.type && out->shape.dim_count == 0) ||
           ct_refuse(l, start, "this is a whole array, not an element");
}

static bool lower_object_in(ct_lower *l, const ct_node *node, smp_space space, ct_operand *out) {
    return lower_object(l, node, out) &&
           (ct_place_array_of(l, out)->space == space ||
            ct_refuse(l, out->text_start, "this must be in %s memory",
                      space == SMP_SPACE_SHARED ? "shared" : "global"));
}

/* ".v4.f32": accesses this many bytes at the object's address, whatever its type. */
static bool apply_width(ct_lower *l, const struct ct_access_words *words, ct_operand *object) {
    const uint32_t count = words->count > 0 ? words->count : 1;
    const smp_type *type = ct_type_of_bytes(count * words->bytes);
    if (words->count == 0 && words->bytes == 0)
        return true;
    if (words->bytes == 0 || !type)
        return ct_fail(l, SMP_E_WIDTH, object->text_start,
                       "one instruction moves 1, 2, 4, 8 or 16 bytes per thread: .v4 needs a "
                       "type, such as .v4.f32");
    object->is_loose |= object->shape.type->size != type->size;
    object->shape = (smp_shape){.type = type};
    return true;
}

static smp_request *lower_verb(ct_lower *l, const ct_node *node, const verb_row *row) {
    const ct_node *of = node->child;
    const bool is_remote = node->flags & CT_IS_REMOTE;
    const smp_space wanted = (smp_space)node->words.space;
    ct_operand object, rank;
    if (is_remote)
        ct_lower_number(l, of, &rank);
    if (!lower_object(l, is_remote ? of->next : of, &object) ||
        !apply_width(l, &node->words, &object))
        return NULL;
    const smp_space actual = ct_place_array_of(l, &object)->space;
    if (wanted != SMP_SPACE_COPY && wanted != actual)
        ct_refuse(l, object.text_start, "this is in %s memory",
                  actual == SMP_SPACE_SHARED ? "shared" : "global");
    smp_request *request = add(l, &object, CT_TAKES_OFFSET, is_remote);
    if (request)
        request->op = is_remote                    ? row->cluster
                      : actual == SMP_SPACE_SHARED ? row->shared
                                                   : row->global;
    return request;
}

/* "ldmatrix.x4.trans" */
static smp_request *lower_matrix(ct_lower *l, const ct_node *node) {
    const bool is_load = ct_token_is(&l->tokens[node->first], "ldmatrix");
    const bool is_transposed = node->words.is_transposed;
    const smp_op first = is_load ? (is_transposed ? SMP_LDMATRIX_X1_TRANS : SMP_LDMATRIX_X1)
                                 : (is_transposed ? SMP_STMATRIX_X1_TRANS : SMP_STMATRIX_X1);
    ct_operand object;
    smp_request *request = lower_object_in(l, node->child, SMP_SPACE_SHARED, &object)
                               ? add(l, &object, CT_TAKES_OFFSET, false)
                               : NULL;
    if (!request)
        return NULL;
    request->op = (smp_op)((int)first + node->words.count / 2);
    request->width_bytes = VECTOR_BYTES;
    request->parts = 1;
    return request;
}

/* "cp.async &s[...], &g[...] [, bytes]". */
static smp_request *lower_copy(ct_lower *l, const ct_node *node) {
    const ct_node *first = node->child, *size = first->next->next;
    ct_operand target, source;
    if (!lower_object_in(l, first, SMP_SPACE_SHARED, &target) ||
        !lower_object_in(l, first->next, SMP_SPACE_GLOBAL, &source))
        return NULL;
    const bool has_size = size && size->kind != CT_N_FAULT;
    const int64_t bytes = has_size ? ct_lower_constant_in(l, size, "the size", 4, VECTOR_BYTES) : 0;
    smp_request *request = ct_access_copy(l, &target, &source, (uint32_t)bytes);
    const bool is_vector = request && request->width_bytes == VECTOR_BYTES;
    if (is_vector && node->words.cache == 'a')
        request->op = SMP_CP_ASYNC_CA;
    if (request && node->words.cache == 'g' && !is_vector)
        ct_fail(l, SMP_E_WIDTH, target.text_start, "cp.async.cg copies 16 bytes, not %u",
                request->width_bytes);
    return request;
}

bool ct_lower_access(ct_lower *l, const ct_node *node) {
    const ct_token *word = &l->tokens[node->first];
    const verb_row *verb = FIND(one, verbs, CT_COUNT(verbs), ct_token_is(word, one->name));
    const bool has_mark = l->tokens[node->end].code == ';';
    l->end = has_mark ? l->tokens[node->end].end : ct_end(l, node);
    ct_program_open(l);
    smp_request *request = verb                      ? lower_verb(l, node, verb)
                           : ct_token_is(word, "cp") ? lower_copy(l, node)
                                                     : lower_matrix(l, node);
    if (!request || l->status != SMP_OK)
        return false;
    request->is_implied = false;
    request->text = l->unit->text + l->access_start;
    request->length = ct_end(l, node) - l->access_start;
    if (node->last->kind == CT_N_FAULT)
        return ct_fail_fault(l, node->last->fault);
    return ct_program_put(l);
}
