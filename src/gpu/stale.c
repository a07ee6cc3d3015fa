/* The effect of the host's copies on L2, and reads of data that L2 had dropped (slice/lost.c), for
 * the machine as a whole. */
#include "gpu/machine.h"

/* The bytes of a line from `first` to before `end`. */
static void set_bytes(uint64_t bytes[2], uint32_t first, uint32_t end)
{
    bytes[0] = bytes[1] = 0;
    for (uint32_t i = first; i < end; i++)
        bytes[i / 64] |= 1ull << i % 64;
}

uint64_t machine_host_access(struct machine *m, uint64_t address, uint64_t bytes, bool is_write)
{
    uint64_t n = 0, end = address + bytes, line_bytes = m->config->l2.line_bytes;
    if (!cache_policy_may_drop(m->config->l2_policy))
        return 0;
    for (uint64_t line = address & ~(line_bytes - 1); line < end; line += line_bytes) {
        struct slice *p = machine_slice(m, address_partition(&m->memory.map, line));
        uint64_t mask[2], before = p->stats.stale_reads;
        set_bytes(mask, line < address ? (uint32_t)(address - line) : 0,
                  end - line < line_bytes ? (uint32_t)(end - line) : (uint32_t)line_bytes);
        slice_host_access(p, address_local(&m->memory.map, line), line, mask, is_write);
        n += p->stats.stale_reads - before;
    }
    return n;
}

void machine_copy_in(struct machine *m, uint64_t address, uint64_t bytes)
{
    uint64_t end = address + bytes, line_bytes = m->config->l2.line_bytes;
    for (uint64_t line = address & ~(line_bytes - 1); bytes && line < end; line += line_bytes) {
        uint32_t segments = 0;
        for (uint32_t i = 0; i < line_bytes / CACHE_SEGMENT_BYTES; i++) {
            uint64_t at = line + i * CACHE_SEGMENT_BYTES;
            if (at < end && at + CACHE_SEGMENT_BYTES > address)
                segments |= 1u << i;
        }
        slice_copy_in(machine_slice(m, address_partition(&m->memory.map, line)),
                      address_local(&m->memory.map, line), segments);
    }
}

/* The earliest over all slices; of equals, the first. A download comes after every kernel. */
static const struct stale_read *first_stale(const struct machine *m)
{
    const struct stale_read *first = NULL;
    for (uint32_t i = 0; i < machine_n_slices(m); i++) {
        const struct slice *p = machine_slice(m, i);
        const struct stale_read *s = &p->first_stale;
        if (!p->stats.stale_reads)
            continue;
        if (!first || s->is_download < first->is_download ||
            (s->is_download == first->is_download && s->cycle < first->cycle))
            first = s;
    }
    return first;
}

void machine_describe_stale(const struct machine *m, struct strbuf *out)
{
    const struct stale_read *first = first_stale(m);
    if (!first)
        return;
    const struct mem_alloc *buffer = mem_find(m->mem, first->address, 1);
    if (first->is_download)
        strbuf_add(out, "the host reads data");
    else
        strbuf_addf(out, "launch %u reads data", first->launch + 1);
    if (buffer && buffer->label[0])
        strbuf_addf(out, " of '%s'", buffer->label);
    strbuf_addf(out,
                " (the line at 0x%llx) from DRAM that L2 had dropped without a write-back: a .cc "
                "annotation is unsound; remove it, or set l2.drop=demote, which drops nothing\n",
                (unsigned long long)first->address);
}
