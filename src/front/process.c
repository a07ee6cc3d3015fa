#include "front/process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

void args_add(struct arg_list *args, const char *arg)
{
    ARRAY_RESERVE(args->items, args->cap, args->n + 2);
    args->items[args->n++] = arena_strdup(args->arena, arg);
    args->items[args->n] = NULL;
}

void args_addf(struct arg_list *args, const char *format, ...)
{
    struct strbuf text = {0};
    va_list list;
    va_start(list, format);
    strbuf_vaddf(&text, format, list);
    va_end(list);
    args_add(args, strbuf_text(&text));
    strbuf_destroy(&text);
}

void args_add_all(struct arg_list *args, ...)
{
    va_list list;
    va_start(list, args);
    for (const char *arg; (arg = va_arg(list, const char *));)
        args_add(args, arg);
    va_end(list);
}

void args_destroy(struct arg_list *args)
{
    free(args->items);
    args->items = NULL;
    args->n = args->cap = 0;
}

/* The parent's ends of the two pipes and what remains to be written. */
struct pipes {
    int to_child, from_child; /* -1 when closed */
    const char *input;
    size_t input_left;
    struct strbuf *messages;
};

static void close_end(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

static void feed_child(struct pipes *p)
{
    ssize_t n = write(p->to_child, p->input, p->input_left);
    if (n > 0) {
        p->input += n;
        p->input_left -= (size_t)n;
    }
    /* A child that stops reading early has said why, or its exit status will. */
    if (p->input_left == 0 || (n < 0 && errno != EAGAIN && errno != EINTR))
        close_end(&p->to_child);
}

static void drain_child(struct pipes *p)
{
    char chunk[4096];
    ssize_t n = read(p->from_child, chunk, sizeof chunk);
    if (n > 0)
        strbuf_add_n(p->messages, chunk, (size_t)n);
    else if (n == 0 || (errno != EAGAIN && errno != EINTR))
        close_end(&p->from_child);
}

/* Both directions at once, so that neither side blocks the other with full pipes. */
static void talk_to_child(struct pipes *p)
{
    if (p->input_left == 0)
        close_end(&p->to_child);
    while (p->from_child >= 0) {
        struct pollfd fds[2] = {{.fd = p->to_child, .events = POLLOUT},
                                {.fd = p->from_child, .events = POLLIN}};
        if (poll(fds, 2, -1) < 0 && errno != EINTR)
            break;
        if (fds[0].revents)
            feed_child(p);
        if (fds[1].revents)
            drain_child(p);
    }
}

/* A library may not change how SIGPIPE affects its host program: it is blocked in this thread while
 * the pipe is written, and one that we caused is removed from the queue. */
static void talk_without_sigpipe(struct pipes *p)
{
    sigset_t sigpipe, pending, old;
    sigemptyset(&sigpipe);
    sigaddset(&sigpipe, SIGPIPE);
    sigpending(&pending);
    bool was_pending = sigismember(&pending, SIGPIPE) == 1;
    pthread_sigmask(SIG_BLOCK, &sigpipe, &old);
    talk_to_child(p);
    if (!was_pending)
        while (sigtimedwait(&sigpipe, NULL, &(struct timespec){0}) == SIGPIPE)
            ;
    pthread_sigmask(SIG_SETMASK, &old, NULL);
}

enum { STATUS_FD = 3 }; /* of a shell, for the status of the program that it runs */

static const int ending_signals[] = {SIGINT, SIGTERM, SIGHUP};

sigset_t process_ends(void)
{
    sigset_t ends;
    sigemptyset(&ends);
    for (size_t i = 0; i < sizeof ending_signals / sizeof ending_signals[0]; i++)
        sigaddset(&ends, ending_signals[i]);
    return ends;
}

/* What a child gets: its standard input, its standard error, and, for report_status(), a pipe for
 * its exit status (otherwise -1). */
struct child_ends {
    int in, err, status;
};

/* The child receives the signals of process_ends() even while its parent blocks them, and waits for
 * its own children even if its parent ignores SIGCHLD. */
static int spawn_child(const char *const *args, const struct child_ends *ends, pid_t *pid)
{
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends->in, 0);
    posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, ends->err, 2);
    if (ends->status >= 0)
        posix_spawn_file_actions_adddup2(&actions, ends->status, STATUS_FD);
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    sigset_t mask, child;
    pthread_sigmask(SIG_SETMASK, NULL, &mask);
    for (size_t i = 0; i < sizeof ending_signals / sizeof ending_signals[0]; i++)
        sigdelset(&mask, ending_signals[i]);
    posix_spawnattr_setsigmask(&attributes, &mask);
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    posix_spawnattr_setsigdefault(&attributes, &child);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    int error = posix_spawnp(pid, args[0], &actions, &attributes, (char *const *)args, environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return error;
}

static struct process_result wait_for_child(pid_t pid)
{
    struct process_result result = {.exit_status = -1};
    int status;
    while (waitpid(pid, &status, 0) < 0) {
        if (errno != EINTR) {
            result.error = errno;
            return result;
        }
    }
    if (WIFEXITED(status))
        result.exit_status = WEXITSTATUS(status);
    else if (WIFSIGNALED(status))
        result.signal = WTERMSIG(status);
    return result;
}

/* The status that a shell has written into a pipe; above 128 it is that of a signal. */
static struct process_result read_status(int from_child)
{
    struct process_result result = {.error = ECHILD, .exit_status = -1};
    char text[8] = {0};
    ssize_t n;
    while ((n = read(from_child, text, sizeof text - 1)) < 0 && errno == EINTR)
        ;
    if (n <= 0)
        return result;
    int status = atoi(text);
    result.error = 0;
    if (status > 128)
        result.signal = status - 128;
    else
        result.exit_status = status;
    return result;
}

/* Runs a child. If `reports_status`, its exit status comes through a pipe. */
static struct process_result run_child(const char *const *args, bool reports_status,
                                       const char *input, size_t input_len, struct strbuf *messages)
{
    int in[2] = {-1, -1}, err[2] = {-1, -1}, status[2] = {-1, -1};
    struct process_result result = {.exit_status = -1};
    pid_t pid = 0;
    if (pipe2(in, O_CLOEXEC) != 0 || pipe2(err, O_CLOEXEC) != 0 ||
        (reports_status && pipe2(status, O_CLOEXEC) != 0))
        result.error = errno;
    else
        result.error = spawn_child(args, &(struct child_ends){in[0], err[1], status[1]}, &pid);
    close_end(&in[0]);
    close_end(&err[1]);
    close_end(&status[1]);
    if (result.error == 0) {
        struct pipes p = {in[1], err[0], input, input_len, messages};
        fcntl(p.to_child, F_SETFL, O_NONBLOCK);
        talk_without_sigpipe(&p);
        in[1] = p.to_child;
        err[0] = p.from_child;
        close_end(&in[1]);
        result = wait_for_child(pid);
        if (reports_status)
            result = read_status(status[0]);
    }
    close_end(&in[1]);
    close_end(&err[0]);
    close_end(&status[0]);
    return result;
}

/* If the host program ignores SIGCHLD, or a handler of its own waits for every child, the status of
 * a child is lost (ECHILD). The child then runs again under a shell, which reports it. */
struct process_result process_run(const struct arg_list *args, const char *input, size_t input_len,
                                  struct strbuf *messages)
{
    struct strbuf heard = {0};
    struct process_result result = run_child(args->items, false, input, input_len, &heard);
    if (result.error == ECHILD) {
        struct arg_list shell = {.arena = args->arena};
        args_add_all(&shell, "sh", "-c", "\"$@\" 3>&-; echo $? >&3", "sh", NULL);
        for (size_t i = 0; i < args->n; i++)
            args_add(&shell, args->items[i]);
        strbuf_clear(&heard);
        result = run_child(shell.items, true, input, input_len, &heard);
        args_destroy(&shell);
    }
    strbuf_add_n(messages, strbuf_text(&heard), heard.len);
    strbuf_destroy(&heard);
    return result;
}
