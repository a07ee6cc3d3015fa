/* Instruction fetch: `sm.fetch_warps` warps per cycle, round-robin among those with an empty
 * buffer, through the instruction cache. After a hit, instructions can issue in the next cycle. */
#include "sm/fetch.h"
#include "sm/send.h"

static inline uint32_t next_warp(const struct sm *sm)
{
    uint64_t all = sm->fetch.ready, later = all & ~1ull << sm->fetch.last;
    return (uint32_t)__builtin_ctzll(later ? later : all);
}

/* What the MSHR of a line stores for a waiting warp: its slot, counted from one. */
static inline void *waiter_of(const struct sm_warp *w)
{
    return (void *)(uintptr_t)(w->slot + 1);
}

/* Fetches where sm_fetch_hits() does not: the line is absent, or a listener must be notified of the
 * hit. False if the cache does not accept the request now. */
static __attribute__((noinline)) bool fetch_line(struct sm *sm, struct sm_warp *w, uint64_t now)
{
    uint32_t slot = w->slot, pc = w->emu->pc, line_bytes = sm->config->l1i.line_bytes;
    uint64_t address = CODE_BASE + (uint64_t)pc * sm->config->inst_bytes;
    struct mem_access a = {.id = sm->ldst.next_access_id,
                           .cycle = now,
                           .launch = sm->launch,
                           .warp_slot = slot,
                           .pc = pc,
                           .address = address,
                           .line = address & ~(uint64_t)(line_bytes - 1),
                           .sector_mask = 1,
                           .segments = coalesce_all_segments(line_bytes),
                           .kind = MEM_INSTRUCTION,
                           .space = MEM_CODE,
                           .source = sm->index};
    a.set = cache_set_of(sm->l1i, a.line);
    struct cache_resources room = {.miss_queue = !sm_miss_queue_full(sm)};
    struct cache_result r = cache_load(sm->l1i, &a, room, waiter_of(w));
    if (r.answer == CACHE_STALLED)
        return false;
    if (r.answer == CACHE_HIT) {
        sm_fetch_arrives(sm, w, now);
        return true;
    }
    sm_begin_fetch(w);
    if (r.answer == CACHE_MISS) {
        struct route route = sm_route(sm, a.line);
        sm_submit(sm, sm_new_request(sm, &a, &route, FROM_L1I, r.mshr, line_bytes), now);
    }
    return true;
}

/* Fetches for the next warp in turn; false if the instruction cache does not accept the request
 * now. */
static inline bool fetch_one(struct sm *sm, uint64_t now)
{
    struct sm_warp *w = sm_warp_of(sm, next_warp(sm));
    if (sm_fetch_hits(sm, w)) {
        sm_fetch_arrives(sm, w, now);
        return true;
    }
    if (!fetch_line(sm, w, now))
        return false;
    sm_note_fetched(sm, w);
    return true;
}

void sm_fetch(struct sm *sm, uint64_t now)
{
    bool accepted = true;
    for (uint32_t left = sm->config->fetch_warps; sm->fetch.ready && left && accepted; left--)
        accepted = fetch_one(sm, now);
    sm->fetch.stalled = !accepted;
}
