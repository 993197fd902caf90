/* SPDX-License-Identifier: MIT */
/*
 * Opcodes by which lanes hear of each other, and special registers.
 */
#include <string.h>

#include "decode.h"
#include "warp.h"

static void decode_shfl(decoder *d) {
    static const char *const modes[] = {"IDX", "UP", "DOWN", "BFLY", NULL};
    unsigned mode = take_one(d, modes, 4);
    d->is_unknown |= mode == 4;
    d->u->imm = mode;
    decode_as_lanes(d, smp_lanes_shfl);
    want_predicate_out(d, &d->u->p_out);
    want_destination(d, 1);
    want_bits(d, &d->u->a, 1);
    want_bits_or_number(d, &d->u->b);
    want_bits_or_number(d, &d->u->c);
}

static void decode_vote(decoder *d) {
    static const char *const modes[] = {"ANY", "ALL", "EQ", NULL};
    unsigned mode = take_one(d, modes, 3);
    d->is_unknown |= mode == 3;
    d->u->imm = mode;
    decode_as_lanes(d, smp_lanes_vote);
    if (!is_predicate(peek_operand(d)))
        want_destination(d, 1);
    want_predicate_out(d, &d->u->p_out);
    want_predicate(d, &d->u->p);
}

static void decode_voteu(decoder *d) {
    d->is_uniform = true;
    decode_vote(d);
}

static void decode_match(decoder *d) {
    bool is_all = take(d, "ALL");
    d->is_unknown |= !is_all && !take(d, "ANY");
    d->u->imm = take(d, "U64");
    decode_as_lanes(d, is_all ? smp_lanes_match_all : smp_lanes_match_any);
    if (is_all)
        want_predicate_out(d, &d->u->p_out);
    want_destination(d, 1);
    want_bits(d, &d->u->a, d->u->imm ? 2 : 1);
}

static void decode_redux(decoder *d) {
    static const char *const modes[] = {"SUM", "MIN", "MAX", "AND", "OR", "XOR", NULL};
    d->u->imm = take_one(d, modes, 3);
    d->u->imm2 = take(d, "S32");
    decode_as_lanes(d, smp_lanes_redux);
    d->is_uniform = true;
    want_destination(d, 1);
    want_bits(d, &d->u->a, 1);
}

static void decode_r2ur(decoder *d) {
    bool joins = take(d, "OR");
    decode_as_lanes(d, smp_lanes_r2ur);
    if (is_predicate(peek_operand(d))) {
        want_predicate_out(d, &d->u->p_out);
        d->u->p = joins ? d->u->p_out : PREDICATE_TRUE | PREDICATE_NOT;
    } else {
        d->is_unknown |= joins;
        d->u->p = PREDICATE_TRUE | PREDICATE_NOT;
    }
    d->is_uniform = true;
    want_destination(d, 1);
    want_bits(d, &d->u->a, 1);
}

static void decode_elect(decoder *d) {
    decode_as_lanes(d, smp_lanes_elect);
    want_predicate_out(d, &d->u->p_out);
    d->is_uniform = strncmp(peek_operand(d), "UR", 2) == 0;
    want_destination(d, 1);
    if (has_operand(d)) {
        want_predicate(d, &d->u->p);
        d->is_unknown |= d->u->p != PREDICATE_TRUE;
    }
    d->is_uniform = false;
}

static bool special_of(const char *name, uint32_t *which) {
    static const struct {
        const char *name;
        uint32_t which;
    } names[] = {
        {"SR_TID.X", SPECIAL_TID_X},
        {"SR_TID.Y", SPECIAL_TID_Y},
        {"SR_TID.Z", SPECIAL_TID_Z},
        {"SR_CTAID.X", SPECIAL_CTAID_X},
        {"SR_CTAID.Y", SPECIAL_CTAID_Y},
        {"SR_CTAID.Z", SPECIAL_CTAID_Z},
        {"SR_NTID.X", SPECIAL_NTID_X},
        {"SR_NTID.Y", SPECIAL_NTID_Y},
        {"SR_NTID.Z", SPECIAL_NTID_Z},
        {"SR_NCTAID.X", SPECIAL_NCTAID_X},
        {"SR_NCTAID.Y", SPECIAL_NCTAID_Y},
        {"SR_NCTAID.Z", SPECIAL_NCTAID_Z},
        {"SR_LANEID", SPECIAL_LANE},
        {"SR_LTMASK", SPECIAL_LT_MASK},
        {"SR_LEMASK", SPECIAL_LE_MASK},
        {"SR_GTMASK", SPECIAL_GT_MASK},
        {"SR_GEMASK", SPECIAL_GE_MASK},
        {"SR_EQMASK", SPECIAL_EQ_MASK},
        {"SR_SWINHI", SPECIAL_SHARED_HIGH},
        {"SR_CgaCtaId", SPECIAL_CLUSTER_RANK},
        {"SRZ", SPECIAL_ZERO},
        {"SR_LMEMHIOFF", SPECIAL_ZERO}, /* where a thread's local memory begins */
        {"SR_TID", SPECIAL_TID},
        {"SR_CLOCKLO", SPECIAL_CLOCK},
        {"SR_CLOCKHI", SPECIAL_CLOCK_HIGH},
        {"SR_GLOBALTIMERLO", SPECIAL_CLOCK},
        {"SR_GLOBALTIMERHI", SPECIAL_CLOCK_HIGH},
        {"SR_VIRTUALSMID", SPECIAL_ZERO},
        {"SR_VIRTID", SPECIAL_WARP},
        {"SR_VIRTCFG", SPECIAL_WARPS},
        {"SR_SMEMSZ", SPECIAL_SHARED_SIZE},
        {"SR_CgaSize", SPECIAL_ZERO},
        {"SR_PM0", SPECIAL_ZERO},
        {"SR_PM1", SPECIAL_ZERO},
        {"SR_PM2", SPECIAL_ZERO},
        {"SR_PM3", SPECIAL_ZERO},
        {"SR_PM4", SPECIAL_ZERO},
        {"SR_PM5", SPECIAL_ZERO},
        {"SR_PM6", SPECIAL_ZERO},
        {"SR_PM7", SPECIAL_ZERO},
    };
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
        if (strcmp(names[i].name, name) == 0) {
            *which = names[i].which;
            return true;
        }
    return false;
}

static void decode_s2r(decoder *d) {
    decode_as_lanes(d, smp_lanes_s2r);
    want_destination(d, 1);
    d->is_unknown |= !special_of(next_operand(d), &d->u->imm);
}

static void decode_s2ur(decoder *d) {
    d->is_uniform = true;
    decode_s2r(d);
}

static void decode_cs2r(decoder *d) {
    bool is_one = take(d, "32");
    decode_as_lanes(d, smp_lanes_s2r);
    want_destination(d, is_one ? 1 : 2);
    d->is_unknown |= !special_of(next_operand(d), &d->u->imm);
}

static void decode_cs2ur(decoder *d) {
    d->is_uniform = true;
    decode_cs2r(d);
}

const opcode_row opcodes_lanes[] = {
    {"SHFL", decode_shfl},
    {"VOTE", decode_vote},
    {"VOTEU", decode_voteu},
    {"MATCH", decode_match},
    {"REDUX", decode_redux},
    {"CREDUX", decode_redux},
    {"R2UR", decode_r2ur},
    {"ELECT", decode_elect},
    {"S2R", decode_s2r},
    {"S2UR", decode_s2ur},
    {"CS2R", decode_cs2r},
    {"CS2UR", decode_cs2ur},
    {NULL, NULL},
};
