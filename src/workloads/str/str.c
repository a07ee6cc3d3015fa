/* STR: find a word in a text of one word per line, as a MapReduce job (Mars StringMatch; S2 Table
 * 2, 354,984; S3 Table 5.3, 165 k words).
 *
 * The text is cut into stretches of about a kilobyte, as Mars cuts it, and each task walks its own
 * byte by byte. Access pattern: a warp reads single bytes of 32 lines a kilobyte apart and comes
 * back to each line some hundred times; words differ in length, so its threads drift apart. Both
 * passes scan the whole text (see mars.h).
 *
 * S2 does not say what it counts; words are assumed, as in S3. The words are drawn at random, among
 * them the keyword and others that begin like it. */
#include <string.h>

#include "workloads/mars.h"

extern const char workload_str_source[];

static const char KEYWORD[] = "heddle";

enum { KEYWORD_LENGTH = sizeof KEYWORD - 1, MIN_WORD = 3, MAX_WORD = 12 };

struct str {
    struct arena arena;
    uint32_t n_words, stretch_bytes;
    uint8_t *text;
    uint32_t text_bytes;
    int32_t *stretch; /* where each task's part begins and its bytes */
    uint32_t n_tasks;
    struct mars_output out;
    int32_t *want_at, *want_length;
    uint32_t n_want;
};

/* One word in 16 is the keyword, one is the keyword and a letter more, two differ from it in a
 * letter. `word` has room for MAX_WORD letters. */
static uint32_t random_word(struct workload_rng *rng, uint8_t *word)
{
    uint32_t kind = workload_rng_below(rng, 16);
    uint32_t length = MIN_WORD + workload_rng_below(rng, MAX_WORD - MIN_WORD + 1);
    for (uint32_t i = 0; i < MAX_WORD; i++)
        word[i] = (uint8_t)('a' + workload_rng_below(rng, 26));
    if (kind > 3)
        return length;
    memcpy(word, KEYWORD, KEYWORD_LENGTH);
    if (kind == 0)
        return KEYWORD_LENGTH;
    if (kind == 1)
        return KEYWORD_LENGTH + 1;
    word[1 + workload_rng_below(rng, KEYWORD_LENGTH - 1)] ^= 1;
    return KEYWORD_LENGTH;
}

static void write_text(struct str *s, struct workload_rng *rng)
{
    for (uint32_t w = 0; w < s->n_words; w++) {
        s->text_bytes += random_word(rng, s->text + s->text_bytes);
        s->text[s->text_bytes++] = '\n';
    }
}

/* Each part has `stretch_bytes` and then extends to the end of its last word. */
static void cut_text(struct str *s)
{
    uint32_t at = 0;
    while (at < s->text_bytes) {
        uint32_t end = at + s->stretch_bytes;
        if (end > s->text_bytes)
            end = s->text_bytes;
        while (s->text[end - 1] != '\n')
            end++;
        s->stretch[2 * s->n_tasks] = (int32_t)at;
        s->stretch[2 * s->n_tasks + 1] = (int32_t)(end - at);
        s->n_tasks++;
        at = end;
    }
}

static void setup(void *state, const struct workload_size *size, uint64_t seed)
{
    struct str *s = state;
    struct workload_rng rng = {seed};
    s->n_words = (uint32_t)size->p[0];
    s->stretch_bytes = (uint32_t)size->p[1];
    s->text = ARENA_ARRAY(&s->arena, uint8_t, (size_t)s->n_words * (MAX_WORD + 1));
    write_text(s, &rng);
    s->stretch = ARENA_ARRAY(&s->arena, int32_t, 2 * (s->text_bytes / s->stretch_bytes + 1));
    cut_text(s);
    s->want_at = ARENA_ARRAY(&s->arena, int32_t, s->n_words);
    s->want_length = ARENA_ARRAY(&s->arena, int32_t, s->n_words);
}

static void run(void *state, struct device *d)
{
    struct str *s = state;
    const struct mars_job job = {
        .count_kernel = "str_map_count",
        .map_kernel = "str_map",
        .shared = {device_arg_buffer(device_alloc_from(d, s->text, s->text_bytes, "text")),
                   device_arg_buffer(device_alloc_from(d, KEYWORD, KEYWORD_LENGTH, "keyword")),
                   device_arg_i32(KEYWORD_LENGTH)},
        .n_shared = 3,
        .n_tasks = s->n_tasks,
        .values = s->stretch,
        .words_per_value = 2,
    };
    s->out = mars_run(&job, d, &s->arena);
}

/* An imaginary newline precedes the text: a match is the keyword between two newlines. */
static void reference(void *state)
{
    struct str *s = state;
    const uint8_t *text_end = s->text + s->text_bytes;
    const uint8_t *hit = s->text;
    while ((hit = memmem(hit, (size_t)(text_end - hit), KEYWORD, KEYWORD_LENGTH))) {
        bool begins_line = hit == s->text || hit[-1] == '\n';
        if (begins_line && hit[KEYWORD_LENGTH] == '\n') {
            s->want_at[s->n_want] = (int32_t)(hit - s->text);
            s->want_length[s->n_want] = KEYWORD_LENGTH;
            s->n_want++;
        }
        hit++;
    }
}

static bool check(const void *state, struct strbuf *why)
{
    const struct str *s = state;
    return mars_check_directory(why, &s->out, s->n_want, sizeof(int32_t), sizeof(int32_t)) &&
           workload_check_i32(why, "place", s->out.keys, s->want_at, s->n_want) &&
           workload_check_i32(why, "length", s->out.values, s->want_length, s->n_want);
}

static void teardown(void *state)
{
    struct str *s = state;
    arena_destroy(&s->arena);
}

static const struct workload_size sizes[] = {
    {"tiny", {24000, 1024}},
    {"small", {600000, 1024}},
    {"paper-s2", {354984, 1024}},
    {"paper-s3", {165000, 1024}},
    {NULL, {0}},
};

const struct workload workload_str = {
    .name = "str",
    .paper_name = "STR",
    .title = "String match",
    .summary =
        "One map task per kilobyte of a text looks for a word, byte by byte; a warp reads 32 "
        "bytes at once, a kilobyte apart, and its threads drift apart.",
    .origin = "Mars",
    .categories = {.s2 = "cache-insufficient", .s3_ch5 = "cache-sensitive"},
    .source = workload_str_source,
    .param_names = {"words", "stretch_bytes"},
    .sizes = sizes,
    .state_bytes = sizeof(struct str),
    .setup = setup,
    .run = run,
    .reference = reference,
    .check = check,
    .teardown = teardown,
};
