/* SPDX-License-Identifier: MIT */
/*
 * profile --capture DIR: the folder for launches that are kept.
 */
#ifndef SMP_CAPTURE_FOLDER_H
#define SMP_CAPTURE_FOLDER_H

#include "command.h"
#include "scratch_folder.h"

enum { CAPTURE_VARIABLE_BYTES = SCRATCH_PATH_BYTES + 64 };

/* Makes the folder where it is not there and writes "VARIABLE=its whole name"; an empty text
 * without the option. SMP_E_WRITE. */
smp_status capture_folder_ask(const arguments *args, const char *variable,
                              char out[CAPTURE_VARIABLE_BYTES], smp_error *error);

#endif
