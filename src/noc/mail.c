/* Messages between shards. A sender appends to its own outbox and leaves its mark in the receiver's
 * letterbox; when the next quantum begins the receiver goes through the marks and inserts what it
 * finds into its inbox, which is sorted by (at, from, order). New messages are mostly later than
 * old ones, so insertion looks from the end. */
#include "noc/mail.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"

/* The letterbox's bytes are counted off from the low end of a word. */
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "marks are read as little-endian words");
_Static_assert(sizeof(struct message) == 32, "half a cache line");

static uint32_t letter_words(const struct engine *e)
{
    return (e->n + 7) / 8;
}

void engine_connect(struct engine *e)
{
    e->wake = aligned_alloc(_Alignof(struct shard_wake), e->n * sizeof *e->wake);
    if (!e->wake)
        out_of_memory(e->n * sizeof *e->wake);
    memset(e->wake, 0, e->n * sizeof *e->wake);
    for (uint32_t i = 0; i < e->n; i++) {
        struct shard *s = e->shards[i];
        s->engine = e;
        s->credit_at = s->sent_at = TIME_NEVER;
        for (uint32_t side = 0; side < 2; side++) {
            s->out[side].to = xcalloc(e->n, sizeof *s->out[side].to);
            s->letters[side].senders = xcalloc(letter_words(e), sizeof(uint64_t));
        }
    }
}

void engine_destroy(struct engine *e)
{
    for (uint32_t i = 0; i < e->n && e->wake; i++) {
        struct shard *s = e->shards[i];
        free(s->inbox.items);
        for (uint32_t side = 0; side < 2; side++) {
            free(s->out[side].items);
            free(s->out[side].to);
            free(s->letters[side].senders);
        }
    }
    free(e->wake);
    e->wake = NULL;
}

bool engine_has_mail(const struct engine *e)
{
    for (uint32_t i = 0; i < e->n; i++)
        if (e->shards[i]->inbox.n > 0 || mail_has_come(e->shards[i], e->side))
            return true;
    return false;
}

void outbox_grow(struct outbox *o)
{
    ARRAY_RESERVE(o->items, o->cap, o->n + 1);
}

static inline bool is_before(const struct message *a, const struct message *b)
{
    return a->at != b->at ? a->at < b->at : a->from < b->from;
}

/* Makes room for one message behind the last: the space in front is reused once it is half of all,
 * so that each message is moved at most once for it. */
static __attribute__((noinline)) void inbox_make_room(struct message_queue *q)
{
    if (q->head > q->cap / 2) {
        memmove(q->items, q->items + q->head, q->n * sizeof *q->items);
        q->head = 0;
    } else {
        ARRAY_RESERVE(q->items, q->cap, q->head + q->n + 1);
    }
}

/* Inserts behind all that are not after it: messages of one sender come in the order of sending. */
static inline void inbox_insert(struct message_queue *q, const struct message *m)
{
    if (q->head + q->n == q->cap)
        inbox_make_room(q);
    struct message *first = q->items + q->head, *at = first + q->n++;
    for (; at > first && is_before(m, at - 1); at--)
        *at = at[-1];
    *at = *m;
}

static inline void take_from(struct message_queue *inbox, uint32_t receiver, struct outbox *o,
                             sim_time now)
{
    const struct message *items = o->items - 1; /* they are counted from 1 */
    uint32_t i = o->to[receiver].first;
    o->to[receiver].first = 0;
    do {
        const struct message *m = &items[i];
        assert(m->at >= now); /* else the receiver might have passed that time already */
        inbox_insert(inbox, m);
        i = m->next;
    } while (i);
}

void mail_take_in(struct shard *s, uint32_t side, sim_time now)
{
    const struct engine *e = s->engine;
    uint64_t *marks = s->letters[side].senders, *end = marks + letter_words(e);
    atomic_store_explicit(&e->wake[s->id].mail[side], false, memory_order_relaxed);
    for (struct shard **shards = e->shards; marks != end; marks++, shards += 8) {
        uint64_t left = *marks;
        *marks = 0;
        for (; left; left &= left - 1)
            take_from(&s->inbox, s->id, &shards[__builtin_ctzll(left) / 8]->out[side], now);
    }
}
