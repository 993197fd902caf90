/* SPDX-License-Identifier: MIT */
/*
 * Remarks for code scanning (SARIF 2.1.0, OASIS standard of 2020-03-27; its sections are cited
 * below), GitLab's code quality (a list of objects with fingerprints), GitHub's annotations and
 * compiler messages.
 */
#define _XOPEN_SOURCE 700
#include "remark.h"

#include <inttypes.h>
#include <string.h>

#include "json_text.h"
#include "put.h"
#include "source_line.h"

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

/* The names that SARIF and compilers use. */
static const char *const level_names[] = {"note", "warning", "error"};

/* A URI (RFC 3986): all but unreserved characters and slashes are percent-encoded. */
json_t *smp_remark_uri(const char *file) {
    const char *path = smp_source_shown(file), *scheme = path[0] == '/' ? "file://" : "";
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

/* FNV-1a of the remark's subject without its figures, so that it stays the same when they change.
 */
static json_t *fingerprint_json(const smp_remark *remark) {
    char text[64], place[32];
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    const char *const parts[] = {rules[remark->rule].name,
                                 remark->file ? smp_source_shown(remark->file) : "",
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
    json_t *physical = NULL, *region = NULL, *logical = NULL;
    if (remark->file && remark->line > 0)
        region = json_pack("{s:i, s:o*}", "startLine", (int)remark->line, "startColumn",
                           remark->column >= 0 ? json_integer(remark->column + 1) : NULL);
    if (remark->file)
        physical = json_pack("{s:{s:o}, s:o*}", "artifactLocation", "uri",
                             smp_remark_uri(remark->file), "region", region);
    if (remark->where)
        logical = json_pack("[{s:o, s:s}]", "fullyQualifiedName", json_text_of(remark->where),
                            "kind", "function");
    return json_pack("{s:o*, s:o*}", "physicalLocation", physical, "logicalLocations", logical);
}

/* 3.27.22 relatedLocations, 3.28.5 message. */
static json_t *related_json(const smp_finding_place *other) {
    const smp_remark there = {.file = other->file, .line = other->line, .column = -1};
    json_t *location = location_json(&there);
    json_object_set_new(
        location, "message",
        json_pack("{s:o}", "text",
                  json_text_of(other->instruction ? other->instruction : "the other access")));
    return json_pack("[o]", location);
}

/* 3.27 result. */
static json_t *result_json(const smp_remark *remark) {
    json_t *locations = json_array();
    if (remark->file || remark->where)
        json_push(locations, location_json(remark));
    return json_pack("{s:s, s:i, s:s, s:{s:o}, s:o, s:o*, s:{s:o}, s:O*, s:O*}", "ruleId",
                     rules[remark->rule].name, "ruleIndex", (int)remark->rule, "level",
                     level_names[remark->level], "message", "text", json_text_of(remark->message),
                     "locations", locations, "relatedLocations",
                     remark->other ? related_json(remark->other) : NULL, "partialFingerprints",
                     "smemprobe/v1", fingerprint_json(remark), "properties", remark->figures,
                     "fixes", remark->fixes);
}

/* 3.19 toolComponent, 3.49 reportingDescriptor. */
static json_t *tool_json(void) {
    json_t *list = json_array();
    for (size_t i = 0; i < SMP_REMARK_RULE_COUNT; i++)
        json_push(list, json_pack("{s:s, s:{s:s}, s:{s:s}, s:{s:s}}", "id", rules[i].name,
                                  "shortDescription", "text", rules[i].what, "fullDescription",
                                  "text", rules[i].what, "help", "text", rules[i].help));
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
    return json_pack("{s:o, s:s, s:o, s:s, s:{s:o, s:{s:i}}}", "description",
                     json_text_of(remark->message), "check_name", rules[remark->rule].name,
                     "fingerprint", fingerprint_json(remark), "severity",
                     severities[remark->level + is_critical], "location", "path",
                     json_text_of(remark->file ? smp_source_shown(remark->file) : "unknown"),
                     "lines", "begin", (int)line);
}

/* ---- Lines of text ---- */

/* Workflow commands escape %, CR and LF, and in properties also ':' and ','. Other control
 * characters cannot be escaped. */
static void put_workflow(FILE *out, const char *text, bool is_property) {
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

static void put_github(FILE *out, const smp_remark *remark) {
    static const char *const levels[] = {"notice", "warning", "error"};
    fprintf(out, "::%s ", levels[remark->level]);
    if (remark->file) {
        fputs("file=", out);
        put_workflow(out, smp_source_shown(remark->file), true);
        fputc(',', out);
    }
    if (remark->line > 0)
        fprintf(out, "line=%" PRIu32 ",", remark->line);
    if (remark->last_line > 0)
        fprintf(out, "endLine=%" PRIu32 ",", remark->last_line);
    if (remark->line > 0 && remark->column >= 0)
        fprintf(out, "col=%d,", remark->column + 1);
    fputs("title=smemprobe::", out);
    put_workflow(out, remark->message, false);
    fputc('\n', out);
}

static void put_gcc(FILE *out, const smp_remark *remark) {
    const char *place = remark->file    ? smp_source_shown(remark->file)
                        : remark->where ? remark->where
                                        : "";
    put_visible(out, "%s", place);
    if (remark->line > 0)
        fprintf(out, ":%" PRIu32, remark->line);
    if (remark->line > 0 && remark->column >= 0)
        fprintf(out, ":%d", remark->column + 1);
    put_visible(out, "%s%s: %s [%s]\n", place[0] != '\0' ? ": " : "", level_names[remark->level],
                remark->message, rules[remark->rule].name);
}

/* ---- Documents ---- */

/* How a format writes a remark: as an element of a list, or as a line. */
static const struct {
    json_t *(*make)(const smp_remark *remark);
    void (*put)(FILE *out, const smp_remark *remark);
} forms[] = {[SMP_FORMAT_SARIF] = {.make = result_json},
             [SMP_FORMAT_GITLAB] = {.make = issue_json},
             [SMP_FORMAT_GITHUB] = {.put = put_github},
             [SMP_FORMAT_GCC] = {.put = put_gcc}};

smp_remarks smp_remarks_begin(FILE *out, smp_format form) {
    return (smp_remarks){out, form, forms[form].make ? json_array() : NULL};
}

void smp_remark_add(smp_remarks *to, const smp_remark *remark) {
    if (to->items)
        json_push(to->items, forms[to->form].make(remark));
    else if (forms[to->form].put)
        forms[to->form].put(to->out, remark);
    json_decref(remark->figures);
    json_decref(remark->fixes);
}

void smp_remarks_end(smp_remarks *to) {
    if (!forms[to->form].make)
        return;
    json_t *whole = to->form == SMP_FORMAT_SARIF ? sarif_json(to->items) : to->items;
    (void)json_dumpf(whole, to->out, JSON_INDENT(1) | JSON_ENSURE_ASCII);
    fputc('\n', to->out);
    json_decref(whole);
}
