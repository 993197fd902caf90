// SPDX-License-Identifier: MIT
// smemprobe emulate sgemm_tile.cu --launch 'sgemm<<<dim3(2,2), 256>>>(
//     float[65536], float[65536] = random:-1:1, float[65536] = random:-1:1:2, 256)'
//
// 128 x 128 of the product a block, 8 x 8 a thread. The loads of b's tile take two wavefronts where
// one would do: lanes are 8 columns apart, so that lanes 0 and 4 meet in one bank.

__global__ void __launch_bounds__(256) sgemm(float *c, const float *a, const float *b, int n) {
    __shared__ __align__(16) float tile_a[8][128], tile_b[8][128];
    const int t = threadIdx.x, row = t / 16 * 8, column = t % 16 * 8;
    const int block_row = blockIdx.y * 128, block_column = blockIdx.x * 128;
    float sum[8][8] = {};
    for (int k = 0; k < n; k += 8) {
        const float4 v = *(const float4 *)&a[(block_row + t / 2) * n + k + t % 2 * 4];
        tile_a[t % 2 * 4 + 0][t / 2] = v.x;
        tile_a[t % 2 * 4 + 1][t / 2] = v.y;
        tile_a[t % 2 * 4 + 2][t / 2] = v.z;
        tile_a[t % 2 * 4 + 3][t / 2] = v.w;
        *(float4 *)&tile_b[t / 32][t % 32 * 4] =
            *(const float4 *)&b[(k + t / 32) * n + block_column + t % 32 * 4];
        __syncthreads();
        for (int j = 0; j < 8; j++)
            for (int y = 0; y < 8; y++)
                for (int x = 0; x < 8; x++)
                    sum[y][x] += tile_a[j][row + y] * tile_b[j][column + x];
        __syncthreads();
    }
    for (int y = 0; y < 8; y++)
        for (int x = 0; x < 8; x++)
            c[(block_row + row + y) * n + block_column + column + x] = sum[y][x];
}
