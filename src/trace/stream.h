/* The stream of one warp: answers to the questions of trace_op.h, in the order of execution.
 *
 * It is cut into pieces, so that neither side needs all of it at once. A piece is a number of
 * answers that are as the model expects, then an answer that is not, and so on; it ends with such a
 * number. An answer never lies in two pieces. doc/traces.md has the bytes. */
#ifndef HEDDLE_TRACE_STREAM_H
#define HEDDLE_TRACE_STREAM_H

#include "trace/bytes.h"
#include "trace/model.h"

/* How a guard's or a set of lanes that is not expected is written. */
enum lanes_form { LANES_ALL, LANES_NONE, LANES_SOME };

/* How addresses that are not expected are written: low bits of their first byte. */
enum address_form {
    ADDRESS_STEP,   /* every lane moved by the same */
    ADDRESS_GRID,   /* a regular grid: rows of 1 << (byte >> 3) lanes */
    ADDRESS_LIKE,   /* as the lanes of recent[byte >> 3] lie */
    ADDRESS_APART,  /* distances from the lowest */
    ADDRESS_MOVED,  /* how far each lane moved */
    ADDRESS_SORTED, /* in ascending order, where it does not matter which lane has which */
};
enum { MAX_GAP_BITS = 40 }; /* of the lower part of a gap between sorted addresses */
enum { ADDRESS_FORM_BITS = 3 };

/* --- writing --- */

enum { PIECE_BYTES = 16 * 1024 }; /* a piece that has as many is ended */

struct stream_writer {
    struct warp_model model;
    struct bytes out;    /* the present piece */
    uint64_t n_expected; /* answers since the last unexpected one */
};

void write_guard(struct stream_writer *w, const struct op *op, uint32_t pc, uint32_t active,
                 uint32_t mask);
void write_address(struct stream_writer *w, uint32_t pc, uint32_t mask, const uint64_t *address);
/* Where an indirect jump goes (lanes: of `mask`), or the number and threads of a barrier. */
void write_value(struct stream_writer *w, uint32_t pc, uint32_t mask, uint64_t value,
                 uint32_t lanes);
/* How many divided by zero: none is expected. */
void write_zeros(struct stream_writer *w, uint32_t n);
/* What was printed: nothing is expected. */
void write_text(struct stream_writer *w, const char *text, size_t n);
/* The piece is over: `out` is whole. */
void write_piece_end(struct stream_writer *w);

/* --- reading --- */

struct stream_reader {
    struct warp_model model;
    struct cursor in;
    uint64_t n_expected; /* answers still to come before the next unexpected one */
    uint64_t most;       /* answers a stream of this launch can have */
    bool failed;         /* the stream makes no sense, or has ended too early */
    /* Puts the next piece into `in`; false if there is none. */
    bool (*refill)(struct stream_reader *r);
};

/* Another warp begins; its first piece is asked for when it is needed. */
void read_begin(struct stream_reader *r);
/* Nothing may be left when the warp has ended. */
bool read_is_over(struct stream_reader *r);

uint32_t read_guard(struct stream_reader *r, const struct op *op, uint32_t pc, uint32_t active);
/* All 32 addresses, those of the mask as they were; valid until the next one. */
const uint64_t *read_address(struct stream_reader *r, uint32_t pc, uint32_t mask);
uint64_t read_value(struct stream_reader *r, uint32_t pc, uint32_t mask, uint32_t *lanes);
uint32_t read_zeros(struct stream_reader *r);
/* Where the text lies, until the next question; NULL = nothing was printed. */
const char *read_text(struct stream_reader *r, size_t *n);

#endif
