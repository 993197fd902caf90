/* SPDX-License-Identifier: MIT */
/*
 * Chains: loads of shared memory in straight-line code by all lanes, through one register that does
 * not change between them. The request of the first determines the requests of the others. If all
 * of these are inside of what has been written, they only move data and are counted with the first.
 */
#pragma once

#include "judge.h"
#include "uop.h"

typedef struct emu_warp emu_warp;

/* The members of one chain: members[first] to members[first + count - 1]. */
typedef struct emu_chain {
    uint32_t first, count;
    int32_t least, most; /* distances from the first member */
} emu_chain;

/* One worker's state of a chain. */
typedef struct emu_chain_state {
    uint64_t trusted;     /* the stretch of straight-line code in which the others only move data */
    emu_request *request; /* the first member's in it */
} emu_chain_state;

/* Finds the chains of a decoded program. False if out of memory. */
bool emu_chain_find(emu_program *program);

/* Allocates a worker's states; false if out of memory. */
bool emu_chain_make(emu_judge *judge, const emu_program *program);

/* The first instruction of a chain ran. */
void emu_chain_ran(emu_warp *warp, const uop *u);
/* The stretch ended before `u`: takes back what was counted from there on. */
void emu_chain_cut(emu_judge *judge, const uop *u);
static inline const uop *emu_chain_member(const emu_program *program, uint32_t series,
                                          uint32_t place) {
    return &program->uops[program->series_members[program->series[series].first + place]];
}
static inline uint32_t emu_chain_site(const emu_program *program, const uop *u) {
    return program->memory[u->memory].sites + SLOT_SHARED;
}
static inline bool emu_chain_is_known(const emu_judge *judge, const uop *u) {
    return u->series_place != 0 && judge->series[u->series - 1].trusted == judge->stretch;
}
