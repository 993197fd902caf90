/* SPDX-License-Identifier: MIT */
/*
 * What `check` found, for people and for the annotations of GitHub Actions: one line for each case
 * that does not hold, "file:line: " first, as compilers print it.
 */
#include <stdio.h>
#include <string.h>

#include "check_files.h"
#include "write_check.h"

static void put_place(FILE *out, const smp_case *found) {
    fprintf(out, "%s", found->file);
    if (found->line > 0)
        fprintf(out, ":%u", found->line);
    if (found->line > 0 && found->column >= 0)
        fprintf(out, ":%d", found->column + 1);
    fputs(": ", out);
}

static void put_reason(FILE *out, const smp_case *found) {
    if (found->arch)
        fprintf(out, "%s: ", found->arch->name);
    if (found->verdict == SMP_VIOLATED)
        fprintf(out, "%s, but expected %.*s, for '%.*s'", found->message, (int)found->rule_length,
                found->rule, (int)found->access_length, found->access);
    else
        fputs(found->message, out);
}

void smp_check_text(FILE *out, const smp_check *check) {
    for (size_t i = 0; i < check->count; i++) {
        const smp_case *found = &check->cases[i];
        if (found->verdict == SMP_HOLDS)
            continue;
        put_place(out, found);
        put_reason(out, found);
        fputc('\n', out);
    }
    size_t judged = check->count - check->broken;
    fprintf(out, "%zu file%s, %zu access%s, %zu expectation%s: ", check->file_count,
            check->file_count == 1 ? "" : "s", check->accesses, check->accesses == 1 ? "" : "es",
            judged, judged == 1 ? "" : "s");
    if (check->violated + check->broken == 0)
        fputs("all hold", out);
    else
        fprintf(out, "%zu violated, %zu in error", check->violated, check->broken);
    if (check->unjudged > 0)
        fprintf(out, "; %zu access%s not modelled, and not judged", check->unjudged,
                check->unjudged == 1 ? " is" : "es are");
    fputc('\n', out);
}

/* ---- GitHub ------------------------------------------------------------------------------ */

/* Workflow commands escape %, CR and LF; in properties also ':' and ','. */
static void put_escaped(FILE *out, const char *text, size_t length, bool is_property) {
    for (size_t i = 0; i < length; i++) {
        char c = text[i];
        bool escapes =
            c == '%' || c == '\r' || c == '\n' || (is_property && (c == ':' || c == ','));
        if (escapes)
            fprintf(out, "%%%02X", (unsigned)c);
        else
            fputc(c, out);
    }
}

static void put_annotation(FILE *out, const smp_case *found) {
    fputs("::error file=", out);
    put_escaped(out, found->file, strlen(found->file), true);
    if (found->line > 0)
        fprintf(out, ",line=%u", found->line);
    if (found->line > 0 && found->column >= 0)
        fprintf(out, ",col=%d", found->column + 1);
    fprintf(out, ",title=smemprobe::");
    if (found->arch)
        fprintf(out, "%s: ", found->arch->name);
    put_escaped(out, found->message, strlen(found->message), false);
    if (found->verdict == SMP_VIOLATED) {
        fputs(", but expected ", out);
        put_escaped(out, found->rule, found->rule_length, false);
        fputs(", for '", out);
        put_escaped(out, found->access, found->access_length, false);
        fputc('\'', out);
    }
    fputc('\n', out);
}

void smp_check_github(FILE *out, const smp_check *check) {
    for (size_t i = 0; i < check->count; i++) {
        if (check->cases[i].verdict != SMP_HOLDS)
            put_annotation(out, &check->cases[i]);
    }
}
