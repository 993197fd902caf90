/* SPDX-License-Identifier: MIT */
/*
 * What `check` found for people: one line for each case that does not hold, "file:line: " first, as
 * compilers print it.
 */
#include <stdio.h>
#include <string.h>

#include "check_files.h"
#include "visible_text.h"
#include "write_format.h"

static void put_place(FILE *out, const smp_case *found, smp_style style) {
    fputs(smp_paint(style, "\033[1m"), out);
    smp_visible_text(out, found->file);
    if (found->line > 0)
        fprintf(out, ":%u", found->line);
    if (found->line > 0 && found->column >= 0)
        fprintf(out, ":%d", found->column + 1);
    fprintf(out, ":%s ", smp_paint(style, "\033[0m"));
}

static void put_reason(FILE *out, const smp_case *found, smp_style style) {
    if (found->arch)
        fprintf(out, "%s: ", found->arch->name);
    fputs(smp_paint(style, "\033[1;31m"), out);
    smp_visible_text(out, found->message);
    fputs(smp_paint(style, "\033[0m"), out);
    if (found->verdict != SMP_VIOLATED)
        return;
    fputs(", but expected ", out);
    smp_visible_put(out, found->rule, found->rule_length);
    fputs(", for '", out);
    smp_visible_put(out, found->access, found->access_length);
    fputc('\'', out);
}

static const char *ending(size_t count, const char *of_many) {
    return count == 1 ? "" : of_many;
}

/* Files with nothing to check are named by the command, on the standard error. */
static void put_sum(FILE *out, const smp_check *check) {
    const size_t judged = check->count - check->broken - check->skipped;
    fprintf(out, "%zu file%s, %zu access%s, %zu expectation%s: ", check->file_count,
            ending(check->file_count, "s"), check->accesses, ending(check->accesses, "es"), judged,
            ending(judged, "s"));
    if (check->violated + check->broken == 0)
        fputs(check->known > 0 ? "nothing new" : "all hold", out);
    else
        fprintf(out, "%zu violated, %zu in error", check->violated, check->broken - check->empty);
    if (check->known > 0)
        fprintf(out, "; %zu known", check->known);
    if (check->empty > 0)
        fprintf(out, "; %zu file%s with nothing to check", check->empty, ending(check->empty, "s"));
    if (check->unjudged > 0)
        fprintf(out, "; %zu access%s not modelled, and not judged", check->unjudged,
                check->unjudged == 1 ? " is" : "es are");
    fputc('\n', out);
}

void smp_check_text(FILE *out, const smp_check *check, smp_style style) {
    for (size_t i = 0; i < check->count; i++) {
        const smp_case *found = &check->cases[i];
        if ((found->verdict != SMP_VIOLATED && found->verdict != SMP_BROKEN) || found->is_empty)
            continue;
        put_place(out, found, style);
        put_reason(out, found, style);
        fputc('\n', out);
    }
    put_sum(out, check);
}
