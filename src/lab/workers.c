#include "lab/workers.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/arena.h"
#include "stats/host.h"

void workers_create(struct workers *w, uint32_t n)
{
    *w = (struct workers){.items = xcalloc(n, sizeof *w->items), .n = n};
}

static void free_worker(struct worker *k)
{
    if (k->out_fd >= 0)
        close(k->out_fd);
    if (k->err_fd >= 0)
        close(k->err_fd);
    strbuf_destroy(&k->out);
    strbuf_destroy(&k->err);
    *k = (struct worker){0};
}

void workers_destroy(struct workers *w)
{
    for (uint32_t i = 0; i < w->n; i++) {
        struct worker *k = &w->items[i];
        if (!k->pid)
            continue;
        kill(k->pid, SIGKILL);
        waitpid(k->pid, NULL, 0);
        free_worker(k);
    }
    free(w->items);
    *w = (struct workers){0};
}

/* In the child: runs the program. */
static void become(const char *const *argv, int out, int err, pid_t parent)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) /* the parent ended before we could register for its death */
        _exit(127);
    int null = open("/dev/null", O_RDONLY);
    dup2(null, STDIN_FILENO);
    dup2(out, STDOUT_FILENO);
    dup2(err, STDERR_FILENO);
    signal(SIGPIPE, SIG_DFL);
    execv(argv[0], (char *const *)argv);
    dprintf(STDERR_FILENO, "cannot run %s: %s\n", argv[0], strerror(errno));
    _exit(127);
}

bool workers_start(struct workers *w, uint32_t job, const char *const *argv)
{
    struct worker *k = w->items;
    while (k->pid)
        k++;
    int out[2], err[2];
    if (pipe2(out, O_CLOEXEC) != 0)
        return false;
    if (pipe2(err, O_CLOEXEC) != 0) {
        close(out[0]);
        close(out[1]);
        return false;
    }
    pid_t parent = getpid(), pid = fork();
    if (pid == 0)
        become(argv, out[1], err[1], parent);
    close(out[1]);
    close(err[1]);
    *k = (struct worker){.pid = pid < 0 ? 0 : pid,
                         .out_fd = out[0],
                         .err_fd = err[0],
                         .began = host_now_seconds(),
                         .job = job};
    if (pid < 0) {
        free_worker(k);
        return false;
    }
    w->n_busy++;
    return true;
}

/* Reads what is available; closes at the end. */
static void take(int *fd, struct strbuf *into)
{
    char piece[65536];
    ssize_t n = read(*fd, piece, sizeof piece);
    if (n > 0) {
        strbuf_add_n(into, piece, (size_t)n);
    } else if (n == 0 || errno != EINTR) {
        close(*fd);
        *fd = -1;
    }
}

static void collect(struct workers *w, int milliseconds)
{
    struct pollfd *fds = xcalloc(2 * w->n + 1, sizeof *fds);
    for (uint32_t i = 0; i < w->n; i++) {
        bool is_busy = w->items[i].pid != 0;
        fds[2 * i] = (struct pollfd){is_busy ? w->items[i].out_fd : -1, POLLIN, 0};
        fds[2 * i + 1] = (struct pollfd){is_busy ? w->items[i].err_fd : -1, POLLIN, 0};
    }
    if (poll(fds, 2 * w->n, milliseconds) > 0)
        for (uint32_t i = 0; i < w->n; i++) {
            if (fds[2 * i].revents)
                take(&w->items[i].out_fd, &w->items[i].out);
            if (fds[2 * i + 1].revents)
                take(&w->items[i].err_fd, &w->items[i].err);
        }
    free(fds);
}

static struct worker *find_ended(struct workers *w)
{
    for (uint32_t i = 0; i < w->n; i++)
        if (w->items[i].pid && w->items[i].out_fd < 0 && w->items[i].err_fd < 0)
            return &w->items[i];
    return NULL;
}

bool workers_wait(struct workers *w, int milliseconds, struct worker_end *end)
{
    struct worker *k = find_ended(w);
    if (!k) {
        collect(w, milliseconds);
        k = find_ended(w);
    }
    if (!k)
        return false;
    int status = 0;
    while (waitpid(k->pid, &status, 0) < 0 && errno == EINTR)
        ;
    *end = (struct worker_end){.job = k->job,
                               .exit_status = WIFSIGNALED(status) ? 128 + WTERMSIG(status)
                                                                  : WEXITSTATUS(status),
                               .seconds = host_now_seconds() - k->began,
                               .out = k->out,
                               .err = k->err};
    *k = (struct worker){0};
    w->n_busy--;
    return true;
}

uint32_t workers_processors(void)
{
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) != 0)
        return 1;
    int n = CPU_COUNT(&set);
    return n > 0 ? (uint32_t)n : 1;
}
