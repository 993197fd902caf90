/* SPDX-License-Identifier: MIT */
/*
 * Places for a barrier, a fence or a wait: before the later access, after the earlier one, before
 * the earlier one (in a loop it follows the later one), and before or after the blocks around
 * them, because not all threads may enter those.
 */
#include "order_edit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "order_find.h"
#include "shared_source.h"
#include "source_words.h"

/* The statement to insert if the finding asks for `wanted`. */
typedef struct order_row {
    const char *wanted, *statement, *words;
    bool is_behind; /* goes after the earlier access, else before the later one */
    bool is_of_all; /* all threads of the block must reach it */
    bool is_of_two; /* goes after the earlier access and before the later one */
} order_row;

#define ASM(text) "asm volatile(\"" text "\" ::: \"memory\");"

static const order_row rows[] = {
    {"__syncthreads()", "__syncthreads();", "__syncthreads()", .is_of_all = true},
    {"__syncwarp()", "__syncwarp();", "__syncwarp()", .is_of_all = false},
    {"__syncwarp()", "__syncthreads();", "__syncthreads()", .is_of_all = true},
    {"fence.proxy.async and a barrier", ASM("fence.proxy.async.shared::cta;") "\n__syncthreads();",
     "fence.proxy.async and __syncthreads()", .is_of_all = true},
    {"fence.proxy.async", ASM("fence.proxy.async.shared::cta;"), "fence.proxy.async",
     .is_behind = true},
    {"cp.async.wait_group", ASM("cp.async.wait_all;"), "cp.async.wait_all", .is_of_all = false},
    {"cp.async.wait_group", ASM("cp.async.wait_all;") "\n__syncthreads();",
     "cp.async.wait_all and __syncthreads()", .is_of_all = true},
    {"cp.async.bulk.wait_group.read", ASM("cp.async.bulk.wait_group.read 0;"),
     "cp.async.bulk.wait_group.read", .is_of_all = false},
    {"cp.async.bulk.wait_group.read", ASM("cp.async.bulk.wait_group.read 0;") "\n__syncthreads();",
     "cp.async.bulk.wait_group.read and __syncthreads()", .is_of_all = true},
    {"wgmma.wait_group", ASM("wgmma.wait_group.sync.aligned 0;"), "wgmma.wait_group",
     .is_of_all = false},
    {"__threadfence()", "__threadfence();", "__threadfence()", .is_behind = true,
     .is_of_two = true},
    {"cluster.sync()", ASM("barrier.cluster.arrive;\\n\\tbarrier.cluster.wait;"),
     "a barrier of the cluster", .is_of_all = true},
};

/* ---- Statements ---- */

/* Whether a condition may keep some threads away. */
static bool is_conditional(const char *text, size_t at) {
    static const char *const words[] = {"if", "else", "switch", NULL};
    for (size_t open; order_block_open(text, at, &open); at = open)
        if (order_begins_with(text, order_statement_begin(text, open), words))
            return true;
    return false;
}

/* ---- Candidates ---- */

enum { ORDER_PLACES = 4 }; /* most places around one access */

/* Returns the place after the comment at the end of the line. */
static size_t behind_remark(const order_finder *f, size_t at) {
    const char *rest = f->text + at + strspn(f->text + at, " \t");
    return strncmp(rest, "//", 2) == 0 ? (size_t)(rest + strcspn(rest, "\n") - f->text) : at;
}

/* Inserts the statement with the indentation of its neighbour. */
static void indent(const order_finder *f, size_t at, const char *statement, bool is_behind,
                   char out[ORDER_TEXT]) {
    const size_t from = is_behind && at > 0 ? order_statement_begin(f->blank, at - 1) : at;
    const host_span margin = source_margin(f->text, from);
    size_t used = 0;
    for (const char *c = statement; *c != '\0' && used + margin.length + 4 < ORDER_TEXT; c++) {
        if (is_behind && c == statement)
            used += (size_t)snprintf(out + used, ORDER_TEXT - used, "\n%.*s", SPAN(margin));
        out[used++] = *c;
        if (*c == '\n')
            used += (size_t)snprintf(out + used, ORDER_TEXT - used, "%.*s", SPAN(margin));
    }
    if (!is_behind)
        used += (size_t)snprintf(out + used, ORDER_TEXT - used, "\n%.*s", SPAN(margin));
    out[used] = '\0';
}

static void insert(order_finder *f, const order_row *row, size_t at, bool is_behind) {
    char text[ORDER_TEXT], words[ORDER_WORDS];
    const unsigned line = shared_line(f->blank, at);
    if ((!is_behind && strncmp(f->blank + at, "else", 4) == 0) ||
        (row->is_of_all && is_conditional(f->blank, at)))
        return;
    indent(f, at, row->statement, is_behind, text);
    (void)snprintf(words, sizeof words, "%s %s line %u", row->words, is_behind ? "after" : "before",
                   line);
    order_add(f, is_behind ? behind_remark(f, at) : at, 0, text, words, line);
}

/* Returns the end of the head of a loop without braces; 0 if it is not one. */
static size_t bare_head(const char *text, size_t begin) {
    static const char *const words[] = {"for", "while", NULL};
    if (!order_begins_with(text, begin, words))
        return 0;
    const size_t at = shared_behind(text, source_until(text, begin, "("));
    const size_t body = source_behind_blanks(text, at);
    return text[body] == '{' || text[body] == ';' ? 0 : at;
}

/* Inserts into a loop without braces, after its statement. */
static void insert_in_loop(order_finder *f, const order_row *row, unsigned line) {
    const size_t at = order_statement_begin(f->blank, order_line_begin(f->blank, line) + 1);
    const size_t head = bare_head(f->blank, at);
    const size_t end = behind_remark(f, order_statement_end(f->blank, at));
    char text[ORDER_TEXT], words[ORDER_WORDS];
    const host_span margin = order_margin(f, at);
    const int width = (int)margin.length;
    if (head == 0 || head >= end || (row->is_of_all && is_conditional(f->blank, at)))
        return;
    const int length =
        snprintf(text, sizeof text, " {%.*s\n%.*s    %s\n%.*s}", (int)(end - head), f->text + head,
                 width, margin.text, row->statement, width, margin.text);
    (void)snprintf(words, sizeof words, "%s in the loop of line %u", row->words,
                   shared_line(f->blank, at));
    if (length > 0 && (size_t)length < sizeof text)
        order_add(f, head, end - head, text, words, shared_line(f->blank, head));
}

/* Returns the outermost loop around `at` that does not contain the other access, else `at`: the
 * loop's number of turns may depend on the thread, and a barrier in each turn is wasted. */
static size_t outside_loops(const char *text, size_t at, size_t other) {
    static const char *const words[] = {"for", "while", "do", "#pragma", NULL};
    size_t best = at, open;
    while (order_block_open(text, at, &open)) {
        at = order_statement_begin(text, open);
        if (!order_is_controlled(text, at, open) ||
            (other >= at && other < shared_behind(text, open)))
            break;
        best = order_begins_with(text, at, words) ? at : best;
    }
    return best;
}

/* Inserts before or after the statement of `line`, outside loops that `other_line` is not in, and
 * before or after each enclosing block of the function. */
static void insert_around(order_finder *f, const order_row *row, unsigned line, unsigned other_line,
                          bool is_behind) {
    size_t at = order_statement_begin(
               f->blank, source_behind_blanks(f->blank, order_line_begin(f->blank, line))),
           open;
    const size_t outer = line == 0 || other_line == 0
                             ? at
                             : outside_loops(f->blank, at, order_line_begin(f->blank, other_line));
    if (outer != at)
        insert(f, row, is_behind ? order_statement_end(f->blank, outer) : outer, is_behind);
    for (unsigned i = 0; line > 0 && i + 1 < ORDER_PLACES; i++) {
        insert(f, row, is_behind ? order_statement_end(f->blank, at) : at, is_behind);
        if (!order_block_open(f->blank, at, &open))
            return;
        at = order_statement_begin(f->blank, open);
        if (!order_is_controlled(f->blank, at, open))
            return;
    }
}

/* Inserts at the end of the function that contains the line. */
static void insert_at_end(order_finder *f, const order_row *row, unsigned line) {
    size_t open, end;
    if (!order_function(f->blank, order_line_begin(f->blank, line), &open, &end))
        return;
    insert(f, row, source_before_blanks(f->blank, end), true);
}

/* Lowers the number of pending copies in the last such wait before the line. */
static void wait_for_fewer(order_finder *f, const char *word, unsigned line) {
    const size_t limit = order_line_begin(f->text, line);
    const char *found = NULL;
    for (const char *at = f->text; (at = strstr(at, word)) && at < f->text + limit; at++)
        found = at + strlen(word);
    char *end = NULL;
    const unsigned long count = found ? strtoul(found, &end, 10) : 0;
    if (!found || end == found || count == 0 || count > 16)
        return;
    const char *digits = found + strspn(found, " ");
    char text[24], words[ORDER_WORDS];
    const size_t at = (size_t)(digits - f->text);
    (void)snprintf(text, sizeof text, "%lu", count - 1);
    (void)snprintf(words, sizeof words, "in line %u: a wait for all but %lu instead of %lu",
                   shared_line(f->text, at), count - 1, count);
    order_add(f, at, (size_t)(end - digits), text, words, shared_line(f->text, at));
}

/* Returns the line number after `words`; 0 if `missing` does not contain them. */
static unsigned line_after(const char *missing, const char *words) {
    const char *at = strstr(missing, words);
    return at ? (unsigned)strtoul(at + strlen(words), NULL, 10) : 0;
}

/* Two places: the first change for either access becomes one change. In a loop without any barrier
 * one goes before each access. */
static void insert_both(order_finder *f, const order_row *row, unsigned line, unsigned other_line,
                        bool is_behind) {
    order_change list[2 * ORDER_PLACES];
    order_finder one = {f->text, f->blank, list, 0};
    insert_around(&one, row, line, other_line, is_behind);
    const unsigned count = one.count;
    insert_around(&one, row, other_line, line, false);
    if (count == 0 || one.count == count || f->count == ORDER_CHANGES_MAX)
        return;
    order_change *to = &f->out[f->count++];
    *to = list[0];
    to->also_at = list[count].at;
    memcpy(to->also, list[count].text, sizeof to->also);
    if (is_behind && list[0].line == list[count].line)
        (void)snprintf(to->words, sizeof to->words, "%.60s before and after line %u", row->words,
                       to->line);
    else
        (void)snprintf(to->words, sizeof to->words, "%.100s and before line %u", list[0].words,
                       list[count].line);
}

unsigned order_changes_find(const char *text, const char *blank, const smp_profile_finding *race,
                            order_change out[ORDER_CHANGES_MAX]) {
    order_finder f = {text, blank, out, 0};
    const char *missing = race->missing ? race->missing : "";
    if (race->kind == SMP_FINDING_BARRIER) {
        order_find_phase(&f, race);
        return f.count;
    }
    const bool is_end = strstr(missing, "before the kernel ends");
    const bool is_bulk = strstr(missing, "cp.async.bulk");
    const unsigned asked = line_after(missing, " before line "),
                   looped = line_after(missing, ", in their loop, before line "),
                   now = race->at.line, before = race->has_other ? race->other.line : 0;
    if (!is_bulk && strstr(missing, "wait_group")) {
        wait_for_fewer(&f, "wait_group.sync.aligned", race->at.line);
        wait_for_fewer(&f, "cp.async.wait_group", race->at.line);
        wait_for_fewer(&f, "__pipeline_wait_prior(", race->at.line);
        wait_for_fewer(&f, "pipeline_consumer_wait_prior<", race->at.line);
        wait_for_fewer(&f, "wait_prior<", race->at.line);
    }
    if (is_bulk)
        wait_for_fewer(&f, "cp.async.bulk.wait_group.read", race->at.line);
    EACH(const order_row, row, rows, sizeof rows / sizeof *rows) {
        if (!strstr(missing, row->wanted))
            continue;
        if (is_end)
            insert_at_end(&f, row, race->at.line);
        if (looped != 0)
            insert_both(&f, row, asked, looped, false);
        if (row->is_of_two)
            insert_both(&f, row, before, now, true);
        if (!is_end && !row->is_behind)
            insert_around(&f, row, asked, asked == now ? before : now, false);
        if (!is_end && !row->is_behind)
            insert_around(&f, row, now, before, false);
        if (!is_end && !row->is_behind)
            insert_in_loop(&f, row, now);
        if (!is_end)
            insert_around(&f, row, before, now, true);
        if (!is_end && !row->is_behind) /* in a loop, either may come first */
            insert_around(&f, row, before, now, false);
    }
    if (!is_end)
        order_find_waits(&f, race);
    return f.count;
}
