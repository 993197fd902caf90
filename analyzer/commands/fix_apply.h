/* SPDX-License-Identifier: MIT */
/*
 * fix --apply: the repaired text in the place of the source, where that can be undone.
 */
#pragma once

#include "repair.h"

/* Before any work: a file that may not be written is refused; without `is_forced` also one that git
 * does not have as it is, or whose tree has other changes. SMP_E_WRITE says which. */
smp_status fix_apply_check(const char *path, bool is_forced, smp_error *error);
/* The file itself, unless it is another one by now. */
smp_status fix_apply(const repair_job *job, const repair *found, smp_error *error);
