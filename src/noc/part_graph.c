/* Builds a machine from its description; part_graph.h says what is derived from what. */
#include "noc/part_graph.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"

enum { LINE = 64 }; /* cache line of the host: a part's neighbour may run on another thread */

uint32_t part_graph_add(struct part_graph *g, const struct part_kind *kind, uint32_t n,
                        const void *setup)
{
    assert(!g->shards && n > 0 && kind->create && kind->bytes >= sizeof(struct shard));
    ARRAY_RESERVE(g->groups, g->cap_groups, g->n_groups + 1);
    g->groups[g->n_groups] = (struct part_group){
        .kind = kind, .setup = setup, .n = n, .stride = (kind->bytes + LINE - 1) / LINE * LINE};
    return g->n_groups++;
}

void part_graph_link(struct part_graph *g, struct part_link l)
{
    assert(!g->shards && l.from < g->n_groups && l.to < g->n_groups);
    assert(l.messages && l.latency_cycles > 0 && l.clock->period > 0);
    uint32_t takes = g->groups[l.to].kind->takes;
    assert(!takes || !(l.messages & ~takes));
    assert(!l.format || !l.optional);
    assert(!l.format || (l.network < SHARD_NETWORKS && l.flits_in > 0 && l.flits_out > 0));
    ARRAY_RESERVE(g->links, g->cap_links, g->n_links + 1);
    g->links[g->n_links++] = l;
}

/* --- derived from the description --- */

static bool is_direct(const struct part_link *l)
{
    return !l->via.n_each;
}

static bool link_counts(const struct part_graph *g, const struct part_link *l)
{
    return is_direct(l) && (!l->optional || g->optional_on);
}

sim_time part_graph_quantum(const struct part_graph *g)
{
    sim_time shortest = TIME_NEVER;
    for (uint32_t i = 0; i < g->n_links; i++)
        if (link_counts(g, &g->links[i]) && link_latency(&g->links[i]) < shortest)
            shortest = link_latency(&g->links[i]);
    return shortest;
}

/* Colours the other end of the link if one end has a colour; `known` says which groups have one.
 * False if both ends have the same colour. */
static bool colour_link(struct part_graph *g, const struct part_link *l, bool *known, bool *changed)
{
    struct part_group *a = &g->groups[l->from], *b = &g->groups[l->to];
    if (known[l->from] && known[l->to])
        return a->second != b->second;
    *changed |= known[l->from] || known[l->to];
    if (known[l->from]) {
        b->second = !a->second;
        known[l->to] = true;
    } else if (known[l->to]) {
        a->second = !b->second;
        known[l->from] = true;
    }
    return true;
}

/* Colours everything connected to a coloured group; false if that is impossible. */
static bool colour_connected(struct part_graph *g, bool *known)
{
    bool changed = true, ok = true;
    while (ok && changed) {
        changed = false;
        for (uint32_t i = 0; ok && i < g->n_links; i++)
            ok = g->links[i].optional || !is_direct(&g->links[i]) ||
                 colour_link(g, &g->links[i], known, &changed);
    }
    return ok;
}

bool part_graph_colour(struct part_graph *g)
{
    bool *known = xcalloc(g->n_groups + 1, sizeof *known), ok = g->n_links > 0;
    for (uint32_t i = 0; ok && i < g->n_groups; i++) {
        if (known[i])
            continue;
        known[i] = true;
        g->groups[i].second = false;
        ok = colour_connected(g, known);
    }
    for (uint32_t i = 0; !ok && i < g->n_groups; i++)
        g->groups[i].second = false;
    free(known);
    return ok;
}

/* --- building --- */

static uint32_t number_groups(struct part_graph *g, bool second, uint32_t next)
{
    for (uint32_t i = 0; i < g->n_groups; i++)
        if (g->groups[i].second == second) {
            g->groups[i].first_id = next;
            next += g->groups[i].n;
        }
    return next;
}

static void find_routes(struct part_graph *g)
{
    memset(g->routes, 0, (size_t)g->n_groups * g->n_groups * sizeof *g->routes);
    for (uint32_t i = 0; i < g->n_links; i++) {
        const struct part_link *l = &g->links[i];
        if (!link_counts(g, l))
            continue;
        struct shard_link *r = &g->routes[l->from * g->n_groups + l->to];
        if (!r->messages || link_latency(l) < r->latency)
            r->latency = link_latency(l);
        r->messages |= l->messages;
    }
}

static sim_time shortest_from(const struct part_graph *g, uint32_t group)
{
    sim_time shortest = TIME_NEVER;
    for (uint32_t to = 0; to < g->n_groups; to++) {
        const struct shard_link *r = &g->routes[group * g->n_groups + to];
        if (r->messages && r->latency < shortest)
            shortest = r->latency;
    }
    return shortest;
}

static void create_parts(struct part_graph *g, uint32_t group)
{
    struct part_group *p = &g->groups[group];
    p->memory = xcalloc(1, p->n * p->stride + LINE); /* large, so the system has zeroed it
                                                      * already */
    p->parts = p->memory + (-(uintptr_t)p->memory & (LINE - 1));
    for (uint32_t i = 0; i < p->n; i++) {
        struct shard *s = part_at(g, group, i);
        struct part_position place = {
            .graph = g, .group = group, .index = i, .id = p->first_id + i};
        p->kind->create(s, &place, p->setup);
        assert(s->ops && s->id == place.id);
        s->min_latency = shortest_from(g, group);
        s->links = &g->routes[group * g->n_groups];
        g->shards[place.id] = s;
        g->group_of[place.id] = group;
    }
}

void part_graph_build(struct part_graph *g, struct engine *e)
{
    assert(!g->shards);
    g->has_halves = part_graph_colour(g);
    uint32_t n_first = number_groups(g, false, 0);
    g->n_shards = number_groups(g, true, n_first);
    g->shards = xcalloc(g->n_shards, sizeof(struct shard *));
    g->group_of = xcalloc(g->n_shards, sizeof *g->group_of);
    g->n_first = n_first;
    g->routes = xcalloc((size_t)g->n_groups * g->n_groups, sizeof *g->routes);
    find_routes(g);
    for (uint32_t i = 0; i < g->n_groups; i++)
        create_parts(g, i);
    e->shards = g->shards;
    e->n = g->n_shards;
    e->n_first = g->has_halves ? n_first : 0;
    e->quantum = part_graph_quantum(g);
    e->group_of = g->group_of;
}

/* Do all links that count join the two halves? */
static bool halves_hold(const struct part_graph *g)
{
    for (uint32_t i = 0; g->has_halves && i < g->n_links; i++) {
        const struct part_link *l = &g->links[i];
        if (link_counts(g, l) && g->groups[l->from].second == g->groups[l->to].second)
            return false;
    }
    return g->has_halves;
}

void part_graph_switch(struct part_graph *g, struct engine *e, bool on)
{
    g->optional_on = on;
    find_routes(g);
    for (uint32_t i = 0; i < g->n_shards; i++)
        g->shards[i]->min_latency = shortest_from(g, g->group_of[i]);
    e->n_first = halves_hold(g) ? g->n_first : 0;
    e->quantum = part_graph_quantum(g);
}

void part_graph_destroy(struct part_graph *g)
{
    for (uint32_t i = 0; i < g->n_groups; i++) {
        const struct part_group *p = &g->groups[i];
        for (uint32_t k = 0; p->parts && p->kind->destroy && k < p->n; k++)
            p->kind->destroy(part_at(g, i, k));
        free(p->memory);
    }
    free(g->groups);
    free(g->links);
    free(g->shards);
    free(g->group_of);
    free(g->routes);
    *g = (struct part_graph){0};
}

/* --- ports --- */

static bool has_ports(const struct part_link *l, uint32_t network)
{
    return l->format && l->network == network;
}

static struct noc_config port_config(const struct part_link *l)
{
    struct noc_config c = *l->format;
    c.latency_cycles = l->latency_cycles;
    c.buffer_flits = l->credits;
    return c;
}

/* May the links share a port? If so, they differ only in their destination. */
static bool share_port(const struct part_link *a, const struct part_link *b)
{
    return a->clock == b->clock && a->latency_cycles == b->latency_cycles &&
           a->format == b->format && a->credits == b->credits;
}

static void go_via(const struct part_position *at, const struct part_link *l, struct tx_port *p)
{
    const struct part_via *v = &l->via;
    const struct part_group *to = &at->graph->groups[l->to];
    uint32_t first = at->graph->groups[v->group].first_id;
    for (uint32_t i = 0; i < to->n; i++)
        tx_go_via(p, to->first_id + i, first + (v->of_receivers ? i : at->index) / v->n_each,
                  (sim_time)v->hop_cycles * l->clock->period);
}

void part_open_tx(const struct part_position *at, uint32_t network, struct shard *s,
                  struct tx_port *p)
{
    const struct part_graph *g = at->graph;
    const struct part_link *found = NULL;
    uint32_t first = UINT32_MAX, end = 0;
    for (uint32_t i = 0; i < g->n_links; i++) {
        const struct part_link *l = &g->links[i];
        if (l->from != at->group || !has_ports(l, network))
            continue;
        const struct part_group *to = &g->groups[l->to];
        assert(!found || (share_port(l, found) && l->flits_in == found->flits_in));
        found = l;
        first = to->first_id < first ? to->first_id : first;
        end = to->first_id + to->n > end ? to->first_id + to->n : end;
    }
    assert(found); /* no link leads into that network */
    struct noc_config c = port_config(found);
    tx_init(p, network, s, found->clock, &c, found->flits_in, first, end - first);
    for (uint32_t i = 0; i < g->n_links; i++)
        if (g->links[i].from == at->group && has_ports(&g->links[i], network) &&
            !is_direct(&g->links[i]))
            go_via(at, &g->links[i], p);
}

void part_open_rx(const struct part_position *at, uint32_t network, struct shard *s,
                  struct rx_port *p)
{
    const struct part_graph *g = at->graph;
    const struct part_link *found = NULL;
    for (uint32_t i = 0; i < g->n_links; i++) {
        const struct part_link *l = &g->links[i];
        if (l->to != at->group || !has_ports(l, network))
            continue;
        assert(!found || (share_port(l, found) && l->flits_out == found->flits_out));
        found = l;
    }
    assert(found); /* no link leads out of that network */
    struct noc_config c = port_config(found);
    rx_init(p, network, s, found->clock, &c, found->flits_out);
}

struct port_stats part_graph_tx_stats(const struct part_graph *g, uint32_t network)
{
    struct port_stats sum = {0};
    for (uint32_t i = 0; i < g->n_shards; i++)
        if (g->shards[i]->tx[network]) {
            struct port_stats s = tx_stats(g->shards[i]->tx[network]);
            port_stats_add(&sum, &s);
        }
    return sum;
}

struct port_stats part_graph_rx_stats(const struct part_graph *g, uint32_t network)
{
    struct port_stats sum = {0};
    for (uint32_t i = 0; i < g->n_shards; i++)
        if (g->shards[i]->rx[network]) {
            struct port_stats s = rx_stats(g->shards[i]->rx[network]);
            port_stats_add(&sum, &s);
        }
    return sum;
}

sim_time part_graph_settle(struct part_graph *g)
{
    sim_time last = 0;
    for (uint32_t i = 0; i < g->n_shards; i++)
        for (uint32_t net = 0; net < SHARD_NETWORKS; net++) {
            struct shard *s = g->shards[i];
            if (!s->tx[net])
                continue;
            sim_time t = tx_settle(s->tx[net]);
            t = s->tick ? (t + s->tick - 1) / s->tick * s->tick : t;
            last = t > last ? t : last;
        }
    return last;
}
