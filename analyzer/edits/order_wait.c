/* SPDX-License-Identifier: MIT */
/*
 * If a function waits after the access or in a branch, the same statement before the access may
 * order it. The numbers of its mbarriers may also be wrong: the phase, the number of arrivals, the
 * expected bytes.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "order_find.h"
#include "shared_source.h"

/* Whether a statement contains one of the words, even as part of a name. */
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

/* Copies the wait to before the access. */
static void copy_wait(order_finder *f, size_t begin, size_t end, unsigned line) {
    const size_t to = order_statement_begin(f->blank, order_line_begin(f->blank, line) + 1);
    const unsigned from_line = shared_line(f->blank, begin);
    char text[ORDER_TEXT], words[ORDER_WORDS];
    const host_span margin = order_margin(f, to);
    const int length = snprintf(text, sizeof text, "%.*s\n%.*s", (int)(end - begin),
                                f->text + begin, SPAN(margin));
    (void)snprintf(words, sizeof words, "the wait of line %u before line %u, too", from_line, line);
    if (length > 0 && (size_t)length < sizeof text)
        order_add(f, to, 0, text, words, line);
}

static void change_number(order_finder *f, size_t at, size_t length, unsigned long to) {
    char text[24], words[ORDER_WORDS];
    const unsigned line = shared_line(f->text, at);
    (void)snprintf(text, sizeof text, "%lu", to);
    (void)snprintf(words, sizeof words, "in line %u: %lu instead of %.*s", line, to, (int)length,
                   f->text + at);
    order_add(f, at, length, text, words, line);
}

/* Changes the last number of the statement: the other phase of a wait; twice or half a count. */
static void change_last(order_finder *f, size_t begin, size_t end, bool is_wait) {
    size_t at = end;
    while (at > begin && !isdigit((unsigned char)f->blank[at - 1]))
        at--;
    const size_t behind = at;
    while (at > begin && isdigit((unsigned char)f->blank[at - 1]))
        at--;
    if (at == begin || at == behind || text_is_word(f->blank[at - 1]) ||
        text_is_word(f->blank[behind]))
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

/* Finds the next statement after `at` that contains one of the words. */
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

/* ---- Phases ---- */

/* Returns the last argument of the call; in asm, the expression of the last operand. */
static host_span last_argument(const order_finder *f, size_t begin, size_t end) {
    size_t close = end, from;
    int depth = 0;
    while (close > begin && f->blank[close - 1] != ')')
        close--;
    if (close == begin)
        return (host_span){f->text + begin, 0};
    close--;
    for (from = close; from > begin; from--) {
        const char c = f->blank[from - 1];
        if (depth == 0 && strchr("(,:", c))
            break;
        depth += (c == ')') - (c == '(');
    }
    host_span found = host_between(f->text + from, f->text + close);
    if (found.length > 0 && *found.text == '"') {
        const char *inside = memchr(found.text, '(', found.length);
        const size_t skipped = inside ? (size_t)(inside - found.text) + 1 : found.length;
        found.text += skipped;
        found.length -= skipped + (inside ? 1 : 0);
    }
    return found;
}

static void replace(order_finder *f, host_span old, const char *to) {
    char words[ORDER_WORDS];
    const size_t at = (size_t)(old.text - f->text);
    const unsigned line = shared_line(f->text, at);
    (void)snprintf(words, sizeof words, "in line %u: %.48s instead of %.*s", line, to,
                   TEXT_CUT(old.text, old.length, 48));
    order_add(f, at, old.length, to, words, line);
}

/* Returns the variable of the innermost enclosing for. */
static host_span loop_variable(const order_finder *f, size_t at) {
    static const char *const words[] = {"for", NULL};
    for (size_t open; order_block_open(f->blank, at, &open); at = open) {
        const size_t begin = order_statement_begin(f->blank, open);
        const char *equals = f->blank + begin + strcspn(f->blank + begin, "=;{");
        if (order_begins_with(f->blank, begin, words) && *equals == '=')
            return host_declared_name(
                (host_span){f->blank + begin, (size_t)(equals - f->blank) - begin});
    }
    return (host_span){f->blank, 0};
}

/* Number of barriers used alternately: 4 for "full[i % 4]"; 0 for a single one. */
static unsigned long stages_of(const order_finder *f, size_t begin, size_t end) {
    const char *percent = memchr(f->blank + begin, '%', end - begin);
    return percent ? strtoul(percent + 1, NULL, 10) : 0;
}

/* Tries the other parity, and that of the loop's iteration. */
static void change_parity(order_finder *f, size_t begin, size_t end) {
    char to[96];
    const host_span old = last_argument(f, begin, end), turn = loop_variable(f, begin);
    const unsigned long stages = stages_of(f, begin, end);
    if (old.length == 0 || old.length > 40)
        return;
    const bool is_bit = old.length == 1 && (*old.text == '0' || *old.text == '1');
    if (turn.length > 0 && turn.length < 24 && is_bit) {
        if (stages > 1)
            (void)snprintf(to, sizeof to, "%.*s / %lu & 1", SPAN(turn), stages);
        else
            (void)snprintf(to, sizeof to, "%.*s & 1", SPAN(turn));
        replace(f, old, to);
    }
    if (is_bit)
        (void)snprintf(to, sizeof to, "%c", *old.text ^ 1);
    else
        (void)snprintf(to, sizeof to, "(%.*s) ^ 1", SPAN(old));
    replace(f, old, to);
}

/* Replaces a count of arrivals or bytes by the number in the finding. */
static void change_count(order_finder *f, size_t begin, size_t end, const char *missing) {
    static const char *const bytes[] = {"expect", "EXPECT", NULL};
    const char *count = strstr(missing, "a count of "), *by = strstr(missing, "expect_tx of ");
    const host_span old = last_argument(f, begin, end);
    char to[96], *rest;
    if (old.length == 0 || old.length > 40 || (!count && !by) ||
        says(f->text, begin, end, bytes) != !!by)
        return;
    const unsigned long number = strtoul(count ? count + 11 : by + 13, &rest, 10);
    const bool is_more = strncmp(rest, " bytes more", 11) == 0;
    const unsigned long before = strtoul(old.text, &rest, 10);
    if (count)
        (void)snprintf(to, sizeof to, "%lu", number);
    else if (rest == old.text + old.length)
        (void)snprintf(to, sizeof to, "%lu", is_more ? before + number : before - number);
    else
        (void)snprintf(to, sizeof to, "%.*s %c %lu", SPAN(old), is_more ? '+' : '-', number);
    replace(f, old, to);
}

void order_find_waits(order_finder *f, const smp_profile_finding *race) {
    const char *missing = race->missing ? race->missing : "";
    const size_t access = order_line_begin(f->blank, race->at.line);
    size_t open, limit, end;
    if (!order_function(f->blank, access, &open, &limit))
        return;
    for (size_t at = open + 1; next_of(f, &at, limit, waits, &end); at = end)
        if (at >= access || strstr(missing, "mbarrier"))
            copy_wait(f, at, end, race->at.line);
    for (size_t at = open + 1; next_of(f, &at, limit, waits, &end); at = end)
        change_last(f, at, end, true);
    for (size_t at = open + 1; next_of(f, &at, limit, counts, &end); at = end)
        change_last(f, at, end, false);
    for (size_t at = open + 1; strstr(missing, "parity") && next_of(f, &at, limit, waits, &end);
         at = end)
        change_parity(f, at, end);
}

/* Finds the body of the kernel, which sets up its mbarriers; the wait is often in another
 * function. */
static bool kernel_body(const order_finder *f, const char *mangled, size_t *open, size_t *end) {
    host_kernel kernel;
    char name[96];
    for (const char *at = f->blank; host_kernel_next(f->blank, &at, &kernel);) {
        (void)snprintf(name, sizeof name, "%zu%.*s", kernel.name.length, SPAN(kernel.name));
        *open = (size_t)(kernel.body.text - f->blank);
        *end = *open + kernel.body.length - 1;
        if (strstr(mangled, name) || host_is(kernel.name, mangled))
            return true;
    }
    return false;
}

void order_find_phase(order_finder *f, const smp_profile_finding *stuck) {
    size_t open, limit, end;
    if (!kernel_body(f, stuck->kernel, &open, &limit))
        return;
    for (size_t at = open + 1; next_of(f, &at, limit, counts, &end); at = end)
        change_count(f, at, end, stuck->missing);
    for (size_t at = open + 1; next_of(f, &at, limit, waits, &end); at = end)
        change_parity(f, at, end);
}
