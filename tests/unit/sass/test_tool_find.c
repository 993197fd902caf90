/* SPDX-License-Identifier: MIT */
/*
 * Each row puts a tool in one place, and says whether it is found while the
 * current folder is `up/here`. No toolkit has a tool of this name.
 */
#define _GNU_SOURCE /* mkdtemp */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "suite.h"
#include "tool.h"

#define TOOL "smp-no-such-tool"

typedef struct place_row {
    const char *name;
    const char *folder;          /* of the tool, below the scratch folder */
    const char *variable, *text; /* "%s" is the scratch folder */
    bool is_found;
} place_row;

/* clang-format off */
static const place_row rows[] = {
    {"PATH", "bin", "PATH", "%s/none:%s/bin", true},
    {"CUDA_HOME", "cuda/bin", "CUDA_HOME", "%s/cuda", true},
    {"CUDA_PATH", "cuda/bin", "CUDA_PATH", "%s/cuda", true},
    {"Triton of the Python that runs", "site/triton/backends/nvidia/bin", "SMEMPROBE_SITE", "%s/x:%s/site", true},
    {"a wheel of the Python that runs", "site/nvidia/cu13/bin", "SMEMPROBE_SITE", "%s/site", true},
    {"a wheel of an older toolkit", "site/nvidia/cuda_nvdisasm/bin", "SMEMPROBE_SITE", "%s/site", true},
    {"Triton beside python3 in PATH", "venv/lib/python3.11/site-packages/triton/backends/nvidia/bin", "PATH", "%s/venv/bin", true},
    {"a wheel beside python3 in PATH", "venv/lib/python3.11/site-packages/nvidia/cu13/bin", "PATH", "%s/venv/bin", true},
    {"a wheel beside Debian's python3", "venv/lib/python3/dist-packages/nvidia/cu13/bin", "PATH", "%s/venv/bin", true},
    {"nvcc's wheel of CUDA 12", "venv/lib/python3.11/site-packages/nvidia/cuda_nvcc/bin", "PATH", "%s/venv/bin", true},
    {"a wheel of pyenv's python3", "pyenv/versions/3.11.7/lib/python3.11/site-packages/nvidia/cu13/bin", "PATH", "%s/pyenv/shims", true},
    {"a wheel of what pyenv never runs", "pyenv/versions/3.11.7/lib/python3.11/site-packages/nvidia/cu13/bin", "PATH", "%s/pyenv/other", false},
    {"a wheel where a link to python3 leads", "venv/lib/python3.11/site-packages/nvidia/cu13/bin", "PATH", "%s/links", true},
    {"a wheel of the user", "home/.local/lib/python3.9/site-packages/nvidia/cu13/bin", "HOME", "%s/home", true},
    {".cuda of the current folder", "up/here/.cuda/bin", NULL, NULL, false},
    {".cuda above the current folder", "up/.cuda/bin", NULL, NULL, false},
    {".disassemblers of the current folder", "up/here/.disassemblers/bin", NULL, NULL, false},
    {".disassemblers above the current folder", ".disassemblers/bin", NULL, NULL, false},
    {"the current folder", "up/here", NULL, NULL, false},
    {"the current folder by an empty part of PATH", "up/here", "PATH", ":%s/none:", false},
    {"the current folder by '.' in PATH", "up/here", "PATH", ".", false},
    {"a folder that PATH names from here", "up/here/bin", "PATH", "bin", false},
    {"a folder that CUDA_HOME names from here", "up/here/cuda/bin", "CUDA_HOME", "cuda", false},
    {"packages of the current folder", "up/here/triton/backends/nvidia/bin", "SMEMPROBE_SITE", ".", false},
    {".cuda above a program of no build", ".cuda/bin", "SMP_TOOLS_BESIDE", "%s/up/smemprobe", false},
    {".cuda beside a folder that only looks like our build", ".cuda/bin", "SMP_TOOLS_BESIDE", "%s/build/smemprobe", false},
    {".cuda of our tree", "tree/.cuda/bin", "SMP_TOOLS_BESIDE", "%s/tree/build/smemprobe", true},
    {".disassemblers of our tree, from a test", "tree/.disassemblers/bin", "SMP_TOOLS_BESIDE", "%s/tree/build/tests/test", true},
};
/* clang-format on */

static char scratch[] = "/tmp/smp-tool-XXXXXX";

static void make_folder(const char *below) {
    char path[512];
    (void)snprintf(path, sizeof path, "%s/%s/", scratch, below);
    for (char *at = path + strlen(scratch) + 1; (at = strchr(at, '/')); at++) {
        *at = '\0';
        (void)mkdir(path, 0755);
        *at = '/';
    }
}

static void make_file(const char *folder, const char *name) {
    char path[512];
    make_folder(folder);
    (void)snprintf(path, sizeof path, "%s/%s/%s", scratch, folder, name);
    FILE *file = fopen(path, "w");
    ck_assert_msg(file && fclose(file) == 0 && chmod(path, 0755) == 0, "%s", path);
}

static const char *link_path(void) {
    static char path[512];
    (void)snprintf(path, sizeof path, "%s/links/python3", scratch);
    return path;
}

static void clear(void) {
    char command[128];
    (void)snprintf(command, sizeof command, "rm -rf %s/*  %s/.[cd]*", scratch, scratch);
    ck_assert_int_eq(system(command), 0);
}

/* Clears everything else that the search looks at. */
static void set_environment(const place_row *row) {
    char text[512];
    unsetenv("CUDA_HOME");
    unsetenv("CUDA_PATH");
    unsetenv("SMEMPROBE_SITE");
    setenv("HOME", "/nonexistent", 1);
    setenv("PATH", "/nonexistent", 1);
    setenv("SMP_TOOLS_BESIDE", "/nonexistent", 1);
    (void)snprintf(text, sizeof text, row->text ? row->text : "", scratch, scratch);
    if (row->variable)
        setenv(row->variable, text, 1);
}

START_TEST(finds_only_where_it_should) {
    char path[512] = "", expected[512];
    const place_row *row = &rows[_i];
    const char *before = getenv("PATH");
    char *kept = strdup(before ? before : "/usr/bin:/bin");
    ck_assert_ptr_nonnull(mkdtemp(scratch));
    make_folder("up/here");
    make_file("venv/bin", "python3");
    make_file("pyenv/shims", "python3");
    make_file("pyenv/other", "python3");
    make_folder("links");
    ck_assert_int_eq(symlink("../venv/bin/python3", link_path()), 0);
    make_file("up", "smemprobe");
    make_file("build", "smemprobe");
    make_file("build", "CMakeCache.txt");
    make_file("tree/build", "smemprobe");
    make_file("tree/build", "CMakeCache.txt");
    make_file("tree/build/tests", "test");
    make_file("tree/analyzer/sass", "tool.h");
    make_file(row->folder, TOOL);
    (void)snprintf(expected, sizeof expected, "%s/up/here", scratch);
    ck_assert_int_eq(chdir(expected), 0);
    set_environment(row);
    const bool is_found = smp_tool_find(TOOL, path, sizeof path, NULL) == SMP_OK;
    setenv("PATH", kept, 1);
    free(kept);
    (void)snprintf(expected, sizeof expected, "%s/%s/%s", scratch, row->folder, TOOL);
    ck_assert_int_eq(chdir("/"), 0);
    clear();
    (void)rmdir(scratch);
    ck_assert_msg(is_found == row->is_found, "%s: %s", row->name, is_found ? path : "not found");
    ck_assert_msg(!is_found || strcmp(path, expected) == 0, "%s: %s", row->name, path);
}
END_TEST

int main(void) {
    return SUITE("tool_find", TEST_EACH(finds_only_where_it_should, COUNT_OF(rows)));
}
