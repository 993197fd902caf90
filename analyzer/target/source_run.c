/* SPDX-License-Identifier: MIT */
/* Evaluates every kernel of a source: launches to try, and what is skipped and why. */
#include "source_run.h"

#include <stdlib.h>
#include <string.h>

#include "joined.h"
#include "launch_found.h"
#include "list.h"
#include "profile_filter.h"
#include "text_buffer.h"
#include "text_file.h"
#include "visible_text.h"

enum { LAUNCHES_MOST = 4 /* of a kernel */ };

/* A text that holds kernels. */
typedef struct source_target {
    smp_source_job job; /* its file has the text */
    char *text;         /* of host_text_make */
    source_kernel *kernels;
    size_t count;
    const joined *headers; /* NULL: the text has none */
} source_target;

/* The file of a line of the text; converts the line. */
static const char *place_of(const source_target *of, unsigned *line) {
    unsigned index = 0;
    if (of->headers)
        *line = joined_line(of->headers, *line, &index);
    return index > 0 ? smp_path_from_here(of->headers->paths[index]) : of->job.file.path;
}

/* ---- One kernel after the other ---- */

static smp_launch_subject subject_of(const char *text, const source_kernel *kernel) {
    smp_launch_subject out = {.name = kernel->name,
                              .threads_most = launch_bound(text, &kernel->of)};
    host_span part;
    out.reads_rows = host_contains(kernel->of.body, "threadIdx.y");
    out.reads_blocks[0] = host_contains(kernel->of.body, "blockIdx.x");
    out.reads_blocks[1] = host_contains(kernel->of.body, "blockIdx.y");
    while (host_part(kernel->of.parameters, out.parameter_count, &part))
        out.parameter_count++;
    return out;
}

static void add_shape(text_buffer *to, const char *option, const uint32_t shape[3]) {
    text_add(to, " --%s %u", option, shape[0]);
    for (unsigned i = 1; i < 3 && (shape[1] > 1 || shape[2] > 1); i++)
        if (i == 1 || shape[2] > 1)
            text_add(to, "x%u", shape[i]);
}

static void note_assumed(const source_target *of, const source_kernel *kernel,
                         const smp_assumed_launch *launch) {
    char say[2048];
    text_buffer words = TEXT_BUFFER(say);
    for (unsigned i = 0; i < launch->value_count; i++)
        if (launch->is_value_assumed[i])
            text_add(&words, " --define %s=%lld", launch->values[i].name,
                     (long long)launch->values[i].value);
    if (launch->is_block_assumed)
        add_shape(&words, "block", launch->block);
    if (launch->is_grid_assumed)
        add_shape(&words, "grid", launch->grid);
    for (unsigned i = 0; i < kernel->argument_count; i++)
        if (kernel->is_assumed[i])
            note_add(of->job.notes, "assumed: %s of %s is %s", kernel->parameter[i], kernel->name,
                     kernel->argument[i]);
    if (launch->assumed[0])
        note_add(of->job.notes, "assumed for %s: %s%s%s", kernel->name, launch->assumed,
                 say[0] ? "; say" : "", say);
}

/* Says that addresses depend on integers in memory, which were drawn. */
static void note_drawn(const source_target *of, const source_kernel *kernel,
                       const smp_assumed_launch *launch) {
    char text[320];
    text_buffer words = TEXT_BUFFER(text);
    for (unsigned i = 0; i < launch->array_count; i++)
        text_join(&words, ", ", "%s = random:0:%lld", launch->arrays[i].name,
                  (long long)launch->arrays[i].value);
    note_add(of->job.notes, "%s: addresses depend on numbers in memory, random ones here: %s",
             kernel->name, text);
}

/* Says that calls of functions without a text are not counted, in the profile if it has room. */
static void note_calls(const source_target *of, const source_kernel *kernel,
                       smp_kernel_profile *profile) {
    char names[160], text[240];
    source_calls_name(of->text, kernel, names, sizeof names);
    if (names[0] == '\0')
        return;
    (void)snprintf(text, sizeof text, "what it accesses in %s is not counted: no body is here",
                   names);
    if (profile->not_seen)
        note_add(of->job.notes, "%s: %s", kernel->name, text);
    else
        profile->not_seen = strdup(text);
}

/* The text of that line. */
static host_span line_text(const source_file *file, unsigned line) {
    const char *at = file->text, *end = at + file->length;
    for (; line > 1 && at < end; at++)
        line -= *at == '\n';
    const char *newline = memchr(at, '\n', (size_t)(end - at));
    return host_between(at, newline ? newline : end);
}

/* Notes in one line the place, the kernel, what becomes of it, and what is not understood. */
static void note_refused(const source_target *of, const source_kernel *kernel, unsigned line,
                         const char *becomes, const smp_error *error) {
    char text[320], shown[68];
    if (line == 0) {
        note_add(of->job.notes, "%s: %s is %s: %s", of->job.file.path, kernel->name, becomes,
                 error->message);
        return;
    }
    const host_span there = line_text(&of->job.file, line);
    const char *path = place_of(of, &line);
    (void)snprintf(text, sizeof text, "%.*s", SPAN(there));
    smp_visible_copy(shown, sizeof shown, text); /* as much as fits in a message */
    note_add(of->job.notes, "%s:%u:%d: %s is %s: %s, in: %s", path, line, error->position + 1,
             kernel->name, becomes, error->message, shown);
}

/* A launch that was tried. */
typedef struct source_trial {
    smp_assumed_launch launch;
    smp_kernel_profile kernel;
    unsigned line; /* line of the error; 0 if none */
    bool is_drawn; /* with random numbers in the arrays of integers */
} source_trial;

static void trial_clear(source_trial *t) {
    free(t->launch.launch);
    free(t->launch.assumed);
    smp_kernel_clear(&t->kernel);
    memset(t, 0, sizeof *t);
}

/* Gives accesses the file that their line is of. */
static bool place_sites(const source_target *of, smp_kernel_profile *kernel) {
    for (uint32_t i = 0; i < kernel->site_count && of->headers; i++) {
        smp_frame *frame = kernel->sites[i].frames;
        char *file = strdup(place_of(of, &frame->line));
        if (!file)
            return false;
        free(frame->file);
        frame->file = file;
    }
    return true;
}

static smp_status try_kernel(const source_target *of, const source_kernel *kernel, bool has_data,
                             source_trial *out, smp_error *error) {
    source_layout made;
    smp_status status = source_layout_make(&of->job.file, of->job.arch, kernel, &out->launch,
                                           has_data, &made, error);
    if (status == SMP_OK)
        status =
            source_look(of->job.arch, of->job.file.path, &made, &out->launch, &out->kernel, error);
    if (status == SMP_OK &&
        (!place_sites(of, &out->kernel) || !(out->kernel.name = strdup(kernel->name))))
        status = smp_error_memory(error);
    out->line = made.line;
    source_layout_clear(&made);
    return status;
}

/* Tries the launch without array contents if that suffices, else with random numbers. */
static smp_status try_launch(source_target *of, const source_kernel *kernel,
                             const smp_launch_wish *wish, source_trial *out, smp_error *error) {
    smp_launch_subject subject = subject_of(of->text, kernel);
    subject.shared_most = 1024u * of->job.arch->shared_block_kib;
    smp_status status = smp_launch_assume(&subject, of->text, wish, &out->launch, error);
    if (status == SMP_OK)
        status = try_kernel(of, kernel, false, out, error);
    if (status == SMP_OK || status == SMP_E_MEMORY || status == SMP_E_OVERFLOW ||
        out->launch.array_count == 0)
        return status;
    smp_kernel_clear(&out->kernel);
    memset(&out->kernel, 0, sizeof out->kernel);
    out->is_drawn = true;
    return try_kernel(of, kernel, true, out, error);
}

/* Proposes smaller sizes, since assumed ones may take too long. */
static bool wish_smaller(const smp_launch_wish *wish, unsigned index, smp_launch_wish *out) {
    static const int64_t extents[] = {128, 32};
    *out = *wish;
    if (index < sizeof extents / sizeof extents[0])
        out->extent = extents[index];
    return index < sizeof extents / sizeof extents[0];
}

/* Tries other blocks and sizes, since assumed ones may be too large for the time or for the
 * kernel's arrays. If none can be evaluated, the last, of the smallest size, shows what is wrong.
 */
static smp_status try_others(source_target *of, const source_kernel *kernel,
                             const smp_launch_wish *as, source_trial *last, smp_error *error) {
    const bool is_long = error->status == SMP_E_OVERFLOW;
    const smp_assumed_launch first = last->launch;
    smp_status status = error->status;
    smp_launch_wish wish;
    for (unsigned i = 0;
         status != SMP_OK &&
         (is_long ? wish_smaller(as, i, &wish) : smp_launch_wish_other(&first, as, i, &wish));
         i++) {
        trial_clear(last);
        status = try_launch(of, kernel, &wish, last, error);
    }
    return status;
}

/* Evaluates a kernel with a launch from the file, or an assumed one. */
static smp_status run_launch(source_target *of, const source_kernel *kernel,
                             const smp_launch_wish *wish, source_trial *out, smp_error *error) {
    const smp_status status = try_launch(of, kernel, wish, out, error);
    return (status == SMP_E_RANGE || status == SMP_E_OVERFLOW) && out->launch.assumed[0]
               ? try_others(of, kernel, wish, out, error)
               : status;
}

/* Adds the launch to the kernel's sums in the profile. */
static smp_status take_trial(const source_target *of, const source_kernel *kernel, source_trial *t,
                             smp_profile *profile, smp_error *error) {
    smp_kernel_profile *to = smp_profile_add_kernel(profile);
    if (!to)
        return smp_error_memory(error);
    note_assumed(of, kernel, &t->launch);
    if (t->is_drawn)
        note_drawn(of, kernel, &t->launch);
    note_calls(of, kernel, &t->kernel);
    *to = t->kernel;
    memset(&t->kernel, 0, sizeof t->kernel);
    return SMP_OK;
}

/* Evaluates every other launch in the file that is understood. */
static smp_status run_others(source_target *of, const source_kernel *kernel, source_trial *first,
                             smp_profile *profile, smp_error *error) {
    char *taken[LAUNCHES_MOST] = {first->launch.launch};
    smp_status status = SMP_OK;
    smp_error ignored;
    first->launch.launch = NULL;
    for (unsigned i = 1; i < first->launch.launch_count && i < LAUNCHES_MOST && status == SMP_OK;
         i++) {
        smp_launch_wish wish = of->job.wish;
        source_trial t = {.line = 0};
        wish.launch = i;
        if (run_launch(of, kernel, &wish, &t, &ignored) == SMP_OK &&
            !ROWS_FIND(taken, t.launch.launch)) {
            status = take_trial(of, kernel, &t, profile, error);
            taken[i] = t.launch.launch;
            t.launch.launch = NULL;
        }
        trial_clear(&t);
    }
    for (unsigned i = 0; i < LAUNCHES_MOST; i++)
        free(taken[i]);
    return status;
}

/* `plain`: the file without its headers, which may be understood where they are not; or NULL. */
static smp_status run_kernel(source_target *of, const source_kernel *kernel, source_target *plain,
                             smp_profile *profile, bool *is_refused, smp_error *error) {
    source_trial t = {.line = 0};
    const source_kernel *same =
        plain ? FIND(one, plain->kernels, plain->count, strcmp(one->name, kernel->name) == 0)
              : NULL;
    smp_status status =
        kernel->is_special
            ? smp_error_set(error, SMP_E_SYNTAX, -1, "bodies of specializations are not understood")
            : run_launch(of, kernel, &of->job.wish, &t, error);
    if (status != SMP_OK && status != SMP_E_MEMORY && same && !kernel->is_special) {
        source_trial other = {.line = 0};
        smp_error ignored;
        if (run_launch(plain, same, &plain->job.wish, &other, &ignored) == SMP_OK) {
            note_refused(of, kernel, t.line, "read without the file's headers", error);
            trial_clear(&t);
            t = other;
            of = plain;
            kernel = same;
            status = SMP_OK;
        } else {
            trial_clear(&other);
        }
    }
    *is_refused = status != SMP_OK && status != SMP_E_MEMORY;
    if (*is_refused)
        note_refused(of, kernel, t.line, "skipped", error);
    else if (status == SMP_OK)
        status = take_trial(of, kernel, &t, profile, error);
    if (status == SMP_OK)
        status = run_others(of, kernel, &t, profile, error);
    trial_clear(&t);
    return *is_refused ? SMP_OK : status;
}

static bool is_wanted(const smp_source_job *job, const char *name) {
    smp_profile one = {0};
    smp_error ignored; /* a malformed expression was reported before */
    const smp_profile_filter filter = {.kernel = job->kernels};
    smp_kernel_profile *kernel = smp_profile_add_kernel(&one);
    if (kernel)
        kernel->name = strdup(name);
    const bool is_kept = kernel && kernel->name &&
                         smp_profile_keep(&one, &filter, &ignored) == SMP_OK &&
                         one.kernel_count > 0;
    smp_profile_clear(&one);
    return is_kept;
}

/* ---- All kernels ---- */

static smp_status open_target(source_target *of, smp_error *error) {
    of->text = host_launches_expand(host_text_make(of->job.file.text, of->job.file.length));
    return of->text ? source_kernels_find(of->text, &of->kernels, &of->count, error)
                    : smp_error_memory(error);
}

static void close_target(source_target *of) {
    free(of->kernels);
    free(of->text);
}

/* Evaluates the kernels of `of`, but not those of headers that the file does not name. */
static smp_status run_kernels(source_target *of, source_target *plain, smp_profile *profile,
                              unsigned *found, unsigned *refused, smp_error *error) {
    smp_status status = SMP_OK;
    for (size_t i = 0; i < of->count && status == SMP_OK; i++) {
        const source_kernel *kernel = &of->kernels[i];
        char name[64];
        bool is_refused = false;
        (void)snprintf(name, sizeof name, "%.*s", SPAN(kernel->of.name));
        if (of != plain && !host_has_name(plain->text, name))
            continue;
        ++*found;
        if (!is_wanted(&of->job, kernel->name))
            continue;
        status = run_kernel(of, kernel, of != plain ? plain : NULL, profile, &is_refused, error);
        *refused += is_refused;
    }
    return status;
}

smp_status smp_source_run(const smp_source_job *job, smp_profile *profile, unsigned *refused,
                          smp_error *error) {
    const source_file *file = &job->file;
    joined headers;
    source_target plain = {.job = *job}, whole = {.job = *job, .headers = &headers};
    unsigned found = 0;
    *refused = 0;
    if (!joined_make(file->path, file->text, file->length, file->flags, (uint32_t)file->flag_count,
                     "", &headers))
        note_add(job->notes,
                 "%s: its headers are not read: one is included twice, without a guard or the "
                 "first time under a condition",
                 file->path);
    smp_status status = open_target(&plain, error);
    if (status == SMP_OK && headers.text) {
        whole.job.file.text = headers.text;
        whole.job.file.length = headers.length;
        status = open_target(&whole, error);
    }
    source_target *of = headers.text ? &whole : &plain;
    if (status == SMP_OK)
        status = smp_launch_wish_check(&job->wish, of->text, file->path, error);
    if (status == SMP_OK)
        status = run_kernels(of, &plain, profile, &found, refused, error);
    if (status == SMP_OK && found == 0)
        status = smp_error_set(error, SMP_E_SYNTAX, -1,
                               "%.160s: no kernel: it has no __global__ function with a body",
                               file->path);
    if (status == SMP_OK && *refused > 0)
        note_add(job->notes,
                 "nvcc can read the skipped kernels (%u of %u); without it, change that line and "
                 "run smemprobe predict %s --kernel NAME",
                 *refused, found, file->path);
    close_target(&whole);
    close_target(&plain);
    joined_clear(&headers);
    return status;
}
