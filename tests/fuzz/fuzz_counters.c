/* SPDX-License-Identifier: MIT */
/* Any bytes as an export of Nsight Compute (CSV). Each kernel that comes out is explained. */
#include "explain_counters.h"
#include "fuzz.h"
#include "fuzz_file.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    ncu_export export_ = {0};
    smp_error error;
    if (ncu_export_read(fuzz_file(data, size), &export_, &error) == SMP_OK)
        for (size_t i = 0; i < export_.count; i++) {
            ncu_explanation out;
            ncu_explain(&export_.kernels[i], &out);
            if (out.remark_count > REMARKS_MAX)
                abort();
        }
    ncu_export_free(&export_);
    return 0;
}
