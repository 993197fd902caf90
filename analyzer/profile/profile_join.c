/* SPDX-License-Identifier: MIT */
/*
 * Joins figures by program counter with instructions, lines and arrays by name.
 *
 * Some figures need the machine instruction: atomics cost by lanes, by words or twice, and only the
 * instruction tells which. Without it they are not modelled.
 */
#define _POSIX_C_SOURCE 200809L /* strdup */
#include "profile_join.h"
#include "profile_time.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "disassembly.h"
#include "launch_kinds.h"
#include "memory_opcode.h"
#include "wait_loop.h"

typedef struct join {
    const smp_instrument_dump *dump;
    smp_profile *out;
    smp_code **codes; /* by module; NULL if none */
    bool *wanted;     /* by function */
    smp_op *ops;      /* by site; NULL if not wanted */
    smp_error *without;
    smp_error *error;
} join;

/* Copies a text, or returns NULL for NULL; sets *ok to false if out of memory. */
static char *copy_text(const char *text, bool *ok) {
    char *copy = text ? malloc(strlen(text) + 1) : NULL;
    *ok = *ok && (!text || copy);
    return copy ? strcpy(copy, text) : NULL;
}

bool smp_site_take_instruction(smp_profile_site *site, const smp_instruction *instruction) {
    bool ok = true;
    site->offset_bytes = instruction->offset_bytes;
    site->opcode = copy_text(instruction->opcode, &ok);
    site->operands = copy_text(instruction->operands, &ok);
    for (uint32_t i = 0; ok && i < instruction->frame_count; i++) {
        smp_frame *frame = smp_site_add_frame(site);
        if (!frame)
            return false;
        frame->file = copy_text(instruction->frames[i].file, &ok);
        frame->line = instruction->frames[i].line;
    }
    return ok;
}

bool smp_kernel_take_code(smp_kernel_profile *kernel, const smp_function *code) {
    bool ok = true;
    kernel->code_hash = code->code_hash;
    kernel->demangled = copy_text(code->demangled, &ok);
    kernel->barriers = copy_text(smp_function_barrier(code), &ok);
    for (uint32_t i = 0; ok && i < code->array_count; i++) {
        smp_shared_array *array = smp_kernel_add_array(kernel);
        if (!array)
            return false;
        array->name = copy_text(code->arrays[i].name, &ok);
        array->type = copy_text(code->arrays[i].type, &ok);
        array->offset_bytes = code->arrays[i].offset_bytes;
        array->size_bytes = code->arrays[i].size_bytes;
    }
    return ok;
}

/* ---- Code ---- */

/* True for kernels that were observed, timed, or left out by the time limit, and for functions with
 * counts. */
static void find_wanted(const join *in) {
    const smp_instrument_dump *dump = in->dump;
    for (size_t i = 0; i < dump->function_count; i++) {
        const smp_instrument_function *function = &dump->functions[i];
        in->wanted[i] =
            function->is_kernel && (function->state.launches > 0 || function->state.timed > 0 ||
                                    (dump->has_unseen && function->state.launches_skipped > 0));
    }
    for (size_t i = 0; i < dump->site_count; i++) {
        if (dump->sites[i].function >= 0)
            in->wanted[dump->sites[i].function] = true;
    }
}

/* Fills the job for one module; free job->names. False if out of memory. */
static bool make_job(const join *in, size_t module, smp_disassembly_job *job) {
    const smp_instrument_dump *dump = in->dump;
    const char **names = calloc(dump->function_count + 1, sizeof *names);
    *job = (smp_disassembly_job){.code = in->codes[module], .names = names};
    for (size_t i = 0; names && i < dump->function_count; i++) {
        const smp_instrument_function *function = &dump->functions[i];
        const bool was_seen = !function->is_kernel || function->state.launches > 0;
        if (function->module == (int32_t)module && in->wanted[i] && was_seen)
            names[job->count++] = function->name;
    }
    return names;
}

static smp_status disassemble(const join *in) {
    smp_disassembly_job *jobs = calloc(in->dump->module_count + 1, sizeof *jobs);
    size_t count = 0;
    bool ok = jobs;
    for (size_t i = 0; ok && i < in->dump->module_count; i++)
        count += in->codes[i] && (ok = make_job(in, i, &jobs[count]));
    if (ok)
        smp_codes_disassemble(jobs, count);
    for (size_t i = 0; i < count; i++) {
        if (ok && jobs[i].status != SMP_OK)
            *in->without = jobs[i].error;
        free((void *)(uintptr_t)jobs[i].names);
    }
    free(jobs);
    return ok ? SMP_OK : smp_error_memory(in->error);
}

static bool is_needed(const join *in, size_t module) {
    for (size_t i = 0; i < in->dump->function_count; i++) {
        if (in->wanted[i] && in->dump->functions[i].module == (int32_t)module)
            return true;
    }
    return false;
}

static smp_status open_codes(const join *in) {
    for (size_t i = 0; i < in->dump->module_count; i++) {
        const smp_instrument_module *module = &in->dump->modules[i];
        smp_error error;
        if (!module->cubin || !is_needed(in, i) ||
            smp_code_open(module->cubin, module->cubin_bytes, &in->codes[i], &error) == SMP_OK)
            continue;
        in->codes[i] = NULL;
        *in->without = error;
    }
    return disassemble(in);
}

static const smp_function *function_of(const join *in, const smp_instrument_function *function) {
    if (function->module < 0 || !in->codes[function->module])
        return NULL;
    return smp_code_find(in->codes[function->module], function->name);
}

static const smp_instruction *instruction_at(const smp_function *code, uint32_t offset_bytes) {
    const uint32_t index = offset_bytes / 16;
    return code && code->instructions && index < code->instruction_count &&
                   code->instructions[index].offset_bytes == offset_bytes
               ? &code->instructions[index]
               : NULL;
}

/* ---- Sites ---- */

static const smp_space spaces[SMP_INSTRUMENT_KIND_COUNT] = {
    [SMP_INSTRUMENT_SHARED] = SMP_SPACE_SHARED, [SMP_INSTRUMENT_GLOBAL] = SMP_SPACE_GLOBAL,
    [SMP_INSTRUMENT_LOCAL] = SMP_SPACE_GLOBAL,  [SMP_INSTRUMENT_CLUSTER] = SMP_SPACE_CLUSTER,
    [SMP_INSTRUMENT_MATRIX] = SMP_SPACE_SHARED, [SMP_INSTRUMENT_COPY] = SMP_SPACE_COPY,
    [SMP_INSTRUMENT_OTHER] = SMP_SPACE_GLOBAL,
};

/* Without the instruction: the operation by flags and space, if these suffice. */
static smp_op op_by_flags(const smp_instrument_site *site) {
    const unsigned way = site->flags & (SMP_INSTRUMENT_READ | SMP_INSTRUMENT_WRITE);
    const bool reads = way == SMP_INSTRUMENT_READ, writes = way == SMP_INSTRUMENT_WRITE;
    switch (site->kind) {
    case SMP_INSTRUMENT_SHARED:
        return reads ? SMP_LD_SHARED : writes ? SMP_ST_SHARED : SMP_OP_COUNT;
    case SMP_INSTRUMENT_GLOBAL:
    case SMP_INSTRUMENT_LOCAL:
        return reads ? SMP_LD_GLOBAL : writes ? SMP_ST_GLOBAL : SMP_RED_GLOBAL;
    case SMP_INSTRUMENT_CLUSTER:
        return reads ? SMP_LD_CLUSTER : writes ? SMP_ST_CLUSTER : SMP_ATOM_CLUSTER;
    case SMP_INSTRUMENT_COPY:
        return SMP_CP_ASYNC;
    default:
        return SMP_OP_COUNT;
    }
}

static smp_op op_of(const smp_instrument_site *site, const smp_instruction *instruction) {
    const smp_op op =
        instruction ? smp_opcode_op(instruction->opcode, spaces[site->kind]) : op_by_flags(site);
    return site->kind == SMP_INSTRUMENT_OTHER ? SMP_OP_COUNT : op;
}

static bool by_lanes(smp_op op) {
    return op == SMP_ATOM_SHARED || op == SMP_ATOM_SHARED_CAS || op == SMP_RED_SHARED;
}

static bool is_fill(const smp_instrument_site *site) {
    return site->kind == SMP_INSTRUMENT_OTHER && site->other_id == SMP_INSTRUMENT_FILL;
}

static const char *why_not(const smp_instrument_site *site, const smp_instruction *instruction,
                           smp_op op, const smp_arch *arch) {
    const char *why =
        instruction ? smp_opcode_not_modelled(instruction->opcode, instruction->operands) : NULL;
    if (why)
        return why;
    if (is_fill(site))
        return "a copy that only writes zeros: no rule";
    if (site->kind == SMP_INSTRUMENT_OTHER)
        return "asynchronous or bulk access: no rule";
    if (op == SMP_OP_COUNT)
        return instruction ? "no rule for this instruction"
                           : "an atomic: without its machine instruction its rule is not known";
    if (!arch)
        return "an architecture without a row";
    if (instruction && smp_opcode_is_async(instruction->opcode) && !arch->bulk_source)
        return "a store or reduction that arrives at a barrier: measured on 9.0 alone";
    if (op == SMP_CP_ASYNC_CA)
        return "a copy of 16 bytes through L1: only emulated ones have figures";
    if (smp_op_bypasses_l1(op, site->width_bytes) && !instruction)
        return "a copy of 16 bytes: without its machine instruction its rule is not known";
    if (smp_op_evidence(arch, op, site->width_bytes) == SMP_OPEN && !by_lanes(op))
        return smp_ops(NULL)[op].note ? smp_ops(NULL)[op].note : "no rule is known";
    return site->not_judged > 0 ? "some of its requests have no rule" : NULL;
}

/* The patch knows the sectors of 16-byte copies, by a rule of this architecture. */
static bool passes_l1(const smp_instrument_site *site, smp_op op, const smp_arch *arch) {
    return smp_op_bypasses_l1(op, site->width_bytes) && site->not_judged == 0 && arch &&
           arch->l1_source;
}

/* Offsets relative to the lowest lane's address may be negative: shifts them so that none is,
 * keeping their places in sectors and lines. */
static void move_up(smp_profile_request *request) {
    int64_t least = 0;
    for (unsigned lane = 0; lane < SMP_LANES; lane++) {
        const int64_t offset = (int64_t)request->offset_bytes[lane];
        least = (request->mask >> lane & 1) && offset < least ? offset : least;
    }
    const uint64_t up = ((uint64_t)-least + 255) & ~UINT64_C(255);
    for (unsigned lane = 0; lane < SMP_LANES; lane++)
        request->offset_bytes[lane] += request->mask >> lane & 1 ? up : 0;
}

/* One request's figures, as its operation counts them. */
static void take_request(const smp_instrument_request *from, smp_op op, smp_space space,
                         smp_profile_request *out) {
    const unsigned passes = op == SMP_ATOM_SHARED_CAS ? 2 : 1;
    const bool lanes = by_lanes(op);
    out->mask = from->mask;
    out->count = from->count;
    if (smp_space_has_banks(space)) {
        out->wavefronts = passes * (lanes ? from->wavefronts_lanes : from->wavefronts);
        out->ideal = passes * (lanes ? from->ideal_lanes : from->ideal);
    }
    if (space != SMP_SPACE_SHARED) {
        out->sectors = from->sectors;
        out->ideal_sectors = from->ideal_sectors;
    }
    memcpy(out->offset_bytes, from->offset_bytes, sizeof out->offset_bytes);
    move_up(out);
}

static void take_sums(const smp_instrument_site *from, smp_profile_site *out) {
    const unsigned passes = out->op == SMP_ATOM_SHARED_CAS ? 2 : 1;
    const bool lanes = by_lanes(out->op);
    if (smp_space_has_banks(out->space)) {
        out->wavefronts = passes * (lanes ? from->wavefronts_lanes : from->wavefronts);
        out->ideal = passes * (lanes ? from->ideal_lanes : from->ideal);
        out->ways = lanes ? from->ways_lanes : from->ways;
    }
    if (out->space != SMP_SPACE_SHARED) {
        out->sectors = from->sectors;
        out->ideal_sectors = from->ideal_sectors;
    }
}

static smp_status take_requests(const join *in, const smp_instrument_site *from,
                                smp_profile_site *out) {
    const smp_instrument_request *worst = by_lanes(out->op) ? &from->worst_lanes : &from->worst;
    smp_status status = SMP_OK;
    if (worst->mask != 0) {
        take_request(worst, out->op, out->space, &out->worst);
        out->worst.count = 1;
    }
    for (uint32_t i = 0; status == SMP_OK && i < from->request_count; i++) {
        smp_profile_request request = {0};
        take_request(&in->dump->requests[from->first_request + i], out->op, out->space, &request);
        status = smp_site_add_distinct(out, &request);
    }
    out->requests_lost += from->requests_lost;
    return status == SMP_OK ? SMP_OK : smp_error_memory(in->error);
}

static smp_status add_site(const join *in, const smp_instrument_site *from,
                           const smp_function *code, smp_kernel_profile *kernel) {
    const smp_instruction *instruction = instruction_at(code, from->offset_bytes);
    smp_profile_site *site = smp_kernel_add_site(kernel);
    bool ok = site;
    if (!ok)
        return smp_error_memory(in->error);
    site->offset_bytes = from->offset_bytes;
    site->space = is_fill(from) ? SMP_SPACE_COPY : spaces[from->kind];
    site->is_local = from->kind == SMP_INSTRUMENT_LOCAL;
    site->op = op_of(from, instruction);
    site->width_bytes = from->width_bytes;
    site->requests = from->requests;
    site->lanes = from->lanes;
    if (instruction)
        ok = smp_site_take_instruction(site, instruction) && ok;
    if (ok && from->kind == SMP_INSTRUMENT_OTHER && !is_fill(from) &&
        smp_site_set_fixed(site, kernel->arch))
        return SMP_OK;
    site->not_modelled = copy_text(why_not(from, instruction, site->op, kernel->arch), &ok);
    if (!ok)
        return smp_error_memory(in->error);
    if (site->not_modelled && !passes_l1(from, site->op, kernel->arch))
        return SMP_OK;
    if (in->ops && !site->is_local && !site->not_modelled)
        in->ops[from - in->dump->sites] = site->op;
    take_sums(from, site);
    return take_requests(in, from, site);
}

static bool has_site(const smp_kernel_profile *kernel, uint32_t count, uint32_t offset_bytes) {
    return ANY(one, kernel->sites, count, one->offset_bytes == offset_bytes);
}

static smp_status add_named(const join *in, const smp_instruction *instruction, const char *why,
                            bool is_local, smp_kernel_profile *kernel) {
    bool ok = true;
    smp_profile_site *site = smp_kernel_add_site(kernel);
    if (!site)
        return smp_error_memory(in->error);
    if (is_local) {
        site->op = SMP_OP_COUNT;
        site->space = SMP_SPACE_GLOBAL;
        site->is_local = true;
    }
    site->not_modelled = copy_text(why, &ok);
    return smp_site_take_instruction(site, instruction) && ok ? SMP_OK
                                                              : smp_error_memory(in->error);
}

/* The API leaves out registers spilled to local memory, which looks like code that did not run:
 * named once per kernel. */
static smp_status add_unseen_local(const join *in, const smp_function *code, uint32_t seen,
                                   smp_kernel_profile *kernel) {
    const smp_instruction *first = NULL;
    uint32_t count = 0;
    char text[120];
    for (uint32_t i = 0; in->dump->has_local && i < code->instruction_count; i++) {
        const smp_instruction *instruction = &code->instructions[i];
        const bool is_local = strncmp(instruction->opcode, "LDL", 3) == 0 ||
                              strncmp(instruction->opcode, "STL", 3) == 0;
        if (!is_local || has_site(kernel, seen, instruction->offset_bytes))
            continue;
        first = first ? first : instruction;
        count++;
    }
    (void)snprintf(text, sizeof text,
                   "%u instruction%s of local memory that no patch saw: spilled registers, or code "
                   "that did not run",
                   (unsigned)count, count == 1 ? "" : "s");
    return first ? add_named(in, first, text, true, kernel) : SMP_OK;
}

/* True for instructions that access memory but have no patch. */
static smp_status add_unseen(const join *in, const smp_function *code, smp_kernel_profile *kernel) {
    const uint32_t seen = kernel->site_count;
    smp_status status = SMP_OK;
    for (uint32_t i = 0; status == SMP_OK && i < code->instruction_count; i++) {
        const smp_instruction *instruction = &code->instructions[i];
        const char *why = smp_opcode_not_modelled(instruction->opcode, instruction->operands);
        if (why && !has_site(kernel, seen, instruction->offset_bytes))
            status = add_named(in, instruction, why, false, kernel);
    }
    return status == SMP_OK ? add_unseen_local(in, code, seen, kernel) : status;
}

/* ---- Kernels ---- */

static const smp_instrument_context *context_of(const join *in,
                                                const smp_instrument_function *function) {
    const smp_instrument_module *module =
        function->module >= 0 ? &in->dump->modules[function->module] : NULL;
    return module && module->context >= 0 ? &in->dump->contexts[module->context] : NULL;
}

static smp_status add_code(const join *in, const smp_function *code, smp_kernel_profile *kernel) {
    if (!code)
        return SMP_OK;
    kernel->registers = code->registers;
    if (!smp_kernel_take_code(kernel, code))
        return smp_error_memory(in->error);
    return code->instructions ? add_unseen(in, code, kernel) : SMP_OK;
}

static bool has_calls(const smp_function *code) {
    return code && ANY(one, code->instructions, code->instruction_count,
                       strncmp(one->opcode, "CALL", 4) == 0);
}

/* Returns a function of its module that used shared memory, if the kernel calls any; else NULL. */
static const char *called_function(const join *in, size_t index, const smp_function *code) {
    const smp_instrument_dump *dump = in->dump;
    for (size_t i = 0; has_calls(code) && i < dump->site_count; i++) {
        const smp_instrument_site *site = &dump->sites[i];
        const smp_instrument_function *of =
            site->function >= 0 ? &dump->functions[site->function] : NULL;
        if (of && !of->is_kernel && of->module == dump->functions[index].module &&
            smp_space_has_banks(spaces[site->kind]))
            return of->name;
    }
    return NULL;
}

/* Estimates the time of all launches from the timed ones; shapes without any are scaled by blocks.
 */
static void set_time(const smp_instrument_function *from, smp_kernel_profile *kernel) {
    const double blocks = (double)(from->state.blocks + from->state.blocks_skipped);
    const double more =
        from->state.timed_blocks > 0 ? blocks / (double)from->state.timed_blocks : 1;
    smp_kernel_set_time(kernel, (double)from->state.nanoseconds * 1e-3 * (more > 1 ? more : 1));
}

static smp_status add_sites(const join *in, size_t index, const smp_function *code,
                            smp_kernel_profile *kernel) {
    launch_kinds kinds;
    smp_status status = SMP_OK;
    launch_kinds_begin(&kinds, &in->dump->functions[index]);
    for (size_t i = 0; status == SMP_OK && i < in->dump->site_count; i++) {
        const smp_instrument_site *from = &in->dump->sites[i];
        if (from->function != (int32_t)index)
            continue;
        status = add_site(in, from, code, kernel);
        if (status == SMP_OK)
            launch_kinds_add(&kinds, from, &kernel->sites[kernel->site_count - 1]);
    }
    if (status == SMP_OK && !launch_kinds_end(&kinds, kernel))
        status = smp_error_memory(in->error);
    return status;
}

/* Says if how often the function's instructions ran depends on others. */
static bool say_if_polling(const smp_function *code, smp_kernel_profile *kernel) {
    const smp_instruction *poll = code && kernel->site_count > 0 ? smp_function_poll(code) : NULL;
    char text[1200];
    if (!poll)
        return true;
    (void)snprintf(
        text, sizeof text,
        "%.900s%sit waits in a loop for what others write (%s at +0x%x): what it repeats "
        "there differs from run to run, by an unknown amount",
        kernel->not_seen ? kernel->not_seen : "", kernel->not_seen ? "; " : "", poll->opcode,
        poll->offset_bytes);
    free(kernel->not_seen);
    kernel->not_seen = strdup(text);
    return kernel->not_seen;
}

static smp_status join_kernel(const join *in, size_t index) {
    const smp_instrument_function *from = &in->dump->functions[index];
    const smp_function *code = function_of(in, from);
    const smp_instrument_context *context = context_of(in, from);
    smp_kernel_profile *kernel = smp_profile_add_kernel(in->out);
    smp_status status = SMP_OK;
    bool ok = true;
    if (!kernel)
        return smp_error_memory(in->error);
    kernel->name = copy_text(from->name, &ok);
    kernel->calls = copy_text(from->is_kernel ? called_function(in, index, code) : NULL, &ok);
    if (context) {
        kernel->arch = smp_arch_of_cc((int)context->cc_major, (int)context->cc_minor);
        kernel->multiprocessors = context->multiprocessors;
        kernel->clock_khz = context->clock_khz;
    }
    kernel->launches = from->state.launches;
    kernel->launches_skipped = from->state.launches_skipped;
    kernel->blocks = from->state.blocks;
    kernel->blocks_skipped = from->state.blocks_skipped;
    kernel->rounds = from->state.rounds;
    memcpy(kernel->grid, from->state.grid, sizeof kernel->grid);
    memcpy(kernel->block, from->state.block, sizeof kernel->block);
    kernel->shared_bytes = from->state.shared_bytes;
    for (uint32_t i = 0; ok && i < from->caller_count; i++)
        ok = smp_kernel_add_caller(kernel, from->callers[i].file, from->callers[i].line) == SMP_OK;
    for (uint32_t i = 0; ok && i < from->range_count; i++)
        ok = smp_kernel_add_range(kernel, from->ranges[i]) == SMP_OK;
    if (!ok)
        return smp_error_memory(in->error);
    if (status == SMP_OK)
        status = add_sites(in, index, code, kernel);
    if (status == SMP_OK && !say_if_polling(code, kernel))
        status = smp_error_memory(in->error);
    if (status == SMP_OK)
        status = add_code(in, code, kernel);
    if (status == SMP_OK && from->state.timed > 0)
        set_time(from, kernel);
    return status;
}

/* ---- The run ---- */

static char *how_it_ended(const smp_instrument_dump *dump, bool *ok) {
    char text[512] = "";
    if (dump->launches_covered < dump->launches)
        (void)snprintf(
            text, sizeof text, "%llu of %llu launches were seen; the last kernel was %.200s",
            (unsigned long long)dump->launches_covered, (unsigned long long)dump->launches,
            dump->last_kernel ? dump->last_kernel : "unknown");
    else if (dump->truncated)
        (void)snprintf(text, sizeof text, "the record of what was seen ends early");
    return text[0] != '\0' ? copy_text(text, ok) : NULL;
}

static smp_status join_run(const join *in) {
    const smp_instrument_dump *dump = in->dump;
    smp_run *run = smp_profile_add_run(in->out);
    bool ok = true;
    if (!run)
        return smp_error_memory(in->error);
    run->engine = SMP_ENGINE_GPU;
    run->command = copy_text(dump->command, &ok);
    run->driver = copy_text(dump->driver, &ok);
    run->date = copy_text(dump->date, &ok);
    run->host = copy_text(dump->host, &ok);
    run->process = dump->process;
    if (dump->context_count > 0)
        run->device = copy_text(dump->contexts[0].device, &ok);
    run->ended = how_it_ended(dump, &ok);
    return ok ? SMP_OK : smp_error_memory(in->error);
}

smp_status smp_profile_join(const smp_instrument_dump *dump, smp_profile *out, smp_op *ops,
                            smp_error *without, smp_error *error) {
    smp_error ignored;
    join in = {dump,
               out,
               calloc(dump->module_count + 1, sizeof(smp_code *)),
               calloc(dump->function_count + 1, sizeof(bool)),
               ops,
               without ? without : &ignored,
               error};
    in.without->message[0] = '\0';
    in.without->status = SMP_OK;
    for (size_t i = 0; ops && i < dump->site_count; i++)
        ops[i] = SMP_OP_COUNT;
    smp_status status = in.codes && in.wanted ? join_run(&in) : smp_error_memory(in.error);
    if (status == SMP_OK) {
        find_wanted(&in);
        status = open_codes(&in);
    }
    for (size_t i = 0; status == SMP_OK && i < dump->function_count; i++) {
        if (in.wanted[i])
            status = join_kernel(&in, i);
    }
    for (size_t i = 0; in.codes && i < dump->module_count; i++)
        smp_code_close(in.codes[i]);
    free(in.codes);
    free(in.wanted);
    return status;
}
