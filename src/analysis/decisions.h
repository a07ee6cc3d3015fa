/* The decisions of a run as a stream: which warp issued what, and what L1D did with each access,
 * ordered by (cycle, SM). The stream does not depend on the quantum, the engine or the number of
 * threads, so two streams can be compared to find where they diverge.
 *
 * Format, numbers low byte first: "heddle-decisions 1\n", then records by their first byte:
 *     'p' launch:4 pc:4 length:2 text    the instruction's text, before its first decision
 *     'd' and DECISION_BYTES             a decision: the fields of struct decision in order
 *     'e' count:8                        the end, and the number of decisions
 *
 * Left out: decisions of L2, DRAM and the network, which only show in when an SM can continue. */
#ifndef HEDDLE_ANALYSIS_DECISIONS_H
#define HEDDLE_ANALYSIS_DECISIONS_H

#include <stdint.h>
#include <stdio.h>

#include "base/sink.h"
#include "base/strbuf.h"

/* One phrase each, as shown to users; all but the first are L1D's. */
#define DECISION_KINDS(X)                                                                          \
    X(ISSUE, "issues")                                                                             \
    X(HIT, "hits in L1D")                                                                          \
    X(MERGE, "joins an outstanding miss in L1D")                                                   \
    X(MISS, "misses in L1D")                                                                       \
    X(BYPASS, "bypasses L1D")                                                                      \
    X(RESERVE, "reserves a line of L1D")                                                           \
    X(EVICT, "evicts a line from L1D")                                                             \
    X(STORE, "stores past L1D")

enum decision_kind {
#define KIND(name, words) DECISION_##name,
    DECISION_KINDS(KIND)
#undef KIND
        N_DECISION_KINDS
};

struct decision {
    uint64_t cycle; /* core cycles since the simulation began */
    uint64_t line;  /* L1D: the line's address */
    uint32_t launch;
    uint32_t sm;
    uint32_t pc;
    uint16_t warp; /* slot of the SM */
    uint16_t way;  /* L1D; 0xffff = none */
    uint8_t kind;
    uint8_t scheduler; /* ISSUE */
};
enum { DECISION_BYTES = 8 + 8 + 4 + 4 + 4 + 2 + 2 + 1 + 1, DECISION_NO_WAY = 0xffff };

/* --- writing --- */

struct machine;
struct decision_recorder;

/* Before the first launch. */
struct decision_recorder *decision_recorder_create(struct machine *m, struct sink sink);
/* Writes the rest; false if a write failed. */
bool decision_recorder_finish(struct decision_recorder *r);
void decision_recorder_destroy(struct decision_recorder *r); /* NULL is fine */

/* --- reading --- */

struct decision_reader;
enum decision_read { DECISION_READ, DECISION_END, DECISION_BROKEN };

struct decision_reader *decision_reader_create(FILE *file); /* the caller keeps `file` */
void decision_reader_destroy(struct decision_reader *r);    /* NULL is fine */

/* BROKEN: the stream is truncated or not a stream of decisions. */
enum decision_read decision_read(struct decision_reader *r, struct decision *d);

/* "issues warp 3 (scheduler 1): bfs.cl:14: ld.global.u32 %r1, [%rd2]" */
void decision_describe(const struct decision_reader *r, const struct decision *d,
                       struct strbuf *out);
/* "bfs_level, bfs.cl:14: ld.global.u32 ...": the function and the instruction of the launch read
 * last; NULL = unknown. */
const char *decision_instruction(const struct decision_reader *r, const struct decision *d);
bool decision_equal(const struct decision *a, const struct decision *b);

#endif
