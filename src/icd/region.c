#include "icd/region.h"

#include <string.h>

void rect_copy(struct byte_rect to, struct byte_rect from, const size_t bytes[3])
{
    for (size_t z = 0; z < bytes[2]; z++)
        for (size_t y = 0; y < bytes[1]; y++)
            memmove(to.base + z * to.slice_pitch + y * to.row_pitch,
                    from.base + z * from.slice_pitch + y * from.row_pitch, bytes[0]);
}

cl_int rect_resolve(const size_t origin[3], const size_t region[3], size_t *row_pitch,
                    size_t *slice_pitch, size_t *offset, size_t *end)
{
    if (!region[0] || !region[1] || !region[2])
        return CL_INVALID_VALUE;
    if (!*row_pitch)
        *row_pitch = region[0];
    if (*row_pitch < region[0])
        return CL_INVALID_VALUE;
    if (!*slice_pitch)
        *slice_pitch = region[1] * *row_pitch;
    if (*slice_pitch < region[1] * *row_pitch && region[2] > 1)
        return CL_INVALID_VALUE;
    if (*slice_pitch < *row_pitch && *slice_pitch < region[1] * *row_pitch)
        return CL_INVALID_VALUE;
    *offset = origin[2] * *slice_pitch + origin[1] * *row_pitch + origin[0];
    *end = *offset + (region[2] - 1) * *slice_pitch + (region[1] - 1) * *row_pitch + region[0];
    return CL_SUCCESS;
}
