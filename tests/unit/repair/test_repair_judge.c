/* SPDX-License-Identifier: MIT */
/* Which differences between two runs are allowed in a proof, rule by rule. */
#define _GNU_SOURCE /* MAP_ANONYMOUS */
#include <string.h>
#include <sys/mman.h>

#include "repair.h"
#include "suite.h"

enum { PAGE = 4096, ARRAY_BYTES = 4 * PAGE };

/* The results of a run of two kernels, "one" and "two". */
typedef struct made {
    uint64_t wavefronts, ideal, others, sectors; /* others: of "two" */
    uint32_t local_bytes, shared_bytes, resident;
    smp_finding_kind finding;
    uint32_t findings; /* so many of them, of "one" */
    uint64_t local_requests;
    bool is_note;
    int exit_status;
    uint64_t blocks;
    uint32_t arrays;
    uint64_t size;            /* of an array; 0: ARRAY_BYTES */
    uint32_t at, also;        /* where the array is not 0; 0: nowhere */
    bool has_no_bytes, lacks; /* the array has none; kernel "one" is not there */
    const char *name;         /* of "two"; NULL: "two" */
    const char *raced;        /* array of the findings */
} made;

typedef struct built {
    smp_profile_site sites[3]; /* two of kernel "one" */
    smp_kernel_profile kernels[2];
    smp_profile_finding findings[2];
    proof_kernel ran[2];
    smp_emu_array arrays[2];
    proof_run run;
} built;

#define USUAL                                                                            \
    .wavefronts = 1000, .ideal = 100, .others = 50, .sectors = 64, .shared_bytes = 4096, \
    .resident = 4, .blocks = 2, .arrays = 1, .at = 3 * PAGE

static void build_arrays(built *to, const made *from) {
    static char name[] = "argument 1";
    for (uint32_t i = 0; i < from->arrays; i++) {
        to->arrays[i] =
            (smp_emu_array){.name = name, .size_bytes = from->size ? from->size : ARRAY_BYTES};
        if (from->has_no_bytes)
            continue;
        uint8_t *bytes =
            mmap(NULL, ARRAY_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        ck_assert(bytes != MAP_FAILED);
        to->arrays[i].bytes = bytes;
        if (from->at > 0)
            bytes[from->at] = 7;
        if (from->also > 0)
            bytes[from->also] = 7;
    }
}

static void build(const made *from, built *to) {
    static char one[] = "one", usual[] = "two", message[] = "a message";
    char *two = from->name ? (char *)(uintptr_t)from->name : usual;
    memset(to, 0, sizeof *to);
    build_arrays(to, from);
    to->sites[0] = (smp_profile_site){.space = SMP_SPACE_SHARED,
                                      .wavefronts = from->wavefronts,
                                      .ideal = from->ideal,
                                      .sectors = from->sectors,
                                      .ideal_sectors = 1};
    to->sites[1] = (smp_profile_site){
        .space = SMP_SPACE_GLOBAL, .is_local = true, .requests = from->local_requests};
    to->sites[2] = (smp_profile_site){.space = SMP_SPACE_SHARED, .wavefronts = from->others};
    for (unsigned i = 0; i < 2; i++)
        to->kernels[i] = (smp_kernel_profile){
            .name = i == 0 ? one : usual, .sites = &to->sites[2 * i], .site_count = 2 - i};
    to->ran[0] = (proof_kernel){.name = one,
                                .memory = {to->arrays, from->arrays},
                                .local_bytes = from->local_bytes,
                                .shared_bytes = from->shared_bytes,
                                .resident = from->resident,
                                .blocks_run = from->blocks,
                                .blocks = 2};
    to->ran[1] = (proof_kernel){.name = two, .blocks_run = 1, .blocks = 1};
    for (unsigned i = 0; i < from->findings; i++)
        to->findings[i] = (smp_profile_finding){.kind = from->finding,
                                                .is_note = from->is_note,
                                                .message = message,
                                                .kernel = one,
                                                .array = (char *)(uintptr_t)from->raced};
    to->run.profile.kernels = to->kernels + from->lacks;
    to->run.profile.kernel_count = 2 - from->lacks;
    to->run.profile.findings = to->findings;
    to->run.profile.finding_count = from->findings;
    to->run.kernels = to->ran;
    to->run.count = 2;
    to->run.exit_status = from->exit_status;
}

static void end(built *of) {
    for (unsigned i = 0; i < 2; i++)
        if (of->arrays[i].bytes)
            (void)munmap(of->arrays[i].bytes, ARRAY_BYTES);
}

typedef struct judge_row {
    made after;
    uint64_t max_bytes; /* --max-bytes */
    const char *why;    /* NULL: it is proven */
    bool of_sectors;
} judge_row;

#define LESS USUAL, .wavefronts = 500

/* clang-format off */
#pragma GCC diagnostic ignored "-Woverride-init"
static const judge_row rows[] = {
    {.after = {LESS}},
    /* nothing else happens */
    {.after = {LESS, .finding = SMP_FINDING_MISALIGNED, .findings = 1}, .why = "a message"},
    {.after = {LESS, .finding = SMP_FINDING_MISALIGNED, .findings = 1, .is_note = true}},
    {.after = {LESS, .finding = SMP_FINDING_RACE, .findings = 1}}, /* looked at by itself */
    {.after = {LESS, .lacks = true}, .why = "did not run"},
    {.after = {LESS, .blocks = 1}, .why = "ran differently"},
    {.after = {LESS, .arrays = 2}, .why = "ran differently"},
    {.after = {LESS, .exit_status = 1}, .why = "the exit status is 1 instead of 0"},
    {.after = {LESS, .name = "other"}, .why = "two did not run"},
    /* every byte */
    {.after = {LESS, .at = 3 * PAGE + 1}, .why = "different values in argument 1"},
    {.after = {LESS, .at = PAGE}, .why = "different values in argument 1"},
    {.after = {LESS, .also = PAGE}, .why = "different values in argument 1"}, /* where the source has touched nothing */
    {.after = {LESS, .at = 0}, .why = "different values in argument 1"},
    {.after = {LESS, .has_no_bytes = true}, .why = "different values in argument 1"},
    {.after = {LESS, .size = ARRAY_BYTES - PAGE / 2}, .why = "different values in argument 1"},
    /* what it costs */
    {.after = {USUAL}, .why = "no gain"},
    {.after = {USUAL, .wavefronts = 1100}, .why = "no gain"},
    {.after = {USUAL, .wavefronts = 951}, .why = "too small a gain"},
    {.after = {USUAL, .wavefronts = 950}},
    {.after = {LESS, .others = 51}, .why = "two would need more wavefronts"},
    {.after = {LESS, .sectors = 64 + 251}, .why = "more sectors of global memory"},
    {.after = {LESS, .sectors = 64 + 250}}, /* 500 wavefronts less */
    {.after = {LESS, .sectors = 63}},
    {.after = {USUAL, .sectors = 60}, .of_sectors = true},
    {.after = {USUAL, .sectors = 62}, .of_sectors = true, .why = "too small a gain"},
    {.after = {USUAL, .sectors = 60, .wavefronts = 1001}, .of_sectors = true, .why = "one would need more wavefronts"},
    {.after = {LESS, .local_bytes = 4, .local_requests = 1}, .why = "registers spill: 0 -> 4 bytes"},
    {.after = {LESS, .local_bytes = 4}}, /* on a path that does not run */
    {.after = {LESS, .shared_bytes = 4224}, .max_bytes = 4223, .why = "--max-bytes"},
    {.after = {LESS, .shared_bytes = 4224}, .max_bytes = 4224},
    {.after = {LESS, .resident = 2}, .why = "only 2 instead of 4 blocks"},
    {.after = {USUAL, .wavefronts = 499, .resident = 2}},
};
/* clang-format on */

START_TEST(a_run_is_a_proof) {
    const judge_row *row = &rows[_i];
    static const made usual = {USUAL};
    built before, after;
    repair_try tried;
    build(&usual, &before);
    build(&row->after, &after);
    memset(&tried, 0, sizeof tried);
    const repair_job job = {.max_bytes = row->max_bytes};
    const repair_bench bench = {.job = &job,
                                .first = &before.run,
                                .now = &before.run,
                                .kernel = &before.kernels[0],
                                .wavefronts = usual.wavefronts,
                                .of_sectors = row->of_sectors};
    tried.before = repair_figures_of(&before.run, &before.kernels[0]);
    repair_judge(&bench, &after.run, &tried);
    ck_assert_msg(row->why ? !!strstr(tried.why, row->why) : tried.why[0] == '\0', "row %d: %s", _i,
                  tried.why);
    end(&before);
    end(&after);
}
END_TEST

START_TEST(a_new_race_is_no_proof) {
    static const struct {
        uint32_t before, after;
        bool is_note, is_new;
        const char *array; /* before: "tile" */
    } races[] = {{0, 1, false, true, "tile"},  {1, 1, false, false, "tile"},
                 {1, 2, false, false, "tile"}, {1, 1, false, true, "other"},
                 {1, 1, false, true, NULL},    {0, 1, true, false, "tile"}};
    made of = {USUAL, .finding = SMP_FINDING_RACE, .findings = races[_i].before, .raced = "tile"};
    built before, after;
    repair_try tried;
    build(&of, &before);
    of.findings = races[_i].after;
    of.is_note = races[_i].is_note;
    of.raced = races[_i].array;
    build(&of, &after);
    memset(&tried, 0, sizeof tried);
    repair_judge_races(&before.run, &after.run, &tried);
    ck_assert_int_eq(races[_i].is_new, !!strstr(tried.why, "a race"));
    end(&before);
    end(&after);
}
END_TEST

/* A source with an error of another kind is not repaired; `fix --races` mends races, and barriers
 * that it knows to miss. */
START_TEST(errors_stop_a_repair) {
    static char missing[] = "a wait";
    static const struct {
        smp_profile_finding finding;
        bool stops, stops_races;
    } errors[] = {{{.kind = SMP_FINDING_MISALIGNED}, true, true},
                  {{.kind = SMP_FINDING_MISALIGNED, .is_note = true}, false, false},
                  {{.kind = SMP_FINDING_RACE}, false, false},
                  {{.kind = SMP_FINDING_BARRIER}, true, true},
                  {{.kind = SMP_FINDING_BARRIER, .missing = missing}, true, false}};
    smp_profile_finding one = errors[_i].finding;
    const proof_run run = {.profile = {.findings = &one, .finding_count = 1}};
    ck_assert_int_eq(proof_first_error(&run, false) == &one, errors[_i].stops);
    ck_assert_int_eq(proof_first_error(&run, true) == &one, errors[_i].stops_races);
}
END_TEST

int main(void) {
    return SUITE("repair_judge", TEST_EACH(a_run_is_a_proof, COUNT_OF(rows)),
                 TEST_EACH(a_new_race_is_no_proof, 6), TEST_EACH(errors_stop_a_repair, 5));
}
