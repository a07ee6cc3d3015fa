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

static const int ending_signals[] = {SIGINT, SIGTERM, SIGHUP};

sigset_t process_ends(void)
{
    sigset_t ends;
    sigemptyset(&ends);
    for (size_t i = 0; i < sizeof ending_signals / sizeof ending_signals[0]; i++)
        sigaddset(&ends, ending_signals[i]);
    return ends;
}

/* The child receives such signals even while its parent blocks them. */
static int spawn_child(const struct arg_list *args, int child_stdin, int child_stderr, pid_t *pid)
{
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, child_stdin, 0);
    posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, child_stderr, 2);
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    sigset_t mask;
    pthread_sigmask(SIG_SETMASK, NULL, &mask);
    for (size_t i = 0; i < sizeof ending_signals / sizeof ending_signals[0]; i++)
        sigdelset(&mask, ending_signals[i]);
    posix_spawnattr_setsigmask(&attributes, &mask);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
    int error = posix_spawnp(pid, args->items[0], &actions, &attributes, (char *const *)args->items,
                             environ);
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

struct process_result process_run(const struct arg_list *args, const char *input, size_t input_len,
                                  struct strbuf *messages)
{
    int in[2] = {-1, -1}, err[2] = {-1, -1};
    struct process_result result = {.exit_status = -1};
    pid_t pid = 0;
    if (pipe2(in, O_CLOEXEC) != 0 || pipe2(err, O_CLOEXEC) != 0)
        result.error = errno;
    else
        result.error = spawn_child(args, in[0], err[1], &pid);
    close_end(&in[0]);
    close_end(&err[1]);
    if (result.error == 0) {
        struct pipes p = {in[1], err[0], input, input_len, messages};
        fcntl(p.to_child, F_SETFL, O_NONBLOCK);
        talk_without_sigpipe(&p);
        in[1] = p.to_child;
        err[0] = p.from_child;
        close_end(&in[1]);
        result = wait_for_child(pid);
    }
    close_end(&in[1]);
    close_end(&err[0]);
    return result;
}
