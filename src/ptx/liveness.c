/* Liveness, one register at a time: from every block that reads a register it did not write, walk
 * up to the blocks that write it. The work is proportional to the answer, with no fixed point to
 * iterate to. Most registers never leave their block and have no place in the sets. After Brandner
 * and others, "Computing Liveness Sets for SSA-Form Programs", 2011, section 5. */
#include "ptx/liveness.h"

#include <stdlib.h>

#include "ptx/graph.h"
#include "ptx/regalloc.h"

/* Notes per register the blocks that read it before any write of their own, and those that write
 * it. A guarded write reads the old value too, so it never hides a read before it. */
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

struct walker {
    const struct ptx_cfg *cfg;
    struct ptx_liveness *live;
    uint32_t *write_mark; /* per block: the last register (by its number in the sets, + 1) that
                           * was found to be written there */
    uint32_t *stack;
    uint32_t depth;
};

/* Adds a register to a block's set; false if it was there. */
static bool add_alive(const struct ptx_liveness *live, uint64_t *sets, uint32_t b, uint32_t g)
{
    uint64_t *word = &sets[(size_t)b * live->n_words + g / 64], bit = 1ull << (g % 64);
    bool is_new = !(*word & bit);
    *word |= bit;
    return is_new;
}

static void enter(struct walker *w, uint32_t b, uint32_t g)
{
    if (add_alive(w->live, w->live->in, b, g))
        w->stack[w->depth++] = b;
}

static void walk_up(struct walker *w, uint32_t g)
{
    while (w->depth) {
        const struct ptx_block *block = &w->cfg->blocks[w->stack[--w->depth]];
        for (uint32_t k = 0; k < block->n_preds; k++) {
            uint32_t p = block->preds[k];
            if (w->cfg->blocks[p].reachable && add_alive(w->live, w->live->out, p, g) &&
                w->write_mark[p] != g + 1)
                enter(w, p, g);
        }
    }
}

/* Registers alive at a border are those that some block reads before writing. */
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
    struct walker w = {
        .cfg = cfg,
        .live = make_sets(cfg, &exposed, arena),
        .write_mark = ARENA_ARRAY(&scratch, uint32_t, cfg->n_blocks),
        .stack = ARENA_ARRAY(&scratch, uint32_t, cfg->n_blocks),
    };
    for (uint32_t g = 0; g < w.live->n_globals; g++) {
        uint32_t r = w.live->globals[g];
        for (uint32_t k = written.begin[r]; k < written.begin[r + 1]; k++)
            w.write_mark[written.nodes[k]] = g + 1;
        for (uint32_t k = exposed.begin[r]; k < exposed.begin[r + 1]; k++)
            enter(&w, exposed.nodes[k], g);
        walk_up(&w, g);
    }
    free(exposed_edges.items);
    free(written_edges.items);
    arena_destroy(&scratch);
    return w.live;
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
