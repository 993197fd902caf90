/* SPDX-License-Identifier: MIT */
/*
 * Accesses made by expressions, and accesses by name, as in PTX (ld st ldmatrix stmatrix
 * cp.async, with .shared .global .cluster). An object too wide or not aligned enough for one
 * instruction (float3, a struct) takes several, as with a compiler.
 */
#include <string.h>

#include "lower.h"

enum { PARTS_MAX = 64, VECTOR_BYTES = 16 };

static const char float_note[] = "atomics on floating-point values in shared memory are compiled "
                                 "to a compare-and-swap loop: the count depends on the data";

typedef struct verb_row {
    const char *name;
    smp_op shared, global, cluster; /* SMP_OP_COUNT: none */
} verb_row;

static const verb_row verbs[] = {
    {"ld", SMP_LD_SHARED, SMP_LD_GLOBAL, SMP_LD_CLUSTER},
    {"st", SMP_ST_SHARED, SMP_ST_GLOBAL, SMP_ST_CLUSTER},
    {"atom", SMP_ATOM_SHARED, SMP_RED_GLOBAL, SMP_ATOM_CLUSTER},
    {"red", SMP_RED_SHARED, SMP_RED_GLOBAL, SMP_ATOM_CLUSTER},
};

/* ---- One more access ---- */

static bool split(ct_lower *l, smp_request *request, size_t position) {
    const smp_target *target = &request->target;
    uint32_t width = target->align < VECTOR_BYTES ? target->align : VECTOR_BYTES;
    request->width_bytes = width;
    request->parts = target->size_bytes / width;
    if (request->parts <= PARTS_MAX)
        return true;
    return ct_fail(l, SMP_E_WIDTH, position,
                   "an object of %u bytes takes more than %d instructions: access a member",
                   target->size_bytes, PARTS_MAX);
}

static smp_target target_of(ct_lower *l, const ct_operand *object) {
    int32_t column;
    const smp_type *type = object->shape.type;
    const smp_type *element = type->element ? type->element : type;
    (void)ct_line(l, object->text_start, &column);
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
    if (layout->kernel.access_count == CT_ACCESSES_MAX) {
        (void)ct_fail(l, SMP_E_OVERFLOW, start, "more than %d accesses", CT_ACCESSES_MAX);
        return NULL;
    }
    if (!ct_emit(l, instruction, start, operands + has_rank))
        return NULL;
    smp_request *request = &layout->kernel.accesses[layout->kernel.access_count];
    *request = (smp_request){.text = l->unit->text + start,
                             .length = object->text_end - start,
                             .line = ct_line(l, start, NULL),
                             .is_implied = true,
                             .is_hidden = object->is_hidden,
                             .has_rank = has_rank,
                             .target = target_of(l, object)};
    request->end_line = request->line;
    if (!split(l, request, start))
        return NULL;
    l->has_effect |= form != CT_TAKES_OFFSET && form != CT_READS_VALUE;
    layout->kernel.access_count++;
    return request;
}

static bool add_plain(ct_lower *l, const ct_operand *object, ct_access_form form, smp_op shared,
                      smp_op global) {
    smp_request *request = add(l, object, form, false);
    if (request)
        request->op = ct_place_is_shared(l, object) ? shared : global;
    return request;
}

bool ct_access_load(ct_lower *l, const ct_operand *object, ct_access_form form) {
    return add_plain(l, object, form, SMP_LD_SHARED, SMP_LD_GLOBAL);
}

bool ct_access_store(ct_lower *l, const ct_operand *object, ct_access_form form) {
    l->has_effect = true;
    return add_plain(l, object, form, SMP_ST_SHARED, SMP_ST_GLOBAL);
}

bool ct_access_atomic(ct_lower *l, const ct_operand *object, smp_op op, bool keeps_bits) {
    smp_request *request = add(l, object, CT_TAKES_OPERAND, false);
    if (!request)
        return false;
    request->op = ct_place_is_shared(l, object) ? op : SMP_RED_GLOBAL;
    request->is_implied = false;
    if (ct_place_is_shared(l, object) && request->target.is_float && !keeps_bits)
        request->not_modelled = float_note;
    return true;
}

smp_request *ct_access_reduce(ct_lower *l, const ct_operand *result) {
    const ct_expr_instruction *made = &l->code->items[result->atomic - 1];
    smp_request *request = &l->layout->kernel.accesses[made->slot];
    if (result->is_reduction && request->op == SMP_ATOM_SHARED)
        request->op = SMP_RED_SHARED;
    return request;
}

bool ct_access_copy(ct_lower *l, const ct_operand *target, const ct_operand *source,
                    uint32_t bytes) {
    bool sound = target->array >= 0 && source->array >= 0 && ct_place_is_shared(l, target) &&
                 !ct_place_is_shared(l, source);
    if (!sound)
        return ct_refuse(l, target->text_start, "a copy goes from global to shared memory");
    smp_request *request = add(l, target, CT_TAKES_SOURCE, false);
    if (!request)
        return false;
    request->source = target_of(l, source);
    request->has_source = true;
    request->is_implied = false;
    request->op = SMP_CP_ASYNC;
    request->width_bytes = bytes > 0 ? bytes : request->target.size_bytes;
    request->parts = 1;
    sound = request->width_bytes == 4 || request->width_bytes == 8 || request->width_bytes == 16;
    return sound || ct_fail(l, SMP_E_WIDTH, target->text_start,
                            "cp.async copies 4, 8 or 16 bytes, not %u", request->width_bytes);
}

/* ---- Accesses by name ---- */

static bool fail_unfinished(ct_lower *l, const ct_operand *p) {
    const smp_array *array = ct_place_array_of(l, p);
    return ct_refuse(l, p->position,
                     "this is a whole array, not an element: '%.*s' has %u dimension%s",
                     (int)array->length, array->name, array->table.dim_count,
                     array->table.dim_count == 1 ? "" : "s");
}

/* Lowers an object or a pointer to one. */
static bool lower_object(ct_lower *l, const ct_node *node, ct_operand *out) {
    size_t start = ct_begin(l, node);
    ct_lower_expression(l, node, out);
    bool is_place = out->form == CT_FORM_OBJECT || out->form == CT_FORM_POINTER;
    if (!is_place || out->array == CT_ARRAY_LOCAL)
        return ct_refuse(l, start, "expected an array element such as tile[threadIdx.x]");
    if (out->form == CT_FORM_OBJECT && !ct_place_is_whole(out))
        return fail_unfinished(l, out);
    if (out->form == CT_FORM_POINTER && !ct_place_follow(l, out, start))
        return false;
    out->text_start = start;
    return out->shape.type && out->shape.dim_count == 0
               ? true
               : ct_refuse(l, start, "this is a whole array, not an element");
}

static bool lower_object_in(ct_lower *l, const ct_node *node, smp_space space, ct_operand *out) {
    if (!lower_object(l, node, out))
        return false;
    if (ct_place_array_of(l, out)->space == space)
        return true;
    return ct_refuse(l, out->text_start, "this must be in %s memory",
                     space == SMP_SPACE_SHARED ? "shared" : "global");
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

/* Makes it an access by name. */
static smp_request *name_access(smp_request *request, smp_op op) {
    if (!request)
        return NULL;
    request->op = op;
    request->is_implied = false;
    return request;
}

static bool lower_verb(ct_lower *l, const ct_node *node, const verb_row *row) {
    const ct_node *of = node->child;
    const bool is_remote = node->flags & CT_IS_REMOTE;
    ct_operand object, rank;
    if (is_remote && !ct_lower_number(l, of, &rank))
        return false;
    if (!lower_object(l, is_remote ? of->next : of, &object) ||
        !apply_width(l, &node->words, &object))
        return false;
    smp_space actual = ct_place_array_of(l, &object)->space;
    const smp_space wanted = (smp_space)node->words.space;
    if (wanted != SMP_SPACE_COPY && wanted != actual)
        return ct_refuse(l, object.text_start, "this is in %s memory",
                         actual == SMP_SPACE_SHARED ? "shared" : "global");
    smp_op op = is_remote ? row->cluster : actual == SMP_SPACE_SHARED ? row->shared : row->global;
    return name_access(add(l, &object, CT_TAKES_OFFSET, is_remote), op);
}

/* "ldmatrix.x4.trans" */
static bool lower_matrix(ct_lower *l, const ct_node *node) {
    const bool is_load = ct_token_is(&l->tokens[node->first], "ldmatrix");
    const bool is_transposed = node->words.is_transposed;
    ct_operand object;
    smp_op first = is_load ? (is_transposed ? SMP_LDMATRIX_X1_TRANS : SMP_LDMATRIX_X1)
                           : (is_transposed ? SMP_STMATRIX_X1_TRANS : SMP_STMATRIX_X1);
    if (!lower_object_in(l, node->child, SMP_SPACE_SHARED, &object))
        return false;
    smp_request *request = name_access(add(l, &object, CT_TAKES_OFFSET, false),
                                       (smp_op)((int)first + node->words.count / 2));
    if (!request)
        return false;
    request->width_bytes = VECTOR_BYTES;
    request->parts = 1;
    return true;
}

/* "cp.async &s[...], &g[...] [, bytes]". */
static bool lower_copy(ct_lower *l, const ct_node *node) {
    const ct_node *first = node->child, *size = first->next->next;
    ct_operand target, source;
    if (!lower_object_in(l, first, SMP_SPACE_SHARED, &target) ||
        !lower_object_in(l, first->next, SMP_SPACE_GLOBAL, &source))
        return false;
    const bool has_size = size && size->kind != CT_N_FAULT;
    const int64_t bytes = has_size ? ct_lower_constant_in(l, size, "the size", 4, VECTOR_BYTES) : 0;
    return ct_access_copy(l, &target, &source, (uint32_t)bytes);
}

bool ct_lower_access(ct_lower *l, const ct_node *node) {
    const ct_token *word = &l->tokens[node->first];
    ct_program program;
    const verb_row *verb = NULL;
    for (size_t i = 0; i < CT_COUNT(verbs) && !verb; i++)
        verb = ct_token_is(word, verbs[i].name) ? &verbs[i] : NULL;
    ct_program_begin(l, &program);
    const bool sound = verb                      ? lower_verb(l, node, verb)
                       : ct_token_is(word, "cp") ? lower_copy(l, node)
                                                 : lower_matrix(l, node);
    if (!sound)
        return false;
    l->last_end = ct_end(l, node);
    smp_request *request = &l->layout->kernel.accesses[l->layout->kernel.access_count - 1];
    request->text = l->unit->text + l->access_start;
    request->length = l->last_end - l->access_start;
    ct_program_end(l, CT_DATA, &program);
    if (node->last->kind == CT_N_FAULT)
        return ct_fail_fault(l, node->last);
    if (ct_token_is_punct(&l->tokens[node->end], ';'))
        l->last_end = l->tokens[node->end].end;
    return ct_program_add(l, &program);
}
