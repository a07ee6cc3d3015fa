/* Rectangles of bytes in host memory and in buffers, and copies between them. */
#ifndef HEDDLE_ICD_REGION_H
#define HEDDLE_ICD_REGION_H

#include <stddef.h>
#include <stdint.h>

#include "icd/object.h"

struct byte_rect {
    char *base;
    size_t row_pitch, slice_pitch; /* bytes */
};

/* `bytes` is {bytes per row, rows, slices}. The caller must exclude overlapping copies. */
void rect_copy(struct byte_rect to, struct byte_rect from, const size_t bytes[3]);

/* One side of a rectangular command of a buffer. Zero pitches become the smallest; `*offset` is the
 * first byte, `*end` one past the last. CL_INVALID_VALUE if the values are not valid. */
cl_int rect_resolve(const size_t origin[3], const size_t region[3], size_t *row_pitch,
                    size_t *slice_pitch, size_t *offset, size_t *end);

#endif
