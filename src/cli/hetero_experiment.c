#include "cli/hetero_experiment.h"

#include <string.h>

/* Inputs whose longest launch takes a millisecond or more on the CMP. Programs with many launches
 * execute some of them: one is measured. */
const struct experiment_entry experiment_entries[N_ENTRIES] = {
    {"ac", "small:samples=12288:lags=12288"},
    {"bin", "small:elements=1048576:keys=65536"},
    {"bs", "small"},
    {"hg", "small"},
    {"lud", "small:n=1024"},
    {"mca", "small:work_items=20480"},
    {"aes", "small:blocks=196608"},
    {"fir", "small:block=786432:blocks=2"},
    {"km", "small:clusters=16"},
    {"prk", "paper-s3:iterations=1"},
    {"bit", "small:log2_keys=22:log2_run=6"},
    {"gemm", "small:ni=512"},
    {"mf", "small:height=1024"},
    {"mc", "small"},
    {"bc", "small:vertices=1024:edges=300000:sources=1"},
    {"csr", "small:edges=1600000:rounds=1"},
    {"ell", "small:edges=1600000:rounds=1"},
    {"cfd", "small:elements=120000:iterations=1"},
    {"gau", "small:n=800:columns=2"},
    {"htw", "paper-s3:frames=2"},
    {"km", "small"},
    {"leu", "small:cells=12"},
    {"pth", "small:cols=180000"},
    {"sc_mid", "small:points=65536:candidates=2"},
    {"s3d", "small"},
    {"xsb", "small"},
};

/* Each starts after its initialisation. */
const struct experiment_native experiment_natives[N_EXPERIMENT_NATIVES] = {
    {"chase", "mcf", "chase:3000000+80000"},
    {"bzip2", "bzip2", "bzip2:3000000+3000000"},
    {"fluid", "lbm", "fluid:3000000+2000000"},
    {"perl", "perlbench", "perl:3000000+3000000"},
    {"ccx", "calculix", "ccx:3000000+4000000"},
    {"xsltproc", "xalancbmk", "xsltproc:3000000+3000000"},
};

/* cpu.insts is for bubbles: native programs have their own length. */
static const char *const settings[] = {"host_llc.n_sets=256", "cpu.l2_bytes=32K", "cpu.l1_bytes=8K",
                                       "cpu.insts=20000"};
enum { N_SETTINGS = sizeof settings / sizeof settings[0] };

/* The k-th of all pairs of native programs, in order. */
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

/* Workloads with the same source are the same program. */
bool experiment_has(const struct workload *w)
{
    bool is_entry = false;
    for (uint32_t i = 0; i < workload_count; i++)
        is_entry |= workload_list[i]->categories.s3_ch6 && workload_list[i]->source == w->source;
    return is_entry;
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
