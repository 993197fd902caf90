/* SPDX-License-Identifier: MIT */
/*
 * Two profiles side by side, as JSON.
 */
#pragma once

#include <jansson.h>

#include "profile_write.h"

/* run (of the earlier one), before, after, lines. The caller owns it. */
json_t *smp_against_to_json(const smp_profile_view *view);
