/* SPDX-License-Identifier: MIT */
/*
 * Puts patches in and takes them out. With SMP_INSTRUMENT_LAUNCHES, code that was looked at often
 * enough loses its patches: a patched instruction costs nearly as much even if its launch has no
 * table. It gets them back when a kernel of its module is launched for the first time. With
 * SMP_INSTRUMENT_OVERHEAD, code has patches for the launches that host_budget.c wants to look at.
 *
 * Code gets no patches for a graph, and loses those it has before a graph runs: a graph keeps the
 * number of registers that each kernel had when it was instantiated, and a patched kernel needs
 * more (docs/how/instrumentation.md).
 *
 * Patches only change while nothing runs: a kernel that runs while its module is patched may never
 * end. So it happens at the beginning of a call that launches, while no other thread is in such a
 * call or can begin one, and after everything launched has ended. Events in the streams tell
 * (host_streams.c). They are only queried, since running work may itself wait for this thread: if
 * it takes too long, the program goes on unchanged for some time.
 */
#define _GNU_SOURCE
#include "host_budget.h"
#include "host_clock.h"
#include "host_replay.h"
#include "host_streams.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    LEAVES_MAX = 16, /* per module: each costs time */
    LEFT_MAX = 256,  /* modules reconsidered for one call */
    HOMES_MAX = 8,   /* modules that have one kernel */
    LOOK_MICROSECONDS = 50,
    YIELDS = 20,
};
/* Seconds to wait for kernels to end, at first and at most; times REST, until the next try. */
#define WAIT_FIRST 2.0
#define WAIT_BUDGETED 0.06 /* a failed wait counts as spent; the next is twice as long */
#define WAIT_MAX 10.0
#define REST 8.0
#define TRY_AGAIN 1e-3 /* meanwhile, seconds between two queries whether anything runs */

/* The call in progress on this thread. */
static __thread struct {
    bool is_call, is_followed; /* in a call; it launches code whose end matters */
    bool is_synchronized;      /* host_leave_synchronized */
    bool is_quiet;             /* host_budget_quiet_begin */
    bool is_captured;          /* into a graph: it launches nothing */
    host_context *context;     /* if so, its context and stream */
    void *stream;
    bool is_seen;     /* host_see_call */
    bool has_changed; /* patches changed just before the call */
    double begun;     /* if so, when the call went on, and host_budget_accounted() then */
    double accounted;
    uint64_t number;       /* of the calls that are followed, from 1 */
    const void *function;  /* the program's handle; NULL for a graph */
    const char *name;      /* mangled name of the function; NULL if unknown */
    uint32_t shared_bytes; /* dynamic shared memory */
    bool has_none;         /* it executes no observed instruction, as far as is known */
    bool is_end;           /* it destroys a stream */
    /* Modules with a kernel of that name, if it was not launched before. */
    void *homes[HOMES_MAX];
    size_t home_count;
} now;

static bool is_graph(void) {
    return !now.function;
}

/* ---- What runs ---- */

/* True if nothing runs. Releases the lock meanwhile. */
static bool is_idle(host_context *context) {
    if (context->is_untold || attach.is_patching || attach.calls > 0)
        return false;
    attach.is_patching = true; /* so that nothing is launched meanwhile */
    host_outside();
    const bool is_over = host_streams_ended(context);
    host_inside();
    attach.is_patching = false;
    return is_over;
}

/* ---- Leaving ---- */

/* Returns the module's function with that handle; NULL if none of them was launched before. */
static const host_function *find_function(const host_module *module, const void *called) {
    for (size_t i = 0; i < module->function_count; i++)
        if (module->functions[i].called == called)
            return &module->functions[i];
    return NULL;
}

/* True if the call may run the module's code. */
static bool is_launched(const host_module *module) {
    for (size_t i = 0; i < now.home_count; i++)
        if (now.homes[i] == module->handle)
            return true;
    return is_graph() ? module->function_count > 0 : !!find_function(module, now.function);
}

static bool is_done(const host_module *module) {
    if (!module->handle || !module->is_patched || module->function_count == 0)
        return false;
    if (now.is_synchronized)
        return true;
    if (host_is_budgeted())
        return !host_budget_is_look() && !now.has_none && is_launched(module);
    if (is_graph() && module->leaves > 0)
        return true;
    if (module->leaves >= LEAVES_MAX)
        return false;
    for (size_t i = 0; i < module->function_count; i++) {
        const host_function *function = &module->functions[i];
        if (function->is_wanted && function->state.launches < attach.settings.launches_max)
            return false;
    }
    return true;
}

/* True if the call would run patched code without need. */
static bool is_due(const host_context *context) {
    for (size_t i = 0; context->patched > 0 && i < context->module_count; i++) {
        const host_module *module = &context->modules[i];
        if (is_done(module) && (is_graph() || is_launched(module)))
            return true;
    }
    return false;
}

static void unpatch(host_context *context) {
    for (size_t i = 0; i < context->module_count; i++) {
        if (!is_done(&context->modules[i]))
            continue;
        void *handle = context->modules[i].handle;
        context->modules[i].is_patched = false;
        context->modules[i].leaves++;
        context->patched--;
        const double begun = host_clock();
        host_outside();
        int result = attach.san.UnpatchModule(handle);
        host_inside();
        host_clock_add(WORK_UNPATCH, begun);
        if (result != SAN_SUCCESS)
            host_note("a module that was looked at could not be left alone: %s",
                      host_result(result));
    }
}

/* A program that has waited for a look may time its next launch: it finds no patches to take out,
 * which would take longer than many kernels. */
void host_leave_synchronized(host_context *context) {
    if (!host_is_budgeted() || context->patched == 0 || now.is_call || !is_idle(context) ||
        attach.calls > 0 || attach.is_patching)
        return;
    const double start = host_now();
    const int before = context->patched;
    attach.is_patching = now.is_synchronized = true;
    host_streams_clear(context);
    unpatch(context);
    attach.is_patching = now.is_synchronized = false;
    host_budget_changed(host_now() - start, context->patched - before);
}

/* ---- Coming back ---- */

/* True if the call launches a function of this module that needs more looks. */
static bool is_wanted_again(const host_module *module) {
    const host_function *function = find_function(module, now.function);
    return function && function->is_wanted &&
           function->state.launches < attach.settings.launches_max;
}

static const host_function *find_known(const host_context *context, const void *called) {
    const host_function *found = NULL;
    for (size_t i = 0; i < context->module_count && !found; i++)
        found = find_function(&context->modules[i], called);
    return found;
}

/* Lists the unpatched modules that this call needs patched. */
static size_t find_looked_at(const host_context *context, void *out[LEFT_MAX]) {
    size_t count = 0;
    for (size_t i = 0; host_budget_is_look() && i < context->module_count; i++) {
        const host_module *module = &context->modules[i];
        if (module->handle && !module->is_patched && is_launched(module) && count < LEFT_MAX)
            out[count++] = module->handle;
    }
    return count;
}

/* Lists the unpatched modules that may need patches because they may have the call's function. */
static size_t find_left(const host_context *context, const char *name, void *out[LEFT_MAX]) {
    if (host_is_budgeted())
        return find_looked_at(context, out);
    const bool is_new = !find_known(context, now.function) && name && host_is_wanted(name);
    size_t count = 0;
    for (size_t i = 0; !is_graph() && i < context->module_count && count < LEFT_MAX; i++) {
        const host_module *module = &context->modules[i];
        if (module->handle && !module->is_patched && module->leaves > 0 &&
            (is_new || is_wanted_again(module)))
            out[count++] = module->handle;
    }
    return count;
}

/* Keeps those that have the function. Called without the lock. */
static size_t keep_those_with(const char *name, void *handles[LEFT_MAX], size_t count) {
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        uint64_t pc, bytes;
        if (!name || attach.san.GetFunctionPcAndSize(handles[i], name, &pc, &bytes) == SAN_SUCCESS)
            handles[kept++] = handles[i];
    }
    return kept;
}

static bool is_switched_on(const char *word) {
    const char *spaces = attach.settings.spaces;
    size_t length = strlen(word);
    for (const char *at = strstr(spaces, word); at; at = strstr(at + 1, word)) {
        if ((at == spaces || at[-1] == ',') && (at[length] == ',' || at[length] == '\0'))
            return true;
    }
    return false;
}

int host_patch_module(void *module) {
    static const struct {
        int instruction;
        const char *function, *word;
    } patches[] = {
#define PATCH_ROW(instruction, function, word, theirs) {instruction, function, word},
        SAN_PATCH_LIST(PATCH_ROW)
#undef PATCH_ROW
    };
    int result = SAN_SUCCESS;
    for (size_t i = 0; result == SAN_SUCCESS && i < sizeof patches / sizeof patches[0]; i++) {
        if (is_switched_on(patches[i].word))
            result =
                attach.san.PatchInstructions(patches[i].instruction, module, patches[i].function);
    }
    return result == SAN_SUCCESS ? attach.san.PatchModule(module) : result;
}

static void patch_again(host_context *context, void *const *handles, size_t count) {
    for (size_t i = 0; i < count; i++) {
        const double begun = host_now();
        host_outside();
        int result = host_patch_module(handles[i]);
        host_inside();
        host_clock_add(WORK_PATCH, begun);
        host_module *module = host_find_module(context, handles[i]);
        if (!module || result != SAN_SUCCESS)
            continue;
        module->patching = host_now() - begun;
        module->is_patched = true;
        context->patched++;
    }
}

/* ---- Either ---- */

/* True if nothing runs. Does not wait, and only queries once in a while. */
static bool is_over_now(host_context *context) {
    if (attach.calls > 0 || host_now() < context->leave_tried + TRY_AGAIN)
        return false;
    context->leave_tried = host_now();
    host_outside();
    const bool is_over = host_streams_ended(context);
    host_inside();
    return is_over;
}

/* Waits until everything has ended; false if it takes too long. */
static bool wait_for_end(host_context *context) {
    const double start = host_now();
    if (start < context->leave_at && !is_graph())
        return host_is_budgeted() && is_over_now(context);
    if (context->leave_wait == 0)
        context->leave_wait = host_is_budgeted() ? WAIT_BUDGETED : WAIT_FIRST;
    /* A look ends, if late. */
    const bool is_look = host_is_budgeted() && host_budget_is_pending();
    const double own = is_graph() && context->leave_wait < WAIT_FIRST ? WAIT_FIRST
                                                                      : context->leave_wait,
                 most = is_look ? WAIT_MAX : own;
    while (!context->is_untold && host_now() < start + most) {
        const bool is_alone = attach.calls == 0;
        host_outside();
        const bool is_over = is_alone && host_streams_ended(context);
        if (!is_over)
            usleep(LOOK_MICROSECONDS);
        host_inside();
        if (is_over) {
            host_clock_add(WORK_WAIT, start);
            return true;
        }
    }
    host_clock_add(WORK_LATE, start);
    if (context->is_untold)
        return false;
    context->leave_at = host_now() + REST * context->leave_wait;
    if (host_is_budgeted()) {
        host_budget_spend(context->leave_wait);
        context->leave_wait =
            2 * context->leave_wait < WAIT_FIRST ? 2 * context->leave_wait : WAIT_FIRST;
    } else {
        context->leave_wait = WAIT_MAX;
    }
    return false;
}

bool host_leave_wait(host_context *context) {
    if (context->is_untold || attach.is_patching)
        return false;
    attach.is_patching = true;
    attach.calls -= now.is_call; /* this call has launched nothing yet */
    const double asked = host_now();
    const bool is_over = wait_for_end(context);
    if (is_over && host_is_budgeted())
        host_budget_waited(host_now() - asked);
    attach.calls += now.is_call;
    attach.is_patching = false;
    return is_over;
}

/* Releases the lock meanwhile. Once it returns, no other thread changes patches until the lock is
 * released again. */
static void wait_for_patching(void) {
    for (unsigned i = 0; attach.is_patching; i++) {
        host_outside();
        if (i < YIELDS)
            sched_yield(); /* the other thread may only be querying streams */
        else
            usleep(LOOK_MICROSECONDS);
        host_inside();
    }
}

/* Changes patches before a call that launches; attach.is_patching holds other threads back. */
static void change(host_context *context, const char *name) {
    void *wanted[LEFT_MAX];
    if (host_is_budgeted() && context->patched == 0 && !host_budget_is_look())
        return;
    wait_for_patching();
    if (context->is_untold)
        return;
    size_t count = find_left(context, name, wanted);
    const bool is_leaving = is_due(context);
    if (count == 0 && !is_leaving)
        return;
    attach.is_patching = true;
    host_outside();
    if (!host_is_budgeted())
        count = keep_those_with(name, wanted, count);
    host_inside();
    const double asked = host_now();
    const bool is_over = (count > 0 || is_leaving) && wait_for_end(context);
    if (is_over) {
        const double start = host_now();
        if (host_is_budgeted())
            host_budget_waited(start - asked);
        const int before = context->patched;
        host_streams_clear(context);
        if (is_leaving)
            unpatch(context);
        patch_again(context, wanted, count);
        if (host_is_budgeted())
            host_budget_changed(host_now() - start, context->patched - before);
        now.has_changed = true;
    } else if (is_leaving && is_graph() && !context->is_untold) {
        context->is_untold = true; /* do not wait again for each graph */
        host_note("a graph runs with patches, and may fail: what ran before it did not end");
    }
    attach.is_patching = false;
}

/* ---- Calls that launch ---- */

static bool has_patches(const host_context *context) {
    for (size_t i = 0; context->patched > 0 && i < context->module_count; i++)
        if (context->modules[i].is_patched && is_launched(&context->modules[i]))
            return true;
    return false;
}

/* The modules that have a kernel that is launched for the first time. The API knows it only once it
 * is loaded, which may be in this very launch. */
static void find_homes(host_context *context, const char *name) {
    size_t count = 0;
    void **handles = NULL;
    for (size_t i = 0; i < context->module_count; i++) {
        void **one =
            context->modules[i].handle ? host_grow((void **)&handles, &count, sizeof *one) : NULL;
        if (one)
            *one = context->modules[i].handle;
    }
    const double begun = host_clock();
    host_outside();
    for (size_t i = count; i-- > 0 && now.home_count < HOMES_MAX;) {
        uint64_t pc, bytes;
        if (attach.san.GetFunctionPcAndSize(handles[i], name, &pc, &bytes) == SAN_SUCCESS)
            now.homes[now.home_count++] = handles[i];
    }
    host_inside();
    for (size_t i = count; i-- > 0 && now.home_count == 0;) {
        const host_module *module = host_find_module(context, handles[i]);
        if (module && host_module_has_kernel(module, name))
            now.homes[now.home_count++] = handles[i];
    }
    host_clock_add(WORK_HOMES, begun);
    free(handles);
}

/* True if the kernel about to be launched has shared memory, or may have. */
static bool has_shared(host_context *context) {
    bool may = true;
    if (is_graph() || !now.name || host_budget_knows(&may))
        return may;
    const host_function *known = find_known(context, now.function);
    if (known)
        return known->has_shared;
    find_homes(context, now.name);
    may = now.home_count == 0;
    for (size_t i = 0; i < now.home_count; i++) {
        const host_module *home = host_find_module(context, now.homes[i]);
        may |= !home || host_module_has_shared(context, home, now.name);
    }
    return may;
}

/* Puts in or takes out patches for the call. Releases the lock now and then. */
static void prepare(host_context *context, const host_call *call, void *stream) {
    if (!host_is_budgeted()) {
        change(context, now.name);
        return;
    }
    now.home_count = 0;
    now.has_none = false;
    if (!host_budget_find(context, call, now.name, stream))
        return;
    now.has_none = !has_shared(context) && now.shared_bytes == 0 && !is_graph();
    budget_kernel kernel = {.is_patched = has_patches(context),
                            .is_wanted =
                                (!now.name || host_is_wanted(now.name)) && host_is_inside_ranges(),
                            .has_none = now.has_none || is_graph()};
    kernel.is_idle = host_budget_asks_idle(call, &kernel) && is_idle(context);
    host_budget_decide(call, &kernel);
    change(context, now.name);
}

/* The call destroys a stream: no other thread may record an event in it meanwhile. */
static void follow_end(const san_api_data *data) {
    if (data->site == SAN_API_ENTER) {
        wait_for_patching();
        attach.calls++;
        now.is_end = true;
        host_streams_end(*(void *const *)data->parameters);
    } else if (now.is_end) {
        attach.calls--;
        now.is_end = false;
    }
}

static void *stream_of(const host_call *call) {
    return call->is_of_thread && !call->stream ? STREAM_PER_THREAD : call->stream;
}

/* Stores what is launched, for its callbacks. Releases the lock meanwhile. */
static void name_call(const host_call *call, const san_api_data *data) {
    host_outside();
    now.name = call->function ? host_call_name(data, call->function) : NULL;
    host_inside();
    now.function = call->function;
    now.shared_bytes = call->shared_bytes;
}

static void begin_call(void) {
    static uint64_t calls;
    now.number = ++calls;
    attach.calls++; /* from here on nobody changes patches */
    now.is_call = true;
    now.is_followed = false;
}

static void end_call(host_context *context, void *stream) {
    if (context && now.is_followed && !host_streams_mark(context, stream))
        context->is_untold = true;
    attach.calls--;
    now.is_call = now.is_quiet = false;
}

static bool is_captured(void *stream) {
    const host_events *driver = host_find_events();
    int state = 0;
    return driver && driver->capturing(stream, &state) == 0 && state != 0;
}

bool host_leave_quiet_call(uint32_t id, const san_api_data *data) {
    host_call call;
    if (data->site != SAN_API_ENTER) {
        const bool is_quiet = now.is_quiet || now.is_captured;
        now.is_captured = false;
        if (now.is_quiet) {
            now.is_followed = true;
            host_budget_quiet_end(!host_has_failed(data));
            end_call(now.context, now.stream);
        }
        return is_quiet;
    }
    if (!host_is_budgeted() || !host_read_call(id, data->parameters, &call))
        return false;
    if (attach.captures > 0) {
        now.is_captured = is_captured(stream_of(&call));
        return now.is_captured;
    }
    host_context *context = host_find_context(data->context);
    if (attach.is_patching || attach.settings.nvtx || !context || context->is_stale ||
        !host_budget_quiet_begin(context, &call))
        return false;
    now.function = call.function;
    now.shared_bytes = call.shared_bytes;
    now.name = NULL; /* it loads nothing */
    begin_call();
    now.is_quiet = true;
    now.context = context;
    now.stream = stream_of(&call);
    return true;
}

bool host_leave_quiet_launch(void) {
    return now.is_quiet;
}

void host_leave_call(uint32_t id, const san_api_data *data) {
    host_call call;
    if (id == SAN_END_STREAM || id == SAN_END_STREAM_V2)
        follow_end(data);
    host_follow_capture(id, data);
    host_follow_unknown(id);
    if (!host_is_limited() || !host_read_call(id, data->parameters, &call))
        return;
    void *stream = stream_of(&call);
    host_context *context = host_find_context(data->context);
    if (data->site == SAN_API_ENTER) {
        name_call(&call, data);
        wait_for_patching();
        now.has_changed = false;
        if (context)
            prepare(context, &call, stream);
        wait_for_patching();
        begin_call();
        now.is_seen = true;
        host_see_call(is_graph(), 1);
        if (context && host_is_budgeted())
            host_budget_start(context, stream);
        host_replay_begin();
        now.begun = now.has_changed ? host_now() : 0;
        now.accounted = host_budget_accounted();
    } else if (now.is_call) {
        if (now.has_changed && host_is_budgeted())
            host_budget_settled(host_now() - now.begun - (host_budget_accounted() - now.accounted));
        if (host_has_failed(data))
            host_replay_spoil();
        if (host_is_budgeted())
            host_budget_exit(stream);
        host_see_call(is_graph(), -(int)now.is_seen);
        now.is_seen = false;
        end_call(context, stream);
    }
}

uint64_t host_leave_graph(void) {
    return now.is_call && is_graph() ? now.number : 0;
}

bool host_leave_adds_none(void) {
    return now.is_call && now.function && now.shared_bytes == 0;
}

bool host_leave_is_look(const host_context *context, const host_module *module) {
    if (!host_is_budgeted())
        return !host_only_counts();
    const bool has_none =
        now.name && host_leave_adds_none() && !host_module_has_shared(context, module, now.name);
    return now.is_call && host_budget_is_look() && !has_none;
}

void host_leave_launch(host_context *context, host_function *function) {
    if (!host_is_limited())
        return;
    now.is_followed = true;
    if (!now.is_call)
        context->is_untold = true;
    else if (!is_graph())
        function->called = now.function;
}
