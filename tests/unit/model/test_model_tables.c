/* SPDX-License-Identifier: MIT */
/*
 * The rows of the model. Each is complete, unique, cited and found by each of
 * its names; the numbers are those of the documents.
 */
#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "smp_model.h"
#include "suite.h"

/* ---- Architectures: what the documents say ---- */

typedef struct arch_fact {
    int major, minor;
    const char *family;
    unsigned banks, request_lanes, sm_kib, block_kib, static_kib;
    smp_generation generation;
    smp_global_rule global_rule;
    unsigned threads, blocks, registers_kilo, unit_bytes, reserved_bytes, period_bytes;
} arch_fact;

/* clang-format off */
static const arch_fact facts[] = {
    { 1, 0, "tesla",     16, 16,  16,  16, 16, SMP_TESLA,     SMP_GLOBAL_STRICT,   768,  8,   8, 512,    0,  64},
    { 1, 1, "tesla",     16, 16,  16,  16, 16, SMP_TESLA,     SMP_GLOBAL_STRICT,   768,  8,   8, 512,    0,  64},
    { 1, 2, "tesla",     16, 16,  16,  16, 16, SMP_TESLA,     SMP_GLOBAL_SEGMENTS, 1024,  8,  16, 512,    0,  64},
    { 1, 3, "tesla",     16, 16,  16,  16, 16, SMP_TESLA,     SMP_GLOBAL_SEGMENTS, 1024,  8,  16, 512,    0,  64},
    { 2, 0, "fermi",     32, 32,  48,  48, 48, SMP_FERMI,     SMP_GLOBAL_LINES,    1536,  8,  32, 128,    0, 128},
    { 2, 1, "fermi",     32, 32,  48,  48, 48, SMP_FERMI,     SMP_GLOBAL_LINES,    1536,  8,  32, 128,    0, 128},
    { 3, 0, "kepler",    32, 32,  48,  48, 48, SMP_KEPLER,    SMP_GLOBAL_SECTORS,  2048, 16,  64, 256,    0, 256},
    { 3, 2, "kepler",    32, 32,  48,  48, 48, SMP_KEPLER,    SMP_GLOBAL_SECTORS,  2048, 16,  64, 256,    0, 256},
    { 3, 5, "kepler",    32, 32,  48,  48, 48, SMP_KEPLER,    SMP_GLOBAL_SECTORS,  2048, 16,  64, 256,    0, 256},
    { 3, 7, "kepler",    32, 32, 112,  48, 48, SMP_KEPLER,    SMP_GLOBAL_SECTORS,  2048, 16, 128, 256,    0, 256},
    { 5, 0, "maxwell",   32, 32,  64,  48, 48, SMP_MAXWELL,   SMP_GLOBAL_SECTORS,  2048, 32,  64, 256,    0, 128},
    { 5, 2, "maxwell",   32, 32,  96,  48, 48, SMP_MAXWELL,   SMP_GLOBAL_SECTORS,  2048, 32,  64, 256,    0, 128},
    { 5, 3, "maxwell",   32, 32,  64,  48, 48, SMP_MAXWELL,   SMP_GLOBAL_SECTORS,  2048, 32,  64, 256,    0, 128},
    { 6, 0, "pascal",    32, 32,  64,  48, 48, SMP_PASCAL,    SMP_GLOBAL_SECTORS,  2048, 32,  64, 256,    0, 128},
    { 6, 1, "pascal",    32, 32,  96,  48, 48, SMP_PASCAL,    SMP_GLOBAL_SECTORS,  2048, 32,  64, 256,    0, 128},
    { 6, 2, "pascal",    32, 32,  64,  48, 48, SMP_PASCAL,    SMP_GLOBAL_SECTORS,  2048, 32,  64, 256,    0, 128},
    { 7, 0, "volta",     32, 32,  96,  96, 48, SMP_VOLTA,     SMP_GLOBAL_SECTORS,  2048, 32,  64, 256,    0, 128},
    { 7, 2, "volta",     32, 32,  96,  96, 48, SMP_VOLTA,     SMP_GLOBAL_SECTORS,  2048, 32,  64, 256,    0, 128},
    { 7, 5, "turing",    32, 32,  64,  64, 48, SMP_TURING,    SMP_GLOBAL_SECTORS,  1024, 16,  64, 256,    0, 128},
    { 8, 0, "ampere",    32, 32, 164, 163, 48, SMP_AMPERE,    SMP_GLOBAL_SECTORS,  2048, 32,  64, 128, 1024, 128},
    { 8, 6, "ampere",    32, 32, 100,  99, 48, SMP_AMPERE,    SMP_GLOBAL_SECTORS,  1536, 16,  64, 128, 1024, 128},
    { 8, 7, "ampere",    32, 32, 164, 163, 48, SMP_AMPERE,    SMP_GLOBAL_SECTORS,  1536, 16,  64, 128, 1024, 128},
    { 8, 8, "ampere",    32, 32, 100,  99, 48, SMP_AMPERE,    SMP_GLOBAL_SECTORS,  1536, 16,  64, 128, 1024, 128},
    { 8, 9, "ada",       32, 32, 100,  99, 48, SMP_ADA,       SMP_GLOBAL_SECTORS,  1536, 24,  64, 128, 1024, 128},
    { 9, 0, "hopper",    32, 32, 228, 227, 48, SMP_HOPPER,    SMP_GLOBAL_SECTORS,  2048, 32,  64, 128, 1024, 128},
    {10, 0, "blackwell", 32, 32, 228, 227, 48, SMP_BLACKWELL, SMP_GLOBAL_SECTORS,  2048, 32,  64, 128, 1024, 128},
    {10, 3, "blackwell", 32, 32, 228, 227, 48, SMP_BLACKWELL, SMP_GLOBAL_SECTORS,  2048, 32,  64, 128, 1024, 128},
    {11, 0, "blackwell", 32, 32, 228, 227, 48, SMP_BLACKWELL, SMP_GLOBAL_SECTORS,  1536, 24,  64, 128, 1024, 128},
    {12, 0, "blackwell", 32, 32, 100,  99, 48, SMP_BLACKWELL, SMP_GLOBAL_SECTORS,  1536, 24,  64, 128, 1024, 128},
    {12, 1, "blackwell", 32, 32, 100,  99, 48, SMP_BLACKWELL, SMP_GLOBAL_SECTORS,  1536, 24,  64, 128, 1024, 128},
};
/* clang-format on */

enum { FACTS = sizeof facts / sizeof facts[0] };

START_TEST(arch_row_states_the_facts) {
    const arch_fact *fact = &facts[_i];
    const smp_arch *row = smp_arch_of_cc(fact->major, fact->minor);
    char name[16];
    snprintf(name, sizeof name, "%d.%d", fact->major, fact->minor);
    ck_assert_msg(row, "no row for %s", name);
    ck_assert_msg(row->generation == fact->generation, "%s: generation", name);
    ck_assert_msg(strcasecmp(row->family, fact->family) == 0, "%s: family", name);
    ck_assert_msg(row->banks == fact->banks, "%s: banks %u", name, row->banks);
    ck_assert_msg(row->request_lanes == fact->request_lanes, "%s: request lanes", name);
    ck_assert_msg(row->shared_sm_kib == fact->sm_kib, "%s: KiB a SM %u", name, row->shared_sm_kib);
    ck_assert_msg(row->shared_block_kib == fact->block_kib, "%s: KiB a block", name);
    ck_assert_msg(row->shared_static_kib == fact->static_kib, "%s: KiB without opt-in", name);
    ck_assert_msg(row->global_rule == fact->global_rule, "%s: global rule", name);
    ck_assert_msg(row->sm_threads == fact->threads, "%s: threads a SM", name);
    ck_assert_msg(row->sm_blocks == fact->blocks, "%s: blocks a SM", name);
    ck_assert_msg(row->sm_registers == 1024 * fact->registers_kilo, "%s: registers a SM", name);
    ck_assert_msg(row->register_unit == (fact->major < 3 ? 0 : 256), "%s: register unit", name);
    ck_assert_msg(row->shared_unit_bytes == fact->unit_bytes, "%s: unit", name);
    ck_assert_msg(row->shared_reserved_bytes == fact->reserved_bytes, "%s: reserved", name);
    ck_assert_msg(row->shared_rule->period_bytes == fact->period_bytes, "%s: period", name);
    ck_assert_msg(row->evidence == SMP_DOCUMENTED || row->evidence == SMP_MEASURED, "%s: evidence",
                  name);
}
END_TEST

START_TEST(every_arch_has_facts) {
    size_t count = 0;
    const smp_arch *rows = smp_archs(&count);
    ck_assert_uint_eq(count, FACTS);
    for (size_t i = 0; i < count; i++) {
        ck_assert_int_eq(rows[i].cc_major, facts[i].major);
        ck_assert_int_eq(rows[i].cc_minor, facts[i].minor);
    }
}
END_TEST

static bool ends_with_number(const char *list, unsigned number) {
    const char *last = strrchr(list, ' ');
    char text[16];
    snprintf(text, sizeof text, "%u", number);
    return strcmp(last ? last + 1 : list, text) == 0;
}

START_TEST(every_arch_is_complete_and_cited) {
    size_t count = 0;
    const smp_arch *rows = smp_archs(&count);
    for (size_t i = 0; i < count; i++) {
        const smp_arch *row = &rows[i];
        ck_assert_ptr_nonnull(row->name);
        const bool is_named = strcmp(row->name, "sm_88") != 0; /* of which NVIDIA names none */
        ck_assert_msg(row->chips && !*row->chips == !is_named, "%s: chips", row->name);
        ck_assert_msg(row->source && strlen(row->source) > 10, "%s: source", row->name);
        ck_assert_msg(row->shared_rule, "%s: rule", row->name);
        ck_assert_msg(row->bank_bytes == 4, "%s: bank bytes", row->name);
        unsigned other = row->generation == SMP_KEPLER ? 8 : 0;
        ck_assert_msg(row->bank_bytes_alt == other, "%s: other bank mode", row->name);
        ck_assert_msg(ends_with_number(row->carveouts_kib, row->shared_sm_kib), "%s: carve-outs",
                      row->name);
        for (size_t k = 0; k < i; k++)
            ck_assert_msg(strcmp(row->name, rows[k].name) != 0, "%s twice", row->name);
    }
}
END_TEST

/* ---- Architectures: names ---- */

typedef struct name_row {
    const char *name;
    int major, minor; /* 0.0: unknown */
} name_row;

static const name_row names[] = {
    {"sm_90", 9, 0},      {"SM_90", 9, 0},   {"9.0", 9, 0},     {"90", 9, 0},
    {"hopper", 9, 0},     {"Hopper", 9, 0},  {"HOPPER", 9, 0},  {"GH100", 9, 0},
    {"gh100", 9, 0},      {"h200", 9, 0},    {"H100", 9, 0},    {"sm_10", 1, 0},
    {"1.0", 1, 0},        {"10", 1, 0},      {"sm_100", 10, 0}, {"10.0", 10, 0},
    {"100", 10, 0},       {"sm_121", 12, 1}, {"12.1", 12, 1},   {"tesla", 1, 0},
    {"fermi", 2, 0},      {"kepler", 3, 0},  {"maxwell", 5, 0}, {"pascal", 6, 0},
    {"volta", 7, 0},      {"turing", 7, 5},  {"ampere", 8, 0},  {"ada", 8, 9},
    {"blackwell", 10, 0}, {"GK110", 3, 5},   {"gt200", 1, 3},   {"A100", 8, 0},
    {"GA100", 8, 0},      {"TU102", 7, 5},   {"", 0, 0},        {"sm_", 0, 0},
    {"sm_9", 0, 0},       {"sm_900", 0, 0},  {"9", 0, 0},       {"9.", 0, 0},
    {"9.00", 0, 0},       {"4.0", 0, 0},     {"hop", 0, 0},     {"hoppers", 0, 0},
    {"GH100 H100", 0, 0}, {"GH10", 0, 0},    {" ", 0, 0},       {"sm_90 ", 0, 0},
    {"-9.0", 0, 0},       {"all", 0, 0},     {"G", 0, 0},       {"200", 0, 0},
};

START_TEST(arch_is_found_by_name) {
    const name_row *row = &names[_i];
    const smp_arch *found = smp_arch_find(row->name);
    const smp_arch *wanted = row->major ? smp_arch_of_cc(row->major, row->minor) : NULL;
    ck_assert_msg(found == wanted, "'%s' finds %s", row->name, found ? found->name : "nothing");
}
END_TEST

static void expect_found(const smp_arch *row, const char *name) {
    char spelled[64] = "";
    for (size_t i = 0; name[i] != '\0' && i + 1 < sizeof spelled; i++)
        spelled[i] =
            (char)(i % 2 ? toupper((unsigned char)name[i]) : tolower((unsigned char)name[i]));
    ck_assert_msg(smp_arch_find(name) == row, "%s does not find %s", name, row->name);
    ck_assert_msg(smp_arch_find(spelled) == row, "%s does not find %s", spelled, row->name);
}

START_TEST(every_arch_answers_to_all_its_names) {
    size_t count = 0;
    const smp_arch *rows = smp_archs(&count);
    for (size_t i = 0; i < count; i++) {
        char text[256];
        expect_found(&rows[i], rows[i].name);
        snprintf(text, sizeof text, "%u.%u", rows[i].cc_major, rows[i].cc_minor);
        expect_found(&rows[i], text);
        snprintf(text, sizeof text, "%s", rows[i].chips);
        for (char *chip = strtok(text, " "); chip; chip = strtok(NULL, " "))
            expect_found(&rows[i], chip);
    }
}
END_TEST

START_TEST(unknown_compute_capabilities_are_not_guessed) {
    ck_assert_ptr_null(smp_arch_of_cc(4, 0));
    ck_assert_ptr_null(smp_arch_of_cc(9, 1));
    ck_assert_ptr_null(smp_arch_of_cc(13, 0));
    ck_assert_ptr_null(smp_arch_of_cc(-1, 0));
    ck_assert_ptr_null(smp_arch_of_cc(0, 0));
}
END_TEST

/* ---- Operations ---- */

typedef struct op_fact {
    const char *name;
    smp_op op;
    unsigned widths;  /* sum of the bytes a lane that exist */
    int major, minor; /* first compute capability */
    smp_space space;
} op_fact;

static const op_fact op_facts[] = {
    {"ld.shared", SMP_LD_SHARED, 31, 1, 0, SMP_SPACE_SHARED},
    {"st.shared", SMP_ST_SHARED, 31, 1, 0, SMP_SPACE_SHARED},
    {"atom.shared", SMP_ATOM_SHARED, 12, 1, 2, SMP_SPACE_SHARED},
    {"atom.shared.cas", SMP_ATOM_SHARED_CAS, 12, 1, 2, SMP_SPACE_SHARED},
    {"red.shared", SMP_RED_SHARED, 12, 1, 2, SMP_SPACE_SHARED},
    {"red.shared.inc", SMP_RED_SHARED_INC, 4, 8, 0, SMP_SPACE_SHARED},
    {"ldmatrix.x1", SMP_LDMATRIX_X1, 16, 7, 5, SMP_SPACE_SHARED},
    {"ldmatrix.x2", SMP_LDMATRIX_X2, 16, 7, 5, SMP_SPACE_SHARED},
    {"ldmatrix.x4", SMP_LDMATRIX_X4, 16, 7, 5, SMP_SPACE_SHARED},
    {"ldmatrix.x1.trans", SMP_LDMATRIX_X1_TRANS, 16, 7, 5, SMP_SPACE_SHARED},
    {"ldmatrix.x2.trans", SMP_LDMATRIX_X2_TRANS, 16, 7, 5, SMP_SPACE_SHARED},
    {"ldmatrix.x4.trans", SMP_LDMATRIX_X4_TRANS, 16, 7, 5, SMP_SPACE_SHARED},
    {"stmatrix.x1", SMP_STMATRIX_X1, 16, 9, 0, SMP_SPACE_SHARED},
    {"stmatrix.x2", SMP_STMATRIX_X2, 16, 9, 0, SMP_SPACE_SHARED},
    {"stmatrix.x4", SMP_STMATRIX_X4, 16, 9, 0, SMP_SPACE_SHARED},
    {"stmatrix.x1.trans", SMP_STMATRIX_X1_TRANS, 16, 9, 0, SMP_SPACE_SHARED},
    {"stmatrix.x2.trans", SMP_STMATRIX_X2_TRANS, 16, 9, 0, SMP_SPACE_SHARED},
    {"stmatrix.x4.trans", SMP_STMATRIX_X4_TRANS, 16, 9, 0, SMP_SPACE_SHARED},
    {"cp.async", SMP_CP_ASYNC, 28, 8, 0, SMP_SPACE_COPY},
    {"cp.async.ca", SMP_CP_ASYNC_CA, 16, 8, 0, SMP_SPACE_COPY},
    {"ld.global", SMP_LD_GLOBAL, 31, 1, 0, SMP_SPACE_GLOBAL},
    {"st.global", SMP_ST_GLOBAL, 31, 1, 0, SMP_SPACE_GLOBAL},
    {"red.global", SMP_RED_GLOBAL, 28, 1, 1, SMP_SPACE_GLOBAL},
    {"ld.shared::cluster", SMP_LD_CLUSTER, 31, 9, 0, SMP_SPACE_CLUSTER},
    {"st.shared::cluster", SMP_ST_CLUSTER, 31, 9, 0, SMP_SPACE_CLUSTER},
    {"atom.shared::cluster", SMP_ATOM_CLUSTER, 12, 9, 0, SMP_SPACE_CLUSTER},
};

enum { OP_FACTS = sizeof op_facts / sizeof op_facts[0] };

START_TEST(op_row_states_the_facts) {
    const op_fact *fact = &op_facts[_i];
    const smp_op_row *row = smp_op_find(fact->name);
    ck_assert_msg(row, "no %s", fact->name);
    ck_assert_msg(row->op == fact->op && row == &smp_ops(NULL)[fact->op], "%s: index", fact->name);
    ck_assert_msg(row->widths == fact->widths, "%s: widths %u", fact->name, row->widths);
    ck_assert_msg(row->space == fact->space, "%s: space", fact->name);
    ck_assert_msg(row->summary && *row->summary, "%s: summary", fact->name);
    ck_assert_msg(row->sass && *row->sass, "%s: machine instruction", fact->name);
    ck_assert_msg(row->source && strlen(row->source) > 5, "%s: source", fact->name);
    bool is_load = strncmp(fact->name, "ld", 2) == 0;
    bool is_atomic = strncmp(fact->name, "atom", 4) == 0 || strncmp(fact->name, "red", 3) == 0;
    ck_assert_msg(row->is_load == is_load, "%s: load", fact->name);
    const bool combines = fact->op == SMP_RED_SHARED_INC;
    ck_assert_msg(row->lanes_merge == (!is_atomic || combines), "%s: merge", fact->name);
    ck_assert_msg(row->passes == (fact->op == SMP_ATOM_SHARED_CAS ? 2 : 1), "%s: passes",
                  fact->name);
}
END_TEST

/* First on exactly the architecture that the documents name, and on all later ones. */
START_TEST(op_exists_from_its_first_architecture_on) {
    const op_fact *fact = &op_facts[_i];
    size_t count = 0;
    const smp_arch *rows = smp_archs(&count);
    for (size_t i = 0; i < count; i++) {
        bool exists = rows[i].cc_major > fact->major ||
                      (rows[i].cc_major == fact->major && rows[i].cc_minor >= fact->minor);
        unsigned narrowest = fact->widths & -fact->widths;
        bool found = smp_op_evidence(&rows[i], fact->op, narrowest) != SMP_ABSENT;
        ck_assert_msg(found == exists, "%s on %s", fact->name, rows[i].name);
        for (unsigned width = 0; width <= 32; width++)
            if (width == 0 || (width & (width - 1)) != 0 || !(fact->widths & width))
                ck_assert_msg(smp_op_evidence(&rows[i], fact->op, width) == SMP_ABSENT,
                              "%s of %u bytes on %s", fact->name, width, rows[i].name);
    }
}
END_TEST

START_TEST(every_op_has_facts) {
    size_t count = 0;
    smp_ops(&count);
    ck_assert_uint_eq(count, SMP_OP_COUNT);
    ck_assert_uint_eq(OP_FACTS, SMP_OP_COUNT);
}
END_TEST

START_TEST(ops_have_short_names) {
    ck_assert_ptr_eq(smp_op_find("ld"), smp_op_find("ld.shared"));
    ck_assert_ptr_eq(smp_op_find("st"), smp_op_find("st.shared"));
    ck_assert_ptr_eq(smp_op_find("atom"), smp_op_find("atom.shared"));
    ck_assert_ptr_eq(smp_op_find("red"), smp_op_find("red.shared"));
    ck_assert_ptr_eq(smp_op_find("cas"), smp_op_find("atom.shared.cas"));
    ck_assert_ptr_null(smp_op_find(""));
    ck_assert_ptr_null(smp_op_find("ld.share"));
    ck_assert_ptr_null(smp_op_find("ld.shared "));
    ck_assert_ptr_null(smp_op_find("ldmatrix"));
    ck_assert_ptr_null(smp_op_find("ldmatrix.x3"));
}
END_TEST

/* ---- Evidence ---- */

typedef struct evidence_row {
    const char *arch;
    smp_op op;
    unsigned width_bytes;
    char letter;
} evidence_row;

static const evidence_row evidence_rows[] = {
    {"1.0", SMP_LD_SHARED, 1, 'D'},       {"1.3", SMP_LD_SHARED, 16, 'D'},
    {"1.3", SMP_ST_SHARED, 4, 'D'},       {"1.0", SMP_ATOM_SHARED, 4, '-'},
    {"1.2", SMP_ATOM_SHARED, 4, '?'},     {"1.3", SMP_ATOM_SHARED, 8, '-'},
    {"2.0", SMP_LD_SHARED, 4, 'D'},       {"2.1", SMP_LD_SHARED, 8, 'D'},
    {"2.0", SMP_LD_SHARED, 16, 'D'},      {"2.0", SMP_ATOM_SHARED, 4, '?'},
    {"3.5", SMP_LD_SHARED, 4, 'D'},       {"3.5", SMP_LD_SHARED, 8, 'D'},
    {"3.5", SMP_LD_SHARED, 16, 'A'},      {"3.5", SMP_ST_SHARED, 16, 'A'},
    {"3.5", SMP_ATOM_SHARED, 4, '?'},     {"3.5", SMP_RED_SHARED, 4, '?'},
    {"5.0", SMP_LD_SHARED, 4, 'D'},       {"5.0", SMP_LD_SHARED, 8, 'A'},
    {"6.1", SMP_LD_SHARED, 16, 'A'},      {"7.0", SMP_LD_SHARED, 8, 'D'},
    {"7.5", SMP_LD_SHARED, 16, 'D'},      {"8.0", SMP_LD_SHARED, 8, 'P'},
    {"8.6", SMP_LD_SHARED, 16, 'P'},      {"8.9", SMP_LD_SHARED, 8, 'A'},
    {"9.0", SMP_LD_SHARED, 1, 'M'},       {"9.0", SMP_LD_SHARED, 8, 'M'},
    {"9.0", SMP_LD_SHARED, 16, 'M'},      {"9.0", SMP_ST_SHARED, 4, 'M'},
    {"9.0", SMP_ST_SHARED, 16, 'M'},      {"10.0", SMP_LD_SHARED, 4, 'D'},
    {"12.0", SMP_LD_SHARED, 16, 'A'},     {"12.1", SMP_ST_SHARED, 8, 'A'},
    {"8.0", SMP_ST_SHARED, 8, 'A'},       {"9.0", SMP_ATOM_SHARED, 4, 'M'},
    {"9.0", SMP_ATOM_SHARED, 8, 'M'},     {"8.0", SMP_ATOM_SHARED, 4, 'A'},
    {"9.0", SMP_ATOM_SHARED_CAS, 4, 'M'}, {"9.0", SMP_RED_SHARED, 4, 'M'},
    {"9.0", SMP_RED_SHARED, 8, '?'},      {"8.0", SMP_RED_SHARED, 8, '?'},
    {"9.0", SMP_LDMATRIX_X4, 16, 'M'},    {"7.5", SMP_LDMATRIX_X1, 16, 'A'},
    {"7.2", SMP_LDMATRIX_X1, 16, '-'},    {"9.0", SMP_STMATRIX_X2_TRANS, 16, 'M'},
    {"8.9", SMP_STMATRIX_X1, 16, '-'},    {"10.0", SMP_STMATRIX_X4, 16, 'A'},
    {"9.0", SMP_CP_ASYNC, 4, 'M'},        {"8.0", SMP_CP_ASYNC, 16, '?'},
    {"7.5", SMP_CP_ASYNC, 16, '-'},       {"9.0", SMP_CP_ASYNC, 2, '-'},
    {"1.0", SMP_LD_GLOBAL, 4, 'D'},       {"1.3", SMP_ST_GLOBAL, 16, 'D'},
    {"2.0", SMP_LD_GLOBAL, 8, 'D'},       {"9.0", SMP_LD_GLOBAL, 16, 'M'},
    {"9.0", SMP_ST_GLOBAL, 1, 'M'},       {"1.0", SMP_RED_GLOBAL, 4, '-'},
    {"1.1", SMP_RED_GLOBAL, 4, '?'},      {"9.0", SMP_LD_CLUSTER, 4, 'M'},
    {"9.0", SMP_ST_CLUSTER, 16, 'M'},     {"8.9", SMP_LD_CLUSTER, 4, '-'},
    {"9.0", SMP_ATOM_CLUSTER, 4, 'M'},    {"10.0", SMP_LD_CLUSTER, 4, 'A'},
};

/* Evidence from the documents, the recorded measurements and model/FINDINGS.md, by generation:
 * Tesla, Fermi, Kepler, Maxwell, Pascal, Volta, Turing, Ampere, Ada, Hopper, Blackwell; for up to
 * 4, for 8 and for 16 bytes per lane. */
#define NOWHERE "-----------"
#define MATRIX_LOADS NOWHERE, NOWHERE, "------AAAMA"
#define MATRIX_STORES NOWHERE, NOWHERE, "---------MA"

static const char *const evidence_strings[SMP_OP_COUNT][3] = {
    [SMP_LD_SHARED] = {"DDDDDDDDDMD", "DDDAPDDPAMA", "DDAAADDPAMA"},
    [SMP_ST_SHARED] = {"DDDDDDDDDMD", "DDDAAAAAAMA", "DDAAAAAAAMA"},
    [SMP_ATOM_SHARED] = {"???AAAAAAMA", "-??AAAAAAMA", NOWHERE},
    [SMP_ATOM_SHARED_CAS] = {"???AAAAAAMA", "-??AAAAAAMA", NOWHERE},
    [SMP_RED_SHARED] = {"???AAAAAAMA", "-??????????", NOWHERE},
    [SMP_RED_SHARED_INC] = {"-------AAMA", NOWHERE, NOWHERE},
    [SMP_LDMATRIX_X1] = {MATRIX_LOADS},
    [SMP_LDMATRIX_X2] = {MATRIX_LOADS},
    [SMP_LDMATRIX_X4] = {MATRIX_LOADS},
    [SMP_LDMATRIX_X1_TRANS] = {MATRIX_LOADS},
    [SMP_LDMATRIX_X2_TRANS] = {MATRIX_LOADS},
    [SMP_LDMATRIX_X4_TRANS] = {MATRIX_LOADS},
    [SMP_STMATRIX_X1] = {MATRIX_STORES},
    [SMP_STMATRIX_X2] = {MATRIX_STORES},
    [SMP_STMATRIX_X4] = {MATRIX_STORES},
    [SMP_STMATRIX_X1_TRANS] = {MATRIX_STORES},
    [SMP_STMATRIX_X2_TRANS] = {MATRIX_STORES},
    [SMP_STMATRIX_X4_TRANS] = {MATRIX_STORES},
    [SMP_CP_ASYNC] = {"-------AAMA", "-------AAMA", "-------??M?"},
    [SMP_CP_ASYNC_CA] = {"-----------", "-----------", "-------AAMA"},
    [SMP_LD_GLOBAL] = {"DDDDDDDDDMD", "DDDDDDDDDMD", "DDDDDDDDDMD"},
    [SMP_ST_GLOBAL] = {"DDDDDDDDDMD", "DDDDDDDDDMD", "DDDDDDDDDMD"},
    [SMP_RED_GLOBAL] = {"??AAAAAAAMA", "??AAAAAAAMA", "---------MA"},
    [SMP_LD_CLUSTER] = {"---------MA", "---------MA", "---------MA"},
    [SMP_ST_CLUSTER] = {"---------MA", "---------MA", "---------MA"},
    [SMP_ATOM_CLUSTER] = {"---------MA", "---------MA", NOWHERE},
};

START_TEST(every_evidence_letter_is_accounted_for) {
    const smp_op_row *row = &smp_ops(NULL)[_i];
    for (unsigned width_class = 0; width_class < 3; width_class++)
        ck_assert_msg(strcmp(row->evidence[width_class], evidence_strings[_i][width_class]) == 0,
                      "%s: \"%s\", expected \"%s\"", row->name, row->evidence[width_class],
                      evidence_strings[_i][width_class]);
}
END_TEST

START_TEST(evidence_is_what_the_documents_allow) {
    const evidence_row *row = &evidence_rows[_i];
    smp_evidence got = smp_op_evidence(smp_arch_find(row->arch), row->op, row->width_bytes);
    ck_assert_msg(smp_evidence_letter(got) == row->letter, "%s %u on %s: %c, expected %c",
                  smp_ops(NULL)[row->op].name, row->width_bytes, row->arch,
                  smp_evidence_letter(got), row->letter);
}
END_TEST

/* Only CC 9.0 was measured, and what was measured is never carried over. */
START_TEST(only_hopper_is_measured) {
    size_t count = 0;
    const smp_arch *rows = smp_archs(&count);
    for (size_t i = 0; i < count; i++)
        for (unsigned op = 0; op < SMP_OP_COUNT; op++)
            for (unsigned width = 1; width <= 16; width *= 2)
                if (smp_op_evidence(&rows[i], (smp_op)op, width) == SMP_MEASURED)
                    ck_assert_msg(rows[i].generation == SMP_HOPPER, "%s on %s is measured",
                                  smp_ops(NULL)[op].name, rows[i].name);
}
END_TEST

/* An operation that is open somewhere says why. */
START_TEST(open_operations_have_a_note) {
    size_t count = 0;
    const smp_arch *rows = smp_archs(&count);
    for (size_t i = 0; i < count; i++)
        for (unsigned op = 0; op < SMP_OP_COUNT; op++)
            for (unsigned width = 1; width <= 16; width *= 2)
                if (smp_op_evidence(&rows[i], (smp_op)op, width) == SMP_OPEN)
                    ck_assert_msg(smp_ops(NULL)[op].note && *smp_ops(NULL)[op].note, "%s on %s",
                                  smp_ops(NULL)[op].name, rows[i].name);
}
END_TEST

/* A caller's own row of a generation that no operation speaks of: nothing is guessed. */
START_TEST(a_generation_without_evidence_is_open) {
    smp_arch unknown = *smp_arch_find("12.1");
    unknown.generation = SMP_GENERATION_COUNT;
    ck_assert_int_eq(smp_op_evidence(&unknown, SMP_LD_SHARED, 4), SMP_OPEN);
    ck_assert_int_eq(smp_op_evidence(&unknown, SMP_LD_SHARED, 16), SMP_OPEN);
}
END_TEST

START_TEST(evidence_levels_have_names_and_letters) {
    static const char *const level_names[] = {"measured", "documented", "published",
                                              "assumed",  "open",       "absent"};
    static const char letters[] = "MDPA?-";
    ck_assert_int_eq(SMP_EVIDENCE_COUNT, 6);
    for (unsigned i = 0; i < SMP_EVIDENCE_COUNT; i++) {
        ck_assert_str_eq(smp_evidence_name((smp_evidence)i), level_names[i]);
        ck_assert_int_eq(smp_evidence_letter((smp_evidence)i), letters[i]);
    }
    ck_assert_str_eq(smp_evidence_name(SMP_EVIDENCE_COUNT), "open");
    ck_assert_str_eq(smp_evidence_name((smp_evidence)99), "open");
    ck_assert_int_eq(smp_evidence_letter((smp_evidence)99), '?');
}
END_TEST

/* ---- Status ---- */

START_TEST(statuses_have_names_messages_and_exit_statuses) {
    static const int allowed[] = {0, 2, 3, 4, 5, 77, 130};
    for (unsigned i = 0; i < SMP_STATUS_COUNT; i++) {
        const char *name = smp_status_name((smp_status)i);
        bool known = false;
        for (unsigned k = 0; k < sizeof allowed / sizeof allowed[0]; k++)
            known = known || smp_status_exit((smp_status)i) == allowed[k];
        ck_assert_msg(strncmp(name, "SMP_", 4) == 0, "%u: %s", i, name);
        ck_assert_msg(strlen(smp_status_message((smp_status)i)) > 3, "%s: message", name);
        ck_assert_msg(known, "%s: exit status", name);
    }
    ck_assert_str_eq(smp_status_name(SMP_OK), "SMP_OK");
    ck_assert_int_eq(smp_status_exit(SMP_OK), 0);
    ck_assert_str_eq(smp_status_name(SMP_E_WIDTH), "SMP_E_WIDTH");
    ck_assert_int_eq(smp_status_exit(SMP_E_WIDTH), 2);
    ck_assert_int_eq(smp_status_exit(SMP_E_SYNTAX), 3);
    ck_assert_int_eq(smp_status_exit(SMP_E_COUNTERS_LOCKED), 4);
    ck_assert_int_eq(smp_status_exit(SMP_E_CUDA), 5);
    ck_assert_int_eq(smp_status_exit(SMP_E_NO_GPU), 77);
    ck_assert_str_eq(smp_status_name(SMP_STATUS_COUNT), "SMP_E_INTERNAL");
    ck_assert_str_eq(smp_status_name((smp_status)9999), "SMP_E_INTERNAL");
    ck_assert_int_eq(smp_status_exit((smp_status)9999), 5);
}
END_TEST

START_TEST(messages_steer_no_terminal) {
    smp_error error;
    ck_assert_int_eq(smp_error_set(NULL, SMP_E_READ, 3, "nobody listens"), SMP_E_READ);
    ck_assert_int_eq(smp_error_set(&error, SMP_E_READ, 3, "%s",
                                   "a\033[2Jb\177c\xc2\x9b"
                                   "d\xc3\xa9"),
                     SMP_E_READ);
    ck_assert_int_eq(error.status, SMP_E_READ);
    ck_assert_int_eq(error.position, 3);
    ck_assert_str_eq(error.message, "a?[2Jb?c??d\xc3\xa9"); /* escape, delete, CSI; letters stay */
    (void)smp_error_set(&error, SMP_E_READ, -1, "%s", "\xc2z"); /* half a letter */
    ck_assert_str_eq(error.message, "\xc2z");
    (void)smp_error_set(&error, SMP_E_READ, -1, "%s", "\xc2\xa0");
    ck_assert_str_eq(error.message, "\xc2\xa0"); /* a blank that is no control */
    ck_assert_int_eq(smp_error_memory(&error), SMP_E_MEMORY);
    ck_assert_str_eq(error.message, "out of memory");
}
END_TEST

int main(void) {
    return SUITE(
        "model_tables", TEST_EACH(arch_row_states_the_facts, FACTS), TEST(every_arch_has_facts),
        TEST(every_arch_is_complete_and_cited), TEST_EACH(arch_is_found_by_name, COUNT_OF(names)),
        TEST(every_arch_answers_to_all_its_names),
        TEST(unknown_compute_capabilities_are_not_guessed),
        TEST_EACH(op_row_states_the_facts, OP_FACTS),
        TEST_EACH(op_exists_from_its_first_architecture_on, OP_FACTS), TEST(every_op_has_facts),
        TEST(ops_have_short_names),
        TEST_EACH(evidence_is_what_the_documents_allow, COUNT_OF(evidence_rows)),
        TEST_EACH(every_evidence_letter_is_accounted_for, SMP_OP_COUNT),
        TEST(only_hopper_is_measured), TEST(open_operations_have_a_note),
        TEST(a_generation_without_evidence_is_open), TEST(evidence_levels_have_names_and_letters),
        TEST(statuses_have_names_messages_and_exit_statuses), TEST(messages_steer_no_terminal));
}
