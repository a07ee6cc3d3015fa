/* heddle advise l2: which buffers of a program to mark for L2, found out by a run that is watched
 * and by trials. A mark is proposed only if its trial read nothing that L2 had dropped. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/advise.h"
#include "cli/command.h"
#include "cli/file_uses.h"
#include "cli/output.h"
#include "cli/ptx_load.h"

static const struct option options[] = {
    OPTION_TEXT("out", struct advise_options, out, "FILE",
                "write the annotations there, for `heddle run --annotations FILE`"),
    OPTION_TEXT("size", struct advise_options, run.size, "SIZE",
                "input of a workload; small if not given"),
    OPTION_GIVEN("seed", struct advise_options, run.seed, "N",
                 "seed of a workload's input; 1 if not given"),
    OPTION_TEXT("gpu", struct advise_options, run.gpu, "GPU",
                "a name from `heddle show gpus`, or a .yaml file; gtx480 if not given"),
    OPTION_LIST("set", struct advise_options, run.settings, "NAME=VALUE",
                "change a parameter of the GPU; l2.drop=demote has marks that cannot be unsound; "
                "may be repeated"),
    OPTION_TEXT("entry", struct advise_options, run.entry, "KERNEL", "the kernel of a file"),
    OPTION_DIM3("grid", struct advise_options, run.grid,
                "CTAs of the launch of a file's kernel; 1,1,1 if not given"),
    OPTION_DIM3("block", struct advise_options, run.block, "threads of a CTA; 1,1,1 if not given"),
    OPTION_LIST("arg", struct advise_options, run.args, "KIND:VALUE",
                "the kernel's next argument, as with `heddle run`; repeated for each"),
    OPTION_TEXT("build-options", struct advise_options, run.build_options, "TEXT",
                "options for the compiler of a .cl or .cu file"),
    OPTION_FLAG("json", struct advise_options, run.json, "print the result as JSON"),
};

/* --- trials --- */

static uint64_t stat_of(const struct heddle_sim *sim, const char *name)
{
    struct heddle_stat s;
    return heddle_stat_find(sim, name, &s) ? s.count : 0;
}

static void begin_trial(void *user, struct heddle_sim *sim)
{
    struct advisor *a = user;
    if (a->is_watched)
        l2_advice_watch(a->advice, sim);
}

static void end_trial(void *user, struct heddle_sim *sim)
{
    struct advisor *a = user;
    a->now = (struct traffic){.reads = stat_of(sim, "dram.reads"),
                              .writes = stat_of(sim, "dram.writes"),
                              .bytes = stat_of(sim, "dram.bytes"),
                              .stale = stat_of(sim, "l2.stale_reads"),
                              .cycles = stat_of(sim, "cycles")};
    if (!a->is_watched)
        a->now.blamed = l2_advice_blame(a->advice, sim);
}

static enum heddle_status try_annotations(struct advisor *a, const char *annotations)
{
    struct diag_list diags = {0};
    struct progress progress = {.title = a->title};
    struct run_spectator spectator = {begin_trial, end_trial, a};
    const struct text_list *given = &a->options->run.settings;
    struct run_context run = {.options = &a->trial, .progress = &progress, .spectator = &spectator};
    run.settings.items = xcalloc(given->n + 2, sizeof *run.settings.items);
    for (uint32_t i = 0; i < given->n; i++)
        run.settings.items[run.settings.n++] = given->items[i];
    run.settings.items[run.settings.n++] = "l2.policy=write_buffering";
    run.settings.items[run.settings.n++] =
        arena_printf(&a->arena, "l2.annotations=%s", annotations);
    struct machine_config *config =
        machine_config_load(a->trial.gpu, run.settings.items, run.settings.n, &diags);
    run.machine = config;
    run.gpu = config ? config->gpu : NULL;
    struct text_list names = {.items = &a->what, .n = 1};
    enum heddle_status status = !config                ? output_complaints(&diags)
                                : ptx_is_file(a->what) ? run_file(&run, a->what)
                                                       : run_workloads(&run, &names);
    machine_config_destroy(config);
    free(run.settings.items);
    diag_list_destroy(&diags);
    return status;
}

/* --- candidates --- */

static void propose(struct advisor *a, uint32_t site, bool is_store, const char *reason)
{
    a->proposals[a->n++] = (struct proposal){.site = site, .is_store = is_store, .reason = reason};
}

/* Why a mark of stores is unsound, as far as the recorded run tells. */
static const char *why_unsound(struct advisor *a, const struct l2_site *s)
{
    if (s->shared)
        return arena_printf(&a->arena,
                            "two SMs read %" PRIu64 " of its %" PRIu64
                            " lines (a halo): the second would find them dropped",
                            s->shared, s->read_later);
    if (s->read_again)
        return arena_printf(&a->arena,
                            "%" PRIu64 " of its %" PRIu64
                            " lines are read again before they are stored to",
                            s->read_again, s->read_later);
    if (s->refetched)
        return arena_printf(&a->arena,
                            "%" PRIu64 " stores to a part of a line fetch the rest of it, which "
                            "would be dropped",
                            s->refetched);
    return "the host reads what would be dropped";
}

static void list_candidates(struct advisor *a)
{
    for (uint32_t i = 0; i < l2_advice_count(a->advice); i++) {
        const struct l2_site *s = l2_advice_site(a->advice, i);
        if (s->written)
            propose(a, i, true,
                    s->read_later ? NULL : "no later launch reads it before it is stored to again");
    }
    for (uint32_t i = 0; i < l2_advice_count(a->advice); i++) {
        const struct l2_site *s = l2_advice_site(a->advice, i);
        const char *reason = NULL;
        if (s->loaded_by_others)
            reason = arena_printf(&a->arena,
                                  "not private: %" PRIu64 " loads in a launch are of lines that "
                                  "another SM has loaded, and would miss",
                                  s->loaded_by_others);
        else if (s->loaded_again)
            reason = arena_printf(&a->arena,
                                  "not streamed: %" PRIu64
                                  " loads in a launch are of lines loaded before, and would miss",
                                  s->loaded_again);
        if (s->loaded)
            propose(a, i, false, reason);
    }
}

static const char *say_useless(struct advisor *a, uint64_t bytes, uint64_t before)
{
    if (bytes == before)
        return "sound, but DRAM traffic stays the same";
    return arena_printf(&a->arena,
                        "sound, but DRAM traffic grows by %.1f %%: %" PRIu64 " more bytes",
                        100 * (double)(bytes - before) / (double)before, bytes - before);
}

static void judge(struct advisor *a, struct proposal *p, uint64_t bytes_before)
{
    const struct l2_site *s = l2_advice_site(a->advice, p->site);
    p->trial = a->now;
    p->is_useless = !a->now.stale && a->now.bytes >= bytes_before;
    if (a->now.stale && p->is_store)
        p->reason = arena_printf(&a->arena, "%s (%" PRIu64 " stale reads)", why_unsound(a, s),
                                 a->now.stale);
    else if (a->now.stale)
        p->reason = arena_printf(&a->arena, "%" PRIu64 " stale reads in its trial", a->now.stale);
    else if (p->is_useless)
        p->reason = say_useless(a, a->now.bytes, bytes_before);
    else
        p->is_accepted = true;
}

/* Each that may be of use, beside those accepted before it. */
static enum heddle_status try_candidates(struct advisor *a, uint64_t *bytes, bool *has_accepted)
{
    *has_accepted = false;
    for (uint32_t i = 0; i < a->n; i++) {
        struct proposal *p = &a->proposals[i];
        if (p->is_accepted || (p->reason && !p->is_useless))
            continue;
        const struct l2_site *s = l2_advice_site(a->advice, p->site);
        a->title = arena_printf(&a->arena, "trying %s %u %s, candidate %u of %u", s->kernel,
                                s->argument, advise_mark(p), i + 1, a->n);
        enum heddle_status status = try_annotations(a, advise_annotations(a, p));
        if (status != HEDDLE_OK)
            return status;
        judge(a, p, *bytes);
        if (p->is_accepted) {
            *bytes = a->now.bytes;
            *has_accepted = true;
        }
    }
    return HEDDLE_OK;
}

/* Lines that are kept may be of use only when streams no longer evict them (S1 Figures 5 and 6), so
 * what saved nothing is tried again while others are accepted. */
static enum heddle_status try_all(struct advisor *a)
{
    enum { ROUNDS = 3 };
    uint64_t bytes = a->lru.bytes;
    bool goes_on = true;
    enum heddle_status status = HEDDLE_OK;
    for (int i = 0; i < ROUNDS && goes_on && status == HEDDLE_OK; i++)
        status = try_candidates(a, &bytes, &goes_on);
    return status;
}

/* All that is accepted, together: this repeats the last accepted trial, and is what is printed. */
static enum heddle_status confirm(struct advisor *a)
{
    a->title = "all accepted marks together";
    enum heddle_status status = try_annotations(a, advise_annotations(a, NULL));
    a->final = a->now;
    if (status == HEDDLE_OK && a->final.stale) {
        output_error("%" PRIu64 " stale reads with all annotations together", a->final.stale);
        status = HEDDLE_WRONG_RESULT;
    }
    return status;
}

static enum heddle_status answer(struct advisor *a)
{
    struct strbuf file = {0}, out = {0};
    enum heddle_status status = HEDDLE_OK;
    advise_file(a, &file);
    if (a->options->out)
        status = output_file(a->options->out, strbuf_text(&file), file.len);
    (a->options->run.json ? advise_json : advise_text)(a, &out);
    if (status == HEDDLE_OK)
        status = output_take(&out);
    strbuf_destroy(&file);
    strbuf_destroy(&out);
    return status;
}

static enum heddle_status check_files(const struct advisor *a)
{
    struct file_uses uses = {0};
    if (ptx_is_file(a->what))
        file_uses_read(&uses, a->what);
    file_uses_write(&uses, "--out", a->options->out);
    return file_uses_check(&uses);
}

/* The trials decide on these. */
static enum heddle_status check_settings(const struct text_list *settings)
{
    static const char *const ours[] = {"l2.policy=", "l2.annotations="};
    for (uint32_t i = 0; i < settings->n; i++)
        for (uint32_t k = 0; k < sizeof ours / sizeof ours[0]; k++)
            if (strncmp(settings->items[i], ours[k], strlen(ours[k])) == 0 &&
                strcmp(settings->items[i], "l2.policy=write_buffering") != 0) {
                output_error("--set %s: advice is about l2.policy=write_buffering, and finds the "
                             "annotations itself",
                             settings->items[i]);
                return HEDDLE_BAD_INPUT;
            }
    return HEDDLE_OK;
}

static enum heddle_status advise_l2(const struct advise_options *o, const char *what)
{
    struct advisor a = {.options = o, .trial = o->run, .what = what};
    a.trial.quiet = true;
    a.trial.json = false;
    a.advice = l2_advice_create();
    a.is_watched = true;
    a.title = "watching a run without marks";
    enum heddle_status status = check_settings(&o->run.settings);
    if (status == HEDDLE_OK)
        status = check_files(&a);
    if (status == HEDDLE_OK)
        status = try_annotations(&a, "");
    a.lru = a.now;
    a.is_watched = false;
    if (status == HEDDLE_OK)
        list_candidates(&a);
    if (status == HEDDLE_OK)
        status = try_all(&a);
    if (status == HEDDLE_OK)
        status = confirm(&a);
    if (status == HEDDLE_OK)
        status = answer(&a);
    l2_advice_destroy(a.advice);
    arena_destroy(&a.arena);
    return status;
}

static enum heddle_status run_advise(const void *values, const struct text_list *operands)
{
    static const char *const subjects[] = {"l2"};
    if (strcmp(operands->items[0], subjects[0]) != 0)
        return output_unknown("subject", operands->items[0], subjects, 1,
                              "`heddle advise l2 WORKLOAD|FILE` is what there is");
    if (strcmp(operands->items[1], "all") == 0) {
        output_error("advice is for one program at a time");
        return HEDDLE_BAD_INPUT;
    }
    return advise_l2(values, operands->items[1]);
}

static const struct advise_options defaults = {.run = {.seed = {.value = 1}}};

static const char *const examples[] = {
    "heddle advise l2 sr1 --gpu v100 --out sr1.l2",
    "which buffers of SRAD to mark for L2",
    "heddle run sr1 --gpu v100 --set l2.policy=write_buffering --annotations sr1.l2",
    "a run with these marks",
    "heddle advise l2 hot --set l2.drop=demote",
    "marks that cannot be unsound, for lines are not dropped but replaced first",
    NULL,
};

const struct command command_advise = {
    .name = "advise",
    .operands = "l2 WORKLOAD|FILE",
    .summary = "propose which buffers of a program to mark for L2",
    .description =
        "Runs the program once and watches L2: which buffers a kernel writes that a later launch "
        "reads (candidates for .cc), and which it streams (for .cp). Each candidate is then tried "
        "with those accepted before it. It is proposed only if nothing is read that L2 had dropped "
        "(l2.stale_reads stays 0) and DRAM moves less; for the others the table says why not. "
        "doc/l2.md says what the marks do.",
    .options = options,
    .n_options = sizeof options / sizeof options[0],
    .options_bytes = sizeof(struct advise_options),
    .defaults = &defaults,
    .min_operands = 2,
    .max_operands = 2,
    .examples = examples,
    .run = run_advise,
};
