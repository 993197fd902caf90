/* SPDX-License-Identifier: MIT */
/*
 * The solver against brute force on random small problems. Brute force computes
 * the elements by itself, knows no samples, no bounds and no order, and walks spaces that are
 * larger than those of the solver: paddings over two periods, swizzles of all bits, whole matrices.
 * SMP_FIX_PROBLEMS=6000 tries more of them, SMP_TEST_SEED=2 others.
 */
#define _POSIX_C_SOURCE 200809L
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "setting.h"
#include "smp_accesses.h"
#include "smp_fix.h"
#include "suite.h"

enum { PROBLEMS = 400, ACCESSES_MAX = 3, WARPS_MAX = 2, MATRIX_BITS_MAX = 14 };

typedef struct coordinate {
    uint32_t x, y, add, modulus,
        scale; /* (x * threadIdx.x + y * threadIdx.y + add) % modulus * scale */
} coordinate;

typedef struct one_access {
    bool is_load;
    uint32_t width;
    coordinate row, column;
    uint32_t lanes; /* threads of x below it take part */
} one_access;

typedef struct problem {
    uint32_t element, rows, columns; /* rows 0: one dimension */
    uint32_t access_count, warps;
    one_access access[ACCESSES_MAX];
    smp_arch arch;
    bool is_affine;
} problem;

typedef struct cost {
    uint64_t excess, bytes;
    bool fits;
} cost;

/* ---- Problems ---- */

static const char *type_of(uint32_t bytes) {
    return bytes == 1 ? "char" : bytes == 2 ? "half" : bytes == 4 ? "float" : "double";
}

static const char *vector_of(uint32_t bytes) {
    return bytes == 2 ? "short" : bytes == 4 ? "int" : bytes == 8 ? "float2" : "float4";
}

static coordinate random_coordinate(smp_random *random, uint32_t extent, uint32_t scale) {
    static const uint32_t factors[] = {0, 0, 1, 1, 1, 2, 3, 4, 8, 16, 32};
    return (coordinate){.x = factors[smp_random_below(random, 11)],
                        .y = factors[smp_random_below(random, 11)],
                        .add = smp_random_below(random, 5),
                        .modulus = extent / scale,
                        .scale = scale};
}

static smp_arch random_arch(smp_random *random) {
    static const char *const names[] = {"sm_90", "sm_90", "sm_90", "sm_70",
                                        "sm_20", "sm_35", "sm_13"};
    smp_arch arch = *smp_arch_find(names[smp_random_below(random, 7)]);
    if (arch.bank_bytes_alt != 0 && smp_random_below(random, 2) == 0)
        (void)smp_arch_with_bank_bytes(&arch, 8, &arch);
    return arch;
}

/* Every index an exclusive-or of lane bits: what linear algebra solves. */
static void make_affine(problem *p) {
    p->warps = 1;
    p->arch = *smp_arch_find("sm_90");
    p->rows = p->rows > 0 ? 16 : 0;
    p->columns = p->rows > 0 ? 32 : p->columns;
    for (uint32_t i = 0; i < p->access_count; i++) {
        one_access *a = &p->access[i];
        coordinate *both[] = {&a->row, &a->column};
        a->lanes = SMP_LANES;
        a->row.modulus = p->rows;
        a->column.modulus = p->columns / a->column.scale;
        for (int k = 0; k < 2; k++) {
            both[k]->add = 0;
            both[k]->x = both[k]->x == 3 ? 2 : both[k]->x;
        }
    }
}

static problem random_problem(smp_random *random) {
    static const uint32_t columns[] = {8, 16, 32, 32, 64, 24, 33, 18};
    problem p = {.element = 1u << smp_random_below(random, 4),
                 .rows = smp_random_below(random, 4) == 0 ? 0 : 4 + smp_random_below(random, 13),
                 .columns = columns[smp_random_below(random, 8)],
                 .access_count = 1 + smp_random_below(random, ACCESSES_MAX),
                 .warps = 1 + smp_random_below(random, WARPS_MAX),
                 .arch = random_arch(random)};
    if (p.rows == 0)
        p.columns = 64u << smp_random_below(random, 3);
    for (uint32_t i = 0; i < p.access_count; i++) {
        one_access *a = &p.access[i];
        uint32_t vector = 1u << smp_random_below(random, 4);
        while (vector > 1 && (vector * p.element > 16 || p.columns % vector != 0))
            vector /= 2;
        a->is_load = smp_random_below(random, 2) == 0;
        a->width = vector * p.element;
        a->row = random_coordinate(random, p.rows, 1);
        a->column = random_coordinate(random, p.columns, vector);
        a->lanes = smp_random_below(random, 4) == 0 ? 8 + smp_random_below(random, 24) : 32;
    }
    p.is_affine = smp_random_below(random, 4) == 0;
    if (p.is_affine)
        make_affine(&p);
    return p;
}

static void put_coordinate(FILE *out, const coordinate *c) {
    fprintf(out, "(threadIdx.x * %u + threadIdx.y * %u + %u) %% %u * %u", c->x, c->y, c->add,
            c->modulus, c->scale);
}

static char *text_of(const problem *p) {
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    fprintf(out, "block 32x%u\nshared alignas(16) %s t", p->warps, type_of(p->element));
    if (p->rows > 0)
        fprintf(out, "[%u]", p->rows);
    fprintf(out, "[%u]\n", p->columns);
    for (uint32_t i = 0; i < p->access_count; i++) {
        const one_access *a = &p->access[i];
        fprintf(out, "if (threadIdx.x < %u) %s ", a->lanes, a->is_load ? "ld" : "st");
        if (a->width > p->element)
            fprintf(out, "*(%s *)&", vector_of(a->width));
        fputs("t", out);
        if (p->rows > 0) {
            fputc('[', out);
            put_coordinate(out, &a->row);
            fputc(']', out);
        }
        fputc('[', out);
        put_coordinate(out, &a->column);
        fputs("]\n", out);
    }
    fclose(out);
    return text;
}

/* ---- Brute force ---- */

static uint32_t value_of(const coordinate *c, uint32_t x, uint32_t y) {
    return (c->x * x + c->y * y + c->add) % c->modulus * c->scale;
}

/* Place of element (row, column) as a form says; `form` speaks of the innermost dimension. */
static uint32_t place(const smp_fix_form *f, uint32_t row, uint32_t column, uint32_t columns) {
    uint32_t pitch = columns + f->pad[f->dim_count - 1], out, number;
    if (f->step > 0)
        column = (column + f->step * (row / f->divide)) % columns;
    number = row * pitch + column;
    if (f->every > 0)
        number += number / f->every * f->insert;
    out = number;
    for (uint32_t i = 0; i < f->term_count; i++) {
        uint32_t bits = number & f->term[i].mask;
        out ^= f->term[i].shift < 0 ? bits << -f->term[i].shift : bits >> f->term[i].shift;
    }
    return out;
}

/* False if the hardware would refuse it, or a vector is torn. */
static bool make_access(const problem *p, const one_access *a, uint32_t warp, const smp_fix_form *f,
                        smp_access *out) {
    memset(out, 0, sizeof *out);
    out->op = a->is_load ? SMP_LD_SHARED : SMP_ST_SHARED;
    out->width_bytes = a->width;
    for (uint32_t lane = 0; lane < a->lanes; lane++) {
        uint32_t row = p->rows > 0 ? value_of(&a->row, lane, warp) : 0;
        uint32_t column = value_of(&a->column, lane, warp);
        uint32_t first = place(f, row, column, p->columns);
        out->active_mask |= 1u << lane;
        out->offset_bytes[lane] = first * p->element;
        if (first * p->element % a->width != 0)
            return false;
        for (uint32_t i = 1; i < a->width / p->element; i++) {
            if (place(f, row, column + i, p->columns) != first + i)
                return false;
        }
    }
    return true;
}

static uint32_t elements_of(const problem *p, const smp_fix_form *f) {
    uint32_t most = 0, rows = p->rows > 0 ? p->rows : 1, written = 0, atom = 1;
    for (uint32_t i = 0; i < f->term_count; i++)
        written |= f->term[i].shift < 0 ? f->term[i].mask << -f->term[i].shift
                                        : f->term[i].mask >> f->term[i].shift;
    while (atom <= written)
        atom *= 2;
    smp_fix_form plain = *f;
    plain.term_count = 0;
    for (uint32_t c = 0; c < p->columns; c++)
        most = place(&plain, rows - 1, c, p->columns) > most
                   ? place(&plain, rows - 1, c, p->columns)
                   : most;
    if (f->every == 0) /* rows are declared whole */
        most = rows * (p->columns + f->pad[f->dim_count - 1]) - 1;
    return (most + atom) / atom * atom;
}

/* No further than to an excess above `most`: then it does not fit, either. */
static cost price(const problem *p, const smp_fix_form *f, uint64_t most) {
    cost out = {.fits = true};
    for (uint32_t i = 0; i < p->access_count; i++) {
        for (uint32_t warp = 0; warp < p->warps; warp++) {
            smp_access access;
            smp_counts counts;
            if (!make_access(p, &p->access[i], warp, f, &access) ||
                smp_predict(&p->arch, &access, &counts) != SMP_OK)
                return (cost){.fits = false};
            out.excess += counts.excess;
            if (out.excess > most)
                return (cost){.fits = false};
        }
    }
    out.bytes = (uint64_t)elements_of(p, f) * p->element;
    return out;
}

static cost unchanged; /* of the problem */

/* A form of more than twice the array's bytes has to halve the excess. */
static void take(const problem *p, const smp_fix_form *f, cost *best) {
    cost c = price(p, f, best->excess);
    const bool is_worth_it = c.bytes <= 2 * unchanged.bytes || c.excess <= unchanged.excess / 2;
    if (c.fits && is_worth_it &&
        (c.excess < best->excess || (c.excess == best->excess && c.bytes < best->bytes)))
        *best = c;
}

/* Widest vector of the problem, in elements. */
static uint32_t unit_of(const problem *p) {
    uint32_t unit = 1;
    for (uint32_t i = 0; i < p->access_count; i++)
        unit = p->access[i].width / p->element > unit ? p->access[i].width / p->element : unit;
    return unit;
}

static uint32_t log2_of(uint32_t value) {
    return value > 1 ? 1 + log2_of(value / 2) : 0;
}

static smp_fix_form plain_form(const problem *p) {
    smp_fix_form f = {.dim_count = p->rows > 0 ? 2u : 1u, .element_bytes = p->element, .divide = 1};
    return f;
}

static void all_pads(const problem *p, cost *best) {
    smp_fix_form f = plain_form(p);
    uint32_t period = 256 / p->element;
    for (uint32_t pad = 0; pad < period && p->rows > 0; pad++) {
        f.pad[1] = pad;
        take(p, &f, best);
    }
    for (f.every = 1; f.every < p->columns && p->rows == 0; f.every *= 2) {
        for (f.insert = 1; f.insert < period; f.insert++)
            take(p, &f, best);
    }
    for (uint32_t i = 0; i < p->access_count && p->rows == 0; i++) {
        const coordinate *c = &p->access[i].column;
        f.every = c->x == 3 && 3 * c->scale % unit_of(p) == 0
                      ? 3 * c->scale
                      : 0; /* the only stride that is no power of two */
        for (f.insert = 1; f.insert < period && f.every > 0; f.insert++)
            take(p, &f, best);
    }
}

/* Every Swizzle that CuTe would take, on rows padded by `pad`, or with `pad` after each `every`. */
static void all_swizzles(const problem *p, uint32_t every, uint32_t pad, cost *best) {
    smp_fix_form f = plain_form(p);
    uint32_t count = every > 0 ? p->columns + (p->columns - 1) / every * pad
                               : (p->rows > 0 ? p->rows : 1) * (p->columns + pad);
    uint32_t period = (p->arch.generation == SMP_KEPLER ? 256u : 128u) / p->element;
    uint32_t top = log2_of(period) > log2_of(count - 1) ? log2_of(period) : log2_of(count - 1) + 1;
    f.every = every;
    f.insert = pad;
    f.pad[f.dim_count - 1] = every > 0 ? 0 : pad;
    f.term_count = 1;
    for (uint32_t bits = 1; bits <= 7; bits++) {
        for (uint32_t base = log2_of(unit_of(p)); base + bits <= 10; base++) {
            for (uint32_t shift = bits; base + shift <= 12; shift++) {
                uint32_t low = ((1u << bits) - 1) << base;
                f.term[0] = (smp_fix_term){low << shift, (int32_t)shift};
                take(p, &f, best);
                f.term[0] = (smp_fix_term){low, -(int32_t)shift};
                if (base + bits + shift <= top) /* no more memory */
                    take(p, &f, best);
            }
        }
    }
}

static void all_padded_swizzles(const problem *p, cost *best) {
    uint32_t period = (p->arch.generation == SMP_KEPLER ? 256u : 128u) / p->element;
    for (uint32_t pad = 1; pad < period && p->rows > 0; pad++)
        all_swizzles(p, 0, pad, best);
    for (uint32_t every = unit_of(p); every < p->columns && p->rows == 0; every *= 2) {
        for (uint32_t pad = 1; pad < period; pad += 1 + pad / 4) /* not all: it takes long */
            all_swizzles(p, every, pad, best);
    }
}

static void all_rotations(const problem *p, cost *best) {
    smp_fix_form f = plain_form(p);
    for (f.divide = 1; f.divide <= 16 && p->rows > 0; f.divide *= 2) {
        for (f.step = unit_of(p); f.step < p->columns; f.step += unit_of(p))
            take(p, &f, best);
    }
}

/* Every matrix from row bits to bank bits, and *rank_one for those of at most two diagonals. */
static bool all_matrices(const problem *p, cost *any, cost *two) {
    uint32_t period = (p->arch.generation == SMP_KEPLER ? 256u : 128u) / p->element;
    uint32_t count = (p->rows > 0 ? p->rows : 1) * p->columns, low = unit_of(p), high = period;
    uint32_t sources = 0, targets = 0, at_low, at_high;
    if (p->element * low < 4)
        low = 4 / p->element;
    while (p->rows > 0 && p->columns % high != 0)
        high /= 2; /* targets stay within the row */
    for (uint32_t bit = low; bit < high; bit *= 2)
        targets++;
    for (uint32_t bit = period; bit < count; bit *= 2)
        sources++;
    at_low = log2_of(low);
    at_high = log2_of(period);
    if (sources * targets > MATRIX_BITS_MAX)
        return false;
    for (uint32_t matrix = 1; matrix < 1u << (sources * targets); matrix++) {
        smp_fix_form f = plain_form(p);
        for (uint32_t shift = 1; shift < 24; shift++) {
            uint32_t mask = 0;
            for (uint32_t bit = 0; bit < sources * targets; bit++) {
                uint32_t source = at_high + bit / targets, target = at_low + bit % targets;
                mask |= (matrix >> bit & 1) && source == target + shift ? 1u << source : 0;
            }
            if (mask != 0)
                f.term[f.term_count++] = (smp_fix_term){mask, (int32_t)shift};
        }
        take(p, &f, any);
        if (f.term_count <= 2)
            take(p, &f, two);
    }
    return true;
}

/* ---- Both ---- */

static smp_fix_result solve(const problem *p, const char *text, uint32_t kinds) {
    smp_fix *fix;
    smp_error error = {.message = ""};
    unsigned line = 0;
    smp_fix_options options = {.archs = &p->arch, .arch_count = 1, .kinds = kinds};
    smp_status status = smp_fix_solve(text, strlen(text), &options, &fix, &line, &error);
    ck_assert_msg(status == SMP_OK, "line %u: %s\n%s", line, error.message, text);
    smp_fix_result result = smp_fix_result_of(fix);
    smp_fix_free(fix);
    return result;
}

static void compare(const char *name, const problem *p, const char *text, uint32_t kinds,
                    const cost *best) {
    smp_fix_result result = solve(p, text, kinds);
    if (result.is_free && result.excess_after < best->excess) /* what is free may take any bytes */
        return;
    ck_assert_msg(result.excess_after == best->excess && result.bytes_after == best->bytes,
                  "%s on %s: %" PRIu64 " excess in %" PRIu64 " bytes, brute force %" PRIu64
                  " in %" PRIu64 "\n%s",
                  name, p->arch.name, result.excess_after, result.bytes_after, best->excess,
                  best->bytes, text);
    ck_assert_msg(result.excess_bound <= result.excess_after, "%s: bound %" PRIu64 "\n%s", name,
                  result.excess_bound, text);
}

static void better_of(cost *best, const cost *other) {
    if (other->excess < best->excess ||
        (other->excess == best->excess && other->bytes < best->bytes))
        *best = *other;
}

static void check_problem(const problem *p) {
    char *text = text_of(p);
    smp_fix_form plain = plain_form(p);
    cost as_is = price(p, &plain, UINT64_MAX), pad = as_is, swizzle = as_is, rotation = as_is,
         both = as_is;
    cost any = as_is, two = as_is, best = as_is;
    unchanged = as_is;
    ck_assert_msg(as_is.fits, "%s", text);
    all_pads(p, &pad);
    compare("pad", p, text, 1u << SMP_FIX_PAD, &pad);
    all_swizzles(p, 0, 0, &swizzle);
    compare("xor", p, text, 1u << SMP_FIX_XOR, &swizzle);
    all_rotations(p, &rotation);
    compare("rotate", p, text, 1u << SMP_FIX_ROTATE, &rotation);
    all_padded_swizzles(p, &both);
    better_of(&both, &pad);
    if (p->rows > 0)
        compare("pad+xor", p, text, 1u << SMP_FIX_PAD | 1u << SMP_FIX_PAD_XOR, &both);
    else
        ck_assert(solve(p, text, 1u << SMP_FIX_PAD | 1u << SMP_FIX_PAD_XOR).excess_after <=
                  both.excess);
    better_of(&best, &pad);
    better_of(&best, &swizzle);
    better_of(&best, &rotation);
    better_of(&best, &both);
    if (all_matrices(p, &any, &two)) {
        smp_fix_result linear = solve(p, text, 1u << SMP_FIX_LINEAR | 1u << SMP_FIX_XOR);
        better_of(&two, &swizzle);
        better_of(&any, &swizzle);
        ck_assert_msg(linear.excess_after <= two.excess && linear.excess_after >= any.excess,
                      "linear on %s: %" PRIu64 ", of one or two %" PRIu64 ", of all %" PRIu64
                      "\n%s",
                      p->arch.name, linear.excess_after, two.excess, any.excess, text);
        ck_assert_msg(!p->is_affine || linear.excess_after == any.excess,
                      "matrices: %" PRIu64 ", of all %" PRIu64 "\n%s", linear.excess_after,
                      any.excess, text);
        ck_assert(solve(p, text, 0).excess_after <= best.excess);
    }
    free(text);
}

static uint64_t more_seed(void) {
    return (test_setting("SMP_TEST_SEED", 1) - 1) * 1000003;
}

START_TEST(optimum_is_that_of_brute_force) {
    smp_random random = {.state = 20261121u + (uint64_t)_i + more_seed()};
    const uint64_t problems = test_cases("SMP_FIX_PROBLEMS", PROBLEMS);
    for (uint64_t i = 0; i < problems / 4; i++) {
        problem p = random_problem(&random);
        check_problem(&p);
    }
}
END_TEST

/* ---- Matrices ---- */

enum { INDEX_BITS = 8, LANE_BITS = 5, MATRICES = 1 << (LANE_BITS * (INDEX_BITS - LANE_BITS)) };

/* One access: which index bit each lane bit becomes. */
typedef struct bit_access {
    uint32_t bit[LANE_BITS];
} bit_access;

static void shuffle_bits(smp_random *random, bit_access *out) {
    uint32_t bits[INDEX_BITS];
    for (uint32_t i = 0; i < INDEX_BITS; i++)
        bits[i] = i;
    for (uint32_t i = 0; i < LANE_BITS; i++) {
        uint32_t other = i + smp_random_below(random, INDEX_BITS - i), picked = bits[other];
        bits[other] = bits[i];
        bits[i] = picked;
        out->bit[i] = picked;
    }
}

/* Excess wavefronts of an access under a matrix: three columns of five bits, lowest row bit first.
 */
static uint32_t excess_under(const bit_access *access, uint32_t matrix) {
    uint32_t on_bank[SMP_LANES] = {0}, most = 0;
    for (uint32_t lane = 0; lane < SMP_LANES; lane++) {
        uint32_t index = 0, bank;
        for (uint32_t i = 0; i < LANE_BITS; i++)
            index |= (lane >> i & 1) << access->bit[i];
        bank = index & 31;
        for (uint32_t row = LANE_BITS; row < INDEX_BITS; row++)
            bank ^= index >> row & 1 ? matrix >> (LANE_BITS * (row - LANE_BITS)) & 31 : 0;
        on_bank[bank]++;
        most = on_bank[bank] > most ? on_bank[bank] : most;
    }
    return most - 1;
}

static char *text_of_bits(const bit_access *accesses, uint32_t count) {
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    fputs("block 32\nshared float t[256]\n", out);
    for (uint32_t a = 0; a < count; a++) {
        fputs("ld t[0", out);
        for (uint32_t i = 0; i < LANE_BITS; i++)
            fprintf(out, " + ((laneid >> %u & 1) << %u)", i, accesses[a].bit[i]);
        fputs("]\n", out);
    }
    fclose(out);
    return text;
}

/* If all accesses are linear, the best of all matrices is found, with any number of diagonals. */
START_TEST(matrices_are_searched_to_the_end) {
    smp_random random = {.state = 77u + (uint64_t)_i + more_seed()};
    bit_access accesses[12];
    problem p = {.arch = *smp_arch_find("sm_90")};
    uint32_t count = 2 + smp_random_below(&random, 11), best = UINT32_MAX;
    for (uint32_t a = 0; a < count; a++)
        shuffle_bits(&random, &accesses[a]);
    for (uint32_t matrix = 0; matrix < MATRICES; matrix++) {
        uint32_t excess = 0;
        for (uint32_t a = 0; a < count && excess < best; a++)
            excess += excess_under(&accesses[a], matrix);
        best = excess < best ? excess : best;
    }
    char *text = text_of_bits(accesses, count);
    smp_fix_result result = solve(&p, text, 1u << SMP_FIX_XOR | 1u << SMP_FIX_LINEAR);
    ck_assert_msg(result.excess_after == best && result.is_proven,
                  "%" PRIu64 ", of all matrices %u\n%s", result.excess_after, best, text);
    free(text);
}
END_TEST

int main(void) {
    return SUITE_FOR(600, "fix_random", TEST_EACH(optimum_is_that_of_brute_force, 4),
                     TEST_EACH(matrices_are_searched_to_the_end, 40));
}
