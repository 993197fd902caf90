/* SPDX-License-Identifier: MIT */
/*
 * Random bodies of kernels, over the arrays that bodies.c declares: expressions of every type,
 * loops, conditions, pointers, macros. Of what memory holds, only the arrays that have data (K, B,
 * H, N, R) decide accesses.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bodies.h"

/* ---- Chance ---- */

static uint64_t state;

void bodies_seed(uint64_t seed) {
    state = seed * UINT64_C(0x2545f4914f6cdd1d);
}

uint32_t bodies_chance(uint32_t below) {
    state += UINT64_C(0x9e3779b97f4a7c15);
    uint64_t x = state;
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return (uint32_t)((x ^ x >> 31) >> 32) % below;
}

#define chance bodies_chance

const char *one_of(const char *const *list, size_t count) {
    return list[chance((uint32_t)count)];
}

/* ---- Text ---- */

void put(body *b, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(b->text + b->length, TEXT_MAX - b->length, format, arguments);
    va_end(arguments);
    b->length += (size_t)length;
    if (b->length >= TEXT_MAX)
        b->length = TEXT_MAX - 1;
}

/* ---- Integers ---- */

/* An element of an array with data; other elements may decide its index. */
static void put_given(body *b, unsigned depth) {
    static const char names[] = "KBHNR";
    static const unsigned below[] = {256, 64, 128, 32, 65};
    const unsigned i = chance(sizeof below / sizeof below[0]);
    put(b, depth > 0 ? "%c[(unsigned)(" : "%c[laneid]", names[i]);
    if (depth == 0)
        return;
    put_integer(b, depth - 1);
    put(b, ") %% %u]", below[i]);
}

static void put_leaf(body *b) {
    static const char *const leaves[] = {
        "threadIdx.x", "threadIdx.y", "laneid",    "warpid",       "(int)laneid", "warpSize",
        "blockDim.x",  "3",           "7u",        "12",           "1ll",         "0x1f",
        "'a'",         "W",           "SUM(2, 3)", "sizeof(s[0])", "sizeof t[1]", "blockIdx.x",
        "gridDim.x",   "threadIdx.z", "0b101",     "010",          "1'000",       "sizeof(float4)",
        "sizeof t",    "TWICE(7)",    "-1"};
    if (b->visible_count > 0 && chance(2) == 0)
        put(b, "i%u", b->visible[chance(b->visible_count)]);
    else
        put(b, "%s", ONE_OF(leaves));
}

static void put_binary(body *b, unsigned depth) {
    static const char *const operators[] = {" + ", " - ",  " * ",  " & ",  " | ",  " ^ ",  " < ",
                                            " > ", " == ", " != ", " && ", " || ", " <= ", " >= "};
    const char *op = ONE_OF(operators);
    bool opens = chance(3) > 0;
    put(b, opens ? "(" : "");
    put_integer(b, depth - 1);
    put(b, "%s", op);
    put_integer(b, depth - 1);
    put(b, opens ? ")" : "");
}

static void put_call(body *b, unsigned depth) {
    if (chance(3) == 0) {
        put_function(b, depth);
        return;
    }
    static const char *const one[] = {"abs((short)", "HALF("};
    static const char *const two[] = {"min((int)", "max(3u, "};
    if (chance(2) == 0) {
        put(b, "%s", ONE_OF(one));
        put(b, "(");
        put_integer(b, depth - 1);
        put(b, "))");
        return;
    }
    const char *name = ONE_OF(two);
    put(b, "%s(", name);
    put_integer(b, depth - 1);
    put(b, "%s", strncmp(name, "min", 3) == 0 ? "), 9)" : "))");
}

/* A shift by what threads differ in; two values of which the first is dropped. */
static void put_pair(body *b, unsigned depth) {
    static const char *const joints[] = {") << (", ") >> (", "), ("};
    put(b, "((");
    put_integer(b, depth - 1);
    const char *joint = ONE_OF(joints);
    put(b, "%s", joint);
    put_integer(b, depth - 1);
    put(b, joint[2] == ',' || joint[1] == ',' ? "))" : " & 7))");
}

void put_integer(body *b, unsigned depth) {
    static const char *const casts[] = {"(int)",           "(unsigned)",  "(short)",
                                        "(unsigned char)", "(long long)", "static_cast<unsigned>",
                                        "(signed char)",   "(bool)",      "(unsigned short)",
                                        "(size_t)"};
    if (chance(14) == 0) {
        put_given(b, depth);
        return;
    }
    switch (depth == 0 ? 0 : chance(10)) {
    case 0:
    case 1:
        put_leaf(b);
        return;
    case 2:
        put(b, "%s(", ONE_OF(casts));
        put_integer(b, depth - 1);
        put(b, ")");
        return;
    case 3:
        put(b, "(");
        put_integer(b, depth - 1);
        put(b, " ? ");
        put_integer(b, depth - 1);
        put(b, " : ");
        put_integer(b, depth - 1);
        put(b, ")");
        return;
    case 4:
        put(b, "%s(", chance(2) == 0 ? "~" : "!");
        put_integer(b, depth - 1);
        put(b, ")");
        return;
    case 5:
        put(b, "((");
        put_integer(b, depth - 1);
        put(b, chance(2) == 0 ? ") / (1 + (" : ") %% (1 + (");
        put_integer(b, depth - 1);
        put(b, " & 7)))");
        return;
    case 6:
        put(b, "((");
        put_integer(b, depth - 1);
        put(b, chance(2) == 0 ? ") << %u)" : ") >> %u)", chance(8));
        return;
    case 7:
        put_call(b, depth);
        return;
    case 8:
        put_pair(b, depth);
        return;
    default:
        put_binary(b, depth);
    }
}

/* ---- Statements ---- */

static void put_statement(body *b);

static void put_block(body *b) {
    unsigned visible = b->visible_count;
    put(b, "{\n");
    /* A name of outside that means something else here. */
    if (visible > 0 && b->loops == 0 && chance(4) == 0)
        put(b, "%s i%u = laneid * 3 - 40;\n", chance(2) == 0 ? "int" : "unsigned char",
            b->visible[chance(visible)]);
    for (unsigned i = 1 + chance(3); i > 0; i--)
        put_statement(b);
    put(b, "}\n");
    b->visible_count = visible;
}

/* A body in braces or one statement that declares nothing. */
static void put_branch(body *b) {
    if (chance(3) > 0) {
        put_block(b);
        return;
    }
    put(b, "\n ");
    put_element(b);
    put(b, " = ");
    put_data(b, 1);
    put(b, ";\n");
}

static void put_declaration(body *b) {
    static const char *const types[] = {"int",       "unsigned",      "long long", "const int",
                                        "short",     "unsigned char", "size_t",    "const unsigned",
                                        "int",       "auto",          "auto",      "bool",
                                        "const auto"};
    if (b->visible_count == NAMES_MAX)
        return;
    const char *type = ONE_OF(types);
    unsigned name = b->names++;
    put(b, "%s i%u = ", type, name);
    put_integer(b, 3);
    put(b, chance(4) == 0 ? "; // declared\n" : ";\n");
    b->visible[b->visible_count++] = name;
}

static void put_loop(body *b) {
    static const char *const types[] = {"int", "unsigned", "long long", "unsigned char"};
    static const char *const heads[] = {"for (%s i%u = 0; i%u < 3; i%u++) ",
                                        "for (%s i%u = 4; i%u > 1; i%u -= 2) ",
                                        "for (%s i%u = laneid; i%u < 70; i%u += 32) ",
                                        "for (%s i%u = 16; i%u > 0; i%u >>= 2) ",
                                        "for (%s i%u = 5; i%u < 2; ++i%u) ",
                                        "for (%s i%u = 1; i%u <= 9; i%u *= 3) ",
                                        "for (%s i%u = R[laneid]; i%u < R[laneid + 1]; i%u++) ",
                                        "for (%s i%u = B[laneid] & 3; i%u < (K[5] & 7); i%u++) ",
                                        "for (%s i%u = threadIdx.x & 3; i%u != 5; i%u = i%u + 1) "};
    if (b->visible_count == NAMES_MAX || b->loops == 2)
        return;
    unsigned name = b->names++;
    const char *head = ONE_OF(heads);
    b->loops++;
    b->continues++;
    put(b, head, ONE_OF(types), name, name, name, name);
    b->visible[b->visible_count++] = name;
    /* The loop counter is not set by the body. */
    unsigned visible = b->visible_count;
    put(b, "{\n");
    for (unsigned i = 1 + chance(2); i > 0; i--)
        put_statement(b);
    if (chance(4) == 0) {
        put(b, "if (");
        put_integer(b, 2);
        put(b, chance(2) == 0 ? ") break;\n" : ") continue;\n");
        put_statement(b);
    }
    put(b, "}\n");
    b->visible_count = visible - 1;
    b->continues--;
    b->loops--;
}

static void put_while(body *b) {
    if (b->visible_count == NAMES_MAX || b->loops == 2)
        return;
    unsigned name = b->names++;
    bool tests_last = chance(2) == 0;
    unsigned continues = b->continues;
    b->continues = 0; /* what counts would not be set */
    b->loops++;
    put(b, "int i%u = threadIdx.x & 3;\n", name);
    if (tests_last)
        put(b, "do {\n");
    else
        put(b, "while (i%u < 4) {\n", name);
    unsigned visible = b->visible_count;
    put_statement(b);
    put(b, "i%u++;\n", name);
    b->visible_count = visible;
    if (tests_last)
        put(b, "} while (i%u < 4);\n", name);
    else
        put(b, "}\n");
    b->continues = continues;
    b->loops--;
    b->visible[b->visible_count++] = name;
}

static void put_if(body *b) {
    put(b, "if (");
    put_integer(b, 2);
    put(b, ") ");
    put_branch(b);
    if (chance(2) == 0) {
        put(b, "else ");
        put_branch(b);
    }
}

static void put_assignment(body *b) {
    static const char *const operators[] = {" = ", " = ", " += "};
    static const char *const whole[] = {" |= 3;\n", " <<= 1;\n", " ^= laneid;\n", " %= 5;\n"};
    const char *op = ONE_OF(operators);
    if (chance(12) == 0) {
        put_wrapped(b, chance(2) == 0 ? "++s[" : "--s[", 1024, "];\n");
        return;
    }
    if (chance(12) == 0) {
        put_wrapped(b, "h[", 512, "]");
        put(b, "%s", ONE_OF(whole));
        return;
    }
    put_element(b);
    if (chance(6) == 0) {
        put(b, chance(2) == 0 ? "++;\n" : "--;\n");
        return;
    }
    put(b, "%s", op);
    bool reads = strcmp(op, " = ") != 0;
    if (!reads && chance(6) == 0) {
        put_element(b);
        put(b, " = ");
    }
    put_data(b, 2);
    put(b, chance(4) == 0 ? "; " : ";\n");
}

static void put_more(body *b, unsigned name) {
    switch (chance(5)) {
    case 0:
        put(b, "(void)(");
        put_element(b);
        put(b, " = 1), ");
        put_element(b);
        put(b, " = 2;\n");
        return;
    case 1:
        put(b, "PUT(");
        put_integer(b, 2);
        put(b, ", ");
        put_element(b);
        put(b, ");\n");
        return;
    case 2:
        put(b, "for (int a%u = 0, z%u = 7; a%u < z%u; a%u++, z%u -= 2) s[a%u * 8 + z%u] = ", name,
            name, name, name, name, name, name, name);
        put_element(b);
        put(b, ";\n");
        return;
    case 3:
        put(b, "int m%u = 0;\nwhile (true) {\nif (m%u++ > 1) break;\ns[m%u] = 1;\nif (", name, name,
            name);
        put_integer(b, 2);
        put(b, ") continue;\n");
        put_element(b);
        put(b, " = 3;\n}\n");
        return;
    default:
        put_wrapped(b, "atomicAdd(&t[", 32, "]");
        put_wrapped(b, "[", 32, "], 1.f);\n");
        return;
    }
}

static void put_other(body *b) {
    unsigned name = b->names++;
    if (chance(3) == 0) {
        put_called(b, name);
        return;
    }
    if (chance(12) >= 7) {
        put_more(b, name);
        return;
    }
    switch (chance(8)) {
    case 0:
        put(b, "float x%u = ", name);
        put_data(b, 2);
        put(b, ", y%u = ", name);
        put_data(b, 1);
        put(b, ";\n");
        return;
    case 1:
        put_wrapped(b, "atomicAdd(&s[", 1024, "], 1);\n");
        return;
    case 2:
        put(b, "int old%u = ", name);
        put_wrapped(b, "atomicMax(&s[", 1024, "], 3);\n");
        return;
    case 3:
        put(b, "float g%u[4]; g%u", name, name);
        put_wrapped(b, "[", 4, "] = ");
        put_element(b);
        put(b, ";\n");
        return;
    case 4:
        put(b, "auto k%u = ", name);
        put_wrapped(b, "__ldg(&A[", 4096, "]);\n");
        return;
    case 5:
        put(b, "auto w%u = ", name);
        put_wrapped(b, "__cvta_generic_to_shared(&s[", 1024, "]);\n");
        return;
    case 6:
        put_atomic(b);
        return;
    default:
        put(b, "/* a comment\n over lines */ __syncwarp();\n");
    }
}

static void put_update(body *b) {
    unsigned name = b->names++;
    if (b->visible_count == NAMES_MAX)
        return;
    put(b, "unsigned i%u = laneid; i%u ", name, name);
    put(b, chance(2) == 0 ? "+= " : "^= ");
    put_integer(b, 2);
    put(b, ";\n");
    put_wrapped(b, "s[", 1024, "] = ");
    put(b, chance(2) == 0 ? "s[i%u++ & 63];\n" : "s[--i%u & 63];\n", name);
    b->visible[b->visible_count++] = name;
}

static void put_statement(body *b) {
    if (b->depth == 4) {
        put_assignment(b);
        return;
    }
    b->depth++;
    switch (chance(11)) {
    case 0:
    case 1:
        put_declaration(b);
        break;
    case 2:
    case 7:
        put_if(b);
        break;
    case 3:
        put_loop(b);
        break;
    case 4:
        put_while(b);
        break;
    case 5:
        put_other(b);
        break;
    case 6:
        put_update(b);
        break;
    default:
        put_assignment(b);
    }
    b->depth--;
}

/* Pointers, a reference, a row: what else may name an element. */
static void put_pointers(body *b) {
    put_wrapped(b, "int *q = &s[", 512, "];\n");
    put_wrapped(b, "float &r = t[", 32, "][4];\n");
    put_wrapped(b, "auto &row = t[", 32, "];\n");
    if (chance(2) == 0)
        put(b, "q += laneid & 7;\n");
    if (chance(2) == 0)
        put(b, "*q++ = 2;\n");
    b->has_pointer = true;
}

void body_make(body *b) {
    *b = (body){.length = 0};
    put(b, "#define W 4 + 4\n#define HALF(x) x / 2\n#define SUM(a, b) ((a) + \\\n (b))\n");
    put(b, "#if W > %u && defined(HALF)\n#define EARLY %u\n#else\n#define EARLY laneid\n#endif\n",
        4 + chance(8), 20 + chance(30));
    put(b, "#define TWICE(x) (HALF(x) * 2)\n#define AT(i) s[(i) + 1]\n");
    put(b,
        "#ifndef W\n#define CELL(i) 0\n#elif W == %u\n#define CELL(i) (i) * 2\n#else\n"
        "#define CELL(i) (i) * 3 + 1\n#endif\n",
        6 + chance(4));
    put(b, "#define PUT(i, x) do { s[(i) & 63] = (x); } while (0)\n");
    if (chance(2) == 0)
        put_pointers(b);
    for (unsigned i = 1 + chance(6); i > 0; i--)
        put_statement(b);
    if (chance(4) == 0) {
        put(b, "if (threadIdx.x > EARLY) return;\n");
        put_statement(b);
    }
    put_assignment(b);
    put(b, "\n#undef EARLY\n#undef W\n#undef HALF\n#undef SUM\n#undef TWICE\n#undef AT\n#undef "
           "CELL\n#undef PUT\n");
}
