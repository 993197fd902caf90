/* SPDX-License-Identifier: MIT */
/*
 * Chains: loads of shared memory in straight-line code by all lanes, through one register that does
 * not change between them. The request of the first determines the requests of the others. Where a
 * warp with the same first request went through all of them before, the others only move data and
 * are counted with the first.
 */
#pragma once

#include "judge.h"
#include "uop.h"

typedef struct emu_warp emu_warp;

/* The members of one chain: members[first] to members[first + count - 1]. */
typedef struct emu_chain {
    uint32_t first, count;
} emu_chain;

/* One request of the first member, and the requests of the others that follow from it. */
typedef struct emu_link {
    uint64_t count;      /* how often the others followed; the first member is counted by itself */
    uint64_t written_in; /* the block in which all that they read was found written */
    bool is_known;       /* `rows` is valid */
} emu_link;

/* One worker's state of a chain. */
typedef struct emu_chain_state {
    uint64_t trusted, learning; /* the current stretch of straight-line code, or 0 */
    const emu_request *request; /* the first member's */
    emu_link *links; /* by the row of that request, then the rows of the others, or NULL */
    uint32_t link, learned;
} emu_chain_state;

/* Finds the chains of a decoded program. False if out of memory. */
bool emu_chain_find(emu_program *program);

/* Allocates a worker's states; false if out of memory. */
bool emu_chain_make(emu_judge *judge, const emu_program *program);
void emu_chain_free(emu_judge *judge);

/* Instruction `u` of a chain ran by itself. */
void emu_chain_ran(emu_warp *warp, const uop *u);
/* The stretch ended before `u`: takes back what was counted from there on. */
void emu_chain_cut(emu_judge *judge, const uop *u);
/* Moves the counts into the members' tables, for the chain of `site` or for all. */
void emu_chain_settle(emu_judge *judge, const emu_site *site);
void emu_chain_settle_all(emu_judge *judge);

static inline bool emu_chain_is_known(const emu_judge *judge, const uop *u) {
    return u->series_place != 0 && judge->series[u->series - 1].trusted == judge->stretch;
}
