/* SPDX-License-Identifier: MIT */
/*
 * fix_worth.h: what a fix is worth, by a profile with times.
 */
#ifndef SMP_FIX_WORTH_H
#define SMP_FIX_WORTH_H

#include "command.h"
#include "smp_fix.h"
#include "smp_layout.h"
#include "write_fix.h"

/* Of the kernel of --profile that was timed: the one that --kernel names (a regular expression), or
 * the only one. Fails where there is none or several, where the profile is of another architecture
 * than the fix's one, and where the accesses conflict more than the kernel does. */
smp_status fix_worth_find(const arguments *args, const smp_fix *fix, fix_worth *out,
                          smp_error *error);

#endif
