/* SPDX-License-Identifier: MIT */
/*
 * Series: loads of shared memory in straight code, all lanes, through one register that does not
 * change between them. What the first asks for decides what the others ask for: where a warp that
 * asked the same went through all of them before, they only move data, and are counted with the
 * first.
 */
#pragma once

#include "judge.h"
#include "uop.h"

typedef struct emu_warp emu_warp;

/* Which instructions they are, of one program: members[first] to members[first + count - 1]. */
typedef struct emu_chain {
    uint32_t first, count;
} emu_chain;

/* One request of the first member, and what the others then ask for. */
typedef struct emu_link {
    uint64_t count;      /* how often all of them came, but for the first member, counted apart */
    uint64_t written_in; /* the block in which all that they read was known to be written */
    bool is_known;       /* `rows` are filled */
} emu_link;

/* One worker's state of a series. */
typedef struct emu_chain_state {
    uint64_t trusted, learning; /* the stretch of straight code in which it is; 0: none */
    const emu_request *request; /* of the first member */
    emu_link *links; /* by the row of that request, then for each the others' rows; NULL: none */
    uint32_t link, learned;
} emu_chain_state;

/* After decoding: finds them. False: out of memory. */
bool emu_chain_find(emu_program *program);

/* A worker's states; false: out of memory. */
bool emu_chain_make(emu_judge *judge, const emu_program *program);
void emu_chain_free(emu_judge *judge);

/* Instruction `u` of a series has run, by itself. */
void emu_chain_ran(emu_warp *warp, const uop *u);
/* The stretch ends before `u`: what comes from there on was counted, but did not run. */
void emu_chain_cut(emu_judge *judge, const uop *u);
/* Counts go to the tables of the members, of the series of `site` or of all. */
void emu_chain_settle(emu_judge *judge, const emu_site *site);
void emu_chain_settle_all(emu_judge *judge);

/* request_cache.c: moves the data of members from `u` up to `end`, one after the other, whose first
 * one was as before. */
void emu_chain_load(emu_warp *warp, const uop *u, const uop *end, const emu_request *request);

static inline bool emu_chain_is_known(const emu_judge *judge, const uop *u) {
    return u->series_place != 0 && judge->series[u->series - 1].trusted == judge->stretch;
}
