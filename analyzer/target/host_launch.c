/* SPDX-License-Identifier: MIT */
/*
 * Finds launches in the text of a file: by <<<>>>, by cudaLaunchKernel() and its cooperative form,
 * and by cudaLaunchKernelEx() and -ExC(), whose shape is in a cudaLaunchConfig_t.
 */
#include <stdlib.h>
#include <string.h>

#include "host_text.h"

const char *host_place(const char *text, const char *at) {
    const char *mark = at, *first = strchr(text, HOST_EXPANDED);
    if (!first || at < first)
        return at;
    while (*mark != HOST_EXPANDED)
        mark--;
    return text + strtol(mark + 1, NULL, 10);
}

/* ---- By a function ---- */

/* Positions of a launch function's arguments; if `grid` is 0, the configuration has the shape. */
typedef struct launch_function {
    const char *name;
    unsigned kernel, grid, block, bytes, arguments;
    bool takes_array; /* of addresses of the arguments */
} launch_function;

static const launch_function functions[] = {
    {"cudaLaunchKernel", 0, 1, 2, 4, 3, true},
    {"cudaLaunchCooperativeKernel", 0, 1, 2, 4, 3, true},
    {"cudaLaunchKernelEx", 1, 0, 0, 0, 2, false},
    {"cudaLaunchKernelExC", 1, 0, 0, 0, 2, true},
};

static const launch_function *function_at(const char *at) {
    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++) {
        const size_t length = strlen(functions[i].name);
        if (strncmp(at, functions[i].name, length) == 0 && !text_is_word(at[length]))
            return &functions[i];
    }
    return NULL;
}

host_span host_launch_name(host_span of) {
    host_span inside;
    for (of = host_trim(of); of.length > 0; of = host_trim(of)) {
        const char *end = of.text + of.length;
        if (*of.text == '&') {
            of = (host_span){of.text + 1, of.length - 1};
        } else if (*of.text == '(' && host_inside(of.text, &inside)) {
            const char *behind = inside.text + inside.length + 1;
            of = behind < end ? (host_span){behind, (size_t)(end - behind)} : inside;
        } else if (end[-1] == ')' && memchr(of.text, '(', of.length)) {
            const char *open = memchr(of.text, '(', of.length);
            of = (host_span){open + 1, (size_t)(end - open - 2)};
        } else {
            break;
        }
    }
    return of;
}

/* The last whole word `name` before `end`, or NULL. */
static const char *word_before(const char *text, const char *end, host_span name) {
    for (const char *at = end; at-- > text;)
        if ((size_t)(end - at) >= name.length && host_is_word_at(text, at, name))
            return at;
    return NULL;
}

/* The text in braces after the name at `at` in its definition. */
static bool initializer_at(const char *at, host_span *out) {
    at = host_behind_blanks(at);
    while (*at == '[' && host_inside(at, out))
        at = host_behind_blanks(out->text + out->length + 1);
    if (*at == '=')
        at = host_behind_blanks(at + 1);
    while (text_is_word(*at)) /* "= cudaLaunchConfig_t{" */
        at++;
    at = host_behind_blanks(at);
    return *at == '{' && host_inside(at, out);
}

/* Member `index`, called `name`, of the braces that define a configuration. */
static bool member_of(host_span braces, const char *name, unsigned index, host_span *out) {
    host_span part;
    const size_t length = strlen(name);
    const bool is_designated = host_contains(braces, ".gridDim") ||
                               host_contains(braces, ".blockDim") ||
                               host_contains(braces, ".dynamicSmemBytes");
    if (!is_designated)
        return host_part(braces, index, out);
    for (unsigned i = 0; host_part(braces, i, &part); i++) {
        const char *equals = memchr(part.text, '=', part.length);
        if (part.length > length + 1 && memcmp(part.text + 1, name, length) == 0 && equals) {
            *out = host_between(equals + 1, part.text + part.length);
            return true;
        }
    }
    return false;
}

/* The value of a member of the configuration at the call: the nearest assignment above, or the
 * definition. Empty if there is none. */
static host_span configured(const char *text, const char *call, host_span configuration,
                            const char *name, unsigned index) {
    host_span out = {text, 0}, braces;
    const size_t length = strlen(name);
    const char *at = configuration.length > 0 ? call : NULL;
    while (at && (at = word_before(text, at, configuration))) {
        const char *behind = host_behind_blanks(at + configuration.length);
        const char *member = *behind == '.' ? host_behind_blanks(behind + 1) : NULL;
        if (member && strncmp(member, name, length) == 0 && !text_is_word(member[length])) {
            const char *equals = host_behind_blanks(member + length);
            if (equals[0] == '=' && equals[1] != '=')
                return host_trim((host_span){equals + 1, strcspn(equals + 1, ";")});
        } else if (!member && initializer_at(behind, &braces)) {
            (void)member_of(braces, name, index, &out);
            return out;
        }
    }
    return out;
}

/* The arguments whose addresses the array holds. Empty if its definition is not found. */
static host_span arguments_in(const char *text, const char *call, host_span array) {
    host_span out;
    const char *at = array.length > 0 ? call : NULL;
    while (at && (at = word_before(text, at, array)))
        if (initializer_at(at + array.length, &out))
            return out;
    return (host_span){text, 0};
}

/* Reads the call of a launch function whose name begins at `at`. */
static bool launch_call(const char *text, const char *at, host_launch *out) {
    const launch_function *of = function_at(at);
    host_span all, part;
    if (!of || (at > text && text_is_word(at[-1])))
        return false;
    const char *open = host_behind_blanks(at + strlen(of->name));
    if (*open != '(' || !host_inside(open, &all) || !host_part(all, of->kernel, &part))
        return false;
    *out = (host_launch){.name = host_launch_name(part), .at = host_place(text, at)};
    if (of->grid > 0) {
        (void)host_part(all, of->grid, &out->grid);
        (void)host_part(all, of->block, &out->block);
        (void)host_part(all, of->bytes, &out->bytes);
    } else if (host_part(all, 0, &part)) {
        const host_span configuration = host_launch_name(part);
        out->grid = configured(text, at, configuration, "gridDim", 0);
        out->block = configured(text, at, configuration, "blockDim", 1);
        out->bytes = configured(text, at, configuration, "dynamicSmemBytes", 2);
    }
    if (host_part(all, of->arguments, &part))
        out->arguments = of->takes_array
                             ? arguments_in(text, at, host_trim(part))
                             : (host_span){part.text, (size_t)(all.text + all.length - part.text)};
    return out->name.length > 0;
}

/* ---- By <<<>>> ---- */

/* Reads the launch whose <<< is at `open`. */
static bool launch_at(const char *text, const char *open, host_launch *out) {
    const char *close = strstr(open, ">>>"), *name_end = host_before_blanks(text, open);
    host_span arguments;
    while (name_end > text && name_end[-1] == ')') /* "(k<a, b>)" of a macro */
        name_end--;
    const char *begin = host_name_begin(text, name_end);
    const char *next = close ? host_behind_blanks(close + 3) : "";
    if (begin == name_end || *next != '(' || !host_inside(next, &arguments))
        return false;
    const host_span configuration = {open + 3, (size_t)(close - open - 3)};
    *out = (host_launch){.name = {begin, (size_t)(name_end - begin)},
                         .arguments = arguments,
                         .at = host_place(text, begin)};
    (void)host_part(configuration, 0, &out->grid);
    (void)host_part(configuration, 1, &out->block);
    (void)host_part(configuration, 2, &out->bytes);
    return true;
}

bool host_launch_next(const char *text, const char **at, host_launch *out) {
    for (;;) {
        const char *open = strstr(*at, "<<<"), *call = strstr(*at, "cudaLaunch");
        if (!open && !call)
            return false;
        const bool is_call = call && (!open || call < open);
        *at = is_call ? call + 10 : open + 3;
        if (is_call ? launch_call(text, call, out) : launch_at(text, open, out))
            return true;
    }
}

bool host_launch_argument(const host_launch *launch, unsigned index, host_span *out) {
    if (!host_part(launch->arguments, index, out))
        return false;
    if (out->length > 0 && *out->text == '&')
        *out = host_trim((host_span){out->text + 1, out->length - 1});
    return true;
}
