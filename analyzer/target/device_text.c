/* SPDX-License-Identifier: MIT */
/* Divides a text at its outermost declarations. */
#include "device_text.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "host_text.h"
#include "list.h"
#include "project.h"
#include "text_buffer.h"
#include "text_file.h"
#include "tool.h"

enum { MISSING_BYTES = 1024, MISSING_MOST = 6, HEADERS_MOST = 32 };

typedef struct cutter {
    const char *blank; /* from host_text_make, for decisions */
    char *out;         /* the text in which parts are blanked */
    const char *missing;
} cutter;

static void cut(cutter *c, const char *from, const char *to) {
    for (size_t i = (size_t)(from - c->blank); i < (size_t)(to - c->blank); i++)
        if (c->out[i] != '\n')
            c->out[i] = ' ';
}

static bool has_any(host_span in, const char *const *words, size_t count) {
    return ANY(one, words, count, host_has_word(in, *one));
}

#define HAS_ANY(in, words) has_any(in, words, sizeof(words) / sizeof *(words))

static bool is_of_torch(host_span in) {
    static const char *const words[] = {"torch", "at::", "c10::", "pybind11", "py::"};
    return HAS_ANY(in, words);
}

/* ---- Lines that begin with # ---- */

static bool is_missing(const cutter *c, host_span of) {
    const char *name = of.text + 1;
    const size_t length = of.length - 1;
    static const char *const folders[] = {"torch/", "ATen/", "c10/", "pybind11/", "Python.h"};
    if (ANY(one, folders, sizeof folders / sizeof *folders, strncmp(name, *one, strlen(*one)) == 0))
        return true;
    for (const char *at = c->missing; *at;) {
        const size_t one = strcspn(at, ":");
        if (one == length && memcmp(at, name, length) == 0)
            return true;
        at += one + (at[one] == ':');
    }
    return false;
}

static void take_directive(cutter *c, const char *from, const char *to) {
    host_span name;
    if (host_included(c->out + (from - c->blank), &name) && is_missing(c, name))
        cut(c, from, to);
}

/* ---- Declarations ---- */

/* Skips macro calls before a declaration, without a semicolon. */
static const char *skip_calls(const char *at) {
    for (;;) {
        const char *word = at + strspn(at, " \t\n\r"), *open = word + host_word(word).length;
        if (!isupper((unsigned char)*word) || *open != '(')
            return word;
        const char *next = host_behind(open);
        next += strspn(next, " \t\n\r");
        if (*next == '{' || *next == ';' || *next == '\0')
            return word;
        at = next;
    }
}

static bool is_scope(host_span head) {
    return host_has_word(head, "namespace") || host_is(host_trim(head), "extern");
}

static const char *const device[] = {"__global__", "__device__", "__constant__"};

/* Whether the head has a macro that expands to such a word. */
static bool has_macro(const char *text, host_span head) {
    host_span macro;
    for (const char *at = text; host_define_next(&at, &macro);) {
        const host_span body = {at, strcspn(at, "\n")};
        char name[64];
        (void)snprintf(name, sizeof name, "%.*s", SPAN(macro));
        if (macro.length < sizeof name && HAS_ANY(body, device) && host_has_word(head, name))
            return true;
    }
    return false;
}

/* Whether it has a "=" outside brackets, which is not that of a parameter. */
static bool has_value(host_span head) {
    int depth = 0;
    for (size_t i = 0; i < head.length; i++) {
        depth += (head.text[i] == '(') - (head.text[i] == ')');
        if (depth == 0 && head.text[i] == '=')
            return true;
    }
    return false;
}

static bool is_kept(const char *text, host_span head, host_span whole) {
    static const char *const others[] = {"struct", "class",     "union",   "enum",
                                         "using",  "constexpr", "concept", "typedef"};
    const char *const end = head.text + head.length;
    const host_span all = head;
    const char *open;
    host_span list;
    while (strncmp(head.text, "template", 8) == 0 && (open = strchr(head.text, '<')) &&
           host_angle_list(open, &list) && list.text + list.length < end) /* skip <class T> */
        head = host_between(list.text + list.length + 1, end);
    const bool is_value = has_value(head);
    return HAS_ANY(all, device) || has_macro(text, all) ||
           ((HAS_ANY(head, others) || is_value) && !is_of_torch(whole));
}

/* Handles one declaration, or the beginning or end of a scope; returns its end. */
static const char *take_declaration(cutter *c, const char *from) {
    const char *begin = skip_calls(from), *end = host_until(begin, "#;{}");
    const host_span head = {begin, (size_t)(end - begin)};
    cut(c, from, begin);
    if (*end == '}')
        return end + 1;
    if (*end == '{' && is_scope(head))
        return end + 1;
    if (*end == '#' || *end == '\0') {
        cut(c, begin, end);
        return end;
    }
    const bool has_body = *end == '{';
    const char *close = has_body ? host_behind(end) : end + 1;
    const char *next = close + strspn(close, " \t\n\r");
    const host_span whole = {begin, (size_t)(close - begin)};
    const bool keeps = has_body ? is_kept(c->blank, head, whole) : !is_of_torch(whole);
    if (!keeps)
        cut(c, begin, close);
    if (has_body && *next == ';') {
        if (!keeps)
            cut(c, next, next + 1);
        return next + 1;
    }
    return close;
}

char *device_text_make(const char *text, size_t length, const char *missing) {
    char *blank = host_text_make(text, length), *out = malloc(length + 1);
    cutter c = {.blank = blank, .out = out, .missing = missing};
    if (!blank || !out) {
        free(blank);
        free(out);
        return NULL;
    }
    memcpy(out, text, length);
    out[length] = '\0';
    for (const char *at = blank + strspn(blank, " \t\n\r"); *at; at += strspn(at, " \t\n\r")) {
        if (*at == '#') {
            const char *end = at + strcspn(at, "\n");
            take_directive(&c, at, end);
            at = end;
        } else {
            at = take_declaration(&c, at);
        }
    }
    free(blank);
    return out;
}

/* ---- As a file ---- */

static const char missing_words[] = " is in no folder that ";

/* Whether the message is about host code that newer toolkits no longer compile. */
static bool is_outdated(const char *message) {
    static const char *const gone[] = {"class \"cudaDeviceProp\" has no member",
                                       "incompatible with parameter of type \"cudaMemLocation\"",
                                       "convert from \"int\" to \"cudaMemLocation\"",
                                       "identifier \"cudaThread", "identifier \"cudaBindTexture"};
    return ANY(one, gone, sizeof gone / sizeof *gone, strstr(message, *one));
}

bool device_part_is_next(const smp_error *error) {
    return error->status == SMP_E_READ &&
           (strstr(error->message, missing_words) || is_outdated(error->message));
}

/* Types that device code gets from PyTorch's headers: its 16-bit types are CUDA's. */
static const char prefix[] =
    "#include <algorithm>\n#include <cmath>\n#include <cstdint>\n"
    "#include <cuda_bf16.h>\n#include <cuda_fp16.h>\n#include <cuda_runtime.h>\n"
    "namespace c10 { using Half = __half; using BFloat16 = __nv_bfloat16;\n"
    "template <class T> struct sum_of { using type = T; };\n"
    "template <> struct sum_of<Half> { using type = float; };\n"
    "template <> struct sum_of<BFloat16> { using type = float; }; }\n"
    "namespace at { using c10::Half; using c10::BFloat16;\n"
    "template <class T, bool> using acc_type = typename c10::sum_of<T>::type; }\n"
    "#define C10_WARP_SIZE 32\n#define C10_DEVICE __device__\n"
    "#define C10_HOST_DEVICE __host__ __device__\n"
    "#define C10_LAUNCH_BOUNDS_1(N) __launch_bounds__(N)\n#define gpuAtomicAdd atomicAdd\n"
    "#define WARP_SHFL(V, L, ...) __shfl_sync(0xffffffff, V, L)\n"
    "#define WARP_SHFL_UP(V, L, ...) __shfl_up_sync(0xffffffff, V, L)\n"
    "#define WARP_SHFL_DOWN(V, L, ...) __shfl_down_sync(0xffffffff, V, L)\n"
    "#define WARP_SHFL_XOR(V, L, ...) __shfl_xor_sync(0xffffffff, V, L)\n";

/* The text of the file, and the headers already in it. */
typedef struct part_text {
    FILE *out;
    const char *missing;
    char *headers[HEADERS_MOST];
    unsigned count;
} part_text;

static bool put_text(part_text *to, const char *path);

/* Finds the header beside the file or elsewhere in its project. */
static bool find_header(const char *path, const char *name, char out[SMP_PROJECT_PATH]) {
    char folder[SMP_PROJECT_PATH];
    smp_project project;
    const char *slash = strrchr(path, '/');
    (void)snprintf(out, SMP_PROJECT_PATH, "%.*s%s", slash ? (int)(slash - path + 1) : 0,
                   slash ? path : "", name);
    if (access(out, R_OK) == 0)
        return true;
    return smp_project_of(path, &project) && smp_project_header(&project, name, folder) &&
           snprintf(out, SMP_PROJECT_PATH, "%s/%s", folder, name) < SMP_PROJECT_PATH;
}

/* Replaces an include line by the text of a project header, once, because that header may include
 * missing files too. */
static bool put_header(part_text *to, const char *path, const char *line) {
    char name[256], header[SMP_PROJECT_PATH];
    host_span included;
    if (!host_included(line, &included) || *included.text != '"')
        return false;
    (void)snprintf(name, sizeof name, "%.*s", (int)included.length - 1, included.text + 1);
    if (!find_header(path, name, header))
        return false;
    if (LIST_FIND(to->headers, to->count, header))
        return true;
    if (to->count == HEADERS_MOST || !(to->headers[to->count] = strdup(header)))
        return false;
    to->count++;
    return put_text(to, header);
}

static bool put_text(part_text *to, const char *path) {
    char *text, *kept;
    size_t length;
    unsigned number = 1;
    smp_error ignored;
    if (smp_text_read(path, &text, &length, &ignored) != SMP_OK)
        return false;
    kept = device_text_make(text, length, to->missing);
    fprintf(to->out, "#line 1 \"%s\"\n", path);
    for (const char *line = kept; line && *line; number++) {
        const size_t size = strcspn(line, "\n");
        if (put_header(to, path, line))
            fprintf(to->out, "\n#line %u \"%s\"\n", number + 1, path);
        else
            fprintf(to->out, "%.*s\n", (int)size, line);
        line += size + (line[size] == '\n');
    }
    free(text);
    free(kept);
    return kept;
}

static smp_status write_part(const smp_program_file *file, const char *missing, device_part *out,
                             smp_error *error) {
    char *text = NULL;
    size_t length;
    part_text to = {.out = open_memstream(&text, &length), .missing = missing};
    bool is_written = to.out && fputs(prefix, to.out) >= 0 && put_text(&to, file->path);
    for (unsigned i = 0; i < to.count; i++)
        free(to.headers[i]);
    is_written &= to.out && fclose(to.out) == 0;
    const smp_status status =
        is_written ? smp_tool_file(text, length, ".cu", out->path, sizeof out->path, error)
                   : smp_error_memory(error);
    free(text);
    return status;
}

/* Adds the folder of the user's file to the include path. */
static bool set_flags(const smp_program_file *file, device_part *out) {
    const char *path = file->original ? file->original : file->path, *slash = strrchr(path, '/');
    (void)snprintf(out->folder, sizeof out->folder, "-I%.*s", slash ? (int)(slash - path) : 1,
                   slash ? path : ".");
    out->flags = calloc((size_t)file->flag_count + 1, sizeof *out->flags);
    if (!out->flags)
        return false;
    out->flags[0] = out->folder;
    for (uint32_t i = 0; i < file->flag_count; i++)
        out->flags[i + 1] = file->flags[i];
    out->file = *file;
    out->file.path = out->path;
    out->file.original = path;
    out->file.flags = out->flags;
    out->file.flag_count++;
    return true;
}

void device_part_clear(device_part *part) {
    if (part->path[0])
        smp_tool_file_remove(part->path);
    free(part->flags);
    memset(part, 0, sizeof *part);
}

bool device_part_open(const smp_program_file *file, const smp_error *why, device_part *out,
                      smp_code **code) {
    static const note_sink nobody; /* without a sink, errors are not searched for missing headers */
    char missing[MISSING_BYTES] = "";
    smp_error said = *why;
    smp_status status = SMP_E_READ;
    text_buffer list = TEXT_BUFFER(missing);
    memset(out, 0, sizeof *out);
    for (int i = 0; i < MISSING_MOST && status != SMP_OK && device_part_is_next(&said); i++) {
        const char *end = strstr(said.message, missing_words);
        if (end)
            text_join(&list, ":", "%.*s", (int)(end - said.message), said.message);
        device_part_clear(out);
        status = write_part(file, missing, out, &said);
        if (status == SMP_OK && !set_flags(file, out))
            status = smp_error_memory(&said);
        out->file.notes = &nobody;
        if (status == SMP_OK)
            status = smp_program_open(&out->file, code, &said);
    }
    out->file.notes = file->notes;
    return status == SMP_OK;
}
