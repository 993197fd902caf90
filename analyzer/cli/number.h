/* SPDX-License-Identifier: MIT */
/*
 * Strict decimal numbers and lists of them, as options give them.
 */
#ifndef SMP_NUMBER_H
#define SMP_NUMBER_H

#include <stddef.h>

#include "smp_model.h"

/* Strict decimal numbers and lists of them; the name of the option goes into messages. */
smp_status number_parse(const char *text, const char *option, uint64_t limit, uint64_t *out,
                        smp_error *error);
/* "0:64", "0:64:2", "1,2,4" or "33": the numbers, both ends included. */
smp_status numbers_parse(const char *text, const char *option, uint64_t limit, uint64_t *out,
                         size_t capacity, size_t *count, smp_error *error);
smp_status lanes_parse(const char *text, uint32_t *mask, smp_error *error);

#endif
