/* SPDX-License-Identifier: MIT */
/*
 * A profile beside an export of Nsight Compute: sums per kernel, and each
 * way in which the two can agree or differ.
 */
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profile_verify.h"
#include "suite.h"

#define LD "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"
#define ST "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum"
#define RED "l1tex__t_sectors_pipe_lsu_mem_global_op_red.sum"
#define ATOM "l1tex__t_sectors_pipe_lsu_mem_global_op_atom.sum"

static char *copy(const char *text) {
    char *out = malloc(strlen(text) + 1);
    return strcpy(out, text);
}

static void add_site(smp_kernel_profile *kernel, smp_op op, const char *opcode, uint64_t cost) {
    smp_profile_site *site = smp_kernel_add_site(kernel);
    site->op = op;
    site->space = smp_ops(NULL)[op].space;
    site->opcode = copy(opcode);
    if (smp_space_has_banks(site->space))
        site->wavefronts = cost;
    else
        site->sectors = cost;
}

static smp_kernel_profile *add_kernel(smp_profile *profile, const char *name, uint64_t launches) {
    smp_kernel_profile *kernel = smp_profile_add_kernel(profile);
    kernel->name = copy(name);
    kernel->launches = launches;
    return kernel;
}

static const smp_verified *row_of(const smp_verification *in, const char *kernel,
                                  const char *what) {
    for (uint32_t i = 0; i < in->row_count; i++) {
        if (strcmp(in->rows[i].kernel->name, kernel) == 0 && strcmp(in->rows[i].what, what) == 0)
            return &in->rows[i];
    }
    ck_abort_msg("%s of %s is not there", what, kernel);
    return NULL;
}

static void ck_assert_row(const smp_verification *in, const char *kernel, const char *what,
                          uint64_t predicted, uint64_t counted, smp_agreement agreement) {
    const smp_verified *row = row_of(in, kernel, what);
    ck_assert_uint_eq(row->predicted, predicted);
    ck_assert_uint_eq(row->counted, counted);
    ck_assert_msg(row->agreement == agreement, "%s: %d", what, row->agreement);
}

/* ncu compares the expression with the whole number of a launch. */
START_TEST(the_first_launches_have_an_expression) {
    static const unsigned most[] = {1,  2,   9,   10,  12,   19,    20,
                                    99, 100, 101, 209, 1000, 54321, 999999};
    for (size_t i = 0; i < sizeof most / sizeof most[0]; i++) {
        char text[512], whole[520], number[16];
        text_buffer out = TEXT_BUFFER(text);
        regex_t compiled;
        smp_verify_launches(most[i], &out);
        ck_assert_int_eq(strncmp(text, ":::", 3), 0);
        (void)snprintf(whole, sizeof whole, "^(%s)$", text + 3);
        ck_assert_int_eq(regcomp(&compiled, whole, REG_EXTENDED | REG_NOSUB), 0);
        for (unsigned n = 0; n <= 2 * most[i] + 100; n += n < 2000 ? 1 : 997) {
            (void)snprintf(number, sizeof number, "%u", n);
            ck_assert_msg((regexec(&compiled, number, 0, NULL, 0) == 0) == (n >= 1 && n <= most[i]),
                          "%u of the first %u: %s", n, most[i], text);
        }
        regfree(&compiled);
    }
}
END_TEST

START_TEST(sums_meet_counters) {
    char csv[] =
        "==PROF== Connected\n"
        "\"ID\",\"Process ID\",\"Kernel Name\",\"" LD "\",\"" ST "\",\"" RED "\",\"" ATOM "\"\n"
        "\"\",\"\",\"\",\"\",\"\",\"sector\",\"sector\"\n"
        "\"0\",\"7\",\"_Za\",\"1,000\",\"105\",\"8\",\"4\"\n"
        "\"1\",\"7\",\"_Za\",\"1,000\",\"100\",\"8\",\"4\"\n"
        "\"2\",\"7\",\"_Zb\",\"9\",\"50\",\"0\",\"0\"\n"
        "\"3\",\"7\",\"_Zc\",\"9\",\"0\",\"0\",\"0\"\n";
    smp_profile profile = {0};
    smp_verification found;
    smp_error error;
    smp_kernel_profile *a = add_kernel(&profile, "_Za", 2);
    add_site(a, SMP_LD_SHARED, "LDS", 1500);
    add_site(a, SMP_LDMATRIX_X4, "LDSM.16.M88.4", 500);
    add_site(a, SMP_ST_SHARED, "STS", 200);
    add_site(a, SMP_RED_GLOBAL, "REDG.E.ADD", 16);
    add_site(a, SMP_RED_GLOBAL, "ATOMG.E.ADD", 8);
    smp_kernel_profile *b = add_kernel(&profile, "_Zb", 1);
    add_site(b, SMP_LD_SHARED, "LDS", 8);
    add_site(b, SMP_ST_SHARED, "STS", 20);
    add_site(b, SMP_ST_SHARED, "ST", 0);
    b->sites[2].not_modelled = copy("no rule");
    add_site(add_kernel(&profile, "_Zc", 2), SMP_LD_SHARED, "LDS", 18);
    (void)add_kernel(&profile, "_Zd", 1);
    ck_assert_int_eq(smp_profile_verify(&profile, csv, sizeof csv - 1, &found, &error), SMP_OK);
    ck_assert_row(&found, "_Za", "shared loads", 2000, 2000, SMP_AGREES);
    ck_assert_row(&found, "_Za", "shared stores", 200, 205, SMP_ABOVE);
    ck_assert_row(&found, "_Za", "global reductions", 16, 16, SMP_AGREES);
    ck_assert_row(&found, "_Za", "global atomics", 8, 8, SMP_AGREES);
    ck_assert_row(&found, "_Zb", "shared stores", 20, 50, SMP_INCOMPLETE);
    ck_assert_row(&found, "_Zc", "shared loads", 18, 9, SMP_OTHER_RUN);
    ck_assert_uint_eq(found.kernels_not_counted, 1);
    ck_assert_uint_eq(found.count[SMP_AGREES], 3);
    smp_verification_clear(&found);
    smp_profile_clear(&profile);
}
END_TEST

START_TEST(a_lower_counter_is_no_arbitration) {
    char csv[] = "\"ID\",\"Kernel Name\",\"" LD "\"\n\"0\",\"_Za\",\"99\"\n";
    smp_profile profile = {0};
    smp_verification found;
    smp_error error;
    add_site(add_kernel(&profile, "_Za", 1), SMP_LD_SHARED, "LDS", 100);
    ck_assert_int_eq(smp_profile_verify(&profile, csv, sizeof csv - 1, &found, &error), SMP_OK);
    ck_assert_row(&found, "_Za", "shared loads", 100, 99, SMP_DIFFERS);
    smp_verification_clear(&found);
    smp_profile_clear(&profile);
}
END_TEST

/* All counts matter: equal in one of three, the largest, another number of launches. */
START_TEST(counts_are_joined) {
    static const char *const counts[3][4] = {
        {"100", "52", "9", "7"}, {"104", "54", "8", "7"}, {"101", "56", "8", "7"}};
    smp_profile profile = {0};
    smp_verification found, again;
    smp_error error;
    char csv[600], words[200];
    smp_kernel_profile *kernel = add_kernel(&profile, "_Za", 1);
    add_site(kernel, SMP_LD_SHARED, "LDS", 100);
    add_site(kernel, SMP_ST_SHARED, "STS", 50);
    add_site(kernel, SMP_RED_GLOBAL, "REDG.E.ADD", 8);
    add_site(kernel, SMP_RED_GLOBAL, "ATOMG.E.ADD", 7);
    for (int i = 0; i < 3; i++) {
        int length = snprintf(csv, sizeof csv,
                              "\"ID\",\"Kernel Name\",\"" LD "\",\"" ST "\",\"" RED "\",\"" ATOM
                              "\"\n\"0\",\"_Za\",\"%s\",\"%s\",\"%s\",\"%s\"\n",
                              counts[i][0], counts[i][1], counts[i][2], counts[i][3]);
        ck_assert_int_lt(length, (int)sizeof csv);
        ck_assert_int_eq(
            smp_profile_verify(&profile, csv, (size_t)length, i == 0 ? &found : &again, &error),
            SMP_OK);
        if (i == 0) {
            ck_assert(smp_verification_is_open(&found));
            ck_assert_row(&found, "_Za", "shared loads", 100, 100, SMP_AGREES);
        } else {
            smp_verification_join(&found, &again);
            smp_verification_clear(&again);
        }
    }
    ck_assert_row(&found, "_Za", "shared loads", 100, 100, SMP_ABOVE);
    ck_assert_row(&found, "_Za", "shared stores", 50, 52, SMP_ABOVE);
    ck_assert_row(&found, "_Za", "global reductions", 8, 8, SMP_DIFFERS);
    ck_assert_row(&found, "_Za", "global atomics", 7, 7, SMP_AGREES);
    ck_assert_uint_eq(found.count[SMP_ABOVE], 2);
    ck_assert_uint_eq(found.count[SMP_AGREES], 1);
    smp_verified_words(row_of(&found, "_Za", "shared loads"), words, sizeof words);
    ck_assert_ptr_nonnull(strstr(words, "equal in 1 of 3 counts, up to 4.00 % above"));
    smp_verified_words(row_of(&found, "_Za", "shared stores"), words, sizeof words);
    ck_assert_ptr_nonnull(strstr(words, "4.00 to 12.00 % above in 3 counts"));
    smp_verified_words(row_of(&found, "_Za", "global reductions"), words, sizeof words);
    ck_assert_str_eq(words, "differs by +0.00 to +12.50 % in 3 counts");
    smp_verification_clear(&found);
    smp_profile_clear(&profile);
}
END_TEST

/* Stores far above the prediction, by an amount that varies. */
START_TEST(what_varies_is_named) {
    static const char *const counts[3] = {"62", "64", "63"};
    smp_profile profile = {0};
    smp_verification found, again;
    smp_error error;
    char csv[200], words[200];
    add_site(add_kernel(&profile, "_Za", 1), SMP_ST_SHARED, "STS", 50);
    for (int i = 0; i < 3; i++) {
        int length =
            snprintf(csv, sizeof csv, "\"ID\",\"Kernel Name\",\"" ST "\"\n\"0\",\"_Za\",\"%s\"\n",
                     counts[i]);
        ck_assert_int_eq(
            smp_profile_verify(&profile, csv, (size_t)length, i == 0 ? &found : &again, &error),
            SMP_OK);
        if (i > 0) {
            smp_verification_join(&found, &again);
            smp_verification_clear(&again);
        }
    }
    ck_assert_row(&found, "_Za", "shared stores", 50, 62, SMP_DIFFERS);
    smp_verified_words(row_of(&found, "_Za", "shared stores"), words, sizeof words);
    ck_assert_str_eq(words, "differs by +24.00 to +28.00 % in 3 counts: what varies are passes "
                            "lost, in arbitration or to lines that arrive in L1");
    smp_verification_clear(&found);
    smp_profile_clear(&profile);
}
END_TEST

/* Where a kernel has atomics in other blocks, the counters add those to its own; a run that looked
 * at one memory is not compared with counters of another. */
START_TEST(what_is_counted_with_others_is_not_compared) {
    char csv[] =
        "\"ID\",\"Kernel Name\",\"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_atom.sum\","
        "\"l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum\"\n\"0\",\"_Za\",\"150\",\"9\"\n";
    smp_profile profile = {0};
    smp_verification found;
    smp_error error;
    smp_kernel_profile *kernel = add_kernel(&profile, "_Za", 1);
    add_site(kernel, SMP_ATOM_SHARED, "ATOM", 100);
    add_site(kernel, SMP_ATOM_CLUSTER, "ATOM", 20);
    smp_profile_add_run(&profile)->memory = copy("shared");
    ck_assert_int_eq(smp_profile_verify(&profile, csv, sizeof csv - 1, &found, &error), SMP_OK);
    ck_assert_row(&found, "_Za", "shared atomics", 100, 150, SMP_INCOMPLETE);
    ck_assert_uint_eq(found.row_count, 1);
    smp_verification_clear(&found);
    smp_profile_clear(&profile);
}
END_TEST

/* Copies that only write zeros read nothing; for copies of 16 bytes, sectors may be known or not,
 * and after other copies they fetch less; spills to local memory are in the counter but were not
 * seen. */
START_TEST(what_was_not_seen_is_not_compared) {
    char csv[] = "\"ID\",\"Kernel Name\",\"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum\","
                 "\"l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum\"\n\"0\",\"_Za\",\"150\",\"9\"\n"
                 "\"1\",\"_Zb\",\"150\",\"0\"\n\"2\",\"_Zc\",\"150\",\"0\"\n"
                 "\"3\",\"_Zd\",\"80\",\"0\"\n\"4\",\"_Ze\",\"80\",\"0\"\n";
    smp_profile profile = {0};
    smp_verification found;
    smp_error error;
    smp_kernel_profile *kernel = add_kernel(&profile, "_Za", 1);
    add_site(kernel, SMP_LD_GLOBAL, "LDG.E", 100);
    add_site(kernel, SMP_LD_GLOBAL, "LDGSTS.E", 0);
    kernel->sites[1].space = SMP_SPACE_COPY;
    kernel->sites[1].op = SMP_OP_COUNT;
    kernel->sites[1].not_modelled = copy("a copy that only writes zeros: no rule");
    add_site(kernel, SMP_LD_GLOBAL, "LDL", 0);
    kernel->sites[2].is_local = true;
    kernel->sites[2].op = SMP_OP_COUNT;
    kernel->sites[2].not_modelled = copy("no patch saw it");
    add_site(kernel, SMP_LD_GLOBAL, "LDC", 0);
    kernel->sites[3].op = SMP_OP_COUNT;
    kernel->sites[3].not_modelled = copy("constants by lane");
    kernel = add_kernel(&profile, "_Zb", 1);
    add_site(kernel, SMP_CP_ASYNC, "LDGSTS.E.128", 0);
    kernel->sites[0].not_modelled = copy("no rule");
    kernel = add_kernel(&profile, "_Zc", 1);
    add_site(kernel, SMP_LD_GLOBAL, "LDG.E", 100);
    add_site(kernel, SMP_CP_ASYNC, "LDGSTS.E.BYPASS.128", 0);
    kernel->sites[1].not_modelled = copy("no rule of its shared side");
    kernel->sites[1].sectors = 50;
    for (unsigned i = 0; i < 2; i++) { /* after other copies, copies that bypass L1 fetch less */
        kernel = add_kernel(&profile, i == 0 ? "_Zd" : "_Ze", 1);
        add_site(kernel, SMP_CP_ASYNC, i == 0 ? "LDGSTS.E.BYPASS.128" : "LDGSTS.E.64", 0);
        kernel->sites[0].sectors = 100;
    }
    ck_assert_int_eq(smp_profile_verify(&profile, csv, sizeof csv - 1, &found, &error), SMP_OK);
    ck_assert_row(&found, "_Zc", "global loads", 150, 150, SMP_AGREES);
    ck_assert_row(&found, "_Za", "global loads", 100, 150, SMP_DIFFERS);
    ck_assert_row(&found, "_Za", "local loads", 0, 9, SMP_INCOMPLETE);
    ck_assert_row(&found, "_Zb", "global loads", 0, 150, SMP_INCOMPLETE);
    ck_assert_row(&found, "_Zd", "global loads", 100, 80, SMP_INCOMPLETE);
    ck_assert_row(&found, "_Ze", "global loads", 100, 80, SMP_DIFFERS);
    smp_verification_clear(&found);
    smp_profile_clear(&profile);
}
END_TEST

/* Counters of one of two kernels with a name, and loops that run until no other warp interferes. */
START_TEST(what_varies_is_not_compared) {
    char csv[] = "\"ID\",\"Kernel Name\",\"" LD "\"\n\"0\",\"_Za\",\"992\"\n"
                 "\"1\",\"_Zb\",\"80\"\n\"2\",\"_Zc\",\"80\"\n";
    smp_profile profile = {0};
    smp_verification found;
    smp_error error;
    add_site(add_kernel(&profile, "_Za", 1), SMP_LD_SHARED, "LDS", 992);
    add_site(add_kernel(&profile, "_Za", 1), SMP_LD_SHARED, "LDS", 24);
    add_site(add_kernel(&profile, "_Zb", 1), SMP_LD_SHARED, "LDS", 100);
    add_site(&profile.kernels[2], SMP_ATOM_SHARED_CAS, "ATOMS.CAST.SPIN.64", 10);
    add_site(add_kernel(&profile, "_Zc", 1), SMP_LD_SHARED, "LDS", 100);
    add_site(&profile.kernels[3], SMP_ATOM_SHARED_CAS, "ATOMS.CAS", 10);
    ck_assert_int_eq(smp_profile_verify(&profile, csv, sizeof csv - 1, &found, &error), SMP_OK);
    ck_assert_uint_eq(found.row_count, 4);
    ck_assert_int_eq(found.rows[0].agreement, SMP_AGREES);
    ck_assert_int_eq(found.rows[1].agreement, SMP_INCOMPLETE);
    ck_assert_row(&found, "_Zb", "shared loads", 100, 80, SMP_INCOMPLETE);
    ck_assert_row(&found, "_Zc", "shared loads", 100, 80, SMP_DIFFERS);
    smp_verification_clear(&found);
    smp_profile_clear(&profile);
}
END_TEST

START_TEST(no_table_is_an_error) {
    char csv[] = "==ERROR== the user has no permission\n";
    const smp_profile profile = {0};
    smp_verification found;
    smp_error error;
    ck_assert_int_eq(smp_profile_verify(&profile, csv, sizeof csv - 1, &found, &error),
                     SMP_E_SYNTAX);
    smp_verification_clear(&found);
}
END_TEST

int main(void) {
    return SUITE("profile_verify", TEST(sums_meet_counters),
                 TEST(a_lower_counter_is_no_arbitration), TEST(counts_are_joined),
                 TEST(what_varies_is_named), TEST(what_is_counted_with_others_is_not_compared),
                 TEST(what_was_not_seen_is_not_compared), TEST(what_varies_is_not_compared),
                 TEST(no_table_is_an_error), TEST(the_first_launches_have_an_expression));
}
