/* SPDX-License-Identifier: MIT */
/*
 * What was found of a machine.
 */
#pragma once

#include "smp_probes.h"

typedef enum doctor_state {
    DOCTOR_OK,
    DOCTOR_GAP, /* could be there */
    DOCTOR_NONE /* is not there, and nothing is to be done about it */
} doctor_state;

typedef struct doctor_part {
    char name[16];
    doctor_state state;
    char found[352];
    char fix[256]; /* one line, "" if there is nothing to do */
} doctor_part;

typedef struct doctor_use {
    char what[160]; /* names of commands, or what is done */
    bool works;
    char because[352];
} doctor_use;

enum { DOCTOR_PARTS_MAX = 14 + SMP_SURVEY_MAX, DOCTOR_USES_MAX = 5 };

typedef struct doctor {
    const char *const *commands; /* of the program; the caller owns them */
    size_t command_count;
    doctor_part parts[DOCTOR_PARTS_MAX];
    unsigned part_count;
    doctor_use uses[DOCTOR_USES_MAX];
    unsigned use_count;
} doctor;
