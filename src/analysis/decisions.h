/* The decisions of a run as a stream: which warp issued what, and what L1D did with each access, in
 * the order of (cycle, SM). The stream is the same whatever the quantum, the engine and the number
 * of threads, so two of them can be compared to the place where they part.
 *
 * Format, numbers low byte first: "heddle-decisions 1\n", then records by their first byte:
 *     'p' launch:4 pc:4 length:2 text    what instruction that is, before its first decision
 *     'd' and DECISION_BYTES             a decision: the fields of struct decision in their order
 *     'e' count:8                        the end, and how many decisions there were
 *
 * Left out: L2, DRAM and the network decide too; they show in when an SM can go on. */
#ifndef HEDDLE_ANALYSIS_DECISIONS_H
#define HEDDLE_ANALYSIS_DECISIONS_H

#include <stdint.h>
#include <stdio.h>

#include "base/sink.h"
#include "base/strbuf.h"

/* A word each, as it is told to people; all but the first are L1D's. */
#define DECISION_KINDS(X)                                                                          \
    X(ISSUE, "issues")                                                                             \
    X(HIT, "hits in L1D")                                                                          \
    X(MERGE, "joins an outstanding miss in L1D")                                                   \
    X(MISS, "misses in L1D")                                                                       \
    X(BYPASS, "bypasses L1D")                                                                      \
    X(RESERVE, "reserves a line of L1D")                                                           \
    X(EVICT, "makes a line leave L1D")                                                             \
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
/* Writes the rest; false if anything could not be written. */
bool decision_recorder_finish(struct decision_recorder *r);
void decision_recorder_destroy(struct decision_recorder *r); /* NULL is fine */

/* --- reading --- */

struct decision_reader;
enum decision_read { DECISION_READ, DECISION_END, DECISION_BROKEN };

struct decision_reader *decision_reader_create(FILE *file); /* which stays the caller's */
void decision_reader_destroy(struct decision_reader *r);    /* NULL is fine */

/* BROKEN: it ended before its end, or is no stream of decisions. */
enum decision_read decision_read(struct decision_reader *r, struct decision *d);

/* "issues warp 3 (scheduler 1): bfs.cl:14: ld.global.u32 %r1, [%rd2]" */
void decision_describe(const struct decision_reader *r, const struct decision *d,
                       struct strbuf *out);
/* "bfs_level, bfs.cl:14: ld.global.u32 ...": the function and the instruction; NULL = not told. Of
 * the launch that was read last. */
const char *decision_instruction(const struct decision_reader *r, const struct decision *d);
bool decision_equal(const struct decision *a, const struct decision *b);

#endif
