/* SPDX-License-Identifier: MIT */
/*
 * "did you mean".
 */
#ifndef SUGGEST_H
#define SUGGEST_H

#include <stddef.h>

/* The candidate closest to `word`, or NULL if none is close. */
const char *suggest(const char *word, const char *const *candidates, size_t count);

#endif
