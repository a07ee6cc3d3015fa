/* An experiment as a file: axes whose product is a set of points, and filters. See
 * doc/experiments.md for the format. */
#ifndef HEDDLE_LAB_SPEC_H
#define HEDDLE_LAB_SPEC_H

#include "lab/point.h"
#include "lab/yaml_doc.h"

enum { SPEC_MAX_POINTS = 100000 };

/* Values from the command line that replace those of the file; NULL = the file's. */
struct spec_changes {
    const char *size;
    const char *gpu;
    /* Workloads, schedulers and policies that do not exist are noted instead of reported as errors,
     * and their points are left out: for figures of papers. */
    bool notes_missing;
};

/* A zeroed struct is empty and valid. */
struct spec {
    struct arena arena;
    struct point *points;
    uint32_t n_points;
    const char **plugins;
    uint32_t n_plugins;
    struct file_marks *files; /* on which the keys of its points depend */
    uint64_t max_cycles;
    uint32_t measures; /* parts of locality.h that its runs measure */
    bool attribute;    /* attribute the cycles of warps */
    bool per_pc;       /* and count loads and stores at L1D per instruction */
    uint64_t series_cycles;
    const char *series_columns;
    const char **missing; /* "workload 'memc'" */
    uint32_t n_missing, cap_missing;
};

/* Reads the map `node` of a tree. False on errors, which are in the tree's diags. Loads the
 * plug-ins that it names. Does not make the keys of points. */
bool spec_read(struct spec *s, struct yaml_doc *d, yaml_node_t *node,
               const struct spec_changes *changes);
void spec_destroy(struct spec *s);

/* Points and keys of a whole file; the text must outlive the spec's points. */
enum heddle_status spec_load(struct spec *s, const char *file, const char *text,
                             const struct spec_changes *changes, struct diag_list *diags);

struct point_context spec_context(const struct spec *s, const char *file, const char *text);

#endif
