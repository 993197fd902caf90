/* SPDX-License-Identifier: MIT */
/*
 * Profiles are unchanged after writing and reading; merging gives the same in any
 * order; a file that is cut off or damaged is read up to that place, and the reader says so.
 */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "memory_opcode.h"
#include "profile_file.h"
#include "profile_json.h"
#include "profile_rank.h"
#include "profile_write.h"
#include "suite.h"

static uint64_t state;

static uint32_t below(uint32_t limit) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(state >> 33) % limit;
}

static char *text_of(const char *format, unsigned number) {
    char text[64];
    (void)snprintf(text, sizeof text, format, number);
    char *copy = malloc(strlen(text) + 1);
    ck_assert_ptr_nonnull(copy);
    return memcpy(copy, text, strlen(text) + 1);
}

static void random_site(smp_profile_site *site) {
    static const smp_op ops[] = {SMP_LD_SHARED, SMP_ST_SHARED, SMP_LD_GLOBAL, SMP_CP_ASYNC,
                                 SMP_LD_CLUSTER};
    site->op = ops[below(5)];
    site->space = smp_ops(NULL)[site->op].space;
    site->is_local = site->op == SMP_LD_GLOBAL && below(3) == 0;
    site->offset_bytes = 16 * below(4);
    site->width_bytes = 4;
    site->opcode = text_of("LDS.%u", 8u << site->op % 3);
    if (below(4) == 0)
        site->not_modelled = text_of("no rule", 0);
    for (unsigned i = below(3); i > 0; i--) {
        smp_frame *frame = smp_site_add_frame(site);
        frame->file = text_of("a\"%u\xff.cu", i);
        frame->line = i;
    }
    /* Lanes in global memory may have addresses below the first one's. */
    const uint64_t before = site->op == SMP_LD_GLOBAL || site->op == SMP_LD_CLUSTER ? 8 : 0;
    for (unsigned i = below(3) == 0 ? 400 : below(6); i > 0; i--) {
        smp_profile_request request = {.mask = below(2) ? SMP_ALL_LANES : below(255) + 1,
                                       .count = below(1000) + 1,
                                       .ideal = 1};
        for (unsigned lane = 0; lane < SMP_LANES; lane++)
            request.offset_bytes[lane] = request.mask >> lane & 1 ? 4u * below(4) - before : 0;
        request.wavefronts = smp_request_hash(&request) % 32 + 1;
        request.sectors = request.wavefronts;
        request.ideal_sectors = 1;
        ck_assert_int_eq(smp_site_add(site, &request, request.wavefronts), SMP_OK);
    }
}

static void random_place(smp_finding_place *at) {
    at->file = below(3) ? text_of("f%u\xff.cu", below(2)) : NULL;
    at->line = at->file ? below(2) : 0;
    at->instruction = below(4) ? text_of("LDS R%u, [R2]", below(2)) : NULL;
    at->offset_bytes = at->instruction ? 16 * below(2) : 0;
    at->has_thread = below(4) > 0;
    for (unsigned i = 0; i < 3 && at->has_thread; i++) {
        at->block[i] = below(2);
        at->thread[i] = below(2);
    }
}

static void random_finding(smp_profile_finding *out) {
    out->kind = below(4) ? SMP_FINDING_RACE : (smp_finding_kind)below(SMP_FINDING_KINDS);
    out->is_note = below(3) == 0;
    out->message = text_of("\"%u\n", below(3));
    out->kernel = text_of("_Z%u", below(2));
    out->array = below(2) ? text_of("tile%u", below(2)) : NULL;
    out->missing = below(2) ? text_of("a barrier %u", below(2)) : NULL;
    out->has_address = below(2);
    out->address = out->has_address ? below(3) : 0;
    out->count = below(1000) + 1;
    out->has_other = below(2);
    random_place(&out->at);
    if (out->has_other)
        random_place(&out->other);
}

static void random_profile(smp_profile *out) {
    smp_error error;
    smp_run *run = smp_profile_add_run(out);
    run->engine = below(2) ? SMP_ENGINE_GPU : SMP_ENGINE_EMULATED;
    run->command = text_of("./app %u", below(9));
    run->date = text_of("2026-11-22T03:00:%02uZ", below(60));
    run->process = below(1000);
    for (unsigned i = below(3) ? below(30) : 0; i > 0; i--)
        random_finding(smp_profile_add_finding(out));
    for (unsigned i = below(4); i > 0; i--) {
        smp_kernel_profile *kernel = smp_profile_add_kernel(out);
        kernel->name = text_of("_Z%u", below(3));
        kernel->code_hash = below(2);
        kernel->arch = smp_arch_find("sm_90");
        kernel->launches = below(100);
        kernel->launches_skipped = below(2) * below(100);
        kernel->blocks = below(2) * below(100);
        kernel->blocks_skipped = below(100);
        kernel->scaled.blocks = below(2) * (1 + below(100));
        if (kernel->scaled.blocks > 0)
            kernel->scaled.wavefronts = 1 + below(1000);
        kernel->grid[0] = below(100) + 1;
        kernel->block[0] = 32;
        smp_shared_array *array = smp_kernel_add_array(kernel);
        array->name = text_of("tile%u", below(2));
        array->size_bytes = 4096;
        for (unsigned j = below(7); j > 0; j--)
            ck_assert_int_eq(
                smp_kernel_add_caller(kernel, below(2) ? "a.py" : "b\xff.py", below(5)), SMP_OK);
        for (unsigned j = below(4); j > 0; j--)
            ck_assert_int_eq(
                smp_kernel_add_described(kernel, below(2) ? "IADD3 x,x,x" : "MUFU.TANH x,|x|"),
                SMP_OK);
        for (unsigned j = below(90); j > 60; j--) { /* more than there is room for */
            char *form = text_of("FADD.F%02u x", j + below(60));
            ck_assert_int_eq(smp_kernel_add_described(kernel, form), SMP_OK);
            free(form);
        }
        for (unsigned j = below(6); j > 0; j--)
            random_site(smp_kernel_add_site(kernel));
    }
    ck_assert_int_eq(smp_profile_sort(out, &error), SMP_OK);
}

/* A profile as text: equal texts, equal profiles. */
static char *text_of_profile(const smp_profile *profile) {
    json_t *all = json_array();
    for (uint32_t i = 0; i < profile->run_count; i++)
        json_array_append_new(all, smp_run_to_json(&profile->runs[i]));
    for (uint32_t i = 0; i < profile->finding_count; i++)
        json_array_append_new(all, smp_finding_to_json(&profile->findings[i]));
    for (uint32_t i = 0; i < profile->kernel_count; i++)
        json_array_append_new(all, smp_kernel_to_json(&profile->kernels[i], SMP_PROFILE_WHOLE));
    char *text = json_dumps(all, JSON_COMPACT);
    json_decref(all);
    ck_assert_ptr_nonnull(text);
    return text;
}

static void ck_assert_text(const char *left, const smp_profile *b) {
    char *right = text_of_profile(b);
    ck_assert_msg(strcmp(left, right) == 0, "%.600s\nand\n%.600s", left, right);
    free(right);
}

static void ck_assert_same(const smp_profile *a, const smp_profile *b) {
    char *left = text_of_profile(a);
    ck_assert_text(left, b);
    free(left);
}

/* Writes to memory; free *bytes. */
static void write_to(const smp_profile *profile, char **bytes, size_t *size) {
    smp_error error;
    FILE *file = open_memstream(bytes, size);
    ck_assert_int_eq(smp_profile_write(file, profile, &error), SMP_OK);
    ck_assert_int_eq(fclose(file), 0);
}

static smp_status read_from(char *bytes, size_t size, smp_profile *out, smp_profile_loss *loss) {
    smp_error error;
    FILE *file = fmemopen(bytes, size, "rb");
    smp_status status = smp_profile_read(file, out, loss, &error);
    ck_assert_int_eq(fclose(file), 0);
    return status;
}

/* Copies of 16 bytes, whose sectors are known or not. */
static void one_copy(smp_profile *out, uint64_t sectors) {
    smp_kernel_profile *kernel = smp_profile_add_kernel(out);
    kernel->name = text_of("copy", 0);
    smp_profile_site *site = smp_kernel_add_site(kernel);
    *site = (smp_profile_site){.op = SMP_CP_ASYNC,
                               .space = SMP_SPACE_COPY,
                               .width_bytes = 16,
                               .requests = 8,
                               .sectors = sectors,
                               .not_modelled = text_of("its shared side", 0)};
}

START_TEST(a_part_of_the_sectors_is_none) {
    static const uint64_t sectors[][2] = {{128, 64}, {128, 0}, {0, 128}, {0, 0}};
    for (unsigned i = 0; i < 4; i++) {
        smp_profile into = {0}, from = {0};
        smp_profile_sums sums = {0};
        smp_error error;
        one_copy(&into, sectors[i][0]);
        one_copy(&from, sectors[i][1]);
        ck_assert_int_eq(smp_profile_merge(&into, &from, &error), SMP_OK);
        const smp_profile_site *site = &into.kernels[0].sites[0];
        ck_assert_uint_eq(site->requests, 16);
        ck_assert(smp_site_has_sectors(site) == (i == 0));
        smp_sums_add_site(&sums, site);
        ck_assert_uint_eq(sums.sectors, i == 0 ? 192 : 0);
        ck_assert_uint_eq(sums.not_modelled, 16);
        smp_profile_clear(&into);
    }
}
END_TEST

START_TEST(a_profile_survives_its_file) {
    for (unsigned round = 0; round < 50; round++) {
        smp_profile written = {0}, read = {0};
        smp_profile_loss loss;
        char *bytes;
        size_t size;
        state = round;
        random_profile(&written);
        write_to(&written, &bytes, &size);
        ck_assert_int_eq(read_from(bytes, size, &read, &loss), SMP_OK);
        ck_assert(loss.blocks == 0 && !loss.cut);
        ck_assert_same(&written, &read);
        free(bytes);
        smp_profile_clear(&written);
        smp_profile_clear(&read);
    }
}
END_TEST

/* Merges profiles first .. first + 2 in the order of `order`. */
static void merge_three(unsigned first, const unsigned order[3], smp_profile *out) {
    smp_error error;
    for (unsigned i = 0; i < 3; i++) {
        smp_profile part = {0};
        state = first + order[i];
        random_profile(&part);
        ck_assert_int_eq(smp_profile_merge(out, &part, &error), SMP_OK);
    }
}

START_TEST(merging_gives_the_same_in_any_order) {
    static const unsigned orders[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2},
                                          {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    for (unsigned round = 0; round < 30; round++) {
        smp_profile reference = {0};
        merge_three(3 * round, orders[0], &reference);
        char *text = text_of_profile(&reference);
        for (unsigned i = 1; i < 6; i++) {
            smp_profile other = {0};
            merge_three(3 * round, orders[i], &other);
            ck_assert_text(text, &other);
            smp_profile_clear(&other);
        }
        free(text);
        smp_profile_clear(&reference);
    }
}
END_TEST

/* A profile of kernels alone. */
static void random_kernels(unsigned seed, smp_profile *out) {
    state = seed;
    random_profile(out);
    while (out->run_count > 0)
        smp_run_clear(&out->runs[--out->run_count]);
    while (out->finding_count > 0)
        smp_finding_clear(&out->findings[--out->finding_count]);
}

START_TEST(multiplying_is_merging_with_itself) {
    for (unsigned round = 0; round < 30; round++) {
        smp_profile merged = {0}, multiplied = {0};
        smp_error error;
        for (unsigned i = 0; i < 3; i++) {
            smp_profile part = {0};
            random_kernels(round, &part);
            ck_assert_int_eq(smp_profile_merge(&merged, &part, &error), SMP_OK);
        }
        random_kernels(round, &multiplied);
        ck_assert_int_eq(smp_profile_sort(&multiplied, &error), SMP_OK);
        smp_profile_multiply(&multiplied, 3);
        char *text = text_of_profile(&merged);
        ck_assert_text(text, &multiplied);
        free(text);
        smp_profile_clear(&merged);
        smp_profile_clear(&multiplied);
    }
}
END_TEST

/* What was seen, scaled by blocks where they were counted, else by launches. */
START_TEST(what_was_seen_is_scaled) {
    static const struct {
        uint64_t launches, launches_skipped, blocks, blocks_skipped;
        double scale;
    } rows[] = {{4, 0, 0, 0, 1},  {1, 199, 0, 0, 200}, {0, 3, 0, 0, 0},
                {1, 9, 8, 24, 4}, {0, 1, 16, 112, 8},  {10, 90, 5, 0, 1}};
    const smp_kernel_profile kernel = {.launches = rows[_i].launches,
                                       .launches_skipped = rows[_i].launches_skipped,
                                       .blocks = rows[_i].blocks,
                                       .blocks_skipped = rows[_i].blocks_skipped};
    ck_assert_double_eq(smp_kernel_scale(&kernel), rows[_i].scale);
}
END_TEST

/* Runs on two GPUs: the smaller of two clocks that are known. */
START_TEST(merging_keeps_the_smaller_clock) {
    static const uint32_t clocks[][2] = {{1980, 1755}, {1755, 1980}, {0, 1755}, {1755, 0}};
    smp_profile merged = {0};
    smp_error error;
    for (unsigned i = 0; i < 2; i++) {
        smp_kernel_profile *kernel = smp_profile_add_kernel(&merged);
        kernel->name = text_of("_Z%u", 0);
        kernel->clock_khz = clocks[_i][i];
    }
    ck_assert_int_eq(smp_profile_sort(&merged, &error), SMP_OK);
    ck_assert_uint_eq(merged.kernel_count, 1);
    ck_assert_uint_eq(merged.kernels[0].clock_khz, 1755);
    smp_profile_clear(&merged);
}
END_TEST

static uint64_t all_requests(const smp_profile *profile) {
    uint64_t sum = 0;
    for (uint32_t i = 0; i < profile->kernel_count; i++) {
        for (uint32_t j = 0; j < profile->kernels[i].site_count; j++)
            sum += profile->kernels[i].sites[j].requests;
    }
    return sum;
}

/* Each is folded into an equal one and into no other; errors come first. */
START_TEST(merging_loses_no_finding) {
    static const unsigned order[3] = {0, 1, 2};
    for (unsigned round = 0; round < 30; round++) {
        smp_profile merged = {0};
        uint64_t wanted = 0, sum = 0;
        for (unsigned i = 0; i < 3; i++) {
            smp_profile part = {0};
            state = 3 * round + i;
            random_profile(&part);
            for (uint32_t j = 0; j < part.finding_count; j++)
                wanted += part.findings[j].count;
            smp_profile_clear(&part);
        }
        merge_three(3 * round, order, &merged);
        for (uint32_t i = 0; i < merged.finding_count; i++) {
            sum += merged.findings[i].count;
            if (i > 0)
                ck_assert_int_lt(smp_finding_compare(&merged.findings[i - 1], &merged.findings[i]),
                                 0);
        }
        ck_assert_uint_eq(sum, wanted);
        const uint32_t errors = smp_findings_errors(merged.findings, merged.finding_count);
        ck_assert(errors == 0 || !merged.findings[errors - 1].is_note);
        smp_profile_clear(&merged);
    }
}
END_TEST

START_TEST(merging_loses_no_request) {
    static const unsigned order[3] = {0, 1, 2};
    for (unsigned round = 0; round < 30; round++) {
        smp_profile merged = {0};
        uint64_t expected = 0;
        for (unsigned i = 0; i < 3; i++) {
            smp_profile part = {0};
            state = 3 * round + i;
            random_profile(&part);
            expected += all_requests(&part);
            smp_profile_clear(&part);
        }
        merge_three(3 * round, order, &merged);
        ck_assert_uint_eq(all_requests(&merged), expected);
        for (uint32_t i = 0; i < merged.kernel_count; i++) {
            for (uint32_t j = 0; j < merged.kernels[i].site_count; j++) {
                const smp_profile_site *site = &merged.kernels[i].sites[j];
                uint64_t kept = site->requests_lost;
                for (uint32_t k = 0; k < site->distinct_count; k++)
                    kept += site->distinct[k].count;
                if (smp_space_has_banks(site->space))
                    ck_assert_uint_eq(kept, site->requests);
            }
        }
        smp_profile_clear(&merged);
    }
}
END_TEST

START_TEST(a_file_that_ends_early_is_good_up_to_there) {
    smp_profile written = {0};
    char *bytes;
    size_t size;
    state = 5;
    while (written.kernel_count < 2) {
        smp_profile_clear(&written);
        random_profile(&written);
    }
    write_to(&written, &bytes, &size);
    uint32_t most = 0;
    for (size_t length = 1; length < size; length += size < 4000 ? 1 : size / 997) {
        smp_profile read = {0};
        smp_profile_loss loss;
        smp_status status = read_from(bytes, length, &read, &loss);
        ck_assert_int_eq(status, length < 16 ? SMP_E_SYNTAX : SMP_OK);
        ck_assert(status != SMP_OK || (loss.cut && loss.blocks == 0));
        ck_assert_uint_ge(read.kernel_count, most);
        most = read.kernel_count;
        smp_profile_clear(&read);
    }
    ck_assert_uint_eq(most, written.kernel_count);
    free(bytes);
    smp_profile_clear(&written);
}
END_TEST

START_TEST(damage_is_noticed) {
    smp_profile written = {0};
    char *bytes;
    size_t size, noticed = 0, tried = 0;
    state = 13;
    random_profile(&written);
    write_to(&written, &bytes, &size);
    for (size_t at = 0, step = size < 4000 ? 1 : size / 997; at < size; at += step, tried++) {
        smp_profile read = {0};
        smp_profile_loss loss;
        bytes[at] = (char)(bytes[at] ^ (1 << at % 8));
        smp_status status = read_from(bytes, size, &read, &loss);
        /* Or harmless: zstd has a bit that means nothing. */
        if (status == SMP_OK && loss.blocks == 0 && !loss.cut)
            ck_assert_same(&written, &read);
        else
            noticed++;
        smp_profile_clear(&read);
        bytes[at] = (char)(bytes[at] ^ (1 << at % 8));
    }
    ck_assert_uint_gt(noticed, tried - tried / 50);
    free(bytes);
    smp_profile_clear(&written);
}
END_TEST

/* Nothing calls a patch for a tensor copy: that is no 0. */
static void add_costly(smp_kernel_profile *kernel, uint32_t excess, uint32_t line) {
    smp_profile_site *site = smp_kernel_add_site(kernel);
    site->op = SMP_LD_SHARED;
    site->offset_bytes = 16 * kernel->site_count;
    site->wavefronts = 1 + excess;
    site->ideal = 1;
    if (line > 0)
        *smp_site_add_frame(site) = (smp_frame){.file = text_of("k.cu", 0), .line = line};
}

/* Three instructions of 4, 3 and 2 are worth a look before a line of 8; the kernel has one place.
 */
START_TEST(without_lines_a_kernel_has_one_place) {
    smp_profile profile = {0};
    smp_ranking ranking;
    smp_error error;
    for (unsigned i = 0; i < 2; i++) {
        smp_kernel_profile *kernel = smp_profile_add_kernel(&profile);
        kernel->name = text_of("_Z%u", i);
        add_costly(kernel, i == 0 ? 8 : 3, i == 0 ? 5 : 0);
        if (i == 1) {
            add_costly(kernel, 4, 0);
            add_costly(kernel, 2, 0);
            add_costly(kernel, 0, 0);
        }
    }
    ck_assert_int_eq(smp_ranking_make(&profile, &ranking, &error), SMP_OK);
    ck_assert_uint_eq(ranking.worst_count, 2);
    const smp_profile_line *first = &ranking.lines[ranking.worst[0]];
    ck_assert_str_eq(first->kernel->name, "_Z1");
    ck_assert_uint_eq(smp_sums_excess(&first->sums), 4);
    ck_assert_uint_eq(smp_sums_excess(&first->together), 9);
    ck_assert_uint_eq(first->together_count, 3);
    ck_assert_uint_eq(ranking.lines[ranking.worst[1]].frame->line, 5);
    smp_ranking_clear(&ranking);
    smp_profile_clear(&profile);
}
END_TEST

/* Five lines waste 100 sectors each; lines 6 and 7 have conflicts that cost less. */
START_TEST(a_conflict_is_explained) {
    smp_profile profile = {0};
    smp_ranking ranking;
    smp_error error;
    smp_kernel_profile *kernel = smp_profile_add_kernel(&profile);
    for (unsigned line = 1; line < 8; line++) {
        add_costly(kernel, line < 6 ? 0 : 30 * (line - 5), line);
        smp_profile_site *site = kernel->sites + line - 1;
        site->space = line < 6 ? SMP_SPACE_GLOBAL : SMP_SPACE_SHARED;
        site->sectors = line < 6 ? 100 + line : 0;
    }
    ck_assert_int_eq(smp_ranking_make(&profile, &ranking, &error), SMP_OK);
    static const uint32_t expected[] = {5, 4, 7, 3, 2, 1, 6};
    ck_assert_uint_eq(ranking.worst_count, 7);
    for (uint32_t i = 0; i < 7; i++)
        ck_assert_uint_eq(smp_ranking_worst(&ranking, i)->frame->line, expected[i]);
    smp_ranking_clear(&ranking);
    smp_profile_clear(&profile);
}
END_TEST

START_TEST(what_is_not_counted_has_no_count) {
    smp_profile profile = {0};
    char *text = NULL;
    size_t size = 0;
    smp_kernel_profile *kernel = smp_profile_add_kernel(&profile);
    smp_profile_site *site = smp_kernel_add_site(kernel);
    const char *why = smp_opcode_not_modelled("UTMALDG.2D", NULL);
    ck_assert_ptr_nonnull(strstr(why, "not counted"));
    kernel->name = text_of("k", 0);
    site->op = SMP_OP_COUNT;
    site->opcode = text_of("UTMALDG.2D", 0);
    site->not_modelled = text_of("no rule", 0);
    for (unsigned requests = 0; requests < 2; requests++) {
        FILE *out = open_memstream(&text, &size);
        site->requests = 7 * requests;
        smp_profile_csv(out, &(smp_profile_view){.profile = &profile}, (smp_style){0});
        ck_assert_int_eq(fclose(out), 0);
        ck_assert_ptr_nonnull(strstr(text, requests ? ",0,7,,,,,,,0,," : ",0,,,,,,,,0,,"));
        free(text);
    }
    for (unsigned requests = 0; requests < 2; requests++) { /* in text it is named */
        smp_ranking ranking;
        smp_error error;
        FILE *out = open_memstream(&text, &size);
        site->requests = 7 * requests;
        ck_assert_int_eq(smp_ranking_make(&profile, &ranking, &error), SMP_OK);
        smp_profile_text(out, &(smp_profile_view){.profile = &profile, .ranking = &ranking},
                         (smp_style){0});
        ck_assert_int_eq(fclose(out), 0);
        ck_assert(!strstr(text, "not counted: 1 instruction, such as UTMALDG.2D") ==
                  (requests > 0));
        smp_ranking_clear(&ranking);
        free(text);
    }
    smp_profile_clear(&profile);
}
END_TEST

/* A thread's words are beside the same words of the other lanes, so the description of the worst
 * request fits its sectors; wide requests, whose words are apart, have none. */
START_TEST(local_memory_is_reported_as_it_lies) {
    smp_kernel_profile kernel = {.arch = smp_arch_find("sm_90")};
    smp_profile_site site = {
        .op = SMP_LD_GLOBAL, .space = SMP_SPACE_GLOBAL, .width_bytes = 4, .is_local = true};
    smp_prediction report;
    site.worst.mask = SMP_ALL_LANES;
    ck_assert(smp_site_report(&kernel, &site, &report));
    ck_assert_uint_eq(report.counts.transactions, 4); /* all threads' first word: one line */
    for (unsigned lane = 0; lane < SMP_LANES; lane++)
        site.worst.offset_bytes[lane] = 4 * lane;
    ck_assert(smp_site_report(&kernel, &site, &report));
    ck_assert_uint_eq(report.counts.transactions, 32); /* each its own line */
    site.width_bytes = 1;
    for (unsigned lane = 0; lane < SMP_LANES; lane++)
        site.worst.offset_bytes[lane] = lane % 4;
    ck_assert(smp_site_report(&kernel, &site, &report));
    ck_assert_uint_eq(report.counts.transactions, 4);
    site.width_bytes = 8;
    ck_assert(!smp_site_report(&kernel, &site, &report));
}
END_TEST

/* Frames from the inside out, and which of them is the user's. */
static const struct {
    const char *files[3];
    unsigned user;
} chains[] = {
    {{"/opt/cutlass/include/cute/algorithm/copy.hpp", "/src/gemm.cu", "/src/main.cu"}, 1},
    {{"/opt/cutlass/include/cutlass/arch/mma.h", "/src/gemm.cu", NULL}, 1},
    {{"/env/lib/python3/site-packages/triton/language/standard.py", "/src/norm.py", NULL}, 1},
    {{"/opt/cuda/targets/x86_64-linux/include/cuda_fp16.hpp", "/src/a.cu", NULL}, 1},
    {{"/usr/local/cuda/include/thrust/system/a.h", "/usr/include/c++/12/b.h", "/src/c.cu"}, 2},
    {{"/src/tile.cuh", "/src/gemm.cu", NULL}, 0},
    {{"/opt/cutlass/include/cute/a.hpp", "/opt/cutlass/include/cutlass/b.h", NULL}, 1},
};

START_TEST(a_line_is_the_innermost_of_the_user) {
    smp_frame frames[3] = {{0}};
    smp_profile_site site = {.frames = frames};
    for (; site.frame_count < 3 && chains[_i].files[site.frame_count]; site.frame_count++)
        frames[site.frame_count].file = (char *)(uintptr_t)chains[_i].files[site.frame_count];
    ck_assert_ptr_eq(smp_site_user_frame(&site), &frames[chains[_i].user]);
}
END_TEST

int main(void) {
    return SUITE("profile", TEST_EACH(a_line_is_the_innermost_of_the_user, COUNT_OF(chains)),
                 TEST(local_memory_is_reported_as_it_lies), TEST(a_profile_survives_its_file),
                 TEST(a_part_of_the_sectors_is_none), TEST(merging_gives_the_same_in_any_order),
                 TEST(multiplying_is_merging_with_itself), TEST_EACH(what_was_seen_is_scaled, 6),
                 TEST_EACH(merging_keeps_the_smaller_clock, 4), TEST(merging_loses_no_finding),
                 TEST(merging_loses_no_request), TEST(a_file_that_ends_early_is_good_up_to_there),
                 TEST(damage_is_noticed), TEST(what_is_not_counted_has_no_count),
                 TEST(without_lines_a_kernel_has_one_place), TEST(a_conflict_is_explained));
}
