#include "cpu/record.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/beside.h"
#include "cpu/trace.h"
#include "front/process.h"

extern char **environ;

/* --- where the recorder is --- */

bool cpu_find_libexec(struct strbuf *folder)
{
    static const char *const places[] = {"libexec/heddle", "../libexec/heddle"};
    const char *given = getenv("HEDDLE_LIBEXEC");
    struct strbuf recorder = {0};
    if (given)
        strbuf_add(folder, given);
    else
        beside_find(places, sizeof places / sizeof places[0], folder);
    strbuf_addf(&recorder, "%s/heddle-amd64-linux", strbuf_text(folder));
    bool is_there = access(strbuf_text(&recorder), X_OK) == 0;
    strbuf_destroy(&recorder);
    return is_there;
}

/* --- the child --- */

static void throw_away(void)
{
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    for (int fd = 0; null >= 0 && fd < 3; fd++)
        dup2(null, fd);
}

static void add_env(struct arg_list *env, const char *const *list)
{
    for (; *list; list++)
        if (strncmp(*list, "VALGRIND_", 9) != 0)
            args_add(env, *list);
}

struct child {
    struct arg_list args, env;
    struct arena arena;
    struct strbuf libexec;
    int out_fd;
};

/* Paths are on the program's stack, and their lengths decide where everything else is. This one is
 * the same wherever the recorder is installed. */
enum { LIBEXEC_FD = 200 };
static const char libexec_path[] = "/proc/self/fd/200";

/* A program of ours is beside the recorder. */
static void add_program(struct child *c, const char *path)
{
    size_t n = strlen(strbuf_text(&c->libexec));
    bool is_ours = strncmp(path, strbuf_text(&c->libexec), n) == 0 && path[n] == '/';
    args_addf(&c->args, "%s%s", is_ours ? libexec_path : "", is_ours ? path + n : path);
}

static void prepare(struct child *c, const struct cpu_recording *r)
{
    c->args.arena = c->env.arena = &c->arena;
    args_add_all(&c->args, "valgrind", "--tool=heddle", "--quiet", "--vex-iropt-level=0",
                 "--fair-sched=yes", NULL);
    args_addf(&c->args, "--out-fd=%d", c->out_fd);
    args_addf(&c->args, "--skip=%" PRIu64, r->skip);
    args_addf(&c->args, "--max-insts=%" PRIu64, r->max_insts);
    add_program(c, r->argv[0]);
    for (const char *const *arg = r->argv + 1; *arg; arg++)
        args_add(&c->args, *arg);
    add_env(&c->env, r->env ? r->env : (const char *const *)environ);
    args_addf(&c->env, "VALGRIND_LIB=%s", libexec_path);
}

static void drop(struct child *c)
{
    args_destroy(&c->args);
    args_destroy(&c->env);
    arena_destroy(&c->arena);
    strbuf_destroy(&c->libexec);
}

/* Never returns. Exits with 126 and 127 like a shell. */
static _Noreturn void become_valgrind(const struct child *c, const struct cpu_recording *r)
{
    sigset_t ends = process_ends();
    pthread_sigmask(SIG_UNBLOCK, &ends, NULL);
    personality(ADDR_NO_RANDOMIZE);
    if (dup2(open(strbuf_text(&c->libexec), O_PATH | O_DIRECTORY | O_CLOEXEC), LIBEXEC_FD) < 0)
        _exit(126);
    if (r->folder && chdir(r->folder) != 0)
        _exit(126);
    if (r->quiet)
        throw_away();
    execvpe("valgrind", (char *const *)c->args.items, (char *const *)c->env.items);
    _exit(126);
}

/* --- the parent --- */

/* A blocked signal may have arrived for this process alone. */
static bool is_interrupted(void)
{
    sigset_t ends = process_ends(), pending;
    sigpending(&pending);
    for (int s = 1; s < NSIG; s++)
        if (sigismember(&ends, s) == 1 && sigismember(&pending, s) == 1)
            return true;
    return false;
}

enum received { RECEIVED_ALL, RECEIVED_SIGNAL, RECEIVED_FULL };

/* Reads what the recorder writes until it closes the pipe. */
static enum received receive(const struct cpu_recording *r, int fd, struct cpu_trace_writer *w,
                             uint64_t *n_bytes)
{
    enum { POLL_MS = 200, ROOM = 1 << 16 };
    static _Thread_local uint8_t room[ROOM];
    for (;;) {
        struct pollfd wait = {.fd = fd, .events = POLLIN};
        int ready = poll(&wait, 1, POLL_MS);
        if (is_interrupted())
            return RECEIVED_SIGNAL;
        if (r->watch.recorded)
            r->watch.recorded(r->watch.user, r->name, *n_bytes / sizeof(struct cpu_inst));
        if (ready <= 0)
            continue;
        ssize_t n = read(fd, room, sizeof room);
        if (n <= 0)
            return RECEIVED_ALL;
        *n_bytes += (uint64_t)n;
        if (!cpu_trace_write(w, room, (size_t)n))
            return RECEIVED_FULL;
    }
}

static enum heddle_status explain(const struct cpu_recording *r, enum received end, int status,
                                  uint64_t n_bytes, struct strbuf *why)
{
    if (end == RECEIVED_SIGNAL) {
        strbuf_addf(why, "the recording of %s was interrupted", r->name);
        return HEDDLE_STOPPED;
    }
    if (end == RECEIVED_FULL)
        return HEDDLE_ENVIRONMENT;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 126 && !n_bytes) {
        strbuf_add(why, "valgrind cannot be started (Debian: valgrind)");
        return HEDDLE_ENVIRONMENT;
    }
    if (n_bytes >= sizeof(struct cpu_inst))
        return HEDDLE_OK;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 127)
        strbuf_addf(why, "%s could not be run", r->name);
    else
        strbuf_addf(why, "%s ended before an instruction was recorded", r->name);
    return HEDDLE_BAD_INPUT;
}

static enum heddle_status follow(const struct cpu_recording *r, pid_t child, int fd,
                                 struct sink out, uint64_t *n_insts, struct strbuf *why)
{
    struct strbuf origin = {0};
    uint64_t n_bytes = 0;
    int status = 0;
    for (const char *const *arg = r->argv; *arg; arg++)
        strbuf_addf(&origin, "%s%s", arg == r->argv ? "" : " ", *arg);
    struct cpu_trace_writer *w = cpu_trace_write_begin(out, strbuf_text(&origin));
    enum received end = receive(r, fd, w, &n_bytes);
    if (end != RECEIVED_ALL)
        kill(child, SIGKILL);
    close(fd);
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        continue;
    bool ok = cpu_trace_write_end(w);
    if (end == RECEIVED_ALL && !ok)
        end = RECEIVED_FULL;
    strbuf_destroy(&origin);
    *n_insts = n_bytes / sizeof(struct cpu_inst);
    return explain(r, end, status, n_bytes, why);
}

static enum heddle_status start(struct child *c, const struct cpu_recording *r, struct sink out,
                                uint64_t *n_insts, struct strbuf *why)
{
    int fds[2];
    if (pipe(fds) != 0) {
        strbuf_addf(why, "cannot create a pipe: %s", strerror(errno));
        return HEDDLE_ENVIRONMENT;
    }
    fcntl(fds[0], F_SETFD, FD_CLOEXEC);
    c->out_fd = fds[1];
    prepare(c, r);
    pid_t child = fork();
    if (child == 0)
        become_valgrind(c, r);
    close(fds[1]);
    if (child > 0)
        return follow(r, child, fds[0], out, n_insts, why);
    strbuf_addf(why, "cannot start a process: %s", strerror(errno));
    close(fds[0]);
    return HEDDLE_ENVIRONMENT;
}

enum heddle_status cpu_record(const struct cpu_recording *r, struct sink out, uint64_t *n_insts,
                              struct strbuf *why)
{
    struct child c = {0};
    sigset_t ends = process_ends(), before;
    enum heddle_status status = HEDDLE_ENVIRONMENT;
    pthread_sigmask(SIG_BLOCK, &ends, &before);
    if (cpu_find_libexec(&c.libexec))
        status = start(&c, r, out, n_insts, why);
    else
        strbuf_add(
            why, "the recorder is missing: this program has been moved away from it, or was built "
                 "without valgrind's libraries (Debian: valgrind); HEDDLE_LIBEXEC names its "
                 "folder");
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    drop(&c);
    return status;
}
