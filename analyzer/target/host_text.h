/* SPDX-License-Identifier: MIT */
/*
 * Reads from a .cu file what it says about its kernels: parameter names, launches, and the
 * integers in them. The file is skimmed as text. Callers make assumptions about the rest, and
 * always name them.
 */
#pragma once

#include <stdint.h>

#include "list.h"
#include "text_buffer.h" /* SPAN */
#include "text_span.h"

typedef text_span host_span;

/* Separates the text of headers from the file's own text, which follows. */
enum { HOST_OWN = '\f' };
/* Begins "\a123 k<<<...>>>(...);", the expansion of a macro that the text calls at byte 123. */
enum { HOST_EXPANDED = '\a' };

/* Returns a copy of `text` with comments, strings and form feeds blanked, and '\v' for the ends of
 * continued lines. NULL if out of memory. The caller frees it. */
char *host_text_make(const char *text, size_t length);
/* The same for a file, preceded by the user's headers that it includes, from its folder or those of
 * -I among the compiler's flags, and HOST_OWN. NULL if it cannot be read or out of memory. The
 * caller frees it. */
char *host_text_read(const char *path, const char *const *flags, uint32_t flag_count);
/* The folder of the next -I among compiler flags, from *at on, which moves behind it; NULL after
 * the last. */
const char *host_search_folder(const char *const *flags, uint32_t count, uint32_t *at);

/* The first place from `at` on that is not blank. */
static inline const char *host_behind_blanks(const char *at) {
    return at + strspn(at, " \t\r\n\v\f");
}

/* The place after the last character before `at` that is not blank. */
static inline const char *host_before_blanks(const char *text, const char *at) {
    while (at > text && isspace((unsigned char)at[-1]))
        at--;
    return at;
}

/* The place after the last of `ends` before `at`: "\n" finds the line, ";{}" the statement. */
static inline const char *host_behind_last(const char *text, const char *at, const char *ends) {
    while (at > text && !strchr(ends, at[-1]))
        at--;
    return at;
}

/* The word that begins at `at`, and the one that ends at `end`; length 0 if there is none. */
static inline host_span host_word(const char *at) {
    host_span out = {at, 0};
    while (text_is_word(out.text[out.length]))
        out.length++;
    return out;
}
static inline host_span host_word_before(const char *text, const char *end) {
    const char *begin = end;
    while (begin > text && text_is_word(begin[-1]))
        begin--;
    return (host_span){begin, (size_t)(end - begin)};
}

/* Whether the text has `word` as a whole word at `at`. */
static inline bool host_is_word_at(const char *text, const char *at, host_span word) {
    return strncmp(at, word.text, word.length) == 0 && !text_is_word(at[word.length]) &&
           (at == text || !text_is_word(at[-1]));
}

host_span host_trim(host_span span);
/* The text between two places, without blanks around it. */
static inline host_span host_between(const char *begin, const char *end) {
    return host_trim((host_span){begin, (size_t)(end - begin)});
}
bool host_is(host_span span, const char *word);
bool host_same(host_span a, host_span b);
/* Whether the span is one of the words, whose list ends with NULL. */
bool host_is_one_of(host_span span, const char *const *words);
enum { HOST_LOWER_BYTES = 48 };
/* Writes the span in lower case, cut off if it is long. */
void host_lower(host_span span, char out[HOST_LOWER_BYTES]);
/* Whether the name has one of these parts, in capitals or not; not as an end of "block". NULL ends
 * `parts`. */
bool host_has_part(host_span name, const char *const *parts);
/* Whether the text contains `part`, and whether it does so as whole words. After "at::", which
 * does not end in a word, anything may follow. */
bool host_contains(host_span in, const char *part);
bool host_has_word(host_span in, const char *word);
/* Part `index` of a list separated by commas outside brackets. False if there is none. */
bool host_part(host_span list, unsigned index, host_span *out);

/* name<<<grid, block, bytes, stream>>>(arguments), or a call of cudaLaunchKernel() and its like. */
typedef struct host_launch {
    host_span name;               /* including template arguments */
    host_span grid, block, bytes; /* empty if not found; `bytes` also if there are none */
    host_span arguments;          /* of a call that takes addresses: "&a, &b"; empty if unknown */
    const char *at;               /* place in the text */
} host_launch;

/* Appends the expansions of macros that launch or define kernels, and blanks their definitions.
 * Takes `text` and returns it or what replaces it, which the caller frees. NULL remains NULL. */
char *host_launches_expand(char *text);
/* The place of the call if `at` is in an expansion; else `at`. */
const char *host_place(const char *text, const char *at);
/* Finds the next launch from *at on and moves *at after it. */
bool host_launch_next(const char *text, const char **at, host_launch *out);
/* Argument `index` without the & of a call that takes addresses. False if unknown. */
bool host_launch_argument(const host_launch *launch, unsigned index, host_span *out);
/* "k<8>" of "(const void *)k<8>", "&k<8>" or "reinterpret_cast<void *>(&k<8>)". */
host_span host_launch_name(host_span of);
/* The beginning of the word or the template-id that ends before `end`. */
const char *host_name_begin(const char *text, const char *end);
/* The text between the bracket at `open` and its closing one; false if it is not closed. */
bool host_inside(const char *open, host_span *out);
/* The place after the bracket that closes the one at `at`; the end of the text if none does. */
const char *host_behind(const char *at);
/* The place of the bracket around `at` of this pair, such as "()", behind the last of `ends`; NULL
 * if there is none. */
const char *host_around(const char *text, const char *at, const char *pair, const char *ends);
/* The text between the < at `open` and its >; false if none closes it in its statement. */
bool host_angle_list(const char *open, host_span *out);
/* The next of `ends` outside brackets from `at` on, or the end of the text. */
const char *host_until(const char *at, const char *ends);
/* What follows the word `name` if the line is that directive, such as "define"; else NULL. */
const char *host_directive(const char *line, const char *name);
/* Finds the next name that a #define defines from *at on and moves *at behind it. */
bool host_define_next(const char **at, host_span *name);
/* Whether the line is `#include "NAME"` or `#include <NAME>`, and the name with its first quote. */
bool host_included(const char *line, host_span *name);

typedef struct host_kernel {
    host_span name;
    host_span templates; /* between template < and >; empty if it is no template */
    host_span words;     /* between __global__ and the name: attributes */
    host_span parameters;
    host_span body;
} host_kernel;

/* The parameters of "template <...>" before the word at `at`; empty if there are none. */
host_span host_templates_before(const char *text, const char *at);
/* Finds the next __global__ function with a body from *at on and moves *at into it. */
bool host_kernel_next(const char *text, const char **at, host_kernel *out);
/* Finds the __global__ function `name` with a body. */
bool host_kernel_find(const char *text, host_span name, host_kernel *out);
/* Whether the text defines int main. */
bool host_has_main(const char *text);
/* Whether the text contains the name, and whether it defines it as a macro. */
bool host_has_name(const char *text, const char *name);
bool host_is_macro(const char *text, const char *name);
/* Resolves a name declared by "typedef unsigned char byte;" or "using byte = unsigned char;". */
bool host_alias(const char *text, host_span name, host_span *out);
/* The name at the end of a declaration: "in" of "const float *__restrict__ in". */
host_span host_declared_name(host_span declaration);

/* ---- Structs ---- */

/* "struct NAME : BASE {BODY}" or "typedef struct NAME {BODY} ALIAS;"; also a class or a union. */
typedef struct host_struct {
    const char *at;              /* its first word, which may be typedef */
    const char *behind;          /* the place after "struct" */
    host_span templates;         /* between template < and >; empty if it is no template */
    host_span name, alias, base; /* each may be empty */
    bool is_union, is_special;   /* is_special: a specialization, NAME<int> */
    bool is_aligned;             /* an alignment precedes the name */
    host_span body;              /* between the braces */
} host_struct;

/* Finds the one with a body of that name, or typedef. */
bool host_struct_find(const char *text, host_span name, host_struct *out);

/* ---- Values ---- */

enum { HOST_NAMES_MAX = 32, HOST_EXTENT = 1024 /* several whole tiles */ };

typedef struct host_name {
    char name[48];
    int64_t value;
} host_name;

typedef struct host_scope {
    const char *text;
    const char *at;                  /* definitions before this place are preferred */
    host_name known[HOST_NAMES_MAX]; /* given by the user or by template arguments */
    unsigned known_count;
    host_name assumed[HOST_NAMES_MAX]; /* not found, so assumed */
    unsigned assumed_count;
    int64_t extent;          /* assumed value of sizes; 0 means HOST_EXTENT */
    bool is_strict;          /* use only definitions in scope at `at` */
    uint8_t nested;          /* shapes being evaluated, one for a member of the other */
    bool was_real, had_rest; /* integer_text's flags after the last expression */
} host_scope;

/* Adds a name to a list of HOST_NAMES_MAX unless it is full or the name is too long. */
void host_name_add(host_name *names, unsigned *count, host_span name, int64_t value);
void host_scope_add(host_scope *scope, host_span name, int64_t value);
/* Assumes an integer for a name by its usual meaning: a size, a number of steps, ... */
int64_t host_assumed_value(const host_scope *scope, host_span name);
/* The nearest definition of a name in scope: "f<64>" for "auto kernel = f<64>;". */
bool host_definition(const host_scope *scope, host_span name, host_span *out);
/* Evaluates an integer expression; names without a definition are assumed. False if it contains
 * something else than integers. */
bool host_value(host_scope *scope, host_span expression, int64_t *out);
/* The same for "256", "dim3(32, 8)", "{32, 8}" or the name of a dim3. */
bool host_shape(host_scope *scope, host_span expression, uint32_t shape[3]);
