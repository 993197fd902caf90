/* SPDX-License-Identifier: MIT */
/* Takes the place of the CUDA sources where the toolkit was not found. */
#include "families.h"

static smp_status not_built(smp_error *error) {
    return smp_error_set(error, SMP_E_NOT_BUILT, -1,
                         "built without the CUDA toolkit, so there are no kernels to run");
}

bool smp_kernels_built(void) {
    return false;
}

size_t smp_access_scratch_bytes(void) {
    return 0;
}

smp_status smp_access_launch(const smp_access *accesses, size_t count, bool dry, void *scratch,
                             smp_error *error) {
    (void)accesses, (void)count, (void)dry, (void)scratch;
    return not_built(error);
}

smp_status smp_access_clock(const smp_access *access, void *scratch, double *cycles,
                            smp_error *error) {
    (void)access, (void)scratch, (void)cycles;
    return not_built(error);
}

smp_status smp_launch_not_built(const smp_kernel_launch *launch, smp_error *error) {
    (void)launch;
    return not_built(error);
}
