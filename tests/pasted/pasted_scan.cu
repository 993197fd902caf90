// SPDX-License-Identifier: MIT
// clang-format off
// smemprobe: --block 256 --define n=512
// launch: prescan<<<1, 256>>>(float[512], float[512] = iota, 512)
// nvcc: 13 one store of 8 bytes with line 14
// nvcc: 46 one load of 8 bytes with line 45
// Blelloch's scan of 512 elements by 256 threads.
extern "C" __global__ void prescan(float *g_odata, float *g_idata, int n) {
    __shared__ float temp[512];
    int thid = threadIdx.x;
    int offset = 1;

    temp[2 * thid] = g_idata[2 * thid];
    temp[2 * thid + 1] = g_idata[2 * thid + 1];

    for (int d = n >> 1; d > 0; d >>= 1)
    {
        __syncthreads();
        if (thid < d)
        {
            int ai = offset * (2 * thid + 1) - 1;
            int bi = offset * (2 * thid + 2) - 1;
            temp[bi] += temp[ai];
        }
        offset *= 2;
    }

    if (thid == 0) { temp[n - 1] = 0; }

    for (int d = 1; d < n; d *= 2)
    {
        offset >>= 1;
        __syncthreads();
        if (thid < d)
        {
            int ai = offset * (2 * thid + 1) - 1;
            int bi = offset * (2 * thid + 2) - 1;
            float t = temp[ai];
            temp[ai] = temp[bi];
            temp[bi] += t;
        }
    }
    __syncthreads();

    g_odata[2 * thid] = temp[2 * thid];
    g_odata[2 * thid + 1] = temp[2 * thid + 1];
}
