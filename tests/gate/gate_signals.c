/* SPDX-License-Identifier: MIT */
/*
 * Every command that writes a file is stopped at random moments by every signal that ends a
 * program. What it leaves must be the whole answer or nothing; Ctrl-C must end it within a second
 * with 130 and a line that says so; what a kill leaves, the next run of the same command removes.
 *   gate_signals PROGRAM STAND-IN [ROUNDS [SEED]]
 */
#define _XOPEN_SOURCE 700
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "gate.h"

enum { WORDS_MAX = 16, TEXT_MAX = 4096, TRIES = 4, LIMIT_SECONDS = 60 };

typedef struct command {
    const char *words[WORDS_MAX];
    bool on_gpu;       /* by the stand-in */
    bool is_endless;   /* ends by signals only */
    bool is_fed;       /* with lines, without end */
    bool says;         /* has long work: Ctrl-C is answered by a line and 130 */
    const char *needs; /* a program, or NULL */
} command;

/* Files that may be there afterwards: out.*, whole; r.txt and r.txt.partial; charts/. */
static const command commands[] = {
    {.words = {"--stride", "33", "-o", "out.json"}},
    {.words = {"tile.smp", "-o", "out.json"}},
    {.words = {"check", "tile.smp", "-o", "out.json"}},
    {.words = {"list", "ops", "-o", "out.json"}},
    {.words = {"generate", "man", "-o", "out.txt"}},
    {.words = {"doctor", "-o", "out.json"}},
    {.words = {"explain-counters", "counters.csv", "-o", "out.json"}},
    {.words = {"fix", "tile.smp", "-o", "out.json"}},
    {.words = {"batch", "-", "-o", "out.csv"}, .is_fed = true, .is_endless = true, .says = true},
    {.words = {"batch", "-", "-o", "out.csv"}, .is_endless = true, .says = true},
    {.words = {"compare", "transpose", "-o", "out.json"}},
    {.words = {"compare", "histogram", "-o", "out.csv"}, .says = true},
    {.words = {"compare", "all", "--record", "r.txt", "-o", "out.csv"},
     .on_gpu = true,
     .says = true},
    {.words = {"verify", "--count", "0", "-o", "out.json"},
     .on_gpu = true,
     .is_endless = true,
     .says = true},
    {.words = {"verify", "--count", "0", "--witness", "clocks", "-o", "out.json"},
     .on_gpu = true,
     .is_endless = true,
     .says = true},
    {.words = {"probe", "--stride", "0:3000", "--record", "r.txt", "-o", "out.csv"},
     .on_gpu = true,
     .says = true},
    {.words = {"probe", "--stride", "0:4000", "--op", "ld,st", "--devices", "0,1", "-o", "out.csv"},
     .on_gpu = true,
     .says = true},
    {.words = {"plot", "heatmap", "-o", "out.csv"}},
    {.words = {"plot", "stride", "-o", "out.svg"}, .needs = "gnuplot"},
    {.words = {"plot", "all", "-o", "charts"}, .says = true, .needs = "gnuplot"},
};

static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGQUIT, SIGKILL};

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

static const char *programs[2]; /* and the stand-in */
static char said[TEXT_MAX];     /* by the latest run, on the standard error */

static double now(void) {
    struct timespec at;
    (void)clock_gettime(CLOCK_MONOTONIC, &at);
    return (double)at.tv_sec + 1e-9 * (double)at.tv_nsec;
}

static void pause_for(double seconds) {
    struct timespec left = {(time_t)seconds, (long)((seconds - (double)(time_t)seconds) * 1e9)};
    while (nanosleep(&left, &left) != 0 && errno == EINTR) {
    }
}

/* ---- Running ---- */

static pid_t start(const command *c, int input) {
    const pid_t child = fork();
    if (child != 0)
        return child;
    const char *words[WORDS_MAX + 2] = {"smemprobe"};
    for (size_t i = 0; i < WORDS_MAX && c->words[i]; i++)
        words[i + 1] = c->words[i];
    (void)dup2(input, STDIN_FILENO);
    const int null = open("/dev/null", O_WRONLY);
    const int errors = open("../errors", O_WRONLY | O_CREAT | O_TRUNC, 0666);
    (void)dup2(null, STDOUT_FILENO);
    (void)dup2(errors, STDERR_FILENO);
    (void)alarm(LIMIT_SECONDS); /* kept by what runs now */
    /* A signal that is ignored here, as under nohup, would stay ignored there. */
    for (size_t i = 0; i < COUNT(signals); i++)
        (void)signal(signals[i], SIG_DFL);
    execv(programs[c->on_gpu], (char *const *)(uintptr_t)words);
    _exit(127);
}

/* Writes lines of the batch format until the reader is gone. */
static pid_t feed(int to, int other) {
    static const char line[] = "ld.shared 4 00000003 0 4 - - - - - - - - - - - - - - - - - - - - "
                               "- - - - - - - - - -\n";
    const pid_t child = fork();
    if (child != 0)
        return child;
    (void)close(other);
    (void)signal(SIGPIPE, SIG_DFL);
    while (write(to, line, sizeof line - 1) > 0) {
    }
    _exit(0);
}

/* Starts the command, sends `number` (0: none) after `delay`; returns the wait status, and in
 * *seconds how long it went on afterwards. */
static int run(const command *c, int number, double delay, double *seconds) {
    int ends[2] = {-1, -1}, status = 0;
    if (pipe(ends) != 0)
        die("no pipe");
    (void)fcntl(ends[0], F_SETFD, FD_CLOEXEC);
    (void)fcntl(ends[1], F_SETFD, FD_CLOEXEC);
    const pid_t feeder = c->is_fed ? feed(ends[1], ends[0]) : -1;
    const pid_t child = start(c, ends[0]);
    (void)close(ends[0]);
    if (number != 0) {
        pause_for(delay);
        (void)kill(child, number);
    }
    const double sent = now();
    if (waitpid(child, &status, 0) != child)
        die("%s: lost", c->words[0]);
    *seconds = now() - sent;
    (void)close(ends[1]);
    if (feeder > 0)
        (void)waitpid(feeder, NULL, 0);
    FILE *errors = fopen("../errors", "r");
    const size_t length = errors ? fread(said, 1, sizeof said - 1, errors) : 0;
    said[length] = '\0';
    if (errors)
        (void)fclose(errors);
    return status;
}

/* ---- What is left ---- */

static bool is_whole(const char *folder, const char *name) {
    char path[512];
    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "r");
    if (!file)
        return false;
    const bool has_end = fseek(file, -1, SEEK_END) == 0 && fgetc(file) == '\n';
    rewind(file);
    bool whole = has_end;
    if (strstr(name, ".json")) {
        json_t *root = json_loadf(file, 0, NULL);
        whole = root;
        json_decref(root);
    }
    (void)fclose(file);
    return whole || strstr(name, ".png");
}

static void look_at(const command *c, const char *folder, const char *when) {
    static const char *const known[] = {"out.json", "out.csv", "out.txt",       "out.svg",
                                        "r.txt",    "charts",  "r.txt.partial", "README.md"};
    DIR *list = opendir(folder);
    if (!list)
        return;
    for (const struct dirent *next; (next = readdir(list));) {
        const char *name = next->d_name, *dot = strrchr(name, '.');
        bool is_known = strcmp(folder, "charts") == 0 && dot && strcmp(dot, ".png") == 0;
        for (size_t i = 0; i < COUNT(known); i++)
            is_known |= strcmp(name, known[i]) == 0;
        if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0 || strcmp(name, "tile.smp") == 0 ||
            strcmp(name, "counters.csv") == 0)
            continue;
        if (!is_known)
            die("%s %s: %s leaves %s", c->words[0], c->words[1], when, name);
        if (strcmp(name, "charts") != 0 && !is_whole(folder, name))
            die("%s %s: %s leaves a part of %s", c->words[0], c->words[1], when, name);
    }
    (void)closedir(list);
}

static void clear(const char *folder) {
    DIR *list = opendir(folder);
    char path[512];
    for (const struct dirent *next; list && (next = readdir(list));) {
        const char *name = next->d_name;
        if (name[strspn(name, ".")] == '\0' || strcmp(name, "tile.smp") == 0 ||
            strcmp(name, "counters.csv") == 0)
            continue;
        (void)snprintf(path, sizeof path, "%s/%s", folder, name);
        if (strcmp(name, "charts") == 0)
            clear(path);
        (void)remove(path);
    }
    if (list)
        (void)closedir(list);
}

static bool is_there(const char *program) {
    char words[64];
    (void)snprintf(words, sizeof words, "command -v %s >/dev/null", program);
    return system(words) == 0;
}

/* ---- Judging ---- */

/* Ctrl-C: 130, or the signal's own end; where the work is long, with a line. */
static void judge_interrupt(const command *c, int status) {
    const bool by_signal = WIFSIGNALED(status) && WTERMSIG(status) == SIGINT;
    const bool by_status = WIFEXITED(status) && WEXITSTATUS(status) == 130;
    const bool was_over = WIFEXITED(status) && WEXITSTATUS(status) <= 1 && !c->is_endless;
    if (!by_signal && !by_status && !was_over)
        die("%s %s: Ctrl-C gives status %x: %s", c->words[0], c->words[1], (unsigned)status, said);
    if (by_status && !strstr(said, "interrupted"))
        die("%s %s: Ctrl-C says nothing, but: %s", c->words[0], c->words[1], said);
}

/* A machine that is busy may be slow to say so: only what is slow again and again is deaf. */
static void stop_once(const command *c, int number, double length) {
    double seconds = 0;
    for (unsigned i = 0; i < TRIES; i++) {
        const double delay = length * (double)below(1000) / 900;
        const int status = run(c, number, delay, &seconds);
        if (number == SIGINT)
            judge_interrupt(c, status);
        if (number == SIGKILL && WIFSIGNALED(status)) {
            double rest;
            (void)run(c, c->is_endless || c->says ? SIGINT : 0, 0.3, &rest);
        }
        look_at(c, ".", strsignal(number));
        look_at(c, "charts", strsignal(number));
        clear(".");
        if (seconds < 1)
            return;
    }
    die("%s %s: goes on for %.1f s after %s", c->words[0], c->words[1], seconds, strsignal(number));
}

static bool write_text(const char *name, const char *text) {
    FILE *file = fopen(name, "w");
    return file && fputs(text, file) >= 0 && fclose(file) == 0;
}

/* Killed when the file had its name, and the name before was still there: the next run, which is
 * refused, removes that. */
static void refuse_beside_left(void) {
    static const char left[] = ".out.json.smemprobe-a1b2c3";
    const command *c = &commands[3];
    double seconds;
    if (!write_text("out.json", "[]") || !write_text(left, "[]"))
        die("nothing can be written");
    const int status = run(c, 0, 0, &seconds);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 2 || access("out.json", F_OK) != 0)
        die("%s: a file that is there: status %x: %s", c->words[0], (unsigned)status, said);
    if (access(left, F_OK) == 0)
        die("%s: what a kill left beside a whole file stays", c->words[0]);
    clear(".");
}

int main(int argc, char **argv) {
    char folder[] = "/tmp/smemprobe-signals-XXXXXX";
    const char *wanted = argc > 3 ? argv[3] : getenv("SMP_GATE_ROUNDS");
    const unsigned rounds = wanted ? (unsigned)atoi(wanted) : 1;
    unsigned stopped = 0;
    if (argc > 4)
        random_state = strtoull(argv[4], NULL, 10) + 1;
    for (int i = 0; i < 2; i++)
        programs[i] = argc > i + 1 ? realpath(argv[i + 1], NULL) : NULL;
    if (!programs[0] || !programs[1])
        die("usage: gate_signals PROGRAM STAND-IN [ROUNDS [SEED]]");
    if (!mkdtemp(folder) || chdir(folder) != 0 || mkdir("here", 0777) != 0 || chdir("here") != 0 ||
        setenv("LC_ALL", "C", 1) != 0 || setenv("SMP_STANDIN", "gpus=2", 1) != 0)
        die("no folder to work in");
    if (!write_text("tile.smp", "shared float t[32][32]\nblock 32x8\nfor j = 0:32:8\n"
                                "ld t[threadIdx.x][threadIdx.y + j]\nexpect ways <= 32\n") ||
        !write_text("counters.csv",
                    "\"ID\",\"Kernel Name\",\"CC\",\"Metric Name\",\"Metric Value\"\n"
                    "\"0\",\"k\",\"9.0\","
                    "\"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum\",\"64\"\n"))
        die("nothing can be written");
    refuse_beside_left();
    for (size_t i = 0; i < COUNT(commands); i++) {
        const command *c = &commands[i];
        double length = 0.12, whole;
        if (c->needs && !is_there(c->needs))
            continue;
        if (!c->is_endless && !c->says) {
            const double before = now();
            (void)run(c, 0, 0, &whole);
            length = now() - before;
            look_at(c, ".", "running it");
            clear(".");
        }
        for (unsigned k = 0; k < rounds * COUNT(signals); k++, stopped++)
            stop_once(c, signals[k % COUNT(signals)], length);
    }
    printf("%u commands stopped\n", stopped);
    clear(".");
    (void)remove("tile.smp");
    (void)remove("counters.csv");
    (void)remove("../errors");
    return chdir("..") != 0 || rmdir("here") != 0 || chdir("/") != 0 || rmdir(folder) != 0;
}
