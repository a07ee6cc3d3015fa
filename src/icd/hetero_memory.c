/* Copies of memory objects in the targets of HeteroPDP. */
#include <stdlib.h>

#include "base/arena.h"
#include "icd/hetero.h"
#include "icd/image.h"

static struct target_copies *copies_of(struct _cl_mem *m)
{
    if (!m->targets) {
        m->targets = xcalloc(1, sizeof *m->targets);
        m->targets->valid = HETERO_HOST;
    }
    return m->targets;
}

/* --- creation --- */

static cl_mem create_image(struct _cl_mem *m, struct target *t, cl_mem parent, cl_int *code)
{
    cl_image_desc desc = m->desc;
    desc.image_row_pitch = desc.image_slice_pitch = 0;
    desc.mem_object = parent;
    return t->cl->clCreateImage(t->context, parent ? 0 : CL_MEM_READ_WRITE, &m->format, &desc, NULL,
                                code);
}

/* A part of a buffer, or an image in one, is the same part of the parent's copy. */
static cl_mem create_view(struct _cl_mem *m, struct target *t, cl_int *code)
{
    cl_mem parent;
    *code = hetero_place(m->parent, t, &parent);
    if (*code != CL_SUCCESS)
        return NULL;
    if (m->type != CL_MEM_OBJECT_BUFFER)
        return create_image(m, t, parent, code);
    cl_buffer_region region = {m->origin, m->bytes};
    return t->cl->clCreateSubBuffer(parent, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION,
                                    &region, code);
}

static cl_mem create_copy(struct _cl_mem *m, struct target *t, cl_int *code)
{
    if (m->parent)
        return create_view(m, t, code);
    if (m->type != CL_MEM_OBJECT_BUFFER)
        return create_image(m, t, NULL, code);
    return t->cl->clCreateBuffer(t->context, CL_MEM_READ_WRITE, m->bytes, NULL, code);
}

cl_int hetero_place(struct _cl_mem *m, struct target *t, cl_mem *out)
{
    cl_mem *copy = &copies_of(m)->of[t->which];
    cl_int code = CL_SUCCESS;
    if (!*copy)
        *copy = create_copy(m, t, &code);
    *out = *copy;
    return code;
}

/* --- transfers --- */

static cl_int enqueue_buffer(struct _cl_mem *root, struct target *t, cl_mem copy, char *host,
                             bool to_target, cl_event *event)
{
    return to_target ? t->cl->clEnqueueWriteBuffer(t->queue, copy, CL_FALSE, 0, root->bytes, host,
                                                   0, NULL, event)
                     : t->cl->clEnqueueReadBuffer(t->queue, copy, CL_FALSE, 0, root->bytes, host, 0,
                                                  NULL, event);
}

static cl_int enqueue_image(struct _cl_mem *root, struct target *t, cl_mem copy, char *host,
                            bool to_target, cl_event *event)
{
    const size_t origin[3] = {0, 0, 0};
    size_t extent[3];
    image_extent(root, extent);
    size_t row = root->row_pitch;
    bool has_slices = root->type == CL_MEM_OBJECT_IMAGE3D ||
                      root->type == CL_MEM_OBJECT_IMAGE2D_ARRAY ||
                      root->type == CL_MEM_OBJECT_IMAGE1D_ARRAY;
    size_t slice = has_slices ? root->slice_pitch : 0;
    return to_target ? t->cl->clEnqueueWriteImage(t->queue, copy, CL_FALSE, origin, extent, row,
                                                  slice, host, 0, NULL, event)
                     : t->cl->clEnqueueReadImage(t->queue, copy, CL_FALSE, origin, extent, row,
                                                 slice, host, 0, NULL, event);
}

static cl_int exchange(struct _cl_device_id *d, struct _cl_mem *root, struct target *t,
                       bool to_target, uint64_t *ns)
{
    cl_event event = NULL;
    cl_mem copy;
    char *host = mem_pointer(root, d);
    cl_int code = hetero_place(root, t, &copy);
    if (code != CL_SUCCESS)
        return code;
    code = root->type == CL_MEM_OBJECT_BUFFER
               ? enqueue_buffer(root, t, copy, host, to_target, &event)
               : enqueue_image(root, t, copy, host, to_target, &event);
    return code == CL_SUCCESS ? target_wait(t, event, ns, NULL) : code;
}

cl_int hetero_bring_home(struct _cl_device_id *d, struct _cl_mem *m, bool writes, uint64_t *ns)
{
    struct _cl_mem *root = mem_root(m);
    cl_int code = CL_SUCCESS;
    if (!root->targets)
        return code;
    struct target_copies *copies = root->targets;
    for (int t = 0; t < HETERO_N_TARGETS && !(copies->valid & HETERO_HOST); t++) {
        if (!(copies->valid >> t & 1))
            continue;
        code = exchange(d, root, &d->hetero->targets[t], false, ns);
        if (code == CL_SUCCESS)
            copies->valid |= HETERO_HOST;
    }
    if (writes)
        copies->valid = HETERO_HOST;
    return code;
}

cl_int hetero_bring(struct _cl_device_id *d, struct _cl_mem *m, struct target *t, uint64_t *ns)
{
    struct _cl_mem *root = mem_root(m);
    struct target_copies *copies = copies_of(root);
    if (copies->valid >> t->which & 1)
        return CL_SUCCESS;
    cl_int code = hetero_bring_home(d, root, false, ns);
    if (code == CL_SUCCESS)
        code = exchange(d, root, t, true, ns);
    if (code == CL_SUCCESS)
        copies->valid |= 1u << t->which;
    return code;
}

void hetero_wrote(struct _cl_mem *m, const struct target *t, bool has_failed)
{
    uint32_t *valid = &mem_root(m)->targets->valid;
    *valid = has_failed ? *valid & ~(1u << t->which) : 1u << t->which;
}

bool hetero_is_lost(const struct _cl_mem *m)
{
    const struct target_copies *copies = mem_root(m)->targets;
    return copies && copies->valid == 0;
}
