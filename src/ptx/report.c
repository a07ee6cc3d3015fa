#include "ptx/report.h"

#include <inttypes.h>
#include <stdlib.h>

#include "ptx/regalloc.h"
#include "ptx/unsupported.h"

/* --- Memory --- */

/* Everything a function can reach: the functions it names, the variables it and they name, and what
 * the variables' initial values point to. */
struct reach {
    const struct ptx_module *module;
    bool *has_func, *has_var; /* of the module's */
    const struct ptx_func **funcs;
    const struct ptx_var **vars;
    uint32_t n_funcs, n_vars;
};

static void reach_func(struct reach *r, const struct ptx_func *f)
{
    if (f->alias_of)
        f = f->alias_of;
    if (r->has_func[f->index])
        return;
    r->has_func[f->index] = true;
    r->funcs[r->n_funcs++] = f;
}

static void reach_var(struct reach *r, const struct ptx_var *var)
{
    bool is_of_module = var->index < r->module->n_vars && r->module->vars[var->index] == var;
    if (!is_of_module || r->has_var[var->index])
        return;
    r->has_var[var->index] = true;
    r->vars[r->n_vars++] = var;
}

static void reach_operand(struct reach *r, const struct ptx_operand *operand)
{
    if (operand->kind == PTX_OPERAND_FUNC)
        reach_func(r, operand->func);
    if (operand->kind == PTX_OPERAND_VAR)
        reach_var(r, operand->var);
    for (uint32_t k = 0; k < operand->n_items; k++)
        reach_operand(r, &operand->items[k]);
}

static void reach_relocs(struct reach *r, const struct ptx_var *var)
{
    for (uint32_t k = 0; k < var->n_relocs; k++) {
        if (var->relocs[k].func)
            reach_func(r, var->relocs[k].func);
        if (var->relocs[k].var)
            reach_var(r, var->relocs[k].var);
    }
}

static void reach_all(struct reach *r, const struct ptx_func *from)
{
    uint32_t funcs_done = 0, vars_done = 0;
    reach_func(r, from);
    while (funcs_done < r->n_funcs || vars_done < r->n_vars) {
        if (vars_done < r->n_vars) {
            reach_relocs(r, r->vars[vars_done++]);
            continue;
        }
        const struct ptx_func *f = r->funcs[funcs_done++];
        for (uint32_t i = 0; i < f->n_insts; i++)
            for (uint32_t k = 0; k < f->insts[i].n_operands; k++)
                reach_operand(r, &f->insts[i].operands[k]);
    }
}

/* Places the variable after `bytes` bytes of others. */
static uint64_t add_var(uint64_t bytes, const struct ptx_var *var)
{
    uint64_t align = var->align ? var->align : 1;
    return (bytes + align - 1) / align * align + var->bytes;
}

static void count_memory(const struct ptx_module *m, struct ptx_func_report *report)
{
    struct arena scratch = {0};
    struct reach r = {
        .module = m,
        .has_func = ARENA_ARRAY(&scratch, bool, m->n_funcs),
        .has_var = ARENA_ARRAY(&scratch, bool, m->n_vars),
        .funcs = ARENA_ARRAY(&scratch, const struct ptx_func *, m->n_funcs),
        .vars = ARENA_ARRAY(&scratch, const struct ptx_var *, m->n_vars),
    };
    uint64_t bytes[PTX_N_SPACES] = {0};
    reach_all(&r, report->func);
    for (uint32_t k = 0; k < r.n_vars; k++)
        bytes[r.vars[k]->space] = add_var(bytes[r.vars[k]->space], r.vars[k]);
    for (uint32_t k = 0; k < r.n_funcs; k++) {
        const struct ptx_func *f = r.funcs[k];
        for (uint32_t j = 0; j < f->n_vars; j++)
            if (f->vars[j]->space != PTX_LOCAL || f == report->func)
                bytes[f->vars[j]->space] = add_var(bytes[f->vars[j]->space], f->vars[j]);
    }
    report->shared_bytes = bytes[PTX_SHARED];
    report->const_bytes = bytes[PTX_CONST];
    report->local_bytes = bytes[PTX_LOCAL];
    for (uint32_t k = 0; k < report->func->n_params; k++)
        report->param_bytes = add_var(report->param_bytes, &report->func->params[k]);
    arena_destroy(&scratch);
}

/* --- Code --- */

static void add_unsupported(struct ptx_func_report *report, uint32_t *cap, uint32_t line,
                            const char *text, const char *why)
{
    ARRAY_RESERVE(report->unsupported, *cap, report->n_unsupported + 1);
    report->unsupported[report->n_unsupported++] = (struct ptx_unsupported){line, text, why};
}

static bool is_cta_barrier(const struct ptx_inst *inst)
{
    return (inst->op == PTX_OP_BAR || inst->op == PTX_OP_BARRIER) &&
           ptx_inst_mod(inst, PTX_GROUP_BAR) != PTX_MOD_BAR_WARP;
}

static void count_inst(struct ptx_func_report *report, const struct ptx_inst *inst, uint32_t *cap,
                       struct arena *arena)
{
    report->classes[ptx_inst_class(inst)]++;
    report->n_barriers += is_cta_barrier(inst);
    report->n_calls += inst->op == PTX_OP_CALL;
    const char *why = ptx_why_unsupported(inst, arena);
    if (!why)
        return;
    struct strbuf text = {0};
    ptx_print_inst(report->func, inst, &text);
    add_unsupported(report, cap, inst->line, arena_strdup(arena, strbuf_text(&text)), why);
    strbuf_destroy(&text);
}

static void count_code(struct ptx_func_report *report, struct arena *arena)
{
    const struct ptx_func *f = report->func;
    struct arena scratch = {0};
    uint32_t cap = 0;
    const struct ptx_cfg *cfg = ptx_cfg_build(f, &scratch);
    const struct ptx_alloc *alloc = ptx_regalloc(cfg, &scratch);
    if (alloc) {
        report->registers = alloc->pressure;
        report->predicates = alloc->n_preds;
    } else {
        add_unsupported(report, &cap, f->line, f->name, "too many registers are alive at once");
    }
    report->n_loops = cfg->n_loops;
    for (uint32_t k = 0; k < cfg->n_loops; k++)
        if (cfg->loops[k].depth > report->max_loop_depth)
            report->max_loop_depth = cfg->loops[k].depth;
    for (uint32_t i = 0; i < f->n_insts; i++)
        count_inst(report, &f->insts[i], &cap, arena);
    arena_destroy(&scratch);
}

/* The list was grown on the heap; it lives with the rest of the report. */
static void move_to_arena(struct ptx_func_report *report, struct arena *arena)
{
    struct ptx_unsupported *list = report->unsupported;
    report->unsupported = ARENA_ARRAY(arena, struct ptx_unsupported, report->n_unsupported);
    for (uint32_t k = 0; k < report->n_unsupported; k++)
        report->unsupported[k] = list[k];
    free(list);
}

struct ptx_func_report *ptx_report_func(const struct ptx_module *m, const struct ptx_func *f,
                                        struct arena *arena)
{
    struct ptx_func_report *report = ARENA_NEW(arena, struct ptx_func_report);
    report->func = f;
    count_memory(m, report);
    count_code(report, arena);
    move_to_arena(report, arena);
    return report;
}

/* --- Writing --- */

static const char *plural(uint64_t n)
{
    return n == 1 ? "" : "s";
}

/* "40 int, 12 fp32": the classes that occur, most frequent first. */
static void write_classes(const struct ptx_func_report *r, struct strbuf *out)
{
    bool done[PTX_N_CLASSES] = {false};
    for (const char *comma = "";; comma = ", ") {
        uint32_t most = PTX_N_CLASSES;
        for (uint32_t c = 0; c < PTX_N_CLASSES; c++)
            if (!done[c] && r->classes[c] &&
                (most == PTX_N_CLASSES || r->classes[c] > r->classes[most]))
                most = c;
        if (most == PTX_N_CLASSES)
            return;
        done[most] = true;
        strbuf_addf(out, "%s%u %s", comma, r->classes[most],
                    most == PTX_CLASS_CALL ? "call/return/exit" : ptx_class_names[most]);
    }
}

static void write_func(const struct ptx_func_report *r, struct strbuf *out)
{
    uint32_t n = r->func->n_insts;
    strbuf_addf(out, "%s %s\n", r->func->is_entry ? "entry" : "func", r->func->name);
    strbuf_addf(out, "  needs   %u register%s, %u predicate%s\n", r->registers,
                plural(r->registers), r->predicates, plural(r->predicates));
    strbuf_addf(out,
                "  bytes   %" PRIu64 " shared, %" PRIu64 " local, %" PRIu64 " constant, %" PRIu64
                " of parameters\n",
                r->shared_bytes, r->local_bytes, r->const_bytes, r->param_bytes);
    strbuf_addf(out, "  code    %u instruction%s: ", n, plural(n));
    write_classes(r, out);
    strbuf_addf(out, "\n  flow    %u loop%s", r->n_loops, plural(r->n_loops));
    if (r->max_loop_depth > 1)
        strbuf_addf(out, " nested %u deep", r->max_loop_depth);
    strbuf_addf(out, ", %u barrier%s, %u call%s\n", r->n_barriers, plural(r->n_barriers),
                r->n_calls, plural(r->n_calls));
    for (uint32_t k = 0; k < r->n_unsupported; k++)
        strbuf_addf(out, "  line %u: %s: %s\n", r->unsupported[k].line, r->unsupported[k].why,
                    r->unsupported[k].text);
}

void ptx_report_text(const struct ptx_module *m, struct strbuf *out)
{
    strbuf_addf(out, "%s: PTX ", m->name);
    if (m->version_major)
        strbuf_addf(out, "%u.%u", m->version_major, m->version_minor);
    else
        strbuf_addf(out, "without .version");
    if (m->target)
        strbuf_addf(out, " for %s\n", m->target);
    else
        strbuf_addf(out, ", without .target\n");
    if (!m->n_funcs)
        strbuf_addf(out, "\nno kernels and no functions\n");
    for (uint32_t k = 0; k < m->n_funcs; k++) {
        if (!m->funcs[k]->has_body)
            continue;
        struct arena arena = {0};
        strbuf_add_char(out, '\n');
        write_func(ptx_report_func(m, m->funcs[k], &arena), out);
        arena_destroy(&arena);
    }
}

static void write_unsupported_json(const struct ptx_func_report *r, struct json_writer *w)
{
    json_begin_array(w, "unsupported");
    for (uint32_t k = 0; k < r->n_unsupported; k++) {
        json_begin_object(w, NULL);
        json_uint(w, "line", r->unsupported[k].line);
        json_string(w, "text", r->unsupported[k].text);
        json_string(w, "why", r->unsupported[k].why);
        json_end_object(w);
    }
    json_end_array(w);
}

static void write_func_json(const struct ptx_func_report *r, struct json_writer *w)
{
    json_begin_object(w, NULL);
    json_string(w, "name", r->func->name);
    json_string(w, "kind", r->func->is_entry ? "entry" : "func");
    json_uint(w, "registers", r->registers);
    json_uint(w, "predicates", r->predicates);
    json_uint(w, "shared_bytes", r->shared_bytes);
    json_uint(w, "local_bytes", r->local_bytes);
    json_uint(w, "const_bytes", r->const_bytes);
    json_uint(w, "param_bytes", r->param_bytes);
    json_uint(w, "insts", r->func->n_insts);
    json_begin_object(w, "classes");
    for (uint32_t c = 0; c < PTX_N_CLASSES; c++)
        json_uint(w, ptx_class_names[c], r->classes[c]);
    json_end_object(w);
    json_uint(w, "loops", r->n_loops);
    json_uint(w, "max_loop_depth", r->max_loop_depth);
    json_uint(w, "barriers", r->n_barriers);
    json_uint(w, "calls", r->n_calls);
    write_unsupported_json(r, w);
    json_end_object(w);
}

void ptx_report_json(const struct ptx_module *m, struct json_writer *w)
{
    struct arena arena = {0};
    json_begin_object(w, NULL);
    json_string(w, "file", m->name);
    if (m->version_major)
        json_string(w, "version",
                    arena_printf(&arena, "%u.%u", m->version_major, m->version_minor));
    else
        json_null(w, "version");
    json_string(w, "target", m->target);
    json_begin_array(w, "kernels");
    for (uint32_t k = 0; k < m->n_funcs; k++)
        if (m->funcs[k]->has_body)
            write_func_json(ptx_report_func(m, m->funcs[k], &arena), w);
    json_end_array(w);
    json_begin_array(w, "errors"); /* always empty for a program; kept so that readers of many files
                                    * need no special case */
    json_end_array(w);
    json_end_object(w);
    arena_destroy(&arena);
}
