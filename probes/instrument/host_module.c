/* SPDX-License-Identifier: MIT */
/*
 * Contexts, their modules, and the kernels in these. Modules are patched when loaded, kernels
 * recorded when first launched.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host_budget.h"
#include "host_capture.h"
#include "host_clock.h"
#include "host_replay.h"
#include "host_shapes.h"
#include "live_page.h"

enum {
    /* Code up to this size is copied when it is loaded; larger code is read later from the driver's
     * own copy. */
    COPIED_BYTES = 1 << 20,
};

/* ---- Contexts ---- */

/* Allocates the context's table on the GPU, zeroed except for the settings that the patch reads. If
 * that fails, it is tried again when a module is loaded and when a kernel is launched. */
static bool make_table(host_context *context, bool is_last_try) {
    void *memory = context->memory;
    if (context->table || !context->has_patches)
        return context->table;
    if (!host_trace_begin(context, is_last_try))
        return false;
    host_outside();
    int result = SAN_SUCCESS;
    if (!memory)
        result = attach.san.Alloc(context->handle, &memory, sizeof(instrument_table));
    if (result == SAN_SUCCESS)
        result = host_clear_table(context, memory);
    host_inside();
    context->memory = memory;
    context->table = result == SAN_SUCCESS ? memory : NULL;
    if (result != SAN_SUCCESS && is_last_try && !context->is_without_table_told) {
        context->is_without_table_told = true;
        host_note("the table of %zu MiB could not be made on the GPU: %s",
                  sizeof(instrument_table) >> 20, host_result(result));
    }
    return result == SAN_SUCCESS;
}

void host_add_context(void *handle, int device) {
    instrument_context_record record;
    char name[256];
    host_context *context = malloc(sizeof *context);
    if (!context)
        return;
    host_device(device, &record, name);
    *context = (host_context){.next = attach.contexts,
                              .handle = handle,
                              .index = attach.context_count++,
                              .reserved_bytes = record.reserved_bytes,
                              .multiprocessors = record.multiprocessors,
                              .snapshot_at = host_now()};
    attach.contexts = context;
    (void)instrument_write(&attach.writer, INSTRUMENT_CONTEXT,
                           (instrument_piece[]){{&record, sizeof record}, {name, strlen(name)}}, 2);
    host_outside();
    int result = attach.san.AddPatchesFromFile(attach.settings.patch, handle);
    host_inside();
    context->has_patches = result == SAN_SUCCESS;
    if (result != SAN_SUCCESS)
        host_note("%s has no code for %s (compute capability %u.%u): %s", attach.settings.patch,
                  name, record.cc_major, record.cc_minor, host_result(result));
    else
        (void)make_table(context, false);
}

/* ---- Modules ---- */

/* Code that a program compiles itself is often freed soon after loading. */
static void copy_cubin(host_module *module) {
    module->copy = malloc(module->cubin_bytes + 1);
    if (!module->copy)
        return;
    if (module->cubin_bytes > 0)
        memcpy(module->copy, module->cubin, module->cubin_bytes);
    module->cubin = module->copy;
}

void host_add_module(const san_module_data *data) {
    host_context *context = host_find_context(data->context);
    if (!context || !context->has_patches)
        return;
    host_budget_delayed();
    host_next_epoch(context);
    (void)make_table(context, false);
    host_module module = {.handle = data->module,
                          .index = SMP_INSTRUMENT_NONE,
                          .cubin = data->cubin,
                          .cubin_bytes = data->cubin ? data->cubin_bytes : 0};
    host_outside();
    module.fingerprint = host_fingerprint(module.cubin, module.cubin_bytes);
    if (module.cubin_bytes <= COPIED_BYTES)
        copy_cubin(&module);
    if (module.cubin_bytes > 0)
        module.device_function_count =
            host_device_functions(module.cubin, module.cubin_bytes, &module.device_functions);
    const bool is_look = host_leave_is_look(context, &module);
    const double begun = host_now();
    int result = is_look ? host_patch_module(module.handle) : SAN_SUCCESS;
    host_inside();
    module.patching = is_look ? host_now() - begun : 0;
    if (is_look)
        host_clock_add(WORK_PATCH, begun);
    module.is_patched = is_look && result == SAN_SUCCESS;
    if (result != SAN_SUCCESS)
        host_note("a module could not be patched: %s", host_result(result));
    host_module *place =
        host_grow((void **)&context->modules, &context->module_count, sizeof *place);
    if (!place)
        return;
    *place = module;
    context->patched += module.is_patched;
    if (host_is_budgeted() && module.is_patched)
        host_budget_changed(0, 1);
}

/* Other code may be loaded at its addresses: counts at these are written before any module is
 * loaded or launched. Most programs unload everything at their end, so it is not done here. */
void host_drop_module(const san_module_data *data) {
    host_context *context = host_find_context(data->context);
    host_module *module = context ? host_find_module(context, data->module) : NULL;
    if (!module)
        return;
    context->patched -= module->is_patched;
    if (host_is_budgeted() && module->is_patched)
        host_budget_changed(0, -1);
    module->is_patched = false;
    module->is_in_table = module->function_count > 0;
    context->is_stale |= module->is_in_table;
    host_replay_forget();
    for (size_t i = 0; i < module->function_count; i++) {
        host_shape_forget(module->functions[i].called);
        module->functions[i].called = NULL;
    }
    for (size_t i = 0; i < module->device_function_count; i++)
        free(module->device_functions[i]);
    free(module->device_functions);
    free(module->copy);
    free(module->code_file);
    module->code_file = NULL;
    host_capture_forget();
    host_variables_clear(&module->variables);
    module->device_functions = NULL;
    module->device_function_count = 0;
    module->copy = NULL;
    module->handle = NULL;
}

/* The driver shows a module's code when it loads it, and may have freed it since. Unreadable memory
 * makes the write fail, not the program. */
static void write_module(host_context *context, host_module *module) {
    static int32_t modules;
    instrument_module_record record = {.context = context->index};
    instrument_piece pieces[2] = {{&record, sizeof record}, {module->cubin, module->cubin_bytes}};
    module->index = modules++;
    if (host_is_still_there(module) &&
        instrument_write(&attach.writer, INSTRUMENT_MODULE, pieces, 2))
        return;
    host_note("the machine code of a module was not kept");
    (void)instrument_write(&attach.writer, INSTRUMENT_MODULE, pieces, 1);
}

/* ---- Kernels ---- */

static int32_t write_function(const host_module *module, uint32_t epoch, const char *name,
                              bool is_kernel, uint64_t pc, uint64_t bytes) {
    static int32_t functions;
    instrument_function_record record = {.module = module->index,
                                         .is_kernel = is_kernel,
                                         .pc = pc,
                                         .code_bytes = bytes,
                                         .epoch = epoch};
    (void)instrument_write(&attach.writer, INSTRUMENT_FUNCTION,
                           (instrument_piece[]){{&record, sizeof record}, {name, strlen(name)}}, 2);
    return functions++;
}

static host_function *add_function(host_module *module, uint32_t epoch, void *handle,
                                   const char *name) {
    host_function *function =
        host_grow((void **)&module->functions, &module->function_count, sizeof *function);
    if (!function)
        return NULL;
    function->handle = handle;
    if (attach.san.GetFunctionPcAndSize(module->handle, name, &function->pc,
                                        &function->code_bytes) != SAN_SUCCESS)
        function->pc = function->code_bytes = 0;
    function->index =
        write_function(module, epoch, name, handle, function->pc, function->code_bytes);
    function->state.function = function->index;
    host_live_name(function->index, name);
    return function;
}

/* Records the functions that kernels call, once a kernel of the module was launched. */
static void add_device_functions(host_module *module, uint32_t epoch) {
    static bool is_told;
    module->has_device_functions = true;
    if (!is_told && host_module_nests(module)) {
        is_told = true;
        host_note("kernels that kernels launch (dynamic parallelism) are not observed");
    }
    for (size_t i = 0; i < module->device_function_count; i++) {
        uint64_t pc = 0, bytes = 0;
        const char *name = module->device_functions[i];
        if (attach.san.GetFunctionPcAndSize(module->handle, name, &pc, &bytes) == SAN_SUCCESS &&
            bytes > 0)
            (void)add_function(module, epoch, NULL, name);
    }
}

static host_function *known_function(host_module *module, const san_launch_data *launch) {
    for (size_t i = 0; i < module->function_count; i++)
        if (module->functions[i].handle == launch->function)
            return &module->functions[i];
    return NULL;
}

static host_function *find_function(host_context *context, host_module *module,
                                    const san_launch_data *launch) {
    host_function *known = known_function(module, launch);
    if (known)
        return known;
    const char *name = launch->function_name ? launch->function_name : "?";
    const double begun = host_clock();
    if (module->index == SMP_INSTRUMENT_NONE)
        write_module(context, module);
    host_clock_add(WORK_WRITE, begun);
    host_function *function = add_function(module, context->epoch, launch->function, name);
    if (!function)
        return NULL;
    function->is_wanted = host_is_wanted(name);
    function->has_shared = host_module_has_shared(context, module, name);
    function->parameters = host_module_parameters(module, name);
    if (!module->has_device_functions) {
        size_t at = (size_t)(function - module->functions);
        add_device_functions(module, context->epoch);
        function = &module->functions[at];
    }
    return function;
}

static uint64_t blocks_of(const san_launch_data *launch) {
    return (uint64_t)launch->grid[0] * launch->grid[1] * launch->grid[2];
}

/* How often its blocks fill the GPU's multiprocessors. */
static uint64_t rounds_of(const host_context *context, const san_launch_data *launch) {
    const uint64_t each = context->multiprocessors > 0 ? context->multiprocessors : 1;
    return (blocks_of(launch) + each - 1) / each;
}

/* Counts a launch. */
static void count_launch(host_context *context, const san_launch_data *launch,
                         smp_instrument_state *state) {
    attach.writer.head->launches++;
    context->launches++;
    state->launches++;
    state->blocks += blocks_of(launch);
    state->rounds += rounds_of(context, launch);
}

/* Counts a graph's launch among those of its kind; direct ones are counted by their shapes. */
static void count_kind(const san_launch_data *launch, bool has_none, const host_node_shape *node,
                       smp_instrument_state *state) {
    const unsigned kind = has_none || !node ? 0 : node->kind;
    if (!host_is_budgeted() || (kind == 0 && !has_none))
        return;
    state->kind_blocks[kind] += blocks_of(launch);
    state->kind_seen[kind] += has_none ? blocks_of(launch) : 0;
}

static void copy_shape(const san_launch_data *launch, smp_instrument_state *state) {
    memcpy(state->grid, launch->grid, sizeof state->grid);
    memcpy(state->block, launch->block, sizeof state->block);
    memcpy(state->cluster, launch->cluster, sizeof state->cluster);
}

/* `has_none`: the launch executes no observed instruction. */
static void note_launch(host_context *context, const san_launch_data *launch,
                        host_function *function, bool has_none) {
    instrument_head *head = attach.writer.head;
    smp_instrument_state *state = &function->state;
    snprintf(head->last_kernel, sizeof head->last_kernel, "%s",
             launch->function_name ? launch->function_name : "?");
    count_launch(context, launch, state);
    context->looks += !has_none;
    const double begun = host_clock();
    host_note_caller(function);
    host_clock_add(WORK_CALLER, begun);
    copy_shape(launch, state);
    attach.launched_at = host_now();
}

static void note_skipped(const san_launch_data *launch, smp_instrument_state *state) {
    state->launches_skipped++;
    state->blocks_skipped += blocks_of(launch);
    if (state->launches == 0)
        copy_shape(launch, state);
}

static bool is_to_be_seen(const host_function *function, bool is_inside) {
    const bool is_marked =
        !attach.settings.is_marked || __atomic_load_n(&attach.looks, __ATOMIC_RELAXED) > 0;
    return function && function->is_wanted && is_marked && is_inside &&
           function->state.launches < attach.settings.launches_max;
}

/* Returns the launched function, if its module may have patches at some time; else NULL. */
static host_function *launched_function(host_context *context, const san_launch_data *launch) {
    host_module *module = context ? host_find_module(context, launch->module) : NULL;
    const bool is_ours = module && (module->is_patched || module->leaves > 0 ||
                                    host_is_budgeted() || host_only_counts());
    if (!is_ours || !make_table(context, true))
        return NULL;
    module = host_find_module(context, launch->module);
    return find_function(context, module, launch);
}

/* True if the launched module has patches. */
static bool is_patched(host_context *context, const san_launch_data *launch) {
    const host_module *module = host_find_module(context, launch->module);
    return module && module->is_patched;
}

/* True if the launch executes no observed instruction because its blocks have no shared memory. It
 * counts as seen, with or without patches. */
static bool has_none(host_function *function, const char *name, bool is_node) {
    return host_is_budgeted() && function && !function->has_shared &&
           (is_node ? host_graph_adds_none(function, name) : host_leave_adds_none());
}

/* A graph's launches of one function have one table, whatever they are given: the last is used. So
 * all of a graph's launch are observed if its first one is. */
static bool is_seen_with_graph(host_function *function, bool is_seen) {
    const uint64_t number = function ? host_leave_graph() : 0;
    if (number == 0)
        return is_seen;
    if (number != function->graph_launch)
        function->is_seen_in_graph = is_seen;
    function->graph_launch = number;
    return function->is_seen_in_graph;
}

/* Keeps the launch, if one is wanted of the function. Releases the lock meanwhile; returns the
 * function, which may have moved. */
static host_function *keep(host_context *context, const san_launch_data *launch,
                           host_function *function, bool is_seen, bool is_node) {
    const bool is_sampling = attach.settings.is_sampling;
    const host_node_shape *node = is_node ? host_shape_of_node(function, launch, true) : NULL;
    if (is_sampling ? is_seen || (is_node ? !node || node->is_kept
                                          : !host_budget_is_first() || !host_budget_may_keep())
                    : is_node || !is_seen)
        return function;
    const double begun = host_clock();
    if (is_node)
        host_capture_node(context, launch, function);
    else
        host_capture_begin(context, launch, function->state.launches);
    host_clock_add(WORK_SAMPLE, begun);
    return launched_function(context, launch);
}

/* Counts a launch by a graph if nothing else can be done about it; else returns false. */
static bool count_node(host_context *context, const san_launch_data *launch) {
    if (!host_is_budgeted() || context->patched > 0 || context->is_stale || attach.settings.nvtx ||
        host_ranges_hash() != 0)
        return false;
    host_module *module = host_find_module(context, launch->module);
    host_function *function = module ? known_function(module, launch) : NULL;
    const host_node_shape *node = function ? host_shape_of_node(function, launch, false) : NULL;
    if (!function || (node ? !node->is_settled : function->node_count < NODE_SHAPES))
        return false;
    const bool is_seen =
        has_none(function, launch->function_name, true) && is_to_be_seen(function, true);
    if (is_seen && function->state.launches == 0)
        return false;
    host_leave_launch(context, function);
    live_page_launch(NULL, is_seen);
    if (is_seen)
        count_launch(context, launch, &function->state);
    else
        note_skipped(launch, &function->state);
    count_kind(launch, is_seen, node, &function->state);
    host_replay_node(&(replay_part){.module = (size_t)(module - context->modules),
                                    .function = (size_t)(function - module->functions),
                                    .kind = node ? node->kind : 0,
                                    .is_seen = is_seen,
                                    .launches = 1,
                                    .blocks = blocks_of(launch),
                                    .rounds = rounds_of(context, launch)});
    return true;
}

/* Gives every launch of patched code its table, or none. `is_node`: a graph launches it. */
void host_launch(const san_launch_data *launch, bool is_node) {
    host_context *context = host_find_context(launch->context);
    if (is_node && context && count_node(context, launch))
        return;
    if (context)
        host_next_epoch(context);
    host_function *function = launched_function(context, launch);
    const void *table = NULL;
    const bool is_inside = host_is_inside_ranges(),
               is_empty = has_none(function, launch->function_name, is_node);
    const bool is_seen = is_seen_with_graph(
        function, is_to_be_seen(function, is_inside) && (is_empty || is_patched(context, launch)));
    if (function)
        host_leave_launch(context, function);
    if (function && host_is_budgeted())
        host_budget_launched(context, host_find_module(context, launch->module), function,
                             is_seen && !is_empty);
    if (function && is_inside)
        function = keep(context, launch, function, is_seen, is_node);
    host_node_shape *node = function && is_node ? host_shape_of_node(function, launch, true) : NULL;
    if (node)
        node->is_settled = is_seen || node->is_kept || function->state.launches > 0 ||
                           !attach.settings.is_sampling || ++node->tries == NODE_TRIES;
    if (is_node)
        host_replay_spoil();
    if (function && is_inside)
        host_note_ranges(function);
    if (function)
        live_page_launch(launch->function_name, is_seen);
    if (function && is_seen)
        note_launch(context, launch, function, is_empty);
    else if (function && is_inside)
        note_skipped(launch, &function->state);
    if (function && is_node && is_inside)
        count_kind(launch, is_seen && is_empty, node, &function->state);
    if ((host_is_budgeted() || host_only_counts()) && context && !is_patched(context, launch))
        return; /* unpatched code uses no table */
    if (is_seen)
        table = (const char *)context->table + host_budget_kind();
    host_outside();
    int result = attach.san.SetLaunchCallbackData(launch->launch, launch->function,
                                                  launch->stream_handle, table);
    host_inside();
    if (result != SAN_SUCCESS)
        host_note("a launch of %s could not be looked at: %s",
                  launch->function_name ? launch->function_name : "?", host_result(result));
}
