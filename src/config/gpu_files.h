/* Where the settings of a GPU come from: a shipped configuration or a file, and its base.
 *
 * `base: NAME` in a file names the configuration it starts from: a shipped one, or another file,
 * relative to the one that names it. A base may have a base. A file's own settings override those
 * of its base. Name and description are never inherited. */
#ifndef HEDDLE_CONFIG_GPU_FILES_H
#define HEDDLE_CONFIG_GPU_FILES_H

#include "config/settings.h"

/* Is it the path of a file rather than the name of a shipped GPU? It contains a '/', or ends in
 * .yaml or .yml. */
bool gpu_is_file(const char *name);

/* Adds the settings of a shipped GPU or a file, after those of its bases. False on errors, which
 * are in `diags`. */
bool gpu_files_read(struct settings *s, const char *name_or_path, struct diag_list *diags);

/* Calls `told` for the file of a GPU and those of its bases; for none if it is a shipped one. */
void gpu_files_list(const char *name_or_path, void (*told)(void *user, const char *path),
                    void *user);

#endif
