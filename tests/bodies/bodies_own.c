/* SPDX-License-Identifier: MIT */
/*
 * Arrays of a thread's own whose elements decide addresses, and change: declared with lists of
 * every form, indexed by constants and by what threads differ in.
 */
#include "bodies.h"

#define chance bodies_chance

enum { ROWS = 2, COLUMNS = 3, FLAT = 4, ARRAYS_MAX = 4 };

/* Each second one has two dimensions. */
static bool is_flat(unsigned array) {
    return array % 2 == 0;
}

static void put_list(body *b, bool is_nested) {
    put(b, is_nested ? "{{" : "{");
    for (unsigned i = 0; i < 3; i++) {
        put_integer(b, 1);
        put(b, i < 2 ? ", " : "");
    }
    put(b, is_nested ? "}, {7}}" : "}");
}

void put_own_arrays(body *b) {
    static const char *const types[] = {"int",           "unsigned",  "short",
                                        "unsigned char", "long long", "signed char"};
    for (b->arrays = 0; b->arrays < ARRAYS_MAX && chance(3) > 0;) {
        const unsigned name = b->arrays;
        put(b, "%s e%u", ONE_OF(types), name);
        if (is_flat(name))
            put(b, "[%u] = ", FLAT);
        else
            put(b, "[%u][%u] = ", ROWS, COLUMNS);
        /* What narrows in a list is an error of C++: the values are of no type that it knows. */
        if (chance(2) == 0)
            put(b, is_flat(name)    ? "{1, 'b', 3}"
                   : chance(2) == 0 ? "{{1, 2}, {3}}"
                                    : "{1, 2, 3, 4, 5}");
        else if (chance(2) == 0)
            put(b, "{}");
        else
            put_list(b, !is_flat(name));
        put(b, ";\n");
        b->arrays++;
    }
}

static void put_place(body *b, unsigned depth, unsigned below) {
    if (depth == 0 || chance(3) == 0) {
        put(b, "[%u]", chance(below));
        return;
    }
    put(b, "[(unsigned)(");
    put_integer(b, depth - 1);
    put(b, ") %% %u]", below);
}

void put_own_element(body *b, unsigned depth) {
    const unsigned name = chance(b->arrays);
    put(b, "e%u", name);
    put_place(b, depth, is_flat(name) ? FLAT : ROWS);
    if (!is_flat(name))
        put_place(b, depth, COLUMNS);
}

void put_own_change(body *b) {
    static const char *const operators[] = {
        " = ",       " = ",       " += ", " -= ",          " ^= ",
        " <<= 1 & ", " >>= 3 & ", " |= ", " %= 1 + (7 & ", " *= "};
    const char *op = ONE_OF(operators);
    switch (chance(5)) {
    case 0:
        put(b, chance(2) == 0 ? "++" : "--");
        put_own_element(b, 1);
        put(b, ";\n");
        return;
    case 1: /* the right side comes first */
        put(b, "s[");
        put_own_element(b, 1);
        put(b, chance(2) == 0 ? "++ & 1023] = " : "-- & 1023] = ");
        put_integer(b, 1);
        put(b, ";\n");
        return;
    case 2: /* in each pass a new one */
        put(b, "for (int j = 0; j < 2; j++) { short w[3] = {(short)(");
        put_integer(b, 1);
        put(b, "), (short)j}; w[(unsigned)(");
        put_integer(b, 1);
        put(b, ") %% 3] += j; s[(w[0] ^ w[1] ^ w[2]) & 1023] = w[j]; }\n");
        return;
    default:
        put_own_element(b, 2);
        put(b, "%s", op);
        put(b, "(");
        put_integer(b, 2);
        put(b, op[1] == '%' ? "));\n" : ");\n");
    }
}
