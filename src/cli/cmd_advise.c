/* heddle advise l2: which buffers of a program to annotate for L2, found by an observed run and by
 * trials. An annotation is proposed only if its trial read nothing that L2 had dropped. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/advise.h"
#include "cli/command.h"
#include "cli/file_uses.h"
#include "cli/output.h"
#include "cli/ptx_load.h"
#include "cli/table.h"
#include "workloads/workload.h"

static const struct option options[] = {
    OPTION_TEXT("out", struct advise_options, out, "FILE",
                "write the annotations to this file, for `heddle run --annotations FILE`"),
    OPTION_TEXT("size", struct advise_options, run.size, "SIZE",
                "input of a workload; small if not given"),
    OPTION_GIVEN("seed", struct advise_options, run.seed, "N",
                 "seed of a workload's input; 1 if not given"),
    OPTION_TEXT("gpu", struct advise_options, run.gpu, "GPU",
                "a name from `heddle show gpus`, or a .yaml file; gtx480 if not given"),
    OPTION_LIST("set", struct advise_options, run.settings, "NAME=VALUE",
                "change a parameter of the GPU; with l2.drop=demote no annotation can be unsound; "
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

/* --- candidates --- */

static void propose(struct advisor *a, uint32_t site, bool is_store, const char *reason)
{
    a->proposals[a->n++] = (struct proposal){.site = site, .is_store = is_store, .reason = reason};
}

static const char *count(struct advisor *a, uint64_t n)
{
    struct strbuf text = {0};
    text_count(&text, n);
    const char *copy = arena_strdup(&a->arena, strbuf_text(&text));
    strbuf_destroy(&text);
    return copy;
}

/* Why annotating stores is unsound, as far as the observed run shows. */
static const char *why_unsound(struct advisor *a, const struct l2_site *s)
{
    if (s->shared)
        return arena_printf(&a->arena,
                            "two SMs read %s of its %s lines (a halo): the second would find them "
                            "dropped",
                            count(a, s->shared), count(a, s->read_later));
    if (s->read_again)
        return arena_printf(&a->arena,
                            "%s of its %s lines are read again before they are stored to",
                            count(a, s->read_again), count(a, s->read_later));
    if (s->refetched)
        return arena_printf(&a->arena,
                            "%s stores to a part of a line fetch the rest of it, which would be "
                            "dropped",
                            count(a, s->refetched));
    return "the host reads data that would be dropped";
}

static void list_candidates(struct advisor *a)
{
    for (uint32_t i = 0; i < l2_advice_count(a->advice); i++) {
        const struct l2_site *s = l2_advice_site(a->advice, i);
        if (s->written)
            propose(a, i, true,
                    s->read_later ? NULL : "no later launch reads it before the next store");
    }
    for (uint32_t i = 0; i < l2_advice_count(a->advice); i++) {
        const struct l2_site *s = l2_advice_site(a->advice, i);
        const char *reason = NULL;
        if (s->loaded_by_others)
            reason = arena_printf(&a->arena,
                                  "not private: %s loads in a launch access lines that another SM "
                                  "has loaded, and would miss",
                                  count(a, s->loaded_by_others));
        else if (s->loaded_again)
            reason = arena_printf(&a->arena,
                                  "not streamed: %s loads in a launch access lines loaded before, "
                                  "and would miss",
                                  count(a, s->loaded_again));
        if (s->loaded)
            propose(a, i, false, reason);
    }
}

static const char *say_useless(struct advisor *a, uint64_t bytes, uint64_t before)
{
    if (bytes == before)
        return "sound, but DRAM traffic stays the same";
    return arena_printf(&a->arena, "sound, but DRAM traffic grows by %.1f %%: %s more bytes",
                        100 * (double)(bytes - before) / (double)before, count(a, bytes - before));
}

static void judge(struct advisor *a, struct proposal *p, uint64_t bytes_before)
{
    const struct l2_site *s = l2_advice_site(a->advice, p->site);
    p->trial = a->now;
    p->is_useless = !a->now.stale && a->now.bytes >= bytes_before;
    if (a->now.stale && p->is_store)
        p->reason = arena_printf(&a->arena, "%s (%s stale reads)", why_unsound(a, s),
                                 count(a, a->now.stale));
    else if (a->now.stale)
        p->reason = arena_printf(&a->arena, "%s stale reads in its trial", count(a, a->now.stale));
    else if (p->is_useless)
        p->reason = say_useless(a, a->now.bytes, bytes_before);
    else
        p->is_accepted = true;
}

/* Tries each useful candidate, together with those accepted before it. */
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
        enum heddle_status status = advise_try(a, advise_annotations(a, p));
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

/* Keeping lines may only help once streams no longer evict them (S1 Figures 5 and 6), so candidates
 * that saved nothing are retried as long as others are accepted. */
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

/* Runs all accepted annotations together: repeats the last accepted trial and gives the printed
 * numbers. */
static enum heddle_status confirm(struct advisor *a)
{
    a->title = "all accepted annotations together";
    enum heddle_status status = advise_try(a, advise_annotations(a, NULL));
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
    if (a->command.n)
        file_uses_read(&uses, a->command.items[0]);
    else if (ptx_is_file(a->what))
        file_uses_read(&uses, a->what);
    file_uses_write(&uses, "--out", a->options->out);
    return file_uses_check(&uses);
}

/* The trials control these settings. */
static enum heddle_status check_settings(const struct text_list *settings)
{
    static const char *const ours[] = {"l2.policy=", "l2.annotations="};
    for (uint32_t i = 0; i < settings->n; i++)
        for (uint32_t k = 0; k < sizeof ours / sizeof ours[0]; k++)
            if (strncmp(settings->items[i], ours[k], strlen(ours[k])) == 0 &&
                strcmp(settings->items[i], "l2.policy=write_buffering") != 0) {
                output_error("--set %s: advice is for l2.policy=write_buffering and finds the "
                             "annotations itself",
                             settings->items[i]);
                return HEDDLE_BAD_INPUT;
            }
    return HEDDLE_OK;
}

/* --- what is advised --- */

/* Is there a program of that name on the PATH? */
static bool is_in_path(const char *name)
{
    const char *path = getenv("PATH");
    struct strbuf file = {0};
    bool found = false;
    for (const char *end; !found && path && *path; path = *end ? end + 1 : end) {
        end = strchrnul(path, ':');
        strbuf_clear(&file);
        strbuf_addf(&file, "%.*s/%s", (int)(end - path), path, name);
        found = access(strbuf_text(&file), X_OK) == 0;
    }
    strbuf_destroy(&file);
    return found;
}

/* Neither a workload nor a file of kernels: a user program. */
static bool is_program(const struct text_list *words)
{
    const char *name = words->items[1];
    if (workload_find(name) || ptx_is_file(name))
        return false;
    return words->n > 2 || strchr(name, '/') || is_in_path(name);
}

static const char *join(const struct text_list *words, struct arena *arena)
{
    struct strbuf text = {0};
    for (uint32_t i = 0; i < words->n; i++)
        strbuf_addf(&text, "%s%s", i ? " " : "", words->items[i]);
    const char *line = arena_strdup(arena, strbuf_text(&text));
    strbuf_destroy(&text);
    return line;
}

static enum heddle_status advise_all(struct advisor *a)
{
    a->title = "observing a run without annotations";
    a->is_watched = true;
    enum heddle_status status = advise_try(a, "");
    a->is_watched = false;
    a->lru = a->now;
    if (status == HEDDLE_OK)
        list_candidates(a);
    if (status == HEDDLE_OK)
        status = try_all(a);
    if (status == HEDDLE_OK)
        status = confirm(a);
    return status;
}

static enum heddle_status advise_l2(const struct advise_options *o, const struct text_list *words)
{
    struct advisor *a = xcalloc(1, sizeof *a);
    *a = (struct advisor){.options = o, .trial = o->run, .what = words->items[1]};
    a->trial.quiet = true;
    a->trial.json = false;
    a->advice = l2_advice_create();
    if (is_program(words)) {
        a->command = (struct text_list){.items = words->items + 1, .n = words->n - 1};
        a->what = join(&a->command, &a->arena);
    }
    enum heddle_status status = check_settings(&o->run.settings);
    if (status == HEDDLE_OK)
        status = check_files(a);
    if (status == HEDDLE_OK)
        status = advise_all(a);
    output_progress_end();
    if (status == HEDDLE_OK)
        status = answer(a);
    l2_advice_destroy(a->advice);
    arena_destroy(&a->arena);
    free(a);
    return status;
}

/* The first given option that does not apply to OpenCL programs, or NULL. */
static const char *option_against_programs(const struct run_options *o)
{
    return o->size            ? "--size"
           : o->seed.is_given ? "--seed"
           : o->entry         ? "--entry"
           : o->grid.v[0]     ? "--grid"
           : o->block.v[0]    ? "--block"
           : o->args.n        ? "--arg"
           : o->build_options ? "--build-options"
                              : NULL;
}

static enum heddle_status run_advise(const void *values, const struct text_list *operands)
{
    static const char *const subjects[] = {"l2"};
    const struct advise_options *o = values;
    const char *what = operands->items[1];
    bool is_known = workload_find(what) || ptx_is_file(what);
    if (strcmp(operands->items[0], subjects[0]) != 0)
        return output_unknown("subject", operands->items[0], subjects, 1,
                              "use `heddle advise l2 WORKLOAD|FILE|-- PROGRAM`");
    if (strcmp(what, "all") == 0 || (is_known && operands->n > 2))
        output_error("advice is for one program at a time; an OpenCL program with arguments comes "
                     "after --, unlike '%s'",
                     what);
    else if (is_program(operands) && option_against_programs(&o->run))
        output_error("%s is for workloads and files; it does not apply to an OpenCL program",
                     option_against_programs(&o->run));
    else
        return advise_l2(o, operands);
    return HEDDLE_BAD_INPUT;
}

static const struct advise_options defaults = {.run = {.seed = {.value = 1}}};

static const char *const examples[] = {
    "heddle advise l2 sr1 --gpu v100 --out sr1.l2",
    "which buffers of SRAD to annotate for L2",
    "heddle run sr1 --gpu v100 --set l2.policy=write_buffering --annotations sr1.l2",
    "a run with these annotations",
    "heddle advise l2 hot --set l2.drop=demote",
    "annotations that cannot be unsound, because lines are demoted instead of dropped",
    "heddle advise l2 --out fft.l2 -- ./my_fft 4096",
    "the same for an OpenCL program, which runs as under `heddle exec`",
    NULL,
};

const struct command command_advise = {
    .name = "advise",
    .operands = "l2 WORKLOAD|FILE|-- PROGRAM [ARGUMENT...]",
    .summary = "propose which buffers of a program to annotate for L2",
    .description = "Runs the program once and observes L2: which buffers a kernel writes that a "
                   "later launch reads (candidates for .cc), and which it streams (for .cp). Each "
                   "candidate is then tried with those accepted before it. It is proposed only if "
                   "nothing is read that L2 had dropped (l2.stale_reads stays 0) and DRAM traffic "
                   "decreases; for the others the table says why not. A file is one launch of one "
                   "kernel; an OpenCL program may launch any number, and is run once for each "
                   "trial, with its output discarded. doc/l2.md says what the annotations do.",
    .options = options,
    .n_options = sizeof options / sizeof options[0],
    .options_bytes = sizeof(struct advise_options),
    .defaults = &defaults,
    .min_operands = 2,
    .max_operands = UINT32_MAX,
    .examples = examples,
    .run = run_advise,
};
