/* SPDX-License-Identifier: MIT */
/* The tag stage of L1. Internal to model/. */
#pragma once

#include "smp_model.h"

/* Which of the four tag banks of L1 each lane's line of 128 bytes maps to. */
typedef struct smp_tags {
    uint64_t line[SMP_LANES];
    uint8_t bank[SMP_LANES];
} smp_tags;

#define SMP_TAGS_NOTE                                                                              \
    "the lanes' addresses are more than 32 GiB apart: how L1 hashes the address bits above 34 is " \
    "not known"

/* Fills both arrays for `lanes`; false if the hash is unknown for them. */
bool smp_tags_fill(const uint64_t addresses[SMP_LANES], uint32_t lanes, smp_tags *out);
/* For rules that were measured inside L1: smp_access_check, then SMP_E_NOT_MODELLED if the chip's
 * L1 was not measured, or if the rule is for other accesses (`is_covered` false). */
smp_status smp_l1_check(const smp_arch *arch, const smp_access *access, bool is_covered);
/* The same, then smp_tags_fill for the active lanes; SMP_E_NOT_MODELLED also if the hash is not
 * known.
 */
smp_status smp_tags_of(const smp_arch *arch, const smp_access *access, bool is_covered,
                       smp_tags *out);
/* The lanes that one wavefront of the tag stage takes: each bank takes the line of its lowest
 * waiting lane, and all lanes on these lines go along. */
uint32_t smp_tags_take(const smp_tags *tags, uint32_t waiting);
