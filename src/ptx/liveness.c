/* Liveness, one register at a time: from every block that reads a register it did not write, walk
 * up to the blocks that write it. The sets come out as lists whose total length is the answer's
 * own size, where bit sets would take blocks x registers, and no fixed point is iterated to. After
 * Brandner and others, "Computing Liveness Sets for SSA-Form Programs", 2011, section 5. */
#include "ptx/liveness.h"

#include <stdlib.h>

#include "ptx/graph.h"
#include "ptx/regalloc.h"

struct walker {
    const struct ptx_cfg *cfg;
    /* Per block the last register (+ 1) for which the block was found to ... */
    uint32_t *in_mark;    /* have it alive at its start */
    uint32_t *out_mark;   /* have it alive at its end */
    uint32_t *write_mark; /* write it */
    uint32_t *stack;
    uint32_t depth;
    struct edge_list in, out; /* block -> register */
};

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

static void mark_alive_at_start(struct walker *w, uint32_t b, uint32_t r)
{
    if (w->in_mark[b] == r + 1)
        return;
    w->in_mark[b] = r + 1;
    edge_list_add(&w->in, b, r);
    w->stack[w->depth++] = b;
}

static void walk_up(struct walker *w, uint32_t r)
{
    while (w->depth) {
        const struct ptx_block *block = &w->cfg->blocks[w->stack[--w->depth]];
        for (uint32_t k = 0; k < block->n_preds; k++) {
            uint32_t p = block->preds[k];
            if (!w->cfg->blocks[p].reachable || w->out_mark[p] == r + 1)
                continue;
            w->out_mark[p] = r + 1;
            edge_list_add(&w->out, p, r);
            if (w->write_mark[p] != r + 1)
                mark_alive_at_start(w, p, r);
        }
    }
}

static struct ptx_reg_set *sets_of(const struct edge_list *alive, uint32_t n_blocks,
                                   struct arena *arena)
{
    struct adjacency a = adjacency_build(alive, n_blocks, false, arena);
    struct ptx_reg_set *sets = ARENA_ARRAY(arena, struct ptx_reg_set, n_blocks);
    for (uint32_t b = 0; b < n_blocks; b++)
        sets[b] = (struct ptx_reg_set){a.nodes + a.begin[b], a.begin[b + 1] - a.begin[b]};
    return sets;
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
        .in_mark = ARENA_ARRAY(&scratch, uint32_t, cfg->n_blocks),
        .out_mark = ARENA_ARRAY(&scratch, uint32_t, cfg->n_blocks),
        .write_mark = ARENA_ARRAY(&scratch, uint32_t, cfg->n_blocks),
        .stack = ARENA_ARRAY(&scratch, uint32_t, cfg->n_blocks),
    };
    for (uint32_t r = 0; r < n_regs; r++) {
        for (uint32_t k = written.begin[r]; k < written.begin[r + 1]; k++)
            w.write_mark[written.nodes[k]] = r + 1;
        for (uint32_t k = exposed.begin[r]; k < exposed.begin[r + 1]; k++)
            mark_alive_at_start(&w, exposed.nodes[k], r);
        walk_up(&w, r);
    }

    struct ptx_liveness *live = ARENA_NEW(arena, struct ptx_liveness);
    live->in = sets_of(&w.in, cfg->n_blocks, arena);
    live->out = sets_of(&w.out, cfg->n_blocks, arena);
    free(w.in.items);
    free(w.out.items);
    free(exposed_edges.items);
    free(written_edges.items);
    arena_destroy(&scratch);
    return live;
}
