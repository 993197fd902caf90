// SPDX-License-Identifier: MIT
// A sparse product: indices that stand in memory.
__global__ void spmv(const int *row_begin, const int *column, const float *value, const float *x,
                     float *y, int rows) {
    __shared__ float partial[8][32];
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, row = blockIdx.x * 8 + warp;
    float sum = 0;
    if (row < rows)
        for (int i = row_begin[row] + lane; i < row_begin[row + 1]; i += 32)
            sum += value[i] * x[column[i]];
    partial[warp][lane] = sum;
    __syncwarp();
    if (lane == 0 && row < rows) {
        for (int i = 1; i < 32; i++)
            sum += partial[warp][i];
        y[row] = sum;
    }
}

void run(const int *r, const int *c, const float *v, const float *x, float *y, int rows) {
    spmv<<<(rows + 7) / 8, 256>>>(r, c, v, x, y, rows);
}
