/* Accesses of all SMs through one write-back cache, as an L2 sees them. The cache is the timing
 * model's own, and every fill is immediate. A store that covers its line, or all the sectors it
 * touches, fetches nothing.
 *
 * Memory requests are counted in units of at most a line, as are requests that read bytes that the
 * policy had dropped (cache/lost_bytes.h). */
#include <assert.h>
#include <stdlib.h>

#include "analysis/lab_player.h"
#include "cache/lost_bytes.h"

struct l2_player {
    struct cache *cache;
    struct lab_bytes line; /* a whole one */
    uint32_t line_bytes, sector_bytes;
    bool flush_at_end;
    struct lost_bytes lost;
    uint64_t victim; /* replaced by the current access */
    struct lab_result result;
    struct mem_access access; /* the current one; most of it never changes */
};

static void note_eviction(void *player, const struct cache_event_info *e)
{
    struct l2_player *p = player;
    if (e->cause == EVICT_REPLACE)
        p->victim = e->line->line;
    if (e->cause == EVICT_INVALIDATE) /* the policy drops it */
        lost_dropped(&p->lost, e->line->line);
}

static void *l2_create(const struct lab_config *config, uint32_t n_sms, const uint64_t *next_uses)
{
    (void)n_sms, (void)next_uses;
    struct l2_player *p = xcalloc(1, sizeof *p);
    struct cache_config shape = lab_cache_config(config);
    p->cache = cache_create(&shape, config->policy, config->params, 0, 0);
    cache_observe_some(p->cache, 1u << CE_EVICT, note_eviction, p);
    p->line = lab_line_bytes(config->line_bytes);
    p->line_bytes = shape.line_bytes;
    p->sector_bytes = shape.sector_bytes;
    p->flush_at_end = config->flush_at_end;
    p->access = (struct mem_access){.space = MEM_GLOBAL};
    return p;
}

/* All bytes of these sectors. */
static struct lab_bytes bytes_of(const struct l2_player *p, uint32_t sectors)
{
    struct lab_bytes all = {{0, 0}};
    if (p->sector_bytes == p->line_bytes)
        return p->line;
    for (uint32_t byte = 0; byte < p->line_bytes; byte++)
        if (sectors >> byte / p->sector_bytes & 1)
            all.mask[byte / 64] |= 1ull << byte % 64;
    return all;
}

/* The sectors that contain some of the bytes. */
static uint32_t sectors_of(const struct l2_player *p, const uint64_t bytes[2])
{
    uint32_t sectors = 0;
    if (p->sector_bytes == p->line_bytes)
        return 1;
    for (uint32_t byte = 0; byte < p->line_bytes; byte++)
        if (bytes[byte / 64] >> byte % 64 & 1)
            sectors |= 1u << byte / p->sector_bytes;
    return sectors;
}

static void take_access(struct l2_player *p, const struct lab_batch *b, uint32_t i)
{
    const struct lab_access *from = &b->items[i];
    struct mem_access *a = &p->access;
    a->id = b->position + i;
    a->cycle = from->cycle;
    a->pc = from->pc;
    a->address = from->address;
    a->line = b->lines[i];
    a->set = b->sets[i];
    a->kind = from->kind == LAB_STORE ? MEM_STORE : MEM_LOAD;
    a->op = from->op;
    a->source = from->sm;
    for (int h = 0; h < 2; h++)
        a->byte_mask[h] = b->bytes[i].mask[h] & p->line.mask[h];
    a->sector_mask = sectors_of(p, a->byte_mask);
}

static void read_memory(struct l2_player *p, const uint64_t bytes[2])
{
    p->result.dram_reads++;
    p->result.stale_reads += lost_is_read(&p->lost, p->access.line, bytes);
}

static void write_back(struct l2_player *p, uint64_t line)
{
    p->result.dram_writes++;
    lost_written_back(&p->lost, line);
}

/* For an access that fetches. If its own line is dropped, that line is the victim. */
static void fill(struct l2_player *p, struct cache_result r)
{
    if (!cache_fill(p->cache, r.mshr, p->access.cycle).kept)
        p->victim = p->access.line;
}

static const struct cache_resources no_limit = {
    .miss_queue = true, .port = true, .bypass_table = true};

static struct cache_result load(struct l2_player *p, enum lab_decision *decision)
{
    const struct mem_access *a = &p->access;
    struct cache_result r = cache_load(p->cache, a, no_limit, NULL);
    *decision = r.answer == CACHE_BYPASSED ? LAB_BYPASS
                : r.answer == CACHE_MISS   ? LAB_MISS
                : r.dropped                ? LAB_DROP
                                           : LAB_HIT;
    if (*decision == LAB_BYPASS)
        read_memory(p, a->byte_mask);
    if (*decision == LAB_MISS) {
        read_memory(p, bytes_of(p, r.fetch_sectors).mask);
        fill(p, r);
    }
    return r;
}

/* A full-line store that misses is answered like a hit: nothing is fetched. */
static struct cache_result store(struct l2_player *p, enum lab_decision *decision)
{
    const struct mem_access *a = &p->access;
    uint64_t hits = cache_stats(p->cache)->store_hits;
    struct cache_result r = cache_store(p->cache, a, no_limit, NULL);
    bool is_hit = cache_stats(p->cache)->store_hits > hits;
    *decision = r.answer == CACHE_BYPASSED ? LAB_BYPASS : is_hit ? LAB_HIT : LAB_MISS;
    if (r.answer == CACHE_MISS) {
        struct lab_bytes others = bytes_of(p, r.fetch_sectors);
        for (int h = 0; h < 2; h++)
            others.mask[h] &= ~a->byte_mask[h];
        read_memory(p, others.mask);
        fill(p, r);
    }
    if (*decision == LAB_BYPASS)
        p->result.dram_writes++;
    lost_stored(&p->lost, a->line, a->line, a->byte_mask, *decision != LAB_BYPASS);
    return r;
}

static void l2_play(void *player, const struct lab_batch *b, struct lab_log *log)
{
    struct l2_player *p = player;
    for (uint32_t i = 0; i < b->n; i++) {
        enum lab_decision decision;
        take_access(p, b, i);
        p->victim = LAB_NO_VICTIM;
        struct cache_result r = (p->access.kind == MEM_STORE ? store : load)(p, &decision);
        assert(r.answer != CACHE_STALLED && r.answer != CACHE_MERGE); /* nothing is in flight */
        if (r.writeback)
            write_back(p, p->victim);
        if (log)
            lab_log_access(log, b->index + i, decision, p->victim, r.writeback);
    }
}

static void flush_line(void *player, uint64_t line, uint32_t sectors)
{
    (void)sectors;
    write_back(player, line);
}

static void l2_finish(void *player, struct lab_result *out)
{
    struct l2_player *p = player;
    if (p->flush_at_end)
        cache_flush(p->cache, flush_line, p);
    p->result.stats = *cache_stats(p->cache);
    cache_lru_differences(p->cache, &p->result.n_differences, &p->result.first_difference);
    *out = p->result;
    cache_destroy(p->cache);
    lost_destroy(&p->lost);
    free(p);
}

const struct lab_player lab_player_l2 = {l2_create, l2_play, l2_finish};
