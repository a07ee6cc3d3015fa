/* An SM as a part of a machine. */
#include "emu/hostcall.h"
#include "gpu/machine_totals.h"

static void create(struct shard *part, const struct part_position *at, const void *setup)
{
    const struct machine *m = setup;
    const struct machine_config *c = m->config;
    struct sm *sm = (struct sm *)part;
    struct sm_setup s = {.config = &c->sm,
                         .clock = &m->clocks[CLOCK_CORE],
                         .noc_clock = &m->clocks[CLOCK_NOC],
                         .noc = &c->noc,
                         .map = &m->memory.map,
                         .place = at,
                         .first_partition = m->graph.groups[m->memory.group].first_id,
                         .dispatcher = m->graph.groups[m->dispatcher_group].first_id,
                         .n_warps = c->gpu->warps_per_sm,
                         .n_cta_slots = c->gpu->ctas_per_sm,
                         .dispatch_latency = machine_dispatch_latency(m),
                         .visibility = m->visibility,
                         .latency_to_l2 = machine_latency_to_l2(m),
                         .every_cycle = m->options.every_cycle,
                         .scheduler = c->scheduler,
                         .scheduler_params = c->scheduler_params,
                         .criticality = c->criticality,
                         .criticality_params = c->criticality_params,
                         .criticality_input = c->criticality_input,
                         .l1d_policy = c->l1d_policy,
                         .l1d_params = c->l1d_params,
                         .atomics = c->atomics,
                         .atomics_params = c->atomics_params,
                         .atomics_per_cycle = c->memory.atomics_per_cycle,
                         .n_sms = c->gpu->n_sms,
                         .ledger = m->ledger,
                         .l2_is_lru =
                             c->l2_policy == cache_policy_find("lru") && !m->memory.slices.llc,
                         .seed = at->index + 1};
    sm_create(sm, &s);
    if (m->options.attribute)
        attribution_create(sm);
}

static void destroy(struct shard *part)
{
    sm_destroy((struct sm *)part);
}

static void start_kernel(struct shard *part, const struct machine *m, const struct kernel_start *k)
{
    struct sm *sm = (struct sm *)part;
    const struct emu_launch *launch = &k->emu->launch;
    uint64_t shared_bytes = (uint64_t)k->ctas_per_sm * launch->shared_bytes;
    uint32_t threads = launch->block[0] * launch->block[1] * launch->block[2];
    uint32_t warps_per_cta = (threads + WARP_LANES - 1) / WARP_LANES;
    sm_start_kernel(sm,
                    &(struct sm_kernel){.emu = k->emu,
                                        .timing = k->timing,
                                        .launch = launch->number,
                                        .l1d_ways = carveout_ways(&sm->config->division,
                                                                  &sm->config->l1d, shared_bytes),
                                        .n_sms = machine_n_sms(m),
                                        .warps_per_sm = k->ctas_per_sm * warps_per_cta,
                                        .flush_l1 = m->config->run.flush_l1});
    if (k->sm_atomics)
        sm_use_mutexes(sm);
    cache_kernel_start(sm->l1d, launch->number);
}

static void after_kernel(struct shard *part, uint32_t launch)
{
    cache_kernel_end(((struct sm *)part)->l1d, launch);
}

static void commit_atomics(struct shard *part, struct boundary *b)
{
    struct overlay *overlay = ((struct sm *)part)->atomics.overlay;
    if (overlay)
        overlay_commit(overlay, b->mem);
}

static void commit_stores(struct shard *part, struct boundary *b)
{
    struct sm *sm = (struct sm *)part;
    if (sm->atomics.mutexes)
        sm_note_stores(sm, b->at);
    overlay_commit(&sm->overlay, b->mem);
}

/* Like stores: by SMs, whatever the quantum. */
static void pass_on_text(struct shard *part, struct boundary *b)
{
    struct strbuf *printed = &((struct sm *)part)->printed;
    if (printed->len && b->print)
        b->print(b->print_user, strbuf_text(printed), printed->len);
    strbuf_clear(printed);
}

static void perform_heap_calls(struct shard *part, struct boundary *b)
{
    struct sm *sm = (struct sm *)part;
    if (sm->heap.n)
        b->freed |= sm_perform_heap_calls(sm, b->at);
}

static void forget_ranges(struct shard *part, struct boundary *b)
{
    (void)b;
    emu_forget_ranges(&((struct sm *)part)->emu);
}

/* The first part that has seen one reports it. */
static void pass_on_warning(const struct shard *part, struct emu *emu)
{
    const struct emu *own = &((const struct sm *)part)->emu;
    if (emu->div_zero_seen || !own->div_zero_seen)
        return;
    emu->div_zero_seen = true;
    strbuf_clear(&emu->warning);
    strbuf_add(&emu->warning, strbuf_text(&own->warning));
}

static void cut(struct shard *part, sim_time now)
{
    struct sm *sm = (struct sm *)part;
    sm_cut(sm, now / sm->clock->period);
}

static sim_time idle_since(const struct shard *part)
{
    return ((const struct sm *)part)->activity.last_event;
}

static const struct emu_fault *fault(const struct shard *part, sim_time *at)
{
    const struct sm *sm = (const struct sm *)part;
    *at = sm->activity.fault_cycle * sm->clock->period;
    return sm->emu.fault.kind != FAULT_NONE ? &sm->emu.fault : NULL;
}

static void add_run_stats(const struct shard *part, struct run_stats *into)
{
    run_stats_add(into, &((const struct sm *)part)->run_stats);
}

static enum part_work work(const struct shard *part)
{
    const struct sm *sm = (const struct sm *)part;
    uint32_t slot = sm_find_warp(sm);
    if (slot == SM_MAX_WARPS)
        return PART_HAS_NO_WARP;
    return sm->warps[slot].emu->state == WARP_AT_BARRIER ? PART_HAS_WAITING_WARP
                                                         : PART_HAS_RUNNING_WARP;
}

static void describe_work(const struct shard *part, struct strbuf *out)
{
    const struct sm *sm = (const struct sm *)part;
    uint32_t slot = sm_find_warp(sm);
    const struct emu_warp *w = sm->warps[slot].emu;
    emu_describe_place(w, sm_warp_pc(sm, slot), (uint32_t)__builtin_ctz(w->active), out);
    emu_describe_apart(w, "  ", "\n", out);
}

static bool check(const struct shard *part, struct strbuf *why)
{
    const struct mutex_unit *u = ((const struct sm *)part)->atomics.mutexes;
    return !u || mutex_unit_check(u, why);
}

const struct machine_part_kind sm_part = {
    .part = {.bytes = sizeof(struct sm), .create = create, .destroy = destroy},
    .start_kernel = start_kernel,
    .at_boundary = {[BOUNDARY_SM_ATOMICS] = commit_atomics,
                    [BOUNDARY_STORES] = commit_stores,
                    [BOUNDARY_TEXT] = pass_on_text,
                    [BOUNDARY_HEAP] = perform_heap_calls,
                    [BOUNDARY_FORGET] = forget_ranges},
    .end_kernel = pass_on_warning,
    .after_kernel = after_kernel,
    .cut = cut,
    .idle_since = idle_since,
    .fault = fault,
    .add_totals = totals_add_sm,
    .add_run_stats = add_run_stats,
    .check = check,
    .work = work,
    .describe_work = describe_work,
};
