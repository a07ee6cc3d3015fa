/* A sink that compresses what it is given as a gzip file and passes it on. The bytes depend on the
 * text alone: no name and no time are kept in them. */
#ifndef HEDDLE_CLI_GZIP_H
#define HEDDLE_CLI_GZIP_H

#include "base/sink.h"

struct gzip;

struct gzip *gzip_create(struct sink to);
/* Fits a struct sink; false once anything could not be passed on. */
bool gzip_add(void *gzip, const void *data, size_t bytes);
/* The end of the file; false if any of it could not be passed on. */
bool gzip_finish(struct gzip *g);
void gzip_destroy(struct gzip *g); /* NULL is fine */

#endif
