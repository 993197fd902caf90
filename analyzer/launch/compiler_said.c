/* SPDX-License-Identifier: MIT */
/* Finds the compiler's error lines, and the words that would fix them. */
#define _GNU_SOURCE /* memmem */
#include "compiler_call.h"

#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "list.h"
#include "project.h"
#include "text_span.h"
#include "tool.h"

enum { ERRORS_SHOWN = 3, SOURCE_BYTES_MOST = 4 << 20 };

typedef struct said_line {
    const char *text;
    int length;
} said_line;

static bool has(const said_line *line, const char *words) {
    return memmem(line->text, (size_t)line->length, words, strlen(words));
}

/* Lines that begin with a blank quote the source. */
static bool is_error(const said_line *line) {
    return line->length > 0 && line->text[0] != ' ' && line->text[0] != '\t' &&
           (has(line, ": error") || has(line, " error: ") || has(line, " error   : ") ||
            has(line, "fatal ") || has(line, "undefined reference"));
}

/* The name between these words; false if the line lacks them. */
static bool find_name(const said_line *line, const char *before, const char *behind,
                      said_line *name) {
    const char *end = line->text + line->length;
    const char *from = memmem(line->text, (size_t)line->length, before, strlen(before));
    from = from ? from + strlen(before) : end;
    const char *to = memmem(from, (size_t)(end - from), behind, strlen(behind));
    *name = (said_line){from, to ? (int)(to - from) : 0};
    return to;
}

/* gcc without g++. */
static bool lacks_host_compiler(const said_line *line) {
    return has(line, "cannot execute") && has(line, "cc1plus");
}

/* A file in an #include that the compiler does not find. */
static bool is_missing(const said_line *line, said_line *name) {
    return !lacks_host_compiler(line) &&
           (find_name(line, "fatal error: ", ": No such file", name) ||
            find_name(line, "open source file \"", "\"", name));
}

/* ---- Words that it asks for ---- */

/* Error texts, and the option that fixes each. */
static const struct {
    const char *said, *word;
} asks[] = {
    {"undefined reference to `cublasLt", "-lcublasLt"},
    {"undefined reference to `cublas", "-lcublas"},
    {"undefined reference to `cudnn", "-lcudnn"},
    {"undefined reference to `cufft", "-lcufft"},
    {"undefined reference to `curand", "-lcurand"},
    {"undefined reference to `cusolver", "-lcusolver"},
    {"undefined reference to `cusparse", "-lcusparse"},
    {"undefined reference to `nccl", "-lnccl"},
    {"undefined reference to `nvrtc", "-lnvrtc"},
    {"undefined reference to `nvml", "-lnvidia-ml"},
    {"undefined reference to `png_", "-lpng"},
    {"undefined reference to `omp_", "-Xcompiler=-fopenmp"},
    {"undefined reference to `GOMP_", "-Xcompiler=-fopenmp"},
    {"requires separate compilation mode", "-rdc=true"},
    {"Unresolved extern function", "-rdc=true"},
    {"--expt-relaxed-constexpr", "--expt-relaxed-constexpr"},
    {"--extended-lambda", "--extended-lambda"},
    {"identifier \"concept\" is undefined", "-std=c++20"},
    {"identifier \"requires\" is undefined", "-std=c++20"},
    {"namespace \"std\" has no member \"span\"", "-std=c++20"},
    {"namespace \"std\" has no member \"bit_cast\"", "-std=c++20"},
    {"namespace \"std\" has no member \"numbers\"", "-std=c++20"},
    /* C headers that older toolkits included. */
    {"identifier \"assert\" is undefined", "--pre-include=cassert"},
    {"identifier \"FLT_MAX\" is undefined", "--pre-include=cfloat"},
    {"identifier \"DBL_MAX\" is undefined", "--pre-include=cfloat"},
    {"identifier \"INT_MAX\" is undefined", "--pre-include=climits"},
    {"identifier \"uint8_t\" is undefined", "--pre-include=cstdint"},
    {"identifier \"uint32_t\" is undefined", "--pre-include=cstdint"},
    {"identifier \"uint64_t\" is undefined", "--pre-include=cstdint"},
    {"not supported on .target 'sm_", COMPILER_FEATURES},
    {"cannot be compiled for architecture 'sm_", COMPILER_FEATURES},
};

static bool add_word(compiler_words *words, const char *word) {
    if (LIST_FIND(words->list, words->count, word))
        return false;
    char *copy = words->count < COMPILER_WORDS_MAX ? strdup(word) : NULL;
    if (copy)
        words->list[words->count++] = copy;
    return copy;
}

/* nvcc passes words to a shell, in quotes if they have blanks. */
static bool is_plain(const char *path) {
    while (isalnum((unsigned char)*path) || (*path && strchr("/._-+ ", *path)))
        path++;
    return *path == '\0';
}

static bool add_folder(compiler_words *words, const said_line *header, const char *source) {
    smp_project project;
    char name[SMP_PROJECT_PATH], word[SMP_PROJECT_PATH + 2] = "-I";
    (void)snprintf(name, sizeof name, "%.*s", header->length, header->text);
    return smp_project_of(source, &project) && smp_project_header(&project, name, word + 2) &&
           is_plain(word + 2) && add_word(words, word);
}

/* ---- Functions of another source ---- */

/* True if the text contains "NAME(...) {". */
static bool defines(const char *text, const char *name) {
    const size_t length = strlen(name);
    for (const char *at = text; (at = strstr(at, name)); at += length) {
        const char *end = at + length;
        if (*end != '(' || (at > text && text_is_word(at[-1])))
            continue;
        for (int depth = 0; *end != '\0'; end++)
            if ((depth += (*end == '(') - (*end == ')')) == 0)
                break;
        end += *end == ')';
        end += strspn(end, " \t\r\n");
        if (*end == '{')
            return true;
    }
    return false;
}

static bool is_source(const char *name) {
    static const char *const endings[] = {".cu", ".cpp", ".cc", ".cxx", ".c"};
    const char *ending = strrchr(name, '.');
    return ending && ROWS_FIND(endings, ending);
}

static bool file_defines(const smp_project *project, const char *path, const char *name) {
    struct stat info;
    char *text;
    size_t size;
    if (stat(path, &info) != 0 || !S_ISREG(info.st_mode) || info.st_size > SOURCE_BYTES_MOST ||
        (info.st_dev == project->info.st_dev && info.st_ino == project->info.st_ino) ||
        !smp_project_trusts(project, &info) || smp_tool_read(path, &text, &size, NULL) != SMP_OK)
        return false;
    const bool is_it = defines(text, name) && !defines(text, "main");
    free(text);
    return is_it;
}

/* The function in "undefined reference to `f(int)'", or in nvlink's "Undefined reference to
 * '_Z1fi'". */
static bool find_undefined(const said_line *line, said_line *out) {
    if (find_name(line, "undefined reference to `", "'", out))
        return true;
    if (!find_name(line, "Undefined reference to '", "'", out))
        return false;
    const char *end = out->text + out->length;
    if (out->length > 3 && strncmp(out->text, "_Z", 2) == 0 &&
        isdigit((unsigned char)out->text[2])) {
        char *begin;
        const unsigned long length = strtoul(out->text + 2, &begin, 10);
        if (length < (unsigned long)(end - begin))
            *out = (said_line){begin, (int)length};
    }
    return true;
}

/* Adds the only other source in the folder that defines the function and has no main. */
static bool add_source(compiler_words *words, const said_line *line, const char *source) {
    said_line said;
    smp_project project;
    char name[128], word[SMP_PROJECT_PATH] = "";
    unsigned found = 0;
    if (!find_undefined(line, &said) || !smp_project_of(source, &project))
        return false;
    const char *open = memchr(said.text, '(', (size_t)said.length);
    const char *end = open ? open : said.text + said.length, *begin = end;
    while (begin > said.text && text_is_word(begin[-1]))
        begin--;
    (void)snprintf(name, sizeof name, "%.*s", (int)(end - begin), begin);
    DIR *folder = name[0] ? opendir(project.folder) : NULL;
    for (const struct dirent *entry; folder && (entry = readdir(folder));) {
        char path[SMP_PROJECT_PATH];
        if (is_source(entry->d_name) &&
            snprintf(path, sizeof path, "%s/%s", project.folder, entry->d_name) <
                (int)sizeof path &&
            file_defines(&project, path, name)) {
            found++;
            (void)snprintf(word, sizeof word, "%s", path);
        }
    }
    if (folder)
        (void)closedir(folder);
    return found == 1 && is_plain(word) && add_word(words, word);
}

/* Driver functions: cuInit, but not cublas... */
static bool wants_driver(const said_line *line) {
    static const char words[] = "undefined reference to `cu";
    const char *at = memmem(line->text, (size_t)line->length, words, sizeof words - 1);
    return at && isupper((unsigned char)at[sizeof words - 1]);
}

bool compiler_words_add(compiler_words *words, const char *tool, const char *said,
                        const char *source) {
    const bool is_nvcc = strcmp(tool, "nvcc") == 0;
    bool is_new = false;
    while (said && *said) {
        said_line header, line = {said, (int)strcspn(said, "\n")};
        said += line.length + (said[line.length] == '\n');
        if (!is_error(&line))
            continue;
        for (size_t i = 0; i < sizeof asks / sizeof asks[0]; i++)
            if (has(&line, asks[i].said) &&
                (is_nvcc || strcmp(asks[i].word, COMPILER_FEATURES) == 0))
                is_new |= add_word(words, asks[i].word);
        if (!is_nvcc)
            continue;
        if (is_missing(&line, &header))
            is_new |= add_folder(words, &header, source);
        is_new |= add_source(words, &line, source);
        if (wants_driver(&line))
            is_new |= add_word(words, "-lcuda");
    }
    return is_new;
}

void compiler_words_clear(compiler_words *words) {
    for (uint32_t i = 0; i < words->count; i++)
        free(words->list[i]);
    words->count = 0;
}

/* ---- What is shown ---- */

/* "nvcc error   : " repeats the "nvcc: " before it. */
static void drop_own_name(said_line *line, const char *tool) {
    said_line name;
    const size_t length = strlen(tool);
    if (strncmp(line->text, tool, length) == 0 && line->text[length] == ' ' &&
        find_name(line, tool, " : ", &name)) {
        const char *words = name.text + name.length + 3;
        *line = (said_line){words, line->length - (int)(words - line->text)};
    }
}

/* Says what to do about the last shown line; false if nothing is known. */
static bool say_next(const said_line *line, const char *tool, smp_error *error) {
    said_line name;
    if (lacks_host_compiler(line)) {
        smp_error_set(error, SMP_E_READ, -1, "%s needs a C++ compiler: apt-get install g++", tool);
        return true;
    }
    const bool is_header = is_missing(line, &name);
    if (!is_header && !find_undefined(line, &name))
        return false;
    const int length = name.length < 60 ? name.length : 60;
    if (is_header)
        smp_error_set(
            error, SMP_E_READ, -1,
            "%.*s is in no folder that %s searches: add -- -I FOLDER to the command, or let the "
            "build write compile_commands.json (cmake -DCMAKE_EXPORT_COMPILE_COMMANDS=ON)",
            length, name.text, tool);
    else
        smp_error_set(error, SMP_E_READ, -1,
                      "%.*s is defined in another source or library: add it to the command: -- "
                      "OTHER.cu -lLIBRARY",
                      length, name.text);
    return true;
}

void compiler_said_show(const char *tool, const char *said, const note_sink *notes,
                        smp_error *error) {
    bool is_next_known = false;
    for (int shown = 0; said && *said && shown < ERRORS_SHOWN && !is_next_known;) {
        said_line line = {said, (int)strcspn(said, "\n")};
        smp_error next;
        said += line.length + (said[line.length] == '\n');
        if (!is_error(&line))
            continue;
        drop_own_name(&line, tool);
        if (shown++ > 0)
            note_add(notes, "%s", error->message);
        smp_error_set(error, SMP_E_READ, -1, "%s: %.*s", tool,
                      line.length < 180 ? line.length : 180, line.text);
        is_next_known = say_next(&line, tool, &next);
        if (is_next_known) {
            note_add(notes, "%s", error->message);
            *error = next;
        }
    }
}
