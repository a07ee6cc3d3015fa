#include "emu/bind.h"

#include <string.h>

#include "base/host_check.h"
#include "emu/vec.h"

struct variant {
    const char *name;
    const vec_table *tables[3];
    warp_runner run;
};

#define VARIANT(v)                                                                                 \
    (struct variant)                                                                               \
    {                                                                                              \
#v, {&vec_alu_##v, &vec_mem_##v, &vec_sreg_##v }, vec_run_##v                              \
    }

/* Chosen by the features that the host reports, never by its model. */
static uint32_t list_variants(struct variant *out)
{
    uint32_t n = 0;
    out[n++] = VARIANT(generic);
#if defined(__x86_64__)
    bool avx2 = host_has_avx2(); /* must be first: it initialises the detection of the others */
    if (avx2)
        out[n++] = VARIANT(avx2);
    if (avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
        out[n++] = VARIANT(avx512);
#endif
    return n;
}

enum { MAX_VARIANTS = 4 };

uint32_t host_isa_count(void)
{
    struct variant list[MAX_VARIANTS];
    return list_variants(list);
}

const char *host_isa_name(uint32_t i)
{
    struct variant list[MAX_VARIANTS];
    return i < list_variants(list) ? list[i].name : NULL;
}

int host_isa_find(const char *name)
{
    struct variant list[MAX_VARIANTS];
    uint32_t n = list_variants(list);
    if (!name)
        return (int)n - 1;
    for (uint32_t i = 0; i < n; i++)
        if (strcmp(list[i].name, name) == 0)
            return (int)i;
    return -1;
}

/* Operations that are not vector code have one function for both uses. */
static const op_fn plain[N_EXEC] = {
#define PLAIN_FN(id)     [EXEC_##id] = emu_x_##id,
#define PLAIN_CUSTOM(id) PLAIN_FN(id)
#define PLAIN_CTRL(id)   PLAIN_FN(id)
#define PLAIN_VEC(id)
#define PLAIN_UN(id)
#define PLAIN_BIN(id)
#define PLAIN_TER(id)
#define PLAIN_TERW(id)
#define PLAIN_TER64_32(id)
#define PLAIN_SHIFT(id)
#define PLAIN_CVTB(id)
#define PLAIN_DIVIDE(id)
#define PLAIN_CARRY(id)
#define PLAIN_CARRY3(id)
#define PLAIN_SETP(id)
#define PLAIN_SELP(id)
#define PLAIN_PUN(id)
#define PLAIN_PBIN(id)
#define EXEC(id, inst, types, mods, shape, td, ts, expr) PLAIN_##shape(id)
#include "ptx/isa.def"
};

static op_fn find_function(const struct variant *v, uint32_t id, uint32_t use)
{
    for (uint32_t t = 0; t < sizeof v->tables / sizeof v->tables[0]; t++)
        if ((*v->tables[t])[id][use])
            return (*v->tables[t])[id][use];
    return plain[id];
}

void emu_bind(struct program *p, uint32_t isa)
{
    struct variant list[MAX_VARIANTS];
    list_variants(list);
    for (uint32_t pc = 0; pc < p->n_ops; pc++)
        for (uint32_t use = 0; use < 2; use++)
            p->ops[pc].exec[use] = find_function(&list[isa], p->info[pc].exec_id, use);
}

warp_runner host_isa_runner(uint32_t isa)
{
    struct variant list[MAX_VARIANTS];
    list_variants(list);
    return list[isa].run;
}
