/* SPDX-License-Identifier: MIT */
/*
 * Cases of a check, as its files add them. Internal to gate.
 */
#pragma once

#include "check_files.h"

/* NULL: out of memory. */
smp_case *smp_check_add(smp_check *check, smp_verdict verdict);
/* The rest is SMP_E_MEMORY or SMP_OK. What is wrong with a file; with nothing to check in it. */
smp_status smp_check_add_broken(smp_check *check, const char *file, unsigned line,
                                const smp_arch *arch, const smp_error *error);
smp_status smp_check_add_empty(smp_check *check, const char *file, const char *why);
/* "value <= bound" of one of the command line's bounds; its length. */
size_t smp_check_rule(char rule[40], const char *count, int64_t bound);
/* Three texts as one that lives as long as the check; NULL: out of memory. */
const char *smp_check_keep(smp_check *check, const char *a, const char *b, const char *c);

/* check_source.c: the kernels of a .cu file by the bounds, as `smemprobe FILE` answers them: by
 * their machine code, or from the source where there is no nvcc. `is_named`: not one of a folder's,
 * which need not have the kernel that is named. */
smp_status smp_check_source(smp_check *check, const char *name, bool is_named);
