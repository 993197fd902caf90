/* SPDX-License-Identifier: MIT */
/*
 * The struct's name now means the group, so pointers to it are unchanged: its members become
 * arrays, counts of structs become counts of groups, and element i is member i % 32 of group i /
 * 32. Single structs get a new type.
 */

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "grouped_bytes.h"
#include "launch_found.h"
#include "layout_factor.h"
#include "shared_names.h"
#include "source_words.h"
#include "struct_members.h"
#include "thread_edit.h"

enum { VARIABLES_MAX = 24 };

typedef struct group {
    const char *text;
    host_span name, body; /* of the struct */
    size_t begin;         /* of its definition */
    struct_members members;
    char single[80];                             /* type name of a single struct */
    shared_declaration variables[VARIABLES_MAX]; /* its pointers, arrays and vectors */
    unsigned count;
    bool has_single;
    thread_change *out;
} group;

static bool refuse(const group *g, size_t at, const char *what) {
    if (g->out->why[0] == '\0')
        (void)snprintf(g->out->why, sizeof g->out->why, "line %u uses %.*s %s",
                       shared_line(g->text, at), TEXT_CUT(g->name.text, g->name.length, 60), what);
    return false;
}

/* ---- The struct ---- */

static void write_struct(const group *g) {
    for (unsigned i = 0; i < g->members.count; i++) {
        const host_span name = g->members.list[i].name;
        text_edits_add(&g->out->edits,
                       layout_place(g->text, name) + name.length +
                           g->members.list[i].extents.length,
                       0, "[%d]", GROUPED_STRUCTS);
    }
    if (g->has_single)
        text_edits_add(&g->out->edits, g->begin, 0, "struct %s {%.*s};\n\n", g->single,
                       SPAN(g->body));
}

/* ---- Counts ---- */

/* Whether the count is a constant multiple of the group size. */
static bool is_whole(const group *g, host_span count) {
    static const host_span constants[] = {{"const", 5}, {"constexpr", 9}};
    const host_scope scope = {.text = g->text, .at = count.text, .is_strict = true};
    char name[64];
    int64_t value;
    host_span said;
    (void)snprintf(name, sizeof name, "%.*s", SPAN(count));
    if (!text_is_primary(count) || count.length >= sizeof name ||
        !layout_value(&scope, count, &value) || value % GROUPED_STRUCTS != 0)
        return false;
    if (text_is_number(count) || host_is_macro(g->text, name))
        return true;
    if (!host_definition(&scope, count, &said))
        return false;
    const size_t end = layout_place(g->text, said);
    const size_t begin = source_behind_last(g->text, end, ";{}");
    return source_next_word(g->text, constants[0], begin, end) < end ||
           source_next_word(g->text, constants[1], begin, end) < end;
}

/* Replaces "n" by "(n + 31) / 32", and a known multiple such as "1024" or "N" by "N / 32". */
static void write_count(const group *g, host_span count, bool is_closed) {
    const size_t at = layout_place(g->text, count);
    const char *open = is_closed ? "(" : "", *close = is_closed ? ")" : "";
    if (is_whole(g, count)) {
        text_edits_add(&g->out->edits, at, 0, "%s", open);
        text_edits_add(&g->out->edits, at + count.length, 0, " / %d%s", GROUPED_STRUCTS, close);
        return;
    }
    text_edits_add(&g->out->edits, at, 0, "%s(", open);
    text_edits_add(&g->out->edits, at + count.length, 0, " + %d) / %d%s", GROUPED_STRUCTS - 1,
                   GROUPED_STRUCTS, close);
}

/* Whether the text is nothing but a product. */
static bool is_product(host_span text) {
    int depth = 0;
    for (size_t i = 0; i < text.length; i++) {
        const char c = text.text[i];
        depth += (c == '(') - (c == ')');
        if (depth < 0 || (depth == 0 && strchr("+-%<>&|^?:,;={}", c)))
            return false;
    }
    return depth == 0 && text.length > 0;
}

/* Rewrites "n * sizeof(S)" and "sizeof(S) * n". */
static bool write_sizeof(const group *g, size_t begin, size_t end) {
    const size_t last = source_until(g->text, end, ",;)}");
    size_t first = begin;
    int depth = 0;
    while (first > 0 && !(depth == 0 && strchr("(,=;{", g->text[first - 1]))) {
        depth += (g->text[first - 1] == ')') - (g->text[first - 1] == '(');
        first--;
    }
    const host_span left = host_between(g->text + first, g->text + begin),
                    right = host_between(g->text + end, g->text + last);
    const bool is_left = left.length > 1 && left.text[left.length - 1] == '*',
               is_right = right.length > 1 && right.text[0] == '*';
    const host_span count = is_left    ? host_trim((host_span){left.text, left.length - 1})
                            : is_right ? host_trim((host_span){right.text + 1, right.length - 1})
                                       : left;
    if (is_left == is_right || (is_left ? right.length : left.length) > 0 || !is_product(count))
        return refuse(g, begin, "in sizeof, but for a count times its size");
    write_count(g, count, is_right);
    return true;
}

/* ---- Declarations ---- */

static bool add_variable(group *g, host_span name, size_t from) {
    if (name.length == 0 || g->count == VARIABLES_MAX)
        return refuse(g, from, "in a declaration that is not understood");
    shared_declaration *to = &g->variables[g->count++];
    const size_t at = layout_place(g->text, name),
                 open = source_behind_blanks(g->text, at + name.length);
    *to = (shared_declaration){.begin = from, .name = name, .type = g->name, .dims = 1};
    to->end = at + name.length;
    to->scope_end = shared_block_end(g->text, to->end);
    size_t close =
        source_until(g->text, open, ";{})"); /* for parameters, the end of the function */
    if (g->text[close] != ')')
        return true;
    close = source_behind_blanks(g->text, close + 1);
    to->scope_end = g->text[close] == '{' ? shared_behind(g->text, close) : to->end;
    return true;
}

/* Whether the place is a parameter or the first part of a for statement. */
static bool is_in_brackets(const char *text, size_t at) {
    return host_around(text, text + at, "()", ";{}");
}

/* Takes "S *a, *b = 0;" or "S *a)" after the name of the struct. */
static bool take_pointers(group *g, size_t from, size_t star) {
    static const char *const words[] = {"const", "__restrict__", "__restrict", NULL};
    for (;;) {
        size_t at = source_behind_blanks(g->text, star + 1);
        host_span name = source_word(g->text, at);
        while (host_is_one_of(name, words)) {
            at = source_behind_blanks(g->text, at + name.length);
            name = source_word(g->text, at);
        }
        if (!add_variable(g, name, from))
            return false;
        const size_t statement = layout_place(g->text, name) + name.length;
        const size_t end = source_until(g->text, statement, ",;){}");
        star = source_behind_blanks(g->text, end + (g->text[end] != '\0'));
        if (g->text[end] == ',' && g->text[star] != '*' && !is_in_brackets(g->text, from))
            return refuse(g, from, "in a declaration that is not understood");
        if (g->text[end] != ',' || g->text[star] != '*')
            return true;
    }
}

/* Takes "S h[N];", refuses "S h[N], g[M]"; "S one = ..." is a single struct. */
static bool take_name(group *g, size_t from, host_span name) {
    const size_t open = source_behind_blanks(g->text, layout_place(g->text, name) + name.length);
    if (g->text[open] != '[')
        return true;
    const size_t close = shared_behind(g->text, open);
    const char next = g->text[source_behind_blanks(g->text, close)];
    if (next != ';')
        return refuse(g, from, "in a declaration that is not understood");
    write_count(g, host_between(g->text + open + 1, g->text + close - 1), false);
    return add_variable(g, name, from);
}

/* Takes "std::vector<S> h(n);". */
static bool take_vector(group *g, size_t from, size_t angle) {
    const host_span name = source_word(g->text, source_behind_blanks(g->text, angle + 1));
    const size_t open = layout_place(g->text, name) + name.length,
                 close = shared_behind(g->text, open);
    const host_span count = {g->text + open + 1, close > open + 2 ? close - open - 2 : 0};
    if (g->text[open] != '(' || count.length == 0 || !is_product(count))
        return refuse(g, from, "in a vector without its size");
    write_count(g, count, false);
    return add_variable(g, name, from);
}

static void write_single(group *g, size_t at) {
    g->has_single = true;
    text_edits_add(&g->out->edits, at, g->name.length, "%s", g->single);
}

/* Handles one place that names the struct. */
static bool take_word(group *g, size_t at) {
    const size_t end = at + g->name.length, next = source_behind_blanks(g->text, end);
    const size_t front = source_before_blanks(g->text, at);
    const host_span before = source_name_before(g->text, at);
    const char c = g->text[next];
    if (c == '*') {
        const char behind = g->text[source_behind_blanks(g->text, next + 1)];
        return behind == ')' || behind == '>' || take_pointers(g, at, next);
    }
    if (c == ')' && front > 0 && g->text[front - 1] == '(' &&
        host_is(source_name_before(g->text, front - 1), "sizeof"))
        return write_sizeof(g, layout_place(g->text, source_name_before(g->text, front - 1)),
                            next + 1);
    if (c == '>' && front > 0 && g->text[front - 1] == '<')
        return host_is(source_name_before(g->text, front - 1), "vector")
                   ? take_vector(g, at, next)
                   : refuse(g, at, "in a template");
    if (c == '[' && host_is(before, "new")) {
        write_count(g, host_between(g->text + next + 1, g->text + shared_behind(g->text, next) - 1),
                    false);
        return true;
    }
    const host_span name = source_word(g->text, next);
    if (name.length > 0 &&
        g->text[source_behind_blanks(g->text, layout_place(g->text, name) + name.length)] == '[')
        return take_name(g, at, name);
    if (name.length == 0 && !strchr("{(&", c))
        return refuse(g, at, "in a way that is not understood");
    write_single(g, at);
    return true;
}

static bool take_words(group *g) {
    const size_t end = strlen(g->text);
    for (size_t at = 0; (at = source_next_word(g->text, g->name, at, end)) < end;
         at += g->name.length)
        if (at != layout_place(g->text, g->name) && !take_word(g, at))
            return false;
    return true;
}

/* ---- Uses ---- */

/* Index of the argument that is exactly this name; UINT_MAX if none is. */
static unsigned argument_of(const group *g, host_span list, const shared_use *use) {
    host_span part;
    for (unsigned i = 0; host_part(list, i, &part); i++)
        if (host_trim(part).text == g->text + use->begin)
            return i;
    return UINT_MAX;
}

/* Whether a function of that name declares parameter `index` as a pointer to the struct. */
static bool takes_pointer(const group *g, host_span called, unsigned index) {
    for (unsigned i = 0; i < g->count; i++) {
        size_t open = g->variables[i].begin;
        unsigned number = 0;
        while (open > 0 && !strchr("(;{}", g->text[open - 1]))
            number += g->text[--open] == ',';
        if (number == index && open > 0 && g->text[open - 1] == '(' &&
            host_same(source_name_before(g->text, open - 1), called))
            return true;
    }
    return false;
}

/* Whether the bare name is passed to a function that does not look at the elements, or to one that
 * takes a pointer to the struct. */
static bool is_given(const group *g, const shared_use *use) {
    static const char *const names[] = {"cudaMalloc",     "cudaMallocManaged",
                                        "cudaMallocHost", "cudaHostAlloc",
                                        "cudaMemcpy",     "cudaMemcpyAsync",
                                        "cudaMemset",     "cudaFree",
                                        "cudaFreeHost",   "free",
                                        "memcpy",         "memset",
                                        "sizeof",         NULL};
    host_launch launch;
    host_span called, arguments;
    const char *at = g->text;
    while (host_launch_next(g->text, &at, &launch))
        if (argument_of(g, launch.arguments, use) != UINT_MAX)
            return takes_pointer(g, host_name_base(launch.name),
                                 argument_of(g, launch.arguments, use));
    if (!shared_use_call(g->text, use, &called, &arguments))
        return false;
    return host_is_one_of(called, names) ||
           takes_pointer(g, called, argument_of(g, arguments, use));
}

static bool is_variable(const group *g, host_span name) {
    return ANY(one, g->variables, g->count, host_same(one->name, name));
}

static bool take_bare(const group *g, const shared_use *use) {
    static const char data[] = "data()";
    const size_t next = source_behind_blanks(g->text, use->end);
    const size_t front = source_before_blanks(g->text, use->begin);
    const bool is_set = g->text[next] == '=' && g->text[next + 1] != '=';
    const bool sets = front > 1 && g->text[front - 1] == '=' && g->text[next] == ';' &&
                      is_variable(g, source_name_before(g->text, front - 1));
    const bool is_deleted = front > 0 && g->text[front - 1] == ']';
    const bool is_sized = host_is(source_name_before(g->text, use->begin), "sizeof");
    const bool is_data =
        g->text[next] == '.' && strncmp(g->text + next + 1, data, sizeof data - 1) == 0;
    const bool is_pointed = front > 0 && g->text[front - 1] == '*';
    const bool is_known = is_set || sets || is_deleted || is_sized || is_data ||
                          (strchr(",)", g->text[next]) && is_given(g, use));
    return (is_known && !is_pointed) || refuse(g, use->begin, "by a pointer that is not followed");
}

static bool take_element(group *g, const shared_use *use) {
    char front[320], back[320];
    const host_span index = use->index[0];
    const char *open = text_is_primary(index) ? "" : "(", *close = *open ? ")" : "";
    if (index.length > 300 || layout_acts(index))
        return refuse(g, use->begin, "with an index that cannot be written twice");
    (void)snprintf(front, sizeof front, "[%s%.*s%s / %d]", open, SPAN(index), close,
                   GROUPED_STRUCTS);
    (void)snprintf(back, sizeof back, "[%s%.*s%s %% %d]", open, SPAN(index), close,
                   GROUPED_STRUCTS);
    const struct_element element = {.text = g->text,
                                    .type = {g->single, strlen(g->single)},
                                    .declared = g->name,
                                    .members = &g->members,
                                    .name = source_word(g->text, use->begin),
                                    .end = use->end,
                                    .front = front,
                                    .back = back};
    if (g->text[source_behind_blanks(g->text, use->end)] != '.') /* a whole element: a single one */
        g->has_single = true;
    const char *wrong = struct_element_write(&element, &g->out->edits);
    return !wrong || refuse(g, use->begin, wrong);
}

/* Whether the use is "sizeof(*d)", "sizeof *d" or "sizeof(h[0])". */
static bool is_sizeof(const group *g, const shared_use *use, size_t *begin, size_t *end) {
    size_t at = source_before_blanks(g->text, use->begin);
    const bool is_star = at > 0 && g->text[at - 1] == '*';
    at = source_before_blanks(g->text, at - is_star);
    const bool is_open = at > 0 && g->text[at - 1] == '(';
    const host_span word = source_name_before(g->text, at - is_open);
    *begin = layout_place(g->text, word);
    *end = use->end + is_open;
    return host_is(word, "sizeof") && is_star == (use->count == 0) && !use->is_sum &&
           (is_star || use->count > 0) && (!is_open || g->text[use->end] == ')');
}

static bool take_uses(group *g) {
    size_t begin, end;
    EACH(const shared_declaration, of, g->variables, g->count) {
        shared_use use;
        for (size_t at = of->end; shared_use_next(g->text, of, &at, &use);) {
            if (is_sizeof(g, &use, &begin, &end)) {
                if (!write_sizeof(g, begin, end))
                    return false;
                continue;
            }
            const host_span index = use.count > 0 ? use.index[0] : (host_span){g->text, 0};
            for (unsigned k = 0; k < g->count; k++) /* an element inside an index */
                if (source_next_word(g->text, g->variables[k].name, layout_place(g->text, index),
                                     layout_place(g->text, index) + index.length) <
                    layout_place(g->text, index) + index.length)
                    return refuse(g, use.begin, "with an element as an index");
            if (use.is_sum || use.is_cast
                    ? !refuse(g, use.begin, "by a pointer that is not followed")
                    : !(use.count == 0 ? take_bare(g, &use) : take_element(g, &use)))
                return false;
        }
    }
    return true;
}

bool group_change_find(const char *text, const host_kernel *kernel, uint64_t stride,
                       thread_change *out) {
    group g = {.text = text, .out = out};
    memset(out, 0, sizeof *out);
    struct_definition found;
    if (stride < 2 || !host_has_main(text) || !struct_of_kernel(text, kernel, &found) ||
        !struct_members_read(found.body, &g.members) ||
        struct_members_sizes(&g.members, out->grouped, sizeof out->grouped) != stride)
        return false;
    g.name = found.name;
    g.body = found.body;
    g.begin = found.begin;
    (void)snprintf(g.single, sizeof g.single, "%.*s_single",
                   TEXT_CUT(g.name.text, g.name.length, 60));
    if (host_has_name(text, g.single))
        return false;
    (void)snprintf(out->words, sizeof out->words, "%.*s: groups of %d, an array for each member",
                   TEXT_CUT(g.name.text, g.name.length, 60), GROUPED_STRUCTS);
    out->line = shared_line(text, layout_place(text, g.name));
    if (take_words(&g) && take_uses(&g))
        write_struct(&g);
    return true;
}
