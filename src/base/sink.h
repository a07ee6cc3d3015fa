/* Where what someone writes goes, piece by piece. */
#ifndef HEDDLE_BASE_SINK_H
#define HEDDLE_BASE_SINK_H

#include <stdbool.h>
#include <stddef.h>

struct sink {
    bool (*write)(void *user, const void *data, size_t bytes); /* false = it could not be written */
    void *user;
};

#endif
