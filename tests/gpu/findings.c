/* SPDX-License-Identifier: MIT */
/*
 * The experiments behind model/FINDINGS.md. `findings FOLDER [RANDOM [NAME...]]` runs all, or those
 * named, on the first GPU and writes one CSV a question: designed patterns by name, then RANDOM
 * accesses, each with every counter that could tell something about it, the clocks, and what the
 * model predicts. From these files rules are fitted and checked offline.
 */
#include <stdlib.h>
#include <string.h>

#include "findings_patterns.h"
#include "gpu_extra.h"
#include "smp_probes.h"

#define WAVES "l1tex__data_pipe_lsu_wavefronts"
#define BANKS "l1tex__data_bank_conflicts_pipe_lsu"

/* ---- Which counters ---- */

static const char *const copy_metrics[] = {
    WAVES ".sum",
    WAVES "_mem_shared.sum",
    WAVES "_mem_shared_op_ld.sum",
    WAVES "_mem_shared_op_st.sum",
    WAVES "_mem_shared_op_misc.sum",
    WAVES "_mem_shared_cmd_read.sum",
    WAVES "_mem_shared_cmd_write.sum",
    WAVES "_mem_lgds.sum",
    WAVES "_mem_lgds_cmd_read.sum",
    WAVES "_mem_lgds_cmd_write.sum",
    BANKS ".sum",
    BANKS "_cmd_write.sum",
    BANKS "_mem_shared.sum",
    BANKS "_mem_shared_op_ldgsts.sum",
    BANKS "_mem_shared_op_misc.sum",
    "l1tex__t_sectors_pipe_lsu.sum",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_ldgsts_cache_access.sum",
    "l1tex__t_requests_pipe_lsu_mem_global_op_ldgsts_cache_access.sum",
    "l1tex__t_output_wavefronts_pipe_lsu.sum",
    "l1tex__t_output_wavefronts_pipe_lsu_mem_global_op_ldgsts_cache_access.sum",
    "l1tex__t_set_accesses_pipe_lsu_mem_global_op_ldgsts_cache_access.sum",
    "l1tex__m_xbar2l1tex_read_sectors_mem_global_op_ldgsts_cache_access.sum",
    "l1tex__m_xbar2l1tex_read_sectors_pipe_lsu.sum",
    "smsp__inst_executed_op_ldgsts.sum",
    NULL,
};

static const char *const cluster_metrics[] = {
    "l1tex__t_sectors_pipe_lsu_mem_dshared.sum",
    "l1tex__t_sectors_pipe_lsu_mem_dshared_op_ld.sum",
    "l1tex__t_sectors_pipe_lsu_mem_dshared_op_st.sum",
    "l1tex__t_sectors_pipe_lsu_mem_dshared_op_atom.sum",
    "l1tex__t_sectors_pipe_lsu_mem_dshared_op_redas.sum",
    "l1tex__t_requests_pipe_lsu_mem_dshared_op_atom.sum",
    "l1tex__t_output_wavefronts_pipe_lsu_mem_dshared.sum",
    "l1tex__t_set_accesses_pipe_lsu_mem_dshared.sum",
    "l1tex__m_l1tex2xbar_write_sectors_mem_dshared.sum",
    "l1tex__m_l1tex2xbar_write_bytes_mem_dshared.sum",
    "l1tex__m_xbar2l1tex_read_sectors_mem_dshared.sum",
    WAVES "_mem_shared.sum",
    WAVES "_mem_lgds.sum",
    NULL,
};

static const char *const atomic_metrics[] = {
    WAVES "_mem_shared_op_atom.sum",
    WAVES "_mem_shared_op_ld.sum",
    WAVES "_mem_shared_op_st.sum",
    WAVES "_mem_shared.sum",
    "smsp__inst_executed_op_shared_atom.sum",
    "smsp__inst_executed_op_shared_atom_dot_alu.sum",
    "smsp__inst_executed_op_shared_atom_dot_cas.sum",
    "smsp__inst_executed_op_shared_ld.sum",
    NULL,
};

static const char *const matrix_metrics[] = {
    WAVES "_mem_shared_op_ld.sum",
    WAVES "_mem_shared_op_st.sum",
    "smsp__inst_executed_op_ldsm.sum",
    "smsp__inst_executed_op_shared_stsm.sum",
    NULL,
};

static const char *const global_metrics[] = {
    "l1tex__t_sectors_pipe_lsu_mem_global_op_red.sum",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_atom.sum",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
    "l1tex__t_requests_pipe_lsu_mem_global_op_red.sum",
    "l1tex__t_output_wavefronts_pipe_lsu_mem_global_op_red.sum",
    "l1tex__t_set_accesses_pipe_lsu_mem_global_op_red.sum",
    "l1tex__m_l1tex2xbar_write_sectors_pipe_lsu.sum",
    NULL,
};

/* The tag stage alone. */
static const char *const tag_metrics[] = {
    "l1tex__t_output_wavefronts_pipe_lsu.sum",
    "l1tex__t_output_wavefronts_pipe_lsu_mem_global_op_red.sum",
    "l1tex__t_output_wavefronts_pipe_lsu_mem_dshared.sum",
    "l1tex__t_output_wavefronts_pipe_lsu_mem_global_op_ldgsts_cache_access.sum",
    "l1tex__t_sectors_pipe_lsu.sum",
    "l1tex__t_requests_pipe_lsu.sum",
    "l1tex__t_set_accesses_pipe_lsu.sum",
    "l1tex__t_set_conflicts_pipe_lsu.sum",
    "l1tex__m_xbar2l1tex_read_sectors_pipe_lsu.sum",
    WAVES "_mem_shared.sum",
    WAVES "_mem_shared_op_misc.sum",
    NULL,
};

/* What a dry launch of the access kernel must leave at zero. */
static const char *const all_metrics[] = {
    WAVES "_mem_shared_op_ld.sum",
    WAVES "_mem_shared_op_st.sum",
    WAVES "_mem_shared_op_atom.sum",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_red.sum",
    "l1tex__t_sectors_pipe_lsu_mem_dshared_op_ld.sum",
    "l1tex__t_sectors_pipe_lsu_mem_dshared_op_st.sum",
    "l1tex__t_sectors_pipe_lsu_mem_dshared_op_atom.sum",
    NULL,
};

/* ---- What is run ---- */

static const instruction copies[] = {
    {SMP_CP_ASYNC, 4, NO_EXTRA},
    {SMP_CP_ASYNC, 8, NO_EXTRA},
    {SMP_CP_ASYNC, 16, NO_EXTRA},
    {SMP_CP_ASYNC_CA, 16, NO_EXTRA},
};

static const instruction clusters[] = {
    {SMP_ATOM_CLUSTER, 4, NO_EXTRA},
    {SMP_ATOM_CLUSTER, 8, NO_EXTRA},
    {SMP_ATOM_CLUSTER, 4, SMP_EXTRA_RED_CLUSTER_ADD},
    {SMP_LD_CLUSTER, 1, NO_EXTRA},
    {SMP_LD_CLUSTER, 2, NO_EXTRA},
    {SMP_ST_CLUSTER, 1, NO_EXTRA},
    {SMP_ST_CLUSTER, 2, NO_EXTRA},
};

static const instruction swaps[] = {
    {SMP_ATOM_CLUSTER, 4, SMP_EXTRA_CAS_CLUSTER},
};

static const instruction atomics[] = {
    {SMP_ATOM_SHARED, 4, NO_EXTRA},
    {SMP_ATOM_SHARED, 8, NO_EXTRA},
    {SMP_RED_SHARED, 4, NO_EXTRA},
    {SMP_ATOM_SHARED_CAS, 4, NO_EXTRA},
    {SMP_ATOM_SHARED_CAS, 8, NO_EXTRA},
    {SMP_ATOM_SHARED, 4, SMP_EXTRA_ATOMIC_ADD_ONE},
    {SMP_ATOM_SHARED, 4, SMP_EXTRA_ATOMIC_ADD_VALUE},
    {SMP_ATOM_SHARED, 4, SMP_EXTRA_ATOMIC_ADD_ONE_USED},
    {SMP_ATOM_SHARED, 4, SMP_EXTRA_ATOMIC_ADD_FLOAT},
    {SMP_ATOM_SHARED, 8, SMP_EXTRA_ATOMIC_ADD_DOUBLE},
    {SMP_ATOM_SHARED, 8, SMP_EXTRA_ATOM_ADD_U64},
    {SMP_ATOM_SHARED, 8, SMP_EXTRA_RED_ADD_U64},
    {SMP_ATOM_SHARED, 4, SMP_EXTRA_ATOM_ADD_F16X2},
    {SMP_ATOM_SHARED, 4, SMP_EXTRA_ATOM_ADD_BF16X2},
    {SMP_ATOM_SHARED, 4, SMP_EXTRA_ATOM_MIN},
    {SMP_ATOM_SHARED, 4, SMP_EXTRA_ATOM_AND},
    {SMP_ATOM_SHARED, 4, SMP_EXTRA_ATOM_INC},
    {SMP_ATOM_SHARED, 4, SMP_EXTRA_ATOM_EXCH},
};

static const instruction matrices[] = {
    {SMP_LDMATRIX_X1, 16, NO_EXTRA},       {SMP_LDMATRIX_X2, 16, NO_EXTRA},
    {SMP_LDMATRIX_X4, 16, NO_EXTRA},       {SMP_LDMATRIX_X1_TRANS, 16, NO_EXTRA},
    {SMP_LDMATRIX_X2_TRANS, 16, NO_EXTRA}, {SMP_LDMATRIX_X4_TRANS, 16, NO_EXTRA},
    {SMP_STMATRIX_X1, 16, NO_EXTRA},       {SMP_STMATRIX_X2, 16, NO_EXTRA},
    {SMP_STMATRIX_X4, 16, NO_EXTRA},       {SMP_STMATRIX_X1_TRANS, 16, NO_EXTRA},
    {SMP_STMATRIX_X2_TRANS, 16, NO_EXTRA}, {SMP_STMATRIX_X4_TRANS, 16, NO_EXTRA},
};

static const instruction reductions[] = {
    {SMP_RED_GLOBAL, 4, NO_EXTRA},
    {SMP_RED_GLOBAL, 8, NO_EXTRA},
    {SMP_RED_GLOBAL, 16, NO_EXTRA},
    {SMP_RED_GLOBAL, 4, SMP_EXTRA_RED_GLOBAL_F32},
    {SMP_RED_GLOBAL, 8, SMP_EXTRA_RED_GLOBAL_V2_F32},
    {SMP_RED_GLOBAL, 16, SMP_EXTRA_RED_GLOBAL_V4_F16X2},
    {SMP_RED_GLOBAL, 4, SMP_EXTRA_ATOM_GLOBAL_ADD},
};

static const instruction lines[] = {
    {SMP_RED_GLOBAL, 4, NO_EXTRA},   {SMP_CP_ASYNC, 4, NO_EXTRA},  {SMP_CP_ASYNC, 8, NO_EXTRA},
    {SMP_ATOM_CLUSTER, 4, NO_EXTRA}, {SMP_LD_GLOBAL, 4, NO_EXTRA}, {SMP_CP_ASYNC, 16, NO_EXTRA},
};

static const instruction dry[] = {
    {SMP_LD_SHARED, 4, DRY},  {SMP_ST_SHARED, 16, DRY},   {SMP_ATOM_SHARED, 4, DRY},
    {SMP_LD_GLOBAL, 4, DRY},  {SMP_LDMATRIX_X4, 16, DRY}, {SMP_STMATRIX_X4, 16, DRY},
    {SMP_LD_CLUSTER, 4, DRY}, {SMP_CP_ASYNC, 4, DRY},     {SMP_ATOM_CLUSTER, 4, DRY},
};

struct experiment {
    const char *name;
    const char *const *metrics;
    const instruction *instructions;
    size_t instruction_count;
    bool has_clocks;
    bool of_lines; /* patterns that vary 128-byte lines, instead of the general ones */
};

#define COUNT(array) (sizeof(array) / sizeof *(array))
static const struct experiment experiments[] = {
    {"lines", tag_metrics, lines, COUNT(lines), true, true},
    {"dry", all_metrics, dry, COUNT(dry), false, false},
    {"copy", copy_metrics, copies, COUNT(copies), true, false},
    {"cluster", cluster_metrics, clusters, COUNT(clusters), true, false},
    {"swap", cluster_metrics, swaps, COUNT(swaps), false, false},
    {"atomic", atomic_metrics, atomics, COUNT(atomics), true, false},
    {"matrix", matrix_metrics, matrices, COUNT(matrices), false, false},
    {"global", global_metrics, reductions, COUNT(reductions), false, false},
};

/* ---- Running ---- */

struct run {
    smp_probe *probe;
    const instruction *what;
    const samples *list;
};

static smp_status launch(void *user, size_t i, smp_error *error) {
    const struct run *run = user;
    const smp_access *access = &run->list->items[i].access;
    void *scratch = smp_probe_scratch(run->probe);
    if (run->what->extra >= 0)
        return smp_extra_launch((smp_extra)run->what->extra, access, 1, scratch, error);
    return smp_access_launch(access, 1, run->what->extra == DRY, scratch, error);
}

static double clock_of(const struct run *run, const smp_access *access) {
    double cycles = -1;
    void *scratch = smp_probe_scratch(run->probe);
    if (run->what->extra >= 0)
        smp_extra_clock((smp_extra)run->what->extra, access, scratch, &cycles, NULL);
    else
        smp_access_clock(access, scratch, &cycles, NULL);
    return cycles;
}

static void print_row(FILE *out, const struct experiment *experiment, const struct run *run,
                      size_t i, const double *values) {
    const struct sample *sample = &run->list->items[i];
    smp_counts counts = {0};
    smp_predict(smp_arch_of_cc(9, 0), &sample->access, &counts);
    const char *name = run->what->extra >= 0 ? smp_extra_name((smp_extra)run->what->extra)
                                             : smp_ops(NULL)[run->what->op].name;
    fprintf(out, "\"%s\",%u,%s,", name, (unsigned)run->what->width_bytes, sample->pattern);
    gpu_access_print(out, &sample->access);
    if (counts.valid & SMP_HAS_WAVEFRONTS)
        fprintf(out, ",%u", (unsigned)counts.wavefronts_max);
    else
        fputs(",", out);
    if (counts.valid & SMP_HAS_TRANSACTIONS)
        fprintf(out, ",%u", (unsigned)counts.transactions);
    else
        fputs(",", out);
    for (size_t m = 0; experiment->metrics[m]; m++)
        fprintf(out, ",%.0f", values[m]);
    if (experiment->has_clocks)
        fprintf(out, ",%.2f", clock_of(run, &sample->access));
    fputc('\n', out);
}

static void print_header(FILE *out, const struct experiment *experiment) {
    fputs("instruction,width,pattern,mask,offsets,addresses,wavefronts_model,transactions_model",
          out);
    for (size_t m = 0; experiment->metrics[m]; m++)
        fprintf(out, ",%s", experiment->metrics[m]);
    fputs(experiment->has_clocks ? ",cycles\n" : "\n", out);
}

static bool run_instruction(smp_probe *probe, const struct experiment *experiment,
                            const instruction *what, size_t random_count, FILE *out) {
    samples list = {0};
    struct run run = {probe, what, &list};
    size_t metric_count = 0, done = 0;
    smp_error error = {0};
    while (experiment->metrics[metric_count])
        metric_count++;
    if (experiment->of_lines) {
        add_line_bits(&list, what);
        add_far(&list, what, random_count, 91);
        add_few_lines(&list, what, random_count, 92);
    } else {
        add_designed(&list, what);
        add_random(&list, what, random_count, 90 + (uint64_t)what->op);
    }
    double *values = calloc(list.count * metric_count, sizeof *values);
    if (!values)
        abort();
    smp_status status = smp_probe_ranges(probe, experiment->metrics, metric_count, launch, &run,
                                         list.count, values, NULL, NULL, &done, &error);
    for (size_t i = 0; i < done; i++)
        print_row(out, experiment, &run, i, &values[i * metric_count]);
    if (status != SMP_OK)
        fprintf(stderr, "findings: %s: %s\n", experiment->name, error.message);
    free(values);
    free(list.items);
    return status == SMP_OK;
}

static bool run_experiment(smp_probe *probe, const struct experiment *experiment,
                           size_t random_count, const char *folder) {
    char path[512];
    snprintf(path, sizeof path, "%s/%s.csv", folder, experiment->name);
    FILE *out = fopen(path, "w");
    if (!out) {
        perror(path);
        return false;
    }
    bool good = true;
    print_header(out, experiment);
    for (size_t i = 0; i < experiment->instruction_count; i++)
        good &= run_instruction(probe, experiment, &experiment->instructions[i], random_count, out);
    return fclose(out) == 0 && good;
}

static bool is_wanted(const char *name, int argc, char **argv) {
    for (int i = 3; i < argc; i++)
        if (strcmp(argv[i], name) == 0)
            return true;
    return argc <= 3;
}

int main(int argc, char **argv) {
    if (argc < 2) {
        fputs("usage: findings FOLDER [RANDOM [NAME...]]\n", stderr);
        return 2;
    }
    smp_probe *probe = NULL;
    smp_error error = {0};
    smp_status status = smp_probe_open(0, &probe, &error);
    if (status != SMP_OK) {
        fprintf(stderr, "findings: %s\n", error.message);
        return smp_status_exit(status);
    }
    size_t random_count = argc > 2 ? strtoul(argv[2], NULL, 10) : 1000;
    bool good = true;
    for (size_t i = 0; i < COUNT(experiments); i++)
        if (is_wanted(experiments[i].name, argc, argv))
            good &= run_experiment(probe, &experiments[i], random_count, argv[1]);
    smp_probe_close(probe);
    return good ? 0 : 1;
}
