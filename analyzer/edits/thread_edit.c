/* SPDX-License-Identifier: MIT */
/*
 * Exchanges the roles of the block's two dimensions: by their names in a square block, else by
 * counting the threads in their present order.
 */
#include "thread_edit.h"

#include <stdio.h>
#include <string.h>

#include "source_words.h"

#define COUNTED "turned" /* the variable that counts the threads */

/* Finds the next threadIdx.x or .y from *at on and moves *at after it. */
static bool next_index(const char *text, size_t end, size_t *at, size_t *begin, char *which) {
    static const host_span name = {"threadIdx", 9};
    while ((*begin = source_next_word(text, name, *at, end)) < end) {
        const size_t point = source_behind_blanks(text, *begin + name.length);
        const host_span member = source_word(text, source_behind_blanks(text, point + 1));
        *at = point + 1;
        if (text[point] != '.' || (!host_is(member, "x") && !host_is(member, "y")))
            continue;
        *which = member.text[0];
        *at = (size_t)(member.text - text) + 1;
        return true;
    }
    return false;
}

/* Declares the counter before the first line of the body, with its indentation. */
static void declare(const char *text, size_t begin, text_edits *edits) {
    const size_t line = begin + strcspn(text + begin, "\n") + 1;
    const host_span margin = source_margin(text, line);
    text_edits_add(edits, line, 0,
                   "%.*sconst unsigned " COUNTED " = threadIdx.y * blockDim.x + threadIdx.x;\n",
                   SPAN(margin));
}

/* Exchanges the two; false if the kernel does not use both. */
static bool exchange(const char *text, const host_kernel *kernel, bool is_square,
                     thread_change *out) {
    size_t at = (size_t)(kernel->body.text - text), begin;
    const size_t end = at + kernel->body.length, from = at;
    bool has_x = false, has_y = false;
    for (char which; next_index(text, end, &at, &begin, &which);) {
        const bool is_x = which == 'x';
        out->line = out->line > 0 ? out->line : shared_line(text, begin);
        has_x |= is_x;
        has_y |= !is_x;
        text_edits_add(&out->edits, begin, at - begin, "%s",
                       is_square ? (is_x ? "threadIdx.y" : "threadIdx.x")
                       : is_x    ? "(" COUNTED " / blockDim.y)"
                                 : "(" COUNTED " % blockDim.y)");
    }
    if (!is_square)
        declare(text, from, &out->edits);
    return has_x && has_y;
}

static bool exchange_find(const char *text, const host_kernel *kernel, const uint32_t block[3],
                          thread_change *out) {
    const bool is_square = block[0] == block[1];
    memset(out, 0, sizeof *out);
    if (block[0] < 2 || block[1] < 2 || (!is_square && host_has_name(text, COUNTED)))
        return false;
    (void)snprintf(out->words, sizeof out->words, "%s",
                   is_square ? "threadIdx.x and threadIdx.y change places"
                             : "threads counted along y first");
    return exchange(text, kernel, is_square, out);
}

/* Counts a change that was found, clears any other. */
static unsigned keep(bool is_found, thread_change *of) {
    if (!is_found)
        thread_changes_clear(of, 1);
    return is_found;
}

unsigned thread_changes_find(const char *text, const host_kernel *kernel, const uint32_t block[3],
                             uint64_t stride, thread_change *list) {
    unsigned count = 0;
    count += keep(struct_change_find(text, kernel, stride, &list[count]), &list[count]);
    count += keep(wide_change_find(text, kernel, &list[count]), &list[count]);
    count += keep(exchange_find(text, kernel, block, &list[count]), &list[count]);
    count += keep(chunk_change_find(text, kernel, &list[count]), &list[count]);
    count += keep(group_change_find(text, kernel, stride, &list[count]), &list[count]);
    return count;
}

void thread_changes_clear(thread_change *list, unsigned count) {
    for (unsigned i = 0; i < count; i++)
        text_edits_clear(&list[i].edits);
}
