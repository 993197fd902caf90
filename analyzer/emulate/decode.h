/* SPDX-License-Identifier: MIT */
/*
 * The decoder's tools: an instruction's text as words, each taken once. What is not taken at the
 * end has no meaning here, and then neither has the instruction.
 */
#ifndef SMP_DECODE_H
#define SMP_DECODE_H

#include "lanes.h"

enum { WORDS_MAX = 16, WORD_BYTES = 96 };

typedef enum register_file { FILE_NONE, FILE_REGISTER, FILE_UNIFORM } register_file;
enum { REGISTER_ZERO = 255 }; /* RZ and URZ, as indices */

static inline int register_count(register_file file) {
    return file == FILE_UNIFORM ? ROW_SINK - ROW_UNIFORM : REGISTER_ZERO;
}

typedef struct decoder {
    emu_program *program;
    const smp_instruction *instruction;
    const uint8_t *raw;    /* its 16 bytes */
    uint64_t code_address; /* of its function */
    uint32_t from_bytes;   /* where its function begins among those of the launch */
    bool is_target;        /* its number is a place among these, not in its function */
    bool calls_system;     /* the driver's function at call_address, or none */
    uint64_t call_address;
    uop *u;
    char base[32]; /* "LDG" */
    char modifiers[WORDS_MAX][WORD_BYTES];
    unsigned modifier_count, modifiers_taken; /* as bits */
    char operands[WORDS_MAX][WORD_BYTES];
    unsigned operand_count, operand_next;
    bool is_uniform; /* U...: results are uniform, all lanes take part */
    bool is_unknown;
    bool is_out_of_memory;
} decoder;

/* decode_words.c: takes the modifier if it is there. */
bool take(decoder *d, const char *modifier);
/* The number of the name in a NULL-ended list that is among the modifiers; `fallback` if none. */
unsigned take_one(decoder *d, const char *const *names, unsigned fallback);
bool has_operand(const decoder *d);
const char *peek_operand(const decoder *d);
const char *next_operand(decoder *d);
bool split_instruction_words(decoder *d);

/* decode_operand.c. Each takes the next operand; what cannot be one makes the instruction unknown.
 */
void want_destination(decoder *d, unsigned rows);
void want_source(decoder *d, emu_operand *out, unsigned rows);                       /* integer */
void want_negatable(decoder *d, emu_operand *out, unsigned rows, uint32_t *negated); /* counted */
void want_complement(decoder *d, emu_operand *out, uint32_t *negated); /* -x as ~x, counted */
void want_float(decoder *d, emu_operand *out);
void want_double(decoder *d, emu_operand *out);
void want_double_high(decoder *d, emu_operand *out); /* its high word alone */
void want_half(decoder *d, emu_operand *out, bool is_bf16);
void want_bits(decoder *d, emu_operand *out, unsigned rows); /* no modifiers */
void want_predicate(decoder *d, uint8_t *out);
void want_predicate_out(decoder *d, uint8_t *out);
bool is_predicate(const char *operand);
uint32_t want_number(decoder *d);
/* A register, or a number that has bits of its own in the instruction. */
void want_bits_or_number(decoder *d, emu_operand *out);
void want_zeros(decoder *d, emu_operand *out, unsigned rows);
/* "[R2.64+0x10]" or "desc[UR4][R2.64+UR6]". */
void want_address(decoder *d, memory_address *out);
/* "c[0x0][0x160]": false if the operand is no such thing. */
bool read_bank(const char *text, unsigned *bank, uint32_t *offset);
int parse_register(const char *text, register_file *file, const char **rest);
emu_operand register_operand(decoder *d, register_file file, int index, unsigned rows);

/* The meaning of the instruction is a function of its lanes. */
static inline void decode_as_lanes(decoder *d, lane_fn fn) {
    d->u->kind = UOP_LANES;
    d->u->fn = fn;
}

/* decode_int.c, decode_lanes.c, decode_float.c, decode_memory.c, decode_control.c: one row an
 * opcode. */
typedef struct opcode_row {
    const char *name;
    void (*decode)(decoder *d);
} opcode_row;

extern const opcode_row opcodes_int[], opcodes_lanes[], opcodes_float[], opcodes_memory[],
    opcodes_control[], opcodes_async[], opcodes_bulk[], opcodes_matrix[], opcodes_packed[],
    opcodes_wide[], opcodes_texture[];
void decode_atoms_arrive(decoder *d); /* decode_async.c */
/* decode_packed.c */
void decode_packed_add(decoder *d);
void decode_packed_extreme(decoder *d);
void decode_packed_add_extreme(decoder *d);
void decode_fp8(decoder *d);
/* decode_wide.c */
void decode_wide_mov(decoder *d);
void decode_wide_sel(decoder *d);
void decode_wide_add3(decoder *d);
void decode_wide_setp(decoder *d, uint32_t comparison);
void decode_wide_extreme(decoder *d);
void want_no_predicates(decoder *d);
bool has_modifier(const decoder *d, const char *modifier); /* decode_words.c: not taken */

#endif
