/* Loading programs: compile if necessary, parse, place variables, lower, bind. */
#include <stdlib.h>
#include <string.h>

#include "base/file_status.h"
#include "emu/bind.h"
#include "front/front.h"
#include "gpu/sim.h"

/* Places variables that have no address yet; shared and external ones have none here. */
static bool place_variables(struct heddle_sim *sim, const struct ptx_module *m, uint64_t *address)
{
    for (uint32_t i = 0; i < m->n_vars; i++) {
        const struct ptx_var *v = m->vars[i];
        if ((v->space != PTX_GLOBAL && v->space != PTX_CONST) || v->is_unsized)
            continue;
        address[i] = mem_alloc(&sim->mem, v->bytes, v->name);
        if (!address[i])
            return false;
        if (v->data)
            memcpy(mem_host(&sim->mem, address[i]), v->data, v->bytes);
    }
    return true;
}

/* Initialisers that hold addresses. */
static void apply_relocations(struct heddle_sim *sim, const struct ptx_module *m,
                              const uint64_t *address)
{
    for (uint32_t i = 0; i < m->n_vars; i++) {
        const struct ptx_var *v = m->vars[i];
        for (uint32_t k = 0; address[i] && k < v->n_relocs; k++) {
            const struct ptx_reloc *r = &v->relocs[k];
            uint64_t target = r->func  ? program_func_address(r->func->index)
                              : r->var ? address[r->var->index]
                                       : 0;
            target += (uint64_t)r->addend;
            memcpy((char *)mem_host(&sim->mem, address[i]) + r->at, &target, r->bytes);
        }
    }
}

static void take_diags(struct strbuf *into, struct diag_list *diags)
{
    diag_format(diags, into);
    diag_list_destroy(diags);
}

/* Makes a parsed module, whose variables have been placed, ready to run; takes ownership. */
static enum heddle_status finish_module(struct heddle_sim *sim, struct heddle_module *module,
                                        const char *text, size_t len, const uint64_t *address,
                                        struct diag_list *diags, struct heddle_module **out)
{
    module->program = ptx_lower(module->ptx, address, diags);
    if (!module->program) {
        ptx_module_destroy(module->ptx);
        free(module);
        return HEDDLE_BAD_INPUT;
    }
    strbuf_add_n(&module->text, text, len);
    emu_bind(module->program, sim->isa);
    module->next = sim->modules;
    sim->modules = module;
    *out = module;
    return HEDDLE_OK;
}

static struct heddle_module *parse_module(struct heddle_sim *sim, const char *name,
                                          const char *text, size_t len, struct diag_list *diags)
{
    struct heddle_module *module = xcalloc(1, sizeof *module);
    strbuf_clear(&sim->error);
    module->ptx = ptx_parse(name, text, len, diags);
    if (module->ptx)
        return module;
    take_diags(&sim->error, diags);
    free(module);
    return NULL;
}

enum heddle_status sim_load_ptx(struct heddle_sim *sim, const char *name, const char *text,
                                size_t len, struct heddle_module **out)
{
    struct diag_list diags = {0};
    struct heddle_module *module = parse_module(sim, name, text, len, &diags);
    if (!module)
        return HEDDLE_BAD_INPUT;
    uint64_t *address = xcalloc(module->ptx->n_vars, sizeof *address);
    enum heddle_status s;
    if (!place_variables(sim, module->ptx, address)) {
        s = sim_fail(sim, HEDDLE_ENVIRONMENT, "not enough device memory for the variables of %s\n",
                     name);
        ptx_module_destroy(module->ptx);
        free(module);
    } else {
        apply_relocations(sim, module->ptx, address);
        s = finish_module(sim, module, text, len, address, &diags, out);
    }
    take_diags(s == HEDDLE_OK ? &sim->warnings : &sim->error, &diags);
    free(address);
    return s;
}

enum heddle_status sim_load_placed(struct heddle_sim *sim, const char *name, const char *text,
                                   size_t len, const uint64_t *addresses, uint32_t n_addresses,
                                   struct heddle_module **out)
{
    struct diag_list diags = {0};
    struct heddle_module *module = parse_module(sim, name, text, len, &diags);
    if (!module)
        return HEDDLE_BAD_INPUT;
    if (module->ptx->n_vars != n_addresses) {
        ptx_module_destroy(module->ptx);
        free(module);
        diag_list_destroy(&diags);
        return sim_fail(
            sim, HEDDLE_BAD_INPUT,
            "%s: the number of addresses (%u) differs from the number of its variables\n", name,
            n_addresses);
    }
    enum heddle_status s = finish_module(sim, module, text, len, addresses, &diags, out);
    take_diags(s == HEDDLE_OK ? &sim->warnings : &sim->error, &diags);
    return s;
}

enum heddle_status heddle_load(struct heddle_sim *sim, enum heddle_language language,
                               const char *name, const char *text, size_t len,
                               const char *build_options, struct heddle_module **out)
{
    *out = NULL;
    if (language == HEDDLE_PTX)
        return sim_load_ptx(sim, name, text, len, out);
    struct strbuf ptx = {0}, messages = {0};
    enum heddle_status s =
        front_compile(language == HEDDLE_OPENCL_C ? FRONT_OPENCL_C : FRONT_CUDA_C, name, text, len,
                      build_options, &ptx, &messages);
    if (s != HEDDLE_OK) {
        sim_fail(sim, s, "%s", strbuf_text(&messages));
    } else {
        strbuf_add(&sim->warnings, strbuf_text(&messages));
        /* The compiler's output has a separate name, so that line numbers are not mistaken. */
        struct strbuf ptx_name = {0};
        strbuf_addf(&ptx_name, "%s.ptx", name);
        s = sim_load_ptx(sim, strbuf_text(&ptx_name), strbuf_text(&ptx), ptx.len, out);
        strbuf_destroy(&ptx_name);
    }
    strbuf_destroy(&ptx);
    strbuf_destroy(&messages);
    return s;
}

/* For a file that is not text a compiler would print a thousand errors, but not this one. */
static enum heddle_status load_text(struct heddle_sim *sim, enum heddle_language language,
                                    const char *path, const struct strbuf *text,
                                    const char *build_options, struct heddle_module **out)
{
    size_t at = strbuf_find_non_text(text);
    if (at < text->len)
        return sim_fail(sim, HEDDLE_BAD_INPUT, "%s: byte %zu of the file is 0: this is not text\n",
                        path, at);
    return heddle_load(sim, language, path, strbuf_text(text), text->len, build_options, out);
}

static bool ends_with(const char *s, const char *end)
{
    size_t n = strlen(s), m = strlen(end);
    return n >= m && strcmp(s + n - m, end) == 0;
}

enum heddle_status heddle_load_file(struct heddle_sim *sim, const char *path,
                                    const char *build_options, struct heddle_module **out)
{
    enum heddle_language language;
    *out = NULL;
    if (ends_with(path, ".ptx"))
        language = HEDDLE_PTX;
    else if (ends_with(path, ".cl"))
        language = HEDDLE_OPENCL_C;
    else if (ends_with(path, ".cu"))
        language = HEDDLE_CUDA_C;
    else
        return sim_fail(sim, HEDDLE_BAD_INPUT,
                        "%s: the name must end in .ptx, .cl or .cu, which gives the language\n",
                        path);
    struct strbuf text = {0};
    int error = strbuf_read_file(&text, path);
    enum heddle_status s;
    if (error)
        s = sim_fail(sim, file_read_status(error), "%s: %s\n", path, strerror(error));
    else
        s = load_text(sim, language, path, &text, build_options, out);
    strbuf_destroy(&text);
    return s;
}

void sim_destroy_module(struct heddle_module *module)
{
    program_destroy(module->program);
    ptx_module_destroy(module->ptx);
    arena_destroy(&module->arena);
    strbuf_destroy(&module->text);
    free(module);
}

static void free_variables(struct heddle_sim *sim, const struct heddle_module *module)
{
    const struct ptx_module *m = module->ptx;
    for (uint32_t i = 0; i < m->n_vars; i++)
        if ((m->vars[i]->space == PTX_GLOBAL || m->vars[i]->space == PTX_CONST) &&
            !m->vars[i]->is_unsized)
            mem_free(&sim->mem, module->program->var_addresses[i]);
}

void heddle_unload(struct heddle_sim *sim, struct heddle_module *module)
{
    if (!module || sim->recorder) /* the recording refers to it until its end */
        return;
    struct heddle_module **at = &sim->modules;
    while (*at && *at != module)
        at = &(*at)->next;
    if (!*at)
        return;
    *at = module->next;
    kernel_stats_forget(sim, module);
    if (sim->emu.program == module->program)
        sim->emu.program = NULL;
    free_variables(sim, module);
    sim_destroy_module(module);
}

uint32_t heddle_kernel_count(const struct heddle_module *module)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < module->ptx->n_funcs; i++)
        n += module->ptx->funcs[i]->is_entry && module->ptx->funcs[i]->has_body;
    return n;
}

const char *heddle_kernel_name(const struct heddle_module *module, uint32_t i)
{
    for (uint32_t f = 0; f < module->ptx->n_funcs; f++)
        if (module->ptx->funcs[f]->is_entry && module->ptx->funcs[f]->has_body && i-- == 0)
            return module->ptx->funcs[f]->name;
    return NULL;
}

static const struct program_func *find_kernel(const struct heddle_module *module,
                                              const char *kernel)
{
    for (uint32_t f = 0; f < module->ptx->n_funcs; f++) {
        const struct ptx_func *func = module->ptx->funcs[f];
        if (func->is_entry && func->has_body && strcmp(func->name, kernel) == 0)
            return &module->program->funcs[f];
    }
    return NULL;
}

bool heddle_kernel_find(const struct heddle_module *module, const char *kernel,
                        struct heddle_kernel_info *out)
{
    const struct program_func *f = find_kernel(module, kernel);
    if (!f)
        return false;
    *out = (struct heddle_kernel_info){.n_params = f->func->n_params,
                                       .registers = f->registers,
                                       .shared_bytes = f->shared_bytes,
                                       .local_bytes = f->local_bytes};
    for (int i = 0; f->func->reqntid[0] && i < 3; i++)
        out->required_block[i] = f->func->reqntid[i] ? f->func->reqntid[i] : 1;
    return true;
}

bool heddle_kernel_param(const struct heddle_module *module, const char *kernel, uint32_t i,
                         struct heddle_param_info *out)
{
    const struct program_func *f = find_kernel(module, kernel);
    if (!f || i >= f->func->n_params)
        return false;
    const struct ptx_var *v = &f->func->params[i];
    *out = (struct heddle_param_info){.bytes = v->bytes, .align = v->align};
    char kind = v->is_array ? 'b' : ptx_types[v->type].kind;
    out->type = kind == 'f'                  ? HEDDLE_PARAM_FLOAT
                : kind == 'u' || kind == 's' ? HEDDLE_PARAM_INTEGER
                                             : HEDDLE_PARAM_BITS;
    if (v->is_ptr)
        out->space = v->ptr_space == PTX_SHARED ? HEDDLE_PARAM_SHARED : HEDDLE_PARAM_GLOBAL;
    return true;
}
