// SPDX-License-Identifier: MIT
// An array of structures.
struct Particle {
    float x, y, z, mass;
    int cell;
};

__global__ void forces(const Particle *p, float3 *f, int n) {
    __shared__ Particle near[128];
    float3 sum = make_float3(0, 0, 0);
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int base = 0; base < n; base += 128) {
        near[threadIdx.x] = p[base + threadIdx.x];
        __syncthreads();
        for (int k = 0; k < 128; k++) {
            float dx = near[k].x - p[i].x, dy = near[k].y - p[i].y, dz = near[k].z - p[i].z;
            float w = near[k].mass * rsqrtf(dx * dx + dy * dy + dz * dz + 1e-3f);
            sum.x += w * dx, sum.y += w * dy, sum.z += w * dz;
        }
        __syncthreads();
    }
    f[i] = sum;
}

void step(const Particle *p, float3 *f, int n) {
    forces<<<n / 128, 128>>>(p, f, n);
}
