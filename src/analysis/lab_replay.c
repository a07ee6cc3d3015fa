/* Each access in the order of the stream, each SM in its own cache. */
#include "analysis/lab_replay.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/lab_belady.h"

enum { LOG_CHUNK_BYTES = 1 << 16 };

struct owner {
    uint64_t warp, thread;
};

/* The cache of one SM and who inserted its lines. */
struct lab_sm {
    struct cache *cache;
    struct owner *owners;
    struct lab_replayer *replayer;
};

struct lab_replayer {
    const struct lab_config *config;
    struct lab_sm *sms;
    uint64_t *next_uses; /* NULL unless the policy knows the future */
    const struct sink *log;
    struct strbuf lines; /* of the log, not yet written */
    bool log_failed;
    uint64_t n_accesses;
    bool has_victim;
    uint64_t victim; /* of the access at hand */
    struct lab_result *result;
};

const char *const lab_oracle_names[] = {"belady", "belady_bypass", NULL};

const struct cache_policy_desc *lab_policy_find(const char *name)
{
    if (strcmp(name, lab_policy_belady.name) == 0)
        return &lab_policy_belady;
    if (strcmp(name, lab_policy_belady_bypass.name) == 0)
        return &lab_policy_belady_bypass;
    return cache_policy_find(name);
}

static struct cache_config cache_config_of(const struct lab_config *c)
{
    return (struct cache_config){.n_sets = c->n_sets,
                                 .n_ways = c->n_ways,
                                 .line_bytes = c->line_bytes,
                                 .sector_bytes = c->line_bytes,
                                 .index = c->index,
                                 .n_mshrs = 1,
                                 .mshr_merges = 1,
                                 .policy = c->policy->name,
                                 .write_evict = !c->stores_keep};
}

bool lab_config_check(const struct lab_config *config, struct strbuf *why)
{
    struct cache_config c = cache_config_of(config);
    if (c.line_bytes == 1) { /* then the last address would be an empty way's tag */
        strbuf_add(why, "a line has at least two bytes");
        return false;
    }
    return cache_config_check(&c, config->policy, config->params, why);
}

static enum lab_locality locality_of(struct owner o, const struct mem_access *a)
{
    if (o.warp != a->warp_uid)
        return LAB_INTER_WARP;
    return o.thread == a->first_thread ? LAB_INTRA_THREAD : LAB_INTER_THREAD;
}

static void watch(void *user, const struct cache_event_info *e)
{
    struct lab_sm *sm = user;
    struct lab_replayer *r = sm->replayer;
    size_t place = (size_t)e->set * r->config->n_ways + e->way;
    if (e->event == CE_RESERVE) {
        sm->owners[place] = (struct owner){e->access->warp_uid, e->access->first_thread};
    } else if (e->event == CE_HIT) {
        r->result->localities[locality_of(sm->owners[place], e->access)]++;
    } else if (e->event == CE_EVICT && e->cause == EVICT_REPLACE) {
        r->has_victim = true;
        r->victim = e->line->line;
    }
}

/* The seed is what the machine gives that SM. */
static struct lab_sm *sm_of(struct lab_replayer *r, uint32_t index)
{
    struct lab_sm *sm = &r->sms[index];
    if (sm->cache)
        return sm;
    struct cache_config config = cache_config_of(r->config);
    sm->replayer = r;
    sm->cache = cache_create(&config, r->config->policy, r->config->params, 0, index + 1);
    sm->owners = xcalloc((size_t)config.n_sets * config.n_ways, sizeof *sm->owners);
    cache_observe(sm->cache, watch, sm);
    if (r->next_uses)
        lab_belady_foretell(cache_get_policy(sm->cache), r->next_uses);
    return sm;
}

static void write_log(struct lab_replayer *r)
{
    if (r->log && !r->log_failed && r->lines.len)
        r->log_failed = !r->log->write(r->log->user, r->lines.text, r->lines.len);
    strbuf_clear(&r->lines);
}

static void log_load(struct lab_replayer *r, enum cache_answer answer)
{
    const char *word = answer == CACHE_HIT ? "hit" : answer == CACHE_MISS ? "miss" : "bypass";
    strbuf_addf(&r->lines, "%" PRIu64 ",%s,", r->n_accesses, word);
    if (r->has_victim)
        strbuf_addf(&r->lines, "0x%" PRIx64, r->victim);
    strbuf_add_char(&r->lines, '\n');
    if (r->lines.len >= LOG_CHUNK_BYTES)
        write_log(r);
}

static void replay_load(struct lab_replayer *r, struct cache *c, const struct mem_access *a)
{
    static const struct cache_room plenty = {true, true, true};
    r->has_victim = false;
    struct cache_result got = cache_load(c, a, plenty, NULL);
    if (got.answer == CACHE_MISS) {
        void *waiter;
        cache_fill(c, got.mshr, a->cycle, &waiter, 1, NULL);
    }
    if (r->log)
        log_load(r, got.answer);
}

static void replay_access(struct lab_replayer *r, const struct lab_access *from, size_t position)
{
    struct cache *c = sm_of(r, from->sm)->cache;
    uint64_t line = from->address & ~(uint64_t)(r->config->line_bytes - 1);
    struct mem_access a = {.id = position,
                           .cycle = from->cycle,
                           .launch = from->launch,
                           .warp_uid = from->warp,
                           .first_thread = from->thread,
                           .pc = from->pc,
                           .address = from->address,
                           .line = line,
                           .set = cache_set_of(c, line),
                           .sector_mask = 1,
                           .kind = from->kind == LAB_STORE ? MEM_STORE : MEM_LOAD,
                           .space = MEM_GLOBAL,
                           .source = from->sm};
    if (from->kind == LAB_LOAD)
        replay_load(r, c, &a);
    else if (from->kind == LAB_STORE)
        cache_store(c, &a, (struct cache_room){true, true, true}, NULL);
    else
        cache_invalidate_line(c, line); /* an atomic passes */
    r->n_accesses++;
}

static void no_writeback(void *user, uint64_t line, uint32_t sectors)
{
    (void)user, (void)line, (void)sectors;
}

static void finish(struct lab_replayer *r, uint32_t n_sms)
{
    for (uint32_t i = 0; i < n_sms; i++) {
        if (r->sms[i].cache)
            cache_stats_add(&r->result->stats, cache_stats(r->sms[i].cache));
        cache_destroy(r->sms[i].cache);
        free(r->sms[i].owners);
    }
    write_log(r);
    strbuf_destroy(&r->lines);
    free(r->sms);
    free(r->next_uses);
}

bool lab_replay(const struct lab_stream *s, const struct lab_config *config, const struct sink *log,
                struct lab_result *out)
{
    *out = (struct lab_result){0};
    struct lab_replayer r = {.config = config, .log = log, .result = out};
    r.sms = xcalloc(s->n_sms ? s->n_sms : 1, sizeof *r.sms);
    if (config->policy == &lab_policy_belady || config->policy == &lab_policy_belady_bypass)
        r.next_uses = lab_next_uses(s, config->line_bytes, config->stores_keep);
    for (size_t i = 0; i < s->n; i++)
        if (s->items[i].kind == LAB_FLUSH)
            cache_flush(sm_of(&r, s->items[i].sm)->cache, no_writeback, NULL);
        else
            replay_access(&r, &s->items[i], i);
    finish(&r, s->n_sms);
    return !r.log_failed;
}
