/* SPDX-License-Identifier: MIT */
/*
 * profile --no-gpu, from its options to its exit status.
 */
#ifndef SMP_PROFILE_NO_GPU_H
#define SMP_PROFILE_NO_GPU_H

#include "profile_show.h"

/* Runs argv and shows its profile; the exit status. */
int profile_no_gpu(const arguments *args, const profile_show *how, char *const argv[]);

#endif
