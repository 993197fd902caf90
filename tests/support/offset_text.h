/* SPDX-License-Identifier: MIT */
/*
 * offset_text.h: the 32 addresses of a test row, written shortly.
 *
 * A text is up to 32 numbers, one a lane; lanes beyond the text stay 0. "V*N" is N lanes at V,
 * "V+S*N" is N lanes from V on in steps of S. "0+4*32" is a row of floats, "0*16 64*16" two
 * words. "V+S*N|M" starts again at V after every M lanes: "0+4*32|4".
 */
#ifndef OFFSET_TEXT_H
#define OFFSET_TEXT_H

#include "smp_model.h"

/* Fills both lists of *access; returns the number of lanes written, 0 for a bad text. */
unsigned offset_text_read(const char *text, smp_access *access);

#endif
