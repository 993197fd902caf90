/* SPDX-License-Identifier: MIT */
/*
 * Checks every answer. Writes the fixed layout file, parses it with the front end, and evaluates
 * it: each lane of each request must be at the solver's address, the totals must match, and no
 * two elements may share a byte.
 */
#define _POSIX_C_SOURCE 200809L
#include <stdlib.h>
#include <string.h>

#include "fix_text.h"
#include "text_buffer.h"

static smp_status fail(smp_error *error, const smp_array *array, const char *what) {
    return smp_error_set(error, SMP_E_INTERNAL, -1,
                         "the layout found for '%.*s' %s; please report this",
                         TEXT_CUT(array->name, array->length, 40), what);
}

/* Elements must not share a byte and must be within the form's size. */
static smp_status check_places(const fix_array *array, const uint32_t *places, smp_error *error) {
    const smp_fix_form *form = &array->chosen.form;
    uint64_t count = fix_form_elements(form, array->reach);
    uint32_t bytes = form->element_bytes + form->element_extra;
    uint8_t *taken = calloc(count + 1, 1);
    smp_status status = taken ? SMP_OK : smp_error_memory(error);
    for (uint32_t i = 0; i < array->reach && status == SMP_OK; i++)
        if (places[i] / bytes >= count || taken[places[i] / bytes]++ != 0)
            status = fail(error, array->array, "puts two elements in one place");
    free(taken);
    return status;
}

/* The elements of every vector must be contiguous. */
static smp_status check_vectors(const fix_array *array, const uint32_t *places, smp_error *error) {
    uint32_t bytes = array->chosen.form.element_bytes;
    EACH(const fix_pattern, p, array->patterns, array->pattern_count) {
        for (uint32_t rest = smp_access_lanes(&p->access); rest != 0; rest &= rest - 1) {
            const uint32_t *first = &places[p->flat[__builtin_ctz(rest)]];
            for (uint32_t e = 1; e * bytes < p->access.width_bytes; e++)
                if (first[e] != first[0] + e * bytes)
                    return fail(error, array->array, "tears a vector");
        }
    }
    return SMP_OK;
}

static smp_status check_elements(const fix_array *array, smp_error *error) {
    fix_map map;
    uint32_t *places = calloc(array->reach / SMP_LANES + 1, SMP_LANES * sizeof *places);
    if (!places)
        return smp_error_memory(error);
    fix_map_init(&map, &array->chosen.form);
    for (uint32_t i = 0; i < array->reach; i += SMP_LANES)
        fix_map_elements(&map, i, &places[i]);
    smp_status status = check_places(array, places, error);
    if (status == SMP_OK)
        status = check_vectors(array, places, error);
    free(places);
    return status;
}

/* Compares every request of `array`, in its new form, with the parsed file. */
static smp_status check_requests(const fix_array *array, const smp_fix *again,
                                 const fix_array *other, smp_error *error) {
    fix_map map;
    uint64_t base = smp_array_base(again->layout, other->array), found = 0, wanted = 0;
    fix_map_init(&map, &array->chosen.form);
    for (uint32_t i = 0; i < other->pattern_count; i++)
        found += other->patterns[i].times;
    EACH(const fix_pattern, p, array->patterns, array->pattern_count) {
        smp_access access = p->access;
        uint32_t lanes = smp_access_lanes(&access);
        fix_map_lanes(&map, p, access.offset_bytes);
        for (unsigned l = 0; l < SMP_LANES; l++)
            access.offset_bytes[l] = lanes >> l & 1 ? access.offset_bytes[l] + (uint32_t)base : 0;
        const fix_pattern *same = fix_pattern_find(other, &access, p->source);
        if (!same || same->times != p->times)
            return fail(error, array->array, "is not what the written file says");
        wanted += p->times;
    }
    return found == wanted ? SMP_OK
                           : fail(error, array->array, "lost requests in the written file");
}

/* Compares the arrays of `fix` with those of the parsed file. */
static smp_status check_arrays(const smp_fix *fix, smp_fix *again, smp_error *error) {
    unsigned line;
    smp_status status = fix_collect(again, &line, error);
    for (uint32_t i = 0; i < fix->array_count && status == SMP_OK; i++) {
        const fix_array *array = &fix->arrays[i];
        if (array->chosen.form.kind == SMP_FIX_KEEP)
            continue;
        status = check_elements(array, error);
        if (status == SMP_OK)
            status = check_requests(array, again, &again->arrays[i], error);
    }
    return status;
}

/* Writes the fixed version, with promises if `after` is known. */
static smp_status write_text(smp_fix *fix, smp_error *error) {
    char *text = NULL;
    size_t length = 0;
    FILE *file = open_memstream(&text, &length);
    bool sound = file && smp_fix_write_layout(file, fix);
    if (!file || fclose(file) != 0 || !text || !sound) {
        free(text);
        return smp_error_memory(error);
    }
    free(fix->fixed_text);
    fix->fixed_text = text;
    fix->fixed_length = length;
    return SMP_OK;
}

static smp_status read_again(const smp_fix *fix, smp_layout **out, smp_error *error) {
    unsigned line;
    smp_error inner = {.message = ""};
    smp_status status = fix_read(fix->fixed_text, fix->fixed_length, out, &line, &inner);
    if (status == SMP_OK)
        return SMP_OK;
    if (status == SMP_E_MEMORY)
        return smp_error_memory(error);
    return smp_error_set(error, SMP_E_INTERNAL, -1,
                         "line %u of the fixed layout cannot be read: %.150s", line, inner.message);
}

static smp_status evaluate_all(smp_fix *fix, const smp_layout *layout, smp_error *error) {
    size_t count = smp_layout_access_count(layout);
    fix->after = calloc(count * fix->arch_count, sizeof *fix->after);
    if (!fix->after)
        return smp_error_memory(error);
    for (size_t i = 0; i < count * fix->arch_count; i++) {
        unsigned line;
        smp_error inner = {.message = ""};
        smp_status status =
            smp_layout_evaluate_while(layout, &fix->archs[i / count], i % count,
                                      fix_request_goes_on, fix, &fix->after[i], &line, &inner);
        if (status == SMP_E_INTERRUPTED)
            return fix_interrupted(error);
        if (status != SMP_OK)
            return smp_error_set(error, SMP_E_INTERNAL, -1,
                                 "line %u of the fixed layout cannot be evaluated: %.150s", line,
                                 inner.message);
    }
    return SMP_OK;
}

/* True if all accesses keep the promise on architecture `a`. */
static bool keeps_promise(const smp_fix *fix, uint32_t a, size_t index,
                          const smp_layout_expect *expect) {
    const smp_totals *totals = &fix->after[a * smp_layout_access_count(fix->fixed)];
    for (size_t i = expect->first; i <= expect->access; i++)
        if (smp_layout_expect_concerns(fix->fixed, index, i) &&
            !smp_layout_expect_holds(fix->fixed, index, &totals[i], NULL, 0))
            return false;
    return true;
}

static smp_status check_promises(const smp_fix *fix, smp_error *error) {
    for (size_t i = 0; i < smp_layout_expect_count(fix->fixed); i++) {
        smp_layout_expect expect;
        smp_layout_expect_at(fix->fixed, i, &expect);
        for (uint32_t a = 0; a < fix->arch_count; a++) {
            bool applies = !expect.arch || strcmp(expect.arch->name, fix->archs[a].name) == 0;
            if (applies && !keeps_promise(fix, a, i, &expect))
                return smp_error_set(error, SMP_E_INTERNAL, -1,
                                     "the fixed layout breaks its own promise in line %u",
                                     expect.line);
        }
    }
    return SMP_OK;
}

smp_status fix_verify(smp_fix *fix, smp_error *error) {
    smp_fix *again = calloc(1, sizeof *again);
    smp_layout *layout = NULL;
    if (!again)
        return smp_error_memory(error);
    fix_phase_begin(fix, SMP_FIX_CHECKING);
    smp_status status = write_text(fix, error);
    if (status == SMP_OK)
        status = read_again(fix, &layout, error);
    if (status == SMP_OK) {
        *again = (smp_fix){.layout = layout, .skipped = -1, .progress = fix->progress};
        status = check_arrays(fix, again, error);
    }
    if (status == SMP_OK)
        status = evaluate_all(fix, layout, error);
    for (uint32_t i = 0; i < again->array_count; i++)
        fix_array_clear(&again->arrays[i]);
    free(again);
    smp_layout_free(layout);
    if (status == SMP_OK)
        status = write_text(fix, error);
    if (status == SMP_OK)
        status = read_again(fix, &fix->fixed, error);
    return status == SMP_OK ? check_promises(fix, error) : status;
}
