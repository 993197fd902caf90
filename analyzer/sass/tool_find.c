/* SPDX-License-Identifier: MIT */
/*
 * Where NVIDIA's tools are searched: only in places that the user, the system or our own build
 * chose, never in the current folder or one above it, which may belong to somebody else. Relative
 * folders are skipped, as they depend on the current one.
 */
#define _GNU_SOURCE
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "list.h"
#include "tool.h"

enum { PATH_BYTES = 4096, BUILD_DEPTH = 3 };

typedef struct search {
    const char *name;
    char *path; /* the result */
    size_t size;
    smp_tool_is is_wanted;
    void *user;
} search;

static bool is_program(const char *path, void *user) {
    struct stat info;
    (void)user;
    return access(path, X_OK) == 0 && stat(path, &info) == 0 && S_ISREG(info.st_mode);
}

/* FOLDER/BELOW/NAME */
static bool try_folder(const search *in, const char *folder, size_t length, const char *below) {
    const int written =
        snprintf(in->path, in->size, "%.*s%s/%s", (int)length, folder, below, in->name);
    return folder[0] == '/' && length < PATH_BYTES && written > 0 && (size_t)written < in->size &&
           in->is_wanted(in->path, in->user);
}

typedef bool (*try_fn)(const search *in, const char *folder, size_t length, const char *below);

/* In the folders of a ':'-separated list, or in `below` them. */
static bool try_list(const search *in, const char *list, try_fn try, const char *below) {
    for (; list && *list != '\0'; list += list[0] == ':') {
        const size_t length = strcspn(list, ":");
        if (length > 0 && try(in, list, length, below))
            return true;
        list += length;
    }
    return false;
}

/* 12.9 before 13.0, 3.9 before 3.11. */
static int by_version(const void *a, const void *b) {
    return strverscmp(*(char *const *)a, *(char *const *)b);
}

/* In the newest folder that matches ROOT/PATTERN. */
static bool try_pattern(const search *in, const char *root, size_t length, const char *pattern) {
    char text[2 * PATH_BYTES + 128];
    size_t used = 0;
    glob_t found = {0};
    bool is_found = false;
    for (size_t i = 0; i < length && used < 2 * (size_t)PATH_BYTES; i++) {
        if (strchr("*?[]\\", root[i]))
            text[used++] = '\\';
        text[used++] = root[i];
    }
    (void)snprintf(text + used, sizeof(text) - used, "%s", pattern);
    if (text[0] == '/' && glob(text, GLOB_NOSORT, NULL, &found) == 0) {
        qsort(found.gl_pathv, found.gl_pathc, sizeof(*found.gl_pathv), by_version);
        for (size_t i = found.gl_pathc; i-- > 0 && !is_found;)
            is_found = try_folder(in, found.gl_pathv[i], strlen(found.gl_pathv[i]), "");
    }
    globfree(&found);
    return is_found;
}

/* ---- Toolkits ---- */

static bool try_toolkits(const search *in) {
    static const char *const folders[] = {"/usr/local/cuda/bin", "/opt/cuda/bin",
                                          "/usr/lib/nvidia-cuda-toolkit/bin"};
    return ANY(one, folders, sizeof(folders) / sizeof(*folders),
               try_folder(in, *one, strlen(*one), "")) ||
           try_pattern(in, "", 0, "/usr/local/cuda-*/bin");
}

/* ---- Our own tree, where the program lies in a build folder of it ---- */

/* True for files of the user who owns this program, or of root: nobody else can have put them
 * there. */
static bool is_of(const char *path, uid_t owner) {
    struct stat info;
    return lstat(path, &info) == 0 && (info.st_uid == owner || info.st_uid == 0);
}

/* In FOLDER/BELOW/bin of the tree whose build folder is `build`. */
static bool try_tree(const search *in, const char *build, uid_t owner, const char *below) {
    char path[PATH_BYTES + 64];
    const char *slash = strrchr(build, '/');
    const size_t length = slash ? (size_t)(slash - build) : 0;
    (void)snprintf(path, sizeof(path), "%.*s/analyzer/sass/tool.h", (int)length, build);
    if (length == 0 || !is_of(path, owner))
        return false;
    (void)snprintf(path, sizeof(path), "%.*s/%s", (int)length, build, below);
    return is_of(path, owner) && try_folder(in, path, strlen(path), "/bin") &&
           is_of(in->path, owner);
}

/* Removes the last component; false if there is none. */
static bool go_up(char *path) {
    char *slash = strrchr(path, '/');
    if (!slash || slash == path)
        return false;
    *slash = '\0';
    return true;
}

static bool try_own_tree(const search *in, const char *program) {
    char folder[PATH_BYTES], cache[PATH_BYTES + 32];
    struct stat info;
    if (stat(program, &info) != 0)
        return false;
    (void)snprintf(folder, sizeof(folder), "%s", program);
    for (unsigned i = 0; i < BUILD_DEPTH && go_up(folder); i++) {
        (void)snprintf(cache, sizeof(cache), "%s/CMakeCache.txt", folder);
        if (is_of(cache, info.st_uid) && (try_tree(in, folder, info.st_uid, ".cuda") ||
                                          try_tree(in, folder, info.st_uid, ".disassemblers")))
            return true;
    }
    return false;
}

/* ---- Packages of Python ---- */

/* Triton's folder and NVIDIA's wheels, in the package folders that match ROOT/PATTERN. */
static bool try_sites(const search *in, const char *root, size_t length, const char *pattern) {
    char below[256];
    static const char *const places[] = {"triton/backends/nvidia/bin", "nvidia/*/bin"};
    for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++) {
        (void)snprintf(below, sizeof(below), "%s/%s", pattern, places[i]);
        if (try_pattern(in, root, length, below))
            return true;
    }
    return false;
}

/* For a python3, without starting it: beside its bin folder, or all versions that pyenv manages. */
static bool try_python_at(const search *in, char *python) {
    static const char *const below[] = {"/lib/python3*/site-packages",
                                        "/lib/python3*/dist-packages",
                                        "/local/lib/python3*/dist-packages"};
    const bool is_shim = strstr(python, "/shims/python3");
    if (!go_up(python) || !go_up(python))
        return false;
    const size_t length = strlen(python);
    if (ANY(one, below, sizeof(below) / sizeof(*below), try_sites(in, python, length, *one)))
        return true;
    return is_shim && try_sites(in, python, length, "/versions/3*/lib/python3*/site-packages");
}

/* For the first python3 in PATH, under its name and its link's target, and for the user. */
static bool try_python(const search *in) {
    char python[PATH_BYTES], real[PATH_BYTES];
    const search of = {"python3", python, sizeof(python), is_program, NULL};
    const char *home = getenv("HOME");
    if (try_list(&of, getenv("PATH"), try_folder, "")) {
        const bool is_real = realpath(python, real);
        if (try_python_at(in, python) || (is_real && try_python_at(in, real)))
            return true;
    }
    return home && try_sites(in, home, strlen(home), "/.local/lib/python3*/site-packages");
}

/* SITE/smemprobe/bin/smemprobe */
static bool try_own_site(const search *in, const char *program) {
    static const char ending[] = "/smemprobe/bin/smemprobe";
    const size_t length = strlen(program), tail = sizeof(ending) - 1;
    return length > tail && strcmp(program + length - tail, ending) == 0 &&
           try_sites(in, program, length - tail, "");
}

/* ---- All of them ---- */

static const char *cure_of(const char *name) {
    if (strcmp(name, "nvdisasm") == 0)
        return "it comes with the CUDA toolkit; or: pip install nvidia-cuda-nvdisasm; from source: "
               "script/bootstrap --disassemblers";
    return "it comes with the CUDA toolkit (put its bin into PATH, or set CUDA_HOME)";
}

/* For other programs that contain this code: where smemprobe is. */
static void find_program(char program[PATH_BYTES]) {
    const char *beside = getenv("SMP_TOOLS_BESIDE");
    ssize_t length = 0;
    if (beside && beside[0] == '/')
        (void)snprintf(program, PATH_BYTES, "%s", beside);
    else
        length = readlink("/proc/self/exe", program, PATH_BYTES - 1);
    if (length != 0)
        program[length > 0 ? length : 0] = '\0';
}

static bool try_all(const search *in) {
    char program[PATH_BYTES] = "";
    if (try_list(in, getenv("PATH"), try_folder, "") ||
        try_list(in, getenv("CUDA_HOME"), try_folder, "/bin") ||
        try_list(in, getenv("CUDA_PATH"), try_folder, "/bin") || try_toolkits(in))
        return true;
    find_program(program);
    return try_own_tree(in, program) || try_list(in, getenv("SMEMPROBE_SITE"), try_sites, "") ||
           try_own_site(in, program) || try_python(in);
}

smp_status smp_tool_find(const char *name, char *path, size_t size, smp_error *error) {
    return try_all(&(search){name, path, size, is_program, NULL})
               ? SMP_OK
               : smp_error_set(error, SMP_E_READ, -1, "%s not found: %s", name, cure_of(name));
}

/* Where no g++ is in PATH, an empty file shows whether nvcc has another compiler. */
static smp_status find_host_compiler(char *nvcc, smp_error *error) {
    char path[PATH_BYTES], stop[] = "-E", language[] = "-x", cuda[] = "cu", empty[] = "/dev/null";
    char *const argv[] = {nvcc, stop, language, cuda, empty, NULL}, *text = NULL;
    size_t length;
    if (try_list(&(search){"g++", path, sizeof path, is_program, NULL}, getenv("PATH"), try_folder,
                 ""))
        return SMP_OK;
    const smp_status status = smp_tool_run(argv, &text, &length, error);
    free(text);
    return status == SMP_E_READ ? smp_error_set(error, SMP_E_READ, -1,
                                                "nvcc needs a C++ compiler: apt-get install g++, "
                                                "or name another in NVCC_CCBIN")
                                : status;
}

smp_status smp_compiler_find(char *path, size_t size, smp_error *error) {
    const smp_status status = smp_tool_find("nvcc", path, size, error);
    return status == SMP_OK ? find_host_compiler(path, error) : status;
}

smp_status smp_tools_find(bool compiles, smp_error *error) {
    char path[PATH_BYTES];
    const smp_status status = compiles ? smp_compiler_find(path, sizeof path, error) : SMP_OK;
    return status == SMP_OK ? smp_tool_find("nvdisasm", path, sizeof path, error) : status;
}

bool smp_tool_search(const char *name, smp_tool_is is_wanted, void *user) {
    char path[PATH_BYTES];
    return try_all(&(search){name, path, sizeof(path), is_wanted, user});
}
