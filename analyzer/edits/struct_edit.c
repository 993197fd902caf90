/* SPDX-License-Identifier: MIT */
/*
 * An alignment tells the compiler that a struct of 8 or 16 bytes never crosses such a boundary.
 * The size must equal the alignment, or arrays would grow.
 */
#include "thread_edit.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "source_words.h"

/* Finds the definition. False if there is none, or it has attributes or a base. */
static bool find_definition(const char *text, host_span name, struct_definition *out) {
    host_struct of;
    if (!host_struct_find(text, name, &of) || of.is_union || of.base.length > 0 ||
        of.body.length == 0 || host_word(of.behind).text != of.name.text)
        return false;
    out->begin = (size_t)(of.at - text);
    out->attribute = (size_t)(of.behind - text);
    out->name = of.alias.length > 0 ? of.alias : of.name;
    out->body = of.body;
    return host_same(out->name, name);
}

/* "particle" of "const particle *__restrict__ in". */
static host_span pointed_at(host_span parameter) {
    const char *star = memchr(parameter.text, '*', parameter.length);
    host_span out = {parameter.text, 0};
    for (size_t i = 0; star && parameter.text + i < star;) {
        const host_span word = source_word(parameter.text, i);
        if (word.length > 0 && !host_is(word, "const") && !host_is(word, "struct"))
            out = word;
        i += word.length > 0 ? word.length : 1;
    }
    return out;
}

bool struct_of_kernel(const char *text, const host_kernel *kernel, struct_definition *out) {
    host_span parameter;
    for (unsigned i = 0; host_part(kernel->parameters, i, &parameter); i++) {
        const host_span name = pointed_at(parameter);
        if (name.length > 0 && find_definition(text, name, out))
            return true;
    }
    return false;
}

bool struct_change_find(const char *text, const host_kernel *kernel, uint64_t bytes,
                        thread_change *out) {
    struct_definition found;
    memset(out, 0, sizeof *out);
    if ((bytes != 8 && bytes != 16) || !struct_of_kernel(text, kernel, &found))
        return false;
    const host_span name = found.name;
    const size_t at = found.attribute;
    text_edits_add(&out->edits, at, 0, "__align__(%" PRIu64 ") ", bytes);
    out->line = shared_line(text, at);
    (void)snprintf(out->words, sizeof out->words,
                   "%.*s is aligned to its %" PRIu64 " bytes, which move at once",
                   TEXT_CUT(name.text, name.length, 60), bytes);
    return true;
}
