/* SPDX-License-Identifier: MIT */
/*
 * Candidates as lines of JSON: {"file": "a.cu", "name": "tile 32", "launch": "k<<<1, 32>>>(...)",
 * "flags": ["-DTILE=32"]}. Only "file" is required. The line with "reference": true is what the
 * others are compared with.
 */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "judged.h"
#include "list.h"

/* Returns a text member; NULL if it is missing, or not a text (then *is_fine is false). */
static const char *text_of(const json_t *line, const char *name, bool *is_fine) {
    const json_t *value = json_object_get(line, name);
    if (value && !json_is_null(value) && !json_is_string(value))
        *is_fine = false;
    return json_string_value(value);
}

static bool take_flags(const json_t *list, judged_candidate *out) {
    const size_t count = json_array_size(list);
    const char **flags = calloc(count + 1, sizeof *flags);
    out->flags = flags;
    for (size_t i = 0; flags && i < count; i++) {
        flags[i] = json_string_value(json_array_get(list, i));
        if (!flags[i])
            return false;
        out->flag_count++;
    }
    return flags && (!list || json_is_array(list) || json_is_null(list));
}

static bool is_known(const char *name) {
    static const char *const names[] = {"file", "name", "launch", "flags", "reference"};
    return ROWS_FIND(names, name);
}

/* Returns the first unknown member name, or NULL. */
static const char *unknown_name(json_t *line) {
    const char *name;
    json_t *value;
    json_object_foreach(line, name, value) if (!is_known(name)) return name;
    return NULL;
}

static smp_status take_line(json_t *line, unsigned number, judged_candidate *out,
                            smp_error *error) {
    bool is_fine = json_is_object(line);
    const char *unknown = is_fine ? unknown_name(line) : NULL;
    out->path = text_of(line, "file", &is_fine);
    out->name = text_of(line, "name", &is_fine);
    out->launch = text_of(line, "launch", &is_fine);
    is_fine &= take_flags(json_object_get(line, "flags"), out);
    if (unknown)
        return smp_error_set(
            error, SMP_E_SYNTAX, -1,
            "candidates, line %u: '%.60s' is not one of file, name, launch, flags, "
            "reference",
            number, unknown);
    return is_fine && out->path
               ? SMP_OK
               : smp_error_set(error, SMP_E_SYNTAX, -1,
                               "candidates, line %u: expected {\"file\": TEXT, \"name\": TEXT, "
                               "\"launch\": TEXT, \"flags\": [TEXT, ...]}; only \"file\" is "
                               "required",
                               number);
}

/* Takes over `line`. */
static smp_status keep_line(json_t *line, unsigned number, judged_list *out, smp_error *error) {
    const json_t *mark = json_object_get(line, "reference");
    const bool is_reference = json_is_true(mark);
    if (!LIST_ROOM(out->lines, out->line_count)) {
        json_decref(line);
        return smp_error_memory(error);
    }
    out->lines[out->line_count++] = line;
    if (mark && !json_is_boolean(mark))
        return smp_error_set(error, SMP_E_SYNTAX, -1,
                             "candidates, line %u: \"reference\" is true or false", number);
    if (is_reference && out->reference.path)
        return smp_error_set(error, SMP_E_SYNTAX, -1, "candidates, line %u: a second reference",
                             number);
    if (is_reference)
        return take_line(line, number, &out->reference, error);
    return LIST_ROOM(out->candidates, out->count)
               ? take_line(line, number, &out->candidates[out->count++], error)
               : smp_error_memory(error);
}

smp_status judged_list_read(FILE *in, judged_list *out, smp_error *error) {
    char *text = NULL;
    size_t room = 0;
    smp_status status = SMP_OK;
    for (unsigned number = 1; status == SMP_OK && getline(&text, &room, in) >= 0; number++) {
        json_error_t why;
        if (text[strspn(text, " \t\r\n")] == '\0')
            continue;
        json_t *line = json_loads(text, 0, &why);
        if (!line)
            status = smp_error_set(error, SMP_E_SYNTAX, -1, "candidates, line %u, column %d: %s",
                                   number, why.column, why.text);
        else
            status = keep_line(line, number, out, error);
    }
    free(text);
    return status;
}

void judged_list_clear(judged_list *of) {
    for (size_t i = 0; i < of->line_count; i++)
        json_decref(of->lines[i]);
    for (size_t i = 0; i < of->count; i++)
        free((void *)(uintptr_t)of->candidates[i].flags);
    free((void *)(uintptr_t)of->reference.flags);
    free(of->lines);
    free(of->candidates);
    memset(of, 0, sizeof *of);
}
