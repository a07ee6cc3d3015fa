/* How often atomics have written lines, and when plain stores last changed them: this tells whether
 * an atomic used stale data. Values cannot tell: they come from the memory image, whatever an SM's
 * L1D holds.
 *
 * L2 counts the writes that it serves, and a fetch carries that number. SMs count the writes that
 * they send, in a ledger for each mutex that only its holder reads and writes. Data that include
 * fewer writes than the ledger are stale. All SMs share the ledgers: a mutex is passed on by
 * messages, so two SMs never have it in the same quantum. */
#ifndef HEDDLE_ATOMICS_WRITE_LEDGER_H
#define HEDDLE_ATOMICS_WRITE_LEDGER_H

#include <stdbool.h>
#include <stdint.h>

#include "noc/shard.h"

enum { LEDGER_NOBODY = UINT32_MAX };

struct ledger_line {
    uint64_t line;
    uint64_t n_writes;
    /* Plain stores: when the last one was visible and which SM made it, and the last one of other
     * SMs. */
    sim_time stored_at, others_at;
    uint32_t stored_by;
    bool used;
};

/* A map by lines; zeroed = empty. It grows with the lines that atomics access. */
struct ledger {
    struct ledger_line *lines;
    uint32_t n, places; /* a power of two */
};

struct ledger_line *ledger_find(const struct ledger *l, uint64_t line); /* NULL = not there */
struct ledger_line *ledger_get(struct ledger *l, uint64_t line);        /* added if it is not */
void ledger_destroy(struct ledger *l);

/* A plain store of an SM is visible from t on. */
void ledger_store(struct ledger_line *l, uint32_t sm, sim_time t);
/* When the last store of another SM became visible; 0 = there was none. */
static inline sim_time ledger_stored_by_others(const struct ledger_line *l, uint32_t sm)
{
    return l->stored_by == sm ? l->others_at : l->stored_at;
}

/* A machine's: one ledger for each mutex. */
struct write_ledger {
    struct ledger *of;
    uint32_t n_mutexes, line_bytes;
};

static inline uint32_t write_ledger_mutex(const struct write_ledger *w, uint64_t line)
{
    return (uint32_t)(line / w->line_bytes % w->n_mutexes);
}

struct write_ledger *write_ledger_create(uint32_t n_mutexes, uint32_t line_bytes);
void write_ledger_destroy(struct write_ledger *w);

#endif
