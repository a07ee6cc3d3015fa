/* Entry points of features that this device does not have: shared virtual memory, pipes, native and
 * built-in kernels, intermediate languages, sub-groups, device queues, sharing with OpenGL and EGL.
 * Each returns what the specification requires in that case. */
#include <string.h>

#include "icd/queue.h"

static bool is_queue(cl_command_queue q)
{
    icd_lock();
    bool is = object_is(q, ICD_QUEUE);
    icd_unlock();
    return is;
}

static cl_int no_queue_feature(cl_command_queue q)
{
    return is_queue(q) ? CL_INVALID_OPERATION : CL_INVALID_COMMAND_QUEUE;
}

static cl_int no_context_feature(cl_context c)
{
    icd_lock();
    bool is = object_is(c, ICD_CONTEXT);
    icd_unlock();
    return is ? CL_INVALID_OPERATION : CL_INVALID_CONTEXT;
}

static cl_int no_kernel_feature(cl_kernel k)
{
    icd_lock();
    bool is = object_is(k, ICD_KERNEL);
    icd_unlock();
    return is ? CL_INVALID_OPERATION : CL_INVALID_KERNEL;
}

cl_int icd_clEnqueueNativeKernel(cl_command_queue q, void(CL_CALLBACK *function)(void *),
                                 void *args, size_t bytes, cl_uint n_mems, const cl_mem *mems,
                                 const void **places, cl_uint n, const cl_event *events,
                                 cl_event *event)
{
    (void)function, (void)args, (void)bytes, (void)n_mems, (void)mems, (void)places, (void)n;
    (void)events, (void)event;
    return no_queue_feature(q);
}

cl_program icd_clCreateProgramWithBuiltInKernels(cl_context c, cl_uint n,
                                                 const cl_device_id *devices, const char *names,
                                                 cl_int *errcode)
{
    cl_int code = no_context_feature(c);
    if (code == CL_INVALID_OPERATION)
        code = !devices || !n || !names ? CL_INVALID_VALUE : CL_INVALID_VALUE;
    return fail_with(errcode, code);
}

cl_program icd_clCreateProgramWithIL(cl_context c, const void *il, size_t bytes, cl_int *errcode)
{
    (void)il, (void)bytes;
    return fail_with(errcode, no_context_feature(c));
}

cl_int icd_clSetProgramSpecializationConstant(cl_program p, cl_uint id, size_t bytes,
                                              const void *value)
{
    (void)id, (void)bytes, (void)value;
    icd_lock();
    bool is = object_is(p, ICD_PROGRAM);
    icd_unlock();
    return is ? CL_INVALID_OPERATION : CL_INVALID_PROGRAM;
}

cl_int icd_clSetProgramReleaseCallback(cl_program p, void(CL_CALLBACK *call)(cl_program, void *),
                                       void *user)
{
    (void)call, (void)user;
    icd_lock();
    bool is = object_is(p, ICD_PROGRAM);
    icd_unlock();
    return is ? CL_INVALID_OPERATION : CL_INVALID_PROGRAM;
}

/* --- shared virtual memory --- */

void *icd_clSVMAlloc(cl_context c, cl_svm_mem_flags flags, size_t bytes, cl_uint alignment)
{
    (void)c, (void)flags, (void)bytes, (void)alignment;
    return NULL;
}

void icd_clSVMFree(cl_context c, void *pointer)
{
    (void)c, (void)pointer;
}

cl_int icd_clEnqueueSVMFree(cl_command_queue q, cl_uint n_pointers, void *pointers[],
                            void(CL_CALLBACK *call)(cl_command_queue, cl_uint, void *[], void *),
                            void *user, cl_uint n, const cl_event *events, cl_event *event)
{
    (void)n_pointers, (void)pointers, (void)call, (void)user, (void)n, (void)events, (void)event;
    return no_queue_feature(q);
}

cl_int icd_clEnqueueSVMMemcpy(cl_command_queue q, cl_bool blocking, void *to, const void *from,
                              size_t bytes, cl_uint n, const cl_event *events, cl_event *event)
{
    (void)blocking, (void)to, (void)from, (void)bytes, (void)n, (void)events, (void)event;
    return no_queue_feature(q);
}

cl_int icd_clEnqueueSVMMemFill(cl_command_queue q, void *to, const void *pattern,
                               size_t pattern_bytes, size_t bytes, cl_uint n,
                               const cl_event *events, cl_event *event)
{
    (void)to, (void)pattern, (void)pattern_bytes, (void)bytes, (void)n, (void)events, (void)event;
    return no_queue_feature(q);
}

cl_int icd_clEnqueueSVMMap(cl_command_queue q, cl_bool blocking, cl_map_flags flags, void *at,
                           size_t bytes, cl_uint n, const cl_event *events, cl_event *event)
{
    (void)blocking, (void)flags, (void)at, (void)bytes, (void)n, (void)events, (void)event;
    return no_queue_feature(q);
}

cl_int icd_clEnqueueSVMUnmap(cl_command_queue q, void *at, cl_uint n, const cl_event *events,
                             cl_event *event)
{
    (void)at, (void)n, (void)events, (void)event;
    return no_queue_feature(q);
}

cl_int icd_clEnqueueSVMMigrateMem(cl_command_queue q, cl_uint n_pointers, const void **pointers,
                                  const size_t *sizes, cl_mem_migration_flags flags, cl_uint n,
                                  const cl_event *events, cl_event *event)
{
    (void)n_pointers, (void)pointers, (void)sizes, (void)flags, (void)n, (void)events, (void)event;
    return no_queue_feature(q);
}

cl_int icd_clSetKernelArgSVMPointer(cl_kernel k, cl_uint i, const void *value)
{
    (void)i, (void)value;
    return no_kernel_feature(k);
}

cl_int icd_clSetKernelExecInfo(cl_kernel k, cl_kernel_exec_info param, size_t bytes,
                               const void *value)
{
    (void)param, (void)bytes, (void)value;
    return no_kernel_feature(k);
}

/* --- pipes, sub-groups, device queues --- */

cl_mem icd_clCreatePipe(cl_context c, cl_mem_flags flags, cl_uint packet, cl_uint most,
                        const cl_pipe_properties *properties, cl_int *errcode)
{
    (void)flags, (void)packet, (void)most, (void)properties;
    return fail_with(errcode, no_context_feature(c));
}

cl_int icd_clGetPipeInfo(cl_mem pipe, cl_pipe_info param, size_t size, void *value,
                         size_t *size_ret)
{
    (void)pipe, (void)param, (void)size, (void)value, (void)size_ret;
    return CL_INVALID_MEM_OBJECT;
}

cl_int icd_clGetKernelSubGroupInfo(cl_kernel k, cl_device_id d, cl_kernel_sub_group_info param,
                                   size_t input_size, const void *input, size_t size, void *value,
                                   size_t *size_ret)
{
    (void)d, (void)param, (void)input_size, (void)input, (void)size, (void)value, (void)size_ret;
    return no_kernel_feature(k);
}

cl_int icd_clGetKernelSubGroupInfoKHR(cl_kernel k, cl_device_id d, cl_kernel_sub_group_info param,
                                      size_t input_size, const void *input, size_t size,
                                      void *value, size_t *size_ret)
{
    return icd_clGetKernelSubGroupInfo(k, d, param, input_size, input, size, value, size_ret);
}

cl_int icd_clSetDefaultDeviceCommandQueue(cl_context c, cl_device_id d, cl_command_queue q)
{
    (void)d, (void)q;
    return no_context_feature(c);
}

/* --- the timer: simulated time, shared by host and device --- */

cl_int icd_clGetDeviceAndHostTimer(cl_device_id d, cl_ulong *device, cl_ulong *host)
{
    if (!object_is(d, ICD_DEVICE))
        return CL_INVALID_DEVICE;
    if (!device || !host)
        return CL_INVALID_VALUE;
    icd_lock();
    *device = *host = host_now_ns();
    icd_unlock();
    return CL_SUCCESS;
}

cl_int icd_clGetHostTimer(cl_device_id d, cl_ulong *host)
{
    cl_ulong device;
    return host ? icd_clGetDeviceAndHostTimer(d, &device, host) : CL_INVALID_VALUE;
}

/* --- OpenGL and EGL --- */

cl_mem icd_clCreateFromGLBuffer(cl_context c, cl_mem_flags flags, cl_GLuint object, int *errcode)
{
    (void)flags, (void)object;
    return fail_with(errcode, no_context_feature(c));
}

cl_mem icd_clCreateFromGLTexture(cl_context c, cl_mem_flags flags, cl_GLenum target, cl_GLint level,
                                 cl_GLuint texture, cl_int *errcode)
{
    (void)flags, (void)target, (void)level, (void)texture;
    return fail_with(errcode, no_context_feature(c));
}

cl_mem icd_clCreateFromGLTexture2D(cl_context c, cl_mem_flags flags, cl_GLenum target,
                                   cl_GLint level, cl_GLuint texture, cl_int *errcode)
{
    return icd_clCreateFromGLTexture(c, flags, target, level, texture, errcode);
}

cl_mem icd_clCreateFromGLTexture3D(cl_context c, cl_mem_flags flags, cl_GLenum target,
                                   cl_GLint level, cl_GLuint texture, cl_int *errcode)
{
    return icd_clCreateFromGLTexture(c, flags, target, level, texture, errcode);
}

cl_mem icd_clCreateFromGLRenderbuffer(cl_context c, cl_mem_flags flags, cl_GLuint object,
                                      cl_int *errcode)
{
    (void)flags, (void)object;
    return fail_with(errcode, no_context_feature(c));
}

static cl_int no_gl_object(cl_mem m)
{
    icd_lock();
    bool is = object_is(m, ICD_MEM);
    icd_unlock();
    return is ? CL_INVALID_GL_OBJECT : CL_INVALID_MEM_OBJECT;
}

cl_int icd_clGetGLObjectInfo(cl_mem m, cl_gl_object_type *type, cl_GLuint *name)
{
    (void)type, (void)name;
    return no_gl_object(m);
}

cl_int icd_clGetGLTextureInfo(cl_mem m, cl_gl_texture_info param, size_t size, void *value,
                              size_t *size_ret)
{
    (void)param, (void)size, (void)value, (void)size_ret;
    return no_gl_object(m);
}

cl_int icd_clEnqueueAcquireGLObjects(cl_command_queue q, cl_uint n_mems, const cl_mem *mems,
                                     cl_uint n, const cl_event *events, cl_event *event)
{
    (void)n_mems, (void)mems, (void)n, (void)events, (void)event;
    return no_queue_feature(q);
}

cl_int icd_clEnqueueReleaseGLObjects(cl_command_queue q, cl_uint n_mems, const cl_mem *mems,
                                     cl_uint n, const cl_event *events, cl_event *event)
{
    return icd_clEnqueueAcquireGLObjects(q, n_mems, mems, n, events, event);
}

cl_int icd_clGetGLContextInfoKHR(const cl_context_properties *properties, cl_gl_context_info param,
                                 size_t size, void *value, size_t *size_ret)
{
    (void)properties, (void)param, (void)size, (void)value, (void)size_ret;
    return CL_INVALID_GL_SHAREGROUP_REFERENCE_KHR;
}

cl_event icd_clCreateEventFromGLsyncKHR(cl_context c, cl_GLsync sync, cl_int *errcode)
{
    (void)sync;
    return fail_with(errcode, no_context_feature(c));
}

cl_mem icd_clCreateFromEGLImageKHR(cl_context c, CLeglDisplayKHR display, CLeglImageKHR image,
                                   cl_mem_flags flags,
                                   const cl_egl_image_properties_khr *properties, cl_int *errcode)
{
    (void)display, (void)image, (void)flags, (void)properties;
    return fail_with(errcode, no_context_feature(c));
}

cl_int icd_clEnqueueAcquireEGLObjectsKHR(cl_command_queue q, cl_uint n_mems, const cl_mem *mems,
                                         cl_uint n, const cl_event *events, cl_event *event)
{
    return icd_clEnqueueAcquireGLObjects(q, n_mems, mems, n, events, event);
}

cl_int icd_clEnqueueReleaseEGLObjectsKHR(cl_command_queue q, cl_uint n_mems, const cl_mem *mems,
                                         cl_uint n, const cl_event *events, cl_event *event)
{
    return icd_clEnqueueAcquireGLObjects(q, n_mems, mems, n, events, event);
}

cl_event icd_clCreateEventFromEGLSyncKHR(cl_context c, CLeglSyncKHR sync, CLeglDisplayKHR display,
                                         cl_int *errcode)
{
    (void)sync, (void)display;
    return fail_with(errcode, no_context_feature(c));
}
