/* A recording against the counters of the machine that was recorded, which know nothing of it; and
 * what becomes of files that are not as they were written. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zstd.h>

#include <cmocka.h>

#include "analysis/l1d_checks.h"
#include "analysis/l1d_writer.h"
#include "analysis/lab_params.h"
#include "analysis/lab_replay.h"
#include "analysis/lab_timed.h"
#include "analysis/locality.h"
#include "cache/cache_policy.h"
#include "gpu/sim.h"
#include "unit/random_bits.h"

/* Loads with reuse, stores and atomics, over more lines than L1D has; lines that are stored to, or
 * counted in, while they come; local memory; loads that go around; fewer lanes at times. */
static const char kernel[] =
    "__kernel void mix(__global int *x, __global int *y, __global int *n) {\n"
    "    int i = get_global_id(0), sum = 0, own[8];\n"
    "    for (int k = 0; k < 6; k++) {\n"
    "        int at = (i * 37 + k * 911) & 16383;\n"
    "        sum += own[(i + k) & 7] = x[at] * x[at ^ 16];\n"
    "        for (int j = 0; j < (i ^ k) % 5; j++)\n"
    "            sum = sum * 5 + (sum >> j);\n"
    "    }\n"
    "    sum += own[sum & 7 ? i & 1 : 2] + n[i & 63] + y[i ^ 64];\n"
    "    atomic_add(&n[i & 63], sum);\n"
    "    y[i] = sum + ((volatile __global int *)x)[i & 255];\n"
    "}\n";

struct memory_file {
    uint8_t *bytes;
    size_t n, cap;
};

static bool add_bytes(void *user, const void *data, size_t bytes)
{
    struct memory_file *f = user;
    ARRAY_RESERVE(f->bytes, f->cap, f->n + bytes);
    memcpy(f->bytes + f->n, data, bytes);
    f->n += bytes;
    return true;
}

static uint64_t stat(const struct heddle_sim *sim, const char *name)
{
    struct heddle_stat s;
    assert_true(heddle_stat_find(sim, name, &s));
    return s.count;
}

enum { N_SETTINGS = 6 };
typedef void watcher(void *user, const struct cache_event_info *e);

/* `places`, one for each SM, are told of every event at L1D; NULL = nobody is. */
struct by_place;
static void watch_sms(struct heddle_sim *sim, watcher *watch, struct by_place *places);

/* With all settings before the first NULL. */
static struct heddle_sim *record_watched(const char *const settings[N_SETTINGS],
                                         struct memory_file *file, watcher *watch,
                                         struct by_place *places)
{
    struct heddle_options o = {.struct_size = sizeof o, .timing = true, .settings = settings};
    while (o.n_settings < N_SETTINGS && settings[o.n_settings])
        o.n_settings++;
    struct heddle_sim *sim;
    struct heddle_module *module;
    uint64_t x, y, n;
    assert_int_equal(heddle_create(&o, &sim), HEDDLE_OK);
    if (watch)
        watch_sms(sim, watch, places);
    struct l1d_recorder *r =
        l1d_recorder_create(sim->machine, false, (struct sink){add_bytes, file});
    assert_int_equal(
        heddle_load(sim, HEDDLE_OPENCL_C, "mix.cl", kernel, sizeof kernel - 1, NULL, &module),
        HEDDLE_OK);
    heddle_alloc(sim, 65536, "x", &x);
    heddle_alloc(sim, 65536, "y", &y);
    heddle_alloc(sim, 256, "n", &n);
    const struct heddle_arg args[] = {{&x, 8, false}, {&y, 8, false}, {&n, 8, false}};
    const struct heddle_launch launch = {.grid = {32}, .block = {256}, .args = args, .n_args = 3};
    for (int i = 0; i < 2; i++)
        if (heddle_launch(sim, module, "mix", &launch) != HEDDLE_OK)
            fail_msg("%s", heddle_error(sim));
    assert_true(l1d_recorder_finish(r));
    l1d_recorder_destroy(r);
    return sim;
}

static struct heddle_sim *record(const char *policy, struct memory_file *file)
{
    return record_watched((const char *const[N_SETTINGS]){policy, "n_sms=3"}, file, NULL, NULL);
}

/* The path of a file with those bytes; the test is over before another one needs it. */
static const char *on_disk(const uint8_t *bytes, size_t n)
{
    static char path[64];
    snprintf(path, sizeof path, "/tmp/heddle-l1d-%ld", (long)getpid());
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(bytes, 1, n, f), n);
    assert_int_equal(fclose(f), 0);
    return path;
}

struct counts {
    uint64_t by_outcome[N_L1D_KINDS][N_L1D_OUTCOMES];
    uint64_t all, thread_insts;
};

static void add_event(struct counts *c, const struct l1d_event *e, const struct l1d_header *h,
                      uint64_t *last_cycle)
{
    assert_true(e->sm < h->n_sms);
    c->thread_insts += (uint64_t)e->n_issues * e->n_lanes;
    if (e->kind == L1D_INSTS) /* tells no cycle */
        return;
    assert_true(e->cycle >= last_cycle[e->sm]);
    assert_int_equal(e->line % h->l1d.line_bytes, 0);
    if (e->kind == L1D_LOAD || e->kind == L1D_STORE || e->kind == L1D_ATOMIC) {
        assert_true(e->address >= e->line && e->address < e->line + h->l1d.line_bytes);
        assert_true(e->launch < 2 && e->thread < 32 * 256);
    }
    last_cycle[e->sm] = e->cycle;
    c->by_outcome[e->kind][e->outcome]++;
    c->all++;
}

/* How reading ends; what was read is in `c`, the reason of a failure in `why`. */
static enum l1d_read read_all(const char *path, struct counts *c, struct strbuf *why)
{
    uint64_t last_cycle[3] = {0};
    struct l1d_event e;
    enum l1d_read read;
    memset(c, 0, sizeof *c);
    struct l1d_reader *r = l1d_reader_open(path, why);
    if (!r)
        return L1D_READ_BAD;
    const struct l1d_header *h = l1d_reader_header(r);
    assert_int_equal(h->n_sms, 3);
    while ((read = l1d_reader_next(r, &e, why)) == L1D_READ_EVENT)
        add_event(c, &e, h, last_cycle);
    l1d_reader_close(r);
    return read;
}

/* The settings of a policy that goes by what is recorded, at L1Ds of all kinds. */
static const char *const machines[][N_SETTINGS] = {
    {"n_sms=3", "l1d.policy=lru"},
    {"n_sms=3", "l1d.policy=none"},
    {"n_sms=3", "l1d.policy=random"},
    {"n_sms=3", "l1d.policy=drrip", "l1d.sector_bytes=32", "l1d.allocate_on_fill=true",
     "l1d.n_ways=2", "l2.sector_bytes=32"},
    {"n_sms=3", "l1d.policy=ctrl_c", "l1d.sector_bytes=64", "l1d.allocate_on_fill=true"},
    {"n_sms=3", "l1d.policy=ship", "l1d.sector_bytes=32", "l1d.write_evict=false", "l1d.n_sets=8",
     "l1d.n_mshrs=64"},
    {"n_sms=3", "l1d.policy=lru", "l1d.sector_bytes=32", "l1d.write_evict=false",
     "l1d.write_allocate=true", "l1d.allocate_on_fill=true"},
    {"n_sms=3", "l1d.policy=dlp"},
    {"n_sms=3", "l1d.policy=dlp", "l1d.sector_bytes=32", "l1d.allocate_on_fill=true",
     "l1d.n_sets=8"},
};
enum { N_MACHINES = sizeof machines / sizeof machines[0] };

static void check_counters(const struct heddle_sim *sim, const struct counts *c)
{
    const uint64_t *loads = c->by_outcome[L1D_LOAD], *stores = c->by_outcome[L1D_STORE];
    assert_int_equal(loads[L1D_HIT], stat(sim, "l1d.hits"));
    assert_int_equal(loads[L1D_MERGE], stat(sim, "l1d.merges"));
    assert_int_equal(loads[L1D_MISS], stat(sim, "l1d.misses"));
    assert_int_equal(loads[L1D_BYPASS], stat(sim, "l1d.bypasses"));
    assert_int_equal(stores[L1D_HIT] + stores[L1D_MERGE] + stores[L1D_MISS] + stores[L1D_BYPASS],
                     stat(sim, "l1d.stores"));
    assert_int_equal(c->by_outcome[L1D_FILL][L1D_KEPT], stat(sim, "l1d.fills"));
    assert_int_equal(c->by_outcome[L1D_FILL][L1D_NOT_KEPT], stat(sim, "l1d.fills_dropped"));
    assert_int_equal(c->by_outcome[L1D_EVICT][EVICT_REPLACE], stat(sim, "l1d.evictions"));
    assert_int_equal(c->by_outcome[L1D_EVICT][EVICT_WRITE], stat(sim, "l1d.write_evictions"));
    /* 64 counters lie in two lines: each warp's lanes touch one of them. */
    assert_int_equal(c->by_outcome[L1D_ATOMIC][L1D_BYPASS], 2 * 32 * 8);
    assert_int_equal(c->thread_insts, stat(sim, "thread_insts"));
}

/* The recorded cache again: every counter of it is the machine's. */
static void check_timed_replay(const struct heddle_sim *sim, const char *path, const char *policy)
{
    struct lab_timed t;
    struct strbuf why = {0};
    if (!lab_timed_replay(path, cache_policy_find(policy), NULL, &t, &why))
        fail_msg("%s", strbuf_text(&why));
    assert_int_equal(t.n_different, 0);
#define COUNTER(field, name, help)                                                                 \
    if (t.stats.field != stat(sim, "l1d." name))                                                   \
        fail_msg("%s: %s is %llu, not %llu", policy, name, (unsigned long long)t.stats.field,      \
                 (unsigned long long)stat(sim, "l1d." name));
    CACHE_COUNTERS(COUNTER)
#undef COUNTER
    strbuf_destroy(&why);
}

static void events_replay_the_counters(void **state)
{
    (void)state;
    uint64_t n_dropped = 0, n_sector_misses = 0;
    for (int i = 0; i < N_MACHINES; i++) {
        struct memory_file file = {0};
        struct strbuf why = {0};
        struct counts c;
        struct heddle_sim *sim = record_watched(machines[i], &file, NULL, NULL);
        const char *path = on_disk(file.bytes, file.n);
        if (read_all(path, &c, &why) != L1D_READ_END)
            fail_msg("%s", strbuf_text(&why));
        check_counters(sim, &c);
        check_timed_replay(sim, path, strchr(machines[i][1], '=') + 1);
        n_dropped += stat(sim, "l1d.fills_dropped");
        n_sector_misses += stat(sim, "l1d.sector_misses");
        heddle_destroy(sim);
        free(file.bytes);
        strbuf_destroy(&why);
    }
    assert_true(n_dropped > 0 && n_sector_misses > 0); /* else nothing was shown */
}

/* Whose lines are hit, found once more by the places in the cache: whoever reserved a place owns
 * what is in it. */
struct place {
    uint64_t warp, thread;
};
enum { PLACES = 4096, PLACE_WAYS = 64 };
struct by_place {
    struct place places[PLACES];
    uint64_t hits[N_LAB_LOCALITIES];
};

static void watch_place(void *user, const struct cache_event_info *e)
{
    struct by_place *b = user;
    const struct mem_access *a = e->access;
    if (!a || e->way >= PLACE_WAYS)
        return;
    struct place *p = &b->places[e->set * PLACE_WAYS + e->way];
    if (e->event == CE_RESERVE)
        *p = (struct place){a->warp_uid, a->first_thread};
    else if (e->event == CE_HIT || e->event == CE_MERGE)
        b->hits[p->warp != a->warp_uid         ? LAB_INTER_WARP
                : p->thread != a->first_thread ? LAB_INTER_THREAD
                                               : LAB_INTRA_THREAD]++;
}

static void watch_sms(struct heddle_sim *sim, watcher *watch, struct by_place *places)
{
    for (uint32_t i = 0; i < 3; i++)
        cache_observe(sim->machine->sms[i].l1d, watch, &places[i]);
}

static void hits_are_the_owners_of_their_places(void **state)
{
    (void)state;
    static const char *const policies[][N_SETTINGS] = {{"l1d.policy=lru", "n_sms=3"},
                                                       {"l1d.policy=random", "n_sms=3"},
                                                       {"l1d.policy=ctrl_c", "n_sms=3"}};
    for (int i = 0; i < 3; i++) {
        struct memory_file file = {0};
        struct strbuf why = {0};
        struct by_place *places = xcalloc(3, sizeof *places);
        struct locality l;
        struct heddle_sim *sim = record_watched(policies[i], &file, watch_place, places);
        const struct cache_config *l1d = &sim->machine->config->sm.l1d;
        assert_true(l1d->n_sets * PLACE_WAYS <= PLACES);
        assert_true(locality_measure(on_disk(file.bytes, file.n), l1d, LOCALITY_RUN, &l, &why));
        const uint64_t told[] = {l.intra_thread, l.inter_thread, l.inter_warp};
        for (int k = 0; k < N_LAB_LOCALITIES; k++) {
            uint64_t n = places[0].hits[k] + places[1].hits[k] + places[2].hits[k];
            assert_int_equal(told[k], n);
            assert_true(n > 0);
        }
        assert_int_equal(l.belady_misses, 0); /* was not asked for */
        heddle_destroy(sim);
        free(places);
        free(file.bytes);
        strbuf_destroy(&why);
    }
    unlink(on_disk((const uint8_t *)"", 0));
}

/* Plain LRU, which unpacks no more than who loads which line. */
static bool replay_lru(const char *path, struct lab_result *out)
{
    struct lab_job job = {
        .config = {.n_sets = 32, .n_ways = 4, .line_bytes = 128, .policy = lab_policy_find("lru")}};
    struct lab_stream s = {0};
    struct strbuf why = {0};
    bool ok = lab_stream_open_recording(&s, path, &why) && lab_replay_opened(&s, &job, 1, &why);
    assert_int_equal(ok, !why.len);
    *out = job.result;
    lab_stream_destroy(&s);
    strbuf_destroy(&why);
    return ok;
}

static void a_damaged_file_is_refused_where_it_is_damaged(void **state)
{
    (void)state;
    struct memory_file file = {0};
    struct counts whole, c;
    struct strbuf why = {0};
    heddle_destroy(record("l1d.policy=lru", &file));
    assert_int_equal(read_all(on_disk(file.bytes, file.n), &whole, &why), L1D_READ_END);
    struct lab_result result;
    assert_true(replay_lru(on_disk(file.bytes, file.n), &result));
    for (size_t i = 0; i < 40; i++) {
        size_t at = i < 8 ? file.n - 1 - i : i * 2654435761u % file.n;
        strbuf_clear(&why);
        assert_int_equal(read_all(on_disk(file.bytes, at), &c, &why), L1D_READ_BAD);
        assert_true(at == 0 || strstr(strbuf_text(&why), "byte "));
        assert_true(c.all <= whole.all);
        file.bytes[at] ^= 0x20; /* not 0x10, which zstd does not look at where a frame begins */
        strbuf_clear(&why);
        assert_int_equal(read_all(on_disk(file.bytes, file.n), &c, &why), L1D_READ_BAD);
        assert_non_null(strstr(strbuf_text(&why), "byte "));
        assert_false(replay_lru(on_disk(file.bytes, file.n), &result));
        file.bytes[at] ^= 0x20;
    }
    /* Frame by frame all is well, but a block is missing: four frames. */
    size_t head = ZSTD_findFrameCompressedSize(file.bytes, file.n), block = 0;
    for (int i = 0; i < 4; i++)
        block += ZSTD_findFrameCompressedSize(file.bytes + head + block, file.n - head - block);
    uint8_t *rest = xcalloc(1, file.n);
    memcpy(rest, file.bytes, head);
    memcpy(rest + head, file.bytes + head + block, file.n - head - block);
    strbuf_clear(&why);
    assert_int_equal(read_all(on_disk(rest, file.n - block), &c, &why), L1D_READ_BAD);
    assert_non_null(strstr(strbuf_text(&why), "events are missing"));
    struct lab_stream accesses = {0}; /* nor is it missed by who skips all but the accesses */
    strbuf_clear(&why);
    assert_false(lab_stream_read_recording(&accesses, on_disk(rest, file.n - block), &why));
    assert_non_null(strstr(strbuf_text(&why), "events are missing"));
    lab_stream_destroy(&accesses);
    free(rest);
    /* Whole, but with something behind it. */
    assert_true(add_bytes(&file, file.bytes, 70));
    assert_int_equal(read_all(on_disk(file.bytes, file.n), &c, &why), L1D_READ_BAD);
    assert_int_equal(c.all, whole.all);
    unlink(on_disk(file.bytes, 0));
    free(file.bytes);
    strbuf_destroy(&why);
}

/* --- files of version 4, which were like these without instructions --- */

static void add_frame(struct memory_file *to, const uint8_t *content, size_t n)
{
    size_t cap = ZSTD_compressBound(n);
    uint8_t *packed = xcalloc(1, cap);
    ZSTD_CCtx *zstd = ZSTD_createCCtx();
    ZSTD_CCtx_setParameter(zstd, ZSTD_c_checksumFlag, 1);
    assert_true(add_bytes(to, packed, ZSTD_compress2(zstd, packed, cap, content, n)));
    ZSTD_freeCCtx(zstd);
    free(packed);
}

/* Where its four texts end, and the policy's parameters begin. */
static size_t texts_end(const uint8_t *header)
{
    size_t at = 9 + 9 * 4;
    for (int i = 0; i < 4; i++)
        at += 4 + get_u32(header + at);
    return at;
}

/* One frame of a version 5 file of three SMs. */
static void add_as_version_4(struct memory_file *to, uint8_t *content, size_t n)
{
    enum { VERSION_AT = 9, N_SMS = 3 };
    if (content[0] == L1D_TAG_INSTS)
        return;
    if (content[0] == L1D_TAG_HEADER) {
        content[VERSION_AT] = 4;
        n = texts_end(content);
    }
    if (content[0] == L1D_TAG_END) { /* two numbers of each SM, and no checksum */
        for (size_t sm = 0; sm < N_SMS; sm++)
            memmove(content + 1 + 16 * sm, content + 1 + 24 * sm, 16);
        n = 1 + 16 * N_SMS;
    }
    add_frame(to, content, n);
}

static struct memory_file version_4_of(const struct memory_file *file)
{
    struct memory_file old = {0};
    for (size_t at = 0, n; at < file->n; at += n) {
        n = ZSTD_findFrameCompressedSize(file->bytes + at, file->n - at);
        size_t bytes = (size_t)ZSTD_getFrameContentSize(file->bytes + at, n);
        uint8_t *content = xcalloc(1, bytes);
        assert_int_equal(ZSTD_decompress(content, bytes, file->bytes + at, n), bytes);
        add_as_version_4(&old, content, bytes);
        free(content);
    }
    return old;
}

static uint64_t count_different(const struct memory_file *file, const char *policy)
{
    struct lab_timed t;
    struct strbuf why = {0};
    const char *path = on_disk(file->bytes, file->n);
    if (!lab_timed_replay(path, cache_policy_find(policy), NULL, &t, &why))
        fail_msg("%s", strbuf_text(&why));
    return t.n_different;
}

/* What they tell is not lost; only who counts instructions misses something. */
static void older_files_are_read(void **state)
{
    (void)state;
    struct memory_file file = {0};
    struct lab_result want, got;
    heddle_destroy(record("l1d.policy=dlp", &file));
    struct memory_file old = version_4_of(&file);
    assert_true(replay_lru(on_disk(file.bytes, file.n), &want));
    assert_true(replay_lru(on_disk(old.bytes, old.n), &got));
    assert_memory_equal(&got, &want, sizeof got);
    assert_true(got.stats.hits > 0);
    assert_int_equal(count_different(&file, "dlp"), 0);
    assert_true(count_different(&old, "dlp") > 0);
    for (size_t i = 0; i < 20; i++) { /* they have no checksum but those of frames */
        size_t at = i * 2654435761u % old.n;
        old.bytes[at] ^= 0x20;
        assert_false(replay_lru(on_disk(old.bytes, old.n), &got));
        old.bytes[at] ^= 0x20;
    }
    unlink(on_disk(old.bytes, 0));
    free(file.bytes);
    free(old.bytes);
}

/* --- the parameters of the policy --- */

/* The first frame, unpacked; to be freed. */
static uint8_t *header_of(const struct memory_file *file, size_t *n)
{
    *n = (size_t)ZSTD_getFrameContentSize(file->bytes, file->n);
    uint8_t *content = xcalloc(1, *n + 1);
    size_t packed = ZSTD_findFrameCompressedSize(file->bytes, file->n);
    assert_int_equal(ZSTD_decompress(content, *n, file->bytes, packed), *n);
    return content;
}

static bool opens(const uint8_t *header, size_t n)
{
    struct memory_file file = {0};
    struct strbuf why = {0};
    add_frame(&file, header, n);
    struct l1d_reader *r = l1d_reader_open(on_disk(file.bytes, file.n), &why);
    assert_int_equal(!r, why.len > 0);
    bool opens = r;
    l1d_reader_close(r);
    strbuf_destroy(&why);
    free(file.bytes);
    return opens;
}

/* After doc/l1d-stream.md, by hand. */
static void a_header_tells_parameters_as_the_page_says(void **state)
{
    (void)state;
    static const char want[] = "\4\0\0\0"
                               "\5\0\0\0pc=74"
                               "\17\0\0\0also=4294967295"
                               "\3\0\0\0n=3"
                               "\6\0\0\0seed=0";
    enum { N_WANT = sizeof want - 1 };
    struct memory_file file = {0};
    heddle_destroy(
        record_watched((const char *const[N_SETTINGS]){"l1d.policy=pc_prob", "n_sms=3",
                                                       "l1d.policy.pc=74", "l1d.policy.n=3"},
                       &file, NULL, NULL));
    size_t n;
    uint8_t *header = header_of(&file, &n);
    assert_int_equal(n - texts_end(header), N_WANT);
    assert_memory_equal(header + texts_end(header), want, N_WANT);
    assert_true(opens(header, n));
    for (size_t cut = texts_end(header); cut < n; cut++)
        assert_false(opens(header, cut));
    assert_false(opens(header, n + 1)); /* there is a zero behind it */
    header[n - 2] = '-';                /* "seed-0" says nothing */
    assert_false(opens(header, n));
    unlink(on_disk(header, 0));
    free(header);
    free(file.bytes);
}

/* What the recorded words are to dlp: "" if it takes them. */
static const char *refusal(const char *const *words, uint32_t n)
{
    static char text[400];
    struct settings to = {0};
    struct strbuf why = {0};
    const struct l1d_params recorded = {true, words, n};
    bool ok = lab_params_take(&recorded, cache_policy_find("dlp"), &to, &why);
    assert_int_equal(ok, !why.len);
    assert_true(!ok || to.n == n);
    snprintf(text, sizeof text, "%s", strbuf_text(&why));
    settings_destroy(&to);
    strbuf_destroy(&why);
    return text;
}

static void a_policy_takes_its_own_parameters_only(void **state)
{
    (void)state;
    static const char *const good[] = {"pd_max=7", "bypass_reserved=true"};
    static const char *const unknown[] = {"pd_max=7", "pd_maxx=7"};
    static const char *const too_large[] = {"pd_max=16"};
    assert_string_equal(refusal(good, 2), "");
    assert_string_equal(refusal(NULL, 0), "");
    assert_non_null(strstr(refusal(unknown, 2), "with pd_maxx=7, a parameter that the dlp here"));
    assert_non_null(strstr(refusal(too_large, 1), "with pd_max=16, which cannot be here"));
    /* Which of them were set, and whether the values are those; a policy without any is always as
     * it was. */
    const struct cache_policy_desc *dlp = cache_policy_find("dlp");
    static const char *const defaults[] = {"pd_max=15", "pd_init=0"};
    const struct l1d_params as_ever = {true, defaults, 2}, set = {true, good, 2}, untold = {0};
    struct strbuf text = {0};
    lab_params_print(&as_ever, dlp, &text);
    assert_string_equal(strbuf_text(&text), "");
    lab_params_print(&set, dlp, &text);
    assert_string_equal(strbuf_text(&text), "pd_max=7 bypass_reserved=true");
    assert_true(lab_params_are(&as_ever, dlp, NULL));
    assert_false(lab_params_are(&set, dlp, NULL));
    assert_false(lab_params_are(&untold, dlp, NULL));
    assert_true(lab_params_are(&untold, cache_policy_find("lru"), NULL));
    strbuf_destroy(&text);
}

static bool keep_text(void *user, const void *data, size_t bytes)
{
    strbuf_add_n(user, data, bytes);
    return true;
}

/* The same replay of what is at `path`: all at once, or some at a time on a thread of its own; did
 * it go well? */
static bool reads_alike(const char *path, const struct lab_config *config, bool has_log)
{
    struct strbuf why = {0}, why_ahead = {0}, text = {0}, text_ahead = {0};
    struct sink log = {keep_text, &text}, log_ahead = {keep_text, &text_ahead};
    struct lab_job at_once = {.config = *config, .log = has_log ? &log : NULL};
    struct lab_job ahead = {.config = *config, .log = has_log ? &log_ahead : NULL};
    struct lab_stream all = {0}, some = {0};
    bool ok = lab_stream_read_recording(&all, path, &why) && lab_replay_all(&all, &at_once, 1);
    bool ok_ahead = lab_stream_open_recording(&some, path, &why_ahead) &&
                    lab_replay_opened(&some, &ahead, 1, &why_ahead);
    assert_int_equal(ok, ok_ahead);
    assert_string_equal(strbuf_text(&why), strbuf_text(&why_ahead));
    if (ok) {
        assert_memory_equal(&at_once.result, &ahead.result, sizeof ahead.result);
        assert_string_equal(strbuf_text(&text), strbuf_text(&text_ahead));
        assert_true(cache_stats_check(&ahead.result.stats, &why));
    }
    assert_memory_equal(all.recorded, some.recorded, sizeof all.recorded);
    lab_stream_destroy(&all);
    lab_stream_destroy(&some);
    strbuf_destroy(&why);
    strbuf_destroy(&why_ahead);
    strbuf_destroy(&text);
    strbuf_destroy(&text_ahead);
    return ok;
}

/* The same comes out, and a file that is cut is refused for the same reason. Plain LRU reads less
 * than others. */
static void reading_ahead_changes_nothing(void **state)
{
    (void)state;
    const struct lab_config configs[] = {
        {.n_sets = 32, .n_ways = 4, .line_bytes = 128, .policy = lab_policy_find("srrip")},
        {.n_sets = 32, .n_ways = 4, .line_bytes = 128, .policy = lab_policy_find("lru")},
        {.n_sets = 7, .n_ways = 3, .line_bytes = 64, .policy = lab_policy_find("lru")},
        {.n_sets = 32, .n_ways = 4, .line_bytes = 128, .policy = lab_policy_find("dlp")},
    };
    enum { N_CONFIGS = sizeof configs / sizeof configs[0] };
    struct memory_file file = {0};
    heddle_destroy(record("l1d.policy=lru", &file));
    for (size_t i = 0; i < 12; i++) {
        size_t n = i < N_CONFIGS ? file.n : i * 2654435761u % file.n;
        assert_int_equal(reads_alike(on_disk(file.bytes, n), &configs[i % N_CONFIGS], i % 2),
                         i < N_CONFIGS);
    }
    assert_true(reads_alike(on_disk(file.bytes, file.n), &configs[1], true));
    unlink(on_disk(file.bytes, 0));
    free(file.bytes);
}

/* Three events of three columns, written by hand after doc/l1d-stream.md. */
static void a_table_is_as_the_page_says(void **state)
{
    (void)state;
    static const uint8_t want[] = {
        0x20, 0x00, 0x01,                                  /* first bytes */
        2,    5,    0,    0,    0,    0,    0,    0,    0, /* 5, 4, 260: differences 0, -1, 256 */
        0x00, 0xff, 0x00, 0x00, 0xff, 0x01,                /* */
        0,    7,    0,    0,    0,    0,    0,    0,    0, /* 7, 7, 7 */
        1,    0x80, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, /* -128, -1, -1 */
        0x00, 0x7f, 0x00,
    };
    uint8_t bytes[200];
    struct l1d_table t = {.n_columns = 3};
    l1d_table_reserve(&t, 3);
    t.n = 3;
    memcpy(t.kinds, want, 3);
    memcpy(t.columns[0], (uint64_t[]){5, 4, 260}, 24);
    memcpy(t.columns[1], (uint64_t[]){7, 7, 7}, 24);
    memcpy(t.columns[2], (uint64_t[]){-128ull, -1ull, -1ull}, 24);
    assert_true(l1d_table_bound(&t) >= sizeof want);
    uint8_t *parted = l1d_table_pack(&t, 0, 1, bytes); /* in two frames, say */
    assert_int_equal(parted - bytes, 18);
    assert_int_equal(l1d_table_pack(&t, 1, 3, parted) - bytes, sizeof want);
    assert_memory_equal(bytes, want, sizeof want);
    assert_true(l1d_table_unpack(&t, 3, 0, 3, want, want + sizeof want));
    assert_true(t.n == 3 && t.columns[0][2] == 260 && t.columns[1][2] == 7);
    assert_true(t.columns[2][0] == -128ull && t.columns[2][2] == -1ull);
    for (size_t n = 0; n < sizeof want; n++) /* cut anywhere */
        assert_false(l1d_table_unpack(&t, 3, 0, 3, want, want + n));
    for (size_t n = 18; n < sizeof want; n++)
        assert_false(l1d_table_unpack(&t, 3, 1, 3, want + 18, want + n));
    memcpy(bytes, want, sizeof want); /* a byte too many, a width there is not */
    assert_false(l1d_table_unpack(&t, 3, 0, 3, bytes, bytes + sizeof want + 1));
    bytes[3] = 9;
    assert_false(l1d_table_unpack(&t, 3, 0, 3, bytes, bytes + sizeof bytes));
    l1d_table_destroy(&t);
}

/* One run of instructions, among two accesses and three of the rest: may it be? */
static bool may_be(uint8_t n_lanes, uint64_t n_issues, uint64_t place, uint64_t rest_place)
{
    uint64_t places[] = {place}, rest_places[] = {rest_place}, issues[] = {n_issues};
    struct l1d_table t = {.n_columns = N_L1D_INSTS_COLUMNS,
                          .n = 1,
                          .kinds = &n_lanes,
                          .columns = {places, rest_places, issues}};
    return l1d_are_insts(&t, 2, 3);
}

static void runs_of_instructions_make_sense(void **state)
{
    (void)state;
    assert_true(may_be(0, 1, 0, 0) && may_be(32, 4096, 2, 3));
    assert_false(may_be(33, 1, 0, 0) || may_be(1, 0, 0, 0) || may_be(1, 4097, 0, 0));
    assert_false(may_be(1, 1, 3, 0) || may_be(1, 1, 0, 4));
    /* The writer's own: a run ends when it is as long as one may be, when lanes change, and when
     * something happens. */
    const struct l1d_writer writer = {.line_bytes = 128};
    static const uint8_t lanes[] = {7, 7, 0, 7};
    static const uint64_t issues[] = {4096, 1, 1, 1}, places[] = {0, 0, 0, 1};
    struct l1d_block b;
    l1d_block_init(&b, &writer, 0);
    for (int i = 0; i < 4097; i++)
        l1d_block_add_issue(&b, 7);
    l1d_block_add_issue(&b, 0);
    l1d_block_add(&b, &writer, &(struct l1d_event){.kind = L1D_LOAD});
    l1d_block_add_issue(&b, 7);
    assert_int_equal(b.insts.n, 4);
    assert_memory_equal(b.insts.kinds, lanes, sizeof lanes);
    assert_memory_equal(b.insts.columns[L1D_ISSUES], issues, sizeof issues);
    assert_memory_equal(b.insts.columns[L1D_INSTS_PLACE], places, sizeof places);
    assert_int_equal(b.n_thread_insts, 4098 * 7);
    assert_true(l1d_are_insts(&b.insts, 1, 0));
    l1d_block_destroy(&b);
}

/* Both sides of every width. */
static void every_number_comes_back(void **state)
{
    (void)state;
    enum { N = 300 };
    static uint8_t bytes[N * 100];
    uint64_t want[N], seed = 9;
    for (unsigned bits = 0; bits < 64; bits++)
        for (int k = 0; k < 3; k++) {
            struct l1d_table t = {.n_columns = 1};
            l1d_table_reserve(&t, N);
            t.n = N;
            want[0] = (1ull << bits) - (uint64_t)(k == 1);
            for (uint32_t i = 1; i < N; i++) {
                uint64_t d = random_u64(&seed) & ((1ull << bits) - 1);
                want[i] = want[i - 1] + (random_u64(&seed) & 1 ? d : -d - (uint64_t)(k == 2));
            }
            memset(t.kinds, 0, N);
            memcpy(t.columns[0], want, sizeof want);
            uint8_t *end = l1d_table_pack(&t, 0, 1, bytes);
            assert_true(l1d_table_unpack(&t, N, 0, 1, bytes, end));
            assert_memory_equal(t.columns[0], want, sizeof want);
            l1d_table_destroy(&t);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(events_replay_the_counters),
        cmocka_unit_test(hits_are_the_owners_of_their_places),
        cmocka_unit_test(a_damaged_file_is_refused_where_it_is_damaged),
        cmocka_unit_test(older_files_are_read),
        cmocka_unit_test(a_header_tells_parameters_as_the_page_says),
        cmocka_unit_test(a_policy_takes_its_own_parameters_only),
        cmocka_unit_test(reading_ahead_changes_nothing),
        cmocka_unit_test(a_table_is_as_the_page_says),
        cmocka_unit_test(runs_of_instructions_make_sense),
        cmocka_unit_test(every_number_comes_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
