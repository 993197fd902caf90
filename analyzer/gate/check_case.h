/* SPDX-License-Identifier: MIT */
/* Cases of a check, as its files add them. Internal to gate. */
#pragma once

#include "check_files.h"

/* NULL if out of memory. */
smp_case *smp_check_add(smp_check *check, smp_verdict verdict);
/* Add a broken file, and a file with nothing to check. SMP_E_MEMORY or SMP_OK. */
smp_status smp_check_add_broken(smp_check *check, const char *file, unsigned line,
                                const smp_arch *arch, const smp_error *error);
smp_status smp_check_add_empty(smp_check *check, const char *file, const char *why);
/* Gives a case the rule "count <= bound" of the command line, written to `rule`, and its message if
 * `value` violates it. */
void smp_check_bound(smp_case *added, char rule[40], const char *count, uint64_t value,
                     int64_t bound);
/* Joins three texts into one that lives as long as the check; NULL if out of memory. */
const char *smp_check_keep(smp_check *check, const char *a, const char *b, const char *c);

/* check_source.c: judges the kernels of a .cu file by the limits, from machine code, or from the
 * source without nvcc. `is_named` is false for a file of a folder, which need not have the kernel
 * of --kernel. */
smp_status smp_check_source(smp_check *check, const char *name, bool is_named);
