/* SPDX-License-Identifier: MIT */
/*
 * Reads the memory that a kept launch can reach. When the driver call begins, it waits for all
 * earlier work and asks the driver for addresses of variables. When the launch begins, it reads the
 * memory that the parameters lead to. When the call ends, it waits for the launch and reads the
 * memory again. Launches by graphs, and into streams being captured, have no such call and are not
 * kept.
 *
 * With SMP_INSTRUMENT_SAMPLE, launches are kept in place of looks, and the report runs blocks of
 * them. Memory is read only if that waits for nothing; else only the places of arrays are kept
 * (kept_sample.c tries whether a kernel depends on the rest), and so for kernels of graphs.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host_budget.h"
#include "host_capture.h"
#include "host_clock.h"
#include "host_shapes.h"

#define BYTES_MAX (2ull << 30)
/* Limits for launches kept in place of looks: how many, how many of them with memory, and up to
 * which size arrays are searched for pointers. */
enum { SAMPLES_MAX = 64, SAMPLES_READ = 16, SAMPLE_POINTERS = 1 << 20 };
/* Larger arrays are not read, nor anything beyond SAMPLE_BYTES in all: their contents seldom decide
 * which way a kernel takes, and kept_sample.c tries whether they do. */
enum { SAMPLE_ARRAY = 32 << 20, SAMPLE_BYTES = 64 << 20 };

/* The launch of this thread, from the beginning of its call to the end. */
typedef struct call {
    host_call of;           /* function NULL if none */
    capture_launch *launch; /* NULL if not kept */
    void *module, *stream_handle;
    bool has_variables;
    uint64_t bytes_max;
} call;

static __thread call now;
static unsigned kept, kept_read, of_graphs;
static const void **done; /* functions with enough kept launches */
static size_t done_count;

void host_capture_forget(void) {
    done_count = 0;
}

static bool is_done(const void *function) {
    for (size_t i = 0; i < done_count; i++)
        if (done[i] == function)
            return true;
    return false;
}

static void add_done(const void *function) {
    const void **one = host_grow((void **)&done, &done_count, sizeof *one);
    if (one)
        *one = function;
}

static void free_launch(capture_launch *launch) {
    if (!launch)
        return;
    host_variables_clear(&launch->variables);
    smp_kept_clear(&launch->of);
    free(launch);
}

/* ---- The call begins ---- */

/* Waits for all work of the context; false if the stream is being captured, or on failure. */
static bool wait_for_all(void *stream) {
    int (*synchronize)(void), captures = 0, mode = CAPTURE_RELAXED;
    const host_events *driver = host_find_events();
    if (!driver || !host_driver_function("cuCtxSynchronize", &synchronize) ||
        driver->capturing(stream, &captures) != 0 || captures != 0 || driver->exchange(&mode) != 0)
        return false;
    const bool is_over = synchronize() == 0;
    (void)driver->exchange(&mode);
    return is_over;
}

/* Finds the variables of all modules loaded before this call. */
static void find_variables(host_context *context) {
    for (size_t i = 0; i < context->module_count; i++) {
        host_module *module = &context->modules[i];
        host_variables found = {NULL, 0};
        void *handle = module->handle;
        if (!handle || module->has_variables || !host_is_still_there(module))
            continue;
        module->has_variables = true;
        host_variables_list(&(cubin_image){module->cubin, module->cubin_bytes}, &found);
        const double begun = host_clock();
        host_outside();
        host_variables_find(handle, &found);
        host_inside();
        host_clock_add(WORK_VARIABLE, begun);
        module = host_find_module(context, handle);
        if (module)
            module->variables = found;
        else
            host_variables_clear(&found);
    }
}

static bool is_in_place_of_look(void) {
    return kept < SAMPLES_MAX && host_budget_is_first() && host_budget_may_keep();
}

/* Returns how many bytes of memory may be read for the launch, once nothing runs; 0 for none. */
static uint64_t readable_bytes(host_context *context, void *stream) {
    if (attach.settings.is_sampling) {
        const uint64_t most = kept_read < SAMPLES_READ ? host_budget_sample_bytes() : 0;
        const bool may = most > 0 && context && host_leave_wait(context);
        return !may ? 0 : most < SAMPLE_BYTES ? most : SAMPLE_BYTES;
    }
    host_outside();
    const bool is_over = wait_for_all(stream);
    host_inside();
    return is_over ? BYTES_MAX : 0;
}

static bool is_wanted(const host_call *begun, const san_api_data *data) {
    host_outside();
    const char *name = host_call_name(data, begun->function);
    host_inside();
    return !name || host_is_wanted(name);
}

static void begin_call(uint32_t id, const san_api_data *data) {
    host_call begun;
    free_launch(now.launch);
    now = (call){.launch = NULL};
    if (!host_read_call(id, data->parameters, &begun))
        return;
    host_context *context = host_find_context(data->context);
    if (!begun.function && attach.settings.is_sampling && context && host_graph_is_open())
        find_variables(context); /* for host_capture_node */
    if (!begun.function || is_done(begun.function) ||
        (attach.settings.is_sampling && !is_in_place_of_look()) || !is_wanted(&begun, data))
        return;
    const uint64_t most = readable_bytes(context, begun.stream);
    if (most == 0 && !attach.settings.is_sampling)
        return;
    if (context)
        find_variables(context);
    now.of = begun;
    now.bytes_max = most;
}

/* ---- The launch begins ---- */

static bool copy_parameters(capture_launch *launch) {
    smp_kept_launch *out = &launch->of;
    const cubin_image image = {(const char *)out->code, out->code_bytes};
    cubin_parameters *list = malloc(sizeof *list);
    const bool is_known = list && host_cubin_parameters(&image, out->kernel, list);
    out->parameter_bytes = is_known ? list->bytes : 0;
    out->parameters = calloc(1, (size_t)out->parameter_bytes + 8);
    for (uint32_t i = 0; is_known && out->parameters && now.of.values && i < list->count; i++)
        memcpy(out->parameters + list->list[i].offset, now.of.values[i], list->list[i].size);
    if (out->parameters && !now.of.values)
        host_copy_packed(now.of.extra, out->parameters, out->parameter_bytes);
    free(list);
    return is_known && out->parameters;
}

static bool overlaps(const capture_launch *launch, const host_range *range) {
    for (uint32_t i = 0; i < launch->of.array_count; i++) {
        const smp_kept_array *other = &launch->of.arrays[i];
        if (range->address < other->address + other->size_bytes &&
            other->address < range->address + range->bytes)
            return true;
    }
    return false;
}

/* Takes ownership of `bytes`; NULL: the array was not read. */
static bool add_array(const host_range *range, const char *name, uint8_t *bytes,
                      capture_launch *out) {
    size_t count = out->of.array_count;
    smp_kept_array *array = host_grow((void **)&out->of.arrays, &count, sizeof *array);
    if (!array) {
        free(bytes);
        return false;
    }
    out->of.array_count = (uint32_t)count;
    *array = (smp_kept_array){.name = strdup(name),
                              .address = range->address,
                              .size_bytes = range->bytes,
                              .before = bytes,
                              .is_unread = !bytes,
                              .flags = range->flags};
    return array->name;
}

/* True if only the array's place and size are kept, for a sample. */
static bool is_left_unread(const host_range *range, const capture_launch *launch) {
    return attach.settings.is_sampling &&
           (range->bytes > SAMPLE_ARRAY || launch->bytes + range->bytes > now.bytes_max);
}

/* Reads memory. Releases the lock meanwhile. */
static bool read_range(const host_range *range, void *to) {
    const double begun = host_clock();
    host_outside();
    const bool is_read = host_memory_read(range, now.stream_handle, to);
    host_inside();
    host_clock_add(WORK_READ, begun);
    return is_read;
}

/* Variables that were read together, as each read takes some 25 us. The driver puts them 256 bytes
 * apart. */
typedef struct together {
    const host_variable **by_address;
    size_t count;
    host_range range; /* of the last ones read */
    char *bytes;      /* NULL: none was read */
} together;

/* Smaller gaps can be read, too: they are in pages of the variables beside them. The others: what
 * is read in the time that a read takes in any case. */
enum { GAP_BYTES = 4096, TOGETHER_BYTES = 128 << 10 };

static int compare_places(const void *a, const void *b) {
    const host_variable *const *x = a, *const *y = b;
    return ((*x)->address > (*y)->address) - ((*x)->address < (*y)->address);
}

/* Without memory, each is read by itself. */
static void begin_together(const host_variables *all, together *out) {
    *out = (together){.by_address = calloc(all->count + 1, sizeof(void *))};
    for (size_t i = 0; out->by_address && i < all->count; i++)
        if (all->list[i].address != 0)
            out->by_address[out->count++] = &all->list[i];
    if (out->by_address)
        qsort(out->by_address, out->count, sizeof(void *), compare_places);
}

static void end_together(together *read) {
    free(read->by_address);
    free(read->bytes);
}

/* Reads all variables around this one that have no larger gap between them. On failure, and if
 * there are none, it is read by itself later. */
static void read_together(const host_variable *one, together *out) {
    uint64_t first = 0, end = 0, count = 0;
    for (size_t i = 0; i < out->count; i++) {
        const host_variable *other = out->by_address[i];
        if (count == 0 || other->address >= end + GAP_BYTES) {
            if (count > 0 && end > one->address)
                break; /* it was among those before */
            first = end = other->address;
            count = 0;
        }
        end = other->address + other->bytes > end ? other->address + other->bytes : end;
        count++;
    }
    const bool is_there = first <= one->address && one->address < end;
    const bool may = is_there && count > 1 && end - first <= count * TOGETHER_BYTES &&
                     end - first <= now.bytes_max;
    char *bytes = may ? malloc(end - first) : NULL;
    const host_range range = {first, end - first, 0};
    if (bytes && read_range(&range, bytes)) {
        free(out->bytes);
        out->bytes = bytes;
        out->range = range;
        return;
    }
    free(bytes);
}

static bool is_among(const together *read, const host_range *range) {
    const uint64_t at = range->address - read->range.address;
    return read->bytes && range->address >= read->range.address && at <= read->range.bytes &&
           range->bytes <= read->range.bytes - at;
}

/* Reads an array, or takes a variable's bytes from those read together. */
static bool read_or_copy(const host_range *range, const together *read, void *to) {
    if (!is_among(read, range))
        return read_range(range, to);
    memcpy(to, read->bytes + (range->address - read->range.address), range->bytes);
    return true;
}

/* Reads an array, unless it was already read. Releases the lock meanwhile. False if it is too large
 * or cannot be read. */
static bool take_array(host_range range, const char *name, const together *read,
                       capture_launch *out) {
    if (range.bytes == 0 || overlaps(out, &range))
        return true;
    if (is_left_unread(&range, out))
        return add_array(&range, name, NULL, out);
    out->bytes += range.bytes;
    uint8_t *bytes = out->bytes <= now.bytes_max ? host_memory_room(range.bytes) : NULL;
    return bytes && add_array(&range, name, bytes, out) && read_or_copy(&range, read, bytes);
}

/* Takes constant memory as one array, with the cubin's contents between variables. */
static bool take_constants(const host_variable *variable, const together *read,
                           capture_launch *out) {
    const host_range range = {variable->address - variable->value, variable->home_bytes, 0};
    if (out->of.constants == 0 && is_left_unread(&range, out)) {
        out->of.constants = range.address;
        return take_array(range, "constant memory", read, out);
    }
    if (out->of.constants == 0 && !overlaps(out, &range)) {
        uint8_t *bytes = calloc(1, range.bytes + 1);
        if (!bytes || !add_array(&range, "constant memory", bytes, out))
            return false;
        if (variable->home != 0)
            memcpy(bytes, out->of.code + variable->home, range.bytes);
        out->of.constants = range.address;
        out->bytes += range.bytes;
    }
    for (uint32_t i = 0; i < out->of.array_count; i++) {
        const smp_kept_array *array = &out->of.arrays[i];
        if (array->address != out->of.constants || array->address != range.address)
            continue;
        if (!array->before)
            return true; /* left unread */
        return read_or_copy(&(host_range){variable->address, variable->bytes, 0}, read,
                            array->before + variable->value);
    }
    return true;
}

static void set_as_in_code(const host_variable *variable, capture_launch *out) {
    for (uint32_t i = 0; i < out->of.array_count; i++) {
        const smp_kept_array *array = &out->of.arrays[i];
        if (array->address != variable->address || array->size_bytes != variable->bytes ||
            !array->before)
            continue;
        memset(array->before, 0, variable->bytes);
        if (variable->home != 0)
            memcpy(array->before, out->of.code + variable->home + variable->value, variable->bytes);
    }
}

static bool take_variable(const host_variable *variable, const together *read,
                          capture_launch *out) {
    const host_range range = {variable->address, variable->bytes, 0};
    return variable->is_constant ? take_constants(variable, read, out)
                                 : take_array(range, variable->name, read, out);
}

/* `is_new`: this call loaded the module, so variables still have their initial values. */
static bool take_variables(capture_launch *out, bool is_new) {
    together read;
    bool is_taken = true;
    begin_together(&out->variables, &read);
    for (size_t i = 0; i < out->variables.count && is_taken; i++) {
        const host_variable *variable = &out->variables.list[i];
        if (variable->address == 0 || variable->value > variable->home_bytes ||
            variable->bytes > variable->home_bytes - variable->value)
            continue;
        if (!is_among(&read, &(host_range){variable->address, variable->bytes, 0}))
            read_together(variable, &read);
        is_taken = take_variable(variable, &read, out);
        if (is_taken && is_new && !variable->is_constant)
            set_as_in_code(variable, out);
    }
    end_together(&read);
    return is_taken;
}

/* Treats any aligned 8 bytes that are a valid address as a pointer. */
static bool take_pointed_at(const uint8_t *bytes, uint64_t count, bool are_parameters,
                            capture_launch *out) {
    for (uint64_t at = 0; at + 8 <= count; at += 8) {
        uint64_t address;
        char name[64];
        memcpy(&address, bytes + at, 8);
        const host_range *range = host_memory_find(address);
        if (!range)
            continue;
        (void)snprintf(name, sizeof name, are_parameters ? "parameter at %llu" : "memory at 0x%llx",
                       (unsigned long long)(are_parameters ? at : range->address));
        if (!take_array(*range, name, &(together){.bytes = NULL}, out))
            return false;
    }
    return true;
}

static bool take_all(const host_module *module, capture_launch *out) {
    if ((module->has_variables && !host_variables_copy(&module->variables, &out->variables)) ||
        !take_variables(out, false) ||
        !take_pointed_at(out->of.parameters, out->of.parameter_bytes, true, out))
        return false;
    for (uint32_t i = 0; i < out->of.array_count; i++) { /* the list grows while this runs */
        const smp_kept_array one = out->of.arrays[i];
        if (one.is_unread || (attach.settings.is_sampling && one.size_bytes > SAMPLE_POINTERS))
            continue;
        if (!take_pointed_at(one.before, one.size_bytes, false, out))
            return false;
    }
    return true;
}

static capture_launch *new_launch(const host_module *module, const san_launch_data *from,
                                  uint32_t shared_bytes) {
    capture_launch *made = calloc(1, sizeof *made);
    if (!made)
        return NULL;
    smp_kept_launch *out = &made->of;
    memcpy(out->grid, from->grid, sizeof out->grid);
    memcpy(out->block, from->block, sizeof out->block);
    for (unsigned i = 0; i < 3; i++)
        out->cluster[i] = from->cluster[i] > 0 ? from->cluster[i] : 1;
    out->dynamic_shared_bytes = shared_bytes;
    out->is_cooperative = now.of.is_cooperative;
    out->kind = host_budget_first_kind();
    out->kernel = strdup(from->function_name ? from->function_name : "?");
    out->code = malloc(module->cubin_bytes + 1);
    out->code_bytes = module->cubin_bytes;
    out->code_file = module->code_file ? strdup(module->code_file) : NULL;
    if (out->kernel && out->code && host_is_still_there(module)) {
        memcpy(out->code, module->cubin, module->cubin_bytes);
        return made;
    }
    free_launch(made);
    return NULL;
}

static void say_not_kept(const char *kernel, const char *why) {
    if (attach.settings.is_sampling)
        return;
    host_note("a launch of %.200s was not kept: %s", kernel ? kernel : "?", why);
}

void host_capture_begin(host_context *context, const san_launch_data *launch, uint64_t before) {
    const uint64_t most = attach.settings.captures_max;
    if (!now.of.function)
        return;
    if (before + 1 >= most && !attach.settings.is_marked)
        add_done(now.of.function);
    if (before >= most)
        return;
    const host_module *module = host_find_module(context, launch->module);
    capture_launch *taken = module ? new_launch(module, launch, now.of.shared_bytes) : NULL;
    now.module = launch->module;
    now.stream_handle = launch->stream_handle;
    now.has_variables = module && module->has_variables;
    if (now.bytes_max > 0)
        host_budget_delayed();
    const double start = host_now();
    const bool is_taken = taken && copy_parameters(taken) && take_all(module, taken);
    host_budget_sampled(host_now() - start, now.bytes_max > 0);
    if (is_taken) {
        now.launch = taken;
        return;
    }
    say_not_kept(launch->function_name, taken && taken->bytes > BYTES_MAX
                                            ? "it can reach more than 2 GiB of memory"
                                            : "its code or its memory could not be read");
    free_launch(taken);
}

/* ---- The call ends ---- */

static bool take_after(smp_kept_launch *launch) {
    for (uint32_t i = 0; i < launch->array_count; i++) {
        smp_kept_array *array = &launch->arrays[i];
        const host_range range = {array->address, array->size_bytes, array->flags};
        if (range.address == launch->constants)
            continue;
        uint8_t *bytes = malloc(range.bytes);
        if (!bytes || !host_memory_read(&range, now.stream_handle, bytes)) {
            free(bytes);
            return false;
        }
        if (memcmp(bytes, array->before, range.bytes) == 0)
            free(bytes);
        else
            array->after = bytes;
    }
    return true;
}

static bool is_read_whole(const smp_kept_launch *launch) {
    for (uint32_t i = 0; i < launch->array_count; i++)
        if (launch->arrays[i].is_unread)
            return false;
    return true;
}

/* Writes the launch's folder; returns 0 or an errno. Releases the lock meanwhile. */
static int write_launch(capture_launch *launch, host_context *context, const void *module_handle,
                        char name[KEPT_PATH_BYTES]) {
    const double begun = host_clock();
    host_outside();
    const int error = host_kept_write(launch, name);
    host_inside();
    host_clock_add(WORK_KEEP, begun);
    host_module *module = context ? host_find_module(context, module_handle) : NULL;
    if (error == 0 && module && !module->code_file &&
        asprintf(&module->code_file, "%s/code.cubin", name) < 0)
        module->code_file = NULL;
    return error;
}

static void end_call(const san_api_data *data) {
    capture_launch *launch = now.launch;
    const int *result = data->result;
    bool is_read = launch && result && *result == 0;
    const bool is_whole = !attach.settings.is_sampling;
    /* Addresses of new variables are only known once the launch has ended. In a sample they have
     * their initial values if this call loaded the module: nobody can have written to them. */
    if (is_read && is_whole && !now.has_variables)
        host_variables_list(&(cubin_image){(const char *)launch->of.code, launch->of.code_bytes},
                            &launch->variables);
    const double start = host_now();
    host_outside();
    is_read = is_read && (!is_whole || wait_for_all(now.of.stream));
    if (is_read && !now.has_variables)
        host_variables_find(now.module, &launch->variables);
    host_inside();
    host_clock_add(WORK_VARIABLE, start);
    if (is_read && !now.has_variables)
        is_read = take_variables(launch, true);
    host_outside();
    is_read = is_read && (!is_whole || take_after(&launch->of));
    host_inside();
    char name[KEPT_PATH_BYTES];
    const int error =
        is_read ? write_launch(launch, host_find_context(data->context), now.module, name) : 0;
    if (is_read && error == 0 && !attach.settings.is_sampling)
        host_note("kept in %s", name);
    else if (is_read)
        say_not_kept(launch->of.kernel, strerror(error));
    kept += is_read && error == 0;
    if (!is_whole && is_read && error == 0) {
        kept_read += now.bytes_max > 0;
        if (is_read_whole(&launch->of))
            host_budget_kept();
    }
    if (launch && !is_read)
        say_not_kept(launch->of.kernel, "it failed, or its memory could not be read afterwards");
    const uint64_t bytes_max = now.bytes_max;
    free_launch(launch);
    now = (call){.launch = NULL};
    if (!is_whole && launch) {
        host_budget_spend(host_now() - start);
        host_budget_sampled(host_now() - start, bytes_max > 0);
    }
}

void host_capture_node(host_context *context, const san_launch_data *launch,
                       host_function *function) {
    const host_module *module = host_find_module(context, launch->module);
    graph_kernel *kernel =
        host_graph_kernel(launch->function_name, launch->grid, launch->block, launch->module);
    host_node_shape *node = host_shape_of_node(function, launch, true);
    if (!node || node->is_kept || function->state.launches > 0 || !kernel || !kernel->parameters ||
        !module || !module->has_variables || kept >= SAMPLES_MAX || !host_budget_may_keep())
        return;
    const double start = host_now();
    node->is_kept = kernel->is_kept = true;
    const unsigned kind = node->kind;
    capture_launch *taken = new_launch(module, launch, kernel->shared_bytes);
    now.bytes_max = 0;
    if (taken) {
        taken->of.kind = kind;
        taken->of.parameters = kernel->parameters;
        taken->of.parameter_bytes = kernel->parameter_bytes;
        kernel->parameters = NULL;
    }
    if (taken && take_all(module, taken)) {
        char name[KEPT_PATH_BYTES];
        kept += write_launch(taken, context, launch->module, name) == 0;
    }
    free_launch(taken);
    host_budget_spend(host_now() - start);
    host_budget_sampled(host_now() - start, false);
}

void host_capture_call(uint32_t id, const san_api_data *data) {
    if (data->site == SAN_API_ENTER)
        begin_call(id, data);
    else if (now.of.function)
        end_call(data);
}

void host_capture_graph(void) {
    of_graphs += !!attach.settings.capture;
}

void host_capture_end(void) {
    if (attach.settings.capture && !attach.settings.is_sampling && kept == 0)
        host_note("no launch was kept%s", attach.writer.head->launches == 0 ? ""
                                          : of_graphs > 0 ? ": those of graphs are not"
                                                          : "");
}
