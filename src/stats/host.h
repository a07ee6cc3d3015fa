/* What the host itself spends: for the host.* statistics and the progress display, never for
 * anything simulated. */
#ifndef HEDDLE_STATS_HOST_H
#define HEDDLE_STATS_HOST_H

#include <stdint.h>

double host_now_seconds(void); /* a clock that only moves forward; differences have a meaning */
uint64_t host_peak_rss_bytes(void);

#endif
