/* SPDX-License-Identifier: MIT */
/*
 * The contents of a cubin: functions with their parameters, shared arrays, sizes and machine
 * instructions, and the source lines of these.
 *
 * smp_code_open reads the ELF file (no tool needed). smp_code_disassemble runs NVIDIA's nvdisasm
 * for the requested functions that are not cached (code_cache.h). All strings belong to the
 * smp_code and live until smp_code_close. Nothing here prints or exits; a file that is no valid
 * cubin is SMP_E_READ.
 */
#pragma once

#include "smp_model.h"

enum { INSTRUCTION_BYTES = 16 };

/* A source line, one level of inlining. */
typedef struct smp_source_line {
    const char *file;
    uint32_t line;
} smp_source_line;

typedef struct smp_code_array {
    const char *name;      /* as in the source, "tile" */
    const char *type;      /* "float"; NULL if unknown */
    uint32_t offset_bytes; /* from the start of the block's memory as programs see it */
    uint32_t size_bytes;   /* 0: sized at the launch */
} smp_code_array;

typedef struct smp_instruction {
    uint32_t offset_bytes; /* from the start of its section, as reports print it */
    const char *predicate; /* "@!P0"; "": always */
    const char *opcode;    /* "LDG.E.128" */
    const char *operands;  /* "R4, desc[UR8][R2.64]"; labels of the section are offsets, 0x160 */
    const smp_source_line *frames; /* innermost first; NULL: no line information */
    uint32_t frame_count;
} smp_instruction;

typedef struct smp_parameter {
    uint32_t offset_bytes; /* from the first parameter */
    uint32_t size_bytes;
} smp_parameter;

typedef struct smp_function smp_function;

/* A function among those that a launch may run, which are concatenated. */
typedef struct smp_code_part {
    const smp_function *function;
    uint32_t first; /* index of its first instruction in the whole */
} smp_code_part;

/* One section of code: a kernel with the functions in its section, or separately compiled
 * functions. */
struct smp_function {
    const char *name;      /* mangled */
    const char *demangled; /* NULL: same as `name` */
    bool is_kernel;
    uint64_t code_hash;
    const uint8_t *code; /* in the caller's bytes */
    uint32_t code_bytes;
    uint32_t symbol_index, section_index;
    uint32_t registers;
    uint32_t shared_bytes;          /* static arrays, without the reserved part */
    uint32_t shared_reserved_bytes; /* before them: 1024 from CC 9.0 on */
    uint32_t local_bytes;           /* of one thread's frame */
    uint32_t max_threads[3];        /* __launch_bounds__ or required block size, or 0 */
    uint32_t cluster[3];         /* cluster size in blocks (__cluster_dims__); 0: not specified */
    uint32_t max_cluster_blocks; /* 0: not specified */
    bool is_launched_by_cluster; /* the grid counts clusters (__block_size__) */
    uint32_t parameter_base;     /* of the first parameter in constant bank 0 */
    uint32_t parameter_bytes;
    smp_parameter *parameters;
    uint32_t parameter_count;
    smp_code_array *arrays; /* only if all of them are known for certain */
    uint32_t array_count;
    smp_instruction *instructions; /* NULL: not disassembled; [i] is at offset i x 16 */
    uint32_t instruction_count;
    uint64_t place_bytes; /* offset of its code among the cubin's functions */
    /* The function and those that it calls in other sections; and the instructions of all, with
     * continuous offsets. With one part: `instructions`. NULL: not disassembled by name. */
    smp_code_part *parts;
    uint32_t part_count;
    const smp_instruction *linked;
    uint32_t linked_count;
};

/* Its name as people write it. */
static inline const char *smp_function_full_name(const smp_function *function) {
    return function->demangled ? function->demangled : function->name;
}

/* The instructions of the function and of those that it calls, as far as they are known; NULL: none
 * is. */
static inline const smp_instruction *smp_function_code(const smp_function *function,
                                                       uint32_t *count) {
    *count = function->linked ? function->linked_count : function->instruction_count;
    return function->linked ? function->linked : function->instructions;
}

typedef struct smp_code smp_code; /* defined in cubin.h */

/* Reads the functions of `cubin`. The caller keeps the bytes and must keep them as long as *out. */
smp_status smp_code_open(const void *cubin, size_t size, smp_code **out, smp_error *error);
/* The same; *out owns the malloc'ed bytes, which are freed on failure. */
smp_status smp_code_open_owned(void *cubin, size_t size, smp_code **out, smp_error *error);
/* The same for a file, whose bytes *out owns. */
smp_status smp_code_open_file(const char *path, smp_code **out, smp_error *error);
/* Accepts NULL. */
void smp_code_close(smp_code *code);

/* The PTX embedded beside the cubin: it has the names of shared arrays, which cubins only have with
 * -lineinfo or -G. Call before or after smp_code_disassemble. */
void smp_code_use_ptx(smp_code *code, const char *ptx, size_t size);

/* 10 x major + minor of what it was compiled for. */
uint32_t smp_code_cc(const smp_code *code);
/* Its architecture, whose rules apply; NULL, with an error, if the model does not have it. */
const smp_arch *smp_code_arch(const smp_code *code, smp_error *error);
const smp_function *smp_code_functions(const smp_code *code, size_t *count);
/* By mangled name; NULL if there is none. */
const smp_function *smp_code_find(const smp_code *code, const char *name);

/* Disassembles the `count` functions with these mangled names (all if `names` is NULL); unknown
 * names are ignored. SMP_E_READ: nvdisasm is missing (the message says how to get it) or failed. */
smp_status smp_code_disassemble(smp_code *code, const char *const *names, size_t count,
                                smp_error *error);

/* Size in bytes of a function of the code and of all that it may call; UINT64_MAX if out of
 * memory. */
uint64_t smp_code_reach_bytes(const smp_code *code, const smp_function *from);

/* Functions of one cubin by name, without the functions that they call (a kernel of NCCL may call
 * any of 900, 100 MB), and the result. */
typedef struct smp_disassembly_job {
    smp_code *code;
    const char *const *names;
    size_t count;
    smp_status status;
    smp_error error;
} smp_disassembly_job;

/* Disassembles different cubins in parallel, on the processors available to the process, at most
 * 16. */
void smp_codes_disassemble(smp_disassembly_job *jobs, size_t count);

/* The part that contains the instruction with this index in `linked`. */
uint32_t smp_function_part(const smp_function *function, uint32_t instruction);

/* Demangles the name, malloc'ed; NULL if it is not mangled (or no C++ runtime is installed).
 * SMP_E_MEMORY or SMP_OK. */
smp_status smp_demangle(const char *name, char **out, smp_error *error);
