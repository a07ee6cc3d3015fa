#ifndef HEDDLE_ICD_MAP_H
#define HEDDLE_ICD_MAP_H

#include "icd/memory.h"

cl_int map_check_flags(const struct _cl_mem *m, cl_map_flags flags);
/* Enqueues a map whose values have been checked. Needs the lock and releases it. */
void *map_submit(cl_command_queue q, struct _cl_mem *m, const struct mapping *map,
                 cl_command_type type, bool is_blocking, cl_uint n_events, const cl_event *events,
                 cl_event *event, cl_int *errcode);
/* Copies the mapped part of an image between its device and its own host memory, if it has any. */
void map_image_exchange(const struct _cl_mem *m, const struct mapping *map,
                        const struct _cl_device_id *d, bool to_program);
/* The mapped part of an image has been read or written in the device (mem_touch()). */
void map_image_touch(const struct _cl_mem *m, const struct mapping *map,
                     const struct _cl_device_id *d, bool writes);

#endif
