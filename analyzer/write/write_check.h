/* SPDX-License-Identifier: MIT */
/*
 * The writers of what a check found.
 */
#ifndef WRITE_CHECK_H
#define WRITE_CHECK_H

#include <stdio.h>

#include "check_files.h"
#include "style.h"

void smp_check_text(FILE *out, const smp_check *check, smp_style style);
void smp_check_json(FILE *out, const smp_check *check, smp_style style);
/* check_remarks.c */
void smp_check_github(FILE *out, const smp_check *check, smp_style style);
void smp_check_sarif(FILE *out, const smp_check *check, smp_style style);
void smp_check_gitlab(FILE *out, const smp_check *check, smp_style style);
void smp_check_gcc(FILE *out, const smp_check *check, smp_style style);
void smp_check_junit(FILE *out, const smp_check *check, smp_style style);

#endif
