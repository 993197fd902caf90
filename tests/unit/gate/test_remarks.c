/* SPDX-License-Identifier: MIT */
/*
 * The remarks of explain-counters about random counters, read back into numbers
 * and compared with the counters.
 *
 * SMP_TEST_REMARKS and SMP_TEST_SEED change the number of kernels and their seed.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "explain_counters.h"
#include "sentence_reader.h"
#include "setting.h"
#include "smp_accesses.h"
#include "suite.h"

/* The counters' values, summed here by their names. */
typedef struct sums {
    double requests, wavefronts, conflicts, atomics, modelled, ideal, counted_requests, copies;
    double kind_conflicts[COUNTED_KINDS];
} sums;

typedef bool (*judge_fn)(const sums *all, const claim_slot slots[]);

#define REAL(i) slots[i].real

static bool is_near(double said, double value) {
    return fabs(said - value) <= 0.5;
}

static double excess_of(const sums *all) {
    return all->modelled - all->ideal;
}

static bool no_access(const sums *all, const claim_slot slots[]) {
    (void)slots;
    return all->requests == 0;
}

static bool contradiction(const sums *all, const claim_slot slots[]) {
    (void)slots;
    return all->requests - all->copies != all->counted_requests;
}

static bool no_excess(const sums *all, const claim_slot slots[]) {
    (void)slots;
    return all->modelled == all->ideal && all->modelled > 0;
}

/* The kinds that are named have conflicts; "accesses" names none. */
static bool are_kinds(const sums *all, const claim_slot *slot) {
    char text[96];
    (void)snprintf(text, sizeof text, "%.*s", (int)slot->length, slot->text);
    bool names_any = false, is_so = true;
    for (int i = 0; i < COUNTED_KINDS; i++) {
        if (!strstr(text, counted_names[i]))
            continue;
        names_any = true;
        is_so &= all->kind_conflicts[i] > 0;
    }
    return is_so && (names_any || strcmp(text, "accesses") == 0);
}

static bool excess(const sums *all, const claim_slot slots[]) {
    return is_near(REAL(0), excess_of(all)) && is_near(REAL(1), all->modelled) &&
           is_near(REAL(2), 100 * excess_of(all) / all->modelled) && are_kinds(all, &slots[3]) &&
           REAL(0) > 0;
}

static bool is_best(const sums *all, double best) {
    return fabs(best - all->ideal / all->requests) <= 0.0501 && best > 1;
}

static bool best_of_atomics(const sums *all, const claim_slot slots[]) {
    return all->atomics > 0 && is_best(all, REAL(0));
}

static bool best(const sums *all, const claim_slot slots[]) {
    return all->atomics == 0 && is_best(all, REAL(0));
}

static bool all_other(const sums *all, const claim_slot slots[]) {
    return is_near(REAL(0), all->conflicts) && all->conflicts > 0 && excess_of(all) <= 0.5;
}

static bool some_other(const sums *all, const claim_slot slots[]) {
    return is_near(REAL(1), all->conflicts) && excess_of(all) > 0 &&
           is_near(REAL(0), all->conflicts - excess_of(all)) && REAL(0) > 0;
}

static bool left_out(const sums *all, const claim_slot slots[]) {
    return is_near(REAL(0), excess_of(all) - all->conflicts) && REAL(0) > 0;
}

static bool model(const sums *all, const claim_slot slots[]) {
    return is_near(REAL(0), all->wavefronts) && is_near(REAL(1), all->wavefronts - all->modelled) &&
           REAL(1) > 0;
}

static const judge_fn judges[REMARK_COUNT] = {
    [REMARK_NO_ACCESS] = no_access,
    [REMARK_CONTRADICTION] = contradiction,
    [REMARK_NO_EXCESS] = no_excess,
    [REMARK_EXCESS] = excess,
    [REMARK_BEST_OF_ATOMICS] = best_of_atomics,
    [REMARK_BEST] = best,
    [REMARK_ALL_OTHER] = all_other,
    [REMARK_SOME_OTHER] = some_other,
    [REMARK_LEFT_OUT] = left_out,
    [REMARK_MODEL] = model,
};

static double set(smp_random *random, ncu_kernel *kernel, ncu_metric metric, uint32_t most) {
    double value = smp_random_below(random, 3) == 0 ? 0 : smp_random_below(random, most);
    kernel->value[metric] = value;
    kernel->known |= 1u << metric;
    return value;
}

/* Counters that a kernel could have: any sums; now and then requests that contradict. */
static void fill(smp_random *random, ncu_kernel *kernel, sums *all) {
    static const ncu_metric kinds[COUNTED_KINDS][3] = {
        {NCU_REQUESTS_LD, NCU_WAVES_LD, NCU_CONFLICTS_LD},
        {NCU_REQUESTS_ST, NCU_WAVES_ST, NCU_CONFLICTS_ST},
        {NCU_REQUESTS_ATOM, NCU_WAVES_ATOM, NCU_CONFLICTS_ATOM},
        {NCU_REQUESTS_COPY, NCU_WAVES_COPY, NCU_CONFLICTS_COPY}};
    uint32_t most = 2 + smp_random_below(random, smp_random_below(random, 2) ? 9 : 1000000);
    memset(kernel, 0, sizeof *kernel);
    memset(all, 0, sizeof *all);
    for (int i = 0; i < COUNTED_KINDS; i++) {
        double requests = set(random, kernel, kinds[i][0], most);
        all->requests += requests;
        all->wavefronts += set(random, kernel, kinds[i][1], 2 * most);
        all->kind_conflicts[i] = set(random, kernel, kinds[i][2], most);
        all->conflicts += all->kind_conflicts[i];
        all->atomics += i == COUNTED_ATOMICS ? requests : 0;
        all->copies += i == COUNTED_COPIES ? requests : 0;
    }
    all->ideal = set(random, kernel, NCU_IDEAL, 4 * most);
    double more = smp_random_below(random, 3) == 0 ? 0 : smp_random_below(random, 4 * most);
    all->modelled = kernel->value[NCU_MODELLED] = all->ideal + more;
    kernel->known |= 1u << NCU_MODELLED;
    bool lies = smp_random_below(random, 20) == 0;
    all->counted_requests = all->requests - all->copies + (lies ? 1 : 0);
    kernel->value[NCU_REQUESTS] = all->counted_requests;
    kernel->known |= 1u << NCU_REQUESTS;
}

START_TEST(what_is_remarked_is_true) {
    smp_random random = {test_setting("SMP_TEST_SEED", 1)};
    uint64_t cases = test_setting("SMP_TEST_REMARKS", 100000), met[REMARK_COUNT] = {0};
    for (uint64_t i = 0; i < cases; i++) {
        ncu_kernel kernel;
        ncu_explanation e;
        sums all;
        fill(&random, &kernel, &all);
        ncu_explain(&kernel, &e);
        for (unsigned r = 0; r < e.remark_count; r++) {
            claim claims[CLAIMS_MAX];
            size_t count = claims_read(remark_rows, REMARK_COUNT, e.remarks[r], claims);
            ck_assert_msg(count == 1, "can't be read back: %s", e.remarks[r]);
            met[claims[0].row]++;
            judge_fn judge = judges[claims[0].row];
            ck_assert_msg(judge && judge(&all, claims[0].slots),
                          "false: %s\n(excess %.0f of %.0f, ideal %.0f, %.0f conflicts, %.0f "
                          "requests, %.0f wavefronts)",
                          e.remarks[r], excess_of(&all), all.modelled, all.ideal, all.conflicts,
                          all.requests, all.wavefronts);
        }
    }
    for (unsigned id = 0; id < REMARK_COUNT && cases >= 100000; id++)
        ck_assert_msg(met[id] > 0, "\"%s\" was never said", remark_rows[id]);
}
END_TEST

int main(void) {
    return SUITE_FOR(86400, "remarks", TEST(what_is_remarked_is_true));
}
