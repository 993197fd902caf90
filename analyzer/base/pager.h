/* SPDX-License-Identifier: MIT */
/*
 * Shows a long text with a pager, as git does.
 */
#pragma once

#include <stdio.h>

#include "smp_model.h"

/* If standard output is a terminal, starts the pager that SMEMPROBE_PAGER or PAGER names, else
 * less; it shows what is written to the stream. NULL: there is no pager, or none is wanted ("cat"
 * or ""). `first`: less begins at this regular expression, and its key n goes to the next match;
 * NULL: at the top. */
FILE *pager_open(const char *first);
/* Waits until the user has closed it. SMP_E_WRITE: the pager could not be run. */
smp_status pager_close(FILE *pager, smp_error *error);
