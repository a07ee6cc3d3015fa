#include "lab/first_difference.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <wordexp.h>

#include "analysis/decisions.h"
#include "base/arena.h"

struct side {
    pid_t pid;
    FILE *pipe;
    struct decision_reader *reader;
    struct decision decision;
    enum decision_read state;
};

/* --- the runs --- */

/* In the child: `heddle run WORDS --quiet --record-decisions /dev/fd/N`. */
static void become_run(const char *program, const wordexp_t *words, int fd, pid_t parent)
{
    char path[32];
    const char **argv = xcalloc(words->we_wordc + 8, sizeof *argv);
    size_t n = 0;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(127);
    snprintf(path, sizeof path, "/dev/fd/%d", fd);
    argv[n++] = program;
    argv[n++] = "run";
    for (size_t i = 0; i < words->we_wordc; i++)
        argv[n++] = words->we_wordv[i];
    argv[n++] = "--quiet";
    argv[n++] = "--record-decisions";
    argv[n++] = path;
    int null = open("/dev/null", O_RDWR);
    dup2(null, STDIN_FILENO);
    dup2(null, STDOUT_FILENO);
    execv(program, (char *const *)argv);
    _exit(127);
}

static enum heddle_status start_run(const char *program, const char *run, struct side *s,
                                    struct strbuf *error)
{
    wordexp_t words;
    int fds[2];
    if (wordexp(run, &words, WRDE_NOCMD) != 0 || words.we_wordc == 0) {
        strbuf_addf(error,
                    "cannot split '%s' into words; write it as for heddle run: 'kmn --size tiny'\n",
                    run);
        return HEDDLE_BAD_INPUT;
    }
    if (pipe(fds) != 0) {
        strbuf_addf(error, "cannot create a pipe: %s\n", strerror(errno));
        wordfree(&words);
        return HEDDLE_ENVIRONMENT;
    }
    fcntl(fds[0], F_SETFD, FD_CLOEXEC);
    pid_t parent = getpid();
    s->pid = fork();
    if (s->pid == 0)
        become_run(program, &words, fds[1], parent);
    close(fds[1]);
    wordfree(&words);
    s->pipe = fdopen(fds[0], "r");
    s->reader = decision_reader_create(s->pipe);
    if (s->pid > 0)
        return HEDDLE_OK;
    strbuf_addf(error, "cannot start a process: %s\n", strerror(errno));
    return HEDDLE_ENVIRONMENT;
}

/* Ends the run if it is still running, before it can report a broken pipe. Returns its status if it
 * ended by itself. */
static enum heddle_status stop_run(struct side *s)
{
    int status = 0;
    if (s->pid > 0 && s->state != DECISION_BROKEN)
        kill(s->pid, SIGKILL);
    else if (s->pipe)
        fclose(s->pipe);
    if (s->pid > 0)
        waitpid(s->pid, &status, 0);
    if (s->pid > 0 && s->state != DECISION_BROKEN)
        fclose(s->pipe);
    decision_reader_destroy(s->reader);
    return WIFEXITED(status) ? (enum heddle_status)WEXITSTATUS(status) : HEDDLE_OK;
}

/* --- comparing --- */

static void next(struct side *s)
{
    if (s->state == DECISION_READ)
        s->state = decision_read(s->reader, &s->decision);
}

static struct difference_item item_of(const struct side *s)
{
    struct strbuf text = {0};
    decision_describe(s->reader, &s->decision, &text);
    return (struct difference_item){s->decision.cycle, s->decision.launch, s->decision.sm,
                                    text.text};
}

/* The last few equal decisions, as numbers; only those that are printed become words. */
struct recent {
    struct decision items[DIFFERENCE_CONTEXT];
    uint64_t n;
};

static void tell_recent(const struct side *s, const struct recent *recent,
                        struct first_difference *out)
{
    uint64_t n = recent->n < DIFFERENCE_CONTEXT ? recent->n : DIFFERENCE_CONTEXT;
    struct side then = *s;
    for (uint64_t i = recent->n - n; i < recent->n; i++) {
        then.decision = recent->items[i % DIFFERENCE_CONTEXT];
        out->before[out->n_before++] = item_of(&then);
    }
}

static void tell_rest(struct side *s, struct difference_item *items, uint32_t *n)
{
    while (*n < DIFFERENCE_CONTEXT && s->state == DECISION_READ) {
        items[(*n)++] = item_of(s);
        next(s);
    }
}

/* Streams of different kernels differ, but not because of a decision. */
static bool are_of_one_kernel(const struct side sides[DIFFERENCE_SIDES], struct strbuf *error)
{
    const char *a = decision_instruction(sides[0].reader, &sides[0].decision);
    const char *b = decision_instruction(sides[1].reader, &sides[1].decision);
    if (!a || !b)
        return true;
    size_t n_a = strcspn(a, ","), n_b = strcspn(b, ",");
    if (n_a == n_b && strncmp(a, b, n_a) == 0)
        return true;
    strbuf_addf(error,
                "the runs are of different kernels: launch %u is %.*s in the first, %.*s in the "
                "second\n  give two runs of the same kernel\n",
                sides[0].decision.launch + 1, (int)n_a, a, (int)n_b, b);
    return false;
}

static bool launch_begins(const struct side sides[DIFFERENCE_SIDES], const struct recent *recent)
{
    uint32_t launch = sides[0].decision.launch;
    return sides[0].state == DECISION_READ && sides[1].state == DECISION_READ &&
           launch == sides[1].decision.launch &&
           (!recent->n || recent->items[(recent->n - 1) % DIFFERENCE_CONTEXT].launch != launch);
}

/* False if there is nothing to compare. */
static bool compare_sides(struct side sides[DIFFERENCE_SIDES], struct first_difference *out,
                          struct strbuf *error)
{
    struct recent recent = {.n = 0};
    for (;;) {
        next(&sides[0]);
        next(&sides[1]);
        if (launch_begins(sides, &recent) && !are_of_one_kernel(sides, error))
            return false;
        if (sides[0].state != DECISION_READ || sides[1].state != DECISION_READ ||
            !decision_equal(&sides[0].decision, &sides[1].decision))
            break;
        recent.items[recent.n++ % DIFFERENCE_CONTEXT] = sides[0].decision;
    }
    out->n_common = recent.n;
    out->is_same = sides[0].state == DECISION_END && sides[1].state == DECISION_END;
    tell_recent(&sides[0], &recent, out);
    for (int i = 0; i < DIFFERENCE_SIDES; i++)
        tell_rest(&sides[i], out->after[i], &out->n_after[i]);
    return true;
}

enum heddle_status first_difference_find(const char *program,
                                         const char *const runs[DIFFERENCE_SIDES],
                                         struct first_difference *out, struct strbuf *error)
{
    struct side sides[DIFFERENCE_SIDES] = {{.state = DECISION_READ}, {.state = DECISION_READ}};
    enum heddle_status status = HEDDLE_OK;
    *out = (struct first_difference){0};
    for (int i = 0; status == HEDDLE_OK && i < DIFFERENCE_SIDES; i++)
        status = start_run(program, runs[i], &sides[i], error);
    if (status == HEDDLE_OK && !compare_sides(sides, out, error))
        status = HEDDLE_BAD_INPUT;
    for (int i = 0; i < DIFFERENCE_SIDES; i++) {
        bool is_broken = sides[i].state == DECISION_BROKEN;
        enum heddle_status ended = stop_run(&sides[i]);
        if (status == HEDDLE_OK && is_broken) {
            status = ended == HEDDLE_OK ? HEDDLE_ENVIRONMENT : ended;
            strbuf_addf(error, "the run '%s' failed\n", runs[i]);
        }
    }
    return status;
}

void first_difference_destroy(struct first_difference *d)
{
    for (uint32_t i = 0; i < d->n_before; i++)
        free(d->before[i].text);
    for (int side = 0; side < DIFFERENCE_SIDES; side++)
        for (uint32_t i = 0; i < d->n_after[side]; i++)
            free(d->after[side][i].text);
    *d = (struct first_difference){0};
}
