// SPDX-License-Identifier: MIT
// Structs of 10 bytes, which no padding frees: a member, an element of one, a whole one that is
// read, given away and set; and another one that a pointer goes through.
typedef struct {
    short from, to;
    short w[3];
} edge;

struct point {
    short x, y, z;
};

#define TO(i) list[i].to

__device__ int weigh(const edge &e) {
    return e.from + 2 * e.w[1];
}

__global__ void edges(const edge *in, int *out) {
    __shared__ edge list[256];
    const int t = threadIdx.x;
    if (t < 250)
        list[t] = in[t];
    else
        list[t] = edge{1, 2, {3, 4, 5}};
    __syncthreads();
    const edge own = list[t];
    int sum = own.from * own.w[2];
    for (int i = 0; i < 3; i++)
        sum += list[255 - t].w[i] * TO(t) + weigh(list[(t + i) & 255]);
    out[t] = sum;
}

__global__ void points(const point *in, int *out) {
    __shared__ point tile[256];
    point *at = tile + threadIdx.x;
    *at = in[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = at->x * tile[255 - threadIdx.x].y + at->z;
}

void launch(const edge *e, const point *p, int *out) {
    edges<<<1, 256>>>(e, out);
    points<<<1, 256>>>(p, out);
}
