/* SPDX-License-Identifier: MIT */
/* Types of kernel parameters as the text declares them, and members of structures. */
#pragma once

#include "host_text.h"
#include "launch_type.h"

/* The type of a parameter. */
typedef struct parameter {
    char type[64];             /* without qualifiers; for a pointer, the type that it points to */
    bool is_pointer, is_table; /* is_table: to pointers */
    host_span name;            /* empty if unknown */
    char word[48];             /* its name or "parameter 3" */
} parameter;

/* Reads a type: "const float *__restrict__" and "float const*" are pointers to "float". */
void parameter_type_read(host_span text, parameter *out);

typedef struct structure_member {
    host_span name;
    smp_element_type type;
    bool has_type; /* else it is a pointer to an unknown type */
    bool is_pointer;
    uint32_t offset_bytes; /* in C++ layout */
} structure_member;

enum { STRUCTURE_MEMBERS_MAX = 32 };

/* Reads the members of the structure `type` in `text` (from host_text_make), or of a vector type,
 * if the C++ layout of them has that many bytes. 0 if it is not understood. */
unsigned structure_members(const char *text, const char *type, uint32_t bytes,
                           structure_member out[STRUCTURE_MEMBERS_MAX]);
/* Size in bytes of a structure or vector type; 0 if it is not understood, or aligned by the text.
 */
uint32_t structure_bytes(const char *text, host_span type);
/* The floating-point type that all members have; false if there is none. */
bool structure_of_floats(const char *text, const char *type, smp_element_type *out);
