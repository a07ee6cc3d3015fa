/* A sink that compresses its input as a gzip file and passes it on. The bytes depend only on the
 * input: they contain no name and no time. */
#ifndef HEDDLE_CLI_GZIP_H
#define HEDDLE_CLI_GZIP_H

#include "base/sink.h"

struct gzip;

struct gzip *gzip_create(struct sink to);
/* Fits a struct sink; false once a write has failed. */
bool gzip_add(void *gzip, const void *data, size_t bytes);
/* Ends the file; false if any write failed. */
bool gzip_finish(struct gzip *g);
void gzip_destroy(struct gzip *g); /* NULL is fine */

#endif
