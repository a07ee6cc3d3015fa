/* Instruction fetch: fetch_warps warps a cycle, round-robin among those whose buffer is empty,
 * through the instruction cache. Instructions can issue the cycle after. */
#include "sm/sm.h"

/* Code lies in an address range of its own, so that it meets data only in L2. */
#define CODE_BASE 0x8000000000ull

static uint32_t next_warp(const struct sm *sm)
{
    uint64_t after = sm->last_fetched == 63 ? 0 : ~0ull << (sm->last_fetched + 1);
    uint64_t candidates = sm->can_fetch & after ? sm->can_fetch & after : sm->can_fetch;
    return (uint32_t)__builtin_ctzll(candidates);
}

void sm_deliver_fetch(struct sm *sm, uint32_t slot, uint64_t now)
{
    uint32_t pc = sm->warps[slot].fetch_pc, bytes = sm->config->inst_bytes;
    uint32_t line_bytes = sm->config->l1i.line_bytes;
    uint64_t address = CODE_BASE + (uint64_t)pc * bytes;
    uint32_t in_line = (line_bytes - (uint32_t)(address % line_bytes)) / bytes;
    uint32_t n = in_line < sm->config->fetch_insts ? in_line : sm->config->fetch_insts;
    struct wheel_event e = {EV_FETCHED, (uint16_t)slot, pc, (void *)(uintptr_t)n};
    wheel_add(&sm->wheel, now, now + 1, e);
}

/* The next warp's turn; false if the instruction cache does not take it now. */
static bool fetch_one(struct sm *sm, uint64_t now)
{
    uint32_t slot = next_warp(sm), bytes = sm->config->inst_bytes;
    struct sm_warp *w = &sm->warps[slot];
    uint64_t address = CODE_BASE + (uint64_t)w->emu->pc * bytes;
    uint32_t line_bytes = sm->config->l1i.line_bytes;
    struct mem_access a = {.id = sm->next_access_id,
                           .cycle = now,
                           .launch = sm->launch,
                           .warp_slot = slot,
                           .pc = w->emu->pc,
                           .address = address,
                           .line = address & ~(uint64_t)(line_bytes - 1),
                           .sector_mask = ~0u,
                           .kind = MEM_INSTRUCTION,
                           .space = MEM_CODE,
                           .source = sm->index};
    a.set = cache_set_of(sm->l1i, a.line);
    struct cache_room room = {.miss_queue = !sm_miss_queue_full(sm)};
    struct cache_result r = cache_load(sm->l1i, &a, room, (void *)(uintptr_t)(slot + 1));
    if (r.answer == CACHE_STALLED)
        return false;
    sm->next_access_id++;
    sm->last_fetched = slot;
    w->fetching = true;
    w->fetch_pc = w->emu->pc;
    if (r.answer == CACHE_HIT)
        sm_deliver_fetch(sm, slot, now);
    else if (r.answer == CACHE_MISS)
        sm_queue_request(sm, sm_new_request(sm, &a, FROM_L1I, r.mshr, line_bytes), now);
    sm_refresh(sm, slot, now);
    return true;
}

void sm_fetch(struct sm *sm, uint64_t now)
{
    for (uint32_t i = 0; sm->can_fetch && i < sm->config->fetch_warps; i++)
        if (!fetch_one(sm, now))
            return;
}

void sm_fetched(struct sm *sm, uint32_t slot, uint32_t pc, uint32_t n, uint64_t now)
{
    struct sm_warp *w = &sm->warps[slot];
    if (!w->emu || !w->fetching || w->fetch_pc != pc)
        return;
    w->fetching = false;
    if (w->emu->pc == pc) /* otherwise the warp went elsewhere: it will fetch again */
        w->ibuf = n < sm->config->ibuffer_entries ? n : sm->config->ibuffer_entries;
    sm_refresh(sm, slot, now);
}
