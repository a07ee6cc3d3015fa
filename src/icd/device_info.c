/* Answers of clGetDeviceInfo(): the configuration's limits, and the specification's minimums where
 * a configuration has none. */
#include <string.h>

#include "icd/hetero.h"
#include "sm/carveout.h"

size_t device_max_group(const struct _cl_device_id *d)
{
    return d->hetero ? hetero_limit(d->hetero, CL_DEVICE_MAX_WORK_GROUP_SIZE)
                     : d->config->gpu->threads_per_cta;
}

uint64_t device_local_bytes(const struct _cl_device_id *d)
{
    return d->hetero
               ? hetero_limit(d->hetero, CL_DEVICE_LOCAL_MEM_SIZE)
               : carveout_largest(&d->config->sm.division, d->config->gpu->shared_bytes_per_cta);
}

uint64_t device_global_bytes(const struct _cl_device_id *d)
{
    return d->hetero ? hetero_limit(d->hetero, CL_DEVICE_GLOBAL_MEM_SIZE)
                     : d->config->host.global_bytes;
}

uint64_t device_max_alloc_bytes(const struct _cl_device_id *d)
{
    const uint64_t least = 128ull << 20;
    if (d->hetero)
        return hetero_limit(d->hetero, CL_DEVICE_MAX_MEM_ALLOC_SIZE);
    uint64_t quarter = device_global_bytes(d) / 4;
    return quarter > least ? quarter : least;
}

uint64_t device_transfer_ns(const struct _cl_device_id *d, uint64_t bytes)
{
    const struct host_config *h = &d->config->host;
    return h->pcie_latency_ns + (bytes * 1000 + h->pcie_mb_per_s - 1) / h->pcie_mb_per_s;
}

/* MODEL: an OpenCL copy within the device reads and writes every byte at the full bandwidth of
 * DRAM. */
uint64_t device_copy_ns(const struct _cl_device_id *d, uint64_t bytes)
{
    const struct machine_config *c = d->config;
    uint64_t mb_per_s =
        (uint64_t)c->dram.bus_bytes_per_cycle * c->run.dram_clock_mhz * c->memory.n_partitions;
    return (2 * bytes * 1000 + mb_per_s - 1) / mb_per_s;
}

static uint64_t l2_bytes(const struct machine_config *c)
{
    return (uint64_t)c->l2.n_sets * c->l2.n_ways * c->l2.line_bytes * c->memory.banks *
           c->memory.n_partitions;
}

static const cl_name_version opencl_c_versions[] = {
    {.version = CL_MAKE_VERSION(1, 0, 0), .name = "OpenCL C"},
    {.version = CL_MAKE_VERSION(1, 1, 0), .name = "OpenCL C"},
    {.version = CL_MAKE_VERSION(1, 2, 0), .name = "OpenCL C"},
    {.version = CL_MAKE_VERSION(3, 0, 0), .name = "OpenCL C"}, /* of an OpenCL 3.0 device */
};
static const cl_name_version opencl_c_features[] = {
    {.version = CL_MAKE_VERSION(3, 0, 0), .name = "__opencl_c_3d_image_writes"},
    {.version = CL_MAKE_VERSION(3, 0, 0), .name = "__opencl_c_fp64"},
    {.version = CL_MAKE_VERSION(3, 0, 0), .name = "__opencl_c_images"},
    {.version = CL_MAKE_VERSION(3, 0, 0), .name = "__opencl_c_int64"},
};

#define TEXT(text) info_text(text, size, value, size_ret)
#define UINT(x)    INFO(cl_uint, (cl_uint)(x))
#define ULONG(x)   INFO(cl_ulong, x)
#define SIZE(x)    INFO(size_t, x)
#define BOOL(x)    INFO(cl_bool, x)
#define EMPTY      info_answer(NULL, 0, size, value, size_ret)

static cl_int identity(const struct _cl_device_id *d, cl_device_info param, size_t size,
                       void *value, size_t *size_ret)
{
    bool is_12 = d->platform->settings.version == 120;
    const cl_name_version *versions;
    size_t n;
    switch (param) {
    case CL_DEVICE_TYPE:
        return INFO(cl_device_type, d->platform->settings.device_type);
    case CL_DEVICE_VENDOR_ID:
        return UINT(0x4844);
    case CL_DEVICE_NAME:
        return TEXT(strbuf_text(&d->name));
    case CL_DEVICE_VENDOR:
        return TEXT("Heddle");
    case CL_DRIVER_VERSION:
        return TEXT(heddle_version());
    case CL_DEVICE_PROFILE:
        return TEXT("FULL_PROFILE");
    case CL_DEVICE_VERSION:
        return TEXT(is_12 ? "OpenCL 1.2 Heddle" : "OpenCL 3.0 Heddle");
    case CL_DEVICE_NUMERIC_VERSION:
        return INFO(cl_version, is_12 ? CL_MAKE_VERSION(1, 2, 0) : CL_MAKE_VERSION(3, 0, 0));
    case CL_DEVICE_OPENCL_C_VERSION:
        return TEXT("OpenCL C 1.2 ");
    case CL_DEVICE_OPENCL_C_ALL_VERSIONS:
        return info_answer(opencl_c_versions,
                           sizeof opencl_c_versions - (is_12 ? sizeof *opencl_c_versions : 0), size,
                           value, size_ret);
    case CL_DEVICE_OPENCL_C_FEATURES:
        return info_answer(opencl_c_features, sizeof opencl_c_features, size, value, size_ret);
    case CL_DEVICE_LATEST_CONFORMANCE_VERSION_PASSED:
        return TEXT("v0000-00-00-00");
    case CL_DEVICE_EXTENSIONS:
        return TEXT(icd_extensions());
    case CL_DEVICE_EXTENSIONS_WITH_VERSION:
        versions = icd_extension_versions(&n);
        return info_answer(versions, n * sizeof *versions, size, value, size_ret);
    case CL_DEVICE_PLATFORM:
        return INFO(cl_platform_id, d->platform);
    case CL_DEVICE_IL_VERSION:
        return TEXT("");
    case CL_DEVICE_BUILT_IN_KERNELS:
        return TEXT("");
    case CL_DEVICE_ILS_WITH_VERSION:
    case CL_DEVICE_BUILT_IN_KERNELS_WITH_VERSION:
        return EMPTY;
    default:
        return CL_INVALID_VALUE;
    }
}

static cl_int execution(const struct _cl_device_id *d, cl_device_info param, size_t size,
                        void *value, size_t *size_ret)
{
    const struct gpu_config *gpu = d->config->gpu;
    size_t group = device_max_group(d);
    const size_t sizes[3] = {group, group, group};
    switch (param) {
    case CL_DEVICE_MAX_COMPUTE_UNITS:
        return UINT(gpu->n_sms);
    case CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS:
        return UINT(3);
    case CL_DEVICE_MAX_WORK_ITEM_SIZES:
        return info_answer(sizes, sizeof sizes, size, value, size_ret);
    case CL_DEVICE_MAX_WORK_GROUP_SIZE:
        return SIZE(group);
    case CL_DEVICE_PREFERRED_WORK_GROUP_SIZE_MULTIPLE:
        return SIZE(GPU_WARP_LANES);
    case CL_DEVICE_MAX_CLOCK_FREQUENCY:
        return UINT(gpu->core_clock_mhz);
    case CL_DEVICE_ADDRESS_BITS:
        return UINT(64);
    case CL_DEVICE_PREFERRED_VECTOR_WIDTH_CHAR:
    case CL_DEVICE_PREFERRED_VECTOR_WIDTH_SHORT:
    case CL_DEVICE_PREFERRED_VECTOR_WIDTH_INT:
    case CL_DEVICE_PREFERRED_VECTOR_WIDTH_LONG:
    case CL_DEVICE_PREFERRED_VECTOR_WIDTH_FLOAT:
    case CL_DEVICE_PREFERRED_VECTOR_WIDTH_DOUBLE:
    case CL_DEVICE_NATIVE_VECTOR_WIDTH_CHAR:
    case CL_DEVICE_NATIVE_VECTOR_WIDTH_SHORT:
    case CL_DEVICE_NATIVE_VECTOR_WIDTH_INT:
    case CL_DEVICE_NATIVE_VECTOR_WIDTH_LONG:
    case CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT:
    case CL_DEVICE_NATIVE_VECTOR_WIDTH_DOUBLE:
        return UINT(1);
    case CL_DEVICE_PREFERRED_VECTOR_WIDTH_HALF:
    case CL_DEVICE_NATIVE_VECTOR_WIDTH_HALF:
        return UINT(0);
    case CL_DEVICE_SINGLE_FP_CONFIG: /* some built-in functions flush subnormal results */
        return INFO(cl_device_fp_config, CL_FP_INF_NAN | CL_FP_ROUND_TO_NEAREST |
                                             CL_FP_ROUND_TO_ZERO | CL_FP_ROUND_TO_INF | CL_FP_FMA);
    case CL_DEVICE_DOUBLE_FP_CONFIG:
        return INFO(cl_device_fp_config, CL_FP_DENORM | CL_FP_INF_NAN | CL_FP_ROUND_TO_NEAREST |
                                             CL_FP_ROUND_TO_ZERO | CL_FP_ROUND_TO_INF | CL_FP_FMA);
    case CL_DEVICE_HALF_FP_CONFIG:
        return INFO(cl_device_fp_config, 0);
    case CL_DEVICE_ENDIAN_LITTLE:
    case CL_DEVICE_AVAILABLE:
    case CL_DEVICE_COMPILER_AVAILABLE:
    case CL_DEVICE_LINKER_AVAILABLE:
        return BOOL(CL_TRUE);
    case CL_DEVICE_EXECUTION_CAPABILITIES:
        return INFO(cl_device_exec_capabilities, CL_EXEC_KERNEL);
    case CL_DEVICE_QUEUE_ON_HOST_PROPERTIES:
        return INFO(cl_command_queue_properties,
                    CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE);
    case CL_DEVICE_PROFILING_TIMER_RESOLUTION:
        return SIZE(1);
    case CL_DEVICE_PREFERRED_INTEROP_USER_SYNC:
        return BOOL(CL_TRUE);
    case CL_DEVICE_PRINTF_BUFFER_SIZE:
        return SIZE((size_t)1 << 20);
    default:
        return CL_INVALID_VALUE;
    }
}

static cl_int memory(const struct _cl_device_id *d, cl_device_info param, size_t size, void *value,
                     size_t *size_ret)
{
    switch (param) {
    case CL_DEVICE_GLOBAL_MEM_SIZE:
        return ULONG(device_global_bytes(d));
    case CL_DEVICE_MAX_MEM_ALLOC_SIZE:
        return ULONG(device_max_alloc_bytes(d));
    case CL_DEVICE_GLOBAL_MEM_CACHE_TYPE:
        return INFO(cl_device_mem_cache_type, CL_READ_WRITE_CACHE);
    case CL_DEVICE_GLOBAL_MEM_CACHELINE_SIZE:
        return UINT(d->config->l2.line_bytes);
    case CL_DEVICE_GLOBAL_MEM_CACHE_SIZE:
        return ULONG(l2_bytes(d->config));
    case CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE:
        return ULONG(64 << 10);
    case CL_DEVICE_MAX_CONSTANT_ARGS:
        return UINT(16);
    case CL_DEVICE_LOCAL_MEM_TYPE:
        return INFO(cl_device_local_mem_type, CL_LOCAL);
    case CL_DEVICE_LOCAL_MEM_SIZE:
        return ULONG(device_local_bytes(d));
    case CL_DEVICE_ERROR_CORRECTION_SUPPORT:
    case CL_DEVICE_HOST_UNIFIED_MEMORY:
        return BOOL(CL_FALSE);
    case CL_DEVICE_MEM_BASE_ADDR_ALIGN:
        return UINT(BASE_ALIGN_BITS);
    case CL_DEVICE_MIN_DATA_TYPE_ALIGN_SIZE:
        return UINT(128);
    case CL_DEVICE_MAX_PARAMETER_SIZE:
        return SIZE(MAX_ARG_BYTES);
    case CL_DEVICE_IMAGE_SUPPORT:
        return BOOL(CL_TRUE);
    case CL_DEVICE_MAX_READ_IMAGE_ARGS:
        return UINT(MAX_READ_IMAGES);
    case CL_DEVICE_MAX_WRITE_IMAGE_ARGS:
        return UINT(MAX_WRITE_IMAGES);
    case CL_DEVICE_MAX_READ_WRITE_IMAGE_ARGS:
        return UINT(0);
    case CL_DEVICE_IMAGE2D_MAX_WIDTH:
    case CL_DEVICE_IMAGE2D_MAX_HEIGHT:
        return SIZE(MAX_IMAGE_SIDE);
    case CL_DEVICE_IMAGE3D_MAX_WIDTH:
    case CL_DEVICE_IMAGE3D_MAX_HEIGHT:
    case CL_DEVICE_IMAGE3D_MAX_DEPTH:
        return SIZE(MAX_IMAGE_SIDE_3D);
    case CL_DEVICE_IMAGE_MAX_BUFFER_SIZE:
        return SIZE(MAX_IMAGE_BUFFER);
    case CL_DEVICE_IMAGE_MAX_ARRAY_SIZE:
        return SIZE(MAX_IMAGE_LAYERS);
    case CL_DEVICE_IMAGE_PITCH_ALIGNMENT:
    case CL_DEVICE_IMAGE_BASE_ADDRESS_ALIGNMENT:
        return UINT(0);
    case CL_DEVICE_MAX_SAMPLERS:
        return UINT(MAX_SAMPLERS);
    default:
        return CL_INVALID_VALUE;
    }
}

/* Sub-devices and optional features of OpenCL 2 and 3, none of which exist here. */
static cl_int absences(const struct _cl_device_id *d, cl_device_info param, size_t size,
                       void *value, size_t *size_ret)
{
    switch (param) {
    case CL_DEVICE_PARENT_DEVICE:
        return INFO(cl_device_id, NULL);
    case CL_DEVICE_PARTITION_MAX_SUB_DEVICES:
    case CL_DEVICE_MAX_ON_DEVICE_QUEUES:
    case CL_DEVICE_MAX_ON_DEVICE_EVENTS:
    case CL_DEVICE_QUEUE_ON_DEVICE_PREFERRED_SIZE:
    case CL_DEVICE_QUEUE_ON_DEVICE_MAX_SIZE:
    case CL_DEVICE_MAX_PIPE_ARGS:
    case CL_DEVICE_PIPE_MAX_ACTIVE_RESERVATIONS:
    case CL_DEVICE_PIPE_MAX_PACKET_SIZE:
    case CL_DEVICE_PREFERRED_PLATFORM_ATOMIC_ALIGNMENT:
    case CL_DEVICE_PREFERRED_GLOBAL_ATOMIC_ALIGNMENT:
    case CL_DEVICE_PREFERRED_LOCAL_ATOMIC_ALIGNMENT:
    case CL_DEVICE_MAX_NUM_SUB_GROUPS:
        return UINT(0);
    case CL_DEVICE_PARTITION_PROPERTIES:
    case CL_DEVICE_PARTITION_TYPE:
        return INFO(cl_device_partition_property, 0);
    case CL_DEVICE_PARTITION_AFFINITY_DOMAIN:
        return INFO(cl_device_affinity_domain, 0);
    case CL_DEVICE_REFERENCE_COUNT:
        return UINT(1);
    case CL_DEVICE_QUEUE_ON_DEVICE_PROPERTIES:
        return INFO(cl_command_queue_properties, 0);
    case CL_DEVICE_SVM_CAPABILITIES:
        return INFO(cl_device_svm_capabilities, 0);
    case CL_DEVICE_MAX_GLOBAL_VARIABLE_SIZE:
    case CL_DEVICE_GLOBAL_VARIABLE_PREFERRED_TOTAL_SIZE:
        return SIZE(0);
    case CL_DEVICE_ATOMIC_MEMORY_CAPABILITIES:
        return INFO(cl_device_atomic_capabilities,
                    CL_DEVICE_ATOMIC_ORDER_RELAXED | CL_DEVICE_ATOMIC_SCOPE_WORK_GROUP);
    case CL_DEVICE_ATOMIC_FENCE_CAPABILITIES:
        return INFO(cl_device_atomic_capabilities, CL_DEVICE_ATOMIC_ORDER_RELAXED |
                                                       CL_DEVICE_ATOMIC_ORDER_ACQ_REL |
                                                       CL_DEVICE_ATOMIC_SCOPE_WORK_GROUP);
    case CL_DEVICE_NON_UNIFORM_WORK_GROUP_SUPPORT:
    case CL_DEVICE_WORK_GROUP_COLLECTIVE_FUNCTIONS_SUPPORT:
    case CL_DEVICE_GENERIC_ADDRESS_SPACE_SUPPORT:
    case CL_DEVICE_PIPE_SUPPORT:
    case CL_DEVICE_SUB_GROUP_INDEPENDENT_FORWARD_PROGRESS:
        return BOOL(CL_FALSE);
    case CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES:
        return INFO(cl_device_device_enqueue_capabilities, 0);
    default:
        (void)d;
        return CL_INVALID_VALUE;
    }
}

static cl_int nvidia(const struct _cl_device_id *d, cl_device_info param, size_t size, void *value,
                     size_t *size_ret)
{
    enum { /* defined by the extension, but not in OpenCL's headers */
           ASYNC_ENGINE_COUNT = 0x4007,
           PCI_BUS_ID = 0x4008,
           PCI_SLOT_ID = 0x4009,
           PCI_DOMAIN_ID = 0x400A
    };
    switch (param) {
    case CL_DEVICE_COMPUTE_CAPABILITY_MAJOR_NV:
        return UINT(3); /* the target that kernels are compiled for */
    case CL_DEVICE_COMPUTE_CAPABILITY_MINOR_NV:
        return UINT(5);
    case CL_DEVICE_REGISTERS_PER_BLOCK_NV:
        return UINT(d->config->gpu->registers_per_sm);
    case CL_DEVICE_WARP_SIZE_NV:
        return UINT(GPU_WARP_LANES);
    case CL_DEVICE_GPU_OVERLAP_NV:
        return BOOL(CL_TRUE);
    case ASYNC_ENGINE_COUNT:
        return UINT(2); /* a transfer in each direction besides a kernel */
    case PCI_BUS_ID:
    case PCI_SLOT_ID:
    case PCI_DOMAIN_ID:
        return UINT(0);
    case CL_DEVICE_KERNEL_EXEC_TIMEOUT_NV:
    case CL_DEVICE_INTEGRATED_MEMORY_NV:
        return BOOL(CL_FALSE);
    default:
        return CL_INVALID_VALUE;
    }
}

/* Limits that both targets of HeteroPDP have; the other ones are in functions above. */
static bool is_limit(cl_device_info param)
{
    switch (param) {
    case CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE:
    case CL_DEVICE_MAX_CONSTANT_ARGS:
    case CL_DEVICE_MAX_PARAMETER_SIZE:
    case CL_DEVICE_MAX_READ_IMAGE_ARGS:
    case CL_DEVICE_MAX_WRITE_IMAGE_ARGS:
    case CL_DEVICE_IMAGE2D_MAX_WIDTH:
    case CL_DEVICE_IMAGE2D_MAX_HEIGHT:
    case CL_DEVICE_IMAGE3D_MAX_WIDTH:
    case CL_DEVICE_IMAGE3D_MAX_HEIGHT:
    case CL_DEVICE_IMAGE3D_MAX_DEPTH:
    case CL_DEVICE_IMAGE_MAX_BUFFER_SIZE:
    case CL_DEVICE_IMAGE_MAX_ARRAY_SIZE:
    case CL_DEVICE_MAX_SAMPLERS:
        return true;
    default:
        return false;
    }
}

/* A target that has no images answers 0 for theirs, or nothing. */
static cl_int hetero_answer_limit(const struct _cl_device_id *d, cl_device_info param, size_t size,
                                  void *value, size_t *size_ret)
{
    cl_ulong own = 0;
    size_t bytes = 0;
    cl_int code = memory(d, param, sizeof own, &own, &bytes);
    cl_ulong least = hetero_limit(d->hetero, param);
    if (code == CL_SUCCESS && least && least < own)
        own = least;
    return code == CL_SUCCESS ? info_answer(&own, bytes, size, value, size_ret) : code;
}

cl_int icd_clGetDeviceInfo(cl_device_id d, cl_device_info param, size_t size, void *value,
                           size_t *size_ret)
{
    static cl_int (*const parts[])(const struct _cl_device_id *, cl_device_info, size_t, void *,
                                   size_t *) = {identity, execution, memory, absences, nvidia};
    if (!object_is(d, ICD_DEVICE))
        return CL_INVALID_DEVICE;
    size_t needed;
    if (d->hetero && is_limit(param))
        return hetero_answer_limit(d, param, size, value, size_ret);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (parts[i](d, param, 0, NULL, &needed) == CL_SUCCESS)
            return parts[i](d, param, size, value, size_ret);
    return CL_INVALID_VALUE;
}

/* CL_DEVICE_PARTITION_PROPERTIES names no partition, so every value of `properties` is invalid or
 * not supported; CL_DEVICE_PARTITION_FAILED is for a supported one that cannot be done. */
cl_int icd_clCreateSubDevices(cl_device_id d, const cl_device_partition_property *properties,
                              cl_uint num_devices, cl_device_id *out, cl_uint *num_out)
{
    (void)properties, (void)num_devices, (void)out, (void)num_out;
    return object_is(d, ICD_DEVICE) ? CL_INVALID_VALUE : CL_INVALID_DEVICE;
}

cl_int icd_clCreateSubDevicesEXT(cl_device_id d, const cl_device_partition_property_ext *properties,
                                 cl_uint num_entries, cl_device_id *out, cl_uint *num_out)
{
    return icd_clCreateSubDevices(d, (const void *)properties, num_entries, out, num_out);
}

/* The reference count of a root device does not change. */
cl_int icd_clRetainDevice(cl_device_id d)
{
    return object_is(d, ICD_DEVICE) ? CL_SUCCESS : CL_INVALID_DEVICE;
}

cl_int icd_clReleaseDevice(cl_device_id d)
{
    return icd_clRetainDevice(d);
}

cl_int icd_clRetainDeviceEXT(cl_device_id d)
{
    return icd_clRetainDevice(d);
}

cl_int icd_clReleaseDeviceEXT(cl_device_id d)
{
    return icd_clRetainDevice(d);
}
