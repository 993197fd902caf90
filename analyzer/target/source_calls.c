/* SPDX-License-Identifier: MIT */
/*
 * Names functions that a kernel calls and whose text is not there, and textures: the source model
 * takes their results for data and cannot count what they access.
 */
#include <stdio.h>

#include "launch_type.h"
#include "source_layout.h"
#include "text_buffer.h"

/* Functions without accesses: CUDA Math API in double precision (an f behind is allowed), groups.
 */
static const char pure[] =
    " static_assert this_thread_block this_grid coalesced_threads"
    " abs acos acosh asin asinh assert atan atan2 atanh cbrt ceil clock clock64 copysign cos cosh "
    "cospi cyl_bessel_i0 cyl_bessel_i1 erf erfc erfcinv erfcx erfinv exp exp10 exp2 expm1 fabs "
    "fdim fdivide floor fma fmax fmin fmod frexp hypot ilogb isfinite isinf isnan j0 j1 jn labs "
    "ldexp lgamma llabs llmax llmin llrint llround log log10 log1p log2 logb lrint lround max min "
    "modf mul24 nan nanosleep nearbyint nextafter norm norm3d norm4d normcdf normcdfinv pow printf "
    "rcbrt remainder remquo rhypot rint rnorm rnorm3d rnorm4d round rsqrt saturate scalbln scalbn "
    "signbit sin sincos sincospi sinh sinpi sqrt tan tanh tgamma trap trunc ullmax ullmin umax "
    "umin umul24 y0 y1 yn hceil hcos hexp hexp10 hexp2 hfloor hlog hlog10 hlog2 hrcp hrint hrsqrt "
    "hsin hsqrt htanh htrunc h2ceil h2cos h2exp h2floor h2log h2rcp h2rsqrt h2sin h2sqrt ";

/* Words that are followed by a parenthesis and are no functions. */
static const char *const keywords[] = {"if",       "for",      "while",   "switch", "return",
                                       "sizeof",   "alignof",  "asm",     "catch",  "decltype",
                                       "noexcept", "typename", "alignas", "int",    "unsigned",
                                       "dim3",     "volatile", "auto",    NULL};

static bool is_pure(host_span name) {
    char word[48], single[48];
    if (name.length == 0 || name.length + 3 > sizeof word)
        return false;
    (void)snprintf(word, sizeof word, " %.*s ", SPAN(name));
    (void)snprintf(single, sizeof single, " %.*s ", (int)name.length - 1, name.text);
    return strstr(pure, word) || (name.text[name.length - 1] == 'f' && strstr(pure, single));
}

static bool begins_like_one(host_span name, const char *const *beginnings) {
    for (; *beginnings; beginnings++)
        if (strncmp(name.text, *beginnings, strlen(*beginnings)) == 0)
            return true;
    return false;
}

/* Whether CUDA itself has it: intrinsics, vectors, atomics, complex numbers. */
static bool is_of_cuda(host_span name) {
    static const char *const beginnings[] = {"__", "make_", "atomic", "cuC", "nv_", NULL};
    smp_element_type ignored;
    return begins_like_one(name, beginnings) || is_pure(name) ||
           smp_element_type_named(name.text, name.length, &ignored);
}

/* tex2D<float>(...), surf2Dwrite(...): may have template arguments, and is never defined here. */
static bool is_texture(host_span name) {
    static const char *const beginnings[] = {
        "tex1D", "tex2D", "tex3D", "texCubemap", "surf1D", "surf2D", "surf3D", "surfCubemap", NULL};
    return begins_like_one(name, beginnings);
}

/* Whether the text defines the name: a function with a body, a macro, or something else with it
 * that is no call. */
static bool is_defined(const char *text, host_span name) {
    char word[64];
    (void)snprintf(word, sizeof word, "%.*s", SPAN(name));
    if (name.length >= sizeof word || host_is_macro(text, word))
        return true;
    for (const char *at = text; (at = strstr(at, word)); at += name.length) {
        const char *open = host_behind_blanks(at + name.length);
        if (!host_is_word_at(text, at, name))
            continue;
        if (*open != '(') /* a type, a variable or a template */
            return true;
        const char *behind = host_behind_blanks(host_behind(open));
        if (*behind == '{' || strncmp(behind, "const", 5) == 0 || strncmp(behind, "->", 2) == 0)
            return true;
    }
    return false;
}

/* Whether the word before `behind` is a call of something whose text is not there. */
static bool is_unseen(const char *text, host_span name, const char *behind) {
    if (is_texture(name))
        return *behind == '(' || *behind == '<';
    return *behind == '(' && !host_is_one_of(name, keywords) && !is_of_cuda(name) &&
           !is_defined(text, name);
}

void source_calls_name(const char *text, const source_kernel *kernel, char *out, size_t size) {
    text_buffer names = text_buffer_over(out, size);
    const char *at = kernel->of.body.text, *end = at + kernel->of.body.length;
    out[0] = '\0';
    while (at < end) {
        const host_span name = host_word(at);
        const char front = at[-1];
        at += name.length > 0 ? name.length : 1;
        if (name.length == 0 || isdigit((unsigned char)*name.text) || front == '.' ||
            front == '>' || front == ':' || !is_unseen(text, name, host_behind_blanks(at)))
            continue;
        char word[64];
        (void)snprintf(word, sizeof word, "%.*s()", SPAN(name));
        if (!strstr(out, word))
            text_join(&names, ", ", "%s", word);
    }
}
