/* Criticality-aware cache prioritisation on a small L1D.
 * S3 = S.-Y. Lee: Intelligent scheduling and memory management techniques for modern GPU
 * architectures. PhD thesis, Arizona State University 2017, section 4.2.3, Algorithms 7 to 9.
 *
 * Sets have four ways, two of them critical (ways 0 and 1), unless it says otherwise. They are
 * filled with lines 0 to 3 of the instruction BASE first. Bit 7 of the addresses of set 0 is 0, so
 * signatures are PCs there. S3 gives neither Threshold nor what counters start at; both are 1. */
#ifndef HEDDLE_TEST_CACP_STAGE_H
#define HEDDLE_TEST_CACP_STAGE_H

#include "paper/l1d_stage.h"

enum { BASE = 10, A, B, C };

static inline void fill(struct l1d *c, uint32_t set)
{
    flush(c); /* teaches nothing: nothing is replaced */
    for (uint32_t line = 0; line < 4; line++)
        load(c, set, line, BASE);
}

static inline void fill_set(struct l1d *c)
{
    fill(c, 0);
}

static inline void cacp_init(struct l1d *c)
{
    l1d_init(c, "cacp", "", 2, 4);
    fill_set(c);
}

static inline enum cache_answer load_as(struct l1d *c, bool critical, uint32_t line, uint32_t pc)
{
    c->critical = critical;
    enum cache_answer answer = load(c, 0, line, pc);
    c->critical = false;
    return answer;
}

/* A line of the instruction is hit n times. It is in set 1, whose addresses have bit 7 set: the PC
 * that has the same signature there. */
static inline void hit_lines(struct l1d *c, bool critical, uint32_t pc, uint32_t n)
{
    uint32_t line = c->n_fresh++;
    load(c, 1, line, pc ^ 128);
    c->critical = critical;
    for (uint32_t i = 0; i < n; i++)
        assert_int_equal(load(c, 1, line, BASE), CACHE_HIT);
    c->critical = false;
}

/* CCBP of the instruction rises by n. */
static inline void critical_hits(struct l1d *c, uint32_t pc, uint32_t n)
{
    hit_lines(c, true, pc, n);
}

/* Does a line of the instruction go to the critical partition, if a critical warp misses or another
 * one? It replaces one of lines 0 and 1 then, otherwise one of 2 and 3. */
static inline bool inserts_as_critical_for(struct l1d *c, bool critical_warp, uint32_t pc)
{
    fill_set(c);
    load_as(c, critical_warp, c->n_fresh++, pc);
    assert_in_range(c->victim, 0, 3);
    return c->victim < 2;
}

static inline bool inserts_as_critical(struct l1d *c, uint32_t pc)
{
    return inserts_as_critical_for(c, false, pc);
}

/* Lines 7 and 11, "set SHiP insertion position": "long (= 2) versus [...] distance (= 3)". Both
 * ways of a partition are at 0; the line of the instruction takes the first, and the second is left
 * at 3. If it came in at 2 the next victim is the second way, if at 3 it is itself, being the first
 * of two equals. */
static inline uint32_t position_for(struct l1d *c, bool critical_warp, uint32_t set, uint32_t pc)
{
    fill(c, set);
    for (uint32_t line = 0; line < 4; line++)
        load(c, set, line, BASE);
    uint32_t inserted = c->n_fresh;
    c->critical = critical_warp;
    load_fresh(c, set, pc);
    c->critical = false;
    assert_int_equal(c->victim % 2, 0);
    load_fresh(c, set, pc);
    return c->victim == (int)inserted ? 3 : 2;
}

static inline uint32_t position_in(struct l1d *c, uint32_t set, uint32_t pc)
{
    return position_for(c, false, set, pc);
}

static inline uint32_t position_of(struct l1d *c, uint32_t pc)
{
    return position_in(c, 0, pc);
}

/* A line of the instruction, missed by a critical warp or by another one, is replaced without
 * reuse; lines of the instruction `other` go to its partition too. */
static inline void waste_line_of(struct l1d *c, bool critical_warp, uint32_t pc, uint32_t other)
{
    fill_set(c);
    uint32_t line = c->n_fresh++;
    load_as(c, critical_warp, line, pc);
    for (int i = 0; c->victim != (int)line; i++) {
        assert_true(i < 100);
        load_fresh(c, 0, other);
    }
}

static inline void waste_line(struct l1d *c, uint32_t pc, uint32_t other)
{
    waste_line_of(c, false, pc, other);
}

#endif
