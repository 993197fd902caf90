// SPDX-License-Identifier: MIT
// ldmatrix and an mma by inline PTX.
#include <cstdint>
#include <cuda_fp16.h>

__global__ void tile_product(const half *a, const half *b, float *d) {
    __shared__ __align__(128) half sa[16 * 16], sb[16 * 8];
    const int lane = threadIdx.x;
    for (int i = lane; i < 256; i += 32)
        sa[i] = a[i];
    for (int i = lane; i < 128; i += 32)
        sb[i] = b[i];
    __syncwarp();
    uint32_t ra[4], rb[2];
    uint32_t at = (uint32_t)__cvta_generic_to_shared(&sa[lane % 16 * 16 + lane / 16 * 8]);
    uint32_t bt = (uint32_t)__cvta_generic_to_shared(&sb[lane % 16 * 8]);
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(ra[0]), "=r"(ra[1]), "=r"(ra[2]), "=r"(ra[3])
                 : "r"(at));
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0,%1}, [%2];"
                 : "=r"(rb[0]), "=r"(rb[1])
                 : "r"(bt));
    float c[4] = {0, 0, 0, 0};
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
        "{%0,%1,%2,%3};"
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
        : "r"(ra[0]), "r"(ra[1]), "r"(ra[2]), "r"(ra[3]), "r"(rb[0]), "r"(rb[1]));
    for (int i = 0; i < 4; i++)
        d[(lane / 4 + i / 2 * 8) * 8 + lane % 4 * 2 + i % 2] = c[i];
}

void run(const half *a, const half *b, float *d) {
    tile_product<<<1, 32>>>(a, b, d);
}
