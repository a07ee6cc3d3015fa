#include "analysis/l2_advice.h"

#include <stdlib.h>
#include <string.h>

#include "request/request.h"

enum { NOBODY = UINT32_MAX };

/* A line of L2, by its address. */
struct line {
    uint64_t address;
    uint32_t writer;          /* the site that stored to it last; NOBODY = none */
    uint32_t stored, loaded;  /* the latest launches that did so, from 1; 0 = none */
    uint32_t reader;          /* the SM that loaded it last */
    bool is_read, is_counted; /* since the last store: read by a later launch; counted as read
                               * again */
};

struct range {
    uint64_t start, bytes;
    uint32_t site;
};

struct l2_advice {
    struct heddle_sim *sim;
    struct l2_site sites[L2_MAX_SITES];
    uint32_t n_sites, n_left_out;
    struct line *lines;
    uint32_t n_lines, cap;
    uint32_t launch;      /* the current one, from 1 */
    struct range *ranges; /* its buffers */
    uint32_t n_ranges, cap_ranges;
    struct arena arena;
};

struct l2_advice *l2_advice_create(void)
{
    return xcalloc(1, sizeof(struct l2_advice));
}

void l2_advice_destroy(struct l2_advice *a)
{
    if (!a)
        return;
    free(a->lines);
    free(a->ranges);
    arena_destroy(&a->arena);
    free(a);
}

/* --- lines: linear probing, at most half full; 0 is not an address of global memory --- */

static struct line *slot_of(const struct l2_advice *a, uint64_t address)
{
    uint32_t at = (uint32_t)((address * 0x9e3779b97f4a7c15ull) >> 32) & (a->cap - 1);
    while (a->lines[at].address != address && a->lines[at].address)
        at = (at + 1) & (a->cap - 1);
    return &a->lines[at];
}

static void grow(struct l2_advice *a)
{
    struct l2_advice old = *a;
    a->cap = a->cap ? 2 * a->cap : 1024;
    a->lines = xcalloc(a->cap, sizeof *a->lines);
    for (uint32_t i = 0; i < old.cap; i++)
        if (old.lines[i].address)
            *slot_of(a, old.lines[i].address) = old.lines[i];
    free(old.lines);
}

static struct line *line_at(struct l2_advice *a, uint64_t address)
{
    if (2 * (a->n_lines + 1) > a->cap)
        grow(a);
    struct line *l = slot_of(a, address);
    if (!l->address) {
        a->n_lines++;
        *l = (struct line){.address = address, .writer = NOBODY};
    }
    return l;
}

/* --- sites --- */

static uint32_t site_of(struct l2_advice *a, const char *kernel, uint32_t argument,
                        const char *buffer)
{
    for (uint32_t i = 0; i < a->n_sites; i++)
        if (a->sites[i].argument == argument && strcmp(a->sites[i].kernel, kernel) == 0)
            return i;
    if (a->n_sites == L2_MAX_SITES) {
        a->n_left_out++;
        return NOBODY;
    }
    a->sites[a->n_sites] = (struct l2_site){.kernel = arena_strdup(&a->arena, kernel),
                                            .buffer = arena_strdup(&a->arena, buffer),
                                            .argument = argument};
    return a->n_sites++;
}

static void note_launch(struct l2_advice *a)
{
    const struct emu_launch *l = &a->sim->emu.launch;
    const struct ptx_func *f = l->func->func;
    a->launch = l->number + 1;
    a->n_ranges = 0;
    for (uint32_t i = 0; i < f->n_params; i++) {
        uint64_t address;
        if (f->params[i].bytes != sizeof address)
            continue;
        memcpy(&address, l->params + l->func->param_at[i], sizeof address);
        const struct mem_alloc *b = mem_find(&a->sim->mem, address, 1);
        uint32_t site = b && !b->internal ? site_of(a, f->name, i + 1, b->label) : NOBODY;
        if (site == NOBODY)
            continue;
        ARRAY_RESERVE(a->ranges, a->cap_ranges, a->n_ranges + 1);
        a->ranges[a->n_ranges++] = (struct range){b->start, b->bytes, site};
    }
}

/* If several arguments are the same buffer, the first. */
static uint32_t find_site(const struct l2_advice *a, uint64_t address)
{
    for (uint32_t i = 0; i < a->n_ranges; i++)
        if (address - a->ranges[i].start < a->ranges[i].bytes)
            return a->ranges[i].site;
    return NOBODY;
}

/* --- accesses --- */

/* A written line is read again before the next store: by which launch? */
static void count_again(struct l2_advice *a, struct line *l, uint32_t sm)
{
    struct l2_site *writer = &a->sites[l->writer];
    bool is_shared = l->loaded == a->launch && sm != l->reader;
    if (!l->is_counted)
        *(is_shared ? &writer->shared : &writer->read_again) += 1;
    l->is_counted = true;
}

static void note_load(struct l2_advice *a, struct line *l, struct l2_site *site, uint32_t sm)
{
    bool is_again = l->loaded == a->launch;
    if (l->writer != NOBODY && l->stored < a->launch) {
        a->sites[l->writer].read_later += !l->is_read;
        if (l->is_read)
            count_again(a, l, sm);
        l->is_read = true;
    }
    site->loaded += !is_again;
    if (is_again)
        *(sm == l->reader ? &site->loaded_again : &site->loaded_by_others) += 1;
    l->loaded = a->launch;
    l->reader = sm;
}

static void note_store(struct l2_advice *a, struct line *l, uint32_t site,
                       const struct mem_access *access)
{
    uint32_t sector_bytes = a->sim->config->l2.sector_bytes;
    if (l->writer != NOBODY && l->is_read &&
        !mem_covers_sectors(access, access->sector_mask, sector_bytes))
        a->sites[l->writer].refetched++;
    a->sites[site].written += l->stored != a->launch;
    l->writer = site;
    l->stored = a->launch;
    l->is_read = l->is_counted = false;
}

static void note_access(void *user, const struct cache_event_info *e)
{
    struct l2_advice *a = user;
    const struct mem_request *r = (const struct mem_request *)e->access; /* access is its first
                                                                          * member */
    bool is_store = e->event == CE_STORE;
    if (r->access.space != MEM_GLOBAL || (!is_store && r->access.kind != MEM_LOAD))
        return;
    if (a->launch != a->sim->emu.launch.number + 1)
        note_launch(a);
    uint64_t line_bytes = a->sim->config->l2.line_bytes;
    uint32_t site = find_site(a, r->device_line);
    if (site == NOBODY)
        return;
    struct line *l = line_at(a, r->device_line & ~(line_bytes - 1));
    if (is_store)
        note_store(a, l, site, &r->access);
    else
        note_load(a, l, &a->sites[site], r->sm);
}

void l2_advice_watch(struct l2_advice *a, struct heddle_sim *sim)
{
    const uint32_t events = 1u << CE_HIT | 1u << CE_MERGE | 1u << CE_MISS | 1u << CE_STORE;
    a->sim = sim;
    for (uint32_t i = 0; i < machine_n_slices(sim->machine); i++)
        for (uint32_t b = 0; b < sim->config->memory.banks; b++)
            cache_observe_some(machine_slice(sim->machine, i)->banks[b].cache, events, note_access,
                               a);
}

uint32_t l2_advice_count(const struct l2_advice *a)
{
    return a->n_sites;
}

const struct l2_site *l2_advice_site(const struct l2_advice *a, uint32_t i)
{
    return &a->sites[i];
}

uint32_t l2_advice_left_out(const struct l2_advice *a)
{
    return a->n_left_out;
}

bool l2_advice_add(struct l2_advice *a, const struct l2_site *more)
{
    uint32_t i = site_of(a, more->kernel, more->argument, more->buffer);
    if (i == NOBODY)
        return false;
    struct l2_site *s = &a->sites[i];
    s->written += more->written;
    s->read_later += more->read_later;
    s->shared += more->shared;
    s->read_again += more->read_again;
    s->refetched += more->refetched;
    s->loaded += more->loaded;
    s->loaded_by_others += more->loaded_by_others;
    s->loaded_again += more->loaded_again;
    return true;
}
