// SPDX-License-Identifier: MIT
// Members of a shared struct, bytes that are one, structs as elements, of which one comes from
// global memory, and threads that go across.
template <int TILE> struct tiles {
    float a[TILE][TILE];
    double b[TILE][TILE];
};

struct storage {
    int bias[4];
    float c[32 * 32];
};

struct body {
    float x, y, z, mass, vx, vy, vz, charge;
};

struct node {
    int key;
    float w[3];
};

template <int TILE> __global__ void members(const float *in, float *out) {
    __shared__ tiles<TILE> tile;
    const int x = threadIdx.x, y = threadIdx.y;
    tile.a[y][x] = in[y * 32 + x];
    tile.b[y][x] = in[y * 32 + x] * 2;
    __syncthreads();
    out[y * 32 + x] = tile.a[x][y] + (float)tile.b[x][y];
}

__global__ void bytes(const float *in, float *out) {
    extern __shared__ char raw[];
    storage &s = *reinterpret_cast<storage *>(raw);
    const int x = threadIdx.x, y = threadIdx.y;
    s.c[y * 32 + x] = in[y * 32 + x];
    __syncthreads();
    out[y * 32 + x] = s.c[x * 32 + y];
}

__global__ void elements(const body *in, const int *next, float *out) {
    __shared__ body bodies[128];
    __shared__ node nodes[128];
    const int t = threadIdx.x;
    bodies[t] = in[t];
    nodes[t].key = next[t];
    for (int i = 0; i < 3; i++)
        nodes[t].w[i] = (float)(i + next[t]);
    __syncthreads();
    float sum = 0;
    for (int i = 0; i < 8; i++)
        sum += bodies[(t + i) & 127].x * bodies[(t + i) & 127].vy;
    out[t] = sum + nodes[t ^ 1].w[1] * nodes[t].key;
}

__global__ void across(const float *in, float *out) {
    __shared__ float cell[32][32];
    const int row = threadIdx.x, column = threadIdx.y;
    cell[row][column] = in[row * 32 + column];
    __syncthreads();
    out[row * 32 + column] = cell[row][31 - column] + cell[31 - row][column];
}

void launch(const float *in, const body *all, const int *next, float *out) {
    members<32><<<1, dim3(32, 32)>>>(in, out);
    bytes<<<1, dim3(32, 32), sizeof(storage)>>>(in, out);
    elements<<<1, 128>>>(all, next, out);
    across<<<1, dim3(32, 32)>>>(in, out);
}
