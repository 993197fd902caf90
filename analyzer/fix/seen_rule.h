/* SPDX-License-Identifier: MIT */
/*
 * seen_rule.h: which requests follow a rule, so that the next run makes them again, and which look
 * as if data decided their addresses.
 */
#ifndef SMP_SEEN_RULE_H
#define SMP_SEEN_RULE_H

#include "fix_seen.h"

/* A request follows a rule if each bit of the lane's number adds the same bytes to the address
 * wherever it is set, or turns the same bits; or if another request is the same but for a shift of
 * all lanes. Where fewer than four do not, nothing is said of them. Sets is_data[i] of the others
 * and *made to how often they were made. SMP_E_MEMORY or SMP_OK. */
smp_status smp_seen_find_data(const smp_seen_request *requests, size_t count, bool *is_data,
                              uint64_t *made);

#endif
