/* Files that a device writes while it runs: a trace, a time series, a store of results. */
#ifndef HEDDLE_ICD_LAUNCH_FILES_H
#define HEDDLE_ICD_LAUNCH_FILES_H

#include "icd/launch_log.h"

/* A file that gets its final name when it is complete. */
struct growing_file;

struct launch_files {
    struct growing_file *trace, *series_file;
    struct series *series;
    struct store *store;
};

void launch_files_begin(struct _cl_device_id *d);
/* One result: the kernel as workload, the command line as size, the number of the launch as
 * seed. */
void launch_files_store(struct _cl_device_id *d, const struct logged_launch *l,
                        const char *document);
/* Ends trace and series; `is_whole` = the trace can be replayed. */
void launch_files_end(struct _cl_device_id *d, bool is_whole);
void launch_files_close(struct _cl_device_id *d);

/* The program's command line as one text (launch_log.c). */
void launch_command_line(struct strbuf *out);

#endif
