#include "cli/run_total.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/run_attribution.h"
#include "workloads/device.h"
#include "workloads/run.h"

/* Most runs have ended by then. */
enum { SECONDS_BEFORE = 1 };

static uint64_t count_insts(const struct run_context *run, const struct workload *workload,
                            const struct workload_size *size)
{
    struct run_options options = {.functional = true,
                                  .quiet = true,
                                  .gpu = run->options->gpu,
                                  .plugins = run->options->plugins};
    struct run_context functional = *run;
    struct run_attribution attribution = {0};
    struct heddle_sim *sim = NULL;
    struct workload_result result = {0};
    struct heddle_stat insts = {0};
    functional.options = &options;
    if (run_create_sim(&functional, &attribution, &sim) != HEDDLE_OK)
        return 0;
    struct device *device = device_create_heddle(sim);
    workload_run(workload, size, run->options->seed.value, device, &result);
    bool ok = result.ok && heddle_stat_find(sim, "warp_insts", &insts);
    return ok ? insts.count : 0; /* the process ends, so nothing needs to be freed */
}

/* In the child. It prints nothing, and does not remove our files when it is interrupted. */
static void count_and_tell(int fd, const struct run_context *run, const struct workload *workload,
                           const struct workload_size *size, pid_t parent)
{
    static const int ends[] = {SIGINT, SIGTERM, SIGHUP};
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++)
        signal(ends[i], SIG_DFL);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    int nowhere = open("/dev/null", O_WRONLY);
    if (getppid() != parent || nowhere < 0 || dup2(nowhere, STDOUT_FILENO) < 0 ||
        dup2(nowhere, STDERR_FILENO) < 0 || nice(19) == -1)
        _exit(1);
    sleep(SECONDS_BEFORE);
    uint64_t insts = count_insts(run, workload, size);
    _exit(write(fd, &insts, sizeof insts) != sizeof insts);
}

void run_total_begin(struct run_total *t, const struct run_context *run,
                     const struct workload *workload, const struct workload_size *size)
{
    int fds[2];
    pid_t parent = getpid();
    if (run->options->quiet || run->options->functional || !isatty(STDERR_FILENO) ||
        pipe2(fds, O_CLOEXEC | O_NONBLOCK) != 0)
        return;
    t->pid = fork();
    if (t->pid == 0)
        count_and_tell(fds[1], run, workload, size, parent);
    close(fds[1]);
    t->fd = fds[0];
    if (t->pid < 0) /* then there is no estimate */
        run_total_end(t);
}

uint64_t run_total_ask(struct run_total *t)
{
    if (t->pid > 0 && !t->insts && read(t->fd, &t->insts, sizeof t->insts) != sizeof t->insts)
        t->insts = 0;
    return t->insts;
}

void run_total_end(struct run_total *t)
{
    if (t->pid > 0) {
        kill(t->pid, SIGKILL);
        waitpid(t->pid, NULL, 0);
    }
    if (t->pid)
        close(t->fd);
    *t = (struct run_total){0};
}
