/* What a PTX file contains and needs from a machine, without running it.
 *
 * As JSON, one object per file:
 *   {
 *     "file": "bfs.ptx", "version": "6.0", "target": "sm_35",
 *     "kernels": [{
 *       "name": "bfs", "kind": "entry" | "func",
 *       "registers": 24,        most 32-bit registers live at once, 64-bit values count 2
 *       "predicates": 5,        rows of the predicate file
 *       "shared_bytes": 4096,   static; of it and of the functions it reaches
 *       "local_bytes": 0,       per thread, without called functions
 *       "const_bytes": 0,       as shared_bytes
 *       "param_bytes": 48,
 *       "insts": 210,           static instructions
 *       "classes": {"int": 90, "fp32": 12, ...},   every class, see ptx_class_names
 *       "loops": 2, "max_loop_depth": 1,
 *       "barriers": 1,          bar and barrier; not bar.warp.sync
 *       "calls": 0,
 *       "unsupported": [{"line": 31, "text": "tex.2d...;", "why": "textures are not supported"}]
 *     }]
 *   }
 * Functions without a body are left out: their calls are reported instead. */
#ifndef HEDDLE_PTX_REPORT_H
#define HEDDLE_PTX_REPORT_H

#include "base/json.h"
#include "ptx/ptx.h"

struct ptx_func_report {
    const struct ptx_func *func;
    uint32_t registers, predicates;
    uint64_t shared_bytes, local_bytes, const_bytes, param_bytes;
    uint32_t classes[PTX_N_CLASSES];
    uint32_t n_loops, max_loop_depth, n_barriers, n_calls;
    struct ptx_unsupported {
        uint32_t line;
        const char *text, *why;
    } * unsupported; /* in program order */
    uint32_t n_unsupported;
};

/* Of one function with a body; texts live in the arena. */
struct ptx_func_report *ptx_report_func(const struct ptx_module *m, const struct ptx_func *f,
                                        struct arena *arena);

void ptx_report_text(const struct ptx_module *m, struct strbuf *out);
/* Writes one object, as the next item of `w`. */
void ptx_report_json(const struct ptx_module *m, struct json_writer *w);

#endif
