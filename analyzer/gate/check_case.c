/* SPDX-License-Identifier: MIT */
/* The cases of a check, and the texts that they point to. */
#include "check_case.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "list.h"

smp_case *smp_check_add(smp_check *check, smp_verdict verdict) {
    if (!LIST_ROOM(check->cases, check->count))
        return NULL;
    smp_case *added = &check->cases[check->count++];
    *added = (smp_case){.verdict = verdict, .column = -1, .rule = ""};
    check->violated += verdict == SMP_VIOLATED;
    check->broken += verdict == SMP_BROKEN;
    check->skipped += verdict == SMP_NOT_JUDGED;
    return added;
}

smp_status smp_check_add_broken(smp_check *check, const char *file, unsigned line,
                                const smp_arch *arch, const smp_error *error) {
    smp_case *added = smp_check_add(check, SMP_BROKEN);
    if (!added)
        return SMP_E_MEMORY;
    check->is_misused |= error->status == SMP_E_USAGE;
    added->file = file;
    added->line = line;
    added->column = error->position;
    added->arch = arch;
    /* The file is named once. */
    const size_t length = strlen(file);
    const bool is_named = strncmp(error->message, file, length) == 0 &&
                          strncmp(error->message + length, ": ", 2) == 0;
    (void)snprintf(added->message, sizeof added->message, "%s",
                   error->message + (is_named ? length + 2 : 0));
    return SMP_OK;
}

/* A gate that judged nothing must not pass. */
smp_status smp_check_add_empty(smp_check *check, const char *file, const char *why) {
    smp_error error;
    (void)smp_error_set(&error, SMP_E_SYNTAX, -1, "nothing to check: %s", why);
    if (smp_check_add_broken(check, file, 0, NULL, &error) != SMP_OK)
        return SMP_E_MEMORY;
    check->cases[check->count - 1].is_empty = true;
    check->empty++;
    return SMP_OK;
}

void smp_check_bound(smp_case *added, char rule[40], const char *count, uint64_t value,
                     int64_t bound) {
    added->rule_length = (size_t)snprintf(rule, 40, "%s <= %lld", count, (long long)bound);
    added->rule = rule;
    if (added->verdict == SMP_VIOLATED)
        (void)snprintf(added->message, sizeof added->message, "%s is %llu", count,
                       (unsigned long long)value);
}

const char *smp_check_keep(smp_check *check, const char *a, const char *b, const char *c) {
    const size_t size = strlen(a) + strlen(b) + strlen(c) + 1;
    smp_kept_name *kept = malloc(sizeof *kept + size);
    if (!kept)
        return NULL;
    (void)snprintf(kept->text, size, "%s%s%s", a, b, c);
    kept->next = check->names;
    check->names = kept;
    return kept->text;
}
