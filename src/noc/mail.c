/* Messages between shards. With one thread they go straight into the receiver's inbox, which is
 * sorted by (at, from, order): shard.h. With several threads a sender appends to its own outbox and
 * sets a mark in the receiver's letterbox. When the next quantum begins, the receiver reads the
 * marks and inserts the messages into its inbox. */
#include "noc/mail.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"

/* The letterbox's bytes are enumerated from the low end of a word. */
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "marks are read as little-endian words");
_Static_assert(sizeof(struct message) == 32, "half a cache line");

static uint32_t letter_words(const struct engine *e)
{
    return (e->n + 7) / 8;
}

/* At least so many messages that were already taken stay in front of the first one, where they stop
 * the loops of inbox_sort_in(). */
enum { N_OVER = 4 };

static void inbox_init(struct inbox *box, uint32_t places)
{
    assert(places >= 4 * N_OVER);
    box->items = xalloc(places, sizeof *box->items);
    memset(box->items, 0, N_OVER * sizeof *box->items);
    box->last_place = box->items + places - 1;
    box->first = box->end = box->items + N_OVER;
    box->end->at = TIME_NEVER;
}

/* Moves the messages to the front of the box, or of a larger one if they fill more than half of it.
 * So each message is moved at most once in this way. */
static void make_room(struct inbox *box)
{
    struct inbox old = *box;
    size_t n = (size_t)(old.end - old.first), places = (size_t)(old.last_place - old.items) + 1;
    if (n > places / 2)
        inbox_init(box, (uint32_t)places * 2);
    struct message *first = box->items + N_OVER;
    memmove(first, old.first, (n + 1) * sizeof *first);
    for (uint32_t i = 0; i < N_OVER; i++)
        box->items[i].at = 0;
    box->first = first;
    box->end = first + n;
    if (box->items != old.items)
        free(old.items);
}

/* Copied as one vector: the compiler would copy it piece by piece. */
typedef uint64_t message_bits __attribute__((vector_size(sizeof(struct message)), aligned(8)));

static inline void move_up(struct message *to)
{
    *(message_bits *)to = *(message_bits *)(to - 1);
}

/* Moves several at a time as long as the first of them must move, then two, then one. The taken
 * messages in front stop all three loops. */
void inbox_sort_in(struct message *m)
{
    sim_time at = m->at;
    uint32_t from = m->from;
    message_bits bits = *(message_bits *)m;
    for (; m[-N_OVER].at > at; m -= N_OVER)
        for (uint32_t i = 0; i < N_OVER; i++)
            move_up(m - i);
    if (m[-2].at > at) {
        move_up(m);
        move_up(m - 1);
        m -= 2;
    }
    if (m[-1].at > at) {
        move_up(m);
        m--;
    }
    for (; m[-1].at == at && m[-1].from > from; m--)
        move_up(m);
    *(message_bits *)m = bits;
}

void inbox_tidy(struct inbox *box)
{
    make_room(box);
    inbox_sort_in(box->end - 1);
}

void engine_connect(struct engine *e)
{
    e->letter_flags = xcalloc_lines(e->n * sizeof *e->letter_flags);
    e->wake = xcalloc_lines(e->n * sizeof *e->letter_flags); /* a cache line each is enough */
    for (uint32_t i = 0; i < e->n; i++) {
        struct shard *s = e->shards[i];
        s->engine = e;
        inbox_init(&s->inbox, 64);
        s->credit_at = s->first_arrival = TIME_NEVER;
        for (uint32_t side = 0; side < 2; side++) {
            s->out[side].to = xcalloc(e->n, sizeof *s->out[side].to);
            s->letters[side].senders = xcalloc(letter_words(e), sizeof(uint64_t));
        }
    }
    engine_place(e);
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
    free(e->letter_flags);
    free(e->wake);
    free(e->members);
    e->wake = NULL;
}

bool engine_has_mail(const struct engine *e)
{
    return engine_has_mail_for(e, 0, e->n);
}

bool engine_has_mail_for(const struct engine *e, uint32_t first, uint32_t n)
{
    for (uint32_t i = first; i < first + n; i++)
        if (shard_peek(e->shards[i], TIME_NEVER) || mail_has_come(e->shards[i], e->side))
            return true;
    return false;
}

void outbox_add(struct shard *s, uint32_t to, const struct message *m)
{
    const struct engine *e = s->engine;
    uint32_t side = e->side;
    struct outbox *o = &s->out[side];
    ARRAY_RESERVE(o->items, o->cap, o->n + 1);
    o->items[o->n++] = (struct letter){.message = *m};
    struct outbox_list *list = &o->to[to];
    if (list->first) {
        o->items[list->last - 1].next = o->n;
    } else {
        list->first = o->n;
        ((uint8_t *)e->shards[to]->letters[side].senders)[s->id] = 1;
        atomic_store_explicit(&e->letter_flags[to].set[side], true, memory_order_relaxed);
    }
    list->last = o->n;
    if (m->at < s->first_arrival)
        s->first_arrival = m->at;
}

static inline void take_from(struct inbox *inbox, uint32_t receiver, struct outbox *o, sim_time now)
{
    const struct letter *items = o->items - 1; /* indices count from 1 */
    uint32_t i = o->to[receiver].first;
    o->to[receiver].first = 0;
    do {
        const struct message *m = &items[i].message;
        assert(m->at >= now); /* otherwise the receiver might have passed that time */
        inbox_add(inbox, *m);
        i = items[i].next;
    } while (i);
}

void mail_take_in(struct shard *s, uint32_t side, sim_time now)
{
    const struct engine *e = s->engine;
    uint64_t *marks = s->letters[side].senders, *end = marks + letter_words(e);
    atomic_store_explicit(&e->letter_flags[s->id].set[side], false, memory_order_relaxed);
    for (struct shard **shards = e->shards; marks != end; marks++, shards += 8) {
        uint64_t left = *marks;
        *marks = 0;
        for (; left; left &= left - 1)
            take_from(&s->inbox, s->id, &shards[__builtin_ctzll(left) / 8]->out[side], now);
    }
}
