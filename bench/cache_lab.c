/* One measurement of the cache laboratory. bench/cache_lab.sh makes a table of many. Seconds are
 * those of the processor.
 *
 *     bench_cache_lab memory POLICIES FILE [REPEATS]   ACCESSES SECONDS of replays from memory
 *     bench_cache_lab file POLICIES FILE               the same, reading included
 *     bench_cache_lab export FILE OUT [REPEATS]        the loads of all SMs as oracleGeneral
 *     bench_cache_lab requests POLICY WAYS FILE        REQUESTS MISSES SECONDS of such a file in
 * one set of so many ways, reading included
 *
 * Several policies, with commas between them, are replayed in one pass. The cache is a Fermi's of
 * 16 KB: 32 sets of 4 ways of 128 bytes, hashed. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "analysis/lab_belady.h"
#include "analysis/lab_replay.h"

enum { MAX_POLICIES = 64 };

static uint32_t jobs_of(char *policies, struct lab_job *jobs)
{
    uint32_t n = 0;
    for (char *rest = policies, *name; n < MAX_POLICIES && (name = strsep(&rest, ","));) {
        const struct cache_policy_desc *policy = lab_policy_find(name);
        if (!policy)
            return 0;
        jobs[n++].config = (struct lab_config){
            .n_sets = 32, .n_ways = 4, .line_bytes = 128, .index = INDEX_HASH, .policy = policy};
    }
    return n;
}

static double now_seconds(void)
{
    return (double)clock() / CLOCKS_PER_SEC;
}

static int measure(bool is_file, char *policies, const char *path, uint32_t n_repeats)
{
    static struct lab_job jobs[MAX_POLICIES];
    struct lab_stream s = {0};
    struct strbuf why = {0};
    uint32_t n = jobs_of(policies, jobs);
    double start = now_seconds();
    bool ok = n && lab_stream_open_recording(&s, path, &why);
    if (ok && is_file)
        ok = lab_replay_opened(&s, jobs, n, &why);
    else if (ok)
        ok = lab_stream_load(&s, &why);
    if (!ok) {
        fprintf(stderr, "%s: %s\n", path, n ? strbuf_text(&why) : "no such policy");
        return 1;
    }
    if (!is_file)
        start = now_seconds();
    for (uint32_t i = 0; i < n_repeats; i++)
        lab_replay_all(&s, jobs, n);
    uint64_t n_accesses = jobs[0].result.stats.loads + jobs[0].result.stats.stores;
    printf("%" PRIu64 " %.9f\n", n_accesses * (is_file ? 1 : n_repeats), now_seconds() - start);
    lab_stream_destroy(&s);
    strbuf_destroy(&why);
    return 0;
}

static void put(uint8_t *at, uint64_t v, int n_bytes)
{
    for (int i = 0; i < n_bytes; i++)
        at[i] = (uint8_t)(v >> 8 * i);
}

/* The loads of all SMs, as if one SM had made them, as libCacheSim's requests: an object is a line.
 * Multiples of a thousand, so that a four-digit ratio of each thousand gives the exact count. */
static int export_requests(const char *path, const char *out_path, uint32_t n_repeats)
{
    struct lab_stream s = {0}, loads = {.n_sms = 1};
    struct strbuf why = {0};
    FILE *out = fopen(out_path, "wb");
    if (!out || !lab_stream_read_recording(&s, path, &why)) {
        fprintf(stderr, "%s: %s\n", out ? path : out_path, out ? strbuf_text(&why) : "no file");
        return 1;
    }
    for (uint32_t k = 0; k < n_repeats; k++)
        for (size_t i = 0; i < s.n; i++)
            if (s.items[i].kind == LAB_LOAD) {
                s.items[i].sm = 0;
                lab_stream_add(&loads, &s.items[i]);
            }
    loads.n -= loads.n % 1000;
    uint64_t *next_uses = lab_next_uses(&loads, s.line_bytes, true);
    for (size_t i = 0; i < loads.n; i++) {
        uint8_t request[24];
        put(request, i, 4);
        put(request + 4, loads.items[i].address / s.line_bytes, 8);
        put(request + 12, 1, 4);
        put(request + 16, next_uses[i], 8); /* LAB_NEVER is -1 */
        fwrite(request, sizeof request, 1, out);
    }
    free(next_uses);
    lab_stream_destroy(&loads);
    lab_stream_destroy(&s);
    strbuf_destroy(&why);
    return fclose(out) != 0;
}

static int measure_requests(const char *policy, uint32_t n_ways, const char *path)
{
    struct lab_stream s = {0};
    struct strbuf why = {0};
    struct lab_config c = {
        .n_sets = 1, .n_ways = n_ways, .line_bytes = 1, .policy = lab_policy_find(policy)};
    struct lab_result r;
    double start = now_seconds();
    if (!c.policy || !lab_stream_read_oracle_general(&s, path, &why) ||
        !lab_config_check(&c, &s, &why)) {
        fprintf(stderr, "%s: %s\n", path, c.policy ? strbuf_text(&why) : "no such policy");
        return 1;
    }
    lab_replay(&s, &c, NULL, &r);
    printf("%" PRIu64 " %" PRIu64 " %.9f\n", r.stats.loads, r.stats.misses, now_seconds() - start);
    lab_stream_destroy(&s);
    strbuf_destroy(&why);
    return 0;
}

int main(int argc, char **argv)
{
    uint32_t n_repeats = argc == 5 ? (uint32_t)strtoul(argv[4], NULL, 10) : 1;
    if (argc >= 4 && strcmp(argv[1], "memory") == 0)
        return measure(false, argv[2], argv[3], n_repeats);
    if (argc == 4 && strcmp(argv[1], "file") == 0)
        return measure(true, argv[2], argv[3], 0);
    if (argc >= 4 && strcmp(argv[1], "export") == 0)
        return export_requests(argv[2], argv[3], n_repeats);
    if (argc == 5 && strcmp(argv[1], "requests") == 0)
        return measure_requests(argv[2], (uint32_t)strtoul(argv[3], NULL, 10), argv[4]);
    fprintf(stderr, "usage: bench_cache_lab file POLICY[,POLICY]... RECORDING\n"
                    "       bench_cache_lab memory POLICY[,POLICY]... RECORDING [REPEATS]\n"
                    "       bench_cache_lab export RECORDING OUT [REPEATS]\n"
                    "       bench_cache_lab requests POLICY WAYS REQUESTS\n");
    return 2;
}
