/* SPDX-License-Identifier: MIT */
/*
 * Predicts whole kernels that were counted on a GPU. Every recorded
 * variant that claims an exact prediction must have one.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "recorded_case.h"
#include "smp_forecast.h"
#include "smp_probes.h"
#include "suite.h"

enum { KEYS_MAX = 4096, KEY_MAX = 192 };

/* Bytes of input whose trace is followed: under a sanitizer the large ones take a minute. */
#ifdef __SANITIZE_ADDRESS__
#define TRACED_MAX (UINT64_C(1) << 25)
#else
#define TRACED_MAX (UINT64_C(1) << 27)
#endif

typedef struct recorded_key {
    char text[KEY_MAX];
    char cc[8];
} recorded_key;

static recorded_key keys[KEYS_MAX];
static size_t key_count;

static bool collect(void *user, const smp_record *record, const char *field) {
    (void)user;
    if (strcmp(field, "sectors_ld") != 0 || key_count == KEYS_MAX)
        return true;
    recorded_key *key = &keys[key_count++];
    (void)snprintf(key->text, sizeof key->text, "%s", record->key);
    (void)snprintf(key->cc, sizeof key->cc, "%s", record->cc);
    return true;
}

static const smp_arch *arch_of(const char *cc) {
    int major = 0, minor = 0;
    (void)sscanf(cc, "%d.%d", &major, &minor);
    return smp_arch_of_cc(major, minor);
}

/* True if it was compared. */
static bool check_key(const recorded_key *key) {
    smp_forecast forecast;
    smp_error error;
    const smp_kernel_family *family;
    const smp_kernel_variant *variant;
    smp_kernel_case problem;
    recorded_case_parse(key->text, &family, &variant, &problem);
    if (smp_kernel_not_predicted(variant, &problem) ||
        (variant->trace && family->bytes(&problem).in > TRACED_MAX))
        return false;
    smp_status status =
        smp_kernel_forecast(arch_of(key->cc), family, variant, &problem, NULL, &forecast, &error);
    ck_assert_msg(status == SMP_OK, "%s: %s", key->text, error.message);
    for (int i = 0; i < SMP_TRAFFIC_COUNT; i++) {
        smp_record record;
        const char *name = smp_traffic_rows()[i].name;
        ck_assert_msg(smp_recorded_find(key->text, name, key->cc, &record), "%s: no %s", key->text,
                      name);
        ck_assert_msg((double)forecast.traffic.count[i] == record.value,
                      "%s: %s predicted %" PRIu64 ", recorded %.0f", key->text, name,
                      forecast.traffic.count[i], record.value);
    }
    return forecast.status == SMP_OK;
}

START_TEST(recorded_kernels_are_predicted) {
    size_t compared = 0;
    smp_recorded_each(collect, NULL);
    for (size_t i = 0; i < key_count; i++)
        compared += check_key(&keys[i]);
    printf("%zu of %zu recorded kernels compared, all counters as predicted\n", compared,
           key_count);
    ck_assert_msg(key_count == 0 || compared > 0, "nothing was compared");
}
END_TEST

int main(void) {
    return SUITE_FOR(300, "recorded_kernels", TEST(recorded_kernels_are_predicted));
}
