/* SPDX-License-Identifier: MIT */
/*
 * Runs another program and waits for it. A third process, the keeper, stands between the two: if
 * this process is killed, the keeper kills the program and all its descendants. A process whose
 * parent has ended becomes a child of the keeper (PR_SET_CHILD_SUBREAPER), so that none is lost.
 * The keeper cannot kill processes of another user. If the keeper is killed, the kernel kills the
 * program, but not what the program has started.
 */
#define _GNU_SOURCE
#include "child.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "leftover.h"

static volatile pid_t running;

static const int passed[] = {SIGTERM, SIGHUP, SIGUSR1, SIGUSR2, SIGINT, SIGQUIT};

enum { PASSED = sizeof passed / sizeof passed[0] };

static struct sigaction found[PASSED]; /* what each did before */
static bool is_ours;                   /* the program only works for us */

/* Passes a signal on. A terminal sends its own to the program as well. */
static void pass_on(int signal_number, siginfo_t *info, void *context) {
    (void)context;
    const bool is_of_keys = signal_number == SIGINT || signal_number == SIGQUIT;
    if (running > 0 && !(is_of_keys && info->si_code == SI_KERNEL && !is_ours))
        (void)kill(running, signal_number);
}

static void pass_signals(void) {
    struct sigaction pass = {.sa_sigaction = pass_on, .sa_flags = SA_RESTART | SA_SIGINFO};
    for (unsigned i = 0; i < PASSED; i++)
        (void)sigaction(passed[i], &pass, &found[i]);
}

static void restore_signals(void) {
    for (unsigned i = 0; i < PASSED; i++)
        (void)sigaction(passed[i], &found[i], NULL);
}

/* Messages through the pipe. The keeper sends the program's process number, and how it ended; the
 * program's process sends why it could not be started. */
typedef enum word_kind { WORD_STARTED, WORD_FAILED, WORD_ENDED, WORD_RUNS_ON } word_kind;

typedef struct word {
    word_kind what;
    int value;
} word;

static void tell(int channel, word_kind what, int value) {
    const word message = {.what = what, .value = value};
    (void)!write(channel, &message, sizeof message);
}

/* In the child: becomes the program, or sends why it cannot. */
static void become(char *const argv[], const child_variables *variables, const char *output,
                   int complaint, pid_t keeper, const sigset_t *mask) {
    leftover_tie(keeper, SIGKILL);
    (void)sigprocmask(SIG_SETMASK, mask, NULL);
    restore_signals();
    const int nothing = output ? open("/dev/null", O_RDONLY) : -1;
    const int file = output ? open(output, O_WRONLY | O_CREAT | O_TRUNC, 0600) : -1;
    if (nothing >= 0)
        (void)dup2(nothing, STDIN_FILENO);
    if (file >= 0)
        (void)dup2(file, STDOUT_FILENO);
    for (unsigned i = 0; variables && i < variables->count; i++)
        if (putenv(variables->list[i]) != 0)
            _exit(127);
    (void)execvp(argv[0], argv);
    tell(complaint, WORD_FAILED, errno);
    _exit(127);
}

/* ---- The keeper ---- */

const char *child_stat(const char *number, char *text, size_t size) {
    char path[64];
    (void)snprintf(path, sizeof path, "/proc/%.20s/stat", number);
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    const ssize_t length = file < 0 ? -1 : read(file, text, size - 1);
    if (file >= 0)
        (void)close(file);
    text[length > 0 ? length : 0] = '\0';
    const char *name_end = strrchr(text, ')');
    return name_end && strlen(name_end) > 2 ? name_end + 2 : NULL;
}

static pid_t parent_of(const char *number) {
    char text[512];
    const char *at = child_stat(number, text, sizeof text);
    return at && strlen(at) > 2 ? (pid_t)atol(at + 2) : 0;
}

/* Kills the children of this process, which then inherits their children. */
static void kill_children(void) {
    const pid_t self = getpid();
    DIR *list = opendir("/proc");
    for (const struct dirent *entry; list && (entry = readdir(list));)
        if (isdigit((unsigned char)entry->d_name[0]) && parent_of(entry->d_name) == self)
            (void)kill((pid_t)atol(entry->d_name), SIGKILL);
    if (list)
        (void)closedir(list);
}

/* Repeats that until there are none, or the rest belongs to other users. */
static void end_all(void) {
    const struct timespec moment = {.tv_nsec = 10000000};
    for (unsigned i = 0; i < 200; i++) {
        pid_t ended;
        kill_children();
        while ((ended = waitpid(-1, NULL, WNOHANG)) > 0)
            continue;
        if (ended < 0)
            break;
        (void)nanosleep(&moment, NULL);
    }
    _exit(128 + SIGKILL);
}

/* Waits for the end of the program or of the parent. Both signals are blocked and taken one by one.
 * If a whole group is killed, the program may end a moment before the parent. */
static void keep(pid_t program, pid_t parent, const sigset_t *signals, int channel) {
    const struct timespec moment = {.tv_nsec = 100000000};
    for (;;) {
        int status;
        pid_t ended;
        if (getppid() != parent)
            end_all();
        while ((ended = waitpid(-1, &status, WNOHANG)) > 0)
            if (ended == program) {
                if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL)
                    (void)nanosleep(&moment, NULL);
                if (getppid() != parent)
                    end_all();
                tell(channel, WORD_ENDED, status);
                while ((ended = waitpid(-1, NULL, WNOHANG)) > 0)
                    continue;
                if (ended == 0)
                    tell(channel, WORD_RUNS_ON, 1);
                _exit(0);
            }
        (void)sigwaitinfo(signals, NULL);
    }
}

/* The program stays in the group that a terminal sends its signals to. The keeper leaves the group,
 * so that it survives when the whole group is killed. */
static void be_keeper(char *const argv[], const child_variables *variables, const char *output,
                      int channel, pid_t parent) {
    sigset_t signals, before;
    sigemptyset(&signals);
    sigaddset(&signals, SIGCHLD);
    sigaddset(&signals, SIGUSR1);
    (void)sigprocmask(SIG_BLOCK, &signals, &before);
    leftover_tie(parent, SIGUSR1);
    (void)prctl(PR_SET_CHILD_SUBREAPER, 1);
    (void)prctl(PR_SET_NAME, "smemprobe-keep");
    const pid_t keeper = getpid(), program = fork();
    if (program == 0)
        become(argv, variables, output, channel, keeper, &before);
    if (program < 0) {
        tell(channel, WORD_FAILED, errno);
        _exit(127);
    }
    tell(channel, WORD_STARTED, program);
    (void)setpgid(0, 0);
    keep(program, parent, &signals, channel);
}

/* ---- This process ---- */

enum { TICK_MS = 250 };
static void (*ticks)(void);

void child_while(void (*tick)(void)) {
    ticks = tick;
}

/* Waits for a message, and ticks meanwhile. */
static void wait_for_word(int channel) {
    struct pollfd one = {.fd = channel, .events = POLLIN};
    while (ticks && poll(&one, 1, TICK_MS) == 0)
        ticks();
}

/* Reads the messages until the keeper ends. Returns why the program could not be started; 0: it
 * was. */
static int listen_to(int channel, child_end *end) {
    word message;
    int cause = 0, status = SIGKILL; /* where the keeper was killed */
    ssize_t got;
    for (wait_for_word(channel);
         (got = read(channel, &message, sizeof message)) == (ssize_t)sizeof message ||
         (got < 0 && errno == EINTR);
         wait_for_word(channel)) {
        if (got < 0)
            continue;
        if (message.what == WORD_STARTED)
            end->process = running = message.value;
        else if (message.what == WORD_FAILED)
            cause = message.value;
        else if (message.what == WORD_RUNS_ON)
            end->runs_on = true;
        else
            status = message.value;
    }
    end->signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    end->exit_status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    return cause;
}

/* Why the program could not be started, for the user who typed its name. */
static const char *words_of(const char *name, int cause) {
    const bool is_path = strchr(name, '/');
    switch (cause) {
    case ENOENT:
        return !is_path                  ? "no such program in PATH"
               : access(name, F_OK) == 0 ? "the interpreter or loader that it names is missing"
                                         : "no such file";
    case EACCES:
        return "it is a folder, or not executable (chmod +x)";
    default:
        return strerror(cause);
    }
}

void child_set(child_variables *to, const char *format, ...) {
    va_list values;
    va_start(values, format);
    const bool has_room = to->count < CHILD_VARIABLES_MAX;
    if (has_room && vasprintf(&to->list[to->count], format, values) >= 0)
        to->count++;
    else
        to->has_failed = true;
    va_end(values);
}

void child_set_in_front(child_variables *to, const char *name, const char *first) {
    const char *now = getenv(name);
    child_set(to, "%s=%s%s%s", name, first, now && now[0] ? ":" : "", now ? now : "");
}

void child_variables_clear(child_variables *variables) {
    while (variables->count > 0)
        free(variables->list[--variables->count]);
}

smp_status child_run(char *const argv[], const child_variables *variables, const char *output,
                     child_end *end, smp_error *error) {
    int pipes[2], cause = 0;
    if (variables && variables->has_failed)
        return smp_error_memory(error);
    if (pipe2(pipes, O_CLOEXEC) != 0)
        return smp_error_set(error, SMP_E_INTERNAL, -1, "cannot create a pipe: %s",
                             strerror(errno));
    const pid_t parent = getpid();
    is_ours = output;
    pass_signals();
    const pid_t keeper = fork();
    if (keeper == 0) {
        (void)close(pipes[0]);
        be_keeper(argv, variables, output, pipes[1], parent);
    }
    (void)close(pipes[1]);
    if (keeper < 0)
        cause = errno;
    else
        cause = listen_to(pipes[0], end);
    (void)close(pipes[0]);
    while (keeper > 0 && waitpid(keeper, NULL, 0) < 0 && errno == EINTR)
        continue;
    running = 0;
    restore_signals();
    return cause == 0 ? SMP_OK
                      : smp_error_set(error, SMP_E_READ, -1, "%.120s: cannot be started: %s",
                                      argv[0], words_of(argv[0], cause));
}
