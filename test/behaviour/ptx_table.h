/* Tables of instructions (.table files of test/ptx): one instruction a line, its result in the
 * comment.
 *
 *     add.sat.s32 %r0, 0x7fffffff, 1;   // = 0x7fffffff
 *
 * A table becomes a kernel: registers are declared, every line with a result is guarded by the
 * predicate %on and followed by a store of its destination. Lanes that %on leaves out therefore
 * store what the register held before, a pattern that is known. Line numbers stay as they are.
 * README.md in test/ptx tells how tables are written. */
#ifndef TEST_BEHAVIOUR_PTX_TABLE_H
#define TEST_BEHAVIOUR_PTX_TABLE_H

#include <stdio.h>

#include "base/arena.h"
#include "base/strbuf.h"
#include "ptx_value.h"

#define TABLE_UNTOUCHED 0xa5a5a5a5a5a5a5a5ull

enum { TABLE_SLOT_BYTES = 8, MAX_RESULTS = 4, TABLE_RESULT_REGISTERS = 4 };

/* One result of a line: the register it is in, and what it must be. */
struct table_result {
    uint32_t line;
    char reg[16];
    struct value_type type;
    bool is_predicate;
    uint64_t expected;
    double tolerance; /* 0 = exactly */
    bool in_ulps;
};

struct table {
    struct table_result *results;
    uint32_t n, cap;
    struct strbuf ptx;
    bool bad; /* a line could not be understood; said on stderr */
};

static const char table_prologue[] =
    ".version 8.4 .target sm_90 .address_size 64 "
    ".visible .entry table(.param .u64 out, .param .u32 lanes) { "
    ".reg .pred %p<10>; .reg .pred %on; .reg .b16 %h<12>; .reg .b32 %r<16>; .reg .f32 %f<12>; "
    ".reg .b64 %rd<12>; .reg .f64 %d<12>; .reg .b32 %t<4>; .reg .b64 %out; "
    "ld.param.u64 %out, [out]; mov.u32 %t0, %tid.x; mov.u32 %t2, %laneid; "
    "ld.param.u32 %t1, [lanes]; shr.u32 %t1, %t1, %t2; and.b32 %t1, %t1, 1; "
    "setp.ne.u32 %on, %t1, 0; ";

/* Results begin as the pattern that lanes left out must still show. */
static void table_add_prologue(struct strbuf *out, uint32_t n_results)
{
    strbuf_add(out, table_prologue);
    strbuf_addf(out, "mad.wide.u32 %%out, %%t0, %u, %%out; ", n_results * TABLE_SLOT_BYTES);
    for (int i = 0; i < TABLE_RESULT_REGISTERS; i++)
        strbuf_addf(out,
                    "mov.b16 %%h%d, 0xa5a5; mov.b32 %%r%d, 0xa5a5a5a5; mov.b32 %%f%d, %%r%d; "
                    "mov.b64 %%rd%d, 0xa5a5a5a5a5a5a5a5; mov.b64 %%d%d, %%rd%d; "
                    "setp.ne.u32 %%p%d, 0, 0; ",
                    i, i, i, i, i, i, i, i);
}

static bool table_register_type(const char *reg, struct table_result *r)
{
    r->is_predicate = false;
    if (strncmp(reg, "%rd", 3) == 0)
        r->type = (struct value_type){'u', 8};
    else if (reg[1] == 'r')
        r->type = (struct value_type){'u', 4};
    else if (reg[1] == 'h')
        r->type = (struct value_type){'u', 2};
    else if (reg[1] == 'f')
        r->type = (struct value_type){'f', 4};
    else if (reg[1] == 'd')
        r->type = (struct value_type){'f', 8};
    else if (reg[1] == 'p')
        r->type = (struct value_type){'u', 4};
    else
        return false;
    r->is_predicate = reg[1] == 'p';
    return true;
}

/* The destinations: everything in the first operand, "%r0", "%p0|%p1" or "{%r0, %r1}". */
static uint32_t table_destinations(const char *inst, char names[MAX_RESULTS][16])
{
    uint32_t n = 0;
    const char *at = strchr(inst, ' ');
    const char *end = at ? at + strcspn(at, at[strspn(at, " ")] == '{' ? "}" : ",;") : NULL;
    while (at && (at = strchr(at, '%')) != NULL && at < end && n < MAX_RESULTS) {
        size_t len = 1 + strspn(at + 1, "abcdefghijklmnopqrstuvwxyz0123456789");
        if (len < sizeof names[0]) {
            memcpy(names[n], at, len);
            names[n++][len] = 0;
        }
        at += len;
    }
    return n;
}

/* "~ 2ulp" or "~ 1e-6" after a value. */
static const char *table_parse_tolerance(const char *text, struct table_result *r)
{
    text += strspn(text, " ");
    if (*text != '~')
        return text;
    char *end;
    r->tolerance = strtod(text + 1, &end);
    r->in_ulps = strncmp(end, "ulp", 3) == 0;
    return end + (r->in_ulps ? 3 : 0);
}

static bool table_add_results(struct table *t, uint32_t line, const char *inst, const char *values)
{
    char names[MAX_RESULTS][16];
    uint32_t n = table_destinations(inst, names);
    for (uint32_t i = 0; i < n; i++) {
        struct table_result r = {.line = line};
        memcpy(r.reg, names[i], sizeof r.reg);
        values += strspn(values, " ");
        if (!table_register_type(r.reg, &r) ||
            (values = value_parse(r.type, values, &r.expected)) == NULL)
            return false;
        values = table_parse_tolerance(values, &r);
        ARRAY_RESERVE(t->results, t->cap, t->n + 1);
        t->results[t->n++] = r;
    }
    values += strspn(values, " \n");
    return n > 0 && (*values == 0 || strncmp(values, "model", 5) == 0);
}

static void table_add_stores(struct table *t, uint32_t first)
{
    for (uint32_t i = first; i < t->n; i++) {
        const struct table_result *r = &t->results[i];
        if (r->is_predicate)
            strbuf_addf(&t->ptx, " selp.u32 %%t3, 1, 0, %s; st.global.u32 [%%out+%u], %%t3;",
                        r->reg, i * TABLE_SLOT_BYTES);
        else
            strbuf_addf(&t->ptx, " st.global.b%u [%%out+%u], %s;", r->type.bytes * 8,
                        i * TABLE_SLOT_BYTES, r->reg);
    }
}

static void table_add_line(struct table *t, uint32_t number, const char *line, size_t len)
{
    char text[512];
    if (len >= sizeof text) {
        t->bad = true;
        return;
    }
    memcpy(text, line, len);
    text[len] = 0;
    char *comment = strstr(text, "// = ");
    if (!comment) {
        strbuf_addf(&t->ptx, "%s\n", text);
        return;
    }
    *comment = 0;
    uint32_t first = t->n;
    const char *inst = text + strspn(text, " ");
    if (!table_add_results(t, number, inst, comment + 5)) {
        fprintf(stderr, "line %u: cannot make sense of '%s'\n", number, comment + 5);
        t->bad = true;
    }
    strbuf_addf(&t->ptx, "@%%on %s", inst);
    table_add_stores(t, first);
    strbuf_addf(&t->ptx, " /%s\n", comment + 1);
}

/* The kernel a table stands for. */
static void table_expand(struct table *t, const char *text)
{
    struct strbuf body = {0};
    uint32_t number = 1;
    for (const char *line = text; *line; number++) {
        size_t len = strcspn(line, "\n");
        table_add_line(t, number, line, len);
        line += len + (line[len] == '\n');
    }
    body = t->ptx;
    t->ptx = (struct strbuf){0};
    table_add_prologue(&t->ptx, t->n);
    strbuf_add(&t->ptx, strbuf_text(&body));
    strbuf_add(&t->ptx, "ret; }\n");
    strbuf_destroy(&body);
}

static void table_destroy(struct table *t)
{
    free(t->results);
    strbuf_destroy(&t->ptx);
}

/* Is the value a lane stored what the line promises? */
static bool table_result_holds(const struct table_result *r, uint64_t got)
{
    got = value_mask(r->type, got);
    if (r->tolerance == 0)
        return value_equal(r->type, got, r->expected);
    double x = value_to_double(r->type, got), y = value_to_double(r->type, r->expected);
    double unit = 1;
    if (r->in_ulps) {
        int exponent;
        frexp(y, &exponent);
        unit = ldexp(1, exponent - (r->type.bytes == 8 ? 53 : 24));
    }
    return fabs(x - y) <= r->tolerance * unit;
}

#endif
