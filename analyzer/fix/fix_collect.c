/* SPDX-License-Identifier: MIT */
/*
 * Reads a layout and turns its accesses into patterns: the elements accessed by the lanes of
 * each request, with the number of equal requests. Elements are numbered as in a row-major array
 * of the declared dimensions, whatever the array's layout.
 */
#include <stdlib.h>
#include <string.h>

#include "fix.h"
#include "fix_text.h"
#include "list.h"
#include "text_buffer.h"

smp_status fix_read(const char *text, size_t length, smp_layout **out, unsigned *line,
                    smp_error *error) {
    *line = 0;
    *out = smp_layout_new();
    if (!*out)
        return smp_error_memory(error);
    return smp_layout_add_lines(*out, text, length, line, error);
}

typedef struct collector {
    smp_fix *fix;
    fix_array *array;
    const smp_request *request;
    uint64_t base_bytes;
    uint32_t *inverse; /* position -> element if the layout is not row-major, otherwise NULL */
    uint32_t inverse_count;
    size_t source;
    smp_error *error;
} collector;

/* Marks the array as unchangeable, because of `request` (NULL: because of the array itself). */
static void fix_in_place(fix_array *array, const smp_request *request, const char *reason) {
    if (array->is_fixed)
        return;
    array->is_fixed = true;
    if (request)
        (void)snprintf(array->reason, sizeof array->reason, "'%.*s' %s",
                       TEXT_CUT(request->text, request->length, 80), reason);
    else
        (void)snprintf(array->reason, sizeof array->reason, "%s", reason);
}

/* ---- Layouts that are not row-major ---- */

/* Fills `inverse`; an array whose elements overlap cannot change. */
static smp_status invert(collector *c, const smp_array *array) {
    const smp_mode_table *table = &array->table;
    uint32_t total = (uint32_t)smp_array_elements(array);
    c->inverse_count = (uint32_t)(array->size_bytes / table->element_bytes);
    c->inverse = malloc(c->inverse_count * sizeof *c->inverse);
    if (!c->inverse)
        return smp_error_memory(c->error);
    memset(c->inverse, 0xff, c->inverse_count * sizeof *c->inverse);
    for (uint32_t flat = 0; flat < total; flat++) {
        uint32_t digits[SMP_DIMS_MAX];
        uint64_t place = (uint64_t)smp_array_element(array, flat, digits) / table->element_bytes;
        if (place >= c->inverse_count || c->inverse[place] != UINT32_MAX) {
            fix_in_place(c->array, NULL, "its elements overlap");
            continue;
        }
        c->inverse[place] = flat;
    }
    return SMP_OK;
}

/* ---- Patterns ---- */

fix_pattern *fix_pattern_find(const fix_array *array, const smp_access *access, uint32_t source) {
    const int64_t at = smp_access_set_find(&array->seen, access, source);
    return at < 0 ? NULL : &array->patterns[at];
}

/* Fills the element of each lane; false if a lane is not on an element. */
static bool fill_elements(const collector *c, fix_pattern *p) {
    const smp_mode_table *table = &c->array->array->table;
    uint32_t bytes = table->element_bytes;
    uint32_t lanes = smp_access_lanes(&p->access);
    for (unsigned l = 0; l < SMP_LANES; l++) {
        if (!(lanes >> l & 1))
            continue;
        uint64_t offset = p->access.offset_bytes[l] - c->base_bytes, place = offset / bytes;
        p->rest[l] = (uint32_t)(offset % bytes);
        if (c->inverse && (place >= c->inverse_count || c->inverse[place] == UINT32_MAX))
            return false;
        uint32_t flat = c->inverse ? c->inverse[place] : (uint32_t)place;
        p->flat[l] = flat;
        for (uint32_t d = table->dim_count; d-- > 1;) {
            p->index[d][l] = flat % table->dims[d].extent;
            flat /= table->dims[d].extent;
        }
        p->index[0][l] = flat;
    }
    return true;
}

/* Records what every layout must preserve for the vectors of a pattern. */
static void note_vectors(const collector *c, const fix_pattern *p) {
    fix_array *array = c->array;
    const smp_mode_table *table = &array->array->table;
    uint32_t width = p->access.width_bytes, lanes = smp_access_lanes(&p->access);
    uint32_t columns = table->dims[table->dim_count - 1].extent;
    if (width > array->unit_bytes)
        array->unit_bytes = width;
    for (unsigned l = 0; l < SMP_LANES; l++) {
        if (!(lanes >> l & 1))
            continue;
        uint32_t last = (p->rest[l] + width - 1) / table->element_bytes;
        uint64_t logical = (uint64_t)p->flat[l] * table->element_bytes + p->rest[l];
        array->crosses_rows |=
            table->dim_count > 1 && p->index[table->dim_count - 1][l] + last >= columns;
        array->reach = p->flat[l] + last >= array->reach ? p->flat[l] + last + 1 : array->reach;
        if (logical % width != 0)
            fix_in_place(array, c->request,
                         "aligns its vectors in memory, but not within the array");
    }
}

static smp_status add_pattern(collector *c, const smp_access *access, smp_error *error) {
    fix_array *array = c->array;
    const uint32_t known = array->pattern_count;
    const int64_t at = smp_access_set_add(&array->seen, access, (uint32_t)c->source);
    if (at >= 0 && at < known) {
        array->patterns[at].times++;
        return SMP_OK;
    }
    if (at == FIX_PATTERNS_MAX)
        return smp_error_set(error, SMP_E_OVERFLOW, 0, "more than %d different requests",
                             FIX_PATTERNS_MAX);
    if (at < 0 || !LIST_ROOM(array->patterns, known))
        return smp_error_memory(error);
    fix_pattern *p = &array->patterns[array->pattern_count++];
    p->access = *access;
    p->source = (uint32_t)c->source;
    p->is_open = c->request->not_modelled;
    p->times = 1;
    if (!fill_elements(c, p))
        fix_in_place(array, c->request, "accesses places without an element");
    else
        note_vectors(c, p);
    return SMP_OK;
}

/* Lanes that address different cluster blocks make separate requests. */
static smp_status take_request(void *user, const smp_occurrence *seen, smp_error *error) {
    collector *c = user;
    const int64_t *ranks = seen->ranks;
    uint32_t left = seen->access->active_mask;
    if (!fix_request_goes_on(c->fix))
        return fix_interrupted(error);
    while (left != 0) {
        smp_access part = *seen->access;
        uint32_t same = ranks ? 0 : SMP_ALL_LANES;
        for (unsigned l = 0; l < SMP_LANES && ranks; l++)
            same |= (uint32_t)(ranks[l] == ranks[__builtin_ctz(left)]) << l;
        part.active_mask = left & same;
        left &= ~same;
        part = smp_access_canonical(&part);
        smp_status status = smp_access_lanes(&part) != 0 ? add_pattern(c, &part, error) : SMP_OK;
        if (status != SMP_OK)
            return status;
    }
    return SMP_OK;
}

/* ---- Arrays ---- */

static void start_array(const smp_fix *fix, fix_array *array, const smp_array *of) {
    const smp_mode_table *table = &of->table;
    *array = (fix_array){.array = of, .unit_bytes = 1};
    array->keep = (smp_fix_form){.kind = SMP_FIX_KEEP,
                                 .dim_count = table->dim_count,
                                 .element_bytes = table->element_bytes,
                                 .divide = 1};
    for (uint32_t d = 0; d < table->dim_count; d++)
        array->keep.extent[d] = table->dims[d].extent;
    if (table->dim_count == 0)
        fix_in_place(array, NULL, "it is one object, not an array");
    else if (!of->is_unsized)
        array->reach = (uint32_t)smp_array_elements(of);
    for (size_t i = 0; i < fix->options.keep_count; i++) {
        const char *name = fix->options.keep[i];
        array->is_kept |= strlen(name) == of->length && memcmp(name, of->name, of->length) == 0;
    }
    if (array->is_kept)
        fix_in_place(array, NULL, "as requested");
}

/* True if the text of an access names an array with given data. */
static bool names_data(const smp_layout *layout, const smp_request *request) {
    for (uint32_t i = 0; i < smp_layout_data_count(layout); i++) {
        const smp_array *array = smp_layout_data_array(layout, i);
        fix_mention mention;
        if (array &&
            fix_mention_find(request->text, request->text + request->length, array, &mention))
            return true;
    }
    return false;
}

static smp_status collect_access(smp_fix *fix, fix_array *array, size_t source, unsigned *line,
                                 smp_error *error) {
    const smp_request *request = smp_layout_request(fix->layout, source);
    const smp_array *of = array->array;
    collector c = {.fix = fix,
                   .array = array,
                   .request = request,
                   .base_bytes = smp_array_base(fix->layout, of),
                   .source = source,
                   .error = error};
    bool is_plain = of->table.is_row_major && !of->table.swizzle.present;
    array->is_remote |= request->has_rank;
    array->reads_data |= names_data(fix->layout, request);
    if (request->is_hidden)
        fix_in_place(array, request, "accesses it through a pointer, a reference or a macro");
    if (!fix_is_indexed(request->text, request->length, of))
        fix_in_place(array, request, "accesses it by pointer arithmetic");
    smp_status status = is_plain || of->is_unsized ? SMP_OK : invert(&c, of);
    if (status == SMP_OK && of->table.dim_count > 0)
        status = smp_layout_visit(fix->layout, source, take_request, &c, line, error);
    free(c.inverse);
    return status;
}

smp_status fix_collect(smp_fix *fix, unsigned *line, smp_error *error) {
    const smp_layout *layout = fix->layout;
    for (uint32_t i = 0; i < smp_layout_array_count(layout); i++) {
        if (smp_layout_array(layout, i)->space == SMP_SPACE_SHARED)
            start_array(fix, &fix->arrays[fix->array_count++], smp_layout_array(layout, i));
    }
    for (size_t i = 0; i < smp_layout_access_count(layout); i++) {
        const smp_array *of = smp_layout_target(layout, i);
        for (uint32_t a = 0; a < fix->array_count && (int64_t)i != fix->skipped; a++) {
            smp_status status = fix->arrays[a].array == of
                                    ? collect_access(fix, &fix->arrays[a], i, line, error)
                                    : SMP_OK;
            if (status != SMP_OK)
                return status;
        }
    }
    return SMP_OK;
}

void fix_array_clear(fix_array *array) {
    free(array->patterns);
    smp_access_set_clear(&array->seen);
    free(array->vectors);
    free(array->fronts);
    fix_sample *samples[] = {&array->all, &array->shifted, &array->mirrored};
    for (size_t i = 0; i < sizeof samples / sizeof samples[0]; i++) {
        free(samples[i]->pattern);
        free(samples[i]->times);
        free(samples[i]->rest);
    }
}
