#include "workloads/trial.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* The caller's signal handlers would clean up what the parent still needs, so signals end the child
 * directly. An expected crash leaves no core file. */
_Noreturn static void take_step(void (*step)(void *argument), void *argument, unsigned seconds,
                                int output)
{
    static const int plain[] = {SIGABRT, SIGALRM, SIGBUS,  SIGFPE, SIGHUP,
                                SIGILL,  SIGINT,  SIGSEGV, SIGTERM};
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    for (size_t i = 0; i < sizeof plain / sizeof plain[0]; i++)
        signal(plain[i], SIG_DFL);
    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
    dup2(output, STDOUT_FILENO);
    dup2(output, STDERR_FILENO);
    alarm(seconds);
    step(argument);
    _exit(EXIT_SUCCESS);
}

static void read_all(int fd, struct strbuf *text)
{
    char chunk[4096];
    ssize_t n;
    while ((n = read(fd, chunk, sizeof chunk)) > 0 || (n < 0 && errno == EINTR))
        if (n > 0)
            strbuf_add_n(text, chunk, (size_t)n);
}

static void add_last_line(struct strbuf *how, struct strbuf *text)
{
    while (text->len > 0 && text->text[text->len - 1] == '\n')
        text->text[--text->len] = 0;
    const char *line_break = strrchr(strbuf_text(text), '\n');
    const char *line = line_break ? line_break + 1 : strbuf_text(text);
    if (*line)
        strbuf_addf(how, ": %s", line);
}

static bool ended_well(pid_t pid, struct strbuf *how)
{
    int status;
    while (waitpid(pid, &status, 0) < 0) {
        if (errno != EINTR) {
            strbuf_add(how, strerror(errno));
            return false;
        }
    }
    if (WIFSIGNALED(status))
        strbuf_add(how, strsignal(WTERMSIG(status)));
    else if (WEXITSTATUS(status) != 0)
        strbuf_addf(how, "exit status %d", WEXITSTATUS(status));
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

bool trial_survives(void (*step)(void *argument), void *argument, unsigned seconds,
                    struct strbuf *how)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) {
        strbuf_add(how, strerror(errno));
        return false;
    }
    pid_t pid = fork();
    if (pid == 0)
        take_step(step, argument, seconds, ends[1]);
    if (pid < 0)
        strbuf_add(how, strerror(errno));
    close(ends[1]);
    struct strbuf said = {0};
    read_all(ends[0], &said);
    close(ends[0]);
    bool survives = pid > 0 && ended_well(pid, how);
    if (!survives)
        add_last_line(how, &said);
    strbuf_destroy(&said);
    return survives;
}
