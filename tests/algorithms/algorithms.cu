// SPDX-License-Identifier: MIT
// One algorithm of CUB or Thrust for one type (-DSMP_ALGORITHM=name -DSMP_TYPE=...), against the
// same on the host: what it prints last is "equal", or what differs. Sums of floating-point numbers
// are of small whole numbers, so that their order does not matter.
//     nvcc -std=c++17 -arch=sm_90 -cudart shared -DALGORITHM=scan -DTYPE=float algorithms.cu
// clang-format off
#include <algorithm>
#include <cstdio>
#include <numeric>
#include <vector>

typedef unsigned char u8;
typedef unsigned short u16;
typedef long long s64;
static const int COUNT = 3000;
#define QUOTED(x) #x
#define NAME(x) QUOTED(x)
#define IS_reduce 1
#define IS_scan 2
#define IS_radix_sort 3
#define IS_merge_sort 4
#define IS_select 5
#define IS_partition 6
#define IS_unique 7
#define IS_histogram 8
#define IS_run_length 9
#define IS_sets 10
#define IS_reduce_by_key 11
#define IS_transform 12
#define IS_thrust_sort 13
#define JOIN(a, b) a##b
#define IS(x) JOIN(IS_, x)
#define WHAT IS(SMP_ALGORITHM)

#if WHAT == IS_sets || WHAT == IS_transform || WHAT == IS_thrust_sort || WHAT == IS_reduce_by_key || WHAT == IS_unique || WHAT == IS_partition
#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#if WHAT == IS_sets
#include <thrust/set_operations.h>
#include <thrust/merge.h>
#elif WHAT == IS_transform
#include <thrust/for_each.h>
#include <thrust/transform.h>
#include <thrust/transform_reduce.h>
#include <thrust/inner_product.h>
#include <thrust/extrema.h>
#elif WHAT == IS_thrust_sort
#include <thrust/sort.h>
#elif WHAT == IS_unique
#include <thrust/unique.h>
#elif WHAT == IS_partition
#include <thrust/partition.h>
#else
#include <thrust/reduce.h>
#endif
#else
#include <cub/cub.cuh>
#endif

static unsigned state = 1;
static unsigned drawn() { return (state = state * 1664525u + 1013904223u) >> 8; }

template <class T> static std::vector<T> random_values(unsigned most, unsigned count = COUNT) {
    std::vector<T> out(count);
    for (T &x : out) x = (T)(drawn() % most);
    return out;
}

static bool is_wrong;
template <class A, class B> static void compare(const char *what, const A &got, const B &want) {
    if (got.size() == want.size() && std::equal(got.begin(), got.end(), want.begin())) return;
    size_t at = 0;
    while (at < got.size() && at < want.size() && got[at] == want[at]) at++;
    printf("%s: %zu elements, expected %zu; element %zu: %g, expected %g\n", what, got.size(), want.size(), at,
           at < got.size() ? (double)got[at] : 0, at < want.size() ? (double)want[at] : 0);
    is_wrong = true;
}

template <class T> struct array {
    T *at;
    size_t count;
    explicit array(size_t n) : count(n) { cudaMalloc(&at, n * sizeof(T) + 16); }
    explicit array(const std::vector<T> &from) : array(from.size()) { cudaMemcpy(at, from.data(), count * sizeof(T), cudaMemcpyHostToDevice); }
    std::vector<T> get(size_t n) const { std::vector<T> out(n); cudaMemcpy(out.data(), at, n * sizeof(T), cudaMemcpyDeviceToHost); return out; }
    std::vector<T> get() const { return get(count); }
};

// Calls twice, as CUB wants it: for the size of its memory, then with it.
template <class F> static void with_memory(F f) {
    size_t bytes = 0;
    void *memory = nullptr;
    f(memory, bytes);
    cudaMalloc(&memory, bytes + 1);
    f(memory, bytes);
    if (cudaDeviceSynchronize() != cudaSuccess) { printf("%s\n", cudaGetErrorString(cudaGetLastError())); is_wrong = true; }
}

struct is_small { __host__ __device__ bool operator()(SMP_TYPE x) const { return x < (SMP_TYPE)40; } };
struct less { template <class T> __host__ __device__ bool operator()(const T &a, const T &b) const { return a < b; } };
struct twice { __host__ __device__ SMP_TYPE operator()(SMP_TYPE x) const { return (SMP_TYPE)(x + x); } };
struct add_one { __host__ __device__ void operator()(SMP_TYPE &x) const { x = (SMP_TYPE)(x + 1); } };

#if WHAT == IS_reduce
static void run(const std::vector<SMP_TYPE> &in) {
    std::vector<SMP_TYPE> want;
    array<SMP_TYPE> from(in), to(1);
    with_memory([&](void *m, size_t &n) { cub::DeviceReduce::Sum(m, n, from.at, to.at, COUNT); });
    compare("sum", to.get(), std::vector<SMP_TYPE>{std::accumulate(in.begin(), in.end(), (SMP_TYPE)0, [](SMP_TYPE a, SMP_TYPE b) { return (SMP_TYPE)(a + b); })});
    with_memory([&](void *m, size_t &n) { cub::DeviceReduce::Max(m, n, from.at, to.at, COUNT); });
    compare("max", to.get(), std::vector<SMP_TYPE>{*std::max_element(in.begin(), in.end())});
    array<cub::KeyValuePair<int, SMP_TYPE>> place(1);
    with_memory([&](void *m, size_t &n) { cub::DeviceReduce::ArgMin(m, n, from.at, place.at, COUNT); });
    const int least = (int)(std::min_element(in.begin(), in.end()) - in.begin());
    compare("argmin", std::vector<int>{place.get()[0].key}, std::vector<int>{least});
}
#elif WHAT == IS_scan
static void run(const std::vector<SMP_TYPE> &in) {
    std::vector<SMP_TYPE> want;
    array<SMP_TYPE> from(in), to(COUNT);
    want.resize(COUNT);
    with_memory([&](void *m, size_t &n) { cub::DeviceScan::InclusiveSum(m, n, from.at, to.at, COUNT); });
    SMP_TYPE sum = 0;
    for (int i = 0; i < COUNT; i++) want[i] = sum = (SMP_TYPE)(sum + in[i]);
    compare("inclusive", to.get(), want);
    with_memory([&](void *m, size_t &n) { cub::DeviceScan::ExclusiveSum(m, n, from.at, to.at, COUNT); });
    want.insert(want.begin(), (SMP_TYPE)0), want.pop_back();
    compare("exclusive", to.get(), want);
}
#elif WHAT == IS_radix_sort
static void run(const std::vector<SMP_TYPE> &in) {
    std::vector<SMP_TYPE> want;
    array<SMP_TYPE> from(in), to(COUNT);
    std::vector<int> index(COUNT), sorted(COUNT);
    std::iota(index.begin(), index.end(), 0), std::iota(sorted.begin(), sorted.end(), 0);
    array<int> values(index), moved(COUNT);
    want = in;
    std::stable_sort(want.begin(), want.end());
    std::stable_sort(sorted.begin(), sorted.end(), [&](int a, int b) { return in[a] < in[b]; });
    with_memory([&](void *m, size_t &n) { cub::DeviceRadixSort::SortKeys(m, n, from.at, to.at, COUNT); });
    compare("keys", to.get(), want);
    with_memory([&](void *m, size_t &n) { cub::DeviceRadixSort::SortPairs(m, n, from.at, to.at, values.at, moved.at, COUNT); });
    compare("values", moved.get(), sorted);
}
#elif WHAT == IS_merge_sort
static void run(const std::vector<SMP_TYPE> &in) {
    std::vector<SMP_TYPE> want;
    array<SMP_TYPE> keys(in);
    want = in;
    std::stable_sort(want.begin(), want.end());
    with_memory([&](void *m, size_t &n) { cub::DeviceMergeSort::StableSortKeys(m, n, keys.at, COUNT, less()); });
    compare("keys", keys.get(), want);
}
#elif WHAT == IS_select
static void run(const std::vector<SMP_TYPE> &in) {
    std::vector<SMP_TYPE> want;
    array<SMP_TYPE> from(in), to(COUNT);
    array<int> count(1);
    std::copy_if(in.begin(), in.end(), std::back_inserter(want), is_small());
    with_memory([&](void *m, size_t &n) { cub::DeviceSelect::If(m, n, from.at, to.at, count.at, COUNT, is_small()); });
    compare("selected", to.get(count.get()[0]), want);
    std::vector<char> flags = random_values<char>(2);
    array<char> given(flags);
    want.clear();
    for (int i = 0; i < COUNT; i++) if (flags[i]) want.push_back(in[i]);
    with_memory([&](void *m, size_t &n) { cub::DeviceSelect::Flagged(m, n, from.at, given.at, to.at, count.at, COUNT); });
    compare("flagged", to.get(count.get()[0]), want);
}
#elif WHAT == IS_histogram
static void run(const std::vector<SMP_TYPE> &in) {
    std::vector<SMP_TYPE> want;
    array<SMP_TYPE> from(in);
    array<int> bins(10);
    std::vector<int> counts(10);
    for (SMP_TYPE x : in) counts[(int)x / 10]++;
    with_memory([&](void *m, size_t &n) { cub::DeviceHistogram::HistogramEven(m, n, from.at, bins.at, 11, (SMP_TYPE)0, (SMP_TYPE)100, COUNT); });
    compare("bins", bins.get(), counts);
}
#elif WHAT == IS_run_length
static void run(const std::vector<SMP_TYPE> &in) {
    std::vector<SMP_TYPE> want;
    std::vector<SMP_TYPE> runs(COUNT);
    for (int i = 0; i < COUNT; i++) runs[i] = i > 0 && drawn() % 4 ? runs[i - 1] : (SMP_TYPE)(drawn() % 7);
    std::vector<int> lengths;
    for (int i = 0; i < COUNT; i++) {
        if (i == 0 || runs[i] != runs[i - 1]) want.push_back(runs[i]), lengths.push_back(0);
        lengths.back()++;
    }
    array<SMP_TYPE> from(runs), keys(COUNT);
    array<int> counts(COUNT), number(1);
    with_memory([&](void *m, size_t &n) { cub::DeviceRunLengthEncode::Encode(m, n, from.at, keys.at, counts.at, number.at, COUNT); });
    compare("values", keys.get(number.get()[0]), want);
    compare("lengths", counts.get(number.get()[0]), lengths);
}
#else
#define BACK(v) std::vector<SMP_TYPE> v##_back(v.size()); thrust::copy(v.begin(), v.end(), v##_back.begin())
#if WHAT == IS_sets
// Tiles that are full, and a last one that is not, of which threads read what nobody has written.
static void run_sets(size_t count, size_t others) {
    std::vector<SMP_TYPE> want, a = random_values<SMP_TYPE>(120, count), b = random_values<SMP_TYPE>(120, others);
    std::sort(a.begin(), a.end()), std::sort(b.begin(), b.end());
    thrust::device_vector<SMP_TYPE> da(a.begin(), a.end()), db(b.begin(), b.end()), to;
#define SET(name) do { to.resize(count + others); to.resize(thrust::name(da.begin(), da.end(), db.begin(), db.end(), to.begin()) - to.begin()); \
    want.clear(); std::name(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(want)); BACK(to); compare(#name, to_back, want); } while (0)
    SET(set_intersection); SET(set_union); SET(set_difference); SET(set_symmetric_difference); SET(merge);
}
static void run(const std::vector<SMP_TYPE> &) {
    run_sets(1500, 1100);
    run_sets(3000, 2999);
    run_sets(20000, 19999);
}
#elif WHAT == IS_transform
static void run(const std::vector<SMP_TYPE> &in) {
    std::vector<SMP_TYPE> want;
    thrust::device_vector<SMP_TYPE> from(in.begin(), in.end());
    thrust::transform(from.begin(), from.end(), from.begin(), twice());
    thrust::for_each(from.begin(), from.end(), add_one());
    for (SMP_TYPE x : in) want.push_back((SMP_TYPE)(x + x + 1));
    BACK(from);
    compare("values", from_back, want);
    compare("sum", std::vector<SMP_TYPE>{thrust::transform_reduce(from.begin(), from.end(), twice(), (SMP_TYPE)0, thrust::plus<SMP_TYPE>())},
            std::vector<SMP_TYPE>{std::accumulate(want.begin(), want.end(), (SMP_TYPE)0, [](SMP_TYPE x, SMP_TYPE y) { return (SMP_TYPE)(x + (SMP_TYPE)(y + y)); })});
    compare("least", std::vector<int>{(int)(thrust::min_element(from.begin(), from.end()) - from.begin())},
            std::vector<int>{(int)(std::min_element(want.begin(), want.end()) - want.begin())});
}
#elif WHAT == IS_thrust_sort
static void run(const std::vector<SMP_TYPE> &in) {
    std::vector<SMP_TYPE> want;
    thrust::device_vector<SMP_TYPE> from(in.begin(), in.end());
    want = in;
    std::sort(want.begin(), want.end());
    thrust::sort(from.begin(), from.end());
    BACK(from);
    compare("sorted", from_back, want);
    thrust::sort(from.begin(), from.end(), thrust::greater<SMP_TYPE>());
    std::reverse(want.begin(), want.end());
    thrust::copy(from.begin(), from.end(), from_back.begin());
    compare("reversed", from_back, want);
}
#elif WHAT == IS_unique
static void run(const std::vector<SMP_TYPE> &in) {
    std::vector<SMP_TYPE> want;
    thrust::device_vector<SMP_TYPE> from(in.begin(), in.end());
    std::vector<SMP_TYPE> runs(COUNT);
    for (int i = 0; i < COUNT; i++) runs[i] = i > 0 && drawn() % 3 ? runs[i - 1] : (SMP_TYPE)(drawn() % 9);
    from.assign(runs.begin(), runs.end());
    from.resize(thrust::unique(from.begin(), from.end()) - from.begin());
    runs.resize(std::unique(runs.begin(), runs.end()) - runs.begin());
    BACK(from);
    compare("unique", from_back, runs);
}
#elif WHAT == IS_partition
static void run(const std::vector<SMP_TYPE> &in) {
    std::vector<SMP_TYPE> want;
    thrust::device_vector<SMP_TYPE> from(in.begin(), in.end());
    thrust::stable_partition(from.begin(), from.end(), is_small());
    want = in;
    std::stable_partition(want.begin(), want.end(), is_small());
    BACK(from);
    compare("parts", from_back, want);
}
#else
static void run(const std::vector<SMP_TYPE> &in) {
    std::vector<SMP_TYPE> want;
    thrust::device_vector<SMP_TYPE> from(in.begin(), in.end());
    std::vector<int> key(COUNT), keys;
    for (int i = 1; i < COUNT; i++) key[i] = key[i - 1] + (drawn() % 5 == 0);
    for (int i = 0; i < COUNT; i++) {
        if (i == 0 || key[i] != key[i - 1]) keys.push_back(key[i]), want.push_back((SMP_TYPE)0);
        want.back() = (SMP_TYPE)(want.back() + in[i]);
    }
    thrust::device_vector<int> of(key.begin(), key.end()), found(COUNT);
    thrust::device_vector<SMP_TYPE> sums(COUNT);
    auto end = thrust::reduce_by_key(of.begin(), of.end(), from.begin(), found.begin(), sums.begin());
    found.resize(end.first - found.begin()), sums.resize(end.second - sums.begin());
    std::vector<int> found_back(found.size());
    thrust::copy(found.begin(), found.end(), found_back.begin());
    BACK(sums);
    compare("keys", found_back, keys);
    compare("sums", sums_back, want);
}
#endif
#endif

int main() {
    run(random_values<SMP_TYPE>(100));
    puts(is_wrong ? "different" : "equal");
    return is_wrong;
}
