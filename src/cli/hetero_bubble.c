/* heddle hetero bubble: the slowdown of a native program on this machine beside bubbles of graded
 * pressure (S3 section 6.4.5). The program runs on one core, the bubble on another. */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/json.h"
#include "cli/hetero.h"
#include "cli/output.h"
#include "hetero/bubble.h"

enum { LINE_BYTES = 64, BUBBLE_CACHES = 4, DEFAULT_REPEATS = 3 };

struct bench {
    uint64_t llc_bytes;
    double dram_gbps; /* the maximum of one core, if it was measured */
    uint32_t repeats;
    const struct text_list *command; /* its first word is the step's name */
    int program_core, bubble_core;
    struct bubble_table table;
    double alone_s;
    uint32_t n_below_1; /* slowdowns that cannot be, and the least of them */
    double least;
};

#define SHORT_S 0.1 /* shorter programs are measured with a warning */

static double now_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void stay_on(int core)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(core, &set);
    sched_setaffinity(0, sizeof set, &set);
}

/* --- bubbles --- */

static volatile char *new_buffer(uint64_t bytes)
{
    char *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED)
        return NULL;
    memset(p, 1, bytes);
    return p;
}

/* Writes the lines of the buffer once, at most at that rate; a line is read and written back. */
static void write_lines(volatile char *p, uint64_t bytes, double gbps)
{
    enum { PIECE = 1 << 16 };
    double begin = now_s(), moved = 0;
    for (uint64_t at = 0; at < bytes; at += PIECE) {
        for (uint64_t i = at; i < at + PIECE && i < bytes; i += LINE_BYTES)
            p[i]++;
        moved += 2 * PIECE;
        while (gbps > 0 && now_s() - begin < moved / 1e9 / gbps)
            ;
    }
}

/* The bubble has used all of its buffer. */
static void say_ready(int to)
{
    if (write(to, "r", 1) != 1)
        _exit(1);
}

static void press_on_cache(uint64_t bytes, int ready)
{
    volatile char *p = new_buffer(bytes);
    if (!p)
        _exit(1);
    for (bool is_first = true;; is_first = false) {
        for (uint64_t i = 0; i < bytes; i += LINE_BYTES)
            (void)p[i];
        if (is_first)
            say_ready(ready);
    }
}

static void press_on_dram(const struct bench *b, double gbps, int ready)
{
    volatile char *p = new_buffer(BUBBLE_CACHES * b->llc_bytes);
    if (!p)
        _exit(1);
    say_ready(ready);
    for (;;)
        write_lines(p, BUBBLE_CACHES * b->llc_bytes, gbps);
}

/* The maximum bandwidth of one core: bandwidth bubbles use fractions of it. */
static double measure_dram(const struct bench *b)
{
    uint64_t bytes = BUBBLE_CACHES * b->llc_bytes;
    volatile char *p = new_buffer(bytes);
    double best = 0;
    for (int i = 0; p && i < 3; i++) {
        double begin = now_s();
        write_lines(p, bytes, 0);
        double gbps = 2.0 * (double)bytes / 1e9 / (now_s() - begin);
        best = gbps > best ? gbps : best;
    }
    if (p)
        munmap((void *)p, bytes);
    return best;
}

/* --- the program --- */

/* `failed`: a pipe for the error, if it cannot be started; otherwise that only closes. */
static pid_t start(const struct bench *b, int failed)
{
    pid_t pid = fork();
    if (pid != 0)
        return pid;
    stay_on(b->program_core);
    if (freopen("/dev/null", "w", stdout))
        execvp(b->command->items[1], (char *const *)(b->command->items + 1));
    int error = errno;
    ssize_t written = write(failed, &error, sizeof error);
    (void)written;
    _exit(127);
}

/* Runs it and waits for its end: 0, or an errno value if it cannot be started. */
static int run_program(const struct bench *b, int *status)
{
    int failed[2], error = 0;
    if (pipe2(failed, O_CLOEXEC) != 0)
        return errno;
    pid_t pid = start(b, failed[1]);
    if (pid < 0)
        error = errno;
    close(failed[1]);
    if (pid > 0 && read(failed[0], &error, sizeof error) != sizeof error)
        error = 0;
    close(failed[0]);
    if (pid > 0 && waitpid(pid, status, 0) != pid)
        error = errno;
    return error;
}

/* Seconds of a run; -1, with a message, if it fails. */
static double run_once(const struct bench *b)
{
    int status = 0;
    const char *program = b->command->items[1];
    double begin = now_s();
    int error = run_program(b, &status);
    if (error)
        output_error("%s cannot be run: %s", program, strerror(error));
    else if (WIFSIGNALED(status))
        output_error("%s was ended by signal %d, %s", program, WTERMSIG(status),
                     strsignal(WTERMSIG(status)));
    else if (WEXITSTATUS(status) != 0)
        output_error("%s ended with exit status %d", program, WEXITSTATUS(status));
    else
        return now_s() - begin;
    return -1;
}

/* The shortest of its times; -1 if it fails. */
static double time_program(const struct bench *b)
{
    double best = run_once(b);
    for (uint32_t i = 1; i < b->repeats && best >= 0; i++)
        best = fmin(best, run_once(b));
    return best;
}

/* Starts a bubble and waits until it has used all of its buffer; -1 on failure. */
static pid_t start_bubble(const struct bench *b, bool is_cache, double share)
{
    int ready[2];
    char byte;
    if (pipe(ready) != 0)
        return -1;
    pid_t bubble = fork();
    if (bubble == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        close(ready[0]);
        stay_on(b->bubble_core);
        if (is_cache)
            press_on_cache((uint64_t)(share * (double)b->llc_bytes) / LINE_BYTES * LINE_BYTES,
                           ready[1]);
        press_on_dram(b, share * b->dram_gbps, ready[1]);
    }
    close(ready[1]);
    if (bubble > 0 && read(ready[0], &byte, 1) != 1) {
        kill(bubble, SIGKILL);
        waitpid(bubble, NULL, 0);
        bubble = -1;
    }
    close(ready[0]);
    return bubble;
}

/* False if it has ended before. */
static bool stop_bubble(pid_t bubble)
{
    bool is_alive = waitpid(bubble, NULL, WNOHANG) == 0;
    if (is_alive) {
        kill(bubble, SIGKILL);
        waitpid(bubble, NULL, 0);
    }
    return is_alive;
}

/* Reports a failure and returns -1. */
static double time_beside(const struct bench *b, bool is_cache, uint32_t step)
{
    if (step == 0)
        return b->alone_s;
    pid_t bubble = start_bubble(b, is_cache, (double)step / BUBBLE_STEPS);
    double seconds = bubble > 0 ? time_program(b) : 0;
    if (bubble <= 0 || !stop_bubble(bubble)) {
        output_error("a bubble of %llu bytes ended before the program: the slowdown is not known",
                     (unsigned long long)(is_cache ? b->llc_bytes : BUBBLE_CACHES * b->llc_bytes));
        return -1;
    }
    return seconds;
}

/* A program is not faster beside a bubble: its time alone was disturbed, or it is too short. */
static double slowdown_of(struct bench *b, double seconds)
{
    double slowdown = seconds / b->alone_s;
    if (slowdown >= 1)
        return slowdown;
    b->n_below_1++;
    b->least = fmin(b->least, slowdown);
    return 1;
}

static bool measure(struct bench *b)
{
    b->least = 1;
    for (int kind = 0; kind < 2; kind++)
        for (uint32_t i = 0; i <= BUBBLE_STEPS; i++) {
            output_progress("%s bubble %u of %u", kind ? "bandwidth" : "cache", i, BUBBLE_STEPS);
            double seconds = time_beside(b, kind == 0, i);
            if (seconds < 0)
                return false;
            (kind ? b->table.bandwidth : b->table.cache)[i] = slowdown_of(b, seconds);
        }
    output_progress_end();
    return true;
}

static void warn_of_noise(const struct bench *b)
{
    struct strbuf text = {0};
    if (b->alone_s < SHORT_S)
        strbuf_addf(
            &text,
            "heddle: warning: the program takes %.4f s alone, in which the host's scheduler "
            "matters: use a longer one, %g s or more\n",
            b->alone_s, SHORT_S);
    if (b->n_below_1)
        strbuf_addf(&text,
                    "heddle: warning: slowdowns below 1, replaced by 1: %u of %u, the least %.3f: "
                    "other programs disturb the measurement; --repeats helps\n",
                    b->n_below_1, 2 * BUBBLE_STEPS, b->least);
    if (text.len)
        output_warnings(strbuf_text(&text));
    strbuf_destroy(&text);
}

/* --- output --- */

static void write_steps(struct json_writer *w, const char *key, const double *steps)
{
    json_begin_array(w, key);
    for (uint32_t i = 0; i <= BUBBLE_STEPS; i++)
        json_double(w, NULL, steps[i]);
    json_end_array(w);
}

/* The input of --hetero-natives and `heddle hetero choose`. */
static void print(const struct bench *b, struct strbuf *out)
{
    struct json_writer w = {.out = out};
    const char *slash = strrchr(b->command->items[1], '/');
    json_begin_object(&w, NULL);
    json_begin_object(&w, "machine");
    json_uint(&w, "llc_bytes", b->llc_bytes);
    json_double(&w, "dram_gbps", b->dram_gbps);
    json_end_object(&w);
    json_begin_array(&w, "natives");
    json_begin_object(&w, NULL);
    json_string(&w, "name", slash ? slash + 1 : b->command->items[1]);
    write_steps(&w, "cache", b->table.cache);
    write_steps(&w, "bandwidth", b->table.bandwidth);
    json_end_object(&w);
    json_end_array(&w);
    json_end_object(&w);
    strbuf_add(out, "\n");
}

/* --- the command --- */

/* Two cores that this process may use; false if there is only one. */
static bool find_cores(struct bench *b)
{
    cpu_set_t set;
    int found[2], n = 0;
    if (sched_getaffinity(0, sizeof set, &set) != 0)
        return false;
    for (int i = 0; i < CPU_SETSIZE && n < 2; i++)
        if (CPU_ISSET(i, &set))
            found[n++] = i;
    b->program_core = found[0];
    b->bubble_core = n == 2 ? found[1] : -1;
    return n == 2;
}

static enum heddle_status set_up(struct bench *b, const struct hetero_options *o)
{
    long llc = sysconf(_SC_LEVEL3_CACHE_SIZE);
    b->llc_bytes = o->llc.is_given ? o->llc.value : llc > 0 ? (uint64_t)llc : 0;
    b->repeats = o->repeats.is_given ? (uint32_t)o->repeats.value : DEFAULT_REPEATS;
    if (b->command->n < 2)
        output_error(
            "heddle hetero bubble needs a program: heddle hetero bubble -- PROGRAM ARG...");
    else if (b->repeats == 0 || b->repeats > 1000)
        output_error("--repeats must be 1 to 1000");
    else if (b->llc_bytes < (1 << 16) || b->llc_bytes > (1ull << 32))
        output_error("the last-level cache seems to have %llu bytes: give its size with --llc "
                     "BYTES, 64 KiB to 4 GiB",
                     (unsigned long long)b->llc_bytes);
    else if (!find_cores(b))
        output_error("a bubble needs its own core, and there is only one");
    else
        return HEDDLE_OK;
    return HEDDLE_BAD_INPUT;
}

enum heddle_status hetero_cmd_bubble(const struct hetero_options *o, const char *program,
                                     struct strbuf *out)
{
    struct bench b = {.command = o->words};
    (void)program;
    enum heddle_status status = set_up(&b, o);
    if (status != HEDDLE_OK)
        return status;
    b.dram_gbps = measure_dram(&b);
    if (!(b.dram_gbps > 0)) {
        output_error("there is no memory for a bubble of %llu bytes",
                     (unsigned long long)(BUBBLE_CACHES * b.llc_bytes));
        return HEDDLE_ENVIRONMENT;
    }
    if (run_once(&b) < 0) /* files and pages that it uses are in memory afterwards */
        return HEDDLE_BAD_INPUT;
    b.alone_s = time_program(&b);
    if (b.alone_s < 0 || !measure(&b))
        return HEDDLE_BAD_INPUT;
    warn_of_noise(&b);
    print(&b, out);
    return HEDDLE_OK;
}
