// SPDX-License-Identifier: MIT
/*
 * A product of matrices, right and, by a macro each, wrong in a way that judge must see.
 */
#ifndef TILE
#define TILE 16
#endif
#ifndef PAD
#define PAD 0
#endif

__global__ void product(const float *a, const float *b, float *c, int n) {
    __shared__ float as[TILE][TILE + PAD], bs[TILE][TILE + PAD];
    const int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * TILE + y,
              column = blockIdx.x * TILE + x;
    float sum = 0;
#ifdef ENDLESS
    while (n > 0)
        sum += n;
#endif
#ifdef GREEDY
    for (long i = 0; i < 1l << 28 && x + y + blockIdx.x + blockIdx.y == 0; i += 1024)
        c[i] = i;
#endif
    for (int k = 0; k < n; k += TILE) {
#ifdef BEYOND
        as[x][y] = a[row * n + k + x + (k == 0 ? n * n : 0)];
#else
        as[x][y] = a[row * n + k + x];
#endif
        bs[y][x] = b[(k + y) * n + column];
#ifndef UNORDERED
        __syncthreads();
#endif
        for (int i = 0; i < TILE; i++)
#ifdef WRONG
            sum += as[i][y] * bs[x][i];
#else
            sum += as[i][y] * bs[i][x];
#endif
        __syncthreads();
    }
#ifdef FORGETS
    if (column % 32 == 7)
        return;
#endif
    c[row * n + column] = sum;
}

#ifdef BROKEN
this is no C++
#endif

    void
    launch(const float *a, const float *b, float *c, int n) {
    product<<<dim3(n / TILE, n / TILE), dim3(TILE, TILE)>>>(a, b, c, n);
}
