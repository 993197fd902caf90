/* SPDX-License-Identifier: MIT */
/* Refuses expressions for which the C library would take too long, before it sees them. */
#define _POSIX_C_SOURCE 200809L
#include "regex_text.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>

enum { COPIES_MAX = 4096 };

/* The larger number of "{4}" or "{2,4}"; 1 for other texts. */
static unsigned long times_of(const char *text) {
    char *end = NULL;
    const unsigned long least = isdigit((unsigned char)text[1]) ? strtoul(text + 1, &end, 10) : 1;
    const unsigned long most = end && *end == ',' ? strtoul(end + 1, NULL, 10) : 1;
    return most > least ? most : least > 1 ? least : 1;
}

/* Number of copies of one part, if every repetition applied to it. */
static unsigned long copies_of(const char *text) {
    unsigned long copies = 1;
    for (; *text && copies <= COPIES_MAX; text++) {
        const unsigned long times = *text == '+' ? 2 : *text == '{' ? times_of(text) : 1;
        copies = times > COPIES_MAX ? times : copies * times;
        text += *text == '\\' && text[1];
    }
    return copies;
}

static bool refers_back(const char *text) {
    for (; *text; text++)
        if (*text == '\\' && text[1] && *++text >= '1' && *text <= '9')
            return true;
    return false;
}

smp_status smp_regex_make(const char *text, regex_t *out) {
    if (copies_of(text) > COPIES_MAX)
        return SMP_E_OVERFLOW;
    return !refers_back(text) && regcomp(out, text, REG_EXTENDED | REG_NOSUB) == 0 ? SMP_OK
                                                                                   : SMP_E_SYNTAX;
}
