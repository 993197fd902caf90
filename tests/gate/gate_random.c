/* SPDX-License-Identifier: MIT */
/*
 * Random layout files with random expectations on random architectures: `check` must judge exactly
 * what they promise, as the numbers of `predict` say, and leave out nothing. Then single letters of
 * expectations are changed, and none may vanish. The files have names that formats trip over.
 *   gate_random PROGRAM [ROUNDS [SEED]]
 */
#define _XOPEN_SOURCE 700
#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "gate.h"

#ifdef __SANITIZE_ADDRESS__
enum { ROUNDS = 3 }; /* by a program that is slow */
#else
enum { ROUNDS = 6 };
#endif

enum {
    FILES = 12,
    LINES = 8,
    EXPECTS = 24,
    OUTPUT_MAX = 1 << 22,
    WORDS_MAX = 32,
    CASES_MAX = 4096
};

static const char *program;
static char printed[OUTPUT_MAX]; /* by the latest run */

static const char *const archs[] = {"sm_13", "sm_20", "sm_35", "sm_52",  "sm_70", "sm_75",
                                    "sm_80", "sm_86", "sm_90", "sm_100", "sm_120"};
static const char *const fields[] = {"ways",         "wavefronts", "ideal",   "excess",
                                     "transactions", "bytes",      "requests"};
static const char *const relations[] = {"<=", ">=", "==", "!=", "<", ">"};
static const char *const accesses[] = {
    "ld s[threadIdx.x][0]",
    "ld s[threadIdx.x / 32][threadIdx.x % 32]",
    "st s[threadIdx.x * 3 % 64][1]",
    "ld w[threadIdx.x * 2]",
    "ld g[threadIdx.x * 5]",
    "st g[threadIdx.x]",
    "atomicAdd(&s[threadIdx.x][0], 1.0f)",
    "s[threadIdx.x / 32][threadIdx.x % 32] = g[threadIdx.x * 3]",
    "s[threadIdx.x / 32][threadIdx.x % 32] = s[threadIdx.x][7]",
    "s[threadIdx.x][2] = w[threadIdx.x] + s[threadIdx.x / 32][threadIdx.x % 32] + g[0]",
    "g[threadIdx.x] = s[threadIdx.x % 8][threadIdx.x / 8]",
};
static const char *const names[] = {"plain",
                                    "two words",
                                    "gr\xc3\xbc\xc3\x9f"
                                    "e",
                                    "100%",
                                    "a:b,c",
                                    "<&\"'>",
                                    "esc\033[31m",
                                    "line\nbreak",
                                    "tab\there",
                                    "bad\xff",
                                    "c1\xc2\x9b",
                                    "\xe2\x82\xac\xef\xbf\xbe"};
static const unsigned bounds[] = {0, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128};

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

typedef struct expectation {
    unsigned line, access_line, value;
    const char *field, *relation, *arch; /* NULL: wherever the file is checked */
    char text[64];
} expectation;

typedef struct file {
    char name[64];
    unsigned arch_count, expect_count, line_count;
    const char *archs[3];
    expectation expects[EXPECTS];
} file;

/* ---- Running ---- */

/* Runs the program; what it prints (and, with `errors`, complains) is in `printed`. */
static int run(char *const words[], bool errors) {
    int ends[2], status = -1;
    size_t length = 0;
    ssize_t got;
    if (pipe(ends) != 0)
        die("no pipe");
    const pid_t child = fork();
    if (child == 0) {
        (void)dup2(ends[1], errors ? STDERR_FILENO : STDOUT_FILENO);
        if (!freopen("/dev/null", "w", errors ? stdout : stderr))
            _exit(126);
        execv(program, words);
        _exit(127);
    }
    (void)close(ends[1]);
    while (length < OUTPUT_MAX - 1 &&
           (got = read(ends[0], printed + length, OUTPUT_MAX - 1 - length)) > 0)
        length += (size_t)got;
    printed[length] = '\0';
    (void)close(ends[0]);
    if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status))
        die("%s %s %s: did not end by itself", words[0], words[1], words[2]);
    return WEXITSTATUS(status);
}

static json_t *parsed(const char *what) {
    json_error_t error;
    json_t *root = json_loads(printed, JSON_ALLOW_NUL, &error);
    if (!root)
        die("%s: line %d: %s\n%s", what, error.line, error.text, printed);
    return root;
}

/* ---- Making files ---- */

static void make_expectation(file *f, FILE *out, unsigned access_line) {
    expectation *e = &f->expects[f->expect_count++];
    *e = (expectation){.line = ++f->line_count,
                       .access_line = access_line,
                       .value = bounds[below(COUNT(bounds))],
                       .field = fields[below(COUNT(fields))],
                       .relation = relations[below(COUNT(relations))],
                       .arch = below(2) ? archs[below(COUNT(archs))] : NULL};
    (void)snprintf(e->text, sizeof e->text, "%s %s %u%s%s", e->field, e->relation, e->value,
                   e->arch ? " on " : "", e->arch ? e->arch : "");
    fprintf(out, "expect %s\n", e->text);
}

static void make_file(file *f, unsigned number) {
    memset(f, 0, sizeof *f);
    (void)snprintf(f->name, sizeof f->name, "%s-%u.smp", names[below(COUNT(names))], number);
    FILE *out = fopen(f->name, "w");
    if (!out)
        die("no file %s", f->name);
    fprintf(out, "shared float s[64][33]\nshared double w[256]\nglobal float g[4096]\nblock 64\n");
    f->line_count = 4;
    f->arch_count = below(4);
    for (unsigned i = 0; i < f->arch_count; i++) {
        f->archs[i] = archs[below(COUNT(archs))];
        fprintf(out, "arch %s\n", f->archs[i]);
        f->line_count++;
    }
    const bool promises = below(6) > 0;
    for (unsigned i = below(LINES); i > 0; i--) {
        fprintf(out, "%s\n", accesses[below(COUNT(accesses))]);
        const unsigned line = ++f->line_count;
        for (unsigned k = promises ? below(3) : 0; k > 0 && f->expect_count < EXPECTS; k--)
            make_expectation(f, out, line);
    }
    if (fclose(out) != 0)
        die("%s: not written", f->name);
}

/* ---- What must come out ---- */

typedef struct expected {
    char *cases[CASES_MAX];
    size_t count, violated, empty, not_judged;
} expected;

/* The bounds of the command line and what they apply to. */
typedef struct request {
    const char *arch;
    int max_ways, max_excess;
} request;

static void add_case(expected *want, const file *f, unsigned line, const char *arch,
                     const char *verdict, const char *rule, const char *access) {
    char text[512];
    if (want->count == CASES_MAX)
        die("too many cases");
    /* Names are compared by their number: JSON holds no bytes that are not UTF-8. */
    (void)snprintf(text, sizeof text, "%s|%u|%s|%s|%s|%s", strrchr(f->name, '-'), line, arch,
                   verdict, rule, access);
    want->cases[want->count++] = strdup(text);
    want->violated += strcmp(verdict, "violated") == 0;
    want->not_judged += strcmp(verdict, "not judged") == 0;
}

/* The two ends of a count; false if the access has none. */
static bool count_of(const json_t *access, const char *field, json_int_t value[2]) {
    json_t *found = json_object_get(access, field);
    json_t *low = json_is_object(found) ? json_object_get(found, "min") : found;
    json_t *high = json_is_object(found) ? json_object_get(found, "max") : found;
    value[0] = json_integer_value(low);
    value[1] = json_integer_value(high);
    return json_is_integer(low) && json_is_integer(high);
}

static bool holds_one(const char *relation, json_int_t value, json_int_t bound) {
    const bool less = value < bound, equal = value == bound, inverts = relation[0] == '!';
    const bool allows_equal = relation[1] == '=';
    return inverts              ? !equal
           : relation[0] == '<' ? less || (allows_equal && equal)
           : relation[0] == '>' ? (!less && !equal) || (allows_equal && equal)
                                : equal;
}

/* True if this kind of access has the count. */
static bool has_kind(const json_t *access, const char *field) {
    const char *op = json_string_value(json_object_get(access, "op"));
    const bool is_shared = strstr(op, ".shared");
    if (strcmp(field, "requests") == 0)
        return true;
    if (strcmp(field, "transactions") == 0 || strcmp(field, "bytes") == 0)
        return !is_shared;
    return is_shared;
}

static void expect_one(expected *want, const file *f, const expectation *e, const char *arch,
                       const json_t *access) {
    json_int_t value[2];
    const bool holds = count_of(access, e->field, value) &&
                       holds_one(e->relation, value[0], e->value) &&
                       holds_one(e->relation, value[1], e->value);
    add_case(want, f, e->line, arch, holds ? "holds" : "violated", e->text,
             json_string_value(json_object_get(access, "text")));
}

static void expect_line(expected *want, const file *f, const expectation *e, const char *arch,
                        const json_t *all) {
    const json_t *access, *last = NULL;
    size_t i, concerned = 0;
    json_array_foreach((json_t *)all, i, access) {
        if (json_integer_value(json_object_get(access, "line")) != e->access_line)
            continue;
        last = access;
        if (!has_kind(access, e->field))
            continue;
        concerned++;
        expect_one(want, f, e, arch, access);
    }
    if (concerned == 0)
        expect_one(want, f, e, arch, last);
}

static void expect_bound(expected *want, const file *f, const char *arch, const json_t *all,
                         const char *field, int bound) {
    const json_t *access;
    size_t i;
    char rule[40];
    (void)snprintf(rule, sizeof rule, "%s <= %d", field, bound);
    json_array_foreach((json_t *)all, i, access) {
        json_int_t value[2];
        const bool is_known = count_of(access, field, value);
        if (bound < 0 || !has_kind(access, field))
            continue;
        add_case(want, f, (unsigned)json_integer_value(json_object_get(access, "line")), arch,
                 !is_known           ? "not judged"
                 : value[1] <= bound ? "holds"
                                     : "violated",
                 rule, json_string_value(json_object_get(access, "text")));
    }
}

/* One architecture of one file, from the numbers of predict. */
static void expect_arch(expected *want, const file *f, const request *asked, const char *arch,
                        bool is_chosen) {
    char *words[] = {"smemprobe",  "predict",  (char *)f->name, "--arch",
                     (char *)arch, "--format", "json",          NULL};
    if (run(words, false) != 0)
        die("predict %s --arch %s failed", f->name, arch);
    json_t *root = parsed("predict"), *all = json_object_get(root, "accesses");
    for (unsigned i = 0; i < f->expect_count; i++) {
        const expectation *e = &f->expects[i];
        if (e->arch ? strcmp(e->arch, arch) == 0 : is_chosen)
            expect_line(want, f, e, arch, all);
    }
    if (is_chosen) {
        expect_bound(want, f, arch, all, "ways", asked->max_ways);
        expect_bound(want, f, arch, all, "excess", asked->max_excess);
    }
    json_decref(root);
}

static void expect_file(expected *want, const file *f, const request *asked) {
    const size_t before = want->count - want->not_judged;
    for (size_t i = 0; i < COUNT(archs); i++) {
        const char *arch = archs[i];
        bool chosen = asked->arch         ? strcmp(asked->arch, arch) == 0
                      : f->arch_count > 0 ? false
                                          : strcmp(arch, "sm_90") == 0;
        for (unsigned k = 0; !asked->arch && k < f->arch_count; k++)
            chosen |= strcmp(f->archs[k], arch) == 0;
        bool named = false;
        for (unsigned k = 0; k < f->expect_count; k++)
            named |= f->expects[k].arch && strcmp(f->expects[k].arch, arch) == 0;
        /* Without an access predict has nothing to say. */
        if ((chosen || named) && f->line_count > 4 + f->arch_count)
            expect_arch(want, f, asked, arch, chosen);
    }
    if (want->count - want->not_judged == before)
        want->empty++;
}

/* ---- What comes out ---- */

static int compare_texts(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static const char *text_of(const json_t *object, const char *name) {
    const char *text = json_string_value(json_object_get(object, name));
    return text ? text : "";
}

static void compare_cases(expected *want, const json_t *cases) {
    const json_t *found;
    size_t i, count = 0, empty = 0;
    char *now[CASES_MAX];
    json_array_foreach((json_t *)cases, i, found) {
        char text[512];
        const char *verdict = text_of(found, "verdict");
        const bool is_empty = strncmp(text_of(found, "message"), "nothing to check: ", 18) == 0;
        empty += is_empty;
        if (is_empty && strcmp(verdict, "error") == 0)
            continue;
        if (strcmp(verdict, "error") == 0)
            die("%s: %s", text_of(found, "file"), text_of(found, "message"));
        (void)snprintf(text, sizeof text, "%s|%d|%s|%s|%s|%s", strrchr(text_of(found, "file"), '-'),
                       (int)json_integer_value(json_object_get(found, "line")),
                       text_of(found, "arch"), verdict, text_of(found, "rule"),
                       text_of(found, "access"));
        now[count++] = strdup(text);
    }
    qsort(now, count, sizeof now[0], compare_texts);
    qsort(want->cases, want->count, sizeof want->cases[0], compare_texts);
    for (i = 0; i < count || i < want->count; i++) {
        const char *a = i < want->count ? want->cases[i] : "", *b = i < count ? now[i] : "";
        if (strcmp(a, b) != 0)
            die("expected  %s\nbut got   %s", a, b);
    }
    if (empty != want->empty)
        die("%zu files with nothing to check, not %zu", empty, want->empty);
    for (i = 0; i < count; i++)
        free(now[i]);
}

/* ---- Formats ---- */

/* Nothing that moves a terminal, in any format; `lines` of them. */
static size_t count_lines(const char *what) {
    size_t lines = 0;
    for (const char *at = printed; *at; at++) {
        const unsigned char c = (unsigned char)*at;
        if ((c < 32 && c != '\n') || c == 127 ||
            (c == 0xc2 && (unsigned char)at[1] >= 0x80 && (unsigned char)at[1] < 0xa0))
            die("%s prints a control character: %s", what, printed);
        lines += c == '\n';
    }
    return lines;
}

/* How a name is shown: with "\x1b" for what can't be, and as the format wants it. */
static void shown_name(const char *name, const char *format, char *out) {
    static const char *const github[] = {"%%25", "\n%0A", ":%3A", ",%2C"};
    static const char *const junit[] = {"&&amp;",   "<&lt;",   ">&gt;",
                                        "\"&quot;", "\n&#10;", "\t&#9;"};
    const bool is_github = strcmp(format, "github") == 0, is_junit = strcmp(format, "junit") == 0;
    for (; *name; name++) {
        const unsigned char c = (unsigned char)*name;
        const char *as = NULL;
        for (size_t i = 0; is_github && i < COUNT(github); i++)
            as = github[i][0] == *name ? github[i] + 1 : as;
        for (size_t i = 0; is_junit && i < COUNT(junit); i++)
            as = junit[i][0] == *name ? junit[i] + 1 : as;
        const bool is_bad = c < 32 || c == 0xff || (c == 0xc2 && (unsigned char)name[1] == 0x9b) ||
                            c == 0x9b || (c == 0xef && (unsigned char)name[2] == 0xbe) ||
                            (c == 0xbf && (unsigned char)name[1] == 0xbe) || c == 0xbe;
        out += as       ? sprintf(out, "%s", as)
               : is_bad ? sprintf(out, "\\x%02x", c)
                        : sprintf(out, "%c", c);
    }
    *out = '\0';
}

/* The report has each violated case under the name of its file. */
static void check_format(char **words, const expected *want, const file files[FILES],
                         const char *format) {
    char place[512], name[400];
    words[3] = (char *)format;
    (void)run(words, false);
    const size_t lines = count_lines(format);
    if (strcmp(format, "text") == 0 && lines != want->violated + 1)
        die("text has %zu lines for %zu cases:\n%s", lines, want->violated, printed);
    if (strcmp(format, "github") == 0 && lines != want->violated + want->empty + want->not_judged)
        die("github has %zu lines for %zu cases:\n%s", lines, want->violated + want->empty,
            printed);
    for (size_t i = 0; i < want->count; i++) {
        unsigned number, line;
        if (!strstr(want->cases[i], "|violated|") ||
            sscanf(want->cases[i], "-%u.smp|%u|", &number, &line) != 2)
            continue;
        shown_name(files[number].name, format, name);
        (void)snprintf(place, sizeof place,
                       strcmp(format, "text") == 0     ? "%s:%u: "
                       : strcmp(format, "github") == 0 ? "::error file=%s,line=%u,"
                                                       : "file=\"%s\" line=\"%u\"",
                       name, line);
        if (!strstr(printed, place))
            die("%s: no '%s' in\n%s", format, place, printed);
    }
}

static void check_all(file files[FILES]) {
    char ways[16], excess[16];
    expected want = {.count = 0};
    request asked = {.arch = below(3) ? NULL : archs[below(COUNT(archs))],
                     .max_ways = below(3) ? -1 : (int)below(40),
                     .max_excess = below(4) ? -1 : (int)below(100)};
    char *words[WORDS_MAX] = {"smemprobe", "check", "--format", "json"};
    size_t count = 4;
    for (unsigned i = 0; i < FILES; i++) {
        make_file(&files[i], i);
        expect_file(&want, &files[i], &asked);
        words[count++] = files[i].name;
    }
    (void)snprintf(ways, sizeof ways, "%d", asked.max_ways);
    (void)snprintf(excess, sizeof excess, "%d", asked.max_excess);
    char *const options[][2] = {
        {"--arch", (char *)asked.arch}, {"--max-ways", ways}, {"--max-excess", excess}};
    const bool given[] = {asked.arch, asked.max_ways >= 0, asked.max_excess >= 0};
    for (size_t i = 0; i < COUNT(given); i++)
        if (given[i]) {
            words[count++] = options[i][0];
            words[count++] = options[i][1];
        }
    const int status = run(words, false);
    const int wanted = want.empty > 0 ? 3 : want.violated > 0 ? 1 : 0;
    if (status != wanted)
        die("check ended with %d, not %d:\n%s", status, wanted, printed);
    json_t *root = parsed("check");
    compare_cases(&want, json_object_get(root, "cases"));
    json_decref(root);
    (void)run(words, true);
    if (count_lines("standard error") != want.empty)
        die("%zu files with nothing to check, but:\n%s", want.empty, printed);
    check_format(words, &want, files, "text");
    check_format(words, &want, files, "github");
    check_format(words, &want, files, "junit");
    for (unsigned i = 0; i < FILES; i++)
        (void)remove(files[i].name);
    for (size_t i = 0; i < want.count; i++)
        free(want.cases[i]);
}

/* ---- Slips of the pen ---- */

static void change_letter(char *text) {
    static const char letters[] = "aesnowy019_ <=>!#/;,.-+(";
    const size_t length = strlen(text), at = below(length);
    const char letter = letters[below(sizeof letters - 1)];
    switch (below(4)) {
    case 0:
        memmove(text + at, text + at + 1, length - at);
        break;
    case 1:
        memmove(text + at + 1, text + at, length - at + 1);
        text[at] = letter;
        break;
    case 2:
        text[at] = letter;
        break;
    default:
        if (at + 1 < length) {
            const char c = text[at];
            text[at] = text[at + 1];
            text[at + 1] = c;
        }
    }
}

/* True if words follow the bound that are no architecture: they must not be passed over. */
static bool has_loose_end(const char *line) {
    char field[16], relation[3], word[16], name[32];
    unsigned value;
    int end = -1;
    const int parts = sscanf(line, "expect %15[a-z] %2[<>=!] %u %15[a-z] %31[^ ;#/]%n", field,
                             relation, &value, word, name, &end);
    return (parts == 4 || parts == 5) && strcmp(word, "on") != 0;
}

/* An expectation with a slip is an error with its place, or still a promise that is judged. */
static void check_slip(void) {
    char line[96], *words[] = {"smemprobe", "check", "--format", "json", "slip.smp", NULL};
    static const char *const joints[] = {" on ", "#", " ", " no ", " o n ", ",", " on"};
    const char *arch = archs[below(COUNT(archs))];
    (void)snprintf(line, sizeof line, "expect %s %s %u%s%s", fields[below(3)],
                   relations[below(COUNT(relations))], bounds[below(COUNT(bounds))],
                   joints[below(COUNT(joints))], arch);
    for (unsigned i = below(4); i > 0; i--)
        change_letter(line);
    FILE *out = fopen("slip.smp", "w");
    if (!out ||
        fprintf(out, "shared float s[64]\nld s[threadIdx.x]\nexpect ways >= 1\n%s\n", line) < 0 ||
        fclose(out) != 0)
        die("slip.smp: not written");
    const int status = run(words, false);
    json_t *root = parsed("check"), *cases = json_object_get(root, "cases");
    const size_t count = json_array_size(cases);
    const json_t *last = json_array_get(cases, count - 1);
    const bool names_it = json_integer_value(json_object_get(last, "line")) == 4 || count == 2;
    const bool is_comment = line[strspn(line, " ;")] == '#' ||
                            strncmp(line + strspn(line, " ;"), "//", 2) == 0 ||
                            line[strspn(line, " ;")] == '\0';
    const bool has_place = json_is_integer(json_object_get(last, "column"));
    if (!is_comment && !(status == 3 ? names_it && has_place : count == 2 && !has_loose_end(line)))
        die("'%s' gives %d and %zu cases:\n%s", line, status, count, printed);
    json_decref(root);
    (void)remove("slip.smp");
}

int main(int argc, char **argv) {
    char folder[] = "/tmp/smemprobe-gate-XXXXXX";
    static file files[FILES];
    const char *wanted = argc > 2 ? argv[2] : getenv("SMP_GATE_ROUNDS");
    const unsigned rounds = wanted ? (unsigned)atoi(wanted) : ROUNDS;
    random_state = argc > 3 ? strtoull(argv[3], NULL, 10) + 1 : 12345;
    program = argc > 1 ? realpath(argv[1], NULL) : NULL;
    if (!program)
        die("usage: gate_random PROGRAM [ROUNDS [SEED]]");
    if (!mkdtemp(folder) || chdir(folder) != 0 || setenv("LC_ALL", "C", 1) != 0)
        die("no folder to work in");
    for (unsigned i = 0; i < rounds; i++)
        check_all(files);
    for (unsigned i = 0; i < rounds * 40; i++)
        check_slip();
    printf("%u files, %u slips\n", rounds * FILES, rounds * 40);
    return chdir("/") != 0 || rmdir(folder) != 0;
}
