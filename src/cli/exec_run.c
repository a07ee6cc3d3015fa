/* OpenCL programs that heddle waits for (exec.h). Their output goes to in-memory files, which all
 * of their processes can open through /proc. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/exec.h"
#include "cli/output.h"

static bool read_all(int fd, struct strbuf *out)
{
    char part[4096];
    off_t at = 0;
    ssize_t n;
    while ((n = pread(fd, part, sizeof part, at)) > 0) {
        strbuf_add_n(out, part, (size_t)n);
        at += n;
    }
    return n == 0;
}

/* In the child: no input, no output, messages to the file. */
static bool be_silent(int messages)
{
    int null = open("/dev/null", O_RDWR);
    return null >= 0 && dup2(null, STDIN_FILENO) >= 0 && dup2(null, STDOUT_FILENO) >= 0 &&
           dup2(messages, STDERR_FILENO) >= 0;
}

/* The terminal's signals are for the program: heddle ends after it. */
static int wait_for(pid_t child, bool is_trial)
{
    int status = 0;
    struct sigaction ignore = {.sa_handler = SIG_IGN}, on_int, on_quit;
    if (!is_trial) {
        sigaction(SIGINT, &ignore, &on_int);
        sigaction(SIGQUIT, &ignore, &on_quit);
    }
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    if (!is_trial) {
        sigaction(SIGINT, &on_int, NULL);
        sigaction(SIGQUIT, &on_quit, NULL);
    }
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

static int start_and_wait(const struct exec_options *o, const struct text_list *command,
                          int messages, struct arena *arena)
{
    pid_t child = fork();
    if (child < 0)
        return -1;
    if (child == 0) {
        enum heddle_status status = HEDDLE_ENVIRONMENT;
        if (messages < 0 || be_silent(messages))
            status = exec_prepare(o, arena);
        if (status == HEDDLE_OK)
            status = exec_replace(command, arena);
        _exit((int)status);
    }
    return wait_for(child, messages >= 0);
}

enum heddle_status exec_run(const struct exec_options *options, const struct text_list *command,
                            struct strbuf *messages, struct l2_report *report, int *exit_status)
{
    struct exec_options o = *options;
    struct arena arena = {0};
    struct strbuf text = {0};
    int lines = memfd_create("heddle L2", MFD_CLOEXEC);
    int said = messages ? memfd_create("heddle messages", MFD_CLOEXEC) : -1;
    enum heddle_status status = HEDDLE_OK;
    fflush(NULL);
    o.l2_report = arena_printf(&arena, "/proc/%ld/fd/%d", (long)getpid(), lines);
    *exit_status =
        lines < 0 || (messages && said < 0) ? -1 : start_and_wait(&o, command, said, &arena);
    if (*exit_status < 0 || !read_all(lines, &text) || (messages && !read_all(said, messages))) {
        output_error("cannot run %s: %s", command->items[0], strerror(errno));
        status = HEDDLE_ENVIRONMENT;
    } else if (!l2_report_read(report, strbuf_text(&text))) {
        output_error("libheddle_ocl.so belongs to another version of heddle");
        status = HEDDLE_ENVIRONMENT;
    }
    if (lines >= 0)
        close(lines);
    if (said >= 0)
        close(said);
    strbuf_destroy(&text);
    arena_destroy(&arena);
    return status;
}
