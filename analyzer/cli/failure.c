/* SPDX-License-Identifier: MIT */
/* Errors as JSON: the status, the message and its place. */
#include "say.h"

#include <stdlib.h>
#include <string.h>

#include "json_text.h"

static smp_error first;
static char message[sizeof first.message + 320]; /* with the place in front */
static bool is_kept, is_answered;

void failure_keep(const char *where, const smp_error *error) {
    if (is_kept)
        return;
    first = *error;
    (void)snprintf(message, sizeof message, "%.310s%s%s", where, where[0] ? ": " : "",
                   error->message);
    is_kept = true;
}

void failure_is_answered(void) {
    is_answered = true;
}

void failure_is_beside(void) {
    is_answered = true;
}

/* Whether "--format json" or "--format=json" was given before any "--". */
static bool asks_for_json(int argc, char **argv) {
    static const char option[] = "--format";
    const char *value = NULL;
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
        if (strncmp(argv[i], option, sizeof option - 1) != 0)
            continue;
        const char *rest = argv[i] + sizeof option - 1;
        value = *rest == '=' ? rest + 1 : *rest == '\0' && i + 1 < argc ? argv[i + 1] : value;
    }
    return value && (strcmp(value, "json") == 0 || strcmp(value, "jsonl") == 0);
}

/* The place in a message that begins with "FILE:LINE: " or "FILE:LINE:COLUMN: ", else null. */
static json_t *place_of(const char *text) {
    for (const char *at = text; (at = strchr(at, ':')); at++) {
        char *end;
        const size_t length = (size_t)(at - text);
        const unsigned long line = strtoul(at + 1, &end, 10);
        const unsigned long column = *end == ':' ? strtoul(end + 1, &end, 10) : 0;
        if (length == 0 || line == 0 || strncmp(end, ": ", 2) != 0)
            continue;
        json_t *place = json_object();
        json_set(place, "file", json_text(text, length));
        json_set(place, "line", json_integer((json_int_t)line));
        json_set(place, "column", json_count(column > 0, column));
        return place;
    }
    return json_null();
}

void failure_write(FILE *out, const char *text, const smp_error *failed, int exit_status) {
    json_t *error = json_object(), *all = json_object();
    json_set(error, "status", json_text_of(smp_status_name(failed->status)));
    json_set(error, "exit_status", json_integer(exit_status));
    json_set(error, "message", json_text_of(text));
    json_set(error, "place", place_of(text));
    json_set(error, "position", json_count(failed->position >= 0, (uint64_t)failed->position));
    json_set(all, "schema_version", json_integer(SMP_SCHEMA_VERSION));
    json_set(all, "error", error);
    if (json_dumpf(all, out, 0) == 0)
        (void)fputc('\n', out);
    json_decref(all);
}

int failure_report(int argc, char **argv, int status) {
    if (status > 1 && is_kept && !is_answered && asks_for_json(argc, argv)) {
        failure_write(stdout, message, &first, status);
        (void)fflush(stdout);
    }
    return status;
}
