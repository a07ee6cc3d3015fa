/* What a machine reports about a launch that it did not finish. */
#include "gpu/machine.h"

/* One warp for the report to begin with: if a kernel spins, any of the spinning ones. */
void machine_describe_warp(const struct machine *m, struct strbuf *out)
{
    struct machine_part best = {0};
    enum part_work most = PART_HAS_NO_WARP;
    for (struct machine_part p = machine_first_part(m); p.kind; p = machine_next_part(m, p)) {
        enum part_work work = p.kind->work ? p.kind->work(p.shard) : PART_HAS_NO_WARP;
        if (work > most) {
            most = work;
            best = p;
        }
    }
    if (best.kind)
        best.kind->describe_work(best.shard, out);
}

enum { SHOWN_OF_A_KIND = 2 };

/* On a machine with CPU cores, which continue, only SMs and the dispatcher can wait for something
 * that never comes. */
static void describe_gpu(const struct machine *m, struct strbuf *out)
{
    const uint32_t groups[] = {m->sm_group, m->dispatcher_group};
    for (uint32_t i = 0; i < 2; i++) {
        const struct part_group *g = &m->graph.groups[groups[i]];
        engine_describe_wait_of(&m->engine, g->first_id, g->n, UINT32_MAX, out);
    }
}

void machine_describe_halt(const struct machine *m, enum machine_end end, struct strbuf *out)
{
    if (end == MACHINE_DEADLOCK)
        strbuf_add(out, "deadlock: nothing can happen any more\n");
    else
        strbuf_addf(out,
                    "the launch was stopped after %llu cycles (--max-cycles) before it ended\n",
                    (unsigned long long)m->options.max_cycles);
    machine_describe_warp(m, out);
    strbuf_add(out, end == MACHINE_DEADLOCK ? "  who waits for what:\n" : MACHINE_DOING_LINE);
    struct strbuf parts = {0};
    /* Any part may be the cause of a deadlock; a few show what a machine was doing. */
    if (end == MACHINE_DEADLOCK && machine_is_mixed(m))
        describe_gpu(m, &parts);
    else
        engine_describe_wait(&m->engine, end == MACHINE_DEADLOCK ? UINT32_MAX : SHOWN_OF_A_KIND,
                             &parts);
    strbuf_add_indented(out, strbuf_text(&parts), 4);
    strbuf_destroy(&parts);
}
