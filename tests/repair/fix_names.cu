// SPDX-License-Identifier: MIT
// Elements whose size is behind a name or a macro's parameter, rows that a pointer walks to their
// end, and a struct with an alignment.
typedef unsigned long long key;
using number = float;

__global__ void columns(const key *in, key *out) {
    extern __shared__ key cell[];
    for (int i = 0; i < 32; i++)
        cell[i * 16 + threadIdx.x % 16] = in[i * 16 + threadIdx.x % 16];
    __syncthreads();
    key sum = 0;
    for (int i = 0; i < 16; i++)
        sum += cell[threadIdx.x * 16 + i] * i;
    out[threadIdx.x] = sum;
}

#define TURN(NAME, TYPE, SIDE)                                                  \
    __global__ void NAME##_turn(const TYPE *in, TYPE *out) {                    \
        __shared__ TYPE tile[SIDE][SIDE];                                       \
        tile[threadIdx.y][threadIdx.x] = in[threadIdx.y * SIDE + threadIdx.x];  \
        __syncthreads();                                                        \
        out[threadIdx.y * SIDE + threadIdx.x] = tile[threadIdx.x][threadIdx.y]; \
    }
TURN(single, number, 32)
TURN(twice, double, 16)

const int WIDTH = 64;
__global__ void widest(const number *in, number *out) {
    __shared__ number rows[WIDTH][WIDTH];
    number(*row)[WIDTH] = rows;
    for (int i = 0; i < WIDTH; i++)
        row[i][threadIdx.x] = in[i * WIDTH + threadIdx.x];
    __syncthreads();
    const number *own = row[threadIdx.x];
    number most = own[0];
    for (const number *at = own; at != own + WIDTH; ++at)
        most = fmaxf(most, *at);
    out[threadIdx.x] = most;
}

struct alignas(16) quad {
    float x, y, z, w;
};
__global__ void quads(const quad *in, quad *out) {
    __shared__ quad four[64][16];
    for (int i = threadIdx.x; i < 1024; i += 64)
        four[i / 16][i % 16] = in[i];
    __syncthreads();
    quad sum = {0, 0, 0, 0};
    for (int i = 0; i < 16; i++) {
        const quad one = four[threadIdx.x][i];
        sum.x += one.x * i;
        sum.y += one.y;
        sum.z -= one.z;
        sum.w += one.w;
    }
    out[threadIdx.x] = sum;
}

void run(const key *k, key *l, const number *a, number *b, const double *c, double *d,
         const quad *q, quad *r) {
    columns<<<1, 32, 32 * 16 * sizeof(key)>>>(k, l);
    single_turn<<<1, dim3(32, 32)>>>(a, b);
    twice_turn<<<1, dim3(16, 16)>>>(c, d);
    widest<<<1, 64>>>(a, b);
    quads<<<1, 64>>>(q, r);
}
