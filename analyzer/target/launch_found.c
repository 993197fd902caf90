/* SPDX-License-Identifier: MIT */
/* Matches the launches in a text with an instance of a kernel. */
#include "launch_found.h"

#include <stdlib.h>
#include <string.h>

#include "launch_type.h"

kernel_name kernel_name_split(const char *demangled) {
    kernel_name out = {.instance = {"", 0}, .signature = {"", 0}};
    const char *from = strncmp(demangled, "void ", 5) == 0 ? demangled + 5 : demangled, *at;
    const char *begin = from, *end = NULL;
    int depth = 0;
    for (at = from;
         *at != '\0' && !(*at == '(' && depth == 0 && strncmp(at, "(anonymous", 10) != 0); at++) {
        if (depth == 0 && at[0] == ':' && at[1] == ':')
            begin = at + 2, end = NULL;
        if (*at == '<' && depth++ == 0) {
            end = at;
            out.instance.text = at + 1;
        }
        if (*at == '>' && --depth == 0)
            out.instance.length = (size_t)(at - out.instance.text);
    }
    if (!end)
        out.instance.length = 0, end = at;
    const char *close = strrchr(at, ')');
    if (*at == '(' && close)
        out.signature = (host_span){at + 1, (size_t)(close - at - 1)};
    out.base = (host_span){begin, (size_t)(end - begin)};
    return out;
}

host_span host_template_list(host_span name) {
    const char *angle = memchr(name.text, '<', name.length), *end = name.text + name.length;
    while (end > name.text && end[-1] != '>')
        end--;
    return angle && end > angle + 1 ? (host_span){angle + 1, (size_t)(end - angle) - 2}
                                    : (host_span){name.text, 0};
}

host_span host_name_base(host_span name) {
    const char *angle = memchr(name.text, '<', name.length);
    return host_declared_name(angle ? (host_span){name.text, (size_t)(angle - name.text)} : name);
}

/* ---- One argument of a template ---- */

static bool same_but_blanks(host_span a, host_span b) {
    size_t i = 0, k = 0;
    for (;;) {
        while (i < a.length && a.text[i] == ' ')
            i++;
        while (k < b.length && b.text[k] == ' ')
            k++;
        if (i == a.length || k == b.length)
            return i == a.length && k == b.length;
        if (a.text[i++] != b.text[k++])
            return false;
    }
}

/* Reads "32", "32u", "-1", "true", or "(int)32" of older demanglers. */
static bool instance_number(host_span argument, int64_t *out) {
    const char *close = argument.length > 0 && *argument.text == '('
                            ? memchr(argument.text, ')', argument.length)
                            : NULL;
    const char *at = close ? close + 1 : argument.text;
    const host_span rest = {at, argument.length - (size_t)(at - argument.text)};
    *out = host_is(rest, "true");
    if (*out || host_is(rest, "false"))
        return true;
    if (rest.length == 0 || !(isdigit((unsigned char)*at) || *at == '-'))
        return false;
    *out = strtoll(at, NULL, 0);
    return true;
}

typedef enum fit {
    FIT_NOT,
    FIT_OPEN, /* nothing contradicts it */
    FIT_SAME,
} fit;

static fit type_fit(const host_scope *scope, host_span written, host_span meant) {
    smp_element_type a, b;
    host_span alias;
    if (host_alias(scope->text, written, &alias))
        written = alias;
    if (same_but_blanks(written, meant))
        return FIT_SAME;
    if (!smp_element_type_named(written.text, written.length, &a) ||
        !smp_element_type_named(meant.text, meant.length, &b))
        return FIT_OPEN;
    return a.kind == b.kind && a.bytes == b.bytes && a.components == b.components &&
                   a.is_unsigned == b.is_unsigned && a.is_bool == b.is_bool
               ? FIT_SAME
               : FIT_NOT;
}

/* Whether the argument, as written at scope->at, has the instance's value. */
static fit argument_fit(const host_scope *scope, host_span written, host_span meant) {
    host_scope there = *scope;
    int64_t value, wanted;
    if (same_but_blanks(written, meant))
        return FIT_SAME;
    if (!instance_number(meant, &wanted))
        return type_fit(scope, written, meant);
    there.assumed_count = 0;
    there.is_strict = true;
    if (!host_value(&there, written, &value) || there.assumed_count > 0)
        return FIT_OPEN;
    return value == wanted ? FIT_SAME : FIT_NOT;
}

void host_scope_bind(host_scope *scope, host_span names, host_span instance) {
    host_span written, argument, defined;
    int64_t value;
    for (unsigned i = 0; host_part(names, i, &written) && host_part(instance, i, &argument); i++) {
        if (written.length > 2 && *written.text == '(') /* "(N)" of a macro */
            written = host_trim((host_span){written.text + 1, written.length - 2});
        const host_span name = host_declared_name(written);
        if (name.length > 0 && !isdigit((unsigned char)*name.text) &&
            instance_number(argument, &value) && !host_definition(scope, name, &defined))
            host_scope_add(scope, name, value);
    }
}

/* ---- Launches ---- */

static fit launch_fit(const host_scope *scope, host_span written, host_span instance) {
    host_span argument, meant;
    fit all = FIT_SAME;
    for (unsigned i = 0; host_part(instance, i, &meant); i++) {
        if (!host_part(written, i, &argument)) /* deduced or a default */
            return FIT_OPEN;
        const fit one = argument_fit(scope, argument, meant);
        if (one == FIT_NOT)
            return FIT_NOT;
        all = one < all ? one : all;
    }
    return all;
}

/* What a launched variable stands for: "&f<64>" of "auto kernel = &f<64>;". */
static host_span launched_name(const host_scope *scope, host_span name) {
    host_span meant;
    host_kernel kernel;
    const host_span base = host_name_base(name);
    if (host_kernel_find(scope->text, base, &kernel) || !host_definition(scope, base, &meant))
        return name;
    meant.text += *meant.text == '&';
    meant.length = strcspn(meant.text, ";"); /* including commas between its arguments */
    return host_trim(meant);
}

/* Whether the launch is inside "if (a == b)" with two different known numbers. */
static bool is_never_made(const host_scope *there) {
    const char *text = there->text, *at = there->at, *equals, *open;
    host_scope scope = *there;
    int64_t a, b;
    while (at > text && strchr(" \t\n\v{", at[-1]))
        at--;
    if (at == text || at[-1] != ')' || !(open = host_around(text, at - 1, "()", "")) ||
        !host_is(host_word_before(text, host_before_blanks(text, open)), "if"))
        return false;
    const host_span inside = {open + 1, (size_t)(at - open - 2)};
    equals = memchr(inside.text, '=', inside.length);
    if (!equals || equals[1] != '=' || strchr("!<>=", equals[-1]))
        return false;
    const host_span left = {inside.text, (size_t)(equals - inside.text)},
                    right = {equals + 2, inside.length - left.length - 2};
    scope.assumed_count = 0;
    return host_value(&scope, left, &a) && host_value(&scope, right, &b) &&
           scope.assumed_count == 0 && a != b;
}

/* Whether the text has the kernel's name other than in a declaration, call or launch, so that
 * another name may stand for it. */
static bool has_other_name(const char *text, host_span name) {
    for (const char *at = text; *at != '\0'; at++) {
        const char *behind = at + name.length;
        if (!host_is_word_at(text, at, name))
            continue;
        behind += strspn(behind, " \t");
        if (*behind != '(' && strncmp(behind, "<<<", 3) != 0)
            return true;
    }
    return false;
}

unsigned found_launches(const host_scope *scope, const kernel_name *name,
                        found_launch out[FOUND_LAUNCHES_MAX]) {
    host_launch launch;
    fit best = FIT_NOT;
    unsigned count = 0;
    const bool has_other = has_other_name(scope->text, name->base);
    for (const char *at = scope->text; host_launch_next(scope->text, &at, &launch);) {
        if (!has_other && !host_same(host_name_base(launch.name), name->base))
            continue;
        host_scope there = *scope;
        there.at = launch.at;
        launch.name = launched_name(&there, launch.name);
        if (!host_same(host_name_base(launch.name), name->base) || is_never_made(&there))
            continue;
        const fit one = launch_fit(&there, host_template_list(launch.name), name->instance);
        if (one > best)
            count = 0;
        best = one > best ? one : best;
        if (one == best && count < (best == FIT_NOT ? 1 : FOUND_LAUNCHES_MAX))
            out[count++] = (found_launch){launch, best == FIT_NOT};
    }
    return count;
}

/* ---- Launches that are not understood ---- */

/* The name of the innermost call that contains `at`; length 0 if there is none. */
static host_span call_around(const char *text, const char *at) {
    host_span name = {text, 0};
    while (name.length == 0 && (at = host_around(text, at, "()", ";{}")))
        name = host_word_before(text, at);
    return name;
}

bool launcher_of(const char *text, host_span kernel, host_span *out) {
    const char *mark = strchr(text, HOST_OWN), *at = mark ? mark : text;
    for (; *at != '\0'; at++) {
        if (!host_is_word_at(text, at, kernel))
            continue;
        *out = call_around(text, at);
        if (out->length > 0 && strncmp(out->text, "cuda", 4) != 0 && !host_is(*out, "sizeof") &&
            !host_is(*out, "__launch_bounds__"))
            return true;
    }
    return false;
}
