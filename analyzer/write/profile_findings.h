/* SPDX-License-Identifier: MIT */
/*
 * What was found in the kernels of a profile, as texts open with it.
 */
#ifndef SMP_PROFILE_FINDINGS_H
#define SMP_PROFILE_FINDINGS_H

#include <stdio.h>

#include "profile.h"
#include "style.h"

/* A heading and each finding with its source line, thread and instruction; nothing where there are
 * none. */
void smp_findings_text(FILE *out, const smp_profile *profile, smp_style style);
/* "2 errors and 1 note found in the kernels". */
void smp_findings_count_text(const smp_profile *profile, char *text, size_t size);
/* "thread (1,0,0) of block (0,0,0) of saxpy, at 0x90: LDG.E R2, [R2]; 28 times; missing: ...; the
 * other access: ..." */
void smp_finding_detail(const smp_profile *profile, const smp_profile_finding *finding, char *text,
                        size_t size);
/* The finding's kernel; NULL: the profile does not hold it. */
const smp_kernel_profile *smp_finding_kernel_of(const smp_profile *profile,
                                                const smp_profile_finding *finding);
/* What the kernel is called: demangled and without parameters, where the profile knows it. */
void smp_finding_kernel(const smp_profile *profile, const smp_profile_finding *finding, char *text,
                        size_t size);

#endif
