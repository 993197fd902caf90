/* SPDX-License-Identifier: MIT */
/*
 * The part of `predict` that takes accesses as arguments.
 */
#ifndef SMP_CMD_LAYOUT_H
#define SMP_CMD_LAYOUT_H

#include "command.h"

/* Predict with accesses as arguments; returns the exit status. */
int run_layout(const arguments *args);

#endif
