/* SPDX-License-Identifier: MIT */
/* Machine code from bytes, and launches of it, for other programs. */
#define _GNU_SOURCE /* memmem */

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "abi_sizes.h"
#include "emulate.h"
#include "launch_text.h"
#include "program_file.h"
#include "smp_machine.h"
#include "smp_trace.h"
#include "tool.h"

enum { PATH_BYTES = 4096 };

/* ---- Code ---- */

/* Copies the word after ".target", such as "sm_90". */
static void find_target(const char *text, size_t size, char out[16]) {
    const char *at = memmem(text, size, ".target", 7);
    size_t length = 0;
    out[0] = '\0';
    if (!at)
        return;
    for (at += 7; at < text + size && (*at == ' ' || *at == '\t');)
        at++;
    for (; at + length < text + size && length < 15 && strchr("sm_0123456789af", at[length]);)
        length++;
    memcpy(out, at, length);
    out[length] = '\0';
}

static smp_status assemble(const char *text, size_t size, const smp_arch *arch, smp_code **out,
                           smp_error *error) {
    char path[PATH_BYTES], target[16];
    find_target(text, size, target);
    if (!target[0])
        return smp_error_set(error, SMP_E_READ, -1, "neither a cubin nor PTX (no .target)");
    smp_status status = smp_tool_file(text, size, ".ptx", path, sizeof path, error);
    if (status != SMP_OK)
        return status;
    status = smp_program_assemble(path, arch ? arch->name : target, out, error);
    smp_tool_file_remove(path);
    return status;
}

smp_status smp_machine_open(const void *bytes, size_t size, const smp_arch *arch, smp_code **out,
                            smp_error *error) {
    smp_error own;
    *out = NULL;
    return size >= 4 && memcmp(bytes, "\177ELF", 4) == 0
               ? smp_code_open(bytes, size, out, error ? error : &own)
               : assemble(bytes, size, arch, out, error ? error : &own);
}

void smp_machine_close(smp_code *code) {
    smp_code_close(code);
}

uint32_t smp_machine_cc(const smp_code *code) {
    return smp_code_cc(code);
}

const char *smp_machine_kernel(const smp_code *code, size_t index, const char **demangled) {
    size_t count;
    const smp_function *all = smp_code_functions(code, &count);
    for (size_t i = 0; i < count; i++)
        if (all[i].is_kernel && index-- == 0) {
            if (demangled)
                *demangled = smp_function_full_name(&all[i]);
            return all[i].name;
        }
    return NULL;
}

/* ---- A launch ---- */

typedef struct machine_job {
    const smp_machine_options *options;
    const smp_machine_launch *asked;
    smp_launch_text text;
    const smp_function *function;
    smp_launch launch;
    smp_emu_memory memory;
    smp_launch_arguments arguments;
    smp_emulation done;
    smp_profile profile;
    struct timespec until;
    volatile int stop;
    smp_machine_ended stopped_by;
} machine_job;

static bool is_past(const struct timespec *until) {
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec > until->tv_sec ||
           (now.tv_sec == until->tv_sec && now.tv_nsec >= until->tv_nsec);
}

static void on_step(void *user, const smp_emulation_step *step) {
    machine_job *job = user;
    const smp_machine_options *options = job->options;
    if (job->stop)
        return;
    if (options->progress &&
        !options->progress(options->user, (size_t)step->clusters, (size_t)step->cluster_count))
        job->stopped_by = SMP_MACHINE_CANCELLED;
    else if (options->seconds > 0 && is_past(&job->until))
        job->stopped_by = SMP_MACHINE_TIME;
    else
        return;
    job->stop = 1;
}

static void start_clock(machine_job *job) {
    const double seconds = job->options->seconds < 1e9 ? job->options->seconds : 1e9;
    (void)clock_gettime(CLOCK_MONOTONIC, &job->until);
    const double at = (double)job->until.tv_nsec * 1e-9 + seconds;
    job->until.tv_sec += (time_t)at;
    job->until.tv_nsec = (long)((at - (double)(time_t)at) * 1e9);
}

/* ---- Arguments ---- */

/* The memory of argument `index` and of all arguments that overlap it, directly or through others.
 */
typedef struct machine_memory {
    char *from, *to;
} machine_memory;

static machine_memory memory_of(const machine_job *job, size_t index) {
    const smp_machine_value *values = job->asked->values;
    machine_memory all = {values[index].array,
                          (char *)values[index].array + values[index].array_bytes};
    for (size_t i = 0; i < job->asked->value_count; i++) {
        char *from = values[i].array, *to = from ? from + values[i].array_bytes : from;
        if (from >= all.to || to <= all.from || (from >= all.from && to <= all.to))
            continue;
        all.from = from < all.from ? from : all.from;
        all.to = to > all.to ? to : all.to;
        i = SIZE_MAX; /* again, as the memory has grown */
    }
    return all;
}

/* Returns the array's address in emulated memory, which arguments that overlap share. 0 if out of
 * memory. */
static uint64_t place_array(machine_job *job, size_t index) {
    const machine_memory all = memory_of(job, index);
    const smp_machine_value *own = &job->asked->values[index];
    const uint64_t offset = (uint64_t)((char *)own->array - all.from);
    char name[32];
    for (size_t i = 0; i < index; i++)
        if (job->arguments.arrays[i].element_bytes > 0 && memory_of(job, i).from == all.from)
            return job->memory.arrays[job->arguments.arrays[i].array].address + offset;
    (void)snprintf(name, sizeof name, "argument %zu", index + 1);
    smp_emu_array *made = smp_emu_memory_add(&job->memory, name, (uint64_t)(all.to - all.from));
    if (!made)
        return 0;
    memcpy(made->bytes, all.from, made->size_bytes);
    job->arguments.arrays[index] =
        (smp_launch_array){.array = (uint32_t)(made - job->memory.arrays), .element_bytes = 1};
    return made->address + offset;
}

static smp_status put_value(machine_job *job, size_t index, smp_error *error) {
    const smp_machine_value *value = &job->asked->values[index];
    const smp_parameter *to = &job->function->parameters[index];
    const uint64_t address = value->array ? place_array(job, index) : 0;
    const void *bytes = value->array ? &address : value->bytes;
    const size_t size = value->array ? sizeof address : value->size;
    if (value->array && address == 0)
        return smp_error_memory(error);
    if (!bytes || size != to->size_bytes || to->offset_bytes > job->function->parameter_bytes ||
        job->function->parameter_bytes - to->offset_bytes < size)
        return smp_error_set(error, SMP_E_SYNTAX, -1,
                             "launch: argument %zu has %zu bytes, but the parameter has %u",
                             index + 1, bytes ? size : 0, to->size_bytes);
    memcpy(job->arguments.bytes + to->offset_bytes, bytes, size);
    return SMP_OK;
}

static smp_status put_values(machine_job *job, smp_error *error) {
    const smp_function *f = job->function;
    smp_status status = SMP_OK;
    if (job->asked->value_count != f->parameter_count)
        return smp_error_set(error, SMP_E_SYNTAX, -1, "launch: %zu arguments, but %.120s takes %u",
                             job->asked->value_count, smp_function_full_name(f),
                             f->parameter_count);
    if (f->parameter_count > SMP_ARGUMENTS_MAX)
        return smp_error_set(error, SMP_E_OVERFLOW, -1, "launch: more than %d arguments",
                             SMP_ARGUMENTS_MAX);
    job->arguments.bytes = calloc(1, f->parameter_bytes + 16);
    if (!job->arguments.bytes)
        return smp_error_memory(error);
    for (size_t i = 0; i < job->asked->value_count && status == SMP_OK; i++)
        status = put_value(job, i, error);
    return status;
}

/* Copies back what the kernel wrote. */
static void take_values(const machine_job *job) {
    for (size_t i = 0; !job->asked->text && i < job->asked->value_count; i++)
        if (job->arguments.arrays[i].element_bytes > 0) {
            const smp_emu_array *array = &job->memory.arrays[job->arguments.arrays[i].array];
            memcpy(memory_of(job, i).from, array->bytes, array->size_bytes);
        }
}

/* ---- From the request to the run ---- */

static smp_status take_shape(machine_job *job, smp_error *error) {
    const smp_machine_launch *asked = job->asked;
    smp_launch *to = &job->launch;
    if (smp_launch_check(asked->text, &job->text, error))
        return error->status;
    memcpy(to->grid, asked->text ? job->text.grid : asked->grid, sizeof to->grid);
    memcpy(to->block, asked->text ? job->text.block : asked->block, sizeof to->block);
    to->dynamic_shared_bytes = asked->text ? job->text.dynamic_shared_bytes : asked->shared_bytes;
    to->is_cooperative = asked->is_cooperative;
    for (unsigned i = 0; i < 3; i++)
        to->cluster[i] = asked->cluster[i] > 0 ? asked->cluster[i] : 1;
    return SMP_OK;
}

static smp_status take_options(machine_job *job, const smp_code *code, smp_error *error) {
    const smp_machine_options *options = job->options;
    smp_launch *to = &job->launch;
    /* Architectures are compared by address, so take this library's row. */
    to->arch = options->arch ? smp_arch_find(options->arch->name) : smp_code_arch(code, error);
    if (!to->arch)
        return options->arch ? smp_error_set(error, SMP_E_UNKNOWN_ARCH, -1, "%.40s: unknown",
                                             options->arch->name)
                             : error->status;
    to->threads = options->threads;
    to->run = (smp_run_options){.block_limit = options->block_instructions,
                                .launch_limit = options->instructions,
                                .races = options->races};
    to->memory_bytes = job->memory.most_bytes = options->memory_bytes;
    to->output = options->printed;
    to->trace = options->trace;
    to->stop = &job->stop;
    to->user = job;
    to->told = options->progress || options->seconds > 0 ? on_step : NULL;
    return SMP_OK;
}

static smp_status find_kernel(machine_job *job, smp_code *code, smp_error *error) {
    const char *name = job->asked->text ? job->text.name : job->asked->kernel;
    return smp_launch_kernel(code, name ? name : "", &job->function, error)
               ? error->status
               : smp_code_disassemble(code, &job->function->name, 1, error);
}

static smp_status make_arguments(machine_job *job, smp_error *error) {
    const smp_status status = job->asked->text
                                  ? smp_launch_arguments_make(&job->text, job->function,
                                                              &job->memory, &job->arguments, error)
                                  : put_values(job, error);
    job->launch.parameters = job->arguments.bytes;
    return status;
}

/* ---- What came of it ---- */

static smp_machine_ended ended_by(const machine_job *job) {
    bool is_limit = false;
    for (uint32_t i = 0; i < job->done.finding_count; i++)
        is_limit |= job->done.findings[i].ends && job->done.findings[i].kind == SMP_FINDING_LIMIT;
    return job->done.is_whole     ? SMP_MACHINE_WHOLE
           : job->done.is_stopped ? job->stopped_by
           : is_limit             ? SMP_MACHINE_INSTRUCTIONS
                                  : SMP_MACHINE_FAULT;
}

/* Records in the profile that a launch ended early. */
static bool note_end(machine_job *job, smp_machine_ended by) {
    static const char *const why[] = {
        [SMP_MACHINE_FAULT] = "the launch ended early: see the findings",
        [SMP_MACHINE_INSTRUCTIONS] = "the launch ended early: see the findings",
        [SMP_MACHINE_TIME] = "stopped at its time limit",
        [SMP_MACHINE_CANCELLED] = "stopped by its caller"};
    smp_kernel_profile *kernel = &job->profile.kernels[0];
    if (by != SMP_MACHINE_WHOLE)
        kernel->not_seen = strdup(why[by]);
    return by == SMP_MACHINE_WHOLE || kernel->not_seen;
}

static smp_status emulate(machine_job *job, smp_code *code, smp_error *error) {
    char device[16];
    const char *command = job->asked->text ? job->asked->text : job->function->name;
    (void)snprintf(device, sizeof device, "sm_%u", smp_code_cc(code));
    if (!smp_profile_begin_run(&job->profile, SMP_ENGINE_EMULATED, command, device) ||
        !smp_profile_add_kernel(&job->profile))
        return smp_error_memory(error);
    start_clock(job);
    if (smp_emulate(code, job->function, &job->memory, &job->launch, &job->profile.kernels[0],
                    &job->done, error))
        return error->status;
    if (!note_end(job, ended_by(job)))
        return smp_error_memory(error);
    if (smp_emulate_findings(job->function, &job->done, &job->profile, 0, error) ||
        smp_emulate_called(job->function, &job->profile, 0, error))
        return error->status;
    take_values(job);
    return smp_launch_save(&job->arguments, &job->memory, error);
}

static void tell_end(const machine_job *job, smp_machine_end *end) {
    const smp_emulation *done = &job->done;
    *end = (smp_machine_end){.by = ended_by(job),
                             .blocks_begun = done->clusters_begun,
                             .blocks = done->cluster_count,
                             .warp_instructions = done->warp_instructions,
                             .thread_instructions = done->thread_instructions,
                             .trace_rows = done->trace_rows,
                             .seconds = done->seconds};
}

static smp_status run(machine_job *job, smp_code *code, smp_profile *profile, smp_error *error) {
    if (take_shape(job, error) || take_options(job, code, error) || find_kernel(job, code, error) ||
        make_arguments(job, error) || emulate(job, code, error))
        return error->status;
    return profile ? smp_profile_merge(profile, &job->profile, error) : SMP_OK;
}

smp_status smp_machine_run(smp_code *code, const smp_machine_launch *launch,
                           const smp_machine_options *options, smp_profile *profile,
                           smp_machine_end *end, smp_error *error) {
    static const smp_machine_options usual;
    smp_error own;
    machine_job *job = calloc(1, sizeof *job);
    if (!job)
        return smp_error_memory(error);
    job->options = options ? options : &usual;
    job->asked = launch;
    const smp_status status = run(job, code, profile, error ? error : &own);
    if (end && status == SMP_OK)
        tell_end(job, end);
    smp_profile_clear(&job->profile);
    smp_launch_arguments_clear(&job->arguments);
    smp_emu_memory_clear(&job->memory);
    smp_launch_clear(&job->text);
    free(job);
    return status;
}

/* ---- Sizes ---- */

static const size_row rows[] = {
    SIZE(smp_machine_value), SIZE(smp_machine_launch), SIZE(smp_machine_options),
    SIZE(smp_machine_end),   SIZE(smp_profile_damage), SIZE(smp_profile_row),
    SIZE(smp_fault),         SIZE(smp_profile_bounds), SIZE(smp_profile_verdict),
    SIZE(smp_trace_block),   SIZE(smp_trace_loss),
};

size_t smp_machine_abi_size(const char *type) {
    return abi_size_find(rows, sizeof rows / sizeof rows[0], type);
}
