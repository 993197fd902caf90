/* SPDX-License-Identifier: MIT */
/*
 * The cache of disassembly. A stand-in for nvdisasm prints the recorded text of
 * tests/data/sass/two.cubin and counts its calls: it must be called exactly when there is no valid
 * entry for that cubin, tool and function, and the instructions must be the same from both sources.
 */
#define _GNU_SOURCE /* mkdtemp, utimensat */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "code_cache.h"
#include "disassembly.h"
#include "suite.h"
#include "tool.h"

#define TRANSPOSE "_Z9transposePfPKfii"
#define REDUCE "_Z6reduceIfEvPT_PKS0_i"

enum { PATH_BYTES = 512, FUNCTIONS = 2 };

static const char *const names[FUNCTIONS] = {TRANSPOSE, REDUCE};

static char scratch[PATH_BYTES], tool[PATH_BYTES + 16], folder[PATH_BYTES + 16];
static char asked[PATH_BYTES + 16];
static char *cubin;
static size_t cubin_size;

static void write_tool(const char *last) {
    FILE *file = fopen(tool, "w");
    ck_assert_ptr_nonnull(file);
    fprintf(file, "#!/bin/sh\necho x >>%s\ncat %s\n%s\n", asked, SMP_DATA "/sass/two.sass", last);
    fclose(file);
    ck_assert_int_eq(chmod(tool, 0755), 0);
}

static void load(void) {
    smp_error error;
    char path[PATH_BYTES + 16];
    (void)snprintf(scratch, sizeof scratch, "%s/smemprobe-test-XXXXXX",
                   getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp");
    ck_assert_ptr_nonnull(mkdtemp(scratch));
    (void)snprintf(tool, sizeof tool, "%s/nvdisasm", scratch);
    (void)snprintf(folder, sizeof folder, "%s/a/b", scratch);
    (void)snprintf(asked, sizeof asked, "%s/asked", scratch);
    (void)snprintf(path, sizeof path, "%s:/bin:/usr/bin", scratch);
    write_tool("");
    setenv("PATH", path, 1);
    setenv("SMEMPROBE_CACHE", folder, 1);
    unsetenv("SMEMPROBE_CACHE_MIB");
    ck_assert_msg(smp_tool_read(SMP_DATA "/sass/two.cubin", &cubin, &cubin_size, &error) == SMP_OK,
                  "%s", error.message);
}

static void unload(void) {
    char command[PATH_BYTES + 16];
    (void)snprintf(command, sizeof command, "rm -rf '%s'", scratch);
    ck_assert_int_eq(system(command), 0);
    free(cubin);
}

static smp_code *opened(void) {
    smp_error error;
    smp_code *code;
    ck_assert_msg(smp_code_open(cubin, cubin_size, &code, &error) == SMP_OK, "%s", error.message);
    return code;
}

/* The number of calls of the tool so far. */
static long times_asked(void) {
    struct stat info;
    return stat(asked, &info) == 0 ? (long)info.st_size / 2 : 0;
}

static void check_equal(const smp_function *a, const smp_function *b) {
    ck_assert_uint_eq(a->instruction_count, b->instruction_count);
    for (uint32_t i = 0; i < a->instruction_count; i++) {
        const smp_instruction *left = &a->instructions[i], *right = &b->instructions[i];
        ck_assert_str_eq(left->predicate, right->predicate);
        ck_assert_str_eq(left->opcode, right->opcode);
        ck_assert_str_eq(left->operands, right->operands);
        ck_assert_uint_eq(left->frame_count, right->frame_count);
        for (uint32_t j = 0; j < left->frame_count; j++) {
            ck_assert_str_eq(left->frames[j].file, right->frames[j].file);
            ck_assert_uint_eq(left->frames[j].line, right->frames[j].line);
        }
    }
}

/* Reads both functions, compares with the recorded text, and returns the number of calls. */
static long disassemble(void) {
    smp_error error;
    const long before = times_asked();
    smp_code *code = opened(), *plain = opened();
    ck_assert_msg(smp_code_disassemble(code, names, FUNCTIONS, &error) == SMP_OK, "%s",
                  error.message);
    const long after = times_asked();
    setenv("SMEMPROBE_CACHE", "off", 1);
    ck_assert_msg(smp_code_disassemble(plain, names, FUNCTIONS, &error) == SMP_OK, "%s",
                  error.message);
    setenv("SMEMPROBE_CACHE", folder, 1);
    ck_assert_int_eq(times_asked(), after + 1); /* "off" disables the cache */
    for (unsigned i = 0; i < FUNCTIONS; i++)
        check_equal(smp_code_find(code, names[i]), smp_code_find(plain, names[i]));
    smp_code_close(code);
    smp_code_close(plain);
    return after - before;
}

/* Writes the path of entry `index`, in order of names; false if there are fewer entries. */
static bool entry(unsigned index, char path[PATH_BYTES + 300]) {
    struct dirent **found;
    unsigned seen = 0;
    bool is_there = false;
    int count = scandir(folder, &found, NULL, alphasort);
    ck_assert_int_ge(count, 0);
    for (int i = 0; i < count; i++) {
        if (strstr(found[i]->d_name, ".sass.zst") && seen++ == index) {
            (void)snprintf(path, PATH_BYTES + 300, "%s/%s", folder, found[i]->d_name);
            is_there = true;
        }
        free(found[i]);
    }
    free(found);
    return is_there;
}

static void set_content(const char *path, const char *bytes, size_t size) {
    FILE *file = fopen(path, "w");
    ck_assert_ptr_nonnull(file);
    ck_assert_uint_eq(fwrite(bytes, 1, size, file), size);
    fclose(file);
}

START_TEST(kept) {
    ck_assert_int_eq(disassemble(), 1);
    ck_assert_int_eq(disassemble(), 0);
    struct stat info;
    ck_assert_int_eq(stat(folder, &info), 0);
    ck_assert_uint_eq(info.st_mode & 0777, 0700);
}
END_TEST

/* All functions of a small cubin are printed and kept; only requested ones are read. */
START_TEST(one_by_one) {
    smp_error error;
    smp_code *code = opened();
    ck_assert_int_eq(smp_code_disassemble(code, names, 1, &error), SMP_OK);
    ck_assert_ptr_null(smp_code_find(code, REDUCE)->instructions);
    smp_code_close(code);
    ck_assert_int_eq(disassemble(), 0);
}
END_TEST

/* The tool cannot print a function, but it is not requested. */
START_TEST(not_whole) {
    write_tool("case \"$*\" in *-fun*) ;; *) exit 1 ;; esac");
    ck_assert_int_eq(disassemble(), 2);
    ck_assert_int_eq(disassemble(), 0);
}
END_TEST

START_TEST(another_tool) {
    struct timespec times[2] = {{.tv_sec = 1000000000}, {.tv_sec = 1000000000}};
    ck_assert_int_eq(disassemble(), 1);
    ck_assert_int_eq(utimensat(AT_FDCWD, tool, times, 0), 0);
    ck_assert_int_eq(disassemble(), 1);
    ck_assert_int_eq(disassemble(), 0);
}
END_TEST

START_TEST(another_cubin) {
    ck_assert_int_eq(disassemble(), 1);
    cubin[cubin_size - 1] = (char)(cubin[cubin_size - 1] ^ 1); /* still a valid file */
    ck_assert_int_eq(disassemble(), 1);
}
END_TEST

/* With any byte changed, or truncated anywhere, the tool is called again and the entry repaired. A
 * bit that zstd ignores does no harm: disassemble() compares the result. */
START_TEST(damaged) {
    char path[PATH_BYTES + 300], *bytes;
    size_t size;
    long flips = 0, noticed = 0;
    ck_assert_int_eq(disassemble(), 1);
    ck_assert(entry(0, path));
    ck_assert_int_eq(smp_tool_read(path, &bytes, &size, NULL), SMP_OK);
    for (size_t i = 0; i < size; i += 1 + size / 23) {
        bytes[i] = (char)(bytes[i] ^ 0x10);
        set_content(path, bytes, size);
        noticed += disassemble();
        flips++;
        bytes[i] = (char)(bytes[i] ^ 0x10);
        set_content(path, bytes, i);
        ck_assert_int_eq(disassemble(), 1);
    }
    ck_assert_int_gt(noticed, flips / 2);
    ck_assert_int_eq(disassemble(), 0);
    free(bytes);
}
END_TEST

/* Valid entries under wrong names, and entries that are not files. */
START_TEST(foreign) {
    char first[PATH_BYTES + 300], second[PATH_BYTES + 300], *bytes;
    size_t size;
    ck_assert_int_eq(disassemble(), 1);
    ck_assert(entry(0, first) && entry(1, second));
    ck_assert_int_eq(smp_tool_read(first, &bytes, &size, NULL), SMP_OK);
    set_content(second, bytes, size);
    ck_assert_int_eq(disassemble(), 1);
    ck_assert_int_eq(unlink(second), 0);
    ck_assert_int_eq(symlink(first, second), 0);
    ck_assert_int_eq(disassemble(), 1);
    ck_assert_int_eq(unlink(second), 0);
    ck_assert_int_eq(mkfifo(second, 0600), 0);
    ck_assert_int_eq(disassemble(), 1);
    ck_assert_int_eq(unlink(second), 0);
    ck_assert_int_eq(mkdir(second, 0700), 0);
    ck_assert_int_eq(disassemble(), 1);
    ck_assert_int_eq(disassemble(), 1); /* it blocks the entry, with no other effect */
    free(bytes);
}
END_TEST

/* A cache that cannot be created keeps nothing and breaks nothing. */
START_TEST(no_folder) {
    (void)snprintf(folder, sizeof folder, "%s/nvdisasm/c", scratch);
    ck_assert_int_eq(disassemble(), 1);
    ck_assert_int_eq(disassemble(), 1);
    (void)snprintf(folder, sizeof folder, "%s/a/b", scratch);
}
END_TEST

START_TEST(failed_tool) {
    smp_error error;
    smp_code *code = opened();
    write_tool("echo no such thing >&2; exit 3");
    ck_assert_int_eq(smp_code_disassemble(code, names, FUNCTIONS, &error), SMP_E_READ);
    ck_assert_msg(strstr(error.message, "no such thing"), "%s", error.message);
    smp_code_close(code);
    write_tool("");
    ck_assert_int_eq(disassemble(), 1);
}
END_TEST

/* Text that zstd cannot compress. */
static void noise(char *text, size_t size, unsigned seed) {
    uint64_t state = seed + 1;
    for (size_t i = 0; i < size; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        text[i] = (char)(' ' + (state >> 33) % 95);
    }
}

static void open_cache(smp_code_cache *cache) {
    smp_error error;
    ck_assert_msg(smp_code_cache_open(cubin, cubin_size, tool, cache, &error) == SMP_OK, "%s",
                  error.message);
}

/* The limit holds; recently used entries and other files stay. */
START_TEST(bound) {
    enum { ENTRIES = 12, BYTES = 200000 };
    smp_code_cache cache;
    smp_code_cache_state state;
    smp_error error;
    char *text = malloc(BYTES), name[16], other[PATH_BYTES + 32];
    struct stat info;
    setenv("SMEMPROBE_CACHE_MIB", "1", 1);
    open_cache(&cache);
    (void)snprintf(other, sizeof other, "%s/precious", folder);
    set_content(other, "precious", 8);
    for (unsigned i = 0; i < ENTRIES; i++) {
        noise(text, BYTES, i);
        (void)snprintf(name, sizeof name, "f%u", i);
        smp_code_cache_put(&cache, name, text, BYTES);
        free(smp_code_cache_get(&cache, "f0")); /* used repeatedly */
        smp_code_cache_close(&cache);
        ck_assert_int_eq(smp_code_cache_look(&state, &error), SMP_OK);
        ck_assert_uint_le(state.bytes, 1 << 20);
        ck_assert_uint_ge(state.entries, i < 4 ? i + 1 : 3);
    }
    char *kept_text = smp_code_cache_get(&cache, "f0");
    ck_assert_ptr_nonnull(kept_text);
    free(kept_text);
    ck_assert_ptr_null(smp_code_cache_get(&cache, "f1"));
    ck_assert_int_eq(stat(other, &info), 0);
    free(text);
}
END_TEST

/* Concurrent writers and readers, while entries are deleted: each reads what was written, or
 * nothing. */
START_TEST(crowd) {
    enum { PROCESSES = 4, ROUNDS = 60, ENTRIES = 10, BYTES = 150000 };
    setenv("SMEMPROBE_CACHE_MIB", "1", 1);
    for (unsigned process = 0; process < PROCESSES; process++) {
        if (fork() != 0)
            continue;
        smp_code_cache cache;
        char *text = malloc(BYTES + 1), name[16];
        open_cache(&cache);
        for (unsigned round = 0; round < ROUNDS; round++) {
            const unsigned index = (round * 7 + process * 3) % ENTRIES;
            noise(text, BYTES, index);
            text[BYTES] = '\0';
            (void)snprintf(name, sizeof name, "f%u", index);
            char *got = smp_code_cache_get(&cache, name);
            if (got && strcmp(got, text) != 0)
                _exit(1);
            free(got);
            smp_code_cache_put(&cache, name, text, BYTES);
            smp_code_cache_close(&cache);
        }
        free(text);
        _exit(0);
    }
    for (unsigned process = 0; process < PROCESSES; process++) {
        int status = 1;
        ck_assert_int_gt(wait(&status), 0);
        ck_assert_int_eq(status, 0);
    }
    smp_code_cache_state state;
    ck_assert_int_eq(smp_code_cache_look(&state, NULL), SMP_OK);
    ck_assert_uint_le(state.bytes, (1 << 20) + PROCESSES * BYTES);
    ck_assert_uint_gt(state.entries, 0);
}
END_TEST

/* An entry under another's name, of the same length, is not used. */
START_TEST(swapped) {
    char paths[2][PATH_BYTES + 300], *bytes[2];
    size_t sizes[2];
    smp_code_cache cache;
    open_cache(&cache);
    smp_code_cache_put(&cache, "f0", "zero", 4);
    smp_code_cache_put(&cache, "f1", "ones", 4);
    for (unsigned i = 0; i < 2; i++) {
        ck_assert(entry(i, paths[i]));
        ck_assert_int_eq(smp_tool_read(paths[i], &bytes[i], &sizes[i], NULL), SMP_OK);
    }
    for (unsigned i = 0; i < 2; i++)
        set_content(paths[i], bytes[1 - i], sizes[1 - i]);
    ck_assert_ptr_null(smp_code_cache_get(&cache, "f0"));
    ck_assert_ptr_null(smp_code_cache_get(&cache, "f1"));
    for (unsigned i = 0; i < 2; i++)
        free(bytes[i]);
    smp_code_cache_close(&cache);
}
END_TEST

/* Entries with the right header and wrong text: empty, or with a misplaced instruction. */
START_TEST(useless) {
    static const char *const texts[] = {
        "", "no assembly at all\n",
        "\t.section\t.text." TRANSPOSE ",\"ax\",@progbits\n        /*0000*/ NOP ;\n",
        "\t.section\t.text." TRANSPOSE ",\"ax\",@progbits\n        /*fff0*/ NOP ;\n"};
    smp_code_cache cache;
    ck_assert_int_eq(disassemble(), 1);
    open_cache(&cache);
    for (unsigned i = 0; i < sizeof texts / sizeof *texts; i++) {
        smp_code_cache_put(&cache, TRANSPOSE, texts[i], strlen(texts[i]));
        ck_assert_int_eq(disassemble(), 1);
        ck_assert_int_eq(disassemble(), 0);
    }
    smp_code_cache_close(&cache);
}
END_TEST

START_TEST(places) {
    char base[PATH_BYTES + 32];
    smp_code_cache_state state;
    smp_error error;
    unsetenv("SMEMPROBE_CACHE");
    (void)snprintf(base, sizeof base, "%s/x", scratch);
    setenv("XDG_CACHE_HOME", base, 1);
    ck_assert_int_eq(smp_code_cache_look(&state, &error), SMP_OK);
    (void)snprintf(base, sizeof base, "%s/x/smemprobe", scratch);
    ck_assert_str_eq(state.folder, base);
    setenv("XDG_CACHE_HOME", "relative", 1); /* ignored, as the standard demands */
    setenv("HOME", scratch, 1);
    ck_assert_int_eq(smp_code_cache_look(&state, &error), SMP_OK);
    (void)snprintf(base, sizeof base, "%s/.cache/smemprobe", scratch);
    ck_assert_str_eq(state.folder, base);
    static const char *const bad[] = {"abc", "1x", "-1", "1e3", "99999999999999999999"};
    for (unsigned i = 0; i < sizeof bad / sizeof *bad; i++) {
        setenv("SMEMPROBE_CACHE_MIB", bad[i], 1);
        ck_assert_msg(smp_code_cache_look(&state, &error) == SMP_E_USAGE, "%s", bad[i]);
    }
    setenv("SMEMPROBE_CACHE_MIB", "0", 1);
    ck_assert_int_eq(smp_code_cache_look(&state, &error), SMP_OK);
    ck_assert_str_eq(state.folder, "");
}
END_TEST

/* More cubins than threads, in parallel; only the failing one fails. */
START_TEST(several) {
    enum { JOBS = 40 };
    smp_disassembly_job jobs[JOBS];
    static const char *const nobody = "nobody";
    write_tool("case \"$*\" in *,*) exit 3 ;; esac"); /* fails for two functions in one call */
    for (unsigned i = 0; i < JOBS; i++)
        jobs[i] = (smp_disassembly_job){
            .code = opened(), .names = i == 11 ? &nobody : &names[i % 2], .count = 1};
    jobs[7].names = NULL;
    setenv("SMEMPROBE_CACHE", "off", 1);
    smp_codes_disassemble(jobs, JOBS);
    ck_assert_int_eq(times_asked(), JOBS - 1);
    for (unsigned i = 0; i < JOBS; i++) {
        const smp_function *f = smp_code_find(jobs[i].code, names[i % 2]);
        ck_assert_int_eq(jobs[i].status, i == 7 ? SMP_E_READ : SMP_OK);
        ck_assert(i == 7 || i == 11 || f->instructions);
        smp_code_close(jobs[i].code);
    }
}
END_TEST

int main(void) {
    return SUITE_IN(load, unload, "code_cache", TEST(kept), TEST(one_by_one), TEST(not_whole),
                    TEST(another_tool), TEST(another_cubin), TEST(damaged), TEST(foreign),
                    TEST(no_folder), TEST(failed_tool), TEST(bound), TEST(crowd), TEST(swapped),
                    TEST(useless), TEST(places), TEST(several));
}
