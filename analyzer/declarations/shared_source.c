/* SPDX-License-Identifier: MIT */
/* Finds declarations and uses of shared arrays. */
#include "shared_source.h"

#include <string.h>

#include "source_words.h"

/* Reads the indices after a name that ends at `at`. */
static size_t read_indices(const char *text, size_t at, unsigned most,
                           host_span index[SHARED_DIMS_MAX], unsigned *count) {
    size_t end = at, next = source_behind_blanks(text, at);
    for (*count = 0; *count < most && text[next] == '['; next = source_behind_blanks(text, end)) {
        const size_t close = shared_behind(text, next);
        if (text[close - 1] != ']' || close < next + 2)
            break;
        index[(*count)++] = host_between(text + next + 1, text + close - 1);
        end = close;
    }
    return end;
}

/* Beginning of the declaration, including `extern`. */
static size_t begin_of(const char *text, size_t at, bool *is_extern) {
    const size_t begin = source_before_blanks(text, at);
    *is_extern = begin >= 6 && memcmp(text + begin - 6, "extern", 6) == 0;
    return *is_extern ? begin - 6 : at;
}

static bool read_declaration(const char *text, const char *name, size_t shared, size_t behind_this,
                             shared_declaration *out) {
    const size_t from = source_behind_blanks(text, shared + strlen("__shared__"));
    size_t at = from;
    for (bool is_first = true;; is_first = false) {
        const size_t begin = at;
        at = source_until(text, at, "[,;={}");
        if (text[at] == '{' || text[at] == '}' || text[at] == '\0')
            return false;
        const host_span before = {text + begin, at - begin};
        const host_span word = host_declared_name(before);
        if (is_first)
            out->type = host_between(text + from, word.text);
        unsigned dims;
        out->end = read_indices(text, at, SHARED_DIMS_MAX, out->extent, &dims);
        out->dims = dims;
        if (out->end > behind_this && word.length > 0 && (!name || host_is(word, name)) &&
            (shared_array_type(text, out->type, out) || dims > 0)) {
            out->name = word;
            return true;
        }
        at = source_until(text, out->end > at ? out->end : at, ",;");
        if (text[at] != ',')
            return false;
        at++;
    }
}

bool shared_declaration_next(const char *text, const char *name, size_t *at,
                             shared_declaration *out) {
    static const host_span word = {"__shared__", 10};
    const size_t end = strlen(text);
    size_t shared = source_behind_last(text, *at, ";{}"); /* the statement may declare others */
    for (; (shared = source_next_word(text, word, shared, end)) < end; shared++) {
        memset(out, 0, sizeof *out);
        out->begin = begin_of(text, shared, &out->is_extern);
        if (read_declaration(text, name, shared, *at, out)) {
            out->scope_end = shared_block_end(text, out->end);
            *at = out->end;
            return true;
        }
    }
    return false;
}

/* Reads "+ i" or "+= i" after a pointer. */
static void read_sum(const char *text, shared_use *out) {
    const size_t at = source_behind_blanks(text, out->end);
    if (text[at] != '+' || text[at + 1] == '+')
        return;
    const size_t begin = text[at + 1] == '=' ? at + 2 : at + 1,
                 end = source_until(text, begin, ",;)]}?:=!<>&|^");
    const host_span term = host_between(text + begin, text + end);
    if (term.length == 0 || out->count == SHARED_DIMS_MAX)
        return;
    out->index[out->count++] = term;
    out->is_sum = true;
    out->end = (size_t)(term.text - text) + term.length;
}

/* The place of the bracket that opens the one which ends at `close`. */
static size_t open_of(const char *text, size_t close, const char *pair) {
    const char *open = host_around(text, text + close - 1, pair, "");
    return open ? (size_t)(open - text) : 0;
}

/* Reads the type of a cast to a pointer, such as "float4 *". */
static bool pointed_to(const char *text, size_t begin, size_t end, host_span *type) {
    *type = host_between(text + begin, text + end);
    if (type->length < 2 || type->text[type->length - 1] != '*')
        return false;
    type->length--;
    *type = host_trim(*type);
    return true;
}

/* Reads a cast of the bare name: "(float4 *)tile" or "reinterpret_cast<float4 *>(tile)". */
static bool read_cast(const char *text, shared_use *out, bool *is_closed) {
    size_t at = source_before_blanks(text, out->begin);
    size_t next = source_behind_blanks(text, out->end);
    *is_closed = false;
    const size_t end = at > 1 ? source_before_blanks(text, at - 1) : 0;
    if (end > 0 && text[at - 1] == '(' && text[end - 1] == '>') {
        const size_t open = open_of(text, end, "<>");
        *is_closed = text[next] == ')';
        out->end = *is_closed ? next + 1 : out->end;
        return *is_closed && open > 5 && memcmp(text + open - 5, "_cast", 5) == 0 &&
               pointed_to(text, open + 1, end - 1, &out->type);
    }
    if (at == 0 || text[at - 1] != ')')
        return false;
    const size_t open = open_of(text, at, "()"), before = source_before_blanks(text, open);
    *is_closed = before > 0 && text[before - 1] == '(' && text[next] == ')';
    out->end = *is_closed ? next + 1 : out->end;
    return pointed_to(text, open + 1, at - 1, &out->type);
}

/* Reads the cast in front of `at`: "(float4 *)" or "reinterpret_cast<float4 *>(". */
static bool read_cast_before(const char *text, size_t at, host_span *type) {
    const size_t end = source_before_blanks(text, at);
    if (end > 1 && text[end - 1] == ')')
        return pointed_to(text, open_of(text, end, "()") + 1, end - 1, type);
    const size_t angle = end > 0 && text[end - 1] == '(' ? source_before_blanks(text, end - 1) : 0;
    return angle > 1 && text[angle - 1] == '>' &&
           pointed_to(text, open_of(text, angle, "<>") + 1, angle - 1, type);
}

/* Reads "(&tile[0][0])[i]", which counts all elements like a cast, or "((float4 *)&tile[0][0])[i]".
 */
static void read_flat(const char *text, const shared_declaration *of, shared_use *out) {
    const size_t front = source_before_blanks(text, out->begin);
    const size_t before =
        front > 0 && text[front - 1] == '&' ? source_before_blanks(text, front - 1) : 0;
    const size_t behind = source_behind_blanks(text, out->end);
    host_span type = of->type;
    for (unsigned i = 0; i < out->count; i++)
        if (!host_is(out->index[i], "0"))
            return;
    if (before == 0 || text[behind] != ')' || text[source_behind_blanks(text, behind + 1)] != '[' ||
        !(read_cast_before(text, before, &type) || text[before - 1] == '('))
        return;
    out->end = read_indices(text, behind + 1, 1, out->index, &out->count);
    out->is_cast = true;
    out->type = type;
}

/* Reads what follows a name with fewer indices than dimensions. */
static void read_more(const char *text, const shared_declaration *of, shared_use *out) {
    const size_t end = out->end;
    bool is_closed;
    if (out->count == 0 && read_cast(text, out, &is_closed)) {
        if (is_closed)
            out->end = read_indices(text, out->end, 1, out->index, &out->count);
        if (out->count == 0)
            read_sum(text, out);
        out->is_cast = out->count > 0;
    }
    if (out->count == 0)
        out->end = end;
    if (out->count + 1 == of->dims && !out->is_cast)
        read_sum(text, out);
}

/* Whether the place can be a use: after the declaration, in a macro, or for a member anywhere
 * else. */
static bool is_seen(const char *text, const shared_declaration *of, size_t at) {
    size_t line = source_behind_last(text, at, "\n");
    if (of->body.length > 0)
        return at < of->begin || at >= of->end;
    if (at >= of->begin)
        return at >= of->end && at < of->scope_end;
    return host_directive(text + line, "define");
}

/* End of a call with its arguments, also template arguments; 0 if it is no call. */
static size_t behind_call(const char *text, size_t at) {
    size_t open = source_behind_blanks(text, at);
    if (text[open] == '<')
        open += strcspn(text + open, ">;{(");
    if (text[open] == '>')
        open = source_behind_blanks(text, open + 1);
    return text[open] == '(' ? shared_behind(text, open) : 0;
}

/* Whether the name at `at` is this one: a member follows '.' or '->', or is bare inside its
 * struct. */
static bool is_reached(const char *text, const shared_declaration *of, size_t at) {
    const bool is_member =
        at > 0 && (text[at - 1] == '.' || (at > 1 && text[at - 1] == '>' && text[at - 2] == '-'));
    const bool is_inside = of->body.length > 0 && text + at >= of->body.text &&
                           text + at < of->body.text + of->body.length;
    return is_member == (of->body.length > 0) || is_inside;
}

bool shared_use_next(const char *text, const shared_declaration *of, size_t *at, shared_use *out) {
    while ((out->begin = source_next_word(text, of->name, *at, of->scope_end)) < of->scope_end) {
        const size_t begin = out->begin;
        *at = begin + of->name.length;
        const size_t behind = of->is_call ? behind_call(text, *at) : *at;
        if ((!of->is_call && !is_reached(text, of, begin)) || behind == 0 ||
            !is_seen(text, of, begin))
            continue;
        *out = (shared_use){.begin = begin};
        out->end = read_indices(text, behind, of->dims, out->index, &out->count);
        if (out->count > 1)
            read_flat(text, of, out);
        read_more(text, of, out);
        return true;
    }
    return false;
}
