/* SPDX-License-Identifier: MIT */
/*
 * What a .cu file says of its own kernels: the names of their parameters, their launches, and the
 * integers that these depend on. It is read as text, as a person would skim it: what is not found
 * or not understood is the caller's to assume, and an assumption is always named.
 */
#pragma once

#include <ctype.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A part of the text; it lives as long as the text. length 0: nothing. */
typedef struct host_span {
    const char *text;
    size_t length;
} host_span;

/* Stands once in a text that begins with that of headers: behind it is the file's own. */
enum { HOST_OWN = '\f' };

/* A copy of `text` in which comments, strings, form feeds and ends of continued lines (a '\v', for
 * who counts lines) are blank. NULL: out of memory. The caller frees it. */
char *host_text_make(const char *text, size_t length);
/* The same of a file, behind that of the user's headers which it includes, and HOST_OWN. NULL: it
 * cannot be read, or out of memory. The caller frees it. */
char *host_text_read(const char *path);

/* Whether names have such characters. */
static inline bool host_is_word(char c) {
    return isalnum((unsigned char)c) || c == '_';
}

host_span host_trim(host_span span);
bool host_is(host_span span, const char *word);
bool host_same(host_span a, host_span b);
/* Whether `part` stands in it, and whether it does as words of its own: of "at::", whose end is no
 * word, anything may stand behind. */
bool host_contains(host_span in, const char *part);
bool host_has_word(host_span in, const char *word);
/* Part `index` of a list, between commas outside of brackets; false: there is none. */
bool host_part(host_span list, unsigned index, host_span *out);

/* name<<<grid, block, bytes, stream>>>(arguments) */
typedef struct host_launch {
    host_span name;          /* with its template arguments */
    host_span configuration; /* between <<< and >>> */
    host_span arguments;
    const char *at; /* in the text */
} host_launch;

/* The next launch from *at on, which moves behind it. */
bool host_launch_next(const char *text, const char **at, host_launch *out);

typedef struct host_kernel {
    host_span name;
    host_span templates; /* between template < and >; nothing: it is none */
    host_span words;     /* between __global__ and the name: attributes */
    host_span parameters;
    host_span body;
} host_kernel;

/* The next __global__ function that has a body, from *at on, which moves into it. */
bool host_kernel_next(const char *text, const char **at, host_kernel *out);
/* The __global__ function `name`, which has a body. */
bool host_kernel_find(const char *text, host_span name, host_kernel *out);
/* Whether the text defines int main. */
bool host_has_main(const char *text);
/* Whether the name stands in the text, and whether the text defines it as a macro. */
bool host_has_name(const char *text, const char *name);
bool host_is_macro(const char *text, const char *name);
/* What "typedef unsigned char byte;" or "using byte = unsigned char;" says that a name means. */
bool host_alias(const char *text, host_span name, host_span *out);
/* The name that a declaration ends with: "const float *__restrict__ in" is "in". */
host_span host_declared_name(host_span declaration);

/* ---- Values ---- */

enum { HOST_NAMES_MAX = 32, HOST_EXTENT = 1024 /* whole tiles, and more than one */ };

typedef struct host_name {
    char name[48];
    int64_t value;
} host_name;

typedef struct host_scope {
    const char *text;
    const char *at;                  /* definitions before this place come first */
    host_name known[HOST_NAMES_MAX]; /* given: by the user, by a template's arguments */
    unsigned known_count;
    host_name assumed[HOST_NAMES_MAX]; /* found nowhere, so assumed */
    unsigned assumed_count;
    int64_t extent; /* that sizes are assumed to be; 0: HOST_EXTENT */
    bool is_strict; /* only definitions that are in scope at `at` count */
} host_scope;

/* Adds one to a list of HOST_NAMES_MAX, if it has room; a name that is too long has none. */
void host_name_add(host_name *names, unsigned *count, host_span name, int64_t value);
void host_scope_add(host_scope *scope, host_span name, int64_t value);
/* An integer that is assumed for a name, by what such names mean: a size, a count of steps, ... */
int64_t host_assumed_value(const host_scope *scope, host_span name);
/* What the nearest definition in scope of a name says: "f<64>" of "auto kernel = f<64>;". */
bool host_definition(const host_scope *scope, host_span name, host_span *out);
/* The value of an integer expression; false: it has something that is no integer. Names without a
 * definition are assumed. */
bool host_value(host_scope *scope, host_span expression, int64_t *out);
/* The same of "256", "dim3(32, 8)", "{32, 8}", or the name of a dim3. */
bool host_shape(host_scope *scope, host_span expression, uint32_t shape[3]);
