/* SPDX-License-Identifier: MIT */
/* Whether a sentence of why.h is true of an access. */
#pragma once

#include "crowd.h"
#include "sentence_reader.h"

typedef bool (*judge_why_fn)(const crowd *all, const claim_slot slots[]);

/* One judge per row, in the order of smp_why_id, or NULL. */
extern const judge_why_fn judges_of_why[];
