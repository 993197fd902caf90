/* SPDX-License-Identifier: MIT */
/*
 * Predictions against recordings of a GPU. Strides 0 to 64 of every width must be
 * recorded for loads and stores, and every recorded pattern must agree.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "smp_probes.h"
#include "suite.h"

enum { STRIDES = 65 };

static smp_access strided(const smp_op_row *op, uint32_t width, uint32_t stride, uint32_t offset,
                          uint32_t lanes) {
    smp_access access = {.op = op->op, .width_bytes = width, .active_mask = lanes};
    for (uint32_t lane = 0; lane < SMP_LANES; lane++) {
        access.offset_bytes[lane] = offset + lane * stride * width;
        access.address_bytes[lane] = access.offset_bytes[lane];
    }
    return access;
}

/* The access of a canonical pattern, or false if `key` is none. */
static bool parse_key(const char *key, smp_access *out) {
    char name[32];
    unsigned width, stride;
    int end = 0;
    if (sscanf(key, "--op %31s --width %u --stride %u%n", name, &width, &stride, &end) < 3)
        return false;
    const char *offset = strstr(key + end, " --offset "), *lanes = strstr(key + end, " --lanes 0x");
    const smp_op_row *op = smp_op_find(name);
    ck_assert_msg(op, "%s: unknown operation", key);
    *out = strided(
        op, width, stride, offset ? (uint32_t)strtoul(offset + strlen(" --offset "), NULL, 10) : 0,
        lanes ? (uint32_t)strtoul(lanes + strlen(" --lanes "), NULL, 16) : SMP_ALL_LANES);
    return true;
}

static const smp_arch *arch_of(const smp_record *record) {
    int major = 0, minor = 0;
    sscanf(record->cc, "%d.%d", &major, &minor);
    return smp_arch_of_cc(major, minor);
}

static bool check_pattern(void *user, const smp_record *record, const char *field) {
    smp_access access;
    smp_counts counts;
    size_t *checked = user;
    if (!parse_key(record->key, &access) || strcmp(field, "cycles") == 0)
        return true; /* cycles are no count that the model gives */
    smp_status status = smp_predict(arch_of(record), &access, &counts);
    if (status == SMP_E_NOT_MODELLED)
        return true;
    ck_assert_msg(status == SMP_OK, "%s: %s", record->key, smp_status_name(status));
    bool is_transactions = strcmp(field, "transactions") == 0;
    uint32_t predicted = is_transactions ? counts.transactions : counts.wavefronts_max;
    ck_assert_msg(is_transactions || strcmp(field, "wavefronts") == 0, "%s: field %s", record->key,
                  field);
    ck_assert_msg((double)predicted == record->value, "%s: predicted %u, recorded %g", record->key,
                  (unsigned)predicted, record->value);
    *checked += 1;
    return true;
}

START_TEST(recorded_patterns_agree_with_the_model) {
    size_t checked = 0;
    smp_recorded_each(check_pattern, &checked);
    printf("%zu recorded patterns agree with the model\n", checked);
}
END_TEST

START_TEST(strides_of_loads_and_stores_are_recorded) {
    uint32_t width = 1u << _i % 5;
    const char *op = _i < 5 ? "ld" : "st";
    for (uint32_t stride = 0; stride < STRIDES; stride++) {
        char key[64];
        smp_record record;
        snprintf(key, sizeof key, "--op %s --width %u --stride %u", op, (unsigned)width,
                 (unsigned)stride);
        ck_assert_msg(smp_recorded_find(key, "wavefronts", "9.0", &record), "%s: not recorded",
                      key);
        ck_assert_str_eq(record.key, key);
    }
}
END_TEST

START_TEST(unknown_keys_are_not_found) {
    smp_record record;
    ck_assert(
        !smp_recorded_find("--op ld --width 4 --stride 123456789", "wavefronts", NULL, &record));
    ck_assert(!smp_recorded_find("--op ld --width 4 --stride 1", "no such field", NULL, &record));
    ck_assert(!smp_recorded_find("--op ld --width 4 --stride 1", "wavefronts", "1.0", &record));
}
END_TEST

int main(void) {
    return SUITE("records", TEST(recorded_patterns_agree_with_the_model),
                 TEST_EACH(strides_of_loads_and_stores_are_recorded, 10),
                 TEST(unknown_keys_are_not_found));
}
