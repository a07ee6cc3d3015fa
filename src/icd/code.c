#include "icd/code.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

#define MAGIC "heddle-ocl 1 "

struct code *code_create(cl_program_binary_type type, struct strbuf *ir, struct strbuf *ptx)
{
    struct code *c = xcalloc(1, sizeof *c);
    c->refs = 1;
    c->type = type;
    if (type == CL_PROGRAM_BINARY_TYPE_EXECUTABLE) {
        ir_keep_kernels(ir, &c->ir);
        strbuf_destroy(ir);
    } else {
        c->ir = *ir;
    }
    c->ptx = *ptx;
    *ir = *ptx = (struct strbuf){0};
    ir_read_kernels(c);
    return c;
}

void code_retain(struct code *c)
{
    c->refs++;
}

void code_release(struct code *c)
{
    if (!c || --c->refs)
        return;
    strbuf_destroy(&c->ir);
    strbuf_destroy(&c->ptx);
    arena_destroy(&c->arena);
    free(c->kernels);
    free(c);
}

const struct kernel_info *code_find_kernel(const struct code *c, const char *name)
{
    for (uint32_t i = 0; i < c->n_kernels; i++)
        if (strcmp(c->kernels[i].name, name) == 0)
            return &c->kernels[i];
    return NULL;
}

void code_to_file(const struct code *c, struct strbuf *out)
{
    struct strbuf body = {0};
    char sum[HASH_TEXT_BYTES];
    strbuf_addf(&body, "type %u\nir %zu\nptx %zu\n\n", c->type, c->ir.len, c->ptx.len);
    strbuf_add_n(&body, strbuf_text(&c->ir), c->ir.len);
    strbuf_add_n(&body, strbuf_text(&c->ptx), c->ptx.len);
    hash_of(body.text, body.len, sum);
    strbuf_addf(out, MAGIC "%s\n", sum);
    strbuf_add_n(out, body.text, body.len);
    strbuf_destroy(&body);
}

/* Reads the header's numbers; returns where the texts begin, or NULL. */
static const char *read_header(const char *p, const char *end, unsigned *type, size_t *ir,
                               size_t *ptx)
{
    int n = 0;
    char head[128];
    size_t len = (size_t)(end - p) < sizeof head - 1 ? (size_t)(end - p) : sizeof head - 1;
    memcpy(head, p, len);
    head[len] = '\0';
    if (sscanf(head, "type %u\nir %zu\nptx %zu%n", type, ir, ptx, &n) != 3 || n == 0)
        return NULL;
    if (strncmp(head + n, "\n\n", 2) != 0)
        return NULL;
    size_t left = (size_t)(end - p) - (size_t)n - 2;
    return *ir <= left && *ptx == left - *ir ? p + n + 2 : NULL;
}

struct code *code_from_file(const unsigned char *bytes, size_t n)
{
    const char *p = (const char *)bytes, *end = p + n;
    const size_t head = strlen(MAGIC) + HASH_TEXT_BYTES; /* its line break takes the place of the
                                                          * sum's terminator */
    char sum[HASH_TEXT_BYTES];
    if (n < head || memcmp(p, MAGIC, strlen(MAGIC)) != 0)
        return NULL;
    hash_of(p + head, n - head, sum);
    if (memcmp(p + strlen(MAGIC), sum, HASH_TEXT_BYTES - 1) != 0)
        return NULL;
    unsigned type;
    size_t n_ir, n_ptx;
    const char *texts = read_header(p + head, end, &type, &n_ir, &n_ptx);
    if (!texts)
        return NULL;
    struct strbuf ir = {0}, ptx = {0};
    strbuf_add_n(&ir, texts, n_ir);
    strbuf_add_n(&ptx, texts + n_ir, n_ptx);
    return code_create(type, &ir, &ptx);
}
