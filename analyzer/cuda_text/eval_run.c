/* SPDX-License-Identifier: MIT */
/*
 * Runs the statements of a kernel for one warp. Lanes that leave by a condition, break or return
 * wait where the paths join again. Only statements that matter for an access run: those around it,
 * those that decide whether it is reached, and those that set the variables these read.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel.h"
#include "random_form.h"
#include "smp_accesses.h"
#include "text_buffer.h"

/* Keeps one evaluation within seconds. */
#define PASSES_MAX (UINT64_C(1) << 24)
#define LOOP_PASSES_MAX (UINT64_C(1) << 20)

enum {
    LONG_PASSES = 1024 /* passes between two calls of goes_on */
};

/* Lanes that have left the innermost loop. */
typedef struct frame {
    uint32_t broken, continued;
    uint32_t loop_unsure, pass_unsure; /* lanes that may have broken; may have continued */
} frame;

/* ---- Statements that matter ---- */

static bool is_needed(const ct_walk *run, uint32_t index) {
    return run->needed[index / 64] >> (index % 64) & 1;
}

static void need_statement(ct_walk *run, uint32_t index, ct_slot_set *slots) {
    for (; index != 0 && !is_needed(run, index); index = run->kernel->statements[index].parent) {
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

static bool is_inside(const smp_layout *kernel, uint32_t index, uint32_t outer) {
    while (index != 0 && index != outer)
        index = kernel->statements[index].parent;
    return index == outer;
}

/* True if a jump at `leaves` can prevent `target` from being reached. */
static bool can_precede(const smp_layout *kernel, uint32_t leaves, uint32_t target) {
    bool shares_loop = false;
    for (uint32_t loop = leaves; (loop = around(kernel, loop, CT_DO_LOOP)) != 0;)
        shares_loop |= is_inside(kernel, target, loop);
    return leaves < target || shares_loop;
}

static bool matters(const ct_walk *run, uint32_t index, uint32_t target, const ct_slot_set *slots) {
    const ct_statement *s = &run->kernel->statements[index];
    if (s->kind == CT_DO_BREAK || s->kind == CT_DO_CONTINUE)
        return is_needed(run, around(run->kernel, index, CT_DO_LOOP));
    if (s->kind == CT_DO_RETURN) {
        const uint32_t call = around(run->kernel, index, CT_DO_CALL);
        return call != 0 ? is_needed(run, call) : can_precede(run->kernel, index, target);
    }
    return ct_slots_meet(&s->program.writes, slots) || ct_slots_meet(&s->step.writes, slots);
}

static void need_all(ct_walk *run, uint32_t target, ct_slot_set *slots) {
    for (bool changes = true; changes;) {
        changes = false;
        for (uint32_t i = 1; i < run->kernel->statement_count; i++)
            if (!is_needed(run, i) && matters(run, i, target, slots)) {
                need_statement(run, i, slots);
                changes = true;
            }
    }
}

void ct_walk_need(ct_walk *run, const ct_slot_set *wanted) {
    ct_slot_set slots = *wanted;
    need_all(run, run->kernel->statement_count, &slots);
}

static void need_access(ct_walk *run, size_t index) {
    const uint32_t statement = run->kernel->accesses[index].statement;
    ct_slot_set slots = {{0}};
    need_statement(run, statement, &slots);
    need_all(run, statement, &slots);
}

/* ---- Data that decide addresses: an element always has the same value in a draw ---- */

void ct_data_clear(ct_data *data) {
    free(data->values);
    free(data->shares);
}

const ct_data *ct_data_find(const smp_layout *kernel, ct_word name) {
    return FIND(one, kernel->data, kernel->data_count, ct_word_is(one->name, name));
}

static uint64_t mix(uint64_t x) {
    return smp_random_next(&(smp_random){x});
}

static uint64_t draw_bits(const ct_data *data, uint32_t draw, uint64_t index) {
    uint64_t seed = (data->seed - SMP_RANDOM_SEED) * CT_DATA_DRAWS + draw;
    for (size_t i = 0; i < data->name.length; i++)
        seed = mix(seed ^ (unsigned char)data->name.text[i]);
    return mix(mix(seed) ^ index);
}

/* The first i whose share exceeds `at`. */
static int64_t find_share(const ct_data *data, double at) {
    size_t low = 0, high = data->count - 1;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (data->shares[middle] > at)
            high = middle;
        else
            low = middle + 1;
    }
    return (int64_t)low;
}

/* Element `index` in draw `draw`; false if the file has too few values. */
static bool value_at(const ct_data *data, uint32_t draw, uint64_t index, int64_t *value) {
    const bool has = data->is_drawn || index < data->count;
    const uint64_t bits = data->is_drawn ? draw_bits(data, draw, index) : 0;
    *value = !has              ? 0
             : !data->is_drawn ? data->values[index]
             : data->shares    ? find_share(data, (double)(bits >> 11) * 0x1p-53)
                               : smp_random_between(bits, data->low, data->high);
    return has;
}

/* Reads from an array whose data are given. */
static smp_status read_given(void *user, unsigned site, uint32_t mask, const ct_lanes_value offset,
                             ct_lanes_value out, smp_error *error) {
    ct_walk *run = user;
    const smp_layout *kernel = run->kernel;
    const smp_array *array = &kernel->arrays[kernel->accesses[site].target.array];
    const ct_data *data = ct_data_find(kernel, (ct_word){array->name, array->length});
    const smp_integer_type type = array->type->integer;
    const int length = (int)(array->length < 40 ? array->length : 40);
    run->has_read = true;
    run->has_drawn |= data->is_drawn;
    for (unsigned l = 0; l < SMP_LANES; l++) {
        const int64_t index = offset[l] / array->type->size;
        if (!(mask >> l & 1))
            continue;
        if (offset[l] < 0 || !value_at(data, run->draw, (uint64_t)index, &out[l]))
            return smp_error_set(error, SMP_E_RANGE, 0,
                                 "lane %u: element %lld of '%.*s' is read, but its data end at %zu",
                                 l, (long long)index, length, array->name, data->count);
        if (ct_integer_cast(out[l], type.bits, type.is_signed) != out[l])
            return smp_error_set(
                error, SMP_E_RANGE, 0,
                "lane %u: element %lld of '%.*s' would be %lld, which does not fit its type", l,
                (long long)index, length, array->name, (long long)out[l]);
    }
    return SMP_OK;
}

/* ---- Where the run is ---- */

static void refresh_place(ct_walk *run, uint32_t mask) {
    unsigned lane = mask != 0 ? (unsigned)__builtin_ctz(mask) : 0;
    for (uint64_t loops = run->place.loops; loops != 0; loops &= loops - 1) {
        unsigned i = (unsigned)__builtin_ctzll(loops);
        const ct_loop *loop = &run->kernel->loops[i];
        if (loop->name.text)
            run->place.values[i] = run->slots[loop->slot][lane];
    }
}

/* Loops without a counter are called "pass N". */
const char *smp_layout_loop_name(const smp_layout *kernel, unsigned loop, size_t *length) {
    static const char unnamed[] = "pass 0pass 1pass 2pass 3pass 4pass 5pass 6pass 7pass 8pass 9";
    const ct_loop *of = &kernel->loops[loop];
    *length = of->name.text ? of->name.length : 6;
    return of->name.text ? of->name.text : unnamed + (size_t)(loop % 10) * 6;
}

size_t smp_request_place_format(const smp_layout *kernel, const smp_request_place *place,
                                char *text, size_t size) {
    text_buffer out = text_buffer_over(text, size);
    text_add(&out, "warp %u", place->warp);
    for (unsigned i = 0; i < kernel->loop_count; i++) {
        size_t length;
        const char *name = smp_layout_loop_name(kernel, i, &length);
        if (place->loops >> i & 1)
            text_add(&out, ", %.*s = %lld", TEXT_CUT(name, length, 40),
                     (long long)place->values[i]);
    }
    return out.length;
}

smp_status ct_walk_fail(ct_walk *run, smp_status status, int position, unsigned line,
                        const char *format, ...) {
    char where[200], message[sizeof run->error->message];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    run->line = line;
    if (status == SMP_E_SYNTAX) /* a property of the text, not of a warp */
        return smp_error_set(run->error, status, position, "%s", message);
    refresh_place(run, run->state.active.mask);
    smp_request_place_format(run->kernel, &run->place, where, sizeof where);
    return smp_error_set(run->error, status, position, "%.150s, in %.90s", message, where);
}

/* ---- Programs ---- */

static smp_status show_access(void *user, const ct_access *access) {
    ct_walk *run = user;
    if (run->index != CT_WALK_ALL && access->site != run->index)
        return SMP_OK;
    refresh_place(run, access->mask);
    return run->visit(run, access);
}

static smp_status run_program(ct_walk *run, const ct_program *program, ct_lanes_value out,
                              ct_unknown *unknown) {
    smp_error inner;
    if (program->count == 0 || run->state.active.mask == 0)
        return SMP_OK;
    run->state.error = &inner;
    run->state.is_reported = false;
    smp_status status = ct_program_run(&run->kernel->code, program, &run->state, out, unknown);
    if (status == SMP_OK || run->state.is_reported)
        return status;
    return ct_walk_fail(run, status, inner.position, run->state.error_line, "%s", inner.message);
}

/* ---- Conditions ---- */

static smp_status run_list(ct_walk *run, uint32_t first, frame *in);

/* Lanes that may have left are unsure everywhere. */
static void set_unsure(ct_walk *run, const frame *in, uint32_t more) {
    run->state.active.unsure =
        (more | run->gone_unsure | in->loop_unsure | in->pass_unsure) & run->state.active.mask;
}

static smp_status run_if(ct_walk *run, const ct_statement *s, frame *in) {
    const smp_layout *kernel = run->kernel;
    const ct_active before = run->state.active;
    ct_lanes_value value;
    ct_unknown unknown;
    smp_status status = run_program(run, &s->program, value, &unknown);
    if (status != SMP_OK)
        return status;
    uint32_t truth = ct_lanes_true(value), perhaps = unknown.lanes & before.mask, left = 0;
    uint32_t ways[2] = {(truth | perhaps) & before.mask, (~truth | perhaps) & before.mask};
    uint32_t block = s->first;
    for (int i = 0; i < 2; i++) {
        run->state.active.mask = ways[i];
        set_unsure(run, in, before.unsure | perhaps);
        if (perhaps != 0)
            run->state.active.doubt = unknown.origin;
        if (block != 0 && is_needed(run, block) && ways[i] != 0)
            status = run_list(run, kernel->statements[block].first, in);
        if (status != SMP_OK)
            return status;
        left |= run->state.active.mask;
        block = block != 0 ? kernel->statements[block].next : 0;
    }
    run->state.active.mask = left;
    set_unsure(run, in, before.unsure);
    return SMP_OK;
}

/* ---- Loops ---- */

/* Keeps the lanes of *live that pass the test. */
static smp_status test(ct_walk *run, const ct_statement *s, uint32_t *live) {
    ct_lanes_value value;
    ct_unknown unknown;
    run->state.active.mask = *live;
    if (s->program.count == 0 || *live == 0)
        return SMP_OK;
    smp_status status = run_program(run, &s->program, value, &unknown);
    if (status == SMP_OK && (unknown.lanes & *live) != 0) {
        const ct_expr_instruction *items = run->kernel->code.items;
        const ct_expr_instruction *first = &items[s->program.start];
        char text[200];
        ct_origin_describe(&items[unknown.origin], text, sizeof text);
        return ct_walk_fail(run, SMP_E_RANGE, first->position, first->line,
                            "the number of iterations depends on %s", text);
    }
    *live &= ct_lanes_true(value);
    return status;
}

/* Runs the body and the step once; *live: lanes that reach the next test. */
static smp_status run_pass(ct_walk *run, const ct_statement *s, frame *inner, uint32_t unsure,
                           uint32_t *live) {
    inner->continued = inner->pass_unsure = 0;
    run->state.active.mask = *live;
    set_unsure(run, inner, unsure);
    smp_status status = run_list(run, s->first, inner);
    inner->pass_unsure = 0;
    run->state.active.mask |= inner->continued;
    *live = run->state.active.mask;
    set_unsure(run, inner, unsure);
    ct_unknown unused;
    if (status == SMP_OK && !(run->is_first_pass && s->is_open))
        status = run_program(run, &s->step, NULL, &unused);
    return status;
}

/* True for an endless loop: no condition, break or return. */
static bool is_closed(const ct_walk *run, const ct_statement *s) {
    const smp_layout *kernel = run->kernel;
    const uint32_t self = (uint32_t)(s - kernel->statements);
    return s->program.count == 0 &&
           !ANY(one, kernel->statements + self, kernel->statement_count - self,
                (one->kind == CT_DO_BREAK || one->kind == CT_DO_RETURN) &&
                    is_inside(kernel, (uint32_t)(one - kernel->statements), self));
}

static smp_status run_loop(ct_walk *run, const ct_statement *s, frame *in) {
    uint32_t entry = run->state.active.mask, live = entry, unsure = run->state.active.unsure;
    const bool is_once = run->is_first_pass && s->is_open, is_endless = is_closed(run, s);
    frame inner = {0};
    smp_status status = SMP_OK;
    run->place.loops |= UINT64_C(1) << s->loop;
    for (uint64_t pass = 0; live != 0; pass++) {
        run->place.values[s->loop] = (int64_t)pass;
        if (!is_once && (!s->tests_last || pass > 0))
            status = test(run, s, &live);
        if (status != SMP_OK || live == 0)
            break;
        if (is_endless || pass >= LOOP_PASSES_MAX || run->passes++ > PASSES_MAX)
            return ct_walk_fail(run, SMP_E_OVERFLOW, 0, run->kernel->loops[s->loop].line,
                                "more than %llu iterations of this loop",
                                (unsigned long long)LOOP_PASSES_MAX);
        if (run->goes_on && run->passes % LONG_PASSES == 0 && !run->goes_on(run->going_user))
            return smp_error_set(run->error, SMP_E_INTERRUPTED, -1, "interrupted");
        status = run_pass(run, s, &inner, unsure, &live);
        if (status != SMP_OK || is_once)
            break;
    }
    if (status != SMP_OK)
        return status;
    run->place.loops &= ~(UINT64_C(1) << s->loop);
    run->state.active.mask = entry & ~run->returned;
    set_unsure(run, in, unsure);
    return SMP_OK;
}

/* ---- Statements ---- */

/* Lanes that surely jump leave; the others stay, unsure up to the jump's target. */
static void jump(ct_walk *run, uint32_t *gone, uint32_t *unsure) {
    uint32_t sure = run->state.active.mask & ~run->state.active.unsure;
    *gone |= sure;
    run->state.active.mask &= ~sure;
    *unsure |= run->state.active.mask;
}

static smp_status run_one(ct_walk *run, const ct_statement *s, frame *in) {
    ct_unknown unused;
    switch ((ct_statement_kind)s->kind) {
    case CT_DO_PROGRAM:
        return run_program(run, &s->program, NULL, &unused);
    case CT_DO_IF:
        return run_if(run, s, in);
    case CT_DO_LOOP:
        return run_loop(run, s, in);
    case CT_DO_BREAK:
        jump(run, &in->broken, &in->loop_unsure);
        return SMP_OK;
    case CT_DO_CONTINUE:
        jump(run, &in->continued, &in->pass_unsure);
        return SMP_OK;
    case CT_DO_RETURN:
        jump(run, &run->returned, &run->gone_unsure);
        return SMP_OK;
    default:
        return run_list(run, s->first, in);
    }
}

static smp_status run_list(ct_walk *run, uint32_t first, frame *in) {
    smp_status status = SMP_OK;
    for (uint32_t i = first; i != 0 && run->state.active.mask != 0 && status == SMP_OK;
         i = run->kernel->statements[i].next)
        if (is_needed(run, i))
            status = run_one(run, &run->kernel->statements[i], in);
    return status;
}

/* Runs a function's body; lanes that return continue after the call. */
static smp_status run_call(void *user, uint32_t statement, const ct_active *active) {
    ct_walk *run = user;
    const ct_lanes_state before = run->state;
    const uint32_t returned = run->returned, gone_unsure = run->gone_unsure;
    frame inner = {0};
    if (!is_needed(run, statement))
        return SMP_OK;
    run->state.active = *active;
    run->returned = run->gone_unsure = 0;
    smp_status status = run_list(run, run->kernel->statements[statement].first, &inner);
    run->state = before;
    run->state.is_reported = status != SMP_OK;
    run->returned = returned;
    run->gone_unsure = gone_unsure;
    return status;
}

/* ---- Warps ---- */

static void set_constants(ct_walk *run) {
    const smp_layout *kernel = run->kernel;
    memset(run->slots, 0, kernel->slot_count * sizeof run->slots[0]);
    for (unsigned l = 0; l < SMP_LANES; l++) {
        for (unsigned i = 0; i < 3; i++) {
            run->slots[CT_SLOT_BLOCK + i][l] = kernel->block_index[i];
            run->slots[CT_SLOT_BLOCK_DIM + i][l] = kernel->block[i];
            run->slots[CT_SLOT_GRID_DIM + i][l] = kernel->grid[i];
        }
        run->slots[CT_SLOT_LANE][l] = l;
    }
}

void ct_walk_init(ct_walk *run, const smp_layout *kernel, size_t index, smp_error *error) {
    memset(run, 0, offsetof(ct_walk, slots));
    run->kernel = kernel;
    run->index = index;
    run->error = error;
    run->threads = kernel->block[0] * kernel->block[1] * kernel->block[2];
    run->state = (ct_lanes_state){.slots = run->slots,
                                  .unknown = run->unknown,
                                  .access = show_access,
                                  .read = read_given,
                                  .call = run_call,
                                  .user = run};
    set_constants(run);
    if (index == CT_WALK_ALL)
        memset(run->needed, 0xff, sizeof run->needed);
    else if (index != CT_WALK_NONE)
        need_access(run, index);
}

uint32_t ct_walk_lanes(const ct_walk *run, uint32_t warp) {
    const uint32_t left = run->threads - warp * SMP_LANES;
    return left >= SMP_LANES ? SMP_ALL_LANES : (UINT32_C(1) << left) - 1;
}

static void set_warp(ct_walk *run, uint32_t warp) {
    const uint32_t *block = run->kernel->block;
    run->warp = run->place.warp = warp;
    for (unsigned l = 0; l < SMP_LANES; l++) {
        const uint32_t thread = warp * SMP_LANES + l;
        run->slots[CT_SLOT_WARP][l] = warp;
        run->slots[CT_SLOT_THREAD][l] = thread % block[0];
        run->slots[CT_SLOT_THREAD + 1][l] = thread / block[0] % block[1];
        run->slots[CT_SLOT_THREAD + 2][l] = thread / block[0] / block[1];
    }
}

smp_status ct_walk_warp(ct_walk *run, uint32_t warp) {
    frame top = {0};
    set_warp(run, warp);
    run->state.active.mask = ct_walk_lanes(run, warp);
    run->state.active.unsure = run->returned = run->gone_unsure = 0;
    run->place.loops = 0;
    run->passes = 0;
    return run_list(run, run->kernel->statements[0].first, &top);
}
