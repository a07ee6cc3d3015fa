/* How an SM is built, prepared for a kernel, and destroyed. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "emu/run.h"
#include "sm/sm.h"

static void observe_l1d(void *user, const struct cache_event_info *e)
{
    struct sm *sm = user;
    sm->sched->on_l1d(sm->scheduler, e);
    if (sm->scheduler->hold.until < sm->issue.due && sm->issue.keeps_hold && sm->issue.ready)
        sm->issue.due = sm->scheduler->hold.until;
}

void sm_change_l1d_events(struct sm *sm, bool notifies_all)
{
    const struct scheduler *s = sm->scheduler;
    sm->ldst.notifies_all = notifies_all;
    cache_change_events(sm->l1d, s->l1d_events & ~(notifies_all ? 0 : s->l1d_events_of_some_warps),
                        observe_l1d, sm);
}

static void create_caches(struct sm *sm, const struct sm_setup *setup)
{
    const struct cache_policy_desc *lru = cache_policy_find("lru");
    sm->l1d = cache_create(&setup->config->l1d, setup->l1d_policy, setup->l1d_params,
                           setup->n_warps, setup->seed);
    sm->l1i = cache_create(&setup->config->l1i, lru, NULL, 0, 0);
    sm->l1c = cache_create(&setup->config->l1c, lru, NULL, 0, 0);
    if (sm->sched->on_l1d)
        cache_observe_some(sm->l1d,
                           sm->scheduler->l1d_events ? sm->scheduler->l1d_events : CACHE_ALL_EVENTS,
                           observe_l1d, sm);
    sm->ldst.varies_by_warp = sm->scheduler->l1d_events_of_some_warps;
    sm->ldst.notifies_all = true;
    sm->ldst.may_bypass = !setup->l1d_policy->never_bypasses;
    sm->ldst.stalls_may_bypass = setup->l1d_policy->would_stall != NULL;
    sm->out.is_deep = setup->config->miss_queue > 2 * (setup->config->fetch_warps + 2);
    sm->ldst.counts_insts = setup->l1d_policy->on_insts != NULL;
    sm->ldst.hears_fills = cache_hears_fills(sm->l1d);
    sm->ldst.changes_alone = cache_changes_alone(sm->l1d);
}

static bool criticality_drifts(const struct criticality_desc *c)
{
    return c->on_issue || c->on_commit || c->on_branch || c->on_warp_start || c->on_warp_end;
}

static void create_cores(struct sm *sm)
{
    const struct sm_config *c = sm->config;
    sm->operands.n_cores = c->sub_cores ? c->n_schedulers : 1;
    for (uint32_t i = 0; i < sm->operands.n_cores; i++) {
        banks_init(&sm->operands.cores[i].banks, c->register_banks);
        for (uint32_t u = 0; u < N_ARITHMETIC_UNITS; u++) {
            struct arithmetic_unit *unit = &sm->operands.cores[i].unit_store[u];
            unit->units = free_times_of(c->n_units[u]);
            unit->collectors = free_times_of(c->collectors[u]);
            sm->operands.cores[i].units[u] = unit;
        }
    }
    for (uint32_t s = 0; s < c->n_schedulers; s++)
        sm->operands.core_of[s] = &sm->operands.cores[s % sm->operands.n_cores];
    for (uint32_t s = 0; s < sm->n_warps; s++) {
        sm->issue.slot_mask[s % c->n_schedulers] |= 1ull << s;
        sm->operands.cores[s % sm->operands.n_cores].warps |= 1ull << s;
    }
    sm->issue.by_unit[0] = sm->issue.by_class[0] = ~0ull; /* consistent with the zeroed warps */
}

static void create_queues(struct sm *sm, const struct sm_setup *setup)
{
    const struct sm_config *c = setup->config;
    sm->ctas = xcalloc(setup->n_cta_slots, sizeof *sm->ctas);
    sm->ldst.ops = xcalloc(c->ldst_queue, sizeof *sm->ldst.ops);
    sm->out.queue = xcalloc(sm_miss_queue_places(sm), sizeof *sm->out.queue);
    sm->ldst.first = sm->ldst.ops;
    sm->ldst.bypass = xcalloc(c->bypass_slots, sizeof *sm->ldst.bypass);
    sm->ldst.free_bypass = xcalloc(c->bypass_slots, sizeof *sm->ldst.free_bypass);
    for (uint32_t i = 0; i < c->bypass_slots; i++)
        sm->ldst.free_bypass[i] = i;
    part_open_tx(setup->place, NET_UP, &sm->shard, &sm->out.port);
    tx_declare(&sm->out.port, 1u << MSG_REQUEST);
    part_open_rx(setup->place, NET_DOWN, &sm->shard, &sm->in.port);
    assert(sm->out.port.first_receiver ==
           setup->first_partition); /* its peers are the partitions */
    overlay_init(&sm->overlay);
    wheel_init(&sm->wheel);
    sm->in.queue.due = UINT64_MAX;
    sm_make_room_for_replies(&sm->in.queue);
}

static void create_policies(struct sm *sm, const struct sm_setup *setup)
{
    sm->view = (struct sched_view){.n_warps = setup->n_warps,
                                   .n_slots = setup->config->n_schedulers,
                                   .warps = sm->sched_warps,
                                   .l1d_line_bytes = setup->config->l1d.line_bytes,
                                   .l1d_allocates_on_fill = setup->config->l1d.allocate_on_fill};
    sm->scheduler =
        scheduler_create(setup->scheduler, setup->scheduler_params, &sm->view, setup->seed);
    sm->sched = setup->scheduler;
    bool at_once = !setup->every_cycle && !setup->config->no_fast_paths;
    sm->issue.pick_and_issue = at_once ? setup->scheduler->pick_and_issue : NULL;
    sm->criticality = criticality_create(setup->criticality, setup->criticality_params,
                                         setup->criticality_input, &sm->view);
    sm->criticality_matters = setup->criticality != criticality_find("none");
    sm->view.provider = sm->criticality;
    sm->view.criticality_of = sm->criticality->desc->value;
    sm->view.criticality_is_fixed = sm->criticality->desc->is_fixed;
}

/* What the policies never read need not be reported or kept up to date. */
static void note_what_policies_want(struct sm *sm)
{
    const struct scheduler_desc *d = sm->sched;
    const struct criticality_desc *crit = sm->criticality->desc;
    sm->issue.keeps_hold = d->keeps_hold;
    sm->issue.drifts = (d->may_issue || d->advance || d->next_change) && !d->keeps_hold;
    bool hears = d->on_wake || d->on_stall;
    sm->issue.tells_stalls = hears && sm->scheduler->hears == HEARS_ALL_STALLS;
    sm->issue.tells_long_stalls = hears && sm->scheduler->hears == HEARS_LONG_STALLS;
    sm->issue.tells_commits = d->on_commit || crit->on_commit;
    sm->issue.tells_branches = d->on_branch || crit->on_branch;
    sm->issue.tells_criticality = crit->on_issue;
    sm->issue.counts_lanes = sm->ldst.counts_insts;
    if (sm->issue.tells_criticality && d->asks_at_issue)
        sm->issue.pick_and_issue = NULL;
}

void sm_create(struct sm *sm, const struct sm_setup *setup)
{
    sm->shard = (struct shard){
        .ops = &sm_ops, .id = setup->place->id, .next = TIME_NEVER, .tick = setup->clock->period};
    sm->config = setup->config;
    sm->clock = setup->clock;
    sm_plan_routes(sm, setup->map);
    sm->period = divider_make(setup->clock->period);
    sm->in.in_step = setup->noc_clock->period % setup->clock->period == 0;
    sm->out.noc = setup->noc;
    sm->out.header_flits = noc_flits(setup->noc, 0);
    sm->out.l2_sees_loads = !setup->l2_is_lru || setup->every_cycle || setup->config->no_fast_paths;
    sm->index = setup->place->index;
    sm->out.first_partition = setup->first_partition;
    sm->dispatcher = setup->dispatcher;
    sm->dispatch_latency = setup->dispatch_latency;
    sm->visibility = setup->visibility;
    sm->atomics = (struct atomics_sm){.desc = setup->atomics,
                                      .params = setup->atomics_params,
                                      .latency_to_l2 = setup->latency_to_l2,
                                      .visibility = setup->visibility};
    sm->atomics_lead = setup->atomics->lead(&sm->atomics);
    sm->every_cycle = setup->every_cycle;
    sm->n_warps = setup->n_warps;
    sm->n_cta_slots = setup->n_cta_slots;
    sm->planned = UINT64_MAX;
    sm->issue.due = sm->ldst.due = sm->out.due = UINT64_MAX;
    create_queues(sm, setup);
    create_policies(sm, setup);
    create_cores(sm);
    create_caches(sm, setup);
    note_what_policies_want(sm);
    sm_create_mutexes(sm, setup);
}

void sm_watch_l1d(struct sm *sm, struct sm_l1d_watcher w)
{
    assert(sm->n_l1d_watchers < SM_MAX_L1D_WATCHERS);
    sm->l1d_watchers[sm->n_l1d_watchers++] = w;
    sm->issue.counts_lanes = true;
}

void sm_set_handler(struct sm *sm, uint32_t kind, struct sm_handler h)
{
    assert(kind > MSG_CTA_START && kind < MAX_MESSAGE_KINDS && !sm->handlers[kind].take);
    sm->handlers[kind] = h;
}

void sm_destroy(struct sm *sm)
{
    for (uint32_t i = 0; i < sm->n_cta_slots; i++)
        cta_destroy(&sm->ctas[i]);
    free(sm->sampler);
    free(sm->ctas);
    free(sm->ldst.ops);
    free(sm->out.queue);
    free(sm->in.queue.items);
    free(sm->ldst.bypass);
    free(sm->ldst.free_bypass);
    free(sm->operands.pending_store);
    free(sm->operands.bank_of);
    free(sm->ranges);
    sm_destroy_mutexes(sm);
    tx_destroy(&sm->out.port);
    rx_destroy(&sm->in.port);
    overlay_destroy(&sm->overlay);
    scheduler_destroy(sm->scheduler);
    criticality_destroy(sm->criticality);
    attribution_destroy(sm->attribution);
    cache_destroy(sm->l1d);
    cache_destroy(sm->l1i);
    cache_destroy(sm->l1c);
    wheel_destroy(&sm->wheel);
    arena_destroy(&sm->pool);
    strbuf_destroy(&sm->emu.fault.text);
    strbuf_destroy(&sm->emu.warning);
    strbuf_destroy(&sm->printed);
    free(sm->heap.items);
}

/* Sized for the registers of any function of the program. */
static void size_scoreboards(struct sm *sm, const struct program *p)
{
    sm->operands.pending_words = op_timing_words(p);
    free(sm->operands.pending_store);
    sm->operands.pending_store =
        xcalloc((size_t)sm->operands.pending_words * 2 * SM_MAX_WARPS, sizeof(uint64_t));
    for (uint32_t s = 0; s < SM_MAX_WARPS; s++) {
        uint64_t *pending = sm->operands.pending_store + (size_t)s * 2 * sm->operands.pending_words;
        sm->warps[s].scoreboard = (struct scoreboard){
            .wide_pending = pending, .wide_memory = pending + sm->operands.pending_words};
    }
    uint32_t n_banks = sm->config->register_banks,
             n = sm->operands.pending_words * 64 + SM_MAX_WARPS;
    sm->operands.bank_of = xrealloc(sm->operands.bank_of, n);
    for (uint32_t i = 0; i < n; i++)
        sm->operands.bank_of[i] = (uint8_t)(i % n_banks);
}

static void drop_line(void *user, uint64_t line, uint32_t sectors)
{
    (void)user;
    (void)line;
    (void)sectors;
}

static void keep_text(void *user, const char *text, size_t len)
{
    struct sm *sm = user;
    strbuf_add_n(&sm->printed, text, len);
}

/* A copy: memory, program and launch are shared, what it writes belongs to the SM. */
static void start_emu(struct sm *sm, const struct emu *emu)
{
    struct strbuf text = sm->emu.fault.text, warning = sm->emu.warning;
    sm->emu = *emu;
    sm->emu.fault = (struct emu_fault){.text = text};
    sm->emu.warning = warning;
    strbuf_clear(&sm->emu.fault.text);
    strbuf_clear(&sm->emu.warning);
    sm->emu.stats = &sm->run_stats;
    sm->emu.print = keep_text;
    sm->emu.print_user = sm;
    sm->ranges = xrealloc(sm->ranges, emu->program->n_ops * sizeof *sm->ranges);
    memset(sm->ranges, 0, emu->program->n_ops * sizeof *sm->ranges);
    sm->emu.ranges = sm->ranges;
    sm->emu.overlay = &sm->overlay;
    sm->emu.heap = &sm->heap;
    sm->emu.smid = sm->index;
}

/* The criticality of an access's warp must be computed for each of them. */
static void note_who_sees_accesses(struct sm *sm)
{
    const struct cache_policy_desc *policy = cache_get_policy(sm->l1d)->desc;
    bool decides_by_it = policy->criticality && !policy->reads_criticality_on_hits_only;
    bool others_look = cache_n_observers(sm->l1d) || sm->ldst.describes_loads;
    sm->ldst.rates_accesses = sm->criticality_matters && (policy->criticality || others_look);
    sm->ldst.rates_if_found = policy->reads_criticality_on_hits_only && !others_look;
    sm->ldst.rates_no_value = policy->reads_is_critical_only && !others_look;
    sm->ldst.hits_depend_on_issue = sm->ldst.counts_insts || sm->ldst.rates_accesses;
    sm->ldst.answers_drift = decides_by_it && criticality_drifts(sm->criticality->desc);
}

/* Chooses the fast paths through the cycle that this kernel can use on this machine. */
static void choose_fast_paths(struct sm *sm)
{
    bool fast = !sm->config->no_fast_paths;
    sm->ldst.all_lanes = fast ? ~0u : 0;
    sm->ldst.describes_loads = sm->out.l2_sees_loads || cache_wants_bytes(sm->l1d);
    sm->ldst.notifies_loads = cache_notifies_loads(sm->l1d);
    note_who_sees_accesses(sm);
    sm->issue.tells_issues = sm->issue.counts_lanes || sm->issue.tells_branches ||
                             sm->issue.tells_criticality || sm->issue.tells_commits;
    sm->issue.has_listeners =
        sm->issue.tells_issues || sm->issue.tells_long_stalls || sm->issue.keeps_hold;
    sm->issue.is_simple = fast && sm->operands.pending_words == 1 && !sm->issue.tells_stalls;
    sm->issue.releases_simply = sm->issue.is_simple && !sm->issue.tells_commits;
    sm->issue.takes_short_path = sm->issue.is_simple && !sm->issue.watcher && !sm->issue.drifts &&
                                 !sm->attribution && !sm->emu.tracer &&
                                 !sm->config->rotate_schedulers &&
                                 (sm->issue.pick_and_issue || !sm->issue.tells_criticality);
    sm->issue.commits_ahead = fast && sm->criticality->desc->commit_ahead && !sm->sched->on_commit;
    bool sees_commits = sm->issue.tells_commits && !sm->issue.commits_ahead;
    bool hears_more = sees_commits || sm->issue.tells_long_stalls || sm->issue.keeps_hold;
    sm->issue.may_issue_alone = sm->issue.takes_short_path && sm->issue.pick_and_issue &&
                                !sm->sched->hears_each_issue && !hears_more;
    sm->looks_ahead = fast && !sm->every_cycle && !sm->attribution;
    sm->out.sends_ahead = sm->out.is_deep && sm->looks_ahead;
    sm->issue.plans_results = sm->issue.is_simple && sm->looks_ahead;
    sm->skips_units_not_due = sm->looks_ahead && !sm->issue.drifts && !sm->ldst.answers_drift;
}

/* MODEL: an odd number of warps lies between two words of a thread in local memory, so that the
 * words of one warp spread over all sets of a cache. GPGPU-Sim does not pad: with 30 SMs of 32
 * warps, every word of a warp would fall into the same one of 32 sets. */
static struct local_layout lay_out_local(const struct sm *sm, const struct sm_kernel *k)
{
    uint64_t n_warps = (uint64_t)k->n_sms * k->warps_per_sm;
    return (struct local_layout){.first_warp = (uint64_t)sm->index * k->warps_per_sm,
                                 .stride = (n_warps | 1) * WARP_LANES};
}

void sm_start_kernel(struct sm *sm, const struct sm_kernel *k)
{
    start_emu(sm, k->emu);
    sm->timing = k->timing;
    sm->launch = k->launch;
    sm->local = lay_out_local(sm, k);
    size_scoreboards(sm, k->emu->program);
    /* Local memory dies with its threads: nothing of it needs to be written back. */
    cache_resize(sm->l1d, k->l1d_ways, drop_line, NULL);
    if (k->flush_l1)
        cache_flush(sm->l1d, drop_line, NULL);
    choose_fast_paths(sm);
}

/* Results are the same on every path through the cycle. The mutex unit may act in any cycle,
 * between the load/store unit and issue: no cycle is skipped, and nothing is done ahead. */
void sm_use_mutexes(struct sm *sm)
{
    sm->looks_ahead = sm->issue.plans_results = sm->skips_units_not_due = sm->out.sends_ahead =
        false;
    sm->issue.takes_short_path = sm->issue.may_issue_alone = false;
}
