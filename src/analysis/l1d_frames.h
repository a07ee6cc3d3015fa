/* Iterates over the frames of a recording. A frame is unpacked and its checksum verified before any
 * of its content is returned. A skipped frame counts in the checksum of the file only. Memory holds
 * only the current frame, packed, and some bytes after it. */
#ifndef HEDDLE_ANALYSIS_L1D_FRAMES_H
#define HEDDLE_ANALYSIS_L1D_FRAMES_H

#include <zstd.h>

#include "analysis/l1d_stream.h"

/* The message about a file that does not begin like a recording. */
#define L1D_IS_NONE                                                                                \
    "this is not a recording of an L1D (`heddle run --record-l1d`); --format reads other traces"

struct l1d_frames {
    int file;
    bool is_at_end;   /* the whole file has been read */
    uint8_t *packed;  /* bytes read: the current frame and what follows */
    size_t packed_at; /* offset of the next frame in `packed` */
    size_t n_packed, packed_cap;
    uint64_t packed_from;     /* offset in the file of the first byte of `packed` */
    uint64_t frame_at;        /* offset of the current frame in the file */
    uint64_t sum, sum_before; /* l1d_checksum.h: including the current frame, and excluding it */
    ZSTD_DCtx *zstd;
    uint8_t *content; /* of the current frame */
    size_t n_content, content_cap;
};

/* False, with the reason in `why`, if the file cannot be opened. Close it in any case. */
bool l1d_frames_open(struct l1d_frames *f, const char *path, struct strbuf *why);
void l1d_frames_close(struct l1d_frames *f);

/* Unpacks the next frame: EVENT if there is one, END at the end of the file. */
enum l1d_read l1d_frames_next(struct l1d_frames *f, struct strbuf *why);
/* The same without unpacking it: damage shows only in the checksum of all frames. */
enum l1d_read l1d_frames_skip(struct l1d_frames *f, struct strbuf *why);
/* Returns BAD, with that reason and the offset of the current frame. */
enum l1d_read l1d_frames_bad(const struct l1d_frames *f, struct strbuf *why, const char *what);

#endif
