// SPDX-License-Identifier: MIT
// Lambdas, what a call sets of its caller, and arrays of indices: as everyday_control.cu.

/// lambdas
__device__ int twice(int x) {
    auto f = [](int y) { return y * 2; };
    int y = 7;
    return f(x) + y - 7;
}
__global__ void k() {
    const int n = 5;
    int base = laneid & 7;
    auto at = [&](int r, int c) { return r * 33 + c + base; };
    s[at(2, 3) & 1023] = 1;
    base = 4;
    s[at(laneid, 1) & 1023] = 2;
    auto put = [&](int i) {
        if (i > 20)
            return;
        s[i + base] = i;
    };
    put(laneid);
    for (int i = 0; i < 3; i++)
        put(i * n);
    auto bump = [&base](int by) -> unsigned char {
        base += by;
        return base + 250;
    };
    s[bump(3)] = 1;
    s[base] += bump(1);
    {
        int base = 100;
        s[at(0, 0) + base & 1023] = 3;
    }
    auto copy = [=](auto x) { return x + n + (int)sizeof(x); };
    s[copy(3) + copy((char)laneid) & 1023] = 4;
    auto nothing = [&] { s[base + 9] = 7; };
    nothing();
    s[twice(laneid)] = 5;
    auto both = [&](int i) { return at(i, 0) + at(0, i); };
    int i = 77;
    s[both(2) + i & 1023] = 6;
    constexpr auto cdiv = [](int a, int b) { return (a + b - 1) / b; };
    s[cdiv(33, 4)] = 1;
    auto shift = [](int &x, int d = 2) { x <<= d; };
    int z = 3;
    shift(z);
    shift(z, 1);
    s[z] = 8;
}

/// loops of lambdas
__global__ void k() {
    for (int i = 0; i < 3; i++) {
        auto f = [=](int j) {
            for (int m = 0; m < 9; m++) {
                if (m == i)
                    continue;
                if (m > j)
                    break;
                s[m * 8 + i] = 1;
            }
            return i + j;
        };
        s[f(i + 1)] += f(laneid & 3);
    }
    unsigned total = 0;
    auto add = [&total](unsigned v) { return total += v; };
    for (int i = 0; i < 4; i++)
        add(laneid + i);
    s[total & 1023] = 2;
    const auto choose = [&](bool up) { return up ? 3 : -1ll; };
    s[choose(laneid > 7) + 1] = sizeof(choose(true));
    s[sizeof(choose(false))] = 4;
}

/// what a function sets of its caller
__device__ int bump(int &i) {
    i += 3;
    return i;
}
__global__ void k() {
    int i = laneid;
    s[i] += bump(i);
    h[i & 63] |= bump(i) & 3;
    s[i++] += i += bump(i) & 1;
}

/// local arrays
const int outer_[3] = {7, 9, -1};
__device__ int pick(int i) {
    const unsigned char o[] = {250, 3, 5};
    return o[i % 3] + outer_[i & 1];
}
__global__ void k() {
    const int o[4] = {0, 33, 66, 99};
    int dx[] = {-1, 0, 1, (int)laneid};
    short w[5] = {70000, 2};
    unsigned u[2] = {laneid * 3, 5};
    for (int i = 0; i < 4; i++)
        s[o[i] + 40 + dx[i] & 1023] = 1;
    s[o[laneid & 3] + w[0] & 1023] = 2;
    s[w[laneid % 5] + 5000 & 1023] = dx[2];
    s[sizeof(dx) / sizeof(dx[0]) + sizeof(w) + sizeof o[0]] = 3;
    s[pick(laneid)] = 4;
    s[(u[0] - u[1]) / 2 & 1023] = 5;
    if (laneid > 7 && dx[3] < 20)
        s[dx[laneid & 3] + outer_[2] + 3] += 6;
    {}
    for (int r = 0; r < 2; r++) {
        const int p[2] = {r * 8, r + (int)s[laneid] + 1};
        s[p[0] + 1] = 7;
    }
    auto f = [&](int i) { return o[i] + dx[i & 1]; };
    s[f(2) + 1] = 8;
    switch (o[1]) {
    case 33:
        s[500] = 9;
    }
}

/// sizes of open arrays
__global__ void k() {
    float w[] = {
        1.f,
        2.f,
        3.f,
    };
    int m[][2] = {{1, 2}, {3, 4}, {5, 6}};
    int q[][2] = {1, 2, 3, 4, 5};
    s[sizeof(w) + sizeof(m) / sizeof(m[0]) + sizeof(q)] = 1;
}

/// values of templates have their types
template <unsigned N, unsigned char C = 300 - 45> __device__ int below(int x) {
    auto c = C;
    c += 1;
    return (x - N < 0 ? 1 : 2) + (int)sizeof(c) * 8 + c;
}
__global__ void k() {
    s[below<5>(laneid & 3)] = 1;
}
