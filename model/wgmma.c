/* SPDX-License-Identifier: MIT */
/*
 * Operands that the tensor cores read from shared memory by themselves (wgmma), as measured on
 * GH100 (model/FINDINGS.md, 10): every layout that a descriptor can express is read at 128 bytes a
 * wavefront. A descriptor places core matrices of 8 rows x 16 bytes, and each is, swizzled or not,
 * one pass over the banks.
 */
#include "rule.h"

enum { ROWS = 64, SLICE_BYTES = 32, WAVEFRONT_BYTES = 128 };

smp_status smp_wgmma_wavefronts(const smp_arch *arch, uint32_t columns, bool a_is_shared,
                                uint32_t *out) {
    *out = 0;
    if (!arch->wgmma_source)
        return SMP_E_OP_UNAVAILABLE;
    if (columns == 0 || columns % 8 != 0 || columns > 256)
        return SMP_E_NOT_MODELLED;
    *out = ((a_is_shared ? ROWS : 0) + columns) * SLICE_BYTES / WAVEFRONT_BYTES;
    return SMP_OK;
}
