/* SPDX-License-Identifier: MIT */
/* Status codes and evidence levels: their names and messages, from one list each. */
#include <stdarg.h>
#include <stdio.h>

#include "smp_model.h"

typedef struct status_row {
    const char *name;
    int exit_status;
    const char *message;
} status_row;

static const status_row status_rows[SMP_STATUS_COUNT] = {
#define STATUS_ROW(name, exit_status, message) [name] = {#name, exit_status, message},
    SMP_STATUS_LIST(STATUS_ROW)
#undef STATUS_ROW
};

typedef struct evidence_row {
    const char *name;
    char letter;
} evidence_row;

static const evidence_row evidence_rows[SMP_EVIDENCE_COUNT] = {
    [SMP_MEASURED] = {"measured", 'M'},   [SMP_DOCUMENTED] = {"documented", 'D'},
    [SMP_PUBLISHED] = {"published", 'P'}, [SMP_ASSUMED] = {"assumed", 'A'},
    [SMP_OPEN] = {"open", '?'},           [SMP_ABSENT] = {"absent", '-'},
};

static const status_row *status_find(smp_status status) {
    bool known = (unsigned)status < SMP_STATUS_COUNT;
    return &status_rows[known ? status : SMP_E_INTERNAL];
}

const char *smp_status_name(smp_status status) {
    return status_find(status)->name;
}

const char *smp_status_message(smp_status status) {
    return status_find(status)->message;
}

int smp_status_exit(smp_status status) {
    return status_find(status)->exit_status;
}

/* Messages hold words of files and command lines, which must not steer a terminal. */
static void hide_controls(char *text) {
    unsigned char before = 0;
    for (; *text; text++) {
        const unsigned char c = (unsigned char)*text;
        const bool is_second_half = before == 0xc2 && c < 0xa0; /* U+0080 to U+009F */
        if (c < 0x20 || c == 0x7f || (is_second_half && c >= 0x80))
            *text = '?';
        if (is_second_half && c >= 0x80)
            text[-1] = '?';
        before = c;
    }
}

smp_status smp_error_set(smp_error *error, smp_status status, int position, const char *format,
                         ...) {
    if (!error)
        return status;
    error->status = status;
    error->position = position;
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(error->message, sizeof error->message, format, arguments);
    va_end(arguments);
    hide_controls(error->message);
    return status;
}

smp_status smp_error_memory(smp_error *error) {
    return smp_error_set(error, SMP_E_MEMORY, -1, "%s", smp_status_message(SMP_E_MEMORY));
}

static const evidence_row *evidence_find(smp_evidence evidence) {
    bool known = (unsigned)evidence < SMP_EVIDENCE_COUNT;
    return &evidence_rows[known ? evidence : SMP_OPEN];
}

const char *smp_evidence_name(smp_evidence evidence) {
    return evidence_find(evidence)->name;
}

char smp_evidence_letter(smp_evidence evidence) {
    return evidence_find(evidence)->letter;
}
