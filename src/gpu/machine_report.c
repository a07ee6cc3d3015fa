/* What a machine says of a launch that it did not finish. */
#include "gpu/machine.h"

/* One warp for the report to begin with: where a kernel spins, any of those that do. */
static const struct sm *find_sm(const struct machine *m, uint32_t *slot)
{
    const struct sm *waiting = NULL;
    for (uint32_t i = 0; i < m->config->gpu->n_sms; i++) {
        const struct sm *sm = &m->sms[i];
        uint32_t found = sm_find_warp(sm);
        if (found == SM_MAX_WARPS)
            continue;
        bool runs = sm->warps[found].emu->state != WARP_AT_BARRIER;
        if (runs || !waiting) {
            waiting = sm;
            *slot = found;
        }
        if (runs)
            break;
    }
    return waiting;
}

void machine_describe_warp(const struct machine *m, struct strbuf *out)
{
    uint32_t slot;
    const struct sm *sm = find_sm(m, &slot);
    if (!sm)
        return;
    const struct emu_warp *w = sm->warps[slot].emu;
    emu_describe_place(w, sm_warp_pc(sm, slot), (uint32_t)__builtin_ctz(w->active), out);
    emu_describe_apart(w, "  ", "\n", out);
}

enum { SHOWN_OF_A_KIND = 2 };

void machine_describe_halt(const struct machine *m, enum machine_end end, struct strbuf *out)
{
    if (end == MACHINE_DEADLOCK)
        strbuf_add(out, "deadlock: nothing can happen any more\n");
    else
        strbuf_addf(out, "the launch was stopped after %llu cycles (--max-cycles); it still ran\n",
                    (unsigned long long)m->options.max_cycles);
    machine_describe_warp(m, out);
    strbuf_add(out, end == MACHINE_DEADLOCK ? "  who waits for what:\n" : MACHINE_DOING_LINE);
    struct strbuf parts = {0};
    /* Any part may be the cause of a deadlock; what a machine was doing shows in a few. */
    engine_describe_wait(&m->engine, end == MACHINE_DEADLOCK ? UINT32_MAX : SHOWN_OF_A_KIND,
                         &parts);
    strbuf_add_indented(out, strbuf_text(&parts), 4);
    strbuf_destroy(&parts);
}
