/* SPDX-License-Identifier: MIT */
/*
 * All charts at once.
 */
#ifndef GALLERY_H
#define GALLERY_H

#include "command.h"
#include "one_chart.h"

/* Every chart, or the kinds among the words, and an index, into the folder that -o names; the other
 * words are recorded files. The exit status. */
int plot_gallery(const arguments *args, const plot_operands *operands);

#endif
