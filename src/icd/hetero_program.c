/* Programs on the targets of HeteroPDP, and objects there that are no longer needed. */
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/diag.h"
#include "icd/hetero.h"
#include "ptx/ptx.h"

struct target_kernel {
    const char *name; /* of the code's kernel_info */
    cl_kernel of[HETERO_N_TARGETS];
    struct hetero_counts counts;
    bool is_counted;
    struct strbuf not_counted; /* why its instructions cannot be counted */
    struct target_kernel *next;
};

/* --- building --- */

/* Our own devices use the code that has been compiled already. */
static cl_program create_from_code(struct target *t, const struct code *code, cl_int *error)
{
    struct strbuf file = {0};
    cl_int status;
    code_to_file(code, &file);
    const unsigned char *bytes = (const unsigned char *)strbuf_text(&file);
    cl_program p = t->cl->clCreateProgramWithBinary(t->context, 1, &t->device, &file.len, &bytes,
                                                    &status, error);
    strbuf_destroy(&file);
    return p;
}

static cl_program create_from_source(struct target *t, const struct strbuf *source, cl_int *error)
{
    const char *text = strbuf_text(source);
    return t->cl->clCreateProgramWithSource(t->context, 1, &text, &source->len, error);
}

static void add_log(struct target *t, cl_program p, struct strbuf *why)
{
    size_t n = 0;
    t->cl->clGetProgramBuildInfo(p, t->device, CL_PROGRAM_BUILD_LOG, 0, NULL, &n);
    char *log = xcalloc(1, n + 1);
    t->cl->clGetProgramBuildInfo(p, t->device, CL_PROGRAM_BUILD_LOG, n, log, NULL);
    strbuf_add(why, log);
    free(log);
}

static cl_program build_on(struct target *t, const struct strbuf *source, const char *options,
                           const struct code *code, struct strbuf *why)
{
    cl_int error = target_open(t);
    cl_program p = NULL;
    if (error != CL_SUCCESS) {
        strbuf_addf(why, "%s cannot be used: error %d", strbuf_text(&t->name), error);
        return NULL;
    }
    if (!t->is_simulated && !source) {
        strbuf_add(why, "the program was linked or created from a binary: its source is unknown");
        return NULL;
    }
    p = t->is_simulated ? create_from_code(t, code, &error) : create_from_source(t, source, &error);
    if (error == CL_SUCCESS)
        error = t->cl->clBuildProgram(p, 1, &t->device, options, NULL, NULL);
    if (error == CL_SUCCESS)
        return p;
    strbuf_addf(why, "it does not build there (error %d): ", error);
    if (p) {
        add_log(t, p, why);
        t->cl->clReleaseProgram(p);
    }
    return NULL;
}

static bool names(const struct ptx_operand *o, const struct ptx_var *v)
{
    bool found = o->kind == PTX_OPERAND_VAR && o->var == v;
    for (uint32_t i = 0; !found && i < o->n_items; i++)
        found = names(&o->items[i], v);
    return found;
}

/* Does an instruction other than a load use the variable? It may write it, or take its address. */
static bool may_be_written(const struct ptx_module *m, const struct ptx_var *v)
{
    for (uint32_t f = 0; f < m->n_funcs; f++)
        for (uint32_t i = 0; i < m->funcs[f]->n_insts; i++) {
            const struct ptx_inst *inst = &m->funcs[f]->insts[i];
            for (uint32_t o = 0; ptx_insts[inst->op].unit != PTX_UNIT_LOAD && o < inst->n_operands;
                 o++)
                if (names(&inst->operands[o], v))
                    return true;
        }
    return false;
}

static bool is_pointed_to(const struct ptx_module *m, const struct ptx_var *v)
{
    for (uint32_t i = 0; i < m->n_vars; i++)
        for (uint32_t r = 0; r < m->vars[i]->n_relocs; r++)
            if (m->vars[i]->relocs[r].var == v)
                return true;
    return false;
}

static const char *find_variable(const struct ptx_module *m)
{
    for (uint32_t i = 0; m && i < m->n_vars; i++)
        if (m->vars[i]->space == PTX_GLOBAL &&
            (may_be_written(m, m->vars[i]) || is_pointed_to(m, m->vars[i])))
            return m->vars[i]->name;
    return NULL;
}

struct target_program *hetero_build(struct _cl_device_id *d, const struct strbuf *source,
                                    const char *options, const struct code *code)
{
    struct target_program *p = xcalloc(1, sizeof *p);
    struct diag_list diags = {0};
    p->ptx = ptx_parse("program.cl.ptx", strbuf_text(&code->ptx), code->ptx.len, &diags);
    diag_list_destroy(&diags);
    p->variable = find_variable(p->ptx);
    for (int i = 0; i < HETERO_N_TARGETS; i++) {
        struct target *t = &d->hetero->targets[i];
        p->of[i] = build_on(t, source, options, code, &p->why[i]);
        if (!p->of[i])
            icd_complain("HeteroPDP: a program can run only on the %s; %s: %s",
                         i == HETERO_CMP ? "GPU" : "CMP", strbuf_text(&t->name),
                         strbuf_text(&p->why[i]));
    }
    return p;
}

static struct target_kernel *find_kernel(struct target_program *p, const char *name)
{
    struct target_kernel *k = p->kernels;
    while (k && strcmp(k->name, name) != 0)
        k = k->next;
    if (!k) {
        k = xcalloc(1, sizeof *k);
        *k = (struct target_kernel){.name = name, .next = p->kernels};
        p->kernels = k;
    }
    return k;
}

const struct hetero_counts *hetero_kernel_counts(struct target_program *p, const char *name,
                                                 const char **why)
{
    struct target_kernel *k = find_kernel(p, name);
    if (!k->is_counted) {
        const struct ptx_func *f = p->ptx ? ptx_find_func(p->ptx, name) : NULL;
        if (!f)
            strbuf_add(&k->not_counted, "its PTX is unknown");
        else
            hetero_count(f, &k->counts, &k->not_counted);
        k->is_counted = true;
    }
    *why = k->not_counted.len ? strbuf_text(&k->not_counted) : NULL;
    return &k->counts;
}

cl_kernel hetero_kernel(struct target_program *p, const char *name, struct target *t,
                        const char **why)
{
    struct target_kernel *k = find_kernel(p, name);
    cl_int error = CL_SUCCESS;
    if (!k->of[t->which] && p->of[t->which])
        k->of[t->which] = t->cl->clCreateKernel(p->of[t->which], name, &error);
    if (!k->of[t->which])
        *why = p->of[t->which] ? "there is no such kernel" : strbuf_text(&p->why[t->which]);
    return k->of[t->which];
}

/* --- release --- */

struct retired_object {
    enum icd_kind kind;
    enum hetero_target target;
    void *object;
};

static void retire(struct hetero *h, enum icd_kind kind, int target, void *object)
{
    if (!object)
        return;
    ARRAY_RESERVE(h->retired, h->cap_retired, h->n_retired + 1);
    h->retired[h->n_retired++] = (struct retired_object){kind, (enum hetero_target)target, object};
}

void hetero_retire_copies(struct _cl_device_id *d, struct target_copies *copies)
{
    for (int t = 0; copies && t < HETERO_N_TARGETS; t++)
        retire(d->hetero, ICD_MEM, t, copies->of[t]);
    free(copies);
}

void hetero_retire_program(struct _cl_device_id *d, struct target_program *p)
{
    if (!p)
        return;
    for (struct target_kernel *k = p->kernels, *next; k; k = next) {
        next = k->next;
        for (int t = 0; t < HETERO_N_TARGETS; t++)
            retire(d->hetero, ICD_KERNEL, t, k->of[t]);
        strbuf_destroy(&k->not_counted);
        free(k);
    }
    for (int t = 0; t < HETERO_N_TARGETS; t++) {
        retire(d->hetero, ICD_PROGRAM, t, p->of[t]);
        strbuf_destroy(&p->why[t]);
    }
    ptx_module_destroy(p->ptx);
    free(p);
}

void hetero_collect(struct _cl_device_id *d)
{
    struct hetero *h = d->hetero;
    icd_lock();
    struct retired_object *retired = h->retired;
    uint32_t n = h->n_retired;
    h->retired = NULL;
    h->n_retired = h->cap_retired = 0;
    icd_unlock();
    for (uint32_t i = 0; i < n; i++) {
        const cl_icd_dispatch *cl = h->targets[retired[i].target].cl;
        if (retired[i].kind == ICD_MEM)
            cl->clReleaseMemObject(retired[i].object);
        else if (retired[i].kind == ICD_KERNEL)
            cl->clReleaseKernel(retired[i].object);
        else
            cl->clReleaseProgram(retired[i].object);
    }
    free(retired);
}
