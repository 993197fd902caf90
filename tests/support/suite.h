/* SPDX-License-Identifier: MIT */
/*
 * suite.h: the main function that all Check suites share.
 */
#ifndef SUITE_H
#define SUITE_H

#include <check.h>

/* Runs `suite` with Check's environment settings, frees it, and returns main's exit status. */
int suite_run(Suite *suite);

#endif
