#include "cli/progress.h"

#include "cli/output.h"
#include "cli/run_total.h"
#include "cli/table.h"
#include "lab/demangle.h"
#include "stats/host.h"

enum { BAR_CELLS = 20 };
static const double seconds_between_lines = 0.1;

static void add_bar(struct strbuf *out, uint64_t done, uint64_t all)
{
    uint64_t filled = all ? done * BAR_CELLS / all : 0;
    strbuf_add_char(out, '[');
    for (uint64_t i = 0; i < BAR_CELLS; i++)
        strbuf_add_char(out, i < filled ? '#' : '.');
    strbuf_add_char(out, ']');
}

/* Assumes that the rest takes as long as what is done; unknown before anything is done. */
static void add_time_left(struct strbuf *out, uint64_t done, uint64_t all, double seconds)
{
    if (!done)
        return;
    uint64_t left = (uint64_t)(seconds / (double)done * (double)(all - done) + 0.5);
    strbuf_addf(out, ", %llu:%02llu left", (unsigned long long)left / 60,
                (unsigned long long)left % 60);
}

/* The GPU has finished its work. */
static void add_cpus(struct strbuf *out, const struct heddle_progress *p)
{
    strbuf_add(out, "CPU programs: ");
    text_count(out, p->cpu_insts);
    strbuf_add(out, " instructions, ");
    text_count(out, p->cycles);
    strbuf_add(out, " core cycles");
}

/* By warp instructions; a run with another order of atomics may execute some more. */
static void add_run(struct strbuf *out, const struct heddle_progress *p,
                    const struct progress_time *t)
{
    uint64_t done = p->warp_insts < t->total_insts ? p->warp_insts : t->total_insts;
    add_bar(out, done, t->total_insts);
    strbuf_addf(out, " %.0f %%", 100 * (double)done / (double)t->total_insts);
    add_time_left(out, done, t->total_insts, t->seconds);
    strbuf_addf(out, "; launch %u", p->launch);
}

static void add_launch(struct strbuf *out, const struct heddle_progress *p,
                       const struct progress_time *t)
{
    add_bar(out, p->ctas_done, p->ctas);
    strbuf_addf(out, " launch %u: ", p->launch);
    text_count(out, p->ctas_done);
    strbuf_add(out, " of ");
    text_count(out, p->ctas);
    strbuf_addf(out, " CTA%s", p->ctas == 1 ? "" : "s");
    add_time_left(out, p->ctas_done, p->ctas, t->launch_seconds);
    strbuf_add(out, p->ctas_done ? " in it" : "");
}

void progress_line(const struct heddle_progress *p, const struct progress_time *t,
                   struct strbuf *out)
{
    if (!p->kernel) {
        add_cpus(out, p);
        return;
    }
    struct arena arena = {0};
    (t->total_insts ? add_run : add_launch)(out, p, t);
    strbuf_addf(out, ", %s, ", demangle_kernel(&arena, p->kernel));
    text_count(out, p->cycles);
    strbuf_addf(out, " cycles, %.0f k warp insts/s",
                t->launch_seconds > 0 ? (double)t->launch_insts / t->launch_seconds / 1000 : 0);
    if (p->cpu_insts) {
        strbuf_add(out, "; CPU ");
        text_count(out, p->cpu_insts);
        strbuf_add(out, " insts");
    }
    arena_destroy(&arena);
}

bool progress_show(void *user, const struct heddle_progress *p)
{
    struct progress *state = user;
    double now = host_now_seconds();
    if (p->warning)
        output_warnings(p->warning);
    if (p->launch == 1 && state->launch != 1)
        state->began = now;
    if (p->launch != state->launch) {
        state->launch = p->launch;
        state->launch_began = now;
        state->insts_then = p->warp_insts;
    }
    output_stop_when_asked(); /* there is something to stop */
    if (output_is_asked_to_stop() || output_has_failed())
        return false;
    if (state->is_quiet || now < state->shown_at + seconds_between_lines)
        return true;
    state->shown_at = now;
    struct strbuf line = {0};
    const struct progress_time time = {.total_insts =
                                           state->total ? run_total_ask(state->total) : 0,
                                       .seconds = now - state->began,
                                       .launch_seconds = now - state->launch_began,
                                       .launch_insts = p->warp_insts - state->insts_then};
    progress_line(p, &time, &line);
    output_progress("%s%s%s", state->title ? state->title : "", state->title ? " " : "",
                    strbuf_text(&line));
    strbuf_destroy(&line);
    return true;
}
