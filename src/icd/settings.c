#include "icd/settings.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/annotations.h"
#include "icd/object.h"

/* NULL if the variable is unset or empty. */
static const char *text_of(const char *name)
{
    const char *value = getenv(name);
    return value && *value ? value : NULL;
}

static bool read_number(const char *name, uint64_t most, uint64_t *out, struct strbuf *error)
{
    const char *value = text_of(name);
    if (!value)
        return true;
    char *end;
    errno = 0;
    unsigned long long n = strtoull(value, &end, 10);
    if (errno || *end || !isdigit((unsigned char)*value) || n > most) {
        strbuf_addf(error, "%s=%s: expected a number up to %llu\n", name, value,
                    (unsigned long long)most);
        return false;
    }
    *out = n;
    return true;
}

static bool read_flag(const char *name, bool *out, struct strbuf *error)
{
    uint64_t n = 0;
    bool ok = read_number(name, 1, &n, error);
    *out = n;
    return ok;
}

/* Splits at any of `separators`; empty pieces do not count. */
static const char **split(struct icd_settings *s, const char *text, const char *separators,
                          uint32_t *n)
{
    char *copy = arena_strdup(&s->arena, text), *save = NULL;
    const char **items = ARENA_ARRAY(&s->arena, const char *, strlen(text) / 2 + 1);
    *n = 0;
    for (char *word = strtok_r(copy, separators, &save); word;
         word = strtok_r(NULL, separators, &save))
        items[(*n)++] = word;
    return items;
}

static void add_word(struct icd_settings *s, const char *word)
{
    ARRAY_RESERVE(s->words, s->cap_words, s->n_words + 1);
    s->words[s->n_words++] = word;
}

/* A file that cannot be read is an error, like an unknown parameter. */
static bool read_annotations(struct icd_settings *s, struct strbuf *error)
{
    const char *path = text_of("HEDDLE_ANNOTATIONS"), *word = NULL;
    int code = path ? annotations_read_file(path, &s->arena, &word) : 0;
    if (code)
        strbuf_addf(error, "HEDDLE_ANNOTATIONS: cannot read %s: %s\n", path, strerror(code));
    if (word)
        add_word(s, word);
    return !code;
}

/* If a value contains semicolons, each setting is on its own line. */
static void read_words(struct icd_settings *s)
{
    const char *set = text_of("HEDDLE_SET");
    uint32_t n = 0;
    const char **words = set ? split(s, set, strchr(set, '\n') ? "\n" : ";", &n) : NULL;
    if (text_of("HEDDLE_ATOMICS"))
        add_word(s, arena_printf(&s->arena, "atomics.unit=%s", text_of("HEDDLE_ATOMICS")));
    if (text_of("HEDDLE_SCHEDULER"))
        add_word(s, arena_printf(&s->arena, "scheduler=%s", text_of("HEDDLE_SCHEDULER")));
    if (text_of("HEDDLE_L1D"))
        add_word(s, arena_printf(&s->arena, "l1d.policy=%s", text_of("HEDDLE_L1D")));
    for (uint32_t i = 0; i < n; i++)
        add_word(s, words[i]);
}

static bool read_version(struct icd_settings *s, struct strbuf *error)
{
    const char *v = text_of("HEDDLE_CL_VERSION");
    s->version = 300;
    if (!v || strcmp(v, "3.0") == 0)
        return true;
    s->version = 120;
    if (strcmp(v, "1.2") == 0)
        return true;
    strbuf_addf(error, "HEDDLE_CL_VERSION=%s: expected 1.2 or 3.0\n", v);
    return false;
}

static bool read_device_type(struct icd_settings *s, struct strbuf *error)
{
    static const struct {
        const char *name;
        cl_device_type bit;
    } types[] = {{"gpu", CL_DEVICE_TYPE_GPU},
                 {"cpu", CL_DEVICE_TYPE_CPU},
                 {"accelerator", CL_DEVICE_TYPE_ACCELERATOR}};
    const char *text = text_of("HEDDLE_CL_DEVICE_TYPE");
    uint32_t n = 0;
    s->is_any_type = text && strcmp(text, "any") == 0;
    if (s->is_any_type)
        text = "gpu";
    const char **words = split(s, text ? text : "gpu", ",|", &n);
    for (uint32_t i = 0; i < n; i++) {
        cl_device_type bit = 0;
        for (size_t k = 0; k < sizeof types / sizeof *types; k++)
            if (strcmp(types[k].name, words[i]) == 0)
                bit = types[k].bit;
        if (!bit) {
            strbuf_addf(error,
                        "HEDDLE_CL_DEVICE_TYPE: '%s' is not one of gpu, cpu, accelerator, any\n",
                        words[i]);
            return false;
        }
        s->device_type |= bit;
    }
    return true;
}

/* The variable's value as its index among `names`; *out stays if the variable is not set. */
static bool read_choice(const char *variable, const char *const *names, uint32_t n, uint32_t *out,
                        struct strbuf *error)
{
    const char *word = text_of(variable);
    for (uint32_t i = 0; word && i < n; i++)
        if (strcmp(names[i], word) == 0) {
            *out = i;
            return true;
        }
    if (!word)
        return true;
    strbuf_addf(error, "%s=%s: expected ", variable, word);
    for (uint32_t i = 0; i < n; i++)
        strbuf_addf(error, "%s%s", i == 0 ? "" : i + 1 < n ? ", " : " or ", names[i]);
    strbuf_add(error, "\n");
    return false;
}

static bool read_hetero(struct icd_settings *s, struct strbuf *error)
{
    uint32_t device = DEVICE_GPU, mode = MODE_PREDICT;
    if (!read_choice("HEDDLE_DEVICE", hetero_device_names, N_HETERO_DEVICES, &device, error) ||
        !read_choice("HEDDLE_HETERO_TARGET", hetero_mode_names, N_HETERO_MODES, &mode, error))
        return false;
    s->hetero = device == DEVICE_HETEROPDP;
    s->hetero_mode = (enum hetero_mode)mode;
    s->hetero_cmp = text_of("HEDDLE_HETERO_CMP");
    s->hetero_gpu = text_of("HEDDLE_HETERO_GPU");
    s->hetero_models = text_of("HEDDLE_HETERO_MODELS");
    s->hetero_natives = text_of("HEDDLE_HETERO_NATIVES");
    s->hetero_log = text_of("HEDDLE_HETERO_LOG");
    return read_flag("HEDDLE_HETERO_CHECKPOINT", &s->hetero_checkpoint, error) &&
           read_flag("HEDDLE_HETERO_COLD", &s->hetero_cold, error);
}

bool settings_read(struct icd_settings *s, struct strbuf *error)
{
    const char *gpu = text_of("HEDDLE_GPU");
    uint64_t threads = 0;
    bool ok = read_flag("HEDDLE_FUNCTIONAL", &s->functional, error) &&
              read_flag("HEDDLE_LOOSE_BOUNDS", &s->loose_bounds, error) &&
              read_flag("HEDDLE_ATTRIBUTE", &s->attribute, error) &&
              read_flag("HEDDLE_SUMMARY", &s->summary, error) &&
              read_flag("HEDDLE_KERNELS", &s->kernels, error) &&
              read_number("HEDDLE_THREADS", 256, &threads, error) &&
              read_number("HEDDLE_MAX_CYCLES", UINT64_MAX, &s->max_cycles, error) &&
              read_number("HEDDLE_MAX_INSTS", UINT64_MAX, &s->max_insts, error) &&
              read_number("HEDDLE_SERIES", UINT64_MAX, &s->series, error) &&
              read_flag("HEDDLE_L2_WATCH", &s->l2_watch, error) && read_annotations(s, error) &&
              read_version(s, error) && read_device_type(s, error) && read_hetero(s, error);
    s->threads = (uint32_t)threads;
    s->gpus = split(s, gpu ? gpu : "gtx480", ",", &s->n_gpus);
    const char *plugins = text_of("HEDDLE_PLUGINS");
    s->plugins = plugins ? split(s, plugins, ":", &s->n_plugins) : NULL;
    read_words(s);
    s->json = text_of("HEDDLE_JSON");
    s->store = text_of("HEDDLE_STORE");
    s->result = text_of("HEDDLE_RESULT");
    s->l2_report = text_of("HEDDLE_L2_REPORT");
    s->record = text_of("HEDDLE_RECORD");
    s->series_out = text_of("HEDDLE_SERIES_OUT");
    s->series_columns = text_of("HEDDLE_SERIES_COLUMNS");
    return ok;
}
