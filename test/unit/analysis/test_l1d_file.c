/* What becomes of recordings that are not as they were written, or that others have written: files
 * that are damaged, of an older version, or with parameters of a policy that is not as it was. */
#include "unit/analysis/l1d_recording.h"

#include <zstd.h>

#include "analysis/lab_params.h"
#include "analysis/lab_replay.h"
#include "analysis/lab_timed.h"
#include "cache/cache_policy.h"

/* Plain LRU, which unpacks only who loads which line. */
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
    struct lab_stream accesses = {0}; /* a reader that skips everything but the accesses does not
                                       * miss it either */
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
        at += 4 + l1d_get_u32(header + at);
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

/* Their content is not lost; only readers that count instructions miss something. */
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
    assert_non_null(strstr(refusal(unknown, 2), "with pd_maxx=7, a parameter that this dlp"));
    assert_non_null(strstr(refusal(too_large, 1), "with pd_max=16, which is not valid here"));
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_damaged_file_is_refused_where_it_is_damaged),
        cmocka_unit_test(older_files_are_read),
        cmocka_unit_test(a_header_tells_parameters_as_the_page_says),
        cmocka_unit_test(a_policy_takes_its_own_parameters_only),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
