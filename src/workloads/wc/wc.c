/* WC: how often each word of a text occurs, as a MapReduce job (Mars WordCount; S3 Table 5.3, a
 * text of 86 kB).
 *
 * Map, sort, group and reduce are there. Each task walks a line byte by byte; a bitonic sort orders
 * the words by a hash, and where hashes are equal by the letters in the text; one thread per word
 * adds up its records. Access pattern: bytes a line of text apart, then a sort that streams the
 * directory and gathers words, whose keys and letters lie at random.
 *
 * The text is drawn from the seed: a vocabulary of random words, some much more frequent than
 * others. */
#include <stdlib.h>
#include <string.h>

#include "workloads/mars.h"

extern const char workload_wc_source[];

enum { GROUP = 256, MIN_WORD = 2, MAX_WORD = 9, LINE_WORDS = 12 };

struct word { /* as in wc.cl */
    uint32_t hash;
    int32_t at, length;
};

struct distinct_word {
    const char *letters;
    size_t length;
    uint32_t occurrences;
    bool found;
};

struct wc {
    struct arena arena;
    char *text;
    uint32_t text_bytes, vocabulary;
    struct mars_output out;
    uint32_t n_groups;
    int32_t *first, *count; /* of each group: its first record; the word's occurrences */
    struct distinct_word *want;
    uint32_t n_want;
};

static void make_vocabulary(char (*word)[MAX_WORD + 1], uint32_t n, struct workload_rng *rng)
{
    for (uint32_t w = 0; w < n; w++) {
        uint32_t length = MIN_WORD + workload_rng_below(rng, MAX_WORD - MIN_WORD + 1);
        for (uint32_t i = 0; i < length; i++)
            word[w][i] = (char)('a' + workload_rng_below(rng, 26));
    }
}

/* The least of three draws: the first words of the vocabulary are the most frequent. */
static uint32_t draw_word(struct workload_rng *rng, uint32_t vocabulary)
{
    uint32_t least = vocabulary;
    for (int i = 0; i < 3; i++) {
        uint32_t w = workload_rng_below(rng, vocabulary);
        least = w < least ? w : least;
    }
    return least;
}

static void setup(void *state, const struct workload_size *size, uint64_t seed)
{
    struct wc *s = state;
    struct workload_rng rng = {seed};
    uint32_t bytes = (uint32_t)size->p[0];
    s->vocabulary = (uint32_t)size->p[1];
    s->text = ARENA_ARRAY(&s->arena, char, bytes + MAX_WORD + 1);
    char(*word)[MAX_WORD + 1] = arena_alloc(&s->arena, s->vocabulary * sizeof *word);
    make_vocabulary(word, s->vocabulary, &rng);
    for (uint32_t n = 1; s->text_bytes < bytes; n++) {
        const char *next = word[draw_word(&rng, s->vocabulary)];
        memcpy(s->text + s->text_bytes, next, strlen(next));
        s->text_bytes += (uint32_t)strlen(next);
        s->text[s->text_bytes++] = n % LINE_WORDS == 0 ? '\n' : ' ';
    }
    s->text[s->text_bytes - 1] = '\n';
}

/* The beginning of each group according to the marks, and the end after the last one. */
static void list_groups(struct wc *s, const int32_t *begins, uint32_t n)
{
    s->first = ARENA_ARRAY(&s->arena, int32_t, n + 1);
    for (uint32_t i = 0; i < n; i++)
        if (begins[i])
            s->first[s->n_groups++] = (int32_t)i;
    s->first[s->n_groups] = (int32_t)n;
}

static void group_and_reduce(struct wc *s, struct device *d, struct device_arg text)
{
    uint32_t n = (uint32_t)s->out.n_records;
    int32_t *begins = ARENA_ARRAY(&s->arena, int32_t, n);
    device_buffer marks = device_alloc(d, n * sizeof(int32_t), "beginnings of groups");
    DEVICE_LAUNCH_1D(d, "wc_group", device_round_up(n, GROUP), GROUP, text,
                     device_arg_buffer(s->out.on_device.keys),
                     device_arg_buffer(s->out.on_device.directory), device_arg_buffer(marks),
                     device_arg_u32(n));
    device_download(d, marks, 0, begins, n * sizeof(int32_t));
    list_groups(s, begins, n);
    if (s->n_groups == 0)
        return;
    s->count = ARENA_ARRAY(&s->arena, int32_t, s->n_groups);
    device_buffer first =
        device_alloc_from(d, s->first, (s->n_groups + 1) * sizeof(int32_t), "groups");
    device_buffer count = device_alloc(d, s->n_groups * sizeof(int32_t), "counts");
    DEVICE_LAUNCH_1D(d, "wc_reduce", device_round_up(s->n_groups, GROUP), GROUP,
                     device_arg_buffer(s->out.on_device.directory),
                     device_arg_buffer(s->out.on_device.values), device_arg_buffer(first),
                     device_arg_buffer(count), device_arg_u32(s->n_groups));
    device_download(d, count, 0, s->count, s->n_groups * sizeof(int32_t));
}

static void run(void *state, struct device *d)
{
    struct wc *s = state;
    int32_t *lines;
    uint32_t n_lines = mars_lines((const uint8_t *)s->text, s->text_bytes, &s->arena, &lines);
    struct device_arg text =
        device_arg_buffer(device_alloc_from(d, s->text, s->text_bytes, "text"));
    const struct mars_job job = {
        .count_kernel = "wc_map_count",
        .map_kernel = "wc_map",
        .sort_kernel = "wc_sort",
        .shared = {text},
        .n_shared = 1,
        .n_tasks = n_lines,
        .values = lines,
        .words_per_value = 2,
    };
    s->out = mars_run(&job, d, &s->arena);
    if (s->out.directory)
        group_and_reduce(s, d, text);
}

/* --- The reference: all words in the order of the dictionary, equal ones counted --- */

static int compare_letters(const void *a, const void *b)
{
    const struct distinct_word *left = a, *right = b;
    size_t common = left->length < right->length ? left->length : right->length;
    int order = memcmp(left->letters, right->letters, common);
    return order ? order : (left->length > right->length) - (left->length < right->length);
}

static void reference(void *state)
{
    struct wc *s = state;
    size_t n = 0;
    struct distinct_word *all = ARENA_ARRAY(&s->arena, struct distinct_word, s->text_bytes);
    const char *end = s->text + s->text_bytes;
    for (const char *at = s->text; at < end; n++) {
        all[n].letters = at;
        while (*at != ' ' && *at != '\n')
            at++;
        all[n].length = (size_t)(at++ - all[n].letters);
        all[n].occurrences = 1;
    }
    qsort(all, n, sizeof *all, compare_letters);
    s->want = all;
    for (size_t i = 0; i < n; i++) {
        if (s->n_want > 0 && compare_letters(&all[i], &s->want[s->n_want - 1]) == 0)
            s->want[s->n_want - 1].occurrences++;
        else
            s->want[s->n_want++] = all[i];
    }
}

/* The word of a group, if it is in the text and has not been seen before. */
static struct distinct_word *look_up(const struct wc *s, uint32_t group)
{
    const struct mars_entry *entry = &s->out.directory[s->first[group]];
    if (entry->key_at < 0 || (uint64_t)entry->key_at + sizeof(struct word) > s->out.key_bytes)
        return NULL;
    struct word word;
    memcpy(&word, (const char *)s->out.keys + entry->key_at, sizeof word);
    if (word.at < 0 || word.length < 0 || (uint64_t)word.at + (uint64_t)word.length > s->text_bytes)
        return NULL;
    struct distinct_word key = {.letters = s->text + word.at, .length = (size_t)word.length};
    struct distinct_word *found =
        bsearch(&key, s->want, s->n_want, sizeof *s->want, compare_letters);
    if (!found || found->found)
        return NULL;
    found->found = true;
    return found;
}

static bool check(const void *state, struct strbuf *why)
{
    const struct wc *s = state;
    if (s->n_groups != s->n_want) {
        strbuf_addf(why, "%u different words were found, there are %u", s->n_groups, s->n_want);
        return false;
    }
    for (uint32_t g = 0; g < s->n_groups; g++) {
        const struct distinct_word *word = look_up(s, g);
        if (word && (uint32_t)s->count[g] == word->occurrences)
            continue;
        if (word)
            strbuf_addf(why, "'%.*s' was counted %d times, occurs %u times", (int)word->length,
                        word->letters, (int)s->count[g], word->occurrences);
        else
            strbuf_addf(why, "group %u is not a word, or repeats that of another group", g);
        return false;
    }
    return true;
}

static void teardown(void *state)
{
    struct wc *s = state;
    arena_destroy(&s->arena);
}

static const struct workload_size sizes[] = {
    {"tiny", {8192, 400}},
    {"small", {65536, 3000}},
    {"paper-s3", {88064, 4000}},
    {NULL, {0}},
};

const struct workload workload_wc = {
    .name = "wc",
    .paper_name = "WC",
    .title = "Word count",
    .summary = "One map task per line of a text emits its words; a bitonic sort brings equal ones "
               "together, gathering hashes and letters at random; one thread per word counts.",
    .origin = "Mars",
    .categories = {.s3_ch5 = "not cache-sensitive"},
    .source = workload_wc_source,
    .param_names = {"text_bytes", "vocabulary"},
    .sizes = sizes,
    .state_bytes = sizeof(struct wc),
    .setup = setup,
    .run = run,
    .reference = reference,
    .check = check,
    .teardown = teardown,
};
