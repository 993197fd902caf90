/* SPDX-License-Identifier: MIT */
/*
 * Templates of which a file has no instance: one that a reader would try first.
 */
#pragma once

#include "program_file.h"

/* `file`: what is compiled for the source at `path`. Where that has kernels, but only as templates
 * without an instance, *code becomes that of assumed ones, which is noted. Templates beside other
 * kernels are noted, too, and left out. */
void smp_assume_instances(const char *path, const smp_program_file *file, bool always,
                          smp_code **code);
