/* Recording the launches of a simulation. */
#include "gpu/sim.h"
#include "trace/recorder.h"

void sim_describe_machine(const struct heddle_sim *sim, struct strbuf *out)
{
    struct json_writer w = {.out = out};
    json_begin_object(&w, NULL);
    param_set_json_values(&sim->gpu->params, &w, "config");
    json_end_object(&w);
}

enum heddle_status heddle_record(struct heddle_sim *sim, const char *origin,
                                 bool (*write)(void *user, const void *data, size_t bytes),
                                 void *user)
{
    if (!sim->machine)
        return sim_fail(sim, HEDDLE_BAD_INPUT, "only timed runs can be recorded\n");
    if (sim->n_launches || sim->recorder)
        return sim_fail(sim, HEDDLE_BAD_INPUT,
                        "recording must begin before the first launch, and only once\n");
    struct strbuf machine = {0};
    sim_describe_machine(sim, &machine);
    struct trace_about about = {.heddle_version = heddle_version(),
                                .origin = origin,
                                .gpu = sim->gpu->name,
                                .machine = strbuf_text(&machine)};
    sim->recorder = trace_recorder_create((struct sink){write, user}, &about, sim->gpu->n_sms);
    sim->machine->recorder = sim->recorder;
    strbuf_destroy(&machine);
    return HEDDLE_OK;
}

enum heddle_status heddle_record_note(struct heddle_sim *sim, const char *name, const char *value)
{
    if (!sim->recorder)
        return sim_fail(sim, HEDDLE_BAD_INPUT, "nothing is being recorded\n");
    trace_recorder_note(sim->recorder, name, value);
    return HEDDLE_OK;
}

enum heddle_status heddle_record_end(struct heddle_sim *sim)
{
    if (!sim->recorder)
        return sim_fail(sim, HEDDLE_BAD_INPUT, "nothing is being recorded\n");
    bool failed = sim->record_failed;
    bool written = !failed && trace_recorder_finish(sim->recorder);
    trace_recorder_destroy(sim->recorder);
    sim->recorder = sim->machine->recorder = NULL;
    if (failed)
        return sim_fail(sim, HEDDLE_KERNEL_FAULT,
                        "a launch did not run to its end, so there is no trace of it\n");
    if (!written)
        return sim_fail(sim, HEDDLE_ENVIRONMENT, "the trace could not be written\n");
    return HEDDLE_OK;
}

void sim_record_begin(struct heddle_sim *sim, struct heddle_module *module)
{
    if (sim->recorder)
        trace_recorder_begin(sim->recorder, &sim->emu, strbuf_text(&module->text),
                             module->text.len);
}

void sim_record_end(struct heddle_sim *sim, bool ran_to_its_end)
{
    struct run_stats now = sim_run_stats(sim);
    if (!sim->recorder)
        return;
    if (ran_to_its_end)
        trace_recorder_end(sim->recorder, &sim->emu, now.warp_insts - sim->recorded_insts);
    sim->recorded_insts = now.warp_insts;
    sim->record_failed |= !ran_to_its_end;
}
