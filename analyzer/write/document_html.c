/* SPDX-License-Identifier: MIT */
/*
 * Documents that are no profiles as pages: their JSON as it is promised, and the bank map and
 * reason of each request that they speak of.
 */
#define _POSIX_C_SOURCE 200809L
#include <stdlib.h>

#include "json_text.h"
#include "page.h"
#include "write_format.h"

/* What a writer of JSON wrote, in memory. */
typedef struct kept_text {
    FILE *stream;
    char *text;
    size_t length;
} kept_text;

static FILE *kept_open(kept_text *kept) {
    *kept = (kept_text){0};
    kept->stream = open_memstream(&kept->text, &kept->length);
    return kept->stream;
}

/* Takes over `kept` and `more`. */
static void put_page(FILE *out, kept_text *kept, const char *kind, const char *title,
                     json_t *more) {
    if (kept->stream && fclose(kept->stream) != 0) {
        free(kept->text);
        kept->text = NULL;
    }
    json_set(more, "kind", json_string(kind));
    json_set(more, "version", json_string(SMP_VERSION));
    smp_page_put(out, title, kept->text, more);
    free(kept->text);
}

void smp_prediction_html(FILE *out, const smp_prediction *reports, size_t count, smp_style style) {
    kept_text kept;
    smp_page_requests requests;
    json_t *more = json_object(), *list = json_array();
    smp_page_requests_make(&requests, SIZE_MAX);
    for (size_t i = 0; i < count; i++)
        json_push(list, smp_page_requests_add(&requests, &reports[i]));
    json_set(more, "reports", list);
    json_set(more, "requests", smp_page_requests_take(&requests));
    if (kept_open(&kept))
        smp_prediction_json(kept.stream, reports, count, style);
    put_page(out, &kept, "predict", "predict - smemprobe", more);
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
    kept_text kept;
    smp_page_requests requests;
    json_t *more = json_object(), *list = json_array();
    smp_page_requests_make(&requests, SIZE_MAX);
    for (size_t i = 0; i < count; i++)
        json_push(list, worst_json(&reports[i], &requests));
    json_set(more, "reports", list);
    json_set(more, "requests", smp_page_requests_take(&requests));
    json_set(more, "file",
             count > 0 && reports[0].file ? json_text_of(reports[0].file) : json_null());
    if (kept_open(&kept))
        smp_layout_json(kept.stream, reports, count, show);
    put_page(out, &kept, "layout", "accesses - smemprobe", more);
}

void smp_check_html(FILE *out, const smp_check *check, smp_style style) {
    kept_text kept;
    if (kept_open(&kept))
        smp_check_json(kept.stream, check, style);
    put_page(out, &kept, "check", "check - smemprobe", json_object());
}

void smp_compare_html(FILE *out, const comparison *cases, size_t count) {
    kept_text kept;
    if (kept_open(&kept))
        smp_compare_json(kept.stream, cases, count);
    put_page(out, &kept, "compare", "compare - smemprobe", json_object());
}

void smp_fix_html(FILE *out, const fix_shown *shown) {
    kept_text kept;
    if (kept_open(&kept))
        smp_fix_json(kept.stream, shown);
    put_page(out, &kept, "fix", "fix - smemprobe", json_object());
}
