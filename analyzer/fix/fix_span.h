/* SPDX-License-Identifier: MIT */
/*
 * A piece of a source text that somebody else owns. Internal to the analyzer.
 */
#ifndef SMP_FIX_SPAN_H
#define SMP_FIX_SPAN_H

#include <stddef.h>

typedef struct fix_span {
    const char *text;
    size_t length;
} fix_span;

#endif
