/* SPDX-License-Identifier: MIT */
/*
 * Remarks for code scanning (SARIF 2.1.0, OASIS standard of 2020-03-27; sections are given beside
 * what they ask for), for GitLab's code quality (a list of objects, a fingerprint each), and as
 * lines of text: GitHub's annotations and what compilers print.
 */
#define _XOPEN_SOURCE 700
#include "remark.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "json_text.h"
#include "smp_model.h"
#include "source_line.h"
#include "visible_text.h"

static const struct {
    const char *name, *what, *help;
} rules[SMP_REMARK_RULE_COUNT] = {
#define RULE_ROW(id, name, what, help) {name, what, help},
    SMP_REMARK_RULES(RULE_ROW)
#undef RULE_ROW
#define RULE_ROW(id, name, rule, what, help) {rule, what, help},
        SMP_FINDING_KIND_ROWS(RULE_ROW)
#undef RULE_ROW
};

static void put(json_t *object, const char *name, json_t *value) {
    (void)json_object_set_new(object, name, value);
}

/* ---- Places ---- */

/* The path below the current folder, where there is one: what a service that knows only the
 * repository can follow. */
static const char *path_of(const char *file) {
    char here[4096];
    const char *path = smp_source_path(file);
    const size_t length = getcwd(here, sizeof here) ? strlen(here) : 0;
    if (length > 1 && strncmp(path, here, length) == 0 && path[length] == '/')
        path += length + 1;
    while (strncmp(path, "./", 2) == 0)
        path += 2;
    return path;
}

/* As RFC 3986 has it: what is no unreserved character or slash by its number. */
static json_t *uri_json(const char *path) {
    const char *scheme = path[0] == '/' ? "file://" : "";
    char *text = malloc(strlen(path) * 3 + 8), *at = text;
    if (!text)
        return json_null();
    at += sprintf(at, "%s", scheme);
    for (; *path != '\0'; path++) {
        const unsigned char c = (unsigned char)*path;
        if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
            strchr("-._~/", c))
            *at++ = (char)c;
        else
            at += sprintf(at, "%%%02X", c);
    }
    *at = '\0';
    json_t *out = json_string(text);
    free(text);
    return out;
}

static uint64_t hash_more(uint64_t hash, const char *text) {
    for (; *text != '\0'; text++)
        hash = (hash ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
    return (hash ^ 0xff) * UINT64_C(0x100000001b3);
}

/* FNV-1a of what a remark is about, not of its figures: it stays when they change. */
static json_t *fingerprint_json(const smp_remark *remark) {
    char text[64], place[32];
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    const char *const parts[] = {rules[remark->rule].name,
                                 remark->file ? path_of(remark->file) : "",
                                 remark->where ? remark->where : "", place, remark->key};
    (void)snprintf(place, sizeof place, "%" PRIu32 ":%d", remark->line, remark->column);
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        hash = hash_more(hash, parts[i]);
    (void)snprintf(text, sizeof text, "%016" PRIx64, hash);
    return json_string(text);
}

/* ---- SARIF ---- */

/* 3.28 location, 3.29 physicalLocation, 3.30 region, 3.33 logicalLocation. */
static json_t *location_json(const smp_remark *remark) {
    json_t *out = json_object();
    if (remark->file) {
        json_t *physical = json_object(), *artifact = json_object(), *region = json_object();
        put(artifact, "uri", uri_json(path_of(remark->file)));
        put(physical, "artifactLocation", artifact);
        if (remark->line > 0)
            put(region, "startLine", json_integer(remark->line));
        if (remark->line > 0 && remark->column >= 0)
            put(region, "startColumn", json_integer(remark->column + 1));
        if (remark->line > 0)
            put(physical, "region", json_incref(region));
        json_decref(region);
        put(out, "physicalLocation", physical);
    }
    if (remark->where) {
        json_t *logical = json_array();
        (void)json_array_append_new(logical,
                                    json_pack("{s:o, s:s}", "fullyQualifiedName",
                                              json_text_of(remark->where), "kind", "function"));
        put(out, "logicalLocations", logical);
    }
    return out;
}

/* 3.27 result. */
static json_t *result_json(const smp_remark *remark) {
    static const char *const levels[] = {"note", "warning", "error"};
    json_t *out = json_object(), *locations = json_array();
    put(out, "ruleId", json_string(rules[remark->rule].name));
    put(out, "ruleIndex", json_integer(remark->rule));
    put(out, "level", json_string(levels[remark->level]));
    put(out, "message", json_pack("{s:o}", "text", json_text_of(remark->message)));
    if (remark->file || remark->where)
        (void)json_array_append_new(locations, location_json(remark));
    put(out, "locations", locations);
    put(out, "partialFingerprints", json_pack("{s:o}", "smemprobe/v1", fingerprint_json(remark)));
    if (remark->figures)
        put(out, "properties", remark->figures);
    return out;
}

/* 3.19 toolComponent, 3.49 reportingDescriptor. */
static json_t *tool_json(void) {
    json_t *list = json_array();
    for (size_t i = 0; i < SMP_REMARK_RULE_COUNT; i++)
        (void)json_array_append_new(list, json_pack("{s:s, s:{s:s}, s:{s:s}, s:{s:s}}", "id",
                                                    rules[i].name, "shortDescription", "text",
                                                    rules[i].what, "fullDescription", "text",
                                                    rules[i].what, "help", "text", rules[i].help));
    return json_pack("{s:{s:s, s:s, s:o}}", "driver", "name", "smemprobe", "version", SMP_VERSION,
                     "rules", list);
}

static json_t *sarif_json(json_t *results) {
    json_t *run = json_pack("{s:o, s:s, s:o}", "tool", tool_json(), "columnKind",
                            "unicodeCodePoints", "results", results);
    return json_pack("{s:s, s:s, s:[o]}", "$schema",
                     "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/"
                     "sarif-schema-2.1.0.json",
                     "version", "2.1.0", "runs", run);
}

/* ---- GitLab ---- */

static json_t *issue_json(const smp_remark *remark) {
    static const char *const severities[] = {"info", "minor", "major", "critical"};
    const bool is_critical =
        remark->level == SMP_REMARK_ERROR && remark->rule >= SMP_REMARK_FIRST_FINDING;
    const uint32_t line = remark->line > 0 ? remark->line : 1;
    json_decref(remark->figures);
    return json_pack("{s:o, s:s, s:o, s:s, s:{s:o, s:{s:i}}}", "description",
                     json_text_of(remark->message), "check_name", rules[remark->rule].name,
                     "fingerprint", fingerprint_json(remark), "severity",
                     severities[remark->level + is_critical], "location", "path",
                     json_text_of(remark->file ? path_of(remark->file) : "unknown"), "lines",
                     "begin", (int)line);
}

/* ---- Lines of text ---- */

/* Workflow commands escape %, CR and LF, in properties also ':' and ','; they have no words for
 * other control characters. */
static void put_escaped(FILE *out, const char *text, bool is_property) {
    for (size_t length = strlen(text); length > 0;) {
        const size_t visible = smp_visible_bytes(text, length), bytes = visible > 0 ? visible : 1;
        const char c = *text;
        if (c == '%' || c == '\r' || c == '\n' || (is_property && (c == ':' || c == ',')))
            fprintf(out, "%%%02X", (unsigned)c);
        else
            smp_visible_put(out, text, bytes);
        text += bytes;
        length -= bytes;
    }
}

static json_t *line_json(const smp_remark *remark) {
    json_decref(remark->figures);
    return json_pack("{s:i, s:i, s:i, s:i, s:o, s:o, s:o}", "level", (int)remark->level, "rule",
                     (int)remark->rule, "line", (int)remark->line, "column", remark->column, "file",
                     json_text_of(remark->file ? path_of(remark->file) : ""), "where",
                     json_text_of(remark->where ? remark->where : ""), "message",
                     json_text_of(remark->message));
}

static void put_github(FILE *out, const json_t *line, int number, int column) {
    static const char *const levels[] = {"notice", "warning", "error"};
    const char *file = json_string_value(json_object_get(line, "file"));
    fprintf(out, "::%s ", levels[json_integer_value(json_object_get(line, "level"))]);
    if (file[0] != '\0') {
        fputs("file=", out);
        put_escaped(out, file, true);
        fputc(',', out);
    }
    if (number > 0)
        fprintf(out, "line=%d,", number);
    if (number > 0 && column >= 0)
        fprintf(out, "col=%d,", column + 1);
    fputs("title=smemprobe::", out);
    put_escaped(out, json_string_value(json_object_get(line, "message")), false);
    fputc('\n', out);
}

static void put_gcc(FILE *out, const json_t *line, int number, int column) {
    static const char *const levels[] = {"note", "warning", "error"};
    const char *file = json_string_value(json_object_get(line, "file"));
    const char *where = json_string_value(json_object_get(line, "where"));
    const char *message = json_string_value(json_object_get(line, "message"));
    const char *place = file[0] != '\0' ? file : where;
    smp_visible_put(out, place, strlen(place));
    if (number > 0)
        fprintf(out, ":%d", number);
    if (number > 0 && column >= 0)
        fprintf(out, ":%d", column + 1);
    fprintf(out, "%s%s: ", place[0] != '\0' ? ": " : "",
            levels[json_integer_value(json_object_get(line, "level"))]);
    smp_visible_put(out, message, strlen(message));
    fprintf(out, " [%s]\n", rules[json_integer_value(json_object_get(line, "rule"))].name);
}

static void put_lines(FILE *out, smp_remark_form form, const json_t *items) {
    size_t index;
    const json_t *line;
    json_array_foreach(items, index, line) {
        const int number = (int)json_integer_value(json_object_get(line, "line"));
        const int column = (int)json_integer_value(json_object_get(line, "column"));
        (form == SMP_REMARK_GITHUB ? put_github : put_gcc)(out, line, number, column);
    }
}

void smp_remark_add(json_t *items, smp_remark_form form, const smp_remark *remark) {
    static json_t *(*const makers[])(const smp_remark *) = {[SMP_REMARK_SARIF] = result_json,
                                                            [SMP_REMARK_GITLAB] = issue_json,
                                                            [SMP_REMARK_GITHUB] = line_json,
                                                            [SMP_REMARK_GCC] = line_json};
    (void)json_array_append_new(items, makers[form](remark));
}

void smp_remarks_put(FILE *out, smp_remark_form form, json_t *items) {
    json_t *whole = form == SMP_REMARK_SARIF ? sarif_json(items) : items;
    if (form == SMP_REMARK_GITHUB || form == SMP_REMARK_GCC) {
        put_lines(out, form, items);
    } else {
        (void)json_dumpf(whole, out, JSON_INDENT(1) | JSON_ENSURE_ASCII);
        fputc('\n', out);
    }
    json_decref(whole);
}
