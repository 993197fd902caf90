/* SPDX-License-Identifier: MIT */
/* Selects the kernels, lines and kinds of memory of a profile. */
#define _POSIX_C_SOURCE 200809L
#include "profile_filter.h"

#include <inttypes.h>
#include <string.h>

#include "regex_text.h"
#include "text_buffer.h"

bool smp_path_ends(const char *path, const char *with) {
    const size_t length = path ? strlen(path) : 0, wanted = strlen(with);
    return path && length >= wanted && strcmp(path + length - wanted, with) == 0 &&
           (length == wanted || path[length - wanted - 1] == '/' || with[0] == '/');
}

static bool is_in_file(const smp_profile_site *site, const char *file) {
    return ANY(one, site->frames, site->frame_count, smp_path_ends(one->file, file));
}

static bool is_on_line(const smp_profile_site *site, const smp_profile_filter *filter) {
    return ANY(one, site->frames, site->frame_count,
               one->line >= filter->first_line && one->line <= filter->last_line);
}

/* As --memory selects on a GPU: copies belong to both sides, and clusters to shared memory. */
static bool is_in_memory(const smp_profile_site *site, const char *memory) {
    if (site->is_local || strcmp(memory, "local") == 0)
        return site->is_local && strcmp(memory, "local") == 0;
    return site->space == SMP_SPACE_COPY ||
           (site->space == SMP_SPACE_GLOBAL) == (strcmp(memory, "global") == 0);
}

static bool fits(const smp_profile_site *site, const smp_profile_filter *filter) {
    return (!filter->memory || is_in_memory(site, filter->memory)) &&
           (!filter->file || is_in_file(site, filter->file)) &&
           (filter->first_line == 0 || is_on_line(site, filter));
}

static void keep_sites(smp_kernel_profile *kernel, const smp_profile_filter *filter) {
    const uint32_t before = kernel->site_count;
    DROP_IF(site, kernel->sites, kernel->site_count,
            !fits(site, filter) && (smp_site_clear(site), true));
    if (kernel->site_count < before)
        kernel->scaled = (smp_scaled_sums){.blocks = 0}; /* it is about all sites */
}

static bool name_fits(const smp_kernel_profile *kernel, const regex_t *pattern) {
    return regexec(pattern, kernel->name, 0, NULL, 0) == 0 ||
           (kernel->demangled && regexec(pattern, kernel->demangled, 0, NULL, 0) == 0);
}

static bool arch_fits(const smp_kernel_profile *kernel, const smp_profile_filter *filter) {
    return filter->arch_count == 0 ||
           (kernel->arch && ANY(one, filter->archs, filter->arch_count,
                                strcmp(kernel->arch->name, one->name) == 0));
}

static bool place_fits(const smp_finding_place *at, const smp_profile_filter *filter) {
    return (!filter->file || smp_path_ends(at->file, filter->file)) &&
           (filter->first_line == 0 ||
            (at->file && at->line >= filter->first_line && at->line <= filter->last_line));
}

/* Looks up its kernel's names by the mangled one. */
static bool is_of_kernel(const smp_profile *profile, const smp_profile_finding *finding,
                         const regex_t *pattern) {
    return ANY(one, profile->kernels, profile->kernel_count,
               strcmp(one->name, finding->kernel) == 0 && name_fits(one, pattern)) ||
           regexec(pattern, finding->kernel, 0, NULL, 0) == 0;
}

static bool finding_fits(const smp_profile *profile, const smp_profile_finding *finding,
                         const smp_profile_filter *filter, const regex_t *pattern) {
    return (place_fits(&finding->at, filter) ||
            (finding->has_other && place_fits(&finding->other, filter))) &&
           (!filter->kernel || is_of_kernel(profile, finding, pattern));
}

static void keep_findings(smp_profile *profile, const smp_profile_filter *filter,
                          const regex_t *pattern) {
    const uint32_t before = profile->finding_count;
    DROP_IF(finding, profile->findings, profile->finding_count,
            !finding_fits(profile, finding, filter, pattern) && (smp_finding_clear(finding), true));
    profile->findings_hidden += before - profile->finding_count;
}

void smp_profile_drop_notes(smp_profile *profile) {
    DROP_IF(finding, profile->findings, profile->finding_count,
            finding->is_note && (smp_finding_clear(finding), true));
}

static bool has_finding(const smp_profile *profile, const smp_kernel_profile *kernel) {
    return ANY(one, profile->findings, profile->finding_count,
               strcmp(one->kernel, kernel->name) == 0);
}

smp_status smp_profile_name_memory(smp_profile *profile, const char *memory, smp_error *error) {
    for (uint32_t i = 0; i < profile->run_count; i++) {
        char *name = profile->runs[i].memory ? NULL : strdup(memory);
        if (!name && !profile->runs[i].memory)
            return smp_error_memory(error);
        profile->runs[i].memory = name ? name : profile->runs[i].memory;
    }
    return SMP_OK;
}

static bool range_fits(const smp_kernel_profile *kernel, const regex_t *pattern) {
    return ANY(one, kernel->ranges, kernel->range_count, regexec(pattern, *one, 0, NULL, 0) == 0);
}

/* The filter's compiled regular expressions; empty if NULL in the filter. */
typedef struct patterns {
    regex_t kernel, nvtx;
} patterns;

static smp_status compile(const char *option, const char *expression, regex_t *out,
                          smp_error *error) {
    const smp_status status = expression ? smp_regex_make(expression, out) : SMP_OK;
    return status == SMP_OK
               ? SMP_OK
               : smp_error_set(error, SMP_E_USAGE, -1,
                               status == SMP_E_OVERFLOW
                                   ? "%s %.60s: repeats too much"
                                   : "%s %.60s: not a regular expression (POSIX, extended)",
                               option, expression);
}

static bool kernel_fits(const smp_kernel_profile *kernel, const smp_profile_filter *filter,
                        const patterns *by) {
    return (!filter->kernel || name_fits(kernel, &by->kernel)) &&
           (!filter->nvtx || range_fits(kernel, &by->nvtx)) && arch_fits(kernel, filter);
}

static void keep_kernels(smp_profile *profile, const smp_profile_filter *filter,
                         const patterns *by) {
    const bool by_line = filter->file || filter->first_line > 0;
    EACH(smp_kernel_profile, kernel, profile->kernels, profile->kernel_count)
        if (by_line || filter->memory)
            keep_sites(kernel, filter);
    DROP_IF(kernel, profile->kernels, profile->kernel_count,
            (!kernel_fits(kernel, filter, by) ||
             (by_line && kernel->site_count == 0 && !has_finding(profile, kernel))) &&
                (smp_kernel_clear(kernel), true));
}

smp_status smp_profile_keep(smp_profile *profile, const smp_profile_filter *filter,
                            smp_error *error) {
    patterns by;
    if (compile("--kernel", filter->kernel, &by.kernel, error))
        return error->status;
    if (compile("--nvtx", filter->nvtx, &by.nvtx, error) == SMP_OK) {
        keep_findings(profile, filter, &by.kernel);
        keep_kernels(profile, filter, &by);
        error->status =
            filter->memory ? smp_profile_name_memory(profile, filter->memory, error) : SMP_OK;
        if (filter->nvtx)
            regfree(&by.nvtx);
    }
    if (filter->kernel)
        regfree(&by.kernel);
    return error->status;
}

smp_status smp_profile_fits(const smp_profile_filter *filter, bool is_left, smp_error *error) {
    char text[160];
    text_buffer words = TEXT_BUFFER(text);
    if (filter->kernel)
        text_join(&words, " ", "--kernel %.40s", filter->kernel);
    if (filter->nvtx)
        text_join(&words, " ", "--nvtx %.40s", filter->nvtx);
    if (filter->file)
        text_join(&words, " ", "--file %.40s", filter->file);
    if (filter->first_line > 0)
        text_join(&words, " ", "--line %" PRIu32 ":%" PRIu32, filter->first_line,
                  filter->last_line);
    if (filter->arch_count > 0)
        text_join(&words, " ", "--arch %s%s", filter->archs[0].name,
                  filter->arch_count > 1 ? ",..." : "");
    if (is_left || words.length == 0)
        return SMP_OK;
    return smp_error_set(error, SMP_E_SYNTAX, -1, "nothing matches %s", text);
}

smp_status smp_profile_rank(const smp_profile_filter *filter, smp_profile *profile,
                            smp_ranking *ranking, smp_error *error) {
    return smp_profile_sort(profile, error) || smp_profile_keep(profile, filter, error)
               ? error->status
               : smp_ranking_make(profile, ranking, error);
}
