/* SPDX-License-Identifier: MIT */
/*
 * A long text for a person goes through the pager, as git's does.
 */
#ifndef SMP_PAGER_H
#define SMP_PAGER_H

#include <stdio.h>

#include "smp_model.h"

/* SMEMPROBE_PAGER, else PAGER, else less, where standard output is a terminal: what is written to
 * the stream is shown. NULL: none is there, or none is wanted ("cat" or ""). `first` is what less
 * starts at and what its n goes on to, an expression; NULL: the top. */
FILE *pager_open(const char *first);
/* Waits until it has been read. SMP_E_WRITE where the pager could not be run. */
smp_status pager_close(FILE *pager, smp_error *error);

#endif
