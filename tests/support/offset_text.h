/* SPDX-License-Identifier: MIT */
/*
 * The 32 addresses of a test row, written shortly.
 *
 * A text is a list of parts separated by blanks, up to 32 lanes together; lanes beyond it stay 0.
 *   V           one lane at V
 *   V*N         N lanes at V
 *   V+S*N       N lanes from V on in steps of S: "0+4*32" is a row of floats
 *   V+S*N/R     each address R times: "0+8*32/2" gives neighbours the same double
 *   V+S*N|M     starts again at V after every M lanes: "0+8*32|2" is 0 8 0 8 ...
 */
#pragma once

#include "smp_model.h"

/* Fills both lists of *access; returns the number of lanes written, 0 for a bad text. */
unsigned offset_text_read(const char *text, smp_access *access);
