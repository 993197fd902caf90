/* SPDX-License-Identifier: MIT */
/*
 * Launches. They are checked as a GPU checks them and run by the emulator; its findings become the
 * errors that a GPU would report.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "interface.h"
#include "live_page.h"

/* ---- <<<...>>> ---- */

typedef struct configuration {
    dim3 grid, block;
    size_t shared_bytes;
    cudaStream_t stream;
} configuration;

enum { CONFIGURATIONS = 64 };
static _Thread_local configuration pushed[CONFIGURATIONS];
static _Thread_local unsigned pushed_count;

RT_EXPORT unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared_bytes,
                                               cudaStream_t stream) {
    if (pushed_count == CONFIGURATIONS)
        return 1;
    pushed[pushed_count++] = (configuration){grid, block, shared_bytes, stream};
    return 0;
}

RT_FUNCTION(__cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared_bytes,
                                       void *stream)) {
    if (pushed_count == 0)
        RT_DO(cudaErrorMissingConfiguration);
    const configuration *top = &pushed[--pushed_count];
    *grid = top->grid;
    *block = top->block;
    *shared_bytes = top->shared_bytes;
    memcpy(stream, &top->stream, sizeof top->stream);
    return cudaSuccess;
}

/* ---- Making a launch ---- */

static cudaError_t check_shape(const rt_kernel *kernel, dim3 grid, dim3 block,
                               size_t shared_bytes) {
    const smp_arch *arch = rt_arch();
    const uint64_t threads = (uint64_t)block.x * block.y * block.z;
    const smp_function *f = kernel->function;
    const uint32_t *bound = f->max_threads;
    const size_t fixed = 1024u * arch->shared_static_kib, most = 1024u * arch->shared_block_kib;
    if (threads == 0 || (uint64_t)grid.x * grid.y * grid.z == 0 || threads > 1024 || block.z > 64 ||
        grid.x > 0x7fffffff || grid.y > 65535 || grid.z > 65535)
        return cudaErrorInvalidConfiguration;
    if (bound[0] > 0 && threads > (uint64_t)bound[0] * bound[1] * bound[2])
        return cudaErrorInvalidValue;
    const size_t limit = kernel->dynamic_shared_max > 0 ? most : fixed;
    if (f->shared_bytes + shared_bytes > limit ||
        (f->shared_bytes + shared_bytes > fixed && shared_bytes > kernel->dynamic_shared_max))
        return cudaErrorInvalidValue;
    const uint64_t warps = (threads + 31) / 32,
                   unit = arch->register_unit ? arch->register_unit : 1;
    if (warps * ((f->registers * 32ull + unit - 1) / unit * unit) > arch->sm_registers)
        return cudaErrorLaunchOutOfResources;
    return cudaSuccess;
}

cudaError_t rt_launch_make(const void *function, dim3 grid, dim3 block, size_t shared_bytes,
                           void **arguments, rt_work *out) {
    cudaError_t result;
    memset(out, 0, sizeof *out);
    const rt_kernel *kernel = rt_kernel_find(function, &result);
    if (kernel)
        result = check_shape(kernel, grid, block, shared_bytes);
    if (result != cudaSuccess)
        return result;
    const smp_function *f = kernel->function;
    uint8_t *bytes = calloc(1, f->parameter_bytes + 16u);
    if (!bytes || (f->parameter_count > 0 && !arguments)) {
        free(bytes);
        return bytes ? cudaErrorInvalidValue : cudaErrorMemoryAllocation;
    }
    for (uint32_t i = 0; i < f->parameter_count; i++)
        memcpy(bytes + f->parameters[i].offset_bytes, arguments[i], f->parameters[i].size_bytes);
    out->kind = RT_WORK_LAUNCH;
    out->launch = (rt_launch){.function = function,
                              .grid = grid,
                              .block = block,
                              .cluster = {1, 1, 1},
                              .dynamic_shared_bytes = (uint32_t)shared_bytes,
                              .parameters = bytes,
                              .parameter_bytes = f->parameter_bytes};
    if (kernel->required_cluster[0] > 0)
        out->launch.cluster = (dim3){kernel->required_cluster[0], kernel->required_cluster[1],
                                     kernel->required_cluster[2]};
    return cudaSuccess;
}

/* ---- Running a launch ---- */

static cudaError_t error_of(const smp_finding *finding) {
    switch (finding->kind) {
    case SMP_FINDING_OUT_OF_BOUNDS:
    case SMP_FINDING_FREED:
        return cudaErrorIllegalAddress;
    case SMP_FINDING_MISALIGNED:
        return cudaErrorMisalignedAddress;
    case SMP_FINDING_LIMIT:
    case SMP_FINDING_BARRIER:
        return cudaErrorLaunchTimeout;
    case SMP_FINDING_ASSERTION:
        return cudaErrorAssert;
    case SMP_FINDING_UNKNOWN:
        return cudaErrorNotSupported;
    default:
        return cudaErrorLaunchFailure;
    }
}

static void take_findings(const smp_function *function, const smp_emulation *done,
                          const smp_launch *launch, smp_kernel_profile *kernel) {
    for (uint32_t i = 0; i < done->finding_count; i++)
        if (done->findings[i].ends)
            rt_break(error_of(&done->findings[i]));
    if (done->is_stopped) {
        char text[200];
        (void)snprintf(text, sizeof text, "a launch was stopped: %llu of its %llu %s had begun",
                       (unsigned long long)done->clusters_begun,
                       (unsigned long long)done->cluster_count,
                       launch->cluster[0] * launch->cluster[1] * launch->cluster[2] > 1 ? "clusters"
                                                                                        : "blocks");
        kernel->not_seen = strdup(text);
    } else if (!done->is_whole) {
        rt_break(cudaErrorLaunchFailure);
        kernel->not_seen = strdup("a launch ended early: see the findings");
    }
    if (done->is_whole && done->unknown_executed > 0)
        rt_note("%s: some executed instructions are not emulated; no stored value and no branch "
                "depended on them",
                smp_function_full_name(function));
}

static void set_shape(uint32_t out[3], dim3 from) {
    out[0] = from.x;
    out[1] = from.y;
    out[2] = from.z;
}

/* A launch that --launches excludes runs but is not counted. A launch outside the requested NVTX
 * ranges does not count towards --launches. */
static void leave_out(smp_kernel_profile *profile, bool is_inside) {
    for (uint32_t i = 0; i < profile->site_count; i++)
        smp_site_clear(&profile->sites[i]);
    profile->site_count = 0;
    profile->launches = 0;
    profile->launches_skipped = is_inside;
}

/* Runs the launch, and keeps it on request. */
static smp_status emulate(const rt_kernel *kernel, const smp_launch *launch,
                          smp_kernel_profile *profile, smp_emulation *done, smp_error *error) {
    const smp_code *code = rt_module_code(kernel->module);
    smp_kept_launch kept = {0};
    const bool is_kept = rt_keep_is_wanted(kernel);
    smp_status status = SMP_OK;
    if (is_kept)
        status = smp_kept_take(code, kernel->function, launch, rt_memory(), true, &kept, error);
    if (status == SMP_OK)
        status = smp_emulate(code, kernel->function, rt_memory(), launch, profile, done, error);
    if (is_kept && status == SMP_OK)
        status = smp_kept_take_after(rt_memory(), &kept, error);
    if (is_kept && status == SMP_OK && done->is_whole)
        rt_keep_write(kernel, &kept);
    smp_kept_clear(&kept);
    return status;
}

/* "BLOCK:ALL", in warp instructions. */
static void set_limits(smp_launch *launch) {
    const char *limit = getenv("SMP_RUNTIME_LIMIT");
    char *colon = NULL;
    launch->run.block_limit = limit ? strtoull(limit, &colon, 10) : 0;
    launch->run.launch_limit = colon && *colon == ':' ? strtoull(colon + 1, NULL, 10) : 0;
}

static bool lets_next_begin;

bool rt_launch_lets_next_begin(void) {
    return lets_next_begin;
}

static smp_launch launch_of(const rt_kernel *kernel, const rt_launch *asked) {
    smp_launch launch = {.is_cooperative = asked->is_cooperative,
                         .dynamic_shared_bytes = asked->dynamic_shared_bytes,
                         .parameters = asked->parameters,
                         .arch = rt_arch(),
                         .heap_bytes = rt_heap_bytes(),
                         .run.stack_bytes = rt_stack_bytes(),
                         .output = stdout,
                         .output_bytes = rt_printf_bytes(),
                         .textures = rt_textures(),
                         .module = rt_module_loaded(kernel->module),
                         .stop = rt_stop(),
                         .run.races = getenv("SMP_RUNTIME_RACES"),
                         .beside = rt_order_beside(),
                         .work = rt_order_now(),
                         .trace = rt_trace(kernel)};
    set_limits(&launch);
    set_shape(launch.grid, asked->grid);
    set_shape(launch.block, asked->block);
    set_shape(launch.cluster, asked->cluster);
    return launch;
}

/* The number of the only argument that is a pointer into the array; 0 if there is none, or there
 * are several. */
static unsigned argument_of(const smp_function *f, const void *parameters, const char *name) {
    const smp_emu_memory *memory = rt_memory();
    unsigned found = 0;
    for (uint32_t i = 0; i < f->parameter_count; i++) {
        uint64_t pointer = 0;
        if (f->parameters[i].size_bytes != sizeof pointer)
            continue;
        memcpy(&pointer, (const char *)parameters + f->parameters[i].offset_bytes, sizeof pointer);
        EACH(const smp_emu_array, array, memory->arrays, memory->count) {
            if (strcmp(array->name, name) != 0 || pointer < array->address ||
                pointer - array->address >= array->size_bytes + array->freed_bytes)
                continue;
            if (found > 0)
                return 0;
            found = i + 1;
        }
    }
    return found;
}

/* Writes "argument 2" in place of the "allocation 5" with which the name begins. */
static void rename_in(char *text, size_t size, const char *name, unsigned number) {
    static const char word[] = "allocation ";
    char rest[sizeof((smp_finding *)NULL)->message];
    char *at = strstr(text, name);
    if (!at)
        return;
    const char *behind = at + sizeof word - 1 + strspn(at + sizeof word - 1, "0123456789");
    (void)snprintf(rest, sizeof rest, "%s", behind);
    (void)snprintf(at, size - (size_t)(at - text), "argument %u%s", number, rest);
}

static void name_arguments(const smp_function *f, const smp_launch *launch, smp_emulation *done) {
    EACH(smp_finding, finding, done->findings, done->finding_count) {
        char name[sizeof finding->array];
        const unsigned number = strncmp(finding->array, "allocation ", 11) == 0
                                    ? argument_of(f, launch->parameters, finding->array)
                                    : 0;
        if (number == 0)
            continue;
        memcpy(name, finding->array, sizeof name);
        rename_in(finding->message, sizeof finding->message, name, number);
        rename_in(finding->array, sizeof finding->array, name, number);
    }
}

/* Handles the results of a launch other than its figures. */
static void settle(const rt_kernel *kernel, const smp_launch *launch, smp_emulation *done,
                   smp_kernel_profile *profile) {
    name_arguments(kernel->function, launch, done);
    take_findings(kernel->function, done, launch, profile);
    rt_left_write(kernel, launch, done->is_whole);
    if (done->output_dropped > 0)
        rt_note("%s: %llu printf calls are cut or missing: a launch prints at most %llu bytes "
                "(cudaLimitPrintfFifoSize)",
                kernel->name, (unsigned long long)done->output_dropped,
                (unsigned long long)launch->output_bytes);
}

static cudaError_t end_launch(void) {
    rt_launch_ended();
    return rt_broken();
}

cudaError_t rt_launch_run(const rt_launch *asked) {
    cudaError_t result;
    smp_error error;
    smp_emulation done;
    smp_kernel_profile profile = {0};
    rt_kernel *kernel = rt_kernel_find(asked->function, &result);
    if (!kernel)
        return result;
    const smp_launch launch = launch_of(kernel, asked);
    const bool is_counted = rt_launch_is_counted(kernel->launches, UINT64_MAX),
               is_inside = rt_ranges_fit();
    rt_repeat *repeat = launch.trace || launch.beside || !is_inside || rt_stop_samples()
                            ? NULL
                            : rt_repeat_find(kernel, asked, is_counted);
    rt_launch_begins();
    if (is_counted) {
        rt_ranges_note(kernel);
        rt_caller_note(kernel);
    }
    live_page_launch(smp_function_full_name(kernel->function), is_counted);
    if (rt_repeat_counts(repeat)) {
        kernel->launches++;
        rt_profile_changed();
        rt_left_write(kernel, &launch, true);
        return end_launch();
    }
    if (rt_stop_samples()) {
        if (is_inside)
            rt_sample_skip(kernel, &launch, &(smp_emulation){0});
        return end_launch();
    }
    const smp_status status = emulate(kernel, &launch, &profile, &done, &error);
    if (launch.trace)
        rt_trace_took(&done, status);
    if (status != SMP_OK) {
        rt_note("%s: %s", kernel->name, error.message);
        smp_kernel_clear(&profile);
        rt_launch_ended();
        return status == SMP_E_MEMORY  ? cudaErrorMemoryAllocation
               : status == SMP_E_RANGE ? cudaErrorInvalidConfiguration
                                       : cudaErrorUnknown;
    }
    lets_next_begin = done.lets_next_begin;
    settle(kernel, &launch, &done, &profile);
    if (done.is_stopped && rt_stop_samples() && is_inside &&
        !rt_sample_stopped(kernel, &launch, &done, &profile)) {
        rt_sample_skip(kernel, &launch, &done);
        smp_kernel_clear(&profile);
        return end_launch();
    }
    kernel->launches += is_inside;
    if (!is_counted)
        leave_out(&profile, is_inside);
    if (is_inside || done.finding_count > 0)
        rt_profile_add(kernel->function, &done, &profile, repeat);
    smp_kernel_clear(&profile);
    return end_launch();
}

/* ---- The interface ---- */

/* All blocks must fit on the GPU at once; if they do not, the work is cleared. */
static cudaError_t make_cooperative(rt_work *work) {
    cudaError_t result;
    rt_launch *launch = &work->launch;
    const rt_kernel *kernel = rt_kernel_find(launch->function, &result);
    const uint32_t threads = launch->block.x * launch->block.y * launch->block.z;
    const uint64_t blocks = (uint64_t)launch->grid.x * launch->grid.y * launch->grid.z;
    const uint64_t room =
        kernel ? (uint64_t)rt_resident(kernel, threads, launch->dynamic_shared_bytes) *
                     rt_device_played()->multiprocessors
               : 0;
    launch->is_cooperative = true;
    if (!kernel || blocks <= room)
        return result;
    free(launch->parameters);
    launch->parameters = NULL;
    return cudaErrorCooperativeLaunchTooLarge;
}

static cudaError_t take_attributes(const cudaLaunchAttribute *attributes, unsigned count,
                                   rt_work *work) {
    cudaError_t result = cudaSuccess;
    for (unsigned i = 0; i < count && result == cudaSuccess; i++) {
        const cudaLaunchAttribute *attribute = &attributes[i];
        if (attribute->id == cudaLaunchAttributeClusterDimension)
            work->launch.cluster = attribute->val.clusterDim;
        else if (attribute->id == cudaLaunchAttributeCooperative && attribute->val.cooperative)
            result = make_cooperative(work);
        else if (attribute->id == cudaLaunchAttributeProgrammaticStreamSerialization)
            work->launch.is_early = attribute->val.programmaticStreamSerializationAllowed != 0;
    }
    return result;
}

static cudaError_t launch_as(const void *function, const cudaLaunchConfig_t *config,
                             void **arguments, bool is_cooperative) {
    rt_work work;
    cudaError_t result = rt_launch_make(function, config->gridDim, config->blockDim,
                                        config->dynamicSmemBytes, arguments, &work);
    if (result == cudaSuccess)
        result = take_attributes(config->attrs, config->numAttrs, &work);
    if (result == cudaSuccess && is_cooperative)
        result = make_cooperative(&work);
    return result == cudaSuccess ? rt_work_submit(config->stream, &work) : result;
}

#define CONFIG (&(cudaLaunchConfig_t){grid, block, shared_bytes, stream, NULL, 0})

RT_CALL(cudaLaunchKernel(const void *function, dim3 grid, dim3 block, void **arguments,
                         size_t shared_bytes, cudaStream_t stream),
        launch_as(function, CONFIG, arguments, false));
RT_CALL(cudaLaunchCooperativeKernel(const void *function, dim3 grid, dim3 block, void **arguments,
                                    size_t shared_bytes, cudaStream_t stream),
        launch_as(function, CONFIG, arguments, true));
RT_CALL(cudaLaunchKernelExC(const cudaLaunchConfig_t *config, const void *function,
                            void **arguments),
        config ? launch_as(function, config, arguments, false) : cudaErrorInvalidValue);

/* ---- The driver's ---- */

enum { EXTRA_END = 0, EXTRA_BUFFER = 1, EXTRA_BYTES = 2 };

/* Takes arguments from a buffer that is laid out like the kernel's parameters. The caller always
 * frees *pointers. */
static cudaError_t take_buffer(const void *function, void **extra, void ***pointers) {
    uint8_t *buffer = NULL;
    size_t bytes = 0;
    cudaError_t result;
    for (; *extra != (void *)EXTRA_END; extra += 2) {
        if (extra[0] == (void *)EXTRA_BUFFER)
            buffer = extra[1];
        else if (extra[0] == (void *)EXTRA_BYTES)
            bytes = *(const size_t *)extra[1];
        else
            return cudaErrorInvalidValue;
    }
    const rt_kernel *kernel = rt_kernel_find(function, &result);
    if (!kernel)
        return result;
    const smp_function *f = kernel->function;
    *pointers = calloc(f->parameter_count + 1u, sizeof **pointers);
    if (!*pointers)
        return cudaErrorMemoryAllocation;
    for (uint32_t i = 0; i < f->parameter_count; i++) {
        if (!buffer || f->parameters[i].offset_bytes + f->parameters[i].size_bytes > bytes)
            return cudaErrorInvalidValue;
        (*pointers)[i] = buffer + f->parameters[i].offset_bytes;
    }
    return cudaSuccess;
}

static cudaError_t drv_launch(cudaKernel_t function, const CUlaunchConfig *c, void **arguments,
                              void **extra, bool is_cooperative) {
    void **taken = NULL;
    if (!c || (arguments && extra))
        return cudaErrorInvalidValue;
    const cudaLaunchConfig_t config = drv_launch_config(c);
    cudaError_t result = extra ? take_buffer(function, extra, &taken) : cudaSuccess;
    if (result == cudaSuccess)
        result = launch_as(function, &config, extra ? taken : arguments, is_cooperative);
    free(taken);
    return result == cudaErrorInvalidDeviceFunction ? cudaErrorInvalidResourceHandle : result;
}

#define DRV_CONFIG                                                                              \
    (&(CUlaunchConfig){grid_x, grid_y, grid_z, block_x, block_y, block_z, shared_bytes, stream, \
                       NULL, 0})

DRV_CALL(cuLaunchKernel(cudaKernel_t function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                        unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes,
                        cudaStream_t stream, void **arguments, void **extra),
         drv_launch(function, DRV_CONFIG, arguments, extra, false));
DRV_CALL(cuLaunchCooperativeKernel(cudaKernel_t function, unsigned grid_x, unsigned grid_y,
                                   unsigned grid_z, unsigned block_x, unsigned block_y,
                                   unsigned block_z, unsigned shared_bytes, cudaStream_t stream,
                                   void **arguments),
         drv_launch(function, DRV_CONFIG, arguments, NULL, true));
DRV_CALL(cuLaunchKernelEx(const CUlaunchConfig *config, cudaKernel_t function, void **arguments,
                          void **extra),
         drv_launch(function, config, arguments, extra, false));
