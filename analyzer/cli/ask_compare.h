/* SPDX-License-Identifier: MIT */
/*
 * Which kernels are compared.
 */
#ifndef ASK_COMPARE_H
#define ASK_COMPARE_H

#include "ask.h"
#include "command.h"
#include "compare.h"

/* The families in `words`, and --size, --type, --cluster, --variants, --arch, --device, --record.
 */
smp_status ask_compare(const arguments *args, const char *const *words, unsigned count,
                       compare_ask *out, smp_error *error);

#endif
