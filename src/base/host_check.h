/* Whether this processor can run what the program was compiled for. */
#ifndef HEDDLE_BASE_HOST_CHECK_H
#define HEDDLE_BASE_HOST_CHECK_H

/* NULL if it can, else a line that says what it lacks and what to do. To be asked before anything
 * else: the rest may be made of instructions that the processor does not know. */
const char *host_check(void);

#endif
