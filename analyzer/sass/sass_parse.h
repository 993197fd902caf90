/* SPDX-License-Identifier: MIT */
/*
 * An instruction parsed from nvdisasm's text: opcode, modifiers and operands by kind. Names
 * (opcodes, modifiers, suffixes, special registers) become numbers of sass_name.h.
 */
#pragma once

#include "disassembly.h"
#include "sass_name.h"

enum { SASS_WORDS_MAX = 16, SASS_SUFFIXES_MAX = 2, SASS_ZERO = 255, SASS_TRUE = 7 };

typedef enum sass_kind {
    OPERAND_OTHER,        /* anything else, or nothing */
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
    OPERAND_PLACE,        /* R4 -0x4c0: a register and an offset */
    OPERAND_SYMBOL,       /* `(name), 32@lo(name) */
    OPERAND_NAME,         /* 2D, SR_TID.X */
} sass_kind;

/* A register + a uniform register; the offset is the operand's number. */
typedef struct sass_address {
    int16_t base, uniform;                           /* -1: none */
    uint8_t scale;                                   /* left shift of the base: ".X4" */
    bool is_wide, is_uniform_wide, is_base_unsigned; /* ".64", ".64", ".U32" */
} sass_address;

typedef struct sass_operand {
    uint8_t kind; /* sass_kind */
    uint8_t index, bank, suffix_count;
    bool is_negated, is_inverted, is_absolute; /* "-", "~" or "!", "|R2|" */
    uint16_t name, suffix[SASS_SUFFIXES_MAX];  /* sass_name */
    sass_address at;
    int64_t number;
    double real; /* valid for both kinds of numbers */
    const char *text;
    unsigned length;
} sass_operand;

typedef struct sass_instruction {
    uint16_t opcode; /* without the U of uniform instructions; SASS_NONE: unknown */
    bool is_uniform;
    uint16_t modifiers[SASS_WORDS_MAX];
    unsigned modifier_count;
    sass_operand operands[SASS_WORDS_MAX];
    unsigned operand_count;
} sass_instruction;

/* False if there are too many words. *out points into the instruction's text. */
bool smp_sass_parse(const smp_instruction *instruction, sass_instruction *out);
/* Parses one operand, without surrounding blanks. */
void smp_sass_parse_operand(const char *text, size_t length, sass_operand *out);
/* Parses only opcode and modifiers, as in "LDS.U.128". */
bool smp_sass_parse_opcode(const char *text, sass_instruction *out);
const char *smp_sass_name_text(sass_name name); /* "?" for SASS_NONE */
