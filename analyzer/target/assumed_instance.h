/* SPDX-License-Identifier: MIT */
/*
 * Templates of which a file has no instance: one that a reader would try first.
 */
#ifndef SMP_ASSUMED_INSTANCE_H
#define SMP_ASSUMED_INSTANCE_H

#include "program_file.h"

/* Where the source has kernels, but only as templates without an instance, *code becomes that of
 * assumed ones, which is noted. Templates beside other kernels are noted, too, and left out. */
void smp_assume_instances(const smp_program_file *file, smp_code **code);

#endif
