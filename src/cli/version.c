#include "cli/version.h"

#include "base/arena.h"
#include "front/toolchain.h"
#include "heddle/heddle.h"

static void add_host_isas(struct strbuf *out)
{
    static const char *const isas[] = {"generic", "avx2", "avx512"};
    struct heddle_sim *sim = NULL;
    struct heddle_options options = {.struct_size = sizeof options};
    if (heddle_create(&options, &sim) == HEDDLE_OK)
        strbuf_addf(out, "host ISA in use: %s\n", heddle_host_isa(sim));
    heddle_destroy(sim);
    strbuf_add(out, "host ISAs available:");
    for (size_t i = 0; i < sizeof isas / sizeof isas[0]; i++) {
        options.host_isa = isas[i];
        sim = NULL;
        if (heddle_create(&options, &sim) == HEDDLE_OK)
            strbuf_addf(out, " %s", isas[i]);
        heddle_destroy(sim);
    }
    strbuf_add_char(out, '\n');
}

void version_text(struct strbuf *out)
{
    strbuf_addf(out, "heddle %s\n", heddle_version());
    add_host_isas(out);
    struct arena arena = {0};
    struct toolchain tools = {0};
    struct strbuf error = {0};
    if (toolchain_find(&tools, &arena, &error) == HEDDLE_OK)
        strbuf_addf(out, "clang: %s\nlibclc: %s\n", tools.clang, tools.libclc);
    else
        strbuf_addf(out, "clang: %s\n", strbuf_text(&error));
    strbuf_destroy(&error);
    arena_destroy(&arena);
}
