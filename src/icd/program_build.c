/* Building, compiling and linking programs. One run of the compiler serves all devices: PTX is the
 * same for every GPU. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "front/front.h"
#include "front/scratch.h"
#include "icd/hetero.h"
#include "icd/program.h"

typedef void(CL_CALLBACK *build_callback)(cl_program, void *);

/* The output of one run of the compiler. */
struct build {
    const char *options;
    const struct strbuf *source; /* of a complete program; NULL if unknown */
    struct code *code;
    struct strbuf log;
    cl_int error; /* CL_SUCCESS, or what the call returns */
};

/* Invalid options have a separate error code. */
static cl_int error_of(const struct strbuf *log, cl_int failure, cl_int bad_options)
{
    const char *text = strbuf_text(log);
    bool options = strncmp(text, "build options:", 14) == 0 ||
                   strstr(text, "error: unknown argument") || strstr(text, "error: invalid value");
    return options ? bad_options : failure;
}

/* The error code for a failure. */
struct failure {
    cl_int of_source, of_options;
};
static const struct failure of_build = {CL_BUILD_PROGRAM_FAILURE, CL_INVALID_BUILD_OPTIONS};
static const struct failure of_compile = {CL_COMPILE_PROGRAM_FAILURE, CL_INVALID_COMPILER_OPTIONS};

/* A complete program is compiled as `heddle run` compiles it, to the same PTX; the IR only
 * describes its kernels. */
static void compile_source(const struct strbuf *source, bool is_whole, struct build *b,
                           const struct failure *failure)
{
    static const char name[] = "program.cl";
    struct strbuf ir = {0}, ptx = {0}, again = {0};
    const char *text = strbuf_text(source);
    enum heddle_status s = HEDDLE_OK;
    if (is_whole)
        s = front_compile(FRONT_OPENCL_C, name, text, source->len, b->options, &ptx, &b->log);
    if (s == HEDDLE_OK)
        s = front_compile_ir(name, text, source->len, b->options,
                             is_whole ? FRONT_IR_TO_DESCRIBE : FRONT_IR_TO_LINK, &ir,
                             is_whole ? &again : &b->log);
    if (s == HEDDLE_OK)
        b->code = code_create(is_whole ? CL_PROGRAM_BINARY_TYPE_EXECUTABLE
                                       : CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT,
                              &ir, &ptx);
    else
        b->error = s == HEDDLE_BAD_INPUT
                       ? error_of(&b->log, failure->of_source, failure->of_options)
                       : CL_COMPILER_NOT_AVAILABLE;
    strbuf_destroy(&ir);
    strbuf_destroy(&ptx);
    strbuf_destroy(&again);
}

/* Installs the result on one device of the program. Call it without the lock; the program is marked
 * as being built, so that nothing else uses it. */
static cl_int give_to_device(struct program_device *on, const struct build *b)
{
    struct heddle_module *module = NULL;
    struct target_program *targets = NULL;
    struct strbuf log = {0};
    bool ok = b->code != NULL;
    strbuf_add(&log, strbuf_text(&b->log));
    if (ok && b->code->type == CL_PROGRAM_BINARY_TYPE_EXECUTABLE)
        ok = program_load(on, b->code, &module, &log);
    if (module && on->device->hetero)
        targets = hetero_build(on->device, b->source, b->options, b->code);
    icd_lock();
    if (ok)
        code_retain(b->code);
    program_set_code(on, ok ? b->code : NULL);
    on->module = module;
    on->targets = targets;
    on->status = ok ? CL_BUILD_SUCCESS : CL_BUILD_ERROR;
    strbuf_clear(&on->options);
    strbuf_add(&on->options, b->options);
    strbuf_destroy(&on->log);
    on->log = log;
    icd_unlock();
    return ok ? CL_SUCCESS : b->error ? b->error : CL_BUILD_PROGRAM_FAILURE;
}

/* --- common checks: begin and end of a build --- */

static cl_int check_devices(const struct _cl_program *p, cl_uint n, const cl_device_id *devices)
{
    if ((n == 0) != (devices == NULL))
        return CL_INVALID_VALUE;
    for (cl_uint i = 0; i < n; i++)
        if (!program_on(p, devices[i]))
            return CL_INVALID_DEVICE;
    return CL_SUCCESS;
}

static cl_int begin(cl_program p, cl_uint n, const cl_device_id *devices, build_callback call,
                    const void *user)
{
    if (!object_is(p, ICD_PROGRAM))
        return CL_INVALID_PROGRAM;
    if (!call && user)
        return CL_INVALID_VALUE;
    cl_int code = check_devices(p, n, devices);
    if (code != CL_SUCCESS)
        return code;
    if (p->n_kernels || p->is_building)
        return CL_INVALID_OPERATION;
    p->is_building = true;
    object_retain(p);
    for (uint32_t i = 0; i < p->n_devices; i++)
        p->devices[i].status = CL_BUILD_IN_PROGRESS;
    return CL_SUCCESS;
}

static void end(cl_program p, build_callback call, void *user)
{
    icd_lock();
    p->is_building = false;
    for (uint32_t i = 0; i < p->n_devices; i++)
        if (p->devices[i].status == CL_BUILD_IN_PROGRESS)
            p->devices[i].status = p->devices[i].code ? CL_BUILD_SUCCESS : CL_BUILD_NONE;
    icd_unlock();
    if (call)
        call(p, user);
    icd_lock();
    program_release(p);
    icd_unlock();
}

static bool is_named(const struct program_device *on, cl_uint n, const cl_device_id *devices)
{
    for (cl_uint i = 0; i < n; i++)
        if (devices[i] == on->device)
            return true;
    return n == 0;
}

static cl_int give_to_devices(cl_program p, cl_uint n, const cl_device_id *devices,
                              const struct build *b)
{
    cl_int code = CL_SUCCESS;
    for (uint32_t i = 0; i < p->n_devices; i++) {
        if (!is_named(&p->devices[i], n, devices))
            continue;
        cl_int one = give_to_device(&p->devices[i], b);
        code = code == CL_SUCCESS ? one : code;
    }
    return code;
}

/* --- entry points --- */

/* A program created from a binary is already built and only needs to be loaded. */
static cl_int build_binary(cl_program p, cl_uint n, const cl_device_id *devices,
                           const char *options)
{
    cl_int code = CL_SUCCESS;
    for (uint32_t i = 0; i < p->n_devices; i++) {
        struct program_device *on = &p->devices[i];
        struct build b = {.options = options, .code = on->code};
        if (!is_named(on, n, devices))
            continue;
        if (!on->code || on->code->type != CL_PROGRAM_BINARY_TYPE_EXECUTABLE)
            return CL_INVALID_BINARY;
        cl_int one = give_to_device(on, &b);
        code = code == CL_SUCCESS ? one : code;
    }
    return code;
}

cl_int icd_clBuildProgram(cl_program p, cl_uint n, const cl_device_id *devices, const char *options,
                          build_callback call, void *user)
{
    icd_lock();
    cl_int code = begin(p, n, devices, call, user);
    icd_unlock();
    if (code != CL_SUCCESS)
        return code;
    if (p->has_source) {
        struct build b = {.options = options ? options : "", .source = &p->source};
        compile_source(&p->source, true, &b, &of_build);
        code = give_to_devices(p, n, devices, &b);
        icd_lock();
        code_release(b.code);
        icd_unlock();
        strbuf_destroy(&b.log);
    } else {
        code = build_binary(p, n, devices, options ? options : "");
    }
    end(p, call, user);
    return code;
}

/* Writes the headers of clCompileProgram() into a folder. */
static bool write_headers(const char *folder, cl_uint n, const cl_program *headers,
                          const char **names, struct strbuf *log)
{
    struct strbuf path = {0};
    bool ok = true;
    for (cl_uint i = 0; ok && i < n; i++) {
        strbuf_clear(&path);
        strbuf_addf(&path, "%s/%s", folder, names[i]);
        ok = !strstr(names[i], "..") &&
             scratch_write(strbuf_text(&path), strbuf_text(&headers[i]->source),
                           headers[i]->source.len);
        if (!ok)
            strbuf_addf(log, "header %s: cannot be written: %s\n", names[i], strerror(errno));
    }
    strbuf_destroy(&path);
    return ok;
}

static void compile_with_headers(cl_program p, struct build *b, cl_uint n_headers,
                                 const cl_program *headers, const char **names)
{
    struct arena arena = {0};
    const char *folder = scratch_make(&arena, &b->log), *options = b->options;
    if (folder && write_headers(folder, n_headers, headers, names, &b->log)) {
        b->options = arena_printf(&arena, "%s -I '%s'", options, folder);
        compile_source(&p->source, false, b, &of_compile);
        b->options = options;
    } else {
        b->error = CL_COMPILE_PROGRAM_FAILURE;
    }
    if (folder)
        scratch_remove(folder);
    arena_destroy(&arena);
}

static cl_int check_headers(cl_uint n, const cl_program *headers, const char **names)
{
    if ((n == 0) != (headers == NULL) || (n == 0) != (names == NULL))
        return CL_INVALID_VALUE;
    for (cl_uint i = 0; i < n; i++) {
        if (!object_is(headers[i], ICD_PROGRAM))
            return CL_INVALID_PROGRAM;
        if (!headers[i]->has_source)
            return CL_INVALID_OPERATION;
        if (!names[i])
            return CL_INVALID_VALUE;
    }
    return CL_SUCCESS;
}

cl_int icd_clCompileProgram(cl_program p, cl_uint n, const cl_device_id *devices,
                            const char *options, cl_uint n_headers, const cl_program *headers,
                            const char **names, build_callback call, void *user)
{
    icd_lock();
    cl_int code = check_headers(n_headers, headers, names);
    if (code == CL_SUCCESS && object_is(p, ICD_PROGRAM) && !p->has_source)
        code = CL_INVALID_OPERATION;
    if (code == CL_SUCCESS)
        code = begin(p, n, devices, call, user);
    icd_unlock();
    if (code != CL_SUCCESS)
        return code;
    struct build b = {.options = options ? options : ""};
    if (n_headers)
        compile_with_headers(p, &b, n_headers, headers, names);
    else
        compile_source(&p->source, false, &b, &of_compile);
    code = give_to_devices(p, n, devices, &b);
    icd_lock();
    code_release(b.code);
    icd_unlock();
    strbuf_destroy(&b.log);
    end(p, call, user);
    return code;
}

/* --- linking --- */

static cl_int read_link_options(const char *options, bool *is_library)
{
    static const char *const known[] = {"-create-library",
                                        "-enable-link-options",
                                        "-cl-denorms-are-zero",
                                        "-cl-no-signed-zeroes",
                                        "-cl-unsafe-math-optimizations",
                                        "-cl-finite-math-only",
                                        "-cl-fast-relaxed-math",
                                        "-cl-no-subgroup-ifp"};
    cl_int code = CL_SUCCESS;
    char *copy = strdup(options), *save = NULL;
    *is_library = false;
    for (char *word = strtok_r(copy, " \t", &save); word; word = strtok_r(NULL, " \t", &save)) {
        bool found = false;
        for (size_t i = 0; i < sizeof known / sizeof *known; i++)
            found |= strcmp(known[i], word) == 0;
        *is_library |= strcmp(word, "-create-library") == 0;
        if (!found)
            code = CL_INVALID_LINKER_OPTIONS;
    }
    free(copy);
    return code;
}

static cl_int check_pieces(cl_context context, cl_uint n_devices, const cl_device_id *devices,
                           cl_uint n, const cl_program *pieces)
{
    if (!object_is(context, ICD_CONTEXT))
        return CL_INVALID_CONTEXT;
    if ((n_devices == 0) != (devices == NULL) || n == 0 || !pieces)
        return CL_INVALID_VALUE;
    if (!context_has_devices(context, n_devices, devices))
        return CL_INVALID_DEVICE;
    for (cl_uint i = 0; i < n; i++)
        if (!object_is(pieces[i], ICD_PROGRAM))
            return CL_INVALID_PROGRAM;
    for (cl_uint i = 0; i < n; i++) {
        const struct code *code = pieces[i]->devices[0].code;
        if (!code || (code->type != CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT &&
                      code->type != CL_PROGRAM_BINARY_TYPE_LIBRARY))
            return CL_INVALID_OPERATION;
    }
    return CL_SUCCESS;
}

static void link_pieces(const struct strbuf *irs, cl_uint n, bool is_library, struct build *b)
{
    struct strbuf ir = {0}, ptx = {0};
    enum heddle_status s = front_ir_link(irs, n, &ir, &b->log);
    if (s == HEDDLE_OK && !is_library)
        s = front_ir_to_ptx(&ir, &ptx, &b->log);
    if (s == HEDDLE_OK)
        b->code = code_create(is_library ? CL_PROGRAM_BINARY_TYPE_LIBRARY
                                         : CL_PROGRAM_BINARY_TYPE_EXECUTABLE,
                              &ir, &ptx);
    else
        b->error = s == HEDDLE_BAD_INPUT ? CL_LINK_PROGRAM_FAILURE : CL_LINKER_NOT_AVAILABLE;
    strbuf_destroy(&ir);
    strbuf_destroy(&ptx);
}

cl_program icd_clLinkProgram(cl_context context, cl_uint n_devices, const cl_device_id *devices,
                             const char *options, cl_uint n, const cl_program *pieces,
                             build_callback call, void *user, cl_int *errcode)
{
    struct build b = {.options = options ? options : ""};
    bool is_library = false;
    struct _cl_program *p = NULL;
    icd_lock();
    cl_int code = check_pieces(context, n_devices, devices, n, pieces);
    if (code == CL_SUCCESS && !call && user)
        code = CL_INVALID_VALUE;
    if (code == CL_SUCCESS)
        code = read_link_options(b.options, &is_library);
    struct strbuf *irs = NULL;
    if (code == CL_SUCCESS) {
        p = program_create(context, devices ? devices : context->devices,
                           devices ? n_devices : context->n_devices);
        object_retain(p); /* released after the callback */
        p->is_building = true;
        irs = xcalloc(n, sizeof *irs);
        for (cl_uint i = 0; i < n; i++) {
            const struct strbuf *ir = &pieces[i]->devices[0].code->ir;
            strbuf_add_n(&irs[i], strbuf_text(ir), ir->len);
        }
    }
    icd_unlock();
    if (!p)
        return fail_with(errcode, code);
    link_pieces(irs, n, is_library, &b);
    code = give_to_devices(p, 0, NULL, &b);
    icd_lock();
    code_release(b.code);
    icd_unlock();
    strbuf_destroy(&b.log);
    for (cl_uint i = 0; i < n; i++)
        strbuf_destroy(&irs[i]);
    free(irs);
    end(p, call, user);
    fail_with(errcode, code == CL_BUILD_PROGRAM_FAILURE ? CL_LINK_PROGRAM_FAILURE : code);
    return p;
}
