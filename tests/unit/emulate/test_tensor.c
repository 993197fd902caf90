/* SPDX-License-Identifier: MIT */
/*
 * Reads tensor maps encoded by a driver, and emulates copies and reductions of boxes
 * with them, compared with an H200's results (tests/data/sass/tensor.bin, by record_tensor.c).
 * Skipped (77) without nvdisasm.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "emulate.h"
#include "nvdisasm.h"
#include "suite.h"
#include "tensor_cases.h"
#include "tensor_map.h"
#include "tool.h"

enum { FAILED = 99999, MAP_WORDS = TENSOR_MAP_BYTES / 4, PLACE_WORDS = 7, MAP_AT = 64 };

typedef struct recorded {
    uint32_t answer;
    const uint32_t *map, *out;
    uint64_t hash;
} recorded;

static uint32_t *words;
static size_t word_count;

static void read_words(void) {
    char *bytes;
    size_t size;
    smp_error error;
    ck_assert_msg(smp_tool_read(SMP_DATA "/sass/tensor.bin", &bytes, &size, &error) == SMP_OK, "%s",
                  error.message);
    words = (uint32_t *)(void *)bytes;
    word_count = size / 4;
}

/* The offset of the record of case `number`, and of the first case that is only encoded. */
static size_t place_of(uint32_t number) {
    size_t at = 0;
    for (uint32_t i = 0; i < number; i++) {
        tensor_case c;
        tensor_make(i, &c);
        at += 1 + MAP_WORDS + tensor_out_words(&c) + 2;
    }
    return at;
}

static recorded record_of(uint32_t number, const tensor_case *c) {
    size_t at = place_of(number);
    recorded r = {.answer = words[at], .map = words + at + 1, .out = words + at + 1 + MAP_WORDS};
    const uint32_t *hash = r.out + tensor_out_words(c);
    ck_assert(at + 1 + MAP_WORDS + tensor_out_words(c) + 2 <= word_count);
    memcpy(&r.hash, hash, 8);
    return r;
}

/* In the driver's order of types: FLOAT32_FTZ comes after BFLOAT16, TFLOAT32 is not a type. */
static const uint8_t types[] = {TENSOR_U8,      TENSOR_U16, TENSOR_U32,    TENSOR_S32, TENSOR_U64,
                                TENSOR_S64,     TENSOR_F16, TENSOR_F32,    TENSOR_F64, TENSOR_BF16,
                                TENSOR_F32_FTZ, TENSOR_F32, TENSOR_F32_FTZ};

static void check_map(uint32_t number, const tensor_case *c, const uint32_t *map,
                      uint64_t address) {
    emu_tensor_map m;
    uint8_t bytes[TENSOR_MAP_BYTES];
    memcpy(bytes, map, sizeof bytes);
    ck_assert_msg(emu_tensor_map_read(bytes, &m), "map %u", number);
    ck_assert_uint_eq(m.address, address);
    ck_assert_uint_eq(m.type, types[c->type]);
    ck_assert_uint_eq(m.element_bytes, tensor_element(c->type));
    ck_assert_uint_eq(m.rank, c->rank);
    ck_assert_uint_eq(m.interleave, c->interleave);
    ck_assert_uint_eq(m.swizzle, c->swizzle);
    ck_assert_uint_eq(m.promotion, c->promotion);
    ck_assert_uint_eq(m.fills_nan, c->fill);
    ck_assert_uint_eq(m.rounds_to_tf32, c->type >= 11);
    for (uint32_t i = 0; i < c->rank; i++) {
        ck_assert_msg(m.size[i] == c->size[i] && m.box[i] == c->box[i] && m.step[i] == c->step[i],
                      "map %u, dimension %u", number, i);
        ck_assert_msg(i == 0 || m.stride_bytes[i] == c->stride_bytes[i - 1],
                      "map %u, stride of dimension %u", number, i);
    }
    uint8_t written[TENSOR_MAP_BYTES];
    ck_assert_msg(emu_tensor_map_write(&m, written) && memcmp(written, bytes, sizeof bytes) == 0,
                  "map %u is not written as the driver writes it", number);
    bytes[3 + number % 100] ^= 1; /* never a crash */
    emu_tensor_map_read(bytes, &m);
    bytes[127] ^= 1;
    ck_assert(!emu_tensor_map_read(bytes, &m));
    /* cuBLASLt's form: another map follows its 64 bytes. */
    memcpy(bytes, map, sizeof bytes);
    bytes[8] |= 2;
    memcpy(bytes + 64, bytes, 64);
    ck_assert_msg(emu_tensor_map_read(bytes, &m) && m.address == address && m.rank == c->rank &&
                      m.box[c->rank - 1] == c->box[c->rank - 1],
                  "map %u, of 64 bytes", number);
}

static emu_tensor_map map_of(const tensor_case *c, uint64_t address) {
    emu_tensor_map m = {.address = address,
                        .type = (tensor_type)types[c->type],
                        .rank = c->rank,
                        .element_bytes = tensor_element(c->type),
                        .interleave = c->interleave,
                        .swizzle = c->swizzle,
                        .promotion = c->promotion,
                        .fills_nan = c->fill,
                        .rounds_to_tf32 = c->type >= 11};
    for (uint32_t i = 0; i < c->rank; i++) {
        m.size[i] = c->size[i];
        m.stride_bytes[i] = i == 0 ? m.element_bytes : c->stride_bytes[i - 1];
        m.box[i] = c->box[i];
        m.step[i] = c->step[i];
    }
    return m;
}

/* Maps that the driver refuses are refused. */
static void check_answer(uint32_t number, const tensor_case *c, uint32_t answer) {
    uint8_t bytes[TENSOR_MAP_BYTES];
    emu_tensor_map m = map_of(c, TENSOR_ENCODED_ADDRESS);
    ck_assert_msg(emu_tensor_map_write(&m, bytes) == (answer == 0), "map %u, which the driver %s",
                  number, answer == 0 ? "makes" : "refuses");
}

START_TEST(maps_are_read_as_they_were_made) {
    tensor_case c;
    unsigned made = 0;
    read_words();
    for (uint32_t i = 0; i < TENSOR_CASES; i++) {
        tensor_make(i, &c);
        recorded r = record_of(i, &c);
        if (r.answer != FAILED)
            check_answer(i, &c, r.answer);
        if (r.answer == 0)
            check_map(i, &c, r.map, r.map[0] | (uint64_t)r.map[1] << 32);
    }
    size_t at = place_of(TENSOR_CASES);
    ck_assert_uint_eq(word_count - at, TENSOR_ENCODED * (1 + MAP_WORDS));
    for (uint32_t i = 0; i < TENSOR_ENCODED; i++, at += 1 + MAP_WORDS) {
        tensor_make_encoded(i, &c);
        check_answer(i, &c, words[at]);
        if (words[at] != 0)
            continue;
        check_map(i, &c, words + at + 1, TENSOR_ENCODED_ADDRESS);
        made++;
    }
    ck_assert_uint_gt(made, TENSOR_ENCODED / 2);
    free(words);
}
END_TEST

/* The kernel's parameters: out, the aligned map, the place. */
static void emulate(const smp_code *code, const tensor_case *c, const recorded *r, uint8_t *tensor,
                    uint32_t *out, smp_emulation *done) {
    smp_emu_memory memory = {0};
    smp_kernel_profile profile = {0};
    smp_error error;
    uint8_t parameters[1024] = {0};
    const smp_function *function = smp_code_find(code, c->kernel);
    ck_assert_msg(function && function->parameter_count == 3, "%s", c->kernel);
    uint64_t address = r->map[0] | (uint64_t)r->map[1] << 32;
    uint64_t out_at = smp_emu_memory_add(&memory, "out", 4 * TENSOR_WORDS)->address;
    ck_assert(smp_emu_memory_place(&memory, "tensor", address, TENSOR_BYTES, tensor));
    const uint32_t place[PLACE_WORDS] = {(uint32_t)c->at[0],
                                         (uint32_t)c->at[1],
                                         (uint32_t)c->at[2],
                                         (uint32_t)c->at[3],
                                         (uint32_t)c->at[4],
                                         c->words,
                                         c->held};
    memcpy(parameters + function->parameters[0].offset_bytes, &out_at, 8);
    memcpy(parameters + function->parameters[1].offset_bytes, r->map, TENSOR_MAP_BYTES);
    memcpy(parameters + function->parameters[2].offset_bytes, place, sizeof place);
    smp_launch launch = {.grid = {1, 1, 1},
                         .block = {128, 1, 1},
                         .cluster = {1, 1, 1},
                         .dynamic_shared_bytes = 16384,
                         .parameters = parameters,
                         .arch = smp_arch_of_cc(9, 0),
                         .threads = 1,
                         .run.block_limit = 3000000};
    smp_status status = smp_emulate(code, function, &memory, &launch, &profile, done, &error);
    ck_assert_msg(status == SMP_OK, "%s: %s", c->kernel, error.message);
    const smp_emu_array *result = smp_emu_memory_find(&memory, out_at);
    memcpy(out, result->bytes, 4 * TENSOR_WORDS);
    ck_assert_uint_eq(memory.count, 2);
    smp_emu_memory_clear(&memory);
    smp_kernel_clear(&profile);
}

static unsigned compare(uint32_t number, const tensor_case *c, const recorded *r,
                        const uint32_t *out, const uint8_t *tensor) {
    for (uint32_t i = 0; i < tensor_out_words(c); i++)
        if (out[i] != r->out[i]) {
            printf("case %u, %s: word %u is %08x, but the GPU has %08x\n", number, c->kernel, i,
                   out[i], r->out[i]);
            return 1;
        }
    if (tensor_hash(tensor) == r->hash)
        return 0;
    printf("case %u, %s of type %u: the tensor is not the GPU's\n", number, c->kernel, c->type);
    return 1;
}

/* If the GPU failed, the emulation ends with a finding. */
START_TEST(boxes_are_the_gpus) {
    static uint8_t tensor[TENSOR_BYTES];
    static uint32_t out[TENSOR_WORDS];
    smp_code *code;
    smp_error error;
    unsigned differ = 0, compared = 0, failed = 0;
    read_words();
    ck_assert_msg(smp_code_open_file(SMP_DATA "/sass/tensor.cubin", &code, &error) == SMP_OK, "%s",
                  error.message);
    ck_assert_msg(smp_code_disassemble(code, NULL, 0, &error) == SMP_OK, "%s", error.message);
    for (uint32_t i = 0; i < TENSOR_CASES; i++) {
        tensor_case c;
        smp_emulation done;
        tensor_make(i, &c);
        recorded r = record_of(i, &c);
        if (r.answer != 0 && r.answer != FAILED)
            continue;
        tensor_fill(&c, tensor);
        emulate(code, &c, &r, tensor, out, &done);
        if (r.answer == FAILED) {
            ck_assert_msg(!done.is_whole && done.finding_count == 1, "case %u, %s", i, c.kernel);
            failed++;
            continue;
        }
        for (uint32_t k = 0; k < done.finding_count; k++)
            printf("case %u: %s\n", i, done.findings[k].message);
        differ += done.finding_count != 0 || compare(i, &c, &r, out, tensor);
        compared++;
    }
    ck_assert_uint_gt(failed, 0);
    ck_assert_msg(differ == 0, "%u of %u differ", differ, compared);
    ck_assert_uint_gt(compared, 100);
    smp_code_close(code);
    free(words);
}
END_TEST

int main(void) {
    if (suite_lacks_nvdisasm())
        return SUITE_SKIPPED;
    return SUITE("tensor", TEST(maps_are_read_as_they_were_made), TEST(boxes_are_the_gpus));
}
