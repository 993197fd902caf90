/* SPDX-License-Identifier: MIT */
/* Profiles a program on the CPU, to find the source to repair. */
#pragma once

#include "smp_model.h"

/* Runs `command` of `count` words and writes its profile to the file `profile`. */
smp_status program_profile_make(const char *const *command, unsigned count, const char *profile,
                                smp_error *error);
