#include "cli/version.h"

#include "base/arena.h"
#include "emu/bind.h"
#include "front/toolchain.h"
#include "heddle/heddle.h"
#include "lab/model.h"

#if defined(__AVX2__) && defined(__BMI2__)
#define HEDDLE_COMPILED_FOR "x86-64-v3"
#elif defined(__x86_64__)
#define HEDDLE_COMPILED_FOR "x86-64"
#else
#define HEDDLE_COMPILED_FOR "this kind of processor"
#endif

static void add_host_isas(struct strbuf *out)
{
    struct heddle_sim *sim = NULL;
    if (heddle_create(NULL, &sim) == HEDDLE_OK)
        strbuf_addf(out, "host ISA in use: %s\n", heddle_host_isa(sim));
    heddle_destroy(sim);
    strbuf_add(out, "host ISAs available:");
    for (uint32_t i = 0; i < host_isa_count(); i++)
        strbuf_addf(out, " %s", host_isa_name(i));
    strbuf_add_char(out, '\n');
}

void version_text(struct strbuf *out)
{
    strbuf_addf(out, "heddle %s, compiled for %s\nmodel: %s\n", heddle_version(),
                HEDDLE_COMPILED_FOR, model_engine_version());
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
