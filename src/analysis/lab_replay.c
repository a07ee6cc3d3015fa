/* The pass over the stream: feeds batches to players, each of which has the caches of all SMs. What
 * several players need is computed once: the sets of lines, and the future. */
#include "analysis/lab_replay.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/lab_ahead.h"
#include "analysis/lab_belady.h"
#include "analysis/lab_player.h"
#include "cache/set_index.h"

enum { LOG_CHUNK_BYTES = 1 << 16 };

const char *const lab_oracle_names[] = {"belady", "belady_bypass", NULL};

const struct cache_policy_desc *lab_policy_find(const char *name)
{
    if (strcmp(name, lab_policy_belady.name) == 0)
        return &lab_policy_belady;
    if (strcmp(name, lab_policy_belady_bypass.name) == 0)
        return &lab_policy_belady_bypass;
    return cache_policy_find(name);
}

bool lab_policy_knows_the_future(const struct cache_policy_desc *policy)
{
    return policy == &lab_policy_belady || policy == &lab_policy_belady_bypass;
}

/* The last byte of the address space, with one-byte lines, would be mistaken for an empty way. */
static bool asks_for_the_last_byte(const struct lab_stream *s)
{
    size_t i = 0;
    while (i < s->n && s->items[i].address != UINT64_MAX)
        i++;
    return i < s->n;
}

struct cache_config lab_cache_config(const struct lab_config *c)
{
    return (struct cache_config){.n_sets = c->n_sets,
                                 .n_ways = c->n_ways,
                                 .line_bytes = c->line_bytes,
                                 .sector_bytes = c->sector_bytes ? c->sector_bytes : c->line_bytes,
                                 .index = c->index,
                                 .n_mshrs = 1,
                                 .mshr_merges = 1,
                                 .write_back = c->write_back || c->is_shared,
                                 .write_allocate = c->write_back || c->is_shared,
                                 .n_apps = c->is_shared ? c->n_apps : 0,
                                 .policy = c->policy->name};
}

/* Is the resolution of the accesses sufficient for lines of that size? Of a recorded access only
 * the line and its first byte are known; it may touch several shorter lines. */
static bool can_have_lines(const struct lab_stream *s, uint32_t line_bytes, struct strbuf *why)
{
    bool is_recorded = s->gpu;
    if (s->has_objects && line_bytes != 1)
        strbuf_addf(why,
                    "an object is a line, whatever its size: lines of %u bytes would hold several "
                    "objects; leave --line out",
                    line_bytes);
    else if (is_recorded && line_bytes < s->line_bytes)
        strbuf_addf(why,
                    "lines of %u bytes are shorter than the recorded ones of %u: only the first "
                    "byte of an access is recorded, not how many shorter lines it touches; record "
                    "a run on a GPU whose L1D has such lines",
                    line_bytes, s->line_bytes);
    else
        return true;
    return false;
}

/* The line number in the text is no longer known; the index of the access is. */
static bool bytes_are_in_lines(const struct lab_stream *s, uint32_t line_bytes, struct strbuf *why)
{
    struct lab_bytes line = lab_line_bytes(line_bytes), all = lab_line_bytes(LAB_MAX_LINE);
    for (size_t i = 0; i < s->n; i++) {
        const uint64_t *m = s->bytes[i].mask;
        bool is_all = m[0] == all.mask[0] && m[1] == all.mask[1];
        if (!is_all && ((m[0] & ~line.mask[0]) || (m[1] & ~line.mask[1]))) {
            strbuf_addf(why, "access %zu requests bytes outside a line of %u bytes", i, line_bytes);
            return false;
        }
    }
    return true;
}

/* As an L2 sees them. */
static bool can_be_kept(const struct lab_stream *s, const struct lab_config *c, struct strbuf *why)
{
    if (!s->tells_bytes)
        strbuf_add(why, "--stores write_back needs to know the bytes of each access; only --format "
                        "text has them");
    else if (c->line_bytes > LAB_MAX_LINE)
        strbuf_addf(why, "--stores write_back: lines may have at most %u bytes", LAB_MAX_LINE);
    else if (lab_policy_knows_the_future(c->policy))
        strbuf_addf(
            why,
            "--stores write_back: %s handles loads only; it does not support stores that allocate",
            c->policy->name);
    else
        return bytes_are_in_lines(s, c->line_bytes, why);
    return false;
}

/* As a last-level cache sees them. */
static bool can_be_shared(const struct lab_stream *s, const struct lab_config *c,
                          struct strbuf *why)
{
    if (!s->tells_bytes)
        strbuf_add(
            why,
            "--shared needs to know the application of each access; only --format text has it");
    else if (lab_policy_knows_the_future(c->policy))
        strbuf_addf(why, "--shared: %s does not support stores that allocate", c->policy->name);
    else
        return true;
    return false;
}

bool lab_config_check(const struct lab_config *c, const struct lab_stream *s, struct strbuf *why)
{
    struct cache_config cache = lab_cache_config(c);
    if (c->line_bytes == 1 && (s->reader || asks_for_the_last_byte(s))) {
        strbuf_add(why, "lines of one byte cannot hold the address 0xffffffffffffffff");
        return false;
    }
    return cache_config_check(&cache, c->policy, c->params, why) &&
           can_have_lines(s, c->line_bytes, why) && (!c->write_back || can_be_kept(s, c, why)) &&
           (!c->is_shared || can_be_shared(s, c, why));
}

void lab_config_remark(const struct lab_config *c, struct strbuf *out)
{
    struct cache_config cache = lab_cache_config(c);
    cache_policy_remark(&cache, c->policy, c->params, out);
}

/* --- the log --- */

static void write_log(struct lab_log *log)
{
    if (!log->failed && log->lines.len)
        log->failed = !log->sink->write(log->sink->user, log->lines.text, log->lines.len);
    strbuf_clear(&log->lines);
}

static void log_decision(struct lab_log *log, uint64_t index, enum lab_decision decision,
                         uint64_t victim)
{
    static const char *const words[] = {"hit", "miss", "bypass", "drop"};
    strbuf_addf(&log->lines, "%" PRIu64 ",%s,", index, words[decision]);
    if (victim != LAB_NO_VICTIM)
        strbuf_addf(&log->lines, "0x%" PRIx64, victim);
}

static void end_log_line(struct lab_log *log)
{
    strbuf_add_char(&log->lines, '\n');
    if (log->lines.len >= LOG_CHUNK_BYTES)
        write_log(log);
}

void lab_log_load(struct lab_log *log, uint64_t index, enum lab_decision decision, uint64_t victim)
{
    log_decision(log, index, decision, victim);
    end_log_line(log);
}

void lab_log_access(struct lab_log *log, uint64_t index, enum lab_decision decision,
                    uint64_t victim, bool writeback)
{
    log_decision(log, index, decision, victim);
    strbuf_add(&log->lines, writeback ? ",1" : ",0");
    end_log_line(log);
}

void lab_log_finish(struct lab_log *log)
{
    write_log(log);
    strbuf_destroy(&log->lines);
}

/* --- the pass --- */

struct replay {
    struct lab_job *job;
    const struct lab_player *player;
    void *state;
    struct set_indexer indexer;
    struct lab_log log;
};

/* The future, shared by all players with lines of that size. */
struct future {
    uint32_t line_bytes, stores_keep;
    uint64_t *next_uses;
};

struct futures {
    struct future *items;
    uint32_t n, cap;
};

static const uint64_t *foretell(struct futures *f, const struct lab_stream *s,
                                const struct lab_config *c)
{
    for (uint32_t i = 0; i < f->n; i++)
        if (f->items[i].line_bytes == c->line_bytes && f->items[i].stores_keep == c->stores_keep)
            return f->items[i].next_uses;
    ARRAY_RESERVE(f->items, f->cap, f->n + 1);
    struct future *new = &f->items[f->n++];
    *new = (struct future){c->line_bytes, c->stores_keep,
                           lab_next_uses(s, c->line_bytes, c->stores_keep)};
    return new->next_uses;
}

/* Only hits and misses are wanted, no events. */
static bool is_plain_lru(const struct lab_config *c)
{
    return c->policy == cache_policy_find("lru") && !c->sector_bytes && !c->write_back &&
           !c->is_shared;
}

void lab_result_destroy(struct lab_result *result)
{
    if (result->shared)
        free(result->shared->periods);
    free(result->shared);
}

static void begin(struct replay *r, struct lab_job *job, const struct lab_stream *s,
                  struct futures *futures)
{
    const struct lab_config *c = &job->config;
    bool is_lru = is_plain_lru(c);
    bool is_oracle = lab_policy_knows_the_future(c->policy);
    assert(!is_oracle || !s->reader);
    job->result = (struct lab_result){.first_difference = UINT64_MAX};
    *r = (struct replay){.job = job, .log.sink = job->log};
    r->indexer = set_indexer_make(c->n_sets, c->line_bytes, c->index);
    r->player = c->is_shared    ? &lab_player_shared
                : c->write_back ? &lab_player_l2
                : is_lru        ? &lab_player_lru
                                : &lab_player_policy;
    r->state = r->player->create(c, s->n_sms, is_oracle ? foretell(futures, s, c) : NULL);
}

static void locate(struct lab_batch *b, const struct replay *r)
{
    uint64_t mask = ~(uint64_t)(r->job->config.line_bytes - 1);
    for (uint32_t i = 0; i < b->n && b->items; i++)
        b->lines[i] = b->items[i].address & mask;
    for (uint32_t i = 0; i < b->n && !b->items; i++)
        b->lines[i] = (b->line_numbers[i] * b->line_bytes + b->offsets[i]) & mask;
    set_index_many(&r->indexer, b->lines, b->n, b->sets);
}

static bool lie_alike(const struct replay *x, const struct replay *y)
{
    return x->indexer.kind == y->indexer.kind && x->indexer.n_sets == y->indexer.n_sets &&
           x->indexer.line_shift == y->indexer.line_shift;
}

static void play(struct replay *replays, uint32_t n, struct lab_batch *b)
{
    for (uint32_t i = 0; i < n; i++) {
        struct replay *r = &replays[i];
        if (i == 0 || !lie_alike(r, r - 1))
            locate(b, r);
        r->player->play(r->state, b, r->log.sink ? &r->log : NULL);
    }
}

/* Flushes are not numbered. */
static uint32_t count_flushes(const struct lab_batch *b)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < b->n; i++)
        n += lab_kind_of(b->firsts[i]) == LAB_FLUSH;
    return n;
}

/* Counts loads and stores, to check the players' counts of outcomes against them. */
static void count_kinds(struct lab_batch *b, uint64_t *n_loads, uint64_t *n_stores)
{
    uint32_t loads = 0, stores = 0, flushes = 0;
    for (uint32_t i = 0; i < b->n; i++) {
        loads += b->items[i].kind == LAB_LOAD;
        stores += b->items[i].kind == LAB_STORE;
        flushes += b->items[i].kind == LAB_FLUSH;
    }
    *n_loads += loads;
    *n_stores += stores;
    b->index += b->n - flushes;
}

/* The state of the pass, which goes batch by batch. */
struct pass {
    struct replay *replays;
    uint32_t n;
    struct futures futures;
    bool counts_insts; /* some policy counts instructions */
    struct lab_batch batch;
    uint64_t n_loads, n_stores;
};

static struct pass *pass_begin(const struct lab_stream *s, struct lab_job *jobs, uint32_t n)
{
    struct pass *p = xcalloc(1, sizeof *p);
    p->replays = xcalloc(n ? n : 1, sizeof *p->replays);
    p->n = n;
    p->batch.line_bytes = s->line_bytes;
    for (uint32_t i = 0; i < n; i++) {
        begin(&p->replays[i], &jobs[i], s, &p->futures);
        p->counts_insts = p->counts_insts || jobs[i].config.policy->on_insts;
    }
    return p;
}

static uint64_t count_first_bytes(const struct l1d_table *t, uint8_t kind)
{
    uint64_t n = 0;
    for (uint32_t byte = 0; byte < 256; byte++)
        n += (byte & L1D_KIND_MASK) == kind ? t->n_of[byte] : 0;
    return n;
}

/* A block as it is in a recording. */
static void pass_feed_block(struct pass *p, const struct l1d_table *t, uint32_t sm)
{
    struct lab_batch *b = &p->batch;
    uint64_t *const *c = t->columns;
    bool has_flushes = t->n_of[L1D_FLUSH] || t->n_of[L1D_RESIZE];
    if (!t->n)
        return;
    b->items = NULL;
    b->sm = sm;
    for (uint32_t at = 0; at < t->n; at += b->n) {
        b->n = t->n - at < LAB_BATCH ? t->n - at : LAB_BATCH;
        b->firsts = t->kinds + at;
        b->line_numbers = c[L1D_LINE] + at;
        b->offsets = c[L1D_OFFSET] + at;
        b->warps = c[L1D_WARP] + at;
        b->threads = c[L1D_THREAD] + at;
        play(p->replays, p->n, b);
        b->index += b->n - (has_flushes ? count_flushes(b) : 0);
        b->position += b->n;
    }
    p->n_loads += count_first_bytes(t, L1D_LOAD);
    p->n_stores += count_first_bytes(t, L1D_STORE);
}

/* The instructions before the batch's accesses, or after the last of them. */
static void take_insts(struct lab_batch *b, const struct lab_stream *s, size_t at)
{
    b->insts = s->insts;
    b->first_insts = at ? b->end_insts : 0;
    b->end_insts = b->first_insts;
    while (b->end_insts < s->n_insts && s->insts[b->end_insts].before <= at + b->n)
        b->end_insts++;
    b->place = at;
}

/* The part of the stream that is in memory. */
static void pass_feed(struct pass *p, const struct lab_stream *s)
{
    struct lab_batch *b = &p->batch;
    pass_feed_block(p, &s->block, s->block_sm);
    for (size_t at = 0; at < s->n; at += b->n) {
        b->items = s->items + at;
        b->criticality = s->has_criticality ? s->criticality + at : NULL;
        b->bytes = s->tells_bytes ? s->bytes + at : NULL;
        b->n = (uint32_t)(s->n - at < LAB_BATCH ? s->n - at : LAB_BATCH);
        if (p->counts_insts)
            take_insts(b, s, at);
        play(p->replays, p->n, b);
        count_kinds(b, &p->n_loads, &p->n_stores);
        b->position += b->n;
    }
}

static bool pass_finish(struct pass *p)
{
    bool ok = true;
    for (uint32_t i = 0; i < p->n; i++) {
        struct replay *r = &p->replays[i];
        r->player->finish(r->state, &r->job->result);
        r->job->result.stats.loads = p->n_loads;
        r->job->result.stats.stores = p->n_stores;
        lab_log_finish(&r->log);
        ok = ok && !r->log.failed;
    }
    for (uint32_t i = 0; i < p->futures.n; i++)
        free(p->futures.items[i].next_uses);
    free(p->futures.items);
    free(p->replays);
    free(p);
    return ok;
}

bool lab_replay_all(const struct lab_stream *s, struct lab_job *jobs, uint32_t n)
{
    struct pass *p = pass_begin(s, jobs, n);
    pass_feed(p, s);
    return pass_finish(p);
}

bool lab_replay_opened(struct lab_stream *s, struct lab_job *jobs, uint32_t n, struct strbuf *why)
{
    struct pass *p = pass_begin(s, jobs, n);
    bool is_plain = true;
    for (uint32_t i = 0; i < n; i++)
        is_plain = is_plain && is_plain_lru(&jobs[i].config);
    if (is_plain)
        lab_stream_spare(s);
    if (!p->counts_insts)
        lab_stream_skip_insts(s);
    pass_feed(p, s);
    struct lab_ahead *ahead = lab_ahead_begin(s);
    for (const struct lab_stream *more; (more = lab_ahead_next(ahead));)
        pass_feed(p, more);
    bool ok = lab_ahead_end(ahead, why);
    return pass_finish(p) && ok;
}

bool lab_replay(const struct lab_stream *s, const struct lab_config *config, const struct sink *log,
                struct lab_result *out)
{
    struct lab_job job = {.config = *config, .log = log};
    bool ok = lab_replay_all(s, &job, 1);
    *out = job.result;
    return ok;
}
