/* The headers of OpenCL sources, parsed once: clang reads them in a fraction of the time from a
 * precompiled header. It lies in the folder of support.h, one for each set of options that the
 * headers depend on.
 *
 *     headers-KEY.index    checksums of the precompiled header and of what follows: the words of
 *                          the headers; those before a parenthesis also with it
 *     headers-SUM.pch
 *
 * The index is written last and names its file by checksum, so processes that build the same header
 * at once cannot mix their files. A damaged header fails its checksum and is built again.
 *
 * A build option such as -DN=4 defines its macro before the headers, but after a precompiled one;
 * that makes a difference only if the headers contain the word. */
#ifndef HEDDLE_FRONT_PRECOMPILED_H
#define HEDDLE_FRONT_PRECOMPILED_H

#include "front/process.h"
#include "front/support.h"
#include "front/toolchain.h"

struct precompiled {
    const char *path;  /* of the precompiled header */
    const char *index; /* path */
    const char
        *words; /* of the headers: sorted, one on a line; f( for what is declared or called */
};

/* Finds the precompiled header for these build options (clang's), or builds it. False if there is
 * none: the options rule it out, or it could not be built or written. */
bool precompiled_find(struct precompiled *header, const struct support *support,
                      const char *scratch, const struct toolchain *tools,
                      const struct arg_list *options, struct arena *arena);

/* For a header that made a compilation fail: the next one builds it again. */
void precompiled_discard(const struct precompiled *header);

#endif
