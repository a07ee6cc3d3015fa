/* An SM of fixed latencies, just large enough to drive a scheduler: programs are strings with a
 * letter per instruction, and what comes out is a chart with a character per cycle, the number of
 * the warp that issued or a dot.
 *
 *     a  the next instruction can issue in the next cycle
 *     d  the next one waits for the result: 3 cycles
 *     l  a load: the next one waits 6 cycles
 *     b  a barrier of the CTA; opens when all its live warps are there, who may issue a cycle later
 *
 * A warp ends when it issues its last letter. CTAs start in order, as soon as there are enough free
 * warp slots at the beginning of a cycle, in the lowest ones. */
#ifndef HEDDLE_TEST_MOCK_SM_H
#define HEDDLE_TEST_MOCK_SM_H

#include <assert.h>
#include <string.h>

#include "sched/scheduler.h"

enum { MOCK_CYCLES = 600, MOCK_CTA_WARPS = 8 };
enum { MOCK_DATA_CYCLES = 3, MOCK_LOAD_CYCLES = 6 };

struct mock_cta {
    uint32_t n_warps;
    const char *programs[MOCK_CTA_WARPS];
};

struct mock_sm {
    const struct mock_cta *ctas; /* not yet started */
    uint32_t n_ctas;
    bool steps; /* asks every cycle, and more than once; otherwise cycles without change are skipped
                 */

    struct sched_view view;
    struct sched_warp warps[SCHED_MAX_WARPS];
    const char *program[SCHED_MAX_WARPS]; /* what is left of it */
    uint64_t blocked_until[SCHED_MAX_WARPS];
    uint64_t blocked;
    uint64_t next_age;
    struct scheduler *s;
    uint64_t now, advanced_to;
    char chart[SCHED_MAX_SLOTS][MOCK_CYCLES + 1]; /* per issue slot */
};

static inline void mock_start_warp(struct mock_sm *m, uint32_t warp, uint32_t cta_slot,
                                   uint32_t index, const char *program)
{
    m->warps[warp] = (struct sched_warp){.live = true,
                                         .age = m->next_age,
                                         .uid = m->next_age,
                                         .cta_slot = cta_slot,
                                         .warp_in_cta = index,
                                         .start_cycle = m->now};
    m->next_age++;
    m->view.live |= UINT64_C(1) << warp;
    m->program[warp] = program;
}

static inline uint32_t mock_free_cta_slot(const struct mock_sm *m)
{
    uint64_t used = 0;
    for (uint32_t w = 0; w < m->view.n_warps; w++)
        used |= (uint64_t)m->warps[w].live << m->warps[w].cta_slot;
    return (uint32_t)__builtin_ctzll(~used);
}

static inline void mock_dispatch(struct mock_sm *m)
{
    uint64_t all = m->view.n_warps == 64 ? ~UINT64_C(0) : (UINT64_C(1) << m->view.n_warps) - 1;
    while (m->n_ctas > 0 &&
           (uint32_t)__builtin_popcountll(all & ~m->view.live) >= m->ctas->n_warps) {
        uint32_t cta_slot = mock_free_cta_slot(m);
        uint64_t started = 0;
        for (uint32_t i = 0; i < m->ctas->n_warps; i++) {
            uint32_t warp = (uint32_t)__builtin_ctzll(~m->view.live);
            mock_start_warp(m, warp, cta_slot, i, m->ctas->programs[i]);
            started |= UINT64_C(1) << warp;
        }
        if (m->s->desc->on_cta_start)
            m->s->desc->on_cta_start(m->s, cta_slot, m->now);
        for (; started; started &= started - 1)
            if (m->s->desc->on_warp_start)
                m->s->desc->on_warp_start(m->s, (uint32_t)__builtin_ctzll(started), m->now);
        m->ctas++, m->n_ctas--;
    }
}

static inline void mock_block(struct mock_sm *m, uint32_t warp, enum stall_cause cause,
                              uint64_t until)
{
    m->blocked |= UINT64_C(1) << warp;
    m->blocked_until[warp] = until;
    if (m->s->desc->on_stall)
        m->s->desc->on_stall(m->s, warp, cause, m->now);
}

static inline void mock_wake_due(struct mock_sm *m)
{
    for (uint32_t w = 0; w < m->view.n_warps; w++)
        if (m->blocked >> w & 1 && m->blocked_until[w] <= m->now) {
            m->blocked &= ~(UINT64_C(1) << w);
            if (m->s->desc->on_wake)
                m->s->desc->on_wake(m->s, w, m->now);
        }
}

/* Opens the barrier of a CTA if no live warp of it is still to come. */
static inline void mock_open_barrier(struct mock_sm *m, uint32_t cta_slot)
{
    uint64_t waiting = 0;
    for (uint32_t w = 0; w < m->view.n_warps; w++)
        if (m->warps[w].live && m->warps[w].cta_slot == cta_slot) {
            if (!m->warps[w].at_barrier)
                return;
            waiting |= UINT64_C(1) << w;
        }
    if (!waiting)
        return;
    for (uint64_t rest = waiting; rest; rest &= rest - 1) {
        m->warps[__builtin_ctzll(rest)].at_barrier = false;
        m->blocked_until[__builtin_ctzll(rest)] = m->now + 1;
    }
    if (m->s->desc->on_barrier_release)
        m->s->desc->on_barrier_release(m->s, waiting, m->now);
}

static inline void mock_end_warp(struct mock_sm *m, uint32_t warp)
{
    uint32_t cta_slot = m->warps[warp].cta_slot;
    m->warps[warp].live = false;
    m->view.live &= ~(UINT64_C(1) << warp);
    m->blocked &= ~(UINT64_C(1) << warp);
    if (m->s->desc->on_warp_end)
        m->s->desc->on_warp_end(m->s, warp, m->now);
    mock_open_barrier(m, cta_slot);
}

static inline void mock_issue(struct mock_sm *m, uint32_t slot, uint32_t warp)
{
    char op = *m->program[warp]++;
    enum issue_class class = op == 'l' ? ISSUE_LOAD : op == 'b' ? ISSUE_BARRIER : ISSUE_ALU;
    if (m->s->desc->on_issue)
        m->s->desc->on_issue(m->s, slot, warp, class, 0, m->now);
    if (op == 'b') {
        m->warps[warp].at_barrier = true;
        if (m->s->desc->on_barrier_arrive)
            m->s->desc->on_barrier_arrive(m->s, warp, m->now);
        mock_block(m, warp, STALLED_BARRIER, UINT64_MAX);
        mock_open_barrier(m, m->warps[warp].cta_slot);
    } else if (op == 'l') {
        mock_block(m, warp, STALLED_MEMORY, m->now + MOCK_LOAD_CYCLES);
    } else if (op == 'd') {
        mock_block(m, warp, STALLED_DATA, m->now + MOCK_DATA_CYCLES);
    }
    if (!*m->program[warp])
        mock_end_warp(m, warp);
}

static inline struct sched_pick mock_pick(const struct mock_sm *m, uint32_t slot)
{
    uint64_t ready = 0, loads = 0;
    for (uint32_t w = slot; w < m->view.n_warps; w += m->view.n_slots) {
        uint64_t bit = UINT64_C(1) << w;
        if (!m->warps[w].live || m->blocked & bit)
            continue;
        bool is_load = *m->program[w] == 'l';
        enum issue_class class = is_load ? ISSUE_LOAD : ISSUE_ALU;
        if (m->s->desc->may_issue && !(m->s->desc->may_issue(m->s, class) & bit))
            continue;
        ready |= bit;
        loads |= is_load ? bit : 0;
    }
    if (!ready)
        return (struct sched_pick){.warp = -1};
    return m->s->desc->pick(m->s, slot, ready, loads, m->now);
}

/* Where nothing issued, the next cycle in which a warp wakes; UINT64_MAX if none will. */
static inline uint64_t mock_next_wake(const struct mock_sm *m)
{
    uint64_t next = UINT64_MAX;
    for (uint32_t w = 0; w < m->view.n_warps; w++)
        if (m->blocked >> w & 1 && m->blocked_until[w] < next)
            next = m->blocked_until[w];
    return next;
}

static inline bool mock_cycle(struct mock_sm *m)
{
    if (m->s->desc->advance && m->now > m->advanced_to)
        m->s->desc->advance(m->s, m->now - m->advanced_to);
    m->advanced_to = m->now;
    mock_wake_due(m);
    mock_dispatch(m);
    bool issued = false;
    for (uint32_t slot = 0; slot < m->view.n_slots; slot++) {
        struct sched_pick pick = mock_pick(m, slot);
        for (int again = 0; m->steps && again < 3; again++)
            assert(mock_pick(m, slot).warp == pick.warp);
        if (pick.warp < 0)
            continue;
        static const char digits[] =
            "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ+-";
        m->chart[slot][m->now] = digits[pick.warp];
        mock_issue(m, slot, (uint32_t)pick.warp);
        issued = true;
    }
    return issued;
}

/* Any number will do, if it is the same until the warp's next event. */
static inline int64_t mock_criticality(const struct criticality *mock, uint32_t warp, uint64_t now)
{
    (void)now;
    return (int64_t)(((const struct mock_sm *)(const void *)mock)->warps[warp].age % 3);
}

/* Runs the CTAs to their end, or for MOCK_CYCLES; idle cycles at the end of a chart are cut. */
static inline void mock_run(struct mock_sm *m, const struct scheduler_desc *d, const void *params,
                            uint32_t n_warps, uint32_t n_slots)
{
    m->view = (struct sched_view){.n_warps = n_warps,
                                  .n_slots = n_slots,
                                  .warps = m->warps,
                                  .l1d_line_bytes = 128,
                                  .provider = (const struct criticality *)(const void *)m,
                                  .criticality_of = mock_criticality};
    m->s = scheduler_create(d, params, &m->view, 1);
    memset(m->chart, '.', sizeof m->chart);
    while (m->now < MOCK_CYCLES && (m->view.live || m->n_ctas)) {
        uint64_t next = m->now + 1;
        if (!mock_cycle(m) && !m->steps)
            next = mock_next_wake(m);
        m->now = next;
    }
    for (uint32_t slot = 0; slot < n_slots; slot++) {
        uint32_t length = MOCK_CYCLES;
        while (length > 0 && m->chart[slot][length - 1] == '.')
            length--;
        m->chart[slot][length] = 0;
    }
    scheduler_destroy(m->s);
}

#endif
