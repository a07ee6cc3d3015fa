/* Printing of variables with their initial values, and of registers. */
#include "ptx/print.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "ptx/parse.h"

/* --- initial values --- */

static void print_symbol(const struct ptx_reloc *r, struct strbuf *out)
{
    strbuf_addf(out, r->generic ? "generic(%s)" : "%s", r->symbol);
    if (r->addend)
        strbuf_addf(out, "+%" PRId64, r->addend);
}

static void print_reloc(const struct ptx_reloc *r, uint32_t elem_bytes, struct strbuf *out)
{
    if (elem_bytes > 1) {
        print_symbol(r, out);
        return;
    }
    for (uint32_t k = 0; k < r->bytes; k++) {
        strbuf_addf(out, "%s0x%" PRIX64 "(", k ? ", " : "",
                    UINT64_C(0xff) << (r->shift_bits + 8 * k));
        print_symbol(r, out);
        strbuf_add_char(out, ')');
    }
}

static void print_value(const struct ptx_var *v, uint64_t at, struct strbuf *out)
{
    uint64_t bits = 0;
    const struct ptx_type_info *type = &ptx_types[v->type];
    memcpy(&bits, v->data + at, type->bits / 8u);
    if (v->type == PTX_F32)
        strbuf_addf(out, "0f%08" PRIX64, bits);
    else if (v->type == PTX_F64)
        strbuf_addf(out, "0d%016" PRIX64, bits);
    else if (type->kind == 's')
        strbuf_addf(out, "%" PRId64, (int64_t)(bits << (64 - type->bits)) >> (64 - type->bits));
    else
        strbuf_addf(out, "%" PRIu64, bits);
}

/* Trailing zeros need not be printed. */
static uint64_t bytes_to_print(const struct ptx_var *v)
{
    uint64_t end = v->bytes;
    while (end && !v->data[end - 1])
        end--;
    for (uint32_t i = 0; i < v->n_relocs; i++)
        if (v->relocs[i].at + v->relocs[i].bytes > end)
            end = v->relocs[i].at + v->relocs[i].bytes;
    return end;
}

static void print_initial(const struct ptx_var *v, struct strbuf *out)
{
    bool is_list = v->is_array || v->vec > 1;
    uint32_t elem_bytes = ptx_types[v->type].bits / 8u;
    uint64_t end = bytes_to_print(v);
    const struct ptx_reloc *r = v->relocs, *last = r + v->n_relocs;
    strbuf_add(out, is_list ? " = {" : " = ");
    if (!end && !v->is_unsized)
        strbuf_add_char(out, '0');
    for (uint64_t at = 0; at < end;) {
        strbuf_add(out, at ? ", " : "");
        if (r < last && r->at == at) {
            print_reloc(r, elem_bytes, out);
            at += r->bytes;
            r++;
        } else {
            print_value(v, at, out);
            at += elem_bytes;
        }
    }
    strbuf_add(out, is_list ? "}" : "");
}

/* --- variables --- */

static const char *space_text(enum ptx_space space)
{
    static const char *const texts[PTX_N_SPACES] = {
        [PTX_GENERIC] = "",        [PTX_REG] = ".reg ",     [PTX_GLOBAL] = ".global ",
        [PTX_SHARED] = ".shared ", [PTX_LOCAL] = ".local ", [PTX_CONST] = ".const ",
        [PTX_PARAM] = ".param ",
    };
    return texts[space];
}

void print_variable(const struct ptx_var *v, struct strbuf *out)
{
    const struct ptx_type_info *type = &ptx_types[v->type];
    strbuf_add(out, space_text(v->space));
    if (v->align != type->bits / 8u * v->vec || v->is_array)
        strbuf_addf(out, ".align %u ", v->align);
    if (v->vec > 1)
        strbuf_addf(out, ".v%u ", v->vec);
    strbuf_addf(out, ".%s ", type->text);
    if (v->is_ptr)
        strbuf_addf(out, ".ptr %s", space_text(v->ptr_space));
    if (v->ptr_align)
        strbuf_addf(out, ".align %u ", v->ptr_align);
    strbuf_add(out, v->name);
    if (v->is_unsized)
        strbuf_add(out, "[]");
    else if (v->is_array)
        strbuf_addf(out, "[%" PRIu64 "]", v->n_elems);
    if (v->data)
        print_initial(v, out);
}

/* --- registers --- */

/* A register's name as prefix and number: %r12 is member 12 of the family %r. */
struct member {
    const struct ptx_reg *reg;
    size_t prefix_len;
    uint32_t number;
    bool is_in_family;
};

static struct member split_name(const struct ptx_reg *reg)
{
    size_t len = strlen(reg->name), k = len;
    while (k && reg->name[k - 1] >= '0' && reg->name[k - 1] <= '9')
        k--;
    while (k + 1 < len && reg->name[k] == '0') /* numbers have no leading zeros */
        k++;
    uint64_t number = len - k < 9 ? strtoull(reg->name + k, NULL, 10) : UINT64_MAX;
    bool is_in_family = k > 1 && k < len && number < MAX_REGISTER_RANGE;
    return (struct member){reg, is_in_family ? k : len, is_in_family ? (uint32_t)number : 0,
                           is_in_family};
}

static int compare_members(const void *a, const void *b)
{
    const struct member *x = a, *y = b;
    size_t len = x->prefix_len < y->prefix_len ? x->prefix_len : y->prefix_len;
    int order = memcmp(x->reg->name, y->reg->name, len);
    if (!order && x->prefix_len != y->prefix_len)
        order = x->prefix_len < y->prefix_len ? -1 : 1;
    if (!order && x->is_in_family != y->is_in_family)
        order = x->is_in_family ? 1 : -1;
    if (!order)
        order = x->number < y->number ? -1 : x->number > y->number;
    return order;
}

static bool is_same_family(const struct member *x, const struct member *y)
{
    return x->is_in_family && y->is_in_family && x->prefix_len == y->prefix_len &&
           !memcmp(x->reg->name, y->reg->name, x->prefix_len);
}

/* %v.x, followed by the vector's other parts in the function's list. */
static void print_vector(const struct ptx_func *f, const struct ptx_reg *reg, struct strbuf *out)
{
    size_t len = strlen(reg->name);
    if (reg->name[len - 1] != 'x')
        return;
    bool is_v4 = reg->index + 2 < f->n_regs && !strncmp(reg[2].name, reg->name, len - 1) &&
                 !strcmp(reg[2].name + len - 1, "z");
    strbuf_addf(out, "\t.reg .v%d .%s %.*s;\n", is_v4 ? 4 : 2, ptx_types[reg->type].text,
                (int)len - 2, reg->name);
}

static void print_register(const struct ptx_func *f, const struct ptx_reg *reg, struct strbuf *out)
{
    if (strchr(reg->name, '.'))
        print_vector(f, reg, out);
    else
        strbuf_addf(out, "\t.reg .%s %s;\n", ptx_types[reg->type].text, reg->name);
}

void print_registers(const struct ptx_func *f, bool use_ranges, struct strbuf *out)
{
    struct member *members = xcalloc(f->n_regs, sizeof *members);
    for (uint32_t i = 0; i < f->n_regs; i++)
        members[i] = split_name(&f->regs[i]);
    qsort(members, f->n_regs, sizeof *members, compare_members);
    for (uint32_t i = 0, next; i < f->n_regs; i = next) {
        const struct member *m = &members[i];
        bool fits = use_ranges && m->is_in_family && m->reg->name[0] == '%';
        for (next = i + 1; next < f->n_regs && is_same_family(m, &members[next]); next++)
            fits &= members[next].reg->type == m->reg->type;
        if (fits)
            strbuf_addf(out, "\t.reg .%s %.*s<%u>;\n", ptx_types[m->reg->type].text,
                        (int)m->prefix_len, m->reg->name, members[next - 1].number + 1);
        for (uint32_t k = i; !fits && k < next; k++)
            print_register(f, members[k].reg, out);
    }
    free(members);
}
