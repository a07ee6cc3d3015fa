/* Numbers as people write them in configuration files and on the command line. */
#ifndef HEDDLE_CONFIG_NUMBER_H
#define HEDDLE_CONFIG_NUMBER_H

#include <stdbool.h>
#include <stdint.h>

/* The whole text must be the number: decimal or 0x..., no sign, no blanks, at most 64 bits. */
bool number_parse_u64(const char *text, uint64_t *out);

/* The same with an optional K, M, G or T, powers of 1000: a count, "5M". */
bool number_parse_count(const char *text, uint64_t *out);

/* The same with an optional K, M, G or T (or KB, KiB, ...), always powers of 1024: "48K", "0x100".
 */
bool number_parse_bytes(const char *text, uint64_t *out);

#endif
