/* Basic blocks and their graph.
 *
 * Post-dominance considers the paths to the function's end: ret, exit, and running past the last
 * instruction. A block that cannot get there (it ends in trap, or loops forever) has no
 * post-dominator and does not prevent others from having one: lanes on such a path never come back,
 * so other lanes need not wait for them. A failing assertion thus does not affect the reconvergence
 * of the code around it.
 *
 * Loops are natural loops: a header that dominates the source of an edge back to it. A cycle with
 * several entries (an irreducible region) has no such header and is not counted, though natural
 * loops inside and around it are. Calls do not end a block. */
#include "ptx/cfg.h"

#include <stdlib.h>
#include <string.h>

#include "ptx/graph.h"

/* --- Blocks and edges --- */

static bool ends_thread(const struct ptx_inst *inst)
{
    return inst->op == PTX_OP_RET || inst->op == PTX_OP_EXIT;
}

static bool ends_block(const struct ptx_inst *inst)
{
    return ends_thread(inst) || inst->op == PTX_OP_BRA || inst->op == PTX_OP_BRX ||
           inst->op == PTX_OP_TRAP;
}

static bool falls_through(const struct ptx_inst *inst)
{
    return inst->guard || !ends_block(inst);
}

/* The number of labels of a branch, and the instruction that the k-th precedes. */
static uint32_t target_count(const struct ptx_inst *inst)
{
    if (inst->op == PTX_OP_BRA)
        return 1;
    return inst->op == PTX_OP_BRX ? inst->operands[1].targets->n : 0;
}

static uint32_t target_at(const struct ptx_func *f, const struct ptx_inst *inst, uint32_t k)
{
    bool is_table = inst->op == PTX_OP_BRX;
    uint32_t label = is_table ? inst->operands[1].targets->labels[k] : inst->operands[0].label;
    return f->labels[label].at;
}

static void mark_leaders(const struct ptx_func *f, bool *is_leader)
{
    is_leader[0] = true;
    for (uint32_t i = 0; i < f->n_insts; i++) {
        const struct ptx_inst *inst = &f->insts[i];
        if (ends_block(inst))
            is_leader[i + 1] = true;
        for (uint32_t k = 0; k < target_count(inst); k++)
            is_leader[target_at(f, inst, k)] = true;
    }
}

static void cut_blocks(struct ptx_cfg *cfg, struct arena *arena)
{
    const struct ptx_func *f = cfg->func;
    bool *is_leader = xcalloc(f->n_insts + 1, sizeof *is_leader);
    mark_leaders(f, is_leader);
    for (uint32_t i = 0; i < f->n_insts; i++)
        cfg->n_blocks += is_leader[i];
    cfg->blocks = ARENA_ARRAY(arena, struct ptx_block, cfg->n_blocks);
    cfg->block_of = ARENA_ARRAY(arena, uint32_t, f->n_insts);
    uint32_t b = PTX_NO_BLOCK;
    for (uint32_t i = 0; i < f->n_insts; i++) {
        if (is_leader[i])
            cfg->blocks[++b].first = i;
        cfg->blocks[b].end = i + 1;
        cfg->block_of[i] = b;
    }
    free(is_leader);
}

/* Node of the flow graph where instruction `at` begins: a block, or n_blocks for the end. */
static uint32_t node_at(const struct ptx_cfg *cfg, uint32_t at)
{
    return at < cfg->func->n_insts ? cfg->block_of[at] : cfg->n_blocks;
}

/* A table of branch targets may name a block many times; only one edge is added. The edge to the
 * end comes last, so that a block's real successors are at the front of its list. */
static void add_edges(const struct ptx_cfg *cfg, uint32_t b, uint32_t *seen,
                      struct edge_list *edges)
{
    uint32_t end_node = cfg->n_blocks;
    const struct ptx_inst *last = &cfg->func->insts[cfg->blocks[b].end - 1];
    bool reaches_end = ends_thread(last);
    for (uint32_t k = 0; k < target_count(last); k++) {
        uint32_t to = node_at(cfg, target_at(cfg->func, last, k));
        reaches_end |= to == end_node;
        if (to != end_node && seen[to] != b + 1)
            edge_list_add(edges, b, to);
        seen[to] = b + 1;
    }
    if (falls_through(last)) {
        uint32_t to = node_at(cfg, cfg->blocks[b].end);
        reaches_end |= to == end_node;
        if (to != end_node)
            edge_list_add(edges, b, to);
    }
    if (reaches_end)
        edge_list_add(edges, b, end_node);
}

struct flow {
    struct adjacency succs, preds;
};

/* The graph over the blocks and one additional node, the function's end. */
static struct flow connect(struct ptx_cfg *cfg, struct arena *arena)
{
    struct edge_list edges = {0};
    uint32_t n_nodes = cfg->n_blocks + 1;
    uint32_t *seen = xcalloc(n_nodes, sizeof *seen);
    for (uint32_t b = 0; b < cfg->n_blocks; b++)
        add_edges(cfg, b, seen, &edges);
    struct flow flow = {
        .succs = adjacency_build(&edges, n_nodes, false, arena),
        .preds = adjacency_build(&edges, n_nodes, true, arena),
    };
    for (uint32_t b = 0; b < cfg->n_blocks; b++) {
        struct ptx_block *block = &cfg->blocks[b];
        block->succs = flow.succs.nodes + flow.succs.begin[b];
        block->n_succs = flow.succs.begin[b + 1] - flow.succs.begin[b];
        if (block->n_succs && block->succs[block->n_succs - 1] == cfg->n_blocks)
            block->n_succs--;
        block->preds = flow.preds.nodes + flow.preds.begin[b];
        block->n_preds = flow.preds.begin[b + 1] - flow.preds.begin[b];
    }
    free(seen);
    free(edges.items);
    return flow;
}

/* --- Dominance --- */

static void find_dominators(struct ptx_cfg *cfg, const struct flow *flow)
{
    uint32_t end_node = cfg->n_blocks, n_nodes = end_node + 1;
    uint32_t *dom = xcalloc(n_nodes, sizeof *dom);
    graph_dominators(&flow->preds, &flow->succs, n_nodes, end_node, dom);
    for (uint32_t b = 0; b < cfg->n_blocks; b++)
        cfg->blocks[b].ipdom = dom[b] == end_node ? PTX_NO_BLOCK : dom[b];
    graph_dominators(&flow->succs, &flow->preds, n_nodes, 0, dom);
    for (uint32_t b = 0; b < cfg->n_blocks; b++)
        cfg->blocks[b].idom = dom[b];
    free(dom);
}

static void find_order(struct ptx_cfg *cfg, const struct flow *flow, struct arena *arena)
{
    uint32_t end_node = cfg->n_blocks;
    uint32_t *order = ARENA_ARRAY(arena, uint32_t, end_node + 1);
    uint32_t n_order = graph_reverse_postorder(&flow->succs, end_node + 1, 0, order);
    cfg->order = order;
    for (uint32_t place = 0; place < n_order; place++) {
        if (order[place] == end_node)
            continue;
        cfg->order[cfg->n_order++] = order[place];
        cfg->blocks[order[place]].reachable = true;
    }
}

/* The dominator tree in preorder: a block dominates those numbered within its subtree. */
struct dom_tree {
    uint32_t *first, *size; /* per block */
};

static struct dom_tree number_dom_tree(const struct ptx_cfg *cfg, struct arena *scratch)
{
    struct dom_tree tree = {
        .first = ARENA_ARRAY(scratch, uint32_t, cfg->n_blocks),
        .size = ARENA_ARRAY(scratch, uint32_t, cfg->n_blocks),
    };
    for (uint32_t place = cfg->n_order; place-- > 0;) {
        uint32_t b = cfg->order[place], parent = cfg->blocks[b].idom;
        tree.size[b]++;
        if (parent != PTX_NO_BLOCK)
            tree.size[parent] += tree.size[b];
    }
    uint32_t *next = ARENA_ARRAY(scratch, uint32_t, cfg->n_blocks);
    for (uint32_t place = 0; place < cfg->n_order; place++) {
        uint32_t b = cfg->order[place], parent = cfg->blocks[b].idom;
        if (parent != PTX_NO_BLOCK) {
            tree.first[b] = next[parent];
            next[parent] += tree.size[b];
        }
        next[b] = tree.first[b] + 1;
    }
    return tree;
}

static bool dominates(const struct dom_tree *tree, uint32_t a, uint32_t b)
{
    return tree->first[b] - tree->first[a] < tree->size[a];
}

/* --- Loops --- */

/* Loops are found inside out. A finished loop represents its blocks as one node, so every block is
 * added to a loop once, however deeply loops nest. */
struct loop_finder {
    struct ptx_cfg *cfg;
    struct dom_tree tree;
    uint32_t *loop_at; /* per block: the loop it heads, or PTX_NO_LOOP */
    uint32_t *rep;     /* per block: towards the header of the outermost loop finished so far */
    uint32_t *stack;
    uint32_t depth;
};

static uint32_t outermost_header(struct loop_finder *s, uint32_t b)
{
    while (s->rep[b] != b) {
        s->rep[b] = s->rep[s->rep[b]];
        b = s->rep[b];
    }
    return b;
}

static bool is_back_edge(const struct loop_finder *s, uint32_t from, uint32_t to)
{
    return s->cfg->blocks[from].reachable && dominates(&s->tree, to, from);
}

/* Adds the node that represents `b` to the loop of `header`, and queues its predecessors. */
static void take_in(struct loop_finder *s, uint32_t b, uint32_t header)
{
    uint32_t node = outermost_header(s, b), loop = s->loop_at[header];
    if (node == header || !s->cfg->blocks[node].reachable)
        return;
    s->rep[node] = header;
    s->stack[s->depth++] = node;
    uint32_t inner = s->loop_at[node];
    if (inner != PTX_NO_LOOP) {
        s->cfg->loops[inner].outer = loop;
        s->cfg->loops[loop].n_blocks += s->cfg->loops[inner].n_blocks;
    } else {
        s->cfg->blocks[node].loop = loop;
        s->cfg->loops[loop].n_blocks++;
    }
}

static void collect_loop(struct loop_finder *s, uint32_t header)
{
    struct ptx_block *blocks = s->cfg->blocks;
    s->cfg->loops[s->loop_at[header]].n_blocks = 1;
    blocks[header].loop = s->loop_at[header];
    for (uint32_t k = 0; k < blocks[header].n_preds; k++)
        if (is_back_edge(s, blocks[header].preds[k], header))
            take_in(s, blocks[header].preds[k], header);
    while (s->depth) {
        const struct ptx_block *block = &blocks[s->stack[--s->depth]];
        for (uint32_t k = 0; k < block->n_preds; k++)
            take_in(s, block->preds[k], header);
    }
}

/* Numbers the blocks that head a loop, in program order. */
static void number_loops(struct loop_finder *s, struct arena *arena)
{
    struct ptx_cfg *cfg = s->cfg;
    for (uint32_t b = 0; b < cfg->n_blocks; b++) {
        struct ptx_block *block = &cfg->blocks[b];
        s->loop_at[b] = block->loop = PTX_NO_LOOP;
        s->rep[b] = b;
        for (uint32_t k = 0; k < block->n_preds && s->loop_at[b] == PTX_NO_LOOP; k++)
            if (block->reachable && is_back_edge(s, block->preds[k], b))
                s->loop_at[b] = cfg->n_loops++;
    }
    cfg->loops = ARENA_ARRAY(arena, struct ptx_loop, cfg->n_loops);
    for (uint32_t b = 0; b < cfg->n_blocks; b++)
        if (s->loop_at[b] != PTX_NO_LOOP)
            cfg->loops[s->loop_at[b]] = (struct ptx_loop){.header = b, .outer = PTX_NO_LOOP};
}

static void find_loops(struct ptx_cfg *cfg, struct arena *arena)
{
    struct arena scratch = {0};
    struct loop_finder s = {
        .cfg = cfg,
        .tree = number_dom_tree(cfg, &scratch),
        .loop_at = ARENA_ARRAY(&scratch, uint32_t, cfg->n_blocks),
        .rep = ARENA_ARRAY(&scratch, uint32_t, cfg->n_blocks),
        .stack = ARENA_ARRAY(&scratch, uint32_t, cfg->n_blocks),
    };
    number_loops(&s, arena);
    /* Inner headers come after outer ones, which dominate them. */
    for (uint32_t place = cfg->n_order; place-- > 0;)
        if (s.loop_at[cfg->order[place]] != PTX_NO_LOOP)
            collect_loop(&s, cfg->order[place]);
    for (uint32_t place = 0; place < cfg->n_order; place++) {
        uint32_t loop = s.loop_at[cfg->order[place]];
        if (loop == PTX_NO_LOOP)
            continue;
        uint32_t outer = cfg->loops[loop].outer;
        cfg->loops[loop].depth = outer == PTX_NO_LOOP ? 1 : cfg->loops[outer].depth + 1;
    }
    for (uint32_t b = 0; b < cfg->n_blocks; b++)
        if (cfg->blocks[b].loop != PTX_NO_LOOP)
            cfg->blocks[b].loop_depth = cfg->loops[cfg->blocks[b].loop].depth;
    arena_destroy(&scratch);
}

struct ptx_cfg *ptx_cfg_build(const struct ptx_func *f, struct arena *arena)
{
    struct ptx_cfg *cfg = ARENA_NEW(arena, struct ptx_cfg);
    cfg->func = f;
    if (!f->n_insts)
        return cfg;
    cut_blocks(cfg, arena);
    struct flow flow = connect(cfg, arena);
    find_dominators(cfg, &flow);
    find_order(cfg, &flow, arena);
    find_loops(cfg, arena);
    return cfg;
}

uint32_t ptx_cfg_reconvergence(const struct ptx_cfg *cfg, uint32_t i)
{
    uint32_t ipdom = cfg->blocks[cfg->block_of[i]].ipdom;
    return ipdom == PTX_NO_BLOCK ? cfg->func->n_insts : cfg->blocks[ipdom].first;
}

uint32_t ptx_cfg_region(const struct ptx_cfg *cfg, uint32_t block, bool *in_region, uint32_t *list)
{
    uint32_t end = cfg->blocks[block].ipdom, n = 0;
    memset(in_region, 0, cfg->n_blocks * sizeof *in_region);
    list[n++] = block;
    for (uint32_t i = 0; i < n; i++) {
        const struct ptx_block *from = &cfg->blocks[list[i]];
        for (uint32_t k = 0; k < from->n_succs; k++) {
            uint32_t to = from->succs[k];
            if (to == end || in_region[to])
                continue;
            in_region[to] = true;
            list[n++] = to;
        }
    }
    return n;
}

bool ptx_cfg_in_loop(const struct ptx_cfg *cfg, uint32_t block, uint32_t loop)
{
    uint32_t l = cfg->blocks[block].loop;
    while (l != loop && l != PTX_NO_LOOP)
        l = cfg->loops[l].outer;
    return l == loop;
}
