// SPDX-License-Identifier: MIT
// Structures whose members are read one by one: of 16 bytes, and of 12, which no access is as wide
// as.
struct particle {
    float x, y, z, mass;
};

struct point {
    float x, y, z;
};

__global__ void energy(const particle *p, float *out) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = p[i].mass * (p[i].x * p[i].x + p[i].y * p[i].y + p[i].z * p[i].z);
}

__global__ void first(const point *p, float *out) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = p[i].x;
}

void launch(const particle *p, const point *q, float *out) {
    energy<<<4, 128>>>(p, out);
    first<<<4, 128>>>(q, out);
}
