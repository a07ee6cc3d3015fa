/* heddle store: operations on whole stores. */
#include <string.h>
#include <sys/stat.h>

#include "cli/command.h"
#include "cli/lab_common.h"
#include "cli/output.h"
#include "lab/store_merge.h"

struct store_command {
    bool quiet;
};

static const struct option options[] = {
    OPTION_FLAG("quiet", struct store_command, quiet, "print only errors"),
};

static bool are_the_same_file(const char *a, const char *b)
{
    struct stat x, y;
    return stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

static enum heddle_status merge_one(struct store *s, const char *into, const char *from,
                                    struct strbuf *out)
{
    struct store_merged merged;
    enum heddle_status status = lab_check_readable(from);
    if (status != HEDDLE_OK)
        return status;
    if (are_the_same_file(into, from)) {
        output_error("%s cannot be merged into itself", from);
        return HEDDLE_BAD_INPUT;
    }
    status = store_merge(s, from, &merged);
    if (status != HEDDLE_OK)
        output_failure(strbuf_text(&s->error));
    else
        strbuf_addf(out, "%s: %lld result%s taken, %lld already there\n", from,
                    (long long)merged.n_taken, merged.n_taken == 1 ? "" : "s",
                    (long long)merged.n_there);
    return status;
}

static enum heddle_status merge(const struct store_command *o, const struct text_list *files)
{
    struct strbuf text = {0};
    struct store *s = NULL;
    if (files->n < 2) {
        output_error("heddle store merge needs INTO and at least one FROM");
        return HEDDLE_BAD_INPUT;
    }
    enum heddle_status status = lab_open_store(files->items[0], STORE_WRITE, &s);
    for (uint32_t i = 1; status == HEDDLE_OK && i < files->n; i++)
        status = merge_one(s, files->items[0], files->items[i], &text);
    store_close(s);
    if (o->quiet)
        strbuf_clear(&text);
    enum heddle_status printed = output_take(&text);
    return status == HEDDLE_OK ? printed : status;
}

static enum heddle_status upgrade(const struct store_command *o, const struct text_list *files)
{
    (void)o;
    enum heddle_status status = HEDDLE_OK;
    for (uint32_t i = 0; status == HEDDLE_OK && i < files->n; i++) {
        struct store *s = NULL;
        status = lab_check_readable(files->items[i]);
        if (status == HEDDLE_OK)
            status = lab_open_store(files->items[i], STORE_WRITE, &s);
        store_close(s);
    }
    return status;
}

static const struct {
    const char *name;
    enum heddle_status (*run)(const struct store_command *o, const struct text_list *files);
} actions[] = {{"merge", merge}, {"upgrade", upgrade}};
enum { N_ACTIONS = sizeof actions / sizeof actions[0] };

static enum heddle_status run_store(const void *values, const struct text_list *operands)
{
    const char *names[N_ACTIONS];
    const struct text_list files = {.items = operands->items + 1, .n = operands->n - 1};
    for (size_t i = 0; i < N_ACTIONS; i++) {
        names[i] = actions[i].name;
        if (strcmp(operands->items[0], actions[i].name) == 0)
            return actions[i].run(values, &files);
    }
    return output_unknown("action", operands->items[0], names, N_ACTIONS, "merge, upgrade");
}

static const char *const examples[] = {
    "heddle store merge all.db node1.db node2.db",
    "the results of sweeps on two machines in one store",
    "heddle store upgrade results.db",
    "upgrades a store of an earlier Heddle to the current schema",
    NULL,
};

const struct command command_store = {
    .name = "store",
    .operands = "merge INTO FROM...|upgrade FILE...",
    .summary = "merge stores of results, or upgrade old ones",
    .description = "`merge` takes the results of the stores FROM that INTO does not have, each "
                   "store in one transaction; INTO is created if missing, FROM is not changed. A "
                   "result replaces a failure. Two stores whose results of one point differ are "
                   "not merged: one of them is wrong, and the exit status is 1. `upgrade` brings "
                   "stores that an earlier Heddle wrote to the current schema.",
    .options = options,
    .n_options = sizeof options / sizeof options[0],
    .options_bytes = sizeof(struct store_command),
    .min_operands = 2,
    .max_operands = 100000,
    .examples = examples,
    .run = run_store,
};
