// SPDX-License-Identifier: MIT
// Blocks that wait for each other: the launch must be a cooperative one.
#include <cooperative_groups.h>

__global__ void sum(const float *x, float *parts, float *out, int n) {
    cooperative_groups::grid_group grid = cooperative_groups::this_grid();
    float own = 0;
    for (int i = grid.thread_rank(); i < n; i += grid.size())
        own += x[i];
    parts[grid.thread_rank()] = own;
    grid.sync();
    if (grid.thread_rank() == 0)
        for (unsigned i = 0; i < grid.size(); i++)
            *out += parts[i];
}
