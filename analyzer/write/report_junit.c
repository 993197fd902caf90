/* SPDX-License-Identifier: MIT */
/*
 * What `check` found, as JUnit XML, which most CI systems show: a test suite a file, a test case an
 * expectation, a failure where it is violated and an error where the file is broken.
 */
#include <stdio.h>
#include <string.h>

#include "check_files.h"
#include "write_check.h"

static void put_text(FILE *out, const char *text, size_t length) {
    for (size_t i = 0; i < length; i++) {
        unsigned char c = (unsigned char)text[i];
        if (c == '&')
            fputs("&amp;", out);
        else if (c == '<')
            fputs("&lt;", out);
        else if (c == '>')
            fputs("&gt;", out);
        else if (c == '"')
            fputs("&quot;", out);
        else if (c < 32 || c > 126)
            fputc('?', out);
        else
            fputc(c, out);
    }
}

static void put_case(FILE *out, const smp_case *found) {
    static const char *const elements[] = {[SMP_VIOLATED] = "failure", [SMP_BROKEN] = "error"};
    fputs("    <testcase classname=\"", out);
    put_text(out, found->file, strlen(found->file));
    fprintf(out, "\" file=\"");
    put_text(out, found->file, strlen(found->file));
    fprintf(out, "\" line=\"%u\" name=\"line %u", found->line, found->line);
    if (found->arch)
        fprintf(out, " on %s", found->arch->name);
    fputs(found->rule_length > 0 ? ": " : "", out);
    put_text(out, found->rule, found->rule_length);
    if (found->verdict == SMP_HOLDS) {
        fputs("\"/>\n", out);
        return;
    }
    fprintf(out, "\">\n      <%s message=\"", elements[found->verdict]);
    put_text(out, found->message, strlen(found->message));
    fputs("\">", out);
    put_text(out, found->access ? found->access : "", found->access_length);
    fprintf(out, "</%s>\n    </testcase>\n", elements[found->verdict]);
}

/* Cases of one file follow each other: [first, end). */
static size_t end_of_file(const smp_check *check, size_t first) {
    size_t end = first + 1;
    while (end < check->count && check->cases[end].file == check->cases[first].file)
        end++;
    return end;
}

static void put_suite(FILE *out, const smp_check *check, size_t first, size_t end) {
    size_t failures = 0, errors = 0;
    for (size_t i = first; i < end; i++) {
        failures += check->cases[i].verdict == SMP_VIOLATED;
        errors += check->cases[i].verdict == SMP_BROKEN;
    }
    fputs("  <testsuite name=\"", out);
    put_text(out, check->cases[first].file, strlen(check->cases[first].file));
    fprintf(out, "\" tests=\"%zu\" failures=\"%zu\" errors=\"%zu\">\n", end - first, failures,
            errors);
    for (size_t i = first; i < end; i++)
        put_case(out, &check->cases[i]);
    fputs("  </testsuite>\n", out);
}

void smp_check_junit(FILE *out, const smp_check *check) {
    fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n", out);
    fprintf(out,
            "<testsuites name=\"smemprobe check\" tests=\"%zu\" failures=\"%zu\" "
            "errors=\"%zu\">\n",
            check->count, check->violated, check->broken);
    for (size_t first = 0; first < check->count;) {
        size_t end = end_of_file(check, first);
        put_suite(out, check, first, end);
        first = end;
    }
    fputs("</testsuites>\n", out);
}
