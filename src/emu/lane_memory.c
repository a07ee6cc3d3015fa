/* Memory, one lane at a time: the checked slow path, and local memory. */
#include <string.h>

#include "emu/warp.h"

enum { LONGEST_STRING = 1 << 16 };

static void *global_pointer(struct emu_warp *w, const struct op *op, uint64_t address,
                            uint32_t bytes)
{
    struct emu *e = w->emu;
    const struct mem_alloc *a = mem_find(e->mem, address, bytes);
    if (!a)
        return NULL;
    e->ranges[op - w->code] = (struct mem_range){a->start, a->bytes};
    return mem_host(e->mem, address);
}

void *lane_pointer(struct emu_warp *w, const struct op *op, uint32_t lane, uint64_t address,
                   uint32_t bytes, enum ptx_space space)
{
    void *p = NULL;
    if (!(address & (bytes - 1))) {
        if (space == PTX_GLOBAL)
            p = global_pointer(w, op, address, bytes);
        else if (space == PTX_SHARED && address < w->cta->shared_bytes &&
                 bytes <= w->cta->shared_bytes - address)
            p = w->cta->shared + address;
    }
    if (!p)
        emu_fault_access(w, op, lane, address, bytes, space);
    return p;
}

static char *local_word(const struct emu_warp *w, uint32_t lane, uint32_t at)
{
    return w->local + (size_t)(at & ~3u) * WARP_LANES + lane * 4 + (at & 3);
}

uint64_t local_read(const struct emu_warp *w, uint32_t lane, uint32_t at, uint32_t bytes)
{
    uint64_t v = 0;
    for (uint32_t done = 0; done < bytes; done += 4) {
        uint32_t piece = 0, n = bytes - done < 4 ? bytes - done : 4;
        memcpy(&piece, local_word(w, lane, at + done), n);
        v |= (uint64_t)piece << done * 8;
    }
    return v;
}

void local_write(struct emu_warp *w, uint32_t lane, uint32_t at, uint32_t bytes, uint64_t value)
{
    for (uint32_t done = 0; done < bytes; done += 4) {
        uint32_t piece = (uint32_t)(value >> done * 8), n = bytes - done < 4 ? bytes - done : 4;
        memcpy(local_word(w, lane, at + done), &piece, n);
    }
}

void global_read(const struct emu_warp *w, uint64_t address, void *data, uint32_t bytes)
{
    const struct overlay *o = w->emu->overlay;
    memcpy(data, mem_host(w->emu->mem, address), bytes);
    for (uint32_t i = 0; o && i < bytes; i++) /* which may cross lines */
        if (overlay_may_hold(o, address + i))
            overlay_read(o, address + i, (uint8_t *)data + i, 1);
}

bool lane_read_string(struct emu_warp *w, uint64_t address, struct strbuf *out)
{
    for (uint32_t i = 0; i < LONGEST_STRING; i++) {
        char c;
        if (address >= GENERIC_SHARED_BASE && address < GENERIC_SHARED_BASE + w->cta->shared_bytes)
            c = w->cta->shared[address - GENERIC_SHARED_BASE];
        else if (mem_find(w->emu->mem, address, 1))
            global_read(w, address, &c, 1);
        else
            return false;
        if (!c)
            return true;
        strbuf_add_char(out, c);
        address++;
    }
    return false;
}
