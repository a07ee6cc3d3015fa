/* Where an observer's output goes, piece by piece. */
#ifndef HEDDLE_ANALYSIS_SINK_H
#define HEDDLE_ANALYSIS_SINK_H

#include <stdbool.h>
#include <stddef.h>

struct sink {
    bool (*write)(void *user, const void *data, size_t bytes); /* false = it could not be written */
    void *user;
};

#endif
