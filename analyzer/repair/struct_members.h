/* SPDX-License-Identifier: MIT */
/*
 * Structs as an array for each member: the members, and elements of the array as the text uses
 * them.
 */
#pragma once

#include "shared_source.h"
#include "text_buffer.h"
#include "text_edit.h"

enum { STRUCT_MEMBERS_MAX = 24, STRUCT_TEXT = 1536 };

typedef struct struct_member {
    host_span type, name, extents; /* "float", "w", "[3]" */
    unsigned count;                /* of its elements, if it is an array; 0: not known */
} struct_member;

typedef struct struct_members {
    struct_member list[STRUCT_MEMBERS_MAX];
    unsigned count;
} struct_members;

/* The members between the brackets of a struct. False: one is more than a type and a name. */
bool struct_members_read(host_span body, struct_members *out);
/* "4,4,8", and their sum; 0: one is not known, or bytes between them would be unused. */
uint64_t struct_members_sizes(const struct_members *of, char *out, size_t size);
/* "float x[128], y[128];" and so on, a line for each type, which `indent` begins. */
void struct_members_write(const struct_members *of, host_span indent, const char *extents,
                          text_buffer *out);

/* An element: from its array's name to behind the index. The index goes behind the member as
 * `back`, and leaves `front` behind the name. */
typedef struct struct_element {
    const char *text;
    host_span type, declared; /* the name of one struct, as it is written and as it stands there */
    const struct_members *members;
    host_span name;
    size_t end;
    const char *front, *back;
} struct_element;

/* A member of it, the whole of it as a value, or the whole of it as what is set. Otherwise a text
 * of what it is, for a message; NULL: it is written. */
const char *struct_element_write(const struct_element *of, text_edits *edits);
