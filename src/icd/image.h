#ifndef HEDDLE_ICD_IMAGE_H
#define HEDDLE_ICD_IMAGE_H

#include "icd/memory.h"

/* What kernels receive for an image: the argument is its address. Little-endian, in this layout;
 * src/front's image functions read it. */
struct image_descriptor {
    uint64_t data;
    uint32_t width, height, depth, array_size; /* 1 if not present */
    uint32_t row_pitch, slice_pitch;           /* bytes */
    uint32_t channel_order, channel_type;      /* CL_* */
    uint32_t element_bytes, padding;
};

/* Bytes of an element; 0 if the format is not supported. */
size_t format_bytes(const cl_image_format *f);
/* Encodes a colour of clEnqueueFillImage() as an element. */
void format_encode(const cl_image_format *f, const void *colour, void *element);

bool mem_is_image(const void *object);
/* The image's extent in elements, rows (or layers of a 1D array) and slices (or layers). */
void image_extent(const struct _cl_mem *m, size_t extent[3]);
/* Bytes from one row to the next, where a layer of a 1D array counts as a row. */
size_t image_row_stride(const struct _cl_mem *m);
/* For host memory with the given pitches; zero means the smallest possible. */
void image_host_strides(const struct _cl_mem *m, const size_t region[3], size_t row_pitch,
                        size_t slice_pitch, size_t *row_stride, size_t *slice_stride);

#endif
