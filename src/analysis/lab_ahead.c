/* Two chunks: one is filled while the other is used. */
#include "analysis/lab_ahead.h"

#include <pthread.h>
#include <stdlib.h>

enum { CHUNK_ACCESSES = 1 << 12 };

struct lab_ahead {
    struct lab_stream *stream;
    struct lab_stream chunks[2];
    struct strbuf why;
    pthread_t thread;
    bool has_thread;
    uint32_t in_use; /* chunks handed out: 0 or 1 */
    /* Shared by both threads. */
    pthread_mutex_t lock;
    pthread_cond_t changed;
    uint32_t n_filled, n_used; /* chunks so far */
    bool is_over, failed;      /* no more chunks will come */
};

/* Fills a chunk as far as possible; false if it is the last one. */
static bool fill(struct lab_ahead *a, struct lab_stream *chunk)
{
    struct lab_stream *s = a->stream, kept = *s;
    s->items = chunk->items;
    s->criticality = chunk->criticality;
    s->cap = chunk->cap;
    s->n = 0;
    s->insts = chunk->insts;
    s->cap_insts = chunk->cap_insts;
    s->n_insts = 0;
    s->block = chunk->block;
    s->block.n = 0;
    bool ok = true;
    while (ok && s->reader && s->n < CHUNK_ACCESSES && !s->block.n)
        ok = lab_stream_more(s, &a->why);
    chunk->block = s->block;
    chunk->block_sm = s->block_sm;
    s->block = kept.block;
    chunk->items = s->items;
    chunk->criticality = s->criticality;
    chunk->cap = s->cap;
    chunk->n = s->n;
    chunk->has_criticality = s->has_criticality;
    chunk->insts = s->insts;
    chunk->cap_insts = s->cap_insts;
    chunk->n_insts = s->n_insts;
    s->items = kept.items;
    s->criticality = kept.criticality;
    s->cap = kept.cap;
    s->n = kept.n;
    s->insts = kept.insts;
    s->cap_insts = kept.cap_insts;
    s->n_insts = kept.n_insts;
    a->failed = !ok;
    return ok && s->reader;
}

static void *read_ahead(void *user)
{
    struct lab_ahead *a = user;
    bool has_more = true;
    while (has_more) {
        pthread_mutex_lock(&a->lock);
        while (a->n_filled - a->n_used == 2)
            pthread_cond_wait(&a->changed, &a->lock);
        struct lab_stream *chunk = &a->chunks[a->n_filled % 2];
        pthread_mutex_unlock(&a->lock);
        has_more = fill(a, chunk);
        pthread_mutex_lock(&a->lock);
        a->n_filled++;
        a->is_over = !has_more;
        pthread_cond_signal(&a->changed);
        pthread_mutex_unlock(&a->lock);
    }
    return NULL;
}

struct lab_ahead *lab_ahead_begin(struct lab_stream *s)
{
    struct lab_ahead *a = xcalloc(1, sizeof *a);
    a->stream = s;
    a->is_over = !s->reader;
    pthread_mutex_init(&a->lock, NULL);
    pthread_cond_init(&a->changed, NULL);
    if (s->reader)
        a->has_thread = pthread_create(&a->thread, NULL, read_ahead, a) == 0;
    return a;
}

/* Without a thread, reads on demand. */
static const struct lab_stream *next_now(struct lab_ahead *a)
{
    if (a->is_over)
        return NULL;
    a->is_over = !fill(a, &a->chunks[0]);
    return &a->chunks[0];
}

const struct lab_stream *lab_ahead_next(struct lab_ahead *a)
{
    if (!a->has_thread)
        return next_now(a);
    pthread_mutex_lock(&a->lock);
    a->n_used += a->in_use;
    pthread_cond_signal(&a->changed);
    while (a->n_filled == a->n_used && !a->is_over)
        pthread_cond_wait(&a->changed, &a->lock);
    a->in_use = a->n_filled != a->n_used;
    const struct lab_stream *chunk = a->in_use ? &a->chunks[a->n_used % 2] : NULL;
    pthread_mutex_unlock(&a->lock);
    return chunk;
}

bool lab_ahead_end(struct lab_ahead *a, struct strbuf *why)
{
    while (lab_ahead_next(a))
        continue;
    if (a->has_thread)
        pthread_join(a->thread, NULL);
    bool ok = !a->failed;
    if (!ok)
        strbuf_add(why, strbuf_text(&a->why));
    for (int i = 0; i < 2; i++)
        lab_stream_destroy(&a->chunks[i]);
    pthread_cond_destroy(&a->changed);
    pthread_mutex_destroy(&a->lock);
    strbuf_destroy(&a->why);
    free(a);
    return ok;
}
