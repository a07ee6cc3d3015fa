/* One measurement of the cache laboratory. bench/cache_lab.sh makes a table of many. Seconds are
 * those of the processor.
 *
 *     bench_cache_lab memory POLICIES FILE [REPEATS]   ACCESSES SECONDS of replays from memory
 *     bench_cache_lab file POLICIES FILE               the same, reading included
 *
 * Several policies, with commas between them, are replayed in one pass. The cache is a Fermi's of
 * 16 KB: 32 sets of 4 ways of 128 bytes, hashed. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

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
    if (!n || !lab_stream_read_recording(&s, path, &why)) {
        fprintf(stderr, "%s: %s\n", path, n ? strbuf_text(&why) : "no such policy");
        return 1;
    }
    if (!is_file)
        start = now_seconds();
    uint32_t n_rounds = is_file ? 1 : n_repeats;
    for (uint32_t i = 0; i < n_rounds; i++)
        lab_replay_all(&s, jobs, n);
    printf("%zu %.9f\n", s.n * n_rounds, now_seconds() - start);
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
        return measure(true, argv[2], argv[3], 1);
    fprintf(stderr, "usage: bench_cache_lab file POLICY[,POLICY]... RECORDING\n"
                    "       bench_cache_lab memory POLICY[,POLICY]... RECORDING [REPEATS]\n");
    return 2;
}
