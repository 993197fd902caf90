/* SPDX-License-Identifier: MIT */
/*
 * Finds the statements that matter for an access: those around it, those that decide whether it
 * is reached, and those that set the variables these read.
 */
#include "kernel.h"

bool ct_walk_needs(const ct_walk *run, uint32_t index) {
    return run->needed[index / 64] >> (index % 64) & 1;
}

static void need_statement(ct_walk *run, uint32_t index, ct_slot_set *slots) {
    for (; index != 0 && !ct_walk_needs(run, index);
         index = run->kernel->statements[index].parent) {
        const ct_statement *s = &run->kernel->statements[index];
        run->needed[index / 64] |= UINT64_C(1) << (index % 64);
        ct_slots_unite(slots, &s->program.reads);
        ct_slots_unite(slots, &s->step.reads);
    }
}

/* The innermost enclosing statement of a kind, or 0. */
static uint32_t around(const smp_layout *kernel, uint32_t index, ct_statement_kind kind) {
    do {
        index = kernel->statements[index].parent;
    } while (index != 0 && kernel->statements[index].kind != kind);
    return index;
}

bool ct_statement_is_inside(const smp_layout *kernel, uint32_t index, uint32_t outer) {
    while (index != 0 && index != outer)
        index = kernel->statements[index].parent;
    return index == outer;
}

/* True if a jump at `leaves` can prevent `target` from being reached. */
static bool can_precede(const smp_layout *kernel, uint32_t leaves, uint32_t target) {
    bool shares_loop = false;
    for (uint32_t loop = leaves; (loop = around(kernel, loop, CT_DO_LOOP)) != 0;)
        shares_loop |= ct_statement_is_inside(kernel, target, loop);
    return leaves < target || shares_loop;
}

static bool matters(const ct_walk *run, uint32_t index, uint32_t target, const ct_slot_set *slots) {
    const ct_statement *s = &run->kernel->statements[index];
    if (s->kind == CT_DO_BREAK || s->kind == CT_DO_CONTINUE)
        return ct_walk_needs(run, around(run->kernel, index, CT_DO_LOOP));
    uint32_t call = s->kind == CT_DO_RETURN ? around(run->kernel, index, CT_DO_CALL) : 0;
    if (call != 0)
        return ct_walk_needs(run, call);
    if (s->kind == CT_DO_RETURN)
        return can_precede(run->kernel, index, target);
    return ct_slots_meet(&s->program.writes, slots) || ct_slots_meet(&s->step.writes, slots);
}

static void need_all(ct_walk *run, uint32_t target, ct_slot_set *slots) {
    for (bool changes = true; changes;) {
        changes = false;
        for (uint32_t i = 1; i < run->kernel->statement_count; i++) {
            if (ct_walk_needs(run, i) || !matters(run, i, target, slots))
                continue;
            need_statement(run, i, slots);
            changes = true;
        }
    }
}

void ct_walk_need(ct_walk *run, const ct_slot_set *wanted) {
    ct_slot_set slots = *wanted;
    need_all(run, run->kernel->statement_count, &slots);
}

void ct_walk_need_access(ct_walk *run, size_t index) {
    const uint32_t statement = run->kernel->accesses[index].statement;
    ct_slot_set slots = {{0}};
    need_statement(run, statement, &slots);
    need_all(run, statement, &slots);
}
