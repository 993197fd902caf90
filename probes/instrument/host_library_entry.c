/* SPDX-License-Identifier: MIT */
/*
 * InitializeInjection, which the CUDA driver calls when it is loaded into a program; settings,
 * callbacks, and the watchdog.
 */
#define _GNU_SOURCE
#include "host_budget.h"
#include "host_capture.h"
#include "host_clock.h"
#include "host_replay.h"
#include "host_streams.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { TEXT_BYTES = 4096, DEFAULT_WATCHDOG_SECONDS = 120 };

/* True while this thread is in a callback: functions that it calls may call back. */
static __thread bool is_inside;

/* True in a forked child. Asking for the process number instead would cost more than the rest of
 * most callbacks. */
static bool is_forked;

static void note_fork(void) {
    is_forked = true;
}

/* ---- Settings ---- */

/* Returns the words of SAN_PATCH_LIST that a word of --memory means; other text is such a list
 * already. */
static const char *spaces_of(const char *word) {
    static const char *const meanings[][2] = {
        {"", "shared,cluster,matrix,copy,other"},
        {"shared", "shared,cluster,matrix,copy,other"},
        {"global", "global,copy"},
        {"all", "shared,cluster,matrix,copy,other,global,local"},
    };
    for (size_t i = 0; i < sizeof meanings / sizeof meanings[0]; i++) {
        if (!word || strcmp(word, meanings[i][0]) == 0)
            return meanings[i][1];
    }
    return word;
}

void smemprobe_look(int more) {
    __atomic_add_fetch(&attach.looks, more, __ATOMIC_RELAXED);
}

static void read_settings(void) {
    host_settings *settings = &attach.settings;
    const char *launches = getenv("SMP_INSTRUMENT_LAUNCHES"),
               *kernels = getenv("SMP_INSTRUMENT_KERNELS");
    const char *watchdog = getenv("SMP_INSTRUMENT_WATCHDOG");
    const char *time = getenv("SMP_INSTRUMENT_TIME"), *capture = getenv("SMP_INSTRUMENT_CAPTURE");
    char *end = NULL;
    settings->is_timed = time && *time;
    settings->launches_max = UINT64_MAX;
    settings->is_marked = launches && strcmp(launches, "marked") == 0;
    if (launches && *launches && !settings->is_marked) {
        settings->launches_max = strtoull(launches, &end, 10);
        if (*end != '\0') {
            host_note("SMP_INSTRUMENT_LAUNCHES=%s is not a number: all launches are observed",
                      launches);
            settings->launches_max = UINT64_MAX;
        }
    }
    if (kernels && *kernels) {
        settings->has_kernels = regcomp(&settings->kernels, kernels, REG_EXTENDED | REG_NOSUB) == 0;
        if (!settings->has_kernels)
            host_note(
                "SMP_INSTRUMENT_KERNELS=%s is not a regular expression: all kernels are observed",
                kernels);
    }
    const char *nvtx = getenv("SMP_INSTRUMENT_NVTX");
    settings->nvtx = nvtx && *nvtx ? nvtx : NULL;
    const char *trace = getenv("SMP_INSTRUMENT_TRACE");
    (void)snprintf(settings->trace, sizeof settings->trace, "%s", trace ? trace : "");
    const char *overhead = getenv("SMP_INSTRUMENT_OVERHEAD");
    const bool is_all = settings->is_marked || settings->launches_max != UINT64_MAX ||
                        settings->trace[0] != '\0' || (capture && *capture);
    settings->overhead = overhead && !is_all ? strtod(overhead, NULL) : 0;
    const char *sample = getenv("SMP_INSTRUMENT_SAMPLE");
    settings->is_sampling = settings->overhead > 0 && sample && *sample;
    settings->captures_max = launches && *launches ? settings->launches_max : 1;
    if (capture && *capture)
        settings->capture = capture;
    else if (settings->is_sampling)
        settings->capture = sample;
    settings->spaces = spaces_of(getenv("SMP_INSTRUMENT_SPACES"));
    settings->is_shared_only =
        !strstr(settings->spaces, "global") && !strstr(settings->spaces, "local");
    settings->watchdog_seconds = watchdog && *watchdog ? atof(watchdog) : DEFAULT_WATCHDOG_SECONDS;
}

/* Writes the words of the command line, separated by blanks. */
static void write_command(void) {
    char text[TEXT_BYTES];
    FILE *file = fopen("/proc/self/cmdline", "rb");
    size_t length = file ? fread(text, 1, sizeof text - 1, file) : 0;
    if (file)
        fclose(file);
    while (length > 0 && text[length - 1] == '\0')
        length--;
    for (size_t i = 0; i < length; i++)
        text[i] = text[i] == '\0' ? ' ' : text[i];
    text[length] = '\0';
    (void)instrument_write_text(&attach.writer, INSTRUMENT_COMMAND, text);
}

static void write_circumstances(void) {
    char text[256] = "";
    time_t now = time(NULL);
    struct tm utc;
    write_command();
    if (gethostname(text, sizeof text - 1) == 0)
        (void)instrument_write_text(&attach.writer, INSTRUMENT_HOST, text);
    if (gmtime_r(&now, &utc) && strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc) > 0)
        (void)instrument_write_text(&attach.writer, INSTRUMENT_DATE, text);
    FILE *file = fopen("/sys/module/nvidia/version", "r");
    if (file && fgets(text, sizeof text, file)) {
        text[strcspn(text, "\n")] = '\0';
        (void)instrument_write_text(&attach.writer, INSTRUMENT_DRIVER, text);
    }
    if (file)
        fclose(file);
}

/* ---- Callbacks ---- */

static void on_context(const void *data) {
    const san_context_data *of = data;
    const san_context_data_later *later = data;
    host_add_context(of->context, attach.is_later ? later->device : of->device);
}

static void on_stream_end(const void *data) {
    const san_synchronize_data *of = data;
    const san_stream_data_later *later = data;
    host_context *context = host_find_context(of->context);
    if (context)
        host_streams_gone(context, attach.is_later ? later->stream : of->stream);
}

static void on_resource(uint32_t id, const void *data) {
    const san_context_data *of_context = data;
    if (id == SAN_CONTEXT_CREATION_FINISHED)
        on_context(data);
    else if (id == SAN_MODULE_LOADED)
        host_add_module(data);
    else if (id == SAN_MODULE_UNLOAD_STARTING)
        host_drop_module(data);
    else if (id >= SAN_DEVICE_ALLOC && id <= SAN_FREE_ASYNC)
        host_memory_change(id, data);
    else if (id == SAN_STREAM_DESTROY_STARTING)
        on_stream_end(data);
    else if (id == SAN_CONTEXT_DESTROY_STARTING) {
        host_context *context = host_find_context(of_context->context);
        if (!context)
            return;
        host_snapshot(context, NULL, true);
        host_trace_end(context);
        context->handle = NULL;
        context->table = NULL; /* freed with the context */
        context->memory = NULL;
    }
}

static void on_synchronize(const san_synchronize_data *data) {
    attach.synchronized_at = host_now();
    attach.is_stuck_told = false;
    host_context *context = host_find_context(data->context);
    if (!context)
        return;
    host_snapshot(context, data->stream_handle, false);
    host_leave_synchronized(context);
}

static void on_call(uint32_t id, const san_api_data *data) {
    if (data->site == SAN_API_ENTER)
        host_leave_call(id, data);
    host_replay_call(id);
    host_graph_call(id, data);
    if (attach.settings.capture)
        host_capture_call(id, data);
    if (data->site != SAN_API_ENTER)
        host_leave_call(id, data);
}

static void dispatch(int domain, uint32_t id, const void *data) {
    const san_graph_node_data *node = data;
    if (domain == SAN_DOMAIN_RESOURCE)
        on_resource(id, data);
    else if (domain == SAN_DOMAIN_DRIVER)
        on_call(id, data);
    else if (domain == SAN_DOMAIN_SYNCHRONIZE)
        on_synchronize(data);
    else if (domain == SAN_DOMAIN_LAUNCH && id == SAN_LAUNCH_BEGIN)
        host_launch(data, false);
    else if (domain == SAN_DOMAIN_GRAPHS && id == SAN_GRAPHS_NODE_LAUNCH_BEGIN &&
             node->node_type == SAN_NODE_KERNEL && node->is_upload == 0) {
        host_capture_graph();
        host_launch(&node->launch, true);
    }
}

static host_work work_of(int domain, uint32_t id) {
    return domain == SAN_DOMAIN_DRIVER        ? WORK_CALL
           : domain == SAN_DOMAIN_SYNCHRONIZE ? WORK_SYNCHRONIZE
           : domain != SAN_DOMAIN_RESOURCE    ? WORK_LAUNCH
           : id == SAN_MODULE_LOADED          ? WORK_MODULE
                                              : WORK_CONTEXT;
}

/* Handles callbacks of launches that only have to be counted, for less than it costs to read the
 * clock. */
static bool is_quiet(int domain, uint32_t id, const void *data) {
    if (domain == SAN_DOMAIN_DRIVER)
        return host_leave_quiet_call(id, data);
    const bool is_launch =
        (domain == SAN_DOMAIN_LAUNCH && id == SAN_LAUNCH_BEGIN) || domain == SAN_DOMAIN_GRAPHS;
    return is_launch && host_leave_quiet_launch();
}

/* One in this many nodes of a graph is timed. What takes longer than NODE_MOST seconds is done
 * once, for a new kernel. */
enum { NODES_A_CLOCK = 16 };
#define NODE_MOST 5e-6

static void dispatch_timed(int domain, uint32_t id, const void *data) {
    static unsigned nodes;
    const bool is_node = domain == SAN_DOMAIN_GRAPHS;
    if ((!host_is_budgeted() && host_clock() == 0) || (is_node && nodes++ % NODES_A_CLOCK != 0)) {
        dispatch(domain, id, data);
        return;
    }
    const double begun = host_now(), known = host_budget_accounted();
    dispatch(domain, id, data);
    host_clock_add(work_of(domain, id), begun);
    /* The time not yet accounted for. */
    const double more = host_now() - begun - (host_budget_accounted() - known);
    if (host_is_budgeted())
        host_budget_spend(is_node ? NODES_A_CLOCK * more : more);
    if (host_is_budgeted() && is_node)
        host_budget_called(NODES_A_CLOCK * (more < NODE_MOST ? more : NODE_MOST));
}

static void on_callback(void *user, int domain, uint32_t id, const void *data) {
    (void)user;
    if (is_inside || is_forked)
        return;
    is_inside = true;
    pthread_mutex_lock(&attach.lock);
    if (!is_quiet(domain, id, data))
        dispatch_timed(domain, id, data);
    pthread_mutex_unlock(&attach.lock);
    is_inside = false;
}

/* ---- Which callbacks ---- */

enum { ALWAYS, LIMITED = 1, KEPT = 2, NEWER = 4, COUNTED = 8, CHANGES = 16 };

/* NEWER: an API of an early version may not have it. COUNTED: of each launch. CHANGES: what a graph
 * launches. */
static const struct {
    int domain;
    uint32_t id;
    unsigned when; /* enabled if launches are limited or kept; 0: always */
} callbacks[] = {
    {SAN_DOMAIN_RESOURCE, SAN_CONTEXT_CREATION_FINISHED, ALWAYS},
    {SAN_DOMAIN_RESOURCE, SAN_CONTEXT_DESTROY_STARTING, ALWAYS},
    {SAN_DOMAIN_RESOURCE, SAN_MODULE_LOADED, ALWAYS},
    {SAN_DOMAIN_RESOURCE, SAN_MODULE_UNLOAD_STARTING, ALWAYS},
    {SAN_DOMAIN_SYNCHRONIZE, SAN_STREAM_SYNCHRONIZED, ALWAYS},
    {SAN_DOMAIN_SYNCHRONIZE, SAN_CONTEXT_SYNCHRONIZED, ALWAYS},
    {SAN_DOMAIN_LAUNCH, SAN_LAUNCH_BEGIN, ALWAYS | COUNTED},
    {SAN_DOMAIN_GRAPHS, SAN_GRAPHS_NODE_LAUNCH_BEGIN, ALWAYS | COUNTED},
    {SAN_DOMAIN_RESOURCE, SAN_DEVICE_ALLOC, KEPT},
    {SAN_DOMAIN_RESOURCE, SAN_DEVICE_FREE, KEPT},
    {SAN_DOMAIN_RESOURCE, SAN_HOST_ALLOC, KEPT},
    {SAN_DOMAIN_RESOURCE, SAN_HOST_FREE, KEPT},
    {SAN_DOMAIN_RESOURCE, SAN_ALLOC_ASYNC, KEPT},
    {SAN_DOMAIN_RESOURCE, SAN_FREE_ASYNC, KEPT},
    {SAN_DOMAIN_RESOURCE, SAN_STREAM_DESTROY_STARTING, LIMITED},
    {SAN_DOMAIN_DRIVER, SAN_END_STREAM, LIMITED},
    {SAN_DOMAIN_DRIVER, SAN_END_STREAM_V2, LIMITED},
    {SAN_DOMAIN_DRIVER, SAN_CAPTURE, LIMITED},
    {SAN_DOMAIN_DRIVER, SAN_CAPTURE_PTSZ, LIMITED},
    {SAN_DOMAIN_DRIVER, SAN_CAPTURE_V2, LIMITED},
    {SAN_DOMAIN_DRIVER, SAN_CAPTURE_V2_PTSZ, LIMITED},
    {SAN_DOMAIN_DRIVER, SAN_CAPTURE_GRAPH, LIMITED | NEWER},
    {SAN_DOMAIN_DRIVER, SAN_CAPTURE_GRAPH_PTSZ, LIMITED | NEWER},
    {SAN_DOMAIN_DRIVER, SAN_CAPTURE_END, LIMITED},
    {SAN_DOMAIN_DRIVER, SAN_CAPTURE_END_PTSZ, LIMITED},
    {SAN_DOMAIN_DRIVER, SAN_INSTANTIATE, ALWAYS | NEWER},
    {SAN_DOMAIN_DRIVER, SAN_INSTANTIATE_V2, ALWAYS | NEWER},
    {SAN_DOMAIN_DRIVER, SAN_INSTANTIATE_FLAGS, ALWAYS | NEWER},
    {SAN_DOMAIN_DRIVER, SAN_INSTANTIATE_PARAMETERS, ALWAYS | NEWER},
    {SAN_DOMAIN_DRIVER, SAN_INSTANTIATE_PARAMETERS_PTSZ, ALWAYS | NEWER},
    {SAN_DOMAIN_DRIVER, SAN_GRAPH_NODE, LIMITED | NEWER | CHANGES},
    {SAN_DOMAIN_DRIVER, SAN_GRAPH_NODE_V2, LIMITED | NEWER | CHANGES},
    {SAN_DOMAIN_DRIVER, SAN_GRAPH_UPDATE, LIMITED | NEWER | CHANGES},
    {SAN_DOMAIN_DRIVER, SAN_GRAPH_UPDATE_V2, LIMITED | NEWER | CHANGES},
    {SAN_DOMAIN_DRIVER, SAN_GRAPH_NODE_ANY, LIMITED | NEWER | CHANGES},
    {SAN_DOMAIN_DRIVER, SAN_GRAPH_CHILD, LIMITED | NEWER | CHANGES},
    {SAN_DOMAIN_DRIVER, SAN_GRAPH_ENABLED, LIMITED | NEWER | CHANGES},
    {SAN_DOMAIN_DRIVER, SAN_GRAPH_END, LIMITED | NEWER | CHANGES},
    {SAN_DOMAIN_DRIVER, SAN_LAUNCH_OLD, LIMITED | NEWER | COUNTED},
    {SAN_DOMAIN_DRIVER, SAN_LAUNCH_GRID, LIMITED | NEWER | COUNTED},
    {SAN_DOMAIN_DRIVER, SAN_LAUNCH_GRID_ASYNC, LIMITED | NEWER | COUNTED},
    {SAN_DOMAIN_DRIVER, SAN_LAUNCH_MANY, LIMITED | NEWER | COUNTED},
    {SAN_DOMAIN_DRIVER, SAN_LAUNCH_ARGUMENTS, LIMITED | NEWER | COUNTED},
    {SAN_DOMAIN_DRIVER, SAN_LAUNCH_GRAPH, LIMITED | COUNTED},
    {SAN_DOMAIN_DRIVER, SAN_LAUNCH_GRAPH_PTSZ, LIMITED | COUNTED},
    {SAN_DOMAIN_DRIVER, SAN_LAUNCH_KERNEL, LIMITED | KEPT | COUNTED},
    {SAN_DOMAIN_DRIVER, SAN_LAUNCH_KERNEL_PTSZ, LIMITED | KEPT | COUNTED},
    {SAN_DOMAIN_DRIVER, SAN_LAUNCH_COOPERATIVE, LIMITED | KEPT | COUNTED},
    {SAN_DOMAIN_DRIVER, SAN_LAUNCH_COOPERATIVE_PTSZ, LIMITED | KEPT | COUNTED},
    {SAN_DOMAIN_DRIVER, SAN_LAUNCH_KERNEL_EX, LIMITED | KEPT | COUNTED},
    {SAN_DOMAIN_DRIVER, SAN_LAUNCH_KERNEL_EX_PTSZ, LIMITED | KEPT | COUNTED},
};
enum { CALLBACKS = sizeof callbacks / sizeof callbacks[0] };

/* Ends the counting of launches. */
static void stop_counting(void) {
    for (size_t i = 0; i < CALLBACKS; i++)
        if ((callbacks[i].when & COUNTED) != 0)
            host_enable(false, callbacks[i].domain, callbacks[i].id);
}

static bool subscribe(void) {
    const unsigned here = (host_is_limited() ? LIMITED : 0) | (attach.settings.capture ? KEPT : 0);
    int result = attach.san.Subscribe(&attach.subscriber, on_callback, NULL);
    if (result == SAN_ERROR_MAX_LIMIT_REACHED) {
        host_note("another tool (compute-sanitizer) is attached to this program: end it first");
        return false;
    }
    attach.is_later = result == SAN_SUCCESS &&
                      attach.san.EnableCallback(1, attach.subscriber, SAN_DOMAIN_SYNCHRONIZE,
                                                SAN_GREEN_SYNCHRONIZED) == SAN_SUCCESS;
    attach.knows_graph_changes = true;
    for (size_t i = 0; result == SAN_SUCCESS && i < CALLBACKS; i++) {
        const unsigned when = callbacks[i].when & (LIMITED | KEPT);
        if (when != ALWAYS && (when & here) == 0)
            continue;
        const int got =
            attach.san.EnableCallback(1, attach.subscriber, callbacks[i].domain, callbacks[i].id);
        result = (callbacks[i].when & NEWER) != 0 ? result : got;
        attach.knows_graph_changes &= (callbacks[i].when & CHANGES) == 0 || got == SAN_SUCCESS;
    }
    if (result != SAN_SUCCESS)
        host_note("the Compute Sanitizer API could not be started: %s", host_result(result));
    return result == SAN_SUCCESS;
}

/* ---- The end, and what never ends ---- */

static void at_exit(void) {
    if (getpid() != attach.process || attach.writer.file < 0)
        return;
    is_inside = true;
    pthread_mutex_lock(&attach.lock);
    const double begun = host_clock();
    if (attach.settings.is_timed)
        host_time_end();
    for (host_context *c = attach.contexts; c; c = c->next) {
        if (c->handle)
            host_snapshot(c, NULL, true);
        host_trace_end(c);
    }
    host_capture_end();
    host_budget_end();
    host_clock_add(WORK_END, begun);
    host_clock_end();
    attach.writer.head->ended = 1;
    pthread_mutex_unlock(&attach.lock);
}

/* A callback that waits for a kernel may hold the lock as long as the kernel runs: never wait for
 * the lock. */
static void *watch(void *unused) {
    double limit = attach.settings.watchdog_seconds;
    (void)unused;
    for (;;) {
        usleep(500000);
        double waited = host_now() - attach.launched_at;
        if (attach.is_stuck_told || attach.launched_at == 0 || waited < limit ||
            attach.synchronized_at > attach.launched_at)
            continue;
        bool is_mine = pthread_mutex_trylock(&attach.lock) == 0;
        attach.is_stuck_told = true;
        host_note("%.0f s after the launch of %s nothing was seen to end", waited,
                  attach.writer.head->last_kernel);
        if (is_mine)
            pthread_mutex_unlock(&attach.lock);
    }
    return NULL;
}

static void start_watchdog(void) {
    pthread_t thread;
    if (attach.settings.watchdog_seconds > 0 && pthread_create(&thread, NULL, watch, NULL) == 0)
        pthread_detach(thread);
}

/* Always returns 1: 0 makes the driver refuse to work. */
__attribute__((visibility("default"))) int InitializeInjection(void);
int InitializeInjection(void) {
    const char *path = getenv("SMP_INSTRUMENT_DUMP");
    if (attach.writer.file >= 0 || !path || *path == '\0')
        return 1;
    if (!instrument_writer_open(&attach.writer, path)) {
        fprintf(stderr, "smemprobe: '%s' could not be written: %s\n", path, strerror(errno));
        return 1;
    }
    attach.process = (int)getpid();
    (void)pthread_atfork(NULL, NULL, note_fork);
    const double start = host_now();
    read_settings();
    host_clock_start();
    const double begun = host_clock();
    if (host_is_budgeted())
        host_budget_begin(attach.settings.overhead, stop_counting);
    write_circumstances();
    if (attach.settings.is_timed ? host_time_begin() : host_open() && subscribe()) {
        start_watchdog();
        atexit(at_exit);
        at_quick_exit(at_exit);
    }
    host_budget_spend(host_now() - start);
    host_clock_add(WORK_START, begun);
    return 1;
}
