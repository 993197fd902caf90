/* SPDX-License-Identifier: MIT */
/* Arguments of a launch: numbers in the parameter's type, and arrays. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "launch_fill.h"
#include "launch_tensor.h"
#include "launch_text.h"

enum {
    PARAMETER_BYTES = 32768, /* more than the 32,764 bytes that a kernel takes */
    SHIFT_MOST = 255         /* cudaMalloc returns multiples of 256 */
};

typedef struct maker {
    const smp_launch_text *launch;
    const smp_function *function; /* NULL: not known yet; the text is checked, arrays stay empty */
    smp_emu_memory *memory;
    smp_launch_arguments *out;
    uint64_t addresses[SMP_ARGUMENTS_MAX]; /* of the arrays made so far, or 0 */
    uint32_t index;                        /* of the current argument */
    int inside;                            /* column within it where a nested array begins */
    uint32_t member;                       /* of its structure, from 1; 0: not a member */
    smp_error *error;
} maker;

static smp_status wrong(const maker *m, const char *what, const char *text) {
    return smp_error_set(m->error, SMP_E_SYNTAX, m->launch->positions[m->index],
                         "launch: argument %u, '%.60s': %s", m->index + 1, text, what);
}

/* Reports an error at the column of `at`, which points into `text`. */
static smp_status wrong_at(const maker *m, const char *at, const char *what, const char *text) {
    return smp_error_set(m->error, SMP_E_SYNTAX,
                         m->launch->positions[m->index] + m->inside + (int)(at - text),
                         "launch: argument %u, '%.60s': %s", m->index + 1, text, what);
}

/* ---- One argument ---- */

static const char *skip_blanks(const char *at) {
    return at + strspn(at, " ");
}

static smp_status put_bytes(maker *m, const void *bytes, size_t size, const char *text) {
    if (!m->function)
        return SMP_OK;
    const smp_parameter *to = &m->function->parameters[m->index];
    if (size != to->size_bytes) {
        char what[96];
        snprintf(what, sizeof(what), "it has %zu bytes, but the parameter has %u", size,
                 to->size_bytes);
        return wrong(m, what, text);
    }
    if (to->offset_bytes > m->function->parameter_bytes ||
        m->function->parameter_bytes - to->offset_bytes < size)
        return wrong(m, "the code's table of parameters is damaged", text);
    memcpy(m->out->bytes + to->offset_bytes, bytes, size);
    return SMP_OK;
}

/* Reads the number of elements in "[COUNT]" at *at and moves *at past it. */
static smp_status read_count(maker *m, const char *text, const char **at, uint64_t *out) {
    __int128 count;
    const char *from = ++*at, *why = smp_launch_integer(at, true, &count);
    if (why)
        return wrong_at(m, *at, why, text);
    if (**at != ']')
        return wrong_at(m, *at, "expected TYPE[COUNT]", text);
    if (count <= 0)
        return wrong_at(m, from, "an array needs at least one element", text);
    if (count > (__int128)1 << 36)
        return wrong_at(m, from, "more memory than there is", text);
    *out = (uint64_t)count;
    ++*at;
    return SMP_OK;
}

/* Reads "-> FILE" at the end of an argument. */
static smp_status read_saved(maker *m, const char *arrow) {
    smp_saved_array *saved = &m->out->saved[m->out->saved_count++];
    *saved = (smp_saved_array){m->index, strdup(skip_blanks(arrow + 2))};
    return saved->path ? SMP_OK : smp_error_memory(m->error);
}

/* Reads " = FILL -> FILE"; both parts are optional. */
static smp_status fill_and_save(maker *m, const char *text, const char *at, smp_emu_array *array,
                                const smp_element_type *type) {
    char how[1024];
    const char *arrow = strstr(at, "->"), *end = arrow ? arrow : at + strlen(at);
    if (arrow && read_saved(m, arrow) != SMP_OK)
        return m->error->status;
    at = skip_blanks(at);
    while (end > at && end[-1] == ' ')
        end--;
    if (at == end)
        return SMP_OK;
    if (*at != '=')
        return wrong_at(m, at, "expected TYPE[COUNT] = FILL -> FILE", text);
    at = skip_blanks(at + 1);
    (void)snprintf(how, sizeof how, "%.*s", end > at ? (int)(end - at) : 0, at);
    return smp_launch_fill(&(launch_fill){
        how, type, array, m->index + 1,
        m->launch->positions[m->index] + m->inside + (int)(at - text), !m->function, m->error});
}

/* Reads "+4" at *at and moves *at past it. The array, which is the last one, moves into the gap
 * behind it. */
static smp_status read_shift(maker *m, const char *text, const char **at, smp_emu_array *array) {
    __int128 bytes;
    const char *from = *at;
    if (*from != '+')
        return SMP_OK;
    const char *why = smp_launch_integer(at, false, &bytes);
    if (!why && (bytes < 0 || bytes > SHIFT_MOST))
        why = "an array starts at most 255 bytes after a multiple of 256", *at = from;
    if (why)
        return wrong_at(m, *at, why, text);
    array->address += (uint64_t)bytes;
    return SMP_OK;
}

/* Reads "unsigned int" or "unsigned int NAME", up to `end`; without a name, it is made from the
 * place of the argument. */
static bool read_type(const maker *m, const char *text, const char *end, smp_element_type *type,
                      char name[48]) {
    const char *word = end;
    if (m->member > 0)
        (void)snprintf(name, 48, "member %u of argument %u", m->member, m->index + 1);
    else
        (void)snprintf(name, 48, "argument %u", m->index + 1);
    if (smp_element_type_named(text, (size_t)(end - text), type))
        return true;
    while (word > text && (isalnum((unsigned char)word[-1]) || word[-1] == '_'))
        word--;
    if (word == text || word == end || isdigit((unsigned char)*word) ||
        !smp_element_type_named(text, (size_t)(word - text), type))
        return false;
    (void)snprintf(name, 48, "%.*s", (int)(end - word), word);
    return true;
}

/* Makes the array of TYPE NAME[COUNT]+BYTES = FILL -> FILE. */
static smp_status make_array(maker *m, const char *text) {
    char name[48];
    const char *at = strchr(text, '[');
    smp_element_type type;
    uint64_t count = 0;
    if (!read_type(m, text, at, &type, name))
        return wrong(m,
                     "unknown type; known are bool, char to unsigned long long, uint8_t and such, "
                     "float, double, half, bf16, and their vectors (uchar4, float3, half2)",
                     text);
    const uint64_t element_bytes = (uint64_t)type.bytes * type.components;
    const bool is_open = at[1] == ']'; /* grows when touched */
    if (is_open)
        count = SMP_LAUNCH_OPEN / element_bytes, at += 2;
    else if (read_count(m, text, &at, &count) != SMP_OK)
        return m->error->status;
    if (count > SMP_EMU_ARRAY_MOST / element_bytes)
        return wrong(m, "more memory than there is", text);
    smp_emu_array *array = smp_emu_memory_add(m->memory, name, count * element_bytes);
    if (!array)
        return smp_error_set(m->error, SMP_E_MEMORY, m->launch->positions[m->index],
                             "out of memory: argument %u, '%.60s'", m->index + 1, text);
    if (read_shift(m, text, &at, array) != SMP_OK)
        return m->error->status;
    m->addresses[m->index] = array->address;
    m->out->arrays[m->index] = (smp_launch_array){
        m->memory->count - 1, type.kind, type.is_unsigned, type.bytes, !strchr(at, '='), is_open};
    smp_emu_array filled = *array;
    if (is_open) /* only its beginning: the rest is zero until written */
        filled.size_bytes = SMP_LAUNCH_FILLED * element_bytes;
    return fill_and_save(m, text, at, &filled, &type);
}

static smp_status put_array(maker *m, const char *text) {
    const smp_status status = make_array(m, text);
    return status == SMP_OK ? put_bytes(m, &m->addresses[m->index], sizeof(uint64_t), text)
                            : status;
}

/* Reads "$2" of "$2+64", up to `end`; returns the argument's index, UINT32_MAX if it has no
 * array. */
static uint32_t named_array(const maker *m, const char *text, char **end) {
    const unsigned long which = *text == '$' ? strtoul(text + 1, end, 10) : 0;
    return which == 0 || which > SMP_ARGUMENTS_MAX || m->addresses[which - 1] == 0
               ? UINT32_MAX
               : (uint32_t)which - 1;
}

static smp_status put_reference(maker *m, const char *text) {
    char *end = NULL;
    const uint32_t which = named_array(m, text, &end);
    __int128 add = 0;
    const char *at = end, *why = NULL;
    if (which != UINT32_MAX && *end == '+')
        why = smp_launch_integer(&at, false, &add);
    if (why)
        return wrong_at(m, at, why, text);
    if (which == UINT32_MAX || *at != '\0')
        return wrong(m, "expected $N or $N+BYTES, where argument N is an array", text);
    const uint64_t address = m->addresses[which] + (uint64_t)add;
    return put_bytes(m, &address, sizeof(address), text);
}

/* ---- Tensor maps, over an array of its own or of an argument before it ---- */

/* Makes the array of a tensor map, or finds the one that "$1+64" names, in `which`, at `offset`. */
static smp_status tensor_array(maker *m, const char *text, const char *array_text, uint32_t *which,
                               uint64_t *offset) {
    char *end = NULL;
    __int128 add = 0;
    if (*array_text != '$')
        return strchr(array_text, '[') ? make_array(m, array_text)
                                       : wrong(m, smp_tensor_form, text);
    *which = named_array(m, array_text, &end);
    const char *at = end;
    if (*which != UINT32_MAX && *at == '+' && smp_launch_integer(&at, false, &add))
        *which = UINT32_MAX;
    if (*which == UINT32_MAX || *skip_blanks(at) != '\0' || add < 0)
        return wrong(m, "expected tensor($N, ...), where argument N is an earlier array", text);
    *offset = (uint64_t)add;
    return SMP_OK;
}

static smp_status put_tensor(maker *m, const char *text) {
    uint8_t bytes[TENSOR_MAP_BYTES];
    char array_text[512];
    const char *array_at = text + strlen("tensor("), *comma = strchr(array_at, ',');
    if (!comma || comma - array_at >= (ptrdiff_t)sizeof(array_text))
        return wrong(m, smp_tensor_form, text);
    snprintf(array_text, sizeof(array_text), "%.*s", (int)(comma - array_at), array_at);
    uint32_t which = m->index;
    uint64_t offset = 0;
    m->inside = (int)(array_at - text);
    const smp_status status = tensor_array(m, text, array_text, &which, &offset);
    m->inside = 0;
    if (status != SMP_OK)
        return status;
    const smp_launch_array *of = &m->out->arrays[which];
    const char *why =
        smp_launch_tensor(comma + 1, of, &m->memory->arrays[of->array], offset, bytes);
    return why ? wrong(m, why, text) : put_bytes(m, bytes, sizeof(bytes), text);
}

static smp_status put_hex(maker *m, const char *text) {
    uint8_t bytes[PARAMETER_BYTES];
    size_t count = 0;
    for (const char *at = text + 4; *at != '\0'; at += 2) {
        unsigned value;
        if (!isxdigit((unsigned char)at[0]) || !isxdigit((unsigned char)at[1]) ||
            count == sizeof(bytes) || sscanf(at, "%2x", &value) != 1)
            return wrong(m, "expected two hexadecimal digits per byte", text);
        bytes[count++] = (uint8_t)value;
    }
    return put_bytes(m, bytes, count, text);
}

/* The parameter's type from the demangled name; empty if unknown. */
static void parameter_type(const maker *m, char *out, size_t size) {
    const char *at = m->function->demangled;
    uint32_t index = 0;
    int depth = 0;
    size_t length = 0;
    at = at ? strrchr(at, '(') : NULL;
    for (at = at ? at + 1 : ""; *at != '\0'; at++) {
        depth += *at == '<' ? 1 : *at == '>' ? -1 : 0;
        if (depth == 0 && *at == ',' && index++ == m->index)
            break;
        if (*at == ')')
            break;
        if (index == m->index && length + 1 < size && !(length == 0 && (*at == ' ' || *at == ',')))
            out[length++] = *at;
    }
    out[length] = '\0';
}

/* A number in the text. */
typedef struct number {
    bool is_integer; /* else only `real` is valid */
    __int128 integer;
    double real;
} number;

static smp_status read_number(maker *m, const char *text, number *out) {
    const char *at = text, *why = smp_launch_integer(&at, false, &out->integer);
    char *end;
    out->is_integer = !why && *at == '\0';
    out->real = strtod(text, &end);
    end += strspn(end, "fF");
    const bool is_real = end != text && *end == '\0';
    if (!is_real)
        out->real = (double)out->integer;
    if (out->is_integer || is_real)
        return SMP_OK;
    if (why && strchr("0123456789(+-", *text))
        return wrong_at(m, at, why, text);
    return wrong(m, "expected a number, an array TYPE[COUNT], $N, nullptr or hex:BYTES", text);
}

/* Returns why the number does not fit the parameter, or NULL. */
static const char *number_fits(const number *given, const smp_element_type *type, uint32_t size) {
    if (!given->is_integer && type->kind == SMP_ELEMENT_INTEGER)
        return "the parameter is an integer";
    if (size != (uint32_t)type->bytes * type->components || type->components != 1 || size > 8)
        return "the parameter is not a number; give its bytes as hex:..., a tensor map as "
               "tensor(ARRAY, ...)";
    if (type->kind == SMP_ELEMENT_INTEGER && size < 8) {
        const __int128 most = (__int128)1 << 8 * size;
        if (given->integer >= most || given->integer < -most / 2)
            return "it does not fit the parameter";
    }
    return NULL;
}

static smp_status put_number_argument(maker *m, const char *text) {
    char type_text[128];
    number given;
    smp_element_type type;
    uint8_t bytes[8] = {0};
    if (read_number(m, text, &given) != SMP_OK)
        return m->error->status;
    if (!m->function)
        return SMP_OK;
    parameter_type(m, type_text, sizeof(type_text));
    const uint32_t size = m->function->parameters[m->index].size_bytes;
    const size_t type_length = strlen(type_text);
    if (type_length > 0 && type_text[type_length - 1] == '*' && strcmp(text, "0") != 0)
        return wrong(m, "the parameter is a pointer: TYPE[COUNT], $N, nullptr, or hex:BYTES", text);
    if (!smp_element_type_named(type_text, type_length, &type))
        type =
            (smp_element_type){.kind = given.is_integer ? SMP_ELEMENT_INTEGER : SMP_ELEMENT_FLOAT,
                               .bytes = (uint8_t)size,
                               .components = 1};
    const char *why = number_fits(&given, &type, size);
    if (why)
        return wrong(m, why, text);
    smp_launch_put_number(bytes, &type, given.real, (uint64_t)given.integer);
    return put_bytes(m, bytes, size, text);
}

/* ---- {MEMBER, MEMBER}: a structure, each member where C++ puts it ----
 *
 *     {float[] = iota, nullptr, 4, 1.0f, true, short(4), uint3(32)}
 *
 * 4 is an int, 1.0f a float and 1.0 a double; TYPE(N) has the type's size, each component N. */

typedef struct structure {
    uint8_t bytes[PARAMETER_BYTES];
    size_t used, alignment;
} structure;

static bool add_member(structure *to, const void *bytes, size_t size, size_t alignment) {
    const size_t at = (to->used + alignment - 1) / alignment * alignment;
    if (at + size > sizeof to->bytes)
        return false;
    memcpy(to->bytes + at, bytes, size);
    to->used = at + size;
    to->alignment = alignment > to->alignment ? alignment : to->alignment;
    return true;
}

/* Reads the type at the start of the text; *value is the rest. */
static bool member_type(const char *text, smp_element_type *type, char value[64]) {
    const char *open = strchr(text, '('), *f = strpbrk(text, "fF");
    const size_t length = strlen(text);
    if (open && open > text && text[length - 1] == ')') {
        (void)snprintf(value, 64, "%.*s", (int)(text + length - 1 - open - 1), open + 1);
        return smp_element_type_named(text, (size_t)(open - text), type);
    }
    (void)snprintf(value, 64, "%.63s", text);
    const char *name = !strchr(text, '.') ? "int" : f ? "float" : "double";
    return smp_element_type_named(name, strlen(name), type);
}

static smp_status put_number_member(maker *m, const char *text, structure *to) {
    static const char *const words[] = {"false", "true"};
    char part[64];
    number given;
    smp_element_type type;
    uint8_t bytes[8];
    for (uint8_t i = 0; i < 2; i++)
        if (strcmp(text, words[i]) == 0)
            return add_member(to, &i, 1, 1) ? SMP_OK : wrong(m, "it is too large", text);
    if (!member_type(text, &type, part) || type.bytes > sizeof bytes)
        return wrong(m, "expected a number, TYPE(NUMBER), TYPE[COUNT] or nullptr", text);
    if (read_number(m, part, &given) != SMP_OK)
        return m->error->status;
    const char *why = number_fits(
        &given, &(smp_element_type){.kind = type.kind, .bytes = type.bytes, .components = 1},
        type.bytes);
    if (why)
        return wrong(m, why, text);
    smp_launch_put_number(bytes, &type, given.real, (uint64_t)given.integer);
    const size_t all = (size_t)type.bytes * type.components;
    for (uint32_t i = 0; i < type.components; i++)
        if (!add_member(to, bytes, type.bytes,
                        i > 0 || type.components == 3 ? type.bytes
                        : all > 16                    ? 16
                                                      : all))
            return wrong(m, "it is too large", text);
    return SMP_OK;
}

static smp_status put_member(maker *m, const char *text, structure *to) {
    uint64_t address = 0;
    if (strstr(text, "->"))
        return wrong(m, "an array in a structure is not saved", text);
    if (strcmp(text, "nullptr") != 0 && !strchr(text, '['))
        return put_number_member(m, text, to);
    if (*text != 'n' && make_array(m, text) != SMP_OK)
        return m->error->status;
    if (*text != 'n')
        address = m->addresses[m->index];
    return add_member(to, &address, sizeof address, sizeof address)
               ? SMP_OK
               : wrong(m, "it is too large", text);
}

static smp_status put_structure(maker *m, const char *text) {
    structure *to = calloc(1, sizeof *to);
    char one[512];
    smp_status status = to ? SMP_OK : smp_error_memory(m->error);
    const char *at = text;
    for (m->member = 1; status == SMP_OK && (m->member == 1 || *at == ','); m->member++) {
        at = skip_blanks(at + 1);
        size_t length = 0;
        for (int depth = 0; at[length] && (depth > 0 || !strchr(",}", at[length])); length++)
            depth += (at[length] == '(') - (at[length] == ')');
        (void)snprintf(one, sizeof one, "%.*s", (int)length, at);
        while (*one && one[strlen(one) - 1] == ' ')
            one[strlen(one) - 1] = '\0';
        m->inside = (int)(at - text);
        status = put_member(m, one, to);
        at += length;
    }
    m->member = 0;
    m->inside = 0;
    m->addresses[m->index] = 0; /* so that $N refers to no array */
    m->out->arrays[m->index] = (smp_launch_array){0};
    if (status == SMP_OK && strcmp(at, "}") != 0)
        status = wrong(m, "'}' is expected at its end", text);
    if (status == SMP_OK)
        status = put_bytes(m, to->bytes,
                           (to->used + to->alignment - 1) / to->alignment * to->alignment, text);
    free(to);
    return status;
}

static smp_status put_argument(maker *m, const char *text) {
    static const uint64_t nothing;
    static const uint8_t truth[2] = {0, 1};
    if (strcmp(text, "nullptr") == 0 || strcmp(text, "NULL") == 0)
        return put_bytes(m, &nothing, sizeof(nothing), text);
    if (strcmp(text, "true") == 0 || strcmp(text, "false") == 0)
        return put_bytes(m, &truth[*text == 't'], 1, text);
    if (*text == '$')
        return put_reference(m, text);
    if (strncmp(text, "hex:", 4) == 0)
        return put_hex(m, text);
    if (strncmp(text, "tensor(", 7) == 0)
        return put_tensor(m, text);
    if (*text == '{')
        return put_structure(m, text);
    if ((isalpha((unsigned char)*text) || *text == '_') && strchr(text, '['))
        return put_array(m, text);
    return put_number_argument(m, text);
}

/* References last: they may name later arguments. */
static smp_status put_arguments(maker *m) {
    smp_status status = SMP_OK;
    for (unsigned pass = 0; pass < 2; pass++)
        for (m->index = 0; m->index < m->launch->argument_count && status == SMP_OK; m->index++) {
            const char *text = m->launch->arguments[m->index];
            if ((*text == '$') == (pass == 1))
                status = put_argument(m, text);
        }
    return status;
}

smp_status smp_launch_arguments_make(const smp_launch_text *launch, const smp_function *function,
                                     smp_emu_memory *memory, smp_launch_arguments *out,
                                     smp_error *error) {
    memset(out, 0, sizeof(*out));
    if (launch->argument_count != function->parameter_count)
        return smp_error_set(error, SMP_E_SYNTAX, -1, "launch: %u argument%s, but %.120s takes %u",
                             launch->argument_count, launch->argument_count == 1 ? "" : "s",
                             smp_function_full_name(function), function->parameter_count);
    maker m = {
        .launch = launch, .function = function, .memory = memory, .out = out, .error = error};
    out->bytes = calloc(1, function->parameter_bytes + 16);
    if (!out->bytes)
        return smp_error_memory(error);
    return put_arguments(&m);
}

smp_status smp_launch_check(const char *text, smp_launch_text *out, smp_error *error) {
    smp_emu_memory memory = {0};
    smp_launch_arguments unused = {0};
    maker m = {.launch = out, .memory = &memory, .out = &unused, .error = error};
    if (!text)
        return SMP_OK;
    smp_status status = smp_launch_parse(text, out, error);
    if (status == SMP_OK)
        status = smp_emulate_shape_check(out->grid, out->block, error);
    if (status == SMP_OK)
        status = put_arguments(&m);
    smp_launch_arguments_clear(&unused);
    smp_emu_memory_clear(&memory);
    return status;
}

void smp_launch_arguments_clear(smp_launch_arguments *arguments) {
    for (uint32_t i = 0; i < arguments->saved_count; i++)
        free(arguments->saved[i].path);
    free(arguments->bytes);
    memset(arguments, 0, sizeof(*arguments));
}
