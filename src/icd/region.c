#include "icd/region.h"

#include <string.h>

void rect_copy(struct byte_rect to, struct byte_rect from, const size_t bytes[3])
{
    for (size_t z = 0; z < bytes[2]; z++)
        for (size_t y = 0; y < bytes[1]; y++)
            memmove(to.base + z * to.slice_pitch + y * to.row_pitch,
                    from.base + z * from.slice_pitch + y * from.row_pitch, bytes[0]);
}

/* One past the last byte that three coordinates with these pitches reach; false if it overflows a
 * size_t. */
static bool end_of(const size_t at[3], size_t row_pitch, size_t slice_pitch, size_t *end)
{
    size_t rows, slices;
    return !__builtin_mul_overflow(at[1], row_pitch, &rows) &&
           !__builtin_mul_overflow(at[2], slice_pitch, &slices) &&
           !__builtin_add_overflow(at[0], rows, end) && !__builtin_add_overflow(*end, slices, end);
}

cl_int rect_resolve(const size_t origin[3], const size_t region[3], size_t *row_pitch,
                    size_t *slice_pitch, size_t *offset, size_t *end)
{
    size_t slice_bytes;
    if (!region[0] || !region[1] || !region[2])
        return CL_INVALID_VALUE;
    if (!*row_pitch)
        *row_pitch = region[0];
    if (*row_pitch < region[0] || __builtin_mul_overflow(region[1], *row_pitch, &slice_bytes))
        return CL_INVALID_VALUE;
    if (!*slice_pitch)
        *slice_pitch = slice_bytes;
    if (*slice_pitch < slice_bytes && (region[2] > 1 || *slice_pitch < *row_pitch))
        return CL_INVALID_VALUE;
    const size_t last[3] = {region[0], region[1] - 1, region[2] - 1};
    if (!end_of(origin, *row_pitch, *slice_pitch, offset) ||
        !end_of(last, *row_pitch, *slice_pitch, end) || __builtin_add_overflow(*offset, *end, end))
        return CL_INVALID_VALUE;
    return CL_SUCCESS;
}
