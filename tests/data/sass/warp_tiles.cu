// SPDX-License-Identifier: MIT
// warp_tiles.cu: a group of two warps, which uses memory that the system reserves:
//   for a in 80 90 100; do nvcc -std=c++17 -arch=sm_$a -cubin -o warp_tiles.$a.cubin warp_tiles.cu;
//   done
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

namespace cg = cooperative_groups;

extern "C" __global__ void two_warps(unsigned *out, const unsigned *in) {
    auto tile = cg::tiled_partition<64>(cg::this_thread_block());
    const unsigned t = threadIdx.x;
    out[t] = tile.shfl(in[t], 3) + cg::reduce(tile, in[t], cg::plus<unsigned>()) +
             tile.any(t == 5) * 1000;
}
