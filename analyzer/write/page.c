/* SPDX-License-Identifier: MIT */
/* Pages: the compiled-in template (html/) with a document's JSON in it. */
#include "page.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "embedded.h"
#include "json_text.h"
#include "text_buffer.h"
#include "write_prediction.h"

/* JSON has '<', '>' and '&' only in strings, where an escape means the same. Escaped, they cannot
 * end the surrounding element. */
static void put_json(FILE *out, const char *text, size_t length) {
    for (size_t i = 0; i < length; i++) {
        if (text[i] == '<' || text[i] == '>' || text[i] == '&')
            fprintf(out, "\\u%04x", (unsigned)text[i]);
        else
            fputc(text[i], out);
    }
}

static int put_piece(const char *text, size_t length, void *user) {
    put_json(user, text, length);
    return 0;
}

static void put_more(FILE *out, const json_t *more) {
    if (!more || json_dump_callback(more, put_piece, out, JSON_COMPACT | JSON_ENSURE_ASCII) != 0)
        fputs("null", out);
}

static void put_title(FILE *out, const char *title) {
    json_t *clean = json_text_of(title);
    const char *text = clean ? json_string_value(clean) : "smemprobe";
    for (; *text != '\0'; text++) {
        if (*text == '<' || *text == '>' || *text == '&' || (unsigned char)*text < ' ')
            fprintf(out, "&#%d;", (unsigned char)*text < ' ' ? ' ' : *text);
        else
            fputc(*text, out);
    }
    json_decref(clean);
}

/* ---- The command ---- */

static char command[8192]; /* "" if unknown or longer */

void smp_page_set_command(int argc, char *const *argv) {
    text_buffer out = TEXT_BUFFER(command);
    text_add(&out, "smemprobe");
    for (int i = 1; i < argc; i++)
        text_add_word(&out, argv[i]);
    if (out.length + 1 >= sizeof command)
        command[0] = '\0';
}

/* Copies `text` up to `marker` and returns what follows the marker. */
static const char *put_until(FILE *out, const char *text, const char *marker) {
    const char *at = strstr(text, marker);
    (void)fwrite(text, 1, (size_t)(at - text), out);
    return at + strlen(marker);
}

FILE *smp_page_begin(smp_page *page) {
    *page = (smp_page){0};
    page->data = open_memstream(&page->text, &page->length);
    return page->data;
}

void smp_page_end(smp_page *page, FILE *out, const char *title, json_t *more) {
    const bool is_whole = page->data && fclose(page->data) == 0 && page->text;
    const char *at = put_until(out, smp_page_files[0].text, "@TITLE@");
    put_title(out, title);
    at = put_until(out, at, "@DATA@");
    put_json(out, is_whole ? page->text : "null", is_whole ? page->length : 4);
    at = put_until(out, at, "@MORE@");
    json_set(more, "command", command[0] != '\0' ? json_text_of(command) : json_null());
    put_more(out, more);
    fputs(at, out);
    json_decref(more);
    free(page->text);
}

/* ---- Requests ---- */

void smp_page_requests_make(smp_page_requests *out, size_t bytes_most) {
    out->list = json_array();
    out->known = json_object();
    out->bytes = 0;
    out->bytes_most = bytes_most;
}

static void request_key(const smp_prediction *report, char *text, size_t size) {
    const smp_access *access = &report->access;
    text_buffer key = text_buffer_over(text, size);
    text_add(&key, "%s %u %d %" PRIu32 " %" PRIx32, report->arch.name, report->arch.bank_bytes,
             (int)access->op, access->width_bytes, access->active_mask);
    for (unsigned lane = 0; lane < SMP_LANES; lane++)
        text_add(&key, " %" PRIx32 " %" PRIx64, access->offset_bytes[lane],
                 access->address_bytes[lane]);
}

/* {banks, passes, waves[{group, cells[bank, lane mask, ...], pairs[banks] if any}]} */
static json_t *wave_json(const smp_map_row *row, unsigned banks) {
    json_t *cells = json_array(), *pairs = json_array();
    for (unsigned bank = 0; bank < banks; bank++) {
        if (row->cells[bank].lanes == 0)
            continue;
        json_push(cells, json_integer(bank));
        json_push(cells, json_integer(row->cells[bank].lanes));
        if (row->cells[bank].is_pair)
            json_push(pairs, json_integer(bank));
    }
    json_t *out = json_pack("{s:i, s:o, s:O*}", "group", (int)row->group, "cells", cells, "pairs",
                            json_array_size(pairs) > 0 ? pairs : NULL);
    json_decref(pairs);
    return out;
}

static json_t *map_json(const smp_prediction *report) {
    smp_map_row rows[SMP_MAP_ROWS_MAX];
    json_t *waves = json_array();
    const size_t count =
        smp_bank_map(&report->arch, &report->access, &report->counts, rows, SMP_MAP_ROWS_MAX);
    for (size_t i = 0; i < count; i++)
        json_push(waves, wave_json(&rows[i], report->arch.banks));
    return json_pack("{s:i, s:i, s:o}", "banks", (int)report->arch.banks, "passes",
                     (int)smp_ops(NULL)[report->access.op].passes, "waves", waves);
}

static json_t *groups_json(const smp_counts *counts) {
    json_t *groups = json_array();
    for (unsigned i = 0; i < counts->group_count; i++)
        json_push(groups, json_integer((json_int_t)counts->groups[i].lanes));
    return groups;
}

static json_t *request_json(const smp_prediction *report) {
    char words[256], why[512];
    const smp_counts *counts = &report->counts;
    const bool banks = (counts->valid & SMP_HAS_WAVEFRONTS) != 0 && counts->group_count > 0 &&
                       smp_op_counts_wavefronts(report->access.op);
    json_t *out = json_object();
    (void)smp_prediction_words(report, words, sizeof words);
    (void)smp_prediction_why(report, why, sizeof why);
    json_set(out, "offsets", smp_offsets_json(&report->access));
    json_set(out, "width", json_integer(report->access.width_bytes));
    json_set(out, "words", json_text_of(words));
    json_set(out, "why", json_text_of(why));
    if (counts->valid & SMP_HAS_WAVEFRONTS) {
        json_set(out, "waves", json_integer(counts->wavefronts_max));
        json_set(out, "ideal", json_integer(counts->ideal));
        json_set(out, "ways", json_integer(counts->ways));
    }
    if (banks) {
        json_set(out, "map", map_json(report));
        json_set(out, "groups", groups_json(counts));
    }
    if (counts->valid & SMP_HAS_TRANSACTIONS) {
        json_set(out, "moved", json_integer(counts->transactions));
        json_set(out, "unit", json_string(smp_moved_word(&report->arch)));
        json_set(out, "moved_bytes", json_integer(counts->bytes));
    }
    return out;
}

json_t *smp_page_requests_add(smp_page_requests *requests, const smp_prediction *report) {
    char key[1024];
    if (report->status != SMP_OK)
        return json_null();
    request_key(report, key, sizeof key);
    const json_t *known = json_object_get(requests->known, key);
    if (known)
        return json_integer(json_integer_value(known));
    const json_int_t index = (json_int_t)json_array_size(requests->list);
    json_t *request = request_json(report);
    const size_t bytes = json_dumpb(request, NULL, 0, JSON_COMPACT | JSON_ENSURE_ASCII);
    if (requests->bytes + bytes > requests->bytes_most) {
        json_decref(request);
        return json_null();
    }
    requests->bytes += bytes;
    if (json_array_append_new(requests->list, request) != 0)
        return json_null();
    json_set(requests->known, key, json_integer(index));
    return json_integer(index);
}

json_t *smp_page_requests_take(smp_page_requests *requests) {
    json_decref(requests->known);
    return requests->list;
}
