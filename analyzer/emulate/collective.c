/* SPDX-License-Identifier: MIT */
/*
 * Warp-wide operations (votes, matches, shuffles, reductions, __syncwarp): how the lanes of one
 * member mask come together, whatever branches they took and whatever masks other lanes use.
 *
 * The instructions SHFL, VOTE, MATCH and REDUX have no mask: they involve the lanes that execute
 * them together. ptxas surrounds them with code that brings exactly the lanes of one mask together:
 *
 *   REDUX.OR UR4, R0          the union of the masks in R0
 *   R2UR P0, URZ, R0          true where a lane's mask differs from the first lane's
 *   @!P0 BRA.DIV UR4, slow    the warp branches to `slow` unless the lanes whose guard is true
 *                             equal UR4: masks differ, or a lane of a mask is elsewhere
 *   BRA.CONV UR4, fast        the opposite: branches to `fast` if they are equal (shuffles accept
 *                             masks that differ; P0 is true where a mask has a lane of another)
 *   WARPSYNC R0               a lane waits until all lanes of its mask are at a WARPSYNC, here or
 *                             elsewhere, with the same mask; then they continue together, with any
 *                             others that are ready
 *   WARPSYNC.EXCLUSIVE R0     the same, but the lanes of one mask continue alone, until BSYNC
 *   WARPSYNC.COLLECTIVE R0, next
 *                             the same, but lanes come from different places: all run the code
 *                             after one of them, up to ENDCOLLECTIVE, which uses the same
 *                             registers everywhere; then each continues at its own `next`
 *   WARPSYNC.ALL              the same, with all lanes as the mask
 *
 * Exited lanes are in no mask. CUDA C++ Programming Guide, Warp Vote Functions and the sections
 * after it: all lanes in a mask call the same function with the same mask. An H200 computed the
 * same results (tests/data/sass/collectives.txt, tests/tools/random_collectives.py --gpu).
 */
#include "lanes.h"
#include "race.h"

bool emu_is_converged(const emu_warp *warp, const emu_group *group, const uint32_t *masks,
                      uint32_t lanes) {
    return (masks[__builtin_ctz(group->mask)] & warp->alive) == lanes;
}

/* Returns the first lane's mask; *with is the subset of `lanes` that have the same one. */
static uint32_t mask_of_first(const emu_warp *warp, const uint32_t *masks, uint32_t lanes,
                              uint32_t *with) {
    *with = LANES_ALIKE(l, lanes, masks[l] & warp->alive);
    return masks[__builtin_ctz(lanes)] & warp->alive;
}

/* Parts of a group; the first takes the group's place. */
typedef struct parts {
    emu_warp *warp;
    emu_group *next; /* NULL: at the end of the list */
} parts;

static void add_part(parts *p, emu_group part, uint32_t lanes) {
    if (lanes == 0)
        return;
    part.mask = lanes;
    if (p->next)
        *p->next = part;
    else
        p->warp->groups[p->warp->group_count++] = part;
    p->next = NULL;
}

static uint32_t union_of(const uint32_t *masks, uint32_t lanes) {
    uint32_t all = 0;
    for (unsigned l = 0; l < SMP_LANES; l++)
        all |= masks[l] & (0u - (lanes >> l & 1));
    return all;
}

/* Makes lanes of `exec` wait for the lanes of their masks. Lanes that need not wait continue: with
 * their own mask only if `is_alone`, else with all other ready lanes. */
static void wait_by_mask(emu_warp *warp, emu_group *group, const uint32_t *masks, uint32_t exec,
                         emu_group waiting, bool is_alone) {
    if (!is_alone && (union_of(masks, exec) & warp->alive & ~group->mask) == 0) {
        group->pc++; /* all lanes are here */
        return;
    }
    uint32_t together = group->mask & ~exec, with;
    parts p = {warp, group};
    waiting.pc = group->pc;
    const emu_group going = {.pc = group->pc + 1, .state = GROUP_READY};
    for (uint32_t rest = exec; rest != 0; rest &= ~with) {
        waiting.lanes_awaited = mask_of_first(warp, masks, rest, &with);
        if ((waiting.lanes_awaited & ~with) != 0)
            add_part(&p, waiting, with);
        else if (is_alone)
            add_part(&p, going, with);
        else
            together |= with;
    }
    add_part(&p, going, together);
}

void emu_bsync(emu_warp *warp, const uop *u, emu_group *group, uint32_t exec) {
    const emu_group waiting = {.state = GROUP_BSYNC, .reg = (uint8_t)u->imm};
    wait_by_mask(warp, group, warp->barriers[u->imm], exec, waiting, false);
}

/* Orders those of `lanes` that need not wait with all lanes of their mask. */
static void join_by_mask(emu_warp *warp, const emu_group *group, const uint32_t *masks,
                         uint32_t lanes) {
    for (uint32_t with; lanes != 0; lanes &= ~with) {
        const uint32_t awaited = mask_of_first(warp, masks, lanes, &with);
        if ((awaited & ~group->mask) == 0)
            emu_race_join_lanes(warp, awaited);
    }
}

void emu_warpsync(emu_warp *warp, const uop *u, emu_group *group, const uint32_t *masks,
                  uint32_t exec) {
    const emu_group waiting = {.state = GROUP_WARPSYNC, .reg = (uint8_t)u->imm};
    for (uint32_t l = exec; u->imm == WARPSYNC_COLLECTIVE && l != 0; l &= l - 1)
        warp->collective_next[__builtin_ctz(l)] = u->target;
    if (warp->block->worker->race && u->imm == WARPSYNC_PLAIN)
        join_by_mask(warp, group, masks, exec);
    wait_by_mask(warp, group, masks, exec, waiting, u->imm != WARPSYNC_PLAIN);
}
