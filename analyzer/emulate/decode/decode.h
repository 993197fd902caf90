/* SPDX-License-Identifier: MIT */
/*
 * The decoder's tools: modifiers and operands of an instruction, each taken once. What is not taken
 * at the end has no meaning here, and then neither has the instruction.
 */
#pragma once

#include <stddef.h>

#include "lanes.h"
#include "sass_parse.h"

enum { OPCODE_MODIFIERS = 5, INSTRUCTION_BYTES = 16 };

typedef struct decoder {
    emu_program *program;
    const smp_instruction *instruction;
    uint32_t own_bits;     /* where a number of its own stands in the instruction */
    uint64_t code_address; /* of its function */
    uint32_t from_bytes;   /* where its function begins among those of the launch */
    bool is_target;        /* its number is a place among these, not in its function */
    bool calls_system;     /* the driver's function at call_address, or none */
    uint64_t call_address;
    uop *u;
    sass_instruction words;   /* marks and suffixes are cut off where they are taken */
    uint32_t modifiers_taken; /* as bits */
    unsigned operand_next;
    unsigned sources, predicates, predicates_out; /* how many `want` has filled */
    uint32_t negated;                             /* how many sources of "~" and "M" have a minus */
    bool is_uniform; /* U...: results are uniform, all lanes take part */
    bool is_unknown;
    bool is_out_of_memory;
} decoder;

/* ---- decode_operand.c: modifiers ---- */

/* What a modifier puts into imm and imm2, or in place of them into bytes of the row of memory. */
typedef struct modifier_row {
    uint16_t
        name; /* sass_name; SASS_NONE ends a table: what stands there is for none of its names */
    uint32_t imm, imm2;
    uint8_t to, to2; /* IN_MEMORY(member), which gets imm, imm2; 0: they are the operation's own */
    bool is_needed;  /* of the end: without any of the table's the instruction is unknown */
} modifier_row;

/* A modifier that changes nothing; NAME(NONE): the end. */
#define NAME(word) \
    { .name = SASS_##word }
/* A member of one byte. */
#define IN_MEMORY(member) (uint8_t)(1 + offsetof(uop_memory, member))

/* Takes the modifier if it is there. */
bool take(decoder *d, sass_name name);
/* Takes it, or the instruction is unknown. */
void need(decoder *d, sass_name name);
bool has_modifier(const decoder *d, sass_name name); /* not taken */
/* The place of the first of a list, ended by SASS_NONE, that is among the modifiers; `fallback`. */
unsigned take_one(decoder *d, const uint16_t *names, unsigned fallback);
/* The same, and unknown where there is none: the length of the list. */
unsigned need_one(decoder *d, const uint16_t *names);
void take_modifiers(decoder *d, const modifier_row *rows);
/* The same of a name that is an operand. */
void want_name(decoder *d, const modifier_row *rows);

/* ---- decode_operand.c: operands. What cannot be one makes the instruction unknown. ---- */

bool has_operand(const decoder *d);
/* The next one; of OPERAND_OTHER where there is none. */
sass_operand *peek_operand(decoder *d);
sass_operand *next_operand(decoder *d);
bool next_is(decoder *d, sass_kind kind);

/* Takes operands, a letter each; sources go into a, b and c of the micro-operation, predicates
 * into p, q and r, predicates that are written into p_out and q_out. */
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
/* The address of an operand that has one. */
void read_address(decoder *d, const sass_operand *from, memory_address *out);
/* The operand's suffix if it is this one, which is cut off. */
bool take_suffix(sass_operand *operand, sass_name suffix);
bool take_minus(sass_operand *operand);
bool is_register(const sass_operand *operand); /* of either file */
bool is_name(const sass_operand *operand, sass_name name);
emu_operand register_operand(decoder *d, sass_kind kind, int index, unsigned rows);
emu_operand constant_operand(decoder *d, const uint32_t *values, unsigned rows);
/* The instruction's row in the program's table of memory instructions; a new one like `like`. */
uop_memory *memory_of(const decoder *d);
uop_memory *begin_memory(decoder *d, const uop_memory *like);

/* The meaning of the instruction is a function of its lanes. */
static inline void decode_as_lanes(decoder *d, lane_fn fn) {
    d->u->kind = UOP_LANES;
    d->u->fn = fn;
}

/* ---- decode_int.c and its like: a row an opcode, or one of its forms ---- */

typedef struct opcode_row {
    uint16_t opcode;          /* sass_name; SASS_NONE ends a table */
    uint16_t when;            /* only with this modifier; SASS_NONE: all others */
    uint8_t kind;             /* uop_kind, where `fn` is NULL */
    lane_fn fn;               /* what it computes */
    lane_fn modified;         /* in place of it where imm is not 0; NULL: the same */
    uint32_t imm, imm2;       /* what these begin with */
    bool is_uniform;          /* results are uniform, though no U is before the name */
    const uop_memory *memory; /* MEMORY(...): it is one that reaches memory */
    const modifier_row *modifiers[OPCODE_MODIFIERS]; /* taken first */
    void (*decode)(decoder *d); /* then what no column can say; NULL: nothing */
    const char *operands;       /* then these, of `want`; NULL: none */
} opcode_row;

/* MEMORY(LOAD, GLOBAL, .width_bytes = 4): the kind, the space, and then what else it is. */
#define MEMORY(of, ...)                                   \
    &(const uop_memory) {                                 \
        .kind = MEMORY_##of, .space = SPACE_##__VA_ARGS__ \
    }

extern const opcode_row opcodes_int[], opcodes_lanes[], opcodes_float[], opcodes_memory[],
    opcodes_control[], opcodes_async[], opcodes_matrix[], opcodes_texture[];
/* decode_int.c: how numbers compare, and how that joins a predicate */
extern const modifier_row comparisons[], joins[];
/* decode_memory.c: cache hints and scopes; bytes a lane; what atomics compute, of which type */
extern const modifier_row memory_hints[], memory_widths[], copied_widths[], atomics[],
    atomic_types[];
