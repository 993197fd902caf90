/* SPDX-License-Identifier: MIT */
/* Applying a diff to its text gives the other text. */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "smp_accesses.h"
#include "suite.h"
#include "text_edit.h"

enum { TEXT_BYTES = 4096, LINES_MOST = 40, ROUNDS = 3000 };

/* Applies it like patch: lines that stay or go must be those of `before`. */
static void apply(const char *patch, const char *before, char *out) {
    const char *at = before, *next;
    char *to = out;
    long line = 1;
    for (; *patch != '\0'; patch = next) {
        next = patch + strcspn(patch, "\n");
        next += *next == '\n';
        const size_t length = (size_t)(next - patch);
        const char *behind = strncmp(next, "\\ No newline", 12) == 0 ? "" : "\n";
        if (strncmp(patch, "--- ", 4) == 0 || strncmp(patch, "+++ ", 4) == 0 || *patch == '\\')
            continue;
        if (*patch == '@') {
            long first, count = 1;
            ck_assert_int_ge(sscanf(patch, "@@ -%ld,%ld", &first, &count), 1);
            for (first += count == 0; line < first; line++) {
                const size_t whole = strcspn(at, "\n") + 1;
                memcpy(to, at, whole);
                to += whole, at += whole;
            }
            continue;
        }
        const size_t own = length - 2 + strlen(behind); /* without the sign, and the newline */
        if (*patch != '+') {
            ck_assert_int_eq(strncmp(at, patch + 1, own), 0);
            at += own;
            line++;
        }
        if (*patch != '-') {
            memcpy(to, patch + 1, own);
            to += own;
        }
    }
    strcpy(to, at);
}

static void draw(smp_random *random, char *out) {
    const uint32_t count = smp_random_below(random, LINES_MOST);
    *out = '\0';
    for (uint32_t i = 0; i < count; i++)
        out += sprintf(out, "%c\n", 'a' + (int)smp_random_below(random, 4));
    if (count > 0 && smp_random_below(random, 4) == 0)
        out[-1] = '\0';
}

/* Some lines of `from` anew. */
static void change(smp_random *random, const char *from, char *out) {
    const char *next;
    for (; *from != '\0'; from = next) {
        next = from + strcspn(from, "\n");
        next += *next == '\n';
        const uint32_t kind = smp_random_below(random, 16);
        if (kind == 0)
            out += sprintf(out, "new\n");
        if (kind != 1)
            out += sprintf(out, "%.*s", (int)(next - from), from);
    }
    *out = '\0';
}

static char *diff_told(const char *before, const char *after, line_change_fn *told, void *user) {
    char *patch = NULL;
    size_t length;
    FILE *file = open_memstream(&patch, &length);
    ck_assert(unified_diff(file, "x.cu", before, strlen(before), after, strlen(after), told, user));
    ck_assert_int_eq(fclose(file), 0);
    return patch;
}

static char *diff(const char *before, const char *after) {
    return diff_told(before, after, NULL, NULL);
}

/* A text being changed: the rest of the old one, the number of its first line, and the new one. */
typedef struct changed {
    const char *rest;
    size_t line;
    char text[TEXT_BYTES];
} changed;

static bool replace(void *user, const char *name, size_t first, size_t count, const char *text,
                    size_t length) {
    changed *to = user;
    ck_assert_str_eq(name, "x.cu");
    ck_assert_uint_ge(first, to->line);
    ck_assert_uint_gt(count + length, 0);
    for (size_t end = first + count; to->line < end; to->line++) {
        const size_t bytes = strcspn(to->rest, "\n"), whole = bytes + (to->rest[bytes] == '\n');
        ck_assert_uint_gt(whole, 0);
        if (to->line < first)
            strncat(to->text, to->rest, whole);
        to->rest += whole;
    }
    strncat(to->text, text, length);
    return true;
}

START_TEST(a_diff_leads_to_the_other_text) {
    char before[TEXT_BYTES], after[TEXT_BYTES], is[TEXT_BYTES];
    smp_random random = {77};
    for (unsigned i = 0; i < ROUNDS; i++) {
        draw(&random, before);
        if (i % 2 == 0)
            draw(&random, after);
        else
            change(&random, before, after);
        changed by_lines = {before, 1, ""};
        char *patch = diff_told(before, after, replace, &by_lines);
        apply(patch, before, is);
        ck_assert_str_eq(is, after);
        strcat(by_lines.text, by_lines.rest);
        ck_assert_str_eq(by_lines.text, after);
        free(patch);
    }
}
END_TEST

START_TEST(hunks_have_three_lines_around_them) {
    char *patch = diff("1\n2\n3\n4\n5\n6\n7\n8\n9\n", "1\n2\n3\n4\nfive\n6\n7\n8\n9\n");
    ck_assert_str_eq(patch, "--- a/x.cu\n+++ b/x.cu\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n"
                            " 7\n 8\n");
    free(patch);
    patch = diff("a\n", "a\n");
    ck_assert_str_eq(patch, "");
    free(patch);
}
END_TEST

int main(void) {
    return SUITE("unified_diff", TEST(a_diff_leads_to_the_other_text),
                 TEST(hunks_have_three_lines_around_them));
}
