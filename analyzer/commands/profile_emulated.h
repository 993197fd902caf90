/* SPDX-License-Identifier: MIT */
/*
 * profile --no-gpu: the program runs with our CUDA runtime in the place of NVIDIA's.
 */
#ifndef SMP_PROFILE_EMULATED_H
#define SMP_PROFILE_EMULATED_H

#include "command.h"
#include "profile_show.h"

/* Runs argv and shows its profile; the exit status. */
int profile_emulated(const arguments *args, const profile_show *how, char *const argv[]);

#endif
