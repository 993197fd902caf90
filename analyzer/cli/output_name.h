/* SPDX-License-Identifier: MIT */
/*
 * Names of files in which %h, %p and %q{VAR} stand for where they come from.
 */
#ifndef SMP_OUTPUT_NAME_H
#define SMP_OUTPUT_NAME_H

#include "smp_model.h"

/* A name that says where it comes from: %h is the host, %q{VAR} an environment
 * variable, %p `process`, %% a percent sign. SMP_E_USAGE for another letter, a variable that is not
 * set or holds a '/', and a name that gets too long. */
enum { OUTPUT_NAME_MAX = 4096 };
smp_status output_name_expand(const char *pattern, uint64_t process, char out[OUTPUT_NAME_MAX],
                              smp_error *error);
/* True if there is a %p in it. */
bool output_name_has_process(const char *pattern);

#endif
