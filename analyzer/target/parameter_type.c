/* SPDX-License-Identifier: MIT */
/*
 * Reads types of parameters and members word by word. A declaration that is not plain data yields
 * no member, so the size does not match and the structure is not understood.
 */
#include "parameter_type.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

static bool is_qualifier(host_span word) {
    static const char *const words[] = {"const",      "volatile",          "__restrict__",
                                        "__restrict", "restrict",          "struct",
                                        "enum",       "__grid_constant__", NULL};
    return host_is_one_of(word, words);
}

void parameter_type_read(host_span text, parameter *out) {
    size_t used = 0;
    for (size_t i = 0; i < text.length;) {
        size_t length = 0;
        while (i + length < text.length && (isalnum((unsigned char)text.text[i + length]) ||
                                            strchr("_:<>", text.text[i + length])))
            length++;
        const host_span word = {text.text + i, length};
        out->is_table |= out->is_pointer && text.text[i] == '*';
        out->is_pointer |= text.text[i] == '*' || text.text[i] == '[';
        if (length > 0 && !is_qualifier(word) && used + length + 2 < sizeof out->type)
            used += (size_t)sprintf(out->type + used, "%s%.*s", used > 0 ? " " : "", (int)length,
                                    word.text);
        i += length > 0 ? length : 1;
    }
}

/* ---- Structures ---- */

/* The text of a structure and its template arguments. */
typedef struct structure {
    host_span body;
    host_span templates, arguments; /* between < and >; empty if it is no template */
    bool is_aligned;                /* the text gives it an alignment */
} structure;

/* Finds a struct or class without a base. */
static bool find_structure(const char *text, host_span name, structure *out) {
    host_struct of;
    if (!host_struct_find(text, name, &of) || of.base.length > 0 || of.is_union)
        return false;
    out->body = of.body;
    out->templates = of.templates;
    out->is_aligned = of.is_aligned;
    return true;
}

static bool set_type(const structure *of, const char *type, structure_member *out) {
    host_span meant, argument;
    for (unsigned i = 0; host_part(of->templates, i, &meant); i++)
        if (host_is(host_declared_name(meant), type) && host_part(of->arguments, i, &argument)) {
            parameter plain = {.type = ""}; /* "float" of "float const" */
            parameter_type_read(argument, &plain);
            return smp_element_type_named(plain.type, strlen(plain.type), &out->type);
        }
    type = strcmp(type, "dim3") == 0 ? "uint3" : type;
    return smp_element_type_named(type, strlen(type), &out->type);
}

/* Adds the members of one declaration without its semicolon: "float *a, *b" or "int n = 4". False
 * if it is not understood. */
static bool add_declaration(const structure *of, host_span text, unsigned *count,
                            structure_member *out) {
    parameter base = {.type = ""};
    host_span part;
    for (unsigned i = 0; host_part(text, i, &part); i++) {
        size_t length = 0;
        while (length < part.length && !strchr("={[:", part.text[length]))
            length++;
        const host_span declarator = host_trim((host_span){part.text, length});
        const host_span name = host_declared_name(declarator);
        if (name.length == 0 || *count == STRUCTURE_MEMBERS_MAX ||
            (length < part.length && strchr("[:", part.text[length])))
            return false;
        const host_span type = {declarator.text, (size_t)(name.text - declarator.text)};
        structure_member *to = &out[*count];
        *to = (structure_member){.name = name};
        if (i == 0)
            parameter_type_read(type, &base);
        to->is_pointer = memchr(type.text, '*', type.length);
        to->has_type = set_type(of, base.type, to);
        if (!to->is_pointer && !to->has_type)
            return false;
        ++*count;
    }
    return true;
}

/* Whether it declares no data: a function, a type or a static constant. */
static bool is_no_data(host_span text) {
    static const char *const words[] = {"static", "using",     "typedef",  "friend", "template",
                                        "enum",   "constexpr", "operator", NULL};
    return memchr(text.text, '(', text.length) ||
           (text.length > 0 && host_is_one_of(host_word(text.text), words));
}

/* End of the declaration at `at`: its semicolon, a function body, or the colon of "public:" or of
 * a constructor. */
static const char *end_of(const char *at, const char *end) {
    const char *stop = at;
    for (; stop < end && !strchr(";:", *stop); stop++) {
        if (*stop == '{' && is_no_data((host_span){at, (size_t)(stop - at)}))
            break;
        if (*stop == '(' || *stop == '{') /* or int n{4}, m; */
            stop = host_behind(stop) - 1;
    }
    return stop;
}

static bool read_members(const structure *of, unsigned *count, structure_member *out) {
    const char *at = of->body.text, *const end = at + of->body.length;
    while (at < end) {
        at += strspn(at, " \t\n\r");
        const char *stop = end_of(at, end);
        const host_span text = host_between(at, stop > at ? stop : at);
        const bool is_function = is_no_data(text);
        if (stop < end && *stop == ':' && !is_function) {
            if (stop[1] == ':' || memchr(text.text, ' ', text.length))
                return false; /* a type of another scope, bits */
            at = stop + 1;
            continue;
        }
        while (is_function && stop < end && !strchr(";{", *stop))
            stop = *stop == '(' ? host_behind(stop) : stop + 1;
        if (text.length > 0 && !is_function && !add_declaration(of, text, count, out))
            return false;
        at = stop < end && *stop == '{' ? host_behind(stop) : stop + 1;
    }
    return true;
}

/* Places the members in C++ layout, and returns their size. */
static uint32_t place(structure_member *members, unsigned count) {
    uint32_t used = 0, widest = 1;
    for (unsigned i = 0; i < count; i++) {
        const smp_element_type *type = &members[i].type;
        const uint32_t bytes =
            members[i].is_pointer ? 8u : (uint32_t)type->bytes * type->components;
        uint32_t alignment = members[i].is_pointer || type->components != 3 ? bytes : type->bytes;
        alignment = alignment > 16 ? 16 : alignment;
        members[i].offset_bytes = (used + alignment - 1) / alignment * alignment;
        used = members[i].offset_bytes + bytes;
        widest = alignment > widest ? alignment : widest;
    }
    return (used + widest - 1) / widest * widest;
}

/* Reads the members of a structure or vector type; 0 if it is not understood. */
static unsigned all_members(const char *text, const char *type,
                            structure_member out[STRUCTURE_MEMBERS_MAX]) {
    const size_t length = strcspn(type, "<");
    structure of = {.templates = {"", 0}, .arguments = {"", 0}};
    unsigned count = 0;
    if (type[length] == '<' && type[strlen(type) - 1] == '>')
        of.arguments = (host_span){type + length + 1, strlen(type) - length - 2};
    out[0] = (structure_member){.name = {"", 0}, .has_type = true};
    if (set_type(&of, type, &out[0]))
        return 1;
    return length > 0 && find_structure(text, (host_span){type, length}, &of) &&
                   read_members(&of, &count, out)
               ? count
               : 0;
}

unsigned structure_members(const char *text, const char *type, uint32_t bytes,
                           structure_member out[STRUCTURE_MEMBERS_MAX]) {
    const unsigned count = all_members(text, type, out);
    return count > 0 && place(out, count) == bytes ? count : 0;
}

uint32_t structure_bytes(const char *text, host_span type) {
    structure_member members[STRUCTURE_MEMBERS_MAX];
    char name[64];
    structure of = {.templates = {"", 0}};
    (void)snprintf(name, sizeof name, "%.*s", SPAN(type));
    if (type.length >= sizeof name || (find_structure(text, type, &of) && of.is_aligned))
        return 0;
    const unsigned count = all_members(text, name, members);
    return count > 0 ? place(members, count) : 0;
}

bool structure_of_floats(const char *text, const char *type, smp_element_type *out) {
    structure_member members[STRUCTURE_MEMBERS_MAX];
    const unsigned count = all_members(text, type, members);
    for (unsigned i = 0; i < count; i++)
        if (members[i].is_pointer || strcmp(members[i].type.name, members[0].type.name) != 0)
            return false;
    *out = members[0].type;
    return count > 0 && out->kind != SMP_ELEMENT_INTEGER; /* these may be locks or indices */
}
