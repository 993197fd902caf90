/* SPDX-License-Identifier: MIT */
/*
 * Tools of the decoder: each modifier and operand of an instruction is taken once. If any is left
 * at the end, the instruction is not emulated.
 */
#pragma once

#include <stddef.h>

#include "engine.h"
#include "lanes.h"
#include "sass_parse.h"

enum { OPCODE_MODIFIERS = 5, OPCODE_NEEDS = 2 };

typedef struct decoder {
    emu_program *program;
    const smp_instruction *instruction;
    uint32_t own_bits;     /* the 32 bits of the instruction that hold an immediate */
    uint64_t code_address; /* of its function */
    uint32_t from_bytes;   /* start of its function within the launch's code */
    bool is_target;        /* its number is a place in the launch's code, not in its function */
    bool calls_system;     /* names a driver function at call_address, or an unknown one */
    uint64_t call_address;
    uop *u;
    sass_instruction words;   /* marks and suffixes are removed when taken */
    uint32_t modifiers_taken; /* bit set */
    unsigned operand_next;
    unsigned sources, predicates, predicates_out; /* filled by `want` so far */
    uint32_t negated;                             /* sources of "~" and "M" with a minus */
    bool is_uniform; /* U...: uniform results, executed for all lanes */
    bool is_unknown;
    bool is_out_of_memory;
} decoder;

/* ---- decode_operand.c: modifiers ---- */

/* What a modifier adds to imm and imm2, or to bytes of the memory row instead. */
typedef struct modifier_row {
    uint16_t name; /* sass_name; the SASS_NONE row ends a table and applies if no name matched */
    uint32_t imm, imm2;
    uint8_t to, to2; /* IN_MEMORY(member) that receives imm or imm2; 0: the operation's own field */
    bool is_needed;  /* in the last row: without any of the table's names the instruction is unknown
                      */
} modifier_row;

/* A modifier without effect; NAME(NONE) ends a table. */
#define NAME(word) \
    { .name = SASS_##word }
/* A one-byte member. */
#define IN_MEMORY(member) (uint8_t)(1 + offsetof(uop_memory, member))

/* Takes the modifier if present. */
bool take(decoder *d, sass_name name);
/* Takes the modifier; without it the instruction is unknown. */
void need(decoder *d, sass_name name);
bool has_modifier(const decoder *d, sass_name name); /* present and not taken */
/* Takes the first name of the list (ended by SASS_NONE) that is present and returns its index, else
 * `fallback`. */
unsigned take_one(decoder *d, const uint16_t *names, unsigned fallback);
/* The same; if none is present, the instruction is unknown and the list's length is returned. */
unsigned need_one(decoder *d, const uint16_t *names);
/* Takes the first two modifiers that are in the list, perhaps one name twice, as in "S8.U8". */
void need_two(decoder *d, const uint16_t *names, unsigned found[2]);
void take_modifiers(decoder *d, const modifier_row *rows);
/* The same for a name that is an operand. */
void want_name(decoder *d, const modifier_row *rows);

/* ---- decode_operand.c: operands. What cannot be one makes the instruction unknown. ---- */

bool has_operand(const decoder *d);
/* The next operand; OPERAND_OTHER if there is none. */
sass_operand *peek_operand(decoder *d);
sass_operand *next_operand(decoder *d);
bool next_is(decoder *d, sass_kind kind);

/* Takes operands, one letter each. Sources fill a, b and c of the micro-operation, predicates p, q
 * and r, written predicates p_out and q_out. */
/* clang-format off */
/*   d D  destination of one register, of two     o O  predicate that is written, if the next is one
 *   i    integer: -R4, ~R4                       p P  predicate, if the next is one
 *   ~    -R4 as ~R4, and counted                 b B  without signs, of one register, of two
 *   M    of two registers, its minus counted     n    register, or a number of its own bits
 *   f F  floating-point, double                  w    two registers or a number of 64 bits
 *   h H  high word of a double, two halves       W V  the same whose minus, whose ~ is a bit of imm:
 *   -    two predicates that nobody uses              1, 2, 4 by source
 *   z Z  nothing: zeros of one register, of two  s    a register whose minus is such a bit
 *   @ A  address, the second one                 0    RZ
 *   e    destination, if the next is a register
 *   g    address of global memory                L S  destination, source of what a lane moves
 *   r #  barrier register, byte, in imm          t    place in the code, in `target`
 *   *    all that is left, and all modifiers: they change nothing here */
/* clang-format on */
void want(decoder *d, const char *operands);
void want_destination(decoder *d, unsigned rows);
void want_bits(decoder *d, emu_operand *out, unsigned rows);
uint32_t want_number(decoder *d);
uint32_t want_barrier_register(decoder *d);
void want_address(decoder *d, memory_address *out);
/* The address has 64 bits: in a pair, or a uniform pair with an unsigned register. */
void widen_address(decoder *d, memory_address *at);
/* The address of an operand that has one. */
void read_address(decoder *d, const sass_operand *from, memory_address *out);
/* Removes the suffix from the operand if it is this one. */
bool take_suffix(sass_operand *operand, sass_name suffix);
bool take_minus(sass_operand *operand);
bool is_register(const sass_operand *operand); /* regular or uniform */
bool is_name(const sass_operand *operand, sass_name name);
emu_operand register_operand(decoder *d, sass_kind kind, int index, unsigned rows);
emu_operand constant_operand(decoder *d, const uint32_t *values, unsigned rows);
/* The instruction's row of the program's memory instructions; begin_memory makes one like
 * `like`. */
uop_memory *memory_of(const decoder *d);
uop_memory *begin_memory(decoder *d, const uop_memory *like);

/* Sets the function that computes the instruction. */
static inline void decode_as_lanes(decoder *d, lane_fn fn) {
    d->u->kind = UOP_LANES;
    d->u->fn = fn;
}

/* ---- decode_int.c and its like: a row an opcode, or one of its forms ---- */

typedef struct opcode_row {
    uint16_t opcode;              /* sass_name; SASS_NONE ends a table */
    uint16_t when;                /* only with this modifier; SASS_NONE: in all other cases */
    uint8_t kind;                 /* uop_kind, if `fn` is NULL */
    lane_fn fn;                   /* computes the result */
    lane_fn modified;             /* replaces `fn` if imm is not 0; NULL: no difference */
    uint32_t imm, imm2;           /* initial values */
    bool is_uniform;              /* uniform results without a U before the name */
    const uop_memory *memory;     /* MEMORY(...) for instructions that access memory */
    uint16_t needs[OPCODE_NEEDS]; /* modifiers without which the instruction is unknown */
    const modifier_row *modifiers[OPCODE_MODIFIERS]; /* taken next */
    void (*decode)(decoder *d); /* then whatever no column can express; NULL: nothing */
    const char *operands;       /* letters of `want`, taken last, or NULL */
} opcode_row;

/* MEMORY(LOAD, GLOBAL, .width_bytes = 4): kind, space, and other fields. */
#define MEMORY(of, ...)                                   \
    &(const uop_memory) {                                 \
        .kind = MEMORY_##of, .space = SPACE_##__VA_ARGS__ \
    }

extern const opcode_row opcodes_int[], opcodes_lanes[], opcodes_float[], opcodes_memory[],
    opcodes_control[], opcodes_async[], opcodes_matrix[], opcodes_texture[];
/* decode_int.c: comparisons, and how their result joins a predicate */
extern const modifier_row comparisons[], joins[];
/* decode_memory.c: cache hints and scopes; bytes per lane; atomic operations and their types */
extern const modifier_row memory_hints[], copied_widths[], atomics[], atomic_types[];
