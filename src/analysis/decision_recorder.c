/* Every SM notes its own decisions. From time to time, when all SMs are at the same cycle, the
 * notes are merged and written. */
#include <stdlib.h>
#include <string.h>

#include "analysis/decisions.h"
#include "base/arena.h"
#include "gpu/machine.h"

enum { LOOK_CYCLES = 1024 };

struct note {
    struct decision decision;
    const struct program *program;
};

struct lane {
    const struct sm *sm;
    struct note *notes;
    uint32_t n, cap, next;
    uint64_t now; /* cycle of the latest note */
};

struct decision_recorder {
    struct machine *machine;
    struct sink sink;
    bool failed;
    struct lane *lanes;
    uint32_t n_lanes;
    uint64_t n_written;
    struct strbuf text; /* not written yet */
    /* Instructions of the current launch whose text has been written. */
    uint32_t launch;
    const struct program *program;
    bool *told;
};

static void note(struct lane *l, struct decision d)
{
    ARRAY_RESERVE(l->notes, l->cap, l->n + 1);
    l->now = d.cycle < l->now ? l->now : d.cycle;
    d.cycle = l->now;
    d.sm = l->sm->index;
    d.launch = l->sm->launch;
    l->notes[l->n++] = (struct note){d, l->sm->emu.program};
}

static void on_issue(void *user, const struct sm_issue *i)
{
    note(user, (struct decision){.cycle = i->cycle,
                                 .pc = i->pc,
                                 .warp = (uint16_t)i->slot,
                                 .way = DECISION_NO_WAY,
                                 .kind = DECISION_ISSUE,
                                 .scheduler = (uint8_t)i->scheduler});
}

/* Fills follow from earlier decisions; so does the flush between kernels. */
static void on_l1d(void *user, const struct cache_event_info *e)
{
    static const uint8_t kinds[] = {
        [CE_HIT] = DECISION_HIT,       [CE_MERGE] = DECISION_MERGE,     [CE_MISS] = DECISION_MISS,
        [CE_BYPASS] = DECISION_BYPASS, [CE_RESERVE] = DECISION_RESERVE, [CE_EVICT] = DECISION_EVICT,
        [CE_STORE] = DECISION_STORE,
    };
    const struct mem_access *a = e->access;
    if (e->event == CE_FILL || !a)
        return;
    note(user, (struct decision){.cycle = a->cycle,
                                 .line = e->event == CE_EVICT && e->line ? e->line->line : a->line,
                                 .pc = a->pc,
                                 .warp = (uint16_t)a->warp_slot,
                                 .way = (uint16_t)e->way,
                                 .kind = kinds[e->event]});
}

/* --- writing --- */

static void add_number(struct strbuf *out, uint64_t value, int n_bytes)
{
    for (int i = 0; i < n_bytes; i++)
        strbuf_add_char(out, (char)(value >> 8 * i & 0xff));
}

static void add_decision(struct strbuf *out, const struct decision *d)
{
    strbuf_add_char(out, 'd');
    add_number(out, d->cycle, 8);
    add_number(out, d->line, 8);
    add_number(out, d->launch, 4);
    add_number(out, d->sm, 4);
    add_number(out, d->pc, 4);
    add_number(out, d->warp, 2);
    add_number(out, d->way, 2);
    add_number(out, d->kind, 1);
    add_number(out, d->scheduler, 1);
}

static void describe_pc(const struct program *program, uint32_t pc, struct strbuf *out)
{
    const struct op_info *info = &program->info[pc];
    const struct ptx_inst *inst = info->inst;
    strbuf_addf(out, "%s, ", info->func->name);
    if (!inst) {
        strbuf_add(out, "the end");
        return;
    }
    if (inst->loc_line && inst->loc_file < program->module->n_files)
        strbuf_addf(out, "%s:%u: ", program->module->files[inst->loc_file], inst->loc_line);
    else
        strbuf_addf(out, "PTX line %u: ", inst->line);
    ptx_print_inst(info->func, inst, out);
}

static void tell_pc(struct decision_recorder *r, const struct note *n)
{
    const struct decision *d = &n->decision;
    if (d->launch != r->launch || n->program != r->program) {
        free(r->told);
        r->told = xcalloc(n->program->n_ops, sizeof *r->told);
        r->launch = d->launch;
        r->program = n->program;
    }
    if (r->told[d->pc])
        return;
    struct strbuf text = {0};
    r->told[d->pc] = true;
    describe_pc(n->program, d->pc, &text);
    uint32_t length = text.len > UINT16_MAX ? UINT16_MAX : (uint32_t)text.len;
    strbuf_add_char(&r->text, 'p');
    add_number(&r->text, d->launch, 4);
    add_number(&r->text, d->pc, 4);
    add_number(&r->text, length, 2);
    strbuf_add_n(&r->text, strbuf_text(&text), length);
    strbuf_destroy(&text);
}

/* The SM with the earliest next note; NULL = there are none. */
static struct lane *earliest(struct decision_recorder *r)
{
    struct lane *best = NULL;
    for (struct lane *l = r->lanes; l < r->lanes + r->n_lanes; l++)
        if (l->next < l->n &&
            (!best || l->notes[l->next].decision.cycle < best->notes[best->next].decision.cycle))
            best = l;
    return best;
}

static void write_out(struct decision_recorder *r)
{
    if (!r->failed && r->text.len)
        r->failed = !r->sink.write(r->sink.user, r->text.text, r->text.len);
    strbuf_clear(&r->text);
}

static void merge(struct decision_recorder *r)
{
    for (struct lane *l; (l = earliest(r));) {
        const struct note *n = &l->notes[l->next++];
        tell_pc(r, n);
        add_decision(&r->text, &n->decision);
        r->n_written++;
    }
    for (uint32_t i = 0; i < r->n_lanes; i++)
        r->lanes[i].n = r->lanes[i].next = 0;
    write_out(r);
}

static void look(void *user, const struct machine *m, uint64_t cycle)
{
    (void)m, (void)cycle;
    merge(user);
}

struct decision_recorder *decision_recorder_create(struct machine *m, struct sink sink)
{
    struct decision_recorder *r = xcalloc(1, sizeof *r);
    r->machine = m;
    r->sink = sink;
    r->n_lanes = machine_n_sms(m);
    r->lanes = xcalloc(r->n_lanes, sizeof *r->lanes);
    for (uint32_t i = 0; i < r->n_lanes; i++) {
        r->lanes[i].sm = machine_sm(m, i);
        cache_observe(machine_sm(m, i)->l1d, on_l1d, &r->lanes[i]);
        machine_sm(m, i)->issue.watcher = on_issue;
        machine_sm(m, i)->issue.watcher_user = &r->lanes[i];
    }
    machine_watch(m,
                  (struct machine_watcher){.period_cycles = LOOK_CYCLES, .look = look, .user = r});
    strbuf_add(&r->text, "heddle-decisions 1\n");
    return r;
}

bool decision_recorder_finish(struct decision_recorder *r)
{
    merge(r);
    strbuf_add_char(&r->text, 'e');
    add_number(&r->text, r->n_written, 8);
    write_out(r);
    return !r->failed;
}

void decision_recorder_destroy(struct decision_recorder *r)
{
    if (!r)
        return;
    for (uint32_t i = 0; i < r->n_lanes; i++)
        free(r->lanes[i].notes);
    free(r->lanes);
    free(r->told);
    strbuf_destroy(&r->text);
    free(r);
}
