#include "cli/hetero_experiment.h"

#include <string.h>

#define ENTRY(workload)                                                                            \
    {                                                                                              \
        workload, "small"                                                                          \
    }
const struct experiment_entry experiment_entries[N_ENTRIES] = {
    ENTRY("ac"),
    {"bin", "small:elements=1048576:keys=65536"},
    ENTRY("bs"),
    ENTRY("hg"),
    ENTRY("lud"),
    ENTRY("mca"),
    ENTRY("aes"),
    ENTRY("fir"),
    {"km", "small:clusters=16"},
    ENTRY("prk"),
    ENTRY("bit"),
    ENTRY("gemm"),
    ENTRY("mf"),
    ENTRY("mc"),
    ENTRY("bc"),
    ENTRY("csr"),
    ENTRY("ell"),
    ENTRY("cfd"),
    ENTRY("gau"),
    ENTRY("htw"),
    ENTRY("km"),
    ENTRY("leu"),
    ENTRY("pth"),
    ENTRY("sc_mid"),
    ENTRY("s3d"),
    ENTRY("xsb"),
};

/* Behind what they do once, at their beginning. */
const struct experiment_native experiment_natives[N_EXPERIMENT_NATIVES] = {
    {"chase", "mcf", "chase:3000000+80000"},
    {"bzip2", "bzip2", "bzip2:3000000+3000000"},
    {"fluid", "lbm", "fluid:3000000+2000000"},
    {"perl", "perlbench", "perl:3000000+3000000"},
    {"ccx", "calculix", "ccx:3000000+4000000"},
    {"xsltproc", "xalancbmk", "xsltproc:3000000+3000000"},
};

/* cpu.insts is for bubbles: natives say for themselves what counts. */
static const char *const settings[] = {"host_llc.n_sets=256", "cpu.l2_bytes=32K", "cpu.l1_bytes=8K",
                                       "cpu.insts=20000"};
enum { N_SETTINGS = sizeof settings / sizeof settings[0] };

/* The k-th of all pairs of natives, in their order. */
static void pair_of(uint32_t k, uint32_t natives[MAX_MIX_NATIVES])
{
    for (natives[0] = 0; natives[0] < N_EXPERIMENT_NATIVES; natives[0]++)
        for (natives[1] = natives[0] + 1; natives[1] < N_EXPERIMENT_NATIVES; natives[1]++)
            if (k-- == 0)
                return;
}

uint32_t experiment_mixes(bool quick, struct experiment_mix out[N_MIXES])
{
    enum { N_PAIRS = N_EXPERIMENT_NATIVES * (N_EXPERIMENT_NATIVES - 1) / 2 };
    uint32_t n = 0, n_natives = quick ? 2 : N_EXPERIMENT_NATIVES;
    for (uint32_t k = 0; k < n_natives; k++)
        for (uint32_t e = 0; e < N_ENTRIES; e += quick ? 3 : 1)
            out[n++] = (struct experiment_mix){.entry = e, .natives = {k}, .n_natives = 1};
    for (uint32_t i = 0; i < N_PAIR_MIXES; i += quick ? N_PAIRS : 1) {
        out[n] = (struct experiment_mix){.entry = i % N_ENTRIES, .n_natives = 2};
        pair_of(i % N_PAIRS, out[n++].natives);
    }
    return n;
}

uint32_t experiment_find_native(const char *name)
{
    uint32_t i = 0;
    while (i < N_EXPERIMENT_NATIVES && strcmp(experiment_natives[i].name, name) != 0)
        i++;
    return i;
}

const char *experiment_words(const uint32_t *natives, uint32_t n, struct arena *arena)
{
    const char *words = "";
    for (uint32_t i = 0; i < n; i++)
        words =
            arena_printf(arena, "%s%s%s", words, i ? "," : "", experiment_natives[natives[i]].word);
    return words;
}

struct hetero_options experiment_options(const struct hetero_options *o, struct arena *arena)
{
    struct hetero_options with = *o;
    with.settings.items = ARENA_ARRAY(arena, const char *, N_SETTINGS + o->settings.n + 1);
    memcpy(with.settings.items, settings, sizeof settings);
    for (uint32_t i = 0; i < o->settings.n; i++)
        with.settings.items[N_SETTINGS + i] = o->settings.items[i];
    with.settings.n = N_SETTINGS + o->settings.n;
    return with;
}
