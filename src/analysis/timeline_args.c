#include "analysis/timeline_args.h"

#include <string.h>

#include "base/json.h"
#include "ptx/print.h"
#include "ptx/program.h"

struct timeline_program {
    const struct program *program;
    const char **texts; /* by PC; NULL = not requested yet */
    struct timeline_program *next;
};

static struct timeline_program *find_program(struct timeline_args *a, const struct program *p)
{
    struct timeline_program **at = &a->programs, *found;
    while (*at && (*at)->program != p)
        at = &(*at)->next;
    found = *at;
    if (found) {
        *at = found->next;
    } else {
        found = ARENA_ARRAY(&a->arena, struct timeline_program, 1);
        found->program = p;
        found->texts = ARENA_ARRAY(&a->arena, const char *, p->n_ops);
    }
    found->next = a->programs;
    a->programs = found;
    return found;
}

/* The word before the operands, without the guard: "ld.global.f32". */
static void add_op(const struct op_info *info, struct strbuf *out)
{
    struct strbuf text = {0};
    ptx_print_inst(info->func, info->inst, &text);
    const char *word = strbuf_text(&text);
    if (*word == '@')
        word += strcspn(word, " ") + 1;
    strbuf_addf(out, ",\"op\":\"%.*s\"", (int)strcspn(word, " ;"), word);
    strbuf_destroy(&text);
}

static void add_source(const struct program *p, const struct ptx_inst *inst, struct strbuf *out)
{
    const char *file = inst->loc_line && inst->loc_file < p->module->n_files
                           ? p->module->files[inst->loc_file]
                           : NULL;
    struct strbuf place = {0};
    if (!file)
        return;
    strbuf_addf(&place, "%s:%u", strncmp(file, "./", 2) == 0 ? file + 2 : file, inst->loc_line);
    strbuf_add(out, ",\"source\":");
    json_add_quoted(out, strbuf_text(&place));
    strbuf_destroy(&place);
}

const char *timeline_args_of(struct timeline_args *a, const struct program *p, uint32_t pc)
{
    struct timeline_program *known = a->programs;
    if (!known || known->program != p)
        known = find_program(a, p);
    if (known->texts[pc])
        return known->texts[pc];
    const struct op_info *info = &p->info[pc];
    struct strbuf text = {0};
    strbuf_addf(&text, "\"pc\":%u", pc);
    if (info->inst) { /* the end of a function has no instruction */
        add_op(info, &text);
        add_source(p, info->inst, &text);
    }
    known->texts[pc] = arena_strdup(&a->arena, strbuf_text(&text));
    strbuf_destroy(&text);
    return known->texts[pc];
}

void timeline_args_destroy(struct timeline_args *a)
{
    arena_destroy(&a->arena);
}
