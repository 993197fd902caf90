/* SPDX-License-Identifier: MIT */
/*
 * Two profiles side by side, as JSON.
 */
#ifndef PROFILE_AGAINST_JSON_H
#define PROFILE_AGAINST_JSON_H

#include <jansson.h>

#include "profile_write.h"

/* run (of the earlier one), before, after, lines. The caller owns it. */
json_t *smp_against_to_json(const smp_profile_view *view);

#endif
