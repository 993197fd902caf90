/* SPDX-License-Identifier: MIT */
/* What doctor found on a machine. */
#pragma once

#include "smp_probes.h"

typedef enum doctor_state {
    DOCTOR_OK,
    DOCTOR_GAP, /* missing, but could be installed */
    DOCTOR_NONE /* missing, and nothing can be done */
} doctor_state;

typedef struct doctor_part {
    char name[16];
    doctor_state state;
    char found[352];
    char fix[256]; /* one line; "" without a fix */
} doctor_part;

typedef struct doctor_use {
    char what[160]; /* names of commands, or a task */
    bool works;
    char because[352];
} doctor_use;

enum { DOCTOR_PARTS_MAX = 14 + SMP_SURVEY_MAX, DOCTOR_USES_MAX = 5 };

typedef struct doctor {
    const char *const *commands; /* commands of the program; the caller owns them */
    size_t command_count;
    doctor_part parts[DOCTOR_PARTS_MAX];
    unsigned part_count;
    doctor_use uses[DOCTOR_USES_MAX];
    unsigned use_count;
} doctor;
