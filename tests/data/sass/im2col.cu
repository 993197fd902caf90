// SPDX-License-Identifier: MIT
// A copy of a tensor by im2col, which has no meaning in the emulator: tests/cli/emulate_command.sh.
//   nvcc -arch=sm_90a -cubin im2col.cu
#include <cuda.h>
#include <stdint.h>

extern "C" __global__ void im2col(float *out, const __grid_constant__ CUtensorMap map) {
    __shared__ __align__(128) float tile[64];
    __shared__ uint64_t barrier;
    const unsigned bar = (unsigned)__cvta_generic_to_shared(&barrier);
    const unsigned to = (unsigned)__cvta_generic_to_shared(tile);
    const uint16_t offset = 0;
    asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(bar));
    asm volatile(
        "cp.async.bulk.tensor.3d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes "
        "[%0], [%1, {%2, %2, %2}], [%3], {%4};" ::"r"(to),
        "l"(&map), "r"(0), "r"(bar), "h"(offset)
        : "memory");
    out[0] = tile[0];
}
