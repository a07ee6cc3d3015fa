/* Records of launches: to files, and a summary at the end. */
#ifndef HEDDLE_ICD_LAUNCH_LOG_H
#define HEDDLE_ICD_LAUNCH_LOG_H

#include "icd/device.h"

/* All need the simulation's lock and must be called in the order of the launches. */
void launch_log_begin(struct _cl_device_id *d);
struct logged_launch {
    const char *kernel;
    const uint32_t *grid, *block;
    enum heddle_status status;
    uint64_t ns; /* simulated */
};
void launch_log_add(struct _cl_device_id *d, const struct logged_launch *l);
/* The machine is about to be rebuilt: its observers end here. */
void launch_log_cut(struct _cl_device_id *d);
/* The members that identify the run: version, command, process. */
struct json_writer;
void launch_json_origin(struct json_writer *w);
/* Appends a one-line document to the file with a single write, so that several processes may do
 * so. `what` it is, for the message if that fails. */
void launch_append_line(const char *path, const char *what, struct strbuf *text);
void launch_log_end(struct _cl_device_id *d);

#endif
