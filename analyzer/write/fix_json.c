/* SPDX-License-Identifier: MIT */
/*
 * A layout repair as JSON with everything that the text shows, and the layouts of all arrays as
 * CSV. The names, order and types of the fields are promises (SMP_SCHEMA_VERSION).
 */
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>

#include "fix_measure.h"
#include "json_text.h"
#include "smp_prediction.h"
#include "write_format.h"

static const char *const kinds[] = {"keep", "pad", "xor", "linear", "rotate", "pad+xor"};

static json_t *form_json(const smp_fix_form *form) {
    char text[160];
    json_t *extents = json_array(), *terms = json_array();
    (void)smp_fix_form_text(form, text, sizeof text);
    for (uint32_t d = 0; d < form->dim_count; d++)
        json_push(extents, json_count(true, form->extent[d] + form->pad[d]));
    for (uint32_t i = 0; i < form->term_count; i++)
        json_push(terms, json_pack("{s:I, s:i}", "mask", (json_int_t)form->term[i].mask, "shift",
                                   (int)form->term[i].shift));
    json_t *swizzle = form->bits == 0 ? json_null()
                                      : json_pack("[i, i, i]", (int)form->bits, (int)form->base,
                                                  (int)form->shift);
    return json_pack(
        "{s:s, s:s, s:o, s:o, s:o, s:I, s:I, s:I, s:I, s:I, s:I}", "kind", kinds[form->kind],
        "text", text, "extents", extents, "terms", terms, "swizzle", swizzle, "every",
        (json_int_t)form->every, "insert", (json_int_t)form->insert, "step", (json_int_t)form->step,
        "divide", (json_int_t)(form->step > 0 ? form->divide : 0), "element_bytes",
        (json_int_t)form->element_bytes, "element_extra", (json_int_t)form->element_extra);
}

static json_t *row_json(const fix_row *row) {
    json_t *out = form_json(&row->form);
    json_set(out, "excess", json_count(true, row->price.cost.excess));
    json_set(out, "sectors", json_count(true, row->price.cost.transactions));
    json_set(out, "ways", json_count(true, row->price.cost.ways));
    json_set(out, "bytes", json_count(true, row->price.bytes));
    json_set(out, "instructions", json_count(true, row->price.instructions));
    json_set(out, "blocks", json_count(true, row->blocks));
    json_set(out, "chosen", json_boolean(row->is_chosen));
    return out;
}

static json_t *array_json(const smp_fix *fix, const fix_array *array) {
    fix_row rows[FIX_ROWS_MAX];
    json_t *layouts = json_array();
    uint32_t count = fix_rows(fix, array, rows);
    for (uint32_t i = 0; i < count; i++)
        json_push(layouts, row_json(&rows[i]));
    return json_pack("{s:s%, s:b, s:o, s:I, s:o}", "name", array->array->name, array->array->length,
                     "changed", array->chosen.form.kind != SMP_FIX_KEEP, "fixed_because",
                     json_text_or_null(array->is_fixed ? array->reason : NULL), "excess_bound",
                     (json_int_t)array->bound, "layouts", layouts);
}

static json_t *totals_json(const smp_totals *totals) {
    bool waves = totals->valid & SMP_HAS_WAVEFRONTS, moved = totals->valid & SMP_HAS_TRANSACTIONS;
    return json_pack("{s:o, s:o, s:o, s:o, s:o}", "wavefronts",
                     json_count(waves, totals->wavefronts_max), "ideal",
                     json_count(waves, totals->ideal), "excess", json_count(waves, totals->excess),
                     "ways", json_count(waves, totals->ways), "transactions",
                     json_count(moved, totals->transactions));
}

static json_t *access_json(const smp_fix *fix, size_t index) {
    const smp_request *request = smp_layout_request(fix->layout, index);
    json_t *archs = json_array();
    for (uint32_t i = 0; i < fix->arch_count; i++)
        json_push(archs, json_pack("{s:s, s:o, s:o}", "arch", fix->archs[i].name, "before",
                                   totals_json(fix_before(fix, i, index)), "after",
                                   totals_json(fix_after(fix, i, index))));
    return json_pack("{s:I, s:o, s:s, s:o}", "line",
                     (json_int_t)request->line - fix->options.lines_before, "text",
                     json_text(request->text, request->length), "op",
                     smp_ops(NULL)[request->op].name, "on", archs);
}

static void add_note(void *user, const char *kind, const char *text) {
    json_push(user, json_pack("{s:s, s:s}", "kind", kind, "text", text));
}

static json_t *code_json(const smp_fix *fix, bool (*write)(FILE *, const smp_fix *)) {
    char *text = NULL;
    size_t length = 0;
    FILE *file = open_memstream(&text, &length);
    bool sound = file && write(file, fix);
    if (!file || fclose(file) != 0 || !text || !sound) {
        free(text);
        return json_null();
    }
    json_t *out = json_stringn(text, length);
    free(text);
    return out;
}

static const char *const enders[] = {"search", "time", "interrupt"};

static json_t *result_json(const smp_fix *fix) {
    const smp_fix_result *r = &fix->result;
    return json_pack("{s:b, s:b, s:b, s:s, s:I, s:I, s:I, s:I, s:I, s:I}", "needed", r->is_needed,
                     "free", r->is_free, "proven", r->is_proven, "ended_by", enders[r->ended_by],
                     "excess_before", (json_int_t)r->excess_before, "excess_after",
                     (json_int_t)r->excess_after, "excess_bound", (json_int_t)r->excess_bound,
                     "bytes_before", (json_int_t)r->bytes_before, "bytes_after",
                     (json_int_t)r->bytes_after, "candidates", (json_int_t)r->candidates);
}

static json_t *trials_json(const fix_trials *trials) {
    json_t *layouts = json_array();
    EACH(const fix_trial, trial, trials->item, trials->count) {
        char text[160];
        bool any = trial->unmeasured + trial->open < trial->count;
        (void)smp_fix_form_text(&trial->form, text, sizeof text);
        json_push(layouts, json_pack("{s:s%, s:s, s:o, s:o}", "array", trial->array->array->name,
                                     trial->array->array->length, "text", text, "predicted",
                                     json_count(any, trial->predicted), "measured",
                                     json_count(any, trial->measured)));
    }
    return json_pack("{s:s, s:s, s:s, s:o}", "device", trials->device.name, "driver",
                     trials->device.driver, "cuda", trials->device.cuda, "layouts", layouts);
}

void smp_fix_json(FILE *out, const fix_shown *shown) {
    const smp_fix *fix = shown->fix;
    const fix_trials *trials = shown->trials;
    json_t *root = json_object(), *archs = json_array(), *arrays = json_array();
    json_t *accesses = json_array(), *notes = json_array();
    for (uint32_t i = 0; i < fix->arch_count; i++)
        json_push(archs, json_string(fix->archs[i].name));
    for (uint32_t i = 0; i < fix->array_count; i++)
        json_push(arrays, array_json(fix, &fix->arrays[i]));
    for (size_t i = 0; i < smp_layout_access_count(fix->layout); i++)
        json_push(accesses, access_json(fix, i));
    if (!fix->result.is_free)
        fix_obstacles(fix, add_note, notes);
    fix_advice(fix, NULL, add_note, notes);
    fix_pitfalls(fix, add_note, notes);
    json_set(root, "schema_version", json_integer(SMP_SCHEMA_VERSION));
    json_set(root, "archs", archs);
    json_set(root, "result", result_json(fix));
    json_set(root, "arrays", arrays);
    json_set(root, "accesses", accesses);
    json_set(root, "notes", notes);
    json_set(root, "measured", trials ? trials_json(trials) : json_null());
    if (shown->worth)
        json_set(root, "worth",
                 json_pack("{s:s, s:f, s:f}", "kernel", shown->worth->kernel, "time_us",
                           shown->worth->time_us, "gain_us", shown->worth->most_us));
    json_set(root, "smp", code_json(fix, smp_fix_write_layout));
    json_set(root, "cuda", code_json(fix, smp_fix_write_cuda));
    json_set(root, "cute", code_json(fix, smp_fix_write_cute));
    json_put(out, root, JSON_ENSURE_ASCII);
}

void smp_fix_csv(FILE *out, const fix_shown *shown) {
    const smp_fix *fix = shown->fix;
    fputs("array,kind,layout,excess,sectors,ways,bytes,instructions,blocks,chosen\n", out);
    EACH(const fix_array, array, fix->arrays, fix->array_count) {
        fix_row rows[FIX_ROWS_MAX];
        uint32_t count = fix_rows(fix, array, rows);
        for (uint32_t k = 0; k < count; k++) {
            char text[160];
            const fix_row *row = &rows[k];
            (void)smp_fix_form_text(&row->form, text, sizeof text);
            fprintf(out, "%.*s,%s,\"%s\",%" PRIu64 ",%" PRIu64 ",%u,%" PRIu64 ",%u,%u,%d\n",
                    (int)array->array->length, array->array->name, kinds[row->form.kind], text,
                    row->price.cost.excess, row->price.cost.transactions, row->price.cost.ways,
                    row->price.bytes, row->price.instructions, row->blocks, row->is_chosen);
        }
    }
}
