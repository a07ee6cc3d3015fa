/* A destination for output that is written in pieces. */
#ifndef HEDDLE_BASE_SINK_H
#define HEDDLE_BASE_SINK_H

#include <stdbool.h>
#include <stddef.h>

struct sink {
    bool (*write)(void *user, const void *data, size_t bytes); /* false = the write failed */
    void *user;
};

#endif
