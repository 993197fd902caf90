/* SPDX-License-Identifier: MIT */
/*
 * Asks the model and the reference about one access, and reduces an access on which
 * they differ to the smallest that still shows it.
 */
#pragma once

#include "reference.h"

#define AGREEMENT_TEXT_MAX 4096

/* smp_predict, or a broken stand-in with which the tests test themselves. */
typedef smp_status (*agreement_predict)(const smp_arch *arch, const smp_access *access,
                                        smp_counts *out);

/* NULL if `got` says what `want` says, else the name of the first field that differs. */
const char *agreement_difference(const smp_counts *got, const reference_counts *want);

/* Asks both; true if they agree. */
bool agreement_holds(agreement_predict predict, const smp_arch *arch, const smp_access *access);

/* Makes a failing *access as small as it gets: fewer lanes, lower offsets, still failing. */
void agreement_shrink(agreement_predict predict, const smp_arch *arch, smp_access *access);

/* Writes the access as a batch line, with what was predicted and what was expected. */
void agreement_explain(agreement_predict predict, const smp_arch *arch, const smp_access *access,
                       char text[AGREEMENT_TEXT_MAX]);
