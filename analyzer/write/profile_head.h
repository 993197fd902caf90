/* SPDX-License-Identifier: MIT */
/*
 * The head of a profile's text.
 */
#ifndef SMP_PROFILE_HEAD_H
#define SMP_PROFILE_HEAD_H

#include "profile_write.h"

void smp_profile_head(FILE *out, const smp_profile_view *view);

#endif
