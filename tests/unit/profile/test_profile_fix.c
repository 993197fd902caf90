/* SPDX-License-Identifier: MIT */
/*
 * Repairs of arrays on which any mix of instructions works. Each repair is read
 * from its words and applied to every access of every instruction: what a lane moves at once must
 * stay together, aligned and inside the array. Where an instruction is not followed, none may be
 * offered, and the reason names it.
 */
#include <stdio.h>
#include <string.h>

#include "profile_fix.h"
#include "smp_accesses.h"
#include "suite.h"

enum { SITES = 6, REQUESTS = 5 };

/* One kind of instruction. Width 0: bytes that are not followed. */
typedef struct kind {
    const char *opcode;
    smp_op op;
    smp_space space;
    uint32_t width;
    const char *not_modelled;
    bool has_source;
} kind;

static const kind kinds[] = {
    {"LDS", SMP_LD_SHARED, SMP_SPACE_SHARED, 4, NULL, false},
    {"LDS.U8", SMP_LD_SHARED, SMP_SPACE_SHARED, 1, NULL, false},
    {"LDS.64", SMP_LD_SHARED, SMP_SPACE_SHARED, 8, NULL, false},
    {"LDS.128", SMP_LD_SHARED, SMP_SPACE_SHARED, 16, NULL, false},
    {"STS", SMP_ST_SHARED, SMP_SPACE_SHARED, 4, NULL, false},
    {"STS.128", SMP_ST_SHARED, SMP_SPACE_SHARED, 16, NULL, false},
    {"ATOMS.ADD", SMP_ATOM_SHARED, SMP_SPACE_SHARED, 4, NULL, false},
    {"ATOMS.CAS.64", SMP_ATOM_SHARED_CAS, SMP_SPACE_SHARED, 8, NULL, false},
    {"ATOMS.EXCH.64", SMP_OP_COUNT, SMP_SPACE_SHARED, 8, "an atomic without its rule", false},
    {"LDSM.16.M88.4", SMP_LDMATRIX_X4, SMP_SPACE_SHARED, 16, NULL, false},
    {"STSM.16.M88.2", SMP_STMATRIX_X2, SMP_SPACE_SHARED, 16, NULL, false},
    {"LDGSTS.E", SMP_CP_ASYNC, SMP_SPACE_COPY, 4, NULL, true},
    {"LDGSTS.E.64", SMP_CP_ASYNC, SMP_SPACE_COPY, 8, NULL, true},
    {"LDGSTS.E.64", SMP_CP_ASYNC, SMP_SPACE_COPY, 8, NULL, false},
    {"LDGSTS.E.BYPASS.128", SMP_CP_ASYNC, SMP_SPACE_COPY, 16, "its shared side has no rule", true},
    {"LDGSTS.E.BYPASS.128", SMP_CP_ASYNC, SMP_SPACE_COPY, 16, "its shared side has no rule", false},
    {"LDG.E.128", SMP_LD_GLOBAL, SMP_SPACE_GLOBAL, 16, NULL, false},
    {"LD.E.128", SMP_LD_CLUSTER, SMP_SPACE_CLUSTER, 16, NULL, false},
    {"HGMMA.64x64x16.F32", SMP_OP_COUNT, SMP_SPACE_GLOBAL, 0, "matrix operands", false},
    {"UTMALDG.2D", SMP_OP_COUNT, SMP_SPACE_GLOBAL, 0, "tensor copy", false},
    {"UBLKCP", SMP_LD_SHARED, SMP_SPACE_SHARED, 0, "bulk copy, seen by no patch", false},
    {"LDGSTS.E", SMP_OP_COUNT, SMP_SPACE_COPY, 0, "a copy that only writes zeros", false},
};
enum { KINDS = sizeof kinds / sizeof kinds[0], FOLLOWED = 18 };

typedef struct problem {
    smp_kernel_profile kernel;
    smp_shared_array array;
    smp_profile_site sites[SITES];
    uint32_t site_count;
    smp_profile_request requests[SITES][REQUESTS];
} problem;

/* A walk down columns, along rows, or anywhere, aligned and inside. */
static void draw_request(smp_random *random, const problem *p, uint32_t width,
                         smp_profile_request *out) {
    const uint32_t row = 64u << smp_random_below(random, 3), shape = smp_random_below(random, 4);
    const uint32_t base = smp_random_below(random, 8) * width;
    *out = (smp_profile_request){.mask = SMP_ALL_LANES, .count = 1 + smp_random_below(random, 3)};
    if (smp_random_below(random, 4) == 0)
        out->mask &= (uint32_t)smp_random_next(random) | 1;
    for (unsigned lane = 0; lane < SMP_LANES; lane++) {
        const uint32_t anywhere = smp_random_below(random, p->array.size_bytes / width) * width;
        const uint32_t at = shape < 2    ? lane * row + base
                            : shape == 2 ? lane * width + base
                                         : anywhere;
        if (!(out->mask >> lane & 1))
            continue;
        out->offset_bytes[lane] =
            p->array.offset_bytes + at % (p->array.size_bytes - 15) / width * width;
    }
}

static void draw_site(smp_random *random, problem *p, uint32_t number, const kind *of) {
    smp_profile_site *site = &p->sites[number];
    *site = (smp_profile_site){.offset_bytes = 16 * number + 0x120,
                               .op = of->op,
                               .space = of->space,
                               .width_bytes = of->width,
                               .requests = 1,
                               .opcode = (char *)(uintptr_t)of->opcode,
                               .not_modelled = (char *)(uintptr_t)of->not_modelled};
    if (of->width == 0 || !smp_space_has_banks(of->space))
        return;
    site->distinct = p->requests[number];
    site->distinct_count = 1 + smp_random_below(random, REQUESTS);
    for (uint32_t i = 0; i < site->distinct_count; i++) {
        draw_request(random, p, of->width, &site->distinct[i]);
        site->distinct[i].has_source = of->has_source;
        for (unsigned lane = 0; lane < SMP_LANES && of->has_source; lane++)
            site->distinct[i].source_bytes[lane] = 4096 + lane * of->width;
    }
    site->worst = site->distinct[0];
}

/* The first is a load of words; a kind that is not followed comes only if `any`. */
static void draw_problem(smp_random *random, bool any, problem *p) {
    memset(p, 0, sizeof *p);
    p->array = (smp_shared_array){.name = (char *)(uintptr_t) "tile",
                                  .type = (char *)(uintptr_t) "float",
                                  .offset_bytes = 1024 * smp_random_below(random, 3),
                                  .size_bytes = 8192};
    p->site_count = 1 + smp_random_below(random, SITES);
    for (uint32_t i = 0; i < p->site_count; i++)
        draw_site(random, p, i,
                  &kinds[i == 0 ? 0 : smp_random_below(random, any ? KINDS : FOLLOWED)]);
    p->kernel = (smp_kernel_profile){.arch = smp_arch_find("sm_90"),
                                     .shared_bytes = 16384,
                                     .arrays = &p->array,
                                     .array_count = 1,
                                     .sites = p->sites,
                                     .site_count = p->site_count};
}

/* ---- A repair, from its words ---- */

typedef struct repair {
    uint32_t row, pad, mask, unit;
} repair;

static repair read_words(const char *words) {
    repair out = {0};
    const char *behind = strchr(words, '(');
    if (strncmp(words, "XOR swizzle: ", 13) == 0)
        ck_assert_int_eq(
            sscanf(words, "XOR swizzle: byte offset ^ (offset / %u & %u) * %u, no extra memory",
                   &out.row, &out.mask, &out.unit),
            3);
    else
        ck_assert_int_eq(
            sscanf(behind ? behind : "", "(%u bytes after every %u)", &out.pad, &out.row), 2);
    return out;
}

static uint32_t apply(const repair *of, uint32_t at) {
    return of->pad > 0 ? at + at / of->row * of->pad : at ^ (at / of->row & of->mask) * of->unit;
}

/* What the repair breaks in one request, or NULL. */
static const char *broken(const problem *p, const repair *of, uint32_t more,
                          const smp_profile_request *request, uint32_t width) {
    for (unsigned lane = 0; lane < SMP_LANES; lane++) {
        const uint32_t at = (uint32_t)request->offset_bytes[lane] - p->array.offset_bytes;
        const uint32_t to = apply(of, at);
        if (!(request->mask >> lane & 1))
            continue;
        if ((p->array.offset_bytes + to) % width != 0)
            return "alignment";
        for (uint32_t byte = 1; byte < width; byte++)
            if (apply(of, at + byte) != to + byte)
                return "what stays together";
        if (to + width > p->array.size_bytes + more)
            return "the end of the array";
    }
    return NULL;
}

static void ck_assert_keeps(const problem *p, const smp_profile_fix *from,
                            const smp_seen_fix *fix) {
    static bool taken[1 << 16];
    char words[200];
    if (fix->kind == SMP_SEEN_NONE)
        return;
    (void)smp_profile_fix_words(from, fix, words, sizeof words);
    const repair of = read_words(words);
    for (uint32_t i = 0; i < p->site_count; i++) {
        const smp_profile_site *site = &p->sites[i];
        for (uint32_t k = 0; k < site->distinct_count; k++) {
            const char *what =
                broken(p, &of, fix->more_bytes, &site->distinct[k], site->width_bytes);
            ck_assert_msg(!what, "%s breaks %s: %s", words, site->opcode, what);
        }
        if (site->width_bytes > 0 && site->space != SMP_SPACE_GLOBAL)
            ck_assert_msg((of.pad + of.row) % site->width_bytes == 0 &&
                              (of.pad > 0 || of.unit % site->width_bytes == 0),
                          "%s breaks what is not kept of %s", words, site->opcode);
    }
    memset(taken, 0, sizeof taken);
    for (uint32_t at = 0; at < p->array.size_bytes; at++) {
        ck_assert(!taken[apply(&of, at)]);
        taken[apply(&of, at)] = true;
    }
}

START_TEST(every_instruction_keeps_what_it_needs) {
    smp_random random = {(uint64_t)_i + 1};
    for (unsigned round = 0; round < 40; round++) {
        problem p;
        smp_profile_fix fix;
        smp_error error;
        draw_problem(&random, false, &p);
        ck_assert_int_eq(smp_profile_fix_site(&p.kernel, &p.sites[0], &fix, &error), SMP_OK);
        ck_assert_keeps(&p, &fix, &fix.padding);
        ck_assert_keeps(&p, &fix, &fix.swizzle);
    }
}
END_TEST

/* As many as possible are repaired, or the test above would see none. */
START_TEST(many_are_repaired) {
    smp_random random = {7};
    uint32_t repaired = 0;
    for (unsigned round = 0; round < 400; round++) {
        problem p;
        smp_profile_fix fix;
        smp_error error;
        draw_problem(&random, false, &p);
        ck_assert_int_eq(smp_profile_fix_site(&p.kernel, &p.sites[0], &fix, &error), SMP_OK);
        repaired += fix.padding.kind != SMP_SEEN_NONE || fix.swizzle.kind != SMP_SEEN_NONE;
    }
    ck_assert_uint_gt(repaired, 100);
}
END_TEST

START_TEST(what_is_not_followed_forbids) {
    smp_random random = {(uint64_t)_i + 1};
    problem p;
    smp_profile_fix fix;
    smp_error error;
    const kind *what = NULL;
    draw_problem(&random, true, &p);
    for (uint32_t i = 0; i < p.site_count && !what; i++)
        for (unsigned k = FOLLOWED; k < KINDS; k++)
            if (p.sites[i].opcode == kinds[k].opcode && p.sites[i].width_bytes == 0)
                what = &kinds[k];
    ck_assert_int_eq(smp_profile_fix_site(&p.kernel, &p.sites[0], &fix, &error), SMP_OK);
    if (!what) {
        ck_assert_ptr_null(strstr(fix.obstacle, "not known"));
        return;
    }
    ck_assert_int_eq(fix.padding.kind, SMP_SEEN_NONE);
    ck_assert_int_eq(fix.swizzle.kind, SMP_SEEN_NONE);
    ck_assert_ptr_eq(strstr(fix.obstacle, what->opcode), fix.obstacle);
}
END_TEST

/* A column of a tile, which one word of padding per row frees, and obstacles to that. */
START_TEST(what_lies_beside_forbids) {
    static const struct {
        const char *type, *barriers, *calls;
        uint64_t first; /* of the last lane */
        const char *says;
    } rows[] = {
        {"float", NULL, NULL, 31 * 128, NULL},
        {"float", "SYNCS.EXCH.64", NULL, 31 * 128, NULL}, /* not among floats */
        {"Storage", "SYNCS.EXCH.64", NULL, 31 * 128, "barrier"},
        {"float", NULL, "helper", 31 * 128, "helper"},
        {"float", NULL, NULL, 4096, "beside"},
    };
    smp_profile_site site = {.op = SMP_LD_SHARED, .space = SMP_SPACE_SHARED, .width_bytes = 4};
    smp_profile_request request = {.mask = SMP_ALL_LANES, .count = 1};
    smp_shared_array array = {.name = (char *)(uintptr_t) "tile", .size_bytes = 4096};
    smp_profile_fix fix;
    smp_error error;
    for (unsigned lane = 0; lane < SMP_LANES; lane++)
        request.offset_bytes[lane] = 128 * lane;
    request.offset_bytes[31] = rows[_i].first;
    site.worst = request;
    site.distinct = &request;
    site.distinct_count = 1;
    array.type = (char *)(uintptr_t)rows[_i].type;
    smp_kernel_profile kernel = {.arch = smp_arch_find("sm_90"),
                                 .arrays = &array,
                                 .array_count = 1,
                                 .sites = &site,
                                 .site_count = 1,
                                 .barriers = (char *)(uintptr_t)rows[_i].barriers,
                                 .calls = (char *)(uintptr_t)rows[_i].calls};
    ck_assert_int_eq(smp_profile_fix_site(&kernel, &site, &fix, &error), SMP_OK);
    ck_assert_int_eq(fix.padding.kind, rows[_i].says ? SMP_SEEN_NONE : SMP_SEEN_PAD);
    if (rows[_i].says)
        ck_assert_ptr_nonnull(strstr(fix.obstacle, rows[_i].says));
    else
        ck_assert_str_eq(fix.obstacle, "");
}
END_TEST

/* Only some lanes of .x1 and .x2 give addresses; the requests follow a rule all the same. */
START_TEST(matrices_of_few_lanes_are_repaired) {
    enum { DIFFERENT = 8 };
    const unsigned lanes = _i == 0 ? 8 : 16;
    smp_profile_request requests[DIFFERENT];
    smp_shared_array array = {.name = (char *)(uintptr_t) "tile", .size_bytes = 4096};
    smp_profile_fix fix;
    smp_error error;
    for (unsigned i = 0; i < DIFFERENT; i++) {
        requests[i] = (smp_profile_request){.mask = (1u << lanes) - 1, .count = 1};
        for (unsigned lane = 0; lane < lanes; lane++)
            requests[i].offset_bytes[lane] = 64 * lane + i / 4 * 1024 + i % 4 * 16;
    }
    smp_profile_site site = {.op = _i == 0 ? SMP_LDMATRIX_X1 : SMP_LDMATRIX_X2_TRANS,
                             .space = SMP_SPACE_SHARED,
                             .width_bytes = 16,
                             .worst = requests[0],
                             .distinct = requests,
                             .distinct_count = DIFFERENT};
    smp_kernel_profile kernel = {.arch = smp_arch_find("sm_90"),
                                 .arrays = &array,
                                 .array_count = 1,
                                 .sites = &site,
                                 .site_count = 1};
    ck_assert_int_eq(smp_profile_fix_site(&kernel, &site, &fix, &error), SMP_OK);
    ck_assert_str_eq(fix.obstacle, "");
    ck_assert_int_eq(fix.swizzle.kind, SMP_SEEN_XOR);
    ck_assert_uint_eq(fix.swizzle.after, fix.swizzle.ideal);
}
END_TEST

int main(void) {
    return SUITE("profile_fix", TEST_EACH(every_instruction_keeps_what_it_needs, 60),
                 TEST(many_are_repaired), TEST_EACH(what_is_not_followed_forbids, 200),
                 TEST_EACH(what_lies_beside_forbids, 5),
                 TEST_EACH(matrices_of_few_lanes_are_repaired, 2));
}
