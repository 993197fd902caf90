/* SPDX-License-Identifier: MIT */
/* A patch as a fix in SARIF and as GitHub's suggestions, change by change; races in the text. */
#define _POSIX_C_SOURCE 200809L
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "smp_accesses.h"
#include "suite.h"
#include "write_format.h"

static char middle[] = "B\n---I;\n", added[] = "new\n", last[] = "LAST\n";
static repair_change changes[] = {
    {4, 2, middle, "k.cu"}, {21, 0, added, "k.cu"}, {40, 1, last, "k.cu"}};

static char *written(void (*write)(FILE *, const smp_repair_shown *), repair *found) {
    const smp_repair_shown shown = {.found = found, .path = "k.cu", .arch = "sm_90"};
    char *text = NULL;
    size_t length;
    FILE *file = open_memstream(&text, &length);
    write(file, &shown);
    ck_assert(fclose(file) == 0);
    return text;
}

START_TEST(each_replacement_has_its_lines) {
    static const struct {
        int first, end;
        const char *text;
    } rows[] = {{4, 6, "B\n---I;\n"}, {21, 21, "new\n"}, {40, 41, "LAST\n"}};
    repair found = {.changes = changes, .change_count = 3};
    char *text = written(smp_repair_sarif, &found);
    json_t *all = json_loads(text, 0, NULL), *list = NULL;
    int rule;
    ck_assert(json_unpack(all, "{s:[{s:[{s:i, s:[{s:[{s:o}]}]}]}]}", "runs", "results", "ruleIndex",
                          &rule, "fixes", "artifactChanges", "replacements", &list) == 0);
    ck_assert_uint_eq(json_array_size(list), 3);
    for (size_t i = 0; i < 3; i++) {
        int first, end;
        const char *inserted;
        ck_assert(json_unpack(json_array_get(list, i), "{s:{s:i, s:i}, s:{s:s}}", "deletedRegion",
                              "startLine", &first, "endLine", &end, "insertedContent", "text",
                              &inserted) == 0);
        ck_assert_int_eq(first, rows[i].first);
        ck_assert_int_eq(end, rows[i].end);
        ck_assert_str_eq(inserted, rows[i].text);
    }
    json_decref(all);
    free(text);
}
END_TEST

START_TEST(suggestions_name_their_lines) {
    repair found = {.changes = changes, .change_count = 3};
    char *text = written(smp_repair_github, &found);
    ck_assert(strstr(text, "file=k.cu,line=4,endLine=5,title=smemprobe::Proven repair"));
    ck_assert(strstr(text, "```suggestion%0AB%0A---I;%0A```"));
    ck_assert(strstr(text, "line=21,title") &&
              strstr(text, "insert before this line:%0A```%0Anew%0A```"));
    ck_assert(strstr(text, "line=40,title"));
    free(text);
    repair none = {.patch = NULL};
    text = written(smp_repair_github, &none);
    ck_assert_str_eq(text, "");
    free(text);
}
END_TEST

START_TEST(text_tells_of_races) {
    static const struct {
        repair found;
        const char *told; /* NULL: nothing */
    } rows[] = {
        {{.patch = NULL}, "races were not looked for: smemprobe fix --races"},
        {{.has_looked_for_races = true}, NULL},
        {{.refused = "why"}, NULL},
        {{.has_looked_for_races = true, .races_before = 2, .races_after = 2},
         "the source has 2 races, which a layout does not repair"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        repair found = rows[i].found;
        char *text = written(smp_repair_text, &found);
        ck_assert_msg(rows[i].told ? !!strstr(text, rows[i].told) : !strstr(text, "races"),
                      "row %zu: %s", i, text);
        free(text);
    }
}
END_TEST

int main(void) {
    return SUITE("repair_forms", TEST(each_replacement_has_its_lines),
                 TEST(suggestions_name_their_lines), TEST(text_tells_of_races));
}
