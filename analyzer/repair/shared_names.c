/* SPDX-License-Identifier: MIT */
/*
 * Following an array through pointers and calls, as far as one file shows them.
 */
#include "shared_names.h"

#include <string.h>

#include "source_words.h"

/* What a use stands in. */
typedef struct context {
    size_t begin;   /* of the statement */
    size_t part;    /* behind the comma before its part, else the same */
    size_t equals;  /* of the first '=' of its part that it stands behind; 0: none */
    size_t open;    /* of the bracket of a call that it stands in; 0: none */
    unsigned index; /* of the argument there */
    bool is_taken;  /* its address is: &tile[0][0], tile[0] + 1 */
} context;

static bool is_assignment(const char *text, size_t at) {
    return text[at] == '=' && text[at + 1] != '=' && at > 0 &&
           !strchr("=<>!+-*/|&^%", text[at - 1]);
}

/* A bracket behind a name is a call's, unless the name is that of something else. */
static bool is_call(const char *text, size_t open) {
    static const char *const others[] = {"if", "while", "for", "switch", "sizeof", "return"};
    size_t end = source_before_blanks(text, open);
    if (end > 0 && text[end - 1] == '>') /* f<32>(...), and static_cast<float *>(...) */
        while (end > 0 && text[end - 1] != '<' && text[end - 1] != ';')
            end--;
    end -= end > 0 && text[end - 1] == '<';
    const host_span name = source_word_before(text, end);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (host_is(name, others[i]))
            return false;
    const bool is_cast = name.length > 5 && memcmp(text + end - 5, "_cast", 5) == 0;
    return name.length > 0 && !is_cast;
}

/* The '&' that ends at `end` is no operator between two values. */
static bool is_address(const char *text, size_t end) {
    if (end == 0 || text[end - 1] != '&')
        return false;
    const size_t before = source_before_blanks(text, end - 1);
    if (before > 0 && text[before - 1] == ')') { /* (float4 *)&tile[i] */
        const size_t inside = source_before_blanks(text, before - 1);
        return inside > 0 && text[inside - 1] == '*';
    }
    return before == 0 || !(host_is_word(text[before - 1]) || strchr("&]", text[before - 1]));
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
                return out; /* an index of something else */
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

static host_span word_before(const char *text, size_t end) {
    return source_word_before(text, source_before_blanks(text, end));
}

/* The name in front of the bracket, without template arguments. */
static host_span called_name(const char *text, size_t open) {
    size_t end = source_before_blanks(text, open);
    if (end > 0 && text[end - 1] == '>')
        while (end > 1 && text[end - 1] != '<')
            end--;
    return word_before(text, end - (end > 0 && text[end - 1] == '<'));
}

/* The next function of that name with a body, from *at on: "(parameters)" and its body. */
static bool next_function(const char *text, host_span name, size_t *at, host_span *parameters,
                          host_span *body) {
    for (; text[*at] != '\0'; ++*at) {
        if (strncmp(text + *at, name.text, name.length) != 0 ||
            (*at > 0 && host_is_word(text[*at - 1])))
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

/* Of __cvta_generic_to_shared, or of a function that calls it. */
static bool gives_address(const char *text, host_span called) {
    host_span parameters, body;
    size_t at = 0;
    if (called.length == 0)
        return false;
    return host_contains(called, "cvta_generic_to_shared") ||
           (next_function(text, called, &at, &parameters, &body) && host_contains(body, "cvta"));
}

/* "float *a", "const float *__restrict__ a", "auto a", of the last of several: the pointer's name;
 * nothing: it is none. */
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
    const bool is_plain = memchr(left.text, '[', left.length) == NULL;
    return (star || is_auto) && is_plain && type->length > 0 ? name : (host_span){text, 0};
}

static size_t end_of_statement(const char *text, size_t at) {
    while (text[at] != '\0' && text[at] != ';')
        at = strchr("([{", text[at]) ? shared_behind(text, at) : at + 1;
    return at;
}

/* "float (*tile)[32]", "float tile[][32]", "float *s": its name, and its last extent. */
static void read_parameter(host_span part, unsigned dims, shared_declaration *out) {
    const char *bracket = memchr(part.text, '[', part.length);
    size_t end = bracket ? (size_t)(bracket - part.text) : part.length;
    while (end > 0 && !host_is_word(part.text[end - 1]))
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
        out->extent[out->dims - 1] = host_trim((host_span){last + 1, (size_t)(close - last - 1)});
}

/* Dimensions of what the use names. */
static unsigned dims_left(const shared_name *of, const shared_use *use) {
    return use->is_cast || use->count >= of->of.dims ? 0 : of->of.dims - use->count;
}

/* An integer that is set to the address. */
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

/* All names in it are written as constants are, or are numbers. */
static bool is_constant(host_span text) {
    for (size_t i = 0; i < text.length; i++) {
        size_t end = i;
        bool is_small = false;
        while (end < text.length && host_is_word(text.text[end]))
            is_small |= islower((unsigned char)text.text[end++]) != 0;
        const host_span word = {text.text + i, end - i};
        if (is_small && !isdigit((unsigned char)*word.text) && !host_is(word, "sizeof") &&
            shared_element_bytes(word) == 0 && *word.text != 'k')
            return false;
        i = end > i ? end - 1 : i;
    }
    return true;
}

/* The name is of a place in the array that changes. */
static bool is_part(const shared_name *of, const shared_use *use) {
    for (unsigned i = 0; i < use->count; i++)
        if (!is_constant(use->index[i]))
            return true;
    return of->is_part;
}

/* "(float (*)[32])smem" between these places: its type and its extent. */
static bool read_rows(const char *text, size_t at, size_t end, host_span *type, host_span *extent) {
    static const char mark[] = "(*)";
    while (at < end && strncmp(text + at, mark, sizeof mark - 1) != 0)
        at++;
    const size_t open = at + sizeof mark - 1;
    if (at >= end || text[open] != '[')
        return false;
    const size_t close = shared_behind(text, open), last = source_before_blanks(text, at);
    size_t begin = last;
    while (begin > 0 && !strchr("(<=;", text[begin - 1]))
        begin--;
    *extent = host_trim((host_span){text + open + 1, close - open - 2});
    *type = host_trim((host_span){text + begin, last - begin});
    return true;
}

/* A pointer to rows, that flat memory is cast to. */
static bool read_row_pointer(const char *text, const context *in, host_span left,
                             shared_name *out) {
    host_span type;
    if (in->open > 0 ||
        !read_rows(text, in->equals, end_of_statement(text, in->equals), &type, &out->cast))
        return false;
    out->of.name = pointer_name(text, in, &out->of.type);
    out->of.dims = 2;
    if (out->of.name.length == 0)
        read_parameter(left, 2, &out->of);
    out->of.type = type;
    return true;
}

/* "typedef float row[32];", "using row = float[32];": what it is of, and how many. */
static bool read_row_type(const char *text, host_span name, host_span *type, host_span *extent) {
    static const host_span words[] = {{"typedef", 7}, {"using", 5}};
    for (unsigned i = 0; i < 2; i++)
        for (size_t at = 0, end = strlen(text);
             (at = source_next_word(text, words[i], at, end)) < end; at++) {
            const host_span said = {text + at + words[i].length,
                                    strcspn(text + at + words[i].length, ";{")};
            const char *equals = memchr(said.text, '=', said.length);
            const char *open = memchr(said.text, '[', said.length);
            if (!open || !host_same(host_declared_name(said), name))
                continue;
            const size_t close = shared_behind(text, (size_t)(open - text));
            const char *from = equals ? equals + 1 : said.text,
                       *to = equals ? open : host_declared_name(said).text;
            if (to <= from || text[close] != ';' || close < (size_t)(open - text) + 2)
                continue;
            *extent = host_trim((host_span){open + 1, close - (size_t)(open - text) - 2});
            *type = host_trim((host_span){from, (size_t)(to - from)});
            return true;
        }
    return false;
}

/* A pointer, or an integer, that the statement declares and sets to the array or a place in it. */
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
        host_span rows = out->of.type;
        if (out->of.name.length > 0 &&
            read_row_type(text, rows, &out->of.type, &out->of.extent[1])) {
            out->of.dims = 2;
            out->row_type = rows;
        }
    }
    out->is_flat = out->of.dims == 1 && (of->of.dims > 1 || of->is_flat);
    out->is_part = is_part(of, use);
    out->of.begin = in->begin;
    out->of.end = end_of_statement(text, use->end);
    out->of.scope_end = shared_block_end(text, out->of.end);
    return out->of.name.length > 0;
}

/* ---- Functions ---- */

/* The parameter that the use is given to, of a function that has a body. */
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
        out->is_flat = out->of.dims == 1 && (of->of.dims > 1 || of->is_flat);
        out->is_part = is_part(of, use);
        return out->of.name.length > 0;
    }
    return false;
}

/* The name of what opens a block: a function's, behind "operator" nothing, else a struct's. */
static bool read_head(const char *text, size_t open, host_span *name, size_t *begin) {
    size_t end = source_before_blanks(text, open);
    *begin = source_behind_last(text, end, ";{}");
    const host_span head = {text + *begin, end - *begin};
    const host_span last = word_before(text, end);
    if (host_is(last, "const") || host_is(last, "noexcept"))
        end = source_before_blanks(text, end - last.length);
    if (host_has_word(head, "operator")) {
        *name = (host_span){text, 0};
        return true;
    }
    if (end > 0 && text[end - 1] == ')') {
        int depth = 0;
        while (end > *begin) {
            depth += (text[end - 1] == ')') - (text[end - 1] == '(');
            if (text[--end] == '(' && depth == 0)
                break;
        }
        *name = word_before(text, end);
        return is_call(text, end) && text[end] == '(';
    }
    *name = last;
    return host_has_word(head, "struct") || host_has_word(head, "class");
}

/* The function whose body holds `at`, or the struct whose operator that is. */
static host_span function_around(const char *text, size_t at, size_t *begin, size_t *end) {
    host_span name = {text, 0};
    int depth = 0;
    for (size_t open = at; open > 0; open--) {
        depth += (text[open - 1] == '}') - (text[open - 1] == '{');
        if (depth >= 0)
            continue;
        depth = 0;
        if (read_head(text, open - 1, &name, begin)) {
            *end = shared_behind(text, open - 1);
            if (name.length > 0)
                break;
        }
    }
    return name;
}

/* The function that returns the array, or a place in it. */
static bool read_return(const char *text, const shared_name *of, const shared_use *use,
                        const context *in, shared_name *out) {
    static const char word[] = "return";
    const unsigned dims = dims_left(of, use);
    const size_t at = source_behind_blanks(text, in->begin);
    *out = (shared_name){.is_flat = of->of.dims > 1 || of->is_flat};
    if (in->open > 0 || strncmp(text + at, word, sizeof word - 1) != 0 ||
        host_is_word(text[at + sizeof word - 1]) || (dims == 0 && !in->is_taken))
        return false;
    out->of = (shared_declaration){.dims = 1, .type = of->of.type, .is_call = true};
    out->of.name = function_around(text, at, &out->of.begin, &out->of.end);
    out->of.scope_end = strlen(text);
    out->is_part = is_part(of, use);
    return out->of.name.length > 0 && dims < 2;
}

bool shared_parameter(host_span parameters, host_span name, unsigned *index) {
    host_span part;
    for (*index = 0; host_part(parameters, *index, &part); ++*index)
        if (host_same(host_declared_name(part), name))
            return true;
    return false;
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

/* Its number, new or not; SHARED_NAMES_MAX: there is no room. */
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
            read_return(text, of, use, &in, &next)) &&
           (!next.is_part || shared_name_steps(text, &next));
}

/* Asks nothing of the elements, or only of the first one. */
static bool is_harmless(const char *text, const shared_use *use, const context *in) {
    const size_t front = source_before_blanks(text, use->begin);
    const host_span called = in->open > 0 ? called_name(text, in->open) : (host_span){text, 0};
    return (front > 0 && text[front - 1] == '*') || host_is(called, "sizeof") ||
           host_is(word_before(text, front - (front > 0 && text[front - 1] == '(')), "sizeof");
}

/* "x = y;" of two names: whichever it is, its elements lie alike. */
static bool is_exchanged(const char *text, const shared_names *all, const shared_use *use) {
    const host_span own = source_word(text, use->begin);
    const size_t next = source_behind_blanks(text, use->end);
    const size_t front = source_before_blanks(text, use->begin);
    const bool is_left = front > 0 && strchr(";{}", text[front - 1]) && is_assignment(text, next);
    const bool is_right = front > 0 && is_assignment(text, front - 1) && text[next] == ';';
    host_span other = is_left ? source_word(text, source_behind_blanks(text, next + 1))
                              : word_before(text, front - is_right);
    const size_t behind = source_behind_blanks(text, (size_t)(other.text - text) + other.length);
    const size_t before = source_before_blanks(text, (size_t)(other.text - text));
    if (use->count > 0 || is_left == is_right || host_same(other, own) ||
        (is_left ? text[behind] != ';' : before == 0 || !strchr(";{}", text[before - 1])))
        return false;
    for (unsigned i = 0; i < all->count; i++)
        if (host_same(all->list[i].of.name, other))
            return true;
    return false;
}

static void follow(const char *text, unsigned from, const shared_use *use, shared_names *out) {
    const shared_name name = out->list[from];
    const context in = context_of(text, use);
    shared_name next;
    if (read_pointer(text, &name, use, &in, &next) || read_return(text, &name, use, &in, &next)) {
        (void)add(out, &next);
    } else if (read_call(text, &name, use, &in, &next)) {
        const unsigned to = add(out, &next);
        if (out->call_count < SHARED_CALLS_MAX)
            out->calls[out->call_count++] = (shared_call){
                from, to, {text + in.open + 1, shared_behind(text, in.open) - in.open - 2}};
    } else if (dims_left(&name, use) > 0 && out->lost == 0 && !name.is_part &&
               !is_harmless(text, use, &in) && !is_exchanged(text, out, use)) {
        out->lost = use->begin;
    }
}

void shared_names_find(const char *text, const shared_declaration *of, shared_names *out) {
    *out = (shared_names){.list = {{.of = *of}}, .count = 1};
    for (unsigned i = 0; i < out->count; i++) {
        const shared_declaration name = out->list[i].of;
        shared_use use;
        for (size_t at = 0; shared_use_next(text, &name, &at, &use);)
            follow(text, i, &use, out);
    }
}
