/* SPDX-License-Identifier: MIT */
/*
 * A profile as a page: its promised JSON, and beside it the sources, the ranking, each worst
 * request with its bank map and reason, and the repairs.
 */
#include <stdlib.h>

#include "json_text.h"
#include "page.h"
#include "profile_words.h"
#include "source_line.h"
#include "text_file.h"

/* Limits that keep a page below a megabyte: bytes for the request shapes and repairs of the worst
 * lines, and for requests of other instructions. */
enum { FINDINGS_MAX = 100, SHAPES_BYTES_MAX = 300000, REQUESTS_BYTES_MAX = 400000 };

/* ---- Sources ---- */

static json_t *source_json(const char *file) {
    json_t *out = json_object();
    FILE *in = smp_source_is_named(file) ? smp_source_open(file) : NULL;
    size_t length = 0;
    char *text = in ? smp_plain_text(in, &length) : NULL;
    const char *why = !smp_source_is_named(file)
                          ? "not shown: its name is not that of a source file"
                      : !in && smp_source_is_withheld(file)
                          ? "not shown: outside of the folder where the page was written "
                            "(--source-root DIR shows sources below DIR)"
                      : !in ? "not found where the page was written"
                            : "not shown: too large, or not text";
    json_set(out, "file", json_text_of(file));
    json_set(out, "text", text ? json_text(text, length) : json_null());
    if (!text)
        json_set(out, "why", json_string(why));
    free(text);
    if (in)
        (void)fclose(in);
    return out;
}

static void add_source(json_t *sources, json_t *known, const char *file) {
    if (!file || json_object_get(known, file))
        return;
    json_set(known, file, json_true());
    json_push(sources, source_json(file));
}

static void add_chains(json_t *sources, json_t *known, const smp_profile_site *site) {
    for (uint32_t i = 0; i < site->frame_count; i++)
        if (!smp_frame_is_of_system(&site->frames[i]))
            add_source(sources, known, site->frames[i].file);
}

/* Adds the scripts that launched the kernels, if they can be read. */
static void add_callers(json_t *sources, json_t *known, const smp_kernel_profile *kernel) {
    for (uint32_t i = 0; i < kernel->caller_count; i++) {
        const char *file = kernel->callers[i].file;
        FILE *in = smp_source_is_named(file) ? smp_source_open(file) : NULL;
        if (in) {
            (void)fclose(in);
            add_source(sources, known, file);
        }
    }
}

/* Source files in order of use: findings, ranked lines, lines they were inlined into (but no system
 * headers), and launching scripts. */
static json_t *sources_json(const smp_profile *profile, const smp_ranking *ranking) {
    json_t *out = json_array(), *known = json_object();
    for (uint32_t i = 0; i < profile->finding_count; i++) {
        add_source(out, known, profile->findings[i].at.file);
        add_source(out, known, profile->findings[i].other.file);
    }
    for (uint32_t i = 0; i < ranking->line_count; i++)
        add_source(out, known, ranking->lines[i].frame ? ranking->lines[i].frame->file : NULL);
    for (uint32_t i = 0; i < ranking->line_count; i++) {
        for (uint32_t j = 0; j < ranking->lines[i].site_count; j++)
            add_chains(out, known, ranking->lines[i].sites[j]);
    }
    for (uint32_t i = 0; i < ranking->kernel_count; i++)
        add_callers(out, known, ranking->kernels[i].kernel);
    json_decref(known);
    return out;
}

/* ---- Kernels and their instructions ---- */

/* [[request or null, how often it occurred, number of instructions], ...], costliest first. */
static json_t *shapes_json(const smp_kernel_profile *kernel, const smp_profile_site *site,
                           uint32_t most, smp_page_requests *requests) {
    smp_request_shape shapes[SMP_SITE_SHAPES_MAX];
    smp_prediction report;
    json_t *out = json_array();
    const uint32_t total = smp_site_shapes(site, shapes);
    for (uint32_t i = 0; i < total && i < most; i++) {
        if (!smp_request_report(kernel, site, shapes[i].request, &report))
            break;
        json_push(out, json_pack("[o, I, I]", smp_page_requests_add(requests, &report),
                                 (json_int_t)shapes[i].count, (json_int_t)shapes[i].places));
    }
    return out;
}

static json_t *site_json(const smp_kernel_profile *kernel, const smp_profile_site *site,
                         smp_page_requests *requests) {
    json_t *out = json_object();
    smp_request_shape shapes[SMP_SITE_SHAPES_MAX];
    const smp_shared_array *array = smp_site_array(kernel, site);
    json_set(out, "operands", json_text_or_null(site->operands));
    json_set(out, "requests", shapes_json(kernel, site, SMP_SITE_SHAPES_MAX, requests));
    json_set(out, "shapes", json_count(true, smp_site_shapes(site, shapes)));
    json_set(out, "lost", json_count(true, site->requests_lost));
    json_set(out, "array",
             array ? json_count(true, (uint64_t)(array - kernel->arrays)) : json_null());
    return out;
}

static json_t *kernel_json(const smp_ranking *ranking, const smp_kernel_profile *kernel,
                           smp_page_requests *requests) {
    json_t *out = json_object(), *sites = json_array();
    char title[200];
    smp_kernel_title(ranking, kernel, title, sizeof title);
    json_set(out, "title", json_text_of(title));
    EACH(const smp_profile_kernel_rank, rank, ranking->kernels, ranking->kernel_count)
        if (rank->kernel == kernel)
            json_set(out, "scale", json_real(rank->scale));
    for (uint32_t i = 0; i < kernel->site_count; i++)
        json_push(sites, site_json(kernel, &kernel->sites[i], requests));
    json_set(out, "sites", sites);
    return out;
}

/* ---- The lines to look at ---- */

/* The requests of `shapes_json` after a change. */
static json_t *changed_json(const smp_profile_line *line, const smp_profile_fix *from,
                            const smp_seen_fix *fix, smp_page_requests *requests) {
    const smp_profile_site *site = line->sites[0];
    smp_request_shape shapes[SMP_SITE_SHAPES_MAX];
    smp_prediction report;
    json_t *out = json_array();
    const uint32_t total = smp_site_shapes(site, shapes);
    for (uint32_t i = 0; i < total && i < SMP_SITE_SHAPES_MAX; i++) {
        if (!smp_profile_fix_report(line->kernel, site, shapes[i].request, from, fix, &report))
            break;
        json_push(out, smp_page_requests_add(requests, &report));
    }
    return out;
}

/* With `has_patch`, includes the diff of the source; otherwise another line shows it. */
static json_t *change_json(const smp_profile_line *line, const smp_profile_fix *from,
                           const smp_seen_fix *fix, bool has_patch, smp_page_requests *requests) {
    char words[200];
    if (fix->kind == SMP_SEEN_NONE)
        return json_null();
    char *patch = has_patch ? smp_change_patch(line, from, fix) : NULL;
    (void)smp_profile_fix_words(from, fix, words, sizeof words);
    json_t *out =
        json_pack("{s:o, s:I, s:I, s:I, s:o, s:o}", "words", json_text_of(words), "before",
                  (json_int_t)fix->before, "after", (json_int_t)fix->after, "more_bytes",
                  (json_int_t)fix->more_bytes, "patch", json_text_or_null(patch), "requests",
                  changed_json(line, from, fix, requests));
    free(patch);
    return out;
}

static json_t *wider_json(const smp_wider *wider) {
    char words[200];
    if (wider->site_count == 0)
        return json_null();
    (void)smp_wider_words(wider, words, sizeof words);
    return json_pack("{s:o, s:I, s:I, s:[]}", "words", json_text_of(words), "before",
                     (json_int_t)wider->before, "after", (json_int_t)wider->after, "requests");
}

static json_t *fix_json_of(const smp_profile_view *view, const smp_profile_line *line,
                           uint32_t number, smp_page_requests *requests) {
    const smp_profile_fix *fix = &view->fixes[number];
    const uint32_t same = smp_fix_shown_before(view, number);
    if (fix->padding.kind == SMP_SEEN_NONE && fix->swizzle.kind == SMP_SEEN_NONE &&
        fix->wider.site_count == 0 && fix->obstacle[0] == '\0')
        return json_null();
    return json_pack(
        "{s:o, s:I, s:I, s:o, s:I, s:o, s:o, s:o}", "array",
        json_count(fix->array, fix->array ? (uint64_t)(fix->array - line->kernel->arrays) : 0),
        "sites", (json_int_t)fix->site_count, "lost", (json_int_t)fix->requests_lost, "obstacle",
        json_text_of(fix->obstacle), "same", (json_int_t)same, "padding",
        change_json(line, fix, &fix->padding, same == number, requests), "swizzle",
        change_json(line, fix, &fix->swizzle, same == number, requests), "wider",
        wider_json(&fix->wider));
}

static json_t *index_of(const smp_profile *profile, const smp_kernel_profile *kernel) {
    return json_count(true, (uint64_t)(kernel - profile->kernels));
}

/* Adds the worst request of each of the worst lines first, so that they always have room. */
static void add_worst(const smp_profile_view *view, smp_page_requests *requests) {
    for (uint32_t i = 0; i < view->ranking->worst_count && i < FINDINGS_MAX; i++) {
        const smp_profile_line *line = smp_ranking_worst(view->ranking, i);
        json_decref(shapes_json(line->kernel, line->sites[0], 1, requests));
    }
}

static json_t *finding_json(const smp_profile_view *view, uint32_t number,
                            smp_page_requests *requests) {
    const smp_profile_line *line = smp_ranking_worst(view->ranking, number);
    json_t *out = json_object();
    json_decref(shapes_json(line->kernel, line->sites[0], SMP_SITE_SHAPES_MAX, requests));
    json_set(out, "kernel", index_of(view->profile, line->kernel));
    json_set(out, "site", json_count(true, (uint64_t)(line->sites[0] - line->kernel->sites)));
    json_set(out, "fix",
             number < view->worst_lines ? fix_json_of(view, line, number, requests) : json_null());
    return out;
}

/* ---- The page ---- */

/* A headline for each architecture; neighbours with equal figures share one. */
static json_t *archs_json(const smp_ranking *ranking) {
    json_t *out = json_array();
    for (uint32_t i = 0, next; i < ranking->arch_count; i = next) {
        const smp_profile_sums *sums = &ranking->archs[i].sums;
        char name[SMP_ARCHS_TITLE_BYTES];
        next = smp_archs_title(ranking, i, name);
        json_push(out,
                  json_pack("{s:o, s:I, s:I, s:I, s:I}", "name", json_text_of(name), "wavefronts",
                            (json_int_t)sums->wavefronts, "excess",
                            (json_int_t)smp_sums_excess(sums), "sectors", (json_int_t)sums->sectors,
                            "excess_sectors", (json_int_t)smp_sums_excess_sectors(sums)));
    }
    return out;
}

static json_t *more_json(const smp_profile_view *view) {
    json_t *out = json_object(), *kernels = json_array(), *order = json_array();
    json_t *findings = json_array();
    smp_page_requests requests;
    smp_page_requests_make(&requests, SHAPES_BYTES_MAX);
    add_worst(view, &requests);
    for (uint32_t i = 0; i < view->ranking->worst_count && i < FINDINGS_MAX; i++)
        json_push(findings, finding_json(view, i, &requests));
    requests.bytes_most = REQUESTS_BYTES_MAX;
    for (uint32_t i = 0; i < view->ranking->kernel_count; i++)
        json_push(order, index_of(view->profile, view->ranking->kernels[i].kernel));
    for (uint32_t i = 0; i < view->profile->kernel_count; i++)
        json_push(kernels, kernel_json(view->ranking, &view->profile->kernels[i], &requests));
    json_set(out, "kind", json_string("profile"));
    json_set(out, "against", view->against ? smp_against_to_json(view) : json_null());
    json_set(out, "version", json_string(SMP_VERSION));
    json_set(out, "archs", archs_json(view->ranking));
    json_set(out, "findings", findings);
    json_set(out, "order", order);
    json_set(out, "kernels", kernels);
    json_set(out, "requests", smp_page_requests_take(&requests));
    json_set(out, "sources", sources_json(view->profile, view->ranking));
    return out;
}

void smp_profile_html(FILE *out, const smp_profile_view *view, smp_style style) {
    const smp_profile *profile = view->profile;
    const char *command = profile->run_count > 0 ? profile->runs[0].command : NULL;
    char title[160];
    smp_page page;
    (void)style;
    (void)snprintf(title, sizeof title, "%.120s - smemprobe", command ? command : "profile");
    if (smp_page_begin(&page))
        smp_profile_json_compact(page.data, profile);
    smp_page_end(&page, out, title, more_json(view));
}

/* The page shows view->against if it is set. */
void smp_against_html(FILE *out, const smp_profile_view *view, smp_style style) {
    smp_profile_html(out, view, style);
}
