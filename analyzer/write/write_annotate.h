/* SPDX-License-Identifier: MIT */
/*
 * The writers of an annotated source.
 */
#ifndef WRITE_ANNOTATE_H
#define WRITE_ANNOTATE_H

#include "profile_annotate.h"
#include "profile_write.h"

typedef struct smp_annotate_view {
    const smp_annotation *annotation;
    const smp_profile_view *profile; /* the profile's worst lines, with repairs */
    uint32_t first, last;            /* lines shown; first 0: all */
} smp_annotate_view;

void smp_annotate_text(FILE *out, const smp_annotate_view *view, smp_style style);
void smp_annotate_md(FILE *out, const smp_annotate_view *view, smp_style style);

#endif
