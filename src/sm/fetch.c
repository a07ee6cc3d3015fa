/* Instruction fetch: fetch_warps warps a cycle, round-robin among those whose buffer is empty,
 * through the instruction cache. Instructions can issue the cycle after. */
#include "sm/sm.h"

/* Code lies in an address range of its own, so that it meets data only in L2. */
#define CODE_BASE 0x8000000000ull

static inline uint64_t address_of(const struct sm *sm, uint32_t pc)
{
    return CODE_BASE + (uint64_t)pc * sm->config->inst_bytes;
}

static inline uint32_t next_warp(const struct sm *sm)
{
    uint64_t all = sm->can_fetch, behind = all & ~1ull << sm->last_fetched;
    return (uint32_t)__builtin_ctzll(behind ? behind : all);
}

/* Takes an instruction cache's line that is not there, or is but somebody watches. */
static __attribute__((noinline)) enum cache_answer load_line(struct sm *sm, const struct sm_warp *w,
                                                             uint64_t now)
{
    uint32_t slot = w->slot, pc = w->fetch_pc, line_bytes = sm->config->l1i.line_bytes;
    uint64_t address = address_of(sm, pc);
    struct mem_access a = {.id = sm->next_access_id,
                           .cycle = now,
                           .launch = sm->launch,
                           .warp_slot = slot,
                           .pc = pc,
                           .address = address,
                           .line = address & ~(uint64_t)(line_bytes - 1),
                           .sector_mask = 1,
                           .segments = all_segments(line_bytes),
                           .kind = MEM_INSTRUCTION,
                           .space = MEM_CODE,
                           .source = sm->index};
    a.set = cache_set_of(sm->l1i, a.line);
    struct cache_room room = {.miss_queue = !sm_miss_queue_full(sm)};
    struct cache_result r = cache_load(sm->l1i, &a, room, (void *)(uintptr_t)(slot + 1));
    struct route route = sm_route(sm, a.line);
    if (r.answer == CACHE_MISS)
        sm_queue_request(sm, sm_new_request(sm, &a, &route, FROM_L1I, r.mshr, line_bytes), now);
    return r.answer;
}

/* The next warp's turn; false if the instruction cache does not take it now. */
static inline bool fetch_one(struct sm *sm, uint64_t now)
{
    struct sm_warp *w = sm_warp_of(sm, next_warp(sm));
    uint32_t pc = w->emu->pc;
    uint64_t line = address_of(sm, pc) & ~(uint64_t)(sm->config->l1i.line_bytes - 1);
    enum cache_answer answer = CACHE_HIT;
    w->fetch_pc = pc;
    if (!cache_load_hit(sm->l1i, line, pc))
        answer = load_line(sm, w, now);
    if (answer == CACHE_STALLED)
        return false;
    sm->next_access_id++;
    sm->last_fetched = w->slot;
    w->fetching = true;
    sm->can_fetch &= ~w->bit;
    if (answer == CACHE_HIT)
        sm->fetched |= w->bit;
    return true;
}

static __attribute__((noinline)) void fetch_several(struct sm *sm, uint64_t now)
{
    uint32_t left = sm->config->fetch_warps;
    bool goes_on = true;
    while (sm->can_fetch && left-- && goes_on)
        goes_on = fetch_one(sm, now);
    sm->fetch_stalled = !goes_on;
}

void sm_fetch(struct sm *sm, uint64_t now)
{
    if (sm->config->fetch_warps == 1 && sm->can_fetch)
        sm->fetch_stalled = !fetch_one(sm, now);
    else
        fetch_several(sm, now);
}
