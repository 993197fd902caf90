/* SPDX-License-Identifier: MIT */
/*
 * What `fix` says of its result, of traps near it and of what stands in the way, read back into
 * forms, accesses and numbers, and each held against the tests' own reference on random arrays. A
 * sentence that can't be read is a failure; so is, in 5000 arrays or more, one that is never said.
 *
 * SMP_FIX_SENTENCES and SMP_TEST_SEED change the number of arrays and their seed.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "fix_matter.h"
#include "fix_report.h"
#include "reference.h"
#include "sentence_reader.h"
#include "setting.h"
#include "suite.h"

enum { TEXT_MAX = 2000 };

/* ---- Rows ---- */

typedef enum row_id {
    WITH_FIX, /* test_sentences.c judges the text before it */
    PAD_ROWS,
    PAD_EVERY,
    XOR_ROW,
    XOR_RUN,
    XOR_UP,
    XOR_SUMS,
    ROTATED,
    ROTATED_MANY,
    FIRST_BANKS,
    BREAKS,
    VECTOR,
    DIMENSION,
    SHIFT,
    CHIP_ALSO,
    CHIP,
    NEVER_FREE,
    WITHOUT,
    SPACES,
    TOGETHER,
    STEPS,
    MEMORY,
    PLACED,
    TYPE,
    WIDER_STRUCT,
    REMOTE,
    STRIDE,
    FIXED,
    BY_HAND,
    ROW_COUNT
} row_id;

static const char *const rows[ROW_COUNT] = {
    [WITH_FIX] = "t unchanged: {t} With the fix: ",
    [PAD_ROWS] = "rows begin {n} elements apart, not {n}. ",
    [PAD_EVERY] = "{n} element{|s} stay{s|} unused after each {n}. ",
    [XOR_ROW] = "{t} of the element's number, of its row, {t} exclusive-ored into {t}, so elements "
                "that differ only there {t} while those of one row only swap places. ",
    [XOR_RUN] = "{t} of the element's number {t} exclusive-ored into {t}, so elements that differ "
                "only there {t} while those of one run only swap places. ",
    [XOR_UP] = "{t} of the element's number {t} exclusive-ored into {t}. ",
    [XOR_SUMS] = "bank bits are exclusive-ored with bits of the element's number that they did not "
                 "depend on. ",
    [ROTATED] = "each row begins {n} element{|s} further on and wraps around. ",
    [ROTATED_MANY] = "every {n} rows begin {n} element{|s} further on and wrap around. ",
    [FIRST_BANKS] = "In its worst request, the lanes served first began on {n} bank{|s} "
                    "and now begin on {n}.",
    [BREAKS] = "{t} frees '{t}', but breaks the {n}-byte alignment of '{t}': misaligned address",
    [VECTOR] = "{t} frees '{t}', but then '{t}' is {n}-way ({n}-way now)",
    [DIMENSION] = "{t} pads the wrong dimension and stays {n}-way; {t} helps",
    [SHIFT] = "{t} instead of {t}, a shift off by one, is still {n}-way",
    [CHIP_ALSO] = "on {t} leaves '{t}' {n}-way; {t} is free there, too",
    [CHIP] = "on {t} leaves '{t}' {n}-way",
    [NEVER_FREE] =
        "'{t}' cannot be free of conflicts in any layout: the {n}-byte vectors of '{t}' keep its "
        "words in every {t} bank",
    [WITHOUT] = "without '{t}' the others are free with {t}",
    [SPACES] = "t: no layout is free of conflicts among {t}",
    [TOGETHER] =
        "'{t}': {n} lanes update one word, one after the other; no layout helps, but a copy "
        "per lane or warp does",
    [STEPS] = "'{t}': several lanes of a half-warp use each of several words, but a step "
              "broadcasts only one word; no layout helps",
    [MEMORY] = "t: {t} would be better, but needs {n} bytes of shared memory; at most {n} are "
               "{t}",
    [PLACED] = "t: {t} would be better, but would overlap an array placed by '@'",
    [TYPE] = "t: structs of {n} bytes ({n} more) leave it an excess of {n}, but {t} has the same "
             "struct; give t a struct of its own",
    [WIDER_STRUCT] = "elements begin {n} bytes apart, not {n}. ",
    [REMOTE] = "padding does not help in another block's memory, where sectors count, not banks: "
               "with {t} '{t}' takes {n} sectors ({n} now)",
    [STRIDE] = "'{t}' steps by {n} elements, but rows of t have {n}: the declared and the "
               "indexed stride differ, so padding in the declaration has no effect on it",
    [FIXED] = "t is unchanged: {t}; index it in all its dimensions",
    [BY_HAND] = "t by hand: rows of {n} elements instead of {n} (in its declaration, its indices "
                "and each pointer into it) leave {n} of {n} wavefronts",
};

static uint64_t met[ROW_COUNT];

/* The ways of the worst access; 0: some access does not fit. */
static uint32_t worst_ways(const matter *m, const smp_fix_form *form, const smp_arch *arch) {
    uint32_t most = 1;
    for (uint32_t i = 0; i < m->p->access_count; i++) {
        const problem_cost cost = fix_problem_cost(m->p, &m->p->access[i], form, arch);
        if (!cost.fits)
            return 0;
        most = cost.ways > most ? cost.ways : most;
    }
    return most;
}

static uint32_t bank_of(const matter *m, const smp_fix_form *form, uint32_t number) {
    const smp_arch *arch = &m->p->arch;
    return matter_place(m, form, number) * fix_problem_bytes(m->p, form) / arch->bank_bytes %
           arch->banks;
}

/* ---- Motion ---- */

static bool judge_rows(const matter *m, const claim_slot *s) {
    return m->p->rows > 1 && matter_place(m, &m->keep, m->p->columns) == s[1].number &&
           matter_place(m, &m->chosen, m->p->columns) == s[0].number;
}

static bool judge_every(const matter *m, const claim_slot *s) {
    for (uint32_t n = 1; n < m->numbers; n++) {
        const uint32_t gap =
            matter_place(m, &m->chosen, n) - matter_place(m, &m->chosen, n - 1) - 1;
        if (gap != (n % s[1].number == 0 ? s[0].number : 0))
            return false;
    }
    return true;
}

/* "bits 5 to 9" as a mask. */
static bool read_bits(const claim_slot *s, uint32_t *first, uint32_t *count) {
    char text[40];
    uint32_t last;
    (void)snprintf(text, sizeof text, "%.*s", (int)s->length, s->text);
    *count = 1;
    if (sscanf(text, "bits %u to %u", first, &last) == 2)
        *count = last - *first + 1;
    else if (sscanf(text, "bit %u", first) != 1)
        return false;
    return *first + *count <= 32;
}

/* The claim about elements that differ only in the bits that are exclusive-ored in. */
static bool judge_sharing(const matter *m, const claim_slot *says, uint32_t from, uint32_t count) {
    bool apart = true;
    for (uint32_t n = 0; n < m->numbers; n++)
        for (uint32_t bits = 1; bits < 1u << count; bits++) {
            const uint32_t other = n ^ bits << from;
            apart &=
                other >= m->numbers || bank_of(m, &m->chosen, n) != bank_of(m, &m->chosen, other);
        }
    return matter_is_text(says, "no longer share a bank,")
               ? apart
               : matter_is_text(says, "no longer share a bank, but for some,") && !apart;
}

static bool judge_bits(const matter *m, const claim_slot *s, bool of_row) {
    uint32_t from, count, to, same;
    if (!read_bits(&s[0], &from, &count) || !read_bits(&s[2], &to, &same) || same != count ||
        !matter_is_text(&s[1], count == 1 ? "is" : "are"))
        return false;
    smp_fix_form padded = m->chosen;
    padded.term_count = 0;
    for (uint32_t n = 0; n < m->numbers; n++) {
        const uint32_t number = matter_place(m, &padded, n);
        const uint32_t moved = number ^ (number >> from & ((1u << count) - 1)) << to;
        if (matter_place(m, &m->chosen, n) != moved)
            return false;
        /* All of one row move alike, so they swap places. */
        const uint32_t start = n - n % m->p->columns;
        if (of_row && (number ^ moved) !=
                          (matter_place(m, &padded, start) ^ matter_place(m, &m->chosen, start)))
            return false;
    }
    return true;
}

static bool judge_xor(const matter *m, const claim_slot *s, bool of_row) {
    uint32_t from, count;
    return judge_bits(m, s, of_row) && read_bits(&s[0], &from, &count) &&
           (m->chosen.kind != SMP_FIX_XOR || judge_sharing(m, &s[3], from, count));
}

static bool judge_xor_up(const matter *m, const claim_slot *s) {
    return judge_bits(m, s, false);
}

static bool judge_xor_row(const matter *m, const claim_slot *s) {
    return judge_xor(m, s, true);
}

static bool judge_xor_run(const matter *m, const claim_slot *s) {
    return judge_xor(m, s, false);
}

/* True if bits of the bank change, and only by bits above them. */
static bool judge_sums(const matter *m, const claim_slot *s) {
    uint32_t changed = 0;
    (void)s;
    for (uint32_t n = 0; n < m->numbers; n++)
        changed += bank_of(m, &m->chosen, n) != bank_of(m, &m->keep, n);
    return changed > 0;
}

static bool are_rotated(const matter *m, uint64_t rows_alike, uint64_t step) {
    for (uint32_t n = 0; n < m->numbers; n++) {
        const uint32_t row = n / m->p->columns, column = n % m->p->columns;
        const uint64_t at = (column + row / rows_alike * step) % m->p->columns;
        if (matter_place(m, &m->chosen, n) != row * m->p->columns + at)
            return false;
    }
    return true;
}

static bool judge_rotated(const matter *m, const claim_slot *s) {
    return are_rotated(m, 1, s[0].number);
}

static bool judge_rotated_many(const matter *m, const claim_slot *s) {
    return s[0].number > 1 && are_rotated(m, s[0].number, s[1].number);
}

/* Banks on which the lanes of the first group begin. */
static uint32_t first_banks(const smp_arch *arch, const smp_access *request) {
    reference_counts counts;
    uint64_t banks = 0;
    uint32_t count = 0;
    reference_predict(arch->cc_major, arch->cc_minor, arch->bank_bytes, request, &counts);
    for (unsigned lane = 0; lane < SMP_LANES; lane++)
        if (counts.groups[0].lanes >> lane & 1)
            banks |= UINT64_C(1) << request->offset_bytes[lane] / arch->bank_bytes % arch->banks;
    for (; banks != 0; banks &= banks - 1)
        count++;
    return count;
}

/* About one of the accesses with the most excess, and one of its worst requests. */
static bool judge_first_banks(const matter *m, const claim_slot *s) {
    uint64_t most = 0;
    for (uint32_t i = 0; i < m->p->access_count; i++) {
        const uint64_t excess = matter_cost(m, &m->p->access[i], &m->keep).excess;
        most = excess > most ? excess : most;
    }
    for (uint32_t i = 0; i < m->p->access_count; i++) {
        const problem_access *a = &m->p->access[i];
        if (matter_cost(m, a, &m->keep).excess != most)
            continue;
        for (uint32_t warp = 0; warp < m->p->warps; warp++) {
            smp_access before, after;
            if (fix_problem_request(m->p, a, warp, &m->keep, &before) &&
                fix_problem_request(m->p, a, warp, &m->chosen, &after) &&
                first_banks(&m->p->arch, &before) == s[0].number &&
                first_banks(&m->p->arch, &after) == s[1].number)
                return true;
        }
    }
    return false;
}

/* ---- Traps ---- */

static bool judge_breaks(const matter *m, const claim_slot *s) {
    const problem_access *narrow = matter_access(m, &s[1]), *wide = matter_access(m, &s[3]);
    smp_fix_form form;
    if (!narrow || !wide || !matter_form(m, &s[0], &form) || wide->width != s[2].number)
        return false;
    return matter_frees(m, narrow, &form) && !matter_frees(m, narrow, &m->keep) &&
           matter_cost(m, wide, &form).is_misaligned;
}

static bool judge_vector(const matter *m, const claim_slot *s) {
    const problem_access *narrow = matter_access(m, &s[1]), *wide = matter_access(m, &s[2]);
    smp_fix_form form;
    if (!narrow || !wide || !matter_form(m, &s[0], &form))
        return false;
    const problem_cost left = matter_cost(m, wide, &form);
    return matter_frees(m, narrow, &form) && !matter_frees(m, narrow, &m->keep) && left.fits &&
           left.ways == s[3].number && matter_cost(m, wide, &m->keep).ways == s[4].number;
}

static bool judge_dimension(const matter *m, const claim_slot *s) {
    smp_fix_form wrong, good;
    return matter_form(m, &s[0], &wrong) && matter_form(m, &s[2], &good) &&
           worst_ways(m, &wrong, &m->p->arch) == s[1].number && s[1].number > 1 &&
           worst_ways(m, &good, &m->p->arch) > 0 &&
           matter_excess(m, &good) < matter_excess(m, &wrong);
}

static bool judge_shift(const matter *m, const claim_slot *s) {
    smp_fix_form wrong, good;
    return matter_form(m, &s[0], &wrong) && matter_form(m, &s[1], &good) &&
           wrong.bits == good.bits && wrong.base == good.base &&
           (wrong.shift == good.shift + 1 || wrong.shift == good.shift - 1) &&
           worst_ways(m, &wrong, &m->p->arch) == s[2].number &&
           matter_excess(m, &wrong) > matter_excess(m, &good);
}

/* "Kepler Swizzle<5,0,5>": what chip, and which form. */
static bool chip_and_form(const matter *m, const claim_slot *slot, smp_arch *chip,
                          smp_fix_form *form) {
    static const struct {
        const char *name, *arch;
        uint32_t bank_bytes;
    } chips[] = {{"Kepler with 8-byte banks ", "sm_35", 8},
                 {"Kepler ", "sm_35", 4},
                 {"compute capability 1.x ", "sm_13", 4}};
    for (size_t i = 0; i < sizeof chips / sizeof chips[0]; i++) {
        const size_t length = strlen(chips[i].name);
        if (slot->length < length || memcmp(slot->text, chips[i].name, length) != 0)
            continue;
        *chip = *smp_arch_find(chips[i].arch);
        if (chips[i].bank_bytes == 8 && smp_arch_with_bank_bytes(chip, 8, chip) != SMP_OK)
            return false;
        return fix_problem_form(m->p, slot->text + length, slot->length - length, form);
    }
    return false;
}

static bool judge_chip(const matter *m, const claim_slot *s) {
    const problem_access *access = matter_access(m, &s[1]);
    smp_fix_form form;
    smp_arch chip;
    return access && chip_and_form(m, &s[0], &chip, &form) && s[2].number > 1 &&
           fix_problem_cost(m->p, access, &form, &chip).ways == s[2].number;
}

static bool judge_chip_also(const matter *m, const claim_slot *s) {
    smp_fix_form other;
    smp_arch chip;
    return judge_chip(m, s) && chip_and_form(m, &s[0], &chip, &other) &&
           matter_form(m, &s[3], &other) && matter_frees_all(m, &other, &chip);
}

static bool judge_wider_struct(const matter *m, const claim_slot *s) {
    return m->p->members > 0 && s[1].number == m->p->element &&
           s[0].number == fix_problem_bytes(m->p, &m->chosen) && s[0].number > s[1].number;
}

static bool judge_remote(const matter *m, const claim_slot *s) {
    const problem_access *a = matter_access(m, &s[1]);
    smp_fix_form form;
    return a && a->is_remote && matter_form(m, &s[0], &form) && m->p->rows > 0 &&
           matter_cost(m, a, &form).fits && matter_cost(m, a, &form).sectors == s[2].number &&
           matter_cost(m, a, &m->keep).sectors == s[3].number && s[2].number >= s[3].number;
}

static bool judge_with_fix(const matter *m, const claim_slot *s) {
    return s[0].length > 0 && m->chosen.kind != SMP_FIX_KEEP;
}

/* Wavefronts of all accesses with `pad` elements after every `row`; 0: a vector is torn. */
static uint64_t padded_wavefronts(const matter *m, uint32_t row, uint32_t pad) {
    const fix_problem *p = m->p;
    const uint32_t bytes = fix_problem_bytes(p, &m->keep);
    uint64_t sum = 0;
    for (uint32_t i = 0; i < p->access_count; i++)
        for (uint32_t warp = 0; warp < p->warps; warp++) {
            reference_counts counts;
            smp_access access;
            if (!fix_problem_request(p, &p->access[i], warp, &m->keep, &access))
                return 0;
            for (unsigned lane = 0; lane < SMP_LANES; lane++) {
                const uint32_t at = access.offset_bytes[lane], last = at + access.width_bytes - 1;
                if (at / bytes / row != last / bytes / row)
                    return 0;
                access.offset_bytes[lane] = at + at / bytes / row * pad * bytes;
                if (access.offset_bytes[lane] % access.width_bytes != 0)
                    return 0;
            }
            reference_predict(p->arch.cc_major, p->arch.cc_minor, p->arch.bank_bytes, &access,
                              &counts);
            sum += counts.wavefronts_max;
        }
    return sum;
}

static bool judge_by_hand(const matter *m, const claim_slot *s) {
    const uint32_t row = (uint32_t)s[1].number, pad = (uint32_t)s[0].number - row;
    return row > 0 && s[0].number > s[1].number && s[2].number < s[3].number &&
           padded_wavefronts(m, row, 0) == s[3].number &&
           padded_wavefronts(m, row, pad) == s[2].number;
}

typedef bool (*judge_fn)(const matter *m, const claim_slot *slots);

static const judge_fn judges[ROW_COUNT] = {
    [WITH_FIX] = judge_with_fix,
    [PAD_ROWS] = judge_rows,
    [PAD_EVERY] = judge_every,
    [XOR_ROW] = judge_xor_row,
    [XOR_RUN] = judge_xor_run,
    [XOR_UP] = judge_xor_up,
    [XOR_SUMS] = judge_sums,
    [ROTATED] = judge_rotated,
    [ROTATED_MANY] = judge_rotated_many,
    [FIRST_BANKS] = judge_first_banks,
    [BREAKS] = judge_breaks,
    [VECTOR] = judge_vector,
    [DIMENSION] = judge_dimension,
    [SHIFT] = judge_shift,
    [CHIP_ALSO] = judge_chip_also,
    [CHIP] = judge_chip,
    [NEVER_FREE] = judge_never_free,
    [WITHOUT] = judge_without,
    [SPACES] = judge_spaces,
    [TOGETHER] = judge_together,
    [STEPS] = judge_steps,
    [MEMORY] = judge_memory,
    [PLACED] = judge_placed,
    [TYPE] = judge_type,
    [WIDER_STRUCT] = judge_wider_struct,
    [REMOTE] = judge_remote,
    [STRIDE] = judge_stride,
    [FIXED] = judge_fixed,
    [BY_HAND] = judge_by_hand,
};

/* ---- All of it ---- */

/* The error in a text about one of the arrays, or NULL. */
static const char *fault_of(const matter *m, const char *text, size_t *row) {
    static char copy[TEXT_MAX];
    claim claims[CLAIMS_MAX];
    (void)snprintf(copy, sizeof copy, "%s", text);
    /* The rows are written for "t". */
    if (copy[0] == m->p->array && (copy[1] == ':' || copy[1] == ' '))
        copy[0] = 't';
    static const char *const names[] = {"rows of u have", "give u a struct"};
    for (size_t i = 0; i < sizeof names / sizeof names[0] && m->p->array == 'u'; i++) {
        char *name = strstr(copy, names[i]);
        if (name)
            strchr(name, 'u')[0] = 't';
    }
    const size_t count = claims_read(rows, ROW_COUNT, copy, claims);
    *row = ROW_COUNT;
    for (size_t i = 0; i < count; i++) {
        const judge_fn judge = judges[claims[i].row];
        *row = claims[i].row;
        met[claims[i].row]++;
        if (!judge || !judge(m, claims[i].slots))
            return judge ? "false" : "has no judge";
    }
    return count > 0 ? NULL : "can't be read back";
}

/* Both arrays of a problem; a text that names none of them must be true of one. */
typedef struct matters {
    matter of[2];
    uint32_t count;
} matters;

static void judge_text(const matters *all, const char *text) {
    const char *fault = NULL;
    size_t row = ROW_COUNT;
    for (uint32_t i = 0; i < all->count; i++) {
        const matter *m = &all->of[i];
        const bool names_one = text[1] == ':' || text[1] == ' ';
        if (names_one && text[0] != m->p->array)
            continue;
        fault = fault_of(m, text, &row);
        if (!fault)
            return;
    }
    char forms[2][160] = {"", ""};
    for (uint32_t i = 0; i < all->count; i++)
        (void)smp_fix_form_text(&all->of[i].chosen, forms[i], sizeof forms[i]);
    ck_abort_msg("%s: \"%s\"\non %s, chosen %s %s:\n%s\n%s", fault ? fault : "is of no array",
                 row < ROW_COUNT ? rows[row] : "", all->of[0].p->arch.name, forms[0], forms[1],
                 all->of[0].p->text, text);
}

static void judge_line(void *user, const char *kind, const char *text) {
    (void)kind;
    judge_text(user, text);
}

static void check_problems(const fix_problem *p, uint32_t count, uint64_t more_bytes) {
    smp_fix *fix;
    smp_error error = {.message = ""};
    unsigned line = 0;
    char text[TEXT_MAX];
    matters all = {.count = count};
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < count; i++) {
        bytes = p[i].is_placed ? p[i].place_bytes : (bytes + 255) / 256 * 256;
        all.of[i].numbers = (p[i].rows > 0 ? p[i].rows : 1) * p[i].columns;
        bytes += all.of[i].numbers * p[i].element;
    }
    if (count == 2) {
        all.of[0].other = &all.of[1];
        all.of[1].other = &all.of[0];
    }
    const uint64_t max_bytes = more_bytes > 0 ? bytes + more_bytes : 0;
    const smp_fix_options options = {
        .archs = &p->arch, .arch_count = 1, .explains = true, .max_bytes = max_bytes};
    const smp_status status =
        smp_fix_solve(p->text, strlen(p->text), &options, &fix, &line, &error);
    if (status != SMP_OK && bytes > p->arch.shared_block_kib * 1024u)
        return;
    ck_assert_msg(status == SMP_OK, "line %u: %s\n%s", line, error.message, p->text);
    for (uint32_t i = 0; i < count; i++) {
        matter *m = &all.of[i];
        m->p = &p[i];
        m->fix = fix;
        m->max_bytes = max_bytes;
        m->keep = fix->arrays[i].keep;
        ck_assert(smp_fix_form_of(fix, (char[]){p[i].array, '\0'}, &m->chosen));
    }
    for (uint32_t i = 0; i < count; i++)
        if (all.of[i].chosen.kind != SMP_FIX_KEEP &&
            fix_why(fix, &fix->arrays[i], text, sizeof text) > 0)
            judge_text(&all, text);
    fix_pitfalls(fix, judge_line, &all);
    fix_obstacles(fix, judge_line, &all);
    smp_fix_free(fix);
}

START_TEST(what_fix_says_is_true) {
    smp_random random = {test_setting("SMP_TEST_SEED", 1)};
    const uint64_t cases = test_cases("SMP_FIX_SENTENCES", 800);
    fix_problem p[2];
    for (uint64_t i = 0; i < cases; i++) {
        const uint32_t count = 1 + (smp_random_below(&random, 4) == 0);
        fix_problem_draw(&random, &p[0]);
        if (count > 1)
            fix_problem_draw_beside(&random, &p[0], &p[1]);
        check_problems(p, count, smp_random_below(&random, 6) == 0 ? 16 : 0);
    }
    for (unsigned id = 0; id < ROW_COUNT && cases >= 5000; id++)
        ck_assert_msg(met[id] > 0, "\"%s\" was never said", rows[id]);
    if (test_setting("SMP_TEST_COUNTS", 0) != 0)
        for (unsigned id = 0; id < ROW_COUNT; id++)
            printf("%10" PRIu64 "  %s\n", met[id], rows[id]);
}
END_TEST

int main(void) {
    return SUITE_FOR(86400, "fix_sentences", TEST(what_fix_says_is_true));
}
