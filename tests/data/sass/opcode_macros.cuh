// SPDX-License-Identifier: MIT
// What the kernels of opcodes.cu and forms.cu are written with: rows of results of 64 threads.
#ifndef OPCODE_MACROS_CUH
#define OPCODE_MACROS_CUH
// clang-format off

typedef unsigned u32;
typedef unsigned long long u64;
typedef long long s64;

#define KERNEL(name) extern "C" __global__ void name(u32 *out, const u32 *in)
#define INPUT                                                                            \
    const u32 i = threadIdx.x, x = in[4 * i], y = in[4 * i + 1], z = in[4 * i + 2], w = in[4 * i + 3]; \
    u32 row = 0
#define OUT(value) out[64 * row++ + i] = (u32)(value)
#define OUT64(value)                  \
    do {                              \
        u64 v_ = (u64)(value);        \
        OUT(v_);                      \
        OUT(v_ >> 32);                \
    } while (0)
#define OUTF(value) OUT(__float_as_uint(value))
#define OUTD(value) OUT64(__double_as_longlong(value))
#define ASM3(text, a, b, c) ({ u32 r_; asm(text " %0, %1, %2, %3;" : "=r"(r_) : "r"(a), "r"(b), "r"(c)); r_; })
#define ASM2(text, a, b) ({ u32 r_; asm(text " %0, %1, %2;" : "=r"(r_) : "r"(a), "r"(b)); r_; })
#define ASM1(text, a) ({ u32 r_; asm(text " %0, %1;" : "=r"(r_) : "r"(a)); r_; })
#define FASM3(text, a, b, c) ({ float r_; asm(text " %0, %1, %2, %3;" : "=f"(r_) : "f"(a), "f"(b), "f"(c)); r_; })
#define FASM2(text, a, b) ({ float r_; asm(text " %0, %1, %2;" : "=f"(r_) : "f"(a), "f"(b)); r_; })
#define FASM1(text, a) ({ float r_; asm(text " %0, %1;" : "=f"(r_) : "f"(a)); r_; })

#endif
