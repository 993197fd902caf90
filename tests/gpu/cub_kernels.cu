/* SPDX-License-Identifier: MIT */
/*
 * Algorithms of CUB, each checked against the host's: what profile says of them on a GPU is held
 * against profile --no-gpu.
 */
#include <cub/cub.cuh>

#include <algorithm>
#include <cstdio>
#include <numeric>
#include <vector>

static std::vector<int> numbers(int count, unsigned seed, int below) {
    std::vector<int> out(count);
    for (int i = 0; i < count; i++)
        out[i] = (int)((seed = seed * 1664525u + 1013904223u) >> 8) % below;
    return out;
}

template <typename T> static T *upload(const std::vector<T> &from) {
    T *out;
    cudaMalloc(&out, from.size() * sizeof(T));
    cudaMemcpy(out, from.data(), from.size() * sizeof(T), cudaMemcpyHostToDevice);
    return out;
}

template <typename T> static std::vector<T> download(const T *from, size_t count) {
    std::vector<T> out(count);
    cudaMemcpy(out.data(), from, count * sizeof(T), cudaMemcpyDeviceToHost);
    return out;
}

/* CUB's two calls: how much memory, then the work. */
template <typename Call> static void twice(Call call) {
    void *room = nullptr;
    size_t bytes = 0;
    call(room, bytes);
    cudaMalloc(&room, bytes);
    const cudaError_t error = call(room, bytes);
    if (error != cudaSuccess || cudaDeviceSynchronize() != cudaSuccess)
        printf("error: %s\n", cudaGetErrorString(error));
    cudaFree(room);
}

static int wrong;

template <typename T>
static void expect(const char *what, const std::vector<T> &got, const std::vector<T> &want) {
    const bool is_fine = got == want;
    printf("%s: %s\n", what, is_fine ? "right" : "WRONG");
    wrong += !is_fine;
}

struct is_less {
    __host__ __device__ bool operator()(int a, int b) const {
        return a < b;
    }
};

struct is_even {
    __host__ __device__ bool operator()(int x) const {
        return x % 2 == 0;
    }
};

int main(int argc, char **argv) {
    const int n = argc > 1 ? atoi(argv[1]) : 20000;
    const std::vector<int> x = numbers(n, 1, 1000);
    int *in = upload(x), *out = upload(std::vector<int>(n)), *one = upload(std::vector<int>(1));
    twice([&](void *r, size_t &b) { return cub::DeviceReduce::Sum(r, b, in, one, n); });
    expect("reduce", download(one, 1), {std::accumulate(x.begin(), x.end(), 0)});
    twice([&](void *r, size_t &b) { return cub::DeviceReduce::Max(r, b, in, one, n); });
    expect("max", download(one, 1), {*std::max_element(x.begin(), x.end())});
    std::vector<int> want(n);
    twice([&](void *r, size_t &b) { return cub::DeviceScan::InclusiveSum(r, b, in, out, n); });
    std::partial_sum(x.begin(), x.end(), want.begin());
    expect("scan", download(out, n), want);
    twice([&](void *r, size_t &b) {
        return cub::DeviceSelect::If(r, b, in, out, one, n, is_even());
    });
    want.clear();
    std::copy_if(x.begin(), x.end(), std::back_inserter(want), is_even());
    expect("select", download(out, want.size()), want);
    expect("selected", download(one, 1), {(int)want.size()});
    twice([&](void *r, size_t &b) { return cub::DeviceRadixSort::SortKeys(r, b, in, out, n); });
    want = x;
    std::sort(want.begin(), want.end());
    expect("radix sort", download(out, n), want);
    twice([&](void *r, size_t &b) {
        return cub::DeviceHistogram::HistogramEven(r, b, in, out, 65, 0, 1024, n);
    });
    want.assign(64, 0);
    for (int value : x)
        want[value / 16]++;
    expect("histogram", download(out, 64), want);
    const int segments = 50, each = n / segments;
    std::vector<int> offsets(segments + 1);
    for (int i = 0; i <= segments; i++)
        offsets[i] = i * each;
    int *at = upload(offsets);
    twice([&](void *r, size_t &b) {
        return cub::DeviceSegmentedReduce::Sum(r, b, in, out, segments, at, at + 1);
    });
    want.clear();
    for (int i = 0; i < segments; i++)
        want.push_back(std::accumulate(&x[i * each], &x[i * each] + each, 0));
    expect("segmented reduce", download(out, segments), want);
    twice(
        [&](void *r, size_t &b) { return cub::DeviceMergeSort::SortKeys(r, b, in, n, is_less()); });
    want = x;
    std::sort(want.begin(), want.end());
    expect("merge sort", download(in, n), want);
    return wrong;
}
