/* SPDX-License-Identifier: MIT */
/*
 * Where a function waits, but behind the access or in a branch, the same statement in front of the
 * access may order it. The numbers of its mbarriers may be wrong, too: the phase that it waits for,
 * how many threads arrive, how many bytes are expected.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "order_find.h"
#include "shared_source.h"

/* Whether a statement says such a word, as a part of a name, too. */
static bool says(const char *text, size_t begin, size_t end, const char *const *words) {
    for (; *words; words++) {
        const char *at = strstr(text + begin, *words);
        if (at && at < text + end)
            return true;
    }
    return false;
}

static const char *const waits[] = {"wait", "WAIT", NULL};
static const char *const counts[] = {"init", "INIT", "expect", "EXPECT", NULL};

/* The statement of a wait, in front of that of the access. */
static void copy_wait(order_finder *f, size_t begin, size_t end, unsigned line) {
    const size_t to = order_statement_begin(f->blank, order_line_begin(f->blank, line) + 1);
    const unsigned from_line = shared_line(f->blank, begin);
    char text[ORDER_TEXT], words[ORDER_WORDS];
    size_t width = 0;
    while (to > width && strchr(" \t", f->text[to - width - 1]))
        width++;
    const int length = snprintf(text, sizeof text, "%.*s\n%.*s", (int)(end - begin),
                                f->text + begin, (int)width, f->text + to - width);
    (void)snprintf(words, sizeof words, "the wait of line %u in front of line %u, too", from_line,
                   line);
    if (length > 0 && (size_t)length < sizeof text)
        order_add(f, to, 0, text, words, line);
}

static void change_number(order_finder *f, size_t at, size_t length, unsigned long to) {
    char text[24], words[ORDER_WORDS];
    const unsigned line = shared_line(f->text, at);
    (void)snprintf(text, sizeof text, "%lu", to);
    (void)snprintf(words, sizeof words, "%lu instead of %.*s, line %u", to, (int)length,
                   f->text + at, line);
    order_add(f, at, length, text, words, line);
}

/* The last number of the statement: of a wait the other phase, of a count twice and half as many.
 */
static void change_last(order_finder *f, size_t begin, size_t end, bool is_wait) {
    size_t at = end;
    while (at > begin && !isdigit((unsigned char)f->blank[at - 1]))
        at--;
    const size_t behind = at;
    while (at > begin && isdigit((unsigned char)f->blank[at - 1]))
        at--;
    if (at == begin || at == behind || host_is_word(f->blank[at - 1]) ||
        host_is_word(f->blank[behind]))
        return;
    const unsigned long number = strtoul(f->blank + at, NULL, 10);
    if (is_wait && number < 2)
        change_number(f, at, behind - at, 1 - number);
    if (is_wait || number < 1 || number > 1 << 20)
        return;
    if (number % 2 == 0)
        change_number(f, at, behind - at, number / 2);
    change_number(f, at, behind - at, 2 * number);
}

/* The next statement behind `at` that says one of the words. */
static bool next_of(const order_finder *f, size_t *at, size_t limit, const char *const *words,
                    size_t *end) {
    while (*at < limit) {
        size_t begin = *at;
        while (begin < limit && (isspace((unsigned char)f->blank[begin]) ||
                                 f->blank[begin] == '{' || f->blank[begin] == '}'))
            begin++;
        *end = begin;
        for (int depth = 0; *end < limit; ++*end) {
            const char c = f->blank[*end];
            depth += (c == '(') - (c == ')');
            if (depth <= 0 && strchr(";{}", c))
                break;
        }
        *at = *end + 1;
        if (f->blank[*end] == ';' && says(f->text, begin, *end, words)) {
            *end += 1;
            *at = begin;
            return true;
        }
    }
    return false;
}

void order_find_waits(order_finder *f, const smp_profile_finding *race) {
    const char *missing = race->missing ? race->missing : "";
    const size_t access = order_line_begin(f->blank, race->at.line);
    size_t open, limit, end;
    if (!order_function(f->blank, access, &open, &limit))
        return;
    for (size_t at = open + 1; next_of(f, &at, limit, waits, &end); at = end)
        if (at < access ? strstr(missing, "mbarrier") != NULL : true)
            copy_wait(f, at, end, race->at.line);
    for (size_t at = open + 1; next_of(f, &at, limit, waits, &end); at = end)
        change_last(f, at, end, true);
    for (size_t at = open + 1; next_of(f, &at, limit, counts, &end); at = end)
        change_last(f, at, end, false);
}
