/* SPDX-License-Identifier: MIT */
/*
 * Predict, check and fix as pages: their promised JSON, and the bank map and reason of each
 * request.
 */
#include "json_text.h"
#include "layout_view.h"
#include "page.h"
#include "profile_fix.h"
#include "write_format.h"

static void put_page(FILE *out, smp_page *page, const char *kind, const char *title, json_t *more) {
    json_set(more, "kind", json_string(kind));
    json_set(more, "version", json_string(SMP_VERSION));
    smp_page_end(page, out, title, more);
}

/* ---- Requests, each with what frees it ---- */

typedef struct shown_requests {
    smp_page_requests list;
    json_t *reports; /* their indices, in the order of the document */
    json_t *repairs; /* for request i: [{words, before, after, request}] */
} shown_requests;

static void begin_requests(shown_requests *out) {
    smp_page_requests_make(&out->list, SIZE_MAX);
    out->reports = json_array();
    out->repairs = json_object();
}

static json_t *end_requests(shown_requests *shown) {
    return json_pack("{s:o, s:o, s:o}", "reports", shown->reports, "requests",
                     smp_page_requests_take(&shown->list), "repairs", shown->repairs);
}

/* The request after the change. */
static json_t *repair_json(shown_requests *to, const smp_prediction *report, uint32_t base,
                           const smp_seen_fix *fix) {
    const smp_profile_fix from = {0};
    smp_prediction changed = *report;
    char words[200];
    for (unsigned lane = 0; lane < SMP_LANES; lane++) {
        uint32_t *offset = &changed.access.offset_bytes[lane];
        if (changed.access.active_mask >> lane & 1)
            *offset = base + smp_seen_map(fix, *offset - base);
    }
    changed.status = smp_predict(&changed.arch, &changed.access, &changed.counts);
    (void)smp_profile_fix_words(&from, fix, words, sizeof words);
    return json_pack("{s:o, s:I, s:I, s:I, s:o}", "words", json_text_of(words), "before",
                     (json_int_t)fix->before, "after", (json_int_t)fix->after, "more_bytes",
                     (json_int_t)fix->more_bytes, "request",
                     smp_page_requests_add(&to->list, &changed));
}

/* Adds a request and returns its index; `base` is the byte offset of its array. */
static json_t *add_request(shown_requests *to, const smp_prediction *report, uint32_t base) {
    json_t *index = smp_page_requests_add(&to->list, report);
    const bool is_shared =
        report->status == SMP_OK && smp_ops(NULL)[report->access.op].space == SMP_SPACE_SHARED;
    if (json_is_null(index) || !is_shared || report->counts.wavefronts_max <= report->counts.ideal)
        return index;
    smp_seen_request one = {.access = report->access, .count = 1};
    const smp_seen_array array = {.offset_bytes = base, .room_bytes = 1u << 16};
    smp_seen_fix padding = {0}, swizzle = {0};
    json_t *repairs = json_array();
    char key[24];
    for (unsigned lane = 0; lane < SMP_LANES; lane++)
        one.access.offset_bytes[lane] -= one.access.active_mask >> lane & 1 ? base : 0;
    if (smp_fix_seen(&report->arch, &one, 1, &array, &padding, &swizzle) == SMP_OK) {
        if (padding.kind != SMP_SEEN_NONE)
            json_push(repairs, repair_json(to, report, base, &padding));
        if (swizzle.kind != SMP_SEEN_NONE)
            json_push(repairs, repair_json(to, report, base, &swizzle));
    }
    (void)snprintf(key, sizeof key, "%" JSON_INTEGER_FORMAT, json_integer_value(index));
    json_set(to->repairs, key, repairs);
    return index;
}

void smp_prediction_html(FILE *out, const smp_prediction *reports, size_t count, smp_style style) {
    smp_page page;
    shown_requests requests;
    begin_requests(&requests);
    for (size_t i = 0; i < count; i++)
        json_push(requests.reports, add_request(&requests, &reports[i], 0));
    json_t *more = end_requests(&requests);
    if (smp_page_begin(&page))
        smp_prediction_json(page.data, reports, count, style);
    put_page(out, &page, "predict", "predict - smemprobe", more);
}

static json_t *worst_request(const smp_layout_prediction *report, size_t index,
                             shown_requests *requests) {
    const smp_array *array =
        smp_layout_array(report->layout, smp_layout_request(report->layout, index)->target.array);
    smp_prediction worst;
    smp_layout_prediction_worst(report, index, &worst);
    return add_request(requests, &worst, (uint32_t)smp_array_base(report->layout, array));
}

void smp_layout_html(FILE *out, const smp_layout_prediction *reports, size_t count,
                     const smp_layout_show *show) {
    smp_page page;
    shown_requests requests;
    begin_requests(&requests);
    for (size_t i = 0; i < count; i++) {
        json_t *worst = json_array();
        for (size_t j = 0; j < reports[i].count; j++)
            json_push(worst, worst_request(&reports[i], j, &requests));
        json_push(requests.reports, worst);
    }
    json_t *more = end_requests(&requests);
    json_set(more, "file",
             count > 0 && reports[0].file ? json_text_of(reports[0].file) : json_null());
    if (smp_page_begin(&page))
        smp_layout_json(page.data, reports, count, show);
    put_page(out, &page, "layout", "accesses - smemprobe", more);
}

/* The access of a case, in the layout of its file. */
static const smp_layout *layout_of(const smp_check *check, const smp_case *one, size_t *index) {
    for (size_t i = 0; one->access && i < check->file_count; i++) {
        const smp_layout *layout = check->files[i].layout;
        for (*index = 0; layout && *index < smp_layout_access_count(layout); ++*index) {
            smp_layout_access access;
            smp_layout_access_at(layout, *index, &access);
            if (access.text == one->access)
                return layout;
        }
    }
    return NULL;
}

static json_t *case_request(const smp_check *check, const smp_case *one, shown_requests *requests) {
    size_t index = 0;
    const smp_layout *layout = one->arch ? layout_of(check, one, &index) : NULL;
    smp_layout_prediction report = {.layout = layout};
    smp_error error;
    unsigned line = 0;
    json_t *out = NULL;
    if (layout &&
        smp_layout_prediction_fill(&report, one->file, layout, one->arch, &line, &error) == SMP_OK)
        out = worst_request(&report, index, requests);
    if (layout)
        smp_layout_prediction_clear(&report);
    return out ? out : json_null();
}

/* Failing cases that are shown with picture and repair. */
enum { CASES_SHOWN = 200 };

void smp_check_html(FILE *out, const smp_check *check, smp_style style) {
    smp_page page;
    shown_requests requests;
    size_t shown = 0;
    begin_requests(&requests);
    for (size_t i = 0; i < check->count; i++) {
        const bool has_room = !smp_case_is_quiet(&check->cases[i]) && shown++ < CASES_SHOWN;
        json_push(requests.reports,
                  has_room ? case_request(check, &check->cases[i], &requests) : json_null());
    }
    json_t *more = end_requests(&requests);
    if (smp_page_begin(&page))
        smp_check_json(page.data, check, style);
    put_page(out, &page, "check", "check - smemprobe", more);
}

void smp_compare_html(FILE *out, const comparison *cases, size_t count) {
    smp_page page;
    if (smp_page_begin(&page))
        smp_compare_json(page.data, cases, count);
    put_page(out, &page, "compare", "compare - smemprobe", json_object());
}

void smp_repair_html(FILE *out, const smp_repair_shown *shown) {
    smp_page page;
    if (smp_page_begin(&page))
        smp_repair_json(page.data, shown);
    put_page(out, &page, "repair", "fix - smemprobe", json_object());
}

/* Adds the original text, for the diff, and the worst request of each access. */
void smp_fix_html(FILE *out, const fix_shown *shown) {
    smp_page page;
    shown_requests requests;
    begin_requests(&requests);
    for (size_t i = 0; i < smp_layout_access_count(shown->fix->layout); i++) {
        smp_layout_prediction report = {.layout = shown->fix->layout};
        smp_error error;
        unsigned line = 0;
        const bool is_filled =
            smp_layout_prediction_fill(&report, NULL, shown->fix->layout, shown->fix->archs, &line,
                                       &error) == SMP_OK;
        json_push(requests.reports, is_filled ? worst_request(&report, i, &requests) : json_null());
        smp_layout_prediction_clear(&report);
    }
    json_t *more = end_requests(&requests);
    json_set(more, "text", json_text(shown->fix->text, shown->fix->length));
    json_set(more, "file", json_text_or_null(shown->file));
    if (smp_page_begin(&page))
        smp_fix_json(page.data, shown);
    put_page(out, &page, "fix", "fix - smemprobe", more);
}
