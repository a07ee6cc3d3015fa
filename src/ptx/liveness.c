/* Liveness by walking up from reads: where a block reads a register that it did not write before,
 * the register is live in the blocks above, up to those that write it. 64 registers, one word of
 * the sets, are processed together, and a block is revisited only for registers that are new to it.
 * Most registers never leave their block and are not in the sets. */
#include "ptx/liveness.h"

#include <stdlib.h>
#include <string.h>

#include "ptx/graph.h"
#include "ptx/regalloc.h"

/* Records for each register the blocks that read it before writing it, and those that write it. A
 * guarded write also reads the old value, so it never hides a read. */
static void collect_uses(const struct ptx_cfg *cfg, struct edge_list *exposed,
                         struct edge_list *written)
{
    uint32_t reads[PTX_MAX_INST_REGS], writes[PTX_MAX_INST_REGS], n_reads, n_writes;
    uint32_t *read_mark = xcalloc(cfg->func->n_regs, sizeof *read_mark);
    uint32_t *write_mark = xcalloc(cfg->func->n_regs, sizeof *write_mark);
    for (uint32_t place = 0; place < cfg->n_order; place++) {
        uint32_t b = cfg->order[place];
        for (uint32_t i = cfg->blocks[b].first; i < cfg->blocks[b].end; i++) {
            ptx_inst_regs(&cfg->func->insts[i], true, reads, &n_reads, writes, &n_writes);
            for (uint32_t k = 0; k < n_reads; k++) {
                uint32_t r = reads[k];
                if (write_mark[r] != b + 1 && read_mark[r] != b + 1)
                    edge_list_add(exposed, r, b);
                read_mark[r] = b + 1;
            }
            for (uint32_t k = 0; k < n_writes; k++) {
                if (write_mark[writes[k]] != b + 1)
                    edge_list_add(written, writes[k], b);
                write_mark[writes[k]] = b + 1;
            }
        }
    }
    free(read_mark);
    free(write_mark);
}

/* State of the walk for the registers of one word. */
struct walker {
    const struct ptx_cfg *cfg;
    uint64_t *in, *out; /* the word in the set of block 0; that of b is at [b * stride] */
    size_t stride;
    uint64_t *written; /* per block: the registers it writes */
    uint64_t *news;    /* per block: live at its start and not yet propagated to its predecessors */
    uint32_t *queue;   /* a FIFO ring of the blocks with news, so that news accumulate */
    uint32_t head, n_queued;
};

static void enter(struct walker *w, uint32_t b, uint64_t regs)
{
    uint64_t *in = &w->in[b * w->stride], new_regs = regs & ~*in;
    if (new_regs && !w->news[b])
        w->queue[(w->head + w->n_queued++) % w->cfg->n_blocks] = b;
    w->news[b] |= new_regs;
    *in |= new_regs;
}

static void walk_up(struct walker *w)
{
    while (w->n_queued) {
        uint32_t b = w->queue[w->head];
        w->head = (w->head + 1) % w->cfg->n_blocks;
        w->n_queued--;
        const struct ptx_block *block = &w->cfg->blocks[b];
        uint64_t regs = w->news[b];
        w->news[b] = 0;
        for (uint32_t k = 0; k < block->n_preds; k++) {
            uint32_t p = block->preds[k];
            if (!w->cfg->blocks[p].reachable)
                continue;
            w->out[p * w->stride] |= regs;
            enter(w, p, regs & ~w->written[p]);
        }
    }
}

/* Finds where the registers of word `k` of the sets are live. */
static void fill_word(struct walker *w, const struct ptx_liveness *live, uint32_t k,
                      const struct adjacency *exposed, const struct adjacency *written)
{
    w->in = live->in + k;
    w->out = live->out + k;
    memset(w->written, 0, w->cfg->n_blocks * sizeof *w->written);
    for (uint32_t g = 64 * k; g < 64 * k + 64 && g < live->n_globals; g++)
        for (uint32_t e = written->begin[live->globals[g]];
             e < written->begin[live->globals[g] + 1]; e++)
            w->written[written->nodes[e]] |= 1ull << (g % 64);
    for (uint32_t g = 64 * k; g < 64 * k + 64 && g < live->n_globals; g++)
        for (uint32_t e = exposed->begin[live->globals[g]];
             e < exposed->begin[live->globals[g] + 1]; e++)
            enter(w, exposed->nodes[e], 1ull << (g % 64));
    walk_up(w);
}

/* Registers live at a boundary are those that some block reads before writing. */
static struct ptx_liveness *make_sets(const struct ptx_cfg *cfg, const struct adjacency *exposed,
                                      struct arena *arena)
{
    struct ptx_liveness *live = ARENA_NEW(arena, struct ptx_liveness);
    uint32_t n_regs = cfg->func->n_regs;
    live->globals = ARENA_ARRAY(arena, uint32_t, n_regs);
    for (uint32_t r = 0; r < n_regs; r++)
        if (exposed->begin[r] != exposed->begin[r + 1])
            live->globals[live->n_globals++] = r;
    live->n_words = (live->n_globals + 63) / 64;
    live->in = ARENA_ARRAY(arena, uint64_t, (size_t)cfg->n_blocks * live->n_words);
    live->out = ARENA_ARRAY(arena, uint64_t, (size_t)cfg->n_blocks * live->n_words);
    return live;
}

struct ptx_liveness *ptx_liveness_build(const struct ptx_cfg *cfg, struct arena *arena)
{
    struct arena scratch = {0};
    struct edge_list exposed_edges = {0}, written_edges = {0};
    collect_uses(cfg, &exposed_edges, &written_edges);
    uint32_t n_regs = cfg->func->n_regs;
    struct adjacency exposed = adjacency_build(&exposed_edges, n_regs, false, &scratch);
    struct adjacency written = adjacency_build(&written_edges, n_regs, false, &scratch);
    struct ptx_liveness *live = make_sets(cfg, &exposed, arena);
    struct walker w = {
        .cfg = cfg,
        .stride = live->n_words,
        .written = ARENA_ARRAY(&scratch, uint64_t, cfg->n_blocks),
        .news = ARENA_ARRAY(&scratch, uint64_t, cfg->n_blocks),
        .queue = ARENA_ARRAY(&scratch, uint32_t, cfg->n_blocks),
    };
    for (uint32_t k = 0; k < live->n_words; k++)
        fill_word(&w, live, k, &exposed, &written);
    free(exposed_edges.items);
    free(written_edges.items);
    arena_destroy(&scratch);
    return live;
}

static uint32_t list_set(const struct ptx_liveness *live, const uint64_t *sets, uint32_t b,
                         uint32_t *regs)
{
    const uint64_t *words = sets + (size_t)b * live->n_words;
    uint32_t n = 0;
    for (uint32_t k = 0; k < live->n_words; k++)
        for (uint64_t rest = words[k]; rest; rest &= rest - 1)
            regs[n++] = live->globals[64 * k + (uint32_t)__builtin_ctzll(rest)];
    return n;
}

uint32_t ptx_alive_in(const struct ptx_liveness *live, uint32_t block, uint32_t *regs)
{
    return list_set(live, live->in, block, regs);
}

uint32_t ptx_alive_out(const struct ptx_liveness *live, uint32_t block, uint32_t *regs)
{
    return list_set(live, live->out, block, regs);
}
