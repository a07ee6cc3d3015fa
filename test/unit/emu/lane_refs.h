/* What the rows of isa.def must compute, said a second time and differently: integers by plain
 * arithmetic in 128 bits or bit by bit, floats by base/softfp (tested against the host on its own).
 * Speed does not matter here, obviousness does. */
#ifndef HEDDLE_TEST_LANE_REFS_H
#define HEDDLE_TEST_LANE_REFS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/softfp.h"
#include "lane_rows.h"

typedef __int128 wide_int;

/* One lane's operands: as integers extended by the reference's signedness, and as raw bits. */
struct lane_args {
    wide_int a, b, c;
    uint64_t a_bits, b_bits, c_bits;
    unsigned bits; /* of operand a */
    bool is_signed;
    bool carry_in;
    struct fp_mode mode;
};

struct lane_ref {
    const char *row;
    /* The low bits of the result count; integer references set *carry where the row has one. */
    wide_int (*compute)(const struct lane_args *x, bool *carry);
    bool is_signed, ftz;
};

/* Each ends with a NULL row. */
extern const struct lane_ref lane_refs_int[];
extern const struct lane_ref lane_refs_float[];

#endif
