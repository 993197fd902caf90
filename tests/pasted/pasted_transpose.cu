// SPDX-License-Identifier: MIT
// clang-format off
// smemprobe: --block 32x8 --define width=64 --define height=32
// launch: transpose<<<dim3(1,1), dim3(32,8)>>>(float[2048], float[2048] = iota, 64, 32)
const int TILE_DIM = 32;
const int BLOCK_ROWS = 8;

extern "C" __global__ void transpose(float *odata, const float *idata, int width, int height)
{
  __shared__ float tile[TILE_DIM][TILE_DIM];

  int x = blockIdx.x * TILE_DIM + threadIdx.x;
  int y = blockIdx.y * TILE_DIM + threadIdx.y;

  for (int j = 0; j < TILE_DIM; j += BLOCK_ROWS)
     if (x < width && y + j < height)
       tile[threadIdx.y+j][threadIdx.x] = idata[(y+j)*width + x];

  __syncthreads();

  x = blockIdx.y * TILE_DIM + threadIdx.x;  // transpose block offset
  y = blockIdx.x * TILE_DIM + threadIdx.y;

  for (int j = 0; j < TILE_DIM; j += BLOCK_ROWS)
     if (x < height && y + j < width)
       odata[(y+j)*height + x] = tile[threadIdx.x][threadIdx.y + j];
}
