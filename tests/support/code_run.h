/* SPDX-License-Identifier: MIT */
/* C++ that a test has written, compiled by the host's compiler and run. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "smp_fix.h"

/* False if there is no compiler. */
bool code_can_run(void);
/* Makes an empty folder for one test. */
void code_folder_make(char folder[64]);
void code_folder_remove(const char *folder);
/* Opens FOLDER/code.cpp for writing. */
FILE *code_open(const char *folder);
/* Compiles it with `flags` and runs it with the name FOLDER/records. If that fails, prints the
 * first messages to standard error and returns false. */
bool code_run(const char *folder, const char *flags);
/* Opens FOLDER/records for reading. */
FILE *code_records(const char *folder);
/* The output of one of fix's writers, which the caller frees. */
char *code_written(const smp_fix *fix, bool (*write)(FILE *, const smp_fix *));
/* A number from the environment. */
uint64_t code_number(const char *name, uint64_t otherwise);
