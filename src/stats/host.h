/* Resource usage of the host: for the host.* statistics and the progress display, never for
 * anything simulated. */
#ifndef HEDDLE_STATS_HOST_H
#define HEDDLE_STATS_HOST_H

#include <stdint.h>

double host_now_seconds(void); /* a monotonic clock; only differences are meaningful */
uint64_t host_peak_rss_bytes(void);

#endif
