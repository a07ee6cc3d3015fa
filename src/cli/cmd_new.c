/* heddle new: creates a folder with a plug-in to start from, a policy or scheduler: its source, its
 * test and a Makefile. */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "base/beside.h"
#include "cache/cache_policy.h"
#include "cli/command.h"
#include "cli/output.h"
#include "sched/scheduler.h"

struct new_options {
    const char *folder;
};

static const struct option options[] = {
    OPTION_TEXT("folder", struct new_options, folder, "FOLDER",
                "the folder to create; NAME if not given"),
};

extern const char new_policy_source[], new_policy_test[], new_scheduler_source[],
    new_scheduler_test[], new_test_head[], new_makefile[];

static bool has_policy(const char *name)
{
    return cache_policy_find(name) != NULL;
}

static bool has_scheduler(const char *name)
{
    return scheduler_find(name) != NULL;
}

static const struct kind {
    const char *word, *option, *prefix; /* of a command line, and of its parameters and
                                         * statistics */
    const char *source, *test;
    bool (*has)(const char *name);
} kinds[] = {
    {"policy", "--l1d", "l1d.policy", new_policy_source, new_policy_test, has_policy},
    {"scheduler", "--scheduler", "scheduler", new_scheduler_source, new_scheduler_test,
     has_scheduler},
};
enum { N_KINDS = sizeof kinds / sizeof kinds[0] };

/* The replacements for @WORD@ in the texts. */
struct filling {
    const struct kind *kind;
    const char *name, *heddle, *include;
};

static const char *value_of(const struct filling *f, const char *word, size_t len)
{
    const struct {
        const char *word, *value;
    } values[] = {
        {"NAME", f->name},       {"HEDDLE", f->heddle},       {"INCLUDE", f->include},
        {"KIND", f->kind->word}, {"OPTION", f->kind->option}, {"PREFIX", f->kind->prefix},
    };
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++)
        if (strlen(values[i].word) == len && memcmp(values[i].word, word, len) == 0)
            return values[i].value;
    return NULL;
}

static void fill(const struct filling *f, const char *text, struct strbuf *out)
{
    while (*text) {
        size_t plain = strcspn(text, "@"), len = 0;
        strbuf_add_n(out, text, plain);
        text += plain;
        if (!*text)
            break;
        len = strcspn(text + 1, "@");
        const char *value = value_of(f, text + 1, len);
        strbuf_add(out, value ? value : "@");
        text += value ? len + 2 : 1;
    }
}

static enum heddle_status write_filled(const char *folder, const char *file,
                                       const struct filling *f, const char *head, const char *text)
{
    struct strbuf path = {0}, filled = {0};
    strbuf_addf(&path, "%s/%s", folder, file);
    fill(f, head, &filled);
    fill(f, text, &filled);
    enum heddle_status status = output_file(strbuf_text(&path), filled.text, filled.len);
    strbuf_destroy(&path);
    strbuf_destroy(&filled);
    return status;
}

static enum heddle_status write_folder(const char *folder, const struct filling *f)
{
    struct strbuf source = {0}, said = {0};
    if (mkdir(folder, 0777) != 0) {
        bool is_there = errno == EEXIST;
        output_error(is_there ? "%s exists already; name another folder with --folder"
                              : "cannot make %s: %s",
                     folder, strerror(errno));
        return is_there ? HEDDLE_BAD_INPUT : HEDDLE_ENVIRONMENT;
    }
    strbuf_addf(&source, "%s.c", f->name);
    enum heddle_status status = write_filled(folder, strbuf_text(&source), f, "", f->kind->source);
    if (status == HEDDLE_OK)
        status = write_filled(folder, "test.sh", f, new_test_head, f->kind->test);
    if (status == HEDDLE_OK)
        status = write_filled(folder, "Makefile", f, "", new_makefile);
    strbuf_destroy(&source);
    if (status != HEDDLE_OK)
        return status;
    strbuf_addf(&said,
                "%s/%s.c is the %s, %s/test.sh its test. Next:\n"
                "  make -C %s test\n"
                "  heddle run bfs --size tiny --plugin %s/%s.so %s %s\n",
                folder, f->name, f->kind->word, folder, folder, folder, f->name, f->kind->option,
                f->name);
    return output_take(&said);
}

/* Is it a name that a plug-in may have and that can begin C identifiers? */
static bool is_usable(const struct kind *k, const char *name)
{
    enum { LONGEST = 40 };
    bool is_name = *name >= 'a' && *name <= 'z' && strlen(name) <= LONGEST &&
                   !name[strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_")];
    if (!is_name)
        output_error("'%s' is not a valid name for a %s: use up to %d lower-case letters, digits "
                     "and underscores, beginning with a letter",
                     name, k->word, LONGEST);
    else if (k->has(name))
        output_error("a %s '%s' exists already; `heddle show %s %s` describes it", k->word, name,
                     k->word, name);
    return is_name && !k->has(name);
}

static enum heddle_status write_new(const struct kind *k, const char *name, const char *folder)
{
    static const char *const places[] = {"include/heddle-plugin", "../include/heddle-plugin"};
    struct strbuf include = {0}, heddle = {0};
    enum heddle_status status = HEDDLE_ENVIRONMENT;
    beside_program(&heddle);
    if (beside_find(places, sizeof places / sizeof places[0], &include)) {
        const struct filling f = {k, name, strbuf_text(&heddle), strbuf_text(&include)};
        status = write_folder(folder ? folder : name, &f);
    } else {
        output_error("the headers for plug-ins (include/heddle-plugin) are not beside %s",
                     strbuf_text(&include));
    }
    strbuf_destroy(&include);
    strbuf_destroy(&heddle);
    return status;
}

static enum heddle_status run_new(const void *values, const struct text_list *operands)
{
    const struct new_options *o = values;
    const char *words[N_KINDS];
    for (int i = 0; i < N_KINDS; i++) {
        const struct kind *k = &kinds[i];
        words[i] = k->word;
        if (strcmp(operands->items[0], k->word) == 0)
            return is_usable(k, operands->items[1]) ? write_new(k, operands->items[1], o->folder)
                                                    : HEDDLE_BAD_INPUT;
    }
    return output_unknown("kind of plug-in", operands->items[0], words, N_KINDS,
                          "usage: heddle new policy|scheduler NAME");
}

static const char *const examples[] = {
    "heddle new policy mine",
    "writes mine/mine.c, a cache policy that is LRU initially, mine/test.sh and mine/Makefile",
    "heddle new scheduler mine --folder schedulers/mine",
    "a warp scheduler that is `oldest` initially, in a folder of another name",
    NULL,
};

const struct command command_new = {
    .name = "new",
    .operands = "policy|scheduler NAME",
    .summary = "create a plug-in for your own cache policy or scheduler",
    .description = "Creates a folder with a plug-in to start from: a source that compiles and "
                   "works, a test for it, and a Makefile that builds it against the headers of "
                   "this Heddle (doc/tutorial.md, doc/adding-a-policy.md).",
    .options = options,
    .n_options = sizeof options / sizeof options[0],
    .options_bytes = sizeof(struct new_options),
    .min_operands = 2,
    .max_operands = 2,
    .examples = examples,
    .run = run_new,
};
