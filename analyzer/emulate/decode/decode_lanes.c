/* SPDX-License-Identifier: MIT */
/* Opcodes that exchange values between lanes, and special registers. */
#include "decode.h"

static const modifier_row shuffles[] = {{SASS_IDX, .imm = 0},
                                        {SASS_UP, .imm = 1},
                                        {SASS_DOWN, .imm = 2},
                                        {SASS_BFLY, .imm = 3},
                                        {SASS_NONE, .is_needed = true}};

static const modifier_row votes[] = {{SASS_ANY, .imm = 0},
                                     {SASS_ALL, .imm = 1},
                                     {SASS_EQ, .imm = 2},
                                     {SASS_NONE, .is_needed = true}};

static const modifier_row reductions[] = {
    {SASS_SUM, .imm = 0}, {SASS_MIN, .imm = 1}, {SASS_MAX, .imm = 2}, {SASS_AND, .imm = 3},
    {SASS_OR, .imm = 4},  {SASS_XOR, .imm = 5}, {SASS_NONE, .imm = 3}};
static const modifier_row float_reductions[] = {{SASS_MIN, .imm2 = 1},
                                                {SASS_MAX, .imm2 = 0},
                                                {SASS_MINABS, .imm2 = 3},
                                                {SASS_MAXABS, .imm2 = 2},
                                                {SASS_NONE, .is_needed = true}};
static const modifier_row nans[] = {{SASS_NAN, .imm = FLOAT_NAN}, NAME(NONE)};
static const modifier_row signs[] = {{SASS_S32, .imm2 = 1}, NAME(NONE)};

static void decode_match(decoder *d) {
    d->u->imm = take(d, SASS_U64);
    want(d, d->u->imm ? "OdB" : "Odb");
}

static void decode_r2ur(decoder *d) {
    const bool joins_it = take(d, SASS_OR), has_predicate = next_is(d, OPERAND_PREDICATE);
    want(d, "O");
    d->u->p = joins_it ? d->u->p_out : PREDICATE_TRUE | PREDICATE_NOT;
    d->is_unknown |= joins_it && !has_predicate;
}

static void decode_elect(decoder *d) {
    want(d, "odP");
    d->is_unknown |= d->u->p != PREDICATE_TRUE;
}

/* Special registers of three axes, numbered consecutively, and those of one word. */
#define IS(special) .imm = SPECIAL_##special
static const modifier_row axes[] = {{SASS_SR_TID, IS(TID_X)},
                                    {SASS_SR_CTAID, IS(CTAID_X)},
                                    {SASS_SR_NTID, IS(NTID_X)},
                                    {SASS_SR_NCTAID, IS(NCTAID_X)},
                                    {.name = SASS_NONE}};
static const modifier_row specials[] = {{SASS_SR_LANEID, IS(LANE)},
                                        {SASS_SR_LTMASK, IS(LT_MASK)},
                                        {SASS_SR_LEMASK, IS(LE_MASK)},
                                        {SASS_SR_GTMASK, IS(GT_MASK)},
                                        {SASS_SR_GEMASK, IS(GE_MASK)},
                                        {SASS_SR_EQMASK, IS(EQ_MASK)},
                                        {SASS_SR_SWINHI, IS(SHARED_HIGH)},
                                        {SASS_SR_CgaCtaId, IS(CLUSTER_RANK)},
                                        {SASS_SRZ, IS(ZERO)},
                                        {SASS_SR_TID, IS(TID)},
                                        {SASS_SR_CLOCKLO, IS(CLOCK)},
                                        {SASS_SR_CLOCKHI, IS(CLOCK_HIGH)},
                                        {SASS_SR_GLOBALTIMERLO, IS(CLOCK)},
                                        {SASS_SR_GLOBALTIMERHI, IS(CLOCK_HIGH)},
                                        {SASS_SR_VIRTUALSMID, IS(ZERO)},
                                        {SASS_SR_VIRTID, IS(WARP)},
                                        {SASS_SR_VIRTCFG, IS(WARPS)},
                                        {SASS_SR_SMEMSZ, IS(SHARED_SIZE)},
                                        {SASS_SR_CgaSize, IS(ZERO)},
                                        {SASS_SR_PM0, IS(ZERO)},
                                        {SASS_SR_PM1, IS(ZERO)},
                                        {SASS_SR_PM2, IS(ZERO)},
                                        {SASS_SR_PM3, IS(ZERO)},
                                        {SASS_SR_PM4, IS(ZERO)},
                                        {SASS_SR_PM5, IS(ZERO)},
                                        {SASS_SR_PM6, IS(ZERO)},
                                        {SASS_SR_PM7, IS(ZERO)},
                                        {SASS_SR_LMEMHIOFF, IS(ZERO)},
                                        {.name = SASS_NONE}};

static void want_special(decoder *d) {
    static const uint16_t letters[] = {SASS_X, SASS_Y, SASS_Z};
    unsigned axis = 0;
    while (axis < 3 && !take_suffix(peek_operand(d), letters[axis]))
        axis++;
    want_name(d, axis < 3 ? axes : specials);
    d->u->imm += axis < 3 ? axis : 0;
}

static void decode_s2r(decoder *d) {
    want(d, "d");
    want_special(d);
}

static void decode_cs2r(decoder *d) {
    want(d, take(d, SASS_32) ? "d" : "D");
    want_special(d);
}

const opcode_row opcodes_lanes[] = {
    {SASS_SHFL, .fn = smp_lanes_shfl, .modifiers = {shuffles}, .operands = "odbnn"},
    {SASS_VOTE, .fn = smp_lanes_vote, .modifiers = {votes}, .operands = "eop"},
    {SASS_VOTEU, .fn = smp_lanes_vote, .is_uniform = true, .modifiers = {votes}, .operands = "eop"},
    {SASS_MATCH, SASS_ALL, .fn = smp_lanes_match_all, .decode = decode_match},
    {SASS_MATCH, SASS_ANY, .fn = smp_lanes_match_any, .decode = decode_match},
    {SASS_REDUX, .fn = smp_lanes_redux, .is_uniform = true, .modifiers = {reductions, signs},
     .operands = "db"},
    {SASS_CREDUX, SASS_F32, .fn = smp_lanes_redux_float, .is_uniform = true,
     .modifiers = {float_reductions, nans}, .operands = "db"},
    {SASS_CREDUX, .fn = smp_lanes_redux, .is_uniform = true, .modifiers = {reductions, signs},
     .operands = "db"},
    {SASS_R2UR, .fn = smp_lanes_r2ur, .is_uniform = true, .decode = decode_r2ur, .operands = "db"},
    {SASS_ELECT, .fn = smp_lanes_elect, .decode = decode_elect},
    {SASS_S2R, .fn = smp_lanes_s2r, .decode = decode_s2r},
    {SASS_S2UR, .fn = smp_lanes_s2r, .is_uniform = true, .decode = decode_s2r},
    {SASS_CS2R, .fn = smp_lanes_s2r, .decode = decode_cs2r},
    {SASS_CS2UR, .fn = smp_lanes_s2r, .is_uniform = true, .decode = decode_cs2r},
    {.opcode = SASS_NONE},
};
