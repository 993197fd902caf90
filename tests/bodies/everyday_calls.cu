// SPDX-License-Identifier: MIT
// Lambdas, and what a call sets of its caller: as everyday_control.cu.

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
