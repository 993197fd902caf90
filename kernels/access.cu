/* SPDX-License-Identifier: MIT */
/* The generic access kernel for every row of smp_op, one instance per operation and width. */
#include "access_kernel.cuh"
#include "smp_kernels.h"

using namespace smp;

namespace {

#define WIDTHS(name, op, first_cc)                                                               \
    row<name##1>(op, 1, first_cc), row<name##2>(op, 2, first_cc), row<name##4>(op, 4, first_cc), \
        row<name##8>(op, 8, first_cc), row<name##16>(op, 16, first_cc)

const smp_access_row rows[] = {
    WIDTHS(LdShared, SMP_LD_SHARED, 10),
    WIDTHS(StShared, SMP_ST_SHARED, 10),
    row<AtomShared4>(SMP_ATOM_SHARED, 4, 20),
    row<AtomShared8>(SMP_ATOM_SHARED, 8, 50),
    row<CasShared4>(SMP_ATOM_SHARED_CAS, 4, 20),
    row<CasShared8>(SMP_ATOM_SHARED_CAS, 8, 50),
    row<RedShared4>(SMP_RED_SHARED, 4, 20),
    row<RedSharedInc4>(SMP_RED_SHARED_INC, 4, 80),
    row<LdMatrix1>(SMP_LDMATRIX_X1, 16, 75),
    row<LdMatrix2>(SMP_LDMATRIX_X2, 16, 75),
    row<LdMatrix4>(SMP_LDMATRIX_X4, 16, 75),
    row<LdMatrix1Trans>(SMP_LDMATRIX_X1_TRANS, 16, 75),
    row<LdMatrix2Trans>(SMP_LDMATRIX_X2_TRANS, 16, 75),
    row<LdMatrix4Trans>(SMP_LDMATRIX_X4_TRANS, 16, 75),
    row<StMatrix1>(SMP_STMATRIX_X1, 16, 90),
    row<StMatrix2>(SMP_STMATRIX_X2, 16, 90),
    row<StMatrix4>(SMP_STMATRIX_X4, 16, 90),
    row<StMatrix1Trans>(SMP_STMATRIX_X1_TRANS, 16, 90),
    row<StMatrix2Trans>(SMP_STMATRIX_X2_TRANS, 16, 90),
    row<StMatrix4Trans>(SMP_STMATRIX_X4_TRANS, 16, 90),
    row<CopyCa4>(SMP_CP_ASYNC, 4, 80),
    row<CopyCa8>(SMP_CP_ASYNC, 8, 80),
    row<CopyCg16>(SMP_CP_ASYNC, 16, 80),
    row<CopyCa16>(SMP_CP_ASYNC_CA, 16, 80),
    WIDTHS(LdGlobal, SMP_LD_GLOBAL, 10),
    WIDTHS(StGlobal, SMP_ST_GLOBAL, 10),
    row<RedGlobal4>(SMP_RED_GLOBAL, 4, 20),
    row<RedGlobal8>(SMP_RED_GLOBAL, 8, 20),
    row<RedGlobal16>(SMP_RED_GLOBAL, 16, 90),
    WIDTHS(LdCluster, SMP_LD_CLUSTER, 90),
    WIDTHS(StCluster, SMP_ST_CLUSTER, 90),
    row<AtomCluster4>(SMP_ATOM_CLUSTER, 4, 90),
    row<AtomCluster8>(SMP_ATOM_CLUSTER, 8, 90),
};

const smp_access_row *find(const smp_access *access, smp_error *error) {
    for (const smp_access_row &row : rows)
        if (row.id == (int)access->op && row.width_bytes == access->width_bytes)
            return &row;
    const char *name = access->op < SMP_OP_COUNT ? smp_ops(nullptr)[access->op].name : "operation";
    smp_error_set(error, SMP_E_WIDTH, -1,
                  "%s of %u bytes is not a single machine instruction and cannot be run", name,
                  access->width_bytes);
    return nullptr;
}

} // namespace

smp_status smp_access_launch(const smp_access *accesses, size_t count, bool dry, void *scratch,
                             smp_error *error) {
    if (count == 0)
        return SMP_OK;
    const smp_access_row *row = find(&accesses[0], error);
    if (!row)
        return SMP_E_WIDTH;
    for (size_t i = 1; i < count; i++)
        if (accesses[i].op != accesses[0].op || accesses[i].width_bytes != row->width_bytes)
            return smp_error_set(error, SMP_E_USAGE, -1,
                                 "the accesses of one launch differ in operation or width");
    /* A copy that follows another one in the same kernel finds lines in L1 or on their way there,
     * and its cost differs from the rule (model/FINDINGS.md). So each copy gets a launch of its
     * own. */
    const size_t together = smp_ops(nullptr)[accesses[0].op].space == SMP_SPACE_COPY ? 1 : count;
    smp_status status = SMP_OK;
    for (size_t i = 0; i < count && status == SMP_OK; i += together)
        status = smp_access_run(row, &accesses[i], together, dry, scratch, error);
    return status;
}

smp_status smp_access_clock(const smp_access *access, void *scratch, double *cycles,
                            smp_error *error) {
    const smp_access_row *row = find(access, error);
    return row ? smp_access_run_clock(row, access, scratch, cycles, error) : SMP_E_WIDTH;
}
