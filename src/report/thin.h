/* Thins a timeline of warps (analysis/timeline.h) to what a page can show: for each step of a fixed
 * number of cycles, the most frequent category of a warp slot. The number of steps is bounded, so
 * its size does not grow with the run; a short run is kept cycle by cycle. */
#ifndef HEDDLE_REPORT_THIN_H
#define HEDDLE_REPORT_THIN_H

#include "base/strbuf.h"
#include "heddle/heddle.h"

/* Reads the file of `heddle run --timeline` and adds a JSON object to `out`: sm, step, cycles,
 * categories, kernels and slots. Each slot has `runs`, [gap, length, category, ...] in steps. On
 * failure `error` says why. */
enum heddle_status thin_timeline(const char *path, struct strbuf *out, struct strbuf *error);

#endif
