/* Tracks which bytes L2 dropped without a write-back, and reads of such bytes from memory: a read
 * shows that the annotations that made L2 drop them are unsound (cache/lost_bytes.h). */
#include "slice/slice_parts.h"

struct bytes {
    uint64_t mask[2];
};

/* The bytes of the segments that these sectors consist of. */
static struct bytes bytes_of(const struct slice *p, uint32_t sectors)
{
    struct bytes b;
    mem_bytes_of_segments(cache_segments_of(&p->config->l2, sectors), b.mask);
    return b;
}

/* Notes a drop by the policy: nothing else invalidates a line of L2. */
static void note_drop(void *bank, const struct cache_event_info *e)
{
    struct l2_bank *b = bank;
    if (e->cause == EVICT_INVALIDATE)
        lost_dropped(&b->lost, e->line->line);
}

void lost_watch(struct l2_bank *b)
{
    cache_observe_some(b->cache, 1u << CE_EVICT, note_drop, b);
}

static uint64_t address_of(const struct slice *p, const struct mem_request *r)
{
    return r->device_line & ~(uint64_t)p->line_mask;
}

static void read_memory(struct slice *p, struct l2_bank *b, const struct mem_request *r,
                        const uint64_t bytes[2])
{
    if (!lost_is_read(&b->lost, r->access.line, bytes))
        return;
    if (p->stats.stale_reads++ == 0)
        p->first_stale = (struct stale_read){
            .cycle = r->access.cycle, .address = address_of(p, r), .launch = r->access.launch};
}

static void note_victim(struct l2_bank *b, struct cache_result res)
{
    if (res.writeback)
        lost_written_back(&b->lost, cache_victim(b->cache)->line);
}

void lost_note_load(struct slice *p, struct l2_bank *b, const struct mem_request *r,
                    struct cache_result res)
{
    note_victim(b, res);
    if (res.answer == CACHE_BYPASSED)
        read_memory(p, b, r, r->access.byte_mask);
    if (res.answer == CACHE_MISS)
        read_memory(p, b, r, bytes_of(p, res.fetch_sectors).mask);
}

/* A store's fetch reads what the store does not write; an atomic reads what it writes. */
void lost_note_write(struct slice *p, struct l2_bank *b, const struct mem_request *r,
                     struct cache_result res)
{
    const struct mem_access *a = &r->access;
    bool is_store = a->kind == MEM_STORE;
    bool fetches = res.answer == CACHE_MISS && res.mshr != CACHE_NO_MSHR;
    struct bytes fetched = bytes_of(p, res.fetch_sectors);
    for (int i = 0; i < 2 && is_store; i++)
        fetched.mask[i] &= ~a->byte_mask[i];
    note_victim(b, res);
    if (fetches)
        read_memory(p, b, r, fetched.mask);
    else if (!is_store && res.answer != CACHE_HIT && res.answer != CACHE_MERGE)
        read_memory(p, b, r, a->byte_mask);
    lost_stored(&b->lost, a->line, address_of(p, r), a->byte_mask, !res.forward);
}

void slice_host_access(struct slice *p, uint64_t local, uint64_t address, const uint64_t bytes[2],
                       bool is_write)
{
    uint64_t number = local >> p->line_shift, row = number / p->n_banks.divisor;
    struct l2_bank *b = &p->banks[number % p->n_banks.divisor];
    uint64_t line = row << p->line_shift;
    if (is_write)
        lost_overwritten(&b->lost, line, bytes);
    else if (lost_is_read(&b->lost, line, bytes) && p->stats.stale_reads++ == 0)
        p->first_stale = (struct stale_read){.address = address, .is_download = true};
}
