/* SPDX-License-Identifier: MIT */
/*
 * Runs code for the 32 lanes of a warp. A lane with an unknown condition takes both branches as
 * "unsure": it may compute, but not access.
 */
#include <stdio.h>
#include <string.h>

#include "cloned.h"
#include "eval_machine.h"
#include "layout_view.h"

/* ---- Sets of slots ---- */

void ct_slots_add(ct_slot_set *set, unsigned slot) {
    set->bits[slot / 64] |= UINT64_C(1) << (slot % 64);
}

bool ct_slots_meet(const ct_slot_set *a, const ct_slot_set *b) {
    uint64_t both = 0;
    for (size_t i = 0; i < CT_COUNT(a->bits); i++)
        both |= a->bits[i] & b->bits[i];
    return both != 0;
}

void ct_slots_unite(ct_slot_set *set, const ct_slot_set *with) {
    for (size_t i = 0; i < CT_COUNT(set->bits); i++)
        set->bits[i] |= with->bits[i];
}

/* ---- Errors ---- */

void ct_origin_describe(const ct_expr_instruction *in, char *text, size_t size) {
    static const char *const reasons[] = {
        [CT_REASON_NAME] = "the unknown name '%.*s'",
        [CT_REASON_FLOAT] = "floating-point arithmetic",
        [CT_REASON_CALL] = "what '%.*s' returns",
        [CT_REASON_UNSET] = "'%.*s', which has no value yet",
        [CT_REASON_LOCAL] =
            "'%.*s', whose values are not tracked ('emulate' runs the machine code)",
        [CT_REASON_ADDRESS] = "an address as a number",
        [CT_REASON_GIVEN] = "'%.*s', whose value is not given: define %.*s = ...",
    };
    const char *form = reasons[in->op == CT_CODE_UNKNOWN ? in->value : CT_REASON_FLOAT];
    if (in->op == CT_CODE_ACCESS)
        form = in->kind & CT_ACCESS_HAS_DATA
                   ? "what is read from '%.*s' (to set its contents: data %.*s = random:0:255, "
                     "zipf:256 or @FILE)"
                   : "what is read from '%.*s'";
    (void)snprintf(text, size, form, CT_ORIGIN_NAME(in), CT_ORIGIN_NAME(in));
}

/* An unknown value decides `what`. */
static smp_status fail_unknown(const ct_machine *m, const ct_expr_instruction *in, uint32_t origin,
                               const char *what) {
    const ct_expr_instruction *from = &m->code->items[origin];
    char text[200];
    if (ct_origin_is(from, CT_REASON_NAME))
        return ct_machine_fail(m, from, SMP_E_SYNTAX, CT_NAME_UNKNOWN, CT_ORIGIN_NAME(from));
    if (ct_origin_is(from, CT_REASON_GIVEN))
        return ct_machine_fail(m, from, SMP_E_SYNTAX,
                               "the value of '%.*s' is not given: define %.*s = ...",
                               CT_ORIGIN_NAME(from), CT_ORIGIN_NAME(from));
    ct_origin_describe(from, text, sizeof text);
    return ct_machine_fail(m, in, SMP_E_RANGE, "%s depends on %s", what, text);
}

/* ---- Active lanes ---- */

LANES_CLONED static void fill(int64_t *v, int64_t value) {
    FOR_LANES v[l] = value;
}

LANES_CLONED static void add_steps(int64_t *offset, const int64_t *index, int64_t bytes) {
    FOR_LANES offset[l] = (int64_t)((uint64_t)offset[l] + (uint64_t)index[l] * (uint64_t)bytes);
}

LANES_CLONED uint32_t ct_lanes_true(const ct_lanes_value v) {
    uint32_t mask = 0;
    FOR_LANES mask |= (uint32_t)(v[l] != 0) << l;
    return mask;
}

/* Activates the lanes of `from` whose condition at `at` is `wanted` or unknown. */
static void branch(ct_machine *m, ct_active from, unsigned at, bool wanted) {
    uint32_t truth = ct_lanes_true(m->stack[at]), perhaps = m->unknown[at].lanes & from.mask;
    m->active = from;
    m->active.mask &= (wanted ? truth : ~truth) | perhaps;
    m->active.unsure = (from.unsure | perhaps) & m->active.mask;
    if (perhaps != 0)
        m->active.doubt = m->unknown[at].origin;
}

static void set_unknown(ct_unknown *out, uint32_t lanes, uint32_t origin, ct_unknown other) {
    out->origin = lanes != 0 ? origin : other.origin;
    out->lanes = lanes | other.lanes;
}

static void run_join(ct_machine *m, const ct_expr_instruction *in) {
    m->active = m->saved[--m->saved_top];
    unsigned b = --m->top, a = m->top - 1;
    ct_unknown ua = m->unknown[a], ub = m->unknown[b];
    int64_t *va = m->stack[a], *vb = m->stack[b];
    if (in->op == CT_CODE_PICK) {
        unsigned c = --m->top - 1;
        ct_unknown uc = m->unknown[c];
        uint32_t truth = ct_lanes_true(m->stack[c]);
        FOR_LANES m->stack[c][l] = truth >> l & 1 ? va[l] : vb[l];
        ct_lanes_convert(m->stack[c], (ct_kind)in->kind);
        ua.lanes &= truth;
        ub.lanes &= ~truth;
        set_unknown(&m->unknown[c], ua.lanes, ua.origin, ub);
        set_unknown(&m->unknown[c], uc.lanes, uc.origin, m->unknown[c]);
        return;
    }
    uint32_t truth = ct_lanes_true(va);
    bool is_and = in->op == CT_CODE_AND_END;
    FOR_LANES va[l] = is_and ? (va[l] != 0) & (vb[l] != 0) : (va[l] != 0) | (vb[l] != 0);
    ub.lanes &= is_and ? truth : ~truth;
    set_unknown(&m->unknown[a], ua.lanes, ua.origin, ub);
}

/* ---- Addresses ---- */

/* Indices without a bound must still give a sane offset. */
#define FAR_BYTES (INT64_C(1) << 46)

/* Lanes whose index is out of bounds. The common case, none, is tested first. */
LANES_CLONED static uint32_t lanes_outside(const ct_expr_instruction *in, const int64_t *index) {
    uint64_t least = 0, count = (uint64_t)in->limit, any = 0, bad = 0;
    if (count == 0) {
        const int64_t stride = in->value < 0 ? -in->value : in->value;
        least = (uint64_t)(FAR_BYTES / (stride > 0 ? stride : 1)); /* negative indices, too */
        count = 2 * least + 1;
    }
    FOR_LANES any |= (uint64_t)((uint64_t)index[l] + least >= count);
    if (any == 0)
        return 0;
    FOR_LANES bad |= (uint64_t)((uint64_t)index[l] + least >= count) << l;
    return (uint32_t)bad;
}

static smp_status fail_index(const ct_machine *m, const ct_expr_instruction *in,
                             const int64_t *index, unsigned lane) {
    const long long at = (long long)index[lane];
    if (in->kind == CT_U64 && at < 0)
        return ct_machine_fail(m, in, SMP_E_RANGE, "lane %u: index %llu is too large", lane,
                               (unsigned long long)at);
    if (in->limit == 0)
        return ct_machine_fail(m, in, SMP_E_RANGE, "lane %u: index %lld is too far", lane, at);
    return ct_machine_fail(m, in, SMP_E_RANGE, "lane %u: index %lld is out of bounds (0 to %lld)",
                           lane, at, (long long)in->limit - 1);
}

/* The offset of a linear index over all dimensions, the first one fastest. */
static int64_t linear_offset(const smp_mode_table *table, int64_t index) {
    int64_t offset = 0;
    for (unsigned d = 0; d < table->dim_count; d++) {
        const int64_t extent = table->dims[d].extent;
        offset += smp_mode_offset(table, d, index % extent);
        index /= extent;
    }
    return offset;
}

static smp_status run_index(ct_machine *m, const ct_expr_instruction *in) {
    unsigned at = --m->top;
    int64_t *index = m->stack[at], *offset = m->stack[at - 1];
    ct_unknown unknown = m->unknown[at];
    uint32_t sure = m->active.mask & ~m->active.unsure;
    if ((unknown.lanes & sure) != 0)
        return fail_unknown(m, in, unknown.origin, "the index");
    uint32_t bad = lanes_outside(in, index),
             checked = sure & ~m->unknown[at - 1].lanes & ~unknown.lanes;
    if ((bad & checked) != 0)
        return fail_index(m, in, index, (unsigned)__builtin_ctz(bad & checked));
    set_unknown(&m->unknown[at - 1], unknown.lanes, unknown.origin, m->unknown[at - 1]);
    if (in->op == CT_CODE_MODE) {
        FOR_LANES {
            int64_t digit = bad >> l & 1 ? 0 : index[l];
            offset[l] +=
                in->value * (in->slot == SMP_DIMS_MAX ? linear_offset(in->mode, digit)
                                                      : smp_mode_offset(in->mode, in->slot, digit));
        }
        return SMP_OK;
    }
    add_steps(offset, index, in->value);
    return SMP_OK;
}

static void push_unknown(ct_machine *m, uint32_t origin) {
    m->unknown[m->top] = (ct_unknown){SMP_ALL_LANES, origin};
    fill(m->stack[m->top++], 0);
}

/* Replaces an offset by the given data there. */
static smp_status run_read(ct_machine *m, const ct_expr_instruction *in, uint32_t mask) {
    ct_lanes_value value;
    smp_error error;
    fill(value, 0);
    smp_status status =
        m->state->read(m->state->user, in->slot, mask, m->stack[m->top], value, &error);
    if (status != SMP_OK)
        return ct_machine_fail(m, in, status, "%.200s", error.message);
    memcpy(m->stack[m->top], value, sizeof value);
    m->unknown[m->top++] = (ct_unknown){0, 0};
    return SMP_OK;
}

/* Passes an access and its operands to the handler. */
static smp_status run_access(ct_machine *m, const ct_expr_instruction *in) {
    ct_access_form form = (ct_access_form)in->value;
    bool has_rank = in->kind & CT_ACCESS_HAS_RANK;
    bool has_operand = form == CT_TAKES_OPERAND || form == CT_TAKES_SOURCE;
    unsigned operand = m->top - 1, offset = m->top - 1 - has_operand, rank = offset - has_rank;
    uint32_t mask = m->active.mask;
    bool wants = form == CT_TAKES_SOURCE;
    if ((m->active.unsure & mask) != 0)
        return fail_unknown(m, in, m->active.doubt, "whether a thread reaches this");
    if ((m->unknown[offset].lanes & mask) != 0)
        return fail_unknown(m, in, m->unknown[offset].origin, "the address");
    if (wants && (m->unknown[operand].lanes & mask) != 0)
        return fail_unknown(m, in, m->unknown[operand].origin, "the address");
    if (has_rank && (m->unknown[rank].lanes & mask) != 0)
        return fail_unknown(m, in, m->unknown[rank].origin, "the rank");
    smp_status status = SMP_OK;
    const ct_access access = {in->slot, mask, m->stack[offset], wants ? m->stack[operand] : NULL,
                              has_rank ? m->stack[rank] : NULL};
    if (m->state->access && mask != 0)
        status = m->state->access(m->state->user, &access);
    m->state->is_reported = status != SMP_OK;
    if (form == CT_KEEPS_OFFSET)
        return status;
    m->top = rank;
    if (form == CT_READS_VALUE && status == SMP_OK)
        return run_read(m, in, mask);
    if (form != CT_STORES_VALUE)
        push_unknown(m, (uint32_t)(in - m->code->items));
    return status;
}

/* ---- Variables ---- */

static void run_set(ct_machine *m, const ct_expr_instruction *in) {
    int64_t *value = m->stack[m->top - 1], *slot = m->state->slots[in->slot];
    ct_unknown *to = &m->state->unknown[in->slot], *from = &m->unknown[m->top - 1];
    uint32_t mask = m->active.mask, unsure = m->active.unsure & mask;
    if (in->limit != 0)
        ct_lanes_cast(value, (unsigned)in->limit, in->kind == CT_I64);
    if (mask == SMP_ALL_LANES) {
        memcpy(slot, value, sizeof(ct_lanes_value));
    } else {
        FOR_LANES slot[l] = mask >> l & 1 ? value[l] : slot[l];
    }
    uint32_t lanes = (from->lanes & mask) | unsure;
    if (lanes != 0)
        to->origin = (from->lanes & mask) != 0 ? from->origin : m->active.doubt;
    to->lanes = (to->lanes & ~mask) | lanes;
}

static void swap_top(ct_machine *m) {
    ct_lanes_value value;
    ct_unknown unknown = m->unknown[m->top - 1];
    memcpy(value, m->stack[m->top - 1], sizeof value);
    memcpy(m->stack[m->top - 1], m->stack[m->top - 2], sizeof value);
    memcpy(m->stack[m->top - 2], value, sizeof value);
    m->unknown[m->top - 1] = m->unknown[m->top - 2];
    m->unknown[m->top - 2] = unknown;
}

/* ---- The machine ---- */

static void run_merge(ct_machine *m, const ct_expr_instruction *in, uint32_t self) {
    uint32_t origin = self;
    for (unsigned i = 0; i < in->slot; i++) {
        const ct_unknown *unknown = &m->unknown[m->top - 1 - i];
        origin = (unknown->lanes & m->active.mask) != 0 ? unknown->origin : origin;
    }
    m->top -= in->slot;
    push_unknown(m, origin);
}

static smp_status compute(ct_machine *m, const ct_expr_instruction *in) {
    const bool is_unary = in->op <= CT_CODE_LAST_UNARY;
    ct_unknown unknown = m->unknown[m->top - 1];
    if (!is_unary && unknown.lanes == 0)
        unknown = m->unknown[m->top - 2];
    else if (!is_unary)
        unknown.lanes |= m->unknown[m->top - 2].lanes;
    m->checked = m->active.mask & ~m->active.unsure & ~unknown.lanes;
    const smp_status status = is_unary ? ct_machine_unary(m, in) : ct_machine_binary(m, in);
    m->unknown[m->top - 1] = unknown;
    return status;
}

static smp_status step(ct_machine *m, const ct_expr_instruction *in) {
    const uint32_t self = (uint32_t)(in - m->code->items);
    if (in->op > CT_CODE_SLOT && in->op <= CT_CODE_LAST_BINARY)
        return compute(m, in);
    switch (in->op) {
    case CT_CODE_CONST:
        m->unknown[m->top].lanes = 0;
        fill(m->stack[m->top++], in->value);
        break;
    case CT_CODE_SLOT:
        m->unknown[m->top] = m->state->unknown[in->slot];
        memcpy(m->stack[m->top++], m->state->slots[in->slot], sizeof(ct_lanes_value));
        break;
    case CT_CODE_OR_BEGIN:
    case CT_CODE_THEN:
        m->saved[m->saved_top++] = m->active;
        branch(m, m->active, m->top - 1, in->op == CT_CODE_THEN);
        break;
    case CT_CODE_ELSE:
        branch(m, m->saved[m->saved_top - 1], m->top - 2, false);
        break;
    case CT_CODE_INDEX:
    case CT_CODE_MODE:
        return run_index(m, in);
    case CT_CODE_SWIZZLE:
        FOR_LANES m->stack[m->top - 1][l] = smp_swizzle_bytes(in->mode, m->stack[m->top - 1][l]);
        break;
    case CT_CODE_SET:
        run_set(m, in);
        break;
    case CT_CODE_ACCESS:
        return run_access(m, in);
    case CT_CODE_CALL: /* its result is in a variable */
        return m->state->call && m->active.mask != 0
                   ? m->state->call(m->state->user, (uint32_t)in->value, &m->active)
                   : SMP_OK;
    case CT_CODE_UNKNOWN:
        push_unknown(m, self);
        break;
    case CT_CODE_MERGE:
        run_merge(m, in, self);
        break;
    case CT_CODE_SWAP:
        swap_top(m);
        break;
    case CT_CODE_DROP:
        m->top--;
        break;
    default:
        run_join(m, in);
    }
    return SMP_OK;
}

smp_status ct_program_run(const ct_expr_code *code, const ct_program *program,
                          ct_lanes_state *state, ct_lanes_value out, ct_unknown *out_unknown) {
    ct_machine m;
    m.code = code;
    m.state = state;
    m.active = state->active;
    m.top = m.saved_top = 0;
    for (uint32_t i = 0; i < program->count; i++) {
        const ct_expr_instruction *in = &code->items[program->start + i];
        const smp_status status = step(&m, in);
        if (status != SMP_OK)
            return status;
        if (in->op == CT_CODE_CALL)
            i += (uint32_t)in->limit;
    }
    if (out)
        memcpy(out, m.stack[0], sizeof m.stack[0]);
    *out_unknown = m.unknown[0];
    return SMP_OK;
}
