/* SPDX-License-Identifier: MIT */
/* Findings: names of their kinds, and freeing them. */
#include "profile_finding.h"

#include <stdlib.h>
#include <string.h>

#include "list.h"

static const char *const names[SMP_FINDING_KINDS] = {
#define NAME_ROW(id, name, rule, what, help) name,
    SMP_FINDING_KIND_ROWS(NAME_ROW)
#undef NAME_ROW
};

const char *smp_finding_kind_name(smp_finding_kind kind) {
    return kind < SMP_FINDING_KINDS ? names[kind] : "unknown";
}

bool smp_finding_kind_find(const char *name, smp_finding_kind *out) {
    const char *const *found = name ? ROWS_FIND(names, name) : NULL;
    if (found)
        *out = (smp_finding_kind)(found - names);
    return found;
}

static void clear_place(smp_finding_place *place) {
    free(place->file);
    free(place->instruction);
}

void smp_finding_clear(smp_profile_finding *finding) {
    clear_place(&finding->at);
    clear_place(&finding->other);
    free(finding->message);
    free(finding->kernel);
    free(finding->array);
    free(finding->missing);
    memset(finding, 0, sizeof *finding);
}

uint32_t smp_findings_errors(const smp_profile_finding *list, uint32_t count) {
    uint32_t errors = 0;
    for (uint32_t i = 0; i < count; i++)
        errors += !list[i].is_note;
    return errors;
}
