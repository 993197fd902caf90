// SPDX-License-Identifier: MIT
// Each warp reads its own row by a pointer that is not followed, without a barrier: of a padded
// array it is another warp's row, with the same values.
#define FIRST(array) (&(array)[0][0])

__global__ void rows(float *out) {
    __shared__ float tile[32][32];
    const int t = threadIdx.x, w = threadIdx.y;
    tile[w][t] = 1.0f;
    __syncwarp();
    const volatile float *flat = FIRST(tile);
    float sum = w == 3 ? flat[96] : tile[w][t];
    __syncthreads();
    out[w * 32 + t] = sum + tile[t][w];
}
