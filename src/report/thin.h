/* A timeline of warps (analysis/timeline.h) thinned to what a page can show: of each so many cycles
 * of a warp slot the category that most of them have. The number of steps is bounded, so the room
 * it takes does not grow with the run; a short run is kept cycle by cycle. */
#ifndef HEDDLE_REPORT_THIN_H
#define HEDDLE_REPORT_THIN_H

#include "base/strbuf.h"
#include "heddle/heddle.h"

/* Reads the file of `heddle run --timeline` and adds a JSON object to `out`: sm, step, cycles,
 * categories, kernels and slots. Each slot has `runs`, [gap, length, category, ...] in steps. On
 * failure `error` says why. */
enum heddle_status thin_timeline(const char *path, struct strbuf *out, struct strbuf *error);

#endif
