/* heddle cache: the cache laboratory, which replays recorded accesses through caches without a
 * machine. */
#include <string.h>

#include "cli/cache_lab.h"
#include "cli/command.h"
#include "cli/file_uses.h"
#include "cli/lab_common.h"
#include "cli/output.h"
#include "cli/plugin_files.h"
#include "cli/table.h"

static const struct option options[] = {
    OPTION_TEXT("format", struct cache_options, format, "FORMAT",
                "format of FILE, from the list below; l1d if not given"),
    OPTION_TEXT("policy", struct cache_options, policy, "NAME[,NAME]...",
                "with replay: cache policies (`heddle show policies`), or belady and "
                "belady_bypass, which know the future; lru if not given"),
    OPTION_TEXT("sets", struct cache_options, sets, "N[,N]...",
                "sets; the recorded cache's if not given. Several sets, ways, lines and policies "
                "are replayed in one pass, each with each"),
    OPTION_TEXT("ways", struct cache_options, ways, "N[,N]...",
                "with replay and bypass: ways, 1 to 64; the recorded cache's if not given"),
    OPTION_TEXT(
        "line", struct cache_options, lines, "BYTES[,BYTES]...",
        "bytes of a line, a power of two, no less than recorded; the recorded cache's if not "
        "given"),
    OPTION_TEXT("index", struct cache_options, index, "linear|hash",
                "how lines are mapped to sets; as recorded if not given, otherwise linear"),
    OPTION_TEXT("stores", struct cache_options, stores, "evict|keep|write_back",
                "what a store does to its line; as recorded if not given, otherwise evict. With "
                "write_back, for replays of text: one cache for all SMs that treats stores like "
                "L2, and DRAM requests"),
    OPTION_GIVEN("sector", struct cache_options, sector, "BYTES",
                 "with --stores write_back: lines have sectors of this many bytes, fetched one by "
                 "one; whole lines are fetched if not given"),
    OPTION_FLAG("flush", struct cache_options, flush,
                "with --stores write_back: dirty lines are written back at the end"),
    OPTION_FLAG(
        "shared", struct cache_options, shared,
        "with replay of text: one cache shared by applications, like a last-level cache; the sm "
        "column names the application, stores count like loads, each access takes a cycle"),
    OPTION_GIVEN("gpu-app", struct cache_options, gpu_app, "N",
                 "with --shared: the application that is the GPU; the last one if not given"),
    OPTION_TEXT("sampling", struct cache_options, sampling, "FILE",
                "with --shared: core sampling; per period a line with the instructions of the SMs "
                "that sample LRU and MRU insertion, whose accesses are warps 0 and 1 of the GPU's"),
    OPTION_FLAG("whole-lines", struct cache_options, whole_lines,
                "fetch whole lines although the recorded L1D fetched sectors"),
    OPTION_LIST("set", struct cache_options, settings, "NAME=VALUE",
                "with replay: a parameter of the policy (`heddle show policy NAME`), or "
                "POLICY.NAME=VALUE for one of several; may be repeated. Others are as recorded for "
                "the recorded policy, otherwise the defaults"),
    OPTION_TEXT(
        "log", struct cache_options, log, "FILE",
        "with replay in one cache: write a line for each load, index,hit|miss|bypass,victim; with "
        "--stores write_back for each access, index,hit|miss|bypass|drop,victim,1 if it was "
        "written back; with several policies to FILE.POLICY each"),
    OPTION_FLAG(
        "timed", struct cache_options, timed,
        "with replay: fills and instructions as recorded, in the recorded cache and policy; says "
        "which accesses have another outcome than recorded, with exit status 1 if any has"),
    OPTION_FLAG("no-compulsory", struct cache_options, no_compulsory,
                "with replay and curve: also the miss rate of loads that are not an SM's first "
                "load of their line, which no cache could have hit (S2 Figure 4)"),
    OPTION_TEXT("ranges", struct cache_options, ranges, "N,N,...",
                "with reuse: the upper ends of the ranges of distances; 4,8,64 if not given"),
    OPTION_FLAG("critical", struct cache_options, critical,
                "with reuse: only distances to loads of warps that were critical at the time, for "
                "recordings made with --record-criticality"),
    OPTION_TEXT("distance", struct cache_options, distance, "accesses|lines",
                "with reuse --svg: what is drawn, distances in loads of the set in between (S2) or "
                "in distinct other lines (S3); lines if not given"),
    OPTION_TEXT("svg", struct cache_options, svg, "FILE",
                "with reuse: draw the shares of the ranges and the medians, for each PC, or for "
                "each FILE if there are several"),
    OPTION_TEXT(
        "pcs", struct cache_options, pcs, "N,N,...",
        "with bypass: the loads to try, 73+86 for two together (one of an unrolled loop); the "
        "eight that load most if not given"),
    OPTION_GIVEN(
        "insts", struct cache_options, n_thread_insts, "N",
        "with replay and reuse: thread instructions of the run, for misses per 1000 of them and "
        "the memory access ratio"),
    OPTION_LIST("plugin", struct cache_options, plugins, "FILE",
                "load cache policies from a shared object first; may be repeated"),
    OPTION_FLAG("json", struct cache_options, json, "print JSON instead of text"),
};

static const struct verb {
    const char *name, *help;
    /* One of the two. */
    enum heddle_status (*act)(const struct cache_options *o, struct lab_stream *s,
                              struct strbuf *out);
    enum heddle_status (*act_on_all)(const struct cache_options *o, const char *const *paths,
                                     uint32_t n, struct strbuf *out);
} verbs[] = {
    {"replay", "the accesses through a cache with immediate fills", cache_lab_replay, NULL},
    {"reuse", "reuse distances, localities, compulsory misses; of several FILEs a row each", NULL,
     cache_lab_reuse},
    {"bypass",
     "hits when one load bypasses the cache with probability 1 - 1/2^N, for each load in turn",
     cache_lab_bypass, NULL},
    {"curve", "miss ratios of LRU caches of all numbers of ways", cache_lab_curve, NULL},
};
enum { N_VERBS = sizeof verbs / sizeof verbs[0] };

/* --- formats of FILE --- */

static enum heddle_status read_text(struct lab_stream *s, const char *path)
{
    struct diag_list diags = {0};
    enum heddle_status status =
        lab_stream_read_text(s, path, &diags) ? HEDDLE_OK : output_complaints(&diags);
    diag_list_destroy(&diags);
    return status;
}

static const struct format {
    const char *name, *help;
    bool (*read)(struct lab_stream *s, const char *path, struct strbuf *why); /* NULL = text */
} formats[] = {
    {"l1d", "what `heddle run --record-l1d` writes; the default", lab_stream_open_recording},
    {"text",
     "one access per line: cycle sm warp thread pc L|L.cp|S|S.cc address [bytes], all but the last "
     "two decimal",
     NULL},
    {"champsim", "instructions of ChampSim, 64 bytes each; lines of 64 bytes if not given",
     lab_stream_read_champsim},
    {"cpu",
     "a program of `heddle cpu list`, or a trace of `heddle cpu record`; as champsim, packed",
     lab_stream_read_cpu},
    {"oracleGeneral", "requests of libCacheSim, 24 bytes each; an object is a line",
     lab_stream_read_oracle_general},
};
enum { N_FORMATS = sizeof formats / sizeof formats[0] };

enum heddle_status cache_lab_read(const struct cache_options *o, const char *path,
                                  bool may_come_later, struct lab_stream *s)
{
    bool is_name = o->format && strcmp(o->format, "cpu") == 0; /* it may be the name of a program */
    enum heddle_status readable = is_name ? HEDDLE_OK : lab_check_readable(path);
    if (readable != HEDDLE_OK)
        return readable;
    const char *names[N_FORMATS];
    const struct format *f = o->format ? NULL : &formats[0];
    for (int i = 0; i < N_FORMATS; i++) {
        names[i] = formats[i].name;
        if (o->format && strcmp(o->format, names[i]) == 0)
            f = &formats[i];
    }
    if (!f)
        return output_unknown("format", o->format, names, N_FORMATS,
                              "`heddle help cache` lists them");
    if (!f->read)
        return read_text(s, path);
    struct strbuf why = {0};
    bool ok = f->read(s, path, &why);
    if (ok && !may_come_later) { /* anything but a replay uses only the accesses */
        lab_stream_skip_insts(s);
        ok = lab_stream_load(s, &why);
    }
    if (!ok)
        output_error("%s: %s", path, strbuf_text(&why));
    strbuf_destroy(&why);
    return ok ? HEDDLE_OK : HEDDLE_BAD_INPUT;
}

/* Options that would be ignored silently. */
static enum heddle_status check_use(const struct verb *v, const struct cache_options *o, uint32_t n)
{
    bool measures = v->act_on_all == cache_lab_reuse, replays = v->act == cache_lab_replay;
    bool has_ways = replays || v->act == cache_lab_bypass;
    const struct {
        const char *option;
        bool is_lost;
    } uses[] = {
        {"--timed", o->timed && !replays},
        {"--policy", o->policy && !replays},
        {"--set", o->settings.n && !replays},
        {"--log", o->log && !replays},
        {"--ways", o->ways && !has_ways},
        {"--no-compulsory", o->no_compulsory && !replays && v->act != cache_lab_curve},
        {"--insts", o->n_thread_insts.is_given && !replays && !measures},
        {"--ranges", o->ranges && !measures},
        {"--svg", o->svg && !measures},
        {"--distance", o->distance && !measures},
        {"--critical", o->critical && !measures},
        {"--pcs", o->pcs && v->act != cache_lab_bypass},
    };
    for (size_t i = 0; i < sizeof uses / sizeof uses[0]; i++)
        if (uses[i].is_lost) {
            output_error("%s has no meaning with heddle cache %s", uses[i].option, v->name);
            return HEDDLE_BAD_INPUT;
        }
    bool writes_back = o->stores && strcmp(o->stores, "write_back") == 0;
    if (writes_back && !replays)
        output_error("--stores write_back is for heddle cache replay");
    else if (writes_back && (o->timed || o->no_compulsory || o->n_thread_insts.is_given))
        output_error("%s has no meaning with --stores write_back", o->timed ? "--timed"
                                                                   : o->no_compulsory
                                                                       ? "--no-compulsory"
                                                                       : "--insts");
    else if (o->shared && !replays)
        output_error("--shared is for heddle cache replay");
    else if (o->shared && (o->stores || o->timed || o->no_compulsory || o->n_thread_insts.is_given))
        output_error("%s has no meaning with --shared", o->stores          ? "--stores"
                                                        : o->timed         ? "--timed"
                                                        : o->no_compulsory ? "--no-compulsory"
                                                                           : "--insts");
    else if (!o->shared && (o->gpu_app.is_given || o->sampling))
        output_error("%s has no meaning without --shared",
                     o->sampling ? "--sampling" : "--gpu-app");
    else if ((o->flush || o->sector.is_given) && !writes_back)
        output_error("%s has no meaning without --stores write_back",
                     o->flush ? "--flush" : "--sector");
    else if (o->sector.is_given && (!o->sector.value || o->sector.value > LAB_MAX_LINE))
        output_error("--sector %llu: expected 1 to %u bytes", (unsigned long long)o->sector.value,
                     LAB_MAX_LINE);
    else if (o->distance && !o->svg)
        output_error("--distance selects what is drawn: it needs --svg");
    else if (o->n_thread_insts.is_given && !o->n_thread_insts.value)
        output_error("--insts 0: the number of instructions must be above 0");
    else if (n > 1 && !v->act_on_all)
        output_error("heddle cache %s takes one FILE", v->name);
    else
        return HEDDLE_OK;
    return HEDDLE_BAD_INPUT;
}

static enum heddle_status check_files(const struct cache_options *o, const char *const *paths,
                                      uint32_t n)
{
    struct file_uses uses = {0};
    for (uint32_t i = 0; i < n; i++)
        file_uses_read(&uses, paths[i]);
    for (uint32_t i = 0; i < o->plugins.n; i++)
        file_uses_read(&uses, o->plugins.items[i]);
    file_uses_read(&uses, o->sampling);
    file_uses_write(&uses, "--log", o->log);
    file_uses_write(&uses, "--svg", o->svg);
    return file_uses_check(&uses);
}

void cache_lab_warn_of_nothing(const char *path, const struct lab_stream *s)
{
    bool has_loads = false;
    for (uint32_t i = 0; i < N_L1D_OUTCOMES; i++)
        has_loads = has_loads || s->recorded[i];
    for (size_t i = 0; i < s->n && !has_loads; i++)
        has_loads = s->items[i].kind == LAB_LOAD;
    if (has_loads)
        return;
    struct strbuf text = {0};
    strbuf_addf(&text, "heddle: warning: %s: it contains no loads\n", path);
    output_warnings(strbuf_text(&text));
    strbuf_destroy(&text);
}

static enum heddle_status act_on_one(const struct verb *v, const struct cache_options *o,
                                     const char *path, struct strbuf *out)
{
    struct lab_stream s = {0};
    enum heddle_status status = cache_lab_read(o, path, v->act == cache_lab_replay, &s);
    if (status == HEDDLE_OK)
        status = v->act(o, &s, out);
    if (status == HEDDLE_OK)
        cache_lab_warn_of_nothing(path, &s);
    lab_stream_destroy(&s);
    return status;
}

static enum heddle_status run_verb(const struct verb *v, const struct cache_options *o,
                                   const char *const *paths, uint32_t n)
{
    struct strbuf out = {0};
    enum heddle_status status = plugin_files_load(&o->plugins);
    if (status == HEDDLE_OK)
        status = check_use(v, o, n);
    if (status == HEDDLE_OK)
        status = check_files(o, paths, n);
    if (status == HEDDLE_OK && o->timed)
        status = lab_check_readable(paths[0]);
    if (status == HEDDLE_OK)
        status = o->timed        ? cache_lab_timed(o, paths[0], &out)
                 : v->act_on_all ? v->act_on_all(o, paths, n, &out)
                                 : act_on_one(v, o, paths[0], &out);
    if (status == HEDDLE_OK || status == HEDDLE_WRONG_RESULT) {
        enum heddle_status told = output_take(&out);
        status = told == HEDDLE_OK ? status : told;
    }
    strbuf_destroy(&out);
    return status;
}

static enum heddle_status run_cache(const void *values, const struct text_list *operands)
{
    const char *words[N_VERBS];
    for (int i = 0; i < N_VERBS; i++) {
        words[i] = verbs[i].name;
        if (strcmp(operands->items[0], verbs[i].name) == 0)
            return run_verb(&verbs[i], values, operands->items + 1, operands->n - 1);
    }
    return output_unknown("experiment", operands->items[0], words, N_VERBS,
                          "`heddle help cache` lists them");
}

/* The columns of a replay's table. */
static const char *const columns[][2] = {
    {"hit rate", "hits / (hits + misses): bypassed loads are left out"},
    {"of loads", "hits / loads: compares policies with and without bypassing"},
    {"of sectors", "misses whose line was present without all requested sectors"},
    {"zero reuse", "share of the replaced lines that were never hit"},
    {"intra-thread", "hits on lines inserted by the same warp and first active thread"},
    {"inter-thread", "hits on lines inserted by another thread of the warp"},
    {"inter-warp", "hits on lines inserted by another warp"},
    {"unlike LRU",
     "misses for which LRU would have chosen another victim; 0: the policy had no effect"},
    {"first", "the first of them, as --log counts"},
    {"misses but first", "with --no-compulsory"},
    {"MPKI", "with --insts: misses and bypasses per 1000 thread instructions"},
    {"(recorded)", "outcomes of the same loads in the run; a merge is a hit"},
    {"drops", "with --stores write_back: loads at which the policy dropped the line"},
    {"DRAM reads, writes",
     "requests of at most a line: fills, store fetches, bypasses; evictions of dirty lines"},
    {"stale reads",
     "DRAM reads of bytes that were dropped and not stored since: the annotations are unsound"},
};
enum { N_COLUMNS = sizeof columns / sizeof columns[0] };

static void add_words(struct strbuf *out)
{
    for (size_t i = 0; i < N_VERBS; i++)
        strbuf_addf(out, " %s", verbs[i].name);
}

static void list_row(struct table *t, const char *word, const char *meaning)
{
    table_cell(t, "  %s", word);
    table_cell(t, "%s", meaning);
}

static void list_end(struct table *t, const char *title, struct strbuf *out)
{
    strbuf_add(out, title);
    table_print(t, out);
    table_destroy(t);
    *t = (struct table){.n_columns = 2};
}

static void list_words(struct strbuf *out)
{
    struct table t = {.n_columns = 2};
    for (int i = 0; i < N_VERBS; i++)
        list_row(&t, verbs[i].name, verbs[i].help);
    list_end(&t, "Experiments:\n", out);
    for (int i = 0; i < N_FORMATS; i++)
        list_row(&t, formats[i].name, formats[i].help);
    list_end(&t, "\nFormats of FILE:\n", out);
    for (int i = 0; i < N_COLUMNS; i++)
        list_row(&t, columns[i][0], columns[i][1]);
    list_end(&t, "\nColumns of a replay:\n", out);
}

static const char *const examples[] = {
    "heddle run bfs --record-l1d bfs.zst",
    "first, a recording",
    "heddle cache replay bfs.zst --policy lru,dlp,belady",
    "its loads under three policies, in the cache it was recorded at",
    "heddle cache replay bfs.zst --sets 32,64 --ways 4,8 --policy lru,dlp --set dlp.pd_max=7",
    "eight replays in one pass, with a parameter of one policy",
    "heddle cache replay mine.txt --format text --sets 32 --ways 4 --line 128 --log mine.csv",
    "accesses of any origin, with a log of every decision",
    "heddle cache replay mine.txt --format text --stores write_back --sets 64 --ways 8 --line 128 "
    "--policy lru,write_buffering --set write_buffering.drop=first_hit",
    "the same through an L2, with annotated stores and loads",
    "xz -dc x.trace.xz | heddle cache replay /dev/stdin --format champsim --sets 64 --ways 12",
    "a trace of another simulator",
    "heddle run bfs --l1d cacp --record-l1d bfs.zst --record-criticality",
    "a recording with the criticality of warps, for policies that need it",
    "heddle cache replay bfs.zst --timed",
    "exactly as in the run, access by access",
    "heddle cache reuse bfs.zst --ranges 8,16,32",
    "the distances between loads of a line, over all and for each PC",
    "heddle cache reuse bfs.zst kmn.zst pvr.zst --ranges 3,8,32,64,128 --svg distances.svg",
    "the same for several runs, and a drawing",
    "heddle cache bypass bfs.zst --pcs 70+83,73+86",
    "which loads should bypass the cache, and how often?",
    "heddle cache curve bfs.zst --sets 1",
    "miss ratios of fully associative caches of all sizes",
    NULL,
};

const struct command command_cache = {
    .name = "cache",
    .operands = "EXPERIMENT FILE...",
    .summary = "replay recorded accesses through other caches and policies",
    .description = "The cache laboratory replays the accesses of a run through other caches. "
                   "`heddle run ... --record-l1d FILE` records the accesses of the L1Ds; this "
                   "command replays them, SM by SM, through any cache, under the policies of the "
                   "timing model and under optimal ones that know the future, or measures their "
                   "reuse. Fills are immediate, so there are no MSHRs and no stalls. "
                   "doc/cache-lab.md says what is counted and what is left out.",
    .options = options,
    .n_options = sizeof options / sizeof options[0],
    .options_bytes = sizeof(struct cache_options),
    .min_operands = 2,
    .max_operands = UINT32_MAX,
    .examples = examples,
    .add_words = add_words,
    .more_help = list_words,
    .run = run_cache,
};
