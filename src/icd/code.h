/* A compiled program: IR that describes its kernels, and PTX if it is complete. As a file
 * (CL_PROGRAM_BINARIES) it is
 *
 *     heddle-ocl 1 SHA256-OF-ALL-THAT-FOLLOWS
 *     type NUMBER      CL_PROGRAM_BINARY_TYPE_*
 *     ir BYTES
 *     ptx BYTES
 *     (empty line, then the IR and the PTX)
 *
 * The IR of a complete program is reduced to what describes its kernels. */
#ifndef HEDDLE_ICD_CODE_H
#define HEDDLE_ICD_CODE_H

#include "base/arena.h"
#include "base/strbuf.h"
#include "icd/object.h"

enum arg_kind { ARG_VALUE, ARG_BUFFER, ARG_LOCAL, ARG_IMAGE, ARG_SAMPLER };

struct arg_info {
    enum arg_kind kind;
    cl_kernel_arg_address_qualifier address;
    cl_kernel_arg_access_qualifier access;
    cl_kernel_arg_type_qualifier qualifiers;
    const char *type, *name;  /* "" if unknown */
    cl_mem_object_type image; /* for an image: its kind */
};

struct kernel_info {
    const char *name;
    uint32_t n_args;
    struct arg_info *args;
    size_t required_group[3]; /* zeros: any */
    const char *attributes;   /* in the format of CL_KERNEL_ATTRIBUTES */
};

struct code {
    uint32_t refs;
    cl_program_binary_type type;
    struct strbuf ir, ptx;
    struct arena arena;
    struct kernel_info *kernels;
    uint32_t n_kernels;
};

/* Takes ownership of the texts. */
struct code *code_create(cl_program_binary_type type, struct strbuf *ir, struct strbuf *ptx);
/* NULL if the bytes are not a Heddle program, or are damaged. */
struct code *code_from_file(const unsigned char *bytes, size_t n);
void code_to_file(const struct code *c, struct strbuf *out);
void code_retain(struct code *c);
void code_release(struct code *c); /* NULL is fine */
const struct kernel_info *code_find_kernel(const struct code *c, const char *name);

/* Reads the kernels of a module from its IR (ir_kernels.c). */
void ir_read_kernels(struct code *c);
/* The lines that ir_read_kernels() reads. */
void ir_keep_kernels(const struct strbuf *ir, struct strbuf *out);

#endif
