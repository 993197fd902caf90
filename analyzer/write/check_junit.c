/* SPDX-License-Identifier: MIT */
/*
 * What `check` found, as JUnit XML, which most CI systems show: a test suite a file, a test case an
 * expectation, a failure where it is violated, an error where the file is broken or asks for
 * nothing, skipped where a bound meets an access without a rule.
 */
#include <stdio.h>
#include <string.h>

#include "check_files.h"
#include "write_format.h"
#include "xml_text.h"

static void put_case(FILE *out, const smp_case *found) {
    static const char *const elements[] = {
        [SMP_VIOLATED] = "failure", [SMP_BROKEN] = "error", [SMP_NOT_JUDGED] = "skipped"};
    fputs("    <testcase classname=\"", out);
    xml_put(out, found->file, strlen(found->file));
    fprintf(out, "\" file=\"");
    xml_put(out, found->file, strlen(found->file));
    fprintf(out, "\" line=\"%u\" name=\"line %u", found->line, found->line);
    if (found->arch)
        fprintf(out, " on %s", found->arch->name);
    fputs(found->rule_length > 0 ? ": " : "", out);
    xml_put(out, found->rule, found->rule_length);
    if (smp_case_is_quiet(found)) {
        fputs("\"/>\n", out);
        return;
    }
    fprintf(out, "\">\n      <%s message=\"", elements[found->verdict]);
    xml_put(out, found->message, strlen(found->message));
    fputs("\">", out);
    xml_put(out, found->access ? found->access : "", found->access_length);
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
    size_t failures = 0, errors = 0, skipped = 0;
    for (size_t i = first; i < end; i++) {
        failures += check->cases[i].verdict == SMP_VIOLATED;
        errors += check->cases[i].verdict == SMP_BROKEN;
        skipped += check->cases[i].verdict == SMP_NOT_JUDGED;
    }
    fputs("  <testsuite name=\"", out);
    xml_put(out, check->cases[first].file, strlen(check->cases[first].file));
    fprintf(out, "\" tests=\"%zu\" failures=\"%zu\" errors=\"%zu\" skipped=\"%zu\">\n", end - first,
            failures, errors, skipped);
    for (size_t i = first; i < end; i++)
        put_case(out, &check->cases[i]);
    fputs("  </testsuite>\n", out);
}

void smp_check_junit(FILE *out, const smp_check *check, smp_style style) {
    (void)style;
    fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n", out);
    fprintf(out,
            "<testsuites name=\"smemprobe check\" tests=\"%zu\" failures=\"%zu\" "
            "errors=\"%zu\" skipped=\"%zu\">\n",
            check->count, check->violated, check->broken, check->skipped);
    for (size_t first = 0; first < check->count;) {
        size_t end = end_of_file(check, first);
        put_suite(out, check, first, end);
        first = end;
    }
    fputs("</testsuites>\n", out);
}
