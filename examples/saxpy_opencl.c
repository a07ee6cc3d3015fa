/* An OpenCL program like any other: it knows nothing of Heddle.
 *     heddle exec --summary -- ./saxpy_opencl */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 1 << 16 };

static const char *source = "kernel void saxpy(float a, global const float *x, global float *y)\n"
                            "{ size_t i = get_global_id(0); y[i] = a * x[i] + y[i]; }\n";

static void check(cl_int code, const char *what)
{
    if (code == CL_SUCCESS)
        return;
    fprintf(stderr, "%s: error %d\n", what, code);
    exit(1);
}

int main(void)
{
    static float x[N], y[N];
    cl_platform_id platform;
    cl_device_id device;
    cl_int code;
    char name[128];
    check(clGetPlatformIDs(1, &platform, NULL), "platform");
    check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_GPU, 1, &device, NULL), "device");
    check(clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof name, name, NULL), "name");
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &code);
    check(code, "context");
    cl_command_queue queue =
        clCreateCommandQueue(context, device, CL_QUEUE_PROFILING_ENABLE, &code);
    check(code, "queue");
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &code);
    check(clBuildProgram(program, 1, &device, "", NULL, NULL), "build");
    cl_kernel kernel = clCreateKernel(program, "saxpy", &code);
    check(code, "kernel");
    for (int i = 0; i < N; i++) {
        x[i] = (float)i;
        y[i] = 1;
    }
    cl_mem mx = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof x, x, &code);
    cl_mem my = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof y, y, &code);
    const float a = 2;
    const size_t global = N;
    cl_event event;
    clSetKernelArg(kernel, 0, sizeof a, &a);
    clSetKernelArg(kernel, 1, sizeof mx, &mx);
    clSetKernelArg(kernel, 2, sizeof my, &my);
    check(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, NULL, 0, NULL, &event), "launch");
    check(clEnqueueReadBuffer(queue, my, CL_TRUE, 0, sizeof y, y, 0, NULL, NULL), "read");
    cl_ulong start, end;
    clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof start, &start, NULL);
    clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof end, &end, NULL);
    printf("%s: y[%d] = %g, %.1f us\n", name, N - 1, (double)y[N - 1],
           (double)(end - start) / 1000);
    clReleaseEvent(event);
    clReleaseMemObject(mx);
    clReleaseMemObject(my);
    clReleaseKernel(kernel);
    clReleaseProgram(program);
    clReleaseCommandQueue(queue);
    clReleaseContext(context);
    return y[N - 1] == 2.0f * (N - 1) + 1 ? 0 : 1;
}
