// SPDX-License-Identifier: MIT
// Reads of textures and surfaces and stores to surfaces, run on a GPU by record_texture.c. One
// block; each thread has one place.
//   nvcc -arch=sm_90 -cubin texture.cu
//   nvcc -std=c++17 -arch=sm_120 -cubin -o texture.120.cubin texture.cu
#define TEXTURE(name, T, value)                                                              \
    extern "C" __global__ void name(T *out, const cudaTextureObject_t t, const float4 *at) { \
        const unsigned i = threadIdx.x;                                                      \
        const float4 p = at[i];                                                              \
        out[i] = value;                                                                      \
    }
TEXTURE(fetch1, float4, tex1Dfetch<float4>(t, (int)p.x))
TEXTURE(tex1, float4, tex1D<float4>(t, p.x))
TEXTURE(tex2, float4, (tex2D<float4>(t, p.x, p.y)))
TEXTURE(tex3, float4, (tex3D<float4>(t, p.x, p.y, p.z)))
TEXTURE(layer1, float4, (tex1DLayered<float4>(t, p.x, (int)p.w)))
TEXTURE(layer2, float4, (tex2DLayered<float4>(t, p.x, p.y, (int)p.w)))
TEXTURE(cube, float4, (texCubemap<float4>(t, p.x, p.y, p.z)))
TEXTURE(lod2, float4, (tex2DLod<float4>(t, p.x, p.y, p.w)))
TEXTURE(grad2, float4, (tex2DGrad<float4>(t, p.x, p.y, make_float2(p.z, 0), make_float2(0, p.z))))
TEXTURE(gather0, float4, (tex2Dgather<float4>(t, p.x, p.y, 0)))
TEXTURE(gather1, float4, (tex2Dgather<float4>(t, p.x, p.y, 1)))
TEXTURE(gather2, float4, (tex2Dgather<float4>(t, p.x, p.y, 2)))
TEXTURE(gather3, float4, (tex2Dgather<float4>(t, p.x, p.y, 3)))
TEXTURE(two2, float2, (tex2D<float2>(t, p.x, p.y)))
TEXTURE(one2, float, (tex2D<float>(t, p.x, p.y)))
TEXTURE(one3, float, (tex3D<float>(t, p.x, p.y, p.z)))
TEXTURE(bytes2, uchar4, (tex2D<uchar4>(t, p.x, p.y)))

// Places are elements.
#define SURFACE(dimension, name, T, mode, ...)                                                     \
    extern "C" __global__ void read##dimension##_##name(T *out, const cudaSurfaceObject_t s,       \
                                                        const float4 *at) {                        \
        const float4 p = at[threadIdx.x];                                                          \
        const int x = (int)p.x * (int)sizeof(T), y = (int)p.y, z = (int)p.z, layer = (int)p.w;     \
        (void)y, (void)z, (void)layer;                                                             \
        out[threadIdx.x] = surf##__VA_ARGS__##read<T>(s, PLACE##dimension, mode);                  \
    }                                                                                              \
    extern "C" __global__ void write##dimension##_##name(const T *in, const cudaSurfaceObject_t s, \
                                                         const float4 *at) {                       \
        const float4 p = at[threadIdx.x];                                                          \
        const int x = (int)p.x * (int)sizeof(T), y = (int)p.y, z = (int)p.z, layer = (int)p.w;     \
        (void)y, (void)z, (void)layer;                                                             \
        surf##__VA_ARGS__##write<T>(in[threadIdx.x], s, PLACE##dimension, mode);                   \
    }
#define PLACE1 x
#define PLACE2 x, y
#define PLACE3 x, y, z
#define PLACEl x, y, layer
#define MODES(dimension, bytes, T, ...)                                      \
    SURFACE(dimension, bytes##_trap, T, cudaBoundaryModeTrap, __VA_ARGS__)   \
    SURFACE(dimension, bytes##_clamp, T, cudaBoundaryModeClamp, __VA_ARGS__) \
    SURFACE(dimension, bytes##_zero, T, cudaBoundaryModeZero, __VA_ARGS__)
MODES(2, 1, unsigned char, 2D)
MODES(2, 2, unsigned short, 2D)
MODES(2, 4, unsigned, 2D)
MODES(2, 8, uint2, 2D)
MODES(2, 16, uint4, 2D)
MODES(1, 4, unsigned, 1D)
MODES(3, 8, uint2, 3D)
MODES(l, 16, uint4, 2DLayered)
