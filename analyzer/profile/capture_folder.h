/* SPDX-License-Identifier: MIT */
/*
 * profile --capture DIR: the folder for launches that are kept.
 */
#ifndef SMP_CAPTURE_FOLDER_H
#define SMP_CAPTURE_FOLDER_H

#include "child.h"

/* Makes the folder where it is not there, and sets `name` to its whole path; nothing where `folder`
 * is NULL. SMP_E_WRITE. */
smp_status capture_folder_set(const char *folder, const char *name, child_variables *to,
                              smp_error *error);

#endif
