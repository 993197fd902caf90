/* SPDX-License-Identifier: MIT */
/*
 * Advice beside the layouts of shared memory: kept as it is found, for whoever writes it.
 */
#include <stdlib.h>
#include <string.h>

#include "fix_report.h"

void fix_advise(smp_fix *fix, const char *kind, const char *text) {
    char *copy = fix->advice_count < FIX_NOTES_MAX ? malloc(strlen(text) + 1) : NULL;
    if (!copy)
        return;
    strcpy(copy, text);
    fix->advice[fix->advice_count++] = (fix_note){kind, copy};
}

void fix_advice(const smp_fix *fix, const char *kind, fix_line_fn add, void *user) {
    for (uint32_t i = 0; i < fix->advice_count; i++) {
        if (!kind || strcmp(fix->advice[i].kind, kind) == 0)
            add(user, fix->advice[i].kind, fix->advice[i].text);
    }
}
