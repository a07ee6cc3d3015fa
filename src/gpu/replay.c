/* Replaying a trace on a simulation. */
#include <stdlib.h>
#include <string.h>

#include "gpu/sim.h"
#include "trace/player.h"

struct replay {
    struct heddle_sim *sim;
    const char *path;
    struct trace_reader *reader;
    struct trace_player *player;
    struct heddle_module **modules; /* in the order of the trace */
    struct strbuf why;
};

static enum heddle_status refuse(struct replay *r)
{
    return sim_fail(r->sim, HEDDLE_BAD_INPUT, "%s: %s\n", r->path, strbuf_text(&r->why));
}

static bool is_same_machine(const struct replay *r)
{
    const struct trace_about *about = trace_reader_about(r->reader);
    struct strbuf machine = {0};
    sim_describe_machine(r->sim, &machine);
    bool same = strcmp(strbuf_text(&machine), about->machine) == 0 &&
                strcmp(heddle_version(), about->heddle_version) == 0;
    strbuf_destroy(&machine);
    return same;
}

/* Why the launch may behave differently on another machine; false if it does not. */
static bool find_reason(const struct trace_launch_end *end, uint32_t *reason)
{
    for (*reason = 0; *reason < N_TRACE_REASONS; ++*reason)
        if (end->reasons[*reason])
            return true;
    return false;
}

/* Another machine needs a trace that does not depend on timing, or `force`. */
static enum heddle_status judge(struct replay *r, const char *kernel, uint32_t launch,
                                const char *reason, const char *place, bool force)
{
    struct strbuf text = {0};
    strbuf_addf(&text,
                "%s: launch %u (%s) may behave differently at other times: %s\n  first at %s\n",
                r->path, launch + 1, kernel, reason, place);
    if (force) {
        strbuf_add(&r->sim->warnings, "warning: ");
        strbuf_add(&r->sim->warnings, strbuf_text(&text));
        strbuf_add(&r->sim->warnings,
                   "  it was replayed anyway (--force-replay), as if the kernels made the same "
                   "choices here as when they were recorded\n");
        r->sim->replay_is_forced = true;
    } else {
        sim_fail(r->sim, HEDDLE_BAD_INPUT,
                 "%s  so this trace is valid only for the machine it was recorded on (%s, with the "
                 "same parameters and version of Heddle); --force-replay replays it anyway, as if "
                 "the kernels made the same choices here\n",
                 strbuf_text(&text), trace_reader_about(r->reader)->gpu);
    }
    strbuf_destroy(&text);
    return force ? HEDDLE_OK : HEDDLE_BAD_INPUT;
}

/* The first launch that depends on timing decides for all. */
static enum heddle_status check_launches(struct replay *r, bool force)
{
    for (uint32_t i = 0; i < trace_reader_launches(r->reader); i++) {
        struct trace_launch l;
        struct trace_launch_end end;
        uint32_t k;
        if (!trace_reader_launch(r->reader, i, &l, &end, &r->why))
            return refuse(r);
        if (find_reason(&end, &k))
            return judge(r, l.kernel, i, trace_reason_texts[k], end.reasons[k], force);
    }
    return HEDDLE_OK;
}

static void keep_notes(struct replay *r)
{
    struct heddle_sim *sim = r->sim;
    const struct trace_note *notes = trace_reader_notes(r->reader, &sim->n_notes);
    sim->notes = ARENA_ARRAY(&sim->notes_arena, struct trace_note, sim->n_notes + 1);
    for (uint32_t i = 0; i < sim->n_notes; i++)
        sim->notes[i] = (struct trace_note){arena_strdup(&sim->notes_arena, notes[i].name),
                                            arena_strdup(&sim->notes_arena, notes[i].value)};
}

const char *heddle_replay_note(const struct heddle_sim *sim, const char *name)
{
    for (uint32_t i = 0; i < sim->n_notes; i++)
        if (strcmp(sim->notes[i].name, name) == 0)
            return sim->notes[i].value;
    return NULL;
}

bool heddle_replay_is_forced(const struct heddle_sim *sim)
{
    return sim->replay_is_forced;
}

static enum heddle_status load_modules(struct replay *r)
{
    uint32_t n = trace_reader_modules(r->reader);
    enum heddle_status s = HEDDLE_OK;
    r->modules = xcalloc(n + 1, sizeof *r->modules);
    for (uint32_t i = 0; s == HEDDLE_OK && i < n; i++) {
        struct trace_module m;
        if (!trace_reader_module(r->reader, i, &m, &r->why))
            return refuse(r);
        s = sim_load_placed(r->sim, m.name, m.text, m.text_bytes, m.addresses, m.n_addresses,
                            &r->modules[i]);
    }
    return s;
}

static enum heddle_status replay_launch(struct replay *r, uint32_t i)
{
    struct heddle_sim *sim = r->sim;
    struct trace_launch t;
    struct trace_launch_end end;
    struct emu_launch l;
    if (!trace_reader_launch(r->reader, i, &t, &end, &r->why))
        return refuse(r);
    struct heddle_module *module = r->modules[t.module];
    struct heddle_launch shape = {.work_dim = t.work_dim};
    memcpy(shape.grid, t.grid, sizeof shape.grid);
    memcpy(shape.block, t.block, sizeof shape.block);
    memcpy(shape.global_offset, t.offset, sizeof shape.global_offset);
    enum heddle_status s = sim_prepare_launch(sim, module, t.kernel, &shape, &l);
    if (s != HEDDLE_OK || !sim_check_shared(sim, l.func->func, t.shared_bytes))
        return HEDDLE_BAD_INPUT;
    l.shared_bytes = t.shared_bytes;
    l.dynamic_shared_bytes = t.dynamic_shared_bytes;
    sim->emu.program = module->program;
    sim->emu.launch = l;
    sim->n_launches++;
    trace_player_begin(r->player, &sim->emu, end.warp_insts);
    s = sim_run_launch(sim, module);
    trace_player_end(r->player, &sim->emu);
    if (s == HEDDLE_KERNEL_FAULT && sim->emu.fault.kind == FAULT_TRACE)
        return sim_fail(sim, HEDDLE_BAD_INPUT, "%s: launch %u: %s", r->path, i + 1,
                        strbuf_text(&sim->emu.fault.text));
    return s;
}

static enum heddle_status replay_all(struct replay *r, bool force)
{
    enum heddle_status s = is_same_machine(r) ? HEDDLE_OK : check_launches(r, force);
    if (s == HEDDLE_OK)
        s = load_modules(r);
    for (uint32_t i = 0; s == HEDDLE_OK && i < trace_reader_launches(r->reader); i++)
        s = replay_launch(r, i);
    return s;
}

enum heddle_status heddle_replay(struct heddle_sim *sim, const char *path, bool force)
{
    struct replay r = {.sim = sim, .path = path};
    bool cannot_read;
    if (!sim->machine)
        return sim_fail(sim, HEDDLE_BAD_INPUT, "a trace can only be replayed with timing\n");
    if (sim->n_launches || sim->recorder)
        return sim_fail(sim, HEDDLE_BAD_INPUT,
                        "a trace needs its own simulation, without launches or a recording\n");
    if (sim->config->annotations.n)
        return sim_fail(sim, HEDDLE_BAD_INPUT,
                        "l2.annotations refer to arguments, which a trace does not have: run the "
                        "program itself, or mark whole programs with l2.mark_stores\n");
    if (sim->config->host.copies_warm_l2)
        return sim_fail(sim, HEDDLE_BAD_INPUT,
                        "host.copies_warm_l2 refers to copies, which a trace does not have: run "
                        "the program itself\n");
    if (cache_policy_may_drop(sim->config->l2_policy))
        sim_warn_once(sim,
                      "warning: l2.stale_reads counts only reads of kernels, because a trace does "
                      "not have those of the host: run the program itself to check annotations\n");
    r.reader = trace_reader_open(path, &cannot_read, &r.why);
    enum heddle_status s;
    if (!r.reader) {
        s = sim_fail(sim, cannot_read ? HEDDLE_ENVIRONMENT : HEDDLE_BAD_INPUT, "%s: %s\n", path,
                     strbuf_text(&r.why));
    } else {
        keep_notes(&r);
        r.player = trace_player_create(r.reader, sim->gpu->n_sms);
        s = replay_all(&r, force);
    }
    trace_player_destroy(r.player);
    trace_reader_close(r.reader);
    free(r.modules);
    strbuf_destroy(&r.why);
    return s;
}
