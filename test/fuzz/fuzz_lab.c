/* Any bytes as accesses for the cache laboratory. The first byte chooses what they are: a recording
 * as it is, or its frames in sound zstd; a text; traces of other simulators. Whatever they are,
 * reading ends, with a reason if they are refused; what was read is replayed and measured. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zstd.h>

#include "analysis/l1d_checksum.h"
#include "analysis/lab_curve.h"
#include "analysis/lab_params.h"
#include "analysis/lab_reuse.h"
#include "analysis/lab_timed.h"
#include "config/param_set.h"

/* Does the header say so? */
static bool has_checksum(const uint8_t *content, size_t n)
{
    size_t version_at = sizeof L1D_MAGIC - 1;
    return n > version_at && content[version_at] >= L1D_FIRST_WITH_CHECKSUM;
}

/* Pieces, each with its length in two bytes before it, as frames. The end mark has the right
 * checksum: hardly any other would ever be tried. */
static void write_frames(int fd, const uint8_t *data, size_t size)
{
    static uint8_t content[1 << 16], packed[1 << 17];
    uint64_t sum = 0;
    bool is_checked = false;
    while (size >= 2) {
        size_t n = data[0] | (size_t)data[1] << 8;
        data += 2, size -= 2;
        n = n < size ? n : size;
        memcpy(content, data, n);
        if (n && content[0] == L1D_TAG_HEADER)
            is_checked = has_checksum(content, n);
        if (is_checked && n > 8 && content[0] == L1D_TAG_END)
            l1d_put_u64(content + n - 8, sum);
        size_t bytes = ZSTD_compress(packed, sizeof packed, content, n, 1);
        if (write(fd, packed, bytes) != (ssize_t)bytes)
            abort();
        sum = l1d_checksum(sum, packed, bytes);
        data += n, size -= n;
    }
}

static void replay(const struct lab_stream *s)
{
    struct lab_job jobs[3];
    static const char *const names[] = {"lru", "dlp", "belady_bypass"};
    for (int i = 0; i < 3; i++)
        jobs[i] = (struct lab_job){
            .config = {
                .n_sets = 4, .n_ways = 2, .line_bytes = 32, .policy = lab_policy_find(names[i])}};
    struct strbuf why = {0};
    lab_replay_all(s, jobs, 3);
    for (int i = 0; i < 3; i++)
        if (!cache_stats_check(&jobs[i].result.stats, &why))
            abort();
    struct lab_curve curve;
    struct lab_reuse reuse;
    struct lab_ranges ranges = {.ends = {4}, .n = 1};
    lab_curve_make(s, 4, 32, INDEX_LINEAR, &curve);
    lab_reuse_measure(s, &jobs[0].config, &ranges, &reuse);
    if (lab_curve_hits(&curve, 2) != jobs[0].result.stats.hits)
        abort();
    lab_curve_destroy(&curve);
    lab_reuse_destroy(&reuse);
}

/* Only caches of a size that takes no time to build. */
static bool is_small(const char *path)
{
    struct strbuf why = {0};
    struct l1d_reader *r = l1d_reader_open(path, &why);
    const struct cache_config *c = r ? &l1d_reader_header(r)->l1d : NULL;
    bool is = r && c->n_sets * c->n_ways <= 256 && c->n_mshrs * c->mshr_merges <= 4096;
    l1d_reader_close(r);
    strbuf_destroy(&why);
    return is;
}

static void replay_under(const char *path, const struct cache_policy_desc *policy,
                         const void *params)
{
    struct lab_timed timed;
    struct strbuf why = {0};
    bool ok = lab_timed_replay(path, policy, params, &timed, &why);
    if (ok != !why.len)
        abort();
    strbuf_destroy(&why);
}

/* The policy that the header names, with the parameters that it has there. What is taken is bound
 * without a complaint. */
static void replay_as_recorded(const char *path)
{
    struct strbuf why = {0};
    struct param_set params = {0};
    struct diag_list diags = {0};
    struct l1d_reader *r = l1d_reader_open(path, &why);
    const struct l1d_header *h = l1d_reader_header(r);
    const struct cache_policy_desc *policy = cache_policy_find(h->policy);
    bool ok = policy && lab_params_take(&h->params, policy, &params.settings, &why);
    if (policy && ok != !why.len)
        abort();
    if (ok) {
        void *values = arena_alloc(&params.settings.arena, policy->params_bytes);
        param_set_bind(&params, "", policy->params, policy->n_params, values, &diags);
        param_set_finish(&params, &diags);
        if (diags.n)
            abort();
        replay_under(path, policy, values);
    }
    l1d_reader_close(r);
    param_set_destroy(&params);
    diag_list_destroy(&diags);
    strbuf_destroy(&why);
}

static void replay_timed(const char *path)
{
    replay_under(path, lab_policy_find("lru"), NULL);
    replay_under(path, lab_policy_find("dlp"), NULL);
    replay_as_recorded(path);
}

/* Plain LRU reads less of a recording, and comes to the same. */
static void replay_opened(const char *path, const struct lab_stream *all)
{
    struct lab_job job = {
        .config = {.n_sets = 4, .n_ways = 2, .line_bytes = 32, .policy = lab_policy_find("lru")}};
    struct lab_stream s = {0};
    struct strbuf why = {0};
    struct lab_result want;
    lab_replay(all, &job.config, NULL, &want);
    if (!lab_stream_open_recording(&s, path, &why) || !lab_replay_opened(&s, &job, 1, &why) ||
        memcmp(&job.result, &want, sizeof want) != 0)
        abort();
    lab_stream_destroy(&s);
    strbuf_destroy(&why);
}

static bool read_any(struct lab_stream *s, unsigned what, const char *path, struct strbuf *why)
{
    struct diag_list diags = {0};
    bool ok;
    if (what == 0) {
        ok = lab_stream_read_text(s, path, &diags);
        if (!ok)
            strbuf_add(why, diags.n_errors ? "diagnosed" : "");
    } else if (what == 1) {
        ok = lab_stream_read_champsim(s, path, why);
    } else if (what == 2) {
        ok = lab_stream_read_oracle_general(s, path, why);
    } else {
        ok = lab_stream_read_recording(s, path, why);
        if (ok && s->n_sms <= 64)
            replay_opened(path, s);
        if (is_small(path))
            replay_timed(path);
    }
    diag_list_destroy(&diags);
    return ok;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 1)
        return 0;
    struct lab_stream s = {0};
    struct strbuf why = {0};
    char path[64];
    int fd = memfd_create("lab", 0);
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    unsigned what = data[0] % 5;
    if (what == 4)
        write_frames(fd, data + 1, size - 1);
    else if (write(fd, data + 1, size - 1) != (ssize_t)size - 1)
        abort();
    bool ok = read_any(&s, what, path, &why);
    if (ok != !why.len)
        abort();
    if (ok && s.n_sms <= 64)
        replay(&s);
    lab_stream_destroy(&s);
    strbuf_destroy(&why);
    close(fd);
    return 0;
}
