/* SPDX-License-Identifier: MIT */
/*
 * An annotated source, as it is shown.
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

#endif
