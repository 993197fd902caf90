/* SPDX-License-Identifier: MIT */
/*
 * An alignment says what the compiler cannot know of a structure of words: that its 8 or 16 bytes
 * never lie across a boundary of theirs. Its size must be that number, or arrays would grow.
 */
#include "struct_edit.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "source_words.h"

/* Where "struct NAME {" has its name; false: the text has none, or one with attributes. */
static bool find_definition(const char *text, host_span name, size_t *out) {
    static const host_span word = {"struct", 6};
    const size_t end = strlen(text);
    for (size_t at = 0; (at = source_next_word(text, word, at, end)) < end; at += word.length) {
        const host_span found = source_word(text, source_behind_blanks(text, at + word.length));
        *out = (size_t)(found.text - text);
        if (host_same(found, name) && text[source_behind_blanks(text, *out + found.length)] == '{')
            return true;
    }
    return false;
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

bool struct_of_kernel(const char *text, const host_kernel *kernel, host_span *name) {
    host_span parameter;
    size_t at;
    for (unsigned i = 0; host_part(kernel->parameters, i, &parameter); i++) {
        *name = pointed_at(parameter);
        if (name->length > 0 && find_definition(text, *name, &at))
            return true;
    }
    return false;
}

bool struct_change_find(const char *text, const host_kernel *kernel, uint64_t bytes,
                        thread_change *out) {
    host_span name;
    size_t at;
    memset(out, 0, sizeof *out);
    if ((bytes != 8 && bytes != 16) || !struct_of_kernel(text, kernel, &name) ||
        !find_definition(text, name, &at))
        return false;
    text_edits_add(&out->edits, at, 0, "__align__(%" PRIu64 ") ", bytes);
    out->line = shared_line(text, at);
    (void)snprintf(out->words, sizeof out->words,
                   "%.*s is aligned to its %" PRIu64 " bytes, which move at once",
                   (int)(name.length < 60 ? name.length : 60), name.text, bytes);
    return true;
}
