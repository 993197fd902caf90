/* SPDX-License-Identifier: MIT */
/*
 * What a kernel takes, as its text declares it: types, and the members of structures.
 */
#pragma once

#include "host_text.h"
#include "launch_type.h"

/* What a parameter is passed as. */
typedef struct parameter {
    char type[64]; /* without const and such; of a pointer, of what it points to */
    bool is_pointer;
    host_span name; /* nothing: not known */
    char word[48];  /* its name, else "parameter 3" */
} parameter;

/* "const float *__restrict__" and "float const*" are a pointer to "float". */
void parameter_type_read(host_span text, parameter *out);

typedef struct structure_member {
    host_span name;
    smp_element_type type;
    bool has_type; /* else it is a pointer to what is not known */
    bool is_pointer;
} structure_member;

enum { STRUCTURE_MEMBERS_MAX = 32 };

/* The members of the structure that `type` names in `text` (of host_text_make), or of a vector,
 * where they have that many bytes as C++ lays them out; 0: it is not understood. */
unsigned structure_members(const char *text, const char *type, uint32_t bytes,
                           structure_member out[STRUCTURE_MEMBERS_MAX]);
