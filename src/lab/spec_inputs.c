/* The axes of an experiment that define what runs: workloads, programs, sizes of inputs, seeds. */
#include <stdlib.h>
#include <string.h>

#include "config/number.h"
#include "lab/spec_axes.h"

static void add_workload(struct spec_reader *r, const yaml_node_t *at, const char *name,
                         bool is_of_all)
{
    const struct workload *w = workload_find(name);
    if (w) {
        struct axis_choice *c = spec_add_choice(&r->axes.workloads, w->name, at);
        c->workload = w;
        c->is_of_all = is_of_all;
        return;
    }
    const char **names = xcalloc(workload_count, sizeof *names);
    for (uint32_t i = 0; i < workload_count; i++)
        names[i] = workload_list[i]->name;
    spec_unknown(r, at, "workload", name, names, workload_count);
    free(names);
}

/* CPU programs alone. */
static void add_idle_gpu(struct spec_reader *r, const yaml_node_t *at)
{
    struct axis_choice *c = spec_add_choice(&r->axes.workloads, point_idle_gpu.name, at);
    c->workload = &point_idle_gpu;
    c->own_input = &point_no_input;
}

void spec_read_workloads(struct spec_reader *r, yaml_node_t *node)
{
    for (uint32_t i = 0; i < yaml_count(node); i++) {
        const yaml_node_t *item = yaml_item(r->doc, node, i);
        const char *name = yaml_scalar(r->doc, item, "a workload");
        if (name && strcmp(name, "all") == 0)
            for (uint32_t w = 0; w < workload_count; w++)
                add_workload(r, item, workload_list[w]->name, true);
        else if (name && strcmp(name, point_idle_gpu.name) == 0)
            add_idle_gpu(r, item);
        else if (name)
            add_workload(r, item, name, false);
    }
}

void spec_read_programs(struct spec_reader *r, yaml_node_t *node)
{
    for (uint32_t i = 0; i < yaml_count(node); i++) {
        const yaml_node_t *item = yaml_item(r->doc, node, i);
        const char *command = yaml_scalar(r->doc, item, "a command such as ./bfs graph.txt");
        struct lab_program *p = ARENA_ARRAY(&r->spec->arena, struct lab_program, 1);
        struct strbuf why = {0};
        if (command && !program_read(p, command, &r->spec->arena, r->spec->files, &why))
            yaml_complain(r->doc, item, "a command of the shell: ./bfs graph.txt", "%s",
                          strbuf_text(&why));
        strbuf_destroy(&why);
        if (!command)
            continue;
        struct axis_choice *c = spec_add_choice(&r->axes.workloads, p->command, item);
        c->workload = &p->workload;
        c->program = p;
        c->own_input = &p->size;
    }
}

void spec_read_kernels(struct spec_reader *r, yaml_node_t *node)
{
    static const char example[] = "saxpy.cl --grid 64 --block 256 --arg i32:16384";
    for (uint32_t i = 0; i < yaml_count(node); i++) {
        const yaml_node_t *item = yaml_item(r->doc, node, i);
        const char *command = yaml_scalar(r->doc, item, "a kernel's file and launch");
        struct kernel_file *k = ARENA_ARRAY(&r->spec->arena, struct kernel_file, 1);
        struct strbuf why = {0};
        bool ok = command && kernel_file_read(k, command, &r->spec->arena, r->spec->files, &why);
        if (command && !ok)
            yaml_complain(r->doc, item, example, "%s", strbuf_text(&why));
        strbuf_destroy(&why);
        if (!ok)
            continue;
        struct axis_choice *c = spec_add_choice(&r->axes.workloads, k->command, item);
        c->workload = &k->workload;
        c->kernel = k;
        c->own_input = &k->size;
    }
}

/* Does the workload have the size? Changes to its inputs, after the name, are checked when points
 * are made. */
static bool workload_has(struct spec_reader *r, const struct workload *w, const char *size)
{
    return workload_find_size(w, arena_strndup(&r->spec->arena, size, strcspn(size, ":")));
}

bool spec_some_workload_has(struct spec_reader *r, const char *size)
{
    for (uint32_t i = 0; i < workload_count; i++)
        if (workload_has(r, workload_list[i], size))
            return true;
    return false;
}

void spec_read_sizes(struct spec_reader *r, yaml_node_t *node)
{
    for (uint32_t i = 0; node && i < yaml_count(node); i++) {
        const yaml_node_t *item = yaml_item(r->doc, node, i);
        const char *name = yaml_scalar(r->doc, item, "a size");
        if (name && spec_some_workload_has(r, name))
            spec_add_choice(&r->axes.sizes, spec_keep_text(r, name), item);
        else if (name)
            yaml_complain(r->doc, item, "`heddle show workload NAME` lists the sizes of one",
                          "no workload has a size '%s'", name);
    }
}

/* Multiplies the sizes by the values of one input. */
static void multiply_sizes(struct spec_reader *r, const char *name, yaml_node_t *values)
{
    struct spec_axis old = r->axes.sizes, *sizes = &r->axes.sizes;
    if ((uint64_t)old.n * yaml_count(values) > SPEC_MAX_POINTS) {
        yaml_complain(r->doc, values, NULL,
                      "the experiment has more than %d sizes with such inputs", SPEC_MAX_POINTS);
        return;
    }
    *sizes = (struct spec_axis){0};
    for (uint32_t i = 0; i < old.n; i++)
        for (uint32_t v = 0; v < yaml_count(values); v++) {
            const yaml_node_t *item = yaml_item(r->doc, values, v);
            const char *value = yaml_scalar(r->doc, item, "a value");
            if (value)
                spec_add_choice(
                    sizes,
                    arena_printf(&r->spec->arena, "%s:%s=%s", old.choices[i].text, name, value),
                    item);
        }
    free(old.choices);
}

void spec_read_inputs(struct spec_reader *r, yaml_node_t *node)
{
    uint32_t n = yaml_pairs(r->doc, node, "inputs of workloads: {NAME: [VALUE, ...]}");
    for (uint32_t i = 0; i < n; i++) {
        const char *name = yaml_scalar(r->doc, yaml_key(r->doc, node, i), "the name of an input");
        if (name)
            multiply_sizes(r, name, yaml_value(r->doc, node, i));
    }
}

static struct axis_choice *find_workload(struct spec_reader *r, const char *name)
{
    for (uint32_t i = 0; i < r->axes.workloads.n; i++)
        if (!r->axes.workloads.choices[i].own_input &&
            strcmp(r->axes.workloads.choices[i].text, name) == 0)
            return &r->axes.workloads.choices[i];
    return NULL;
}

static const struct axis_choice *own_size(struct spec_reader *r, const char *size,
                                          const yaml_node_t *at)
{
    struct axis_choice *c = ARENA_ARRAY(&r->spec->arena, struct axis_choice, 1);
    *c = (struct axis_choice){
        .text = spec_keep_text(r, size), .line = yaml_line(at), .col = yaml_col(at)};
    return c;
}

/* Workloads whose input has another size than the rest: {hg: small}. */
void spec_read_own_sizes(struct spec_reader *r, yaml_node_t *node)
{
    uint32_t n = yaml_pairs(r->doc, node, "sizes of workloads: {NAME: SIZE}");
    if (r->axes.sizes.n != 1)
        yaml_complain(r->doc, node, "size: paper-s2, size_of: {hg: small}",
                      "'size_of' lists exceptions from a single 'size'");
    for (uint32_t i = 0; i < n; i++) {
        const yaml_node_t *key = yaml_key(r->doc, node, i), *value = yaml_value(r->doc, node, i);
        const char *name = yaml_scalar(r->doc, key, "a workload");
        const char *size = yaml_scalar(r->doc, value, "a size");
        struct axis_choice *c = name ? find_workload(r, name) : NULL;
        if (name && !c)
            yaml_complain(r->doc, key, NULL, "the experiment has no workload '%s'", name);
        else if (c && size && !workload_has(r, c->workload, size))
            yaml_complain(r->doc, value, "`heddle show workload NAME` lists its sizes",
                          "%s has no size '%s'", name, size);
        else if (c && size)
            c->own_size = own_size(r, size, value);
    }
}

void spec_read_seeds(struct spec_reader *r, yaml_node_t *node)
{
    for (uint32_t i = 0; i < yaml_count(node); i++) {
        const yaml_node_t *item = yaml_item(r->doc, node, i);
        const char *text = yaml_scalar(r->doc, item, "a number");
        uint64_t seed;
        if (text && number_parse_u64(text, &seed))
            spec_add_choice(&r->axes.seeds, spec_keep_text(r, text), item)->seed = seed;
        else if (text)
            yaml_complain(r->doc, item, NULL, "expected a whole number, not '%s'", text);
    }
}

void spec_forget_sizes(struct spec_axes *a)
{
    a->sizes.n = 0;
    for (uint32_t i = 0; i < a->workloads.n; i++)
        a->workloads.choices[i].own_size = NULL;
}
