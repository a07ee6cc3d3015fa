#include "cpu/core.h"

#include <inttypes.h>

/* --- statistics --- */

static struct cpu_stats stats_at(const struct cpu_core *core, uint64_t cycle)
{
    const struct cpu_caches *c = &core->caches;
    const struct cache_stats *l1 = cache_stats(c->l1), *l2 = cache_stats(c->l2);
    return (struct cpu_stats){.insts = core->window.retired,
                              .cycles = core->is_running ? cycle - core->started : 0,
                              .loads = l1->loads,
                              .stores = l1->stores,
                              .l1_hits = l1->hits + l1->store_hits,
                              .l1_merges = l1->merges + l1->store_merges,
                              .l1_misses = l1->misses + l1->store_misses,
                              .l2_hits = l2->hits,
                              .l2_misses = l2->misses,
                              .llc_misses = c->llc_misses,
                              .writebacks = c->writebacks,
                              .bytes_asked = c->bytes_asked,
                              .bytes_got = c->bytes_got};
}

struct cpu_stats cpu_core_stats(const struct cpu_core *core, sim_time now)
{
    return stats_at(core, clock_cycle_at(core->ticker.clock, now));
}

struct cpu_stats cpu_core_first_stats(const struct cpu_core *core, sim_time now)
{
    return core->first_end ? core->first : cpu_core_stats(core, now);
}

/* MODEL: what a CPU core's caches count at the first end includes accesses of instructions in the
 * window that belong to the next run. */
static void note_first_end(struct cpu_core *core, uint64_t now)
{
    if (core->first_end || !core->first_length || core->window.retired < core->first_length)
        return;
    core->first_end = now - core->started;
    core->first = stats_at(core, now);
    core->first.insts = core->first_length;
}

bool cpu_core_check(const struct cpu_core *core, struct strbuf *why)
{
    struct cpu_stats s = stats_at(core, core->started);
    const struct {
        bool holds;
        const char *what;
    } identities[] = {
        {s.loads + s.stores == s.l1_hits + s.l1_merges + s.l1_misses,
         "every access of L1 is a hit, a merge or a miss"},
        {s.l1_misses == s.l2_hits + s.l2_misses, "every miss of L1 is a hit or a miss of L2"},
        {s.llc_misses <= s.l2_misses, "the last-level cache misses what L2 missed"},
        {s.bytes_got + core->caches.n_reads * (uint64_t)CPU_LINE_BYTES ==
             s.l2_misses * CPU_LINE_BYTES,
         "every miss of L2 is answered or awaited"},
    };
    bool ok = true;
    for (uint32_t i = 0; i < sizeof identities / sizeof identities[0]; i++)
        if (!identities[i].holds) {
            strbuf_addf(why, "CPU core of application %u: violated: %s\n", core->caches.access.app,
                        identities[i].what);
            ok = false;
        }
    return ok && cache_stats_check(cache_stats(core->caches.l1), why) &&
           cache_stats_check(cache_stats(core->caches.l2), why);
}

/* --- a cycle --- */

/* More instructions of the work-group. */
static bool read_group(struct cpu_core *core)
{
    struct cpu_source *s = core->source;
    if (!core->has_group || core->group_is_read)
        return false;
    s->ops->refill(s);
    if (!s->n_left) {
        core->group_is_read = true;
        core->group_end = core->window.entered;
    }
    return s->n_left;
}

/* More instructions of the program, which begins again when it ends. False after an error. */
static bool read_more(struct cpu_core *core)
{
    struct cpu_source *s = core->source;
    if (core->is_worker)
        return read_group(core);
    s->ops->refill(s);
    if (s->n_left || s->error)
        return s->n_left;
    if (!core->first_length)
        core->first_length = core->window.entered;
    core->restarts++;
    cpu_source_rewind(s);
    s->ops->refill(s);
    if (!s->n_left && !s->error)
        s->error = "the trace has no instructions";
    return s->n_left;
}

/* Records that belong to the instruction that has just entered. */
static void enter_joined(struct cpu_core *core)
{
    struct cpu_source *s = core->source;
    for (; s->n_left && s->next->is_branch == CPU_JOINS; s->n_left--)
        cpu_window_join(&core->window, s->next++, core->address_space);
}

static void enter(struct cpu_core *core, uint64_t now)
{
    struct cpu_window *w = &core->window;
    struct cpu_source *s = core->source;
    uint64_t room = w->rob - (w->entered - w->retired);
    for (uint64_t n = room < w->width ? room : w->width; n; n--) {
        if (!s->n_left && !read_more(core)) {
            if (core->is_worker && !s->error)
                return;
            core->is_running = false;
            shard_fail(&core->ticker.shard);
            return;
        }
        s->n_left--;
        const struct cpu_inst *inst = s->next++;
        if (core->config->no_fast_paths || !cpu_window_enter_fast(w, inst))
            cpu_window_enter(w, inst, core->address_space, now);
        if (core->is_worker)
            enter_joined(core);
    }
}

/* Are there no more instructions until another work-group comes? */
static inline bool is_out_of_work(const struct cpu_core *core)
{
    return core->is_worker && (!core->has_group || core->group_is_read);
}

/* The window has something to do in every cycle in which it has room. */
static uint64_t next_cycle(struct cpu_core *core, uint64_t now)
{
    uint64_t next = now + 1;
    if (cpu_window_has_room(&core->window) && !is_out_of_work(core))
        return next;
    next = cpu_window_next(&core->window, now);
    if (next == now + 1)
        return next;
    uint64_t send = cpu_caches_next_send(&core->caches, now), fill = core->caches.fill_at;
    next = send < next ? send : next;
    return fill < next ? fill : next;
}

static void begin_group(struct cpu_core *core, uint64_t group)
{
    assert(core->is_worker && !core->has_group);
    core->has_group = true;
    core->group_is_read = false;
    core->source->ops->begin(core->source, group);
}

/* MODEL: when a work-group on a CPU core ends, its stores may still be in flight to the caches. */
static void end_group(struct cpu_core *core, uint64_t now)
{
    sim_time t = ticker_time(&core->ticker, now);
    core->has_group = false;
    core->n_groups++;
    shard_send(&core->ticker.shard, t,
               (struct message){
                   .at = t + core->dispatch_latency, .to = core->dispatcher, .kind = MSG_CTA_DONE});
}

/* A stopping core has nothing left to do. */
static bool has_drained(const struct cpu_core *core)
{
    const struct cpu_window *w = &core->window;
    return w->entered == w->retired && w->done_store == w->end_store &&
           !cache_mshrs_in_use(core->caches.l1) && !core->caches.n_reads && !core->caches.n_writes;
}

static uint64_t tick(struct shard *s, uint64_t now)
{
    struct cpu_core *core = (struct cpu_core *)s;
    struct cpu_window *w = &core->window;
    struct cpu_caches *c = &core->caches;
    if (!core->is_running)
        return TICK_NEVER;
    if (c->fill_at <= now)
        cpu_caches_fill(c, now);
    cpu_window_retire(w, now);
    if (w->done_store != w->kept_store)
        cpu_window_store(w, c, now);
    if (!core->is_stopping)
        enter(core, now);
    if (core->has_group && core->group_is_read && w->retired == core->group_end)
        end_group(core, now);
    note_first_end(core, now);
    cpu_window_load(w, c, c->unblocked || core->every_cycle, now);
    if (c->send_at <= now)
        cpu_caches_send(c, now);
    c->unblocked = false;
    if (core->is_stopping && has_drained(core)) {
        core->is_running = false;
        return TICK_NEVER;
    }
    return core->every_cycle ? now + 1 : next_cycle(core, now);
}

static void take(struct shard *s, const struct message *m, uint64_t now)
{
    struct cpu_core *core = (struct cpu_core *)s;
    if (m->kind != MSG_CTA_START)
        cpu_caches_take(&core->caches, m, now);
    else if (!core->is_stopping) /* the dispatcher may no longer have the work-group */
        begin_group(core, (uintptr_t)m->body);
}

static bool is_idle(const struct shard *s)
{
    const struct cpu_core *core = (const struct cpu_core *)s;
    bool runs = core->is_running && (!core->is_worker || core->has_group);
    return !runs && !core->caches.n_reads && !core->caches.n_writes;
}

static void describe_wait(const struct shard *s, struct strbuf *out)
{
    const struct cpu_core *core = (const struct cpu_core *)s;
    const struct cpu_window *w = &core->window;
    strbuf_addf(out,
                "CPU core of application %u: %" PRIu64 " instructions retired, %" PRIu64
                " in the window, %" PRIu64 " stores waiting, %u lines requested, %u written\n",
                core->caches.access.app, w->retired, w->entered - w->retired,
                w->kept_store - w->done_store, core->caches.n_reads, core->caches.n_writes);
}

static const struct shard_ops core_ops = {.kind = "CPU core",
                                          .advance = ticker_advance,
                                          .is_idle = is_idle,
                                          .describe_wait = describe_wait,
                                          .take = take,
                                          .tick = tick};

/* --- life --- */

void cpu_core_create(struct cpu_core *core, const struct cpu_setup *setup)
{
    *core = (struct cpu_core){.config = setup->config,
                              .source = setup->source,
                              .address_space =
                                  setup->is_worker ? 0 : (setup->app + 1ull) << CPU_ADDRESS_BITS,
                              .first_length = setup->source->n_counted,
                              .is_worker = setup->is_worker,
                              .dispatcher = setup->dispatcher,
                              .dispatch_latency = setup->dispatch_latency,
                              .every_cycle = setup->every_cycle};
    ticker_init(&core->ticker, &core_ops, setup->place->id, setup->clock);
    cpu_window_create(&core->window, setup->config, &core->arena);
    cpu_caches_create(&core->caches, setup, &core->ticker.shard, &core->window, &core->arena);
}

void cpu_core_destroy(struct cpu_core *core)
{
    cpu_caches_destroy(&core->caches);
    arena_destroy(&core->arena);
}

void cpu_core_start(struct cpu_core *core, sim_time at)
{
    assert(!core->is_running);
    ticker_start(&core->ticker, at);
    core->started = core->ticker.cycle;
    core->is_running = true;
}

void cpu_core_stop(struct cpu_core *core)
{
    core->is_stopping = true;
}
