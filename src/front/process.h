/* Runs a program without a shell: arguments as given, text into its standard input, its standard
 * error captured. Its standard output is discarded. */
#ifndef HEDDLE_FRONT_PROCESS_H
#define HEDDLE_FRONT_PROCESS_H

#include <signal.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/strbuf.h"

/* A growing, NULL-terminated argument vector; the strings live in the arena. Zeroed except for the
 * arena, it is empty. */
struct arg_list {
    struct arena *arena;
    const char **items;
    size_t n, cap;
};

void args_add(struct arg_list *args, const char *arg);
void args_addf(struct arg_list *args, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Several at once: args_add_all(&args, "-O2", "-S", NULL). */
void args_add_all(struct arg_list *args, ...) __attribute__((sentinel));
void args_destroy(struct arg_list *args);

struct process_result {
    int error;       /* errno if it could not be started, or 0 */
    int exit_status; /* of the program; -1 if a signal ended it */
    int signal;
};

/* The signals by which a user ends a program. A caller that must clean up first may block them:
 * programs run by process_run() still receive them. */
sigset_t process_ends(void);

struct process_result process_run(const struct arg_list *args, const char *input, size_t input_len,
                                  struct strbuf *messages);

#endif
