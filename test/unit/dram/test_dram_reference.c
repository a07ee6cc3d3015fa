/* The channel against a naive one that is written from the rules: it remembers every command ever
 * given, asks of each candidate, in every cycle, whether any earlier command forbids it, and keeps
 * a calendar of the data bus. Random traffic, ordinary and hostile timings; commands, completions
 * and counters must be the same, whether the channel is ticked on every cycle, only on those that
 * dram_next() names, with or without fast paths, left alone until something is pushed or a while
 * has passed, or told of several requests when they have come. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "dram_driver.h"
#include "unit/random_bits.h"

enum {
    PUSH_CYCLES = 1000,
    N_CYCLES = 30000, /* more than the slowest machine needs to finish */
    N_REQUESTS = 200, /* at most */
    HISTORY = 4096,
    LONGEST_GAP = 200, /* more than any sum of timings that makes a gap */
    CALENDAR = N_CYCLES + LONGEST_GAP
};

struct naive_request {
    struct dram_request r;
    uint64_t pushed_at;
    uint32_t bytes_left;
    bool opened_row;
};

struct completion {
    uint64_t at, tag;
};

struct naive {
    struct dram_config c;
    struct naive_request queue[64]; /* oldest first */
    uint32_t n;
    struct dram_command history[HISTORY];
    uint32_t n_history;
    bool read_data[CALENDAR], write_data[CALENDAR]; /* is the bus used in that cycle? */
    struct completion done[HISTORY];
    uint32_t n_done;
    struct dram_stats stats;
};

/* The least distance that the data sheet puts between two commands. */
static uint64_t gap(const struct naive *m, const struct dram_command *before,
                    enum dram_command_kind kind, uint32_t bank)
{
    const struct dram_config *c = &m->c;
    bool same_bank = before->bank == bank;
    bool same_group =
        c->n_bank_groups > 1 && before->bank % c->n_bank_groups == bank % c->n_bank_groups;
    bool columns = before->kind >= DRAM_READ && kind >= DRAM_READ;
    uint64_t gap = 1;
#define AT_LEAST(condition, cycles)                                                                \
    if ((condition) && (cycles) > gap)                                                             \
    gap = (cycles)
    AT_LEAST(before->kind == DRAM_ACTIVATE && kind == DRAM_ACTIVATE, c->t_rrd);
    AT_LEAST(same_bank && before->kind == DRAM_ACTIVATE && kind == DRAM_ACTIVATE, c->t_rc);
    AT_LEAST(same_bank && before->kind == DRAM_ACTIVATE && kind == DRAM_PRECHARGE, c->t_ras);
    AT_LEAST(same_bank && before->kind == DRAM_ACTIVATE && kind >= DRAM_READ, c->t_rcd);
    AT_LEAST(same_bank && before->kind == DRAM_PRECHARGE && kind == DRAM_ACTIVATE, c->t_rp);
    AT_LEAST(same_bank && before->kind == DRAM_READ && kind == DRAM_PRECHARGE, c->t_rtp);
    AT_LEAST(same_bank && before->kind == DRAM_WRITE && kind == DRAM_PRECHARGE,
             c->t_wl + c->burst_cycles + c->t_wr);
    AT_LEAST(columns && before->kind == kind, c->t_ccd);
    AT_LEAST(columns && same_group, c->t_ccdl);
    AT_LEAST(before->kind == DRAM_WRITE && kind == DRAM_READ,
             c->t_wl + c->burst_cycles + c->t_cdlr);
#undef AT_LEAST
    return gap;
}

static bool bus_allows(const struct naive *m, enum dram_command_kind kind, uint64_t now)
{
    if (kind < DRAM_READ)
        return true;
    uint64_t first = now + (kind == DRAM_READ ? m->c.t_cl : m->c.t_wl);
    for (uint64_t t = first; t < first + m->c.burst_cycles; t++)
        if (m->read_data[t] || m->write_data[t])
            return false;
    if (kind == DRAM_WRITE) /* no data may be read from two cycles before on */
        for (uint64_t t = first < 2 ? 0 : first - 2; t < now + LONGEST_GAP; t++)
            if (m->read_data[t])
                return false;
    return true;
}

static bool is_allowed(const struct naive *m, enum dram_command_kind kind, uint32_t bank,
                       uint64_t now)
{
    for (uint32_t i = m->n_history; i-- > 0 && m->history[i].at + LONGEST_GAP > now;)
        if (now - m->history[i].at < gap(m, &m->history[i], kind, bank))
            return false;
    return bus_allows(m, kind, now);
}

/* The open row of a bank as its last activate or precharge left it; -1 = none. */
static int64_t open_row(const struct naive *m, uint32_t bank)
{
    for (uint32_t i = m->n_history; i-- > 0;)
        if (m->history[i].bank == bank && m->history[i].kind <= DRAM_PRECHARGE)
            return m->history[i].kind == DRAM_ACTIVATE ? (int64_t)m->history[i].row : -1;
    return -1;
}

static bool is_hit(const struct naive *m, const struct naive_request *q)
{
    return open_row(m, q->r.bank) == (int64_t)q->r.row;
}

static bool row_is_wanted(const struct naive *m, uint32_t bank, uint64_t now)
{
    for (uint32_t i = 0; i < m->n; i++)
        if (m->queue[i].pushed_at < now && m->queue[i].r.bank == bank && is_hit(m, &m->queue[i]))
            return true;
    return false;
}

static void note(struct naive *m, enum dram_command_kind kind, const struct naive_request *q,
                 uint64_t now)
{
    assert_true(m->n_history < HISTORY);
    m->history[m->n_history++] = (struct dram_command){now, kind, q->r.bank, q->r.row, q->r.tag};
}

static void naive_finish(struct naive *m, uint32_t i, uint64_t now)
{
    struct naive_request q = m->queue[i];
    m->done[m->n_done++] =
        (struct completion){q.r.write ? now : now + m->c.t_cl + m->c.burst_cycles, q.r.tag};
    m->stats.reads += !q.r.write;
    m->stats.writes += q.r.write;
    m->stats.row_hits += !q.opened_row;
    m->stats.bytes += q.r.bytes;
    m->stats.queue_stays += now - q.pushed_at;
    for (m->n--; i < m->n; i++)
        m->queue[i] = m->queue[i + 1];
}

static void naive_column(struct naive *m, uint32_t i, uint64_t now)
{
    struct naive_request *q = &m->queue[i];
    uint32_t burst_bytes = m->c.burst_cycles * m->c.bus_bytes_per_cycle;
    note(m, q->r.write ? DRAM_WRITE : DRAM_READ, q, now);
    for (uint32_t k = 0; k < m->c.burst_cycles; k++) {
        if (q->r.write)
            m->write_data[now + m->c.t_wl + k] = true;
        else
            m->read_data[now + m->c.t_cl + k] = true;
        m->stats.busy_cycles++;
    }
    if (q->bytes_left <= burst_bytes)
        naive_finish(m, i, now);
    else
        q->bytes_left -= burst_bytes;
}

static bool naive_row_command(struct naive *m, struct naive_request *q, uint64_t now)
{
    if (open_row(m, q->r.bank) < 0) {
        if (!is_allowed(m, DRAM_ACTIVATE, q->r.bank, now))
            return false;
        note(m, DRAM_ACTIVATE, q, now);
        q->opened_row = true;
        m->stats.activates++;
        return true;
    }
    if (!is_allowed(m, DRAM_PRECHARGE, q->r.bank, now))
        return false;
    note(m, DRAM_PRECHARGE, q, now);
    m->stats.precharges++;
    return true;
}

static bool naive_try(struct naive *m, uint32_t i, bool column, bool keep_wanted, uint64_t now)
{
    struct naive_request *q = &m->queue[i];
    if (q->pushed_at >= now || column != is_hit(m, q))
        return false;
    if (column) {
        if (!is_allowed(m, q->r.write ? DRAM_WRITE : DRAM_READ, q->r.bank, now))
            return false;
        naive_column(m, i, now);
        return true;
    }
    if (keep_wanted && row_is_wanted(m, q->r.bank, now))
        return false;
    return naive_row_command(m, q, now);
}

static void naive_tick(struct naive *m, uint64_t now)
{
    for (uint32_t i = 0; i < m->n; i++)
        m->stats.queue_area += m->queue[i].pushed_at < now;
    if (m->c.scheduler == DRAM_FCFS) {
        if (m->n > 0 && !naive_try(m, 0, true, false, now))
            naive_try(m, 0, false, false, now);
        return;
    }
    for (int column = 1; column >= 0; column--)
        for (uint32_t i = 0; i < m->n; i++)
            if (naive_try(m, i, column, true, now))
                return;
}

/* --- traffic --- */

static uint32_t below(uint64_t *seed, uint32_t n)
{
    return (uint32_t)(random_u64(seed) % n);
}

static struct dram_config random_config(uint64_t *seed)
{
    struct dram_config c = gtx480_dram();
    c.queue_entries = 1 + below(seed, below(seed, 2) ? 4 : 64);
    c.scheduler = below(seed, 5) == 0 ? DRAM_FCFS : DRAM_FR_FCFS;
    if (below(seed, 3) == 0)
        return c;
    uint32_t *timings[] = {&c.t_ccd, &c.t_ccdl, &c.t_rrd, &c.t_rcd,  &c.t_ras, &c.t_rp,
                           &c.t_rc,  &c.t_cl,   &c.t_wl,  &c.t_cdlr, &c.t_wr,  &c.t_rtp};
    uint32_t longest = below(seed, 2) ? 4 : 40;
    for (size_t i = 0; i < sizeof timings / sizeof timings[0]; i++)
        *timings[i] = below(seed, longest);
    c.n_banks = 1 + below(seed, 8);
    c.n_bank_groups = 1 + below(seed, 4);
    c.burst_cycles = 1 + below(seed, 4);
    return c;
}

struct traffic {
    uint32_t n_rows, n_banks, per_mille, percent_writes;
};

static struct dram_request random_request(uint64_t *seed, const struct traffic *t, uint64_t tag)
{
    struct dram_request r =
        dram_read(below(seed, t->n_banks), below(seed, t->n_rows), 1 + below(seed, 300), tag);
    r.write = below(seed, 100) < t->percent_writes;
    return r;
}

static void naive_push(struct naive *m, const struct dram_request *r, uint64_t now)
{
    m->queue[m->n++] = (struct naive_request){.r = *r, .pushed_at = now, .bytes_left = r->bytes};
}

enum way { EVERY_CYCLE, NAMED_CYCLES, PLANNED_ANEW, LATE, TOGETHER, N_WAYS };

struct subject {
    struct dram *dram;
    enum way way;
    struct dram_arrival arrivals[N_REQUESTS]; /* TOGETHER: those that have not been let in yet */
    uint32_t n_arrivals;
    struct command_log log;
    struct completion done[HISTORY];
    uint32_t n_done;
};

static void subject_tick(struct subject *s, uint64_t now)
{
    if ((s->way == NAMED_CYCLES || s->way == PLANNED_ANEW) && dram_next(s->dram, now) > now)
        return;
    dram_tick(s->dram, now);
    struct dram_done r;
    while (dram_pop(s->dram, now, &r))
        s->done[s->n_done++] = (struct completion){now, r.tag};
}

/* Does what comes before that cycle, and takes even what will be done later. */
static void subject_catch_up(struct subject *s, uint64_t before)
{
    dram_advance(s->dram, before);
    uint64_t at;
    while ((at = dram_first_done(s->dram)) != UINT64_MAX) {
        struct dram_done r;
        assert_true(at == 0 || !dram_pop(s->dram, at - 1, &r));
        assert_true(dram_pop(s->dram, at, &r));
        s->done[s->n_done++] = (struct completion){at, r.tag};
    }
}

/* Lets requests in that were to come before that cycle, all of which find room. */
static void subject_let_in(struct subject *s, uint64_t until)
{
    uint32_t n = dram_enter(s->dram, s->arrivals, s->n_arrivals, until);
    assert_true(n == 0 || s->arrivals[n - 1].from < until);
    assert_true(n == s->n_arrivals || s->arrivals[n].from >= until);
    for (uint32_t i = n; i < s->n_arrivals; i++)
        s->arrivals[i - n] = s->arrivals[i];
    s->n_arrivals -= n;
    subject_catch_up(s, 0);
}

/* One cycle of a channel that receives requests later, several at a time: now of all, now of
 * those of earlier cycles. */
static void subject_collect(struct subject *s, const struct dram_request *before,
                            const struct dram_request *after, bool pause, uint64_t now)
{
    if (before || after)
        s->arrivals[s->n_arrivals++] = (struct dram_arrival){.request = before ? *before : *after,
                                                             .now = now,
                                                             .between = after ? 7 : 0,
                                                             .from = now};
    if (pause)
        subject_let_in(s, now % 2 ? now : now + 1);
}

/* The queue is full before or after this cycle's command: a request is not let in. */
static void subject_refuses(struct subject *s, const struct dram_request *r, bool after,
                            uint64_t now)
{
    struct dram_arrival a = {.request = *r, .now = now, .between = after, .from = now};
    subject_let_in(s, now + 1);
    assert_int_equal(dram_enter(s->dram, &a, 1, now + 1), 0);
}

/* One cycle, with a request that comes before or after it (NULL = none). */
static void subject_cycle(struct subject *s, const struct dram_request *before,
                          const struct dram_request *after, bool pause, uint64_t now)
{
    bool late = s->way == LATE;
    if (s->way == TOGETHER) {
        subject_collect(s, before, after, pause, now);
        return;
    }
    if (late && (before || after || pause))
        subject_catch_up(s, after ? now + 1 : now);
    if (before) {
        assert_true(dram_has_room(s->dram));
        dram_push(s->dram, before, now);
    }
    if (!late)
        subject_tick(s, now);
    if (after) {
        assert_true(dram_has_room(s->dram));
        dram_push(s->dram, after, now);
    }
}

static void compare_commands(const struct naive *m, const struct subject *s)
{
    for (uint32_t i = 0; i < m->n_history && i < s->log.n; i++) {
        const struct dram_command *a = &m->history[i], *b = &s->log.items[i];
        assert_int_equal(a->at, b->at);
        assert_int_equal(a->kind, b->kind);
        assert_int_equal(a->bank, b->bank);
        assert_int_equal(a->row, b->row);
        assert_int_equal(a->tag, b->tag);
    }
    assert_int_equal(m->n_history, s->log.n);
}

static int by_time_and_tag(const void *a, const void *b)
{
    const struct completion *x = a, *y = b;
    if (x->at != y->at)
        return x->at < y->at ? -1 : 1;
    return x->tag < y->tag ? -1 : x->tag > y->tag;
}

static void compare_results(struct naive *m, struct subject *s)
{
    struct strbuf why = {0};
    qsort(m->done, m->n_done, sizeof m->done[0], by_time_and_tag);
    qsort(s->done, s->n_done, sizeof s->done[0], by_time_and_tag);
    assert_int_equal(m->n_done, s->n_done);
    assert_memory_equal(m->done, s->done, m->n_done * sizeof m->done[0]);
    assert_memory_equal(&m->stats, dram_stats(s->dram), sizeof m->stats);
    assert_true(dram_is_idle(s->dram));
    assert_true(dram_stats_check(dram_stats(s->dram), &why));
    assert_string_equal(strbuf_text(&why), "");
}

/* One machine, one stretch of traffic, followed until everything is done. */
static void compare_once(uint64_t seed)
{
    struct dram_config c = random_config(&seed);
    struct traffic t = {.n_rows = 1 + below(&seed, 4),
                        .n_banks = 1 + below(&seed, c.n_banks),
                        .per_mille = 1 + below(&seed, below(&seed, 2) ? 1000 : 50),
                        .percent_writes = below(&seed, 2) ? below(&seed, 101) : 0};
    static struct naive m;
    static struct subject subjects[N_WAYS];
    m = (struct naive){.c = c};
    for (int i = 0; i < N_WAYS; i++) {
        c.no_fast_paths = i == PLANNED_ANEW;
        subjects[i] = (struct subject){.dram = dram_create(&c), .way = (enum way)i};
        dram_observe(subjects[i].dram, log_command, &subjects[i].log);
    }
    uint64_t tag = 0;
    for (uint64_t now = 0, quiet = 0; now < N_CYCLES && quiet < LONGEST_GAP; now++) {
        quiet = m.n > 0 || now < PUSH_CYCLES ? 0 : quiet + 1;
        bool wanted = now < PUSH_CYCLES && tag < N_REQUESTS && below(&seed, 1000) < t.per_mille;
        bool before_tick = below(&seed, 2), push = false;
        struct dram_request r = random_request(&seed, &t, tag);
        for (int after = 0; after < 2; after++) {
            bool full = m.n == c.queue_entries;
            if (full && !push)
                subject_refuses(&subjects[TOGETHER], &r, after, now);
            if (wanted && before_tick == !after && !full) {
                naive_push(&m, &r, now);
                push = true;
            }
            if (!after)
                naive_tick(&m, now);
        }
        tag += push;
        bool pause = now % 37 == 0;
        for (int i = 0; i < N_WAYS; i++)
            subject_cycle(&subjects[i], push && before_tick ? &r : NULL,
                          push && !before_tick ? &r : NULL, pause, now);
    }
    subject_catch_up(&subjects[LATE], N_CYCLES);
    subject_let_in(&subjects[TOGETHER], N_CYCLES);
    subject_catch_up(&subjects[TOGETHER], N_CYCLES);
    assert_int_equal(m.n, 0); /* else the stretch is too short to say anything */
    for (int i = 0; i < N_WAYS; i++) {
        compare_commands(&m, &subjects[i]);
        compare_results(&m, &subjects[i]);
        dram_destroy(subjects[i].dram);
    }
}

static void commands_equal_those_of_a_naive_channel(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 300; seed++)
        compare_once(seed * 7919);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(commands_equal_those_of_a_naive_channel),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
