/* SPDX-License-Identifier: MIT */
/* Follows an array through pointers, calls and structs within one file. */
#include "shared_names.h"

#include <string.h>

#include "source_words.h"

/* The surroundings of a use. */
typedef struct context {
    size_t begin;   /* beginning of the statement */
    size_t part;    /* beginning of its declarator */
    size_t equals;  /* the first '=' before it in its declarator; 0 if none */
    size_t open;    /* parenthesis of the call around it; 0 if none */
    unsigned index; /* index of its argument */
    bool is_taken;  /* its address is taken: &tile[0][0], tile[0] + 1 */
} context;

static bool is_assignment(const char *text, size_t at) {
    return text[at] == '=' && text[at + 1] != '=' && at > 0 &&
           !strchr("=<>!+-*/|&^%", text[at - 1]);
}

/* The end of the name before the parenthesis, without template arguments: f<32>(...), and
 * static_cast<float *>(...). */
static size_t name_end(const char *text, size_t open) {
    const size_t end = source_before_blanks(text, open);
    const bool has_list = end > 0 && text[end - 1] == '>';
    const size_t list = has_list ? source_behind_last(text, end, "<;") : end;
    return list - (has_list && list > 0 && text[list - 1] == '<');
}

/* Whether the parenthesis belongs to a call, not to a statement or a cast. */
static bool is_call(const char *text, size_t open) {
    static const char *const others[] = {"if", "while", "for", "switch", "sizeof", "return", NULL};
    const size_t end = name_end(text, open);
    const host_span name = source_word_before(text, end);
    const bool is_cast = name.length > 5 && memcmp(text + end - 5, "_cast", 5) == 0;
    return name.length > 0 && !is_cast && !host_is_one_of(name, others);
}

/* Whether the '&' before `end` takes an address. */
static bool is_address(const char *text, size_t end) {
    if (end == 0 || text[end - 1] != '&')
        return false;
    const size_t before = source_before_blanks(text, end - 1);
    if (before > 0 && text[before - 1] == ')') { /* (float4 *)&tile[i] */
        const size_t inside = source_before_blanks(text, before - 1);
        return inside > 0 && text[inside - 1] == '*';
    }
    return before == 0 || !(text_is_word(text[before - 1]) || strchr("&]", text[before - 1]));
}

static context context_of(const char *text, const shared_use *use) {
    context out = {.begin = 0};
    int depth = 0;
    out.is_taken = use->is_sum || is_address(text, source_before_blanks(text, use->begin));
    for (size_t at = use->begin; at > 0; at--) {
        const char c = text[at - 1];
        if (c == ';' || c == '{' || c == '}') {
            out.begin = at;
            break;
        }
        if (strchr(")]", c))
            depth++;
        if (strchr("([", c) && depth-- == 0) {
            depth = 0;
            if (c == '(' && out.open == 0 && is_call(text, at - 1))
                out.open = at - 1;
            else if (c == '[')
                return out; /* an index of another array */
        }
        if (c == ',' && depth == 0 && out.open == 0)
            out.index++;
        out.part = c == ',' && depth == 0 && out.equals > 0 && out.part == 0 ? at : out.part;
        if (depth == 0 && out.part == 0 && is_assignment(text, at - 1))
            out.equals = at - 1;
    }
    out.part = out.part > out.begin ? out.part : out.begin;
    return out;
}

/* ---- Pointers ---- */

/* The name before the parenthesis, without template arguments. */
static host_span called_name(const char *text, size_t open) {
    return source_name_before(text, name_end(text, open));
}

/* Finds the next function of that name with a body, from *at on: its parameters and body. */
static bool next_function(const char *text, host_span name, size_t *at, host_span *parameters,
                          host_span *body) {
    for (; text[*at] != '\0'; ++*at) {
        if (strncmp(text + *at, name.text, name.length) != 0 ||
            (*at > 0 && text_is_word(text[*at - 1])))
            continue;
        const size_t open = source_behind_blanks(text, *at + name.length);
        const size_t close = text[open] == '(' ? shared_behind(text, open) : open;
        const size_t begin = source_behind_blanks(text, close);
        if (close == open || text[begin] != '{')
            continue;
        *parameters = (host_span){text + open + 1, close - open - 2};
        *body = (host_span){text + begin, shared_behind(text, begin) - begin};
        *at = begin;
        return true;
    }
    return false;
}

/* Whether the function is __cvta_generic_to_shared or calls it. */
static bool gives_address(const char *text, host_span called) {
    host_span parameters, body;
    size_t at = 0;
    if (called.length == 0)
        return false;
    return host_contains(called, "cvta_generic_to_shared") ||
           (next_function(text, called, &at, &parameters, &body) && host_contains(body, "cvta"));
}

/* Name of the pointer that "float *a", "const float *__restrict__ a" or "auto a" declares; empty
 * if it is no pointer. */
static host_span pointer_name(const char *text, const context *in, host_span *type) {
    host_span left = {text + in->part, in->equals - in->part},
              whole = {text + in->begin, in->equals - in->begin};
    for (size_t i = 0; i < whole.length; i++) /* for (float *a = ... */
        if (whole.text[i] == '(' && in->part == in->begin &&
            !memchr(whole.text + i, ')', whole.length - i))
            left = (host_span){whole.text + i + 1, whole.length - i - 1};
    const host_span name = host_declared_name(left);
    const size_t length = (size_t)(name.text - left.text);
    const char *star = length > 0 ? memchr(left.text, '*', length) : NULL;
    *type = in->part == in->begin
                ? (host_span){left.text, star ? (size_t)(star - left.text) : length}
                : (host_span){whole.text, strcspn(whole.text, "*=")};
    *type = host_trim(*type);
    const bool is_auto = host_is(*type, "auto");
    const bool is_plain = !memchr(left.text, '[', left.length);
    return (star || is_auto) && is_plain && type->length > 0 ? name : (host_span){text, 0};
}

/* Reads name and last extent of "float (*tile)[32]", "float tile[][32]" or "float *s". */
static void read_parameter(host_span part, unsigned dims, shared_declaration *out) {
    const char *bracket = memchr(part.text, '[', part.length);
    size_t end = bracket ? (size_t)(bracket - part.text) : part.length;
    while (end > 0 && !text_is_word(part.text[end - 1]))
        end--;
    out->name = source_word_before(part.text, end);
    out->type = host_trim((host_span){part.text, end - out->name.length});
    while (out->type.length > 0 && strchr("*&( ", out->type.text[out->type.length - 1]))
        out->type.length--;
    out->dims = dims > 0 && bracket ? dims : 1;
    const char *last = NULL;
    for (size_t i = 0; i < part.length; i++)
        last = part.text[i] == '[' ? part.text + i : last;
    const char *close = last ? memchr(last, ']', part.length - (size_t)(last - part.text)) : NULL;
    if (close)
        out->extent[out->dims - 1] = host_between(last + 1, close);
}

/* Remaining dimensions of the use. */
static unsigned dims_left(const shared_name *of, const shared_use *use) {
    return use->is_cast || use->count >= of->of.dims ? 0 : of->of.dims - use->count;
}

/* Reads an integer that is set to the address. */
static bool address_name(const char *text, const context *in, shared_declaration *out) {
    static const char bytes[] = "char";
    const host_span left = {text + in->begin, in->equals - in->begin};
    const host_span name = host_declared_name(left);
    if (in->open == 0 || !gives_address(text, called_name(text, in->open)) || name.length == 0 ||
        memchr(left.text, '*', left.length) || memchr(left.text, '[', left.length) ||
        host_trim(left).text == name.text)
        return false;
    out->name = name;
    out->type = (host_span){bytes, sizeof bytes - 1};
    out->dims = 1;
    return true;
}

/* Whether all names in it look like constants. */
static bool is_constant(host_span text) {
    for (size_t i = 0; i < text.length; i++) {
        size_t end = i;
        bool is_small = false;
        while (end < text.length && text_is_word(text.text[end]))
            is_small |= islower((unsigned char)text.text[end++]) != 0;
        const host_span word = {text.text + i, end - i};
        if (is_small && !isdigit((unsigned char)*word.text) && !host_is(word, "sizeof") &&
            shared_element_bytes(word) == 0 && *word.text != 'k')
            return false;
        i = end > i ? end - 1 : i;
    }
    return true;
}

/* Whether the use is a varying place in the array. */
static bool is_part(const shared_name *of, const shared_use *use) {
    return ANY(one, use->index, use->count, !is_constant(*one)) || of->is_part;
}

/* Sets where in the array the name begins that `use` initializes. */
static void set_place(const shared_name *of, const shared_use *use, shared_name *out) {
    out->is_flat = out->of.dims == 1 && (of->of.dims > 1 || of->is_flat);
    out->is_part = is_part(of, use);
}

/* Reads type and extent of a cast such as "(float (*)[32])smem" in this range. */
static bool read_rows(const char *text, size_t at, size_t end, host_span *type, host_span *extent) {
    static const char mark[] = "(*)";
    while (at < end && strncmp(text + at, mark, sizeof mark - 1) != 0)
        at++;
    const size_t open = at + sizeof mark - 1;
    if (at >= end || text[open] != '[')
        return false;
    const size_t close = shared_behind(text, open), last = source_before_blanks(text, at);
    const size_t begin = source_behind_last(text, last, "(<=;");
    *extent = host_between(text + open + 1, text + close - 1);
    *type = host_between(text + begin, text + last);
    return true;
}

/* Reads a pointer to rows that is set to a cast of flat memory. */
static bool read_row_pointer(const char *text, const context *in, host_span left,
                             shared_name *out) {
    host_span type;
    if (in->open > 0 ||
        !read_rows(text, in->equals, source_until(text, in->equals, ";"), &type, &out->cast))
        return false;
    out->of.name = pointer_name(text, in, &out->of.type);
    out->of.dims = 2;
    if (out->of.name.length == 0)
        read_parameter(left, 2, &out->of);
    out->of.type = type;
    return true;
}

/* Reads a pointer or integer that the statement declares and sets to the array or into it. */
static bool read_pointer(const char *text, const shared_name *of, const shared_use *use,
                         const context *in, shared_name *out) {
    const unsigned dims = dims_left(of, use);
    const host_span left = {text + in->part, in->equals - in->part};
    *out = (shared_name){.is_flat = false};
    if (in->equals == 0 || (dims == 0 && !in->is_taken))
        return false;
    out->of.dims = 1;
    if (!address_name(text, in, &out->of) && !read_row_pointer(text, in, left, out)) {
        if (in->open > 0)
            return false;
        out->of.name = pointer_name(text, in, &out->of.type);
        if (out->of.name.length > 0 && host_is(out->of.type, "auto") && dims > 0)
            out->of.dims = dims;
        else if (out->of.name.length == 0 && memchr(left.text, '(', left.length) && dims > 0)
            read_parameter(left, dims, &out->of);
        shared_declaration rows = {.dims = 1};
        if (out->of.name.length > 0 && shared_array_type(text, out->of.type, &rows) &&
            rows.dims == 2) {
            out->row_type = out->of.type;
            out->of.type = rows.type;
            out->of.extent[1] = rows.extent[1];
            out->of.dims = 2;
        }
    }
    set_place(of, use, out);
    out->is_section = use->is_sum && !out->is_part;
    out->of.begin = in->begin;
    out->of.end = source_until(text, use->end, ",;"); /* the next declarator may use it */
    out->of.scope_end = shared_block_end(text, out->of.end);
    return out->of.name.length > 0;
}

/* ---- Functions ---- */

/* Finds the parameter that receives the use, of a function with a body. */
static bool read_call(const char *text, const shared_name *of, const shared_use *use,
                      const context *in, shared_name *out) {
    host_span part, body;
    const unsigned dims = dims_left(of, use);
    const bool is_given = dims > 0 || in->is_taken || use->is_cast;
    const host_span name = in->open > 0 ? called_name(text, in->open) : (host_span){text, 0};
    if (!is_given || name.length == 0 || gives_address(text, name))
        return false;
    *out = (shared_name){.is_flat = false};
    for (size_t at = 0; next_function(text, name, &at, &out->parameters, &body);) {
        if (!host_part(out->parameters, in->index, &part))
            continue;
        out->of.begin = (size_t)(out->parameters.text - text) - 1;
        out->of.end = (size_t)(body.text - text);
        out->of.scope_end = out->of.end + body.length;
        read_parameter(part, dims, &out->of);
        set_place(of, use, out);
        return out->of.name.length > 0;
    }
    return false;
}

/* Reads the name of the function or struct whose block opens at `open`; empty for an operator. */
static bool read_head(const char *text, size_t open, host_span *name, size_t *begin) {
    size_t end = source_before_blanks(text, open);
    *begin = source_behind_last(text, end, ";{}");
    const host_span head = {text + *begin, end - *begin};
    const host_span last = source_name_before(text, end);
    if (host_is(last, "const") || host_is(last, "noexcept"))
        end = source_before_blanks(text, end - last.length);
    if (host_has_word(head, "operator")) {
        *name = (host_span){text, 0};
        return true;
    }
    for (size_t i = head.length; i > 1; i--) /* auto f = [&](int n) -> float * */
        if (memcmp(head.text + i - 2, "->", 2) == 0)
            end = source_before_blanks(text, *begin + i - 2);
    if (end > 0 && text[end - 1] == ')') {
        const char *open_list = host_around(text, text + end - 1, "()", ";{}");
        if (!open_list)
            return false;
        const size_t list = (size_t)(open_list - text), before = source_before_blanks(text, list);
        if (before > 0 && text[before - 1] == ']') { /* a lambda held by a variable */
            end = source_behind_last(text, before, "=;{}");
            *name = source_name_before(text, end > 0 ? end - 1 : 0);
            return end > *begin && name->length > 0;
        }
        *name = source_name_before(text, list);
        return is_call(text, list);
    }
    *name = last;
    return host_has_word(head, "struct") || host_has_word(head, "class");
}

/* The function around `at`, or the struct if that is an operator. */
static host_span function_around(const char *text, size_t at, size_t *begin, size_t *end) {
    host_span name = {text, 0};
    for (const char *open = text + at; (open = host_around(text, open, "{}", ""));)
        if (read_head(text, (size_t)(open - text), &name, begin)) {
            *end = shared_behind(text, (size_t)(open - text));
            if (name.length > 0)
                break;
        }
    return name;
}

/* Finds the function that returns the array or a place in it. */
static bool read_return(const char *text, const shared_name *of, const shared_use *use,
                        const context *in, shared_name *out) {
    static const char word[] = "return";
    const unsigned dims = dims_left(of, use);
    const size_t at = source_behind_blanks(text, in->begin);
    *out = (shared_name){.is_flat = of->of.dims > 1 || of->is_flat};
    if (in->open > 0 || strncmp(text + at, word, sizeof word - 1) != 0 ||
        text_is_word(text[at + sizeof word - 1]) || (dims == 0 && !in->is_taken))
        return false;
    out->of = (shared_declaration){.dims = 1, .type = of->of.type, .is_call = true};
    out->of.name = function_around(text, at, &out->of.begin, &out->of.end);
    out->of.scope_end = strlen(text);
    out->is_part = is_part(of, use);
    return out->of.name.length > 0 && dims < 2;
}

/* Finds the struct that the parenthesis or brace at `open` initializes. */
static bool struct_at(const char *text, size_t open, host_span *type, host_span *body) {
    *type = called_name(text, open);
    if (type->length == 0 || shared_struct_body(text, *type, body))
        return type->length > 0;
    *type = called_name(text, (size_t)(type->text - text));
    return type->length > 0 && shared_struct_body(text, *type, body);
}

/* Reads the member that holds the array in View v(tile, 32) or View{tile, 32}. */
static bool read_view(const char *text, const shared_name *of, const shared_use *use,
                      const context *in, shared_name *out) {
    host_span type, body, part;
    const unsigned dims = dims_left(of, use);
    const bool is_brace = in->open == 0 && in->begin > 0 && text[in->begin - 1] == '{';
    const size_t open = is_brace ? in->begin - 1 : in->open;
    *out = (shared_name){.is_flat = false};
    if (open == 0 || (dims == 0 && !in->is_taken) || !struct_at(text, open, &type, &body))
        return false;
    if (!shared_view_part(text, type, body, in->index, out, &part))
        return false;
    read_parameter(part, dims, &out->of);
    if (!shared_view_member(text, body, part, out))
        return false;
    out->of.body = body;
    out->of.scope_end = strlen(text);
    set_place(of, use, out);
    return out->of.name.length > 0;
}

bool shared_use_call(const char *text, const shared_use *use, host_span *name,
                     host_span *arguments) {
    const context in = context_of(text, use);
    if (in.open == 0)
        return false;
    *name = called_name(text, in.open);
    *arguments = (host_span){text + in.open + 1, shared_behind(text, in.open) - in.open - 2};
    return true;
}

/* ---- All names ---- */

static void find_names(const char *text, shared_names *out);

/* Adds a name unless it is known, and returns its number. */
static unsigned add(shared_names *to, const shared_name *name) {
    for (unsigned i = 0; i < to->count; i++) {
        const shared_declaration *other = &to->list[i].of;
        if (other->name.text == name->of.name.text ||
            (host_same(other->name, name->of.name) && name->of.end > other->end &&
             name->of.end < other->scope_end))
            return i;
    }
    if (to->count < SHARED_NAMES_MAX)
        to->list[to->count++] = *name;
    return to->count - 1;
}

bool shared_name_steps(const char *text, const shared_name *of) {
    shared_use use;
    for (size_t at = 0; shared_use_next(text, &of->of, &at, &use);)
        if (use.count > 0)
            return true;
    return false;
}

bool shared_use_passes(const char *text, const shared_name *of, const shared_use *use) {
    const context in = context_of(text, use);
    shared_name next;
    return (read_pointer(text, of, use, &in, &next) || read_call(text, of, use, &in, &next) ||
            read_return(text, of, use, &in, &next) || read_view(text, of, use, &in, &next)) &&
           (!next.is_part || shared_name_steps(text, &next));
}

/* Whether the use does not depend on the layout. */
static bool is_harmless(const char *text, const shared_name *of, const shared_use *use,
                        const context *in) {
    const size_t front = source_before_blanks(text, use->begin);
    if (of->given.length > 0 && strchr("({", text[source_behind_blanks(text, use->end)]))
        return true; /* its constructor sets it */
    const host_span called = in->open > 0 ? called_name(text, in->open) : (host_span){text, 0};
    return (front > 0 && text[front - 1] == '*') || host_is(called, "sizeof") ||
           host_is(source_name_before(text, front - (front > 0 && text[front - 1] == '(')),
                   "sizeof");
}

/* Whether the pointer that begins at `begin` is dereferenced at once: "*(float4 *)&tile[i][j]" or
 * "reinterpret_cast<float4 *>(&tile[i][j])[0]". */
static bool is_dereferenced(const char *text, size_t begin, size_t end) {
    const size_t behind = source_behind_blanks(text, end);
    size_t at = source_before_blanks(text, begin);
    if (text[behind] == ')' && text[source_behind_blanks(text, behind + 1)] == '[')
        return strncmp(text + source_behind_blanks(text, behind + 1), "[0]", 3) == 0;
    while (at > 0 && strchr("&()>", text[at - 1])) { /* back over casts */
        const char close = text[at - 1];
        for (at--; at > 0 && close != '&' && close != '(' && !strchr("(<;", text[at]);)
            at--;
        while (close == '>' && at > 0 && text_is_word(text[at - 1]))
            at--;
        at = source_before_blanks(text, at);
    }
    return at > 0 && text[at - 1] == '*';
}

/* Whether more than the element whose address is taken may be reached, by an index or by a function
 * that is not in the file. */
static bool takes_more(const char *text, const shared_use *use, const context *in) {
    if (!in->is_taken || use->is_cast || is_dereferenced(text, use->begin, use->end))
        return false;
    if (in->open == 0)
        return true;
    const host_span name = called_name(text, in->open);
    return !(host_contains(name, "atomic") || host_is(name, "__pipeline_memcpy_async") ||
             (host_is(name, "memcpy_async") && in->index == 0) || gives_address(text, name));
}

static bool is_known_array(const shared_names *all, const shared_declaration *of) {
    return ANY(one, all->list, all->count, one->of.name.text == of->name.text);
}

/* Adds the array with the same extents to which a pointer of that name points. */
static bool add_twin(const char *text, host_span pointer, shared_names *all) {
    shared_declaration twin;
    const shared_declaration *of = &all->list[0].of;
    for (size_t at = 0; shared_declaration_next(text, NULL, &at, &twin);) {
        shared_names names;
        bool is_alike = twin.dims == of->dims && twin.name.text != of->name.text &&
                        host_same(twin.type, of->type);
        for (unsigned i = 0; i < twin.dims && is_alike; i++)
            is_alike = host_same(twin.extent[i], of->extent[i]);
        if (!is_alike || all->count == SHARED_NAMES_MAX || all->is_alone)
            continue;
        names = (shared_names){.list = {{.of = twin}}, .count = 1, .is_alone = true};
        find_names(text, &names);
        for (unsigned i = 0; i < names.count; i++)
            if (host_same(names.list[i].of.name, pointer)) {
                if (!is_known_array(all, &twin))
                    all->list[all->count++] = (shared_name){.of = twin, .is_twin = true};
                return true;
            }
    }
    return false;
}

/* Whether the use is "x = y;" between two names with the same layout. */
static bool is_exchanged(const char *text, shared_names *all, const shared_use *use) {
    const host_span own = source_word(text, use->begin);
    const size_t next = source_behind_blanks(text, use->end);
    const size_t front = source_before_blanks(text, use->begin);
    const bool is_left = front > 0 && strchr(";{}", text[front - 1]) && is_assignment(text, next);
    const bool is_right = front > 0 && is_assignment(text, front - 1) && text[next] == ';';
    host_span other = is_left ? source_word(text, source_behind_blanks(text, next + 1))
                              : source_name_before(text, front - is_right);
    const size_t behind = source_behind_blanks(text, (size_t)(other.text - text) + other.length);
    const size_t before = source_before_blanks(text, (size_t)(other.text - text));
    if (use->count > 0 || is_left == is_right || host_same(other, own) ||
        (is_left ? text[behind] != ';' : before == 0 || !strchr(";{}", text[before - 1])))
        return false;
    return ANY(one, all->list, all->count, host_same(one->of.name, other)) ||
           add_twin(text, other, all);
}

static void follow(const char *text, unsigned from, const shared_use *use, shared_names *out) {
    const shared_name name = out->list[from];
    const context in = context_of(text, use);
    shared_name next;
    if (read_pointer(text, &name, use, &in, &next) || read_return(text, &name, use, &in, &next)) {
        (void)add(out, &next);
    } else if (read_call(text, &name, use, &in, &next) || read_view(text, &name, use, &in, &next)) {
        const size_t open = in.open > 0 ? in.open : in.begin - 1;
        const unsigned to = add(out, &next);
        if (out->call_count < SHARED_CALLS_MAX)
            out->calls[out->call_count++] =
                (shared_call){from, to, {text + open + 1, shared_behind(text, open) - open - 2}};
    } else if (out->lost == 0 &&
               (takes_more(text, use, &in) ||
                (dims_left(&name, use) > 0 && !name.is_part &&
                 !is_harmless(text, &name, use, &in) && !is_exchanged(text, out, use)))) {
        out->lost = use->begin;
    }
}

static void find_names(const char *text, shared_names *out) {
    for (unsigned i = 0; i < out->count; i++) {
        const shared_declaration name = out->list[i].of;
        shared_use use;
        for (size_t at = 0; shared_use_next(text, &name, &at, &use);)
            follow(text, i, &use, out);
    }
}

void shared_names_find(const char *text, const shared_declaration *of, shared_names *out) {
    *out = (shared_names){.list = {{.of = *of}}, .count = 1};
    find_names(text, out);
}
