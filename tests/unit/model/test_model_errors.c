/* SPDX-License-Identifier: MIT */
/*
 * Accesses that the hardware would not execute: status, lane, and the limit
 * in the message. Inactive lanes never matter.
 */
#include <string.h>

#include "offset_text.h"
#include "smp_model.h"
#include "suite.h"

#define ALL SMP_ALL_LANES

typedef struct error_row {
    const char *name;
    const char *arch;
    smp_op op;
    unsigned width_bytes;
    uint32_t mask;
    const char *offsets; /* offset_text.h */
    smp_status status;
    int position;        /* lane, or -1 */
    const char *says[2]; /* parts of the message */
} error_row;

/* clang-format off */
static const error_row rows[] = {
    /* Alignment */
    {"2 bytes at an odd offset", "9.0", SMP_LD_SHARED, 2, ALL, "0*7 1 0*24", SMP_E_MISALIGNED, 7, {"lane 7", "1"}},
    {"4 bytes at 2", "9.0", SMP_LD_SHARED, 4, ALL, "2 0*31", SMP_E_MISALIGNED, 0, {"lane 0", "4"}},
    {"4 bytes at 1", "1.0", SMP_ST_SHARED, 4, ALL, "0*31 1", SMP_E_MISALIGNED, 31, {"lane 31", "4"}},
    {"8 bytes at 4", "9.0", SMP_LD_SHARED, 8, ALL, "0 4 0*30", SMP_E_MISALIGNED, 1, {"lane 1", "8"}},
    {"8 bytes at 12", "2.0", SMP_ST_SHARED, 8, ALL, "0*5 12", SMP_E_MISALIGNED, 5, {"12", "8"}},
    {"16 bytes at 8", "9.0", SMP_LD_SHARED, 16, ALL, "0*30 8 0", SMP_E_MISALIGNED, 30, {"lane 30", "16"}},
    {"a matrix row at 8", "9.0", SMP_LDMATRIX_X1, 16, ALL, "0 8 0*30", SMP_E_MISALIGNED, 1, {"lane 1", "16"}},
    {"an atomic at 2", "9.0", SMP_ATOM_SHARED, 4, ALL, "2*32", SMP_E_MISALIGNED, 0, {"lane 0", "4"}},
    {"the lowest bad lane is named", "9.0", SMP_LD_SHARED, 4, ALL, "0*9 5 0*10 6 0*11", SMP_E_MISALIGNED, 9, {"lane 9", "5"}},
    {"global 4 bytes at 6", "9.0", SMP_LD_GLOBAL, 4, ALL, "0*3 6 0*28", SMP_E_MISALIGNED, 3, {"lane 3", "6"}},
    {"global 16 bytes at 24, far out", "9.0", SMP_ST_GLOBAL, 16, ALL, "0x100000000018", SMP_E_MISALIGNED, 0, {"lane 0", "17592186044440"}},
    {"global 2 bytes on CC 1.0", "1.0", SMP_LD_GLOBAL, 2, ALL, "0*4 3", SMP_E_MISALIGNED, 4, {"lane 4", "3"}},
    {"4 bytes at 2 on Kepler", "3.5", SMP_LD_SHARED, 4, ALL, "0*6 2 0*25", SMP_E_MISALIGNED, 6, {"lane 6", "4"}},
    {"cluster 1 byte off, in another block", "9.0", SMP_ATOM_CLUSTER, 4, ALL, "0*2 0x1000001", SMP_E_MISALIGNED, 2, {"lane 2", "4"}},
    {"cluster 8 bytes at 4", "9.0", SMP_LD_CLUSTER, 8, ALL, "0*2 4", SMP_E_MISALIGNED, 2, {"lane 2", "8"}},
    {"copy to 4 of 8 bytes", "9.0", SMP_CP_ASYNC, 8, ALL, "0*2 4", SMP_E_MISALIGNED, 2, {"lane 2", "8"}},

    /* Range: 227 KiB are 232448 bytes, 48 KiB 49152, 16 KiB 16384 */
    {"the last word fits on 9.0", "9.0", SMP_LD_SHARED, 4, ALL, "232444*32", SMP_OK, -1, {NULL}},
    {"the next does not", "9.0", SMP_LD_SHARED, 4, ALL, "0*8 232448 0*23", SMP_E_RANGE, 8, {"lane 8", "232448"}},
    {"the last byte fits on 9.0", "9.0", SMP_LD_SHARED, 1, ALL, "232447*32", SMP_OK, -1, {NULL}},
    {"the last 16 bytes fit on 9.0", "9.0", SMP_LD_SHARED, 16, ALL, "232432*32", SMP_OK, -1, {NULL}},
    {"the next 16 bytes do not", "9.0", SMP_ST_SHARED, 16, ALL, "232448*32", SMP_E_RANGE, 0, {"232448", "sm_90"}},
    {"the largest offset", "9.0", SMP_LD_SHARED, 4, 1, "0xfffffffc", SMP_E_RANGE, 0, {"4294967292", "232448"}},
    {"the largest 16-byte offset", "9.0", SMP_LD_SHARED, 16, 1, "0xfffffff0", SMP_E_RANGE, 0, {"lane 0", "232448"}},
    {"16 KiB on 1.0", "1.0", SMP_LD_SHARED, 4, ALL, "16380*32", SMP_OK, -1, {NULL}},
    {"beyond 16 KiB on 1.0", "1.0", SMP_LD_SHARED, 4, ALL, "16384*32", SMP_E_RANGE, 0, {"16384", "sm_10"}},
    {"48 KiB on 6.1, though an SM has 96", "6.1", SMP_LD_SHARED, 4, ALL, "0 49152", SMP_E_RANGE, 1, {"lane 1", "49152"}},
    {"100 KiB on 8.6 is one too many", "8.6", SMP_LD_SHARED, 4, ALL, "0 101376", SMP_E_RANGE, 1, {"lane 1", "101376"}},
    {"48 KiB on Kepler", "3.5", SMP_LD_SHARED, 4, ALL, "0*3 49152", SMP_E_RANGE, 3, {"lane 3", "49152"}},
    {"matrix rows", "9.0", SMP_LDMATRIX_X2, 16, ALL, "0*15 232448", SMP_E_RANGE, 15, {"lane 15", "232448"}},
    {"atomics", "9.0", SMP_ATOM_SHARED, 8, ALL, "232448*32", SMP_E_RANGE, 0, {"lane 0", "232448"}},
    {"another block's memory", "9.0", SMP_ST_CLUSTER, 4, ALL, "0 232448", SMP_E_RANGE, 1, {"lane 1", "232448"}},
    {"the last word fits a copy", "9.0", SMP_CP_ASYNC, 4, ALL, "232444*32", SMP_OK, -1, {NULL}},
    {"the target of a copy", "9.0", SMP_CP_ASYNC, 4, ALL, "0 232448", SMP_E_RANGE, 1, {"lane 1", "232448"}},
    {"global memory has no such limit", "9.0", SMP_LD_GLOBAL, 4, ALL, "0x7ffffffffffc*32", SMP_OK, -1, {NULL}},
    {"the lowest bad lane, whatever is wrong", "9.0", SMP_LD_SHARED, 4, ALL, "0*3 232448 0 1 0*26", SMP_E_RANGE, 3, {"lane 3", "232448"}},

    /* Masks */
    {"no lane", "9.0", SMP_LD_SHARED, 4, 0, "0+4*32", SMP_E_MASK, -1, {"lane", "active"}},
    {"no lane of a copy", "9.0", SMP_CP_ASYNC, 4, 0, "0+4*32", SMP_E_MASK, -1, {"lane", "active"}},
    {"no lane of ldmatrix.x1 that counts", "9.0", SMP_LDMATRIX_X1, 16, 0xffffff00, "0+16*32", SMP_E_MASK, -1, {"lane", "active"}},
    {"no lane of stmatrix.x2 that counts", "9.0", SMP_STMATRIX_X2, 16, 0xffff0000, "0+16*32", SMP_E_MASK, -1, {"lane", "active"}},
    {"inactive lanes may be unaligned", "9.0", SMP_LD_SHARED, 4, 0xfffffffe, "1 0+4*31", SMP_OK, -1, {NULL}},
    {"inactive lanes may be out of range", "9.0", SMP_LD_SHARED, 4, 0x7fffffff, "0+4*31 0xffffffff", SMP_OK, -1, {NULL}},
    {"inactive lanes of global memory", "9.0", SMP_LD_GLOBAL, 4, 0x7fffffff, "0+4*31 0xffffffff", SMP_OK, -1, {NULL}},
    {"lanes beyond a matrix", "9.0", SMP_LDMATRIX_X1, 16, ALL, "0+16*8 3*24", SMP_OK, -1, {NULL}},

    /* Widths */
    {"width 0", "9.0", SMP_LD_SHARED, 0, ALL, "0*32", SMP_E_WIDTH, -1, {"ld.shared", "0"}},
    {"width 3", "9.0", SMP_LD_SHARED, 3, ALL, "0*32", SMP_E_WIDTH, -1, {"ld.shared", "3"}},
    {"width 32", "9.0", SMP_LD_SHARED, 32, ALL, "0*32", SMP_E_WIDTH, -1, {"ld.shared", "32"}},
    {"width 256", "9.0", SMP_LD_SHARED, 256, ALL, "0*32", SMP_E_WIDTH, -1, {"ld.shared", "256"}},
    {"width 2^31", "9.0", SMP_LD_SHARED, 0x80000000, ALL, "0*32", SMP_E_WIDTH, -1, {"ld.shared", "2147483648"}},
    {"12 is two widths", "9.0", SMP_ATOM_SHARED, 12, ALL, "0*32", SMP_E_WIDTH, -1, {"atom.shared", "12"}},
    {"atomics of 2 bytes", "9.0", SMP_ATOM_SHARED, 2, ALL, "0*32", SMP_E_WIDTH, -1, {"atom.shared", "2"}},
    {"atomics of 16 bytes", "9.0", SMP_ATOM_SHARED_CAS, 16, ALL, "0*32", SMP_E_WIDTH, -1, {"atom.shared.cas", "16"}},
    {"matrices of 4 bytes", "9.0", SMP_LDMATRIX_X1, 4, ALL, "0*32", SMP_E_WIDTH, -1, {"ldmatrix.x1", "4"}},
    {"copies of 2 bytes", "9.0", SMP_CP_ASYNC, 2, ALL, "0*32", SMP_E_WIDTH, -1, {"cp.async", "2"}},
    {"global reductions of 1 byte", "9.0", SMP_RED_GLOBAL, 1, ALL, "0*32", SMP_E_WIDTH, -1, {"red.global", "1"}},

    /* Operations */
    {"ldmatrix before 7.5", "7.2", SMP_LDMATRIX_X4, 16, ALL, "0*32", SMP_E_OP_UNAVAILABLE, -1, {"ldmatrix.x4", "sm_72"}},
    {"stmatrix before 9.0", "8.9", SMP_STMATRIX_X1, 16, ALL, "0*32", SMP_E_OP_UNAVAILABLE, -1, {"stmatrix.x1", "sm_89"}},
    {"cp.async before 8.0", "7.5", SMP_CP_ASYNC, 4, ALL, "0*32", SMP_E_OP_UNAVAILABLE, -1, {"cp.async", "sm_75"}},
    {"clusters before 9.0", "8.6", SMP_LD_CLUSTER, 4, ALL, "0*32", SMP_E_OP_UNAVAILABLE, -1, {"ld.shared::cluster", "sm_86"}},
    {"shared atomics before 1.2", "1.1", SMP_ATOM_SHARED, 4, ALL, "0*32", SMP_E_OP_UNAVAILABLE, -1, {"atom.shared", "sm_11"}},
    {"64-bit shared atomics before 2.0", "1.3", SMP_ATOM_SHARED, 8, ALL, "0*32", SMP_E_OP_UNAVAILABLE, -1, {"atom.shared", "8"}},
    {"global reductions before 1.1", "1.0", SMP_RED_GLOBAL, 4, ALL, "0*32", SMP_E_OP_UNAVAILABLE, -1, {"red.global", "sm_10"}},
    {"an unknown operation", "9.0", SMP_OP_COUNT, 4, ALL, "0*32", SMP_E_UNKNOWN_OP, -1, {"operation", "26"}},
    {"a negative operation", "9.0", (smp_op)-1, 4, ALL, "0*32", SMP_E_UNKNOWN_OP, -1, {"operation", "-1"}},
};
/* clang-format on */

enum { ROWS = sizeof rows / sizeof rows[0] };

static smp_access access_of(const error_row *row) {
    smp_access access = {.op = row->op, .width_bytes = row->width_bytes, .active_mask = row->mask};
    ck_assert_msg(offset_text_read(row->offsets, &access) > 0, "%s: bad offsets", row->name);
    if (row->op == SMP_CP_ASYNC)
        memset(access.address_bytes, 0, sizeof access.address_bytes);
    return access;
}

START_TEST(check_says_what_is_wrong) {
    const error_row *row = &rows[_i];
    smp_access access = access_of(row);
    const smp_arch *arch = smp_arch_find(row->arch);
    smp_error error = {.position = -2};
    smp_status status = smp_access_check(arch, &access, &error);
    ck_assert_msg(status == row->status, "%s: %s", row->name, smp_status_name(status));
    ck_assert_msg(smp_access_check(arch, &access, NULL) == row->status, "%s: no error", row->name);
    if (status == SMP_OK)
        return;
    ck_assert_msg(error.status == status, "%s: status in error", row->name);
    ck_assert_msg(error.position == row->position, "%s: position %d", row->name, error.position);
    for (unsigned i = 0; i < 2; i++)
        ck_assert_msg(strstr(error.message, row->says[i]), "%s: '%s' does not say '%s'", row->name,
                      error.message, row->says[i]);
    size_t length = strlen(error.message);
    ck_assert_msg(error.message[length - 1] != '.' && !strchr(error.message, '\n'), "%s: '%s'",
                  row->name, error.message);
}
END_TEST

START_TEST(predict_counts_nothing_after_an_error) {
    const error_row *row = &rows[_i];
    smp_access access = access_of(row);
    smp_counts counts;
    memset(&counts, 0xff, sizeof counts);
    smp_status status = smp_predict(smp_arch_find(row->arch), &access, &counts);
    ck_assert_msg(status == row->status, "%s: %s", row->name, smp_status_name(status));
    if (status != SMP_OK)
        ck_assert_msg(counts.valid == 0, "%s: valid %u", row->name, counts.valid);
}
END_TEST

/* Each lane is checked, alone and among others. */
START_TEST(every_lane_is_checked) {
    const smp_arch *arch = smp_arch_find("9.0");
    for (unsigned lane = 0; lane < SMP_LANES; lane++) {
        for (unsigned others = 0; others < 2; others++) {
            smp_access access = {.op = SMP_LD_SHARED, .width_bytes = 4};
            smp_counts counts;
            access.active_mask = others ? SMP_ALL_LANES : 1u << lane;
            access.offset_bytes[lane] = 6;
            ck_assert_int_eq(smp_access_check(arch, &access, NULL), SMP_E_MISALIGNED);
            ck_assert_int_eq(smp_predict(arch, &access, &counts), SMP_E_MISALIGNED);
            access.offset_bytes[lane] = 232448;
            ck_assert_int_eq(smp_access_check(arch, &access, NULL), SMP_E_RANGE);
            ck_assert_int_eq(smp_predict(arch, &access, &counts), SMP_E_RANGE);
        }
    }
}
END_TEST

/* A copy's global side is checked as well. */
START_TEST(copies_check_both_sides) {
    smp_access access = {.op = SMP_CP_ASYNC, .width_bytes = 16, .active_mask = 0x11};
    smp_error error;
    const smp_arch *arch = smp_arch_find("9.0");
    access.address_bytes[4] = 24;
    ck_assert_int_eq(smp_access_check(arch, &access, &error), SMP_E_MISALIGNED);
    ck_assert_int_eq(error.position, 4);
    access.address_bytes[4] = 32;
    access.address_bytes[5] = 24;
    ck_assert_int_eq(smp_access_check(arch, &access, &error), SMP_OK);
    access.offset_bytes[4] = 8;
    ck_assert_int_eq(smp_access_check(arch, &access, &error), SMP_E_MISALIGNED);
}
END_TEST

/* ---- Not modelled ---- */

typedef struct open_row {
    const char *arch;
    smp_op op;
    unsigned width_bytes;
} open_row;

static const open_row open_rows[] = {
    {"1.2", SMP_ATOM_SHARED, 4},     {"2.0", SMP_ATOM_SHARED, 4}, {"3.5", SMP_ATOM_SHARED, 8},
    {"3.7", SMP_ATOM_SHARED_CAS, 4}, {"3.0", SMP_RED_SHARED, 4},  {"9.0", SMP_RED_SHARED, 8},
    {"12.0", SMP_CP_ASYNC, 16},      {"8.0", SMP_CP_ASYNC, 16},   {"2.0", SMP_RED_GLOBAL, 8},
    {"1.1", SMP_RED_GLOBAL, 4},
};

START_TEST(open_rules_give_no_number) {
    const open_row *row = &open_rows[_i];
    smp_access access = {
        .op = row->op, .width_bytes = row->width_bytes, .active_mask = SMP_ALL_LANES};
    smp_counts counts;
    const char *name = smp_ops(NULL)[row->op].name;
    smp_status status = smp_predict(smp_arch_find(row->arch), &access, &counts);
    ck_assert_msg(status == SMP_E_NOT_MODELLED, "%s on %s: %s", name, row->arch,
                  smp_status_name(status));
    ck_assert_msg(counts.valid == 0, "%s on %s: valid", name, row->arch);
    ck_assert_msg(counts.evidence == SMP_OPEN, "%s on %s: evidence", name, row->arch);
    ck_assert_msg(counts.note && *counts.note, "%s on %s: note", name, row->arch);
    ck_assert_msg(counts.active_lanes == SMP_LANES, "%s on %s: lanes", name, row->arch);
    ck_assert_int_eq(smp_access_check(smp_arch_find(row->arch), &access, NULL), SMP_OK);
}
END_TEST

/* PTX leaves a matrix operation of part of a warp undefined. */
START_TEST(partial_matrix_warps_give_no_number) {
    smp_access access = {.op = SMP_LDMATRIX_X2, .width_bytes = 16, .active_mask = 0x8000};
    smp_counts counts;
    ck_assert_int_eq(smp_access_check(smp_arch_find("9.0"), &access, NULL), SMP_OK);
    ck_assert_int_eq(smp_predict(smp_arch_find("9.0"), &access, &counts), SMP_E_NOT_MODELLED);
    ck_assert_uint_eq(counts.valid, 0);
    ck_assert_int_eq(counts.evidence, SMP_OPEN);
    ck_assert_ptr_nonnull(counts.note);
    ck_assert_uint_eq(counts.active_lanes, 1);
}
END_TEST

/* Atomics more than 32 GiB apart, where the tag hash is not known: bounds, and no number. */
START_TEST(atomics_far_apart_give_bounds) {
    smp_access access = {.op = SMP_RED_GLOBAL, .width_bytes = 4, .active_mask = SMP_ALL_LANES};
    smp_counts counts;
    ck_assert_uint_eq(offset_text_read("496+4*32", &access), SMP_LANES);
    ck_assert_int_eq(smp_predict(smp_arch_find("9.0"), &access, &counts), SMP_OK);
    ck_assert_uint_eq(counts.transactions, 5);
    access.address_bytes[31] += UINT64_C(1) << 35;
    ck_assert_int_eq(smp_predict(smp_arch_find("9.0"), &access, &counts), SMP_E_NOT_MODELLED);
    ck_assert_uint_eq(counts.valid, SMP_HAS_BOUNDS);
    ck_assert_uint_eq(counts.transactions_min, 6);
    ck_assert_uint_eq(counts.transactions_max, 32);
    ck_assert_int_eq(counts.evidence, SMP_OPEN);
    ck_assert_ptr_nonnull(counts.note);
}
END_TEST

START_TEST(evidence_is_that_of_the_row) {
    smp_counts counts;
    smp_access access = {.op = SMP_LD_SHARED, .width_bytes = 16, .active_mask = SMP_ALL_LANES};
    ck_assert_int_eq(smp_predict(smp_arch_find("9.0"), &access, &counts), SMP_OK);
    ck_assert_int_eq(counts.evidence, SMP_MEASURED);
    ck_assert_ptr_null(counts.note);
    ck_assert_int_eq(smp_predict(smp_arch_find("3.5"), &access, &counts), SMP_OK);
    ck_assert_int_eq(counts.evidence, SMP_ASSUMED);
    access.op = SMP_ATOM_SHARED;
    access.width_bytes = 4;
    ck_assert_int_eq(smp_predict(smp_arch_find("9.0"), &access, &counts), SMP_OK);
    ck_assert_int_eq(counts.evidence, SMP_MEASURED);
}
END_TEST

/* ---- Bank modes and messages ---- */

START_TEST(bank_modes_exist_on_kepler_only) {
    size_t count = 0;
    const smp_arch *archs = smp_archs(&count);
    for (size_t i = 0; i < count; i++) {
        smp_arch out = {.banks = 7};
        ck_assert_int_eq(smp_arch_with_bank_bytes(&archs[i], 4, &out), SMP_OK);
        ck_assert_uint_eq(out.bank_bytes, 4);
        ck_assert_str_eq(out.name, archs[i].name);
        out.banks = 7;
        smp_status wanted = archs[i].cc_major == 3 ? SMP_OK : SMP_E_BANK_MODE;
        ck_assert_int_eq(smp_arch_with_bank_bytes(&archs[i], 8, &out), wanted);
        ck_assert_uint_eq(out.banks, wanted == SMP_OK ? 32 : 7);
        ck_assert_int_eq(smp_arch_with_bank_bytes(&archs[i], 0, &out), SMP_E_BANK_MODE);
        ck_assert_int_eq(smp_arch_with_bank_bytes(&archs[i], 16, &out), SMP_E_BANK_MODE);
    }
}
END_TEST

START_TEST(bank_modes_can_be_set_back) {
    smp_arch eight, four;
    ck_assert_int_eq(smp_arch_with_bank_bytes(smp_arch_find("3.5"), 8, &eight), SMP_OK);
    ck_assert_uint_eq(eight.bank_bytes, 8);
    ck_assert_uint_eq(eight.bank_bytes_alt, 4);
    ck_assert_int_eq(smp_arch_with_bank_bytes(&eight, 4, &four), SMP_OK);
    ck_assert_uint_eq(four.bank_bytes, 4);
    ck_assert_uint_eq(four.bank_bytes_alt, 8);
    ck_assert_int_eq(smp_arch_with_bank_bytes(&four, 8, &four), SMP_OK);
    ck_assert_uint_eq(four.bank_bytes, 8);
    ck_assert_uint_eq(four.bank_bytes_alt, 4);
}
END_TEST

START_TEST(long_messages_are_cut) {
    smp_error error;
    char text[600];
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    ck_assert_int_eq(smp_error_set(&error, SMP_E_SYNTAX, 12, "%s", text), SMP_E_SYNTAX);
    ck_assert_int_eq(error.status, SMP_E_SYNTAX);
    ck_assert_int_eq(error.position, 12);
    ck_assert_uint_eq(strlen(error.message), sizeof error.message - 1);
    ck_assert_int_eq(smp_error_set(NULL, SMP_E_READ, 0, "%s", "nobody listens"), SMP_E_READ);
}
END_TEST

int main(void) {
    return SUITE("model_errors", TEST_EACH(check_says_what_is_wrong, ROWS),
                 TEST_EACH(predict_counts_nothing_after_an_error, ROWS),
                 TEST(every_lane_is_checked), TEST(copies_check_both_sides),
                 TEST_EACH(open_rules_give_no_number, COUNT_OF(open_rows)),
                 TEST(partial_matrix_warps_give_no_number), TEST(atomics_far_apart_give_bounds),
                 TEST(evidence_is_that_of_the_row), TEST(bank_modes_exist_on_kepler_only),
                 TEST(bank_modes_can_be_set_back), TEST(long_messages_are_cut));
}
