/* SPDX-License-Identifier: MIT */
/* Chooses grid, block, shared bytes and arguments of a launch that the file does not give. */
#include "assumed_launch.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "launch_found.h"
#include "parameter_type.h"

enum {
    STRUCTURE_MOST = 4096,
    THREADS_1D = 256,
    THREADS_MAX = 1024,
    SHARED_BYTES = 48 << 10,
    DYNAMIC_MOST = 1 << 20,
    EXTENT_OF_AXIS = 32 /* assumed for each component of an integer vector */
};

typedef struct guess {
    const smp_launch_subject *of;
    const smp_launch_wish *wish;
    smp_assumed_launch *out;
    kernel_name name;
    host_kernel kernel;
    bool has_kernel;
    host_launch launch;
    bool has_launch, has_shape; /* has_shape: grid, block and bytes apply to this instance */
    host_scope scope;           /* at the launch, or in the kernel if there is none */
    host_scope inside;          /* in the kernel */
    FILE *text, *assumed;
    unsigned seeds;
    bool has_assumed;
} guess;

__attribute__((format(printf, 2, 3))) static void assume(guess *g, const char *format, ...) {
    va_list values;
    fputs(g->has_assumed ? ", " : "", g->assumed);
    va_start(values, format);
    (void)vfprintf(g->assumed, format, values);
    va_end(values);
    g->has_assumed = true;
}

static bool body_has(const guess *g, const char *word) {
    return g->has_kernel && host_contains(g->kernel.body, word);
}

/* ---- Shape ---- */

static bool has_tile_extents(guess *g, int64_t *rows, int64_t *columns) {
    return g->has_kernel && tile_extents(&g->inside, g->kernel.body, rows, columns);
}

static uint32_t power_below(int64_t value, uint32_t most) {
    uint32_t power = 1;
    while (power * 2 <= most && (int64_t)power * 2 <= value)
        power *= 2;
    return power;
}

/* Returns the step of the first loop with a constant step below `rows`: "j += ROWS". */
static uint32_t loop_step(guess *g, int64_t rows) {
    const char *at = g->kernel.body.text, *end = at + g->kernel.body.length;
    int64_t step;
    while ((at = strstr(at, "+=")) && at < end) {
        at += 2;
        const char *close = at + strcspn(at, ");,");
        const host_span text = {at, (size_t)(close - at)};
        if (*close == ')' && text.length < 32 && host_value(&g->inside, text, &step) && step > 1 &&
            step < rows && rows % step == 0)
            return (uint32_t)step;
    }
    return 0;
}

/* Threads in y that the text uses. Ranks of cooperative groups read threadIdx.y in any block. */
static bool has_rows(const guess *g) {
    return g->of->reads_rows && !(body_has(g, "thread_rank") && !body_has(g, "threadIdx.y"));
}

static void shape_block(guess *g) {
    const uint32_t width = g->has_kernel ? indexed_extent(&g->inside, g->kernel.body, 'x') : 0,
                   height = g->has_kernel ? indexed_extent(&g->inside, g->kernel.body, 'y') : 0;
    const uint32_t bound = g->of->threads_most;
    const uint32_t most = bound > 0 && bound < THREADS_MAX ? bound : THREADS_MAX;
    int64_t rows = 0, columns = 0;
    const bool is_2d = has_rows(g), has_tile = has_tile_extents(g, &rows, &columns);
    const uint32_t threads = template_threads(&g->inside, g->wish->known_count, most);
    const bool may_be_warp = body_has(g, "__syncwarp") && !body_has(g, "__syncthreads");
    g->out->is_block_shown =
        !may_be_warp && (width > 0 || bound > 0 || threads > 0 || (has_tile && columns >= 32));
    if (width > 0 && width * (is_2d && height > 0 ? height : 1) <= most) {
        g->out->block[0] = width;
        g->out->block[1] = !is_2d ? 1 : height > 0 ? height : power_below(8, most / width);
    } else if (is_2d) {
        g->out->block[0] = power_below(has_tile && columns > 1 ? columns : 32, 32);
        uint32_t step = has_tile && rows > 0 ? loop_step(g, rows) : 0;
        const int64_t wanted = step > 0 ? step : rows > 0 ? rows : 8;
        g->out->block[1] = step > 0 ? step : power_below(wanted, most / g->out->block[0]);
    } else if (has_tile && rows == 0 && columns >= 32 && columns <= most) {
        g->out->block[0] = (uint32_t)columns;
    } else {
        g->out->block[0] = bound > 0                                   ? most
                           : has_tile && columns >= 32 && columns < 64 ? 32
                           : threads > 0                               ? threads
                                                                       : THREADS_1D;
    }
}

static uint32_t pieces(uint64_t of, uint32_t size) {
    return (uint32_t)((of + size - 1) / size);
}

static void shape_grid(guess *g) {
    const uint64_t extent = g->scope.extent > 0 ? (uint64_t)g->scope.extent : HOST_EXTENT;
    int64_t rows = 0, columns = 0;
    const bool has_tile = has_tile_extents(g, &rows, &columns);
    if (g->of->reads_blocks[0])
        g->out->grid[0] = pieces(extent, g->out->block[0]);
    if (g->of->reads_blocks[1] && (has_rows(g) || !g->of->reads_rows))
        g->out->grid[1] =
            pieces(extent, has_tile && rows > g->out->block[1] && rows <= 128 ? (uint32_t)rows
                                                                              : g->out->block[1]);
}

static void say_shape(guess *g, const char *what, const uint32_t shape[3]) {
    if (shape[2] > 1)
        assume(g, "%s %ux%ux%u", what, shape[0], shape[1], shape[2]);
    else if (shape[1] > 1)
        assume(g, "%s %ux%u", what, shape[0], shape[1]);
    else
        assume(g, "%s %u", what, shape[0]);
}

static bool launched_shape(guess *g, host_span said, uint32_t shape[3]) {
    return g->has_shape && said.length > 0 && host_shape(&g->scope, said, shape);
}

/* Whether a launch with this block would fail, because the text was misread or belongs to another
 * instance. */
static bool is_too_large(const guess *g, const uint32_t block[3]) {
    const uint32_t bound = g->of->threads_most > 0 ? g->of->threads_most : THREADS_MAX;
    const uint64_t threads = (uint64_t)block[0] * block[1] * block[2];
    return threads > bound || (g->of->threads_fit > 0 && threads > g->of->threads_fit);
}

/* Assumes a block, and says where the file contradicts it. `is_read`: out->block has what the
 * launch says. */
static void assume_block(guess *g, bool is_read) {
    uint32_t said[3];
    const uint32_t width = g->has_kernel ? indexed_extent(&g->inside, g->kernel.body, 'x') : 0;
    memcpy(said, g->out->block, sizeof said);
    g->out->block[0] = g->out->block[1] = g->out->block[2] = 1;
    shape_block(g);
    say_shape(g, "block", g->out->block);
    g->out->is_block_assumed = true;
    if (is_read)
        fprintf(g->assumed, " (the launch's %ux%ux%u is too large)", said[0], said[1], said[2]);
    else if (g->has_shape)
        fputs(" (the launch's is unknown)", g->assumed);
    else if (width > 0 && g->out->block[0] != width)
        fprintf(g->assumed, " (its indices need %u, which is too large)", width);
}

static void find_block(guess *g) {
    const unsigned assumed = g->scope.assumed_count;
    g->out->is_block_of_rows = g->of->reads_rows;
    if (g->wish->block[0] > 0) {
        memcpy(g->out->block, g->wish->block, sizeof g->out->block);
        g->out->is_block_assumed = g->wish->is_try;
        if (g->wish->is_try)
            say_shape(g, "block", g->out->block);
    } else {
        const bool is_read = launched_shape(g, g->launch.block, g->out->block);
        if (!is_read || is_too_large(g, g->out->block))
            assume_block(g, is_read);
    }
    g->out->is_block_assumed |= g->scope.assumed_count > assumed; /* because a name in it was */
}

static void find_grid(guess *g) {
    if (g->wish->grid[0] > 0) {
        memcpy(g->out->grid, g->wish->grid, sizeof g->out->grid);
    } else if (!launched_shape(g, g->launch.grid, g->out->grid)) {
        g->out->grid[0] = g->out->grid[1] = g->out->grid[2] = 1;
        shape_grid(g);
        say_shape(g, "grid", g->out->grid);
        g->out->is_grid_assumed = true;
    }
}

/* Evaluates the dynamic bytes. A bare unknown name such as "shared_size" is not assumed like a
 * problem size. */
static bool dynamic_bytes(guess *g, host_span part, int64_t *bytes) {
    const unsigned before = g->scope.assumed_count;
    const bool is_known =
        host_value(&g->scope, part, bytes) && *bytes >= 0 && *bytes <= DYNAMIC_MOST;
    if (g->scope.assumed_count == before || host_declared_name(part).length < part.length)
        return is_known;
    g->scope.assumed_count = before;
    return false;
}

static void find_dynamic(guess *g) {
    int64_t bytes;
    const bool is_said = g->has_shape && g->launch.bytes.length > 0;
    if (g->wish->has_dynamic) {
        g->out->dynamic_bytes = g->wish->dynamic_bytes;
    } else if (is_said && dynamic_bytes(g, g->launch.bytes, &bytes)) {
        g->out->dynamic_bytes = (uint32_t)bytes;
    } else if (is_said || (!g->has_shape && (body_has(g, "extern") || g->of->uses_dynamic))) {
        const uint32_t most =
            g->of->shared_most > 0 && strstr(g->scope.text, "MaxDynamicSharedMemorySize")
                ? g->of->shared_most
                : SHARED_BYTES;
        g->out->dynamic_bytes = most - g->of->shared_bytes % most;
        assume(g, "%u dynamic shared bytes", g->out->dynamic_bytes);
    }
}

/* ---- Arguments ---- */

/* Reads a parameter from the demangled name, which has template parameters resolved, or from the
 * text for extern "C". */
static parameter parameter_of(const guess *g, unsigned index) {
    parameter out = {.name = {"", 0}};
    host_span type, declaration;
    const bool is_written = g->has_kernel && host_part(g->kernel.parameters, index, &declaration);
    if (is_written)
        out.name = host_declared_name(declaration);
    if (host_part(g->name.signature, index, &type)) {
        parameter_type_read(type, &out);
    } else if (is_written) {
        const char *behind = out.name.text + out.name.length;
        parameter_type_read(
            (host_span){declaration.text, (size_t)(out.name.text - declaration.text)}, &out);
        out.is_pointer |=
            !!memchr(behind, '[', (size_t)(declaration.text + declaration.length - behind));
    }
    host_span templated, argument, meant;
    if (host_alias(g->scope.text, (host_span){out.type, strlen(out.type)}, &meant)) {
        out.type[0] = '\0';
        parameter_type_read(meant, &out);
    }
    for (unsigned i = 0;
         host_part(g->kernel.templates, i, &templated) && host_part(g->name.instance, i, &argument);
         i++)
        if (host_is(host_declared_name(templated), out.type)) {
            out.type[0] = '\0';
            parameter_type_read(argument, &out);
        }
    if (out.name.length > 0 && out.name.length < sizeof out.word)
        memcpy(out.word, out.name.text, out.name.length);
    else
        (void)snprintf(out.word, sizeof out.word, "parameter %u", index + 1);
    return out;
}

static void keep_value(guess *g, host_span name, int64_t value, bool is_assumed) {
    smp_assumed_launch *out = g->out;
    const unsigned at = out->value_count;
    host_name_add(out->values, &out->value_count, name, value);
    if (out->value_count > at)
        out->is_value_assumed[at] = is_assumed;
}

/* Index arrays by such names are a permutation or ascending, such as row offsets. */
static const char *const of_order[] = {"perm", "ptr", "offset", "indptr", NULL};

/* Threads wait for integers by such names or count with them, so they begin at zero. */
static const char *const of_flags[] = {"flag",      "mutex",  "ticket", "ready", "counter",
                                       "semaphore", "arrive", "lock",   NULL};

/* Kernels by such names expect sorted sequences; merging others writes a place twice. */
static const char *const of_sorted[] = {"merge", "binary_search", "binarysearch", NULL};

/* `offset`: bytes from a multiple of 256 to the array. */
static void put_array(guess *g, host_span name, const smp_element_type *of, uint32_t offset) {
    fprintf(g->text, offset > 0 ? "%s[]+%u" : "%s[]", of ? of->name : "char", offset);
    if (!of || of->is_bool || (of->kind == SMP_ELEMENT_INTEGER && host_has_part(name, of_flags)))
        return;
    const int64_t most = g->scope.extent > 0 ? g->scope.extent : HOST_EXTENT; /* limit of indices */
    const int last = of->bytes > 1 ? (int)most - 1 : of->is_unsigned ? 255 : 127;
    const bool is_order =
        of->kind == SMP_ELEMENT_INTEGER && of->bytes >= 4 && host_has_part(name, of_order);
    if (is_order || (of->bytes >= 4 && host_has_part(g->name.base, of_sorted))) {
        fputs(" = iota", g->text);
        return;
    }
    if (of->kind == SMP_ELEMENT_INTEGER)
        fprintf(g->text, " = random:0:%d", last);
    else
        fputs(" = random:-1:1", g->text);
    if (g->wish->has_seeds && ++g->seeds > 1)
        fprintf(g->text, ":%u", g->seeds);
    if (of->kind == SMP_ELEMENT_INTEGER && of->components == 1)
        host_name_add(g->out->arrays, &g->out->array_count, name, last);
}

/* The value that the user gives for a parameter, or NULL. */
static const host_name *known_name(const guess *g, host_span name) {
    return FIND(one, g->wish->known, g->wish->known_count, host_is(name, one->name));
}

/* Whether the text is a decimal number; cuts its suffix. */
static bool cut_number(char *text) {
    const size_t digits = strspn(text, "0123456789.eE+-");
    char *end;
    (void)strtod(text, &end);
    const bool is_number = digits > 0 && end == text + digits && strspn(end, "fF") == strlen(end);
    text[digits] = '\0';
    return is_number;
}

static void put_float(guess *g, const parameter *p, bool has_argument, host_span argument) {
    char text[32] = "1.0", said[24] = "";
    const host_name *known = known_name(g, p->name);
    if (has_argument && argument.length < sizeof said)
        memcpy(said, argument.text, argument.length);
    const bool is_number = cut_number(said);
    if (known)
        (void)snprintf(text, sizeof text, "%lld.0", (long long)known->value);
    else if (is_number)
        (void)snprintf(text, sizeof text, "%s%s", said, strpbrk(said, ".eE") ? "" : ".0");
    const double number = strtod(text, NULL);
    fputs(text, g->text);
    if (number >= 0 && number < 0x1p31 && number == (double)(int64_t)number)
        keep_value(g, p->name, (int64_t)number, !known && !is_number);
    if (!known && !is_number)
        assume(g, "%s = 1.0", p->word);
}

static void put_hex(guess *g, unsigned index, const uint8_t *bytes) {
    fputs("hex:", g->text);
    for (uint32_t i = 0; i < g->of->parameters[index].size_bytes; i++)
        fprintf(g->text, "%02x", bytes ? bytes[i] : 0);
}

/* Writes a number: from the user or the launch, else assumed. `of` is its type; NULL means an
 * integer. */
static void put_number(guess *g, unsigned index, const parameter *p, const smp_element_type *of) {
    host_span argument;
    int64_t value = 0;
    const bool has_argument = g->has_launch && host_launch_argument(&g->launch, index, &argument);
    const bool is_bool = of && of->is_bool;
    const unsigned before = g->scope.assumed_count;
    const host_name *known = known_name(g, p->name);
    const uint8_t *given = known ? NULL : smp_launch_wish_bytes(g->wish, g->of, index, 0);
    bool is_assumed = false;
    if (given) {
        put_hex(g, index, given);
        if (of && of->kind == SMP_ELEMENT_INTEGER)
            keep_value(g, p->name, smp_launch_wish_integer(given, of), false);
        return;
    }
    if (of && of->kind != SMP_ELEMENT_INTEGER) {
        put_float(g, p, has_argument, argument);
        return;
    }
    if (known) {
        value = known->value;
    } else if (!(has_argument && host_value(&g->scope, argument, &value))) {
        g->scope.assumed_count = before;
        value = is_bool ? 1 : host_assumed_value(&g->scope, p->name);
        assume(g, "%s = %lld", p->word, (long long)value);
        is_assumed = true;
    }
    keep_value(g, p->name, value, is_assumed);
    if (is_bool)
        fputs(value ? "true" : "false", g->text);
    else
        fprintf(g->text, "%lld", (long long)value);
}

/* The value of an integer member. Beside a pointer, "stride" is that of its rows. */
static int64_t member_value(const guess *g, const structure_member *member, bool has_pointer) {
    static const host_span length = {"length", 6};
    return host_assumed_value(
        &g->scope, has_pointer && host_is(member->name, "stride") ? length : member->name);
}

/* Writes TYPE(1) for a member that is not a pointer. */
static void put_member_number(guess *g, unsigned index, const structure_member *member,
                              bool has_pointer) {
    const smp_element_type *type = &member->type;
    const uint8_t *given = type->components == 1
                               ? smp_launch_wish_bytes(g->wish, g->of, index, member->offset_bytes)
                               : NULL;
    const bool is_given = given && type->kind == SMP_ELEMENT_INTEGER;
    const host_name *known = known_name(g, member->name);
    const int64_t value = known                  ? known->value
                          : is_given             ? smp_launch_wish_integer(given, type)
                          : type->is_bool        ? 1
                          : type->components > 1 ? EXTENT_OF_AXIS
                                                 : member_value(g, member, has_pointer);
    if (type->is_bool)
        fputs(value ? "true" : "false", g->text);
    else if (type->kind != SMP_ELEMENT_INTEGER && !known && given && type->bytes >= 4)
        fprintf(g->text, "%s(%.17g)", type->name, smp_launch_wish_real(given, type));
    else if (type->kind != SMP_ELEMENT_INTEGER)
        fprintf(g->text, "%s(%lld.0)", type->name, known ? (long long)value : 1LL);
    else if (type->bytes == 4 && type->components == 1)
        fprintf(g->text, "%lld", (long long)value);
    else
        fprintf(g->text, "%s(%lld)", type->name,
                (long long)(type->bytes == 1 && !is_given ? value & 127 : value));
}

/* Writes a structure by its members if the text declares them. */
static bool put_structure(guess *g, unsigned index, uint32_t bytes, const parameter *p) {
    structure_member members[STRUCTURE_MEMBERS_MAX];
    const unsigned count = structure_members(g->scope.text, p->type, bytes, members);
    bool has_pointer = false;
    for (unsigned i = 0; i < count; i++)
        has_pointer |= members[i].is_pointer;
    fputs(count > 0 ? "{" : "", g->text);
    for (unsigned i = 0; i < count; i++) {
        fputs(i > 0 ? ", " : "", g->text);
        if (members[i].is_pointer)
            put_array(g, members[i].name, members[i].has_type ? &members[i].type : NULL, 0);
        else
            put_member_number(g, index, &members[i], has_pointer);
    }
    fputs(count > 0 ? "}" : "", g->text);
    if (count > 0 && !g->wish->parameters)
        assume(g, "members of %s", p->word);
    return count > 0;
}

static void put_bytes(guess *g, unsigned index, uint32_t bytes, const parameter *p) {
    const uint8_t *given = smp_launch_wish_bytes(g->wish, g->of, index, 0);
    if (put_structure(g, index, bytes, p))
        return;
    put_hex(g, index, given);
    if (!given)
        assume(g, "%s%s%s is all zeros", p->word, p->type[0] ? " of type " : "", p->type);
}

static bool put_argument(guess *g, unsigned index) {
    const uint32_t bytes = g->of->parameters ? g->of->parameters[index].size_bytes : 0;
    const parameter p = parameter_of(g, index);
    smp_element_type type;
    const bool is_array = p.is_pointer && g->of->parameters;
    const smp_element_type *of =
        smp_element_type_named(p.type, strlen(p.type), &type) ||
                (is_array && structure_of_floats(g->scope.text, p.type, &type))
            ? &type
            : NULL;
    const bool is_unknown = p.type[0] == '\0', is_source = !g->of->parameters;
    const size_t length = strlen(p.type);
    host_span said;
    if (index < 64 && g->has_launch && host_launch_argument(&g->launch, index, &said) &&
        memchr(said.text, '+', said.length))
        g->out->inner |= 1ull << index;
    const uint32_t offset = of && p.is_pointer && g->has_launch
                                ? pointer_start_add(g->out, &g->scope, &g->launch, index, p.name,
                                                    p.type, of->bytes * of->components)
                                : 0;
    if (p.is_table && !is_source)
        return false;
    if (is_source ? p.is_pointer : bytes == 8 && (p.is_pointer || is_unknown))
        put_array(g, p.name, of, offset);
    else if (is_source && !of) { /* a type of the source, whose value remains open */
        if (length > 2 && strcmp(p.type + length - 2, "_t") == 0)
            put_number(g, index, &p, NULL);
    } else if (of && of->components == 1 && !p.is_pointer)
        put_number(g, index, &p, of);
    else if (is_unknown && bytes == 4)
        put_number(g, index, &p, NULL);
    else if (bytes <= STRUCTURE_MOST)
        put_bytes(g, index, bytes, &p);
    else
        return false;
    return true;
}

static void say_assumed_names(guess *g) {
    smp_assumed_launch *out = g->out;
    EACH(const host_name, name, g->scope.assumed, g->scope.assumed_count) {
        unsigned at = 0;
        while (at < out->value_count && strcmp(out->values[at].name, name->name) != 0)
            at++;
        assume(g, "%s = %lld", name->name, (long long)name->value);
        if (at == out->value_count)
            keep_value(g, (host_span){name->name, strlen(name->name)}, name->value, true);
        else
            out->is_value_assumed[at] = true;
    }
}

/* Says why the launch in the text did not help. */
static void say_launcher(const guess *g) {
    host_span name;
    const bool is_of_macro =
        g->has_kernel && host_place(g->scope.text, g->kernel.name.text) != g->kernel.name.text;
    if (g->has_assumed && !g->has_launch && !is_of_macro &&
        launcher_of(g->scope.text, g->name.base, &name))
        fprintf(g->assumed, "; the launch by %.*s() is not understood", SPAN(name));
}

static void put_shape(guess *g, const uint32_t shape[3]) {
    fprintf(g->text,
            shape[2] > 1   ? "dim3(%u,%u,%u)"
            : shape[1] > 1 ? "dim3(%u,%u)"
                           : "%u",
            shape[0], shape[1], shape[2]);
}

static void put_launch(guess *g) {
    const char *name = g->of->name;
    name += strncmp(name, "void ", 5) == 0 ? 5 : 0;
    const size_t length =
        g->name.signature.length > 0 || strchr(name, '(')
            ? (size_t)((g->name.signature.text ? g->name.signature.text - 1 : strchr(name, '(')) -
                       name)
            : strlen(name);
    fprintf(g->text, "%.*s<<<", (int)length, name);
    put_shape(g, g->out->grid);
    fputs(", ", g->text);
    put_shape(g, g->out->block);
    if (g->out->dynamic_bytes > 0)
        fprintf(g->text, ", %u", g->out->dynamic_bytes);
    fputs(">>>(", g->text);
}

bool smp_launch_scope(const char *demangled, const char *text, host_kernel *kernel,
                      host_scope *scope) {
    const kernel_name name = kernel_name_split(demangled);
    const bool is_there = host_kernel_find(text, name.base, kernel);
    *scope = (host_scope){.text = text, .at = is_there ? kernel->body.text : text};
    if (is_there)
        host_scope_bind(scope, kernel->templates, name.instance);
    return is_there;
}

/* Finds the requested launch and the meaning of names there. */
static void find_launch(guess *g) {
    found_launch found[FOUND_LAUNCHES_MAX];
    const unsigned count = found_launches(&g->scope, &g->name, found);
    g->out->launch_count = count;
    if (count > 0) {
        const found_launch *taken = &found[g->wish->launch < count ? g->wish->launch : 0];
        g->launch = taken->of;
        g->has_launch = true;
        g->has_shape = !taken->is_other;
        g->scope.at = g->launch.at;
        if (g->has_shape)
            host_scope_bind(&g->scope, host_template_list(g->launch.name), g->name.instance);
    }
    host_scope_bind(&g->scope, g->kernel.templates, g->name.instance);
    if (count == 0)
        g->scope.at = g->inside.at;
}

smp_status smp_launch_assume(const smp_launch_subject *subject, const char *text,
                             const smp_launch_wish *wish, smp_assumed_launch *out,
                             smp_error *error) {
    size_t length;
    guess g = {.of = subject, .wish = wish, .out = out, .name = kernel_name_split(subject->name)};
    bool is_fine = true;
    memset(out, 0, sizeof *out);
    g.scope = (host_scope){.text = text, .at = text + strlen(text), .extent = wish->extent};
    for (unsigned i = 0; i < wish->known_count; i++)
        host_scope_add(&g.scope, (host_span){wish->known[i].name, strlen(wish->known[i].name)},
                       wish->known[i].value);
    g.has_kernel = host_kernel_find(text, g.name.base, &g.kernel);
    g.inside = g.scope;
    g.inside.at = g.has_kernel ? g.kernel.body.text : text;
    host_scope_bind(&g.inside, g.kernel.templates, g.name.instance);
    find_launch(&g);
    g.text = open_memstream(&out->launch, &length);
    g.assumed = open_memstream(&out->assumed, &length);
    if (g.text && g.assumed) {
        find_block(&g);
        find_grid(&g);
        find_dynamic(&g);
        put_launch(&g);
        for (unsigned i = 0; i < subject->parameter_count && is_fine; i++) {
            fputs(i > 0 ? ", " : "", g.text);
            is_fine = put_argument(&g, i);
        }
        fputc(')', g.text);
        say_assumed_names(&g);
        say_launcher(&g);
    }
    const bool has_text = g.text && fclose(g.text) == 0,
               has_assumed = g.assumed && fclose(g.assumed) == 0;
    if (!has_text || !has_assumed)
        return smp_error_memory(error);
    return is_fine
               ? SMP_OK
               : smp_error_set(error, SMP_E_SYNTAX, -1,
                               "%.120s: a parameter is an array of pointers or a structure of more "
                               "than 4096 bytes, for which nothing can be assumed; run a program "
                               "that launches it: smemprobe profile --no-gpu -- ./PROGRAM",
                               subject->name);
}
