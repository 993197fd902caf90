/* SPDX-License-Identifier: MIT */
/* Structs as an array for each member: reads the members, and rewrites uses of elements. */
#pragma once

#include "shared_source.h"
#include "text_buffer.h"
#include "text_edit.h"

enum { STRUCT_MEMBERS_MAX = 24, STRUCT_TEXT = 1536 };

typedef struct struct_member {
    host_span type, name, extents; /* "float", "w", "[3]" */
    unsigned count;                /* number of elements of an array; 0 if unknown */
} struct_member;

typedef struct struct_members {
    struct_member list[STRUCT_MEMBERS_MAX];
    unsigned count;
} struct_members;

/* Reads the members in the body of a struct. False if one is more than a type and a name. */
bool struct_members_read(host_span body, struct_members *out);
/* Writes the sizes as "4,4,8" and returns their sum; 0 if a size is unknown or there would be
 * gaps. */
uint64_t struct_members_sizes(const struct_members *of, char *out, size_t size);
/* Writes "float x[128], y[128];" and so on, one line per type, indented by `indent`. */
void struct_members_write(const struct_members *of, host_span indent, const char *extents,
                          text_buffer *out);

/* An element, from the array's name to the end of its index. The index moves after the member as
 * `back`; `front` remains after the name. */
typedef struct struct_element {
    const char *text;
    host_span type, declared; /* type name of one struct, in the new and in the old text */
    const struct_members *members;
    host_span name;
    size_t end;
    const char *front, *back;
} struct_element;

/* Rewrites a use of the element: one member, the whole as a value, or the whole as the target of
 * an assignment. Returns NULL, or a phrase that says what other use it is. */
const char *struct_element_write(const struct_element *of, text_edits *edits);
