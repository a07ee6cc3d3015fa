/* LRU without events, for speed. A set is a row of words, so a set with four ways takes two or
 * three lines of the host's cache. The timestamp of a way's last use has the way in its low bits,
 * so the minimum names the way to take: the first empty one, or the least recently used.
 *
 * A test compares every decision with those of the timing model's cache. */
#include <stdlib.h>

#include "analysis/lab_player.h"

#define INLINE static inline __attribute__((always_inline))

/* Who loads. */
struct who {
    uint64_t warp, thread;
};

/* Changed by loads; kept in registers during a batch. */
struct counts {
    uint64_t order; /* counts uses, in steps of CACHE_MAX_WAYS */
    uint64_t n_misses, n_filled, n_unused;
    uint64_t localities[N_LAB_LOCALITIES];
};

struct lru {
    const struct lab_config *config;
    size_t row_words;
    uint64_t **sms; /* the rows of each SM; NULL until the first access */
    uint32_t n_sms;
    struct counts counts;
    uint64_t n_store_hits, n_store_misses;
};

/* --- rows: a mask of ways not used since they were filled, tags (the line plus 1; 0 = empty),
 * timestamps of last uses, owners --- */

INLINE uint64_t *tags_of(uint64_t *row)
{
    return row + 1;
}

INLINE uint64_t *uses_of(uint64_t *row, uint32_t n_ways)
{
    return row + 1 + n_ways;
}

INLINE uint64_t *owner_of(uint64_t *row, uint32_t n_ways, uint32_t way)
{
    return row + 1 + 2 * n_ways + 2 * way;
}

static void empty_way(uint64_t *row, uint32_t n_ways, uint32_t way)
{
    row[0] &= ~(1ull << way);
    tags_of(row)[way] = 0;
    uses_of(row, n_ways)[way] = way;
}

static void empty_sm(struct lru *c, uint64_t *rows)
{
    for (uint32_t set = 0; set < c->config->n_sets; set++)
        for (uint32_t way = 0; way < c->config->n_ways; way++)
            empty_way(rows + set * c->row_words, c->config->n_ways, way);
}

static __attribute__((noinline)) uint64_t *create_sm(struct lru *c, uint32_t sm)
{
    c->sms[sm] = xcalloc(c->config->n_sets * c->row_words, sizeof **c->sms);
    empty_sm(c, c->sms[sm]);
    return c->sms[sm];
}

/* The way that holds the tag; n_ways if none does. If there are few ways, all of them are compared:
 * the host cannot predict which one matches. */
INLINE uint32_t find(uint64_t *row, uint32_t n_ways, uint64_t tag)
{
    const uint64_t *tags = tags_of(row);
    uint32_t way = 0;
    if (n_ways > 8) {
        while (way < n_ways && tags[way] != tag)
            way++;
        return way;
    }
    way = n_ways;
    for (uint32_t i = 0; i < n_ways; i++)
        way = tags[i] == tag ? i : way;
    return way;
}

INLINE uint32_t oldest(uint64_t *row, uint32_t n_ways)
{
    const uint64_t *uses = uses_of(row, n_ways);
    uint64_t least = uses[0];
    for (uint32_t i = 1; i < n_ways; i++)
        least = uses[i] < least ? uses[i] : least;
    return (uint32_t)(least % CACHE_MAX_WAYS);
}

/* --- accesses --- */

INLINE void touch(struct counts *t, uint64_t *row, uint32_t n_ways, uint32_t way)
{
    t->order += CACHE_MAX_WAYS;
    uses_of(row, n_ways)[way] = t->order | way;
    row[0] &= ~(1ull << way);
}

/* Returns the tag that was replaced. */
INLINE uint64_t insert(struct counts *t, uint64_t *row, uint32_t n_ways, uint64_t tag,
                       struct who who)
{
    uint32_t way = oldest(row, n_ways);
    uint64_t victim = tags_of(row)[way];
    t->n_misses++;
    if (!victim)
        t->n_filled++;
    t->n_unused += row[0] >> way & 1;
    t->order += CACHE_MAX_WAYS;
    row[0] |= 1ull << way;
    tags_of(row)[way] = tag;
    uses_of(row, n_ways)[way] = t->order | way;
    owner_of(row, n_ways, way)[0] = who.warp;
    owner_of(row, n_ways, way)[1] = who.thread;
    return victim;
}

INLINE void load(struct counts *t, uint64_t *row, uint32_t n_ways, uint64_t tag, struct who who,
                 struct lab_log *log, uint64_t index)
{
    const struct lab_access a = {.warp = who.warp, .thread = who.thread};
    uint32_t way = find(row, n_ways, tag);
    uint64_t victim = 0;
    if (way < n_ways) {
        const uint64_t *owner = owner_of(row, n_ways, way);
        t->localities[lab_locality_of(owner[0], owner[1], &a)]++;
        touch(t, row, n_ways, way);
    } else {
        victim = insert(t, row, n_ways, tag, who);
    }
    if (log)
        lab_log_load(log, index, way < n_ways ? LAB_HIT : LAB_MISS,
                     victim ? victim - 1 : LAB_NO_VICTIM);
}

/* A store or an atomic. */
INLINE void pass(struct lru *c, struct counts *t, uint64_t *row, uint32_t n_ways, uint64_t tag,
                 bool is_store)
{
    uint32_t way = find(row, n_ways, tag);
    c->n_store_hits += is_store && way < n_ways;
    c->n_store_misses += is_store && way == n_ways;
    if (way == n_ways)
        return;
    if (is_store && c->config->stores_keep)
        touch(t, row, n_ways, way);
    else
        empty_way(row, n_ways, way);
}

INLINE void play(struct lru *c, const struct lab_batch *b, uint32_t n_ways, bool in_columns,
                 struct lab_log *log)
{
    struct counts t = c->counts;
    uint64_t index = b->index;
    for (uint32_t i = 0; i < b->n; i++) {
        const struct lab_access *a = in_columns ? NULL : &b->items[i];
        uint32_t sm = in_columns ? b->sm : a->sm;
        uint8_t kind = in_columns ? lab_kind_of(b->firsts[i]) : a->kind;
        uint64_t *rows = c->sms[sm];
        if (__builtin_expect(!rows, 0))
            rows = create_sm(c, sm);
        uint64_t *row = rows + b->sets[i] * (size_t)(4 * n_ways + 1);
        if (kind == LAB_LOAD)
            load(&t, row, n_ways, b->lines[i] + 1,
                 in_columns ? (struct who){b->warps[i], b->threads[i]}
                            : (struct who){a->warp, a->thread},
                 log, index);
        else if (kind == LAB_FLUSH)
            empty_sm(c, rows);
        else
            pass(c, &t, row, n_ways, b->lines[i] + 1, kind == LAB_STORE);
        index += kind != LAB_FLUSH;
    }
    c->counts = t;
}

/* Specialised at compile time for the usual numbers of ways. */
static void lru_play(void *player, const struct lab_batch *b, struct lab_log *log)
{
    struct lru *c = player;
    uint32_t n_ways = c->config->n_ways;
    bool in_columns = !b->items;
    if (log)
        play(c, b, n_ways, in_columns, log);
    else if (n_ways == 4 && in_columns)
        play(c, b, 4, true, NULL);
    else if (n_ways == 4)
        play(c, b, 4, false, NULL);
    else if (n_ways == 8)
        play(c, b, 8, in_columns, NULL);
    else
        play(c, b, n_ways, in_columns, NULL);
}

static void *lru_create(const struct lab_config *config, uint32_t n_sms, const uint64_t *next_uses)
{
    (void)next_uses;
    struct lru *c = xcalloc(1, sizeof *c);
    c->config = config;
    c->row_words = 4 * (size_t)config->n_ways + 1;
    c->sms = xcalloc((size_t)n_sms + 1, sizeof *c->sms);
    c->n_sms = n_sms;
    return c;
}

static void lru_finish(void *player, struct lab_result *out)
{
    struct lru *c = player;
    struct cache_stats *t = &out->stats;
    for (int i = 0; i < N_LAB_LOCALITIES; i++)
        t->hits += out->localities[i] = c->counts.localities[i];
    t->misses = t->fills = t->sectors_fetched = c->counts.n_misses;
    t->evictions = c->counts.n_misses - c->counts.n_filled;
    t->evictions_unused = c->counts.n_unused;
    t->store_hits = c->n_store_hits;
    t->store_misses = c->n_store_misses;
    t->write_evictions = c->config->stores_keep ? 0 : c->n_store_hits;
    for (uint32_t sm = 0; sm < c->n_sms; sm++)
        free(c->sms[sm]);
    free(c->sms);
    free(c);
}

const struct lab_player lab_player_lru = {lru_create, lru_play, lru_finish};
