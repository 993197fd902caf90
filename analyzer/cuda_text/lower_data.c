/* SPDX-License-Identifier: MIT */
/*
 * Data that decide addresses, as they are said: from a file, or drawn at random, the same value for
 * the same element of a draw whoever asks.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data_file.h"
#include "lower.h"
#include "suggest.h"

enum { SUGGESTED_MAX = 64, NAME_MAX_BYTES = 4096, ZIPF_MAX = 1 << 20 };

bool ct_data_is_given(const smp_layout *kernel, const ct_operand *object) {
    const smp_array *array = &kernel->arrays[object->array];
    return smp_type_is_integer(array->type) && object->shape.type == array->type &&
           object->shape.dim_count == 0 && ct_data_find(kernel, array->name, array->length);
}

/* The array whose name is most like that. */
static const char *find_like(const smp_layout *kernel, const ct_data *data, char *text) {
    const char *names[SMP_ARRAYS_MAX];
    char copies[SMP_ARRAYS_MAX][SUGGESTED_MAX], wanted[SUGGESTED_MAX];
    for (uint32_t i = 0; i < kernel->array_count; i++) {
        const smp_array *array = &kernel->arrays[i];
        (void)snprintf(copies[i], SUGGESTED_MAX, "%.*s", (int)array->length, array->name);
        names[i] = copies[i];
    }
    (void)snprintf(wanted, sizeof wanted, "%.*s", (int)data->length, data->name);
    const char *found = suggest(wanted, names, kernel->array_count);
    return found ? strcpy(text, found) : NULL;
}

smp_status ct_data_check(const smp_layout *kernel, unsigned *line, smp_error *error) {
    for (uint32_t i = 0; i < kernel->data_count; i++) {
        const ct_data *data = &kernel->data[i];
        char text[SUGGESTED_MAX];
        if (smp_array_find(kernel, data->name, data->length) >= 0)
            continue;
        const char *like = find_like(kernel, data, text);
        *line = data->line;
        return smp_error_set(error, SMP_E_SYNTAX, data->line > 0 ? data->column : -1,
                             "data are said of '%.*s', but no array has that name%s%s%s",
                             (int)(data->length < 40 ? data->length : 40), data->name,
                             like ? "; did you mean '" : "", like ? like : "", like ? "'?" : "");
    }
    return SMP_OK;
}

/* ---- What is said ---- */

/* Zipf's law: the k-th most frequent value, counted from 1, has a share of 1/k. */
static bool fill_shares(ct_lower *l, ct_data *data, int64_t count) {
    double sum = 0;
    data->count = (size_t)count;
    data->shares = malloc(data->count * sizeof *data->shares);
    if (!data->shares)
        return ct_fail_memory(l);
    for (size_t i = 0; i < data->count; i++)
        data->shares[i] = sum += 1.0 / (double)(i + 1);
    for (size_t i = 0; i < data->count; i++)
        data->shares[i] /= sum;
    return true;
}

static bool lower_drawn(ct_lower *l, const ct_node *node, ct_data *data) {
    int64_t first, last;
    const bool is_zipf = ct_token_is(&l->tokens[node->mark], "zipf");
    data->is_drawn = true;
    if (is_zipf)
        return ct_lower_constant_in(l, node->child, "the number of values", 1, ZIPF_MAX, &first) &&
               fill_shares(l, data, first);
    if (!ct_lower_constant_in(l, node->child, "the least value", INT64_MIN, INT64_MAX, &first) ||
        !ct_lower_constant_in(l, node->child->next, "the largest value", first, INT64_MAX, &last))
        return false;
    data->low = first;
    data->span = (uint64_t)last - (uint64_t)first;
    return true;
}

/* The name of a file is what stands there up to a blank or ';', whatever it would mean. */
static bool read_file(ct_lower *l, const ct_node *node, ct_data *data) {
    char name[NAME_MAX_BYTES];
    const ct_unit *unit = l->unit;
    const size_t at = ct_position(l, node->mark), start = at + 1;
    size_t length = 0;
    smp_error error = {.message = ""};
    while (start + length < unit->length && !strchr(" \t\r\n;", unit->text[start + length]))
        length++;
    if (length == 0 || length >= sizeof name)
        return ct_refuse(l, at, "expected the name of a file behind '@'");
    memcpy(name, unit->text + start, length);
    name[length] = '\0';
    if (smp_data_file_read(name, &data->values, &data->count, &error) != SMP_OK)
        return ct_fail(l, error.status, start, "%.200s", error.message);
    return true;
}

bool ct_lower_data(ct_lower *l, const ct_node *node) {
    smp_layout *kernel = &l->layout->kernel;
    const ct_token *name = &l->tokens[node->at];
    ct_data data = {.name = name->text, .length = name->length};
    data.line = ct_line(l, name->position, &data.column);
    if (ct_data_find(kernel, name->text, name->length))
        return ct_refuse(l, name->position, "'%.*s' has its data already", CT_TOKEN_TEXT(*name));
    if (kernel->data_count == CT_DATA_MAX)
        return ct_fail(l, SMP_E_OVERFLOW, name->position, "data of more than %d arrays",
                       CT_DATA_MAX);
    const bool is_file = ct_token_is_punct(&l->tokens[node->mark], '@');
    if (!(is_file ? read_file(l, node, &data) : lower_drawn(l, node, &data))) {
        ct_data_clear(&data);
        return false;
    }
    kernel->data[kernel->data_count++] = data;
    return true;
}
