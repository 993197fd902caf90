/* SPDX-License-Identifier: MIT */
/*
 * A case as C++: the arrays as they were, row-major, and as `fix` printed them; for
 * each access one function that all threads run, and one that walks the whole index space. What was
 * printed stands there letter by letter.
 */
#include <string.h>

#include "code_case.h"

typedef struct source {
    FILE *out;
    const code_case *c;
    const bool *is_changed, *is_moved;
    const char *declaration[CODE_ARRAYS_MAX], *line[CODE_ACCESSES_MAX];
    size_t declaration_length[CODE_ARRAYS_MAX], line_length[CODE_ACCESSES_MAX];
    bool prints_struct[CODE_ARRAYS_MAX];
} source;

/* ---- What was printed ---- */

static bool begins_with(const char *text, const char *word) {
    return strncmp(text, word, strlen(word)) == 0;
}

/* Declarations end with a line of shared memory; a struct may precede it. */
static bool take_declaration(source *s, code_lines *lines, uint32_t array) {
    size_t length;
    const char *line = code_line_next(lines, &length);
    s->declaration[array] = line;
    s->prints_struct[array] = begins_with(line, "struct ");
    if (s->prints_struct[array])
        line = code_line_next(lines, &length);
    s->declaration_length[array] = (size_t)(line + length - s->declaration[array]);
    return begins_with(line, "__shared__ ") || begins_with(line, "extern __shared__ ");
}

static bool take_lines(source *s, const char *printed) {
    code_lines lines = {printed};
    for (uint32_t i = 0; i < s->c->array_count; i++) {
        if ((s->is_changed[i] || s->is_moved[i]) && !take_declaration(s, &lines, i))
            return false;
    }
    for (uint32_t i = 0; i < s->c->access_count; i++) {
        if (!s->is_changed[s->c->access[i].array])
            continue;
        s->line[i] = code_line_next(&lines, &s->line_length[i]);
        if (s->line_length[i] == 0)
            return false;
    }
    while (begins_with(lines.at, "// every ")) { /* how the rest of a kernel changes */
        size_t length;
        (void)code_line_next(&lines, &length);
    }
    return *lines.at == '\0';
}

/* ---- Declarations ---- */

static void put_extents(const source *s, const code_array *array) {
    for (uint32_t d = 0; d < array->dim_count; d++)
        fprintf(s->out, "[%u]", array->extent[d]);
}

static void put_type(const source *s, const code_array *array) {
    if (array->align > 0)
        fprintf(s->out, "__align__(%u) ", array->align);
    fprintf(s->out, "%s %s", array->type, array->name);
}

/* All arrays with their logical extents, and their structs. */
static void put_before(const source *s) {
    fprintf(s->out, "namespace before%u {\nenum { N = 4 };\n", s->c->number);
    for (uint32_t i = 0; i < s->c->array_count; i++) {
        const code_array *array = &s->c->array[i];
        if (array->struct_name[0] != '\0' && !array->joins)
            fprintf(s->out, "struct %s%s { %s };\n", array->struct_align, array->struct_name,
                    array->body);
        fputs("static ", s->out);
        put_type(s, array);
        put_extents(s, array);
        fputs(";\n", s->out);
    }
    if (s->c->has_copy)
        fputs("static float4 g[4096];\n", s->out);
    fputs("}\n", s->out);
}

static bool is_dynamic(const code_array *array) {
    return begins_with(array->storage, "extern");
}

/* The current declaration of an array. */
static void put_declaration(const source *s, uint32_t index) {
    const code_array *array = &s->c->array[index];
    if (s->declaration[index]) {
        fprintf(s->out, "%.*s\n", (int)s->declaration_length[index], s->declaration[index]);
        return;
    }
    fputs(is_dynamic(array) ? "extern " : "", s->out);
    put_type(s, array);
    for (uint32_t d = 0; d < array->dim_count; d++)
        fprintf(s->out, "[%s]", d == 0 && array->is_open ? "" : array->extent_text[d]);
    fputs(";\n", s->out);
}

/* Memory for an array that the code only declares; open ones have what the launch gives them. */
static void put_definition(const source *s, uint32_t index) {
    const code_array *array = &s->c->array[index];
    const char *name = array->name;
    if (array->is_open) /* the walk goes beyond what the launch must give */
        fprintf(s->out, "std::remove_extent<decltype(%s)>::type %s[%u];\n", name, name,
                64 * array->extent[0]);
    else
        fprintf(s->out, "decltype(%s) %s;\n", name, name);
}

static void put_after(const source *s) {
    fprintf(s->out, "namespace after%u {\nenum { N = 4 };\n", s->c->number);
    for (uint32_t i = 0; i < s->c->array_count; i++) {
        const char *name = s->c->array[i].struct_name;
        if (name[0] != '\0' && !s->c->array[i].joins && !s->prints_struct[i])
            fprintf(s->out, "using before%u::%s;\n", s->c->number, name);
    }
    if (s->c->has_copy)
        fprintf(s->out, "using before%u::g;\n", s->c->number);
    for (uint32_t i = 0; i < s->c->array_count; i++) {
        if (!is_dynamic(&s->c->array[i]))
            continue;
        put_declaration(s, i);
        put_definition(s, i);
    }
}

/* ---- Accesses ---- */

static void put_line(const source *s, uint32_t access, const char *before, const char *after) {
    const code_access *a = &s->c->access[access];
    fprintf(s->out, "%s\n", before);
    if (s->line[access])
        fprintf(s->out, "%.*s", (int)s->line_length[access], s->line[access]);
    else
        code_element_put(s->out, s->c, a, "", false);
    fprintf(s->out, "\n%s", after);
}

static bool is_call(code_verb verb) {
    return verb == CODE_ADD || verb == CODE_INCREMENT || verb == CODE_CAS || verb == CODE_COPY;
}

/* A call that does not change. */
static void put_own_call(const source *s, const code_access *a) {
    fputs(a->verb == CODE_COPY  ? "__pipeline_memcpy_async(&"
          : a->verb == CODE_CAS ? "atomicCAS(&"
                                : "atomicAdd(&",
          s->out);
    code_element_put(s->out, s->c, a, "", false);
    fputs(a->verb == CODE_COPY        ? ", &g[laneid * 4], "
          : a->verb == CODE_CAS       ? ", 0, 1);\n"
          : a->verb == CODE_INCREMENT ? ", 1);\n"
                                      : ", 3);\n",
          s->out);
    if (a->verb != CODE_COPY)
        return;
    fputs("sizeof(", s->out);
    code_element_put(s->out, s->c, a, "", false);
    fputs("));\n", s->out);
}

/* The accesses of one thread, or of one place of the walk. */
static void put_body(const source *s, uint32_t access) {
    const code_access *a = &s->c->access[access];
    const code_array *array = &s->c->array[a->array];
    char prefix[32];
    (void)snprintf(prefix, sizeof prefix, "before%u::", s->c->number);
    if (is_call(a->verb)) {
        if (s->line[access])
            put_line(s, access, "", ";\n");
        else
            put_own_call(s, a);
        fputs("const volatile void *at_ = called_with; size_t size_ = called_size;\n", s->out);
        if (a->verb == CODE_COPY)
            fputs("record.global[record_lane] = bytes_from(g, copied_from);\n", s->out);
    } else if (a->verb == CODE_LDMATRIX) {
        put_line(s, access,
                 s->line[access] ? "const volatile void *at_ =" : "const volatile void *at_ = &",
                 "; size_t size_ = 16;\n");
    } else {
        put_line(s, access, "auto copy_ = (", "); (void)copy_;\n");
        put_line(s, access, "const volatile void *at_ = &(", ");\n");
        put_line(s, access, "size_t size_ = sizeof(", ");\n");
    }
    fprintf(s->out, "note(%s%s, &(", prefix, array->name);
    code_element_put(s->out, s->c, a, prefix, false);
    fputs("), sizeof(", s->out);
    code_element_put(s->out, s->c, a, prefix, false);
    fprintf(s->out, "), %s, at_, size_, alignof(std::remove_reference<decltype((",
            is_dynamic(array) ? array->name : "this");
    code_element_put(s->out, s->c, a, prefix, false);
    fputs("))>::type));\n", s->out);
}

static void put_threads(const source *s, uint32_t access) {
    const code_access *a = &s->c->access[access];
    const uint32_t *block = s->c->block;
    fprintf(s->out, "void access%u() {\nrecord_begin(CODE_ACCESS, %u, %u);\n", access, s->c->number,
            access);
    if (s->c->iterations > 0)
        fprintf(s->out, "for (int k = 0; k < %u; k++)\n", s->c->iterations);
    fprintf(s->out, "for (threads_begin(%u, %u, %u); thread_next();) {\n", block[0], block[1],
            block[2]);
    for (uint32_t d = 0; d < s->c->array[a->array].dim_count; d++) {
        if (a->definition[d][0] != '\0')
            fprintf(s->out, "int %s = %s;\n", a->index[d], a->definition[d]);
    }
    if (a->guard)
        fprintf(s->out, "if (!(%s)) continue;\n", a->guard);
    put_body(s, access);
    fputs("}\n}\n", s->out);
}

static void put_walk(const source *s, uint32_t access) {
    const code_access *a = &s->c->access[access];
    const code_array *array = &s->c->array[a->array];
    fprintf(s->out,
            "void walk%u() {\nthreads_begin(1, 1, 1);\n(void)thread_next();\n"
            "record_begin(CODE_WALK, %u, %u);\n",
            access, s->c->number, access);
    for (uint32_t d = 0; d < array->dim_count; d++) {
        uint32_t step = d + 1 == array->dim_count ? a->step : 1;
        fprintf(s->out, "for (int %s = 0; %s < %u; %s += %u)\n", a->index[d], a->index[d],
                array->extent[d], a->index[d], step);
    }
    fputs("{\n", s->out);
    put_body(s, access);
    fputs("walk_next();\n}\nrecord_end();\n}\n", s->out);
}

static void put_array_note(const source *s, uint32_t index) {
    const char *name = s->c->array[index].name;
    bool outside = is_dynamic(&s->c->array[index]);
    fprintf(
        s->out,
        "note_array(%u, %u, %s, %s, sizeof %s, std::is_same<std::remove_all_extents<"
        "decltype(%s)>::type, std::remove_all_extents<decltype(before%u::%s)>::type>::value);\n",
        s->c->number, index, outside ? name : "this", name, name, name, s->c->number, name);
}

bool code_source_put(FILE *out, const code_case *c, const bool is_changed[CODE_ARRAYS_MAX],
                     const bool is_moved[CODE_ARRAYS_MAX], const char *printed) {
    source s = {.out = out, .c = c, .is_changed = is_changed, .is_moved = is_moved};
    if (!take_lines(&s, printed))
        return false;
    put_before(&s);
    put_after(&s);
    fputs("struct memory {\n", out);
    for (uint32_t i = 0; i < c->array_count; i++) {
        if (!is_dynamic(&c->array[i]))
            put_declaration(&s, i);
    }
    for (uint32_t i = 0; i < c->access_count; i++) {
        put_threads(&s, i);
        if (c->access[i].walks)
            put_walk(&s, i);
    }
    fputs("void run() {\n", out);
    for (uint32_t i = 0; i < c->array_count; i++)
        put_array_note(&s, i);
    for (uint32_t i = 0; i < c->access_count; i++) {
        fprintf(out, "access%u();\n", i);
        if (c->access[i].walks)
            fprintf(out, "walk%u();\n", i);
    }
    fprintf(out, "}\n};\nalignas(1024) static memory all;\n}\n");
    return true;
}
