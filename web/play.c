/* SPDX-License-Identifier: MIT */
/*
 * The playground's interface to the program's own model, expressions, layouts and fix: each call
 * takes a text and returns JSON. script/playground compiles it to WebAssembly; the page
 * (play.js) only draws the answers.
 *
 * There is one caller: the result of a play_ function is valid until the next call.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data_file.h"
#include "layout_cost.h"
#include "random_form.h"
#include "smp_accesses.h"
#include "smp_fix.h"
#include "smp_layout.h"
#include "smp_prediction.h"
#include "text_buffer.h"
#include "text_file.h"

/* Pages read no files, so an #include is ignored. */
smp_status smp_text_read(const char *name, char **text, size_t *length, smp_error *error) {
    (void)name;
    *text = NULL;
    *length = 0;
    return smp_error_set(error, SMP_E_READ, -1, "this page reads no files");
}

smp_status smp_data_file_read(const char *name, int64_t **values, size_t *count, smp_error *error) {
    (void)name;
    *values = NULL;
    *count = 0;
    return smp_error_set(error, SMP_E_READ, -1,
                         "this page reads no files: say " SMP_RANDOM_FORM " or zipf:COUNT");
}

#define EXPORT(name) __attribute__((export_name(#name)))

enum { TEXT_MAX = 1 << 16, ANSWER_MAX = 1 << 21 };

static char given[TEXT_MAX], answer[ANSWER_MAX];
static text_buffer out;

/* ---- The answer ---- */

#define BEGIN() (out = TEXT_BUFFER(answer))
#define add(...) text_add(&out, __VA_ARGS__)

static void add_text(const char *text, size_t bytes) {
    add("\"");
    for (size_t i = 0; i < bytes; i++) {
        const unsigned char c = (unsigned char)text[i];
        if (c == '"' || c == '\\' || c < ' ')
            add("\\u%04x", c);
        else
            add("%c", c);
    }
    add("\"");
}

/* Writes a member of an object; `name` includes the comma and the quotes. */
static void add_member(const char *name, const char *text) {
    add("%s:", name);
    add_text(text, strlen(text));
}

static const char *answer_error(const smp_error *error, unsigned line) {
    BEGIN();
    add("{\"error\":{\"line\":%u,\"position\":%d", line, error->position);
    add_member(",\"message\"", error->message);
    add("}}");
    return answer;
}

/* ---- One request ---- */

static void add_map(const smp_prediction *report) {
    static smp_map_row rows[SMP_MAP_ROWS_MAX];
    const size_t count =
        smp_bank_map(&report->arch, &report->access, &report->counts, rows, SMP_MAP_ROWS_MAX);
    add(",\"map\":{\"banks\":%u,\"passes\":%d,\"waves\":[", report->arch.banks,
        (int)smp_ops(NULL)[report->access.op].passes);
    for (size_t i = 0; i < count; i++) {
        const char *joint = "";
        add("%s{\"group\":%u,\"cells\":[", i > 0 ? "," : "", rows[i].group);
        for (unsigned bank = 0; bank < report->arch.banks; bank++) {
            if (rows[i].cells[bank].lanes == 0)
                continue;
            add("%s%u,%u", joint, bank, rows[i].cells[bank].lanes);
            joint = ",";
        }
        add("],\"pairs\":[");
        joint = "";
        for (unsigned bank = 0; bank < report->arch.banks; bank++) {
            if (!rows[i].cells[bank].is_pair)
                continue;
            add("%s%u", joint, bank);
            joint = ",";
        }
        add("]}");
    }
    add("]}");
}

static void add_request(const smp_prediction *report) {
    static char words[1024], why[1024];
    const smp_counts *counts = &report->counts;
    const bool is_global = smp_ops(NULL)[report->access.op].space == SMP_SPACE_GLOBAL;
    (void)smp_prediction_words(report, words, sizeof words);
    (void)smp_prediction_why(report, why, sizeof why);
    add("{\"offsets\":[");
    for (unsigned lane = 0; lane < SMP_LANES; lane++) {
        if (lane > 0)
            add(",");
        if (!(report->access.active_mask >> lane & 1))
            add("null");
        else
            add("%" PRIu64,
                is_global ? report->access.address_bytes[lane] : report->access.offset_bytes[lane]);
    }
    add("],\"width\":%u", report->access.width_bytes);
    add_member(",\"words\"", words);
    add_member(",\"why\"", why);
    if (counts->valid & SMP_HAS_WAVEFRONTS)
        add(",\"waves\":%u,\"ideal\":%u,\"ways\":%u", counts->wavefronts_max, counts->ideal,
            counts->ways);
    if ((counts->valid & SMP_HAS_WAVEFRONTS) && counts->group_count > 0 &&
        smp_op_counts_wavefronts(report->access.op))
        add_map(report);
    if (counts->valid & SMP_HAS_TRANSACTIONS)
        add(",\"moved\":%u,\"moved_bytes\":%u", counts->transactions, counts->bytes);
    add("}");
}

/* ---- What the page calls ---- */

/* Buffer of TEXT_MAX bytes for the text of the next call. */
EXPORT(play_text) char *play_text(void) {
    return given;
}

/* Architectures: [{name, family, cc}]. */
EXPORT(play_archs) const char *play_archs(void) {
    size_t count;
    const smp_arch *archs = smp_archs(&count);
    BEGIN();
    add("[");
    for (size_t i = 0; i < count; i++)
        add("%s{\"name\":\"%s\",\"family\":\"%s\",\"cc\":\"%u.%u\"}", i > 0 ? "," : "",
            archs[i].name, archs[i].family, archs[i].cc_major, archs[i].cc_minor);
    add("]");
    return answer;
}

static void add_access(const smp_layout *layout, const smp_arch *arch, size_t index,
                       const smp_totals *totals) {
    smp_layout_access access;
    const smp_layout_prediction all = {
        .layout = layout, .arch = *arch, .totals = (smp_totals *)totals};
    smp_prediction worst;
    smp_layout_access_at(layout, index, &access);
    add("%s{\"text\":", index > 0 ? "," : "");
    add_text(access.text, access.length);
    add(",\"line\":%u,\"op\":\"%s\",\"requests\":%" PRIu64, access.line,
        smp_ops(NULL)[access.op].name, totals->requests);
    if (totals->valid & SMP_HAS_WAVEFRONTS)
        add(",\"wavefronts\":%" PRIu64 ",\"ideal\":%" PRIu64 ",\"excess\":%" PRIu64 ",\"ways\":%u",
            totals->wavefronts_max, totals->ideal, totals->excess, totals->ways);
    if (totals->valid & SMP_HAS_TRANSACTIONS)
        add(",\"transactions\":%" PRIu64, totals->transactions);
    if (totals->note)
        add_member(",\"note\"", totals->note);
    add(",\"worst\":");
    smp_layout_prediction_worst(&all, 0, &worst);
    if (totals->status == SMP_OK)
        add_request(&worst);
    else
        add("null");
    add("}");
}

/* Reads a layout file of `bytes` bytes, which the caller always frees, and the first architecture
 * that it names, or the newest measured one. */
static smp_status read_layout(size_t bytes, smp_layout **layout, const smp_arch **arch,
                              unsigned *line, smp_error *error) {
    *layout = smp_layout_new();
    smp_status status = *layout ? smp_layout_add_lines(*layout, given, bytes, line, error)
                                : smp_error_memory(error);
    *arch = status == SMP_OK && smp_layout_arch_count(*layout) > 0 ? smp_layout_arch(*layout, 0)
                                                                   : smp_arch_find("sm_90");
    return status;
}

/* Costs of the accesses of a layout file of `bytes` bytes, on the first architecture that it names,
 * or the newest measured one. */
EXPORT(play_layout) const char *play_layout(size_t bytes) {
    smp_error error = {.position = -1};
    unsigned line = 0;
    uint32_t block[3];
    smp_layout *layout;
    const smp_arch *arch;
    smp_status status = read_layout(bytes, &layout, &arch, &line, &error);
    if (status == SMP_OK)
        status = smp_layout_check_memory(layout, arch, &error);
    if (status == SMP_OK) {
        smp_layout_block(layout, block);
        BEGIN();
        add("{\"arch\":\"%s\",\"family\":\"%s\",\"evidence\":\"%s\",\"block\":[%u,%u,%u],"
            "\"shared_bytes\":%" PRIu64 ",\"accesses\":[",
            arch->name, arch->family, smp_evidence_name(arch->evidence), block[0], block[1],
            block[2], smp_layout_shared_bytes(layout));
    }
    for (size_t i = 0; status == SMP_OK && i < smp_layout_access_count(layout); i++) {
        smp_totals totals;
        status = smp_layout_evaluate(layout, arch, i, &totals, &line, &error);
        if (status == SMP_OK)
            add_access(layout, arch, i, &totals);
    }
    if (status == SMP_OK)
        add("]}");
    else
        (void)answer_error(&error, line);
    smp_layout_free(layout);
    return answer;
}

/* ---- Fix ---- */

static uint64_t asked;

/* Limits the number of candidates, so that a page does not wait for a proof. */
static smp_fix_wish progress(void *user, smp_fix_phase phase, uint64_t done) {
    (void)user;
    (void)phase;
    (void)done;
    return ++asked > 2000 ? SMP_FIX_OUT_OF_TIME : SMP_FIX_GO_ON;
}

static void add_written(const char *name, bool (*write)(FILE *out, const smp_fix *fix),
                        const smp_fix *fix) {
    char *text = NULL;
    size_t bytes = 0;
    FILE *memory = open_memstream(&text, &bytes);
    if (!memory)
        return;
    const bool ok = write(memory, fix);
    (void)fclose(memory);
    add(",\"%s\":", name);
    if (ok)
        add_text(text, bytes);
    else
        add("null");
    free(text);
}

/* Repairs the same text: {needed, free, better, proven, excess_before, excess_after, layout, cuda,
 * cute}. */
EXPORT(play_fix) const char *play_fix(size_t bytes) {
    smp_error error = {.position = -1};
    unsigned line = 0;
    smp_fix *fix = NULL;
    smp_layout *layout;
    const smp_arch *arch;
    smp_status status = read_layout(bytes, &layout, &arch, &line, &error);
    const smp_fix_options options = {.archs = arch, .arch_count = 1, .progress = progress};
    asked = 0;
    if (status == SMP_OK)
        status = smp_fix_solve(given, bytes, &options, &fix, &line, &error);
    smp_layout_free(layout);
    if (status != SMP_OK)
        return answer_error(&error, line);
    const smp_fix_result result = smp_fix_result_of(fix);
    BEGIN();
    add("{\"needed\":%s,\"free\":%s,\"better\":%s,\"proven\":%s,\"excess_before\":%" PRIu64
        ",\"excess_after\":%" PRIu64 ",\"bytes_before\":%" PRIu64 ",\"bytes_after\":%" PRIu64,
        result.is_needed ? "true" : "false", result.is_free ? "true" : "false",
        result.is_better ? "true" : "false", result.is_proven ? "true" : "false",
        result.excess_before, result.excess_after, result.bytes_before, result.bytes_after);
    add_written("layout", smp_fix_write_layout, fix);
    add_written("cuda", smp_fix_write_cuda, fix);
    add_written("cute", smp_fix_write_cute, fix);
    add("}");
    smp_fix_free(fix);
    return answer;
}

/* One batch line on architecture `arch` (an index of play_archs): the figures of `smemprobe batch`,
 * [min, max, ideal, ways, transactions, bytes], null if not applicable; or "error". */
EXPORT(play_batch) const char *play_batch(size_t bytes, size_t arch) {
    size_t count;
    smp_error error;
    smp_access access;
    smp_counts counts;
    const smp_arch *archs = smp_archs(&count);
    if (arch < count)
        archs += arch;
    bool is_empty = false;
    BEGIN();
    if (smp_batch_parse(given, bytes, &access, &is_empty, &error) != SMP_OK || is_empty ||
        smp_access_check(archs, &access, &error) != SMP_OK) {
        add("\"error\"");
        return answer;
    }
    const bool known = smp_predict(archs, &access, &counts) == SMP_OK;
    if (known && (counts.valid & SMP_HAS_WAVEFRONTS))
        add("[%u,%u,%u,%u", counts.wavefronts_min, counts.wavefronts_max, counts.ideal,
            counts.ways);
    else
        add("[null,null,null,null");
    if (known && (counts.valid & SMP_HAS_TRANSACTIONS))
        add(",%u,%u]", counts.transactions, counts.bytes);
    else
        add(",null,null]");
    return answer;
}
