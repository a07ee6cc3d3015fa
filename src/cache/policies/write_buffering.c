/* Write-buffering and read-bypassing (S1 section 4, Choi et al. 2012): L2 keeps what one launch
 * writes for the launch that reads it, and streams bypass it.
 *
 * Each line has a flag C. A store marked .cc sets C. When such a store allocates a line, it never
 * replaces a line with C; if every line of the set has C, the store bypasses. A load that hits a
 * line with C drops the line without a write-back: at the first hit (S1), or once all bytes that
 * were written have been read. A load marked .cp that misses bypasses. Everything else is LRU and
 * may replace a line with C, which is then written back.
 *
 * MODEL: bytes are counted as read from when C is set. A store that merges with a fetch sets C when
 * the data arrive. A load reads a line with C whether it hits, merges with a fetch or fetches
 * sectors that the line lacks. A line that waits for data is dropped when all of them have arrived.
 * MODEL: `demote` is Heddle's own: the line stays, dirty and without C, as the first victim of its
 * set. */
#include "cache/cache_policy.h"

enum drop { DROP_ALL_READ, DROP_FIRST_HIT, DROP_DEMOTE };
static const char *const drop_names[] = {"all_read", "first_hit", "demote", NULL};

struct write_buffering_params {
    uint32_t drop; /* enum drop */
    bool mark_stores, mark_loads;
};

static const struct param write_buffering_params[] = {
    PARAM_ENUM(struct write_buffering_params, drop, "all_read", drop_names,
               "when a line with C is dropped: once all written bytes have been read, at the first "
               "hit (as in S1), or never (demote: it loses C and becomes the next victim)"),
    PARAM_BOOL(struct write_buffering_params, mark_stores, "false",
               "every store to global memory counts as st.global.cc"),
    PARAM_BOOL(struct write_buffering_params, mark_loads, "false",
               "every load from global memory counts as ld.global.cp"),
};

struct write_buffering_stats {
    uint64_t buffered, store_bypasses, load_bypasses, dropped, demoted, evicted;
};

static const struct plugin_stat write_buffering_stats[] = {
    STAT_COUNT(struct write_buffering_stats, buffered, "lines", "lines that got the flag C"),
    STAT_COUNT(struct write_buffering_stats, store_bypasses, "accesses",
               "marked stores that bypassed because every line of the set had C"),
    STAT_COUNT(struct write_buffering_stats, load_bypasses, "accesses",
               "marked loads that missed and bypassed"),
    STAT_COUNT(struct write_buffering_stats, dropped, "lines",
               "lines with C that were dropped when they were read, without a write-back"),
    STAT_COUNT(struct write_buffering_stats, demoted, "lines",
               "lines with C that became the next victim of their set when they were read"),
    STAT_COUNT(struct write_buffering_stats, evicted, "lines",
               "lines with C that an unmarked access replaced, written back"),
};

struct byte_mask {
    uint64_t half[2];
};

struct buffered_line {
    struct byte_mask written; /* all dirty bytes */
    struct byte_mask read;    /* since C was set, except bytes stored since */
    uint64_t demoted;         /* order of its demotion if not used since; else 0 */
    bool c, c_at_fill;
    bool spent; /* to be dropped as soon as it waits for no data */
};

struct write_buffering {
    uint64_t n_demotions;
};

static size_t write_buffering_state_bytes(const struct cache_geometry *g, const void *params)
{
    (void)g, (void)params;
    return sizeof(struct write_buffering);
}

static const struct write_buffering_params *params_of(const struct cache_policy *p)
{
    return p->params;
}

static struct write_buffering_stats *stats_of(struct cache_policy *p)
{
    return p->stats;
}

static struct buffered_line *line_at(const struct cache_set *s, uint32_t way)
{
    return s->line_state[way];
}

static void add_bytes(struct byte_mask *m, const struct mem_access *a)
{
    m->half[0] |= a->byte_mask[0];
    m->half[1] |= a->byte_mask[1];
}

static bool is_all_read(const struct buffered_line *l)
{
    return !(l->written.half[0] & ~l->read.half[0]) && !(l->written.half[1] & ~l->read.half[1]);
}

/* An atomic acts as an unmarked store. If an SM performs it, L2 sees a load of its data, which does
 * not count as a read by the program, and a store of the result. */
static bool is_marked_store(const struct cache_policy *p, const struct mem_access *a)
{
    return a->kind == MEM_STORE && a->space == MEM_GLOBAL && !a->for_atomic &&
           (a->op == MEM_OP_CC || params_of(p)->mark_stores);
}

static bool is_marked_load(const struct cache_policy *p, const struct mem_access *a)
{
    return a->kind == MEM_LOAD && a->space == MEM_GLOBAL && !a->for_atomic &&
           (a->op == MEM_OP_CP || params_of(p)->mark_loads);
}

/* Demoted lines are older than all others; the last demoted is the oldest. */
static bool is_older(const struct cache_set *s, uint32_t way, uint32_t than)
{
    uint64_t a = line_at(s, way)->demoted, b = line_at(s, than)->demoted;
    return a != b ? a > b : s->last_use[way] < s->last_use[than];
}

/* The oldest line that is not reserved; `without_c`: only among lines without C. */
static int oldest(const struct cache_set *s, bool without_c)
{
    int found = CACHE_STALL;
    for (uint64_t rest = s->occupied & ~s->reserved; rest; rest &= rest - 1) {
        uint32_t way = (uint32_t)__builtin_ctzll(rest);
        if (without_c && line_at(s, way)->c)
            continue;
        if (found < 0 || is_older(s, way, (uint32_t)found))
            found = (int)way;
    }
    return found;
}

static bool all_have_c(const struct cache_set *s)
{
    bool all = s->occupied == cache_set_ways(s);
    for (uint32_t way = 0; all && way < s->n_ways; way++)
        all = line_at(s, way)->c;
    return all;
}

static int write_buffering_decide(const struct cache_policy *p, const struct cache_set *s,
                                  const struct mem_access *a)
{
    if (is_marked_load(p, a))
        return CACHE_BYPASS;
    if (!is_marked_store(p, a))
        return oldest(s, false);
    return all_have_c(s) ? CACHE_BYPASS : oldest(s, true);
}

static void set_c(struct cache_policy *p, struct buffered_line *l)
{
    stats_of(p)->buffered += !l->c;
    if (!l->c)
        l->read = (struct byte_mask){{0}};
    l->c = true;
    l->c_at_fill = false;
}

static void demote(struct cache_policy *p, struct buffered_line *l)
{
    struct write_buffering *state = p->state;
    l->c = false;
    l->demoted = ++state->n_demotions;
    stats_of(p)->demoted++;
}

/* Notes that a load uses the line and reads bytes of it. */
static void read_line(struct cache_policy *p, struct buffered_line *l, const struct mem_access *a,
                      bool is_hit)
{
    enum drop drop = (enum drop)params_of(p)->drop;
    l->demoted = 0;
    if (!l->c || a->for_atomic)
        return;
    add_bytes(&l->read, a);
    if (drop == DROP_FIRST_HIT ? !is_hit : !is_all_read(l))
        return;
    if (drop == DROP_DEMOTE)
        demote(p, l);
    else
        l->spent = true;
}

static void write_buffering_on_hit(struct cache_policy *p, const struct cache_set *s, uint32_t way,
                                   const struct mem_access *a)
{
    read_line(p, line_at(s, way), a, true);
}

static void write_buffering_on_merge(struct cache_policy *p, const struct cache_set *s,
                                     uint32_t way, const struct mem_access *a)
{
    if (way < s->n_ways)
        read_line(p, line_at(s, way), a, false);
}

static void write_buffering_on_miss(struct cache_policy *p, const struct cache_set *s, int way,
                                    const struct mem_access *a)
{
    if (way >= 0)
        read_line(p, line_at(s, (uint32_t)way), a, false);
}

static enum cache_line_action write_buffering_fill_action(const struct cache_policy *p,
                                                          const struct cache_set *s, uint32_t way)
{
    (void)p;
    return line_at(s, way)->spent ? LINE_DROP : LINE_KEEP;
}

static enum cache_line_action write_buffering_hit_action(const struct cache_policy *p,
                                                         const struct cache_set *s, uint32_t way,
                                                         const struct mem_access *a)
{
    (void)a;
    return write_buffering_fill_action(p, s, way);
}

static void write_buffering_on_bypass(struct cache_policy *p, const struct cache_set *s,
                                      const struct mem_access *a, enum cache_bypass_reason reason)
{
    (void)s, (void)reason;
    *(a->kind == MEM_LOAD ? &stats_of(p)->load_bypasses : &stats_of(p)->store_bypasses) += 1;
}

static void store_bytes(struct buffered_line *l, const struct mem_access *a)
{
    add_bytes(&l->written, a);
    l->read.half[0] &= ~a->byte_mask[0];
    l->read.half[1] &= ~a->byte_mask[1];
    l->demoted = 0;
    l->spent = false;
}

/* Does nothing unless the line is present or in flight. */
static void write_buffering_on_store(struct cache_policy *p, const struct cache_set *s, int way,
                                     const struct mem_access *a)
{
    if (way < 0)
        return;
    struct buffered_line *l = line_at(s, (uint32_t)way);
    store_bytes(l, a);
    if (!is_marked_store(p, a))
        return;
    if (s->reserved >> way & 1)
        l->c_at_fill = !l->c;
    else
        set_c(p, l);
}

static void write_buffering_on_reserve(struct cache_policy *p, const struct cache_set *s,
                                       uint32_t way, const struct mem_access *a)
{
    struct buffered_line *l = line_at(s, way);
    *l = (struct buffered_line){0};
    if (a->kind == MEM_STORE || a->kind == MEM_ATOMIC)
        store_bytes(l, a);
    if (is_marked_store(p, a))
        set_c(p, l);
}

static void write_buffering_on_fill(struct cache_policy *p, const struct cache_set *s, uint32_t way,
                                    uint64_t cycle)
{
    (void)cycle;
    if (line_at(s, way)->c_at_fill)
        set_c(p, line_at(s, way));
}

static void write_buffering_on_evict(struct cache_policy *p, const struct cache_set *s,
                                     uint32_t way, enum cache_evict_cause cause,
                                     const struct mem_access *a)
{
    (void)a;
    struct buffered_line *l = line_at(s, way);
    if (l->c && cause == EVICT_REPLACE)
        stats_of(p)->evicted++;
    if (l->c && cause == EVICT_INVALIDATE)
        stats_of(p)->dropped++;
    l->c = l->c_at_fill = l->spent = false;
}

/* C needs a bit per line; the other modes also need masks of the bytes written and read. */
static uint64_t write_buffering_cost_bits(const struct cache_geometry *g, const void *params,
                                          struct strbuf *parts)
{
    const struct write_buffering_params *v = params;
    uint64_t n_lines = (uint64_t)g->n_sets * g->n_ways;
    uint64_t bits = plugin_cost(parts, "flag C of each line", n_lines);
    if (v->drop != DROP_FIRST_HIT)
        bits +=
            plugin_cost(parts, "bytes of each line written and read", n_lines * 2 * g->line_bytes);
    return bits;
}

static bool write_buffering_check(const struct cache_geometry *g, const void *params,
                                  struct strbuf *why)
{
    (void)params;
    if (!g->write_back)
        strbuf_add(why, "write_buffering is for a cache that keeps what is stored (write-back, "
                        "write-allocate), as L2 does");
    else if (g->allocate_on_fill)
        strbuf_add(why, "write_buffering marks lines as stores reserve them; it cannot work where "
                        "lines are allocated on fill");
    else if (g->line_bytes > 128)
        strbuf_addf(why, "write_buffering counts the bytes of lines of up to 128; these have %u",
                    g->line_bytes);
    else
        return true;
    return false;
}

const struct cache_policy_desc cache_policy_write_buffering = {
    .abi_version = CACHE_POLICY_ABI,
    .struct_size = sizeof(struct cache_policy_desc),
    .name = "write_buffering",
    .summary =
        "L2 only: keeps lines of marked stores until read; marked loads bypass; otherwise LRU",
    .citation = "H. Choi, J. Ahn, W. Sung: Reducing off-chip memory traffic by selective cache "
                "management scheme in GPGPUs. GPGPU-5, 2012",
    .params = write_buffering_params,
    .n_params = sizeof write_buffering_params / sizeof write_buffering_params[0],
    .params_bytes = sizeof(struct write_buffering_params),
    PLUGIN_STATS(write_buffering_stats, struct write_buffering_stats),
    .wants_bytes = true,
    .l2_only = true,
    .check = write_buffering_check,
    .state_bytes = write_buffering_state_bytes,
    .line_state_bytes = sizeof(struct buffered_line),
    .cost_bits = write_buffering_cost_bits,
    .decide = write_buffering_decide,
    .on_hit = write_buffering_on_hit,
    .on_merge = write_buffering_on_merge,
    .on_miss = write_buffering_on_miss,
    .on_bypass = write_buffering_on_bypass,
    .on_reserve = write_buffering_on_reserve,
    .on_fill = write_buffering_on_fill,
    .on_evict = write_buffering_on_evict,
    .hit_action = write_buffering_hit_action,
    .fill_action = write_buffering_fill_action,
    .on_store = write_buffering_on_store,
};
