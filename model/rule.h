/* SPDX-License-Identifier: MIT */
/* The rows that architectures point to. Internal to the model. */
#pragma once

#include "smp_model.h"

#define SMP_KIB 1024u

extern const smp_shared_rule smp_rule_tesla, smp_rule_fermi, smp_rule_kepler, smp_rule_modern;
extern const smp_clock_floors smp_clock_floors_gh100;

/* A group needs one pass per word and nothing else: no extra passes, no words in pairs. */
static inline bool smp_rule_is_plain(const smp_shared_rule *rule) {
    return rule == &smp_rule_modern;
}

/* smp_bank_pairs_words, where a call would count. */
static inline bool smp_pairs_words(const smp_arch *arch) {
    return arch->banks * arch->bank_bytes < arch->shared_rule->period_bytes;
}

/* Shared memory that a block can have. */
static inline uint32_t smp_block_bytes(const smp_arch *arch) {
    return arch->shared_block_kib * SMP_KIB;
}
