/* SPDX-License-Identifier: MIT */
/*
 * An instruction as nvdisasm prints it, read once: opcode, modifiers and operands by kind. What
 * has a name (opcodes, modifiers, suffixes, special registers) is a number of sass_name.h.
 */
#pragma once

#include "disassembly.h"
#include "sass_name.h"

enum { SASS_WORDS_MAX = 16, SASS_SUFFIXES_MAX = 2, SASS_ZERO = 255, SASS_TRUE = 7 };

typedef enum sass_kind {
    OPERAND_OTHER,        /* none of the others, or none at all */
    OPERAND_REGISTER,     /* R4, RZ (SASS_ZERO) */
    OPERAND_UNIFORM,      /* UR4, URZ */
    OPERAND_PREDICATE,    /* P0, PT (SASS_TRUE); from 8 on: UP0, UPT */
    OPERAND_BARRIER,      /* B0 */
    OPERAND_NUMBER,       /* 0x10, -5 */
    OPERAND_REAL,         /* 1.5, +INF, -QNAN */
    OPERAND_BANK,         /* c[0x0][0x160] */
    OPERAND_BANK_ADDRESS, /* c[0x3][R4+0x10] */
    OPERAND_BANK_HANDLE,  /* cx[UR4][0x10] */
    OPERAND_ADDRESS,      /* [R2.64+UR4+-0x8], desc[UR6][R2.64] */
    OPERAND_DESCRIPTOR,   /* desc[UR6] alone */
    OPERAND_MATRICES,     /* gdesc[UR8].tnspB */
    OPERAND_PLACE,        /* R4 -0x4c0: so far from a register */
    OPERAND_SYMBOL,       /* `(name), 32@lo(name) */
    OPERAND_NAME,         /* 2D, SR_TID.X */
} sass_kind;

/* A register + a uniform register; the number is the operand's. */
typedef struct sass_address {
    int16_t base, uniform; /* -1: none */
    uint8_t scale;         /* the base is shifted left by so many bits: ".X4" */
    bool is_wide, is_uniform_wide, is_base_unsigned; /* ".64", ".64", ".U32" */
} sass_address;

typedef struct sass_operand {
    uint8_t kind; /* sass_kind */
    uint8_t index, bank, suffix_count;
    bool is_negated, is_inverted, is_absolute; /* "-", "~" or "!", "|R2|" */
    uint16_t name, suffix[SASS_SUFFIXES_MAX];  /* sass_name */
    sass_address at;
    int64_t number;
    double real; /* of both kinds of numbers */
    const char *text;
    unsigned length;
} sass_operand;

typedef struct sass_instruction {
    uint16_t opcode; /* without the U of uniform ones; SASS_NONE: no name that is known */
    bool is_uniform;
    uint16_t modifiers[SASS_WORDS_MAX];
    unsigned modifier_count;
    sass_operand operands[SASS_WORDS_MAX];
    unsigned operand_count;
} sass_instruction;

/* False: more words than there is room for. What is in *out points into the instruction's text. */
bool smp_sass_parse(const smp_instruction *instruction, sass_instruction *out);
/* One operand, without blanks around it. */
void smp_sass_parse_operand(const char *text, size_t length, sass_operand *out);
/* Opcode and modifiers of "LDS.U.128" alone. */
bool smp_sass_parse_opcode(const char *text, sass_instruction *out);
const char *smp_sass_name_text(sass_name name); /* "?" of SASS_NONE */
