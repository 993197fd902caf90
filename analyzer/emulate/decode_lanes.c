/* SPDX-License-Identifier: MIT */
/*
 * Opcodes by which lanes hear of each other, and special registers.
 */
#include "decode.h"
#include "warp.h"

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

/* "SR_TID.X": its axes have numbers one after the other. */
static void want_special(decoder *d) {
    static const struct {
        uint16_t name; /* sass_name */
        bool has_axes;
        uint8_t which;
    } rows[] = {
        {SASS_SR_TID, true, SPECIAL_TID_X},
        {SASS_SR_CTAID, true, SPECIAL_CTAID_X},
        {SASS_SR_NTID, true, SPECIAL_NTID_X},
        {SASS_SR_NCTAID, true, SPECIAL_NCTAID_X},
        {SASS_SR_LANEID, false, SPECIAL_LANE},
        {SASS_SR_LTMASK, false, SPECIAL_LT_MASK},
        {SASS_SR_LEMASK, false, SPECIAL_LE_MASK},
        {SASS_SR_GTMASK, false, SPECIAL_GT_MASK},
        {SASS_SR_GEMASK, false, SPECIAL_GE_MASK},
        {SASS_SR_EQMASK, false, SPECIAL_EQ_MASK},
        {SASS_SR_SWINHI, false, SPECIAL_SHARED_HIGH},
        {SASS_SR_CgaCtaId, false, SPECIAL_CLUSTER_RANK},
        {SASS_SRZ, false, SPECIAL_ZERO},
        {SASS_SR_TID, false, SPECIAL_TID},
        {SASS_SR_CLOCKLO, false, SPECIAL_CLOCK},
        {SASS_SR_CLOCKHI, false, SPECIAL_CLOCK_HIGH},
        {SASS_SR_GLOBALTIMERLO, false, SPECIAL_CLOCK},
        {SASS_SR_GLOBALTIMERHI, false, SPECIAL_CLOCK_HIGH},
        {SASS_SR_VIRTUALSMID, false, SPECIAL_ZERO},
        {SASS_SR_VIRTID, false, SPECIAL_WARP},
        {SASS_SR_VIRTCFG, false, SPECIAL_WARPS},
        {SASS_SR_SMEMSZ, false, SPECIAL_SHARED_SIZE},
        {SASS_SR_CgaSize, false, SPECIAL_ZERO},
        {SASS_SR_PM0, false, SPECIAL_ZERO},
        {SASS_SR_PM1, false, SPECIAL_ZERO},
        {SASS_SR_PM2, false, SPECIAL_ZERO},
        {SASS_SR_PM3, false, SPECIAL_ZERO},
        {SASS_SR_PM4, false, SPECIAL_ZERO},
        {SASS_SR_PM5, false, SPECIAL_ZERO},
        {SASS_SR_PM6, false, SPECIAL_ZERO},
        {SASS_SR_PM7, false, SPECIAL_ZERO},
        {SASS_SR_LMEMHIOFF, false, SPECIAL_ZERO}}; /* where a thread's local memory begins */
    sass_operand *from = next_operand(d);
    const unsigned axis = take_suffix(from, SASS_X)   ? 1
                          : take_suffix(from, SASS_Y) ? 2
                          : take_suffix(from, SASS_Z) ? 3
                                                      : 0;
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
        if (is_name(from, rows[i].name) && rows[i].has_axes == (axis > 0)) {
            d->u->imm = rows[i].which + (axis > 0 ? axis - 1 : 0);
            return;
        }
    d->is_unknown = true;
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
