/* SPDX-License-Identifier: MIT */
/*
 * Documents that are no profiles as pages: their JSON as it is promised, and the bank map and
 * reason of each request that they speak of.
 */
#include "json_text.h"
#include "page.h"
#include "write_format.h"

static void put_page(FILE *out, smp_page *page, const char *kind, const char *title, json_t *more) {
    json_set(more, "kind", json_string(kind));
    json_set(more, "version", json_string(SMP_VERSION));
    smp_page_end(page, out, title, more);
}

void smp_prediction_html(FILE *out, const smp_prediction *reports, size_t count, smp_style style) {
    smp_page page;
    smp_page_requests requests;
    json_t *more = json_object(), *list = json_array();
    smp_page_requests_make(&requests, SIZE_MAX);
    for (size_t i = 0; i < count; i++)
        json_push(list, smp_page_requests_add(&requests, &reports[i]));
    json_set(more, "reports", list);
    json_set(more, "requests", smp_page_requests_take(&requests));
    if (smp_page_begin(&page))
        smp_prediction_json(page.data, reports, count, style);
    put_page(out, &page, "predict", "predict - smemprobe", more);
}

static json_t *worst_json(const smp_layout_prediction *report, smp_page_requests *requests) {
    json_t *list = json_array();
    for (size_t i = 0; i < report->count; i++) {
        smp_prediction worst;
        smp_layout_prediction_worst(report, i, &worst);
        json_push(list, smp_page_requests_add(requests, &worst));
    }
    return list;
}

void smp_layout_html(FILE *out, const smp_layout_prediction *reports, size_t count,
                     const smp_layout_show *show) {
    smp_page page;
    smp_page_requests requests;
    json_t *more = json_object(), *list = json_array();
    smp_page_requests_make(&requests, SIZE_MAX);
    for (size_t i = 0; i < count; i++)
        json_push(list, worst_json(&reports[i], &requests));
    json_set(more, "reports", list);
    json_set(more, "requests", smp_page_requests_take(&requests));
    json_set(more, "file",
             count > 0 && reports[0].file ? json_text_of(reports[0].file) : json_null());
    if (smp_page_begin(&page))
        smp_layout_json(page.data, reports, count, show);
    put_page(out, &page, "layout", "accesses - smemprobe", more);
}

void smp_check_html(FILE *out, const smp_check *check, smp_style style) {
    smp_page page;
    if (smp_page_begin(&page))
        smp_check_json(page.data, check, style);
    put_page(out, &page, "check", "check - smemprobe", json_object());
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

void smp_fix_html(FILE *out, const fix_shown *shown) {
    smp_page page;
    if (smp_page_begin(&page))
        smp_fix_json(page.data, shown);
    put_page(out, &page, "fix", "fix - smemprobe", json_object());
}
