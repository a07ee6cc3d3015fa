/* How a unit of mutexes begins and ends, and the text of its messages. */
#include "atomics/mutex_parts.h"

/* --- messages --- */

uintptr_t mutex_text_pack(struct mutex_text t)
{
    return (uintptr_t)t.kind | (uintptr_t)t.mature << 3 | (uintptr_t)t.unchanged << 4 |
           (uintptr_t)t.mutex << 8 | (uintptr_t)t.holder << 32;
}

struct mutex_text mutex_text_unpack(uintptr_t word)
{
    return (struct mutex_text){.kind = (enum mutex_message)(word & 7),
                               .mature = word >> 3 & 1,
                               .unchanged = word >> 4 & 1,
                               .mutex = (uint32_t)(word >> 8 & 0xffffff),
                               .holder = (uint32_t)(word >> 32)};
}

void mutex_unit_send(struct mutex_unit *u, uint32_t to, uint32_t hops, struct mutex_text t,
                     uint64_t now)
{
    uint64_t at = now + (uint64_t)hops * u->params->hop_cycles;
    u->host->send(u->sm, to, at, mutex_text_pack(t), now);
}

/* --- life --- */

struct mutex_unit *mutex_unit_create(const struct mutex_setup *s)
{
    struct mutex_unit *u = xcalloc(1, sizeof *u);
    *u =
        (struct mutex_unit){.params = s->params,
                            .ops = s->net,
                            .host = s->host,
                            .sm = s->sm,
                            .index = s->index,
                            .line_bytes = s->line_bytes,
                            .per_cycle = s->params->per_cycle ? s->params->per_cycle : s->per_cycle,
                            .grid = mutex_grid_make(s->n_sms, s->params->rows),
                            .period = s->period,
                            .visibility = s->visibility,
                            .ledger = s->ledger,
                            .due = CYCLE_NONE,
                            .n_free = s->params->queue};
    u->mutexes = xcalloc(s->params->mutexes, sizeof *u->mutexes);
    u->active = xcalloc(s->params->mutexes, sizeof *u->active);
    u->requests = xcalloc(s->params->queue, sizeof *u->requests);
    u->free_requests = xcalloc(s->params->queue, sizeof *u->free_requests);
    for (uint32_t i = 0; i < s->params->queue; i++)
        u->free_requests[i] = s->params->queue - 1 - i;
    u->net = xcalloc(1, s->net->state_bytes(u));
    s->net->create(u);
    return u;
}

static void free_list(struct mutex_line *l)
{
    for (struct mutex_line *next; l; l = next) {
        next = l->next;
        free(l);
    }
}

void mutex_unit_destroy(struct mutex_unit *u)
{
    if (!u)
        return;
    u->ops->destroy(u);
    for (uint32_t i = 0; i < u->params->mutexes; i++)
        free_list(u->mutexes[i].lines);
    free_list(u->free_lines);
    free(u->net);
    free(u->mutexes);
    free(u->active);
    free(u->requests);
    free(u->free_requests);
    free(u->fetches);
    free(u);
}
