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

static void decode_vote(decoder *d) {
    d->is_uniform |= d->words.opcode == SASS_VOTEU;
    want(d, next_is(d, OPERAND_PREDICATE) ? "op" : "dop");
}

static void decode_match(decoder *d) {
    d->u->imm = take(d, SASS_U64);
    want(d, d->u->imm ? "OdB" : "Odb");
}

static void decode_redux(decoder *d) {
    static const uint16_t modes[] = {SASS_SUM, SASS_MIN, SASS_MAX, SASS_AND,
                                     SASS_OR,  SASS_XOR, SASS_NONE};
    d->u->imm = take_one(d, modes, 3);
    d->u->imm2 = take(d, SASS_S32);
    d->is_uniform = true;
}

static void decode_r2ur(decoder *d) {
    const bool joins_it = take(d, SASS_OR), has_predicate = next_is(d, OPERAND_PREDICATE);
    want(d, "O");
    d->u->p = joins_it ? d->u->p_out : PREDICATE_TRUE | PREDICATE_NOT;
    d->is_unknown |= joins_it && !has_predicate;
    d->is_uniform = true;
}

static void decode_elect(decoder *d) {
    want(d, "odP");
    d->is_unknown |= d->u->p != PREDICATE_TRUE;
}

/* The special register that a name is. SR_LMEMHIOFF is where a thread's local memory begins. */
static void want_special(decoder *d) {
    static const struct {
        uint16_t name, part; /* sass_name: "SR_TID.X" */
        uint8_t which;
    } rows[] = {{SASS_SR_TID, SASS_X, SPECIAL_TID_X},
                {SASS_SR_TID, SASS_Y, SPECIAL_TID_Y},
                {SASS_SR_TID, SASS_Z, SPECIAL_TID_Z},
                {SASS_SR_CTAID, SASS_X, SPECIAL_CTAID_X},
                {SASS_SR_CTAID, SASS_Y, SPECIAL_CTAID_Y},
                {SASS_SR_CTAID, SASS_Z, SPECIAL_CTAID_Z},
                {SASS_SR_NTID, SASS_X, SPECIAL_NTID_X},
                {SASS_SR_NTID, SASS_Y, SPECIAL_NTID_Y},
                {SASS_SR_NTID, SASS_Z, SPECIAL_NTID_Z},
                {SASS_SR_NCTAID, SASS_X, SPECIAL_NCTAID_X},
                {SASS_SR_NCTAID, SASS_Y, SPECIAL_NCTAID_Y},
                {SASS_SR_NCTAID, SASS_Z, SPECIAL_NCTAID_Z},
                {SASS_SR_LANEID, SASS_NONE, SPECIAL_LANE},
                {SASS_SR_LTMASK, SASS_NONE, SPECIAL_LT_MASK},
                {SASS_SR_LEMASK, SASS_NONE, SPECIAL_LE_MASK},
                {SASS_SR_GTMASK, SASS_NONE, SPECIAL_GT_MASK},
                {SASS_SR_GEMASK, SASS_NONE, SPECIAL_GE_MASK},
                {SASS_SR_EQMASK, SASS_NONE, SPECIAL_EQ_MASK},
                {SASS_SR_SWINHI, SASS_NONE, SPECIAL_SHARED_HIGH},
                {SASS_SR_CgaCtaId, SASS_NONE, SPECIAL_CLUSTER_RANK},
                {SASS_SRZ, SASS_NONE, SPECIAL_ZERO},
                {SASS_SR_LMEMHIOFF, SASS_NONE, SPECIAL_ZERO},
                {SASS_SR_TID, SASS_NONE, SPECIAL_TID},
                {SASS_SR_CLOCKLO, SASS_NONE, SPECIAL_CLOCK},
                {SASS_SR_CLOCKHI, SASS_NONE, SPECIAL_CLOCK_HIGH},
                {SASS_SR_GLOBALTIMERLO, SASS_NONE, SPECIAL_CLOCK},
                {SASS_SR_GLOBALTIMERHI, SASS_NONE, SPECIAL_CLOCK_HIGH},
                {SASS_SR_VIRTUALSMID, SASS_NONE, SPECIAL_ZERO},
                {SASS_SR_VIRTID, SASS_NONE, SPECIAL_WARP},
                {SASS_SR_VIRTCFG, SASS_NONE, SPECIAL_WARPS},
                {SASS_SR_SMEMSZ, SASS_NONE, SPECIAL_SHARED_SIZE},
                {SASS_SR_CgaSize, SASS_NONE, SPECIAL_ZERO},
                {SASS_SR_PM0, SASS_NONE, SPECIAL_ZERO},
                {SASS_SR_PM1, SASS_NONE, SPECIAL_ZERO},
                {SASS_SR_PM2, SASS_NONE, SPECIAL_ZERO},
                {SASS_SR_PM3, SASS_NONE, SPECIAL_ZERO},
                {SASS_SR_PM4, SASS_NONE, SPECIAL_ZERO},
                {SASS_SR_PM5, SASS_NONE, SPECIAL_ZERO},
                {SASS_SR_PM6, SASS_NONE, SPECIAL_ZERO},
                {SASS_SR_PM7, SASS_NONE, SPECIAL_ZERO}};
    const sass_operand *from = next_operand(d);
    const uint16_t part = from->suffix_count == 0 ? SASS_NONE : from->suffix[0];
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
        if (from->kind == OPERAND_NAME && rows[i].name == from->name && rows[i].part == part &&
            from->suffix_count == (part != SASS_NONE)) {
            d->u->imm = rows[i].which;
            return;
        }
    d->is_unknown = true;
}

static void decode_s2r(decoder *d) {
    d->is_uniform |= d->words.opcode == SASS_S2UR;
    want(d, "d");
    want_special(d);
}

static void decode_cs2r(decoder *d) {
    d->is_uniform |= d->words.opcode == SASS_CS2UR;
    want(d, take(d, SASS_32) ? "d" : "D");
    want_special(d);
}

const opcode_row opcodes_lanes[] = {
    {SASS_SHFL, .fn = smp_lanes_shfl, .modifiers = {shuffles}, .operands = "odbnn"},
    {SASS_VOTE, .fn = smp_lanes_vote, .modifiers = {votes}, .decode = decode_vote},
    {SASS_VOTEU, .fn = smp_lanes_vote, .modifiers = {votes}, .decode = decode_vote},
    {SASS_MATCH, SASS_ALL, .fn = smp_lanes_match_all, .decode = decode_match},
    {SASS_MATCH, SASS_ANY, .fn = smp_lanes_match_any, .decode = decode_match},
    {SASS_REDUX, .fn = smp_lanes_redux, .decode = decode_redux, .operands = "db"},
    {SASS_CREDUX, .fn = smp_lanes_redux, .decode = decode_redux, .operands = "db"},
    {SASS_R2UR, .fn = smp_lanes_r2ur, .decode = decode_r2ur, .operands = "db"},
    {SASS_ELECT, .fn = smp_lanes_elect, .decode = decode_elect},
    {SASS_S2R, .fn = smp_lanes_s2r, .decode = decode_s2r},
    {SASS_S2UR, .fn = smp_lanes_s2r, .decode = decode_s2r},
    {SASS_CS2R, .fn = smp_lanes_s2r, .decode = decode_cs2r},
    {SASS_CS2UR, .fn = smp_lanes_s2r, .decode = decode_cs2r},
    {.opcode = SASS_NONE},
};
